#ifndef NESSIE_SHAPE_FACTS_H
#define NESSIE_SHAPE_FACTS_H
/* What is known where we are, besides what always holds: conditions of the arms that we are in, checks passed.
 *
 * Firm is what holds whenever the code behind it runs: conditions, and checks at the host.  Checks in tasks may be told
 * later than what comes after them began: what they say serves for other checks only. */
#include "shape/size.h"

typedef struct Facts Facts;

Facts *facts_new(Arena *a, Sizes *z);
/* Where a scope begins; and its end: what was learnt since is no longer known. */
int facts_mark(const Facts *f);
void facts_forget(Facts *f, int mark);
/* This truth, or each of a vector of truths, holds (is 1), or does not. */
void facts_learn(Facts *f, const Size *truth, bool holds, bool firm);
/* This is the length of something that is there. */
void facts_length(Facts *f, const Size *n);
/* The same size, as short as what is known makes it; firm: by firm facts only. */
const Size *facts_normal(Facts *f, const Size *s, bool firm);

#endif

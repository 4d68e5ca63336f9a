#ifndef NESSIE_SHAPE_FACTS_H
#define NESSIE_SHAPE_FACTS_H
/* What is known where we are, besides what always holds: conditions of the arms that we are in, checks passed.
 *
 * What a condition says holds in its arm.  A check at the host is told before what takes its room from it, or calls, but
 * other code may be moved before it.  A check in a task may be told later than what comes after it began: what it says
 * serves for other checks only; and it may have had no elements, so it says something of vectors only. */
#include "shape/size.h"

typedef struct Facts Facts;

/* What facts rest on, the strongest first. */
typedef enum By { BY_CONDITION, BY_HOST_CHECK, BY_TASK_CHECK } By;

Facts *facts_new(Arena *a, Sizes *z);
/* Where a scope begins; and its end: what was learnt since is no longer known. */
int facts_mark(const Facts *f);
void facts_forget(Facts *f, int mark);
/* Nothing is known, until what was known is known again; in between scopes are closed that are opened. */
void facts_hide(Facts *f);
void facts_show(Facts *f);
/* This truth, or each of a vector of truths, holds (is 1), or does not. */
void facts_learn(Facts *f, const Size *truth, bool holds, By by);
/* This is the length of something that is there. */
void facts_length(Facts *f, const Size *n);
/* The same size, as short as what is known by this, or by stronger facts, makes it. */
const Size *facts_normal(Facts *f, const Size *s, By by);

#endif

#ifndef NESSIE_IRBACK_H
#define NESSIE_IRBACK_H
/* Which of its parameters a function of mem may give back: a result may be the very array that it was given.  What takes the
 * place of an operand (`replace`, `put`, `extend`) is another value, and does not count. */
#include "common/ir.h"

typedef struct Backs Backs;
Backs *backs(const Program *p);

/* Of f, as far as the functions that it calls say what they give back (Fun.back): a fixed point, if they all do. */
bool **back_of(Backs *s, const Fun *f);

/* Does f say that result i may be its k-th parameter? */
bool back_said(const Fun *f, int i, int k);

/* A parameter that f may give back, by back_of, and does not say so; NULL: none. */
const Var *back_unsaid(const Fun *f, bool **back);

#endif

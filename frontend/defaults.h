#ifndef NESSIE_DEFAULTS_H
#define NESSIE_DEFAULTS_H
/* Parameters with defaults, for infer.c and infer_expr.c. */
#include "frontend/infer_report.h"

/* The defaults of a definition, whose function is typed: are they of the types of their parameters? */
void defaults_check(Infer *in, const Form *f, Type *fn);

/* Those of the function that this expression names; NULL: none.  In an instance all arguments are in their places. */
const Default *defaults_of(const Infer *in, const Expr *fn);

/* e applies a function of this type that has defaults: type its arguments, and put them in their places.  False,
 * and reported, if they do not fit. */
bool defaults_apply(Infer *in, const Scope *sc, Expr *e, Type *fn);

#endif

#ifndef NESSIE_INFER_REPORT_H
#define NESSIE_INFER_REPORT_H
/* Messages about applications, for infer_expr.c. */
#include "frontend/infer_expr.h"

/* The function's parameter is of type want, its argument of type got. */
void report_apply(Infer *in, const Expr *e, Type *want, Type *got);

/* A value of type t is applied: probably two expressions stand side by side by mistake. */
void report_no_function(Infer *in, const Scope *sc, const Expr *e, Type *t);

/* The end of a message that says that these types differ: if they do only as two functions do. */
const char *report_functions(Infer *in, Type *a, Type *b);

extern const char this_literal[];       /* says why of a literal */

/* t got this type because of `why` at `at`, in the user's program. */
void report_from(Infer *in, Type *t, Span at, const char *why);

/* The type of a library function where e applies it. */
Type *report_use(Infer *in, const Expr *e, Type *fn);

/* Further lines of the last message, which showed `shown`: what made want and got differ, as far as it is elsewhere. */
void report_origins(Infer *in, Type *want, Type *got, Span shown);

/* Does this name stand before or between what it is applied to? */
bool is_operator(const char *name);

/* `v[i]`, which is elt(v, i)? */
bool is_subscript(const Expr *e);

/* The top-level function that this variable names; NULL if e is none.  In an instance names were resolved before,
 * and may mean something else by now: NULL. */
const Decl *function_named(const Infer *in, const Scope *sc, const Expr *e);

#endif

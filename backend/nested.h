#ifndef NESSIE_NESTED_H
#define NESSIE_NESTED_H
/* Functions in nested form, as C or as C++ of the host: what they are, and rows given to them.  p: mem; cxx: C++. */
#include "backend/emit.h"
#include "common/ir.h"

/* nested.c: the functions of p->nested. */
void nested_functions(Emit *e, const Program *p, bool cxx);
/* What a value is there: a scalar, or a struct; and the text before the braces around the parts of one. */
const char *nested_type(Arena *a, const Ty *ty);
const char *nested_made(Arena *a, const Ty *ty, bool cxx);

/* nested_rows.c: of f, which does for rows what a nested function does for one: struct rows_NAME_, what f's parameters but the first, how
 * many rows there are, have on the host, in order; and rows_NAME_, a nesl_row_code (nesl_nested.h) for those. */
void nested_rows(Emit *e, const Program *p, const Fun *f, const char *name, bool cxx);
/* The parameters of f that are lengths of the rows' sequences. */
typedef LIST(Var *) VarList;
VarList nested_lengths(const Program *p, const Fun *f);
/* Does what f does for one row go through sequences within an apply-to-each, other than by calling itself? */
bool nested_is_deep(const Program *p, const Fun *f);

#endif

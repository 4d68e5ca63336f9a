#ifndef NESSIE_SERIAL_H
#define NESSIE_SERIAL_H
/* Serial functions: those that use a primitive whose row says SERIAL, through calls too, and constants of the library
 * that do.  None may be used in the body or the filter of an apply-to-each. */
#include "frontend/infer_expr.h"

/* Decl.serial of the library's functions and constants, all of them typed. */
void serial_basis(Infer *in);

/* A form is typed: uses of serial functions in its parallel code are reported.  self: the function that it
 * defines, whose Decl.serial is set, or NULL. */
void serial_form(Infer *in, const Form *f, Decl *self);

#endif

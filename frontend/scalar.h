#ifndef NESSIE_SCALAR_H
#define NESSIE_SCALAR_H
/* The scalar operators of frontend/prim.def as C functions: for the interpreter, and to fold constants. */
#include "backend/rt/nesl_scalar.h"
#include "common/ir.h"

typedef union {
	i64 i;                  /* int, bool, char */
	f64 f;
} Scalar;

typedef Scalar (*ScalarFn)(Scalar a, Scalar b, Scalar c);

/* One row, compiled: the functions for the first and second type of its letter; or a fold's identities. */
typedef struct {
	const char *name, *sig;
	ScalarFn fn[2];
	i64 identity;
	f64 identity2;
} ScalarRow;

/* For each width of int; the last row has no name. */
extern const ScalarRow *const scalar_rows_32, *const scalar_rows_64;

/* The function of the operator of this name on operands of type t. */
ScalarFn scalar_fn(int int_bits, const char *name, const Ty *t);
/* The identity of a REDUCE or SCAN on elements of type t. */
Scalar scalar_identity(int int_bits, const char *name, const Ty *t);
/* The constant of type t. */
Opnd scalar_opnd(const Ty *t, Scalar x);

#endif

#ifndef NESSIE_INTERP_SCALAR_H
#define NESSIE_INTERP_SCALAR_H
/* The scalar operators of frontend/prim.def as C functions. */
#include "backend/interp/value.h"

typedef Value (*ScalarFn)(Value a, Value b, Value c);

/* The function of the operator of this name on operands of type t. */
ScalarFn scalar_fn(const char *name, const Ty *t);
/* The identity of a REDUCE or SCAN on elements of type t. */
Value scalar_identity(const char *name, const Ty *t);

#endif

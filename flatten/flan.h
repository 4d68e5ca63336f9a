#ifndef NESSIE_FLAN_H
#define NESSIE_FLAN_H
/* flan: no nesting left, only vectors, segment descriptors and lifted operators.  Its rows by name:
 * FLAN_add, ... prim.def first, so a primitive has the same number in every IR. */
#include "common/ir.h"

enum {
#define SCALAR(name, ...) FLAN_##name,
#define REDUCE(name, ...) FLAN_##name,
#define REDUCE_AT(name, ...) FLAN_##name,
#define SCAN(name, ...) FLAN_##name,
#define OP(name, ...) FLAN_##name,
#include "frontend/prim.def"
#include "flatten/flan.def"
#undef SCALAR
#undef REDUCE
#undef REDUCE_AT
#undef SCAN
#undef OP
	FLAN_NOP
};

/* A scalar operator on each element? */
static inline bool
flan_elementwise(const Bind *b)
{
	return flan_ir.op[b->op].cls == OP_SCALAR && b->lifted;
}

#endif

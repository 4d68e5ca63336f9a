#ifndef NESSIE_NORMAL_H
#define NESSIE_NORMAL_H
/* normal: every intermediate value named, still nested.  Rows of normal_ir, in its order. */
#include "common/unit.h"

enum NormalOp {
#define SCALAR(name, ...) NORMAL_##name,
#define REDUCE(name, ...) NORMAL_##name,
#define REDUCE_AT(name, ...) NORMAL_##name,
#define SCAN(name, ...) NORMAL_##name,
#define OP(name, ...) NORMAL_##name,
#define FAILS(name, ...) NORMAL_##name,
#define SERIAL(name, ...) NORMAL_##name,
#include "frontend/prim.def"
#include "frontend/normal.def"
#undef SCALAR
#undef REDUCE
#undef REDUCE_AT
#undef SCAN
#undef OP
#undef FAILS
#undef SERIAL
	NORMAL_NOP
};

/* Does it read each element of its operands once? */
bool normal_reads_elements(const Bind *b);

/* u->mono -> u->ir, a program over normal_ir */
void normal(Unit *u);

#endif

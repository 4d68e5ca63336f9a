/* normal_ops.c: the operators of normal, as rows: prim.def, then normal.def. */
#include "frontend/normal.h"

#define SCALAR(name, sig, text, text2, guard, fault) \
	{#name, {sig, 0}, OP_SCALAR, {#text, sizeof #text2 == 2 ? #text : #text2}, 0, {0, 0}, guard, fault, 0, 0},
#define REDUCE(name, t, base, id, id2, more2) \
	{#name, {"[" t "]:" t, 0}, OP_REDUCE, {0, sizeof #more2 == 2 ? 0 : #more2}, base, {#id, #id2}, 0, 0, 0, 0},
#define REDUCE_AT(name, base, id, id2) {#name, {"[o][i]:i", 0}, OP_REDUCE, {0, 0}, base, {#id, #id2}, 0, 0, 0, 0},
#define SCAN(name, t, base, id, id2, more2) \
	{#name, {"[" t "]:[" t "]", 0}, OP_SCAN, {0, sizeof #more2 == 2 ? 0 : #more2}, base, {#id, #id2}, 0, 0, 0, 0},
#define OP(name, sig, cls) {#name, {sig, 0}, OP_##cls, {0, 0}, 0, {0, 0}, 0, 0, 0, 0},
#define FAILS(name, sig, fault) {#name, {sig, 0}, OP_SEQUENCE, {0, 0}, 0, {0, 0}, 0, fault, 0, 0},
#define SERIAL(name, sig, cls) {#name, {sig, 0}, OP_##cls, {0, 0}, 0, {0, 0}, 0, 0, 1, 0},

static const OpInfo rows[] = {
#include "frontend/prim.def"
#include "frontend/normal.def"
};

const Ir normal_ir = {"normal", rows, sizeof rows / sizeof *rows};

bool
normal_reads_elements(const Bind *b)
{
	return b->op == NORMAL_foreach || b->op == NORMAL_pack || op_folds(&normal_ir.op[b->op]);
}

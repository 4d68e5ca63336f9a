/* lcu_ops.c: the operators of lcu, as rows: prim.def, then lcu.def.  mem and map have the same rows; only they may
 * use free and retain. */
#include "fuse/lcu.h"

#define SCALAR(name, sig, text, text2, guard, fault) \
	{#name, {sig, 0}, OP_SCALAR, {#text, sizeof #text2 == 2 ? #text : #text2}, 0, {0, 0}, guard, fault, 0, 0},
#define REDUCE(name, t, base, id, id2, more2) \
	{#name, {t ":" t, 0}, OP_REDUCE, {0, sizeof #more2 == 2 ? 0 : #more2}, base, {#id, #id2}, 0, 0, 0, 0},
#define REDUCE_AT(name, base, id, id2) {#name, {"oi:i", 0}, OP_REDUCE, {0, 0}, base, {#id, #id2}, 0, 0, 0, 0},
#define SCAN(name, t, base, id, id2, more2) \
	{#name, {t ":" t, 0}, OP_SCAN, {0, sizeof #more2 == 2 ? 0 : #more2}, base, {#id, #id2}, 0, 0, 0, 0},
#define TAKES(name, sig, cls, n) {#name, {sig, 0}, OP_##cls, {0, 0}, 0, {0, 0}, 0, 0, 0, n},
#define OP(name, sig, cls) TAKES(name, sig, cls, 0)

static const OpInfo rows[] = {
#include "frontend/prim.def"
#include "fuse/lcu.def"
};

const Ir lcu_ir = {"lcu", rows, sizeof rows / sizeof *rows};
const Ir mem_ir = {"mem", rows, sizeof rows / sizeof *rows};
const Ir map_ir = {"map", rows, sizeof rows / sizeof *rows};

bool
ir_counts(const Ir *ir)
{
	return ir == &mem_ir || ir == &map_ir;
}

bool
lcu_is_function(const Ir *ir, const Bind *step)
{
	const OpInfo *op = &ir->op[step->op];

	return op->cls == OP_SCALAR && op->sig[0] && strcmp(op->sig[0], "f:f") == 0;
}

bool
lcu_is_heavy(const Ir *ir, const Bind *step)
{
	return step->op == LCU_call || lcu_is_function(ir, step);
}

bool
lcu_is_runner(const Fun *f)
{
	return f->nested || lcu_cuts(f);
}

const Var *
lcu_cuts(const Fun *f)
{
	const Bind *b = f->body->first;

	while (b && b->op != LCU_batch_rows && b->op != LCU_batch_from)
		b = b->next;
	for (int i = 0; b && i < f->nparam; i++)
		if (same_opnd(b->arg[0], opnd_var(f->param[i])))
			return f->param[i];
	return NULL;
}

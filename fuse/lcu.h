#ifndef NESSIE_LCU_H
#define NESSIE_LCU_H
/* lcu (lambda-cu): host code, and tasks made of steps; with memory management the same rows are mem.
 * LCU_add, ... prim.def first, so a primitive has the same number in every IR. */
#include <string.h>
#include "common/ir.h"

enum {
#define SCALAR(name, ...) LCU_##name,
#define REDUCE(name, ...) LCU_##name,
#define REDUCE_AT(name, ...) LCU_##name,
#define SCAN(name, ...) LCU_##name,
#define OP(name, ...) LCU_##name,
#define TAKES(name, ...) LCU_##name,
#include "frontend/prim.def"
#include "fuse/lcu.def"
#undef SCALAR
#undef REDUCE
#undef REDUCE_AT
#undef SCAN
#undef OP
#undef TAKES
	LCU_NOP
};

/* Does this step store what it makes at its own place? */
static inline bool
lcu_stores(const Bind *step)
{
	return step->op == LCU_store || step->op == LCU_replace;
}

/* Does it make a descriptor of the lengths of all rows? */
static inline bool
lcu_adds_lengths(const Bind *step)
{
	return step->op == LCU_segdes || step->op == LCU_segdes_of;
}

/* How many elements or rows it keeps, where the host knows; NULL: it is told when they are counted. */
static inline const Opnd *
lcu_count(const Bind *step)
{
	return (step->op == LCU_keep || step->op == LCU_keep_lengths) && step->narg > 2 ? &step->arg[2] : NULL;
}

/* How many elements the rows of the descriptor that it makes have together, likewise. */
static inline const Opnd *
lcu_total(const Bind *step)
{
	return step->op == LCU_segdes_of ? &step->arg[1] : step->op == LCU_keep_lengths && step->narg > 3 ? &step->arg[3] : NULL;
}

/* The operand whose memory its result may have, and that it takes over in mem; NULL: there is none. */
static inline const Opnd *
lcu_takes_place(const Bind *step)
{
	return step->op == LCU_replace ? &step->arg[1] : step->op == LCU_mark ? &step->arg[2] : NULL;
}

/* Is it an append, or a concat, in the place of its first operand? */
static inline bool
lcu_extends(const Bind *b)
{
	return b->op == LCU_extend || b->op == LCU_extend_rows;
}

/* Does it order elements: those of its last operand, or their positions, of which there are as many? */
static inline bool
lcu_orders(const Bind *b)
{
	return b->op == LCU_rank || b->op == LCU_rank_down || b->op == LCU_seg_rank || b->op == LCU_seg_rank_down || b->op == LCU_sort
		|| b->op == LCU_seg_sort;
}

/* Does the host tell of a fault there, a variable without a value among them, or do what is seen from outside?  Of tasks the steps do. */
static inline bool
lcu_tells(const Program *p, const Bind *b)
{
	return b->op == LCU_host_check || b->op == LCU_cell || b->op == LCU_call || p->ir->op[b->op].cls == OP_EFFECT;
}

/* Is it an operation of the library over an array, whose time and bytes are told as those of a task? */
static inline bool
lcu_has_figures(const Program *p, const Bind *b)
{
	const Ty *over = b->narg > 0 ? opnd_ty(b->arg[0]) : NULL;

	return p->ir->op[b->op].cls == OP_LIBRARY && over && (over->kind == TY_VEC || over->kind == TY_SEGDES);
}

/* Is it done by the sorts of the CUDA library? */
static inline bool
lcu_sorts(const Bind *b)
{
	return lcu_orders(b) || b->op == LCU_group || b->op == LCU_group_sum;
}

/* The reduction that folds as this sink does what comes to one place; LCU_NOP: it is no such sink. */
static inline int
lcu_puts(const Bind *step)
{
	return step->op == LCU_put_sum ? LCU_sum : step->op == LCU_put_max ? LCU_max_val : LCU_NOP;
}

/* The step that makes result i of a task. */
static inline const Bind *
lcu_sink(const Bind *task, int i)
{
	const Bind *s = task->block[0]->first;

	while (s && !(s->ndst > 0 && s->dst[0] == task->block[0]->yield[i].u.var))
		s = s->next;
	return s;
}

/* Of `reserve`: in place of the bytes of an element, the array of that number ends (memmgmt/room.c). */
enum { LCU_ENDS = -1 };

/* The parameter of f that tells where rows come apart, if it runs for a batch of them (flatten/batch.c); else NULL. */
const Var *lcu_cuts(const Fun *f);
/* Is f no function of the program's, but runs one in a way of its own: in batches, or in nested form (flatten/runner.c)? */
bool lcu_is_runner(const Fun *f);

/* Is it of the mathematical library, from a float to a float: more than to store what it gives, and load it? */
bool lcu_is_function(const Ir *ir, const Bind *step);
/* Is it that, or a call of a function of the program's? */
bool lcu_is_heavy(const Ir *ir, const Bind *step);

/* Does it tell that indices are no permutation?  What was scattered by such ones is not all written: what reads it is in a
 * later task, and the host has heard of the check before that runs (backend/cuda/await.c). */
static inline bool
lcu_checks_permute(const Bind *step)
{
	return step->op == LCU_check && strcmp(step->name, "bad-permute") == 0;
}

#endif

/* map.c: mem -> map: where the levels of each task may run on a device.
 *
 * In   mem
 * Out  the same, with the mappings of each task (ir.h); which of them it is, is chosen at each launch by the lengths of
 *      the rows (backend/rt/nesl_rows.h)
 * How  A task of one level is flat.  One of two can run by rows if each row can alone: if nothing at level 2 is kept,
 *      whose place all rows before would have to tell.  Where no element asks for its row they are a flat space.
 *      Flat is Merrill & Garland's (SC16) balance over elements, a group of lanes for a row is CUDA-NP's within a warp
 *      (Yang & Zhou, PPoPP 2014). */
#include "fuse/map.h"
#include <string.h>
#include "fuse/lcu.h"

typedef struct {
	Program *to;
	unsigned wanted;        /* of --map; 0: not given */
	int *level;             /* by Var.id: where what a step makes lives */
} Mapper;

static bool
keeps(const Bind *step)
{
	return step->level == 2 && (step->op == LCU_keep || step->op == LCU_keep_segdes);
}

/* Does an element need to know its row: its number, its start, a value of it, what other elements of it give? */
static bool
asks_for_row(const Mapper *m, const Bind *step)
{
	if (step->level < 2)
		return false;
	if (op_folds(&m->to->ir->op[step->op]) || step->op == LCU_inner || step->op == LCU_row)
		return true;
	for (int i = 0; i < step->narg; i++)
		if (step->arg[i].kind == OPND_VAR && m->level[step->arg[i].u.var->id] == 1)
			return true;
	return false;
}

/* Does an element store, scan, or fetch from elsewhere?  Where a thread has a row it is far from its neighbours, and each moves
 * a sector of its own for that. */
static bool
scatters(const Mapper *m, const Bind *step)
{
	return step->level == 2 && (lcu_stores(step) || lcu_puts(step) != LCU_NOP || step->op == LCU_fetch
		|| m->to->ir->op[step->op].cls == OP_SCAN);
}

static unsigned
mappings(Mapper *m, const Bind *task)
{
	unsigned can = BY_FLAT;
	bool far = false;

	for (const Bind *b = task->block[0]->first; b; b = b->next) {
		const bool reduces = m->to->ir->op[b->op].cls == OP_REDUCE;

		if (keeps(b))
			return BY_FLAT;
		if (asks_for_row(m, b))
			can |= BY_THREAD | BY_LANES;
		far = far || scatters(m, b);
		for (int i = 0; i < b->ndst; i++)
			m->level[b->dst[i]->id] = b->level - reduces;
	}
	if (m->wanted)
		return can & m->wanted ? can & m->wanted : BY_FLAT;
	return far ? can & ~(unsigned)BY_THREAD : can;
}

/* A copy with its tasks mapped; their steps are the same. */
static Block *
block(Mapper *m, const Block *b)
{
	Block *out = block_new(m->to);

	for (const Bind *x = b->first; x; x = x->next) {
		Bind *n = bind_new(m->to, out, x->op, 0, 0, 0, x->span);

		*n = *x;
		n->next = NULL;
		n->block = NEW(m->to->arena, Block *, x->nblock);
		if (x->op == LCU_task)
			n->by = mappings(m, x);
		for (int i = 0; i < x->nblock; i++)
			n->block[i] = x->op == LCU_task ? x->block[i] : block(m, x->block[i]);
	}
	block_yield(m->to, out, b->nyield, b->yield);
	return out;
}

void
map(Unit *u)
{
	Mapper m = {.to = program_copy(u->ir, &map_ir), .level = NEW(u->arena, int, u->ir->nvar)};

	for (int i = 0; u->map && i < NMAPPING; i++)
		if (strcmp(mapping_name[i], u->map) == 0)
			m.wanted = 1u << i;
	for (Fun *f = m.to->funs; f; f = f->next)
		f->body = block(&m, f->body);
	for (Entry *e = m.to->entries; e; e = e->next)
		if (e->body)
			e->body = block(&m, e->body);
	u->ir = m.to;
}

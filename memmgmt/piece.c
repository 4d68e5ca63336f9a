/* piece.c: results of tasks that are copies of neighbouring elements of a vector, or rows of a descriptor. */
#include "memmgmt/piece.h"
#include "fuse/lcu.h"

/* The step of the task that makes o; NULL: none does. */
static const Bind *
made_by(const Bind *task, Opnd o)
{
	const Bind *s = task->block[0]->first;

	while (s && !(o.kind == OPND_VAR && s->ndst > 0 && s->dst[0] == o.u.var))
		s = s->next;
	return s;
}

static bool
is_made_by(const Bind *task, Opnd o, int op, int level)
{
	const Bind *s = made_by(task, o);

	return s && s->op == op && s->level == level;
}

/* Is o, at level 1, places from `from` on: e = index; o = add e, from, or e itself? */
static bool
is_place(const Bind *task, Opnd o, Opnd *from)
{
	const Bind *at = made_by(task, o);
	bool first;

	*from = opnd_int(0);
	if (is_made_by(task, o, LCU_index, 1))
		return true;
	if (!at || at->op != LCU_add)
		return false;
	first = is_made_by(task, at->arg[0], LCU_index, 1);
	*from = at->arg[first];
	return first != is_made_by(task, at->arg[1], LCU_index, 1) && !made_by(task, *from);
}

/* r[e] = of[from + e]: x = fetch of, place; store x.  Of rows: x = row_length of, place; segdes x. */
bool
piece_of(const Bind *task, int i, Piece *p)
{
	const Bind *sink = lcu_sink(task, i), *x;
	const bool rows = sink && lcu_adds_lengths(sink);

	if (!sink || sink->level != 1 || (sink->op != LCU_store && !rows))
		return false;
	x = made_by(task, sink->arg[0]);
	if (!x || x->op != (rows ? LCU_row_length : LCU_fetch) || x->arg[0].kind != OPND_VAR)
		return false;
	p->of = x->arg[0];
	p->n = task->arg[0];
	return is_place(task, x->arg[1], &p->from);
}

/* b = row_start of, place; o = add b, inner; x = fetch v, o; store x. */
const Var *
piece_elements(const Bind *task, int i, const Piece *rows)
{
	const Bind *store = lcu_sink(task, i), *x, *at;
	Opnd from;

	if (!store || store->op != LCU_store || store->level != 2 || !same_opnd(task->arg[0], rows->n))
		return NULL;
	x = made_by(task, store->arg[0]);
	at = x && x->op == LCU_fetch && x->arg[0].kind == OPND_VAR ? made_by(task, x->arg[1]) : NULL;
	if (!at || at->op != LCU_add)
		return NULL;
	for (int k = 0; k < 2; k++) {
		const Bind *start = made_by(task, at->arg[k]);

		if (start && start->op == LCU_row_start && same_opnd(start->arg[0], rows->of) && is_place(task, start->arg[1], &from)
			&& same_opnd(from, rows->from) && is_made_by(task, at->arg[1 - k], LCU_inner, 2))
			return x->arg[0].u.var;
	}
	return NULL;
}

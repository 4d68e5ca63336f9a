/* piece.c: results of tasks that are copies of neighbouring elements of a vector. */
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
is_index(const Bind *task, Opnd o)
{
	const Bind *s = made_by(task, o);

	return s && s->op == LCU_index && s->level == 1;
}

/* r[e] = of[from + e], or of[e]: e = index; p = add e, from; x = fetch of, p; store x. */
bool
piece_of(const Bind *task, int i, Piece *p)
{
	const Bind *store = lcu_sink(task, i), *fetch, *at;

	if (!store || store->op != LCU_store || store->level != 1)
		return false;
	fetch = made_by(task, store->arg[0]);
	if (!fetch || fetch->op != LCU_fetch || fetch->arg[0].kind != OPND_VAR)
		return false;
	*p = (Piece){fetch->arg[0], opnd_int(0), task->arg[0]};
	if (is_index(task, fetch->arg[1]))
		return true;
	at = made_by(task, fetch->arg[1]);
	if (!at || at->op != LCU_add)
		return false;
	p->from = at->arg[is_index(task, at->arg[0])];
	return is_index(task, at->arg[0]) != is_index(task, at->arg[1]) && !made_by(task, p->from);
}

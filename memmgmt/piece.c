/* piece.c: a task that only copies neighbouring elements of a vector. */
#include "memmgmt/piece.h"
#include "fuse/lcu.h"

/* The steps of such a task: e = index; p = add e, from; x = fetch v, p; store x. */
typedef struct Steps {
	const Bind *index, *add, *fetch, *store;
} Steps;

static bool
is_of(Opnd o, const Bind *made)
{
	return o.kind == OPND_VAR && made && o.u.var == made->dst[0];
}

static bool
find_steps(const Block *b, Steps *s)
{
	const Bind **place[] = {&s->index, &s->add, &s->fetch, &s->store};
	static const int op[] = {LCU_index, LCU_add, LCU_fetch, LCU_store};

	for (const Bind *x = b->first; x; x = x->next) {
		int i = 0;

		while (i < 4 && op[i] != x->op)
			i++;
		if (i == 4 || *place[i])
			return false;
		*place[i] = x;
	}
	return s->index && s->fetch && s->store && is_of(s->store->arg[0], s->fetch);
}

bool
piece_of(const Bind *task, Piece *p)
{
	Steps s = {0};

	if (task->op != LCU_task || task->narg != 1 || task->ndst != 1 || !find_steps(task->block[0], &s))
		return false;
	if (s.add) {
		const int of = is_of(s.add->arg[0], s.index) ? 0 : 1;

		if (!is_of(s.add->arg[of], s.index) || !is_of(s.fetch->arg[1], s.add))
			return false;
		p->from = s.add->arg[1 - of];
		if (is_of(p->from, s.index))
			return false;
	} else {
		if (!is_of(s.fetch->arg[1], s.index))
			return false;
		p->from = opnd_int(0);
	}
	p->of = s.fetch->arg[0];
	p->n = task->arg[0];
	return true;
}

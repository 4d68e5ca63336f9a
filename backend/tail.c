/* tail.c: which calls of mem are jumps. */
#include "backend/tail.h"
#include <string.h>
#include "fuse/lcu.h"

/* Is there one in this block?  Then it is in m. */
static bool
mark(Map *m, const Fun *f, const Block *body)
{
	const Bind *b = block_tail(body);
	bool first;

	if (!b)
		return false;
	if (b->op == LCU_if) {
		first = mark(m, f, b->block[0]);
		return mark(m, f, b->block[1]) || first;
	}
	if (b->op != LCU_call || strcmp(b->name, f->name) != 0 || b->nway > 0)
		return false;
	*map_at(m, b) = (void *)f;
	return true;
}

Map *
tail_calls(const Program *p)
{
	Map *m = map_new(p->arena);

	for (const Fun *f = p->funs; f; f = f->next)
		if (f->recursive && mark(m, f, f->body))
			*map_at(m, f) = (void *)f;
	return m;
}

const Fun *
tail_call(Map *m, const Bind *b)
{
	return *map_at(m, b);
}

bool
tail_counted(const Program *p, Map *m, const Bind *b)
{
	const Fun *f = b->op == LCU_call ? fun_find(p, b->name) : NULL;

	return f && f->recursive && !tail_call(m, b);
}

bool
tail_loops(Map *m, const Fun *f)
{
	return *map_at(m, f) != NULL;
}

bool
tail_ends(Map *m, const Block *b)
{
	const Bind *last = block_tail(b);

	if (last && last->op == LCU_if)
		return tail_ends(m, last->block[0]) && tail_ends(m, last->block[1]);
	return last && tail_call(m, last);
}

bool
tail_keeps(const Fun *f, const Bind *call, int i)
{
	return same_opnd(call->arg[i], opnd_var(f->param[i]));
}

bool
tail_copies(const Fun *f, const Bind *call, int i)
{
	for (int j = 0; j < i; j++)
		if (same_opnd(call->arg[i], opnd_var(f->param[j])) && !tail_keeps(f, call, j))
			return true;
	return false;
}

/* update.c: what may have the memory of an operand (see update.h). */
#include "memmgmt/update.h"
#include "fuse/lcu.h"
#include "fuse/tail.h"
#include "memmgmt/piece.h"

static bool
is(Opnd o, const Var *v)
{
	return o.kind == OPND_VAR && o.u.var == v;
}

static void
mark(int n, const Opnd *o, bool *marked, bool is)
{
	for (int i = 0; i < n; i++)
		if (o[i].kind == OPND_VAR)
			marked[o[i].u.var->id] = is;
}

void
bind_mark(const Bind *b, bool *marked, bool is)
{
	mark(b->narg, b->arg, marked, is);
	mark(b->nway, b->way, marked, is);
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *x = b->block[i]->first; x; x = x->next)
			bind_mark(x, marked, is);
		mark(b->block[i]->nyield, b->block[i]->yield, marked, is);
	}
}

const Var *
updated_by(const Bind *b)
{
	const bool joins = (b->op == LCU_append || b->op == LCU_concat) && b->narg == 2 && !same_opnd(b->arg[0], b->arg[1]);

	return (joins || b->op == LCU_put) && b->arg[0].kind == OPND_VAR ? b->arg[0].u.var : NULL;
}

/* Is it a task that puts elements into v? */
static bool
marks(const Bind *b, const Var *v)
{
	for (const Bind *s = b->op == LCU_task ? b->block[0]->first : NULL; s; s = s->next)
		if (s->op == LCU_mark && is(s->arg[2], v))
			return true;
	return false;
}

/* Does b, which mentions v, update it? */
static bool
updates(const Place *at, const Bind *b, const Var *v)
{
	const Fun *to = b->op == LCU_call ? fun_find(at->p, b->name) : NULL;

	if (b->op == LCU_if)
		for (int i = 0; i < b->nblock; i++)
			if (is_updated(&(Place){at->p, at->f, b->block[i], b, at}, b->block[i]->first, v))
				return true;
	if (to)
		return at->f && tail_comes_back(at->p, at->f, to) && bind_reads(b, v);
	return updated_by(b) == v || marks(b, v);
}

bool
is_updated(const Place *at, const Bind *b, const Var *v)
{
	for (; b; b = b->next)
		if (bind_mentions(b, v, NULL) && updates(at, b, v))
			return true;
	for (int i = 0; i < at->in->nyield && at->of; i++)
		if (is(at->in->yield[i], v))
			return is_updated(at->up, at->of->next, at->of->dst[i]);
	return false;
}

void
updates_of(Arena *a, const Place *at, const Bind *b, Updates *to)
{
	Piece piece;

	if (updated_by(b))
		LIST_ADD(a, to, updated_by(b));
	for (const Bind *s = b->op == LCU_task ? b->block[0]->first : NULL; s; s = s->next)
		if (s->op == LCU_mark)
			LIST_ADD(a, to, s->arg[2].u.var);
	for (int i = 0; i < b->ndst && b->op == LCU_task; i++)
		if (piece_of(b, i, &piece) && is_updated(at, b->next, b->dst[i]))
			LIST_ADD(a, to, piece.of.u.var);
}

/* alike.c: do the arms of two conditionals do the same?
 *
 * What one binds stands for what the other binds in its place; all else must be the same, to the ways out of checks. */
#include <string.h>
#include "flatten/flattener.h"

/* of: by Var of the one, the Var of the other. */
static bool blocks(Map *of, const Block *a, const Block *b);

static bool
operands(Map *of, int n, const Opnd *a, const Opnd *b)
{
	bool same = true;

	for (int i = 0; same && i < n; i++) {
		const Var *v = a[i].kind == OPND_VAR ? *map_at(of, a[i].u.var) : NULL;

		same = v ? b[i].kind == OPND_VAR && b[i].u.var == v : same_opnd(a[i], b[i]);
	}
	return same;
}

static bool
variables(Map *of, int n, Var *const *a, Var *const *b)
{
	for (int i = 0; i < n; i++) {
		if (!ty_equal(a[i]->ty, b[i]->ty) || a[i]->natural != b[i]->natural)
			return false;
		*map_at(of, a[i]) = b[i];
	}
	return true;
}

static bool
binds(Map *of, const Bind *a, const Bind *b)
{
	if (a->op != b->op || a->lifted != b->lifted || a->level != b->level || a->name != b->name || a->narg != b->narg
	    || a->nway != b->nway || a->ndst != b->ndst || a->nblock != b->nblock || a->textlen != b->textlen
	    || (a->textlen > 0 && memcmp(a->text, b->text, (size_t)a->textlen) != 0))
		return false;
	if (!operands(of, a->narg, a->arg, b->arg) || !operands(of, a->nway, a->way, b->way))
		return false;
	for (int i = 0; i < a->nblock; i++)
		if (!blocks(of, a->block[i], b->block[i]))
			return false;
	return variables(of, a->ndst, a->dst, b->dst);
}

static bool
blocks(Map *of, const Block *a, const Block *b)
{
	const Bind *x = a->first, *y = b->first;

	if (a->nparam != b->nparam || a->nyield != b->nyield || !variables(of, a->nparam, a->param, b->param))
		return false;
	for (; x && y && binds(of, x, y); x = x->next)
		y = y->next;
	return !x && !y && operands(of, a->nyield, a->yield, b->yield);
}

bool
blocks_alike(Arena *a, const Bind *x, const Bind *y)
{
	Map *of = map_new(a);
	bool alike = x->nblock == y->nblock;

	for (int i = 0; alike && i < x->nblock; i++)
		alike = blocks(of, x->block[i], y->block[i]);
	map_drop(of);
	return alike;
}

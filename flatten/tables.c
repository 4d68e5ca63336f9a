/* tables.c: what is only folded by group need not be grouped.
 *
 * In   op^ s e, a fold of ints or bools by the rows of `group s i x`, where e is made element by element of these
 * Out  put_sum e' i (rows s), or put_max, where e' is made so of x as it was; nothing of what was grouped is left if all that is
 *      wanted of it are such folds
 * How  Aggregation while grouping (Graefe, ACM Computing Surveys 25(2), 1993, section 4).  Of ints and bools, as the order of
 *      a fold of floats shows.
 *
 *     sum^ s e = put_sum e' i n        max_val^ s e = put_max e' i n           min_val^ s e = not (put_max (not e') i n)
 *     any^ s p = gt (put_max (btoi p') i n) 0                                  all^ s p = le (put_max (btoi (not p')) i n) 0
 *
 * -1 - j, which is not j, turns the order of ints around, and what has nothing in it is the least int in put_max. */
#include "flatten/flattener.h"

enum { MOST_STEPS = 64 };       /* of e */

typedef struct Grouped {
	Flattener *f;
	Opnd rows, index;       /* the descriptor, and the row of each element as it was */
	bool found;             /* the index */
	int steps;
} Grouped;

static bool
is_group(Grouped *g, Opnd v)
{
	const Bind *b = made_by(g->f, v);

	if (!b || b->op != FLAN_group || !same_opnd(b->arg[0], g->rows) || !elements_anywhere(g->f, v)
			|| (g->found && !same_opnd(b->arg[1], g->index)))
		return false;
	g->index = b->arg[1];
	g->found = true;
	return true;
}

/* Are they x at the positions of what was grouped, which is as long as these are many? */
static bool
takes_group(Grouped *g, const Bind *b)
{
	const Bind *group = made_by(g->f, b->arg[1]), *all = group && group->op == FLAN_group ? made_by(g->f, group->arg[2]) : NULL;

	return all && all->op == FLAN_iota && !all->lifted && same_opnd(length_of(g->f, b->arg[0]), all->arg[0]) && is_group(g, b->arg[1]);
}

static bool
is_elementwise(const Bind *b)
{
	return flan_ir.op[b->op].cls == OP_SCALAR && b->lifted;
}

/* Is each element of v made of one that was grouped? */
static bool
of_group(Grouped *g, Opnd v)
{
	const Bind *b = made_by(g->f, v);

	if (!is_vector(v))
		return true;
	if (!b || ++g->steps > MOST_STEPS)
		return false;
	if (b->op == FLAN_gather && !b->lifted)
		return takes_group(g, b);
	if (!is_elementwise(b))
		return is_group(g, v);
	for (int i = 0; i < b->narg; i++)
		if (!of_group(g, b->arg[i]))
			return false;
	return true;
}

/* v as it would be of what was not grouped. */
static Opnd
as_it_was(Flattener *f, Opnd v)
{
	const Bind *b = made_by(f, v);
	Opnd arg[3];

	if (!is_vector(v))
		return v;
	if (b->op == FLAN_group)
		return b->arg[2];
	if (b->op == FLAN_gather)
		return b->arg[0];
	for (int i = 0; i < b->narg; i++)
		arg[i] = as_it_was(f, b->arg[i]);
	return scalar_op(f, b->op, b->dst[0]->ty->a, b->narg, arg);
}

bool
fold_in_table(Flattener *f, int op, const Ty *ty, Opnd s, Opnd v, Opnd *out)
{
	Grouped g = {.f = f, .rows = s};
	const bool truth = op == FLAN_any || op == FLAN_all, least = op == FLAN_min_val;
	Opnd x, n;

	if (!(truth || op == FLAN_sum || op == FLAN_max_val || least) || (!truth && ty->a->kind != TY_INT))
		return false;
	if (!of_group(&g, v) || !g.found)
		return false;
	x = as_it_was(f, v);
	n = EMIT(f, FLAN_rows, false, &ty_int, s);
	if (op == FLAN_all)
		x = SCALAR_OP(f, FLAN_not, &ty_bool, x);
	if (truth)
		x = SCALAR_OP(f, FLAN_btoi, &ty_int, x);
	if (least)
		x = SCALAR_OP(f, FLAN_not, &ty_int, x);
	x = EMIT(f, op == FLAN_sum ? FLAN_put_sum : FLAN_put_max, false, &ty_ints, x, g.index, n);
	*out = truth ? SCALAR_OP(f, op == FLAN_any ? FLAN_gt : FLAN_le, &ty_bool, x, opnd_int(0)) : least ? SCALAR_OP(f, FLAN_not, &ty_int, x) : x;
	return true;
}

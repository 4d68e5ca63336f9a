/* tables.c: what is only folded by group need not be grouped.
 *
 * In   op^ s e, a fold of ints or bools or a sum of floats by the rows of `group s i x`, where e is made element by element of these
 * Out  put_sum e' i (rows s), put_max, or group_sum s i e', where e' is made so of x as it was; nothing of what was grouped is left if
 *      all that is wanted of it are such folds
 * How  Aggregation while grouping (Graefe, ACM Computing Surveys 25(2), 1993, section 4).  Of floats the order shows: their sums are
 *      no part of a task, whose elements are added up by as many threads as there are, but an operation of its own.
 *
 *     sum^ s e = put_sum e' i n, or group_sum s i e'
 *     max_val^ s e = put_max e' i n           min_val^ s e = not (put_max (not e') i n)
 *     any^ s p = gt (put_max (btoi p') i n) 0                                  all^ s p = le (put_max (btoi (not p')) i n) 0
 *
 * -1 - j, which is not j, turns the order of ints around, and what has nothing in it is the least int in put_max.  Of rows that are
 * taken whole, as those that a filter keeps, the folds of all rows are taken: that costs no more than to group. */
#include "flatten/flattener.h"

enum { MOST_STEPS = 64 };       /* of e */

typedef struct Grouped {
	Flattener *f;
	Opnd rows, index;       /* the descriptor, and the row of each element as it was */
	bool found;             /* the index */
	Opnd taken, places;     /* rows that are taken, if `some` are, and where all their elements are */
	bool some;
	int steps;
} Grouped;

static const Bind *
made_so(const Grouped *g, Opnd v, int op, bool lifted)
{
	const Bind *b = made_by(g->f, v);

	return b && b->op == op && b->lifted == lifted ? b : NULL;
}

/* -- rows that are taken ------------------------------------------------------------------------------------- */

/* Are these the lengths of the rows that are taken? */
static bool
are_lengths(const Grouped *g, Opnd lengths)
{
	const Bind *b = made_so(g, lengths, FLAN_row_length, true), *rows = made_so(g, g->rows, FLAN_segdes, false);

	if (b)
		return same_opnd(b->arg[0], g->rows) && same_opnd(b->arg[1], g->taken);
	b = made_so(g, lengths, FLAN_gather, false);
	return b && rows && same_opnd(b->arg[0], rows->arg[0]) && same_opnd(b->arg[1], g->taken);
}

/* Is v made of elements of rows of some descriptor, taken whole, which are those of s? */
static bool
takes_rows(Grouped *g, Opnd s, Opnd v)
{
	const Bind *of = made_so(g, s, FLAN_segdes, false), *b = made_by(g->f, v), *starts, *at;

	while (b && flan_elementwise(b))
		b = made_by(g->f, first_vector(b->narg, b->arg));
	if (!b || b->op != FLAN_gather || b->lifted || !of)
		return false;
	g->places = b->arg[1];
	if (!(b = made_so(g, g->places, FLAN_add, true)))
		return false;
	for (int i = 0; i < 2; i++) {
		starts = made_so(g, b->arg[i], FLAN_dist, true);
		at = starts && same_opnd(starts->arg[0], s) ? made_so(g, starts->arg[1], FLAN_row_start, true) : NULL;
		starts = made_so(g, b->arg[1 - i], FLAN_iota, true);
		if (at && starts && same_opnd(starts->arg[0], s)) {
			g->rows = at->arg[0];
			g->taken = at->arg[1];
			g->some = true;
			return are_lengths(g, of->arg[0]);
		}
	}
	return false;
}

/* -- groups ---------------------------------------------------------------------------------------------------- */
static bool
is_group(Grouped *g, Opnd v)
{
	const Bind *b = made_so(g, v, FLAN_group, false);

	if (!b || !same_opnd(b->arg[0], g->rows) || !elements_anywhere(g->f, v) || (g->found && !same_opnd(b->arg[1], g->index)))
		return false;
	g->index = b->arg[1];
	g->found = true;
	return true;
}

/* Are they x at the positions of what was grouped, which is as long as these are many? */
static bool
takes_group(Grouped *g, const Bind *b)
{
	const Bind *group = made_so(g, b->arg[1], FLAN_group, false), *all = group ? made_so(g, group->arg[2], FLAN_iota, false) : NULL;

	return all && same_opnd(length_of(g->f, b->arg[0]), all->arg[0]) && is_group(g, b->arg[1]);
}

/* Is each element of v made of one that was grouped?  inside: the rows that are taken were gone into. */
static bool
of_group(Grouped *g, Opnd v, bool inside)
{
	const Bind *b = made_by(g->f, v);

	if (!is_vector(v))
		return true;
	if (!b || ++g->steps > MOST_STEPS)
		return false;
	if (b->op == FLAN_gather && !b->lifted && !inside)
		return same_opnd(b->arg[1], g->places) && of_group(g, b->arg[0], true);
	if (b->op == FLAN_gather && !b->lifted)
		return takes_group(g, b);
	if (!flan_elementwise(b))
		return inside && is_group(g, v);
	for (int i = 0; i < b->narg; i++)
		if (!of_group(g, b->arg[i], inside))
			return false;
	return true;
}

/* v as it would be of what was not grouped. */
static Opnd
as_it_was(const Grouped *g, Opnd v)
{
	const Bind *b = made_by(g->f, v);
	Opnd arg[3];

	if (!is_vector(v))
		return v;
	if (b->op == FLAN_group)
		return b->arg[2];
	if (b->op == FLAN_gather)
		return g->some && same_opnd(b->arg[1], g->places) ? as_it_was(g, b->arg[0]) : b->arg[0];
	for (int i = 0; i < b->narg; i++)
		arg[i] = as_it_was(g, b->arg[i]);
	return scalar_op(g->f, b->op, b->dst[0]->ty->a, b->narg, arg);
}

bool
fold_in_table(Flattener *f, int op, const Ty *ty, Opnd s, Opnd v, Opnd *out)
{
	Grouped g = {.f = f, .rows = s};
	const bool truth = op == FLAN_any || op == FLAN_all, least = op == FLAN_min_val;
	Opnd x;

	if (!(truth || op == FLAN_sum || op == FLAN_max_val || least) || (!truth && op != FLAN_sum && ty->a->kind != TY_INT))
		return false;
	if (!of_group(&g, v, true) || !g.found) {
		g = (Grouped){.f = f};
		if (!takes_rows(&g, s, v) || !of_group(&g, v, false) || !g.found)
			return false;
	}
	x = as_it_was(&g, v);
	if (op == FLAN_all)
		x = SCALAR_OP(f, FLAN_not, &ty_bool, x);
	if (truth)
		x = SCALAR_OP(f, FLAN_btoi, &ty_int, x);
	if (least)
		x = SCALAR_OP(f, FLAN_not, &ty_int, x);
	if (ty->a->kind == TY_FLOAT)
		x = EMIT(f, FLAN_group_sum, false, ty, g.rows, g.index, x);
	else
		x = EMIT(f, op == FLAN_sum ? FLAN_put_sum : FLAN_put_max, false, &ty_ints, x, g.index,
			EMIT(f, FLAN_rows, false, &ty_int, g.rows));
	if (truth)
		x = SCALAR_OP(f, op == FLAN_any ? FLAN_gt : FLAN_le, &ty_bool, x, opnd_int(0));
	if (least)
		x = SCALAR_OP(f, FLAN_not, &ty_int, x);
	*out = g.some ? EMIT(f, FLAN_gather, false, ty, x, g.taken) : x;
	return true;
}

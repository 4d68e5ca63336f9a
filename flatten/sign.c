/* sign.c: numbers that are known not to be below zero, whatever the program is given.
 *
 * A vector counts as the scalar of each of its elements.  Of floats NaN is not below zero either.  What a descriptor was
 * made of are lengths, and variables may be known to be (common/ir.h). */
#include "flatten/flattener.h"

enum { DEEPEST = 8 };   /* how far it looks back */

/* Which operands must not be below zero, so that what the operator gives is not. */
static const struct {
	int op;
	int lifted;             /* -1: either */
	unsigned operands;      /* bit i: operand i */
} row[] = {
	{FLAN_length, 0, 0}, {FLAN_rows, 0, 0}, {FLAN_total, 0, 0}, {FLAN_area, 0, 0}, {FLAN_lengths, 0, 0}, {FLAN_starts, 0, 0},
	{FLAN_row_start, -1, 0}, {FLAN_row_length, -1, 0}, {FLAN_iota, -1, 0}, {FLAN_rowid, 0, 0}, {FLAN_pack, -1, 0}, {FLAN_split, 0, 0},
	{FLAN_rank, -1, 0}, {FLAN_rank_down, -1, 0}, {FLAN_btoi, -1, 0}, {FLAN_range_length, -1, 0}, {FLAN_sqrt, -1, 0}, {FLAN_exp, -1, 0},
	{FLAN_float, -1, 1}, {FLAN_div, -1, 3}, {FLAN_rem, -1, 1}, {FLAN_min, -1, 3}, {FLAN_select, -1, 6}, {FLAN_rshift, -1, 1},
	{FLAN_dist, 0, 1}, {FLAN_dist, 1, 2}, {FLAN_gather, 0, 1}, {FLAN_elem, 0, 1}, {FLAN_permute, 0, 1}, {FLAN_sort, 0, 1}, {FLAN_sort, 1, 2},
	{FLAN_combine, 0, 6},
};

static bool known(Flattener *f, Opnd o, int deep);

static bool
all_known(Flattener *f, const Bind *b, unsigned operands, int deep)
{
	for (int i = 0; i < b->narg; i++)
		if ((operands & 1u << i) && !known(f, b->arg[i], deep))
			return false;
	return true;
}

/* Ints wrap: of sums and products only those of floats are known.  The larger of a NaN and x is x. */
static bool
by_arithmetic(Flattener *f, const Bind *b, bool floats, int deep)
{
	switch (b->op) {
	case FLAN_mul:
		return floats && (same_opnd(b->arg[0], b->arg[1]) || all_known(f, b, 3, deep));
	case FLAN_add:
		return floats && all_known(f, b, 3, deep);
	case FLAN_max:
		return floats ? all_known(f, b, 3, deep) : known(f, b->arg[0], deep) || known(f, b->arg[1], deep);
	default:
		return false;
	}
}

static bool
known(Flattener *f, Opnd o, int deep)
{
	const Bind *b = made_by(f, o);
	const Ty *t;

	if (o.kind != OPND_VAR)
		return o.kind == OPND_FLOAT ? !(o.u.f < 0.0) : o.u.i >= 0;
	if (o.u.var->natural || is_made(f, FLAN_segdes, &ty_segdes, o))
		return true;
	if (!b || deep == 0)
		return false;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		if ((row[i].lifted < 0 || row[i].lifted == b->lifted) && row[i].op == b->op)
			return all_known(f, b, row[i].operands, deep - 1);
	t = o.u.var->ty;
	return by_arithmetic(f, b, (t->kind == TY_VEC ? t->a : t)->kind == TY_FLOAT, deep - 1);
}

bool
never_negative(Flattener *f, Opnd o)
{
	return known(f, o, DEEPEST);
}

/* sign.c: numbers that are known not to be below zero, or not to be zero, whatever the program is given.
 *
 * A vector counts as the scalar of each of its elements.  Of floats NaN is not below zero either, and above it where that
 * is asked.  What a descriptor was made of are lengths, and variables may be known to be (common/ir.h). */
#include "flatten/flattener.h"

enum { DEEPEST = 8 };   /* how far it looks back */

typedef bool Sign(Flattener *f, Opnd o, int deep);

/* Which operands must be what is asked, so that what the operator gives is. */
typedef struct Row {
	int op;
	int lifted;             /* -1: either */
	unsigned operands;      /* bit i: operand i */
} Row;

/* Whatever is asked: what they give was there. */
static const Row handed_on[] = {
	{FLAN_select, -1, 6}, {FLAN_dist, 0, 1}, {FLAN_dist, 1, 2}, {FLAN_gather, 0, 1}, {FLAN_elem, 0, 1}, {FLAN_permute, 0, 1},
	{FLAN_sort, 0, 1}, {FLAN_sort, 1, 2}, {FLAN_combine, 0, 6}, {-1, 0, 0},
};

static const Row not_negative[] = {
	{FLAN_length, 0, 0}, {FLAN_rows, 0, 0}, {FLAN_total, 0, 0}, {FLAN_area, 0, 0}, {FLAN_lengths, 0, 0}, {FLAN_starts, 0, 0},
	{FLAN_row_start, -1, 0}, {FLAN_row_length, -1, 0}, {FLAN_iota, -1, 0}, {FLAN_rowid, 0, 0}, {FLAN_pack, -1, 0}, {FLAN_split, 0, 0},
	{FLAN_rank, -1, 0}, {FLAN_rank_down, -1, 0}, {FLAN_btoi, -1, 0}, {FLAN_range_length, -1, 0}, {FLAN_sqrt, -1, 0}, {FLAN_exp, -1, 0},
	{FLAN_float, -1, 1}, {FLAN_div, -1, 3}, {FLAN_rem, -1, 1}, {FLAN_min, -1, 3}, {FLAN_rshift, -1, 1}, {-1, 0, 0},
};

/* What is above zero may come to zero by a product, and exp. */
static const Row above_zero[] = {
	{FLAN_float, -1, 1}, {FLAN_sqrt, -1, 1}, {FLAN_min, -1, 3}, {-1, 0, 0},
};

static bool
is_float(Opnd o)
{
	const Ty *t = opnd_ty(o);

	return (t->kind == TY_VEC ? t->a : t)->kind == TY_FLOAT;
}

static bool
all_known(Flattener *f, Sign *sign, const Bind *b, unsigned operands, int deep)
{
	for (int i = 0; i < b->narg; i++)
		if ((operands & 1u << i) && !sign(f, b->arg[i], deep))
			return false;
	return true;
}

static bool
any_known(Flattener *f, Sign *sign, const Bind *b, int deep)
{
	return sign(f, b->arg[0], deep) || sign(f, b->arg[1], deep);
}

/* By a row for the operator. */
static bool
by_row(Flattener *f, Sign *sign, const Row *row, const Bind *b, int deep)
{
	for (; row->op >= 0; row++)
		if (row->op == b->op && (row->lifted < 0 || row->lifted == b->lifted))
			return all_known(f, sign, b, row->operands, deep);
	return false;
}

/* Ints wrap: of sums and products only those of floats are known.  The larger of a NaN and x is x. */
static bool
natural(Flattener *f, Opnd o, int deep)
{
	const Bind *b = made_by(f, o);
	const bool floats = is_float(o);

	if (o.kind != OPND_VAR)
		return floats ? !(o.u.f < 0.0) : o.u.i >= 0;
	if (o.u.var->natural || is_made(f, FLAN_segdes, &ty_segdes, o))
		return true;
	if (!b || deep == 0)
		return false;
	deep--;
	switch (b->op) {
	case FLAN_mul:
		return floats && (same_opnd(b->arg[0], b->arg[1]) || all_known(f, natural, b, 3, deep));
	case FLAN_add:
		return floats && all_known(f, natural, b, 3, deep);
	case FLAN_max:
		return floats ? all_known(f, natural, b, 3, deep) : any_known(f, natural, b, deep);
	case FLAN_abs:
		return floats;
	}
	return by_row(f, natural, not_negative, b, deep) || by_row(f, natural, handed_on, b, deep);
}

static bool
positive(Flattener *f, Opnd o, int deep)
{
	const Bind *b = made_by(f, o);
	const bool floats = is_float(o);

	if (o.kind != OPND_VAR)
		return floats ? !(o.u.f <= 0.0) : o.u.i > 0;
	if (!b || deep == 0)
		return false;
	deep--;
	switch (b->op) {
	case FLAN_add:
		return floats && all_known(f, natural, b, 3, deep) && any_known(f, positive, b, deep);
	case FLAN_max:
		return floats ? all_known(f, positive, b, 3, deep) : any_known(f, positive, b, deep);
	}
	return by_row(f, positive, above_zero, b, deep) || by_row(f, positive, handed_on, b, deep);
}

/* A sum with a constant above zero may wrap, to what is far below -1. */
static bool
divisor(Flattener *f, Opnd o, int deep)
{
	const Bind *b = made_by(f, o);

	if (o.kind != OPND_VAR)
		return is_float(o) ? o.u.f != 0.0 : o.u.i != 0 && o.u.i != -1;
	if (!b || deep == 0)
		return false;
	deep--;
	if (b->op == FLAN_add && !is_float(o))
		return (b->arg[1].kind == OPND_INT && b->arg[1].u.i > 0 && natural(f, b->arg[0], deep))
			|| (b->arg[0].kind == OPND_INT && b->arg[0].u.i > 0 && natural(f, b->arg[1], deep));
	if (b->op == FLAN_float)
		return divisor(f, b->arg[0], deep);
	return positive(f, o, deep) || by_row(f, divisor, handed_on, b, deep);
}

bool
never_negative(Flattener *f, Opnd o)
{
	return natural(f, o, DEEPEST);
}

bool
always_divides(Flattener *f, Opnd o)
{
	return divisor(f, o, DEEPEST);
}

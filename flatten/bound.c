/* bound.c: lengths whose sum an int counts, whatever the program is given.
 *
 * An array that is held in memory has fewer than 2^48 elements, and so has what is taken from arrays.  Only dist(x, n) and [a:b] have
 * lengths that are numbers of the program's, and may never be made: their levels are marked (number_counts), and what is known of
 * such a number comes from how it was computed.  A vector counts as the scalar of each of its elements. */
#include "flatten/flattener.h"

enum { DEEPEST = 8, ADDRESS_BITS = 48 };

typedef enum { HELD, ALL_OF, LEAST_OF, SUM_OF } Bound;

/* The operands that bound what the operator gives; of HELD there are none.  Of scalar operators that are not listed all of them do, as
 * for what is less than its greatest operand, or computed from lengths. */
static const struct Row {
	int op;
	int lifted;             /* -1: either */
	unsigned operands;      /* bit i: operand i; the last of these bits: all behind it too */
	Bound bound;
} rows[] = {
	{FLAN_length, 0, 0, HELD}, {FLAN_rows, 0, 0, HELD}, {FLAN_total, 0, 0, HELD}, {FLAN_lengths, 0, 0, HELD}, {FLAN_row_length, -1, 0, HELD},
	{FLAN_select, -1, 6, ALL_OF}, {FLAN_combine, 0, 6, ALL_OF}, {FLAN_dist, 0, 1, ALL_OF}, {FLAN_dist, 1, 2, ALL_OF},
	{FLAN_gather, 0, 1, ALL_OF}, {FLAN_elem, 0, 1, ALL_OF}, {FLAN_min, -1, 3, LEAST_OF}, {FLAN_add, -1, 3, SUM_OF},
	{FLAN_vector, 0, ~0u, ALL_OF}, {FLAN_append, 0, ~0u, ALL_OF},
};

/* NULL: nothing is known of it but that it is, or what it is taken from. */
static const struct Row *
bound_of(const Bind *b)
{
	static const struct Row scalar = {FLAN_NOP, -1, ~0u, ALL_OF};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].op == b->op && (rows[i].lifted < 0 || rows[i].lifted == b->lifted))
			return &rows[i];
	return flan_ir.op[b->op].cls == OP_SCALAR ? &scalar : NULL;
}

void
number_counts(Flattener *f, Opnd n)
{
	while (n.kind == OPND_VAR && f->numbers.n <= n.u.var->id)
		LIST_ADD(f->arena, &f->numbers, false);
	if (n.kind == OPND_VAR)
		f->numbers.at[n.u.var->id] = true;
}

static bool
is_number(const Flattener *f, Opnd o)
{
	return o.u.var->id < f->numbers.n && f->numbers.at[o.u.var->id];
}

static int
int_bits(const Flattener *f)
{
	return f->out->int_bits - 1;
}

static int
constant_bits(const Flattener *f, int64_t i)
{
	int n = 0;

	for (; i > 0; i >>= 1)
		n++;
	return i < 0 ? int_bits(f) : n;
}

/* It is below 2 to this; number: it is one of the program's, or was computed from it. */
static int
bits(Flattener *f, Opnd o, bool number, int deep)
{
	const Bind *b = made_by(f, o);
	const struct Row *row = b ? bound_of(b) : NULL;
	const int any = int_bits(f), held = any < ADDRESS_BITS ? any : ADDRESS_BITS;
	int most = 0, least = any;

	if (o.kind != OPND_VAR)
		return opnd_ty(o)->kind == TY_INT ? constant_bits(f, o.u.i) : 0;
	number |= is_number(f, o);
	if (!row)
		return number ? any : held;
	if (row->bound == HELD || deep == 0)
		return row->bound == HELD ? held : any;
	for (int k = 0; k < b->narg; k++)
		if (row->operands >> (k < 31 ? k : 31) & 1) {
			const int n = bits(f, b->arg[k], number, deep - 1);

			most = n > most ? n : most;
			least = n < least ? n : least;
		}
	most = row->bound == LEAST_OF ? least : row->bound == SUM_OF ? most + 1 : most;
	return most < any ? most : any;
}

bool
counted_together(Flattener *f, Opnd a, Opnd b)
{
	return bits(f, a, false, DEEPEST) < int_bits(f) && bits(f, b, false, DEEPEST) < int_bits(f);
}

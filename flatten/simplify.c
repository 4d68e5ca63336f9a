/* simplify.c: the algebra of descriptors, lengths and constant vectors, applied as operators are emitted.
 *
 *     lengths(segdes l) = l                 rows(segdes l) = length l      total(uniform n, k) = area n, k
 *     lengths(uniform n, k) = dist(k, n)    segdes(dist(k, n)) = uniform n, k
 *     length(iota n) = n                    length(dist x, n) = n          length(gather x, i) = length i
 *     x +^ dist(c, n) = x +^ c              dist(a, n) +^ dist(b, n) = dist(a + b, n)
 *     dist^(s, dist(x, n)) = dist(x, total s)                              gather(dist(x, n), i) = dist(x, length i)
 *
 * The last holds because what is gathered outside its range is never looked at: a check stands before it.
 * Views of the host's sequences start at dist(0, n); these laws make them cost nothing. */
#include "flatten/flattener.h"

static bool
is_op(const Bind *b, int op, bool lifted)
{
	return b && b->op == op && b->lifted == lifted;
}

static Opnd
length_of(Flattener *f, Opnd v)
{
	return EMIT(f, FLAN_length, false, &ty_int, v);
}

static Opnd
first_vector(const Bind *b)
{
	int i = 0;

	while (!is_vector(b->arg[i]))
		i++;
	return b->arg[i];
}

/* The length of what b makes, if that is known without it. */
static bool
simplify_length(Flattener *f, const Bind *b, Opnd *out)
{
	if (flan_ir.op[b->op].cls == OP_SCALAR) {
		*out = length_of(f, first_vector(b));
		return true;
	}
	if (is_op(b, FLAN_iota, false))
		*out = b->arg[0];
	else if (is_op(b, FLAN_dist, false))
		*out = b->arg[1];
	else if (is_op(b, FLAN_iota, true) || is_op(b, FLAN_dist, true) || is_op(b, FLAN_rowid, false))
		*out = EMIT(f, FLAN_total, false, &ty_int, b->arg[0]);
	else if (is_op(b, FLAN_gather, false) || is_op(b, FLAN_row_start, true) || is_op(b, FLAN_row_length, true))
		*out = length_of(f, b->arg[1]);
	else if (is_op(b, FLAN_lengths, false) || is_op(b, FLAN_starts, false))
		*out = EMIT(f, FLAN_rows, false, &ty_int, b->arg[0]);
	else if (is_op(b, FLAN_vector, false))
		*out = opnd_int(b->narg);
	else
		return false;
	return true;
}

static bool
simplify_rows(Flattener *f, const Bind *b, Opnd *out)
{
	if (is_op(b, FLAN_segdes, false))
		*out = length_of(f, b->arg[0]);
	else if (is_op(b, FLAN_uniform, false))
		*out = b->arg[0];
	else if (is_op(b, FLAN_pack, true) || is_op(b, FLAN_compose, false))
		*out = EMIT(f, FLAN_rows, false, &ty_int, b->arg[0]);
	else
		return false;
	return true;
}

/* Elements that are all one host value: that value. */
static bool
constant(const Flattener *f, Opnd v, Opnd *x, Opnd *n)
{
	const Bind *b = made_by(f, v);

	if (!is_op(b, FLAN_dist, false))
		return false;
	*x = b->arg[0];
	*n = b->arg[1];
	return true;
}

Opnd
constant_of(const Flattener *f, Opnd o)
{
	Opnd x, n;

	return constant(f, o, &x, &n) ? x : o;
}

/* Constant operands become scalars; if all are, the operator runs once, on the host. */
static bool
simplify_lifted(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg, Opnd *out)
{
	Opnd x[3], n = opnd_int(0);
	bool changed = false, vectors = false;

	for (int i = 0; i < narg; i++) {
		x[i] = arg[i];
		changed |= constant(f, arg[i], &x[i], &n);
		vectors |= is_vector(x[i]);
	}
	if (!changed)
		return false;
	if (vectors)
		*out = scalar_op(f, op, ty->a, narg, x);
	else
		*out = EMIT(f, FLAN_dist, false, ty, scalar_op(f, op, ty->a, narg, x), n);
	return true;
}

bool
simplify(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg, Opnd *out)
{
	const Bind *b = narg > 0 ? made_by(f, arg[0]) : NULL;
	Opnd x, n;

	if (lifted && flan_ir.op[op].cls == OP_SCALAR)
		return simplify_lifted(f, op, ty, narg, arg, out);
	if (op == FLAN_dist && lifted && constant(f, arg[1], &x, &n)) {
		*out = EMIT(f, FLAN_dist, false, ty, x, EMIT(f, FLAN_total, false, &ty_int, arg[0]));
		return true;
	}
	if (!b)
		return false;
	if (op == FLAN_length)
		return simplify_length(f, b, out);
	if (op == FLAN_rows)
		return simplify_rows(f, b, out);
	if (op == FLAN_total && is_op(b, FLAN_uniform, false)) {
		*out = EMIT(f, FLAN_area, false, &ty_int, b->arg[0], b->arg[1]);
	} else if (op == FLAN_lengths && is_op(b, FLAN_uniform, false)) {
		*out = EMIT(f, FLAN_dist, false, ty, b->arg[1], b->arg[0]);
	} else if (op == FLAN_segdes && constant(f, arg[0], &x, &n)) {
		*out = EMIT(f, FLAN_uniform, false, ty, n, x);
	} else if (op == FLAN_lengths && is_op(b, FLAN_segdes, false)) {
		*out = b->arg[0];
	} else if (op == FLAN_row_length && lifted && is_op(b, FLAN_segdes, false)) {
		*out = EMIT(f, FLAN_gather, false, ty, b->arg[0], arg[1]);
	} else if (op == FLAN_gather && constant(f, arg[0], &x, &n)) {
		*out = EMIT(f, FLAN_dist, false, ty, x, length_of(f, arg[1]));
	} else {
		return false;
	}
	return true;
}

/* simplify.c: what an operator gives, if that is there already or cheaper to make: constants folded, the laws of
 * rules.c, and what holds of classes of operators and of lists of operands, which those laws have no words for.
 *
 *     op^ of vectors of one value = a vector of one value; of some such vectors, those values
 *     length (x op^ y) = length x        length (scan x) = length x        length (gather x i) = length i
 *     length of a leaf = length of the first leaf of the same sequence
 *     length (reduce^ s x) = rows s
 *     reduce of nothing = its identity   append of nothing and x = x       elem (vector x y ..) k = the k-th
 *     append (vector x ..) (vector y ..) = vector x .. y ..
 *     max i LEAST = i   min i GREATEST = i
 *     gather (op^ x k) i = op^ (gather x i) k, if op is cheap, and x an index, or i an iota or the places of a piece of rows
 *     gather (select^ (x eq^ k) y z) i = gather y i, if gather x i is k at all of i; gather z i, if it is another number
 *     gather (gather x i) j = gather x (gather i j), if what i has at j is arithmetic
 *     reduce x = reduce (reduce^ t x)      reduce^ (compose s t) x = reduce^ s (reduce^ t x), if x is made of what rows of t have for
 *     their elements, or counted in these, and nothing else wants it: rows are folded where they are made, no element is stored */
#include <math.h>
#include <string.h>
#include "flatten/flattener.h"
#include "flatten/rules.h"
#include "frontend/scalar.h"

bool
used_once(const Flattener *f, Opnd o)
{
	return o.u.var->id < f->uses.n && f->uses.at[o.u.var->id] == 1;
}

bool
elements_anywhere(const Flattener *f, Opnd v)
{
	const int id = v.u.var->id;

	return id < f->uses.n && f->uses.at[id] > 0 && !f->ordered.at[id];
}

bool
commutes(int op)
{
	return op == FLAN_add || op == FLAN_mul || op == FLAN_and || op == FLAN_or || op == FLAN_xor || op == FLAN_eq
	       || op == FLAN_ne;
}

Opnd
length_of(Flattener *f, Opnd v)
{
	return EMIT(f, FLAN_length, false, &ty_int, v);
}

Opnd
first_vector(int narg, const Opnd *arg)
{
	int i = 0;

	while (i < narg - 1 && !is_vector(arg[i]))
		i++;
	return arg[i];
}

/* -- constants -------------------------------------------------------------------------------------- */

/* Not NaN, whose bits a text does not tell, nor what a mathematical library may round otherwise. */
static bool
fold(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg, Opnd *out)
{
	const OpInfo *row = &flan_ir.op[op];
	Scalar x[3];

	for (int i = 0; i < 3; i++) {
		const Opnd o = arg[i < narg ? i : 0];

		if (o.kind == OPND_VAR)
			return false;
		x[i] = o.kind == OPND_FLOAT ? (Scalar){.f = o.u.f} : (Scalar){.i = o.u.i};
	}
	if (row->sig[0][0] == 'f' && row->sig[0][2] == 'f')
		return false;
	x[0] = scalar_fn(f->out->int_bits, row->name, opnd_ty(arg[0]))(x[0], x[1], x[2]);
	*out = scalar_opnd(ty, x[0]);
	return ty->kind != TY_FLOAT || !isnan(x[0].f);
}

/* The larger of i and the least int is i, and the smaller of i and the greatest: which these are depends on the program's width of int.
 * Of floats that does not hold of NaN. */
static bool
no_bound(Flattener *f, int op, const Ty *ty, const Opnd *arg, Opnd *out)
{
	const char *reduce = op == FLAN_max ? "max_val" : op == FLAN_min ? "min_val" : NULL;
	Opnd none;

	if (!reduce || (ty->kind == TY_VEC ? ty->a : ty)->kind != TY_INT)
		return false;
	none = opnd_int(scalar_identity(f->out->int_bits, reduce, &ty_int).i);
	for (int i = 0; i < 2; i++)
		if (same_opnd(arg[i], none)) {
			*out = arg[1 - i];
			return true;
		}
	return false;
}

/* n rows of k, both constants, if there can be so many elements. */
static bool
fold_area(Flattener *f, const Opnd *arg, Opnd *out)
{
	int64_t most = int_greatest(f->out->int_bits), n = arg[0].u.i, k = arg[1].u.i;

	if (arg[0].kind != OPND_INT || arg[1].kind != OPND_INT || n < 0 || k < 0 || (k > 0 && n > most / k))
		return false;
	*out = opnd_int(n * k);
	return true;
}

/* -- vectors of one value ---------------------------------------------------------------------------- */

static bool
constant(const Flattener *f, Opnd v, Opnd *x, Opnd *n)
{
	const Bind *b = made_by(f, v);

	if (!b || b->op != FLAN_dist || b->lifted)
		return false;
	*x = b->arg[0];
	*n = b->arg[1];
	return true;
}

Opnd
constant_of(const Flattener *f, Opnd o)
{
	Opnd x, n;

	return !f->plain && constant(f, o, &x, &n) ? x : o;
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
	*out = scalar_op(f, op, ty->a, narg, x);
	if (!is_vector(*out))
		*out = EMIT(f, FLAN_dist, false, ty, *out, vectors ? length_of(f, first_vector(narg, x)) : n);
	return true;
}

/* -- classes and lists ------------------------------------------------------------------------------- */

/* Which operand the result of b is as long as; -1: none that its class tells. */
static int
like_operand(const Bind *b)
{
	int i = 0;

	if (b->op == FLAN_gather)
		return 1;
	if (flan_ir.op[b->op].cls == OP_SCAN)
		return b->lifted;
	while (i < b->narg && !is_vector(b->arg[i]))
		i++;
	return flan_ir.op[b->op].cls == OP_SCALAR && i < b->narg ? i : -1;
}

/* Is vector *k of a value of this type among its leaves, which are counted from *n on?  Then *k becomes the first vector of the elements
 * of the same sequence; *first: that of the sequence at hand, -1: none yet.  nested: it is one of elements, and has a descriptor. */
static bool
first_of_sequence(const Ty *ty, bool nested, int *n, int *first, int *k)
{
	int of_own = -1;

	if (ty->kind == TY_PAIR)
		return first_of_sequence(ty->a, nested, n, first, k) || first_of_sequence(ty->b, nested, n, first, k);
	if (ty->kind == TY_SEQ) {
		*n += nested;
		return first_of_sequence(ty->a, true, n, &of_own, k);
	}
	if (*first < 0)
		*first = *n;
	if ((*n)++ != *k)
		return false;
	*k = *first;
	return true;
}

/* Vectors of one sequence of a cell are as long as the first of them. */
static Opnd
as_long_in_cell(Flattener *f, const Bind *b, Opnd v)
{
	int n = 0, first = -1, k = 0;

	while (b->dst[k] != v.u.var)
		k++;
	first_of_sequence(cell_find(f->out, b->name)->ty, false, &n, &first, &k);
	return opnd_var(b->dst[k]);
}

/* What v is as long as, however many operators away: found once, or a chain of them would be gone through from each of
 * its links. */
static Opnd
as_long_as(Flattener *f, Opnd v)
{
	const Bind *b = made_by(f, v);
	const int like = b ? like_operand(b) : -1;
	Opnd is;

	if (b && b->op == FLAN_cell)
		return as_long_in_cell(f, b, v);
	if (like < 0)
		return v;
	while (f->as_long.n <= v.u.var->id)
		LIST_ADD(f->arena, &f->as_long, NULL);
	if (!f->as_long.at[v.u.var->id]) {
		is = as_long_as(f, b->arg[like]);
		f->as_long.at[v.u.var->id] = is.u.var;
	}
	return opnd_var(f->as_long.at[v.u.var->id]);
}

/* The length of v, which b makes, where its class tells. */
static bool
length_by_class(Flattener *f, const Bind *b, Opnd v, Opnd *out)
{
	const Opnd like = as_long_as(f, v);

	if (!same_opnd(like, v)) {
		*out = length_of(f, like);
		return true;
	}
	switch (flan_ir.op[b->op].cls) {
	case OP_REDUCE:
		*out = EMIT(f, FLAN_rows, false, &ty_int, b->arg[0]);
		return true;
	case OP_VECTOR:
		if (b->op != FLAN_vector && b->op != FLAN_chars)
			return false;
		*out = opnd_int(b->op == FLAN_vector ? b->narg : b->textlen);
		return true;
	case OP_SCALAR: case OP_SCAN: case OP_SEQUENCE: case OP_STATE: case OP_EFFECT: case OP_SOURCE: case OP_SINK:
	case OP_LIBRARY: case OP_HOST: case OP_CONTROL:
		break;
	}
	return false;
}

bool
lists_nothing(const Flattener *f, Opnd v)
{
	const Bind *b = made_by(f, v);

	return b && b->op == FLAN_vector && b->narg == 0;
}

/* A list of scalars that nothing else uses. */
static const Bind *
list_of(const Flattener *f, Opnd v)
{
	const Bind *b = made_by(f, v);

	return b && b->op == FLAN_vector && b->narg > 0 && used_once(f, v) ? b : NULL;
}

/* n operands that are lists, as one. */
static Opnd
one_list(Flattener *f, const Ty *ty, int n, const Opnd *arg)
{
	LIST(Opnd) x = {0};

	for (int i = 0; i < n; i++)
		for (int k = 0; k < list_of(f, arg[i])->narg; k++)
			LIST_ADD(f->arena, &x, list_of(f, arg[i])->arg[k]);
	return emit(f, FLAN_vector, false, ty, x.n, x.at);
}

static bool
append_fewer(Flattener *f, const Ty *ty, int narg, const Opnd *arg, Opnd *out)
{
	Opnd *x = NEW(f->arena, Opnd, narg);
	int n = 0;

	for (int i = 0, lists; i < narg; i += lists > 1 ? lists : 1) {
		for (lists = 0; i + lists < narg && list_of(f, arg[i + lists]); lists++)
			;
		if (lists > 1)
			x[n++] = one_list(f, ty, lists, arg + i);
		else if (!lists_nothing(f, arg[i]))
			x[n++] = arg[i];
	}
	if (n == narg && n != 1)
		return false;
	*out = n == 0 ? arg[0] : n == 1 ? x[0] : emit(f, FLAN_append, false, ty, n, x);
	return true;
}

/* -- gathers of maps --------------------------------------------------------------------------------- */

/* What takes no longer than an access to memory: no function such as sqrt, no division but by a number that the program says, which
 * is a product (Granlund and Montgomery, Division by Invariant Integers using Multiplication, PLDI 1994). */
static bool
cheap(const Bind *b)
{
	const OpInfo *row = &flan_ir.op[b->op];

	if (b->op == FLAN_div || b->op == FLAN_rem)
		return b->arg[1].kind == OPND_INT && b->arg[1].u.i != 0;
	return row->cls == OP_SCALAR && !row->guard && strcmp(row->sig[0], "f:f") != 0;
}

/* Is v arithmetic on indices alone, of few operators? */
static bool
arithmetic(const Flattener *f, Opnd v, int most)
{
	const Bind *b = made_by(f, v);

	if (!b || most < 0 || (b->lifted ? !cheap(b) : b->op != FLAN_iota))
		return false;
	for (int i = 0; i < b->narg && b->lifted; i++)
		if (is_vector(b->arg[i]) && !arithmetic(f, b->arg[i], most - 1))
			return false;
	return true;
}

/* The one vector of b's operands, if an element of it has no more bytes than one of b's; else none. */
static bool
one_vector(const Flattener *f, const Bind *b, const Ty *ty)
{
	const Opnd x = first_vector(b->narg, b->arg);

	for (int i = 0; i < b->narg; i++)
		if (is_vector(b->arg[i]) && !same_opnd(b->arg[i], x))
			return false;
	return ty_bytes(opnd_ty(x), f->out->int_bits) <= ty_bytes(ty, f->out->int_bits);
}

/* Places of elements of one of the pieces that rows are put together from, -1 for those of others (pieces.c)?  Mostly each is
 * there once. */
static bool
of_piece(const Flattener *f, Opnd index)
{
	const Bind *b = made_by(f, index);

	return b && b->lifted && b->op == FLAN_select && (same_opnd(b->arg[1], opnd_int(-1)) || same_opnd(b->arg[2], opnd_int(-1)));
}

/* The first k, each once? */
static bool
in_order(const Flattener *f, Opnd index)
{
	const Bind *b = made_by(f, index);

	return b && !b->lifted && b->op == FLAN_iota;
}

/* Those from d on? */
static bool
is_moved(const Flattener *f, Opnd index)
{
	const Bind *b = made_by(f, index);

	return b && b->lifted && (b->op == FLAN_add || b->op == FLAN_sub) && in_order(f, b->arg[0]) && !is_vector(b->arg[1]);
}

/* Elements of what one operator makes of vectors are made of elements of these: nothing is stored only to be gathered.  Where
 * elements may be gathered many times each that is for indices alone, and for what is read of a descriptor all the same. */
static bool
gather_within(Flattener *f, const Ty *ty, Opnd v, Opnd index, Opnd *out)
{
	enum { MOST = 4 };
	const Bind *b = made_by(f, v);
	const bool of_row = b && b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length);
	Opnd x[3];

	if (!b || !b->lifted)
		return false;
	if (of_row ? !arithmetic(f, b->arg[1], MOST)
			: !(cheap(b) && (arithmetic(f, v, MOST)
				|| (one_vector(f, b, ty) && (in_order(f, index) || ((of_piece(f, index) || is_moved(f, index)) && used_once(f, v)))))))
		return false;
	for (int i = 0; i < b->narg; i++)
		x[i] = is_vector(b->arg[i]) ? EMIT(f, FLAN_gather, false, opnd_ty(b->arg[i]), b->arg[i], index) : b->arg[i];
	*out = of_row ? emit(f, b->op, true, ty, b->narg, x) : scalar_op(f, b->op, ty->a, b->narg, x);
	return true;
}

enum { OF_PLACES = 2 };         /* operators in k * place + d */

/* What interleaves lists, as a literal of k elements in each row does, chooses by the place: where those at places of one list
 * alone are wanted, that list. */
static bool
gather_chosen(Flattener *f, const Ty *ty, const Bind *b, Opnd index, Opnd *out)
{
	const Bind *p = b->op == FLAN_select && b->lifted ? made_by(f, b->arg[0]) : NULL;
	Opnd i, n, x;

	if (!p || p->op != FLAN_eq || !is_vector(p->arg[0]) || p->arg[1].kind != OPND_INT)
		return false;
	if (!constant(f, EMIT(f, FLAN_gather, false, &ty_ints, p->arg[0], index), &i, &n) || i.kind != OPND_INT)
		return false;
	x = b->arg[i.u.i == p->arg[1].u.i ? 1 : 2];
	*out = is_vector(x) ? EMIT(f, FLAN_gather, false, ty, x, index) : EMIT(f, FLAN_dist, false, ty, x, n);
	return true;
}

/* What was taken at places, from a vector or of a descriptor's rows, is taken at those of the places that are wanted. */
static bool
gather_again(Flattener *f, const Ty *ty, const Bind *b, Opnd index, Opnd *out)
{
	Opnd i;

	if (b->op != FLAN_gather && !(b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length)))
		return false;
	i = EMIT(f, FLAN_gather, false, &ty_ints, b->arg[1], index);
	if (!arithmetic(f, i, OF_PLACES))
		return false;
	*out = emit(f, b->op, b->lifted, ty, 2, (Opnd[]){b->arg[0], i});
	return true;
}

static bool
simplify_gather(Flattener *f, const Ty *ty, Opnd v, Opnd index, Opnd *out)
{
	const Bind *b = made_by(f, v);

	if (b && b->op == FLAN_vector && b->narg == 1) {        /* the only element there is */
		*out = EMIT(f, FLAN_dist, false, ty, b->arg[0], length_of(f, index));
		return true;
	}
	if (b && arithmetic(f, index, OF_PLACES) && (gather_chosen(f, ty, b, index, out) || gather_again(f, ty, b, index, out)))
		return true;
	return gather_within(f, ty, v, index, out);
}

/* -- folds of rows ------------------------------------------------------------------------------------ */
/* Are elements made of what rows have for them, or counted in rows?  rows: of one descriptor; NULL: not found yet.  False: of several. */
static bool
made_for_rows(const Flattener *f, Opnd v, const Opnd **rows, int deepest)
{
	const Bind *b = made_by(f, v);

	if (!b || deepest == 0)
		return true;
	if (b->lifted && (b->op == FLAN_dist || b->op == FLAN_iota)) {
		if (!*rows)
			*rows = &b->arg[0];
		return same_opnd(**rows, b->arg[0]);
	}
	if (b->op == FLAN_gather)
		return made_for_rows(f, b->arg[1], rows, deepest - 1);
	for (int i = 0; i < b->narg && flan_elementwise(b); i++)
		if (is_vector(b->arg[i]) && !made_for_rows(f, b->arg[i], rows, deepest - 1))
			return false;
	return true;
}

/* Are rows of s made of rows of t?  The descriptor of these. */
static bool
made_of_rows(Flattener *f, Opnd s, Opnd t, Opnd *out)
{
	const Bind *whole = made_by(f, s), *part = made_by(f, t), *area;
	Opnd k, m;

	if (whole && whole->op == FLAN_compose && same_opnd(whole->arg[1], t)) {
		*out = whole->arg[0];
		return true;
	}
	if (!whole || !part || whole->op != FLAN_uniform || part->op != FLAN_uniform)
		return false;
	k = whole->arg[1];
	m = part->arg[1];
	area = made_by(f, k);
	if (area && area->op == FLAN_area && same_opnd(area->arg[1], m))
		k = area->arg[0];
	else if (k.kind == OPND_INT && m.kind == OPND_INT && m.u.i > 0 && k.u.i % m.u.i == 0)
		k = opnd_int(k.u.i / m.u.i);
	else
		return false;
	*out = EMIT(f, FLAN_uniform, false, &ty_segdes, whole->arg[0], k);
	return true;
}

/* s: the rows that are folded; NULL: all of it. */
static bool
fold_by_rows(Flattener *f, int op, const Ty *ty, const Opnd *s, Opnd v, Opnd *out)
{
	enum { DEEPEST = 8 };
	const Opnd *rows = NULL;
	Opnd x, outer;

	if (!f->fuses || !used_once(f, v) || !made_for_rows(f, v, &rows, DEEPEST) || !rows)
		return false;
	if (s && (same_opnd(*s, *rows) || !made_of_rows(f, *s, *rows, &outer)))
		return false;
	x = EMIT(f, op, true, s ? ty : ty_vec(ty), *rows, v);
	*out = s ? EMIT(f, op, true, ty, outer, x) : EMIT(f, op, false, ty, x);
	return true;
}

bool
simplify(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg, Opnd *out)
{
	const OpInfo *row = &flan_ir.op[op];
	const Bind *b;

	if (narg == 0)
		return false;
	if (row->cls == OP_SCALAR && (lifted ? simplify_lifted(f, op, ty, narg, arg, out) : fold(f, op, ty, narg, arg, out)))
		return true;
	if (rules_apply(f, op, lifted, ty, narg, arg, out) || no_bound(f, op, ty, arg, out))
		return true;
	b = made_by(f, arg[0]);
	if (row->cls == OP_REDUCE && !lifted && lists_nothing(f, arg[0])) {
		*out = op_finds_place(row) ? opnd_int(int_greatest(f->out->int_bits))
			: scalar_opnd(ty, scalar_identity(f->out->int_bits, row->name, ty));
		return true;
	}
	if (row->cls == OP_REDUCE && lifted && fold_in_table(f, op, ty, arg[0], arg[narg - 1], out))
		return true;
	if (row->cls == OP_REDUCE && !op_finds_place(row))
		return fold_by_rows(f, op, ty, lifted ? &arg[0] : NULL, arg[narg - 1], out);
	if (op == FLAN_length && b)
		return length_by_class(f, b, arg[0], out);
	if (op == FLAN_gather)
		return simplify_gather(f, ty, arg[0], arg[1], out);
	if (op == FLAN_area)
		return fold_area(f, arg, out);
	if (op == FLAN_append)
		return append_fewer(f, ty, narg, arg, out);
	if (op == FLAN_elem && b && b->op == FLAN_vector && arg[1].kind == OPND_INT && arg[1].u.i >= 0
	    && arg[1].u.i < b->narg) {
		*out = b->arg[arg[1].u.i];
		return true;
	}
	return false;
}

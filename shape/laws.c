/* laws.c: what the result of an operator is, beyond arithmetic.
 *
 * In the words of shape/rules.def.  The laws hold for every program that runs, whatever its checks find, as each operator
 * gives something for any operands (flatten/flan.def).
 *
 *     sum(sums(s, x)) = sum(x)                  sum(x ++ y) = sum(x) + sum(y)        sum([i, j]) = i + j
 *     sum(dist s x) = k * sum(x), for rows of k
 *     sum(combine p x y) = sum(x) + sum(y), for as many x and y as p says
 *     sum(x) = sum(x[k * place]) + .. + sum(x[k * place + k - 1]), for k * n elements told by the remainder of their place by k;
 *     and for any k * n elements what is at k * place + k - 1 has the sum of all but the others
 *     not p = 1 - p    ne = 1 - eq              of ints and chars: ge = 1 - lt, gt = 1 - lt - eq, le = lt + eq
 *     x[split p] in places of p, x[split' p] elsewhere = x, where one of the parts has no elements too
 *     (of x[y[split p]] as of x[y]: place.c)
 *     the same, as what is picked by how many of p came before: select p x[scan p] y[place - scan p]
 *     the starts of rows of k = k * place       of places and gathers: shape/place.c
 *     max n 0 = n, min n 0 = 0, for an n never below zero       max_val x = the number that all of x are, if there is one
 */
#include <string.h>
#include "flatten/flan.h"
#include "frontend/scalar.h"
#include "shape/bounds.h"
#include "shape/laws.h"
#include "shape/place.h"

/* -- vectors ------------------------------------------------------------------------------------------ */

const Size *
size_plain(Sizes *z, int op, bool lifted, int result, bool vector, bool natural, TyKind ty, int narg, const Shape *arg)
{
	return size_result(z, &(Atom){.op = op, .lifted = lifted, .vector = vector, .natural = natural, .ty = ty,
		.result = result, .narg = narg, .arg = arg});
}

const Size *
size_none(Sizes *z)
{
	return size_plain(z, FLAN_vector, false, 0, true, true, TY_INT, 0, NULL);
}

bool
size_countable(const Size *w)
{
	const Atom *a = size_atom(w);

	return a && a->natural && a->op != FLAN_max
	       && (a->op == UNKNOWN_ATOM || a->op == FLAN_sum || flan_ir.op[a->op].cls == OP_SCALAR);
}

/* p = scalars * vectors, with the factor in the first. */
static void
parts(Sizes *z, const Product *p, const Size **scalars, const Size **vectors)
{
	*scalars = size_int(z, p->factor);
	*vectors = size_int(z, 1);
	for (int i = 0; i < p->n; i++) {
		const Size **to = p->atom[i]->vector ? vectors : scalars;

		*to = size_mul(z, *to, p->atom[i]->self);
	}
}

/* By how many the remainder of places is asked for in s, so many operators deep; 0: it is not. */
static int64_t
dealt_by(Sizes *z, const Size *s, int deep)
{
	int64_t k = 0;

	for (int i = 0; i < s->n && k == 0; i++)
		for (int j = 0; j < s->product[i].n && k == 0; j++) {
			const Atom *a = s->product[i].atom[j];

			if (a->op == FLAN_rem && a->arg[0].value == size_place(z) && size_constant(a->arg[1].value, &k))
				return k;
			for (int l = 0; l < a->narg && deep > 0 && k == 0; l++)
				if (a->vector && (flan_ir.op[a->op].cls == OP_SCALAR || (a->op == FLAN_gather && l == 1)))
					k = dealt_by(z, a->arg[l].value, deep - 1);
		}
	return k;
}

/* s = k times the result? */
static bool
divides(Sizes *z, int64_t k, const Size *s, const Size **out)
{
	int64_t most;
	const Size *one = size_primitive(z, s, &most);

	*out = size_mul(z, size_int(z, most / k), one);
	return most % k == 0;
}

/* The sum of x[k * place + d], n of each, for the first so many d. */
static const Size *
of_turns(Sizes *z, Shape x, int64_t k, int64_t many, const Size *n)
{
	const Size *r = size_int(z, 0);

	for (int64_t d = 0; d < many; d++) {
		const Size *at = size_add(z, size_mul(z, size_int(z, k), size_place(z)), size_int(z, d));

		r = size_add(z, r, size_sum(z, (Shape){n, place_pick(z, true, (Shape[]){x, {n, at}})}));
	}
	return r;
}

/* Elements that are made in turn. */
static bool
dealt_out(Sizes *z, const Size *w, const Size *length, const Size **out)
{
	enum { DEEP = 3, MOST = 8 };
	const int64_t k = dealt_by(z, w, DEEP);
	const Size *n;

	if (k < 2 || k > MOST || !divides(z, k, length, &n))
		return false;
	*out = of_turns(z, (Shape){length, w}, k, k, n);
	return true;
}

/* Are these, of a sum, more elements together than can be counted?  Then the program says so, and no number is theirs. */
static bool
beyond(const Sizes *z, const Size *x, const Size *y)
{
	int64_t a, b;

	return size_constant(x, &a) && size_constant(y, &b) && a > 0 && b > int_greatest(sizes_int_bits(z)) - a;
}

/* No other size. */
static const Size *
own_sum(Sizes *z, const Size *w, const Size *length)
{
	return size_plain(z, FLAN_sum, false, 0, false, size_countable(w), TY_INT, 1, &(Shape){length, w});
}

/* Of a product of vectors. */
static const Size *
sum_of(Sizes *z, const Size *w, const Size *length)
{
	Atom *a = size_atom(w);
	const Size *r = size_int(z, 0), *x;
	int64_t k;

	if (size_is(w, 1))
		return length;
	if (a && a->op == FLAN_sum && a->lifted)
		return size_sum(z, a->arg[1]);
	if (a && a->op == FLAN_dist && a->lifted && !a->arg[0].value->vector)
		return size_mul(z, a->arg[0].value, size_sum(z, (Shape){a->arg[0].length, a->arg[1].value}));
	if (a && a->op == FLAN_append) {
		for (int i = 0; i < a->narg && !a->sum; i++) {
			x = size_sum(z, a->arg[i]);
			if (beyond(z, r, x))
				a->sum = own_sum(z, w, length);
			r = size_add(z, r, x);
		}
		return a->sum = a->sum ? a->sum : r;
	}
	if (a && a->op == FLAN_vector) {
		for (int i = 0; i < a->narg; i++) {
			if (beyond(z, r, a->arg[i].value))
				return own_sum(z, w, length);
			r = size_add(z, r, a->arg[i].value);
		}
		return r;
	}
	if (a && a->op == FLAN_combine && a->arg[1].length == size_sum(z, a->arg[0])
	    && a->arg[2].length == size_sub(z, a->arg[0].length, a->arg[1].length))
		return size_add(z, size_sum(z, a->arg[1]), size_sum(z, a->arg[2]));
	if (a && place_last_of_turn(z, a, length, &k))
		return size_sub(z, size_sum(z, a->arg[0]), of_turns(z, a->arg[0], k, k - 1, length));
	if (a && dealt_out(z, w, length, &r))
		return r;
	return own_sum(z, w, length);
}

/* Are so many rows of that length? */
static bool
too_many(const Sizes *z, const Size *n, const Size *times)
{
	int64_t a, b;

	return size_constant(n, &a) && size_constant(times, &b) && a > 0 && b > int_greatest(sizes_int_bits(z)) / a;
}

const Size *
size_sum(Sizes *z, Shape v)
{
	const Size *r = size_int(z, 0), *scalars, *vectors;

	if (too_many(z, v.length, v.value))             /* as a number it wraps, perhaps below zero */
		return size_plain(z, FLAN_sum, false, 0, false, false, TY_INT, 1, &v);
	for (int i = 0; i < v.value->n; i++) {
		parts(z, &v.value->product[i], &scalars, &vectors);
		r = size_add(z, r, size_mul(z, scalars, sum_of(z, vectors, v.length)));
	}
	return r;
}

/* Within each row of s, the sum of the elements x. */
static const Size *
sums(Sizes *z, Shape s, const Size *x)
{
	const Size *r = size_int(z, 0), *scalars, *vectors, *total = size_sum(z, s);

	for (int i = 0; i < x->n; i++) {
		parts(z, &x->product[i], &scalars, &vectors);
		if (!size_is(vectors, 1))
			vectors = size_plain(z, FLAN_sum, true, 0, true, size_countable(vectors), TY_INT, 2, (Shape[]){s, {total, vectors}});
		else
			vectors = s.value;
		r = size_add(z, r, size_mul(z, scalars, vectors));
	}
	return r;
}

/* A row's number for each of its elements. */
static const Size *
spread(Sizes *z, Shape s, Shape x)
{
	const Size *r = size_int(z, 0), *scalars, *vectors;

	for (int i = 0; i < x.value->n; i++) {
		parts(z, &x.value->product[i], &scalars, &vectors);
		if (!size_is(vectors, 1))
			vectors = size_plain(z, FLAN_dist, true, 0, true, size_natural(vectors), TY_INT, 2, (Shape[]){s, {NULL, vectors}});
		r = size_add(z, r, size_mul(z, scalars, vectors));
	}
	return r;
}

/* The vector that has this in the places that p's split gives as this result; NULL: none. */
static const Size *
split_of(Sizes *z, const Size *value, int result, Shape p)
{
	Shape of;
	const Atom *i = place_picked(z, value, &of);

	return i && i->op == FLAN_split && i->result == result && i->arg[0].value == p.value && i->arg[0].length == p.length ? of.value : NULL;
}

/* Where p the next of x, else of y. */
static const Size *
merged(Sizes *z, const Shape *arg)
{
	const Shape p = arg[0], x = arg[1], y = arg[2];
	const Size *all_x = split_of(z, x.value, 0, p), *all_y = split_of(z, y.value, 1, p);

	if (all_x && (y.value == size_none(z) || y.value == size_nowhere(z) || all_x == all_y))
		return all_x;
	if (all_y && (x.value == size_none(z) || x.value == size_nowhere(z)))
		return all_y;
	if (x.value == y.value && !x.value->vector && x.length == size_sum(z, p)
	    && y.length == size_sub(z, p.length, x.length))
		return x.value;
	return size_plain(z, FLAN_combine, false, 0, true, false, TY_INT, 3, arg);
}

/* What is made in turn where p holds, or where it does not: at each place of what is numbered by how many such came before. */
typedef struct Turn {
	Sizes *z;
	Shape p;
	bool rest;                      /* where it does not: that number is place - scan p; else scan p */
	const Size *n;                  /* how many there are */
	bool fails;                     /* something else tells of the place, too */
} Turn;

static bool
is_scan(const Turn *t, const Atom *a)
{
	return a->op == FLAN_plus_scan && !a->lifted && a->arg[0].value == t->p.value && a->arg[0].length == t->p.length;
}

static const Size *in_turn(Turn *t, const Size *s, int deep);

static const Size *
atom_in_turn(Turn *t, const Atom *a, int deep)
{
	Shape x[3];

	if (!a->vector)
		return a->self;
	if (deep == 0 || a->op < 0 || a->narg > 3 || a->lifted || (flan_ir.op[a->op].cls != OP_SCALAR && a->op != FLAN_gather)) {
		t->fails = true;
		return a->self;
	}
	for (int i = 0; i < a->narg; i++)
		x[i] = a->op == FLAN_gather && i == 0 ? a->arg[0] : (Shape){NULL, in_turn(t, a->arg[i].value, deep - 1)};
	if (a->op == FLAN_gather)
		x[1].length = t->n;
	return size_apply(t->z, a->op, false, 0, true, a->ty, a->narg, x);
}

/* As often as s has this number, the number becomes the place. */
static const Size *
in_turn(Turn *t, const Size *s, int deep)
{
	const Size *r = size_int(t->z, 0);
	int64_t places = 0, scans = 0;

	for (int i = 0; i < s->n; i++) {
		const Product *p = &s->product[i];
		const Atom *a = p->n == 1 ? p->atom[0] : NULL;
		const Size *x = size_int(t->z, p->factor);

		if (a && a->self == size_place(t->z)) {
			places = p->factor;
			continue;
		}
		if (a && is_scan(t, a)) {
			scans = p->factor;
			continue;
		}
		for (int j = 0; j < p->n; j++)
			x = size_mul(t->z, x, atom_in_turn(t, p->atom[j], deep));
		r = size_add(t->z, r, x);
	}
	t->fails = t->fails || places != (t->rest ? -scans : 0);
	return size_add(t->z, r, size_mul(t->z, size_int(t->z, t->rest ? places : scans), size_place(t->z)));
}

/* The vector whose places are counted in s by a scan; NULL: none. */
static const Atom *
counter(const Size *s, int deep)
{
	const Atom *found = NULL;

	for (int i = 0; i < s->n && !found; i++)
		for (int j = 0; j < s->product[i].n && !found; j++) {
			const Atom *a = s->product[i].atom[j];

			if (a->op == FLAN_plus_scan && !a->lifted)
				return a;
			for (int k = a->op == FLAN_gather; k < a->narg && deep > 0 && a->vector && !found; k++)
				if (a->op == FLAN_gather || (a->op >= 0 && flan_ir.op[a->op].cls == OP_SCALAR))
					found = counter(a->arg[k].value, deep - 1);
		}
	return found;
}

/* select p x y, where these are taken one after the other: the next of x where p holds, else of y. */
static bool
put_back(Sizes *z, const Size *p, const Size *x, const Size *y, const Size **out)
{
	enum { DEEP = 4 };
	const Size *const of[] = {x, y};
	const Atom *scan = NULL;
	Shape arg[3] = {{NULL, NULL}, {NULL, x}, {NULL, y}};

	for (int k = 0; k < 2; k++)
		if (!scan && of[k] != size_nowhere(z))
			scan = counter(of[k], DEEP);
	if (!scan || scan->arg[0].value != p)
		return false;
	arg[0] = scan->arg[0];
	for (int k = 0; k < 2; k++) {
		Turn t = {.z = z, .p = arg[0], .rest = k, .n = size_sum(z, arg[0])};

		if (of[k] == size_nowhere(z))
			continue;
		t.n = k ? size_sub(z, arg[0].length, t.n) : t.n;
		arg[k + 1] = (Shape){t.n, in_turn(&t, of[k], DEEP)};
		if (t.fails || !of[k]->vector)
			return false;
	}
	*out = merged(z, arg);
	return true;
}

/* A vector of these scalars. */
static const Size *
listed(Sizes *z, int narg, const Shape *arg)
{
	bool natural = true, same = true;

	for (int i = 0; i < narg; i++) {
		natural = natural && size_natural(arg[i].value);
		same = same && arg[i].value == arg[0].value;
	}
	if (narg == 0)
		return size_none(z);
	return same ? arg[0].value : size_plain(z, FLAN_vector, false, 0, true, natural, TY_INT, narg, arg);
}

/* Vectors one after the other. */
static const Size *
appended(Sizes *z, int narg, const Shape *arg)
{
	bool natural = true, same = narg > 0 && !arg[0].value->vector;

	for (int i = 0; i < narg; i++) {
		natural = natural && size_natural(arg[i].value);
		same = same && arg[i].value == arg[0].value;
	}
	if (same || narg == 1)
		return arg[0].value;
	return size_plain(z, FLAN_append, false, 0, true, natural, TY_INT, narg, arg);
}

/* -- scalar operators --------------------------------------------------------------------------------- */

static const Size *
truth(Sizes *z, int op, TyKind ty, const Size *a, const Size *b)
{
	return size_plain(z, op, false, 0, a->vector || b->vector, true, ty, 2, (Shape[]){{NULL, a}, {NULL, b}});
}

/* Of ints, bools, chars. */
static const Size *
compared(Sizes *z, int op, TyKind ty, const Size *a, const Size *b)
{
	static const int mirrored[] = {[FLAN_eq] = FLAN_eq, [FLAN_ne] = FLAN_ne, [FLAN_lt] = FLAN_gt, [FLAN_le] = FLAN_ge,
		[FLAN_gt] = FLAN_lt, [FLAN_ge] = FLAN_le};
	const Size *d = size_sub(z, a, b), *one = size_int(z, 1), *eq, *lt;
	int64_t k, m;

	if (size_constant(d, &k) && (k == 0 || op == FLAN_eq || op == FLAN_ne))
		return size_int(z, k == 0 ? op == FLAN_eq || op == FLAN_le || op == FLAN_ge : op == FLAN_ne);
	if (size_constant(a, &k) && size_constant(b, &m))
		return size_int(z, k < m ? op == FLAN_lt || op == FLAN_le : op == FLAN_gt || op == FLAN_ge);
	if (size_constant(a, &k) || (a->number > b->number && !size_constant(b, &k)))
		return compared(z, mirrored[op], ty, b, a);
	eq = truth(z, FLAN_eq, ty, a, b);
	if (op == FLAN_eq || op == FLAN_ne)
		lt = NULL;
	else
		lt = size_is(b, 0) && size_natural(a) ? b : truth(z, FLAN_lt, ty, a, b);
	switch (op) {
	case FLAN_eq: return eq;
	case FLAN_ne: return size_sub(z, one, eq);
	case FLAN_lt: return lt;
	case FLAN_le: return size_add(z, lt, eq);
	case FLAN_ge: return size_sub(z, one, lt);
	default: return size_sub(z, size_sub(z, one, lt), eq);
	}
}

static const Size *
junction(Sizes *z, int op, const Size *a, const Size *b)
{
	int64_t k;

	if (a == b)
		return a;
	if (size_constant(a, &k))
		return (k != 0) == (op == FLAN_and) ? b : a;
	if (size_constant(b, &k))
		return (k != 0) == (op == FLAN_and) ? a : b;
	return a->number < b->number ? truth(z, op, TY_BOOL, a, b) : truth(z, op, TY_BOOL, b, a);
}

/* The larger (or smaller) of two ints. */
static const Size *
extreme(Sizes *z, int op, const Size *a, const Size *b)
{
	int64_t k, m;

	if (a == b)
		return a;
	if (size_constant(a, &k) && size_constant(b, &m))
		return (k > m) == (op == FLAN_max) ? a : b;
	if (size_constant(a, &k) && k == 0 && size_natural(b))
		return op == FLAN_max ? b : a;
	if (size_constant(b, &k) && k == 0 && size_natural(a))
		return op == FLAN_max ? a : b;
	if (a->number > b->number)
		return extreme(z, op, b, a);
	return size_plain(z, op, false, 0, a->vector || b->vector, op == FLAN_max && (size_natural(a) || size_natural(b)), TY_INT, 2,
		(Shape[]){{NULL, a}, {NULL, b}});
}

/* All operands constants: what the operator gives. */
static bool
folded(Sizes *z, int op, TyKind ty, int narg, const Shape *arg, const Size **out)
{
	Scalar x[3] = {{0}};

	for (int i = 0; i < narg; i++)
		if (!size_constant(arg[i].value, &x[i].i))
			return false;
	*out = size_int(z, scalar_fn(sizes_int_bits(z), flan_ir.op[op].name, ty == TY_BOOL ? &ty_bool : &ty_int)(x[0], x[1], x[2]).i);
	return true;
}

/* Does it give something of its own for operands like these, which are numbers to us? */
static bool
on_ints(int op, TyKind ty)
{
	const char *sig = flan_ir.op[op].sig[0], *result = strchr(sig, ':') + 1;

	return ty != TY_FLOAT && !strchr(sig, 'f') && strcmp(result, "c") != 0 && sig[0] != 'c';
}

/* Ints, one of them of so many elements, as they are for all of these, whatever the lengths are; NULL: who knows. */
static const Size *
compared_for_all(Sizes *z, int op, const Shape *arg)
{
	const Size *a = arg[0].value, *b = arg[1].value, *length = arg[!a->vector].length;
	const bool turned = op == FLAN_le || op == FLAN_gt;     /* of b < a */
	int is;

	if (!length || !(a->vector || b->vector))
		return NULL;
	is = turned ? bounds_below(z, length, b, a) : bounds_below(z, length, a, b);
	if (op == FLAN_eq || op == FLAN_ne)
		is = is == 1 || bounds_below(z, length, b, a) == 1 ? 0 : -1;
	if (is < 0)
		return NULL;
	return size_int(z, op == FLAN_lt || op == FLAN_gt || op == FLAN_eq ? is : !is);
}

static const Size *
scalar(Sizes *z, int op, TyKind ty, int narg, const Shape *arg)
{
	const Size *a = arg[0].value, *b = narg > 1 ? arg[1].value : NULL, *out;
	bool vector = false, ints = ty == TY_INT, numbers = ty != TY_FLOAT;
	int64_t k;
	Shape x[3];

	for (int i = 0; i < narg; i++) {
		x[i] = (Shape){NULL, arg[i].value};
		vector |= arg[i].value->vector;
	}
	if (op == FLAN_btoi)
		return a;
	if (ints && op == FLAN_add)
		return size_add(z, a, b);
	if (ints && op == FLAN_sub)
		return size_sub(z, a, b);
	if (ints && op == FLAN_mul)
		return size_mul(z, a, b);
	if (ints && op == FLAN_neg)
		return size_sub(z, size_int(z, 0), a);
	if (ty == TY_BOOL && op == FLAN_not)
		return size_sub(z, size_int(z, 1), a);
	if (ty == TY_BOOL && (op == FLAN_and || op == FLAN_or))
		return junction(z, op, a, b);
	if (op == FLAN_in_range && place_below(z, arg[0], b))
		return size_int(z, 1);
	if (ints && (op == FLAN_div_ok || op == FLAN_rem_ok) && (size_constant(b, &k) ? k != 0 && k != -1 : bounds_divides(z, arg[0], b)))
		return size_int(z, 1);
	if (ints && (op == FLAN_div || op == FLAN_rem) && place_divided(z, op, a, b, &out))
		return out;
	if (op == FLAN_select && (size_is(a, 1) || b == arg[2].value))
		return b;
	if (op == FLAN_select && size_is(a, 0))
		return arg[2].value;
	if (ints && op >= FLAN_eq && op <= FLAN_ge && (out = compared_for_all(z, op, arg)))
		return out;
	if (numbers && op >= FLAN_eq && op <= FLAN_ge)
		return compared(z, op, ty, a, b);
	if (op == FLAN_ne)
		return size_sub(z, size_int(z, 1), truth(z, FLAN_eq, ty, a, b));
	if (ints && (op == FLAN_max || op == FLAN_min))
		return extreme(z, op, a, b);
	if (on_ints(op, ty) && op != FLAN_select && folded(z, op, ty, narg, x, &out))
		return out;
	return size_plain(z, op, false, 0, vector, strcmp(strchr(flan_ir.op[op].sig[0], ':'), ":b") == 0, ty, narg, x);
}

const Size *
size_apply(Sizes *z, int op, bool lifted, int result, bool vector, TyKind ty, int narg, const Shape *arg)
{
	int64_t n;
	const Size *out;

	if (op == FLAN_select && put_back(z, arg[0].value, arg[1].value, arg[2].value, &out))
		return out;
	for (int i = 0; vector && i < narg; i++)
		if (arg[i].value == size_nowhere(z))
			return arg[i].value;
	if (flan_ir.op[op].cls == OP_SCALAR)
		return scalar(z, op, ty, narg, arg);
	/* folds of floats are grouped as their task is cut: elsewhere the same operands may give another number */
	if (op_folds(&flan_ir.op[op]) && ty == TY_FLOAT)
		return size_unknown(z, vector, false);
	switch (op) {
	case FLAN_sum:
		return lifted ? sums(z, arg[0], arg[1].value) : size_sum(z, arg[0]);
	case FLAN_max_val: case FLAN_min_val:
		if (!lifted && !arg[0].value->vector && size_constant(arg[0].length, &n) && n > 0)
			return arg[0].value;
		break;
	case FLAN_area:
		return size_sum(z, (Shape){arg[0].value, arg[1].value});
	case FLAN_dist:
		return spread(z, arg[0], arg[1]);
	case FLAN_gather:
		return place_pick(z, vector, arg);
	case FLAN_combine:
		return merged(z, arg);
	case FLAN_vector:
		return listed(z, narg, arg);
	case FLAN_starts:
		if (!arg[0].value->vector)
			return size_mul(z, arg[0].value, size_place(z));
		break;
	case FLAN_append: case FLAN_extend: case FLAN_concat:
		return appended(z, narg, arg);
	default:
		break;
	}
	return size_plain(z, op, lifted, result, vector, op == FLAN_iota, ty, narg, arg);
}

const Size *
size_spread(Sizes *z, Shape rows, const Size *x)
{
	return size_apply(z, FLAN_dist, true, 0, true, TY_INT, 2, (Shape[]){rows, {NULL, x}});
}

/* -- over other atoms --------------------------------------------------------------------------------- */

static const Size *
atom_over(Sizes *z, const Atom *a, const Over *over, int deepest)
{
	const Size *s = over->become(over->what, a, deepest);
	Shape *arg;
	bool same = true;

	if (s || a->narg == 0 || deepest == 0)
		return s ? s : a->self;
	for (int i = 0; i < a->narg && same; i++)
		same = size_over(z, a->arg[i].length, over, deepest - 1) == a->arg[i].length
			&& size_over(z, a->arg[i].value, over, deepest - 1) == a->arg[i].value;
	if (same)
		return a->self;
	arg = NEW(sizes_arena(z), Shape, a->narg);
	for (int i = 0; i < a->narg; i++)
		arg[i] = (Shape){size_over(z, a->arg[i].length, over, deepest - 1), size_over(z, a->arg[i].value, over, deepest - 1)};
	s = size_apply(z, a->op, a->lifted, a->result, a->vector, a->ty, a->narg, arg);
	arena_give_back(sizes_arena(z), arg, sizeof *arg * (size_t)a->narg);
	return s;
}

/* The factor of p and so many of its atoms. */
static const Size *
first_factors(Sizes *z, const Product *p, int n)
{
	const Size *s = size_int(z, p->factor);

	for (int i = 0; i < n; i++)
		s = size_mul(z, s, p->atom[i]->self);
	return s;
}

/* r with what p becomes instead of p. */
static const Size *
with_product(Sizes *z, const Size *r, const Product *p, const Over *over, int deepest)
{
	const Size *is = NULL;          /* the first so many atoms, from one on that becomes another */

	for (int i = 0; i < p->n; i++) {
		const Size *x = atom_over(z, p->atom[i], over, deepest);

		if (x != p->atom[i]->self && !is)
			is = first_factors(z, p, i);
		if (is)
			is = size_mul(z, is, x);
	}
	return is ? size_add(z, size_sub(z, r, first_factors(z, p, p->n)), is) : r;
}

const Size *
size_over(Sizes *z, const Size *s, const Over *over, int deepest)
{
	const Size *r = s;

	if (!s || size_became(s, over->round, deepest, &r))
		return r;
	for (int i = 0; i < s->n; i++)
		r = with_product(z, r, &s->product[i], over, deepest);
	size_becomes(s, over->round, deepest, r);
	return r;
}

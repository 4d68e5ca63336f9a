/* place.c: what is at places that are known.
 *
 *     x[place] = x                          x[place + #a + .. ] = c, for x = a ++ .. ++ c ++ ..
 *     y[i][k * place + d] = y[i[k * place + d]], and so of what is computed for each element, for places of the vector
 *     x[the row of each element] = x for each element of its row, and x[i that each row has for its elements] = x[i] for these
 *     x[i] = the number that all of x are, for an i that comes from #x places
 *     (k * place + d) / k = place           remains: d, for d from 0 to k - 1
 */
#include "flatten/flan.h"
#include "shape/bounds.h"
#include "shape/laws.h"
#include "shape/place.h"

enum { DEEPEST = 6 };           /* how far into operands we look */

const Size *
size_place(Sizes *z)
{
	return size_apply(z, FLAN_iota, false, 0, true, TY_INT, 0, NULL);
}

/* Lengths are below two to the 47 where ints have 64 bits. */
bool
place_small(const Sizes *z, int64_t k)
{
	return sizes_int_bits(z) == 64 && k >= 0 && k < 1 << 15;
}

static bool
is_place(const Product *p)
{
	return p->n == 1 && p->atom[0]->op == FLAN_iota && !p->atom[0]->lifted;
}

/* s = k * place + d, where k is above 0 and d the same for all? */
static bool
linear(Sizes *z, const Size *s, int64_t *k, const Size **d)
{
	*k = 0;
	for (int i = 0; i < s->n; i++)
		if (is_place(&s->product[i]))
			*k = s->product[i].factor;
	*d = size_sub(z, s, size_mul(z, size_int(z, *k), size_place(z)));
	return *k > 0 && place_small(z, *k) && !(*d)->vector;
}

/* Are all of n such numbers places of a vector of that length? */
static bool
inside(Sizes *z, int64_t k, const Size *d, const Size *n, const Size *length)
{
	int64_t first, left;

	return n && size_constant(d, &first) && place_small(z, first)
	       && size_constant(size_sub(z, length, size_mul(z, size_int(z, k), n)), &left) && left >= first - k + 1;
}

static bool
below(Sizes *z, Shape x, const Size *limit)
{
	int64_t k, m;

	if (size_constant(x.value, &k) && size_constant(limit, &m))
		return k >= 0 && k < m;
	return bounds_within(z, x, limit);
}

/* A place counted from the end is one: n - 1 - (n - 1 - i) is i, however these wrap. */
bool
place_below(Sizes *z, Shape x, const Size *limit)
{
	return below(z, x, limit) || below(z, (Shape){x.length, size_sub(z, size_sub(z, limit, size_int(z, 1)), x.value)}, limit);
}

/* n elements of what is appended, from place d on: one of its parts? */
static bool
part(Sizes *z, const Atom *v, const Size *d, const Size *n, const Size **out)
{
	const Size *before = size_int(z, 0);

	if (!v || v->op != FLAN_append)
		return false;
	for (int i = 0; i < v->narg; i++) {
		if (before == d && v->arg[i].length == n) {
			*out = v->arg[i].value;
			return true;
		}
		before = size_add(z, before, v->arg[i].length);
	}
	return false;
}

typedef struct Choice {
	Sizes *z;
	const Size *place;              /* of the elements that are wanted */
	const Size *n;                  /* how many */
	const Size *length;             /* of what they are of */
	Over over;
} Choice;

/* What an atom is at the chosen places. */
static const Size *
chosen(void *what, const Atom *a, int deeper)
{
	const Choice *c = what;

	if (!a->vector)
		return a->self;
	if (a->op == FLAN_iota && !a->lifted)
		return c->place;
	if (deeper > 0 && a->op >= 0 && flan_ir.op[a->op].cls == OP_SCALAR)
		return NULL;                    /* that of its operands */
	if (deeper > 0 && a->op == FLAN_gather) {
		Shape of[] = {a->arg[0], {c->n, size_over(c->z, a->arg[1].value, &c->over, deeper - 1)}};

		return place_pick(c->z, true, of);
	}
	return size_plain(c->z, FLAN_gather, false, 0, true, a->natural, TY_INT, 2,
		(Shape[]){{c->length, a->self}, {NULL, c->place}});
}

const Size *
place_pick(Sizes *z, bool vector, const Shape *arg)
{
	const Shape x = arg[0], i = arg[1];
	const Atom *v = size_atom(x.value), *at = size_atom(i.value);
	const Size *d, *out;
	int64_t k, n;

	if (x.length && x.length == i.length && i.value == size_place(z))
		return x.value;
	if (!x.value->vector && x.length && bounds_within(z, i, x.length))
		return x.value;
	if (at && at->op == FLAN_dist && at->lifted) {
		Shape of[] = {x, {at->arg[0].length, at->arg[1].value}};

		return size_spread(z, at->arg[0], place_pick(z, vector, of));
	}
	if (at && at->op == FLAN_rowid && at->arg[0].length == x.length)
		return size_spread(z, at->arg[0], x.value);
	if (linear(z, i.value, &k, &d)) {
		Choice c = {z, i.value, i.length, x.length, {chosen, &c, size_round(z)}};

		if (k == 1 && part(z, v, d, i.length, &out))
			return out;
		if (inside(z, k, d, i.length, x.length))
			return size_over(z, x.value, &c.over, DEEPEST);
	}
	if (size_constant(i.value, &k) && size_constant(x.length, &n) && k >= 0 && k < n) {
		if (!x.value->vector)
			return x.value;
		if (v && v->op == FLAN_vector && k < v->narg)     /* what has no elements may stand for any there are none of */
			return v->arg[k].value;
	}
	return size_plain(z, FLAN_gather, false, 0, vector && i.value->vector, v && v->natural, TY_INT, 2,
		(Shape[]){x, {NULL, i.value}});
}

bool
place_divided(Sizes *z, int op, const Size *a, const Size *b, const Size **out)
{
	const Size *d;
	int64_t by, k, first;

	if (!size_constant(b, &by) || by <= 0 || !linear(z, a, &k, &d) || k % by != 0 || !size_constant(d, &first)
	    || !place_small(z, first))
		return false;
	*out = size_int(z, op == FLAN_rem ? first % by : first / by);
	if (op == FLAN_div)
		*out = size_add(z, *out, size_mul(z, size_int(z, k / by), size_place(z)));
	return true;
}

bool
place_last_of_turn(Sizes *z, const Atom *a, const Size *n, int64_t *k)
{
	enum { MOST = 8 };
	const Size *d;

	return a->op == FLAN_gather && linear(z, a->arg[1].value, k, &d) && *k > 1 && *k <= MOST && size_is(d, *k - 1)
	       && a->arg[0].length == size_mul(z, size_int(z, *k), n);
}

static bool
picks(const Atom *i, const Size *length)
{
	return i && !i->lifted && (i->op == FLAN_split || i->op == FLAN_pack) && i->arg[0].length == length;
}

const Atom *
place_picked(Sizes *z, const Size *x, Shape *of)
{
	const Atom *g = size_atom(x), *i = g && g->op == FLAN_gather ? size_atom(g->arg[1].value) : NULL, *inner;

	if (!i)
		return NULL;
	*of = g->arg[0];
	if (picks(i, of->length))
		return i;
	if (i->op != FLAN_gather)
		return NULL;
	inner = size_atom(i->arg[1].value);
	if (!picks(inner, i->arg[0].length))
		return NULL;
	*of = (Shape){i->arg[0].length, size_apply(z, FLAN_gather, false, 0, true, g->ty, 2, (Shape[]){g->arg[0], i->arg[0]})};
	return inner;
}

bool
place_some(Sizes *z, const Size *x, Shape *of)
{
	const Atom *g = size_atom(x), *i = g && g->op == FLAN_gather ? size_atom(g->arg[1].value) : NULL;

	if (!i || !i->lifted)
		return place_picked(z, x, of) != NULL;
	*of = g->arg[0];
	return i->op == FLAN_pack && i->arg[1].length == of->length;
}

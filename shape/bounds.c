/* bounds.c: an index that is computed of places, as i + j + 1, k * i + j, rem(i + 1, n) or max(i - 1, 0), is below a length, and
 * not below 0.
 *
 * A place is at least 0, and at most the length it counts less one; where that is max(n, 0) it is n, as there is a place.  So all
 * is told by differences of lengths, in the normal form of size.c, and for whatever the lengths will be:
 *
 *     {{a[i + j] : j in [0:3]} : i in [0:#a - 2]}     i <= #a - 3,  j <= 2,  i + j <= #a - 1
 *     {a[rem(i - 1 + #a, #a)] : i in [0:#a]}          #a >= 1, as there is an i;  i - 1 + #a >= #a - 1 >= 0
 *
 * What differs from row to row is a number for each element, as the index is, and so are its ends.
 *
 * Lengths are below two to the 47 where ints have 64 bits, so that sums of a few places and lengths do not wrap; of narrower ints,
 * one place alone does not. */
#include "flatten/flan.h"
#include "shape/bounds.h"
#include "shape/laws.h"
#include "shape/place.h"

enum { STEPS = 64, FEW = 4, OFTEN = 3 };        /* atoms that we look at; lengths that are above 0; how often that is used */
#define LARGE ((int64_t)1 << 40)        /* constants are below, where ints have 64 bits */
#define LARGE_32 ((int64_t)1 << 24)     /* where they have 32: a few times that does not wrap */

typedef struct Bounds {
	Sizes *z;
	int left;               /* steps */
	const Size *length[FEW];        /* of what has a place, so each is at least 1, and small */
	int n;
} Bounds;

/* least <= x <= most, as numbers that do not wrap. */
typedef struct Ends {
	const Size *least, *most;
} Ends;

static bool ends(Bounds *m, Shape x, Ends *out);

/* Of what counts that many, of which there is one. */
static const Size *
last(Sizes *z, const Size *length)
{
	const Atom *a = length ? size_atom(length) : NULL;

	if (!length)
		return NULL;
	if (a && a->op == FLAN_max && size_is(a->arg[0].value, 0))
		length = a->arg[1].value;
	else if (a && a->op == FLAN_max && size_is(a->arg[1].value, 0))
		length = a->arg[0].value;
	return size_sub(z, length, size_int(z, 1));
}

/* -- what is at least 0 ------------------------------------------------------------------------------------ */
/* One natural number and more: what is added to less than 2 to the 63 does not wrap as an unsigned one. */
static bool
is_sum(const Size *s)
{
	int atoms = 0;

	for (int i = 0; i < s->n; i++) {
		const Product *p = &s->product[i];

		if (p->factor < 0 || (p->n > 0 && (p->n > 1 || p->factor > 1 || !p->atom[0]->natural || ++atoms > 1)))
			return false;
	}
	return true;
}

/* By itself, or as some of the lengths from number k on are above 0, so often. */
static bool
at_least_zero(const Bounds *m, const Size *s, int k, int often)
{
	if (is_sum(s))
		return true;
	for (; k < m->n && often > 0; k++)
		if (at_least_zero(m, size_sub(m->z, s, size_sub(m->z, m->length[k], size_int(m->z, 1))), k, often - 1))
			return true;
	return false;
}

/* a <= b? */
static bool
at_most(const Bounds *m, const Size *a, const Size *b)
{
	return at_least_zero(m, size_sub(m->z, b, a), 0, OFTEN);
}

/* The one that is less, or greater; NULL: who knows. */
static const Size *
lesser(const Bounds *m, const Size *a, const Size *b)
{
	return at_most(m, a, b) ? a : at_most(m, b, a) ? b : NULL;
}

static const Size *
greater(const Bounds *m, const Size *a, const Size *b)
{
	return at_most(m, b, a) ? a : at_most(m, a, b) ? b : NULL;
}

/* What neither is below: one of them, or 0. */
static const Size *
below_both(const Bounds *m, const Size *a, const Size *b)
{
	const Size *least = lesser(m, a, b), *zero = size_int(m->z, 0);

	return least || !at_most(m, zero, a) || !at_most(m, zero, b) ? least : zero;
}

/* What neither is above: one of them, or the last place of a length. */
static const Size *
above_both(const Bounds *m, const Size *a, const Size *b)
{
	const Size *most = greater(m, a, b);

	for (int k = 0; k < m->n && !most; k++) {
		const Size *at = size_sub(m->z, m->length[k], size_int(m->z, 1));

		most = at_most(m, a, at) && at_most(m, b, at) ? at : NULL;
	}
	return most;
}

/* -- what is computed ---------------------------------------------------------------------------------------- */
/* May it be added, a few times? */
static bool
is_near(const Sizes *z, int64_t k)
{
	const int64_t large = sizes_int_bits(z) == 64 ? LARGE : LARGE_32;

	return k > -large && k < large;
}

/* So many there are of what has a place.  A number that the program says tells nothing of others. */
static void
learn(Bounds *m, const Size *length)
{
	bool known = false;
	int64_t constant;

	if (size_constant(length, &constant))
		return;
	for (int i = 0; i < length->n; i++)
		if (length->product[i].n == 0 && !is_near(m->z, length->product[i].factor))
			return;
	for (int k = 0; k < m->n; k++)
		known |= m->length[k] == length;
	if (!known && m->n < FEW)
		m->length[m->n++] = length;
}

/* A place of so many: there is one. */
static bool
place_of(Bounds *m, const Size *length, Ends *out)
{
	const Size *most = last(m->z, length);

	if (!most)
		return false;
	learn(m, size_add(m->z, most, size_int(m->z, 1)));
	*out = (Ends){size_int(m->z, 0), most};
	return true;
}

/* What each row has, for its elements; what is known of lengths of rows too. */
static bool
ends_of_rows(Bounds *m, Shape rows, const Size *x, Ends *out)
{
	Bounds of_rows = {.z = m->z, .left = m->left};
	bool known;

	place_of(&of_rows, rows.value, out);    /* rows that have elements */
	known = ends(&of_rows, (Shape){rows.length, x}, out);
	m->left = of_rows.left;
	for (int k = 0; k < of_rows.n; k++)
		learn(m, size_spread(m->z, rows, of_rows.length[k]));
	if (known)
		*out = (Ends){size_spread(m->z, rows, out->least), size_spread(m->z, rows, out->most)};
	return known;
}

/* Elements of x, if the same can be said of all of them. */
static bool
ends_of_some(Bounds *m, Shape x, Ends *out)
{
	Bounds of_all = {.z = m->z, .left = m->left};
	const bool known = ends(&of_all, x, out);

	m->left = of_all.left;
	for (int k = 0; k < of_all.n; k++)
		if (!of_all.length[k]->vector)
			learn(m, of_all.length[k]);
	return known && !out->least->vector && !out->most->vector;
}

static bool
within(Bounds *m, Shape x, const Size *limit)
{
	Ends of;

	return limit && ends(m, x, &of) && at_most(m, size_int(m->z, 0), of.least) && at_most(m, of.most, last(m->z, limit));
}

/* What remains has the sign of what is divided. */
static bool
remains(Bounds *m, Shape x, Shape by, Ends *out)
{
	const Size *zero = size_int(m->z, 0), *one = size_int(m->z, 1), *most;
	Ends of, n;
	const bool known = ends(m, x, &of);

	if (!ends(m, by, &n) || !at_most(m, one, n.least))
		return false;
	most = size_sub(m->z, n.most, one);
	*out = (Ends){known && at_most(m, zero, of.least) ? zero : size_sub(m->z, zero, most), most};
	return true;
}

/* Is the truth d < 0 as compared() has it: lt(a, b), or 1 - lt(b, a) - eq(b, a), where a - b is d, and none of these wraps? */
static bool
says_below(Bounds *m, const Size *length, const Size *truth, const Size *d)
{
	const Size *other = size_sub(m->z, size_int(m->z, 1), truth);
	Ends of;

	for (int turned = 0; turned < 2; turned++) {
		const Size *s = turned ? other : truth;

		for (int i = 0; i < s->n; i++) {
			const Atom *is = s->product[i].n == 1 ? s->product[i].atom[0] : NULL;
			const Size *a, *b;

			if (!is || is->op != FLAN_lt || is->ty == TY_FLOAT)
				continue;
			a = is->arg[turned].value;
			b = is->arg[!turned].value;
			if (size_sub(m->z, a, b) == d && ends(m, (Shape){length, a}, &of) && ends(m, (Shape){length, b}, &of)
			    && size_apply(m->z, FLAN_lt, false, 0, is->vector, TY_INT, 2, (Shape[]){{NULL, a}, {NULL, b}}) == truth)
				return true;
		}
	}
	return false;
}

/* d + k where d is below 0, else d: as mod has it, and who goes around the end. */
static bool
goes_around(Bounds *m, const Size *length, const Shape *arg, Ends *out)
{
	const Size *d = arg[2].value, *zero = size_int(m->z, 0);
	Ends of, k;

	if (!says_below(m, length, arg[0].value, d) || !ends(m, (Shape){length, d}, &of)
	    || !ends(m, (Shape){length, size_sub(m->z, arg[1].value, d)}, &k))
		return false;
	out->least = lesser(m, zero, size_add(m->z, of.least, k.least));
	out->most = greater(m, of.most, size_sub(m->z, k.most, size_int(m->z, 1)));
	return out->least && out->most;
}

/* Of its factor; LARGE: as much, or more. */
static int64_t
magnitude(const Product *p)
{
	return p->factor <= -LARGE || p->factor >= LARGE ? LARGE : p->factor < 0 ? -p->factor : p->factor;
}

/* Is it as small as a length, one that has a place? */
static bool
is_short(const Bounds *m, const Atom *a)
{
	for (int k = 0; k < m->n; k++) {
		const Size *s = m->length[k];
		bool found = false, others = false;

		for (int i = 0; i < s->n; i++) {
			const Product *p = &s->product[i];

			if (p->n == 1 && p->factor == 1 && p->atom[0] == a)
				found = true;
			else
				others |= p->n > 0 || !place_small(m->z, magnitude(p));
		}
		if (found && !others)
			return true;
	}
	return false;
}

/* An atom of what has so many elements. */
static bool
ends_of_atom(Bounds *m, const Atom *a, const Size *length, Ends *out)
{
	const Shape *arg = a->arg;
	const Shape l = {length, a->narg > 0 ? arg[0].value : NULL}, r = {length, a->narg > 1 ? arg[1].value : NULL};
	Ends p, q;
	bool known;

	if (is_short(m, a)) {
		*out = (Ends){a->self, a->self};
		return true;
	}
	switch (a->op) {
	case FLAN_iota:
		return place_of(m, a->lifted ? size_spread(m->z, arg[0], arg[0].value) : length, out);
	case FLAN_rowid:
		return place_of(m, arg[0].length, out);
	case FLAN_pack:
	case FLAN_split:
		return place_of(m, a->lifted ? size_sum(m->z, arg[0]) : arg[0].length, out);
	case FLAN_dist:
		return a->lifted && ends_of_rows(m, arg[0], arg[1].value, out);
	case FLAN_gather:
		/* at an index that is none there is 0, which may be no element */
		return within(m, r, arg[0].length) && ends_of_some(m, arg[0], out);
	case FLAN_rem:
		return remains(m, l, r, out);
	case FLAN_select:
		return goes_around(m, length, arg, out);
	case FLAN_max:
	case FLAN_min:
		known = ends(m, l, &p);
		if (!ends(m, r, &q) || !known)
			return false;
		out->least = a->op == FLAN_max ? greater(m, p.least, q.least) : below_both(m, p.least, q.least);
		out->most = a->op == FLAN_max ? above_both(m, p.most, q.most) : lesser(m, p.most, q.most);
		return out->least && out->most;
	default:
		return false;
	}
}

/* Is a sum with so many times a place, or with that constant, still small?  times: of places so far. */
static bool
is_few(const Sizes *z, const Product *p, int64_t *times)
{
	const int64_t few = magnitude(p);

	if (p->n == 0)
		return sizes_int_bits(z) == 64 && few < LARGE;
	*times += few;
	return p->factor == 1 && *times == 1 ? true : place_small(z, few) && place_small(z, *times);
}

/* Lengths are learned also where the ends are not known. */
static bool
ends(Bounds *m, Shape x, Ends *out)
{
	int64_t times = 0, k;
	bool known = true;

	*out = (Ends){x.value, x.value};
	if (size_constant(x.value, &k))
		return is_near(m->z, k);
	*out = (Ends){size_int(m->z, 0), size_int(m->z, 0)};
	for (int i = 0; i < x.value->n; i++) {
		const Product *p = &x.value->product[i];
		const Size *factor = size_int(m->z, p->factor), *one = size_int(m->z, 1);
		Ends of = {one, one};

		if (p->n > 1 || (p->n == 1 && (m->left-- <= 0 || !ends_of_atom(m, p->atom[0], x.length, &of))) || !is_few(m->z, p, &times)) {
			known = false;
			continue;
		}
		out->least = size_add(m->z, out->least, size_mul(m->z, factor, p->factor < 0 ? of.most : of.least));
		out->most = size_add(m->z, out->most, size_mul(m->z, factor, p->factor < 0 ? of.least : of.most));
	}
	return known;
}

/* Of a vector that has an element: of k rows of n there are some, and of each some. */
static Bounds
bounds_of(Sizes *z, Shape x)
{
	Bounds m = {.z = z, .left = STEPS};
	const Product *p = x.length && x.length->n == 1 ? x.length->product : NULL;
	Ends of;

	for (int i = 0; p && i < p->n; i++)
		if (p->atom[i]->natural)
			place_of(&m, p->atom[i]->self, &of);
	place_of(&m, x.length, &of);
	ends(&m, x, &of);               /* lengths that it knows */
	return m;
}

bool
bounds_within(Sizes *z, Shape x, const Size *limit)
{
	Bounds m;

	if (!x.value->vector)
		return false;
	m = bounds_of(z, x);
	return within(&m, x, limit);
}

int
bounds_below(Sizes *z, const Size *length, const Size *a, const Size *b)
{
	Bounds m = bounds_of(z, (Shape){length, a});
	Ends x, y;

	ends(&m, (Shape){length, b}, &y);       /* lengths that this knows */
	if (!ends(&m, (Shape){length, a}, &x) || !ends(&m, (Shape){length, b}, &y))
		return -1;
	return at_most(&m, size_add(z, x.most, size_int(z, 1)), y.least) ? 1 : at_most(&m, y.most, x.least) ? 0 : -1;
}

bool
bounds_divides(Sizes *z, Shape x, const Size *n)
{
	Bounds m;
	Ends by;

	if (!x.value->vector)
		return false;
	m = bounds_of(z, x);
	return ends(&m, (Shape){x.length, n}, &by) && at_most(&m, size_int(z, 1), by.least);
}

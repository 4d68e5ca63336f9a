/* most.c: an index that is the sum of places, i + j + 1 or k * i + j, is below the sum of the lengths that these count.
 *
 * A place is at most the length it counts less one; where that is max(n, 0) it is n, as there is a place.  So all is told by
 * differences of lengths, in the normal form of size.c, and for whatever the lengths will be:
 *
 *     {{a[i + j] : j in [0:3]} : i in [0:#a - 2]}     i <= #a - 3,  j <= 2,  i + j <= #a - 1
 *
 * Lengths are below two to the 47 where ints have 64 bits, so that such sums do not wrap; of narrower ints, one place alone does not. */
#include "flatten/flan.h"
#include "shape/laws.h"
#include "shape/most.h"
#include "shape/place.h"

enum { STEPS = 64 };            /* that we look at */

typedef struct Most {
	Sizes *z;
	int left;               /* steps */
} Most;

static const Size *most_of(Most *m, Shape x);

/* Of what counts that many, of which there is one. */
static const Size *
last(Sizes *z, const Size *length)
{
	const Atom *a = length ? size_atom(length) : NULL;

	if (!length || length->vector)
		return NULL;
	if (a && a->op == FLAN_max && size_is(a->arg[0].value, 0))
		length = a->arg[1].value;
	else if (a && a->op == FLAN_max && size_is(a->arg[1].value, 0))
		length = a->arg[0].value;
	return size_sub(z, length, size_int(z, 1));
}

/* Is it at least 0?  One natural number and more: what is added to less than 2 to the 63 does not wrap as an unsigned one. */
static bool
at_least_zero(const Size *s)
{
	int atoms = 0;

	for (int i = 0; i < s->n; i++) {
		const Product *p = &s->product[i];

		if (p->factor < 0 || (p->n > 0 && (p->n > 1 || p->factor > 1 || !p->atom[0]->natural || ++atoms > 1)))
			return false;
	}
	return true;
}

static bool
is_below(Sizes *z, const Size *most, const Size *limit)
{
	return most && !limit->vector && at_least_zero(size_sub(z, last(z, limit), most));
}

/* An atom of what has so many elements, that is never below 0; NULL: who knows. */
static const Size *
most_of_atom(Most *m, const Atom *a, const Size *length)
{
	const Shape *arg = a->arg;

	switch (a->op) {
	case FLAN_iota:
		return last(m->z, a->lifted ? arg[0].value : length);
	case FLAN_rowid:
		return last(m->z, arg[0].length);
	case FLAN_pack:
	case FLAN_split:
		return last(m->z, a->lifted ? size_sum(m->z, arg[0]) : arg[0].length);
	case FLAN_dist:
		return a->lifted ? most_of(m, (Shape){arg[0].length, arg[1].value}) : NULL;
	case FLAN_gather:
		/* at an index that is none there is 0, which may be no element */
		return is_below(m->z, most_of(m, (Shape){length, arg[1].value}), arg[0].length) ? most_of(m, arg[0]) : NULL;
	default:
		return NULL;
	}
}

/* Does so many times a place not wrap? */
static bool
is_few(const Sizes *z, int64_t times)
{
	return times == 1 || place_small(z, times);
}

static const Size *
most_of(Most *m, Shape x)
{
	const Size *most = size_int(m->z, 0);
	int64_t times = 0;

	for (int i = 0; i < x.value->n; i++) {
		const Product *p = &x.value->product[i];
		const Size *one = p->n == 0 ? size_int(m->z, 1) : p->n == 1 && m->left-- > 0 ? most_of_atom(m, p->atom[0], x.length) : NULL;

		if (!one || !is_few(m->z, p->factor) || !is_few(m->z, times += p->factor))
			return NULL;
		most = size_add(m->z, most, size_mul(m->z, size_int(m->z, p->factor), one));
	}
	return most;
}

bool
most_below(Sizes *z, Shape x, const Size *limit)
{
	Most m = {z, STEPS};

	return x.value->vector && is_below(z, most_of(&m, x), limit);
}

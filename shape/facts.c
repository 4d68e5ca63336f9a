/* facts.c: equations, solved for the newest atom that stands alone in them, and between which constants numbers are;
 * undone at the end of the scope. */
#include "common/map.h"
#include "flatten/flan.h"
#include "shape/facts.h"
#include "shape/laws.h"
#include "shape/place.h"
#include "shape/range.h"

enum { DEEP = 3 };              /* how far into operands facts are looked for */

typedef struct Undo {
	Atom *atom;                     /* NULL: a length, or a range */
	const Size *before;
	int by;
	int length;
	Range *range, was;
} Undo;

/* Of a number, by what says so. */
typedef struct Ranges {
	Range by[BY_TASK_CHECK + 1];
} Ranges;

typedef enum { NOBODY_ASKED, NO, YES } Asked;

struct Facts {
	Arena *arena;
	Sizes *z;
	LIST(Undo) undo;
	LIST(Asked) length;             /* by Size.number: is it one? */
	Map *range;                     /* Size -> its Ranges */
	By by;                          /* only what is as strong counts now */
	Over over[BY_TASK_CHECK + 1];   /* with this; of a round until other facts are known */
};

static const Size *known(void *what, const Atom *a, int deeper);

/* Other facts are known than before. */
static void
changed(Facts *f)
{
	for (By by = BY_CONDITION; by <= BY_TASK_CHECK; by++)
		f->over[by] = (Over){known, f, size_round(f->z)};
}

Facts *
facts_new(Arena *a, Sizes *z)
{
	Facts *f = NEW(a, Facts, 1);

	f->arena = a;
	f->z = z;
	f->range = map_new(a);
	changed(f);
	return f;
}

int
facts_mark(const Facts *f)
{
	return f->undo.n;
}

void
facts_forget(Facts *f, int mark)
{
	if (f->undo.n > mark)
		changed(f);
	while (f->undo.n > mark) {
		const Undo u = f->undo.at[--f->undo.n];

		if (u.range) {
			*u.range = u.was;
			continue;
		}
		if (!u.atom) {
			f->length.at[u.length] = NO;
			continue;
		}
		u.atom->fact = u.before;
		u.atom->by = u.by;
	}
}

/* Where u's fact is now, and what was there before, change places.  hides: it is taken away. */
static void
exchange(Facts *f, Undo *u, bool hides)
{
	const Undo was = *u;

	if (u->range) {
		u->was = *u->range;
		*u->range = was.was;
	} else if (!u->atom) {
		f->length.at[u->length] = hides ? NO : YES;
	} else {
		u->before = u->atom->fact;
		u->by = u->atom->by;
		u->atom->fact = was.before;
		u->atom->by = was.by;
	}
}

void
facts_hide(Facts *f)
{
	changed(f);
	for (int i = f->undo.n; i-- > 0;)
		exchange(f, &f->undo.at[i], true);
}

void
facts_show(Facts *f)
{
	changed(f);
	for (int i = 0; i < f->undo.n; i++)
		exchange(f, &f->undo.at[i], false);
}

static Asked *
length_at(Facts *f, const Size *n)
{
	while (f->length.n <= n->number)
		LIST_ADD(f->arena, &f->length, NOBODY_ASKED);
	return &f->length.at[n->number];
}

void
facts_length(Facts *f, const Size *n)
{
	Asked *at = length_at(f, n);

	if (*at == YES)
		return;
	if (*at == NO)
		changed(f);
	*at = YES;
	LIST_ADD(f->arena, &f->undo, ((Undo){.length = n->number}));
}

static bool
is_length(Facts *f, const Size *s)
{
	Asked *at = length_at(f, s);

	if (*at == NOBODY_ASKED)
		*at = NO;
	return *at == YES;
}

static bool
natural(Facts *f, const Size *s)
{
	return size_natural(s) || is_length(f, s);
}

/* What is 0 where s is: s is k times it, if that can be counted, so that this does not wrap. */
static const Size *
reduced(Facts *f, const Size *s)
{
	int64_t k;
	const Size *r = size_primitive(f->z, s, &k);

	return place_small(f->z, k) && (size_countable(r) || is_length(f, r)) ? r : s;
}

/* Lengths, and what is k times one, beside 0. */
static const Size *
beside_zero(Facts *f, const Atom *a)
{
	const Size *x = a->narg == 2 ? a->arg[0].value : NULL, *r;

	if (!x || a->ty != TY_INT || !size_is(a->arg[1].value, 0))
		return NULL;
	if (a->op == FLAN_lt && natural(f, reduced(f, x)))
		return size_int(f->z, 0);
	r = a->op == FLAN_eq ? reduced(f, x) : x;
	return r == x ? NULL : size_apply(f->z, FLAN_eq, false, 0, r->vector, TY_INT, 2, (Shape[]){{NULL, r}, a->arg[1]});
}

static Range range(Facts *f, const Size *x);

/* What is known of x + k says of x, where the sum does not wrap. */
static void
shifted(Facts *f, const Size *x, int64_t k, Range *r)
{
	const int64_t most = int_greatest(sizes_int_bits(f->z));
	const Range of = range(f, size_add(f->z, x, size_int(f->z, k)));

	if (k > 0 ? of.lo < k - most || of.hi < k - most : of.lo > most + k || of.hi > most + k)
		return;
	if (of.lo != INT64_MIN && of.lo - k > r->lo)
		r->lo = of.lo - k;
	if (of.hi != INT64_MAX && of.hi - k < r->hi)
		r->hi = of.hi - k;
}

static Range
range(Facts *f, const Size *x)
{
	const Ranges *known = *map_at(f->range, x);
	const int64_t k = size_term(x);
	Range r = range_of(f->z, x);

	for (By by = BY_CONDITION; known && by <= f->by; by++) {
		r.lo = known->by[by].lo > r.lo ? known->by[by].lo : r.lo;
		r.hi = known->by[by].hi < r.hi ? known->by[by].hi : r.hi;
	}
	if (is_length(f, x) && r.lo < 0)
		r.lo = 0;
	if (k != 0 && x->n > 1 && k > INT64_MIN)
		shifted(f, x, -k, &r);
	return r;
}

/* A comparison of x with c whose outcome is known, as ranges say. */
static const Size *
decided(Facts *f, const Atom *a)
{
	int64_t c;
	Range r;

	if (!size_constant(a->arg[1].value, &c))
		return NULL;
	r = range(f, a->arg[0].value);
	if (a->op == FLAN_lt)
		return r.hi < c ? size_int(f->z, 1) : r.lo >= c ? size_int(f->z, 0) : NULL;
	return r.hi < c || r.lo > c ? size_int(f->z, 0) : r.lo == r.hi ? size_int(f->z, 1) : NULL;
}

/* Is i in 0 .. n - 1?  For n that are known to be large enough: constants, n - k, n / k; and where both ends were compared. */
static bool
inside(Facts *f, const Size *i, const Size *n)
{
	const Atom *a = size_atom(i);
	const int64_t least = range(f, n).lo;
	int64_t k;

	if (size_constant(i, &k))
		return k >= 0 && k < least;
	if (size_constant(size_sub(f->z, n, i), &k))
		return k > 0 && k <= least;
	if (a && a->op == FLAN_div && a->arg[0].value == n && size_constant(a->arg[1].value, &k))
		return k > 1 && least > 0;
	if (range(f, i).lo < 0)
		return false;
	return size_is(size_over(f->z, size_apply(f->z, FLAN_lt, false, 0, i->vector || n->vector, TY_INT, 2,
		(Shape[]){{NULL, i}, {NULL, n}}), &f->over[f->by], 0), 1);
}

/* They are, as all are that they were picked of. */
static bool
picked_inside(Facts *f, const Size *i, const Size *n)
{
	Shape of;

	return place_some(f->z, i, &of) && size_is(size_over(f->z, size_apply(f->z, FLAN_in_range, false, 0, true, TY_INT, 2,
		(Shape[]){of, {NULL, n}}), &f->over[f->by], 0), 1);
}

static const Size *
known(void *what, const Atom *a, int deeper)
{
	Facts *f = what;
	const Size *is;

	(void)deeper;
	if (a->fact && a->by <= (int)f->by)
		return a->fact;
	if ((a->op == FLAN_lt || a->op == FLAN_eq) && a->ty != TY_FLOAT && (is = decided(f, a)))
		return is;
	if (a->op == FLAN_in_range && (inside(f, a->arg[0].value, a->arg[1].value) || picked_inside(f, a->arg[0].value, a->arg[1].value)))
		return size_int(f->z, 1);
	return beside_zero(f, a);
}

const Size *
facts_normal(Facts *f, const Size *s, By by)
{
	f->by = by;
	for (int i = 0; s && i < DEEP; i++) {
		const Size *before = s;

		s = size_over(f->z, s, &f->over[by], DEEP);
		if (s == before)
			break;
	}
	return s;
}

static void
set(Facts *f, Atom *a, const Size *is, By by)
{
	LIST_ADD(f->arena, &f->undo, ((Undo){.atom = a, .before = a->fact, .by = a->by}));
	a->fact = is;
	a->by = by;
	changed(f);
}

/* What a truth says of one number.  Of vectors as one vector is meant.  Truths of elements say nothing of a number that is the
 * same for all: there may be none. */
static void
narrow(Facts *f, const Compared *said, By by)
{
	static const Range all = {INT64_MIN, INT64_MAX};
	void **at = map_at(f->range, said->x);
	Range *r;

	if (said->x->counts || said->x->vector != (by == BY_TASK_CHECK))
		return;
	if (!*at) {
		Ranges *every = *at = NEW(f->arena, Ranges, 1);

		for (int i = 0; i <= BY_TASK_CHECK; i++)
			every->by[i] = all;
	}
	r = &((Ranges *)*at)->by[by];
	LIST_ADD(f->arena, &f->undo, ((Undo){.range = r, .was = *r}));
	if (said->how == IS_NOT)
		*r = range(f, said->x);
	range_narrow(r, said);
	changed(f);
}

static bool
stands_alone(const Size *s, int i)
{
	const Product *p = &s->product[i];

	if (p->n != 1 || (p->factor != 1 && p->factor != -1) || p->atom[0]->vector != s->vector || p->atom[0]->counts)
		return false;
	for (int k = 0; k < s->n; k++)
		for (int j = 0; j < s->product[k].n; j++)
			if (k != i && s->product[k].atom[j] == p->atom[0])
				return false;
	return true;
}

/* d = 0 */
static void
vanishes(Facts *f, const Size *d, By by)
{
	int best = -1;
	const Size *a;

	d = reduced(f, facts_normal(f, d, by));
	if (d->vector != (by == BY_TASK_CHECK))
		return;
	for (int i = 0; i < d->n; i++)
		if (stands_alone(d, i) && (best < 0 || d->product[i].atom[0]->number > d->product[best].atom[0]->number))
			best = i;
	if (best < 0)
		return;
	a = d->product[best].atom[0]->self;
	set(f, size_atom(a), d->product[best].factor == 1 ? size_sub(f->z, a, d) : size_add(f->z, a, d), by);
}

/* 0 <= b: max 0 b = b.  Said of that atom itself, as it is met again: of what b normally is, deep in it another may be found then. */
static void
not_negative(Facts *f, const Size *b, By by)
{
	const Shape of[] = {{NULL, size_int(f->z, 0)}, {NULL, b}};
	const Size *m = size_apply(f->z, FLAN_max, false, 0, b->vector, TY_INT, 2, of);
	Atom *a = size_atom(m);

	if (a && a->op == FLAN_max && !a->counts && b->vector == (by == BY_TASK_CHECK))
		set(f, a, b, by);
	else if (m != b)
		vanishes(f, size_sub(f->z, m, b), by);
}

/* a <= b.  Where a is not below zero, b - a does not wrap, and is not either. */
static void
at_most(Facts *f, const Size *a, const Size *b, By by)
{
	int64_t k;

	if (size_constant(b, &k) && k == 0 && natural(f, reduced(f, a)))
		vanishes(f, a, by);
	if (size_constant(a, &k) && k == 0) {
		not_negative(f, b, by);
	} else if (range(f, a).lo >= 0) {
		const Size *d = size_sub(f->z, b, a);

		narrow(f, &(Compared){d, FROM, 0}, by);
		not_negative(f, d, by);
	}
}

/* Of the same elements one is the least, the other the greatest, and they are equal: so are all, to a number of which no more is
 * known. */
static void
all_one(Facts *f, const Size *x, const Size *y, By by)
{
	Atom *a = size_atom(x), *b = size_atom(y), *of;
	const Size *one;

	if (by != BY_CONDITION || !a || !b || a->narg != 1 || b->narg != 1 || a->arg[0].value != b->arg[0].value)
		return;
	of = size_atom(a->arg[0].value);
	if (!of || of->counts || !((a->op == FLAN_min_val && b->op == FLAN_max_val) || (a->op == FLAN_max_val && b->op == FLAN_min_val)))
		return;
	one = size_unknown(f->z, false, of->natural);
	set(f, a, one, by);
	set(f, b, one, by);
	set(f, of, one, by);
}

/* The truth a; the sums of two that compared() makes of the others are found by its laws. */
static void
learn_atom(Facts *f, Atom *a, bool holds, By by)
{
	const Size *x = a->narg > 0 ? a->arg[0].value : NULL, *y = a->narg > 1 ? a->arg[1].value : NULL;
	int64_t k;

	if (!a->counts)
		set(f, a, size_int(f->z, holds), by);
	if ((a->op == FLAN_and && holds) || (a->op == FLAN_or && !holds)) {
		facts_learn(f, x, holds, by);
		facts_learn(f, y, holds, by);
	}
	if (a->ty == TY_FLOAT)
		return;
	if (a->op == FLAN_in_range && holds && range(f, y).lo >= 0) {
		narrow(f, &(Compared){x, FROM, 0}, by);
		narrow(f, &(Compared){y, FROM, 1}, by);
		facts_learn(f, size_apply(f->z, FLAN_lt, false, 0, a->vector, TY_INT, 2, a->arg), true, by);
	}
	if (a->op == FLAN_eq && holds) {
		vanishes(f, size_sub(f->z, x, y), by);
		all_one(f, x, y, by);
	}
	if (a->op == FLAN_lt && !holds)
		at_most(f, y, x, by);
	if (a->op == FLAN_lt && holds && size_constant(y, &k) && k == 1)
		at_most(f, x, size_int(f->z, 0), by);
}

/* x <= y, as compared() has it: the sum of lt, which is given, and eq; NULL: something else. */
static Atom *
at_most_of(const Size *s, Atom **eq)
{
	Atom *a, *b;

	if (s->n != 2 || s->product[0].n != 1 || s->product[1].n != 1 || s->product[0].factor != 1 || s->product[1].factor != 1)
		return NULL;
	a = (Atom *)s->product[0].atom[0];
	b = (Atom *)s->product[1].atom[0];
	if (a->narg != 2 || b->narg != 2 || a->arg[0].value != b->arg[0].value || a->arg[1].value != b->arg[1].value)
		return NULL;
	*eq = a->op == FLAN_eq ? a : b;
	if (a->op == FLAN_lt && b->op == FLAN_eq)
		return a;
	return a->op == FLAN_eq && b->op == FLAN_lt ? b : NULL;
}

void
facts_learn(Facts *f, const Size *truth, bool holds, By by)
{
	const Size *one = size_int(f->z, 1), *no = size_sub(f->z, one, truth);
	Atom *a = size_atom(truth), *eq;
	Compared said;

	if (truth->vector != (by == BY_TASK_CHECK))
		return;
	f->by = by;
	if (range_said(f->z, truth, holds, &said))
		narrow(f, &said, by);
	if (!a && (a = size_atom(no)))
		holds = !holds;
	if (a) {
		learn_atom(f, a, holds, by);
		return;
	}
	a = at_most_of(truth, &eq);
	if (!a && (a = at_most_of(no, &eq))) {
		holds = !holds;
		truth = no;
	}
	if (a && holds) {
		vanishes(f, size_sub(f->z, truth, one), by);
		at_most(f, a->arg[0].value, a->arg[1].value, by);
	} else if (a) {
		learn_atom(f, a, false, by);
		learn_atom(f, eq, false, by);
	}
}

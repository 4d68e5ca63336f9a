/* alive.c: see alive.h.
 *
 * How  The bytes of arrays are sums of products of sizes; a product without its factor is a unit.  What is alive is, by unit, how
 *      often: that changes where an array comes or goes.  Of two points the one that has at least as much of each unit is
 *      kept; where neither has, both are.  Of more than MOST_POINTS none is kept, but a bound of all: the most that any has of each. */
#include "memmgmt/alive.h"
#include <stdlib.h>
#include <string.h>
#include "shape/text.h"

enum { MOST_POINTS = 32 };

typedef struct {
	int unit;               /* of Alive.unit */
	int64_t factor;
} Term;

typedef struct {
	const Size *bytes;
	LIST(Term) term;        /* the same */
	const char *at;         /* where it was made: FILE:LINE; or the input's name */
	int count;              /* owners; 0: gone */
	int grown;              /* how often it was extended; see make_grown of peak.c */
	bool listed;            /* it is in Alive.alive */
} Array;

typedef struct {
	int64_t *bytes;         /* nunit of them: how often each unit */
	int nunit;
	LIST(int) alive;        /* arrays */
} Point;

struct Alive {
	Arena *a;
	Sizes *z;
	LIST(Array) array;
	LIST(int) alive;        /* those that have owners, and some that have none any more */
	LIST(const Size *) unit;        /* what bytes are sums of: products, or 1 */
	LIST(int64_t) now;      /* by unit: what is alive, as Point.bytes */
	Map *unit_number;       /* Size -> its place in unit, + 1 */
	bool more;              /* some array is alive that was not at the last point */
	LIST(Point) most;
	bool bounded;           /* there were more: most is the one bound */
};

Alive *
alive_new(Arena *a, Sizes *z)
{
	Alive *w = NEW(a, Alive, 1);

	*w = (Alive){.a = a, .z = z, .unit_number = map_new(a)};
	return w;
}

/* -- arrays ---------------------------------------------------------------------------------------------- */

/* The number of the product without its factor. */
static int
unit(Alive *w, const Product *p)
{
	const Size *s = size_int(w->z, 1);
	void **at;

	for (int i = 0; i < p->n; i++)
		s = size_mul(w->z, s, p->atom[i]->self);
	at = map_at(w->unit_number, s);
	if (!*at) {
		LIST_ADD(w->a, &w->unit, s);
		LIST_ADD(w->a, &w->now, 0);
		*at = (void *)(uintptr_t)w->unit.n;
	}
	return (int)(uintptr_t)*at - 1;
}

void
alive_owners(Alive *w, int i, int more)
{
	Array *a = &w->array.at[i];
	const bool was = a->count > 0, is = a->count + more > 0;

	a->count += more;
	if (was == is)
		return;
	for (int k = 0; k < a->term.n; k++)
		w->now.at[a->term.at[k].unit] += is ? a->term.at[k].factor : -a->term.at[k].factor;
	w->more |= is;
	if (is && !a->listed) {
		a->listed = true;
		LIST_ADD(w->a, &w->alive, i);
	}
}

int
alive_new_array(Alive *w, const Size *bytes, const char *at, int times_grown)
{
	Array a = {.bytes = bytes, .at = at, .grown = times_grown};

	for (int i = 0; i < bytes->n; i++)
		LIST_ADD(w->a, &a.term, ((Term){unit(w, &bytes->product[i]), bytes->product[i].factor}));
	LIST_ADD(w->a, &w->array, a);
	alive_owners(w, w->array.n - 1, 1);
	return w->array.n - 1;
}

int
alive_grown(const Alive *w, int array)
{
	return w->array.at[array].grown;
}

/* Takes those that have none out of Alive.alive. */
static void
forget_dead(Alive *w)
{
	int kept = 0;

	for (int i = 0; i < w->alive.n; i++) {
		Array *a = &w->array.at[w->alive.at[i]];

		a->listed = a->count > 0;
		if (a->listed)
			w->alive.at[kept++] = w->alive.at[i];
	}
	w->alive.n = kept;
}

Owned
alive_owned(Alive *w)
{
	Owned l = {0};

	forget_dead(w);
	for (int i = 0; i < w->alive.n; i++)
		LIST_ADD(w->a, &l, ((Owner){w->alive.at[i], w->array.at[w->alive.at[i]].count}));
	return l;
}

void
alive_set(Alive *w, const Owned *l)
{
	for (int i = 0; i < w->alive.n; i++)
		alive_owners(w, w->alive.at[i], -w->array.at[w->alive.at[i]].count);
	for (int i = 0; i < l->n; i++)
		alive_owners(w, l->at[i].array, l->at[i].count);
}

/* -- points of the program ---------------------------------------------------------------------------- */

/* Had it at least as much of each unit as there is now? */
static bool
had_all(const Alive *w, const Point *p)
{
	for (int i = 0; i < w->now.n; i++)
		if ((i < p->nunit ? p->bytes[i] : 0) < w->now.at[i])
			return false;
	return true;
}

/* Is there now as much as it had? */
static bool
has_all(const Alive *w, const Point *p)
{
	for (int i = 0; i < w->now.n; i++)
		if (w->now.at[i] < (i < p->nunit ? p->bytes[i] : 0))
			return false;
	return true;
}

static int
by_number(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* What is there now; arrays in the order in which they were made. */
static void
add_point(Alive *w)
{
	Point p = {.bytes = NEW(w->a, int64_t, w->now.n), .nunit = w->now.n};

	if (w->now.n > 0)
		memcpy(p.bytes, w->now.at, sizeof *p.bytes * (size_t)w->now.n);
	forget_dead(w);
	for (int i = 0; i < w->alive.n; i++)
		LIST_ADD(w->a, &p.alive, w->alive.at[i]);
	if (p.alive.n > 0)
		qsort(p.alive.at, (size_t)p.alive.n, sizeof *p.alive.at, by_number);
	LIST_ADD(w->a, &w->most, p);
}

static void
drop_point(Alive *w, Point *p)
{
	arena_give_back(w->a, p->bytes, sizeof *p->bytes * (size_t)p->nunit);
	LIST_DROP(w->a, &p->alive);
}

/* Of all points one that has the most of each unit, and nothing that is told to be alive. */
static void
bound(Alive *w)
{
	Point b = {.bytes = NEW(w->a, int64_t, w->now.n), .nunit = w->now.n};

	for (int k = 0; k < w->most.n; k++) {
		Point *p = &w->most.at[k];

		for (int i = 0; i < b.nunit; i++) {
			const int64_t has = i < p->nunit ? p->bytes[i] : 0;

			b.bytes[i] = k == 0 || has > b.bytes[i] ? has : b.bytes[i];
		}
		drop_point(w, p);
	}
	w->most.n = 0;
	LIST_ADD(w->a, &w->most, b);
	w->bounded = true;
}

void
alive_point(Alive *w)
{
	int kept = 0;

	if (!w->more)
		return;
	w->more = false;
	for (int i = w->most.n; i-- > 0; )
		if (had_all(w, &w->most.at[i]))
			return;
	for (int i = 0; i < w->most.n; i++)
		if (!w->bounded && has_all(w, &w->most.at[i]))
			drop_point(w, &w->most.at[i]);
		else
			w->most.at[kept++] = w->most.at[i];
	w->most.n = kept;
	add_point(w);
	if (w->bounded || w->most.n > MOST_POINTS)
		bound(w);
}

void
alive_begin(Alive *w)
{
	w->most.n = 0;
	w->bounded = false;
	w->more = true;
	alive_point(w);
}

/* -- what is told ---------------------------------------------------------------------------------------- */

/* Of a few terms at a time: a longer sum would have a name of its own (shape/size.h). */
static const char *
bytes(Alive *w, Map *names, const Point *p)
{
	enum { FEW = 16 };
	const char *r = "";
	int i = 0;

	while (i < p->nunit) {
		const Size *some = size_int(w->z, 0);
		const char *s;

		for (int n = 0; n < FEW && i < p->nunit; i++) {
			some = size_add(w->z, some, size_mul(w->z, size_int(w->z, p->bytes[i]), w->unit.at[i]));
			n += p->bytes[i] != 0;
		}
		if (size_is(some, 0))
			continue;
		s = size_text(w->a, names, some);
		r = arena_printf(w->a, *r ? *s == '-' ? "%s - %s" : "%s + %s" : "%s%s", r, s + (*r && *s == '-'));
	}
	return *r ? r : "0";
}

/* What there is at one point, by where it was made. */
static const char *
lines(Alive *w, Map *names, const Point *p)
{
	const char *r = "";

	for (int i = 0; i < p->alive.n; i++) {
		const char *at = w->array.at[p->alive.at[i]].at;
		const Size *all = size_int(w->z, 0);
		int k = 0;
		while (k < i && strcmp(w->array.at[p->alive.at[k]].at, at) != 0)
			k++;
		for (int j = i; j < p->alive.n && k == i; j++)
			if (strcmp(w->array.at[p->alive.at[j]].at, at) == 0)
				all = size_add(w->z, all, w->array.at[p->alive.at[j]].bytes);
		if (k == i)
			r = arena_printf(w->a, "%s%s\"%s: %s\"", r, *r ? ", " : "", at, size_text(w->a, names, all));
	}
	return r;
}

const char *
alive_text(Alive *w, Map *names)
{
	const char *r = "", *sep = "";

	if (w->bounded)
		return arena_printf(w->a, "\"peak_bytes\": null, \"at_most\": \"%s\"", bytes(w, names, &w->most.at[0]));
	for (int i = 0; i < w->most.n; i++, sep = ", ")
		r = arena_printf(w->a, "%s%s{\"bytes\": \"%s\", \"alive\": [%s]}", r, sep, bytes(w, names, &w->most.at[i]),
			lines(w, names, &w->most.at[i]));
	return arena_printf(w->a, "\"peak_bytes\": [%s]", r);
}

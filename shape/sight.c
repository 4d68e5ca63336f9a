/* sight.c: what there is where the walk is. */
#include <stddef.h>
#include "shape/walk.h"

Sight
sight_none(Arena *a)
{
	return (Sight){.by_size = map_new(a), .by_count = map_new(a)};
}

void
sight_drop(Sight *s)
{
	map_drop(s->by_size);
	map_drop(s->by_count);
}

/* A descriptor is known by its total and its elements: the number of its rows is in the law for that. */
const Size *
sight_key(Walk *w, const Var *v, Shape s)
{
	if (v->ty->kind == TY_SEGDES)
		return size_apply(w->z, FLAN_segdes, false, 0, true, TY_INT, 1, &s);
	return s.value;
}

void
sight_know(Walk *w, const Var *v, Shape s, Known like)
{
	const Size *key = sight_key(w, v, s);
	Known *k = NEW(w->arena, Known, 1);
	void **at = map_at(w->sight.by_size, key);

	*k = like;
	k->size = key;
	k->as = s;
	k->serial = w->sight.known.n;
	k->before = *at;
	*at = k;
	LIST_ADD(w->arena, &w->sight.known, k);
}

static void
forget(Walk *w, int to)
{
	while (w->sight.known.n > to) {
		Known *k = w->sight.known.at[--w->sight.known.n];

		*map_at(w->sight.by_size, k->size) = k->before;
	}
}

const Known *
sight_find(Walk *w, const Var *v, Shape s)
{
	const Known *k = *map_at(w->sight.by_size, sight_key(w, v, s));

	return k && k->serial >= w->sight.since && opnd_ty(k->is)->kind == v->ty->kind ? k : NULL;
}

bool
sight_number(Walk *w, const Size *n, Opnd *is)
{
	static const Var number = {.ty = &ty_int};
	const Known *k;
	int64_t i;

	if (size_constant(n, &i)) {
		*is = opnd_int(i);
		return true;
	}
	k = sight_find(w, &number, (Shape){NULL, n});
	if (k)
		*is = k->is;
	return k != NULL;
}

static Bind *
last_of(Block *b)
{
	return b->end == &b->first ? NULL : (Bind *)((char *)b->end - offsetof(Bind, next));
}

void
sight_count(Walk *w, Var *v, const Size *n)
{
	Counted *c = NEW(w->arena, Counted, 1);
	void **at = map_at(w->sight.by_count, n);

	*c = (Counted){n, v, w->out, last_of(w->out), w->sight.counted.n, *at};
	*at = c;
	LIST_ADD(w->arena, &w->sight.counted, c);
}

static void
discount(Walk *w, int to)
{
	while (w->sight.counted.n > to) {
		Counted *c = w->sight.counted.at[--w->sight.counted.n];

		*map_at(w->sight.by_count, c->n) = c->before;
	}
}

SightMark
sight_mark(const Walk *w)
{
	const Sight *s = &w->sight;

	return (SightMark){s->known.n, s->counted.n, s->since, s->counts_since, s->told.n};
}

void
sight_back(Walk *w, SightMark m)
{
	forget(w, m.known);
	discount(w, m.counted);
	w->sight.since = m.since;
	w->sight.counts_since = m.counts_since;
	w->sight.told.n = m.told;
}

void
sight_clock(Walk *w)
{
	w->sight.since = w->sight.known.n;
	w->sight.counts_since = w->sight.counted.n;
}

void
sight_also(Walk *w, const Var *v, Shape s, Known like)
{
	if (!sight_find(w, v, s))
		sight_know(w, v, s, like);
}

Shape
sight_shape(Walk *w, Shape s)
{
	return (Shape){facts_normal(w->facts, s.length, BY_TASK_CHECK), facts_normal(w->facts, s.value, BY_TASK_CHECK)};
}

void
sight_told(Walk *w)
{
	for (int i = w->sight.known.n - 1, tried = 0; i >= w->sight.since && tried < MOST_TOLD; i--, tried++) {
		const Known *k = w->sight.known.at[i];

		if (opnd_ty(k->is)->kind == TY_SEGDES)
			sight_also(w, k->is.u.var, sight_shape(w, k->shape), *k);
	}
}

/* As an equation it would be lost where it is of no atom that stands alone, as in x = n - x, or counts places: that is said of as
 * many rows only. */
void
sight_equal(Walk *w, Shape truth)
{
	const Atom *a = size_atom(truth.value);

	if (!a || a->op != FLAN_eq || !truth.value->vector)
		return;
	for (int i = w->sight.known.n - 1, tried = 0; i >= w->sight.since && tried < MOST_TOLD; i--, tried++) {
		const Known *k = w->sight.known.at[i];
		Shape s = k->as;

		if (opnd_ty(k->is)->kind != TY_SEGDES || (s.value != a->arg[0].value && s.value != a->arg[1].value)
		    || (a->counts && sight_shape(w, s).length != sight_shape(w, truth).length))
			continue;
		s.value = a->arg[s.value == a->arg[0].value].value;
		sight_also(w, k->is.u.var, s, *k);
		sight_also(w, k->is.u.var, sight_shape(w, s), *k);
	}
}

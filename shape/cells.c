/* cells.c: as names come first, what is over them alone has numbers of unknowns below all others. */
#include "shape/cells.h"
#include "common/map.h"

enum { DEEPEST = 8 };           /* how deep operators nest in what is told */

/* Of a leaf: its elements, or the value of a scalar; length: of what is outermost, at its first leaf. */
typedef struct Leaf {
	const Size *length, *value;
} Leaf;

typedef struct Known {
	bool told;                      /* a value was, or it is an input */
	int n;
	Leaf *name, *is;                /* is: NULL where it has only its name */
	const Size **uniform;           /* names, for the one length of all rows */
	PassedBy passed;                /* the form that sets it */
} Known;

struct Cells {
	Arena *arena;
	Sizes *z;
	Map *known;                     /* Cell -> Known; NULL: set more than once */
	int names;                      /* unknowns */
};

/* -- leaves ----------------------------------------------------------------------------------------- */

typedef struct Reading {
	Sizes *z;
	const Known *k;                 /* NULL: of a value that has no names */
	int i;                          /* the leaf that comes next */
	Shape *to;
} Reading;

static const Size *
value(const Reading *r, bool vector, bool natural)
{
	if (!r->k)
		return size_unknown(r->z, vector, natural);
	return r->k->is[r->i].value ? r->k->is[r->i].value : r->k->name[r->i].value;
}

static const Size *
length(const Reading *r)
{
	if (!r->k)
		return size_unknown(r->z, false, true);
	return r->k->is[r->i].length ? r->k->is[r->i].length : r->k->name[r->i].length;
}

/* n: how many there are; NULL: one, at the host. */
static void
leaves(Reading *r, const Ty *t, const Size *n)
{
	Shape s;

	if (t->kind == TY_PAIR) {
		leaves(r, t->a, n);
		leaves(r, t->b, n);
	} else if (t->kind == TY_SEQ && !n) {
		leaves(r, t->a, length(r));
	} else if (t->kind == TY_SEQ) {
		s = r->to[r->i] = (Shape){n, value(r, true, true)};
		r->i++;
		leaves(r, t->a, size_sum(r->z, s));
	} else {
		r->to[r->i] = (Shape){n, value(r, n != NULL, t->kind == TY_BOOL)};
		r->i++;
	}
}

void
cells_any(Sizes *z, const Ty *t, Shape *leaf)
{
	Reading r = {z, NULL, 0, leaf};

	leaves(&r, t, NULL);
}

/* -- cells ------------------------------------------------------------------------------------------ */

static void
name_leaves(Cells *k, const Cell *c)
{
	Known *x = NEW(k->arena, Known, 1);
	Shape *s;
	TyList l = {0};

	ty_leaves(k->arena, c->ty, false, &l);
	s = NEW(k->arena, Shape, l.n);
	*x = (Known){c->input, l.n, NEW(k->arena, Leaf, l.n), NEW(k->arena, Leaf, l.n), NEW(k->arena, const Size *, l.n), {{0}, 0}};
	cells_any(k->z, c->ty, s);
	for (int i = 0; i < l.n; i++) {
		x->name[i] = (Leaf){s[i].length, s[i].value};
		x->uniform[i] = size_unknown(k->z, false, l.at[i]->kind == TY_SEGDES);
	}
	*map_at(k->known, c) = x;
}

Cells *
cells_new(Arena *a, Sizes *z, const Program *p)
{
	Cells *k = NEW(a, Cells, 1);
	Map *set = map_new(a), *again = map_new(a);

	*k = (Cells){a, z, map_new(a), 0};
	for (const Entry *e = p->entries; e; e = e->next)
		for (int i = 0; i < e->ncell; i++) {
			Cell *c = e->cell[i];

			*map_at(c->input || *map_at(set, c) ? again : set, c) = c;
		}
	for (const Cell *c = p->cells; c; c = c->next)
		if ((c->input || *map_at(set, c)) && !*map_at(again, c))
			name_leaves(k, c);
	k->names = size_unknowns(z);
	return k;
}

void
cells_read(Cells *k, const Cell *c, Shape *leaf, bool *known)
{
	const Known *x = *map_at(k->known, c);
	Reading r = {k->z, x, 0, leaf};

	leaves(&r, c->ty, NULL);
	*known = !x || x->told;
}

/* Over names alone? */
static bool
closed(const Cells *k, const Size *s)
{
	return s->newest < k->names && s->depth <= DEEPEST;
}

/* s is told, again or first: what is known then.  NULL: the name. */
static const Size *
met(const Cells *k, bool first, const Size *known, const Size *s, const Size *uniform)
{
	const Size *is = closed(k, s) ? s : !s->vector ? uniform : NULL;

	return first || known == is ? is : NULL;
}

bool
cells_told(Cells *k, const Cell *c, const Shape *leaf)
{
	Known *x = *map_at(k->known, c);
	bool first, other;

	if (!x)
		return false;
	first = other = !x->told;
	for (int i = 0; i < x->n; i++) {
		const Leaf was = x->is[i];

		if (leaf[i].length)
			x->is[i].length = met(k, first, was.length, leaf[i].length, NULL);
		x->is[i].value = met(k, first, was.value, leaf[i].value, leaf[i].length ? x->uniform[i] : NULL);
		other = other || was.length != x->is[i].length || was.value != x->is[i].value;
	}
	x->told = true;
	return other;
}

bool
cells_passed(Cells *k, const Cell *c, const PassedList *checks)
{
	Known *x = *map_at(k->known, c);
	PassedList told = {0};

	if (!x)
		return false;
	for (int i = 0; i < checks->n; i++)
		if (closed(k, checks->at[i].says))
			LIST_ADD(k->arena, &told, checks->at[i]);
	return passed_met(k->arena, &x->passed, &told);
}

PassedList
cells_checks(const Cells *k, const Cell *c)
{
	const Known *x = *map_at(k->known, c);

	return x ? x->passed.all : (PassedList){0};
}

bool
cells_name(const Cells *k, int unknown)
{
	return unknown < k->names;
}

/* ties.c: slots in groups; each meeting splits groups, so there are at most as many changes as slots, and as many again
 * where something is no longer known. */
#include "common/map.h"
#include "shape/ties.h"

enum { DEEPEST = 8 };           /* how deep operators nest in what is said over other atoms */

typedef enum { VALUE, LENGTH, ELEMENTS, TOTAL } Kind;

typedef struct Slot {
	int var;
	Kind kind;
	int group;
	int64_t more;                   /* than what the group is */
} Slot;

typedef struct Group {
	const Size *is;                 /* NULL: not known */
	bool uniform;                   /* all elements the same, where they are elements */
	const Size *before;             /* while meeting: what it is this time */
	int next;                       /* while meeting: another with the same number before; -1 */
} Group;

struct Ties {
	int n, nslot;
	const Ty *const *ty;
	Slot *slot;
	bool met;
	LIST(Group) group;
};

static void
add(Ties *t, int var, Kind kind)
{
	t->slot[t->nslot++] = (Slot){var, kind, 0, 0};
}

static bool
has_total(const Ty *ty)
{
	return ty->kind == TY_SEGDES || (ty->kind == TY_VEC && ty->a->kind == TY_INT);
}

Ties *
ties_new(Arena *a, int n, const Ty *const *ty)
{
	Ties *t = NEW(a, Ties, 1);

	t->n = n;
	t->ty = ty;
	t->slot = NEW(a, Slot, 3 * n);
	for (int i = 0; i < n; i++) {
		if (ty_scalar(ty[i])) {
			add(t, i, VALUE);
			continue;
		}
		add(t, i, LENGTH);
		add(t, i, ELEMENTS);
		if (has_total(ty[i]))
			add(t, i, TOTAL);
	}
	return t;
}

int
ties_slots(const Ties *t)
{
	return t->nslot;
}

int
ties_elements(const Ties *t, int i)
{
	return t->slot[i].kind == ELEMENTS ? t->slot[i].var : -1;
}

void
ties_of(Sizes *z, const Ties *t, const Shape *x, const Size **slot)
{
	for (int i = 0; i < t->nslot; i++) {
		const Shape v = x[t->slot[i].var];

		switch (t->slot[i].kind) {
		case VALUE: case ELEMENTS: slot[i] = v.value; break;
		case LENGTH: slot[i] = v.length; break;
		case TOTAL: slot[i] = size_sum(z, v); break;
		}
	}
}

/* -- meeting ---------------------------------------------------------------------------------------- */

static bool
closed(const Size *s, int lo, int hi)
{
	return s->oldest > s->newest || (s->oldest >= lo && s->newest < hi);
}

static int
group_new(Arena *a, Ties *t, const Size *s, bool first, const Group *old, int lo, int hi)
{
	Group g = {.before = s, .next = -1, .uniform = !s->vector && (first || old->uniform)};

	if (first ? closed(s, lo, hi) : old->is == s)
		g.is = s;
	LIST_ADD(a, &t->group, g);
	return t->group.n - 1;
}

/* Among the parts of group g found so far the one for s, or a new one. */
static int
part_for(Arena *a, Ties *t, int g, const Size *s, bool *weaker)
{
	Group *old = &t->group.at[g];

	while (t->group.at[g].before && t->group.at[g].before != s) {
		if (t->group.at[g].next < 0) {
			Group whole = *old;
			int n;

			n = group_new(a, t, s, false, &whole, 0, 0);
			t->group.at[g].next = n;
			*weaker = true;
			return n;
		}
		g = t->group.at[g].next;
		old = &t->group.at[g];
	}
	t->group.at[g].before = s;
	return g;
}

bool
ties_meet(Arena *a, Sizes *z, Ties *t, const Size *const *slot, int lo, int hi)
{
	bool weaker = !t->met;
	Map *seen = weaker ? map_new(a) : NULL;
	const int had = t->group.n;
	Group *was = NEW(a, Group, had);

	for (int i = 0; i < had; i++) {
		was[i] = t->group.at[i];
		t->group.at[i].before = NULL;
		t->group.at[i].next = -1;
	}
	for (int i = 0; i < t->nslot; i++) {
		Slot *s = &t->slot[i];
		const Size *is;

		if (!t->met)
			s->more = slot[i]->vector ? 0 : size_term(slot[i]);    /* what differs by a number is in one group */
		is = size_sub(z, slot[i], size_int(z, s->more));
		if (t->met) {
			s->group = part_for(a, t, s->group, is, &weaker);
		} else {
			void **at = map_at(seen, is);

			if (!*at) {
				s->group = group_new(a, t, is, true, NULL, lo, hi);
				*map_at(seen, is) = (void *)(intptr_t)(s->group + 1);
			} else
				s->group = (int)(intptr_t)*at - 1;
		}
	}
	/* the first part of each group keeps its place */
	for (int i = 0; t->met && i < had; i++) {
		Group *g = &t->group.at[i];

		if (!g->before)
			continue;
		if (g->is && g->is != g->before)
			g->is = NULL;
		if (g->uniform && g->before->vector)
			g->uniform = false;
		weaker |= g->is != was[i].is || g->uniform != was[i].uniform;
	}
	t->met = true;
	return weaker;
}

bool
ties_none(const Ties *t)
{
	return !t->met;
}

void
ties_reset(Ties *t)
{
	t->met = false;
	t->group.n = 0;
}

/* -- making ----------------------------------------------------------------------------------------- */

typedef struct Making {
	Arena *arena;
	Sizes *z;
	const Ties *t;
	Var *const *v;
	Over over;                      /* become NULL: as it is */
	const Size **size;              /* by group: what is in common, of which each slot has `more` */
	const Size **length;            /* by group: of the unknown elements that `size` is */
	SlotList *of;
	int before;                     /* unknowns */
} Making;

static bool
is_truth(const Ty *ty)
{
	return (ty->kind == TY_VEC ? ty->a : ty)->kind == TY_BOOL;
}

/* What slot i is.  length: of those whose elements it is.  An unknown stands for the elements of one length only, or
 * what a check says of some would hold of more. */
static const Size *
made(Making *m, int i, const Size *length)
{
	const Slot *s = &m->t->slot[i];
	const Group *g = &m->t->group.at[s->group];
	const Size **at = &m->size[s->group], *is;
	const Ty *ty = m->t->ty[s->var];
	bool uniform = s->kind == ELEMENTS && g->uniform;       /* of nothing that is there, maybe */
	bool lengths = ty->kind == TY_SEGDES || (m->v[s->var]->natural && s->kind != TOTAL);
	bool natural = s->kind == LENGTH || is_truth(ty) || (lengths && !uniform);

	if (!*at && g->is && !(m->over.become && g->is->depth > DEEPEST))
		*at = m->over.become ? size_over(m->z, g->is, &m->over, 100) : g->is;
	if (!*at || (m->length[s->group] && m->length[s->group] != length)) {
		*at = size_sub(m->z, size_unknown(m->z, s->kind == ELEMENTS && !uniform, natural), size_int(m->z, s->more));
		if (m->of)
			LIST_ADD(m->arena, m->of, i);
		m->length[s->group] = (*at)->vector ? length : NULL;
	}
	is = size_add(m->z, *at, size_int(m->z, s->more));
	/* what was there before is so only from here on, which is not said of an atom */
	if (natural && size_atom(is) && size_atom(is)->op == UNKNOWN_ATOM && size_atom(is)->oldest >= m->before)
		size_atom(is)->natural = true;
	return is;
}

/* The total of x is slot i. */
static void
tie_total(Making *m, int i, Shape x)
{
	const Size *sum = size_sum(m->z, x), **at = &m->size[m->t->slot[i].group], *more = size_int(m->z, m->t->slot[i].more), *is;
	Atom *a = size_atom(sum), *e = size_atom(x.value);

	if (!*at && m->t->group.at[m->t->slot[i].group].is)
		made(m, i, NULL);
	if (!*at)
		*at = size_sub(m->z, sum, more);
	is = size_add(m->z, *at, more);
	if (is != sum && a && a->op >= 0 && !a->is && e && e->op == UNKNOWN_ATOM && e->newest >= m->before)
		a->is = is;
}

void
ties_make(Arena *a, Sizes *z, const Ties *t, Var *const *v, Become *become, void *what, Shape *x, SlotList *of)
{
	Making m = {a, z, t, v, {become, what, size_round(z)}, NEW(a, const Size *, t->group.n), NEW(a, const Size *, t->group.n), of, size_unknowns(z)};

	/* scalars, then descriptors, then what may be as long as one of those says */
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < t->nslot; i++) {
			const Slot *s = &t->slot[i];
			const TyKind kind = t->ty[s->var]->kind;

			if (round != (kind == TY_SEGDES ? 1 : kind == TY_VEC ? 2 : 0))
				continue;
			switch (s->kind) {
			case VALUE: x[s->var] = (Shape){NULL, made(&m, i, NULL)}; break;
			case LENGTH: x[s->var].length = made(&m, i, NULL); break;
			case ELEMENTS: x[s->var].value = made(&m, i, x[s->var].length); break;
			case TOTAL: tie_total(&m, i, x[s->var]); break;
			}
		}
}

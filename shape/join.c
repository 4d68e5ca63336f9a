/* join.c: what holds behind a conditional.
 *
 * Its results are what both arms give, if it is the same, also if it is the same only under the condition: what has no
 * elements there is as good as any other. */
#include "shape/join.h"
#include "shape/returns.h"

typedef struct Arms {
	const Size **slot[2];
	const Shape *yield[2];
} Arms;

static bool
empty(Walk *w, Shape x)
{
	return size_is(facts_normal(w->facts, x.length, BY_CONDITION), 0);
}

/* Where neither has any, their elements are the same. */
static bool
no_elements(Walk *w, const Ties *t, int i, const Shape *x, const Shape *y)
{
	int v = ties_elements(t, i);

	return v >= 0 && empty(w, x[v]) && empty(w, y[v]);
}

/* Where the condition is as in arm k: is what the arm gives in slot i the same as `size`, what the other gives? */
static bool
same_there(Walk *w, const Arms *a, const Ties *t, int k, int i)
{
	const Size *own = facts_normal(w->facts, a->slot[k][i], BY_CONDITION);
	const Size *other = facts_normal(w->facts, a->slot[1 - k][i], BY_CONDITION);

	return own == other || no_elements(w, t, i, a->yield[k], a->yield[1 - k]);
}

/* What slots are the same whichever arm is taken: both become what one gives, if that is known outside. */
static void
agree(Walk *w, Arms *a, const Ties *t, const Size *cond, int outside)
{
	for (int k = 0; k < 2; k++) {
		int mark = facts_mark(w->facts);

		facts_learn(w->facts, cond, k == 0, BY_CONDITION);
		for (int i = 0; i < ties_slots(t); i++)
			if (a->slot[1 - k][i]->newest < outside && a->slot[0][i] != a->slot[1][i] && same_there(w, a, t, k, i))
				a->slot[k][i] = a->slot[1 - k][i];
		facts_forget(w->facts, mark);
	}
}

static const Ty **
types(const Walk *w, const Bind *b)
{
	const Ty **ty = NEW(w->arena, const Ty *, b->ndst);

	for (int i = 0; i < b->ndst; i++)
		ty[i] = b->dst[i]->ty;
	return ty;
}

/* waits: nothing is known yet of what one arm's calls give. */
void
join_arms(Walk *w, const Bind *b, Shape *const yield[2], const bool never[2], bool waits, int outside)
{
	Ties *t = ties_new(w->arena, b->ndst, types(w, b));
	Arms a = {.yield = {yield[0], yield[1]}};
	Shape *x = NEW(w->arena, Shape, b->ndst);

	for (int k = 0; k < 2; k++) {
		a.slot[k] = NEW(w->arena, const Size *, ties_slots(t));
		if (!never[k])
			ties_of(w->z, t, yield[k], a.slot[k]);
	}
	if (!never[0] && !never[1])
		agree(w, &a, t, walk_operand(w, b->arg[0]).value, outside);
	for (int k = 0; k < 2; k++)
		if (!never[k])
			ties_meet(w->arena, w->z, t, a.slot[k], 0, outside);
	ties_make(w->arena, w->z, t, b->dst, NULL, NULL, x, NULL);
	for (int i = 0; i < b->ndst; i++) {
		if (waits && x[i].length && size_is(x[i].length, 0))
			x[i].value = size_nowhere(w->z);
		walk_shape(w, b->dst[i], x[i]);
	}
}

/* An arm: what it has checked, and how that is told outside. */
typedef struct Arm {
	const PassedList *passed;
	Ends ends;
	PassedList outside;
} Arm;

/* Of what the other arm has checked, what holds where arm k ends, by what is as strong. */
static PassedList
hold_too(Walk *w, const Size *cond, int k, const Arm *arm)
{
	const PassedList *own = arm[k].passed, *other = &arm[1 - k].outside;
	const int mark = facts_mark(w->facts);
	PassedList l = {0};

	if (other->n > 0)
		facts_learn(w->facts, cond, k == 0, BY_CONDITION);
	for (int i = 0; i < own->n && i < MOST_TOLD && other->n > 0; i++)
		facts_learn(w->facts, own->at[i].says, true, own->at[i].by);
	for (int i = 0; i < other->n && i < MOST_TOLD; i++) {
		const Size *says = returns_inwards(w, other->at[i].says, &arm[k].ends);

		if (size_is(facts_normal(w->facts, says, other->at[i].by), 1))
			LIST_ADD(w->arena, &l, other->at[i]);
	}
	facts_forget(w->facts, mark);
	return l;
}

/* In the order that they were first thought of, so that what recursion makes of one comes behind it. */
static void
put_in_order(Arena *a, PassedList *l, Passed p)
{
	int i = l->n;

	LIST_ADD(a, l, p);
	for (; i > 0 && l->at[i - 1].says->number > p.says->number; i--)
		l->at[i] = l->at[i - 1];
	l->at[i] = p;
}

/* What both arms have checked holds behind them; and what one has, if the other does not come to its end. */
void
join_passed(Walk *w, const Bind *b, Shape *const yield[2], const PassedList checks[2], const bool never[2], int outside)
{
	const Ties *t = ties_new(w->arena, b->ndst, types(w, b));
	const Size *cond = walk_operand(w, b->arg[0]).value;
	const Size **to = NEW(w->arena, const Size *, ties_slots(t)), **from;
	Shape *result = NEW(w->arena, Shape, b->ndst);
	PassedList both = {0};
	Arm arm[2];

	for (int i = 0; i < b->ndst; i++)
		result[i] = w->shape[b->dst[i]->id];
	ties_of(w->z, t, result, to);
	for (int k = 0; k < 2; k++) {
		from = NEW(w->arena, const Size *, ties_slots(t));
		arm[k] = (Arm){&checks[k], {t, from, to, 0, outside}, {0}};
		if (never[k])
			continue;
		ties_of(w->z, t, yield[k], from);
		arm[k].outside = returns_outwards(w, &checks[k], &arm[k].ends);
	}
	for (int k = 0; k < 2; k++) {
		const PassedList l = never[1 - k] ? arm[k].outside : hold_too(w, cond, 1 - k, arm);

		for (int i = 0; i < l.n; i++)
			put_in_order(w->arena, &both, l.at[i]);
	}
	walk_passed(w, both);
}

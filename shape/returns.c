/* returns.c: checks of a function in the words of its callers.
 *
 * How  A check of the callee that all ways to its end have passed is told over the unknowns of its parameters, over one
 *      unknown for each slot of its results, and over names of cells, which mean the same everywhere.  What is about
 *      something else in the callee is not told.  At a call these unknowns are the slots there.  That a call returns, so that
 *      what it says holds, is by induction over the calls that a run makes, as what is known of results (shape.c): of calls that
 *      are not known to return nothing is assumed, as nothing behind them is looked at. */
#include "shape/returns.h"

enum { DEEPEST = 8 };           /* how deep operators nest in what is told over other atoms */

const Size **
returns_new(Arena *a, Sizes *z, const Ties *result)
{
	const Size **out = NEW(a, const Size *, ties_slots(result));

	for (int i = 0; i < ties_slots(result); i++)
		out[i] = size_unknown(z, ties_elements(result, i) >= 0, false);
	return out;
}

typedef struct Telling {
	const Walk *w;
	const Ends *ends;
	bool fails;                     /* it is about something else */
} Telling;

static bool
stays(const Telling *t, int oldest, int newest)
{
	return oldest > newest || cells_name(t->w->cells, newest) || (oldest >= t->ends->lo && newest < t->ends->hi);
}

static const Size *
outwards(void *telling, const Atom *a, int deeper)
{
	Telling *t = telling;
	const Ends *e = t->ends;

	(void)deeper;
	if (stays(t, a->oldest, a->newest))
		return a->self;
	for (int i = 0; i < ties_slots(e->ties); i++)
		if (e->from[i] == a->self && !a->counts && a->vector == (ties_elements(e->ties, i) >= 0))
			return e->to[i];
	t->fails = t->fails || a->narg == 0;
	return NULL;
}

PassedList
returns_outwards(Walk *w, const PassedList *l, const Ends *ends)
{
	PassedList told = {0};

	for (int i = 0; i < l->n; i++) {
		Telling t = {w, ends, false};
		const Over over = {outwards, &t, size_round(w->z)};
		Passed p = l->at[i];

		if (stays(&t, p.says->oldest, p.says->newest)) {
			LIST_ADD(w->arena, &told, p);
			continue;
		}
		if (p.says->depth > DEEPEST)
			continue;
		p.says = size_over(w->z, p.says, &over, DEEPEST);
		if (!t.fails)
			LIST_ADD(w->arena, &told, p);
	}
	return told;
}

static const Size *
inwards(void *ends, const Atom *a, int deeper)
{
	const Ends *e = ends;

	(void)deeper;
	for (int i = 0; i < ties_slots(e->ties) && a->op == UNKNOWN_ATOM; i++)
		if (e->to[i] == a->self)
			return e->from[i];
	return NULL;
}

const Size *
returns_inwards(Walk *w, const Size *s, const Ends *ends)
{
	return size_over(w->z, s, &(Over){inwards, (void *)ends, size_round(w->z)}, DEEPEST);
}

bool
returns_met(Walk *w, Routine *r, const Size *const *slot)
{
	const Ends ends = {r->result, slot, r->out, r->lo, r->hi};
	const PassedList told = returns_outwards(w, &w->sight.passed, &ends);

	return passed_met(w->arena, &r->passed, &told);
}

const Size *
returns_actual(void *call, const Atom *a, int deeper)
{
	const Actual *c = call;
	const Routine *r = c->r;
	const int k = a->oldest, n = c->result ? ties_slots(r->result) : 0;

	(void)deeper;
	if (a->op != UNKNOWN_ATOM)
		return NULL;
	if (k >= r->lo && k < r->hi)
		return c->arg[r->of.at[k - r->lo]];
	return n > 0 && k >= r->out[0]->oldest && k <= r->out[n - 1]->oldest ? c->result[k - r->out[0]->oldest] : NULL;
}

PassedList
returns_say(Walk *w, Actual *call)
{
	const Over over = {returns_actual, call, size_round(w->z)};
	const PassedList *l = &call->r->passed.all;
	PassedList said = {0};

	for (int i = 0; i < l->n; i++) {
		Passed p = l->at[i];

		p.says = size_over(w->z, p.says, &over, DEEPEST);
		LIST_ADD(w->arena, &said, p);
	}
	return said;
}

/* run.c: what holds of a run of elements, one behind the other.
 *
 * In   the steps of the pass, marked; of some it is known what they are (Step.is, Step.inside)
 * Out  which numbers are the same for all of the run, or go up evenly; what to ask once for all its places; which steps are needed
 * How  A vector holds places that go up evenly if it holds the first and the last, and numbers that are below n, or n, if it holds
 *      n. */
#include "backend/cpu/elements.h"

enum { MOST_DEEP = 6 };        /* operators of a place */

const Opnd cpu_no = {.kind = OPND_BOOL, .u.i = 0}, cpu_yes = {.kind = OPND_BOOL, .u.i = 1};

/* Is it the same for all elements?  Steps of level 1 are, for those of level 2. */
bool
cpu_run_fixes(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, o);

	return !s || s->level < r->level;
}

/* Does it go up by one from each element to the next? */
const Step *
cpu_run_counter(const Plan *t, int level, Opnd o)
{
	const Step *s = cpu_step(t, o);

	return s && s->level == level && (s->b->op == LCU_inner || s->b->op == LCU_index) ? s : NULL;
}

/* What goes up evenly: what it is at the next element, and how much more it is at each one behind that (NULL: one).  at NULL: it does not. */
typedef struct { const char *at, *by; } Even;

static const char *const one_less = "-1";

static Even even(const Run *r, Opnd o, int deep);

static const char *
combined(const Run *r, const Step *s, const char *x, const char *y)
{
	return arena_printf(r->t->k->arena, "i%s(%s, %s)", cpu_op(r->t->k, s->b)->name, x, y);
}

static const char *
negated(const Run *r, const char *by)
{
	return !by ? one_less : by == one_less ? NULL : arena_printf(r->t->k->arena, "isub(0, %s)", by);
}

/* A sum or difference of what goes up evenly, or of one such and what is the same for all; or a product of these. */
static Even
even_of(const Run *r, const Step *s, int deep)
{
	const bool times = s->b->op == LCU_mul;
	Even x[2];

	for (int i = 0; i < 2; i++) {
		x[i] = cpu_run_fixes(r, s->b->arg[i]) ? (Even){cpu_operand(r->t->k, s->b->arg[i]), "0"} : even(r, s->b->arg[i], deep - 1);
		if (!x[i].at)
			return (Even){0};
	}
	for (int i = 0; i < 2; i++) {
		const Even one = x[i], fixed = x[1 - i];

		if (!cpu_run_fixes(r, s->b->arg[1 - i]))
			continue;
		if (times)
			return (Even){combined(r, s, one.at, fixed.at), one.by ? combined(r, s, one.by, fixed.at) : fixed.at};
		if (s->b->op == LCU_add || i == 0)
			return (Even){combined(r, s, one.at, fixed.at), one.by};
		return (Even){combined(r, s, fixed.at, one.at), negated(r, one.by)};
	}
	return times ? (Even){0} : (Even){combined(r, s, x[0].at, x[1].at), combined(r, s, x[0].by ? x[0].by : "1", x[1].by ? x[1].by : "1")};
}

static Even
even(const Run *r, Opnd o, int deep)
{
	const Step *s = cpu_step(r->t, o = cpu_plan_is(r->t, o));

	if (cpu_run_counter(r->t, r->level, o))
		return (Even){cpu_step_value(r->t, s), NULL};
	if (!s || s->level != r->level || deep == 0 || opnd_ty(o)->kind != TY_INT)
		return (Even){0};
	return s->b->op == LCU_add || s->b->op == LCU_sub || s->b->op == LCU_mul ? even_of(r, s, deep) : (Even){0};
}

const char *
cpu_run_goes_up(const Run *r, Opnd o)
{
	const Even x = even(r, o, MOST_DEEP);

	return x.by ? NULL : x.at;
}

const char *
cpu_run_goes_down(const Run *r, Opnd o)
{
	const Even x = even(r, o, MOST_DEEP);

	return x.by == one_less ? x.at : NULL;
}

/* m, if o is a number from 0 to below m, or else m, one that all elements have; else NULL. */
static const char *
at_most(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, cpu_plan_is(r->t, o)), *c = s && s->b->op == LCU_select ? cpu_step(r->t, s->b->arg[0]) : NULL;
	const Opnd *of = s ? s->b->arg : NULL;

	if (!c || c->b->op != LCU_in_range || !same_opnd(c->b->arg[0], of[1]) || !same_opnd(c->b->arg[1], of[2]) || !cpu_run_fixes(r, of[2]))
		return NULL;
	return cpu_operand(r->t->k, of[2]);
}

/* A place in its vector, or compared with a length: how many places there are; NULL: it is not that, or they are not the same for
 * all. */
static const char *
places_of(const Run *r, const Step *s, Opnd *place)
{
	const Bind *b = s->b;
	const bool compares = b->op == LCU_in_range, puts = s->doing == DO_SINK && b->op != LCU_check && !lcu_stores(b);

	if (s->level != r->level || !(compares || b->op == LCU_fetch || puts) || (compares && !cpu_run_fixes(r, b->arg[1])))
		return NULL;
	*place = b->arg[!compares];
	return compares ? cpu_operand(r->t->k, b->arg[1]) : b->op == LCU_fetch ? cpu_step_places(r->t, s) : cpu_step_count(r->t, s);
}

/* When a place is one up to stop, if that can be asked at once: it goes up evenly, or is at most a number. */
const char *
cpu_run_within(const Run *r, const Step *s, const char *stop)
{
	Arena *a = r->t->k->arena;
	Opnd place;
	const char *places = places_of(r, s, &place), *x;
	const Even of = places ? even(r, place, MOST_DEEP) : (Even){0};

	if (of.at && of.by)
		return arena_printf(a, "nesl_evenly_within(%s, %s, %s - e%d, %s)", of.at, of.by, stop, r->level, places);
	if (of.at)
		return arena_printf(a, "nesl_within(%s, %s - e%d, %s)", of.at, stop, r->level, places);
	x = places ? at_most(r, place) : NULL;
	return x ? arena_printf(a, "nesl_in(%s, %s)", x, places) : NULL;
}

/* What a choice is, where it is known which. */
static const Opnd *
chosen(const Plan *t, const Bind *select)
{
	const Opnd cond = cpu_plan_is(t, select->arg[0]);
	Opnd *is = NULL;

	if (cond.kind == OPND_BOOL) {
		is = NEW(t->k->arena, Opnd, 1);
		*is = cpu_plan_is(t, select->arg[cond.u.i ? 1 : 2]);
	}
	return is;
}

/* What not, and, or is, where enough is known of its operands. */
static const Opnd *
concluded(const Plan *t, const Bind *b)
{
	const bool not = b->op == LCU_not, is_or = b->op == LCU_or;
	Opnd *is = NEW(t->k->arena, Opnd, 1);

	if (!not && !is_or && b->op != LCU_and)
		return NULL;
	for (int i = 0; i < b->narg; i++) {
		const Opnd x = cpu_plan_is(t, b->arg[i]);

		if (x.kind != OPND_BOOL)
			continue;
		*is = not ? opnd_bool(!x.u.i) : x.u.i == is_or ? x : cpu_plan_is(t, b->arg[1 - i]);
		return is;
	}
	return NULL;
}

/* Marks what is needed of the level, with what is known: choices that are made, and checks that hold, need nothing. */
void
cpu_run_settle(Run *r)
{
	Plan *t = r->t;

	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];
		const Bind *b = s->b;

		s->need = r->need[i] && (s->level != r->level || s->doing != DO_VALUE || scalar_tells(t->k->scalars, b));
		if (b->op == LCU_not || b->op == LCU_and || b->op == LCU_or)
			s->is = concluded(t, b);
		if (s->level != r->level)
			continue;
		if (b->op == LCU_select)
			s->is = chosen(t, b);
		if (b->op == LCU_check && cpu_plan_is(t, b->arg[0]).kind == OPND_BOOL)
			s->need &= !cpu_plan_is(t, b->arg[0]).u.i;
		s->need &= !(b->op == LCU_check && s->inside);
	}
	cpu_plan_close(t);
}

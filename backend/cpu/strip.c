/* strip.c: results that are stored a strip at a time (nesl_cpu_strips.h).
 *
 * In   the steps of the last pass, marked (plan.h)
 * Out  a loop over strips of the chunk's elements, around that over these
 * How  What is stored in order, of elements of the inner level.  A row that a strip's end cuts goes on in the next one, as rows do that a
 *      chunk's end cuts.  Whether there are strips depends on the machine, so nothing may depend on where they end: floats that are
 *      folded in lanes would (lanes.c); for those that are scanned strips end where lanes begin. */
#include "backend/cpu/plan.h"
#include "backend/rt/nesl_strips.h"

/* Stored in order, in an array that was not there before. */
static bool
streams(const Step *s)
{
	return s->need && s->b->op == LCU_store;
}

static int
inner(const Plan *t)
{
	return t->two ? 2 : 1;
}

bool
cpu_strip_has(const Plan *t, const Step *s)
{
	return t->strips && streams(s) && s->level == inner(t);
}

/* Are floats folded, or is something done that takes longer than to store? */
static bool
is_against(const Plan *t, const Step *s)
{
	const bool folds = s->level == inner(t) && s->doing == DO_REDUCE;

	return s->need && (lcu_is_heavy(t->k->p->ir, s->b) || (folds && opnd_ty(s->b->arg[0])->kind == TY_FLOAT));
}

bool
cpu_strips_serve(const Plan *t)
{
	int arrays = 0;

	for (int i = 0; i < t->n; i++) {
		if (is_against(t, &t->step[i]))
			return false;
		arrays += streams(&t->step[i]) && t->step[i].level == inner(t);
	}
	return arrays > 0 && arrays <= NESL_STREAMS;
}

void
cpu_strips_open(Plan *t, const char *from, const char *past)
{
	const char *n = t->two ? t->k->fixed.n2 : t->n1, *all;
	Emit *e = t->k->e;
	int bytes = 0, k = 0;

	for (int i = 0; i < t->n; i++)
		if (cpu_strip_has(t, &t->step[i]))
			bytes += emit_size(e, t->step[i].b->dst[0]->ty);
	all = arena_printf(t->k->arena, "%dL * %s", bytes, n);
	if (t->by_row)
		all = arena_printf(t->k->arena, "nesl_if_long(%s, %s, %s)", t->n1, n, all);
	emit_line(e, "nesl_strips strip_ = nesl_strips_of(%s, %s, %s);", from, past, all);
	emit_open(e, "do {");
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (cpu_strip_has(t, s))
			emit_line(e, "%s *const restrict %s = nesl_strip(&strip_, %d, %s, %d);", cpu_step_type(s), cpu_step_name(t, s, ""), k++,
				cpu_step_name(t, s, "_v"), emit_size(e, s->b->dst[0]->ty));
	}
}

void
cpu_strips_close(Plan *t)
{
	emit_close(t->k->e, "} while (nesl_next_strip(&strip_));");
}

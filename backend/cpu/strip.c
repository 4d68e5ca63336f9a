/* strip.c: results that are stored a strip at a time (nesl_cpu_strips.h).
 *
 * In   the steps of the last pass, marked (plan.h)
 * Out  a loop over strips of the chunk's elements, around that over these
 * How  What is stored in order, at one level: that of a row's elements, if some are.  A row that a strip's end cuts goes on in the next
 *      one, as rows do that a chunk's end cuts.  Whether there are strips depends on the machine, so nothing may depend on where they end:
 *      floats that are folded in lanes would (lanes.c); for those that are scanned strips end where lanes begin. */
#include "backend/cpu/plan.h"

enum { MOST_STREAMS = 4 };      /* NESL_STREAMS */

/* Stored in order, in an array that was not there before. */
static bool
streams(const Step *s)
{
	return s->need && s->b->op == LCU_store;
}

bool
cpu_strip_has(const Plan *t, const Step *s)
{
	return t->strips && streams(s) && s->level == t->strips;
}

/* Are floats folded there?  Those of rows are folded row by row. */
static bool
depends_on_ends(const Plan *t, int level)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->need && s->level == level && s->doing == DO_REDUCE && opnd_ty(s->b->arg[0])->kind == TY_FLOAT && !(t->by_row && level == 1))
			return true;
	}
	return false;
}

int
cpu_strip_level(const Plan *t)
{
	int arrays[3] = {0}, level;

	for (int i = 0; i < t->n; i++) {
		if (t->step[i].need && lcu_is_heavy(t->k->p->ir, t->step[i].b))
			return 0;               /* it takes longer than to store */
		arrays[t->step[i].level] += streams(&t->step[i]);
	}
	level = arrays[2] ? 2 : 1;
	return arrays[level] == 0 || arrays[level] > MOST_STREAMS || depends_on_ends(t, level) ? 0 : level;
}

void
cpu_strips_open(Plan *t, const char *from, const char *past)
{
	const char *n = t->strips == 2 ? t->k->fixed.n2 : t->n1, *all;
	Emit *e = t->k->e;
	int bytes = 0, k = 0;

	for (int i = 0; i < t->n; i++)
		if (cpu_strip_has(t, &t->step[i]))
			bytes += emit_size(e, t->step[i].b->dst[0]->ty);
	all = arena_printf(t->k->arena, "%dL * %s", bytes, n);
	if (t->by_row && t->strips == 2)
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

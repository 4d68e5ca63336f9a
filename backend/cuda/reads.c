/* reads.c: what the host reads of the device at once.
 *
 * In   a binding that reads an element, or where a row begins or how long it is, and those behind it
 * Out  one wait for it and for all such reads that only scalars, lengths, checks and frees stand before, of what is there already:
 *      a place that a check has still to tell of gives 0, so nothing is read too early */
#include "backend/cuda/gen.h"

enum { MOST = 8, NEAR = 64 };   /* read at once: NESL_VALUES is enough for as many; of so many bindings */

bool
reads_value(const Bind *b)
{
	return b->op == LCU_elem || b->op == LCU_row_start || b->op == LCU_row_length;
}

static bool
may_stand_between(const Gen *g, const Bind *b)
{
	switch (b->op) {
	case LCU_length: case LCU_rows: case LCU_host_check: case LCU_free: case LCU_own: case LCU_disown: case LCU_confirm:
		return true;
	default:
		return reads_value(b) || gen_info(g, b)->cls == OP_SCALAR;
	}
}

/* Is it something that bindings from `first` up to b make? */
static bool
made_between(const Bind *first, const Bind *b, Opnd o)
{
	for (const Bind *x = first; o.kind == OPND_VAR && x != b; x = x->next)
		for (int i = 0; i < x->ndst; i++)
			if (x->dst[i] == o.u.var)
				return true;
	return false;
}

static bool
joins(const Gen *g, const Bind *first, const Bind *b)
{
	return reads_value(b) && g->used[b->dst[0]->id] && !g->read[b->dst[0]->id] && !await_concerns(g, b)
		&& !made_between(first, b, b->arg[0]) && !made_between(first, b, b->arg[1]);
}

/* What is read, as an argument of nesl_reads. */
static const char *
place(Gen *g, const Bind *b)
{
	return arena_printf(g->a, "nesl_%s_at(%s, %s)", gen_info(g, b)->name, gen_name(g, b->arg[0]), gen_name(g, b->arg[1]));
}

void
reads_together(Gen *g, const Bind *b)
{
	const char *names = "", *places = "";
	int n = 0, seen = 0;

	if (g->read[b->dst[0]->id] || !g->used[b->dst[0]->id])
		return;
	for (const Bind *x = b; x && n < MOST && seen < NEAR && may_stand_between(g, x); x = x->next, seen++) {
		if (!joins(g, b, x))
			continue;
		names = arena_printf(g->a, "%s%s%s", names, n ? ", " : "", emit_cname(g->e, x->dst[0]->name));
		places = arena_printf(g->a, "%s%s%s", places, n ? ", " : "", place(g, x));
		g->read[x->dst[0]->id] = true;
		n++;
	}
	if (n > 1)
		emit_line(g->e, "const auto [%s] = nesl_reads(%s);", names, places);
	else
		emit_line(g->e, "const %s %s = %s;", gen_type(g, b->dst[0]->ty), names, host_value(g, b));
}

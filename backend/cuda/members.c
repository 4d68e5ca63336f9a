/* members.c: what a functor is made from. */
#include <string.h>
#include "backend/cuda/functor.h"

static void
hold(Functor *f, Member m)
{
	for (int i = 0; i < f->member.n; i++)
		if (strcmp(f->member.at[i].name, m.name) == 0)
			return;
	LIST_ADD(f->g->a, &f->member, m);
}

/* Is v a vector of which the thread of an element touches that element? */
static bool
is_near(const Functor *f, const Var *v)
{
	for (int i = 0; f->near && i < f->pass->step.n; i++) {
		const Bind *b = f->pass->step.at[i];

		if (plan_result(f->plan, b) == v ? lcu_stores(b) : b->op == LCU_load && b->arg[0].u.var == v)
			return true;
	}
	return false;
}

static void
hold_var(Functor *f, const Var *v)
{
	const char *type = is_near(f, v) ? arena_printf(f->g->a, "nesl_near<%s>", emit_ctype(v->ty)) : gen_type(f->g, v->ty);

	hold(f, (Member){type, emit_cname(f->g->e, v->name), v, NULL});
}

static void
hold_operand(Functor *f, Opnd o)
{
	if (o.kind == OPND_VAR && !f->g->step[o.u.var->id])
		hold_var(f, o.u.var);
}

static void
hold_spilled(Functor *f, const Bind *b)
{
	hold(f, (Member){arena_printf(f->g->a, f->near ? "nesl_near<%s>" : "nesl_vec<%s>", emit_ctype(b->dst[0]->ty)),
		spill_name(f->g, b), NULL, b});
}

static void
hold_step(Functor *f, const Bind *b)
{
	if (functor_spills(f, b))
		hold_spilled(f, b);
	if (plan_lasts(f->g, f->plan, b) && !functor_finds(f, b) && !steps_has(&f->pass->rows, b))
		return;
	for (int i = 0; i < (b->op == LCU_replace ? 1 : lcu_puts(b) != LCU_NOP || b->op == LCU_mark ? 2 : b->narg); i++)
		if (&b->arg[i] != lcu_count(b))
			hold_operand(f, b->arg[i]);
	if (b->op == LCU_inner)
		hold_operand(f, f->plan->task->arg[1]);
	if (lcu_puts(b) != LCU_NOP)
		hold(f, (Member){arena_printf(f->g->a, "nesl_puts<%s>", b->op == LCU_put_sum ? "nesl_sums" : "nesl_maxima"),
			emit_cname(f->g->e, plan_result(f->plan, b)->name), plan_result(f->plan, b), NULL});
	else if (gen_info(f->g, b)->cls == OP_SINK && b->ndst)
		hold_var(f, plan_result(f->plan, b));
	if (lcu_total(b))
		hold(f, (Member){"nesl_faults", "beyond_", NULL, NULL});
	if (scalar_tells(f->g->scalars, b))
		hold(f, (Member){"nesl_faults", "faults_", NULL, NULL});
}

void
functor_members(Functor *f)
{
	for (const Bind *b = f->plan->body->first; b; b = b->next)
		if (steps_has(&f->pass->step, b))
			hold_step(f, b);
}

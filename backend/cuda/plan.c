/* plan.c: a task as passes over its space.
 *
 * In   a task's steps
 * Out  passes, each one call of a skeleton: every reduction, scan and segdes is the anchor of one, all
 *      keeps of a level share one; a sink goes with the anchor whose value it uses, or else is done where
 *      a pass of its level loads elements; if there is none, a map does it.
 * How  What is loaded for several passes is loaded in each: scalar steps are cheaper than a store. */
#include <string.h>
#include "backend/cuda/gen.h"

bool
plan_anchor(Gen *g, const Bind *step)
{
	const OpClass cls = g->p->ir->op[step->op].cls;

	return cls == OP_REDUCE || cls == OP_SCAN;
}

/* The one reduction or scan of this task that b's operands stand on; NULL: none. */
static const Bind *
stands_on(Gen *g, const Bind *b)
{
	const Bind *found = NULL;

	for (int i = 0; i < b->narg; i++) {
		const Bind *m = b->arg[i].kind == OPND_VAR ? g->step[b->arg[i].u.var->id] : NULL, *on;

		if (!m)
			continue;
		on = plan_anchor(g, m) ? m : stands_on(g, m);
		if (on && found && on != found)
			ice(b->span, "cuda", "%s uses two reductions or scans", g->p->ir->op[b->op].name);
		found = on ? on : found;
	}
	return found;
}

static Pass *
add_pass(Gen *g, Plan *t, PassKind kind, int level, const Bind *anchor)
{
	if (anchor && stands_on(g, anchor))
		ice(anchor->span, "cuda", "%s of a reduction or scan in one task", g->p->ir->op[anchor->op].name);
	LIST_ADD(g->a, &t->pass, ((Pass){.kind = kind, .level = level, .anchor = anchor}));
	return &t->pass.at[t->pass.n - 1];
}

static bool
same_operand(Opnd a, Opnd b)
{
	return a.kind == b.kind && (a.kind == OPND_VAR ? a.u.var == b.u.var : a.u.i == b.u.i);
}

int
plan_mask(const Pass *p, Opnd condition)
{
	for (int j = 0; j < p->mask.n; j++)
		if (same_operand(p->mask.at[j], condition))
			return j;
	return -1;
}

static void
add_keep(Gen *g, Plan *t, const Bind *b)
{
	Pass *p = NULL;

	for (int i = 0; i < t->pass.n; i++)
		if (t->pass.at[i].kind == PASS_KEEP && t->pass.at[i].level == b->level)
			p = &t->pass.at[i];
	if (!p)
		p = add_pass(g, t, PASS_KEEP, b->level, NULL);
	if (stands_on(g, b))
		ice(b->span, "cuda", "keep of a reduction or scan in one task");
	LIST_ADD(g->a, &p->keep, b);
	if (plan_mask(p, b->arg[0]) < 0)
		LIST_ADD(g->a, &p->mask, b->arg[0]);
	if (p->mask.n > 8)
		ice(b->span, "cuda", "a task keeps by more than 8 conditions");
}

/* A store, scatter or check. */
static void
add_sink(Gen *g, Plan *t, const Bind *b)
{
	const Bind *on = stands_on(g, b);
	Pass *p = NULL;

	for (int i = t->pass.n - 1; i >= 0; i--)
		if (on ? t->pass.at[i].anchor == on : t->pass.at[i].level == b->level)
			p = &t->pass.at[i];
	if (!p)
		p = add_pass(g, t, PASS_MAP, b->level, NULL);
	if (on && b->level != on->level - (p->kind == PASS_REDUCE))
		ice(b->span, "cuda", "%s at another level than the value it uses", g->p->ir->op[b->op].name);
	if (on)
		LIST_ADD(g->a, &p->after, b);
	else
		LIST_ADD(g->a, &p->load, b);
}

const Var *
plan_result(const Plan *t, const Bind *sink)
{
	for (int i = 0; i < t->body->nyield; i++)
		if (t->body->yield[i].kind == OPND_VAR && sink->ndst && t->body->yield[i].u.var == sink->dst[0])
			return t->task->dst[i];
	return NULL;
}

Plan *
plan_task(Gen *g, const Bind *task)
{
	Plan *t = NEW(g->a, Plan, 1);

	t->task = task;
	t->body = task->block[0];
	for (const Bind *b = t->body->first; b; b = b->next) {
		const OpClass cls = g->p->ir->op[b->op].cls;

		if (cls == OP_REDUCE)
			add_pass(g, t, PASS_REDUCE, b->level, b);
		else if (cls == OP_SCAN)
			add_pass(g, t, PASS_SCAN, b->level, b);
		else if (b->op == LCU_segdes)
			add_pass(g, t, PASS_SEGDES, b->level, b);
		else if (b->op == LCU_keep || b->op == LCU_keep_segdes)
			add_keep(g, t, b);
	}
	for (const Bind *b = t->body->first; b; b = b->next)
		if (b->op == LCU_store || b->op == LCU_scatter || b->op == LCU_check)
			add_sink(g, t, b);
	return t;
}

/* plan.c: a task as passes over its space.
 *
 * In   a task's steps
 * Out  passes, each one call of a skeleton: every reduction, scan and segdes is the anchor of one, all
 *      keeps of a level share one; a sink goes with the anchor whose value it uses, or else is done where
 *      a pass of its level loads elements; if there is none, a map does it.
 * How  What is loaded for several passes is loaded in each: scalar steps are cheaper than a store.  The
 *      value of a reduction or scan that another pass needs is stored, `spilled`, for the task's time. */
#include "backend/cuda/gen.h"

bool
steps_has(const Steps *l, const Bind *b)
{
	for (int i = 0; i < l->n; i++)
		if (l->at[i] == b)
			return true;
	return false;
}

void
steps_add(Gen *g, Steps *l, const Bind *b)
{
	if (!steps_has(l, b))
		LIST_ADD(g->a, l, b);
}

bool
plan_anchor(Gen *g, const Bind *step)
{
	const OpClass cls = g->p->ir->op[step->op].cls;

	return cls == OP_REDUCE || cls == OP_SCAN;
}

/* The reductions and scans of this task that b's operands stand on, not through others. */
static void
stands_on(Gen *g, const Bind *b, Steps *on)
{
	for (int i = 0; i < b->narg; i++) {
		const Bind *m = b->arg[i].kind == OPND_VAR ? g->step[b->arg[i].u.var->id] : NULL;

		if (m && plan_anchor(g, m))
			steps_add(g, on, m);
		else if (m)
			stands_on(g, m, on);
	}
}

/* The values of these are needed in other passes than their own. */
static void
spill(Gen *g, Plan *t, const Steps *anchors)
{
	for (int i = 0; i < anchors->n; i++)
		steps_add(g, &t->spilled, anchors->at[i]);
}

static Pass *
add_pass(Gen *g, Plan *t, PassKind kind, int level, const Bind *anchor)
{
	LIST_ADD(g->a, &t->pass, ((Pass){.kind = kind, .level = level, .anchor = anchor}));
	return &t->pass.at[t->pass.n - 1];
}

static void
add_anchor(Gen *g, Plan *t, PassKind kind, const Bind *anchor)
{
	Steps on = {0};

	stands_on(g, anchor, &on);
	spill(g, t, &on);
	add_pass(g, t, kind, anchor->level, anchor);
}

int
plan_mask(const Pass *p, Opnd condition)
{
	for (int j = 0; j < p->mask.n; j++)
		if (same_opnd(p->mask.at[j], condition))
			return j;
	return -1;
}

static void
add_keep(Gen *g, Plan *t, const Bind *b)
{
	Pass *p = NULL;
	Steps on = {0};

	for (int i = 0; i < t->pass.n; i++)
		if (t->pass.at[i].kind == PASS_KEEP && t->pass.at[i].level == b->level)
			p = &t->pass.at[i];
	if (!p)
		p = add_pass(g, t, PASS_KEEP, b->level, NULL);
	stands_on(g, b, &on);
	spill(g, t, &on);
	LIST_ADD(g->a, &p->keep, b);
	if (plan_mask(p, b->arg[0]) < 0)
		LIST_ADD(g->a, &p->mask, b->arg[0]);
	if (p->mask.n > 8)
		ice(b->span, "cuda", "a task keeps by more than 8 conditions");
}

int
plan_value_level(Gen *g, const Bind *anchor)
{
	return anchor->level - (g->p->ir->op[anchor->op].cls == OP_REDUCE);
}

/* The pass where a sink is done that stands on these: with the only one, if it is of its level; where
 * elements of its level are loaded, if it stands on none; else in a map after all others. */
static Pass *
pass_of(Gen *g, Plan *t, const Bind *b, const Steps *on, bool *after)
{
	*after = on->n == 1 && plan_value_level(g, on->at[0]) == b->level;
	for (int i = 0; i < t->pass.n; i++) {
		Pass *p = &t->pass.at[i];

		if (*after ? p->anchor == on->at[0]
				: p->level == b->level && (on->n == 0 || p->kind == PASS_MAP))
			return p;
	}
	return add_pass(g, t, PASS_MAP, b->level, NULL);
}

/* A store, scatter, or what tells of faults. */
static void
add_sink(Gen *g, Plan *t, const Bind *b)
{
	Steps on = {0};
	bool after;
	Pass *p;

	stands_on(g, b, &on);
	p = pass_of(g, t, b, &on, &after);
	if (!after)
		spill(g, t, &on);
	steps_add(g, after ? &p->after : &p->load, b);
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
			add_anchor(g, t, PASS_REDUCE, b);
		else if (cls == OP_SCAN)
			add_anchor(g, t, PASS_SCAN, b);
		else if (b->op == LCU_segdes)
			add_anchor(g, t, PASS_SEGDES, b);
	}
	for (const Bind *b = t->body->first; b; b = b->next)
		if (b->op == LCU_keep || b->op == LCU_keep_segdes)
			add_keep(g, t, b);
	for (const Bind *b = t->body->first; b; b = b->next)
		if (b->op == LCU_store || b->op == LCU_scatter || scalar_tells(g->scalars, b))
			add_sink(g, t, b);
	return t;
}

/* plan.c: depth, order and need of the steps of a task (plan.h). */
#include "backend/cpu/plan.h"

Step *
cpu_step(const Plan *t, Opnd o)
{
	return o.kind == OPND_VAR ? *map_at(t->made, o.u.var) : NULL;
}

Opnd
cpu_plan_is(const Plan *t, Opnd o)
{
	const Step *s = cpu_step(t, o);

	return s && s->is ? *s->is : o;
}

static Doing
doing(const Cpu *k, const Bind *b)
{
	const OpInfo *op = cpu_op(k, b);

	switch (b->op) {
	case LCU_segdes:
	case LCU_segdes_of:
		return DO_SEGDES;
	case LCU_keep:
	case LCU_keep_segdes:
	case LCU_keep_lengths:
		return DO_KEEP;
	case LCU_store:
	case LCU_replace:
	case LCU_scatter:
	case LCU_mark:
	case LCU_put_sum:
	case LCU_put_max:
	case LCU_check:
		return DO_SINK;
	}
	if (op->cls == OP_REDUCE)
		return DO_REDUCE;
	if (op->cls == OP_SCAN)
		return DO_SCAN;
	if (op->cls == OP_SCALAR || op->cls == OP_SOURCE || b->op == LCU_call)
		return DO_VALUE;
	ice(b->span, "c", "%s in a task", op->name);
}

const Bind *
cpu_replaced(const Plan *t, const Var *v)
{
	for (int i = 0; i < t->n; i++)
		if (lcu_takes_place(t->step[i].b) && lcu_takes_place(t->step[i].b)->u.var == v)
			return t->step[i].b;
	return NULL;
}

/* The level its result is a scalar of. */
static int
result_level(const Step *s)
{
	return s->doing == DO_REDUCE ? s->level - 1 : s->level;
}

static int
result_depth(const Step *s)
{
	return s->doing == DO_SCAN || (s->doing == DO_REDUCE && s->level == 2) ? s->depth + 1 : s->depth;
}

static void
take_operand(const Plan *t, Step *s, const Step *from)
{
	bool late = (from->doing == DO_REDUCE && from->level == 2) || (from->late && from->doing == DO_VALUE);

	if (from->doing > DO_SCAN)
		ice(s->b->span, "c", "%s uses an array made in the same task", cpu_op(t->k, s->b)->name);
	if (result_level(from) > s->level || result_level(from) == 0)
		ice(s->b->span, "c", "%s uses a value of a deeper level", cpu_op(t->k, s->b)->name);
	if (late && s->level == 2)
		ice(s->b->span, "c", "%s at level 2 uses a reduction of its own row", cpu_op(t->k, s->b)->name);
	if (result_depth(from) > s->depth)
		s->depth = result_depth(from);
	s->late |= late;
}

/* In a row that is still open a scan at level 1 has its value already; to count, a keep needs its flag. */
static int
operands_needed(const Plan *t, const Step *s)
{
	if (t->open_row && s->doing == DO_SCAN && s->level == 1)
		return 0;
	return t->counting && s->doing == DO_KEEP ? 1 : s->b->narg;
}

void
cpu_plan_close(Plan *t)
{
	for (int i = 0; i < t->n; i++)
		t->step[i].used = false;
	for (int i = t->n - 1; i >= 0; i--) {
		const Step *s = &t->step[i];

		if (!s->need)
			continue;
		if (t->scanning == SCAN_STEPS && s->doing == DO_SCAN && s->used)
			continue;               /* what it scans was made */
		for (int a = 0; a < operands_needed(t, s); a++) {
			Step *from = cpu_step(t, cpu_plan_is(t, s->b->arg[a]));

			if (from && cpu_reads(t->k, s->b, a))
				from->need = from->used = true;
		}
		if (i > 0 && t->step[i - 1].sum && !t->counting)
			t->step[i - 1].need = true;
	}
}

const bool *
cpu_plan_needed(const Plan *t)
{
	bool *need = NEW(t->k->arena, bool, t->n + 1);

	for (int i = 0; i < t->n; i++)
		need[i] = t->step[i].need;
	return need;
}

bool
cpu_plan_needs_level(const Plan *t, int level)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].level == level)
			return true;
	return false;
}

bool
cpu_plan_needs(const Plan *t, Doing doing, int level)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].doing == doing && t->step[i].level == level)
			return true;
	return false;
}

bool
cpu_plan_puts(const Plan *t)
{
	for (int i = 0; i < t->n; i++)
		if (cpu_step_puts(&t->step[i]))
			return true;
	return false;
}

/* Keeps of one flag at one level count together; the first of them names the count. */
static void
find_groups(Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];

		s->group = i;
		for (int g = i - 1; g >= 0 && s->doing == DO_KEEP; g--)
			if (t->step[g].doing == DO_KEEP && t->step[g].live && t->step[g].level == s->level
					&& same_opnd(t->step[g].b->arg[0], s->b->arg[0]))
				s->group = g;
	}
}

/* What is yielded, and the checks; the rest is dead. */
static void
find_live(Plan *t)
{
	const Block *body = t->task->block[0];

	for (int i = 0; i < t->n; i++)
		t->step[i].need = scalar_tells(t->k->scalars, t->step[i].b);
	for (int i = 0; i < body->nyield; i++) {
		Step *s = cpu_step(t, body->yield[i]);

		if (!s || (s->doing <= DO_SCAN && result_level(s) > 0))
			ice(t->task->span, "c", "a task yields what it does not make");
		s->need = true;
	}
	cpu_plan_close(t);
	for (int i = 0; i < t->n; i++)
		t->step[i].live = t->step[i].need;
}

static bool
needs_row(const Plan *t, const Step *s)
{
	bool needs = s->level == 1 || s->doing == DO_REDUCE || s->doing == DO_SCAN || s->b->op == LCU_inner
		|| s->b->op == LCU_row || s->b->op == LCU_keep_segdes;

	return t->two && needs;
}

/* Is what it gives the same for all elements of a row, by what is known before them?  Then it is computed once a row. */
static bool
is_of_row(const Plan *t, const Bind *b, Doing doing)
{
	bool any = b->op == LCU_row;

	if (b->level != 2 || doing != DO_VALUE || (!any && cpu_op(t->k, b)->cls != OP_SCALAR))
		return false;
	for (int i = 0; i < b->narg; i++) {
		const Step *from = cpu_step(t, b->arg[i]);

		if (from && (from->level != 1 || from->doing != DO_VALUE || from->late))
			return false;
		any |= from != NULL;
	}
	return any;
}

static Step *
new_step(Plan *t, const Bind *b, Doing doing)
{
	Step *s = &t->step[t->n++];

	s->b = b;
	s->level = is_of_row(t, b, doing) ? 1 : b->level;
	s->doing = doing;
	if (s->level < 1 || s->level > (t->two ? 2 : 1))
		ice(b->span, "c", "%s at level %d", cpu_op(t->k, b)->name, s->level);
	for (int i = 0; i < b->narg; i++)
		if (cpu_step(t, b->arg[i]))
			take_operand(t, s, cpu_step(t, b->arg[i]));
	t->by_row |= needs_row(t, s);
	return s;
}

static void
add_step(Plan *t, const Bind *b)
{
	Step *s;

	if (b->op == LCU_keep_lengths)
		new_step(t, b, DO_SEGDES)->sum = true;
	s = new_step(t, b, doing(t->k, b));
	for (int i = 0; i < b->ndst; i++)
		*map_at(t->made, b->dst[i]) = s;
}

/* The last pass may come when every total that it needs is known. */
static void
count_passes(Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		int known = !s->live ? 0 : s->doing == DO_KEEP || s->doing == DO_SEGDES ? s->depth + 1 : result_depth(s);

		if (known > t->passes)
			t->passes = known;
	}
}

Plan *
cpu_plan(Cpu *k, const Bind *task)
{
	Plan *t = NEW(k->arena, Plan, 1);
	int n = 0;

	for (const Bind *b = task->block[0]->first; b; b = b->next)
		n += 1 + (b->op == LCU_keep_lengths);
	t->k = k;
	t->task = task;
	t->two = task->narg == 2;
	t->step = NEW(k->arena, Step, n);
	t->made = map_new(k->arena);
	t->n1 = cpu_operand(k, task->arg[0]);
	t->grid = t->two && opnd_ty(task->arg[1])->kind == TY_UNIFORM;
	t->s = t->two ? cpu_name(k, task->arg[1].u.var) : NULL;
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		add_step(t, b);
	find_live(t);
	find_groups(t);
	count_passes(t);
	return t;
}

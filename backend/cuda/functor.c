/* functor.c: the structs that skeletons are called with.
 *
 * In   the passes of a task, the first of those that are the same
 * Out  for each pass one functor, or two (load, store), and what it is made from
 * How  A functor holds what its steps need from the host, under the same names; its steps are those that
 *      its results stand on, in their order.  e1 and e2 are the positions at levels 1 and 2. */
#include <string.h>
#include "backend/cuda/gen.h"

/* -- which steps ---------------------------------------------------------------------------------- */
static void need_step(Gen *g, Steps *l, const Bind *b);

/* What gives o in this task; behind a reduction or scan it does not go. */
static void
need(Gen *g, Steps *l, Opnd o)
{
	const Bind *m = o.kind == OPND_VAR ? g->step[o.u.var->id] : NULL;

	if (m && plan_anchor(g, m))
		steps_add(g, l, m);
	else if (m)
		need_step(g, l, m);
}

static void
need_step(Gen *g, Steps *l, const Bind *b)
{
	if (steps_has(l, b))
		return;
	steps_add(g, l, b);
	for (int i = 0; i < b->narg; i++)
		need(g, l, b->arg[i]);
}

static void
need_all(Gen *g, Steps *l, const Steps *sinks)
{
	for (int i = 0; i < sinks->n; i++)
		need_step(g, l, sinks->at[i]);
}

/* -- members -------------------------------------------------------------------------------------- */
static void
hold(Functor *f, Member m)
{
	for (int i = 0; i < f->member.n; i++)
		if (strcmp(f->member.at[i].name, m.name) == 0)
			return;
	LIST_ADD(f->g->a, &f->member, m);
}

static void
hold_var(Functor *f, const Var *v)
{
	hold(f, (Member){gen_type(f->g, v->ty), emit_cname(f->g->e, v->name), v, NULL});
}

static void
hold_operand(Functor *f, Opnd o)
{
	if (o.kind == OPND_VAR && !f->g->step[o.u.var->id])
		hold_var(f, o.u.var);
}

/* The memory of a spilled value has its name and an underscore. */
const char *
spill_name(Gen *g, const Bind *step)
{
	return arena_printf(g->a, "%s_", emit_cname(g->e, step->dst[0]->name));
}

static void
hold_spilled(Functor *f, const Bind *anchor)
{
	hold(f, (Member){gen_type(f->g, ty_vec(anchor->dst[0]->ty)), spill_name(f->g, anchor), NULL, anchor});
}

static void
hold_step(Functor *f, const Bind *b)
{
	if (plan_anchor(f->g, b)) {
		if (b != f->given)
			hold_spilled(f, b);
		return;
	}
	for (int i = 0; i < b->narg; i++)
		hold_operand(f, b->arg[i]);
	if (b->op == LCU_inner)
		hold_operand(f, f->plan->task->arg[1]);
	if (b->ndst && (b->op == LCU_store || b->op == LCU_scatter || b->op == LCU_keep) && plan_result(f->plan, b))
		hold_var(f, plan_result(f->plan, b));
	if (scalar_tells(f->g->scalars, b)) {
		LIST_ADD(f->g->a, &f->done, b);
		hold(f, (Member){"nesl_faults", "faults_", NULL, NULL});
	}
}

/* Everything that these steps need from the host, in the order in which they use it. */
static void
hold_steps(Functor *f, const Steps *l)
{
	for (const Bind *b = f->plan->body->first; b; b = b->next)
		if (steps_has(l, b))
			hold_step(f, b);
}

/* -- steps ------------------------------------------------------------------------------------------ */
static const char *
position(const Bind *b)
{
	return b->level == 2 ? "e2" : "e1";
}

static int
number_of(const Functor *f, const Bind *b)
{
	int j = 0;

	while (f->done.at[j] != b)
		j++;
	return j;
}

/* Of its site among the task's. */
static int
site_of(const Functor *f, const Bind *b)
{
	return gen_site(f->g, b) - gen_task_site(f->g, f->plan->task);
}

static void
emit_check(Functor *f, const Bind *b)
{
	const char *values = "";

	for (int i = 1; i < b->narg; i++)
		values = arena_printf(f->g->a, "%s, %s", values, gen_name(f->g, b->arg[i]));
	emit_line(f->g->e, "if (!%s)", gen_name(f->g, b->arg[0]));
	emit_line(f->g->e, "\tnesl_fault(faults_, %d, %d, %s%s);", number_of(f, b), site_of(f, b), position(b), values);
}

static void
emit_call(Functor *f, const Bind *b)
{
	Gen *g = f->g;
	const char *calls = arena_printf(g->a, "%s_calls_", emit_cname(g->e, b->dst[0]->name));

	if (scalar_call_faults(g->scalars, b))
		emit_line(g->e, "nesl_scalar_calls %s = nesl_first_call(faults_, %d);", calls,
			tail_counted(g->p, g->tail, b) ? site_of(f, b) : -1);
	host_call(g, b, calls);
	if (scalar_call_faults(g->scalars, b))
		emit_line(g->e, "nesl_called(faults_, %d, %s, %s);", number_of(f, b), position(b), calls);
}

/* The value of a step that makes one. */
static const char *
step_value(Functor *f, const Bind *b)
{
	Gen *g = f->g;
	const char *x = b->narg > 0 ? gen_name(g, b->arg[0]) : "", *i = b->narg > 1 ? gen_name(g, b->arg[1]) : "";

	switch (b->op) {
	case LCU_load:
		return arena_printf(g->a, "%s[%s]", x, position(b));
	case LCU_fetch:
		return arena_printf(g->a, "%s[%s]", x, i);
	case LCU_index:
		return position(b);
	case LCU_row:
		return "e1";
	case LCU_inner:
		return arena_printf(g->a, "e2 - nesl_row_start(%s, e1)", gen_name(g, f->plan->task->arg[1]));
	case LCU_seg_length:
		return arena_printf(g->a, "nesl_row_length(%s, %s)", x, position(b));
	case LCU_seg_start:
		return arena_printf(g->a, "nesl_row_start(%s, %s)", x, position(b));
	case LCU_row_length:
		return arena_printf(g->a, "nesl_row_length(%s, %s)", x, i);
	case LCU_row_start:
		return arena_printf(g->a, "nesl_row_start(%s, %s)", x, i);
	default:
		if (g->p->ir->op[b->op].cls != OP_SCALAR)
			ice(b->span, "cuda", "no code for %s in a task", g->p->ir->op[b->op].name);
		return gen_scalar(g, b);
	}
}

static void
emit_step(Functor *f, const Bind *b)
{
	Emit *e = f->g->e;
	const Var *r = plan_result(f->plan, b);
	const char *to = r ? emit_cname(e, r->name) : "";

	if (plan_anchor(f->g, b)) {
		if (b != f->given)
			emit_line(e, "const %s %s = %s[e%d];", emit_ctype(b->dst[0]->ty),
				emit_cname(e, b->dst[0]->name), spill_name(f->g, b), plan_value_level(f->g, b));
		return;
	}
	if (b->op == LCU_check)
		emit_check(f, b);
	else if (b->op == LCU_call)
		emit_call(f, b);
	else if (b->op == LCU_store && r)
		emit_line(e, "%s.at[%s] = %s;", to, position(b), gen_name(f->g, b->arg[0]));
	else if (b->op == LCU_scatter && r)
		emit_line(e, "nesl_put<%s>(%s, %s, %s);", emit_ctype(r->ty), to, gen_name(f->g, b->arg[1]),
			gen_name(f->g, b->arg[0]));
	else if (b->op != LCU_store && b->op != LCU_scatter)
		emit_line(e, "const %s %s = %s;", emit_ctype(b->dst[0]->ty),
			emit_cname(e, b->dst[0]->name), step_value(f, b));
}

static void
emit_steps(Functor *f, const Steps *l)
{
	for (const Bind *b = f->plan->body->first; b; b = b->next)
		if (steps_has(l, b))
			emit_step(f, b);
}

/* -- functors --------------------------------------------------------------------------------------- */
static const char *
positions(int level)
{
	return level == 2 ? "i64 e2, i64 e1" : "i64 e1";
}

static void
open_functor(Functor *f)
{
	emit_open(f->g->e, "struct %s {", f->name);
	for (int i = 0; i < f->member.n; i++)
		emit_line(f->g->e, "%s %s;", f->member.at[i].type, f->member.at[i].name);
}

static void
close_functor(Functor *f)
{
	emit_close(f->g->e, "};");
	emit_blank(f->g->e);
}

/* One method: these steps, then `return value` if there is one. */
static void
one_method(Functor *f, const Steps *l, const char *type, const char *params, const Opnd *value)
{
	Emit *e = f->g->e;

	hold_steps(f, l);
	if (value)
		hold_operand(f, *value);
	open_functor(f);
	emit_line(e, "__device__ %s operator()(%s) const", type, params);
	emit_open(e, "{");
	if (f->given && steps_has(&f->plan->spilled, f->given))
		emit_line(e, "%s.at[e%d] = %s;", spill_name(f->g, f->given),
			plan_value_level(f->g, f->given), emit_cname(e, f->given->dst[0]->name));
	emit_steps(f, l);
	if (value)
		emit_line(e, "return %s;", gen_name(f->g, *value));
	emit_close(e, "}");
	close_functor(f);
}

static Functor *
functor(Gen *g, const Plan *t, int pass, const char *suffix)
{
	Functor *f = NEW(g->a, Functor, 1);
	const char *which = t->pass.n > 1 ? arena_printf(g->a, "_%d", pass + 1) : "";

	f->g = g;
	f->plan = t;
	f->name = arena_printf(g->a, "task_%d_%s%s%s", gen_task(g, t->task), emit_cname(g->e, t->task->name),
		suffix, which);
	return f;
}

static void
map_functor(Gen *g, const Plan *t, int k)
{
	Pass *p = &t->pass.at[k];
	Steps l = {0};

	need_all(g, &l, &p->load);
	p->with = functor(g, t, k, "");
	one_method(p->with, &l, "void", positions(p->level), NULL);
}

/* Of a reduction, scan or segdes: what each element gives. */
static void
load_functor(Gen *g, const Plan *t, int k)
{
	Pass *p = &t->pass.at[k];
	Steps l = {0};

	need_all(g, &l, &p->load);
	need(g, &l, p->anchor->arg[0]);
	p->with = functor(g, t, k, "_load");
	one_method(p->with, &l, emit_ctype(opnd_ty(p->anchor->arg[0])), positions(p->level),
		&p->anchor->arg[0]);
}

/* Of a reduction at level 2 or a scan: what is done with its values. */
static void
store_functor(Gen *g, const Plan *t, int k)
{
	Pass *p = &t->pass.at[k];
	Functor *f = functor(g, t, k, "_store");
	const Var *r = p->anchor->dst[0];
	Steps l = {0};

	p->store = f;
	f->given = p->anchor;
	if (steps_has(&t->spilled, p->anchor))
		hold_spilled(f, p->anchor);
	need_all(g, &l, &p->after);
	one_method(f, &l, "void", arena_printf(g->a, "%s, %s %s",
		positions(p->kind == PASS_REDUCE ? p->level - 1 : p->level), emit_ctype(r->ty),
		emit_cname(g->e, r->name)), NULL);
}

static void
mask_method(Functor *f, const Pass *p, const Steps *l)
{
	Emit *e = f->g->e;
	const char *value = gen_name(f->g, p->mask.at[0]);

	for (int j = 1; j < p->mask.n; j++)
		value = arena_printf(f->g->a, "%s | (unsigned)%s << %d", value, gen_name(f->g, p->mask.at[j]), j);
	emit_line(e, "__device__ unsigned mask_(%s) const", positions(p->level));
	emit_open(e, "{");
	emit_steps(f, l);
	emit_line(e, "return %s;", value);
	emit_close(e, "}");
}

/* The keeps by condition j, which hold for the element at `at_` of the output. */
static void
put_output(Functor *f, const Pass *p, int j)
{
	Gen *g = f->g;
	Steps l = {0};

	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep && plan_mask(p, p->keep.at[i]->arg[0]) == j)
			need(g, &l, p->keep.at[i]->arg[1]);
	emit_steps(f, &l);
	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i];
		const Var *r = plan_result(f->plan, b);

		if (b->op == LCU_keep && r && plan_mask(p, b->arg[0]) == j)
			emit_line(g->e, "%s.at[at_] = %s;", emit_cname(g->e, r->name), gen_name(g, b->arg[1]));
	}
}

static void
put_method(Functor *f, const Pass *p)
{
	Emit *e = f->g->e;

	emit_line(e, "__device__ void put_(int to_, i64 at_, %s) const", positions(p->level));
	emit_open(e, "{");
	for (int j = 0; j < p->mask.n; j++) {
		if (p->mask.n > 1)
			emit_open(e, "if (to_ == %d) {", j);
		put_output(f, p, j);
		if (p->mask.n > 1)
			emit_close(e, "}");
	}
	emit_close(e, "}");
}

static void
keep_functor(Gen *g, const Plan *t, int k)
{
	Pass *p = &t->pass.at[k];
	Functor *f = functor(g, t, k, "");
	Steps mask = {0}, all = {0};

	need_all(g, &mask, &p->load);
	for (int j = 0; j < p->mask.n; j++) {
		need(g, &mask, p->mask.at[j]);
		hold_operand(f, p->mask.at[j]);
	}
	need_all(g, &all, &p->load);
	need_all(g, &all, &p->keep);
	hold_steps(f, &all);
	open_functor(f);
	mask_method(f, p, &mask);
	put_method(f, p);
	close_functor(f);
	p->with = f;
}

void
task_functors(Gen *g, const Bind *task)
{
	Plan *t = plan_task(g, task);
	int same;

	g->plan[gen_task(g, task) - 1] = t;
	same_all(g->same, task, &same);
	if (t->pass.n)
		emit_source(g->e, task->span);
	if (t->pass.n && same > 1)
		emit_line(g->e, "// and %d more task%s like it", same - 1, same > 2 ? "s" : "");
	for (int k = 0; k < t->pass.n; k++) {
		const Pass *p = &t->pass.at[k];

		if (p->kind == PASS_MAP)
			map_functor(g, t, k);
		else if (p->kind == PASS_KEEP)
			keep_functor(g, t, k);
		else
			load_functor(g, t, k);
		if (p->kind == PASS_SCAN || (p->kind == PASS_REDUCE && p->level == 2))
			store_functor(g, t, k);
	}
}

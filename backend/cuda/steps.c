/* steps.c: the steps that a method of a functor does, and their text. */
#include "backend/cuda/functor.h"

bool
functor_finds(const Functor *f, const Bind *b)
{
	return plan_finds(f->pass, b);
}

bool
functor_spills(const Functor *f, const Bind *b)
{
	return steps_has(&f->plan->spilled, b);
}

void
steps_need(const Functor *f, Steps *l, Opnd o)
{
	const Bind *m = o.kind == OPND_VAR ? f->g->step[o.u.var->id] : NULL;

	if (m && (plan_anchor(f->g, m) || (steps_has(&f->plan->left, m) && !plan_finds(f->pass, m))))
		steps_add(f->g, l, m);
	else if (m)
		steps_need_one(f, l, m);
}

bool
functor_tells(const Functor *f, const Bind *b)
{
	return f->asks && b->ndst == 1 && b->op != LCU_index && f->of_row[b->dst[0]->id];
}

/* Have they brought it? */
static bool
is_brought(const Functor *f, const Bind *b)
{
	return f->brings && steps_has(&f->brought, b);
}

void
steps_need_one(const Functor *f, Steps *l, const Bind *b)
{
	if (steps_has(l, b))
		return;
	steps_add(f->g, l, b);
	if (functor_tells(f, b) || is_brought(f, b))
		return;
	for (int i = 0; i < b->narg; i++)
		steps_need(f, l, b->arg[i]);
}

void
steps_need_all(const Functor *f, Steps *l, const Steps *sinks)
{
	for (int i = 0; i < sinks->n; i++)
		steps_need_one(f, l, sinks->at[i]);
}

void
steps_need_folded(const Functor *f, Steps *l, const Bind *b)
{
	steps_need(f, l, plan_folded(b));
	if (op_finds_place(gen_info(f->g, b)))
		steps_need(f, l, b->arg[1]);
}

Steps
steps_of_load(const Functor *f)
{
	const Pass *p = f->pass;
	Steps l = {0};

	steps_need_all(f, &l, &p->load);
	for (int i = 0; i < p->fold.n; i++)
		steps_need_folded(f, &l, p->fold.at[i]);
	return l;
}

void
steps_of_mask(const Functor *f, Steps *l)
{
	for (int j = 0; j < f->pass->mask.n; j++)
		steps_need(f, l, f->pass->mask.at[j]);
}

void
steps_of_keep(const Functor *f, Steps *l)
{
	const Pass *p = f->pass;

	steps_of_mask(f, l);
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep)
			steps_need(f, l, p->keep.at[i]->arg[1]);
}

/* What gives them: of what an earlier pass has left, nothing. */
Steps
steps_of_row(const Functor *f)
{
	Steps l = {0};

	for (int i = 0; i < f->row.n; i++)
		if (plan_lasts(f->g, f->plan, f->row.at[i]))
			steps_add(f->g, &l, f->row.at[i]);
		else
			steps_need_one(f, &l, f->row.at[i]);
	return l;
}

bool
steps_ask_row(Gen *g, const Steps *l)
{
	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];

		if (plan_value_level(g, b) == 1 || b->op == LCU_inner || b->op == LCU_row || b->op == LCU_keep_segdes)
			return true;
	}
	return false;
}

bool
steps_act(const Functor *f, const Steps *l)
{
	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];

		if (b->op == LCU_call || (gen_info(f->g, b)->cls == OP_SINK && b->op != LCU_check)
			|| (steps_has(&f->plan->left, b) && functor_finds(f, b) && functor_spills(f, b)))
			return true;
	}
	return false;
}

const char *
spill_name(Gen *g, const Bind *step)
{
	return arena_printf(g->a, "%s_", emit_cname(g->e, step->dst[0]->name));
}

static const char *
position(const Bind *b)
{
	return b->level == 2 ? "e2" : "e1";
}

/* Among what tells of faults in the task. */
static int
number_of(const Functor *f, const Bind *b)
{
	int j = 0;

	while (f->plan->told.at[j] != b)
		j++;
	return j;
}

static void
emit_check(Functor *f, const Bind *b)
{
	const char *values = "";

	for (int i = 1; i < b->narg; i++)
		values = arena_printf(f->g->a, "%s, %s", values, gen_name(f->g, b->arg[i]));
	emit_line(f->g->e, "if (!%s)", gen_name(f->g, b->arg[0]));
	emit_line(f->g->e, "\t%s(faults_, %d, %s%s);", f->doubts ? "doubts_.fault" : "nesl_fault", number_of(f, b), position(b),
		values);
}

static void
emit_call(Functor *f, const Bind *b)
{
	Gen *g = f->g;
	const char *calls = arena_printf(g->a, "%s_calls_", emit_cname(g->e, b->dst[0]->name));

	if (scalar_call_faults(g->scalars, b))
		emit_line(g->e, "nesl_scalar_calls %s = nesl_first_call(faults_, %d);", calls,
			tail_counted(g->p, g->tail, b) ? number_of(f, b) : -1);
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
		return f->asks ? "e2 - of_.start_" : arena_printf(g->a, "e2 - nesl_row_start(%s, e1)", gen_name(g, f->plan->task->arg[1]));
	case LCU_seg_length:
		return arena_printf(g->a, "nesl_row_length(%s, %s)", x, position(b));
	case LCU_seg_start:
		return arena_printf(g->a, "nesl_row_start(%s, %s)", x, position(b));
	case LCU_seg_total:
		return arena_printf(g->a, "nesl_seg_total(%s)", x);
	case LCU_row_length:
		return arena_printf(g->a, "nesl_row_length(%s, %s)", x, i);
	case LCU_row_start:
		return arena_printf(g->a, "nesl_row_start(%s, %s)", x, i);
	default:
		if (gen_info(g, b)->cls != OP_SCALAR)
			ice(b->span, "cuda", "no code for %s in a task", gen_info(g, b)->name);
		return gen_scalar(g, b);
	}
}

/* A value that an earlier pass has left. */
static void
emit_spilled(Functor *f, const Bind *b)
{
	emit_line(f->g->e, "const %s %s = %s[e%d];", emit_ctype(b->dst[0]->ty), emit_cname(f->g->e, b->dst[0]->name),
		spill_name(f->g, b), plan_value_level(f->g, b));
}

static void
emit_step(Functor *f, const Bind *b)
{
	Emit *e = f->g->e;
	const Var *r = plan_result(f->plan, b);
	const char *to = r ? emit_cname(e, r->name) : "";

	if (b->op == LCU_check)
		emit_check(f, b);
	else if (b->op == LCU_call)
		emit_call(f, b);
	else if (lcu_stores(b))
		emit_line(e, f->near ? "%s.set(%s, %s);" : "%s.at[%s] = %s;", to, position(b), gen_name(f->g, b->arg[0]));
	else if (b->op == LCU_scatter || b->op == LCU_mark)
		emit_line(e, "nesl_put<%s>(%s, %s, %s);", emit_ctype(r->ty), to, gen_name(f->g, b->arg[1]),
			gen_name(f->g, b->arg[0]));
	else if (lcu_puts(b) != LCU_NOP)
		emit_line(e, "%s.put(%s, %s);", to, gen_name(f->g, b->arg[1]), gen_name(f->g, b->arg[0]));
	else
		emit_line(e, "const %s %s = %s;", emit_ctype(b->dst[0]->ty),
			emit_cname(e, b->dst[0]->name), step_value(f, b));
}

/* At the end of a row, for its elements. */
static void
emit_left(Functor *f, const Bind *b)
{
	emit_line(f->g->e, "%s.at[e1] = %s;", spill_name(f->g, b), emit_cname(f->g->e, b->dst[0]->name));
}

void
steps_emit(Functor *f, const Steps *l)
{
	for (const Bind *b = f->plan->body->first; b; b = b->next) {
		if (!steps_has(l, b))
			continue;
		if (functor_tells(f, b) || is_brought(f, b)) {
			const char *name = emit_cname(f->g->e, b->dst[0]->name);

			emit_line(f->g->e, "const %s %s = %s.%s;", emit_ctype(b->dst[0]->ty), name, functor_tells(f, b) ? "of_" : "has_", name);
			continue;
		}
		if (plan_lasts(f->g, f->plan, b) && !functor_finds(f, b))
			emit_spilled(f, b);
		else if (!plan_anchor(f->g, b))
			emit_step(f, b);
		if (steps_has(&f->plan->left, b) && functor_finds(f, b) && functor_spills(f, b))
			emit_left(f, b);
	}
}

/* functor.c: the structs that skeletons are called with.
 *
 * In   the passes of a task, the first of those that are the same
 * Out  for each pass the operator it folds with, if that is several side by side, and one functor
 * How  A functor holds what its steps need from the host, under the same names.  Its methods are those of
 *      nesl_functors.h: load_, mask_, store_, row_; or, in a map, operator().  Each does the steps that its results
 *      stand on, in their order.  e1 and e2 are the positions at levels 1 and 2. */
#include <string.h>
#include "backend/cuda/gen.h"

/* Of a functor that is called light: steps, and of these what reads memory, for several elements at once; steps of one that
 * folds and keeps nothing. */
enum { MOST_LIGHT = 20, MOST_READS = 4, MOST_LIGHT_MAP = 64 };

static const OpInfo *
row_of(const Gen *g, const Bind *b)
{
	return &g->p->ir->op[b->op];
}

/* -- which steps ---------------------------------------------------------------------------------- */
static void need_step(const Functor *f, Steps *l, const Bind *b);

/* What gives o in this task; behind a reduction or scan, and what an earlier pass has left, it does not go. */
static void
need(const Functor *f, Steps *l, Opnd o)
{
	const Bind *m = o.kind == OPND_VAR ? f->g->step[o.u.var->id] : NULL;

	if (m && (plan_anchor(f->g, m) || (steps_has(&f->plan->left, m) && !plan_finds(f->pass, m))))
		steps_add(f->g, l, m);
	else if (m)
		need_step(f, l, m);
}

/* Are elements told what it is? */
static bool
is_told(const Functor *f, const Bind *b)
{
	return f->asks && b->ndst == 1 && b->op != LCU_index && f->of_row[b->dst[0]->id];
}

/* Have they brought it? */
static bool
is_brought(const Functor *f, const Bind *b)
{
	return f->brings && steps_has(&f->brought, b);
}

static void
need_step(const Functor *f, Steps *l, const Bind *b)
{
	if (steps_has(l, b))
		return;
	steps_add(f->g, l, b);
	if (is_told(f, b) || is_brought(f, b))
		return;
	for (int i = 0; i < b->narg; i++)
		need(f, l, b->arg[i]);
}

static void
need_all(const Functor *f, Steps *l, const Steps *sinks)
{
	for (int i = 0; i < sinks->n; i++)
		need_step(f, l, sinks->at[i]);
}

/* What it folds of an element. */
static void
need_folded(const Functor *f, Steps *l, const Bind *b)
{
	need(f, l, plan_folded(b));
	if (op_finds_place(row_of(f->g, b)))
		need(f, l, b->arg[1]);
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

/* The memory of a spilled value has its name and an underscore. */
const char *
spill_name(Gen *g, const Bind *step)
{
	return arena_printf(g->a, "%s_", emit_cname(g->e, step->dst[0]->name));
}

static void
hold_spilled(Functor *f, const Bind *b)
{
	hold(f, (Member){arena_printf(f->g->a, f->near ? "nesl_near<%s>" : "nesl_vec<%s>", emit_ctype(b->dst[0]->ty)),
		spill_name(f->g, b), NULL, b});
}

/* Is its value found by this pass itself? */
static bool
given(const Functor *f, const Bind *b)
{
	return plan_finds(f->pass, b);
}

static bool
spilled(const Functor *f, const Bind *b)
{
	return steps_has(&f->plan->spilled, b);
}

static void
hold_step(Functor *f, const Bind *b)
{
	if (spilled(f, b))
		hold_spilled(f, b);
	if (plan_lasts(f->g, f->plan, b) && !given(f, b) && !steps_has(&f->pass->rows, b))
		return;
	for (int i = 0; i < (b->op == LCU_replace ? 1 : lcu_puts(b) != LCU_NOP || b->op == LCU_mark ? 2 : b->narg); i++)
		if (&b->arg[i] != lcu_count(b))
			hold_operand(f, b->arg[i]);
	if (b->op == LCU_inner)
		hold_operand(f, f->plan->task->arg[1]);
	if (lcu_puts(b) != LCU_NOP)
		hold(f, (Member){arena_printf(f->g->a, "nesl_puts<%s>", b->op == LCU_put_sum ? "nesl_sums" : "nesl_maxima"),
			emit_cname(f->g->e, plan_result(f->plan, b)->name), plan_result(f->plan, b), NULL});
	else if (f->g->p->ir->op[b->op].cls == OP_SINK && b->ndst)
		hold_var(f, plan_result(f->plan, b));
	if (lcu_total(b))
		hold(f, (Member){"nesl_faults", "beyond_", NULL, NULL});
	if (scalar_tells(f->g->scalars, b))
		hold(f, (Member){"nesl_faults", "faults_", NULL, NULL});
}

/* Everything that the pass needs from the host, in the order in which it is used. */
static void
hold_all(Functor *f)
{
	for (const Bind *b = f->plan->body->first; b; b = b->next)
		if (steps_has(&f->pass->step, b))
			hold_step(f, b);
}

/* -- steps ------------------------------------------------------------------------------------------ */
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
		if (g->p->ir->op[b->op].cls != OP_SCALAR)
			ice(b->span, "cuda", "no code for %s in a task", g->p->ir->op[b->op].name);
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

/* The steps in l, in their order; what the pass itself folds has its name already. */
static void
emit_steps(Functor *f, const Steps *l)
{
	for (const Bind *b = f->plan->body->first; b; b = b->next) {
		if (!steps_has(l, b))
			continue;
		if (is_told(f, b) || is_brought(f, b)) {
			const char *name = emit_cname(f->g->e, b->dst[0]->name);

			emit_line(f->g->e, "const %s %s = %s.%s;", emit_ctype(b->dst[0]->ty), name, is_told(f, b) ? "of_" : "has_", name);
			continue;
		}
		if (plan_lasts(f->g, f->plan, b) && !given(f, b))
			emit_spilled(f, b);
		else if (!plan_anchor(f->g, b))
			emit_step(f, b);
		if (steps_has(&f->plan->left, b) && given(f, b) && spilled(f, b))
			emit_left(f, b);
	}
}

/* -- folds ------------------------------------------------------------------------------------------ */
static const char *
fold_type(Gen *g, const Bind *b)
{
	return plan_segdes(b) ? "nesl_lengths" : emit_fold_type(g->e, row_of(g, b), opnd_ty(b->arg[0]));
}

/* Does it keep what its value is? */
static bool
keeps_value(const Gen *g, const Bind *b)
{
	return !plan_segdes(b) && !op_finds_place(row_of(g, b));
}

/* What it has kept, in x, of the type that all of l have together. */
static const char *
fold_kept(Gen *g, const Steps *l, const Bind *step, const char *x)
{
	return l->n == 1 ? x : arena_printf(g->a, "%s.%s", x, emit_cname(g->e, step->dst[0]->name));
}

const char *
fold_value(Gen *g, const Steps *l, const Bind *step, const char *x)
{
	return emit_fold_result(g->e, row_of(g, step), fold_kept(g, l, step, x));
}

/* A line for each: its operator's function of these texts. */
static void
emit_beside(Gen *g, const Steps *l, const char *head, const char *fn, const char *x, const char *y)
{
	emit_line(g->e, "%s", head);
	emit_open(g->e, "{");
	emit_open(g->e, "return {");
	for (int i = 0; i < l->n; i++)
		emit_line(g->e, "%s::%s(%s%s%s),", gen_operator(g, l->at[i]), fn, *x ? fold_kept(g, l, l->at[i], x) : "",
			*y ? ", " : "", *y ? fold_kept(g, l, l->at[i], y) : "");
	emit_close(g->e, "};");
	emit_close(g->e, "}");
}

/* The operator that folds all of l; if they are several, a struct of that name. */
static const char *
fold_operator(Gen *g, const Steps *l, const char *name)
{
	const char *exact = "", *commutes = "";

	if (l->n == 0)
		return NULL;
	if (l->n == 1)
		return gen_operator(g, l->at[0]);
	emit_open(g->e, "struct %s {", name);
	emit_open(g->e, "struct T {");
	for (int i = 0; i < l->n; i++) {
		emit_line(g->e, "%s %s;", fold_type(g, l->at[i]), emit_cname(g->e, l->at[i]->dst[0]->name));
		exact = arena_printf(g->a, "%s%s%s::exact", exact, i ? " && " : "", gen_operator(g, l->at[i]));
		commutes = arena_printf(g->a, "%s%s%s::commutes", commutes, i ? " && " : "", gen_operator(g, l->at[i]));
	}
	emit_close(g->e, "};");
	emit_line(g->e, "static const bool exact = %s;", exact);
	emit_line(g->e, "static const bool commutes = %s;", commutes);
	emit_beside(g, l, "static __host__ __device__ T id()", "id", "", "");
	emit_beside(g, l, "static __device__ T op(T x, T y)", "op", "x", "y");
	emit_close(g->e, "};");
	emit_blank(g->e);
	return name;
}

static const char *
type_of(Gen *g, const Steps *l, const char *op)
{
	return l->n == 1 ? fold_type(g, l->at[0]) : arena_printf(g->a, "%s::T", op);
}

/* What a method returns: of all in l their operands. */
static void
emit_operands(Functor *f, const Steps *l)
{
	Gen *g = f->g;
	const char *all = "";

	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];
		const char *x = gen_name(g, plan_folded(b));

		if (plan_segdes(b))
			x = arena_printf(g->a, "nesl_length_of(%s)", x);
		else if (op_finds_place(row_of(g, b)))
			x = arena_printf(g->a, "%s::of(%s, %s)", gen_operator(g, b), x, gen_name(g, b->arg[1]));
		all = arena_printf(g->a, "%s%s%s", all, i ? ", " : "", x);
	}
	emit_line(g->e, l->n == 1 ? "return %s;" : "return {%s};", all);
}

/* -- methods ---------------------------------------------------------------------------------------- */
static const char *
positions(const Functor *f)
{
	const Pass *p = f->pass;

	if (f->near)
		return arena_printf(f->g->a, "nesl_one_of<%d> e%d", f->near, p->level);
	return p->level == 1 ? "i64 e1" : p->flat ? "i64 e2" : f->asks ? "i64 e2, i64 e1, const Row &of_" : "i64 e2, i64 e1";
}

/* Does one of the steps ask for the row? */
static bool
ask_row(Gen *g, const Steps *l)
{
	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];

		if (plan_value_level(g, b) == 1 || b->op == LCU_inner || b->op == LCU_row || b->op == LCU_keep_segdes)
			return true;
	}
	return false;
}

/* Does the fold's value at elements mean anything to someone: a scan's or a descriptor's? */
static bool
scans(const Functor *f)
{
	for (int i = 0; i < f->pass->fold.n; i++)
		if (plan_value_level(f->g, f->pass->fold.at[i]) == f->pass->level)
			return true;
	return false;
}

/* A parameter for the fold so far, or of a whole row: named after the value if that is all of it, `other` if there are
 * more, not at all if nobody looks. */
static const char *
fold_param(const Functor *f, bool wanted, const char *other)
{
	const Steps *l = &f->pass->fold;
	const char *name = l->n == 1 && keeps_value(f->g, l->at[0]) ? emit_cname(f->g->e, l->at[0]->dst[0]->name) : other;

	return l->n == 0 ? "" : arena_printf(f->g->a, wanted ? ", %s %s" : ", %s", type_of(f->g, l, f->fold), name);
}

static const char *
places_param(const Functor *f, bool wanted)
{
	const char *name = wanted ? "at_" : "";

	return f->pass->mask.n ? arena_printf(f->g->a, ", const i64 (&%s)[%d]", name, f->pass->mask.n) : "";
}

/* The same of what is folded behind the scans. */
static const char *
late_param(const Functor *f, bool wanted)
{
	const Steps *l = &f->pass->late;
	const char *name = l->n == 1 && keeps_value(f->g, l->at[0]) ? emit_cname(f->g->e, l->at[0]->dst[0]->name) : "late_";

	return l->n == 0 ? "" : arena_printf(f->g->a, wanted ? ", %s %s" : ", %s", type_of(f->g, l, f->late), name);
}

/* The values of this level in `from`, which is of the type of `fold`, that the pass finds: names for those that l mentions,
 * memory for those that are spilled. */
static void
emit_found(Functor *f, const Steps *fold, const Steps *l, int level, const char *from)
{
	Gen *g = f->g;

	for (int i = 0; i < fold->n; i++) {
		const Bind *b = fold->at[i];
		const char *name = emit_cname(g->e, b->dst[0]->name);

		if (!plan_anchor(g, b) || plan_value_level(g, b) != level)
			continue;
		if ((fold->n > 1 || !keeps_value(g, b)) && (steps_has(l, b) || spilled(f, b)))
			emit_line(g->e, "const %s %s = %s;", emit_ctype(b->dst[0]->ty), name, fold_value(g, fold, b, from));
		if (spilled(f, b))
			emit_line(g->e, "%s.at[e%d] = %s;", spill_name(g, b), level, name);
	}
}

/* What the element has brought, where it does. */
static const char *
brought_param(const Functor *f)
{
	return f->brings ? ", const Kept &has_" : "";
}

static void
open_method(Functor *f, const char *type, const char *name, const char *params)
{
	emit_line(f->g->e, "__device__ %s %s(%s) const", type, name, params);
	emit_open(f->g->e, "{");
}

static void
call_method(Functor *f)
{
	Steps l = {0};

	f->brings = f->brought.n > 0;
	need_all(f, &l, &f->pass->load);
	open_method(f, "void", "operator()", arena_printf(f->g->a, "%s%s", positions(f), brought_param(f)));
	emit_steps(f, &l);
	f->brings = false;
	emit_close(f->g->e, "}");
}

/* Of a map that puts: what nesl_puts.h asks of it. */
static void
puts_methods(Functor *f)
{
	Emit *e = f->g->e;
	const char *places = NULL, *begin = "", *end = "";

	for (int i = 0; i < f->pass->load.n; i++) {
		const Bind *b = f->pass->load.at[i];
		const char *r = lcu_puts(b) != LCU_NOP ? emit_cname(e, plan_result(f->plan, b)->name) : NULL;

		if (!r)
			continue;
		places = arena_printf(f->g->a, "%s%s%s.r.n", places ? places : "", places ? " + " : "", r);
		begin = arena_printf(f->g->a, "%s.begin(%s)", r, *begin ? begin : "at");
		end = arena_printf(f->g->a, "%s%s%s.end();", end, *end ? " " : "", r);
	}
	if (!places)
		return;
	emit_line(e, "i64 places_() const { return %s; }", places);
	emit_line(e, "__device__ void begin_(nint *at) { %s; }", begin);
	emit_line(e, "__device__ void end_() const { %s }", end);
}

static Steps
load_steps(const Functor *f)
{
	const Pass *p = f->pass;
	Steps l = {0};

	need_all(f, &l, &p->load);
	for (int i = 0; i < p->fold.n; i++)
		need_folded(f, &l, p->fold.at[i]);
	return l;
}

/* What decides which elements are kept. */
static void
mask_steps(const Functor *f, Steps *l)
{
	for (int j = 0; j < f->pass->mask.n; j++)
		need(f, l, f->pass->mask.at[j]);
}

/* And what is kept of them. */
static void
keep_steps(const Functor *f, Steps *l)
{
	const Pass *p = f->pass;

	mask_steps(f, l);
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep)
			need(f, l, p->keep.at[i]->arg[1]);
}

/* A fold or pack of rows whose elements do not ask for their row; what a fold keeps is told of it anyway. */
static bool
is_rowless(const Functor *f)
{
	const Pass *p = f->pass;
	Steps load = load_steps(f), after = {0};

	if (p->level == 1 || p->flat || p->kind == PASS_MAP)
		return false;
	need_all(f, &after, &p->after);
	if (p->fold.n == 0)
		keep_steps(f, &load);
	return !ask_row(f->g, &load) && ((p->fold.n > 0 && (p->mask.n > 0 || p->late.n > 0)) || !ask_row(f->g, &after));
}

/* Whose elements are but read: what touches other memory, or finds faults, would take too many registers a tile ahead. */
static bool
streams(const Functor *f)
{
	Steps load = load_steps(f);

	for (int i = 0; i < load.n; i++) {
		const Bind *b = load.at[i];

		if (b->op != LCU_load && b->op != LCU_index && !given(f, b) && f->g->p->ir->op[b->op].cls != OP_SCALAR)
			return false;
	}
	return true;
}

/* Of a method that is called for many elements before any fault is told; if it finds some. */
static const char *
doubts_param(Functor *f, const Steps *l)
{
	f->doubts = false;
	for (int i = 0; i < l->n; i++)
		f->doubts = f->doubts || l->at[i]->op == LCU_check;
	return f->doubts ? "nesl_doubts &doubts_, " : "";
}

/* Does one of the steps more than read? */
static bool
acts(const Functor *f, const Steps *l)
{
	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];

		if (b->op == LCU_call || (f->g->p->ir->op[b->op].cls == OP_SINK && b->op != LCU_check)
			|| (steps_has(&f->plan->left, b) && given(f, b) && spilled(f, b)))
			return true;
	}
	return false;
}

static void
load_method(Functor *f)
{
	const Pass *p = f->pass;
	Steps l = load_steps(f);

	open_method(f, type_of(f->g, &p->fold, f->fold), "load_", arena_printf(f->g->a, "%s%s", doubts_param(f, &l), positions(f)));
	emit_steps(f, &l);
	f->doubts = false;
	emit_operands(f, &p->fold);
	emit_close(f->g->e, "}");
}

static void
mask_method(Functor *f)
{
	const Pass *p = f->pass;
	const char *value = gen_name(f->g, p->mask.at[0]);
	Steps l = {0};
	bool before = false;

	f->brings = f->early;
	if (p->fold.n == 0)
		need_all(f, &l, &p->load);
	mask_steps(f, &l);
	for (int i = 0; i < p->fold.n; i++)
		before = before || steps_has(&l, p->fold.at[i]);
	for (int j = 1; j < p->mask.n; j++)
		value = arena_printf(f->g->a, "%s | (unsigned)%s << %d", value, gen_name(f->g, p->mask.at[j]), j);
	open_method(f, "unsigned", "mask_", arena_printf(f->g->a, "%s%s%s%s", doubts_param(f, &l), positions(f),
		fold_param(f, before, "before_"), brought_param(f)));
	for (int i = 0; i < p->fold.n; i++)
		if (p->fold.n > 1 && steps_has(&l, p->fold.at[i]))
			emit_line(f->g->e, "const %s %s = %s;", fold_type(f->g, p->fold.at[i]),
				emit_cname(f->g->e, p->fold.at[i]->dst[0]->name), fold_value(f->g, &p->fold, p->fold.at[i], "before_"));
	emit_steps(f, &l);
	f->doubts = f->brings = false;
	emit_line(f->g->e, "return %s;", value);
	emit_close(f->g->e, "}");
}

static const char *
is_kept(const Functor *f, int j)
{
	return j ? arena_printf(f->g->a, "kept_ >> %d & 1", j) : "kept_ & 1";
}

/* Does an element read memory for b? */
static bool
reads(const Functor *f, const Bind *b)
{
	if (b->op == LCU_inner)         /* where the row starts, unless that is told or computed */
		return !f->asks && opnd_ty(f->plan->task->arg[1])->kind == TY_SEGDES;
	if (is_told(f, b) || b->op == LCU_index || b->op == LCU_row)
		return false;
	return plan_lasts(f->g, f->plan, b) || row_of(f->g, b)->cls == OP_SOURCE;
}

/* Is x what takes a read to find, and nothing is called for it?  Then elements bring it. */
static void
bring(Functor *f, Opnd x)
{
	const Bind *b = x.kind == OPND_VAR ? f->g->step[x.u.var->id] : NULL;
	Steps l = {0};
	bool any = false;

	if (!b || is_told(f, b))
		return;
	need(f, &l, x);
	for (int i = 0; i < l.n; i++)
		any = any || reads(f, l.at[i]);
	if (any && !acts(f, &l))
		steps_add(f->g, &f->brought, b);
}

/* What elements of a map or pack store is read by a method of its own, so that nothing is stored between the reads of several. */
static void
find_brought(Functor *f)
{
	const Pass *p = f->pass;
	Steps mask = {0};

	if (f->near || p->fold.n || p->late.n || p->kind == PASS_REDUCE)
		return;
	if (p->kind == PASS_MAP) {
		for (int i = 0; i < p->load.n; i++)
			for (int k = 0; k < p->load.at[i]->narg; k++)
				bring(f, p->load.at[i]->arg[k]);
		return;
	}
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep)
			bring(f, p->keep.at[i]->arg[1]);
	mask_steps(f, &mask);
	f->early = f->brought.n > 0;
	for (int i = 0; i < f->brought.n; i++)
		f->early = f->early && steps_has(&mask, f->brought.at[i]);
}

static void
bring_method(Functor *f)
{
	Emit *e = f->g->e;
	const char *values = "";
	Steps l = {0};

	emit_open(e, "struct Kept {");
	for (int i = 0; i < f->brought.n; i++) {
		const Var *v = f->brought.at[i]->dst[0];

		emit_line(e, "%s %s;", emit_ctype(v->ty), emit_cname(e, v->name));
		values = arena_printf(f->g->a, "%s%s%s", values, i ? ", " : "", emit_cname(e, v->name));
		need(f, &l, opnd_var((Var *)v));
	}
	emit_close(e, "};");
	open_method(f, "Kept", "bring_", positions(f));
	emit_steps(f, &l);
	emit_line(e, "return {%s};", values);
	emit_close(e, "}");
}

/* What goes to output j, there at at_[j]. */
static void
emit_kept(Functor *f, int j)
{
	Gen *g = f->g;
	const Pass *p = f->pass;
	LIST(const Bind *) to = {0};

	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep && plan_mask(p, p->keep.at[i]->arg[0]) == j)
			LIST_ADD(g->a, &to, p->keep.at[i]);
	if (to.n == 1)
		emit_line(g->e, "if (%s)", is_kept(f, j));
	else if (to.n > 1)
		emit_open(g->e, "if (%s) {", is_kept(f, j));
	for (int i = 0; i < to.n; i++)
		emit_line(g->e, "%s%s.at[at_[%d]] = %s;", to.n == 1 ? "\t" : "",
			emit_cname(g->e, plan_result(f->plan, to.at[i])->name), j, gen_name(g, to.at[i]->arg[1]));
	if (to.n > 1)
		emit_close(g->e, "}");
}

static void
emit_descriptors(Functor *f)
{
	Gen *g = f->g;
	const Steps *l = &f->pass->fold;

	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];
		const int j = b->op == LCU_keep_lengths ? plan_mask(f->pass, b->arg[0]) : -1;

		if (!plan_segdes(b))
			continue;
		if (j >= 0)
			emit_line(g->e, "if (%s)", is_kept(f, j));
		emit_line(g->e, "%snesl_row_ends(%s, %s, nesl_add_lengths::op(%s, %s)%s);", j >= 0 ? "\t" : "",
			emit_cname(g->e, plan_result(f->plan, b)->name), j >= 0 ? arena_printf(g->a, "at_[%d]", j) : "e1",
			fold_value(g, l, b, "before_"), fold_value(g, l, b, "here_"), lcu_total(b)
			? arena_printf(g->a, ", %s, beyond_", gen_name(g, *lcu_total(b))) : "");
	}
}

/* Elements, when all that came before them is known. */
static void
store_method(Functor *f)
{
	Gen *g = f->g;
	const Pass *p = f->pass;
	Steps l = {0};
	bool segdes = false, keep = false;

	f->brings = f->brought.n > 0;
	need_all(f, &l, &p->after);
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep) {
			need(f, &l, p->keep.at[i]->arg[1]);
			keep = true;
		} else {
			keep = keep || p->keep.at[i]->op == LCU_keep_lengths;
		}
	for (int i = 0; i < p->late.n; i++)
		need_folded(f, &l, p->late.at[i]);
	for (int i = 0; i < p->fold.n; i++)
		segdes = segdes || plan_segdes(p->fold.at[i]);
	open_method(f, p->late.n ? type_of(g, &p->late, f->late) : "void", "store_", arena_printf(g->a, "%s%s%s%s%s%s", positions(f),
		fold_param(f, scans(f), "before_"),
		p->fold.n ? arena_printf(g->a, segdes ? ", %s here_" : ", %s", type_of(g, &p->fold, f->fold)) : "",
		p->mask.n ? (keep ? ", unsigned kept_" : ", unsigned") : "", places_param(f, keep), brought_param(f)));
	if (keep && !scans(f)) {
		emit_line(g->e, "if (!kept_)");
		emit_line(g->e, "\treturn;");
	}
	emit_found(f, &p->fold, &l, p->level, "before_");
	emit_descriptors(f);
	emit_steps(f, &l);
	for (int j = 0; j < p->mask.n; j++)
		emit_kept(f, j);
	if (p->late.n)
		emit_operands(f, &p->late);
	f->brings = false;
	emit_close(g->e, "}");
}

/* The ends of rows: sinks of level 1, what reductions of level 2 have found, where outputs' rows end. */
static bool
has_row(const Functor *f)
{
	const Pass *p = f->pass;
	bool any = p->end.n > 0 || (p->level == 2 && (p->kind == PASS_REDUCE || p->late.n > 0));

	for (int i = 0; i < p->fold.n; i++)
		any = any || (p->level == 2 && plan_value_level(f->g, p->fold.at[i]) == 1);
	for (int i = 0; i < p->keep.n; i++)
		any = any || p->keep.at[i]->op == LCU_keep_segdes;
	return any;
}

/* Does the end of a row, whose steps are l, want one of these values? */
static bool
asks_at_end(const Functor *f, const Steps *fold, const Steps *l)
{
	for (int i = 0; i < fold->n; i++)
		if (steps_has(l, fold->at[i]) || (spilled(f, fold->at[i]) && plan_value_level(f->g, fold->at[i]) == 1))
			return true;
	return false;
}

static void
row_method(Functor *f)
{
	Gen *g = f->g;
	const Pass *p = f->pass;
	Steps l = {0};
	bool segdes = false;

	f->asks = false;
	need_all(f, &l, &p->end);
	for (int i = 0; i < p->rows.n; i++)
		need_folded(f, &l, p->rows.at[i]);
	for (int i = 0; i < p->keep.n; i++)
		segdes = segdes || p->keep.at[i]->op == LCU_keep_segdes;
	open_method(f, p->rows.n ? type_of(g, &p->rows, f->rows) : "void", "row_", arena_printf(g->a, "i64 e1%s%s%s",
		fold_param(f, asks_at_end(f, &p->fold, &l), "all_"), places_param(f, segdes), late_param(f, asks_at_end(f, &p->late, &l))));
	emit_found(f, &p->fold, &l, 1, "all_");
	emit_found(f, &p->late, &l, 1, "late_");
	emit_steps(f, &l);
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep_segdes)
			emit_line(g->e, "nesl_row_ends(%s, e1, at_[%d]);", emit_cname(g->e, plan_result(f->plan, p->keep.at[i])->name),
				plan_mask(p, p->keep.at[i]->arg[0]));
	if (p->rows.n)
		emit_operands(f, &p->rows);
	emit_close(g->e, "}");
}

/* -- functors --------------------------------------------------------------------------------------- */
/* All steps of the pass. */
static void
find_steps(const Functor *f, Pass *p)
{
	const Steps *const lists[] = {&p->fold, &p->rows, &p->late, &p->keep, &p->load, &p->after, &p->end};

	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
		need_all(f, &p->step, lists[k]);
}

/* Level 2 where nothing asks for the row: the elements of all rows are a flat space, and no offset is read. */
static bool
is_flat(Gen *g, const Pass *p)
{
	return p->level == 2 && p->fold.n == 0 && !ask_row(g, &p->step);
}

/* How many neighbours of the largest type that a thread loads or stores are 16 bytes; 0 where some step touches other memory
 * than its own element's: what lies there side by side is for threads side by side. */
static int
neighbours(const Functor *f)
{
	const Pass *p = f->pass;
	int most = 0;

	if (p->kind == PASS_SCAN || (p->level == 2 && !p->flat))
		return 0;
	for (int i = 0; i < p->step.n; i++) {
		const Bind *b = p->step.at[i];
		const bool touches = b->op == LCU_load || lcu_stores(b) || (plan_lasts(f->g, f->plan, b) && !given(f, b));
		const int size = touches ? emit_size(f->g->e, b->dst[0]->ty) : 0;

		if (!touches && b->op != LCU_index && b->op != LCU_check && !given(f, b) && f->g->p->ir->op[b->op].cls != OP_SCALAR)
			return 0;
		most = size > most ? size : most;
	}
	return most ? 16 / most : 0;
}

/* -- rows ---------------------------------------------------------------------------------------------- */
static void
find_of_row(Functor *f)
{
	Gen *g = f->g;

	f->of_row = NEW(g->a, bool, g->p->nvar);
	for (const Bind *b = f->plan->body->first; b; b = b->next) {
		const OpClass cls = row_of(g, b)->cls;
		bool is = b->ndst == 1 && plan_value_level(g, b) == 1 && b->op != LCU_call && !given(f, b);

		is = is && (plan_lasts(g, f->plan, b) || cls == OP_SCALAR || cls == OP_SOURCE);
		for (int i = 0; i < b->narg && is && !plan_lasts(g, f->plan, b); i++)
			is = b->arg[i].kind != OPND_VAR || !g->step[b->arg[i].u.var->id] || f->of_row[b->arg[i].u.var->id];
		if (is)
			f->of_row[b->dst[0]->id] = true;
	}
}

/* What gives them: of what an earlier pass has left, nothing. */
static Steps
row_steps(const Functor *f)
{
	Steps l = {0};

	for (int i = 0; i < f->row.n; i++)
		if (plan_lasts(f->g, f->plan, f->row.at[i]))
			steps_add(f->g, &l, f->row.at[i]);
		else
			need_step(f, &l, f->row.at[i]);
	return l;
}

/* What elements ask of their row, if that is much: then it is found once for a row, where rows are few in a tile. */
static void
find_row(Functor *f)
{
	const Pass *p = f->pass;
	Steps l = {0}, all;
	int reads = 0;

	if (p->level != 2 || p->flat || p->fold.n || p->late.n || p->kind == PASS_REDUCE)
		return;
	find_of_row(f);
	f->asks = true;
	need_all(f, &l, &p->load);
	need_all(f, &l, &p->after);
	if (p->kind == PASS_SCAN)
		keep_steps(f, &l);
	for (const Bind *b = f->plan->body->first; b; b = b->next) {
		f->starts = f->starts || (b->op == LCU_inner && steps_has(&l, b));
		if (is_told(f, b) && steps_has(&l, b))
			steps_add(f->g, &f->row, b);
	}
	f->asks = false;
	all = row_steps(f);
	for (int i = 0; i < all.n; i++)
		reads += row_of(f->g, all.at[i])->cls == OP_SOURCE && all.at[i]->op != LCU_index;
	f->asks = reads + f->starts > 1;
}

static void
row_struct(Functor *f)
{
	Gen *g = f->g;
	const char *values = "";
	Steps l;

	f->asks = false;
	l = row_steps(f);
	emit_open(g->e, "struct Row {");
	for (int i = 0; i < f->row.n; i++) {
		const Var *v = f->row.at[i]->dst[0];

		emit_line(g->e, "%s %s;", emit_ctype(v->ty), emit_cname(g->e, v->name));
		values = arena_printf(g->a, "%s%s%s", values, i ? ", " : "", emit_cname(g->e, v->name));
	}
	if (f->starts) {
		emit_line(g->e, "i64 start_;");
		values = arena_printf(g->a, "%s%snesl_row_start(%s, e1)", values, f->row.n ? ", " : "", gen_name(g, f->plan->task->arg[1]));
	}
	emit_close(g->e, "};");
	open_method(f, "Row", "ask_", "i64 e1");
	emit_steps(f, &l);
	emit_line(g->e, "return {%s};", values);
	emit_close(g->e, "}");
	f->asks = true;
}

static const char *
pass_name(Gen *g, const Plan *t, const Pass *p, const char *suffix)
{
	const char *which = t->pass.n > 1 ? arena_printf(g->a, "_%d", (int)(p - t->pass.at) + 1) : "";

	return arena_printf(g->a, "task_%d_%s%s%s", gen_task(g, t->task), emit_cname(g->e, t->task->name), suffix, which);
}

/* Does it take few registers?  Where rows are mapped, one element after the other is. */
static bool
is_light(const Functor *f)
{
	const Pass *p = f->pass;
	int reads = 0;

	for (int i = 0; i < p->step.n; i++) {
		const Bind *b = p->step.at[i];

		if (b->op == LCU_call)
			return false;
		reads += f->g->p->ir->op[b->op].cls == OP_SOURCE && b->op != LCU_index;
	}
	if (p->kind == PASS_MAP)
		return p->step.n <= MOST_LIGHT_MAP;
	return p->step.n <= MOST_LIGHT && reads <= MOST_READS && p->fold.n <= 1 && p->late.n == 0 && p->mask.n <= 3;
}

/* What the skeletons ask of it (nesl_functors.h). */
static void
emit_facts(Functor *f)
{
	const bool rowless = is_rowless(f);
	Steps l = load_steps(f);
	const char *facts = rowless ? ", rowless = true" : "";

	mask_steps(f, &l);
	if (rowless && f->pass->fold.n > 0 && streams(f))
		facts = arena_printf(f->g->a, "%s, streams = true", facts);
	if (f->pass->kind != PASS_MAP && acts(f, &l))
		facts = arena_printf(f->g->a, "%s, acts = true", facts);
	if (f->early)
		facts = arena_printf(f->g->a, "%s, early = true", facts);
	if (is_light(f))
		facts = arena_printf(f->g->a, "%s, light = true", facts);
	if (*facts)
		emit_line(f->g->e, "static const bool %s;", facts + 2);
}

static void
pass_functor(Gen *g, const Plan *t, Pass *p)
{
	Functor *f = NEW(g->a, Functor, 1);

	*f = (Functor){.g = g, .plan = t, .pass = p, .name = pass_name(g, t, p, "")};
	p->with = f;
	f->fold = fold_operator(g, &p->fold, pass_name(g, t, p, "_fold"));
	f->rows = fold_operator(g, &p->rows, pass_name(g, t, p, "_rows"));
	f->late = fold_operator(g, &p->late, pass_name(g, t, p, "_late"));
	find_steps(f, p);
	p->flat = is_flat(g, p);
	f->near = neighbours(f);
	hold_all(f);
	find_row(f);
	find_brought(f);
	emit_open(g->e, "struct %s {", f->name);
	for (int i = 0; i < f->member.n; i++)
		emit_line(g->e, "%s %s;", f->member.at[i].type, f->member.at[i].name);
	if (p->kind != PASS_MAP || (p->level == 2 && !p->flat))
		emit_facts(f);
	if (f->asks)
		row_struct(f);
	if (f->brought.n)
		bring_method(f);
	if (p->kind == PASS_MAP) {
		call_method(f);
		puts_methods(f);
	}
	if (p->fold.n)
		load_method(f);
	if (p->mask.n)
		mask_method(f);
	if (p->kind == PASS_SCAN)
		store_method(f);
	if (has_row(f))
		row_method(f);
	emit_close(g->e, "};");
	emit_blank(g->e);
}

void
task_functors(Gen *g, const Bind *task)
{
	Plan *t = plan_task(g, task);
	int same;

	g->plan[gen_task(g, task) - 1] = t;
	same_all(g->same, task, &same);
	if (t->pass.n)
		emit_sources(g->e, task);
	if (t->pass.n && same > 1)
		emit_line(g->e, "// and %d more task%s like it", same - 1, same > 2 ? "s" : "");
	for (int k = 0; k < t->pass.n; k++)
		pass_functor(g, t, &t->pass.at[k]);
}

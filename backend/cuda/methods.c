/* methods.c: what a functor does: the methods of nesl_functors.h.
 *
 * Each does the steps that its results stand on, in their order.  e1 and e2 are the positions at levels 1 and 2. */
#include "backend/cuda/functor.h"

static const char *
positions(const Functor *f)
{
	const Pass *p = f->pass;

	if (f->near)
		return arena_printf(f->g->a, "nesl_one_of<%d> e%d", f->near, p->level);
	return p->level == 1 ? "i64 e1" : p->flat ? "i64 e2" : f->asks ? "i64 e2, i64 e1, const Row &of_" : "i64 e2, i64 e1";
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
	const char *name = l->n == 1 && fold_keeps_value(f->g, l->at[0]) ? emit_cname(f->g->e, l->at[0]->dst[0]->name) : other;

	return l->n == 0 ? "" : arena_printf(f->g->a, wanted ? ", %s %s" : ", %s", fold_types(f->g, l, f->fold), name);
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
	const char *name = l->n == 1 && fold_keeps_value(f->g, l->at[0]) ? emit_cname(f->g->e, l->at[0]->dst[0]->name) : "late_";

	return l->n == 0 ? "" : arena_printf(f->g->a, wanted ? ", %s %s" : ", %s", fold_types(f->g, l, f->late), name);
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
		if ((fold->n > 1 || !fold_keeps_value(g, b)) && (steps_has(l, b) || functor_spills(f, b)))
			emit_line(g->e, "const %s %s = %s;", emit_ctype(b->dst[0]->ty), name, fold_value(g, fold, b, from));
		if (functor_spills(f, b))
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

/* Of a method that is called for many elements before any fault is told; if it finds some. */
static const char *
doubts_param(Functor *f, const Steps *l)
{
	f->doubts = false;
	for (int i = 0; i < l->n; i++)
		f->doubts = f->doubts || l->at[i]->op == LCU_check;
	return f->doubts ? "nesl_doubts &doubts_, " : "";
}

static void
row_struct(Functor *f)
{
	Gen *g = f->g;
	const char *values = "";
	Steps l;

	f->asks = false;
	l = steps_of_row(f);
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
	steps_emit(f, &l);
	emit_line(g->e, "return {%s};", values);
	emit_close(g->e, "}");
	f->asks = true;
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
		steps_need(f, &l, opnd_var((Var *)v));
	}
	emit_close(e, "};");
	open_method(f, "Kept", "bring_", positions(f));
	steps_emit(f, &l);
	emit_line(e, "return {%s};", values);
	emit_close(e, "}");
}

static void
call_method(Functor *f)
{
	Steps l = {0};

	f->brings = f->brought.n > 0;
	steps_need_all(f, &l, &f->pass->load);
	open_method(f, "void", "operator()", arena_printf(f->g->a, "%s%s", positions(f), brought_param(f)));
	steps_emit(f, &l);
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

static void
load_method(Functor *f)
{
	const Pass *p = f->pass;
	Steps l = steps_of_load(f);

	open_method(f, fold_types(f->g, &p->fold, f->fold), "load_", arena_printf(f->g->a, "%s%s", doubts_param(f, &l), positions(f)));
	steps_emit(f, &l);
	f->doubts = false;
	fold_operands(f, &p->fold);
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
		steps_need_all(f, &l, &p->load);
	steps_of_mask(f, &l);
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
	steps_emit(f, &l);
	f->doubts = f->brings = false;
	emit_line(f->g->e, "return %s;", value);
	emit_close(f->g->e, "}");
}

static const char *
is_kept(const Functor *f, int j)
{
	return j ? arena_printf(f->g->a, "kept_ >> %d & 1", j) : "kept_ & 1";
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
	steps_need_all(f, &l, &p->after);
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep) {
			steps_need(f, &l, p->keep.at[i]->arg[1]);
			keep = true;
		} else {
			keep = keep || p->keep.at[i]->op == LCU_keep_lengths;
		}
	for (int i = 0; i < p->late.n; i++)
		steps_need_folded(f, &l, p->late.at[i]);
	for (int i = 0; i < p->fold.n; i++)
		segdes = segdes || plan_segdes(p->fold.at[i]);
	open_method(f, p->late.n ? fold_types(g, &p->late, f->late) : "void", "store_", arena_printf(g->a, "%s%s%s%s%s%s", positions(f),
		fold_param(f, scans(f), "before_"),
		p->fold.n ? arena_printf(g->a, segdes ? ", %s here_" : ", %s", fold_types(g, &p->fold, f->fold)) : "",
		p->mask.n ? (keep ? ", unsigned kept_" : ", unsigned") : "", places_param(f, keep), brought_param(f)));
	if (keep && !scans(f)) {
		emit_line(g->e, "if (!kept_)");
		emit_line(g->e, "\treturn;");
	}
	emit_found(f, &p->fold, &l, p->level, "before_");
	emit_descriptors(f);
	steps_emit(f, &l);
	for (int j = 0; j < p->mask.n; j++)
		emit_kept(f, j);
	if (p->late.n)
		fold_operands(f, &p->late);
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
		if (steps_has(l, fold->at[i]) || (functor_spills(f, fold->at[i]) && plan_value_level(f->g, fold->at[i]) == 1))
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
	steps_need_all(f, &l, &p->end);
	for (int i = 0; i < p->rows.n; i++)
		steps_need_folded(f, &l, p->rows.at[i]);
	for (int i = 0; i < p->keep.n; i++)
		segdes = segdes || p->keep.at[i]->op == LCU_keep_segdes;
	open_method(f, p->rows.n ? fold_types(g, &p->rows, f->rows) : "void", "row_", arena_printf(g->a, "i64 e1%s%s%s",
		fold_param(f, asks_at_end(f, &p->fold, &l), "all_"), places_param(f, segdes), late_param(f, asks_at_end(f, &p->late, &l))));
	emit_found(f, &p->fold, &l, 1, "all_");
	emit_found(f, &p->late, &l, 1, "late_");
	steps_emit(f, &l);
	for (int i = 0; i < p->keep.n; i++)
		if (p->keep.at[i]->op == LCU_keep_segdes)
			emit_line(g->e, "nesl_row_ends(%s, e1, at_[%d]);", emit_cname(g->e, plan_result(f->plan, p->keep.at[i])->name),
				plan_mask(p, p->keep.at[i]->arg[0]));
	if (p->rows.n)
		fold_operands(f, &p->rows);
	emit_close(g->e, "}");
}

void
functor_methods(Functor *f)
{
	const Pass *p = f->pass;

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
}

/* functor.c: the structs that skeletons are called with.
 *
 * In   the passes of a task, the first of those that are the same
 * Out  for each pass the operator it folds with, if that is several side by side, and one functor
 * How  A functor holds what its steps need from the host, under the same names (members.c).  Its methods are those of
 *      nesl_functors.h: load_, mask_, store_, row_; or, in a map, operator() (methods.c).  What the skeletons may do with them is
 *      found here. */
#include "backend/cuda/functor.h"

/* Of a functor that is called light: steps, and of these what reads memory, for several elements at once; steps of one that
 * folds and keeps nothing. */
enum { MOST_LIGHT = 20, MOST_READS = 4, MOST_LIGHT_MAP = 64 };

/* A fold or pack of rows whose elements do not ask for their row; what a fold keeps is told of it anyway. */
static bool
is_rowless(const Functor *f)
{
	const Pass *p = f->pass;
	Steps load = steps_of_load(f), after = {0};

	if (p->level == 1 || p->flat || p->kind == PASS_MAP)
		return false;
	steps_need_all(f, &after, &p->after);
	if (p->fold.n == 0)
		steps_of_keep(f, &load);
	return !steps_ask_row(f->g, &load) && ((p->fold.n > 0 && (p->mask.n > 0 || p->late.n > 0)) || !steps_ask_row(f->g, &after));
}

/* Whose elements are but read: what touches other memory, or finds faults, would take too many registers a tile ahead. */
static bool
streams(const Functor *f)
{
	Steps load = steps_of_load(f);

	for (int i = 0; i < load.n; i++) {
		const Bind *b = load.at[i];

		if (b->op != LCU_load && b->op != LCU_index && !functor_finds(f, b) && gen_info(f->g, b)->cls != OP_SCALAR)
			return false;
	}
	return true;
}

/* Does an element read memory for b? */
static bool
reads(const Functor *f, const Bind *b)
{
	if (b->op == LCU_inner)         /* where the row starts, unless that is told or computed */
		return !f->asks && opnd_ty(f->plan->task->arg[1])->kind == TY_SEGDES;
	if (functor_tells(f, b) || b->op == LCU_index || b->op == LCU_row)
		return false;
	return plan_lasts(f->g, f->plan, b) || gen_info(f->g, b)->cls == OP_SOURCE;
}

/* Is x what takes a read to find, and nothing is called for it?  Then elements bring it. */
static void
bring(Functor *f, Opnd x)
{
	const Bind *b = x.kind == OPND_VAR ? f->g->step[x.u.var->id] : NULL;
	Steps l = {0};
	bool any = false;

	if (!b || functor_tells(f, b))
		return;
	steps_need(f, &l, x);
	for (int i = 0; i < l.n; i++)
		any = any || reads(f, l.at[i]);
	if (any && !steps_act(f, &l))
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
	steps_of_mask(f, &mask);
	f->early = f->brought.n > 0;
	for (int i = 0; i < f->brought.n; i++)
		f->early = f->early && steps_has(&mask, f->brought.at[i]);
}

/* All steps of the pass. */
static void
find_steps(const Functor *f, Pass *p)
{
	const Steps *const lists[] = {&p->fold, &p->rows, &p->late, &p->keep, &p->load, &p->after, &p->end};

	for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
		steps_need_all(f, &p->step, lists[k]);
}

/* Level 2 where nothing asks for the row: the elements of all rows are a flat space, and no offset is read. */
static bool
is_flat(Gen *g, const Pass *p)
{
	return p->level == 2 && p->fold.n == 0 && !steps_ask_row(g, &p->step);
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
		const bool touches = b->op == LCU_load || lcu_stores(b) || (plan_lasts(f->g, f->plan, b) && !functor_finds(f, b));
		const int size = touches ? emit_size(f->g->e, b->dst[0]->ty) : 0;

		if (!touches && b->op != LCU_index && b->op != LCU_check && !functor_finds(f, b) && gen_info(f->g, b)->cls != OP_SCALAR)
			return 0;
		most = size > most ? size : most;
	}
	return most ? 16 / most : 0;
}

static void
find_of_row(Functor *f)
{
	Gen *g = f->g;

	f->of_row = NEW(g->a, bool, g->p->nvar);
	for (const Bind *b = f->plan->body->first; b; b = b->next) {
		const OpClass cls = gen_info(g, b)->cls;
		bool is = b->ndst == 1 && plan_value_level(g, b) == 1 && b->op != LCU_call && !functor_finds(f, b);

		is = is && (plan_lasts(g, f->plan, b) || cls == OP_SCALAR || cls == OP_SOURCE);
		for (int i = 0; i < b->narg && is && !plan_lasts(g, f->plan, b); i++)
			is = b->arg[i].kind != OPND_VAR || !g->step[b->arg[i].u.var->id] || f->of_row[b->arg[i].u.var->id];
		if (is)
			f->of_row[b->dst[0]->id] = true;
	}
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
	steps_need_all(f, &l, &p->load);
	steps_need_all(f, &l, &p->after);
	if (p->kind == PASS_SCAN)
		steps_of_keep(f, &l);
	for (const Bind *b = f->plan->body->first; b; b = b->next) {
		f->starts = f->starts || (b->op == LCU_inner && steps_has(&l, b));
		if (functor_tells(f, b) && steps_has(&l, b))
			steps_add(f->g, &f->row, b);
	}
	f->asks = false;
	all = steps_of_row(f);
	for (int i = 0; i < all.n; i++)
		reads += gen_info(f->g, all.at[i])->cls == OP_SOURCE && all.at[i]->op != LCU_index;
	f->asks = reads + f->starts > 1;
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
		reads += gen_info(f->g, b)->cls == OP_SOURCE && b->op != LCU_index;
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
	Steps l = steps_of_load(f);
	const char *facts = rowless ? ", rowless = true" : "";

	steps_of_mask(f, &l);
	if (rowless && f->pass->fold.n > 0 && streams(f))
		facts = arena_printf(f->g->a, "%s, streams = true", facts);
	if (f->pass->kind != PASS_MAP && steps_act(f, &l))
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
	functor_members(f);
	find_row(f);
	find_brought(f);
	emit_open(g->e, "struct %s {", f->name);
	for (int i = 0; i < f->member.n; i++)
		emit_line(g->e, "%s %s;", f->member.at[i].type, f->member.at[i].name);
	if (p->kind != PASS_MAP || (p->level == 2 && !p->flat))
		emit_facts(f);
	functor_methods(f);
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

/* call.c: a task in its place on the host.
 *
 * In   the plan of a task or of one that is the same, the functors written
 * Out  its results' memory, one call of a skeleton for each pass, the figures of --stats */
#include <string.h>
#include "backend/cuda/gen.h"

typedef struct {
	Gen *g;
	const Bind *task;
	const Plan *t;          /* of the first task that is the same */
} Call;

/* -- from the first task to this one ------------------------------------------------------------- */
/* What stands here where the first has v, a result or a variable of the host. */
static const Var *
var_here(const Call *c, const Var *v)
{
	for (int i = 0; i < c->task->ndst; i++)
		if (c->t->task->dst[i] == v)
			return c->task->dst[i];
	return same_var(c->g->same, c->task, v);
}

static const Bind *
step_here(const Call *c, const Bind *step)
{
	const Bind *here = c->task->block[0]->first;

	for (const Bind *b = c->t->body->first; b != step; b = b->next)
		here = here->next;
	return here;
}

static const Var *
result_here(const Call *c, const Bind *sink)
{
	const Var *r = plan_result(c->t, sink);

	return r ? var_here(c, r) : NULL;
}

/* The ways out of a functor's checks, if one of them has any. */
static const char *
ways_here(const Call *c, const Functor *f)
{
	const char *s = "";
	bool any = false;

	for (int i = 0; i < f->done.n; i++) {
		const Bind *check = step_here(c, f->done.at[i]);

		any = any || check->nway > 0;
		s = arena_printf(c->g->a, "%s%s%s", s, i ? ", " : "", check->nway ? gen_way(c->g, check) : "NESL_END");
	}
	return any ? arena_printf(c->g->a, ", {%s}", s) : "";
}

static const char *
member_here(const Call *c, const Functor *f, const Member *m)
{
	Gen *g = c->g;

	if (m->var)
		return emit_cname(g->e, var_here(c, m->var)->name);
	if (m->spilled)
		return spill_name(g, step_here(c, m->spilled));
	return arena_printf(g->a, "nesl_checks(%d, %d%s)", f->done.n, gen_task_site(g, c->task), ways_here(c, f));
}

/* The text that makes a functor. */
static const char *
made(const Call *c, const Functor *f)
{
	const char *r = arena_printf(c->g->a, "%s{", f->name);

	for (int i = 0; i < f->member.n; i++)
		r = arena_printf(c->g->a, "%s%s%s", r, i ? ", " : "", member_here(c, f, &f->member.at[i]));
	return arena_printf(c->g->a, "%s}", r);
}

/* How many elements a level has, as host text. */
static const char *
count(Gen *g, const Bind *task, int level)
{
	if (level == 2)
		return arena_printf(g->a, "nesl_total(%s)", gen_name(g, task->arg[1]));
	return gen_name(g, task->arg[0]);
}

/* -- results ------------------------------------------------------------------------------------- */
static void
declare(const Call *c, const Bind *sink, const Var *r)
{
	Gen *g = c->g;
	const Bind *task = c->task;
	const char *name = emit_cname(g->e, r->name);

	if (sink->op == LCU_store || sink->op == LCU_scatter)
		emit_line(g->e, "const %s %s = nesl_new<%s>(%s);", gen_type(g, r->ty), name, emit_ctype(r->ty),
			count(g, task, sink->level));
	else if (sink->op == LCU_keep)
		emit_line(g->e, "%s %s = nesl_new<%s>(%s);", gen_type(g, r->ty), name, emit_ctype(r->ty),
			count(g, task, sink->level));
	else if (sink->op == LCU_keep_segdes)
		emit_line(g->e, "const nesl_segdes %s = nesl_new_segdes(%s.rows, -1);", name,
			gen_name(g, task->arg[1]));
}

/* -- figures -------------------------------------------------------------------------------------- */
typedef struct {
	int read[3], written[3];        /* bytes of an element, by level */
} Traffic;

static void
add_traffic(Traffic *t, const Emit *e, const Bind *b)
{
	switch (b->op) {
	case LCU_load:
	case LCU_fetch:
	case LCU_seg_length:
	case LCU_seg_start:
	case LCU_row_length:
	case LCU_row_start:
		t->read[b->level] += emit_size(e, b->dst[0]->ty);
		break;
	case LCU_store:
	case LCU_scatter:
	case LCU_segdes:
	case LCU_keep_segdes:
		t->written[b->op == LCU_keep_segdes ? 1 : b->level] += emit_size(e, b->dst[0]->ty);
		break;
	default:
		break;
	}
}

static const char *
bytes(Gen *g, const Bind *task, const int by_level[3])
{
	const char *r = NULL;

	for (int level = 1; level <= 2; level++)
		if (by_level[level])
			r = arena_printf(g->a, "%s%s%d * %s", r ? r : "", r ? " + " : "", by_level[level],
				count(g, task, level));
	return r ? r : "0";
}

static void
figures(const Call *c)
{
	Gen *g = c->g;
	const Plan *t = c->t;
	Traffic sum = {0};
	bool rows = false;

	for (const Bind *b = t->body->first; b; b = b->next)
		add_traffic(&sum, g->e, b);
	for (int k = 0; k < t->pass.n; k++)
		rows = rows || t->pass.at[k].level == 2;
	if (rows)
		sum.read[1] += 8;
	emit_line(g->e, "nesl_task(%d, %s, %s);", gen_task(g, c->task), bytes(g, c->task, sum.read),
		bytes(g, c->task, sum.written));
}

/* -- calls ---------------------------------------------------------------------------------------- */
static void
call_reduce(const Call *c, const Pass *p)
{
	Gen *g = c->g;
	const Var *r = result_here(c, p->anchor);
	const char *op = gen_operator(g, p->anchor), *with = made(c, p->with);

	if (p->level == 2)
		emit_line(g->e, "nesl_seg_reduce<%s>(%s, %s, %s);", op, gen_name(g, c->task->arg[1]), with,
			made(c, p->store));
	else if (r && g->used[r->id])
		emit_line(g->e, "const %s %s = nesl_reduce<%s>(%s, %s);", emit_ctype(r->ty),
			emit_cname(g->e, r->name), op, gen_name(g, c->task->arg[0]), with);
	else
		emit_line(g->e, "nesl_reduce<%s>(%s, %s);", op, gen_name(g, c->task->arg[0]), with);
}

/* The descriptor of what condition j keeps; NULL if nobody wants it. */
static const char *
kept_segdes(const Call *c, const Pass *p, int j)
{
	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i];
		const Var *r = b->op == LCU_keep_segdes ? result_here(c, b) : NULL;

		if (r && plan_mask(p, b->arg[0]) == j)
			return emit_cname(c->g->e, r->name);
	}
	return NULL;
}

static const char *
outputs(const Call *c, const Pass *p)
{
	const char *r = "";

	for (int j = 0; j < p->mask.n; j++) {
		const char *s = kept_segdes(c, p, j);

		r = arena_printf(c->g->a, "%s%s%s%s", r, j ? ", " : "", s ? s : "NULL", s ? ".off" : "");
	}
	return arena_printf(c->g->a, "{{%s}}", r);
}

/* kept_N_ ends in an underscore, as no name of the program does. */
static void
call_keep(const Call *c, const Pass *p)
{
	Gen *g = c->g;
	const char *counts = arena_printf(g->a, "kept_%d_", gen_task(g, c->task) * 2 + p->level - 1);

	emit_line(g->e, "i64 %s[%d];", counts, p->mask.n);
	if (p->level == 2)
		emit_line(g->e, "nesl_seg_pack<%d>(%s, %s, %s, %s);", p->mask.n, gen_name(g, c->task->arg[1]),
			made(c, p->with), outputs(c, p), counts);
	else
		emit_line(g->e, "nesl_pack<%d>(%s, %s, %s);", p->mask.n, gen_name(g, c->task->arg[0]),
			made(c, p->with), counts);
	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i];
		const Var *r = result_here(c, b);
		const int j = plan_mask(p, b->arg[0]);

		if (!r)
			continue;
		if (b->op == LCU_keep)
			emit_line(g->e, "%s = nesl_trim(%s, %s[%d]);", emit_cname(g->e, r->name),
				emit_cname(g->e, r->name), counts, j);
		else
			emit_line(g->e, "nesl_packed(%s, %s[%d]);", emit_cname(g->e, r->name), counts, j);
	}
}

static void
call_pass(const Call *c, const Pass *p)
{
	Gen *g = c->g;
	const bool rows = p->level == 2;
	const char *space = gen_name(g, c->task->arg[rows ? 1 : 0]);

	switch (p->kind) {
	case PASS_MAP:
		emit_line(g->e, "%s(%s, %s);", rows ? "nesl_expand" : "nesl_map", space, made(c, p->with));
		break;
	case PASS_REDUCE:
		call_reduce(c, p);
		break;
	case PASS_SCAN:
		emit_line(g->e, "%s<%s>(%s, %s, %s);", rows ? "nesl_seg_scan" : "nesl_scan",
			gen_operator(g, p->anchor), space, made(c, p->with), made(c, p->store));
		break;
	case PASS_KEEP:
		call_keep(c, p);
		break;
	case PASS_SEGDES:
		emit_line(g->e, "const nesl_segdes %s = nesl_offsets(%s, %s);",
			emit_cname(g->e, result_here(c, p->anchor)->name), space, made(c, p->with));
		break;
	}
}

/* Memory for values that one pass leaves to another. */
static void
spills(const Call *c, bool begin)
{
	Gen *g = c->g;

	for (int i = 0; i < c->t->spilled.n; i++) {
		const Bind *step = c->t->spilled.at[i];
		const char *name = spill_name(g, step_here(c, step)), *type = emit_ctype(step->dst[0]->ty);

		if (begin)
			emit_line(g->e, "const nesl_vec<%s> %s = nesl_new<%s>(%s);", type, name, type,
				count(g, c->task, plan_value_level(g, step)));
		else
			emit_line(g->e, "nesl_free(%s);", name);
	}
}

/* A permutation that is none leaves places of its result unwritten: it must be heard before they are read. */
static bool
must_settle(const Plan *t)
{
	for (const Bind *b = t->body->first; b; b = b->next)
		if (b->op == LCU_check && strcmp(b->name, "bad-permute") == 0)
			return true;
	return false;
}

void
task_call(Gen *g, const Bind *task)
{
	const Plan *t = g->plan[gen_task(g, same_first(g->same, task)) - 1];
	const Call c = {g, task, t};

	emit_place(g->e, task->span);
	if (scalar_task_loops(g->scalars, task))
		emit_line(g->e, "nesl_settle();");
	for (const Bind *b = t->body->first; b; b = b->next)
		if (result_here(&c, b))
			declare(&c, b, result_here(&c, b));
	spills(&c, true);
	figures(&c);
	for (int k = 0; k < t->pass.n; k++)
		call_pass(&c, &t->pass.at[k]);
	spills(&c, false);
	if (must_settle(t))
		emit_line(g->e, "nesl_settle();");
}

/* call.c: a task in its place on the host.
 *
 * In   the plan of a task, its functors written
 * Out  its results' memory, one call of a skeleton for each pass, the figures of --stats */
#include <string.h>
#include "backend/cuda/gen.h"

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
declare(Gen *g, const Bind *task, const Bind *sink, const Var *r)
{
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

static int
size(const Ty *t)
{
	switch (gen_element(t)->kind) {
	case TY_BOOL:
		return 1;
	case TY_CHAR:
		return 4;
	case TY_INT:
	case TY_FLOAT:
	case TY_SEGDES:
	case TY_PAIR:
	case TY_SEQ:
	case TY_VEC:
		break;
	}
	return 8;
}

static void
add_traffic(Traffic *t, const Bind *b)
{
	switch (b->op) {
	case LCU_load:
	case LCU_fetch:
	case LCU_seg_length:
	case LCU_seg_start:
	case LCU_row_length:
	case LCU_row_start:
		t->read[b->level] += size(b->dst[0]->ty);
		break;
	case LCU_store:
	case LCU_scatter:
	case LCU_segdes:
	case LCU_keep_segdes:
		t->written[b->op == LCU_keep_segdes ? 1 : b->level] += size(b->dst[0]->ty);
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
figures(Gen *g, const Plan *t)
{
	Traffic sum = {0};
	bool rows = false;

	for (const Bind *b = t->body->first; b; b = b->next)
		add_traffic(&sum, b);
	for (int k = 0; k < t->pass.n; k++)
		rows = rows || t->pass.at[k].level == 2;
	if (rows)
		sum.read[1] += 8;
	emit_line(g->e, "nesl_task(%d, %s, %s);", gen_task(g, t->task), bytes(g, t->task, sum.read),
		bytes(g, t->task, sum.written));
}

/* -- calls ---------------------------------------------------------------------------------------- */
static void
call_reduce(Gen *g, const Plan *t, const Pass *p)
{
	const Var *r = plan_result(t, p->anchor);
	const char *op = gen_operator(g, p->anchor);

	if (p->level == 2)
		emit_line(g->e, "nesl_seg_reduce<%s>(%s, %s, %s);", op, gen_name(g, t->task->arg[1]), p->with,
			p->store);
	else if (r && g->used[r->id])
		emit_line(g->e, "const %s %s = nesl_reduce<%s>(%s, %s);", emit_ctype(r->ty),
			emit_cname(g->e, r->name), op, gen_name(g, t->task->arg[0]), p->with);
	else
		emit_line(g->e, "nesl_reduce<%s>(%s, %s);", op, gen_name(g, t->task->arg[0]), p->with);
}

/* The descriptor of what condition j keeps; NULL if nobody wants it. */
static const char *
kept_segdes(Gen *g, const Plan *t, const Pass *p, int j)
{
	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i];
		const Var *r = b->op == LCU_keep_segdes ? plan_result(t, b) : NULL;

		if (r && plan_mask(p, b->arg[0]) == j)
			return emit_cname(g->e, r->name);
	}
	return NULL;
}

static const char *
outputs(Gen *g, const Plan *t, const Pass *p)
{
	const char *r = "";

	for (int j = 0; j < p->mask.n; j++) {
		const char *s = kept_segdes(g, t, p, j);

		r = arena_printf(g->a, "%s%s%s%s", r, j ? ", " : "", s ? s : "NULL", s ? ".off" : "");
	}
	return arena_printf(g->a, "{{%s}}", r);
}

/* The counts are named after the first result, with an underscore that no name of the program ends in. */
static void
call_keep(Gen *g, const Plan *t, const Pass *p)
{
	const char *counts = arena_printf(g->a, "kept_%d_", gen_task(g, t->task) * 2 + p->level - 1);

	emit_line(g->e, "i64 %s[%d];", counts, p->mask.n);
	if (p->level == 2)
		emit_line(g->e, "nesl_seg_pack<%d>(%s, %s, %s, %s);", p->mask.n, gen_name(g, t->task->arg[1]),
			p->with, outputs(g, t, p), counts);
	else
		emit_line(g->e, "nesl_pack<%d>(%s, %s, %s);", p->mask.n, gen_name(g, t->task->arg[0]), p->with,
			counts);
	for (int i = 0; i < p->keep.n; i++) {
		const Bind *b = p->keep.at[i];
		const Var *r = plan_result(t, b);
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
call_pass(Gen *g, const Plan *t, const Pass *p)
{
	const Bind *task = t->task;
	const char *n = gen_name(g, task->arg[0]), *s = p->level == 2 ? gen_name(g, task->arg[1]) : "";

	switch (p->kind) {
	case PASS_MAP:
		emit_line(g->e, "%s(%s, %s);", p->level == 2 ? "nesl_expand" : "nesl_map",
			p->level == 2 ? s : n, p->with);
		break;
	case PASS_REDUCE:
		call_reduce(g, t, p);
		break;
	case PASS_SCAN:
		emit_line(g->e, "%s<%s>(%s, %s, %s);", p->level == 2 ? "nesl_seg_scan" : "nesl_scan",
			gen_operator(g, p->anchor), p->level == 2 ? s : n, p->with, p->store);
		break;
	case PASS_KEEP:
		call_keep(g, t, p);
		break;
	case PASS_SEGDES:
		emit_line(g->e, "const nesl_segdes %s = nesl_offsets(%s, %s);",
			emit_cname(g->e, plan_result(t, p->anchor)->name), n, p->with);
		break;
	}
}

/* Memory for values that one pass leaves to another. */
static void
spills(Gen *g, const Plan *t, bool begin)
{
	for (int i = 0; i < t->spilled.n; i++) {
		const Var *v = t->spilled.at[i]->dst[0];
		const char *name = emit_cname(g->e, v->name), *type = emit_ctype(v->ty);

		if (begin)
			emit_line(g->e, "const nesl_vec<%s> %s_ = nesl_new<%s>(%s);", type, name, type,
				count(g, t->task, plan_value_level(g, t->spilled.at[i])));
		else
			emit_line(g->e, "nesl_free(%s_);", name);
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
	const Plan *t = g->plan[gen_task(g, task) - 1];

	emit_source(g->e, task->span);
	for (const Bind *b = t->body->first; b; b = b->next)
		if (plan_result(t, b))
			declare(g, task, b, plan_result(t, b));
	spills(g, t, true);
	figures(g, t);
	for (int k = 0; k < t->pass.n; k++)
		call_pass(g, t, &t->pass.at[k]);
	spills(g, t, false);
	if (must_settle(t))
		emit_line(g->e, "nesl_settle();");
}

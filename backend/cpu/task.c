/* task.c: a task of mem -> a C function.
 *
 * In   the plan of a task (plan.h)
 * Out  a function that returns its result, or stores several through pointers
 * How  One loop over chunks per pass.  Before the last, a pass finds for each chunk what the steps of one
 *      depth must know of the chunks before it: of a reduction or scan at level 2 only over the row that is
 *      open at the chunk's end (nothing earlier of the chunk matters beyond it), of scans at level 1 and of
 *      keeps over the whole chunk.  A short serial loop then combines the chunks in order. */
#include "backend/cpu/plan.h"
#include <string.h>

/* A check has none. */
static const char *
dst_name(const Plan *t, const Step *s, const char *suffix)
{
	return s->b->ndst == 0 ? "" : cpu_name_of(t->k, s->b->dst[0], suffix);
}

static const char *
group_name(const Plan *t, const Step *s, const char *suffix)
{
	return dst_name(t, &t->step[s->group], suffix);
}

static const char *
base_type(const Step *s)
{
	return emit_ctype(s->b->dst[0]->ty);
}

static const char *
position(const Step *s)
{
	return s->level == 2 ? "e2" : "e1";
}

/* Offsets are summed like a plus_scan. */
static const char *
combined(const Plan *t, const Step *s, const char *acc, const char *x)
{
	if (s->doing == DO_SEGDES)
		return arena_printf(t->k->arena, "iadd(%s, %s)", acc, x);
	return cpu_combine(t->k, s->b, acc, x);
}

static const char *
identity(const Plan *t, const Step *s)
{
	return s->doing == DO_SEGDES ? "0" : cpu_identity(t->k, s->b);
}

/* -- one step at one element ------------------------------------------------------------------- */
static const char *
operand(const Plan *t, Opnd o)
{
	return cpu_operand(t->k, o);
}

static const char *
source_text(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	Arena *a = t->k->arena;
	const char *e = position(s), *x = b->narg ? operand(t, b->arg[0]) : "";
	const char *n = b->narg ? cpu_name_of(t->k, b->arg[0].u.var, "_n") : "";

	switch (b->op) {
	case LCU_load:
		return arena_printf(a, "%s[%s]", x, e);
	case LCU_fetch:
		return arena_printf(a, "nesl_in(%s, %s) ? %s[%s] : 0", operand(t, b->arg[1]), n, x,
			operand(t, b->arg[1]));
	case LCU_index:
		return e;
	case LCU_inner:
		return arena_printf(a, "e2 - %s[e1]", t->off);
	case LCU_row:
		return "e1";
	case LCU_seg_length:
		return arena_printf(a, "%s[%s + 1] - %s[%s]", x, e, x, e);
	case LCU_seg_start:
		return arena_printf(a, "%s[%s]", x, e);
	case LCU_row_start:
	case LCU_row_length:
		return arena_printf(a, "nesl_%s(%s, %s - 1, %s)", cpu_op(t->k, b)->name, x, n, operand(t, b->arg[1]));
	}
	ice(b->span, "c", "no C text for %s in a task", cpu_op(t->k, b)->name);
}

static const char *
value_text(const Plan *t, const Step *s)
{
	const char *arg[3] = {0};
	const Bind *b = s->b;

	if (cpu_op(t->k, b)->cls == OP_SOURCE)
		return source_text(t, s);
	for (int i = 0; i < b->narg && i < 3; i++)
		arg[i] = operand(t, b->arg[i]);
	return emit_scalar(t->k->e, cpu_op(t->k, b), opnd_ty(b->arg[0]), arg, b->narg);
}

static void
print_update(const Plan *t, const Step *s, const char *acc)
{
	emit_line(t->k->e, "%s = %s;", acc, combined(t, s, acc, operand(t, s->b->arg[0])));
}

static void
print_check(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	const char *v = "";
	int rank = 0;

	for (const Step *other = t->step; other < s; other++)
		rank += other->b->op == LCU_check;
	for (int i = 1; i <= 3; i++)
		v = i >= b->narg ? arena_printf(t->k->arena, "%s, 0", v)
			: arena_printf(t->k->arena, opnd_ty(b->arg[i])->kind == TY_INT ? "%s, %s" : "%s, (i64)%s",
				v, operand(t, b->arg[i]));
	emit_open(t->k->e, "if (!%s)", operand(t, b->arg[0]));
	emit_line(t->k->e, "nesl_failed(&%s, %d, %s%s);", t->k->fixed.failure, rank, position(s), v);
	emit_close(t->k->e, "");
}

static void
print_sink(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	Emit *e = t->k->e;

	if (b->op == LCU_check) {
		print_check(t, s);
		return;
	}
	if (b->op == LCU_store) {
		emit_line(e, "%s[%s] = %s;", dst_name(t, s, ""), position(s), operand(t, b->arg[0]));
		return;
	}
	emit_open(e, "if (nesl_in(%s, %s))", operand(t, b->arg[1]), dst_name(t, s, "_n"));
	emit_line(e, "%s[%s] = %s;", dst_name(t, s, ""), operand(t, b->arg[1]), operand(t, b->arg[0]));
	emit_close(e, "");
}

/* An array of keeps never writes past the chunk's share: there another thread's begins. */
static void
print_group(const Plan *t, const Step *first, bool last_pass)
{
	Emit *e = t->k->e;
	const char *at = group_name(t, first, "_k"), *flag = operand(t, first->b->arg[0]);
	bool stores = false;

	for (int i = 0; i < t->n; i++)
		stores |= t->step[i].need && t->step[i].b->op == LCU_keep && t->step[i].group == first->group;
	if (!stores || !last_pass) {
		emit_line(e, "%s += %s;", at, flag);
		return;
	}
	emit_open(e, "if (%s < %s) {", at, group_name(t, first, "_end"));
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].b->op == LCU_keep && t->step[i].group == first->group)
			emit_line(e, "%s[%s] = %s;", dst_name(t, &t->step[i], ""), at,
				operand(t, t->step[i].b->arg[1]));
	emit_line(e, "%s += %s;", at, flag);
	emit_close(e, "}");
}

static void
print_groups(const Plan *t, int level, bool last_pass)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].doing == DO_KEEP && t->step[i].level == level
				&& t->step[i].group == i)
			print_group(t, &t->step[i], last_pass);
}

static void
print_value(const Plan *t, const Step *s)
{
	emit_line(t->k->e, "const %s %s = %s;", base_type(s), dst_name(t, s, ""), value_text(t, s));
}

/* The body of the loop over elements of level 2. */
static void
print_element(const Plan *t, bool last_pass)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != 2 || s->doing == DO_KEEP)
			continue;
		if (s->doing == DO_VALUE) {
			print_value(t, s);
		} else if (s->doing == DO_REDUCE) {
			print_update(t, s, dst_name(t, s, ""));
		} else if (s->doing == DO_SCAN) {
			if (s->used)
				emit_line(t->k->e, "const %s %s = %s;", base_type(s), dst_name(t, s, ""),
					dst_name(t, s, "_run"));
			print_update(t, s, dst_name(t, s, "_run"));
		} else {
			print_sink(t, s);
		}
	}
	print_groups(t, 2, last_pass);
}

/* Level 1, before the elements of the row; at_end: of the row that is open at the end of the chunk. */
static void
print_before(const Plan *t, bool at_end)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != 1)
			continue;
		if (s->doing == DO_VALUE && !s->late)
			print_value(t, s);
		else if (s->doing == DO_SCAN && s->used)
			emit_line(t->k->e, at_end ? "const %s %s = %s[%s + 1];" : "const %s %s = %s;",
				base_type(s), dst_name(t, s, ""), dst_name(t, s, at_end ? "_at" : "_run"),
				t->k->fixed.c);
	}
}

/* Level 1, at the end of the row. */
static void
print_after(const Plan *t, bool last_pass)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != 1)
			continue;
		if (s->doing == DO_VALUE && s->late)
			print_value(t, s);
		else if (s->doing == DO_SINK)
			print_sink(t, s);
		else if (s->doing == DO_SCAN || s->doing == DO_REDUCE || s->doing == DO_SEGDES)
			print_update(t, s, dst_name(t, s, "_run"));
		if (s->doing == DO_SEGDES && last_pass)
			emit_line(t->k->e, "%s[e1 + 1] = %s;", dst_name(t, s, ""), dst_name(t, s, "_run"));
	}
	print_groups(t, 1, last_pass);
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->need && s->b->op == LCU_keep_segdes && last_pass)
			emit_line(t->k->e, "%s[e1 + 1] = %s;", dst_name(t, s, ""), group_name(t, s, "_k"));
		if (s->need && s->level == 2 && s->doing == DO_REDUCE)
			emit_line(t->k->e, "%s = %s;", dst_name(t, s, ""), identity(t, s));
		if (s->need && s->level == 2 && s->doing == DO_SCAN)
			emit_line(t->k->e, "%s = %s;", dst_name(t, s, "_run"), identity(t, s));
	}
}

/* -- a chunk ----------------------------------------------------------------------------------- */
static bool
needed_at(const Plan *t, int level)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].level == level)
			return true;
	return false;
}

static bool
any_need(const Plan *t, Doing doing, int level)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].doing == doing && t->step[i].level == level)
			return true;
	return false;
}

static bool
needs_count(const Plan *t, const Var *v)
{
	for (int i = 0; i < t->n; i++) {
		const Bind *b = t->step[i].b;

		if (t->step[i].need && (b->op == LCU_fetch || b->op == LCU_row_start || b->op == LCU_row_length)
				&& b->arg[0].u.var == v)
			return true;
	}
	return false;
}

/* The arrays that the pass reads, and those it writes, as plain pointers; rows: the offsets too. */
static void
print_pointers(const Plan *t, bool rows, bool last_pass)
{
	Emit *e = t->k->e;
	Map *seen = map_new(t->k->arena);

	for (int i = rows ? -1 : 0; i < t->n; i++)
		for (int a = 0; a < (i < 0 ? 1 : t->step[i].b->narg); a++) {
			Opnd o = i < 0 ? t->task->arg[1] : t->step[i].b->arg[a];

			if ((i >= 0 && !t->step[i].need) || o.kind != OPND_VAR || ty_scalar(o.u.var->ty)
					|| *map_at(seen, o.u.var))
				continue;
			*map_at(seen, o.u.var) = o.u.var;
			emit_line(e, "const %s *const restrict %s = %s->data;", emit_ctype(o.u.var->ty),
				cpu_name(t->k, o.u.var), cpu_name_of(t->k, o.u.var, "_v"));
			if (needs_count(t, o.u.var))
				emit_line(e, "const i64 %s = %s->count;", cpu_name_of(t->k, o.u.var, "_n"),
					cpu_name_of(t->k, o.u.var, "_v"));
		}
	for (int i = 0; i < t->n && last_pass; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->doing <= DO_SCAN || s->b->op == LCU_check)
			continue;
		emit_line(e, "%s *const restrict %s = %s->data;", base_type(s), dst_name(t, s, ""),
			dst_name(t, s, "_v"));
		if (s->b->op == LCU_scatter)
			emit_line(e, "const i64 %s = %s->count;", dst_name(t, s, "_n"), dst_name(t, s, "_v"));
	}
}

/* What runs through the chunk: begins at its neutral element if this pass is to find it. */
static void
print_running(const Plan *t, int pass)
{
	Emit *e = t->k->e;
	const char *c = t->k->fixed.c;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		bool fresh = s->depth == pass || (s->doing == DO_REDUCE && s->level == 1);
		const char *suffix = s->doing == DO_REDUCE && s->level == 2 ? "" : "_run";

		if (!s->need)
			continue;
		if (s->doing == DO_KEEP && s->group == i) {
			emit_line(e, pass < t->passes ? "i64 %s = 0;" : "i64 %s = %s[%s];", group_name(t, s, "_k"),
				group_name(t, s, "_at"), c);
		} else if (s->doing == DO_REDUCE || s->doing == DO_SCAN || s->doing == DO_SEGDES) {
			if (fresh)
				emit_line(e, "%s %s = %s;", base_type(s), dst_name(t, s, suffix), identity(t, s));
			else
				emit_line(e, "%s %s = %s[%s];", base_type(s), dst_name(t, s, suffix),
					dst_name(t, s, "_at"), c);
		}
		if (s->b->op == LCU_keep && pass == t->passes && !*map_at(t->ends, &t->step[s->group])) {
			*map_at(t->ends, &t->step[s->group]) = t->made;
			emit_line(e, "const i64 %s = %s[%s + 1];", group_name(t, s, "_end"), group_name(t, s, "_at"), c);
		}
	}
}

/* What the chunk found. */
static void
print_found(const Plan *t, int pass)
{
	Emit *e = t->k->e;
	const char *c = t->k->fixed.c;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		bool total = pass < t->passes ? s->depth == pass && s->level == 1
				&& (s->doing == DO_SCAN || s->doing == DO_SEGDES)
			: s->doing == DO_REDUCE && s->level == 1;

		if (s->need && total)
			emit_line(e, "%s[%s] = %s;", dst_name(t, s, "_at"), c, dst_name(t, s, "_run"));
		else if (s->need && pass < t->passes && s->doing == DO_KEEP && s->group == i)
			emit_line(e, "%s[%s] = %s;", group_name(t, s, "_at"), c, group_name(t, s, "_k"));
	}
}

static void
open_chunks(const Plan *t)
{
	const Fixed *f = &t->k->fixed;

	emit_line(t->k->e, "NESL_PARALLEL(%s > 1)", f->nc);
	emit_open(t->k->e, "for (i64 %s = 0; %s < %s; %s++) {", f->c, f->c, f->nc, f->c);
}

/* One level, or elements of level 2 that need not know their rows. */
static void
print_flat_loop(const Plan *t, const char *n, int level, bool last_pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	emit_line(e, "const i64 %s = nesl_lo(%s, %s + 1, %s);", f->hi, n, f->c, f->nc);
	emit_open(e, "for (i64 e%d = nesl_lo(%s, %s, %s); e%d < %s; e%d++) {", level, n, f->c, f->nc, level, f->hi,
		level);
	if (level == 2) {
		print_element(t, last_pass);
	} else {
		print_before(t, false);
		print_after(t, last_pass);
	}
	emit_close(e, "}");
}

/* The elements after the last end of a row in this chunk: only what level 2 itself wants is left to do. */
static void
print_open_row(Plan *t, bool last_pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	for (int i = 0; i < t->n; i++)
		t->step[i].need &= t->step[i].level == 2 && t->step[i].doing > DO_SCAN;
	if (!needed_at(t, 2))
		return;
	cpu_plan_close(t, true);
	emit_open(e, "if (e2 < %s) {", f->end);
	print_before(t, false);
	emit_open(e, "for (; e2 < %s; e2++) {", f->end);
	print_element(t, last_pass);
	emit_close(e, "}");
	emit_close(e, "}");
}

static void
print_row_loop(Plan *t, bool last_pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	bool elements = needed_at(t, 2);
	bool tail = any_need(t, DO_SINK, 2) || any_need(t, DO_KEEP, 2);

	emit_line(e, "const i64 %s = %s.at[%s + 1].row;", f->hi, f->cuts, f->c);
	if (tail)
		emit_line(e, "const i64 %s = %s.at[%s + 1].e;", f->end, f->cuts, f->c);
	if (elements)
		emit_line(e, "i64 e2 = %s.at[%s].e;", f->cuts, f->c);
	emit_line(e, "i64 e1 = %s.at[%s].row;", f->cuts, f->c);
	emit_blank(e);
	emit_open(e, "for (; e1 < %s; e1++) {", f->hi);
	print_before(t, false);
	if (elements) {
		emit_open(e, "for (const i64 stop_ = %s[e1 + 1]; e2 < stop_; e2++) {", t->off);
		print_element(t, last_pass);
		emit_close(e, "}");
	}
	print_after(t, last_pass);
	emit_close(e, "}");
	if (tail)
		print_open_row(t, last_pass);
}

/* -- passes ------------------------------------------------------------------------------------ */
static void
restore_need(Plan *t, const bool *need)
{
	for (int i = 0; i < t->n; i++)
		t->step[i].need = need[i];
}

/* All chunks from end to end, for what is marked. */
static void
print_pass(Plan *t, int pass)
{
	Emit *e = t->k->e;
	bool last = pass == t->passes, rows, checks = any_need(t, DO_SINK, 1) || any_need(t, DO_SINK, 2);
	bool *need = NEW(t->k->arena, bool, t->n + 1);
	const Fixed *f = &t->k->fixed;

	cpu_plan_close(t, false);
	for (int i = 0; i < t->n; i++)
		need[i] = t->step[i].need;
	checks = checks && t->checks && last;
	rows = t->by_row && (needed_at(t, 2));
	t->ends = map_new(t->k->arena);
	open_chunks(t);
	print_pointers(t, rows, last);
	if (checks)
		emit_line(e, "nesl_failure %s = NESL_NO_FAILURE;", f->failure);
	print_running(t, pass);
	if (t->by_row)
		print_row_loop(t, last);
	else
		print_flat_loop(t, t->two ? f->n2 : t->n1, t->two ? 2 : 1, last);
	restore_need(t, need);
	print_found(t, pass);
	if (checks)
		emit_line(e, "nesl_join_failure(&%s, &%s);", f->worst, f->failure);
	emit_close(e, "}");
}

/* Some step before or in the elements of a row that asks which row it is. */
static bool
needs_e1(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		int op = s->b->op;
		bool at_1 = op == LCU_load || op == LCU_index || op == LCU_seg_length || op == LCU_seg_start;

		if (s->need && (op == LCU_inner || op == LCU_row || (s->level == 1 && at_1)))
			return true;
	}
	return false;
}

static bool
needs_offsets(const Plan *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].b->op == LCU_inner)
			return true;
	return false;
}

/* What runs over the open row: goes on from the chunk before if the row began there. */
static void
print_open_running(const Plan *t, int pass)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *acc = dst_name(t, s, s->doing == DO_REDUCE ? "" : "_run");

		if (!s->need || s->level != 2 || (s->doing != DO_REDUCE && s->doing != DO_SCAN))
			continue;
		if (s->depth == pass)
			emit_line(t->k->e, "%s %s = %s;", base_type(s), acc, identity(t, s));
		else
			emit_line(t->k->e, "%s %s = start_ < from_ ? %s[%s] : %s;", base_type(s), acc,
				dst_name(t, s, "_at"), t->k->fixed.c, identity(t, s));
	}
}

static void
print_open_chunk(const Plan *t, int pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	print_pointers(t, needs_offsets(t), false);
	emit_line(e, "const i64 start_ = %s.at[%s + 1].start;", f->cuts, f->c);
	emit_line(e, "const i64 from_ = %s.at[%s].e, %s = %s.at[%s + 1].e;", f->cuts, f->c, f->end, f->cuts, f->c);
	print_open_running(t, pass);
	emit_blank(e);
	emit_open(e, "if (start_ < %s) {", f->end);
	if (needs_e1(t))
		emit_line(e, "const i64 e1 = %s.at[%s + 1].row;", f->cuts, f->c);
	print_before(t, true);
	emit_open(e, "for (i64 e2 = start_ > from_ ? start_ : from_; e2 < %s; e2++) {", f->end);
	print_element(t, false);
	emit_close(e, "}");
	emit_close(e, "}");
}

/* r_at[c + 1] holds the chunk's own; where the row began earlier, what came before goes first. */
static void
print_open_combine(const Plan *t, const bool *target)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	emit_open(e, "for (i64 %s = 0; %s < %s; %s++)", f->c, f->c, f->nc, f->c);
	emit_open(e, "if (%s.at[%s + 1].start < %s.at[%s].e) {", f->cuts, f->c, f->cuts, f->c);
	for (int i = 0; i < t->n; i++) {
		const char *at = dst_name(t, &t->step[i], "_at");
		const char *here = arena_printf(t->k->arena, "%s[%s]", at, f->c);
		const char *next = arena_printf(t->k->arena, "%s[%s + 1]", at, f->c);

		if (target[i])
			emit_line(e, "%s = %s;", next, combined(t, &t->step[i], here, next));
	}
	emit_close(e, "}");
	emit_close(e, "");
}

/* Reductions and scans at level 2 over the row that is open at the end of each chunk. */
static void
print_open_pass(Plan *t, int pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	bool *target = NEW(t->k->arena, bool, t->n + 1);

	for (int i = 0; i < t->n; i++)
		target[i] = t->step[i].need;
	cpu_plan_close(t, true);
	emit_open(e, "if (%s > 1) {", f->nc);
	open_chunks(t);
	print_open_chunk(t, pass);
	for (int i = 0; i < t->n; i++)
		if (target[i])
			emit_line(e, "%s[%s + 1] = %s;", dst_name(t, &t->step[i], "_at"), f->c,
				dst_name(t, &t->step[i], t->step[i].doing == DO_REDUCE ? "" : "_run"));
	emit_close(e, "}");
	print_open_combine(t, target);
	emit_close(e, "}");
}

/* The chunks' own totals -> what comes before each chunk. */
static void
print_combine(const Plan *t, const bool *target)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *at = dst_name(t, s, "_at"), *run = dst_name(t, s, "_run");

		if (!target[i])
			continue;
		if (s->doing == DO_KEEP || s->doing == DO_SEGDES) {
			emit_line(e, "nesl_begins(%s, %s);", at, f->nc);
			continue;
		}
		emit_line(e, "%s %s = %s;", base_type(s), run, identity(t, s));
		emit_open(e, "for (i64 %s = 0; %s <= %s; %s++) {", f->c, f->c, f->nc, f->c);
		emit_line(e, "const %s own_ = %s < %s ? %s[%s] : %s;", base_type(s), f->c, f->nc, at, f->c, run);
		emit_line(e, "%s[%s] = %s;", at, f->c, run);
		emit_line(e, "%s = %s;", run, combined(t, s, run, "own_"));
		emit_close(e, "}");
	}
}

/* Mark the targets of a pass before the last; false: there are none. */
static bool
mark_targets(Plan *t, int pass, int level)
{
	bool any = false;

	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];
		bool open = s->level == 2 && (s->doing == DO_REDUCE || s->doing == DO_SCAN);
		bool whole = (s->level == 1 && s->doing == DO_SCAN) || s->doing == DO_SEGDES
			|| (s->doing == DO_KEEP && s->group == i);

		s->need = s->live && s->depth == pass && (level == 2 ? open : whole);
		any |= s->need;
	}
	return any;
}

static void
print_count_pass(Plan *t, int pass)
{
	bool *target = NEW(t->k->arena, bool, t->n + 1);
	bool keeps = any_need(t, DO_KEEP, 1) || any_need(t, DO_KEEP, 2);

	for (int i = 0; i < t->n; i++)
		target[i] = t->step[i].need;
	if (!keeps)
		emit_open(t->k->e, "if (%s > 1) {", t->k->fixed.nc);
	print_pass(t, pass);
	print_combine(t, target);
	if (!keeps)
		emit_close(t->k->e, "}");
}

/* -- the function ------------------------------------------------------------------------------ */
static void
add_param(Cpu *k, VarList *l, Opnd o, Map *seen)
{
	if (o.kind != OPND_VAR || *map_at(seen, o.u.var))
		return;
	*map_at(seen, o.u.var) = o.u.var;
	LIST_ADD(k->arena, l, o.u.var);
}

static void
params_of(const Plan *t, VarList *l)
{
	Map *seen = map_new(t->k->arena);

	for (int i = 0; i < t->task->narg; i++)
		add_param(t->k, l, t->task->arg[i], seen);
	for (int i = 0; i < t->n; i++)
		for (int a = 0; t->step[i].live && a < t->step[i].b->narg; a++)
			if (!cpu_step(t, t->step[i].b->arg[a]) && cpu_reads(t->k, t->step[i].b, a))
				add_param(t->k, l, t->step[i].b->arg[a], seen);
}

void
cpu_task_params(Cpu *k, const Bind *task, VarList *l)
{
	params_of(cpu_plan(k, task), l);
}

static void
print_head(const Plan *t)
{
	Cpu *k = t->k;
	const Bind *b = t->task;
	const char *s = "";
	VarList l = {0};

	params_of(t, &l);
	for (int i = 0; i < l.n; i++)
		s = arena_printf(k->arena, "%s%s%s%s%s", s, i ? ", " : "",
			ty_scalar(l.at[i]->ty) ? "" : "const ", cpu_type(l.at[i]->ty),
			cpu_name_of(k, l.at[i], ty_scalar(l.at[i]->ty) ? "" : "_v"));
	for (int i = 0; i < b->ndst && b->ndst > 1; i++)
		s = arena_printf(k->arena, "%s%s%s*%s", s, *s ? ", " : "", cpu_type(b->dst[i]->ty),
			cpu_name_of(k, b->dst[i], "_out"));
	emit_source(k->e, b->span);
	emit_line(k->e, "static %s", b->ndst == 1 ? cpu_type(b->dst[0]->ty) : "void");
	emit_line(k->e, "%s(%s)", cpu_numbered(k, b)->name, *s ? s : "void");
}

/* Room for what each chunk must know, and the arrays whose length is known. */
static void
print_room(const Plan *t)
{
	Emit *e = t->k->e;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *n = s->level == 2 ? t->k->fixed.n2 : t->n1;

		if (!s->live)
			continue;
		if (s->doing == DO_KEEP ? s->group == i : s->doing != DO_VALUE && s->doing != DO_SINK)
			emit_line(e, "%s %s[NESL_CHUNKS + 1];", s->doing == DO_KEEP ? "i64" : base_type(s),
				dst_name(t, s, "_at"));
		if (s->b->op == LCU_store || s->b->op == LCU_scatter)
			emit_line(e, "nesl_vec *const %s = nesl_new(%s, %d);", dst_name(t, s, "_v"), n,
				(int)cpu_size(s->b->dst[0]->ty));
		if (s->doing == DO_SEGDES || s->b->op == LCU_keep_segdes)
			emit_line(e, "nesl_vec *const %s = nesl_new_segdes(%s);", dst_name(t, s, "_v"), t->n1);
	}
}

/* Chunk 0 has nothing before it. */
static void
print_first(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->live && (s->doing == DO_SCAN || s->doing == DO_SEGDES
				|| (s->doing == DO_REDUCE && s->level == 2)))
			emit_line(t->k->e, "%s[0] = %s;", dst_name(t, s, "_at"), identity(t, s));
	}
}

static void
print_keeps(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->live && s->b->op == LCU_keep)
			emit_line(t->k->e, "nesl_vec *const %s = nesl_new(%s[%s], %d);", dst_name(t, s, "_v"),
				group_name(t, s, "_at"), t->k->fixed.nc, (int)cpu_size(s->b->dst[0]->ty));
	}
}

static void
print_host_reductions(const Plan *t)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *r = dst_name(t, s, ""), *at = dst_name(t, s, "_at");

		if (!s->live || s->doing != DO_REDUCE || s->level != 1)
			continue;
		emit_line(e, "%s %s = %s[0];", base_type(s), r, at);
		emit_open(e, "for (i64 %s = 1; %s < %s; %s++)", f->c, f->c, f->nc, f->c);
		emit_line(e, "%s = %s;", r, combined(t, s, r, arena_printf(t->k->arena, "%s[%s]", at, f->c)));
		emit_close(e, "");
	}
}

static void
print_results(const Plan *t)
{
	const Bind *b = t->task;

	for (int i = 0; i < b->ndst; i++) {
		const Var *v = b->block[0]->yield[i].u.var;
		const char *r = cpu_name_of(t->k, v, ty_scalar(v->ty) ? "" : "_v");

		if (b->ndst == 1)
			emit_line(t->k->e, "return %s;", r);
		else
			emit_line(t->k->e, "*%s = %s;", cpu_name_of(t->k, b->dst[i], "_out"), r);
	}
}

static int
first_site(const Plan *t, int *mismatches)
{
	int first = -1;

	*mismatches = 0;
	for (int i = t->n - 1; i >= 0; i--)
		if (t->step[i].b->op == LCU_check) {
			first = cpu_numbered(t->k, t->step[i].b)->site;
			*mismatches += strcmp(t->step[i].b->name, "length-mismatch") == 0;
		}
	return first;
}

static void
print_passes(Plan *t)
{
	for (int pass = 0; pass < t->passes; pass++) {
		t->counting = true;
		if (mark_targets(t, pass, 2))
			print_open_pass(t, pass);
		if (mark_targets(t, pass, 1))
			print_count_pass(t, pass);
	}
	t->counting = false;
	print_keeps(t);
	for (int i = 0; i < t->n; i++)
		t->step[i].need = t->step[i].live;
	print_pass(t, t->passes);
}

void
cpu_task(Cpu *k, const Bind *task)
{
	Plan *t = cpu_plan(k, task);
	const Fixed *f = &k->fixed;
	Emit *e = k->e;
	int mismatches, site = first_site(t, &mismatches);

	t->checks = site >= 0;
	print_head(t);
	emit_open(e, "{");
	if (t->two)
		emit_line(e, "const i64 %s = nesl_total(%s);", f->n2, cpu_name_of(k, task->arg[1].u.var, "_v"));
	emit_line(e, t->two ? "const i64 %s = nesl_chunks(%s + %s);" : "const i64 %s = nesl_chunks(%s);", f->nc, t->n1,
		f->n2);
	if (t->by_row)
		emit_line(e, "nesl_cuts %s;", f->cuts);
	if (t->checks)
		emit_line(e, "nesl_failure %s = NESL_NO_FAILURE;", f->worst);
	print_room(t);
	emit_blank(e);
	emit_line(e, "nesl_tasks[%d].launches++;", cpu_numbered(k, task)->task);
	if (mismatches)
		emit_line(e, "nesl_checks_done += %d;", mismatches);
	if (t->by_row)
		emit_line(e, "nesl_cut(&%s, %s->data, %s, %s);", f->cuts, cpu_name_of(k, task->arg[1].u.var, "_v"),
			t->n1, f->nc);
	print_first(t);
	print_passes(t);
	print_host_reductions(t);
	if (t->checks)
		emit_line(e, "nesl_test(&%s, &nesl_sites[%d]);", f->worst, site);
	print_results(t);
	emit_close(e, "}");
	emit_blank(e);
}

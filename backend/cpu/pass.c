/* pass.c: the passes of a task over its chunks.
 *
 * In   the plan of a task (plan.h)
 * Out  loops over chunks, that leave in each array *_at what a chunk must know of those before it
 * How  Before the last, a pass finds for each chunk what the steps of one depth must know of the chunks
 *      before it: of a reduction or scan at level 2 only over the row that is open at the chunk's end
 *      (nothing earlier of the chunk matters beyond it), of scans at level 1 and of keeps over the whole
 *      chunk.  A short serial loop then combines the chunks in order.  The last two passes are one loop: a chunk finds its
 *      own, adds it in its turn to what comes before, and goes on while it is in cache.  So what is kept is stored before it
 *      is known how much it is: in arrays as long as may be, which are cut afterwards (nesl_new_most).
 *      Where all that a chunk must know is how much was kept before it, it is gone over once: what it keeps stays aside
 *      until its turn comes, and is copied to its place. */
#include "backend/cpu/elements.h"

/* Does its text ask how long its first operand is? */
static bool
asks_count(const Plan *t, const Bind *b)
{
	return b->op == LCU_row_start || b->op == LCU_row_length || b->op == LCU_seg_total
		|| (b->op == LCU_fetch && !same_checked(t->k->same, t->task, b));
}

static bool
needs_count(const Plan *t, const Var *v)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && asks_count(t, t->step[i].b) && t->step[i].b->arg[0].u.var == v)
			return true;
	return false;
}

/* A place that is read, and then stored at, has two names. */
static const char *
restrict_of(bool replaced)
{
	return replaced ? "" : "restrict ";
}

/* What is read from v is of this type; where another is stored in its place, of one that says so. */
static const char *
type_read(const Plan *t, const Var *v)
{
	const Bind *s = cpu_replaced(t, v);
	const bool other = s && !ty_equal(v->ty, s->dst[0]->ty);

	return other ? arena_printf(t->k->arena, "%s_any", emit_ctype(v->ty)) : emit_ctype(v->ty);
}

/* Is it the first of those that have their turns in common, and some of them needed? */
static bool
needs_turns(const Plan *t, const Step *s)
{
	bool needs = false;

	for (int i = 0; i < t->n && cpu_step_turns(t, s) == s; i++)
		needs |= t->step[i].need && cpu_step_turns(t, &t->step[i]) == s;
	return needs;
}

/* The arrays that the pass reads, and those it writes, as plain pointers; rows: the offsets too. */
static void
print_pointers(const Plan *t, bool rows, bool last_pass)
{
	Emit *e = t->k->e;
	Map *seen = map_new(t->k->arena);
	int asides = 0;

	for (int i = rows ? -1 : 0; i < t->n; i++)
		for (int a = 0; a < (i < 0 ? 1 : t->step[i].b->narg); a++) {
			Opnd o = i < 0 ? t->task->arg[1] : t->step[i].b->arg[a];

			if ((i >= 0 && (!t->step[i].need || t->step[i].b->op == LCU_call || lcu_takes_place(t->step[i].b))) || o.kind != OPND_VAR || !ty_counted(o.u.var->ty)
					|| *map_at(seen, o.u.var))
				continue;
			*map_at(seen, o.u.var) = o.u.var;
			emit_line(e, "const %s *const %s%s = %s->data;", type_read(t, o.u.var),
				restrict_of(cpu_replaced(t, o.u.var)), cpu_name(t->k, o.u.var), cpu_name_of(t->k, o.u.var, "_v"));
			if (needs_count(t, o.u.var))
				emit_line(e, "const i64 %s = %s->count;", cpu_name_of(t->k, o.u.var, "_n"),
					cpu_name_of(t->k, o.u.var, "_v"));
		}
	for (int i = 0; i < t->n; i++)
		if (needs_turns(t, &t->step[i]))
			emit_line(e, "nesl_turns %s = {0, 0};", cpu_step_name(t, &t->step[i], "_turns"));
	for (int i = 0; i < t->n && last_pass; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->doing <= DO_SCAN || s->sum || s->b->op == LCU_check || cpu_strip_has(t, s))
			continue;
		if (t->aside && cpu_step_keeps(s))
			emit_line(e, "%s *const restrict %s = aside_ ? (void *)(aside_ + %d * room_) : %s->data;", cpu_step_type(s),
				cpu_step_name(t, s, ""), 8 * asides++, cpu_step_name(t, s, "_v"));
		else if (!cpu_step_puts(s))
			emit_line(e, "%s *const %s%s = %s->data;", cpu_step_type(s), restrict_of(s->b->op == LCU_replace),
				cpu_step_name(t, s, ""), cpu_step_name(t, s, "_v"));
		else
			emit_line(e, "nint *const restrict %s = nesl_table(%s, %s);", cpu_step_name(t, s, ""),
				cpu_step_name(t, s, "_v"), cpu_step_name(t, s, "_more"));
		if (s->b->op == LCU_scatter || (s->b->op == LCU_mark && !same_checked(t->k->same, t->task, s->b)))
			emit_line(e, "const i64 %s = %s->count;", cpu_step_name(t, s, "_n"), cpu_step_name(t, s, "_v"));
	}
}

/* What the element's first call is told. */
static const char *
calls_at_first(const Plan *t, const Step *s)
{
	const Bind *b = s->b;

	if (!scalar_called(t->k->scalars, b)->deep)
		return "NESL_NO_CALLS";
	if (!tail_counted(t->k->p, t->k->tail, b))
		return "nesl_deep_calls(NULL)";
	return arena_printf(t->k->arena, "nesl_deep_calls(%s + %d)", t->sites, cpu_step_rank(t, s));
}

static void
print_calls(const Plan *t, const Step *s)
{
	if (scalar_call_faults(t->k->scalars, s->b))
		emit_line(t->k->e, "nesl_scalar_calls %s = %s;", cpu_step_name(t, s, "_calls"), calls_at_first(t, s));
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

		if (!s->need)
			continue;
		print_calls(t, s);
		if (s->doing == DO_KEEP && s->group == i) {
			emit_line(e, pass < t->passes ? "i64 %s = 0;" : t->aside ? "i64 %s = aside_ ? 0 : %s[%s];" : "i64 %s = %s[%s];",
				cpu_step_group(t, s, "_k"), cpu_step_group(t, s, "_at"), c);
		} else if (s->doing == DO_REDUCE || s->doing == DO_SCAN || s->doing == DO_SEGDES) {
			if (fresh)
				emit_line(e, "%s %s = %s;", cpu_step_kept_type(t, s), cpu_step_so_far(t, s), cpu_step_identity(t, s));
			else
				emit_line(e, "%s %s = %s[%s];", cpu_step_kept_type(t, s), cpu_step_so_far(t, s),
					cpu_step_name(t, s, "_at"), c);
		}
		if (cpu_step_keeps(s) && pass == t->passes && !*map_at(t->ends, &t->step[s->group])) {
			*map_at(t->ends, &t->step[s->group]) = t->made;
			emit_line(e, t->aside ? "const i64 %s = aside_ ? room_ : %s[%s + 1];" : "const i64 %s = %s[%s + 1];",
				cpu_step_group(t, s, "_end"), cpu_step_group(t, s, "_at"), c);
		}
	}
}

/* Is it counted in the last loop, rather than before?  What it keeps may be known at another time than others' of its flag. */
static bool
counted_late(const Plan *t, const Step *s)
{
	return s->live && s->doing == DO_KEEP && t->step[s->group].depth == t->passes - 1;
}

/* What the chunk found; what is counted goes to its place, or, where the chunks take turns, to the next one's.
 * One chunk need not count. */
static void
print_found(const Plan *t, int pass, bool turns)
{
	Emit *e = t->k->e;
	const char *c = arena_printf(t->k->arena, "%s%s", t->k->fixed.c, turns ? " + 1" : "");

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		bool total = pass < t->passes ? s->depth == pass && s->level == 1
				&& (s->doing == DO_SCAN || s->doing == DO_SEGDES)
			: s->doing == DO_REDUCE && s->level == 1;

		if (s->need && total)
			emit_line(e, "%s[%s] = %s;", cpu_step_name(t, s, "_at"), c, cpu_step_name(t, s, "_run"));
		else if (s->need && pass < t->passes && s->doing == DO_KEEP && s->group == i)
			emit_line(e, "%s[%s] = %s;", cpu_step_group(t, s, "_at"), c, cpu_step_group(t, s, "_k"));
		else if (s->need && counted_late(t, s) && s->group == i) {
			emit_open(e, "if (%s == 1)", t->k->fixed.nc);
			emit_line(e, "%s[1] = %s;", cpu_step_group(t, s, "_at"), cpu_step_group(t, s, "_k"));
			emit_close(e, "");
		}
	}
}

static void
open_turns(Plan *t)
{
	emit_line(t->k->e, "i64 turn_ = 0;");
	cpu_share_place(t, "i64 ", "turn_");
	cpu_chunk_open(t);
}

/* One level, or elements of level 2 that need not know their rows. */
static void
print_flat_loop(Plan *t, const char *n, int level, bool last_pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	const char *lo = arena_printf(t->k->arena, "nesl_lo(%s, %s, %s)", n, f->c, f->nc);
	const char *hi = arena_printf(t->k->arena, "nesl_lo(%s, %s + 1, %s)", n, f->c, f->nc);

	if (t->strips) {
		cpu_strips_open(t, lo, hi);
		lo = "strip_.lo";
		hi = "nesl_cut_strip(&strip_, strip_.lo, strip_.past)";
	}
	emit_line(e, "const i64 %s = %s;", f->hi, hi);
	cpu_elements(t, level, lo, f->hi, last_pass);
	if (t->strips)
		cpu_strips_close(t);
}

/* Does it more for an element of a row than give a value? */
static bool
acts(const Plan *t, const Step *s)
{
	return s->level == 2 && (s->doing > DO_SCAN || (t->tells && scalar_tells(t->k->scalars, s->b)));
}

static bool
some_acts(const Plan *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && acts(t, &t->step[i]))
			return true;
	return false;
}

/* Is all that elements of the open row do done where it is folded, in the pass before the last?  There they may ask; what they
 * store is not known. */
static bool
asks_where_folded(const Plan *t)
{
	bool folded = false, asks = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const bool tells = scalar_tells(t->k->scalars, s->b);

		if (!s->live || s->level != 2)
			continue;
		if ((s->doing > DO_SCAN && s->b->op != LCU_check) || (tells && s->depth >= t->passes))
			return false;
		folded |= s->depth == t->passes - 1 && (s->doing == DO_REDUCE || s->doing == DO_SCAN);
		asks |= tells;
	}
	return folded && asks;
}

/* The elements after the last end of a row in this chunk, or strip: only what level 2 itself wants is left to do, and what goes on in the
 * next strip. */
static void
mark_open_row(Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];

		s->need &= acts(t, s) || (t->strips && s->level == 2 && (s->doing == DO_REDUCE || s->doing == DO_SCAN));
	}
	t->open_row = true;
	cpu_plan_close(t);
}

static void
print_open_row(Plan *t, bool last_pass)
{
	mark_open_row(t);
	emit_open(t->k->e, "if (e2 < %s) {", t->k->fixed.end);
	if (t->strips)
		emit_line(t->k->e, "const i64 cut_ = nesl_cut_strip(&strip_, e2, nesl_least(%s, strip_.past));", cpu_step_row(t, true));
	cpu_step_before(t, false);
	cpu_elements(t, 2, NULL, t->strips ? "cut_" : t->k->fixed.end, last_pass);
	emit_close(t->k->e, "}");
	t->open_row = false;
}

static void
restore_need(Plan *t, const bool *need)
{
	for (int i = 0; i < t->n; i++)
		t->step[i].need = need[i];
}

/* Does a row so much that it does not show if it asks whether it is the open one, and nothing that its elements do not need but
 * might take long? */
static bool
has_one_text(Plan *t)
{
	enum { FEW = 12 };
	const bool *need = cpu_plan_needed(t);
	int steps = 0;
	bool calls = false;

	mark_open_row(t);
	t->open_row = false;
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		steps += s->need;
		calls |= need[i] && !s->need && !s->late && s->level == 1 && s->b->op == LCU_call;
	}
	restore_need(t, need);
	cpu_plan_close(t);
	return steps > FEW && !calls;
}

/* Is nothing made of elements but what they are folded to? */
static bool
only_folds(const Plan *t)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->need && s->level == 2 && (s->doing == DO_SCAN || s->doing == DO_KEEP || (s->doing == DO_SINK && s->b->op != LCU_check)))
			return false;
	}
	return true;
}

/* Rows that end in the chunk, or strip: up to hi; and (one_text) the one that does not, as far as it is the chunk's. */
static void
print_rows(Plan *t, const char *hi, bool last_pass, bool one_text)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	const bool near = !one_text && !t->grid && cpu_lanes_serve(t, 2);

	if (near) {
		emit_open(e, "while (e1 < %s) {", hi);
		emit_line(e, "const i64 near_ = nesl_least(e1 + NESL_ROWS_AHEAD, %s);", hi);
		cpu_ahead(t, "NESL_AHEAD_OF_ROWS", 1, last_pass);
		emit_open(e, "for (; e1 < near_; e1++) {");
	} else {
		emit_open(e, one_text ? "for (; e1 < %s || e2 < %s; e1++) {" : "for (; e1 < %s; e1++) {", hi, f->end);
		cpu_ahead(t, "NESL_AHEAD", 1, last_pass);
	}
	cpu_ahead(t, only_folds(t) ? "NESL_AHEAD_OF_FOLD" : "NESL_AHEAD", 2, last_pass);
	cpu_step_before(t, false);
	if (cpu_plan_needs_level(t, 2)) {
		emit_line(e, "const i64 stop_ = %s;", one_text ? arena_printf(t->k->arena, "e1 < %s ? %s : %s", hi,
			cpu_step_row(t, true), f->end) : cpu_step_row(t, true));
		cpu_elements(t, 2, NULL, "stop_", last_pass);
	}
	if (one_text) {
		emit_open(e, "if (e1 == %s)", hi);
		emit_line(e, "break;");
		emit_close(e, "");
	}
	cpu_step_after(t, last_pass);
	emit_close(e, "}");
	if (near)
		emit_close(e, "}");
}

static void
print_row_loop(Plan *t, bool last_pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;
	const bool tail = some_acts(t) && !asks_where_folded(t), one_text = tail && !t->strips && has_one_text(t);
	const char *end = arena_printf(t->k->arena, "%s[%s + 1].e", f->cuts, f->c);

	emit_line(e, "const i64 %s = %s[%s + 1].row;", f->hi, f->cuts, f->c);
	if (tail && !t->strips)
		emit_line(e, "const i64 %s = %s;", f->end, end);
	if (cpu_plan_needs_level(t, 2))
		emit_line(e, "i64 e2 = %s[%s].e;", f->cuts, f->c);
	emit_line(e, "i64 e1 = %s[%s].row;", f->cuts, f->c);
	if (t->strips) {
		cpu_strips_open(t, "e2", end);
		emit_line(e, "const i64 %s = strip_.hi;", f->end);
		emit_line(e, t->grid ? "const i64 rows_ = nesl_grid_rows_in_strip(&strip_, %s, %s);"
			: "const i64 rows_ = nesl_rows_in_strip(&strip_, %s, e1, %s);", t->s, f->hi);
	}
	emit_blank(e);
	print_rows(t, t->strips ? "rows_" : f->hi, last_pass, one_text);
	if (tail && !one_text)
		print_open_row(t, last_pass);
	if (t->strips)
		cpu_strips_close(t);
}

/* -- what a pass reads ---------------------------------------------------------------------------- */
static bool
loaded_before(const Plan *t, const Step *s)
{
	for (const Step *other = t->step; other < s; other++)
		if (other->need && other->b->op == s->b->op && other->level == s->level
				&& other->b->arg[0].u.var == s->b->arg[0].u.var)
			return true;
	return false;
}

/* Arrays read in order count once for each level, gathers each time, descriptors 8 bytes a row. */
static void
add_reads(const Plan *t, bool rows, int bytes[3])
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		int op = s->b->op;
		bool in_order = op == LCU_load || op == LCU_seg_length || op == LCU_seg_start;

		if (!s->need || s->b->narg == 0 || cpu_op(t->k, s->b)->cls != OP_SOURCE || op == LCU_seg_total)
			continue;
		if (!in_order || !loaded_before(t, s))
			bytes[s->level] += emit_size(t->k->e, s->b->dst[0]->ty);
	}
	if (rows && !t->grid)
		bytes[1] += 8;
}

/* -- passes ------------------------------------------------------------------------------------ */
/* A chunk from end to end, for what is marked. */
static void
print_chunk(Plan *t, int pass, bool turns)
{
	Emit *e = t->k->e;
	bool last = pass == t->passes, rows, checks = false;
	const bool *need;
	const Fixed *f = &t->k->fixed;

	cpu_plan_close(t);
	need = cpu_plan_needed(t);
	for (int i = 0; i < t->n; i++)
		checks = checks || (t->step[i].need && last && scalar_tells(t->k->scalars, t->step[i].b));
	rows = t->by_row && cpu_plan_needs_level(t, 2);
	t->strips = last && cpu_strips_serve(t) && !(t->by_row && has_one_text(t));
	if (!turns)
		add_reads(t, rows, last ? t->read : t->again);
	t->ends = map_new(t->k->arena);
	print_pointers(t, rows, last);
	if (checks)
		emit_line(e, "nesl_failure %s = NESL_NO_FAILURE;", f->failure);
	print_running(t, pass);
	if (t->by_row)
		print_row_loop(t, last);
	else
		print_flat_loop(t, t->two ? f->n2 : t->n1, t->two ? 2 : 1, last);
	restore_need(t, need);
	t->strips = false;
	print_found(t, pass, turns);
	if (checks)
		emit_line(e, "nesl_join_failure(%s, &%s);", f->worst, f->failure);
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

		if (s->need)
			print_calls(t, s);
		if (!s->need || s->level != 2 || (s->doing != DO_REDUCE && s->doing != DO_SCAN))
			continue;
		if (s->depth == pass)
			emit_line(t->k->e, "%s %s = %s;", cpu_step_kept_type(t, s), cpu_step_so_far(t, s),
				cpu_step_identity(t, s));
		else
			emit_line(t->k->e, "%s %s = start_ < from_ ? %s[%s] : %s;", cpu_step_kept_type(t, s), cpu_step_so_far(t, s),
				cpu_step_name(t, s, "_at"), t->k->fixed.c, cpu_step_identity(t, s));
	}
}

static void
print_open_chunk(Plan *t, int pass)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	print_pointers(t, needs_offsets(t), false);
	emit_line(e, "const i64 start_ = %s[%s + 1].start;", f->cuts, f->c);
	emit_line(e, "const i64 from_ = %s[%s].e, %s = %s[%s + 1].e;", f->cuts, f->c, f->end, f->cuts, f->c);
	print_open_running(t, pass);
	emit_blank(e);
	emit_open(e, "if (start_ < %s) {", f->end);
	if (needs_e1(t))
		emit_line(e, "const i64 e1 = %s[%s + 1].row;", f->cuts, f->c);
	cpu_step_before(t, true);
	cpu_elements(t, 2, "start_ > from_ ? start_ : from_", f->end, false);
	emit_close(e, "}");
}

/* What the chunk found, in the next one's place, behind what came before the chunk. */
static void
print_next(const Plan *t, const Step *s)
{
	const char *at = cpu_step_name(t, s, "_at"), *c = t->k->fixed.c;
	const char *here = arena_printf(t->k->arena, "%s[%s]", at, c), *next = arena_printf(t->k->arena, "%s[%s + 1]", at, c);

	emit_line(t->k->e, "%s = %s;", next, s->doing == DO_KEEP ? arena_printf(t->k->arena, "%s + %s", here, next)
		: cpu_step_combined(t, s, here, next));
}

/* r_at[c + 1] holds the chunk's own of the open row; where the row began earlier, what came before goes first. */
static void
print_open_combine(const Plan *t, const bool *target)
{
	const Fixed *f = &t->k->fixed;
	Emit *e = t->k->e;

	emit_open(e, "if (%s[%s + 1].start < %s[%s].e) {", f->cuts, f->c, f->cuts, f->c);
	for (int i = 0; i < t->n; i++)
		if (target[i])
			print_next(t, &t->step[i]);
	emit_close(e, "}");
}

/* Marked reductions and scans at level 2 over the row that is open at the end of the chunk. */
static void
print_open_row_of(Plan *t, int pass)
{
	const bool *target = cpu_plan_needed(t);

	t->open_row = true;
	t->tells = pass == t->passes - 1 && asks_where_folded(t);
	for (int i = 0; t->tells && i < t->n; i++)
		t->step[i].need |= t->step[i].live && acts(t, &t->step[i]);
	cpu_plan_close(t);
	if (t->tells)
		emit_line(t->k->e, "nesl_failure %s = NESL_NO_FAILURE;", t->k->fixed.failure);
	print_open_chunk(t, pass);
	if (t->tells)
		emit_line(t->k->e, "nesl_join_failure(%s, &%s);", t->k->fixed.worst, t->k->fixed.failure);
	t->open_row = t->tells = false;
	for (int i = 0; i < t->n; i++)
		if (target[i])
			emit_line(t->k->e, "%s[%s + 1] = %s;", cpu_step_name(t, &t->step[i], "_at"), t->k->fixed.c,
				cpu_step_so_far(t, &t->step[i]));
}

static void
print_open_pass(Plan *t, int pass)
{
	const Fixed *f = &t->k->fixed;
	const bool *target = cpu_plan_needed(t);
	Emit *e = t->k->e;

	emit_open(e, "if (%s > 1) {", f->nc);
	cpu_chunk_open(t);
	print_open_row_of(t, pass);
	cpu_chunk_close(t);
	emit_open(e, "for (i64 %s = 0; %s < %s; %s++)", f->c, f->c, f->nc, f->c);
	print_open_combine(t, target);
	emit_close(e, "");
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
		const char *at = cpu_step_name(t, s, "_at"), *run = cpu_step_name(t, s, "_run");

		if (!target[i])
			continue;
		if (s->doing == DO_KEEP || s->doing == DO_SEGDES) {
			emit_line(e, "nesl_begins(%s, %s);", at, f->nc);
			continue;
		}
		emit_line(e, "%s %s = %s;", cpu_step_type(s), run, cpu_step_identity(t, s));
		emit_open(e, "for (i64 %s = 0; %s <= %s; %s++) {", f->c, f->c, f->nc, f->c);
		emit_line(e, "const %s own_ = %s < %s ? %s[%s] : %s;", cpu_step_type(s), f->c, f->nc, at, f->c, run);
		emit_line(e, "%s[%s] = %s;", at, f->c, run);
		emit_line(e, "%s = %s;", run, cpu_step_combined(t, s, run, "own_"));
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
	const bool *target = cpu_plan_needed(t);
	bool keeps = cpu_plan_needs(t, DO_KEEP, 1) || cpu_plan_needs(t, DO_KEEP, 2);

	if (!keeps)
		emit_open(t->k->e, "if (%s > 1) {", t->k->fixed.nc);
	cpu_chunk_open(t);
	print_chunk(t, pass, false);
	cpu_chunk_close(t);
	print_combine(t, target);
	if (!keeps)
		emit_close(t->k->e, "}");
}

/* The last pass before the last one, in its loop, where it is wanted. */
static void
print_turns(Plan *t, int pass, const char *when)
{
	const bool *open = NULL, *whole = NULL;
	Emit *e = t->k->e;

	emit_open(e, "if (%s) {", when);
	if (mark_targets(t, pass, 2)) {
		open = cpu_plan_needed(t);
		emit_open(e, "{");
		print_open_row_of(t, pass);
		emit_close(e, "}");
	}
	if (mark_targets(t, pass, 1)) {
		whole = cpu_plan_needed(t);
		emit_open(e, "{");
		print_chunk(t, pass, true);
		emit_close(e, "}");
	}
	emit_line(e, "nesl_wait_turn(turn_, %s);", t->k->fixed.c);
	if (open)
		print_open_combine(t, open);
	for (int i = 0; whole && i < t->n; i++)
		if (whole[i])
			print_next(t, &t->step[i]);
	emit_line(e, "nesl_end_turn(turn_);");
	emit_close(e, "}");
}

/* Bytes of an element that is kept; 0: it is offsets. */
static int
kept_size(const Plan *t, const Step *s)
{
	return s->b->op == LCU_keep_lengths ? 0 : emit_size(t->k->e, s->b->dst[0]->ty);
}

/* The arrays of what is kept, exactly as long. */
static void
print_keeps(Plan *t, bool late)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *head = late ? "" : "nesl_vec *const ", *n;

		if (!s->live || !cpu_step_keeps(s) || counted_late(t, s) != late)
			continue;
		n = arena_printf(t->k->arena, "%s[%s]", cpu_step_group(t, s, "_at"), t->k->fixed.nc);
		if (!late)
			cpu_share(t, "const nesl_vec *", cpu_step_name(t, s, "_v"));
		if (kept_size(t, s) == 0)
			emit_line(t->k->e, "%s%s = nesl_new_segdes(%s);", head, cpu_step_name(t, s, "_v"), n);
		else
			emit_line(t->k->e, "%s%s = nesl_new(%s, %d);", head, cpu_step_name(t, s, "_v"), n, kept_size(t, s));
	}
}

/* Must a chunk know nothing of those before it but how much they keep? */
static bool
may_keep_aside(Plan *t)
{
	bool stores = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->live && s->doing == DO_KEEP && !counted_late(t, s))
			return false;
		stores |= s->live && cpu_step_keeps(s);
	}
	if (!stores || cpu_plan_puts(t) || mark_targets(t, t->passes - 1, 2))
		return false;
	mark_targets(t, t->passes - 1, 1);
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].doing != DO_KEEP)
			return false;
	return true;
}

/* As long as may be, if there is room for that; before, how much it is.  False: there are none.  Aside there is room for a share
 * of the elements: one more where they are not dealt out evenly, and one, as rows have one offset more. */
static bool
print_most(Plan *t)
{
	const char *sum = "", *n;
	Emit *e = t->k->e;
	int arrays = 0;

	for (int i = 0; i < t->n; i++)
		if (counted_late(t, &t->step[i]) && cpu_step_keeps(&t->step[i])) {
			n = t->step[i].level == 2 ? t->k->fixed.n2 : t->n1;
			sum = arena_printf(t->k->arena, "%s, %s, %d", sum, n, kept_size(t, &t->step[i]));
			arrays++;
		}
	if (arrays == 0)
		return false;
	if (t->aside) {
		n = !t->two ? t->n1 : t->by_row ? arena_printf(t->k->arena, "(%s + %s)", t->n1, t->k->fixed.n2) : t->k->fixed.n2;
		emit_line(e, "const i64 room_ = %s / %s + 2;", n, t->k->fixed.nc);
		cpu_share(t, "i64 ", "room_");
		cpu_share(t, "const nesl_vec *", "asides_");
		sum = arena_printf(t->k->arena, "%s, %d * nesl_threads() * room_, 8", sum, arrays);
	}
	emit_line(e, "const int once_ = nesl_has_room(%s);", sum + 2);
	if (t->aside)
		emit_line(e, "nesl_vec *const asides_ = once_ && %s > 1 ? nesl_asides(%d * room_) : NULL;", t->k->fixed.nc, 8 * arrays);
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!counted_late(t, s))
			continue;
		n = s->level == 2 ? t->k->fixed.n2 : t->n1;
		if (s->group == i)
			emit_line(e, "%s[1] = %s;", cpu_step_group(t, s, "_at"), n);
		if (!cpu_step_keeps(s))
			continue;
		cpu_share(t, "const nesl_vec *", cpu_step_name(t, s, "_v"));
		emit_line(e, "nesl_vec *%s = once_ ? nesl_new_most(%s, %d) : NULL;", cpu_step_name(t, s, "_v"), n, kept_size(t, s));
	}
	return true;
}

/* What there is of them. */
static void
print_kept(const Plan *t)
{
	Emit *e = t->k->e;

	emit_open(e, "if (once_) {");
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (counted_late(t, s) && cpu_step_keeps(s))
			emit_line(e, "%s = nesl_kept(%s, %s[%s], %d);", cpu_step_name(t, s, "_v"), cpu_step_name(t, s, "_v"),
				cpu_step_group(t, s, "_at"), t->k->fixed.nc, kept_size(t, s));
	}
	emit_close(e, "}");
}

/* The chunk's turn has come: what it keeps, and the ends of rows among that, go where those before it leave off. */
static void
print_from_aside(const Plan *t)
{
	const char *c = t->k->fixed.c;
	Emit *e = t->k->e;

	emit_open(e, "if (aside_) {");
	emit_line(e, "nesl_wait_turn(turn_, %s);", c);
	for (int i = 0; i < t->n; i++)
		if (t->step[i].live && t->step[i].doing == DO_KEEP && t->step[i].group == i)
			emit_line(e, "%s[%s + 1] = %s[%s] + %s;", cpu_step_group(t, &t->step[i], "_at"), c,
				cpu_step_group(t, &t->step[i], "_at"), c, cpu_step_group(t, &t->step[i], "_k"));
	emit_line(e, "nesl_end_turn(turn_);");
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *at = s->live && s->doing == DO_KEEP ? arena_printf(t->k->arena, "%s[%s]", cpu_step_group(t, s, "_at"), c) : NULL;
		const char *first = s->b->op == LCU_keep_lengths ? " + 1" : "";         /* the ends of rows */

		if (at && cpu_step_keeps(s)) {
			const char *k = cpu_step_group(t, s, "_k");
			const int size = kept_size(t, s) ? kept_size(t, s) : 8;

			emit_line(e, "nesl_copy_into((%s *)%s->data + %s%s, %s%s, %s * %d, %s * %s * %d);", cpu_step_type(s),
				cpu_step_name(t, s, "_v"), at, first, cpu_step_name(t, s, ""), first, k, size, k, t->k->fixed.nc, size);
		} else if (at) {
			emit_open(e, "for (i64 row_ = %s[%s].row; row_ < %s; row_++)", t->k->fixed.cuts, c, t->k->fixed.hi);
			emit_line(e, "%s[row_ + 1] += %s;", cpu_step_name(t, s, ""), at);
			emit_close(e, "");
		}
	}
	emit_close(e, "}");
}

static void
print_last(Plan *t)
{
	t->counting = false;
	t->tells = true;
	for (int i = 0; i < t->n; i++)
		t->step[i].need = t->step[i].live;
	print_chunk(t, t->passes, false);
}

/* What is kept is counted in turns and stored in one round, into arrays as long as may be; where there is no room for these, a
 * round counts, and then one stores. */
static void
print_rounds(Plan *t)
{
	Emit *e = t->k->e;
	const char *nc = t->k->fixed.nc;

	emit_open(e, "for (int round_ = once_; round_ < 2; round_++) {");
	cpu_share(t, "int ", "once_");
	cpu_share(t, "int ", "round_");
	open_turns(t);
	print_turns(t, t->passes - 1, t->aside ? "round_ == 0"
		: arena_printf(t->k->arena, "round_ == once_ && (%s > 1 || !once_)", nc));
	emit_open(e, "if (round_ == 1) {");
	if (t->aside)
		emit_line(e, "char *const aside_ = nesl_aside(asides_);");
	print_last(t);
	if (t->aside)
		print_from_aside(t);
	emit_close(e, "}");
	cpu_chunk_close(t);
	emit_open(e, "if (round_ == 0) {");
	print_keeps(t, true);
	emit_close(e, "}");
	emit_close(e, "}");
	if (t->aside)
		emit_line(e, "nesl_free(asides_);");
	print_kept(t);
}

void
cpu_passes(Plan *t)
{
	const bool turns = t->passes > 0;

	t->counting = true;
	for (int pass = 0; pass < t->passes - turns; pass++) {
		if (mark_targets(t, pass, 2))
			print_open_pass(t, pass);
		if (mark_targets(t, pass, 1))
			print_count_pass(t, pass);
	}
	print_keeps(t, false);
	t->aside = may_keep_aside(t);
	if (print_most(t)) {
		print_rounds(t);
		return;
	}
	if (turns)
		open_turns(t);
	else
		cpu_chunk_open(t);
	if (turns)
		print_turns(t, t->passes - 1, arena_printf(t->k->arena, "%s > 1", t->k->fixed.nc));
	print_last(t);
	cpu_chunk_close(t);
}

/* step.c: the steps of a task -> the C text of one element.
 *
 * In   the plan of a task (plan.h), with the steps of the pass marked
 * Out  statements for an element of level 2, and for a row before and after its elements */
#include "backend/cpu/plan.h"

const char *
cpu_step_name(const Plan *t, const Step *s, const char *suffix)
{
	if (s->sum)
		suffix = arena_printf(t->k->arena, "_sum%s", suffix);
	return s->b->ndst == 0 ? "" : cpu_name_of(t->k, s->b->dst[0], suffix);
}

bool
cpu_step_keeps(const Step *s)
{
	return s->doing == DO_KEEP && s->b->op != LCU_keep_segdes;
}

const char *
cpu_step_group(const Plan *t, const Step *s, const char *suffix)
{
	return cpu_step_name(t, &t->step[s->group], suffix);
}

/* That of a row is called what it is at its end. */
const char *
cpu_step_so_far(const Plan *t, const Step *s)
{
	const bool in_lane = t->in_lanes && !(t->scanning == SCAN_STEPS && cpu_step_keeps_order(s) && (s->doing == DO_REDUCE || !s->used));

	if (t->behind && cpu_step_keeps_order(s))
		return cpu_step_name(t, s, "_rest");
	return cpu_step_name(t, s, in_lane ? "_lane[lane_]" : s->doing == DO_REDUCE && s->level == 2 && !cpu_step_finds_place(t, s) ? "" : "_run");
}

bool
cpu_step_keeps_order(const Step *s)
{
	const int op = s->b->op;
	const bool compares = op == LCU_max_val || op == LCU_min_val || op == LCU_max_scan || op == LCU_min_scan;

	return compares && opnd_ty(s->b->arg[0])->kind == TY_FLOAT;
}

bool
cpu_step_finds_place(const Plan *t, const Step *s)
{
	return op_finds_place(cpu_op(t->k, s->b));
}

const char *
cpu_step_type(const Step *s)
{
	return emit_ctype(s->b->dst[0]->ty);
}

const char *
cpu_step_kept_type(const Plan *t, const Step *s)
{
	return cpu_step_finds_place(t, s) ? emit_fold_type(t->k->e, cpu_op(t->k, s->b), opnd_ty(s->b->arg[0])) : cpu_step_type(s);
}

const char *
cpu_step_result(const Plan *t, const Step *s, const char *acc)
{
	return emit_fold_result(t->k->e, cpu_op(t->k, s->b), acc);
}

static const char *
position_at(const Plan *t, int level)
{
	if (t->lane)
		return arena_printf(t->k->arena, "e%d + %s", level, t->lane);
	return level == 2 ? "e2" : "e1";
}

static const char *
position(const Plan *t, const Step *s)
{
	return position_at(t, s->level);
}

/* Offsets are summed like a plus_scan. */
const char *
cpu_step_combined(const Plan *t, const Step *s, const char *acc, const char *x)
{
	if (s->doing == DO_SEGDES)
		return arena_printf(t->k->arena, "nesl_offset(%s, %s)", acc, x);
	return cpu_combine(t->k, s->b, acc, x);
}

const char *
cpu_step_in_lane(const Plan *t, const Step *s, const char *acc, const char *x)
{
	return (t->any_zero || t->behind) && cpu_step_keeps_order(s) ? cpu_combine_as_ints(t->k, s->b, acc, x) : cpu_step_combined(t, s, acc, x);
}

const char *
cpu_step_identity(const Plan *t, const Step *s)
{
	return s->doing == DO_SEGDES ? "0" : cpu_identity(t->k, s->b);
}

const char *
cpu_step_row(const Plan *t, bool behind)
{
	const char *row = behind ? "e1 + 1" : "e1";

	if (t->grid)
		return arena_printf(t->k->arena, behind ? "(%s) * %s.length" : "%s * %s.length", row, t->s);
	return arena_printf(t->k->arena, "%s[%s]", t->s, row);
}

/* -- one step at one element ------------------------------------------------------------------- */
static const char *
operand(const Plan *t, Opnd o)
{
	return cpu_operand(t->k, cpu_plan_is(t, o));
}

/* Where a check compares the place with the vector's length it is compared with that again, which gcc does once. */
const char *
cpu_step_places(const Plan *t, const Step *fetch)
{
	const Bind *b = fetch->b, *checked = same_checked(t->k->same, t->task, b);

	return checked ? operand(t, checked->arg[1]) : cpu_name_of(t->k, b->arg[0].u.var, "_n");
}

static const char *
fetch_text(const Plan *t, const Step *s)
{
	const char *place = operand(t, s->b->arg[1]), *x = operand(t, s->b->arg[0]);

	if (s->inside)
		return arena_printf(t->k->arena, "%s[%s]", x, place);
	return arena_printf(t->k->arena, "nesl_in(%s, %s) ? %s[%s] : 0", place, cpu_step_places(t, s), x, place);
}

static const char *
source_text(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	Arena *a = t->k->arena;
	const char *e = position(t, s), *x = b->narg ? operand(t, b->arg[0]) : "";
	const char *n = b->narg ? cpu_name_of(t->k, b->arg[0].u.var, "_n") : "";

	switch (b->op) {
	case LCU_load:
		return arena_printf(a, "%s[%s]", x, e);
	case LCU_fetch:
		return fetch_text(t, s);
	case LCU_index:
		return e;
	case LCU_inner:
		return arena_printf(a, "%s - row_", e);
	case LCU_row:
		return "e1";
	case LCU_seg_length:
		return arena_printf(a, "%s[%s + 1] - %s[%s]", x, e, x, e);
	case LCU_seg_start:
		return arena_printf(a, "%s[%s]", x, e);
	case LCU_seg_total:
		return arena_printf(a, "%s[%s - 1]", x, n);
	case LCU_row_start:
	case LCU_row_length:
		return arena_printf(a, "nesl_%s(%s, %s - 1, %s)", cpu_op(t->k, b)->name, x, n, operand(t, b->arg[1]));
	}
	ice(b->span, "c", "no C text for %s in a task", cpu_op(t->k, b)->name);
}

/* Does it divide places by a number of the host? */
static bool
divides(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	const Step *of = b->op == LCU_div || b->op == LCU_rem ? cpu_step(t, b->arg[0]) : NULL;

	return of && b->arg[1].kind == OPND_VAR && !cpu_step(t, b->arg[1])
	       && (of->b->op == LCU_index || (of->b->op == LCU_div && divides(t, of)));
}

/* Whoever is needed: parts of a task need some of them each, and have the turns in common. */
const Step *
cpu_step_turns(const Plan *t, const Step *s)
{
	if (!divides(t, s))
		return NULL;
	for (int i = 0; i < t->n; i++) {
		const Step *x = &t->step[i];

		if (divides(t, x) && same_opnd(x->b->arg[0], s->b->arg[0]) && same_opnd(x->b->arg[1], s->b->arg[1]))
			return x;
	}
	return s;
}

const char *
cpu_step_value(const Plan *t, const Step *s)
{
	const char *arg[3] = {0};
	const Bind *b = s->b;

	if (cpu_op(t->k, b)->cls == OP_SOURCE)
		return source_text(t, s);
	for (int i = 0; i < b->narg && i < 3; i++)
		arg[i] = operand(t, b->arg[i]);
	if (cpu_step_turns(t, s))
		return arena_printf(t->k->arena, "nesl_%s(&%s, %s, %s)", b->op == LCU_div ? "turn" : "in_turn",
			cpu_step_name(t, cpu_step_turns(t, s), "_turns"), arg[0], arg[1]);
	return emit_scalar(t->k->e, cpu_op(t->k, b), opnd_ty(b->arg[0]), arg, b->narg);
}

/* An element in what has found a place. */
static const char *
place_found(const Plan *t, const Step *s, const char *acc, const char *x)
{
	const OpInfo *op = cpu_op(t->k, s->b);
	const Ty *ty = opnd_ty(s->b->arg[0]);
	static const char *const how[] = {[FOUND_NOT] = "first", [FOUND_NEXT] = "next", [FOUND_LATER] = "later"};

	x = emit_folded(t->k->e, op, ty, (const char *const[]){x, operand(t, s->b->arg[1])});
	return arena_printf(t->k->arena, "nesl_%s_%s_%s(%s, %s)", how[t->found], op->base, emit_ctype(ty), acc, x);
}

static void
print_update(const Plan *t, const Step *s, const char *acc)
{
	const char *x = operand(t, s->b->arg[s->sum]);

	/* a comparison passes over a NaN on its right only */
	if (cpu_step_finds_place(t, s))
		emit_line(t->k->e, "%s = %s;", acc, place_found(t, s, acc, x));
	else if (t->scanning == SCAN_OPERANDS)
		emit_line(t->k->e, "%s = %s;", acc, cpu_step_keeps_order(s) ? cpu_step_combined(t, s, cpu_step_identity(t, s), x) : x);
	else if (!(t->scanning == SCAN_STEPS && s->doing == DO_SCAN && s->used))
		emit_line(t->k->e, "%s = %s;", acc, cpu_step_in_lane(t, s, acc, x));
}

bool
cpu_step_puts(const Step *s)
{
	return s->live && lcu_puts(s->b) != LCU_NOP;
}

const char *
cpu_step_count(const Plan *t, const Step *s)
{
	const Bind *checked = same_checked(t->k->same, t->task, s->b);

	if (checked)
		return operand(t, checked->arg[1]);
	return cpu_step_puts(s) ? operand(t, s->b->arg[2]) : cpu_step_name(t, s, "_n");
}

int
cpu_step_rank(const Plan *t, const Step *s)
{
	int rank = 0;

	for (const Step *other = t->step; other < s; other++)
		rank += scalar_tells(t->k->scalars, other->b);
	return rank;
}

static void
print_check(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	const char *v = "";

	if (t->holds) {
		emit_line(t->k->e, "hold_ &= %s;", operand(t, b->arg[0]));
		return;
	}
	for (int i = 1; i <= 3; i++)
		v = i >= b->narg ? arena_printf(t->k->arena, "%s, 0", v)
			: arena_printf(t->k->arena, opnd_ty(b->arg[i])->kind == TY_INT ? "%s, %s" : "%s, (i64)%s",
				v, operand(t, b->arg[i]));
	emit_open(t->k->e, "if (!%s)", operand(t, b->arg[0]));
	emit_line(t->k->e, "nesl_failed(&%s, %d, %s%s);", t->k->fixed.failure, cpu_step_rank(t, s), position(t, s), v);
	emit_close(t->k->e, "");
}

/* Is it the largest index so far?  A thread goes through its chunks, and their elements, in order, but for those of lanes in parts. */
static bool
puts_last(const Plan *t, const Step *s)
{
	const Step *x = cpu_step(t, s->b->arg[0]);

	return !t->in_lanes && lcu_puts(s->b) == LCU_max_val && x && x->b->op == LCU_index && x->level == s->level;
}

static void
print_sink(const Plan *t, const Step *s)
{
	const Bind *b = s->b;
	Emit *e = t->k->e;
	const char *place;

	if (b->op == LCU_check) {
		print_check(t, s);
		return;
	}
	if (lcu_stores(b)) {
		emit_line(e, "%s[%s] = %s;", cpu_step_name(t, s, ""), position(t, s), operand(t, b->arg[0]));
		return;
	}
	if (!s->inside)
		emit_open(e, "if (nesl_in(%s, %s))", operand(t, b->arg[1]), cpu_step_count(t, s));
	place = arena_printf(t->k->arena, "%s[%s]", cpu_step_name(t, s, ""), operand(t, b->arg[1]));
	if (b->op == LCU_mark)
		emit_line(e, "NESL_MARK(%s, %s);", place, operand(t, b->arg[0]));
	else if (lcu_puts(b) == LCU_NOP || puts_last(t, s))
		emit_line(e, "%s = %s;", place, operand(t, b->arg[0]));
	else
		print_update(t, s, place);
	if (!s->inside)
		emit_close(e, "");
}

bool
cpu_step_stores(const Plan *t, const Step *first)
{
	bool stores = false;

	for (int i = 0; i < t->n; i++)
		stores |= t->step[i].need && cpu_step_keeps(&t->step[i]) && t->step[i].group == first->group;
	return stores;
}

/* An array of keeps never writes past the chunk's share: there another thread's begins. */
static void
print_group(const Plan *t, const Step *first, bool last_pass)
{
	Emit *e = t->k->e;
	const char *at = cpu_step_group(t, first, "_k"), *flag = operand(t, first->b->arg[0]);
	const bool stores = last_pass && cpu_step_stores(t, first), checked = stores && !first->inside;

	if (checked)
		emit_open(e, "if (%s < %s) {", at, cpu_step_group(t, first, "_end"));
	for (int i = 0; i < t->n && stores; i++) {
		const Step *s = &t->step[i];

		if (!s->need || !cpu_step_keeps(s) || s->group != first->group)
			continue;
		if (s->b->op == LCU_keep_lengths)
			emit_line(e, "%s[%s + 1] = %s;", cpu_step_name(t, s, ""), at, cpu_step_name(t, s - 1, "_run"));
		else
			emit_line(e, "%s[%s] = %s;", cpu_step_name(t, s, ""), at, operand(t, s->b->arg[1]));
	}
	emit_line(e, "%s += %s;", at, flag);
	if (checked)
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

static const char *const *
call_operands(const Plan *t, const Bind *b)
{
	const char **s = NEW(t->k->arena, const char *, b->narg + 1);

	for (int i = 0; i < b->narg; i++)
		s[i] = ty_scalar(opnd_ty(b->arg[i])) ? operand(t, b->arg[i]) : cpu_name_of(t->k, b->arg[i].u.var, "_v");
	return s;
}

static void
print_call(const Plan *t, const Step *s)
{
	const char *calls = cpu_step_name(t, s, "_calls");

	cpu_call(t->k, s->b, arena_printf(t->k->arena, "&%s", calls), call_operands(t, s->b));
	if (!scalar_call_faults(t->k->scalars, s->b))
		return;
	if (t->tells) {
		emit_open(t->k->e, "if (%s.fault)", calls);
		emit_line(t->k->e, "nesl_failed_call(&%s, %d, %s, &%s);", t->k->fixed.failure, cpu_step_rank(t, s), position(t, s),
			calls);
		emit_close(t->k->e, "");
	} else {
		emit_line(t->k->e, "%s.fault = NULL;", calls);
	}
}

static void
print_value(const Plan *t, const Step *s)
{
	if (s->b->op == LCU_call) {
		print_call(t, s);
		return;
	}
	emit_line(t->k->e, "const %s %s = %s;", cpu_step_type(s), cpu_step_name(t, s, ""), cpu_step_value(t, s));
}

void
cpu_step_element(const Plan *t, bool last_pass)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != 2 || s->doing == DO_KEEP)
			continue;
		if (s->doing == DO_VALUE) {
			print_value(t, s);
		} else if (s->doing == DO_REDUCE || s->doing == DO_SCAN) {
			if (s->doing == DO_SCAN && s->used)
				emit_line(t->k->e, "const %s %s = %s;", cpu_step_type(s), cpu_step_name(t, s, ""),
					cpu_step_so_far(t, s));
			print_update(t, s, cpu_step_so_far(t, s));
		} else {
			print_sink(t, s);
		}
	}
	print_groups(t, 2, last_pass);
}

void
cpu_step_before(const Plan *t, bool at_end)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != 1)
			continue;
		if (s->doing == DO_VALUE && !s->late)
			print_value(t, s);
		else if (s->doing == DO_SCAN && s->used)
			emit_line(t->k->e, at_end ? "const %s %s = %s[%s + 1];" : "const %s %s = %s;",
				cpu_step_type(s), cpu_step_name(t, s, ""), at_end ? cpu_step_name(t, s, "_at") : cpu_step_so_far(t, s),
				t->k->fixed.c);
	}
}

void
cpu_step_after(const Plan *t, bool last_pass)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->need && s->level == 2 && cpu_step_finds_place(t, s))
			emit_line(t->k->e, "const %s %s = %s;", cpu_step_type(s), cpu_step_name(t, s, ""),
				cpu_step_result(t, s, cpu_step_so_far(t, s)));
		if (!s->need || s->level != 1)
			continue;
		if (s->doing == DO_VALUE && s->late)
			print_value(t, s);
		else if (s->doing == DO_SINK)
			print_sink(t, s);
		else if (s->doing == DO_SCAN || s->doing == DO_REDUCE || s->doing == DO_SEGDES)
			print_update(t, s, cpu_step_so_far(t, s));
		if (s->doing == DO_SEGDES && !s->sum && last_pass)
			emit_line(t->k->e, "%s[%s + 1] = %s;", cpu_step_name(t, s, ""), position_at(t, 1), cpu_step_name(t, s, "_run"));
	}
	print_groups(t, 1, last_pass);
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (s->need && s->b->op == LCU_keep_segdes && last_pass)
			emit_line(t->k->e, "%s[%s + 1] = %s;", cpu_step_name(t, s, ""), position_at(t, 1), cpu_step_group(t, s, "_k"));
		if (s->need && s->level == 2 && (s->doing == DO_REDUCE || s->doing == DO_SCAN))
			emit_line(t->k->e, "%s = %s;", cpu_step_so_far(t, s), cpu_step_identity(t, s));
	}
}

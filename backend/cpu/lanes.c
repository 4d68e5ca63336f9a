/* lanes.c: folds and scans of several elements side by side.
 *
 * In   a run of elements (elements.h), what is known of it settled
 * Out  a loop over as many elements as there are in whole groups of NESL_LANES, and what its lanes come to together
 * How  A processor begins a fold before the one before it is done, if it is another one.  Of NESL_LANES elements side by side each goes
 *      to a lane of its own; so they are read in order.  The greatest and least of floats depend on the order, as zeros may differ in
 *      their sign: of NESL_SIDE_BY_SIDE elements whose extreme is a zero the last zero is looked for.  Where something was stored,
 *      perhaps over them, they are in so many equal parts instead, one for each lane.  Scans of floats: the elements side by side
 *      are added up among themselves first, so what each begins with waits for one addition only. */
#include "backend/cpu/elements.h"
#include <string.h>

/* Does it end behind the loop?  So does a scan of which only that is asked. */
static bool
folds(const Step *s)
{
	return s->doing == DO_REDUCE || (s->doing == DO_SCAN && !s->used);
}

static bool
scans(const Step *s)
{
	return s->doing == DO_SCAN && s->used;
}

/* May lanes be scanned?  Where an addition takes as long as one of floats, and what is scanned is made twice for less.  What is the greatest
 * so far is seldom a new one, which a processor guesses; which of two elements is greater it cannot. */
static bool
may_scan(const Plan *t, const Step *scan)
{
	const Step *x = cpu_step(t, scan->b->arg[0]);

	if (opnd_ty(scan->b->arg[0])->kind != TY_FLOAT || cpu_step_keeps_order(scan))
		return false;
	return !x || x->level < scan->level || x->b->op == LCU_load || x->inside;
}

/* Is what runs for each element nothing but folds and scans, and what they and sinks need?  Calls take longer than a fold; for
 * those that find a place there is print_found_loop. */
bool
cpu_lanes_serve(const Plan *t, int level)
{
	bool any = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != level)
			continue;
		if (s->b->op == LCU_call || s->doing == DO_KEEP || s->doing == DO_SEGDES || (scans(s) && !may_scan(t, s)))
			return false;
		any |= (folds(s) && !cpu_step_finds_place(t, s)) || scans(s);
	}
	return any;
}

static bool
any_scans(const Plan *t, int level)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].level == level && scans(&t->step[i]))
			return true;
	return false;
}

/* Does it give the last of some that are equal and may differ? */
bool
cpu_lane_gives_last(const Step *s, int level)
{
	return s->need && s->level == level && folds(s) && cpu_step_keeps_order(s);
}

/* What lanes do of elements of which the last may count: what they fold, each of them, is all that lies between its first and
 * last; or they fold as ever, and zeros are looked at again. */
typedef enum { AS_EVER, IN_PARTS, IN_BLOCKS } Lanes;

static Lanes
lanes_for(const Plan *t, int level)
{
	bool any = false, stored = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		any |= cpu_lane_gives_last(s, level);
		stored |= s->need && s->level == level && s->doing == DO_SINK && s->b->op != LCU_check;
	}
	return !any ? AS_EVER : stored ? IN_PARTS : IN_BLOCKS;
}

/* One element of each lane after the other. */
static void
print_lane_loop(Plan *t, int level, bool last_pass, const char *lane)
{
	t->in_lanes = true;
	cpu_side_by_side(t, level, last_pass, lane);
	t->in_lanes = false;
}

/* What one scan of four elements begins with: of each the sum of those before it, a tree of them (Blelloch 1990), and of what was
 * scanned before. */
static void
print_scan_start(const Plan *t, const Step *s)
{
	Emit *e = t->k->e;
	const char *ty = cpu_step_type(s), *run = cpu_step_so_far(t, s), *first = cpu_step_name(t, s, "_first");
	const char *second = cpu_step_name(t, s, "_second"), *three = cpu_step_name(t, s, "_three"), *all = cpu_step_name(t, s, "_all");
	const char *lane[4];

	for (int k = 0; k < 4; k++)
		lane[k] = arena_printf(t->k->arena, "%s[%d]", cpu_step_name(t, s, "_lane"), k);
	emit_line(e, "const %s %s = %s;", ty, first, cpu_step_combined(t, s, lane[0], lane[1]));
	emit_line(e, "const %s %s = %s;", ty, second, cpu_step_combined(t, s, lane[2], lane[3]));
	emit_line(e, "const %s %s = %s;", ty, three, cpu_step_combined(t, s, first, lane[2]));
	emit_line(e, "const %s %s = %s;", ty, all, cpu_step_combined(t, s, first, second));
	emit_line(e, "%s = %s;", lane[3], cpu_step_combined(t, s, run, three));
	emit_line(e, "%s = %s;", lane[2], cpu_step_combined(t, s, run, first));
	emit_line(e, "%s = %s;", lane[1], cpu_step_combined(t, s, run, lane[0]));
	emit_line(e, "%s = %s;", lane[0], run);
	emit_line(e, "%s = %s;", run, cpu_step_combined(t, s, run, all));
}

/* What the scans of elements side by side begin with: first only what is scanned is made; what is marked then is the rest. */
static void
print_scan_starts(Plan *t, int level)
{
	Emit *e = t->k->e;
	const bool *need = cpu_plan_needed(t);

	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];

		s->need &= s->level == level && scans(s);
		if (s->need)
			emit_line(e, "%s %s[NESL_LANES];", cpu_step_type(s), cpu_step_name(t, s, "_lane"));
	}
	t->scanning = SCAN_OPERANDS;
	cpu_plan_close(t);
	print_lane_loop(t, level, false, "lane_");
	t->scanning = SCAN_STEPS;
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].level == level && t->step[i].doing == DO_SCAN)
			print_scan_start(t, &t->step[i]);
	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];

		s->need = need[i] && (s->level != level || s->doing != DO_VALUE || scalar_tells(t->k->scalars, s->b));
	}
	cpu_plan_close(t);
}

/* What each begins with: of a fold the first goes on with what has been folded. */
static void
print_lane_starts(const Plan *t, int level, bool scanned)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *id = folds(s) ? cpu_step_identity(t, s) : "";

		if (s->need && s->level == level && folds(s) && !(scanned && cpu_step_keeps_order(s)))
			emit_line(t->k->e, "%s %s[NESL_LANES] = {%s, %s, %s, %s};", cpu_step_kept_type(t, s), cpu_step_name(t, s, "_lane"),
				t->any_zero && cpu_step_keeps_order(s) ? id : cpu_step_so_far(t, s), id, id, id);
	}
}

/* The last zero among the elements, if a zero is what they come to. */
static void
print_last_zero(Plan *t, int level, const Step *s, const char *all)
{
	Emit *e = t->k->e;
	const Opnd folded = cpu_plan_is(t, s->b->arg[0]);
	const char *x = cpu_operand(t->k, folded);
	Step *before = NEW(t->k->arena, Step, t->n + 1), *of = cpu_step(t, folded);

	memcpy(before, t->step, (size_t)t->n * sizeof *before);
	for (int i = 0; i < t->n; i++)
		t->step[i].need = false;
	if (of)
		of->need = of->level == level;
	cpu_plan_close(t);
	emit_open(e, "if (%s == 0.0) {", all);
	emit_open(e, "while (e%d-- > begin_) {", level);
	cpu_element(t, level, false);
	emit_open(e, "if (%s == 0.0) {", x);
	emit_line(e, "%s = %s;", all, x);
	emit_line(e, "break;");
	emit_close(e, "}");
	emit_close(e, "}");
	emit_line(e, "e%d = past_;", level);
	emit_close(e, "}");
	memcpy(t->step, before, (size_t)t->n * sizeof *before);
}

static void
print_lanes_together(Plan *t, int level, bool scanned)
{
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *lane[4], *pair[2], *all;

		if (!s->need || s->level != level || !folds(s) || (scanned && cpu_step_keeps_order(s)))
			continue;
		for (int k = 0; k < 4; k++)
			lane[k] = arena_printf(t->k->arena, "%s[%d]", cpu_step_name(t, s, "_lane"), k);
		for (int k = 0; k < 2; k++) {
			pair[k] = cpu_step_name(t, s, k ? "_second" : "_first");
			emit_line(t->k->e, "const %s %s = %s;", cpu_step_kept_type(t, s), pair[k],
				cpu_step_in_lane(t, s, lane[2 * k], lane[2 * k + 1]));
		}
		all = cpu_step_in_lane(t, s, pair[0], pair[1]);
		if (t->any_zero && cpu_step_keeps_order(s)) {
			const char *of_lanes = cpu_step_name(t, s, "_all");

			emit_line(t->k->e, "%s %s = %s;", cpu_step_kept_type(t, s), of_lanes, all);
			print_last_zero(t, level, s, of_lanes);
			all = cpu_step_combined(t, s, cpu_step_so_far(t, s), of_lanes);
		}
		emit_line(t->k->e, "%s = %s;", cpu_step_so_far(t, s), all);
	}
}

/* Is it computed of ints, with no guard, from what is read in order?  That costs little twice; gcc makes it once. */
static bool
is_plain(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, o = cpu_plan_is(r->t, o));

	if (!s || s->level < r->level)
		return true;
	if (s->doing != DO_VALUE || opnd_ty(o)->kind == TY_FLOAT || (s->b->op == LCU_fetch && !s->inside) || cpu_step_turns(r->t, s))
		return false;
	for (int i = 0; i < s->b->narg; i++)
		if (!is_plain(r, s->b->arg[i]))
			return false;
	return true;
}

/* What a check of the elements asks, if that is whether a place is one, and plain; else NULL. */
static Step *
asked(const Run *r, const Step *check)
{
	Step *s = check->need && check->level == r->level && check->b->op == LCU_check ? cpu_step(r->t, check->b->arg[0]) : NULL;

	return s && s->level == r->level && !s->is && s->b->op == LCU_in_range && is_plain(r, check->b->arg[0]) ? s : NULL;
}

/* Is something computed of what is read at a place? */
static bool
is_of_fetched(const Run *r, const Step *s)
{
	for (int i = 0; i < s->b->narg && s->doing == DO_VALUE; i++) {
		const Step *from = cpu_step(r->t, s->b->arg[i]);

		if (from && from->level == r->level && from->b->op == LCU_fetch)
			return true;
	}
	return false;
}

/* Can all checks of the elements be asked at once, and is it worth it?  What is only read and folded is as fast without. */
static bool
can_ask(const Run *r)
{
	bool any = false, worth = false;

	for (int i = 0; i < r->t->n; i++) {
		const Step *s = &r->t->step[i];

		if (!s->need || s->level != r->level)
			continue;
		if (scalar_tells(r->t->k->scalars, s->b) && !asked(r, s))
			return false;
		any |= s->b->op == LCU_check;
		worth |= is_of_fetched(r, s);
	}
	return any && worth;
}

/* All checks hold that are asked here, and the places that they compare are inside. */
static void
set_asked(Run *r, Step *const *ask)
{
	Plan *t = r->t;

	for (int i = 0; i < t->n; i++)
		if (ask[i])
			ask[i]->is = &cpu_yes;
	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];
		const Bind *checked = s->b->op == LCU_fetch && s->level == r->level ? same_checked(t->k->same, t->task, s->b) : NULL;
		const Step *c = checked ? cpu_step(t, opnd_var(checked->dst[0])) : NULL;

		s->inside |= c && c->level == r->level && c->is == &cpu_yes;
	}
	cpu_run_settle(r);
}

/* What is asked of the elements of all lanes, before anything else is done with them: no branch is between what is read then.  If one
 * does not hold, they and those behind them are left to the plain loop, which tells. */
static void
print_asked(Run *r)
{
	Plan *t = r->t;
	Emit *e = t->k->e;
	Step **ask = NEW(t->k->arena, Step *, t->n + 1);

	for (int i = 0; i < t->n; i++)
		ask[i] = asked(r, &t->step[i]);
	for (int i = 0; i < t->n; i++)
		t->step[i].need = false;
	for (int i = 0; i < t->n; i++)
		if (ask[i])
			ask[i]->need = true;
	cpu_plan_close(t);
	emit_line(e, "b8 hold_ = 1;");
	emit_line(e, "NESL_UNROLLED");
	emit_open(e, "for (int lane_ = 0; lane_ < NESL_LANES; lane_++) {");
	t->lane = "lane_";
	cpu_element(t, r->level, false);
	for (int i = 0; i < t->n; i++)
		if (ask[i])
			emit_line(e, "hold_ &= %s;", cpu_operand(t->k, t->step[i].b->arg[0]));
	t->lane = NULL;
	emit_close(e, "}");
	emit_open(e, "if (!hold_)");
	emit_line(e, "break;");
	emit_close(e, "");
	set_asked(r, ask);
}

/* Can elements side by side be done before it is asked whether their checks hold?  Then no branch is between them.  If one does not, they
 * and those behind them are left to the plain loop, which tells: what was folded of them is of no use any more.  But what was
 * stored could be what is checked. */
static bool
may_hold(const Plan *t, int level)
{
	bool any = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != level)
			continue;
		if (s->b->op != LCU_check && (s->doing == DO_SINK || scalar_tells(t->k->scalars, s->b)))
			return false;
		any |= s->b->op == LCU_check;
	}
	return any;
}

bool
cpu_lanes(Run *r, const char *stop)
{
	Plan *t = r->t;
	Emit *e = t->k->e;
	const int level = r->level;
	const char *at = level == 2 ? "e2" : "e1";
	const bool scanned = any_scans(t, level);
	const Lanes how = scanned ? AS_EVER : lanes_for(t, level);
	Step *before = NEW(t->k->arena, Step, t->n + 1);

	memcpy(before, t->step, (size_t)t->n * sizeof *before);
	emit_open(e, "%s (%s - %s >= NESL_FOLDED) {", how == AS_EVER ? "if" : "while", stop, at);
	t->any_zero = how == IN_BLOCKS;
	print_lane_starts(t, level, scanned);
	if (how != AS_EVER)
		emit_line(e, "const i64 part_ = nesl_least(%s - %s, NESL_SIDE_BY_SIDE) / NESL_LANES;", stop, at);
	if (how == IN_PARTS)
		emit_line(e, "const i64 past_ = %s + part_;", at);
	else if (how == IN_BLOCKS)
		emit_line(e, "const i64 begin_ = %s, past_ = %s + NESL_LANES * part_;", at, at);
	else
		emit_line(e, "const i64 past_ = %s - (%s - %s) %% NESL_LANES;", stop, stop, at);
	emit_open(e, how == IN_PARTS ? "for (; %s < past_; %s++) {" : "for (; %s < past_; %s += NESL_LANES) {", at, at);
	if (how != IN_PARTS)
		cpu_ahead(t, "NESL_AHEAD", level, r->last_pass);
	if (scanned)
		print_scan_starts(t, level);
	else if (how == AS_EVER && can_ask(r))
		print_asked(r);
	t->holds = !scanned && how == AS_EVER && may_hold(t, level);
	if (t->holds)
		emit_line(e, "b8 hold_ = 1;");
	print_lane_loop(t, level, r->last_pass, how == IN_PARTS ? "lane_ * part_" : "lane_");
	if (t->holds) {
		emit_open(e, "if (!hold_)");
		emit_line(e, "break;");
		emit_close(e, "");
	}
	t->holds = false;
	t->scanning = SCAN_NONE;
	memcpy(t->step, before, (size_t)t->n * sizeof *before);
	emit_close(e, "}");
	if (how == IN_PARTS)
		emit_line(e, "%s += (NESL_LANES - 1) * part_;", at);
	print_lanes_together(t, level, scanned);
	t->any_zero = false;
	emit_close(e, "}");
	return how == AS_EVER;
}

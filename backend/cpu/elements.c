/* elements.c: the loop over the elements of a row, or of all that a chunk has.
 *
 * In   the steps of the pass, marked (plan.h)
 * Out  loops that leave the variable of the level at the end of the elements
 * How  Lanes: a processor begins a fold before the one before it is done, if it is another one.  Of NESL_LANES elements side by
 *      side each goes to a lane of its own; so they are read in order.  The greatest and least of floats depend on the order, as
 *      zeros may differ in their sign: of NESL_SIDE_BY_SIDE elements whose extreme is a zero the last zero is looked for.  Where
 *      something was stored, perhaps over them, they are in so many equal parts instead, one for each lane.  Scans of
 *      floats: the elements side by side are added up among themselves first, so what each begins with waits for one addition only.
 *      Pieces: what holds of all elements of a run is asked once for the run.  Where the place in a row is compared with a
 *      number that the row has, as for each operand of an append, the run is cut there (index set splitting: Allen and
 *      Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.6); a vector holds places that go on one by one
 *      if it holds the first and so many, and numbers that are below n, or n, if it holds n; what is kept has room if all of the
 *      run has.  What is outside of its vector, or of few elements, has the plain loop. */
#include "backend/cpu/plan.h"
#include <string.h>

enum {
	MOST_PIECES = 8,        /* texts of the loop */
	MOST_ADDED = 1 << 20    /* to a place, so that it does not wrap */
};

static void
print_element(const Plan *t, int level, bool last_pass)
{
	if (level == 2) {
		cpu_step_element(t, last_pass);
	} else {
		cpu_step_before(t, false);
		cpu_step_after(t, last_pass);
	}
}

/* Does each element only compute and store, whatever the others do?  Then a compiler may do several at once. */
static bool
is_map(const Plan *t, int level)
{
	bool any = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != level)
			continue;
		if (s->doing != DO_VALUE && !(s->doing == DO_SINK && s->b->op == LCU_store))
			return false;
		if (scalar_tells(t->k->scalars, s->b) || s->b->op == LCU_call || cpu_step_turns(t, s))
			return false;
		any |= s->doing == DO_SINK;
	}
	return any;
}

static void
print_loop(const Plan *t, int level, const char *from, const char *stop, bool last_pass, bool map)
{
	Emit *e = t->k->e;

	if (map && !from)
		emit_line(e, "const i64 first%d_ = e%d;", level, level);
	if (map)
		emit_line(e, "NESL_VECTORS");
	if (from)
		emit_open(e, "for (i64 e%d = %s; e%d < %s; e%d++) {", level, from, level, stop, level);
	else if (map)
		emit_open(e, "for (e%d = first%d_; e%d < %s; e%d++) {", level, level, level, stop, level);
	else
		emit_open(e, "for (; e%d < %s; e%d++) {", level, stop, level);
	print_element(t, level, last_pass);
	emit_close(e, "}");
}

/* -- what holds of a run ------------------------------------------------------------------------------- */

static const Opnd no = {.kind = OPND_BOOL, .u.i = 0}, yes = {.kind = OPND_BOOL, .u.i = 1};

typedef struct Run {
	Plan *t;
	int level;
	bool last_pass;
	const bool *need;       /* by step: at the outset */
	int pieces;             /* texts so far */
	bool single;            /* the piece is one element */
	bool whole;             /* the piece is not cut again */
} Run;

/* Is it the same for all elements?  Steps of level 1 are, for those of level 2. */
static bool
is_fixed(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, o);

	return !s || s->level < r->level;
}

/* Does it go up by one from each element to the next? */
static const Step *
counter(const Plan *t, int level, Opnd o)
{
	const Step *s = cpu_step(t, o);

	return s && s->level == level && (s->b->op == LCU_inner || s->b->op == LCU_index) ? s : NULL;
}

/* What o is at the next element, if it goes up by one from there on; else NULL. */
static const char *
goes_up(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, o = cpu_plan_is(r->t, o));
	Arena *a = r->t->k->arena;

	if (counter(r->t, r->level, o))
		return cpu_step_value(r->t, s);
	if (!s || s->level != r->level || (s->b->op != LCU_add && s->b->op != LCU_sub))
		return NULL;
	for (int i = 0; i < (s->b->op == LCU_add ? 2 : 1); i++) {
		const char *from = is_fixed(r, s->b->arg[1 - i]) ? goes_up(r, s->b->arg[i]) : NULL;
		if (from)
			return arena_printf(a, "i%s(%s, %s)", cpu_op(r->t->k, s->b)->name, from, cpu_operand(r->t->k, s->b->arg[1 - i]));
	}
	return NULL;
}

/* m, if o is a number from 0 to below m, or else m, one that all elements have; else NULL. */
static const char *
at_most(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, cpu_plan_is(r->t, o)), *c = s && s->b->op == LCU_select ? cpu_step(r->t, s->b->arg[0]) : NULL;
	const Opnd *of = s ? s->b->arg : NULL;

	if (!c || c->b->op != LCU_in_range || !same_opnd(c->b->arg[0], of[1]) || !same_opnd(c->b->arg[1], of[2]) || !is_fixed(r, of[2]))
		return NULL;
	return cpu_operand(r->t->k, of[2]);
}

/* A place in its vector, or compared with a length: how many places there are; NULL: it is not that, or they are not the same for
 * all. */
static const char *
places_of(const Run *r, const Step *s, Opnd *place)
{
	const Bind *b = s->b;
	const bool compares = b->op == LCU_in_range;

	if (s->level != r->level || !(compares || b->op == LCU_fetch || cpu_step_puts(s)) || (compares && !is_fixed(r, b->arg[1])))
		return NULL;
	*place = b->arg[!compares];
	return compares ? cpu_operand(r->t->k, b->arg[1]) : b->op == LCU_fetch ? cpu_step_places(r->t, s) : cpu_step_count(r->t, s);
}

/* When a place is one up to stop, if that can be asked at once: it goes up, or is at most a number. */
static const char *
is_within(const Run *r, const Step *s, const char *stop)
{
	Arena *a = r->t->k->arena;
	Opnd place;
	const char *places = places_of(r, s, &place), *x = places ? goes_up(r, place) : NULL;

	if (x)
		return arena_printf(a, "nesl_within(%s, %s - e%d, %s)", x, stop, r->level, places);
	x = places ? at_most(r, place) : NULL;
	return x ? arena_printf(a, "nesl_in(%s, %s)", x, places) : NULL;
}

/* What a choice is, where it is known which. */
static const Opnd *
chosen(const Plan *t, const Bind *select)
{
	const Opnd cond = cpu_plan_is(t, select->arg[0]);
	Opnd *is = NULL;

	if (cond.kind == OPND_BOOL) {
		is = NEW(t->k->arena, Opnd, 1);
		*is = cpu_plan_is(t, select->arg[cond.u.i ? 1 : 2]);
	}
	return is;
}

/* What not, and, or is, where enough is known of its operands. */
static const Opnd *
concluded(const Plan *t, const Bind *b)
{
	const bool not = b->op == LCU_not, is_or = b->op == LCU_or;
	Opnd *is = NEW(t->k->arena, Opnd, 1);

	if (!not && !is_or && b->op != LCU_and)
		return NULL;
	for (int i = 0; i < b->narg; i++) {
		const Opnd x = cpu_plan_is(t, b->arg[i]);

		if (x.kind != OPND_BOOL)
			continue;
		*is = not ? opnd_bool(!x.u.i) : x.u.i == is_or ? x : cpu_plan_is(t, b->arg[1 - i]);
		return is;
	}
	return NULL;
}

/* Marks what is needed of the level, with what is known: choices that are made, and checks that hold, need nothing. */
static void
settle(Run *r)
{
	Plan *t = r->t;

	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];
		const Bind *b = s->b;

		s->need = r->need[i] && (s->level != r->level || s->doing != DO_VALUE || scalar_tells(t->k->scalars, b));
		if (b->op == LCU_not || b->op == LCU_and || b->op == LCU_or)
			s->is = concluded(t, b);
		if (s->level != r->level)
			continue;
		if (b->op == LCU_select)
			s->is = chosen(t, b);
		if (b->op == LCU_check && cpu_plan_is(t, b->arg[0]).kind == OPND_BOOL)
			s->need &= !cpu_plan_is(t, b->arg[0]).u.i;
		s->need &= !(b->op == LCU_check && s->inside);
	}
	cpu_plan_close(t);
}

/* -- lanes --------------------------------------------------------------------------------------------- */

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

/* May lanes be scanned?  Where an addition takes as long as one of floats, and what is scanned is made twice for less. */
static bool
may_scan(const Plan *t, const Step *scan)
{
	const Step *x = cpu_step(t, scan->b->arg[0]);

	if (opnd_ty(scan->b->arg[0])->kind != TY_FLOAT)
		return false;
	return !x || x->level < scan->level || x->b->op == LCU_load || x->inside;
}

/* Is what runs for each element nothing but folds and scans, and what they and sinks need?  Calls take longer than a fold; for
 * those that find a place there is print_found_loop. */
static bool
in_lanes(const Plan *t, int level)
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
static bool
gives_last(const Step *s, int level)
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

		any |= gives_last(s, level);
		stored |= s->need && s->level == level && s->doing == DO_SINK && s->b->op != LCU_check;
	}
	return !any ? AS_EVER : stored ? IN_PARTS : IN_BLOCKS;
}

/* One element of each lane after the other. */
static void
print_lane_loop(Plan *t, int level, bool last_pass, const char *lane)
{
	Emit *e = t->k->e;

	emit_line(e, "NESL_UNROLLED");
	emit_open(e, "for (int lane_ = 0; lane_ < NESL_LANES; lane_++) {");
	t->lane = lane;
	print_element(t, level, last_pass);
	t->lane = NULL;
	emit_close(e, "}");
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
	const char *x = cpu_operand(t->k, cpu_plan_is(t, s->b->arg[0]));
	Step *before = NEW(t->k->arena, Step, t->n + 1), *of = cpu_step(t, s->b->arg[0]);

	memcpy(before, t->step, (size_t)t->n * sizeof *before);
	for (int i = 0; i < t->n; i++)
		t->step[i].need = false;
	if (of)
		of->need = of->level == level;
	cpu_plan_close(t);
	emit_open(e, "if (%s == 0.0) {", all);
	emit_open(e, "while (e%d-- > begin_) {", level);
	print_element(t, level, false);
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
			ask[i]->is = &yes;
	for (int i = 0; i < t->n; i++) {
		Step *s = &t->step[i];
		const Bind *checked = s->b->op == LCU_fetch && s->level == r->level ? same_checked(t->k->same, t->task, s->b) : NULL;
		const Step *c = checked ? cpu_step(t, opnd_var(checked->dst[0])) : NULL;

		s->inside |= c && c->level == r->level && c->is == &yes;
	}
	settle(r);
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
	print_element(t, r->level, false);
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

static void
print_lanes(Run *r, const char *stop)
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
	if (scanned)
		print_scan_starts(t, level);
	else if (how == AS_EVER && can_ask(r))
		print_asked(r);
	print_lane_loop(t, level, r->last_pass, how == IN_PARTS ? "lane_ * part_" : "lane_");
	t->scanning = SCAN_NONE;
	memcpy(t->step, before, (size_t)t->n * sizeof *before);
	emit_close(e, "}");
	if (how == IN_PARTS)
		emit_line(e, "%s += (NESL_LANES - 1) * part_;", at);
	print_lanes_together(t, level, scanned);
	t->any_zero = false;
	emit_close(e, "}");
}

/* -- places -------------------------------------------------------------------------------------------- */
/* Some have not been found, of steps that all look at places one after the other; NULL: there are none, or others. */
static const char *
not_found(const Plan *t, int level)
{
	const char *some = NULL;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != level || !cpu_step_finds_place(t, s))
			continue;
		if (!counter(t, level, s->b->arg[1]))
			return NULL;
		some = arena_printf(t->k->arena, "%s%s%s == MAX_INT", some ? some : "", some ? " || " : "",
			cpu_step_result(t, s, cpu_step_so_far(t, s)));
	}
	return some;
}

/* A processor that guesses that no element is better than all before waits for no comparison: of many elements few are.  Of a
 * few half are, so it waits.  Nor is the first what others are. */
static void
print_found_loop(Plan *t, int level, const char *from, const char *stop, bool last_pass, const char *some)
{
	Emit *e = t->k->e;

	if (from)
		emit_line(e, "i64 e%d = %s;", level, from);
	emit_line(e, "const i64 few_ = %s - e%d < NESL_MANY ? %s : e%d;", stop, level, stop, level);
	emit_open(e, "for (; e%d < few_ || (e%d < %s && (%s)); e%d++) {", level, level, stop, some, level);
	print_element(t, level, last_pass);
	emit_close(e, "}");
	t->found = true;
	print_loop(t, level, NULL, stop, last_pass, false);
	t->found = false;
}

/* All of them, one after the other. */
static void
print_all(Plan *t, int level, const char *from, const char *stop, bool last_pass)
{
	const char *some = not_found(t, level);

	if (some)
		print_found_loop(t, level, from, stop, last_pass, some);
	else
		print_loop(t, level, from, stop, last_pass, is_map(t, level));
}

/* Is the last of some that are equal all that is made of a row's elements? */
static bool
only_gives_last(const Plan *t)
{
	bool any = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (gives_last(s, 2))
			any = true;
		else if (s->need && s->level == 2 && s->doing != DO_VALUE)
			return false;
	}
	return any;
}

/* The last of equals is the first from behind: a comparison that processors have as one instruction finds it. */
static void
print_from_behind(Plan *t, const char *stop)
{
	Emit *e = t->k->e;
	const Step *s;

	t->behind = true;
	for (int i = 0; i < t->n; i++)
		if (gives_last(s = &t->step[i], 2))
			emit_line(e, "%s %s = %s;", cpu_step_type(s), cpu_step_so_far(t, s), cpu_step_identity(t, s));
	emit_line(e, "const i64 begin_ = e2;");
	emit_open(e, "for (e2 = %s; e2-- > begin_;) {", stop);
	print_element(t, 2, false);
	emit_close(e, "}");
	t->behind = false;
	emit_line(e, "e2 = %s;", stop);
	for (int i = 0; i < t->n; i++)
		if (gives_last(s = &t->step[i], 2))
			emit_line(e, "%s = %s;", cpu_step_so_far(t, s),
				cpu_combine_as_ints(t->k, s->b, cpu_step_name(t, s, "_rest"), cpu_step_so_far(t, s)));
}

/* A place in the run, and a number near 0 that the program says, which does not wrap: at the next element; NULL: it is not that. */
static const char *
place_in_run(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, o);
	bool near = counter(r->t, r->level, o);

	for (int i = 0; s && s->level == r->level && s->b->narg == 2 && !near && i < 2; i++) {
		const Opnd n = s->b->arg[1 - i];

		near = (s->b->op == LCU_add || (s->b->op == LCU_sub && i == 0)) && counter(r->t, r->level, s->b->arg[i])
			&& n.kind == OPND_INT && n.u.i > -MOST_ADDED && n.u.i < MOST_ADDED && r->t->k->p->int_bits == 64;
	}
	return near ? goes_up(r, o) : NULL;
}

/* The place, if a comparison depends on that alone, and what it is compared with; else NULL. */
static const char *
compared_place(const Run *r, const Step *s, bool *turned, Opnd *k)
{
	for (int i = 0; i < 2; i++) {
		const char *at = is_fixed(r, s->b->arg[1 - i]) ? place_in_run(r, s->b->arg[i]) : NULL;

		*turned = i;
		*k = s->b->arg[1 - i];
		if (at)
			return at;
	}
	return NULL;
}

/* What decides o, a condition of the run's elements: what all of the run have in common, or a comparison of the place in the run; NULL:
 * there is none of this kind. */
static Step *
decides(const Run *r, Opnd o, bool common)
{
	Step *s = cpu_step(r->t, o = cpu_plan_is(r->t, o)), *of = NULL;
	bool turned;
	Opnd k;

	if (s && s->level < r->level && s->b->op == LCU_not && cpu_step(r->t, s->b->arg[0]))
		s = cpu_step(r->t, s->b->arg[0]);
	if (!s || s->level < r->level)
		return common ? s : NULL;
	switch (s->b->op) {
	case LCU_lt: case LCU_le: case LCU_gt: case LCU_ge: case LCU_eq: case LCU_ne:
		return !common && compared_place(r, s, &turned, &k) ? s : NULL;
	case LCU_not: case LCU_and: case LCU_or:
		for (int i = 0; i < s->b->narg && !of; i++)
			of = decides(r, s->b->arg[i], common);
		return of;
	}
	return NULL;
}

/* What decides a choice; NULL: there is none.  That of the last choice leaves the least to be chosen. */
static Step *
next_cut(const Run *r)
{
	const Plan *t = r->t;
	Step *c = NULL;

	for (int i = t->n - 1; i >= 0 && !c; i--) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != r->level || s->b->op != LCU_select || is_fixed(r, s->b->arg[0]))
			continue;
		c = decides(r, s->b->arg[0], true);
		if (!c)
			c = decides(r, s->b->arg[0], false);
	}
	return c;
}

/* Does it store in arrays that have only so much left of the chunk's? */
static bool
has_end(const Run *r, const Step *s)
{
	return s->need && s->level == r->level && r->last_pass && s->doing == DO_KEEP && s == &r->t->step[s->group]
		&& cpu_step_stores(r->t, s);
}

static bool
is_fixed_check(const Run *r, const Step *s)
{
	const Opnd holds = s->b->op == LCU_check ? cpu_plan_is(r->t, s->b->arg[0]) : yes;

	return s->level == r->level && holds.kind == OPND_VAR && is_fixed(r, holds);
}

/* Whether it is so up to stop that its place is outside of its vector, that too much may be kept, or that a check of what is the
 * same for all fails; NULL: that is not asked. */
static const char *
outside(const Run *r, const Step *s, const char *stop)
{
	const Plan *t = r->t;
	Arena *a = t->k->arena;
	const char *holds;

	if (has_end(r, s))
		return arena_printf(a, "%s - %s < %s - e%d", cpu_step_name(t, s, "_end"), cpu_step_name(t, s, "_k"), stop, r->level);
	holds = !s->need ? NULL : is_fixed_check(r, s) ? cpu_operand(t->k, cpu_plan_is(t, s->b->arg[0])) : is_within(r, s, stop);
	return holds ? arena_printf(a, "!%s", holds) : NULL;
}

/* What is kept or checked alone does not make runs: a loop in memory is no faster for it, and its text is twice as long. */
static bool
any_within(const Run *r)
{
	for (int i = 0; i < r->t->n; i++)
		if (r->t->step[i].need && is_within(r, &r->t->step[i], ""))
			return true;
	return false;
}

/* What is not inside ends the pieces. */
static void
print_outside(const Run *r, const char *stop)
{
	Emit *e = r->t->k->e;
	const char *said = "", *one;

	for (int i = 0; i < r->t->n; i++) {
		one = outside(r, &r->t->step[i], stop);
		if (!one || strstr(said, one))
			continue;
		said = arena_printf(r->t->k->arena, "%s %s", said, one);
		emit_open(e, "if (%s)", one);
		emit_line(e, "break;");
		emit_close(e, "");
	}
}

/* Then this is known; or it is forgotten. */
static void
set_within(const Run *r, bool known)
{
	for (int i = 0; i < r->t->n; i++) {
		Step *s = &r->t->step[i];

		if (known ? !outside(r, s, "") : s->level != r->level)
			continue;
		s->inside = known;
		if (s->b->op == LCU_in_range)
			s->is = known ? &yes : NULL;
	}
}

/* One piece, to stop. */
static void
print_piece(Run *r, const char *stop)
{
	if (r->single) {
		print_loop(r->t, r->level, NULL, stop, r->last_pass, false);
		return;
	}
	if (in_lanes(r->t, r->level))
		print_lanes(r, stop);
	print_all(r->t, r->level, NULL, stop, r->last_pass);
}

static void print_pieces(Run *r, const char *stop);

static int
steps_where(Run *r, Step *cut, const Opnd *is)
{
	int n = 0;

	cut->is = is;
	settle(r);
	for (int i = 0; i < r->t->n; i++)
		n += r->t->step[i].need && r->t->step[i].level == r->level;
	return n;
}

/* Up to stop the cut is so.  What has fewer steps then than it would have otherwise is not cut again. */
static void
print_pieces_where(Run *r, Step *cut, const Opnd *is, const char *stop)
{
	const bool whole = r->whole;
	const int otherwise = steps_where(r, cut, is == &yes ? &no : &yes);

	r->whole = whole || steps_where(r, cut, is) < otherwise;
	print_pieces(r, stop);
	r->whole = whole;
}

/* If it is so up to there, and then no more: what is compared with a place, or (ends NULL) the same for all. */
static void
print_cut(Run *r, Step *cut, const char *cond, const char *ends, const Opnd *first, const char *stop)
{
	Emit *e = r->t->k->e;
	const char *past = stop;

	emit_open(e, "if (%s) {", cond);
	if (ends) {
		past = arena_printf(r->t->k->arena, "piece%d_", r->pieces);
		emit_line(e, "const i64 %s = e%d + %s;", past, r->level, ends);
	}
	print_pieces_where(r, cut, first, past);
	emit_else(e);
	print_pieces_where(r, cut, first == &yes ? &no : &yes, stop);
	emit_close(e, "}");
	cut->is = NULL;
	settle(r);
}

/* It is so for one, and not for those before (any_before: there may be some) and behind it. */
static void
print_cut_at(Run *r, Step *cut, const char *at, const char *k, bool any_before, const Opnd *is, const char *stop)
{
	Emit *e = r->t->k->e;
	const char *past = arena_printf(r->t->k->arena, "piece%d_", r->pieces);

	emit_open(e, "if (%s == %s) {", at, k);
	emit_line(e, "const i64 %s = e%d + 1;", past, r->level);
	r->single = true;
	print_pieces_where(r, cut, is, past);
	r->single = false;
	emit_else(e);
	if (!any_before)
		past = stop;
	else
		emit_line(e, "const i64 %s = %s < %s ? e%d + nesl_up_to(%s, %s, %s - e%d) : %s;", past, at, k, r->level, at, k, stop,
			r->level, stop);
	print_pieces_where(r, cut, is == &yes ? &no : &yes, past);
	emit_close(e, "}");
	cut->is = NULL;
	settle(r);
}

/* In two, where the cut is decided. */
static void
print_both_sides(Run *r, Step *cut, const char *stop)
{
	Arena *a = r->t->k->arena;
	const int op = cut->b->op;
	const char *at, *k, *left;
	bool turned, below, with;
	Opnd n;

	r->pieces++;
	if (cut->level < r->level) {
		print_cut(r, cut, cpu_operand(r->t->k, opnd_var(cut->b->dst[0])), NULL, &yes, stop);
		return;
	}
	at = compared_place(r, cut, &turned, &n);
	k = cpu_operand(r->t->k, n);
	if (op == LCU_eq || op == LCU_ne) {
		print_cut_at(r, cut, at, k, !same_opnd(n, opnd_int(0)) || !counter(r->t, r->level, cut->b->arg[turned]),
			op == LCU_eq ? &yes : &no, stop);
		return;
	}
	below = (op == LCU_lt || op == LCU_le) != turned;       /* it holds for the places that come first */
	with = (op == LCU_le || op == LCU_ge) == below;         /* and they are those up to k, k itself too */
	left = arena_printf(a, "nesl_up_to(%s, %s, %s - e%d%s)%s", at, k, stop, r->level, with ? " - 1" : "", with ? " + 1" : "");
	print_cut(r, cut, arena_printf(a, "%s %s %s", at, with ? "<=" : "<", k), left, below ? &yes : &no, stop);
}

/* The piece that begins here, cut where what is known of it ends. */
static void
print_pieces(Run *r, const char *stop)
{
	Step *cut = r->pieces < MOST_PIECES && !r->whole ? next_cut(r) : NULL;

	if (cut) {
		print_both_sides(r, cut, stop);
		return;
	}
	print_outside(r, stop);
	set_within(r, true);
	settle(r);
	print_piece(r, stop);
	set_within(r, false);
}

/* Runs long enough for what is asked once for each. */
static void
print_runs(Run *r, const char *stop)
{
	emit_open(r->t->k->e, "if (%s - e%d >= NESL_RUN)", stop, r->level);
	emit_open(r->t->k->e, "while (e%d < %s) {", r->level, stop);
	print_pieces(r, stop);
	emit_close(r->t->k->e, "}");
	emit_close(r->t->k->e, "");
}

/* Some element asks for its place in the row: where that begins is read once. */
static void
print_row_begin(const Plan *t)
{
	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].b->op == LCU_inner) {
			emit_line(t->k->e, "const i64 row_ = %s;", cpu_step_row(t, false));
			return;
		}
}

void
cpu_elements(Plan *t, int level, const char *from, const char *stop, bool last_pass)
{
	const bool *need = cpu_plan_needed(t);
	bool *used = NEW(t->k->arena, bool, t->n + 1);
	const bool lanes = in_lanes(t, level);
	Run r = {.t = t, .level = level, .last_pass = last_pass, .need = need};
	bool runs;

	for (int i = 0; i < t->n; i++)
		used[i] = t->step[i].used;
	print_row_begin(t);
	settle(&r);
	runs = next_cut(&r) || any_within(&r);
	if (from && (lanes || runs)) {
		emit_line(t->k->e, "i64 e%d = %s;", level, from);
		from = NULL;
	}
	if (runs)
		print_runs(&r, stop);
	else if (lanes)
		print_lanes(&r, stop);
	settle(&r);
	for (int i = 0; i < t->n; i++) {
		t->step[i].need = need[i];
		t->step[i].used = used[i];
	}
	if (runs)               /* what is left is outside, or few */
		print_loop(t, level, from, stop, last_pass, false);
	else if (lanes && level == 2 && only_gives_last(t))
		print_from_behind(t, stop);
	else
		print_all(t, level, from, stop, last_pass);
}

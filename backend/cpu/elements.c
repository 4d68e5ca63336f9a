/* elements.c: the loop over the elements of a row, or of all that a chunk has.
 *
 * In   the steps of the pass, marked (plan.h)
 * Out  loops that leave the variable of the level at the end of the elements
 * How  Long runs are done in pieces (pieces.c), folds and scans in lanes (lanes.c), and NESL_LANES elements side by side where a
 *      compiler has no instructions for several at once; what is outside of its vector, or of few elements, has the plain loop. */
#include "backend/cpu/elements.h"

enum { MOST_SIDE_BY_SIDE = 8 };        /* steps of an element */

void
cpu_element(const Plan *t, int level, bool last_pass)
{
	if (level == 2) {
		cpu_step_element(t, last_pass);
	} else {
		cpu_step_before(t, false);
		cpu_step_after(t, last_pass);
	}
}

void
cpu_side_by_side(Plan *t, int level, bool last_pass, const char *lane)
{
	Emit *e = t->k->e;

	emit_line(e, "NESL_UNROLLED");
	emit_open(e, "for (int lane_ = 0; lane_ < NESL_LANES; lane_++) {");
	t->lane = lane;
	cpu_element(t, level, last_pass);
	t->lane = NULL;
	emit_close(e, "}");
}

/* The array that the step goes through in order, reads, or stores in and does not read; and where it is.  NULL: it does not. */
static const char *
in_order(Plan *t, const Step *s, bool last_pass, const char **at)
{
	const Run r = {.t = t, .level = s->level};
	const Bind *b = s->b;
	const Step *place;

	*at = s->level == 2 ? "e2" : "e1";
	switch (b->op) {
	case LCU_load: case LCU_seg_start: case LCU_seg_length:
		return cpu_operand(t->k, b->arg[0]);
	case LCU_fetch:         /* what is read again in each row is near */
		place = cpu_run_counter(t, s->level, b->arg[1]);
		*at = s->inside && !(place && place->b->op == LCU_inner) ? cpu_run_goes_up(&r, b->arg[1]) : NULL;
		return *at ? cpu_operand(t->k, b->arg[0]) : NULL;
	case LCU_store:
		return last_pass ? cpu_step_name(t, s, "") : NULL;
	}
	return NULL;
}

bool
cpu_first_time(const Plan *t, Map *asked, const char *text)
{
	void **done = map_at(asked, intern(t->k->p->names, text));
	const bool first = !*done;

	*done = asked;
	return first;
}

/* Once for each array, as what is read of one at several places is near together. */
static void
ask_ahead(const Plan *t, const char *ask, Map *asked, const char *array, const char *at)
{
	if (cpu_first_time(t, asked, array))
		emit_line(t->k->e, "%s(%s + %s);", ask, array, at);
}

void
cpu_ahead(Plan *t, const char *ask, int level, bool last_pass)
{
	Map *asked = map_new(t->k->arena);

	if (level == 1 && cpu_plan_needs_level(t, 2) && !t->grid)       /* where rows end */
		ask_ahead(t, ask, asked, t->s, "e1");
	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];
		const char *at, *array = s->need && s->level == level ? in_order(t, s, last_pass, &at) : NULL;

		if (array)
			ask_ahead(t, ask, asked, array, at);
	}
}

/* Is it worth while to do elements side by side that are not folded?  Their texts are as many, so those of few steps. */
static bool
few_in_order(Plan *t, int level, bool last_pass)
{
	const char *at;
	bool any = false;
	int n = 0;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (!s->need || s->level != level)
			continue;
		if (s->b->op == LCU_call || ++n > MOST_SIDE_BY_SIDE)
			return false;
		any |= in_order(t, s, last_pass, &at) != NULL;
	}
	return any;
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
		if (s->doing != DO_VALUE && !(s->doing == DO_SINK && lcu_stores(s->b)))
			return false;
		if (scalar_tells(t->k->scalars, s->b) || s->b->op == LCU_call || cpu_step_turns(t, s))
			return false;
		any |= s->doing == DO_SINK;
	}
	return any;
}

/* Has the least processor of its kind (SSE2) one instruction for it of two elements, both of one size?  Others take longer than one by
 * one (bench/results/2026-11-28-ahead.md). */
static bool
has_vector(const Run *r, const Step *s)
{
	switch (s->b->op) {
	case LCU_load: case LCU_index: case LCU_inner: case LCU_row: case LCU_add: case LCU_sub: case LCU_neg:
	case LCU_and: case LCU_or: case LCU_xor: case LCU_not:
		return true;
	case LCU_mul: case LCU_div: case LCU_max: case LCU_min: case LCU_abs:
		return opnd_ty(s->b->arg[0])->kind == TY_FLOAT;
	case LCU_fetch:
		return s->inside && cpu_run_goes_up(r, s->b->arg[1]);
	}
	return lcu_stores(s->b);
}

static bool
has_vectors(Plan *t, int level)
{
	const Run r = {.t = t, .level = level};

	for (int i = 0; i < t->n; i++)
		if (t->step[i].need && t->step[i].level == level && !has_vector(&r, &t->step[i]))
			return false;
	return true;
}

void
cpu_loop(const Plan *t, int level, const char *from, const char *stop, bool last_pass, bool map)
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
	cpu_element(t, level, last_pass);
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
		if (!cpu_run_counter(t, level, s->b->arg[1]))
			return NULL;
		some = arena_printf(t->k->arena, "%s%s%s == MAX_INT", some ? some : "", some ? " || " : "",
			cpu_step_result(t, s, cpu_step_so_far(t, s)));
	}
	return some;
}

bool
cpu_finds_places(const Plan *t, int level)
{
	return not_found(t, level) != NULL;
}

/* A processor that guesses that no element is better than all before waits for no comparison: of many elements few are.  Of a
 * few half are, so it waits, and does not guess.  Nor is the first what others are. */
static void
print_found_loop(Plan *t, int level, const char *from, const char *stop, bool last_pass, const char *some)
{
	Emit *e = t->k->e;

	if (from)
		emit_line(e, "i64 e%d = %s;", level, from);
	emit_open(e, "for (; e%d < %s && (%s); e%d++) {", level, stop, some, level);
	cpu_element(t, level, last_pass);
	emit_close(e, "}");
	emit_line(e, "const i64 few_ = %s - e%d < NESL_MANY ? %s : e%d;", stop, level, stop, level);
	t->found = FOUND_NEXT;
	cpu_loop(t, level, NULL, "few_", last_pass, false);
	t->found = FOUND_LATER;
	cpu_loop(t, level, NULL, stop, last_pass, false);
	t->found = FOUND_NOT;
}

static void
print_side_by_side(Plan *t, int level, const char *stop, bool last_pass)
{
	Emit *e = t->k->e;

	emit_open(e, "for (; %s - e%d >= NESL_LANES; e%d += NESL_LANES) {", stop, level, level);
	cpu_ahead(t, "NESL_AHEAD", level, last_pass);
	cpu_side_by_side(t, level, last_pass, "lane_");
	emit_close(e, "}");
}

/* All of them, one after the other. */
void
cpu_all(Plan *t, int level, const char *from, const char *stop, bool last_pass)
{
	const char *some = not_found(t, level);
	const bool map = is_map(t, level), side_by_side = !(map && has_vectors(t, level)) && !cpu_lanes_serve(t, level)
		&& few_in_order(t, level, last_pass);

	if (some) {
		print_found_loop(t, level, from, stop, last_pass, some);
		return;
	}
	if (side_by_side && from)
		emit_line(t->k->e, "i64 e%d = %s;", level, from);
	if (side_by_side)
		print_side_by_side(t, level, stop, last_pass);
	cpu_loop(t, level, side_by_side ? NULL : from, stop, last_pass, map && !side_by_side);
}

/* Is the last of some that are equal all that is made of a row's elements? */
static bool
only_gives_last(const Plan *t)
{
	bool any = false;

	for (int i = 0; i < t->n; i++) {
		const Step *s = &t->step[i];

		if (cpu_lane_gives_last(s, 2))
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
		if (cpu_lane_gives_last(s = &t->step[i], 2))
			emit_line(e, "%s %s = %s;", cpu_step_type(s), cpu_step_so_far(t, s), cpu_step_identity(t, s));
	emit_line(e, "const i64 begin_ = e2;");
	emit_open(e, "for (e2 = %s; e2-- > begin_;) {", stop);
	cpu_element(t, 2, false);
	emit_close(e, "}");
	t->behind = false;
	emit_line(e, "e2 = %s;", stop);
	for (int i = 0; i < t->n; i++)
		if (cpu_lane_gives_last(s = &t->step[i], 2))
			emit_line(e, "%s = %s;", cpu_step_so_far(t, s),
				cpu_combine_as_ints(t->k, s->b, cpu_step_name(t, s, "_rest"), cpu_step_so_far(t, s)));
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
	const bool lanes = cpu_lanes_serve(t, level);
	Run r = {.t = t, .level = level, .last_pass = last_pass, .need = need};
	bool runs;

	for (int i = 0; i < t->n; i++)
		used[i] = t->step[i].used;
	print_row_begin(t);
	cpu_run_settle(&r);
	runs = cpu_pieces_serve(&r);
	if (from && (lanes || runs)) {
		emit_line(t->k->e, "i64 e%d = %s;", level, from);
		from = NULL;
	}
	if (runs)
		cpu_pieces(&r, stop);
	else if (lanes)
		cpu_lanes(&r, stop);
	cpu_run_settle(&r);
	for (int i = 0; i < t->n; i++) {
		t->step[i].need = need[i];
		t->step[i].used = used[i];
	}
	if (runs)               /* what is left is outside, or few */
		cpu_loop(t, level, from, stop, last_pass, false);
	else if (lanes && level == 2 && only_gives_last(t))
		print_from_behind(t, stop);
	else
		cpu_all(t, level, from, stop, last_pass);
}

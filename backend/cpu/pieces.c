/* pieces.c: runs of elements, cut where what holds of them ends.
 *
 * In   a run of elements (elements.h)
 * Out  a loop for each piece, before which is asked once what holds of all its elements
 * How  Where the place in a row is compared with a number that the row has, as for each operand of an append, the run is cut there
 *      (index set splitting: Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 5.6).  What is kept has
 *      room if all of the run has.  What does not hold ends the pieces, and the plain loop goes on. */
#include "backend/cpu/elements.h"
#include <string.h>

enum {
	MOST_PIECES = 8,        /* texts of the loop */
	MOST_ADDED = 1 << 20    /* to a place, so that it does not wrap */
};

/* A place in the run, and a number near 0 that the program says, which does not wrap: at the next element, from which it goes up; NULL: it is
 * not that. */
static const char *
place_in_run(const Run *r, Opnd o)
{
	const Step *s = cpu_step(r->t, o);
	bool near = cpu_run_counter(r->t, r->level, o);

	for (int i = 0; s && s->level == r->level && s->b->narg == 2 && !near && i < 2; i++) {
		const Opnd n = s->b->arg[1 - i];

		near = (s->b->op == LCU_add || (s->b->op == LCU_sub && i == 0)) && cpu_run_counter(r->t, r->level, s->b->arg[i])
			&& n.kind == OPND_INT && n.u.i > -MOST_ADDED && n.u.i < MOST_ADDED && r->t->k->p->int_bits == 64;
	}
	return near ? cpu_run_goes_up(r, o) : NULL;
}

/* A comparison that depends on the place alone: with k, of what at the next element is `at`, and goes up by one, or down.  at NULL: it is none. */
typedef struct {
	const char *at;
	Opnd k;
	bool turned, down;
} Compared;

/* Whether they are equal can be asked of what wraps, too: so many elements are before that at which they are. */
static Compared
compared_place(const Run *r, const Step *s)
{
	const bool equal = s->b->op == LCU_eq || s->b->op == LCU_ne;

	for (int i = 0; i < 2; i++) {
		Compared c = {.k = s->b->arg[1 - i], .turned = i};

		if (!cpu_run_fixes(r, c.k) || opnd_ty(c.k)->kind != TY_INT)
			continue;
		c.at = equal ? cpu_run_goes_up(r, s->b->arg[i]) : place_in_run(r, s->b->arg[i]);
		c.down = equal && !c.at;
		if (c.down)
			c.at = cpu_run_goes_down(r, s->b->arg[i]);
		if (c.at)
			return c;
	}
	return (Compared){NULL};
}

/* What decides o, a condition of the run's elements: what all of the run have in common, or a comparison of the place in the run; NULL:
 * there is none of this kind. */
static Step *
decides(const Run *r, Opnd o, bool common)
{
	Step *s = cpu_step(r->t, o = cpu_plan_is(r->t, o)), *of = NULL;

	if (s && s->level < r->level && s->b->op == LCU_not && cpu_step(r->t, s->b->arg[0]))
		s = cpu_step(r->t, s->b->arg[0]);
	if (!s || s->level < r->level)
		return common ? s : NULL;
	switch (s->b->op) {
	case LCU_lt: case LCU_le: case LCU_gt: case LCU_ge: case LCU_eq: case LCU_ne:
		return !common && compared_place(r, s).at ? s : NULL;
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

		if (!s->need || s->level != r->level || s->b->op != LCU_select || cpu_run_fixes(r, s->b->arg[0]))
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

/* How what is left compares with the elements up to stop. */
static const char *
room_left(const Run *r, const Step *s, const char *how, const char *stop)
{
	return arena_printf(r->t->k->arena, "%s - %s %s %s - e%d", cpu_step_name(r->t, s, "_end"), cpu_step_name(r->t, s, "_k"), how, stop,
		r->level);
}

static bool
is_fixed_check(const Run *r, const Step *s)
{
	const Opnd holds = s->b->op == LCU_check ? cpu_plan_is(r->t, s->b->arg[0]) : cpu_yes;

	return s->level == r->level && holds.kind == OPND_VAR && cpu_run_fixes(r, holds);
}

/* Whether it is so up to stop that its place is outside of its vector, that too much may be kept, or that a check of what is the
 * same for all fails; NULL: that is not asked. */
static const char *
outside(const Run *r, const Step *s, const char *stop)
{
	const Plan *t = r->t;
	const char *holds;

	if (has_end(r, s))
		return room_left(r, s, "<", stop);
	holds = !s->need ? NULL : is_fixed_check(r, s) ? cpu_operand(t->k, cpu_plan_is(t, s->b->arg[0])) : cpu_run_within(r, s, stop);
	return holds ? arena_printf(t->k->arena, "!%s", holds) : NULL;
}

/* What is kept or checked alone does not make runs: a loop in memory is no faster for it, and its text is twice as long. */
static bool
any_within(const Run *r)
{
	for (int i = 0; i < r->t->n; i++)
		if (r->t->step[i].need && cpu_run_within(r, &r->t->step[i], ""))
			return true;
	return false;
}

/* What is not inside ends the pieces. */
static void
print_outside(const Run *r, const char *stop)
{
	Emit *e = r->t->k->e;
	Map *asked = map_new(r->t->k->arena);

	for (int i = 0; i < r->t->n; i++) {
		const char *one = outside(r, &r->t->step[i], stop);

		if (!one || !cpu_first_time(r->t, asked, one))
			continue;
		emit_open(e, "if (%s)", one);
		emit_line(e, "break;");
		emit_close(e, "");
	}
}

/* The same where there is but one piece: ` && .. && ..` of what must hold. */
static const char *
inside(const Run *r, const char *stop)
{
	Arena *a = r->t->k->arena;
	Map *asked = map_new(a);
	const char *all = "";

	for (int i = 0; i < r->t->n; i++) {
		const Step *s = &r->t->step[i];
		const char *out = outside(r, s, stop);

		if (out && cpu_first_time(r->t, asked, out))
			all = arena_printf(a, "%s && %s", all, has_end(r, s) ? room_left(r, s, ">=", stop) : out + strlen("!"));
	}
	return all;
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
			s->is = known ? &cpu_yes : NULL;
	}
}

/* One piece, to stop.  The few elements that are no whole group of lanes are left to the loop behind all pieces, if this is the only one. */
static void
print_piece(Run *r, const char *stop)
{
	bool few = false;

	if (r->single) {
		cpu_loop(r->t, r->level, NULL, stop, r->last_pass, false);
		return;
	}
	if (cpu_lanes_serve(r->t, r->level))
		few = cpu_lanes(r, stop);
	if (!few || r->pieces > 0)
		cpu_all(r->t, r->level, NULL, stop, r->last_pass);
}

static void print_pieces(Run *r, const char *stop);

static int
steps_where(Run *r, Step *cut, const Opnd *is)
{
	int n = 0;

	cut->is = is;
	cpu_run_settle(r);
	for (int i = 0; i < r->t->n; i++)
		n += r->t->step[i].need && r->t->step[i].level == r->level;
	return n;
}

/* Up to stop the cut is so.  What has fewer steps then than it would have otherwise is not cut again. */
static void
print_pieces_where(Run *r, Step *cut, const Opnd *is, const char *stop)
{
	const bool whole = r->whole;
	const int otherwise = steps_where(r, cut, is == &cpu_yes ? &cpu_no : &cpu_yes);

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
	print_pieces_where(r, cut, first == &cpu_yes ? &cpu_no : &cpu_yes, stop);
	emit_close(e, "}");
	cut->is = NULL;
	cpu_run_settle(r);
}

/* It is so for one, and not for those before (any_before: there may be some) and behind it. */
static void
print_cut_at(Run *r, Step *cut, const Compared *c, bool any_before, const Opnd *is, const char *stop)
{
	Emit *e = r->t->k->e;
	const char *past = arena_printf(r->t->k->arena, "piece%d_", r->pieces), *k = cpu_operand(r->t->k, c->k);

	emit_open(e, "if (%s == %s) {", c->at, k);
	emit_line(e, "const i64 %s = e%d + 1;", past, r->level);
	r->single = true;
	print_pieces_where(r, cut, is, past);
	r->single = false;
	emit_else(e);
	if (any_before)
		emit_line(e, "const i64 %s = e%d + nesl_until(%s, %s, %s - e%d);", past, r->level, c->down ? k : c->at, c->down ? c->at : k, stop, r->level);
	print_pieces_where(r, cut, is == &cpu_yes ? &cpu_no : &cpu_yes, any_before ? past : stop);
	emit_close(e, "}");
	cut->is = NULL;
	cpu_run_settle(r);
}

/* In two, where the cut is decided. */
static void
print_both_sides(Run *r, Step *cut, const char *stop)
{
	Arena *a = r->t->k->arena;
	const int op = cut->b->op;
	const char *k, *left;
	bool below, with;
	Compared c;

	r->pieces++;
	if (cut->level < r->level) {
		print_cut(r, cut, cpu_operand(r->t->k, opnd_var(cut->b->dst[0])), NULL, &cpu_yes, stop);
		return;
	}
	c = compared_place(r, cut);
	if (op == LCU_eq || op == LCU_ne) {
		print_cut_at(r, cut, &c, !same_opnd(c.k, opnd_int(0)) || !cpu_run_counter(r->t, r->level, cut->b->arg[c.turned]),
			op == LCU_eq ? &cpu_yes : &cpu_no, stop);
		return;
	}
	k = cpu_operand(r->t->k, c.k);
	below = (op == LCU_lt || op == LCU_le) != c.turned;     /* it holds for the places that come first */
	with = (op == LCU_le || op == LCU_ge) == below;         /* and they are those up to k, k itself too */
	left = arena_printf(a, "nesl_up_to(%s, %s, %s - e%d%s)%s", c.at, k, stop, r->level, with ? " - 1" : "", with ? " + 1" : "");
	print_cut(r, cut, arena_printf(a, "%s %s %s", c.at, with ? "<=" : "<", k), left, below ? &cpu_yes : &cpu_no, stop);
}

/* The same, where all that is asked holds. */
static void
print_inside(Run *r, const char *stop)
{
	set_within(r, true);
	cpu_run_settle(r);
	print_piece(r, stop);
	set_within(r, false);
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
	print_inside(r, stop);
}

/* Runs long enough for what is asked once for each. */
void
cpu_pieces(Run *r, const char *stop)
{
	Emit *e = r->t->k->e;

	if (!next_cut(r)) {
		emit_open(e, "if (%s - e%d >= %s%s) {", stop, r->level, cpu_finds_places(r->t, r->level) ? "NESL_SOME" : "NESL_RUN", inside(r, stop));
		print_inside(r, stop);
		emit_close(e, "}");
		return;
	}
	emit_open(e, "if (%s - e%d >= NESL_RUN)", stop, r->level);
	emit_open(e, "while (e%d < %s) {", r->level, stop);
	print_pieces(r, stop);
	emit_close(e, "}");
	emit_close(e, "");
}

bool
cpu_pieces_serve(const Run *r)
{
	return next_cut(r) || any_within(r);
}

/* walk.c: the shapes of what each binding makes.  Checks that passed are facts from there on. */
#include "shape/walk.h"
#include "shape/debug.h"
#include "shape/join.h"
#include "shape/made.h"
#include "shape/returns.h"

static Block *walk_block(Walk *w, const Block *b, int nparam, Var *const *param, Shape *yield);

/* -- shapes of operands ----------------------------------------------------------------------------- */

Shape
walk_operand(const Walk *w, Opnd o)
{
	if (o.kind == OPND_VAR)
		return w->shape[o.u.var->id];
	return (Shape){NULL, o.kind == OPND_FLOAT ? size_literal(w->z, o.u.f) : size_int(w->z, o.u.i)};
}

static Shape *
operands(const Walk *w, int n, const Opnd *x)
{
	Shape *s = NEW(w->arena, Shape, n);

	for (int i = 0; i < n; i++)
		s[i] = walk_operand(w, x[i]);
	return s;
}

static Shape
unknown(const Walk *w, const Var *v)
{
	const Ty *e = v->ty->kind == TY_VEC ? v->ty->a : v->ty;
	bool natural = v->natural || e->kind == TY_BOOL || e->kind == TY_SEGDES;

	if (ty_scalar(v->ty))
		return (Shape){NULL, size_unknown(w->z, false, natural)};
	return (Shape){size_unknown(w->z, false, true), size_unknown(w->z, true, natural)};
}

void
walk_shape(Walk *w, const Var *v, Shape s)
{
	w->shape[v->id] = s;
	if (s.length)
		facts_length(w->facts, s.length);
	if (v->ty->kind == TY_SEGDES)
		facts_length(w->facts, size_sum(w->z, s));
	if (w->last)
		shapes_set(w->shapes, v, s);
}

/* -- operators -------------------------------------------------------------------------------------- */

static void
all_unknown(Walk *w, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		walk_shape(w, b->dst[i], unknown(w, b->dst[i]));
}

/* The length of a row of a descriptor whose rows have one that the host has is that, and so what is made by it is made alike.  A row
 * that is not there, which a check tells, has another; but who asked for it gets the number instead (bound). */
static void
length_of_any(Walk *w, const Bind *b, const Shape *arg, Shape *result)
{
	Opnd n;

	if (b->op == FLAN_row_length && !b->lifted && !arg[0].value->vector && sight_number(w, arg[0].value, &n))
		result->value = arg[0].value;
}

static void
operator(Walk *w, const Bind *b)
{
	Shape *arg = operands(w, b->narg, b->arg), *result = NEW(w->arena, Shape, b->ndst);

	if (!rules_shape(w->z, b, arg, result)) {
		all_unknown(w, b);
	} else {
		length_of_any(w, b, arg, result);
		for (int i = 0; i < b->ndst; i++)
			walk_shape(w, b->dst[i], result[i]);
	}
	arena_give_back(w->arena, arg, sizeof *arg * (size_t)b->narg);
	arena_give_back(w->arena, result, sizeof *result * (size_t)b->ndst);
}

static void
chars(Walk *w, const Bind *b)
{
	walk_shape(w, b->dst[0], (Shape){size_int(w->z, b->textlen), size_unknown(w->z, true, false)});
}

/* Is the condition, each of a lifted one, true whatever happens (always), or where we are? */
static bool
proved(Walk *w, const Size *cond, bool *always)
{
	*always = size_is(cond, 1);
	return *always || size_is(facts_normal(w->facts, cond, BY_TASK_CHECK), 1);
}

/* From here on this holds. */
static void
passed(Walk *w, Passed p)
{
	facts_learn(w->facts, p.says, true, p.by);
	LIST_ADD(w->arena, &w->sight.told, ((Told){p.check, true}));
	LIST_ADD(w->arena, &w->sight.passed, p);
	sight_told(w);
}

void
walk_passed(Walk *w, PassedList l)
{
	bool always;

	for (int i = 0; i < l.n; i++)
		if (!proved(w, l.at[i].says, &always))
			passed(w, l.at[i]);
}

static void
cell(Walk *w, const Bind *b)
{
	const Cell *c = cell_find(w->p, b->name);
	const bool peek = b->op == FLAN_peek;
	Shape *s = NEW(w->arena, Shape, b->ndst);
	bool known = true;

	if (peek) {
		s[0] = unknown(w, b->dst[0]);
		cells_any(w->z, c->ty, s + 1);
	} else {
		if (!w->last)
			LIST_ADD(w->arena, &w->readers, ((Reader){c, w->now}));
		cells_read(w->cells, c, s, &known);
	}
	w->never = w->never || !known;
	for (int i = 0; i < b->ndst; i++)
		walk_shape(w, b->dst[i], s[i]);
	if (!peek)
		walk_passed(w, cells_checks(w->cells, c));
}

void
walk_sets(Walk *w, const Entry *e, const Shape *yield)
{
	for (int i = 0; i < e->ncell; i++) {
		const bool told = cells_told(w->cells, e->cell[i], yield), passed = cells_passed(w->cells, e->cell[i], &w->sight.passed);
		TyList l = {0};

		ty_leaves(w->arena, e->cell[i]->ty, false, &l);
		if (told || passed)
			for (int k = 0; k < w->readers.n; k++)
				if (w->readers.at[k].cell == e->cell[i])
					w->readers.at[k].routine->dirty = true;
		yield += l.n;
	}
}

static void
removed(Walk *w, const Bind *b, bool always)
{
	const int n = always ? 0 : w->sight.told.n < MOST_TOLD ? w->sight.told.n : MOST_TOLD;
	Told *told = NEW(w->arena, Told, n);

	for (int i = 0; i < n; i++)
		told[i] = w->sight.told.at[w->sight.told.n - 1 - i];
	shapes_remove(w->shapes, (Removed){b, always, n, told});
}

static void
check(Walk *w, const Bind *b)
{
	const Shape cond = walk_operand(w, b->arg[0]);
	const By by = b->lifted ? BY_TASK_CHECK : BY_HOST_CHECK;
	bool always;

	if (proved(w, cond.value, &always)) {
		if (w->last)
			removed(w, b, always);
		if (w->last && w->debug)
			debug_proved(w, b);
		return;
	}
	made_emit(w, b);
	passed(w, (Passed){b, facts_normal(w->facts, cond.value, by), by});
	sight_equal(w, cond);
}

/* -- calls ------------------------------------------------------------------------------------------ */

/* A scalar function for each element. */
static void
call_each(Walk *w, const Bind *b)
{
	const Size *n = walk_operand(w, b->arg[0]).value;

	for (int i = 0; i < b->ndst; i++)
		walk_shape(w, b->dst[i], (Shape){n, unknown(w, b->dst[i]).value});
}

const Size **
walk_slots(Walk *w, const Ties *t, const Shape *x)
{
	const Size **slot = NEW(w->arena, const Size *, ties_slots(t));

	ties_of(w->z, t, x, slot);
	for (int i = 0; i < ties_slots(t); i++)
		slot[i] = facts_normal(w->facts, slot[i], BY_HOST_CHECK);
	return slot;
}

static void
calls(Walk *w, Routine *r)
{
	for (int i = 0; i < r->callers.n; i++)
		if (r->callers.at[i] == w->now)
			return;
	LIST_ADD(w->arena, &r->callers, w->now);
}

void
routine_told(Routine *r)
{
	for (int i = 0; i < r->callers.n; i++)
		r->callers.at[i]->dirty = true;
}

/* r is called with these, too. */
static void
called(Walk *w, Routine *r, const Size *const *slot)
{
	if (!ties_meet(w->arena, w->z, r->param, slot, 0, 0))
		return;
	r->changes++;
	r->dirty = true;
	r->passed = (PassedBy){{0}, 0};
	ties_reset(r->result);
	routine_told(r);
}

void
walk_anyhow(Walk *w, Routine *r)
{
	Shape *x = NEW(w->arena, Shape, r->fun->nparam);

	for (int i = 0; i < r->fun->nparam; i++)
		x[i] = unknown(w, r->fun->param[i]);
	called(w, r, walk_slots(w, r->param, x));
}

static void
call(Walk *w, const Bind *b)
{
	Routine *r = walk_routine(w, b->name);
	const Size **out;
	Shape *result;
	Actual what;

	if (!r) {
		all_unknown(w, b);
		return;
	}
	what = (Actual){r, walk_slots(w, r->param, operands(w, b->narg, b->arg)), NULL};
	if (!w->last) {
		called(w, r, what.arg);
		if (ties_none(r->result))
			walk_settled(w, r);
		calls(w, r);
	}
	if (ties_none(r->result)) {
		w->never = true;
		all_unknown(w, b);
		return;
	}
	result = NEW(w->arena, Shape, b->ndst);
	ties_make(w->arena, w->z, r->result, b->dst, returns_actual, &what, result, NULL);
	for (int i = 0; i < b->ndst; i++)
		walk_shape(w, b->dst[i], result[i]);
	what.result = out = NEW(w->arena, const Size *, ties_slots(r->result));
	ties_of(w->z, r->result, result, out);
	walk_passed(w, returns_say(w, &what));
}

/* -- conditionals ----------------------------------------------------------------------------------- */

static void
branch(Walk *w, const Bind *b)
{
	Shape *yield[2] = {NEW(w->arena, Shape, b->ndst), NEW(w->arena, Shape, b->ndst)};
	const Size *cond = walk_operand(w, b->arg[0]).value;
	const int outside = size_unknowns(w->z);
	const Size *there = facts_normal(w->facts, cond, BY_CONDITION);
	Block *arm[2];
	PassedList checks[2] = {{0}};
	bool never[2], waits = false;
	Bind *n;

	for (int k = 0; k < 2; k++) {
		const SightMark before = sight_mark(w);
		const int facts = facts_mark(w->facts), witnesses = debug_mark(w), passed_before = w->sight.passed.n;

		facts_learn(w->facts, cond, k == 0, BY_CONDITION);
		LIST_ADD(w->arena, &w->sight.told, ((Told){b, k == 0}));
		arm[k] = walk_block(w, b->block[k], 0, NULL, yield[k]);
		waits |= w->never && !size_is(there, k);
		never[k] = w->never || size_is(there, k);
		w->never = false;
		facts_forget(w->facts, facts);
		sight_back(w, before);
		debug_forget(w, witnesses);
		for (; w->sight.passed.n > passed_before; w->sight.passed.n--)
			LIST_ADD(w->arena, &checks[k], w->sight.passed.at[w->sight.passed.n - 1]);
	}
	w->never = never[0] && never[1];
	if (w->never && !w->last)
		return;
	if (w->never)
		all_unknown(w, b);
	else
		join_arms(w, b, yield, never, waits, outside);
	if (!w->never && checks[0].n + checks[1].n > 0)
		join_passed(w, b, yield, checks, never, outside);
	if ((n = made_emit(w, b))) {
		n->block = NEW(w->arena, Block *, 2);
		n->block[0] = arm[0];
		n->block[1] = arm[1];
	}
}

/* -- blocks ----------------------------------------------------------------------------------------- */

static void
walk_bind(Walk *w, const Bind *b)
{
	bool made;

	switch (b->op) {
	case FLAN_if:
		branch(w, b);
		if (!w->never || w->last)
			made_bound(w, b->ndst, b->dst, false, b);
		return;
	case FLAN_check:
		check(w, b);
		return;
	case FLAN_call:
		b->lifted ? call_each(w, b) : call(w, b);
		break;
	case FLAN_cell:
	case FLAN_peek:
		cell(w, b);
		break;
	case FLAN_chars:
		chars(w, b);
		break;
	case FLAN_clock:
		sight_clock(w);
		all_unknown(w, b);
		break;
	default:
		b = made_as_many(w, b);
		operator(w, b);
		break;
	}
	made = made_uniform(w, b);
	if (!made && !made_told(w, b) && !made_start(w, b))
		made_emit(w, b);
	made_bound(w, b->ndst, b->dst, made || b->op == FLAN_uniform, b);
}

/* Does it end with a call that a recursive function ends with?  That is a jump (fuse/tail.h), unless something else is given than it gives. */
static bool
jumps(const Walk *w, const Block *b)
{
	const Bind *last = block_tail(b);

	if (!w->now->fun || !w->now->fun->recursive || !last)
		return false;
	if (last->op == FLAN_if)
		return jumps(w, last->block[0]) || jumps(w, last->block[1]);
	return last->op == FLAN_call && !last->lifted && fun_find(w->p, last->name)->recursive;
}

/* param: of the function whose body it is. */
static Block *
walk_block(Walk *w, const Block *b, int nparam, Var *const *param, Shape *yield)
{
	const Bind *before = w->jump;
	Block *outer = w->out, *n = NULL;
	Opnd *y;

	w->jump = jumps(w, b) ? block_tail(b) : NULL;
	if (w->last)
		n = w->out = block_new(w->to);
	made_bound(w, nparam, param, false, NULL);
	for (const Bind *x = b->first; x && !(w->never && !w->last); x = x->next)
		walk_bind(w, x);
	for (int i = 0; i < b->nyield && !(w->never && !w->last); i++)
		yield[i] = walk_operand(w, b->yield[i]);
	if (w->last) {
		y = w->jump ? b->yield : made_all_same(w, b->nyield, b->yield);
		block_yield(w->to, n, b->nyield, y);
	}
	w->jump = before;
	w->out = outer;
	return n;
}

Block *
walk_body(Walk *w, const Block *b, int nparam, Var *const *param, const Shape *in, Shape *yield)
{
	Block *n;

	w->sight.passed.n = 0;
	for (int i = 0; i < nparam; i++)
		walk_shape(w, param[i], in[i]);
	n = walk_block(w, b, nparam, param, yield);
	sight_back(w, (SightMark){0});
	debug_forget(w, 0);
	return n;
}

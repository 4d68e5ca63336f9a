/* walk.c: the shapes of what each binding makes, and in the last walk the bindings that are left.
 *
 * A conditional's results are what both arms give, if it is the same, also if it is the same only under the condition:
 * what has no elements there is as good as any other.  Checks that passed are facts from there on. */
#include <stddef.h>
#include <string.h>
#include "shape/walk.h"
#include "shape/debug.h"
#include "shape/place.h"
#include "shape/returns.h"

struct Known {
	const Size *size;               /* of a descriptor: see key_of */
	Opnd is;
	Shape shape, as;                /* of `is`; by which it is known here */
	bool uniform;                   /* a descriptor that `uniform` makes */
	bool counts;                    /* a number: something that is there has so many elements */
	Opnd given;                     /* of that, what it is in the program that is walked: `is` may have been made here */
	int serial;
	Known *before;
};

/* A vector or a descriptor that has so many elements. */
struct Counted {
	const Size *n;
	Var *of;
	Block *in;                      /* made there, */
	Bind *after;                    /* right behind this; NULL: before all */
	int serial;                     /* in Walk.counted */
	Counted *before;
};

enum { MOST_TOLD = 32 };        /* so many of what was bound last are looked at when more is known */

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

static void
set(Walk *w, const Var *v, Shape s)
{
	w->shape[v->id] = s;
	if (s.length)
		facts_length(w->facts, s.length);
	if (v->ty->kind == TY_SEGDES)
		facts_length(w->facts, size_sum(w->z, s));
	if (w->last)
		shapes_set(w->shapes, v, s);
}

/* -- values in sight -------------------------------------------------------------------------------- */

/* A descriptor is known by its total and its elements: the number of its rows is in the law for that. */
static const Size *
key_of(Walk *w, const Var *v, Shape s)
{
	if (v->ty->kind == TY_SEGDES)
		return size_apply(w->z, FLAN_segdes, false, 0, true, TY_INT, 1, &s);
	return s.value;
}

static void
know(Walk *w, const Var *v, Shape s, Known like)
{
	const Size *key = key_of(w, v, s);
	Known *k = NEW(w->arena, Known, 1);
	void **at = map_at(w->sight.by_size, key);

	*k = like;
	k->size = key;
	k->as = s;
	k->serial = w->sight.known.n;
	k->before = *at;
	*at = k;
	LIST_ADD(w->arena, &w->sight.known, k);
}

static void
forget(Walk *w, int to)
{
	while (w->sight.known.n > to) {
		Known *k = w->sight.known.at[--w->sight.known.n];

		*map_at(w->sight.by_size, k->size) = k->before;
	}
}

/* What is there that v, of this shape, is the same as; NULL: nothing. */
static const Known *
in_sight(Walk *w, const Var *v, Shape s)
{
	const Known *k = *map_at(w->sight.by_size, key_of(w, v, s));

	return k && k->serial >= w->sight.since && opnd_ty(k->is)->kind == v->ty->kind ? k : NULL;
}

static bool
number_in_sight(Walk *w, const Size *n, Opnd *is)
{
	static const Var number = {.ty = &ty_int};
	const Known *k;
	int64_t i;

	if (size_constant(n, &i)) {
		*is = opnd_int(i);
		return true;
	}
	k = in_sight(w, &number, (Shape){NULL, n});
	if (k)
		*is = k->is;
	return k != NULL;
}

static Bind *
last_of(Block *b)
{
	return b->end == &b->first ? NULL : (Bind *)((char *)b->end - offsetof(Bind, next));
}

static void
count(Walk *w, Var *v, const Size *n)
{
	Counted *c = NEW(w->arena, Counted, 1);
	void **at = map_at(w->sight.by_count, n);

	*c = (Counted){n, v, w->out, last_of(w->out), w->sight.counted.n, *at};
	*at = c;
	LIST_ADD(w->arena, &w->sight.counted, c);
}

static void
discount(Walk *w, int to)
{
	while (w->sight.counted.n > to) {
		Counted *c = w->sight.counted.at[--w->sight.counted.n];

		*map_at(w->sight.by_count, c->n) = c->before;
	}
}

/* It is what it was known to be, by this shape too. */
static void
know_also(Walk *w, const Var *v, Shape s, Known like)
{
	if (!in_sight(w, v, s))
		know(w, v, s, like);
}

/* As all says that is known where we are. */
static Shape
shape_there(Walk *w, Shape s)
{
	return (Shape){facts_normal(w->facts, s.length, BY_TASK_CHECK), facts_normal(w->facts, s.value, BY_TASK_CHECK)};
}

/* More is known: of descriptors in sight, too. */
static void
told_more(Walk *w)
{
	for (int i = w->sight.known.n - 1, tried = 0; i >= w->sight.since && tried < MOST_TOLD; i--, tried++) {
		const Known *k = w->sight.known.at[i];

		if (opnd_ty(k->is)->kind == TY_SEGDES)
			know_also(w, k->is.u.var, shape_there(w, k->shape), *k);
	}
}

/* The lengths of rows were compared, and are equal: descriptors of the ones are those of the others.  (As an equation it would
 * be lost where it is of no atom that stands alone, as in x = n - x, or counts places: that is said of as many rows only.) */
static void
told_equal(Walk *w, Shape truth)
{
	const Atom *a = size_atom(truth.value);

	if (!a || a->op != FLAN_eq || !truth.value->vector)
		return;
	for (int i = w->sight.known.n - 1, tried = 0; i >= w->sight.since && tried < MOST_TOLD; i--, tried++) {
		const Known *k = w->sight.known.at[i];
		Shape s = k->as;

		if (opnd_ty(k->is)->kind != TY_SEGDES || (s.value != a->arg[0].value && s.value != a->arg[1].value)
		    || (a->counts && shape_there(w, s).length != shape_there(w, truth).length))
			continue;
		s.value = a->arg[s.value == a->arg[0].value].value;
		know_also(w, k->is.u.var, s, *k);
		know_also(w, k->is.u.var, shape_there(w, s), *k);
	}
}

static Opnd
same(const Walk *w, Opnd o)
{
	return o.kind == OPND_VAR && w->is_same[o.u.var->id] ? w->same[o.u.var->id] : o;
}

static Opnd *
all_same(const Walk *w, int n, const Opnd *x)
{
	Opnd *y = NEW(w->arena, Opnd, n);

	for (int i = 0; i < n; i++)
		y[i] = same(w, x[i]);
	return y;
}

/* Are its elements ints that are all one number which the host has, whatever checks find? */
static bool
all_one(Walk *w, Opnd o, Opnd *is)
{
	const Shape s = walk_operand(w, o);

	return o.kind == OPND_VAR && o.u.var->ty->kind == TY_VEC && o.u.var->ty->a->kind == TY_INT && !s.value->vector
		&& number_in_sight(w, s.value, is);
}

/* Where another operand is a vector, what is such a number for each element is that number. */
static void
numbers_for_vectors(Walk *w, const Bind *b, Opnd *arg)
{
	Opnd is;
	bool other = false;

	for (int i = 0; i < b->narg; i++)
		other |= is_vector(b->arg[i]) && !all_one(w, b->arg[i], &is);
	for (int i = 0; i < b->narg && other; i++)
		if (all_one(w, b->arg[i], &is))
			arg[i] = is;
}

/* b over what stands for its operands, at the end of what is made. */
static Bind *
emit(Walk *w, const Bind *b)
{
	Bind *n;

	if (!w->last)
		return NULL;
	n = NEW(w->arena, Bind, 1);
	*n = *b;
	n->next = NULL;
	n->arg = all_same(w, b->narg, b->arg);
	n->way = all_same(w, b->nway, b->way);
	if (b->lifted && (flan_ir.op[b->op].cls == OP_SCALAR || b->op == FLAN_check))
		numbers_for_vectors(w, b, n->arg);
	*w->out->end = n;
	w->out->end = &n->next;
	return n;
}

/* -- what is bound ---------------------------------------------------------------------------------- */

/* A number of the host that op, of flan, gives for x, where n is what it is. */
static Opnd
ask(Walk *w, int op, Opnd x, const Size *n, Span span)
{
	Bind *b = bind_new(w->to, w->out, op, 1, 1, 0, span);
	Var *v = var_new(w->to, "n", &ty_int);

	b->arg[0] = x;
	b->dst[0] = v;
	shapes_set(w->shapes, v, (Shape){NULL, n});
	know(w, v, (Shape){NULL, n}, (Known){.is = opnd_var(v)});
	return opnd_var(v);
}

/* How many elements it has, asked where it is made: nothing lives longer to be asked for its length. */
static Opnd
ask_there(Walk *w, const Counted *c, Span span)
{
	Block *out = w->out, *made = block_new(w->to);
	Bind **at = c->after ? &c->after->next : &c->in->first, *b;
	Opnd is;

	w->out = made;
	is = ask(w, c->of->ty->kind == TY_SEGDES ? FLAN_total : FLAN_length, same(w, opnd_var(c->of)), c->n, span);
	w->out = out;
	b = made->first;
	b->next = *at;
	*at = b;
	if (!b->next)
		c->in->end = &b->next;
	return is;
}

/* The number n, of the host: in sight, or how many elements something has that is.  A total may have to be waited for, so only one
 * that is made as surely as it is wanted. */
static bool
asked(Walk *w, const Size *n, Span span, Opnd *is)
{
	const Counted *c = *map_at(w->sight.by_count, n);

	if (number_in_sight(w, n, is))
		return true;
	if (!c || c->serial < w->sight.counts_since || (c->of->ty->kind == TY_SEGDES && c->in != w->out))
		return false;
	*is = ask_there(w, c, span);
	return true;
}

/* Or the sum of two of these. */
static bool
added(Walk *w, const Size *n, Span span, Opnd *is)
{
	Opnd x[2];
	Bind *b;

	if (asked(w, n, span, is))
		return true;
	for (int i = w->sight.counted.n - 1, tried = 0; i >= w->sight.counts_since && tried < MOST_TOLD; i--, tried++) {
		const Counted *c = w->sight.counted.at[i];

		if (!asked(w, size_sub(w->z, n, c->n), span, &x[1]))
			continue;
		if (!asked(w, c->n, span, &x[0]))
			continue;
		b = bind_new(w->to, w->out, FLAN_add, 1, 2, 0, span);
		b->dst[0] = var_new(w->to, "n", &ty_int);
		b->arg[0] = x[0];
		b->arg[1] = x[1];
		*is = opnd_var(b->dst[0]);
		shapes_set(w->shapes, b->dst[0], (Shape){NULL, n});
		know(w, b->dst[0], (Shape){NULL, n}, (Known){.is = *is});
		return true;
	}
	return false;
}

/* In the last walk makes a descriptor that is as v, if its rows have one length that the host has: v itself, or another
 * one.  NULL: it has none.  op: what tells of x how many rows. */
static Var *
uniform(Walk *w, Var *v, bool another, int op, Opnd x, Span span)
{
	const Shape s = w->shape[v->id];
	Opnd n, k;
	Bind *b;

	if (!w->last || s.value->vector || (s.value != s.length && !number_in_sight(w, s.value, &k)))
		return NULL;
	if (!number_in_sight(w, s.length, &n))
		n = ask(w, op, x, s.length, span);
	if (s.value == s.length)
		k = n;
	b = bind_new(w->to, w->out, FLAN_uniform, 1, 2, 0, span);
	b->arg[0] = n;
	b->arg[1] = k;
	b->dst[0] = another ? var_new(w->to, v->name, v->ty) : v;
	shapes_set(w->shapes, b->dst[0], s);
	return b->dst[0];
}

/* Is what b makes so made, instead of by b? */
static bool
made_uniform(Walk *w, const Bind *b)
{
	const bool lengths = b->op == FLAN_segdes || b->op == FLAN_segdes_of;

	return (lengths || b->op == FLAN_compose)
		&& uniform(w, b->dst[0], false, lengths ? FLAN_length : FLAN_rows, same(w, b->arg[0]), b->span);
}

/* Does the host know how many elements the descriptor that b makes has?  Then b says so. */
static bool
made_told(Walk *w, const Bind *b)
{
	Opnd total;
	Bind *n;

	if (!w->last || b->op != FLAN_segdes || !added(w, size_sum(w->z, w->shape[b->dst[0]->id]), b->span, &total))
		return false;
	n = bind_new(w->to, w->out, FLAN_segdes_of, 1, 2, 0, b->span);
	n->arg[0] = same(w, b->arg[0]);
	n->arg[1] = total;
	n->dst[0] = b->dst[0];
	return true;
}

/* Where rows begin that have one length which the host has, if they are there whatever checks find. */
static bool
made_start(Walk *w, const Bind *b)
{
	Opnd k;
	Bind *n;

	if (!w->last || b->op != FLAN_row_start || !b->lifted)
		return false;
	const Shape s = walk_operand(w, b->arg[0]), at = walk_operand(w, b->arg[1]);
	if (s.value->vector || !place_below(w->z, at, s.length) || !number_in_sight(w, s.value, &k))
		return false;
	n = bind_new(w->to, w->out, FLAN_mul, 1, 2, 0, b->span);
	n->lifted = true;
	n->arg[0] = same(w, b->arg[1]);
	n->arg[1] = k;
	n->dst[0] = b->dst[0];
	return true;
}

/* From here on v is there, or what it is the same as.
 *
 * A descriptor becomes one that is in sight also if they are the same only where the checks so far have passed, and so
 * does all that is made of it: if one has not, what is computed is other than the program's, of sizes that are there.
 * made: it is made by `uniform`, which is better than offsets of rows that are the same whatever checks find. */
static void
descriptor_bound(Walk *w, Var *v, bool made, Span span)
{
	const Shape s = w->shape[v->id];
	const Known *k = in_sight(w, v, s);
	const bool better = k && made && !k->uniform && key_of(w, v, k->shape) == key_of(w, v, s);
	Known new;
	Var *u = NULL;

	if (!k)
		k = in_sight(w, v, shape_there(w, s));
	if (k && !better) {
		w->same[v->id] = k->is;
		w->is_same[v->id] = true;
		set(w, v, k->shape);
		return;
	}
	if (!made)
		u = uniform(w, v, true, FLAN_rows, opnd_var(v), span);
	new = (Known){.is = opnd_var(u ? u : v), .shape = s, .uniform = made || u};
	know(w, v, s, new);
	know_also(w, v, shape_there(w, s), new);
	w->is_same[v->id] = u != NULL;
	w->same[v->id] = opnd_var(u ? u : v);
}

/* And if it is asked for, what is known of it is checked. */
static void
bound(Walk *w, Var *v, bool made, const Bind *by)
{
	const Shape s = w->shape[v->id];
	const Span span = by ? by->span : (Span){0};

	if (v->ty->kind == TY_SEGDES) {
		descriptor_bound(w, v, made, span);
	} else if (v->ty->kind == TY_INT) {
		w->is_same[v->id] = number_in_sight(w, s.value, &w->same[v->id]);
		if (!w->is_same[v->id])
			know(w, v, s, (Known){.is = opnd_var(v), .shape = s});
	}
	if (w->last && !ty_scalar(v->ty))
		count(w, v, v->ty->kind == TY_SEGDES ? size_sum(w->z, s) : s.length);
	if (w->debug && w->last && !(by && by == w->jump))
		debug_bound(w, v, s, by);
}

/* Numbers first.  by: what binds them; NULL: they are parameters. */
static void
all_bound(Walk *w, int n, Var *const *v, bool made, const Bind *by)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < n; i++)
			if ((v[i]->ty->kind == TY_SEGDES) == round)
				bound(w, v[i], made, by);
}

/* -- operators -------------------------------------------------------------------------------------- */

static void
all_unknown(Walk *w, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		set(w, b->dst[i], unknown(w, b->dst[i]));
}

/* The length of a row of a descriptor whose rows have one that the host has is that, and so what is made by it is made alike.  A row
 * that is not there, which a check tells, has another; but who asked for it gets the number instead (bound). */
static void
length_of_any(Walk *w, const Bind *b, const Shape *arg, Shape *result)
{
	Opnd n;

	if (b->op == FLAN_row_length && !b->lifted && !arg[0].value->vector && number_in_sight(w, arg[0].value, &n))
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
			set(w, b->dst[i], result[i]);
	}
	arena_give_back(w->arena, arg, sizeof *arg * (size_t)b->narg);
	arena_give_back(w->arena, result, sizeof *result * (size_t)b->ndst);
}

static void
chars(Walk *w, const Bind *b)
{
	set(w, b->dst[0], (Shape){size_int(w->z, b->textlen), size_unknown(w->z, true, false)});
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
	told_more(w);
}

/* And this, as far as it is not known. */
static void
all_passed(Walk *w, PassedList l)
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
		set(w, b->dst[i], s[i]);
	if (!peek)
		all_passed(w, cells_checks(w->cells, c));
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
	emit(w, b);
	passed(w, (Passed){b, facts_normal(w->facts, cond.value, by), by});
	told_equal(w, cond);
}

/* -- calls ------------------------------------------------------------------------------------------ */

/* A scalar function for each element. */
static void
call_each(Walk *w, const Bind *b)
{
	const Size *n = walk_operand(w, b->arg[0]).value;

	for (int i = 0; i < b->ndst; i++)
		set(w, b->dst[i], (Shape){n, unknown(w, b->dst[i]).value});
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
		set(w, b->dst[i], result[i]);
	what.result = out = NEW(w->arena, const Size *, ties_slots(r->result));
	ties_of(w->z, r->result, result, out);
	all_passed(w, returns_say(w, &what));
}

/* -- conditionals ----------------------------------------------------------------------------------- */

typedef struct Arms {
	const Size **slot[2];
	const Shape *yield[2];
} Arms;

static bool
empty(Walk *w, Shape x)
{
	return size_is(facts_normal(w->facts, x.length, BY_CONDITION), 0);
}

/* Where neither has any, their elements are the same. */
static bool
no_elements(Walk *w, const Ties *t, int i, const Shape *x, const Shape *y)
{
	int v = ties_elements(t, i);

	return v >= 0 && empty(w, x[v]) && empty(w, y[v]);
}

/* Where the condition is as in arm k: is what the arm gives in slot i the same as `size`, what the other gives? */
static bool
same_there(Walk *w, const Arms *a, const Ties *t, int k, int i)
{
	const Size *own = facts_normal(w->facts, a->slot[k][i], BY_CONDITION);
	const Size *other = facts_normal(w->facts, a->slot[1 - k][i], BY_CONDITION);

	return own == other || no_elements(w, t, i, a->yield[k], a->yield[1 - k]);
}

/* What slots are the same whichever arm is taken: both become what one gives, if that is known outside. */
static void
agree(Walk *w, Arms *a, const Ties *t, const Size *cond, int outside)
{
	for (int k = 0; k < 2; k++) {
		int mark = facts_mark(w->facts);

		facts_learn(w->facts, cond, k == 0, BY_CONDITION);
		for (int i = 0; i < ties_slots(t); i++)
			if (a->slot[1 - k][i]->newest < outside && a->slot[0][i] != a->slot[1][i] && same_there(w, a, t, k, i))
				a->slot[k][i] = a->slot[1 - k][i];
		facts_forget(w->facts, mark);
	}
}

static const Ty **
types(const Walk *w, const Bind *b)
{
	const Ty **ty = NEW(w->arena, const Ty *, b->ndst);

	for (int i = 0; i < b->ndst; i++)
		ty[i] = b->dst[i]->ty;
	return ty;
}

/* waits: nothing is known yet of what one arm's calls give. */
static void
join(Walk *w, const Bind *b, Shape *const yield[2], const bool never[2], bool waits, int outside)
{
	Ties *t = ties_new(w->arena, b->ndst, types(w, b));
	Arms a = {.yield = {yield[0], yield[1]}};
	Shape *x = NEW(w->arena, Shape, b->ndst);

	for (int k = 0; k < 2; k++) {
		a.slot[k] = NEW(w->arena, const Size *, ties_slots(t));
		if (!never[k])
			ties_of(w->z, t, yield[k], a.slot[k]);
	}
	if (!never[0] && !never[1])
		agree(w, &a, t, walk_operand(w, b->arg[0]).value, outside);
	for (int k = 0; k < 2; k++)
		if (!never[k])
			ties_meet(w->arena, w->z, t, a.slot[k], 0, outside);
	ties_make(w->arena, w->z, t, b->dst, NULL, NULL, x, NULL);
	for (int i = 0; i < b->ndst; i++) {
		if (waits && x[i].length && size_is(x[i].length, 0))
			x[i].value = size_nowhere(w->z);
		set(w, b->dst[i], x[i]);
	}
}

/* An arm: what it has checked, and how that is told outside. */
typedef struct Arm {
	const PassedList *passed;
	Ends ends;
	PassedList outside;
} Arm;

/* Of what the other arm has checked, what holds where arm k ends, by what is as strong. */
static PassedList
hold_too(Walk *w, const Size *cond, int k, const Arm *arm)
{
	const PassedList *own = arm[k].passed, *other = &arm[1 - k].outside;
	const int mark = facts_mark(w->facts);
	PassedList l = {0};

	if (other->n > 0)
		facts_learn(w->facts, cond, k == 0, BY_CONDITION);
	for (int i = 0; i < own->n && i < MOST_TOLD && other->n > 0; i++)
		facts_learn(w->facts, own->at[i].says, true, own->at[i].by);
	for (int i = 0; i < other->n && i < MOST_TOLD; i++) {
		const Size *says = returns_inwards(w, other->at[i].says, &arm[k].ends);

		if (size_is(facts_normal(w->facts, says, other->at[i].by), 1))
			LIST_ADD(w->arena, &l, other->at[i]);
	}
	facts_forget(w->facts, mark);
	return l;
}

/* In the order that they were first thought of, so that what recursion makes of one comes behind it. */
static void
put_in_order(Arena *a, PassedList *l, Passed p)
{
	int i = l->n;

	LIST_ADD(a, l, p);
	for (; i > 0 && l->at[i - 1].says->number > p.says->number; i--)
		l->at[i] = l->at[i - 1];
	l->at[i] = p;
}

/* What both arms have checked holds behind them; and what one has, if the other does not come to its end. */
static void
both_passed(Walk *w, const Bind *b, Shape *const yield[2], const PassedList checks[2], const bool never[2], int outside)
{
	const Ties *t = ties_new(w->arena, b->ndst, types(w, b));
	const Size *cond = walk_operand(w, b->arg[0]).value;
	const Size **to = NEW(w->arena, const Size *, ties_slots(t)), **from;
	Shape *result = NEW(w->arena, Shape, b->ndst);
	PassedList both = {0};
	Arm arm[2];

	for (int i = 0; i < b->ndst; i++)
		result[i] = w->shape[b->dst[i]->id];
	ties_of(w->z, t, result, to);
	for (int k = 0; k < 2; k++) {
		from = NEW(w->arena, const Size *, ties_slots(t));
		arm[k] = (Arm){&checks[k], {t, from, to, 0, outside}, {0}};
		if (never[k])
			continue;
		ties_of(w->z, t, yield[k], from);
		arm[k].outside = returns_outwards(w, &checks[k], &arm[k].ends);
	}
	for (int k = 0; k < 2; k++) {
		const PassedList l = never[1 - k] ? arm[k].outside : hold_too(w, cond, 1 - k, arm);

		for (int i = 0; i < l.n; i++)
			put_in_order(w->arena, &both, l.at[i]);
	}
	all_passed(w, both);
}

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
		int mark = facts_mark(w->facts), known = w->sight.known.n, since = w->sight.since, witnesses = debug_mark(w), told = w->sight.told.n,
			before = w->sight.passed.n, counted = w->sight.counted.n, counts_since = w->sight.counts_since;

		facts_learn(w->facts, cond, k == 0, BY_CONDITION);
		LIST_ADD(w->arena, &w->sight.told, ((Told){b, k == 0}));
		arm[k] = walk_block(w, b->block[k], 0, NULL, yield[k]);
		waits |= w->never && !size_is(there, k);
		never[k] = w->never || size_is(there, k);
		w->never = false;
		facts_forget(w->facts, mark);
		forget(w, known);
		discount(w, counted);
		debug_forget(w, witnesses);
		w->sight.told.n = told;
		for (; w->sight.passed.n > before; w->sight.passed.n--)
			LIST_ADD(w->arena, &checks[k], w->sight.passed.at[w->sight.passed.n - 1]);
		w->sight.since = since;
		w->sight.counts_since = counts_since;
	}
	w->never = never[0] && never[1];
	if (w->never && !w->last)
		return;
	if (w->never)
		all_unknown(w, b);
	else
		join(w, b, yield, never, waits, outside);
	if (!w->never && checks[0].n + checks[1].n > 0)
		both_passed(w, b, yield, checks, never, outside);
	if ((n = emit(w, b))) {
		n->block = NEW(w->arena, Block *, 2);
		n->block[0] = arm[0];
		n->block[1] = arm[1];
	}
}

/* -- how many elements are made --------------------------------------------------------------------- */

/* Which operand says of how many elements is what b makes?  -1: none. */
static int
count_operand(const Bind *b)
{
	if (b->lifted || (b->op != FLAN_iota && b->op != FLAN_dist))
		return -1;
	return b->op == FLAN_dist;
}

/* b, or what makes of as many elements as something that is there, if the number is the same where the checks so far have passed: as for
 * descriptors (descriptor_bound). */
static const Bind *
as_many_as_there(Walk *w, const Bind *b)
{
	const int of = count_operand(b);
	const Opnd is = of < 0 ? opnd_int(0) : same(w, b->arg[of]);
	const Size *n, *there;
	Bind *like;

	if (is.kind != OPND_VAR)
		return b;
	n = walk_operand(w, b->arg[of]).value;
	there = shape_there(w, (Shape){NULL, n}).value;
	for (int i = w->sight.known.n - 1, tried = 0; i >= w->sight.since && tried < MOST_TOLD; i--) {
		const Known *k = w->sight.known.at[i];

		if (!k->counts)
			continue;
		tried++;
		if (k->size == n)
			return b;
		if (shape_there(w, k->shape).value != there)
			continue;
		like = NEW(w->arena, Bind, 1);
		*like = *b;
		like->arg = NEW(w->arena, Opnd, b->narg);
		memcpy(like->arg, b->arg, sizeof *b->arg * (size_t)b->narg);
		like->arg[of] = k->given;
		return like;
	}
	know(w, is.u.var, (Shape){NULL, n}, (Known){.is = is, .given = b->arg[of], .shape = {NULL, n}, .counts = true});
	return b;
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
			all_bound(w, b->ndst, b->dst, false, b);
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
		w->sight.since = w->sight.known.n;
		w->sight.counts_since = w->sight.counted.n;
		all_unknown(w, b);
		break;
	default:
		b = as_many_as_there(w, b);
		operator(w, b);
		break;
	}
	made = made_uniform(w, b);
	if (!made && !made_told(w, b) && !made_start(w, b))
		emit(w, b);
	all_bound(w, b->ndst, b->dst, made || b->op == FLAN_uniform, b);
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
	all_bound(w, nparam, param, false, NULL);
	for (const Bind *x = b->first; x && !(w->never && !w->last); x = x->next)
		walk_bind(w, x);
	for (int i = 0; i < b->nyield && !(w->never && !w->last); i++)
		yield[i] = walk_operand(w, b->yield[i]);
	if (w->last) {
		y = w->jump ? b->yield : all_same(w, b->nyield, b->yield);
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

	w->sight.since = w->sight.counts_since = 0;
	w->sight.told.n = w->sight.passed.n = 0;
	for (int i = 0; i < nparam; i++)
		set(w, param[i], in[i]);
	n = walk_block(w, b, nparam, param, yield);
	forget(w, 0);
	discount(w, 0);
	debug_forget(w, 0);
	return n;
}

/* level.c: the levels of a context, and values from level to level.
 *
 * A value of an enclosing level is reached through the ancestor row: scalars are gathered, sequences
 * become views of what is there, so that nothing is copied per element (see represent.h). */
#include "flatten/flattener.h"

Level *
level_new(Flattener *f, Level *parent, Opnd count)
{
	Level *lv = NEW(f->arena, Level, 1);

	lv->parent = parent;
	lv->count = count;
	lv->span = f->span;
	return lv;
}

static int
depth(const Level *lv)
{
	int n = 0;

	for (; lv->parent; lv = lv->parent)
		n++;
	return n;
}

Level *
deeper(Level *a, Level *b)
{
	return depth(b) > depth(a) ? b : a;
}

static Opnd
origin(Flattener *f, const Level *lv)
{
	if (lv->split)
		return opnd_var(lv->origin);
	if (!lv->segdes)
		ice(f->span, "flatten", "a level without origin");
	return EMIT(f, FLAN_rowid, false, &ty_ints, opnd_var(lv->segdes));
}

Opnd
ancestor(Flattener *f, Level *from, Level *to)
{
	Opnd up;

	if (!from->parent)
		ice(f->span, "flatten", "a value from a level outside its context");
	if (from->parent == to)
		return origin(f, from);
	up = ancestor(f, from->parent, to);
	return EMIT(f, FLAN_gather, false, &ty_ints, up, origin(f, from));
}

Opnd
inhabited(Flattener *f, Level *lv)
{
	Level *cur = f->cur;
	Opnd yes, no;

	if (lv == cur)
		return opnd_bool(true);
	if (!lv->parent)
		return cur->nonempty ? opnd_bool(true)
		                     : SCALAR_OP(f, FLAN_gt, &ty_bool, cur->count, opnd_int(0));
	if (cur->parent == lv && cur->segdes) {
		Opnd n = EMIT(f, FLAN_lengths, false, &ty_ints, opnd_var(cur->segdes));

		return SCALAR_OP(f, FLAN_gt, &ty_bool, n, opnd_int(0));
	}
	yes = EMIT(f, FLAN_dist, false, &ty_bools, opnd_bool(true), cur->count);
	no = EMIT(f, FLAN_dist, false, &ty_bools, opnd_bool(false), lv->count);
	return EMIT(f, FLAN_put, false, &ty_bools, yes, ancestor(f, cur, lv), no);
}

/* -- ways out -------------------------------------------------------------------------------------- */

static void
add_step(Flattener *f, Way *w, int64_t step)
{
	LIST_ADD(f->arena, w, opnd_int(step));
}

/* From lv to its parent. */
static void
step_out(Flattener *f, const Level *lv, Way *w)
{
	if (lv->split)
		LIST_ADD(f->arena, w, opnd_var(lv->origin));
	else if (lv->segdes)
		LIST_ADD(f->arena, w, opnd_var(lv->segdes));
	else
		add_step(f, w, WAY_HOST);
}

/* Rows of a function's entry are at the end of a way.  All of a library function stands where it is used, its
 * apply-to-eaches too: their indices are no business of the program's. */
static void
steps_out(Flattener *f, const Level *from, const Level *to, Span at, Way *w)
{
	for (; from != to && !from->entry; from = from->parent) {
		step_out(f, from, w);
		if (!from->split && span_equal(from->span, at))
			add_step(f, w, WAY_HIDDEN);
	}
}

/* From an instance of the ancestor `to` in to its first descendant at `from`. */
static void
step_in(Flattener *f, const Level *from, const Level *to, Way *w)
{
	if (from == to)
		return;
	add_step(f, w, depth(from) - depth(to));
	for (; from != to; from = from->parent)
		step_out(f, from, w);
}

static void
add_steps(Flattener *f, Way *to, const Way *steps)
{
	for (int i = 0; i < steps->n; i++)
		LIST_ADD(f->arena, to, steps->at[i]);
}

static void way_from(Flattener *f, const Level *cur, const Level *lv, Span at, Way *w);

/* From a row of the levels part[0] .. part[n - 1], one after the other. */
static void
steps_of_parts(Flattener *f, int n, Level *const *part, Span at, Way *w)
{
	Way first = {0}, others = {0};

	way_from(f, part[0], part[0], at, &first);
	if (n == 1) {
		add_steps(f, w, &first);
		return;
	}
	steps_of_parts(f, n - 1, part + 1, at, &others);
	add_step(f, w, WAY_PARTS);
	LIST_ADD(f->arena, w, part[0]->count);
	add_step(f, w, first.n);
	add_step(f, w, others.n);
	add_steps(f, w, &first);
	add_steps(f, w, &others);
}

/* What is hoisted stands in the program where its first descendant is. */
static void
way_from(Flattener *f, const Level *cur, const Level *lv, Span at, Way *w)
{
	if (cur->npart > 1) {
		steps_of_parts(f, cur->npart, cur->part, at, w);
		return;
	}
	step_in(f, cur, lv, w);
	for (const Hoist *h = f->hoist; h; h = h->outer) {
		steps_out(f, cur, h->base, at, w);
		step_in(f, h->from, h->base, w);
		cur = h->from;
	}
	steps_out(f, cur, &f->host, at, w);
}

void
way_out(Flattener *f, const Level *lv, Span at, Way *w)
{
	way_from(f, f->cur, lv, at, w);
}

Level *
level_of_elements(Flattener *f, Val *v, Val **elements)
{
	Val *d = val_densify(f, v, false);
	Level *lv;

	if (at_host(v)) {
		lv = level_new(f, &f->host, seq_length(f, v));
	} else {
		lv = level_new(f, v->level, EMIT(f, FLAN_total, false, &ty_int, opnd_var(d->segdes)));
		lv->segdes = d->segdes;
	}
	*elements = d->elem;
	return lv;
}

static Opnd
lift_base(Flattener *f, const Val *v, Level *lv)
{
	const Ty *ty = ty_vec(v->ty);

	if (!v->level->parent)
		return EMIT(f, FLAN_dist, false, ty, v->x, lv->count);
	if (lv->parent == v->level && lv->segdes)
		return EMIT(f, FLAN_dist, true, ty, opnd_var(lv->segdes), v->x);
	return EMIT(f, FLAN_gather, false, ty, v->x, ancestor(f, lv, v->level));
}

static Val *
lift_rows(Flattener *f, const Val *v, Level *lv)
{
	Opnd start, length;

	if (v->level->parent && v->view && lv->parent == v->level && lv->segdes) {
		start = EMIT(f, FLAN_dist, true, &ty_ints, opnd_var(lv->segdes), v->start);
		length = EMIT(f, FLAN_dist, true, &ty_ints, opnd_var(lv->segdes), v->length);
		return VIEW(f, NULL, start, length, v->elem);
	}
	if (v->level->parent)
		return gather_rows(f, v, NULL, ancestor(f, lv, v->level));
	start = EMIT(f, FLAN_dist, false, &ty_ints, seq_start(f, v), lv->count);
	length = EMIT(f, FLAN_dist, false, &ty_ints, seq_length(f, v), lv->count);
	return VIEW(f, NULL, start, length, v->elem);
}

Val *
val_lift(Flattener *f, const Val *v, Level *lv)
{
	Val *c;

	if (v->kind == VAL_PAIR)
		return PAIR(f, val_lift(f, v->a, lv), val_lift(f, v->b, lv));
	if (v->level == lv) {
		c = NEW(f->arena, Val, 1);
		*c = *v;
		c->level = NULL;
		return c;
	}
	if (v->kind == VAL_BASE)
		return val_base(f, NULL, v->ty, lift_base(f, v, lv));
	return lift_rows(f, v, lv);
}

Val *
val_with_level(Flattener *f, const Val *c, Level *lv)
{
	Val *v = NEW(f->arena, Val, 1);

	*v = *c;
	if (c->kind == VAL_PAIR) {
		v->a = val_with_level(f, c->a, lv);
		v->b = val_with_level(f, c->b, lv);
	} else {
		v->level = lv;
	}
	return v;
}

Val *
val_said_at(Flattener *f, const Val *v, Level *lv)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, val_said_at(f, v->a, lv), val_said_at(f, v->b, lv));
	return val_with_level(f, v, at_host(v) ? &f->host : lv);
}

Val *
val_at(Flattener *f, const Val *v, Level *lv)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, val_at(f, v->a, lv), val_at(f, v->b, lv));
	return v->level == lv ? (Val *)v : val_with_level(f, val_lift(f, v, lv), lv);
}

Opnd
operand_at(Flattener *f, const Val *v, Level *lv)
{
	return at_host(v) ? v->x : val_lift(f, v, lv)->x;
}

/* made.c: the bindings that the last walk leaves, and what stands for what. */
#include <string.h>
#include "shape/made.h"
#include "shape/debug.h"
#include "shape/place.h"

Opnd
made_same(const Walk *w, Opnd o)
{
	return o.kind == OPND_VAR && w->is_same[o.u.var->id] ? w->same[o.u.var->id] : o;
}

Opnd *
made_all_same(const Walk *w, int n, const Opnd *x)
{
	Opnd *y = NEW(w->arena, Opnd, n);

	for (int i = 0; i < n; i++)
		y[i] = made_same(w, x[i]);
	return y;
}

/* Are its elements ints that are all one number which the host has, whatever checks find? */
static bool
all_one(Walk *w, Opnd o, Opnd *is)
{
	const Shape s = walk_operand(w, o);

	return o.kind == OPND_VAR && o.u.var->ty->kind == TY_VEC && o.u.var->ty->a->kind == TY_INT && !s.value->vector
		&& sight_number(w, s.value, is);
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
Bind *
made_emit(Walk *w, const Bind *b)
{
	Bind *n;

	if (!w->last)
		return NULL;
	n = NEW(w->arena, Bind, 1);
	*n = *b;
	n->next = NULL;
	n->arg = made_all_same(w, b->narg, b->arg);
	n->way = made_all_same(w, b->nway, b->way);
	if (b->lifted && (flan_ir.op[b->op].cls == OP_SCALAR || b->op == FLAN_check))
		numbers_for_vectors(w, b, n->arg);
	*w->out->end = n;
	w->out->end = &n->next;
	return n;
}

/* A number of the host that op, of flan, gives for x, where n is what it is. */
static Opnd
ask(Walk *w, int op, Opnd x, const Size *n, Span span)
{
	Bind *b = bind_new(w->to, w->out, op, 1, 1, 0, span);
	Var *v = var_new(w->to, "n", &ty_int);

	b->arg[0] = x;
	b->dst[0] = v;
	shapes_set(w->shapes, v, (Shape){NULL, n});
	sight_know(w, v, (Shape){NULL, n}, (Known){.is = opnd_var(v)});
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
	is = ask(w, c->of->ty->kind == TY_SEGDES ? FLAN_total : FLAN_length, made_same(w, opnd_var(c->of)), c->n, span);
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

	if (sight_number(w, n, is))
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
		sight_know(w, b->dst[0], (Shape){NULL, n}, (Known){.is = *is});
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

	if (!w->last || s.value->vector || (s.value != s.length && !sight_number(w, s.value, &k)))
		return NULL;
	if (!sight_number(w, s.length, &n))
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
bool
made_uniform(Walk *w, const Bind *b)
{
	const bool lengths = b->op == FLAN_segdes || b->op == FLAN_segdes_of;

	return (lengths || b->op == FLAN_compose)
		&& uniform(w, b->dst[0], false, lengths ? FLAN_length : FLAN_rows, made_same(w, b->arg[0]), b->span);
}

/* Does the host know how many elements the descriptor that b makes has?  Then b says so. */
bool
made_told(Walk *w, const Bind *b)
{
	Opnd total;
	Bind *n;

	if (!w->last || b->op != FLAN_segdes || !added(w, size_sum(w->z, w->shape[b->dst[0]->id]), b->span, &total))
		return false;
	n = bind_new(w->to, w->out, FLAN_segdes_of, 1, 2, 0, b->span);
	n->arg[0] = made_same(w, b->arg[0]);
	n->arg[1] = total;
	n->dst[0] = b->dst[0];
	return true;
}

/* Where rows begin that have one length which the host has, if they are there whatever checks find. */
bool
made_start(Walk *w, const Bind *b)
{
	Opnd k;
	Bind *n;

	if (!w->last || b->op != FLAN_row_start || !b->lifted)
		return false;
	const Shape s = walk_operand(w, b->arg[0]), at = walk_operand(w, b->arg[1]);
	if (s.value->vector || !place_below(w->z, at, s.length) || !sight_number(w, s.value, &k))
		return false;
	n = bind_new(w->to, w->out, FLAN_mul, 1, 2, 0, b->span);
	n->lifted = true;
	n->arg[0] = made_same(w, b->arg[1]);
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
	const Known *k = sight_find(w, v, s);
	const bool better = k && made && !k->uniform && sight_key(w, v, k->shape) == sight_key(w, v, s);
	Known new;
	Var *u = NULL;

	if (!k)
		k = sight_find(w, v, sight_shape(w, s));
	if (k && !better) {
		w->same[v->id] = k->is;
		w->is_same[v->id] = true;
		walk_shape(w, v, k->shape);
		return;
	}
	if (!made)
		u = uniform(w, v, true, FLAN_rows, opnd_var(v), span);
	new = (Known){.is = opnd_var(u ? u : v), .shape = s, .uniform = made || u};
	sight_know(w, v, s, new);
	sight_also(w, v, sight_shape(w, s), new);
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
		w->is_same[v->id] = sight_number(w, s.value, &w->same[v->id]);
		if (!w->is_same[v->id])
			sight_know(w, v, s, (Known){.is = opnd_var(v), .shape = s});
	}
	if (w->last && !ty_scalar(v->ty))
		sight_count(w, v, v->ty->kind == TY_SEGDES ? size_sum(w->z, s) : s.length);
	if (w->debug && w->last && !(by && by == w->jump))
		debug_bound(w, v, s, by);
}

/* Numbers first.  by: what binds them; NULL: they are parameters. */
void
made_bound(Walk *w, int n, Var *const *v, bool made, const Bind *by)
{
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < n; i++)
			if ((v[i]->ty->kind == TY_SEGDES) == round)
				bound(w, v[i], made, by);
}

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
const Bind *
made_as_many(Walk *w, const Bind *b)
{
	const int of = count_operand(b);
	const Opnd is = of < 0 ? opnd_int(0) : made_same(w, b->arg[of]);
	const Size *n, *there;
	Bind *like;

	if (is.kind != OPND_VAR)
		return b;
	n = walk_operand(w, b->arg[of]).value;
	there = sight_shape(w, (Shape){NULL, n}).value;
	for (int i = w->sight.known.n - 1, tried = 0; i >= w->sight.since && tried < MOST_TOLD; i--) {
		const Known *k = w->sight.known.at[i];

		if (!k->counts)
			continue;
		tried++;
		if (k->size == n)
			return b;
		if (sight_shape(w, k->shape).value != there)
			continue;
		like = NEW(w->arena, Bind, 1);
		*like = *b;
		like->arg = NEW(w->arena, Opnd, b->narg);
		memcpy(like->arg, b->arg, sizeof *b->arg * (size_t)b->narg);
		like->arg[of] = k->given;
		return like;
	}
	sight_know(w, is.u.var, (Shape){NULL, n}, (Known){.is = is, .given = b->arg[of], .shape = {NULL, n}, .counts = true});
	return b;
}

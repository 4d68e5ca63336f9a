/* even.c: what is the same for all rows, and a number of the host.
 *
 * A scalar of a level, or the length of each of its rows, may be known to be one for all instances: a vector `dist k n`, a
 * descriptor `uniform n k`.  So it is made and used like any other, and the laws of rules.c see through it: `#r == 1` is
 * `dist (eq k 1) n`, and a conditional on that is one of the host (branch.c).
 *
 * Parameters, results and what passes through a conditional would hide that.  So at such an *edge* such a value is `even`: it
 * has k in place of the vector or descriptor, and n is asked of its level.
 *
 * Where it is not known whether rows that a recursive function is called for are of one length, the host may find out, and
 * choose between two versions (lift.c). */
#include "flatten/flattener.h"

static bool
one_for_all(const Flattener *f, Opnd x, Opnd *one)
{
	*one = constant_of(f, x);
	return !is_vector(*one);
}

static bool
one_length(const Flattener *f, const Val *v, Opnd *one)
{
	const Bind *b;

	if (v->view)
		return one_for_all(f, v->length, one);
	b = made_by(f, opnd_var(v->segdes));
	if (f->plain || !b || b->op != FLAN_uniform)
		return false;
	*one = b->arg[1];
	return true;
}

/* Not of what a loop collects, nor, yet, of what leaves one of its rounds. */
static bool
knows_count(const Level *lv)
{
	return lv && (lv->count.kind == OPND_VAR || lv->count.u.i > 0);
}

/* v with `one` for all instances, as it is at an edge. */
static Val *
even(Flattener *f, const Val *v, Opnd one)
{
	Val *e = NEW(f->arena, Val, 1);

	*e = *v;
	e->even = true;
	e->pieces = NULL;
	if (v->kind == VAL_BASE) {
		e->x = one;
	} else {
		e->length = one;
		e->segdes = NULL;
	}
	return e;
}

Val *
val_to_edge(Flattener *f, Val *v)
{
	Opnd one;

	if (v->kind == VAL_PAIR)
		return PAIR(f, val_to_edge(f, v->a), val_to_edge(f, v->b));
	if (v->even || at_host(v) || !knows_count(v->level))
		return v;
	if (!(v->kind == VAL_BASE ? one_for_all(f, v->x, &one) : one_length(f, v, &one)))
		return v;
	return even(f, v, one);
}

Val *
val_from_edge(Flattener *f, Val *e)
{
	Val *v;

	if (e->kind == VAL_PAIR)
		return PAIR(f, val_from_edge(f, e->a), val_from_edge(f, e->b));
	if (!e->even)
		return e;
	v = NEW(f->arena, Val, 1);
	*v = *e;
	v->even = false;
	if (e->kind == VAL_BASE)
		v->x = EMIT(f, FLAN_dist, false, ty_vec(e->ty), e->x, e->level->count);
	else if (e->view)
		v->length = EMIT(f, FLAN_dist, false, &ty_ints, e->length, e->level->count);
	else
		v->segdes = EMIT(f, FLAN_uniform, false, &ty_segdes, e->level->count, e->length).u.var;
	return v;
}

Val *
val_of_length(Flattener *f, const Val *v, Opnd k)
{
	return val_from_edge(f, even(f, v, k));
}

/* -- found out when it runs -------------------------------------------------------------------------- */

/* The elements of x are `one` if `same` holds, a bool of the host. */
typedef struct Guess {
	Opnd same, one;
} Guess;

static bool guess(Flattener *f, Opnd x, Guess *g);

/* The elements of all of these vectors, or scalars. */
static bool
guess_all(Flattener *f, int n, const Opnd *x, Guess *g)
{
	Guess other;

	if (n == 0 || !guess(f, x[0], g))
		return false;
	for (int i = 1; i < n; i++) {
		if (!guess(f, x[i], &other))
			return false;
		g->same = AND(f, g->same, AND(f, other.same, SCALAR_OP(f, FLAN_eq, &ty_bool, g->one, other.one)));
	}
	return true;
}

/* What is put together from scalars of the host need not be looked at. */
static bool
guess(Flattener *f, Opnd x, Guess *g)
{
	const Bind *b = made_by(f, x);

	if (!is_vector(x)) {
		*g = (Guess){opnd_bool(true), x};
		return true;
	}
	if (!b)
		return false;
	switch (b->op) {
	case FLAN_select:
		return guess_all(f, 2, b->arg + 1, g);
	case FLAN_vector:
	case FLAN_append:
		return guess_all(f, b->narg, b->arg, g);
	case FLAN_dist:
	case FLAN_gather:
		return guess_all(f, !b->lifted, b->arg, g);
	default:
		return false;
	}
}

static bool
guess_or_look(Flattener *f, Opnd x, bool look, Guess *g)
{
	Opnd least;

	if (guess(f, x, g))
		return true;
	if (!look)
		return false;
	least = EMIT(f, FLAN_min_val, false, &ty_int, x);
	g->one = EMIT(f, FLAN_max_val, false, &ty_int, x);
	g->same = SCALAR_OP(f, FLAN_eq, &ty_bool, least, g->one);
	return true;
}

Val *
val_if_even(Flattener *f, Val *v, bool look, Opnd *cond)
{
	Opnd one;
	Guess g;
	Val *a, *b;

	if (v->kind == VAL_PAIR) {
		a = val_if_even(f, v->a, look, cond);
		b = a ? val_if_even(f, v->b, look, cond) : NULL;
		return b ? PAIR(f, a, b) : NULL;
	}
	if (v->kind == VAL_BASE || at_host(v) || one_length(f, v, &one))
		return v;
	if (f->plain || !guess_or_look(f, seq_length(f, v), look, &g))
		return NULL;
	*cond = AND(f, *cond, g.same);
	return val_of_length(f, v, g.one);
}

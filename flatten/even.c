/* even.c: what is the same for all rows, and a number of the host.
 *
 * A scalar of a level, or the length of each of its rows, may be known to be one for all instances: a vector `dist k n`, a
 * descriptor `uniform n k`.  So it is made and used like any other, and the laws of rules.c see through it: `#r == 1` is
 * `dist (eq k 1) n`, and a conditional on that is one of the host (branch.c).
 *
 * Parameters, results and what passes through a conditional would hide that.  So at such an *edge* such a value is `even`: it
 * has k in place of the vector or descriptor, and n is asked of its level. */
#include "flatten/flattener.h"

static bool
one_for_all(const Flattener *f, const Level *lv, Opnd x, Opnd *one)
{
	const Bind *b = made_by(f, x);

	if (f->plain || !b || b->op != FLAN_dist || b->lifted || !same_opnd(b->arg[1], lv->count))
		return false;
	*one = b->arg[0];
	return true;
}

static bool
one_length(const Flattener *f, const Val *v, Opnd *one)
{
	const Bind *b;

	if (v->view)
		return one_for_all(f, v->level, v->length, one);
	b = made_by(f, opnd_var(v->segdes));
	if (f->plain || !b || b->op != FLAN_uniform || !same_opnd(b->arg[0], v->level->count))
		return false;
	*one = b->arg[1];
	return true;
}

Val *
val_to_edge(Flattener *f, Val *v)
{
	Opnd one;
	Val *e;

	if (v->kind == VAL_PAIR)
		return val_pair(f, val_to_edge(f, v->a), val_to_edge(f, v->b));
	if (v->even || at_host(v) || !(v->kind == VAL_BASE ? one_for_all(f, v->level, v->x, &one) : one_length(f, v, &one)))
		return v;
	e = NEW(f->arena, Val, 1);
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
val_from_edge(Flattener *f, Val *e)
{
	Val *v;

	if (e->kind == VAL_PAIR)
		return val_pair(f, val_from_edge(f, e->a), val_from_edge(f, e->b));
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

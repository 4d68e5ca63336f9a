/* written.c: what is to be written over, dense.
 *
 * The state of a loop is dense, and a view of that where some rows are left (loop.c).  Who only reads it gathers what he reads; who
 * updates it needs an array of its own, which was a copy of all that is left in every round, for an update of one element.  Where no
 * row has left, the array is as it was, and the update is in place.  So a row is copied as often as others leave, not in each
 * round. */
#include "flatten/flattener.h"

/* Rows idx of what is dense by the descriptor s, in their order. */
typedef struct Left {
	Val *v;
	Opnd s, idx;
} Left;

/* Are the rows of v some of those of the state that the round began with? */
static bool
is_left(const Flattener *f, Val *v, Left *l)
{
	const Bind *start = made_by(f, v->start), *length = made_by(f, v->length), *idx;

	if (!start || !length || start->op != FLAN_row_start || length->op != FLAN_row_length || !start->lifted || !length->lifted
	    || !same_opnd(start->arg[0], length->arg[0]) || !same_opnd(start->arg[1], length->arg[1]))
		return false;
	idx = made_by(f, start->arg[1]);
	*l = (Left){v, start->arg[0], start->arg[1]};
	return idx && (idx->op == FLAN_split || idx->op == FLAN_pack) && !made_by(f, l->s) && l->s.kind == OPND_VAR
		&& v->elem->kind == VAL_BASE;
}

static void
give_all(Flattener *f, const void *what, Val **out)
{
	const Left *l = what;

	*out = val_dense(f, l->v->level, l->s.u.var, l->v->elem);
}

static void
give_copy(Flattener *f, const void *what, Val **out)
{
	const Left *l = what;

	*out = val_densify(f, l->v, false);
}

Val *
val_to_write(Flattener *f, Val *v)
{
	Left l;
	Val *out;

	if (!v->view || at_host(v) || !f->fun || !loops(f, f->fun) || !is_left(f, v, &l))
		return val_densify(f, v, false);
	choose(f, SCALAR_OP(f, FLAN_eq, &ty_bool, length_of(f, l.idx), EMIT(f, FLAN_rows, false, &ty_int, l.s)), give_all, give_copy, &l, 1, &out);
	return out;
}

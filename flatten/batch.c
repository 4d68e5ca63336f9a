/* batch.c: rows that a recursion goes down with come apart into batches.
 *
 * In   a call back to its function, for the rows of a level
 * Out  flan: where the rows have many elements, and no row most of them, the call is one of a function for a batch of the rows.
 *      It runs for each batch, several at the same time, and what they give stands one after the other: each batch goes down
 *      to the end of the recursion in the cache of one core, where all rows together would go through memory at each level
 * How  Piecewise execution: Palmer, Prins, Chatterjee and Faith, LCPC 1995; here of rows, and only where a recursion is to come.
 *
 * `apart` looks at the lengths of the rows' first sequence.  The function of a batch takes its rows out of all, as views: of
 * elements nothing is copied.  As a call it gives what it gives for one batch of all rows, which is what it is where a target
 * does not run batches. */
#include "flatten/flattener.h"

/* How long the rows of the first sequence are that each row has; false if there is none, or they are of one length. */
static bool
row_lengths(Flattener *f, const Val *v, Opnd *length)
{
	if (v->kind == VAL_PAIR)
		return row_lengths(f, v->a, length) || row_lengths(f, v->b, length);
	if (v->kind != VAL_SEQ || at_host(v))
		return false;
	*length = seq_length(f, v);
	return is_vector(*length) && is_vector(constant_of(f, *length));
}

bool
comes_apart(Flattener *f, const Fun *fun, Val *const *arg, Opnd *cuts)
{
	Opnd length;
	int i = 0;

	if (!f->batches || *map_at(f->views, fun))
		return false;
	while (i < fun->nparam && !row_lengths(f, arg[i], &length))
		i++;
	if (i < fun->nparam)
		*cuts = EMIT(f, FLAN_apart, false, &ty_ints, length);
	return i < fun->nparam;
}

/* Its rows of the parameters, and what the function gives for them. */
static void
batch_body(Flattener *f, Fun *to, const Fun *fun, Level *rows, Opnd cuts)
{
	Val **arg = NEW(f->arena, Val *, fun->nparam), **r = NEW(f->arena, Val *, fun->nresult);
	Opnd from = EMIT(f, FLAN_batch_from, false, &ty_int, cuts), n = EMIT(f, FLAN_batch_rows, false, &ty_int, cuts, rows->count);
	Level *batch = split_level(f, rows, ADD(f, EMIT(f, FLAN_iota, false, &ty_ints, n), from));

	f->cur = batch;
	for (int i = 0; i < fun->nparam; i++) {
		arg[i] = env_get(f, fun->param[i]);
		arg[i] = at_host(arg[i]) ? arg[i] : val_at(f, arg[i], batch);
	}
	call_rows(f, fun, arg, batch, r);
	for (int i = 0; i < fun->nresult; i++)
		if (val_has_views(r[i]) && !*map_at(f->stores, fun) && !*map_at(f->views, fun)) {
			*map_at(f->views, fun) = (void *)fun;
			f->again = true;
		}
	give_dense(f, to, fun, r, batch);
}

void
call_in_batches(Flattener *f, const Fun *fun, Val **arg, Level *lv, Opnd cuts, Val **out)
{
	Val **edge = NEW(f->arena, Val *, fun->nparam);

	for (int i = 0; i < fun->nparam; i++)
		edge[i] = val_to_edge(f, arg[i]);
	call_runner(f, "batch", batch_body, fun, edge, lv, &cuts, out);
}

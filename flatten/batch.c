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
#include <string.h>
#include "flatten/flattener.h"

typedef struct Batch {
	const char *key;                /* as of versions (lift.c) */
	Fun *fun;
	struct Batch *next;
} Batch;

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

/* The call for the rows `batch` of the parameters, and what it gives. */
static void
batch_body(Flattener *f, Fun *to, const Fun *fun, Level *batch)
{
	Val **arg = NEW(f->arena, Val *, fun->nparam), **r = NEW(f->arena, Val *, fun->nresult);

	for (int i = 0; i < fun->nparam; i++) {
		arg[i] = env_get(f, fun->param[i]);
		arg[i] = at_host(arg[i]) ? arg[i] : val_at(f, arg[i], batch);
	}
	call_rows(f, fun, arg, batch, r);
	for (int i = 0; i < fun->nresult; i++)
		if (val_has_views(r[i]) && !*map_at(f->views, fun)) {
			*map_at(f->views, fun) = (void *)fun;
			f->again = true;
		}
	give_dense(f, to, fun, r, batch);
}

/* The function of a batch of rows like these: how many there are, where they come apart, they. */
static Fun *
batch_new(Flattener *f, const Fun *fun, const char *key, Val **edge)
{
	Batch *b = NEW(f->arena, Batch, 1);
	Level *rows = level_new(f, &f->host, opnd_int(0));
	Vars params = {0};
	Opnd n, cuts, from;
	Place outer;
	Frame *fr;

	*b = (Batch){key, fun_new(f, arena_printf(f->arena, "%s_batch", fun->name), fun->span, true), f->batch};
	f->batch = b;
	outer = enter(f, fun, rows);
	fr = frame_open(f);
	rows->entry = rows->nonempty = true;
	n = opnd_var(rows_param(f, rows, &params));
	cuts = opnd_var(fresh(f, "cuts", &ty_ints));
	LIST_ADD(f->arena, &params, cuts.u.var);
	bind_params(f, b->fun, params, fun, edge, rows);
	from = EMIT(f, FLAN_batch_from, false, &ty_int, cuts);
	n = EMIT(f, FLAN_batch_rows, false, &ty_int, cuts, n);
	f->cur = split_level(f, rows, ADD(f, EMIT(f, FLAN_iota, false, &ty_ints, n), from));
	batch_body(f, b->fun, fun, f->cur);
	b->fun->body = frame_close(f, fr);
	leave(f, &outer);
	return b->fun;
}

static Fun *
batch_fun(Flattener *f, const Fun *fun, Val **edge)
{
	const char *key = version_key(f, fun->name, fun->nparam, edge, true);
	const Batch *b = f->batch;

	while (b && strcmp(b->key, key) != 0)
		b = b->next;
	return b ? b->fun : batch_new(f, fun, key, edge);
}

void
call_in_batches(Flattener *f, const Fun *fun, Val **arg, Level *lv, Opnd cuts, Val **out)
{
	Val **edge = NEW(f->arena, Val *, fun->nparam);
	const Fun *to;
	Vars dst = {0};

	for (int i = 0; i < fun->nparam; i++)
		edge[i] = val_to_edge(f, arg[i]);
	to = batch_fun(f, fun, edge);
	for (int i = 0; i < fun->nresult; i++)
		out[i] = fresh_result(f, dense_shape(f, fun->result[i], lv, false), lv, f->hint ? f->hint : fun->name, &dst);
	bind_call(f, to, &dst, 2, (Opnd[]){lv->count, cuts}, fun->nparam, edge, lv);
}

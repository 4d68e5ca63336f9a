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

static bool
has_views(const Val *v)
{
	switch (v->kind) {
	case VAL_PAIR: return has_views(v->a) || has_views(v->b);
	case VAL_BASE: return false;
	case VAL_SEQ: break;
	}
	return v->view || has_views(v->elem);
}

/* The rows `batch` of all, and the call for them. */
static void
batch_body(Flattener *f, Fun *to, const Fun *fun, Val **all, Level *batch)
{
	Val **arg = NEW(f->arena, Val *, fun->nparam), **r = NEW(f->arena, Val *, fun->nresult);
	Opnd *leaf;

	for (int i = 0; i < fun->nparam; i++)
		arg[i] = at_host(all[i]) ? all[i] : val_at(f, all[i], batch);
	call_rows(f, fun, arg, batch, r);
	for (int i = 0; i < fun->nresult; i++) {
		if (has_views(r[i]) && !*map_at(f->views, fun)) {
			*map_at(f->views, fun) = (void *)fun;
			f->again = true;
		}
		r[i] = val_convert(f, val_at(f, r[i], batch), dense_shape(f, fun->result[i], batch, false));
	}
	to->nresult = all_leaves(f, fun->nresult, r, &leaf);
	to->result = NEW(f->arena, const Ty *, to->nresult);
	for (int i = 0; i < to->nresult; i++)
		to->result[i] = opnd_ty(leaf[i]);
	block_yield(f->out, frame_block(f), to->nresult, leaf);
}

/* The function of a batch of rows like these: how many there are, where they come apart, they. */
static Fun *
batch_new(Flattener *f, const Fun *fun, const char *key, Val **edge)
{
	Batch *b = NEW(f->arena, Batch, 1);
	Level *rows = level_new(f, &f->host, opnd_int(0));
	Val **all = NEW(f->arena, Val *, fun->nparam);
	int n;
	Opnd *leaf, cuts, from;
	const Opnd *at;
	Place outer;
	Frame *fr;

	*b = (Batch){key, fun_new(f, arena_printf(f->arena, "%s_batch", fun->name), fun->span, true), f->batch};
	f->batch = b;
	outer = enter(f, fun, rows);
	fr = frame_open(f);
	n = all_leaves(f, fun->nparam, edge, &leaf);
	b->fun->param = NEW(f->arena, Var *, n + 2);
	for (int i = 0; i < fun->nparam; i++) {
		int m;

		at = leaf = fresh_leaves(f, edge[i], fun->param[i]->name, &m);
		for (int j = 0; j < m; j++)
			b->fun->param[2 + b->fun->nparam++] = leaf[j].u.var;
		all[i] = at_entry(f, edge[i], rows, &at);
	}
	b->fun->param[0] = fresh(f, "n", &ty_int);
	b->fun->param[1] = fresh(f, "cuts", &ty_ints);
	b->fun->nparam += 2;
	rows->entry = rows->nonempty = true;
	rows->count = opnd_var(b->fun->param[0]);
	cuts = opnd_var(b->fun->param[1]);
	from = EMIT(f, FLAN_batch_from, false, &ty_int, cuts);
	f->cur = split_level(f, rows, ADD(f, EMIT(f, FLAN_iota, false, &ty_ints, EMIT(f, FLAN_batch_rows, false, &ty_int, cuts, rows->count)), from));
	batch_body(f, b->fun, fun, all, f->cur);
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
	Val **edge = NEW(f->arena, Val *, fun->nparam), **shape = NEW(f->arena, Val *, fun->nresult);
	const Fun *g;
	Opnd *leaf;
	int n, k = 0;
	Way w = {0};
	Bind *b;

	for (int i = 0; i < fun->nparam; i++)
		edge[i] = val_to_edge(f, arg[i]);
	g = batch_fun(f, fun, edge);
	for (int i = 0; i < fun->nresult; i++) {
		shape[i] = dense_shape(f, fun->result[i], lv, false);
		k += val_leaves(shape[i], NULL);
	}
	n = all_leaves(f, fun->nparam, edge, &leaf);
	b = bind_new(f->out, frame_block(f), FLAN_call, k, n + 2, 0, f->span);
	b->name = g->name;
	b->arg[0] = lv->count;
	b->arg[1] = cuts;
	for (int i = 0; i < n; i++)
		b->arg[i + 2] = leaf[i];
	k = 0;
	for (int i = 0; i < fun->nresult; i++) {
		const Opnd *at = leaf = fresh_leaves(f, shape[i], f->hint ? f->hint : fun->name, &n);

		for (int j = 0; j < n; j++)
			b->dst[k++] = leaf[j].u.var;
		out[i] = val_with_level(f, val_replace(f, shape[i], &at), lv);
	}
	way_out(f, lv, (Span){0}, &w);
	bind_way(f->out, b, w.n, w.at);
}

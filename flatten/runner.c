/* runner.c: functions that do for rows what another does, and are run in a way of their own: in batches (batch.c), or where rows are small
 * (small.c).
 *
 * Such a one has the number of rows as its first parameter, behind it where rows come apart if it runs for batches, then the
 * other's.  What it gives is dense.  Like versions (lift.c) there is one for each kind of arguments. */
#include <string.h>
#include "flatten/flattener.h"

static Fun *
runner_new(Flattener *f, const char *key, const char *name, RunnerBody *body, const Fun *fun, Val **edge, bool apart)
{
	Fun *w = fun_new(f, arena_printf(f->arena, "%s_%s", fun->name, name), fun->span, true);
	Level *rows = level_new(f, &f->host, opnd_int(0));
	Vars params = {0};
	Opnd cuts = opnd_int(0);
	Place outer;
	Frame *fr;

	*map_at(f->runners, key) = w;
	outer = enter(f, fun, rows);
	fr = frame_open(f);
	rows->entry = rows->nonempty = true;
	rows_param(f, rows, &params);
	if (apart) {
		cuts = opnd_var(fresh(f, "cuts", &ty_ints));
		LIST_ADD(f->arena, &params, cuts.u.var);
	}
	bind_params(f, w, params, fun, edge, rows);
	body(f, w, fun, rows, cuts);
	w->body = frame_close(f, fr);
	leave(f, &outer);
	return w;
}

void
call_runner(Flattener *f, const char *name, RunnerBody *body, const Fun *fun, Val **edge, Level *lv, const Opnd *cuts, Val **out)
{
	const char *key = intern(f->in->names,
		version_key(f, arena_printf(f->arena, "%s %s", name, fun->name), fun->nparam, edge, true));
	const Fun *w = *map_at(f->runners, key);
	Vars dst = {0};

	for (int i = 0; i < fun->nresult; i++)
		out[i] = fresh_result(f, dense_shape(f, fun->result[i], lv, false), lv, f->hint ? f->hint : fun->name, &dst);
	if (!w)
		w = runner_new(f, key, name, body, fun, edge, cuts);
	bind_call(f, w, &dst, cuts ? 2 : 1, (Opnd[]){lv->count, cuts ? *cuts : opnd_int(0)}, fun->nparam, edge, lv);
}

/* loop.c: self tail calls in lifted code: one loop that rows leave.
 *
 * In   a function of normal with calls of itself in tail position, to be flattened for a context of one level.
 * Out  what its rows give; and a function NAME_loop of out, whose body is one round for the rows that are left.
 *      Of these some are done, and their results are appended to what is collected; the others go on, by a call of
 *      NAME_loop in tail position, which fuse/tail.h makes a jump.
 * How  The body is flattened in *tail mode*: conditionals that end in a call of the function split the rows, and
 *      each of their ends gives rows that are done or that go on, each with its row of the entry, its *origin*.
 *      The rows of a round are a split level of the entry, so a parameter that all tail calls hand on as it is stays
 *      there, and is read through the origin; so does one that they put elements into (store.c).  Results are collected in the order in which rows are done, and
 *      permuted once.  So it costs the sum of the trips, and nothing for what does not change.
 *
 * Where an arm goes on and the other recurs there is no loop, see `torn`.
 *
 * Of the other parameters, the *state*, shapes are joined as those of recursive results are (lift.c). */
#include <string.h>
#include "flatten/flattener.h"

/* Some of the rows of a round: v[0] is their origins, then come n - 1 values at `level` or the host. */
typedef struct Rows {
	Level *level;
	Val **v;
	int n;                          /* 0: there are no such rows */
} Rows;

typedef struct Ends {
	Rows done, on;                  /* with results; with new state */
} Ends;

/* Of a result what is no pair.  store: the parameter whose rows it is, as they are at the end; below 0: it is collected. */
typedef struct Part {
	const Ty *ty;
	int result, path, store;        /* path: see store.c */
} Part;

typedef struct Loop {
	const Fun *fun;
	Level *entry;
	bool *kept;                     /* by parameter: all tail calls hand it on as it is, or it is a store */
	bool *store;                    /* it is a store (store.c), one for all rows of the entry */
	bool *shared;                   /* .. of who calls */
	bool *back;                     /* the loop gives it back */
	bool *grows;                    /* its elements are, and of each row is state where they are: elements are put behind it */
	Lines line;                     /* by which stores are written */
	int nstate, ngrow;              /* how many are not kept; and grow */
	LIST(Part) part;
	int ncollected;
} Loop;

/* -- tail position ---------------------------------------------------------------------------------- */

static bool
is_call_of(const Fun *f, const Bind *b)
{
	return b->op == NORMAL_call && strcmp(b->name, f->name) == 0;
}

static bool
calls_itself(const Fun *f, const Block *b)
{
	const Bind *t = block_tail(b);

	if (t && t->op == NORMAL_if)
		return calls_itself(f, t->block[0]) || calls_itself(f, t->block[1]);
	return t && is_call_of(f, t);
}

static bool
calls_back_within(const Flattener *f, const Fun *fun, const Bind *b)
{
	if (b->op == NORMAL_call)
		return leads_to(f, b, fun);
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (calls_back_within(f, fun, s))
				return true;
	return false;
}

/* Does it call itself, otherwise than by tail calls? */
static bool
recurs(const Flattener *f, const Fun *fun, const Block *b)
{
	const Bind *t = block_tail(b);

	for (const Bind *s = b->first; s; s = s->next)
		if (s != t && calls_back_within(f, fun, s))
			return true;
	if (t && t->op == NORMAL_if)
		return recurs(f, fun, t->block[0]) || recurs(f, fun, t->block[1]);
	return t && !is_call_of(fun, t) && calls_back_within(f, fun, t);
}

/* Of the rows of one `if` some would go on, others recur: each of these recursions would be a loop with such recursions,
 * one for each round, while calls in both arms can be joined (join.c). */
static bool
torn(const Flattener *f, const Fun *fun, const Block *b)
{
	const Bind *t = block_tail(b);

	if (!t || t->op != NORMAL_if)
		return false;
	for (int k = 0; k < 2; k++)
		if ((calls_itself(fun, t->block[k]) && recurs(f, fun, t->block[1 - k])) || torn(f, fun, t->block[k]))
			return true;
	return false;
}

static void
mark_jumps(const Flattener *f, const Fun *fun, const Block *b)
{
	const Bind *t = block_tail(b);

	if (t && t->op == NORMAL_if) {
		mark_jumps(f, fun, t->block[0]);
		mark_jumps(f, fun, t->block[1]);
	} else if (t && is_call_of(fun, t)) {
		*map_at(f->loops, t) = (void *)fun;
	}
}

bool
loops(const Flattener *f, const Fun *fun)
{
	const void *known = *map_at(f->loops, fun);

	if (!known) {
		known = calls_itself(fun, fun->body) && !torn(f, fun, fun->body) ? (const void *)fun : f->in;
		*map_at(f->loops, fun) = (void *)known;
		if (known == fun)
			mark_jumps(f, fun, fun->body);
	}
	return known == fun;
}

bool
is_jump(const Flattener *f, const Fun *fun, const Bind *b)
{
	return loops(f, fun) && *map_at(f->loops, b) == fun;
}

bool
only_jumps(const Flattener *f, const Fun *fun)
{
	return loops(f, fun) && !recurs(f, fun, fun->body);
}

static void
find_kept(Loop *l, const Block *b)
{
	const Bind *t = block_tail(b);

	if (t && t->op == NORMAL_if) {
		find_kept(l, t->block[0]);
		find_kept(l, t->block[1]);
	} else if (t && is_call_of(l->fun, t)) {
		for (int i = 0; i < t->narg; i++)
			l->kept[i] &= same_opnd(t->arg[i], opnd_var(l->fun->param[i]));
	}
}

/* steps: depth of them lead to it, see is_version. */
static void
find_parts(Flattener *f, Loop *l, const Ty *ty, int result, int steps, int depth)
{
	enum { DEEPEST = 16 };
	const int path = depth < DEEPEST ? steps | 1 << depth : 0;

	if (ty->kind == TY_PAIR && path) {
		find_parts(f, l, ty->a, result, steps, depth + 1);
		find_parts(f, l, ty->b, result, steps | 1 << depth, depth + 1);
	} else {
		LIST_ADD(f->arena, &l->part, ((Part){ty, result, path, -1}));
	}
}

/* Of who calls by these lines the rows stay where they are; of others that would be a copy at first, so that something is to be written. */
static void
find_stores(Flattener *f, Loop *l, const Lines *by)
{
	for (int i = 0; i < by->n; i++)
		l->store[by->at[i]->param] = l->shared[by->at[i]->param] = l->back[by->at[i]->param] = true;
	for (int i = 0; i < l->fun->nparam; i++) {
		const Line *line = l->kept[i] ? NULL : line_of(f, l->fun, i, -1, 0);

		l->grows[i] = line && line->grows;
		l->store[i] |= line && line->puts && !line->grows;
		if ((l->store[i] && !l->shared[i]) || l->grows[i])
			LIST_ADD(f->arena, &l->line, line);
		l->kept[i] |= l->store[i];
	}
	for (int k = 0; k < l->part.n; k++)
		for (int i = 0; i < l->fun->nparam; i++) {
			Part *p = &l->part.at[k];
			const Line *line = l->store[i] ? line_of(f, l->fun, i, p->result, p->path) : NULL;

			if (!line || line->grows || p->store >= 0)
				continue;
			p->store = i;
			l->back[i] = true;
			LIST_ADD(f->arena, &l->line, line);
		}
}

static Loop
loop_of(Flattener *f, const Fun *fun, const Lines *by)
{
	const int n = fun->nparam;
	Loop l = {.fun = fun, .kept = NEW(f->arena, bool, n), .store = NEW(f->arena, bool, n), .shared = NEW(f->arena, bool, n),
		.back = NEW(f->arena, bool, n), .grows = NEW(f->arena, bool, n)};

	for (int i = 0; i < n; i++)
		l.kept[i] = true;
	find_kept(&l, fun->body);
	for (int i = 0; i < fun->nresult; i++)
		find_parts(f, &l, fun->result[i], i, 0, 0);
	find_stores(f, &l, by);
	for (int i = 0; i < n; i++) {
		l.nstate += !l.kept[i];
		l.ngrow += l.grows[i];
	}
	for (int i = 0; i < l.part.n; i++)
		l.ncollected += l.part.at[i].store < 0;
	return l;
}

/* -- rows -------------------------------------------------------------------------------------------- */

/* v, of which what the other has at a level is at lv. */
static Val *
as_deep_as(Flattener *f, Val *v, const Val *other, Level *lv)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, as_deep_as(f, v->a, other->a, lv), as_deep_as(f, v->b, other->b, lv));
	return at_host(other) ? v : val_at(f, v, lv);
}

static Rows
rows_here(Flattener *f, const Loop *l, int n)
{
	Rows r = {f->cur, NEW(f->arena, Val *, n + 1), n + 1};

	r.v[0] = val_base(f, f->cur, &ty_int, ancestor(f, f->cur, l->entry));
	return r;
}

/* What v says, as rows at a level of their own. */
static Rows
rows_of(Flattener *f, const Loop *l, int n, Val **v, Level *lv)
{
	lv->parent = l->entry;
	lv->split = true;
	lv->origin = v[0]->x.u.var;
	lv->count = EMIT(f, FLAN_length, false, &ty_int, v[0]->x);
	return (Rows){lv, v, n};
}

/* One after the other. */
static Rows
together(Flattener *f, const Loop *l, int n, const Rows *all)
{
	Level *lv = level_new(f, l->entry, opnd_int(0));
	Rows r[MOST_ARMS];
	Val **v, *part[MOST_ARMS];
	int m = 0;

	for (int i = 0; i < n; i++)
		if (all[i].n)
			r[m++] = all[i];
	if (m < 2)
		return m ? r[0] : (Rows){0};
	v = NEW(f->arena, Val *, r[0].n);
	for (int j = 0; j < r[0].n; j++) {
		for (int i = 0; i < m; i++)
			part[i] = val_lift(f, r[i].v[j], r[i].level);
		v[j] = val_with_level(f, val_concat(f, m, part), lv);
	}
	return rows_of(f, l, r[0].n, v, lv);
}

/* -- one round ----------------------------------------------------------------------------------------- */

static Ends one_end(Flattener *f, const Loop *l, const Block *b);

/* What an arm gives, or nothing of what the other does. */
static void
arm_gives(Flattener *f, Frame *fr, int outside, const Rows *own, const Rows *other, Level *lv, Val **to)
{
	frame_resume(f, fr);
	for (int i = 0; i < own->n; i++)
		to[i] = val_said_at(f, other->n ? as_deep_as(f, own->v[i], other->v[i], own->level) : own->v[i], lv);
	for (int i = 0; i < other->n && !own->n; i++)
		to[i] = val_said_at(f, val_nothing(f, other->v[i], outside), lv);
	frame_close(f, fr);
}

/* if cond {one, its rows at lv (NULL: where we are)} else {other}; other NULL: no rows. */
static Ends
host_end(Flattener *f, const Loop *l, Opnd cond, const Block *one, const Block *other, Level *lv)
{
	const Block *body[2] = {one, other};
	int outside = frame_depth(f), shadows = f->shadows.n, n, m;
	Level *saved = f->cur, *done = level_new(f, l->entry, opnd_int(0)), *on = level_new(f, l->entry, opnd_int(0));
	Ends e[2] = {0}, r = {0};
	Val **v[2], **out;
	Frame *fr[2];
	Block *block[2];

	for (int k = 0; k < 2; k++) {
		fr[k] = frame_open(f);
		f->cur = lv ? lv : saved;
		if (body[k])
			e[k] = one_end(f, l, body[k]);
		f->cur = saved;
		env_unshadow(f, shadows);
		block[k] = frame_close(f, fr[k]);
	}
	n = e[0].done.n ? e[0].done.n : e[1].done.n;
	m = e[0].on.n ? e[0].on.n : e[1].on.n;
	for (int k = 0; k < 2; k++) {
		v[k] = NEW(f->arena, Val *, n + m);
		arm_gives(f, fr[k], outside, &e[k].done, &e[1 - k].done, done, v[k]);
		arm_gives(f, fr[k], outside, &e[k].on, &e[1 - k].on, on, v[k] + n);
	}
	out = NEW(f->arena, Val *, n + m);
	host_join(f, cond, fr, block, n + m, v, out);
	if (n)
		r.done = rows_of(f, l, n, out, done);
	if (m)
		r.on = rows_of(f, l, m, out + n, on);
	return r;
}

static Ends
end_of_if(Flattener *f, const Loop *l, const Bind *b)
{
	Val *cond = use(f, b->arg[0]);
	Rows done[MOST_ARMS], on[MOST_ARMS];
	Fork k;

	if (at_host(cond))
		return host_end(f, l, cond->x, b->block[0], b->block[1], NULL);
	fork_rows(f, b, &k);
	for (int i = 0; i < k.n; i++) {
		Opnd any = SCALAR_OP(f, FLAN_gt, &ty_bool, k.rows[i]->count, opnd_int(0));
		Ends e = host_end(f, l, any, k.arm[i], NULL, k.rows[i]);

		done[i] = e.done;
		on[i] = e.on;
	}
	return (Ends){together(f, l, k.n, done), together(f, l, k.n, on)};
}

static Rows
next_round(Flattener *f, const Loop *l, const Bind *call)
{
	Rows r = rows_here(f, l, l->nstate);

	for (int i = 0, n = 1; i < call->narg; i++)
		if (!l->kept[i])
			r.v[n++] = use(f, call->arg[i]);
	return r;
}

static Val *
part_of(Val *v, int path)
{
	for (; path > 1; path /= 2)
		v = path % 2 ? v->b : v->a;
	return v;
}

static Ends
one_end(Flattener *f, const Loop *l, const Block *b)
{
	const Bind *t = block_tail(b);
	const Span outer = f->span;
	Ends e = {0};

	if (calls_itself(l->fun, b)) {
		flatten_until(f, b, t);
		run_early(f, t);
		f->span = t->span;
		f->hint = t->dst[0]->name;
		if (t->op == NORMAL_if)
			e = end_of_if(f, l, t);
		else
			e.on = next_round(f, l, t);
		end_early(f, t);
		f->span = outer;
	} else {
		flatten_block(f, b);
		e.done = rows_here(f, l, l->ncollected);
		for (int i = 0, n = 1; i < l->part.n; i++)
			if (l->part.at[i].store < 0)
				e.done.v[n++] = val_at(f, part_of(use(f, b->yield[l->part.at[i].result]), l->part.at[i].path), f->cur);
	}
	return e;
}

/* -- what is collected ---------------------------------------------------------------------------------- */

/* A column without rows, its sequences views: the shape of what is collected, and what there is at first. */
static Val *
no_rows(Flattener *f, const Ty *ty)
{
	Opnd none;

	if (ty->kind == TY_PAIR)
		return PAIR(f, no_rows(f, ty->a), no_rows(f, ty->b));
	none = emit(f, FLAN_vector, false, ty_vec(ty->kind == TY_SEQ ? &ty_int : ty), 0, NULL);
	if (ty->kind == TY_SEQ)
		return VIEW(f, NULL, none, none, no_rows(f, ty->a));
	return val_base(f, NULL, ty, none);
}

static Opnd
extended(Flattener *f, Opnd a, Opnd b)
{
	return EMIT(f, FLAN_extend, false, a.u.var->ty, a, b);
}

static Opnd
elements(Flattener *f, const Val *c)
{
	while (c->kind == VAL_PAIR)
		c = c->a;
	return EMIT(f, FLAN_length, false, &ty_int, c->kind == VAL_SEQ ? c->start : c->x);
}

static Val *
collect(Flattener *f, const Val *all, Val *more)
{
	Val *d;
	Opnd start;

	if (all->kind == VAL_PAIR)
		return PAIR(f, collect(f, all->a, more->a), collect(f, all->b, more->b));
	if (all->kind == VAL_BASE)
		return val_base(f, NULL, all->ty, extended(f, all->x, more->x));
	d = val_densify(f, more, false);
	start = ADD(f, seq_start(f, d), elements(f, all->elem));
	return VIEW(f, NULL, extended(f, all->start, start), extended(f, all->length, seq_length(f, d)),
	                collect(f, all->elem, d->elem));
}

/* What was collected, in the order of the entry's rows. */
static Val *
in_order(Flattener *f, const Val *v, Opnd who)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, in_order(f, v->a, who), in_order(f, v->b, who));
	if (v->kind == VAL_BASE)
		return val_base(f, NULL, v->ty, EMIT(f, FLAN_permute, false, v->x.u.var->ty, v->x, who));
	return VIEW(f, NULL, EMIT(f, FLAN_permute, false, &ty_ints, v->start, who),
	                EMIT(f, FLAN_permute, false, &ty_ints, v->length, who), v->elem);
}

/* -- the loop ------------------------------------------------------------------------------------------- */

/* What the loop is called with, one value after the other: how many rows the entry has, how many are left; what is
 * kept; where rooms end; origins and state of those left; origins and results of those done, collected.  It gives these, and what stores it gives back. */
enum { ENTRIES, LEFT, KEPT };

static int
at_rooms(const Loop *l)
{
	return KEPT + l->fun->nparam - l->nstate;
}

static int
at_on(const Loop *l)
{
	return at_rooms(l) + l->ngrow;
}

static int
at_done(const Loop *l)
{
	return at_on(l) + 1 + l->nstate;
}

static int
nround(const Loop *l)
{
	return at_done(l) + 1 + l->ncollected;
}

static Val *
host_int(Flattener *f, Opnd x)
{
	return val_base(f, &f->host, &ty_int, x);
}

/* Rows that may grow, of the entry; of none there is room for more.  room: where. */
static Val *
to_grow(Flattener *f, Val *v, Level *lv, Val **room)
{
	Val *d = val_densify(f, val_at(f, v, lv), false);
	Opnd start = seq_start(f, d), length = seq_length(f, d);

	*room = val_base(f, lv, &ty_int, ADD(f, start, length));
	return VIEW(f, lv, start, length, d->elem);
}

/* The first round, all rows of the entry; state: its shapes so far. */
static Val **
first_round(Flattener *f, const Loop *l, Val **state)
{
	Val **r = NEW(f->arena, Val *, nround(l)), **kept = r + KEPT, **room = r + at_rooms(l), **on = r + at_on(l), **done = r + at_done(l);
	Level *lv = l->entry;

	r[ENTRIES] = r[LEFT] = host_int(f, lv->count);
	*on++ = val_base(f, lv, &ty_int, EMIT(f, FLAN_iota, false, &ty_ints, lv->count));
	for (int i = 0; i < l->fun->nparam; i++) {
		Val *v = use(f, opnd_var(l->fun->param[i]));

		if (l->kept[i]) {
			v = l->store[i] ? val_at(f, v, lv) : v;
			*kept++ = l->store[i] && !l->shared[i] ? val_densify(f, v, false) : v;
			continue;
		}
		if (l->grows[i])
			v = to_grow(f, v, lv, room++);
		state[i] = state[i] ? val_join_shape(f, val_said_at(f, state[i], lv), v) : v;
		*on++ = val_convert(f, v, state[i]);
	}
	*done++ = no_rows(f, &ty_int);
	for (int i = 0; i < l->part.n; i++)
		if (l->part.at[i].store < 0)
			*done++ = no_rows(f, l->part.at[i].ty);
	return r;
}

/* The next one: the rows that go on, of which there may be none, and all that are done. */
static Val **
round_after(Flattener *f, const Loop *l, Val *const *now, const Ends *e, Val **state)
{
	Val **r = NEW(f->arena, Val *, nround(l)), **on = r + at_on(l), **done = r + at_done(l);
	Level *lv = e->on.level;

	for (int i = 0; i < nround(l); i++)
		r[i] = now[i];
	r[LEFT] = host_int(f, lv->count);
	on[0] = e->on.v[0];
	for (int i = 0, k = 1; i < l->fun->nparam; i++) {
		Val *shape, *wide, *v = l->kept[i] ? NULL : val_said_at(f, e->on.v[k], lv);

		if (!v)
			continue;
		shape = val_said_at(f, state[i], lv);
		wide = val_join_shape(f, shape, v);
		f->again |= !val_same_shape(shape, wide);
		state[i] = wide;
		on[k++] = val_convert(f, v, wide);
	}
	for (int i = 0; i < e->done.n; i++)
		done[i] = collect(f, done[i], val_lift(f, e->done.v[i], e->done.level));
	return r;
}

static const char **
round_names(Flattener *f, const Loop *l)
{
	const char **name = NEW(f->arena, const char *, nround(l)), **kept = name + KEPT, **on = name + at_on(l),
		**done = name + at_done(l);

	name[ENTRIES] = "n";
	name[LEFT] = "left";
	for (int i = 0; i < l->ngrow; i++)
		name[at_rooms(l) + i] = "room";
	*on++ = "origin";
	*done++ = "who";
	for (int i = 0; i < l->fun->nparam; i++)
		*(l->kept[i] ? kept++ : on++) = l->fun->param[i]->name;
	for (int i = 0; i < l->ncollected; i++)
		*done++ = "all";
	return name;
}

/* The round as the loop sees it; makes its parameters. */
static Val **
round_inside(Flattener *f, Loop *l, Fun *loop, Val *const *outside)
{
	LIST(Var *) param = {0};
	Val **r = NEW(f->arena, Val *, nround(l));
	const char **hints = round_names(f, l);
	Level *rows;

	l->entry = level_new(f, &f->host, opnd_int(0));
	l->entry->entry = true;         /* its rows are those of the version that calls the loop: that call has no way */
	l->entry->nonempty = true;
	rows = level_new(f, l->entry, opnd_int(0));
	rows->split = true;
	rows->nonempty = true;
	f->cur = rows;
	for (int i = 0; i < nround(l); i++) {
		int n;
		const Opnd *leaf = fresh_leaves(f, outside[i], hints[i], &n);

		for (int j = 0; j < n; j++)
			LIST_ADD(f->arena, &param, leaf[j].u.var);
		if (i >= at_done(l))
			r[i] = val_replace(f, outside[i], &leaf);
		else
			r[i] = at_entry(f, outside[i], i < at_on(l) ? l->entry : rows, &leaf);
	}
	l->entry->count = r[ENTRIES]->x;
	rows->count = r[LEFT]->x;
	rows->origin = r[at_on(l)]->x.u.var;
	loop->param = param.at;
	loop->nparam = param.n;
	return r;
}

static void
set_parameters(Flattener *f, const Loop *l, Val *const *r)
{
	Val *const *kept = r + KEPT, *const *state = r + at_on(l) + 1, *const *room = r + at_rooms(l);

	f->line = l->line;
	for (int i = 0; i < l->fun->nparam; i++) {
		if (l->store[i] || l->grows[i])
			add_store(f, (l->store[i] ? *kept : *state)->elem);
		if (l->grows[i])
			add_store(f, *room++);
		env_set(f, l->fun->param[i], l->kept[i] ? *kept++ : *state++);
	}
}

/* What a round gives if it is the last. */
static int
given(Flattener *f, const Loop *l, Val *const *r, Val ***out)
{
	Val *const *kept = r + KEPT;
	int n = 0;

	*out = NEW(f->arena, Val *, 1 + l->ncollected + l->fun->nparam);
	for (int i = at_done(l); i < nround(l); i++)
		(*out)[n++] = r[i];
	for (int i = 0; i < l->fun->nparam; i++) {
		if (l->back[i])
			(*out)[n++] = (*kept)->elem;
		kept += l->kept[i];
	}
	return n;
}

/* ... = call NAME_loop round; what it gives, over new variables. */
static Bind *
call_loop(Flattener *f, const Loop *l, const Fun *loop, Val *const *r, Val **all)
{
	LIST(Var *) dst = {0};
	Opnd *arg;
	int narg = all_leaves(f, nround(l), r, &arg), ngiven;
	Val **shape;
	Bind *b;

	ngiven = given(f, l, r, &shape);
	for (int i = 0; i < ngiven; i++) {
		int n;
		const Opnd *leaf = fresh_leaves(f, shape[i], f->hint ? f->hint : l->fun->name, &n);

		for (int j = 0; j < n; j++)
			LIST_ADD(f->arena, &dst, leaf[j].u.var);
		all[i] = val_replace(f, shape[i], &leaf);
	}
	b = bind_new(f->out, frame_block(f), FLAN_call, dst.n, narg, 0, f->span);
	b->name = loop->name;
	for (int i = 0; i < narg; i++)
		b->arg[i] = arg[i];
	for (int i = 0; i < dst.n; i++)
		b->dst[i] = dst.at[i];
	return b;
}

/* Another round if rows go on, else what there is. */
static void
round_or_end(Flattener *f, const Loop *l, Fun *loop, Val *const *r)
{
	Val **v[2], **out;
	int n = given(f, l, r, &v[1]);
	Frame *fr[2];
	Block *block[2];
	Opnd *leaf;

	v[0] = NEW(f->arena, Val *, n);
	out = NEW(f->arena, Val *, n);
	fr[0] = frame_open(f);
	call_loop(f, l, loop, r, v[0]);
	block[0] = frame_close(f, fr[0]);
	fr[1] = frame_open(f);
	block[1] = frame_close(f, fr[1]);
	host_join(f, SCALAR_OP(f, FLAN_gt, &ty_bool, r[LEFT]->x, opnd_int(0)), fr, block, n, v, out);
	loop->nresult = all_leaves(f, n, out, &leaf);
	loop->result = NEW(f->arena, const Ty *, loop->nresult);
	for (int i = 0; i < loop->nresult; i++)
		loop->result[i] = opnd_ty(leaf[i]);
	block_yield(f->out, frame_block(f), loop->nresult, leaf);
}

static Fun *
make_loop(Flattener *f, Loop l, Val *const *outside, Val **state)
{
	Fun *loop = fun_new(f, arena_printf(f->arena, "%s_loop", l.fun->name), l.fun->span, true);
	Place from = enter(f, l.fun, NULL);
	Frame *fr = frame_open(f);
	Val **r = round_inside(f, &l, loop, outside);
	Ends e;

	set_parameters(f, &l, r);
	e = one_end(f, &l, l.fun->body);
	round_or_end(f, &l, loop, round_after(f, &l, r, &e, state));
	loop->body = frame_close(f, fr);
	leave(f, &from);
	return loop;
}

/* The rows of store i, as the loop left them: r, what it was called with; at: the vector. */
static Val *
rows_of_store(Flattener *f, const Loop *l, int i, Val *const *r, const Val *at)
{
	Val *const *kept = r + KEPT;

	for (int k = 0; k < i; k++)
		kept += l->kept[k];
	if (!l->shared[i])
		return val_dense(f, l->entry, (*kept)->segdes, (Val *)at);
	(*kept)->elem->x = at->x;
	return *kept;
}

/* A result of its parts. */
static Val *
put_together(Flattener *f, const Ty *ty, Val *const **part)
{
	return ty->kind == TY_PAIR && (**part)->ty->kind != TY_PAIR ? PAIR(f, put_together(f, ty->a, part), put_together(f, ty->b, part)) : *(*part)++;
}

void
flatten_loop(Flattener *f, const Fun *fun, Level *entry, const Lines *by, Val **state, Val **out)
{
	Loop l = loop_of(f, fun, by);
	Val **r, **all = NEW(f->arena, Val *, 1 + l.ncollected + fun->nparam), **back = all + 1 + l.ncollected,
		**part = NEW(f->arena, Val *, l.part.n), **store = NEW(f->arena, Val *, fun->nparam), *const *at = part;
	Way w = {0};
	Bind *call;

	l.entry = entry;
	r = first_round(f, &l, state);
	call = call_loop(f, &l, make_loop(f, l, r, state), r, all);
	way_out(f, entry, (Span){0}, &w);
	bind_way(f->out, call, w.n, w.at);
	for (int i = 0; i < fun->nparam; i++)
		store[i] = l.back[i] ? rows_of_store(f, &l, i, r, *back++) : NULL;
	for (int i = 0, n = 1; i < l.part.n; i++) {
		const int from = l.part.at[i].store;

		part[i] = from < 0 ? val_with_level(f, in_order(f, all[n++], all[0]->x), entry) : store[from];
	}
	for (int i = 0; i < fun->nresult; i++)
		out[i] = put_together(f, fun->result[i], &at);
}

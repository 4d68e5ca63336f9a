/* store.c: rows that a loop writes over, where they are.
 *
 * In   a function with calls of itself in tail position, in normal
 * Out  which of its parameters are *stores*: the rows of all that the loop was entered with, dense, into which its rounds put elements
 * Rule A sequence of scalars that all tail calls hand on as it is or after elements were put into it, or behind it, also by functions
 *      called for that; each of these sequences is a *version* of the one before, and who puts elements into a version is the last to see it
 *      and what was cut out of it.
 * How  Ownership as in linear types (Wadler 1990).  As nobody sees the version before, and each row is written by its own loop
 *      only, all rows have one vector, whose rows are where they were at first, whoever has left: what is of the round is
 *      not where they are, and an update costs what it puts.  Versions are one column, of which `x` is the vector that stands for it
 *      where we are: arms write it one after the other, and see what the others wrote, in rows that are none of theirs.
 *      What a loop gives is nothing new either, if that is a version of what it got.
 *      A sequence that elements are put behind (`append`) is one that *grows*: where its rows are, and how long, is state of the loop, and where
 *      the room of each ends a store of its own. */
#include "flatten/flattener.h"

/* -- while flattening ----------------------------------------------------------------------------------- */

bool
is_store(const Flattener *f, const Val *column)
{
	for (int i = 0; i < f->store.n; i++)
		if (f->store.at[i] == column)
			return true;
	return false;
}

bool
writes_store(const Flattener *f, const Bind *b)
{
	int i = 0;

	while (i < f->line.n && !*map_at(f->line.at[i]->by, b))
		i++;
	return i < f->line.n;
}

Lines
lines_of_call(Flattener *f, const Bind *call)
{
	Lines all = {0};

	for (int i = 0; i < f->line.n; i++) {
		const Line *l = *map_at(f->line.at[i]->by, call);

		if (l)
			LIST_ADD(f->arena, &all, l);
	}
	return all;
}

void
store_elements(Flattener *f, Val *column, const Val *v, Opnd at)
{
	if (column->kind == VAL_PAIR) {
		store_elements(f, column->a, v->a, at);
		store_elements(f, column->b, v->b, at);
	} else {
		column->x = EMIT(f, FLAN_put, false, column->x.u.var->ty, v->x, at, column->x);
	}
}

/* Of rows that grow the columns are followed by where their room ends, one number for each row of the entry. */
static const Val *
room_of(const Flattener *f, const Val *column)
{
	const Val *first = column;
	int i = 0;

	while (first->kind == VAL_PAIR)
		first = first->a;
	while (f->store.at[i] != first)
		i++;
	return f->store.at[i + val_leaves(column, NULL)];
}

void
add_store(Flattener *f, Val *column)
{
	if (column->kind == VAL_PAIR) {
		add_store(f, column->a);
		add_store(f, column->b);
	} else {
		LIST_ADD(f->arena, &f->store, column);
	}
}

/* Elements v behind all columns. */
static void
extend_column(Flattener *f, Val *column, const Val *v)
{
	if (column->kind == VAL_PAIR) {
		extend_column(f, column->a, v->a);
		extend_column(f, column->b, v->b);
	} else {
		column->x = EMIT(f, FLAN_extend, false, column->x.u.var->ty, column->x, v->x);
	}
}

/* Rows d, some of which have no room for as many elements more. */
typedef struct Grows {
	Val *d, *room;
	Opnd more, full;                /* full: which */
} Grows;

static Opnd
of_rows(Flattener *f, Opnd x, Opnd idx)
{
	return EMIT(f, FLAN_gather, false, &ty_ints, x, idx);
}

/* Those move behind all others, and get twice the room that they need: so an element is moved as often as it was put, at most. */
static void
move(Flattener *f, const void *what, Val **out)
{
	const Grows *g = what;
	Val *d = g->d;
	Opnd length = of_rows(f, d->length, g->full);
	Opnd need = SCALAR_OP(f, FLAN_mul, &ty_int, ADD(f, length, of_rows(f, g->more, g->full)), opnd_int(2));
	Opnd s = EMIT(f, FLAN_segdes, false, &ty_segdes, need), in = EMIT(f, FLAN_iota, true, &ty_ints, s);
	Opnd from = ADD(f, EMIT(f, FLAN_dist, true, &ty_ints, s, of_rows(f, d->start, g->full)), in);
	Opnd there = SCALAR_OP(f, FLAN_lt, &ty_bool, in, EMIT(f, FLAN_dist, true, &ty_ints, s, length));
	Opnd start = ADD(f, EMIT(f, FLAN_starts, false, &ty_ints, s), column_count(f, d->elem));
	Opnd who = of_rows(f, ancestor(f, f->cur, g->room->level), g->full);

	extend_column(f, d->elem, val_gather(f, d->elem, SCALAR_OP(f, FLAN_select, &ty_int, there, from, opnd_int(-1))));
	g->room->x = EMIT(f, FLAN_put, false, &ty_ints, ADD(f, start, need), who, g->room->x);
	out[0] = VIEW(f, d->level, EMIT(f, FLAN_put, false, &ty_ints, start, g->full, d->start), d->length, d->elem);
}

static void
stay(Flattener *f, const void *what, Val **out)
{
	(void)f;
	out[0] = ((const Grows *)what)->d;
}

Val *
store_append(Flattener *f, Val *d, Val *more)
{
	Val *e = val_densify(f, more, false), *room = (Val *)room_of(f, d->elem);
	const Opnd s = opnd_var(e->segdes), k = seq_length(f, e), behind = ADD(f, d->start, d->length);
	Opnd ends = val_lift(f, room, f->cur)->x, length = ADD(f, d->length, k);
	Grows g = {d, room, k, EMIT(f, FLAN_pack, false, &ty_ints, SCALAR_OP(f, FLAN_gt, &ty_bool, ADD(f, behind, k), ends))};

	choose(f, SCALAR_OP(f, FLAN_gt, &ty_bool, length_of(f, g.full), opnd_int(0)), move, stay, &g, 1, &d);
	store_elements(f, d->elem, e->elem, ADD(f, EMIT(f, FLAN_dist, true, &ty_ints, s, ADD(f, d->start, d->length)), EMIT(f, FLAN_iota, true, &ty_ints, s)));
	return VIEW(f, d->level, d->start, length, d->elem);
}

/* May it run before what stands before it, whose results it does not want?  Not if it may write itself. */
static bool
may_go_first(const Bind *b)
{
	const OpClass cls = normal_ir.op[b->op].cls;
	bool scalars = true;

	for (int i = 0; i < b->ndst; i++)
		scalars &= scalars_only(b->dst[i]->ty);
	return b->op != NORMAL_clock && cls != OP_EFFECT && cls != OP_STATE
		&& (scalars || (b->op != NORMAL_put && b->op != NORMAL_append && b->op != NORMAL_call && b->op != NORMAL_if));
}

const Bind *
writer_waits_for(const Bind *b, const Bind *end)
{
	const Bind *s = b->next;

	for (; s && s != end && may_go_first(s); s = s->next)
		for (int i = 0; i < b->ndst; i++)
			if (bind_mentions(s, b->dst[i], NULL))
				return s;
	return s;
}

/* What is called by lines. */
typedef struct Called {
	const Fun *fun;
	const Lines *by;
	Val **state;            /* of a loop */
} Called;

static void
run_called(Flattener *f, const void *what, Val **out)
{
	const Called *c = what;

	if (c->fun->recursive) {
		flatten_loop(f, c->fun, f->cur, c->by, c->state, out);
		return;
	}
	flatten_block(f, c->fun->body);
	for (int i = 0; i < c->fun->nresult; i++)
		out[i] = use(f, c->fun->body->yield[i]);
}

void
call_here(Flattener *f, const Bind *b, Lines by, Val **out)
{
	const Fun *g = fun_find(f->in, b->name);
	Val **arg = call_arguments(f, b);
	void **state = map_at(f->states, b);
	const Env env = f->env;
	const Lines line = f->line;

	if (!*state)
		*state = NEW(f->arena, Val *, g->nparam);
	f->env = env_new(f, g->param, g->nparam, g->body);
	f->line = by;
	for (int i = 0; i < g->nparam; i++)
		env_set(f, g->param[i], arg[i]);
	if (g->recursive && !f->cur->nonempty)
		run_if_inhabited(f, f->cur, run_called, &(Called){g, &by, *state}, g->nresult, out);
	else
		run_called(f, &(Called){g, &by, *state}, out);
	f->env = env;
	f->line = line;
}

/* -- lines of versions -------------------------------------------------------------------------------------- */

enum { LONGEST = 1 << 16 };     /* path */

/* What is known of a variable. */
typedef struct Seen {
	const Bind *made;       /* by it */
	int since;              /* when it became, or may have become, what has elements of the parameter; 0: it has none */
	int path;               /* the last that was asked for, see is_version */
	bool is;
} Seen;

typedef struct Search {
	Flattener *f;
	const Fun *fun;
	const Var *param;
	Line *line;
	Map *seen;              /* Var -> Seen */
	int now, written;       /* what is no younger than `written` is not to be seen any more */
} Search;

static Seen *
seen(Search *s, const Var *v)
{
	void **at = map_at(s->seen, v);

	if (!*at)
		*at = NEW(s->f->arena, Seen, 1);
	return *at;
}

static void
look_through(Search *s, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		for (int i = 0; i < b->ndst; i++)
			seen(s, b->dst[i])->made = b;
		for (int i = 0; i < b->nblock; i++)
			look_through(s, b->block[i]);
	}
}

static bool is_version(Search *s, Opnd o, int path);

static int
number_of(const Bind *b, const Var *v)
{
	int i = 0;

	while (b->dst[i] != v)
		i++;
	return i;
}

/* By which line does a call make of a version its result i, or this part of it?  NULL: by none, or by several. */
static const Line *
line_of_call(Search *s, const Bind *b, int i, int path)
{
	const Fun *g = fun_find(s->f->in, b->name);
	const Line *l = NULL, *known = *map_at(s->line->by, b);

	for (int k = 0; k < b->narg && !l; k++)
		if (is_version(s, b->arg[k], 1))
			l = line_of(s->f, g, k, i, path);
	return l && l->puts && !(l->grows && g->recursive) && (!known || known == l) ? l : NULL;
}

static bool
call_makes_version(Search *s, const Bind *b, int i, int path)
{
	const Line *l;

	if (is_jump(s->f, s->fun, b))
		return i == s->line->result && path == s->line->path && is_version(s, b->arg[s->line->param], 1);
	l = line_of_call(s, b, i, path);
	if (l) {
		*map_at(s->line->by, b) = (void *)l;
		s->line->grows |= l->grows;
	}
	return l;
}

static bool
makes_version(Search *s, const Bind *b, const Var *v, int path)
{
	int i;

	if (!b)
		return false;
	switch (b->op) {
	case NORMAL_put:
		return path == 1 && is_version(s, b->arg[2], 1);
	case NORMAL_append:
		return path == 1 && is_version(s, b->arg[0], 1);
	case NORMAL_pair:
		return path > 1 && is_version(s, b->arg[path % 2], path / 2);
	case NORMAL_fst: case NORMAL_snd:
		return path < LONGEST && is_version(s, b->arg[0], 2 * path + (b->op == NORMAL_snd));
	case NORMAL_call:
		return call_makes_version(s, b, number_of(b, v), path);
	case NORMAL_if:
		i = number_of(b, v);
		return is_version(s, b->block[0]->yield[i], path) && is_version(s, b->block[1]->yield[i], path);
	default:
		return false;
	}
}

static bool
puts_elements(const Bind *b)
{
	return b->op == NORMAL_put || b->op == NORMAL_append;
}

/* Is it a version of the parameter?  path: of o that part; 1: itself, 2p and 2p + 1: that part of its first, or second. */
static bool
is_version(Search *s, Opnd o, int path)
{
	Seen *v = o.kind == OPND_VAR ? seen(s, o.u.var) : NULL;

	if (!v || o.u.var == s->param)
		return v && path == 1;
	if (v->path != path) {
		v->is = makes_version(s, v->made, o.u.var, path);
		v->path = path;
		if (v->is && (puts_elements(v->made) || v->made->op == NORMAL_if))
			*map_at(s->line->by, v->made) = (void *)s->line;
		s->line->puts |= v->is && (puts_elements(v->made) || v->made->op == NORMAL_call);
		s->line->grows |= v->is && v->made->op == NORMAL_append;
	}
	return v->is;
}

/* -- who sees them ---------------------------------------------------------------------------------------- */

static int
since(Search *s, Opnd o)
{
	return o.kind == OPND_VAR ? seen(s, o.u.var)->since : 0;
}

static bool
is_stale(Search *s, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (since(s, x[i]) && since(s, x[i]) <= s->written)
			return true;
	return false;
}

static bool
has_any(Search *s, int n, const Opnd *x)
{
	while (n > 0 && !since(s, x[n - 1]))
		n--;
	return n > 0;
}

/* Does it want no more than lengths?  All versions have the same. */
static bool
sees_no_elements(const Bind *b)
{
	return b->op == NORMAL_length || b->op == NORMAL_positions;
}

/* b, or what is in it. */
static bool
sees_any(Search *s, const Bind *b)
{
	if (has_any(s, b->narg, b->arg))
		return true;
	for (int i = 0; i < b->nblock; i++) {
		if (has_any(s, b->block[i]->nyield, b->block[i]->yield))
			return true;
		for (const Bind *in = b->block[i]->first; in; in = in->next)
			if (sees_any(s, in))
				return true;
	}
	return false;
}

/* Are its elements made by it? */
static bool
makes_elements(const Bind *b)
{
	return sees_no_elements(b) || b->op == NORMAL_pack || normal_ir.op[b->op].cls == OP_SCAN || (b->op == NORMAL_foreach && ty_scalar(b->dst[0]->ty->a));
}

/* Is the part at `path` in that at `of`? */
static bool
is_within(int path, int of)
{
	int bits = 1;

	while (2 * bits <= of)
		bits *= 2;
	return path >= bits && path % bits == of % bits;
}

/* May this part of o have any?  Of a pair it is what it was made of, where that is known. */
static bool
may_have_any(Search *s, Opnd o, int path)
{
	const Bind *b = since(s, o) ? seen(s, o.u.var)->made : NULL;
	const Line *l;
	int i;

	switch (b ? b->op : NORMAL_length) {
	case NORMAL_pair:
		return path == 1 || may_have_any(s, b->arg[path % 2], path / 2);
	case NORMAL_fst: case NORMAL_snd:
		return path > LONGEST || may_have_any(s, b->arg[0], 2 * path + (b->op == NORMAL_snd));
	case NORMAL_if:
		i = number_of(b, o.u.var);
		return may_have_any(s, b->block[0]->yield[i], path) || may_have_any(s, b->block[1]->yield[i], path);
	case NORMAL_call:
		l = *map_at(s->line->by, b);
		return !l || !l->alone || (number_of(b, o.u.var) == l->result && is_within(l->path, path));
	default:
		return since(s, o);
	}
}

/* .. any part of this type but that of the line. */
static bool
others_may_have_any(Search *s, Opnd o, const Ty *ty, int steps, int depth, bool own)
{
	const int path = steps | 1 << depth;

	if (ty->kind == TY_PAIR && path < LONGEST)
		return others_may_have_any(s, o, ty->a, steps, depth + 1, own) || others_may_have_any(s, o, ty->b, steps | 1 << depth, depth + 1, own);
	return !(own && path == s->line->path) && !scalars_only(ty) && may_have_any(s, o, path);
}

/* May what it gives as number i have elements of what it sees, where they are? */
static bool
may_give_any(Search *s, const Bind *b, int i)
{
	if (b->op == NORMAL_if)
		return since(s, b->block[0]->yield[i]) || since(s, b->block[1]->yield[i]);
	if (b->op == NORMAL_fst || b->op == NORMAL_snd)
		return !scalars_only(b->dst[i]->ty) && may_have_any(s, b->arg[0], 2 + (b->op == NORMAL_snd));
	return !scalars_only(b->dst[i]->ty) && !makes_elements(b) && sees_any(s, b);
}

static void
gives(Search *s, const Bind *b)
{
	s->now++;
	for (int i = 0; i < b->ndst; i++)
		if (may_give_any(s, b, i))
			seen(s, b->dst[i])->since = s->now;
}

/* A call that is to make a version of another, or a jump: only that goes there. */
static bool
hands_on_one(Search *s, const Bind *call, int nth)
{
	for (int i = 0; i < call->narg; i++)
		if (i != nth && has_any(s, 1, &call->arg[i]))
			return false;
	return true;
}

static bool
is_seen_well(Search *s, const Bind *b)
{
	const Line *l = *map_at(s->line->by, b);

	if (b->op == NORMAL_call && is_jump(s->f, s->fun, b) && !hands_on_one(s, b, s->line->param))
		return false;
	if (b->op == NORMAL_call && l && !hands_on_one(s, b, l->param))
		return false;
	return sees_no_elements(b) || !is_stale(s, b->narg, b->arg);
}

static bool sees_the_last(Search *s, const Block *k);

/* Is all that it sees still as it was? */
static bool
one_sees_the_last(Search *s, const Bind *b)
{
	const int before = s->written;
	int after = before;

	if (!is_seen_well(s, b))
		return false;
	for (int i = 0; i < b->nblock; i++) {
		s->written = before;
		if (!sees_the_last(s, b->block[i]))
			return false;
		after = s->written > after ? s->written : after;
	}
	s->written = after;
	if (b->op != NORMAL_if && *map_at(s->line->by, b))
		s->written = s->now;
	gives(s, b);
	return true;
}

/* In the order in which they run (flatten.c). */
static bool
sees_the_last(Search *s, const Block *k)
{
	for (const Bind *b = k->first, *next; b; b = next) {
		next = *map_at(s->line->by, b) ? writer_waits_for(b, NULL) : b->next;
		for (const Bind *t = b->next; t != next; t = t->next)
			if (!one_sees_the_last(s, t))
				return false;
		if (!one_sees_the_last(s, b))
			return false;
	}
	return !is_stale(s, k->nyield, k->yield);
}

/* Do all tail calls of itself hand a version on? */
static bool
jumps_hand_on(Search *s, const Block *b)
{
	const Bind *t = block_tail(b);

	if (t && t->op == NORMAL_if)
		return jumps_hand_on(s, t->block[0]) && jumps_hand_on(s, t->block[1]);
	return !t || t->op != NORMAL_call || !is_jump(s->f, s->fun, t) || is_version(s, t->arg[s->line->param], 1);
}

static bool
is_line(Flattener *f, const Fun *fun, Line *l)
{
	Search s = {.f = f, .fun = fun, .param = fun->param[l->param], .line = l, .seen = map_new(f->arena), .now = 1};

	if (s.param->ty->kind != TY_SEQ || !scalars_only(s.param->ty->a) || (fun->recursive && !only_jumps(f, fun)))
		return false;
	look_through(&s, fun->body);
	seen(&s, s.param)->since = s.now;
	if (!jumps_hand_on(&s, fun->body) || (l->path && !is_version(&s, fun->body->yield[l->result], l->path)) || !sees_the_last(&s, fun->body))
		return false;
	l->alone = true;
	for (int i = 0; i < fun->nresult; i++)
		l->alone &= !others_may_have_any(&s, fun->body->yield[i], fun->result[i], 0, 0, i == l->result);
	return true;
}

const Line *
line_of(Flattener *f, const Fun *fun, int param, int result, int path)
{
	Line *l = *map_at(f->lines, fun);

	while (l && !(l->param == param && l->result == result && l->path == path))
		l = l->next;
	if (!l) {
		l = NEW(f->arena, Line, 1);
		*l = (Line){.param = param, .result = result, .path = path, .by = map_new(f->arena), .next = *map_at(f->lines, fun)};
		*map_at(f->lines, fun) = l;
		l->is = is_line(f, fun, l);
	}
	return l->is ? l : NULL;
}

/* lift.c: functions, one version per way of being called.
 *
 * A version is keyed by what each part of each argument is: of the host (the same for all rows) or one per
 * row, dense or view, one number for all rows (even.c).  Versions are made on demand, in the middle of flattening
 * the caller.  A lifted version starts with the number of rows, and sees a context of one level.
 *
 * A recursive call is flattened before its function's result is known.  It assumes dense results, with rows of one
 * length if those of an argument are; when the result turns out otherwise the assumption is widened and the whole
 * program flattened again (flatten.c).
 * Shapes only widen, dense to view, one length to any, so this ends.
 *
 * Rows that a recursion begins with are often dense, and views from its second level on: then the version for dense rows would be
 * the first level and no more, a second text of the whole function.  It is not made: rows are made views where it is called.  So are
 * those that a recursion of the host begins with. */
#include <string.h>
#include "flatten/flattener.h"

/* Lifted versions of one function; of a recursive one, and as many with something even.  Who comes when all but one are there is
 * not even; then it gets the most general one. */
enum { MOST_VERSIONS = 4, LARGE = 100 };

struct Spec {
	const Fun *of;                  /* in normal */
	Fun *fun;                       /* the version, in out */
	Val **result;                   /* shapes; levels: the host or, lifted, `entry` */
	Level *entry;                   /* NULL: called at the host */
	Val **state;                    /* of a loop, see flatten_loop */
	const int *root;                /* scalar code: by result, the parameter that it is a row of, see row_of; else NULL */
	bool even;                      /* of its arguments some part is, see even.c */
	bool decides, stays;            /* a conditional is one for all rows by that; calls back to its function are even too */
	bool done, assumed;             /* assumed: a recursive call relied on `result` */
	Val **arg;                      /* shapes */
	struct Spec *inner;             /* the one version that all calls of itself are of */
	bool differ;                    /* there is more than one of these */
	struct Spec *instead;           /* stands for this one, of which no recursive call is */
	struct Spec *next, *next_of;    /* next_of: of the same function */
};

/* -- keys -------------------------------------------------------------------------------------------- */

static const char *
key_of(Flattener *f, const char *key, const Val *v)
{
	const char *level = !v->level ? "" : at_host(v) ? "0" : v->even ? "e" : "1";

	switch (v->kind) {
	case VAL_PAIR:
		return key_of(f, key_of(f, key, v->a), v->b);
	case VAL_BASE:
		return arena_printf(f->arena, "%s%s.", key, level);
	case VAL_SEQ:
		break;
	}
	return key_of(f, arena_printf(f->arena, "%s%s%s", key, level, v->view ? "v" : "d"), v->elem);
}

static Spec *
spec_find(const Flattener *f, const char *key)
{
	return *map_at(f->spec_by_key, intern(f->in->names, key));
}

/* -- shapes of results -------------------------------------------------------------------------------- */

/* even: of a sequence, the lengths of its rows. */
Val *
dense_shape(Flattener *f, const Ty *ty, Level *lv, bool even)
{
	Val *v;

	if (ty->kind == TY_PAIR)
		return PAIR(f, dense_shape(f, ty->a, lv, even), dense_shape(f, ty->b, lv, even));
	if (ty->kind != TY_SEQ)
		return val_base(f, lv, ty, opnd_int(0));
	/* a descriptor wherever one stands: only the shape counts */
	v = val_dense(f, lv, (lv && !lv->parent) || even ? NULL : f->some_segdes, dense_shape(f, ty->a, NULL, false));
	v->even = even;
	return v;
}

Val *
host_shape(Flattener *f, const Ty *ty)
{
	return dense_shape(f, ty, &f->host, false);
}

/* With no instance where we are, checks at the host pass, whatever they see: what was cut out there may have any length. */
Var *
fresh_length(Flattener *f, const char *hint, bool host)
{
	Var *v = fresh(f, hint, host ? &ty_int : &ty_ints);

	v->natural = !host || f->cur->nonempty;
	return v;
}

/* New variables for a value's operands, from its shape; how many. */
static int
new_leaves(Flattener *f, const Val *v, const char *hint, Opnd *out)
{
	bool host = at_host(v);
	int n = 0;

	switch (v->kind) {
	case VAL_PAIR:
		n = new_leaves(f, v->a, hint, out);
		return n + new_leaves(f, v->b, hint, out + n);
	case VAL_BASE:
		out[0] = opnd_var(fresh(f, hint, host || v->even ? v->ty : ty_vec(v->ty)));
		return 1;
	case VAL_SEQ:
		break;
	}
	if (v->view) {
		out[n++] = opnd_var(fresh(f, hint, host ? &ty_int : &ty_ints));
		out[n++] = opnd_var(fresh_length(f, hint, host || v->even));
	} else if (v->even) {
		out[n++] = opnd_var(fresh_length(f, hint, true));
	} else if (!host) {
		out[n++] = opnd_var(fresh(f, hint, &ty_segdes));
	}
	return n + new_leaves(f, v->elem, hint, out + n);
}

Opnd *
fresh_leaves(Flattener *f, const Val *shape, const char *hint, int *n)
{
	Opnd *leaf = NEW(f->arena, Opnd, val_leaves(shape, NULL));

	*n = new_leaves(f, shape, hint, leaf);
	return leaf;
}

/* -- versions ------------------------------------------------------------------------------------------ */

Fun *
fun_new(Flattener *f, const char *name, Span span, bool recursive)
{
	Fun *out = NEW(f->arena, Fun, 1);

	out->name = map_fresh(f->names, f->arena, f->out->names, intern(f->out->names, name));
	out->span = span;
	out->recursive = recursive;
	*f->end = out;
	f->end = &out->next;
	return out;
}

Place
enter(Flattener *f, const Fun *fun, Level *cur)
{
	Place from = {f->frame, f->cur, f->hoist, f->env, f->fun, f->calls, f->store, f->line, f->span, f->hint,
		f->shadows.n};

	f->frame = NULL;
	f->env = env_new(f, fun->param, fun->nparam, fun->body);
	f->cur = cur;
	f->hoist = NULL;
	f->fun = fun;
	f->calls = NULL;
	f->store = (Stores){0};
	f->line = (Lines){0};
	f->span = fun->span;
	f->hint = NULL;
	return from;
}

void
leave(Flattener *f, const Place *from)
{
	f->frame = from->frame;
	f->cur = from->cur;
	f->hoist = from->hoist;
	f->env = from->env;
	f->fun = from->fun;
	f->calls = from->calls;
	f->store = from->store;
	f->line = from->line;
	f->span = from->span;
	f->hint = from->hint;
	f->shadows.n = from->shadows;
}

Val *
at_entry(Flattener *f, const Val *shape, Level *entry, const Opnd **leaf)
{
	return val_from_edge(f, val_said_at(f, val_replace(f, shape, leaf), entry));
}

void
bind_params(Flattener *f, Fun *to, Vars params, const Fun *fun, Val **arg, Level *entry)
{
	for (int i = 0; i < fun->nparam; i++) {
		int n;
		Opnd *leaf = fresh_leaves(f, arg[i], fun->param[i]->name, &n);
		const Opnd *at = leaf;

		for (int j = 0; j < n; j++)
			LIST_ADD(f->arena, &params, leaf[j].u.var);
		env_set(f, fun->param[i], at_entry(f, arg[i], entry, &at));
	}
	to->param = params.at;
	to->nparam = params.n;
}

Var *
rows_param(Flattener *f, Level *entry, Vars *params)
{
	Var *n = fresh(f, "n", &ty_int);

	entry->count = opnd_var(n);
	LIST_ADD(f->arena, params, n);
	return n;
}

static void
give(Flattener *f, Fun *to, int n, const Opnd *leaf)
{
	to->result = NEW(f->arena, const Ty *, n);
	for (int i = 0; i < n; i++)
		to->result[i] = opnd_ty(leaf[i]);
	to->nresult = n;
	block_yield(f->out, frame_block(f), n, leaf);
}

void
give_dense(Flattener *f, Fun *to, const Fun *fun, Val **r, Level *rows)
{
	Opnd *leaf;
	int n;

	for (int i = 0; i < fun->nresult; i++) {
		r[i] = val_densify(f, val_at(f, r[i], rows), false);
		r[i] = val_convert(f, r[i], dense_shape(f, fun->result[i], rows, false));
	}
	n = all_leaves(f, fun->nresult, r, &leaf);
	give(f, to, n, leaf);
}

static bool
is_row_of(const Spec *s, int i)
{
	return s->root && s->root[i] >= 0;
}

/* What the body gives, in the shape that recursive calls assumed; if they assumed too little, again. */
static void
settle(Flattener *f, Spec *s, int n, Val **r)
{
	for (int i = 0; i < n; i++) {
		Val *wide;

		if (is_row_of(s, i))
			continue;
		r[i] = val_to_edge(f, r[i]);
		wide = val_join_shape(f, s->result[i], r[i]);
		if (s->assumed && !val_same_shape(wide, s->result[i]))
			f->again = true;
		if (s->assumed)
			r[i] = val_convert(f, r[i], wide);
		s->result[i] = s->assumed ? wide : r[i];
	}
}

/* The operands of n results; of a row only which it is. */
static int
result_leaves(Flattener *f, const Spec *s, int n, Val **r, Opnd **leaf)
{
	LIST(Opnd) all = {0};

	for (int i = 0; i < n; i++) {
		Opnd *of, row[2];
		int m = 2;

		if (is_row_of(s, i)) {
			row[0] = seq_start(f, r[i]);
			row[1] = seq_length(f, r[i]);
			of = row;
		} else {
			m = all_leaves(f, 1, &r[i], &of);
		}
		for (int j = 0; j < m; j++)
			LIST_ADD(f->arena, &all, of[j]);
	}
	*leaf = all.at;
	return all.n;
}

static void
flatten_body(Flattener *f, Spec *s, const Fun *fun)
{
	int n = fun->nresult, m;
	Val **r = NEW(f->arena, Val *, n);
	Opnd *leaf, small;

	if (s->entry && !s->even && has_small_rows(f, fun, &small)) {
		flatten_by_size(f, fun, small, r);
	} else if (s->entry && loops(f, fun)) {
		flatten_loop(f, fun, s->entry, &(Lines){0}, s->state, r);
	} else {
		flatten_block(f, fun->body);
		for (int i = 0; i < n; i++) {
			r[i] = use(f, fun->body->yield[i]);
			if (s->entry)
				r[i] = val_at(f, r[i], s->entry);
		}
	}
	settle(f, s, n, r);
	m = result_leaves(f, s, n, r, &leaf);
	give(f, s->fun, m, leaf);
}

static void
make_version(Flattener *f, Spec *s, const Fun *fun, Val **arg)
{
	Place from = enter(f, fun, s->entry ? s->entry : &f->host);
	Frame *fr = frame_open(f);
	Spec *outer = f->version;
	Vars params = {0};

	f->version = s;
	s->decides = s->stays = false;
	if (s->entry)
		rows_param(f, s->entry, &params);
	bind_params(f, s->fun, params, fun, arg, s->entry);
	flatten_body(f, s, fun);
	s->fun->body = frame_close(f, fr);
	s->done = true;
	f->version = outer;
	leave(f, &from);
}

static bool
is_even(const Val *v, bool rows)
{
	if (v->kind == VAL_PAIR)
		return is_even(v->a, rows) || is_even(v->b, rows);
	return v->even && (!rows || v->kind == VAL_SEQ);
}

/* Is any part of the arguments even?  rows: a sequence. */
static bool
any_even(int n, Val *const *arg, bool rows)
{
	while (n > 0 && !is_even(arg[n - 1], rows))
		n--;
	return n > 0;
}

static Spec *
spec_new(Flattener *f, const char *key, const Fun *fun, Val *const *arg, bool lifted, const int *root)
{
	Spec *s = spec_find(f, key);            /* from an earlier round: keeps what was assumed */
	Level *level = lifted ? level_new(f, &f->host, opnd_int(0)) : &f->host;
	const bool even = any_even(fun->nparam, arg, true);

	if (!s) {
		s = NEW(f->arena, Spec, 1);
		*map_at(f->spec_by_key, intern(f->in->names, key)) = s;
		s->of = fun;
		s->even = any_even(fun->nparam, arg, false);
		s->state = NEW(f->arena, Val *, fun->nparam);
		s->arg = NEW(f->arena, Val *, fun->nparam);
		for (int i = 0; i < fun->nparam; i++)
			s->arg[i] = arg[i];
		s->next = f->specs;
		f->specs = s;
		s->next_of = *map_at(f->specs_of, fun);
		*map_at(f->specs_of, fun) = s;
	}
	s->entry = lifted ? level : NULL;
	level->entry = lifted;
	level->nonempty |= fun->recursive;      /* its calls are guarded, see call_op */
	s->fun = fun_new(f, lifted ? arena_printf(f->arena, "%s_lifted", fun->name) : fun->name, fun->span,
	                 fun->recursive);
	s->fun->scalar = root;
	s->root = root;
	if (!s->result)
		s->result = NEW(f->arena, Val *, fun->nresult);
	for (int i = 0; i < fun->nresult; i++)
		s->result[i] = s->result[i] ? val_with_level(f, s->result[i], level)
		                            : dense_shape(f, fun->result[i], level, even);
	return s;
}

void
forget_versions(Flattener *f)
{
	for (Spec *s = f->specs; s; s = s->next) {
		s->fun = NULL;
		s->inner = NULL;
		s->done = s->differ = false;
	}
}

/* -- calls --------------------------------------------------------------------------------------------- */

typedef struct Call {
	const Fun *fun;
	Val **arg;
	Level *level;
	bool back;                      /* within the parallel code of a function that it leads back to */
	Val **even;                     /* the arguments, where rows turn out to be of one length */
} Call;

static Val *
argument(Flattener *f, Val *v, Level *lv)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, argument(f, v->a, lv), argument(f, v->b, lv));
	return at_host(v) ? v : val_at(f, v, lv);
}

Val *
fresh_result(Flattener *f, const Val *shape, Level *lv, const char *hint, Vars *dst)
{
	int n;
	Opnd *leaf = fresh_leaves(f, shape, hint, &n);
	const Opnd *at = leaf;

	for (int i = 0; i < n; i++)
		LIST_ADD(f->arena, dst, leaf[i].u.var);
	return val_with_level(f, val_replace(f, shape, &at), lv);
}

void
bind_call(Flattener *f, const Fun *to, const Vars *dst, int nlead, const Opnd *lead, int n, Val *const *val, Level *lv)
{
	Opnd *arg;
	const int narg = all_leaves(f, n, val, &arg);
	Bind *b = bind_new(f->out, frame_block(f), FLAN_call, dst->n, nlead + narg, 0, f->span);
	Way w = {0};

	b->name = to->name;
	for (int i = 0; i < dst->n; i++)
		b->dst[i] = dst->at[i];
	for (int i = 0; i < nlead + narg; i++)
		b->arg[i] = i < nlead ? lead[i] : arg[i - nlead];
	way_out(f, lv, (Span){0}, &w);
	bind_way(f->out, b, w.n, w.at);
}

static void
emit_call(Flattener *f, const Call *c, Spec *s, Val **out)
{
	const char *hint = f->hint ? f->hint : c->fun->name;
	Vars dst = {0};

	for (int i = 0; i < c->fun->nresult; i++) {
		Var *row[2];

		if (is_row_of(s, i)) {
			out[i] = row_of(f, c->arg[s->root[i]], c->fun->result[i], c->level, hint, &row[0], &row[1]);
			LIST_ADD(f->arena, &dst, row[0]);
			LIST_ADD(f->arena, &dst, row[1]);
			continue;
		}
		out[i] = fresh_result(f, s->result[i], c->level, hint, &dst);
	}
	bind_call(f, s->fun, &dst, s->entry != NULL, &c->level->count, c->fun->nparam, c->arg, c->level);
	for (int i = 0; i < c->fun->nresult; i++)
		out[i] = val_from_edge(f, out[i]);
}

const char *
version_key(Flattener *f, const char *key, int narg, Val *const *arg, bool lifted)
{
	for (int i = 0; i < narg; i++)
		key = key_of(f, arena_printf(f->arena, "%s ", key), arg[i]);
	return arena_printf(f->arena, "%s%s", lifted ? "^" : "", key);
}

static Spec *version(Flattener *f, const char *key, const Fun *fun, Val **arg, bool lifted, const int *root);

/* A scan of the host by a function of scalar code: a target may run it block by block, by this version of the function
 * (backend/scans.h).  NULL: it has to go the way of its body.  What the function captured comes first. */
static const char *
operator_of(Flattener *f, const Fun *scan, Val *const *arg)
{
	const Fun *by = scan->scans ? fun_find(f->in, scan->scans) : NULL;
	const int *root = by && f->own_ways ? scalar_code(f, by) : NULL;
	Val **of, *x;

	if (!root || !scalars_only(by->result[0]) || reads_cells(f, by))
		return NULL;
	for (int i = 0; i < scan->nparam; i++)
		if (val_has_views(arg[i]))
			return NULL;
	of = NEW(f->arena, Val *, by->nparam);
	for (int i = 0; i < by->nparam - 2; i++)
		of[i] = arg[i];
	x = host_shape(f, by->result[0]);
	of[by->nparam - 2] = of[by->nparam - 1] = x;
	return version(f, by->name, by, of, false, root)->fun->name;
}

static Spec *
version(Flattener *f, const char *key, const Fun *fun, Val **arg, bool lifted, const int *root)
{
	Spec *s;

	key = version_key(f, key, fun->nparam, arg, lifted);
	s = spec_find(f, key);
	if (!s || !s->fun) {
		s = spec_new(f, key, fun, arg, lifted, root);
		make_version(f, s, fun, arg);
		s->fun->scans = lifted ? NULL : operator_of(f, fun, arg);
	} else if (!s->done) {
		s->assumed = true;
	}
	return s;
}

const Fun *
host_version(Flattener *f, const char *key, const Fun *fun, const int *root, Val **arg, Val ***result)
{
	Spec *s = version(f, key, fun, arg, false, root);

	*result = s->result;
	return s->fun;
}

/* All of it at lv (NULL: a column), and all sequences views. */
static Val *
most_general(Flattener *f, Val *v, Level *lv)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, most_general(f, v->a, lv), most_general(f, v->b, lv));
	if (lv)
		v = val_at(f, v, lv);
	if (v->kind == VAL_BASE)
		return v;
	return VIEW(f, lv, seq_start(f, v), seq_length(f, v), most_general(f, v->elem, NULL));
}

/* Recursion has rows and views, and in batches views of views.  Of so large a function there is one text, for what all of these can be
 * made at no cost. */
static bool
is_large(const Fun *f)
{
	return f->recursive && block_bindings(f->body) >= LARGE;
}

/* All rows are views; what the host has, and what is even, is as it was. */
static Val *
with_views(Flattener *f, Val *v)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, with_views(f, v->a), with_views(f, v->b));
	if (v->kind == VAL_BASE || v->even || at_host(v))
		return v;
	return most_general(f, v, v->level);
}

/* -- a first level that would be a version of its own ----------------------------------------------------- */

/* Is of b what is of a, and more one per row, or a view?  (Where rows of one length begin is a task more at each call, of few
 * tasks.) */
static bool
is_wider(Flattener *f, const Spec *a, const Spec *b)
{
	bool wider = !a->even && !b->even;

	for (int i = 0; i < a->of->nparam && wider; i++) {
		Level *lv = b->entry ? b->entry : &f->host;
		const Val *shape = val_said_at(f, b->arg[i], lv);

		wider = val_same_shape(val_join_shape(f, val_said_at(f, a->arg[i], lv), shape), shape);
	}
	return wider;
}

/* A call in the version that is being made of its own function, for rows as it is, or at the host as it is: of s. */
static void
note_inner(Flattener *f, Spec *s)
{
	Spec *by = f->version;

	if (!by || by->of != s->of || !by->entry != !s->entry)
		return;
	by->differ |= by->inner && by->inner != s;
	by->inner = s;
}

/* s has been called. */
static void
look_for_instead(Flattener *f, Spec *s)
{
	if (!s->done || !s->inner || s->differ || s->assumed || s->instead || !is_wider(f, s, s->inner))
		return;
	s->instead = s->inner;
	f->again = true;
}

static Spec *
known_version(Flattener *f, const Call *c, Val *const *arg)
{
	return spec_find(f, version_key(f, c->fun->name, c->fun->nparam, arg, c->level->parent != NULL));
}

/* The arguments, as they are called with. */
static Val **
for_instead(Flattener *f, const Call *c)
{
	const Spec *s = known_version(f, c, c->arg);
	Val **arg;

	if (!s || !s->instead)
		return c->arg;
	arg = NEW(f->arena, Val *, c->fun->nparam);
	for (int i = 0; i < c->fun->nparam; i++)
		arg[i] = val_convert(f, c->arg[i], val_said_at(f, s->instead->arg[i], c->level));
	return known_version(f, c, arg) == s->instead ? arg : c->arg;
}

/* Would another lifted version be one too many? */
static bool
one_too_many(Flattener *f, const Call *c)
{
	const Spec *known = known_version(f, c, c->arg);
	const bool even = any_even(c->fun->nparam, c->arg, false);
	int n = 1;

	for (const Spec *s = *map_at(f->specs_of, c->fun); s; s = s->next_of)
		n += s->entry && s->fun && (s->even == even || !c->fun->recursive);
	return n >= MOST_VERSIONS && !(known && known->fun);
}

static bool
gives_scalars(const Fun *fun)
{
	int i = 0;

	while (i < fun->nresult && scalars_only(fun->result[i]))
		i++;
	return i == fun->nresult;
}

/* By the version for arguments like these. */
static Spec *
call_version(Flattener *f, const Call *what, Val **out)
{
	Call c = *what;
	const bool lifted = c.level->parent;
	Val **arg = NEW(f->arena, Val *, c.fun->nparam);
	Spec *s;

	for (int i = 0; i < c.fun->nparam && lifted; i++)
		arg[i] = val_to_edge(f, what->arg[i]);
	for (int i = 0; i < c.fun->nparam && lifted && is_large(c.fun); i++)
		arg[i] = with_views(f, arg[i]);
	c.arg = lifted ? arg : what->arg;
	if (lifted && one_too_many(f, &c))
		c.arg = what->arg;
	if (lifted && one_too_many(f, &c)) {
		for (int i = 0; i < c.fun->nparam; i++)
			arg[i] = most_general(f, what->arg[i], c.level);
		c.arg = arg;
	}
	c.arg = for_instead(f, &c);
	s = version(f, c.fun->name, c.fun, c.arg, lifted, lifted ? NULL : scalar_code(f, c.fun));
	if (c.back && any_even(c.fun->nparam, c.arg, true) && (!c.even || gives_scalars(c.fun)) && (!s->done || s->stays))
		f->version->stays = true;
	note_inner(f, s);
	look_for_instead(f, s);
	emit_call(f, &c, s, out);
	return s;
}

/* -- rows that turn out to be of one length ------------------------------------------------------------- */

void
decided_for_all(Flattener *f)
{
	if (f->version)
		f->version->decides = true;
}

/* Can it be found out when the program runs whether all rows that the function is called for are of one length?  The host
 * looks at them where a recursion begins; within, where it knows how long they are. */
static bool
may_be_even(Flattener *f, Call *c, Opnd *cond)
{
	Val **even = NEW(f->arena, Val *, c->fun->nparam);

	if (!c->level->parent || !c->fun->recursive || *map_at(f->uneven, c->fun))
		return false;
	for (int i = 0; i < c->fun->nparam; i++)
		if (!(even[i] = val_if_even(f, c->arg[i], !c->back, cond)))
			return false;
	c->even = cond->kind == OPND_VAR ? even : NULL;
	return c->even;
}

/* It is of use if a conditional is one for all rows then, and they stay even on the way down; up, too, or nothing is known of the
 * rows that come back. */
static void
call_even(Flattener *f, const void *what, Val **out)
{
	Call c = *(const Call *)what;
	const Spec *s;

	c.arg = c.even;
	s = call_version(f, &c, out);
	if (s->done && !(s->decides && s->stays)) {
		*map_at(f->uneven, c.fun) = (void *)c.fun;
		f->again = true;
	}
}

static void
call_whole(Flattener *f, const void *what, Val **out)
{
	call_version(f, what, out);
}

void
call_rows(Flattener *f, const Fun *fun, Val **arg, Level *lv, Val **out)
{
	call_version(f, &(Call){fun, arg, lv, false, NULL}, out);
}

/* In batches, where that is worth while. */
typedef struct Apart {
	Call call;
	Opnd cuts;
} Apart;

static void
call_batches(Flattener *f, const void *what, Val **out)
{
	const Apart *a = what;

	call_in_batches(f, a->call.fun, a->call.arg, a->call.level, a->cuts, out);
}

static void
call_at_once(Flattener *f, const void *what, Val **out)
{
	const Call *c = what;

	call_few(f, c->fun, c->arg, out);
}

static void
call_any(Flattener *f, const void *what, Val **out)
{
	Apart a = {*(const Call *)what, opnd_int(0)};
	Opnd n, small;

	if (!a.call.back && loops_for_small_rows(f, a.call.fun, a.call.arg, &small)) {
		call_by_size(f, a.call.fun, a.call.arg, small, out);
		return;
	}
	if (has_few_rows(f, a.call.fun, a.call.arg, &small)) {
		choose(f, small, call_at_once, call_whole, &a, a.call.fun->nresult, out);
		return;
	}
	if (!a.call.back || !comes_apart(f, a.call.fun, a.call.arg, &a.cuts)) {
		call_version(f, what, out);
		return;
	}
	n = length_of(f, a.cuts);
	choose(f, SCALAR_OP(f, FLAN_gt, &ty_bool, n, opnd_int(2)), call_batches, call_whole, &a, a.call.fun->nresult, out);
}

static void
run_call(Flattener *f, const void *what, Val **out)
{
	Call c = *(const Call *)what;
	Opnd cond = opnd_bool(true);

	for (int i = 0; i < c.fun->nparam && c.fun->scans && f->own_ways && !c.level->parent; i++)
		c.arg[i] = val_densify(f, c.arg[i], false);
	if (may_be_even(f, &c, &cond))
		choose(f, cond, call_even, call_any, &c, c.fun->nresult, out);
	else
		call_any(f, &c, out);
}

Val **
call_arguments(Flattener *f, const Bind *b)
{
	Val **arg = NEW(f->arena, Val *, b->narg);

	for (int i = 0; i < b->narg; i++)
		arg[i] = argument(f, use(f, b->arg[i]), f->cur);
	return arg;
}

/* Once, at the host, by the function that does for all rows together what c->fun does for one. */
static void
call_for_rows(Flattener *f, const Call *c, Val **out)
{
	Val *rows = val_dense(f, &f->host, NULL, val_lift(f, c->arg[0], c->level)), *all;

	call_version(f, &(Call){fun_find(f->in, c->fun->rows), &rows, &f->host, false, NULL}, &all);
	out[0] = val_with_level(f, val_densify(f, all, false)->elem, c->level);
}

void
call_at(Flattener *f, const Bind *b, Val **arg, Val **out)
{
	Call c = {fun_find(f->in, b->name), arg, f->cur, false, NULL};

	if (c.level->parent && c.fun->rows) {
		call_for_rows(f, &c, out);
		return;
	}
	if (c.level->parent)
		c.fun = as_one(f, c.fun);
	c.back = c.fun->recursive && f->fun && f->version->entry && leads_to(f, b, f->fun);
	if (c.level->parent ? scalar_fun(f, c.fun) : scalar_code(f, c.fun) != NULL)
		c.fun = scalar_with_cells(f, c.fun, &c.arg);
	if (c.level->parent && scalar_fun(f, c.fun))
		call_for_each(f, c.fun->name, c.fun, scalar_code(f, c.fun), c.arg, out);
	/* recursion ends where a context is empty */
	else if (c.fun->recursive && c.level->parent && !c.level->nonempty)
		run_if_inhabited(f, c.level, run_call, &c, b->ndst, out);
	else
		run_call(f, &c, out);
}

enum { MOST_TAKEN = 16 };       /* bindings of a function that stands where it is called */

/* Does it take no more than parts of what it is given, of which a condition decides?  Counts its bindings in *n. */
static bool
only_takes(const Block *k, int *n, bool *decides)
{
	for (const Bind *b = k->first; b; b = b->next) {
		const bool takes = b->op == NORMAL_pair || b->op == NORMAL_fst || b->op == NORMAL_snd || b->op == NORMAL_length || b->op == NORMAL_elt
			|| b->op == NORMAL_subseq || normal_ir.op[b->op].cls == OP_SCALAR;

		if (++*n > MOST_TAKEN || !(takes || b->op == NORMAL_if))
			return false;
		for (int i = 0; i < b->ndst && b->op == NORMAL_if; i++)
			*decides |= !scalars_only(b->dst[i]->ty);
		for (int i = 0; i < b->nblock; i++)
			if (!only_takes(b->block[i], n, decides))
				return false;
	}
	return true;
}

/* Such a function stands where it is called: what is taken of a row that it gives is taken where that is from (pieces.c), which is not
 * seen behind a call. */
static bool
stands_here(const Flattener *f, const Bind *b)
{
	const Fun *g = fun_find(f->in, b->name);
	bool decides = false;
	int n = 0;

	return f->cur->parent && !g->rows && !g->scans && only_takes(g->body, &n, &decides) && decides;
}

void
call_op(Flattener *f, const Bind *b)
{
	Val **out = NEW(f->arena, Val *, b->ndst);
	const Lines line = lines_of_call(f, b);

	if (line.n > 0 || stands_here(f, b))
		call_here(f, b, line, out);
	else
		call_at(f, b, call_arguments(f, b), out);
	for (int i = 0; i < b->ndst; i++)
		env_set(f, b->dst[i], out[i]);
}

/* normal.c: names for every intermediate value.
 *
 * In   u->mono: instances of functions and the user's forms, all types concrete.
 * Out  u->ir over normal_ir: every argument a variable or constant, each bound once, patterns taken
 *      apart by fst and snd, filters as packs of the sources.
 * How  Strictly left to right.  Where a library function is written out, what it does carries the position
 *      of that use, so that its faults point at the user's code; other functions are called, with one argument for each name of their parameter pattern.
 *      What a form reads of globals inside an apply-to-each is read before it.
 *
 * Random numbers are pure here.  Their state is a key and a count of what was drawn since; each draw is an
 * operator over both.  Functions that draw take them, and give the count they leave (those that seed, the key
 * too).  Element i of an apply-to-each that draws begins at the key that comes of the state there and i, and
 * at count 0; the apply-to-each as a whole counts as one draw. */
#include "frontend/normal.h"
#include "common/map.h"
#include "frontend/command.h"
#include "frontend/mono.h"
#include "frontend/scalar.h"
#include <string.h>

typedef struct Local {                  /* names in scope, innermost first */
	const char *name;
	Opnd value;
	const struct Local *up;
} Local;

enum { KEY, COUNT, PARTS };
typedef struct { Opnd part[PARTS]; } State;

typedef struct {
	Unit *u;
	Arena *arena;
	Program *p;
	State state;            /* of random numbers, at this point */
	Span use;               /* inside a library function: where the user called it */
	Block *outside;         /* in an apply-to-each: the block around the outermost one */
	bool certain;           /* and what is here is evaluated for every element */
	Cell **cellend;
	Map *tried;             /* by name: see cell_of */
	Fun **funend;
	Fun *fun;               /* being made, of this instance, if it is no entry */
	const Inst *inst;
	Entry **entryend;
} Norm;

/* The parts of the state, and the effect that changes them. */
static const struct { const char *name; unsigned effect; } part[PARTS] = {
	[KEY] = {"key", EFFECT_SEEDS}, [COUNT] = {"count", EFFECT_DRAWS},
};

static Opnd norm(Norm *n, Block *b, const Local *sc, const Expr *e);

static Span
span_of(const Norm *n, Span at)
{
	return n->use.file ? n->use : at;
}

static const Ty *
ty_of(const Norm *n, Type *t)
{
	return type_ty(n->arena, t);
}

/* dst = op args */
static Bind *
emit_bind(Norm *n, Block *b, int op, const char *hint, const Ty *ty, int narg, const Opnd *arg, Span at)
{
	Bind *x = bind_new(n->p, b, op, 1, narg, 0, span_of(n, at));

	x->dst[0] = var_new(n->p, hint, ty);
	for (int i = 0; i < narg; i++)
		x->arg[i] = arg[i];
	return x;
}

static Opnd
emit(Norm *n, Block *b, int op, const char *hint, const Ty *ty, int narg, const Opnd *arg, Span at)
{
	return opnd_var(emit_bind(n, b, op, hint, ty, narg, arg, at)->dst[0]);
}

/* -- names and patterns --------------------------------------------------------------------------------- */

static const Local *
local_add(Norm *n, const Local *sc, const char *name, Opnd v)
{
	Local *l = NEW(n->arena, Local, 1);

	*l = (Local){name, v, sc};
	return l;
}

/* Bind the names of a pattern to (parts of) a value. */
static const Local *
bind_value(Norm *n, Block *b, const Local *sc, const Pattern *p, Opnd v)
{
	const Ty *t = opnd_ty(v);
	Opnd x, y;

	if (p->kind == PAT_NAME)
		return local_add(n, sc, p->name, v);
	x = emit(n, b, NORMAL_fst, p->a->kind == PAT_NAME ? p->a->name : "p", t->a, 1, &v, p->span);
	y = emit(n, b, NORMAL_snd, p->b->kind == PAT_NAME ? p->b->name : "p", t->b, 1, &v, p->span);
	sc = bind_value(n, b, sc, p->a, x);
	return bind_value(n, b, sc, p->b, y);
}

/* Bind the names of a pattern to an expression that is evaluated in sc.  Explicit tuples are never built.
 * named: what is made here takes the pattern's name. */
static const Local *
bind_expr(Norm *n, Block *b, const Local *sc, const Local *inner, const Pattern *p, const Expr *e,
	bool named)
{
	int before = n->p->nvar;
	Opnd v;

	if (p->kind == PAT_PAIR && e->kind == EXPR_PAIR) {
		inner = bind_expr(n, b, sc, inner, p->a, e->u.pair.a, named);
		return bind_expr(n, b, sc, inner, p->b, e->u.pair.b, named);
	}
	v = norm(n, b, sc, e);
	if (named && p->kind == PAT_NAME && v.kind == OPND_VAR && v.u.var->id >= before)
		v.u.var->name = p->name;
	return bind_value(n, b, inner, p, v);
}

/* How many arguments a function with this parameter has: one for each name, but for functions that captured nothing. */
static int
arguments(const Pattern *p)
{
	return p->kind == PAT_NAME ? !type_hollow(p->type) : arguments(p->a) + arguments(p->b);
}

/* Their values, in order, from before *end: the names bound last, which scope lists backwards.  Gives the scope
 * without these. */
static const Local *
last_arguments(const Local *sc, const Pattern *p, Opnd **end)
{
	if (p->kind == PAT_PAIR)
		return last_arguments(last_arguments(sc, p->b, end), p->a, end);
	if (!type_hollow(p->type))
		*--*end = sc->value;
	return sc->up;
}

/* -- random numbers --------------------------------------------------------------------------------------- */

/* One draw is done. */
static void
advance(Norm *n, Block *b, Span at)
{
	Opnd c = n->state.part[COUNT];

	n->state.part[COUNT] = c.kind == OPND_INT ? opnd_int(c.u.i + 1)
		: emit(n, b, NORMAL_add, "count", &ty_int, 2, (Opnd[]){c, opnd_int(1)}, at);
}

static Opnd
norm_draw(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	Opnd v = norm(n, b, sc, e->u.prim.arg[0]), r;

	r = emit(n, b, NORMAL_rand, "r", opnd_ty(v), 3, (Opnd[]){v, n->state.part[KEY], n->state.part[COUNT]},
		e->span);
	advance(n, b, e->span);
	return r;
}

static Opnd
norm_seed(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	n->state = (State){{norm(n, b, sc, e->u.prim.arg[0]), opnd_int(0)}};
	return opnd_bool(true);
}

/* -- globals -------------------------------------------------------------------------------------------- */

static Cell *
cell_of(Norm *n, Decl *d)
{
	Cell *c = d->cell;
	uintptr_t k;    /* the last number tried behind its name */

	if (c)
		return c;
	if (!d->form)
		return d->cell = cell_find(n->p, d->name);      /* an input */
	k = *map_at(n->tried, d->name) ? (uintptr_t)*map_at(n->tried, d->name) : 1;
	c = d->cell = NEW(n->arena, Cell, 1);
	c->shown = c->name = d->name;
	c->ty = ty_of(n, d->type);
	while (cell_find(n->p, c->name))
		c->name = intern(n->u->names, arena_printf(n->arena, "%s_%ju", d->name, (uintmax_t)++k));
	*map_at(n->tried, d->name) = (void *)k;
	*n->cellend = c;
	n->cellend = &c->next;
	return c;
}

static Opnd
norm_var(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	Decl *d = e->u.var.decl;
	Cell *c;
	Bind *x;

	if (d->kind == DECL_LOCAL) {
		while (sc && sc->name != e->u.var.name)
			sc = sc->up;
		if (!sc)
			ice(e->span, "normal", "`%s` has no value", e->u.var.name);
		return sc->value;
	}
	c = cell_of(n, d);
	x = emit_bind(n, n->outside ? n->outside : b, NORMAL_cell, d->name, c->ty, 0, NULL, e->span);
	x->name = c->name;
	return opnd_var(x->dst[0]);
}

/* -- application ---------------------------------------------------------------------------------------- */

static Opnd
inline_call(Norm *n, Block *b, const Local *args, const Inst *f, Span at)
{
	Span use = n->use;
	Opnd r;

	n->use = f->decl->basis ? span_of(n, at) : (Span){0};
	r = norm(n, b, args, f->form->body);
	n->use = use;
	return r;
}

static Opnd
int_literal(const Norm *n, int64_t i)
{
	return opnd_int(int_wrapped(n->p->int_bits, i));
}

/* -5 is a constant */
static bool
negated_literal(const Norm *n, const Inst *f, const Expr *arg, Opnd *r)
{
	if (!f->decl->basis || strcmp(f->decl->name, "negate") != 0)
		return false;
	if (arg->kind == EXPR_INT)
		*r = int_literal(n, (int64_t)(0 - (uint64_t)arg->u.i));
	else if (arg->kind == EXPR_FLOAT)
		*r = opnd_float(0.0 - arg->u.f);
	else
		return false;
	return true;
}

/* The types of what a call gives: the value, and the parts of the state that the function may change. */
static const Ty **
result_types(Norm *n, const Inst *f, int *k)
{
	const Ty **t = NEW(n->arena, const Ty *, 1 + PARTS);

	t[0] = ty_of(n, type_head(f->type)->b);
	*k = 1;
	for (int s = 0; s < PARTS; s++)
		if (f->effects & part[s].effect)
			t[(*k)++] = &ty_int;
	return t;
}

static Opnd
norm_call(Norm *n, Block *b, const Inst *f, int k, const Opnd *v, Span at)
{
	int nr, lead = f->effects & EFFECT_DRAWS ? PARTS : 0;
	const Ty **ty = result_types(n, f, &nr);
	Bind *x = bind_new(n->p, b, NORMAL_call, nr, lead + k, 0, span_of(n, at));

	x->name = f->name;
	for (int i = 0; i < lead; i++)
		x->arg[i] = n->state.part[i];
	for (int i = 0; i < k; i++)
		x->arg[lead + i] = v[i];
	x->dst[0] = var_new(n->p, "r", ty[0]);
	for (int s = 0, i = 1; s < PARTS; s++)
		if (f->effects & part[s].effect)
			n->state.part[s] = opnd_var(x->dst[i++] = var_new(n->p, part[s].name, &ty_int));
	return opnd_var(x->dst[0]);
}

static Opnd
norm_apply(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	const Inst *f = e->u.apply.fn->u.var.decl;
	const Local *args;
	Opnd r, *v, *end;
	int k = arguments(f->form->param);

	if (negated_literal(n, f, e->u.apply.arg, &r))
		return r;
	args = bind_expr(n, b, sc, NULL, f->form->param, e->u.apply.arg, !f->decl->basis);
	if (f->inlined)
		return inline_call(n, b, args, f, e->span);
	v = NEW(n->arena, Opnd, k + 1);
	end = v + k;
	last_arguments(args, f->form->param, &end);
	return norm_call(n, b, f, k, v, e->span);
}

/* -- conditionals ------------------------------------------------------------------------------------------ */

static Opnd
norm_if(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	Opnd c = norm(n, b, sc, e->u.branch.cond), v[2], out[1 + PARTS];
	const Expr *arm[2] = {e->u.branch.then, e->u.branch.orelse};
	State before = n->state, after[2];
	bool certain = n->certain;
	Block *block[2];
	int moved[PARTS], k = 0;
	Bind *x;

	n->certain = false;
	for (int i = 0; i < 2; i++) {
		n->state = before;
		block[i] = block_new(n->p);
		v[i] = norm(n, block[i], sc, arm[i]);
		after[i] = n->state;
	}
	n->certain = certain;
	n->state = before;
	for (int s = 0; s < PARTS; s++)
		if (!same_opnd(after[0].part[s], before.part[s]) || !same_opnd(after[1].part[s], before.part[s]))
			moved[k++] = s;
	x = bind_new(n->p, b, NORMAL_if, 1 + k, 1, 2, span_of(n, e->span));
	x->arg[0] = c;
	x->dst[0] = var_new(n->p, "r", ty_of(n, e->type));
	for (int j = 0; j < k; j++) {
		x->dst[1 + j] = var_new(n->p, part[moved[j]].name, &ty_int);
		n->state.part[moved[j]] = opnd_var(x->dst[1 + j]);
	}
	for (int i = 0; i < 2; i++) {
		out[0] = v[i];
		for (int j = 0; j < k; j++)
			out[1 + j] = after[i].part[moved[j]];
		block_yield(n->p, block[i], 1 + k, out);
		x->block[i] = block[i];
	}
	return opnd_var(x->dst[0]);
}

/* -- apply-to-each ----------------------------------------------------------------------------------------- */

typedef struct { const char *name; bool found; } Mention;

static void
find_mention(void *with, const Expr *e)
{
	Mention *m = with;

	m->found = m->found || (e->kind == EXPR_VAR && e->u.var.name == m->name);
	if (!m->found)
		expr_each(e, find_mention, m);
}

/* May e use the name?  (A name that is bound again inside counts, which is only cautious.) */
static bool
mentions(const Expr *e, const char *name)
{
	Mention m = {name, false};

	find_mention(&m, e);
	return m.found;
}

static bool
mentions_pattern(const Expr *e, const Pattern *p)
{
	if (p->kind == PAT_NAME)
		return mentions(e, p->name);
	return mentions_pattern(e, p->a) || mentions_pattern(e, p->b);
}

/* The sources of an apply-to-each that its body sees. */
typedef struct {
	const Pattern **pat;            /* not of the last, if that is the index that random numbers need */
	Opnd *src;
	int n;
} Sources;

/* The body draws: each element begins with a key of its own, made of the state outside and of its index. */
static void
emit_key(Norm *n, Block *b, Block *in, Sources *s, Var *key, Span at)
{
	Bind *x = bind_new(n->p, block_new(n->p), NORMAL_rand_key, 1, 3, 0, span_of(n, at));

	s->src[s->n++] = emit(n, b, NORMAL_positions, "is", ty_seq(n->arena, &ty_int), 1, &s->src[0], at);
	in->param[in->nparam++] = var_new(n->p, "i", &ty_int);
	x->dst[0] = key;
	x->arg[0] = n->state.part[KEY];
	x->arg[1] = n->state.part[COUNT];
	x->arg[2] = opnd_var(in->param[in->nparam - 1]);
	x->next = in->first;
	in->first = x;
	advance(n, b, at);
}

/* dst = foreach sources { (params) body }.  In s is room for one more source. */
static Opnd
emit_foreach(Norm *n, Block *b, const Local *sc, Sources s, const Expr *body, Span at, bool certain)
{
	Block *in = block_new(n->p), *outside = n->outside;
	Var *key = var_new(n->p, "key", &ty_int);
	const State before = n->state;
	bool wascertain = n->certain, draws;
	Opnd v;
	Bind *x;

	in->param = NEW(n->arena, Var *, s.n + 1);
	in->nparam = s.n;
	for (int i = 0; i < s.n; i++) {
		const Pattern *p = s.pat[i];
		in->param[i] = var_new(n->p, p->kind == PAT_NAME ? p->name : "p", opnd_ty(s.src[i])->a);
		sc = bind_value(n, in, sc, p, opnd_var(in->param[i]));
	}
	n->certain = certain && (!outside || wascertain);
	n->outside = outside ? outside : b;
	n->state = (State){{opnd_var(key), opnd_int(0)}};
	v = norm(n, in, sc, body);
	draws = !same_opnd(n->state.part[COUNT], opnd_int(0));
	n->state = before;
	n->outside = outside;
	n->certain = wascertain;
	block_yield(n->p, in, 1, &v);
	if (draws)
		emit_key(n, b, in, &s, key, at);
	x = bind_new(n->p, b, NORMAL_foreach, 1, s.n, 1, span_of(n, at));
	x->dst[0] = var_new(n->p, "r", ty_seq(n->arena, opnd_ty(v)));
	memcpy(x->arg, s.src, sizeof(Opnd) * (size_t)s.n);
	x->block[0] = in;
	return opnd_var(x->dst[0]);
}

/* Those of the sources that the body uses (at least one), packed by the flags. */
static Sources
emit_pack(Norm *n, Block *b, const Sources *s, Opnd flags, const Expr *body, Span at)
{
	Sources r = {NEW(n->arena, const Pattern *, s->n + 1), NEW(n->arena, Opnd, s->n + 1), 0};
	Bind *x;

	for (int i = 0; i < s->n; i++)
		if (mentions_pattern(body, s->pat[i]) || (i == s->n - 1 && r.n == 0)) {
			r.pat[r.n] = s->pat[i];
			r.src[r.n++] = s->src[i];
		}
	x = bind_new(n->p, b, NORMAL_pack, r.n, r.n + 1, 0, span_of(n, at));
	x->arg[0] = flags;
	for (int i = 0; i < r.n; i++) {
		x->arg[i + 1] = r.src[i];
		x->dst[i] = var_new(n->p, "kept", opnd_ty(r.src[i]));
		r.src[i] = opnd_var(x->dst[i]);
	}
	return r;
}

static Opnd
norm_foreach(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	const Expr *body = e->u.foreach.body, *filter = e->u.foreach.filter;
	Sources s = {0};
	int k = 0;
	Opnd flags;

	for (const Generator *g = e->u.foreach.gens; g; g = g->next)
		k++;
	s.pat = NEW(n->arena, const Pattern *, k + 1);
	s.src = NEW(n->arena, Opnd, k + 1);
	for (const Generator *g = e->u.foreach.gens; g; g = g->next) {
		s.pat[s.n] = g->pat;
		s.src[s.n++] = norm(n, b, sc, g->source);
	}
	if (!filter)
		return emit_foreach(n, b, sc, s, body, e->span, true);
	flags = emit_foreach(n, b, sc, s, filter, e->span, true);
	s = emit_pack(n, b, &s, flags, body, e->span);
	if (body->kind == EXPR_VAR && s.n == 1 && s.pat[0]->kind == PAT_NAME
	    && s.pat[0]->name == body->u.var.name)
		return s.src[0];
	return emit_foreach(n, b, sc, s, body, e->span, false);
}

/* -- the rest ---------------------------------------------------------------------------------------------- */

static Opnd
norm_list(Norm *n, Block *b, const Local *sc, int op, const char *hint, const Expr *e,
	Expr *const *at, int k)
{
	Opnd *v = NEW(n->arena, Opnd, k + 1);

	for (int i = 0; i < k; i++)
		v[i] = norm(n, b, sc, at[i]);
	return emit(n, b, op, hint, ty_of(n, e->type), k, v, e->span);
}

static Opnd
norm_clock(Norm *n, Block *b, int k, const Opnd *after, Span at)
{
	return emit(n, b, NORMAL_clock, "clock", &ty_float, k, after, at);
}

/* All of e, literals too, is evaluated between the two clocks. */
static Opnd
norm_time(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	bool certain = n->certain;
	Opnd start = norm_clock(n, b, 0, NULL, e->span), v, end, seconds;

	n->certain = false;
	v = norm(n, b, sc, e->u.prim.arg[0]);
	n->certain = certain;
	end = norm_clock(n, b, 1, &v, e->span);
	seconds = emit(n, b, NORMAL_sub, "seconds", &ty_float, 2, (Opnd[]){end, start}, e->span);
	return emit(n, b, NORMAL_pair, "p", ty_of(n, e->type), 2, (Opnd[]){v, seconds}, e->span);
}

/* max_int and min_int (basis/scalar.nesl) are constants. */
static bool
folds_no_ints(const Norm *n, const Expr *e, int op, Opnd *r)
{
	if (!op_folds(&normal_ir.op[op]) || e->u.prim.arg[0]->kind != EXPR_EMPTY || ty_of(n, e->type)->kind != TY_INT)
		return false;
	*r = opnd_int(scalar_identity(n->p->int_bits, e->u.prim.op, &ty_int).i);
	return true;
}

static const Local *params(Norm *n, Fun *f, const Local *sc, const Pattern *p);

/* A function that n->fun has beside it, of no parameters yet. */
static Fun *
beside(Norm *n, const char *ending, int nparam)
{
	Fun *f = NEW(n->arena, Fun, 1);

	f->name = intern(n->u->names, arena_printf(n->arena, "%s_%s", n->fun->name, ending));
	f->span = n->fun->span;
	f->param = NEW(n->arena, Var *, nparam);
	f->body = block_new(n->p);
	return f;
}

static void
end_beside(Norm *n, Fun *f, Opnd r, const Ty *ty)
{
	const Ty **result = NEW(n->arena, const Ty *, 1);

	result[0] = ty;
	f->result = result;
	f->nresult = 1;
	block_yield(n->p, f->body, 1, &r);
	*n->funend = f;
	n->funend = &f->next;
}

/* The operator of the scan that n->fun is, a function of what it captured and two elements: the body of an apply-to-each of
 * two.  The last parameters of the scan are the identity and the sequence. */
static void
note_operator(Norm *n, const Expr *each)
{
	Fun *f = beside(n, "by", arguments(n->inst->form->param));
	const Local *sc = params(n, f, NULL, n->inst->form->param);
	Opnd r;

	n->fun->scans = f->name;
	f->nparam -= 2;
	for (const Generator *g = each->u.foreach.gens; g; g = g->next) {
		Var *x = var_new(n->p, g->pat->name, ty_of(n, g->pat->type));

		f->param[f->nparam++] = x;
		sc = bind_value(n, f->body, sc, g->pat, opnd_var(x));
	}
	r = norm(n, f->body, sc, each->u.foreach.body);
	end_beside(n, f, r, ty_of(n, each->u.foreach.body->type));
}

/* Where the operator draws random numbers there is the scan's body, and no more. */
static Opnd
norm_scan(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	if (!(n->inst->effects & EFFECT_DRAWS))
		note_operator(n, e->u.prim.arg[0]);
	return norm(n, b, sc, e->u.prim.arg[1]);
}

/* What does for all rows what n->fun does for one: the call of [x], x being the first parameter of that, as a function of all of these. */
static void
note_rows(Norm *n, const Expr *call)
{
	Fun *f = beside(n, "rows", 1);
	const Var *x = n->fun->param[0];
	Expr all = *call->u.apply.arg->u.seq.item[0], of_all = *call;
	Opnd r;

	n->fun->rows = f->name;
	f->param[f->nparam++] = var_new(n->p, x->name, ty_seq(n->arena, x->ty));
	all.type = call->u.apply.arg->type;
	of_all.u.apply.arg = &all;
	r = norm(n, f->body, local_add(n, NULL, x->name, opnd_var(f->param[0])), &of_all);
	end_beside(n, f, r, ty_of(n, call->type));
}

static Opnd
norm_rows(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	note_rows(n, e->u.prim.arg[0]);
	return norm(n, b, sc, e->u.prim.arg[1]);
}

static Opnd
norm_prim(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	int op = ir_find(&normal_ir, e->u.prim.op);
	Opnd r;

	if (folds_no_ints(n, e, op, &r))
		return r;
	switch (op) {
	case NORMAL_draw: return norm_draw(n, b, sc, e);
	case NORMAL_rand_seed: return norm_seed(n, b, sc, e);
	case NORMAL_time: return norm_time(n, b, sc, e);
	case NORMAL_scan_by: return norm_scan(n, b, sc, e);
	case NORMAL_rows_by: return norm_rows(n, b, sc, e);
	default: return norm_list(n, b, sc, op, e->u.prim.op, e, e->u.prim.arg, e->u.prim.n);
	}
}

static Opnd
norm_range(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	Opnd v[3];

	v[0] = norm(n, b, sc, e->u.range.from);
	v[1] = norm(n, b, sc, e->u.range.to);
	v[2] = e->u.range.step ? norm(n, b, sc, e->u.range.step) : opnd_int(1);
	return emit(n, b, NORMAL_range, "is", ty_of(n, e->type), 3, v, e->span);
}

static Opnd
norm_string(Norm *n, Block *b, const Expr *e)
{
	Bind *x = emit_bind(n, b, NORMAL_string, "str", ty_of(n, e->type), 0, NULL, e->span);

	x->text = e->u.string.at;
	x->textlen = e->u.string.n;
	return opnd_var(x->dst[0]);
}

/* Made of literals only, and without effects. */
static bool
is_closed(const Expr *e)
{
	switch (e->kind) {
	case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_CHAR: case EXPR_STRING: case EXPR_EMPTY:
		return true;
	case EXPR_APPLY:
		return !((const Inst *)e->u.apply.fn->u.var.decl)->effects && is_closed(e->u.apply.arg);
	case EXPR_PAIR: return is_closed(e->u.pair.a) && is_closed(e->u.pair.b);
	case EXPR_SEQ:
		for (int i = 0; i < e->u.seq.n; i++)
			if (!is_closed(e->u.seq.item[i]))
				return false;
		return true;
	case EXPR_RANGE:
		return is_closed(e->u.range.from) && is_closed(e->u.range.to)
			&& (!e->u.range.step || is_closed(e->u.range.step));
	case EXPR_VAR: case EXPR_LET: case EXPR_IF: case EXPR_LAMBDA: case EXPR_KEYWORD: case EXPR_FOREACH: case EXPR_PRIM:
	case EXPR_TYPECASE:
		return false;
	}
	return false;
}

static Opnd
norm_kind(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	Opnd v[2];

	switch (e->kind) {
	case EXPR_INT: return int_literal(n, e->u.i);
	case EXPR_FLOAT: return opnd_float(e->u.f);
	case EXPR_BOOL: return opnd_bool(e->u.i != 0);
	case EXPR_CHAR: return opnd_char(e->u.i);
	case EXPR_STRING: return norm_string(n, b, e);
	case EXPR_VAR: return norm_var(n, b, sc, e);
	case EXPR_APPLY: return norm_apply(n, b, sc, e);
	case EXPR_PAIR:
		v[0] = norm(n, b, sc, e->u.pair.a);
		v[1] = norm(n, b, sc, e->u.pair.b);
		return emit(n, b, NORMAL_pair, "p", ty_of(n, e->type), 2, v, e->span);
	case EXPR_LET:
		sc = bind_expr(n, b, sc, sc, e->u.let.pat, e->u.let.value, !n->use.file);
		return norm(n, b, sc, e->u.let.body);
	case EXPR_IF: return norm_if(n, b, sc, e);
	case EXPR_FOREACH: return norm_foreach(n, b, sc, e);
	case EXPR_SEQ:
		return norm_list(n, b, sc, NORMAL_seq, "xs", e, e->u.seq.item, e->u.seq.n);
	case EXPR_EMPTY:
		return norm_list(n, b, sc, NORMAL_seq, "xs", e, NULL, 0);
	case EXPR_RANGE: return norm_range(n, b, sc, e);
	case EXPR_PRIM: return norm_prim(n, b, sc, e);
	case EXPR_LAMBDA: case EXPR_KEYWORD: case EXPR_TYPECASE: break;
	}
	ice(e->span, "normal", "what an earlier stage resolves is left");
}

/* What is made of literals only is evaluated once, before the apply-to-each it stands in
 * (that is what CMU's NESL does), unless it stands in an arm or behind a filter. */
static Opnd
norm(Norm *n, Block *b, const Local *sc, const Expr *e)
{
	Block *outside = n->outside;
	Opnd r;

	if (!outside || outside == b || !n->certain || n->use.file || !is_closed(e))
		return norm_kind(n, b, sc, e);
	n->outside = NULL;
	r = norm_kind(n, outside, NULL, e);
	n->outside = outside;
	return r;
}

/* -- functions and forms -------------------------------------------------------------------------------------- */

static const Local *
params(Norm *n, Fun *f, const Local *sc, const Pattern *p)
{
	if (p->kind == PAT_PAIR) {
		sc = params(n, f, sc, p->a);
		return params(n, f, sc, p->b);
	}
	if (type_hollow(p->type))
		return local_add(n, sc, p->name, opnd_bool(true));
	f->param[f->nparam] = var_new(n->p, p->name, ty_of(n, p->type));
	return local_add(n, sc, p->name, opnd_var(f->param[f->nparam++]));
}

static void
norm_fun(Norm *n, const Inst *i)
{
	Fun *f = NEW(n->arena, Fun, 1);
	const Local *sc;
	Opnd out[1 + PARTS];

	f->name = i->name;
	f->span = i->form->namespan;
	f->recursive = i->cycle != 0;
	f->cycle = i->cycle;
	f->param = NEW(n->arena, Var *, PARTS + arguments(i->form->param));
	if (i->effects & EFFECT_DRAWS)
		for (int s = 0; s < PARTS; s++) {
			f->param[s] = var_new(n->p, part[s].name, &ty_int);
			n->state.part[f->nparam++] = opnd_var(f->param[s]);
		}
	sc = params(n, f, NULL, i->form->param);
	f->result = result_types(n, i, &f->nresult);
	f->body = block_new(n->p);
	n->fun = f;
	n->inst = i;
	out[0] = norm(n, f->body, sc, i->form->body);
	for (int s = 0, k = 1; s < PARTS; s++)
		if (i->effects & part[s].effect)
			out[k++] = n->state.part[s];
	block_yield(n->p, f->body, f->nresult, out);
	*n->funend = f;
	n->funend = &f->next;
}

static const char *
wrap_text(Arena *a, const Wrap *w, const char *inside)
{
	return w ? arena_printf(a, "%s(%s)", w->name, wrap_text(a, w->inner, inside)) : inside;
}

/* A pattern as echoed: (a, b), ((a, b), c), point(a, b). */
static const char *
pattern_text(Arena *a, const Pattern *p, bool tight)
{
	const char *s = p->name;

	if (p->kind == PAT_PAIR)
		s = arena_printf(a, tight && !p->wrap ? "(%s, %s)" : "%s, %s", pattern_text(a, p->a, true),
			pattern_text(a, p->b, false));
	return wrap_text(a, p->wrap, s);
}

/* A literal that is the whole form is echoed as it is written, even if no int is so large. */
static void
entry_body(Norm *n, Entry *x, const MonoEntry *e)
{
	const Bound *d = e->form->decl;
	const Local *sc;
	Pattern it = {.kind = PAT_NAME, .name = intern(n->u->names, "it")};
	Opnd *v = NEW(n->arena, Opnd, d->n);

	x->cell = NEW(n->arena, Cell *, d->n);
	x->ncell = d->n;
	x->body = block_new(n->p);
	n->state = (State){{opnd_int(0), opnd_int(0)}};
	sc = bind_expr(n, x->body, NULL, NULL, e->form->kind == FORM_ASSIGN ? e->form->param : &it, e->body,
		true);
	for (int i = d->n - 1; i >= 0; i--, sc = sc->up)
		v[i] = sc->value;
	if (e->body->kind == EXPR_INT && d->n == 1)
		v[0] = opnd_int(e->body->u.i);
	block_yield(n->p, x->body, d->n, v);
	for (int i = 0; i < d->n; i++)
		x->cell[i] = cell_of(n, d->at[i]);
}

static void
add_command(Norm *n, const Form *f, EntryKind kind, const char *shown)
{
	Entry *x = *n->entryend = NEW(n->arena, Entry, 1);

	n->entryend = &x->next;
	x->kind = kind;
	x->span = f->span;
	x->shown = shown;
	x->number = f->command->number;
}

/* What is set for a function is set for each of its instances. */
static void
norm_command(Norm *n, const Form *f)
{
	const TopCommand *c = f->command;

	if (f->answer)
		add_command(n, f, ENTRY_SAY, f->answer);
	else if (c->kind == CMD_PRINT_LENGTH)
		add_command(n, f, ENTRY_SET, "print_length");
	else
		for (const Inst *i = n->u->mono->insts; i; i = i->next)
			if (!i->decl->basis && i->decl->name == c->name)
				add_command(n, f, ENTRY_SET, arena_printf(n->arena, "%s %s",
					c->kind == CMD_TRACE ? "trace" : "profile", i->name));
}

static void
norm_entry(Norm *n, const MonoEntry *e)
{
	const Form *f = e->form;
	Entry *x;

	if (f->kind == FORM_COMMAND) {
		norm_command(n, f);
		return;
	}
	x = *n->entryend = NEW(n->arena, Entry, 1);
	n->entryend = &x->next;
	x->span = f->span;
	x->show = f->show;
	switch (f->kind) {
	case FORM_DEF: case FORM_DECLARE: case FORM_DATATYPE:
		if (f->value)
			f = f->value;
		x->kind = ENTRY_DEF;
		x->shown = e->form->name;
		x->type = type_text_echo(n->arena, ((Bound *)f->decl)->at[0]->type);
		return;
	case FORM_ASSIGN:
		x->kind = ENTRY_ASSIGN;
		x->shown = pattern_text(n->arena, f->param, true);
		x->type = f->shown;
		break;
	case FORM_EXPR:
	case FORM_COMMAND: case FORM_BAD:
		x->kind = ENTRY_EXPR;
		x->shown = "it";
		x->type = f->shown;
		break;
	}
	entry_body(n, x, e);
}

static void
declare_inputs(Norm *n)
{
	for (const Input *i = n->u->inputs; i; i = i->next) {
		Cell *c = NEW(n->arena, Cell, 1);
		*c = (Cell){i->name, i->name, i->ty, true, NULL};
		*n->cellend = c;
		n->cellend = &c->next;
	}
}

/* In the order of the forms, whichever use of one comes first: so their names stay when forms are added. */
static void
declare_cells(Norm *n)
{
	for (const Form *f = n->u->forms; f; f = f->next)
		if (!f->basis && !f->failed && (f->kind == FORM_ASSIGN || f->kind == FORM_EXPR))
			for (int i = 0; i < ((Bound *)f->decl)->n; i++)
				cell_of(n, ((Bound *)f->decl)->at[i]);
}

void
normal(Unit *u)
{
	Norm n = {.u = u, .arena = u->arena, .tried = map_new(u->arena)};

	n.p = program_new(u->arena, u->names, &normal_ir);
	if (u->int_bits)
		n.p->int_bits = u->int_bits;
	n.cellend = &n.p->cells;
	n.funend = &n.p->funs;
	declare_inputs(&n);
	declare_cells(&n);
	for (const Inst *i = u->mono->insts; i; i = i->next)
		if (!i->inlined)
			norm_fun(&n, i);
	n.entryend = &n.p->entries;
	for (const MonoEntry *e = u->mono->entries; e; e = e->next)
		norm_entry(&n, e);
	ir_name(n.p);
	u->ir = n.p;
}

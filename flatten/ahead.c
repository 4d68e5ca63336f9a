/* ahead.c: what a recursive function would wait for at its beginning is known when it is called.
 *
 * In   flan
 * Out  flan: what a recursive function folds of its parameters at its beginning, its calls hand over; splits and descriptors
 *      of lengths that it makes there say how much they are, which is such a fold too
 * How  At the beginning is what elementwise operators and splits make of parameters, in few steps: they are done again for
 *      the call's operands, each where the last of those is made, so the fold is found by the same task, with what else the
 *      host waits for there.  A fold of what no call changes is handed on.
 *      Where each length was given to k rows, their sum is k times the sum of those. */
#include "flatten/ahead.h"
#include "common/map.h"
#include "flatten/flan.h"

enum { MOST_STEPS = 16 };       /* that lead from parameters to what is folded: they may be done twice */

/* Where a variable is bound. */
typedef struct Place {
	Block *in;
	Bind *last;             /* the binding, or the last of those that were put behind it; NULL: a parameter */
	int order;              /* of two that are in sight the one behind the other has the larger */
} Place;

typedef LIST(Bind *) Binds;

/* A function, or (in: NULL) an entry. */
typedef struct Routine {
	const Fun *in;
	Block *body;
	LIST(const Fun *) callee;
	LIST(struct Routine *) caller;  /* of the function */
} Routine;

typedef struct Ahead {
	Program *p;
	Map *routine;           /* Fun -> Routine */
	Fun *f;                 /* whose calls hand over, */
	Binds fold;             /* these, which are in f no more */
	Map *under;             /* who is called from f, and from there */
	bool *begins;           /* by parameter of f: all those that call f again have it from a task, or as it was */
	Map *steps;             /* of f: Var -> Early */
	/* the routine at hand */
	const Fun *in;          /* NULL: an entry */
	Map *place, *maker;     /* Var -> Place, Bind */
	int order;
	/* the call at hand */
	const Bind *call;
	const Place *from;      /* nothing moves before it */
	Map *now;               /* Var of f's beginning -> Opnd *, here */
} Ahead;

/* Made at the beginning of f. */
typedef struct Early {
	const Bind *by;         /* NULL: a parameter */
	int which;              /* of its results, or of the parameters */
	int steps;
} Early;

/* -- routines --------------------------------------------------------------------------------------- */
static Place *
placed(Ahead *a, Block *in, Bind *by, int n, Var *const *v)
{
	Place *at = NEW(a->p->arena, Place, 1);

	*at = (Place){in, by, a->order++};
	for (int i = 0; i < n; i++) {
		*map_at(a->place, v[i]) = at;
		*map_at(a->maker, v[i]) = by;
	}
	return at;
}

static void
place_all(Ahead *a, Block *b)
{
	for (Bind *s = b->first; s; s = s->next) {
		placed(a, b, s, s->ndst, s->dst);
		for (int i = 0; i < s->nblock; i++)
			place_all(a, s->block[i]);
	}
}

static const Bind *
maker(const Ahead *a, Opnd x)
{
	return x.kind == OPND_VAR ? *map_at(a->maker, x.u.var) : NULL;
}

/* Each call of f in b; from: behind what stands before that. */
static void
each_call(Ahead *a, Block *b, const Place *from, void (*does)(Ahead *, Bind *))
{
	for (Bind *s = b->first; s; s = s->next) {
		for (int i = 0; i < s->nblock; i++)
			each_call(a, s->block[i], from, does);
		if (s->op == FLAN_clock)
			from = *map_at(a->place, s->dst[0]);
		a->from = from;
		if (s->op == FLAN_call && !s->lifted && fun_find(a->p, s->name) == a->f)
			does(a, s);
	}
}

static void
each_call_in(Ahead *a, const Routine *r, void (*does)(Ahead *, Bind *))
{
	const Fun *in = r->in;
	Block *body = r->body;
	const Place *first;

	a->in = in;
	a->place = map_new(a->p->arena);
	a->maker = map_new(a->p->arena);
	a->order = 0;
	first = placed(a, body, NULL, in ? in->nparam : 0, in ? in->param : NULL);
	place_all(a, body);
	each_call(a, body, first, does);
}

/* -- the beginning ---------------------------------------------------------------------------------- */
static const Early *
early(const Ahead *a, Opnd x)
{
	return x.kind == OPND_VAR ? *map_at(a->steps, x.u.var) : NULL;
}

static void
add_early(Ahead *a, Var *v, const Bind *by, int which, int steps)
{
	Early *e = NEW(a->p->arena, Early, 1);

	*e = (Early){by, which, steps};
	*map_at(a->steps, v) = e;
}

/* How many operands its results depend on: how much a split gives follows from the rest. */
static int
operands(const Bind *s)
{
	return s->op == FLAN_split ? 1 : s->narg;
}

/* Can it be in one task with what makes its operands?  A gather can, of the places that a split gives. */
static bool
is_step(const Ahead *a, const Bind *s)
{
	const Early *e = s->op == FLAN_gather ? early(a, s->arg[1]) : NULL;

	return s->op == FLAN_split || (e && e->by && e->by->op == FLAN_split) || a->p->ir->op[s->op].cls == OP_SCALAR;
}

static void
look_into(Ahead *a, const Bind *s)
{
	int steps = 1;

	for (int i = 0; i < operands(s); i++) {
		const Early *e = early(a, s->arg[i]);

		if (s->arg[i].kind == OPND_VAR && !e)
			return;
		steps += e ? e->steps : 0;
	}
	for (int i = 0; is_step(a, s) && steps <= MOST_STEPS && i < s->ndst; i++)
		add_early(a, s->dst[i], s, i, steps);
}

/* Before s, which makes something of x: how much that is, as one more operand of s. */
static void
tell(Ahead *a, Bind **at, Bind *s)
{
	Opnd x = s->arg[0], *arg = NEW(a->p->arena, Opnd, 2);

	if (s->op == FLAN_split) {
		Bind *one = bind_at(a->p, at, FLAN_btoi, var_new(a->p, "one", &ty_ints), 1, &x, s->span);

		one->lifted = true;
		look_into(a, one);
		at = &one->next;
		x = opnd_var(one->dst[0]);
	} else {
		s->op = FLAN_segdes_of;
	}
	arg[0] = s->arg[0];
	arg[1] = opnd_var(bind_at(a->p, at, FLAN_sum, var_new(a->p, "sum", &ty_int), 1, &x, s->span)->dst[0]);
	s->arg = arg;
	s->narg = 2;
}

/* Who is called from f, and from there. */
static void
reach(Ahead *a, const Fun *f)
{
	const Routine *r = *map_at(a->routine, f);

	for (int i = 0; i < r->callee.n; i++) {
		const Fun *g = r->callee.at[i];

		if (*map_at(a->under, g))
			continue;
		*map_at(a->under, g) = (void *)g;
		reach(a, g);
	}
}

/* Is it made by a task, that may fold it? */
static bool
is_folded(const Ahead *a, Opnd x)
{
	const Bind *b = maker(a, x);
	const OpClass cls = b ? a->p->ir->op[b->op].cls : OP_CONTROL;

	return (cls == OP_SCALAR && b->lifted) || cls == OP_SCAN || (b && (b->op == FLAN_gather || b->op == FLAN_dist
		|| b->op == FLAN_lengths || b->op == FLAN_row_length));
}

/* A call on the way from f to f: what it gives neither from a task nor as f got it, nothing at the beginning is made of.  The flat
 * code of small rows seldom runs, and folds for itself. */
static void
judge(Ahead *a, Bind *call)
{
	if (a->in && a->in->nested)
		return;
	for (int i = 0; i < a->f->nparam; i++)
		a->begins[i] &= is_folded(a, call->arg[i]) || (a->in == a->f && same_opnd(call->arg[i], opnd_var(a->f->param[i])));
}

/* Takes the folds out of f, and they are parameters. */
static void
take_folds(Ahead *a)
{
	Fun *f = a->f;
	Var **param;
	Block *b = f->body;
	Bind **at = &b->first;

	for (int i = 0; i < f->nparam; i++)
		if (a->begins[i])
			add_early(a, f->param[i], NULL, i, 0);
	for (Bind *s = *at; s; s = *at) {
		const Early *e = s->narg > 0 ? early(a, s->arg[0]) : NULL;

		if (e && e->steps < MOST_STEPS && s->narg == 1 && (s->op == FLAN_split || s->op == FLAN_segdes)) {
			tell(a, at, s);
		} else if (e && a->p->ir->op[s->op].cls == OP_REDUCE && s->narg == 1) {
			LIST_ADD(a->p->arena, &a->fold, s);
			*at = s->next;
		} else {
			look_into(a, s);
			at = &s->next;
		}
	}
	b->end = at;
	param = NEW(a->p->arena, Var *, f->nparam + a->fold.n);
	for (int i = 0; i < f->nparam; i++)
		param[i] = f->param[i];
	for (int i = 0; i < a->fold.n; i++)
		param[f->nparam++] = a->fold.at[i]->dst[0];
	f->param = param;
}

/* -- calls ------------------------------------------------------------------------------------------ */
/* What is made of these, behind the last of them. */
static const Bind *
made_of(Ahead *a, const Bind *like, int op, int narg, const Opnd *arg)
{
	Place *at = (Place *)a->from;
	Block none = {.end = &none.first};
	Bind *b = bind_new(a->p, &none, op, like->ndst, narg, 0, like->span), **after;

	for (int i = 0; i < narg; i++) {
		Place *x = arg[i].kind == OPND_VAR ? *map_at(a->place, arg[i].u.var) : NULL;

		b->arg[i] = arg[i];
		if (x && x->order > at->order)
			at = x;
	}
	b->lifted = like->lifted && op == like->op;
	for (int i = 0; i < like->ndst; i++) {
		b->dst[i] = var_new(a->p, like->dst[i]->name, like->dst[i]->ty);
		*map_at(a->place, b->dst[i]) = at;
		*map_at(a->maker, b->dst[i]) = b;
	}
	after = at->last ? &at->last->next : &at->in->first;
	b->next = *after;
	*after = at->last = b;
	if (!b->next)
		at->in->end = &b->next;
	return b;
}

static Opnd
here(Ahead *a, Opnd x)
{
	const Early *e = early(a, x);
	Opnd *now, *arg;
	const Bind *b;

	if (!e)
		return x;
	if (!e->by)
		return a->call->arg[e->which];
	now = *map_at(a->now, e->by);
	if (now)
		return now[e->which];
	arg = NEW(a->p->arena, Opnd, e->by->narg);
	for (int i = 0; i < operands(e->by); i++)
		arg[i] = here(a, e->by->arg[i]);
	b = made_of(a, e->by, e->by->op, operands(e->by), arg);
	now = NEW(a->p->arena, Opnd, b->ndst);
	for (int i = 0; i < b->ndst; i++)
		now[i] = opnd_var(b->dst[i]);
	*map_at(a->now, e->by) = now;
	return now[e->which];
}

/* The fold of x. */
static Opnd
folded(Ahead *a, const Bind *fold, Opnd x)
{
	const Bind *by = maker(a, x), *rows = by && by->op == FLAN_dist && by->lifted ? maker(a, by->arg[0]) : NULL;

	if (fold->op == FLAN_sum && fold->dst[0]->ty->kind == TY_INT && rows && rows->op == FLAN_uniform
			&& opnd_ty(by->arg[1])->kind == TY_VEC) {
		Opnd times[] = {folded(a, fold, by->arg[1]), rows->arg[1]};

		return opnd_var(made_of(a, fold, FLAN_mul, 2, times)->dst[0]);
	}
	return opnd_var(made_of(a, fold, fold->op, 1, &x)->dst[0]);
}

/* Does the call, in f, hand on all parameters that x is made of? */
static bool
stays(const Ahead *a, Opnd x)
{
	const Early *e = early(a, x);

	if (!e)
		return true;
	if (!e->by)
		return same_opnd(a->call->arg[e->which], x);
	for (int i = 0; i < operands(e->by); i++)
		if (!stays(a, e->by->arg[i]))
			return false;
	return true;
}

static void
hand_over(Ahead *a, Bind *call)
{
	Opnd *arg = NEW(a->p->arena, Opnd, call->narg + a->fold.n);

	a->call = call;
	a->now = map_new(a->p->arena);
	for (int i = 0; i < call->narg; i++)
		arg[i] = call->arg[i];
	for (int i = 0; i < a->fold.n; i++) {
		const Bind *fold = a->fold.at[i];

		arg[call->narg + i] = a->in == a->f && stays(a, fold->arg[0]) ? opnd_var(fold->dst[0])
			: folded(a, fold, here(a, fold->arg[0]));
	}
	call->arg = arg;
	call->narg += a->fold.n;
}

/* -- who calls whom --------------------------------------------------------------------------------- */
static void
find_calls(Ahead *a, Routine *r, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		Routine *g = s->op == FLAN_call ? *map_at(a->routine, fun_find(a->p, s->name)) : NULL;

		for (int i = 0; i < s->nblock; i++)
			find_calls(a, r, s->block[i]);
		if (!g || (g->caller.n && g->caller.at[g->caller.n - 1] == r))
			continue;
		LIST_ADD(a->p->arena, &r->callee, g->in);
		LIST_ADD(a->p->arena, &g->caller, r);
	}
}

static Routine *
routine_new(Ahead *a, const Fun *in, Block *body)
{
	Routine *r = NEW(a->p->arena, Routine, 1);

	r->in = in;
	r->body = body;
	return r;
}

static Map *
routines(Program *p)
{
	Ahead a = {.p = p, .routine = map_new(p->arena)};

	for (const Fun *f = p->funs; f; f = f->next)
		*map_at(a.routine, f) = routine_new(&a, f, f->body);
	for (const Fun *f = p->funs; f; f = f->next)
		find_calls(&a, *map_at(a.routine, f), f->body);
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			find_calls(&a, routine_new(&a, NULL, e->body), e->body);
	return a.routine;
}

void
ahead(Program *p)
{
	Map *const routine = routines(p);

	for (Fun *f = p->funs; f; f = f->next) {
		const Routine *r = *map_at(routine, f);
		Ahead a = {.p = p, .routine = routine, .f = f, .under = map_new(p->arena), .steps = map_new(p->arena),
			.begins = NEW(p->arena, bool, f->nparam + 1)};

		if (!f->recursive || f->scalar || f->nested)
			continue;
		reach(&a, f);
		if (!*map_at(a.under, f))
			continue;
		for (int i = 0; i < f->nparam; i++)
			a.begins[i] = true;
		for (int i = 0; i < r->caller.n; i++)
			if (r->caller.at[i]->in && *map_at(a.under, r->caller.at[i]->in))
				each_call_in(&a, r->caller.at[i], judge);
		take_folds(&a);
		for (int i = 0; i < r->caller.n && a.fold.n; i++)
			each_call_in(&a, r->caller.at[i], hand_over);
	}
}

/* optimize.c: flan -> flan, again and again until nothing changes.
 *
 * In   flan.
 * Out  flan: no function is called once only (unless it calls itself), none has parameters or results that say
 *      nothing, no law of rules.c applies, nothing is computed twice where the first time is in sight, no check is
 *      there that is proved, no binding that nobody uses.
 * How  Each round emits the whole program anew, by the functions that flattening emits with: what they know to be
 *      simpler or there already they give instead.  A call may give a body in its place (survey.c), an `if` whose
 *      condition is known the arm that is taken.  What was counted before the round (survey.c, arity.c) holds for the
 *      program read; the next round sees what came of it.
 *
 * Nothing moves in a round: what is emitted stands where its original stood, so it runs when that ran, and faults are those of the
 * program.  Checks and effects are emitted once for each time that they stand in the program, calls of functions with
 * such too.  A check goes if it is proved, or if one of the same condition was passed on every way to it: then that one
 * tells. */
#include "flatten/optimize.h"
#include <ctype.h>
#include <string.h>
#include "flatten/ahead.h"
#include "flatten/arms.h"
#include "flatten/dead.h"
#include "flatten/empty.h"
#include "flatten/flattener.h"
#include "flatten/group.h"
#include "flatten/once.h"
#include "flatten/sink.h"
#include "flatten/stale.h"
#include "flatten/survey.h"
#include "flatten/told.h"

typedef enum { UNKNOWN, IS_FALSE, IS_TRUE, PASSED } Fact;      /* PASSED: a check saw that it holds */

typedef struct Learnt {
	Var *of;
	Fact before;
} Learnt;

typedef struct Optimizer {
	Flattener f;
	const Program *in;
	Survey *survey;
	Opnd *now;              /* by Var.id of in: the same in out */
	LIST(Fact) fact;        /* by Var.id of out: host conditions, and those of checks */
	LIST(Learnt) learnt;    /* facts that end with the block */
	Way out;                /* of calls whose bodies we are in: from them to the function that we make */
	int rewritten;
	bool fuses;             /* tasks are put together: single steps cost no memory */
} Optimizer;

static void rebuild_binds(Optimizer *o, const Block *b);

/* -- variables and what is known of them --------------------------------------------------------------- */

/* x for x_2: names are numbered anew in the end. */
static const char *
base_name(Optimizer *o, const char *name)
{
	size_t n = strlen(name);

	while (n > 1 && isdigit((unsigned char)name[n - 1]))
		n--;
	if (n < 2 || name[n - 1] != '_' || !name[n])
		return name;
	return arena_strndup(o->f.arena, name, n - 1);
}

static Fact *
fact_of(Optimizer *o, const Var *v)
{
	while (o->fact.n <= v->id)
		LIST_ADD(o->f.arena, &o->fact, UNKNOWN);
	return &o->fact.at[v->id];
}

static void
learn_fact(Optimizer *o, Opnd cond, Fact fact)
{
	const Bind *b = made_by(&o->f, cond);
	Fact *at;

	if (cond.kind != OPND_VAR)
		return;
	at = fact_of(o, cond.u.var);
	LIST_ADD(o->f.arena, &o->learnt, ((Learnt){cond.u.var, *at}));
	*at = fact;
	if (!b || b->lifted)
		return;
	if (b->op == FLAN_not && fact != PASSED)
		learn_fact(o, b->arg[0], fact == IS_TRUE ? IS_FALSE : IS_TRUE);
	if ((b->op == FLAN_and && fact == IS_TRUE) || (b->op == FLAN_or && fact == IS_FALSE)) {
		learn_fact(o, b->arg[0], fact);
		learn_fact(o, b->arg[1], fact);
	}
}

static void
forget(Optimizer *o, int to)
{
	while (o->learnt.n > to) {
		const Learnt l = o->learnt.at[--o->learnt.n];

		o->fact.at[l.of->id] = l.before;
	}
}

static Opnd
now(Optimizer *o, Opnd x)
{
	Fact fact;

	if (x.kind == OPND_VAR)
		x = o->now[x.u.var->id];
	if (x.kind != OPND_VAR || x.u.var->id >= o->fact.n)
		return x;
	fact = o->fact.at[x.u.var->id];
	return fact == IS_TRUE || fact == IS_FALSE ? opnd_bool(fact == IS_TRUE) : x;
}

static Opnd *
now_all(Optimizer *o, int n, const Opnd *x)
{
	Opnd *y = NEW(o->f.arena, Opnd, n);

	for (int i = 0; i < n; i++)
		y[i] = now(o, x[i]);
	return y;
}

/* The way out of b, to the entry of the function that we make. */
static Way
way_of(Optimizer *o, const Bind *b)
{
	Way w = {0};

	for (int i = 0; i < b->nway; i++)
		LIST_ADD(o->f.arena, &w, now(o, b->way[i]));
	for (int i = 0; i < o->out.n && !(w.n > 0 && w.at[w.n - 1].kind == OPND_INT && w.at[w.n - 1].u.i == WAY_LOST); i++)
		LIST_ADD(o->f.arena, &w, o->out.at[i]);
	return w;
}

static void
becomes(Optimizer *o, const Var *v, Opnd x)
{
	o->now[v->id] = x;
	if (x.kind != OPND_VAR)
		return;
	while (o->f.uses.n <= x.u.var->id) {
		LIST_ADD(o->f.arena, &o->f.uses, 0);
		LIST_ADD(o->f.arena, &o->f.ordered, false);
	}
	o->f.uses.at[x.u.var->id] += o->survey->uses[v->id];
	o->f.ordered.at[x.u.var->id] |= o->survey->ordered[v->id];
}

/* A variable of the same name, as v is. */
static Var *
renew(Optimizer *o, const Var *v)
{
	Var *w = fresh_like(&o->f, base_name(o, v->name), v);

	becomes(o, v, opnd_var(w));
	return w;
}

/* -- operators ------------------------------------------------------------------------------------------ */

/* Is x what an operator like b gives, emitted since `before`? */
static bool
as_it_was(Optimizer *o, const Bind *b, const Opnd *arg, Opnd x, int before)
{
	const Bind *made = made_by(&o->f, x);
	bool same = made && x.u.var->id >= before && made->op == b->op && made->lifted == b->lifted && made->narg == b->narg;

	for (int i = 0; same && i < b->narg; i++)
		same = same_opnd(made->arg[i], arg[i]);
	return same;
}

/* An append that is wanted by element only is not made: elements are taken from where they are.  Ints of 64 bits count those of
 * any vectors together. */
static Opnd
by_elements(Optimizer *o, const Bind *b, Opnd v)
{
	const Bind *made = made_by(&o->f, v);

	if (!o->f.fuses || o->in->int_bits < 64 || o->survey->whole[b->dst[0]->id] > 0)
		return v;
	if (!made || made->op != FLAN_append || made->narg < 2 || made->narg > MOST_PIECES / 2)
		return v;
	return joined_elements(&o->f, b->dst[0]->ty, made->narg, made->arg);
}

static void
operator(Optimizer *o, const Bind *b)
{
	Opnd *arg = now_all(o, b->narg, b->arg), *out = NEW(o->f.arena, Opnd, b->ndst);
	const Ty **ty = NEW(o->f.arena, const Ty *, b->ndst);
	int before = o->f.out->nvar;

	for (int i = 0; i < b->ndst; i++)
		ty[i] = b->dst[i]->ty;
	if (b->ndst == 1)
		out[0] = emit(&o->f, b->op, b->lifted, ty[0], b->narg, arg);
	else
		emit_many(&o->f, b->op, b->lifted, b->ndst, ty, b->narg, arg, out);
	if (b->op == FLAN_append)
		out[0] = by_elements(o, b, out[0]);
	o->rewritten += !as_it_was(o, b, arg, out[0], before);
	for (int i = 0; i < b->ndst; i++)
		becomes(o, b->dst[i], out[i]);
	arena_give_back(o->f.arena, arg, sizeof *arg * (size_t)b->narg);
	arena_give_back(o->f.arena, out, sizeof *out * (size_t)b->ndst);
	arena_give_back(o->f.arena, ty, sizeof *ty * (size_t)b->ndst);
}

/* What gives the same each time: cells, and calls without consequences. */
static void
shared(Optimizer *o, const Bind *b, int narg, const Opnd *arg, int ndst, Var **dst)
{
	int before = o->f.out->nvar;
	Way w = b->op == FLAN_peek ? (Way){0} : way_of(o, b);
	Bind like = {.op = b->op, .name = b->name, .narg = narg, .arg = (Opnd *)arg, .ndst = ndst, .dst = dst, .nway = w.n,
		.way = w.at};
	const Bind *c = emit_shared(&o->f, &like);

	o->rewritten += c->dst[0]->id < before;
	for (int i = 0; i < ndst; i++)
		becomes(o, dst[i], opnd_var(c->dst[i]));
}

static bool
is_step(const Way *w, int i, int step)
{
	return i < w->n && w->at[i].kind == OPND_INT && w->at[i].u.i == step;
}

/* Of numbers of the library's own, of which there are some and all the same, the host checks one. */
static bool
is_of_host(Optimizer *o, Opnd cond, Opnd same, int nval, const Opnd *val, const Way *w)
{
	const Opnd n = is_vector(cond) && !is_vector(same) ? length_of(&o->f, cond) : opnd_int(0);
	bool scalars = true;

	for (int i = 0; i < nval; i++)
		scalars = scalars && !is_vector(constant_of(&o->f, val[i]));
	return n.kind == OPND_INT && n.u.i > 0 && scalars && is_step(w, 0, WAY_HOST) && is_step(w, 1, WAY_HIDDEN);
}

/* Does the condition follow from what comparisons have told? */
static bool
is_told(Optimizer *o, Opnd cond)
{
	const Bind *b = made_by(&o->f, cond);
	unsigned told = 0;

	if (!b || b->lifted || b->narg == 0 || !told_suffices(&o->f, b, ~0u))
		return false;
	for (int i = 0; i < o->learnt.n; i++) {
		Var *v = o->learnt.at[i].of;
		const Bind *by = made_by(&o->f, opnd_var(v));
		const Fact fact = *fact_of(o, v);

		if (by && fact != UNKNOWN)
			told |= told_of(by, fact != IS_FALSE, b->arg[b->narg - 1]);
	}
	return told_suffices(&o->f, b, told);
}

static void
check(Optimizer *o, const Bind *b)
{
	Opnd *val = now_all(o, b->narg - 1, b->arg + 1), cond = now(o, b->arg[0]);
	Opnd same = constant_of(&o->f, cond);
	Way w = way_of(o, b);

	if (is_bool(same, true) || (cond.kind == OPND_VAR && *fact_of(o, cond.u.var) == PASSED) || is_told(o, cond)) {
		o->rewritten++;
		return;
	}
	if (is_of_host(o, cond, same, b->narg - 1, val, &w)) {
		emit_check(&o->f, &(Way){.n = w.n - 2, .at = w.at + 2}, b->name, same, b->narg - 1, val);
		o->rewritten++;
	} else {
		emit_check(&o->f, &w, b->name, cond, b->narg - 1, val);
	}
	if (cond.kind == OPND_VAR)
		learn_fact(o, cond, PASSED);
}

static Block *
rebuild_block(Optimizer *o, const Block *b, Opnd cond, Fact fact)
{
	Frame *fr = frame_open(&o->f);
	int learnt = o->learnt.n;
	Opnd *y;

	learn_fact(o, cond, fact);
	frame_block(&o->f)->nparam = b->nparam;
	frame_block(&o->f)->param = NEW(o->f.arena, Var *, b->nparam);
	for (int i = 0; i < b->nparam; i++)
		frame_block(&o->f)->param[i] = renew(o, b->param[i]);
	rebuild_binds(o, b);
	y = now_all(o, b->nyield, b->yield);
	block_yield(o->f.out, frame_block(&o->f), b->nyield, y);
	forget(o, learnt);
	return frame_close(&o->f, fr);
}

/* Anything else, as it is. */
static void
copy(Optimizer *o, const Bind *b)
{
	Opnd *arg = now_all(o, b->narg, b->arg);
	Block **block = NEW(o->f.arena, Block *, b->nblock);
	Way w = way_of(o, b);
	Bind *n;

	for (int i = 0; i < b->nblock; i++)
		block[i] = rebuild_block(o, b->block[i], opnd_int(0), UNKNOWN);
	n = bind_new(o->f.out, frame_block(&o->f), b->op, b->ndst, b->narg, b->nblock, b->span);
	n->lifted = b->lifted;
	n->level = b->level;
	n->name = b->name;
	n->text = b->text;
	n->textlen = b->textlen;
	for (int i = 0; i < b->narg; i++)
		n->arg[i] = arg[i];
	for (int i = 0; i < b->nblock; i++)
		n->block[i] = block[i];
	if (b->nway > 0 || b->op == FLAN_call)
		bind_way(o->f.out, n, w.n, w.at);
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = renew(o, b->dst[i]);
	if (b->op == FLAN_chars)
		made_here(&o->f, n->dst[0], n);
	if (b->op == FLAN_clock)
		frame_fence(&o->f);
}

/* -- calls ---------------------------------------------------------------------------------------------- */

static void
inline_call(Optimizer *o, const Bind *b, const Fun *f)
{
	const Opnd *arg = now_all(o, b->narg, b->arg);
	const Way outer = o->out;

	o->rewritten++;
	o->out = way_of(o, b);
	for (int i = 0; i < f->nparam; i++)
		becomes(o, f->param[i], arg[i]);
	rebuild_binds(o, f->body);
	o->out = outer;
	for (int i = 0; i < b->ndst; i++)
		becomes(o, b->dst[i], now(o, f->body->yield[i]));
}

/* Does a scalar function consist of so few scalar operators and checks that they can stand wherever it is called for each
 * element?  There they are shared with others, and fusion sees them. */
static bool
is_straight(const Fun *f)
{
	enum { MOST_STEPS = 40 };
	int n = 0;

	for (const Bind *s = f->body->first; s; s = s->next, n++)
		if (flan_ir.op[s->op].cls != OP_SCALAR && s->op != FLAN_check)
			return false;
	return n <= MOST_STEPS;
}

/* x, one for each of n elements. */
static Opnd
for_all(Optimizer *o, const Ty *ty, Opnd x, Opnd n)
{
	return is_vector(x) ? x : EMIT(&o->f, FLAN_dist, false, ty, x, n);
}

/* The body of a straight function in place of b, a call for each element.  After a check that fails an element goes on; but the
 * first check that fails is the one that tells. */
static void
inline_each(Optimizer *o, const Bind *b, const Fun *f)
{
	const Opnd *arg = now_all(o, b->narg, b->arg);
	const Way way = way_of(o, b);

	o->rewritten++;
	for (int i = 0; i < f->nparam; i++)
		becomes(o, f->param[i], arg[i + 1]);
	for (const Bind *s = f->body->first; s; s = s->next) {
		const Opnd *x = now_all(o, s->narg, s->arg);

		o->f.span = s->span;
		o->f.hint = s->ndst ? base_name(o, s->dst[0]->name) : NULL;
		if (s->op == FLAN_check)
			emit_check(&o->f, &way, s->name, for_all(o, &ty_bools, x[0], arg[0]), s->narg - 1, x + 1);
		else
			becomes(o, s->dst[0], scalar_op(&o->f, s->op, s->dst[0]->ty, s->narg, x));
	}
	o->f.span = b->span;
	for (int i = 0; i < b->ndst; i++)
		becomes(o, b->dst[i], for_all(o, b->dst[i]->ty, now(o, f->body->yield[i]), arg[0]));
}

/* Of a result that is not given back: what is known of it. */
static void
result_known(Optimizer *o, const Bind *b, const Callee *c, int i)
{
	const Fun *f = c->fun;
	const Opnd y = c->result[i];

	if (y.kind != OPND_VAR)
		becomes(o, b->dst[i], y);
	for (int j = 0; j < f->nparam && y.kind == OPND_VAR; j++)
		if (y.u.var == f->param[j])
			becomes(o, b->dst[i], now(o, b->arg[j]));
	for (int j = 0; j < i && y.kind == OPND_VAR; j++)
		if (!c->drop[j] && same_opnd(f->body->yield[j], y))
			becomes(o, b->dst[i], o->now[b->dst[j]->id]);
}

static void
call(Optimizer *o, const Bind *b, const Callee *c)
{
	Opnd *arg = NEW(o->f.arena, Opnd, b->narg);
	Var **dst = NEW(o->f.arena, Var *, b->ndst);
	int narg = 0, ndst = 0;

	for (int i = 0; i < b->narg; i++)
		if (callee_keeps(c, i))
			arg[narg++] = now(o, b->arg[i]);
	for (int i = 0; i < b->ndst; i++)
		if (!c->drop[i])
			dst[ndst++] = b->dst[i];
	o->rewritten += narg < b->narg || ndst < b->ndst;
	if (c->quiet && ndst > 0) {
		shared(o, b, narg, arg, ndst, dst);
	} else {
		Bind *n = bind_new(o->f.out, frame_block(&o->f), b->op, ndst, narg, 0, b->span);
		Way w = way_of(o, b);

		n->name = b->name;
		bind_way(o->f.out, n, w.n, w.at);
		memcpy(n->arg, arg, sizeof *arg * (size_t)narg);
		for (int i = 0; i < ndst; i++)
			n->dst[i] = renew(o, dst[i]);
	}
	for (int i = 0; i < b->ndst; i++)
		if (c->drop[i])
			result_known(o, b, c, i);
}

/* For each element. */
static void
call_each(Optimizer *o, const Bind *b, const Callee *c)
{
	Bind now = *b;

	now.arg = NEW(o->f.arena, Opnd, b->narg);
	now.arg[0] = b->arg[0];
	now.narg = 1;
	for (int i = 1; i < b->narg; i++)
		if (callee_keeps(c, i - 1))
			now.arg[now.narg++] = b->arg[i];
	o->rewritten += now.narg < b->narg;
	copy(o, &now);
}

/* -- conditionals --------------------------------------------------------------------------------------- */

/* Was it there before the `if` that we are behind? */
static bool
outside(Optimizer *o, Opnd x)
{
	return x.kind != OPND_VAR || var_depth(&o->f, x.u.var) <= frame_depth(&o->f);
}

/* Result i of the `if`, where it need not come out of the arms: the same from both, one of two scalars that were
 * there before, the same as an earlier result. */
static bool
result_outside(Optimizer *o, const Bind *b, Opnd cond, Block *const arm[2], int i)
{
	Opnd x = arm[0]->yield[i], y = arm[1]->yield[i];

	if (outside(o, x) && same_opnd(x, y)) {
		becomes(o, b->dst[i], x);
		return true;
	}
	if (ty_scalar(b->dst[i]->ty) && outside(o, x) && outside(o, y)) {
		becomes(o, b->dst[i], SCALAR_OP(&o->f, FLAN_select, b->dst[i]->ty, cond, x, y));
		return true;
	}
	for (int j = 0; j < i; j++)
		if (same_opnd(arm[0]->yield[j], x) && same_opnd(arm[1]->yield[j], y)) {
			becomes(o, b->dst[i], o->now[b->dst[j]->id]);
			return true;
		}
	return false;
}

/* Does a block do the same each time?  Of its checks the first time would have told. */
static bool
repeats(const Optimizer *o, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next) {
		const Callee *c = x->op == FLAN_call ? survey_callee(o->survey, x->name) : NULL;

		if (flan_ir.op[x->op].cls == OP_EFFECT || x->op == FLAN_clock || (x->op == FLAN_call && !(c && c->quiet)))
			return false;
		for (int i = 0; i < x->nblock; i++)
			if (!repeats(o, x->block[i]))
				return false;
	}
	return true;
}

/* n, which stands at *at and gives what b did, is taken out again if one in sight does the same. */
static void
share(Optimizer *o, const Bind *b, Bind *n, Bind **at)
{
	Block *in = frame_block(&o->f);
	const Bind *old = n->ndst > 0 && repeats(o, n->block[0]) && repeats(o, n->block[1]) ? alike_in_sight(&o->f, n) : NULL;

	if (!old)
		return;
	*at = n->next;
	if (in->end == &n->next)
		in->end = at;
	o->rewritten++;
	for (int i = 0; i < b->ndst; i++)
		for (int k = 0; k < n->ndst; k++)
			if (same_opnd(o->now[b->dst[i]->id], opnd_var(n->dst[k])))
				becomes(o, b->dst[i], opnd_var(old->dst[k]));
}

static void
join(Optimizer *o, const Bind *b, Opnd cond, Block *const arm[2])
{
	bool *gone = NEW(o->f.arena, bool, b->ndst);
	Bind **at = frame_block(&o->f)->end, *n = bind_new(o->f.out, frame_block(&o->f), b->op, b->ndst, 1, 2, b->span);

	n->arg[0] = cond;
	n->ndst = 0;
	for (int i = 0; i < b->ndst; i++)
		if (!(gone[i] = result_outside(o, b, cond, arm, i)))
			n->dst[n->ndst++] = renew(o, b->dst[i]);
	o->rewritten += n->ndst < b->ndst;
	for (int k = 0; k < 2; k++) {
		n->block[k] = arm[k];
		arm[k]->nyield = 0;
		for (int i = 0; i < b->ndst; i++)
			if (!gone[i])
				arm[k]->yield[arm[k]->nyield++] = arm[k]->yield[i];
	}
	share(o, b, n, at);
}

/* If there is something: does that arm make nothing of nothing, as the other says, at no cost? */
static bool
runs_anyway(Optimizer *o, Opnd cond, Block *const arm[2])
{
	const Bind *any = made_by(&o->f, cond), *size = any && any->op == FLAN_gt && !any->lifted ? made_by(&o->f, any->arg[0]) : NULL;

	if (!size || !same_opnd(any->arg[1], opnd_int(0))
			|| !(size->op == FLAN_length || size->op == FLAN_rows || size->op == FLAN_total || size->op == FLAN_area))
		return false;
	for (int i = 0; i < arm[0]->nyield; i++)
		if (!empty_is(&o->f, any->arg[0], arm[0]->yield[i]) || !empty_is(&o->f, opnd_int(0), arm[1]->yield[i]))
			return false;
	return empty_runs_free(&o->f, any->arg[0], arm[0], arm[0]->nyield, arm[0]->yield);
}

/* not c: the arms change places. */
static void
branch(Optimizer *o, const Bind *b)
{
	Opnd cond = now(o, b->arg[0]);
	const Bind *made = made_by(&o->f, cond);
	int first = made && made->op == FLAN_not;
	Block *arm[2];

	if (first)
		cond = made->arg[0];
	if (cond.kind != OPND_VAR) {
		const Block *taken = b->block[is_bool(cond, true) == !first ? 0 : 1];

		o->rewritten++;
		rebuild_binds(o, taken);
		for (int i = 0; i < b->ndst; i++)
			becomes(o, b->dst[i], now(o, taken->yield[i]));
		return;
	}
	o->rewritten += first;
	arm[0] = rebuild_block(o, b->block[first], cond, IS_TRUE);
	arm[1] = rebuild_block(o, b->block[!first], cond, IS_FALSE);
	o->f.span = b->span;
	o->f.hint = b->ndst ? base_name(o, b->dst[0]->name) : NULL;
	if (!runs_anyway(o, cond, arm)) {
		join(o, b, cond, arm);
		return;
	}
	o->rewritten++;
	frame_splice(&o->f, arm[0]);
	for (int i = 0; i < b->ndst; i++)
		becomes(o, b->dst[i], arm[0]->yield[i]);
}

/* -- the program ---------------------------------------------------------------------------------------- */

static void
rebuild(Optimizer *o, const Bind *b)
{
	const Callee *called = b->op == FLAN_call ? survey_callee(o->survey, b->name) : NULL, *c = b->lifted ? NULL : called;
	OpClass cls = flan_ir.op[b->op].cls;

	o->f.span = b->span;
	o->f.hint = b->ndst ? base_name(o, b->dst[0]->name) : NULL;
	if (called && b->lifted && o->f.fuses && is_straight(called->fun))
		inline_each(o, b, called->fun);
	else if (called && b->lifted)
		call_each(o, b, called);
	else if (c && c->inlined)
		inline_call(o, b, c->fun);
	else if (c && !c->fixed)
		call(o, b, c);
	else if (b->op == FLAN_if)
		branch(o, b);
	else if (b->op == FLAN_check)
		check(o, b);
	else if (b->op == FLAN_cell || b->op == FLAN_peek)
		shared(o, b, 0, NULL, b->ndst, b->dst);
	else if ((cls == OP_SCALAR || cls == OP_REDUCE || cls == OP_SCAN || cls == OP_VECTOR)
	         && b->ndst > 0 && b->nblock == 0 && !b->text)
		operator(o, b);
	else
		copy(o, b);
}

static void
rebuild_binds(Optimizer *o, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next)
		rebuild(o, x);
}

static Block *
rebuild_body(Optimizer *o, const Block *b)
{
	Frame *fr = frame_open(&o->f);

	rebuild_binds(o, b);
	block_yield(o->f.out, frame_block(&o->f), b->nyield, now_all(o, b->nyield, b->yield));
	forget(o, 0);
	return frame_close(&o->f, fr);
}

static Fun *
rebuild_fun(Optimizer *o, const Callee *c)
{
	const Fun *f = c->fun;
	Fun *n = NEW(o->f.arena, Fun, 1);
	Frame *params = frame_open(&o->f);      /* around the body, so that they have a depth */

	*n = *f;
	n->next = NULL;
	n->nparam = n->nresult = 0;
	n->param = NEW(o->f.arena, Var *, f->nparam);
	n->result = NEW(o->f.arena, const Ty *, f->nresult);
	for (int i = 0; i < f->nparam; i++)
		if (callee_keeps(c, i))
			n->param[n->nparam++] = renew(o, f->param[i]);
		else if (!c->unused[i])
			becomes(o, f->param[i], now(o, c->param[i]));
	n->body = rebuild_body(o, f->body);
	frame_close(&o->f, params);
	n->body->nyield = 0;
	for (int i = 0; i < f->nresult; i++)
		if (!c->drop[i]) {
			n->body->yield[n->body->nyield++] = n->body->yield[i];
			n->result[n->nresult++] = f->result[i];
		}
	return n;
}

static Entry *
rebuild_entry(Optimizer *o, const Entry *e)
{
	Entry *n = NEW(o->f.arena, Entry, 1);

	*n = *e;
	n->next = NULL;
	if (e->body)
		n->body = rebuild_body(o, e->body);
	return n;
}

typedef struct Rebuilt {
	Fun *fun;               /* or */
	int entry;              /* this one's number */
	Block *body;
	int rewritten, before;  /* bindings */
} Rebuilt;
typedef LIST(Rebuilt) RebuiltList;

/* What another round may change comes out anew, the rest as it is. */
static RebuiltList
rebuild_program(Optimizer *o, const Stale *stale)
{
	RebuiltList all = {0};
	Fun **fun = &o->f.out->funs;
	Entry **entry = &o->f.out->entries;
	int n = 0, before;

	for (Fun *f = o->in->funs; f; f = f->next) {
		const Callee *c = survey_callee(o->survey, f->name);

		if (c->size < 0 || c->inlined)
			continue;
		*fun = f;
		before = o->rewritten;
		if (stale_fun(stale, o->survey, c)) {
			*fun = rebuild_fun(o, c);
			LIST_ADD(o->f.arena, &all, ((Rebuilt){*fun, 0, (*fun)->body, o->rewritten - before, block_bindings(f->body)}));
		}
		fun = &(*fun)->next;
	}
	*fun = NULL;
	for (Entry *e = o->in->entries; e; e = e->next, n++) {
		*entry = e;
		before = o->rewritten;
		if (e->body && stale_entry(stale, o->survey, n, e->body)) {
			*entry = rebuild_entry(o, e);
			LIST_ADD(o->f.arena, &all, ((Rebuilt){NULL, n, (*entry)->body, o->rewritten - before, block_bindings(e->body)}));
		}
		entry = &(*entry)->next;
	}
	return all;
}

/* Those whose bodies came out other than they were are stale; are there any? */
static bool
tell_changed(const RebuiltList *all, Stale *stale)
{
	bool any = false;

	for (int i = 0; i < all->n; i++) {
		const Rebuilt *r = &all->at[i];

		if (r->rewritten == 0 && block_bindings(r->body) == r->before)
			continue;
		any = true;
		if (r->fun)
			stale_fun_changed(stale, r->fun);
		else
			stale_entry_changed(stale, r->entry);
	}
	return any;
}

/* Nothing is known yet of what is emitted. */
static void
begin_round(Optimizer *o, const Program *p)
{
	Program *out = program_new(o->f.arena, p->names, &flan_ir);

	out->nvar = p->nvar;
	out->cells = p->cells;
	out->nested = p->nested;
	out->int_bits = p->int_bits;
	o->in = p;
	o->f.out = out;
	o->f.nknown = o->f.nbucket = 0;
	o->f.defs.n = o->f.depths.n = o->f.as_long.n = o->f.uses.n = o->f.ordered.n = o->fact.n = 0;
	o->now = NEW(o->f.arena, Opnd, p->nvar);
	o->rewritten = 0;
}

/* Did it change anything? */
static bool
one_round(Optimizer *o, const Program *p, Stale *stale)
{
	RebuiltList all;
	Dead *dead;

	begin_round(o, p);
	o->survey = survey(p);
	arity(o->survey);
	stale_begin(stale);
	all = rebuild_program(o, stale);
	stale_end(stale, o->survey);
	dead = dead_new(o->f.out);
	for (int i = 0; i < all.n; i++)
		dead_remove(dead, all.at[i].body);
	dead_drop(dead);
	survey_drop(o->survey);
	arena_give_back(o->f.arena, o->now, sizeof *o->now * (size_t)p->nvar);
	return tell_changed(&all, stale);
}

static void
all_rounds(Unit *u)
{
	Arena *scratch = arena_new();
	Optimizer o = {.f = {.arena = u->arena, .rules = rules_new(scratch, u->fuse == FUSE_ALL), .fuses = u->fuse == FUSE_ALL}};
	Stale *stale = stale_new(scratch, u->ir);

	for (bool again = true; again && u->nround < MOST_ROUNDS; u->nround++) {
		Round *r = &u->round[u->nround];

		if (u->time_passes)
			r->before = ir_bindings(u->ir);
		again = one_round(&o, u->ir, stale);
		u->ir = o.f.out;
		r->rewritten = o.rewritten;
		if (u->time_passes)
			r->after = ir_bindings(u->ir);
		again = again || group(u->ir, stale);   /* what is grouped must be seen in its simplest form */
	}
	arena_free(scratch);
}

void
optimize(Unit *u)
{
	u->nround = 0;
	if (u->unoptimized == 0) {
		all_rounds(u);
		if (u->mem_limit == 0 && make_once(u->ir))      /* what is kept takes memory */
			all_rounds(u);
		if (u->fuse == FUSE_ALL) {              /* who is to be in the same task must be put there */
			arms(u->ir);
			sink(u->ir);
			ahead(u->ir);
			remove_dead(u->ir);
		}
	}
	ir_name(u->ir);
}

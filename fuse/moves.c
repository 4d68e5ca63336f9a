/* moves.c: what is made of innermost rows, as it was, or by loops (rowloop.c).
 *
 * In   a part of a block (inner.c)
 * Out  an arm: copies of its bindings; or what it gives in the order of need, where a fold of a row is a call of a loop for each row.  Folds that
 *      need what others give are loops behind theirs.
 * How  Rematerialisation, as in few.c, of what the arm asks of bindings outside that are in no memory. */
#include "fuse/moves.h"
#include "flatten/flan.h"
#include "frontend/scalar.h"
#include "fuse/rowloop.h"

Bind *
moves_put(Copy *c, int op, bool lifted, Var *v, int narg, const Opnd *arg)
{
	Bind *b = bind_at(c->r->d->p, c->here, op, v, narg, arg, c->r->t->span);

	b->lifted = lifted;
	c->here = &b->next;
	return b;
}

Opnd
moves_host(Copy *c, int op, const char *hint, const Ty *ty, int narg, const Opnd *arg)
{
	Var *v = var_new(c->r->d->p, hint, ty);

	moves_put(c, op, false, v, narg, arg);
	return opnd_var(v);
}

Opnd
moves_fold(Copy *c, int op, const char *hint, Opnd v)
{
	Region *r = c->r;
	const Ty *ty = opnd_ty(v);
	Var *w = var_new(r->d->p, hint, ty);

	moves_put(c, op, true, w, 2, (Opnd[]){opnd_var(r->around), v});
	shapes_same(r->d->shapes, w, r->d->shapes, r->around);
	return HOST(c, op, hint, ty->a, opnd_var(w));
}

static Var *
like(Copy *c, Var *v)
{
	Var *w = c->direct ? v : var_new(c->r->d->p, v->name, v->ty);

	shapes_same(c->r->d->shapes, w, c->r->d->shapes, v);
	c->now[v->id] = opnd_var(w);
	c->have[v->id] = true;
	return w;
}

static void
copy_bind(Copy *c, const Bind *b)
{
	Program *p = c->r->d->p;
	Opnd *arg = NEW(p->arena, Opnd, b->narg), *way = NEW(p->arena, Opnd, b->nway);
	Bind *n;

	for (int i = 0; i < b->narg; i++)
		arg[i] = moves_again(c, b->arg[i]);
	for (int i = 0; i < b->nway; i++)
		way[i] = b->way[i].kind == OPND_VAR && !inner_is_new(c->r->d, b->way[i].u.var) && c->have[b->way[i].u.var->id] ? c->now[b->way[i].u.var->id] : b->way[i];
	n = moves_put(c, b->op, b->lifted, NULL, b->narg, arg);
	n->name = b->name;
	n->span = b->span;
	bind_way(p, n, b->nway, way);
	n->ndst = b->ndst;
	n->dst = NEW(p->arena, Var *, b->ndst);
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = like(c, b->dst[i]);
}

static void loops(Copy *c, int phase);

Opnd
moves_again(Copy *c, Opnd o)
{
	const int id = o.kind == OPND_VAR ? o.u.var->id : 0;

	if (o.kind != OPND_VAR || inner_is_new(c->r->d, o.u.var))
		return o;
	if (c->have[id])
		return c->now[id];
	if (c->r->here[id] && inner_is_fold(c->r, c->r->d->made[id]))
		loops(c, c->r->phase[id]);
	else if (c->r->here[id] || c->r->last[id] || (!c->direct && inner_made_again(c->r->d, o)))
		copy_bind(c, c->r->d->made[id]);
	else
		return o;
	return c->now[id];
}

void
moves_as_it_was(Copy *c)
{
	for (int i = 0; i < c->r->part.n; i++)
		copy_bind(c, c->r->part.at[i]);
}

/* -- loops -------------------------------------------------------------------------------------------------- */
static bool
is_of_members(const Region *r, const Bind *b)
{
	return b->op == FLAN_check && is_member(&r->members, b->arg[0]);
}

static Var *
rows_var(Copy *c, const char *name, const Ty *ty)
{
	Var *v = var_new(c->r->d->p, name, ty);

	shapes_same(c->r->d->shapes, v, c->r->d->shapes, c->r->like);
	return v;
}

/* What it folds; to count what is kept is a sum. */
static RowFold
fold_of(const Bind *b)
{
	if (b->op == FLAN_lengths)
		return (RowFold){FLAN_sum, b->arg[0], opnd_int(1), opnd_int(0), b->dst[0]->name};
	return (RowFold){b->op, b->arg[0], b->arg[1], b->arg[b->narg - 1], b->dst[0]->name};
}

/* A vector of the rows. */
static Opnd
put_rows(Copy *c, const Bind *b, int op, bool lifted, Var *v, int narg, const Opnd *arg)
{
	Var *w = rows_var(c, v->name, v->ty);

	moves_put(c, op, lifted, w, narg, arg)->name = b->name;
	return opnd_var(w);
}

/* Is it what each row has in a vector of the rows? */
static bool
takes_own(const Region *r, const Bind *b)
{
	const Bind *at = b->op == FLAN_gather ? inner_made_by(r->d, b->arg[1]) : NULL;

	return at && at->op == FLAN_rowid && shape_length(r->d->shapes, b->arg[0].u.var) == shape_rows(r->d->shapes, r->t->dst[0]);
}

/* A member that is the same for all of a row, for each row; or what is no member. */
static Opnd
of_row(Copy *c, Opnd o)
{
	const Bind *b = inner_made_by(c->r->d, o);
	Opnd *arg;
	Var *v = o.u.var;

	if (!is_member(&c->r->members, o))
		return o;
	if (b->op == FLAN_total)
		return c->n;
	if (c->have[v->id])
		return c->now[v->id];
	if (b->op == FLAN_dist) {
		c->now[v->id] = moves_again(c, b->arg[1]);
	} else if (b->op == FLAN_gather && is_place(&c->r->members, b->arg[1])) {
		c->now[v->id] = of_row(c, b->arg[0]);
	} else if (takes_own(c->r, b)) {
		c->now[v->id] = moves_again(c, b->arg[0]);
	} else if (b->op == FLAN_rowid) {
		c->now[v->id] = put_rows(c, b, FLAN_iota, false, v, 1, &c->n);
	} else {
		arg = NEW(c->r->d->p->arena, Opnd, b->narg);
		for (int i = 0; i < b->narg; i++)
			arg[i] = of_row(c, b->arg[i]);
		c->now[v->id] = put_rows(c, b, b->op, b->lifted, v, b->narg, arg);
	}
	c->have[v->id] = true;
	return c->now[v->id];
}

/* call^ of the loop: how long each row is, 0, what folds begin with, what it wants besides. */
static void
call_loop(Copy *c, const Fun *f, int nfold, const RowFold *fold, const RowArgs *more, Var **dst)
{
	Program *p = c->r->d->p;
	const Bind *t = c->r->t;
	Opnd *arg = NEW(p->arena, Opnd, f->nparam + 1);
	Bind *call;
	int n = 0;

	arg[n++] = c->n;
	arg[n++] = moves_again(c, t->arg[t->op == FLAN_uniform]);
	arg[n++] = opnd_int(0);
	for (int k = 0; k < nfold; k++)
		for (int i = 0; i < row_results(&fold[k]); i++)
			arg[n++] = row_begin(p, &fold[k], i);
	for (int i = 0; i < more->n; i++)
		arg[n++] = more->at[i].each ? of_row(c, more->at[i].is) : more->at[i].is;
	call = moves_put(c, FLAN_call, true, NULL, n, arg);
	call->name = f->name;
	call->ndst = f->nresult;
	call->dst = dst;
}

/* A condition more that checks ask for. */
static void
must_hold(Copy *c, Opnd flags)
{
	const Opnd all = moves_fold(c, FLAN_all, "good", flags);

	c->good = c->good.kind == OPND_VAR ? HOST(c, FLAN_and, "good", &ty_bool, c->good, all) : all;
}

/* All that is folded of members that are known after one loop less. */
static void
loops(Copy *c, int phase)
{
	Region *r = c->r;
	Program *p = r->d->p;
	RowArgs more = {0};
	LIST(RowFold) fold = {0};
	LIST(Var *) dst = {0}, flag = {0};
	const Fun *f;

	c->looped |= 1u << phase;
	for (int i = 0; i < r->part.n; i++) {
		const Bind *b = r->part.at[i];

		if (inner_is_fold(r, b) && r->phase[b->dst[0]->id] == phase) {
			LIST_ADD(p->arena, &fold, fold_of(b));
			if (row_results(&fold.at[fold.n - 1]) > 1)
				LIST_ADD(p->arena, &dst, rows_var(c, "best", opnd_ty(b->arg[1])));
			LIST_ADD(p->arena, &dst, like(c, b->dst[0]));
		} else if (is_of_members(r, b) && inner_phase(r, b) == phase - 1) {
			Var *good = rows_var(c, "good", &ty_bools);

			LIST_ADD(p->arena, &fold, ((RowFold){FLAN_all, opnd_var((Var *)r->members.of[b->arg[0].u.var->id]), b->arg[0], b->arg[0], "good"}));
			LIST_ADD(p->arena, &dst, good);
			LIST_ADD(p->arena, &flag, good);
		}
	}
	f = row_loop(p, &r->members, r->d->made, fold.at[0].name, r->t->span, fold.n, fold.at, &more);
	call_loop(c, f, fold.n, fold.at, &more, dst.at);
	for (int i = 0; i < flag.n; i++)
		must_hold(c, opnd_var(flag.at[i]));
}

void
moves_by_loops(Copy *c)
{
	Region *r = c->r;

	for (int i = 0; i < r->result.n; i++)
		moves_again(c, opnd_var(r->result.at[i]));
	for (int i = 0; i < r->part.n; i++) {
		const Bind *b = r->part.at[i];

		if (is_of_members(r, b) && !(c->looped & 1u << (inner_phase(r, b) + 1)))
			loops(c, inner_phase(r, b) + 1);
		else if (b->op == FLAN_check && !is_of_members(r, b))
			must_hold(c, moves_again(c, b->arg[0]));
	}
}

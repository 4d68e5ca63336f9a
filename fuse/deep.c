/* deep.c: of levels three deep, the innermost is folded by whoever has its rows, if they are short.
 *
 * In   flan whose checks are proved or stay (shape/shape.h)
 * Out  the same, where {sum({sum({w[x] : x in g[v]}) : v in a}) : a in g} has the rows g[v] folded in an arm by a loop for each v, a step of the
 *      task over a's elements, if they are short; else as they were:
 *
 *          inner = if short { r = call^ r_of_row ..; inner = sum^ s r } { t = segdes lengths; ..; r = sum^ t x; inner = sum^ s r }
 *
 *      A task has two levels.  So where rows of t are elements of rows, what each of them is told, how long it is and where it is from, would be
 *      stored for each, and what is folded of it, too.  In the arm all this is a step away.
 * How  Flattening of what is parallel enough only, decided at run time (Incremental flattening, Henriksen et al., PPoPP 2019): rows of
 *      SHORT elements in the mean, of which none is more than a share of all that a thread does not notice.  Rows of constant length need no
 *      condition.  What the lengths are made of, and what else is asked by element only, is made again in the arm where that takes few
 *      steps (rematerialisation, as in few.c).
 *      A loop tells of no fault: of a check it folds whether it holds, and if one does not, all is done as it was, which tells. */
#include <string.h>
#include "flatten/dead.h"
#include "flatten/flan.h"
#include "flatten/survey.h"
#include "fuse/deep.h"
#include "fuse/rowloop.h"
#include "frontend/scalar.h"
#include "shape/shape.h"

enum {
	SHORT = 24,             /* elements of a row, in the mean: about where float sums take as long either way (bench/results/2026-12-01-three-deep.md), */
	LONG = 64,              /* of the longest, */
	SHARE = 65536,          /* or so many of them are no more than all */
	MOST_LOOPS = 8,         /* one after the other */
	MOST = 24, LOAD = 4     /* steps of what is made again; of what is loaded */
};

typedef struct Deep {
	Program *p;
	Shapes *shapes;
	Survey *survey;
	int nvar;               /* what follows is by Var.id, of the program as it was */
	const Bind **made;      /* what made it; NULL: a parameter, or a result of blocks */
	int *born;              /* which binding of the body that is; 0: a parameter */
	const Block **home;
	bool *stored;           /* in memory anyway */
	int bindings;
	bool timed;             /* nothing may move */
} Deep;

/* t's members and what is made of their folds for each of its rows: what goes into arms. */
typedef struct Region {
	Deep *d;
	Block *block;
	Bind *t;
	Members members;
	LIST(Bind *) part;      /* t first */
	bool *here;             /* by Var.id: a vector of the rows, of what is folded of them */
	bool *last;             /* by Var.id: folded of such in turn, and so one for several rows */
	bool *out;              /* by Var.id: either, and wanted elsewhere */
	int *phase;             /* by Var.id, also of members: known after so many loops */
	Bind *place;            /* the last that is of members: the arms stand there */
	int known;              /* Deep.born of the last result up to there */
	bool told, checks;      /* something may tell of faults since the place; one of part does */
	bool outside;           /* something since the place is made of what is here, and is not part of it */
	const Var *like;        /* a vector of the rows */
	LIST(Var *) result;
	Arena *scratch;
} Region;

typedef struct Copy {                   /* of part into an arm */
	Region *r;
	Bind **here;
	Opnd *now;              /* by Var.id */
	bool *have;
	Opnd n;                 /* how many rows */
	Opnd good;              /* do all checks hold, as far as loops have told */
	unsigned looped;        /* after how many loops more is known: a set */
	bool direct;            /* results are what they were */
} Copy;

/* -- what there is ------------------------------------------------------------------------------------------ */
static const Bind *
made_by(const Deep *d, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < d->nvar ? d->made[o.u.var->id] : NULL;
}

static bool
is_leaf(const Bind *b)
{
	return b->op == FLAN_iota || b->op == FLAN_dist || b->op == FLAN_rowid;
}

static bool
is_step(const Bind *b)
{
	return flan_elementwise(b) || b->op == FLAN_gather || (b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length));
}

/* Is b's i-th operand asked for element by element? */
static bool
is_asked(const Bind *b, int i)
{
	if (b->op == FLAN_gather)
		return i == 1;
	return is_step(b) || is_leaf(b) || b->op == FLAN_segdes || b->op == FLAN_length || op_folds(&flan_ir.op[b->op])
	       || (b->lifted && b->op == FLAN_check);
}

static void
note(Deep *d, const Block *block, Opnd o, bool by_element)
{
	if (is_vector(o) && (!by_element || d->home[o.u.var->id] != block))
		d->stored[o.u.var->id] = true;
}

static void
look(Deep *d, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		d->timed = d->timed || b->op == FLAN_clock;
		d->bindings++;
		for (int i = 0; i < b->ndst; i++) {
			d->made[b->dst[i]->id] = b->nblock ? NULL : b;
			d->born[b->dst[i]->id] = d->bindings;
			d->home[b->dst[i]->id] = block;
		}
		for (int i = 0; i < b->narg; i++)
			note(d, block, b->arg[i], is_asked(b, i));
		for (int i = 0; i < b->nway; i++)
			note(d, block, b->way[i], false);
		for (int i = 0; i < b->nblock; i++)
			look(d, b->block[i]);
	}
	for (int i = 0; i < block->nyield; i++)
		note(d, block, block->yield[i], false);
}

/* Steps to make v, up to more than MOST; *deep: an element of rows is asked where in its row it is. */
static int
steps(const Deep *d, Opnd v, bool *deep)
{
	const Bind *b = made_by(d, v);
	int n = 1;

	if (!is_vector(v))
		return 0;
	if (!b || d->stored[v.u.var->id])
		return LOAD;
	if (!is_leaf(b) && !is_step(b))
		return LOAD;
	*deep = *deep || b->op == FLAN_rowid || (b->lifted && is_leaf(b));
	if (b->op == FLAN_gather)
		return LOAD + steps(d, b->arg[1], deep);
	if (!flan_elementwise(b) && !is_leaf(b))
		n = LOAD;
	for (int i = 0; i < b->narg && n <= MOST; i++)
		n += steps(d, b->arg[i], deep);
	return n;
}

/* Is v made of what is known of elements of rows, and would be in memory for what is asked of t's rows only? */
static bool
is_deep(const Deep *d, Opnd v)
{
	bool deep = false;

	return is_vector(v) && steps(d, v, &deep) <= MOST && deep;
}

/* -- what goes into the arms -------------------------------------------------------------------------------- */
static bool
is_here(const Region *r, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < r->d->nvar && r->here[o.u.var->id];
}

static int
phase_of(const Region *r, const Bind *b)
{
	int phase = 0;

	for (int i = 0; i < b->narg; i++)
		if (is_here(r, b->arg[i]) || is_member(&r->members, b->arg[i]))
			phase = r->phase[b->arg[i].u.var->id] > phase ? r->phase[b->arg[i].u.var->id] : phase;
	return phase;
}

static bool
calls_quiet(const Region *r, const Bind *b)
{
	const Callee *c = survey_callee(r->d->survey, b->name);

	return c && c->quiet && !c->fun->recursive;
}

/* May the loop have it? Of what is here it may only be told what is of its row. */
static bool
member_fits(const Region *r, const Bind *b, Role role)
{
	if (role == CALL && !calls_quiet(r, b))
		return false;
	if (role == LEAF || b->op != FLAN_gather)
		return true;
	return !is_here(r, b->arg[0]) || r->d->made[b->arg[1].u.var->id]->op == FLAN_rowid;
}

/* Is b, of what is here, made for each row, or folded of several? */
static bool
follows(const Region *r, const Bind *b)
{
	const bool folds = b->lifted && flan_ir.op[b->op].cls == OP_REDUCE;

	if (b->ndst > 1 || b->nblock > 0 || (b->op == FLAN_check && (!b->lifted || r->told)))
		return false;
	if (!flan_elementwise(b) && !folds && b->op != FLAN_check && !is_step(b))
		return false;
	for (int i = 0; i < b->narg; i++) {
		const Opnd o = b->arg[i];
		const int id = o.kind == OPND_VAR ? o.u.var->id : 0;

		if (o.kind != OPND_VAR)
			continue;
		if (r->last[id] || (is_here(r, o) && !ty_scalar(o.u.var->ty) && !is_vector(o)))
			return false;
		if (is_here(r, o) ? b->op == FLAN_gather && i == 0 : r->d->born[id] > r->known)
			return false;
	}
	return true;
}

/* May it tell of a fault, or not come back? */
static bool
tells(const Region *r, const Bind *b)
{
	return survey_matters(r->d->survey, b) || b->nblock > 0;
}

static bool
mentions_rows(const Region *r, const Bind *b)
{
	for (int i = 0; i < b->nway; i++)
		if (is_rows(&r->members, b->way[i]))
			return true;
	return false;
}

static bool
mentions_here(const Region *r, const Bind *b)
{
	return bind_mentions(b, NULL, r->here) || bind_mentions(b, NULL, r->last);
}

static void
add(Region *r, Bind *b, bool member)
{
	LIST_ADD(r->d->p->arena, &r->part, b);
	r->checks = r->checks || b->op == FLAN_check;
	for (int i = 0; i < b->ndst; i++)
		r->phase[b->dst[i]->id] = phase_of(r, b) + (member && op_folds(&flan_ir.op[b->op]));
}

/* A binding of members: everything up to it stands before the arms, or in them. */
static bool
take_member(Region *r, Bind *b, Role role, int known)
{
	if (role == BAD || !member_fits(r, b, role) || r->outside || (r->told && r->checks))
		return false;
	r->told = false;
	r->place = b;
	r->known = known;
	if (role == FOLD) {
		r->here[b->dst[0]->id] = true;
		r->like = b->dst[0];
	}
	add(r, b, true);
	return phase_of(r, b) < MOST_LOOPS;
}

/* Any other; false: it is told of t and no part of it. */
static bool
take_other(Region *r, Bind *b)
{
	const bool here = mentions_here(r, b);

	if (here && follows(r, b)) {
		for (int i = 0; i < b->ndst; i++)
			(op_folds(&flan_ir.op[b->op]) ? r->last : r->here)[b->dst[i]->id] = true;
		add(r, b, false);
		return true;
	}
	r->outside = r->outside || here;
	r->told = r->told || tells(r, b);
	return !mentions_rows(r, b);
}

static void
want(Region *r, int n, const Opnd *o)
{
	for (int i = 0; i < n; i++) {
		Var *v = o[i].kind == OPND_VAR && o[i].u.var->id < r->d->nvar ? o[i].u.var : NULL;

		if (v && (r->here[v->id] || r->last[v->id]) && !r->out[v->id]) {
			r->out[v->id] = true;
			LIST_ADD(r->d->p->arena, &r->result, v);
		}
	}
}

static void
want_of(Region *r, const Bind *b)
{
	want(r, b->narg, b->arg);
	want(r, b->nway, b->way);
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *x = b->block[i]->first; x; x = x->next)
			want_of(r, x);
		want(r, b->block[i]->nyield, b->block[i]->yield);
	}
}

/* What the rest of the block wants of part. */
static void
find_results(Region *r)
{
	int k = 1;

	for (const Bind *b = r->t->next; b; b = b->next)
		if (k < r->part.n && r->part.at[k] == b)
			k++;
		else
			want_of(r, b);
	want(r, r->block->nyield, r->block->yield);
}

/* Can all that is of t's members go into arms, and are there results? */
static bool
find_region(Region *r)
{
	int known = r->d->born[r->t->dst[0]->id];

	LIST_ADD(r->d->p->arena, &r->part, r->t);
	for (Bind *b = r->t->next; b; b = b->next) {
		const Role role = member_role(&r->members, b);

		if (b->ndst > 0)
			known = r->d->born[b->dst[0]->id];
		if (role == OTHER ? !take_other(r, b) : !take_member(r, b, role, known))
			return false;
	}
	for (int i = 0; i < r->block->nyield; i++)
		if (is_rows(&r->members, r->block->yield[i]) || is_member(&r->members, r->block->yield[i]))
			return false;
	find_results(r);
	return r->result.n > 0;
}

/* Would the rows' elements be told what has to be stored for it? */
static bool
is_worth_it(const Region *r)
{
	if (r->t->op == FLAN_segdes && is_deep(r->d, r->t->arg[0]))
		return true;
	for (int i = 1; i < r->part.n; i++) {
		const Bind *b = r->part.at[i];

		if (b->lifted && b->op == FLAN_dist && is_rows(&r->members, b->arg[0]) && is_deep(r->d, b->arg[1]))
			return true;
	}
	return false;
}

/* -- the arms ----------------------------------------------------------------------------------------------- */
static Bind *
put(Copy *c, int op, bool lifted, Var *v, int narg, const Opnd *arg)
{
	Bind *b = bind_at(c->r->d->p, c->here, op, v, narg, arg, c->r->t->span);

	b->lifted = lifted;
	c->here = &b->next;
	return b;
}

/* A number of the host. */
static Opnd
put_host(Copy *c, int op, const char *hint, const Ty *ty, int narg, const Opnd *arg)
{
	Var *v = var_new(c->r->d->p, hint, ty);

	put(c, op, false, v, narg, arg);
	return opnd_var(v);
}

#define HOST(c, op, hint, ty, ...) \
	put_host(c, op, hint, ty, (int)(sizeof (Opnd[]){__VA_ARGS__} / sizeof(Opnd)), (Opnd[]){__VA_ARGS__})

static Var *
like(Copy *c, Var *v)
{
	Var *w = c->direct ? v : var_new(c->r->d->p, v->name, v->ty);

	shapes_same(c->r->d->shapes, w, c->r->d->shapes, v);
	c->now[v->id] = opnd_var(w);
	c->have[v->id] = true;
	return w;
}

static Opnd copied(Copy *c, Opnd o);

/* Of t's rows? */
static bool
is_fold(const Region *r, const Bind *b)
{
	return op_folds(&flan_ir.op[b->op]) && is_rows(&r->members, b->arg[0]);
}

static void
copy_bind(Copy *c, const Bind *b)
{
	Program *p = c->r->d->p;
	Opnd *arg = NEW(p->arena, Opnd, b->narg), *way = NEW(p->arena, Opnd, b->nway);
	Bind *n;

	for (int i = 0; i < b->narg; i++)
		arg[i] = copied(c, b->arg[i]);
	for (int i = 0; i < b->nway; i++)
		way[i] = b->way[i].kind == OPND_VAR && b->way[i].u.var->id < c->r->d->nvar && c->have[b->way[i].u.var->id] ? copied(c, b->way[i]) : b->way[i];
	n = put(c, b->op, b->lifted, NULL, b->narg, arg);
	n->name = b->name;
	n->span = b->span;
	bind_way(p, n, b->nway, way);
	n->ndst = b->ndst;
	n->dst = NEW(p->arena, Var *, b->ndst);
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = like(c, b->dst[i]);
}

/* Is v not in memory, and made again with few steps? */
static bool
is_made_again(const Deep *d, Opnd v)
{
	const Bind *b = made_by(d, v);
	bool deep;

	return b && !d->stored[v.u.var->id] && (is_leaf(b) || is_step(b)) && steps(d, v, &deep) <= MOST;
}

static void loops(Copy *c, int phase);

/* o in the arm. */
static Opnd
copied(Copy *c, Opnd o)
{
	const int id = o.kind == OPND_VAR ? o.u.var->id : 0;

	if (o.kind != OPND_VAR || id >= c->r->d->nvar)
		return o;
	if (c->have[id])
		return c->now[id];
	if (c->r->here[id] && is_fold(c->r, c->r->d->made[id]))
		loops(c, c->r->phase[id]);
	else if (c->r->here[id] || c->r->last[id] || is_made_again(c->r->d, o))
		copy_bind(c, c->r->d->made[id]);
	else
		return o;
	return c->now[id];
}

static void
as_it_was(Copy *c)
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

static Opnd
loop_arg(Copy *c, RowArg a)
{
	Var *v;

	if (!a.each)
		return a.is;
	if (!a.number)
		return copied(c, a.is);
	v = var_new(c->r->d->p, "row", &ty_ints);
	put(c, FLAN_iota, false, v, 1, &c->n);
	shapes_same(c->r->d->shapes, v, c->r->d->shapes, c->r->like);
	return opnd_var(v);
}

/* call^ of the loop: how long each row is, 0, what folds begin with, what it wants besides. */
static void
call_loop(Copy *c, const Fun *f, int nfold, const RowFold *fold, const RowArgs *more, Var **dst)
{
	Program *p = c->r->d->p;
	const Bind *t = c->r->t;
	Opnd *arg = NEW(p->arena, Opnd, f->nparam + 1);
	Bind *call;

	arg[0] = c->n;
	arg[1] = copied(c, t->arg[t->op == FLAN_uniform]);
	arg[2] = opnd_int(0);
	for (int i = 0; i < nfold; i++)
		arg[3 + i] = scalar_opnd(f->result[i], scalar_identity(p->int_bits, flan_ir.op[fold[i].op].name, f->result[i]));
	for (int i = 0; i < more->n; i++)
		arg[3 + nfold + i] = loop_arg(c, more->at[i]);
	call = put(c, FLAN_call, true, NULL, f->nparam + 1, arg);
	call->name = f->name;
	call->ndst = nfold;
	call->dst = dst;
}

/* A condition more that checks ask for. */
static void
must_hold(Copy *c, Opnd flags)
{
	const Opnd all = HOST(c, FLAN_all, "good", &ty_bool, flags);

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

		if (is_fold(r, b) && r->phase[b->dst[0]->id] == phase) {
			LIST_ADD(p->arena, &fold, ((RowFold){b->op, b->arg[1], b->dst[0]->name}));
			LIST_ADD(p->arena, &dst, like(c, b->dst[0]));
		} else if (is_of_members(r, b) && phase_of(r, b) == phase - 1) {
			Var *good = var_new(p, "good", &ty_bools);

			shapes_same(r->d->shapes, good, r->d->shapes, r->like);
			LIST_ADD(p->arena, &fold, ((RowFold){FLAN_all, b->arg[0], "good"}));
			LIST_ADD(p->arena, &dst, good);
			LIST_ADD(p->arena, &flag, good);
		}
	}
	f = row_loop(p, &r->members, r->d->made, fold.at[0].name, fold.n, fold.at, &more);
	call_loop(c, f, fold.n, fold.at, &more, dst.at);
	for (int i = 0; i < flag.n; i++)
		must_hold(c, opnd_var(flag.at[i]));
}

/* All results, and whether all checks hold. */
static void
by_loops(Copy *c)
{
	Region *r = c->r;

	for (int i = 0; i < r->result.n; i++)
		copied(c, opnd_var(r->result.at[i]));
	for (int i = 0; i < r->part.n; i++) {
		const Bind *b = r->part.at[i];

		if (is_of_members(r, b) && !(c->looped & 1u << (phase_of(r, b) + 1)))
			loops(c, phase_of(r, b) + 1);
		else if (b->op == FLAN_check && !is_of_members(r, b))
			must_hold(c, copied(c, b->arg[0]));
	}
}

/* -- in their stead ----------------------------------------------------------------------------------------- */
/* Rows of which v's elements are, by what it is made of; NULL: it is in memory. */
static const Bind *
rows_under(const Deep *d, Opnd v)
{
	const Bind *b = made_by(d, v), *leaf = NULL;

	if (!is_made_again(d, v))
		return NULL;
	if (is_leaf(b))
		return b->lifted || b->op == FLAN_rowid ? b : NULL;
	for (int i = 0; i < b->narg && !leaf; i++)
		if (b->op != FLAN_gather || i == 1)
			leaf = rows_under(d, b->arg[i]);
	return leaf;
}

/* A fold of all the rows' lengths, in the task that makes them. */
static Opnd
fold_lengths(Copy *c, int op, const char *hint)
{
	Program *p = c->r->d->p;
	const Opnd lengths = c->r->t->arg[0];
	const Bind *leaf = rows_under(c->r->d, lengths);
	Var *v;

	if (!leaf)
		return HOST(c, op, hint, &ty_int, lengths);
	v = var_new(p, hint, &ty_ints);
	put(c, op, true, v, 2, (Opnd[]){leaf->arg[0], lengths});
	shapes_same(c->r->d->shapes, v, c->r->d->shapes, leaf->arg[0].u.var);
	return HOST(c, op, hint, &ty_int, opnd_var(v));
}

/* Are the rows short?  A constant if that is known. */
static Opnd
are_short(Copy *c)
{
	const Bind *t = c->r->t;
	Opnd all, longest, mean, share, few;

	if (t->op == FLAN_uniform)
		return t->arg[1].kind == OPND_INT ? opnd_bool(t->arg[1].u.i <= SHORT) : HOST(c, FLAN_le, "short", &ty_bool, t->arg[1], opnd_int(SHORT));
	all = fold_lengths(c, FLAN_sum, "all");
	longest = fold_lengths(c, FLAN_max_val, "longest");
	mean = HOST(c, FLAN_div, "mean", &ty_int, all, opnd_int(SHORT));
	share = HOST(c, FLAN_div, "share", &ty_int, all, opnd_int(SHARE));
	few = HOST(c, FLAN_le, "few", &ty_bool, mean, c->n);
	share = HOST(c, FLAN_max, "share", &ty_int, share, opnd_int(LONG));
	return HOST(c, FLAN_and, "short", &ty_bool, few, HOST(c, FLAN_le, "even", &ty_bool, longest, share));
}

static Copy
copy_new(Region *r, Opnd n)
{
	Copy c = {.r = r, .n = n, .now = NEW(r->scratch, Opnd, r->d->nvar), .have = NEW(r->scratch, bool, r->d->nvar), .good = opnd_bool(true)};

	return c;
}

/* An arm that gives what is in the copy, behind `first` if that is something. */
static void
end_arm(Copy *c, Block *k, bool good)
{
	const Region *r = c->r;
	Opnd *y = NEW(r->d->p->arena, Opnd, r->result.n + 1);

	y[0] = c->good;
	for (int i = 0; i < r->result.n; i++)
		y[good + i] = c->now[r->result.at[i]->id];
	block_yield(r->d->p, k, r->result.n + good, y);
	for (k->end = &k->first; *k->end; k->end = &(*k->end)->next)
		;
}

static Block *
loops_arm(Region *r, Opnd n, bool good)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, n);

	c.here = &k->first;
	by_loops(&c);
	end_arm(&c, k, good);
	return k;
}

static Block *
old_arm(Region *r, Opnd n)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, n);

	c.here = &k->first;
	as_it_was(&c);
	end_arm(&c, k, false);
	return k;
}

/* Not good, and nothing. */
static Block *
empty_arm(Region *r)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, opnd_int(0));

	c.here = &k->first;
	c.good = opnd_bool(false);
	for (int i = 0; i < r->result.n; i++) {
		Var *v = var_new(r->d->p, r->result.at[i]->name, r->result.at[i]->ty);

		put(&c, FLAN_vector, false, v, 0, NULL);
		c.now[r->result.at[i]->id] = opnd_var(v);
	}
	end_arm(&c, k, true);
	return k;
}

/* The results, fresh or as they were; good: and before them whether all checks hold. */
static Bind *
put_if(Copy *c, Opnd cond, Block *yes, Block *no, Var *good, bool fresh)
{
	Region *r = c->r;
	Bind *b = put(c, FLAN_if, false, NULL, 1, &cond);

	b->nblock = 2;
	b->block = NEW(r->d->p->arena, Block *, 2);
	b->block[0] = yes;
	b->block[1] = no;
	b->dst = NEW(r->d->p->arena, Var *, r->result.n + 1);
	if (good)
		b->dst[b->ndst++] = good;
	for (int i = 0; i < r->result.n; i++) {
		Var *v = r->result.at[i];

		b->dst[b->ndst++] = c->now[v->id].u.var = fresh ? var_new(r->d->p, v->name, v->ty) : v;
		c->now[v->id].kind = OPND_VAR;
	}
	return b;
}

/* What is in c, in an arm. */
static Block *
arm_of(Copy *c)
{
	Block *k = block_new(c->r->d->p);

	end_arm(c, k, false);
	return k;
}

static void
put_arms(Copy *c, Opnd is_short)
{
	Region *r = c->r;
	const bool known = is_short.kind == OPND_BOOL;

	if (r->checks) {
		if (known) {
			by_loops(c);
		} else {
			Var *good = var_new(r->d->p, "good", &ty_bool);

			put_if(c, is_short, loops_arm(r, c->n, true), empty_arm(r), good, true);
			c->good = opnd_var(good);
		}
		put_if(c, c->good, arm_of(c), old_arm(r, c->n), NULL, false);
	} else if (known) {
		c->direct = true;
		by_loops(c);
	} else {
		put_if(c, is_short, loops_arm(r, c->n, false), old_arm(r, c->n), NULL, false);
	}
}

/* Without part; where the place was. */
static Bind **
take_out(Region *r)
{
	Bind **at = &r->block->first, **place = NULL;
	int k = 0;

	while (*at) {
		Bind *b = *at;

		if (k < r->part.n && r->part.at[k] == b) {
			*at = b->next;
			k++;
		} else {
			at = &b->next;
		}
		if (b == r->place)
			place = at;
	}
	return place;
}

static bool
try_rows(Deep *d, Block *block, Bind *t)
{
	Arena *scratch = arena_new();
	Region r = {.d = d, .block = block, .t = t, .scratch = scratch, .members = {d->p, t->dst[0], d->nvar, NEW(scratch, bool, d->nvar)},
		.here = NEW(scratch, bool, d->p->nvar), .last = NEW(scratch, bool, d->p->nvar), .out = NEW(scratch, bool, d->nvar),
		.phase = NEW(scratch, int, d->nvar)};
	const bool can = find_region(&r) && is_worth_it(&r);

	if (can) {
		Copy c = copy_new(&r, opnd_int(0));

		c.here = take_out(&r);
		if (t->op == FLAN_uniform) {
			c.n = t->arg[0];
		} else {
			c.n = HOST(&c, FLAN_length, "n", &ty_int, t->arg[0]);
			shapes_value(d->shapes, c.n.u.var, shape_rows(d->shapes, t->dst[0]));
		}
		put_arms(&c, are_short(&c));
		for (int i = 0; i < r.result.n; i++)
			d->made[r.result.at[i]->id] = NULL;
		for (block->end = &block->first; *block->end; block->end = &(*block->end)->next)
			;
	}
	arena_free(scratch);
	return can;
}

static bool
may_be_short(const Bind *b)
{
	return b->op == FLAN_segdes || (b->op == FLAN_uniform && (b->arg[1].kind != OPND_INT || (b->arg[1].u.i > 0 && b->arg[1].u.i <= SHORT)));
}

static bool
deep_of_block(Deep *d, Block *block)
{
	LIST(Bind *) rows = {0};
	bool any = false;

	for (Bind *b = block->first; b; b = b->next) {
		for (int i = 0; i < b->nblock; i++)
			any = deep_of_block(d, b->block[i]) || any;
		if (may_be_short(b))
			LIST_ADD(d->p->arena, &rows, b);
	}
	for (int i = 0; i < rows.n; i++)
		any = try_rows(d, block, rows.at[i]) || any;
	return any;
}

static bool
deep_of_body(Deep *d, Block *body)
{
	d->timed = false;
	look(d, body);
	return !d->timed && deep_of_block(d, body);
}

void
deep(Unit *u)
{
	Program *p = u->ir;
	const int nvar = p->nvar;
	Deep d = {.p = p, .shapes = u->shapes, .nvar = nvar, .made = NEW(u->arena, const Bind *, nvar), .born = NEW(u->arena, int, nvar),
		.home = NEW(u->arena, const Block *, nvar), .stored = NEW(u->arena, bool, nvar)};
	bool any = false;

	if (u->no_shape || !u->shapes || u->fuse != FUSE_ALL || u->unoptimized == 2)
		return;
	d.survey = survey(p);
	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			any = deep_of_body(&d, f->body) || any;
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			any = deep_of_body(&d, e->body) || any;
	survey_drop(d.survey);
	if (any)
		remove_dead(p);
}

/* group.c: which elements are of class 0, which of class 1 ..: sorted by class, instead of looked through for each.
 *
 * In   flan; {{x in a; d in class | d == j} : j in [0:k]}, which asks k * #a questions
 * Out  flan: counts of the classes by put_sum, and what was kept by `group`, in #a + k steps
 * How  The pack is one of a uniform descriptor of k rows, by flags that are an equality between a number of the row, which counts
 *      the rows from a constant on, and what does not depend on the row: that is computed once for all rows, and so is what
 *      else must be true.  (Counting sort: Seward 1954; Knuth, vol. 3, section 5.2.)
 *      Whoever takes kept elements from what all rows have takes them from that once, at the places in a row, sorted by class; if
 *      only one does, a law of rules.c sorts its elements instead. */
#include "flatten/group.h"
#include "common/map.h"
#include "flatten/flan.h"

enum {
	MOST_STEPS = 64,        /* that are looked at for a class, or a condition; what two need counts twice */
	FEW_CLASSES = 3         /* so many flags for each element cost no more than sorting it */
};

typedef struct Site {
	Bind *bind;
	Block *in;
} Site;

typedef struct Grouper {
	Program *p;
	Map *maker;             /* Var -> Bind, in the function at hand */
	LIST(Site) all;         /* of it */
	/* the pack at hand */
	Bind *pack;
	Opnd rows, k, n;        /* its descriptor: k rows of n elements */
	Bind **at;              /* what is made here goes there */
	Map *once;              /* Var of k * n elements -> Opnd *, the same of n */
	int steps;
} Grouper;

static Bind *
made_by(const Grouper *g, Opnd x)
{
	return x.kind == OPND_VAR ? *map_at(g->maker, x.u.var) : NULL;
}

/* Are its segments those of the pack? */
static bool
of_rows(const Grouper *g, const Bind *b, int op)
{
	return b && b->op == op && same_opnd(b->arg[0], g->rows);
}

static void
make_as(Grouper *g, Var *v, int op, bool lifted, int narg, const Opnd *arg)
{
	Bind *b = bind_at(g->p, g->at, op, v, narg, arg, g->pack->span);

	b->lifted = lifted;
	g->at = &b->next;
}

static Opnd
make(Grouper *g, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg)
{
	Var *v = var_new(g->p, flan_ir.op[op].name, ty);

	make_as(g, v, op, lifted, narg, arg);
	return opnd_var(v);
}

/* -- what all rows have -------------------------------------------------------------------------------- */

/* Is x the same for the elements of all rows, by their place in the row? */
static bool
is_same(Grouper *g, Opnd x)
{
	const Bind *b = made_by(g, x);
	const bool picks = b && (b->op == FLAN_gather || (b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length)));

	if (x.kind != OPND_VAR || ty_scalar(x.u.var->ty) || of_rows(g, b, FLAN_iota))
		return true;
	if (!b || ++g->steps > MOST_STEPS)
		return false;
	if (picks)
		return is_same(g, b->arg[1]);
	if (flan_ir.op[b->op].cls != OP_SCALAR || !b->lifted)
		return false;
	for (int i = 0; i < b->narg; i++)
		if (!is_same(g, b->arg[i]))
			return false;
	return true;
}

/* x, which is the same for all rows, of one. */
static Opnd
once(Grouper *g, Opnd x)
{
	const Bind *b = made_by(g, x);
	Opnd *r, arg[3];

	if (x.kind != OPND_VAR || ty_scalar(x.u.var->ty))
		return x;
	if ((r = *map_at(g->once, x.u.var)))
		return *r;
	r = NEW(g->p->arena, Opnd, 1);
	if (of_rows(g, b, FLAN_iota)) {
		*r = make(g, FLAN_iota, false, b->dst[0]->ty, 1, &g->n);
	} else {
		const bool picks = flan_ir.op[b->op].cls != OP_SCALAR;

		for (int i = 0; i < b->narg; i++)
			arg[i] = picks && i == 0 ? b->arg[0] : once(g, b->arg[i]);
		*r = make(g, b->op, b->lifted, b->dst[0]->ty, b->narg, arg);
	}
	*map_at(g->once, x.u.var) = r;
	return *r;
}

/* -- classes ------------------------------------------------------------------------------------------- */

/* The number of the row, + *from, a number of the host? */
static bool
counts_rows(const Grouper *g, Opnd x, Opnd *from)
{
	const Bind *b = made_by(g, x);

	*from = opnd_int(0);
	if (of_rows(g, b, FLAN_rowid))
		return true;
	if (!of_rows(g, b, FLAN_dist) || !b->lifted)
		return false;
	b = made_by(g, b->arg[1]);
	for (int i = 0; b && b->op == FLAN_add && b->lifted && i < 2; i++)
		if (b->arg[1 - i].kind == OPND_INT || (b->arg[1 - i].kind == OPND_VAR && ty_scalar(b->arg[1 - i].u.var->ty))) {
			*from = b->arg[1 - i];
			b = made_by(g, b->arg[i]);
			break;
		}
	return b && b->op == FLAN_iota && !b->lifted;
}

/* The class of each element, if `flag` says that it is the row's, and others that are not of the row; -1: of none. */
static bool
class_of(Grouper *g, Opnd flag, Opnd *class)
{
	const Bind *b = made_by(g, flag);
	Opnd from, none[3];

	if (!b || !b->lifted || (b->op != FLAN_eq && b->op != FLAN_and))
		return false;
	for (int i = 0; i < 2; i++) {
		const Opnd x = b->arg[i], y = b->arg[1 - i];

		if (b->op == FLAN_eq && counts_rows(g, x, &from) && opnd_ty(y)->kind == TY_VEC && is_same(g, y)) {
			*class = once(g, y);
			if (!same_opnd(from, opnd_int(0)))
				*class = make(g, FLAN_sub, true, &ty_ints, 2, (Opnd[]){*class, from});
			return true;
		}
		if (b->op == FLAN_and && is_same(g, y) && class_of(g, x, class)) {
			none[0] = once(g, y);
			none[1] = *class;
			none[2] = opnd_int(-1);
			*class = make(g, FLAN_select, true, &ty_ints, 3, none);
			return true;
		}
	}
	return false;
}

/* -- who takes what is kept ------------------------------------------------------------------------------ */
static bool
takes(const Bind *b, Var *at)
{
	return b->op == FLAN_gather && same_opnd(b->arg[1], opnd_var(at)) && !same_opnd(b->arg[0], b->arg[1]);
}

/* Is it of a row, what b takes at the places of kept elements? */
static bool
takes_of_row(const Grouper *g, const Bind *b)
{
	const Bind *from = made_by(g, b->arg[0]);

	return of_rows(g, from, FLAN_rowid) || (of_rows(g, from, FLAN_dist) && from->lifted);
}

/* Is all that is taken there of a row, or the same for all rows? */
static bool
all_known(Grouper *g)
{
	for (int i = 0; i < g->all.n; i++) {
		const Bind *b = g->all.at[i].bind;

		g->steps = 0;
		if (takes(b, g->pack->dst[1]) && !takes_of_row(g, b) && !is_same(g, b->arg[0]))
			return false;
	}
	return true;
}

static void
becomes(Grouper *g, Bind *b, int op, bool lifted, int narg, const Opnd *arg)
{
	b->op = op;
	b->lifted = lifted;
	b->narg = narg;
	b->arg = NEW(g->p->arena, Opnd, narg);
	for (int i = 0; i < narg; i++)
		b->arg[i] = arg[i];
}

/* What is made next stands before the binding. */
static void
before(Grouper *g, Site s)
{
	g->at = &s.in->first;
	while (*g->at != s.bind)
		g->at = &(*g->at)->next;
	g->once = map_new(g->p->arena);
}

static void
take_again(Grouper *g, Site s, Opnd places)
{
	const Bind *from = made_by(g, s.bind->arg[0]);
	const Opnd kept = opnd_var(g->pack->dst[0]);

	before(g, s);
	if (of_rows(g, from, FLAN_rowid))
		becomes(g, s.bind, FLAN_rowid, false, 1, &kept);
	else if (takes_of_row(g, s.bind))
		becomes(g, s.bind, FLAN_dist, true, 2, (Opnd[]){kept, from->arg[1]});
	else
		becomes(g, s.bind, FLAN_gather, false, 2, (Opnd[]){once(g, s.bind->arg[0]), places});
}

/* -- the pack ------------------------------------------------------------------------------------------ */

/* Behind it: places in a row by class, and among all k * n, which dead code is if nobody wants them. */
static Opnd
make_places(Grouper *g, Var *among_all, Opnd class)
{
	const Opnd kept = opnd_var(g->pack->dst[0]);
	Opnd places, x;

	g->at = &g->pack->next;
	x = make(g, FLAN_iota, false, &ty_ints, 1, &g->n);
	places = make(g, FLAN_group, false, &ty_ints, 3, (Opnd[]){kept, class, x});
	x = make(g, FLAN_rowid, false, &ty_ints, 1, &kept);
	x = make(g, FLAN_mul, true, &ty_ints, 2, (Opnd[]){x, g->n});
	make_as(g, among_all, FLAN_add, true, 2, (Opnd[]){x, places});
	return places;
}

static bool
group_pack(Grouper *g, Site s)
{
	const Bind *rows = made_by(g, s.bind->arg[0]);
	Var *among_all;
	Opnd class, places, counts;

	if (!rows || rows->op != FLAN_uniform)
		return false;
	g->pack = s.bind;
	g->rows = s.bind->arg[0];
	g->k = rows->arg[0];
	g->n = rows->arg[1];
	if ((g->k.kind == OPND_INT && g->k.u.i <= FEW_CLASSES) || !all_known(g))
		return false;
	before(g, s);
	g->steps = 0;
	if (!class_of(g, s.bind->arg[1], &class))
		return false;
	counts = make(g, FLAN_dist, false, &ty_ints, 2, (Opnd[]){opnd_int(1), g->n});
	counts = make(g, FLAN_put_sum, false, &ty_ints, 3, (Opnd[]){counts, class, g->k});
	among_all = s.bind->dst[1];
	s.bind->ndst = 1;
	becomes(g, s.bind, FLAN_segdes, false, 1, &counts);
	places = make_places(g, among_all, class);
	if (s.in->end == &s.bind->next)
		s.in->end = g->at;
	for (int i = 0; i < g->all.n; i++)
		if (takes(g->all.at[i].bind, among_all))
			take_again(g, g->all.at[i], places);
	return true;
}

/* -- the program --------------------------------------------------------------------------------------- */
static void
find(Grouper *g, Block *b)
{
	for (Bind *s = b->first; s; s = s->next) {
		LIST_ADD(g->p->arena, &g->all, ((Site){s, b}));
		for (int i = 0; i < s->ndst; i++)
			*map_at(g->maker, s->dst[i]) = s;
		for (int i = 0; i < s->nblock; i++)
			find(g, s->block[i]);
	}
}

static bool
group_body(Program *p, Block *body)
{
	Grouper g = {.p = p, .maker = map_new(p->arena)};
	bool any = false;

	find(&g, body);
	for (int i = 0; i < g.all.n; i++)
		if (g.all.at[i].bind->op == FLAN_pack && g.all.at[i].bind->lifted)
			any |= group_pack(&g, g.all.at[i]);
	return any;
}

bool
group(Program *p, Stale *stale)
{
	bool any = false;
	int n = 0;

	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar && group_body(p, f->body)) {
			stale_fun_changed(stale, f);
			any = true;
		}
	for (Entry *e = p->entries; e; e = e->next, n++)
		if (e->body && group_body(p, e->body)) {
			stale_entry_changed(stale, n);
			any = true;
		}
	return any;
}

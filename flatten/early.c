/* early.c: what an arm folds of elements that are made before the conditional is folded where they are made.
 *
 * In   normal
 * Out  for each conditional, the reductions of its arms that run before it; flatten.c runs them there
 * Rule A reduction in an arm, not within an apply-to-each of it, runs before the conditional if its sequence is made in the block
 *      of the conditional by an apply-to-each, others there go through its elements too, and arms do nothing else with it, nor
 *      ask for the time.
 *      On the host only: elements of rows are folded and kept in more passes than one (backend/cpu/pass.c).
 * How  The elements are made in any case.  While they are made a fold of them costs less than storing them, which is not wanted
 *      then: so an arm that is not taken costs no more than before.  In quickhull the farthest point is found while points are
 *      classified, not where it is known that there are some. */
#include "flatten/flattener.h"

typedef LIST(const Bind *) Folds;

/* Outside of the conditional; in an arm of it; in an apply-to-each of either. */
typedef enum { OUTSIDE, ARM, WITHIN } Where;

/* Who uses a sequence. */
typedef struct {
	const Var *v;
	bool elements;          /* what goes through its elements, outside */
	bool others;
	Folds fold;             /* in arms */
} Uses;

static bool
yields(const Block *k, const Var *v)
{
	for (int i = 0; i < k->nyield; i++)
		if (same_opnd(k->yield[i], opnd_var((Var *)v)))
			return true;
	return false;
}

static void look(Flattener *f, const Block *k, Where at, Uses *u);

/* The places of max_at are those of its elements (basis/reduce.nesl). */
static bool
may_be_early(const Bind *b)
{
	return normal_ir.op[b->op].cls == OP_REDUCE || b->op == NORMAL_positions;
}

static void
look_at(Flattener *f, const Bind *b, Where at, Uses *u)
{
	const bool reads = bind_reads(b, u->v);

	if (at == ARM && reads && may_be_early(b))
		LIST_ADD(f->arena, &u->fold, b);
	else if (at == OUTSIDE && reads && normal_reads_elements(b))
		u->elements = true;
	else if ((at == ARM && b->op == NORMAL_clock) || (reads && b->op != NORMAL_positions && b->op != NORMAL_length))
		u->others = true;
	for (int i = 0; i < b->nblock; i++)
		look(f, b->block[i], b->op == NORMAL_if ? at : WITHIN, u);
}

static void
look(Flattener *f, const Block *k, Where at, Uses *u)
{
	for (const Bind *b = k->first; b; b = b->next)
		look_at(f, b, at, u);
	u->others |= yields(k, u->v);
}

/* Of what is made in k, before cond. */
static void
find_folds(Flattener *f, const Block *k, const Bind *made, const Bind *cond)
{
	Uses u = {.v = made->dst[0]};
	Folds *all = *map_at(f->early, cond);

	for (const Bind *b = made->next; b; b = b->next)
		if (b != cond)
			look_at(f, b, OUTSIDE, &u);
	for (int i = 0; i < cond->nblock; i++)
		look(f, cond->block[i], ARM, &u);
	if (!u.elements || u.others || yields(k, u.v))
		return;
	if (!all)
		*map_at(f->early, cond) = all = NEW(f->arena, Folds, 1);
	for (int i = 0; i < u.fold.n; i++)
		LIST_ADD(f->arena, all, u.fold.at[i]);
}

void
find_early(Flattener *f, const Block *k, const Bind *cond)
{
	for (const Bind *b = k->first; b != cond; b = b->next)
		if (b->op == NORMAL_foreach && b->ndst == 1 && ty_scalar(b->dst[0]->ty->a))
			find_folds(f, k, b, cond);
}

/* -- while flattening ------------------------------------------------------------------------------------ */
static const Folds *
folds_of(const Flattener *f, const Bind *cond)
{
	return cond->op == NORMAL_if && f->cur == &f->host ? *map_at(f->early, cond) : NULL;
}

bool
has_run_early(const Flattener *f, const Bind *b)
{
	return may_be_early(b) && *map_at(f->ran_early, b) == f->env.at;
}

void
run_early(Flattener *f, const Bind *cond)
{
	const Folds *all = folds_of(f, cond);

	for (int i = 0; all && i < all->n; i++) {
		flatten_bind(f, all->at[i]);
		*map_at(f->ran_early, all->at[i]) = f->env.at;
	}
}

void
end_early(Flattener *f, const Bind *cond)
{
	const Folds *all = folds_of(f, cond);

	for (int i = 0; all && i < all->n; i++)
		*map_at(f->ran_early, all->at[i]) = NULL;
}

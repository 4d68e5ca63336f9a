/* arms.c: what only an arm wants is made in the arm.
 *
 * In   flan
 * Out  flan: an element-wise operator before a conditional, or a gather by places, stands in an arm of it, if nobody else wants what it
 *      gives, the arm wants it by element, and what it is made of moves with it or is in memory anyway:
 *      `if #a == 0 then 0.0 else sum(a) / float(#a)` of a = {x * x : x in v} is one pass over v.
 * How  Tasks are put together within a block, and what an arm uses from before is in memory: it would be stored for the arm, and made
 *      for nothing if that is not taken.  Operators tell of no faults, checks stay.  (Partial dead code elimination, Knoop, Rüthing and
 *      Steffen, PLDI 1994.) */
#include "flatten/arms.h"
#include "flatten/survey.h"

enum { MOST_ROUNDS = 8 };       /* each carries it one conditional further in */

typedef struct Arms {
	Program *p;
	const Bind **made;      /* by Var.id: what made it; NULL: a parameter */
	int *depth;             /* by Var.id: how many blocks are around the one that makes it */
	Block **arm;            /* by Var.id: of a block within that, where it is wanted; NULL: nowhere yet */
	bool *stays;            /* by Var.id: it is wanted otherwise */
	LIST(Block *) around;   /* where we are */
	bool timed;             /* nothing may move */
	bool moved;             /* something did */
} Arms;

static bool
may_move(const Bind *b)
{
	return b->op == FLAN_iota || b->op == FLAN_gather || flan_elementwise(b);
}

static void
wanted_in(Arms *a, const Var *v, Block *arm)
{
	if (a->arm[v->id] && a->arm[v->id] != arm)
		a->stays[v->id] = true;
	a->arm[v->id] = arm;
}

static void
want(Arms *a, Opnd o, bool by_element)
{
	const Var *v = o.u.var;

	if (o.kind != OPND_VAR)
		return;
	if (!by_element || a->depth[v->id] == a->around.n)
		a->stays[v->id] = true;
	else
		wanted_in(a, v, a->around.at[a->depth[v->id]]);
}

static void walk(Arms *a, Block *k);

static void
look(Arms *a, const Bind *b)
{
	a->timed |= b->op == FLAN_clock;
	for (int i = 0; i < b->narg; i++)
		if (!may_move(b) || b->arg[i].kind != OPND_VAR || a->depth[b->arg[i].u.var->id] < a->around.n)
			want(a, b->arg[i], survey_by_element(b, i));
	for (int i = 0; i < b->nway; i++)
		want(a, b->way[i], false);
	for (int i = 0; i < b->nblock; i++)
		walk(a, b->block[i]);
	for (int i = 0; i < b->ndst; i++) {
		a->depth[b->dst[i]->id] = a->around.n;
		a->made[b->dst[i]->id] = b;
	}
}

static bool
is_here(const Arms *a, Opnd o)
{
	return o.kind == OPND_VAR && a->depth[o.u.var->id] == a->around.n;
}

/* Where b goes, as far as is known; NULL: it stays. */
static Block *
goes(const Arms *a, const Bind *b)
{
	return may_move(b) && !a->stays[b->dst[0]->id] ? a->arm[b->dst[0]->id] : NULL;
}

/* Is o not stored for who is in the arm? */
static bool
is_free(const Arms *a, Opnd o, const Block *arm)
{
	const Bind *by = is_vector(o) && is_here(a, o) ? a->made[o.u.var->id] : NULL;

	return !by || by->op == FLAN_cell || by->nblock > 0 || (by->op == FLAN_call && !by->lifted) || goes(a, by) == arm;
}

/* A gather, is it of a cell, or of what a block around has, by places that go with it?  What it is of lives on, and no task picks the places
 * that could gather, too. */
static bool
gathers_elsewhere(const Arms *a, const Bind *b, const Block *arm)
{
	const Bind *from = is_here(a, b->arg[0]) ? a->made[b->arg[0].u.var->id] : NULL;
	const Bind *by = is_here(a, b->arg[1]) ? a->made[b->arg[1].u.var->id] : NULL;

	return (!from || from->op == FLAN_cell) && by && by->op == FLAN_iota && goes(a, by) == arm;
}

/* What b's operands are wanted for, where it goes. */
static void
pass_on(Arms *a, const Bind *b)
{
	Block *arm = goes(a, b);

	for (int i = 0; i < b->narg; i++)
		if (is_here(a, b->arg[i]) && arm && survey_by_element(b, i))
			wanted_in(a, b->arg[i].u.var, arm);
		else if (is_here(a, b->arg[i]))
			a->stays[b->arg[i].u.var->id] = true;
}

/* Must it stay, as something that it is made of does? */
static bool
is_held(Arms *a, const Bind *b)
{
	const Block *arm = goes(a, b);
	bool held = false;

	for (int i = 0; i < b->narg && arm; i++)
		held |= !is_free(a, b->arg[i], arm);
	if (b->op == FLAN_gather && arm)
		held |= !gathers_elsewhere(a, b, arm);
	return held;
}

static void
move(Arms *a, Block *k, Bind **at)
{
	Bind *b = *at;
	Block *arm = goes(a, b);

	a->moved = true;
	*at = b->next;
	if (k->end == &b->next)
		k->end = at;
	b->next = arm->first;
	arm->first = b;
	if (!b->next)
		arm->end = &b->next;
}

/* All that want results of k's bindings have been seen, but for bindings that may move. */
static void
move_all(Arms *a, Block *k)
{
	LIST(Bind **) places = {0};
	bool held = true;

	for (Bind **at = &k->first; *at; at = &(*at)->next)
		if (may_move(*at))
			LIST_ADD(a->p->arena, &places, at);
	while (held) {
		held = false;
		for (int i = places.n - 1; i >= 0; i--)
			pass_on(a, *places.at[i]);
		for (int i = 0; i < places.n; i++)
			if (is_held(a, *places.at[i]))
				held = a->stays[(*places.at[i])->dst[0]->id] = true;
	}
	for (int i = places.n - 1; i >= 0; i--)
		if (goes(a, *places.at[i]))
			move(a, k, places.at[i]);
}

static void
walk(Arms *a, Block *k)
{
	LIST_ADD(a->p->arena, &a->around, k);
	for (Bind *b = k->first; b; b = b->next)
		look(a, b);
	for (int i = 0; i < k->nyield; i++)
		want(a, k->yield[i], false);
	if (!a->timed)
		move_all(a, k);
	a->around.n--;
}

static void
arms_of_body(Arms *a, int nparam, Var *const *param, Block *body)
{
	for (int i = 0; i < nparam; i++)
		a->depth[param[i]->id] = 1;
	a->timed = false;
	walk(a, body);
}

static bool
arms_once(Program *p)
{
	Arms a = {.p = p, .made = NEW(p->arena, const Bind *, p->nvar), .depth = NEW(p->arena, int, p->nvar), .arm = NEW(p->arena, Block *, p->nvar),
		.stays = NEW(p->arena, bool, p->nvar)};

	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			arms_of_body(&a, f->nparam, f->param, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			arms_of_body(&a, 0, NULL, e->body);
	return a.moved;
}

void
arms(Program *p)
{
	for (int i = 0; i < MOST_ROUNDS && arms_once(p); i++)
		;
}

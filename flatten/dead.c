/* dead.c: flattening moves whole values about, columns that nobody looks at included; here they go.
 *
 * One backward walk per block: a binding stays if a result is in use, or if it does more than give results: checks,
 * effects, calls of functions with such or that may not end. */
#include "flatten/dead.h"
#include "flatten/survey.h"

typedef struct Uses {
	Program *p;
	const Survey *survey;
	bool *used;             /* by Var.id */
} Uses;

static void
use_all(Uses *u, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR)
			u->used[x[i].u.var->id] = true;
}

static bool
any_used(const Uses *u, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (u->used[b->dst[i]->id])
			return true;
	return false;
}

/* A copy of an `if` without the results nobody uses. */
static Bind *
narrow(Uses *u, const Bind *b)
{
	Bind *c = NEW(u->p->arena, Bind, 1);

	*c = *b;
	c->dst = NEW(u->p->arena, Var *, b->ndst);
	c->ndst = 0;
	for (int i = 0; i < b->ndst; i++)
		if (u->used[b->dst[i]->id])
			c->dst[c->ndst++] = b->dst[i];
	c->block = NEW(u->p->arena, Block *, b->nblock);
	for (int k = 0; k < b->nblock; k++) {
		Block *body = NEW(u->p->arena, Block, 1);

		*body = *b->block[k];
		body->yield = NEW(u->p->arena, Opnd, b->ndst);
		body->nyield = 0;
		for (int i = 0; i < b->ndst; i++)
			if (u->used[b->dst[i]->id])
				body->yield[body->nyield++] = b->block[k]->yield[i];
		c->block[k] = body;
	}
	return c;
}

static void
live_block(Uses *u, Block *b)
{
	LIST(Bind *) all = {0};
	Bind *rest = NULL;

	use_all(u, b->nyield, b->yield);
	for (Bind *s = b->first; s; s = s->next)
		LIST_ADD(u->p->arena, &all, s);
	for (int i = all.n; i-- > 0; ) {
		Bind *s = all.at[i];

		bool stays = any_used(u, s) || survey_matters(u->survey, s);

		if (s->op == FLAN_if)
			s = narrow(u, s);
		for (int k = 0; k < s->nblock; k++) {
			live_block(u, s->block[k]);
			stays |= s->block[k]->first != NULL;
		}
		if (!stays)
			continue;
		use_all(u, s->narg, s->arg);
		use_all(u, s->nway, s->way);
		s->next = rest;
		rest = s;
	}
	b->first = rest;
	b->end = &b->first;
	while (*b->end)
		b->end = &(*b->end)->next;
}

void
remove_dead(Program *p)
{
	Uses u = {p, survey(p), NEW(p->arena, bool, p->nvar)};

	for (Fun *f = p->funs; f; f = f->next)
		live_block(&u, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			live_block(&u, e->body);
}

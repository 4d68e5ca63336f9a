/* dead.c: flattening moves whole values about, columns that nobody looks at included; here they go.
 *
 * One backward walk per block: a binding stays if a result is in use, or if it does more than give results: checks,
 * effects, calls of functions with such or that may not end. */
#include "flatten/dead.h"
#include "flatten/survey.h"

struct Dead {
	Program *p;
	Survey *survey;
	bool *used;             /* by Var.id */
};

static bool
any_used(const Dead *d, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (d->used[b->dst[i]->id])
			return true;
	return false;
}

/* A copy of an `if` without the results nobody uses. */
static Bind *
narrow(Dead *d, const Bind *b)
{
	Bind *c = NEW(d->p->arena, Bind, 1);

	*c = *b;
	c->dst = NEW(d->p->arena, Var *, b->ndst);
	c->ndst = 0;
	for (int i = 0; i < b->ndst; i++)
		if (d->used[b->dst[i]->id])
			c->dst[c->ndst++] = b->dst[i];
	c->block = NEW(d->p->arena, Block *, b->nblock);
	for (int k = 0; k < b->nblock; k++) {
		Block *body = NEW(d->p->arena, Block, 1);

		*body = *b->block[k];
		body->yield = NEW(d->p->arena, Opnd, b->ndst);
		body->nyield = 0;
		for (int i = 0; i < b->ndst; i++)
			if (d->used[b->dst[i]->id])
				body->yield[body->nyield++] = b->block[k]->yield[i];
		c->block[k] = body;
	}
	return c;
}

void
dead_remove(Dead *d, Block *b)
{
	LIST(Bind *) all = {0};
	Bind *rest = NULL;

	opnds_mark(d->used, b->nyield, b->yield, true);
	for (Bind *s = b->first; s; s = s->next)
		LIST_ADD(d->p->arena, &all, s);
	for (int i = all.n; i-- > 0; ) {
		Bind *s = all.at[i];

		bool stays = any_used(d, s) || survey_matters(d->survey, s);

		if (s->op == FLAN_if)
			s = narrow(d, s);
		for (int k = 0; k < s->nblock; k++) {
			dead_remove(d, s->block[k]);
			stays |= s->block[k]->first != NULL;
		}
		if (!stays)
			continue;
		opnds_mark(d->used, s->narg, s->arg, true);
		opnds_mark(d->used, s->nway, s->way, true);
		s->next = rest;
		rest = s;
	}
	b->first = rest;
	b->end = &b->first;
	while (*b->end)
		b->end = &(*b->end)->next;
}

Dead *
dead_new(Program *p)
{
	Dead *d = NEW(p->arena, Dead, 1);

	*d = (Dead){p, survey(p), NEW(p->arena, bool, p->nvar)};
	return d;
}

void
dead_drop(Dead *d)
{
	arena_give_back(d->p->arena, d->used, sizeof *d->used * (size_t)d->survey->nvar);
	survey_drop(d->survey);
}

void
remove_dead(Program *p)
{
	Dead *d = dead_new(p);

	for (Fun *f = p->funs; f; f = f->next)
		dead_remove(d, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			dead_remove(d, e->body);
	dead_drop(d);
}

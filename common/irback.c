/* irback.c: what functions give back (see irback.h).
 *
 * How  A variable may be a parameter if it is one, if an arm of the `if` that gives it yields what may be one, or if the call
 *      that gives it may give back an operand that may be one. */
#include "common/irback.h"
#include <string.h>

struct Backs {
	const Program *p;
	bool **of;              /* by Var.id: which parameters of its function it may be; NULL: none */
};

Backs *
backs(const Program *p)
{
	Backs *s = NEW(p->arena, Backs, 1);

	*s = (Backs){p, NEW(p->arena, bool *, p->nvar + 1)};
	return s;
}

bool
back_said(const Fun *f, int i, int k)
{
	return f->back && f->back[i] && f->back[i][k];
}

/* v, of f, may also be what o may be. */
static void
may_be(Backs *s, const Fun *f, const Var *v, Opnd o)
{
	const bool *from = o.kind == OPND_VAR ? s->of[o.u.var->id] : NULL;
	bool **to = &s->of[v->id];

	if (!from)
		return;
	if (!*to)
		*to = NEW(s->p->arena, bool, f->nparam);
	for (int k = 0; k < f->nparam; k++)
		(*to)[k] |= from[k];
}

static void
block(Backs *s, const Fun *f, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next) {
		const char *name = s->p->ir->op[x->op].name;
		const Fun *callee = strcmp(name, "call") == 0 ? fun_find(s->p, x->name) : NULL;
		const bool arms = strcmp(name, "if") == 0;

		for (int i = 0; arms && i < x->nblock; i++)
			block(s, f, x->block[i]);
		for (int i = 0; i < x->ndst; i++) {
			s->of[x->dst[i]->id] = NULL;
			for (int k = 0; arms && k < x->nblock; k++)
				may_be(s, f, x->dst[i], x->block[k]->yield[i]);
			for (int k = 0; callee && k < callee->nparam; k++)
				if (back_said(callee, i, k))
					may_be(s, f, x->dst[i], x->arg[k]);
		}
	}
}

bool **
back_of(Backs *s, const Fun *f)
{
	bool **back = NULL;

	if (f->scalar)
		return NULL;
	for (int k = 0; k < f->nparam; k++)
		if (ty_counted(f->param[k]->ty)) {
			s->of[f->param[k]->id] = NEW(s->p->arena, bool, f->nparam);
			s->of[f->param[k]->id][k] = true;
		}
	block(s, f, f->body);
	for (int i = 0; i < f->nresult; i++) {
		const Opnd o = f->body->yield[i];
		bool *of = o.kind == OPND_VAR ? s->of[o.u.var->id] : NULL;

		if (of && !back)
			back = NEW(s->p->arena, bool *, f->nresult);
		if (of)
			back[i] = of;
	}
	return back;
}

const Var *
back_unsaid(const Fun *f, bool **back)
{
	for (int i = 0; back && i < f->nresult; i++)
		for (int k = 0; back[i] && k < f->nparam; k++)
			if (back[i][k] && !back_said(f, i, k))
				return f->param[k];
	return NULL;
}

/* lend.c: which parameters are owned, and which are given back (see lend.h).
 *
 * How  What ends with a call is either made by the caller, or the caller's own parameter.  The first makes the parameter
 *      that gets it owned; the second if that of the caller is.  So what is owned is what can be reached, from there and
 *      from functions that nobody calls. */
#include "memmgmt/lend.h"
#include "common/irback.h"

typedef struct {
	Var *from, *to;         /* parameters; from NULL: no parameter */
} Ending;

struct Lending {
	const Program *p;
	LIST(Ending) all;
	Var **param;            /* by Var.id: itself, if it is one */
	bool *passed;           /* by Var.id: a parameter of a function that is called */
};

Lending *
lending(const Program *p)
{
	Lending *l = NEW(p->arena, Lending, 1);

	*l = (Lending){.p = p, .param = NEW(p->arena, Var *, p->nvar), .passed = NEW(p->arena, bool, p->nvar)};
	for (const Fun *f = p->funs; f; f = f->next)
		for (int i = 0; i < f->nparam; i++)
			l->param[f->param[i]->id] = f->param[i];
	return l;
}

void
lend_call(Lending *l, const Fun *f)
{
	for (int i = 0; i < f->nparam; i++)
		l->passed[f->param[i]->id] = true;
}

void
lend_ends(Lending *l, const Var *v, const Fun *f, int i)
{
	LIST_ADD(l->p->arena, &l->all, ((Ending){l->param[v->id], f->param[i]}));
}

/* The endings of each parameter, by Var.id; those of what is no parameter under the id nvar. */
typedef LIST(Var *) Reached;

static Reached *
reached_from(const Lending *l)
{
	Reached *to = NEW(l->p->arena, Reached, l->p->nvar + 1);

	for (int i = 0; i < l->all.n; i++)
		LIST_ADD(l->p->arena, &to[l->all.at[i].from ? l->all.at[i].from->id : l->p->nvar], l->all.at[i].to);
	return to;
}

static bool *
owned(const Lending *l)
{
	const Reached *to = reached_from(l);
	bool *is = NEW(l->p->arena, bool, l->p->nvar + 1);
	LIST(int) open = {0};

	LIST_ADD(l->p->arena, &open, l->p->nvar);
	for (const Fun *f = l->p->funs; f; f = f->next)
		for (int i = 0; i < f->nparam; i++)
			if (!l->passed[f->param[i]->id]) {
				is[f->param[i]->id] = true;
				LIST_ADD(l->p->arena, &open, f->param[i]->id);
			}
	while (open.n > 0) {
		const Reached *next = &to[open.at[--open.n]];

		for (int i = 0; i < next->n; i++)
			if (!is[next->at[i]->id]) {
				is[next->at[i]->id] = true;
				LIST_ADD(l->p->arena, &open, next->at[i]->id);
			}
	}
	return is;
}

bool
lend_decide(const Lending *l, Program *to)
{
	const bool *is = owned(l);
	bool any = false;

	for (Fun *f = to->funs; f; f = f->next) {
		bool *lent = f->scalar ? NULL : NEW(l->p->arena, bool, f->nparam);

		for (int i = 0; i < f->nparam && lent; i++) {
			lent[i] = ty_counted(f->param[i]->ty) && !is[f->param[i]->id];
			any |= lent[i];
		}
		f->lent = lent;
	}
	return any;
}

void
lend_back(Program *p)
{
	Backs *s = backs(p);
	bool more = true;

	while (more) {
		more = false;
		for (Fun *f = p->funs; f; f = f->next) {
			bool **back = back_of(s, f);

			more |= back_unsaid(f, back) != NULL;
			f->back = back;
		}
	}
}

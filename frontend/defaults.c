/* defaults.c: parameters with defaults, and arguments by name.
 *
 * In   a definition, or a call as written.
 * Out  the definition's defaults fit; the call has all arguments in their places.
 * How  `function g(a, b := 2) = e` is three functions (frontend/parse.c): the default, `function g.b(x) = 2`;
 *      `function g(a, (b)) = e`; and `function g.(x) = g(x)`, which g is as a value.  `g(1)` means
 *      `g(1, (g.b(t)))`, so it is as if the default were written there. */
#include "frontend/defaults.h"

/* The type of the k-th of n parameters with defaults, where the function takes t. */
static Type *
default_type(Type *t, int k, int n)
{
	t = type_head(type_head(t)->b);
	for (int i = 0; i < k; i++)
		t = type_head(t->b);
	return k + 1 < n ? t->a : t;
}

static int
count(const Default *d)
{
	int n = 0;

	for (; d; d = d->next)
		n++;
	return n;
}

void
defaults_check(Infer *in, const Form *f, Type *fn)
{
	int k = 0, n = count(f->defaults);

	for (const Default *d = f->defaults; d; d = d->next, k++) {
		const Decl *made = globals_user(in->globals, d->form->name);
		Type *want = default_type(fn->a, k, n), *got;
		if (made->poisoned) {
			in->failed = true;
			continue;
		}
		got = type_unlabelled(in->arena, type_fresh(in->arena, type_head(made->type)->b, NULL));
		if (type_unify(&in->types, want, got))
			continue;
		infer_error(in, d->form->body->span, "type", "the default of `%s` should be %s, but this is %s",
			d->name, type_text(in->arena, want), type_text_inner(in->arena, got));
		report_origins(in, want, got, d->form->body->span);
	}
}

/* -- calls ------------------------------------------------------------------------------------------------ */

/* Every argument by name has a parameter, none has two. */
static bool
names_fit(Infer *in, const Expr *e, const Default *defaults, const Exprs *given)
{
	const char *fn = e->u.apply.fn->u.var.name;

	for (int i = given->n - 1; i >= 0; i--) {
		const Expr *g = given->at[i];
		const Default *d = defaults;
		const Scope *known = NULL;
		const char *like;
		for (int k = given->n - 1; k > i; k--)
			if (given->at[k]->u.keyword.name == g->u.keyword.name) {
				infer_error(in, g->span, "type", "`%s` is given twice", g->u.keyword.name);
				return false;
			}
		while (d && d->name != g->u.keyword.name) {
			Scope *s = NEW(in->arena, Scope, 1);
			s->decl = NEW(in->arena, Decl, 1);
			s->decl->name = d->name;
			s->up = known;
			known = s;
			d = d->next;
		}
		if (d)
			continue;
		like = scope_like(known, g->u.keyword.name);
		infer_error(in, g->span, "type", like ? "`%s` has no parameter `%s` with a default; did you mean `%s`?"
			: "`%s` has no parameter `%s` with a default", fn, g->u.keyword.name, like);
		return false;
	}
	return true;
}

/* What the call gives for d: what it says, or what d says. */
static Expr *
value_for(Infer *in, const Expr *e, const Default *d, const Exprs *given)
{
	Expr *call, *any;

	for (int i = 0; i < given->n; i++)
		if (given->at[i]->u.keyword.name == d->name)
			return given->at[i]->u.keyword.value;
	call = NEW(in->arena, Expr, 1);
	*call = (Expr){.kind = EXPR_APPLY, .span = e->span};
	call->u.apply.opspan = e->span;
	call->u.apply.fn = NEW(in->arena, Expr, 1);
	*call->u.apply.fn = (Expr){.kind = EXPR_VAR, .span = e->span};
	call->u.apply.fn->u.var.name = d->form->name;
	any = call->u.apply.arg = NEW(in->arena, Expr, 1);
	*any = (Expr){.kind = EXPR_BOOL, .span = e->span, .u.i = 1};
	return call;
}

static Expr *
typed_pair(Infer *in, Expr *a, Expr *b)
{
	Expr *e = NEW(in->arena, Expr, 1);

	*e = (Expr){.kind = EXPR_PAIR, .span = a->span, .type = type_pair(in->arena, a->type, b->type)};
	e->u.pair.a = a;
	e->u.pair.b = b;
	return e;
}

/* The values for d and those after it, typed. */
static Expr *
values_for(Infer *in, const Scope *sc, const Expr *e, Type *param, int k, int n, const Default *d, const Exprs *given)
{
	Expr *v = value_for(in, e, d, given);
	Type *want = default_type(param, k, n), *got = infer_expr(in, sc, v);

	if (!type_unify(&in->types, want, got)) {
		infer_error(in, v->span, "type", "`%s` of `%s` should be %s, but this is %s%s", d->name,
			e->u.apply.fn->u.var.name, type_text(in->arena, want), type_text_inner(in->arena, got),
			report_functions(in, want, got));
		report_origins(in, want, got, v->span);
	}
	return d->next ? typed_pair(in, v, values_for(in, sc, e, param, k + 1, n, d->next, given)) : v;
}

/* More arguments than parameters without defaults. */
static bool
report_surplus(Infer *in, const Expr *e, const Default *d)
{
	const Pattern *p = ((const Decl *)e->u.apply.fn->u.var.decl)->form->param->a;
	const Expr *arg = e->u.apply.arg;

	while (p->kind == PAT_PAIR && arg->kind == EXPR_PAIR) {
		p = p->b;
		arg = arg->u.pair.b;
	}
	if (p->kind == PAT_PAIR || arg->kind != EXPR_PAIR)
		return false;
	infer_error(in, arg->u.pair.b->span, "type", "a parameter with a default is given by its name, as in `%s := ..`",
		d->name);
	return true;
}

const Default *
defaults_of(const Infer *in, const Expr *fn)
{
	const Decl *d = fn->kind == EXPR_VAR ? fn->u.var.decl : NULL;

	return d && d->kind == DECL_FUN && d->form && !in->instance ? d->form->defaults : NULL;
}

bool
defaults_apply(Infer *in, const Scope *sc, Expr *e, Type *fn)
{
	const Default *defaults = defaults_of(in, e->u.apply.fn);
	Exprs given = {0};
	Expr *first = keywords_split(in->arena, e->u.apply.arg, &given);
	Type *want, *got;

	if (!first) {
		infer_error(in, e->u.apply.arg->span, "type", "`%s` needs an argument in front of those by name",
			e->u.apply.fn->u.var.name);
		return false;
	}
	if (!names_fit(in, e, defaults, &given))
		return false;
	e->u.apply.arg = first;
	want = type_head(fn->a)->a;
	got = infer_expr(in, sc, first);
	if (!type_unify(&in->types, want, got)) {
		if (!report_surplus(in, e, defaults))
			report_apply(in, e, want, got);
		return false;
	}
	e->u.apply.arg = typed_pair(in, first, values_for(in, sc, e, fn->a, 0, count(defaults), defaults, &given));
	return true;
}

/* copy.c: copies of expressions, so that each instance of a function has types of its own.
 *
 * How  Types, names and bindings are shared; typecase keeps all its cases. */
#include "frontend/mono.h"

Pattern *
pattern_copy(Arena *a, const Pattern *p)
{
	Pattern *c = NEW(a, Pattern, 1);

	*c = *p;
	if (p->kind == PAT_PAIR) {
		c->a = pattern_copy(a, p->a);
		c->b = pattern_copy(a, p->b);
	}
	return c;
}

static Expr **
copy_list(Arena *a, Expr *const *at, int n, Span span)
{
	Expr **c = NEW(a, Expr *, n + 1);

	for (int i = 0; i < n; i++)
		c[i] = expr_copy(a, at[i], span);
	return c;
}

static Generator *
copy_generators(Arena *a, const Generator *g, Span at)
{
	Generator *first = NULL, **end = &first;

	for (; g; g = g->next) {
		*end = NEW(a, Generator, 1);
		**end = (Generator){pattern_copy(a, g->pat), expr_copy(a, g->source, at), g->span, NULL};
		end = &(*end)->next;
	}
	return first;
}

static Case *
copy_cases(Arena *a, const Case *k, Span at)
{
	Case *first = NULL, **end = &first;

	for (; k; k = k->next) {
		*end = NEW(a, Case, 1);
		**end = (Case){k->when, expr_copy(a, k->body, at), NULL};
		end = &(*end)->next;
	}
	return first;
}

Expr *
expr_copy(Arena *a, const Expr *e, Span at)
{
	Expr *c = NEW(a, Expr, 1);

	*c = *e;
	if (at.file)
		c->span = at;
	switch (e->kind) {
	case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_CHAR: case EXPR_STRING: case EXPR_VAR:
	case EXPR_EMPTY:
		break;
	case EXPR_APPLY:
		c->u.apply.fn = expr_copy(a, e->u.apply.fn, at);
		c->u.apply.arg = expr_copy(a, e->u.apply.arg, at);
		break;
	case EXPR_PAIR:
		c->u.pair.a = expr_copy(a, e->u.pair.a, at);
		c->u.pair.b = expr_copy(a, e->u.pair.b, at);
		break;
	case EXPR_LET:
		c->u.let.pat = pattern_copy(a, e->u.let.pat);
		c->u.let.value = expr_copy(a, e->u.let.value, at);
		c->u.let.body = expr_copy(a, e->u.let.body, at);
		break;
	case EXPR_IF:
		c->u.branch.cond = expr_copy(a, e->u.branch.cond, at);
		c->u.branch.then = expr_copy(a, e->u.branch.then, at);
		c->u.branch.orelse = expr_copy(a, e->u.branch.orelse, at);
		break;
	case EXPR_KEYWORD:
		c->u.keyword.value = expr_copy(a, e->u.keyword.value, at);
		break;
	case EXPR_LAMBDA:
		c->u.lambda.pat = pattern_copy(a, e->u.lambda.pat);
		c->u.lambda.body = expr_copy(a, e->u.lambda.body, at);
		break;
	case EXPR_FOREACH:
		c->u.foreach.body = expr_copy(a, e->u.foreach.body, at);
		c->u.foreach.gens = copy_generators(a, e->u.foreach.gens, at);
		if (e->u.foreach.filter)
			c->u.foreach.filter = expr_copy(a, e->u.foreach.filter, at);
		break;
	case EXPR_SEQ:
		c->u.seq.item = copy_list(a, e->u.seq.item, e->u.seq.n, at);
		break;
	case EXPR_RANGE:
		c->u.range.from = expr_copy(a, e->u.range.from, at);
		c->u.range.to = expr_copy(a, e->u.range.to, at);
		if (e->u.range.step)
			c->u.range.step = expr_copy(a, e->u.range.step, at);
		break;
	case EXPR_PRIM:
		c->u.prim.arg = copy_list(a, e->u.prim.arg, e->u.prim.n, at);
		break;
	case EXPR_TYPECASE:
		c->u.typecase.cases = copy_cases(a, e->u.typecase.cases, at);
		break;
	}
	return c;
}

/* each.c: the parts of an expression, for walks that treat most kinds alike. */
#include "frontend/syntax.h"

static void
each_of(Expr *const *at, int n, void (*visit)(void *, const Expr *), void *with)
{
	for (int i = 0; i < n; i++)
		if (at[i])
			visit(with, at[i]);
}

void
expr_each(const Expr *e, void (*visit)(void *, const Expr *), void *with)
{
	switch (e->kind) {
	case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_CHAR: case EXPR_STRING: case EXPR_VAR:
	case EXPR_EMPTY:
		break;
	case EXPR_APPLY: each_of((Expr *[]){e->u.apply.fn, e->u.apply.arg}, 2, visit, with); break;
	case EXPR_PAIR: each_of((Expr *[]){e->u.pair.a, e->u.pair.b}, 2, visit, with); break;
	case EXPR_LET: each_of((Expr *[]){e->u.let.value, e->u.let.body}, 2, visit, with); break;
	case EXPR_IF:
		each_of((Expr *[]){e->u.branch.cond, e->u.branch.then, e->u.branch.orelse}, 3, visit, with);
		break;
	case EXPR_LAMBDA: visit(with, e->u.lambda.body); break;
	case EXPR_KEYWORD: visit(with, e->u.keyword.value); break;
	case EXPR_FOREACH:
		for (const Generator *g = e->u.foreach.gens; g; g = g->next)
			visit(with, g->source);
		each_of((Expr *[]){e->u.foreach.filter, e->u.foreach.body}, 2, visit, with);
		break;
	case EXPR_SEQ: each_of(e->u.seq.item, e->u.seq.n, visit, with); break;
	case EXPR_RANGE:
		each_of((Expr *[]){e->u.range.from, e->u.range.to, e->u.range.step}, 3, visit, with);
		break;
	case EXPR_PRIM: each_of(e->u.prim.arg, e->u.prim.n, visit, with); break;
	case EXPR_TYPECASE:
		for (const Case *c = e->u.typecase.cases; c; c = c->next)
			visit(with, c->body);
		break;
	}
}

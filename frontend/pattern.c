/* pattern.c: expressions that stand where a pattern should.
 *
 * In   an expression in front of `=` or `in`, or the parameter of a function.
 * Out  the pattern it spells; the first thing that a pattern cannot hold is reported. */
#include "frontend/parse.h"
#include <ctype.h>
#include <string.h>

typedef LIST(const Pattern *) Bound;

static void
bind(Parser *p, Bound *bound, Pattern *pat)
{
	if (strcmp(pat->name, "time") == 0 || strcmp(pat->name, "pair") == 0)
		parse_error(p, pat->span, "reserved-name", "`%s` is reserved and cannot be bound", pat->name);
	for (int i = 0; i < bound->n; i++)
		if (bound->at[i]->name == pat->name)
			parse_error(p, pat->span, "static-other", "`%s` is bound twice in one pattern", pat->name);
	LIST_ADD(p->u->arena, bound, pat);
}

/* `g(x)`: a name, written out before what it is applied to. */
static bool
is_call(const Expr *e)
{
	const Expr *fn = e->u.apply.fn;
	Span op = e->u.apply.opspan, arg = e->u.apply.arg->span;

	return fn->kind == EXPR_VAR && isalpha((unsigned char)fn->u.var.name[0])
		&& (size_t)op.len == strlen(fn->u.var.name)
		&& (op.line < arg.line || (op.line == arg.line && op.col < arg.col));
}

/* `v[i]` */
static bool
is_subscript(const Expr *e)
{
	const Expr *fn = e->u.apply.fn;

	return fn->kind == EXPR_VAR && strcmp(fn->u.var.name, "elt") == 0 && !is_call(e);
}

/* An operand of e that stands in a line below the one that it is put behind; NULL: there is none. */
static const Expr *
begun_below(const Expr *e)
{
	for (; e->kind == EXPR_APPLY || e->kind == EXPR_PAIR; e = e->kind == EXPR_PAIR ? e->u.pair.b : e->u.apply.arg)
		if (e->kind == EXPR_APPLY && e->u.apply.arg->span.line > e->u.apply.fn->span.line)
			return e->u.apply.arg;
	return NULL;
}

/* Why this expression is no pattern. */
static void
refuse(Parser *p, const Expr *e)
{
	const Expr *below = begun_below(e);

	if (below) {
		parse_error(p, below->span, "syntax", "is `;` missing before this line?  With what comes before it is no pattern");
		p->form->also = below->kind == EXPR_VAR ? below->u.var.name : NULL;
		return;
	}
	switch (e->kind) {
	case EXPR_BOOL:
		parse_error(p, e->span, "reserved-name", "`%s` is a boolean value and cannot be bound",
			e->u.i ? "t" : "f");
		break;
	case EXPR_INT: case EXPR_FLOAT:
		parse_error(p, e->span, "reserved-name", "a number cannot be bound; equality is `==`");
		break;
	case EXPR_SEQ: case EXPR_EMPTY: case EXPR_RANGE:
		parse_error(p, e->span, "static-other",
			"a sequence cannot be a pattern: patterns are names and tuples");
		break;
	case EXPR_KEYWORD:
		parse_error(p, e->span, "syntax", "`:=` gives a default to one of the last parameters of a function, "
			"behind those that have none");
		break;
	case EXPR_APPLY:
		if (e->u.apply.fn->kind == EXPR_BOOL) {
			parse_error(p, e->u.apply.fn->span, "reserved-name", "`%s` is a boolean value and cannot be bound; "
				"a function of another name is defined by `function g(x) = x + 1`", e->u.apply.fn->u.i ? "t" : "f");
			break;
		}
		parse_error(p, e->span, "syntax", "a pattern should come here: a name, or names in a tuple%s", is_subscript(e)
			? "; no element is changed: `rep(v, x, i)` is v with x at position i" : "");
		break;
	case EXPR_CHAR: case EXPR_STRING: case EXPR_VAR: case EXPR_PAIR: case EXPR_LET:
	case EXPR_IF: case EXPR_LAMBDA: case EXPR_FOREACH: case EXPR_PRIM: case EXPR_TYPECASE:
		parse_error(p, e->span, "syntax", "a pattern should come here: a name, or names in a tuple");
		break;
	}
}

static Pattern *convert(Parser *p, const Expr *e, Bound *bound);

/* `point(x, y)` */
static Pattern *
convert_record(Parser *p, const Expr *e, Bound *bound)
{
	Pattern *pat = convert(p, e->u.apply.arg, bound);
	Wrap *w = NEW(p->u->arena, Wrap, 1);

	*w = (Wrap){e->u.apply.fn->u.var.name, e->u.apply.fn->span, pat->wrap};
	pat->wrap = w;
	pat->span = e->span;
	return pat;
}

static Pattern *
convert(Parser *p, const Expr *e, Bound *bound)
{
	Pattern *pat;

	if (e->kind == EXPR_APPLY && is_call(e))
		return convert_record(p, e, bound);
	pat = NEW(p->u->arena, Pattern, 1);
	pat->span = e->span;
	if (e->kind == EXPR_PAIR) {
		pat->kind = PAT_PAIR;
		pat->a = convert(p, e->u.pair.a, bound);
		pat->b = convert(p, e->u.pair.b, bound);
	} else if (e->kind == EXPR_VAR) {
		pat->kind = PAT_NAME;
		pat->name = e->u.var.name;
		bind(p, bound, pat);
	} else {
		pat->kind = PAT_NAME;
		pat->name = intern(p->u->names, "_");
		refuse(p, e);
	}
	return pat;
}

Pattern *
pattern_of(Parser *p, const Expr *e)
{
	Bound bound = {0};

	return convert(p, e, &bound);
}

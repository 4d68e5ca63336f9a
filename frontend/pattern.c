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

/* `g(x)`, not an operator and its operands. */
static bool
is_call(const Expr *e)
{
	return e->u.apply.fn->kind == EXPR_VAR && e->u.apply.opspan.col == e->span.col
		&& isalpha((unsigned char)e->u.apply.fn->u.var.name[0]);
}

/* Why this expression is no pattern. */
static void
refuse(Parser *p, const Expr *e)
{
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
	case EXPR_APPLY:
		parse_error(p, e->span, "syntax", is_call(e)
			? "a pattern should come here: a name, or names in a tuple; "
			"a definition starts with the word `function`"
			: "a pattern should come here: a name, or names in a tuple");
		break;
	case EXPR_CHAR: case EXPR_STRING: case EXPR_VAR: case EXPR_PAIR: case EXPR_LET:
	case EXPR_IF: case EXPR_FOREACH: case EXPR_PRIM: case EXPR_TYPECASE:
		parse_error(p, e->span, "syntax", "a pattern should come here: a name, or names in a tuple");
		break;
	}
}

static Pattern *
convert(Parser *p, const Expr *e, Bound *bound)
{
	Pattern *pat = NEW(p->u->arena, Pattern, 1);

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

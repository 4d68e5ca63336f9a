/* syntax.c: constructors of the surface tree.
 *
 * How  Each node knows its depth.  A node that would be deeper than MAX_DEPTH is reported once and
 *      the form is given up, so every later pass may recurse over a tree. */
#include "frontend/parse.h"
#include "frontend/grammar.h"
#include <string.h>

typedef struct { Expr e; int depth; } Node;
typedef struct { TypeExpr t; int depth; } TypeNode;

static int
depth(const Expr *e)
{
	return e ? ((const Node *)e)->depth : 0;
}

static int
type_depth(const TypeExpr *t)
{
	return t ? ((const TypeNode *)t)->depth : 0;
}

static int
deeper(Parser *p, int a, int b)
{
	int d = 1 + (a > b ? a : b);

	if (d > MAX_DEPTH)
		parse_too_deep(p);
	return d;
}

Span
span_between(const Parser *p, Span a, Span b)
{
	Span s = span_join(a, b);
	int n = 0;
	const char *line;

	if (a.line == b.line)
		return s;
	line = diag_line(p->u->diag, s.file, s.line, &n);
	while (line && n > s.col && (line[n - 1] == ' ' || line[n - 1] == '\t'))
		n--;
	if (line && n - s.col + 1 > s.len)
		s.len = n - s.col + 1;
	return s;
}

/* A node over the children a and b (NULL: none). */
static Expr *
node(Parser *p, ExprKind kind, Span span, const Expr *a, const Expr *b)
{
	Node *n = NEW(p->u->arena, Node, 1);

	n->e.kind = kind;
	n->e.span = span;
	n->depth = deeper(p, depth(a), depth(b));
	return &n->e;
}

/* A further child of a node. */
static void
also(Parser *p, Expr *e, const Expr *child)
{
	Node *n = (Node *)e;
	int d = deeper(p, depth(child), 0);

	if (d > n->depth)
		n->depth = d;
}

static const char *
op_text(Parser *p, const Token *t)
{
	char *s = arena_strndup(p->u->arena, t->text, (size_t)t->n);

	for (char *c = s; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return intern(p->u->names, s);
}

static Expr *
variable(Parser *p, Span span, const char *name)
{
	Expr *e = node(p, EXPR_VAR, span, NULL, NULL);

	e->u.var.name = name;
	return e;
}

Expr *
expr_literal(Parser *p, const Token *t)
{
	ExprKind kind = t->kind == TOK_INT ? EXPR_INT : t->kind == TOK_FLOAT ? EXPR_FLOAT
		: t->kind == TOK_BOOL ? EXPR_BOOL : t->kind == TOK_CHAR ? EXPR_CHAR : EXPR_STRING;
	Expr *e = node(p, kind, t->span, NULL, NULL);

	if (kind == EXPR_STRING) {
		e->u.string.at = t->u.string.at;
		e->u.string.n = t->u.string.n;
	} else if (kind == EXPR_FLOAT) {
		e->u.f = t->u.f;
	} else {
		e->u.i = t->u.i;
	}
	return e;
}

static bool
reserved(const char *name)
{
	return strcmp(name, "time") == 0 || strcmp(name, "pair") == 0;
}

Expr *
expr_name(Parser *p, const Token *t)
{
	if (reserved(t->u.name))
		LIST_ADD(p->u->arena, &p->reserved, t);
	return variable(p, t->span, t->u.name);
}

static Expr *
apply(Parser *p, Span span, Span opspan, Expr *fn, Expr *arg)
{
	Expr *e = node(p, EXPR_APPLY, span, fn, arg);

	e->u.apply.fn = fn;
	e->u.apply.arg = arg;
	e->u.apply.opspan = opspan;
	return e;
}

bool
expr_is_time(const Expr *e)
{
	return e->kind == EXPR_PRIM && strcmp(e->u.prim.op, "time") == 0;
}

/* `time` itself, and neither `pair` nor something in brackets; then it is one less to be refused. */
static bool
is_time(Parser *p, const Expr *fn)
{
	int i = p->reserved.n - 1;

	if (fn->kind != EXPR_VAR || strcmp(fn->u.var.name, "time") != 0)
		return false;
	while (i >= 0 && (p->reserved.at[i]->span.line != fn->span.line || p->reserved.at[i]->span.col != fn->span.col))
		i--;
	if (i < 0)
		return false;
	for (p->reserved.n--; i < p->reserved.n; i++)
		p->reserved.at[i] = p->reserved.at[i + 1];
	return true;
}

const char doubt_note[] = "is the `%` missing that should end this comment?  It ends at the next one";
const char remainder_note[] = "what stands between two `%` is a comment; a remainder is `rem(x, y)`";
const char prose_note[] = "a comment stands between two `%`";

Expr *
expr_apply(Parser *p, Expr *fn, Expr *arg)
{
	if (is_time(p, fn)) {
		Expr *e = node(p, EXPR_PRIM, span_between(p, fn->span, arg->span), arg, NULL);

		e->u.prim.op = fn->u.var.name;
		e->u.prim.arg = exprs_add(p, NULL, arg)->at;
		e->u.prim.n = 1;
		return e;
	}
	return apply(p, span_between(p, fn->span, arg->span), fn->span, fn, arg);
}

Expr *
expr_binary(Parser *p, const Token *op, Expr *a, Expr *b)
{
	return apply(p, span_between(p, a->span, b->span), op->span,
		variable(p, op->span, op_text(p, op)), expr_pair(p, a, b));
}

Expr *
expr_prefix(Parser *p, const Token *op, const char *name, Expr *a)
{
	return apply(p, span_between(p, op->span, a->span), op->span,
		variable(p, op->span, intern(p->u->names, name)), a);
}

Expr *
expr_subscript(Parser *p, Expr *a, const Token *open, Expr *index, const Token *close)
{
	Span at = span_between(p, open->span, close->span);

	return apply(p, span_between(p, a->span, close->span), at,
		variable(p, at, intern(p->u->names, "elt")), expr_pair(p, a, index));
}

Expr *
expr_pair(Parser *p, Expr *a, Expr *b)
{
	Expr *e = node(p, EXPR_PAIR, span_between(p, a->span, b->span), a, b);

	e->u.pair.a = a;
	e->u.pair.b = b;
	return e;
}

Expr *
expr_let(Parser *p, Span start, const Bindings *last, Expr *body)
{
	for (const Bindings *b = last; b; b = b->before) {
		Span from = b->before ? b->pat->span : start;
		Expr *e = node(p, EXPR_LET, span_between(p, from, body->span), b->value, body);

		e->u.let.pat = b->pat;
		e->u.let.value = b->value;
		e->u.let.body = body;
		body = e;
	}
	return body;
}

Expr *
expr_if(Parser *p, Span start, Expr *cond, Expr *then, Expr *orelse)
{
	Expr *e = node(p, EXPR_IF, span_between(p, start, orelse->span), cond, then);

	also(p, e, orelse);
	e->u.branch.cond = cond;
	e->u.branch.then = then;
	e->u.branch.orelse = orelse;
	return e;
}

Expr *
expr_lambda(Parser *p, Expr *pattern, Expr *body)
{
	Expr *e = node(p, EXPR_LAMBDA, span_between(p, pattern->span, body->span), body, NULL);

	e->u.lambda.pat = pattern_of(p, pattern);
	e->u.lambda.body = body;
	e->u.lambda.written = NEW(p->u->arena, Lambda, 1);
	*e->u.lambda.written = (Lambda){e->u.lambda.pat, body, NULL};
	return e;
}

Expr *
expr_keyword(Parser *p, const Expr *name, const Token *set, Expr *value)
{
	Expr *e = node(p, EXPR_KEYWORD, span_between(p, name->span, value->span), value, NULL);

	if (name->kind != EXPR_VAR)
		parse_error(p, set->span, "syntax", "in front of `:=` should stand the name of a parameter");
	e->u.keyword.name = name->kind == EXPR_VAR ? name->u.var.name : intern(p->u->names, "_");
	e->u.keyword.value = value;
	return e;
}

Expr *
keywords_split(Arena *a, Expr *e, Exprs *keywords)
{
	Expr *rest;
	Node *pair;

	if (e->kind == EXPR_KEYWORD) {
		LIST_ADD(a, keywords, e);
		return NULL;
	}
	if (e->kind != EXPR_PAIR || (rest = keywords_split(a, e->u.pair.b, keywords)) == e->u.pair.b)
		return e;
	if (!rest)
		return keywords_split(a, e->u.pair.a, keywords);
	pair = NEW(a, Node, 1);
	*pair = (Node){*e, depth(e)};
	pair->e.u.pair.b = rest;
	pair->e.span = span_join(e->u.pair.a->span, rest->span);
	return &pair->e;
}

Expr *
expr_foreach(Parser *p, Span at, Expr *body, const Gens *gens, Expr *filter)
{
	Expr *e;

	if (!body)
		body = gens->pattern;
	e = node(p, EXPR_FOREACH, at, body, filter);
	for (const Generator *g = gens->first; g; g = g->next)
		also(p, e, g->source);
	e->u.foreach.body = body;
	e->u.foreach.filter = filter;
	e->u.foreach.gens = gens->first;
	return e;
}

Expr *
expr_seq(Parser *p, Span at, const Exprs *items)
{
	Expr *e = node(p, EXPR_SEQ, at, NULL, NULL);

	for (int i = 0; i < items->n; i++)
		also(p, e, items->at[i]);
	e->u.seq.item = items->at;
	e->u.seq.n = items->n;
	return e;
}

Expr *
expr_empty(Parser *p, Span start, TypeExpr *type)
{
	Expr *e = node(p, EXPR_EMPTY, span_between(p, start, type->span), NULL, NULL);

	e->u.empty = type;
	return e;
}

Expr *
expr_range(Parser *p, Span at, Expr *from, Expr *to, Expr *step)
{
	Expr *e = node(p, EXPR_RANGE, at, from, to);

	also(p, e, step);
	e->u.range.from = from;
	e->u.range.to = to;
	e->u.range.step = step;
	return e;
}

Expr *
expr_prim(Parser *p, Span at, const Token *op, const Exprs *args)
{
	Expr *e = node(p, EXPR_PRIM, at, NULL, NULL);

	for (int i = 0; i < args->n; i++)
		also(p, e, args->at[i]);
	e->u.prim.op = intern_n(p->u->names, op->u.string.at, (size_t)op->u.string.n);
	e->u.prim.arg = args->at;
	e->u.prim.n = args->n;
	return e;
}

Expr *
expr_typecase(Parser *p, Span start, const char *var, Case *cases)
{
	Expr *e = node(p, EXPR_TYPECASE, start, NULL, NULL);

	for (const Case *c = cases; c; c = c->next)
		also(p, e, c->body);
	e->u.typecase.var = var;
	e->u.typecase.cases = cases;
	return e;
}

/* -- parts of expressions ------------------------------------------------------------------------- */

Case *
case_new(Parser *p, TypeExpr *when, Expr *body, Case *next)
{
	Case *c = NEW(p->u->arena, Case, 1);

	*c = (Case){when, body, next};
	return c;
}

Gens *
gens_new(Parser *p)
{
	Gens *g = NEW(p->u->arena, Gens, 1);

	g->end = &g->first;
	return g;
}

/* A bare name x (source NULL) is x in x. */
void
gens_add(Parser *p, Gens *gens, Expr *pattern, Expr *source)
{
	Generator *g = NEW(p->u->arena, Generator, 1);

	if (!source && pattern->kind != EXPR_VAR)
		parse_no_generator(p, pattern);
	g->pat = pattern_of(p, pattern);
	g->source = source ? source : variable(p, pattern->span, pattern->u.var.name);
	g->span = span_between(p, pattern->span, g->source->span);
	if (!gens->first)
		gens->pattern = pattern;
	*gens->end = g;
	gens->end = &g->next;
	if (++gens->n > MAX_DEPTH)
		parse_too_deep(p);
}

Bindings *
binding_new(Parser *p, Expr *pattern, Expr *value)
{
	Bindings *b = NEW(p->u->arena, Bindings, 1);

	*b = (Bindings){pattern_of(p, pattern), value, NULL, 1};
	return b;
}

Bindings *
bindings_add(Parser *p, Bindings *before, Bindings *b)
{
	b->before = before;
	b->n = before->n + 1;
	if (b->n > MAX_DEPTH)
		parse_too_deep(p);
	return b;
}

Exprs *
exprs_add(Parser *p, Exprs *list, Expr *e)
{
	if (!list)
		list = NEW(p->u->arena, Exprs, 1);
	LIST_ADD(p->u->arena, list, e);
	if (list->n > MAX_ITEMS) {
		parse_error(p, e->span, "syntax", "a sequence literal has at most %d items", MAX_ITEMS);
		p->failed = true;
	}
	return list;
}

/* -- types as written ----------------------------------------------------------------------------- */

static TypeExpr *
type_node(Parser *p, TypeExprKind kind, Span span, TypeExpr *a, TypeExpr *b)
{
	TypeNode *n = NEW(p->u->arena, TypeNode, 1);

	n->t.kind = kind;
	n->t.span = span;
	n->t.a = a;
	n->t.b = b;
	n->depth = deeper(p, type_depth(a), type_depth(b));
	return &n->t;
}

TypeExpr *
typex_name(Parser *p, const Token *t, TypeExpr *args, const Token *close)
{
	Span at = close ? span_between(p, t->span, close->span) : t->span;
	TypeExpr *x = type_node(p, TYX_NAME, at, args, NULL);

	x->name = t->u.name;
	return x;
}

TypeExpr *
typex_seq(Parser *p, Span at, TypeExpr *a)
{
	return type_node(p, TYX_SEQ, at, a, NULL);
}

TypeExpr *
typex_pair(Parser *p, TypeExpr *a, TypeExpr *b)
{
	return type_node(p, TYX_PAIR, span_between(p, a->span, b->span), a, b);
}

TypeExpr *
typex_fun(Parser *p, TypeExpr *a, TypeExpr *b)
{
	return type_node(p, TYX_FUN, span_between(p, a->span, b->span), a, b);
}

Constraint *
constraint_new(Parser *p, const Token *var, const Token *cls, Constraint *next)
{
	Constraint *c = NEW(p->u->arena, Constraint, 1);

	*c = (Constraint){var->u.name, cls->u.name, span_between(p, var->span, cls->span), next};
	return c;
}

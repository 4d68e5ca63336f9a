/* grammar.y: one top-level form.
 *
 * In   the tokens of one form, its `;` included, or END for it.
 * Out  p->form filled in.
 * How  lemon.  Binary operators by precedence, prefix operators and application by strata above
 *      them.  Patterns are read as expressions and converted (pattern_of): where a pattern ends is
 *      known only when `=` or `in` follows it. */
%include {
#include "frontend/parse.h"

/* Of the state and the stack at an error; below, where lemon's tables are known. */
static Want wanted(const void *parser);
static const Token *innermost(const void *parser);
}

%name nesl
%token_prefix TOK_
%token_type {Token *}
%extra_argument {Parser *p}
%start_symbol top
%stack_size 50000
%stack_overflow { parse_too_deep(p); }
%syntax_error {
	parse_unexpected(p, TOKEN, wanted(yypParser), innermost(yypParser), nesl_unclosed(yypParser));
}

%code {
/* lemon has done all reductions it can when it finds an error, so what the state accepts is what
 * may really come. */
static bool
accepts(unsigned state, int kind)
{
	return yy_find_shift_action((YYCODETYPE)kind, (YYACTIONTYPE)state) != YY_ERROR_ACTION;
}

static Want
wanted(const void *parser)
{
	const yyStackEntry *top = ((const yyParser *)parser)->yytos;
	unsigned state = top->stateno;
	static const struct { int kind; Want want; } closing[] = {
		{TOK_THEN, WANT_THEN}, {TOK_ELSE, WANT_ELSE}, {TOK_IN, WANT_IN},
		{TOK_RPAREN, WANT_RPAREN}, {TOK_RBRACKET, WANT_RBRACKET}, {TOK_RBRACE, WANT_RBRACE},
		{TOK_SEMI, WANT_END}, {TOK_ASSIGN, WANT_ASSIGN}, {TOK_READ, WANT_READ},
		{TOK_COLON, WANT_COLON},
	};

	if (accepts(state, TOK_LENGTH))
		return accepts(state, TOK_IN) ? WANT_BINDING : WANT_EXPR;
	if (accepts(state, TOK_NAME))
		return accepts(state, TOK_LBRACKET) ? top->major == TOK_RBRACKET ? WANT_ITEM_TYPE : WANT_TYPE
			: accepts(state, TOK_LPAREN) ? WANT_PARAM
			: accepts(state, TOK_STRING) ? WANT_FUNCTION : WANT_CLASS;
	/* in braces `in` may come too, but what is forgotten is the brace */
	if (accepts(state, TOK_RBRACE))
		return WANT_RBRACE;
	for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
		if (accepts(state, closing[i].kind))
			return closing[i].want;
	return WANT_END;
}

static const Token *
innermost(const void *parser)
{
	const yyParser *y = parser;

	for (const yyStackEntry *s = y->yytos; s > y->yystack; s--)
		if (s->major == TOK_LPAREN || s->major == TOK_LBRACKET || s->major == TOK_LBRACE)
			return s->minor.yy0;
	return NULL;
}

/* What closes the brackets, lets and ifs that are open. */
unsigned
nesl_unclosed(const void *parser)
{
	const yyParser *y = parser;
	unsigned closing = 0;

	for (const yyStackEntry *s = y->yytos; s > y->yystack; s--)
		switch (s->major) {
		case TOK_LPAREN: closing |= closer(TOK_RPAREN); break;
		case TOK_LBRACKET: closing |= closer(TOK_RBRACKET); break;
		case TOK_LBRACE: closing |= closer(TOK_RBRACE); break;
		case TOK_LET: closing |= closer(TOK_IN); break;
		case TOK_IF: closing |= closer(TOK_THEN) | closer(TOK_ELSE); break;
		default: break;
		}
	return closing;
}

/* Has the form been read to its end?  Asked after a `;` or END: only behind that of the form, and not behind
 * those of a let or of an apply-to-each, may the end of all tokens come. */
bool
nesl_complete(const void *parser)
{
	return accepts(((const yyParser *)parser)->yytos->stateno, 0);
}
}

/* what an arm, a body or a case can take in, it takes in */
%nonassoc EXTENT.
%nonassoc LPAREN.
%right COMMA BAR.
%left OR NOR XOR.
%left AND NAND.
%left EQ NE LT GT LE GE.
%left PLUS MINUS APPEND.
%left TIMES DIVIDE PAD.
%left POWER.
%left WRITE.
%right READ.

/* END: the input ends where the `;` should be */
top ::= form SEMI.
top ::= form END.

/* -- forms -------------------------------------------------------------------------------------- */
form ::= expr(E).                       { form_expr(p, E); }
form ::= expr(P) ASSIGN expr(E).        { form_assign(p, P, E); }
form ::= expr(P) KEEP expr(E).          { form_assign(p, P, E); form_keep(p); }
form ::= FUNCTION fname(N) param(P) signature ASSIGN expr(E).   { form_def(p, N, P, E); }
form ::= FUNCTION fname(N) param(P) COLON ftype.        { form_def(p, N, P, NULL); }
form ::= DATATYPE dname(N) type(T).             { form_datatype(p, N, T); }
form ::= DATATYPE dname(N) type(T) context.     { form_datatype(p, N, T); }

%type fname {Token *}
%type dname {Token *}
%type param {Expr *}
fname(R) ::= NAME(T).                   { R = T; }
fname(R) ::= STRING(T).                 { R = T; }
fname(R) ::= BOOL(T).                   { R = T; }
fname(R) ::= INT(T).                    { R = T; }
dname(R) ::= NAME(T).                   { R = T; }
dname(R) ::= BOOL(T).                   { R = T; }
param(R) ::= NAME(T).                   { R = expr_name(p, T); }
param(R) ::= BOOL(T).                   { R = expr_literal(p, T); }
param(R) ::= LPAREN expr(E) RPAREN.     { R = E; }

signature ::= .
signature ::= STRING(S).                { form_doc(p, S); }
signature ::= COLON ftype.
signature ::= COLON typed context STRING(S).    { form_doc(p, S); }
signature ::= COLON typed STRING(S). {
	if (p->basis)
		form_doc(p, S);
	else
		parse_error(p, S->span, "type", "a docstring may follow a type only behind its context `:: (...)`");
}

/* Sets the form's types. */
ftype ::= typed.
ftype ::= typed context.
typed ::= types(A).                     { form_signature(p, A); }
context ::= CONTEXT LPAREN constraints(C) RPAREN.       { p->form->context = C; }
context ::= CONTEXT constraint(C).      { p->form->context = C; }

%type constraints {Constraint *}
%type constraint {Constraint *}
constraints(R) ::= constraint(C).       { R = C; }
constraints(R) ::= constraint(C) SEMI constraints(N).   { C->next = N; R = C; }
constraint(R) ::= NAME(V) IN NAME(C).   { R = constraint_new(p, V, C, NULL); }

/* -- types -------------------------------------------------------------------------------------- */
%type type {TypeExpr *}
%type arrow {TypeExpr *}
%type types {TypeExpr *}
types(R) ::= arrow(A).                  { R = A; }
types(R) ::= arrow(A) COMMA types(B).   { R = typex_pair(p, A, B); }
arrow(R) ::= type(A).                   { R = A; }
arrow(R) ::= type(A) READ arrow(B).     { R = typex_fun(p, A, B); }
type(R) ::= NAME(T). [EXTENT]           { R = typex_name(p, T, NULL, NULL); }
type(R) ::= NAME(T) LPAREN types(A) RPAREN(E).  { R = typex_name(p, T, A, E); }
type(R) ::= LBRACKET(L) types(A) RBRACKET(E).   { R = typex_seq(p, span_between(p, L->span, E->span), A); }
type(R) ::= LPAREN types(A) RPAREN.     { R = A; }

/* -- expressions -------------------------------------------------------------------------------- */
%type expr {Expr *}
%type sub {Expr *}
%type op {Expr *}
%type prefix {Expr *}
%type postfix {Expr *}
%type primary {Expr *}

expr(R) ::= sub(A). [EXTENT]            { R = A; }
expr(R) ::= sub(A) COMMA expr(B).       { R = expr_pair(p, A, B); }

sub(R) ::= op(A).                       { R = A; }
sub(R) ::= LET(L) bindings(B) IN expr(E).               { R = expr_let(p, L->span, B, E); }
sub(R) ::= LET(L) bindings(B) SEMI IN expr(E).          { R = expr_let(p, L->span, B, E); }
sub(R) ::= IF(I) expr(C) THEN expr(A) ELSE expr(B).     { R = expr_if(p, I->span, C, A, B); }
sub(R) ::= op(P) LAMBDA sub(B).         { R = expr_lambda(p, P, B); }
sub(R) ::= op(N) SET(T) sub(E).         { R = expr_keyword(p, N, T, E); }
sub(R) ::= TYPECASE(T) NAME(V) BAR cases(C). {
	R = expr_typecase(p, T->span, V->u.name, C);
}

%type bindings {Bindings *}
%type binding {Bindings *}
bindings(R) ::= binding(B).             { R = B; }
bindings(R) ::= bindings(A) SEMI binding(B).    { R = bindings_add(p, A, B); }
binding(R) ::= expr(P) ASSIGN expr(E).  { R = binding_new(p, P, E); }

op(R) ::= prefix(A).                    { R = A; }
op(R) ::= op(A) OR(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) NOR(O) op(B).           { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) XOR(O) op(B).           { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) AND(O) op(B).           { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) NAND(O) op(B).          { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) EQ(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) NE(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) LT(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) GT(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) LE(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) GE(O) op(B).            { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) PLUS(O) op(B).          { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) MINUS(O) op(B).         { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) APPEND(O) op(B).        { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) TIMES(O) op(B).         { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) DIVIDE(O) op(B).        { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) PAD(O) op(B).           { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) POWER(O) op(B).         { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) WRITE(O) op(B).         { R = expr_binary(p, O, A, B); }
op(R) ::= op(A) READ(O) op(B).          { R = expr_binary(p, O, A, B); }

prefix(R) ::= postfix(A).               { R = A; }
prefix(R) ::= MINUS(O) prefix(A).       { R = expr_prefix(p, O, "negate", A); }
prefix(R) ::= LENGTH(O) prefix(A).      { R = expr_prefix(p, O, "#", A); }
prefix(R) ::= SHOW(O) prefix(A).        { R = expr_prefix(p, O, "@", A); }

postfix(R) ::= primary(A).              { R = A; }
postfix(R) ::= literal(A).              { R = A; }
postfix(R) ::= postfix(A) primary(B).   { R = expr_apply(p, A, B); }
postfix(R) ::= postfix(A) LBRACKET(L) expr(I) RBRACKET(E).      { R = expr_subscript(p, A, L, I, E); }

/* A sequence in brackets is no argument of a juxtaposition: f [1] is a subscript. */
%type literal {Expr *}
%type items {Exprs *}
literal(R) ::= LBRACKET(L) items(I) RBRACKET(E).        { R = expr_seq(p, span_between(p, L->span, E->span), I); }
literal(R) ::= LBRACKET(L) sub(A) COLON sub(B) RBRACKET(E). {
	R = expr_range(p, span_between(p, L->span, E->span), A, B, NULL);
}
literal(R) ::= LBRACKET(L) sub(A) COLON sub(B) COLON sub(C) RBRACKET(E). {
	R = expr_range(p, span_between(p, L->span, E->span), A, B, C);
}
literal(R) ::= LBRACKET(L) RBRACKET type(T).    { R = expr_empty(p, L->span, T); }
items(R) ::= sub(E).                    { R = exprs_add(p, NULL, E); }
items(R) ::= items(L) COMMA sub(E).     { R = exprs_add(p, L, E); }

primary(R) ::= INT(T).                  { R = expr_literal(p, T); }
primary(R) ::= FLOAT(T).                { R = expr_literal(p, T); }
primary(R) ::= BOOL(T).                 { R = expr_literal(p, T); }
primary(R) ::= CHAR(T).                 { R = expr_literal(p, T); }
primary(R) ::= STRING(T).               { R = expr_literal(p, T); }
primary(R) ::= NAME(T).                 { R = expr_name(p, T); }
primary(R) ::= LPAREN(L) expr(A) RPAREN(E). {
	R = A;
	R->span = span_between(p, L->span, E->span);
}
primary(R) ::= PRIM(P) STRING(O) LPAREN items(I) RPAREN(E). {
	R = expr_prim(p, span_between(p, P->span, E->span), O, I);
}

/* -- apply-to-each ------------------------------------------------------------------------------ */
%type gens {Gens *}
%type filter {Expr *}
primary(R) ::= LBRACE(L) serial gens(G) filter(F) RBRACE(E). {
	R = expr_foreach(p, span_between(p, L->span, E->span), NULL, G, F);
}
primary(R) ::= LBRACE(L) serial expr(B) COLON gens(G) filter(F) RBRACE(E). {
	R = expr_foreach(p, span_between(p, L->span, E->span), B, G, F);
}
serial ::= .
serial ::= TIMES.
gens(R) ::= expr(P) IN expr(E).         { R = gens_new(p); gens_add(p, R, P, E); }
gens(R) ::= expr(P).                    { R = gens_new(p); gens_add(p, R, P, NULL); }
gens(R) ::= gens(G) SEMI expr(P) IN expr(E).    { R = G; gens_add(p, R, P, E); }
gens(R) ::= gens(G) SEMI expr(P).       { R = G; gens_add(p, R, P, NULL); }
filter(R) ::= .                         { R = NULL; }
filter(R) ::= BAR expr(E).              { R = E; }

/* -- the basis library's choice by type --------------------------------------------------------- */
%type cases {Case *}
cases(R) ::= type(T) COLON expr(E). [EXTENT]            { R = case_new(p, T, E, NULL); }
cases(R) ::= type(T) COLON expr(E) BAR cases(N).        { R = case_new(p, T, E, N); }

#ifndef NESSIE_PARSE_H
#define NESSIE_PARSE_H
/* What the grammar and its driver share: the state of one form, messages, constructors of the tree.
 * Only the first message of a form is given. */
#include "frontend/lex.h"
#include "frontend/syntax.h"

enum {
	MAX_DEPTH = 10000,      /* of the tree: passes recurse over it */
	MAX_ITEMS = 100         /* of a sequence literal */
};

typedef struct Parser {
	Unit *u;
	bool basis;
	bool command;           /* the form is one */
	Form *form;             /* the form being read */
	const Token *current;   /* the token being taken in */
	const Token *before;    /* the one before it; NULL: it is the first */
	const Token *header;    /* the `(` of the parameters if a function is defined */
	bool bad;               /* a message was given for it */
	bool failed;            /* and the grammar cannot go on */
	unsigned unclosed;      /* what a form with an error before this one left open, a set of closer(kind) */
	bool local;             /* it ends before a function that a `let` was to bind */
	bool rest;              /* this is no form but the rest of that one, cut off at a `;` inside it */
	const Token *semi;      /* the last `;` inside the form; NULL: none */
	const Token *foreign;   /* the first word that other languages begin something with, and something follows; NULL: none */
	bool hasty;             /* with an error it ends at the next `;`, whatever that belongs to */
	bool ends_there;        /* and that is where it ends, as far as can be told of a form with an error */
	LIST(const Token *) reserved;   /* each `time` and `pair` of the form, until one proves to be bound or applied */
} Parser;

/* What may come next where the grammar stopped; of several, the first that applies is named. */
typedef enum {
	WANT_EXPR, WANT_BINDING, WANT_THEN, WANT_ELSE, WANT_IN, WANT_ASSIGN, WANT_RPAREN, WANT_RBRACKET,
	WANT_RBRACE, WANT_FUNCTION, WANT_PARAM, WANT_TYPE, WANT_ITEM_TYPE, WANT_READ, WANT_CLASS, WANT_COLON, WANT_END
} Want;

typedef struct Gens { Generator *first, **end; Expr *pattern; int n; } Gens;    /* pattern: the first, as an expression */
typedef struct Bindings { Pattern *pat; Expr *value; struct Bindings *before; int n; } Bindings;

/* -- messages ----------------------------------------------------------------------------------- */
void parse_error(Parser *p, Span at, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* `open` is the innermost bracket that is still open, or NULL; unclosed, what is open, a set of closer(kind). */
void parse_unexpected(Parser *p, const Token *found, Want want, const Token *open, unsigned unclosed);
void parse_too_deep(Parser *p);
/* In braces e stands where a generator should. */
void parse_no_generator(Parser *p, const Expr *e);

/* -- constructors --------------------------------------------------------------------------------- */
/* From a to b; one that goes over several lines ends with the first. */
Span span_between(const Parser *p, Span a, Span b);

Expr *expr_literal(Parser *p, const Token *t);
Expr *expr_name(Parser *p, const Token *t);
Expr *expr_apply(Parser *p, Expr *fn, Expr *arg);
Expr *expr_binary(Parser *p, const Token *op, Expr *a, Expr *b);
Expr *expr_prefix(Parser *p, const Token *op, const char *name, Expr *a);
Expr *expr_subscript(Parser *p, Expr *a, const Token *open, Expr *index, const Token *close);
Expr *expr_pair(Parser *p, Expr *a, Expr *b);
Expr *expr_let(Parser *p, Span start, const Bindings *last, Expr *body);
Expr *expr_if(Parser *p, Span start, Expr *cond, Expr *then, Expr *orelse);
Expr *expr_keyword(Parser *p, const Expr *name, const Token *set, Expr *value);
Expr *expr_lambda(Parser *p, Expr *pattern, Expr *body);
/* body NULL: the first pattern */
Expr *expr_foreach(Parser *p, Span at, Expr *body, const Gens *gens, Expr *filter);
Expr *expr_seq(Parser *p, Span at, const Exprs *items);
Expr *expr_empty(Parser *p, Span start, TypeExpr *type);
Expr *expr_range(Parser *p, Span at, Expr *from, Expr *to, Expr *step);
Expr *expr_prim(Parser *p, Span at, const Token *op, const Exprs *args);
Expr *expr_typecase(Parser *p, Span start, const char *var, Case *cases);

Case *case_new(Parser *p, TypeExpr *when, Expr *body, Case *next);
Gens *gens_new(Parser *p);
void gens_add(Parser *p, Gens *g, Expr *pattern, Expr *source);
Bindings *binding_new(Parser *p, Expr *pattern, Expr *value);
Bindings *bindings_add(Parser *p, Bindings *before, Bindings *b);
Exprs *exprs_add(Parser *p, Exprs *list, Expr *e);

/* args, to the bracket `close`: of a record; NULL: none */
TypeExpr *typex_name(Parser *p, const Token *t, TypeExpr *args, const Token *close);
TypeExpr *typex_seq(Parser *p, Span at, TypeExpr *a);
TypeExpr *typex_pair(Parser *p, TypeExpr *a, TypeExpr *b);
TypeExpr *typex_fun(Parser *p, TypeExpr *a, TypeExpr *b);
Constraint *constraint_new(Parser *p, const Token *var, const Token *cls, Constraint *next);

/* An expression read where a pattern stands.  Names, pairs and records of them only, each name once; otherwise a
 * message, and a pattern that serves to go on. */
Pattern *pattern_of(Parser *p, const Expr *e);

/* -- forms -------------------------------------------------------------------------------------- */
/* body NULL: declared only */
void form_def(Parser *p, const Token *name, Expr *param, Expr *body);
void form_doc(Parser *p, const Token *text);
void form_datatype(Parser *p, const Token *name, TypeExpr *contents);
void form_signature(Parser *p, const TypeExpr *fn);
void form_assign(Parser *p, Expr *pattern, Expr *value);
/* It was `|=`. */
void form_keep(Parser *p);
void form_expr(Parser *p, Expr *e);

/* Tokens that close a bracket, a let or an if, as bits; 0 for others. */
unsigned closer(int kind);

/* -- the grammar, as lemon makes it ----------------------------------------------------------------- */
void *neslAlloc(void *(*alloc)(size_t));
void neslInit(void *parser);            /* forget what was read */
void nesl(void *parser, int kind, Token *t, Parser *p);
void neslFree(void *parser, void (*release)(void *));
bool nesl_complete(const void *parser);
unsigned nesl_unclosed(const void *parser);     /* what it was to read yet, a set of closer(kind) */

#endif

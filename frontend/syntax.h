#ifndef NESSIE_SYNTAX_H
#define NESSIE_SYNTAX_H
/* The surface tree: what parse makes and infer decorates with types.  Dumps of it are NESL. */
#include "common/unit.h"

typedef struct Type Type;               /* frontend/type.h: types with variables, for inference */
typedef struct Expr Expr;
typedef struct Pattern Pattern;
typedef struct TypeExpr TypeExpr;
typedef struct TopCommand TopCommand;   /* frontend/command.h */

/* -- types as written ------------------------------------------------------------------------- */
/* NAME: int float bool char, a type variable, or a record, which may have arguments in a */
typedef enum { TYX_NAME, TYX_SEQ, TYX_PAIR, TYX_FUN } TypeExprKind;
struct TypeExpr {
	TypeExprKind kind;
	Span span;
	const char *name;
	TypeExpr *a, *b;
	void *decl;                     /* from infer: the record's constructor */
};

/* `:: (a in number; b in any)` */
typedef struct Constraint {
	const char *var, *cls;          /* cls: number ordinal logical any */
	Span span;
	struct Constraint *next;
} Constraint;

/* -- patterns: names and pairs, as contents of records or not; (a, b, c) is (a, (b, c)) ------------ */
typedef struct Wrap {                   /* the record's name in `point(x, y)` */
	const char *name;
	Span span;
	struct Wrap *inner;             /* p(q(x)): q */
} Wrap;

typedef enum { PAT_NAME, PAT_PAIR } PatternKind;
struct Pattern {
	PatternKind kind;
	Span span;
	Wrap *wrap;                     /* the outermost, or NULL */
	const char *name;
	Pattern *a, *b;
	Type *type;                     /* from infer: inside all records */
	Type *whole;                    /* from infer: outside */
};

/* -- expressions ------------------------------------------------------------------------------- */
typedef enum {
	EXPR_INT, EXPR_FLOAT, EXPR_BOOL, EXPR_CHAR, EXPR_STRING,
	EXPR_VAR,
	EXPR_APPLY,                     /* fn(arg); operators are applications of a variable named + == # @ -> ... */
	EXPR_PAIR,
	EXPR_LET, EXPR_IF,
	EXPR_LAMBDA,                    /* p => e */
	EXPR_KEYWORD,                   /* x := e: an argument by its name; infer puts it in its place */
	EXPR_FOREACH,                   /* { body : gens | filter } */
	EXPR_SEQ,                       /* [x, y]; EXPR_EMPTY is [] type */
	EXPR_EMPTY,
	EXPR_RANGE,                     /* [a : b] or [a : b : c] */
	EXPR_PRIM,                      /* basis only: prim "name" (args); and time(e), everywhere */
	EXPR_TYPECASE                   /* basis only: typecase a | int: e | scalar: e | (x, y): e | [x]: e | any: e */
} ExprKind;

typedef struct Generator {              /* p in e */
	Pattern *pat;
	Expr *source;
	Span span;
	struct Generator *next;
} Generator;

typedef struct Case {
	TypeExpr *when;                 /* a name of {int float bool char scalar any}, or a shape of names */
	Expr *body;
	struct Case *next;
} Case;

/* A function without a name, as written: copies of the expression share it. */
typedef struct Lambda {
	Pattern *pat;
	Expr *body;
	void *decl;                     /* from infer */
} Lambda;

struct Expr {
	ExprKind kind;
	Span span;                      /* the whole expression; for an operator application, see opspan */
	Type *type;                     /* from infer */
	union {
		int64_t i;                                      /* INT, BOOL, CHAR */
		double f;
		struct { const char *at; int n; } string;
		struct { const char *name; void *decl; Type **inst; } var;  /* decl, inst: from infer */
		struct { Expr *fn, *arg; Span opspan; } apply;  /* opspan: the operator or name applied */
		struct { Expr *a, *b; } pair;
		struct { Pattern *pat; Expr *value, *body; } let;       /* one binding; a let of several nests */
		struct { Expr *cond, *then, *orelse; } branch;
		/* captured: from infer, a Bound *, the local names of outside that the body uses */
		struct { Pattern *pat; Expr *body; Lambda *written; void *captured; } lambda;
		struct { const char *name; Expr *value; } keyword;
		struct { Expr *body, *filter; Generator *gens; } foreach;       /* filter may be NULL */
		struct { Expr **item; int n; } seq;
		TypeExpr *empty;
		struct { Expr *from, *to, *step; } range;       /* step may be NULL */
		struct { const char *op; Expr **arg; int n; } prim;
		struct { const char *var; Case *cases; } typecase;
	} u;
};

/* -- top-level forms ------------------------------------------------------------------------------ */
typedef enum {
	FORM_DEF,
	FORM_DECLARE,                   /* a function's type, ahead of its definition */
	FORM_DATATYPE,
	FORM_ASSIGN, FORM_EXPR,
	FORM_COMMAND,
	FORM_BAD                        /* a syntax error was reported */
} FormKind;

/* A parameter with a default, which is a hidden function: of anything, as a function has an argument. */
typedef struct Default {
	const char *name;
	Span span;
	Form *form;
	struct Default *next;
} Default;

/* Of Form.comment, Form.doubt, Form.prose. */
extern const char remainder_note[], doubt_note[], prose_note[];

struct Form {
	FormKind kind;
	Span span;                      /* the form; for messages */
	bool basis;
	bool kept;                      /* has run before: it binds what it binds, and does nothing else */
	EntryShow show;
	const Source *source;           /* and where the form is in its text, the `;` included */
	size_t from, to;
	TopCommand *command;            /* COMMAND */
	const char *answer;             /* COMMAND, from infer: what it prints; NULL: nothing */
	const char *name;               /* DEF, DECLARE: the function; DATATYPE: the record */
	const char *also;               /* BAD: the variable that the next form was to bind, which a `;` is missing before */
	Span namespan;
	Pattern *param;                 /* DEF, DECLARE: the parameter; ASSIGN: what is bound */
	Default *defaults;              /* DEF: of the last parameters, a tuple behind the other ones in param */
	Form *value;                    /* DEF with defaults: hidden, the function of the others that it is as a value */
	bool hidden;                    /* DEF: made up for another form, which it stands next to */
	TypeExpr *argtype, *restype;    /* DECLARE; DEF, when declared; else NULL.  DATATYPE: argtype, what is in it */
	Constraint *context;
	struct { const char *at; int n; } doc;  /* DEF: its docstring; at is NULL if there is none */
	Expr *body;                     /* NULL in DECLARE and DATATYPE */
	void *decl;                     /* from infer */
	Span comment;                   /* the first that stands where an operator may be meant, between operands; len is 0 if there is none */
	Span doubt;             /* a comment in it or before it of which the end seems to be missing; len is 0 if there is none */
	Span prose;                     /* the sign that it begins with, if that may begin a comment of another language; else len is 0 */
	bool doubtful;                  /* ASSIGN: likely a binding of a `let` in the wrong form before; its errors are not told */
	bool failed;                    /* from infer: left out of what follows */
	const char *shown;              /* ASSIGN, EXPR: from infer, the type as echoed (type_text_shown) */
	Form *next;
};

/* What is in front of the arguments by name that end the tuple e, or NULL, and these, backwards. */
typedef LIST(Expr *) Exprs;
Expr *keywords_split(Arena *a, Expr *e, Exprs *keywords);

/* time(e), a PRIM that is written so. */
bool expr_is_time(const Expr *e);

/* Calls visit(with, x) for each expression x that e is made of directly, in the order of evaluation. */
void expr_each(const Expr *e, void (*visit)(void *with, const Expr *x), void *with);

/* Passes and their dumps. */
void parse(Unit *u);                    /* u->sources -> u->forms; what is loaded becomes sources */
/* How many bytes of the text make up its first form, whatever it needs to be without error; 0: it goes on
 * behind the text.  A command may end with its line. */
size_t parse_first(Unit *u, const char *text, size_t n);
void syntax_print(const Unit *u, FILE *out);    /* user forms, as NESL that parses to the same tree */

#endif

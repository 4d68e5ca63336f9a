#ifndef NESSIE_INFER_EXPR_H
#define NESSIE_INFER_EXPR_H
/* Types of expressions: what infer.c (forms) uses. */
#include "common/map.h"
#include "frontend/globals.h"

typedef struct TyVar {                  /* a type variable as written, in a declared signature */
	const char *name;
	Type *type;
	const struct TyVar *next;
} TyVar;

typedef struct Closure {                /* a function without a name, whose body is being typed */
	int depth;                      /* of the scope it stands in */
	Bound *captured;
	const struct Closure *up;
} Closure;

typedef struct Infer {
	Unit *u;
	Arena *arena;
	Types types;
	Globals *globals;
	Map *bound;                     /* names that were in a scope: most that are used, operators above all, never are */
	bool basis;                     /* the form is the library's */
	bool instance;                  /* the types in tyvars are concrete: decide typecase */
	bool failed;                    /* the form is wrong, or uses one that was */
	Span comment, prose;            /* of the form */
	const Expr *doubtful;           /* a call of a type not known yet that is applied to what stands on a later line: if something is
					 * wrong with the form, this is; NULL: none */
	Span use;                       /* and where the user's program needs it */
	Decl *self;                     /* the function being defined: its own uses are monomorphic */
	Type *selftype;
	const TyVar *tyvars;
	const Closure *closure;         /* the innermost */
	const char *datatype;           /* the record being defined, or NULL */
	LIST(const char *) unknown;     /* undefined names that were reported, each once */
	struct { const char *name; Span at; } missing;  /* the first use in the form of a name that has no sound definition */
	Bound uses;                     /* the user's functions that the form applies */
	bool declares;                  /* a function was declared ahead of its definition */
	int visit;                      /* searches among uses, counted */
} Infer;

Type *infer_expr(Infer *in, const Scope *sc, Expr *e);

/* Types can grow exponentially with the program; what follows would not live to see it.  (For instances mono
 * sees to it.) */
enum { LARGEST_TYPE = 500 };

/* Types for the names of a pattern, and the scope with them in it. */
Type *infer_pattern(Infer *in, const Scope **sc, Pattern *p);

/* What a pattern of this type, which does not fit, needs. */
const char *pattern_needs(Infer *in, Type *t, Type *got);

/* A type as written; unknown names become type variables if `fresh`, otherwise errors. */
Type *infer_typexpr(Infer *in, TypeExpr *t, bool fresh);

/* What is said of a call, or the like, that is applied to what stands on a later line. */
extern const char missing_semicolon[];

void infer_error(Infer *in, Span at, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif

#ifndef NESSIE_INFER_H
#define NESSIE_INFER_H
/* Type inference, and what it leaves on the tree: Expr.type, Pattern.type, the binding each variable
 * names (u.var.decl is a Decl *) and the bindings each form makes (Form.decl is a Bound *). */
#include "frontend/syntax.h"
#include "frontend/type.h"

typedef enum {
	DECL_FUN,
	DECL_CONST,             /* `pi = ..` of the library: its expression stands for it */
	DECL_CELL,              /* a global of the user's, an input, or `it` */
	DECL_LOCAL
} DeclKind;

typedef struct Decl Decl;

/* What a form binds: the names of its pattern in order, one function, or `it`. */
typedef LIST(Decl *) Bound;

struct Decl {
	DeclKind kind;
	const char *name;
	Type *type;             /* FUN, CELL: all variables in it are generic when `general`; NULL if `lambda` */
	bool general;
	Form *form;             /* FUN, CONST: the body in force after the last form */
	bool bodiless;          /* FUN: so far declared only; from infer, as are the next two */
	Bound uses;             /* FUN: the user's functions that its body applies */
	int visit;              /* the last search that came here */
	const Expr *serial;     /* FUN: what makes it serial: a use of a serial function or primitive, or NULL */
	bool basis;
	bool poisoned;          /* its form failed: uses fail too, and silently */
	Decl *same;             /* a redefinition with the same type: what it is a new body of */
	const Record *record;   /* FUN: what it constructs; its argument is the value */
	bool lambda;            /* FUN: written as p => e.  Its parameter is that, behind what it captures, if anything */
	const struct TyVar *tyvars;     /* and the type variables that stand for types in its body */
	Globals *home;
	Cell *cell;             /* from normal */
	Decl *next;             /* older binding in the same bucket */
};

/* u->forms: types and bindings filled in, forms that are wrong reported and marked failed. */
void infer(Unit *u);

/* The binding that d is a body of. */
Decl *decl_real(Decl *d);

/* Type form's body (a copy of its own) at the concrete type fn, where `self` is the function, with
 * typecase decided.  Used by mono.  False, and reported at `use`: a typecase has no case for functions.  What else
 * goes wrong here is the library's fault, so an ice. */
bool infer_instance(Unit *u, Decl *self, Form *form, Type *fn, Span use);

/* What the type stage dumps: every definition of the user's, decorated. */
void infer_print(const Unit *u, FILE *out);

/* `name : TYPE` for every definition and assignment of the user's. */
void types_print(const Unit *u, FILE *out);

#endif

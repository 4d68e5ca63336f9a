#ifndef NESSIE_TYPE_PRINT_H
#define NESSIE_TYPE_PRINT_H
/* Typed trees as text: NESL in which every bound name carries its type. */
#include "frontend/infer.h"

typedef struct TypedPrinter {
	FILE *out;
	Arena *arena;
	int indent;
	Type *whole;            /* of the function being printed: names the type variables */
	/* what an applied name is called; NULL: as written */
	const char *(*callee)(const Expr *fn);
} TypedPrinter;

/* `function f(x : int) : int -> int =` and the body below it */
void typed_function(TypedPrinter *tp, const char *name, const Pattern *param, Type *fn, const Expr *body);
/* `x : int =` and the expression */
void typed_assign(TypedPrinter *tp, const Pattern *pat, const Expr *body);
void typed_toplevel(TypedPrinter *tp, const Expr *body);

#endif

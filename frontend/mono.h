#ifndef NESSIE_MONO_H
#define NESSIE_MONO_H
/* One copy of each function per instance.  In these trees all types are concrete, typecase is decided,
 * library constants are replaced by their expressions, and in an application u.apply.fn's u.var.decl
 * is the Inst that is called (elsewhere it is a Decl, local or cell). */
#include "frontend/infer.h"

typedef struct Inst Inst;
struct Inst {
	const char *name;       /* f, or f_int where there are several; unique */
	Decl *decl;
	Type *type;             /* concrete, a function */
	Form *form;             /* a copy of its own: parameter and body */
	bool recursive;         /* part of a cycle of calls */
	bool stale;             /* reaches a body that was replaced since: not for later forms */
	LIST(Inst *) calls;
	int index, low;         /* mono.c: order of visit in the search for cycles */
	Inst *next;
};

typedef struct MonoEntry {
	Form *form;             /* the user's form; body is a copy */
	Expr *body;             /* NULL for a definition */
	struct MonoEntry *next;
} MonoEntry;

struct Mono {
	Inst *insts, **end;     /* in the order they were asked for */
	MonoEntry *entries, **lastentry;
};

/* u->forms -> u->mono, forms that failed left out. */
void mono(Unit *u);
void mono_print(const Unit *u, FILE *out);

/* frontend/copy.c: a copy of an expression, where spans are `at` if that has a position. */
Expr *expr_copy(Arena *a, const Expr *e, Span at);
Pattern *pattern_copy(Arena *a, const Pattern *p);

#endif

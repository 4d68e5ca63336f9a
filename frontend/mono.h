#ifndef NESSIE_MONO_H
#define NESSIE_MONO_H
/* One copy of each function per instance.  In these trees all types are concrete, typecase is decided,
 * library constants are replaced by their expressions, and in an application u.apply.fn's u.var.decl
 * is the Inst that is called (elsewhere it is a Decl, local or cell).  Functions as values are the tuples of what
 * they captured, or `t`. */
#include "frontend/infer.h"

/* What evaluation does besides giving a value. */
enum {
	EFFECT_DRAWS = 1,       /* may use the state of random numbers, and advance it */
	EFFECT_SEEDS = 2,       /* may set it */
	EFFECT_OTHER = 4,       /* may end the form with a message, or have an effect outside of the program, or looks at the clock */
	EFFECT_SERIAL = 8,      /* may use a serial primitive, perhaps by a function that it is given */
};

typedef struct Inst Inst;
struct Inst {
	const char *name;       /* f, or f_int where there are several; unique */
	Decl *decl;
	Type *type;             /* concrete, a function; its label that of no function, except for a lambda */
	int constructors;       /* those of other sizes are others: a function that is asked for at ever larger types has many */
	Form *form;             /* a copy of its own: parameter and body */
	Span use;               /* where the user's program first asks for it, perhaps through the library */
	int cycle;              /* of calls, a number for each; 0: it is part of none */
	bool inlined;           /* written out at every use */
	int size;               /* expressions in its body, with what is written out in it */
	unsigned effects;
	Expr *rows, *body;      /* if it says what does it for rows: the rows_by (normal.def), and where that would stand if it were lifted; else NULL */
	bool lifted;            /* may be called in the body or filter of an apply-to-each, perhaps through others */
	bool stale;             /* reaches a body that was replaced since: not for later forms */
	LIST(Inst *) calls;
	int index, low;         /* mono.c: order of visit in a search for cycles */
	Inst *next, *next_of;   /* next_of: of the same function */
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

/* frontend/effect.c: fills in Inst.effects from `first` on; those before have theirs. */
void mono_effects(Arena *a, Inst *first);

/* frontend/copy.c: a copy of an expression, where spans are `at` if that has a position. */
Expr *expr_copy(Arena *a, const Expr *e, Span at);
Pattern *pattern_copy(Arena *a, const Pattern *p);

#endif

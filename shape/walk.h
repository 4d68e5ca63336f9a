#ifndef NESSIE_SHAPE_WALK_H
#define NESSIE_SHAPE_WALK_H
/* One function or entry, from its first binding to its last. */
#include "common/map.h"
#include "shape/cells.h"
#include "shape/facts.h"
#include "shape/rules.h"
#include "shape/sight.h"
#include "shape/table.h"
#include "shape/ties.h"

/* A function or an entry.  What a function's parameters are at all its calls, and its results at all returns, starts as
 * "never", and is less each time that something else comes: in the end it holds of all. */
typedef struct Routine {
	const Fun *fun;                 /* NULL: an entry */
	const Entry *entry;
	Ties *param, *result;
	Shape *in;                      /* the parameters */
	int lo, hi;                     /* unknowns lo .. hi-1 are theirs */
	SlotList of;                    /* by unknown, from lo: the slot that it is */
	const Size **out;               /* unknowns that stand for the slots of its results */
	PassedBy passed;                /* what all that returns has passed, over its parameters, its results and cells */
	LIST(struct Routine *) callers;
	bool dirty, open;               /* open: it is being walked */
	int walks;                      /* how often it was walked */
	int changes, made;              /* of what is known of the parameters; when `in` was made */
} Routine;

typedef struct Witness Witness;

typedef struct Reader {
	const Cell *cell;
	Routine *routine;
} Reader;

typedef struct Walk {
	Arena *arena;
	const Program *p;
	Sizes *z;
	Facts *facts;
	Map *routine;                   /* by name of a function */
	Cells *cells;
	LIST(Reader) readers;
	Routine *now;
	int depth;                      /* how many are open */
	Shape *shape;                   /* by Var.id */
	bool never;                     /* what comes next is not reached: a call before it does not return */
	Opnd *same;                     /* by Var.id: what stands for it, where is_same */
	bool *is_same;
	Sight sight;
	/* the last walk, which makes the program anew */
	bool last;
	Program *to;
	Block *out;
	/* and checks what is known (debug.h) */
	bool debug;
	const Bind *jump;               /* ends the block with a jump, which nothing may come behind; NULL: none does */
	LIST(Witness *) witness;
	Map *by_atom, *size_names;
	Shapes *shapes;
} Walk;

/* Walks r, which is called where we are, until nothing changes, if the walk that we are in has often stopped so (shape.c). */
void walk_settled(Walk *w, Routine *r);
/* Walks the body of a routine, whose parameters have the shapes `in`; yield: what it yields.  Last: gives it anew. */
Block *walk_body(Walk *w, const Block *b, int nparam, Var *const *param, const Shape *in, Shape *yield);
Shape walk_operand(const Walk *w, Opnd o);
/* v has this shape. */
void walk_shape(Walk *w, const Var *v, Shape s);
/* From here on these hold, as far as it is not known. */
void walk_passed(Walk *w, PassedList l);
Routine *walk_routine(const Walk *w, const char *name);
/* The slots of variables of these shapes, where what checks at the host say holds. */
const Size **walk_slots(Walk *w, const Ties *t, const Shape *x);
/* An entry has come to its end: its cells are set to this. */
void walk_sets(Walk *w, const Entry *e, const Shape *yield);
/* A call of r with anything. */
void walk_anyhow(Walk *w, Routine *r);
/* Something else is known of r's results. */
void routine_told(Routine *r);

#endif

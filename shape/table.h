#ifndef NESSIE_SHAPE_TABLE_H
#define NESSIE_SHAPE_TABLE_H
/* Making the tables of shape.h. */
#include "flatten/flan.h"
#include "shape/shape.h"
#include "shape/size.h"

Shapes *shapes_over(Arena *a, Sizes *z);
void shapes_set(Shapes *s, const Var *v, Shape x);
Shape shapes_of(Shapes *s, const Var *v);       /* value NULL: nothing is known */
Sizes *shapes_sizes(Shapes *s);

typedef struct Told {                   /* what is known where we are: a check passed, or a condition with its value */
	const Bind *by;
	bool holds;
} Told;

typedef struct Removed {                /* a check that is proved */
	const Bind *check;
	bool always;                    /* without checks before it, and conditions around it */
	int ntold;                      /* else: those, the last first */
	const Told *told;
} Removed;
void shapes_remove(Shapes *s, Removed r);
/* The program as the pass found it. */
void shapes_found(Shapes *s, const Program *p);
const Program *shapes_program(const Shapes *s);
const Removed *shapes_removed(const Shapes *s, int i);  /* the i-th; NULL: there are not so many */

#endif

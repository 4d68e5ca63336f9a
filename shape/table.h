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

typedef struct Removed {                /* a check that is proved */
	const Bind *check;
	bool always;                    /* without checks before it, and conditions around it */
} Removed;
void shapes_remove(Shapes *s, Removed r);
const Removed *shapes_removed(const Shapes *s, int i);  /* the i-th; NULL: there are not so many */

#endif

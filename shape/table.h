#ifndef NESSIE_SHAPE_TABLE_H
#define NESSIE_SHAPE_TABLE_H
/* Making the tables of shape.h. */
#include "flatten/flan.h"
#include "shape/shape.h"
#include "shape/size.h"

Shapes *shapes_over(Arena *a, Sizes *z);
void shapes_set(Shapes *s, const Var *v, Shape x);

#endif

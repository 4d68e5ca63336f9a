#ifndef NESSIE_SHAPE_BOUNDS_H
#define NESSIE_SHAPE_BOUNDS_H
/* The least and the most that an index can be which is computed of places. */
#include "shape/size.h"

/* Is each element of x from 0 to limit - 1, whatever the lengths are, by how it is computed?  limit: a length, of each element if it is
 * a vector. */
bool bounds_within(Sizes *z, Shape x, const Size *limit);
/* Is a below b for each of so many elements (1), or for none of them (0)?  -1: who knows.  Of ints, at least one of them a vector. */
int bounds_below(Sizes *z, const Size *length, const Size *a, const Size *b);
/* Is n, by which each element of x is divided, above 0 where there is an element? */
bool bounds_divides(Sizes *z, Shape x, const Size *n);

#endif

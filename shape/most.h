#ifndef NESSIE_SHAPE_MOST_H
#define NESSIE_SHAPE_MOST_H
/* The most that a sum of places can be. */
#include "shape/size.h"

/* Is each element of x from 0 to limit - 1, whatever the lengths are, by what it is a sum of?  limit: a length, the same for all. */
bool most_below(Sizes *z, Shape x, const Size *limit);

#endif

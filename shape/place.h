#ifndef NESSIE_SHAPE_PLACE_H
#define NESSIE_SHAPE_PLACE_H
/* Elements at places that are known: 0, 1, 2 .., or k * place + d. */
#include "shape/size.h"

/* The number of the place, for each place. */
const Size *size_place(Sizes *z);
/* Are k * x + d, for an x that is the length of something, and k and d as constants are in programs, less than wraps? */
bool place_small(const Sizes *z, int64_t k);
/* Are all of x from 0 to limit - 1? */
bool place_below(Sizes *z, Shape x, const Size *limit);
/* The elements of arg[0] at arg[1], whose length may be NULL: not known. */
const Size *place_pick(Sizes *z, bool vector, const Shape *arg);
/* a / b, or what remains, if a is of such places. */
bool place_divided(Sizes *z, int op, const Size *a, const Size *b, const Size **out);

/* Is each element of x one of another vector, picked where a truth of each of that holds, or does not?  What picks them: a split or
 * pack of the truths; of: the other vector, of as many.  x[y[i]], where i picks those of y, are of x[y]. */
const Atom *place_picked(Sizes *z, const Size *x, Shape *of);
/* Is each of x one of of.value, picked by truths, of rows too? */
bool place_some(Sizes *z, const Size *x, Shape *of);
/* Is it n elements x[k * place + k - 1] of k * n, for a small k? */
bool place_last_of_turn(Sizes *z, const Atom *a, const Size *n, int64_t *k);

#endif

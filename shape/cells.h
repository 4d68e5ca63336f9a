#ifndef NESSIE_SHAPE_CELLS_H
#define NESSIE_SHAPE_CELLS_H
/* What cells have.  A cell that one form sets, or an input, has one value wherever it is read: its leaves have names of
 * their own, or are what that form yields, as far as this is told by such names.  Of others nothing is known. */
#include "shape/ties.h"

typedef struct Cells Cells;

/* All names are made: no size of another thing has one of these unknowns. */
Cells *cells_new(Arena *a, Sizes *z, const Program *p);
/* The shapes of the leaves that c has when it is read; *known: false, if nothing was told of it yet, so that no read is
 * reached. */
void cells_read(Cells *k, const Cell *c, Shape *leaf, bool *known);
/* A form that ends sets c to these.  Is something else known of c than before? */
bool cells_told(Cells *k, const Cell *c, const Shape *leaf);
/* The leaves of a value of this type, of which nothing is known. */
void cells_any(Sizes *z, const Ty *t, Shape *leaf);

#endif

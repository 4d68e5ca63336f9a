#ifndef NESSIE_SHAPE_CELLS_H
#define NESSIE_SHAPE_CELLS_H
/* What cells have.  A cell that one form sets, or an input, has one value wherever it is read: its leaves have names of
 * their own, or are what that form yields, as far as this is told by such names.  Where it has been read, that form has come to
 * its end: what its checks say of such names holds.  Of others nothing is known. */
#include "shape/passed.h"
#include "shape/ties.h"

typedef struct Cells Cells;

/* All names are made: no size of another thing has one of these unknowns. */
Cells *cells_new(Arena *a, Sizes *z, const Program *p);
/* The shapes of the leaves that c has when it is read; *known: false, if nothing was told of it yet, so that no read is
 * reached. */
void cells_read(Cells *k, const Cell *c, Shape *leaf, bool *known);
/* A form that ends sets c to these.  Is something else known of c than before? */
bool cells_told(Cells *k, const Cell *c, const Shape *leaf);
/* And has passed these checks.  Are they others than before, as far as names tell what they say? */
bool cells_passed(Cells *k, const Cell *c, const PassedList *checks);
/* Those that it passed. */
PassedList cells_checks(const Cells *k, const Cell *c);
/* Is this unknown a name? */
bool cells_name(const Cells *k, int unknown);
/* The leaves of a value of this type, of which nothing is known. */
void cells_any(Sizes *z, const Ty *t, Shape *leaf);

#endif

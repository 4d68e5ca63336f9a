#ifndef NESSIE_CELLS_H
#define NESSIE_CELLS_H
#include "common/unit.h"

/* Where variables of the top level end: after their last use in the whole program, and not when it ends. */
typedef struct CellEnds CellEnds;

typedef struct {
	Cell **at;
	int n, cap;
} CellList;

CellEnds *cell_ends(const Unit *u);

/* Does nobody read its cell again, once the `cell` or `peek` b has? */
bool cell_ends_with(const CellEnds *c, const Bind *b);

/* The cells that end before the entry with this body. */
const CellList *cells_before(const CellEnds *c, const Block *entry);

#endif

#ifndef NESSIE_SLICES_H
#define NESSIE_SLICES_H
#include "common/unit.h"

/* u->ir: normal -> normal.  With --mem-limit each apply-to-each of the host that makes sequences for its elements runs in a
 * loop over slices, as many elements at a time as the run time finds room for (backend/rt/nesl_slice.h); without, nothing
 * changes. */
void slices(Unit *u);

#endif

#ifndef NESSIE_FUSE_HOIST_H
#define NESSIE_FUSE_HOIST_H
#include "common/unit.h"

/* lcu -> lcu: what is the same for all elements of a row is computed for the row. */
void hoist(Program *p);

#endif

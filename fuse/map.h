#ifndef NESSIE_FUSE_MAP_H
#define NESSIE_FUSE_MAP_H
#include "common/unit.h"

/* The mapping, a pass: u->ir goes from mem to map.  Of each task the mappings that it may run by: those it can, or,
 * if it can, the one of --map alone. */
void map(Unit *u);

#endif

#ifndef NESSIE_FUSE_H
#define NESSIE_FUSE_H
#include "common/unit.h"

/* u->ir: lcu with a task for each operator -> lcu with fewer: what can be one task is one (graph.h). */
void fuse(Unit *u);

#endif

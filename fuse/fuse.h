#ifndef NESSIE_FUSE_H
#define NESSIE_FUSE_H
#include <stdio.h>
#include "common/unit.h"

/* u->graph: the dependences of u->ir, lcu with a task for each operator; its stages, and what is to be one task
 * (graph.h).  --fuse=map: only maps are put together; none: every task stays alone. */
void pdg(Unit *u);
/* As text for Graphviz: a box for each task to be, and marked edges in bold. */
void pdg_print(const Unit *u, FILE *out);
/* u->ir: lcu with the tasks of u->graph, which ends. */
void fuse(Unit *u);

#endif

#ifndef NESSIE_FUSE_H
#define NESSIE_FUSE_H
#include <stdio.h>
#include "common/unit.h"

/* u->graph: the dependences of u->ir, lcu with a task for each operator; its stages, and what is to be one task
 * (graph.h).  --fuse=map: only maps are put together; none: every task stays alone. */
void pdg(Unit *u);
/* As text for Graphviz: a box for each operator that runs in parallel, in those of its task and stage, and marked edges in bold;
 * or as JSON (u->json). */
void pdg_print(const Unit *u, FILE *out);
/* Does each operator stand in one task of its stage, and behind all that it waits for?  NULL, or what is wrong and where. */
const char *pdg_check(const Unit *u, Span *at);
/* u->ir: lcu with the tasks of u->graph, which ends. */
void fuse(Unit *u);

#endif

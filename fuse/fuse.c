/* fuse.c: the passes (fuse.h). */
#include "fuse/fuse.h"
#include "fuse/counted.h"
#include "fuse/graph.h"
#include "fuse/measure.h"
#include "fuse/hoist.h"
#include "fuse/total.h"
#include "fuse/unused.h"

void
pdg(Unit *u)
{
	u->graph = graph_new(u);
	graph_stages(u->graph);
}

void
fuse(Unit *u)
{
	u->ir = graph_merge(u->graph);
	if (u->fuse == FUSE_ALL) {
		hoist(u->ir);
		total(u->ir);
		measure(u->ir);
		unused(u->ir);
	}
	counted(u->ir);
	u->graph = NULL;
	u->shapes = NULL;
}

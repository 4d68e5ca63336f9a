/* fuse.c: the pass (fuse.h). */
#include "fuse/fuse.h"
#include "fuse/graph.h"

void
fuse(Unit *u)
{
	Graph *g;

	if (u->no_fuse)
		return;
	g = graph_new(u);
	graph_stages(g);
	u->ir = graph_merge(g);
}

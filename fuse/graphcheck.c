/* graphcheck.c: what stages and tasks promise (graph.h), checked after they were made.
 *
 *   - An edge leads from what stands before.
 *   - Each operator that runs in parallel is in one task, and of the stage of that task; others may compute it once more.
 *   - What a node waits for is over before its stage, or in its own task.  A task that runs where a filter's elements are
 *     waits for no count of those that are kept. */
#include "fuse/fuse.h"
#include "fuse/graph.h"

typedef struct {
	const Graph *g;
	const Node *node;       /* that breaks it */
} Checker;

static const Member *
member_of(const Node *n)
{
	for (int i = 0; n->cluster && i < n->cluster->member.n; i++)
		if (n->cluster->member.at[i].node == n && !n->cluster->member.at[i].repeated)
			return &n->cluster->member.at[i];
	return NULL;
}

/* Does a task over what is kept do without d, its number? */
static bool
only_counts(const Graph *g, const Node *n, const Node *d)
{
	const Origin *size = graph_origin(g, n->b->arg[0]);
	const Member *m = member_of(n);

	return m && m->filter.keep && size && size->node == d;
}

static const char *
check_node(const Graph *g, const Node *n)
{
	const bool task = n->b->op == LCU_task;

	if (task != (n->cluster != NULL) || (task && (!member_of(n) || n->stage != n->cluster->stage)))
		return task ? "an operator in parallel is in no task of its stage" : "what runs on the host is in a task";
	for (int i = 0; i < n->deps.n; i++) {
		const Node *d = n->deps.at[i];

		if (d->place >= n->place)
			return "an edge from what stands behind";
		if (graph_after(d) > n->stage && !(task && graph_member(n->cluster, d)) && !only_counts(g, n, d))
			return "it is of a stage before what it waits for is over";
	}
	return NULL;
}

static const char *check_region(Checker *k, const Block *b);

static const char *
check_arms(Checker *k, const Node *n)
{
	const char *why = NULL;

	for (int i = 0; n->b->op == LCU_if && i < n->b->nblock && !why; i++)
		why = check_region(k, n->b->block[i]);
	return why;
}

static const char *
check_region(Checker *k, const Block *b)
{
	const Region *r = graph_region(k->g, b);
	const char *why;
	int tasks = 0, members = 0;

	for (int i = 0; i < r->node.n; i++) {
		const Node *n = r->node.at[i];

		why = check_node(k->g, n);
		if (why)
			k->node = n;
		else
			why = check_arms(k, n);
		if (why)
			return why;
		tasks += n->cluster != NULL;
	}
	for (int i = 0; i < r->cluster.n; i++)
		for (int j = 0; j < r->cluster.at[i]->member.n; j++)
			members += !r->cluster.at[i]->member.at[j].repeated;
	if (tasks == members)
		return NULL;
	k->node = r->node.at[0];
	return "an operator in parallel is in several tasks, or its task is not of this region";
}

const char *
pdg_check(const Unit *u, Span *at)
{
	Checker k = {.g = u->graph};
	const char *why = NULL;

	for (const Fun *f = k.g->p->funs; f && !why; f = f->next)
		why = check_region(&k, f->body);
	for (const Entry *e = k.g->p->entries; e && !why; e = e->next)
		why = e->body ? check_region(&k, e->body) : NULL;
	if (why)
		*at = k.node->b->span;
	return why;
}

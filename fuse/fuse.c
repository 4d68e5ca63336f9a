/* fuse.c: the passes (fuse.h), and the graph as a picture. */
#include "fuse/fuse.h"
#include "fuse/graph.h"

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
	u->graph = NULL;
}

/* -- picture ---------------------------------------------------------------------------------- */
static void
print_name(const Graph *g, const Node *n, FILE *out)
{
	const Bind *b = n->b;

	fprintf(out, "%s", b->op == LCU_task ? b->name : g->p->ir->op[b->op].name);
	for (int i = 0; i < b->ndst; i++)
		fprintf(out, "%s%s", i ? ", " : "\\n", b->dst[i]->name);
	fprintf(out, "\\n%d:%d", b->span.line, b->span.col);
}

static void
print_node(const Graph *g, const char *region, const Node *n, FILE *out)
{
	fprintf(out, "\t%s%s_%d [label=\"", n->cluster ? "\t" : "", region, n->place);
	print_name(g, n, out);
	fprintf(out, "\"%s];\n", n->cluster ? ", shape=box" : n->tells ? ", shape=octagon" : "");
}

static void
print_cluster(const Graph *g, const char *region, int number, const Cluster *c, FILE *out)
{
	fprintf(out, "\tsubgraph cluster_%s_%d {\n\t\tlabel=\"stage %d: ", region, number, c->stage);
	if (c->n.kind == OPND_VAR)
		fprintf(out, "%s", c->n.u.var->name);
	else
		fprintf(out, "%lld", (long long)c->n.u.i);
	fprintf(out, "%s%s\";\n", c->s ? ", " : "", c->s ? c->s->name : "");
	for (int i = 0; i < c->member.n; i++)
		if (!c->member.at[i].repeated)
			print_node(g, region, c->member.at[i].node, out);
	fprintf(out, "\t}\n");
}

/* What is in one task, or not of tasks, is not marked. */
static void
print_edges(const char *region, const Node *n, FILE *out)
{
	for (int i = 0; i < n->deps.n; i++) {
		const Node *d = n->deps.at[i];

		fprintf(out, "\t%s_%d -> %s_%d%s;\n", region, d->place, region, n->place,
			d->cluster && d->cluster != n->cluster ? " [style=bold]" : "");
	}
}

static void
print_region(const Graph *g, const char *name, const Block *b, FILE *out)
{
	const Region *r = graph_region(g, b);

	for (int i = 0; i < r->cluster.n; i++)
		print_cluster(g, name, i, r->cluster.at[i], out);
	for (int i = 0; i < r->node.n; i++) {
		const Node *n = r->node.at[i];

		if (!n->cluster)
			print_node(g, name, n, out);
		print_edges(name, n, out);
		for (int j = 0; n->b->op == LCU_if && j < n->b->nblock; j++)
			print_region(g, arena_printf(g->a, "%s_%d_%s", name, i, j ? "else" : "then"), n->b->block[j], out);
	}
}

void
pdg_print(const Unit *u, FILE *out)
{
	const Graph *g = u->graph;
	int k = 0;

	fprintf(out, "digraph pdg {\n");
	for (const Fun *f = g->p->funs; f; f = f->next)
		print_region(g, arena_printf(g->a, "f%d", ++k), f->body, out);
	for (const Entry *e = g->p->entries; e; e = e->next)
		if (e->body)
			print_region(g, arena_printf(g->a, "e%d", ++k), e->body, out);
	fprintf(out, "}\n");
}

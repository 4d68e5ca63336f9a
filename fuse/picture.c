/* picture.c: the graph, for Graphviz and as JSON (fuse.h): stages are clusters of tasks, tasks are clusters of nodes. */
#include "common/json.h"
#include "fuse/fuse.h"
#include "fuse/graph.h"

typedef LIST(int) Numbers;

typedef struct {
	const Graph *g;
	FILE *out;
	const char *between;    /* JSON: before the next region */
	const char *of;         /* the function or entry that is printed */
} Picture;

/* One region. */
typedef struct {
	const char *name;
	const Region *r;
	Numbers *task;          /* by stage: its tasks, by their number in the region */
	int nstage;
} Shown;

static Shown
show(const Picture *p, const char *name, const Block *b)
{
	Shown s = {.name = name, .r = graph_region(p->g, b)};

	for (int i = 0; i < s.r->cluster.n; i++)
		if (s.r->cluster.at[i]->stage >= s.nstage)
			s.nstage = s.r->cluster.at[i]->stage + 1;
	s.task = NEW(p->g->a, Numbers, s.nstage + 1);
	for (int i = 0; i < s.r->cluster.n; i++)
		LIST_ADD(p->g->a, &s.task[s.r->cluster.at[i]->stage], i);
	return s;
}

static const char *
arm_name(const Picture *p, const Shown *s, const Node *n, int arm)
{
	return arena_printf(p->g->a, "%s_%d_%s", s->name, n->place, arm ? "else" : "then");
}

static int
narms(const Node *n)
{
	return n->b->op == LCU_if ? n->b->nblock : 0;
}

static const char *
operand(const Picture *p, Opnd o)
{
	return o.kind == OPND_VAR ? o.u.var->name : arena_printf(p->g->a, "%lld", (long long)o.u.i);
}

/* What is in one task, or not of tasks, is not marked. */
static bool
marked(const Node *from, const Node *to)
{
	return from->cluster && from->cluster != to->cluster;
}

/* -- Graphviz --------------------------------------------------------------------------------- */
static void
draw_node(const Picture *p, const Shown *s, const Node *n)
{
	const Bind *b = n->b;

	fprintf(p->out, "\t%s%s_%d [label=\"%s", n->cluster ? "\t\t" : "", s->name, n->place,
		b->op == LCU_task ? b->name : p->g->p->ir->op[b->op].name);
	for (int i = 0; i < b->ndst; i++)
		fprintf(p->out, "%s%s", i ? ", " : "\\n", b->dst[i]->name);
	fprintf(p->out, "\\n%d:%d\"%s];\n", b->span.line, b->span.col,
		n->cluster ? ", shape=box" : n->tells ? ", shape=octagon" : "");
}

static void
draw_task(const Picture *p, const Shown *s, int number)
{
	const Cluster *c = s->r->cluster.at[number];

	fprintf(p->out, "\t\tsubgraph cluster_%s_%d {\n\t\t\tlabel=\"%s%s%s\";\n", s->name, number, operand(p, c->n),
		c->s ? ", " : "", c->s ? c->s->name : "");
	for (int i = 0; i < c->member.n; i++)
		if (!c->member.at[i].repeated)
			draw_node(p, s, c->member.at[i].node);
	fprintf(p->out, "\t\t}\n");
}

static void
draw_region(Picture *p, const char *name, const Block *b)
{
	const Shown s = show(p, name, b);

	for (int k = 0; k < s.nstage; k++) {
		if (s.task[k].n == 0)
			continue;
		fprintf(p->out, "\tsubgraph cluster_%s_stage%d {\n\t\tlabel=\"stage %d\";\n", name, k, k);
		for (int i = 0; i < s.task[k].n; i++)
			draw_task(p, &s, s.task[k].at[i]);
		fprintf(p->out, "\t}\n");
	}
	for (int i = 0; i < s.r->node.n; i++) {
		const Node *n = s.r->node.at[i];

		if (!n->cluster)
			draw_node(p, &s, n);
		for (int j = 0; j < n->deps.n; j++)
			fprintf(p->out, "\t%s_%d -> %s_%d%s;\n", name, n->deps.at[j]->place, name, n->place,
				marked(n->deps.at[j], n) ? " [style=bold]" : "");
		for (int j = 0; j < narms(n); j++)
			draw_region(p, arm_name(p, &s, n, j), n->b->block[j]);
	}
}

/* -- JSON ------------------------------------------------------------------------------------- */
static void
tell_node(const Picture *p, const Shown *s, const Node *n)
{
	const Bind *b = n->b;
	Arena *a = p->g->a;

	fprintf(p->out, "\n    {\"node\": %d, \"does\": %s", n->place, json_quoted(a, p->g->p->ir->op[b->op].name));
	if (b->name)
		fprintf(p->out, ", \"name\": %s", json_quoted(a, b->name));
	fprintf(p->out, ", \"makes\": [");
	for (int i = 0; i < b->ndst; i++)
		fprintf(p->out, "%s%s", i ? ", " : "", json_quoted(a, b->dst[i]->name));
	fprintf(p->out, "], \"at\": %s, \"stage\": %d, \"tells\": %s", json_quoted(a, arena_printf(a, "%s:%d:%d",
		b->span.file ? b->span.file : "-", b->span.line, b->span.col)), n->stage, n->tells ? "true" : "false");
	for (int i = 0; i < narms(n); i++)
		fprintf(p->out, "%s%s%s", i ? ", " : ", \"arms\": [", json_quoted(a, arm_name(p, s, n, i)),
			i + 1 == narms(n) ? "]" : "");
	fputc('}', p->out);
}

static void
tell_members(const Picture *p, const Cluster *c, const char *key, bool repeated)
{
	const char *between = "";

	fprintf(p->out, ", \"%s\": [", key);
	for (int i = 0; i < c->member.n; i++)
		if (c->member.at[i].repeated == repeated) {
			fprintf(p->out, "%s%d", between, c->member.at[i].node->place);
			between = ", ";
		}
	fputc(']', p->out);
}

static void
tell_stages(const Picture *p, const Shown *s)
{
	const char *between = "";

	for (int k = 0; k < s->nstage; k++) {
		if (s->task[k].n == 0)
			continue;
		fprintf(p->out, "%s\n    {\"stage\": %d, \"tasks\": [", between, k);
		between = ",";
		for (int i = 0; i < s->task[k].n; i++) {
			const Cluster *c = s->r->cluster.at[s->task[k].at[i]];

			fprintf(p->out, "%s\n      {\"task\": %d, \"space\": [%s", i ? "," : "", s->task[k].at[i],
				json_quoted(p->g->a, operand(p, c->n)));
			if (c->s)
				fprintf(p->out, ", %s", json_quoted(p->g->a, c->s->name));
			fputc(']', p->out);
			tell_members(p, c, "nodes", false);
			tell_members(p, c, "repeats", true);
			fputc('}', p->out);
		}
		fputs("]}", p->out);
	}
}

static void
tell_edges(const Picture *p, const Shown *s)
{
	const char *between = "";

	for (int i = 0; i < s->r->node.n; i++) {
		const Node *n = s->r->node.at[i];

		for (int j = 0; j < n->deps.n; j++) {
			fprintf(p->out, "%s\n    {\"from\": %d, \"to\": %d, \"marked\": %s}", between, n->deps.at[j]->place, n->place,
				marked(n->deps.at[j], n) ? "true" : "false");
			between = ",";
		}
	}
}

static void
tell_region(Picture *p, const char *name, const Block *b)
{
	const Shown s = show(p, name, b);

	fprintf(p->out, "%s\n  {\"region\": %s, \"of\": %s, \"nodes\": [", p->between, json_quoted(p->g->a, name),
		json_quoted(p->g->a, p->of));
	p->between = ",";
	for (int i = 0; i < s.r->node.n; i++) {
		fputs(i ? "," : "", p->out);
		tell_node(p, &s, s.r->node.at[i]);
	}
	fputs("], \"stages\": [", p->out);
	tell_stages(p, &s);
	fputs("], \"edges\": [", p->out);
	tell_edges(p, &s);
	fputs("]}", p->out);
	for (int i = 0; i < s.r->node.n; i++)
		for (int j = 0; j < narms(s.r->node.at[i]); j++)
			tell_region(p, arm_name(p, &s, s.r->node.at[i], j), s.r->node.at[i]->b->block[j]);
}

void
pdg_print(const Unit *u, FILE *out)
{
	Picture p = {.g = u->graph, .out = out, .between = ""};
	void (*const region)(Picture *, const char *, const Block *) = u->json ? tell_region : draw_region;
	int k = 0;

	fputs(u->json ? "{\"regions\": [" : "digraph pdg {\n", out);
	for (const Fun *f = p.g->p->funs; f; f = f->next) {
		p.of = f->name;
		region(&p, arena_printf(p.g->a, "f%d", ++k), f->body);
	}
	for (const Entry *e = p.g->p->entries; e; e = e->next)
		if (e->body) {
			p.of = e->shown;
			region(&p, arena_printf(p.g->a, "e%d", ++k), e->body);
		}
	fputs(u->json ? "]}\n" : "}\n", out);
}

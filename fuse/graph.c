/* graph.c: the regions of a program, and their edges (graph.h). */
#include "fuse/graph.h"
#include "shape/shape.h"

typedef struct {
	Graph *g;
	int *depth;             /* by Var.id: how many regions are around the one that binds it */
	LIST(Node *) around;    /* by depth: the node that is being looked at; NULL: the yield */
} Builder;

/* What a region does, for the `if` that it is an arm of. */
typedef struct {
	bool tells, parts;
} Does;

Origin *
graph_origin(const Graph *g, Opnd o)
{
	return o.kind == OPND_VAR ? &g->origin[o.u.var->id] : NULL;
}

Region *
graph_region(const Graph *g, const Block *b)
{
	return *map_at(g->region, b);
}

/* -- sizes ------------------------------------------------------------------------------------ */
bool
graph_is_total(const Graph *g, Opnd m, const Var *s)
{
	const Opnd *total = *map_at(g->total, s);
	Shapes *shapes = g->u->shapes;

	if (total && same_opnd(*total, m))
		return true;
	return shapes && shape_total(shapes, s) == (m.kind == OPND_INT ? shape_constant(shapes, m.u.i) : shape_value(shapes, m.u.var));
}

static void
learn_total(Graph *g, const Var *s, Opnd m)
{
	void **at = map_at(g->total, s);
	Opnd *o = NEW(g->a, Opnd, 1);

	*o = m;
	if (!*at)
		*at = o;
}

static void
learn_length(Graph *g, const Var *v, Opnd n)
{
	g->origin[v->id].length = n;
	g->origin[v->id].has_length = true;
}

static void
learn_sizes(Graph *g, const Bind *b)
{
	if (b->op == LCU_length)
		learn_length(g, b->arg[0].u.var, opnd_var(b->dst[0]));
	else if (b->op == LCU_total)
		learn_total(g, b->arg[0].u.var, opnd_var(b->dst[0]));
	else if (b->op == LCU_uniform && b->arg[0].kind == OPND_INT && b->arg[1].kind == OPND_INT)
		learn_total(g, b->dst[0], opnd_int(b->arg[0].u.i * b->arg[1].u.i));
}

/* Results of a task by their sinks, and how long they are. */
static void
learn_results(Graph *g, const Bind *task)
{
	const Block *body = task->block[0];

	for (const Bind *s = body->first; s; s = s->next)
		for (int i = 0; i < s->ndst; i++)
			g->origin[s->dst[i]->id].sink = s;
	for (int i = 0; i < task->ndst; i++) {
		const Bind *sink = g->origin[body->yield[i].u.var->id].sink;
		const Opnd *total = sink->level == 2 ? *map_at(g->total, task->arg[1].u.var) : &task->arg[0];

		g->origin[task->dst[i]->id].sink = sink;
		if (sink->op == LCU_keep || sink->op == LCU_keep_segdes)
			g->origin[task->dst[i]->id].kept = graph_condition(g, sink->arg[0]);
		if ((sink->op == LCU_store || sink->op == LCU_scatter) && total)
			learn_length(g, task->dst[i], *total);
	}
}

/* Without a check, only what is known to be as long as the space is can be loaded at each of its positions. */
static bool
load_trusts(const Graph *g, const Bind *task, const Bind *load)
{
	const Origin *from = graph_origin(g, load->arg[0]);
	bool stored = from->sink && (from->sink->op == LCU_store || from->sink->op == LCU_scatter);

	if (load->level == 2 && stored && from->sink->level == 2 && from->node->b->arg[1].u.var == task->arg[1].u.var)
		return false;
	if (!from->has_length)
		return true;
	return load->level == 1 ? !same_opnd(from->length, task->arg[0])
		: !graph_is_total(g, from->length, task->arg[1].u.var);
}

/* -- edges ------------------------------------------------------------------------------------ */
static void
depend(Graph *g, Node *n, Node *on)
{
	if (n->deps.n == 0 || n->deps.at[n->deps.n - 1] != on)
		LIST_ADD(g->a, &n->deps, on);
}

static bool
asks_length(const Bind *b)
{
	return b->op == LCU_length || b->op == LCU_total;
}

/* At `level` of a task it is loaded; 0: else. */
static void
use(Builder *k, Opnd o, int level)
{
	Origin *from = graph_origin(k->g, o);
	Node *n;

	if (!from || !from->node)
		return;
	n = k->around.at[k->depth[o.u.var->id]];
	if (n)
		depend(k->g, n, from->node);
	from->node->needed |= !n || n->b->op != LCU_task || !same_opnd(o, n->b->arg[0]);
	if (n && asks_length(n->b) && from->kept)
		return;                         /* see graph_settle_lengths */
	if (n && n->b->op == LCU_task && from->node->b->op == LCU_task)
		LIST_ADD(k->g->a, &n->uses, ((Use){o.u.var, from->node, level}));
	else
		from->wanted = true;
}

static void
use_operands(Builder *k, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		use(k, b->arg[i], b->op == LCU_load ? b->level : 0);
	for (int i = 0; i < b->nway; i++)
		use(k, b->way[i], 0);
}

/* What takes memory comes after it is heard that its size is none, too. */
static void
tell(Graph *g, Node *n, Node **told)
{
	if (*told && (n->tells || g->p->ir->op[n->b->op].cls == OP_LIBRARY))
		depend(g, n, *told);
	if (n->tells)
		*told = n;
}

/* -- tasks ------------------------------------------------------------------------------------ */
/* What is cheaper to compute again than to store and to load; else more than MOST_REPEATED. */
enum { MOST_REPEATED = 6 };

static int
step_cost(const Bind *s)
{
	switch (s->op) {
	case LCU_store:
	case LCU_index:
	case LCU_inner:
	case LCU_row: return 0;
	case LCU_load: return s->level == 1 ? 0 : MOST_REPEATED + 1;    /* see generator_cost */
	case LCU_add:
	case LCU_sub:
	case LCU_mul:
	case LCU_eq:
	case LCU_ne:
	case LCU_lt:
	case LCU_le:
	case LCU_gt:
	case LCU_ge:
	case LCU_and:
	case LCU_or:
	case LCU_not:
	case LCU_neg:
	case LCU_btoi:
	case LCU_float: return 1;
	}
	return MOST_REPEATED + 1;
}

/* One element of it needs nothing from memory but what generators make, or one element of its row. */
static int
generator_cost(const Graph *g, const Node *n)
{
	int cost = 1;

	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		const Origin *from = s->op == LCU_load ? graph_origin(g, s->arg[0]) : NULL;
		bool by_row = n->b->narg == 2 && n->b->ndst == 1
			&& g->origin[n->b->dst[0]->id].sink->level == 2;

		cost += step_cost(s);
		if (from && !by_row)
			cost += from->node && from->node->cost ? from->node->cost : MOST_REPEATED + 1;
	}
	return cost <= MOST_REPEATED ? cost : 0;
}

static bool
folds(const Graph *g, const Bind *s)
{
	const OpClass cls = g->p->ir->op[s->op].cls;

	return cls == OP_REDUCE || cls == OP_SCAN || s->op == LCU_segdes;
}

/* What runs over the elements of a descriptor, and uses what is computed from their rows, is to know the rows. */
static void
find_space(Builder *k, Node *n)
{
	const Graph *g = k->g;

	n->rows = n->b->arg[0];
	n->s = n->b->narg == 2 ? n->b->arg[1].u.var : NULL;
	for (int i = 0; i < n->uses.n && !n->s && !n->whole && !g->apart; i++) {
		const Node *from = n->uses.at[i].from;

		if (!n->uses.at[i].level || !from->cost || !from->s || !graph_is_total(g, n->rows, from->s))
			continue;
		n->rows = from->rows;
		n->s = from->s;
		n->shift = 1;
		use(k, n->rows, 0);
		use(k, opnd_var(n->s), 0);
	}
}

static void
look_into_task(Builder *k, Node *n)
{
	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		use_operands(k, s);
		n->tells |= scalar_tells(k->g->scalars, s);
		n->trusts |= s->op == LCU_load && load_trusts(k->g, n->b, s);
		n->whole |= s->level == 1 && folds(k->g, s);
	}
	n->loops = scalar_task_loops(k->g->scalars, n->b);
	learn_results(k->g, n->b);
	find_space(k, n);
	n->cost = n->tells ? 0 : generator_cost(k->g, n);
}

/* -- regions ---------------------------------------------------------------------------------- */
static Does build(Builder *k, const Block *b);

/* Before a call or a clock nothing is done that comes after it: it would be alive as long as all that is called. */
static Does
look_into(Builder *k, Node *n)
{
	const Bind *b = n->b;
	bool call = b->op == LCU_call && !scalar_called(k->g->scalars, b);
	Does does = {.parts = call || b->op == LCU_clock};

	n->tells = b->op == LCU_host_check || b->op == LCU_cell || b->op == LCU_call || b->op == LCU_clock
		|| k->g->p->ir->op[b->op].cls == OP_EFFECT;
	if (b->op == LCU_task)
		look_into_task(k, n);
	for (int i = 0; b->op == LCU_if && i < b->nblock; i++) {
		Does arm = build(k, b->block[i]);

		n->tells |= arm.tells;
		does.parts |= arm.parts;
	}
	does.tells = n->tells;
	return does;
}

static Does
build(Builder *k, const Block *b)
{
	Graph *g = k->g;
	Region *r = NEW(g->a, Region, 1);
	int depth = k->around.n, parts = 0;
	Node *told = NULL;
	Does all = {0};

	*map_at(g->region, b) = r;
	LIST_ADD(g->a, &k->around, NULL);
	for (Bind *x = b->first; x; x = x->next) {
		Node *n = k->around.at[depth] = NEW(g->a, Node, 1);
		Does does;

		n->b = x;
		n->place = r->node.n;
		n->told = told;
		use_operands(k, x);
		does = look_into(k, n);
		tell(g, n, &told);
		n->part = parts += does.parts;
		for (int i = 0; i < x->ndst; i++) {
			g->origin[x->dst[i]->id].node = n;
			k->depth[x->dst[i]->id] = depth;
		}
		learn_sizes(g, x);
		all.tells |= does.tells;
		all.parts |= does.parts;
		LIST_ADD(g->a, &r->node, n);
	}
	k->around.at[depth] = NULL;
	for (int i = 0; i < b->nyield; i++)
		use(k, b->yield[i], 0);
	k->around.n--;
	return all;
}

Graph *
graph_new(Unit *u)
{
	Graph *g = NEW(u->arena, Graph, 1);
	Program *p = u->ir;
	Builder k = {.g = g, .depth = NEW(u->arena, int, p->nvar + 1)};

	*g = (Graph){.u = u, .apart = u->no_fuse, .p = p, .a = u->arena, .scalars = scalar_funs(p, tail_calls(p)), .region = map_new(u->arena),
		.origin = NEW(u->arena, Origin, p->nvar + 1), .total = map_new(u->arena)};
	for (const Fun *f = p->funs; f; f = f->next)
		build(&k, f->body);
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			build(&k, e->body);
	return g;
}

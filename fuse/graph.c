/* graph.c: the regions of a program, and their edges (graph.h). */
#include "fuse/graph.h"
#include <string.h>

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
int
graph_size(const Graph *g, Opnd n)
{
	return n.kind == OPND_VAR ? shape_value(g->shapes, n.u.var) : shape_constant(g->shapes, n.u.i);
}

bool
graph_same_size(const Graph *g, Opnd a, Opnd b)
{
	return same_opnd(a, b) || graph_size(g, a) == graph_size(g, b);
}

const void *
graph_key(const Graph *g, int class)
{
	return intern(g->u->names, arena_printf(g->a, "%d", class));
}

bool
graph_is_long(const Graph *g, const Var *v, Opnd n, const Var *s, int level)
{
	const Origin *from = &g->origin[v->id];

	/* Stored by a task of this space. */
	if (from->sink && from->sink->op == LCU_store && from->sink->level == level
			&& (level == 1 ? same_opnd(from->node->b->arg[0], n) : from->node->b->arg[1].u.var == s))
		return true;
	return shape_length(g->shapes, v) == (level == 1 ? graph_size(g, n) : shape_total(g->shapes, s));
}

/* Of a program that was read, the shape of nothing is known but by what asks for it. */
static void
learn_size(const Graph *g, const Bind *b)
{
	if (b->op == LCU_length)
		shapes_value(g->shapes, b->dst[0], shape_length(g->shapes, b->arg[0].u.var));
	else if (b->op == LCU_rows)
		shapes_value(g->shapes, b->dst[0], shape_rows(g->shapes, b->arg[0].u.var));
	else if (b->op == LCU_total)
		shapes_value(g->shapes, b->dst[0], shape_total(g->shapes, b->arg[0].u.var));
}

static void
learn_keep(Graph *g, Node *n, const Bind *sink, Var *v)
{
	int size = sink->op == LCU_keep ? shape_length(g->shapes, v) : shape_total(g->shapes, v);
	void **at = map_at(graph_region(g, n->in)->keeps, graph_key(g, size));
	Filter *f = NEW(g->a, Filter, 1);

	*f = (Filter){sink, n};
	*at = f;
	g->origin[v->id].kept = graph_condition(g, sink->arg[0]);
}

/* Results of a task by their sinks. */
static void
learn_results(Graph *g, Node *n)
{
	const Block *body = n->b->block[0];

	for (int i = 0; i < n->b->ndst; i++) {
		const Bind *sink = g->origin[body->yield[i].u.var->id].sink;

		g->origin[n->b->dst[i]->id].sink = sink;
		if (sink->op == LCU_keep || sink->op == LCU_keep_segdes)
			learn_keep(g, n, sink, n->b->dst[i]);
	}
}

/* -- edges ------------------------------------------------------------------------------------ */
static void
depend(Graph *g, Node *n, Node *on)
{
	if (n->deps.n == 0 || n->deps.at[n->deps.n - 1] != on)
		LIST_ADD(g->a, &n->deps, on);
}

Origin *
graph_asked(const Graph *g, const Node *n)
{
	return n->b->op == LCU_length || n->b->op == LCU_total ? graph_origin(g, n->b->arg[0]) : NULL;
}

/* How, but for the value and where it comes from: at `level` of a task it is loaded, or fetched at the place that what was
 * kept had, or its row's length is asked; 0: else. */
static void
use_at(Builder *k, Opnd o, Use how)
{
	Origin *from = graph_origin(k->g, o);
	Node *n;

	if (!from || !from->node)
		return;
	n = k->around.at[k->depth[o.u.var->id]];
	if (n)
		depend(k->g, n, from->node);
	if (n)
		n->permuted |= from->sink && from->sink->op == LCU_scatter;
	if (n && graph_asked(k->g, n) && from->kept)
		return;                         /* see graph_settle_lengths */
	if (n && n->b->op == LCU_task && from->node->b->op == LCU_task)
		LIST_ADD(k->g->a, &n->uses, ((Use){o.u.var, from->node, how.level, how.here, how.way, how.lengths}));
	else
		from->wanted = true;
}

static void
use(Builder *k, Opnd o)
{
	const Origin *from = graph_origin(k->g, o);

	if (from && from->node)
		from->node->needed = true;
	use_at(k, o, (Use){.level = 0});
}

static void
ask(Builder *k, Opnd o)
{
	Origin *from = graph_origin(k->g, o);

	if (from)
		from->asked = true;
	use(k, o);
}

/* Is its index that of an element that was kept, by number? */
static bool
fetches_kept(const Graph *g, const Bind *fetch)
{
	const Origin *index = graph_origin(g, fetch->arg[1]);
	const Bind *step = index ? index->sink : NULL;

	for (int i = 0; i < 2 && step && step->op == (i ? LCU_keep : LCU_load); i++) {
		const Origin *from = graph_origin(g, step->arg[i]);

		step = from ? from->sink : NULL;
	}
	return step && step->op == LCU_index;
}

/* Are they the lengths of what a task kept of rows, at each row? */
static bool
asks_kept(const Graph *g, const Bind *b)
{
	const Origin *from = b->op == LCU_seg_length && b->level == 1 ? graph_origin(g, b->arg[0]) : NULL;

	return from && from->sink && from->sink->op == LCU_keep_segdes;
}

static void
use_operands(Builder *k, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (i == 0 && b->op == LCU_load)
			use_at(k, b->arg[i], (Use){.level = b->level});
		else if (i == 0 && b->op == LCU_task)
			use_at(k, b->arg[i], (Use){.level = 0});
		else if (i == 0 && b->op == LCU_fetch && fetches_kept(k->g, b))
			use_at(k, b->arg[i], (Use){.level = b->level, .here = true});
		else if (i == 0 && asks_kept(k->g, b))
			use_at(k, b->arg[i], (Use){.level = 1, .lengths = true});
		else if (b->level)
			ask(k, b->arg[i]);
		else
			use(k, b->arg[i]);
	for (int i = 0; i < b->nway; i++)
		if (i == 0 && b->op == LCU_check)
			use_at(k, b->way[i], (Use){.way = true});
		else
			ask(k, b->way[i]);
}

bool
graph_rests(const Node *n)
{
	return n->told && (n->trusts || n->loops || n->sums);
}

/* Is it a length of something, so never below zero? */
static bool
is_length(const Graph *g, Opnd o)
{
	const Origin *from = graph_origin(g, o);
	const int op = from && from->node ? (int)from->node->b->op : -1;

	return o.kind == OPND_INT ? o.u.i >= 0 : op == LCU_length || op == LCU_rows || op == LCU_total || op == LCU_row_length;
}

/* What takes memory on the host, or may, waits for checks: they may be of its size.  `uniform` is two numbers, but one that a
 * check would find below zero is taken for the sum of two, wrapped (nesl_grid.h). */
static void
tell(Graph *g, Node *n, Node **told)
{
	const Bind *b = n->b;
	bool takes = b->op == LCU_uniform ? !is_length(g, b->arg[1])
		: g->p->ir->op[b->op].cls == OP_LIBRARY || b->op == LCU_area || b->op == LCU_if;

	if (*told && (n->tells || takes))
		depend(g, n, *told);
	if (n->tells)
		*told = n;
}

/* -- tasks ------------------------------------------------------------------------------------ */
enum {
	REPEATED = 6,           /* what is cheaper to compute again than to store and to load, of a byte; */
	BYTES_OF_STEP = 2,      /* of more, a step for each so many */
	LOADED = 2,             /* to load it once more: of what a store and a load cost the cheaper half */
	DIVIDED = 8,            /* by what is no constant: such divisions are done again one at a time */
	NEVER = 1000            /* it cannot be repeated */
};

int
graph_cost(const Graph *g, const Bind *step)
{
	const OpInfo *op = &g->p->ir->op[step->op];

	if (op->guard || op->cls == OP_SCAN)
		return 4;
	return lcu_is_function(g->p->ir, step) ? 8 : 1;
}

/* Is it computed of positions and what the host knows? */
static bool
is_position(const Graph *g, Opnd o)
{
	const Origin *from = graph_origin(g, o);
	const Bind *s = from ? from->sink : NULL;

	if (!s)
		return !from || ty_scalar(o.u.var->ty);
	switch (s->op) {
	case LCU_index: case LCU_inner: case LCU_row:
		return true;
	case LCU_load:
		from = graph_origin(g, s->arg[0]);
		return from && from->node && from->node->cost && is_position(g, s->arg[0]);
	}
	if (s->op != LCU_store && g->p->ir->op[s->op].cls != OP_SCALAR)
		return false;
	for (int i = 0; i < s->narg; i++)
		if (!is_position(g, s->arg[i]))
			return false;
	return true;
}

static bool
stores_elements(const Graph *g, const Node *n)
{
	return n->b->narg == 2 && n->b->ndst == 1 && g->origin[n->b->dst[0]->id].sink->level == 2;
}

/* Of a task that stores elements of rows, a number of the row is loaded once for all of them; what generators make costs
 * what they do, once (generator_cost); what no task of the region makes is in memory anyway, and to load it again is less
 * than to store what comes of it, and so it is to take it from places in some order. */
static int
repeated_cost(const Graph *g, const Node *n, const Bind *step)
{
	const Origin *from = step->op == LCU_load ? graph_origin(g, step->arg[0]) : NULL;

	if (from && step->level == 1 && stores_elements(g, n))
		return 0;
	if (from && (!from->node || from->node->b->op != LCU_task))
		return LOADED;
	if (from)
		return from->node->cost ? 0 : NEVER;
	if (step->op == LCU_store || step->op == LCU_index || step->op == LCU_inner || step->op == LCU_row)
		return 0;
	if (step->op == LCU_fetch && is_position(g, step->arg[1]))
		return LOADED + 1;
	if ((step->op == LCU_div || step->op == LCU_rem) && step->arg[1].kind == OPND_VAR)
		return DIVIDED;
	return g->p->ir->op[step->op].cls == OP_SCALAR ? graph_cost(g, step) : NEVER;
}

/* The steps of n and of the generators that it loads from, as far as they are not counted for `all`. */
static int
closure_cost(const Graph *g, Node *n, const Node *all)
{
	int cost = n->own;

	if (n->counted == all)
		return 0;
	n->counted = all;
	for (int i = 0; i < n->uses.n; i++) {
		const Use *u = &n->uses.at[i];

		if (u->from->cost && u->level && !u->here && !u->lengths && (u->level == 2 || !stores_elements(g, n)))
			cost += closure_cost(g, u->from, all);
	}
	return cost;
}

/* 0: it is no generator.  What is in memory anyway is loaded again, if that is less. */
static int
generator_cost(const Graph *g, Node *n)
{
	const bool stored = n->b->ndst == 1 && g->origin[n->b->dst[0]->id].stored;
	const int bytes = ty_bytes(n->b->dst[0]->ty, g->p->int_bits);
	int cost;

	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		n->own += repeated_cost(g, n, s);
	cost = 1 + closure_cost(g, n, n);
	return cost <= (stored ? 1 + LOADED : REPEATED + bytes / BYTES_OF_STEP) ? cost : 0;
}

/* What runs over the elements of a descriptor, and uses what is computed from their rows, is to know the rows. */
static void
find_space(Builder *k, Node *n)
{
	const Graph *g = k->g;

	n->rows = n->b->arg[0];
	n->s = n->b->narg == 2 ? n->b->arg[1].u.var : NULL;
	for (int i = 0; i < n->uses.n && !n->s && !n->whole && g->u->fuse != FUSE_NONE; i++) {
		const Node *from = n->uses.at[i].from;

		if (!n->uses.at[i].level || n->uses.at[i].here || !from->cost || !from->s
				|| graph_size(g, n->rows) != shape_total(g->shapes, from->s))
			continue;
		n->rows = from->rows;
		n->s = from->s;
		n->shift = 1;
		use(k, n->rows);
		use(k, opnd_var(n->s));
	}
}

static void
look_into_task(Builder *k, Node *n)
{
	n->maps = true;
	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		for (int i = 0; i < s->ndst; i++)
			k->g->origin[s->dst[i]->id].sink = s;
		use_operands(k, s);
		n->tells |= scalar_tells(k->g->scalars, s);
		n->trusts |= s->op == LCU_load && !graph_is_long(k->g, s->arg[0].u.var, n->b->arg[0],
			n->b->narg == 2 ? n->b->arg[1].u.var : NULL, s->level);
		n->sums |= lcu_adds_lengths(s);
		n->maps &= !op_folds(&k->g->p->ir->op[s->op]) && s->op != LCU_keep && s->op != LCU_keep_segdes && !lcu_adds_lengths(s);
		n->whole |= s->level == 1 && (op_folds(&k->g->p->ir->op[s->op]) || lcu_adds_lengths(s));
	}
	n->loops = scalar_task_loops(k->g->scalars, n->b);
	learn_results(k->g, n);
	find_space(k, n);
	n->cost = n->tells || n->b->ndst == 0 ? 0 : generator_cost(k->g, n);
}

static bool
is_permute_check(const Node *n)
{
	if (n->b->op == LCU_task)
		for (const Bind *s = n->b->block[0]->first; s; s = s->next)
			if (lcu_checks_permute(s))
				return true;
	return false;
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

	n->tells = lcu_tells(k->g->p, b) || b->op == LCU_clock;
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

/* How long the elements of a descriptor are is asked of that, so that no array of them is needed. */
static Bind *
ask_rows(const Graph *g, Bind *b)
{
	const Origin *from = b->op == LCU_length ? graph_origin(g, b->arg[0]) : NULL;
	Bind *total;

	if (!from || !from->sink || from->sink->op != LCU_store || from->sink->level != 2)
		return b;
	total = NEW(g->a, Bind, 1);
	*total = *b;
	total->op = LCU_total;
	total->arg = &from->node->b->arg[1];
	return total;
}

static Does
build(Builder *k, const Block *b)
{
	Graph *g = k->g;
	Region *r = NEW(g->a, Region, 1);
	int depth = k->around.n, parts = 0;
	Node *told = NULL, *permutes = NULL;
	Does all = {0};

	r->keeps = map_new(g->a);
	*map_at(g->region, b) = r;
	LIST_ADD(g->a, &k->around, NULL);
	for (Bind *x = b->first; x; x = x->next) {
		Node *n = k->around.at[depth] = NEW(g->a, Node, 1);
		Does does;

		x = ask_rows(g, x);
		n->b = x;
		n->in = b;
		n->place = r->node.n;
		n->told = told;
		n->permutes = permutes;
		use_operands(k, x);
		does = look_into(k, n);
		tell(g, n, &told);
		if (n->permuted && permutes)
			depend(g, n, permutes);
		if (is_permute_check(n))
			permutes = n;
		n->part = parts += does.parts;
		for (int i = 0; i < x->ndst; i++) {
			g->origin[x->dst[i]->id].node = n;
			k->depth[x->dst[i]->id] = depth;
		}
		if (!g->u->shapes)
			learn_size(g, x);
		all.tells |= does.tells;
		all.parts |= does.parts;
		LIST_ADD(g->a, &r->node, n);
	}
	k->around.at[depth] = NULL;
	for (int i = 0; i < b->nyield; i++)
		use(k, b->yield[i]);
	k->around.n--;
	return all;
}

/* What is used otherwise than element by element, or asked how many there are. */
static void
find_stored(Graph *g, const Block *block)
{
	Origin *o;

	for (const Bind *b = block->first; b; b = b->next) {
		for (int i = 0; i < b->narg; i++)
			if (b->op != LCU_load && b->op != LCU_length && (o = graph_origin(g, b->arg[i])))
				o->stored = true;
		for (int i = 0; i < b->nblock; i++)
			find_stored(g, b->block[i]);
	}
	for (int i = 0; i < block->nyield; i++)
		if ((o = graph_origin(g, block->yield[i])))
			o->stored = true;
}

Graph *
graph_new(Unit *u)
{
	Graph *g = NEW(u->arena, Graph, 1);
	Program *p = u->ir;
	Builder k = {.g = g, .depth = NEW(u->arena, int, p->nvar + 1)};

	*g = (Graph){.u = u, .p = p, .a = u->arena, .scalars = scalar_funs(p, tail_calls(p)),
		.region = map_new(u->arena), .origin = NEW(u->arena, Origin, p->nvar + 1),
		.shapes = u->shapes ? u->shapes : shapes_new(u->arena, p->int_bits)};
	for (const Fun *f = p->funs; f; f = f->next) {
		find_stored(g, f->body);
		build(&k, f->body);
	}
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body) {
			find_stored(g, e->body);
			build(&k, e->body);
		}
	return g;
}

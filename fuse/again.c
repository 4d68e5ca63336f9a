/* again.c: what a task stores for one other task over the same space only is computed there, if that moves fewer bytes.
 *
 * In   a region whose tasks are put together
 * Out  the same; tasks have more repeated members
 * How  Storing and loading a number of a row moves it twice.  The steps that make it are repeated where their operands are
 *      in memory anyway; scans, reductions and what checks are of stay where they are.  All such numbers that one
 *      cluster makes for another are judged together, as they have operands in common, by the bytes of a row.  What is
 *      gained most is memory: in quicksort, on the way up, seven numbers of each call.
 *      Of elements no step is done twice: the task that stored them makes them for nobody else.  That is where a check
 *      joined them, and a call that may not end waits for it. */
#include "fuse/graph.h"

typedef struct Again {
	const Graph *g;
	const Cluster *from, *to;
	bool elements;          /* of rows, or where there are none; else numbers of rows */
	bool *repeats;          /* by member of `from` */
	Map *seen;              /* variables that are counted */
	int before, after;      /* bytes of a row; or of an element, and half those of its row */
	int steps;
	bool missing;           /* something that is not stored before `to` */
} Again;

static const Cluster many;      /* several, or it must be in memory */

static int
bytes(const Again *k, const Var *v)
{
	return ty_bytes(v->ty, k->g->p->int_bits);
}

static bool
first_time(Again *k, Var *v)
{
	bool is = !*map_at(k->seen, v);

	*map_at(k->seen, v) = v;
	return is;
}

/* The level of the cluster that is looked at. */
static int
level_of(const Again *k, const Cluster *c)
{
	return k->elements && c->s ? 2 : 1;
}

static bool
is_at(const Use *u, const Member *m, int level)
{
	return u->level && !u->here && !u->lengths && u->level + m->shift == level;
}

/* In `from`; of a row that has elements, a step counts half. */
static int
weighed(const Again *k, int level, int n)
{
	return level < level_of(k, k->from) ? n / 2 : n;
}

/* -- who uses what ----------------------------------------------------------------------------------- */
static void
note(Again *k, const Var *v, const Cluster *c)
{
	Origin *o = &k->g->origin[v->id];

	o->user = !o->user || o->user == c ? c : &many;
}

static void
forget_uses(const Graph *g, const Cluster *c)
{
	for (int i = 0; i < c->member.n; i++)
		for (int j = 0; j < c->member.at[i].node->uses.n; j++)
			g->origin[c->member.at[i].node->uses.at[j].v->id].user = NULL;
}

/* Other uses than at the level that is looked at want it as a whole. */
static void
note_uses(Again *k, Cluster *c)
{
	for (int i = 0; i < c->member.n; i++) {
		const Member *m = &c->member.at[i];

		for (int j = 0; j < m->node->uses.n; j++) {
			const Use *u = &m->node->uses.at[j];
			const Member *made = u->level ? graph_member(c, u->from) : NULL;

			if (!made || made >= m)
				note(k, u->v, is_at(u, m, level_of(k, c)) && !m->filter.keep ? c : &many);
		}
	}
}

/* -- what it takes ----------------------------------------------------------------------------------- */
/* Is it made, by steps that can be repeated, of what is in memory or is made so? */
static bool
repeatable(const Again *k, const Member *m)
{
	const Node *n = m->node;

	if (n->tells || n->loops || n->permuted || m->filter.keep || (!k->elements && (n->b->narg != 1 || m->shift)))
		return false;
	for (int i = 0; i < n->uses.n; i++)
		if (n->uses.at[i].here)
			return false;
	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		const OpClass cls = k->g->p->ir->op[s->op].cls;

		if (cls != OP_SCALAR && cls != OP_SOURCE && s->op != LCU_store)
			return false;
	}
	return true;
}

static void repeat(Again *k, const Member *m);

/* A number of the rows that `from` makes: repeated as well, or stored there, as it may be anyway.  But what `from` itself
 * repeats may be stored by `to`, or later. */
static void
load_made(Again *k, const Use *u, int level)
{
	const Member *m = graph_member(k->from, u->from);
	const Origin *o = &k->g->origin[u->v->id];
	bool can = m && repeatable(k, m);

	if (m && m->repeated && !can)
		k->missing = true;
	else if (can && (m->repeated || (!o->wanted && o->user != &many)))
		repeat(k, m);
	else if (first_time(k, u->v))
		k->after += weighed(k, level, (m && !o->user ? 2 : 1) * bytes(k, u->v));
}

/* What is fetched may lie apart: half as much again; but start and length of a row lie together. */
static void
repeat(Again *k, const Member *m)
{
	bool *const repeats = &k->repeats[m - k->from->member.at];
	const Node *n = m->node;

	if (*repeats)
		return;
	*repeats = true;
	for (int i = 0; i < n->uses.n; i++)
		if (n->uses.at[i].level)
			load_made(k, &n->uses.at[i], n->uses.at[i].level + m->shift);
	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		Var *v = s->narg && s->arg[0].kind == OPND_VAR ? s->arg[0].u.var : NULL;
		const int level = s->level + m->shift;

		k->steps++;
		if (s->op == LCU_fetch)
			k->after += weighed(k, level, 3 * bytes(k, v) / 2);
		else if (v && ty_descriptor(v->ty))
			k->after += weighed(k, level, first_time(k, v) ? 12 : 4);
		else if (s->op == LCU_load && !graph_member(k->from, k->g->origin[v->id].node) && first_time(k, v))
			k->after += weighed(k, level, bytes(k, v));
	}
}

/* -- where ------------------------------------------------------------------------------------------- */
/* It makes something else, or there were no sense in it. */
static bool
stays(const Again *k)
{
	for (int i = 0; i < k->from->member.n; i++) {
		const Member *m = &k->from->member.at[i];
		const Bind *b = m->node->b;

		if (m->node->tells)
			return true;
		for (int j = 0; j < b->ndst && !m->repeated; j++) {
			const Origin *o = &k->g->origin[b->dst[j]->id];

			if (o->wanted || (o->user && (o->user != k->to || !repeatable(k, m))))
				return true;
		}
	}
	return false;
}

/* Does what stays in `from` use what would be made twice, and takes more than generators do? */
static bool
is_shared(const Again *k)
{
	for (int i = 0; i < k->from->member.n; i++) {
		const Member *m = &k->from->member.at[i];

		for (int j = 0; j < m->node->uses.n && !k->repeats[i]; j++) {
			const Member *used = graph_member(k->from, m->node->uses.at[j].from);

			if (used && k->repeats[used - k->from->member.at] && !used->node->cost)
				return true;
		}
	}
	return false;
}

/* Before all else there; also what is there already, but later. */
static void
add_repeated(const Again *k, Cluster *to)
{
	const int n = to->member.n;
	LIST(Member) all = {0};

	for (int i = 0; i < k->from->member.n; i++)
		if (k->repeats[i]) {
			Member m = k->from->member.at[i];

			m.repeated = true;
			LIST_ADD(k->g->a, &all, m);
		}
	for (int i = 0; i < n; i++)
		LIST_ADD(k->g->a, &all, to->member.at[i]);
	to->member.n = 0;
	for (int i = 0; i < all.n; i++)
		LIST_ADD(k->g->a, &to->member, all.at[i]);
	to->steps += k->steps;
}

static void
take(Again *k, Cluster *to, Cluster *from)
{
	k->from = from;
	k->to = to;
	k->seen = map_new(k->g->a);
	k->repeats = NEW(k->g->a, bool, from->member.n);
	k->before = k->after = k->steps = 0;
	k->missing = false;
	for (int i = 0; i < from->member.n; i++) {
		const Member *m = &from->member.at[i];
		const Var *v = m->node->b->ndst == 1 ? m->node->b->dst[0] : NULL;

		if (m->repeated || !v || k->g->origin[v->id].user != to || k->g->origin[v->id].wanted || !repeatable(k, m)
				|| k->g->origin[v->id].sink->level + m->shift != level_of(k, from))
			continue;
		k->before += 2 * bytes(k, v);
		repeat(k, m);
	}
	if (!k->missing && k->before > 0 && k->after <= k->before && to->steps + k->steps <= MOST_STEPS && stays(k)
			&& !(k->elements && is_shared(k)))
		add_repeated(k, to);
}

static bool
same_space(const Again *k, const Cluster *a, const Cluster *b)
{
	Shapes *const shapes = k->g->shapes;

	return a->part == b->part && a->stage < b->stage && graph_same_size(k->g, a->n, b->n) && (!k->elements || (!a->s == !b->s
		&& (!a->s || shape_descriptor(shapes, a->s) == shape_descriptor(shapes, b->s))));
}

/* From each cluster that makes what it uses. */
static void
take_all(Again *k, Cluster *c)
{
	Map *tried = map_new(k->g->a);

	for (int i = 0; i < c->member.n; i++) {
		const Member m = c->member.at[i];

		for (int j = 0; j < m.node->uses.n; j++) {
			Cluster *from = m.node->uses.at[j].from->cluster;

			if (!is_at(&m.node->uses.at[j], &m, level_of(k, c)) || !same_space(k, from, c) || *map_at(tried, from))
				continue;
			*map_at(tried, from) = from;
			take(k, c, from);
		}
	}
}

static void
repeat_all(const Graph *g, Region *r, bool elements)
{
	Again k = {.g = g, .elements = elements};

	for (int i = 0; i < r->cluster.n; i++)
		forget_uses(g, r->cluster.at[i]);
	for (int i = 0; i < r->cluster.n; i++)
		note_uses(&k, r->cluster.at[i]);
	for (int i = 0; i < r->cluster.n; i++)
		if (elements || r->cluster.at[i]->s)
			take_all(&k, r->cluster.at[i]);
}

void
graph_repeat(const Graph *g, Region *r)
{
	if (g->u->fuse != FUSE_ALL)
		return;
	repeat_all(g, r, false);
	repeat_all(g, r, true);
}

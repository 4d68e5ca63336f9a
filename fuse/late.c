/* late.c: what the elements of a row do with what is known at the row's end.
 *
 * In   a region whose tasks are put together
 * Out  the same; of two clusters over the same rows the later one is part of the earlier one, if the rows are all that
 *      it waits for
 * How  The elements of a row wait for its end, not for those of other rows.  So the edge is marked no more, but the task
 *      takes two passes over the rows; where each row is on one thread, or on lanes of a warp, these are one launch
 *      (docs/mapping.md).  Whole clusters, once all of them are known: nothing else is put together in another way. */
#include "fuse/graph.h"

static bool
same_rows(const Graph *g, const Cluster *a, const Cluster *b)
{
	return a->s && b->s && a->part == b->part && shape_descriptor(g->shapes, a->s) == shape_descriptor(g->shapes, b->s);
}

/* Where something is kept, rows are not alone. */
static bool
keeps(const Cluster *c)
{
	for (int i = 0; i < c->member.n; i++) {
		if (c->member.at[i].filter.keep)
			return true;
		for (const Bind *s = c->member.at[i].node->b->block[0]->first; s; s = s->next)
			if (s->op == LCU_keep || s->op == LCU_keep_segdes)
				return true;
	}
	return false;
}

/* Is it there where the rows of c are walked: made by them, at the position where it is loaded, or by others before? */
static bool
has_used(const Graph *g, const Fit *fit, const Cluster *own, const Use *u)
{
	if (u->level && !u->here && graph_member(own, u->from))
		return true;
	if (u->from->cluster == fit->c)
		return graph_aligned(g, fit, u);
	return graph_after(u->from) <= fit->c->stage;
}

static bool
has_all(const Graph *g, Cluster *c, const Cluster *own, const Member *m)
{
	Fit fit = {.c = c, .stage = c->stage, .shift = m->shift};
	const Node *n = m->node;

	for (int i = 0; i < n->uses.n; i++)
		if (!has_used(g, &fit, own, &n->uses.at[i]))
			return false;
	return graph_host_ready(g, &fit, n) && ((n->told && n->told->cluster == own) || graph_heard(&fit, n))
	       && fit.stage == c->stage;
}

/* The members of `own` are in c from now on; false: they cannot be, and are not. */
static bool
move(const Graph *g, Cluster *c, Cluster *own)
{
	const int before = c->member.n;
	bool can = true;

	for (int i = 0; i < own->member.n; i++) {
		LIST_ADD(g->a, &c->member, own->member.at[i]);
		if (!own->member.at[i].repeated)
			own->member.at[i].node->cluster = c;
	}
	for (int i = 0; i < own->member.n; i++)
		can &= graph_learn(g, &(Fit){.c = c, .shift = own->member.at[i].shift, .waits = true}, own->member.at[i].node);
	for (int i = 0; i < own->member.n && !can; i++) {
		if (!own->member.at[i].repeated)
			own->member.at[i].node->cluster = own;
		graph_learn(g, &(Fit){.c = own, .shift = own->member.at[i].shift, .waits = true}, own->member.at[i].node);
	}
	c->member.n = can ? c->member.n : before;
	return can;
}

static bool
follow(const Graph *g, Cluster *c, Cluster *own)
{
	if (c->stage >= own->stage || !same_rows(g, c, own) || c->steps + own->steps > MOST_STEPS || keeps(c) || keeps(own))
		return false;
	for (int i = 0; i < own->member.n; i++)
		if (!has_all(g, c, own, &own->member.at[i]))
			return false;
	if (!move(g, c, own))
		return false;
	for (int i = 0; i < own->member.n; i++)
		if (!own->member.at[i].repeated)
			own->member.at[i].node->stage = c->stage;
	c->steps += own->steps;
	c->whole |= own->whole;
	c->maps &= own->maps;
	return true;
}

/* One of the clusters that it uses. */
static bool
follows(const Graph *g, Cluster *own)
{
	for (int i = 0; i < own->member.n; i++) {
		const Node *n = own->member.at[i].node;

		for (int j = 0; j < n->uses.n; j++)
			if (n->uses.at[j].level && follow(g, n->uses.at[j].from->cluster, own))
				return true;
	}
	return false;
}

void
graph_follow_rows(const Graph *g, Region *r)
{
	int n = 0;

	for (int i = 0; i < r->cluster.n && g->u->fuse == FUSE_ALL; i++)
		if (!follows(g, r->cluster.at[i]))
			r->cluster.at[n++] = r->cluster.at[i];
	r->cluster.n = g->u->fuse == FUSE_ALL ? n : r->cluster.n;
}

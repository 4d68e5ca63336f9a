/* filter.c: tasks over what another task keeps (graph.h).
 *
 * A task over the elements that a keep lets through, or over the rows of a keep_segdes, needs no array of them: it is
 * done where all elements are, at the keep's level, and what it stores is kept by the same condition; what it folds is
 * the neutral element where the condition does not hold; what it keeps, both conditions keep.  All its steps are total,
 * so that those that are not kept do no harm; they cost, so there must be few. */
#include "frontend/scalar.h"
#include "fuse/graph.h"

enum { MOST_FILTERED = 16 };            /* steps for elements that may not be kept, by cost */

const Var *
graph_condition(const Graph *g, Opnd flag)
{
	while (flag.kind == OPND_VAR) {
		const Bind *made = g->origin[flag.u.var->id].sink, *stored;

		if (!made || made->op != LCU_load)
			return flag.u.var;
		stored = graph_origin(g, made->arg[0])->sink;
		if (!stored || stored->op != LCU_store)
			return made->arg[0].u.var;
		flag = stored->arg[0];
	}
	return NULL;
}

Filter
graph_filter(const Graph *g, const Node *n)
{
	const Origin *rows = n->b->narg == 2 ? graph_origin(g, n->b->arg[1]) : NULL;
	const Filter *f = rows ? NULL : *map_at(graph_region(g, n->in)->keeps, graph_key(g, graph_size(g, n->b->arg[0])));
	Filter kept = {0};

	if (rows && rows->sink && rows->sink->op == LCU_keep_segdes)
		kept = (Filter){rows->sink, rows->node};
	else if (f)
		kept = *f;
	return kept.keep && kept.by->in == n->in && graph_condition(g, kept.keep->arg[0]) ? kept : (Filter){0};
}

Opnd
graph_neutral(const Program *p, const Bind *s)
{
	const Ty *ty = opnd_ty(s->arg[0]);

	return scalar_opnd(ty, scalar_identity(p->int_bits, p->ir->op[s->op].name, ty));
}

bool
graph_leads_out(const Graph *g, const Filter *f, Opnd x)
{
	const Origin *from = graph_origin(g, x), *kept;

	if (!from || !f->keep || f->keep->level != 1 || !from->sink || from->sink->op != LCU_keep || from->sink->level != 1)
		return false;
	kept = graph_origin(g, from->sink->arg[1]);
	return kept && kept->sink && kept->sink->op == LCU_index && from->kept == graph_condition(g, f->keep->arg[0]);
}

/* A position that is nothing but kept, for others to fetch what is there? */
static bool
is_only_kept(const Node *n, const Bind *index)
{
	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		for (int i = 0; i < s->narg; i++)
			if (same_opnd(s->arg[i], opnd_var(index->dst[0])) && s->op != LCU_keep)
				return false;
	return true;
}

/* A position among those kept is a scan, which mostly nobody wants where filters are of filters.  What is told of faults is
 * told of all elements: so the way out of a check must lead over these, and they must be all, not what another filter keeps. */
bool
graph_filterable(const Graph *g, const Node *n, const Filter *f)
{
	int all = 0;

	if (n->whole && f->keep->level == 2)
		return false;
	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		if (n->b->narg == 2 && s->level == 1)
			continue;
		switch (s->op) {
		case LCU_index:
			if (f->keep->level == 2 || !is_only_kept(n, s))
				return false;
			break;
		case LCU_inner:
		case LCU_row:
		case LCU_seg_length:
		case LCU_seg_start:
		case LCU_call:
			return false;
		case LCU_store:
		case LCU_keep:
			break;
		case LCU_segdes:
		case LCU_segdes_of:
			if (f->keep->level == 2)
				return false;
			break;
		case LCU_check:
			if (s->nway == 0 || !graph_leads_out(g, f, s->way[0]) || graph_member(f->by->cluster, f->by)->filter.keep)
				return false;
			break;
		default:
			if (g->p->ir->op[s->op].cls == OP_SINK)
				return false;
		}
		if (op_finds_place(&g->p->ir->op[s->op]) || (op_folds(&g->p->ir->op[s->op]) && opnd_ty(s->arg[0])->kind == TY_CHAR))
			return false;
		all += graph_cost(g, s);
	}
	return all <= MOST_FILTERED;
}

/* -- lengths ---------------------------------------------------------------------------------- */
/* What the task keeps at this level by the condition of x, and is wanted, or what others make of it. */
static Var *
other_kept(const Graph *g, const Cluster *c, const Origin *x)
{
	const int level = x->sink->level + graph_member(c, x->node)->shift;

	for (int i = 0; i < c->member.n; i++) {
		const Bind *b = c->member.at[i].node->b;

		for (int j = 0; j < b->ndst; j++) {
			const Origin *o = &g->origin[b->dst[j]->id];

			if (o->kept == x->kept && o->wanted && o->sink->level + c->member.at[i].shift == level
					&& b->dst[j]->ty->kind == TY_VEC)
				return b->dst[j];
		}
	}
	return NULL;
}

/* To count those that the condition holds of is less than to keep them for their number, unless it takes another pass. */
static bool
may_count(const Graph *g, const Origin *from)
{
	const Origin *flag = graph_origin(g, from->sink->arg[0]);

	return g->u->fuse == FUSE_ALL && !from->counted && !lcu_count(from->sink) && flag && flag->depth == 0
		&& !graph_member(from->node->cluster, from->node)->filter.keep;
}

static void
settle(const Graph *g, Node *n)
{
	Origin *from = graph_origin(g, n->b->arg[0]);
	Bind *b;
	Var *other;

	if (!n->needed || from->wanted)
		return;
	other = other_kept(g, from->node->cluster, from);
	if (!other && may_count(g, from)) {
		from->counted = n->b;
		return;
	}
	if (!other) {
		from->wanted = true;
		return;
	}
	b = NEW(g->a, Bind, 1);
	*b = *n->b;
	b->op = LCU_length;
	b->arg = NEW(g->a, Opnd, 1);
	b->arg[0] = opnd_var(other);
	n->b = b;
}

void
graph_settle_lengths(const Graph *g, const Region *r)
{
	for (int i = 0; i < r->cluster.n; i++) {
		const Origin *size = graph_origin(g, r->cluster.at[i]->n);

		if (size && size->node)
			size->node->needed = true;
		if (r->cluster.at[i]->s)
			g->origin[r->cluster.at[i]->s->id].wanted = true;
	}
	for (int i = 0; i < r->node.n; i++) {
		Node *n = r->node.at[i];
		const Origin *from = graph_asked(g, n);

		if (from && from->kept && from->node)
			settle(g, n);
	}
}

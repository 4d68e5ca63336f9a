/* stage.c: stages, and the tasks of one stage and space put together (graph.h).
 *
 * In   regions with edges
 * Out  of each node its stage, of each task its cluster; of each variable whether it must be in memory
 * How  In the order of the program each task joins the cluster of what it uses, or else another of its space, if
 *      all edges that are marked come from stages before; else it begins one.  The cluster of what it uses waits for
 *      what it waits for, unless something else came after that cluster; so does one that loads what it loads.  What few
 *      steps make of what is there anyway (an index, a number of its row, an array from before) is no reason to wait: it
 *      is computed again. */
#include "fuse/graph.h"

enum {
	MOST_KEEPS = 8,         /* conditions of keeps: what the skeletons take */
	MOST_DEPTH = 2,         /* passes before a value is known, each of which computes what it needs afresh */
	MOST_TRIED = 16         /* clusters of its space that a task tries */
};

typedef struct {
	Graph *g;
	Region *r;
	Map *of_size, *of_segdes;       /* size key, descriptor -> LIST(Cluster *) */
} Stager;

typedef LIST(Cluster *) Clusters;

static Clusters *
list_at(Stager *k, Map *m, const void *key)
{
	void **at = map_at(m, key);

	if (!*at)
		*at = NEW(k->g->a, Clusters, 1);
	return *at;
}

/* Over rows or elements that are so many. */
static Clusters *
of_class(Stager *k, int class)
{
	return list_at(k, k->of_size, graph_key(k->g, class));
}

static Clusters *
of_size(Stager *k, Opnd n)
{
	return of_class(k, graph_size(k->g, n));
}

static Clusters *
of_segdes(Stager *k, const Var *s)
{
	return list_at(k, k->of_segdes, graph_key(k->g, shape_descriptor(k->g->shapes, s)));
}

/* -- spaces ----------------------------------------------------------------------------------- */
const Member *
graph_member(const Cluster *c, const Node *n)
{
	for (int i = c->member.n - 1; i >= 0; i--)
		if (c->member.at[i].node == n)
			return &c->member.at[i];
	return NULL;
}

static bool
is_there(const Cluster *c, const Node *n)
{
	return n->cluster == c || (n->cost && graph_member(c, n));
}

/* Where the task that made it has what is used: the element, or the row. */
static int
level_made(const Graph *g, const Use *u)
{
	return g->origin[u->v->id].sink->level - u->lengths;
}

/* Where rows and elements are as many, those that what it uses is stored for. */
static int
level_by_use(const Graph *g, const Cluster *c, const Node *n)
{
	for (int i = 0; i < n->uses.n; i++) {
		const Use *u = &n->uses.at[i];
		const Member *m = u->level ? graph_member(c, u->from) : NULL;

		if (m)
			return level_made(g, u) + m->shift - u->level;
	}
	return 0;
}

static bool
fits(const Graph *g, Cluster *c, const Node *n, Fit *fit)
{
	*fit = (Fit){.c = c, .stage = c->stage, .shift = n->shift};
	if (!n->s) {
		bool elements = c->s && !n->whole && graph_size(g, n->rows) == shape_total(g->shapes, c->s);
		bool rows = graph_same_size(g, c->n, n->rows);

		fit->shift = rows && elements ? level_by_use(g, c, n) : elements;
		return rows || elements;
	}
	if (c->s)
		return c->s == n->s || shape_descriptor(g->shapes, c->s) == shape_descriptor(g->shapes, n->s);
	fit->gains = graph_same_size(g, c->n, n->rows);
	fit->deepens = !fit->gains && !c->whole && graph_size(g, c->n) == shape_total(g->shapes, n->s);
	return fit->gains || fit->deepens;
}

/* The level of the cluster at which only what the filter keeps is the task's; 0: none. */
static int
filtered_level(const Fit *fit)
{
	return fit->filter.keep ? fit->filter.keep->level + graph_member(fit->c, fit->filter.by)->shift : 0;
}

/* Do its steps compute with o, the number of its rows, or a descriptor? */
static bool
computes_with(const Node *n, Opnd o)
{
	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		for (int i = 0; i < s->narg; i++)
			if (same_opnd(s->arg[i], o))
				return true;
	return false;
}

/* Is s the descriptor of what the filter keeps? */
static bool
is_of_kept(const Graph *g, const Filter *f, const Var *s)
{
	const Bind *by = f->keep && s ? g->origin[s->id].sink : NULL;

	return by && by->op == LCU_keep_segdes && graph_condition(g, by->arg[0]) == graph_condition(g, f->keep->arg[0]);
}

/* Is u of the number or the descriptor of what is kept, or of the places of what is kept on the way out of a check, which no
 * task over it needs in the cluster? */
static bool
is_filtered_rows(const Graph *g, const Fit *fit, const Node *n, const Use *u)
{
	if (u->way)
		return graph_leads_out(g, &fit->filter, opnd_var(u->v));
	if (n->b->narg == 1)
		return (fit->filter.keep && same_opnd(opnd_var(u->v), n->b->arg[0]) && !computes_with(n, n->b->arg[0]))
			|| (u->v == n->s && is_of_kept(g, &fit->filter, n->s) && !computes_with(n, opnd_var(n->s)));
	return fit->filter.keep && u->v == n->b->arg[1].u.var;
}

/* The condition of those over which the filter runs that fit->filter is; NULL: it runs over all. */
static const Var *
condition_before(const Graph *g, const Fit *fit)
{
	const Bind *keep = fit->filter.keep ? graph_member(fit->c, fit->filter.by)->filter.keep : NULL;

	return keep ? graph_condition(g, keep->arg[0]) : NULL;
}

bool
graph_aligned(const Graph *g, const Fit *fit, const Use *u)
{
	const Origin *from = &g->origin[u->v->id];
	const Member *m = graph_member(fit->c, u->from);

	if (!u->level)
		return false;
	if (u->lengths)                 /* else it is there anyway, and what is counted takes a pass */
		return !from->wanted && !from->asked && u->level + fit->shift != filtered_level(fit)
			&& level_made(g, u) + m->shift == u->level + fit->shift;
	if (u->level + fit->shift == filtered_level(fit) && !u->here)
		return from->kept == graph_condition(g, fit->filter.keep->arg[0]) && from->sink->level + m->shift == filtered_level(fit);
	if (u->here && u->level + fit->shift != filtered_level(fit))
		return false;
	return from->kept == (u->here ? condition_before(g, fit) : NULL) && from->sink->op == LCU_store
		&& from->sink->level + m->shift + fit->deepens == u->level + fit->shift;
}

/* Does it ask for the position among those kept?  All of its level 1 are counted for that. */
static bool
asks_place(const Node *n)
{
	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		if (s->op == LCU_index)
			return n->b->narg == 1;
	return false;
}

/* In the cluster of the task that keeps what n runs over. */
static bool
fits_filtered(const Graph *g, const Node *n, Fit *fit)
{
	const Filter f = graph_filter(g, n);
	int level;

	if (!f.keep || !f.by->cluster || !graph_filterable(g, n, &f))
		return false;
	*fit = (Fit){.c = f.by->cluster, .stage = f.by->cluster->stage, .filter = f};
	level = filtered_level(fit);
	if (n->b->narg == 2)
		return level == 2 && graph_same_size(g, fit->c->n, n->b->arg[0]);
	fit->shift = level - 1;
	return level == 1 || !(n->whole || asks_place(n));
}

/* -- what is known of elements ---------------------------------------------------------------------- */
typedef struct {
	bool late, heavy, left;
	bool row;               /* made at level 1 of the cluster */
	int depth;
} Known;

static bool
is_row_sum(const Graph *g, const Bind *s)
{
	return g->p->ir->op[s->op].cls == OP_REDUCE && s->level == 2;
}

static Known
operand_known(const Graph *g, const Fit *fit, const Bind *s, Opnd o)
{
	const Origin *from = graph_origin(g, o);
	bool reads = s->op == LCU_load || s->op == LCU_fetch || s->op == LCU_seg_length;

	if (!from || (from->node && !(reads && is_there(fit->c, from->node))))
		return (Known){0};
	if (from->node && s->op == LCU_seg_length)      /* counted by then */
		return (Known){true, from->heavy, true, true, from->depth + 1};
	return (Known){from->late, from->heavy, from->left,
		!reads && from->sink && from->sink->level + fit->shift - is_row_sum(g, from->sink) == 1, from->depth};
}

/* The position of an element among those kept: a scan of their condition. */
static bool
is_place(const Fit *fit, const Bind *s)
{
	return s->op == LCU_index && filtered_level(fit) == 1;
}

/* What its operands know, it does.  An element has of a number of its row that was left at its end nothing heavy. */
static Known
step_known(const Graph *g, const Fit *fit, const Bind *s, bool *again)
{
	const bool element = s->level + fit->shift == 2;
	const Origin *flag = is_place(fit, s) ? graph_origin(g, fit->filter.keep->arg[0]) : NULL;
	Known all = {.heavy = lcu_is_heavy(g->p->ir, s), .left = s->op != LCU_call};

	for (int i = 0; i < s->narg; i++) {
		const Known k = operand_known(g, fit, s, s->arg[i]);

		all.late |= k.late;
		all.depth = k.depth > all.depth ? k.depth : all.depth;
	}
	if (flag)
		all = (Known){.late = flag->late, .heavy = flag->heavy, .depth = flag->depth};
	*again = false;
	for (int i = 0; i < s->narg; i++) {
		const Known k = operand_known(g, fit, s, s->arg[i]);

		all.heavy |= k.heavy && !(element && k.left);
		all.left &= k.left || !k.heavy;
		*again |= k.heavy && !k.left && (k.row || k.depth < all.depth);
	}
	all.left |= lcu_is_function(g->p->ir, s);
	all.left = is_row_sum(g, s) || (all.left && all.late && !element);
	return all;
}

bool
graph_learn(const Graph *g, const Fit *fit, const Node *n)
{
	bool can = true;

	for (const Bind *s = n->b->block[0]->first; s; s = s->next) {
		const OpClass cls = g->p->ir->op[s->op].cls;
		bool folds = cls == OP_SCAN || is_row_sum(g, s) || is_place(fit, s);
		bool counts = cls == OP_SCAN || s->op == LCU_keep || s->op == LCU_keep_segdes || lcu_adds_lengths(s);
		bool recounts = false, again;
		const Known all = step_known(g, fit, s, &again);

		for (int i = 0; i < s->narg; i++)
			recounts |= counts && operand_known(g, fit, s, s->arg[i]).heavy && (i == 0 || cls == OP_SCAN);
		can &= !(all.late && s->level + fit->shift == 2) || (fit->waits && !again);
		recounts |= is_place(fit, s) && all.heavy;
		can &= !recounts && all.depth <= MOST_DEPTH - folds;
		for (int i = 0; i < s->ndst; i++) {
			Origin *o = &g->origin[s->dst[i]->id];

			o->late = all.late || is_row_sum(g, s);
			o->heavy = all.heavy;
			o->left = all.left;
			o->depth = all.depth + folds;
		}
	}
	for (int i = 0; i < n->b->ndst; i++) {
		const Origin *y = graph_origin(g, n->b->block[0]->yield[i]);
		Origin *o = &g->origin[n->b->dst[i]->id];

		o->late = y->late;
		o->heavy = y->heavy;
		o->left = y->left;
		o->depth = y->depth;
	}
	return can;
}

/* -- may it join ------------------------------------------------------------------------------------ */
int
graph_after(const Node *n)
{
	return n->stage + (n->cluster != NULL);
}

/* Would the generator that u is of give, in the cluster, the element that a task loads whose levels are shifted so?
 * Where rows and elements are as many, spaces do not tell. */
static bool
same_level(const Graph *g, Cluster *c, const Use *u, int shift)
{
	Fit fit;

	return fits(g, c, u->from, &fit) && g->origin[u->v->id].sink->level + fit.shift == u->level + shift;
}

static bool
may_fuse(const Graph *g, const Cluster *c, const Node *n)
{
	return g->u->fuse == FUSE_ALL || (g->u->fuse == FUSE_MAPS && c->maps && n->maps);
}

/* Does it compute with what is in memory?  That would be in memory as long as all that is called, if it is computed behind a call. */
static bool
holds_memory(const Node *n)
{
	bool holds = n->b->narg > 1;

	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		for (int i = 0; i < s->narg; i++)
			holds |= !ty_scalar(opnd_ty(s->arg[i]));
	return holds;
}

/* Can the generator be computed once more in the cluster, as it is?  Its own generators are there, or can be, too. */
static bool
can_repeat(const Graph *g, Cluster *c, const Node *n)
{
	Fit fit;

	if (!may_fuse(g, c, n) || !n->cost || !fits(g, c, n, &fit) || fit.gains || fit.deepens
			|| (n->part != c->part && holds_memory(n)))
		return false;
	if (graph_rests(n) && graph_after(n->told) > c->stage)
		return false;
	for (int i = 0; i < n->deps.n; i++) {
		const Node *d = n->deps.at[i];

		if (d->cluster == c || (graph_after(d) > c->stage && !can_repeat(g, c, d)))
			return false;
	}
	for (int i = 0; i < n->uses.n; i++) {
		const Use *u = &n->uses.at[i];

		if (graph_after(u->from) > c->stage && !(u->level && same_level(g, c, u, fit.shift)))
			return false;
	}
	return true;
}

/* The cluster can be in this stage, or wait for it. */
static bool
may_wait(Fit *fit, int stage)
{
	if (stage > fit->stage && !fit->c->awaited)
		fit->stage = stage;
	return stage <= fit->stage;
}

static bool
use_fits(const Graph *g, Fit *fit, const Node *n, const Use *u)
{
	if (is_filtered_rows(g, fit, n, u))
		return true;
	if (is_there(fit->c, u->from))
		return graph_aligned(g, fit, u);
	if (u->level && !u->here && graph_after(u->from) > fit->c->stage && can_repeat(g, fit->c, u->from)
			&& same_level(g, fit->c, u, fit->shift))
		return true;
	return may_wait(fit, graph_after(u->from));
}

bool
graph_heard(Fit *fit, const Node *n)
{
	bool rests = (n->trusts && !(fit->filter.keep && n->b->narg == 1)) || n->loops;

	if (!n->told || (!rests && !n->sums && !n->tells && !fit->gains && !fit->deepens))
		return true;
	if (n->told->cluster == fit->c)
		return !rests;
	return may_wait(fit, graph_after(n->told));
}

static int
keeps_of(const Node *n)
{
	int k = 0;

	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		k += s->op == LCU_keep;
	return k;
}

/* Would it be the fourth to keep of what others keep?  What the first takes away, the conditions of all are computed for. */
static bool
keeps_deep(const Fit *fit, const Node *n)
{
	const Filter *f = &fit->filter;
	int before = 0;

	for (; f->keep; f = &graph_member(fit->c, f->by)->filter)
		before++;
	return before > 2 && keeps_of(n) > 0;
}

/* Without what is loaded and stored, which is what tasks lose by being one. */
static int
steps_of(const Node *n)
{
	int k = 0;

	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		k += s->op != LCU_load && s->op != LCU_store;
	return k;
}

/* What is loaded where only those kept are, the cluster makes: of what is made elsewhere, and is as long, the position among
 * those kept is not known. */
static bool
loads_filtered(const Graph *g, const Fit *fit, const Node *n)
{
	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		if (s->op == LCU_load && s->level + fit->shift == filtered_level(fit)) {
			const Node *from = graph_origin(g, s->arg[0])->node;

			if (!from || !is_there(fit->c, from))
				return false;
		}
	return true;
}

bool
graph_host_ready(const Graph *g, Fit *fit, const Node *n)
{
	const Origin *size = graph_origin(g, n->b->arg[0]);

	if (n->permuted && n->permutes && !(n->permutes->cluster != fit->c && may_wait(fit, graph_after(n->permutes))))
		return false;
	for (int i = 0; i < n->deps.n; i++) {
		const Node *d = n->deps.at[i];

		if (!d->cluster && !(fit->filter.keep && size && size->node == d && !computes_with(n, n->b->arg[0]))
				&& !may_wait(fit, d->stage))
			return false;
	}
	return true;
}

/* Does it fill a table for each row, not for elements? */
static bool
fills_table(const Node *n)
{
	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		if (lcu_puts(s) != LCU_NOP && s->level == 1)
			return true;
	return false;
}

/* Would a table be filled for rows whose elements are gone through in the same task?  A long one is filled by one thread, and what
 * there is to do for the elements would wait for it. */
static bool
fills_beside_elements(const Fit *fit, const Node *n)
{
	const bool two_levels = fit->c->s || n->s;

	return two_levels && ((fit->c->tables && !fit->deepens) || (fills_table(n) && fit->shift == 0));
}

static bool
may_be(Stager *k, const Node *n, Fit *fit)
{
	const Cluster *c = fit->c;

	if (!may_fuse(k->g, c, n) || c->part != n->part || c->steps + steps_of(n) > MOST_STEPS
			|| c->keeps + keeps_of(n) > MOST_KEEPS || keeps_deep(fit, n) || fills_beside_elements(fit, n) || !graph_heard(fit, n)
			|| !graph_host_ready(k->g, fit, n) || !loads_filtered(k->g, fit, n))
		return false;
	for (int i = 0; i < n->uses.n; i++)
		if (!use_fits(k->g, fit, n, &n->uses.at[i]))
			return false;
	return graph_learn(k->g, fit, n);
}

static bool
may_join(Stager *k, Cluster *c, const Node *n, Fit *fit)
{
	return fits(k->g, c, n, fit) && may_be(k, n, fit);
}

/* -- joining ---------------------------------------------------------------------------------------- */
static void
enter(Stager *k, Cluster *c, Opnd n, Var *s)
{
	Clusters *l = of_size(k, n);

	LIST_ADD(k->g->a, l, c);
	if (!s)
		return;
	l = of_segdes(k, s);
	LIST_ADD(k->g->a, l, c);
	l = of_class(k, shape_total(k->g->shapes, s));
	LIST_ADD(k->g->a, l, c);
}

static void
add_member(Graph *g, const Fit *fit, Node *n, bool repeated)
{
	Cluster *c = fit->c;

	LIST_ADD(g->a, &c->member, ((Member){n, repeated, fit->shift, fit->filter}));
	c->steps += steps_of(n);
	c->keeps += keeps_of(n);
	c->tables = (c->tables && !fit->deepens) || (fills_table(n) && fit->shift == 0);
	c->whole |= n->whole || (fit->filter.keep && asks_place(n));
}

static void
await(const Node *d)
{
	if (d && d->cluster)
		d->cluster->awaited = true;
}

/* What n comes after in its cluster (NULL: on the host), or where it is repeated, is not to come later, unless it is there too. */
static void
await_all(const Cluster *c, const Node *n)
{
	for (int i = 0; !c && i < n->deps.n; i++)
		await(n->deps.at[i]);
	for (int i = 0; i < n->uses.n; i++)
		if (!n->uses.at[i].level || !is_there(c, n->uses.at[i].from))
			await(n->uses.at[i].from);
	if (n->told && (!c || n->told->cluster != c))
		await(n->told);
}

/* The generators among what n uses, with theirs before them. */
static void
repeat_used(Graph *g, Cluster *c, const Node *n, int shift)
{
	for (int i = 0; i < n->uses.n; i++) {
		const Use *u = &n->uses.at[i];
		Fit fit;

		if (!u->level || u->here || is_there(c, u->from) || !can_repeat(g, c, u->from) || !same_level(g, c, u, shift))
			continue;
		fits(g, c, u->from, &fit);
		repeat_used(g, c, u->from, fit.shift);
		add_member(g, &fit, u->from, true);
		await_all(c, u->from);
	}
}

/* What it stores is what is kept. */
static void
mark_kept(const Graph *g, const Fit *fit, const Node *n)
{
	for (int i = 0; i < n->b->ndst && fit->filter.keep; i++) {
		Origin *o = &g->origin[n->b->dst[i]->id];

		if (o->sink->op == LCU_store && o->sink->level + fit->shift == filtered_level(fit))
			o->kept = graph_condition(g, fit->filter.keep->arg[0]);
	}
}

/* All of it waits for this stage. */
static void
raise_stage(Cluster *c, int stage)
{
	c->stage = stage;
	for (int i = 0; i < c->member.n; i++)
		if (!c->member.at[i].repeated)
			c->member.at[i].node->stage = stage;
}

static void
join(Stager *k, const Fit *fit, Node *n)
{
	Cluster *c = fit->c;

	if (fit->stage > c->stage)
		raise_stage(c, fit->stage);

	repeat_used(k->g, c, n, fit->shift);
	for (int i = 0; fit->deepens && i < c->member.n; i++)
		c->member.at[i].shift++;
	if (fit->gains || fit->deepens) {
		c->n = n->rows;
		c->s = n->s;
		enter(k, c, c->n, c->s);
	}
	add_member(k->g, fit, n, false);
	mark_kept(k->g, fit, n);
	n->cluster = c;
	n->stage = c->stage;
	await_all(c, n);
}

static void
wait_for(Cluster *c, const Node *n)
{
	if (graph_after(n) > c->stage)
		c->stage = graph_after(n);
}

static void
begin(Stager *k, Node *n)
{
	Cluster *c = NEW(k->g->a, Cluster, 1);
	Fit fit;

	*c = (Cluster){.n = n->rows, .s = n->s, .part = n->part, .maps = n->maps, .stage = n->told ? graph_after(n->told) : 0};
	for (int i = 0; i < n->deps.n; i++)
		if (!n->deps.at[i]->cost)
			wait_for(c, n->deps.at[i]);
	for (int i = 0; i < n->uses.n; i++)
		if (!n->uses.at[i].level || n->uses.at[i].here || !can_repeat(k->g, c, n->uses.at[i].from)
				|| !same_level(k->g, c, &n->uses.at[i], n->shift))
			wait_for(c, n->uses.at[i].from);
	LIST_ADD(k->g->a, &k->r->cluster, c);
	enter(k, c, c->n, c->s);
	fits(k->g, c, n, &fit);
	fit.stage = c->stage;
	graph_learn(k->g, &fit, n);
	join(k, &fit, n);
}

/* Does a task of the cluster load, for its elements, something that n loads for them? */
static bool
loads_the_same(const Fit *fit, const Node *n)
{
	const Cluster *c = fit->c;
	const int level = 1 + (c->s || n->s);

	for (const Bind *s = n->b->block[0]->first; s; s = s->next)
		for (int i = 0; i < c->member.n && s->op == LCU_load && s->level + fit->shift == level; i++)
			for (const Bind *t = c->member.at[i].node->b->block[0]->first; t; t = t->next)
				if (t->op == LCU_load && same_opnd(t->arg[0], s->arg[0])
						&& t->level + c->member.at[i].shift + fit->deepens == level)
					return true;
	return false;
}

/* late: one that loads the same, and waits for what n waits for. */
static bool
try(Stager *k, Clusters *l, Node *n, bool late)
{
	Fit fit;

	for (int i = l->n - 1, tried = 0; i >= 0 && tried < MOST_TRIED; i--, tried++)
		if (may_join(k, l->at[i], n, &fit) && (fit.stage > fit.c->stage) == late && (!late || loads_the_same(&fit, n))) {
			join(k, &fit, n);
			return true;
		}
	return false;
}

static bool
try_all(Stager *k, Node *n, bool late)
{
	return (n->s && try(k, of_segdes(k, n->s), n, late)) || try(k, of_size(k, n->rows), n, late)
		|| (n->s && try(k, of_class(k, shape_total(k->g->shapes, n->s)), n, late));
}

/* A generator that it uses comes later than what else it uses: then that waits for the generator's stage, if nobody waits for
 * it, and is not stored.  The generator is repeated there. */
static bool
place_late(Stager *k, Node *n)
{
	for (int i = 0; i < n->uses.n; i++) {
		Cluster *c = n->uses.at[i].from->cluster;
		const int before = c->stage;
		int late = before;
		Fit fit;

		for (int j = 0; j < n->uses.n; j++)
			if (n->uses.at[j].from->cost && n->uses.at[j].from->stage > late)
				late = n->uses.at[j].from->stage;
		if (late == before || c->awaited)
			continue;
		c->stage = late;
		const bool can = may_join(k, c, n, &fit) && fit.stage == late;
		c->stage = before;
		if (!can)
			continue;
		join(k, &fit, n);
		return true;
	}
	return false;
}

/* That of what it uses first, of what may not be made again before that of generators. */
static bool
place_by_use(Stager *k, Node *n)
{
	for (int generators = 0; generators < 2; generators++)
		for (int i = n->uses.n - 1; i >= 0; i--) {
			const Node *from = n->uses.at[i].from;
			Fit fit;

			if ((from->cost > 0) == generators && may_join(k, from->cluster, n, &fit)) {
				join(k, &fit, n);
				return true;
			}
		}
	return false;
}

static void
place(Stager *k, Node *n)
{
	Fit fit;

	if (fits_filtered(k->g, n, &fit) && may_be(k, n, &fit)) {
		join(k, &fit, n);
		return;
	}
	if (!place_late(k, n) && !place_by_use(k, n) && !try_all(k, n, false) && (n->cost || !try_all(k, n, true)))
		begin(k, n);
}

/* Does one of the first so many members make it? */
static bool
made_before(const Cluster *c, int members, const Node *n)
{
	for (int i = 0; i < members; i++)
		if (c->member.at[i].node == n)
			return true;
	return false;
}

/* What a member uses must be in memory unless it is computed before it in the cluster. */
static void
find_wanted(const Graph *g, const Cluster *c)
{
	for (int i = 0; i < c->member.n; i++) {
		const Member *m = &c->member.at[i];
		const Fit fit = {.filter = m->filter};

		for (int j = 0; j < m->node->uses.n; j++) {
			const Use *u = &m->node->uses.at[j];

			if (!is_filtered_rows(g, &fit, m->node, u) && (!u->level || !made_before(c, i, u->from)))
				g->origin[u->v->id].wanted = true;
		}
	}
}

static void
stage_region(Graph *g, const Block *b)
{
	Region *r = graph_region(g, b);
	Stager k = {g, r, map_new(g->a), map_new(g->a)};

	for (int i = 0; i < r->node.n; i++) {
		Node *n = r->node.at[i];

		if (n->b->op == LCU_task) {
			place(&k, n);
			continue;
		}
		for (int j = 0; j < n->deps.n; j++)
			if (graph_after(n->deps.at[j]) > n->stage)
				n->stage = graph_after(n->deps.at[j]);
		await_all(NULL, n);
		for (int j = 0; j < n->b->nblock; j++)
			stage_region(g, n->b->block[j]);
	}
	graph_follow_rows(g, r);
	graph_repeat(g, r);
	for (int i = 0; i < r->cluster.n; i++)
		find_wanted(g, r->cluster.at[i]);
	graph_settle_lengths(g, r);
}

void
graph_stages(Graph *g)
{
	for (const Fun *f = g->p->funs; f; f = f->next)
		stage_region(g, f->body);
	for (const Entry *e = g->p->entries; e; e = e->next)
		if (e->body)
			stage_region(g, e->body);
}

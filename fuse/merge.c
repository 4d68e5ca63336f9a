/* merge.c: clusters of tasks -> tasks.
 *
 * In   lcu, and what is one task (graph.h)
 * Out  lcu: each cluster is a task whose steps are those of its members
 * How  What a member stores and another loads at the same position is the value itself; it is stored only if it is
 *      wanted.  Equal steps are one.  A task stands where its last member stood, or where its results are needed
 *      first. */
#include "fuse/graph.h"
#include <string.h>

enum { BUCKETS = 64 };

typedef struct Known {
	Bind *step;
	uint64_t hash;
	struct Known *next;
} Known;

typedef struct {
	Graph *g;
	Arena *scratch;
	Program *to;
	Block *out;             /* host code goes here */
	/* the task being made */
	Block *body;
	Opnd *value;            /* by Var.id: in this task, of a step, or of the elements of what a member stores */
	int *valid;             /* by Var.id: number of the task for which value is set */
	int task;
	Opnd *flag;             /* by Var.id, of what a keep makes: its condition in this task */
	Opnd *place;            /* likewise: how many it has kept before, in the task of this number */
	int *placed;
	Var *index[3];          /* by level: the step that says where we are; NULL: none yet */
	const Cluster *cluster;
	Known *bucket[BUCKETS];
	LIST(Var *) result;
	LIST(Opnd) yield;
} Merger;

/* -- one task --------------------------------------------------------------------------------- */
static void
set_value(Merger *m, const Var *v, Opnd o)
{
	m->value[v->id] = o;
	m->valid[v->id] = m->task;
}

/* What is made here stands for itself. */
static Opnd
value(const Merger *m, Opnd o)
{
	const bool old = o.kind == OPND_VAR && o.u.var->id < m->g->p->nvar;

	return old && m->valid[o.u.var->id] == m->task ? m->value[o.u.var->id] : o;
}

/* Of a step: arrays are what they are. */
static Opnd
operand(const Merger *m, Opnd o)
{
	return ty_scalar(opnd_ty(o)) ? value(m, o) : o;
}

/* The step of the task that does the same; NULL: none does. */
static const Bind *
equal_step(const Merger *m, const Bind *n)
{
	const uint64_t hash = bind_hash(n);

	for (const Known *old = m->bucket[hash % BUCKETS]; old; old = old->next)
		if (old->hash == hash && bind_same(old->step, n))
			return old->step;
	return NULL;
}

/* What is fetched at the position where we are is loaded, if there is so much, or it is loaded already. */
static void
fetch_here(const Merger *m, Bind *n)
{
	Bind load = *n;

	load.op = LCU_load;
	load.narg = 1;
	if (n->arg[1].kind == OPND_VAR && n->arg[1].u.var == m->index[n->level] && (equal_step(m, &load)
			|| graph_is_long(m->g, n->arg[0].u.var, m->cluster->n, m->cluster->s, n->level)))
		*n = load;
}

/* A step of a member, at its level in the cluster; where there is an equal one already, that. */
static void
add_step(Merger *m, const Bind *like, int shift, bool result)
{
	const OpClass cls = m->to->ir->op[like->op].cls;
	bool shared = !result && like->ndst == 1 && cls != OP_SINK && like->op != LCU_call;
	Known *k = NEW(m->scratch, Known, 1), **bucket;
	Bind *n = NEW(m->g->a, Bind, 1);
	const Bind *old;

	*n = *like;
	n->next = NULL;
	n->level += shift;
	n->arg = NEW(m->g->a, Opnd, like->narg);
	for (int i = 0; i < like->narg; i++)
		n->arg[i] = operand(m, like->arg[i]);
	if (n->op == LCU_fetch)
		fetch_here(m, n);
	*k = (Known){n, bind_hash(n), NULL};
	bucket = &m->bucket[k->hash % BUCKETS];
	old = shared ? equal_step(m, n) : NULL;
	if (old) {
		set_value(m, like->dst[0], opnd_var(old->dst[0]));
		return;
	}
	n->dst = NEW(m->g->a, Var *, like->ndst);
	for (int i = 0; i < like->ndst; i++) {
		n->dst[i] = var_new(m->to, like->dst[i]->name, like->dst[i]->ty);
		set_value(m, like->dst[i], opnd_var(n->dst[i]));
	}
	if (n->op == LCU_index)
		m->index[n->level] = n->dst[0];
	if (shared) {
		k->next = *bucket;
		*bucket = k;
	}
	*m->body->end = n;
	m->body->end = &n->next;
}

/* The result that the sink makes; NULL: it makes none. */
static Var *
result_of(const Bind *task, const Bind *sink)
{
	const Block *body = task->block[0];

	for (int i = 0; i < body->nyield && sink->ndst > 0; i++)
		if (body->yield[i].u.var == sink->dst[0])
			return task->dst[i];
	return NULL;
}

/* A result of the member, if it is wanted. */
static void
add_result(Merger *m, Var *r, const Bind *sink)
{
	LIST_ADD(m->scratch, &m->result, r);
	LIST_ADD(m->scratch, &m->yield, value(m, opnd_var(sink->dst[0])));
}

/* A step of our own: the condition, and something else. */
static Opnd
add_made(Merger *m, const Bind *at, int op, const Ty *ty, int level, int narg, const Opnd *arg)
{
	Bind *b = bind_new(m->to, block_new(m->to), op, 1, narg, 0, at->span);

	b->level = level;
	b->dst[0] = var_new(m->to, at->ndst ? at->dst[0]->name : at->name, ty);
	*m->body->end = b;
	m->body->end = &b->next;
	for (int i = 0; i < narg; i++)
		b->arg[i] = arg[i];
	return opnd_var(b->dst[0]);
}

/* Behind n operands of b, how many the filter keeps, if the host knows; how many operands there are then. */
static int
add_count(Bind *b, const Member *x, int n)
{
	const Opnd *count = lcu_count(x->filter.keep);

	if (count)
		b->arg[n++] = *count;
	return n;
}

/* Where an element is among those that the filter keeps. */
static Opnd
place(Merger *m, const Member *x, const Bind *s)
{
	const int id = x->filter.keep->dst[0]->id;

	if (m->placed[id] != m->task) {
		const Opnd one = add_made(m, s, LCU_btoi, &ty_int, 1, 1, &m->flag[id]);

		m->place[id] = add_made(m, s, LCU_plus_scan, &ty_int, 1, 1, &one);
		m->placed[id] = m->task;
	}
	return m->place[id];
}

/* A step that is for those kept by the filter only: they alone count, and are kept. */
static void
add_filtered(Merger *m, const Member *x, const Bind *s, bool wanted)
{
	Opnd flag = m->flag[x->filter.keep->dst[0]->id];
	int level = s->level + x->shift;
	Bind *b = NEW(m->g->a, Bind, 1);

	if (s->op == LCU_index) {
		set_value(m, s->dst[0], place(m, x, s));
		return;
	}
	*b = *s;
	if (s->op == LCU_store) {
		b->op = LCU_keep;
		b->arg = NEW(m->g->a, Opnd, 3);
		b->arg[0] = flag;
		b->arg[1] = s->arg[0];
		b->narg = add_count(b, x, 2);
	} else if (s->op == LCU_keep) {
		Opnd both[] = {flag, value(m, s->arg[0])};

		b->arg = NEW(m->g->a, Opnd, s->narg);
		memcpy(b->arg, s->arg, sizeof *s->arg * (size_t)s->narg);
		b->arg[0] = m->flag[s->dst[0]->id] = add_made(m, s, LCU_and, &ty_bool, level, 2, both);
	} else if (lcu_adds_lengths(s)) {
		Opnd pick[] = {flag, value(m, s->arg[0]), opnd_int(0)};

		b->op = LCU_keep_lengths;
		b->arg = NEW(m->g->a, Opnd, 4);
		b->arg[0] = flag;
		b->arg[1] = add_made(m, s, LCU_select, &ty_int, level, 3, pick);
		b->narg = add_count(b, x, 2);
		if (b->narg > 2 && lcu_total(s))
			b->arg[b->narg++] = *lcu_total(s);
	} else if (s->op == LCU_check) {
		Opnd pick[] = {flag, value(m, s->arg[0]), opnd_bool(true)};

		b->arg = NEW(m->g->a, Opnd, s->narg);
		memcpy(b->arg, s->arg, sizeof *s->arg * (size_t)s->narg);
		b->arg[0] = add_made(m, s, LCU_select, &ty_bool, level, 3, pick);
		b->way++;
		b->nway--;
	} else if (op_folds(&m->to->ir->op[s->op])) {
		const Ty *ty = opnd_ty(s->arg[0]);
		Opnd pick[] = {flag, value(m, s->arg[0]), graph_neutral(m->to, s)};

		b->arg = NEW(m->g->a, Opnd, 1);
		b->arg[0] = add_made(m, s, LCU_select, ty, level, 3, pick);
	}
	if (m->to->ir->op[b->op].cls != OP_SINK || wanted || s->op == LCU_check)
		add_step(m, b, x->shift, wanted);
}

/* Is it the position where we are among those that the filter of x was looking at: all, or what another keeps? */
static bool
is_place_before(const Merger *m, const Member *x, Opnd i, int level)
{
	const Bind *keep = x->filter.keep ? graph_member(m->cluster, x->filter.by)->filter.keep : NULL;

	if (keep)
		return m->placed[keep->dst[0]->id] == m->task && same_opnd(i, m->place[keep->dst[0]->id]);
	return i.kind == OPND_VAR && i.u.var == m->index[level];
}

/* Does it read, where we are, what was made in this task? */
static bool
is_here(const Merger *m, const Member *x, const Bind *s)
{
	if ((s->op != LCU_load && s->op != LCU_fetch) || m->valid[s->arg[0].u.var->id] != m->task)
		return false;
	return s->op == LCU_load || is_place_before(m, x, value(m, s->arg[1]), s->level + x->shift);
}

/* At this level, how many of its elements the condition holds of; of those of level 1 all together, for the host. */
static Opnd
add_counted(Merger *m, const Bind *at, Opnd flag, int level)
{
	const Opnd one = add_made(m, at, LCU_btoi, &ty_int, level, 1, &flag);

	return add_made(m, at, LCU_sum, &ty_int, level, 1, &one);
}

/* How much it keeps, in place of what asked for that on the host. */
static void
add_number(Merger *m, const Member *x, const Bind *keep, const Bind *asks)
{
	const int level = keep->level + x->shift;
	Opnd n = add_counted(m, asks, m->flag[keep->dst[0]->id], level);

	if (level == 2)
		n = add_made(m, asks, LCU_sum, &ty_int, 1, 1, &n);
	LIST_ADD(m->scratch, &m->result, asks->dst[0]);
	LIST_ADD(m->scratch, &m->yield, n);
}

/* Does it ask how much was kept of the row where we are, by this task? */
static bool
asks_kept(const Merger *m, const Bind *s)
{
	const Origin *from = s->op == LCU_seg_length ? graph_origin(m->g, s->arg[0]) : NULL;

	return from && from->node && from->node->cluster == m->cluster && from->sink->op == LCU_keep_segdes;
}

static void
add_member(Merger *m, const Member *x)
{
	const Bind *task = x->node->b;
	int filtered = !x->filter.keep ? 0 : task->narg == 2 ? 2 : 1;

	for (const Bind *s = task->block[0]->first; s; s = s->next) {
		Var *r = result_of(task, s);
		bool wanted = r && !x->repeated && m->g->origin[r->id].wanted;

		if (is_here(m, x, s)) {
			set_value(m, s->dst[0], value(m, s->arg[0]));
			continue;
		}
		if (asks_kept(m, s)) {
			set_value(m, s->dst[0], add_counted(m, s, m->flag[graph_origin(m->g, s->arg[0])->sink->dst[0]->id], 2));
			continue;
		}
		if (r && s->op == LCU_store)
			set_value(m, r, value(m, s->arg[0]));
		if (r && s->op == LCU_keep)
			set_value(m, r, value(m, s->arg[1]));
		if (s->op == LCU_keep || s->op == LCU_keep_segdes)
			m->flag[s->dst[0]->id] = value(m, s->arg[0]);
		if (s->level == filtered)
			add_filtered(m, x, s, wanted);
		else if (!r || wanted)
			add_step(m, s, x->shift, wanted);
		if (wanted)
			add_result(m, r, s);
		if (r && !x->repeated && m->g->origin[r->id].counted)
			add_number(m, x, s, m->g->origin[r->id].counted);
	}
}

/* Takes out the steps that nothing needs. */
static void
drop_dead(Merger *m)
{
	Map *needed = map_new(m->scratch);
	LIST(Bind *) step = {0};
	Bind **end;

	for (Bind *s = m->body->first; s; s = s->next)
		LIST_ADD(m->scratch, &step, s);
	for (int i = 0; i < m->yield.n; i++)
		*map_at(needed, m->yield.at[i].u.var) = m;
	for (int i = step.n - 1; i >= 0; i--) {
		const Bind *s = step.at[i];
		bool is = scalar_tells(m->g->scalars, s);

		for (int j = 0; j < s->ndst; j++)
			is = is || *map_at(needed, s->dst[j]);
		for (int j = 0; is && j < s->narg; j++)
			if (s->arg[j].kind == OPND_VAR)
				*map_at(needed, s->arg[j].u.var) = m;
		if (!is)
			step.at[i] = NULL;
	}
	end = &m->body->first;
	for (int i = 0; i < step.n; i++)
		if (step.at[i]) {
			*end = step.at[i];
			end = &step.at[i]->next;
		}
	*end = NULL;
	m->body->end = end;
}

/* It is called after the last of its members that others need. */
static const Bind *
namesake(const Graph *g, const Cluster *c)
{
	for (int i = c->member.n - 1; i >= 0; i--) {
		const Bind *b = c->member.at[i].node->b;

		for (int j = 0; j < b->ndst && !c->member.at[i].repeated; j++)
			if (g->origin[b->dst[j]->id].wanted || g->origin[b->dst[j]->id].counted)
				return b;
	}
	return c->member.at[c->member.n - 1].node->b;
}

static bool
has_elements(const Block *body)
{
	for (const Bind *s = body->first; s; s = s->next)
		if (s->level == 2)
			return true;
	return false;
}

static void
add_task(Merger *m, const Cluster *c)
{
	const Bind *like = namesake(m->g, c);
	bool nested;
	Bind *t;

	m->task++;
	m->body = block_new(m->to);
	memset(m->bucket, 0, sizeof m->bucket);
	memset(m->index, 0, sizeof m->index);
	m->result.n = m->yield.n = 0;
	m->cluster = c;
	for (int i = 0; i < c->member.n; i++)
		add_member(m, &c->member.at[i]);
	drop_dead(m);
	if (!m->body->first)
		return;
	nested = has_elements(m->body);
	t = bind_new(m->to, m->out, LCU_task, m->result.n, nested ? 2 : 1, 1, like->span);
	t->name = like->name;
	t->arg[0] = c->n;
	if (nested)
		t->arg[1] = opnd_var(c->s);
	t->block[0] = m->body;
	for (int i = 0; i < m->result.n; i++)
		t->dst[i] = m->result.at[i];
	block_yield(m->to, m->body, m->yield.n, m->yield.at);
}

/* -- regions ---------------------------------------------------------------------------------- */
static Block *merge_block(Merger *m, const Block *b);
static void put(Merger *m, Node *n);

static void
put_deps(Merger *m, const Node *n)
{
	for (int i = 0; i < n->deps.n; i++)
		put(m, n->deps.at[i]);
}

static void
put_cluster(Merger *m, Cluster *c)
{
	if (c->done)
		return;
	c->done = true;
	/* Generators of stages to come are repeated here. */
	for (int i = 0; i < c->member.n; i++) {
		const Node *n = c->member.at[i].node;

		for (int j = 0; j < n->deps.n; j++)
			if (n->deps.at[j]->cluster != c && graph_after(n->deps.at[j]) <= c->stage)
				put(m, n->deps.at[j]);
		if (graph_rests(n) && n->told->cluster != c && graph_after(n->told) <= c->stage)
			put(m, n->told);
	}
	add_task(m, c);
}

/* A number of what was kept, which only tasks asked for that need no array of it any more. */
static bool
is_idle(const Graph *g, const Node *n)
{
	const Origin *from = graph_asked(g, n);

	return from && from->kept && !n->needed;
}

/* A number of what was kept that the task that would have kept it gives itself. */
static bool
is_counted(const Graph *g, const Node *n)
{
	const Origin *from = graph_asked(g, n);

	return from && from->counted == n->b;
}

/* Unless it stands there already; after all that it needs. */
static void
put(Merger *m, Node *n)
{
	Bind *b;

	if (n->cluster) {
		put_cluster(m, n->cluster);
		return;
	}
	if (n->done || is_idle(m->g, n))
		return;
	if (is_counted(m->g, n)) {
		put(m, graph_asked(m->g, n)->node);
		return;
	}
	n->done = true;
	put_deps(m, n);
	b = NEW(m->g->a, Bind, 1);
	*b = *n->b;
	b->next = NULL;
	b->block = NEW(m->g->a, Block *, b->nblock);
	for (int i = 0; i < b->nblock; i++)
		b->block[i] = merge_block(m, n->b->block[i]);
	*m->out->end = b;
	m->out->end = &b->next;
}

static bool
is_last(const Node *n)
{
	const Cluster *c = n->cluster;
	int i = c->member.n - 1;

	while (c->member.at[i].repeated)
		i--;
	return c->member.at[i].node == n;
}

static Block *
merge_block(Merger *m, const Block *b)
{
	Block *outer = m->out, *made = m->out = block_new(m->to);
	const Region *r = graph_region(m->g, b);

	for (int i = 0; i < r->node.n; i++)
		if (!r->node.at[i]->cluster || is_last(r->node.at[i]))
			put(m, r->node.at[i]);
	block_yield(m->to, made, b->nyield, b->yield);
	m->out = outer;
	return made;
}

Program *
graph_merge(Graph *g)
{
	Program *p = g->p, *to = program_copy(p, p->ir);
	Arena *scratch = arena_new();
	Merger m = {.g = g, .scratch = scratch, .to = to, .value = NEW(scratch, Opnd, p->nvar + 1),
		.valid = NEW(scratch, int, p->nvar + 1), .flag = NEW(scratch, Opnd, p->nvar + 1),
		.place = NEW(scratch, Opnd, p->nvar + 1), .placed = NEW(scratch, int, p->nvar + 1)};

	for (Fun *f = to->funs; f; f = f->next)
		f->body = merge_block(&m, f->body);
	for (Entry *e = to->entries; e; e = e->next)
		if (e->body)
			e->body = merge_block(&m, e->body);
	arena_free(scratch);
	ir_name(to);
	return to;
}

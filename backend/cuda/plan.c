/* plan.c: a task as passes over its space.
 *
 * In   a task's steps
 * Out  passes, each one call of a skeleton.  Reductions, scans, segdes and keeps of one level share a pass unless one
 *      needs what another has found; a sink goes where what it stands on is known, if it stands on nothing
 *      where elements of its level are loaded or rows end; if there is no such pass, a map does it.
 * How  In order of the steps, each to the first pass that can take it: greedy.  A scan's pass takes reductions over what it
 *      has found.  What is loaded for several passes is loaded in each: scalar steps are cheaper than a store.  The value of
 *      a reduction or scan that another pass needs is stored, `spilled`, for the task's time; and so is what functions such as
 *      sqrt make of what rows fold: the elements of the row load it. */
#include "backend/cuda/gen.h"

enum { MOST = 8 };      /* folded side by side, or outputs, in one pass: registers and words of a tile's state */

bool
steps_has(const Steps *l, const Bind *b)
{
	for (int i = 0; i < l->n; i++)
		if (l->at[i] == b)
			return true;
	return false;
}

void
steps_add(Gen *g, Steps *l, const Bind *b)
{
	if (!steps_has(l, b))
		LIST_ADD(g->a, l, b);
}

bool
plan_anchor(Gen *g, const Bind *step)
{
	const OpClass cls = gen_info(g, step)->cls;

	return cls == OP_REDUCE || cls == OP_SCAN;
}

bool
plan_segdes(const Bind *step)
{
	return lcu_adds_lengths(step) || step->op == LCU_keep_lengths;
}

Opnd
plan_folded(const Bind *step)
{
	return step->arg[step->op == LCU_keep_lengths];
}

int
plan_value_level(Gen *g, const Bind *anchor)
{
	return anchor->level - (gen_info(g, anchor)->cls == OP_REDUCE);
}

int
plan_mask(const Pass *p, Opnd condition)
{
	for (int j = 0; j < p->mask.n; j++)
		if (same_opnd(p->mask.at[j], condition))
			return j;
	return -1;
}

const Var *
plan_result(const Plan *t, const Bind *sink)
{
	for (int i = 0; i < t->body->nyield; i++)
		if (t->body->yield[i].kind == OPND_VAR && sink->ndst && t->body->yield[i].u.var == sink->dst[0])
			return t->task->dst[i];
	return NULL;
}

bool
plan_lasts(Gen *g, const Plan *t, const Bind *step)
{
	return plan_anchor(g, step) || steps_has(&t->left, step);
}

bool
plan_finds(const Pass *p, const Bind *step)
{
	return steps_has(&p->fold, step) || steps_has(&p->late, step) || steps_has(&p->end, step);
}

/* -- what a step stands on -------------------------------------------------------------------------- */
/* The reductions and scans of this task that b's operands stand on, not through others; and what is left of them. */
static void
stands_on(Gen *g, const Plan *t, const Bind *b, Steps *on)
{
	for (int i = 0; i < b->narg; i++) {
		const Bind *m = b->arg[i].kind == OPND_VAR ? g->step[b->arg[i].u.var->id] : NULL;

		if (m && plan_lasts(g, t, m))
			steps_add(g, on, m);
		else if (m)
			stands_on(g, t, m, on);
	}
}

static int
pass_of(const Plan *t, const Bind *found)
{
	for (int i = 0; i < t->pass.n; i++)
		if (plan_finds(&t->pass.at[i], found))
			return i;
	return -1;
}

/* A step that looks for its pass. */
typedef struct {
	Gen *g;
	Plan *t;
	const Bind *step;
	Steps on;
	int latest;             /* the last pass of those; -1: it stands on none */
} Seeker;

static Seeker
seeker(Gen *g, Plan *t, const Bind *step)
{
	Seeker s = {g, t, step, {0}, -1};

	stands_on(g, t, step, &s.on);
	for (int i = 0; i < s.on.n; i++) {
		const int k = pass_of(t, s.on.at[i]);

		s.latest = k > s.latest ? k : s.latest;
	}
	return s;
}

/* Is all it stands on known in pass k at this level: found there, or by passes before? */
static bool
known_at(const Seeker *s, int k, int level)
{
	if (k < s->latest)
		return false;
	for (int i = 0; k == s->latest && i < s->on.n; i++)
		if (plan_finds(&s->t->pass.at[k], s->on.at[i]) && plan_value_level(s->g, s->on.at[i]) != level)
			return false;
	return true;
}

/* It goes to pass k: what it stands on of others is spilled. */
static Pass *
settle(Seeker *s, int k)
{
	Pass *p = &s->t->pass.at[k];

	for (int i = 0; i < s->on.n; i++)
		if (!plan_finds(p, s->on.at[i]))
			steps_add(s->g, &s->t->spilled, s->on.at[i]);
	return p;
}

static int
new_pass(Seeker *s, PassKind kind)
{
	LIST_ADD(s->g->a, &s->t->pass, ((Pass){.kind = kind, .level = s->step->level}));
	return s->t->pass.n - 1;
}

/* -- reductions, scans, segdes ----------------------------------------------------------------------- */
/* Has the task scans or keeps at level 2?  Reductions share their pass, which then folds no rows. */
static bool
scans_elements(const Seeker *s)
{
	for (const Bind *b = s->t->body->first; b; b = b->next)
		if (b->level == 2 && (gen_info(s->g, b)->cls == OP_SCAN || b->op == LCU_keep || b->op == LCU_keep_segdes))
			return true;
	return false;
}

/* A reduction at level 1 over what the rows of a pass have given, or could. */
static bool
folds_rows(const Seeker *s, int k)
{
	const Pass *p = &s->t->pass.at[k];

	return s->step->level == 1 && gen_info(s->g, s->step)->cls == OP_REDUCE && p->kind == PASS_REDUCE
		&& p->level == 2 && p->rows.n < MOST && known_at(s, k, 1) && !scans_elements(s);
}

static bool
folds_beside(const Seeker *s, int k, PassKind kind)
{
	const Pass *p = &s->t->pass.at[k];

	return k > s->latest && p->level == s->step->level && p->fold.n < MOST && (kind == PASS_REDUCE || p->rows.n == 0)
		&& (s->step->op != LCU_keep_lengths || p->mask.n < MOST);
}

/* A reduction over what the scans of the pass have found. */
static bool
folds_scanned(const Seeker *s, int k)
{
	const Pass *p = &s->t->pass.at[k];

	return k == s->latest && p->kind == PASS_SCAN && p->level == s->step->level && p->late.n < MOST
		&& gen_info(s->g, s->step)->cls == OP_REDUCE && known_at(s, k, p->level);
}

static void
keep_in(Gen *g, Pass *p, const Bind *b)
{
	LIST_ADD(g->a, &p->keep, b);
	if (plan_mask(p, b->arg[0]) < 0)
		LIST_ADD(g->a, &p->mask, b->arg[0]);
}

static void
add_fold(Gen *g, Plan *t, const Bind *b)
{
	const PassKind kind = gen_info(g, b)->cls == OP_REDUCE ? PASS_REDUCE : PASS_SCAN;
	Seeker s = seeker(g, t, b);
	Pass *p;
	int k = 0;

	while (k < t->pass.n && !folds_beside(&s, k, kind) && !folds_rows(&s, k) && !folds_scanned(&s, k))
		k++;
	if (k == t->pass.n)
		k = new_pass(&s, kind);
	p = settle(&s, k);
	if (p->level == b->level && kind == PASS_SCAN)
		p->kind = PASS_SCAN;
	steps_add(g, p->level != b->level ? &p->rows : k == s.latest ? &p->late : &p->fold, b);
	if (b->op == LCU_keep_lengths)
		keep_in(g, p, b);
}

/* What is dear about a number that is known at the end of a row is computed there. */
static void
add_left(Gen *g, Plan *t, const Bind *b)
{
	Seeker s = seeker(g, t, b);

	if (s.latest < 0 || t->pass.at[s.latest].level != 2 || !known_at(&s, s.latest, 1))
		return;
	steps_add(g, &settle(&s, s.latest)->end, b);
	steps_add(g, &t->left, b);
}

/* -- keeps --------------------------------------------------------------------------------------------- */
static bool
keeps_there(const Seeker *s, int k)
{
	const Pass *p = &s->t->pass.at[k];

	return p->level == s->step->level && p->rows.n == 0 && known_at(s, k, p->level)
		&& (p->mask.n < MOST || plan_mask(p, s->step->arg[0]) >= 0);
}

static void
add_keep(Gen *g, Plan *t, const Bind *b)
{
	Seeker s = seeker(g, t, b);
	Pass *p;
	int k = 0;

	while (k < t->pass.n && !keeps_there(&s, k))
		k++;
	if (k == t->pass.n)
		k = new_pass(&s, PASS_SCAN);
	p = settle(&s, k);
	p->kind = PASS_SCAN;
	keep_in(g, p, b);
}

/* -- sinks --------------------------------------------------------------------------------------------- */
/* The list of pass k that it can be in; NULL: none. */
static Steps *
sinks_there(const Seeker *s, int k)
{
	Pass *p = &s->t->pass.at[k];

	if (lcu_puts(s->step) != LCU_NOP && p->kind != PASS_MAP)
		return NULL;
	if (p->level == s->step->level && k > s->latest)
		return &p->load;
	if (p->level == s->step->level && p->kind == PASS_SCAN && known_at(s, k, p->level))
		return &p->after;
	if (p->level == 2 && s->step->level == 1 && known_at(s, k, 1))
		return &p->end;
	return NULL;
}

/* A store, scatter, put, or what tells of faults.  What puts runs once for each element, as only maps do.  Elements of level 1 are not rows of another pass if they can help it. */
static void
add_sink(Gen *g, Plan *t, const Bind *b)
{
	Seeker s = seeker(g, t, b);
	int k = 0;

	while (k < t->pass.n && (t->pass.at[k].level != b->level || !sinks_there(&s, k)))
		k++;
	if (k == t->pass.n)
		for (k = 0; k < t->pass.n && !sinks_there(&s, k);)
			k++;
	if (k == t->pass.n)
		k = new_pass(&s, PASS_MAP);
	settle(&s, k);
	steps_add(g, sinks_there(&s, k), b);
}

Plan *
plan_task(Gen *g, const Bind *task)
{
	Plan *t = NEW(g->a, Plan, 1);

	t->task = task;
	t->body = task->block[0];
	for (const Bind *b = t->body->first; b; b = b->next) {
		if (plan_anchor(g, b) || plan_segdes(b))
			add_fold(g, t, b);
		else if (b->level == 1 && lcu_is_function(g->p->ir, b))
			add_left(g, t, b);
		if (scalar_tells(g->scalars, b))
			LIST_ADD(g->a, &t->told, b);
	}
	for (const Bind *b = t->body->first; b; b = b->next)
		if (b->op == LCU_keep || b->op == LCU_keep_segdes)
			add_keep(g, t, b);
	for (const Bind *b = t->body->first; b; b = b->next)
		if (lcu_stores(b) || b->op == LCU_scatter || b->op == LCU_mark || lcu_puts(b) != LCU_NOP || scalar_tells(g->scalars, b))
			add_sink(g, t, b);
	return t;
}

/* survey.c: functions and variables of a program of flan (survey.h). */
#include "flatten/survey.h"

/* A call costs a compiled function's call, and what its operands and results could tell each other: bodies up to this
 * size are copied to wherever they are called. */
enum { SMALL = 8 };

/* And bodies of up to this size that are passes over elements: there these are part of the task that wants them, or are folded by the
 * task that makes them, and are not stored. */
enum { PASSES = 40 };

/* So are those that are called at one place of the program, which stands in so many versions of a recursive function. */
enum { MOST_SITES = 2 };

Callee *
survey_callee(const Survey *s, const char *name)
{
	Callee *c = name ? *map_at(s->callee, intern(s->program->names, name)) : NULL;

	return c;
}

bool
survey_matters(const Survey *s, const Bind *b)
{
	const Callee *c = b->op == FLAN_call && !b->lifted ? survey_callee(s, b->name) : NULL;

	switch (flan_ir.op[b->op].cls) {
	case OP_SCALAR: case OP_REDUCE: case OP_SCAN: case OP_VECTOR:
		return b->nblock > 0;
	case OP_SEQUENCE: case OP_STATE: case OP_EFFECT: case OP_SOURCE: case OP_SINK: case OP_LIBRARY: case OP_HOST:
		return true;
	case OP_CONTROL:
		break;
	}
	return b->op != FLAN_if && b->op != FLAN_clock && b->op != FLAN_peek && !(c && c->quiet);
}

static void reach(Survey *s, Callee *c);

typedef struct Walk {
	Survey *s;
	const Fun *caller;
	Callee *in;             /* the same, to be filled in */
} Walk;

static void
use_all(Survey *s, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR) {
			s->uses[x[i].u.var->id]++;
			s->whole[x[i].u.var->id]++;
		}
}

bool
survey_by_element(const Bind *b, int i)
{
	const OpInfo *op = &flan_ir.op[b->op];

	if (op->cls == OP_SCALAR || b->op == FLAN_check)
		return b->lifted;
	if (op_folds(op) || b->op == FLAN_pack)
		return i >= b->lifted;
	return b->op == FLAN_length || (b->op == FLAN_gather && i == 1);
}

static void
use_operands(Survey *s, const Bind *b)
{
	use_all(s, b->narg, b->arg);
	for (int i = 0; i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR)
			s->whole[b->arg[i].u.var->id] -= survey_by_element(b, i);
}

static bool
folds_elements(const Bind *b)
{
	return flan_ir.op[b->op].cls == OP_REDUCE;
}

/* Is it done by who makes elements, or who wants them? */
static bool
is_in_pass(const Bind *b)
{
	static const int also[] = {FLAN_check, FLAN_gather, FLAN_length, FLAN_rows, FLAN_lengths, FLAN_iota, FLAN_dist, FLAN_rowid,
		FLAN_row_start, FLAN_row_length, FLAN_if};

	for (size_t i = 0; i < sizeof also / sizeof *also; i++)
		if (b->op == also[i])
			return true;
	return flan_ir.op[b->op].cls == OP_SCALAR || folds_elements(b) || (b->op == FLAN_call && b->lifted);
}

static void
mention(Walk *w, const Bind *b)
{
	Callee *c = b->op == FLAN_call ? survey_callee(w->s, b->name) : NULL;

	if (!c)
		return;
	if (b->lifted) {
		c->each = true;
	} else {
		LIST_ADD(w->s->program->arena, &c->site, ((Site){b, w->caller}));
		if (w->in)
			w->in->leaf = false;
	}
	reach(w->s, c);
}

/* -- whose elements may be anywhere -------------------------------------------------------------------- */

/* In order, those of blocks behind what they are part of; n: how many there are so far. */
static void
list_binds(Survey *s, const Block *b, const Bind **all, int *n)
{
	opnds_mark(s->ordered, b->nyield, b->yield, true);
	for (const Bind *x = b->first; x; x = x->next) {
		all[(*n)++] = x;
		for (int i = 0; i < x->nblock; i++)
			list_binds(s, x->block[i], all, n);
	}
}

static bool
folds_any_order(const Bind *b)
{
	return flan_ir.op[b->op].cls == OP_REDUCE && b->lifted && !op_finds_place(&flan_ir.op[b->op])
	       && (b->op == FLAN_sum || opnd_ty(b->arg[b->narg - 1])->a->kind != TY_FLOAT);
}

static void
find_ordered(Survey *s, const Block *body)
{
	const int count = block_bindings(body);
	const Bind **all = NEW(s->program->arena, const Bind *, count);
	int n = 0;

	list_binds(s, body, all, &n);
	while (n-- > 0) {
		const Bind *b = all[n];
		const bool unseen = b->ndst == 1 && !s->ordered[b->dst[0]->id];

		opnds_mark(s->ordered, b->nway, b->way, true);
		if (folds_any_order(b))
			opnds_mark(s->ordered, b->narg - 1, b->arg, true);
		else if (b->op != FLAN_length && !((flan_ir.op[b->op].cls == OP_SCALAR || b->op == FLAN_gather) && unseen))
			opnds_mark(s->ordered, b->narg, b->arg, true);
	}
	arena_give_back(s->program->arena, all, sizeof *all * (size_t)count);
}

/* A clock is quiet where nobody asks for the time, but a function with one gives it. */
static void
walk_block(Walk *w, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next) {
		use_operands(w->s, x);
		use_all(w->s, x->nway, x->way);
		mention(w, x);
		for (int i = 0; i < x->nblock; i++)
			walk_block(w, x->block[i]);
		if (!w->in)
			continue;
		w->in->size++;
		w->in->passes = w->in->passes && is_in_pass(x);
		w->in->folds |= folds_elements(x);
		if (survey_matters(w->s, x) || x->op == FLAN_clock)
			w->in->quiet = false;
	}
	use_all(w->s, b->nyield, b->yield);
}

static bool
gives_vectors(const Fun *f)
{
	for (int i = 0; i < f->body->nyield; i++)
		if (ty_scalar(opnd_ty(f->body->yield[i])))
			return false;
	return f->body->nyield > 0;
}

/* A function is noisy until all of it was seen, so one that calls itself stays so. */
static void
reach(Survey *s, Callee *c)
{
	Callee *by = survey_callee(s, c->fun->scans);
	bool quiet;

	if (c->size >= 0)
		return;
	c->fixed |= c->fun->nested || by;
	if (by) {
		by->each = by->fixed = true;
		reach(s, by);
	}
	c->size = 0;
	c->leaf = true;
	Callee seen = {.quiet = true, .leaf = true, .passes = true};
	walk_block(&(Walk){s, c->fun, &seen}, c->fun->body);
	find_ordered(s, c->fun->body);
	quiet = seen.quiet && !c->fun->recursive;
	c->leaf = seen.leaf;
	c->passes = seen.passes && (seen.folds || gives_vectors(c->fun));
	c->size = seen.size;
	c->quiet = quiet;
	LIST_ADD(s->program->arena, &s->reached, c);
}

static bool
is_one_place(const Callee *c)
{
	for (int i = 0; i < c->site.n && c->site.n > 1; i++) {
		const Site s = c->site.at[i];

		if (!s.caller || !s.caller->recursive || !span_equal(s.call->span, c->site.at[0].call->span))
			return false;
	}
	return c->site.n > 0 && c->site.n <= MOST_SITES;
}

Survey *
survey(const Program *p)
{
	Survey *s = NEW(p->arena, Survey, 1);

	*s = (Survey){.program = p, .callee = map_new(p->arena), .nvar = p->nvar, .uses = NEW(p->arena, int, p->nvar),
		.whole = NEW(p->arena, int, p->nvar), .ordered = NEW(p->arena, bool, p->nvar)};
	for (const Fun *f = p->funs; f; f = f->next) {
		Callee *c = NEW(p->arena, Callee, 1);

		c->fun = f;
		c->size = -1;
		*map_at(s->callee, intern(p->names, f->name)) = c;
	}
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body) {
			walk_block(&(Walk){s, NULL, NULL}, e->body);
			find_ordered(s, e->body);
		}
	for (int i = 0; i < s->reached.n; i++) {
		Callee *c = s->reached.at[i];

		c->inlined = !c->fun->recursive && !c->fixed && !c->each && (is_one_place(c)
			|| (c->leaf && c->size <= (c->passes ? PASSES : SMALL)));
	}
	return s;
}

void
survey_drop(Survey *s)
{
	Arena *a = s->program->arena;

	arena_give_back(a, s->uses, sizeof *s->uses * (size_t)s->nvar);
	arena_give_back(a, s->whole, sizeof *s->whole * (size_t)s->nvar);
	arena_give_back(a, s->ordered, sizeof *s->ordered * (size_t)s->nvar);
	map_drop(s->callee);
}

/* guard.c: what arms fold of rows is folded for all rows, where that costs little more.
 *
 * In   a conditional of rows, in normal:  if #r == 0 then 0.0 else sum(r) / float(#r)
 * Out  the folds of its arms, run for all rows, and the conditional without them, if that is scalar code
 * Rule A reduction or scan in an arm, with what is made of its operand element by element, runs for all rows if these
 *        - have no more than SHORT elements wherever the arm is not taken: the condition compares their length with a number;
 *        - or are gone through before the conditional anyway, or made there element by element.
 *      What it needs of scalar code in the arm is computed for all rows too, its checks left to the arm.
 * How  So what more is done is bounded by a number for each row, or by what was done, and rows are not split, nor gathered:
 *      elements are folded where they are, in the same task with what the conditional is otherwise. */
#include "flatten/flattener.h"

enum { SHORT = 8, DEEPEST = 4 };

typedef struct {
	const Bind *cond;
	int arm;
} Inside;

typedef struct {
	const Bind *b;
	bool stays;             /* in the arm, where it is checked */
} Move;

typedef struct {
	Flattener *f;
	const Bind *whole;      /* the conditional */
	Inside path[DEEPEST];   /* the arms that we are in */
	int depth;
	Map *stays;             /* by Var: the binding, which stays in an arm */
	Map *row;               /* by Var that moves: as long as this one */
	LIST(Move) moved;
} Guard;

/* -- what is known of rows -------------------------------------------------------------------------------- */
bool
may_guard(const Bind *b)
{
	switch (b->op) {
	case NORMAL_length: case NORMAL_gt: case NORMAL_ge: case NORMAL_lt: case NORMAL_le: case NORMAL_eq: case NORMAL_ne:
		return true;
	}
	return false;
}

static bool
is_length(const Guard *g, Opnd o, const Var *v)
{
	const Bind *b = o.kind == OPND_VAR ? *map_at(g->f->guards, o.u.var) : NULL;

	return b && b->op == NORMAL_length && bind_reads(b, v);
}

static bool
is_short(Opnd o)
{
	return o.kind == OPND_INT && o.u.i >= 0 && o.u.i <= SHORT;
}

/* The arm that is taken wherever v is not short; -1: nothing is known. */
static int
arm_of_long(const Guard *g, Opnd cond, const Var *v)
{
	const Bind *b = cond.kind == OPND_VAR ? *map_at(g->f->guards, cond.u.var) : NULL;
	bool turned;

	if (!b || b->op == NORMAL_length)
		return -1;
	turned = is_short(b->arg[0]) && is_length(g, b->arg[1], v);
	if (!turned && !(is_length(g, b->arg[0], v) && is_short(b->arg[1])))
		return -1;
	if (b->op == NORMAL_eq || b->op == NORMAL_ne)
		return b->op == NORMAL_eq;
	return (b->op == NORMAL_lt || b->op == NORMAL_le) != turned;
}

static bool
taken_if_long(const Guard *g, const Var *v)
{
	for (int i = 0; i < g->depth; i++)
		if (arm_of_long(g, g->path[i].cond->arg[0], v) != g->path[i].arm)
			return false;
	return true;
}

/* Are its elements gone through, or made, before the conditional, for the same rows?  Of what is made of mutual recursion (mutual.c)
 * nothing is known. */
static bool
gone_through(const Guard *g, const Var *v)
{
	const Block *k = *map_at(g->f->home, g->whole);

	for (const Bind *b = k ? k->first : g->whole; b != g->whole; b = b->next)
		if (bind_reads(b, v) ? normal_reads_elements(b) : b->op == NORMAL_foreach && b->dst[0] == v)
			return true;
	return false;
}

/* -- what moves -------------------------------------------------------------------------------------------- */
static const Bind *
staying(const Guard *g, Opnd o)
{
	return o.kind == OPND_VAR ? *map_at(g->stays, o.u.var) : NULL;
}

static bool
is_total_without_check(const Bind *b)
{
	return normal_ir.op[b->op].cls == OP_SCALAR || b->op == NORMAL_pair || b->op == NORMAL_fst || b->op == NORMAL_snd || b->op == NORMAL_length;
}

/* Is what it uses of what stays to be had for all rows? */
static bool
operands_move(const Guard *g, const Bind *b)
{
	for (int i = 0; i < b->narg; i++) {
		const Bind *s = staying(g, b->arg[i]);

		if (s && !(is_total_without_check(s) && operands_move(g, s)))
			return false;
	}
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (!operands_move(g, s))
				return false;
	return true;
}

/* Then it is had once. */
static void
move_operands(Guard *g, const Bind *b)
{
	for (int i = 0; i < b->narg; i++) {
		const Bind *s = staying(g, b->arg[i]);

		if (!s)
			continue;
		move_operands(g, s);
		LIST_ADD(g->f->arena, &g->moved, ((Move){s, true}));
		*map_at(g->stays, s->dst[0]) = NULL;
	}
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			move_operands(g, s);
}

/* The row whose elements it goes through, if that may be done wherever it is short; NULL: it may not. */
static const Var *
row_of_bind(const Guard *g, const Bind *b)
{
	const bool made = (b->op == NORMAL_foreach && b->narg == 1 && b->ndst == 1 && total_scalars(b->block[0])) || b->op == NORMAL_positions;
	const Var *v, *row;

	if ((!made && !op_folds(&normal_ir.op[b->op])) || b->arg[0].kind != OPND_VAR || !operands_move(g, b))
		return NULL;
	v = b->arg[0].u.var;
	row = *map_at(g->row, v);
	return row ? row : taken_if_long(g, v) || gone_through(g, v) ? v : NULL;
}

static Bind *without(Guard *g, const Bind *b);

static Block *
block_without(Guard *g, const Block *k)
{
	Block *to = NEW(g->f->arena, Block, 1);

	*to = *k;
	to->first = NULL;
	to->end = &to->first;
	for (const Bind *b = k->first; b; b = b->next) {
		const Var *row = row_of_bind(g, b);

		if (row) {
			move_operands(g, b);
			LIST_ADD(g->f->arena, &g->moved, ((Move){b, false}));
			*map_at(g->row, b->dst[0]) = (void *)row;
			continue;
		}
		*to->end = without(g, b);
		to->end = &(*to->end)->next;
		for (int i = 0; i < b->ndst; i++)
			*map_at(g->stays, b->dst[i]) = (void *)b;
	}
	return to;
}

/* A copy; of a conditional without what moves. */
static Bind *
without(Guard *g, const Bind *b)
{
	Bind *to = NEW(g->f->arena, Bind, 1);

	*to = *b;
	to->next = NULL;
	if (b->op != NORMAL_if || g->depth == DEEPEST)
		return to;
	to->block = NEW(g->f->arena, Block *, 2);
	for (int i = 0; i < 2; i++) {
		g->path[g->depth++] = (Inside){b, i};
		to->block[i] = block_without(g, b->block[i]);
		g->depth--;
	}
	return to;
}

const Bind *
unguarded(Flattener *f, const Bind *b)
{
	Guard g = {.f = f, .whole = b, .stays = map_new(f->arena), .row = map_new(f->arena)};
	const Bind *rest = without(&g, b);

	if (g.moved.n == 0 || !(selects(rest) || is_scalar(f, rest)))
		return NULL;
	for (int i = 0; i < g.moved.n; i++) {
		f->unchecked = g.moved.at[i].stays;
		flatten_bind(f, g.moved.at[i].b);
	}
	f->unchecked = false;
	return rest;
}

/* guard.c: what arms fold of rows is folded for all rows, where that costs little more.
 *
 * In   a conditional of rows, in normal:  if #r == 0 then 0.0 else sum(r) / float(#r)
 * Out  the folds of its arms, run for all rows, and the conditional without them, if that is scalar code
 * Rule A reduction or scan in an arm, with what is made of its operand element by element, runs for all rows if these
 *        - have no more than SHORT elements wherever the arm is not taken: the condition compares their length with a number;
 *        - or are gone through before the conditional anyway, or made there element by element.
 *      What it needs of scalar code in the arm is computed for all rows too, its checks left to the arm.
 *      Where this is not so, or what is made of the elements may fail, it goes over rows that have elements only where the arm is
 *      taken: the rows as they are, if by the condition they have none elsewhere; else *hidden* ones, which begin where they do, and
 *      are as long as they are or, where the arm is not taken, 0.  What it needs of scalar code is computed for all rows, checked only
 *      where the arm is taken, and so is all that may fail before it, so that of what fails in a row the first is told: of no more than
 *      MOST_MASKED steps.
 * How  So what more is done is bounded by a number for each row, or by what was done, and rows are not split, nor gathered:
 *      elements are folded where they are, in the same task with what the conditional is otherwise. */
#include "flatten/flattener.h"

enum { SHORT = 8, LONG = SHORT + 1, DEEPEST = 4 };

typedef struct {
	const Bind *cond;
	int arm;
} Inside;

typedef struct {
	const Bind *b;
	bool stays;             /* in the arm, where it is checked */
	Inside path[DEEPEST];   /* of hidden rows: the arms that it is in */
	int depth;
} Move;

/* Of hidden rows: what stands before where we are, in one of the arms that we are in. */
typedef struct {
	const Bind *b;
	int depth;
	bool moves;
} Before;

typedef struct {
	Flattener *f;
	const Bind *whole;      /* the conditional */
	Inside path[DEEPEST];   /* the arms that we are in */
	int depth;
	LIST(Move *) moved;
	Map *gone;              /* by Bind: itself, if it is no more in its arm */
	/* rows as they are */
	Map *stays;             /* by Var: the binding, which stays in an arm */
	Map *row;               /* by Var that moves: as long as this one */
	/* hidden ones */
	LIST(Before) before;
	Map *made;              /* by Var: the Move that makes it of elements */
	int cost;               /* of the scalar code that moves */
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

/* How many elements v has at most where this arm is not taken; LONG: nothing is known. */
static int
most_elsewhere(const Guard *g, const Inside *in, const Var *v)
{
	const Opnd cond = in->cond->arg[0];
	const Bind *b = cond.kind == OPND_VAR ? *map_at(g->f->guards, cond.u.var) : NULL;
	bool turned, below, taken_if_not;

	if (!b || b->op == NORMAL_length)
		return LONG;
	turned = is_short(b->arg[0]) && is_length(g, b->arg[1], v);
	if (!turned && !(is_length(g, b->arg[0], v) && is_short(b->arg[1])))
		return LONG;
	below = turned ? b->op == NORMAL_gt || b->op == NORMAL_le : b->op == NORMAL_lt || b->op == NORMAL_ge;
	taken_if_not = b->op == NORMAL_eq || (b->op != NORMAL_ne && (b->op == NORMAL_lt || b->op == NORMAL_le) != turned);
	return taken_if_not == in->arm ? (int)b->arg[!turned].u.i - below : LONG;
}

static bool
taken_if_long(const Guard *g, const Var *v)
{
	for (int i = 0; i < g->depth; i++)
		if (most_elsewhere(g, &g->path[i], v) == LONG)
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
/* Does this hold of all operands of b, and of what is in it? */
static bool
all_operands(Guard *g, const Bind *b, bool (*holds)(Guard *, Opnd))
{
	for (int i = 0; i < b->narg; i++)
		if (!holds(g, b->arg[i]))
			return false;
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (!all_operands(g, s, holds))
				return false;
		for (int k = 0; k < b->block[i]->nyield; k++)
			if (!holds(g, b->block[i]->yield[k]))
				return false;
	}
	return true;
}

static Move *
move(Guard *g, const Bind *b, bool stays, int depth)
{
	Move *m = NEW(g->f->arena, Move, 1);

	*m = (Move){.b = b, .stays = stays, .depth = depth};
	for (int i = 0; i < depth; i++)
		m->path[i] = g->path[i];
	LIST_ADD(g->f->arena, &g->moved, m);
	if (!stays)
		*map_at(g->gone, b) = (void *)b;
	return m;
}

typedef bool Plan(Guard *g, const Block *k);

/* Of both arms; of those that are too deep nothing moves. */
static bool
plan_arms(Guard *g, const Bind *b, Plan *plan)
{
	bool done = true;

	if (g->depth == DEEPEST)
		return true;
	for (int i = 0; i < 2 && done; i++) {
		g->path[g->depth++] = (Inside){b, i};
		done = plan(g, b->block[i]);
		g->depth--;
	}
	return done;
}

/* A copy, without what is gone from the arms. */
static Bind *
without(const Guard *g, const Bind *b)
{
	Bind *to = NEW(g->f->arena, Bind, 1);

	*to = *b;
	to->next = NULL;
	if (b->op != NORMAL_if)
		return to;
	to->block = NEW(g->f->arena, Block *, 2);
	for (int i = 0; i < 2; i++) {
		Block *k = to->block[i] = NEW(g->f->arena, Block, 1);

		*k = *b->block[i];
		k->first = NULL;
		k->end = &k->first;
		for (const Bind *s = b->block[i]->first; s; s = s->next) {
			if (*map_at(g->gone, s))
				continue;
			*k->end = without(g, s);
			k->end = &(*k->end)->next;
		}
	}
	return to;
}

/* -- of rows as they are ------------------------------------------------------------------------------------ */
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

/* Is it to be had for all rows? */
static bool
operand_moves(Guard *g, Opnd o)
{
	const Bind *s = staying(g, o);

	return !s || (is_total_without_check(s) && all_operands(g, s, operand_moves));
}

/* Then it is had once. */
static bool
move_operand(Guard *g, Opnd o)
{
	const Bind *s = staying(g, o);

	if (s) {
		all_operands(g, s, move_operand);
		move(g, s, true, 0);
		*map_at(g->stays, s->dst[0]) = NULL;
	}
	return true;
}

/* The row whose elements it goes through, if that may be done wherever it is short; NULL: it may not. */
static const Var *
row_of_bind(Guard *g, const Bind *b)
{
	const bool made = (b->op == NORMAL_foreach && b->narg == 1 && b->ndst == 1 && total_scalars(b->block[0])) || b->op == NORMAL_positions;
	const Var *v, *row;

	if ((!made && !op_folds(&normal_ir.op[b->op])) || b->arg[0].kind != OPND_VAR || !all_operands(g, b, operand_moves))
		return NULL;
	v = b->arg[0].u.var;
	row = *map_at(g->row, v);
	return row ? row : taken_if_long(g, v) || gone_through(g, v) ? v : NULL;
}

static bool
plan_as_they_are(Guard *g, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		const Var *row = row_of_bind(g, b);

		if (row) {
			all_operands(g, b, move_operand);
			move(g, b, false, 0);
			*map_at(g->row, b->dst[0]) = (void *)row;
			continue;
		}
		if (b->op == NORMAL_if)
			plan_arms(g, b, plan_as_they_are);
		for (int i = 0; i < b->ndst; i++)
			*map_at(g->stays, b->dst[i]) = (void *)b;
	}
	return true;
}

static void
run_as_they_are(Guard *g)
{
	for (int i = 0; i < g->moved.n; i++) {
		g->f->unchecked = g->moved.at[i]->stays;
		flatten_bind(g->f, g->moved.at[i]->b);
	}
	g->f->unchecked = false;
}

/* -- of hidden rows ----------------------------------------------------------------------------------------- */
/* What is still in its arm. */
static bool
may_fail(const Guard *g, const Bind *b)
{
	const OpInfo *op = &normal_ir.op[b->op];

	if (*map_at(g->gone, b))
		return false;
	if (op->fault || op->cls == OP_EFFECT || b->op == NORMAL_call || b->op == NORMAL_cell || (b->op == NORMAL_foreach && b->narg > 1))
		return true;
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (may_fail(g, s))
				return true;
	return false;
}

static Before *
before(const Guard *g, Opnd o)
{
	for (int i = 0; i < g->before.n; i++)
		for (int k = 0; k < g->before.at[i].b->ndst; k++)
			if (same_opnd(o, opnd_var(g->before.at[i].b->dst[k])))
				return &g->before.at[i];
	return NULL;
}

static bool can_move(Guard *g, Before *x);

static bool
can_move_operand(Guard *g, Opnd o)
{
	Before *x = before(g, o);

	return !x || can_move(g, x);
}

static bool
can_move_conditions(Guard *g)
{
	for (int i = 0; i < g->depth; i++)
		if (!can_move_operand(g, g->path[i].cond->arg[0]))
			return false;
	return true;
}

static bool
can_move_what_fails(Guard *g, const Before *end)
{
	for (Before *x = g->before.at; x != end; x++)
		if (may_fail(g, x->b) && !can_move(g, x))
			return false;
	return true;
}

static bool
can_move(Guard *g, Before *x)
{
	if (x->moves)
		return true;
	x->moves = true;
	g->cost += masked_row_cost(x->b);
	return g->cost <= MOST_MASKED && (x->b->op != NORMAL_if || g->f->avoids)
	       && all_operands(g, x->b, can_move_operand) && (!may_fail(g, x->b) || can_move_what_fails(g, x));
}

/* Scalar code that ends. */
static bool
ends(const Flattener *f, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		const Fun *fun = b->op == NORMAL_call ? fun_find(f->in, b->name) : NULL;

		if (b->op == NORMAL_cell || (fun && (fun->recursive || !scalar_fun(f, fun) || !ends(f, fun->body))))
			return false;
		for (int i = 0; i < b->nblock; i++)
			if (!ends(f, b->block[i]))
				return false;
	}
	return true;
}

static bool
is_element_wise(const Flattener *f, const Bind *each)
{
	const Block *k = each->block[0];

	for (const Bind *b = k->first; b; b = b->next)
		if (!is_scalar(f, b) && !(b->op == NORMAL_if && selects(b)))
			return false;
	return each->ndst == 1 && scalars_only(opnd_ty(k->yield[0])) && ends(f, k);
}

/* Are they rows of one length, which the host knows?  Then they would not be any more. */
static bool
are_even(Flattener *f, const Val *rows)
{
	return !is_vector(constant_of(f, seq_length(f, rows)));
}

static bool
can_hide(Guard *g, Opnd row)
{
	const Before *x = before(g, row);
	const Val *v;

	if (row.kind != OPND_VAR || !scalars_only(row.u.var->ty->a))
		return false;
	if (*map_at(g->made, row.u.var))
		return true;
	if (x && (x->b->op != NORMAL_elt || before(g, x->b->arg[0])))
		return false;
	v = use(g->f, x ? x->b->arg[0] : row);
	return x ? !are_even(g->f, v->elem) : v->level == g->f->cur && !are_even(g->f, v);
}

static bool
plan_hidden_fold(Guard *g, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (!can_hide(g, b->arg[i]))
			return false;
	if (!can_move_conditions(g) || !all_operands(g, b, can_move_operand))
		return false;
	if (may_fail(g, b) && !can_move_what_fails(g, g->before.at + g->before.n))
		return false;
	for (int i = 0; i < g->before.n; i++)
		if (g->before.at[i].moves && !*map_at(g->gone, g->before.at[i].b))
			move(g, g->before.at[i].b, false, g->before.at[i].depth);
	*map_at(g->made, b->dst[0]) = move(g, b, false, g->depth);
	return true;
}

static bool
plan_hidden(Guard *g, const Block *k)
{
	const int outer = g->before.n;

	for (const Bind *b = k->first; b; b = b->next) {
		if (op_folds(&normal_ir.op[b->op]) || b->op == NORMAL_positions || (b->op == NORMAL_foreach && is_element_wise(g->f, b))) {
			if (!plan_hidden_fold(g, b))
				return false;
			continue;
		}
		if (b->op == NORMAL_if && !plan_arms(g, b, plan_hidden))
			return false;
		LIST_ADD(g->f->arena, &g->before, ((Before){b, g->depth, false}));
	}
	g->before.n = outer;
	return true;
}

/* Where all arms are taken from number `from` on, but for those elsewhere than which v (NULL: nothing) has no elements. */
static Opnd
taken(const Guard *g, const Move *m, int from, const Var *v)
{
	Flattener *f = g->f;
	Opnd all = opnd_bool(true);

	for (int i = from; i < m->depth; i++) {
		Opnd cond;

		if (v && most_elsewhere(g, &m->path[i], v) <= 0)
			continue;
		cond = operand_at(f, use(f, m->path[i].cond->arg[0]), f->cur);
		cond = m->path[i].arm ? SCALAR_OP(f, FLAN_not, &ty_bool, cond) : cond;
		all = is_bool(all, true) ? cond : AND(f, all, cond);
	}
	return all;
}

static Val *
hidden(const Guard *g, const Move *m, Opnd row)
{
	Flattener *f = g->f;
	const Move *made = *map_at(g->made, row.u.var);
	const Opnd has = taken(g, m, made ? made->depth : 0, row.u.var);
	Val *v = val_at(f, use(f, row), f->cur);
	Opnd start, length;

	if (is_bool(has, true))
		return v;
	start = seq_start(f, v);
	length = SCALAR_OP(f, FLAN_select, &ty_int, has, seq_length(f, v), opnd_int(0));
	return VIEW(f, f->cur, start, length, v->elem);
}

static void
run_hidden_fold(Guard *g, const Move *m)
{
	Flattener *f = g->f;
	const int shadows = f->shadows.n;
	Val **v = NEW(f->arena, Val *, m->b->narg);

	for (int i = 0; i < m->b->narg; i++)
		v[i] = hidden(g, m, m->b->arg[i]);
	for (int i = 0; i < m->b->narg; i++)
		env_shadow(f, m->b->arg[i].u.var, v[i]);
	flatten_bind(f, m->b);
	env_unshadow(f, shadows);
}

static void
run_hidden(Guard *g)
{
	for (int i = 0; i < g->moved.n; i++) {
		const Move *m = g->moved.at[i];
		Opnd reached;

		if (*map_at(g->made, m->b->dst[0])) {
			run_hidden_fold(g, m);
			continue;
		}
		reached = taken(g, m, 0, NULL);
		g->f->reached = &reached;
		flatten_bind(g->f, m->b);
		g->f->reached = NULL;
	}
}

/* -- the conditional ---------------------------------------------------------------------------------------- */
/* Without what moves, as planned; NULL: nothing does, or it is no scalar code then. */
static const Bind *
rest_of(Guard *g, Flattener *f, const Bind *b, Plan *plan)
{
	const Bind *rest;

	*g = (Guard){.f = f, .whole = b, .gone = map_new(f->arena), .stays = map_new(f->arena), .row = map_new(f->arena),
		.made = map_new(f->arena)};
	if (!plan_arms(g, b, plan) || g->moved.n == 0)
		return NULL;
	rest = without(g, b);
	return selects(rest) || is_scalar(f, rest) ? rest : NULL;
}

const Bind *
unguarded(Flattener *f, const Bind *b)
{
	Guard g;
	const Bind *rest = rest_of(&g, f, b, plan_as_they_are);

	if (rest) {
		run_as_they_are(&g);
		return rest;
	}
	/* one condition for all rows is the host's */
	rest = is_vector(constant_of(f, use(f, b->arg[0])->x)) ? rest_of(&g, f, b, plan_hidden) : NULL;
	if (rest)
		run_hidden(&g);
	return rest;
}

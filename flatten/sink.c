/* sink.c: what lives across a recursive call takes memory on each level of the recursion.
 *
 * In   flan
 * Out  flan: in a recursive function, element-wise operators and scans of ints that stood before a binding with a recursive
 *      call stand behind it, if
 *        - nobody before it, nor in it, uses what they give;
 *        - behind it, only what runs in the same task does: element-wise operators, dist^, the indices of gathers and of rows;
 *        - their operands are there anyway, because somebody behind uses them too, or are moved themselves.
 *      Behind it, starts that an arm took from a descriptor are taken from it again, and lengths are those of the descriptor
 *      made of them, if that is there anyway; and what counts, or repeats a number of the host, does so again.
 * How  So an operand is kept where result and operand were.  (Rematerialisation, Briggs, Cooper & Torczon 1992, of what need
 *      not be computed twice.)  In quicksort the places of short rows among all, 8 bytes a call, are a scan of the
 *      conditions, a byte a call, which are kept anyway. */
#include "flatten/sink.h"
#include "flatten/flan.h"

typedef struct Sinker {
	Program *p;
	LIST(Bind *) all;       /* of the block at hand */
	bool *after;            /* by Var.id: used behind the call */
	bool *apart;            /* so, by what runs in another task than its maker would, moved there */
	bool *whole;            /* so, by what is neither element-wise nor a gather */
	bool *elementwise;      /* so, element by element, or as the indices of a gather */
	bool *before;           /* used by what stays before it, or in it */
	bool *made;             /* by what moves */
	bool *moves;            /* by place in the block, before the call */
	bool *uniform;          /* by Var.id: made in the block, a descriptor that takes no memory */
	Var **again;            /* by Var.id: what stands for it behind the call */
	int copies;             /* that may still be made */
} Sinker;

static void mark_block(bool *set, const Block *b, bool value);

static void
mark_bind(bool *set, const Bind *b, bool value)
{
	opnds_mark(set, b->narg, b->arg, value);
	opnds_mark(set, b->nway, b->way, value);
	for (int i = 0; i < b->nblock; i++)
		mark_block(set, b->block[i], value);
}

static void
mark_block(bool *set, const Block *b, bool value)
{
	for (const Bind *s = b->first; s; s = s->next)
		mark_bind(set, s, value);
	opnds_mark(set, b->nyield, b->yield, value);
}

/* Sums of floats are grouped as their task is cut, which may be another one there. */
static bool
may_move(const Bind *b)
{
	return b->ndst == 1 && b->dst[0]->ty->kind == TY_VEC
	       && (flan_elementwise(b) || (flan_ir.op[b->op].cls == OP_SCAN && b->dst[0]->ty->a->kind == TY_INT));
}

/* Is b such a binding, or one in its blocks? */
static bool
holds(const Program *p, const Bind *b, bool (*is)(const Program *, const Bind *))
{
	if (is(p, b))
		return true;
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (holds(p, s, is))
				return true;
	return false;
}

static bool
is_recursive(const Program *p, const Bind *b)
{
	return b->op == FLAN_call && fun_find(p, b->name)->recursive;
}

/* Is it a call of a recursive function, or is one in its blocks? */
static bool
recurs(const Program *p, const Bind *b)
{
	return holds(p, b, is_recursive);
}

static bool
is_clock(const Program *p, const Bind *b)
{
	(void)p;
	return b->op == FLAN_clock;
}

/* -- indices ------------------------------------------------------------------------------------------ */

/* Can it be made from numbers of the host, or a descriptor that is there behind the call? */
static bool
is_index(const Sinker *k, const Bind *b)
{
	if (b->op != FLAN_iota && b->op != FLAN_rowid && !(b->op == FLAN_dist && !b->lifted))
		return false;
	return ty_scalar(opnd_ty(b->arg[0])) || k->after[b->arg[0].u.var->id] || k->uniform[b->arg[0].u.var->id];
}

static void
take_again(Sinker *k, int n, Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR && k->again[x[i].u.var->id])
			x[i].u.var = k->again[x[i].u.var->id];
}

static void
take_again_in(Sinker *k, Bind *b)
{
	take_again(k, b->narg, b->arg);
	take_again(k, b->nway, b->way);
	for (int i = 0; i < b->nblock; i++) {
		for (Bind *s = b->block[i]->first; s; s = s->next)
			take_again_in(k, s);
		take_again(k, b->block[i]->nyield, b->block[i]->yield);
	}
}

/* -- lengths of a descriptor ------------------------------------------------------------------------ */
static bool
uses(const Bind *b, const Var *x)
{
	for (int i = 0; i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR && b->arg[i].u.var == x)
			return true;
	return false;
}

static void
insert(Sinker *k, int at, Bind *b)
{
	LIST_ADD(k->p->arena, &k->all, b);
	for (int i = k->all.n - 1; i > at; i--)
		k->all.at[i] = k->all.at[i - 1];
	k->all.at[at] = b;
}

/* x is the lengths of s: gathered from, they are those of some rows; else all are made again. */
static void
take_lengths(Sinker *k, int call, const Var *x, Var *s, Span span)
{
	Bind *lengths = NULL;
	Block none = {.end = &none.first};
	int n = call + 1;

	for (int i = call + 1; i < k->all.n; i++) {
		Bind *b = k->all.at[i];

		if (!uses(b, x))
			continue;
		if (b->op == FLAN_gather && same_opnd(b->arg[0], opnd_var((Var *)x)) && !same_opnd(b->arg[1], b->arg[0])) {
			b->op = FLAN_row_length;
			b->lifted = true;
			b->arg[0] = opnd_var(s);
			continue;
		}
		if (!lengths) {
			lengths = bind_new(k->p, &none, FLAN_lengths, 1, 1, 0, span);
			lengths->dst[0] = var_new(k->p, x->name, x->ty);
			lengths->arg[0] = opnd_var(s);
		}
		for (int j = 0; j < b->narg; j++)
			if (b->arg[j].kind == OPND_VAR && b->arg[j].u.var == x)
				b->arg[j] = opnd_var(lengths->dst[0]);
	}
	if (!lengths)
		return;
	insert(k, n, lengths);
}

/* -- starts of a descriptor ------------------------------------------------------------------------- */
/* The arm of an `if` that gives starts of a descriptor from before it as this result; -1: none.  s: that. */
static int
arm_of_starts(const Bind *b, int result, Var **s)
{
	for (int k = 0; k < b->nblock; k++)
		for (const Bind *x = b->block[k]->first; x; x = x->next)
			if (x->op == FLAN_starts && b->block[k]->yield[result].kind == OPND_VAR
			    && b->block[k]->yield[result].u.var == x->dst[0]) {
				if (block_binds(b->block[k], NULL, x->arg[0].u.var))
					return -1;
				*s = x->arg[0].u.var;
				return k;
			}
	return -1;
}

static Bind *
made(Sinker *k, int at, int op, const Bind *like, int narg)
{
	Block none = {.end = &none.first};
	Bind *b = bind_new(k->p, &none, op, 1, narg, 0, like->span);

	b->lifted = op != FLAN_vector;
	b->dst[0] = var_new(k->p, like->dst[0]->name, like->dst[0]->ty);
	insert(k, at, b);
	return b;
}

/* The result x is v[i] of v that `b` gives: of one arm, starts of s, and of the other, what stands in memory. */
static int
choose_start(Sinker *k, int at, const Bind *b, int arm, Var *s)
{
	Bind *x = k->all.at[at], *one, *two;

	one = made(k, at, FLAN_row_start, x, 2);
	one->arg[0] = opnd_var(s);
	one->arg[1] = x->arg[1];
	two = made(k, at + 1, FLAN_gather, x, 2);
	two->lifted = false;
	two->arg[0] = x->arg[0];
	two->arg[1] = x->arg[1];
	x->op = FLAN_select;
	x->lifted = true;
	x->narg = 3;
	x->arg = NEW(k->p->arena, Opnd, 3);
	x->arg[0] = b->arg[0];
	x->arg[1 + arm] = opnd_var(one->dst[0]);
	x->arg[2 - arm] = opnd_var(two->dst[0]);
	return at + 2;
}

/* The arm gives none instead of starts, and who gathers from them gathers from both. */
static void
take_starts(Sinker *k, int call, Bind *b, int result, int arm, Var *s)
{
	const Var *v = b->dst[result];
	Block *a = b->block[arm];
	Bind *none = bind_new(k->p, a, FLAN_vector, 1, 0, 0, b->span);

	none->dst[0] = var_new(k->p, v->name, v->ty);
	a->yield[result] = opnd_var(none->dst[0]);
	for (int i = call + 1; i < k->all.n; i++)
		if (uses(k->all.at[i], v))
			i = choose_start(k, i, b, arm, s);
}

/* -- the call ---------------------------------------------------------------------------------------- */
/* By indices that are element-wise in it. */
static bool
picks(const Bind *b)
{
	return b->op == FLAN_gather || (b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length));
}

static void
mark_after(Sinker *k, int call, const Block *b, bool value)
{
	for (int i = call + 1; i < k->all.n; i++) {
		const Bind *s = k->all.at[i];

		mark_bind(k->after, s, value);
		if (picks(s)) {
			opnds_mark(k->apart, 1, s->arg, value);
			opnds_mark(k->elementwise, 1, s->arg + 1, value);
		} else
			opnds_mark(k->elementwise, s->narg, s->arg, value);
		if (!picks(s) && !flan_elementwise(s) && !(s->op == FLAN_dist && s->lifted)) {
			mark_bind(k->apart, s, value);
			mark_bind(k->whole, s, value);
		}
	}
	opnds_mark(k->after, b->nyield, b->yield, value);
	opnds_mark(k->apart, b->nyield, b->yield, value);
	opnds_mark(k->whole, b->nyield, b->yield, value);
}

static bool
are_there(const Sinker *k, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR && !ty_scalar(b->arg[i].u.var->ty)
		    && !k->after[b->arg[i].u.var->id] && !k->made[b->arg[i].u.var->id])
			return false;
	return true;
}

/* One look at all that stands before the call, with what the last one found; does it find less? */
static bool
fewer(Sinker *k, int call)
{
	bool less = false;

	for (int i = 0; i < call; i++) {
		const Bind *b = k->all.at[i];

		if (!k->moves[i] || are_there(k, b))
			continue;
		less = true;
		k->moves[i] = k->made[b->dst[0]->id] = false;
	}
	for (int i = call; i-- > 0; ) {
		const Bind *b = k->all.at[i];

		if (k->moves[i] && k->before[b->dst[0]->id]) {
			less = true;
			k->moves[i] = k->made[b->dst[0]->id] = false;
		}
		if (!k->moves[i])
			mark_bind(k->before, b, true);
	}
	return less;
}

/* What is gathered from them only, and by nobody before. */
static void
take_all_starts(Sinker *k, int call, const Block *b)
{
	mark_bind(k->before, k->all.at[call], true);
	for (int i = call; i-- > 0; mark_bind(k->before, k->all.at[i], true)) {
		Bind *s = k->all.at[i];
		Var *of = NULL;

		for (int j = 0; j < s->ndst && s->nblock == 2; j++) {
			const Var *v = s->dst[j];
			const int arm = arm_of_starts(s, j, &of);

			if (arm < 0 || !k->after[v->id] || k->before[v->id] || k->whole[v->id] || k->elementwise[v->id])
				continue;
			mark_after(k, call, b, false);
			take_starts(k, call, s, j, arm, of);
			mark_after(k, call, b, true);
		}
	}
	for (int i = 0; i <= call; i++)
		mark_bind(k->before, k->all.at[i], false);
}

static void
take_all_lengths(Sinker *k, int call, const Block *b)
{
	for (int i = 0; i < call; i++) {
		const Bind *s = k->all.at[i];
		const Var *x = s->op == FLAN_segdes && s->arg[0].kind == OPND_VAR ? s->arg[0].u.var : NULL;

		if (!x || !k->after[s->dst[0]->id] || !k->after[x->id] || k->whole[x->id])
			continue;
		mark_after(k, call, b, false);
		take_lengths(k, call, x, s->dst[0], s->span);
		mark_after(k, call, b, true);
	}
}

/* What is timed stays between its clocks. */
static void
take_all_indices(Sinker *k, int call, Block *b)
{
	LIST(Bind *) copy = {0};
	bool timed = holds(k->p, k->all.at[call], is_clock);

	for (int i = call; i-- > 0 && !timed; timed = timed || holds(k->p, k->all.at[i], is_clock)) {
		const Bind *s = k->all.at[i];
		Block none = {.end = &none.first};
		Bind *c;

		if (s->ndst != 1 || !k->after[s->dst[0]->id] || !is_index(k, s) || k->copies == 0)
			continue;
		k->copies--;
		c = bind_new(k->p, &none, s->op, 1, s->narg, 0, s->span);
		c->lifted = s->lifted;
		c->dst[0] = var_new(k->p, s->dst[0]->name, s->dst[0]->ty);
		for (int j = 0; j < s->narg; j++)
			c->arg[j] = s->arg[j];
		k->again[s->dst[0]->id] = c->dst[0];
		LIST_ADD(k->p->arena, &copy, c);
	}
	if (copy.n == 0)
		return;
	mark_after(k, call, b, false);
	for (int i = call + 1; i < k->all.n; i++)
		take_again_in(k, k->all.at[i]);
	take_again(k, b->nyield, b->yield);
	for (int i = 0; i < call; i++)                  /* calls around this one look in here too */
		if (k->all.at[i]->ndst == 1)
			k->again[k->all.at[i]->dst[0]->id] = NULL;
	for (int i = 0; i < copy.n; i++)
		insert(k, call + 1, copy.at[i]);
	mark_after(k, call, b, true);
}

/* So does what is moved. */
static void
find_moves(Sinker *k, int call)
{
	bool timed = holds(k->p, k->all.at[call], is_clock);

	k->moves = NEW(k->p->arena, bool, call);
	mark_bind(k->before, k->all.at[call], true);
	for (int i = call; i-- > 0; ) {
		const Bind *s = k->all.at[i];

		timed = timed || holds(k->p, s, is_clock);
		k->moves[i] = !timed && may_move(s) && !k->apart[s->dst[0]->id];
		if (k->moves[i])
			k->made[s->dst[0]->id] = true;
	}
	while (fewer(k, call))
		;
	for (int i = 0; i <= call; i++)
		mark_bind(k->before, k->all.at[i], false);
}

/* Those that move come right behind the call, in their order. */
static void
move(Sinker *k, int call)
{
	LIST(Bind *) moved = {0};
	int n = 0;

	for (int i = 0; i < call; i++)
		if (k->moves[i]) {
			k->made[k->all.at[i]->dst[0]->id] = false;
			LIST_ADD(k->p->arena, &moved, k->all.at[i]);
		} else {
			k->all.at[n++] = k->all.at[i];
		}
	k->all.at[n++] = k->all.at[call];
	for (int i = 0; i < moved.n; i++)
		k->all.at[n++] = moved.at[i];
}

static void
behind(Sinker *k, int call, Block *b)
{
	mark_after(k, call, b, true);
	take_all_indices(k, call, b);
	take_all_starts(k, call, b);
	take_all_lengths(k, call, b);
	find_moves(k, call);
	mark_after(k, call, b, false);
	move(k, call);
}

static void
sink_block(Sinker *k, Block *b)
{
	for (Bind *s = b->first; s; s = s->next)
		for (int i = 0; i < s->nblock; i++)
			sink_block(k, s->block[i]);
	k->all.n = 0;
	for (Bind *s = b->first; s; s = s->next) {
		LIST_ADD(k->p->arena, &k->all, s);
		if (s->op == FLAN_uniform)
			k->uniform[s->dst[0]->id] = true;
	}
	for (int i = 0; i < k->all.n; i++)
		if (recurs(k->p, k->all.at[i]))
			behind(k, i, b);
	b->end = &b->first;
	for (int i = 0; i < k->all.n; i++) {
		*b->end = k->all.at[i];
		b->end = &k->all.at[i]->next;
	}
	*b->end = NULL;
}

void
sink(Program *p)
{
	const int most = 5 * p->nvar;           /* with what is made here: three for what gathers, one for a descriptor, copies */
	Sinker k = {.p = p, .after = NEW(p->arena, bool, most), .apart = NEW(p->arena, bool, most), .whole = NEW(p->arena, bool, most),
		.elementwise = NEW(p->arena, bool, most), .uniform = NEW(p->arena, bool, most), .again = NEW(p->arena, Var *, most), .copies = p->nvar,
		.before = NEW(p->arena, bool, most), .made = NEW(p->arena, bool, most)};

	for (Fun *f = p->funs; f; f = f->next)
		if (f->recursive && !f->scalar)
			sink_block(&k, f->body);
}

/* sink.c: what lives across a recursive call takes memory on each level of the recursion.
 *
 * In   flan
 * Out  flan: in a recursive function, element-wise operators and scans of ints that stood before a binding with a recursive
 *      call stand behind it, if
 *        - nobody before it, nor in it, uses what they give;
 *        - behind it, only what runs in the same task does: element-wise operators, dist^, the indices of gathers;
 *        - their operands are there anyway, because somebody behind uses them too, or are moved themselves.
 *      Behind it, lengths are those of the descriptor made of them, if that is there anyway.
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
	bool *before;           /* used by what stays before it, or in it */
	bool *made;             /* by what moves */
	bool *moves;            /* by place in the block */
} Sinker;

static void
mark(bool *set, int n, const Opnd *x, bool value)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR)
			set[x[i].u.var->id] = value;
}

static void mark_block(bool *set, const Block *b, bool value);

static void
mark_bind(bool *set, const Bind *b, bool value)
{
	mark(set, b->narg, b->arg, value);
	mark(set, b->nway, b->way, value);
	for (int i = 0; i < b->nblock; i++)
		mark_block(set, b->block[i], value);
}

static void
mark_block(bool *set, const Block *b, bool value)
{
	for (const Bind *s = b->first; s; s = s->next)
		mark_bind(set, s, value);
	mark(set, b->nyield, b->yield, value);
}

static bool
is_elementwise(const Bind *b)
{
	return flan_ir.op[b->op].cls == OP_SCALAR && b->lifted;
}

/* Sums of floats are grouped as their task is cut, which may be another one there. */
static bool
may_move(const Bind *b)
{
	return b->ndst == 1 && b->dst[0]->ty->kind == TY_VEC && b->nway == 0
	       && (is_elementwise(b) || (flan_ir.op[b->op].cls == OP_SCAN && b->dst[0]->ty->a->kind == TY_INT));
}

static bool
recurs(const Program *p, const Bind *b)
{
	if (b->op == FLAN_call && fun_find(p, b->name)->recursive)
		return true;
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (recurs(p, s))
				return true;
	return false;
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
		if (b->op == FLAN_gather) {
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
	LIST_ADD(k->p->arena, &k->all, lengths);
	for (int i = k->all.n - 1; i > n; i--)
		k->all.at[i] = k->all.at[i - 1];
	k->all.at[n] = lengths;
}

/* -- the call ---------------------------------------------------------------------------------------- */
static void
mark_after(Sinker *k, int call, const Block *b, bool value)
{
	for (int i = call + 1; i < k->all.n; i++) {
		const Bind *s = k->all.at[i];

		mark_bind(k->after, s, value);
		if (s->op == FLAN_gather)
			mark(k->apart, 1, s->arg, value);
		else if (!is_elementwise(s) && !(s->op == FLAN_dist && s->lifted)) {
			mark_bind(k->apart, s, value);
			mark_bind(k->whole, s, value);
		}
	}
	mark(k->after, b->nyield, b->yield, value);
	mark(k->apart, b->nyield, b->yield, value);
	mark(k->whole, b->nyield, b->yield, value);
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

static void
behind(Sinker *k, int call, Block *b)
{
	LIST(Bind *) moved = {0};
	int n = 0;

	mark_after(k, call, b, true);
	for (int i = 0; i < call; i++) {
		const Bind *s = k->all.at[i];
		const Var *x = s->op == FLAN_segdes && s->arg[0].kind == OPND_VAR ? s->arg[0].u.var : NULL;

		if (!x || !k->after[s->dst[0]->id] || !k->after[x->id] || k->whole[x->id])
			continue;
		mark_after(k, call, b, false);
		take_lengths(k, call, x, s->dst[0], s->span);
		mark_after(k, call, b, true);
	}
	mark_bind(k->before, k->all.at[call], true);
	for (int i = 0; i < call; i++) {
		const Bind *s = k->all.at[i];

		k->moves[i] = may_move(s) && !k->apart[s->dst[0]->id];
		if (k->moves[i])
			k->made[s->dst[0]->id] = true;
	}
	while (fewer(k, call))
		;
	for (int i = 0; i < call; i++) {
		const Bind *s = k->all.at[i];

		mark_bind(k->before, s, false);
		if (may_move(s))
			k->made[s->dst[0]->id] = false;
		if (k->moves[i])
			LIST_ADD(k->p->arena, &moved, k->all.at[i]);
		else
			k->all.at[n++] = k->all.at[i];
	}
	mark_bind(k->before, k->all.at[call], false);
	mark_after(k, call, b, false);
	k->all.at[n++] = k->all.at[call];
	for (int i = 0; i < moved.n; i++)
		k->all.at[n++] = moved.at[i];
}

static void
sink_block(Sinker *k, Block *b)
{
	for (Bind *s = b->first; s; s = s->next)
		for (int i = 0; i < s->nblock; i++)
			sink_block(k, s->block[i]);
	k->all.n = 0;
	for (Bind *s = b->first; s; s = s->next)
		LIST_ADD(k->p->arena, &k->all, s);
	k->moves = NEW(k->p->arena, bool, k->all.n);
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
	const int most = 2 * p->nvar;           /* lengths are made again once, of each descriptor, at most */
	Sinker k = {.p = p, .after = NEW(p->arena, bool, most), .apart = NEW(p->arena, bool, most), .whole = NEW(p->arena, bool, most),
		.before = NEW(p->arena, bool, most), .made = NEW(p->arena, bool, most)};

	for (Fun *f = p->funs; f; f = f->next)
		if (f->recursive && !f->scalar)
			sink_block(&k, f->body);
}

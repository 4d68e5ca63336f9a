/* order.c: what may have the memory of an operand comes behind what else reads that.
 *
 * In   lcu.
 * Out  the same, with updates of a vector (update.h) behind what only reads it later: numbers that the host asks for, tasks, arms,
 *      calls of functions that only read it.  Then they are its last uses.  Where one cannot be moved, numbers that are made of the
 *      vector later come before it; so they do where an arm or a function has the update, or passes the vector on.
 *      So in go(drop(queue, 1) ++ [x], s + queue[0]) the queue ends where it is appended to.
 * How  What is made of an update comes with it, unless that reads the vector too: then there must be two.
 *      No check, call or effect passes another one, nothing passes a clock, and no array a call that comes back, as it would be there
 *      at each level.  All operators are total, so what comes before a check does no harm.  Which parameters are only read is a fixed
 *      point over all calls. */
#include "memmgmt/order.h"
#include <string.h>
#include "fuse/lcu.h"
#include "fuse/tail.h"
#include "memmgmt/update.h"

typedef struct Order {
	const Program *p;
	bool *taken;                    /* by Var.id: something updates it, or passes it on */
	bool *marked;                   /* by Var.id, while bindings change places */
	bool *later;                    /* by Var.id: a later binding of the block at hand mentions it */
	Arena *scratch;
} Order;

/* The bindings of a block. */
typedef struct Row {
	const Place *place;
	Bind **at;
	int n;
} Row;

/* -- what is only read -------------------------------------------------------------------------------- */

static void taken_in(const Order *o, const Place *at, Updates *all);

/* What b, which stands there, or what is within, does more with than read it: it is updated, passed on by an arm, or taken by a function. */
static void
taken_by(const Order *o, const Place *at, const Bind *b, Updates *all)
{
	const Fun *f = b->op == LCU_call ? fun_find(o->p, b->name) : NULL;

	updates_of(o->scratch, at, b, all);
	for (int i = 0; f && i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR && o->taken[f->param[i]->id])
			LIST_ADD(o->scratch, all, b->arg[i].u.var);
	for (int i = 0; i < b->nblock && b->op != LCU_task; i++)
		taken_in(o, &(Place){at->p, at->f, b->block[i], b, at}, all);
}

static void
taken_in(const Order *o, const Place *at, Updates *all)
{
	for (const Bind *x = at->in->first; x; x = x->next)
		taken_by(o, at, x, all);
	for (int i = 0; i < at->in->nyield; i++)
		if (ty_counted(opnd_ty(at->in->yield[i])))
			LIST_ADD(o->scratch, all, at->in->yield[i].u.var);
}

static bool
takes(const Order *o, const Place *at, const Bind *b, const Var *v)
{
	Updates all = {0};

	taken_by(o, at, b, &all);
	for (int i = 0; i < all.n; i++)
		if (all.at[i] == v)
			return true;
	return false;
}

/* Which parameters functions only read is known when nothing more is found. */
static void
find_taken(const Order *o)
{
	bool more = true;

	while (more) {
		more = false;
		for (const Fun *f = o->p->funs; f; f = f->next) {
			Updates all = {0};

			taken_in(o, &(Place){o->p, f, f->body, NULL, NULL}, &all);
			for (int i = 0; i < all.n; i++) {
				more = more || !o->taken[all.at[i]->id];
				o->taken[all.at[i]->id] = true;
			}
		}
	}
}

/* -- what may be passed ------------------------------------------------------------------------------- */
/* By whatever; by what has no checks, calls or effects; by such that makes only scalars, as the others would be kept across a call that
 * comes back; by nothing. */
typedef enum { BY_ALL, BY_SILENT, BY_SCALARS, BY_NONE } Passed;

/* By what may others pass b, of the body of `in`, and b them? */
static Passed
passed(const Order *o, const Fun *in, const Bind *b)
{
	const Fun *f = b->op == LCU_call ? fun_find(o->p, b->name) : NULL;
	const bool speaks = lcu_tells(o->p, b) || b->op == LCU_check || b->op == LCU_counted;
	Passed all = b->op == LCU_clock ? BY_NONE : f && in && tail_comes_back(o->p, in, f) ? BY_SCALARS : speaks ? BY_SILENT : BY_ALL;

	for (int i = 0; i < b->nblock; i++)
		for (const Bind *x = b->block[i]->first; x; x = x->next) {
			const Passed one = passed(o, in, x);

			all = one > all ? one : all;
		}
	return all;
}

static bool
makes_arrays(const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (ty_counted(b->dst[i]->ty))
			return true;
	return false;
}

static bool
may_pass(const Order *o, const Fun *in, const Bind *b, Passed others)
{
	if (others == BY_ALL)
		return passed(o, in, b) != BY_NONE;
	return passed(o, in, b) == BY_ALL && (others == BY_SILENT || (others == BY_SCALARS && !makes_arrays(b)));
}

/* -- the order of a block ----------------------------------------------------------------------------- */

/* Do all that mention v from binding i to `to` only read it? */
static bool
only_read(const Order *o, const Row *r, int i, int to, const Var *v)
{
	for (; i <= to; i++)
		if (bind_mentions(r->at[i], v, NULL) && takes(o, r->place, r->at[i], v))
			return false;
	return true;
}

/* Bindings from i to `to` of which `moves` holds come behind the others of these, or before them. */
static void
move(const Order *o, const Row *r, int i, int to, const bool *moves, bool behind)
{
	Bind **as = memcpy(NEW(o->scratch, Bind *, to + 1 - i), r->at + i, sizeof *as * (size_t)(to + 1 - i));
	int n = i;

	for (int turn = 0; turn < 2; turn++)
		for (int j = i; j <= to; j++)
			if (moves[j - i] == (turn == 0 ? !behind : behind))
				r->at[n++] = as[j - i];
}

/* Binding j, of those that change places with each other: *others is what those pass that were asked of before and stay, which it
 * passes, or belongs to. */
static bool
may_be_passed(const Order *o, const Row *r, int j, bool moves, Passed *others)
{
	const Passed by = moves ? BY_ALL : passed(o, r->place->f, r->at[j]);

	*others = by > *others ? by : *others;
	return !moves || may_pass(o, r->place->f, r->at[j], *others);
}

static void
mark_made(const Order *o, const Bind *b, bool is)
{
	for (int i = 0; i < b->ndst; i++)
		o->marked[b->dst[i]->id] = is;
}

static bool
makes_marked(const Order *o, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (o->marked[b->dst[i]->id])
			return true;
	return false;
}

/* Binding i, which updates v by itself, comes behind what reads v up to binding `to`, and what is made of it with it.  False: it cannot. */
static bool
update_later(const Order *o, const Row *r, int i, int to, const Var *v)
{
	bool *moves = NEW(o->scratch, bool, to + 1 - i), may = r->at[i]->op != LCU_call && r->at[i]->op != LCU_if;
	Passed others = BY_ALL;

	for (int j = i; j <= to; j++) {
		moves[j - i] = j == i || bind_mentions(r->at[j], NULL, o->marked);
		if (moves[j - i])
			mark_made(o, r->at[j], true);
		may = may && !(j > i && moves[j - i] && bind_mentions(r->at[j], v, NULL));
	}
	for (int j = to; j >= i; j--) {
		mark_made(o, r->at[j], false);
		may = may && may_be_passed(o, r, j, moves[j - i], &others);
	}
	if (may)
		move(o, r, i, to, moves, true);
	return may;
}

/* What reads v up to binding `to` comes before binding i, and what that needs with it: numbers, as arrays would be there longer.  False: it
 * cannot. */
static bool
read_earlier(const Order *o, const Row *r, int i, int to, const Var *v)
{
	bool *moves = NEW(o->scratch, bool, to + 1 - i), may = true;
	Passed others = BY_ALL;

	for (int j = to; j >= i; j--) {
		moves[j - i] = (j > i && bind_mentions(r->at[j], v, NULL)) || makes_marked(o, r->at[j]);
		if (moves[j - i])
			bind_mark(r->at[j], o->marked, true);
	}
	for (int j = i; j <= to; j++) {
		bind_mark(r->at[j], o->marked, false);
		may = may && may_be_passed(o, r, j, moves[j - i], &others) && !(moves[j - i] && makes_arrays(r->at[j]));
	}
	may = may && !moves[0];
	if (may)
		move(o, r, i, to, moves, false);
	return may;
}

/* b, which updates v, and what only reads that behind it change places. */
static void
behind_readers(const Order *o, const Row *r, const Bind *b, const Var *v)
{
	int i = 0, to = r->n - 1;

	while (r->at[i] != b)
		i++;
	while (to > i && !bind_mentions(r->at[to], v, NULL))
		to--;
	if (to > i && only_read(o, r, i + 1, to, v) && !update_later(o, r, i, to, v))
		read_earlier(o, r, i, to, v);
}

static void
order_block(const Order *o, Block *b, const Bind *of, const Fun *f, const Place *up)
{
	const Place at = {o->p, f, b, of, up};
	Row r = {&at, NULL, 0};
	Bind **end = &b->first, **as;

	for (Bind *x = b->first; x; x = x->next)
		r.n++;
	r.at = NEW(o->scratch, Bind *, r.n);
	as = NEW(o->scratch, Bind *, r.n);
	r.n = 0;
	for (Bind *x = b->first; x; x = x->next) {
		as[r.n] = r.at[r.n] = x;
		r.n++;
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			order_block(o, x->block[i], x, f, &at);
	}
	for (int i = r.n - 1; i >= 0; i--) {
		Updates u = {0};

		taken_by(o, &at, as[i], &u);
		for (int k = 0; k < u.n; k++)
			if (o->later[u.at[k]->id])
				behind_readers(o, &r, as[i], u.at[k]);
		bind_mark(as[i], o->later, true);
	}
	for (int i = 0; i < r.n; i++)
		bind_mark(as[i], o->later, false);
	for (int i = 0; i < r.n; i++, end = &(*end)->next)
		*end = r.at[i];
	*end = NULL;
	b->end = end;
}

void
order_updates(Program *p)
{
	Order o = {p, NEW(p->arena, bool, p->nvar), NEW(p->arena, bool, p->nvar), NEW(p->arena, bool, p->nvar), arena_new()};

	find_taken(&o);
	for (Fun *f = p->funs; f; f = f->next)
		order_block(&o, f->body, NULL, f, NULL);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			order_block(&o, e->body, NULL, NULL, NULL);
	arena_free(o.scratch);
}

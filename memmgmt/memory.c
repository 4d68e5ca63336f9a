/* memory.c: lcu -> mem.
 *
 * In   lcu.
 * Out  the same with `free v` right after the last use of each v that its block owns, and `retain v`
 *      before a yield or a call that hands over more than the block owns.  A store of a task is `replace` where
 *      it may have the memory of a vector whose last use the task is, an append whose first operand ends is `extend`,
 *      of descriptors `extend_rows`, and what a task copies of a vector that ends, to be updated, is `piece`.
 * How  A block is responsible for what it binds, a function's also for the parameters that it owns (lend.h), and an arm for what
 *      its `if` was the last to use: each of these *dies* in the block after one binding, at the block's
 *      start if nothing uses it, or with the call or yield that takes it over.  If the binding is an `if`,
 *      both arms become responsible.  Scalar functions borrow all: they give nothing back, and a call of one is a
 *      use like others.
 *      A way out (common/ir.h) is a use too, but no reason to keep anything across a call within its own cycle of
 *      calls: recursion takes the memory that its values take.  What is gone by then makes the way end there
 *      (not under --debug).
 *      A cell ends too (cells.c): then what is read from it is owned as well.
 *      What tasks make and nobody reads any more, as a way that ends was all that it was for, is not made (fuse/unused.c).
 *      Variables, cells and what tasks consist of are shared with the lcu program. */
#include "memmgmt/memory.h"
#include "fuse/lcu.h"
#include "fuse/unused.h"
#include "memmgmt/cells.h"
#include "memmgmt/lend.h"
#include "memmgmt/order.h"
#include "memmgmt/piece.h"
#include "memmgmt/recount.h"
#include "memmgmt/room.h"
#include "memmgmt/rows.h"
#include "memmgmt/update.h"

typedef struct {
	Var *var;
	int from, last;         /* positions where it is made and last used: 0 start, 1.. bindings, n + 1 yield */
} Death;

typedef struct {
	Death *at;
	int n, cap;
} Deaths;

typedef struct {
	Program *to;
	const Program *lcu;
	const Fun *fun;         /* at hand; NULL: an entry is */
	const Place *place;     /* of the block at hand */
	bool recursive;         /* the function at hand */
	bool reuses;            /* what dies may be written over */
	bool debug;             /* ways out are kept across all calls */
	const CellEnds *cells;
	Lending *lending;       /* what ends with calls is told; NULL: it is known what is lent */
	int *slot;              /* by Var.id, while a block is looked over: 1 + index into its deaths, else 0 */
	bool *gone;             /* by Var.id: dies with the call or yield at hand, and is not yet taken over */
	bool *ended;            /* by Var.id: has died on the way here */
} Memory;

/* -- last uses -------------------------------------------------------------------------------- */
static void
dies(Memory *m, Deaths *d, Var *v, int where)
{
	LIST_ADD(m->to->arena, d, ((Death){v, where, where}));
	m->slot[v->id] = d->n;
}

static void
used(const Memory *m, Deaths *d, int n, const Opnd *o, int where)
{
	for (int i = 0; i < n; i++)
		if (o[i].kind == OPND_VAR && m->slot[o[i].u.var->id] > 0)
			d->at[m->slot[o[i].u.var->id] - 1].last = where;
}

/* A call that may come back here, and what each round keeps counts. */
static bool
in_cycle(const Memory *m, const Bind *b)
{
	const Fun *f = m->recursive && !m->debug && b->op == LCU_call ? fun_find(m->lcu, b->name) : NULL;
	return f && f->recursive && !f->scalar;
}

static bool
holds_cycle(const Memory *m, const Bind *b)
{
	if (in_cycle(m, b))
		return true;
	for (int i = 0; i < b->nblock && b->op != LCU_task; i++)
		for (const Bind *x = b->block[i]->first; x; x = x->next)
			if (holds_cycle(m, x))
				return true;
	return false;
}

/* Only what has been used, or made, since the last call in the cycle. */
static void
used_by_way(const Memory *m, Deaths *d, const Bind *b, int where, int last_call)
{
	for (int i = 0; i < b->nway && !in_cycle(m, b); i++) {
		const Opnd o = b->way[i];
		Death *death = o.kind == OPND_VAR && m->slot[o.u.var->id] > 0 ? &d->at[m->slot[o.u.var->id] - 1] : NULL;
		if (death && (death->last > last_call || death->from >= last_call))
			death->last = where;
	}
}

static void
used_within(const Memory *m, Deaths *d, const Bind *b, int where, int last_call)
{
	used(m, d, b->narg, b->arg, where);
	used_by_way(m, d, b, where, last_call);
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *x = b->block[i]->first; x; x = x->next)
			used_within(m, d, x, where, last_call);
		used(m, d, b->block[i]->nyield, b->block[i]->yield, where);
	}
}

/* A cell keeps what is read from it, but for the last time. */
static bool
borrows(const Memory *m, const Bind *b)
{
	return (b->op == LCU_cell || b->op == LCU_peek) && !cell_ends_with(m->cells, b);
}

/* Where in b each variable dies that b binds or must give up (`given`). */
static Deaths
deaths(Memory *m, const Block *b, int ngiven, Var *const *given)
{
	Deaths d = {0};
	int where = 0, last_call = 0;
	for (int i = 0; i < ngiven; i++)
		dies(m, &d, given[i], 0);
	for (const Bind *x = b->first; x; x = x->next) {
		used_within(m, &d, x, ++where, last_call);
		for (int i = 0; i < x->ndst; i++)
			if (ty_counted(x->dst[i]->ty) && !borrows(m, x))
				dies(m, &d, x->dst[i], where);
		if (holds_cycle(m, x))
			last_call = where;
	}
	used(m, &d, b->nyield, b->yield, where + 1);
	for (int i = 0; i < d.n; i++)
		m->slot[d.at[i].var->id] = 0;
	return d;
}

/* The deaths of a block by position, 0 .. n + 1. */
static Deaths *
by_position(Memory *m, const Deaths *d, int n)
{
	Deaths *at = NEW(m->to->arena, Deaths, n + 2);
	for (int i = 0; i < d->n; i++)
		LIST_ADD(m->to->arena, &at[d->at[i].last], d->at[i]);
	return at;
}

/* -- rewriting -------------------------------------------------------------------------------- */
static void
count(Memory *m, Block *out, int op, Var *v, Span span)
{
	Bind *b = bind_new(m->to, out, op, 0, 1, 0, span);
	b->arg[0] = opnd_var(v);
	if (op == LCU_free)
		m->ended[v->id] = true;
}

static Block *block(Memory *m, const Block *b, const Bind *of, int ngiven, Var *const *given, Span span);

typedef LIST(Opnd) Steps;

/* Can these steps out be taken here? */
static bool
known_steps(const Memory *m, int n, const Opnd *step)
{
	for (int i = 0; i < n; i++)
		if (step[i].kind == OPND_VAR && m->ended[step[i].u.var->id])
			return false;
	return true;
}

/* The steps that can be taken here, up to the first that cannot. */
static void
known_way(const Memory *m, int n, const Opnd *step, Steps *to)
{
	for (int i = 0, k; i < n; i += k) {
		int64_t by = step[i].kind == OPND_INT ? step[i].u.i : WAY_HOST;
		k = by > 0 ? (int)by + 1 : by == WAY_INTO ? 3 : 1;
		if (by == WAY_PARTS) {
			const int first = (int)step[i + 2].u.i, second = (int)step[i + 3].u.i;
			Steps one = {0}, other = {0};
			known_way(m, first, step + i + 4, &one);
			known_way(m, second, step + i + 4 + first, &other);
			LIST_ADD(m->to->arena, to, step[i]);
			LIST_ADD(m->to->arena, to, step[i + 1]);
			LIST_ADD(m->to->arena, to, opnd_int(one.n));
			LIST_ADD(m->to->arena, to, opnd_int(other.n));
			for (int j = 0; j < one.n; j++)
				LIST_ADD(m->to->arena, to, one.at[j]);
			for (int j = 0; j < other.n; j++)
				LIST_ADD(m->to->arena, to, other.at[j]);
			k = 4 + first + second;
			continue;
		}
		if (!known_steps(m, k, step + i)) {
			LIST_ADD(m->to->arena, to, opnd_int(WAY_LOST));
			return;
		}
		for (int j = 0; j < k; j++)
			LIST_ADD(m->to->arena, to, step[i + j]);
	}
}

static void
cut_way(const Memory *m, Bind *b)
{
	Steps known = {0};
	if (known_steps(m, b->nway, b->way))
		return;
	known_way(m, b->nway, b->way, &known);
	bind_way(m->to, b, known.n, known.at);
}

/* The steps of a task. */
static Block *
steps(Memory *m, const Block *b)
{
	Block *out = block_new(m->to);
	Bind *n;
	for (const Bind *x = b->first; x; x = x->next) {
		n = bind_new(m->to, out, x->op, 0, 0, 0, x->span);
		*n = *x;
		n->next = NULL;
		out->end = &n->next;
		cut_way(m, n);
	}
	block_yield(m->to, out, b->nyield, b->yield);
	return out;
}

static Bind *
copy(Memory *m, Block *out, const Bind *b)
{
	Bind *n = bind_new(m->to, out, b->op, 0, 0, b->nblock, b->span);
	Block **inner = n->block;
	*n = *b;
	n->next = NULL;
	n->block = inner;
	for (int i = 0; i < b->nblock; i++)
		n->block[i] = b->op == LCU_task ? steps(m, b->block[i]) : b->block[i];
	cut_way(m, n);
	return n;
}

/* Does b make v, rather than use it? */
static bool
makes(const Bind *b, const Var *v)
{
	for (int i = 0; i < b->ndst; i++)
		if (b->dst[i] == v)
			return true;
	return false;
}

/* Each mention hands one count over: of what dies here the one it has, at the first; else one more. */
static void
hand_over(Memory *m, Block *out, int n, const Opnd *o, const Deaths *d, Span span)
{
	for (int i = 0; i < d->n; i++)
		m->gone[d->at[i].var->id] = true;
	for (int i = 0; i < n; i++) {
		if (o[i].kind != OPND_VAR || !ty_counted(o[i].u.var->ty))
			continue;
		if (m->gone[o[i].u.var->id]) {
			m->gone[o[i].u.var->id] = false;
			m->ended[o[i].u.var->id] = true;
		} else {
			count(m, out, LCU_retain, o[i].u.var, span);
		}
	}
	for (int i = 0; i < d->n; i++)
		m->gone[d->at[i].var->id] = false;
}

/* Is v to be there as long as the call runs? */
static bool
leads_out(const Memory *m, const Bind *b, const Var *v)
{
	for (int i = 0; i < b->nway && !in_cycle(m, b); i++)
		if (b->way[i].kind == OPND_VAR && b->way[i].u.var == v)
			return true;
	return false;
}

static bool
among(int n, const Opnd *o, const Var *v)
{
	for (int i = 0; i < n; i++)
		if (o[i].kind == OPND_VAR && o[i].u.var == v)
			return true;
	return false;
}

/* These end with a call. */
static void
lets_go(Memory *m, const Bind *call, const Deaths *given)
{
	const Fun *f = fun_find(m->to, call->name);

	lend_call(m->lending, f);
	for (int i = 0; i < call->narg; i++)
		for (int k = 0; k < given->n; k++)
			if (among(1, &call->arg[i], given->at[k].var))
				lend_ends(m->lending, given->at[k].var, f, i);
}

/* b takes these operands over; what else dies, its way out or results that nobody uses, ends after it.  What
 * stays has two owners meanwhile, so that nothing is written over it. */
static void
taking(Memory *m, Block *out, const Bind *b, const Steps *taken, const Deaths *d)
{
	Deaths given = {0}, after = {0};
	bool keeps = !m->reuses && b->op != LCU_call;
	for (int i = 0; i < d->n; i++) {
		bool stays = keeps || !among(taken->n, taken->at, d->at[i].var) || leads_out(m, b, d->at[i].var);
		LIST_ADD(m->to->arena, stays ? &after : &given, d->at[i]);
	}
	if (b->op == LCU_call && m->lending)
		lets_go(m, b, &given);
	hand_over(m, out, taken->n, taken->at, &given, b->span);
	copy(m, out, b);
	for (int i = 0; i < after.n; i++)
		count(m, out, LCU_free, after.at[i].var, b->span);
}

static bool
as_large(const Memory *m, const Ty *a, const Ty *b)
{
	return a->kind == TY_VEC && b->kind == TY_VEC && ty_bytes(a, m->to->int_bits) == ty_bytes(b, m->to->int_bits);
}

/* Is v read only where s, a step of the task, stores afterwards?  Of two levels the elements of the second are read once,
 * by the one that stores. */
static bool
gives_way(const Bind *task, const Bind *s, const Var *v)
{
	bool before = true;
	if (s->op != LCU_store || s->level != task->narg)
		return false;
	for (const Bind *x = task->block[0]->first; x; x = x->next) {
		before = before && x != s;
		bool same_place = x->op == LCU_load && x->level == s->level && before;
		if ((among(x->narg, x->arg, v) && !same_place) || among(x->nway, x->way, v))
			return false;
	}
	return true;
}

/* A result of a task that is a piece of a vector or descriptor which ends with it, and is updated. */
typedef struct {
	Var *made;
	const Var *stored;      /* by the step that makes it */
	Piece p;
} Cut;
typedef LIST(Cut) Cuts;

/* Is this what the task does not store after all? */
static bool
is_left_out(const Cuts *cuts, const Var *stored)
{
	for (int i = 0; i < cuts->n; i++)
		if (cuts->at[i].stored == stored)
			return true;
	return false;
}

/* The store of the task that may take the place of v, rather one of its type than one of elements as large; NULL: none. */
static Bind *
takes_place(const Memory *m, const Bind *task, const Var *v, const Cuts *cuts)
{
	Bind *other = NULL;
	for (Bind *s = task->block[0]->first; s && m->reuses; s = s->next) {
		if (!gives_way(task, s, v) || is_left_out(cuts, s->dst[0]))
			continue;
		if (ty_equal(s->dst[0]->ty, v->ty))
			return s;
		if (!other && as_large(m, s->dst[0]->ty, v->ty))
			other = s;
	}
	return other;
}

/* Some store of the task, a copy, takes the place of v, which dies with it.  False: none may. */
static bool
replaced(Memory *m, const Bind *task, Var *v, const Cuts *cuts)
{
	Bind *s = takes_place(m, task, v, cuts);
	if (!s)
		return false;
	const Opnd x = s->arg[0];
	s->op = LCU_replace;
	s->narg = 2;
	s->arg = NEW(m->to->arena, Opnd, 2);
	s->arg[0] = x;
	s->arg[1] = opnd_var(v);
	m->ended[v->id] = true;
	return true;
}

/* Does some other step of the task use it? */
static bool
used_beside(const Bind *task, const Bind *s, const Var *v)
{
	for (const Bind *x = task->block[0]->first; x; x = x->next)
		if (x != s && (among(x->narg, x->arg, v) || among(x->nway, x->way, v)))
			return true;
	return false;
}

/* What the task marks it takes over, where it dies with it and nothing else looks at it; else there is one count more for it. */
static void
marked(Memory *m, Block *out, const Bind *task, const Deaths *d)
{
	for (const Bind *s = task->block[0]->first; s; s = s->next) {
		bool ends = false;
		if (s->op != LCU_mark)
			continue;
		for (int i = 0; i < d->n; i++)
			ends = ends || among(1, &s->arg[2], d->at[i].var);
		if (m->reuses && ends && !used_beside(task, s, s->arg[2].u.var))
			m->ended[s->arg[2].u.var->id] = true;
		else
			count(m, out, LCU_retain, s->arg[2].u.var, s->span);
	}
}

static bool
ends_here(const Deaths *d, const Var *v)
{
	for (int i = 0; i < d->n; i++)
		if (d->at[i].var == v)
			return true;
	return false;
}

/* An append, or a concat, whose first operand ends with it: that grows where it has room. */
static bool
grows(const Memory *m, const Bind *b, const Deaths *d)
{
	return m->reuses && b->op != LCU_put && updated_by(b) && ends_here(d, updated_by(b));
}

static bool
is_cut(const Cuts *cuts, const Var *v)
{
	for (int i = 0; i < cuts->n; i++)
		if (cuts->at[i].p.of.u.var == v)
			return true;
	return false;
}

/* What is popped before something is pushed, say: these are not made by the task, if they can stay where they are. */
static Cuts
cuts(const Memory *m, const Bind *task, const Deaths *d)
{
	Cuts all = {0};
	Piece p;

	for (int i = 0; i < task->ndst && m->reuses; i++)
		if (piece_of(task, i, &p) && ends_here(d, p.of.u.var) && !is_cut(&all, p.of.u.var)
			&& is_updated(m->place, task->next, task->dst[i]))
			LIST_ADD(m->to->arena, &all, ((Cut){task->dst[i], task->block[0]->yield[i].u.var, p}));
	return all;
}

/* The task as if these were results that nobody uses, so they are not made (fuse/unused.c). */
static void
leave_cuts(const Memory *m, Block *out, Bind *task, const Cuts *cuts)
{
	Var **dst = NEW(m->to->arena, Var *, task->ndst);

	for (int i = 0; i < task->ndst; i++) {
		dst[i] = task->dst[i];
		for (int k = 0; k < cuts->n; k++)
			if (cuts->at[k].made == task->dst[i]) {
				dst[i] = var_new(m->to, dst[i]->name, dst[i]->ty);
				bind_new(m->to, out, LCU_free, 0, 1, 0, task->span)->arg[0] = opnd_var(dst[i]);
			}
	}
	task->dst = dst;
}

static void
cut(Memory *m, Block *out, const Cut *c, Span span)
{
	const bool rows = c->made->ty->kind == TY_SEGDES;
	Bind *b = bind_new(m->to, out, rows ? LCU_piece_rows : LCU_piece, 1, 3, 0, span);

	b->dst[0] = c->made;
	b->arg[0] = c->p.of;
	b->arg[1] = c->p.from;
	b->arg[2] = c->p.n;
	m->ended[c->p.of.u.var->id] = true;
}

static void
forget(const Memory *m, Block *out, const char *cell, Span span)
{
	bind_new(m->to, out, LCU_forget, 0, 0, 0, span)->name = cell;
}

/* Reads a cell for the last time: has what it held, and is used. */
static void
last_of_cell(Memory *m, Block *out, const Bind *b, const Deaths *d)
{
	copy(m, out, b);
	for (int i = 0; i < d->n; i++)
		m->ended[d->at[i].var->id] = makes(b, d->at[i].var);
	for (int i = 0; i < b->ndst; i++)
		if (ty_counted(b->dst[i]->ty) && !m->ended[b->dst[i]->id])
			count(m, out, LCU_retain, b->dst[i], b->span);
	forget(m, out, b->name, b->span);
	for (int i = 0; i < d->n; i++)
		if (!m->ended[d->at[i].var->id])        /* its way out alone had use for it */
			count(m, out, LCU_free, d->at[i].var, b->span);
}

static void
task(Memory *m, Block *out, const Bind *b, const Deaths *d)
{
	const Cuts cut_off = cuts(m, b, d);
	Bind *n;

	marked(m, out, b, d);
	n = copy(m, out, b);
	for (int i = 0; i < d->n; i++) {
		Var *v = d->at[i].var;

		if (makes(b, v) || !(m->ended[v->id] || is_cut(&cut_off, v) || replaced(m, n, v, &cut_off)))
			count(m, out, LCU_free, v, b->span);
	}
	leave_cuts(m, out, n, &cut_off);
	for (int i = 0; i < cut_off.n; i++)
		cut(m, out, &cut_off.at[i], b->span);
}

/* b, and the end of what dies with it. */
static void
bind(Memory *m, Block *out, const Bind *b, const Deaths *d)
{
	Bind extend = *b;
	if (cell_ends_with(m->cells, b)) {
		last_of_cell(m, out, b, d);
		return;
	}
	if (grows(m, b, d)) {
		extend.op = b->op == LCU_append ? LCU_extend : LCU_extend_rows;
		b = &extend;
	}
	Steps taken = {0};
	for (int i = 0; i < b->narg; i++)
		if (bind_takes(m->to, b, i))
			LIST_ADD(m->to->arena, &taken, b->arg[i]);
	if (taken.n > 0) {
		taking(m, out, b, &taken, d);
		return;
	}
	if (b->op == LCU_task) {
		task(m, out, b, d);
		return;
	}
	Bind *n = copy(m, out, b);
	LIST(Var *) given = {0};
	for (int i = 0; i < d->n; i++)
		if (b->op == LCU_if && !makes(b, d->at[i].var))
			LIST_ADD(m->to->arena, &given, d->at[i].var);
		else
			count(m, out, LCU_free, d->at[i].var, b->span);
	if (b->op == LCU_if)
		for (int i = 0; i < b->nblock; i++)
			n->block[i] = block(m, b->block[i], b, given.n, given.at, b->span);
}

/* A body, or an arm of `of`. */
static Block *
block(Memory *m, const Block *b, const Bind *of, int ngiven, Var *const *given, Span span)
{
	const Place *up = m->place, here = {m->lcu, m->fun, b, of, up};
	Block *out = block_new(m->to);
	Deaths d = deaths(m, b, ngiven, given);
	int n = 0;
	for (int i = 0; i < ngiven; i++)
		m->ended[given[i]->id] = false;         /* also if the other arm has ended it */
	for (const Bind *x = b->first; x; x = x->next)
		n++;
	Deaths *at = by_position(m, &d, n);
	for (int i = 0; i < at[0].n; i++)
		count(m, out, LCU_free, at[0].at[i].var, span);
	n = 0;
	m->place = &here;
	for (const Bind *x = b->first; x; x = x->next)
		bind(m, out, x, &at[++n]);
	m->place = up;
	hand_over(m, out, b->nyield, b->yield, &at[n + 1], span);
	block_yield(m->to, out, b->nyield, b->yield);
	return out;
}

static Block *
body(Memory *m, const Fun *f)
{
	LIST(Var *) given = {0};
	m->fun = f;
	m->recursive = f->recursive && !lcu_is_runner(f);  /* batches do not come apart again, nor are there small rows in small ones: it is entered once */
	for (int i = 0; i < f->nparam; i++)
		if (ty_counted(f->param[i]->ty) && !fun_borrows(f, i))
			LIST_ADD(m->to->arena, &given, f->param[i]);
	return block(m, f->body, NULL, given.n, given.at, f->span);
}

static Block *
entry(Memory *m, const Entry *e)
{
	const CellList *over = cells_before(m->cells, e->body);
	Block *out = block_new(m->to), *rest = block(m, e->body, NULL, 0, NULL, e->span);

	for (int i = 0; i < over->n; i++)
		forget(m, out, over->at[i]->name, e->span);
	*out->end = rest->first;
	if (rest->first)
		out->end = rest->end;
	block_yield(m->to, out, rest->nyield, rest->yield);
	return out;
}

/* `to`, a copy of the unit's program, with its bodies written anew. */
static Program *
counted(const Unit *u, Program *to, const CellEnds *cells, Lending *lending)
{
	const int n = to->nvar;
	Memory m = {.to = to, .lcu = u->ir, .slot = NEW(u->arena, int, n), .gone = NEW(u->arena, bool, n),
		.ended = NEW(u->arena, bool, n), .reuses = !u->no_reuse, .debug = u->debug, .cells = cells, .lending = lending};

	for (Fun *f = to->funs; f; f = f->next)
		f->body = body(&m, f);
	m.fun = NULL;
	m.recursive = false;
	for (Entry *e = to->entries; e; e = e->next)
		if (e->body)
			e->body = entry(&m, e);
	return to;
}

void
memory(Unit *u)
{
	if (!u->no_reuse) {
		rows_pieces(u->ir);
		order_updates(u->ir);
	}
	Lending *l = lending(u->ir);
	const CellEnds *cells = cell_ends(u);
	Program *lends = program_copy(u->ir, &mem_ir), *to = counted(u, program_copy(u->ir, &mem_ir), cells, l);

	if (lend_decide(l, lends))
		to = counted(u, lends, cells, NULL);
	lend_back(to);
	unused(to);
	rooms(to);
	u->ir = u->debug ? recounted(to) : to;
}

/* peak.c: the most memory that an entry takes, before it runs.
 *
 * In   mem.
 * How  Each entry is gone through as it will run, arrays with their sizes (shape/size.h) over the lengths of cells'
 *      leaves and of results that only the run tells.  A call is gone through with its
 *      arguments' sizes.  What a task makes is there together with what it takes.  Of two points of the program the one that
 *      has more of each term is kept; where neither has, both are.
 *      Of more than MOST_POINTS none is kept, but a bound of all: the most that any has of each term.
 *      A filter's result counts as long as what is filtered.  An `if` may run either arm.  A jump back into a function that
 *      is being gone through begins another round, with what it carries on; what is of another size there than before has only
 *      a name in the next.  A round that begins as the one before ends the way: what is there then was there when it began.
 *      Of other recursion nothing is told: what it keeps for each level depends on the data. */
#include "memmgmt/peak.h"
#include "common/map.h"
#include "fuse/lcu.h"
#include "fuse/tail.h"
#include "shape/size.h"
#include "shape/text.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
	int unit;               /* of Peaks.unit */
	int64_t factor;
} Term;

typedef struct {
	const Size *bytes;
	LIST(Term) term;        /* the same */
	const char *at;         /* where it was made: FILE:LINE; or the input's name */
	int count;              /* owners; 0: gone */
	int grown;              /* how often it was extended; beyond GROWN_OFTEN there may be room for as much again */
	bool listed;            /* it is in Peaks.alive */
} Array;

typedef struct {
	int array, count;
} Owner;
typedef LIST(Owner) Owned;      /* arrays that have owners, and how many */

typedef struct {
	int64_t *bytes;         /* nunit of them: how often each unit */
	int nunit;
	LIST(int) alive;        /* arrays */
} Point;

typedef struct {
	const Size *size, *total;       /* an int: its value; a vector: elements; a descriptor: rows, and their elements */
	int array;              /* 1 + which of those of Peaks; 0: of no memory, or borrowed */
} Known;

typedef struct {
	const Fun *f;
	int rounds;             /* jumped back to it */
} Within;

enum { ROUNDS = 3 };            /* so many before all has only names */
enum { MOST_POINTS = 32 };
enum { GROWN_OFTEN = 3 };       /* NESL_GROWN_OFTEN of the run time */

struct Peaks {
	const Program *p;
	Arena *a;
	Sizes *z;
	Map *by_name, *name;    /* name -> Size; Atom -> name */
	Known *known;           /* by Var.id */
	Map *cell;              /* Cell -> Known * of its leaves */
	LIST(Array) array;
	LIST(int) alive;        /* those that have owners, and some that have none any more */
	LIST(const Size *) unit;        /* what bytes are sums of: products, or 1 */
	LIST(int64_t) now;      /* by unit: what is alive, as Point.bytes */
	Map *unit_number;       /* Size -> its place in unit, + 1 */
	bool more;              /* some array is alive that was not at the last point */
	LIST(Point) most;       /* of the entry at hand */
	bool bounded;           /* there were more: most is the one bound */
	LIST(Within) in;        /* functions that are being gone through */
	int jumped_since;       /* those of `in` from here on were jumped into, but for the first */
	Map *tails;             /* fuse/tail.h */
	const Fun *recursion;   /* one that keeps something for each level; NULL: none */
	bool jumped;            /* what comes next is not reached from here */
	Map *entry;             /* Entry -> text */
};

/* -- sums ------------------------------------------------------------------------------------------ */
/* The number that has this name. */
static const Size *
named(Peaks *w, const char *name)
{
	void **at = map_at(w->by_name, intern(w->p->names, name));

	if (!*at) {
		*at = (void *)size_unknown(w->z, false, true);
		*map_at(w->name, size_atom(*at)) = (void *)name;
	}
	return *at;
}

static const Size *
times(Peaks *w, int64_t k, const Size *s)
{
	return size_mul(w->z, size_int(w->z, k), s);
}

/* Has a at least as much of each term? */
static bool
covers(Peaks *w, const Size *a, const Size *b)
{
	const Size *more = size_sub(w->z, a, b);
	bool all = true;

	for (int i = 0; i < more->n; i++)
		all = all && more->product[i].factor > 0;
	return all;
}

static const char *
text(Peaks *w, const Size *s)
{
	return size_text(w->a, w->name, s);
}

/* -- what is known of variables --------------------------------------------------------------------- */
static const Size *
size_of(Peaks *w, Opnd o)
{
	return o.kind == OPND_VAR ? w->known[o.u.var->id].size : size_int(w->z, o.kind == OPND_INT ? o.u.i : 0);
}

static const Size *
total_of(Peaks *w, Opnd o)
{
	return o.kind == OPND_VAR ? w->known[o.u.var->id].total : size_int(w->z, 0);
}

static Known
known_of(Peaks *w, Opnd o)
{
	return o.kind == OPND_VAR ? w->known[o.u.var->id] : (Known){size_of(w, o), size_int(w->z, 0), 0};
}

/* Of a vector of n elements, or a descriptor of n rows. */
static const Size *
bytes_of(Peaks *w, const Ty *t, const Size *n)
{
	if (t->kind == TY_SEGDES)
		return size_add(w->z, times(w, 8, n), size_int(w->z, 8));
	return times(w, ty_bytes(t, w->p->int_bits), n);
}

/* Nothing but its name. */
static void
name_it(Peaks *w, const Var *v, const char *name)
{
	const bool whole = v->ty->kind == TY_INT;
	w->known[v->id] = (Known){named(w, arena_printf(w->a, whole ? "%s" : "#%s", name)),
		named(w, arena_printf(w->a, "##%s", name)), 0};
}

static int
grown(const Peaks *w, Known k)
{
	return k.array > 0 ? w->array.at[k.array - 1].grown : 0;
}

/* The number of the product without its factor. */
static int
unit(Peaks *w, const Product *p)
{
	const Size *s = size_int(w->z, 1);
	void **at;

	for (int i = 0; i < p->n; i++)
		s = size_mul(w->z, s, p->atom[i]->self);
	at = map_at(w->unit_number, s);
	if (!*at) {
		LIST_ADD(w->a, &w->unit, s);
		LIST_ADD(w->a, &w->now, 0);
		*at = (void *)(uintptr_t)w->unit.n;
	}
	return (int)(uintptr_t)*at - 1;
}

/* Array i has so many owners more. */
static void
owners_of(Peaks *w, int i, int more)
{
	Array *a = &w->array.at[i];
	const bool was = a->count > 0, is = a->count + more > 0;

	a->count += more;
	if (was == is)
		return;
	for (int k = 0; k < a->term.n; k++)
		w->now.at[a->term.at[k].unit] += is ? a->term.at[k].factor : -a->term.at[k].factor;
	w->more |= is;
	if (is && !a->listed) {
		a->listed = true;
		LIST_ADD(w->a, &w->alive, i);
	}
}

/* One more; its number. */
static int
array_new(Peaks *w, const Size *bytes, const char *at, int times_grown)
{
	Array a = {.bytes = bytes, .at = at, .grown = times_grown};

	for (int i = 0; i < bytes->n; i++)
		LIST_ADD(w->a, &a.term, ((Term){unit(w, &bytes->product[i]), bytes->product[i].factor}));
	LIST_ADD(w->a, &w->array, a);
	owners_of(w, w->array.n - 1, 1);
	return w->array.n;
}

static void
make_grown(Peaks *w, const Var *v, Span at, int times_grown)
{
	Known *k = &w->known[v->id];
	const Size *bytes = times(w, times_grown > GROWN_OFTEN ? 2 : 1, bytes_of(w, v->ty, k->size));

	k->array = array_new(w, bytes, arena_printf(w->a, "%s:%d", at.file ? at.file : "", at.line), times_grown);
}

static void
make(Peaks *w, const Var *v, Span at)
{
	make_grown(w, v, at, 0);
}

static void
owners(Peaks *w, Opnd o, int more)
{
	if (o.kind == OPND_VAR && ty_counted(o.u.var->ty) && w->known[o.u.var->id].array > 0)
		owners_of(w, w->known[o.u.var->id].array - 1, more);
}

/* Takes those that have none out of Peaks.alive. */
static void
forget_dead(Peaks *w)
{
	int kept = 0;

	for (int i = 0; i < w->alive.n; i++) {
		Array *a = &w->array.at[w->alive.at[i]];

		a->listed = a->count > 0;
		if (a->listed)
			w->alive.at[kept++] = w->alive.at[i];
	}
	w->alive.n = kept;
}

static Owned
owned(Peaks *w)
{
	Owned l = {0};

	forget_dead(w);
	for (int i = 0; i < w->alive.n; i++)
		LIST_ADD(w->a, &l, ((Owner){w->alive.at[i], w->array.at[w->alive.at[i]].count}));
	return l;
}

/* These, and no others. */
static void
set_owned(Peaks *w, const Owned *l)
{
	for (int i = 0; i < w->alive.n; i++)
		owners_of(w, w->alive.at[i], -w->array.at[w->alive.at[i]].count);
	for (int i = 0; i < l->n; i++)
		owners_of(w, l->at[i].array, l->at[i].count);
}

/* -- points of the program ---------------------------------------------------------------------------- */
/* Had it at least as much of each unit as there is now? */
static bool
had_all(const Peaks *w, const Point *p)
{
	for (int i = 0; i < w->now.n; i++)
		if ((i < p->nunit ? p->bytes[i] : 0) < w->now.at[i])
			return false;
	return true;
}

/* Is there now as much as it had? */
static bool
has_all(const Peaks *w, const Point *p)
{
	for (int i = 0; i < w->now.n; i++)
		if (w->now.at[i] < (i < p->nunit ? p->bytes[i] : 0))
			return false;
	return true;
}

static int
by_number(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* What is there now; arrays in the order in which they were made. */
static void
add_point(Peaks *w)
{
	Point p = {.bytes = NEW(w->a, int64_t, w->now.n), .nunit = w->now.n};

	if (w->now.n > 0)
		memcpy(p.bytes, w->now.at, sizeof *p.bytes * (size_t)w->now.n);
	forget_dead(w);
	for (int i = 0; i < w->alive.n; i++)
		LIST_ADD(w->a, &p.alive, w->alive.at[i]);
	if (p.alive.n > 0)
		qsort(p.alive.at, (size_t)p.alive.n, sizeof *p.alive.at, by_number);
	LIST_ADD(w->a, &w->most, p);
}

static void
drop_point(Peaks *w, Point *p)
{
	arena_give_back(w->a, p->bytes, sizeof *p->bytes * (size_t)p->nunit);
	LIST_DROP(w->a, &p->alive);
}

/* Of all points one that has the most of each unit, and nothing that is told to be alive. */
static void
bound(Peaks *w)
{
	Point b = {.bytes = NEW(w->a, int64_t, w->now.n), .nunit = w->now.n};

	for (int k = 0; k < w->most.n; k++) {
		Point *p = &w->most.at[k];

		for (int i = 0; i < b.nunit; i++) {
			const int64_t has = i < p->nunit ? p->bytes[i] : 0;

			b.bytes[i] = k == 0 || has > b.bytes[i] ? has : b.bytes[i];
		}
		drop_point(w, p);
	}
	w->most.n = 0;
	LIST_ADD(w->a, &w->most, b);
	w->bounded = true;
}

/* Those before say nothing more of it, if nothing came since the last. */
static void
point(Peaks *w)
{
	int kept = 0;

	if (!w->more || w->recursion)
		return;
	w->more = false;
	for (int i = w->most.n; i-- > 0; )
		if (had_all(w, &w->most.at[i]))
			return;
	for (int i = 0; i < w->most.n; i++)
		if (!w->bounded && has_all(w, &w->most.at[i]))
			drop_point(w, &w->most.at[i]);
		else
			w->most.at[kept++] = w->most.at[i];
	w->most.n = kept;
	add_point(w);
	if (w->bounded || w->most.n > MOST_POINTS)
		bound(w);
}

/* -- bindings ------------------------------------------------------------------------------------------- */
static void block(Peaks *w, const Block *b);

/* The results of a task, and what is written over. */
static void
task(Peaks *w, const Bind *b)
{
	const Size *n = size_of(w, b->arg[0]), *all = b->narg > 1 ? total_of(w, b->arg[1]) : n;

	for (int i = 0; i < b->ndst; i++) {
		const Var *v = b->dst[i];
		const Bind *s = lcu_sink(b, i);
		name_it(w, v, v->name);
		if (!ty_counted(v->ty))
			continue;
		w->known[v->id].size = s && (lcu_puts(s) != LCU_NOP || s->op == LCU_mark) ? size_of(w, s->arg[2]) : s && s->level == 2 && s->op != LCU_keep_segdes ? all : n;
		if (s && lcu_takes_place(s))
			owners(w, *lcu_takes_place(s), -1);
		make(w, v, b->span);
	}
}

static void
library(Peaks *w, const Bind *b)
{
	const Var *v = b->dst[0];
	Known *k = &w->known[v->id];
	const Size *sum = size_int(w->z, 0), *total = sum;

	name_it(w, v, v->name);
	for (int i = 0; i < b->narg; i++) {
		sum = size_add(w->z, sum, size_of(w, b->arg[i]));
		total = size_add(w->z, total, total_of(w, b->arg[i]));
	}
	if (b->op == LCU_append || b->op == LCU_extend || b->op == LCU_concat)
		k->size = sum, k->total = total;
	else if (b->op == LCU_vector || b->op == LCU_chars)
		k->size = size_int(w->z, b->op == LCU_vector ? b->narg : b->textlen);
	else
		k->size = v->ty->kind == TY_VEC && opnd_ty(b->arg[0])->kind == TY_SEGDES ? total_of(w, b->arg[0]) : size_of(w, b->arg[0]);
	if (b->op == LCU_uniform)
		k->total = size_mul(w->z, k->size, size_of(w, b->arg[1]));
	else if (b->op == LCU_offsets)
		k->total = total;
	if (b->op == LCU_put)           /* in its place, unless others have it too */
		owners(w, b->arg[0], -1);
	if (ty_counted(v->ty))
		make_grown(w, v, b->span, b->op == LCU_extend ? grown(w, known_of(w, b->arg[0])) + 1 : 0);
}

/* Of host scalars sizes are followed through what makes sizes. */
static void
scalar(Peaks *w, const Bind *b)
{
	Known *k = &w->known[b->dst[0]->id];

	name_it(w, b->dst[0], b->dst[0]->name);
	if (b->dst[0]->ty->kind != TY_INT)
		return;
	const Size *x = size_of(w, b->narg > 0 ? b->arg[0] : opnd_int(0)), *y = size_of(w, b->narg > 1 ? b->arg[1] : opnd_int(0));
	if (b->op == LCU_length || b->op == LCU_rows)
		k->size = x;
	else if (b->op == LCU_total)
		k->size = total_of(w, b->arg[0]);
	else if (b->op == LCU_add || b->op == LCU_sub)
		k->size = (b->op == LCU_add ? size_add : size_sub)(w->z, x, y);
	else if (b->op == LCU_max && size_is(y, 0))
		k->size = x;
	else if (b->op == LCU_mul || b->op == LCU_area)
		k->size = size_mul(w->z, x, y);
}

/* Is it being gone through?  NULL: no. */
static Within *
within(const Peaks *w, const Fun *f)
{
	for (int i = 0; i < w->in.n; i++)
		if (w->in.at[i].f == f)
			return &w->in.at[i];
	return NULL;
}

/* Do they say the same of v? */
static bool
alike(const Var *v, Known a, Known b)
{
	return a.size == b.size && (a.total == b.total || (v->ty->kind != TY_SEGDES && v->ty->kind != TY_UNIFORM));
}

/* What parameter v of f has by its name alone. */
static Known
any_round(Peaks *w, const Fun *f, const Var *v)
{
	name_it(w, v, arena_printf(w->a, "%s.%s", f->name, v->name));
	return w->known[v->id];
}

/* The parameters of another round, from what b carries on.  False: it begins as this one did. */
static bool
next_round(Peaks *w, const Bind *b, const Fun *f, int rounds, Known *next)
{
	bool other = rounds == 0;

	for (int i = 0; i < f->nparam; i++) {
		const Var *v = f->param[i];
		const Known was = w->known[v->id], is = known_of(w, b->arg[i]), any = any_round(w, f, v);

		w->known[v->id] = was;
		next[i] = is;
		if (rounds < ROUNDS && alike(v, is, was))
			continue;
		other = other || !alike(v, was, any);
		next[i].size = any.size;
		next[i].total = any.total;
	}
	return other;
}

/* A jump back into a function that is being gone through. */
static void
jump_back(Peaks *w, const Bind *b, Within *in)
{
	const Fun *f = in->f;
	const size_t all = sizeof(Known) * (size_t)(w->p->nvar + 1);
	const int at = (int)(in - w->in.at);
	Known *next = NEW(w->a, Known, f->nparam), *before, *result;

	w->jumped = !next_round(w, b, f, in->rounds, next);
	if (w->jumped)
		return;
	before = memcpy(NEW(w->a, Known, w->p->nvar + 1), w->known, all);
	result = NEW(w->a, Known, b->ndst);
	for (int i = 0; i < f->nparam; i++) {
		const bool same = alike(f->param[i], next[i], known_of(w, b->arg[i]));

		w->known[f->param[i]->id] = next[i];
		if (!same && ty_counted(f->param[i]->ty) && !fun_borrows(f, i)) {
			owners(w, b->arg[i], -1);
			make_grown(w, f->param[i], b->span, grown(w, next[i]) > 0 ? GROWN_OFTEN + 1 : 0);
		}
	}
	in->rounds++;
	block(w, f->body);
	w->in.at[at].rounds--;
	for (int i = 0; i < b->ndst; i++)
		result[i] = known_of(w, f->body->yield[i]);
	memcpy(w->known, before, all);
	arena_give_back(w->a, before, all);
	for (int i = 0; i < b->ndst; i++)
		w->known[b->dst[i]->id] = result[i];
}

static void
call(Peaks *w, const Bind *b)
{
	const Fun *f = fun_find(w->p, b->name);
	const bool jump = tail_call(w->tails, b) != NULL;
	const int since = w->jumped_since;
	Within *in = within(w, f);

	for (int i = 0; i < b->ndst; i++)
		name_it(w, b->dst[i], b->dst[i]->name);
	if (f->scalar)
		return;
	if (in && jump && in - w->in.at >= since) {
		jump_back(w, b, in);
		return;
	}
	if (in) {
		w->jumped = false;
		w->recursion = f;
		return;
	}
	for (int i = 0; i < f->nparam; i++)
		w->known[f->param[i]->id] = known_of(w, b->arg[i]);
	w->jumped_since = jump ? since : w->in.n;
	LIST_ADD(w->a, &w->in, ((Within){f, 0}));
	block(w, f->body);
	w->in.n--;
	w->jumped_since = since;
	for (int i = 0; i < b->ndst; i++)
		if (f->body->yield[i].kind == OPND_VAR)
			w->known[b->dst[i]->id] = w->known[f->body->yield[i].u.var->id];
}

/* What two arms give: the larger one, or what has only its name. */
static void
either(Peaks *w, const Var *v, Known one, Known other)
{
	const bool more = covers(w, one.size, other.size), less = covers(w, other.size, one.size);
	const bool longer = covers(w, one.total, other.total), shorter = covers(w, other.total, one.total);

	name_it(w, v, v->name);
	if (more || less)
		w->known[v->id].size = more ? one.size : other.size;
	if (longer || shorter)
		w->known[v->id].total = longer ? one.total : other.total;
}

/* Of two arms the one that goes on; of both what is there at the end of the second, with what either gives. */
static void
fork(Peaks *w, const Bind *b)
{
	Owned before = owned(w), one;
	bool jumped;

	block(w, b->block[0]);
	jumped = w->jumped;
	one = owned(w);
	set_owned(w, &before);
	w->jumped = false;
	block(w, b->block[1]);
	const bool first = w->jumped && !jumped;
	if (first)
		set_owned(w, &one);
	LIST_DROP(w->a, &before);
	LIST_DROP(w->a, &one);
	for (int i = 0; i < b->ndst; i++) {
		const Opnd x = b->block[0]->yield[i], y = b->block[1]->yield[i];
		const Var *v = b->dst[i];
		if (first || jumped) {
			w->known[v->id] = known_of(w, first ? x : y);
			continue;
		}
		const int one_grown = grown(w, known_of(w, x)), other_grown = grown(w, known_of(w, y));
		either(w, v, known_of(w, x), known_of(w, y));
		if (ty_counted(v->ty)) {
			owners(w, y, -1);
			make_grown(w, v, b->span, one_grown > other_grown ? one_grown : other_grown);
		}
	}
	w->jumped = w->jumped && jumped;
}

static void
cell(Peaks *w, const Bind *b)
{
	const Known *k = *map_at(w->cell, cell_find(w->p, b->name));
	const int first = b->op == LCU_peek;

	for (int i = 0; i < b->ndst; i++) {
		name_it(w, b->dst[i], b->dst[i]->name);
		if (k && i >= first)
			w->known[b->dst[i]->id] = k[i - first];
	}
}

/* What the cell held has an owner less. */
static void
empty_cell(Peaks *w, const Cell *c)
{
	const Known *k = *map_at(w->cell, c);
	const TyList l = cell_leaves(w->a, c);

	for (int i = 0; i < l.n && k; i++)
		if (k[i].array > 0)
			owners_of(w, k[i].array - 1, -1);
	*map_at(w->cell, c) = NULL;
}

static void
bind(Peaks *w, const Bind *b)
{
	const OpInfo *op = &mem_ir.op[b->op];

	if (b->op == LCU_free || b->op == LCU_retain)
		owners(w, b->arg[0], b->op == LCU_free ? -1 : 1);
	else if (b->op == LCU_task)
		task(w, b);
	else if (b->op == LCU_if)
		fork(w, b);
	else if (b->op == LCU_call)
		call(w, b);
	else if (b->op == LCU_cell || b->op == LCU_peek)
		cell(w, b);
	else if (b->op == LCU_forget)
		empty_cell(w, cell_find(w->p, b->name));
	else if (op->cls == OP_LIBRARY && b->ndst == 1)
		library(w, b);
	else if (b->ndst > 0)
		scalar(w, b);
	if (op->cls == OP_EFFECT)
		for (int i = 0; i < b->ndst; i++) {
			name_it(w, b->dst[i], b->dst[i]->name);
			if (ty_counted(b->dst[i]->ty))
				make(w, b->dst[i], b->span);
		}
	if (!w->jumped)
		point(w);
	if (op->cls == OP_LIBRARY)
		for (int i = 0; i < op->takes && b->op != LCU_put; i++)
			owners(w, b->arg[i], -1);
}

static void
block(Peaks *w, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next)
		bind(w, x);
}

/* -- entries ---------------------------------------------------------------------------------------------- */
/* The cell takes its leaves over; what it had goes. */
static void
set_cell(Peaks *w, const Cell *c, const Opnd *leaf, int n)
{
	Known *k = NEW(w->a, Known, n);

	for (int i = 0; i < n; i++)
		if (leaf[i].kind == OPND_VAR)
			k[i] = w->known[leaf[i].u.var->id];
		else
			k[i] = (Known){size_of(w, leaf[i]), size_int(w->z, 0), 0};
	empty_cell(w, c);
	*map_at(w->cell, c) = k;
}

static void
bind_input(Peaks *w, const Cell *c)
{
	const TyList l = cell_leaves(w->a, c);
	Known *k = NEW(w->a, Known, l.n);

	for (int i = 0; i < l.n; i++) {
		const char *name = l.n > 1 ? arena_printf(w->a, "%s.%d", c->shown, i) : c->shown;
		k[i].size = named(w, arena_printf(w->a, ty_scalar(l.at[i]) ? "%s" : "#%s", name));
		k[i].total = named(w, arena_printf(w->a, "#%s.%d", c->shown, i + 1));
		if (ty_scalar(l.at[i]))
			continue;
		k[i].array = array_new(w, bytes_of(w, l.at[i], k[i].size), c->shown, 0);
	}
	*map_at(w->cell, c) = k;
}

/* Of a few terms at a time: a longer sum would have a name of its own (shape/size.h). */
static const char *
bytes(Peaks *w, const Point *p)
{
	enum { FEW = 16 };
	const char *r = "";
	int i = 0;

	while (i < p->nunit) {
		const Size *some = size_int(w->z, 0);
		const char *s;

		for (int n = 0; n < FEW && i < p->nunit; i++) {
			some = size_add(w->z, some, times(w, p->bytes[i], w->unit.at[i]));
			n += p->bytes[i] != 0;
		}
		if (size_is(some, 0) && (*r || i < p->nunit))
			continue;
		s = text(w, some);
		r = arena_printf(w->a, *r ? *s == '-' ? "%s - %s" : "%s + %s" : "%s%s", r, s + (*r && *s == '-'));
	}
	return *r ? r : "0";
}

/* What there is at one point, by where it was made. */
static const char *
alive(Peaks *w, const Point *p)
{
	const char *r = "";

	for (int i = 0; i < p->alive.n; i++) {
		const char *at = w->array.at[p->alive.at[i]].at;
		const Size *all = size_int(w->z, 0);
		int k = 0;
		while (k < i && strcmp(w->array.at[p->alive.at[k]].at, at) != 0)
			k++;
		for (int j = i; j < p->alive.n && k == i; j++)
			if (strcmp(w->array.at[p->alive.at[j]].at, at) == 0)
				all = size_add(w->z, all, w->array.at[p->alive.at[j]].bytes);
		if (k == i)
			r = arena_printf(w->a, "%s%s\"%s: %s\"", r, *r ? ", " : "", at, text(w, all));
	}
	return r;
}

static const char *
told(Peaks *w)
{
	const char *r = "", *sep = "";

	if (w->recursion)
		return arena_printf(w->a, "\"peak_bytes\": null, \"recursion\": \"%s\"", w->recursion->name);
	if (w->bounded)
		return arena_printf(w->a, "\"peak_bytes\": null, \"at_most\": \"%s\"", bytes(w, &w->most.at[0]));
	for (int i = 0; i < w->most.n; i++, sep = ", ")
		r = arena_printf(w->a, "%s%s{\"bytes\": \"%s\", \"alive\": [%s]}", r, sep, bytes(w, &w->most.at[i]),
			alive(w, &w->most.at[i]));
	return arena_printf(w->a, "\"peak_bytes\": [%s]", r);
}

static void
entry(Peaks *w, const Entry *e)
{
	const Opnd *leaf = e->body->yield;

	w->most.n = 0;
	w->bounded = false;
	w->recursion = NULL;
	w->jumped = false;
	w->more = true;
	/* what ends before it is none of its own */
	for (const Bind *x = e->body->first; x && x->op == LCU_forget; x = x->next)
		empty_cell(w, cell_find(w->p, x->name));
	point(w);
	block(w, e->body);
	*map_at(w->entry, e) = (void *)told(w);
	for (int i = 0; i < e->ncell; i++) {
		const TyList l = cell_leaves(w->a, e->cell[i]);

		set_cell(w, e->cell[i], leaf, l.n);
		leaf += l.n;
	}
}

Peaks *
peaks(const Unit *u)
{
	Peaks *w = NEW(u->arena, Peaks, 1);

	*w = (Peaks){.p = u->ir, .a = u->arena, .z = sizes_new(u->arena, 64), .by_name = map_new(u->arena), .name = map_new(u->arena),
		.known = NEW(u->arena, Known, u->ir->nvar + 1), .cell = map_new(u->arena),
		.unit_number = map_new(u->arena), .entry = map_new(u->arena), .tails = tail_calls(u->ir)};
	for (int i = 0; i <= u->ir->nvar; i++)
		w->known[i] = (Known){size_int(w->z, 0), size_int(w->z, 0), 0};
	for (const Cell *c = u->ir->cells; c; c = c->next)
		if (c->input)
			bind_input(w, c);
	for (const Entry *e = u->ir->entries; e; e = e->next)
		if (e->body)
			entry(w, e);
	return w;
}

void
peak_print(const Peaks *p, const Entry *e, FILE *out)
{
	fputs(*map_at(p->entry, e), out);
}

/* peak.c: the most memory that an entry takes, before it runs.
 *
 * In   mem.
 * How  Each entry is gone through as it will run, arrays with their sizes (shape/size.h) over the lengths of cells'
 *      leaves and of results that only the run tells.  A call is gone through with its
 *      arguments' sizes.  What a task makes is there together with what it takes.  What is there at each point is alive.c's.
 *      A filter's result counts as long as what is filtered.  An `if` may run either arm.  A jump back into a function that
 *      is being gone through begins another round, with what it carries on; what is of another size there than before has only
 *      a name in the next.  A round that begins as the one before ends the way: what is there then was there when it began.
 *      Of other recursion nothing is told: what it keeps for each level depends on the data. */
#include "memmgmt/peak.h"
#include "common/map.h"
#include "fuse/lcu.h"
#include "fuse/tail.h"
#include "memmgmt/alive.h"
#include "shape/size.h"
#include <string.h>

typedef struct {
	const Size *size, *total;       /* an int: its value; a vector: elements; a descriptor: rows, and their elements */
	int array;              /* 1 + its number; 0: of no memory, or borrowed */
} Known;

typedef struct {
	const Fun *f;
	int rounds;             /* jumped back to it */
} Within;

enum { ROUNDS = 3 };            /* so many before all has only names */
enum {
	GROWN_OFTEN = 3,        /* NESL_GROWN_OFTEN of the run time; beyond that there may be room for as much again */
	CUT = 1 << 20           /* or it is a piece of what there was, of at least three eighths */
};

struct Peaks {
	const Program *p;
	Arena *a;
	Sizes *z;
	Map *by_name, *name;    /* name -> Size; Atom -> name */
	Known *known;           /* by Var.id */
	Map *cell;              /* Cell -> Known * of its leaves */
	Alive *alive;           /* arrays, and the points of the entry at hand */
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
	return k.array > 0 ? alive_grown(w->alive, k.array - 1) : 0;
}

static void
make_grown(Peaks *w, const Var *v, Span at, int times_grown)
{
	Known *k = &w->known[v->id];
	const Size *bytes = times(w, times_grown >= CUT ? 3 : times_grown > GROWN_OFTEN ? 2 : 1, bytes_of(w, v->ty, k->size));

	k->array = 1 + alive_new_array(w->alive, bytes, arena_printf(w->a, "%s:%d", at.file ? at.file : "", at.line), times_grown);
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
		alive_owners(w->alive, w->known[o.u.var->id].array - 1, more);
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
	if (b->op == LCU_append || b->op == LCU_concat || lcu_extends(b))
		k->size = sum, k->total = total;
	else if (b->op == LCU_piece || b->op == LCU_piece_rows)
		k->size = size_of(w, b->arg[2]);
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
		make_grown(w, v, b->span, lcu_extends(b) ? grown(w, known_of(w, b->arg[0])) + 1 : b->op == LCU_piece || b->op == LCU_piece_rows ? CUT : 0);
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
			make_grown(w, f->param[i], b->span, grown(w, next[i]) >= CUT ? CUT : grown(w, next[i]) > 0 ? GROWN_OFTEN + 1 : 0);
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
	Owned before = alive_owned(w->alive), one;
	bool jumped;

	block(w, b->block[0]);
	jumped = w->jumped;
	one = alive_owned(w->alive);
	alive_set(w->alive, &before);
	w->jumped = false;
	block(w, b->block[1]);
	const bool first = w->jumped && !jumped;
	if (first)
		alive_set(w->alive, &one);
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
			alive_owners(w->alive, k[i].array - 1, -1);
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
	if (!w->jumped && !w->recursion)
		alive_point(w->alive);
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
		k[i].array = 1 + alive_new_array(w->alive, bytes_of(w, l.at[i], k[i].size), c->shown, 0);
	}
	*map_at(w->cell, c) = k;
}

static const char *
told(Peaks *w)
{
	if (w->recursion)
		return arena_printf(w->a, "\"peak_bytes\": null, \"recursion\": \"%s\"", w->recursion->name);
	return alive_text(w->alive, w->name);
}

static void
entry(Peaks *w, const Entry *e)
{
	const Opnd *leaf = e->body->yield;

	w->recursion = NULL;
	w->jumped = false;
	/* what ends before it is none of its own */
	for (const Bind *x = e->body->first; x && x->op == LCU_forget; x = x->next)
		empty_cell(w, cell_find(w->p, x->name));
	alive_begin(w->alive);
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
		.entry = map_new(u->arena), .tails = tail_calls(u->ir)};
	w->alive = alive_new(w->a, w->z);
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

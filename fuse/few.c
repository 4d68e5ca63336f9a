/* few.c: a few elements of what is made element by element are made where they are wanted.
 *
 * In   flan whose checks are proved or stay (shape/shape.h)
 * Out  the same, where d = {f(x) : x in row} in d[min_index(d)] has d neither for one sequence nor for rows:
 *
 *          elem (x op^ y) k = elem x k op elem y k                 elem (iota n) k = k
 *          gather (x op^ y) i = gather x i op^ gather y i          gather (gather x j) i = gather x (gather j i)
 *
 *      and where i is the place in each row of s that max_at^ s or min_at^ s found,
 *
 *          gather (dist^ s x) i = x                                gather (iota^ s) i = the place within the row
 *
 * Rule All other uses of the vector are by element, so that it would be in memory for these few only; they are an element for the host,
 *      or no more than there are rows that it is the elements of; what they are made of is in memory anyway, and takes few steps.
 *      Nothing is made so behind a call or a clock that what it is made of was before: that would be in memory all the time.
 *      The host takes one number from memory, as it did, and asks no function of the mathematical library: a device has its own.
 * How  Rematerialisation (Briggs, Cooper and Torczon, PLDI 1992), where it stores nothing: a step for a row costs less than a
 *      store for each of its elements.  Checks are bindings of their own, which stay. */
#include <string.h>
#include "flatten/dead.h"
#include "flatten/flan.h"
#include "fuse/few.h"
#include "shape/shape.h"

enum {
	MOST = 24,              /* steps for an element, */
	LOAD = 4,               /* of which what takes one from memory is so many, */
	WAIT = MOST / 2 + 1,    /* where the host waits for it so many that it does once, */
	FUNCTION = 8            /* and one of the mathematical library's functions */
};

typedef struct Element {
	const Var *of;
	Opnd is;
} Element;

typedef struct Few {
	Program *p;
	Shapes *shapes;
	const Bind **made;      /* by Var.id: what made it; NULL: a parameter or a result of blocks */
	bool *whole;            /* by Var.id: wanted otherwise than by element, or for a few elements */
	int *part;              /* by Var.id: how many calls and clocks were before it in the body */
	int parts;              /* up to here */
	LIST(const Var *) descriptor;   /* of the body */
	LIST(Element) element;  /* of vectors, at the place at hand */
	Bind **here;            /* where bindings are put */
} Few;

/* Where elements are wanted. */
typedef struct Place {
	Opnd at;                /* a number of the host, or one for each row */
	Opnd rows, within;      /* it is the place in each row, which begins there; rows: a constant if that is not known */
} Place;

static const Bind *
made_by(const Few *f, Opnd o)
{
	return o.kind == OPND_VAR ? f->made[o.u.var->id] : NULL;
}

static bool
is_step(const Bind *b)
{
	return b && flan_elementwise(b);
}

/* -- places ------------------------------------------------------------------------------------------------- */
static bool
same_descriptor(Few *f, Opnd s, Opnd t)
{
	return shape_descriptor(f->shapes, s.u.var) == shape_descriptor(f->shapes, t.u.var);
}

/* Does v tell where the rows of s start? */
static bool
starts_rows(Few *f, Opnd v, Opnd s)
{
	const Bind *b = made_by(f, v), *r = made_by(f, s), *n;

	if (!b || (b->op == FLAN_starts && same_descriptor(f, b->arg[0], s)))
		return b != NULL;
	if (b->op != FLAN_mul || !b->lifted || !r || r->op != FLAN_uniform || !same_opnd(b->arg[1], r->arg[1]))
		return false;
	n = made_by(f, b->arg[0]);
	return n && n->op == FLAN_iota && !n->lifted && same_opnd(n->arg[0], r->arg[0]);
}

/* Did a fold of each row find it among the places of the row's elements? */
static bool
is_found(Few *f, Opnd v, Opnd *s)
{
	const Bind *b = made_by(f, v), *places;

	if (!b || !b->lifted || !op_finds_place(&flan_ir.op[b->op]))
		return false;
	places = made_by(f, b->arg[2]);
	*s = b->arg[0];
	return places && places->lifted && places->op == FLAN_iota && same_descriptor(f, places->arg[0], *s);
}

/* Of rows that have none, or whose elements nobody looks at, it is any. */
static Place
place(Few *f, Opnd at)
{
	Place p = {.at = at, .rows = opnd_int(0)};
	const Bind *b = made_by(f, at);
	Opnd s;

	for (int i = 1; b && b->op == FLAN_select && i < 3; i++)
		if (same_opnd(b->arg[i], opnd_int(-1)))
			b = made_by(f, b->arg[3 - i]);
	for (int i = 0; b && b->op == FLAN_add && b->lifted && i < 2; i++)
		if (is_found(f, b->arg[i], &s) && starts_rows(f, b->arg[1 - i], s)) {
			p.rows = s;
			p.within = b->arg[i];
			break;
		}
	return p;
}

/* No more than there are rows that v is the elements of. */
static bool
is_few(Few *f, Opnd at, Opnd v)
{
	int n = shape_length(f->shapes, at.u.var), all = shape_length(f->shapes, v.u.var);
	int64_t few, many;

	if (shape_is_constant(f->shapes, n, &few) && shape_is_constant(f->shapes, all, &many))
		return few <= many;
	for (int i = 0; i < f->descriptor.n; i++)
		if (shape_rows(f->shapes, f->descriptor.at[i]) == n && shape_total(f->shapes, f->descriptor.at[i]) == all)
			return true;
	return false;
}

/* Does b take a few elements of its first operand? */
static bool
takes_few(Few *f, const Bind *b)
{
	return b->op == FLAN_elem || (b->op == FLAN_gather && is_few(f, b->arg[1], b->arg[0]));
}

/* -- what there is ------------------------------------------------------------------------------------------ */
/* Its i-th operand is asked for element by element, or for a few of them, or how many there are? */
static bool
is_asked(Few *f, const Bind *b, int i)
{
	if (b->op == FLAN_gather || b->op == FLAN_elem)
		return i == 1 || takes_few(f, b);
	if (op_folds(&flan_ir.op[b->op]) || b->op == FLAN_pack)
		return i >= b->lifted;
	return b->op == FLAN_length || (b->lifted && (is_step(b) || b->op == FLAN_check || b->op == FLAN_dist));
}

static void
note_whole(Few *f, Opnd o)
{
	if (is_vector(o))
		f->whole[o.u.var->id] = true;
}

static void
note_descriptor(Few *f, const Var *v)
{
	if (v->ty->kind == TY_SEGDES)
		LIST_ADD(f->p->arena, &f->descriptor, v);
}

static void
survey(Few *f, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		f->parts += b->op == FLAN_clock || (b->op == FLAN_call && !b->lifted);
		for (int i = 0; i < b->ndst; i++) {
			f->made[b->dst[i]->id] = b->nblock ? NULL : b;
			f->part[b->dst[i]->id] = f->parts;
			note_descriptor(f, b->dst[i]);
		}
		for (int i = 0; i < b->narg; i++)
			if (!is_asked(f, b, i))
				note_whole(f, b->arg[i]);
		for (int i = 0; i < b->nway; i++)
			note_whole(f, b->way[i]);
		for (int i = 0; i < b->nblock; i++)
			survey(f, b->block[i]);
	}
	for (int i = 0; i < block->nyield; i++)
		note_whole(f, block->yield[i]);
}

/* Whoever wants it, or nobody? */
static bool
is_in_memory(const Few *f, Opnd v)
{
	const Bind *b = made_by(f, v);

	return !b || f->whole[v.u.var->id] || b->op == FLAN_cell || (b->op == FLAN_call && !b->lifted);
}

static Element *
have(Few *f, Opnd v)
{
	for (int i = 0; i < f->element.n; i++)
		if (f->element.at[i].of == v.u.var)
			return &f->element.at[i];
	return NULL;
}

static void
add(Few *f, Opnd v, Opnd is)
{
	LIST_ADD(f->p->arena, &f->element, ((Element){v.u.var, is}));
}

static bool
is_function(const Bind *b)
{
	return strcmp(flan_ir.op[b->op].sig[0], "f:f") == 0;
}

/* Is what b gives the same for the element as for its row, or the element's place? */
static bool
follows(Few *f, const Bind *b, const Place *p)
{
	if (b->op != FLAN_iota && b->op != FLAN_dist)
		return false;
	return b->lifted ? p->rows.kind == OPND_VAR && same_descriptor(f, b->arg[0], p->rows) : b->op == FLAN_iota || !is_vector(p->at);
}

/* Steps of an element of v there, without those that were counted; up to more than MOST. */
static int
steps(Few *f, Opnd v, const Place *p)
{
	const bool host = !is_vector(p->at);
	const int load = host ? WAIT : LOAD;
	const Bind *b = made_by(f, v);
	int n;

	if (!is_vector(v) || have(f, v))
		return 0;
	add(f, v, v);
	if (is_in_memory(f, v))
		return load;
	if (follows(f, b, p))
		return 0;
	if (b->op == FLAN_gather && is_in_memory(f, b->arg[0]))
		return load + steps(f, b->arg[1], p);
	if (!is_step(b) || (host && is_function(b)))
		return MOST + 1;
	n = is_function(b) ? FUNCTION : 1;
	for (int i = 0; i < b->narg && n <= MOST; i++)
		n += steps(f, b->arg[i], p);
	return n;
}

/* -- the elements ------------------------------------------------------------------------------------------- */
/* An element, or one for each row, as what b takes. */
static Opnd
put(Few *f, const Bind *b, int op, Opnd like, int narg, const Opnd *arg)
{
	const Var *dst = b->dst[0];
	const bool host = ty_scalar(dst->ty);
	Var *v = var_new(f->p, like.u.var->name, host ? opnd_ty(like)->a : opnd_ty(like));
	Bind *n = bind_at(f->p, f->here, op, v, narg, arg, b->span);

	n->lifted = !host && flan_ir.op[op].cls == OP_SCALAR;
	f->here = &n->next;
	if (!host)
		shapes_same(f->shapes, v, f->shapes, dst);
	return opnd_var(v);
}

static Opnd element(Few *f, const Bind *b, Opnd v, const Place *p);

static Opnd
made_there(Few *f, const Bind *b, Opnd v, const Place *p)
{
	const Bind *by = made_by(f, v);
	Opnd arg[3];

	if (is_in_memory(f, v))
		return put(f, b, b->op, v, 2, (Opnd[]){v, p->at});
	if (by->op == FLAN_dist)
		return by->arg[by->lifted];
	if (by->op == FLAN_iota)
		return by->lifted ? p->within : p->at;
	if (by->op == FLAN_gather)
		return put(f, b, b->op, by->arg[0], 2, (Opnd[]){by->arg[0], element(f, b, by->arg[1], p)});
	for (int i = 0; i < by->narg; i++)
		arg[i] = element(f, b, by->arg[i], p);
	return put(f, b, by->op, v, by->narg, arg);
}

/* Of v, at the place where b takes one. */
static Opnd
element(Few *f, const Bind *b, Opnd v, const Place *p)
{
	const Element *e = is_vector(v) ? have(f, v) : NULL;
	Opnd is;

	if (e || !is_vector(v))
		return e ? e->is : v;
	is = made_there(f, b, v, p);
	add(f, v, is);
	return is;
}

/* -- where -------------------------------------------------------------------------------------------------- */
static bool
is_worth_it(Few *f, const Bind *b, const Place *p)
{
	const Opnd v = b->arg[0];
	const Bind *by = made_by(f, v);

	f->element.n = 0;
	return !is_in_memory(f, v) && (is_step(by) || by->op == FLAN_gather) && f->part[v.u.var->id] == f->part[b->dst[0]->id]
	       && takes_few(f, b) && steps(f, v, p) <= MOST;
}

/* In place of b: the last of what is put here gives what b did. */
static void
rewrite(Few *f, Block *block, Bind *b, const Place *p)
{
	Bind **last = f->here;

	f->element.n = 0;
	element(f, b, b->arg[0], p);
	while (&(*last)->next != f->here)
		last = &(*last)->next;
	(*last)->dst[0] = b->dst[0];
	(*last)->next = b->next;
	f->here = last;
	if (block->end == &b->next)
		block->end = &(*last)->next;
}

static void
few_of_block(Few *f, Block *block)
{
	for (Bind **at = &block->first; *at; at = &(*at)->next) {
		Bind *b = *at;

		f->here = at;
		if (b->op == FLAN_elem || b->op == FLAN_gather) {
			const Place p = place(f, b->arg[1]);

			if (is_worth_it(f, b, &p))
				rewrite(f, block, b, &p);
		}
		at = f->here;
		for (int i = 0; i < b->nblock; i++)
			few_of_block(f, b->block[i]);
	}
}

static void
few_of_body(Few *f, int nparam, Var *const *param, Block *body)
{
	f->descriptor.n = 0;
	for (int i = 0; i < nparam; i++)
		note_descriptor(f, param[i]);
	survey(f, body);
	few_of_block(f, body);
}

void
few(Unit *u)
{
	Program *p = u->ir;
	const int nvar = p->nvar;
	Few f = {.p = p, .shapes = u->shapes, .made = NEW(u->arena, const Bind *, nvar), .whole = NEW(u->arena, bool, nvar),
		.part = NEW(u->arena, int, nvar)};

	if (u->no_shape || !u->shapes || u->fuse != FUSE_ALL)
		return;
	for (Fun *g = p->funs; g; g = g->next)
		if (!g->scalar)
			few_of_body(&f, g->nparam, g->param, g->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			few_of_body(&f, 0, NULL, e->body);
	if (p->nvar > nvar)
		remove_dead(p);
}

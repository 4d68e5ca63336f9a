/* decided.c: what places decide, of comparisons that unrolling made of one for all elements of a row.
 *
 * In   flan, unrolled:  d in [-1:2], i + d < 0  is  i + -1 < 0,  i + 0 < 0  and  i + 1 < 0
 * Out  the same, where only the first is left: a place is not below 0, and below the number of what it counts
 * How  Of a vector of places, or of places and a number that the program says, the least is known, and the most by that number:
 *      x <= n - 1 + c.  What a comparison comes to goes on through `not`, `and`, `or` and choices.  Where ints have 32 bits such a
 *      sum may wrap, so that nothing is known of it. */
#include "common/map.h"
#include "flatten/flan.h"
#include "fuse/decided.h"

enum { NEAR = 1 << 20 };        /* numbers that are added are below, so that a few of them do not wrap */

typedef struct Known {
	bool place;
	int64_t least, past;    /* of places: least <= x < limit + past */
	Opnd limit;             /* a number of the host, or 0 */
	bool decided;
	Opnd is;                /* a constant, or another vector */
} Known;

typedef struct Decided {
	Program *p;
	Map *known;             /* Var -> Known */
	Map *uniform;           /* Var, a descriptor -> Bind: `uniform n k` */
} Decided;

static Known *
known(const Decided *d, Opnd o)
{
	return o.kind == OPND_VAR ? *map_at(d->known, o.u.var) : NULL;
}

static Known *
learn(Decided *d, const Var *v)
{
	Known *k = NEW(d->p->arena, Known, 1);

	*map_at(d->known, v) = k;
	return k;
}

static void
is_place(Decided *d, const Var *v, int64_t least, Opnd limit, int64_t past)
{
	Known *k = learn(d, v);

	*k = (Known){.place = true, .least = least, .past = past, .limit = limit};
	if (limit.kind == OPND_INT) {
		k->past += limit.u.i;
		k->limit = opnd_int(0);
	}
}

static void
decide(Decided *d, const Var *v, Opnd is)
{
	Known *k = learn(d, v);

	k->decided = true;
	k->is = is;
}

/* Is a < b for all elements (1), or for none of them (0)?  -1: who knows. */
static int
below(const Decided *d, Opnd a, Opnd b)
{
	const Known *x = known(d, a), *y = known(d, b);

	if (x && x->place && (b.kind == OPND_INT || same_opnd(b, x->limit))) {
		const int64_t n = b.kind == OPND_INT ? b.u.i : 0;

		if ((b.kind != OPND_INT || x->limit.kind == OPND_INT) && x->past <= n)
			return 1;
		return b.kind == OPND_INT && x->least >= n ? 0 : -1;
	}
	if (y && y->place && (a.kind == OPND_INT || same_opnd(a, y->limit))) {
		const int64_t n = a.kind == OPND_INT ? a.u.i : 0;

		if (a.kind == OPND_INT && y->least > n)
			return 1;
		return (a.kind != OPND_INT || y->limit.kind == OPND_INT) && y->past <= n + 1 ? 0 : -1;
	}
	return -1;
}

static int
compared(const Decided *d, const Bind *b)
{
	const Opnd *x = b->arg;
	int is;

	switch (b->op) {
	case FLAN_lt: return below(d, x[0], x[1]);
	case FLAN_gt: return below(d, x[1], x[0]);
	case FLAN_ge:
		is = below(d, x[0], x[1]);
		return is < 0 ? is : !is;
	case FLAN_le:
		is = below(d, x[1], x[0]);
		return is < 0 ? is : !is;
	case FLAN_eq: case FLAN_ne:
		return below(d, x[0], x[1]) == 1 || below(d, x[1], x[0]) == 1 ? b->op == FLAN_ne : -1;
	case FLAN_in_range:
		return below(d, x[0], opnd_int(0)) == 0 && below(d, x[0], x[1]) == 1 ? 1 : -1;
	}
	return -1;
}

static Opnd
value(const Decided *d, Opnd o)
{
	const Known *k = known(d, o);

	return k && k->decided ? k->is : o;
}

/* Truths and choices, where an operand is a constant. */
static bool
concluded(const Decided *d, const Bind *b, Opnd *is)
{
	Opnd x[3];

	for (int i = 0; i < b->narg; i++)
		x[i] = value(d, b->arg[i]);
	switch (b->op) {
	case FLAN_not:
		*is = opnd_bool(!x[0].u.i);
		return x[0].kind == OPND_BOOL;
	case FLAN_and: case FLAN_or:
		for (int i = 0; i < 2; i++)
			if (x[i].kind == OPND_BOOL) {
				*is = x[i].u.i == (b->op == FLAN_or) ? x[i] : x[1 - i];
				return true;
			}
		return false;
	case FLAN_select:
		*is = x[0].kind == OPND_BOOL && x[0].u.i ? x[1] : x[2];
		return x[0].kind == OPND_BOOL;
	case FLAN_add: case FLAN_sub:
		*is = x[0];
		return opnd_ty(x[0])->kind != TY_FLOAT && x[1].kind == OPND_INT && x[1].u.i == 0;
	}
	return false;
}

/* A place, and a number that the program says. */
static void
shifted(Decided *d, const Bind *b)
{
	for (int i = 0; i < 2 && d->p->int_bits == 64; i++) {
		const Known *k = known(d, b->arg[i]);
		const Opnd n = b->arg[1 - i];
		int64_t by;

		if (!k || !k->place || n.kind != OPND_INT || n.u.i <= -NEAR || n.u.i >= NEAR || (b->op == FLAN_sub && i == 1))
			continue;
		by = b->op == FLAN_sub ? -n.u.i : n.u.i;
		if (k->least + by > -NEAR && k->least + by < NEAR)
			is_place(d, b->dst[0], k->least + by, k->limit, k->past + by);
	}
}

/* What a vector is for operators; constants: as an operand of these, beside another that is a vector. */
static void
replace(const Decided *d, Bind *b)
{
	const bool scalars = flan_elementwise(b);
	int vectors = 0;

	for (int i = 0; i < b->narg; i++) {
		if (is_vector(value(d, b->arg[i])))
			b->arg[i] = value(d, b->arg[i]);
		vectors += is_vector(b->arg[i]);
	}
	for (int i = 0; i < b->narg && scalars; i++)
		if (is_vector(b->arg[i]) && !is_vector(value(d, b->arg[i])) && vectors > 1) {
			b->arg[i] = value(d, b->arg[i]);
			vectors--;
		}
}

/* The number of a row, or the place in it. */
static void
look_at_places(Decided *d, const Bind *b)
{
	const Bind *rows = b->arg[0].kind == OPND_VAR ? *map_at(d->uniform, b->arg[0].u.var) : NULL;

	if (b->op == FLAN_iota && !b->lifted)
		is_place(d, b->dst[0], 0, b->arg[0], 0);
	else if (rows)
		is_place(d, b->dst[0], 0, rows->arg[b->op == FLAN_iota], 0);
}

static void
look_at(Decided *d, const Bind *b)
{
	const Known *k;
	Opnd is;
	int truth;

	if (b->op == FLAN_uniform) {
		*map_at(d->uniform, b->dst[0]) = (void *)b;
	} else if (b->op == FLAN_iota || b->op == FLAN_rowid) {
		look_at_places(d, b);
	} else if (b->op == FLAN_dist && b->lifted) {
		k = known(d, b->arg[1]);
		if (k && k->place)
			is_place(d, b->dst[0], k->least, k->limit, k->past);
	} else if (flan_elementwise(b)) {
		truth = compared(d, b);
		if (truth >= 0)
			decide(d, b->dst[0], opnd_bool(truth));
		else if (concluded(d, b, &is))
			decide(d, b->dst[0], is);
		else if (b->op == FLAN_add || b->op == FLAN_sub)
			shifted(d, b);
	}
}

/* Does a check of it hold? */
static bool
holds(const Decided *d, Opnd o)
{
	const Opnd is = value(d, o);

	return is.kind == OPND_BOOL && is.u.i;
}

static void
decided_block(Decided *d, Block *block)
{
	for (Bind **at = &block->first; *at; ) {
		Bind *b = *at;

		replace(d, b);
		for (int i = 0; i < b->nblock; i++)
			decided_block(d, b->block[i]);
		if (b->op == FLAN_check && b->lifted && holds(d, b->arg[0])) {
			*at = b->next;
			continue;
		}
		look_at(d, b);
		at = &b->next;
	}
	for (block->end = &block->first; *block->end; block->end = &(*block->end)->next)
		;
}

void
decided(Program *p)
{
	Decided d = {p, map_new(p->arena), map_new(p->arena)};

	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			decided_block(&d, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			decided_block(&d, e->body);
}

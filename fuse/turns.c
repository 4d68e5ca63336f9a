/* turns.c: element e of n rows of k elements is element e mod k of row e / k.
 *
 * In   flan whose checks are proved or stay (shape/shape.h)
 * Out  the same, where levels meet three deep.  In {{sum({a[i + j] * b[j] : j in r}) : r in m} : i in v} rows of the innermost level are
 *      elements of the one around it, and what these are asked, i, where a row of m starts, would be stored for each of them: a task has rows and
 *      their elements, no more.  If the level around is `uniform n k`, all this follows from the number of the element:
 *
 *          iota^ r = rem q k       rowid r = div q k       dist^ r x = gather x (div q k)       with q = iota (n * k)
 *
 *      and element-wise operators of such.  So dist^ s v, of what is made thus, is dist^ s of the flat form, and a gather by the number
 *      of an element, which is how two levels are passed at once, is the flat form at that number.  Both are steps of the task over s,
 *      once a row, and nothing of v is in memory.
 * How  Strength reduction backwards: a division for each row costs less than to store a number and load it.  Left alone is
 *      what is in memory for another reason, or takes more than a few steps. */
#include <string.h>
#include "flatten/arms.h"
#include "flatten/dead.h"
#include "flatten/flan.h"
#include "fuse/turns.h"
#include "shape/shape.h"

enum { MOST = 16, LOAD = 4 };   /* steps of a flat form; of what is loaded */

typedef struct Flat {
	const Var *v, *at;              /* v at these numbers of its elements */
	Var *is;
} Flat;

typedef struct Turns {
	Program *p;
	Shapes *shapes;
	const Bind **made;      /* by Var.id: what made it, in the program as it was; NULL: a parameter or a result of blocks */
	bool *stored;           /* by Var.id: in memory anyway */
	bool timed;             /* nothing may move */
	LIST(Flat) flat;        /* that can be seen */
	LIST(Var *) number;     /* likewise: all numbers of the elements of what is as long */
	Bind **here;            /* where bindings are put */
	Span span;
} Turns;

static const Bind *
made_by(const Turns *t, Opnd o)
{
	return o.kind == OPND_VAR ? t->made[o.u.var->id] : NULL;
}

/* Rows of one length: `uniform n k`; or NULL. */
static const Bind *
rows_of(const Turns *t, const Bind *b)
{
	const Bind *r = (b->lifted && (b->op == FLAN_iota || b->op == FLAN_dist)) || b->op == FLAN_rowid ? made_by(t, b->arg[0]) : NULL;

	return r && r->op == FLAN_uniform ? r : NULL;
}

/* Made element by element? */
static bool
is_step(const Bind *b)
{
	return b->lifted && b->ndst == 1 && b->nblock == 0
	       && (flan_ir.op[b->op].cls == OP_SCALAR || b->op == FLAN_row_start || b->op == FLAN_row_length);
}

/* -- what there is ------------------------------------------------------------------------------------- */
static void
note_stored(Turns *t, Opnd o)
{
	if (is_vector(o))
		t->stored[o.u.var->id] = true;
}

static bool
is_spread(const Bind *b)
{
	return b && b->op == FLAN_dist && b->lifted;
}

/* Is i dist^ of dist^ .. of `rowid r`, which has as many rows as x has elements?  Then each of i is the number of one. */
static bool
numbers_of(Turns *t, const Var *x, Opnd i)
{
	const Bind *b = made_by(t, i);

	if (!is_spread(b))
		return false;
	while (is_spread(b))
		b = made_by(t, b->arg[1]);
	return b && b->op == FLAN_rowid && shape_rows(t->shapes, b->arg[0].u.var) == shape_length(t->shapes, x);
}

/* Its i-th operand is asked for element by element, or for elements that are told by their number? */
static bool
is_asked(Turns *t, const Bind *b, int i)
{
	if (b->op == FLAN_gather)
		return i == 1 || numbers_of(t, b->arg[0].u.var, b->arg[1]);
	return is_step(b) || is_spread(b) || (b->lifted && (op_folds(&flan_ir.op[b->op]) || b->op == FLAN_check));
}

static void
survey(Turns *t, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		t->timed = t->timed || b->op == FLAN_clock;
		for (int i = 0; i < b->ndst; i++)
			t->made[b->dst[i]->id] = b->nblock ? NULL : b;
		for (int i = 0; i < b->narg; i++)
			if (!is_asked(t, b, i))
				note_stored(t, b->arg[i]);
		for (int i = 0; i < b->nway; i++)
			note_stored(t, b->way[i]);
		for (int i = 0; i < b->nblock; i++)
			survey(t, b->block[i]);
	}
	for (int i = 0; i < block->nyield; i++)
		note_stored(t, block->yield[i]);
}

/* -- flat forms --------------------------------------------------------------------------------------------- */
static bool
is_iota(const Turns *t, Opnd v)
{
	const Bind *b = made_by(t, v);

	return b && b->op == FLAN_iota && !b->lifted;
}

/* Steps of the flat form of v, up to MOST + 1; *divides: does it have one? */
static int
steps(Turns *t, Opnd v, bool *divides)
{
	const Bind *b = made_by(t, v);
	int n = 1;

	if (!is_vector(v))
		return 0;
	if (!b)
		return LOAD;
	if (rows_of(t, b)) {
		*divides = true;
		return b->op == FLAN_dist ? LOAD : 2;
	}
	if (is_iota(t, v))
		return 0;
	if (b->op == FLAN_gather)
		return LOAD + steps(t, b->arg[1], divides);
	if (!is_step(b))
		return LOAD;
	for (int i = 0; i < b->narg && n <= MOST; i++)
		n += steps(t, b->arg[i], divides);
	return n;
}

static bool
divides(Turns *t, Opnd v)
{
	bool is = false;

	return is_vector(v) && !t->stored[v.u.var->id] && steps(t, v, &is) <= MOST && is;
}

/* Does an element of v follow from its number, without more than a few steps of arithmetic if v has no flat form? */
static bool
follows(Turns *t, Opnd v)
{
	bool any;

	return is_iota(t, v) || divides(t, v) || (!t->stored[v.u.var->id] && steps(t, v, &any) < LOAD);
}

/* A binding here, of a vector as long as `like`. */
static Opnd
put(Turns *t, int op, bool lifted, const char *hint, const Ty *ty, const Var *like, int narg, const Opnd *arg)
{
	Var *v = var_new(t->p, hint, ty);
	Bind *b = bind_at(t->p, t->here, op, v, narg, arg, t->span);

	b->lifted = lifted;
	t->here = &b->next;
	if (like)
		shapes_same(t->shapes, v, t->shapes, like);
	return opnd_var(v);
}

static Opnd
by_length(Turns *t, int op, Var *at, Opnd k)
{
	return put(t, op, true, op == FLAN_div ? "turn" : "place", &ty_ints, at, 2, (Opnd[]){opnd_var(at), k});
}

static Opnd flat(Turns *t, Opnd v, Var *at, bool whole);

/* x at these numbers, of which each is of an element. */
static Opnd
at_these(Turns *t, Opnd x, Opnd i)
{
	if (follows(t, x))
		return flat(t, x, i.u.var, false);
	return put(t, FLAN_gather, false, x.u.var->name, x.u.var->ty, i.u.var, 2, (Opnd[]){x, i});
}

/* v at the numbers `at`, each of an element; whole: of all its elements in their order. */
static Opnd
flat(Turns *t, Opnd v, Var *at, bool whole)
{
	const Bind *b = made_by(t, v), *r = b ? rows_of(t, b) : NULL;
	Opnd is, *arg;

	if (!is_vector(v))
		return v;
	for (int i = 0; i < t->flat.n; i++)
		if (t->flat.at[i].v == v.u.var && t->flat.at[i].at == at)
			return opnd_var(t->flat.at[i].is);
	if (r && b->op == FLAN_dist) {
		is = at_these(t, b->arg[1], by_length(t, FLAN_div, at, r->arg[1]));
	} else if (b && b->op == FLAN_gather) {
		is = at_these(t, b->arg[0], flat(t, b->arg[1], at, whole));
	} else if (r) {
		is = by_length(t, b->op == FLAN_iota ? FLAN_rem : FLAN_div, at, r->arg[1]);
	} else if (is_iota(t, v)) {
		return opnd_var(at);
	} else if (b && is_step(b)) {
		arg = NEW(t->p->arena, Opnd, b->narg);
		for (int i = 0; i < b->narg; i++)
			arg[i] = flat(t, b->arg[i], at, whole);
		is = put(t, b->op, true, v.u.var->name, v.u.var->ty, at, b->narg, arg);
	} else if (whole) {
		return v;
	} else {
		is = put(t, FLAN_gather, false, v.u.var->name, v.u.var->ty, at, 2, (Opnd[]){v, opnd_var(at)});
	}
	LIST_ADD(t->p->arena, &t->flat, ((Flat){v.u.var, at, is.u.var}));
	return is;
}

/* All numbers of elements of v, which are those of r. */
static Var *
numbers(Turns *t, Var *v, const Bind *r)
{
	const Opnd *n = r->arg;
	Opnd all;

	for (int i = 0; i < t->number.n; i++)
		if (shape_length(t->shapes, t->number.at[i]) == shape_length(t->shapes, v))
			return t->number.at[i];
	if (n[0].kind == OPND_INT && n[1].kind == OPND_INT) {
		all = opnd_int(int_wrapped(t->p->int_bits, n[0].u.i * n[1].u.i));
	} else {
		all = put(t, FLAN_area, false, "n", &ty_int, NULL, 2, n);
		shapes_value(t->shapes, all.u.var, shape_total(t->shapes, r->dst[0]));
	}
	all = put(t, FLAN_iota, false, "q", &ty_ints, v, 1, &all);
	LIST_ADD(t->p->arena, &t->number, all.u.var);
	return all.u.var;
}

/* Rows of one length that have as many elements as v, by what v is made of. */
static const Bind *
rows_under(Turns *t, Opnd v)
{
	const Bind *b = made_by(t, v), *r = b ? rows_of(t, b) : NULL;

	if (b && b->op == FLAN_gather)
		return rows_under(t, b->arg[1]);
	if (!b || r || !is_step(b))
		return r;
	for (int i = 0; i < b->narg && !r; i++)
		if (is_vector(b->arg[i]))
			r = rows_under(t, b->arg[i]);
	return r;
}

static Opnd
flat_of(Turns *t, Opnd v)
{
	return flat(t, v, numbers(t, v.u.var, rows_under(t, v)), true);
}

/* x at i, which under dist^ is numbers_of() x: as many dist^, over x at the numbers below them. */
static Opnd
told(Turns *t, Opnd x, Opnd i)
{
	const Bind *b = made_by(t, i);

	if (!is_spread(b))
		return flat(t, x, (divides(t, i) ? flat_of(t, i) : i).u.var, false);
	return put(t, FLAN_dist, true, x.u.var->name, x.u.var->ty, b->dst[0], 2, (Opnd[]){b->arg[0], told(t, x, b->arg[1])});
}

/* -- where -------------------------------------------------------------------------------------------------- */
/* In place of b, if it asks for what follows from numbers: dist^ of the flat form. */
static void
rewrite(Turns *t, Block *block, Bind *b)
{
	Opnd s, x;
	Bind *n;

	if (is_spread(b) && divides(t, b->arg[1])) {
		s = b->arg[0];
		x = flat_of(t, b->arg[1]);
	} else if (b->op == FLAN_gather && follows(t, b->arg[0]) && numbers_of(t, b->arg[0].u.var, b->arg[1])) {
		const Bind *i = made_by(t, b->arg[1]);

		s = i->arg[0];
		x = told(t, b->arg[0], i->arg[1]);
	} else {
		return;
	}
	n = bind_at(t->p, t->here, FLAN_dist, b->dst[0], 2, (Opnd[]){s, x}, b->span);
	n->lifted = true;
	n->next = b->next;
	if (block->end == &b->next)
		block->end = &n->next;
}

static void
turns_of_block(Turns *t, Block *block)
{
	const int flats = t->flat.n, numbers = t->number.n;

	for (Bind **at = &block->first; *at; at = &(*at)->next) {
		Bind *b = *at;

		t->here = at;
		t->span = b->span;
		rewrite(t, block, b);
		at = t->here;
		for (int i = 0; i < b->nblock; i++)
			turns_of_block(t, b->block[i]);
	}
	t->flat.n = flats;
	t->number.n = numbers;
}

static void
turns_of_body(Turns *t, Block *body)
{
	t->timed = false;
	survey(t, body);
	if (!t->timed)
		turns_of_block(t, body);
}

void
turns(Unit *u)
{
	Program *p = u->ir;
	Turns t = {.p = p, .shapes = u->shapes, .made = NEW(u->arena, const Bind *, p->nvar), .stored = NEW(u->arena, bool, p->nvar)};

	const int nvar = p->nvar;

	if (u->no_shape || !u->shapes || u->fuse != FUSE_ALL)
		return;
	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			turns_of_body(&t, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			turns_of_body(&t, e->body);
	if (p->nvar > nvar) {
		remove_dead(p);
		arms(p);        /* what was wanted here too, and is not any more */
	}
}

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
	int nvar;               /* of the program as it was */
	const Bind **made;      /* by Var.id: what made it; NULL: a parameter or a result of blocks */
	bool *stored;           /* by Var.id: in memory anyway */
	bool timed;             /* nothing may move */
	LIST(Flat) flat;        /* that can be seen */
	LIST(Flat) number;      /* likewise: v of the length of at: all numbers of its elements */
	Bind **here;            /* where bindings are put */
	Span span;
} Turns;

static const Bind *
made_by(const Turns *d, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < d->nvar ? d->made[o.u.var->id] : NULL;
}

static bool
is_vector(Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->ty->kind == TY_VEC;
}

/* Rows of one length: `uniform n k`; or NULL. */
static const Bind *
rows_of(const Turns *d, const Bind *b)
{
	const Bind *r = (b->lifted && (b->op == FLAN_iota || b->op == FLAN_dist)) || b->op == FLAN_rowid ? made_by(d, b->arg[0]) : NULL;

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
note_stored(Turns *d, Opnd o)
{
	if (is_vector(o))
		d->stored[o.u.var->id] = true;
}

/* v asked for row by row, `layers` times dist^: the number of an element, in which the elements of x are counted? */
static const Bind *
number_of(Turns *d, const Var *x, Opnd i, int *layers)
{
	const Bind *b = made_by(d, i);

	for (*layers = 0; b && b->op == FLAN_dist && b->lifted; ++*layers)
		b = made_by(d, b->arg[1]);
	return *layers && b && b->op == FLAN_rowid && shape_rows(d->shapes, b->arg[0].u.var) == shape_length(d->shapes, x) ? b : NULL;
}

/* Its i-th operand is asked for element by element, or for elements that are told by their number? */
static bool
is_asked(Turns *d, const Bind *b, int i)
{
	const OpInfo *op = &flan_ir.op[b->op];
	int layers;

	if (b->op == FLAN_gather)
		return i == 1 || number_of(d, b->arg[0].u.var, b->arg[1], &layers);
	return is_step(b) || (b->lifted && (op->cls == OP_REDUCE || op->cls == OP_SCAN || b->op == FLAN_dist || b->op == FLAN_check));
}

static const Bind *
as_it_was(Turns *d, const Bind *b)
{
	Bind *c = NEW(d->p->arena, Bind, 1);

	*c = *b;
	c->arg = NEW(d->p->arena, Opnd, b->narg);
	memcpy(c->arg, b->arg, sizeof *b->arg * (size_t)b->narg);
	return c;
}

static void
survey(Turns *d, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		d->timed = d->timed || b->op == FLAN_clock;
		for (int i = 0; i < b->ndst; i++)
			d->made[b->dst[i]->id] = b->nblock ? NULL : as_it_was(d, b);
		for (int i = 0; i < b->narg; i++)
			if (!is_asked(d, b, i))
				note_stored(d, b->arg[i]);
		for (int i = 0; i < b->nway; i++)
			note_stored(d, b->way[i]);
		for (int i = 0; i < b->nblock; i++)
			survey(d, b->block[i]);
	}
	for (int i = 0; i < block->nyield; i++)
		note_stored(d, block->yield[i]);
}

/* -- flat forms --------------------------------------------------------------------------------------------- */
static bool
is_iota(const Turns *d, Opnd v)
{
	const Bind *b = made_by(d, v);

	return b && b->op == FLAN_iota && !b->lifted;
}

/* Steps of the flat form of v, up to MOST + 1; *divides: does it have one? */
static int
steps(Turns *d, Opnd v, bool *divides)
{
	const Bind *b = made_by(d, v);
	int n = 1;

	if (!is_vector(v))
		return 0;
	if (!b)
		return LOAD;
	if (rows_of(d, b)) {
		*divides = true;
		return b->op == FLAN_dist ? LOAD : 2;
	}
	if (is_iota(d, v))
		return 0;
	if (b->op == FLAN_gather)
		return LOAD + steps(d, b->arg[1], divides);
	if (!is_step(b))
		return LOAD;
	for (int i = 0; i < b->narg && n <= MOST; i++)
		n += steps(d, b->arg[i], divides);
	return n;
}

static bool
divides(Turns *d, Opnd v)
{
	bool is = false;

	return is_vector(v) && v.u.var->id < d->nvar && !d->stored[v.u.var->id] && steps(d, v, &is) <= MOST && is;
}

/* Does an element of v follow from its number, without more than a few steps of arithmetic if v has no flat form? */
static bool
follows(Turns *d, Opnd v)
{
	bool any;

	return is_iota(d, v) || divides(d, v) || (is_vector(v) && v.u.var->id < d->nvar && !d->stored[v.u.var->id] && steps(d, v, &any) < LOAD);
}

/* A binding here, of a vector as long as `like`. */
static Opnd
put(Turns *d, int op, bool lifted, const char *hint, const Ty *ty, const Var *like, int narg, const Opnd *arg)
{
	Var *v = var_new(d->p, hint, ty);
	Bind *b = bind_at(d->p, d->here, op, v, narg, arg, d->span);

	b->lifted = lifted;
	d->here = &b->next;
	if (like)
		shapes_same(d->shapes, v, d->shapes, like);
	return opnd_var(v);
}

static Opnd
by_length(Turns *d, int op, Var *at, Opnd k)
{
	return put(d, op, true, op == FLAN_div ? "turn" : "place", &ty_ints, at, 2, (Opnd[]){opnd_var(at), k});
}

static Opnd flat(Turns *d, Opnd v, Var *at, bool whole);

/* x at these numbers, of which each is of an element. */
static Opnd
at_these(Turns *d, Opnd x, Opnd i)
{
	if (follows(d, x))
		return flat(d, x, i.u.var, false);
	return put(d, FLAN_gather, false, x.u.var->name, x.u.var->ty, i.u.var, 2, (Opnd[]){x, i});
}

/* v at the numbers `at`, each of an element; whole: of all its elements in their order. */
static Opnd
flat(Turns *d, Opnd v, Var *at, bool whole)
{
	const Bind *b = made_by(d, v), *r = b ? rows_of(d, b) : NULL;
	Opnd is, *arg;

	if (!is_vector(v))
		return v;
	for (int i = 0; i < d->flat.n; i++)
		if (d->flat.at[i].v == v.u.var && d->flat.at[i].at == at)
			return opnd_var(d->flat.at[i].is);
	if (r && b->op == FLAN_dist) {
		is = at_these(d, b->arg[1], by_length(d, FLAN_div, at, r->arg[1]));
	} else if (b && b->op == FLAN_gather) {
		is = at_these(d, b->arg[0], flat(d, b->arg[1], at, whole));
	} else if (r) {
		is = by_length(d, b->op == FLAN_iota ? FLAN_rem : FLAN_div, at, r->arg[1]);
	} else if (is_iota(d, v)) {
		return opnd_var(at);
	} else if (b && is_step(b)) {
		arg = NEW(d->p->arena, Opnd, b->narg);
		for (int i = 0; i < b->narg; i++)
			arg[i] = flat(d, b->arg[i], at, whole);
		is = put(d, b->op, true, v.u.var->name, v.u.var->ty, at, b->narg, arg);
	} else if (whole) {
		return v;
	} else {
		is = put(d, FLAN_gather, false, v.u.var->name, v.u.var->ty, at, 2, (Opnd[]){v, opnd_var(at)});
	}
	LIST_ADD(d->p->arena, &d->flat, ((Flat){v.u.var, at, is.u.var}));
	return is;
}

/* All numbers of elements of v, which are those of r. */
static Var *
numbers(Turns *d, Var *v, const Bind *r)
{
	const Opnd *n = r->arg;
	Opnd all;

	for (int i = 0; i < d->number.n; i++)
		if (shape_length(d->shapes, d->number.at[i].at) == shape_length(d->shapes, v))
			return d->number.at[i].is;
	if (n[0].kind == OPND_INT && n[1].kind == OPND_INT) {
		all = opnd_int(int_wrapped(d->p->int_bits, n[0].u.i * n[1].u.i));
	} else {
		all = put(d, FLAN_area, false, "n", &ty_int, NULL, 2, n);
		shapes_value(d->shapes, all.u.var, shape_total(d->shapes, r->dst[0]));
	}
	all = put(d, FLAN_iota, false, "q", &ty_ints, v, 1, &all);
	LIST_ADD(d->p->arena, &d->number, ((Flat){v, v, all.u.var}));
	return all.u.var;
}

/* Rows of one length whose elements v is of, by what it is made of. */
static const Bind *
rows_under(Turns *d, Opnd v)
{
	const Bind *b = made_by(d, v), *r = b ? rows_of(d, b) : NULL;

	if (b && b->op == FLAN_gather)
		return rows_under(d, b->arg[1]);
	if (!b || r || !is_step(b))
		return r;
	for (int i = 0; i < b->narg && !r; i++)
		if (is_vector(b->arg[i]))
			r = rows_under(d, b->arg[i]);
	return r;
}

static Opnd
flat_of(Turns *d, Opnd v)
{
	return flat(d, v, numbers(d, v.u.var, rows_under(d, v)), true);
}

/* i, which number_of() says tells elements of x by their number: dist^ s .. of x at these numbers. */
static Opnd
told(Turns *d, Opnd x, Opnd i, int layers)
{
	const Bind *b = made_by(d, i);

	if (!layers)
		return flat(d, x, (divides(d, i) ? flat_of(d, i) : i).u.var, false);
	return put(d, FLAN_dist, true, x.u.var->name, x.u.var->ty, b->dst[0], 2, (Opnd[]){b->arg[0], told(d, x, b->arg[1], layers - 1)});
}

/* -- where -------------------------------------------------------------------------------------------------- */
static void
rewrite(Turns *d, Bind *b)
{
	int layers;

	if (b->op == FLAN_dist && b->lifted && divides(d, b->arg[1])) {
		b->arg[1] = flat_of(d, b->arg[1]);
	} else if (b->op == FLAN_gather && follows(d, b->arg[0]) && number_of(d, b->arg[0].u.var, b->arg[1], &layers)) {
		const Bind *i = made_by(d, b->arg[1]);
		const Opnd s = i->arg[0], x = told(d, b->arg[0], i->arg[1], layers - 1);

		b->op = FLAN_dist;
		b->lifted = true;
		b->arg[0] = s;
		b->arg[1] = x;
	}
}

static void
turns_of_block(Turns *d, Block *block)
{
	const int flats = d->flat.n, numbers = d->number.n;

	for (Bind **at = &block->first; *at; at = &(*at)->next) {
		Bind *b = *at;

		d->here = at;
		d->span = b->span;
		rewrite(d, b);
		at = d->here;
		for (int i = 0; i < b->nblock; i++)
			turns_of_block(d, b->block[i]);
	}
	d->flat.n = flats;
	d->number.n = numbers;
}

static void
turns_of_body(Turns *d, Block *body)
{
	d->timed = false;
	survey(d, body);
	if (!d->timed)
		turns_of_block(d, body);
}

void
turns(Unit *u)
{
	Program *p = u->ir;
	Turns d = {.p = p, .shapes = u->shapes, .nvar = p->nvar, .made = NEW(u->arena, const Bind *, p->nvar), .stored = NEW(u->arena, bool, p->nvar)};

	if (u->no_shape || !u->shapes || u->fuse != FUSE_ALL)
		return;
	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			turns_of_body(&d, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			turns_of_body(&d, e->body);
	if (p->nvar > d.nvar)
		remove_dead(p);
}

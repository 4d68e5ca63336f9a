/* deep.c: of levels three deep, the innermost is folded by whoever has its rows, if they are short.
 *
 * In   flan whose checks are proved or stay (shape/shape.h)
 * Out  the same, where {sum({sum({w[x] : x in g[v]}) : v in a}) : a in g} has the rows g[v] folded in an arm by a loop for each v, a step of the
 *      task over a's elements, if they are short; else as they were:
 *
 *          inner = if short { r = call^ r_of_row ..; inner = sum^ s r } { t = segdes lengths; ..; r = sum^ t x; inner = sum^ s r }
 *
 *      A task has two levels.  So where rows of t are elements of rows, what each of them is told, how long it is and where it is from, would be
 *      stored for each, and what is folded of it, too.  In the arm all this is a step away.
 * How  Flattening of what is parallel enough only, decided at run time (Incremental flattening, Henriksen et al., PPoPP 2019): rows of
 *      SHORT elements in the mean, of which none is more than a share of all that a thread does not notice.  Rows of constant length need no
 *      condition.  What the lengths are made of, and what else is asked by element only, is made again in the arm where that takes few
 *      steps (rematerialisation, as in few.c).
 *      A loop tells of no fault: of a check it folds whether it holds, and if one does not, all is done as it was, which tells. */
#include "fuse/deep.h"
#include <string.h>
#include "flatten/dead.h"
#include "flatten/flan.h"
#include "fuse/moves.h"

enum {
	SHORT = 16,             /* elements of a row, in the mean (bench/results/2026-12-01-three-deep.md), */
	LONG = 64,              /* of the longest, */
	SHARE = 65536           /* or so many of them are no more than all */
};

static Copy
copy_new(Region *r, Opnd n)
{
	Copy c = {.r = r, .n = n, .now = NEW(r->scratch, Opnd, r->d->nvar), .have = NEW(r->scratch, bool, r->d->nvar), .good = opnd_bool(true)};

	return c;
}

static void
put_if(Copy *c, Opnd cond, Block *yes, Block *no, int ndst, Var *const *dst)
{
	Program *p = c->r->d->p;
	Bind *b = moves_put(c, FLAN_if, false, NULL, 1, &cond);

	b->nblock = 2;
	b->block = NEW(p->arena, Block *, 2);
	b->block[0] = yes;
	b->block[1] = no;
	b->ndst = ndst;
	b->dst = NEW(p->arena, Var *, ndst);
	memcpy(b->dst, dst, (size_t)ndst * sizeof *dst);
}

/* Are they short, by the lengths of all? */
static Opnd
are_short_in_all(Copy *c, Opnd lengths)
{
	const Opnd all = moves_fold(c, FLAN_sum, "all", lengths), longest = moves_fold(c, FLAN_max_val, "longest", lengths);
	const Opnd mean = HOST(c, FLAN_div, "mean", &ty_int, all, opnd_int(SHORT)), share = HOST(c, FLAN_div, "share", &ty_int, all, opnd_int(SHARE));
	const Opnd most = HOST(c, FLAN_max, "most", &ty_int, share, opnd_int(LONG));

	return HOST(c, FLAN_and, "short", &ty_bool, HOST(c, FLAN_le, "few", &ty_bool, mean, c->n), HOST(c, FLAN_le, "even", &ty_bool, longest, most));
}

static Block *
true_arm(Program *p)
{
	Block *k = block_new(p);

	block_yield(p, k, 1, (Opnd[]){opnd_bool(true)});
	return k;
}

static Block *
asking_arm(Region *r, Opnd n)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, n);
	Opnd is;

	c.here = &k->first;
	is = are_short_in_all(&c, moves_again(&c, r->t->arg[0]));
	k->end = c.here;
	block_yield(r->d->p, k, 1, &is);
	return k;
}

/* Rows that are picked out of those of s: yes, if none of these is long, of which there may be far less; else that is asked of the rows. */
static Opnd
are_short_in(Copy *c, Opnd s)
{
	Region *r = c->r;
	const Opnd lengths = HOST(c, FLAN_lengths, "length", &ty_ints, s), most = HOST(c, FLAN_max_val, "most", &ty_int, lengths);
	Var *is = var_new(r->d->p, "short", &ty_bool);

	shapes_same(r->d->shapes, lengths.u.var, r->d->shapes, s.u.var);
	put_if(c, HOST(c, FLAN_le, "none", &ty_bool, most, opnd_int(SHORT)), true_arm(r->d->p), asking_arm(r, c->n), 1, &is);
	return opnd_var(is);
}

/* Are the rows short?  A constant if that is known. */
static Opnd
are_short(Copy *c)
{
	const Bind *t = c->r->t, *picked;

	if (t->op == FLAN_uniform)
		return t->arg[1].kind == OPND_INT ? opnd_bool(t->arg[1].u.i <= SHORT) : HOST(c, FLAN_le, "short", &ty_bool, t->arg[1], opnd_int(SHORT));
	picked = inner_made_by(c->r->d, t->arg[0]);
	return picked && picked->op == FLAN_row_length ? are_short_in(c, picked->arg[0]) : are_short_in_all(c, t->arg[0]);
}

/* The arm gives what the copy has of the results; good: and before them whether all checks hold. */
static void
end_arm(Copy *c, Block *k, bool good)
{
	const Region *r = c->r;
	Opnd *y = NEW(r->d->p->arena, Opnd, r->result.n + 1);

	y[0] = c->good;
	for (int i = 0; i < r->result.n; i++)
		y[good + i] = c->now[r->result.at[i]->id];
	block_yield(r->d->p, k, r->result.n + good, y);
	for (k->end = &k->first; *k->end; k->end = &(*k->end)->next)
		;
}

static Block *
loops_arm(Region *r, Opnd n, bool good)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, n);

	c.here = &k->first;
	moves_by_loops(&c);
	end_arm(&c, k, good);
	return k;
}

static Block *
old_arm(Region *r, Opnd n)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, n);

	c.here = &k->first;
	moves_as_it_was(&c);
	end_arm(&c, k, false);
	return k;
}

/* Not good, and nothing. */
static Block *
empty_arm(Region *r)
{
	Block *k = block_new(r->d->p);
	Copy c = copy_new(r, opnd_int(0));

	c.here = &k->first;
	c.good = opnd_bool(false);
	for (int i = 0; i < r->result.n; i++) {
		Var *v = var_new(r->d->p, r->result.at[i]->name, r->result.at[i]->ty);

		moves_put(&c, FLAN_vector, false, v, 0, NULL);
		c.now[r->result.at[i]->id] = opnd_var(v);
	}
	end_arm(&c, k, true);
	return k;
}

/* It gives the results; good: others in their stead, and before them whether all checks hold. */
static void
put_results(Copy *c, Opnd cond, Block *yes, Block *no, Var *good)
{
	Region *r = c->r;
	Var **dst = NEW(r->d->p->arena, Var *, r->result.n + 1);
	int n = 0;

	if (good)
		dst[n++] = good;
	for (int i = 0; i < r->result.n; i++) {
		Var *v = r->result.at[i];

		dst[n] = good ? var_new(r->d->p, v->name, v->ty) : v;
		c->now[v->id] = opnd_var(dst[n++]);
	}
	put_if(c, cond, yes, no, n, dst);
}

/* What is in c, in an arm. */
static Block *
arm_of(Copy *c)
{
	Block *k = block_new(c->r->d->p);

	end_arm(c, k, false);
	return k;
}

static void
put_arms(Copy *c, Opnd is_short)
{
	Region *r = c->r;
	const bool known = is_short.kind == OPND_BOOL;

	if (r->checks) {
		if (known) {
			moves_by_loops(c);
		} else {
			Var *good = var_new(r->d->p, "good", &ty_bool);

			put_results(c, is_short, loops_arm(r, c->n, true), empty_arm(r), good);
			c->good = opnd_var(good);
		}
		put_results(c, c->good, arm_of(c), old_arm(r, c->n), NULL);
	} else if (known) {
		c->direct = true;
		moves_by_loops(c);
	} else {
		put_results(c, is_short, loops_arm(r, c->n, false), old_arm(r, c->n), NULL);
	}
}

/* Without part; where the place was. */
static Bind **
take_out(Region *r)
{
	Bind **at = &r->block->first, **place = NULL;
	int k = 0;

	while (*at) {
		Bind *b = *at;

		if (k < r->part.n && r->part.at[k] == b) {
			*at = b->next;
			k++;
		} else {
			at = &b->next;
		}
		if (b == r->place)
			place = at;
	}
	return place;
}

static bool
try_rows(Deep *d, Block *block, Bind *t)
{
	Arena *scratch = arena_new();
	Region r = {.d = d, .block = block, .t = t, .scratch = scratch, .members = members_new(d->p, t->dst[0], scratch),
		.here = NEW(scratch, bool, d->p->nvar), .last = NEW(scratch, bool, d->p->nvar), .out = NEW(scratch, bool, d->nvar),
		.phase = NEW(scratch, int, d->nvar)};
	const bool can = inner_find(&r);

	if (can) {
		Copy c = copy_new(&r, opnd_int(0));

		c.here = take_out(&r);
		if (t->op == FLAN_uniform) {
			c.n = t->arg[0];
		} else {
			c.n = HOST(&c, FLAN_length, "n", &ty_int, t->arg[0]);
			shapes_value(d->shapes, c.n.u.var, shape_rows(d->shapes, t->dst[0]));
		}
		put_arms(&c, are_short(&c));
		for (int i = 0; i < r.result.n; i++)
			d->made[r.result.at[i]->id] = NULL;
		for (block->end = &block->first; *block->end; block->end = &(*block->end)->next)
			;
	}
	arena_free(scratch);
	return can;
}

static bool
may_be_short(const Bind *b)
{
	return b->op == FLAN_segdes || (b->op == FLAN_uniform && (b->arg[1].kind != OPND_INT || (b->arg[1].u.i > 0 && b->arg[1].u.i <= SHORT)));
}

static bool
deep_of_block(Deep *d, Block *block)
{
	LIST(Bind *) rows = {0};
	bool any = false;

	for (Bind *b = block->first; b; b = b->next) {
		for (int i = 0; i < b->nblock; i++)
			any = deep_of_block(d, b->block[i]) || any;
		if (may_be_short(b))
			LIST_ADD(d->p->arena, &rows, b);
	}
	for (int i = 0; i < rows.n; i++)
		any = try_rows(d, block, rows.at[i]) || any;
	return any;
}

static bool
deep_of_body(Deep *d, Block *body)
{
	d->timed = false;
	inner_look(d, body);
	return !d->timed && deep_of_block(d, body);
}

void
deep(Unit *u)
{
	Program *p = u->ir;
	const int nvar = p->nvar;
	Deep d = {.p = p, .shapes = u->shapes, .nvar = nvar, .made = NEW(u->arena, const Bind *, nvar), .born = NEW(u->arena, int, nvar),
		.home = NEW(u->arena, const Block *, nvar), .stored = NEW(u->arena, bool, nvar), .counted = NEW(u->arena, int, nvar)};
	bool any = false;

	if (u->no_shape || !u->shapes || u->fuse != FUSE_ALL || u->unoptimized == 2)
		return;
	d.survey = survey(p);
	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			any = deep_of_body(&d, f->body) || any;
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			any = deep_of_body(&d, e->body) || any;
	survey_drop(d.survey);
	if (any)
		remove_dead(p);
}

/* shape.c: what is known of sizes, of all functions together.
 *
 * In   flan.
 * Out  flan without the checks that are proved, each descriptor built once, by `uniform` if its rows are known to have
 *      one length, each size named once; and classes (shape.h).
 * How  Reppy & Sandler, CPC 2015, section 3, with arithmetic (size.c) where they unify.  Functions and entries are walked
 *      (walk.c) until nothing changes.  Of a function is assumed what holds of all its calls that were met so far, and
 *      of a call what all returns that were met so far give, and have checked (returns.c): first nothing is met.  So what
 *      holds at the end holds by induction over the calls that a run makes.  Each change splits a group of slots that were
 *      the same, or forgets what one was (ties.c), and so there are finitely many; of checks so many as passed.c says. */
#include "shape/shape.h"
#include "flatten/dead.h"
#include "shape/place.h"
#include "shape/returns.h"

enum { DEEPEST = 8 };           /* how deep operators nest in what is told of all batches */
enum { PATIENCE = 8 };          /* so often a walk stops where something is called that gives nothing yet */
enum { NESTED = 200 };          /* so many walks there are in each other at most */

typedef struct Analysis {
	Walk w;
	LIST(Routine *) all;            /* entries, then functions */
} Analysis;

Routine *
walk_routine(const Walk *w, const char *name)
{
	return *map_at(w->routine, name);
}

static void
routine_new(Analysis *a, const Fun *f, const Entry *e)
{
	Routine *r = NEW(a->w.arena, Routine, 1);
	const Ty **ty;

	r->fun = f;
	r->entry = e;
	if (f) {
		ty = NEW(a->w.arena, const Ty *, f->nparam);
		for (int i = 0; i < f->nparam; i++)
			ty[i] = f->param[i]->ty;
		r->param = ties_new(a->w.arena, f->nparam, ty);
		r->result = ties_new(a->w.arena, f->nresult, f->result);
		r->out = returns_new(a->w.arena, a->w.z, r->result);
		*map_at(a->w.routine, f->name) = r;
	}
	r->dirty = e != NULL;
	LIST_ADD(a->w.arena, &a->all, r);
}

/* The parameters, from what all calls have in common. */
static void
enter(Walk *w, Routine *r)
{
	w->now = r;
	w->never = false;
	if (r->made == r->changes)
		return;
	r->made = r->changes;
	r->in = NEW(w->arena, Shape, r->fun->nparam);
	r->of = (SlotList){0};
	r->lo = size_unknowns(w->z);
	ties_make(w->arena, w->z, r->param, r->fun->param, NULL, NULL, r->in, &r->of);
	r->hi = size_unknowns(w->z);
}

typedef struct Batches {
	Sizes *z;
	const Size *n;                  /* rows, of all batches together */
	Over over;
} Batches;

/* Over all batches: n rows from 0 on, which are what they were taken out of. */
static const Size *
all_batches(void *batches, const Atom *a, int deeper)
{
	const Batches *b = batches;

	if (a->op == FLAN_batch_from)
		return size_int(b->z, 0);
	if (a->op == FLAN_batch_rows)
		return b->n;
	if (a->op == FLAN_gather && deeper > 0 && a->arg[0].length == b->n
			&& size_over(b->z, a->arg[1].value, &b->over, deeper - 1) == size_place(b->z))
		return a->arg[0].value;
	return NULL;
}

/* What a function that runs for each batch gives its caller is what it gives for all. */
static void
of_all_batches(Walk *w, const Block *body, Shape *yield)
{
	const Bind *s = body->first;

	while (s && s->op != FLAN_batch_rows)
		s = s->next;
	if (!s)
		return;
	Batches b = {w->z, walk_operand(w, s->arg[1]).value, {all_batches, &b, size_round(w->z)}};
	for (int i = 0; i < body->nyield; i++)
		yield[i] = (Shape){size_over(w->z, yield[i].length, &b.over, DEEPEST), size_over(w->z, yield[i].value, &b.over, DEEPEST)};
}

static Block *
walk(Walk *w, Routine *r)
{
	const Block *body = r->fun ? r->fun->body : r->entry->body;
	const int mark = facts_mark(w->facts), changes = r->changes;
	Shape *yield = NEW(w->arena, Shape, body->nyield);
	const Size **slot;
	bool met, returned;
	Block *made;

	r->dirty = false;
	r->open = true;
	r->walks++;
	w->depth++;
	enter(w, r);
	made = walk_body(w, body, r->fun ? r->fun->nparam : 0, r->fun ? r->fun->param : NULL, r->in, yield);
	if (!w->last && r->fun && !w->never && changes == r->changes) {
		of_all_batches(w, body, yield);
		slot = walk_slots(w, r->result, yield);
		met = ties_meet(w->arena, w->z, r->result, slot, r->lo, r->hi);
		returned = returns_met(w, r, slot);
		if (met || returned)
			routine_told(r);
	}
	if (!w->last && r->entry && !w->never) {
		for (int i = 0; i < body->nyield; i++)
			yield[i] = (Shape){facts_normal(w->facts, yield[i].length, BY_TASK_CHECK),
				facts_normal(w->facts, yield[i].value, BY_TASK_CHECK)};
		walk_sets(w, r->entry, yield);
	}
	facts_forget(w->facts, mark);
	w->depth--;
	r->open = false;
	return made;
}

/* As nothing is known yet of what r gives, the walk of its caller would stop here, and come once more: at first it is to, since other
 * calls may tell more of r's parameters, and what holds of all is simpler; but a caller of many would come again for each.
 * Of what is known where r is called only its parameters tell. */
void
walk_settled(Walk *w, Routine *r)
{
	const Sight sight = w->sight;
	Routine *caller = w->now;

	if (r->open || !r->dirty || caller->walks < PATIENCE || w->depth > NESTED)
		return;
	facts_hide(w->facts);
	w->sight = sight_none(w->arena);
	while (r->dirty)
		walk(w, r);
	sight_drop(&w->sight);
	w->sight = sight;
	w->now = caller;
	w->never = false;
	facts_show(w->facts);
}

/* Until nothing changes. */
static void
settle(Analysis *a)
{
	bool again = true;

	while (again) {
		again = false;
		for (int i = 0; i < a->all.n; i++)
			if (a->all.at[i]->dirty) {
				walk(&a->w, a->all.at[i]);
				again = true;
			}
	}
}

/* What nobody calls may be called with anything. */
static void
reach_all(Analysis *a)
{
	for (int i = 0; i < a->all.n; i++) {
		Routine *r = a->all.at[i];

		if (r->fun && ties_none(r->param)) {
			walk_anyhow(&a->w, r);
			settle(a);
		}
	}
}

/* -- the program ------------------------------------------------------------------------------------ */

static void
survey_routines(Analysis *a)
{
	for (const Entry *e = a->w.p->entries; e; e = e->next)
		if (e->body)
			routine_new(a, NULL, e);
	for (const Fun *f = a->w.p->funs; f; f = f->next)
		if (!f->scalar)
			routine_new(a, f, NULL);
}

static Program *
rebuild(Analysis *a)
{
	Walk *w = &a->w;
	Program *out = w->to = program_copy(w->p, w->p->ir);
	int entries = 0;

	for (Fun *f = out->funs; f; f = f->next)
		if (!f->scalar)
			f->body = walk(w, walk_routine(w, f->name));
	for (Entry *e = out->entries; e; e = e->next)
		if (e->body)
			e->body = walk(w, a->all.at[entries++]);
	ir_name(out);
	return out;
}

void
shape(Unit *u)
{
	const Program *p = u->ir;
	Sizes *z = sizes_new(u->arena, p->int_bits);
	Analysis a = {.w = {.arena = u->arena, .p = p, .z = z, .facts = facts_new(u->arena, z), .cells = cells_new(u->arena, z, p), .routine = map_new(u->arena),
		.shape = NEW(u->arena, Shape, p->nvar), .same = NEW(u->arena, Opnd, p->nvar), .is_same = NEW(u->arena, bool, p->nvar),
		.sight = sight_none(u->arena), .debug = u->debug, .by_atom = map_new(u->arena),
		.size_names = map_new(u->arena), .shapes = shapes_over(u->arena, z)}};

	u->shapes = a.w.shapes;
	shapes_found(u->shapes, p);
	if (u->no_shape)
		return;
	survey_routines(&a);
	settle(&a);
	reach_all(&a);
	a.w.last = true;
	u->ir = rebuild(&a);
	remove_dead(u->ir);
}

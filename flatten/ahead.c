/* ahead.c: what a recursive function would wait for at its beginning is known when it is called.
 *
 * In   flan
 * Out  flan: of a recursive function that makes a descriptor of lengths that are a parameter, each call hands over the sum of
 *      the lengths too, and the descriptor is made with that (segdes_of)
 * How  The sum stands where the lengths are made, so it is found by the same task, with what else the host waits for there.
 *      Where each length was given to k rows, it is k times the sum of those. */
#include "flatten/ahead.h"
#include "common/map.h"
#include "flatten/flan.h"

typedef struct Ahead {
	Program *p;
	const Fun *f;           /* whose calls hand over */
	int which;              /* the sum of this parameter, */
	Var *sum;               /* as this one of f */
	Map *made;              /* Var -> Place, in the routine at hand */
} Ahead;

/* Where a variable is bound. */
typedef struct Place {
	Block *in;
	Bind *by;               /* NULL: a parameter */
} Place;

static void
placed(Ahead *a, Block *in, Bind *by, int n, Var *const *v)
{
	for (int i = 0; i < n; i++) {
		Place *at = NEW(a->p->arena, Place, 1);

		*at = (Place){in, by};
		*map_at(a->made, v[i]) = at;
	}
}

static void
place_all(Ahead *a, Block *b)
{
	for (Bind *s = b->first; s; s = s->next) {
		placed(a, b, s, s->ndst, s->dst);
		for (int i = 0; i < s->nblock; i++)
			place_all(a, s->block[i]);
	}
}

static const Place *
place_of(const Ahead *a, Opnd x)
{
	return x.kind == OPND_VAR ? *map_at(a->made, x.u.var) : NULL;
}

/* What is made of these, right behind the place. */
static Opnd
made_at(Ahead *a, const Place *at, int op, int narg, const Opnd *arg, Span span)
{
	Block none = {.end = &none.first};
	Bind *b = bind_new(a->p, &none, op, 1, narg, 0, span), **after = at->by ? &at->by->next : &at->in->first;

	b->dst[0] = var_new(a->p, "sum", &ty_int);
	for (int i = 0; i < narg; i++)
		b->arg[i] = arg[i];
	b->next = *after;
	*after = b;
	if (!b->next)
		at->in->end = &b->next;
	placed(a, at->in, b, 1, b->dst);
	return opnd_var(b->dst[0]);
}

/* The sum of x, which is bound there. */
static Opnd
sum_of(Ahead *a, Opnd x, Span span)
{
	const Place *at = place_of(a, x), *rows;
	const Bind *by = at->by;

	if (by && by->op == FLAN_dist && by->lifted && place_of(a, by->arg[1])) {
		rows = place_of(a, by->arg[0]);
		if (rows && rows->by && rows->by->op == FLAN_uniform) {
			Opnd times[] = {sum_of(a, by->arg[1], span), rows->by->arg[1]};

			return made_at(a, at, FLAN_mul, 2, times, span);
		}
	}
	return made_at(a, at, FLAN_sum, 1, &x, span);
}

static void
hand_over(Ahead *a, Block *b, const Fun *in)
{
	for (Bind *s = b->first; s; s = s->next) {
		Opnd *arg;

		for (int i = 0; i < s->nblock; i++)
			hand_over(a, s->block[i], in);
		if (s->op != FLAN_call || s->lifted || fun_find(a->p, s->name) != a->f)
			continue;
		arg = NEW(a->p->arena, Opnd, s->narg + 1);
		for (int i = 0; i < s->narg; i++)
			arg[i] = s->arg[i];
		arg[s->narg] = in == a->f && same_opnd(arg[a->which], opnd_var(in->param[a->which])) ? opnd_var(a->sum)
			: sum_of(a, arg[a->which], s->span);
		s->arg = arg;
		s->narg++;
	}
}

static void
hand_over_in(Ahead *a, Block *body, const Fun *in)
{
	a->made = map_new(a->p->arena);
	if (in)
		placed(a, body, NULL, in->nparam, in->param);
	place_all(a, body);
	hand_over(a, body, in);
}

/* The sum of parameter i of f is handed over. */
static void
find_ahead(Program *p, Fun *f, int i)
{
	Ahead a = {.p = p, .f = f, .which = i, .sum = var_new(p, "sum", &ty_int)};
	Var **param = NEW(p->arena, Var *, f->nparam + 1);

	for (int k = 0; k < f->nparam; k++)
		param[k] = f->param[k];
	param[f->nparam] = a.sum;
	for (Fun *g = p->funs; g; g = g->next)
		hand_over_in(&a, g->body, g);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			hand_over_in(&a, e->body, NULL);
	f->param = param;
	f->nparam++;
	for (Bind *s = f->body->first; s; s = s->next)
		if (s->op == FLAN_segdes && same_opnd(s->arg[0], opnd_var(f->param[i]))) {
			s->op = FLAN_segdes_of;
			s->narg = 2;
			s->arg = NEW(p->arena, Opnd, 2);
			s->arg[0] = opnd_var(f->param[i]);
			s->arg[1] = opnd_var(a.sum);
		}
}

/* Does f's body itself make a descriptor of its parameter i? */
static bool
adds_lengths(const Fun *f, int i)
{
	for (const Bind *s = f->body->first; s; s = s->next)
		if (s->op == FLAN_segdes && same_opnd(s->arg[0], opnd_var(f->param[i])))
			return true;
	return false;
}

void
ahead(Program *p)
{
	for (Fun *f = p->funs; f; f = f->next)
		for (int i = 0, n = f->nparam; i < n && f->recursive && !f->scalar; i++)
			if (adds_lengths(f, i))
				find_ahead(p, f, i);
}

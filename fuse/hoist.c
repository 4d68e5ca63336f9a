/* hoist.c: what is the same for all elements of a row is computed once for the row.
 *
 * In   lcu
 * Out  the same; of tasks over rows and their elements, steps of elements whose operands are numbers of the row are steps of the row
 * How  Steps have no faults of their own: where a check has failed they compute something.  So it does no harm to compute for a row
 *      that has no elements.  What follows from a fold of the row is known at its end only, and stays where it is.  What comes of
 *      the host's numbers alone is a step of the row where one takes it, and else stays, so that nobody looks for rows. */
#include "fuse/hoist.h"
#include "fuse/lcu.h"

/* Whose number a variable is; what no step makes is the host's. */
typedef enum { HOST, ROW, ELEMENT } Whose;

typedef struct {
	Program *p;
	int nvar;               /* later ones are our own */
	Whose *whose;           /* by Var.id */
	Bind **made;            /* by Var.id: the step; NULL: none of a task over rows and elements */
	Var *row;               /* the number of the row, as a step of the row; NULL: none yet */
} Hoist;

static const Var *
old_var(const Hoist *h, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < h->nvar ? o.u.var : NULL;
}

/* Of what all its operands are. */
static Whose
operands(const Hoist *h, const Bind *s)
{
	Whose all = HOST;

	for (int i = 0; i < s->narg; i++) {
		const Var *v = old_var(h, s->arg[i]);

		if (v && h->whose[v->id] > all)
			all = h->whose[v->id];
	}
	return all;
}

static Whose
whose(const Hoist *h, const Bind *s)
{
	const OpClass cls = h->p->ir->op[s->op].cls;
	const bool source = cls == OP_SOURCE;

	if (s->ndst != 1 || (cls != OP_SCALAR && !source) || s->op == LCU_inner)
		return ELEMENT;
	if (s->level == 1)
		return source || operands(h, s) != ELEMENT ? ROW : ELEMENT;
	if (s->op == LCU_row)
		return ROW;
	if (source && s->op != LCU_fetch && s->op != LCU_row_start && s->op != LCU_row_length)
		return ELEMENT;
	return operands(h, s);
}

static void
put_first(Block *b, Bind *i)
{
	i->next = b->first;
	b->first = i;
}

/* What says which row it is comes first, as all steps of the row may ask for it. */
static Var *
row_of(Block *b)
{
	for (Bind **at = &b->first; *at; at = &(*at)->next) {
		Bind *s = *at;

		if (s->op != LCU_index || s->level != 1)
			continue;
		*at = s->next;
		b->end = *at ? b->end : at;
		put_first(b, s);
		return s->dst[0];
	}
	return NULL;
}

static void be_of_row(Hoist *h, Block *b, Bind *s);

/* As an operand of a step of the row. */
static Opnd
operand(Hoist *h, Block *b, Opnd o)
{
	const Var *v = old_var(h, o);
	Bind *m = v ? h->made[v->id] : NULL, *i;

	if (!m || m->level == 1)
		return o;
	if (m->op != LCU_row) {
		be_of_row(h, b, m);
		return o;
	}
	if (!h->row) {
		i = bind_new(h->p, block_new(h->p), LCU_index, 1, 0, 0, m->span);
		i->level = 1;
		h->row = i->dst[0] = var_new(h->p, m->dst[0]->name, &ty_int);
		put_first(b, i);
	}
	return opnd_var(h->row);
}

static void
be_of_row(Hoist *h, Block *b, Bind *s)
{
	s->level = 1;
	for (int i = 0; i < s->narg; i++)
		s->arg[i] = operand(h, b, s->arg[i]);
}

static void
task(Hoist *h, Block *b)
{
	h->row = row_of(b);
	for (Bind *s = b->first; s; s = s->next)
		for (int i = 0; i < s->ndst; i++) {
			h->whose[s->dst[i]->id] = whose(h, s);
			h->made[s->dst[i]->id] = s;
		}
	for (Bind *s = b->first; s; s = s->next)
		if (s->level == 2 && s->ndst == 1 && s->op != LCU_row && h->whose[s->dst[0]->id] == ROW)
			be_of_row(h, b, s);
}

static void
block(Hoist *h, Block *b)
{
	for (Bind *x = b->first; x; x = x->next) {
		if (x->op == LCU_task && x->narg == 2)
			task(h, x->block[0]);
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			block(h, x->block[i]);
	}
}

void
hoist(Program *p)
{
	Arena *scratch = arena_new();
	Hoist h = {p, p->nvar, NEW(scratch, Whose, p->nvar + 1), NEW(scratch, Bind *, p->nvar + 1), NULL};

	for (Fun *f = p->funs; f; f = f->next)
		block(&h, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			block(&h, e->body);
	arena_free(scratch);
	ir_name(p);
}

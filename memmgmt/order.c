/* order.c: what may have the memory of an operand comes behind what else is asked of that.
 *
 * In   lcu.
 * Out  the same, with `put`, and what copies and appends to a part of a vector (piece.h), behind numbers that the host reads of
 *      the vector later, if nothing else needs what they make before: then they are its last uses.
 *      So in go(drop(queue, 1) ++ [x], s + queue[0]) the queue ends where it is appended to. */
#include "memmgmt/order.h"
#include "fuse/lcu.h"
#include "memmgmt/piece.h"

typedef struct Order {
	const Program *p;
	Bind **at;                      /* the bindings of a block */
	int n;
} Order;

static bool
reads(const Bind *b, const Var *v)
{
	bool does = bind_reads(b, v);

	for (int i = 0; i < b->nway && !does; i++)
		does = b->way[i].kind == OPND_VAR && b->way[i].u.var == v;
	for (int i = 0; i < b->nblock && !does; i++) {
		for (const Bind *x = b->block[i]->first; x && !does; x = x->next)
			does = reads(x, v);
		for (int k = 0; k < b->block[i]->nyield && !does; k++)
			does = b->block[i]->yield[k].kind == OPND_VAR && b->block[i]->yield[k].u.var == v;
	}
	return does;
}

static bool
is_var(Opnd o, const Var *v)
{
	return o.kind == OPND_VAR && o.u.var == v;
}

/* What binding i takes, by itself or by the append to what it copies, which is binding *last; NULL: nothing. */
static const Var *
taken(const Order *o, int i, int *last)
{
	const Bind *b = o->at[i], *a;
	Piece p;

	*last = i;
	if (b->op == LCU_put)
		return b->arg[0].kind == OPND_VAR ? b->arg[0].u.var : NULL;
	if (!piece_of(b, &p) || p.of.kind != OPND_VAR)
		return NULL;
	while (++*last < o->n && !reads(o->at[*last], b->dst[0]))
		;
	a = *last < o->n ? o->at[*last] : NULL;
	return a && a->op == LCU_append && a->narg == 2 && is_var(a->arg[0], b->dst[0]) ? p.of.u.var : NULL;
}

/* The last binding that asks the host for a number of v, before what is made of it at `last` is needed; -1: there is none, or
 * v is used otherwise. */
static int
last_asking(const Order *o, const Var *v, int i, int last)
{
	const Var *made = o->at[last]->dst[0];
	int asking = -1;

	while (++i < o->n) {
		const Bind *b = o->at[i];
		const OpClass cls = o->p->ir->op[b->op].cls;

		if (i == last)
			continue;
		if (reads(b, made) || (b->nblock > 0 && b->op != LCU_task) || b->op == LCU_call || cls == OP_EFFECT)
			return asking;
		if (!reads(b, v))
			continue;
		if (cls != OP_HOST || b->ndst != 1 || !ty_scalar(b->dst[0]->ty))
			return -1;
		asking = i;
	}
	return asking;
}

/* Binding i goes behind binding `to`. */
static void
put_behind(const Order *o, int i, int to)
{
	Bind *b = o->at[i];

	for (; i < to; i++)
		o->at[i] = o->at[i + 1];
	o->at[to] = b;
}

static void
order_block(const Program *p, Block *b)
{
	Order o = {p, NULL, 0};
	Bind **end = &b->first;

	for (Bind *x = b->first; x; x = x->next)
		o.n++;
	o.at = NEW(p->arena, Bind *, o.n);
	o.n = 0;
	for (Bind *x = b->first; x; x = x->next) {
		o.at[o.n++] = x;
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			order_block(p, x->block[i]);
	}
	for (int i = 0, last; i < o.n; i++) {
		const Var *v = taken(&o, i, &last);
		const int to = v ? last_asking(&o, v, i, last) : -1;

		if (to < 0)
			continue;
		if (last > i && last < to)
			put_behind(&o, last, to);
		put_behind(&o, i, last > i && last < to ? to - 1 : to);
		i--;
	}
	for (int i = 0; i < o.n; i++, end = &(*end)->next)
		*end = o.at[i];
	*end = NULL;
	b->end = end;
}

void
order_reads(Program *p)
{
	for (Fun *f = p->funs; f; f = f->next)
		order_block(p, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			order_block(p, e->body);
}

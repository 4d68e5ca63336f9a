/* rows.c: the elements of neighbouring rows, as neighbouring elements.
 *
 * In   lcu.
 * Out  the same; where some rows of a sequence are what goes on, and are updated in turn (update.h), as in
 *
 *          d:segdes = task n { .. l = row_length@1 s, place; segdes@1 l }
 *          r:<x> = task n, d { .. x = fetch@2 v, row_start s, place + inner; store@2 x }
 *
 *      the second task does not ask for the rows:
 *
 *          b = row_start s, from; (d); m = total d; r = task m { .. x = fetch@1 v, b + index; store@1 x }
 *
 *      So the descriptor s may end with d, and both are pieces (piece.h). */
#include "memmgmt/rows.h"
#include "fuse/lcu.h"
#include "fuse/unused.h"
#include "memmgmt/piece.h"
#include "memmgmt/update.h"

/* Where the binding of the block that makes v is linked; NULL: none does. */
static Bind **
made_in(Block *in, const Var *v)
{
	for (Bind **at = &in->first; *at; at = &(*at)->next)
		for (int i = 0; i < (*at)->ndst; i++)
			if ((*at)->dst[i] == v)
				return at;
	return NULL;
}

typedef struct Rows {
	Program *p;
	bool any;
} Rows;

/* r = task all { e = index; o = add e, start; x = fetch v, o; store x }, behind b. */
static void
copy_elements(Program *p, Bind *b, Var *r, Var *v, Opnd start, Opnd all)
{
	static const int op[] = {LCU_index, LCU_add, LCU_fetch, LCU_store};
	const Ty *const ty[] = {&ty_int, &ty_int, v->ty->a, v->ty};
	Bind *t = bind_at(p, &b->next, LCU_task, r, 1, &all, b->span), *s;
	Block *body = block_new(p);
	Opnd x = all;

	for (int i = 0; i < 4; i++) {
		s = bind_new(p, body, op[i], 1, i == 0 ? 0 : i == 3 ? 1 : 2, 0, b->span);
		s->level = 1;
		for (int k = 0; k < s->narg; k++)
			s->arg[k] = i == 2 && k == 0 ? opnd_var(v) : i == 1 && k == 1 ? start : x;
		s->dst[0] = var_new(p, r->name, ty[i]);
		x = opnd_var(s->dst[0]);
	}
	block_yield(p, body, 1, &x);
	t->name = b->name;
	t->nblock = 1;
	t->block = NEW(p->arena, Block *, 1);
	t->block[0] = body;
}

/* Result i of b, of the elements of these rows, which *made makes, is made by a task of its own. */
static void
make_apart(Rows *r, Bind **made, Bind *b, int i, const Piece *rows, const Var *v)
{
	Var *start = var_new(r->p, b->dst[i]->name, &ty_int), *all = var_new(r->p, b->dst[i]->name, &ty_int);
	const Opnd of[] = {rows->of, rows->from}, d = b->arg[1];
	Var *result = b->dst[i];

	bind_at(r->p, made, LCU_row_start, start, 2, of, b->span);
	b->dst[i] = var_new(r->p, result->name, result->ty);
	copy_elements(r->p, b, result, (Var *)v, opnd_var(start), opnd_var(all));
	bind_at(r->p, &b->next, LCU_total, all, 1, &d, b->span);
	r->any = true;
}

/* The rows that b has as its space are neighbours of others. */
static void
task(Rows *r, const Place *at, Block *in, Bind *b)
{
	const Var *d = b->narg == 2 && b->arg[1].kind == OPND_VAR ? b->arg[1].u.var : NULL, *v;
	Bind **made = d ? made_in(in, d) : NULL;
	Piece rows;
	int k = 0;

	if (!made || (*made)->op != LCU_task)
		return;
	while ((*made)->dst[k] != d)
		k++;
	if (!piece_of(*made, k, &rows) || !is_updated(at, (*made)->next, d))
		return;
	for (int i = 0; i < b->ndst; i++)
		if ((v = piece_elements(b, i, &rows)) && is_updated(at, b->next, b->dst[i]))
			make_apart(r, made_in(in, d), b, i, &rows, v);
}

static void
block(Rows *r, const Place *at, Block *b)
{
	for (Bind *x = b->first; x; x = x->next) {
		if (x->op == LCU_task)
			task(r, at, b, x);
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			block(r, &(Place){at->p, at->f, x->block[i], x, at}, x->block[i]);
		b->end = &x->next;
	}
}

void
rows_pieces(Program *p)
{
	Rows r = {p, false};

	for (Fun *f = p->funs; f; f = f->next)
		block(&r, &(Place){p, f, f->body, NULL, NULL}, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			block(&r, &(Place){p, NULL, e->body, NULL, NULL}, e->body);
	if (!r.any)
		return;
	unused(p);
	ir_name(p);
}

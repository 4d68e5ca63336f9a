/* irkeep.c: see program_keep.  Walks the program twice: which variables there are, in the order of their ids, and then
 * all that is reached, each thing once. */
#include <string.h>
#include "common/ir.h"
#include "common/map.h"

typedef struct {
	Arena *arena;
	Names *names;
	Var **now;              /* by Var.id of the old program */
	const char *file, *file_now;    /* the last */
	Map *cell, *name;       /* what they are now; of a name by its address */
	Program *to;
} Keep;

/* -- which variables there are -------------------------------------------------------------------------- */

static void
meet_vars(Var **met, int n, Var *const *v)
{
	for (int i = 0; i < n; i++)
		met[v[i]->id] = v[i];
}

static void
meet_block(Var **met, const Block *b)
{
	meet_vars(met, b->nparam, b->param);
	for (const Bind *x = b->first; x; x = x->next) {
		meet_vars(met, x->ndst, x->dst);
		for (int i = 0; i < x->nblock; i++)
			meet_block(met, x->block[i]);
	}
}

static void
meet_program(Var **met, const Program *p)
{
	for (const Fun *f = p->funs; f; f = f->next) {
		meet_vars(met, f->nparam, f->param);
		meet_block(met, f->body);
	}
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			meet_block(met, e->body);
}

/* -- all that is reached -------------------------------------------------------------------------------- */

static const char *
name(Keep *k, const char *s)
{
	void **now = s ? map_at(k->name, s) : NULL;

	if (now && !*now)
		*now = (void *)intern(k->names, s);
	return now ? *now : NULL;
}

static Span
span(Keep *k, Span s)
{
	if (s.file != k->file) {
		k->file = s.file;
		k->file_now = name(k, s.file);
	}
	s.file = k->file_now;
	return s;
}

static Var **
vars(Keep *k, int n, Var *const *v)
{
	Var **w = NEW(k->arena, Var *, n);

	for (int i = 0; i < n; i++)
		w[i] = k->now[v[i]->id];
	return w;
}

static Opnd *
operands(Keep *k, int n, const Opnd *x)
{
	Opnd *y = NEW(k->arena, Opnd, n);

	for (int i = 0; i < n; i++) {
		y[i] = x[i];
		if (x[i].kind == OPND_VAR)
			y[i].u.var = k->now[x[i].u.var->id];
	}
	return y;
}

static Block *
block(Keep *k, const Block *b)
{
	Block *to = block_new(k->to);

	to->nparam = b->nparam;
	to->param = vars(k, b->nparam, b->param);
	for (const Bind *x = b->first; x; x = x->next) {
		Bind *y = NEW(k->arena, Bind, 1);

		*y = *x;
		y->dst = vars(k, x->ndst, x->dst);
		y->arg = operands(k, x->narg, x->arg);
		y->way = operands(k, x->nway, x->way);
		y->block = NEW(k->arena, Block *, x->nblock);
		for (int i = 0; i < x->nblock; i++)
			y->block[i] = block(k, x->block[i]);
		y->name = name(k, x->name);
		if (x->text)
			y->text = arena_strndup(k->arena, x->text, x->textlen > 0 ? (size_t)x->textlen : strlen(x->text));
		y->span = span(k, x->span);
		y->next = NULL;
		*to->end = y;
		to->end = &y->next;
	}
	to->nyield = b->nyield;
	to->yield = operands(k, b->nyield, b->yield);
	return to;
}

static bool *
flags(Keep *k, int n, const bool *from)
{
	bool *to = from ? NEW(k->arena, bool, n) : NULL;

	if (to)
		memcpy(to, from, sizeof *to * (size_t)n);
	return to;
}

static Fun *
fun(Keep *k, const Fun *f)
{
	Fun *to = NEW(k->arena, Fun, 1);

	*to = *f;
	to->name = name(k, f->name);
	to->nested = name(k, f->nested);
	to->scans = name(k, f->scans);
	to->rows = name(k, f->rows);
	to->param = vars(k, f->nparam, f->param);
	to->result = NEW(k->arena, const Ty *, f->nresult);
	for (int i = 0; i < f->nresult; i++)
		to->result[i] = ty_copy(k->arena, f->result[i]);
	to->lent = flags(k, f->nparam, f->lent);
	if (f->back) {
		to->back = NEW(k->arena, bool *, f->nresult);
		for (int i = 0; i < f->nresult; i++)
			to->back[i] = flags(k, f->nparam, f->back[i]);
	}
	to->span = span(k, f->span);
	to->body = block(k, f->body);
	to->next = NULL;
	return to;
}

static Cell *
cell(Keep *k, const Cell *c)
{
	Cell *to = NEW(k->arena, Cell, 1);

	*to = (Cell){name(k, c->name), name(k, c->shown), ty_copy(k->arena, c->ty), c->input, NULL};
	*map_at(k->cell, c) = to;
	return to;
}

static Entry *
entry(Keep *k, const Entry *e)
{
	Entry *to = NEW(k->arena, Entry, 1);

	*to = *e;
	to->shown = name(k, e->shown);
	to->type = name(k, e->type);
	to->cell = NEW(k->arena, Cell *, e->ncell);
	for (int i = 0; i < e->ncell; i++)
		to->cell[i] = *map_at(k->cell, e->cell[i]);
	if (e->body)
		to->body = block(k, e->body);
	to->span = span(k, e->span);
	to->next = NULL;
	return to;
}

static void
keep_vars(Keep *k, const Program *p)
{
	Var *v;

	meet_program(k->now, p);
	for (int i = 0; i < p->nvar; i++)
		if (k->now[i]) {
			v = NEW(k->arena, Var, 1);
			*v = *k->now[i];        /* its name is interned */
			v->ty = ty_copy(k->arena, v->ty);
			v->id = k->to->nvar++;
			k->now[i] = v;
		}
}

Program *
program_keep(const Program *p, Arena *to, Var **now)
{
	Arena *scratch = arena_new();
	Keep k = {.arena = to, .names = p->names, .now = now, .cell = map_new(scratch), .name = map_new(scratch),
		.to = program_new(to, p->names, p->ir)};
	Cell **cells = &k.to->cells;
	Fun **funs = &k.to->funs;
	Entry **entries = &k.to->entries;

	k.to->int_bits = p->int_bits;
	keep_vars(&k, p);
	for (const Cell *c = p->cells; c; c = c->next, cells = &(*cells)->next)
		*cells = cell(&k, c);
	for (const Fun *f = p->funs; f; f = f->next, funs = &(*funs)->next)
		*funs = fun(&k, f);
	for (const Entry *e = p->entries; e; e = e->next, entries = &(*entries)->next)
		*entries = entry(&k, e);
	if (p->nested)
		k.to->nested = program_keep(p->nested, to, NEW(scratch, Var *, p->nested->nvar));
	arena_free(scratch);
	return k.to;
}

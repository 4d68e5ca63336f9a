/* tail.c: which calls of mem are jumps. */
#include "fuse/tail.h"
#include <string.h>
#include "fuse/lcu.h"

typedef struct {
	Program *p;
	Map *m;
} Tails;

/* -- cycles ------------------------------------------------------------------------------------ */
static bool calls(const Program *p, const Block *body, const Fun *to, Map *seen);

static bool
reaches(const Program *p, const Fun *from, const Fun *to, Map *seen)
{
	if (from == to)
		return true;
	if (!from->recursive || *map_at(seen, from))
		return false;
	*map_at(seen, from) = (void *)from;
	return calls(p, from->body, to, seen);
}

static bool
calls(const Program *p, const Block *body, const Fun *to, Map *seen)
{
	for (const Bind *b = body->first; b; b = b->next) {
		if (b->op == LCU_call && reaches(p, fun_find(p, b->name), to, seen))
			return true;
		for (int i = 0; i < b->nblock; i++)
			if (calls(p, b->block[i], to, seen))
				return true;
	}
	return false;
}

bool
tail_comes_back(const Program *p, const Fun *f, const Fun *to)
{
	return f->recursive && reaches(p, to, f, map_new(p->arena));
}

/* -- texts ------------------------------------------------------------------------------------- */
static void
join(const Tails *t, TailText *to, const TailText *from)
{
	to->jumps = true;
	for (int i = 0; to != from && i < from->fun.n; i++) {
		LIST_ADD(t->p->arena, &to->fun, from->fun.at[i]);
		*map_at(t->m, from->fun.at[i]) = to;
	}
}

/* The jumps of this block of f. */
static void
mark(const Tails *t, const Fun *f, const Block *body)
{
	const Bind *b = block_tail(body);
	const Fun *g;

	if (b && b->op == LCU_if) {
		mark(t, f, b->block[0]);
		mark(t, f, b->block[1]);
	}
	if (!b || b->op != LCU_call || b->nway > 0)
		return;
	g = fun_find(t->p, b->name);
	if (lcu_is_runner(f) || lcu_is_runner(g))     /* they return to what runs them so */
		return;
	if (!tail_comes_back(t->p, f, g))
		return;
	*map_at(t->m, b) = (void *)g;
	join(t, *map_at(t->m, f), *map_at(t->m, g));
}

Map *
tail_calls(Program *p)
{
	const Tails t = {p, map_new(p->arena)};

	for (const Fun *f = p->funs; f; f = f->next) {
		TailText *alone = NEW(p->arena, TailText, 1);

		LIST_ADD(p->arena, &alone->fun, f);
		*map_at(t.m, f) = alone;
	}
	for (const Fun *f = p->funs; f; f = f->next)
		if (f->recursive)
			mark(&t, f, f->body);
	for (const Fun *f = p->funs; f; f = f->next) {
		const TailText *text = tail_text(t.m, f);

		if (text->fun.n > 1 && text->fun.at[0] == f)
			ir_name_together(p, text->fun.at, text->fun.n);
	}
	return t.m;
}

const TailText *
tail_text(Map *m, const Fun *f)
{
	return *map_at(m, f);
}

const Fun *
tail_first(Map *m, const Fun *f)
{
	return tail_text(m, f)->fun.at[0];
}

int
tail_place(Map *m, const Fun *f)
{
	const TailText *t = tail_text(m, f);
	int i = 0;

	while (t->fun.at[i] != f)
		i++;
	return t->fun.n == 1 ? -1 : i;
}

const char *
tail_operands(Arena *a, Map *m, const Fun *f, const char *args, const char *none)
{
	const TailText *t = tail_text(m, f);
	const char *s;

	if (t->fun.n == 1)
		return args;
	s = arena_printf(a, "%d", tail_place(m, f));
	for (int k = 0; k < t->fun.n; k++)
		if (t->fun.at[k] == f)
			s = arena_printf(a, "%s%s%s", s, *args ? ", " : "", args);
		else
			for (int i = 0; i < t->fun.at[k]->nparam; i++)
				s = arena_printf(a, "%s, %s", s, none);
	return s;
}

const Fun *
tail_call(Map *m, const Bind *b)
{
	return *map_at(m, b);
}

bool
tail_counted(const Program *p, Map *m, const Bind *b)
{
	const Fun *f = b->op == LCU_call ? fun_find(p, b->name) : NULL;

	return f && f->recursive && !lcu_is_runner(f) && !tail_call(m, b);   /* such a one is no call of the program's */
}

bool
tail_ends(Map *m, const Block *b)
{
	const Bind *last = block_tail(b);

	if (last && last->op == LCU_if)
		return tail_ends(m, last->block[0]) && tail_ends(m, last->block[1]);
	return last && tail_call(m, last);
}

bool
tail_keeps(const Fun *f, const Bind *call, int i)
{
	return same_opnd(call->arg[i], opnd_var(f->param[i]));
}

bool
tail_copies(const Fun *f, const Bind *call, int i)
{
	for (int j = 0; j < i; j++)
		if (same_opnd(call->arg[i], opnd_var(f->param[j])) && !tail_keeps(f, call, j))
			return true;
	return false;
}

/* stale.c: see stale.h. */
#include "flatten/stale.h"
#include "common/map.h"
#include "flatten/survey.h"

struct Stale {
	Arena *arena;
	int nentry;
	Map *was, *now;         /* by name of a function: not NULL if the last round changed it; this one */
	bool *entry_was, *entry_now;
	Map *quiet;             /* by name of a function: not NULL if it was, in the last round; itself NULL: there was none */
};

Stale *
stale_new(Arena *a, const Program *p)
{
	Stale *t = NEW(a, Stale, 1);

	t->arena = a;
	t->now = map_new(a);
	for (const Entry *e = p->entries; e; e = e->next)
		t->nentry++;
	t->entry_now = NEW(a, bool, t->nentry);
	return t;
}

void
stale_begin(Stale *t)
{
	t->was = t->now;
	t->entry_was = t->entry_now;
	t->now = map_new(t->arena);
	t->entry_now = NEW(t->arena, bool, t->nentry);
}

/* Will it have other parameters, or give other results, or none be called? */
static bool
is_remade(const Callee *c)
{
	bool remade = c->inlined;

	for (int i = 0; i < c->fun->nparam; i++)
		remade |= !callee_keeps(c, i);
	for (int i = 0; i < c->fun->nresult; i++)
		remade |= c->drop[i];
	return remade;
}

static bool
calls_other(const Stale *t, const Survey *s, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next) {
		const Callee *c = x->op == FLAN_call ? survey_callee(s, x->name) : NULL;

		if (c && (*map_at(t->was, c->fun->name) || !*map_at(t->quiet, c->fun->name) != !c->quiet || is_remade(c)))
			return true;
		for (int i = 0; i < x->nblock; i++)
			if (calls_other(t, s, x->block[i]))
				return true;
	}
	return false;
}

bool
stale_fun(const Stale *t, const Survey *s, const Callee *c)
{
	return !t->quiet || *map_at(t->was, c->fun->name) || is_remade(c) || calls_other(t, s, c->fun->body);
}

bool
stale_entry(const Stale *t, const Survey *s, int i, const Block *body)
{
	return !t->quiet || t->entry_was[i] || calls_other(t, s, body);
}

void
stale_fun_changed(Stale *t, const Fun *f)
{
	*map_at(t->now, f->name) = (void *)f;
}

void
stale_entry_changed(Stale *t, int i)
{
	t->entry_now[i] = true;
}

void
stale_end(Stale *t, const Survey *s)
{
	t->quiet = map_new(t->arena);
	for (int i = 0; i < s->reached.n; i++)
		*map_at(t->quiet, s->reached.at[i]->fun->name) = s->reached.at[i]->quiet ? s->reached.at[i] : NULL;
}

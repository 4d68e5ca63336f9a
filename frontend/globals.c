/* globals.c: top-level names, and the nearest known name to a wrong one. */
#include "frontend/globals.h"
#include "common/like.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { BUCKETS = 1024 };

struct Globals {
	Decl *bucket[2][BUCKETS];       /* [0] the user's, [1] the library's */
};

static unsigned
bucket(const char *name)
{
	return (unsigned)((uintptr_t)name >> 3) * 2654435761u >> 22;
}

Globals *
globals_new(Arena *a)
{
	return NEW(a, Globals, 1);
}

Decl *
globals_add(Globals *g, Arena *a, DeclKind kind, const char *name, bool basis)
{
	Decl *d = NEW(a, Decl, 1), **at = &g->bucket[basis][bucket(name)];

	d->kind = kind;
	d->name = name;
	d->basis = basis;
	d->home = g;
	d->next = *at;
	*at = d;
	return d;
}

static Decl *
find(Decl *const *table, const char *name)
{
	Decl *d = table[bucket(name)];

	while (d && d->name != name)
		d = d->next;
	return d;
}

/* A name's binding in the library; NULL if there is none. */
static Decl *
globals_basis(const Globals *g, const char *name)
{
	return find(g->bucket[1], name);
}

Decl *
globals_user(const Globals *g, const char *name)
{
	return find(g->bucket[0], name);
}

Decl *
globals_record(const Globals *g, const char *name, bool basis)
{
	Decl *d = g->bucket[basis][bucket(name)];

	while (d && !(d->name == name && d->record))
		d = d->next;
	return d || basis ? d : globals_record(g, name, true);
}

Decl *
globals_find(const Globals *g, const char *name, bool basis)
{
	Decl *d = basis ? NULL : globals_user(g, name);

	return d ? d : globals_basis(g, name);
}

void
globals_each(const Globals *g, void (*hear)(const Decl *, void *), void *to)
{
	for (int t = 0; t < 2; t++)
		for (int i = 0; i < BUCKETS; i++)
			for (const Decl *d = g->bucket[t][i]; d; d = d->next)
				if (!d->form || !d->form->hidden)
					hear(d, to);
}

static const char *const open_name[] = {
	"sum", "max_val", "min_val", "any", "all", "index", "put", "subseq", "drop", "take", "split",
	"bottop", "head_rest", "rest_tail", "rotate", "enumerate", "count", "max_index", "min_index",
	"elt", "partition", "cond_put", "unpack", "max_int", "min_int", "display", "user",
};

bool
globals_protected(const Globals *g, const char *name)
{
	if (!globals_basis(g, name))
		return false;
	for (size_t i = 0; i < sizeof open_name / sizeof *open_name; i++)
		if (strcmp(name, open_name[i]) == 0)
			return false;
	return true;
}

/* -- did you mean ---------------------------------------------------------------------------------- */

static void
consider(Like *l, const char *name)
{
	if (isalpha((unsigned char)name[0]) && !strchr(name, '.'))
		like_try(l, name);
}

static Like
like_in(const Scope *sc, const char *name)
{
	Like l = like(name);

	for (; sc; sc = sc->up)
		consider(&l, sc->decl->name);
	return l;
}

const char *
scope_like(const Scope *sc, const char *name)
{
	return like_in(sc, name).best;
}

const char *
globals_like(const Globals *g, const Unit *u, const Scope *sc, const char *name, bool basis)
{
	Like l = like_in(sc, name);

	for (int t = basis ? 1 : 0; t < 2; t++)
		for (int i = 0; i < BUCKETS; i++)
			for (const Decl *d = g->bucket[t][i]; d; d = d->next)
				consider(&l, d->name);
	for (int i = 0; i < u->unread.n; i++)
		consider(&l, u->unread.at[i]);
	return l.best;
}

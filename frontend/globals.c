/* globals.c: top-level names, and the nearest known name to a wrong one. */
#include "frontend/globals.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { BUCKETS = 1024, LONGEST = 40 };

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

/* Edit distance in which swapping two neighbours is one step. */
static int
distance(const char *a, const char *b)
{
	int row[3][LONGEST + 1], n = (int)strlen(a), m = (int)strlen(b);

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (int i = 0; i <= n; i++)
		for (int k = 0; k <= m; k++) {
			int *r = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3], d;
			if (i == 0 || k == 0) {
				r[k] = i + k;
				continue;
			}
			d = up[k - 1] + (a[i - 1] != b[k - 1]);
			d = up[k] + 1 < d ? up[k] + 1 : d;
			d = r[k - 1] + 1 < d ? r[k - 1] + 1 : d;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] && up2[k - 2] + 1 < d)
				d = up2[k - 2] + 1;
			r[k] = d;
		}
	return row[n % 3][m];
}

typedef struct { const char *name, *best; int distance; } Nearest;

static void
consider(Nearest *n, const char *name)
{
	int d;

	if (!isalpha((unsigned char)name[0]) || strchr(name, '.'))
		return;
	d = distance(n->name, name);
	if (d < n->distance || (d == n->distance && n->best && strcmp(name, n->best) < 0)) {
		n->distance = d;
		n->best = name;
	}
}

static Nearest
nearest_in(const Scope *sc, const char *name)
{
	int len = (int)strlen(name);
	Nearest n = {name, NULL, len <= 2 ? 1 : len <= 4 ? 2 : 3};

	for (; sc; sc = sc->up)
		consider(&n, sc->decl->name);
	return n;
}

const char *
scope_like(const Scope *sc, const char *name)
{
	return nearest_in(sc, name).best;
}

const char *
globals_like(const Globals *g, const Unit *u, const Scope *sc, const char *name, bool basis)
{
	Nearest n = nearest_in(sc, name);

	for (int t = basis ? 1 : 0; t < 2; t++)
		for (int i = 0; i < BUCKETS; i++)
			for (const Decl *d = g->bucket[t][i]; d; d = d->next)
				consider(&n, d->name);
	for (int i = 0; i < u->unread.n; i++)
		consider(&n, u->unread.at[i]);
	return n.best;
}

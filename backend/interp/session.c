/* session.c: values that outlive a run. */
#include "backend/interp/session.h"
#include <string.h>

typedef struct {
	const char *name;
	const Ty *ty;
	Value v;
} Kept;

struct Session {
	Arena *arena;
	LIST(Kept) kept;
};

Session *
session_new(Arena *a)
{
	Session *s = NEW(a, Session, 1);

	s->arena = a;
	return s;
}

static Kept *
find(const Session *s, const Cell *c)
{
	for (int i = 0; i < s->kept.n; i++)
		if (strcmp(s->kept.at[i].name, c->name) == 0)
			return &s->kept.at[i];
	return NULL;
}

bool
session_get(const Session *s, const Cell *c, Value *v)
{
	const Kept *k = find(s, c);

	if (k)
		*v = value_keep(k->v, k->ty);
	return k != NULL;
}

void
session_put(Session *s, const Cell *c, Value v)
{
	Kept *k = find(s, c);

	if (k) {
		value_drop(k->v, k->ty);
		k->v = v;
	} else {
		LIST_ADD(s->arena, &s->kept, ((Kept){arena_strndup(s->arena, c->name, strlen(c->name)),
			ty_copy(s->arena, c->ty), v}));
		k = &s->kept.at[s->kept.n - 1];
	}
	value_retype(k->v, k->ty);
}

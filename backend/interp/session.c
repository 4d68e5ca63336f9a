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

static const Ty *
copy_type(Arena *a, const Ty *t)
{
	switch (t->kind) {
	case TY_INT: return &ty_int;
	case TY_FLOAT: return &ty_float;
	case TY_BOOL: return &ty_bool;
	case TY_CHAR: return &ty_char;
	case TY_PAIR: return ty_pair(a, copy_type(a, t->a), copy_type(a, t->b));
	case TY_SEQ: return ty_seq(a, copy_type(a, t->a));
	case TY_VEC:
	case TY_SEGDES:
	case TY_UNIFORM: break;
	}
	ice((Span){0}, "interp", "a cell that is no NESL value");
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
			copy_type(s->arena, c->ty), v}));
		k = &s->kept.at[s->kept.n - 1];
	}
	value_retype(k->v, k->ty);
}

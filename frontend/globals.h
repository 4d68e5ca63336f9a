#ifndef NESSIE_GLOBALS_H
#define NESSIE_GLOBALS_H
/* Top-level names: the library's in one table, the user's in another that shadows it for user code. */
#include "frontend/infer.h"

Globals *globals_new(Arena *a);
/* A new binding, which hides older ones of its name. */
Decl *globals_add(Globals *g, Arena *a, DeclKind kind, const char *name, bool basis);
Decl *globals_find(const Globals *g, const char *name, bool basis);
/* The constructor of a record, hidden or not; library code sees the library's only. */
Decl *globals_record(const Globals *g, const char *name, bool basis);
Decl *globals_user(const Globals *g, const char *name);
/* Every binding, the newest of a name first. */
void globals_each(const Globals *g, void (*hear)(const Decl *, void *), void *to);
/* May the user define it?  Names of the library may not be, except the open ones. */
bool globals_protected(const Globals *g, const char *name);

/* A local name: innermost first. */
typedef struct Scope {
	Decl *decl;
	int depth;              /* how many names are in scope */
	const struct Scope *up;
} Scope;
/* The name in scope most like `name`, or NULL. */
const char *scope_like(const Scope *sc, const char *name);
/* The known name most like `name`, or one of the library that was not read; or NULL. */
const char *globals_like(const Globals *g, const Unit *u, const Scope *sc, const char *name, bool basis);

#endif

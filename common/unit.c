/* unit.c: see unit.h. */
#include "common/unit.h"
#include <string.h>
#include "common/embed.h"

void
unit_add(Unit *u, Source s)
{
	Source **end = &u->sources;

	while (*end)
		end = &(*end)->next;
	*end = NEW(u->arena, Source, 1);
	**end = s;
}

void
unit_settle(Unit *u)
{
	Arena *to;

	if (!u->lasting)
		return;
	to = arena_new();
	u->ir = program_keep(u->ir, to);
	u->forms = u->typed = NULL;
	u->globals = NULL;
	u->mono = NULL;
	u->graph = NULL;
	u->shapes = NULL;
	arena_free(u->arena);
	u->arena = to;
}

const char *
unit_add_basis(Unit *u)
{
	const char *missing;
	int n;
	const EmbeddedFile *f = embed_files(u->arena, "basis", &n, &missing);

	if (!f)
		return missing;
	for (int i = 0; i < n; i++)
		unit_add(u, (Source){.name = f[i].path, .text = f[i].text, .n = strlen(f[i].text), .basis = true});
	return NULL;
}

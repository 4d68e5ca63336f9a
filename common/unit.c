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

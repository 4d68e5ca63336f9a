/* json.c: text of JSON (json.h). */
#include "common/json.h"

const char *
json_quoted(Arena *a, const char *s)
{
	const char *q = "\"";

	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			q = arena_printf(a, "%s\\%c", q, *s);
		else
			q = arena_printf(a, (unsigned char)*s < ' ' ? "%s\\u%04x" : "%s%c", q, (unsigned char)*s);
	return arena_printf(a, "%s\"", q);
}

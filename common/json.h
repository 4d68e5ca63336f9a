#ifndef NESSIE_JSON_H
#define NESSIE_JSON_H
/* Text of JSON. */
#include "common/arena.h"

/* A string, with its quotation marks. */
const char *json_quoted(Arena *a, const char *s);

#endif

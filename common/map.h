#ifndef NESSIE_MAP_H
#define NESSIE_MAP_H
/* Tables keyed by address; with interned names, tables keyed by name. */
#include "common/arena.h"

typedef struct Map Map;

Map *map_new(Arena *a);
/* It is not used any more. */
void map_drop(Map *m);
/* The value slot of `key` (never NULL as a key); a new one holds NULL.  Valid until the next call. */
void **map_at(Map *m, const void *key);

/* A name like `hint`, which is interned, that this map has not given out yet: hint, hint_2, hint_3 ...  The map must
 * serve this purpose only. */
const char *map_fresh(Map *m, Arena *a, Names *names, const char *hint);

#endif

/* map.c: open addressing, linear probing, at most half full. */
#include "common/map.h"
#include <ctype.h>
#include <stdint.h>
#include <string.h>

typedef struct {
	const void *key;
	void *value;
} Slot;

struct Map {
	Arena *arena;
	Slot *slot;
	size_t cap, n;
};

Map *
map_new(Arena *a)
{
	Map *m = NEW(a, Map, 1);
	m->arena = a;
	m->cap = 16;
	m->slot = NEW(a, Slot, m->cap);
	return m;
}

void
map_drop(Map *m)
{
	arena_give_back(m->arena, m->slot, sizeof *m->slot * m->cap);
	arena_give_back(m->arena, m, sizeof *m);
}

static Slot *
find(Map *m, const void *key)
{
	size_t h = (size_t)(((uintptr_t)key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
	while (m->slot[h & (m->cap - 1)].key && m->slot[h & (m->cap - 1)].key != key)
		h++;
	return &m->slot[h & (m->cap - 1)];
}

static void
grow(Map *m)
{
	Slot *old = m->slot;
	size_t n = m->cap;
	m->cap = 2 * n;
	m->slot = NEW(m->arena, Slot, m->cap);
	for (size_t i = 0; i < n; i++)
		if (old[i].key)
			*find(m, old[i].key) = old[i];
	arena_give_back(m->arena, old, sizeof *old * n);
}

void **
map_at(Map *m, const void *key)
{
	Slot *s = find(m, key);
	if (!s->key) {
		if (2 * m->n >= m->cap) {
			grow(m);
			s = find(m, key);
		}
		s->key = key;
		m->n++;
	}
	return &s->value;
}

/* hint without a trailing _N, so that x_2 is followed by x_3 and not by x_2_2 */
static size_t
stem_length(const char *hint)
{
	size_t n = strlen(hint), k = n;
	while (k > 0 && isdigit((unsigned char)hint[k - 1]))
		k--;
	return k > 1 && k < n && hint[k - 1] == '_' ? k - 1 : n;
}

/* A name's value is, once it is taken, the last number tried after it. */
const char *
map_fresh(Map *m, Arena *a, Names *names, const char *hint)
{
	void **taken = map_at(m, hint);
	if (!*taken) {
		*taken = (void *)(uintptr_t)1;
		return hint;
	}
	const char *name, *stem = intern_n(names, hint, stem_length(hint));
	uintptr_t k = (uintptr_t)*map_at(m, stem);
	if (k == 0)
		k = 1;
	do
		name = intern(names, arena_printf(a, "%s_%ju", stem, (uintmax_t)++k));
	while (*map_at(m, name));
	*map_at(m, stem) = (void *)k;
	*map_at(m, name) = (void *)(uintptr_t)1;
	return name;
}

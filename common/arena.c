/* arena.c: region allocation, growing lists and interned strings.
 *
 * An arena is a ring of blocks, each handed out from its front; only the newest has room.  A request that is large for a block
 * has one of its own, placed behind the newest so that the rest of that one stays in use, and it is freed when it is given
 * back.  What is smaller and given back serves a request of the same size. */
#include "common/arena.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SIZE = 4 * 1024, BLOCK_SIZE = 64 * 1024, ALIGN = 8 };      /* many an arena is of a pass that has little to keep */

/* Requests of more than this have a block of their own: with AddressSanitizer all, so that it sees what is overrun. */
#ifdef __SANITIZE_ADDRESS__
enum { SHARED_SIZE = 0 };
#else
enum { SHARED_SIZE = BLOCK_SIZE / 4 };
#endif

typedef struct Chunk {
	struct Chunk *before, *next;
	size_t used, size;      /* bytes of the payload */
	_Alignas(ALIGN) char data[];
} Chunk;

typedef struct Spare {
	struct Spare *next;
} Spare;

struct Arena {
	Chunk *newest;
	Spare **spare;          /* what was given back of a block, by size / ALIGN; NULL: nothing yet */
};

static size_t held, most_held;  /* bytes of all arenas, now and at most */

static _Noreturn void
out_of_memory(void)
{
	fputs("nessie: out of memory\n", stderr);
	exit(4);
}

/* One of this size, behind `at` (NULL: alone). */
static Chunk *
chunk_new(size_t size, Chunk *at)
{
	Chunk *c = size > SIZE_MAX - sizeof *c ? NULL : calloc(1, sizeof *c + size);

	if (!c)
		out_of_memory();
	c->size = size;
	c->before = at ? at : c;
	c->next = at ? at->next : c;
	c->before->next = c->next->before = c;
	held += size;
	if (held > most_held)
		most_held = held;
	return c;
}

static void
chunk_free(Chunk *c)
{
	c->before->next = c->next;
	c->next->before = c->before;
	held -= c->size;
	free(c);
}

Arena *
arena_new(void)
{
	Arena *a = calloc(1, sizeof *a);

	if (!a)
		out_of_memory();
	a->newest = chunk_new(FIRST_SIZE, NULL);
	return a;
}

void
arena_free(Arena *a)
{
	while (a->newest->next != a->newest)
		chunk_free(a->newest->next);
	chunk_free(a->newest);
	free(a->spare);
	free(a);
}

size_t
arena_most(void)
{
	const size_t most = most_held;

	most_held = held;
	return most;
}

/* What a block hands out is a multiple of ALIGN. */
static size_t
rounded(size_t size)
{
	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

void *
arena_alloc(Arena *a, size_t size)
{
	Chunk *c = a->newest;
	void *p;

	if (size > SIZE_MAX / 2)
		out_of_memory();
	if (size > SHARED_SIZE)
		return chunk_new(size, c)->data;
	size = rounded(size);
	if (a->spare && a->spare[size / ALIGN]) {
		p = a->spare[size / ALIGN];
		a->spare[size / ALIGN] = a->spare[size / ALIGN]->next;
		return memset(p, 0, size);
	}
	if (c->size - c->used < size)
		c = a->newest = chunk_new(BLOCK_SIZE, c);
	p = c->data + c->used;
	c->used += size;
	return p;
}

void
arena_give_back(Arena *a, void *p, size_t size)
{
	Spare *s = p;

	if (size > SHARED_SIZE)
		chunk_free((Chunk *)((char *)p - offsetof(Chunk, data)));
	else if (size > 0) {
		if (!a->spare && !(a->spare = calloc(SHARED_SIZE / ALIGN + 1, sizeof *a->spare)))
			out_of_memory();
		s->next = a->spare[rounded(size) / ALIGN];
		a->spare[rounded(size) / ALIGN] = s;
	}
}

/* Room of `size` bytes for the `old` bytes at p, which was that large: p itself where nothing came behind it, else other
 * room, and what had a block of its own is given back. */
static void *
enlarge(Arena *a, void *p, size_t old, size_t size)
{
	Chunk *c = a->newest;
	void *to;

	if (old && old <= SHARED_SIZE && size <= SHARED_SIZE && (char *)p + rounded(old) == c->data + c->used
	    && c->size - c->used >= rounded(size) - rounded(old)) {
		c->used += rounded(size) - rounded(old);
		return p;
	}
	to = arena_alloc(a, size);
	if (old)
		memcpy(to, p, old);
	arena_give_back(a, p, old);
	return to;
}

char *
arena_strndup(Arena *a, const char *s, size_t n)
{
	char *copy = arena_alloc(a, n + 1);

	if (n)
		memcpy(copy, s, n);
	return copy;
}

char *
arena_printf(Arena *a, const char *fmt, ...)
{
	va_list ap, again;
	int n;
	char *s, line[256];     /* most texts are shorter, and written once only */

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	s = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof line)
		memcpy(s, line, (size_t)n);
	else
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

void *
list_grow(Arena *a, void *at, size_t size, int *cap)
{
	const int wanted = *cap ? 2 * *cap : 4;

	if (*cap > INT32_MAX / 2)
		out_of_memory();
	at = enlarge(a, at, size * (size_t)*cap, size * (size_t)wanted);
	*cap = wanted;
	return at;
}

/* -- names: open addressing, linear probing, at most half full ------------------------------------ */

typedef struct {
	const char *text;
	size_t n;
	uint64_t hash;
} Name;

struct Names {
	Arena *arena;
	Name *slot;
	size_t n, size;         /* size is a power of two */
};

/* FNV-1a */
static uint64_t
hash_bytes(const char *s, size_t n)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 1099511628211u;
	return h;
}

/* The slot that holds this text, or the free one where it belongs. */
static Name *
find_slot(const Names *t, const char *s, size_t n, uint64_t hash)
{
	for (size_t i = hash;; i++) {
		Name *slot = &t->slot[i & (t->size - 1)];

		if (!slot->text)
			return slot;
		if (slot->hash == hash && slot->n == n && (n == 0 || memcmp(slot->text, s, n) == 0))
			return slot;
	}
}

static void
rehash(Names *t)
{
	Name *old = t->slot;
	size_t size = t->size;

	t->size = 2 * size;
	t->slot = NEW(t->arena, Name, t->size);
	for (size_t i = 0; i < size; i++)
		if (old[i].text)
			*find_slot(t, old[i].text, old[i].n, old[i].hash) = old[i];
	arena_give_back(t->arena, old, sizeof *old * size);
}

Names *
names_new(Arena *a)
{
	Names *t = NEW(a, Names, 1);

	t->arena = a;
	t->size = 1024;
	t->slot = NEW(a, Name, t->size);
	return t;
}

const char *
intern_n(Names *t, const char *s, size_t n)
{
	uint64_t hash = hash_bytes(s, n);
	Name *slot = find_slot(t, s, n, hash);

	if (slot->text)
		return slot->text;
	if (2 * t->n >= t->size) {
		rehash(t);
		slot = find_slot(t, s, n, hash);
	}
	t->n++;
	*slot = (Name){arena_strndup(t->arena, s, n), n, hash};
	return slot->text;
}

const char *
intern(Names *t, const char *s)
{
	return intern_n(t, s, strlen(s));
}

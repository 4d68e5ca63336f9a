#ifndef NESSIE_ARENA_H
#define NESSIE_ARENA_H
/* Region allocation: what a stage of the compiler makes lives in an arena and is freed with it, so no
 * pass frees anything.  Memory comes zeroed; running out ends the process with exit status 4. */
#include <stdarg.h>
#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a);
/* The most bytes that arenas held at once since it was asked last. */
size_t arena_most(void);
void *arena_alloc(Arena *a, size_t size);
/* p, of this size, is not used any more. */
void arena_give_back(Arena *a, void *p, size_t size);
char *arena_strndup(Arena *a, const char *s, size_t n);
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* n objects of type T */
#define NEW(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* A growing list: `T *at; int n, cap;`.  LIST_ADD(a, list, x) appends; what it had elsewhere before is not to be used then.  LIST_DROP:
 * it is not used any more. */
#define LIST(T) struct { T *at; int n, cap; }
#define LIST_ADD(a, l, x) \
	do { \
		if ((l)->n == (l)->cap) \
			(l)->at = list_grow((a), (l)->at, sizeof *(l)->at, &(l)->cap); \
		(l)->at[(l)->n++] = (x); \
	} while (0)
#define LIST_DROP(a, l) arena_give_back((a), (l)->at, sizeof *(l)->at * (size_t)(l)->cap)
void *list_grow(Arena *a, void *at, size_t size, int *cap);

/* Interned strings: equal text is one pointer, so names compare with ==. */
typedef struct Names Names;
Names *names_new(Arena *a);
const char *intern(Names *t, const char *s);
const char *intern_n(Names *t, const char *s, size_t n);

#endif

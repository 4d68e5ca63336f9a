#ifndef NESL_NESTED_H
#define NESL_NESTED_H
/* What functions in nested form (backend/nested.c) stand on, in C and in C++: the room of a row.
 *
 * All that such a function makes for a row is in the row's room, which ends with it.  Where that is not enough, or something is wrong
 * (an error of the program, calls too deep), the rows are not run so: the program's flat code does all of them, from the
 * beginning, and says what is wrong.  So the room is a bound on what may be lost. */
#include <setjmp.h>
#include <string.h>
#include "nesl_scalar.h"
#include "nesl_stream.h"

enum {
	NESL_SMALL_ROOM = 1 << 17,      /* bytes */
	NESL_SMALL_KEPT = 1 << 16,      /* of it, as long as results are not moved */
	NESL_SMALL_CALL = 64,           /* what a call takes of it */
	NESL_SMALL_ROUNDS = 1 << 14,    /* of it, until a loop leaves what its rounds have made */
	NESL_SMALL_ROUND = 1 << 15      /* of it, for one round of one of few rows */
};

#ifndef NESL_OWN
#define NESL_OWN static inline __attribute__((unused))
#endif

/* Memory for elements of any type. */
#ifdef __cplusplus
struct nesl_row_memory {
	void *at;
	template<class T> operator T *() const { return (T *)at; }
};
#define NESL_ROW_MEMORY(x) nesl_row_memory{x}
#else
typedef void *nesl_row_memory;
#define NESL_ROW_MEMORY(x) (x)
#endif

/* What is left of a row's room, and of the stack; where to go if that is not enough, or for another reason. */
typedef struct {
	char *at, *end;
	uintptr_t stack_end;
	int grows;                      /* is it for all rows, so that what they give may take more memory than it has? */
	const int *failed;              /* did it not go well for other rows? */
	jmp_buf out;
} nesl_row_room;

#define NESL_NO_ROW(s) longjmp((s)->out, 1)

/* For n elements of so many bytes. */
NESL_OWN nesl_row_memory
nesl_row_take(nesl_row_room *s, i64 n, i64 size)
{
	char *const at = (char *)(((uintptr_t)s->at + 7) & ~(uintptr_t)7);

	if (at > s->end || n > (s->end - at) / size)
		NESL_NO_ROW(s);
	s->at = at + n * size;
	return NESL_ROW_MEMORY(at);
}

/* For `to` elements that begin with the n at x: where these are, if nothing was made since. */
NESL_OWN nesl_row_memory
nesl_row_append(nesl_row_room *s, const void *x, i64 n, i64 to, i64 size)
{
	if ((const char *)x + n * size == s->at && to - n <= (s->end - s->at) / size) {
		s->at += (to - n) * size;
		return NESL_ROW_MEMORY((void *)(uintptr_t)x);
	}
	return NESL_ROW_MEMORY(memcpy(nesl_row_take(s, to, size), x, (size_t)(n * size)));
}

/* The first thing that a function does.  Gives where what it makes begins. */
NESL_OWN nesl_row_memory
nesl_row_call(nesl_row_room *s)
{
	char here;

	if ((uintptr_t)&here < s->stack_end)
		NESL_NO_ROW(s);
	return nesl_row_take(s, 1, NESL_SMALL_CALL);
}

/* Of what was taken last, only that before `end` is needed. */
NESL_OWN void
nesl_row_leave(nesl_row_room *s, void *end)
{
	s->at = (char *)end;
}

/* The last: the result, at `at`, stays.  It goes to where the room begins that the function took, once so much has been taken that
 * more would be slower than to move it. */
NESL_OWN nesl_row_memory
nesl_row_result(nesl_row_room *s, void *from, const void *at, i64 bytes)
{
	const int own = (uintptr_t)at >= (uintptr_t)from && (uintptr_t)at < (uintptr_t)s->at;

	if (!own) {
		s->at = (char *)from;
		return NESL_ROW_MEMORY((void *)(uintptr_t)at);
	}
	if (s->end - s->at > NESL_SMALL_ROOM - NESL_SMALL_KEPT)
		return NESL_ROW_MEMORY((void *)(uintptr_t)at);
	memmove(from, at, (size_t)bytes);
	nesl_row_leave(s, (char *)from + bytes);
	return NESL_ROW_MEMORY(from);
}

/* A loop, whose rounds make what they need behind `from`; how much until what the next does not need is left.  What the loop was given
 * ends before that, so nothing is put behind it. */
typedef struct {
	char *from;
	char *round;                    /* where what the round makes begins */
	i64 most;
	char *aside;                    /* then: where that is which it needs */
	i64 down;                       /* .. and how far it was moved */
} nesl_row_rounds;

/* After each but the last.  Rounds that make little come to no end of the room, so here is asked what else may end them; those that make
 * much, of rows that one thread has all of, are work for others too. */
NESL_OWN void
nesl_row_round(nesl_row_room *s, const nesl_row_rounds *r)
{
	if (*(const volatile int *)s->failed || nesl_interrupted || (s->grows && s->at - r->round > NESL_SMALL_ROUND))
		NESL_NO_ROW(s);
}

NESL_OWN nesl_row_rounds
nesl_row_loop(void *room)
{
	char *const from = (char *)room + NESL_SMALL_CALL;

	const nesl_row_rounds r = {from, from, NESL_SMALL_ROUNDS, NULL, 0};

	return r;
}

NESL_OWN int
nesl_row_full(nesl_row_room *s, nesl_row_rounds *r)
{
	if (s->at - r->from <= r->most)
		return 0;
	r->aside = nesl_row_take(s, 0, 1);
	return 1;
}

/* What is needed is put together behind all that was made .. */
NESL_OWN nesl_row_memory
nesl_row_aside(nesl_row_room *s, const nesl_row_rounds *r, const void *at, i64 bytes)
{
	const int own = (uintptr_t)at >= (uintptr_t)r->from && (uintptr_t)at < (uintptr_t)r->aside;

	return NESL_ROW_MEMORY(own ? memcpy(nesl_row_take(s, bytes, 1), at, (size_t)bytes) : (void *)(uintptr_t)at);
}

/* .. and goes to where that began. */
NESL_OWN void
nesl_row_down(nesl_row_room *s, nesl_row_rounds *r)
{
	const i64 bytes = s->at - r->aside;

	memmove(r->from, r->aside, (size_t)bytes);
	r->down = r->aside - r->from;
	r->most = NESL_SMALL_ROUNDS + 2 * bytes;
	s->at = r->from + bytes;
}

NESL_OWN nesl_row_memory
nesl_row_moved(const nesl_row_room *s, const nesl_row_rounds *r, const void *at, i64 bytes)
{
	const int aside = (uintptr_t)at >= (uintptr_t)r->aside && (uintptr_t)at < (uintptr_t)s->end;

	(void)bytes;
	return NESL_ROW_MEMORY((char *)(uintptr_t)at - (aside ? r->down : 0));
}

/* What rows give (nesl_given), one list for each result. */
typedef struct nesl_given nesl_given;

/* What the rows from lo up to hi give; x: the operands. */
typedef void nesl_row_code(nesl_row_room *s, const void *x, i64 lo, i64 hi, nesl_given *given);

#endif

#ifndef NESL_STRIPS_H
#define NESL_STRIPS_H
/* Results that no cache holds go past the caches.
 *
 * A processor reads the line of memory in which it stores, so that a map of 8 bytes an element moves 24.  Stores of whole lines that
 * say so (non-temporal ones) read nothing; but then they are in no cache, as results larger than all caches are not anyway.  So a
 * chunk makes such results in strips, which stay in the nearest cache, and stores a strip when it is done
 * (nesl_cpu_strips.h, backend/cpu/strip.c, bench/results/2026-11-30-strips.md). */
#include "nesl_fault.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { NESL_STREAMS = 4, NESL_LINE = 64 };      /* arrays in strips, at most; bytes */

/* Elements lo to hi - 1 of a chunk's, which end at `past`: a strip, of at most so many, or all of them, which are stored where they belong.
 * Of each array those from `from` on are in its room, which has space for one line more. */
typedef struct {
	i64 lo, hi, past, most;
	int on, arrays;
	struct { char *to, *room; i64 size, from; } of[NESL_STREAMS];
} nesl_strips;

/* Results of more bytes than this are worth it, where so many threads run: what their last caches hold together, 32 MB each if the system
 * does not tell.  None are where a processor has no such stores. */
i64 nesl_strips_from(int threads);
/* The strip is stored; whether there is one more, which it is then. */
int nesl_strip_ends(nesl_strips *s);
/* Past the caches; others may read it afterwards. */
void nesl_stream_copy(void *to, const void *from, i64 bytes);

#ifdef __cplusplus
}
#endif
#endif

#ifndef NESL_CPU_STRIPS_H
#define NESL_CPU_STRIPS_H
/* Results that no cache holds go past the caches.
 *
 * A processor reads the line of memory in which it stores, so that a map of 8 bytes an element moves 24.  Stores of whole lines that
 * say so (non-temporal ones) read nothing; but then they are in no cache, as results larger than all caches are not anyway.  So a
 * chunk makes such results in strips, which stay in the nearest cache, and stores a strip when it is done
 * (bench/results/2026-11-30-strips.md). */

enum {
	NESL_STREAMS = 4,       /* arrays in strips, at most (backend/cpu/strip.c) */
	NESL_LINE = 64,
	/* so many elements are folded in lanes, whatever comes behind them; elements of a strip, of at most 8 bytes, at most */
	NESL_IN_LANES = (NESL_FOLDED + NESL_LANES - 1) / NESL_LANES * NESL_LANES,
	NESL_STRIP = NESL_SMALL_GRAIN ? 2 * NESL_IN_LANES : 256
};

#if defined(__SSE2__) && defined(__GNUC__) && !defined(__TINYC__)
typedef long long nesl_uneven __attribute__((vector_size(16), may_alias, aligned(1)));
typedef long long nesl_even __attribute__((vector_size(16), may_alias));

#ifdef __clang__
#define NESL_STREAM(to, x) __builtin_nontemporal_store(x, to)
#else
#define NESL_STREAM(to, x) __builtin_ia32_movntdq(to, x)
#endif

/* Do results of so many bytes go past the caches? */
NESL_OWN int
nesl_streams(i64 bytes)
{
	return bytes > nesl_last_cache;
}

NESL_OWN void
nesl_stream(char *to, const char *from, i64 bytes)
{
	const i64 uneven = -(uintptr_t)to % sizeof(nesl_even), first = uneven < bytes ? uneven : bytes;
	i64 i = first;

	memcpy(to, from, (size_t)first);
	for (; bytes - i >= 64; i += 64) {
		NESL_UNROLLED
		for (int k = 0; k < 4; k++)
			NESL_STREAM((nesl_even *)(to + i) + k, ((const nesl_uneven *)(from + i))[k]);
	}
	memcpy(to + i, from + i, (size_t)(bytes - i));
}

/* Others may read it. */
NESL_OWN void
nesl_streamed(void)
{
	__builtin_ia32_sfence();
}
#else
NESL_OWN int nesl_streams(i64 bytes) { return (void)bytes, 0; }
NESL_OWN void nesl_stream(char *to, const char *from, i64 bytes) { memcpy(to, from, (size_t)bytes); }
NESL_OWN void nesl_streamed(void) { }
#endif

/* A copy into part of an array of so many bytes. */
NESL_OWN void
nesl_copy_into(void *to, const void *from, i64 bytes, i64 all)
{
	if (!nesl_streams(all)) {
		memcpy(to, from, (size_t)bytes);
		return;
	}
	nesl_stream(to, from, bytes);
	nesl_streamed();
}

/* Elements lo to hi - 1 of a chunk's, which end at `past`: a strip, or all of them, which are stored where they belong.  Of each array
 * those from `from` on are in the room. */
typedef struct {
	i64 lo, hi, past;
	int on, arrays;
	struct { char *to; i64 size, from; } of[NESL_STREAMS];
} nesl_strips;

static NESL_THREAD _Alignas(NESL_LINE) char nesl_strip_room[NESL_STREAMS][NESL_STRIP * 8 + NESL_LINE];

/* The first, of results of so many bytes. */
NESL_OWN nesl_strips
nesl_strips_of(i64 lo, i64 past, i64 bytes)
{
	const int on = nesl_streams(bytes);

	return (nesl_strips){.lo = lo, .hi = on ? nesl_least(lo + NESL_STRIP, past) : past, .past = past, .on = on};
}

/* So many bytes of n elements if these are in long rows, on average; else 0, as for the ends of short ones more is waited than for memory. */
NESL_OWN i64
nesl_if_long(i64 rows, i64 n, i64 bytes)
{
	enum { LONG = 4 };

	return NESL_SMALL_GRAIN || n / LONG >= rows ? bytes : 0;
}

/* Where element 0 of array k would be, if the strip were all of it. */
NESL_OWN void *
nesl_strip(nesl_strips *s, int k, const nesl_vec *v, i64 size)
{
	if (!s->on)
		return v->data;
	if (k == s->arrays) {
		s->arrays++;
		s->of[k].to = v->data;
		s->of[k].size = size;
		s->of[k].from = s->lo;
	}
	return (void *)((uintptr_t)nesl_strip_room[k] - (uintptr_t)(s->of[k].from * size));
}

/* Of rows e1 to hi - 1 those end in the strip that stand before this one; of a grid's, too. */
NESL_OWN i64
nesl_rows_in_strip(const nesl_strips *s, const i64 *off, i64 e1, i64 hi)
{
	if (!s->on)
		return hi;
	while (e1 < hi && off[e1 + 1] <= s->hi)
		e1++;
	return e1;
}

NESL_OWN i64
nesl_grid_rows_in_strip(const nesl_strips *s, nesl_grid g, i64 hi)
{
	return s->on ? nesl_least(s->hi / g.length, hi) : hi;
}

/* Elements e to stop - 1 belong to one row, or to all of them: where the strip ends, so that what is scanned in lanes is in those that it
 * would be in without strips. */
NESL_OWN i64
nesl_cut_strip(nesl_strips *s, i64 e, i64 stop)
{
	if (stop > s->hi) {
		s->hi -= (s->hi - e) % NESL_LANES;
		if (stop - s->hi < NESL_IN_LANES)
			s->hi -= NESL_IN_LANES;
		if (s->hi - e < NESL_IN_LANES)
			s->hi = e;
	}
	return s->hi;
}

/* Whole lines of array k are stored, or, at the end, all that there is. */
NESL_OWN void
nesl_store_strip(nesl_strips *s, int k)
{
	const i64 size = s->of[k].size, from = s->of[k].from, in_line = NESL_LINE / size;
	const i64 end = s->hi == s->past ? s->hi : s->hi / in_line * in_line;

	if (end <= from)
		return;
	nesl_stream(s->of[k].to + from * size, nesl_strip_room[k], (end - from) * size);
	memmove(nesl_strip_room[k], nesl_strip_room[k] + (end - from) * size, (size_t)((s->hi - end) * size));
	s->of[k].from = end;
}

/* Is there one more?  The one before it is stored. */
NESL_OWN int
nesl_next_strip(nesl_strips *s)
{
	if (!s->on)
		return 0;
	for (int k = 0; k < s->arrays; k++)
		nesl_store_strip(s, k);
	if (s->hi == s->past) {
		nesl_streamed();
		return 0;
	}
	s->lo = s->hi;
	s->hi = nesl_least(s->lo + NESL_STRIP, s->past);
	return 1;
}

#endif

#ifndef NESL_CPU_STRIPS_H
#define NESL_CPU_STRIPS_H
/* Strips of a chunk (nesl_strips.h). */

enum {
	/* so many elements are folded in lanes, whatever comes behind them; elements of a strip, of at most 8 bytes, at most */
	NESL_IN_LANES = (NESL_FOLDED + NESL_LANES - 1) / NESL_LANES * NESL_LANES,
	NESL_STRIP = NESL_SMALL_GRAIN ? 2 * NESL_IN_LANES : 256
};

static NESL_THREAD _Alignas(NESL_LINE) char nesl_strip_room[NESL_STREAMS][NESL_STRIP * 8 + NESL_LINE];

/* The first, of results of so many bytes. */
NESL_OWN nesl_strips
nesl_strips_of(i64 lo, i64 past, i64 bytes)
{
	const int on = bytes > nesl_last_cache;

	return (nesl_strips){.lo = lo, .hi = on ? nesl_least(lo + NESL_STRIP, past) : past, .past = past, .most = NESL_STRIP, .on = on};
}

/* So many bytes of n elements if these are in long rows, on average; else 0, as for the ends of short ones more is waited than for memory. */
NESL_OWN i64
nesl_if_long(i64 rows, i64 n, i64 bytes)
{
	enum { LONG = 3 };

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
		s->of[k].room = nesl_strip_room[k];
		s->of[k].size = size;
		s->of[k].from = s->lo;
	}
	return (void *)((uintptr_t)s->of[k].room - (uintptr_t)(s->of[k].from * size));
}

/* Of rows e1 to hi - 1 those end in the strip that stand before this one; of a grid's, too. */
NESL_CALLED i64
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
NESL_CALLED i64
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

/* Is there one more? */
NESL_OWN int
nesl_next_strip(nesl_strips *s)
{
	return s->on && nesl_strip_ends(s);
}

/* A copy into part of an array of so many bytes. */
NESL_OWN void
nesl_copy_into(void *to, const void *from, i64 bytes, i64 all)
{
	if (all > nesl_last_cache)
		nesl_stream_copy(to, from, bytes);
	else
		memcpy(to, from, (size_t)bytes);
}

#endif

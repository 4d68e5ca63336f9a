#ifndef NESL_CPU_PLACES_H
#define NESL_CPU_PLACES_H
/* Elements for places that the data say: put, and whether indices are a permutation.
 *
 * Where the places are more than a cache holds and indices jump about among them, each thread has some of the places, and looks among
 * all indices for those of them.  What comes to one place does so in order, by any number of threads. */

enum { NESL_LISTED = 1024, NESL_SAMPLES = 64, NESL_NEAR = 4096 };

/* Do indices jump about, so that each is waited for?  Some are looked at, and what follows them. */
NESL_OWN int
nesl_jump_about(i64 size, const nint *at, i64 n)
{
	const uint64_t near = (uint64_t)(NESL_NEAR / size);
	int far = 0;

	for (i64 s = 0; s < NESL_SAMPLES; s++) {
		const i64 k = nesl_lo(n - 1, s, NESL_SAMPLES);

		far += (uint64_t)at[k + 1] - (uint64_t)at[k] + near > 2 * near;
	}
	return far > NESL_SAMPLES / 2;
}

/* How many parts of the places there are for n indices; one if a thread alone is as fast: where the places take no more than half of
 * the last cache, through which the indices and the elements go too. */
NESL_OWN i64
nesl_place_parts(i64 places, i64 size, const nint *at, i64 n)
{
	const i64 threads = nesl_threads(), parts = nesl_shares(n);

	if (threads == 1 || parts == 1 || places * size < nesl_last_cache / 2 || !nesl_jump_about(size, at, n))
		return 1;
	return parts < threads ? parts : threads;
}

/* Which of the indices of `some` are of these places.  Without a jump: there is no telling which are. */
NESL_OWN i64
nesl_list(i64 *list, const nint *at, nesl_part some, nesl_part places)
{
	i64 n = 0;

	for (i64 k = some.lo; k < some.hi; k++) {
		list[n] = k;
		n += (uint64_t)at[k] - (uint64_t)places.lo < (uint64_t)(places.hi - places.lo);
	}
	return n;
}

/* `what`, for each k of n whose index is of these places, in order; all of them: those of `count`. */
#define NESL_EACH_PLACED(k, at, n, places, count, what) \
	do { \
		if ((places).hi - (places).lo == (count)) { \
			for (i64 k = 0; k < (n); k++) \
				if (nesl_in((at)[k], (count))) \
					what; \
		} else { \
			i64 list_[NESL_LISTED]; \
			for (i64 lo_ = 0; lo_ < (n); lo_ += NESL_LISTED) { \
				const i64 hi_ = (n) - lo_ < NESL_LISTED ? (n) : lo_ + NESL_LISTED; \
				const i64 m_ = nesl_list(list_, (at), (nesl_part){lo_, hi_}, (places)); \
				for (i64 j_ = 0; j_ < m_; j_++) { \
					const i64 k = list_[j_]; \
					what; \
				} \
			} \
		} \
	} while (0)

/* Which of the indices are the first for their place; of those of no place nothing is said. */
NESL_OWN void
nesl_first_of_each(b8 *ok, b8 *mark, const nint *at, i64 n, nesl_part places)
{
	if (places.hi > places.lo)
		memset(mark + places.lo, 0, (size_t)(places.hi - places.lo));
	NESL_EACH_PLACED(k, at, n, places, n, (ok[k] = !mark[at[k]], mark[at[k]] = 1));
}

/* r[k]: is i[k] in range, and no earlier one equal to it? */
NESL_OWN nesl_vec *
nesl_permute_ok(nesl_task_stats *op, const nesl_vec *i)
{
	const i64 n = i->count, parts = nesl_place_parts(n, 1, i->data, n);
	nesl_vec *r = nesl_new(n, 1), *seen = nesl_new(n, 1);

	nesl_op_begins();
	if (n > 0)
		memset(r->data, 0, (size_t)n);
	NESL_EACH(c, parts, nesl_first_of_each(r->data, seen->data, i->data, n, nesl_part_of(n, c, parts)));
	nesl_free(seen);
	nesl_op_ran(op, n * (i64)(sizeof(nint) + 1), n * 3);
	return r;
}

/* d, which is taken over, to be written to: itself if nobody else has it, else a copy. */
NESL_OWN nesl_vec *
nesl_taken(nesl_vec *d, i64 size)
{
	nesl_vec *r = nesl_sole(d) || d->count == 0 ? d : nesl_new(d->count, size);

	if (r == d)
		return d;
	nesl_in_library(d->count * size, d->count * size);
	nesl_copy(r->data, d->data, d->count * size);
	nesl_free(d);
	return r;
}

/* Elements of a size that is a constant where this is called. */
NESL_EACH_CALL void
nesl_put_of(i64 size, const nesl_vec *r, const nesl_vec *v, const nesl_vec *i, i64 n, nesl_part places)
{
	const nint *const restrict at = i->data;
	const char *const restrict from = v->data;
	char *const restrict to = r->data;

	NESL_EACH_PLACED(k, at, n, places, r->count, memcpy(to + at[k] * size, from + k * size, (size_t)size));
}

NESL_OWN void
nesl_put_part(i64 size, const nesl_vec *r, const nesl_vec *v, const nesl_vec *i, i64 n, nesl_part places)
{
	if (size == 8)
		nesl_put_of(8, r, v, i, n, places);
	else if (size == 4)
		nesl_put_of(4, r, v, i, n, places);
	else
		nesl_put_of(1, r, v, i, n, places);
}

/* d, which is taken over, with v[k] at i[k], the last k wins; an index out of range is ignored. */
NESL_OWN nesl_vec *
nesl_put(nesl_task_stats *op, i64 size, nesl_vec *d, const nesl_vec *v, const nesl_vec *i)
{
	nesl_vec *r = nesl_sole(d) && d != v && d != i ? d : nesl_new(d->count, size);
	const i64 n = v->count < i->count ? v->count : i->count, parts = nesl_place_parts(r->count, size, i->data, n);
	const i64 copied = r == d ? 0 : d->count * size;

	nesl_op_begins();
	if (copied)
		nesl_copy(r->data, d->data, copied);
	NESL_EACH(c, parts, nesl_put_part(size, r, v, i, n, nesl_part_of(r->count, c, parts)));
	nesl_op_ran(op, copied + n * (size + (i64)sizeof(nint)), copied + n * size);
	nesl_replaced(d, r);
	return r;
}

#endif

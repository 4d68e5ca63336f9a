#ifndef NESL_CPU_TABLES_H
#define NESL_CPU_TABLES_H
/* Arrays where many elements of a task may come to the same place (put_sum, put_max).  Each thread has tables of its own, which are
 * folded into the first afterwards: of ints, so that any order gives the same.  Tables too long for that have one thread.  A
 * thread comes to its elements in order: the largest index is the last. */

enum { NESL_TABLE_SHARE = 2 };          /* so many elements come to an entry, at least, if each thread has tables */

/* How many threads run a task of nc chunks and that many elements; n: the entries of all its tables. */
NESL_OWN int
nesl_tables(i64 nc, i64 elements, i64 n)
{
	i64 threads = nesl_threads_for(nc);

	while (threads > 1 && n > elements / NESL_TABLE_SHARE / threads)
		threads--;
	return (int)threads;
}

NESL_OWN void
nesl_fill_part(nint *to, nint x, nesl_part p)
{
	for (i64 k = p.lo; k < p.hi; k++)
		to[k] = x;
}

/* v, of n elements that are all x now. */
NESL_OWN nesl_vec *
nesl_filled(nesl_vec *v, i64 n, nint x)
{
	const i64 nc = n / NESL_GRAIN < NESL_CHUNKS ? n / NESL_GRAIN + 1 : NESL_CHUNKS;

	NESL_EACH(c, nc, nesl_fill_part(v->data, x, nesl_part_of(n, c, nc)));
	return v;
}

/* Those of the threads but the first. */
NESL_OWN nesl_vec *
nesl_more_tables(int threads, i64 n, nint x)
{
	const i64 all = (threads - 1) * n;

	return nesl_filled(nesl_scratch(all * (i64)sizeof(nint)), all, x);
}

/* How entries of one place come together. */
typedef enum { NESL_SUMS, NESL_MAXIMA } nesl_joining;

NESL_OWN void
nesl_join_part(nint *restrict to, const nint *restrict more, i64 tables, i64 n, nesl_part p, nesl_joining by)
{
	for (i64 t = 0; t < tables; t++)
		for (i64 k = p.lo; k < p.hi; k++) {
			const nint own = to[k], x = more[t * n + k];

			to[k] = by == NESL_SUMS ? iadd(own, x) : own > x ? own : x;
		}
}

/* What all threads have, in the first table; more: is freed. */
NESL_OWN void
nesl_join_tables(const nesl_vec *first, nesl_vec *more, int threads, nesl_joining by)
{
	const i64 n = first->count, nc = nesl_shares(n * (threads - 1));

	NESL_EACH(c, nc, nesl_join_part(first->data, more->data, threads - 1, n, nesl_part_of(n, c, nc), by));
	nesl_free(more);
}

/* The running thread's. */
NESL_OWN nint *
nesl_table(const nesl_vec *first, const nesl_vec *more)
{
	const i64 thread = nesl_thread();

	return thread == 0 ? first->data : (nint *)more->data + (thread - 1) * first->count;
}

#endif

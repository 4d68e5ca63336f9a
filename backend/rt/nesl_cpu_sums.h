#ifndef NESL_CPU_SUMS_H
#define NESL_CPU_SUMS_H
/* group_sum: the floats that come to each row are added up, and none of them is moved to its row.
 *
 * How  The order in which those of a row are added up depends on how many elements and rows there are, and on nothing else: where elements
 *      are many for each row, parts of them have sums of their own; else it is from left to right, by one thread, or by several
 *      that have buckets of neighbouring rows. */

/* At most so many parts, of at least so many elements for each row; fewer than NESL_LEAST_PARTS are not worth while; and so many
 * threads before buckets are. */
enum { NESL_SUM_PARTS = 64, NESL_SUM_SHARE = 4, NESL_LEAST_PARTS = 8, NESL_BUCKET_THREADS = 4 };

NESL_OWN i64
nesl_sum_parts(i64 n, i64 rows)
{
	const i64 most = n / NESL_GRAIN < NESL_SUM_PARTS ? n / NESL_GRAIN : NESL_SUM_PARTS, fit = n / NESL_SUM_SHARE / rows;
	const i64 parts = most < fit ? most : fit;

	return parts < NESL_LEAST_PARTS ? 1 : parts;
}

/* Of these elements; to: the sum of each row. */
NESL_OWN void
nesl_sum_part(const nesl_grouping *g, nesl_part p, f64 *to)
{
	const nint *const restrict row = g->row;
	const f64 *const restrict x = (const f64 *)(const void *)g->x;
	f64 *const restrict sum = to;
	const i64 first = g->first, rows = g->rows;

	memset(sum, 0, (size_t)rows * 8);
	for (i64 i = p.lo; i < p.hi; i++)
		if (nesl_in(row[i] - first, rows))
			sum[row[i] - first] += x[i];
}

NESL_OWN void
nesl_add_sums(f64 *restrict to, const f64 *restrict more, i64 tables, i64 rows, nesl_part p)
{
	for (i64 t = 0; t < tables; t++)
		for (i64 k = p.lo; k < p.hi; k++)
			to[k] += more[t * rows + k];
}

NESL_OWN void
nesl_sum_by_parts(const nesl_grouping *g, i64 parts, f64 *to)
{
	const i64 rows = g->rows, nc = nesl_shares(parts * rows);
	nesl_vec *more = nesl_scratch((parts - 1) * rows * 8);
	f64 *const tables = more->data;

	NESL_EACH(c, parts, nesl_sum_part(g, nesl_part_of(g->n, c, parts), c ? tables + (c - 1) * rows : to));
	NESL_EACH(c, nc, nesl_add_sums(to, tables, parts - 1, rows, nesl_part_of(rows, c, nc)));
	nesl_free(more);
}

NESL_OWN void
nesl_sum_bucket(const nesl_buckets *b, i64 k, f64 *to)
{
	const nesl_grouping g = nesl_bucket(b, k);

	nesl_sum_part(&g, (nesl_part){0, g.n}, to + g.first);
}

NESL_OWN void
nesl_sum_by_buckets(const nesl_grouping *g, f64 *to)
{
	nesl_buckets b;

	nesl_fill_buckets(&b, g);
	NESL_EACH(k, b.n, nesl_sum_bucket(&b, k, to));
	nesl_free(b.memory);
}

NESL_OWN nesl_vec *
nesl_group_sum(nesl_task_stats *op, const nesl_vec *s, const nesl_vec *row, const nesl_vec *x)
{
	const i64 n = row->count < x->count ? row->count : x->count, rows = nesl_rows(s);
	nesl_vec *r = nesl_new(rows, sizeof(f64));
	const nesl_grouping g = {row->data, x->data, n, sizeof(f64), 0, rows, s->data, NULL, n};
	const i64 parts = rows ? nesl_sum_parts(n, rows) : 1;

	nesl_op_begins();
	if (parts > 1)
		nesl_sum_by_parts(&g, parts, r->data);
	else if (n > NESL_GRAIN && rows > NESL_GRAIN && nesl_threads_for(n / NESL_GRAIN) >= NESL_BUCKET_THREADS)
		nesl_sum_by_buckets(&g, r->data);
	else
		nesl_sum_part(&g, (nesl_part){0, n}, r->data);
	nesl_op_ran(op, n * (i64)(sizeof(nint) + sizeof(f64)), rows * (i64)sizeof(f64));
	return r;
}

#endif

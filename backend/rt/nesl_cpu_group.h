#ifndef NESL_CPU_GROUP_H
#define NESL_CPU_GROUP_H
/* group: elements to their rows, whose lengths are known, in order.
 *
 * How  Each part of the elements counts what it has for each row, so that all parts move theirs at once (counting sort: Knuth, vol. 3,
 *      section 5.2).  The next places of rows that are many are all over the memory: then elements go to buckets of neighbouring rows
 *      first, and bucket by bucket to their rows (radix clusters: Manegold, Boncz & Kersten, IEEE TKDE 14(4), 2002). */
enum { NESL_BUCKETS = 256 };

/* n elements of a size that come to `rows` rows, from `first` on; off: where these begin in r, which has `all`. */
typedef struct {
	const nint *row;
	const char *x;
	i64 n, size, first, rows;
	const i64 *off;
	char *r;
	i64 all;
} nesl_grouping;

/* How many elements of a part come to each of so many neighbours that 2^shift rows are one. */
NESL_OWN void
nesl_group_count(i64 *at, i64 neighbours, const nesl_grouping *g, nesl_part p, int shift)
{
	const nint *const restrict row = g->row;
	i64 *const restrict n = at;
	const i64 first = g->first, rows = g->rows;

	memset(n, 0, (size_t)neighbours * 8);
	for (i64 i = p.lo; i < p.hi; i++)
		if (nesl_in(row[i] - first, rows))
			n[(row[i] - first) >> shift]++;
}

/* Elements of a size that is a constant where this is called go to their rows, or with 2^shift rows to one bucket, where at[k] is the next
 * place of row or bucket k.  to_row: the row of each goes there too; NULL: nowhere. */
NESL_EACH_CALL void
nesl_group_move_of(i64 size, const nesl_grouping *g, nesl_part p, i64 *at, int shift, char *to_x, nint *to_row)
{
	const nint *const restrict row = g->row;
	const char *const restrict from = g->x;
	char *const restrict its_x = to_x;
	nint *const restrict its_row = to_row;
	i64 *const restrict next = at;
	const i64 first = g->first, rows = g->rows, all = g->all;

	for (i64 i = p.lo; i < p.hi; i++)
		if (nesl_in(row[i] - first, rows) && next[(row[i] - first) >> shift] < all) {
			const i64 k = next[(row[i] - first) >> shift]++;

			memcpy(its_x + k * size, from + i * size, (size_t)size);
			if (to_row)
				its_row[k] = row[i];
		}
}

NESL_EACH_CALL void
nesl_group_move(const nesl_grouping *g, nesl_part p, i64 *at, int shift, char *to_x, nint *to_row)
{
	if (g->size == 8)
		nesl_group_move_of(8, g, p, at, shift, to_x, to_row);
	else if (g->size == 4)
		nesl_group_move_of(4, g, p, at, shift, to_x, to_row);
	else
		nesl_group_move_of(1, g, p, at, shift, to_x, to_row);
}

NESL_OWN void
nesl_group_to_rows(const nesl_grouping *g, nesl_part p, i64 *at)
{
	nesl_group_move(g, p, at, 0, g->r, NULL);
}

/* To rows that are few; table: parts * rows.  Each part but the last counts where the next begins. */
NESL_OWN void
nesl_group_near(const nesl_grouping *g, i64 parts, i64 *table)
{
	const i64 rows = g->rows;

	NESL_EACH(c, parts - 1, nesl_group_count(table + (c + 1) * rows, rows, g, nesl_part_of(g->n, c, parts), 0));
	memcpy(table, g->off, (size_t)rows * 8);
	for (i64 c = 1; c < parts; c++)
		for (i64 k = 0; k < rows; k++)
			table[c * rows + k] += table[(c - 1) * rows + k];
	NESL_EACH(c, parts, nesl_group_to_rows(g, nesl_part_of(g->n, c, parts), table + c * rows));
}

NESL_OWN void
nesl_group_by_parts(const nesl_grouping *g)
{
	const int parts = nesl_tables(nesl_shares(g->n), g->n, g->rows);
	nesl_vec *tables = nesl_scratch(parts * g->rows * 8);

	nesl_group_near(g, parts, tables->data);
	nesl_free(tables);
}

/* Elements by 2^shift neighbouring rows each: those of bucket b, in order, are begin[b] .. begin[b + 1] - 1 of `in`. */
typedef struct {
	nesl_vec *memory;
	nesl_grouping in;
	i64 begin[NESL_BUCKETS + 1], n;
	int shift;
} nesl_buckets;

NESL_OWN void
nesl_fill_buckets(nesl_buckets *to, const nesl_grouping *g)
{
	const i64 parts = nesl_radix_chunks(g->n);
	i64 at[NESL_RADIX_CHUNKS][NESL_BUCKETS], sum = 0;
	nint *row;
	char *x;

	to->memory = nesl_scratch(g->n * (8 + g->size));
	row = to->memory->data;
	x = (char *)row + g->n * 8;
	to->shift = 0;
	while ((g->rows - 1) >> to->shift >= NESL_BUCKETS)
		to->shift++;
	to->n = ((g->rows - 1) >> to->shift) + 1;
	NESL_EACH(c, parts, nesl_group_count(at[c], to->n, g, nesl_part_of(g->n, c, parts), to->shift));
	for (i64 b = 0; b < to->n; b++) {
		to->begin[b] = sum;
		for (i64 c = 0; c < parts; c++) {
			const i64 here = at[c][b];

			at[c][b] = sum;
			sum += here;
		}
	}
	to->begin[to->n] = sum;
	NESL_EACH(c, parts, nesl_group_move(g, nesl_part_of(g->n, c, parts), at[c], to->shift, x, row));
	to->in = *g;
	to->in.row = row;
	to->in.x = x;
}

/* What is in bucket k. */
NESL_OWN nesl_grouping
nesl_bucket(const nesl_buckets *b, i64 k)
{
	const i64 first = k << b->shift, width = (i64)1 << b->shift;
	nesl_grouping g = b->in;

	g.row += b->begin[k];
	g.x += b->begin[k] * g.size;
	g.n = b->begin[k + 1] - b->begin[k];
	g.first = first;
	g.rows = g.rows - first < width ? g.rows - first : width;
	g.off += first;
	return g;
}

/* To its rows by the running thread, if it has this many elements at most. */
NESL_OWN void
nesl_empty_bucket(const nesl_buckets *b, i64 k, i64 most, i64 *table)
{
	const nesl_grouping g = nesl_bucket(b, k);

	if (g.n <= most)
		nesl_group_near(&g, 1, table + g.first);
}

/* Buckets that are longer than a part are done by all threads, one after the other. */
NESL_OWN void
nesl_group_by_buckets(const nesl_grouping *g)
{
	const i64 parts = nesl_radix_chunks(g->n), most = parts > 1 ? g->n / parts : g->n;
	nesl_vec *table = nesl_scratch(g->rows * 8);
	nesl_buckets b;

	nesl_fill_buckets(&b, g);
	NESL_EACH(k, b.n, nesl_empty_bucket(&b, k, most, table->data));
	for (i64 k = 0; k < b.n; k++)
		if (b.begin[k + 1] - b.begin[k] > most) {
			const nesl_grouping long_one = nesl_bucket(&b, k);

			nesl_group_by_parts(&long_one);
		}
	nesl_free(b.memory);
	nesl_free(table);
}

/* x by rows of s, which has as many as come to each. */
NESL_OWN nesl_vec *
nesl_group(nesl_task_stats *op, i64 size, nesl_vec *s, const nesl_vec *row, const nesl_vec *x)
{
	const i64 n = row->count < x->count ? row->count : x->count, rows = nesl_rows(s);
	nesl_vec *r = nesl_new(nesl_total(s), size);
	const nesl_grouping g = {row->data, x->data, n, size, 0, rows, s->data, r->data, r->count};

	nesl_op_begins();
	if (rows > NESL_GRAIN && n > NESL_GRAIN)
		nesl_group_by_buckets(&g);
	else
		nesl_group_by_parts(&g);
	nesl_op_ran(op, n * ((i64)sizeof(nint) + size) + rows * 8, r->count * size);
	return r;
}

#endif

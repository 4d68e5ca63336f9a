#ifndef NESL_CPU_LIB_H
#define NESL_CPU_LIB_H
/* The library skeletons: what is no task.  Arguments are borrowed, results have one count. */

/* The time when the device is done. */
NESL_OWN double
nesl_clock(void)
{
	nesl_sync();
	return nesl_now();
}

NESL_OWN i64 nesl_rows(const nesl_vec *s) { return s->count - 1; }

NESL_OWN i64
nesl_total(nesl_vec *s)
{
	if (!s->known)
		nesl_sync();
	s->known = 1;
	return nesl_counted(((i64 *)s->data)[s->count - 1]);
}

/* Is there an element i that the host reads? */
NESL_OWN int
nesl_reads(i64 i, i64 n)
{
	if (nesl_in(i, n))
		nesl_sync();
	return nesl_in(i, n);
}

/* On the host; out of range gives 0. */
NESL_OWN nint nesl_elem_nint(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((nint *)v->data)[i] : 0; }
NESL_OWN f64 nesl_elem_f64(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((f64 *)v->data)[i] : 0; }
NESL_OWN b8 nesl_elem_b8(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((b8 *)v->data)[i] : 0; }
NESL_OWN c32 nesl_elem_c32(const nesl_vec *v, i64 i) { return nesl_reads(i, v->count) ? ((c32 *)v->data)[i] : 0; }

NESL_OWN i64
nesl_host_row_start(const nesl_vec *s, i64 i)
{
	return nesl_reads(i, nesl_rows(s)) ? ((i64 *)s->data)[i] : 0;
}

NESL_OWN i64
nesl_host_row_length(const nesl_vec *s, i64 i)
{
	return nesl_reads(i, nesl_rows(s)) ? ((i64 *)s->data)[i + 1] - ((i64 *)s->data)[i] : 0;
}

/* In scalar code of an element. */
NESL_OWN nint nesl_each_elem_nint(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((nint *)v->data)[i] : 0; }
NESL_OWN f64 nesl_each_elem_f64(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((f64 *)v->data)[i] : 0; }
NESL_OWN b8 nesl_each_elem_b8(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((b8 *)v->data)[i] : 0; }
NESL_OWN c32 nesl_each_elem_c32(const nesl_vec *v, i64 i) { return nesl_in(i, v->count) ? ((c32 *)v->data)[i] : 0; }

NESL_OWN i64
nesl_each_row_start(const nesl_vec *s, i64 i)
{
	return nesl_row_start(s->data, nesl_rows(s), i);
}

NESL_OWN i64
nesl_each_row_length(const nesl_vec *s, i64 i)
{
	return nesl_row_length(s->data, nesl_rows(s), i);
}

/* What the tasks before found comes first. */
NESL_OWN void
nesl_run_effect(const char *name, const char *type, const nesl_leaf *in, int nin, nesl_leaf *out, int nout)
{
	nesl_settle();
	if (nesl_effect(name, type, NESL_INT, in, nin, out, nout))
		nesl_fail("out of memory");
}

/* A copy that uses the threads when it is long. */
NESL_OWN void
nesl_copy(void *to, const void *from, i64 bytes)
{
	const i64 nc = nesl_chunks(bytes / 64);

	NESL_PARALLEL(nc > 1)
	for (i64 c = 0; c < nc; c++) {
		const i64 lo = nesl_lo(bytes, c, nc), hi = nesl_lo(bytes, c + 1, nc);

		if (lo < hi)
			memcpy((char *)to + lo, (const char *)from + lo, (size_t)(hi - lo));
	}
}

/* How many elements they have. */
NESL_OWN i64
nesl_area(i64 n, i64 k)
{
	if (n > 0 && k > INT64_MAX / n)
		nesl_fail(NESL_TOO_LONG, (long long)INT64_MAX);
	return n > 0 && k > 0 ? nesl_counted(n * k) : 0;
}

NESL_OWN i64 nesl_grid_rows(nesl_grid g) { return g.rows; }
NESL_OWN i64 nesl_grid_total(nesl_grid g) { return nesl_area(g.rows, g.length); }

NESL_OWN nesl_vec *
nesl_offsets(nesl_grid g)
{
	nesl_vec *r = nesl_new_kept(g.rows);
	i64 *off = r->data;

	nesl_grid_total(g);             /* it can be counted */
	nesl_in_library(0, g.rows * 8);
	for (i64 i = 1; i < r->count; i++)
		off[i] = i * g.length;
	return r;
}

/* outer's rows are of rows of inner: descriptor of the flattened. */
NESL_OWN nesl_vec *
nesl_compose(const nesl_vec *outer, const nesl_vec *inner)
{
	nesl_vec *r = nesl_new_segdes(nesl_rows(outer));
	const i64 *a = outer->data, *b = inner->data;
	i64 *off = r->data;

	nesl_in_library(nesl_rows(r) * 16, nesl_rows(r) * 8);
	for (i64 i = 0; i < r->count; i++)
		off[i] = nesl_in(a[i], inner->count) ? b[a[i]] : 0;
	return r;
}

/* The only one with something in it is the result. */
NESL_OWN nesl_vec *
nesl_append(i64 size, int n, nesl_vec *const *v)
{
	i64 count = 0;
	nesl_vec *r = NULL;
	char *to;

	for (int k = 0; k < n; k++) {
		r = v[k]->count == 0 ? r : count == 0 ? v[k] : NULL;
		count += v[k]->count;
	}
	if (r) {
		nesl_retain(r);
		return r;
	}
	r = nesl_new(count, size);
	nesl_in_library(count * size, count * size);
	to = r->data;
	for (int k = 0; k < n; k++) {
		if (v[k]->count)
			nesl_copy(to, v[k]->data, v[k]->count * size);
		to += v[k]->count * size;
	}
	return r;
}

/* Where a vector that has grown a few times has to be copied, there is room for as much again: a sequence of these copies each
 * element a bounded number of times, and one that is appended to once takes what it needs. */
enum { NESL_GROWN_OFTEN = 3 };

/* a, which is taken over, and then b. */
NESL_OWN nesl_vec *
nesl_extend(i64 size, nesl_vec *a, nesl_vec *b)
{
	const i64 count = nesl_counted(a->count + b->count);
	nesl_vec *r = a;

	if (b->count == 0)
		return a;
	if (a->count == 0) {
		nesl_free(a);
		nesl_retain(b);
		return b;
	}
	if (a->refs != 1 || a == b || count * size > a->bytes) {
		r = nesl_array(a->grown < NESL_GROWN_OFTEN ? count : 2 * count, size);
		r->grown = (char)(a->grown < NESL_GROWN_OFTEN ? a->grown + 1 : a->grown);
		nesl_copy(r->data, a->data, a->count * size);
		nesl_in_library(a->count * size, a->count * size);
	}
	nesl_in_library(b->count * size, b->count * size);
	nesl_copy((char *)r->data + a->count * size, b->data, b->count * size);
	r->count = count;
	if (r != a)
		nesl_free(a);
	return r;
}

/* The rows of each descriptor, one after the other. */
NESL_OWN nesl_vec *
nesl_concat(int n, nesl_vec *const *s)
{
	i64 rows = 0, base = 0;
	nesl_vec *r;
	i64 *to;

	for (int k = 0; k < n; k++)
		rows += nesl_rows(s[k]);
	r = nesl_new_kept(rows);
	nesl_in_library(rows * 8, rows * 8);
	to = r->data;
	for (int k = 0; k < n; k++) {
		const i64 *off = s[k]->data;

		for (i64 i = 1; i < s[k]->count; i++)
			*++to = base + off[i];
		base += nesl_total(s[k]);
	}
	return r;
}

/* n elements from host memory. */
NESL_OWN nesl_vec *
nesl_vector(i64 size, i64 n, const void *from)
{
	nesl_vec *r = nesl_new(n, size);

	nesl_in_library(0, n * size);
	if (n > 0)
		memcpy(r->data, from, (size_t)(n * size));
	return r;
}

NESL_OWN nesl_vec *
nesl_chars(const char *text, i64 n)
{
	nesl_vec *r = nesl_new(n, 4);
	c32 *to = r->data;

	nesl_in_library(0, n * 4);
	for (i64 i = 0; i < n; i++)
		to[i] = (unsigned char)text[i];
	return r;
}

/* r[k]: is i[k] in range, and no earlier one equal to it? */
NESL_OWN nesl_vec *
nesl_permute_ok(const nesl_vec *i)
{
	nesl_vec *r = nesl_new(i->count, 1), *seen = nesl_new(i->count, 1);
	const nint *at = i->data;
	b8 *ok = r->data, *mark = seen->data;

	nesl_in_library(i->count * (i64)(sizeof(nint) + 1), i->count * 3);
	if (i->count)
		memset(mark, 0, (size_t)i->count);
	for (i64 k = 0; k < i->count; k++) {
		ok[k] = nesl_in(at[k], i->count) && !mark[at[k]];
		if (ok[k])
			mark[at[k]] = 1;
	}
	nesl_free(seen);
	return r;
}

/* d, which is taken over, with v[k] at i[k], the last k wins; an index out of range is ignored. */
NESL_OWN nesl_vec *
nesl_put(i64 size, nesl_vec *d, const nesl_vec *v, const nesl_vec *i)
{
	nesl_vec *r = nesl_sole(d) && d != v && d != i ? d : nesl_new(d->count, size);
	const i64 n = v->count < i->count ? v->count : i->count;
	const nint *at = i->data;
	const char *from = v->data;
	char *to = r->data;

	nesl_in_library((r == d ? 0 : d->count * size) + n * (size + (i64)sizeof(nint)), ((r == d ? 0 : d->count) + n) * size);
	if (r != d && d->count)
		nesl_copy(to, d->data, d->count * size);
	for (i64 k = 0; k < n; k++)
		if (nesl_in(at[k], r->count))
			memcpy(to + at[k] * size, from + k * size, (size_t)size);
	nesl_replaced(d, r);
	return r;
}

/* -- rank: a stable sort of (key, position) ---------------------------------------------------- */
typedef struct { uint64_t key; i64 pos; } nesl_ranked;

NESL_OWN uint64_t
nesl_key_int(nint x)
{
	return (uint64_t)(i64)x ^ (uint64_t)1 << 63;
}

/* Ordered as floats are, -0.0 below 0.0. */
NESL_OWN uint64_t
nesl_key_f64(f64 x)
{
	uint64_t u;

	memcpy(&u, &x, 8);
	return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}

NESL_OWN void
nesl_insertion(nesl_ranked *a, i64 n)
{
	for (i64 i = 1; i < n; i++) {
		const nesl_ranked x = a[i];
		i64 k = i;

		for (; k > 0 && a[k - 1].key > x.key; k--)
			a[k] = a[k - 1];
		a[k] = x;
	}
}

NESL_OWN void
nesl_merge(nesl_ranked *to, const nesl_ranked *from, i64 lo, i64 mid, i64 hi)
{
	i64 a = lo, b = mid;

	for (i64 k = lo; k < hi; k++)
		to[k] = a < mid && (b >= hi || from[a].key <= from[b].key) ? from[a++] : from[b++];
}

/* Runs of 16 by insertion, then merges back and forth.  The result is where it returns. */
NESL_OWN nesl_ranked *
nesl_merge_sort(nesl_ranked *a, nesl_ranked *b, i64 n)
{
	for (i64 lo = 0; lo < n; lo += 16)
		nesl_insertion(a + lo, n - lo < 16 ? n - lo : 16);
	for (i64 w = 16; w < n; w *= 2) {
		nesl_ranked *const t = a;

		for (i64 lo = 0; lo < n; lo += 2 * w)
			nesl_merge(b, a, lo, lo + w < n ? lo + w : n, lo + 2 * w < n ? lo + 2 * w : n);
		a = b;
		b = t;
	}
	return a;
}

/* By bytes, lowest first; a byte that all keys share costs nothing. */
NESL_OWN nesl_ranked *
nesl_radix_sort(nesl_ranked *a, nesl_ranked *b, i64 n)
{
	i64 count[8][257];

	memset(count, 0, sizeof count);
	for (i64 i = 0; i < n; i++)
		for (int d = 0; d < 8; d++)
			count[d][(a[i].key >> 8 * d & 255) + 1]++;
	for (int d = 0; d < 8; d++) {
		nesl_ranked *const t = a;

		if (count[d][(a[0].key >> 8 * d & 255) + 1] == n)
			continue;
		for (int k = 1; k < 257; k++)
			count[d][k] += count[d][k - 1];
		for (i64 i = 0; i < n; i++)
			b[count[d][a[i].key >> 8 * d & 255]++] = a[i];
		a = b;
		b = t;
	}
	return a;
}

/* a: n keys and positions 0..n-1; b: as much scratch. */
NESL_OWN void
nesl_rank_row(nesl_ranked *a, nesl_ranked *b, i64 n, nint *rank)
{
	const nesl_ranked *r = n <= 1500 ? nesl_merge_sort(a, b, n) : nesl_radix_sort(a, b, n);

	for (i64 k = 0; k < n; k++)
		rank[r[k].pos] = (nint)k;
}

/* Keys of elements lo..hi-1; a NaN is above all numbers.  down: greatest first. */
NESL_OWN void
nesl_rank_keys(nesl_ranked *a, const nesl_vec *v, i64 lo, i64 hi, int is_float, int down)
{
	for (i64 k = lo; k < hi; k++) {
		const f64 x = is_float ? ((f64 *)v->data)[k] : 0;
		const uint64_t key = x != x ? UINT64_MAX : is_float ? nesl_key_f64(x)
			: nesl_key_int(((nint *)v->data)[k]);

		a[k - lo].key = down ? ~key : key;
		a[k - lo].pos = k - lo;
	}
}

/* Of twice n elements. */
NESL_OWN nesl_vec *
nesl_rank_scratch(i64 n)
{
	return nesl_block(2 * n * (i64)sizeof(nesl_ranked));
}

NESL_OWN nesl_vec *
nesl_rank(const nesl_vec *v, int is_float, int down)
{
	nesl_vec *r = nesl_new(v->count, sizeof(nint));
	nesl_vec *scratch = nesl_rank_scratch(v->count);
	nesl_ranked *a = scratch->data;

	nesl_in_library(v->count * (is_float ? 8 : (i64)sizeof(nint)), v->count * (i64)sizeof(nint));
	nesl_rank_keys(a, v, 0, v->count, is_float, down);
	nesl_rank_row(a, a + v->count, v->count, r->data);
	nesl_unblock(scratch);
	return r;
}

/* Within each row; rows of a chunk use the chunk's part of the scratch. */
NESL_OWN nesl_vec *
nesl_seg_rank(const nesl_vec *s, const nesl_vec *v, int is_float, int down)
{
	const i64 *off = s->data, rows = nesl_rows(s), nc = nesl_chunks(v->count);
	nesl_vec *r = nesl_new(v->count, sizeof(nint));
	nesl_vec *scratch = nesl_rank_scratch(v->count);
	nesl_ranked *a = scratch->data, *b = a + v->count;
	nint *rank = r->data;
	nesl_cuts cuts;

	nesl_in_library(v->count * (is_float ? 8 : (i64)sizeof(nint)) + rows * 8, v->count * (i64)sizeof(nint));
	nesl_cut(&cuts, off, rows, nc);
	NESL_PARALLEL(nc > 1)
	for (i64 c = 0; c < nc; c++)
		for (i64 k = cuts.at[c].row; k < cuts.at[c + 1].row; k++) {
			const i64 lo = off[k], hi = off[k + 1];

			if (lo < hi) {
				nesl_rank_keys(a + lo, v, lo, hi, is_float, down);
				nesl_rank_row(a + lo, b + lo, hi - lo, rank + lo);
			}
		}
	nesl_unblock(scratch);
	return r;
}

#endif

#ifndef NESL_LIBRARY_H
#define NESL_LIBRARY_H
/* The library operations of lcu.def for generated CUDA, made of the skeletons; included by nesl_device.h.
 * Each is total: indices out of range are ignored or give 0, a check before it has said so. */

/* -- descriptors ---------------------------------------------------------------------------------- */
struct nesl_offsets_f {
	i64 *off, k;
	__device__ void operator()(i64 e) const { off[e] = e * k; }
};

static inline nesl_segdes
nesl_offsets(nesl_grid g)
{
	const nesl_segdes s = nesl_new_segdes(g.rows, nesl_total(g), g.length);

	nesl_in_library(0, g.rows * 8);
	if (s.rows)
		nesl_map(s.rows + 1, nesl_offsets_f{s.off, g.length});
	return s;
}

struct nesl_compose_f {
	i64 *off;
	nesl_segdes outer, inner;
	__device__ void operator()(i64 e) const
	{
		const i64 row = outer.off[e];
		const bool last = e == outer.rows || row > inner.rows;

		off[e] = inner.rows == 0 ? 0 : inner.off[last ? inner.rows : row];
	}
};

/* The rows of outer, in elements of inner, whose rows are outer's elements; the last one ends where inner
 * does, so that inner's total holds even where a check that compared them has failed. */
static inline nesl_segdes
nesl_compose(int op, nesl_segdes outer, nesl_segdes inner)
{
	const nesl_segdes s = nesl_new_segdes(outer.rows, inner.block ? inner.block->total : 0);

	nesl_task(op, outer.rows * 16, outer.rows * 8);
	if (s.rows)
		nesl_map(s.rows + 1, nesl_compose_f{s.off, outer, inner});
	return s;
}

struct nesl_concat_f {
	i64 *off;
	nesl_segdes part;
	i64 first;
	__device__ void operator()(i64 e) const
	{
		off[first + e + 1] = nesl_add_length(first ? off[first] : 0, part.off[e + 1]);
		if (first == 0 && e == 0)
			off[0] = 0;
	}
};

/* The rows of each, one after the other: a part begins where the last one, launched before it, ended. */
template<int K>
static inline nesl_segdes
nesl_concat(int op, const nesl_segdes (&part)[K])
{
	i64 rows = 0, total = 0, longest = 0;
	nesl_segdes s;

	for (int k = 0; k < K; k++) {
		const i64 known = part[k].block ? part[k].block->total : 0, most = part[k].block ? part[k].block->longest : 0;

		rows += part[k].rows;
		total = known < 0 || total < 0 ? -1 : total + known;
		longest = most < 0 || longest < 0 ? -1 : most > longest ? most : longest;
	}
	nesl_task(op, rows * 8, rows * 8);
	s = nesl_new_segdes(rows, total, longest);
	rows = 0;
	for (int k = 0; k < K; k++) {
		nesl_map(part[k].rows, nesl_concat_f{s.off, part[k], rows});
		rows += part[k].rows;
	}
	return s;
}

/* -- vectors --------------------------------------------------------------------------------------- */
/* The only one with something in it is the result. */
template<class T, int K>
static inline nesl_vec<T>
nesl_append(int op, const nesl_vec<T> (&part)[K])
{
	nesl_vec<T> r;
	i64 n = 0;
	int some = 0;

	for (int k = 0; k < K; k++) {
		some += part[k].n > 0;
		r = part[k].n > 0 ? part[k] : r;
		n += part[k].n;
	}
	if (some == 1) {
		nesl_retain(r);
		return r;
	}
	nesl_task(op, n * (i64)sizeof(T), n * (i64)sizeof(T));
	r = nesl_new<T>(n);
	n = 0;
	for (int k = 0; k < K; k++) {
		if (part[k].n)
			nesl_copy(r.at + n, part[k].at, part[k].n * (i64)sizeof(T), "append");
		n += part[k].n;
	}
	return r;
}

/* Room for n elements, of which a, which is taken over, has the first: the block of a, if b, which comes next, is another, or a new one. */
static inline nesl_block *
nesl_grown(nesl_block *a, const nesl_block *b, i64 n, i64 size)
{
	nesl_block *r = a;

	if (a->count != 1 || a == b || !nesl_holds(a, n * size)) {
		r = nesl_block_new(a->grown < NESL_GROWN_OFTEN ? n : 2 * n, size, false);
		r->grown = a->grown + (a->grown < NESL_GROWN_OFTEN);
	}
	return r;
}

/* a, which is taken over, and then b, which may be there already (nesl_new_two). */
template<class T>
static inline nesl_vec<T>
nesl_extend(int op, nesl_vec<T> a, nesl_vec<T> b)
{
	const i64 n = nesl_counted(a.n + b.n);
	nesl_vec<T> r = a;

	if (b.n > 0 && !b.block)
		return nesl_vec<T>{a.at, n, a.block};
	if (b.n == 0)
		return nesl_tight(a);
	if (a.n == 0) {
		nesl_free(a);
		nesl_retain(b);
		return nesl_tight(b);
	}
	r.block = nesl_grown(a.block, b.block, n, sizeof(T));
	r.at = (T *)r.block->at;
	nesl_task(op, (r.at == a.at ? b.n : n) * (i64)sizeof(T), (r.at == a.at ? b.n : n) * (i64)sizeof(T));
	if (r.at != a.at)
		nesl_copy(r.at, a.at, a.n * (i64)sizeof(T), "extend");
	nesl_copy(r.at + a.n, b.at, b.n * (i64)sizeof(T), "extend");
	if (r.block != a.block)
		nesl_free(a);
	r.n = n;
	return r;
}

/* The rows of a, which is taken over, and then those of b. */
static inline nesl_segdes
nesl_extend_rows(int op, nesl_segdes a, nesl_segdes b)
{
	const i64 n = nesl_counted(a.rows + b.rows);
	nesl_block *r;
	i64 moved;

	if (b.rows == 0)
		return a;
	if (a.rows == 0) {
		nesl_free(a);
		nesl_retain(b);
		return b;
	}
	r = nesl_grown(a.block, b.block, n + 1, sizeof(i64));
	moved = (r == a.block ? b.rows : n) * (i64)sizeof(i64);
	nesl_task(op, moved, moved);
	if (r != a.block)
		nesl_copy(r->at, a.off, (a.rows + 1) * (i64)sizeof(i64), "extend");
	r->total = a.block->total < 0 || b.block->total < 0 ? -1 : a.block->total + b.block->total;
	r->longest = a.block->longest < 0 || b.block->longest < 0 ? -1
		: a.block->longest > b.block->longest ? a.block->longest : b.block->longest;
	nesl_unmeasured(r);
	nesl_map(b.rows, nesl_concat_f{(i64 *)r->at, b, a.rows});
	if (r != a.block)
		nesl_free(a);
	return nesl_segdes{(i64 *)r->at, n, r};
}

/* n elements of v, which is taken over, from place `from` on: where v has them, if it begins with them and they are three eighths of
 * it.  (Places where v has none, which a check tells of, are 0.) */
template<class T>
static inline nesl_vec<T>
nesl_piece(int op, nesl_vec<T> v, i64 from, i64 n)
{
	const i64 count = n > 0 ? n : 0, moved = count * (i64)sizeof(T);
	nesl_vec<T> r;

	if (v.block && v.block->count == 1 && from == 0 && count <= v.n && 8 * moved >= 3 * v.block->bytes)
		return nesl_vec<T>{v.at, count, v.block};
	nesl_task(op, moved, moved);
	r = nesl_new<T>(count);
	if (r.block && v.block)
		r.block->grown = v.block->grown;
	if (count && from >= 0 && from <= v.n - count)
		nesl_copy(r.at, v.at + from, moved, "piece");
	else if (count)
		nesl_check(cudaMemsetAsync(r.at, 0, (size_t)moved, 0), "piece");
	nesl_free(v);
	return r;
}

struct nesl_piece_rows_f {
	i64 *off;
	const i64 *from;        /* NULL: there are none */
	__device__ void operator()(i64 e) const { off[e] = from ? from[e] - from[0] : 0; }
};

/* n rows of s, which is taken over, from row `from` on, likewise.  (Rows that s has not are empty.) */
static inline nesl_segdes
nesl_piece_rows(int op, nesl_segdes s, i64 from, i64 n)
{
	const i64 rows = n > 0 ? n : 0, moved = rows * (i64)sizeof(i64);
	nesl_segdes r;

	if (rows > 0 && s.block && s.block->count == 1 && from == 0 && rows <= s.rows && 8 * (moved + 8) >= 3 * s.block->bytes) {
		s.block->total = s.block->longest = -1;
		nesl_unmeasured(s.block);
		return nesl_segdes{s.off, rows, s.block};
	}
	nesl_task(op, moved, moved);
	r = nesl_new_segdes(rows, -1);
	if (rows > 0) {
		r.block->grown = s.block ? s.block->grown : 0;
		nesl_map(rows + 1, nesl_piece_rows_f{r.off, from >= 0 && from <= s.rows - rows ? s.off + from : NULL});
	}
	nesl_free(s);
	return r;
}

/* From host scalars */
template<class T, int K>
static inline nesl_vec<T>
nesl_vector(const T (&x)[K])
{
	nesl_in_library(0, K * (i64)sizeof(T));
	return nesl_upload(x, K);
}

/* Batches of rows (flatten/batch.c) are for cores with caches: a device does all rows at once. */
static inline nesl_vec<nint>
nesl_apart(int, nesl_vec<nint> lengths)
{
	return nesl_vector<nint>({0, (nint)lengths.n});
}

static inline nint nesl_batch_from(nesl_vec<nint>) { return 0; }
static inline nint nesl_batch_rows(nesl_vec<nint>, nint n) { return n; }

static inline nesl_vec<c32>
nesl_chars(const char *text, i64 n)
{
	c32 *wide = (c32 *)malloc((size_t)(n > 0 ? n : 1) * sizeof(c32));
	nesl_vec<c32> r;

	if (!wide)
		nesl_fail("out of memory");
	for (i64 k = 0; k < n; k++)
		wide[k] = (unsigned char)text[k];
	nesl_in_library(0, n * (i64)sizeof(c32));
	r = nesl_upload(wide, n);
	free(wide);
	return r;
}

/* -- positions ------------------------------------------------------------------------------------------ */
/* with(x): of an unsigned type that holds so many bits, which are LEAST at least. */
template<int LEAST = 0, class With>
static inline void
nesl_of_width(int bits, With with)
{
	if constexpr (LEAST <= 32)
		if (bits <= 32)
			return with((uint32_t)0);
	with((nesl_u64)0);
}

/* with(x): of one that holds positions of n elements. */
template<class With>
static inline void
nesl_of_places(i64 n, With with)
{
	nesl_of_width(n < 1ll << 31 ? 32 : 64, with);
}

/* -- permute, put ------------------------------------------------------------------------------------- */
template<class P> struct nesl_first_f {
	nesl_vec<nint> i;
	P *first;
	__device__ void operator()(i64 e) const
	{
		if (nesl_has(i, i.at[e]))
			atomicMin(&first[i.at[e]], (P)e);
	}
};
template<class P> struct nesl_is_first_f {
	nesl_vec<nint> i;
	const P *first;
	nesl_vec<b8> ok;
	__device__ void operator()(i64 e) const
	{
		ok.at[e] = nesl_has(i, i.at[e]) && first[i.at[e]] == e;
	}
};

/* For each index: is it in range, and no earlier one equal to it? */
static inline nesl_vec<b8>
nesl_permute_ok(int op, nesl_vec<nint> i)
{
	const nesl_vec<b8> ok = nesl_new<b8>(i.n);

	nesl_task(op, i.n * (i64)(sizeof(nint) + 1), i.n * 3);
	if (i.n == 0)
		return ok;
	nesl_of_places(i.n, [&](auto at) {
		typedef decltype(at) P;
		nesl_block *const work = nesl_block_new(i.n, sizeof(P), true);

		nesl_check(cudaMemsetAsync(work->at, 0xff, (size_t)work->bytes, 0), "scratch");
		nesl_map(i.n, nesl_first_f<P>{i, (P *)work->at});
		nesl_map(i.n, nesl_is_first_f<P>{i, (const P *)work->at, ok});
		nesl_block_free(work);
	});
	return ok;
}

/* Which pair is the last at each place: its number, from 1. */
template<class P> struct nesl_none_f {
	nesl_vec<nint> i;
	P *last;
	i64 n;
	__device__ void operator()(i64 e) const
	{
		if (i.at[e] >= 0 && i.at[e] < n)
			nesl_st_any(&last[i.at[e]], (P)0);
	}
};
template<class P> struct nesl_last_f {
	nesl_vec<nint> i;
	P *last;
	i64 n;
	__device__ void operator()(i64 e) const
	{
		if (i.at[e] >= 0 && i.at[e] < n)
			atomicMax(&last[i.at[e]], (P)(e + 1));
	}
};
template<class T, class P> struct nesl_write_f {
	nesl_vec<T> v;
	nesl_vec<nint> i;
	nesl_vec<T> r;
	const P *last;
	__device__ void operator()(i64 e) const
	{
		if (nesl_has(r, i.at[e]) && last[i.at[e]] == (P)(e + 1))
			r.at[i.at[e]] = v.at[e];
	}
};

/* The n pairs by what is told of all places; of those that are written only, where that is less. */
template<class T>
static inline void
nesl_write_many(nesl_vec<T> r, nesl_vec<T> v, nesl_vec<nint> i, i64 n)
{
	enum { SECTOR = 32 };

	nesl_of_places(n, [&](auto at) {
		typedef decltype(at) P;
		nesl_block *const work = nesl_block_new(r.n, sizeof(P), true);
		P *const last = (P *)work->at;

		if (n < work->bytes / SECTOR)
			nesl_map(n, nesl_none_f<P>{i, last, r.n});
		else
			nesl_check(cudaMemsetAsync(last, 0, (size_t)work->bytes, 0), "scratch");
		nesl_map(n, nesl_last_f<P>{i, last, r.n});
		nesl_map(n, nesl_write_f<T, P>{v, i, r, last});
		nesl_block_free(work);
	});
}

/* A pair looks at all that come after it. */
enum { NESL_FEW_PAIRS = NESL_BD };
template<class T> struct nesl_write_few_f {
	nesl_vec<T> v;
	nesl_vec<nint> i;
	nesl_vec<T> r;
	i64 n;
	__device__ void operator()(i64 e) const
	{
		const nint at = i.at[e];
		bool is = nesl_has(r, at);

		for (i64 k = e + 1; k < n; k++)
			is = is & (i.at[k] != at);
		if (is)
			r.at[at] = v.at[e];
	}
};

/* d, which is taken over, with v[k] at i[k]; of equal indices the last wins.  Few pairs take a launch, and nothing that is as long as d. */
template<class T>
static inline nesl_vec<T>
nesl_write(int op, nesl_vec<T> d, nesl_vec<T> v, nesl_vec<nint> i)
{
	const i64 n = i.n < v.n ? i.n : v.n;
	nesl_vec<T> r = d;
	const bool copied = !nesl_sole(d) || d.block == v.block || d.block == i.block;

	nesl_task(op, (copied ? d.n : 0) * (i64)sizeof(T) + n * (i64)(sizeof(T) + sizeof(nint)),
		((copied ? d.n : 0) + n) * (i64)sizeof(T));
	if (d.n == 0 || n == 0)
		return d;
	if (copied) {
		r = nesl_new<T>(d.n);
		nesl_copy(r.at, d.at, d.n * (i64)sizeof(T), "put");
	}
	if (n <= NESL_FEW_PAIRS)
		nesl_map(n, nesl_write_few_f<T>{v, i, r, n});
	else
		nesl_write_many(r, v, i, n);
	nesl_replaced(d, r);
	return r;
}

#endif

#ifndef NESL_CUDA_VALUES_H
#define NESL_CUDA_VALUES_H
/* What a generated CUDA program computes with: vectors and descriptors as small values that point to counted blocks, who owns
 * them, how long they are; at the edge, inputs and what is shown of results. */
#include "nesl_cuda_memory.h"

/* -- values ------------------------------------------------------------------------------------- */
template<class T> struct nesl_vec {
	T *at;
	i64 n;
	nesl_block *block;      /* none if empty */
	/* i out of range gives 0: a check has said so, and nothing may break before it is heard */
	__device__ T operator[](i64 i) const { return (nesl_u64)i < (nesl_u64)n ? at[i] : T(0); }
};

/* Of rows: how long they are together, and the longest. */
struct nesl_lengths {
	i64 total, longest;
};

struct nesl_segdes {            /* of rows of any lengths; of one length: nesl_grid */
	i64 *off;               /* rows + 1 of them; NULL: no rows */
	i64 rows;
	nesl_block *block;
};

template<class T>
static inline nesl_vec<T>
nesl_new(i64 n)
{
	nesl_block *b;

	if (n <= 0)
		return nesl_vec<T>{NULL, 0, NULL};
	b = nesl_block_new(nesl_counted(n), sizeof(T), false);
	return nesl_vec<T>{(T *)b->at, n, b};
}

/* total, longest: -1 if the host does not know it. */
static inline nesl_segdes
nesl_new_segdes(i64 rows, i64 total, i64 longest = -1)
{
	nesl_block *b;

	if (rows <= 0)
		return nesl_segdes{NULL, 0, NULL};
	b = nesl_block_new(rows + 1, sizeof(i64), false);
	b->total = total;
	b->longest = longest;
	return nesl_segdes{(i64 *)b->at, rows, b};
}

/* For a kernel that makes it of lengths, and leaves the longest behind the offsets. */
static inline nesl_segdes
nesl_new_measured(i64 rows)
{
	nesl_block *b;

	if (rows <= 0)
		return nesl_segdes{NULL, 0, NULL};
	b = nesl_block_new(rows + 2, sizeof(i64), false);
	b->measured = true;
	return nesl_segdes{(i64 *)b->at, rows, b};
}

/* The same of one that is known to have so many elements; lengths that overflow may have a sum below 0. */
static inline nesl_segdes
nesl_new_told(i64 rows, i64 total)
{
	const nesl_segdes s = nesl_new_measured(rows);

	if (s.block)
		s.block->total = total > 0 ? total : 0;
	return s;
}

template<class V>
static inline void
nesl_retain(V v)
{
	if (v.block)
		v.block->count++;
}

/* --debug: one owner more, one less; are they as many as the count? */
template<class V>
static inline void
nesl_own(V v)
{
	if (v.block)
		v.block->owners++;
}

template<class V>
static inline void
nesl_disown(V v)
{
	if (v.block)
		v.block->owners--;
}

template<class V>
static inline void
nesl_confirm(V v, const char *at)
{
	if (v.block && v.block->owners != v.block->count)
		nesl_miscounted(at, v.block->count, v.block->owners);
}

/* Has v one owner? */
template<class V>
static inline bool
nesl_sole(V v)
{
	return v.block && v.block->count == 1;
}

template<class V>
static inline void
nesl_free(V v)
{
	nesl_drop(v.block);
}

/* A leaf of a cell that nobody reads again has nothing, after a fault too. */
template<class V>
static inline void
nesl_forget(V &leaf)
{
	if (leaf.block) {
		leaf.block->count_at_entry--;
		leaf.block->owners--;
		nesl_drop(leaf.block);
	}
	leaf = V{};
}

/* v, which is given up, if nobody else has it and it is as long; else new memory, and v stays until nesl_replaced. */
template<class T>
static inline nesl_vec<T>
nesl_replace(nesl_vec<T> v, i64 n)
{
	return nesl_sole(v) && v.n == n ? v : nesl_new<T>(n);
}

template<class T, class U>
static inline void
nesl_replaced(nesl_vec<T> v, nesl_vec<U> r)
{
	if (r.block != v.block)
		nesl_free(v);
}

/* d, which is taken over, to be written to: itself if nobody else has it, else a copy. */
template<class T>
static inline nesl_vec<T>
nesl_taken(nesl_vec<T> d)
{
	nesl_vec<T> r = d;

	if (nesl_sole(d) || d.n == 0)
		return d;
	nesl_in_library(d.n * (i64)sizeof(T), d.n * (i64)sizeof(T));
	r = nesl_new<T>(d.n);
	nesl_copy(r.at, d.at, d.n * (i64)sizeof(T), "mark");
	nesl_free(d);
	return r;
}

/* Steps of ways out. */
static inline nesl_held_step
nesl_rows_of(nesl_segdes s)
{
	return nesl_held_step(NESL_ROWS, s.rows, s.off, s.block);
}

static inline nesl_held_step
nesl_rows_of(nesl_grid g)
{
	return nesl_held_step(NESL_GRID, g.rows, NULL, NULL, g.length);
}

static inline nesl_held_step
nesl_picked_by(nesl_vec<nint> x)
{
	return nesl_held_step(NESL_PICKED, x.n, x.at, x.block);
}

/* How many elements the rows have; read from the device when first asked for. */
static inline i64
nesl_total(nesl_segdes s)
{
	nesl_block *const b = s.block;
	const i64 *read;

	if (!b)
		return 0;
	if (b->total < 0) {
		read = nesl_read(s.off + s.rows, b->measured ? 2 : 1);
		b->total = read[0];
		b->longest = b->measured ? read[1] : b->longest;
	}
	if (b->total == INT64_MAX)      /* as far as offsets are counted */
		nesl_too_long(b->total);
	return nesl_counted(b->total);
}

static inline i64
nesl_total(nesl_grid g)
{
	return nesl_area(g.rows, g.length);
}

/* A pass that made s has found them. */
static inline void
nesl_has_lengths(nesl_segdes s, nesl_lengths l)
{
	if (!s.block)
		return;
	s.block->total = l.total;
	s.block->longest = l.longest;
}

/* A kernel has measured s, whose total was told: that is read when the host waits anyway.  Where a block or two do what there is to
 * do with the rows nobody asks. */
static inline void
nesl_measures(nesl_segdes s)
{
	if (s.rows > NESL_BD * NESL_VT)
		nesl_ask_longest(s.block);
}

/* What the host reads: an R, of one T, or of two how far it is from the first to the second; 0 if there is none. */
template<class R, class T> struct nesl_remote {
	const T *at;
	int n;

	void ask(i64 *to) const
	{
		if (at)
			nesl_check(cudaMemcpyAsync(to, at, n * sizeof(T), cudaMemcpyDeviceToHost, 0), "read");
	}

	R got(const i64 *from) const
	{
		const T *const x = (const T *)from;

		return R(!at ? T(0) : n == 2 ? T(x[1] - x[0]) : x[0]);
	}
};

template<class T>
static inline nesl_remote<T, T>
nesl_elem_at(nesl_vec<T> v, i64 i)
{
	return {i >= 0 && i < v.n ? v.at + i : NULL, 1};
}

/* Row i of a descriptor; the first begins at 0. */
static inline nesl_remote<nint, i64>
nesl_row_start_at(nesl_segdes s, i64 i)
{
	return {i > 0 && i < s.rows ? s.off + i : NULL, 1};
}

static inline nesl_remote<nint, i64>
nesl_row_length_at(nesl_segdes s, i64 i)
{
	return {i >= 0 && i < s.rows ? s.off + i : NULL, 2};
}

/* All of them, by one wait. */
template<class... R, class... T>
static inline std::tuple<R...>
nesl_reads(nesl_remote<R, T>... p)
{
	i64 *to = nesl_run.values;
	const i64 *from = to - 2;
	const bool any = (p.at || ...);

	static_assert(2 * sizeof...(p) <= NESL_VALUES, "so many values have room");
	((p.ask(to), to += 2), ...);
	if (any)
		nesl_sync();
	return std::tuple<R...>{p.got(from += 2)...};
}

template<class T>
static inline T
nesl_elem(nesl_vec<T> v, i64 i)
{
	return std::get<0>(nesl_reads(nesl_elem_at(v, i)));
}

static inline nint
nesl_read_row_start(nesl_segdes s, i64 i)
{
	return std::get<0>(nesl_reads(nesl_row_start_at(s, i)));
}

static inline nint
nesl_read_row_length(nesl_segdes s, i64 i)
{
	return std::get<0>(nesl_reads(nesl_row_length_at(s, i)));
}

template<class T>
static inline nesl_vec<T>
nesl_upload(const T *data, i64 n)
{
	nesl_vec<T> v = nesl_new<T>(n);

	if (v.n)
		nesl_check(cudaMemcpyAsync(v.at, data, (size_t)n * sizeof(T), cudaMemcpyHostToDevice, 0),
			"upload");
	return v;
}

/* Where a vector that has grown a few times has to be copied, there is room for as much again: a sequence of these copies each
 * element a bounded number of times, and one that is appended to once takes what it needs. */
enum { NESL_GROWN_OFTEN = 3 };

/* Do so many bytes belong in that block?  Not if they leave half of it unused, which is not meant to grow into it. */
static inline bool
nesl_holds(const nesl_block *b, i64 bytes)
{
	return bytes <= b->bytes && (bytes > b->bytes / 2 || b->grown == NESL_GROWN_OFTEN);
}

enum { NESL_LITTLE_WASTE = 1 << 16 };  /* bytes that no copy is made for */

/* v, in memory of its own where that saves half. */
template<class T>
static inline nesl_vec<T>
nesl_tight(nesl_vec<T> v)
{
	const i64 bytes = v.n * (i64)sizeof(T);
	nesl_vec<T> r;

	if (!v.block || nesl_holds(v.block, bytes) || v.block->bytes <= NESL_LITTLE_WASTE)
		return v;
	r = nesl_new<T>(v.n);
	if (v.n)
		nesl_copy(r.at, v.at, bytes, "trim");
	nesl_free(v);
	return r;
}

/* The first n elements of v, which a pack wrote: to be appended, or appended to, next. */
template<class T>
static inline nesl_vec<T>
nesl_first(nesl_vec<T> v, i64 n)
{
	nesl_run.task->bytes_written += n * (i64)sizeof(T);
	return nesl_vec<T>{v.at, n, v.block};
}

/* The same, not longer than it must be. */
template<class T>
static inline nesl_vec<T>
nesl_trim(nesl_vec<T> v, i64 n)
{
	return nesl_tight(nesl_first(v, n));
}

/* The longest stood behind rows that are no more, or no longer the last. */
static inline void
nesl_unmeasured(nesl_block *b)
{
	nesl_forget_longest(b);
	b->measured = false;
}

/* The first n rows of s, likewise. */
static inline nesl_segdes
nesl_trim_rows(nesl_segdes s, i64 n)
{
	nesl_segdes r;

	nesl_run.task->bytes_written += n * (i64)sizeof(i64);
	if (s.block)
		nesl_unmeasured(s.block);
	if (n > s.rows / 2 || (s.block && s.block->bytes <= NESL_LITTLE_WASTE))
		return nesl_segdes{s.off, n, s.block};
	r = nesl_new_segdes(n, s.block ? s.block->total : 0, s.block ? s.block->longest : 0);
	if (n)
		nesl_copy(r.off, s.off, (n + 1) * (i64)sizeof(i64), "trim");
	nesl_free(s);
	return r;
}

/* -- the edge: inputs and echo -------------------------------------------------------------------- */
/* The leaf's data is taken over, and it has none then; but for a scalar, which the caller frees. */
template<class T>
static inline void
nesl_take(T &x, nesl_leaf &l)
{
	x = *(const T *)l.data;
}

template<class T>
static inline void
nesl_take(nesl_vec<T> &v, nesl_leaf &l)
{
	v = nesl_upload((const T *)l.data, l.count);
	free(l.data);
	l.data = NULL;
}

static inline void
nesl_take(nesl_segdes &s, nesl_leaf &l)
{
	const i64 rows = l.count - 1, *off = (const i64 *)l.data;
	i64 longest = 0;

	for (i64 i = 0; i < rows; i++)
		longest = off[i + 1] - off[i] > longest ? off[i + 1] - off[i] : longest;
	s = nesl_new_segdes(rows, rows > 0 ? off[rows] : 0, longest);
	if (rows > 0)
		nesl_check(cudaMemcpyAsync(s.off, off, (size_t)(rows + 1) * sizeof(i64),
			cudaMemcpyHostToDevice, 0), "upload");
	free(l.data);
	l.data = NULL;
}

static inline void
nesl_fetch_leaf(const void *data, i64 from, i64 n, size_t size, void *buf)
{
	if (n > 0)
		nesl_check(cudaMemcpy(buf, (const char *)data + (size_t)from * size, (size_t)n * size,
			cudaMemcpyDeviceToHost), "fetch");
}

/* A descriptor without rows has no memory, and one offset, 0. */
static inline void
nesl_fetch_offsets(const void *data, i64 from, i64 n, size_t size, void *buf)
{
	if (data)
		nesl_fetch_leaf(data, from, n, size, buf);
	else
		memset(buf, 0, (size_t)n * size);
}

/* base: as nesl_leaf names it; ints of 32 bits and chars are one type in C. */
template<class T>
static inline nesl_leaf
nesl_show(T &x, char base)
{
	return nesl_leaf{LEAF_SCALAR, base, 1, &x, NULL};
}

template<class T>
static inline nesl_leaf
nesl_show(nesl_vec<T> &v, char base)
{
	return nesl_leaf{LEAF_VECTOR, base, v.n, v.at, nesl_fetch_leaf};
}

static inline nesl_leaf
nesl_show(nesl_segdes &s, char base)
{
	return nesl_leaf{LEAF_OFFSETS, base, s.rows + 1, s.off, nesl_fetch_offsets};
}

#endif

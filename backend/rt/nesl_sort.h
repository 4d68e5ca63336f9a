#ifndef NESL_SORT_H
#define NESL_SORT_H
/* rank, sort, group and its sums for generated CUDA: included, and nesl_sort.cu linked, only where a program does so.
 *
 * How  A radix sort takes as many passes as its keys have digits, and each goes from one array to another.  So keys are made as
 *      short as the host knows them to be, in 4 bytes where they fit, and so are positions; the rows of elements are the high bits
 *      of their keys where there is room, so that one sort does for both; and what the result will take is memory of keys until then. */
#include "nesl_device.h"

/* nesl_sort.cu: sort n keys, stably, by their lowest bits, of which there is one at least, and with each its value: of 4 or 8 bytes
 * each, values of 0 where there are none.  Of both there are two arrays, of which the first holds them, before and after: they may
 * change places, and what is in the second is lost.  work: so many bytes; NULL: only how many that must be is told.  What it gives is
 * a cudaError_t. */
extern "C" int nesl_sort_bits(void *work, size_t *bytes, void *(&key)[2], int key_bytes, void *(&value)[2], int value_bytes, i64 n,
	int bits);

/* -- keys ------------------------------------------------------------------------------------------------ */
/* Where all elements are that are sorted, of ints; and how many bits of their keys that takes. */
struct nesl_span {
	nint least, most;
	int bits;
};

static inline int
nesl_bits_of(nesl_u64 most)
{
	return most ? 64 - __builtin_clzll(most) : 0;
}

struct nesl_within {
	struct T {
		nint least, most;
	};
	static const bool exact = true, commutes = true;
	static __host__ __device__ T id() { return T{MAX_INT, MIN_INT}; }
	static __device__ T op(T a, T b) { return T{a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most}; }
};
struct nesl_within_f {
	nesl_near<nint> x;
	__device__ nesl_within::T load_(nesl_one_of<16 / sizeof(nint)> e) const
	{
		const nint here = x[e];

		return {here, here};
	}
};

/* Of ints that are many it pays to look first, and to wait for it. */
enum { NESL_MANY_KEYS = 16 * NESL_TILE };

static inline nesl_span
nesl_span_of(nesl_vec<nint> x)
{
	const nesl_found<nesl_within, 0> *found;

	if (x.n < NESL_MANY_KEYS)
		return {MIN_INT, MAX_INT, 8 * (int)sizeof(nint)};
	found = nesl_reduce<nesl_within>(x.n, nesl_within_f{x});
	nesl_await();
	return {found->fold.least, found->fold.most, nesl_bits_of((nuint)found->fold.most - (nuint)found->fold.least)};
}

static constexpr int nesl_least_bits(nint) { return 0; }
static constexpr int nesl_least_bits(f64) { return 64; }

/* All bits of floats count. */
static inline nesl_span
nesl_span_of(nesl_vec<f64>)
{
	return {0, 0, 64};
}

/* Keys in the order of rank, without a sign: -0.0 below 0.0, NaN last; `down` turns all of it around. */
static __device__ nesl_u64
nesl_key(nint x, nesl_span in, bool down)
{
	return down ? (nuint)in.most - (nuint)x : (nuint)x - (nuint)in.least;
}

static __device__ nesl_u64
nesl_key(f64 x, nesl_span, bool down)
{
	nesl_u64 bits = ~0ull;

	if (x == x) {
		memcpy(&bits, &x, sizeof bits);
		bits = bits >> 63 ? ~bits : bits | 1ull << 63;
	}
	return down ? ~bits : bits;
}

/* The element of a key.  Of a NaN that it is one is all that can be seen. */
static __device__ nint
nesl_of_key(nesl_u64 key, nesl_span in, nint)
{
	return (nint)((nuint)in.least + (nuint)key);
}

static __device__ f64
nesl_of_key(nesl_u64 key, nesl_span, f64)
{
	const nesl_u64 bits = key >> 63 ? key ^ 1ull << 63 : ~key;
	f64 x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* -- sorts ------------------------------------------------------------------------------------------------ */
/* n keys and values, as nesl_sort_bits takes them. */
struct nesl_pairs {
	i64 n;
	int key_bytes, value_bytes;
	void *key[2], *value[2];
	nesl_block *block[4];
	int blocks;
};

static inline void *
nesl_sort_array(nesl_pairs &p, int bytes)
{
	if (bytes == 0)
		return NULL;
	p.block[p.blocks] = nesl_block_new(p.n, bytes, true);
	return p.block[p.blocks++]->at;
}

/* room: memory for as many arrays of keys as fit, which nobody else needs yet. */
static inline nesl_pairs
nesl_new_pairs(i64 n, int key_bytes, int value_bytes, void *room, int fit)
{
	nesl_pairs p = {n, key_bytes, value_bytes, {}, {}, {}, 0};

	for (int i = 0; i < 2; i++) {
		p.key[i] = i < fit ? (char *)room + i * n * key_bytes : nesl_sort_array(p, key_bytes);
		p.value[i] = nesl_sort_array(p, value_bytes);
	}
	return p;
}

static inline void
nesl_free_pairs(nesl_pairs &p)
{
	while (p.blocks > 0)
		nesl_block_free(p.block[--p.blocks]);
}

/* Keys are values, and values keys. */
static inline void
nesl_turn_pairs(nesl_pairs &p)
{
	const nesl_pairs was = p;

	p.key_bytes = was.value_bytes;
	p.value_bytes = was.key_bytes;
	for (int i = 0; i < 2; i++) {
		p.key[i] = was.value[i];
		p.value[i] = was.key[i];
	}
}

/* In the time of the running operation. */
static inline void
nesl_sort_by(nesl_pairs &p, int bits)
{
	nesl_block *work;
	size_t bytes = 0;
	int failed;

	if (bits == 0)
		return;
	failed = nesl_sort_bits(NULL, &bytes, p.key, p.key_bytes, p.value, p.value_bytes, p.n, bits);
	if (!failed) {
		work = nesl_work((i64)bytes);
		nesl_work_begins();
		failed = nesl_sort_bits(work->at, &bytes, p.key, p.key_bytes, p.value, p.value_bytes, p.n, bits);
		nesl_work_ends();
		nesl_block_free(work);
	}
	nesl_check_started((cudaError_t)failed, "sort");
}

/* -- rank ------------------------------------------------------------------------------------------------- */
/* K: of keys, P: of positions.  Row s is in a key above `shift` bits of the element's. */
template<class T, class K, class P> struct nesl_key_f {
	nesl_vec<T> x;
	nesl_span in;
	K *key;
	P *pos;
	bool down;
	__device__ void operator()(i64 e) const
	{
		key[e] = (K)nesl_key(x.at[e], in, down);
		pos[e] = (P)e;
	}
};
template<class T, class K, class P> struct nesl_key_in_row_f {
	nesl_vec<T> x;
	nesl_span in;
	K *key;
	P *pos;
	bool down;
	int shift;
	__device__ void operator()(i64 e, i64 s) const
	{
		key[e] = (K)((shift < 64 ? (nesl_u64)s << shift : 0) | nesl_key(x.at[e], in, down));
		pos[e] = (P)e;
	}
};
template<class P> struct nesl_place_f {
	const P *pos;
	nesl_vec<nint> rank;
	__device__ void operator()(i64 e) const { rank.at[pos[e]] = (nint)e; }
};
template<class P> struct nesl_place_in_row_f {
	const P *pos;
	const i64 *off;
	nesl_vec<nint> rank;
	__device__ void operator()(i64 e, i64 s) const { rank.at[pos[e]] = (nint)(e - off[s]); }
};
struct nesl_row_f {
	nesl_u64 *row;
	__device__ void operator()(i64 e, i64 s) const { row[e] = (nesl_u64)s; }
};
template<class P> struct nesl_row_key_f {
	nesl_u64 *key;
	const nesl_u64 *row;
	const P *pos;
	__device__ void operator()(i64 e) const { key[e] = row[pos[e]]; }
};

/* Position of each element in stable ascending (down: descending) order. */
template<class T>
static inline nesl_vec<nint>
nesl_rank(int op, nesl_vec<T> x, bool down)
{
	const nesl_vec<nint> rank = nesl_new<nint>(x.n);

	nesl_task(op, x.n * (i64)sizeof(T), x.n * (i64)sizeof(nint));
	if (x.n == 0)
		return rank;
	const nesl_span in = nesl_span_of(x);

	nesl_of_width<nesl_least_bits(T())>(in.bits, [&](auto k) { nesl_of_places(x.n, [&](auto at) {
		typedef decltype(k) K;
		typedef decltype(at) P;
		nesl_pairs p = nesl_new_pairs(x.n, sizeof(K), sizeof(P), rank.at, sizeof(nint) / sizeof(K));

		nesl_map(x.n, nesl_key_f<T, K, P>{x, in, (K *)p.key[0], (P *)p.value[0], down});
		nesl_sort_by(p, in.bits);
		nesl_map(x.n, nesl_place_f<P>{(const P *)p.value[0], rank});
		nesl_free_pairs(p);
	}); });
	return rank;
}

/* The same within each row.  Where keys and rows do not fit in one word it is by key, then by row. */
template<class T>
static inline nesl_vec<nint>
nesl_seg_rank(int op, nesl_segdes s, nesl_vec<T> x, bool down)
{
	const nesl_vec<nint> rank = nesl_new<nint>(x.n);

	nesl_task(op, x.n * (i64)sizeof(T) + s.rows * 8, x.n * (i64)sizeof(nint));
	nesl_fits(nesl_total(s) == x.n);
	if (x.n == 0)
		return rank;
	const nesl_span in = nesl_span_of(x);
	const int of_rows = nesl_bits_of((nesl_u64)s.rows - 1);
	const bool together = in.bits + of_rows <= 64;

	nesl_of_width<nesl_least_bits(T())>(in.bits + of_rows, [&](auto k) { nesl_of_places(x.n, [&](auto at) {
		typedef decltype(k) K;
		typedef decltype(at) P;
		nesl_pairs p = nesl_new_pairs(x.n, sizeof(K), sizeof(P), rank.at, sizeof(nint) / sizeof(K));

		if (together) {
			nesl_expand(s, nesl_key_in_row_f<T, K, P>{x, in, (K *)p.key[0], (P *)p.value[0], down, in.bits});
			nesl_sort_by(p, in.bits + of_rows);
		} else if constexpr (sizeof(K) == sizeof(nesl_u64)) {
			nesl_map(x.n, nesl_key_f<T, K, P>{x, in, (K *)p.key[0], (P *)p.value[0], down});
			nesl_sort_by(p, in.bits);
			nesl_expand(s, nesl_row_f{(K *)p.key[1]});
			nesl_map(x.n, nesl_row_key_f<P>{(K *)p.key[0], (const K *)p.key[1], (const P *)p.value[0]});
			nesl_sort_by(p, of_rows);
		}
		nesl_expand(s, nesl_place_in_row_f<P>{(const P *)p.value[0], s.off, rank});
		nesl_free_pairs(p);
	}); });
	return rank;
}

/* -- sort ------------------------------------------------------------------------------------------------- */
template<class T, class K> struct nesl_only_key_f {
	nesl_vec<T> x;
	nesl_span in;
	K *key;
	__device__ void operator()(i64 e) const { key[e] = (K)nesl_key(x.at[e], in, false); }
};
template<class T, class K> struct nesl_only_key_in_row_f {
	nesl_vec<T> x;
	nesl_span in;
	K *key;
	int shift;
	__device__ void operator()(i64 e, i64 s) const
	{
		key[e] = (K)((shift < 64 ? (nesl_u64)s << shift : 0) | nesl_key(x.at[e], in, false));
	}
};
/* mask: the bits of a key that are the element's. */
template<class T, class K> struct nesl_of_key_f {
	const K *key;
	nesl_u64 mask;
	nesl_span in;
	nesl_vec<T> x;
	__device__ void operator()(i64 e) const { x.at[e] = nesl_of_key(key[e] & mask, in, T()); }
};

/* In stable ascending order. */
template<class T>
static inline nesl_vec<T>
nesl_sort(int op, nesl_vec<T> x)
{
	const nesl_vec<T> r = nesl_new<T>(x.n);

	nesl_task(op, x.n * (i64)sizeof(T), x.n * (i64)sizeof(T));
	if (x.n == 0)
		return r;
	const nesl_span in = nesl_span_of(x);

	nesl_of_width<nesl_least_bits(T())>(in.bits, [&](auto k) {
		typedef decltype(k) K;
		nesl_pairs p = nesl_new_pairs(x.n, sizeof(K), 0, r.at, sizeof(K) == sizeof(T));

		nesl_map(x.n, nesl_only_key_f<T, K>{x, in, (K *)p.key[0]});
		nesl_sort_by(p, in.bits);
		nesl_map(x.n, nesl_of_key_f<T, K>{(const K *)p.key[0], ~0ull, in, r});
		nesl_free_pairs(p);
	});
	return r;
}

/* The same within each row.  Where keys and rows do not fit in one word it is by key, then by row: what was the value is the key. */
template<class T>
static inline nesl_vec<T>
nesl_seg_sort(int op, nesl_segdes s, nesl_vec<T> x)
{
	const nesl_vec<T> r = nesl_new<T>(x.n);

	nesl_task(op, x.n * (i64)sizeof(T) + s.rows * 8, x.n * (i64)sizeof(T));
	nesl_fits(nesl_total(s) == x.n);
	if (x.n == 0)
		return r;
	const nesl_span in = nesl_span_of(x);
	const int of_rows = nesl_bits_of((nesl_u64)s.rows - 1);
	const bool together = in.bits + of_rows <= 64;

	nesl_of_width<nesl_least_bits(T())>(in.bits + of_rows, [&](auto k) {
		typedef decltype(k) K;
		nesl_pairs p = nesl_new_pairs(x.n, sizeof(K), together ? 0 : sizeof(nesl_u64), r.at, sizeof(K) == sizeof(T));

		if (together) {
			nesl_expand(s, nesl_only_key_in_row_f<T, K>{x, in, (K *)p.key[0], in.bits});
			nesl_sort_by(p, in.bits + of_rows);
		} else if constexpr (sizeof(K) == sizeof(nesl_u64)) {
			nesl_map(x.n, nesl_only_key_f<T, K>{x, in, (K *)p.key[0]});
			nesl_expand(s, nesl_row_f{(K *)p.value[0]});
			nesl_sort_by(p, in.bits);
			nesl_turn_pairs(p);
			nesl_sort_by(p, of_rows);
			nesl_turn_pairs(p);
		}
		nesl_map(x.n, nesl_of_key_f<T, K>{(const K *)p.key[0], in.bits < 64 ? (1ull << in.bits) - 1 : ~0ull, in, r});
		nesl_free_pairs(p);
	});
	return r;
}

/* -- group ------------------------------------------------------------------------------------------------ */
/* The row an element goes to; `rows`: to none. */
template<class K, class P> struct nesl_class_f {
	nesl_vec<nint> row;
	i64 rows;
	K *key;
	P *pos;
	__device__ void operator()(i64 e) const
	{
		key[e] = (K)((nesl_u64)row.at[e] < (nesl_u64)rows ? row.at[e] : rows);
		pos[e] = (P)e;
	}
};
template<class T, class P> struct nesl_take_f {
	const P *pos;
	nesl_vec<T> x, r;
	__device__ void operator()(i64 e) const { r.at[e] = x.at[pos[e]]; }
};

/* x by rows of s, which has as many as come to each. */
template<class T>
static inline nesl_vec<T>
nesl_group(int op, nesl_segdes s, nesl_vec<nint> row, nesl_vec<T> x)
{
	const nesl_vec<T> r = nesl_new<T>(nesl_total(s));
	const int bits = nesl_bits_of((nesl_u64)s.rows);

	nesl_task(op, x.n * (i64)(sizeof(nint) + sizeof(T)) + s.rows * 8, r.n * (i64)sizeof(T));
	nesl_fits(row.n == x.n && r.n <= x.n);
	if (r.n == 0)
		return r;
	nesl_of_width(bits, [&](auto k) { nesl_of_places(x.n, [&](auto at) {
		typedef decltype(k) K;
		typedef decltype(at) P;
		nesl_pairs p = nesl_new_pairs(x.n, sizeof(K), sizeof(P), NULL, 0);

		nesl_map(x.n, nesl_class_f<K, P>{row, s.rows, (K *)p.key[0], (P *)p.value[0]});
		nesl_sort_by(p, bits);
		nesl_map(r.n, nesl_take_f<T, P>{(const P *)p.value[0], x, r});
		nesl_free_pairs(p);
	}); });
	return r;
}

struct nesl_add_floats {
	typedef f64 T;
	static const bool exact = false, commutes = true;
	static __host__ __device__ f64 id() { return 0.0; }
	static __device__ f64 op(f64 a, f64 b) { return a + b; }
};
struct nesl_sum_rows_f {
	nesl_vec<f64> x, r;
	static const bool rowless = true, streams = true, light = true;
	__device__ f64 load_(i64 e, i64) const { return x[e]; }
	__device__ void row_(i64 s, f64 all) const { r.at[s] = all; }
};

/* The sums of these rows. */
static inline nesl_vec<f64>
nesl_group_sum(int op, nesl_segdes s, nesl_vec<nint> row, nesl_vec<f64> x)
{
	const nesl_vec<f64> by_row = nesl_group(op, s, row, x), r = nesl_new<f64>(s.rows);

	nesl_in_library(by_row.n * (i64)sizeof(f64) + s.rows * 8, s.rows * (i64)sizeof(f64));
	nesl_rows(s, nesl_lanes(s, NESL_FLAT | NESL_THREAD | NESL_LANES), nesl_reduced<nesl_add_floats>(nesl_sum_rows_f{by_row, r}));
	nesl_free(by_row);
	return r;
}

#endif

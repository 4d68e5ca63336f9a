#ifndef NESL_SORT_H
#define NESL_SORT_H
/* rank and sort for generated CUDA: included, and nesl_sort.cu linked, only where a program does so. */
#include "nesl_device.h"

/* nesl_sort.cu: sort pairs by key, of that many bytes, stably; pooled: its memory comes from the device's pool.  Nonzero: out of memory or another
 * failure of the library. */
extern "C" int nesl_sort_pairs(void *key, int bytes, i64 *value, i64 n, bool pooled);
extern "C" int nesl_sort_keys(nesl_u64 *key, i64 n, bool pooled);

/* Unsigned keys in the order of rank: -0.0 below 0.0, NaN last; `down` turns all of it around. */
static __device__ nesl_u64
nesl_key(nint x, bool down)
{
	const nesl_u64 key = (nesl_u64)(i64)x ^ 1ull << 63;

	return down ? ~key : key;
}

static __device__ nesl_u64
nesl_key(f64 x, bool down)
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
nesl_of_key(nesl_u64 key, nint)
{
	return (nint)(i64)(key ^ 1ull << 63);
}

static __device__ f64
nesl_of_key(nesl_u64 key, f64)
{
	const nesl_u64 bits = key >> 63 ? key ^ 1ull << 63 : ~key;
	f64 x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

template<class T> struct nesl_key_f {
	nesl_vec<T> x;
	nesl_u64 *key;
	i64 *pos;
	bool down;
	__device__ void operator()(i64 e) const
	{
		key[e] = nesl_key(x.at[e], down);
		pos[e] = e;
	}
};
struct nesl_row_f {
	i64 *row;
	__device__ void operator()(i64 e, i64 s) const { row[e] = s; }
};
struct nesl_row_key_f {
	nesl_u64 *key;
	const i64 *row, *pos;
	__device__ void operator()(i64 e) const { key[e] = (nesl_u64)row[pos[e]]; }
};
struct nesl_place_f {
	const i64 *pos;
	nesl_vec<nint> rank;
	__device__ void operator()(i64 e) const { rank.at[pos[e]] = (nint)e; }
};
struct nesl_seg_place_f {
	const i64 *pos, *off;
	nesl_vec<nint> rank;
	__device__ void operator()(i64 e, i64 s) const { rank.at[pos[e]] = (nint)(e - off[s]); }
};

template<class T> struct nesl_only_key_f {
	nesl_vec<T> x;
	nesl_u64 *key;
	__device__ void operator()(i64 e) const { key[e] = nesl_key(x.at[e], false); }
};
template<class T> struct nesl_of_key_f {
	const nesl_u64 *key;
	nesl_vec<T> x;
	__device__ void operator()(i64 e) const { x.at[e] = nesl_of_key(key[e], T()); }
};

/* Of the n elements that `pos` goes with; NULL: of 64-bit keys alone.  In the time of the running operation. */
static inline void
nesl_sort_by(void *key, int bytes, i64 *pos, i64 n)
{
	int failed;

	nesl_work_begins();
	failed = pos ? nesl_sort_pairs(key, bytes, pos, n, nesl_run.pooled) : nesl_sort_keys((nesl_u64 *)key, n, nesl_run.pooled);
	nesl_work_ends();
	if (failed)
		nesl_fail("sorting %lld elements on the device failed", (long long)n);
}

/* The row an element goes to, a key of no more bytes than the number of rows needs; `rows`: to none. */
template<class K> struct nesl_class_f {
	nesl_vec<nint> row;
	i64 rows;
	K *key;
	i64 *pos;
	__device__ void operator()(i64 e) const
	{
		key[e] = (K)((nesl_u64)row.at[e] < (nesl_u64)rows ? row.at[e] : rows);
		pos[e] = e;
	}
};
template<class T> struct nesl_take_f {
	const i64 *pos;
	nesl_vec<T> x, r;
	__device__ void operator()(i64 e) const { r.at[e] = x.at[pos[e]]; }
};

template<class K>
static inline void
nesl_by_class(nesl_vec<nint> row, i64 rows, i64 *pos)
{
	nesl_block *const key = nesl_block_new(row.n, sizeof(K), true);

	nesl_map(row.n, nesl_class_f<K>{row, rows, (K *)key->at, pos});
	nesl_sort_by(key->at, sizeof(K), pos, row.n);
	nesl_block_free(key);
}

/* x by rows of s, which has as many as come to each. */
template<class T>
static inline nesl_vec<T>
nesl_group(int op, nesl_segdes s, nesl_vec<nint> row, nesl_vec<T> x)
{
	const nesl_vec<T> r = nesl_new<T>(nesl_total(s));
	nesl_block *pos;

	nesl_task(op, x.n * (i64)(sizeof(nint) + sizeof(T)) + s.rows * 8, r.n * (i64)sizeof(T));
	nesl_fits(row.n == x.n && r.n <= x.n);
	if (r.n == 0)
		return r;
	pos = nesl_block_new(x.n, sizeof(i64), true);
	if (s.rows < 1 << 8)
		nesl_by_class<unsigned char>(row, s.rows, (i64 *)pos->at);
	else if (s.rows < 1 << 16)
		nesl_by_class<unsigned short>(row, s.rows, (i64 *)pos->at);
	else
		nesl_by_class<nesl_u64>(row, s.rows, (i64 *)pos->at);
	nesl_map(r.n, nesl_take_f<T>{(i64 *)pos->at, x, r});
	nesl_block_free(pos);
	return r;
}

/* Position of each element in stable ascending (down: descending) order. */
template<class T>
static inline nesl_vec<nint>
nesl_rank(int op, nesl_vec<T> x, bool down)
{
	const nesl_vec<nint> rank = nesl_new<nint>(x.n);
	nesl_block *key, *pos;

	nesl_task(op, x.n * (i64)sizeof(T), x.n * (i64)sizeof(nint));
	if (x.n == 0)
		return rank;
	key = nesl_block_new(x.n, sizeof(nesl_u64), true);
	pos = nesl_block_new(x.n, sizeof(i64), true);
	nesl_map(x.n, nesl_key_f<T>{x, (nesl_u64 *)key->at, (i64 *)pos->at, down});
	nesl_sort_by(key->at, sizeof(nesl_u64), (i64 *)pos->at, x.n);
	nesl_map(x.n, nesl_place_f{(i64 *)pos->at, rank});
	nesl_block_free(key);
	nesl_block_free(pos);
	return rank;
}

/* The same within each row: by key, then by row; both sorts are stable. */
template<class T>
static inline nesl_vec<nint>
nesl_seg_rank(int op, nesl_segdes s, nesl_vec<T> x, bool down)
{
	const nesl_vec<nint> rank = nesl_new<nint>(x.n);
	nesl_block *key, *pos, *row;

	nesl_task(op, x.n * (i64)sizeof(T) + s.rows * 8, x.n * (i64)sizeof(nint));
	nesl_fits(nesl_total(s) == x.n);
	if (x.n == 0)
		return rank;
	key = nesl_block_new(x.n, sizeof(nesl_u64), true);
	pos = nesl_block_new(x.n, sizeof(i64), true);
	row = nesl_block_new(x.n, sizeof(i64), true);
	nesl_map(x.n, nesl_key_f<T>{x, (nesl_u64 *)key->at, (i64 *)pos->at, down});
	nesl_sort_by(key->at, sizeof(nesl_u64), (i64 *)pos->at, x.n);
	nesl_expand(s, nesl_row_f{(i64 *)row->at});
	nesl_map(x.n, nesl_row_key_f{(nesl_u64 *)key->at, (i64 *)row->at, (i64 *)pos->at});
	nesl_sort_by(key->at, sizeof(nesl_u64), (i64 *)pos->at, x.n);
	nesl_expand(s, nesl_seg_place_f{(i64 *)pos->at, s.off, rank});
	nesl_block_free(key);
	nesl_block_free(pos);
	nesl_block_free(row);
	return rank;
}

/* In stable ascending order.  Keys that are as long as the elements lie where these are to be. */
template<class T>
static inline nesl_vec<T>
nesl_sort(int op, nesl_vec<T> x)
{
	const nesl_vec<T> r = nesl_new<T>(x.n);
	nesl_block *const apart = x.n > 0 && sizeof(T) != sizeof(nesl_u64) ? nesl_block_new(x.n, sizeof(nesl_u64), true) : NULL;
	nesl_u64 *const key = (nesl_u64 *)(apart ? apart->at : (void *)r.at);

	nesl_task(op, x.n * (i64)sizeof(T), x.n * (i64)sizeof(T));
	if (x.n == 0)
		return r;
	nesl_map(x.n, nesl_only_key_f<T>{x, key});
	nesl_sort_by(key, sizeof *key, NULL, x.n);
	nesl_map(x.n, nesl_of_key_f<T>{key, r});
	nesl_drop(apart);
	return r;
}

/* The same within each row: keys with their rows, by key, then by row; both sorts are stable. */
template<class T>
static inline nesl_vec<T>
nesl_seg_sort(int op, nesl_segdes s, nesl_vec<T> x)
{
	const nesl_vec<T> r = nesl_new<T>(x.n);
	nesl_block *key, *row;

	nesl_task(op, x.n * (i64)sizeof(T) + s.rows * 8, x.n * (i64)sizeof(T));
	nesl_fits(nesl_total(s) == x.n);
	if (x.n == 0)
		return r;
	key = nesl_block_new(x.n, sizeof(nesl_u64), true);
	row = nesl_block_new(x.n, sizeof(i64), true);
	nesl_map(x.n, nesl_only_key_f<T>{x, (nesl_u64 *)key->at});
	nesl_expand(s, nesl_row_f{(i64 *)row->at});
	nesl_sort_by(key->at, sizeof(nesl_u64), (i64 *)row->at, x.n);
	nesl_sort_by(row->at, sizeof(nesl_u64), (i64 *)key->at, x.n);
	nesl_map(x.n, nesl_of_key_f<T>{(nesl_u64 *)key->at, r});
	nesl_block_free(key);
	nesl_block_free(row);
	return r;
}

#endif

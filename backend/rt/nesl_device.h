#ifndef NESL_DEVICE_H
#define NESL_DEVICE_H
/* The skeletons: what generated CUDA calls with small functors.
 *
 *     nesl_map, nesl_expand           at each element of a flat space, of all rows
 *     nesl_reduce, nesl_seg_reduce    fold: to the host; to the end of each row, and from there to the host
 *     nesl_scan, nesl_seg_scan        exclusive scan, with compaction into K outputs where they are wanted
 *     nesl_pack, nesl_seg_pack        compaction alone
 *     nesl_rows                       what folds, scans and maps rows, by one of its mappings (nesl_rows.h)
 *     and the library operations of lcu.def (append, rank, put ...)
 *
 * A fold is of one value or of several side by side: then its T is a struct.  What the host wants of all passes of a
 * task it reads at one wait, nesl_await.
 *
 * How  A space with rows is walked along its merge path: n row ends and tot elements are n + tot items,
 *      cut into tiles of equal size (Green, McColl & Bader, ICS 2012; Merrill & Garland, SC16).
 *      Scans and packs take one pass by decoupled look-back (Merrill & Garland, NVR-2016-002); tiles
 *      are numbered by tickets, so a tile waits only for tiles that already run.  Float operators look
 *      back to fixed anchor tiles only, so that the grouping, hence every bit, is the same on each run.
 *      In flat spaces lanes of a warp touch neighbours, so that a request is full sectors; where they touch nothing else,
 *      16 bytes each (nesl_near).
 *      A functor is called once for each element and phase.  Blocks leave as wholes. */
#include "nesl_cuda.h"

enum { NESL_TILE = NESL_BD * NESL_VT, NESL_WARPS = NESL_BD / 32 };
#define NESL_FULL 0xffffffffu

/* -- polls: the only way to read what another block publishes; accesses that the emulator must know -- */
#ifndef NESL_EMU
static __device__ __forceinline__ unsigned
nesl_ld_acquire(const unsigned *p)
{
	unsigned v;

	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
	return v;
}

static __device__ __forceinline__ void
nesl_st_release(unsigned *p, unsigned v)
{
	asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}

static __device__ __forceinline__ nesl_u64
nesl_ld_relaxed(const nesl_u64 *p)
{
	nesl_u64 v;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

static __device__ __forceinline__ void
nesl_st_relaxed(nesl_u64 *p, nesl_u64 v)
{
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" :: "l"(p), "l"(v) : "memory");
}

/* Others may write there at the same time; nobody reads before the kernel ends.  PTX orders volatile stores as relaxed ones. */
template<class T>
static __device__ __forceinline__ void
nesl_st_any(T *p, T v)
{
	*(volatile T *)p = v;
}

/* Memory as a word, which must be aligned: one access, however wide. */
template<class W>
static __device__ __forceinline__ W &
nesl_wide(void *p)
{
	return *(W *)p;
}
#endif

/* -- element access ------------------------------------------------------------------------------- */
static __device__ __forceinline__ bool
nesl_is_row(nesl_segdes s, i64 i)
{
	return i >= 0 && i < s.rows;
}

/* Row i of a descriptor: where it starts, how long it is. */
static __device__ __forceinline__ i64
nesl_row_start(nesl_segdes s, i64 i)
{
	return nesl_is_row(s, i) ? s.off[i] : 0;
}

static __device__ __forceinline__ i64
nesl_row_start(nesl_grid g, i64 i)
{
	return i * g.length;
}

static __device__ __forceinline__ i64
nesl_row_length(nesl_segdes s, i64 i)
{
	return nesl_is_row(s, i) ? s.off[i + 1] - s.off[i] : 0;
}

/* Of all rows together. */
static __device__ __forceinline__ i64
nesl_seg_total(nesl_segdes s)
{
	return s.rows > 0 ? s.off[s.rows] : 0;
}

/* r[i] = x; i out of range is ignored.  Of equal indices any may win: a check has said so. */
template<class T>
static __device__ __forceinline__ void
nesl_put(nesl_vec<T> r, i64 i, T x)
{
	if (i >= 0 && i < r.n)
		nesl_st_any(r.at + i, x);
}

/* What an atomic operation takes that adds ints, and one that finds the greater. */
#if NESL_INT == 32
typedef unsigned nesl_added;
typedef int nesl_compared;
#else
typedef unsigned long long nesl_added;
typedef long long nesl_compared;
#endif

/* r[i] += x, r[i] = max(r[i], x); i out of range is ignored.  Of ints, so that the order of the threads does not matter. */
static __device__ __forceinline__ void
nesl_put_sum(nesl_vec<nint> r, i64 i, nint x)
{
	if (i >= 0 && i < r.n)
		atomicAdd((nesl_added *)(r.at + i), (nesl_added)x);
}
static __device__ __forceinline__ void
nesl_put_max(nesl_vec<nint> r, i64 i, nint x)
{
	if (i >= 0 && i < r.n)
		atomicMax((nesl_compared *)(r.at + i), (nesl_compared)x);
}

/* -- neighbours ----------------------------------------------------------------------------------- */
/* Threads that have elements of their own take V neighbours each, as many as 16 bytes hold of the largest type among those
 * they touch: one access for all V of a vector, which brings them when the first is asked for and stores them when the last is
 * set.  Vectors begin where allocations may; where fewer than V are left they go one by one. */
template<int V> struct nesl_one_of {
	i64 first;
	int k;                  /* it is element first + k; known when this is compiled */
	__device__ operator i64() const { return first + k; }
};

/* What a method's elements are given as: i64 is a thread's only one. */
template<class Method> struct nesl_neighbours {
	enum { V = 1 };
};
template<class F, class R, int N> struct nesl_neighbours<R (F::*)(nesl_one_of<N>) const> {
	enum { V = N };
};

template<int BYTES> struct nesl_word;
template<> struct nesl_word<2> { typedef uint16_t T; };
template<> struct nesl_word<4> { typedef uint32_t T; };
template<> struct nesl_word<8> { typedef uint64_t T; };
template<> struct nesl_word<16> { __extension__ typedef unsigned __int128 T; };

template<class T> struct nesl_near : nesl_vec<T> {
	mutable T part[16 / sizeof(T)];         /* this thread's, in registers */
	nesl_near(nesl_vec<T> v) : nesl_vec<T>(v), part() {}
	using nesl_vec<T>::operator[];
	template<int V> __device__ __forceinline__ T operator[](nesl_one_of<V> i) const
	{
		typedef typename nesl_word<V * sizeof(T)>::T Word;

		if (i.k == 0 && i.first + V <= this->n) {
			const Word w = nesl_wide<Word>(this->at + i.first);

			memcpy(part, &w, sizeof w);
		} else if (i.k == 0) {
#pragma unroll
			for (int k = 0; k < V; k++)
				part[k] = (*this)[i.first + k];
		}
		return part[i.k];
	}
	template<int V> __device__ __forceinline__ void set(nesl_one_of<V> i, T x) const
	{
		typedef typename nesl_word<V * sizeof(T)>::T Word;
		Word w;

		part[i.k] = x;
		if (i.first + V > this->n) {
			this->at[i.first + i.k] = x;
		} else if (i.k == V - 1) {
			memcpy(&w, part, sizeof w);
			nesl_wide<Word>(this->at + i.first) = w;
		}
	}
};

/* A block has ROUNDS * V elements for each of its threads. */
template<int V> struct nesl_part_of {
	enum { ROUNDS = V < NESL_VT ? NESL_VT / V : 1, TILE = NESL_BD * ROUNDS * V };
};

/* Record a fault of check j at element e, to be told of a site: the lowest key wins, whatever the schedule.  One
 * compare for all but those that improve on it; they take the lock to write the values of their key. */
static __device__ __noinline__ void
nesl_fault_of(nesl_faults f, int j, int site, i64 e, i64 a, i64 b, i64 c)
{
	nesl_record *const r = f.record;
	const nesl_u64 key = (nesl_u64)(f.first + j) << 44 | (nesl_u64)e;

	if (key >= atomicMin(&r->key, key))
		return;
	for (bool done = false; !done;) {
		if (atomicCAS(&r->lock, 0u, 1u))
			continue;
		__threadfence();
		if (key < r->rec) {
			r->rec = key;
			r->site = site;
			r->v[0] = a;
			r->v[1] = b;
			r->v[2] = c;
		}
		nesl_st_release(&r->lock, 0u);
		done = true;
	}
}

static __device__ __forceinline__ void
nesl_fault(nesl_faults f, int j, i64 e, i64 a = 0, i64 b = 0, i64 c = 0)
{
	nesl_fault_of(f, j, f.site + j, e, a, b, c);
}

/* Scalar functions called for an element: how deep their calls nest, and may; the fault that one of them has met,
 * after which all return at once. */
struct nesl_scalar_calls {
	int fault;              /* of nesl_sites; -1: none */
	i64 depth, most, stack, v[3];
};

/* The first fault stays. */
static __device__ __forceinline__ void
nesl_stop(nesl_scalar_calls &calls, int site, i64 a = 0, i64 b = 0, i64 c = 0)
{
	if (calls.fault >= 0)
		return;
	calls.fault = site;
	calls.v[0] = a;
	calls.v[1] = b;
	calls.v[2] = c;
}

/* One call more; whether that is one too many, which is a fault.  `calls` is in the frame of the kernel. */
static __device__ __forceinline__ bool
nesl_too_deep(nesl_scalar_calls &calls, int site)
{
	char here;

	if (calls.depth < calls.most && (char *)&calls - &here < calls.stack) {
		calls.depth++;
		return false;
	}
	nesl_stop(calls, site, calls.depth);
	return true;
}

/* Before the element's call; j: which check of the task it is, if that call is counted; else -1. */
static __device__ __forceinline__ nesl_scalar_calls
nesl_first_call(nesl_faults f, int j)
{
	nesl_scalar_calls calls = {-1, f.depth, f.most, f.stack, {}};

	if (j >= 0)
		nesl_too_deep(calls, f.site + j);
	return calls;
}

/* After the element's call, which is check j of the task. */
static __device__ __forceinline__ void
nesl_called(nesl_faults f, int j, i64 e, const nesl_scalar_calls &calls)
{
	if (calls.fault >= 0)
		nesl_fault_of(f, j, calls.fault, e, calls.v[0], calls.v[1], calls.v[2]);
}

/* -- warps and blocks ------------------------------------------------------------------------------ */
/* A shuffle of any type, word by word.  shfl: from lane `lane`; up, down: d lanes away. */
#define NESL_SHUFFLE(name, shuffle) \
	template<class T> static __device__ __forceinline__ T name(T x, int d) \
	{ \
		unsigned w[(sizeof(T) + 3) / 4] = {}; \
		memcpy(w, &x, sizeof x); \
		for (unsigned k = 0; k < (sizeof(T) + 3) / 4; k++) \
			w[k] = shuffle(NESL_FULL, w[k], d); \
		memcpy(&x, w, sizeof x); \
		return x; \
	}
NESL_SHUFFLE(nesl_shfl, __shfl_sync)
NESL_SHUFFLE(nesl_up, __shfl_up_sync)
NESL_SHUFFLE(nesl_down, __shfl_down_sync)
#undef NESL_SHUFFLE

/* Exclusive scan over the lanes of a warp; *total: of all of them, in lane 31. */
template<class Op, class T>
static __device__ T
nesl_warp_scan(T x, T *total)
{
	const int lane = threadIdx.x & 31;
	T before;

	for (int d = 1; d < 32; d <<= 1) {
		T left = nesl_up(x, d);

		if (lane >= d)
			x = Op::op(left, x);
	}
	*total = x;
	before = nesl_up(x, 1);
	return lane ? before : Op::id();
}

/* Exclusive scan over the threads of the block; *total to all.  Ends with a barrier. */
template<class Op, class T>
static __device__ T
nesl_block_scan(T x, T *total)
{
	SHARED(T[NESL_WARPS + 1], part);
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	T sum, before_warp, before = nesl_warp_scan<Op>(x, &sum);

	static_assert(NESL_WARPS < 32, "one lane is behind the warps");
	if (lane == 31)
		part[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		before_warp = nesl_warp_scan<Op>(lane < NESL_WARPS ? part[lane] : Op::id(), &sum);
		if (lane <= NESL_WARPS)         /* a part that this lane alone has read; behind them all of them */
			part[lane] = before_warp;
	}
	__syncthreads();
	before = Op::op(part[warp], before);
	*total = part[NESL_WARPS];
	__syncthreads();
	return before;
}

/* An identity of the operator tables, where it is written for int, as a char. */
static __host__ __device__ __forceinline__ c32
nesl_char_limit(i64 x)
{
	return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (c32)x;
}

/* A fold that begins anew after each row end (Blelloch 1990): f says that an end was passed. */
template<class V> struct nesl_open {
	i64 f;
	V v;
};
template<class Op> struct nesl_lift {
	typedef nesl_open<typename Op::T> T;
	static const bool exact = Op::exact;
	static __device__ T id() { return T{0, Op::id()}; }
	static __device__ T op(T a, T b) { return T{a.f | b.f, b.f ? b.v : Op::op(a.v, b.v)}; }
};

/* The last block to come here sees what all others wrote before. */
static __device__ bool
nesl_last_block(unsigned *done)
{
	SHARED(unsigned, last);

	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		last = atomicAdd(done, 1u) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	return last != 0;
}

static __device__ i64
nesl_ticket(unsigned *ticket)
{
	SHARED(unsigned, tile);

	if (threadIdx.x == 0)
		tile = atomicAdd(ticket, 1u);
	__syncthreads();
	return tile;
}

/* -- decoupled look-back ----------------------------------------------------------------------------- */
enum { NESL_PART = 1, NESL_PREFIX = 2 };        /* states of a tile; 0: nothing yet */

template<class T> struct nesl_tile {
	unsigned state;
	T part, prefix;         /* two slots: a reader of the one never meets a writer of the other */
};

/* The fold of all tiles before t; by one whole warp.  Exact operators publish part, then prefix, and a
 * reader stops at the first prefix it meets, which is tile 0's at the latest.  For the others where it stops must not depend
 * on time: tiles 31, 63 ... publish their prefix only, the rest their part only. */
template<class Op, class T>
static __device__ T
nesl_look_back(nesl_tile<T> *tile, i64 t, T part)
{
	const int lane = threadIdx.x & 31;
	const bool anchor = t % 32 == 31;
	T before = Op::id();

	if (lane == 0 && t > 0 && (Op::exact || !anchor)) {
		tile[t].part = part;
		nesl_st_release(&tile[t].state, NESL_PART);
	}
	for (i64 from = t - 1; from >= 0; from -= 32) {
		const i64 p = from - lane;
		unsigned state, known, prefixes;
		int stop;
		T x;

		do {
			state = p < 0 ? NESL_PREFIX : nesl_ld_acquire(&tile[p].state);
			known = __ballot_sync(NESL_FULL, state != 0);
			prefixes = __ballot_sync(NESL_FULL, state == NESL_PREFIX);
			stop = prefixes ? __ffs(prefixes) - 1 : 31;
		} while (~known & ((2u << stop) - 1));
		x = lane > stop ? Op::id() : state == NESL_PREFIX ? tile[p].prefix : tile[p].part;
		for (int d = 1; d < 32; d <<= 1) {
			T left = nesl_down(x, d);

			if (lane + d < 32)
				x = Op::op(left, x);
		}
		before = Op::op(nesl_shfl(x, 0), before);
		if (prefixes)
			break;
	}
	if (lane == 0 && (t == 0 || Op::exact || anchor)) {
		tile[t].prefix = Op::op(before, part);
		nesl_st_release(&tile[t].state, NESL_PREFIX);
	}
	return before;
}

/* The same for counts: state and value in one word, so nothing can tear and relaxed access is enough. */
static __device__ i64
nesl_look_back_count(nesl_u64 *tile, i64 t, i64 part)
{
	const int lane = threadIdx.x & 31;
	const nesl_u64 is_part = 1ull << 62, is_prefix = 2ull << 62, value = is_part - 1;
	i64 before = 0;

	if (lane == 0)
		nesl_st_relaxed(&tile[t], (t ? is_part : is_prefix) | (nesl_u64)part);
	for (i64 from = t - 1; from >= 0; from -= 32) {
		const i64 p = from - lane;
		unsigned known, prefixes;
		nesl_u64 word;
		int stop;
		i64 x;

		do {
			word = p < 0 ? is_prefix : nesl_ld_relaxed(&tile[p]);
			known = __ballot_sync(NESL_FULL, word >> 62 != 0);
			prefixes = __ballot_sync(NESL_FULL, word >> 62 == 2);
			stop = prefixes ? __ffs(prefixes) - 1 : 31;
		} while (~known & ((2u << stop) - 1));
		x = lane <= stop ? (i64)(word & value) : 0;
		for (int d = 16; d; d >>= 1)
			x += nesl_shfl(x, lane ^ d);
		before += x;
		if (prefixes)
			break;
	}
	if (lane == 0 && t > 0)
		nesl_st_relaxed(&tile[t], is_prefix | (nesl_u64)(before + part));
	return before;
}

/* -- the merge path ---------------------------------------------------------------------------------- */
/* How many of n row ends lie before diagonal d; an end comes before element e iff end <= e. */
template<class I>
static __device__ i64
nesl_path_search(const I *ends, i64 n, i64 tot, i64 d)
{
	i64 lo = d > tot ? d - tot : 0, hi = d < n ? d : n;

	while (lo < hi) {
		const i64 m = (lo + hi) / 2;

		if (ends[m] <= d - 1 - m)
			lo = m + 1;
		else
			hi = m;
	}
	return lo;
}

/* What kernels know of row ends: offsets, or a grid. */
static inline const i64 *nesl_rows_at(nesl_segdes s) { return s.off; }
static inline nesl_grid nesl_rows_at(nesl_grid g) { return g; }

static __device__ __forceinline__ i64 nesl_row_end(const i64 *off, i64 s) { return off[s + 1]; }
static __device__ __forceinline__ i64 nesl_row_end(nesl_grid g, i64 s) { return (s + 1) * g.length; }

static __device__ __forceinline__ i64
nesl_ends_before(const i64 *off, i64 n, i64 tot, i64 d)
{
	return nesl_path_search(off + 1, n, tot, d);
}

static __device__ __forceinline__ i64
nesl_ends_before(nesl_grid g, i64, i64, i64 d)
{
	return nesl_grid_ends(g, d);
}

/* A tile of the path, and this thread's part of it; s, e and ends count from s0, e0. */
struct nesl_path {
	i64 s0, e0;             /* the first open row and element of the tile */
	int ns, ne;             /* row ends and elements in the tile */
	int s, e, items;        /* where the thread begins; how many items it has */
	const int *ends;
};

/* Is the item at (s, e) the end of row s? */
static __device__ __forceinline__ bool
nesl_is_end(const nesl_path &p, int s, int e)
{
	return s < p.ns && p.ends[s] <= e;
}

/* How many of the tile's row ends lie before item d of it. */
static __device__ __forceinline__ int
nesl_ends_within(const i64 *, const nesl_path &p, i64, int d)
{
	return (int)nesl_path_search(p.ends, p.ns, p.ne, d);
}

static __device__ __forceinline__ int
nesl_ends_within(nesl_grid g, const nesl_path &p, i64 d0, int d)
{
	return (int)(nesl_grid_ends(g, d0 + d) - p.s0);
}

/* Tile t of n rows and tot elements.  To be followed by a barrier before the next call. */
template<class S>
static __device__ nesl_path
nesl_path_tile(S rows, i64 n, i64 tot, i64 t)
{
	SHARED(int[NESL_TILE], ends);
	SHARED(i64[2], cut);
	const i64 d0 = t * NESL_TILE, d1 = d0 + NESL_TILE < n + tot ? d0 + NESL_TILE : n + tot;
	const int len = (int)(d1 - d0), first = (int)threadIdx.x * NESL_VT;
	const int d = first < len ? first : len;
	nesl_path p = {0, d0, 0, len, 0, d, len - d < NESL_VT ? len - d : NESL_VT, ends};

	if (threadIdx.x < 2)
		cut[threadIdx.x] = nesl_ends_before(rows, n, tot, threadIdx.x ? d1 : d0);
	__syncthreads();
	p.s0 = cut[0];
	p.e0 = d0 - p.s0;
	p.ns = (int)(cut[1] - p.s0);
	p.ne = len - p.ns;
	for (int k = (int)threadIdx.x; k < p.ns; k += NESL_BD)
		ends[k] = (int)(nesl_row_end(rows, p.s0 + k) - p.e0);
	__syncthreads();
	p.s = nesl_ends_within(rows, p, d0, d);
	p.e = d - p.s;
	return p;
}

static inline i64
nesl_tiles(i64 n, i64 tile = NESL_TILE)
{
	return (n + tile - 1) / tile;
}

/* -- functors ------------------------------------------------------------------------------------------ */
/* A functor has methods for what there is to do:
 *
 *     f(e, s)                  at element e of row s, where nothing is folded
 *     f.load_(e, s)            what element e gives to the fold
 *     f.mask_(e, s, before)    bit j: e goes to output j
 *     f.store_(e, s, before, here, mask, at)    the fold of the elements before e in its row, what load_ gave,
 *                              what mask_ gave, and at which place of output j it would be element at[j]
 *     f.row_(s, all, at)       at the end of row s: the fold of all of it, the next place of each output
 *
 * s is left out in a flat space, before, here and all where nothing is folded, mask and at where nothing is kept. */
template<class F, class = void> struct nesl_has_row {
	static const bool value = false;
};
template<class F> struct nesl_has_row<F, decltype((void)&F::row_)> {
	static const bool value = true;
};

/* The operator of a walk that folds nothing. */
struct nesl_nothing {
	struct T {};
	static const bool exact = true;
	static __host__ __device__ T id() { return T{}; }
	static __device__ T op(T, T) { return T{}; }
};
template<class Op> struct nesl_folds {
	static const bool value = true;
};
template<> struct nesl_folds<nesl_nothing> {
	static const bool value = false;
};

/* What a walk finds for the host: the fold of a flat space, or of all rows; how many elements each output got. */
template<class Op, int K> struct nesl_found {
	typename Op::T fold;
	i64 kept[K ? K : 1];
};

/* where: e, and s in a space with rows */
template<class Op, class F, class... Where>
static __device__ __forceinline__ unsigned
nesl_mask(const F &f, const typename Op::T &before, Where... where)
{
	if constexpr (nesl_folds<Op>::value)
		return f.mask_(where..., before);
	else
		return f.mask_(where...);
}

template<class Op, int K, class F, class... Where>
static __device__ __forceinline__ void
nesl_store(const F &f, const typename Op::T &before, const typename Op::T &here, unsigned mask, const i64 (&at)[K ? K : 1],
	Where... where)
{
	if constexpr (K == 0)
		f.store_(where..., before, here);
	else if constexpr (nesl_folds<Op>::value)
		f.store_(where..., before, here, mask, at);
	else
		f.store_(where..., mask, at);
}

template<class Op, int K, class F>
static __device__ __forceinline__ void
nesl_row(const F &f, i64 s, const typename Op::T &all, const i64 (&at)[K ? K : 1])
{
	if constexpr (K == 0)
		f.row_(s, all);
	else if constexpr (nesl_folds<Op>::value)
		f.row_(s, all, at);
	else
		f.row_(s, at);
}

/* A thread's part of a tile of the path: element(k, e, s) for the elements, k of its items; end(s) for row ends. */
template<class Element, class End>
static __device__ __forceinline__ void
nesl_walk(const nesl_path &p, Element element, End end)
{
	int s = p.s, e = p.e;

#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		if (nesl_is_end(p, s, e)) {     /* none is behind a thread's items that are fewer than others' */
			end(p.s0 + s);
			s++;
		} else if (k < p.items) {
			element(k, p.e0 + e, p.s0 + s);
			e++;
		}
	}
}

/* -- map, expand ------------------------------------------------------------------------------------- */
template<int V, class F>
__global__ void
nesl_map_kernel(F f, i64 n)
{
	const i64 tile = (i64)blockIdx.x * nesl_part_of<V>::TILE;

	for (int r = 0; r < nesl_part_of<V>::ROUNDS; r++) {
		const i64 first = tile + (r * NESL_BD + (int)threadIdx.x) * V;

#pragma unroll
		for (int k = 0; k < V; k++)
			if (first + k < n)
				f(nesl_one_of<V>{first, k});
	}
}

/* f(e) for the n elements e */
template<class F>
static inline void
nesl_map(i64 n, F f)
{
	enum { V = nesl_neighbours<decltype(&F::operator())>::V };

	NESL_LAUNCH((nesl_map_kernel<V, F>), nesl_tiles(n, nesl_part_of<V>::TILE), f, n);
}

struct nesl_filled_f {
	nesl_near<nint> v;
	nint x;
	__device__ void operator()(nesl_one_of<16 / sizeof(nint)> e) const { v.set(e, x); }
};

/* v, whose elements are all x now. */
static inline nesl_vec<nint>
nesl_filled(nesl_vec<nint> v, nint x)
{
	if (v.n)
		nesl_map(v.n, nesl_filled_f{v, x});
	return v;
}

template<class F, class S>
__global__ void
nesl_expand_kernel(F f, S rows, i64 n, i64 tot)
{
	SHARED(int[NESL_TILE], row);
	const nesl_path p = nesl_path_tile(rows, n, tot, blockIdx.x);

	nesl_walk(p, [&](int, i64 e, i64 s) { row[e - p.e0] = (int)(s - p.s0); }, [&](i64 s) {
		if constexpr (nesl_has_row<F>::value)
			f.row_(s);
	});
	__syncthreads();
	for (int k = (int)threadIdx.x; k < p.ne; k += NESL_BD)
		f(p.e0 + k, p.s0 + row[k]);
}

template<class F>
__global__ void
nesl_grid_kernel(F f, nesl_grid g, i64 tot)
{
	const i64 first = (i64)blockIdx.x * NESL_TILE + threadIdx.x;

	for (int k = 0; k < NESL_VT; k++)
		if (first + k * NESL_BD < tot)
			f(first + k * NESL_BD, nesl_grid_row(g, first + k * NESL_BD));
}

template<class D, class F>
static inline void
nesl_expand_path(D s, F f)
{
	const i64 tot = nesl_total(s);

	if (tot > 0 || nesl_has_row<F>::value)
		NESL_LAUNCH((nesl_expand_kernel<F, decltype(nesl_rows_at(s))>), nesl_tiles(s.rows + tot), f, nesl_rows_at(s),
			s.rows, tot);
}

/* f(e, s) for the elements e of each row s; f.row_(s) for each row, if there is one */
template<class F>
static inline void
nesl_expand(nesl_segdes s, F f)
{
	nesl_expand_path(s, f);
}

template<class F>
static inline void
nesl_expand(nesl_grid g, F f)
{
	if constexpr (nesl_has_row<F>::value)
		nesl_expand_path(g, f);
	else
		NESL_LAUNCH(nesl_grid_kernel<F>, nesl_tiles(nesl_total(g)), f, g, nesl_total(g));
}

/* -- reduce -------------------------------------------------------------------------------------------- */
/* This block's part is acc; the last block to finish folds the parts of all, in order. */
template<class Op>
static __device__ void
nesl_fold_blocks(typename Op::T acc, typename Op::T *part, unsigned *done, nesl_found<Op, 0> *found)
{
	typename Op::T total;

	if (threadIdx.x == 0)
		part[blockIdx.x] = acc;
	if (!nesl_last_block(done))
		return;
	acc = Op::id();
	for (i64 b = 0; b < gridDim.x; b += NESL_BD) {
		const i64 k = b + threadIdx.x;

		nesl_block_scan<Op>(k < gridDim.x ? part[k] : Op::id(), &total);
		acc = Op::op(acc, total);
	}
	if (threadIdx.x == 0)
		found->fold = acc;
}

/* Block g folds q tiles in order; the last block to finish folds the blocks' parts, in order too. */
template<int V, class Op, class F>
__global__ void
nesl_reduce_kernel(F f, i64 n, i64 q, typename Op::T *part, unsigned *done, nesl_found<Op, 0> *found)
{
	typedef typename Op::T T;
	enum { ROUNDS = nesl_part_of<V>::ROUNDS, TILE = nesl_part_of<V>::TILE };
	const i64 first = (i64)blockIdx.x * q * TILE, end = first + q * TILE < n ? first + q * TILE : n;
	T acc = Op::id(), total;

	for (i64 tile = first; tile < end; tile += TILE) {
		T run = Op::id();

		for (int r = 0; r < ROUNDS; r++) {
			/* threads touch what lies side by side, where the order is free */
			const i64 mine = tile + (Op::commutes ? r * NESL_BD + (int)threadIdx.x : (int)threadIdx.x * ROUNDS + r) * V;

#pragma unroll
			for (int k = 0; k < V; k++)
				if (mine + k < end)
					run = Op::op(run, f.load_(nesl_one_of<V>{mine, k}));
		}
		nesl_block_scan<Op>(run, &total);
		acc = Op::op(acc, total);
	}
	nesl_fold_blocks<Op>(acc, part, done, found);
}

/* How the path of `tiles` tiles is cut: a function of its length only, so the grouping is fixed. */
static inline i64
nesl_share(i64 tiles)
{
	return (tiles + NESL_SHARES - 1) / NESL_SHARES;
}

/* The fold of f.load_(e) over n elements */
template<class Op, class F>
static inline const nesl_found<Op, 0> *
nesl_reduce(i64 n, F f)
{
	enum { V = nesl_neighbours<decltype(&F::load_)>::V };
	const i64 tiles = nesl_tiles(n, nesl_part_of<V>::TILE), q = nesl_share(tiles), blocks = n > 0 ? nesl_tiles(tiles, q) : 0;
	const nesl_found<Op, 0> *seen;
	nesl_found<Op, 0> *found;
	nesl_block *work;

	if (blocks == 0)
		return nesl_know(nesl_found<Op, 0>{Op::id(), {}});
	work = nesl_scratch(16 + blocks * (i64)sizeof(typename Op::T));
	found = nesl_ask(&seen);
	NESL_LAUNCH((nesl_reduce_kernel<V, Op, F>), blocks, f, n, q, (typename Op::T *)((char *)work->at + 16),
		(unsigned *)work->at, found);
	nesl_block_free(work);
	return seen;
}

/* -- segmented reduce ------------------------------------------------------------------------------------ */
/* What a share of the path leaves open at both ends, for the last block to close. */
template<class T, class R> struct nesl_ends {
	nesl_open<T> tail;      /* the fold after the share's last row end */
	T head;                 /* the fold before its first */
	i64 row;                /* which row that ends; -1: no row ends in this share, or it is closed */
	R rows;                 /* the fold of the rows that are closed */
};

/* At the end of row s: its fold, and what the row gives to the fold of rows, if there is one. */
template<class R, class F, class T>
static __device__ __forceinline__ typename R::T
nesl_close(const F &f, i64 s, T all)
{
	if constexpr (nesl_folds<R>::value) {
		return f.row_(s, all);
	} else {
		f.row_(s, all);
		return R::id();
	}
}

/* The rows of a tile, or of shares, after those before. */
template<class R>
static __device__ __forceinline__ typename R::T
nesl_with_rows(typename R::T before, typename R::T rows)
{
	if constexpr (nesl_folds<R>::value) {
		typename R::T total;

		nesl_block_scan<R>(rows, &total);
		return R::op(before, total);
	}
	return before;
}

/* Share g walks q tiles and carries the open row's fold from tile to tile.  Each row is closed once:
 * by the thread that meets its end if the row begins in the share, else by the last block. */
template<class Op, class R, class F, class S>
__global__ void
nesl_seg_reduce_kernel(F f, S ends, i64 n, i64 tot, i64 q, nesl_ends<typename Op::T, typename R::T> *share,
	unsigned *done, nesl_found<R, 0> *found)
{
	typedef typename Op::T V;
	typedef nesl_open<V> T;
	typedef nesl_lift<Op> Lift;
	const i64 g = blockIdx.x, tiles = (n + tot + NESL_TILE - 1) / NESL_TILE;
	const i64 end = (g + 1) * q < tiles ? (g + 1) * q : tiles;
	typename R::T rows = R::id();
	T carry = Lift::id(), total, before;

	/* the barriers of a tile's path stand before any thread writes a row here */
	if (threadIdx.x == 0)
		share[g].row = -1;
	for (i64 t = g * q; t < end; t++) {
		const nesl_path p = nesl_path_tile(ends, n, tot, t);
		typename R::T first = R::id(), later = R::id();
		T run = Lift::id();
		V head = Op::id();

		nesl_walk(p, [&](int, i64 e, i64 s) { run.v = Op::op(run.v, f.load_(e, s)); }, [&](i64 s) {
			if (run.f)
				later = R::op(later, nesl_close<R>(f, s, run.v));
			else
				head = run.v;
			run = T{1, Op::id()};
		});
		before = Lift::op(carry, nesl_block_scan<Lift>(run, &total));
		if (run.f && (before.f || g == 0)) {
			first = nesl_close<R>(f, p.s0 + p.s, Op::op(before.v, head));
		} else if (run.f) {
			share[g].head = Op::op(before.v, head);
			share[g].row = p.s0 + p.s;
		}
		carry = Lift::op(carry, total);
		rows = nesl_with_rows<R>(rows, R::op(first, later));
	}
	if (threadIdx.x == 0) {
		share[g].tail = carry;
		share[g].rows = rows;
	}
	if (!nesl_last_block(done))
		return;
	carry = Lift::id();
	rows = R::id();
	for (i64 b = 0; b < gridDim.x; b += NESL_BD) {
		const i64 k = b + threadIdx.x;
		typename R::T first = R::id();

		before = Lift::op(carry,
			nesl_block_scan<Lift>(k < gridDim.x ? share[k].tail : Lift::id(), &total));
		if (k < gridDim.x && share[k].row >= 0)
			first = nesl_close<R>(f, share[k].row, Op::op(before.v, share[k].head));
		carry = Lift::op(carry, total);
		rows = nesl_with_rows<R>(rows, k < gridDim.x ? R::op(first, share[k].rows) : R::id());
	}
	if (threadIdx.x == 0)
		found->fold = rows;
}

/* f.row_(s, fold of f.load_(e, s) over the elements e of row s) for each row s, the empty ones too; the fold over
 * R of what row_ gives, if it is wanted. */
template<class Op, class R = nesl_nothing, class D, class F>
static inline const nesl_found<R, 0> *
nesl_seg_reduce(D s, F f)
{
	typedef nesl_ends<typename Op::T, typename R::T> Ends;
	const i64 tot = nesl_total(s), tiles = nesl_tiles(s.rows + tot), q = nesl_share(tiles);
	const nesl_found<R, 0> *seen;
	nesl_found<R, 0> *found;
	nesl_block *work;
	i64 blocks;

	if (s.rows <= 0)
		return nesl_know(nesl_found<R, 0>{R::id(), {}});
	blocks = (tiles + q - 1) / q;
	work = nesl_scratch(16 + blocks * (i64)sizeof(Ends));
	found = nesl_ask(&seen);
	NESL_LAUNCH((nesl_seg_reduce_kernel<Op, R, F, decltype(nesl_rows_at(s))>), blocks, f, nesl_rows_at(s), s.rows, tot, q,
		(Ends *)((char *)work->at + 16), (unsigned *)work->at, found);
	nesl_block_free(work);
	return seen;
}

/* -- scans and packs --------------------------------------------------------------------------------------- */
/* How many elements of a tile go to each of K outputs. */
template<int K> struct nesl_counts {
	int of[K];
};
template<int K> struct nesl_add_counts {
	typedef nesl_counts<K> T;
	static __device__ T id() { return T{}; }
	static __device__ T op(T a, T b)
	{
#pragma unroll
		for (int j = 0; j < K; j++)
			a.of[j] += b.of[j];
		return a;
	}
};

/* Before each thread's fold of tile t: all tiles and threads before it.  *total: with all of the tile. */
template<class Fold, class T>
static __device__ T
nesl_fold_before(nesl_tile<T> *tile, i64 t, T fold, T *total)
{
	SHARED(T, earlier);
	const T before = nesl_block_scan<Fold>(fold, total);

	if (threadIdx.x < 32) {
		const T all = nesl_look_back<Fold>(tile, t, *total);

		if (threadIdx.x == 0)
			earlier = all;
	}
	__syncthreads();
	*total = Fold::op(earlier, *total);
	return Fold::op(earlier, before);
}

/* at[j]: where what this thread keeps of tile t begins in output j; all[j]: where what comes after the tile does. */
template<int K>
static __device__ void
nesl_places_before(nesl_u64 *kept, i64 tiles, i64 t, nesl_counts<K> count, i64 (&at)[K], i64 (&all)[K])
{
	SHARED(i64[K], base);
	SHARED(int[K], sum);
	nesl_counts<K> of_tile;

	count = nesl_block_scan<nesl_add_counts<K>>(count, &of_tile);
#pragma unroll
	for (int j = 0; j < K; j++)
		if (threadIdx.x == 0)
			sum[j] = of_tile.of[j];
	__syncthreads();
	for (int j = (int)threadIdx.x >> 5; j < K; j += NESL_WARPS) {
		const i64 earlier = nesl_look_back_count(kept + j * tiles, t, sum[j]);

		if ((threadIdx.x & 31) == 0)
			base[j] = earlier;
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < K; j++) {
		at[j] = base[j] + count.of[j];
		all[j] = base[j] + of_tile.of[j];
	}
}

/* By one thread of the last tile: what the host wants. */
template<class Op, int K, int OUTPUTS>
static __device__ __forceinline__ void
nesl_tell(nesl_found<Op, K> *found, typename Op::T fold, const i64 (&all)[OUTPUTS])
{
	found->fold = fold;
#pragma unroll
	for (int j = 0; j < K; j++)
		found->kept[j] = all[j];
}

/* One tile of a flat space: fold what the elements load, look back for what came before; mask, with that at hand, and look
 * back for the places of what is kept; store.  Of an operator or outputs that are not there nothing remains.
 *
 * A warp has 32 * NESL_VT elements and takes them 32 at a time, so that neighbours touch neighbours. */
template<class Op, int K, class F>
__global__ void
nesl_scan_kernel(F f, i64 n, i64 tiles, nesl_tile<typename Op::T> *tile, nesl_u64 *kept, unsigned *ticket,
	nesl_found<Op, K> *found)
{
	typedef typename Op::T T;
	enum { OUTPUTS = K ? K : 1 };
	const i64 t = nesl_ticket(ticket), first = t * NESL_TILE + threadIdx.x / 32 * 32 * NESL_VT + (threadIdx.x & 31);
	const bool leads = (threadIdx.x & 31) == 0;
	T x[NESL_VT], before[NESL_VT], fold = Op::id(), total = Op::id();
	unsigned mask[NESL_VT] = {};
	i64 at[OUTPUTS] = {}, all[OUTPUTS] = {};

	if constexpr (nesl_folds<Op>::value) {
#pragma unroll
		for (int k = 0; k < NESL_VT; k++) {
			x[k] = first + k * 32 < n ? f.load_(first + k * 32) : Op::id();
			before[k] = Op::op(fold, nesl_warp_scan<Op>(x[k], &total));
			fold = Op::op(fold, nesl_shfl(total, 31));
		}
		fold = nesl_shfl(nesl_fold_before<Op>(tile, t, leads ? fold : Op::id(), &total), 0);
#pragma unroll
		for (int k = 0; k < NESL_VT; k++)
			before[k] = Op::op(fold, before[k]);
	}
	if constexpr (K > 0) {
		nesl_counts<K> count = {};

#pragma unroll
		for (int k = 0; k < NESL_VT; k++) {
			if (first + k * 32 < n)
				mask[k] = nesl_mask<Op>(f, before[k], first + k * 32);
#pragma unroll
			for (int j = 0; j < K; j++)
				count.of[j] += __popc(__ballot_sync(NESL_FULL, mask[k] >> j & 1));
		}
		nesl_places_before<K>(kept, tiles, t, leads ? count : nesl_counts<K>{}, at, all);
#pragma unroll
		for (int j = 0; j < K; j++)
			at[j] -= leads ? 0 : count.of[j];
	}
#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		i64 here[OUTPUTS] = {};

#pragma unroll
		for (int j = 0; j < K; j++) {
			const unsigned keep = __ballot_sync(NESL_FULL, mask[k] >> j & 1);

			here[j] = at[j] + __popc(keep & ((1u << (threadIdx.x & 31)) - 1));
			at[j] += __popc(keep);
		}
		if (first + k * 32 < n)
			nesl_store<Op, K>(f, before[k], x[k], mask[k], here, first + k * 32);
	}
	if (t == tiles - 1 && threadIdx.x == 0)
		nesl_tell(found, total, all);
}

/* One tile of a path, the same way, but each thread has its own part of the path.  At a row's end the fold is the row's,
 * and the places are where the next row's outputs begin: neither costs a pass of its own. */
template<class Op, int K, class F, class S>
__global__ void
nesl_seg_scan_kernel(F f, S rows, i64 n, i64 tot, i64 tiles, nesl_tile<nesl_open<typename Op::T>> *tile, nesl_u64 *kept,
	unsigned *ticket, nesl_found<Op, K> *found)
{
	typedef nesl_lift<Op> Fold;
	typedef typename Fold::T T;
	enum { OUTPUTS = K ? K : 1 };
	const i64 t = nesl_ticket(ticket);
	const nesl_path p = nesl_path_tile(rows, n, tot, t);
	typename Op::T x[NESL_VT];
	unsigned mask[NESL_VT] = {};
	T before = Fold::id(), total = Fold::id(), run;
	i64 at[OUTPUTS] = {}, all[OUTPUTS] = {};

	if constexpr (nesl_folds<Op>::value) {
		nesl_walk(p, [&](int k, i64 e, i64 s) {
			x[k] = f.load_(e, s);
			before.v = Op::op(before.v, x[k]);
		}, [&](i64) { before = T{1, Op::id()}; });
		before = nesl_fold_before<Fold>(tile, t, before, &total);
	}
	if constexpr (K > 0) {
		nesl_counts<K> count = {};

		run = before;
		nesl_walk(p, [&](int k, i64 e, i64 s) {
			mask[k] = nesl_mask<Op>(f, run.v, e, s);
			if constexpr (nesl_folds<Op>::value)
				run.v = Op::op(run.v, x[k]);
#pragma unroll
			for (int j = 0; j < K; j++)
				count.of[j] += mask[k] >> j & 1;
		}, [&](i64) { run = T{1, Op::id()}; });
		nesl_places_before<K>(kept, tiles, t, count, at, all);
	}
	run = before;
	nesl_walk(p, [&](int k, i64 e, i64 s) {
		nesl_store<Op, K>(f, run.v, x[k], mask[k], at, e, s);
		if constexpr (nesl_folds<Op>::value)
			run.v = Op::op(run.v, x[k]);
#pragma unroll
		for (int j = 0; j < K; j++)
			at[j] += mask[k] >> j & 1;
	}, [&](i64 s) {
		if constexpr (nesl_has_row<F>::value)
			nesl_row<Op, K>(f, s, run.v, at);
		run = T{1, Op::id()};
	});
	if (t == tiles - 1 && threadIdx.x == 0)
		nesl_tell(found, total.v, all);
}

/* The kernel, by start(tile states, states of K counts, ticket, what is found). */
template<class Op, int K, class Tile, class Start>
static inline const nesl_found<Op, K> *
nesl_scan_tiles(i64 tiles, Start start)
{
	const i64 words = 16 + tiles * K * (i64)sizeof(nesl_u64);       /* in front: a Tile may be less aligned */
	const nesl_found<Op, K> *seen;
	nesl_found<Op, K> *found;
	nesl_block *work;

	static_assert(K <= 8, "at most 8 outputs");
	if (tiles <= 0)
		return nesl_know(nesl_found<Op, K>{Op::id(), {}});
	work = nesl_scratch(words + (nesl_folds<Op>::value ? tiles * (i64)sizeof(Tile) : 0));
	found = nesl_ask(&seen);
	start((Tile *)((char *)work->at + words), (nesl_u64 *)((char *)work->at + 16), (unsigned *)work->at, found);
	nesl_block_free(work);
	return seen;
}

/* f.store_(e, fold of f.load_ over the elements before e) for each of n elements e; what goes to K outputs */
template<class Op, int K = 0, class F>
static inline const nesl_found<Op, K> *
nesl_scan(i64 n, F f)
{
	typedef nesl_tile<typename Op::T> Tile;
	const i64 tiles = nesl_tiles(n);

	return nesl_scan_tiles<Op, K, Tile>(tiles, [&](Tile *tile, nesl_u64 *kept, unsigned *ticket, nesl_found<Op, K> *found) {
		NESL_LAUNCH((nesl_scan_kernel<Op, K, F>), tiles, f, n, tiles, tile, kept, ticket, found);
	});
}

/* The same within each row */
template<class Op, int K = 0, class D, class F>
static inline const nesl_found<Op, K> *
nesl_seg_scan(D s, F f)
{
	typedef nesl_tile<nesl_open<typename Op::T>> Tile;
	const i64 tot = nesl_total(s), tiles = tot > 0 || nesl_has_row<F>::value ? nesl_tiles(s.rows + tot) : 0;

	return nesl_scan_tiles<Op, K, Tile>(tiles, [&](Tile *tile, nesl_u64 *kept, unsigned *ticket, nesl_found<Op, K> *found) {
		NESL_LAUNCH((nesl_seg_scan_kernel<Op, K, F, decltype(nesl_rows_at(s))>), tiles, f, nesl_rows_at(s), s.rows, tot, tiles,
			tile, kept, ticket, found);
	});
}

template<int K, class F>
static inline const nesl_found<nesl_nothing, K> *
nesl_pack(i64 n, F f)
{
	return nesl_scan<nesl_nothing, K>(n, f);
}

template<int K, class D, class F>
static inline const nesl_found<nesl_nothing, K> *
nesl_seg_pack(D s, F f)
{
	return nesl_seg_scan<nesl_nothing, K>(s, f);
}

/* -- descriptors --------------------------------------------------------------------------------------------- */
/* Lengths add up to offsets.  They may be nonsense until a failed check is heard, so the sum stops at the largest
 * number: offsets never fall, and what walks along them stays inside. */
static __device__ __forceinline__ i64
nesl_add_length(i64 a, i64 b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

struct nesl_add_lengths {
	typedef nesl_lengths T;
	static const bool exact = true, commutes = true;
	static __host__ __device__ T id() { return T{0, 0}; }
	static __device__ T op(T a, T b)
	{
		return T{nesl_add_length(a.total, b.total), a.longest > b.longest ? a.longest : b.longest};
	}
};

/* None is below 0; the sum of two that wrapped is long. */
static __device__ __forceinline__ nesl_lengths
nesl_length_of(nint length)
{
	const i64 n = (i64)(nuint)length;

	return n > 0 ? nesl_lengths{n, n} : nesl_lengths{0, 0};
}

/* Row i of s ends there. */
static __device__ __forceinline__ void
nesl_row_ends(nesl_segdes s, i64 i, i64 end)
{
	if (i == 0)
		s.off[0] = 0;
	s.off[i + 1] = end;
}

/* The same of one that is measured; of the rows up to i. */
static __device__ __forceinline__ void
nesl_row_ends(nesl_segdes s, i64 i, nesl_lengths rows)
{
	nesl_row_ends(s, i, rows.total);
	if (i == s.rows - 1)
		s.off[s.rows + 1] = rows.longest;
}

/* The same of one that is known to have `all` elements: no row ends beyond. */
static __device__ __forceinline__ void
nesl_row_ends(nesl_segdes s, i64 i, nesl_lengths rows, i64 all, nesl_faults beyond)
{
	if (i == s.rows - 1 && rows.total > all)
		nesl_fault(beyond, 0, i, rows.total);
	if (rows.total > all)
		rows.total = all > 0 ? all : 0;
	nesl_row_ends(s, i, rows);
}

#include "nesl_library.h"
#include "nesl_rows.h"

#endif

#ifndef NESL_BLOCK_H
#define NESL_BLOCK_H
/* What the skeletons (nesl_device.h) are made of: what the threads of a block do together, and what a block knows of others.
 *
 * How  A space with rows is walked along its merge path: n row ends and tot elements are n + tot items,
 *      cut into tiles of equal size (Green, McColl & Bader, ICS 2012; Merrill & Garland, SC16).
 *      Decoupled look-back is Merrill & Garland's (NVR-2016-002); tiles are numbered by tickets, so a tile waits only for
 *      tiles that already run.  Float operators look back to fixed anchor tiles only, so that the grouping, hence every
 *      bit, is the same on each run.
 *      In flat spaces lanes of a warp touch neighbours, so that a request is full sectors; where they touch nothing else,
 *      16 bytes each (nesl_near). */
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

#endif

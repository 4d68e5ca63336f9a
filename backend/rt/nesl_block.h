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
#include "nesl_cuda_values.h"

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

/* 16 aligned bytes as one access (PTX ISA 8.3). */
static __device__ __forceinline__ nesl_pair
nesl_ld_relaxed(const nesl_pair *p)
{
	nesl_pair v;

	asm volatile("{ .reg .b128 w; ld.relaxed.gpu.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }"
		: "=l"(v.lo), "=l"(v.hi) : "l"(p) : "memory");
	return v;
}

static __device__ __forceinline__ void
nesl_st_relaxed(nesl_pair *p, nesl_pair v)
{
	asm volatile("{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.gpu.global.b128 [%0], w; }"
		:: "l"(p), "l"(v.lo), "l"(v.hi) : "memory");
}

/* Others may write there at the same time; nobody reads before the kernel ends.  PTX orders volatile stores as relaxed ones. */
template<class T>
static __device__ __forceinline__ void
nesl_st_any(T *p, T v)
{
	*(volatile T *)p = v;
}

/* Others may change it by atomic operations at the same time. */
template<class T>
static __device__ __forceinline__ T
nesl_ld_any(const T *p)
{
	return *(const volatile T *)p;
}

/* The emulator must know that what lies between x's members is written too. */
template<class T>
static __device__ __forceinline__ void
nesl_set(T &to, T x)
{
	to = x;
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

/* Is there an element i? */
template<class T>
static __device__ __forceinline__ bool
nesl_has(nesl_vec<T> v, i64 i)
{
	return i >= 0 && i < v.n;
}

/* r[i] = x; i out of range is ignored.  Of equal indices any may win: a check has said so. */
template<class T>
static __device__ __forceinline__ void
nesl_put(nesl_vec<T> r, i64 i, T x)
{
	if (nesl_has(r, i))
		nesl_st_any(r.at + i, x);
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

struct nesl_doubts;

/* What a method's elements are given as: i64 is a thread's only one. */
template<class Method> struct nesl_neighbours {
	enum { V = 1 };
};
template<class F, class R, int N> struct nesl_neighbours<R (F::*)(nesl_one_of<N>) const> {
	enum { V = N };
};
template<class F, class R, int N> struct nesl_neighbours<R (F::*)(nesl_doubts &, nesl_one_of<N>) const> {
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
	nesl_st_any(r->raised, 1u);
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

/* What is wrong with elements that are loaded together.  It is told when all of them are: no call stands between their loads,
 * so that these are on their way at once.  If one is in doubt all are loaded once more, and it is told.  Element -1 is none, and in
 * no doubt. */
struct nesl_doubts {
	bool tells, any;
	__device__ __forceinline__ void fault(nesl_faults f, int j, i64 e, i64 a = 0, i64 b = 0, i64 c = 0)
	{
		if (!tells)
			any = any || e >= 0;
		else if (e >= 0)
			nesl_fault(f, j, e, a, b, c);
	}
};

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
/* A shuffle of any type, word by word.  shfl: from lane `lane`; up, down: d lanes away; across: d lanes away, the other way for each second d. */
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
NESL_SHUFFLE(nesl_across, __shfl_xor_sync)
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

/* The last block to come here sees what all others wrote before, and leaves the count as it was. */
static __device__ bool
nesl_last_block(unsigned *done)
{
	SHARED(unsigned, last);

	__syncthreads();
	if (threadIdx.x == 0) {
		__threadfence();
		last = atomicAdd(done, 1u) == gridDim.x - 1;
		__threadfence();
		if (last)
			atomicExch(done, 0u);
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

/* A fold as a word, where it fits, and a bit beside it. */
template<class T> struct nesl_packed {
	static const bool fits = sizeof(T) <= sizeof(nesl_u64);
	static __device__ nesl_pair of(T x)
	{
		nesl_pair p = {};

		memcpy(&p.hi, &x, sizeof x);
		return p;
	}
	static __device__ T value(nesl_pair p)
	{
		T x;

		memcpy(&x, &p.hi, sizeof x);
		return x;
	}
};
template<class V> struct nesl_packed<nesl_open<V>> {
	static const bool fits = nesl_packed<V>::fits;
	static __device__ nesl_pair of(nesl_open<V> x)
	{
		nesl_pair p = nesl_packed<V>::of(x.v);

		p.lo = (nesl_u64)x.f << 2;
		return p;
	}
	static __device__ nesl_open<V> value(nesl_pair p) { return {(i64)(p.lo >> 2), nesl_packed<V>::value(p)}; }
};

/* What a tile tells those behind it: a part, then perhaps a prefix.  Where state and value fit 16 bytes nothing can tear,
 * and one relaxed access has both; else the value is there when the state is, and each has a slot of its own, so that a reader
 * of the one never meets a writer of the other. */
template<class T, bool FITS = nesl_packed<T>::fits> struct nesl_tile {
	unsigned state;
	T part, prefix;
	__device__ void tell(unsigned now, T x)
	{
		(now == NESL_PART ? part : prefix) = x;
		nesl_st_release(&state, now);
	}
	struct Seen {
		const nesl_tile *tile;
		unsigned state;
		__device__ T value() const { return state == NESL_PREFIX ? tile->prefix : tile->part; }
	};
	__device__ Seen look() const { return {this, nesl_ld_acquire(&state)}; }
	static __device__ Seen none() { return {NULL, NESL_PREFIX}; }
};
template<class T> struct nesl_tile<T, true> {
	nesl_pair told;
	__device__ void tell(unsigned now, T x)
	{
		nesl_pair p = nesl_packed<T>::of(x);

		p.lo |= now;
		nesl_st_relaxed(&told, p);
	}
	struct Seen {
		nesl_pair pair;
		unsigned state;
		__device__ T value() const { return nesl_packed<T>::value(pair); }
	};
	__device__ Seen look() const
	{
		const nesl_pair p = nesl_ld_relaxed(&told);

		return {p, (unsigned)(p.lo & 3)};
	}
	static __device__ Seen none() { return {{}, NESL_PREFIX}; }
};

/* The fold of all tiles before t; by one whole warp.  Exact operators tell a part, then a prefix, and a reader stops at the
 * first prefix it meets, which is tile 0's at the latest.  For the others where it stops must not depend on time: every
 * ANCHORS-th tile tells its prefix only, the rest their part only.  Anchors wait for each other one by one, so that few of
 * them are better; the others look back as far as that. */
template<class Op, class T>
static __device__ T
nesl_look_back(nesl_tile<T> *tile, i64 t, T part)
{
	enum { ANCHORS = 64 };
	const int lane = threadIdx.x & 31;
	const bool anchor = t % ANCHORS == ANCHORS - 1;
	T before = Op::id();

	if (lane == 0 && t > 0 && (Op::exact || !anchor))
		tile[t].tell(NESL_PART, part);
	for (i64 from = t - 1; from >= 0; from -= 32) {
		const i64 p = from - lane;
		auto seen = tile->none();
		unsigned known, prefixes;
		int stop;
		T x;

		do {
			if (p >= 0)
				seen = tile[p].look();
			known = __ballot_sync(NESL_FULL, seen.state != 0);
			prefixes = __ballot_sync(NESL_FULL, seen.state == NESL_PREFIX);
			stop = prefixes ? __ffs(prefixes) - 1 : 31;
		} while (~known & ((2u << stop) - 1));
		x = lane > stop ? Op::id() : seen.value();
		for (int d = 1; d < 32; d <<= 1) {
			T left = nesl_down(x, d);

			if (lane + d < 32)
				x = Op::op(left, x);
		}
		before = Op::op(nesl_shfl(x, 0), before);
		if (prefixes)
			break;
	}
	if (lane == 0 && (t == 0 || Op::exact || anchor))
		tile[t].tell(NESL_PREFIX, Op::op(before, part));
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
/* How many of n row ends lie before diagonal d of the path, when they are at least lo and at most hi; an end comes before
 * element e iff end <= e. */
static __device__ __forceinline__ int
nesl_path_search(const uint16_t *ends, int lo, int hi, int d)
{
	while (lo < hi) {
		const int m = (lo + hi) / 2;

		if (ends[m] <= d - 1 - m)
			lo = m + 1;
		else
			hi = m;
	}
	return lo;
}

/* The same in memory that takes long to answer: by LANES lanes, with a probe each at once.  All of a warp come here. */
template<int LANES>
static __device__ i64
nesl_path_search_wide(const i64 *ends, i64 lo, i64 hi, i64 d)
{
	const int lane = threadIdx.x & (LANES - 1), others = (threadIdx.x & 31) - lane;

	while (__ballot_sync(NESL_FULL, lo < hi)) {
		const i64 part = (hi - lo + LANES - 1) / LANES, m = lo + (lane + 1) * part - 1;
		const bool before = m < hi && ends[m] <= d - 1 - m;
		const unsigned all = __ballot_sync(NESL_FULL, before) >> others & (2u << (LANES - 1)) - 1;

		lo += __popc(all) * part;
		hi = lo + part - 1 < hi ? lo + part - 1 : hi;
	}
	return lo;
}

/* What kernels know of row ends: offsets, or a grid. */
static inline const i64 *nesl_rows_at(nesl_segdes s) { return s.off; }
static inline nesl_grid nesl_rows_at(nesl_grid g) { return g; }

static __device__ __forceinline__ i64 nesl_row_end(const i64 *off, i64 s) { return off[s + 1]; }
static __device__ __forceinline__ i64 nesl_row_end(nesl_grid g, i64 s) { return (s + 1) * g.length; }

/* By one whole warp: how many of the row ends lie before diagonal d, which are at least lo and at most hi. */
static __device__ __forceinline__ i64
nesl_ends_before(const i64 *off, i64 lo, i64 hi, i64 d)
{
	return nesl_path_search_wide<32>(off + 1, lo, hi, d);
}

static __device__ __forceinline__ i64
nesl_ends_before(nesl_grid g, i64, i64, i64 d)
{
	return nesl_grid_ends(g, d);
}

/* A tile of the path, and this thread's part of it; s, e and ends count from s0, e0. */
template<int VT = NESL_VT> struct nesl_path {
	enum { TILE = NESL_BD * VT };
	i64 s0, e0;             /* the first open row and element of the tile */
	int ns, ne;             /* row ends and elements in the tile */
	int s, e, items;        /* where the thread begins; how many items it has */
	uint16_t end;           /* of the row that the thread brings */
	const uint16_t *ends;
	const uint16_t *row;    /* which one an element is in; by nesl_find_rows */
};

/* How many of the tile's row ends lie before item d of it. */
template<int VT>
static __device__ __forceinline__ int
nesl_ends_within(const i64 *, const nesl_path<VT> &p, i64, int d)
{
	return nesl_path_search(p.ends, d > p.ne ? d - p.ne : 0, d < p.ns ? d : p.ns, d);
}

template<int VT>
static __device__ __forceinline__ int
nesl_ends_within(nesl_grid g, const nesl_path<VT> &p, i64 d0, int d)
{
	return (int)(nesl_grid_ends(g, d0 + d) - p.s0);
}

/* Where row s of tile p ends. */
template<int VT, class S>
static __device__ __forceinline__ uint16_t
nesl_end_within(const nesl_path<VT> &p, S rows, int s)
{
	return s < p.ns ? (uint16_t)(nesl_row_end(rows, p.s0 + s) - p.e0) : 0;
}

/* Tile t of a path of n rows and tot elements, between its cuts.  s0, s1: which rows are open where it begins and ends; -1: that
 * is found here, with barriers. */
template<int VT, class S>
static __device__ __forceinline__ nesl_path<VT>
nesl_path_cut(S rows, i64 n, i64 tot, i64 t, i64 s0 = -1, i64 s1 = -1)
{
	enum { TILE = nesl_path<VT>::TILE };
	const i64 d0 = t * TILE, d1 = d0 + TILE < n + tot ? d0 + TILE : n + tot;
	const int len = (int)(d1 - d0);
	nesl_path<VT> p = {};

	if (s1 < 0) {
		SHARED(i64[2], cut);

		for (int k = (int)threadIdx.x / 32; k < 2; k += NESL_WARPS) {
			const i64 at = k ? d1 : d0, lo = at > tot ? at - tot : 0, hi = at < n ? at : n;
			i64 found = s0;

			if (s0 < 0)
				found = nesl_ends_before(rows, lo, hi, at);
			else if (k)
				found = nesl_ends_before(rows, lo > s0 ? lo : s0, hi < s0 + len ? hi : s0 + len, at);
			if (threadIdx.x % 32 == 0)
				cut[k] = found;
		}
		__syncthreads();
		s0 = cut[0];
		s1 = cut[1];
		__syncthreads();
	}
	p.s0 = s0;
	p.e0 = d0 - s0;
	p.ns = (int)(s1 - s0);
	p.ne = len - p.ns;
	p.end = nesl_end_within(p, rows, (int)threadIdx.x);
	return p;
}

/* The tile's row ends, to be followed by a barrier; and where this thread's part begins. */
template<int VT, class S>
static __device__ __forceinline__ void
nesl_path_ends(nesl_path<VT> &p, S rows)
{
	SHARED(uint16_t[nesl_path<VT>::TILE], ends);

	static_assert(nesl_path<VT>::TILE <= UINT16_MAX, "ends are counted within a tile");
	if ((int)threadIdx.x < p.ns)
		ends[threadIdx.x] = p.end;
	for (int k = (int)threadIdx.x + NESL_BD; k < p.ns; k += NESL_BD)
		ends[k] = nesl_end_within(p, rows, k);
	p.ends = ends;
}

template<int VT, class S>
static __device__ __forceinline__ void
nesl_path_start(nesl_path<VT> &p, S rows)
{
	const int len = p.ns + p.ne, first = (int)threadIdx.x * VT, d = first < len ? first : len;

	p.items = len - d < VT ? len - d : VT;
	p.s = nesl_ends_within(rows, p, p.s0 + p.e0, d);
	p.e = d - p.s;
}

/* Where tiles begin, for many of them: which row is open there; some lanes for each. */
enum { NESL_CUTTERS = 8 };

template<int VT>
__global__ void
nesl_cuts_kernel(const i64 *off, i64 n, i64 tot, i64 tiles, i64 *cuts)
{
	const i64 t = ((i64)blockIdx.x * NESL_BD + threadIdx.x) / NESL_CUTTERS, to = t * nesl_path<VT>::TILE;
	const i64 d = to < n + tot ? to : n + tot;
	const i64 cut = nesl_path_search_wide<NESL_CUTTERS>(off + 1, d > tot ? d - tot : 0, d < n ? d : n, d);

	if (t <= tiles && threadIdx.x % NESL_CUTTERS == 0)
		cuts[t] = cut;
}

template<int VT>
static inline nesl_block *
nesl_cut_path(const i64 *off, i64 n, i64 tot, i64 tiles)
{
	nesl_block *cuts;

	if (tiles <= NESL_MANY)
		return NULL;
	cuts = nesl_block_new(tiles + 1, sizeof(i64), true);
	NESL_LAUNCH(nesl_cuts_kernel<VT>, tiles / (NESL_BD / NESL_CUTTERS) + 1, off, n, tot, tiles, (i64 *)cuts->at);
	return cuts;
}

/* The rows of a grid are found by division. */
template<int VT>
static inline nesl_block *
nesl_cut_path(nesl_grid, i64, i64, i64)
{
	return NULL;
}

/* A thread's part of a tile of the path: element(k, e, s) for the elements, k of its items; end(s) for row ends.  Where the next
 * row ends is a pointer that goes on: of ends[s], behind s++, ptxas 13.0 for sm_90 reads ends[s + 1], if a thread has eleven
 * items (docs/simt.md). */
template<int VT, class Element, class End>
static __device__ __forceinline__ void
nesl_walk(const nesl_path<VT> &p, Element element, End end)
{
	const uint16_t *next = p.ends + p.s;
	int s = p.s, e = p.e, until = s < p.ns ? *next : INT32_MAX;

#pragma unroll
	for (int k = 0; k < VT; k++) {
		if (until <= e) {       /* none is behind a thread's items that are fewer than others' */
			end(s);
			s++;
			next++;
			until = s < p.ns ? *next : INT32_MAX;
		} else if (k < p.items) {
			element(k, e, s);
			e++;
		}
	}
}

/* For nesl_each_within, which gives elements a row of 0 without; end(s) for the row ends of the thread's part.  Ends with a
 * barrier. */
template<int VT, class End>
static __device__ __forceinline__ void
nesl_find_rows(nesl_path<VT> &p, End end)
{
	SHARED(uint16_t[nesl_path<VT>::TILE], row);

	nesl_walk(p, [&](int, int e, int s) { row[e] = (uint16_t)s; }, end);
	__syncthreads();
	p.row = row;
}

/* element(k, e, s) for a tile's elements, k of those of a thread, which are NESL_BD apart; so many at once */
template<int AT_ONCE, int VT, class Element>
static __device__ __forceinline__ void
nesl_each_within(const nesl_path<VT> &p, Element element)
{
#pragma unroll AT_ONCE
	for (int k = 0; k < VT; k++) {
		const int e = k * NESL_BD + (int)threadIdx.x;

		if (e < p.ne)
			element(k, e, p.row ? p.row[e] : 0);
	}
}

/* The same with e and s of all elements and rows; e is -1 where there is no element, so that nothing branches. */
template<int VT, class Element>
static __device__ __forceinline__ void
nesl_each_or_none(const nesl_path<VT> &p, Element element)
{
#pragma unroll
	for (int k = 0; k < VT; k++) {
		const int e = k * NESL_BD + (int)threadIdx.x;
		const bool is = e < p.ne;

		element(k, is ? p.e0 + e : -1, p.s0 + (p.row && is ? p.row[e] : 0));
	}
}

/* -- tiles in shared memory ------------------------------------------------------------------------------- */
/* A thread's items of a tile lie side by side, but neighbours are to touch neighbours: so what is loaded and stored passes
 * through shared memory, unless a thread has one.  How many of `size` bytes it has, at most `most`: for 32 KB a block. */
static constexpr int
nesl_items(size_t size, int most)
{
	return size * NESL_BD * most <= 32768 ? most : size * NESL_BD > 16384 ? 1 : (int)(32768 / (size * NESL_BD));
}

/* The same where the items of a thread lie side by side, and a gap behind them, so that threads share no banks: with the gaps for
 * 40 KB, as what else a kernel declares must fit in 48 too. */
static constexpr int
nesl_items_apart(size_t size, int most)
{
	const int fit = (int)(40960 / (size * NESL_BD)) - 1;

	return nesl_items(size, fit < 1 ? 1 : fit < most ? fit : most);
}

/* The same of a path, where they are not found at fixed places: an odd number, so that threads do not share banks. */
static constexpr int
nesl_path_items(size_t size, int most)
{
	return (nesl_items(size, most | 1) - 1) | 1;
}

/* How many blocks are to be resident that fold values of `size` bytes, where so many of words of 8 are: a value that is longer takes
 * registers for each item of a thread, and what has none is in memory. */
static constexpr int
nesl_resident(size_t size, int blocks)
{
	return size <= 8 ? blocks : size >= 8 * (size_t)blocks ? 1 : 8 * blocks / (int)size;
}

static inline i64
nesl_tiles(i64 n, i64 tile = NESL_TILE)
{
	return (n + tile - 1) / tile;
}

#endif

#ifndef NESL_DEVICE_H
#define NESL_DEVICE_H
/* The skeletons: what generated CUDA calls with small functors.
 *
 *     nesl_map, nesl_expand           f at each element of a flat space, of all rows
 *     nesl_reduce, nesl_seg_reduce    load, fold; the value to the host, or store(row, value)
 *     nesl_scan, nesl_seg_scan        load, exclusive scan, store
 *     nesl_pack, nesl_seg_pack        compaction into K outputs, with their descriptors
 *     nesl_offsets                    lengths -> descriptor
 *     and the library operations of lcu.def (append, rank, put ...)
 *
 * How  A space with rows is walked along its merge path: n row ends and tot elements are n + tot items,
 *      cut into tiles of equal size (Green, McColl & Bader, ICS 2012; Merrill & Garland, SC16).
 *      Scans and packs take one pass by decoupled look-back (Merrill & Garland, NVR-2016-002); tiles
 *      are numbered by tickets, so a tile waits only for tiles that already run.  Float operators look
 *      back to fixed anchor tiles only, so that the grouping, hence every bit, is the same on each run.
 *      A functor is called once for each element and phase.  Blocks leave as wholes. */
#include "nesl_cuda.h"

enum { NESL_TILE = NESL_BD * NESL_VT, NESL_WARPS = NESL_BD / 32 };
#define NESL_FULL 0xffffffffu

/* -- polls: the only way to read what another block publishes ------------------------------------- */
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
#endif

/* -- element access ------------------------------------------------------------------------------- */
/* Row i of a descriptor: where it starts, how long it is. */
static __device__ __forceinline__ i64
nesl_row_start(nesl_segdes s, i64 i)
{
	return i >= 0 && i < s.rows ? s.off[i] : 0;
}

static __device__ __forceinline__ i64
nesl_row_length(nesl_segdes s, i64 i)
{
	return i >= 0 && i < s.rows ? s.off[i + 1] - s.off[i] : 0;
}

/* r[i] = x; i out of range is ignored. */
template<class T>
static __device__ __forceinline__ void
nesl_put(nesl_vec<T> r, i64 i, T x)
{
	if (i >= 0 && i < r.n)
		r.at[i] = x;
}

/* Record a fault at element e, j and k as nesl_faults says: the lowest key wins, whatever the schedule.  One
 * compare for all but those that improve on it; they take the lock to write the values of their key. */
static __device__ __noinline__ void
nesl_fault(nesl_faults f, int j, int k, i64 e, i64 a = 0, i64 b = 0, i64 c = 0)
{
	nesl_record *const r = f.record;
	const nesl_u64 key = (nesl_u64)(f.first + j) << 44 | (nesl_u64)e;

	if (key >= atomicMin(&r->key, key))
		return;
	for (bool done = false; !done;) {
		if (nesl_ld_acquire(&r->lock) || atomicCAS(&r->lock, 0u, 1u))
			continue;
		__threadfence();
		if (key < r->rec) {
			r->rec = key;
			r->site = f.site + k;
			r->v[0] = a;
			r->v[1] = b;
			r->v[2] = c;
		}
		__threadfence();
		nesl_st_release(&r->lock, 0u);
		done = true;
	}
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

/* Before the element's call; k: as in nesl_faults, if that call is counted; else -1. */
static __device__ __forceinline__ nesl_scalar_calls
nesl_first_call(nesl_faults f, int k)
{
	nesl_scalar_calls calls = {-1, f.depth, f.most, f.stack, {}};

	if (k >= 0)
		nesl_too_deep(calls, f.site + k);
	return calls;
}

/* After the element's call, which is check j of the pass. */
static __device__ __forceinline__ void
nesl_called(nesl_faults f, int j, i64 e, const nesl_scalar_calls &calls)
{
	if (calls.fault >= 0)
		nesl_fault(f, j, calls.fault - f.site, e, calls.v[0], calls.v[1], calls.v[2]);
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
	T sum, before = nesl_warp_scan<Op>(x, &sum);

	if (lane == 31)
		part[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		T all, ex = nesl_warp_scan<Op>(lane < NESL_WARPS ? part[lane] : Op::id(), &all);

		__syncwarp();
		if (lane < NESL_WARPS)
			part[lane] = ex;
		if (lane == 31)
			part[NESL_WARPS] = all;
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

struct nesl_add {
	typedef i64 T;
	static __device__ i64 id() { return 0; }
	static __device__ i64 op(i64 a, i64 b) { return a + b; }
};

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
 * reader stops at the first prefix it meets.  For the others where it stops must not depend on time:
 * tiles 31, 63 ... publish their prefix only, the rest their part only. */
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
		x = lane > stop || p < 0 ? Op::id() : state == NESL_PREFIX ? tile[p].prefix : tile[p].part;
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

/* Tile t of n rows and tot elements.  To be followed by a barrier before the next call. */
static __device__ nesl_path
nesl_path_tile(const i64 *off, i64 n, i64 tot, i64 t)
{
	SHARED(int[NESL_TILE], ends);
	SHARED(i64[2], cut);
	const i64 d0 = t * NESL_TILE, d1 = d0 + NESL_TILE < n + tot ? d0 + NESL_TILE : n + tot;
	const int len = (int)(d1 - d0), first = (int)threadIdx.x * NESL_VT;
	const int d = first < len ? first : len;
	nesl_path p;

	if (threadIdx.x < 2)
		cut[threadIdx.x] = nesl_path_search(off + 1, n, tot, threadIdx.x ? d1 : d0);
	__syncthreads();
	p.s0 = cut[0];
	p.e0 = d0 - p.s0;
	p.ns = (int)(cut[1] - p.s0);
	p.ne = len - p.ns;
	for (int k = (int)threadIdx.x; k < p.ns; k += NESL_BD)
		ends[k] = (int)(off[p.s0 + k + 1] - p.e0);
	__syncthreads();
	p.ends = ends;
	p.s = (int)nesl_path_search(p.ends, p.ns, p.ne, d);
	p.e = d - p.s;
	p.items = len - d < NESL_VT ? len - d : NESL_VT;
	return p;
}

static inline i64
nesl_tiles(i64 n)
{
	return (n + NESL_TILE - 1) / NESL_TILE;
}

/* -- map, expand ------------------------------------------------------------------------------------- */
template<class F>
__global__ void
nesl_map_kernel(F f, i64 n)
{
	const i64 first = (i64)blockIdx.x * NESL_TILE + threadIdx.x;

	for (int k = 0; k < NESL_VT; k++)
		if (first + k * NESL_BD < n)
			f(first + k * NESL_BD);
}

/* f(e) for the n elements e */
template<class F>
static inline void
nesl_map(i64 n, F f)
{
	NESL_LAUNCH(nesl_map_kernel<F>, nesl_tiles(n), f, n);
}

template<class F>
__global__ void
nesl_expand_kernel(F f, const i64 *off, i64 n, i64 tot)
{
	SHARED(int[NESL_TILE], row);
	const nesl_path p = nesl_path_tile(off, n, tot, blockIdx.x);
	int s = p.s, e = p.e;

	for (int k = 0; k < p.items; k++)
		if (nesl_is_end(p, s, e))
			s++;
		else
			row[e++] = s;
	__syncthreads();
	for (int k = (int)threadIdx.x; k < p.ne; k += NESL_BD)
		f(p.e0 + k, p.s0 + row[k]);
}

/* f(e, s) for the elements e of each row s */
template<class F>
static inline void
nesl_expand(nesl_segdes s, F f)
{
	const i64 tot = nesl_total(s);

	if (tot > 0)
		NESL_LAUNCH(nesl_expand_kernel<F>, nesl_tiles(s.rows + tot), f, s.off, s.rows, tot);
}

/* -- reduce -------------------------------------------------------------------------------------------- */
/* Block g folds q tiles in order; the last block to finish folds the blocks' parts, in order too. */
template<class Op, class Load>
__global__ void
nesl_reduce_kernel(Load load, i64 n, i64 q, typename Op::T *part, unsigned *done, typename Op::T *result)
{
	typedef typename Op::T T;
	const i64 first = (i64)blockIdx.x * q * NESL_TILE;
	const i64 end = first + q * NESL_TILE < n ? first + q * NESL_TILE : n;
	T acc = Op::id(), total;

	for (i64 tile = first; tile < end; tile += NESL_TILE) {
		const i64 e = tile + (i64)threadIdx.x * NESL_VT;
		T run = Op::id();

		for (int k = 0; k < NESL_VT; k++)
			if (e + k < end)
				run = Op::op(run, load(e + k));
		nesl_block_scan<Op>(run, &total);
		acc = Op::op(acc, total);
	}
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
		*result = acc;
}

/* How the path of `tiles` tiles is cut: a function of its length only, so the grouping is fixed. */
static inline i64
nesl_share(i64 tiles)
{
	return (tiles + NESL_SHARES - 1) / NESL_SHARES;
}

/* The fold of load(e) over n elements, to the host. */
template<class Op, class Load>
static inline typename Op::T
nesl_reduce(i64 n, Load load)
{
	typedef typename Op::T T;
	const i64 q = nesl_share(nesl_tiles(n)), blocks = n > 0 ? (nesl_tiles(n) + q - 1) / q : 0;
	nesl_block *work;
	unsigned *done;
	T *part, result;

	if (blocks == 0)
		return Op::id();
	work = nesl_scratch(16 + (blocks + 1) * (i64)sizeof(T));
	done = (unsigned *)work->at;
	part = (T *)((char *)work->at + 16);
	NESL_LAUNCH((nesl_reduce_kernel<Op, Load>), blocks, load, n, q, part, done, part + blocks);
	result = *nesl_read(part + blocks, 1);
	nesl_block_free(work);
	return result;
}

/* -- segmented reduce ------------------------------------------------------------------------------------ */
/* What a share of the path leaves open at both ends, for the last block to close. */
template<class T> struct nesl_ends {
	nesl_open<T> tail;      /* the fold after the share's last row end */
	T head;                 /* the fold before its first */
	i64 row;                /* which row that ends; -1: no row ends in this share, or it is closed */
};

/* Share g walks q tiles and carries the open row's fold from tile to tile.  Each row is stored once:
 * by the thread that meets its end if the row begins in the share, else by the last block. */
template<class Op, class Load, class Store>
__global__ void
nesl_seg_reduce_kernel(Load load, Store store, const i64 *off, i64 n, i64 tot, i64 q,
	nesl_ends<typename Op::T> *share, unsigned *done)
{
	typedef typename Op::T V;
	typedef nesl_open<V> T;
	typedef nesl_lift<Op> Lift;
	const i64 g = blockIdx.x, tiles = (n + tot + NESL_TILE - 1) / NESL_TILE;
	const i64 end = (g + 1) * q < tiles ? (g + 1) * q : tiles;
	T carry = Lift::id(), total, before;

	if (threadIdx.x == 0)
		share[g].row = -1;
	__syncthreads();
	for (i64 t = g * q; t < end; t++) {
		const nesl_path p = nesl_path_tile(off, n, tot, t);
		int s = p.s, e = p.e;
		T run = Lift::id();
		V head = Op::id();

		for (int k = 0; k < p.items; k++) {
			if (!nesl_is_end(p, s, e)) {
				run.v = Op::op(run.v, load(p.e0 + e, p.s0 + s));
				e++;
				continue;
			}
			if (run.f)
				store(p.s0 + s, run.v);
			else
				head = run.v;
			run = T{1, Op::id()};
			s++;
		}
		before = Lift::op(carry, nesl_block_scan<Lift>(run, &total));
		if (run.f && (before.f || g == 0)) {
			store(p.s0 + p.s, Op::op(before.v, head));
		} else if (run.f) {
			share[g].head = Op::op(before.v, head);
			share[g].row = p.s0 + p.s;
		}
		carry = Lift::op(carry, total);
		__syncthreads();
	}
	if (threadIdx.x == 0)
		share[g].tail = carry;
	if (!nesl_last_block(done))
		return;
	carry = Lift::id();
	for (i64 b = 0; b < gridDim.x; b += NESL_BD) {
		const i64 k = b + threadIdx.x;

		before = Lift::op(carry,
			nesl_block_scan<Lift>(k < gridDim.x ? share[k].tail : Lift::id(), &total));
		if (k < gridDim.x && share[k].row >= 0)
			store(share[k].row, Op::op(before.v, share[k].head));
		carry = Lift::op(carry, total);
	}
}

/* store(s, fold of load(e, s) over the elements e of row s) for each row s, the empty ones too */
template<class Op, class Load, class Store>
static inline void
nesl_seg_reduce(nesl_segdes s, Load load, Store store)
{
	typedef nesl_ends<typename Op::T> Ends;
	const i64 tot = nesl_total(s), tiles = nesl_tiles(s.rows + tot), q = nesl_share(tiles);
	nesl_block *work;
	i64 blocks;

	if (s.rows <= 0)
		return;
	blocks = (tiles + q - 1) / q;
	work = nesl_scratch(16 + blocks * (i64)sizeof(Ends));
	NESL_LAUNCH((nesl_seg_reduce_kernel<Op, Load, Store>), blocks, load, store, s.off, s.rows, tot, q,
		(Ends *)((char *)work->at + 16), (unsigned *)work->at);
	nesl_block_free(work);
}

/* -- scans ------------------------------------------------------------------------------------------------ */
template<class Op, class Load, class Store>
__global__ void
nesl_seg_scan_kernel(Load load, Store store, const i64 *off, i64 n, i64 tot,
	nesl_tile<nesl_open<typename Op::T>> *tile, unsigned *ticket)
{
	typedef nesl_open<typename Op::T> T;
	typedef nesl_lift<Op> Lift;
	SHARED(T, before_tile);
	const i64 t = nesl_ticket(ticket);
	const nesl_path p = nesl_path_tile(off, n, tot, t);
	typename Op::T x[NESL_VT];
	T run = Lift::id(), total;
	int s = p.s, e = p.e;

#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		x[k] = Op::id();
		if (k < p.items && nesl_is_end(p, s, e)) {
			run = T{1, Op::id()};
			s++;
		} else if (k < p.items) {
			x[k] = load(p.e0 + e, p.s0 + s);
			run.v = Op::op(run.v, x[k]);
			e++;
		}
	}
	run = nesl_block_scan<Lift>(run, &total);
	if (threadIdx.x < 32) {
		T before = nesl_look_back<Lift>(tile, t, total);

		if (threadIdx.x == 0)
			before_tile = before;
	}
	__syncthreads();
	run = Lift::op(before_tile, run);
	s = p.s;
	e = p.e;
#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		if (k < p.items && nesl_is_end(p, s, e)) {
			run.v = Op::id();
			s++;
		} else if (k < p.items) {
			store(p.e0 + e, p.s0 + s, run.v);
			run.v = Op::op(run.v, x[k]);
			e++;
		}
	}
}

template<class Op, class Load, class Store>
static inline void
nesl_scan_path(const i64 *off, i64 n, i64 tot, Load load, Store store)
{
	typedef nesl_tile<nesl_open<typename Op::T>> Tile;
	nesl_block *work;
	i64 tiles;

	if (tot <= 0)
		return;
	tiles = nesl_tiles(n + tot);
	work = nesl_scratch(16 + tiles * (i64)sizeof(Tile));
	NESL_LAUNCH((nesl_seg_scan_kernel<Op, Load, Store>), tiles, load, store, off, n, tot,
		(Tile *)((char *)work->at + 16), (unsigned *)work->at);
	nesl_block_free(work);
}

/* store(e, s, fold of the elements of row s before e) for each element e */
template<class Op, class Load, class Store>
static inline void
nesl_seg_scan(nesl_segdes s, Load load, Store store)
{
	nesl_scan_path<Op>(s.off, s.rows, nesl_total(s), load, store);
}

/* A flat space is a path without row ends; its functors know no row. */
template<class F> struct nesl_flat_load {
	F f;
	__device__ auto operator()(i64 e, i64) const -> decltype(f(e)) { return f(e); }
};
template<class F, class T> struct nesl_flat_store {
	F f;
	__device__ void operator()(i64 e, i64, T x) const { f(e, x); }
};

/* store(e, fold of the elements before e) for each element e */
template<class Op, class Load, class Store>
static inline void
nesl_scan(i64 n, Load load, Store store)
{
	nesl_scan_path<Op>(NULL, 0, n, nesl_flat_load<Load>{load},
		nesl_flat_store<Store, typename Op::T>{store});
}

/* Lengths, none negative, with one more at the end: the scan's value there is the total.  Lengths may be
 * nonsense until a failed check is heard, so the sum stops at the largest number: offsets never fall, and
 * what walks along them stays inside. */
struct nesl_add_lengths {
	typedef i64 T;
	static const bool exact = true;
	static __device__ i64 id() { return 0; }
	static __device__ i64 op(i64 a, i64 b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }
};
template<class Load> struct nesl_length_load {
	Load load;
	i64 n;
	__device__ i64 operator()(i64 e) const
	{
		const i64 length = e < n ? (i64)(nuint)load(e) : 0;     /* below 0: the sum of two, wrapped */

		return length > 0 ? length : 0;
	}
};
struct nesl_offset_store {
	i64 *off;
	__device__ void operator()(i64 e, i64 before) const { off[e] = before; }
};

/* The descriptor of n rows with lengths load(e) */
template<class Load>
static inline nesl_segdes
nesl_offsets(i64 n, Load load)
{
	const nesl_segdes s = nesl_new_segdes(n, -1);

	if (s.rows > 0)
		nesl_scan<nesl_add_lengths>(n + 1, nesl_length_load<Load>{load, n}, nesl_offset_store{s.off});
	return s;
}

/* -- pack ------------------------------------------------------------------------------------------------- */
/* Where K outputs get their descriptors; NULL: not wanted. */
template<int K> struct nesl_outputs {
	i64 *off[K];
};

/* f.mask_(e, s): bit j says that e goes to output j.  f.put_(j, p, e, s): there it is element p.
 * At a row's end the position reached is the next offset, so descriptors cost no pass of their own. */
template<int K, class F>
__global__ void
nesl_pack_kernel(F f, nesl_outputs<K> out, const i64 *off, i64 n, i64 tot, i64 tiles, nesl_u64 *tile,
	unsigned *ticket, i64 *count)
{
	SHARED(i64[K], base);
	SHARED(i64[K], sum);
	const i64 t = nesl_ticket(ticket);
	const nesl_path p = nesl_path_tile(off, n, tot, t);
	unsigned mask[NESL_VT];
	i64 pos[K] = {};
	int s = p.s, e = p.e;

#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		mask[k] = 0;
		if (k < p.items && nesl_is_end(p, s, e)) {
			s++;
		} else if (k < p.items) {
			mask[k] = f.mask_(p.e0 + e, p.s0 + s);
			e++;
		}
#pragma unroll
		for (int j = 0; j < K; j++)
			pos[j] += mask[k] >> j & 1;
	}
#pragma unroll
	for (int j = 0; j < K; j++) {
		i64 total;

		pos[j] = nesl_block_scan<nesl_add>(pos[j], &total);
		if (threadIdx.x == 0)
			sum[j] = total;
	}
	__syncthreads();
	for (int j = (int)threadIdx.x >> 5; j < K; j += NESL_WARPS) {
		const i64 before = nesl_look_back_count(tile + j * tiles, t, sum[j]);

		if ((threadIdx.x & 31) == 0)
			base[j] = before;
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < K; j++)
		pos[j] += base[j];
	s = p.s;
	e = p.e;
#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		const bool end = k < p.items && nesl_is_end(p, s, e);

#pragma unroll
		for (int j = 0; j < K; j++) {
			if (end && out.off[j])
				out.off[j][p.s0 + s + 1] = pos[j];
			else if (mask[k] >> j & 1)
				f.put_(j, pos[j]++, p.e0 + e, p.s0 + s);
		}
		if (end)
			s++;
		else
			e++;
	}
	if (threadIdx.x < K && t == 0 && out.off[threadIdx.x])
		out.off[threadIdx.x][0] = 0;
	if (threadIdx.x < K && t == tiles - 1)
		count[threadIdx.x] = base[threadIdx.x] + sum[threadIdx.x];
}

template<int K, class F>
static inline void
nesl_pack_path(const i64 *off, i64 n, i64 tot, F f, nesl_outputs<K> out, i64 (&count)[K])
{
	const i64 tiles = n + tot > 0 ? nesl_tiles(n + tot) : 0;
	nesl_block *work;
	nesl_u64 *tile;

	static_assert(K <= 8, "at most 8 outputs");
	memset(count, 0, sizeof count);
	if (tiles == 0)
		return;
	work = nesl_scratch(16 + (tiles + 1) * K * (i64)sizeof(nesl_u64));
	tile = (nesl_u64 *)((char *)work->at + 16);
	NESL_LAUNCH((nesl_pack_kernel<K, F>), tiles, f, out, off, n, tot, tiles, tile,
		(unsigned *)work->at, (i64 *)(tile + tiles * K));
	memcpy(count, nesl_read((i64 *)(tile + tiles * K), K), sizeof count);
	nesl_block_free(work);
}

/* Pack the elements of each row; how many each output got comes to the host. */
template<int K, class F>
static inline void
nesl_seg_pack(nesl_segdes s, F f, nesl_outputs<K> out, i64 (&count)[K])
{
	nesl_pack_path<K>(s.off, s.rows, nesl_total(s), f, out, count);
}

template<class F> struct nesl_flat_pack {
	F f;
	__device__ unsigned mask_(i64 e, i64) const { return f.mask_(e); }
	__device__ void put_(int j, i64 p, i64 e, i64) const { f.put_(j, p, e); }
};

template<int K, class F>
static inline void
nesl_pack(i64 n, F f, i64 (&count)[K])
{
	nesl_pack_path<K>(NULL, 0, n > 0 ? n : 0, nesl_flat_pack<F>{f}, nesl_outputs<K>{}, count);
}

/* What a pack kept of each row: its descriptor, its total known. */
static inline void
nesl_packed(nesl_segdes s, i64 count)
{
	if (s.block)
		s.block->total = count;
}

#include "nesl_library.h"

#endif

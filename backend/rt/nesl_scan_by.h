#ifndef NESL_SCAN_BY_H
#define NESL_SCAN_BY_H
/* The scan by a function of the program (basis/reduce.nesl, backend/cuda/scan.c), with the applications that the library's definition has.
 *
 * That puts neighbours together, level by level, until one node is left, and on the way down gives each left node what its
 * parent has, and each right one that and the left one's value.
 *
 * How  A block has as many elements as are under one node.  It goes up from them and leaves that node; these nodes are scanned in turn, by
 *      the same kernels, until one block has all there are; then each block goes up once more, and down.  So elements are read twice and
 *      results written once (reduce-then-scan: Dotsenko, Govindaraju, Sloan, Boyd and Manferdelli, "Fast scan algorithms on graphics
 *      processors", ICS 2008).  Which nodes are put together is not changed by it, so floats, and what is not associative, come to the same bits.
 *      A node lies where the last element under it does (Blelloch 1990): on the way down only left nodes' values are needed, and
 *      right ones have left their places to their parents. */
#include "nesl_device.h"

/* What a program has for it, F: T, an element; T load_(e), store_(e, x); T apply_(a, b, failed), which sets failed if it meets a fault.
 * fails_: it may. */

/* How many elements a thread has: a power of two, so that a block's are under one node; and so that they fit in shared memory. */
template<class T> struct nesl_under_node {
	enum { VT = sizeof(T) <= 16 ? 8 : sizeof(T) <= 32 ? 4 : sizeof(T) <= 48 ? 2 : 1, BLOCK = NESL_BD * VT };
};

/* What the host hears. */
template<class T> struct nesl_root {
	T total;
	unsigned failed;
};

/* Up from what VT places of a thread hold, of which `has` are elements; the last holds their node then. */
template<int VT, class F, class T>
static __device__ __forceinline__ void
nesl_up_from_elements(const F &f, T (&x)[VT], int has, bool &failed)
{
#pragma unroll
	for (int d = 1; d < VT; d *= 2)
#pragma unroll
		for (int i = 0; i + 2 * d <= VT; i += 2 * d) {
			if (i + d >= has)               /* there is no right one: it goes up as it is */
				x[i + 2 * d - 1] = x[i + d - 1];
			else if (!failed)
				x[i + 2 * d - 1] = f.apply_(x[i + d - 1], x[i + 2 * d - 1], failed);
		}
}

/* Down again: the last holds what stands before all of them, and each then what stands before it. */
template<int VT, class F, class T>
static __device__ __forceinline__ void
nesl_down_to_elements(const F &f, T (&x)[VT], int has, bool &failed)
{
#pragma unroll
	for (int d = VT / 2; d > 0; d /= 2)
#pragma unroll
		for (int i = 0; i + 2 * d <= VT; i += 2 * d) {
			const T left = x[i + d - 1];

			x[i + d - 1] = x[i + 2 * d - 1];
			if (i + d < has && !failed)
				x[i + 2 * d - 1] = f.apply_(x[i + 2 * d - 1], left, failed);
		}
}

/* Once one of two has failed, neither goes on. */
template<class F>
static __device__ __forceinline__ void
nesl_fail_together(bool &failed, int d)
{
	if constexpr (F::fails_)
		failed = nesl_across((int)failed, d) != 0 || failed;
}

/* The same of the nodes that the first N lanes of a warp hold. */
template<int N, class F, class T>
static __device__ __forceinline__ void
nesl_up_from_lanes(const F &f, T &x, int has, bool &failed)
{
	const int lane = threadIdx.x & 31;

#pragma unroll
	for (int d = 1; d < N; d *= 2) {
		const T left = nesl_across(x, d);

		nesl_fail_together<F>(failed, d);
		if ((lane & (2 * d - 1)) == 2 * d - 1) {
			if (lane - d + 1 >= has)
				x = left;
			else if (!failed)
				x = f.apply_(left, x, failed);
		}
	}
}

template<int N, class F, class T>
static __device__ __forceinline__ void
nesl_down_to_lanes(const F &f, T &x, int has, bool &failed)
{
	const int lane = threadIdx.x & 31;

#pragma unroll
	for (int d = N / 2; d > 0; d /= 2) {
		const T other = nesl_across(x, d);

		nesl_fail_together<F>(failed, d);
		if ((lane & (2 * d - 1)) == d - 1)
			x = other;
		else if ((lane & (2 * d - 1)) == 2 * d - 1 && lane - d + 1 < has && !failed)
			x = f.apply_(x, other, failed);
	}
}

enum nesl_scan_way { NESL_UP, NESL_DOWN, NESL_BOTH };

/* Up to the block's node; down, from what stands before its elements, in the node's place; or both, of the only block there is, before which
 * `before` stands.  failed: of all kernels, and all blocks, of a scan. */
template<int WAY, class F>
__global__ void
nesl_scan_by_kernel(F f, i64 n, typename F::T *node, typename F::T before, unsigned *failed, nesl_root<typename F::T> *found)
{
	typedef typename F::T T;
	enum { VT = nesl_under_node<T>::VT, OF_WARP = 32 * VT };
	SHARED(T[VT == 1 ? 1 : NESL_WARPS][32][VT + 1], staged);
	SHARED(T[NESL_WARPS], root);
	SHARED(bool[NESL_WARPS + 1], fails);
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const i64 block = (i64)blockIdx.x * nesl_under_node<T>::BLOCK, first = block + warp * OF_WARP;
	const auto of = [&](i64 from, int most) { return n - from >= most ? most : n > from ? (int)(n - from) : 0; };
	const auto over = [](int a, int b) { return (a + b - 1) / b; };
	const int of_warp = of(first, OF_WARP), lanes = over(of_warp, VT), warps = over(of(block, nesl_under_node<T>::BLOCK), OF_WARP);
	const int has = of_warp <= lane * VT ? 0 : of_warp - lane * VT < VT ? of_warp - lane * VT : VT;
	bool bad = F::fails_ && nesl_ld_any(failed) != 0;
	T x[VT] = {}, all;

	/* Not by the host: what tasks before this one find there may be on its way.  What failed on the way up is bad here. */
	if constexpr (WAY == NESL_BOTH && F::fails_)
		if (threadIdx.x == 0)
			nesl_st_any(&found->failed, 0u);

	if constexpr (VT == 1) {
		if (has)
			x[0] = f.load_(first + lane);
	} else {
#pragma unroll
		for (int k = 0; k < VT; k++)
			if (const int i = k * 32 + lane; i < of_warp)
				nesl_set(staged[warp][i / VT][i % VT], f.load_(first + i));
		__syncwarp();
#pragma unroll
		for (int k = 0; k < VT; k++)
			if (k < has)
				x[k] = staged[warp][lane][k];
	}
	nesl_up_from_elements(f, x, has, bad);
	all = x[VT - 1];
	nesl_up_from_lanes<32>(f, all, lanes, bad);
	if (lane == 31) {
		nesl_set(root[warp], all);
		fails[warp] = bad;
	}
	__syncthreads();
	if (warp == 0) {
		T y = {};

		if (lane < warps)
			y = root[lane];
		bad = F::fails_ && lane < warps && fails[lane];
		nesl_up_from_lanes<NESL_WARPS>(f, y, warps, bad);
		if (lane == NESL_WARPS - 1) {
			if constexpr (WAY == NESL_BOTH)
				nesl_set(found->total, y);
			if constexpr (WAY == NESL_UP)
				nesl_set(node[blockIdx.x], y);
			else
				y = WAY == NESL_DOWN ? node[blockIdx.x] : before;
		}
		if constexpr (WAY != NESL_UP) {
			nesl_down_to_lanes<NESL_WARPS>(f, y, warps, bad);
			if (lane < NESL_WARPS)
				nesl_set(root[lane], y);
		}
		if constexpr (F::fails_)
			bad = __ballot_sync(NESL_FULL, bad) != 0;
		if (lane == 0)
			fails[NESL_WARPS] = bad;
	}
	if constexpr (WAY != NESL_UP) {
		__syncthreads();
		if (lane == 31)
			all = root[warp];
		bad = F::fails_ && fails[NESL_WARPS];
		nesl_down_to_lanes<32>(f, all, lanes, bad);
		x[VT - 1] = all;
		nesl_down_to_elements(f, x, has, bad);
		if constexpr (VT == 1) {
			if (has)
				f.store_(first + lane, x[0]);
		} else {
#pragma unroll
			for (int k = 0; k < VT; k++)
				nesl_set(staged[warp][lane][k], x[k]);
			__syncwarp();
#pragma unroll
			for (int k = 0; k < VT; k++)
				if (const int i = k * 32 + lane; i < of_warp)
					f.store_(first + i, staged[warp][i / VT][i % VT]);
		}
	}
	if constexpr (F::fails_)
		if (bad) {
			nesl_st_any(failed, 1u);
			nesl_st_any(&found->failed, 1u);
		}
}

/* Nodes as elements. */
template<class F> struct nesl_nodes_f {
	typedef typename F::T T;
	static const bool fails_ = F::fails_;
	F f;
	T *node;
	__device__ T load_(i64 e) const { return node[e]; }
	__device__ void store_(i64 e, T x) const { nesl_set(node[e], x); }
	__device__ T apply_(const T &a, const T &b, bool &failed) const { return f.apply_(a, b, failed); }
};

/* For calls in an operator that may meet a fault, of which no record is made. */
static inline nesl_faults
nesl_unrecorded(void)
{
	i64 depth, most;

	nesl_depth(&depth, &most);
	return nesl_faults{NULL, 0, 0, depth, most, nesl_run.stack};
}

/* A scan that runs: how many nodes there are of each level, by blocks, of which 0 is the elements; where they are. */
template<class T> struct nesl_scan_levels {
	enum { MOST = 64 / 5 };         /* there are 32 in a block at least */
	i64 n[MOST + 2];
	nesl_block *work[MOST + 2];
	T total;
	unsigned *failed;
	nesl_root<T> *found;
	T *node(int k) const { return (T *)work[k]->at; }
};

template<int WAY, class F>
static inline void
nesl_scan_level(const F &f, i64 n, const nesl_scan_levels<typename F::T> &s, typename F::T *node)
{
	NESL_LAUNCH((nesl_scan_by_kernel<WAY, F>), nesl_tiles(n, nesl_under_node<typename F::T>::BLOCK), f, n, node, s.total, s.failed, s.found);
}

template<int WAY, class F>
static inline void
nesl_scan_level(const F &f, int k, const nesl_scan_levels<typename F::T> &s)
{
	typename F::T *const node = WAY == NESL_BOTH ? NULL : s.node(k + 1);

	if (k == 0)
		nesl_scan_level<WAY>(f, s.n[0], s, node);
	else
		nesl_scan_level<WAY>(nesl_nodes_f<F>{f, s.node(k)}, s.n[k], s, node);
}

/* n elements, `total` standing before them; total: what all come to.  Whether no application had a fault; if one had, the
 * program's own way is to say which is the first. */
template<class F>
static inline bool
nesl_scan_by(int task, i64 n, F f, typename F::T *total)
{
	typedef typename F::T T;
	enum { BLOCK = nesl_under_node<T>::BLOCK };
	nesl_scan_levels<T> s = {{n}, {}, *total, NULL, NULL};
	nesl_block *own = NULL;
	const nesl_root<T> *seen;
	int top = 0;

	if (n <= 0)
		return true;
	nesl_task(task, (n > BLOCK ? 2 : 1) * n * (i64)sizeof(T), n * (i64)sizeof(T));
	s.found = nesl_ask(&seen);
	if (F::fails_)
		s.failed = (unsigned *)nesl_zeroed(sizeof *s.failed, &own);
	for (; s.n[top] > BLOCK; top++) {
		s.n[top + 1] = nesl_tiles(s.n[top], BLOCK);
		s.work[top + 1] = nesl_work(s.n[top + 1] * (i64)sizeof(T));
		nesl_scan_level<NESL_UP>(f, top, s);
	}
	nesl_scan_level<NESL_BOTH>(f, top, s);
	for (int k = top; k-- > 0;) {
		nesl_scan_level<NESL_DOWN>(f, k, s);
		nesl_block_free(s.work[k + 1]);
	}
	if (own)
		nesl_block_free(own);
	nesl_await();
	*total = seen->total;
	return !F::fails_ || !seen->failed;
}

#endif

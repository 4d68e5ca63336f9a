#ifndef NESL_SCANS_H
#define NESL_SCANS_H
/* The skeletons that scan and keep (nesl_device.h): nesl_scan, nesl_seg_scan, nesl_pack, nesl_seg_pack.
 *
 * How  One pass, by decoupled look-back (nesl_block.h). */
#include "nesl_functors.h"

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
	SHARED(T[NESL_WARPS + 1], part);
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	T sum;
	const T before = nesl_warp_scan<Fold>(fold, &sum);

	if (lane == 31)
		part[warp] = sum;
	__syncthreads();
	if (warp == 0) {
		const T warps = nesl_warp_scan<Fold>(lane < NESL_WARPS ? part[lane] : Fold::id(), &sum);
		const T earlier = nesl_look_back<Fold>(tile, t, nesl_shfl(sum, 31));

		if (lane <= NESL_WARPS)         /* a part that this lane alone has read; behind them all of them */
			nesl_set(part[lane], Fold::op(earlier, warps));
	}
	__syncthreads();
	*total = part[NESL_WARPS];
	return Fold::op(part[warp], before);
}

/* at[j]: where what this thread keeps of tile t begins in output j; all[j]: where what comes after the tile does. */
template<int K>
static __device__ void
nesl_places_before(nesl_u64 *kept, i64 tiles, i64 t, nesl_counts<K> count, i64 (&at)[K], i64 (&all)[K])
{
	SHARED(int[K][NESL_WARPS], part);
	SHARED(i64[K][NESL_WARPS + 1], base);
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	nesl_counts<K> sum;

	count = nesl_warp_scan<nesl_add_counts<K>>(count, &sum);
#pragma unroll
	for (int j = 0; j < K; j++)
		if (lane == 31)
			part[j][warp] = sum.of[j];
	__syncthreads();
	for (int j = warp; j < K; j += NESL_WARPS) {
		nesl_counts<1> warps = {{lane < NESL_WARPS ? part[j][lane] : 0}}, of_tile;

		warps = nesl_warp_scan<nesl_add_counts<1>>(warps, &of_tile);
		const i64 earlier = nesl_look_back_count(kept + j * tiles, t, nesl_shfl(of_tile.of[0], 31));

		if (lane <= NESL_WARPS)
			base[j][lane] = earlier + warps.of[0];
	}
	__syncthreads();
#pragma unroll
	for (int j = 0; j < K; j++) {
		at[j] = base[j][warp] + count.of[j];
		all[j] = base[j][NESL_WARPS];
	}
}

/* By one thread of the last tile: what the host wants. */
template<class Op, int K, class L, int OUTPUTS>
static __device__ __forceinline__ void
nesl_tell(nesl_found<Op, K, L> *found, typename Op::T fold, const i64 (&all)[OUTPUTS], typename L::T late)
{
	found->fold = fold;
	found->late = late;
#pragma unroll
	for (int j = 0; j < K; j++)
		found->kept[j] = all[j];
}

/* so far, and behind it the fold of what the lanes of a warp have: each lane's own where the order is free, else all of it. */
template<class L>
static __device__ __forceinline__ typename L::T
nesl_fold_lanes(typename L::T so_far, typename L::T x)
{
	typename L::T all = x;

	if constexpr (!L::commutes) {
		nesl_warp_scan<L>(x, &all);
		all = nesl_shfl(all, 31);
	}
	return L::op(so_far, all);
}

/* One tile of a flat space: fold what the elements load, look back for what came before; mask, with that at hand, and look
 * back for the places of what is kept; store; fold over L what that returns, and look back for it.  Of an operator or outputs
 * that are not there nothing remains.
 *
 * A warp has 32 * VT elements and loads and stores them 32 at a time, so that neighbours touch neighbours; it folds them
 * VT to a lane, by way of shared memory. */
template<int VT, class Op, int K, class L, class F>
__global__ void NESL_RESIDENT(!nesl_light<F>::value || nesl_folds<Op>::value || nesl_doubts_kept<F>::value ? 1
	: K == 1 && nesl_early<F>::value ? 4 : 2)
nesl_scan_kernel(F f, i64 n, i64 tiles, nesl_tile<typename Op::T> *tile, nesl_u64 *kept, unsigned *ticket,
	nesl_tile<typename L::T> *late_tile, nesl_found<Op, K, L> *found)
{
	typedef typename Op::T T;
	enum { OUTPUTS = K ? K : 1 };
	const int lane = threadIdx.x & 31;
	const i64 t = nesl_ticket(ticket), first = t * NESL_BD * VT + threadIdx.x / 32 * 32 * VT + lane;
	const bool leads = lane == 0;
	T x[VT], before[VT], fold = Op::id(), total = Op::id();
	typename L::T late = L::id(), all_late = L::id();
	unsigned mask[VT] = {};
	i64 at[OUTPUTS] = {}, all[OUTPUTS] = {};
	typename nesl_brings<F>::Kept brought[VT];
	nesl_doubts doubts = {nesl_acts<F>::value, false};

	const auto each = [&](auto element) {
#pragma unroll
		for (int k = 0; k < VT; k++)
			element(k, first + k * 32 < n ? first + k * 32 : -1);
	};

	if constexpr (nesl_folds<Op>::value) {
		SHARED(T[VT == 1 ? 1 : NESL_WARPS][32][VT + 1], staged);        /* a lane's, and a gap: no banks are shared */
		const int warp = (int)threadIdx.x / 32;

		each([&](int k, i64 e) { x[k] = nesl_load(f, doubts, e); });
		each([&](int k, i64 e) { x[k] = e < 0 ? Op::id() : x[k]; });
		nesl_tell_doubts(doubts, [&](nesl_doubts &telling) { each([&](int, i64 e) { nesl_load(f, telling, e); }); });
		if constexpr (VT > 1) {
#pragma unroll
			for (int k = 0; k < VT; k++)
				nesl_set(staged[warp][(k * 32 + lane) / VT][(k * 32 + lane) % VT], x[k]);
			__syncwarp();
#pragma unroll
			for (int k = 0; k < VT; k++) {
				const T here = staged[warp][lane][k];

				nesl_set(staged[warp][lane][k], fold);
				fold = Op::op(fold, here);
			}
			fold = nesl_fold_before<Op>(tile, t, fold, &total);     /* which has a barrier */
#pragma unroll
			for (int k = 0; k < VT; k++) {
				const int i = k * 32 + lane;

				before[k] = Op::op(nesl_shfl(fold, i / VT), staged[warp][i / VT][i % VT]);
			}
		} else {
			before[0] = nesl_fold_before<Op>(tile, t, x[0], &total);
		}
	}
	if constexpr (K > 0) {
		nesl_counts<K> count = {};

		if constexpr (nesl_early<F>::value)
			each([&](int k, i64 e) { brought[k] = f.bring_(e); });
		each([&](int k, i64 e) { mask[k] = nesl_mask<Op>(f, doubts, brought[k], before[k], e); });
		nesl_tell_doubts(doubts, [&](nesl_doubts &telling) {
			each([&](int k, i64 e) { nesl_mask<Op>(f, telling, brought[k], before[k], e); });
		});
#pragma unroll
		for (int k = 0; k < VT; k++)
#pragma unroll
			for (int j = 0; j < K; j++)
				count.of[j] += __popc(__ballot_sync(NESL_FULL, mask[k] >> j & 1));
		nesl_places_before<K>(kept, tiles, t, leads ? count : nesl_counts<K>{}, at, all);
#pragma unroll
		for (int j = 0; j < K; j++)
			at[j] -= leads ? 0 : count.of[j];
	}
#pragma unroll
	for (int k = 0; k < VT; k++) {
		i64 here[OUTPUTS] = {};

		if constexpr (!nesl_early<F>::value)
			nesl_bring(f, brought, k, [&](int i, const auto &call) { return call(mask[i] ? first + i * 32 : -1); });
#pragma unroll
		for (int j = 0; j < K; j++) {
			const unsigned keep = __ballot_sync(NESL_FULL, mask[k] >> j & 1);

			here[j] = at[j] + __popc(keep & ((1u << lane) - 1));
			at[j] += __popc(keep);
		}
		if constexpr (nesl_folds<L>::value) {
			typename L::T y = L::id();

			if (first + k * 32 < n)
				y = nesl_store<Op, K>(f, before[k], x[k], mask[k], here, brought[k], first + k * 32);
			late = nesl_fold_lanes<L>(late, y);
		} else if (first + k * 32 < n) {
			nesl_store<Op, K>(f, before[k], x[k], mask[k], here, brought[k], first + k * 32);
		}
	}
	if constexpr (nesl_folds<L>::value)
		nesl_fold_before<L>(late_tile, t, L::commutes || leads ? late : L::id(), &all_late);
	if (t == tiles - 1 && threadIdx.x == 0)
		nesl_tell(found, total, all, all_late);
}

/* One tile of a path, the same way, but each thread has its own part of the path.  At a row's end the fold is the row's,
 * and the places are where the next row's outputs begin: neither costs a pass of its own.  What store_ returns is folded
 * in the order of the path, so rows are closed by another walk along it. */
template<int VT, class Op, int K, class L, class F, class S>
__global__ void NESL_RESIDENT(!nesl_light<F>::value || K > 0 ? 1 : nesl_streams<F>::value ? 4 : 3)
nesl_seg_scan_kernel(F f, S rows, i64 n, i64 tot, i64 tiles, const i64 *cuts, nesl_tile<nesl_open<typename Op::T>> *tile, nesl_u64 *kept,
	unsigned *ticket, nesl_tile<nesl_open<typename L::T>> *late_tile, nesl_found<Op, K, L> *found)
{
	typedef nesl_lift<Op> Fold;
	typedef nesl_lift<L> Late;
	typedef typename Fold::T T;
	typedef typename Op::T V;
	enum { OUTPUTS = K ? K : 1, STAGED = VT > 1, ASKS = !nesl_rowless<F>::value, LATE = nesl_folds<L>::value };
	SHARED(V[STAGED ? nesl_path<VT>::TILE : 1], x);
	const i64 t = nesl_ticket(ticket);
	nesl_path<VT> p = nesl_path_cut<VT>(rows, n, tot, t, cuts ? cuts[t] : -1, cuts ? cuts[t + 1] : -1);
	V here[VT];             /* of elements NESL_BD apart */
	unsigned mask[VT] = {};
	T before = Fold::id(), total = Fold::id(), run;
	i64 places[OUTPUTS] = {}, at[OUTPUTS], all[OUTPUTS] = {};
	nesl_doubts doubts = {!STAGED || nesl_acts<F>::value, false}, told = {true, false};

	const auto load = [&](int k, i64 e, i64 s) { return here[k] = nesl_load(f, doubts, e, s); };
	const auto loaded = [&](int e) { return STAGED ? x[e] : here[0]; };
	const auto stage = [&](int k, int e, int) { nesl_set(x[e], here[k]); };

	if constexpr (STAGED && !ASKS)          /* on their way while the row ends are */
		nesl_each_or_none(p, load);
	nesl_path_ends(p, rows);
	if constexpr (STAGED && !ASKS)
		nesl_each_within<VT>(p, stage);
	nesl_tell_loads(p, f, doubts);
	__syncthreads();
	nesl_path_start(p, rows);
	if constexpr (STAGED && ASKS) {
		nesl_find_rows(p, [](int) {});
		nesl_each_or_none(p, load);
		nesl_each_within<VT>(p, stage);
		nesl_tell_loads(p, f, doubts);
		__syncthreads();
	}
	nesl_walk(p, [&](int k, int e, int s) { before.v = Op::op(before.v, STAGED ? loaded(e) : load(k, p.e0 + e, p.s0 + s)); },
		[&](int) { before = T{1, Op::id()}; });
	before = nesl_fold_before<Fold>(tile, t, before, &total);
	if constexpr (K > 0) {
		nesl_counts<K> count = {};

		run = before;
		nesl_walk(p, [&](int k, int e, int s) {
			mask[k] = nesl_mask<Op>(f, told, {}, run.v, p.e0 + e, p.s0 + s);
			run.v = Op::op(run.v, loaded(e));
#pragma unroll
			for (int j = 0; j < K; j++)
				count.of[j] += mask[k] >> j & 1;
		}, [&](int) { run = T{1, Op::id()}; });
		nesl_places_before<K>(kept, tiles, t, count, places, all);
	}
	/* Along the path again, with all that came before. */
	const auto walk = [&](auto element, auto end) {
		run = before;
#pragma unroll
		for (int j = 0; j < OUTPUTS; j++)
			at[j] = places[j];
		nesl_walk(p, [&](int k, int e, int s) {
			const V next = loaded(e);

			element(k, e, s, next);
			run.v = Op::op(run.v, next);
#pragma unroll
			for (int j = 0; j < K; j++)
				at[j] += mask[k] >> j & 1;
		}, [&](int s) {
			end(s);
			run = T{1, Op::id()};
		});
	};

	if constexpr (LATE) {
		typename L::T of[VT];
		typename Late::T late = Late::id(), all_late;

		walk([&](int k, int e, int s, V next) {
			of[k] = nesl_store<Op, K>(f, run.v, next, mask[k], at, {}, p.e0 + e, p.s0 + s);
			late.v = L::op(late.v, of[k]);
		}, [&](int) { late = {1, L::id()}; });
		late = nesl_fold_before<Late>(late_tile, t, late, &all_late);
		walk([&](int k, int, int, V) { late.v = L::op(late.v, of[k]); }, [&](int s) {
			nesl_row<Op, K>(f, p.s0 + s, run.v, at, late.v);
			late = {1, L::id()};
		});
	} else {
		walk([&](int k, int e, int s, V next) {
			if constexpr (K == 0 && STAGED)
				nesl_set(x[e], run.v);
			else
				nesl_store<Op, K>(f, run.v, next, mask[k], at, {}, p.e0 + e, p.s0 + s);
		}, [&](int s) {
			if constexpr (nesl_has_row<F>::value)
				nesl_row<Op, K>(f, p.s0 + s, run.v, at);
		});
		if constexpr (K == 0 && STAGED) {
			__syncthreads();
			nesl_each_within<VT>(p, [&](int k, int e, int s) {
				nesl_store<Op, K>(f, x[e], here[k], 0, at, {}, p.e0 + e, p.s0 + s);
			});
		}
	}
	if (t == tiles - 1 && threadIdx.x == 0)
		nesl_tell(found, total.v, all, L::id());
}

/* One tile of a path of which elements are but kept.  Which of 32 side by side go to output j is a word; with what is kept
 * before each word, the place of an element and of a row's end is a count of bits.  So nothing is in the order of the path. */
template<int VT, int K, class F, class S>
__global__ void NESL_RESIDENT(nesl_light<F>::value ? 3 : 1)
nesl_seg_pack_kernel(F f, S rows, i64 n, i64 tot, i64 tiles, const i64 *cuts, nesl_u64 *kept, unsigned *ticket,
	nesl_found<nesl_nothing, K> *found)
{
	enum { WORDS = nesl_path<VT>::TILE / 32, OF_LANE = (WORDS + 31) / 32 };
	SHARED(unsigned[K][WORDS + 1], keeps);
	SHARED(i64[K][WORDS + 1], place);
	const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	const i64 t = nesl_ticket(ticket);
	nesl_path<VT> p = nesl_path_cut<VT>(rows, n, tot, t, cuts ? cuts[t] : -1, cuts ? cuts[t + 1] : -1);
	unsigned mask[VT] = {};
	typename nesl_brings<F>::Kept brought[VT];
	nesl_doubts doubts = {nesl_acts<F>::value, false};

	/* Does element e of the tile go anywhere? */
	const auto goes_on = [&](int e) {
		unsigned word = 0;

#pragma unroll
		for (int j = 0; j < K; j++)
			word |= keeps[j][e / 32];
		return word >> e % 32 & 1;
	};
	/* The places at element e of the tile; its mask. */
	const auto places = [&](int e, i64 (&at)[K]) {
		unsigned goes = 0;

#pragma unroll
		for (int j = 0; j < K; j++) {
			const unsigned word = keeps[j][e / 32];

			at[j] = place[j][e / 32] + __popc(word & ((1u << e % 32) - 1));
			goes |= (word >> e % 32 & 1) << j;
		}
		return goes;
	};

	nesl_path_ends(p, rows);
	if constexpr (!nesl_rowless<F>::value) {
		__syncthreads();
		nesl_path_start(p, rows);
		nesl_find_rows(p, [](int) {});
	}
	const auto asked = nesl_ask_rows(p, f);

	nesl_each_asks(p, f, asked, [&](auto of) {
		const auto all = [&](nesl_doubts &in) {
			nesl_each_or_none(p, [&](int k, i64 e, i64 s) {
				mask[k] = nesl_where(f, e, s, of((int)(s - p.s0)), [&](const auto &... where) {
					if constexpr (nesl_early<F>::value)
						brought[k] = f.bring_(where...);
					return nesl_mask<nesl_nothing>(f, in, brought[k], nesl_nothing::id(), where...);
				});
			});
		};

		all(doubts);
		nesl_tell_doubts(doubts, all);
	});
#pragma unroll
	for (int k = 0; k < VT; k++)
#pragma unroll
		for (int j = 0; j < K; j++) {
			const unsigned word = __ballot_sync(NESL_FULL, mask[k] >> j & 1);

			if (lane == 0)
				keeps[j][k * NESL_WARPS + warp] = word;
		}
	__syncthreads();
	for (int j = warp; j < K; j += NESL_WARPS) {
		const int first = lane * OF_LANE;
		nesl_counts<1> here = {}, all;

		for (int w = first; w < first + OF_LANE && w < WORDS; w++)
			here.of[0] += __popc(keeps[j][w]);
		here = nesl_warp_scan<nesl_add_counts<1>>(here, &all);
		i64 at = nesl_look_back_count(kept + j * tiles, t, nesl_shfl(all.of[0], 31)) + here.of[0];

		for (int w = first; w < first + OF_LANE && w < WORDS; w++) {
			place[j][w] = at;
			at += __popc(keeps[j][w]);
		}
		if (lane == 31) {               /* where nothing is left */
			place[j][WORDS] = at;
			keeps[j][WORDS] = 0;
		}
	}
	__syncthreads();
	nesl_each_asks(p, f, asked, [&](auto of) {
		nesl_each_within<VT>(p, [&](int k, int e, int s) {
			i64 at[K];

			if constexpr (!nesl_early<F>::value)
				nesl_bring(f, brought, k, [&](int i, const auto &call) {
					const int next = i * NESL_BD + (int)threadIdx.x;
					const bool is = next < p.ne && goes_on(next);
					const int row = p.row && is ? p.row[next] : 0;

					return nesl_where(f, is ? p.e0 + next : -1, p.s0 + row, of(row), call);
				});
			const unsigned goes = places(e, at);

			nesl_where(f, p.e0 + e, p.s0 + s, of(s), [&](const auto &... where) {
				nesl_store<nesl_nothing, K>(f, nesl_nothing::id(), nesl_nothing::id(), goes, at, brought[k], where...);
			});
		});
	});
	if constexpr (nesl_has_row<F>::value)
		for (int s = (int)threadIdx.x; s < p.ns; s += NESL_BD) {
			i64 at[K];

			places(p.ends[s], at);
			f.row_(p.s0 + s, at);
		}
	if (t == tiles - 1 && threadIdx.x == 0) {
		i64 at[K];

		places(p.ne, at);
		nesl_tell(found, nesl_nothing::id(), at, nesl_nothing::id());
	}
}

/* The kernel, by start(tile states, states of K counts, ticket, tile states of what is folded late, what is found). */
template<class Op, int K, class L, class Tile, class Late, class Start>
static inline const nesl_found<Op, K, L> *
nesl_scan_tiles(i64 tiles, Start start)
{
	const i64 words = (16 + tiles * K * (i64)sizeof(nesl_u64) + 15) / 16 * 16;
	const i64 states = nesl_folds<Op>::value ? (tiles * (i64)sizeof(Tile) + 15) / 16 * 16 : 0;
	const nesl_found<Op, K, L> *seen;
	nesl_found<Op, K, L> *found;
	nesl_block *work;
	char *at;

	static_assert(K <= 8, "at most 8 outputs");
	if (tiles <= 0)
		return nesl_know(nesl_found<Op, K, L>{Op::id(), {}, L::id()});
	at = (char *)nesl_zeroed(words + states + (nesl_folds<L>::value ? tiles * (i64)sizeof(Late) : 0), &work);
	found = nesl_ask(&seen);
	start((Tile *)(at + words), (nesl_u64 *)(at + 16), (unsigned *)at, (Late *)(at + words + states), found);
	nesl_drop(work);
	return seen;
}

/* f.store_(e, fold of f.load_ over the elements before e) for each of n elements e; what goes to K outputs; the fold over L
 * of what store_ returns, if it is wanted */
template<class Op, int K = 0, class L = nesl_nothing, class F>
static inline const nesl_found<Op, K, L> *
nesl_scan(i64 n, F f)
{
	enum { MOST = nesl_early<F>::value ? (int)nesl_brought<F, 2 * NESL_VT>::AT_ONCE : 2 * NESL_VT };
	enum { VT = nesl_items_apart(sizeof(typename Op::T), MOST) };
	typedef nesl_tile<typename Op::T> Tile;
	typedef nesl_tile<typename L::T> Late;
	const i64 tiles = nesl_tiles(n, NESL_BD * VT);

	return nesl_scan_tiles<Op, K, L, Tile, Late>(tiles, [&](Tile *tile, nesl_u64 *kept, unsigned *ticket, Late *late,
		nesl_found<Op, K, L> *found) {
		NESL_LAUNCH((nesl_scan_kernel<VT, Op, K, L, F>), tiles, f, n, tiles, tile, kept, ticket, late, found);
	});
}

/* The same within each row */
template<class Op, int K = 0, class L = nesl_nothing, class D, class F>
static inline const nesl_found<Op, K, L> *
nesl_seg_scan(D s, F f)
{
	enum { WALKS = K > 0 || nesl_folds<L>::value };
	enum { VT = nesl_path_items(sizeof(typename Op::T), WALKS ? NESL_VT * 11 / 8 : 2 * NESL_VT - 1) };
	typedef nesl_tile<nesl_open<typename Op::T>> Tile;
	typedef nesl_tile<nesl_open<typename L::T>> Late;
	const i64 tot = nesl_total(s), all = tot > 0 || nesl_has_row<F>::value ? s.rows + tot : 0;
	const i64 tiles = nesl_tiles(all, nesl_path<VT>::TILE);
	nesl_block *const cuts = nesl_cut_path<VT>(nesl_rows_at(s), s.rows, tot, tiles);
	const nesl_found<Op, K, L> *seen;

	seen = nesl_scan_tiles<Op, K, L, Tile, Late>(tiles, [&](Tile *tile, nesl_u64 *kept, unsigned *ticket, Late *late,
		nesl_found<Op, K, L> *found) {
		NESL_LAUNCH((nesl_seg_scan_kernel<VT, Op, K, L, F, decltype(nesl_rows_at(s))>), tiles, f, nesl_rows_at(s), s.rows,
			tot, tiles, (const i64 *)(cuts ? cuts->at : NULL), tile, kept, ticket, late, found);
	});
	nesl_drop(cuts);
	return seen;
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
	enum { MOST = nesl_early<F>::value ? (int)nesl_brought<F, NESL_VT * 11 / 8>::AT_ONCE : NESL_VT * 11 / 8 };
	enum { VT = nesl_path_items(1, MOST) };
	const i64 tot = nesl_total(s), all = tot > 0 || nesl_has_row<F>::value ? s.rows + tot : 0;
	const i64 tiles = nesl_tiles(all, nesl_path<VT>::TILE);
	nesl_block *const cuts = nesl_cut_path<VT>(nesl_rows_at(s), s.rows, tot, tiles);
	const nesl_found<nesl_nothing, K> *seen;

	seen = nesl_scan_tiles<nesl_nothing, K, nesl_nothing, nesl_nothing, nesl_nothing>(tiles, [&](nesl_nothing *, nesl_u64 *kept,
		unsigned *ticket, nesl_nothing *, nesl_found<nesl_nothing, K> *found) {
		NESL_LAUNCH((nesl_seg_pack_kernel<VT, K, F, decltype(nesl_rows_at(s))>), tiles, f, nesl_rows_at(s), s.rows, tot, tiles,
			(const i64 *)(cuts ? cuts->at : NULL), kept, ticket, found);
	});
	nesl_drop(cuts);
	return seen;
}

/* -- packs that are counted first ---------------------------------------------------------------------- */
/* F, but nothing is stored. */
template<class F> struct nesl_counting : F {
	template<class... Where> __device__ void store_(const Where &...) const {}
	struct row_;    /* hides that of F, so there is none */
};

template<int K, class F>
static inline const nesl_found<nesl_nothing, K> *
nesl_count(i64 n, F f)
{
	return nesl_pack<K>(n, nesl_counting<F>{f});
}

template<int K, class F>
static inline const nesl_found<nesl_nothing, K> *
nesl_count(nesl_segdes s, F f)
{
	return nesl_seg_pack<K>(s, nesl_counting<F>{f});
}

template<int K, class F>
static inline const nesl_found<nesl_nothing, K> *
nesl_count(nesl_grid s, F f)
{
	return nesl_seg_pack<K>(s, nesl_counting<F>{f});
}

/* For how many elements each of K outputs needs memory, where one of each takes `size` bytes together: for all n, or, where that is
 * more than was ever needed, as many as come, and then the space is walked once more, which reads so many bytes.  The outputs
 * are unset in f.  Has it counted? */
template<int K, class D, class F>
static inline bool
nesl_rooms(D space, i64 n, i64 size, i64 read, i64 (&room)[K], F f)
{
	const size_t asked = nesl_run.asked;

	for (int j = 0; j < K; j++)
		room[j] = n;
	if constexpr (!nesl_acts<F>::value)
		if (nesl_is_much(n, size)) {
			const nesl_found<nesl_nothing, K> *const found = nesl_count<K>(space, f);

			nesl_run.task->bytes_read += read;
			nesl_sync();            /* what other tasks have found stays */
			memcpy(room, found->kept, sizeof room);
			nesl_run.asked = asked;
			return true;
		}
	return false;
}

/* Two outputs of T, of which the second will be appended to the first: where both are counted it is behind it from the beginning, in
 * its block. */
template<class T>
static inline void
nesl_new_two(bool counted, nesl_vec<T> &a, i64 na, nesl_vec<T> &b, i64 nb)
{
	a = nesl_new<T>(counted ? na + nb : na);
	b = counted && a.block ? nesl_vec<T>{a.at + na, nb, NULL} : nesl_new<T>(nb);
	a.n = na;
}

#endif

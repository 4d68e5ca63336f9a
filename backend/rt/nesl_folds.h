#ifndef NESL_FOLDS_H
#define NESL_FOLDS_H
/* The skeletons that map and fold (nesl_device.h): nesl_map, nesl_expand, nesl_reduce, nesl_seg_reduce. */
#include "nesl_puts.h"

/* -- map, expand ------------------------------------------------------------------------------------- */
template<int V, class F>
static __device__ __forceinline__ void
nesl_map_tile(const F &f, i64 n, i64 tile)
{
	enum { ROUNDS = nesl_part_of<V>::ROUNDS };
	const i64 mine = tile * nesl_part_of<V>::TILE + (int)threadIdx.x * V;
	typename nesl_brings<F>::Kept brought[ROUNDS];
	const auto place = [&](int i, const auto &call) {
		const i64 e = mine + i * NESL_BD;

		return call(e < n ? e : -1);
	};

#pragma unroll
	for (int r = 0; r < ROUNDS; r++) {
		const i64 first = mine + r * NESL_BD * V;

		if constexpr (V == 1) {
			nesl_bring(f, brought, r, place);
			if (first < n)
				nesl_visit(f, brought[r], first);
		} else {
#pragma unroll
			for (int k = 0; k < V; k++)
				if (first + k < n)
					f(nesl_one_of<V>{first, k});
		}
	}
}

template<int V, class F>
__global__ void
nesl_map_kernel(F f, i64 n)
{
	nesl_map_tile<V>(f, n, blockIdx.x);
}

/* Block g has q tiles, and puts at places of its own. */
template<int V, class F>
__global__ void
nesl_put_kernel(F f, i64 n, i64 q)
{
	SHARED(nint[NESL_PLACES], own);

	f.begin_(own);
	__syncthreads();
	for (i64 t = blockIdx.x * q; t < (blockIdx.x + 1) * q; t++)
		nesl_map_tile<V>(f, n, t);
	__syncthreads();
	f.end_();
}

static inline i64 nesl_share(i64 tiles);

/* f(e) for the n elements e.  Blocks have places of their own if these are few, and four times fewer than a block's elements. */
template<class F>
static inline void
nesl_map(i64 n, F f)
{
	enum { V = nesl_neighbours<decltype(&F::operator())>::V, TILE = nesl_part_of<V>::TILE };
	const i64 tiles = nesl_tiles(n, TILE);

	if constexpr (nesl_has_puts<F>::value) {
		const i64 q = nesl_share(tiles), places = f.places_();

		if (n > 0 && places <= NESL_PLACES && 4 * places <= q * TILE) {
			NESL_LAUNCH((nesl_put_kernel<V, F>), nesl_tiles(tiles, q), f, n, q);
			return;
		}
	}
	NESL_LAUNCH((nesl_map_kernel<V, F>), tiles, f, n);
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
	nesl_path<> p = nesl_path_cut<NESL_VT>(rows, n, tot, blockIdx.x);

	nesl_path_ends(p, rows);
	__syncthreads();
	nesl_path_start(p, rows);
	nesl_find_rows(p, [&](int s) {
		if constexpr (nesl_has_row<F>::value)
			f.row_(p.s0 + s);
	});
	nesl_each_asks(p, f, nesl_ask_rows(p, f), [&](auto of) {
		typename nesl_brings<F>::Kept brought[NESL_VT];
		const auto place = [&](int i, const auto &call) {
			const int e = i * NESL_BD + (int)threadIdx.x, s = e < p.ne ? p.row[e] : 0;

			return nesl_where(f, e < p.ne ? p.e0 + e : -1, p.s0 + s, of(s), call);
		};

		nesl_each_within<NESL_VT>(p, [&](int k, int e, int s) {
			nesl_bring(f, brought, k, place);
			nesl_where(f, p.e0 + e, p.s0 + s, of(s), [&](const auto &... where) { nesl_visit(f, brought[k], where...); });
		});
	});
}

template<class F>
__global__ void
nesl_grid_kernel(F f, nesl_grid g, i64 tot)
{
	const i64 first = (i64)blockIdx.x * NESL_TILE + threadIdx.x;
	typename nesl_brings<F>::Kept brought[NESL_VT];
	const auto place = [&](int i, const auto &call) {
		const i64 e = first + i * NESL_BD, s = e < tot ? nesl_grid_row(g, e) : 0;

		return nesl_where(f, e < tot ? e : -1, s, nesl_of_row(f, s), call);
	};

#pragma unroll
	for (int k = 0; k < NESL_VT; k++) {
		nesl_bring(f, brought, k, place);
		if (first + k * NESL_BD < tot)
			place(k, [&](const auto &... where) { nesl_visit(f, brought[k], where...); });
	}
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
/* element(k, i) for the things i of n that this thread has, when threads have at most so many each, in order. */
enum { NESL_SHARES_EACH = (NESL_SHARES + NESL_BD - 1) / NESL_BD };
template<class Element>
static __device__ __forceinline__ void
nesl_each_share(unsigned n, Element element)
{
	const unsigned each = (n + NESL_BD - 1) / NESL_BD, from = threadIdx.x * each;

#pragma unroll
	for (unsigned k = 0; k < NESL_SHARES_EACH; k++)
		if (k < each && from + k < n)
			element(k, from + k);
}

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
	typename Op::T of[NESL_SHARES_EACH];

	acc = Op::id();
	nesl_each_share(gridDim.x, [&](unsigned k, unsigned i) { of[k] = part[i]; });
	nesl_each_share(gridDim.x, [&](unsigned k, unsigned) { acc = Op::op(acc, of[k]); });
	nesl_block_scan<Op>(acc, &total);
	if (threadIdx.x == 0)
		found->fold = total;
}

/* Block g folds q tiles in order; the last block to finish folds the blocks' parts, in order too. */
template<int V, class Op, class F>
__global__ void
nesl_reduce_kernel(F f, i64 n, i64 q, typename Op::T *part, unsigned *done, nesl_found<Op, 0> *found)
{
	typedef typename Op::T T;
	enum { ROUNDS = nesl_part_of<V>::ROUNDS, TILE = nesl_part_of<V>::TILE };
	const i64 first = (i64)blockIdx.x * q * TILE, end = first + q * TILE < n ? first + q * TILE : n;
	T acc = Op::id(), run = Op::id(), total;
	nesl_doubts doubts = {nesl_acts<F>::value, false};

	for (i64 tile = first; tile < end; tile += TILE) {
		const auto each = [&](nesl_doubts &in, auto element) {
#pragma unroll
			for (int r = 0; r < ROUNDS; r++) {
				/* threads touch what lies side by side, where the order is free */
				const i64 mine = tile + (Op::commutes ? r * NESL_BD + (int)threadIdx.x : (int)threadIdx.x * ROUNDS + r) * V;

#pragma unroll
				for (int k = 0; k < V; k++)
					if constexpr (V == 1)
						element(mine < end, nesl_load(f, in, mine < end ? mine : -1));
					else if (mine + k < end)
						element(true, nesl_load(f, in, nesl_one_of<V>{mine, k}));
			}
		};

		each(doubts, [&](bool is, T x) { run = is ? Op::op(run, x) : run; });
		nesl_tell_doubts(doubts, [&](nesl_doubts &telling) { each(telling, [](bool, T) {}); });
		if constexpr (!Op::commutes) {          /* else the threads' own suffice until the end */
			nesl_block_scan<Op>(run, &total);
			acc = Op::op(acc, total);
			run = Op::id();
		}
	}
	if constexpr (Op::commutes)
		nesl_block_scan<Op>(run, &acc);
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
		return nesl_know(nesl_found<Op, 0>{Op::id(), {}, {}});
	work = nesl_work(blocks * (i64)sizeof(typename Op::T));
	found = nesl_ask(&seen);
	NESL_LAUNCH((nesl_reduce_kernel<V, Op, F>), blocks, f, n, q, (typename Op::T *)work->at, &nesl_run.notes->done, found);
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
 * by the thread that meets its end if the row begins in the share, else by the last block.  Where the order is free and a row
 * goes on for a whole tile, threads keep what they have.  Elements that are but read are on their way a tile ahead. */
template<int VT, class Op, class R, class F, class S>
__global__ void NESL_RESIDENT(!nesl_light<F>::value ? 1 : nesl_resident(sizeof(typename Op::T), Op::commutes ? 4 : 3))
nesl_seg_reduce_kernel(F f, S ends, i64 n, i64 tot, i64 q, const i64 *cuts, nesl_ends<typename Op::T, typename R::T> *share,
	unsigned *done, nesl_found<R, 0> *found)
{
	typedef typename Op::T V;
	typedef nesl_open<V> T;
	typedef nesl_lift<Op> Lift;
	typedef nesl_path<VT> Path;
	enum { STAGED = VT > 1, ASKS = !nesl_rowless<F>::value, AHEAD = STAGED && !ASKS && nesl_streams<F>::value };
	SHARED(V[STAGED ? Path::TILE : 1], x);  /* the elements of a tile, and behind them the folds of its rows */
	const i64 g = blockIdx.x, tiles = (n + tot + Path::TILE - 1) / Path::TILE;
	const i64 end = (g + 1) * q < tiles ? (g + 1) * q : tiles;
	V here[VT];             /* of elements NESL_BD apart */
	nesl_doubts doubts = {!STAGED || nesl_acts<F>::value, false};
	const auto load = [&](const Path &p) {
		nesl_each_or_none(p, [&](int k, i64 e, i64 s) { here[k] = nesl_load(f, doubts, e, s); });
	};
	const auto tell = [&](const Path &p) { nesl_tell_loads(p, f, doubts); };
	typename R::T rows = R::id();
	T carry = Lift::id(), total, before;
	V kept = Op::id();
	bool keeps = false;
	Path next = nesl_path_cut<VT>(ends, n, tot, g * q, cuts ? cuts[g * q] : -1, cuts ? cuts[g * q + 1] : -1);

	const auto settle = [&] {
		V sum;

		if (!keeps)
			return;
		nesl_block_scan<Op>(kept, &sum);
		carry.v = Op::op(carry.v, sum);
		kept = Op::id();
		keeps = false;
	};

	if constexpr (AHEAD)
		load(next);
	/* the barriers below stand before any thread writes a row here */
	if (threadIdx.x == 0)
		share[g].row = -1;
	for (i64 t = g * q; t < end; t++) {
		const bool goes_on = Op::commutes && next.ns == 0;
		Path p = next;
		T run = Lift::id();

		if constexpr (STAGED && !ASKS && !AHEAD)
			load(p);
		if (goes_on) {
			if constexpr (!STAGED || ASKS)
				load(p);
			tell(p);
			nesl_each_within<VT>(p, [&](int k, int, int) { kept = Op::op(kept, here[k]); });
			keeps = true;
		} else {
			__syncthreads();        /* all are done with the tile before */
			nesl_path_ends(p, ends);
			if constexpr (STAGED && !ASKS)
				nesl_each_within<VT>(p, [&](int k, int e, int) { nesl_set(x[e], here[k]); });
			if constexpr (!ASKS)
				tell(p);
			__syncthreads();
		}
		if (t + 1 < end) {
			next = nesl_path_cut<VT>(ends, n, tot, t + 1, p.s0 + p.ns, cuts ? cuts[t + 2] : -1);
			if constexpr (AHEAD)
				load(next);
		}
		if (goes_on)
			continue;
		settle();
		nesl_path_start(p, ends);
		if constexpr (STAGED && ASKS) {
			nesl_find_rows(p, [](int) {});
			load(p);
			nesl_each_within<VT>(p, [&](int k, int e, int) { nesl_set(x[e], here[k]); });
			tell(p);
			__syncthreads();
		}
		nesl_walk(p, [&](int, int e, int s) {
			run.v = Op::op(run.v, STAGED ? x[e] : nesl_load(f, doubts, p.e0 + e, p.s0 + s));
		}, [&](int s) {
			if (STAGED)
				nesl_set(x[p.ne + s], run.v);
			run = T{1, Op::id()};
		});
		before = Lift::op(carry, nesl_block_scan<Lift>(run, &total));
		if constexpr (STAGED) {
			if (run.f)
				nesl_set(x[p.ne + p.s], Op::op(before.v, x[p.ne + p.s]));
			__syncthreads();
		}
		for (int first = 0; first < p.ns; first += NESL_BD) {
			const int s = STAGED ? first + (int)threadIdx.x : run.f ? p.s : p.ns;
			typename R::T row = R::id();

			if (s < p.ns) {
				const V all = STAGED ? x[p.ne + s] : before.v;

				if (s > 0 || carry.f || g == 0) {
					row = nesl_close<R>(f, p.s0 + s, all);
				} else {
					share[g].head = all;
					share[g].row = p.s0;
				}
			}
			rows = nesl_with_rows<R>(rows, row);
		}
		carry = Lift::op(carry, total);
	}
	settle();
	if (threadIdx.x == 0) {
		share[g].tail = carry;
		share[g].rows = rows;
	}
	if (!nesl_last_block(done))
		return;
	T tail[NESL_SHARES_EACH];

	carry = Lift::id();
	rows = R::id();
	nesl_each_share(gridDim.x, [&](unsigned k, unsigned i) { tail[k] = share[i].tail; });
	nesl_each_share(gridDim.x, [&](unsigned k, unsigned) { carry = Lift::op(carry, tail[k]); });
	before = nesl_block_scan<Lift>(carry, &total);
	nesl_each_share(gridDim.x, [&](unsigned k, unsigned i) {
		if (share[i].row >= 0)
			rows = R::op(rows, nesl_close<R>(f, share[i].row, Op::op(before.v, share[i].head)));
		rows = R::op(rows, share[i].rows);
		before = Lift::op(before, tail[k]);
	});
	rows = nesl_with_rows<R>(R::id(), rows);
	if (threadIdx.x == 0)
		found->fold = rows;
}

/* f.row_(s, fold of f.load_(e, s) over the elements e of row s) for each row s, the empty ones too; the fold over
 * R of what row_ gives, if it is wanted. */
template<class Op, class R = nesl_nothing, class D, class F>
static inline const nesl_found<R, 0> *
nesl_seg_reduce(D s, F f)
{
	enum { VT = nesl_path_items(sizeof(typename Op::T), nesl_streams<F>::value ? NESL_VT * 11 / 8 : NESL_VT * 9 / 8) };
	typedef nesl_ends<typename Op::T, typename R::T> Ends;
	const i64 tot = nesl_total(s), tiles = nesl_tiles(s.rows + tot, nesl_path<VT>::TILE), q = nesl_share(tiles);
	const nesl_found<R, 0> *seen;
	nesl_found<R, 0> *found;
	nesl_block *work, *cuts;
	i64 blocks;

	if (s.rows <= 0)
		return nesl_know(nesl_found<R, 0>{R::id(), {}, {}});
	blocks = (tiles + q - 1) / q;
	cuts = nesl_cut_path<VT>(nesl_rows_at(s), s.rows, tot, tiles);
	work = nesl_work(blocks * (i64)sizeof(Ends));
	found = nesl_ask(&seen);
	NESL_LAUNCH((nesl_seg_reduce_kernel<VT, Op, R, F, decltype(nesl_rows_at(s))>), blocks, f, nesl_rows_at(s), s.rows, tot, q,
		(const i64 *)(cuts ? cuts->at : NULL), (Ends *)work->at, &nesl_run.notes->done, found);
	nesl_block_free(work);
	nesl_drop(cuts);
	return seen;
}

#endif

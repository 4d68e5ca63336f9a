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
 * How  Spaces with rows are walked along the merge path; scans and packs take one pass by decoupled look-back (nesl_block.h).
 *      A functor is called once for each element and phase.  Blocks leave as wholes. */
#include "nesl_block.h"

/* -- functors ------------------------------------------------------------------------------------------ */
/* A functor has methods for what there is to do:
 *
 *     f(e, s)                  at element e of row s, where nothing is folded
 *     f.load_(e, s)            what element e gives to the fold
 *     f.mask_(e, s, before)    bit j: e goes to output j
 *     f.store_(e, s, before, here, mask, at)    the fold of the elements before e in its row, what load_ gave,
 *                              what mask_ gave, and at which place of output j it would be element at[j]
 *     f.row_(s, all, at, late) at the end of row s: the fold of all of it, the next place of each output, and what
 *                              store_ returned folded
 *
 * What elements ask of their row, where that is much, is of a type F::Row: f.ask_(s) finds it, and behind s stands what it found.
 * s is left out in a flat space, before, here and all where nothing is folded, mask and at where nothing is kept, late where
 * store_ returns nothing.  Where load_
 * or mask_ may find a fault it takes the doubts of those that are loaded together first. */
template<class F, class = void> struct nesl_has_row {
	static const bool value = false;
};
template<class F> struct nesl_has_row<F, decltype((void)&F::row_)> {
	static const bool value = true;
};

/* What a functor says of itself; what it does not say is not so. */
#define NESL_FACT(says, fact) \
	template<class F, class = void> struct says { \
		static const bool value = false; \
	}; \
	template<class F> struct says<F, decltype((void)F::fact)> { \
		static const bool value = F::fact; \
	}
/* load_ and, unless it folds and keeps, mask_ and store_ of a space with rows do not ask for s */
NESL_FACT(nesl_rowless, rowless);
/* load_ reads nothing but what is the element's own, and finds no fault */
NESL_FACT(nesl_streams, streams);
/* load_ or mask_ do more than read: store, put, call scalar functions */
NESL_FACT(nesl_acts, acts);
/* few steps and one fold, so few registers: its time is that of loads */
NESL_FACT(nesl_light, light);
#undef NESL_FACT

/* Does a method take doubts? */
template<class Method> struct nesl_doubts_in {
	static const bool value = false;
};
template<class F, class R, class... Where> struct nesl_doubts_in<R (F::*)(nesl_doubts &, Where...) const> {
	static const bool value = true;
};

/* -- rows that are asked ------------------------------------------------------------------------------- */
template<class F, class = void> struct nesl_asks {
	static const bool value = false;
};
template<class F> struct nesl_asks<F, decltype((void)&F::ask_)> {
	static const bool value = true;
};

struct nesl_unasked {};

/* What a functor says of row s. */
template<class F>
static __device__ __forceinline__ auto
nesl_of_row(const F &f, i64 s)
{
	if constexpr (nesl_asks<F>::value)
		return f.ask_(s);
	else
		return nesl_unasked{};
}

/* f(e, s), in a map, and f.store_(e, s, mask, at), in a pack, with what it says of s. */
template<class F, class Row>
static __device__ __forceinline__ void
nesl_visit(const F &f, i64 e, i64 s, const Row &of)
{
	if constexpr (nesl_asks<F>::value)
		f(e, s, of);
	else
		f(e, s);
}

template<int K, class F, class Row>
static __device__ __forceinline__ void
nesl_keep(const F &f, i64 e, i64 s, const Row &of, unsigned mask, const i64 (&at)[K])
{
	if constexpr (nesl_asks<F>::value)
		f.store_(e, s, of, mask, at);
	else
		f.store_(e, s, mask, at);
}

/* What the rows of a tile, whose starts are known, are asked: once each, side by side; NULL: there are more than there is room for.
 * Ends with a barrier. */
enum { NESL_ASKED = 8192 };             /* bytes of shared memory */

template<int VT, class F>
static __device__ __forceinline__ auto
nesl_ask_rows(const nesl_path<VT> &p, const F &f)
{
	if constexpr (!nesl_asks<F>::value) {
		return nesl_unasked{};
	} else {
		typedef decltype(f.ask_(0)) Row;
		enum { ROWS = NESL_ASKED / sizeof(Row) };
		SHARED(Row[ROWS], asked);

		if (p.ns >= ROWS)
			return (const Row *)NULL;
		for (int s = (int)threadIdx.x; s <= p.ns; s += NESL_BD)
			nesl_set(asked[s], f.ask_(p.s0 + s));
		__syncthreads();
		return (const Row *)asked;
	}
}

/* each(of), where of(s) is what f says of row s of the tile: what it was asked, or is now. */
template<int VT, class F, class Row, class Each>
static __device__ __forceinline__ void
nesl_each_asks(const nesl_path<VT> &p, const F &f, const Row *asked, Each each)
{
	if (asked)
		each([&](int s) { return asked[s]; });
	else
		each([&](int s) { return f.ask_(p.s0 + s); });
}

template<int VT, class F, class Each>
static __device__ __forceinline__ void
nesl_each_asks(const nesl_path<VT> &, const F &, nesl_unasked, Each each)
{
	each([](int) { return nesl_unasked{}; });
}

/* -- elements ------------------------------------------------------------------------------------------ */
/* What load_ gives of element e; of e = -1, which is none, something without meaning.  So many elements, or none, are loaded
 * without a branch between them, and all are on their way at once.  row: s in a space with rows */
template<class F, class E, class... Row>
static __device__ __forceinline__ auto
nesl_load(const F &f, nesl_doubts &doubts, E e, Row... row)
{
	if constexpr (nesl_doubts_in<decltype(&F::load_)>::value) {
		typedef decltype(f.load_(doubts, e, row...)) T;

		return nesl_acts<F>::value && e < 0 ? T{} : f.load_(doubts, e, row...);
	} else {
		typedef decltype(f.load_(e, row...)) T;

		return nesl_acts<F>::value && e < 0 ? T{} : f.load_(e, row...);
	}
}

/* Of a batch that each(doubts) has loaded. */
template<class Each>
static __device__ __forceinline__ void
nesl_tell_doubts(nesl_doubts &doubts, Each each)
{
	nesl_doubts telling = {true, false};

	if (doubts.any)
		each(telling);
	doubts.any = false;
}

/* Of the elements of a tile; one after the other, as this is seldom done. */
template<int VT, class F>
static __device__ __forceinline__ void
nesl_tell_loads(const nesl_path<VT> &p, const F &f, nesl_doubts &doubts)
{
	nesl_tell_doubts(doubts, [&](nesl_doubts &telling) {
		nesl_each_within<1>(p, [&](int, int e, int s) { nesl_load(f, telling, p.e0 + e, p.s0 + s); });
	});
}

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

/* What a walk finds for the host: the fold of a flat space, or of all rows; how many elements each output got; of a flat
 * space also the fold, over L, of what store_ returned. */
template<class Op, int K, class L = nesl_nothing> struct nesl_found {
	typename Op::T fold;
	i64 kept[K ? K : 1];
	typename L::T late;
};

/* The same of mask_: no element goes nowhere. */
template<class Op, class F, class... Row>
static __device__ __forceinline__ unsigned
nesl_mask(const F &f, nesl_doubts &doubts, const typename Op::T &before, i64 e, Row... row)
{
	unsigned mask;

	if (nesl_acts<F>::value && e < 0)
		return 0;
	if constexpr (nesl_doubts_in<decltype(&F::mask_)>::value && nesl_folds<Op>::value)
		mask = f.mask_(doubts, e, row..., before);
	else if constexpr (nesl_doubts_in<decltype(&F::mask_)>::value)
		mask = f.mask_(doubts, e, row...);
	else if constexpr (nesl_folds<Op>::value)
		mask = f.mask_(e, row..., before);
	else
		mask = f.mask_(e, row...);
	return e < 0 ? 0 : mask;
}

/* What store_ returns, if anything.  where: e, and s in a space with rows */
template<class Op, int K, class F, class... Where>
static __device__ __forceinline__ auto
nesl_store(const F &f, const typename Op::T &before, const typename Op::T &here, unsigned mask, const i64 (&at)[K ? K : 1],
	Where... where)
{
	if constexpr (K == 0)
		return f.store_(where..., before, here);
	else if constexpr (nesl_folds<Op>::value)
		return f.store_(where..., before, here, mask, at);
	else
		return f.store_(where..., mask, at);
}

/* late: what store_ returned, folded; nothing if it returns nothing */
template<class Op, int K, class F, class... Late>
static __device__ __forceinline__ void
nesl_row(const F &f, i64 s, const typename Op::T &all, const i64 (&at)[K ? K : 1], Late... late)
{
	if constexpr (K == 0)
		f.row_(s, all, late...);
	else if constexpr (nesl_folds<Op>::value)
		f.row_(s, all, at, late...);
	else
		f.row_(s, at);
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
	nesl_path<> p = nesl_path_cut<NESL_VT>(rows, n, tot, blockIdx.x);

	nesl_path_ends(p, rows);
	__syncthreads();
	nesl_path_start(p, rows);
	nesl_find_rows(p, [&](int s) {
		if constexpr (nesl_has_row<F>::value)
			f.row_(p.s0 + s);
	});
	nesl_each_asks(p, f, nesl_ask_rows(p, f), [&](auto of) {
		nesl_each_within<NESL_VT>(p, [&](int, int e, int s) { nesl_visit(f, p.e0 + e, p.s0 + s, of(s)); });
	});
}

template<class F>
__global__ void
nesl_grid_kernel(F f, nesl_grid g, i64 tot)
{
	const i64 first = (i64)blockIdx.x * NESL_TILE + threadIdx.x;

	for (int k = 0; k < NESL_VT; k++)
		if (first + k * NESL_BD < tot)
			nesl_visit(f, first + k * NESL_BD, nesl_grid_row(g, first + k * NESL_BD),
				nesl_of_row(f, nesl_grid_row(g, first + k * NESL_BD)));
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
__global__ void NESL_RESIDENT(!nesl_light<F>::value ? 1 : Op::commutes ? 4 : 3)
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
__global__ void NESL_RESIDENT(nesl_light<F>::value && !nesl_folds<Op>::value && K == 1 ? 4 : 1)
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

		each([&](int k, i64 e) { mask[k] = nesl_mask<Op>(f, doubts, before[k], e); });
		nesl_tell_doubts(doubts, [&](nesl_doubts &telling) {
			each([&](int k, i64 e) { nesl_mask<Op>(f, telling, before[k], e); });
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

#pragma unroll
		for (int j = 0; j < K; j++) {
			const unsigned keep = __ballot_sync(NESL_FULL, mask[k] >> j & 1);

			here[j] = at[j] + __popc(keep & ((1u << lane) - 1));
			at[j] += __popc(keep);
		}
		if constexpr (nesl_folds<L>::value) {
			typename L::T y = L::id();

			if (first + k * 32 < n)
				y = nesl_store<Op, K>(f, before[k], x[k], mask[k], here, first + k * 32);
			late = nesl_fold_lanes<L>(late, y);
		} else if (first + k * 32 < n) {
			nesl_store<Op, K>(f, before[k], x[k], mask[k], here, first + k * 32);
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
			mask[k] = nesl_mask<Op>(f, told, run.v, p.e0 + e, p.s0 + s);
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
			of[k] = nesl_store<Op, K>(f, run.v, next, mask[k], at, p.e0 + e, p.s0 + s);
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
				nesl_store<Op, K>(f, run.v, next, mask[k], at, p.e0 + e, p.s0 + s);
		}, [&](int s) {
			if constexpr (nesl_has_row<F>::value)
				nesl_row<Op, K>(f, p.s0 + s, run.v, at);
		});
		if constexpr (K == 0 && STAGED) {
			__syncthreads();
			nesl_each_within<VT>(p, [&](int k, int e, int s) {
				nesl_store<Op, K>(f, x[e], here[k], 0, at, p.e0 + e, p.s0 + s);
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
	nesl_doubts doubts = {nesl_acts<F>::value, false};

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
				if constexpr (nesl_asks<F>::value)
					mask[k] = nesl_mask<nesl_nothing>(f, in, nesl_nothing::id(), e, s, of((int)(s - p.s0)));
				else
					mask[k] = nesl_mask<nesl_nothing>(f, in, nesl_nothing::id(), e, s);
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
		nesl_each_within<VT>(p, [&](int, int e, int s) {
			i64 at[K];
			const unsigned goes = places(e, at);

			nesl_keep(f, p.e0 + e, p.s0 + s, of(s), goes, at);
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
	work = nesl_scratch(words + states + (nesl_folds<L>::value ? tiles * (i64)sizeof(Late) : 0));
	at = (char *)work->at;
	found = nesl_ask(&seen);
	start((Tile *)(at + words), (nesl_u64 *)(at + 16), (unsigned *)at, (Late *)(at + words + states), found);
	nesl_block_free(work);
	return seen;
}

/* f.store_(e, fold of f.load_ over the elements before e) for each of n elements e; what goes to K outputs; the fold over L
 * of what store_ returns, if it is wanted */
template<class Op, int K = 0, class L = nesl_nothing, class F>
static inline const nesl_found<Op, K, L> *
nesl_scan(i64 n, F f)
{
	enum { VT = nesl_items_apart(sizeof(typename Op::T), 2 * NESL_VT) };
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
	enum { VT = nesl_path_items(1, NESL_VT * 11 / 8) };
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

/* One below 0 is the sum of two that wrapped. */
static __device__ __forceinline__ nesl_lengths
nesl_length_of(nint length)
{
	const i64 wide = (i64)(nuint)length, n = wide < 0 ? INT64_MAX : wide;

	return nesl_lengths{n, n};
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

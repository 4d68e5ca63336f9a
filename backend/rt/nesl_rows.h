#ifndef NESL_ROWS_H
#define NESL_ROWS_H
/* What works on each row of a nest alone: mapped flat, or a row to a thread or to a group of lanes; included by
 * nesl_device.h.
 *
 *     nesl_rows(s, lanes, nesl_mapped(f), nesl_reduced<Op>(g), nesl_scanned<Op>(h) ...)
 *
 * runs these passes over the rows of s in this order, as nesl_expand, nesl_seg_reduce and nesl_seg_scan do with the same
 * functors.  Flat (lanes is 0) they are a launch each.  By rows all of them are one: what a pass leaves for the next ones
 * to a row, these find in memory, and the row's elements, read again, in a cache.
 *
 * How  Flat is a share of the merge path for each thread.  Else `lanes` neighbours of a warp have a row, 32/lanes rows a
 *      warp, and take its elements in turn: loads of neighbours (CUDA-NP; Yang & Zhou, PPoPP 2014).  They fold in a tree
 *      over the lanes, which with one lane is the order of the elements. */

/* -- which ---------------------------------------------------------------------------------------------- */
enum { NESL_FLAT = 1, NESL_THREAD = 2, NESL_LANES = 4 };

/* A mapping is good for rows like these.  Of those that a task may take, the first of this table is taken; so the choice
 * is a function of the lengths alone, and with it every bit of a float sum.
 *
 * One pass over so little is done by a block or two.  A thread for a row has loads that scatter: for short rows.  With lanes
 * rows cost no search, but a warp waits for the longest of its rows: if they are even, or long enough for loads to be on their
 * way all the time.  Several passes are one launch by rows, and several when flat.  The limits are those of an H100
 * (docs/mapping.md). */
static const struct nesl_mapping {
	int by, passes;
	i64 items, longest;                     /* rows and elements; of a row */
	double least, most, uneven;             /* mean of a row; longest/mean */
} nesl_mappings[] = {
	/*            passes, items,     longest, mean at least, at most, uneven; 0: any */
	{NESL_FLAT,   1,      NESL_TILE, 0,       0,             0,       0},
	{NESL_THREAD, 0,      0,         16,      0,             8,       0},
	{NESL_LANES,  0,      0,         16,      0,             8,       0},
	{NESL_LANES,  0,      0,         512,     0,             0,       1.5},
	{NESL_LANES,  0,      0,         512,     128,           0,       8},
	{NESL_FLAT,   1,      0,         0,       0,             0,       0},
	{NESL_LANES,  0,      0,         512,     0,             0,       8},
	{NESL_FLAT,   0,      0,         0,       0,             0,       0},
};

static inline bool
nesl_is_good(const nesl_mapping &m, i64 rows, i64 total, i64 longest, int passes)
{
	const double mean = (double)total / (double)rows;

	return (!m.passes || passes <= m.passes) && (!m.items || rows + total <= m.items)
		&& (!m.longest || longest <= m.longest) && mean >= m.least && (m.most <= 0 || mean <= m.most)
		&& (m.uneven <= 0 || (double)longest <= m.uneven * mean);
}

/* No row of s has more elements; -1: nobody knows. */
static inline i64
nesl_longest(nesl_segdes s)
{
	return s.block ? s.block->longest : 0;
}

static inline i64
nesl_longest(nesl_grid g)
{
	return g.length;
}

/* For what a pass keeps of each row of `of`: no row gets longer. */
template<class D>
static inline nesl_segdes
nesl_new_kept(D of)
{
	nesl_total(of);         /* who reads it reads the longest */
	return nesl_new_segdes(of.rows, -1, nesl_longest(of));
}

/* So much it was. */
static inline void
nesl_has_kept(nesl_segdes s, i64 total)
{
	const i64 longest = nesl_longest(s);

	nesl_has_lengths(s, nesl_lengths{total, longest > total ? total : longest});
}

/* How many lanes are to have a row of s, for so many passes that may be mapped so: 0 if flat, 1 if a thread has it. */
template<class D>
static inline int
nesl_lanes(D s, int may, int passes = 1)
{
	const i64 total = nesl_total(s), known = nesl_longest(s), longest = known < 0 ? INT64_MAX : known;
	int by = may, lanes = 1;

	if (s.rows <= 0)
		return 0;
	for (const nesl_mapping &m : nesl_mappings)
		if ((m.by & may) && nesl_is_good(m, s.rows, total, longest, passes)) {
			by = m.by;
			break;
		}
	while (lanes < 4 && lanes * s.rows < total)
		lanes *= 2;
	while (lanes < 32 && 4 * lanes * s.rows < total)
		lanes *= 2;
	return by == NESL_FLAT ? 0 : by == NESL_THREAD ? 1 : lanes;
}

/* -- a row and its lanes ------------------------------------------------------------------------------------- */
struct nesl_part {
	i64 row, from, to;      /* its elements; none if there is no such row */
	int lane, lanes;
	bool closes;            /* the lane that does what is done at the row's end */
};

/* rows: of nesl_rows_at; there are 2^shift lanes, as division would take most of the time of a short row */
template<class D>
static __device__ __forceinline__ nesl_part
nesl_row_part(D rows, i64 n, int shift, i64 tile)
{
	const i64 row = tile * (NESL_BD >> shift) + (threadIdx.x >> shift);
	const int lanes = 1 << shift, lane = (int)threadIdx.x & (lanes - 1);

	if (row >= n)
		return nesl_part{row, 0, 0, lane, lanes, false};
	return nesl_part{row, nesl_row_end(rows, row - 1), nesl_row_end(rows, row), lane, lanes, lane == 0};
}

/* The fold of what the elements load, in any order; at lane 0.  Some of a lane's are on their way at once. */
template<class Op, class F>
static __device__ __forceinline__ typename Op::T
nesl_fold_row(const nesl_part &r, const F &f)
{
	enum { AT_ONCE = 4 };
	typename Op::T x = Op::id(), here[AT_ONCE];
	nesl_doubts doubts = {nesl_acts<F>::value, false};

	for (i64 first = r.from + r.lane; first < r.to; first += AT_ONCE * r.lanes) {
		const auto each = [&](auto element) {
#pragma unroll
			for (int k = 0; k < AT_ONCE; k++)
				element(k, first + k * r.lanes < r.to ? first + k * r.lanes : -1);
		};

		each([&](int k, i64 e) { here[k] = nesl_load(f, doubts, e, r.row); });
		each([&](int k, i64 e) { x = e < 0 ? x : Op::op(x, here[k]); });
		nesl_tell_doubts(doubts, [&](nesl_doubts &telling) { each([&](int, i64 e) { nesl_load(f, telling, e, r.row); }); });
	}
	for (int d = r.lanes / 2; d > 0; d /= 2)
		x = Op::op(x, nesl_down(x, d));
	return x;
}

/* Exclusive scan over the lanes of a row; *total to all of them. */
template<class Op, class T>
static __device__ __forceinline__ T
nesl_lane_scan(const nesl_part &r, T x, T *total)
{
	T before;

	*total = x;
	if (r.lanes == 1)
		return Op::id();
	for (int d = 1; d < r.lanes; d *= 2) {
		const T left = nesl_up(x, d);

		if (r.lane >= d)
			x = Op::op(left, x);
	}
	before = nesl_up(x, 1);
	*total = nesl_shfl(x, (int)(threadIdx.x | (unsigned)(r.lanes - 1)) & 31);
	return r.lane ? before : Op::id();
}

/* Have all rows of the warp, of several tiles, at most an element for each of their lanes? */
template<int N>
static __device__ __forceinline__ bool
nesl_are_rounds(const nesl_part (&r)[N])
{
	bool more = false;

#pragma unroll
	for (int i = 0; i < N; i++)
		more = more || r[i].to - r[i].from > r[i].lanes;
	return __ballot_sync(NESL_FULL, more) == 0;
}

/* The fold in the order of the elements; store(e, before, x) for each of them, with e = -1 on lanes that have none.  All rows
 * of the warp go on as long as the longest of them. */
template<class Op, class F, class Store>
static __device__ __forceinline__ typename Op::T
nesl_scan_row(const nesl_part &r, const F &f, Store store)
{
	typename Op::T all = Op::id(), before, total;
	nesl_doubts telling = {true, false};

	for (i64 from = r.from; __ballot_sync(NESL_FULL, from < r.to); from += r.lanes) {
		const i64 e = from + r.lane;
		const typename Op::T x = e < r.to ? nesl_load(f, telling, e, r.row) : Op::id();

		before = nesl_lane_scan<Op>(r, x, &total);
		store(e < r.to ? e : -1, Op::op(all, before), x);
		all = Op::op(all, total);
	}
	return all;
}

/* -- passes ----------------------------------------------------------------------------------------------- */
/* on_row gives, at the lane that closes the row, what the row gives to the fold of rows; on_rounds does that for rows of AT_ONCE
 * tiles, of a pass that folds no rows.  RESIDENT: blocks at once, see NESL_RESIDENT. */
template<class F> struct nesl_map_pass {
	typedef nesl_nothing Rows;
	enum { RESIDENT = nesl_light<F>::value ? 3 : 1, AT_ONCE = 1 };
	F f;
	template<class D> const nesl_found<Rows, 0> *flat(D s) const
	{
		nesl_expand(s, f);
		return NULL;
	}
	__device__ Rows::T on_row(const nesl_part &r) const
	{
		enum { AT_ONCE = nesl_brings<F>::value ? 4 : 1 };
		const auto of = nesl_of_row(f, r.row);
		typename nesl_brings<F>::Kept brought[AT_ONCE];

		for (i64 first = r.from + r.lane; first < r.to; first += AT_ONCE * r.lanes) {
			const auto place = [&](int i, const auto &call) {
				const i64 e = first + i * r.lanes;

				return nesl_where(f, e < r.to ? e : -1, r.row, of, call);
			};

#pragma unroll
			for (int k = 0; k < AT_ONCE; k++) {
				nesl_bring(f, brought, k, place);
				if (first + k * r.lanes < r.to)
					place(k, [&](const auto &... where) { nesl_visit(f, brought[k], where...); });
			}
		}
		if constexpr (nesl_has_row<F>::value)
			if (r.closes)
				f.row_(r.row);
		return Rows::id();
	}
};

template<class Op, class R, class F> struct nesl_reduce_pass {
	typedef R Rows;
	enum { RESIDENT = !nesl_light<F>::value || !Op::commutes ? 1
		: nesl_resident(sizeof(typename Op::T), nesl_streams<F>::value ? 8 : 5), AT_ONCE = 1 };
	F f;
	template<class D> const nesl_found<R, 0> *flat(D s) const { return nesl_seg_reduce<Op, R>(s, f); }
	__device__ typename R::T on_row(const nesl_part &r) const
	{
		typename Op::T all;

		if constexpr (Op::commutes)
			all = nesl_fold_row<Op>(r, f);
		else
			all = nesl_scan_row<Op>(r, f, [](i64, typename Op::T, typename Op::T) {});
		return r.closes ? nesl_close<R>(f, r.row, all) : R::id();
	}
};

template<class Op, class L, class F> struct nesl_scan_pass {
	typedef nesl_nothing Rows;
	enum { RESIDENT = 1, AT_ONCE = 4 };
	F f;
	template<class D> const nesl_found<Rows, 0> *flat(D s) const
	{
		nesl_seg_scan<Op, 0, L>(s, f);
		return NULL;
	}
	/* Element e of the row; -1: this lane has none.  late: of those before it. */
	__device__ __forceinline__ void store(const nesl_part &r, i64 e, const typename Op::T &before, const typename Op::T &x,
		typename L::T &late) const
	{
		if constexpr (nesl_folds<L>::value) {
			typename L::T of_lanes;

			nesl_lane_scan<L>(r, e < 0 ? L::id() : f.store_(e, r.row, before, x), &of_lanes);
			late = L::op(late, of_lanes);
		} else if (e >= 0) {
			f.store_(e, r.row, before, x);
		}
	}
	__device__ __forceinline__ void close(const nesl_part &r, const typename Op::T &all, const typename L::T &late) const
	{
		const i64 at[1] = {};

		if (!r.closes)
			return;
		if constexpr (nesl_folds<L>::value)
			nesl_row<Op, 0>(f, r.row, all, at, late);
		else if constexpr (nesl_has_row<F>::value)
			nesl_row<Op, 0>(f, r.row, all, at);
	}
	__device__ Rows::T on_row(const nesl_part &r) const
	{
		typename L::T late = L::id();
		const typename Op::T all = nesl_scan_row<Op>(r, f, [&](i64 e, const typename Op::T &before, const typename Op::T &x) {
			store(r, e, before, x, late);
		});

		close(r, all, late);
		return Rows::id();
	}
	/* Rows of several tiles, of an element at most for each lane, whose loads are on their way together. */
	__device__ void on_rounds(const nesl_part (&r)[AT_ONCE]) const
	{
		typename Op::T x[AT_ONCE];
		nesl_doubts doubts = {nesl_acts<F>::value, false};
		const auto each = [&](auto element) {
#pragma unroll
			for (int i = 0; i < AT_ONCE; i++)
				element(i, r[i].from + r[i].lane < r[i].to ? r[i].from + r[i].lane : -1);
		};

		each([&](int i, i64 e) { x[i] = nesl_load(f, doubts, e, r[i].row); });
		nesl_tell_doubts(doubts, [&](nesl_doubts &telling) { each([&](int i, i64 e) { nesl_load(f, telling, e, r[i].row); }); });
		each([&](int i, i64 e) {
			typename Op::T all;
			typename L::T late = L::id();
			const typename Op::T here = e < 0 ? Op::id() : x[i], before = nesl_lane_scan<Op>(r[i], here, &all);

			store(r[i], e, before, here, late);
			close(r[i], all, late);
		});
	}
};

/* f(e, s) for the elements e of each row s; f.row_(s) for each row, if there is one */
template<class F>
static inline nesl_map_pass<F>
nesl_mapped(F f)
{
	return {f};
}

/* f.row_(s, fold of f.load_(e, s)) for each row s; a fold over R of what that gives, if it is wanted */
template<class Op, class R = nesl_nothing, class F>
static inline nesl_reduce_pass<Op, R, F>
nesl_reduced(F f)
{
	return {f};
}

/* f.store_(e, s, fold of the elements before e in its row s, what f.load_ gave); with nothing kept, as in all that is
 * mapped so; L as in nesl_seg_scan */
template<class Op, int = 0, class L = nesl_nothing, class F>
static inline nesl_scan_pass<Op, L, F>
nesl_scanned(F f)
{
	return {f};
}

/* -- all passes ----------------------------------------------------------------------------------------------- */
/* What the first writes is there for the second: on one lane, or behind a barrier of the warp. */
template<class P, class Q> struct nesl_both {
	typedef typename Q::Rows Rows;
	enum { RESIDENT = 1, AT_ONCE = 1 };
	P first;
	Q second;
	template<class D> const nesl_found<Rows, 0> *flat(D s) const
	{
		first.flat(s);
		return second.flat(s);
	}
	__device__ typename Rows::T on_row(const nesl_part &r) const
	{
		first.on_row(r);
		__syncwarp();
		return second.on_row(r);
	}
};

/* Block g has the rows of q tiles.  What a fold has in registers is little; a pass that computes may want more. */
template<class P, class D>
__global__ void NESL_RESIDENT(P::RESIDENT)
nesl_rows_kernel(P pass, D ends, i64 n, int shift, i64 tiles, i64 q, typename P::Rows::T *part, unsigned *done,
	nesl_found<typename P::Rows, 0> *found)
{
	typedef typename P::Rows R;
	const i64 first = blockIdx.x * q, end = first + q < tiles ? first + q : tiles;
	typename R::T rows = R::id();

	if constexpr (P::AT_ONCE > 1) {
		nesl_part r[P::AT_ONCE];

#pragma unroll
		for (int i = 0; i < P::AT_ONCE; i++)
			r[i] = nesl_row_part(ends, n, shift, first + i);
		if (nesl_are_rounds(r)) {
			pass.on_rounds(r);
			return;
		}
	}
	for (i64 t = first; t < end; t++)
		rows = nesl_with_rows<R>(rows, pass.on_row(nesl_row_part(ends, n, shift, t)));
	if constexpr (nesl_folds<R>::value)
		nesl_fold_blocks<R>(rows, part, done, found);
}

/* The pass over s, by `lanes` of nesl_lanes; what it gives to the host. */
template<class D, class P>
static inline const nesl_found<typename P::Rows, 0> *
nesl_rows(D s, int lanes, P pass)
{
	typedef typename P::Rows R;
	const nesl_found<R, 0> *seen = NULL;
	nesl_found<R, 0> *found = NULL;
	nesl_block *work = NULL;
	i64 tiles, q, blocks;

	if (lanes == 0 || nesl_total(s) == 0)
		return pass.flat(s);
	tiles = (s.rows + NESL_BD / lanes - 1) / (NESL_BD / lanes);
	q = nesl_folds<R>::value ? nesl_share(tiles) : P::AT_ONCE;
	blocks = (tiles + q - 1) / q;
	if constexpr (nesl_folds<R>::value) {
		work = nesl_work(blocks * (i64)sizeof(typename R::T));
		found = nesl_ask(&seen);
	}
	nesl_run.task->lanes = lanes;
	NESL_LAUNCH((nesl_rows_kernel<P, decltype(nesl_rows_at(s))>), blocks, pass, nesl_rows_at(s), s.rows, __builtin_ctz((unsigned)lanes),
		tiles, q, (typename R::T *)(work ? work->at : NULL), &nesl_run.notes->done, found);
	nesl_drop(work);
	return seen;
}

/* Several, one after the other.  Only the last may fold rows. */
template<class D, class P, class Q, class... More>
static inline auto
nesl_rows(D s, int lanes, P first, Q second, More... more)
{
	return nesl_rows(s, lanes, nesl_both<P, Q>{first, second}, more...);
}

#endif

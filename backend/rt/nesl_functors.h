#ifndef NESL_FUNCTORS_H
#define NESL_FUNCTORS_H
/* What the skeletons ask of generated functors (nesl_device.h), and how: rows that are asked first, elements that are loaded together. */
#include "nesl_block.h"

/* -- functors ------------------------------------------------------------------------------------------ */
/* A functor has methods for what there is to do:
 *
 *     f(e, s)                  at element e of row s, where nothing is folded
 *     f.bring_(e, s)           what that, or an element that is kept, stores of what is read: Kept
 *     f.load_(e, s)            what element e gives to the fold
 *     f.mask_(e, s, before)    bit j: e goes to output j
 *     f.store_(e, s, before, here, mask, at)    the fold of the elements before e in its row, what load_ gave,
 *                              what mask_ gave, and at which place of output j it would be element at[j]
 *     f.row_(s, all, at, late) at the end of row s: the fold of all of it, the next place of each output, and what
 *                              store_ returned folded
 *
 * What elements ask of their row, where that is much, is of a type F::Row: f.ask_(s) finds it, and behind s stands what it found.
 * Where there is bring_, f or store_, and mask_ if it is early, are told last what it gave.  So nothing is stored between the reads of
 * several elements, and these are on their way at once: nvcc does not know that what is read and what is stored are different memory.
 * e may be -1, none, as for load_.
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
/* all that bring_ reads mask_ asks for */
NESL_FACT(nesl_early, early);
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

/* Of a functor that keeps. */
template<class F, class = void> struct nesl_doubts_kept {
	static const bool value = false;
};
template<class F> struct nesl_doubts_kept<F, decltype((void)&F::mask_)> {
	static const bool value = nesl_doubts_in<decltype(&F::mask_)>::value;
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

/* call(e, s, ...), with what f says of s where it is asked. */
template<class F, class Row, class Call>
static __device__ __forceinline__ auto
nesl_where(const F &, i64 e, i64 s, const Row &of, const Call &call)
{
	if constexpr (nesl_asks<F>::value)
		return call(e, s, of);
	else
		return call(e, s);
}

/* What the rows of a tile, whose starts are known, are asked: once each, side by side; NULL: there are more than there is room for.
 * Ends with a barrier. */
enum { NESL_ASKED = 24576 };            /* bytes of shared memory at most; less where that is more than rows of four elements want */

template<int VT, class F>
static __device__ __forceinline__ auto
nesl_ask_rows(const nesl_path<VT> &p, const F &f)
{
	if constexpr (!nesl_asks<F>::value) {
		return nesl_unasked{};
	} else {
		typedef decltype(f.ask_(0)) Row;
		enum { FIT = NESL_ASKED / sizeof(Row), SHORT = nesl_path<VT>::TILE / 5 + 1, ROWS = FIT < SHORT ? FIT : SHORT };
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

/* -- what is kept -------------------------------------------------------------------------------------- */
struct nesl_nothing_brought {};
template<class F, class = void> struct nesl_brings {
	static const bool value = false;
	typedef nesl_nothing_brought Kept;
};
template<class F> struct nesl_brings<F, decltype((void)&F::bring_)> {
	static const bool value = true;
	typedef typename F::Kept Kept;
};

/* Of how many elements, MOST at most, a thread has at once what they bring: of a few words. */
template<class F, int MOST> struct nesl_brought {
	enum { SIZE = sizeof(typename nesl_brings<F>::Kept), ROOM = nesl_early<F>::value ? 128 : 64 };
	enum { AT_ONCE = !nesl_brings<F>::value || SIZE * MOST <= ROOM ? MOST : SIZE >= ROOM ? 1 : ROOM / SIZE };
};

/* f(where ...), told what was brought. */
template<class F, class... Where>
static __device__ __forceinline__ void
nesl_visit(const F &f, const typename nesl_brings<F>::Kept &brought, const Where &... where)
{
	if constexpr (nesl_brings<F>::value)
		f(where..., brought);
	else
		f(where...);
}

/* Of a thread's N elements, before the k-th is stored: what some from there on bring, if it is the first of these.  where(i, call) is
 * call(e, s, ...) of the i-th, with -1 for e if it brings nothing. */
template<int N, class F, class Where>
static __device__ __forceinline__ void
nesl_bring(const F &f, typename nesl_brings<F>::Kept (&brought)[N], int k, const Where &where)
{
	enum { AT_ONCE = nesl_brought<F, N>::AT_ONCE };

	if constexpr (nesl_brings<F>::value)
		if (k % AT_ONCE == 0) {
#pragma unroll
			for (int i = k; i < k + AT_ONCE && i < N; i++)
				brought[i] = where(i, [&](const auto &... of) { return f.bring_(of...); });
		}
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
nesl_mask(const F &f, nesl_doubts &doubts, const typename nesl_brings<F>::Kept &brought, const typename Op::T &before, i64 e,
	const Row &... row)
{
	const auto ask = [&](const auto &... known) {
		if constexpr (nesl_doubts_in<decltype(&F::mask_)>::value)
			return f.mask_(doubts, e, row..., known...);
		else
			return f.mask_(e, row..., known...);
	};
	unsigned mask;

	if (nesl_acts<F>::value && e < 0)
		return 0;
	if constexpr (nesl_folds<Op>::value)
		mask = ask(before);
	else if constexpr (nesl_early<F>::value)
		mask = ask(brought);
	else
		mask = ask();
	return e < 0 ? 0 : mask;
}

/* What store_ returns, if anything.  where: e, and s in a space with rows */
template<class Op, int K, class F, class... Where>
static __device__ __forceinline__ auto
nesl_store(const F &f, const typename Op::T &before, const typename Op::T &here, unsigned mask, const i64 (&at)[K ? K : 1],
	const typename nesl_brings<F>::Kept &brought, const Where &... where)
{
	if constexpr (K == 0)
		return f.store_(where..., before, here);
	else if constexpr (nesl_folds<Op>::value)
		return f.store_(where..., before, here, mask, at);
	else if constexpr (nesl_brings<F>::value)
		return f.store_(where..., mask, at, brought);
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

#endif

#ifndef NESL_PUTS_H
#define NESL_PUTS_H
/* Arrays where many elements of a task may come to the same place: put_sum and put_max (lcu.def), of ints, so that the order of the
 * threads does not show.
 *
 * How  Atomics at one address follow each other, in a cache that all multiprocessors share.  Where places are few each block has
 *      its own in shared memory, and adds what is there to all when it has seen its elements (nesl_map); CUB's histogram does so
 *      up to 256 bins. */
#include "nesl_functors.h"

/* What an atomic operation takes that adds ints, and one that finds the greater. */
#if NESL_INT == 32
typedef unsigned nesl_added;
typedef int nesl_compared;
#else
typedef unsigned long long nesl_added;
typedef long long nesl_compared;
#endif

/* all: at a place of all blocks; own: of this one. */
struct nesl_sums {
	static __host__ __device__ nint id() { return 0; }
	static __device__ void all(nint *at, nint x) { atomicAdd((nesl_added *)at, (nesl_added)x); }
	static __device__ void own(nint *at, nint x);
};
struct nesl_maxima {
	static __host__ __device__ nint id() { return MIN_INT; }
	static __device__ void all(nint *at, nint x) { atomicMax((nesl_compared *)at, (nesl_compared)x); }
	static __device__ void own(nint *at, nint x)
	{
		if (nesl_ld_any(at) < x)
			all(at, x);
	}
};

/* Shared memory adds 32 bits by itself, and 64 by a loop that others' sums at the place break off: so two halves, and what the
 * low ones carry. */
__device__ __forceinline__ void
nesl_sums::own(nint *at, nint x)
{
	const unsigned low = (unsigned)x;
	unsigned *const half = (unsigned *)at;
	const bool carries = atomicAdd(half, low) > ~low;

	if constexpr (sizeof(nint) > sizeof low) {
		const unsigned high = (unsigned)((nesl_u64)x >> 32) + carries;

		if (high)
			atomicAdd(half + 1, high);
	}
}

/* r[i] = what Put makes of it and x; i out of range is ignored.  own: NULL, or a block's. */
template<class Put> struct nesl_puts {
	nesl_vec<nint> r;
	nint *own;
	nesl_puts(nesl_vec<nint> v) : r(v), own(NULL) {}
	__device__ __forceinline__ void put(i64 i, nint x) const
	{
		if (!nesl_has(r, i))
			return;
		if (own)
			Put::own(own + i, x);
		else
			Put::all(r.at + i, x);
	}
	/* By all threads of a block, before a barrier: its own places are there.  Where the next ones may be. */
	__device__ __forceinline__ nint *begin(nint *at)
	{
		own = at;
		for (int k = (int)threadIdx.x; k < (int)r.n; k += NESL_BD)
			own[k] = Put::id();
		return own + r.n;
	}
	/* Behind a barrier: they are put where all are. */
	__device__ __forceinline__ void end() const
	{
		for (int k = (int)threadIdx.x; k < (int)r.n; k += NESL_BD)
			if (own[k] != Put::id())
				Put::all(r.at + k, own[k]);
	}
};

/* Does a functor put?  Then f.places_() is how many places there are, and f.begin_(at) and f.end_() do that for each array. */
template<class F, class = void> struct nesl_has_puts {
	static const bool value = false;
};
template<class F> struct nesl_has_puts<F, decltype((void)&F::places_)> {
	static const bool value = true;
};

enum { NESL_PLACES = 2048 };            /* of a block at most: 16 KB */

#endif

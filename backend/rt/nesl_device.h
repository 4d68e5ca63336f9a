#ifndef NESL_DEVICE_H
#define NESL_DEVICE_H
/* The skeletons: what generated CUDA calls with small functors.
 *
 *     nesl_map, nesl_expand           at each element of a flat space, of all rows
 *     nesl_reduce, nesl_seg_reduce    fold: to the host; to the end of each row, and from there to the host
 *     nesl_scan, nesl_seg_scan        exclusive scan, with compaction into K outputs where they are wanted
 *     nesl_pack, nesl_seg_pack        compaction alone
 *     nesl_rooms                      memory for it: for all elements, or as many as are counted
 *     nesl_rows                       what folds, scans and maps rows, by one of its mappings (nesl_rows.h)
 *     and the library operations of lcu.def (append, rank, put ...)
 *
 * A fold is of one value or of several side by side: then its T is a struct.  What the host wants of all passes of a
 * task it reads at one wait, nesl_await.
 *
 * How  Spaces with rows are walked along the merge path; scans and packs take one pass by decoupled look-back (nesl_block.h).
 *      A functor is called once for each element and phase.  Blocks leave as wholes. */
#include "nesl_folds.h"
#include "nesl_scans.h"

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

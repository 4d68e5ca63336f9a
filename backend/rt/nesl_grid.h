#ifndef NESL_GRID_H
#define NESL_GRID_H
/* A uniform descriptor: rows of one length are told by two numbers, and what is asked of them is arithmetic. */
#include "nesl_scalar.h"

typedef struct { i64 rows, length; } nesl_grid;

/* n rows of k; where there are none, of nothing.  A k below 0 is the sum of two, wrapped: the total will be too large. */
NESL_FN nesl_grid
nesl_uniform(i64 n, nint k)
{
	const i64 length = (i64)(nuint)k;
	nesl_grid g = {0, 0};

	if (n > 0) {
		g.rows = n;
		g.length = length > 0 ? length : 0;
	}
	return g;
}

/* How many row ends are among the first d items of the merge path, where each row's elements come before its end. */
NESL_FN i64
nesl_grid_ends(nesl_grid g, i64 d)
{
	return d / (g.length + 1);
}

/* The row that element e is in.  Division is much faster in 32 bits where they do. */
NESL_FN i64
nesl_grid_row(nesl_grid g, i64 e)
{
	if ((e | g.length) >> 32 == 0)
		return (uint32_t)e / (uint32_t)g.length;
	return e / g.length;
}

#endif

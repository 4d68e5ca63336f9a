/* spmv.c: sparse matrix times vector, a row at a time, and a dense one.  `spmv RUNS M.mtx`, times the vector of 1/1, 1/2, 1/3, ..;
 * `spmv RUNS dense V.npy`, the matrix of as many rows as columns. */
#include "bench.h"
#include <math.h>

static Csr m;
static Floats dense;
static i64 side;
static double *x, *y;

static void
multiply(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < m.rows; i++) {
		double sum = 0.0;

		for (i64 j = m.start[i]; j < m.start[i + 1]; j++)
			sum += m.value[j] * x[m.col[j]];
		y[i] = sum;
	}
}

static void
multiply_dense(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < side; i++) {
		const double *const row = dense.at + i * side;
		double sum = 0.0;

#pragma omp simd reduction(+ : sum)
		for (i64 j = 0; j < side; j++)
			sum += row[j] * x[j];
		y[i] = sum;
	}
}

static double
total(void)
{
	return sum_of(y, side);
}

int
main(int argc, char **argv)
{
	const int is_dense = argc > 3;

	if (argc < 3)
		fail("spmv RUNS [dense] INPUT");
	if (is_dense) {
		dense = read_floats(argv[3]);
		side = (i64)sqrt((double)dense.n);
	} else {
		m = read_matrix(argv[2]);
		side = m.rows;
	}
	x = get(side, sizeof *x);
	y = get(side, sizeof *y);
	for (i64 i = 0; i < side; i++)
		x[i] = 1.0 / (double)(i + 1);
	return bench(argv[1], NULL, is_dense ? multiply_dense : multiply, total);
}

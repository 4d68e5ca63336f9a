/* segmented.c: the same for every segment, a segment at a time.  `segmented RUNS sum|max|scan|filter X.npy LENGTHS.npy` */
#include "bench.h"
#include <math.h>

static Floats x, out;
static Ints lengths;
static i64 *start, *kept, rows;

static void
sum(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < rows; i++) {
		double s = 0.0;

		for (i64 j = start[i]; j < start[i + 1]; j++)
			s += x.at[j];
		out.at[i] = s;
	}
}

static void
max(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < rows; i++) {
		double s = -INFINITY;

		for (i64 j = start[i]; j < start[i + 1]; j++)
			s = x.at[j] > s ? x.at[j] : s;
		out.at[i] = s;
	}
}

static void
scan(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < rows; i++) {
		double s = 0.0;

		for (i64 j = start[i]; j < start[i + 1]; j++) {
			out.at[j] = s;
			s += x.at[j];
		}
	}
}

/* Those above 1/2: counted by row, then written from where each row begins, those that are not kept over by the next. */
static void
filter(void)
{
	i64 total = 0;

#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < rows; i++) {
		i64 n = 0;

		for (i64 j = start[i]; j < start[i + 1]; j++)
			n += x.at[j] > 0.5;
		kept[i + 1] = n;
	}
	for (i64 i = 1; i <= rows; i++)
		total = kept[i] += total;
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < rows; i++) {
		const i64 end = kept[i + 1];

		for (i64 j = start[i], to = kept[i]; to < end; j++) {
			out.at[to] = x.at[j];
			to += x.at[j] > 0.5;
		}
	}
}

static double
of_rows(void)
{
	double s = 0.0;

	for (i64 i = 0; i < rows; i++)
		s += isinf(out.at[i]) ? 0.0 : out.at[i];
	return s;
}

static double
of_elements(void)
{
	return sum_of(out.at, x.n);
}

static double
of_filter(void)
{
	return sum_of(out.at, kept[rows]) + (double)kept[rows / 2];
}

int
main(int argc, char **argv)
{
	static const Kernel kernels[] = {{"sum", NULL, sum, of_rows}, {"max", NULL, max, of_rows},
		{"scan", NULL, scan, of_elements}, {"filter", NULL, filter, of_filter}, {0}};

	if (argc != 5)
		fail("segmented RUNS KERNEL X.npy LENGTHS.npy");
	x = read_floats(argv[3]);
	lengths = read_ints(argv[4]);
	rows = lengths.n;
	out = (Floats){x.n + rows, get(x.n + rows, 8)};
	start = get(rows + 1, 8);
	kept = get(rows + 1, 8);
	for (i64 i = 0; i < rows; i++)
		start[i + 1] = start[i] + lengths.at[i];
	if (start[rows] != x.n)
		fail("the lengths are not those of the elements");
	return bench_one(kernels, argv);
}

/* vector.c: loops over flat sequences.  `vector RUNS dotp|triad FLOATS.npy FLOATS.npy`;
 * `vector RUNS sum|polynomial|scan|filter|histogram INTS.npy` */
#include "bench.h"

static Floats x, y, z;
static Ints a, out;
static double result;
static i64 count;
enum { BUCKETS = 1000 };
static i64 counts[BUCKETS];

static void
dotp(void)
{
	double sum = 0.0;

#pragma omp parallel for simd reduction(+ : sum) schedule(static)
	for (i64 i = 0; i < x.n; i++)
		sum += x.at[i] * y.at[i];
	result = sum;
}

static void
triad(void)
{
#pragma omp parallel for simd schedule(static)
	for (i64 i = 0; i < x.n; i++)
		z.at[i] = x.at[i] + 3.0 * y.at[i];
}

static void
sum(void)
{
	i64 total = 0;

#pragma omp parallel for simd reduction(+ : total) schedule(static)
	for (i64 i = 0; i < a.n; i++)
		total += a.at[i];
	count = total;
}

static void
polynomial(void)
{
#pragma omp parallel for simd schedule(static)
	for (i64 i = 0; i < a.n; i++)
		out.at[i] = a.at[i] * a.at[i] + 3 * a.at[i] + 1;
}

/* Sums of the threads' shares, then the scan from where each begins. */
static void
scan(void)
{
	i64 total[THREADS];

#pragma omp parallel
	{
		const Share s = share(a.n);
		i64 sum = 0;

		if (s.threads > 1) {
#pragma omp simd reduction(+ : sum)
			for (i64 i = s.lo; i < s.hi; i++)
				sum += a.at[i];
			total[s.thread] = sum;
#pragma omp barrier
		}
		sum = before(s, total);
		for (i64 i = s.lo; i < s.hi; i++) {
			out.at[i] = sum;
			sum += a.at[i];
		}
	}
}

/* Even numbers: counted, then written, those that are not kept over by the next. */
static void
filter(void)
{
	i64 total[THREADS];

#pragma omp parallel
	{
		const Share s = share(a.n);
		i64 kept = 0, end;

#pragma omp simd reduction(+ : kept)
		for (i64 i = s.lo; i < s.hi; i++)
			kept += !(a.at[i] & 1);
		total[s.thread] = end = kept;
#pragma omp barrier
		kept = before(s, total);
		end += kept;
		if (s.thread == s.threads - 1)
			count = end;
		for (i64 i = s.lo; kept < end; i++) {
			out.at[kept] = a.at[i];
			kept += !(a.at[i] & 1);
		}
	}
}

static void
histogram(void)
{
	memset(counts, 0, sizeof counts);
#pragma omp parallel for reduction(+ : counts) schedule(static)
	for (i64 i = 0; i < a.n; i++)
		counts[a.at[i]]++;
}

static double
of_result(void)
{
	return result;
}

static double
of_count(void)
{
	return (double)count;
}

static double
of_triad(void)
{
	return z.at[z.n - 1];
}

static double
of_out(void)
{
	double sum = 0.0;

	for (i64 i = 0; i < a.n; i++)
		sum += (double)out.at[i];
	return sum;
}

static double
of_filter(void)
{
	double sum = (double)count;

	for (i64 i = 0; i < count; i++)
		sum += (double)out.at[i];
	return sum;
}

static double
of_histogram(void)
{
	double sum = 0.0;

	for (i64 i = 0; i < BUCKETS; i++)
		sum += (double)(i * counts[i] * counts[i]);
	return sum;
}

int
main(int argc, char **argv)
{
	static const Kernel kernels[] = {{"dotp", NULL, dotp, of_result}, {"triad", NULL, triad, of_triad}, {"sum", NULL, sum, of_count},
		{"polynomial", NULL, polynomial, of_out}, {"scan", NULL, scan, of_out}, {"filter", NULL, filter, of_filter},
		{"histogram", NULL, histogram, of_histogram}, {0}};

	if (argc == 5) {
		x = read_floats(argv[3]);
		y = read_floats(argv[4]);
		z = (Floats){x.n, get(x.n, 8)};
	} else if (argc == 4) {
		a = read_ints(argv[3]);
		out = (Ints){a.n, get(a.n, 8)};
	} else {
		fail("vector RUNS KERNEL INPUT...");
	}
	return bench_one(kernels, argv);
}

/* vector.c: loops over flat sequences.  `vector RUNS dotp|sum|scan|filter|polynomial|histogram|triad INPUT...` */
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
	i64 total[256] = {0};

#pragma omp parallel
	{
		const int t = omp_get_thread_num(), nt = omp_get_num_threads();
		const i64 lo = share(a.n, t, nt), hi = share(a.n, t + 1, nt);
		i64 sum = 0;

		if (nt > 1) {
#pragma omp simd reduction(+ : sum)
			for (i64 i = lo; i < hi; i++)
				sum += a.at[i];
			total[t] = sum;
#pragma omp barrier
		}
		sum = 0;
		for (int k = 0; k < t; k++)
			sum += total[k];
		for (i64 i = lo; i < hi; i++) {
			out.at[i] = sum;
			sum += a.at[i];
		}
	}
}

/* Even numbers: counted, then written, those that are not kept over by the next. */
static void
filter(void)
{
	i64 total[256] = {0};

#pragma omp parallel
	{
		const int t = omp_get_thread_num(), nt = omp_get_num_threads();
		const i64 lo = share(a.n, t, nt), hi = share(a.n, t + 1, nt);
		i64 kept = 0;

		i64 end;

#pragma omp simd reduction(+ : kept)
		for (i64 i = lo; i < hi; i++)
			kept += !(a.at[i] & 1);
		total[t] = end = kept;
#pragma omp barrier
		kept = 0;
		for (int k = 0; k < t; k++)
			kept += total[k];
		end += kept;
		if (t == nt - 1)
			count = end;
		for (i64 i = lo; kept < end; i++) {
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
	static const struct {
		const char *name;
		int floats;
		void (*run)(void);
		double (*answer)(void);
	} t[] = {
		{"dotp", 1, dotp, of_result}, {"triad", 1, triad, of_triad}, {"sum", 0, sum, of_count},
		{"polynomial", 0, polynomial, of_out}, {"scan", 0, scan, of_out}, {"filter", 0, filter, of_filter},
		{"histogram", 0, histogram, of_histogram},
	};

	for (size_t i = 0; argc > 3 && i < sizeof t / sizeof *t; i++) {
		if (strcmp(argv[2], t[i].name) != 0)
			continue;
		if (t[i].floats) {
			x = read_floats(argv[3]);
			y = read_floats(argv[4]);
			z = (Floats){x.n, get(x.n, 8)};
		} else {
			a = read_ints(argv[3]);
			out = (Ints){a.n, get(a.n, 8)};
		}
		return bench(argv[1], NULL, t[i].run, t[i].answer);
	}
	fail("vector RUNS KERNEL INPUT...");
}

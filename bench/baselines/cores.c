/* cores.c: how many cores the threads have.  `cores` prints a number: how much more all of them compute than one, in the same time.
 *
 * Processors of a virtual machine may be, for minutes, halves of one core.  What waits for memory or for its branches then
 * loses little, what computes loses half: times of two programs say nothing of the two. */
#include "bench.h"

enum { STEPS = 2000000, CHAINS = 8 };

static void
compute(double *sum)
{
	double x[CHAINS] = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0};

	for (i64 i = 0; i < STEPS; i++)
		for (int k = 0; k < CHAINS; k++)
			x[k] = x[k] * 0.5 + 1.0;
	for (int k = 0; k < CHAINS; k++)
		*sum += x[k];
}

static double
seconds(int threads, double *sum)
{
	const double began = now();
	double s = 0.0;

#pragma omp parallel num_threads(threads) reduction(+ : s)
	compute(&s);
	*sum += s;
	return now() - began;
}

int
main(void)
{
	const int threads = omp_get_max_threads();
	double sum = 0.0, one, all;

	seconds(threads, &sum);
	one = seconds(1, &sum);
	all = seconds(threads, &sum);
	if (sum < 0.0)                  /* never; but what nobody looks at is not computed */
		fail("sums are positive");
	printf("%.2f\n", threads * one / all);
	return 0;
}

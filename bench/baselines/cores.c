/* cores.c: what cores the threads have.  `cores` prints two numbers: how much more all of them compute than one, in the same time; and
 * how many nanoseconds it takes until another has what one has written.
 *
 * Processors of a virtual machine may be, for minutes, halves of one core.  What waits for memory or for its branches then
 * loses little, what computes loses half: times of two programs say nothing of the two.  Or they have no cache in common, and then
 * all that goes from one to another takes some times as long. */
#include "bench.h"
#include <stdatomic.h>

enum { STEPS = 2000000, CHAINS = 8, TURNS = 20000 };

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

/* The first thread and the last write a number in turn.  0: they would wait for one processor. */
static double
apart(int threads)
{
	static _Alignas(128) _Atomic int next;
	double began = 0.0, ended = 0.0;

	if (threads < 2 || threads > omp_get_num_procs())
		return 0.0;
#pragma omp parallel num_threads(threads)
	{
		const int me = omp_get_thread_num(), other = me == 0 ? threads - 1 : 0;

#pragma omp barrier
		if (me == 0)
			began = now();
		for (int i = 0; i < TURNS && (me == 0 || me == threads - 1); i++) {
			while (atomic_load_explicit(&next, memory_order_acquire) != me)
				;
			atomic_store_explicit(&next, other, memory_order_release);
		}
		if (me == 0)
			ended = now();
	}
	return (ended - began) / (2.0 * TURNS);
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
	printf("%.2f %.0f\n", threads * one / all, apart(threads) * 1e9);
	return 0;
}

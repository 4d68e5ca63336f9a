/* sort.c: sorting.  `sort RUNS radix|quick|floats|bitonic INPUT`.
 *
 * radix    stable, least digit first, 8 bits at a time, digits that all keys share left out; threads count and move shares
 * floats   the same, by keys ordered as the floats are
 * quick    partition by the middle element in place; parts are tasks; short ones by insertion
 * bitonic  Batcher's network, a loop for each of its stages */
#include "bench.h"

static Ints given;
static i64 *a, *b;
static int is_float;

static uint64_t
key_of(i64 x)
{
	const uint64_t u = (uint64_t)x, top = (uint64_t)1 << 63;

	return is_float && u & top ? ~u : u ^ top;
}

static void
radix_sort(void)
{
	const i64 n = given.n;
	static i64 count[THREADS][256];
	uint64_t differ = 0;

#pragma omp parallel for reduction(| : differ) schedule(static)
	for (i64 i = 0; i < n; i++)
		differ |= key_of(a[i]) ^ key_of(a[0]);
	for (int shift = 0; shift < 64; shift += 8) {
		i64 *const swap = a;

		if (!(differ >> shift & 255))
			continue;
#pragma omp parallel
		{
			const Share s = share(n);
			i64 *const at = count[s.thread];

			memset(at, 0, sizeof count[s.thread]);
			for (i64 i = s.lo; i < s.hi; i++)
				at[key_of(a[i]) >> shift & 255]++;
#pragma omp barrier
#pragma omp single
			{
				i64 sum = 0;

				for (int d = 0; d < 256; d++)
					for (int k = 0; k < s.threads; k++) {
						const i64 here = count[k][d];

						count[k][d] = sum;
						sum += here;
					}
			}
			for (i64 i = s.lo; i < s.hi; i++)
				b[at[key_of(a[i]) >> shift & 255]++] = a[i];
		}
		a = b;
		b = swap;
	}
}

static void
quicksort(i64 *v, i64 n)
{
	while (n > 24) {
		const i64 pivot = v[n / 2];
		i64 i = 0, j = n - 1;

		while (i <= j) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i <= j) {
				const i64 x = v[i];

				v[i++] = v[j];
				v[j--] = x;
			}
		}
#pragma omp task if (j > 10000)
		quicksort(v, j + 1);
		v += i;
		n -= i;
	}
	for (i64 i = 1; i < n; i++) {
		const i64 x = v[i];
		i64 k = i;

		for (; k > 0 && v[k - 1] > x; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

static void
quick_sort(void)
{
#pragma omp parallel
#pragma omp single
	quicksort(a, given.n);
}

static void
bitonic_sort(void)
{
	for (i64 size = 2; size <= given.n; size *= 2)
		for (i64 half = size / 2; half > 0; half /= 2) {
#pragma omp parallel for schedule(static)
			for (i64 k = 0; k < given.n / 2; k++) {
				const i64 i = k / half * 2 * half + k % half, x = a[i], y = a[i + half];
				const int up = (i & size) == 0;

				a[i] = up == (x < y) ? x : y;
				a[i + half] = up == (x < y) ? y : x;
			}
		}
}

static void
unsorted(void)
{
	memcpy(a, given.at, (size_t)given.n * 8);
}

/* Tells one order from another. */
static double
answer(void)
{
	double sum = 0.0;

	for (i64 i = 0; i < given.n; i++) {
		double x = (double)a[i];

		if (is_float)
			memcpy(&x, &a[i], 8);
		sum += x * (double)(i % 1000);
	}
	return sum;
}

int
main(int argc, char **argv)
{
	static const Kernel kernels[] = {{"radix", unsorted, radix_sort, answer}, {"floats", unsorted, radix_sort, answer},
		{"quick", unsorted, quick_sort, answer}, {"bitonic", unsorted, bitonic_sort, answer}, {0}};

	if (argc != 4)
		fail("sort RUNS KERNEL INPUT");
	is_float = strcmp(argv[2], "floats") == 0;
	given.at = read_npy(argv[3], is_float ? "<f8" : "<i8", &given.n);
	a = get(given.n, 8);
	b = get(given.n, 8);
	return bench_one(kernels, argv);
}

/* lists.c: primes, text and selection.  `lists RUNS primes N`; `lists RUNS search|words|median INPUT.npy`
 *
 * primes  a sieve of odd and even numbers, in blocks that the first cache holds; then listed
 * search  a pattern of 4 letters in a text of letters "a" to "d", by comparing; letters of 32 bits, as nessie's are
 * words   letters "a", "b", "c" and spaces: words counted in a hash table, one thread
 * median  quickselect in place, one thread */
#include "bench.h"
#include <math.h>

static Ints v, w;
static i64 n, count;
static unsigned char *flag;
static i64 *out;
static uint32_t *text;
static double result;

enum { BLOCK = 1 << 15 };

static void
primes(void)
{
	const i64 root = (i64)sqrt((double)n) + 1;
	i64 blocks = (n + BLOCK - 1) / BLOCK, nsmall = 0, *small = get(root, sizeof *small), *total = get(blocks + 1, sizeof *total);

	memset(flag, 1, (size_t)n);
	flag[0] = flag[1] = 0;
	for (i64 i = 2; i <= root && i < n; i++) {
		if (!flag[i])
			continue;
		small[nsmall++] = i;
		for (i64 k = i * i; k <= root && k < n; k += i)
			flag[k] = 0;
	}
#pragma omp parallel for schedule(dynamic, 4)
	for (i64 b = 0; b < blocks; b++) {
		const i64 lo = b * BLOCK, hi = lo + BLOCK < n ? lo + BLOCK : n;
		i64 here = 0;

		for (i64 s = 0; s < nsmall && small[s] * small[s] < hi; s++) {
			const i64 step = small[s];
			i64 k = step * step;

			if (k < lo)
				k = (lo + step - 1) / step * step;
			for (; k < hi; k += step)
				flag[k] = 0;
		}
		for (i64 k = lo; k < hi; k++)
			here += flag[k];
		total[b + 1] = here;
	}
	for (i64 b = 0; b < blocks; b++)
		total[b + 1] += total[b];
#pragma omp parallel for schedule(static)
	for (i64 b = 0; b < blocks; b++) {
		const i64 hi = (b + 1) * BLOCK < n ? (b + 1) * BLOCK : n;
		i64 to = total[b];

		for (i64 k = b * BLOCK; k < hi; k++)
			if (flag[k])
				out[to++] = k;
	}
	count = total[blocks];
	free(small);
	free(total);
}

static void
search(void)
{
	static const uint32_t pattern[4] = {'a', 'b', 'a', 'c'};
	i64 total[THREADS];

#pragma omp parallel
	{
		const Share s = share(n - 3);

		for (int round = 0; round < 2; round++) {
			i64 to = round == 0 ? 0 : before(s, total);

			for (i64 i = s.lo; i < s.hi; i++)
				if (text[i] == pattern[0] && text[i + 1] == pattern[1] && text[i + 2] == pattern[2] &&
						text[i + 3] == pattern[3]) {
					if (round == 1)
						out[to] = i;
					to++;
				}
			if (round == 0)
				total[s.thread] = to;
			else if (s.thread == s.threads - 1)
				count = to;
#pragma omp barrier
		}
	}
}

/* Open addressing; a word is where it begins and how long it is. */
static void
words(void)
{
	i64 size = 1 << 12, have = 0;
	struct Word { i64 at, length, count; uint64_t hash; } *table = get(size, sizeof *table);

	for (i64 i = 0; i < n;) {
		uint64_t hash = 14695981039346656037u;
		const i64 at = i;
		i64 k;

		for (; i < n && text[i] != ' '; i++)
			hash = (hash ^ text[i]) * 1099511628211u;
		if (i == at) {
			i++;
			continue;
		}
		hash ^= hash >> 32;
		for (k = (i64)(hash & (uint64_t)(size - 1)); table[k].count > 0; k = (k + 1) & (size - 1))
			if (table[k].hash == hash && table[k].length == i - at && memcmp(text + table[k].at, text + at,
					(size_t)(i - at) * sizeof *text) == 0)
				break;
		have += table[k].count == 0;
		if (table[k].count++ == 0) {
			table[k].at = at;
			table[k].length = i - at;
			table[k].hash = hash;
		}
		if (2 * have > size) {
			struct Word *const old = table;

			table = get(2 * size, sizeof *table);
			for (i64 j = 0; j < size; j++) {
				if (old[j].count == 0)
					continue;
				for (k = (i64)(old[j].hash & (uint64_t)(2 * size - 1)); table[k].count > 0;
						k = (k + 1) & (2 * size - 1))
					;
				table[k] = old[j];
			}
			free(old);
			size *= 2;
		}
	}
	result = 0.0;
	for (i64 k = 0; k < size; k++)
		result += (double)(table[k].count * table[k].length * table[k].length);
	count = have;
	free(table);
}

static void
median(void)
{
	const i64 k = n / 2;
	i64 lo = 0, hi = n - 1;

	while (lo < hi) {
		const i64 pivot = w.at[lo + (hi - lo) / 2];
		i64 i = lo, j = hi;

		while (i <= j) {
			while (w.at[i] < pivot)
				i++;
			while (w.at[j] > pivot)
				j--;
			if (i <= j) {
				const i64 x = w.at[i];

				w.at[i++] = w.at[j];
				w.at[j--] = x;
			}
		}
		if (k <= j)
			hi = j;
		else if (k >= i)
			lo = i;
		else
			break;
	}
	result = (double)w.at[k];
}

static void
again(void)
{
	memcpy(w.at, v.at, (size_t)n * 8);
}

static double
of_list(void)
{
	double sum = 0.0;

	for (i64 i = 0; i < count; i++)
		sum += (double)out[i];
	return sum;
}

static double
of_words(void)
{
	return result + (double)count;
}

static double
of_median(void)
{
	return result;
}

int
main(int argc, char **argv)
{
	static const char letters[] = "abcd", spaced[] = "abc ";

	if (argc != 4)
		fail("lists RUNS KERNEL INPUT");
	if (strcmp(argv[2], "primes") == 0) {
		n = whole_number(argv[3]);
		flag = get(n, 1);
		out = get(n, sizeof *out);
		return bench(argv[1], NULL, primes, of_list);
	}
	v = read_ints(argv[3]);
	n = v.n;
	if (strcmp(argv[2], "median") == 0) {
		w = (Ints){n, get(n, 8)};
		return bench(argv[1], again, median, of_median);
	}
	out = get(n, sizeof *out);
	text = get(n, sizeof *text);
	for (i64 i = 0; i < n; i++)
		text[i] = (uint32_t)(strcmp(argv[2], "words") == 0 ? spaced : letters)[v.at[i] & 3];
	if (strcmp(argv[2], "search") == 0)
		return bench(argv[1], NULL, search, of_list);
	if (strcmp(argv[2], "words") == 0)
		return bench(argv[1], NULL, words, of_words);
	fail("no such kernel");
}

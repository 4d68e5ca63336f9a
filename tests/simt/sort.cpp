/* sort.cpp: the sort behind rank, sort and group, for the emulator: in place of backend/rt/nesl_sort.cu.
 *
 * How  As a radix sort by digits of 8 bits does, it leaves what it has sorted in the one or in the other of two arrays; what is in
 *      the other one, and in its working memory, is nonsense. */
#include "machine.h"
#include <algorithm>
#include <numeric>

enum { DIGIT = 8, WORK = 1000 };

/* Of the n elements that are put in order from one array to the other; and back, where `again`. */
template<class V>
static void
put_in_order(void *(&at)[2], int64_t n, const std::vector<int64_t> &order, bool again)
{
	const size_t size = (size_t)n * sizeof(V);
	const V *const from = (const V *)at[0];
	std::vector<V> sorted((size_t)n);

	region_read(at[0], size, "sort");
	region_written(at[1], size, "sort");
	for (int64_t i = 0; i < n; i++)
		sorted[i] = from[order[i]];
	if (!again)
		std::swap(at[0], at[1]);
	std::copy(sorted.begin(), sorted.end(), (V *)at[0]);
	region_lost(at[1], size, "sort");
}

template<class K>
static std::vector<int64_t>
order_of(const K *key, int64_t n, int bits)
{
	const K mask = (K)~(K)0 >> (8 * (int)sizeof(K) - bits);
	std::vector<int64_t> order((size_t)n);

	region_read(key, (size_t)n * sizeof *key, "sort");
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return (key[i] & mask) < (key[j] & mask); });
	return order;
}

static void
put_bytes_in_order(void *(&at)[2], int bytes, int64_t n, const std::vector<int64_t> &order, bool again)
{
	if (bytes == sizeof(uint32_t))
		put_in_order<uint32_t>(at, n, order, again);
	else if (bytes == sizeof(uint64_t))
		put_in_order<uint64_t>(at, n, order, again);
}

extern "C" int
nesl_sort_bits(void *work, size_t *bytes, void *(&key)[2], int key_bytes, void *(&value)[2], int value_bytes, int64_t n, int bits)
{
	const bool again = (bits + DIGIT - 1) / DIGIT % 2 == 0;

	if (!work) {
		*bytes = WORK + (size_t)n / WORK;
		return 0;
	}
	region_lost(work, *bytes, "sort");
	const std::vector<int64_t> order = key_bytes == sizeof(uint32_t) ? order_of((const uint32_t *)key[0], n, bits)
		: order_of((const uint64_t *)key[0], n, bits);

	put_bytes_in_order(key, key_bytes, n, order, again);
	put_bytes_in_order(value, value_bytes, n, order, again);
	return 0;
}

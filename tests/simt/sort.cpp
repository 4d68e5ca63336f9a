/* sort.cpp: the sorts behind rank and sort, for the emulator: in place of backend/rt/nesl_sort.cu. */
#include "machine.h"
#include <algorithm>
#include <numeric>

template<class K>
static int
sort_pairs(K *key, int64_t *value, int64_t n)
{
	const std::vector<K> k(key, key + n);
	const std::vector<int64_t> v(value, value + n);
	std::vector<int64_t> order((size_t)n);

	region_read(key, (size_t)n * sizeof *key, "sort");
	region_read(value, (size_t)n * sizeof *value, "sort");
	std::iota(order.begin(), order.end(), 0);
	std::stable_sort(order.begin(), order.end(), [&k](int64_t i, int64_t j) { return k[i] < k[j]; });
	for (int64_t i = 0; i < n; i++) {
		key[i] = k[order[i]];
		value[i] = v[order[i]];
	}
	return 0;
}

extern "C" int
nesl_sort_pairs(void *key, int bytes, int64_t *value, int64_t n, bool)
{
	switch (bytes) {
	case 1: return sort_pairs((unsigned char *)key, value, n);
	case 2: return sort_pairs((unsigned short *)key, value, n);
	default: return sort_pairs((unsigned long long *)key, value, n);
	}
}

extern "C" int
nesl_sort_keys(unsigned long long *key, int64_t n, bool)
{
	region_read(key, (size_t)n * sizeof *key, "sort");
	std::sort(key, key + n);
	return 0;
}

/* sort.cpp: the sorts behind rank and sort, for the emulator: in place of backend/rt/nesl_sort.cu. */
#include "machine.h"
#include <algorithm>
#include <numeric>

extern "C" int
nesl_sort_pairs(unsigned long long *key, int64_t *value, int64_t n, bool)
{
	const std::vector<unsigned long long> k(key, key + n);
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
nesl_sort_keys(unsigned long long *key, int64_t n, bool)
{
	region_read(key, (size_t)n * sizeof *key, "sort");
	std::sort(key, key + n);
	return 0;
}

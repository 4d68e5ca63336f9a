/* The stable sort behind rank: the only file that includes Thrust.  The headers cost nvcc ten seconds,
 * so the driver compiles this once and caches the object; see nesl_sort.h for the contract. */
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <cstdint>

extern "C" int
nesl_sort_pairs(unsigned long long *key, int64_t *value, int64_t n)
{
	try {
		thrust::stable_sort_by_key(thrust::device, key, key + n, value);
	} catch (...) {
		return 1;
	}
	return 0;
}

/* The sorts behind rank and sort: the only file that includes Thrust.  The headers cost nvcc ten seconds,
 * so the driver compiles this once and caches the object; see nesl_sort.h for the contract. */
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <cstdint>
#include <new>

/* What Thrust needs on the way, in the order of the stream: cudaMalloc and cudaFree would wait for the device. */
struct stream_memory {
	typedef char value_type;
	bool pooled;
	char *allocate(std::ptrdiff_t bytes)
	{
		void *at;

		if ((pooled ? cudaMallocAsync(&at, (size_t)bytes, 0) : cudaMalloc(&at, (size_t)bytes)) != cudaSuccess)
			throw std::bad_alloc();
		return (char *)at;
	}
	void deallocate(char *at, size_t)
	{
		if (pooled)
			cudaFreeAsync(at, 0);
		else
			cudaFree(at);
	}
};

template<class K>
static int
sort_pairs(K *key, int64_t *value, int64_t n, bool pooled)
{
	stream_memory memory = {pooled};

	try {
		thrust::stable_sort_by_key(thrust::cuda::par_nosync(memory), key, key + n, value);
	} catch (...) {
		return 1;
	}
	return 0;
}

/* Of keys of one or two bytes there are no more passes than that takes. */
extern "C" int
nesl_sort_pairs(void *key, int bytes, int64_t *value, int64_t n, bool pooled)
{
	switch (bytes) {
	case 1: return sort_pairs((unsigned char *)key, value, n, pooled);
	case 2: return sort_pairs((unsigned short *)key, value, n, pooled);
	default: return sort_pairs((unsigned long long *)key, value, n, pooled);
	}
}

extern "C" int
nesl_sort_keys(unsigned long long *key, int64_t n, bool pooled)
{
	stream_memory memory = {pooled};

	try {
		thrust::sort(thrust::cuda::par_nosync(memory), key, key + n);
	} catch (...) {
		return 1;
	}
	return 0;
}

/* The sort behind rank, sort and group: the only file that includes CUB.  The headers cost nvcc ten seconds,
 * so the driver compiles this once and caches the object; see nesl_sort.h for the contract. */
#include <cub/device/device_radix_sort.cuh>
#include <cstdint>
#include <utility>

template<class V>
static cub::DoubleBuffer<V>
both(void *const (&at)[2])
{
	return cub::DoubleBuffer<V>((V *)at[0], (V *)at[1]);
}

/* Counts as narrow as positions are: N. */
template<class K, class N>
static int
sort_keys(void *work, size_t *bytes, void *(&key)[2], N n, int bits)
{
	cub::DoubleBuffer<K> k = both<K>(key);
	const cudaError_t e = cub::DeviceRadixSort::SortKeys(work, *bytes, k, n, 0, bits);

	if (k.selector)
		std::swap(key[0], key[1]);
	return e;
}

template<class K, class N>
static int
sort_pairs(void *work, size_t *bytes, void *(&key)[2], void *(&value)[2], N n, int bits)
{
	cub::DoubleBuffer<K> k = both<K>(key);
	cub::DoubleBuffer<N> v = both<N>(value);
	const cudaError_t e = cub::DeviceRadixSort::SortPairs(work, *bytes, k, v, n, 0, bits);

	if (k.selector)
		std::swap(key[0], key[1]);
	if (v.selector)
		std::swap(value[0], value[1]);
	return e;
}

template<class K>
static int
sort(void *work, size_t *bytes, void *(&key)[2], void *(&value)[2], int value_bytes, int64_t n, int bits)
{
	if (value_bytes == 0)
		return sort_keys<K>(work, bytes, key, n, bits);
	if (value_bytes == sizeof(uint32_t))
		return sort_pairs<K>(work, bytes, key, value, (uint32_t)n, bits);
	return sort_pairs<K>(work, bytes, key, value, (uint64_t)n, bits);
}

extern "C" int
nesl_sort_bits(void *work, size_t *bytes, void *(&key)[2], int key_bytes, void *(&value)[2], int value_bytes, int64_t n, int bits)
{
	return key_bytes == sizeof(uint32_t) ? sort<uint32_t>(work, bytes, key, value, value_bytes, n, bits)
		: sort<uint64_t>(work, bytes, key, value, value_bytes, n, bits);
}

#ifndef BASELINES_GPU_H
#define BASELINES_GPU_H
/* What the CUDA baselines share: memory, times, the lines that bench/gpu.sh reads, the same data as its programs make.
 *
 *     BENCHMARK|BY|MILLISECONDS|BYTES|RESULT          bytes: what the task reads and writes at least */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) check((call), #call)

static inline void
check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(4);
}

/* n elements on the device. */
template<class T> struct Device {
	T *at = NULL;
	int64_t n;

	explicit Device(int64_t count) : n(count) { CHECK(cudaMalloc(&at, (size_t)(n > 0 ? n : 1) * sizeof(T))); }
	explicit Device(const std::vector<T> &v) : Device((int64_t)v.size())
	{
		CHECK(cudaMemcpy(at, v.data(), (size_t)n * sizeof(T), cudaMemcpyHostToDevice));
	}
	Device(const Device &) = delete;
	~Device() { cudaFree(at); }
	T operator[](int64_t i) const
	{
		T x;

		CHECK(cudaMemcpy(&x, at + i, sizeof x, cudaMemcpyDeviceToHost));
		return x;
	}
	std::vector<T> host() const
	{
		std::vector<T> v((size_t)n);

		CHECK(cudaMemcpy(v.data(), at, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost));
		return v;
	}
};

enum { BLOCK = 256, RUNS = 7, LONG_MS = 50 };

static inline unsigned
blocks_for(int64_t threads)
{
	return (unsigned)std::min<int64_t>((threads + BLOCK - 1) / BLOCK, 1 << 30);
}

/* Blocks that fill the device a few times over, for loops that stride by the grid. */
static inline unsigned
resident_blocks()
{
	int device, n;

	CHECK(cudaGetDevice(&device));
	CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device));
	return (unsigned)n * 16;
}

/* Milliseconds of run(), the median of RUNS after a first one; of one run where that takes long. */
template<class F>
static double
median_ms(F run)
{
	std::vector<float> ms(RUNS);
	cudaEvent_t begin, end;

	CHECK(cudaEventCreate(&begin));
	CHECK(cudaEventCreate(&end));
	run();
	for (float &t : ms) {
		CHECK(cudaEventRecord(begin));
		run();
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaGetLastError());
		CHECK(cudaEventElapsedTime(&t, begin, end));
		if (t > LONG_MS) {
			std::fill(ms.begin(), ms.end(), t);
			break;
		}
	}
	std::sort(ms.begin(), ms.end());
	CHECK(cudaEventDestroy(begin));
	CHECK(cudaEventDestroy(end));
	return ms[RUNS / 2];
}

static inline void
report(const char *benchmark, const char *by, double ms, double bytes, double result)
{
	printf("%s|%s|%.4f|%.0f|%.17g\n", benchmark, by, ms, bytes, result);
	fflush(stdout);
}

/* A call of CUB: with NULL it says how much memory it wants, which is not timed. */
template<class F>
static double
cub_ms(F call)
{
	size_t bytes = 0;

	CHECK(call((void *)NULL, bytes));
	Device<char> work((int64_t)bytes);
	return median_ms([&] { CHECK(call((void *)work.at, bytes)); });
}

static inline std::vector<double>
floats(int64_t n)
{
	std::vector<double> v((size_t)n);

	for (int64_t i = 0; i < n; i++)
		v[(size_t)i] = (double)(i % 1000) * 0.25;
	return v;
}

static inline std::vector<int64_t>
ints(int64_t n)
{
	std::vector<int64_t> v((size_t)n);

	for (int64_t i = 0; i < n; i++)
		v[(size_t)i] = 7919 * i % 1009;
	return v;
}

#endif

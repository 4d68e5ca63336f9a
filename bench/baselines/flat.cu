/* flat.cu: what a GPU does with flat vectors: `flat N`, N elements; see gpu.h for what it prints. */
#include "gpu.h"
#include <cub/cub.cuh>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

static void
tell_device()
{
	int device, driver, runtime, clock = 0, memory_clock = 0, width = 0;
	cudaDeviceProp p;

	CHECK(cudaGetDevice(&device));
	CHECK(cudaGetDeviceProperties(&p, device));
	CHECK(cudaDriverGetVersion(&driver));
	CHECK(cudaRuntimeGetVersion(&runtime));
	CHECK(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
	CHECK(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, device));
	CHECK(cudaDeviceGetAttribute(&width, cudaDevAttrGlobalMemoryBusWidth, device));
	printf("device|%s, sm_%d%d, %d multiprocessors, %.0f GiB; driver CUDA %d.%d, run time %d.%d; at most %.0f MHz, memory "
		"%.0f MHz x %d bits = %.0f GB/s\n", p.name, p.major, p.minor, p.multiProcessorCount,
		(double)p.totalGlobalMem / (1 << 30), driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10,
		clock / 1e3, memory_clock / 1e3, width, 2.0 * memory_clock * 1e3 * width / 8 / 1e9);
}

/* -- by hand ----------------------------------------------------------------------------------------- */
__device__ static int64_t
thread()
{
	return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ static void
copy_kernel(const double2 *x, double2 *y, int64_t n)
{
	for (int64_t i = thread(); i < n; i += (int64_t)gridDim.x * blockDim.x)
		y[i] = x[i];
}

__global__ static void
saxpy_kernel(double a, const double *x, const double *y, double *r, int64_t n)
{
	for (int64_t i = thread(); i < n; i += (int64_t)gridDim.x * blockDim.x)
		r[i] = a * x[i] + y[i];
}

/* The sum of x * y, or of x: a value a thread, a warp, a block; the blocks' by atomics, in any order. */
template<bool DOT>
__global__ static void
sum_kernel(const double2 *x, const double2 *y, int64_t n, double *sum)
{
	double mine = 0;

	for (int64_t i = thread(); i < n; i += (int64_t)gridDim.x * blockDim.x) {
		const double2 a = x[i];

		if constexpr (DOT) {
			const double2 b = y[i];

			mine += a.x * b.x + a.y * b.y;
		} else {
			mine += a.x + a.y;
		}
	}
	for (int d = 16; d; d >>= 1)
		mine += __shfl_down_sync(0xffffffffu, mine, d);
	if (threadIdx.x % 32 == 0)
		atomicAdd(sum, mine);
}

/* What is kept, in any order: a place for each warp's by one atomic. */
__global__ static void
filter_kernel(const int64_t *x, int64_t n, int64_t limit, int64_t *kept, unsigned long long *count)
{
	const int lane = threadIdx.x % 32;

	for (int64_t i = thread(); i - lane < n; i += (int64_t)gridDim.x * blockDim.x) {
		const bool keep = i < n && x[i] > limit;
		const unsigned all = __ballot_sync(0xffffffffu, keep);
		unsigned long long at = 0;

		if (lane == 0)
			at = atomicAdd(count, (unsigned long long)__popc(all));
		at = __shfl_sync(0xffffffffu, at, 0);
		if (keep)
			kept[at + __popc(all & ((1u << lane) - 1))] = x[i];
	}
}

/* -- the benchmarks ---------------------------------------------------------------------------------- */
static void
copies(const Device<double> &x)
{
	const double bytes = 16.0 * (double)x.n;
	Device<double> y(x.n);

	report("copy", "kernel", median_ms([&] {
		copy_kernel<<<resident_blocks(), BLOCK>>>((const double2 *)x.at, (double2 *)y.at, x.n / 2);
	}), bytes, y[x.n / 2]);
	report("copy", "cudaMemcpy", median_ms([&] {
		CHECK(cudaMemcpyAsync(y.at, x.at, (size_t)x.n * sizeof *x.at, cudaMemcpyDeviceToDevice));
	}), bytes, y[x.n / 2]);
}

static void
sums(const Device<double> &x, const Device<double> &y)
{
	const double n = (double)x.n;
	Device<double> r(x.n), sum(1);
	double found = 0;
	const auto by_hand = [&](auto kernel) {
		return median_ms([&] {
			CHECK(cudaMemsetAsync(sum.at, 0, sizeof *sum.at));
			kernel<<<resident_blocks(), BLOCK>>>((const double2 *)x.at, (const double2 *)y.at, x.n / 2, sum.at);
		});
	};
	double ms = median_ms([&] { saxpy_kernel<<<resident_blocks(), BLOCK>>>(2.0, x.at, y.at, r.at, x.n); });

	report("saxpy", "by hand", ms, 24 * n, thrust::reduce(thrust::device, r.at, r.at + r.n));
	ms = by_hand(sum_kernel<false>);
	report("sum", "by hand", ms, 8 * n, sum[0]);
	ms = cub_ms([&](void *work, size_t &bytes) { return cub::DeviceReduce::Sum(work, bytes, x.at, sum.at, x.n); });
	report("sum", "CUB", ms, 8 * n, sum[0]);
	ms = median_ms([&] { found = thrust::reduce(thrust::device, x.at, x.at + x.n); });
	report("sum", "Thrust", ms, 8 * n, found);
	ms = by_hand(sum_kernel<true>);
	report("dot", "by hand", ms, 16 * n, sum[0]);
	ms = median_ms([&] { found = thrust::inner_product(thrust::device, x.at, x.at + x.n, y.at, 0.0); });
	report("dot", "Thrust", ms, 16 * n, found);
}

template<class T>
static void
scans(const char *name, const Device<T> &x)
{
	const double bytes = 16.0 * (double)x.n;
	Device<T> r(x.n);
	double ms = cub_ms([&](void *work, size_t &n) { return cub::DeviceScan::ExclusiveSum(work, n, x.at, r.at, x.n); });

	report(name, "CUB", ms, bytes, (double)r[x.n - 1]);
	ms = median_ms([&] { thrust::exclusive_scan(thrust::device, x.at, x.at + x.n, r.at); });
	report(name, "Thrust", ms, bytes, (double)r[x.n - 1]);
}

/* x -> a x + b, and one after the other. */
struct Affine {
	uint64_t a, b;
};
struct After {
	__host__ __device__ Affine operator()(Affine f, Affine g) const { return Affine{f.a * g.a, f.b * g.a + g.b}; }
};

static void
scans_by_a_function(int64_t n)
{
	std::vector<Affine> made((size_t)n);

	for (int64_t i = 0; i < n; i++)
		made[(size_t)i] = Affine{(uint64_t)(1 + i % 3), (uint64_t)i};
	const Device<Affine> f(made);
	Device<Affine> r(n);
	const double ms = cub_ms([&](void *work, size_t &bytes) {
		return cub::DeviceScan::ExclusiveScan(work, bytes, f.at, r.at, After{}, Affine{1, 0}, n);
	});

	report("scan by a function", "CUB", ms, 32.0 * (double)n, (double)((int64_t)r[n - 1].b % 1000003));
}

struct Above {
	int64_t limit;
	__host__ __device__ bool operator()(int64_t x) const { return x > limit; }
};

static void
filters(const Device<int64_t> &x)
{
	Device<int64_t> kept(x.n);
	Device<unsigned long long> count(1);
	const Above above = {504};
	int64_t n = 0;
	double ms = median_ms([&] {
		n = thrust::copy_if(thrust::device, x.at, x.at + x.n, kept.at, above) - kept.at;
	});
	const double bytes = 8.0 * (double)(x.n + n);

	report("filter", "Thrust", ms, bytes, (double)n);
	ms = cub_ms([&](void *work, size_t &b) {
		return cub::DeviceSelect::If(work, b, x.at, kept.at, count.at, x.n, above);
	});
	report("filter", "CUB", ms, bytes, (double)count[0]);
	ms = median_ms([&] {
		CHECK(cudaMemsetAsync(count.at, 0, sizeof *count.at));
		filter_kernel<<<resident_blocks(), BLOCK>>>(x.at, x.n, above.limit, kept.at, count.at);
	});
	report("filter", "by hand, any order", ms, bytes, (double)count[0]);
}

/* Thrust sorts in place: the copy before it is timed alone, too, and taken off. */
static void
sorts(int64_t n)
{
	std::vector<int64_t> made((size_t)n);

	for (int64_t i = 0; i < n; i++)
		made[(size_t)i] = i * 2654435761 % 1000003;
	const Device<int64_t> x(made);
	Device<int64_t> r(n);
	const auto copy = [&] {
		CHECK(cudaMemcpyAsync(r.at, x.at, (size_t)n * sizeof *x.at, cudaMemcpyDeviceToDevice));
	};
	const double bytes = 16.0 * (double)n;
	double ms = cub_ms([&](void *work, size_t &b) { return cub::DeviceRadixSort::SortKeys(work, b, x.at, r.at, n); });

	report("sort", "CUB", ms, bytes, (double)r[n / 2]);
	ms = median_ms([&] { copy(); thrust::sort(thrust::device, r.at, r.at + n); }) - median_ms(copy);
	copy();
	thrust::sort(thrust::device, r.at, r.at + n);
	report("sort", "Thrust", ms, bytes, (double)r[n / 2]);
}

int
main(int argc, char **argv)
{
	const int64_t n = argc == 2 ? atoll(argv[1]) & -2 : 0;

	if (n <= 0) {
		fprintf(stderr, "flat N\n");
		return 2;
	}
	tell_device();
	{
		std::vector<double> made = floats(n);
		const Device<double> x(made);

		std::reverse(made.begin(), made.end());
		const Device<double> y(made);
		copies(x);
		sums(x, y);
		scans("float scan", x);
	}
	{
		const Device<int64_t> v(ints(n));

		scans("scan", v);
		filters(v);
	}
	scans_by_a_function(n / 10);
	sorts(n / 10);
	return 0;
}

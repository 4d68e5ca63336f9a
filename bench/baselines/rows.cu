/* rows.cu: sums and scans of the rows of N elements: `rows N`; see gpu.h for what it prints.  Rows are of the kinds that
 * bench/gpu.sh has. */
#include "gpu.h"
#include <cub/cub.cuh>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

/* The lengths of the rows of a kind: those of bench/gpu.sh, by the same names. */
static std::vector<int64_t>
lengths(const char *kind, int64_t n)
{
	const int64_t equal = std::min<int64_t>(n, atoll(kind));
	std::vector<int64_t> v((size_t)(equal ? n / equal : n / 16));

	for (int64_t i = 0; i < (int64_t)v.size(); i++)
		v[(size_t)i] = equal ? equal : kind[0] == 'r' ? 7919 * i % 31 : kind[0] == 'z' ? n / (24 * (i + 1))
			: kind[0] == 'g' ? 8 : i % 2 * 32;
	if (kind[0] == 'g')
		v.insert(v.begin(), n / 2);
	return v;
}

static std::vector<int64_t>
offsets(const std::vector<int64_t> &length)
{
	std::vector<int64_t> v = {0};

	for (int64_t k : length)
		v.push_back(v.back() + k);
	return v;
}

/* A thread, or a warp, for each row. */
template<int LANES>
__global__ static void
row_sums_kernel(const double *x, const int64_t *off, int64_t rows, double *r)
{
	const int64_t thread = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, row = thread / LANES;
	const int lane = (int)(thread % LANES);
	double sum = 0;

	if (row >= rows)
		return;
	for (int64_t e = off[row] + lane; e < off[row + 1]; e += LANES)
		sum += x[e];
	if (LANES > 1)
		for (int d = LANES / 2; d; d >>= 1)
			sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (lane == 0)
		r[row] = sum;
}

template<class T>
__global__ static void
row_scans_kernel(const T *x, const int64_t *off, int64_t rows, T *r)
{
	const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;
	T before = 0;

	if (row >= rows)
		return;
	for (int64_t from = off[row]; from < off[row + 1]; from += 32) {
		const int64_t e = from + lane;
		const T mine = e < off[row + 1] ? x[e] : 0;
		T sum = mine;

		for (int d = 1; d < 32; d <<= 1) {
			const T left = __shfl_up_sync(0xffffffffu, sum, d);

			sum += lane >= d ? left : 0;
		}
		if (e < off[row + 1])
			r[e] = before + sum - mine;
		before += __shfl_sync(0xffffffffu, sum, 31);
	}
}

static double
sum_of(const std::vector<double> &v)
{
	double sum = 0;

	for (double x : v)
		sum += x;
	return sum;
}

static void
row_sums(const char *name, const Device<double> &x, const Device<int64_t> &off, int64_t tot)
{
	const int64_t rows = off.n - 1;
	const double bytes = 8.0 * (double)tot + 16.0 * (double)rows;
	Device<double> r(rows);
	double ms = cub_ms([&](void *work, size_t &b) {
		return cub::DeviceSegmentedReduce::Sum(work, b, x.at, r.at, rows, off.at, off.at + 1);
	});

	report(name, "CUB", ms, bytes, sum_of(r.host()));
	ms = median_ms([&] { row_sums_kernel<32><<<blocks_for(rows * 32), BLOCK>>>(x.at, off.at, rows, r.at); });
	report(name, "by hand, a warp a row", ms, bytes, sum_of(r.host()));
	ms = median_ms([&] { row_sums_kernel<1><<<blocks_for(rows), BLOCK>>>(x.at, off.at, rows, r.at); });
	report(name, "by hand, a thread a row", ms, bytes, sum_of(r.host()));
}

/* The sum of the last element of each row that has one. */
template<class T>
static double
last_ones(const Device<T> &r, const std::vector<int64_t> &off)
{
	const std::vector<T> v = r.host();
	double sum = 0;

	for (size_t i = 0; i + 1 < off.size(); i++)
		if (off[i] < off[i + 1])
			sum += (double)v[(size_t)off[i + 1] - 1];
	return sum;
}

template<class T>
static void
row_scans(const char *name, const Device<T> &x, const std::vector<int64_t> &host_off, const Device<int64_t> &off)
{
	const int64_t rows = off.n - 1, tot = host_off.back();
	const double bytes = 16.0 * (double)tot + 8.0 * (double)rows;
	std::vector<int32_t> made((size_t)tot);
	Device<T> r(tot);
	double ms;

	for (int64_t i = 0; i < rows; i++)
		std::fill(made.begin() + host_off[(size_t)i], made.begin() + host_off[(size_t)i + 1], (int32_t)i);
	const Device<int32_t> key(made);
	ms = median_ms([&] {
		thrust::exclusive_scan_by_key(thrust::device, key.at, key.at + tot, x.at, r.at);
	});
	report(name, "Thrust, by key", ms, bytes, last_ones(r, host_off));
	ms = median_ms([&] { row_scans_kernel<<<blocks_for(rows * 32), BLOCK>>>(x.at, off.at, rows, r.at); });
	report(name, "by hand, a warp a row", ms, bytes, last_ones(r, host_off));
}

int
main(int argc, char **argv)
{
	static const char *const kind[] = {"1", "3", "32", "1000", "1000000", "random", "zipf", "giant", "alternate"};
	const int64_t n = argc == 2 ? atoll(argv[1]) : 0;

	if (n <= 0) {
		fprintf(stderr, "rows N\n");
		return 2;
	}
	const Device<double> x(floats(n));
	const Device<int64_t> v(ints(n));
	for (const char *k : kind) {
		const std::vector<int64_t> host_off = offsets(lengths(k, n));
		const Device<int64_t> off(host_off);
		char name[40];

		snprintf(name, sizeof name, "row sums, %s", k);
		row_sums(name, x, off, host_off.back());
		snprintf(name, sizeof name, "row scans, %s", k);
		row_scans(name, v, host_off, off);
		snprintf(name, sizeof name, "float row scans, %s", k);
		row_scans(name, x, host_off, off);
	}
	return 0;
}

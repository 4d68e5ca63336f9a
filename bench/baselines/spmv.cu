/* spmv.cu: sparse matrix times vector: `spmv KIND FILE.mtx`, a matrix as `nessie data KIND` writes it; see gpu.h for what it
 * prints.  The vector is 1.0, 2.0 .. 7.0, 1.0 ..; columns are of 64 bits, as nessie's int is, or of 32. */
#include "gpu.h"
#include <cusparse.h>
#include <type_traits>

struct Csr {
	int64_t rows, cols;
	std::vector<int64_t> off, col;
	std::vector<double> value;
};

static void
fail(const char *what)
{
	fprintf(stderr, "spmv: %s\n", what);
	exit(4);
}

/* Coordinates, real, general. */
static Csr
read_matrix(const char *path)
{
	struct Entry { int64_t row, col; double value; };
	FILE *f = fopen(path, "r");
	std::vector<Entry> entry;
	char line[200];
	long long rows = 0, cols = 0, n = 0;
	Csr m;

	if (!f)
		fail("the matrix cannot be read");
	while (fgets(line, sizeof line, f) && line[0] == '%')
		;
	if (sscanf(line, "%lld %lld %lld", &rows, &cols, &n) != 3)
		fail("no sizes");
	entry.reserve((size_t)n);
	while (fgets(line, sizeof line, f)) {
		char *p = line;
		Entry e;

		e.row = strtoll(p, &p, 10) - 1;
		e.col = strtoll(p, &p, 10) - 1;
		e.value = strtod(p, &p);
		entry.push_back(e);
	}
	fclose(f);
	std::sort(entry.begin(), entry.end(), [](const Entry &a, const Entry &b) {
		return a.row < b.row || (a.row == b.row && a.col < b.col);
	});
	m.rows = rows;
	m.cols = cols;
	m.off.assign((size_t)rows + 1, 0);
	for (const Entry &e : entry) {
		m.off[(size_t)e.row + 1]++;
		m.col.push_back(e.col);
		m.value.push_back(e.value);
	}
	for (size_t i = 0; i < (size_t)rows; i++)
		m.off[i + 1] += m.off[i];
	return m;
}

/* A warp for each row. */
template<class I>
__global__ static void
spmv_kernel(const I *off, const I *col, const double *value, const double *v, int64_t rows, double *r)
{
	const int64_t row = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
	const int lane = threadIdx.x % 32;
	double sum = 0;

	if (row >= rows)
		return;
	for (I e = off[row] + lane; e < off[row + 1]; e += 32)
		sum += value[e] * v[col[e]];
	for (int d = 16; d; d >>= 1)
		sum += __shfl_down_sync(0xffffffffu, sum, d);
	if (lane == 0)
		r[row] = sum;
}

static void
sparse(cusparseStatus_t s)
{
	if (s != CUSPARSE_STATUS_SUCCESS)
		fail(cusparseGetErrorString(s));
}

/* The library, after what it wants to do once. */
template<class I>
static double
by_library(const Csr &m, const Device<I> &off, const Device<I> &col, const Device<double> &value, const Device<double> &v,
	const Device<double> &r)
{
	const cusparseIndexType_t index = sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
	const double one = 1, zero = 0;
	cusparseHandle_t handle;
	cusparseSpMatDescr_t a;
	cusparseDnVecDescr_t x, y;
	size_t bytes = 0;
	double ms;

	sparse(cusparseCreate(&handle));
	sparse(cusparseCreateCsr(&a, m.rows, m.cols, value.n, off.at, col.at, value.at, index, index, CUSPARSE_INDEX_BASE_ZERO,
		CUDA_R_64F));
	sparse(cusparseCreateDnVec(&x, m.cols, v.at, CUDA_R_64F));
	sparse(cusparseCreateDnVec(&y, m.rows, r.at, CUDA_R_64F));
	sparse(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_64F,
		CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
	Device<char> work((int64_t)bytes);
	sparse(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_64F,
		CUSPARSE_SPMV_ALG_DEFAULT, work.at));
	ms = median_ms([&] {
		sparse(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a, x, &zero, y, CUDA_R_64F,
			CUSPARSE_SPMV_ALG_DEFAULT, work.at));
	});
	sparse(cusparseDestroyDnVec(y));
	sparse(cusparseDestroyDnVec(x));
	sparse(cusparseDestroySpMat(a));
	sparse(cusparseDestroy(handle));
	return ms;
}

static double
sum_of(const Device<double> &r)
{
	double sum = 0;

	for (double x : r.host())
		sum += x;
	return sum;
}

template<class I>
static void
products(const char *name, const Csr &m, const Device<double> &value, const Device<double> &v)
{
	const Device<I> off(std::vector<I>(m.off.begin(), m.off.end())), col(std::vector<I>(m.col.begin(), m.col.end()));
	const Device<double> r(m.rows);
	const bool wide = sizeof(I) == 8;
	/* the task's bytes are those of the wide columns; each element of v counts once */
	const double bytes = 16.0 * (double)value.n + 16.0 * (double)m.rows + 8.0 * (double)m.cols;
	double ms = by_library(m, off, col, value, v, r);

	report(name, wide ? "cuSPARSE, 64-bit" : "cuSPARSE, 32-bit", ms, wide ? bytes : 0, sum_of(r));
	ms = median_ms([&] {
		spmv_kernel<<<blocks_for(m.rows * 32), BLOCK>>>(off.at, col.at, value.at, v.at, m.rows, r.at);
	});
	report(name, wide ? "a warp a row, 64-bit" : "a warp a row, 32-bit", ms, wide ? bytes : 0, sum_of(r));
}

int
main(int argc, char **argv)
{
	char name[60];

	if (argc != 3) {
		fprintf(stderr, "spmv KIND FILE.mtx\n");
		return 2;
	}
	const Csr m = read_matrix(argv[2]);
	const Device<double> value(m.value);
	std::vector<double> made((size_t)m.cols);

	for (size_t i = 0; i < made.size(); i++)
		made[i] = (double)(i % 7) + 1;
	const Device<double> v(made);
	snprintf(name, sizeof name, "spmv, %s", argv[1]);
	products<int64_t>(name, m, value, v);
	products<int32_t>(name, m, value, v);
	return 0;
}

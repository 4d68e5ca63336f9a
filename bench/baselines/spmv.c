/* spmv.c: the loop somebody would write by hand.  `spmv FILE.mtx RUNS` prints entries, the mean time in milliseconds of RUNS
 * products with the vector of ones after a first one, and the sum of the result.
 *
 * Reads what nessie reads: coordinate real, integer or pattern, general or symmetric.  CSR with 64-bit columns, as
 * nessie's int is. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
	int64_t rows, cols, entries, *start, *col;
	double *value;
} Csr;

typedef struct { int64_t row, col; double value; } Entry;

static void
fail(const char *what)
{
	fprintf(stderr, "spmv: %s\n", what);
	exit(4);
}

static void *
get(int64_t n, size_t size)
{
	void *p = calloc((size_t)n + 1, size);

	if (!p)
		fail("out of memory");
	return p;
}

static Entry *
read_entries(FILE *f, Csr *m)
{
	char line[1024];
	int pattern, symmetric;
	int64_t n, given;
	Entry *e;

	if (!fgets(line, sizeof line, f))
		fail("empty file");
	for (char *p = line; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	pattern = strstr(line, "pattern") != NULL;
	symmetric = strstr(line, "symmetric") != NULL;
	do
		if (!fgets(line, sizeof line, f))
			fail("no size line");
	while (line[0] == '%' || line[0] == '\n');
	if (sscanf(line, "%ld %ld %ld", &m->rows, &m->cols, &given) != 3)
		fail("bad size line");
	e = get(2 * given, sizeof *e);
	for (n = 0; given > 0; given--) {
		Entry x = {0, 0, 1.0};
		if (fscanf(f, "%ld %ld", &x.row, &x.col) != 2 || (!pattern && fscanf(f, "%lf", &x.value) != 1))
			fail("bad entry");
		x.row--, x.col--;
		if (x.row < 0 || x.row >= m->rows || x.col < 0 || x.col >= m->cols)
			fail("entry out of bounds");
		e[n++] = x;
		if (symmetric && x.row != x.col)
			e[n++] = (Entry){x.col, x.row, x.value};
	}
	m->entries = n;
	return e;
}

static void
to_csr(Csr *m, const Entry *e)
{
	int64_t *at = get(m->rows, sizeof *at);

	m->start = get(m->rows + 1, sizeof *m->start);
	m->col = get(m->entries, sizeof *m->col);
	m->value = get(m->entries, sizeof *m->value);
	for (int64_t i = 0; i < m->entries; i++)
		m->start[e[i].row + 1]++;
	for (int64_t i = 0; i < m->rows; i++) {
		m->start[i + 1] += m->start[i];
		at[i] = m->start[i];
	}
	for (int64_t i = 0; i < m->entries; i++) {
		int64_t to = at[e[i].row]++;
		m->col[to] = e[i].col;
		m->value[to] = e[i].value;
	}
	free(at);
}

static void
multiply(const Csr *m, const double *restrict x, double *restrict y)
{
#pragma omp parallel for schedule(static)
	for (int64_t i = 0; i < m->rows; i++) {
		double sum = 0.0;
		for (int64_t j = m->start[i]; j < m->start[i + 1]; j++)
			sum += m->value[j] * x[m->col[j]];
		y[i] = sum;
	}
}

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int
main(int argc, char **argv)
{
	FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
	double *x, *y, total, sum = 0.0;
	int runs;
	Entry *e;
	Csr m;

	if (!f)
		fail("usage: spmv FILE.mtx RUNS");
	e = read_entries(f, &m);
	to_csr(&m, e);
	free(e);
	x = get(m.cols, sizeof *x);
	y = get(m.rows, sizeof *y);
	for (int64_t i = 0; i < m.cols; i++)
		x[i] = 1.0;
	runs = atoi(argv[2]);
	if (runs < 1)
		fail("RUNS is 1 or more");
	multiply(&m, x, y);
	total = now();
	for (int i = 0; i < runs; i++)
		multiply(&m, x, y);
	total = now() - total;
	for (int64_t i = 0; i < m.rows; i++)
		sum += y[i];
	printf("%ld %.6f %.15g\n", m.entries, total / runs, sum);
	return 0;
}

#ifndef BENCH_H
#define BENCH_H
/* bench.h: what the baselines share.
 *
 *     PROGRAM RUNS [WORD...] INPUT...
 *
 * prints a line for each run: its answer, and its seconds.  Inputs are what nessie reads: .npy of 64-bit ints or floats of
 * one dimension, .mtx.  Memory is touched before the runs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <omp.h>

typedef int64_t i64;
typedef struct { i64 n; double *at; } Floats;
typedef struct { i64 n; i64 *at; } Ints;
typedef struct { i64 rows, entries; i64 *start, *col; double *value; } Csr;

_Noreturn static inline void
fail(const char *what)
{
	fprintf(stderr, "baseline: %s\n", what);
	exit(4);
}

/* n * size bytes, zero. */
static inline void *
get(i64 n, size_t size)
{
	const size_t bytes = (size_t)(n + 1) * size;
	void *p = malloc(bytes);

	if (!p)
		fail("out of memory");
	memset(p, 0, bytes);
	return p;
}

static inline double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The whole file and a zero byte. */
static inline char *
read_whole(const char *path, i64 *n)
{
	FILE *f = path ? fopen(path, "rb") : NULL;
	char *text;

	if (!f || fseek(f, 0, SEEK_END) != 0 || (*n = ftell(f)) < 0)
		fail("cannot read an input");
	rewind(f);
	text = get(*n, 1);
	if (fread(text, 1, (size_t)*n, f) != (size_t)*n)
		fail("cannot read an input");
	fclose(f);
	return text;
}

static inline void *
read_npy(const char *path, const char *type, i64 *n)
{
	char *text = read_whole(path, n), *at;
	const i64 head = 10 + (unsigned char)text[8] + 256 * (unsigned char)text[9];

	if (!strstr(text + 10, type))
		fail("another type of elements is wanted");
	*n = (*n - head) / 8;
	at = get(*n, 8);
	memcpy(at, text + head, (size_t)*n * 8);
	free(text);
	return at;
}

static inline Floats
read_floats(const char *path)
{
	Floats v;

	v.at = read_npy(path, "<f8", &v.n);
	return v;
}

static inline Ints
read_ints(const char *path)
{
	Ints v;

	v.at = read_npy(path, "<i8", &v.n);
	return v;
}

/* Coordinate real, integer or pattern, general or symmetric; entries of a general one in the order of rows or not. */
static inline Csr
read_matrix(const char *path)
{
	i64 n, given, cols, *row, *col, *at;
	char *text = read_whole(path, &n), *p = text;
	const int pattern = memmem(text, 100, "pattern", 7) != NULL, symmetric = memmem(text, 100, "symmetric", 9) != NULL;
	double *value;
	Csr m;

	while (*p == '%')
		p = strchr(p, '\n') + 1;
	m.rows = strtol(p, &p, 10);
	cols = strtol(p, &p, 10);
	given = strtol(p, &p, 10);
	row = get(2 * given, 8);
	col = get(2 * given, 8);
	value = get(2 * given, 8);
	for (n = 0; given > 0; given--) {
		row[n] = strtol(p, &p, 10) - 1;
		col[n] = strtol(p, &p, 10) - 1;
		value[n] = pattern ? 1.0 : strtod(p, &p);
		if (row[n] < 0 || row[n] >= m.rows || col[n] < 0 || col[n] >= cols)
			fail("an entry is out of bounds");
		n++;
		if (symmetric && row[n - 1] != col[n - 1]) {
			row[n] = col[n - 1];
			col[n] = row[n - 1];
			value[n] = value[n - 1];
			n++;
		}
	}
	m.entries = n;
	m.start = get(m.rows + 1, 8);
	m.col = get(n, 8);
	m.value = get(n, 8);
	at = get(m.rows, 8);
	for (i64 i = 0; i < n; i++)
		m.start[row[i] + 1]++;
	for (i64 i = 0; i < m.rows; i++) {
		m.start[i + 1] += m.start[i];
		at[i] = m.start[i];
	}
	for (i64 i = 0; i < n; i++) {
		const i64 to = at[row[i]]++;

		m.col[to] = col[i];
		m.value[to] = value[i];
	}
	free(at);
	free(row);
	free(col);
	free(value);
	free(text);
	return m;
}

static inline i64
whole_number(const char *text)
{
	return text ? (i64)strtod(text, NULL) : 0;
}

static inline double
sum_of(const double *at, i64 n)
{
	double sum = 0.0;

	for (i64 i = 0; i < n; i++)
		sum += at[i];
	return sum;
}

enum { THREADS = 256 };          /* at most */

/* A thread, and the elements of n that are its own: lo up to hi. */
typedef struct { int thread, threads; i64 lo, hi; } Share;

static inline Share
share(i64 n)
{
	const int t = omp_get_thread_num(), nt = omp_get_num_threads();

	return (Share){t, nt, n * t / nt, n * (t + 1) / nt};
}

/* What the threads before this one have, of what each of them put into `of`. */
static inline i64
before(Share s, const i64 *of)
{
	i64 sum = 0;

	for (int k = 0; k < s.thread; k++)
		sum += of[k];
	return sum;
}

/* prepare (NULL: nothing) is not timed. */
static inline int
bench(const char *runs, void (*prepare)(void), void (*run)(void), double (*answer)(void))
{
	for (i64 k = whole_number(runs); k > 0; k--) {
		double t;

		if (prepare)
			prepare();
		t = now();
		run();
		t = now() - t;
		printf("%.15g %.9f\n", answer(), t);
	}
	return 0;
}

typedef struct {
	const char *name;
	void (*prepare)(void), (*run)(void);
	double (*answer)(void);
} Kernel;

/* The one of these that argv[2] names, argv[1] times; after the last is one without a name. */
static inline int
bench_one(const Kernel *of, char **argv)
{
	for (; of->name; of++)
		if (strcmp(argv[2], of->name) == 0)
			return bench(argv[1], of->prepare, of->run, of->answer);
	fail("no such kernel");
}

#endif

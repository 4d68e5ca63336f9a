/* graph.c: graphs, as matrices of which only the places count.  `graph RUNS bfs|components|pagerank|cg G.mtx`
 *
 * bfs         level by level, from vertex 0; vertices of the frontier in parallel, each new vertex claimed by compare and swap
 * components  concurrent union-find: roots hooked to smaller ones by compare and swap, paths halved
 * pagerank    20 rounds; row i has the pages that link to page i
 * cg          25 steps of conjugate gradients from 0, for the right side 1 */
#include "bench.h"
#include <math.h>

static Csr g;
static i64 *parent, *frontier, *next, reached;
static double *r, *p, *q, *u, *rank_, norm;
static i64 *degree;

static void
bfs(void)
{
	i64 n = 1;

	memset(parent, -1, (size_t)g.rows * sizeof *parent);
	parent[0] = 0;
	frontier[0] = 0;
	reached = 1;
	while (n > 0) {
		i64 *const swap = frontier;
		i64 found = 0;

#pragma omp parallel for schedule(dynamic, 64) if (n > 256)
		for (i64 i = 0; i < n; i++) {
			const i64 v = frontier[i];

			for (i64 j = g.start[v]; j < g.start[v + 1]; j++) {
				i64 none = -1;

				if (__atomic_load_n(&parent[g.col[j]], __ATOMIC_RELAXED) == -1 &&
						__atomic_compare_exchange_n(&parent[g.col[j]], &none, v, 0, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
					next[__atomic_fetch_add(&found, 1, __ATOMIC_RELAXED)] = g.col[j];
			}
		}
		frontier = next;
		next = swap;
		n = found;
		reached += n;
	}
}

static i64
root_of(i64 v)
{
	for (;;) {
		const i64 up = __atomic_load_n(&parent[v], __ATOMIC_RELAXED), above = __atomic_load_n(&parent[up], __ATOMIC_RELAXED);

		if (up == above)
			return up;
		__atomic_store_n(&parent[v], above, __ATOMIC_RELAXED);
		v = above;
	}
}

static void
join(i64 v, i64 w)
{
	for (;;) {
		i64 a = root_of(v), b = root_of(w), high = a > b ? a : b;

		if (a == b || __atomic_compare_exchange_n(&parent[high], &high, a < b ? a : b, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
}

static void
components(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(static)
		for (i64 v = 0; v < g.rows; v++)
			parent[v] = v;
#pragma omp for schedule(dynamic, 256)
		for (i64 v = 0; v < g.rows; v++)
			for (i64 j = g.start[v]; j < g.start[v + 1]; j++)
				join(v, g.col[j]);
#pragma omp for schedule(static)
		for (i64 v = 0; v < g.rows; v++)
			parent[v] = root_of(v);
	}
}

static void
pagerank(void)
{
	for (i64 i = 0; i < g.rows; i++)
		rank_[i] = 1.0 / (double)g.rows;
	for (int k = 0; k < 20; k++) {
#pragma omp parallel
		{
#pragma omp for schedule(static)
			for (i64 i = 0; i < g.rows; i++)
				q[i] = degree[i] == 0 ? 0.0 : rank_[i] / (double)degree[i];
#pragma omp for schedule(dynamic, 256)
			for (i64 i = 0; i < g.rows; i++) {
				double sum = 0.0;

				for (i64 j = g.start[i]; j < g.start[i + 1]; j++)
					sum += q[g.col[j]];
				rank_[i] = (1.0 - 0.85) / (double)g.rows + 0.85 * sum;
			}
		}
	}
}

static void
cg(void)
{
	const i64 n = g.rows;
	double rr = 0.0;

#pragma omp parallel for simd reduction(+ : rr) schedule(static)
	for (i64 i = 0; i < n; i++) {
		u[i] = 0.0;
		r[i] = p[i] = 1.0;
		rr += 1.0;
	}
	for (int k = 0; k < 25; k++) {
		double pq = 0.0, alpha, next = 0.0;

#pragma omp parallel for reduction(+ : pq) schedule(static)
		for (i64 i = 0; i < n; i++) {
			double sum = 0.0;

			for (i64 j = g.start[i]; j < g.start[i + 1]; j++)
				sum += g.value[j] * p[g.col[j]];
			q[i] = sum;
			pq += p[i] * sum;
		}
		alpha = rr / pq;
#pragma omp parallel for simd reduction(+ : next) schedule(static)
		for (i64 i = 0; i < n; i++) {
			u[i] += alpha * p[i];
			r[i] -= alpha * q[i];
			next += r[i] * r[i];
		}
#pragma omp parallel for simd schedule(static)
		for (i64 i = 0; i < n; i++)
			p[i] = r[i] + next / rr * p[i];
		rr = next;
	}
	norm = sqrt(rr);
}

static double
of_bfs(void)
{
	return (double)reached;
}

static double
of_components(void)
{
	double sum = 0.0;

	for (i64 v = 0; v < g.rows; v++)
		sum += (double)parent[v];
	return sum;
}

static double
of_pagerank(void)
{
	double sum = 0.0;

	for (i64 i = 0; i < g.rows; i++)
		sum += rank_[i] * rank_[i];
	return sum;
}

static double
of_cg(void)
{
	return sum_of(u, g.rows);
}

int
main(int argc, char **argv)
{
	static const Kernel kernels[] = {{"bfs", NULL, bfs, of_bfs}, {"components", NULL, components, of_components},
		{"pagerank", NULL, pagerank, of_pagerank}, {"cg", NULL, cg, of_cg}, {0}};

	if (argc != 4)
		fail("graph RUNS KERNEL G.mtx");
	g = read_matrix(argv[3]);
	parent = get(g.rows, sizeof *parent);
	frontier = get(g.rows, sizeof *frontier);
	next = get(g.rows, sizeof *next);
	degree = get(g.rows, sizeof *degree);
	r = get(g.rows, sizeof *r);
	p = get(g.rows, sizeof *p);
	q = get(g.rows, sizeof *q);
	u = get(g.rows, sizeof *u);
	rank_ = get(g.rows, sizeof *rank_);
	for (i64 j = 0; j < g.entries; j++)
		degree[g.col[j]]++;
	return bench_one(kernels, argv);
}

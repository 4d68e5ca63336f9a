/* points.c: geometry of the plane.  `points RUNS hull|closest|nbody|barnes X.npy Y.npy [DEPTH]`
 *
 * hull     quickhull on an array of points, parts of it in place; the two sides are tasks
 * closest  the closest pair: sorted by x, halves are tasks, merged by y
 * nbody    all pairs
 * barnes   Barnes-Hut with a quadtree of given depth: bodies in the order of the leaves; children of cell k are 4k+1.. */
#include "bench.h"
#include <math.h>

static Floats x, y;
static i64 n, found;
typedef struct { double x, y; } Point;
static Point *list, *other;
static double least, *ax, *ay;
static int depth;

/* -- hull ------------------------------------------------------------------------------------------------- */

static double
cross(Point o, Point p, Point q)
{
	return (p.x - o.x) * (q.y - o.y) - (p.y - o.y) * (q.x - o.x);
}

/* Those of v[0..m-1] to the left of p -> q to the front; how many. */
static i64
keep_left(Point *v, i64 m, Point p, Point q)
{
	i64 kept = 0;

	for (i64 i = 0; i < m; i++) {
		const Point t = v[i];

		v[i] = v[kept];
		v[kept] = t;
		kept += cross(t, p, q) > 0.0;
	}
	return kept;
}

/* v[0..m-1] are to the left of p -> q: their number on the hull. */
static i64
side(Point *v, i64 m, Point p, Point q)
{
	double best = 0.0;
	i64 ones, twos, left, right;
	Point far;

	if (m == 0)
		return 0;
	for (i64 i = 0; i < m; i++) {
		const double c = cross(v[i], p, q);

		if (c > best) {
			best = c;
			far = v[i];
		}
	}
	ones = keep_left(v, m, p, far);
	twos = keep_left(v + ones, m - ones, far, q);
#pragma omp task shared(left) if (ones > 10000)
	left = side(v, ones, p, far);
	right = side(v + ones, twos, far, q);
#pragma omp taskwait
	return left + right + 1;
}

static void
hull(void)
{
	i64 lo = 0, hi = 0, above, up, down;
	Point p, q;

	for (i64 i = 0; i < n; i++) {
		lo = x.at[i] < x.at[lo] ? i : lo;
		hi = x.at[i] > x.at[hi] ? i : hi;
		list[i] = (Point){x.at[i], y.at[i]};
	}
	p = list[lo];
	q = list[hi];
	above = keep_left(list, n, p, q);
#pragma omp parallel
#pragma omp single
	{
#pragma omp task shared(up)
		up = side(list, above, p, q);
		down = side(list + above, keep_left(list + above, n - above, q, p), q, p);
	}
	found = up + down + 2;
}

/* -- closest pair ----------------------------------------------------------------------------------------- */

/* w is scratch. */
static void
sort_by_x(Point *v, Point *w, i64 m)
{
	const i64 half = m / 2;

	if (m < 16) {
		for (i64 i = 1; i < m; i++) {
			const Point t = v[i];
			i64 k = i;

			for (; k > 0 && v[k - 1].x > t.x; k--)
				v[k] = v[k - 1];
			v[k] = t;
		}
		return;
	}
#pragma omp task if (m > 10000)
	sort_by_x(v, w, half);
	sort_by_x(v + half, w + half, m - half);
#pragma omp taskwait
	memcpy(w, v, (size_t)half * sizeof *v);
	for (i64 i = 0, j = half, k = 0; i < half; k++)
		v[k] = j == m || w[i].x <= v[j].x ? w[i++] : v[j++];
}

static double
square(Point p, Point q)
{
	return (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y);
}

static double
less(double a, double b)
{
	return a < b ? a : b;
}

/* v[0..m-1] by x; by y when it is left.  w is scratch. */
static double
closest(Point *v, Point *w, i64 m)
{
	const i64 half = m / 2;
	double middle, d = INFINITY, e;
	i64 strip = 0;

	if (m < 8) {
		for (i64 i = 1; i < m; i++) {
			const Point t = v[i];
			i64 k = i;

			for (i64 j = 0; j < i; j++)
				d = less(d, square(t, v[j]));
			for (; k > 0 && v[k - 1].y > t.y; k--)
				v[k] = v[k - 1];
			v[k] = t;
		}
		return d;
	}
	middle = v[half].x;
#pragma omp task shared(d) if (m > 10000)
	d = closest(v, w, half);
	e = closest(v + half, w + half, m - half);
#pragma omp taskwait
	d = less(d, e);
	memcpy(w, v, (size_t)half * sizeof *v);
	for (i64 i = 0, j = half, k = 0; i < half; k++)
		v[k] = j == m || w[i].y <= v[j].y ? w[i++] : v[j++];
	for (i64 i = 0; i < m; i++) {
		w[strip] = v[i];
		strip += (v[i].x - middle) * (v[i].x - middle) < d;
	}
	for (i64 i = 0; i < strip; i++)
		for (i64 k = i + 1; k < strip && k < i + 8; k++)
			d = less(d, square(w[i], w[k]));
	return d;
}

static void
closest_pair(void)
{
	for (i64 i = 0; i < n; i++)
		list[i] = (Point){x.at[i], y.at[i]};
#pragma omp parallel
#pragma omp single
	{
		sort_by_x(list, other, n);
		least = closest(list, other, n);
	}
}

/* -- bodies ----------------------------------------------------------------------------------------------- */

static void
nbody(void)
{
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < n; i++) {
		double sx = 0.0, sy = 0.0;

		for (i64 j = 0; j < n; j++) {
			const double dx = x.at[j] - x.at[i], dy = y.at[j] - y.at[i];
			const double d2 = dx * dx + dy * dy + 0.000001, s = 1.0 / (d2 * sqrt(d2));

			sx += dx * s;
			sy += dy * s;
		}
		ax[i] = sx;
		ay[i] = sy;
	}
}

typedef struct { double x, y, m; } Cell;
static Cell *tree, *body;
static i64 inner, *start, *at;

static i64
leaf_of(double u, double v)
{
	i64 leaf = 0;

	for (int d = 0; d < depth; d++) {
		const int right = u >= 0.5, top = v >= 0.5;

		u = 2.0 * u - right;
		v = 2.0 * v - top;
		leaf = 4 * leaf + 2 * top + right;
	}
	return leaf;
}

static void
pull(double u, double v, const Cell *c, double *sx, double *sy)
{
	const double dx = c->x - u, dy = c->y - v, d2 = dx * dx + dy * dy + 0.000001, s = c->m / (d2 * sqrt(d2));

	*sx += dx * s;
	*sy += dy * s;
}

static void
pull_of_cell(double u, double v, i64 k, double size, double *sx, double *sy)
{
	const Cell *const c = &tree[k];

	if (c->m == 0.0)
		return;
	if ((c->x - u) * (c->x - u) + (c->y - v) * (c->y - v) > 4.0 * size * size)
		pull(u, v, c, sx, sy);
	else if (k >= inner)
		for (i64 i = start[k - inner]; i < start[k - inner + 1]; i++)
			pull(u, v, &body[i], sx, sy);
	else
		for (i64 child = 4 * k + 1; child <= 4 * k + 4; child++)
			pull_of_cell(u, v, child, size / 2.0, sx, sy);
}

static void
barnes(void)
{
	const i64 leaves = (i64)1 << 2 * depth;

	inner = (leaves - 1) / 3;
	memset(start, 0, (size_t)(leaves + 2) * sizeof *start);
	memset(tree, 0, (size_t)(inner + leaves) * sizeof *tree);
#pragma omp parallel for schedule(static)
	for (i64 i = 0; i < n; i++)
		at[i] = leaf_of(x.at[i], y.at[i]);
	for (i64 i = 0; i < n; i++)
		start[at[i] + 2]++;
	for (i64 k = 2; k <= leaves + 1; k++)
		start[k] += start[k - 1];
	for (i64 i = 0; i < n; i++)
		body[start[at[i] + 1]++] = (Cell){x.at[i], y.at[i], 1.0};
	for (i64 k = 0; k < leaves; k++)
		for (i64 i = start[k]; i < start[k + 1]; i++) {
			tree[inner + k].m += 1.0;
			tree[inner + k].x += body[i].x;
			tree[inner + k].y += body[i].y;
		}
	for (i64 k = inner - 1; k >= 0; k--)
		for (i64 child = 4 * k + 1; child <= 4 * k + 4; child++) {
			tree[k].m += tree[child].m;
			tree[k].x += tree[child].x;
			tree[k].y += tree[child].y;
		}
	for (i64 k = 0; k < inner + leaves; k++)
		if (tree[k].m != 0.0) {
			tree[k].x /= tree[k].m;
			tree[k].y /= tree[k].m;
		}
#pragma omp parallel for schedule(dynamic, 256)
	for (i64 i = 0; i < n; i++) {
		ax[i] = ay[i] = 0.0;
		pull_of_cell(body[i].x, body[i].y, 0, 1.0, &ax[i], &ay[i]);
	}
}

/* --------------------------------------------------------------------------------------------------------- */

static double
of_hull(void)
{
	return (double)found;
}

static double
of_closest(void)
{
	return sqrt(least);
}

static double
of_bodies(void)
{
	double sum = 0.0;

	for (i64 i = 0; i < n; i++)
		sum += fabs(ax[i]) + fabs(ay[i]);
	return sum;
}

int
main(int argc, char **argv)
{
	static const Kernel kernels[] = {{"hull", NULL, hull, of_hull}, {"closest", NULL, closest_pair, of_closest},
		{"nbody", NULL, nbody, of_bodies}, {"barnes", NULL, barnes, of_bodies}, {0}};

	if (argc < 5)
		fail("points RUNS KERNEL [DEPTH] X.npy Y.npy");
	depth = argc > 5 ? (int)whole_number(argv[3]) : 0;
	x = read_floats(argv[argc - 2]);
	y = read_floats(argv[argc - 1]);
	n = x.n;
	list = get(n, sizeof *list);
	other = get(n, sizeof *other);
	ax = get(n, sizeof *ax);
	ay = get(n, sizeof *ay);
	at = get(n, sizeof *at);
	body = get(n, sizeof *body);
	start = get(((i64)1 << 2 * depth) + 2, sizeof *start);
	tree = get((i64)2 << 2 * depth, sizeof *tree);
	return bench_one(kernels, argv);
}

/* harness.c: tasks.mem and the library skeletons against plain loops.
 *
 * Compiled by check_cpu.c with the C text of tasks.mem as tasks.c, whose main is renamed.  Exit status 0 if
 * all agree; stdout is a digest of float results, which must not depend on the threads. */
#define main generated_main
#include "tasks.c"
#undef main

static uint64_t seed = 88172645463325252u, digest = 1469598103934665603u;
static int bad;

static uint64_t
rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void
expect(int ok, const char *what, i64 n, i64 k)
{
	if (!ok && bad++ < 20)
		fprintf(stderr, "%s: wrong at %lld of %lld\n", what, (long long)k, (long long)n);
}

static void
take(const void *data, i64 bytes)
{
	for (i64 k = 0; k < bytes; k++)
		digest = (digest ^ ((const unsigned char *)data)[k]) * 1099511628211u;
}

#define I(v) ((i64 *)(v)->data)
#define F(v) ((f64 *)(v)->data)
#define B(v) ((b8 *)(v)->data)

static void
same_i(const char *what, nesl_vec *v, const i64 *want, i64 n)
{
	expect(v->count == n, what, n, -1);
	for (i64 k = 0; k < n && v->count == n; k++)
		expect(I(v)[k] == want[k], what, n, k);
	nesl_free(v);
}

static void
same_f(const char *what, nesl_vec *v, const f64 *want, i64 n)
{
	expect(v->count == n, what, n, -1);
	for (i64 k = 0; k < n && v->count == n; k++)
		expect(F(v)[k] == want[k], what, n, k);
	nesl_free(v);
}

/* kind 0: short rows, some empty; 1: one row has nearly all; 2: no elements; 3: empty first and last, some long ones between. */
static nesl_vec *
rows_of(i64 n, int kind)
{
	nesl_vec *s = nesl_new_segdes(n);
	i64 at = 0;

	for (i64 k = 0; k < n; k++) {
		if (kind == 0)
			at += (i64)(rnd() % 5);
		else if (kind == 1)
			at += k == n / 2 ? 3 * n + 1 : (i64)(rnd() % 2);
		else if (kind == 3)
			at += k < n / 3 || k > n - n / 3 ? 0 : k % 10 ? 2 : (i64)(rnd() % 80);
		I(s)[k + 1] = at;
	}
	return s;
}

static i64 *wi[5];
static f64 *wf[5];

static void
level_1(i64 n, nesl_vec *rs)
{
	nesl_vec *a, *b;
	f64 t, x = 0;
	i64 m, z = 0, q = MIN_INT, kept = 0, at = 0;

	task_reduce1(n, rs, &t, &m);
	for (i64 k = 0; k < n; k++) {
		wf[0][k] = F(rs)[k] + (f64)k;
		wf[1][k] = x;
		x += F(rs)[k];
		wi[0][k] = z;
		z = iadd(z, q);
		q = q > (i64)F(rs)[k] ? q : (i64)F(rs)[k];
		if (F(rs)[k] > 0) {
			wf[2][kept] = F(rs)[k];
			wi[1][kept++] = k;
		}
		wi[2][k] = at;
		at += F(rs)[k] > 0 ? (i64)F(rs)[k] : 0;
	}
	wi[2][n] = at;
	expect(t == x, "sum", n, 0);
	expect(m == (n ? n - 1 : MIN_INT), "max_val", n, 0);
	same_f("map1", task_map1(n, rs), wf[0], n);
	task_scan1(n, rs, &a, &b);
	same_f("plus_scan", a, wf[1], n);
	same_i("scan of scan", b, wi[0], n);
	same_f("plus_scan in lanes", task_lanes1(n, rs), wf[1], n);
	task_keep1(n, rs, &a, &b);
	same_f("keep", a, wf[2], kept);
	same_i("keep index", b, wi[1], kept);
	same_i("segdes", task_segdes1(n, rs), wi[2], n + 1);
}

static void
level_2(i64 n, nesl_vec *s, nesl_vec *xs, nesl_vec *is, nesl_vec *rs)
{
	const i64 *off = I(s), total = nesl_total(s);
	nesl_vec *a, *b, *c, *d, *e;
	f64 sum = 0, t;
	i64 kept = 0;

	for (i64 r = 0; r < n; r++)
		for (i64 k = off[r]; k < off[r + 1]; k++) {
			wi[0][k] = I(is)[k] + k;
			wi[1][k] = k - off[r];
			wi[2][k] = r;
			wi[3][k] = I(is)[k] * 3;
		}
	task_map2(n, s, is, &a, &b, &c);
	same_i("map2", a, wi[0], total);
	same_i("inner", b, wi[1], total);
	same_i("row", c, wi[2], total);
	same_i("flat2", task_flat2(n, s, is), wi[3], total);

	for (i64 r = 0; r < n; r++) {
		f64 x = 0;
		i64 m = MAX_INT;

		for (i64 k = off[r]; k < off[r + 1]; k++) {
			x += F(xs)[k];
			m = I(is)[k] < m ? I(is)[k] : m;
		}
		wf[0][r] = x * F(rs)[r];
		wi[0][r] = m;
		sum += wf[0][r];
	}
	task_reduce2(n, s, xs, rs, is, &a, &b, &t);
	same_f("sum2", a, wf[0], n);
	same_i("min2", b, wi[0], n);
	expect(t == sum, "sum of sums", n, 0);

	for (i64 r = 0; r < n; r++) {
		f64 x = 0;
		i64 q = MIN_INT, z = 0;

		for (i64 k = off[r]; k < off[r + 1]; k++) {
			wf[0][k] = x;
			x += F(xs)[k];
			wi[0][k] = z;
			z = iadd(z, q);
			q = q > I(is)[k] ? q : I(is)[k];
		}
	}
	task_scan2(n, s, xs, is, &a, &b);
	same_f("plus_scan2", a, wf[0], total);
	same_i("scan of scan 2", b, wi[0], total);
	same_f("plus_scan2 in lanes", task_lanes2(n, s, xs), wf[0], total);

	wi[0][0] = 0;
	for (i64 r = 0; r < n; r++) {
		for (i64 k = off[r]; k < off[r + 1]; k++)
			if (F(xs)[k] > 0) {
				wf[0][kept] = F(xs)[k];
				wi[1][kept++] = k - off[r];
			}
		wi[0][r + 1] = kept;
	}
	task_keep2(n, s, xs, &a, &b, &c);
	same_f("keep2", a, wf[0], kept);
	same_i("keep_segdes", b, wi[0], n + 1);
	same_i("keep2 inner", c, wi[1], kept);

	i64 ups = 0, heads = 0, nj = 0;
	for (i64 r = 0; r < n; r++) {
		f64 x = 0;
		i64 u = 0, z = 0;

		for (i64 k = off[r]; k < off[r + 1]; k++) {
			wf[1][k] = F(xs)[k] * F(rs)[r];
			x += wf[1][k];
			u += I(is)[k];
			wi[0][k] = z;
			z += ups + I(is)[k];
		}
		ups += u;
		if (x > 0)
			wf[0][nj++] = x;
		wi[1][r] = wi[2][r] = heads;
		heads += (off[r + 1] - off[r]) & 3;
	}
	wi[2][n] = heads;
	kept = 0;
	for (i64 k = 0; k < total; k++)
		if (wi[0][k] != -7)
			wf[2][kept++] = wf[1][k];
	task_mixed(n, s, xs, rs, is, &a, &b, &c, &d, &e);
	same_f("mixed keep", a, wf[0], nj);
	same_i("mixed scans", b, wi[0], total);
	same_i("mixed scan1", c, wi[1], n);
	same_i("mixed segdes", d, wi[2], n + 1);
	same_f("mixed keep2", e, wf[2], kept);

	for (i64 k = 0; k < total; k++) {
		wf[0][k] = nesl_in(I(is)[k], n) ? F(rs)[I(is)[k]] : 0;
		wi[0][k] = -1 - k;
	}
	task_gather2(n, s, is, rs, &a, &b);
	same_f("fetch", a, wf[0], total);
	same_i("consts", b, wi[0], total);

	for (i64 r = 0; r < n; r++)
		for (i64 k = off[r]; k < off[r + 1]; k++) {
			const i64 i = I(is)[k];

			wi[0][k] = nesl_in(i, n) ? off[i + 1] - off[i] + off[i] - off[r] : -off[r];
		}
	same_i("row_start", task_check2(n, s, is), wi[0], total);

	for (i64 r = 0; r <= n; r++) {
		wi[0][r] = total;
		wi[1][r] = 2 * r;
	}
	task_told1(n, s, 2 * n, &a, &b);
	same_i("seg_total", a, wi[0], n);
	same_i("told", b, wi[1], n + 1);
}

/* Stable, by counting who comes before. */
static void
rank_by_loops(const i64 *x, i64 lo, i64 hi, int down, i64 *want)
{
	for (i64 k = lo; k < hi; k++) {
		i64 r = 0;

		for (i64 j = lo; j < hi; j++)
			r += down ? x[j] > x[k] || (x[j] == x[k] && j < k) : x[j] < x[k] || (x[j] == x[k] && j < k);
		want[k] = r;
	}
}

/* Memory that is free again has x all over. */
static void
dirty(i64 bytes, i64 x)
{
	nesl_vec *v = nesl_scratch(bytes);

	for (i64 k = 0; k < bytes / 8; k++)
		I(v)[k] = x;
	nesl_free(v);
}

/* What is added up is rounded nowhere, and comes out the same however it is done; else that is so for any number of threads. */
static void
group_sums(i64 n, nesl_vec *s, nesl_vec *d, nesl_vec *rs)
{
	const i64 rows = nesl_rows(s);
	nesl_vec *x = nesl_new(n, 8), *u, *v = nesl_new(rows, 8);
	nesl_grouping g = {d->data, rs->data, n, 8, 0, rows, s->data, NULL, n};

	memset(F(v), 0, (size_t)rows * 8);
	for (i64 k = 0; k < n; k++) {
		F(x)[k] = (f64)(k % 4096 - 100) / 4;
		if (nesl_in(I(d)[k], rows))
			F(v)[I(d)[k]] += F(x)[k];
	}
	dirty(n * 16, rows - 1);
	same_f("group_sum", nesl_group_sum(nesl_tasks, s, d, x), F(v), rows);
	u = nesl_group_sum(nesl_tasks, s, d, rs);
	take(u->data, rows * 8);
	if (rows > 0) {
		nesl_sum_by_buckets(&g, F(u));
		nesl_sum_part(&g, (nesl_part){0, n}, F(v));
		for (i64 k = 0; k < rows; k++)
			expect(F(u)[k] == F(v)[k], "sums by buckets are from left to right", n, k);
	}
	nesl_free(u);
	nesl_free(v);
	nesl_free(x);
}

/* Into few rows, many, more than there are elements, of each size; what is of no row is left out.  They are some of the first, all over,
 * or so many of one distance. */
static void
groups(i64 n, nesl_vec *rs, i64 distant)
{
	const i64 classes[] = {0, 1, 5, 257, n / 2, n, 2 * n};
	nesl_vec *d = nesl_new(n, 8), *c = nesl_new(n, 4), *b = nesl_new(n, 1);

	for (i64 k = 0; k < n; k++) {
		I(d)[k] = distant > 1 ? k % distant * (n / distant) : distant ? k * 7919 % (n + n / 2) : k * k % 7 - 1 + (k % 50 == 0) * n;
		((c32 *)c->data)[k] = (c32)k;
		B(b)[k] = k % 3 == 0;
	}
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		nesl_vec *s = nesl_new_segdes(classes[i]), *u;
		i64 all = 0;

		memset(I(s), 0, ((size_t)classes[i] + 1) * 8);
		for (i64 k = 0; k < n; k++)
			if (nesl_in(I(d)[k], classes[i]))
				I(s)[I(d)[k]]++;
		for (i64 r = 0; r <= classes[i]; r++) {
			all += I(s)[r];
			I(s)[r] = all;
		}
		for (i64 k = n - 1; k >= 0; k--)
			if (nesl_in(I(d)[k], classes[i])) {
				wf[0][--I(s)[I(d)[k]]] = F(rs)[k];
				wi[0][I(s)[I(d)[k]]] = k;
			}
		dirty(n * 16 + classes[i] * 8, classes[i] - 2);
		same_f("group", nesl_group(nesl_tasks, 8, s, d, rs), wf[0], all);
		u = nesl_group(nesl_tasks, 4, s, d, c);
		for (i64 k = 0; k < all; k++)
			expect(((c32 *)u->data)[k] == (c32)wi[0][k], "group of chars", all, k);
		nesl_free(u);
		u = nesl_group(nesl_tasks, 1, s, d, b);
		for (i64 k = 0; k < all; k++)
			expect(B(u)[k] == (wi[0][k] % 3 == 0), "group of bools", all, k);
		nesl_free(u);
		group_sums(n, s, d, rs);
		nesl_free(s);
	}
	nesl_free(d);
	nesl_free(c);
	nesl_free(b);
}

/* Descriptors that grow: a copy while others have the first, and then now and then; also of none, and by none. */
static void
extended_rows(i64 n, nesl_vec *s)
{
	const i64 *off = I(s), total = nesl_total(s);
	nesl_vec *u, *one = nesl_offsets(nesl_uniform(1, 3));
	const void *last;
	int moved = 0;

	nesl_retain(s);
	u = nesl_extend_rows(nesl_tasks, s, one);
	for (i64 k = 0; k <= n; k++)
		wi[0][k] = off[k];
	wi[0][n + 1] = total + 3;
	expect(u != s && s->count == n + 1 && u->count == n + 2, "extend_rows of what others have", n, 0);
	for (i64 k = 0; k < n; k++) {
		last = u->data;
		u = nesl_extend_rows(nesl_tasks, nesl_extend_rows(nesl_tasks, u, &nesl_no_rows), one);
		moved += u->data != last;
		wi[0][n + 2 + k] = wi[0][n + 1 + k] + 3;
	}
	expect(moved <= NESL_GROWN_OFTEN + 2, "extend_rows in place", n, moved);
	same_i("extend_rows", u, wi[0], 2 * n + 2);
	for (i64 k = 0; k < n; k++)
		wi[0][k] = off[k + 1] - off[1];
	nesl_retain(s);
	same_i("piece_rows from the second", nesl_piece_rows(nesl_tasks, s, 1, n - 1), wi[0], n > 0 ? n : 1);
	nesl_retain(s);
	u = nesl_piece_rows(nesl_tasks, s, 0, n - 1);
	expect(n < 2 || u->data != off, "piece_rows of what others have", n, 0);
	last = u->data;
	u = nesl_piece_rows(nesl_tasks, u, 0, n - 2);
	expect(n < 9 || u->data == last, "piece_rows in place", n, 0);
	expect(nesl_total(u) == off[n > 2 ? n - 2 : 0], "total of piece_rows", n, nesl_total(u));
	same_i("piece_rows", u, off, n > 2 ? n - 1 : 1);
	for (i64 k = 0; k < 3; k++)
		wi[0][k] = 0;
	nesl_retain(s);
	same_i("piece_rows of rows that are not there", nesl_piece_rows(nesl_tasks, s, n, 2), wi[0], 3);
	same_i("extend_rows of none", nesl_extend_rows(nesl_tasks, &nesl_no_rows, s), off, n + 1);
	nesl_free(one);
}

static void
library(i64 n, nesl_vec *s, nesl_vec *is, nesl_vec *rs)
{
	static const i64 distant[] = {0, 1, 24, 32};
	const i64 *off = I(s), total = nesl_total(s);
	nesl_vec *v = nesl_new(n, 8), *u, *d, *both[3] = {rs, rs, &nesl_empty}, *ss[3] = {s, &nesl_no_rows, s};
	const void *x;

	for (i64 k = 0; k < n; k++)
		I(v)[k] = (i64)(n - k) * 7 % (n + 1) - 3;
	for (i64 k = 0; k <= n; k++)
		wi[0][k] = 3 * k;
	same_i("offsets", nesl_offsets(nesl_uniform(n, 3)), wi[0], n + 1);
	u = nesl_offsets(nesl_uniform(total ? n : 0, 0));
	for (i64 k = 1; k < u->count; k++)
		I(u)[k] = k;
	for (i64 k = 0; k < u->count; k++)
		wi[0][k] = off[k];
	d = nesl_compose(nesl_tasks, u, s);
	same_i("compose", d, wi[0], u->count);
	nesl_free(u);
	for (i64 k = 0; k < 2 * n; k++)
		wf[0][k] = F(rs)[k % n];
	same_f("append", nesl_append(nesl_tasks, 8, 3, both), wf[0], 2 * n);
	for (i64 k = 0; k <= 2 * n; k++)
		wi[0][k] = k <= n ? off[k] : total + off[k - n];
	same_i("concat", nesl_concat(nesl_tasks, 3, ss), wi[0], 2 * n + 1);
	extended_rows(n, s);
	for (int down = 0; down < 2 && n <= 4000; down++) {
		rank_by_loops(I(v), 0, n, down, wi[0]);
		same_i("rank", nesl_rank(nesl_tasks, v, 0, down), wi[0], n);
		for (i64 r = 0; r < n; r++)
			rank_by_loops(I(is), off[r], off[r + 1], down, wi[0]);
		same_i("seg_rank", nesl_seg_rank(nesl_tasks, s, is, 0, down), wi[0], total);
	}
	for (size_t k = 0; k < sizeof distant / sizeof *distant; k++)
		groups(n, rs, distant[k]);
	d = nesl_rank(nesl_tasks, rs, 1, 0);
	for (i64 k = 0; k < n; k++)
		wi[1][I(d)[k]] = k;
	for (i64 k = 1; k < n; k++)
		expect(F(rs)[wi[1][k - 1]] < F(rs)[wi[1][k]] || (F(rs)[wi[1][k - 1]] == F(rs)[wi[1][k]]
			&& wi[1][k - 1] < wi[1][k]), "rank of floats", n, k);
	for (i64 k = 0; k < n; k++)
		wf[0][I(d)[k]] = F(rs)[k];
	nesl_retain(rs);
	same_f("put", nesl_put(nesl_tasks, 8, rs, rs, d), wf[0], n);
	u = nesl_append(nesl_tasks, 8, 2, both);
	for (i64 k = 0; k < n; k++)
		wf[0][n + k] = F(rs)[k];
	x = u->data;
	u = nesl_put(nesl_tasks, 8, u, rs, d);
	expect(n == 0 || u->data == x, "put in place", n, 0);
	same_f("put in place", u, wf[0], 2 * n);
	for (i64 k = 0; k < n; k++)
		wi[0][I(d)[k]] = I(v)[k];
	same_i("scatter", task_scatter1(n, v, d), wi[0], n);
	u = nesl_permute_ok(nesl_tasks, d);
	for (i64 k = 0; k < n; k++)
		expect(B(u)[k], "permute_ok", n, k);
	nesl_free(u);
	if (n > 1) {
		I(d)[n - 1] = I(d)[0];
		u = nesl_permute_ok(nesl_tasks, d);
		expect(!B(u)[n - 1] && B(u)[0], "permute_ok twice", n, 0);
		nesl_free(u);
	}
	nesl_free(d);
	nesl_free(v);
}

static void
corners(void)
{
	const f64 x[6] = {NAN, 1.0, 0.0, -0.0, -INFINITY, INFINITY};
	const i64 up[6] = {5, 3, 2, 1, 0, 4}, down[6] = {0, 2, 3, 4, 5, 1};
	nesl_vec *v = nesl_vector(8, 6, x), *c = nesl_chars("a\377", 2);

	same_i("rank corners", nesl_rank(nesl_tasks, v, 1, 0), up, 6);
	same_i("rank_down corners", nesl_rank(nesl_tasks, v, 1, 1), down, 6);
	expect(nesl_elem_f64(v, 1) == 1.0 && nesl_elem_f64(v, 6) == 0.0 && nesl_elem_f64(v, -1) == 0.0, "elem", 6, 0);
	expect(nesl_elem_c32(c, 1) == 255, "chars", 2, 1);
	expect(fn_more(0, &nesl_no_rows, &nesl_empty, &nesl_empty, &nesl_empty) == 0, "nothing", 0, 0);
	nesl_free(v);
	nesl_free(c);
}

/* Sums that round: only their sameness counts. */
static void
rounding(i64 n, nesl_vec *s, nesl_vec *xs, nesl_vec *rs, nesl_vec *is)
{
	nesl_vec *a, *b;
	f64 t;
	i64 m;

	for (i64 k = 0; k < xs->count; k++)
		F(xs)[k] = (f64)(rnd() >> 11) / 3.0;
	for (i64 k = 0; k < rs->count; k++)
		F(rs)[k] = 1.0 / (f64)(k + 1);
	task_reduce1(n, rs, &t, &m);
	take(&t, 8);
	task_reduce2(n, s, xs, rs, is, &a, &b, &t);
	take(&t, 8);
	take(a->data, a->count * 8);
	nesl_free(a);
	nesl_free(b);
	task_scan2(n, s, xs, is, &a, &b);
	take(a->data, a->count * 8);
	nesl_free(a);
	nesl_free(b);
	a = task_lanes1(n, rs);
	b = task_lanes2(n, s, xs);
	take(a->data, a->count * 8);
	take(b->data, b->count * 8);
	nesl_free(a);
	nesl_free(b);
}

static void
size(i64 n, int kind)
{
	nesl_vec *s = rows_of(n, kind), *rs = nesl_new(n, 8), *bs = nesl_new(n, 1);
	const i64 total = nesl_total(s), most = 2 * (n + total) + 4;
	nesl_vec *xs = nesl_new(total, 8), *is = nesl_new(total, 8);

	for (int k = 0; k < 5; k++) {
		wi[k] = malloc((size_t)most * 8);
		wf[k] = malloc((size_t)most * 8);
	}
	for (i64 k = 0; k < total; k++) {
		F(xs)[k] = (f64)(rnd() % 21) - 10;
		I(is)[k] = (i64)(rnd() % 23) - 3;
	}
	for (i64 k = 0; k < n; k++) {
		F(rs)[k] = (f64)(rnd() % 9) - 4;
		B(bs)[k] = 1;
	}
	level_1(n, rs);
	level_2(n, s, xs, is, rs);
	library(n, s, is, rs);
	for (int k = 0; k < 5; k++)
		nesl_retain((nesl_vec *[]){s, xs, is, rs, bs}[k]);      /* the function takes them over */
	fn_tasks(n, s, xs, is, rs, bs);
	expect(task_all1(n, bs), "all", n, 0);
	if (n)
		B(bs)[n / 2] = 0;
	expect(task_all1(n, bs) == !n, "all but one", n, 0);
	rounding(n, s, xs, rs, is);
	for (int k = 0; k < 5; k++) {
		free(wi[k]);
		free(wf[k]);
	}
	nesl_free(s);
	nesl_free(xs);
	nesl_free(is);
	nesl_free(rs);
	nesl_free(bs);
}

/* -- blocks ------------------------------------------------------------------------------------ */
enum { MANY = 200 };

static void
fill(nesl_vec *v, i64 k)
{
	memset(v->data, (int)(k & 127), (size_t)v->bytes);
	expect((uintptr_t)v->data % 64 == 0, "alignment", v->bytes, k);
}

static void
drop(nesl_vec **v, i64 k)
{
	const char *at = *v ? (*v)->data : NULL;

	for (i64 i = 0; at && i < (*v)->bytes; i += i < 64 || i + 65 > (*v)->bytes ? 1 : 64)
		expect(at[i] == (char)(k & 127), "another's memory", (*v)->bytes, i);
	nesl_free(*v);
	*v = NULL;
}

/* Of all sizes up to 2^most bytes, some freed early, in any order. */
static void
arrays(int most)
{
	nesl_vec *v[MANY] = {NULL};

	for (int k = 0; k < 20 * MANY; k++) {
		const i64 i = (i64)(rnd() % MANY);

		drop(&v[i], i);
		if (rnd() % 3) {
			v[i] = nesl_new(1 + (i64)(rnd() % (uint64_t)1 << rnd() % (uint64_t)most), 1);
			fill(v[i], i);
		}
		expect(nesl_blocks.used + nesl_blocks.warm <= nesl_blocks.most_used + nesl_blocks.most_used / 8 + (16 << 20),
			"used and warm", nesl_blocks.used, nesl_blocks.warm);
	}
	for (i64 i = 0; i < MANY; i++)
		drop(&v[i], i);
}

static void
round_of(i64 n)
{
	nesl_vec *v[40];

	for (i64 k = 0; k < 40; k++)
		fill(v[k] = nesl_new(n * (k % 7 + 1) / (k % 5 + 1) + 1, 8), k);
	for (i64 k = 39; k >= 0; k--)
		drop(&v[k * 7 % 40], k * 7 % 40);
}

/* Of one region, then, small ones too, of others; a loop comes to need nothing more from the system. */
static void
blocks(void)
{
	i64 fresh;

	arrays(8);
	arrays(22);
	arrays(12);
	for (i64 n = 10; n <= 100000; n *= 10)
		for (int k = 0; k < 30; k++) {
			fresh = nesl_all_arrays.taken - nesl_all_arrays.reused;
			round_of(n);
			expect(k < 3 || !NESL_POOL || fresh == nesl_all_arrays.taken - nesl_all_arrays.reused, "fresh blocks", n, k);
		}
	expect(nesl_blocks.used == 0, "blocks in use at the end", nesl_blocks.used, 0);
}

/* -- strips: all of an array from lo on, and nothing else, is what was stored in them; of bytes and ints together ------- */
static void
in_strips(i64 lo, i64 n, i64 all)
{
	nesl_vec *const v = nesl_new(lo + n + 9, 1), *const w = nesl_new(lo + n + 9, 8);
	nesl_strips s = nesl_strips_of(lo, lo + n, all);
	i64 next = lo, strips = 0;

	memset(v->data, 7, (size_t)v->count);
	memset(w->data, 7, (size_t)w->count * 8);
	do {
		char *const restrict byte = nesl_strip(&s, 0, v, 1);
		i64 *const restrict number = nesl_strip(&s, 1, w, 8);

		expect(s.lo == next && s.hi <= lo + n, "strip begins", s.lo, next);
		for (i64 e = s.lo; e < s.hi; e++) {
			byte[e] = (char)(e % 100 + 20);
			number[e] = e + 1;
		}
		next = s.hi;
		strips++;
	} while (nesl_next_strip(&s));
	expect(next == lo + n, "strips end", next, lo + n);
	expect(strips == 1 || all > nesl_last_cache, "strips", strips, 1);
	expect(strips >= n / NESL_STRIP || all <= nesl_last_cache, "strips at least", strips, n / NESL_STRIP);
	for (i64 e = 0; e < v->count; e++) {
		const int in = e >= lo && e < lo + n;

		expect(((char *)v->data)[e] == (in ? e % 100 + 20 : 7), "byte of a strip", ((char *)v->data)[e], e);
		expect(((i64 *)w->data)[e] == (in ? e + 1 : 0x0707070707070707), "number of a strip", ((i64 *)w->data)[e], e);
	}
	memset(v->data, 7, (size_t)v->count);
	nesl_copy_into((char *)v->data + lo, w->data, n, all);
	for (i64 e = 0; e < v->count; e++)
		expect(((char *)v->data)[e] == (e >= lo && e < lo + n ? ((char *)w->data)[e - lo] : 7), "copied byte", e, lo);
	nesl_free(v);
	nesl_free(w);
}

/* As many caches as the threads have, each as large as that of one. */
static void
caches(void)
{
	const i64 one = nesl_strips_from(1);

	expect(one >= 1 << 20, "bytes of the last cache", one, 1);
	for (int threads = 2; threads <= 4096; threads *= 2)
		expect(nesl_strips_from(threads) >= nesl_strips_from(threads / 2) && nesl_strips_from(threads) % one == 0, "bytes of the last caches",
			nesl_strips_from(threads), threads);
}

static void
strips(void)
{
	static const i64 begin[] = {0, 1, 9, 16, 63, 255, 256, 1000}, length[] = {0, 1, 8, 15, 64, 100, 256, 257, 1500};

	for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
		for (size_t j = 0; j < sizeof length / sizeof *length; j++) {
			in_strips(begin[i], length[j], 0);
			in_strips(begin[i], length[j], 1);
		}
}

/* -- what threads have of their own while batches run ------------------------------------------------ */
enum { BATCHES = 40, LEFT = 5, OWN = 60 };

/* Arrays of a batch, some of them kept of what was longer; the first are left. */
static void
batch_arrays(i64 batch, nesl_vec **v)
{
	uint64_t x = (uint64_t)batch * 7919 + 1;

	for (int k = 0; k < 20 * OWN; k++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		const i64 i = (i64)(x >> 33) % OWN, bytes = 1 + (i64)(x >> 20 & 0xffff) % ((i64)1 << (x >> 37) % 20);

		drop(&v[i], i);
		v[i] = x >> 63 ? nesl_new(bytes, 1) : nesl_kept(nesl_new_most(3 * bytes, 1), bytes, 1);
		fill(v[i], i);
	}
	for (i64 i = LEFT; i < OWN; i++)
		drop(&v[i], i);
}

/* Nothing that other threads need is asked for here: another one has it. */
static void
lockless_arrays(void)
{
	nesl_vec *v[LEFT];

#if defined(_OPENMP) && NESL_POOL
	nesl_lock();
	nesl_locks = 0;
#endif
	for (int k = 0; k < 100; k++) {
		for (i64 i = 0; i < LEFT; i++)
			fill(v[i] = nesl_new(100 * i + k + 1, 1), i);
		for (i64 i = 0; i < LEFT; i++)
			drop(&v[i], i);
		nesl_ran(nesl_tasks, 1, 2);
	}
#if defined(_OPENMP) && NESL_POOL
	nesl_locks = 1;
	nesl_unlock();
#endif
}

/* On its own, as a loop's variable may be in a register that longjmp does not restore. */
static __attribute__((noinline)) void
run_batch(nesl_batches *all, i64 k, nesl_vec **v, nesl_vec *cuts)
{
	nesl_batch b;

	if (NESL_BATCH_RUNS(b, (*all), k)) {
		batch_arrays(k, v);
		lockless_arrays();
		nesl_free(cuts);
	}
	nesl_batch_end(&b, all);
}

static void
batches(void)
{
	static nesl_vec *v[BATCHES][OWN];
	const i64 launches = nesl_tasks[0].launches, live = nesl_all_arrays.live;
	nint cut[BATCHES + 1];
	nesl_batches all;
	nesl_vec *cuts;

	for (i64 k = 0; k <= BATCHES; k++)
		cut[k] = (nint)k;
	cuts = nesl_vector(sizeof *cut, BATCHES + 1, cut);
	nesl_batches_begin(&all, cuts);
	nesl_share(cuts, &all);

	NESL_EACH_BATCH(all)
	for (i64 k = 0; k < all.n; k++)
		run_batch(&all, k, v[k], cuts);
	nesl_batches_end(&all);
	expect(nesl_tasks[0].launches == launches + 100 * BATCHES, "launches of batches", nesl_tasks[0].launches, launches);
	for (i64 k = 0; k < BATCHES; k++)
		for (i64 i = 0; i < LEFT; i++)
			drop(&v[k][i], i);
	expect(nesl_all_arrays.live == live, "live bytes behind batches", nesl_all_arrays.live, live);
	expect(nesl_blocks.used == 0, "blocks in use behind batches", nesl_blocks.used, 0);
}

/* What threads counted each for itself, together. */
static void
tables(int threads, i64 n)
{
	nesl_vec *sums = nesl_filled(nesl_new(n, sizeof(nint)), n, 1), *maxima = nesl_filled(nesl_new(n, sizeof(nint)), n, 5);
	nesl_vec *some = nesl_more_tables(threads, n, 0), *others = nesl_more_tables(threads, n, 0);

	for (i64 k = 0; k < (threads - 1) * n; k++)
		((nint *)some->data)[k] = ((nint *)others->data)[k] = (nint)(k * 7 % 11);
	nesl_join_tables(sums, some, threads, NESL_SUMS);
	nesl_join_tables(maxima, others, threads, NESL_MAXIMA);
	for (i64 k = 0; k < n; k++) {
		i64 sum = 1, most = 5;

		for (i64 t = 0; t < threads - 1; t++) {
			const i64 x = (t * n + k) * 7 % 11;

			sum += x;
			most = x > most ? x : most;
		}
		expect(((nint *)sums->data)[k] == sum, "sums of tables", k, sum);
		expect(((nint *)maxima->data)[k] == most, "maxima of tables", k, most);
	}
	nesl_free(sums);
	nesl_free(maxima);
}

int
main(void)
{
	static const i64 sizes[] = {0, 1, 2, 31, 32, 33, 1000, 100000};

	corners();
	for (int streams = 0; streams < 2; streams++) {         /* past the caches or not, the bits are the same */
		const uint64_t before = digest;

		nesl_last_cache = streams ? 0 : INT64_MAX;
		seed = 88172645463325252u;
		digest = 1469598103934665603u;
		for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
			for (int kind = 0; kind < 4; kind++)
				size(sizes[k], kind);
		expect(streams == 0 || digest == before, "floats past the caches", (i64)digest, (i64)before);
	}
	expect(nesl_all_arrays.live == 0, "live bytes at the end", nesl_all_arrays.live, 0);
	for (int threads = 1; threads < 5; threads++) {
		tables(threads, 3);
		tables(threads, 30000);
	}
	blocks();
	caches();
	strips();
	batches();
	batches();
	blocks();
	printf("%016llx\n", (unsigned long long)digest);
	return bad != 0;
}

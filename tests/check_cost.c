/* check_cost.c: what programs cost, as --stats counts it on the cpu target, at two sizes at least, so that growth shows. */
#include <sys/resource.h>
#include "common/process.h"
#include "tests/cost.h"
#include "tests/suite.h"
#include "tests/tcc.h"

Suite *cost_suite(void);

static char dir[sizeof "/tmp/nessie-cost-XXXXXX"];

static void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-cost-XXXXXX");
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "1", 1);
	if (system("command -v tcc >/dev/null") == 0)
		setenv("CC", TCC, 1);
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

static const char *
in_dir(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
	return path[turn];
}

/* A command in which % stands for the private directory; its exit status. */
static int
command(const char *text)
{
	char line[1024];
	size_t n = 0;
	int status;

	for (; *text && n < sizeof line - sizeof dir; text++)
		if (*text == '%')
			n += (size_t)snprintf(line + n, sizeof line - n, "%s", dir);
		else
			line[n++] = *text;
	line[n] = 0;
	status = system(line);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static char *
text_of(const char *name)
{
	FILE *f = fopen(in_dir(name), "r");
	char *s = calloc(1, 1 << 20);

	ck_assert(f && s);
	ck_assert(fread(s, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
	fclose(f);
	return s;
}

static double
moved(Cost c)
{
	return c.read + c.written;
}

static void
at_most(const char *what, double is, double bound)
{
	ck_assert_msg(is <= bound, "%s: %.0f, more than %.0f", what, is, bound);
}

/* -- memory -------------------------------------------------------------------------------------------------- */

#define SPMV \
	"function sparse_mxv(sm, v) = {sum({x * v[i] : (i, x) in row}) : row in sm};\n" \
	"m = {{(rem(i * 7 + j, 10), 1.0) : j in [0:5]} : i in [0:%d]};\nv = dist(1.0, %d);\nsum(sparse_mxv(m, v));\n"

/* Linear in the entries; a longer v costs itself only. */
START_TEST(spmv)
{
	Cost small = cost(SPMV, 1000, 10), large = cost(SPMV, 4000, 10), wide = cost(SPMV, 1000, 100000);

	at_most("bytes an entry", large.peak / 20000, 40);
	at_most("growth", large.peak, 4 * small.peak);
	at_most("for a longer v", wide.peak - small.peak, 8 * 100000);
	at_most("bytes moved for a longer v", moved(wide) - moved(small), 8 * 100000);
	ck_assert(small.launches == large.launches && small.launches == wide.launches);
}
END_TEST

/* Neighbours are read where they are: nothing is written but the result. */
START_TEST(neighbours)
{
	static const char program[] = "function smooth(v) = {a + b + c : a in previous(v, 0); b in v; c in next(v, 0)};\n"
		"v = [0:%d];\nr = smooth(v);\nv[0] + r[0];\n";
	Cost small = cost(program, 30000), large = cost(program, 300000);

	at_most("bytes written", large.written - small.written, 2 * 8 * 270000);
	at_most("bytes at once", large.peak - small.peak, 2 * 8 * 270000);
	at_most("launches", large.launches, 2);
}
END_TEST

/* So are those in a grid whose rows only a check says are of one length, and the checks of their indices are part of the task. */
START_TEST(neighbours_in_a_grid)
{
	static const char program[] =
		"function near(g) = let w = #g[0]; h = #g in\n"
		"  {{sum({g[rem(i + a + h, h)][rem(j + b + w, w)] : (a, b) in [(-1, 0), (0, -1), (0, 1), (1, 0)]}) : x in r; j in [0:w]}\n"
		"   : r in g; i in [0:h]};\n"
		"g = {[0:n] : n in {if rand(1.0) > 2.0 then 7 else %d : i in [0:%d]}};\nnear(g)[1][1];\n";
	Cost small = cost(program, 100, 100), large = cost(program, 400, 400);

	at_most("bytes written", large.written - small.written, 2 * 8 * 150000 + 4 * 8 * 300);
	at_most("bytes at once", large.peak - small.peak, 2 * 8 * 150000 + 4 * 8 * 300);
}
END_TEST

/* A filter that is counted, too, keeps its elements and nothing else. */
START_TEST(filter_counted)
{
	static const char program[] = "v = {rem(i * i, 3) : i in [0:%d]};\n"
		"function counted(k) =\n"
		"  let (r, seconds) = time({x in v | x == 0})\n"
		"  in if k > 0 then counted(k - 1) else (#r + sum(r), seconds);\n"
		"counted(0);\n";
	Cost small = cost(program, 30000), large = cost(program, 300000);

	at_most("bytes written", large.written - small.written, 8 * 270000 + 8 * 90000 + 100);
	at_most("bytes at once", large.peak - small.peak, 8 * 270000 + 8 * 90000 + 100);
}
END_TEST

/* Its output only. */
START_TEST(nested_sums)
{
	static const char program[] = "xs = [0:%d];\nr = {{x + y : x in xs} : y in xs};\n#r;\n";
	Cost small = cost(program, 100), large = cost(program, 400);

	at_most("bytes beside the output", small.peak - 8e4, 20 * 100);
	at_most("bytes beside the output", large.peak - 8 * 16e4, 20 * 400);
	ck_assert(small.launches == large.launches && small.syncs == large.syncs);
}
END_TEST

/* Where the other arm gives none, what an arm gives is all there is, in order: it is not copied.  Half of the elements give two:
 * v, those, and these are written. */
START_TEST(arm_without_elements)
{
	static const char program[] = "v = {rem(i * 7919, 101) - 50 : i in [0:%d]};\n"
		"r = flatten({if x > 0 then [x, x * 2] else [] int : x in v});\nw = flatten({if x > 0 then [] int else [x, x * 2] : x in v});\n";
	const Cost small = cost(program, 30000), large = cost(program, 300000);

	at_most("bytes written of an element more", (large.written - small.written) / 270000, 8 + 2 * (4 + 8) + 1);
	at_most("bytes read of an element more", (large.read - small.read) / 270000, 2 * (8 + 2 * 8 + 1));
	ck_assert(small.launches == large.launches && large.launches <= 5);
}
END_TEST

/* The place of the best is found while elements are read, once, and nothing is stored but what a filter keeps; beside another fold,
 * and if that is done in an arm. */
static const struct {
	const char *program;
	double read;            /* bytes an element */
} places[] = {
	{"let v = dist(1.0, %d) in max_index(v);\n", 0},
	{"v = {rem(i * 7919, 1009) : i in [0:%d]};\nmin_index(v);\n", 8},
	{"v = {rem(i * 7919, 1009) : i in [0:%d]};\nmin_index({if x < 500 then max_int else x : x in v});\n", 8},
	{"v = {rem(i * 7919, 1009) : i in [0:%d]};\n(max_index(v), min_index(v), sum(v));\n", 8},
	{"v = {rem(i * 7919, 1009) : i in [0:%d]};\nmax_index({x in v | x < 500});\n", 12},
	{"v = {rem(i * 7919, 1009) : i in [0:%d]};\n"
		"let c = {x * x : x in v}; some = {x in v; y in c | y > 500} in if #some > 10 then max_index(c) else #some;\n", 8},
	{"v = {rem(i * 7919, 1009) : i in [0:%d]};\nsum({max_index(r) : r in partition(v, dist(#v / 10, 10))});\n", 8},
};

START_TEST(place_of_the_best)
{
	const Cost small = cost(places[_i].program, 30000), large = cost(places[_i].program, 300000);

	at_most("bytes read of an element more", (large.read - small.read) / 270000, places[_i].read);
	at_most("bytes written of an element more", (large.written - small.written) / 270000, places[_i].read);
	ck_assert(small.launches == large.launches);
}
END_TEST

/* An element that is wanted at one place, of the sequence or of each row, is made there: what only folds want else is not stored.  Bytes
 * written of an element more beside the eight of v, with ten to a row. */
static const struct {
	const char *form;
	double written;
} at_one_place[] = {
	{"let d = {x * x + 3 : x in v} in d[min_index(d)];\n", 0},
	{"let d = {x - i : x in v; i in [0:#v]} in d[max_index(v)];\n", 0},
	{"{let d = {sqrt(float(x * x + 3)) : x in r} in d[min_index(d)] : r in rows};\n", 0.8},
	{"{let d = {x * i + k : x in r; i in [0:#r]} in if #r == 0 then k else d[max_index(d)] : r in rows; k in [0:#rows]};\n", 0.8},
	{"{let d = {(x * x, x - 1) : x in r} in d[min_index(r)] : r in rows};\n", 1.6},
	{"{let d = {x * x : x in r}; m = d[max_index(d)] in sum({m - x : x in d}) : r in rows};\n", 1.6},       /* and m for each row */
	/* what is stored anyway is read */
	{"let d = {x * x + 3 : x in v} in (d[min_index(d)], d);\n", 8},
};

START_TEST(elements_at_one_place)
{
	static const char before[] = "v = {rem(i * 7919, 1009) : i in [0:10 * %d]};\nrows = partition(v, {rem(i, 2) * 12 + 4 : i in [0:%d]});\n";
	char *program = malloc(strlen(before) + strlen(at_one_place[_i].form) + 1);

	strcat(strcpy(program, before), at_one_place[_i].form);
	const Cost small = cost(program, 3000, 3000), large = cost(program, 30000, 30000);

	at_most("bytes written of an element more", (large.written - small.written) / 270000, 8 + 8 + 0.8 + 0.8 + at_one_place[_i].written);
	ck_assert(small.launches == large.launches && small.syncs == large.syncs);
	free(program);
}
END_TEST

/* What only an arm folds is made in the arm: of all, of what the other arm folds too, in an arm of an arm, and if the arm is not taken. */
static const char *const in_an_arm[] = {
	"function mean(a) = if #a == 0 then 0.0 else sum(a) / float(#a);\nmean({float(x * x) : x in v});\n",
	"let a = {x * x : x in v}; b = {x - 3 : x in a} in if v[7] > 0 then sum(b) + #v else max_val({x - 1 : x in v});\n",
	"let a = {x * x : x in v} in if v[7] > 0 then if v[8] > 5000 then sum({x - 2 : x in a}) else 1 else 2;\n",
};

START_TEST(what_an_arm_folds)
{
	static const char before[] = "v = {rem(i * 7919, 1009) : i in [0:%d]};\n";
	char program[400];

	snprintf(program, sizeof program, "%s%s", before, in_an_arm[_i]);
	const Cost small = cost(program, 30000), large = cost(program, 300000);

	ck_assert_double_eq(large.written - small.written, 8 * 270000);
	ck_assert(small.launches == large.launches);
}
END_TEST

/* What a function folds, on a condition, is folded where it is made, however often it is called: nothing is
 * written but the rows, their lengths, and four numbers for each, of which one is the mean that the variance is of. */
START_TEST(folds_where_they_are_called)
{
	static const char program[] = "function mean(a) = if #a == 0 then 0.0 else sum(a) / float(#a);\n"
		"function var(a) = let m = mean(a) in mean({(x - m) * (x - m) : x in a});\n"
		"function each(rows) = ({mean({x * x : x in r}) : r in rows}, {mean({x - 1.0 : x in r | x > 2.0}) : r in rows},\n"
		"  {var({x + x : x in r}) : r in rows});\n"
		"rows = partition({float(rem(i, 7)) : i in [0:10 * %d]}, dist(10, %d));\neach(rows);\n";
	const Cost small = cost(program, 3000, 3000), large = cost(program, 30000, 30000);

	at_most("bytes written of a row more", (large.written - small.written) / 27000, 10 * 8 + 8 + 4 * 8);
	ck_assert(small.launches == large.launches);
}
END_TEST

/* What no round of a loop changes is sorted once: each round reads what is sorted and what it changes, and no more. */
START_TEST(rounds_of_a_loop)
{
	static const char form[] = "function best(keys, w, n) = if n == 0 then sum(w)\n"
		"  else best(keys, {x + k * n : x in w; k in sort({rem(k * 7919, 100003) : k in keys})}, n - 1);\n"
		"best([0:%d], dist(0, %d), %d);\n";
	const Cost few = cost(form, 20000, 20000, 2), many = cost(form, 20000, 20000, 12);

	at_most("bytes read of an element in a round more", (many.read - few.read) / 10 / 20000, 16);
	at_most("bytes written of an element in a round more", (many.written - few.written) / 10 / 20000, 8);
	ck_assert_double_eq(many.launches - few.launches, 10);
}
END_TEST

/* Rows whose length is known have no descriptor in memory: bytes of the result, of what is stored besides, all that is
 * alive at once, and read; at n rows of three. */
static const struct {
	const char *program;
	int result, besides, read;      /* bytes a row */
} uniform[] = {
	{"let n = %d; m = 3 in flatten({{i * j : j in [0:m]} : i in [0:n]})", 24, 0, 0},
	{"let n = %d; m = 3 in {sum({i * j : j in [0:m]}) : i in [0:n]}", 8, 0, 0},
	{"let n = %d; m = 3; v = dist(2.0, m) in {sum({x * y : x in r; y in v}) : r in {{float(i * j) : j in [0:m]} : i in [0:n]}}",
		8, 0, 0},
	{"let n = %d in flatten({plus_scan({i * j : j in [0:3]}) : i in [0:n]})", 24, 0, 0},
	{"let n = %d in {max_index({rem(i * j, 7) : j in [0:3]}) : i in [0:n]}", 8, 0, 0},
	{"let n = %d in {sum(r) : r in dist([1, 2, 3], n)}", 8, 0, 24},
	{"let n = %d in {sum(r) : r in partition([0:3 * n], dist(3, n))}", 8, 8, 8},
	/* three levels and more: what the innermost one asks of the one around it is not there either */
	{"let n = %d in flatten({{sum({i * j + h : h in [0:4]}) : j in [0:3]} : i in [0:n]})", 24, 0, 0},
	{"let n = %d in flatten(flatten({{{i * 100 + j * 10 + h : h in [0:2]} : j in [0:3]} : i in [0:n]}))", 48, 0, 0},
	{"let n = %d; v = [0:n + 40] in {sum({sum({v[i + j] * h : h in [0:20]}) : j in [0:30]}) : i in [0:n]}", 8, 240, 240},
	/* rows of a few elements, of a length that the program says, are not there at all */
	{"let n = %d; v = [0:n + 4] in {sum({sum({v[i + j] * h : h in [0:2]}) : j in [0:3]}) : i in [0:n]}", 8, 0, 0},
	{"let n = %d; v = {float(i) : i in [0:n + 4]} in {max_val({v[i + j] / float(j + 1) : j in [0:3]}) : i in [0:n]}", 8, 8, 24},
	{"let n = %d; m = 3 in {sum({sum({sum({sum({i + j + h + k + l : l in [0:2]}) : k in [0:m]}) : h in [0:2]}) : j in [0:m]}) : i in [0:n]}", 8, 216, 216},
	/* nor are elements of rows that are folded all together */
	{"let n = %d in sum(flatten({{i * j : j in [0:40]} : i in [0:n]}))", 0, 0, 0},
	{"let n = %d; v = [0:n + 40] in max_val(flatten({{v[i + j] * j : j in [0:30] | v[i] > j} : i in [0:n]}))", 0, 0, 0},
	{"let n = %d in count(flatten({{i > j : j in [0:3]} : i in [0:n]}))", 0, 0, 0},
	{"let n = %d; m = 3 in {sum(flatten({{i * j * h : h in [0:40]} : j in [0:m]})) : i in [0:n]}", 8, 24, 24},
	{"let n = %d; v = [0:3] in {max_val(flatten({{i * x + h : h in [0:x + 40]} : x in v})) : i in [0:n]}", 8, 72, 72},
	{"let n = %d in {sum(flatten({{i * j + h : h in [0:2]} : j in [0:3]})) : i in [0:n]}", 8, 0, 0},
};

START_TEST(uniform_rows)
{
	for (int n = 0; n <= 400; n += 200) {
		const Cost c = cost(uniform[_i].program, n);

		at_most("bytes alive", c.peak, n * (uniform[_i].result + uniform[_i].besides) + 24);
		at_most("bytes written", c.written, n * (uniform[_i].result + uniform[_i].besides) + 24);
		at_most("bytes read", c.read, n * uniform[_i].read);
	}
}
END_TEST

/* Of all pairs nothing is stored. */
START_TEST(nbody)
{
	static const char program[] =
		"function pull(b, c) = let (x, m) = b; (y, k) = c; d = y - x; d2 = d * d + 0.01 in k * d / (d2 * sqrt(d2));\n"
		"bodies = {(float(rem(i * 7919, 1009)), 1.0) : i in [0:%d]};\n"
		"sum({sum({pull(b, c) : c in bodies}) : b in bodies});\n";
	Cost small = cost(program, 100), large = cost(program, 400);

	at_most("bytes a body", small.peak / 100, 32);
	at_most("bytes a body", large.peak / 400, 32);
	ck_assert(small.launches == large.launches && small.syncs == large.syncs);
}
END_TEST

/* The sequence that is searched is read where it is, and of the comparisons nothing is stored. */
START_TEST(search)
{
	static const char program[] = "v = [0:%d];\nsum({find(x, v) : x in [0:%d]});\n";
	Cost small = cost(program, 1000, 100), longer = cost(program, 4000, 100), more = cost(program, 1000, 400);

	at_most("bytes of both", small.peak, 8 * (1000 + 2 * 100));
	at_most("bytes of both", longer.peak, 8 * (4000 + 2 * 100));
	at_most("bytes of both", more.peak, 8 * (1000 + 2 * 400));
	ck_assert(small.launches == longer.launches && small.launches == more.launches);
}
END_TEST

/* A sequence that is only read by index is not touched otherwise: binary searches cost the sum of their steps. */
START_TEST(search_by_halves)
{
	static const char program[] =
		"function place(v, x, lo, hi) = if hi - lo < 2 then lo\n"
		"  else let m = (lo + hi) / 2 in if v[m] > x then place(v, x, lo, m) else place(v, x, m, hi);\n"
		"v = [0:%d];\n"
		"sum({place(v, rem(x * 7919, %d), 0, %d) : x in [0:100]});\n";
	Cost small = cost(program, 1 << 12, 1 << 12, 1 << 12), large = cost(program, 1 << 16, 1 << 16, 1 << 16);

	at_most("bytes beside v", large.peak - 8 * (1 << 16), small.peak - 8 * (1 << 12) + 64);
	at_most("bytes moved for 16 steps, not 12", moved(large) - 8 * (1 << 16), (moved(small) - 8 * (1 << 12)) * 16 / 12 + 4096);
}
END_TEST

/* -- recursion ------------------------------------------------------------------------------------------------ */

#define QUICKSORT \
	"function quicksort(a) =\n  if #a < 2 then a\n  else let p = a[#a / 2];\n" \
	"    lesser = {e in a | e < p}; equal = {e in a | e == p}; greater = {e in a | e > p};\n" \
	"    r = {quicksort(v) : v in [lesser, greater]}\n" \
	"    in r[0] ++ equal ++ r[1];\n"

/* O(n) memory, O(log n) levels of a bounded number of launches. */
START_TEST(quicksort)
{
	static const char program[] = QUICKSORT "#quicksort({rem(i * 1103515245 + 12345, 1000003) : i in [0:%d]});\n";
	static const char copied[] = QUICKSORT "k = {rand(1000000000) : i in [0:%d]};\nw = quicksort(k);\n#k;\n";
	Cost small = cost(program, 4000), large = cost(program, 64000), some = cost(program, 1000), more = cost(program, 16000);

	/* four times the keys */
	at_most("bytes a key of many", large.peak / 64000, 32);
	at_most("bytes a key of few", small.peak / 4000, 32);
	/* and with those of the caller */
	at_most("bytes a random key of many", cost(copied, 64000).peak / 64000, 32);
	at_most("bytes a random key of few", cost(copied, 4000).peak / 4000, 32);
	/* log 16000 / log 1000 = 1.40; of these there are no batches */
	at_most("launches", more.launches, 1.47 * some.launches);
	at_most("waits", more.syncs, 1.47 * some.syncs);
}
END_TEST

/* Of distinct keys in order all levels are full, and each has a number for each of its rows.  Batches have theirs one after the
 * other.  The keys themselves are a third of this. */
START_TEST(quicksort_of_sorted)
{
	static const char program[] = QUICKSORT "#quicksort([0:%d]);\n";

	at_most("bytes a key of many", cost(program, 1000000).peak / 1000000, 24);
	at_most("bytes a key of few", cost(program, 40000).peak / 40000, 24);
}
END_TEST

/* Where all rows are divided the results of the halves are the result, and are not copied on the way up: what moves does not
 * depend on how many levels there are. */
START_TEST(even_division)
{
	static const char program[] = "function halves(a) = if #a < 65 then a else flatten({halves(h) : h in bottop(a)});\n#halves([0:%d]);\n";
	Cost small = cost(program, 1 << 13), large = cost(program, 1 << 18);

	/* 16 of them put what batches gave together, once; the rest is of rows */
	at_most("bytes an element of many", moved(large) / (1 << 18), 40 + 16 + 1);
	at_most("bytes an element of few", moved(small) / (1 << 13), 40 + 1);
}
END_TEST

/* What rows give that are not small, in one of the arms of a chain, is stored once on each level: read, with what says where it
 * is, and written. */
START_TEST(chain_of_conditionals)
{
	static const char program[] = "function grow(v, n) = if n == 0 then v else if #v == 0 then [n] else grow(v, n - 1) ++ [n];\n"
		"{#grow(v, n) : v in [[1], [2, 3]]; n in [%d, 7]};\n";
	const double n = 2000;

	at_most("bytes moved", moved(cost(program, 2000)), 25 * n * n / 2);
}
END_TEST

/* Recursions all of whose rows on a level are of one length, by which the host decides.  Launches and waits that come with four
 * more levels, from 2^9 to 2^13 elements, of which no batches are made; with 2^18, bytes of an element that a level moves; bytes of an
 * element at most at once.  In the last one each of the levels begins a network of levels, which finds out that its rows are of one
 * length. */
static const struct {
	const char *example, *form;
	double launches, waits, moved, peak;
} even[] = {
	{"examples/fft.nesl", "#fft({(float(i), 0.0) : i in [0:%d]});\n", 16, 0, 160, 56},
	{"", "function halves(a) = if #a == 1 then a[0] else sum({halves(h) : h in bottop(a)});\nhalves([0:%d]);\n", 8, 4, 10, 32},
	{"", "function quarter(m, i, j) = let h = #m / 2 in {subseq(r, j * h, j * h + h) : r in subseq(m, i * h, i * h + h)};\n"
		"function quarters(m) = if #m == 1 then m[0][0] else sum({quarters(quarter(m, k / 2, rem(k, 2))) : k in [0:4]});\n"
		"let n = isqrt(%d) in quarters(dist([0:n], n));\n", 6, 0, 14, 56},
	{"", "function swap(a) = if #a == 1 then a else let p = {swap(x) : x in bottop(a)} in p[1] ++ p[0];\n#swap([0:%d]);\n", 28, 12, 27, 32},
	{"examples/batcher_sort.nesl", "#batcher_sort({rem(i * 7919, 10007) : i in [0:%d]});\n", 132, 20, 450, 64},
};

START_TEST(rows_of_one_length)
{
	const Cost few = cost_with(even[_i].example, even[_i].form, 1 << 14), many = cost_with(even[_i].example, even[_i].form, 1 << 18);
	const Cost above = cost_with(even[_i].example, even[_i].form, 1 << 9), below = cost_with(even[_i].example, even[_i].form, 1 << 13);

	at_most("launches of four levels", below.launches - above.launches, even[_i].launches);
	at_most("waits of four levels", below.syncs - above.syncs, even[_i].waits);
	at_most("bytes of an element and level", moved(many) / 18 / (1 << 18), even[_i].moved);
	at_most("bytes of an element of many", many.peak / (1 << 18), even[_i].peak);
	at_most("bytes of an element of few", few.peak / (1 << 14), even[_i].peak);
}
END_TEST

/* Shortest paths by way of k, for each k: the k-th row stands beside every row, and is copied for none.  That all rows are as long is
 * known of a matrix that a function gets and gives, by a number as by what the host counts. */
START_TEST(a_row_beside_each_row)
{
	static const char *const program[] = {
		"function step(d, k) = let dk = d[k] in {let x = row[k] in {min(y, x + z) : y in row; z in dk} : row in d};\n"
		"function go(d, k) = if k == #d then d else go(step(d, k), k + 1);\n"
		"#go({{rem(i * 7919 + j, 1000) : j in [0:%d]} : i in [0:64]}, 0);\n",
		"function step(d, k) = let dk = d[k] in {let x = row[k] in {min(y, x + z) : y in row; z in dk} : row in d};\n"
		"function go(d, k) = if k == #d then d else go(step(d, k), k + 1);\n"
		"n = #{i in [0:%d] | i >= 0};\n#go({{rem(i * 7919 + j, 1000) : j in [0:n]} : i in [0:n]}, 0);\n",
	};

	at_most("bytes of an element and step", moved(cost(program[_i], 64)) / (64 * 64 * 64), 25);
	at_most("matrices at once", cost(program[_i], 64).peak / (64 * 64 * 8), 2.1);
}
END_TEST

/* The next points above each are not kept, only lengths and places of the strips: less than five times the points. */
START_TEST(closest_pair_memory)
{
	static const char example[] = "examples/closest_pair.nesl", form[] = "closest_pair({(rand(1.0), rand(1.0)) : i in [0:%d]});\n";
	Cost small = cost_with(example, form, 4000), large = cost_with(example, form, 64000);

	at_most("bytes a point of many", large.peak / 64000, 5 * 16);
	at_most("bytes a point of few", small.peak / 4000, 5 * 16);
}
END_TEST

/* Of a text are stored what is no gap, where words begin and how long they are, a number for each, and where its like comes last. */
/* The rows of tests/run/collisions.nesl do collide, else it tests nothing: with one element more fewer do, and those are told apart in
 * the rounds of hashing. */
START_TEST(collisions_collide)
{
	static const char rows[] = "tests/run/collisions.nesl";
	const Cost all = cost_with(rows, "name(all_rows);\n"), few = cost_with(rows, "name({r ++ [1] : r in all_rows});\n");

	ck_assert_msg(all.launches > few.launches + 40, "%.0f, and %.0f", all.launches, few.launches);
}
END_TEST

START_TEST(words_counted)
{
	static const char example[] = "examples/word_count.nesl";
	static const char form[] =
		"s = {if rem(i * i, 7) == 1 then space else code_char(97 + rem(i * 31, 5)) : i in [0:%d]};\n#word_count(s);\n";
	static const char alone[] = "s = {if rem(i * i, 7) == 1 then space else code_char(97 + rem(i * 31, 5)) : i in [0:%d]};\n#s;\n";
	Cost small = cost_with(example, form, 20000), large = cost_with(example, form, 320000);
	const Cost text = cost_with(example, alone, 320000);

	at_most("bytes moved a char", (moved(large) - moved(text)) / 320000, 76);
	at_most("bytes beside the text", (large.peak - text.peak) / 320000, 14);
	at_most("launches", large.launches - text.launches, 24);
	ck_assert(small.launches == large.launches);
	at_most("waits", large.syncs - text.syncs, 14);
}
END_TEST

/* All elements are read for the counts, and if one is outside of the range that was guessed once more, for the range, and again for the
 * counts; only some at the end for where each comes last, if all come there.  What comes in periods is guessed as well. */
START_TEST(histogram_reads)
{
	static const char program[] = "a = {rem(i * 7, 100) : i in [0:%d]};\n#histogram(a);\n";
	static const char early[] = "a = {if i == 0 then 100 else rem(i * 7, 100) : i in [0:%d]};\n#histogram(a);\n";
	static const char outside[] = "a = {if i == 77 then 1000 else rem(i * 7, 100) : i in [0:%d]};\n#histogram(a);\n";
	static const char periods[] = "a = {max(rem(i, %d), 280) - 270 : i in [0:320000]};\n#histogram(a);\n";
	Cost small = cost(program, 20000), large = cost(program, 320000), all = cost(early, 320000), again = cost(outside, 320000);

	at_most("bytes an element more", (moved(large) - moved(small)) / 300000, 16.01);
	at_most("bytes where one is outside, and comes but early", (moved(again) - moved(large)) / 320000, 24.3);
	at_most("bytes of periods of 320", (moved(cost(periods, 320)) - moved(large)) / 320000, 2);
	at_most("bytes of periods of 640", (moved(cost(periods, 640)) - moved(large)) / 320000, 2);
	at_most("bytes where one comes but early", (moved(all) - moved(large)) / 320000, 8.01);
	ck_assert_msg(moved(all) - moved(large) > 7.5 * 320000, "all are gone through");
	ck_assert(small.launches == large.launches);
}
END_TEST

/* Filters for each number below k are one grouping: what they move does not depend on k but for the counts. */
START_TEST(groups_are_counted)
{
	static const char form[] = "a = {rem(i * 7919, 100003) : i in [0:%d]};\nk = %d;\n"
		"sum({sum(r) * j : r in {{x in a | rem(x, k) == j} : j in [0:k]}; j in [0:k]});\n";
	const Cost few = cost(form, 100000, 10), many = cost(form, 100000, 1000), larger = cost(form, 400000, 1000);

	at_most("bytes an element more", (moved(larger) - moved(many)) / 300000, 57);
	at_most("bytes a class more", (moved(many) - moved(few)) / 990, 50);
	at_most("peak of an element", larger.peak / 400000, 25);
	ck_assert(few.launches == many.launches && many.launches == larger.launches);
}
END_TEST

/* All points are of the hull; four times the points, two floats each, with those of the caller. */
START_TEST(quickhull_memory)
{
	static const char example[] = "examples/quickhull.nesl", form[] = "#quickhull({(cos(float(i)), sin(float(i))) : i in [0:%d]});\n";
	Cost small = cost_with(example, form, 8000), large = cost_with(example, form, 64000);

	at_most("bytes a point of many", large.peak / 64000, 64);
	at_most("bytes a point of few", small.peak / 8000, 64);
}
END_TEST

/* The sum of the rows' trips, not their number times the longest: of scalars, and of sequences. */
START_TEST(trips_that_differ)
{
	static const char *const program[] = {
		"function steps(x, n) = if n == 0 then x else steps(3 * x + 1, n - 1);\n"
		"sum({steps(i, (if i == 7 then %d else 1)) : i in [0:%d]});\n",
		"function steps(v, n) = if n == 0 then sum(v) else steps({3 * x + 1 : x in v}, n - 1);\n"
		"sum({steps([i], (if i == 7 then %d else 1)) : i in [0:%d]});\n",
	};
	Cost few = cost(program[_i], 100, 1000), many = cost(program[_i], 1000, 1000);
	Cost few_of_more = cost(program[_i], 100, 4000), many_of_more = cost(program[_i], 1000, 4000);

	at_most("bytes a trip of one row", (moved(many) - moved(few)) / 900, 400);
	at_most("that, beside more rows", moved(many_of_more) - moved(few_of_more), moved(many) - moved(few));
	at_most("launches a round", (many.launches - few.launches) / 900, 16);
}
END_TEST

/* A loop on scalars is one loop nest: what it costs in launches and memory does not depend on the trips, and differs
 * by nothing from a function without a loop. */
START_TEST(scalar_loops)
{
	static const char program[] =
		"function escape(x, y, cx, cy, n, limit) =\n"
		"  if n == limit or x * x + y * y > 4.0 then n\n"
		"  else escape(x * x - y * y + cx, 2.0 * x * y + cy, cx, cy, n + 1, limit);\n"
		"sum({escape(0.0, 0.0, float(i) / 1000.0, 0.5, 0, %d) : i in [0:1000]});\n";
	static const char guarded[] = "v = [0:100];\nsum({if i < #v then v[i] / (1 + %d) else 0 : i in [0:1000]});\n";
	Cost few = cost(program, 2), many = cost(program, 1000), guard = cost(guarded, 1);
	const char *text, *loop;

	ck_assert(few.launches == many.launches && moved(few) == moved(many) && few.peak == many.peak);
	at_most("launches", many.launches, 10);
	at_most("launches of a guard", guard.launches, 5);
	at_most("waits", many.syncs, 3);
	write_file(dir, "p.nesl", "function halve(n, k, d) = if n == 0 then k else halve(n / d, k + 1, d);\n{halve(n, 0, 2) : n in [5, 0, 9]};\n");
	ck_assert(command("./nessie dump --stage=c %/p.nesl >%/p.c") == 0);
	text = text_of("p.c");
	loop = strstr(text, "\nfn_halve(");
	ck_assert_msg(!loop && strstr(text, "\neach_halve(nesl_scalar_calls *calls_, nint n, nint k, nint d)\n{\n\tfor (;;) {\n"), "%s", text);
	ck_assert_msg(strstr(text,
		"		const nint xs_2 = xs[e1];\n"
		"		const nint r_2 = each_halve(&r_2_calls, xs_2, 0, 2);\n"
		"		if (r_2_calls.fault)\n"
		"			nesl_failed_call(&failure, 0, e1, &r_2_calls);\n"
		"		r_3[e1] = r_2;\n"), "%s", text);
}
END_TEST

/* Rounds over a graph cost what the frontier's edges do: the adjacency lists are not copied, whether they are the
 * same for all rows or the row's own. */
START_TEST(rounds_over_a_graph)
{
	static const char *const program[] = {
		"sum({walk(graph, [s], %d) : s in [0, 3, 5]});\n",
		"sum({walk(g, [0], %d) : g in [graph, reverse(reverse(graph))]});\n",
		"walk(graph, [0], %d);\n",
		"{walk(graph, [0], %d) : graph in [graph]};\n",
		"sum({let v = s in peel([s], %d) : s in [0, 3, 5]});\n",
	};
	static const char head[] =
		"function walk(adj, frontier, n) =\n"
		"  if n == 0 then sum(frontier) else walk(adj, flatten({adj[v] : v in frontier}), n - 1);\n"
		"graph = {(if i < 200 then [i + 1] else [0:100]) : i in [0:%d]};\n"
		"function peel(frontier, n) = if n == 0 then sum(frontier) else peel(flatten({graph[v] : v in frontier}), n - 1);\n%s";
	char form[2048];
	double few, many;

	snprintf(form, sizeof form, head, 1000, program[_i]);
	few = moved(cost(form, 150)) - moved(cost(form, 50));
	snprintf(form, sizeof form, head, 4000, program[_i]);
	many = moved(cost(form, 150)) - moved(cost(form, 50));
	at_most("100 rounds", few, 200000);
	at_most("100 rounds beside more that is not looked at", many, few);
}
END_TEST

/* Calls nest a million deep; past it there is a message. */
START_TEST(deep_recursion)
{
	static const char *const target[] = {"cpu", "interp"};
	static const char *const call[] = {"down(%d)", "{down(n) : n in [%d, 3]}", "sum(stack(%d))"};
	char text[512], line[256];

	for (int deep = 0; deep < 2; deep++) {
		char form[64], *err;

		snprintf(form, sizeof form, call[_i / 2], deep ? 1000001 : 999990);
		snprintf(text, sizeof text, "function down(n) = if n == 0 then 0 else 1 + down(n - 1);\n"
			"function stack(n) = if n == 0 then [0] else let r = stack(n - 1) in {x + 1 : x in r};\n%s;\n", form);
		write_file(dir, "p.nesl", text);
		snprintf(line, sizeof line, "./nessie run --target=%s %%/p.nesl >%%/out 2>%%/err", target[_i % 2]);
		ck_assert_int_eq(command(line), deep ? 3 : 0);
		err = text_of("err");
		ck_assert_msg(!strstr(err, "error") == !deep && (!deep || strstr(err, "error[recursion-depth]: recursion "
			"deeper than 1000000 calls")), "%s, %s: %s", target[_i % 2], form, err);
		free(err);
	}
}
END_TEST

/* -- code ---------------------------------------------------------------------------------------------------- */

static void
write_chain(int n)
{
	FILE *f = fopen(in_dir("p.nesl"), "w");

	ck_assert(f);
	fputs("function chain(x) =\n  let a0 = x;\n", f);
	for (int i = 1; i < n; i++)
		fprintf(f, "  a%d = a%d * 3 + %d;\n", i, i - 1, i % 7);
	fprintf(f, "  in a%d;\nchain(1);\n{chain(x) : x in [0:3]};\n", n - 1);
	fclose(f);
}

/* Of the processor, for the program and the system: of a short run, how it falls to either is chance. */
static double
seconds_of_children(void)
{
	struct rusage u;

	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* The least of three times. */
static double
seconds_of(const char *line)
{
	double best = 1e9;

	for (int i = 0; i < 3; i++) {
		double t = seconds_of_children();

		ck_assert_int_eq(command(line), 0);
		t = seconds_of_children() - t;
		best = t < best ? t : best;
	}
	return best;
}

/* To make C of a chain of n lets, and the length of that. */
static double
seconds_to_compile(int n, double *length)
{
	double t;
	char *c;

	write_chain(n);
	t = seconds_of("./nessie dump --stage=c %/p.nesl | tee %/c | grep -c . >%/n");
	c = text_of("n");
	*length = atof(c);
	free(c);
	return t;
}

/* Time to compile grows with a chain of scalar lets as its length does. */
START_TEST(long_chains)
{
	double lines, more_lines, t = seconds_to_compile(500, &lines), u = seconds_to_compile(8000, &more_lines);

	ck_assert_msg(more_lines > 8 * lines, "%g lines of C, then %g: has all been compiled?", lines, more_lines);
	at_most("lines of C", more_lines, 16 * lines);
	/* if it grew as the square: 256 times; far enough from 16 for a busy machine */
	at_most("milliseconds, of 16 times the lets", 1e3 * u, 1e3 * 64 * t);
}
END_TEST

static double
seconds_with(const char *options, void (*write)(FILE *, int), int n)
{
	FILE *f = fopen(in_dir("p.nesl"), "w");
	char line[100];

	ck_assert(f);
	write(f, n);
	fclose(f);
	snprintf(line, sizeof line, "./nessie dump %s %%/p.nesl >%%/n", options);
	return seconds_of(line);
}

static void
write_nest(FILE *f, int n)
{
	fputs("function nest(x) = ", f);
	for (int i = 0; i < n; i++)
		fprintf(f, "if x > %d then ", i);
	fputs("sum([0:x])", f);
	for (int i = 0; i < n; i++)
		fputs(" else 0", f);
	fputs(";\n{nest(x) : x in [1, 2, 300]};\n", f);
}

/* On the host: in parallel code each jump has code for what the rows of all jumps go on with. */
static void
write_jumps(FILE *f, int n)
{
	fputs("function hop(x, k) : (int, int) -> int = ", f);
	for (int i = 0; i < n; i++)
		fprintf(f, "if x == %d then hop(x + %d, k + sum([0:k])) else ", i, i + 1);
	fputs("k;\nhop(1, 2);\n", f);
}

static void
write_recursions(FILE *f, int n)
{
	fputs("function g0(x) = if x < 1 then x else g0(x - 1) + 1;\n", f);
	for (int i = 1; i < n; i++)
		fprintf(f, "function g%d(x) = if x < 1 then g%d(x) else g%d(x - 1) + 1;\n", i, i - 1, i);
	fprintf(f, "g%d(3);\n{g%d(x) : x in [1, 2, 3]};\n", n - 1, n - 1);
}

static void
write_callees(FILE *f, int n)
{
	for (int i = 0; i < n; i++)
		fprintf(f, "function f%d(v) = if #v < %d then [1] ++ v else let w = f%d(drop(v, 1)) in {x + 1 : x in w} ++ w;\n", i, i % 7 + 1, i);
	fputs("function call_all(v) = let a0 = v;\n", f);
	for (int i = 1; i < n; i++)
		fprintf(f, "  a%d = f%d(a%d);\n", i, i - 1, i - 1);
	fprintf(f, "  in a%d;\ncall_all([1, 2, 3]);\n", n - 1);
}

/* Conditionals in arms of conditionals, in parallel code, jumps from many arms, and functions that call the one before, or are called by one: for 4 times as
 * many not the cube, 64 times as long; nor much more than 16, which the ways from the levels to each other take. */
START_TEST(deep_nests)
{
	double t = seconds_with("--stage=flan", write_nest, 400), u = seconds_with("--stage=flan", write_nest, 1600);

	at_most("milliseconds, of 4 times the conditionals", 1e3 * u, 1e3 * 30 * t);
	t = seconds_with("--stage=flan", write_jumps, 300);
	u = seconds_with("--stage=flan", write_jumps, 1200);
	at_most("milliseconds, of 4 times the jumps", 1e3 * u, 1e3 * 24 * t);
	t = seconds_with("--stage=shape", write_callees, 150);
	u = seconds_with("--stage=shape", write_callees, 1200);
	at_most("milliseconds, of 8 times the functions that one calls", 1e3 * u, 1e3 * 24 * t);
	t = seconds_with("--stage=opt --no-avoid", write_recursions, 300);
	u = seconds_with("--stage=opt --no-avoid", write_recursions, 1200);
	at_most("milliseconds, of 4 times the recursive functions", 1e3 * u, 1e3 * 30 * t);
}
END_TEST

/* 20,000 bindings, with checks that stay, each of what the one before gave: shapes in less than a second. */
START_TEST(shapes_are_linear)
{
	FILE *f = fopen(in_dir("p.nesl"), "w");
	double least = 1e9;

	ck_assert(f);
	fputs("function go(v, k) = let a0 = k;\n", f);
	for (int i = 1; i <= 4200; i++)
		fprintf(f, "  a%d = v[rem(a%d, 5)] + 1;\n", i, i - 1);
	fputs("  in a4200;\ngo([1:60], 3);\n", f);
	fclose(f);
	ck_assert_int_eq(command("./nessie dump --stage=opt %/p.nesl >%/p.opt"), 0);
	for (int i = 0; i < 3; i++) {
		double seconds = 0;
		int bindings = 0;
		char *out;

		ck_assert_int_eq(0, sh(&out, "./nessie dump --stage=shape --from=opt --time-passes %s 2>&1 >/dev/null | grep '^shape'",
			in_dir("p.opt")));
		ck_assert_msg(sscanf(out, "shape %lf %d", &seconds, &bindings) == 2 && bindings > 20000, "%s", out);
		least = seconds < least ? seconds : least;
		free(out);
	}
	at_most("milliseconds", 1e3 * least, 1000);
}
END_TEST

static void
write_proofs(FILE *f, int n)
{
	fputs("function two(x) = if x > 0 then [x, sum([0:x])] else [2, x];\nfunction go(v) = let a0 = v;\n", f);
	for (int i = 1; i < n; i++)
		fprintf(f, "  a%d = two(a%d)[1];\n", i, i - 1);
	fprintf(f, "  in a%d;\ngo(3);\n", n - 1);
}

/* That there is such an element is proved each time, and told why; of as much code more it takes as much longer to tell, not to its square. */
START_TEST(proofs_are_told)
{
	double t = seconds_with("--stage=shape", write_proofs, 500), u = seconds_with("--stage=shape", write_proofs, 2000);

	ck_assert_int_eq(command("grep -q '^proved' %/n"), 0);
	at_most("milliseconds, of 4 times the proofs", 1e3 * u, 1e3 * 8 * t);
}
END_TEST

/* Of each element what it is more than their sum, over and over; what is kept of what was kept. */
static const char *const round_of[] = {
	"  a%d = let s = sum(a%d) in {x - s : x in a%d};\n",
	"  a%d = {x in a%d | x > %d};\n",
};

/* To put together n rounds of tasks. */
static double
seconds_to_fuse(const char *round, int n)
{
	FILE *f = fopen(in_dir("p.nesl"), "w");

	ck_assert(f);
	fputs("let a0 = a;\n", f);
	for (int i = 1; i <= n; i++)
		fprintf(f, round, i, i - 1, i - 1);
	fprintf(f, "  in a%d;\n", n);
	fclose(f);
	ck_assert_int_eq(command("./nessie dump --stage=tasks --input 'a:[int]' %/p.nesl >%/p.tasks"), 0);
	return seconds_of("./nessie dump --stage=lcu --from=tasks %/p.tasks >%/n");
}

/* It grows as the program does: for 8 times as many tasks not the square, 64 times as long; 20,000 bindings of lcu and more take
 * less than three seconds. */
START_TEST(fusion_is_linear)
{
	double t = seconds_to_fuse(round_of[_i], 500), u = seconds_to_fuse(round_of[_i], 4000);
	char *out;

	sh(&out, "grep -c ' = ' %s", in_dir("p.tasks"));
	ck_assert_int_gt(atoi(out), 20000);
	free(out);
	at_most("milliseconds, of 8 times the tasks", 1e3 * u, 1e3 * 24 * t);
	at_most("milliseconds", 1e3 * u, 3000);
}
END_TEST

/* What the compiler holds for copies of all examples; what a pass has worked with is given back, or it would be eight times as much. */
START_TEST(memory_of_passes)
{
	int lines = 0, read;
	double c = 0, cuda = 0;
	char *out;

	ck_assert_int_eq(sh(&out, "sh bench/large.sh 4000"), 0);
	read = sscanf(out, "%d lines c: %*f s, %*f s a 1,000 lines; %lf MB at most; %*d lines of text cuda: %*f s, %*f s a 1,000 lines; %lf MB",
		&lines, &c, &cuda);
	ck_assert_msg(read == 3 && lines >= 4000, "%s", out);
	at_most("KB a line, to C", 1e3 * c / lines, 27);
	at_most("KB a line, to CUDA", 1e3 * cuda / lines, 25);
	free(out);
}
END_TEST

/* -- structure: kinds of trouble 2, 20, 21, 22 ------------------------------------------------------------------- */

typedef struct Pinned {
	const char *program;            /* %d: a size, which changes nothing */
	double launches, syncs;
} Pinned;

static const Pinned pinned[] = {
	/* scalar work on both sides of an irregular sum: a task for each operator, until they are fused */
	{"r = {[0:rem(i, 5)] : i in [0:%d]};\nw = {10 * sum({x * x : x in q}) - #q : q in r};\n", 14, 1},
	{"r = {[0:rem(i, 5)] : i in [0:%d]};\nw = {sum({x + #q : x in q}) : q in r};\n", 13, 1},
	/* a consumer that reads its producer at any place; a reduction that is read in between; an update */
	{"v = [0:%d];\na = {x * x : x in v};\nb = {a[#a - 1 - i] : i in v};\n", 6, 1},
	{"v = [0:%d];\nw = let a = {x * x : x in v}; s = sum(a) in {x - s : x in a};\n", 4, 1},
	{"v = [0:%d];\nw = let a = {x * x : x in v}; b = rep(a, 0, 2) in {x + y : x in a; y in b};\n", 5, 1},
	/* waits of the host: a filter's length; the total of ranges; a condition; two forms with numbers in them */
	{"v = [0:%d];\nw = {x in v | oddp(x)};\n", 5, 1},
	{"v = [0:%d];\nw = flatten({[0:rem(x, 3)] : x in v});\n", 9, 1},
	{"v = [0:%d];\nw = (if sum(v) > 3 then {2 * x : x in v} else v);\n", 3, 1},
	{"v = {rem(7 * i, 4) : i in [0:%d]};\ns = sum(v);\n", 6, 2},
};

START_TEST(launches_and_waits)
{
	const Pinned *p = &pinned[_i];
	Cost small = cost(p->program, 50), large = cost(p->program, 5000);

	ck_assert_msg(small.launches == large.launches && small.syncs == large.syncs, "%s: counts grow", p->program);
	at_most(p->program, small.launches, p->launches);
	at_most(p->program, small.syncs, p->syncs);
}
END_TEST

/* What the run time's library moves is counted: twice n ints are read and written. */
START_TEST(library_operations)
{
	Cost small = cost("v = dist(1, 1000);\nappend(v, v);\n"), large = cost("v = dist(1, 3000);\nappend(v, v);\n");

	ck_assert_double_eq(large.read - small.read, 4000 * 8);
	ck_assert_double_eq(large.written - small.written, 6000 * 8);
}
END_TEST

/* On the cpu a filter's array takes back what was cut from it, for what is appended: of both parts only the second is copied. */
START_TEST(parts_of_one_are_put_together)
{
	static const char parts[] = "v = {rem(i * 7, 10) : i in [0:%d]};\nw = let z = {x in v | x < 4}; o = {x in v | x >= 4} in z ++ o;\n";
	double read[2];

	for (int i = 0; i < 2; i++) {
		char program[256], *json;

		snprintf(program, sizeof program, parts, i ? 30000 : 10000);
		write_file(dir, "p.nesl", program);
		ck_assert_int_eq(command("./nessie run --target=cpu --echo=none --stats=%/json %/p.nesl"), 0);
		json = text_of("json");
		read[i] = figure(json, "bytes_read");
		free(json);
	}
	ck_assert_double_eq(read[1] - read[0], 20000 * 8 * (1 + 0.6));
}
END_TEST

#define PRICE \
	"function cnd(x) = let l = abs(x); k = 1.0 / (1.0 + 0.2316419 * l);\n" \
	"  w = 1.0 - 0.39894228 * exp(-l * l / 2.0) * k * (0.31938153 + k * (-0.356563782 + k * (1.781477937\n" \
	"    + k * (-1.821255978 + k * 1.330274429)))) in if x < 0.0 then 1.0 - w else w;\n" \
	"function price(s, x, y) = let v = 0.3; q = sqrt(y); a = (ln(s / x) + (0.02 + v * v / 2.0) * y) / (v * q); b = a - v * q;\n" \
	"  e = x * exp(-0.02 * y) in (s * cnd(a) - e * cnd(b), e * (1.0 - cnd(b)) - s * (1.0 - cnd(a)));\n"
#define OPTIONS PRICE \
	"s = {5.0 + rand(25.0) : i in [0:%d]};\nx = {1.0 + rand(99.0) : z in s};\ny = {0.25 + rand(9.75) : z in s};\n" \
	"{price(a, b, c) : a in s; b in x; c in y};\n"

/* What these must read and write, they do, and nothing else: inputs and values of forms, each once; of the vector that is
 * gathered from, as long as there are entries, an element for each use.  Of ten forms none is two hundredths above that. */
START_TEST(bytes_near_the_floor)
{
	static const char data[] = "./nessie data zipf --rows=3000 --cols=30000 --entries=30000 -o %/m.mtx && "
		"./nessie data uniform --n=30000 --type=float -o %/x.npy && for n in a b v p s k y; do cp %/x.npy %/$n.npy; done && "
		"./nessie data uniform --n=30000 -o %/i.npy && for n in w g h q u o; do cp %/i.npy %/$n.npy; done";
	static const char forms[] = PRICE "sum({x * y : x in a; y in b});\n{sum({x * v[i] : (i, x) in row}) : row in m};\n"
		"{price(x, y, z) : x in s; y in k; z in y};\n{x * x : x in w | x > 300};\nsum({x * x : x in h | x > 300});\n"
		"({x in g | x < 300}, {x in g | x == 300}, {x in g | x > 300});\n"
		"{x + 1.0 : x in plus_scan({x * x : x in p})};\nmax_scan(q);\n"
		"let b = {x in u | x > 300} in {2 * x : x in b | x < 700};\nlet b = {x in o | x > 300} in sum(b) / #b;\n";
	double floor, bytes;
	char *json;

	ck_assert_int_eq(command(data), 0);
	write_file(dir, "p.nesl", forms);
	ck_assert_int_eq(command("./nessie run --target=emu --echo=none --stats=%/json --input m=%/m.mtx "
		"$(for n in a b v p s k y w g h q u o; do echo --input $n=%/$n.npy; done) %/p.nesl"), 0);
	json = text_of("json");
	floor = figure(json, "bytes_floor");
	bytes = figure(json, "bytes_read") + figure(json, "bytes_written");
	ck_assert_msg(floor > 8 * 30000 * 20, "%g", floor);
	at_most("bytes", bytes, (1 + 0.02 / 10) * floor);
	free(json);
}
END_TEST

/* What is popped and pushed in turn is not copied each time: twice as many rounds move twice as much.  A device does that at the
 * end only. */
START_TEST(piles_move_what_is_pushed)
{
	static const char *const pile[] = {"take(s, #s - 1) ++ [n, a]", "drop(s, 1) ++ [n, a]", "subseq(s, 1, #s - 1) ++ [n, a, n]"};
	double moved[2];

	for (int cuda = 0; cuda < 2; cuda++)
		for (int k = 0; k < (cuda ? 1 : 3); k++) {
			for (int i = 0; i < 2; i++) {
				char program[256], *json;

				snprintf(program, sizeof program, "function go(s, n, a) = if n == 0 then #s else go(%s, n - 1, a + s[#s - 1] - s[0]);\n"
					"go([3, 4], %d, 0);\n", pile[k], (cuda ? 100 : 2000) << i);
				write_file(dir, "p.nesl", program);
				ck_assert_int_eq(command(cuda ? "./nessie run --target=emu --echo=none --stats=%/json %/p.nesl"
					: "./nessie run --target=cpu --echo=none --stats=%/json %/p.nesl"), 0);
				json = text_of("json");
				moved[i] = figure(json, "bytes_written");
				free(json);
			}
			ck_assert_msg(moved[1] <= 2.2 * moved[0] && moved[0] > 0, "%s: %g, then %g", pile[k], moved[0], moved[1]);
		}
}
END_TEST

/* What a loop carries and updates, of n rounds: what is written, and what is there at once, grows as they do, also for a device. */
static const struct {
	const char *functions, *form;   /* which has the number of rounds */
	int bytes;                      /* written in each, at most */
} carried[] = {
	/* rows that are appended, of one length and of several, of none, of pairs, and of rows */
	{"function go(r, i) = if i == 0 then r else go(r ++ [[i, i + 1]], i - 1);", "#go([[0, 1]], %d)", 120},
	{"function go(r, i) = if i == 0 then r else go(r ++ [[0:rem(i, 3)]], i - 1);", "#go([[0, 1]], %d)", 120},
	{"function go(r, i) = if i == 0 then r else go(r ++ [[(i, t), (i, f)], [] (int, bool)], i - 1);", "#go([[(0, t)]], %d)", 200},
	{"function go(r, i) = if i == 0 then r else go(r ++ [[[i], [0:rem(i, 3)]]], i - 1);", "#go([[[0, 1]]], %d)", 300},
	/* a pile of pairs, popped or pushed in each round */
	{"function go(s, i, a) = if i == 0 then a else let (x, y) = s[#s - 1] in if rem(i, 3) == 1 then go(take(s, #s - 1), i - 1, a + x * y) "
	 "else go(s ++ [(i, x + 1)], i - 1, a);", "go(dist((0, 1), 9), %d, 0)", 120},
	/* rows, popped and pushed in one round; popped or pushed; of pairs */
	{"function go(r, i, a) = if i == 0 then a else let x = r[#r - 1] in go(take(r, #r - 1) ++ [[i, #x], x], i - 1, a + x[0]);",
	 "go([[1]], %d, 0)", 300},
	{"function go(r, i, a) = if i == 0 then a else let x = r[#r - 1] in if rem(i, 3) == 1 then go(take(r, #r - 1), i - 1, a + x[0]) "
	 "else go(r ++ [[i], x], i - 1, a);", "go([[1], [2]], %d, 0)", 300},
	{"function go(r, i, a) = if i == 0 then a else let x = r[#r - 1] in go(take(r, #r - 1) ++ [[(i, #x)], x], i - 1, a + #x);",
	 "go([[(1, 1)]], %d, 0)", 300},
	/* popped, and one element replaced, in each round; on every other round; after an if that pops */
	{"function go(s, a) = if #s < 2 then a else let u = take(s, #s - 1) in go(rep(u, u[0] + 1, 0), a + s[#s - 1]);", "go([0:%d], 0)", 60},
	{"function go(s, a) = if #s < 2 then a else let x = s[#s - 1]; u = take(s, #s - 1) in if rem(x, 2) == 0 then go(rep(u, a, 0), a + x) "
	 "else go(u, a - x);", "go([0:%d], 0)", 60},
	{"function go(s, i) = if i == 0 then #s else let u = (if rem(i, 3) == 0 and #s > 1 then take(s, #s - 1) else s ++ [i]) in "
	 "go(rep(u, i, 0), i - 1);", "go([0], %d)", 120},
	/* read after it is updated, by the host, by tasks, in an arm, by functions; of pairs too; after it is appended to */
	{"function seek(s, x, i) = if i == #s or i > 3 then -1 else if s[i] == x then i else seek(s, x, i + 1);"
	 "function total(s, i) = if i == 0 then 0 else sum({x * i : x in s}) + total(s, i - 1);"
	 "function go(s, i, a) = if i == 0 then a else let u = rep(s, a, i); m = max_val(s); j = seek(s, m, 0); k = total(s, 1); "
	 "e = (if m > 9 then s[5] else sum(s)) in go(u, i - 1, rem(a + s[0] + m + j + k + e, 100));", "go(dist(7, 1001), %d / 10, 0)", 60},
	{"function go(s, i, a) = if i == 0 then a else let u = rep(s, (a, i), rem(i, #s)); (x, y) = s[3] in "
	 "go(u, i - 1, rem(a + x + sum({x * y : (x, y) in s}), 100));", "go(dist((1, 2), 1000), %d / 10, 0)", 60},
	{"function go(s, i, a) = if i == 0 then a else let u = s ++ [i]; m = max_val(s) in go(u, i - 1, a + m + s[#s - 1]);", "go([0], %d / 10, 0)", 60},
	/* a heap of pairs */
	{"function up(h, i) = if i == 0 then h else let p = (i - 1) / 2; (a, x) = h[i]; (b, y) = h[p] in if a < b then "
	 "up(rep(rep(h, (a, x), p), (b, y), i), p) else h; function key(a, b) = a; function down(h, i) = let l = 2 * i + 1 in if l >= #h then h else "
	 "let r = l + 1; c = (if r < #h and key(h[min(r, #h - 1)]) < key(h[l]) then r else l); (a, x) = h[i]; (b, y) = h[c] in "
	 "if b < a then down(rep(rep(h, (b, y), i), (a, x), c), c) else h;"
	 "function pop(h) = let e = h[#h - 1]; g = take(h, #h - 1) in if #g == 0 then g else down(rep(g, e, 0), 0);"
	 "function fill(h, i) = if i == 0 then h else fill(up(h ++ [(rem(i * 7919, 10007), i)], #h), i - 1);"
	 "function sorted(h, s) = if #h == 0 then s else sorted(pop(h), rem(s * 31 + key(h[0]), 1009));",
	 "sorted(fill([] (int, int), %d / 10), 0)", 200},
};

START_TEST(carried_and_updated)
{
	for (int cuda = 0; cuda < 2; cuda++) {
		const int n = cuda ? 200 : 5000;
		double written[2], peak[2];

		for (int i = 0; i < 2; i++) {
			char form[200], *json;

			snprintf(form, sizeof form, carried[_i].form, n << i);
			ck_assert_int_eq(0, sh(&json, QUICKLY "./nessie run --target=%s --echo=none --stats -e '%s %s' 2>&1", cuda ? "emu" : "cpu",
				carried[_i].functions, form));
			written[i] = figure(json, "bytes_written");
			peak[i] = figure(json, "peak_bytes");
			free(json);
		}
		ck_assert_msg(written[1] <= 2 * n * carried[_i].bytes, "%s: %g written", carried[_i].functions, written[1]);
		at_most(carried[_i].functions, peak[1], 3 * peak[0]);
	}
}
END_TEST

/* Rows of a loop that updates one element in each round: while no row leaves, an update costs what is updated. */
START_TEST(updates_of_rows_are_in_place)
{
	double moved[2];

	for (int i = 0; i < 2; i++) {
		char program[256], *json;

		snprintf(program, sizeof program, "function fill(p, i) = if i == #p then sum(p) else fill(rep(p, i, i), i + 1);\n"
			"{fill(dist(0, n), 0) : n in [%d, %d]};\n", 1000 << i, 1000 << i);
		write_file(dir, "p.nesl", program);
		ck_assert_int_eq(command("./nessie run --target=cpu --echo=none --stats=%/json %/p.nesl"), 0);
		json = text_of("json");
		moved[i] = figure(json, "bytes_written");
		free(json);
	}
	ck_assert_msg(moved[1] <= 2.2 * moved[0] && moved[0] > 0, "%g, then %g", moved[0], moved[1]);
}
END_TEST

/* Nor does it matter who leaves, which arm or function writes, or through what: a round costs what it looks at and what it puts.  So of rows ten times as
 * long, rounds cost no more. */
static const char *const written_rows[] = {
	"function step(p, i, k) = if i >= k then sum(p) else step(rep(p, p[rem(i * 7, #p)] + 1, rem(i * 13, #p)), i + 1, k);\n"
	"sum({step(r, 0, k) : r in {[0:%d] : i in [0:20]}; k in {%d + i : i in [0:20]}});\n",
	"function root(p, i) = if p[i] == i then i else root(p, p[i]);\n"
	"function unite(p, es, i) = if i == #es then sum(p) else let (a, b) = es[i]; x = root(p, a); y = root(p, b) in\n"
	"  if x == y then unite(p, es, i + 1) else unite(rep(p, y, x), es, i + 1);\n"
	"sum({unite([0:%d], {(j, j / 2) : j in [0:%d + rem(i, 20)]}, 0) : i in [0:20]});\n",
	"function run(p, d, i) = if i == 0 then sum(p) else let (q, e) = (if p[i] > d then (rep(rep(p, d, i), i, 0), d + 1) else (p, d)) in\n"
	"  if oddp(i) then run(q <- [(0, e), (i, q[i - 1])], e, i - 1) else run(q, e, i - 1);\n"
	"sum({run([0:%d], rem(i, 9), %d + rem(i, 20)) : i in [0:20]});\n",
	"function swap(p, i, j) = let x = p[i] in rep(rep(p, p[j], i), x, j);\n"
	"function go(p, i) = if i == 0 then p else if p[i] < p[i - 1] then go(swap(p, i, i - 1), i - 1) else go(swap(p, 0, i), i - 1);\n"
	"sum({sum(go([0:%d], %d + rem(i, 20))) : i in [0:20]});\n",
	"function root(p, i) = if p[i] == i then i else root(p, p[i]);\n"
	"function short(p, i, r) = if p[i] == r then p else short(rep(p, r, i), p[i], r);\n"
	"function look(p, i) = let r = root(p, i) in (short(p, i, r), r);\n"
	"function unite(p, es, i, n) = if i == #es then (p, n) else\n"
	"  let (a, b) = es[i]; (p1, x) = look(p, a); (p2, y) = look(p1, b) in\n"
	"  if x == y then unite(p2, es, i + 1, n) else unite(rep(p2, y, x), es, i + 1, n - 1);\n"
	"sum({let (p, n) = unite([0:%d], {(j, j / 2) : j in [0:%d + rem(i, 20)]}, 0, 0) in sum(p) + n : i in [0:20]});\n",
	"function put_late(p, i) = if i > 0 then put_late(rep(p, #{x : x in [i:i + 5] | x > p[i]}, i), i - 1) else sum(p);\n"
	"sum({put_late([0:%d], %d + rem(i, 20)) : i in [0:20]});\n",
};

START_TEST(rounds_cost_what_they_write)
{
	double rounds[2];

	for (int k = 0; k < 2; k++) {
		const int length = k ? 10000 : 1000;

		rounds[k] = moved(cost(written_rows[_i], length, 200)) - moved(cost(written_rows[_i], length, 100));
	}
	ck_assert_msg(rounds[0] > 0 && rounds[1] <= 1.01 * rounds[0], "%s: %g, then %g", written_rows[_i], rounds[0], rounds[1]);
}
END_TEST

/* Rows that elements are put behind, in as many rounds as the row wants, cost in proportion to these elements, not to their squares, and take
 * no more than a few times the memory. */
static const char *const grown_rows[] = {
	"function go(acc, x, k) = if k == 0 then acc else go(acc ++ [x], rem(x * 5 + 3, 1000), k - 1);\n"
	"sum({#go([] int, i, %d - i) : i in [0:50]});\n",
	"function walk(path, x, y, k) = if k == 0 then #path else if oddp(x * y + k) then walk(path ++ [(x, float(y))], y + 1, x, k - 1)\n"
	"  else walk(path ++ [(y, 1.0), (x, 2.0)], x + k, y, k - 1);\n"
	"sum({walk([] (int, float), i, i, %d - i) : i in [0:50]});\n",
	"function push(v, x) = v ++ [x];\n"
	"function fib(v, k) = if k == 0 then v else let n = #v in fib(push((if oddp(k) then rep(v, k, 0) else v), rem(v[n - 1] + v[n - 2], 1000)), k - 1);\n"
	"sum({fib([1, i], %d - i)[5] : i in [0:50]});\n",
};

START_TEST(rows_grow_by_what_is_put_behind)
{
	Cost some = cost(grown_rows[_i], 200), twice = cost(grown_rows[_i], 400), more = cost(grown_rows[_i], 800);

	at_most("bytes for twice as many", moved(twice) - moved(some), 1.3 * moved(some));
	at_most("bytes for four times as many", moved(more) - moved(twice), 2.6 * moved(some));
	at_most("bytes at once", more.peak, 5 * some.peak);
}
END_TEST

/* With ints of 32 bits too the bytes of a task may be more than such an int holds. */
START_TEST(bytes_are_counted_in_64_bits)
{
	char *json;

	ck_assert_int_eq(command("CC=gcc ./nessie run --target=cpu --int=32 --echo=none --stats=%/json -e 'let v = [5, 7, 6, 8]; w = [1, 2, 3, 4] in "
		"sum({v[rem(i, 4)] * w[rem(i, 3)] + v[rem(i, 2)] * w[rem(i + 1, 4)] : i in [0:150000000]})'"), 0);
	json = text_of("json");
	ck_assert_double_eq(figure(json, "bytes_read"), 4 * 4 * 150e6);
	free(json);
}
END_TEST

/* What is not needed any more is given back before the next is made; what a loop carries does not pile up. */
START_TEST(memory_is_given_back)
{
	static const char chain[] =
		"v = [0:1000];\nw = let a = {x + 1 : x in v}; b = {x * 2 : x in a}; c = {x - 3 : x in b}; d = {x * x : x in c};\n"
		"  e = {x + 5 : x in d} in {x - 1 : x in e};\n";
	static const char rounds[] =
		"function over(a, n) = if n == 0 then a else over({x + n : x in a}, n - 1);\nw = over([0:1000], %d);\n";
	static const char rows[] =
		"function over(a, n) = if n == 0 then a else over({x + n : x in a}, n - 1);\n"
		"w = {sum(over([0:1000], %d + k)) : k in [0:4]};\n";
	static const char arms[] = "v = [0:1000];\nw = (if sum(v) > %d then {x + 1 : x in v} else {x - 1 : x in v});\n";

	at_most("a chain of maps", cost(chain).peak, 8000 * 3 + 64);
	at_most("a loop's state", cost(rounds, 100).peak, 8000 * 2 + 64);
	ck_assert(cost(rounds, 100).peak == cost(rounds, 10).peak);
	ck_assert(cost(rows, 100).peak == cost(rows, 10).peak);
	at_most("arms", cost(arms, 5).peak, 8000 * 2 + 64);
	ck_assert(cost(arms, 5).peak == cost(arms, 1000000).peak);
}
END_TEST

/* A chain of maps is done in the place of its first vector, and so is a loop's state; updates cost what is updated. */
START_TEST(memory_is_taken_over)
{
	static const char chain[] = "w = let a = {x + 1 : x in [0:%d]}; b = {x * 2 : x in a} in {x - 3 : x in b};\n";
	static const char rounds[] =
		"function over(a, n) = if n == 0 then a else over({x + n : x in a}, n - 1);\nw = over([0:%d], %d);\n";
	static const char fill[] =
		"function fill(a, n) = if n == 0 then a else fill(rep(a, n, n - 1), n - 1);\nw = fill([0:%d], 100);\n";
	static const char pairs[] = "function fill(a, n) = if n == 0 then a else fill(rep(a, (n, (t, n + 1)), n - 1), n - 1);\n"
		"w = fill({(x, (f, x)) : x in [0:%d]}, %d);\n";
	static const char floats[] = "w = {float(x) / 2.0 : x in rep([0:%d], 5, 3)};\n";

	for (int n = 1000; n <= 10000; n *= 10) {
		at_most("floats in the place of ints, but not at --no-reuse",
			cost(floats, n).peak + 8 * n, cost_with("--no-reuse", floats, n).peak);
		at_most("a chain of maps", cost(chain, n).peak, 8 * n);
		at_most("a loop's state", cost(rounds, n, 100).peak, 8 * n);
		at_most("updates in a loop", cost(fill, n).peak, 8 * n + 64);
		at_most("updates of pairs", cost(pairs, n, 100).peak, 17 * n + 128);
		at_most("bytes that updates of pairs move", moved(cost(pairs, n, 100)), moved(cost(pairs, n, 10)) + 90 * 400);
		ck_assert(cost_with("--no-reuse", rounds, n, 100).peak == 16 * n);
		ck_assert(cost_with("--no-reuse", fill, n).peak >= 16 * n);
	}
}
END_TEST

/* A sequence that a loop appends to is copied now and then, not each time; one that is appended to once has no room to spare. */
START_TEST(appends)
{
	static const char grow[] = "function grow(a, n) = if n == 0 then a else grow(a ++ [n], n - 1);\nsum(grow([0:3], %d));\n";
	static const char once[] = "v = [0:%d] ++ [0:%d];\n";

	at_most("bytes moved", moved(cost(grow, 10000)), 16 * moved(cost(grow, 1000)));
	at_most("bytes moved, without reuse", 50 * moved(cost_with("--no-reuse", grow, 100)), moved(cost_with("--no-reuse", grow, 1000)));
	ck_assert(cost(once, 1000, 500).peak == 8 * (1500 + 1000 + 500));
}
END_TEST

/* What a loop carries alternates between two buffers: nothing is new after two rounds. */
START_TEST(iterated_stencil)
{
	static const char stencil[] =
		"function near(a, i) = a[max(i - 1, 0)] + a[i] + a[min(i + 1, #a - 1)];\n"
		"function steps(a, n) = if n == 0 then a else steps({near(a, i) : i in [0:#a]}, n - 1);\n"
		"w = steps([0:%d], %d);\n";

	for (int n = 1000; n <= 100000; n *= 100) {
		const Cost two = cost(stencil, n, 2), many = cost(stencil, n, 1000);

		at_most("buffers", many.peak, 2 * 8 * n);
		ck_assert(many.peak == two.peak);
		at_most("new arrays", many.fresh, two.fresh);
	}
}
END_TEST

/* Ranges that are only multiplied and added are never there, however long. */
START_TEST(nothing_stored)
{
	static const char dotp[] = "function dotp(a, b) = sum({x * y : x in a; y in b});\ndotp([0:%d], [0:%d]);\n";
	char *out;

	ck_assert(cost(dotp, 1000, 1000).peak == 0 && cost(dotp, 100000, 100000).peak == 0);
	/* gcc: tcc takes a while for so many */
	ck_assert_int_eq(0, sh(&out, "CC=gcc ./nessie run --target=cpu --stats -e 'function twice(x) = rem(x, 7) * 2; "
		"sum({twice(x) : x in [0:1000000000]})' 2>&1"));
	ck_assert_msg(strstr(out, "it = 5999999994 : int\n") && strstr(out, "\"peak_bytes\": 0,"), "%s", out);
	free(out);
}
END_TEST

/* Of what is computed for all pairs nothing is stored but what is found for each element, whatever the host waits for before. */
static const char *const pairs[] = {
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {min_index({if i == j then max_int else abs(x - y) : y in v; j in [0:#v]}) : x in v; i in [0:#v]};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {count({y < x or (y == x and j < i) : y in v; j in [0:#v]}) : x in v; i in [0:#v]};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = let s = sum(v) in {sum({y * s - x : y in v}) : x in v};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = let m = max_val(v) in {sum({if y == m then x else y : y in v}) : x in v};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {sum({x * y : y in v | y > x}) : x in v};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {sum({x * y : y in v; j in [0:#v] | j /= i}) : x in v; i in [0:#v]};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {let n = {y in v | abs(x - y) < 300} in if #n == 0 then 0 else sum(n) / #n : x in v};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {min_val({abs(x - y) : y in v | y /= x} ++ [max_int]) : x in v};\n",
	"v = {rem(i * 7919, 10007) : i in [0:%d]};\nw = {sum({v[mod(i + j, #v)] * y : y in v; j in [0:#v]}) : i in [0:#v]};\n",
};

START_TEST(all_pairs)
{
	for (int n = 200; n <= 800; n *= 4)
		at_most("bytes at once", cost(pairs[_i], n).peak, 3 * 8 * n);
}
END_TEST

/* Black and Scholes' prices of n options: inputs and results, five vectors; three where the inputs are wanted no more. */
START_TEST(prices)
{
	for (int n = 1000; n <= 64000; n *= 64) {
		ck_assert(cost(OPTIONS "max_val(s) + max_val(x) + max_val(y);\n", n).peak == 5 * 8 * n);
		ck_assert(cost(OPTIONS, n).peak == 3 * 8 * n);
	}
}
END_TEST

/* Conjugate gradients: the matrix, the right side, and four vectors. */
START_TEST(conjugate_gradients)
{
	static const char cg[] =
		"function mxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};\n"
		"function dot(a, b) = sum({x * y : x in a; y in b});\n"
		"function cg(m, x, r, p, rs, k) = if k == 0 then x else\n"
		"  let q = mxv(m, p); al = rs / dot(p, q); x = {x + al * p : x in x; p in p}; r = {r - al * q : r in r; q in q};\n"
		"    s = dot(r, r); p = {r + (s / rs) * p : r in r; p in p} in cg(m, x, r, p, s, k - 1);\n"
		"m = {{(j, if i == j then 4.0 else -1.0) : j in [max(0, i - 1):min(%d, i + 2)]} : i in [0:%d]};\n"
		"b = dist(1.0, #m);\nlet x = dist(0.0, #b) in cg(m, x, b, b, dot(b, b), 25);\n";

	for (int n = 1000; n <= 16000; n *= 16)
		at_most("beside the inputs", cost(cg, n, n).peak - 16 * (3 * n - 2) - 8 * (n + 1) - 8 * n, 4 * 8 * n);
}
END_TEST

Suite *
cost_suite(void)
{
	Suite *s = suite_create("cost");
	TCase *c = tcase_create("cost");

	tcase_add_unchecked_fixture(c, make_dir, remove_dir);
	tcase_set_timeout(c, 600);
	tcase_add_test(c, spmv);
	tcase_add_test(c, nested_sums);
	tcase_add_test(c, neighbours);
	tcase_add_test(c, neighbours_in_a_grid);
	tcase_add_test(c, filter_counted);
	tcase_add_test(c, arm_without_elements);
	tcase_add_loop_test(c, place_of_the_best, 0, sizeof places / sizeof *places);
	tcase_add_loop_test(c, elements_at_one_place, 0, sizeof at_one_place / sizeof *at_one_place);
	tcase_add_loop_test(c, what_an_arm_folds, 0, sizeof in_an_arm / sizeof *in_an_arm);
	tcase_add_test(c, folds_where_they_are_called);
	tcase_add_test(c, rounds_of_a_loop);
	tcase_add_loop_test(c, uniform_rows, 0, sizeof uniform / sizeof *uniform);
	tcase_add_test(c, nbody);
	tcase_add_test(c, search);
	tcase_add_test(c, search_by_halves);
	tcase_add_test(c, quicksort);
	tcase_add_test(c, quicksort_of_sorted);
	tcase_add_test(c, even_division);
	tcase_add_test(c, chain_of_conditionals);
	tcase_add_loop_test(c, rows_of_one_length, 0, sizeof even / sizeof *even);
	tcase_add_loop_test(c, a_row_beside_each_row, 0, 2);
	tcase_add_test(c, closest_pair_memory);
	tcase_add_test(c, quickhull_memory);
	tcase_add_test(c, collisions_collide);
	tcase_add_test(c, words_counted);
	tcase_add_test(c, histogram_reads);
	tcase_add_test(c, groups_are_counted);
	tcase_add_loop_test(c, trips_that_differ, 0, 2);
	tcase_add_test(c, scalar_loops);
	tcase_add_loop_test(c, rounds_over_a_graph, 0, 5);
	tcase_add_loop_test(c, deep_recursion, 0, 6);
	tcase_add_test(c, long_chains);
	tcase_add_test(c, deep_nests);
	tcase_add_test(c, shapes_are_linear);
	tcase_add_test(c, proofs_are_told);
	tcase_add_test(c, memory_of_passes);
	tcase_add_loop_test(c, launches_and_waits, 0, sizeof pinned / sizeof *pinned);
	tcase_add_test(c, library_operations);
	tcase_add_test(c, parts_of_one_are_put_together);
	tcase_add_test(c, bytes_are_counted_in_64_bits);
	tcase_add_test(c, updates_of_rows_are_in_place);
	tcase_add_loop_test(c, rows_grow_by_what_is_put_behind, 0, sizeof grown_rows / sizeof *grown_rows);
	tcase_add_loop_test(c, rounds_cost_what_they_write, 0, sizeof written_rows / sizeof *written_rows);
	tcase_add_test(c, piles_move_what_is_pushed);
	tcase_add_test(c, memory_is_given_back);
	tcase_add_test(c, memory_is_taken_over);
	tcase_add_test(c, iterated_stencil);
	tcase_add_test(c, appends);
	tcase_add_loop_test(c, carried_and_updated, 0, sizeof carried / sizeof *carried);
	tcase_add_test(c, nothing_stored);
	tcase_add_loop_test(c, all_pairs, 0, sizeof pairs / sizeof *pairs);
	tcase_add_test(c, prices);
	tcase_add_test(c, conjugate_gradients);
	suite_add_tcase(s, c);
	c = case_between(s, "fusion", make_dir, remove_dir);
	tcase_add_test(c, bytes_near_the_floor);
	tcase_add_loop_test(c, fusion_is_linear, 0, sizeof round_of / sizeof *round_of);
	return s;
}

/* check_cost.c: what programs cost, as --stats counts it on the cpu target, at two sizes at least, so that growth shows. */
#include "tests/cost.h"
#include "tests/growth.h"
#include "tests/suite.h"

Suite *cost_suite(void);

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

Suite *
cost_suite(void)
{
	Suite *s = suite_create("cost");
	TCase *c = case_between(s, "cost", make_dir, remove_dir);

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
	return s;
}

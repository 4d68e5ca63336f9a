/* check_traffic.c: how often programs launch tasks and wait, and what they move, as --stats counts it: kinds of trouble 2, 20, 21, 22. */
#include "tests/cost.h"
#include "tests/growth.h"
#include "tests/suite.h"

Suite *traffic_suite(void);

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

/* Pairs are grouped by counting: where the keys are few their number is all that is kept of them, and none is sorted; sums of floats
 * are added up where they are. */
START_TEST(pairs_are_grouped_by_counting)
{
	static const struct { const char *of, *by; double read, written; } t[] = {{"i", "collect(p)", 48, 40}, {"i", "int_collect(p)", 40, 40},
		{"float(i)", "{(k, sum(v)) : (k, v) in int_collect(p)}", 32, 24}};
	const char program[] = "p = {(rem(i * 7, 100), %s) : i in [0:%d]};\nw = %s;\n";
	const int sizes[] = {10000, 30000};
	Cost c[2];

	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		for (int i = 0; i < 2; i++) {
			char text[256];

			snprintf(text, sizeof text, program, t[k].of, sizes[i], t[k].by);
			c[i] = cost("%s", text);
		}
		at_most(t[k].by, (c[1].read - c[0].read) / (sizes[1] - sizes[0]), t[k].read);
		at_most(t[k].by, (c[1].written - c[0].written) / (sizes[1] - sizes[0]), t[k].written);
	}
}
END_TEST

/* Of a row that is one sequence or another nothing is read but what is taken of it. */
START_TEST(chosen_rows_are_not_copied)
{
	static const char *const t[] = {"r[rem(i, 1000)]", "pick(oddp(i), a, b)[i] + #r", "r[#r - 1 - i] + #r", "sum({r[rem(i + j, 1000)] : j in [0:i]})", "sum(take(r, i))",
		"sum(subseq(drop(r, i), 2, 9))"};
	const char program[] = "function pick(c, a, b) = if c then a else b;\na = [0:%d]; b = [1:%d];\nsum({let r = (if rem(i, 3) == 0 then a else if rem(i, 3) == 1 then b else drop(a, i)) in %s : i in [0:100]});\n";

	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		const Cost few = cost(program, 2000, 2000, t[k]), many = cost(program, 20000, 20000, t[k]);

		at_most(t[k], many.read, few.read);
		at_most(t[k], many.written - few.written, 2 * 18000 * 8);
	}
}
END_TEST

/* What the innermost of three loops does not change is computed once for each pair, and of a pair that is all that is stored, and the least. */
START_TEST(pairs_are_stored_once)
{
	const char program[] = "function dist2(p, q) = let (a, b) = p; (c, e) = q in (a - c) * (a - c) + (b - e) * (b - e);\n"
		"ps = {(float(i), float(i * i)) : i in [0:%d]};\n"
		"sum({sum({min_val({dist2(p, q) + dist2(q, r) : r in ps}) : q in ps}) : p in ps});\n";
	const Cost small = cost(program, 40), large = cost(program, 80);

	at_most("written", large.written - small.written, (80 * 80 - 40 * 40) * 16 + 40 * 40);
	at_most("peak", large.peak - small.peak, (80 * 80 - 40 * 40) * 16 + 40 * 40);
}
END_TEST

/* Short rows of rows of rows are folded where they are found: nothing is stored for each of them, neither what it is told nor what it comes
 * to, but for each of the rows around. */
START_TEST(short_rows_three_deep_store_nothing)
{
	static const char *const t[] = {"count({y > v : y in g[x]})", "sum({w[y] : y in a})", "let m = max_val({y : y in a}) in count({x + y > m : y in g[x]})",
		"let m = sum({y : y in g[x]}) in sum({x + y / (m + 1) : y in g[x]})"};
	const char program[] = "n = 40; g = {{rem(i + 7 * k * k, n) : k in [0:%d + rem(i, 3)]} : i in [0:n]}; w = {i * i : i in [0:n]};\n"
		"s = sum({sum({sum({%s : x in g[v]}) : v in a}) : a in g});\n";
	const double rows = 40 * 6;     /* more; there are 4,800 more rows in them */

	for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
		const Cost few = cost(program, 6, t[k]), more = cost(program, 12, t[k]);

		at_most(t[k], more.written - few.written, 10 * 8 * rows);
		at_most(t[k], more.peak - few.peak, 4 * 8 * rows);
	}
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

/* A scan by a function of the program reads and writes each element once, in one task; where the function may fail, too.  What ends with
 * it has its result. */
START_TEST(scans_by_functions)
{
	static const char owned[] = "function after(p, q) = let (a, b) = p; (c, d) = q in (a * c, b * c + d);\n"
		"function go(n) = let (s, all) = scan(after, (1, 0), {(rem(i, 3), i) : i in [0:n]}) in all;\ngo(%d);\n";
	static const char *const scans[] = {
		"function after(p, q) = let (a, b) = p; (c, d) = q in (a * c, b * c + d);\nv = {(rem(i, 3), i) : i in [0:%d]};\n"
			"let (s, all) = scan(after, (1, 0), v) in all;\n",
		"function after(p, q) = let (a, b) = p; (c, d) = q in (a + d / (1 + abs(c)), b);\nv = {(i, i + 1) : i in [0:%d]};\n"
			"let (s, all) = scan(after, (0, 0), v) in all;\n",
	};

	for (int i = 0; i < 2; i++)
		for (int n = 1000; n <= 100000; n *= 10) {
			const Cost c = cost(scans[i], n);

			ck_assert_msg(c.launches == 2 && c.read == 16 * n && c.written == 32 * n, "%d: %g tasks, %g and %g bytes", n, c.launches,
				c.read, c.written);
		}
	ck_assert(cost(owned, 1000).peak == 16000 && cost(owned, 100000).peak == 1600000);
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
traffic_suite(void)
{
	Suite *s = suite_create("traffic");
	TCase *c = case_quickly(s, "traffic", make_dir, remove_dir);

	tcase_add_loop_test(c, launches_and_waits, 0, sizeof pinned / sizeof *pinned);
	tcase_add_test(c, library_operations);
	tcase_add_test(c, parts_of_one_are_put_together);
	tcase_add_test(c, pairs_are_grouped_by_counting);
	tcase_add_test(c, chosen_rows_are_not_copied);
	tcase_add_test(c, pairs_are_stored_once);
	tcase_add_test(c, short_rows_three_deep_store_nothing);
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
	tcase_add_test(c, scans_by_functions);
	tcase_add_loop_test(c, all_pairs, 0, sizeof pairs / sizeof *pairs);
	tcase_add_test(c, prices);
	tcase_add_test(c, conjugate_gradients);
	tcase_add_test(c, bytes_near_the_floor);
	return s;
}

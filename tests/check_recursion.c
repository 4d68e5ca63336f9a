/* check_recursion.c: what recursive programs cost, by the counts of --stats: at two sizes or depths, so that growth shows. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/cost.h"
#include "tests/tcc.h"

Suite *recursion_suite(void);

/* The cost of the definitions and one expression, a format that takes n, where scalar functions are lifted as others are. */
static Cost
costs(const char *definitions, const char *format, int n)
{
	char program[2048];

	snprintf(program, sizeof program, "%s\n%s;\n", definitions, format);
	return cost_with("--no-avoid", program, n);
}

/* The launches of one more level of recursion are as many at depth 40 as at depth 10. */
static void
linear_in_depth(const char *definitions, const char *format)
{
	double at10 = costs(definitions, format, 10).launches, at20 = costs(definitions, format, 20).launches;
	double at40 = costs(definitions, format, 40).launches;

	ck_assert_msg(at40 - at20 <= 2.2 * (at20 - at10), "launches at depth 10, 20, 40: %g, %g, %g\n%s", at10, at20, at40,
		definitions);
}

START_TEST(calls_in_two_arms_are_one)
{
	linear_in_depth("function p(n, x) = if n == 0 then x else if rem(x, 2) == 0 then 1 + p(n - 1, x / 2) "
		"else 3 * p(n - 1, x + n);", "sum({p(%d, i) : i in [0:9]})");
}
END_TEST

START_TEST(calls_in_apply_to_eaches_are_one)
{
	linear_in_depth("function p(n, v) = if n == 0 then v else if rem(v[0], 2) == 0 then flatten({p(n - 1, [x / 2]) : x in v}) "
		"else let a = p(n - 1, {x + n : x in v}) in a ++ [n];", "sum({sum(p(%d, [i, i + 1])) : i in [0:9]})");
}
END_TEST

START_TEST(calls_in_nested_arms_are_one)
{
	linear_in_depth("function p(n, x) = if n == 0 then x else let y = if x > 9 then (if rem(x, 2) == 0 then p(n - 1, x - 1) "
		"else 1 + p(n - 1, x / 2)) else if x > 5 then sum({p(n - 1, x * 2) : i in [0:1]}) else if x == 1 then x "
		"else 2 + p(n - 1, x + 5) in y + n;", "sum({p(%d, i) : i in [0:9]})");
}
END_TEST

START_TEST(calls_of_a_cycle_are_one)
{
	linear_in_depth("function q(n, x) : (int, int) -> int; function p(n, x) : (int, int) -> int = if n == 0 then x "
		"else if rem(x, 2) == 0 then 1 + q(n - 1, x / 2) else 3 * q(n - 1, x + n); function q(n, x) : (int, int) -> int = "
		"if n == 0 then 0 - x else if rem(x, 3) == 0 then 2 * p(n - 1, x + 1) else 1 - p(n - 1, x);",
		"sum({p(%d, i) : i in [0:9]})");
}
END_TEST

/* A merge that recurses in two arms: log n levels of at most log n levels. */
START_TEST(mergesort)
{
	static const char *const sort =
		"function place(v, x, lo, hi) = if hi == lo then lo else let m = (lo + hi) / 2 in "
		"if v[m] < x then place(v, x, m + 1, hi) else place(v, x, lo, m);"
		"function merge(a, b) = if #a == 0 then b else if #b == 0 then a else if #a >= #b then "
		"let m = #a / 2; k = place(b, a[m], 0, #b); r = {merge(p, q) : (p, q) in "
		"[(take(a, m), take(b, k)), (drop(a, m + 1), drop(b, k))]} in r[0] ++ [a[m]] ++ r[1] "
		"else let m = #b / 2; k = place(a, b[m], 0, #a); r = {merge(p, q) : (p, q) in "
		"[(take(a, k), take(b, m)), (drop(a, k), drop(b, m + 1))]} in r[0] ++ [b[m]] ++ r[1];"
		"function msort(v) = if #v < 2 then v else let m = #v / 2; r = {msort(x) : x in [take(v, m), drop(v, m)]} in "
		"merge(r[0], r[1]);";
	static const char *const use = "let r = msort({rand(1000000000) : i in [0:%d]}) in "
		"any({x > y : x in take(r, #r - 1); y in drop(r, 1)})";
	Cost small = costs(sort, use, 8000), large = costs(sort, use, 64000);        /* short ones are small rows soon */

	ck_assert_msg(large.launches < 2.6 * small.launches, "launches: %g, %g", small.launches, large.launches);
}
END_TEST

/* Rows that leave a loop at different rounds cost the sum of their trips, and nothing for what does not change:
 * of twice the rows, each with up to twice the trips, four times; with one long row, or sequences of twice the length
 * that are only looked into, twice.  No more than a bounded number of bytes are in use for each row. */
START_TEST(loops_cost_the_sum_of_the_trips)
{
	static const char functions[] =
		"function count(n, s) = if n == 0 then s else count(n - 1, s + n);\n"
		"function walk(g, i, n) = if n == 0 then i else walk(g, g[i], n - 1);\n"
		"function grow(v, n, w) = if #v >= n then v else grow(v ++ v, n, v);\n"
		"function walk_b(n, g, i, s) : (int, [int], int, int) -> int;\n"
		"function walk_a(g, i, n) : ([int], int, int) -> int = if n == 0 then i else walk_b(n - 1, g, g[i], 7);\n"
		"function walk_b(n, g, i, s) : (int, [int], int, int) -> int = if n == 0 then i + s else walk_a(g, g[i], n - 1);\n";
	static const struct { const char *form; double most; } loop[] = {
		{"let n = %d in sum({count(k, 0) : k in [0:n]})", 4.1},
		{"let n = %d in sum({count(k, 0) : k in [n] ++ dist(1, n)})", 2.1},
		{"let n = %d; v = [1:n] ++ [0] in sum({walk(v, k, 50) : k in [0:n]})", 2.1},
		{"let n = %d; m = {{rem(j + k, n) : j in [0:n]} : k in [0:3]} in sum({walk(r, 1, 1000) : r in m})", 2.1},
		{"let n = %d; v = [1:n] ++ [0] in sum({walk_a(v, 0, k) : k in [n] ++ dist(1, n)})", 2.1},
		{"let n = %d; m = {{rem(j + k, n) : j in [0:n]} : k in [0:3]} in sum({walk_b(1000, r, 1, 2) : r in m})", 2.1},
		{"let n = %d in sum({#grow([k], k, []int) : k in [0:n]})", 4.2},
	};

	for (size_t i = 0; i < sizeof loop / sizeof *loop; i++) {
		Cost one = costs(functions, loop[i].form, 400), two = costs(functions, loop[i].form, 800);

		ck_assert_msg(two.written < loop[i].most * one.written, "%s: %g, then %g", loop[i].form, one.written, two.written);
		ck_assert_msg(two.read < loop[i].most * one.read, "%s: %g, then %g", loop[i].form, one.read, two.read);
		if (i < 6)
			ck_assert_msg(two.peak < 150 * 800, "%s: %g", loop[i].form, two.peak);
	}
}
END_TEST

/* Jumps are no depth, of a function to itself or to others. */
START_TEST(loops_of_rows_have_no_limit)
{
	static const char functions[] =
		"function odd(n) : int -> bool;\n"
		"function even(n) : int -> bool = if n == 0 then t else odd(n - 1);\n"
		"function odd(n) : int -> bool = if n == 0 then f else even(n - 1);\n"
		"function down(n, v) = if n == 0 then sum({x : x in v}) else down(n - 1, v);\n";

	cost_with("--no-avoid --max-depth=100", "%s {even(n) : n in [20000, 7]}; {down(n, [n]) : n in [7, 20000]};", functions);
}
END_TEST

/* A million calls deep, or refused, however small the stack that a program is started with. */
START_TEST(deep_recursion_needs_no_stack)
{
	static const char program[] =
		"function down(n) = if n == 0 then 0 else 1 + down(n - 1);\n"
		"function dv(n, v) = if n == 0 then v else let w = dv(n - 1, v) in {x + 1 : x in w};\n"
		"function each(n) = if n == 0 then sum({i : i in [0:3]}) else 1 + each(n - 1);\n"
		"down(999999);\ndown(1000001);\nsum(dv(99999, [1]));\n{each(x) : x in [9999, 3]};\n{down(x) : x in [99999, 3]};\n";
	static const char want[] =
		"it = 999999 : int\nerror[recursion-depth]\nit = 100000 : int\nit = [10002, 6] : [int]\nit = [99999, 3] : [int]\n";
	static const char *const run[] = {"./nessie run --target=interp $F", "$F.out"};
	char file[] = "/tmp/nessie-deep-XXXXXX", *out;
	int fd = mkstemp(file);

	ck_assert(fd >= 0 && write(fd, program, strlen(program)) == (ssize_t)strlen(program) && close(fd) == 0);
	ck_assert_int_eq(0, sh(&out, QUICKLY "./nessie build -o %s.out %s", file, file));
	free(out);
	for (size_t i = 0; i < sizeof run / sizeof *run; i++) {
		sh(&out, "F=%s; ulimit -s 128; { %s; } 2>&1 | grep -o '^it.*\\|error\\[.*\\]'", file, run[i]);
		ck_assert_str_eq(out, want);
		free(out);
	}
	sh(&out, "rm -f %s %s.out", file, file);
	free(out);
}
END_TEST

/* Peak bytes at depth 5 and 50 that differ by less than 100 a level. */
static void
flat_in_depth(const char *definitions, const char *format)
{
	double shallow = costs(definitions, format, 5).peak, deep = costs(definitions, format, 50).peak;

	ck_assert_msg(deep < shallow + 45 * 100, "peak bytes at depth 5 and 50: %g, %g\n%s\n%s", shallow, deep, format,
		definitions);
}

/* Two elements of a thousand are used after the call: at the host, in parallel code, in an arm, of nested ones. */
START_TEST(little_of_much_is_kept_across_a_call)
{
	static const char *const one = "function keep(k, n) = if k == 0 then 0 else let w = {i * k : i in [0:n]}; "
		"s = take(w, 2) in keep(k - 1, n) + sum(s);";
	static const char *const arms = "function keep(k, n) = if k <= 0 then 0 else let w = {i * k : i in [0:n]}; s = take(w, 2); "
		"r = if rem(k, 2) == 0 then 2 * keep(k - 1, n) else 1 + keep(k - 1, n) in r + sum(s);";
	static const char *const inside = "function keep(k, n) = let w = {i * k : i in [0:n]}; s = take(w, 2) in "
		"if k <= 0 then 0 else keep(k - 1, n) + sum(s);";
	static const char *const nested = "function keep(k, n) = if k <= 0 then 0 else let w = {[0:i] : i in [0:n / 20]}; "
		"s = take(w, 2) in keep(k - 1, n) + sum(flatten(s));";
	static const char *const joined = "function keep(k, n) = if k <= 0 then 0 else let w = {i * k : i in [0:n]}; s = take(w, 2) "
		"in 1 + (if rem(k, 2) == 0 then 2 * keep(k - 1, n) + sum(s) else sum({keep(k - 1, n + i) : i in [0:1]}) - sum(s));";
	const char *const all[] = {one, arms, inside, nested, joined};

	for (int i = 0; i < 5; i++) {
		flat_in_depth(all[i], "keep(%d, 1000)");
		flat_in_depth(all[i], "{keep(%d + i, 1000) : i in [0:2]}");
	}
}
END_TEST

/* What the call gets, or somebody else has, stays alive anyway. */
START_TEST(what_is_kept_anyway_is_not_copied)
{
	static const char *const passed = "function keep(k, v) = if k <= 0 then 0 else let s = take(v, 400) in "
		"keep(k - 1, v) + sum(s);";
	static const char *const rows = "function keep(k, v) = if k <= 0 then 0 else let s = take(v, 400) in "
		"sum({keep(k - 1, w) : w in [drop(v, 1)]}) + sum(s);";

	flat_in_depth(passed, "keep(%d, {i : i in [0:1000]})");
	flat_in_depth(passed, "{keep(%d, v) : v in [{i : i in [0:1000]}, [4:900]]}");
	flat_in_depth(rows, "{keep(%d, v) : v in [{i : i in [0:1000]}, [4:900]]}");
}
END_TEST

Suite *
recursion_suite(void)
{
	const TTest *const tests[] = {
		calls_in_two_arms_are_one, calls_in_apply_to_eaches_are_one, calls_in_nested_arms_are_one,
		calls_of_a_cycle_are_one, mergesort, loops_cost_the_sum_of_the_trips, loops_of_rows_have_no_limit, deep_recursion_needs_no_stack, little_of_much_is_kept_across_a_call,
		what_is_kept_anyway_is_not_copied,
	};
	Suite *s = suite_create("recursion");
	TCase *c = tcase_create("costs");

	tcase_set_timeout(c, 600);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	return s;
}

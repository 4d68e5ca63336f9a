/* check_counts.c: how many tasks are left of a program, and what they do, as dump --stage=lcu --stats counts it. */
#include "tests/command.h"

Suite *counts_suite(void);

/* A figure of the tasks of the last entry, all together, as dump --stage=lcu --stats counts them. */
static int
count_of(const char *key, const char *options, const char *what)
{
	char *dump, pattern[32];
	const char *at = NULL;
	int n = 0;

	ck_assert_msg(sh(&dump, "./nessie dump --stage=lcu --stats %s -e '%s'", options, what) == 0, "%s %s", options, what);
	for (const char *e = dump; (e = strstr(e, "{\"entry\": ")); e++)
		at = e;
	ck_assert_msg(at != NULL, "%s", dump);
	snprintf(pattern, sizeof pattern, "\"%s\": ", key);
	while ((at = strstr(at, pattern))) {
		at += strlen(pattern);
		n += *at == '"' ? 1 : atoi(at);
	}
	free(dump);
	return n;
}

static int
tasks_of(const char *options, const char *what)
{
	return count_of("task", options, what);
}

#define A "--input=a:[int]"
#define F "--input=a:[float]"
#define ROWS "--input=a:[[int]]"
#define FLOATS "--input=a:[[float]]"

static const struct {
	const char *options, *expression;
	int tasks, kernels;
} counts[] = {
	{"--input=a:[float] --input=b:[float] examples/dotp.nesl", "dotp(a, b)", 1, 1},
	{"--input='m:[[(int,float)]]' --input=v:[float] examples/sparse_mxv.nesl", "sparse_mxv(m, v)", 1, 1},
	{"--input='m:[[float]]' --input=v:[float]", "{sum({x * y : x in r; y in v}) : r in m}", 1, 1},
	{"--input=a:[float] --input=b:[float] --input=c:[float] examples/black_scholes.nesl",
	 "{call_price(s, k, 0.03, 0.25, y) : s in a; k in b; y in c}", 1, 1},
	{"examples/mandelbrot.nesl", "{{escape(0.0, 0.0, 0.01 * float(i), 0.01 * float(j), 0, 100) : i in [0:300]} : j in [0:200]}", 1, 1},
	{"--input='b:[((float,float,float),float)]' examples/nbody.nesl",
	 "let a = {sum3({force(p, q) : q in b}) : p in b}; w = {(x + u, y + v, z + w) : ((x, y, z), m) in b; (u, v, w) in a} in "
	 "({((x + u, y + v, z + w), m) : ((x, y, z), m) in b; (u, v, w) in w}, w)", 1, 1},
	{"--input='b:[((float,float,float),float)]' --input='w:[(float,float,float)]' examples/nbody.nesl",
	 "let a = {sum3({force(p, q) : q in b}) : p in b}; w = {(x + u, y + v, z + w) : (x, y, z) in w; (u, v, w) in a} in "
	 "({((x + u, y + v, z + w), m) : ((x, y, z), m) in b; (u, v, w) in w}, w)", 2, 2},
	/* of one length behind the check of it */
	{A " --input=b:[int]", "let c = {x + y : x in a; y in b} in ({x + 1 : x in a}, {y * c : y in b; c in c}, c)", 1, 1},
	{A, "(sum(a), max_val(a), min_val(a), count({x > 3 : x in a}))", 1, 1},
	{A, "{x * x : x in a | x > 0}", 1, 1},
	{A, "sum({x * x : x in a | x > 0})", 1, 1},
	{A, "count({x > 9 : x in a | x > 0})", 1, 1},
	{A, "let b = {x in a | x > 0}; c = {x in b | x < 100} in ({2 * x : x in c}, sum(b))", 1, 1},
	{A, "{x + 1 : x in plus_scan({y * y : y in a})}", 1, 1},
	{A " --input=v:[int]", "{v[i] : i in a}", 1, 1},
	{A " --input=b:[int]", "{{x + y : x in a} : y in b}", 1, 1},
	{A, "({x + 1 : x in a}, {x * x : x in a}, plus_scan(a))", 1, 1},
	{A, "max_val(plus_scan(a))", 1, 1},
	{A, "let s = plus_scan({y * y : y in a}) in (max_val(s), sum({x * y : x in a; y in s}), {x + 1 : x in s}, sum(a))", 1, 1},
	{A, "let s = plus_scan(a) in (sum(s), {x in a; y in s | y > 0})", 1, 1},
	{ROWS, "max_val({sum(r) : r in a})", 1, 1},
	{ROWS, "{sum({x : x in r | x > 0}) : r in a}", 1, 1},
	{ROWS, "{{x * x : x in r | x > 0} : r in a}", 1, 1},
	{ROWS, "{plus_scan({x * x : x in r}) : r in a}", 1, 1},
	{ROWS, "{(sum(r), max_val(r)) : r in a}", 1, 1},
	{ROWS, "{max_val(plus_scan(r)) : r in a}", 1, 1},
	{ROWS, "{let s = plus_scan(r) in (sum({x * y : x in r; y in s}), min_val(s), {x + 1 : x in s}, sum(r)) : r in a}", 1, 1},
	{ROWS, "{(sum(r), max_val(r), min_val(r), count({x > 0 : x in r})) : r in a}", 1, 1},
	{ROWS, "({{x + 1 : x in r} : r in a}, {sum(r) : r in a})", 1, 1},
	{ROWS, "({sum(r) : r in a}, {{x + 1 : x in r} : r in a})", 1, 1},
	{ROWS, "{#{x in r | x > 0} : r in a}", 1, 1},
	{ROWS, "{let b = {x in r | x > 0} in sum(b) / max(1, #b) : r in a}", 1, 1},
	{ROWS, "{3 * sum({x * k : x in r}) + #r : r in a; k in [0:#a]}", 1, 1},
	/* where rows are on threads or lanes these are one launch (tests/check_map.c) */
	{FLOATS, "{let n = float(#r); m = sum(r) / n in (m, sum({(x - m) * (x - m) : x in r}) / n) : r in a}", 1, 2},
	{FLOATS, "{let m = sum(r) in {x / m : x in r} : r in a}", 1, 2},
	{FLOATS, "{let s = plus_scan(r); m = max_val(s) in {x / m : x in s} : r in a}", 1, 2},
	/* what a function makes of the row's sum is known at its end, what it makes of elements is made once */
	{FLOATS, "{let m = sqrt(sum({x * x : x in r})) in {x / m : x in r} : r in a}", 1, 2},
	{FLOATS, "{let m = max_val(r) in m + ln(sum({exp(x - m) : x in r})) : r in a}", 1, 2},
	{FLOATS, "{let m = max_val(r); e = {exp(x - m) : x in r}; s = sum(e) in {y / s : y in e} : r in a}", 2, 3},
	{A, "{x + 1 : x in {y * y : y in a} | x < 100}", 1, 1},
	/* each arm keeps by a condition of its own, even if it is the same */
	{A, "if a[1] > 3 then ({x in a | x > 2}, [1]) else ({x in a | x > 2}, a)", 2, 2},
	{A, "let p = a[#a / 2] in ({x in a | x < p}, {x in a | x == p}, {x in a | x > p})", 1, 1},
};

START_TEST(counts_are_the_least)
{
	const char *options = counts[_i].options, *expression = counts[_i].expression;
	const int tasks = tasks_of(options, expression), kernels = count_of("kernels", options, expression);

	ck_assert_msg(tasks == counts[_i].tasks && kernels == counts[_i].kernels, "%s: %d tasks, %d kernels", expression, tasks, kernels);
}
END_TEST

/* What is folded is not stored; what is stored is loaded by nobody. */
START_TEST(nothing_is_stored_to_be_loaded)
{
	static const char *const squares = "sum({x * x : x in a | x > 0})", *const scanned = "{x + 1 : x in plus_scan({y * y : y in a})}";
	static const char *const mean = "let b = {x in a | x > 0} in sum(b) / #b";
	static const char *const products = "{x * y : x in a; y in b | x > 0 and y > 0}";

	ck_assert_int_eq(count_of("stores", A, squares), 0);
	ck_assert_int_eq(count_of("loads", A, squares), 1);
	ck_assert_int_eq(count_of("stores", A, mean), 0);
	ck_assert_int_eq(count_of("loads", A, mean), 1);
	ck_assert_int_eq(count_of("loads", A " --input=b:[int]", products), 2);
	ck_assert_int_eq(count_of("gathers", A " --input=b:[int]", products), 0);
	ck_assert_int_eq(count_of("stores", A, scanned), 1);
	ck_assert_int_eq(count_of("loads", A, scanned), 1);
}
END_TEST

/* Of nine neighbours each asks on four sides whether it is there: what places decide is not asked, the others once. */
START_TEST(places_decide_comparisons)
{
	static const char *const around = "let g = {{i * j : j in [0:40]} : i in [0:k]}; n = #g in {{sum({sum({if i + a < 0 or i + a >= n or j + c < 0 "
		"or j + c >= 40 then 0 else g[i + a][j + c] : c in [-1:2]}) : a in [-1:2]}) : j in [0:40]} : i in [0:n]}";
	char *asked;

	ck_assert_int_eq(tasks_of("--input=k:int", around), 2);
	ck_assert_int_eq(sh(&asked, "./nessie dump --stage=lcu --input=k:int -e '%s' | grep -oE ' (lt|ge|eq|ne|le|gt)@[12]' | sort | uniq -c", around), 0);
	/* in the task that checks, and in that which reads; of the row's place once a row */
	ck_assert_str_eq(asked, "      2  ge@1\n      2  ge@2\n      2  lt@1\n      2  lt@2\n");
	free(asked);
}
END_TEST

/* Places in rows of one length are computed where elements are read by them, as that costs less than to store them; what is in memory
 * anyway is loaded. */
START_TEST(places_are_computed_again)
{
	static const char *const rounds = "let m = {{i * j : j in [0:k]} : i in [0:k]}; s = {{a + b : a in r; b in q} : r in m; q in rotate(m, 1)} "
		"in {{a + b + c : a in rotate(r, 1); b in r; c in rotate(r, -1)} : r in s}";

	ck_assert_int_eq(tasks_of("--input=k:int", rounds), 3);
	ck_assert_int_eq(count_of("stores", "--input=k:int", rounds), 3);
	ck_assert_int_eq(count_of("loads", "--input=k:int", rounds), 1);
	ck_assert_int_eq(count_of("gathers", "--input=k:int", rounds), 3);
}
END_TEST

/* What is stored of elements that are wanted before and behind their sum, and the differences: a step that many of the others use is one
 * step. */
static const struct {
	const char *element;
	int stores;
} repeated[] = {
	{"let y = i + 1; z = y * y; w = z * z; v = w * w; u = v * v in u + w + z + y", 1},
	{"let y = i + 1; z = y * y; w = z * z; v = w * w; u = v * v in (u + w + z + y) * v + u", 2},
	{"7 / max(i, 1)", 1},
	{"rem(7 / max(i, 1), max(i, 2))", 2},
	{"rem(rem(i, 7) * i, 3)", 1},
};

START_TEST(few_steps_are_repeated)
{
	char form[400];

	snprintf(form, sizeof form, "let x = {%s : i in [0:#a]}; s = sum(x) in {y - s : y in x}", repeated[_i].element);
	ck_assert_int_eq(count_of("stores", A, form), repeated[_i].stores);
}
END_TEST

/* A division by a number that the program says takes no longer than what it gives would take to be stored and read; another does. */
START_TEST(quotients_by_literals_are_not_stored)
{
	ck_assert_int_eq(tasks_of(A, "{x + y : x in drop({rem(y, 7) : y in a}, 1); y in a}"), 1);
	ck_assert_int_eq(tasks_of(A, "let k = a[0] in {x + y : x in drop({rem(y, k) : y in a}, 1); y in a}"), 2);
	ck_assert_int_eq(tasks_of(A, "{x + y : x in {rem(z, 1000) : z in a} ++ [0]; y in [0] ++ {z / 1000 : z in a}}"), 1);
}
END_TEST

/* The tasks of a level of a recursion, or of an iteration: those of a function.  Four are of small rows: which they are, where, and
 * what comes back of them among the others. */
static const struct {
	const char *example, *function;
	int tasks;
} levels[] = {
	{"quicksort", "rec fun quicksort_int_lifted(", 11},
	{"batcher_sort", "rec fun bitonic_merge_lifted_2(", 2},
	{"fft", "rec fun fft_lifted_2(", 4},
	{"closest_pair", "rec fun closest_lifted(", 7},
	{"median", "rec fun kth_int(", 2},
	{"quickhull", "rec fun hsplit_lifted(", 12},
	{"cg", "rec fun steps(", 3},
	{"bfs", "rec fun visit(", 3},
};

/* The line at *at, which it goes behind. */
static char *
next_line(char **at)
{
	char *line = *at + strspn(*at, "\t"), *end = strchr(line, '\n');

	*end = '\0';
	*at = end + 1;
	return line;
}

/* The tasks of a block, whose first line is at *at, to its end: of two arms those of the longer. */
static int
tasks_on_a_way(char **at)
{
	int n = 0;

	for (char *line = next_line(at); *line != '}'; line = next_line(at))
		if (strstr(line, " task ")) {
			n += 1 + tasks_on_a_way(at);
		} else if (strstr(line, " if ")) {
			const int one = tasks_on_a_way(at), other = tasks_on_a_way(at);

			n += one > other ? one : other;
		}
	return n;
}

START_TEST(levels_do_not_grow)
{
	char *dump, *at;
	int n;

	ck_assert_int_eq(0, sh(&dump, "./nessie dump --stage=lcu examples/%s.nesl", levels[_i].example));
	at = strstr(dump, levels[_i].function);
	ck_assert_msg(at != NULL, "no %s", levels[_i].function);
	next_line(&at);
	n = tasks_on_a_way(&at);
	ck_assert_msg(n <= levels[_i].tasks, "%s: %d tasks", levels[_i].example, n);
	free(dump);
}
END_TEST

/* On the way up of quicksort, seven numbers of each call lead to its pieces: they are computed where the elements are. */
START_TEST(numbers_of_rows_are_computed_again)
{
	char *dump, *at, *end;
	int n = 0;

	ck_assert_int_eq(0, sh(&dump, "./nessie dump --stage=lcu examples/quicksort.nesl"));
	at = strstr(strstr(dump, "rec fun quicksort_int_lifted("), "= call quicksort_int_lifted ");
	end = strstr(at, "\n}");
	for (at = strstr(at, " store@1 "); at && at < end; at = strstr(at + 1, " store@1 "))
		n++;
	ck_assert_int_le(n, 6);
	free(dump);
}
END_TEST

/* As many as there must be: a scan computes what it scans twice, calls only once; a task has eight conditions. */
START_TEST(tasks_have_limits)
{
	ck_assert_int_eq(tasks_of(A, "function halvings(x) = if x < 1 then 0 else 1 + halvings(x / 2);"
		"plus_scan({halvings(x) : x in a})"), 2);
	ck_assert_int_eq(tasks_of(A, "plus_scan({x / 2 : x in a})"), 1);
	/* nor for what is not kept */
	ck_assert_int_eq(tasks_of(A, "function halvings(x) = if x < 1 then 0 else 1 + halvings(x / 2);"
		"{halvings(x) : x in a | x > 9}"), 2);
	ck_assert_int_eq(tasks_of(A, "({x in a | x > 1}, {x in a | x > 2}, {x in a | x > 3}, {x in a | x > 4}, {x in a | x > 5}, "
		"{x in a | x > 6}, {x in a | x > 7}, {x in a | x > 8}, {x in a | x > 9})"), 2);
	/* nor is more than three times kept of what was kept */
	ck_assert_int_eq(tasks_of(A, "let b = {x in a | x > 1}; c = {x in b | x > 2} in {x in c | x > 3}"), 1);
	ck_assert_int_eq(tasks_of(A, "let b = {x in a | x > 1}; c = {x in b | x > 2}; d = {x in c | x > 3} in {x in d | x > 4}"), 2);
}
END_TEST

/* Also of elements that wait for their row's end: nobody reads it in the task that tells whether all of it was written. */
START_TEST(permuted_is_read_when_it_is_whole)
{
	ck_assert_int_eq(tasks_of(ROWS, "{let k = {rem(x, #r) : x in r}; q = permute(r, k); s = sum(r) in "
		"{x * s + y : x in r; y in q} : r in a}"), 3);
}
END_TEST

/* Only maps: the fold and the filter have tasks of their own.  Off, each operator has. */
START_TEST(it_can_be_switched_off)
{
	static const char *const squares = "sum({x * x + 1 : x in a | x > 0})";
	int all = tasks_of(A, squares), maps = tasks_of(A " --fuse=map", squares), none = tasks_of(A " --fuse=none", squares);

	ck_assert_msg(all == 1 && maps == 4 && none == 6, "%d, %d, %d tasks", all, maps, none);
	ck_assert_int_eq(none, tasks_of(A " --no-fuse", squares));
}
END_TEST

Suite *
counts_suite(void)
{
	Suite *s = suite_create("counts");
	TCase *t = tcase_create("counts");

	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, counts_are_the_least, 0, sizeof counts / sizeof *counts);
	tcase_add_loop_test(t, levels_do_not_grow, 0, sizeof levels / sizeof *levels);
	tcase_add_test(t, nothing_is_stored_to_be_loaded);
	tcase_add_test(t, places_decide_comparisons);
	tcase_add_test(t, places_are_computed_again);
	tcase_add_loop_test(t, few_steps_are_repeated, 0, sizeof repeated / sizeof *repeated);
	tcase_add_test(t, numbers_of_rows_are_computed_again);
	tcase_add_test(t, quotients_by_literals_are_not_stored);
	tcase_add_test(t, tasks_have_limits);
	tcase_add_test(t, permuted_is_read_when_it_is_whole);
	tcase_add_test(t, it_can_be_switched_off);
	suite_add_tcase(s, t);
	return s;
}

/* check_bench.c: the benchmarks run, at small sizes, and their answers are the baselines'; what is made of results. */
#include "common/process.h"
#include "tests/command.h"
#include "tests/suite.h"
#include "tests/tcc.h"

Suite *bench_suite(void);

static char dir[] = "/tmp/nessie-bench-XXXXXX";

static void
make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

/* Its exit status; what it says, of which `filter` leaves something. */
static int
bench(char **out, const char *suite, const char *names, const char *filter)
{
	return sh(out, QUICKLY "SUITE=%s%s ROUNDS=1 RUNS=1 OUT=%s/out "
		"sh bench/bench.sh --quick %s >%s/said 2>&1; s=$?; %s %s/said; exit $s", *suite ? dir : "", suite, dir, names, dir, filter, dir);
}

static int
lines(const char *name, const char *pattern)
{
	char *out;
	int n;

	sh(&out, "grep -c '%s' %s/%s", pattern, dir, name);
	n = atoi(out);
	free(out);
	return n;
}

START_TEST(all_answers_agree)
{
	char *out;
	int status = bench(&out, "", "", "cat"), n;

	ck_assert_msg(status == 0, "%s", out);
	n = lines("out.json", "^{\"name\": ");
	ck_assert_int_ge(n, 55);
	ck_assert_int_eq(lines("out.md", "^| [a-z]"), n + 1);
	ck_assert_int_eq(lines("out.md", "^segmented .*: the worst lengths"), 4);
	ck_assert_int_eq(lines("out-ratios.svg", "end\">[a-z]"), n);
	ck_assert_int_eq(lines("out-ratios.svg", "<rect .* fill=\"#[0-9a-f]*\"/>"), n);
	ck_assert_int_eq(lines("out-skew.svg", "<polyline"), 4);
	free(out);
}
END_TEST

START_TEST(another_answer_is_told)
{
	char *out;

	write_file(dir, "suite", "wrong 1e6 1000\n\tinput    a uniform --n=N\n\ttimed    sum({x + 1 : x in a})\n\tanswer   r\n"
		"\tagainst  vector sum\n\nbroken 1 1\n\ttimed    no_such(N)\n\tanswer   r\n\tagainst  vector sum\n");
	ck_assert_int_eq(1, bench(&out, "/suite", "", "sed -n '/^bench: [wb]/{s/[0-9]\\{5,\\}/N/g;p}'"));
	ck_assert_str_eq(out, "bench: wrong: hand gives N, not N.0\nbench: broken: it is not compiled\n");
	free(out);
	ck_assert_int_eq(2, bench(&out, "", "no_such", "cat"));
	ck_assert_str_eq(out, "bench: no benchmark begins with no_such\n");
	free(out);
}
END_TEST

/* 9.5 is less than 80.5, but not as text. */
START_TEST(figures_are_numbers)
{
	static const char entry[] = "{\"name\": \"segmented_sum_%s\", \"ours_ms\": %s, \"hand_ms\": 1, \"ratio\": %s, \"low\": 1, "
		"\"high\": 80.5, \"kernels\": 1, \"bytes\": %s, \"of_triad\": 0.1, \"peak_bytes\": 80, \"data_bytes\": 4, "
		"\"compile_s\": 0.1}\n";
	char text[1000], *out;
	int n = snprintf(text, sizeof text, entry, "1", "80.5", "80.5", "16000");

	snprintf(text + n, sizeof text - (size_t)n, entry, "3", "9.5", "9.5", "8000");
	write_file(dir, "a.json", text);
	ck_assert_int_eq(0, sh(&out, "awk -f bench/json.awk -f bench/report.awk %s/a.json | grep '^seg'; "
		"awk -f bench/json.awk -f bench/plot_ratios.awk %s/a.json | grep -o 'x2.*black'; "
		"awk -f bench/json.awk -f bench/plot_skew.awk %s/a.json | grep -o 'end.*<'", dir, dir, dir));
	ck_assert_str_eq(out, "segmented sum: the worst lengths take 8.47 times the best; for a byte that is moved, offsets and results too, 4.24 times.\nx2=\"385.0\" y1=\"32\" y2=\"66\" stroke=\"black\n"
		"x2=\"600.0\" y1=\"42.5\" y2=\"42.5\" stroke=\"black\nx2=\"600.0\" y1=\"56.5\" y2=\"56.5\" stroke=\"black\n"
		"end\">0<\nend\">25<\nend\">50<\nend\">75<\nend\">100<\n");
	free(out);
}
END_TEST

/* A ratio over 1.2 has its reason, and whether the machine was not whole. */
START_TEST(reasons_are_told)
{
	static const char head[] = "{\"when\": \"now\", \"machine\": \"m\", \"threads\": 2, \"compiler\": \"cc\", \"rounds\": 1, \"runs\": 1, \"entries\": [\n";
	static const char entry[] = "{\"name\": \"%s\", \"ours_ms\": 1, \"hand_ms\": 1, \"ratio\": %s, \"low\": 1, \"high\": 4, \"kernels\": 1, "
		"\"bytes\": 8, \"of_triad\": 0.1, \"peak_bytes\": 80, \"data_bytes\": 4, \"compile_s\": 0.1, \"cores\": %s, \"apart_ns\": 27, \"note\": \"%s\"}\n";
	char text[2000], *out;
	int n = snprintf(text, sizeof text, "%s", head);

	n += snprintf(text + n, sizeof text - (size_t)n, entry, "a", "1.3", "1.95", "");
	n += snprintf(text + n, sizeof text - (size_t)n, entry, "b", "1.1", "1.95", "so");
	snprintf(text + n, sizeof text - (size_t)n, entry, "c", "2", "1.04", "so");
	write_file(dir, "a.json", text);
	ck_assert_int_eq(0, sh(&out, "awk -f bench/json.awk -f bench/report.awk %s/a.json | grep -e ^- -e '1.0 | 27 |$'", dir));
	ck_assert_str_eq(out, "| c | 1.000 | 1.000 | 2.00 | 1.00 to 4.00 | 1 | 0.0 KB | 10 % | 0.1 KB | 0.0 KB | 0.10 | 1.0 | 27 |\n"
		"- a, 1.30: unknown\n- c, 2.00: so; the threads had 1.0 cores\n");
	free(out);
}
END_TEST

START_TEST(results_are_compared)
{
	static const char entry[] = "{\"name\": \"dotp\", \"ours_ms\": %d.0, \"hand_ms\": 1.0, \"ratio\": %d.000, \"low\": 1, \"high\": 4}\n";
	char text[200], *out;

	snprintf(text, sizeof text, entry, 2, 2);
	write_file(dir, "a.json", text);
	snprintf(text, sizeof text, entry, 1, 1);
	write_file(dir, "b.json", text);
	ck_assert_int_eq(0, sh(&out, "make -s bench-compare A=%s/a.json B=%s/b.json | tr -s ' '", dir, dir));
	ck_assert_str_eq(out, "benchmark ms, A ms, B B / A ratio, A ratio, B\ndotp 2.000 1.000 0.50 2.00 1.00\n"
		"geometric mean 0.50 2.00 1.00\n");
	free(out);
}
END_TEST

Suite *
bench_suite(void)
{
	Suite *s = suite_create("bench");
	TCase *c = case_between(s, "bench", make_dir, remove_dir);

	tcase_add_test(c, all_answers_agree);
	tcase_add_test(c, another_answer_is_told);
	tcase_add_test(c, figures_are_numbers);
	tcase_add_test(c, reasons_are_told);
	tcase_add_test(c, results_are_compared);
	return s;
}

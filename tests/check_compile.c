/* check_compile.c: what the compiler takes for programs of two sizes: time, which grows as they do, and memory. */
#include <sys/resource.h>
#include "tests/growth.h"
#include "tests/suite.h"

Suite *compile_suite(void);

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

Suite *
compile_suite(void)
{
	Suite *s = suite_create("compile");
	TCase *c = case_between(s, "compile", make_dir, remove_dir);

	tcase_add_test(c, long_chains);
	tcase_add_test(c, deep_nests);
	tcase_add_test(c, shapes_are_linear);
	tcase_add_test(c, proofs_are_told);
	tcase_add_test(c, memory_of_passes);
	tcase_add_loop_test(c, fusion_is_linear, 0, sizeof round_of / sizeof *round_of);
	return s;
}

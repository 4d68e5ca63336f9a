/* check_examples.c: every program of examples/, tests/run/ and tests/trouble/ on every target that is here, with one
 * result (for those of tests/ the recorded one, PROGRAM.out) and the same faults in the same elements, with
 * sanitizers and with threads; through the dump of every stage that can be read back; and the examples' CUDA by
 * nvcc, where there is one.
 *
 * tests/trouble/ has a program for each kind of nested program that flattening compilers are known to get wrong. */
#include "common/process.h"
#include "tests/command.h"
#include "tests/same_values.h"
#include "tests/suite.h"
#include "tests/tcc.h"
#include <math.h>
#include <stdbool.h>

Suite *examples_suite(void);
Suite *emitted_suite(void);

static Programs programs;
static int nexample, deep, trouble;     /* the examples come first; where those of tests/deep and tests/trouble begin */
static char dir[32];

/* Before a command: compiled by tcc, where it is. */
static const char quickly[] = QUICKLY;

/* The many programs of tests/ are. */
static const char *
with_compiler(int i)
{
	return i < nexample ? "" : quickly;
}

/* gcc as a command that finds what is out of bounds or undefined, and does not take long about it. */
static const char *
with_sanitizers(void)
{
	static char before[128];

	write_script(dir, "cc", "#!/bin/sh\nexec gcc \"$@\" -O0 -fsanitize=address,undefined -fno-sanitize-recover=all\n");
	snprintf(before, sizeof before, "ulimit -Sv unlimited; export CC=%s/cc; ", dir);
	return before;
}

/* What program i prints, and then what `filter` leaves of its messages. */
static int
run_filtered(char **out, const char *compiler, const char *options, int i, const char *filter)
{
	return sh(out, "%s./nessie run %s %s 2>%s/err; s=$?; %s %s/err; exit $s", compiler, options, programs.path[i], dir, filter,
		dir);
}

/* The first line of each error. */
static int
run_program(char **out, const char *compiler, const char *options, int i)
{
	return run_filtered(out, compiler, options, i, "grep 'error\\['");
}

/* With the path, where there is one, in the same line. */
static int
run_with_paths(char **out, const char *compiler, const char *options, int i)
{
	return run_filtered(out, compiler, options, i, "awk '/error\\[/ {if (s) print s; s = $0} /^  in / {s = s $0} "
		"END {if (s) print s}'");
}

static const char where[] = "  in ", lost[] = "  in element ...";

/* Is this error, told with what is known of its path, one of the lines of `all`? */
static bool
is_among(const char *told, const char *all)
{
	const char *path = strstr(told, where), *tail = path;
	size_t head = path ? (size_t)(path - told) : strlen(told), n, k;

	if (path && strncmp(path, lost, strlen(lost)) == 0)
		tail = path + strlen(lost);
	else if (path && strncmp(path, "  in some", 9) == 0)
		tail = "";
	for (k = path ? strlen(tail) : 0; *all; all += n + (all[n] != 0)) {
		n = strcspn(all, "\n");
		if (n >= head + k && strncmp(all, told, head) == 0 && (path ? strncmp(all + head, where, strlen(where)) == 0
				&& strncmp(all + n - k, tail, k) == 0 : n == head))
			return true;
	}
	return false;
}

static void
agree(const char *what, const char *path, int status, const char *want, int got, const char *out)
{
	ck_assert_msg(got == status, "%s, %s: exit status %d, not %d\n%.2000s", path, what, got, status, out);
	ck_assert_msg(same_values(want, out), "%s, %s gives\n%.2000s\ninstead of\n%.2000s", path, what, out, want);
}

/* Replaces each error in `out` that some element meets first on interp by what interp tells in its place. */
static void
take_first_faults(char **out, const char *interp, const char *options, int i)
{
	char *all, *text = NULL, *line = *out;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	run_with_paths(&all, "", options, i);
	for (; *line; line += n, interp += strcspn(interp, "\n") + (*interp != 0)) {
		char *told = strndup(line, strcspn(line, "\n"));
		bool first = strstr(told, ": error[") && is_among(told, all);

		n = strlen(told) + (line[strlen(told)] != 0);
		fprintf(f, "%.*s", (int)(first ? strcspn(interp, "\n") + 1 : n), first ? interp : line);
		free(told);
	}
	fclose(f);
	free(all);
	free(*out);
	*out = text;
}

/* What the interpreter makes of program i. */
static int
interpreted(char **out, const char *width, int i)
{
	char options[80];
	int status;

	snprintf(options, sizeof options, "%s --target=interp", width);
	status = run_with_paths(out, "", options, i);
	ck_assert_msg(status == 0 || status == 3, "%s: %d", programs.path[i], status);
	return status;
}

static void
compare_with(const char *interp, int status, int i, const char *what, const char *compiler, const char *width)
{
	char *out, options[80];
	int got;

	snprintf(options, sizeof options, "%s --target=cpu", width);
	got = run_with_paths(&out, compiler, options, i);
	if (status == 3 && !same_values(interp, out)) {
		snprintf(options, sizeof options, "%s --target=interp --all-faults", width);
		take_first_faults(&out, interp, options, i);
	}
	agree(what, programs.path[i], status, interp, got, out);
	free(out);
}

static void
lifted_agrees(int i, const char *chunks)
{
	char *interp, options[80];
	int status = interpreted(&interp, "--int=32", i);

	setenv("OMP_NUM_THREADS", "1", 1);
	snprintf(options, sizeof options, "--int=32 %s --no-avoid --debug", chunks);
	compare_with(interp, status, i, "cpu, one thread, ints of 32 bits, small chunks, all lifted, owners counted twice", quickly, options);
	free(interp);
}

START_TEST(targets_agree)
{
	char *interp;
	int status = interpreted(&interp, "", _i);

	compare_with(interp, status, _i, "cpu", with_compiler(_i), "");
	compare_with(interp, status, _i, "cpu, -O0, no reuse, owners counted twice", quickly, "-O0 --no-reuse --debug");
	free(interp);
	if (strncmp(programs.path[_i], "tests/deep/", 11) != 0)
		lifted_agrees(_i, "--grain=3");
}
END_TEST

/* A million calls deep takes longer than all others. */
START_TEST(deep_programs_agree)
{
	lifted_agrees(_i, "--grain=300");
}
END_TEST

START_TEST(nothing_is_out_of_bounds)
{
	const char *compiler = with_sanitizers();
	char *interp;
	int status = interpreted(&interp, "", _i);

	compare_with(interp, status, _i, "cpu with sanitizers, two threads, chunks of four", compiler, "--grain=4");
	setenv("OMP_NUM_THREADS", "1", 1);
	compare_with(interp, status, _i, "cpu with sanitizers, one thread, chunks of four", compiler, "--grain=4");
	free(interp);
}
END_TEST

/* Ten digits, and not those of a fraction. */
static int
has_large_int(const char *s)
{
	for (size_t n; *s; s += n + (n == 0)) {
		n = strspn(s, "0123456789");
		if (n >= 10)
			return 1;
		if (*s == '.')
			n = 1 + strspn(s + 1, "0123456789");
	}
	return 0;
}

/* With ints of 32 bits too, where no value tells the width. */
START_TEST(values_are_as_recorded)
{
	char *want, *out;
	int status = run_program(&out, "", "--target=interp", _i);

	ck_assert_int_eq(0, sh(&want, "f=%s; cat ${f%%.nesl}.out", programs.path[_i]));
	agree("interp", programs.path[_i], status, want, status, out);
	if (!has_large_int(want)) {
		free(out);
		ck_assert_int_eq(status, run_program(&out, "", "--target=interp --int=32", _i));
		agree("interp, ints of 32 bits", programs.path[_i], status, want, status, out);
	}
	free(want);
	free(out);
}
END_TEST

START_TEST(dumps_are_read_back)
{
	static const char *const stage[] = {"normal", "flan", "lcu"};
	char *want, *out;
	int status = sh(&want, "%s./nessie run --target=cpu %s 2>/dev/null", quickly, programs.path[_i]), got;

	for (int i = 0; i < 3; i++) {
		got = sh(&out, "%s./nessie dump --stage=%s %s >%s/x.%s && ./nessie run --target=cpu --from=%s %s/x.%s 2>/dev/null",
			quickly, stage[i], programs.path[_i], dir, stage[i], stage[i], dir, stage[i]);
		agree(stage[i], programs.path[_i], status, want, got, out);
		free(out);
	}
	got = sh(&out, "./nessie run --target=interp --from=normal %s/x.normal 2>/dev/null", dir);
	agree("interp from normal", programs.path[_i], status, want, got, out);
	free(out);
	free(want);
}
END_TEST

static int
have_nvcc(void)
{
	return system("command -v nvcc >/dev/null 2>&1 || test -x /usr/local/cuda/bin/nvcc") == 0;
}

static const char *const arch[] = {"sm_75", "sm_80", "sm_90"}, *const width[] = {"64", "64", "32"};

enum { NARCH = sizeof arch / sizeof *arch };

static void
nvcc_takes(const char *program, int i)
{
	char *out;
	int got = sh(&out, "./nessie dump --stage=cuda --int=%s %s >%s/x.cu && PATH=$PATH:/usr/local/cuda/bin nvcc -std=c++17 "
		"-O3 -fmad=false -Werror all-warnings -arch=%s -I backend/rt -cubin -o %s/x.cubin %s/x.cu 2>&1",
		width[i], program, dir, arch[i], dir, dir);

	ck_assert_msg(got == 0, "%s, %s\n%s", program, arch[i], out);
	free(out);
}

/* Every other one, for one architecture, as nvcc takes seconds; the long tests go through all. */
START_TEST(nvcc_takes_the_cuda)
{
	nvcc_takes(programs.path[2 * _i], _i % NARCH);
}
END_TEST

START_TEST(nvcc_takes_it_for_all)
{
	nvcc_takes(programs.path[_i / NARCH], _i % NARCH);
}
END_TEST

START_TEST(nvcc_takes_what_no_example_has)
{
	nvcc_takes("tests/cuda/elements.nesl", _i);
}
END_TEST

/* All of it, host code and objects of the run time too: without a sort, and with one. */
START_TEST(cuda_is_built)
{
	static const char *const program[] = {"examples/sparse_mxv.nesl", "-e 'rank([3, 1, 2])'"};
	static const char *const list[] = {"sm_75,sm_80,sm_90", "sm_90"};
	char *out;
	int got = sh(&out, "./nessie build --target=cuda --arch=%s -o %s/a.out %s 2>&1", list[_i], dir, program[_i]);

	ck_assert_msg(got == 0, "%s\n%s", program[_i], out);
	free(out);
}
END_TEST

/* Sums, maxima and ends of A x for the matrices beside the project, where they are. */
START_TEST(matrices_beside_the_project)
{
	static const char *const target[] = {"interp", "cpu"};
	FILE *f = fopen("../shared/data/spmv-expected.tsv", "r");
	char line[512], name[64], *out;
	double want[4], got[4];
	int cols;

	if (!f) {
		fprintf(stderr, "check_examples: the matrices of ../shared are not here, they were not run\n");
		return;
	}
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%63s %*d %d %*d %*d %*d %lf %lf %lf %lf", name, &cols, &want[0], &want[1], &want[2],
		           &want[3]) != 6)
			continue;
		for (int t = 0; t < 2; t++) {
			ck_assert_int_eq(0, sh(&out, "./nessie run --target=%s examples/sparse_mxv.nesl "
				"--input m=../shared/data/%s -e 'let y = sparse_mxv(m, {1.0 + float(rem(j, 7)) : "
				"j in [0:%d]}) in (sum(y), max_val(y), y[0], y[#y-1])' | tail -n 1", target[t], name, cols));
			ck_assert_msg(sscanf(out, "it = (%lf, %lf, %lf, %lf)", &got[0], &got[1], &got[2], &got[3]) == 4,
				"%s on %s: %s", name, target[t], out);
			for (int i = 0; i < 4; i++)
				ck_assert_msg(fabs(got[i] - want[i]) <= 1e-12 * fabs(want[i]), "%s on %s: %s", name,
					target[t], out);
			free(out);
		}
	}
	fclose(f);
}
END_TEST

static void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-examples-XXXXXX");
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "2", 1);
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

static void
find_programs(void)
{
	nexample = add_programs(&programs, "examples");
	deep = add_programs(&programs, "tests/run");
	trouble = add_programs(&programs, "tests/deep");
	add_programs(&programs, "tests/trouble");
}

/* One after the other they would take longer than all other suites together. */
Suite *
examples_suite(void)
{
	Suite *s = suite_create("examples");
	TCase *c = case_between(s, "examples", make_dir, remove_dir);

	find_programs();
	tcase_add_loop_test(c, targets_agree, 0, programs.n);
	tcase_add_loop_test(c, values_are_as_recorded, nexample, programs.n);
	tcase_add_loop_test(c, dumps_are_read_back, 0, programs.n);
	return s;
}

Suite *
emitted_suite(void)
{
	Suite *s = suite_create("emitted");
	TCase *c = case_between(s, "emitted", make_dir, remove_dir), *lengthy = case_between(s, "all of it", make_dir, remove_dir);

	find_programs();
	tcase_set_tags(lengthy, "long");
	tcase_add_loop_test(c, nothing_is_out_of_bounds, trouble, programs.n);
	tcase_add_loop_test(lengthy, nothing_is_out_of_bounds, 0, trouble);
	tcase_add_loop_test(lengthy, deep_programs_agree, deep, trouble);
	tcase_add_test(c, matrices_beside_the_project);
	if (have_nvcc()) {
		tcase_add_loop_test(c, nvcc_takes_the_cuda, 0, (nexample + 1) / 2);
		tcase_add_loop_test(c, nvcc_takes_what_no_example_has, 0, NARCH);
		tcase_add_loop_test(lengthy, nvcc_takes_it_for_all, 0, nexample * NARCH);
		tcase_add_loop_test(c, cuda_is_built, 0, 2);
	} else {
		fprintf(stderr, "check_examples: no nvcc here, generated CUDA was not compiled\n");
	}
	return s;
}

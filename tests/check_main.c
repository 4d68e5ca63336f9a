/* check_main.c: all suites, as many at once as there are processors, each in a process of its own that prints when it
 * has ended.  `make check-NAME` or CK_RUN_SUITE=NAME runs one; CK_EXCLUDE_TAGS=none the long tests too. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

Suite *common_suite(void);
Suite *parse_suite(void);
Suite *infer_suite(void);
Suite *ir_suite(void);
Suite *value_suite(void);
Suite *interp_suite(void);
Suite *flatten_suite(void);
Suite *opt_suite(void);
Suite *shape_suite(void);
Suite *totask_suite(void);
Suite *ends_suite(void);
Suite *fuse_suite(void);
Suite *counts_suite(void);
Suite *pdg_suite(void);
Suite *cpu_suite(void);
Suite *cuda_suite(void);
Suite *nvcc_suite(void);
Suite *driver_suite(void);
Suite *machine_suite(void);
Suite *examples_suite(void);
Suite *emitted_suite(void);
Suite *fuzz_suite(void);
Suite *conformance_suite(void);
Suite *docs_suite(void);
Suite *repl_suite(void);
Suite *library_suite(void);
Suite *io_suite(void);
Suite *cost_suite(void);
Suite *traffic_suite(void);
Suite *compile_suite(void);
Suite *recursion_suite(void);
Suite *faults_suite(void);
Suite *memory_suite(void);
Suite *limit_suite(void);
Suite *simt_suite(void);
Suite *bench_suite(void);
Suite *map_suite(void);

typedef struct {
	int run, failures, errors;
} Counts;

typedef struct {
	pid_t pid;
	time_t began;
	FILE *counts, *printed;
} Running;

static Counts
run_suite(Suite *s)
{
	SRunner *r = srunner_create(s);
	Counts c = {0};
	TestResult **failed;

	srunner_run_all(r, CK_NORMAL);
	failed = srunner_failures(r);
	for (int i = 0; i < srunner_ntests_failed(r); i++)
		*(tr_rtype(failed[i]) == CK_FAILURE ? &c.failures : &c.errors) += 1;
	free(failed);
	c.run = srunner_ntests_run(r);
	srunner_free(r);
	return c;
}

static FILE *
scratch(void)
{
	FILE *f = tmpfile();

	if (!f) {
		perror("check");
		exit(EXIT_FAILURE);
	}
	return f;
}

static Running
begin(Suite *(*suite)(void))
{
	Running r = {.began = time(NULL), .counts = scratch(), .printed = scratch()};
	Counts c;

	r.pid = fork();
	if (r.pid != 0)
		return r;
	dup2(fileno(r.printed), STDOUT_FILENO);
	dup2(fileno(r.printed), STDERR_FILENO);
	c = run_suite(suite());
	fflush(stdout);
	_exit(fwrite(&c, sizeof c, 1, r.counts) == 1 && fflush(r.counts) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* A suite that died is an error; one that was not to run says nothing. */
static void
end(Running *r, Counts *all)
{
	Counts c = {.errors = 1};
	int ch;

	rewind(r->counts);
	if (fread(&c, sizeof c, 1, r->counts) != 1)
		puts("a suite ended before its time:");
	rewind(r->printed);
	while (c.run + c.errors > 0 && (ch = getc(r->printed)) != EOF)
		putchar(ch);
	if (c.run)
		printf("in %.0f s\n", difftime(time(NULL), r->began));
	fflush(stdout);
	fclose(r->counts);
	fclose(r->printed);
	r->pid = 0;
	all->run += c.run;
	all->failures += c.failures;
	all->errors += c.errors;
}

static void
wait_for_one(Running *r, int n, Counts *all)
{
	pid_t pid = wait(NULL);

	for (int i = 0; i < n; i++)
		if (r[i].pid == pid)
			end(&r[i], all);
}

int
main(void)
{
	/* those that take longest first */
	static Suite *(*const suite[])(void) = {
		simt_suite, memory_suite, examples_suite, emitted_suite, fuzz_suite, cpu_suite, map_suite, shape_suite, driver_suite,
		machine_suite, limit_suite, nvcc_suite, cost_suite, traffic_suite, compile_suite, faults_suite, conformance_suite,
		repl_suite, bench_suite, infer_suite, docs_suite, recursion_suite, library_suite, opt_suite, io_suite, common_suite,
		counts_suite, cuda_suite, fuse_suite, pdg_suite, parse_suite, ir_suite, value_suite, interp_suite, flatten_suite,
		totask_suite, ends_suite,
	};
	enum { N = sizeof suite / sizeof *suite };
	const char *one = getenv("CK_RUN_SUITE");
	long most = one ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
	Running running[N] = {0};
	Counts all = {0};
	int begun = 0, ended = 0;

	/* Tests that start compilers take long on a slow machine with many of them at once. */
	setenv("CK_DEFAULT_TIMEOUT", "600", 0);
	setenv("CK_EXCLUDE_TAGS", "long", 0);
	setenv("CC", "gcc", 0);         /* and no first runs by tcc (backend/quick.c), but where a test asks for them */
	while (ended < N) {
		while (begun < N && begun - ended < most) {
			running[begun] = begin(suite[begun]);
			begun++;
		}
		wait_for_one(running, begun, &all);
		ended++;
	}
	printf("%d%%: Checks: %d, Failures: %d, Errors: %d\n",
	       all.run ? 100 * (all.run - all.failures - all.errors) / all.run : 0, all.run, all.failures, all.errors);
	return all.failures + all.errors || !all.run ? EXIT_FAILURE : EXIT_SUCCESS;
}

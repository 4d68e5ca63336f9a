/* check_main.c: all suites.  `make check-NAME` or CK_RUN_SUITE=NAME runs one; CK_EXCLUDE_TAGS=none the long tests too. */
#include <check.h>
#include <stdlib.h>

Suite *common_suite(void);
Suite *parse_suite(void);
Suite *infer_suite(void);
Suite *ir_suite(void);
Suite *value_suite(void);
Suite *interp_suite(void);
Suite *flatten_suite(void);
Suite *opt_suite(void);
Suite *totask_suite(void);
Suite *cpu_suite(void);
Suite *cuda_suite(void);
Suite *driver_suite(void);
Suite *examples_suite(void);
Suite *fuzz_suite(void);
Suite *conformance_suite(void);
Suite *docs_suite(void);
Suite *repl_suite(void);
Suite *library_suite(void);
Suite *io_suite(void);
Suite *cost_suite(void);
Suite *recursion_suite(void);
Suite *faults_suite(void);

int
main(void)
{
	static Suite *(*const suite[])(void) = {
		common_suite, parse_suite, infer_suite, ir_suite, value_suite, interp_suite, flatten_suite, opt_suite,
		totask_suite, cpu_suite, cuda_suite, driver_suite, examples_suite, conformance_suite, io_suite,
		library_suite, cost_suite, docs_suite, repl_suite, recursion_suite, faults_suite, fuzz_suite,
	};
	SRunner *r = srunner_create(NULL);
	int failed;

	/* Tests that start compilers take long on a slow machine with many of them at once. */
	setenv("CK_DEFAULT_TIMEOUT", "600", 0);
	setenv("CK_EXCLUDE_TAGS", "long", 0);
	for (size_t i = 0; i < sizeof suite / sizeof *suite; i++)
		srunner_add_suite(r, suite[i]());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* check_fuzz.c: some generated programs on interp and cpu, and some damaged ones through the compiler; `make check-long`
 * runs many more. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

Suite *fuzz_suite(void);

/* Without libtcc each takes ten times as long. */
START_TEST(generated_programs_agree)
{
	const char *few = "build/gen 1 60 & first=$!; build/gen 61 120; second=$?; wait $first && exit $second";
	const char *many = "build/gen 1 500 & first=$!; build/gen 501 1000; second=$?; wait $first && exit $second";

	ck_assert_int_eq(0, system(system("build/gen in-memory 0") == 0 ? many : few));
}
END_TEST

/* With any options. */
START_TEST(generated_programs_compile)
{
	ck_assert_int_eq(0, system("build/gen texts 1 20"));
}
END_TEST

/* A fault that is planted is found, and what it is shown by is small.  It is planted in the C text, which only libtcc
 * lets us change. */
START_TEST(failures_are_shrunk)
{
	if (system("build/gen in-memory 0") != 0) {
		fprintf(stderr, "check_fuzz: no libtcc here, what fails was not shrunk, and programs were 120 instead of 1,000\n");
		return;
	}
	ck_assert_int_eq(0, system("build/gen planted 11 100 >build/planted.txt && exit 1;"
		" head -n 1 build/planted.txt | grep -q '^seed [0-9]* (.*): cpu: ' &&"
		" tail -n +2 build/planted.txt >build/planted.nesl && test \"$(wc -c <build/planted.nesl)\" -lt 100 &&"
		" ./nessie check build/planted.nesl >/dev/null"));
}
END_TEST

/* The faults of tests/gen/mutants.txt can still be planted: the text that each of them changes is there. */
START_TEST(planted_faults_have_their_place)
{
	ck_assert_int_eq(0, system("sh tests/gen/mutate.sh 0 >build/mutants-gone.txt; cat build/mutants-gone.txt >&2;"
		" ! test -s build/mutants-gone.txt"));
}
END_TEST

START_TEST(damaged_programs_are_harmless)
{
	ck_assert_int_eq(0, system("build/san/frontend-fuzz 1500 1 tests/conformance/vectors.jsonl"));
	ck_assert_int_eq(0, system("build/san/frontend-fuzz 60 1 tests/run/*.nesl examples/*.nesl"));
	ck_assert_int_eq(0, system("build/san/frontend-fuzz stress 1"));
	ck_assert_int_eq(0, system("build/frontend-fuzz cut examples/quicksort.nesl"));
}
END_TEST

Suite *
fuzz_suite(void)
{
	Suite *s = suite_create("fuzz");
	TCase *c = tcase_create("fuzz");

	tcase_set_timeout(c, 600);
	tcase_add_test(c, generated_programs_agree);
	tcase_add_test(c, generated_programs_compile);
	tcase_add_test(c, failures_are_shrunk);
	tcase_add_test(c, planted_faults_have_their_place);
	tcase_add_test(c, damaged_programs_are_harmless);
	suite_add_tcase(s, c);
	return s;
}

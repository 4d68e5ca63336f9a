/* check_fuzz.c: some generated programs on interp and cpu, and some damaged ones through the compiler; `make check-long`
 * runs many more. */
#include <check.h>
#include <stdlib.h>

Suite *fuzz_suite(void);

START_TEST(generated_programs_agree)
{
	ck_assert_int_eq(0, system("build/fuzz 1 30 & first=$!; build/fuzz 31 60; second=$?; wait $first && exit $second"));
}
END_TEST

START_TEST(damaged_programs_are_harmless)
{
	ck_assert_int_eq(0, system("build/san/frontend-fuzz 3000 1 tests/conformance/vectors.jsonl"));
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
	tcase_add_test(c, damaged_programs_are_harmless);
	suite_add_tcase(s, c);
	return s;
}

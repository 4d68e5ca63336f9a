/* check_fuzz.c: some generated programs on interp and cpu; `make check-long` runs thousands. */
#include <check.h>
#include <stdlib.h>

Suite *fuzz_suite(void);

START_TEST(generated_programs_agree)
{
	ck_assert_int_eq(0, system("build/fuzz 1 30 & first=$!; build/fuzz 31 60; second=$?; wait $first && exit $second"));
}
END_TEST

Suite *
fuzz_suite(void)
{
	Suite *s = suite_create("fuzz");
	TCase *c = tcase_create("fuzz");

	tcase_set_timeout(c, 600);
	tcase_add_test(c, generated_programs_agree);
	suite_add_tcase(s, c);
	return s;
}

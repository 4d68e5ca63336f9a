#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H
/* Parts of a suite. */
#include <check.h>

/* A case of the suite, whose tests all run between `begin` and `end`; each may take ten minutes. */
static inline TCase *
case_between(Suite *s, const char *name, SFun begin, SFun end)
{
	TCase *c = tcase_create(name);

	tcase_add_unchecked_fixture(c, begin, end);
	tcase_set_timeout(c, 600);
	suite_add_tcase(s, c);
	return c;
}

#endif

#ifndef TESTS_SUITE_H
#define TESTS_SUITE_H
/* Parts of a suite. */
#include <check.h>
#include "tests/tcc.h"

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

/* The same, and what is compiled is compiled quickly, in the cases that follow too. */
static inline TCase *
case_quickly(Suite *s, const char *name, SFun begin, SFun end)
{
	TCase *c = case_between(s, name, begin, end);

	tcase_add_unchecked_fixture(c, compile_quickly, NULL);
	return c;
}

#endif

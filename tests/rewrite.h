#ifndef TESTS_REWRITE_H
#define TESTS_REWRITE_H
/* Bodies of functions: what a pass makes of them, text in and text out. */
#include <check.h>
#include <string.h>
#include "tests/ir_help.h"

typedef struct {
	const char *what;
	const char *result;     /* as they are written; behind =>: as they are afterwards, where that is otherwise */
	const char *in;
	const char *out;        /* NULL: as it was */
} Rewrite;

static inline void
expect_rewrite(const Rewrite *r, const Ir *from, void (*pass)(Unit *), const Ir *to, const char *params)
{
	const char *then = strstr(r->result, " => ");
	const int before = then ? (int)(then - r->result) : (int)strlen(r->result);
	char in[4000], out[4000];
	IrCase *c;

	snprintf(in, sizeof in, "unit %s\nfun f(%s) -> %.*s {\n%s}\n", from->name, params, before, r->result, r->in);
	snprintf(out, sizeof out, "unit %s\nfun f(%s) -> %s {\n%s}\n", to->name, params, then ? then + 4 : r->result,
		r->out ? r->out : r->in);
	c = case_read(from, in);
	ck_assert_msg(c->u.ir != NULL, "%s: %s", r->what, c->said);
	ck_assert_msg(!*case_check(c), "%s: before: %s", r->what, case_check(c));
	pass(&c->u);
	ck_assert_msg(!*case_check(c), "%s: after: %s", r->what, case_check(c));
	ck_assert_msg(strcmp(case_print(c), out) == 0, "%s gives\n%s", r->what, case_print(c));
	case_end(c);
}

#endif

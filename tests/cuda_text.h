#ifndef TESTS_CUDA_TEXT_H
#define TESTS_CUDA_TEXT_H
/* The CUDA of a program. */
#include "backend/cuda/cuda.h"
#include "tests/ir_help.h"
#include <check.h>

static inline const char *
cuda_text(IrCase *c)
{
	ck_assert_msg(c->u.ir != NULL, "%s", c->said);
	ck_assert_str_eq(case_check(c), "");
	emit_cuda(&c->u);
	return c->u.text;
}

#endif

/* scalar.c: the texts of frontend/prim.def, compiled.
 *
 * How  Each row becomes three functions: its text on the first type of its letter, its second text, and
 *      its first text on the second type (where there is no second).  int, bool and char travel as
 *      i64, so the only choice is between i64 and f64, made while compiling by the signature's letter. */
#include "backend/interp/scalar.h"
#include <string.h>

/* Does the signature begin with this letter? */
#define STARTS(sig, letter) (__builtin_strncmp(sig, letter, 1) == 0)
#define FIRST_FLOAT(sig) STARTS(sig, "f")
#define SECOND_FLOAT(sig) (STARTS(sig, "f") || STARTS(sig, "n") || STARTS(sig, "o"))
#define OPERAND(float_p, v) __builtin_choose_expr(float_p, (v).f, (v).i)
/* The result's letter is the last of the signature. */
#define RESULT(sig) (sig + sizeof sig - 2)
#define PUT(float_p, x) __builtin_choose_expr(float_p, (Value){.f = (f64)(x)}, (Value){.i = (i64)(x)})

#define FUNCTION(fname, sig, text, IS_FLOAT) \
	static Value \
	fname(Value va, Value vb, Value vc) \
	{ \
		__typeof__(OPERAND(IS_FLOAT(sig), va)) a = OPERAND(IS_FLOAT(sig), va); \
		__typeof__(a) b = OPERAND(IS_FLOAT(sig), vb); \
		__typeof__(a) c = OPERAND(IS_FLOAT(sig), vc); \
		(void)a; \
		(void)b; \
		(void)c; \
		return PUT(IS_FLOAT(RESULT(sig)), text); \
	}

#define SCALAR(name, sig, text, text2, guard, fault) \
	FUNCTION(name##_1, sig, text, FIRST_FLOAT) \
	FUNCTION(name##_2, sig, text2, SECOND_FLOAT) \
	FUNCTION(name##_12, sig, text, SECOND_FLOAT)
#define REDUCE(name, t, base, id, id2)
#define SCAN(name, t, base, id, id2)
#include "frontend/prim.def"
#undef SCALAR
#undef REDUCE
#undef SCAN

static const struct {
	const char *name, *sig;
	ScalarFn fn[2];
	i64 identity;
	f64 identity2;
} rows[] = {
#define SCALAR(name, sig, text, text2, guard, fault) \
	{#name, sig, {name##_1, sizeof #text2 == 2 ? name##_12 : name##_2}, 0, 0.0},
#define FOLD(name, t, base, id, id2) {#name, t, {0, 0}, (i64)(id), (f64)(id2)},
#define REDUCE(name, t, base, id, id2) FOLD(name, t, base, id, id2)
#define SCAN(name, t, base, id, id2) FOLD(name, t, base, id, id2)
#include "frontend/prim.def"
};

static int
find(const char *name)
{
	for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return i;
	ice((Span){0}, "interp", "no scalar operator %s", name);
}

/* The second type of the letter: float of n and o, bool of l. */
static int
column(const char *sig, const Ty *t)
{
	if (*sig == 'l')
		return t->kind == TY_BOOL;
	return (*sig == 'n' || *sig == 'o') && t->kind == TY_FLOAT;
}

ScalarFn
scalar_fn(const char *name, const Ty *t)
{
	int k = find(name);

	return rows[k].fn[column(rows[k].sig, t)];
}

Value
scalar_identity(const char *name, const Ty *t)
{
	int k = find(name);

	if (t->kind == TY_FLOAT)
		return (Value){.f = rows[k].identity2};
	if (t->kind == TY_BOOL)
		return (Value){.i = rows[k].identity2 != 0.0};
	/* chars are narrower than what the table has for ints */
	if (t->kind == TY_CHAR)
		return (Value){.i = rows[k].identity < 0 ? INT32_MIN : INT32_MAX};
	return (Value){.i = rows[k].identity};
}

/* scalar_rows.h: the texts of frontend/prim.def, compiled for one width of int; included once for each.
 *
 * How  Each row becomes three functions: its text on the first type of its letter, its second text, and
 *      its first text on the second type (where there is no second).  int, bool and char travel as
 *      i64, so the only choice is between ints and floats, made while compiling by the signature's letters. */
#include "frontend/scalar.h"

/* Does the signature begin with this letter? */
#define STARTS(sig, letter) (__builtin_strncmp(sig, letter, 1) == 0)
#define FIRST_FLOAT(sig) STARTS(sig, "f")
#define SECOND_FLOAT(sig) (STARTS(sig, "f") || STARTS(sig, "n") || STARTS(sig, "o"))
/* What a row of any scalars moves, a float too, keeps all its bits. */
#define MOVES(sig) STARTS(sig, "b")
#define OPERAND(float_p, moves, v) \
	__builtin_choose_expr(float_p, (v).f, __builtin_choose_expr(moves, (v).i, (nint)(v).i))
/* The result's letter is the last of the signature. */
#define RESULT(sig) (&(sig)[sizeof sig - 2])
#define PUT(float_p, x) __builtin_choose_expr(float_p, (Scalar){.f = (f64)(x)}, (Scalar){.i = (i64)(x)})

#define FUNCTION(fname, sig, text, IS_FLOAT) \
	static Scalar \
	fname(Scalar va, Scalar vb, Scalar vc) \
	{ \
		__typeof__(OPERAND(IS_FLOAT(sig), MOVES(sig), va)) a = OPERAND(IS_FLOAT(sig), MOVES(sig), va); \
		__typeof__(OPERAND(IS_FLOAT(&(sig)[1]), MOVES(sig), vb)) b = OPERAND(IS_FLOAT(&(sig)[1]), MOVES(sig), vb); \
		__typeof__(OPERAND(IS_FLOAT(&(sig)[2]), MOVES(sig), vc)) c = OPERAND(IS_FLOAT(&(sig)[2]), MOVES(sig), vc); \
		(void)a; \
		(void)b; \
		(void)c; \
		return PUT(IS_FLOAT(RESULT(sig)), text); \
	}

#define SCALAR(name, sig, text, text2, guard, fault) \
	FUNCTION(name##_1, sig, text, FIRST_FLOAT) \
	FUNCTION(name##_2, sig, text2, SECOND_FLOAT) \
	FUNCTION(name##_12, sig, text, SECOND_FLOAT)
#define REDUCE(...)
#define REDUCE_AT(...)
#define SCAN(...)
#include "frontend/prim.def"
#undef SCALAR
#undef REDUCE
#undef REDUCE_AT
#undef SCAN

static const ScalarRow rows[] = {
#define SCALAR(name, sig, text, text2, guard, fault) \
	{#name, sig, {name##_1, sizeof #text2 == 2 ? name##_12 : name##_2}, 0, 0.0},
#define FOLD(name, t, base, id, id2) {#name, t, {0, 0}, (nint)(id), (f64)(id2)},
#define REDUCE(name, t, base, id, id2, more2) FOLD(name, t, base, id, id2)
#define REDUCE_AT(name, base, id, id2) FOLD(name, "o", base, id, id2)
#define SCAN(name, t, base, id, id2, more2) FOLD(name, t, base, id, id2)
#include "frontend/prim.def"
	{0},
};

#ifndef NESL_SCALAR_H
#define NESL_SCALAR_H
/* The corners of NESL's scalar operators, one meaning on every target: the texts of
 * frontend/prim.def stand on these.  Included by the interpreter, by generated C and by generated
 * CUDA.  Integer arithmetic wraps; shift counts are taken modulo 64; everything is total. */
#include <math.h>
#include <stdint.h>

#ifdef __cplusplus              /* there <math.h> has C23's functions of these names */
#define fmaximum nesl_fmaximum
#define fminimum nesl_fminimum
#endif

#ifdef __CUDACC__
#define NESL_FN static __host__ __device__ __forceinline__
#else
#define NESL_FN static inline __attribute__((unused))
#endif

typedef int64_t i64;
typedef double f64;
typedef unsigned char b8;       /* bool: 0 or 1 */
typedef int32_t c32;            /* char: code_char(300) keeps 300 */

#define MAX_INT INT64_MAX
#define MIN_INT INT64_MIN

NESL_FN i64 iadd(i64 a, i64 b) { return (i64)((uint64_t)a + (uint64_t)b); }
NESL_FN i64 isub(i64 a, i64 b) { return (i64)((uint64_t)a - (uint64_t)b); }
NESL_FN i64 imul(i64 a, i64 b) { return (i64)((uint64_t)a * (uint64_t)b); }
NESL_FN b8 idiv_ok(i64 a, i64 b) { return b != 0 && !(a == MIN_INT && b == -1); }
NESL_FN i64 idiv(i64 a, i64 b) { return idiv_ok(a, b) ? a / b : 0; }
NESL_FN i64 irem(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
NESL_FN i64 ilshift(i64 a, i64 n) { return (i64)((uint64_t)a << (n & 63)); }
NESL_FN i64 irshift(i64 a, i64 n) { return a >> (n & 63); }

/* With a NaN the other operand; of equals the second. */
NESL_FN f64 fmaximum(f64 a, f64 b) { return a > b || b != b ? a : b; }
NESL_FN f64 fminimum(f64 a, f64 b) { return a < b || b != b ? a : b; }

/* Out of range, NaN: min_int, as x86's conversion gives. */
NESL_FN i64 to_int(f64 a)
{
	return a >= -9223372036854775808.0 && a < 9223372036854775808.0 ? (i64)a : MIN_INT;
}

#endif

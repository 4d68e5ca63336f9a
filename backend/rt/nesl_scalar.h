#ifndef NESL_SCALAR_H
#define NESL_SCALAR_H
/* The corners of NESL's scalar operators, one meaning on every target: the texts of
 * frontend/prim.def stand on these.  Included by the interpreter, by generated C and by generated
 * CUDA.  Integer arithmetic wraps; shift counts are taken modulo the width; everything is total. */
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

typedef int64_t i64;            /* lengths, offsets and positions in the run time */
typedef double f64;
typedef unsigned char b8;       /* bool: 0 or 1 */
typedef int32_t c32;            /* char: code_char(300) keeps 300 */

/* nint is NESL's int: 64 bits, or as the program says before it includes this. */
#ifndef NESL_INT
#define NESL_INT 64
#endif
#if NESL_INT == 32
typedef int32_t nint;
typedef uint32_t nuint;
#define MAX_INT INT32_MAX
#define MIN_INT INT32_MIN
#else
typedef int64_t nint;
typedef uint64_t nuint;
#define MAX_INT INT64_MAX
#define MIN_INT INT64_MIN
#endif

NESL_FN nint iadd(nint a, nint b) { return (nint)((nuint)a + (nuint)b); }
NESL_FN nint isub(nint a, nint b) { return (nint)((nuint)a - (nuint)b); }
NESL_FN nint imul(nint a, nint b) { return (nint)((nuint)a * (nuint)b); }
NESL_FN b8 idiv_ok(nint a, nint b) { return b != 0 && !(a == MIN_INT && b == -1); }
NESL_FN nint idiv(nint a, nint b) { return idiv_ok(a, b) ? a / b : 0; }
NESL_FN nint irem(nint a, nint b) { return b == 0 || b == -1 ? 0 : a % b; }
NESL_FN nint ilshift(nint a, nint n) { return (nint)((nuint)a << (n & (NESL_INT - 1))); }
NESL_FN nint irshift(nint a, nint n) { return a >> (n & (NESL_INT - 1)); }

/* How many steps of d lead from a up to b: as a range, if they are no more than max_int. */
NESL_FN nuint isteps(nint a, nint b, nint d)
{
	const nuint way = (nuint)b - (nuint)a, step = (nuint)d;

	return way / step + (way % step != 0);
}
NESL_FN b8 irange_ok(nint a, nint b, nint d) { return b >= a && d >= 1 && isteps(a, b, d) <= (nuint)MAX_INT; }
NESL_FN nint irange(nint a, nint b, nint d) { return irange_ok(a, b, d) ? (nint)isteps(a, b, d) : 0; }

/* With a NaN the other operand; of equals the second. */
NESL_FN f64 fmaximum(f64 a, f64 b) { return a > b || b != b ? a : b; }
NESL_FN f64 fminimum(f64 a, f64 b) { return a < b || b != b ? a : b; }

/* Out of range, NaN: min_int, as x86's conversion gives. */
NESL_FN nint to_int(f64 a)
{
	return a >= (f64)MIN_INT && a < -(f64)MIN_INT ? (nint)a : MIN_INT;
}

#endif

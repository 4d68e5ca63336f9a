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

/* What seldom holds; and in what is done then: it stays a branch, which is guessed, and no choice is made of it that waits. */
#if defined(__GNUC__) && !defined(__TINYC__) && !defined(__CUDACC__)
#define NESL_SELDOM(x) __builtin_expect(x, 0)
#define NESL_BRANCHES __asm__ volatile("")
#else
#define NESL_SELDOM(x) (x)
#define NESL_BRANCHES ((void)0)
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

/* Is i a position among n? */
NESL_FN int nesl_in(i64 i, i64 n) { return !NESL_SELDOM((uint64_t)i >= (uint64_t)n); }

NESL_FN nint iadd(nint a, nint b) { return (nint)((nuint)a + (nuint)b); }
NESL_FN nint isub(nint a, nint b) { return (nint)((nuint)a - (nuint)b); }
NESL_FN nint imul(nint a, nint b) { return (nint)((nuint)a * (nuint)b); }
NESL_FN b8 idiv_ok(nint a, nint b) { return b != 0 && !(a == MIN_INT && b == -1); }
NESL_FN nint idiv(nint a, nint b) { return idiv_ok(a, b) ? a / b : 0; }
NESL_FN nint irem(nint a, nint b) { return b == 0 || b == -1 ? 0 : a % b; }
NESL_FN nint ilshift(nint a, nint n) { return (nint)((nuint)a << (n & (NESL_INT - 1))); }
NESL_FN nint irshift(nint a, nint n) { return a >> (n & (NESL_INT - 1)); }

/* An element and its place, as they are folded by gt or lt: of equal elements the first place stays.  b may be a NaN, and is
 * passed over.  next, later: where a has a place, and that of b is behind it; later: where few are better than all before. */
#define NESL_FIRST(T, base, better, no_worse) \
	NESL_FN nesl_##T##_at nesl_first_##base##_##T(nesl_##T##_at a, nesl_##T##_at b) \
	{ \
		const int is_b = (b.x better a.x) | ((b.x no_worse a.x) & (b.at < a.at)); \
		const nesl_##T##_at first = {b.x better a.x ? b.x : a.x, is_b ? b.at : a.at}; \
		return first; \
	} \
	NESL_FN nesl_##T##_at nesl_next_##base##_##T(nesl_##T##_at a, nesl_##T##_at b) \
	{ \
		const int is_b = b.x better a.x; \
		const nesl_##T##_at next = {is_b ? b.x : a.x, is_b ? b.at : a.at}; \
		return next; \
	} \
	NESL_FN nesl_##T##_at nesl_later_##base##_##T(nesl_##T##_at a, nesl_##T##_at b) \
	{ \
		if (NESL_SELDOM(b.x better a.x)) { \
			NESL_BRANCHES; \
			a = b; \
		} \
		return a; \
	}
#define NESL_AT(T) \
	typedef struct { T x; nint at; } nesl_##T##_at; \
	NESL_FIRST(T, gt, >, >=) \
	NESL_FIRST(T, lt, <, <=)
NESL_AT(nint)
NESL_AT(f64)
NESL_AT(c32)
#undef NESL_AT
#undef NESL_FIRST

/* How many steps of d lead from a up to b: as a range, if they are no more than max_int. */
NESL_FN nuint isteps(nint a, nint b, nint d)
{
	const nuint way = (nuint)b - (nuint)a, step = (nuint)d;

	return way / step + (way % step != 0);
}
NESL_FN b8 irange_ok(nint a, nint b, nint d) { return b >= a && d >= 1 && isteps(a, b, d) <= (nuint)MAX_INT; }
NESL_FN nint irange(nint a, nint b, nint d) { return irange_ok(a, b, d) ? (nint)isteps(a, b, d) : 0; }

/* The number of this count of the sequence that begins at key: SplitMix64, a counter through a mixing function
 * (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014). */
NESL_FN uint64_t rand_bits(uint64_t key, uint64_t count)
{
	uint64_t x = key + (count + 1) * 0x9e3779b97f4a7c15u;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* a * b / 2^64; *low: the rest.  Not every compiler has integers of 128 bits. */
NESL_FN uint64_t multiply_high(uint64_t a, uint64_t b, uint64_t *low)
{
	const uint64_t half = 0xffffffffu;
	uint64_t ll = (a & half) * (b & half), lh = (a & half) * (b >> 32), hl = (a >> 32) * (b & half);
	uint64_t mid = (ll >> 32) + (lh & half) + hl;

	*low = a * b;
	return (a >> 32) * (b >> 32) + (lh >> 32) + (mid >> 32);
}

/* Uniform in 0 .. v-1, without bias (Lemire, "Fast random integer generation in an interval", ACM TOMACS 29(1),
 * 2019); 0 if v <= 0. */
NESL_FN nint irand(nint v, nint key, nint count)
{
	uint64_t n = v > 0 ? (uint64_t)v : 1, bits = rand_bits((uint64_t)key, (uint64_t)count), low;
	uint64_t r = multiply_high(bits, n, &low);

	while (low < n && low < (0 - n) % n) {
		bits = rand_bits(bits, 0);
		r = multiply_high(bits, n, &low);
	}
	return (nint)r;
}

/* v times one of the 2^53 multiples of 2^-53 in [0, 1); 0 if that is not below v, as for an infinity. */
NESL_FN f64 frand(f64 v, nint key, nint count)
{
	f64 r = v * ((f64)(i64)(rand_bits((uint64_t)key, (uint64_t)count) >> 11) * (1.0 / 9007199254740992.0));

	return r < v ? r : 0.0;
}

/* The complement keeps what elements draw apart from what is drawn before or after them. */
NESL_FN nint rand_key(nint key, nint count, nint i)
{
	return (nint)rand_bits(~rand_bits((uint64_t)key, (uint64_t)count), (uint64_t)i);
}

/* With a NaN the other operand; of equals the second.  The first line is one instruction of x86, whose branch for a NaN is
 * never taken: two conditions in one would be guessed wrong for every other element. */
NESL_FN f64 fmaximum(f64 a, f64 b)
{
	const f64 more = a > b ? a : b;

	return b != b ? a : more;
}

NESL_FN f64 fminimum(f64 a, f64 b)
{
	const f64 less = a < b ? a : b;

	return b != b ? a : less;
}

/* Of two the larger.  a + 0.5 may not be exact: just below 0.5 it is 1.0, where all numbers are whole the next even one. */
NESL_FN f64 nearest(f64 a)
{
	const f64 below = floor(a);

	return a - below >= 0.5 ? below + 1.0 : below;
}

/* Out of range, NaN: min_int, as x86's conversion gives. */
NESL_FN nint to_int(f64 a)
{
	return a >= (f64)MIN_INT && a < -(f64)MIN_INT ? (nint)a : MIN_INT;
}

#endif

#ifndef NESL_CPU_H
#define NESL_CPU_H
/* What a generated C program stands on: arrays, chunks and checks of tasks, the library skeletons.
 * Everything is static: one generated file includes this once.  C11, OpenMP if there. */
#include "nesl_figures.h"
#include "nesl_grid.h"
#include "nesl_strips.h"
#include "nesl_threads.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#define NESL_PRAGMA(...) _Pragma(#__VA_ARGS__)
#else
#define NESL_PRAGMA(...)
#endif

/* A program may compare a variable with itself. */
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC diagnostic ignored "-Wtautological-compare"
#endif

/* Two floats that a function gives.  Up to version 12 at least gcc takes those of a struct through registers for ints, where a
 * recursion whose sums go on through its calls waits for them (bench/results/2026-11-29-suite-2.md). */
#if defined(__GNUC__) && !defined(__TINYC__) && !defined(__clang__)
typedef double _Complex nesl_floats;
#define NESL_FLOATS(x, y) __builtin_complex((f64)(x), (f64)(y))
#define NESL_FIRST(p) (__real__ (p))
#define NESL_SECOND(p) (__imag__ (p))
#else
typedef struct { f64 x, y; } nesl_floats;
#define NESL_FLOATS(first, second) ((nesl_floats){first, second})
#define NESL_FIRST(p) ((p).x)
#define NESL_SECOND(p) ((p).y)
#endif

/* place = x, where other threads may write the same at the same time. */
#ifdef _OPENMP
#define NESL_MARK(place, x) __atomic_store(&(place), &(__typeof__(place)){x}, __ATOMIC_RELAXED)
#else
#define NESL_MARK(place, x) (place) = (x)
#endif

/* place += n; gives the sum.  Where batches run several threads may do it at the same time. */
#ifdef _OPENMP
#define NESL_ADD(place, n) __atomic_add_fetch(&(place), n, __ATOMIC_ACQ_REL)
#else
#define NESL_ADD(place, n) ((place) += (n))
#endif

/* Elements are folded in so many lanes (backend/cpu/lanes.c); the loop over the lanes is no loop.  Where the last of equal ones
 * counts, so many elements at once are looked at again for it.  Where a lane has a part of its own, they make the parts: where
 * lanes are further apart, as in a row of 1,000, the same takes up to twice as long (bench/results/2026-11-25-changes.md). */
enum { NESL_LANES = 4, NESL_SIDE_BY_SIDE = 64 };
#if defined(__GNUC__) && !defined(__TINYC__) && !defined(__clang__)
#define NESL_UNROLLED _Pragma("GCC unroll 4")
#elif defined(__clang__)
#define NESL_UNROLLED _Pragma("unroll")
#else
#define NESL_UNROLLED
#endif

/* What stands so many bytes behind, as it will be wanted: an element that waits for memory keeps a processor from looking further
 * ahead than some hundred instructions, and not all of them guess what is read next, or far enough.  Where rows are folded each asks for
 * what is half as far (bench/results/2026-11-30-rows.md). */
#if defined(__GNUC__) && !defined(__TINYC__)
enum { NESL_AHEAD_BYTES = 1024 };
#define NESL_AHEAD(at) __builtin_prefetch((const char *)(at) + NESL_AHEAD_BYTES)
#define NESL_AHEAD_OF_FOLD(at) __builtin_prefetch((const char *)(at) + NESL_AHEAD_BYTES / 2)
#else
#define NESL_AHEAD(at) ((void)0)
#define NESL_AHEAD_OF_FOLD(at) ((void)0)
#endif

/* The same for so many rows together, of whose arrays 8 bytes each are four lines of a cache: rows of one element take a tenth to a
 * fifth less than if each asks (bench/results/2026-11-29-suite-2.md).  Where lengths are not to be guessed the end of a loop over rows is
 * not either, so they are many. */
enum { NESL_ROWS_AHEAD = 32 };
#define NESL_AHEAD_OF_ROWS(at) \
	do { \
		NESL_AHEAD(at); \
		NESL_AHEAD((const char *)(at) + 64); \
		NESL_AHEAD((const char *)(at) + 128); \
		NESL_AHEAD((const char *)(at) + 192); \
	} while (0)

/* A loop whose elements only compute and store: gcc, which by -O2 does several at once of loops of a known length only, is asked to. */
#if defined(_OPENMP) && defined(__GNUC__) && !defined(__clang__)
#define NESL_VECTORS _Pragma("omp simd")
#else
#define NESL_VECTORS
#endif

/* Elements of memory in which a task, when they are read, stores those of another type. */
typedef nint nint_any __attribute__((may_alias));
typedef f64 f64_any __attribute__((may_alias));
typedef c32 c32_any __attribute__((may_alias));

/* Of a variable: each thread has its own. */
#ifdef _OPENMP
#define NESL_THREAD __thread
#else
#define NESL_THREAD
#endif

#define NESL_OWN static inline __attribute__((unused))
/* What is to be compiled for each call, as one of its operands is a constant there. */
#define NESL_EACH_CALL static inline __attribute__((always_inline, unused))
/* What is compiled once, and called. */
#define NESL_CALLED static __attribute__((unused, noinline))
/* What is called once a fault was found: loops are laid out for there being none. */
#define NESL_RARE static __attribute__((unused, cold, noinline))

#include "nesl_nested.h"
#include "nesl_cpu_lock.h"
#include "nesl_cpu_blocks.h"
#include "nesl_cpu_pool.h"
#include "nesl_cpu_task.h"
#include "nesl_cpu_strips.h"
#include "nesl_cpu_tables.h"
#include "nesl_cpu_lib.h"
#include "nesl_cpu_places.h"
#include "nesl_cpu_order.h"
#include "nesl_cpu_group.h"
#include "nesl_cpu_sums.h"
#include "nesl_cpu_small.h"
#include "nesl_cpu_scan.h"
#include "nesl_cpu_batch.h"

#endif

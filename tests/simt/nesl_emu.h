#ifndef NESL_EMU_H
#define NESL_EMU_H
/* What nesl_cuda.h and nesl_device.h take from CUDA beyond its functions, for the emulator: shared memory, the launch,
 * and how blocks read what others publish. */
#include "simt.h"

#define __noinline__ __attribute__((noinline))  /* not in simt.h: the C++ library has it as an attribute's name */

#define NESL_RESIDENT(blocks)
#define SHARED(T, name) \
	static const char name##_declared = 0; \
	nesl_same<T> &name = *(nesl_same<T> *)simt_shared(&name##_declared, sizeof(nesl_same<T>))

template<class... P, class... A>
static inline void
nesl_start(const char *name, nesl_task_stats *task, void (*kernel)(P...), unsigned blocks, const A &... arg)
{
	static_assert(sizeof task->counted == SIMT_COUNTS * sizeof(int64_t), "counts have other names than in nesl_main.h");
	simt_launch(name, task->counted, kernel, blocks, NESL_BD, arg...);
}

static inline void
nesl_is_part(void *at, size_t n)
{
	simt_part(at, n);
}

static inline void
nesl_part_ends(void *at)
{
	simt_part_ends(at);
}

static inline void
nesl_host_runs()
{
	simt_host_runs();
}

static inline unsigned
nesl_ld_acquire(const unsigned *p, SIMT_SITE)
{
	return simt_load(p, SIMT_ACQUIRE, file, line);
}

static inline void
nesl_st_release(unsigned *p, unsigned v, SIMT_SITE)
{
	simt_store(p, v, SIMT_RELEASE, file, line);
}

static inline unsigned long long
nesl_ld_relaxed(const unsigned long long *p, SIMT_SITE)
{
	return simt_load(p, 0, file, line);
}

template<class T>
static inline T
nesl_ld_any(const T *p, SIMT_SITE)
{
	return simt_load(p, 0, file, line);
}

static inline void
nesl_st_relaxed(unsigned long long *p, unsigned long long v, SIMT_SITE)
{
	simt_store(p, v, 0, file, line);
}

static inline nesl_pair
nesl_ld_relaxed(const nesl_pair *p, SIMT_SITE)
{
	return simt_load(p, 0, file, line);
}

static inline void
nesl_st_relaxed(nesl_pair *p, nesl_pair v, SIMT_SITE)
{
	simt_store(p, v, 0, file, line);
}

template<class T> __attribute__((noinline)) static void
nesl_set(T &to, T x)
{
	to = x;
}

template<class W> static inline W &
nesl_wide(void *p)
{
	simt_aligned(p, sizeof(W));
	return *(W *)p;
}

template<class T> __attribute__((no_sanitize("thread"))) static inline void
nesl_st_any(T *p, T v)
{
	simt_any(p, sizeof *p);
	*p = v;
}

#endif

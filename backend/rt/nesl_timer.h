#ifndef NESL_TIMER_H
#define NESL_TIMER_H
/* Times of kernels for --profile; included by nesl_cuda.h.
 *
 * How  Two events around each launch, read when the host waits anyway.  Tools that listen (Nsight Systems) see a
 *      range with the name of the task and its place in the source. */
#include "nesl_figures.h"

static inline void nesl_check(cudaError_t e, const char *what);

#ifdef NESL_EMU
/* There a launch returns when its kernel is done. */
static double nesl_kernel_began;

static inline void
nesl_timer_begin(const nesl_task_stats *)
{
	nesl_kernel_began = nesl_now();
}

static inline void
nesl_timer_end(const nesl_task_stats *task)
{
	nesl_profile_run(task, nesl_kernel_began, nesl_now() - nesl_kernel_began, 0, 1);
}

static inline void nesl_timer_open(void) {}
static inline void nesl_timer_read(void) {}
static inline void nesl_timer_close(void) {}
#else

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define NESL_RANGE(text) nvtxRangePushA(text)
#define NESL_RANGE_END() nvtxRangePop()
#else
#define NESL_RANGE(text) ((void)(text))
#define NESL_RANGE_END() ((void)0)
#endif

struct nesl_timer {
	const nesl_task_stats *task;
	cudaEvent_t began, ended;
	nesl_timer *next;
};
static struct {
	cudaEvent_t zero;               /* the device passed it at this time */
	double zero_at;
	nesl_timer *first, **last;      /* launched, in order; first those that are read */
	nesl_timer *spare;
} nesl_timers;

static inline void
nesl_timer_open(void)
{
	nesl_timers.last = &nesl_timers.first;
	nesl_check(cudaEventCreate(&nesl_timers.zero), "event");
	nesl_check(cudaEventRecord(nesl_timers.zero, 0), "event");
	nesl_check(cudaEventSynchronize(nesl_timers.zero), "event");
	nesl_timers.zero_at = nesl_now();
}

static inline nesl_timer *
nesl_timer_new(void)
{
	nesl_timer *t = nesl_timers.spare;

	if (t) {
		nesl_timers.spare = t->next;
		return t;
	}
	t = (nesl_timer *)malloc(sizeof *t);
	if (!t)
		nesl_fail("out of memory");
	nesl_check(cudaEventCreate(&t->began), "event");
	nesl_check(cudaEventCreate(&t->ended), "event");
	return t;
}

static inline void
nesl_timer_begin(const nesl_task_stats *task)
{
	nesl_timer *t = nesl_timer_new();
	char text[256];

	t->task = task;
	t->next = NULL;
	*nesl_timers.last = t;
	snprintf(text, sizeof text, *task->where ? "%s %s" : "%s", task->name, task->where);
	NESL_RANGE(text);
	nesl_check(cudaEventRecord(t->began, 0), "event");
}

static inline void
nesl_timer_end(const nesl_task_stats *)
{
	nesl_timer *t = *nesl_timers.last;

	nesl_check(cudaEventRecord(t->ended, 0), "event");
	NESL_RANGE_END();
	nesl_timers.last = &t->next;
}

/* The device is done with all of them. */
static inline void
nesl_timer_read(void)
{
	nesl_timer *next;

	for (nesl_timer *t = nesl_timers.first; t; t = next) {
		float before, during;

		next = t->next;
		nesl_check(cudaEventElapsedTime(&before, nesl_timers.zero, t->began), "event");
		nesl_check(cudaEventElapsedTime(&during, t->began, t->ended), "event");
		nesl_profile_run(t->task, nesl_timers.zero_at + before * 1e-3, during * 1e-3, 0, 1);
		t->next = nesl_timers.spare;
		nesl_timers.spare = t;
	}
	nesl_timers.first = NULL;
	nesl_timers.last = &nesl_timers.first;
}

static inline void
nesl_timer_close(void)
{
	nesl_timer *next;

	nesl_timer_read();
	for (nesl_timer *t = nesl_timers.spare; t; t = next) {
		next = t->next;
		nesl_check(cudaEventDestroy(t->began), "event");
		nesl_check(cudaEventDestroy(t->ended), "event");
		free(t);
	}
	nesl_check(cudaEventDestroy(nesl_timers.zero), "event");
}
#endif

#endif

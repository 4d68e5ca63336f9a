#ifndef NESL_FIGURES_H
#define NESL_FIGURES_H
/* What a run tells of itself: --stats, counts, and --profile, times. */
#include "nesl_main.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	double input, compile, run;
} nesl_seconds;

/* Are times of tasks wanted?  Set before the program starts. */
extern bool nesl_profiling;

/* A run of a task, or a kernel of it, began then (nesl_now) and took so many seconds, on this one of so many threads at once. */
void nesl_profile_run(const nesl_task_stats *task, double began, double seconds, int thread, int threads);

/* One JSON object. */
void nesl_print_stats(FILE *out, const nesl_program *p, const nesl_memory_stats *m, const nesl_seconds *s);
/* A line for each task that ran, the longest first, and one for the rest of `seconds`. */
void nesl_print_profile(FILE *out, const nesl_program *p, double seconds);
/* Every run on a line of time: the Trace Event Format, which chrome://tracing and ui.perfetto.dev read. */
void nesl_print_trace(FILE *out, const nesl_program *p);

#ifdef __cplusplus
}
#endif
#endif

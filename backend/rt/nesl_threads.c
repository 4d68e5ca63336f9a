/* nesl_threads.c: the processors of threads (nesl_threads.h). */
#define _GNU_SOURCE
#include "nesl_threads.h"
#include <sched.h>

void
nesl_may_use(const int *processors, int n)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (int i = 0; i < n; i++)
		CPU_SET(processors[i], &all);
	sched_setaffinity(0, sizeof all, &all);
}

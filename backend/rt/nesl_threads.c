/* nesl_threads.c: the processors and the stacks of threads (nesl_threads.h). */
#define _GNU_SOURCE
#include "nesl_threads.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

void
nesl_may_use(const int *processors, int n)
{
	cpu_set_t all;

	CPU_ZERO(&all);
	for (int i = 0; i < n; i++)
		CPU_SET(processors[i], &all);
	sched_setaffinity(0, sizeof all, &all);
}

int
nesl_on_stack(size_t most, size_t least, void *(*work)(void *), void *with, const char **stack)
{
	void *at = MAP_FAILED;
	pthread_attr_t attr;
	pthread_t thread;
	size_t size = most;
	int why;

	for (; size >= least && at == MAP_FAILED; size /= 2)
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (at == MAP_FAILED)
		return errno;
	size *= 2;
	*stack = at;
	pthread_attr_init(&attr);
	why = pthread_attr_setstack(&attr, at, size);
	if (!why)
		why = pthread_create(&thread, &attr, work, with);
	pthread_attr_destroy(&attr);
	if (!why)
		pthread_join(thread, NULL);
	munmap(at, size);
	return why;
}

/* nesl_threads.c: the processors, their caches, and the stacks of threads (nesl_threads.h). */
#define _GNU_SOURCE
#include "nesl_threads.h"
#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The first line of a file about the last cache; "" if there is none. */
static void
read_of_cache(const char *name, char *line, int size)
{
	char path[100];
	FILE *f;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index3/%s", name);
	f = fopen(path, "r");
	if (!f || !fgets(line, size, f))
		line[0] = '\0';
	if (f)
		fclose(f);
}

int64_t
nesl_last_caches(int threads)
{
	enum { USUAL = 32 << 10 };
	char line[1024];
	int64_t kilobytes;
	int share = 0;

	read_of_cache("size", line, sizeof line);
	kilobytes = strtol(line, NULL, 10);             /* as "32768K" */
	read_of_cache("shared_cpu_map", line, sizeof line);
	for (const char *s = line; *s; s++)             /* a bit for each processor, as "00000000,0000ff00" */
		for (int digit = isxdigit((unsigned char)*s) ? (int)strtol((char[]){*s, '\0'}, NULL, 16) : 0; digit; digit &= digit - 1)
			share++;
	if (kilobytes <= 0)
		kilobytes = USUAL;
	return (kilobytes << 10) * (share > 0 && threads > share ? (threads + share - 1) / share : 1);
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

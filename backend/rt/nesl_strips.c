/* nesl_strips.c: stores that go past the caches (nesl_strips.h). */
#include "nesl_strips.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__) && defined(__GNUC__)
typedef long long uneven __attribute__((vector_size(16), may_alias, aligned(1)));
typedef long long even __attribute__((vector_size(16), may_alias));

enum { CAN = 1 };
#ifdef __clang__
#define STREAM(to, x) __builtin_nontemporal_store(x, to)
#else
#define STREAM(to, x) __builtin_ia32_movntdq(to, x)
#endif

static void
stream(char *to, const char *from, i64 bytes)
{
	const i64 before = (i64)(-(uintptr_t)to % sizeof(even)), first = before < bytes ? before : bytes;
	i64 i = first;

	memcpy(to, from, (size_t)first);
	for (; bytes - i >= NESL_LINE; i += NESL_LINE)
		for (size_t k = 0; k < NESL_LINE / sizeof(even); k++)
			STREAM((even *)(to + i) + k, ((const uneven *)(from + i))[k]);
	memcpy(to + i, from + i, (size_t)(bytes - i));
}

static void
streamed(void)
{
	__builtin_ia32_sfence();
}
#else
enum { CAN = 0 };

static void
stream(char *to, const char *from, i64 bytes)
{
	memcpy(to, from, (size_t)bytes);
}

static void
streamed(void)
{
}
#endif

void
nesl_stream_copy(void *to, const void *from, i64 bytes)
{
	stream(to, from, bytes);
	streamed();
}

/* Whole lines of array k, or, at the end, all that there is. */
static void
store(nesl_strips *s, int k)
{
	const i64 size = s->of[k].size, from = s->of[k].from, in_line = NESL_LINE / size;
	const i64 end = s->hi == s->past ? s->hi : s->hi / in_line * in_line;
	char *const room = s->of[k].room;

	if (end <= from)
		return;
	stream(s->of[k].to + from * size, room, (end - from) * size);
	memmove(room, room + (end - from) * size, (size_t)((s->hi - end) * size));
	s->of[k].from = end;
}

int
nesl_strip_ends(nesl_strips *s)
{
	for (int k = 0; k < s->arrays; k++)
		store(s, k);
	if (s->hi == s->past) {
		streamed();
		return 0;
	}
	s->lo = s->hi;
	s->hi = s->past - s->lo < s->most ? s->past : s->lo + s->most;
	return 1;
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

i64
nesl_strips_from(int threads)
{
	enum { USUAL = 32 << 10 };
	char line[1024];
	i64 kilobytes;
	int share = 0;

	if (!CAN)
		return INT64_MAX;
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

#ifndef TESTS_COST_H
#define TESTS_COST_H
/* What a program costs, as --stats counts it. */
#include "tests/command.h"
#include "tests/tcc.h"
#include <unistd.h>

typedef struct Cost {
	double launches, syncs, read, written, peak;
	double fresh;           /* arrays not in memory of others */
} Cost;

static inline double
moved(Cost c)
{
	return c.read + c.written;
}

static inline double
figure(const char *json, const char *name)
{
	char key[64];
	const char *at;

	snprintf(key, sizeof key, "\"%s\": ", name);
	at = strstr(json, key);
	ck_assert_msg(at, "no %s in %.400s", name, json);
	return atof(at + strlen(key));
}

/* Of a program, a format and what it takes, on cpu with these options; C by tcc where that is.  It runs without errors
 * and gives everything back. */
static inline Cost
cost_of(const char *options, const char *format, va_list ap)
{
	char file[] = "/tmp/nessie-cost-XXXXXX", *json;
	int fd = mkstemp(file), status;
	FILE *f;
	Cost c;

	ck_assert(fd >= 0);
	f = fdopen(fd, "w");
	vfprintf(f, format, ap);
	ck_assert_int_eq(fclose(f), 0);
	status = sh(&json, QUICKLY
		"OMP_NUM_THREADS=1 ./nessie run --target=cpu %s --echo=none --stats %s 2>&1", options, file);
	unlink(file);
	ck_assert_msg(status == 0, "%s\n%s", format, json);
	c = (Cost){figure(json, "launches"), figure(json, "host_syncs"), figure(json, "bytes_read"),
		figure(json, "bytes_written"), figure(json, "peak_bytes"),
		figure(json, "allocations") - figure(json, "allocations_reused")};
	ck_assert(figure(json, "live_bytes_at_exit") == 0);
	free(json);
	return c;
}

static inline Cost
cost_with(const char *options, const char *format, ...)
{
	va_list ap;
	Cost c;

	va_start(ap, format);
	c = cost_of(options, format, ap);
	va_end(ap);
	return c;
}

static inline Cost
cost(const char *format, ...)
{
	va_list ap;
	Cost c;

	va_start(ap, format);
	c = cost_of("", format, ap);
	va_end(ap);
	return c;
}

#endif

#ifndef TESTS_USER_H
#define TESTS_USER_H
/* ./nessie as a user runs it, in a private directory.  Every run has its own TMPDIR, which must be empty afterwards. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/process.h"

static char home[64], root[4096];       /* made once for the suite */
static char out[1 << 16], err[1 << 16]; /* of the last command */

/* The environment of the suite, and what it was before. */
static const char *const variable[] = {
	"NESSIE", "NESSIE_CHECK_HOME", "NESSIE_HOME", "XDG_CACHE_HOME", "TMPDIR", "CC",
};
enum { NVARIABLE = sizeof variable / sizeof *variable };
static char *before[NVARIABLE];

static inline void
set_up(void)
{
	char cache[80], tmp[80];
	const char *const value[NVARIABLE] = {root, home, NULL, cache, tmp, NULL};

	ck_assert(getcwd(root, sizeof root));
	strcpy(home, "/tmp/nessie-check-XXXXXX");
	ck_assert(mkdtemp(home));
	ck_assert_int_eq(chdir(home), 0);
	ck_assert_int_eq(mkdir("cache", 0700) | mkdir("tmp", 0700), 0);
	snprintf(cache, sizeof cache, "%s/cache", home);
	snprintf(tmp, sizeof tmp, "%s/tmp", home);
	for (int i = 0; i < NVARIABLE; i++) {
		before[i] = getenv(variable[i]) ? strdup(getenv(variable[i])) : NULL;
		if (value[i])
			setenv(variable[i], value[i], 1);
		else
			unsetenv(variable[i]);
	}
}

static inline void
tear_down(void)
{
	for (int i = 0; i < NVARIABLE; i++) {
		if (before[i])
			setenv(variable[i], before[i], 1);
		else
			unsetenv(variable[i]);
		free(before[i]);
	}
	ck_assert_int_eq(chdir(root), 0);
	tempdir_remove(home);
}

static inline void
slurp(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(buf, 1, size - 1, f) : 0;

	buf[n] = 0;
	if (f)
		fclose(f);
}

static inline void
spit(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert(f);
	fputs(text, f);
	fclose(f);
}

/* Runs a shell command in which $N is nessie; its exit status, with out and err filled. */
static inline int
sh(const char *command)
{
	char line[4096];
	int status;

	snprintf(line, sizeof line, "N=$NESSIE/nessie; { %s\n} >out.txt 2>err.txt </dev/null", command);
	status = system(line);
	slurp("out.txt", out, sizeof out);
	slurp("err.txt", err, sizeof err);
	ck_assert_msg(rmdir("tmp") == 0, "left in $TMPDIR after: %s", command);
	ck_assert_int_eq(mkdir("tmp", 0700), 0);
	ck_assert_msg(WIFEXITED(status), "%s", command);
	return WEXITSTATUS(status);
}

static inline void
gives(const char *command, int status, const char *text)
{
	int got = sh(command);

	ck_assert_msg(got == status, "%s\nexit status %d, not %d\n%s%s", command, got, status, out, err);
	ck_assert_msg(strcmp(out, text) == 0, "%s\nprints\n%sinstead of\n%s%s", command, out, text, err);
}

/* With one message that has these words. */
static inline void
fails(const char *command, int status, const char *words)
{
	int got = sh(command);

	ck_assert_msg(got == status, "%s\nexit status %d, not %d\n%s%s", command, got, status, out, err);
	ck_assert_msg(strstr(err, words), "%s\nsays\n%sinstead of\n%s", command, err, words);
}

#endif

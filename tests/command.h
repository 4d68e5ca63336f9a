#ifndef TESTS_COMMAND_H
#define TESTS_COMMAND_H
/* For the suites that run ./nessie through the shell: a command and what it prints, files for it, lists of programs. */
#include <check.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* A shell command, as a format and what it takes.  Its exit status, 128 + N if signal N ended it; what it prints to
 * stdout, which the caller frees. */
static inline int
sh(char **out, const char *format, ...)
{
	char command[4096];
	size_t n = 0, cap = 1 << 16;
	va_list ap;
	FILE *f;
	int status;

	va_start(ap, format);
	ck_assert_int_lt(vsnprintf(command, sizeof command, format, ap), (int)sizeof command);
	va_end(ap);
	f = popen(command, "r");
	*out = malloc(cap);
	ck_assert(f && *out);
	for (size_t k; (k = fread(*out + n, 1, cap - n - 1, f)) > 0; ) {
		n += k;
		if (n + 1 == cap)
			*out = realloc(*out, cap *= 2);
		ck_assert(*out);
	}
	(*out)[n] = 0;
	status = pclose(f);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline void
write_file(const char *dir, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_msg(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s is not written", path);
}

/* A file that can be run. */
static inline void
write_script(const char *dir, const char *name, const char *text)
{
	char path[512];

	write_file(dir, name, text);
	snprintf(path, sizeof path, "%s/%s", dir, name);
	ck_assert_int_eq(0, chmod(path, 0700));
}

typedef struct Programs {
	char *path[200];
	int n;
} Programs;

static inline int
is_program(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.');

	return dot && strcmp(dot, ".nesl") == 0;
}

/* Adds the .nesl files of a directory, in the order of their names; how many there are then.  For what makes a suite:
 * Check cannot be told of a failure yet. */
static inline int
add_programs(Programs *p, const char *dir)
{
	struct dirent **entry;
	const int n = scandir(dir, &entry, is_program, alphasort);

	if (n <= 0 || p->n + n > (int)(sizeof p->path / sizeof *p->path)) {
		fprintf(stderr, "%s: %d programs\n", dir, n);
		exit(2);
	}
	for (int i = 0; i < n; i++) {
		char path[512];

		snprintf(path, sizeof path, "%s/%s", dir, entry[i]->d_name);
		p->path[p->n++] = strdup(path);
		free(entry[i]);
	}
	free(entry);
	return p->n;
}

#endif

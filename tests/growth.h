#ifndef TESTS_GROWTH_H
#define TESTS_GROWTH_H
/* For suites that look at programs of two sizes: bounds, and commands in a private directory. */
#include "common/process.h"
#include "tests/command.h"
#include "tests/tcc.h"

static char dir[sizeof "/tmp/nessie-cost-XXXXXX"];

static inline void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-cost-XXXXXX");
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "1", 1);
	if (system("command -v tcc >/dev/null") == 0)
		setenv("CC", TCC, 1);
}

static inline void
remove_dir(void)
{
	tempdir_remove(dir);
}

static inline const char *
in_dir(const char *name)
{
	static char path[2][256];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
	return path[turn];
}

/* A command in which % stands for the private directory; its exit status. */
static inline int
command(const char *text)
{
	char line[1024];
	size_t n = 0;
	int status;

	for (; *text && n < sizeof line - sizeof dir; text++)
		if (*text == '%')
			n += (size_t)snprintf(line + n, sizeof line - n, "%s", dir);
		else
			line[n++] = *text;
	line[n] = 0;
	status = system(line);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static inline char *
text_of(const char *name)
{
	FILE *f = fopen(in_dir(name), "r");
	char *s = calloc(1, 1 << 20);

	ck_assert(f && s);
	ck_assert(fread(s, 1, (1 << 20) - 1, f) < (1 << 20) - 1);
	fclose(f);
	return s;
}

static inline void
at_most(const char *what, double is, double bound)
{
	ck_assert_msg(is <= bound, "%s: %.0f, more than %.0f", what, is, bound);
}

#endif

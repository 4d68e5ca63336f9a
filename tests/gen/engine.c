/* engine.c: see engine.h. */
#define _GNU_SOURCE
#include "tests/gen/engine.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef HAVE_LIBTCC
#include <libtcc.h>
#endif

int nessie_main(int argc, char **argv);         /* main of nessie.c, by another name */

enum { MAXARG = 40 };

typedef struct {
	int argc;
	char *argv[MAXARG + 1];
} Words;

/* -- a process ---------------------------------------------------------------------------------- */

/* The file that a child has written; for the next child it is empty again.  A char 0 that a program prints does not end it: it is 1. */
static char *
written(Arena *a, int fd)
{
	off_t n = lseek(fd, 0, SEEK_END);
	char *s = arena_alloc(a, (size_t)n + 1);

	if (pread(fd, s, (size_t)n, 0) != n)
		n = 0;
	s[n] = 0;
	for (char *at = s; (at = memchr(at, 0, (size_t)(s + n - at))); )
		*at = 1;
	if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		perror("gen");
	return s;
}

/* Is a C++ compiler to be run, for the emulator, or a C compiler with sanitizers? */
static bool
slow(void)
{
#ifdef __SANITIZE_ADDRESS__
	return true;
#else
	const char *cc = getenv("CC");

	return getenv("SIMT_SEED") || (cc && strstr(cc, "-fsanitize=address"));
#endif
}

/* Address space is what recursion without end would eat first; sanitizers want it all, and make C compilers slow. */
static void
limits(void)
{
	struct rlimit r = {(rlim_t)8 << 30, RLIM_INFINITY};
	rlim_t seconds = slow() ? 30 * SECONDS : SECONDS;

	if (!slow())
		setrlimit(RLIMIT_AS, &r);
	r.rlim_cur = 256 << 20;
	setrlimit(RLIMIT_STACK, &r);
	setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
}

static Result
in_child(Arena *a, int (*body)(void *), void *with)
{
	static int out = -1, err = -1;
	int status = 0;
	pid_t pid;

	if (out < 0) {
		out = memfd_create("out", 0);
		err = memfd_create("err", 0);
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		dup2(out, 1);
		dup2(err, 2);
		limits();
		status = body(with);
		fflush(NULL);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("gen");
		exit(2);
	}
	return (Result){WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), written(a, out), written(a, err)};
}

/* -- nessie ------------------------------------------------------------------------------------- */

static void
add(Words *w, const char *word)
{
	w->argv[w->argc++] = (char *)word;
	w->argv[w->argc] = NULL;
}

static Words
words(Arena *a, const char *options, const char *file, const char *const *args)
{
	Words w = {0};

	add(&w, "nessie");
	for (options += strspn(options, " "); *options; options += strspn(options, " ")) {
		size_t n = strcspn(options, " ");

		add(&w, arena_strndup(a, options, n));
		options += n;
	}
	if (strcmp(w.argv[1], "run") == 0) {
		add(&w, DEPTH);
		add(&w, ECHO);
	}
	add(&w, file);
	for (; args && *args; args++)
		add(&w, *args);
	return w;
}

static int
run_nessie(void *with)
{
	Words *w = with;

	return nessie_main(w->argc, w->argv);
}

Result
engine_nessie(Arena *a, const char *options, const char *file, const char *const *args)
{
	Words w = words(a, options, file, args);

	return in_child(a, run_nessie, &w);
}

/* -- what it makes ------------------------------------------------------------------------------ */

#ifdef HAVE_LIBTCC

typedef struct {
	const char *text, *stats;
} CText;

/* Names that are not in the text are found in this program. */
static int
run_text(void *with)
{
	const CText *c = with;
	TCCState *s = tcc_new();
	int (*start)(int, char **);
	char *argv[] = {"nessie", DEPTH, ECHO, (char *)c->stats, NULL};

	tcc_set_output_type(s, TCC_OUTPUT_MEMORY);
	tcc_set_options(s, "-std=c11 -D_DEFAULT_SOURCE -Wimplicit-function-declaration -Werror");
	tcc_add_include_path(s, "backend/rt");
	if (tcc_compile_string(s, c->text) != 0 || tcc_relocate(s, TCC_RELOCATE_AUTO) != 0)
		return 5;
	start = (int (*)(int, char **))(uintptr_t)tcc_get_symbol(s, "main");
	return start(3 + (c->stats != NULL), argv);
}

Result
engine_cpu(Arena *a, const char *options, const char *file, const char *const *args, const char *stats,
	const char *(*edit)(Arena *, const char *text))
{
	Result r = engine_nessie(a, arena_printf(a, "dump --stage=c %s", options), file, args);
	CText c = {r.out, stats};

	if (r.status != 0)
		return r;
	if (edit)
		c.text = edit(a, c.text);
	return in_child(a, run_text, &c);
}

bool engine_in_memory(void) { return true; }

#else

/* Without libtcc: the compiler $CC, which writes files. */
Result
engine_cpu(Arena *a, const char *options, const char *file, const char *const *args, const char *stats,
	const char *(*edit)(Arena *, const char *text))
{
	(void)edit;
	return engine_nessie(a, arena_printf(a, "run --target=cpu %s %s", stats ? stats : "", options), file, args);
}

bool engine_in_memory(void) { return false; }

#endif

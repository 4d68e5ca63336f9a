/* fuzz.c: runs generated programs on interp and cpu, and compares.
 *
 *     fuzz FROM TO        the programs of these seeds; status 1 if some failed
 *     fuzz print SEED     the program
 *     fuzz file PATH      the same checks for a program in a file
 *
 * Each program, one in five with ints of 32 bits: both targets, equal values (floats to 1e-12), equal exit status,
 * as many faults in each; without faults the cpu target has freed everything.  Now and then besides tcc (where it
 * is) gcc with one thread and with two, or with its sanitizers; through the dump of a stage that is read back; and
 * the last form as -e.
 * A fault: elements are done in another order by cpu, so the first it meets may be another than interp's; such
 * programs are counted, and it must be one of those that interp lists with --all-faults. */
#include "tests/fuzz/generate.h"
#include "tests/same_values.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 200 };

typedef struct {
	int status;
	char *out, *err;
} Result;

typedef struct {
	Arena *arena;
	char dir[32];
	const char *tcc;        /* gcc where it is not there */
	const char *grain;      /* of this program, for the cpu target */
	const char *width;      /* its --int */
	const char *file;       /* the program */
	int moved;              /* it is cut in two, so places are others */
	int other_site;         /* programs whose faults differ in place or kind */
	int faulted;
	char why[512];
} Fuzz;

static char *
slurp(Arena *a, const char *path)
{
	FILE *f = fopen(path, "r");
	char *s;
	long n;

	if (!f)
		return arena_strndup(a, "", 0);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	s = arena_alloc(a, (size_t)n + 1);
	if (fread(s, 1, (size_t)n, f) != (size_t)n)
		n = 0;
	s[n] = 0;
	fclose(f);
	return s;
}

static void
spit(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		exit(2);
	}
}

/* A command in the fuzzer's directory; %s of the format are the caller's. */
static Result
run(Fuzz *z, const char *fmt, ...)
{
	char command[4096], path[64];
	Result r;
	va_list ap;
	size_t n;

	n = (size_t)snprintf(command, sizeof command, "ulimit -Sv 8000000; ");
	va_start(ap, fmt);
	n += (size_t)vsnprintf(command + n, sizeof command - n, fmt, ap);
	va_end(ap);
	snprintf(command + n, sizeof command - n, " >%s/out 2>%s/err", z->dir, z->dir);
	r.status = system(command);
	r.status = WIFEXITED(r.status) ? WEXITSTATUS(r.status) : 128;
	snprintf(path, sizeof path, "%s/out", z->dir);
	r.out = slurp(z->arena, path);
	snprintf(path, sizeof path, "%s/err", z->dir);
	r.err = slurp(z->arena, path);
	return r;
}

/* `LINE:COL: error[KIND]` of each fault, a line each. */
static const char *
faults(Fuzz *z, const char *err, int *n)
{
	const char *all = "", *p = err;

	for (*n = 0; (p = strstr(p, ": error[")); (*n)++) {
		const char *from = p, *to = strchr(p, ']');

		while (from > err && from[-1] != '\n')
			from--;
		while (from < p && *from != ':')
			from++;
		p = to ? to : p + 1;
		all = arena_printf(z->arena, "%s%.*s\n", all, (int)(p - from), from);
	}
	return all;
}

/* Is each of these lines one of those? */
static int
among(const char *lines, const char *all)
{
	for (size_t n; *lines; lines += n) {
		const char *at = all;

		n = strcspn(lines, "\n") + 1;
		while (strncmp(at, lines, n) != 0 && *at)
			at += strcspn(at, "\n") + 1;
		if (!*at)
			return 0;
	}
	return 1;
}

/* Faults other than those that came first on interp: some element must have met each of them first. */
static int
met_first(Fuzz *z, const char *what, const char *got)
{
	Result all = run(z, "timeout %d ./nessie run %s --target=interp --all-faults %s", SECONDS, z->width, z->file);
	int n;

	z->other_site++;
	if (among(got, faults(z, all.err, &n)))
		return 1;
	snprintf(z->why, sizeof z->why, "%s: no element of interp's meets this fault first: %.200s", what, got);
	return 0;
}

static int
agree(Fuzz *z, const char *what, Result want, Result got)
{
	int m, n;
	const char *a = faults(z, want.err, &m), *b = faults(z, got.err, &n);

	z->why[0] = 0;
	if (got.status != want.status)
		snprintf(z->why, sizeof z->why, "%s: exit status %d instead of %d: %.300s", what, got.status, want.status,
			got.err);
	else if (!same_values(want.out, got.out))
		snprintf(z->why, sizeof z->why, "%s: other values", what);
	else if (m != n)
		snprintf(z->why, sizeof z->why, "%s: %d faults instead of %d", what, n, m);
	else if (!z->moved && strcmp(a, b) != 0)
		return met_first(z, what, b);
	return !z->why[0];
}

static int
nothing_left(Fuzz *z, int status)
{
	const char *s = slurp(z->arena, arena_printf(z->arena, "%s/stats", z->dir));

	if (status != 0 || (strstr(s, "\"live_bytes_at_exit\": 0,") && strstr(s, "\"bytes_swept\": 0,")))
		return 1;
	snprintf(z->why, sizeof z->why, "memory is left: %.300s", s);
	return 0;
}

static int
gcc_threads(Fuzz *z, const char *file, Result want)
{
	for (int n = 1; n <= 2; n++) {
		Result r = run(z, "OMP_NUM_THREADS=%d CC=gcc timeout %d ./nessie run %s --grain=1 --target=cpu %s", n,
			SECONDS, z->width, file);

		if (!agree(z, n == 1 ? "gcc, one thread" : "gcc, two threads", want, r))
			return 0;
	}
	return 1;
}

/* No access out of bounds, nothing undefined.  Address space is what the sanitizer needs most. */
static int
sanitized(Fuzz *z, const char *file, Result want)
{
	return agree(z, "gcc with sanitizers", want,
		run(z, "ulimit -Sv unlimited; CC='gcc -g -fsanitize=address,undefined -fno-sanitize-recover=all' "
			" ASAN_OPTIONS=detect_leaks=0 timeout %d ./nessie run %s --grain=1 --target=cpu %s", SECONDS, z->width, file));
}

static int
through_dump(Fuzz *z, const char *file, int which, Result want)
{
	static const char *const stage[] = {"normal", "flan", "lcu", "normal"};
	const char *s = stage[which];

	return agree(z, arena_printf(z->arena, "from %s", s), want,
		run(z, "./nessie dump %s --stage=%s %s >%s/d.%s && CC='%s' timeout %d ./nessie run %s --target=%s --from=%s %s/d.%s",
			z->width, s, file, z->dir, s, z->tcc, SECONDS, z->grain, which == 3 ? "interp" : "cpu", s, z->dir, s));
}

/* All forms but the last in the file, the last as -e. */
static int
last_as_option(Fuzz *z, const char *text, Result want)
{
	const char *end = text + strlen(text) - 1, *last = end;
	int same;

	while (last > text && last[-1] != '\n')
		last--;
	spit(arena_printf(z->arena, "%s/head.nesl", z->dir), text, (size_t)(last - text));
	spit(arena_printf(z->arena, "%s/last", z->dir), last, (size_t)(end - last - 1));
	z->moved = 1;
	same = agree(z, "last form as -e", want,
		run(z, "CC='%s' timeout %d ./nessie run %s %s --target=cpu %s/head.nesl -e \"$(cat %s/last)\"", z->tcc, SECONDS,
			z->width, z->grain, z->dir, z->dir));
	z->moved = 0;
	return same;
}

static int
check(Fuzz *z, const char *file, const char *text, unsigned long long seed)
{
	Result want, got;

	z->file = file;
	z->width = seed % 5 == 4 ? "--int=32" : "--int=64";
	want = run(z, "timeout %d ./nessie run %s --target=interp %s", SECONDS, z->width, file);
	/* chunks of one element, so that small sequences have several */
	z->grain = seed % 4 == 3 ? "" : "--grain=1";
	if (want.status != 0 && want.status != 3) {
		snprintf(z->why, sizeof z->why, "interp: exit status %d: %.300s", want.status, want.err);
		return 0;
	}
	z->faulted += want.status == 3;
	got = run(z, "CC='%s' timeout %d ./nessie run %s %s --target=cpu --stats=%s/stats %s", z->tcc, SECONDS, z->width, z->grain,
		z->dir, file);
	if (!agree(z, "cpu", want, got) || !nothing_left(z, got.status))
		return 0;
	if (seed % 50 == 49)
		return seed % 100 == 49 ? gcc_threads(z, file, want) : sanitized(z, file, want);
	if (seed % 8 < 4 && seed % 3 == 0)
		return through_dump(z, file, (int)(seed % 8), want);
	return seed % 10 != 7 || last_as_option(z, text, want);
}

static int
check_seeds(Fuzz *z, unsigned long long from, unsigned long long to)
{
	int failed = 0;

	for (unsigned long long seed = from; seed <= to; seed++) {
		const char *text, *file;

		z->arena = arena_new();
		z->why[0] = 0;
		text = generate_program(z->arena, seed);
		file = arena_printf(z->arena, "%s/p.nesl", z->dir);
		spit(file, text, strlen(text));
		if (!check(z, file, text, seed)) {
			printf("seed %llu: %s\n", seed, z->why);
			fflush(stdout);
			failed++;
		}
		arena_free(z->arena);
	}
	printf("fuzz: seeds %llu to %llu, %llu programs, %d failed; %d with faults, the first of them another on cpu in %d\n",
		from, to, to - from + 1, failed, z->faulted, z->other_site);
	return failed > 0;
}

int
main(int argc, char **argv)
{
	Fuzz z = {.dir = "/tmp/nessie-fuzz-XXXXXX"};
	int status = 2;

	if (argc != 3) {
		fprintf(stderr, "fuzz FROM TO | fuzz print SEED | fuzz file PATH\n");
		return status;
	}
	z.tcc = system("command -v tcc >/dev/null 2>&1") == 0 ? "tcc" : "gcc";
	z.arena = arena_new();
	if (strcmp(argv[1], "print") == 0) {
		fputs(generate_program(z.arena, strtoull(argv[2], NULL, 10)), stdout);
		return 0;
	}
	if (!mkdtemp(z.dir)) {
		perror(z.dir);
		return status;
	}
	setenv("XDG_CACHE_HOME", z.dir, 1);
	if (strcmp(argv[1], "file") == 0) {
		status = !check(&z, argv[2], slurp(z.arena, argv[2]), 1);
		printf("%s\n", status ? z.why : "ok");
	} else {
		status = check_seeds(&z, strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10));
	}
	snprintf(z.why, sizeof z.why, "rm -rf %s", z.dir);
	return system(z.why) != 0 ? 2 : status;
}

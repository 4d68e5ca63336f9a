/* gen.c: runs generated programs on interp and cpu, and compares.
 *
 *     gen FROM TO             the programs of these seeds; status 1 if some failed
 *     gen print SEED          the program
 *     gen file PATH [SEED]    the same checks, as for the program of this seed, for a program in a file
 *     gen planted SEED        as if the cpu target subtracted what it should add: what is printed must be small
 *
 * Each program, by its seed with other sizes of chunks and ints: both targets, equal values (floats too, unless the program
 * is a rough one), equal exit status, as many faults in each; without faults the cpu target has freed everything.  C is
 * compiled by libtcc, where it is.  Now and then also gcc with one thread and with two, or with its sanitizers; through the
 * dump of a stage that is read back; and the last form as -e.
 * A fault: elements are done in another order by cpu, so the first it meets may be another than interp's; such
 * programs are counted, and it must be one of those that interp lists with --all-faults.
 * A program that fails is shrunk and printed. */
#include "tests/gen/engine.h"
#include "tests/gen/generate.h"
#include "tests/gen/shrink.h"
#include "tests/same_values.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 2000 };

typedef unsigned long long Seed;

typedef struct {
	Arena *arena;
	char dir[32];
	const char *file;       /* the program */
	const char *options;    /* of this program */
	const char *stats;
	Seed seed;
	bool planted;
	bool moved;             /* it is cut in two, so places are others */
	int other_site;         /* programs whose faults differ in place or kind */
	int faulted;
	const char *how;        /* the way it failed: two failures are the same if this text is */
	char why[512];
} Gen;

/* -- outcomes ------------------------------------------------------------------------------------ */

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

__attribute__((format(printf, 3, 4))) static bool
differs(Gen *z, const char *how, const char *fmt, ...)
{
	va_list ap;

	z->how = how;
	va_start(ap, fmt);
	vsnprintf(z->why, sizeof z->why, fmt, ap);
	va_end(ap);
	return false;
}

/* `LINE:COL: error[KIND]` of each fault, a line each. */
static const char *
faults(Gen *z, const char *err, int *n)
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
static bool
among(const char *lines, const char *all)
{
	for (size_t n; *lines; lines += n) {
		const char *at = all;

		n = strcspn(lines, "\n") + 1;
		while (strncmp(at, lines, n) != 0 && *at)
			at += strcspn(at, "\n") + 1;
		if (!*at)
			return false;
	}
	return true;
}

/* Faults other than those that came first on interp: some element must have met each of them first. */
static bool
met_first(Gen *z, const char *what, const char *got)
{
	Result all = engine_nessie(z->arena, arena_printf(z->arena, "run --target=interp --all-faults %s", z->options), z->file, NULL);
	int n;

	z->other_site++;
	return among(got, faults(z, all.err, &n))
		|| differs(z, "fault", "%s: no element of interp's meets this fault first: %.200s", what, got);
}

/* In which way they differ, before which variant ran is known. */
static bool
agree(Gen *z, const char *what, Result want, Result got)
{
	int m, n;
	const char *a = faults(z, want.err, &m), *b = faults(z, got.err, &n);

	if (got.status != want.status)
		return differs(z, arena_printf(z->arena, "status %d %d", want.status, got.status),
			"%s: exit status %d instead of %d: %.300s", what, got.status, want.status, got.err);
	if (!(z->seed % ROUGH == 0 ? same_values(want.out, got.out) : strcmp(want.out, got.out) == 0))
		return differs(z, "values", "%s: other values", what);
	if (m != n)
		return differs(z, "faults", "%s: %d faults instead of %d", what, n, m);
	return z->moved || strcmp(a, b) == 0 || met_first(z, what, b);
}

/* -- variants ------------------------------------------------------------------------------------ */

/* Of the cpu target.  Small sequences have several chunks where chunks are small. */
static const char *
options_of(Gen *z)
{
	static const char *const grain[] = {"--grain=1", "--grain=1", "--grain=3", ""};
	static const char *const width[] = {"", "", "", "", "--int=32"};

	return arena_printf(z->arena, "%s %s", grain[z->seed % 4], width[z->seed % 5]);
}

/* What is added is subtracted. */
static const char *
plant(Arena *a, const char *text)
{
	const char *out = "", *from = text;

	for (const char *p = text; (p = strstr(p, "\t\t\tconst nint ")); p++) {
		const char *end = strchr(p, '\n'), *plus = strstr(p, " + ");

		if (!plus || plus > end)
			continue;
		out = arena_printf(a, "%s%.*s - ", out, (int)(plus - from), from);
		from = plus + 3;
	}
	return arena_printf(a, "%s%s", out, from);
}

static bool
cpu(Gen *z, Result want)
{
	Result got = engine_cpu(z->arena, z->options, z->file, NULL, arena_printf(z->arena, "--stats=%s", z->stats),
		z->planted ? plant : NULL);
	const char *s;

	if (!agree(z, "cpu", want, got))
		return false;
	s = got.status ? "" : slurp(z->arena, z->stats);
	return got.status || (strstr(s, "\"live_bytes_at_exit\": 0,") && strstr(s, "\"bytes_swept\": 0,"))
		|| differs(z, "memory", "memory is left: %.300s", s);
}

static bool
with_compiler(Gen *z, const char *what, const char *cc, const char *threads, Result want)
{
	setenv("CC", cc, 1);
	setenv("OMP_NUM_THREADS", threads, 1);
	return agree(z, what, want, engine_nessie(z->arena, arena_printf(z->arena, "run --target=cpu %s", z->options), z->file, NULL));
}

/* No access out of bounds, nothing undefined; or one thread and two. */
static bool
gcc(Gen *z, Result want)
{
	if (z->seed % 2)
		return with_compiler(z, "gcc with sanitizers", "gcc -g -fsanitize=address,undefined -fno-sanitize-recover=all", "2", want);
	return with_compiler(z, "gcc, one thread", "gcc", "1", want) && with_compiler(z, "gcc, two threads", "gcc", "2", want);
}

static bool
through_dump(Gen *z, Result want)
{
	static const char *const stage[] = {"normal", "flan", "lcu", "normal"};
	const char *s = stage[z->seed / 8 % 4], *path = arena_printf(z->arena, "%s/d.%s", z->dir, s);
	const char *from = arena_printf(z->arena, "--from=%s %s", s, z->options);
	Result d = engine_nessie(z->arena, arena_printf(z->arena, "dump --stage=%s %s", s, z->options), z->file, NULL);

	spit(path, d.out, strlen(d.out));
	return agree(z, arena_printf(z->arena, "from %s", s), want,
		z->seed / 8 % 4 == 3 ? engine_nessie(z->arena, arena_printf(z->arena, "run --target=interp %s", from), path, NULL)
		: engine_cpu(z->arena, from, path, NULL, NULL, NULL));
}

/* All forms but the last in the file, the last as -e. */
static bool
last_as_option(Gen *z, const char *text, Result want)
{
	const char *end = strrchr(text, ';'), *last = end, *head = arena_printf(z->arena, "%s/head.nesl", z->dir);
	bool same;

	while (last > text && last[-1] != '\n')
		last--;
	spit(head, text, (size_t)(last - text));
	z->moved = true;
	same = agree(z, "last form as -e", want, engine_cpu(z->arena, z->options, head,
		(const char *const[]){"-e", arena_strndup(z->arena, last, (size_t)(end - last)), NULL}, NULL, NULL));
	z->moved = false;
	return same;
}

static bool
check(Gen *z, const char *text)
{
	Result want;

	z->how = NULL;
	z->options = options_of(z);
	spit(z->file, text, strlen(text));
	want = engine_nessie(z->arena, arena_printf(z->arena, "run --target=interp %s", z->options), z->file, NULL);
	if (want.status != 0 && want.status != 3)
		return differs(z, arena_printf(z->arena, "interp %d", want.status), "interp: exit status %d: %.300s", want.status, want.err);
	z->faulted += want.status == 3;
	if (!cpu(z, want))
		return false;
	if (z->seed % 1000 > 997)
		return gcc(z, want);
	if (z->seed % 8 == 3)
		return through_dump(z, want);
	return z->seed % 16 != 6 || last_as_option(z, text, want);
}

/* -- programs ------------------------------------------------------------------------------------ */

typedef struct {
	Gen *z;
	const char *how;
} Failure;

/* What a try needs is given back. */
static bool
fails_so(void *with, const char *text)
{
	Failure *f = with;
	Arena *kept = f->z->arena;
	bool so;

	f->z->arena = arena_new();
	so = !check(f->z, text) && strcmp(f->z->how, f->how) == 0;
	arena_free(f->z->arena);
	f->z->arena = kept;
	return so;
}

static bool
check_and_shrink(Gen *z, const char *text)
{
	Failure f = {z, NULL};
	Gen counts = *z;

	if (check(z, text))
		return true;
	printf("seed %llu (%s): %s\n", z->seed, z->options, z->why);
	f.how = z->how;
	text = shrink(z->arena, text, fails_so, &f, TRIES);
	printf("%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	fflush(stdout);
	z->other_site = counts.other_site;
	z->faulted = counts.faulted;
	return false;
}

static bool
check_seeds(Gen *z, Seed from, Seed to)
{
	int failed = 0;

	for (z->seed = from; z->seed <= to; z->seed++) {
		z->arena = arena_new();
		z->file = arena_printf(z->arena, "%s/p.nesl", z->dir);
		z->stats = arena_printf(z->arena, "%s/stats", z->dir);
		failed += !check_and_shrink(z, generate_program(z->arena, z->seed));
		arena_free(z->arena);
	}
	printf("gen: seeds %llu to %llu, %llu programs, %d failed; %d with faults, the first of them another on cpu in %d\n",
		from, to, to - from + 1, failed, z->faulted, z->other_site);
	return failed == 0;
}

static bool
check_file(Gen *z, const char *path, Seed seed)
{
	bool ok;

	z->seed = seed;
	z->arena = arena_new();
	z->file = arena_printf(z->arena, "%s/p.nesl", z->dir);
	z->stats = arena_printf(z->arena, "%s/stats", z->dir);
	ok = check_and_shrink(z, path ? slurp(z->arena, path) : generate_program(z->arena, seed));
	arena_free(z->arena);
	return ok;
}

static Seed
number(const char *s)
{
	return strtoull(s, NULL, 10);
}

int
main(int argc, char **argv)
{
	Gen z = {.dir = "/tmp/nessie-gen-XXXXXX"};
	bool ok;

	if (argc < 3 || argc > 4) {
		fprintf(stderr, "gen FROM TO | gen print SEED | gen file PATH [SEED] | gen planted SEED\n");
		return 2;
	}
	if (strcmp(argv[1], "print") == 0) {
		fputs(generate_program(arena_new(), number(argv[2])), stdout);
		return 0;
	}
	if (!mkdtemp(z.dir)) {
		perror(z.dir);
		return 2;
	}
	setenv("XDG_CACHE_HOME", z.dir, 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	setenv("CC", "tcc", 1);
	z.planted = strcmp(argv[1], "planted") == 0;
	if (strcmp(argv[1], "file") == 0)
		ok = check_file(&z, argv[2], argc > 3 ? number(argv[3]) : 1);
	else if (z.planted)
		ok = !engine_in_memory() || check_file(&z, NULL, number(argv[2]));
	else
		ok = check_seeds(&z, number(argv[1]), number(argv[2]));
	snprintf(z.why, sizeof z.why, "rm -rf %s", z.dir);
	return system(z.why) != 0 ? 2 : !ok;
}

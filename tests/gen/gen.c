/* gen.c: runs generated programs on interp and cpu, or the emulator, and compares.
 *
 *     gen FROM TO             the programs of these seeds; status 1 if some failed
 *     gen each FROM TO        the same, with every setting of fusion, with and without shape analysis, and with --debug, where
 *                             otherwise some programs have the one and some the other; three times as long
 *     gen print SEED          the program
 *     gen file PATH [SEED]    the same checks, as for the program of this seed, for a program in a file
 *     gen first FROM TO       up to the first group that fails, not shrunk
 *     gen in-memory 0         status 0 if libtcc is there, so that it takes little time
 *     gen planted FROM TO     up to the first that fails, as if the cpu target subtracted what it should add
 *     gen emu FROM TO         as the CUDA that is emitted, on the emulator in place of the cpu, in all schedules, which
 *                             are the same to the bit, messages too; a C++ compiler ($CXX) takes a second a program
 *     gen texts FROM TO       only compiled, to C and to CUDA, with options of which each program has others: what crashes the
 *                             compiler is found many times as fast
 *
 * Each program, by its seed with other sizes of chunks and ints: both targets, equal values (floats too, unless the program
 * is a rough one), equal exit status, as many faults in each; without faults the cpu target has freed everything.  C is
 * compiled by libtcc, where it is.  Now and then also gcc with one thread and with three, or with its sanitizers; through the
 * dump of a stage that is read back; the last form as -e; what forms set as inputs; and with less memory than that took.
 * A fault: elements are done in another order by cpu, so the first it meets may be another than interp's; such
 * programs are counted, and it must be one of those that interp lists with --all-faults.
 * A program that fails is shrunk and printed. */
#include "common/process.h"
#include "tests/gen/engine.h"
#include "tests/gen/generate.h"
#include "tests/gen/shrink.h"
#include "tests/same_values.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 2000, SCHEDULES = 4, TEXTS = 8, MANY = 500 };   /* MANY: programs, some of which run small rows in nested form */

typedef unsigned long long Seed;

typedef struct {
	Arena *arena;
	char dir[32];
	const char *file;       /* the program */
	const char *options;    /* of this program */
	const char *stats;
	Seed variant;           /* which options, which checks besides */
	bool planted, emulated, each, texts;
	bool debugs;            /* this run has --debug */
	bool moved;             /* it is cut in two, so places are others */
	int other_site;         /* how often faults differ in place or kind */
	int faults;             /* of interp's */
	int small;              /* programs that ran rows of few elements in nested form */
	int kinds[9];           /* by kind */
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
	for (char *c = z->why; *c; c++)         /* one line */
		if (*c == '\n')
			*c = c[1] ? ' ' : 0;
	return false;
}

/* The path of the error that ends at p, before the next one; NULL if none is told. */
static const char *
path_behind(const char *p)
{
	const char *path = strstr(p, "\n  in "), *next = strstr(p, ": error[");

	return path && (!next || path < next) ? path + 1 : NULL;
}

/* `LINE:COL: error[KIND]  in element [I]` of each fault, a line each. */
static const char *
faults(Gen *z, const char *err, int *n)
{
	const char *p = err;
	char *all = arena_alloc(z->arena, 2 * strlen(err) + 1), *end = all;     /* parts of err, and a newline behind each */

	*end = 0;
	for (*n = 0; (p = strstr(p, ": error[")); (*n)++) {
		const char *from = p, *to = strchr(p, ']'), *path;

		while (from > err && from[-1] != '\n')
			from--;
		while (from < p && *from != ':')
			from++;
		p = to ? to : p + 1;
		path = path_behind(p);
		end += sprintf(end, "%.*s%.*s\n", (int)(p - from), from, path ? (int)strcspn(path, "\n") : 0, path ? path : "");
	}
	return all;
}

/* The first line of `got` is that of `want`, but for what is lost at the front of its path; with --debug no more is lost than
 * interp does not tell. */
static bool
same_fault(const Gen *z, const char *got, const char *want)
{
	static const char lost[] = "  in element ...", some[] = "  in some element";
	const char *path = strstr(got, "  in ");
	size_t n = strcspn(got, "\n"), m = strcspn(want, "\n"), head = path && path < got + n ? (size_t)(path - got) : n;
	bool cut = head < n && strncmp(path, lost, strlen(lost)) == 0;
	bool unknown = head < n && strncmp(path, some, strlen(some)) == 0;
	size_t tail = unknown ? 0 : n - head - (cut ? strlen(lost) : 0);

	if (z->debugs || (!cut && !unknown))
		return n == m && strncmp(got, want, n) == 0;
	return head + tail <= m && strncmp(got, want, head) == 0 && strncmp(want + head, "  in ", 5) == 0
		&& strncmp(got + n - tail, want + m - tail, tail) == 0;
}

/* Is each of these lines one of those? */
static bool
among(const Gen *z, const char *lines, const char *all)
{
	for (; *lines; lines += strcspn(lines, "\n") + 1) {
		const char *at = all;

		while (*at && !same_fault(z, lines, at))
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
	return among(z, got, faults(z, all.err, &n))
		|| differs(z, "fault", "%s: no element of interp's meets this fault first: %.200s", what, got);
}

static bool
same_text(const Gen *z, const char *want, const char *got)
{
	return rough(z->variant) ? same_to(want, got, 1e-6, 1e-6) : strcmp(want, got) == 0;
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
	if (!same_text(z, want.out, got.out))
		return differs(z, "values", "%s: other values", what);
	if (m != n)
		return differs(z, "faults", "%s: %d faults instead of %d", what, n, m);
	if (m == 0 && !same_text(z, want.err, got.err))
		return differs(z, "printed", "%s: other text printed: %.300s", what, got.err);
	return z->moved || strcmp(a, b) == 0 || met_first(z, what, b);
}

/* -- variants ------------------------------------------------------------------------------------ */

/* Small sequences have several chunks where chunks are small; without --no-avoid much is not flattened. */
static const char *
options_with(Gen *z, const char *fuse, const char *shape, bool debugs)
{
	static const char *const grain[] = {"--grain=1", "--grain=1", "--grain=3", ""};
	static const char *const width[] = {"", "", "", "", "--int=32"};
	static const char *const level[] = {"", "-O0", "", "-O1", "", "", ""};

	z->debugs = debugs;
	return arena_printf(z->arena, "%s %s %s %s %s %s %s %s", grain[z->variant % 4], width[z->variant % 5], level[z->variant % 7],
		z->variant % 3 ? "--no-avoid" : "", fuse, shape, z->variant % 13 ? "" : "--no-reuse", debugs ? "--debug" : "");
}

/* With --debug what is known of sizes is checked, and all indices of a fault are told.  As CUDA more seldom, and only where code is
 * optimised: the text is nine times as long, and its compiler is what a run on the emulator waits for. */
static const char *
options_of(Gen *z)
{
	static const char *const fuse[] = {"--fuse=none", "", "", "", "--fuse=map", "", "", "", "", "", ""};
	const bool optimised = z->variant % 7 != 1 && z->variant % 7 != 3;
	const Seed turn = z->variant % (z->emulated ? 50 : 10);

	return options_with(z, fuse[z->variant % 11], z->variant % 5 == 2 ? "--no-shape" : "",
		(turn == 1 || turn == 4) && (optimised || !z->emulated));
}

/* Elements that are added are subtracted. */
static const char *
plant(Arena *a, const char *text)
{
	static const char *const sum = " = iadd(";
	const char *out = "", *from = text;

	for (const char *p = text; (p = strstr(p, "\tconst nint add")); p++) {
		const char *at = strstr(p, sum);

		if (!at || at > strchr(p, '\n'))
			continue;
		out = arena_printf(a, "%s%.*s = isub(", out, (int)(at - from), from);
		from = at + strlen(sum);
	}
	return arena_printf(a, "%s%s", out, from);
}

static bool
ran_small_rows(const char *stats)
{
	static const char task[] = "_small\", ", bytes[] = "\"bytes_read\": ";
	const char *n;

	for (const char *at = stats; (at = strstr(at, task)); at += strlen(task))
		if ((n = strstr(at, bytes)) && n[strlen(bytes)] != '0')
			return true;
	return false;
}

/* A run has given back everything; of what a form with a fault had made, what was left was swept. */
static bool
nothing_is_left(Gen *z, Result got)
{
	const char *s = slurp(z->arena, z->stats);

	return (strstr(s, "\"live_bytes_at_exit\": 0,") && (got.status || strstr(s, "\"bytes_swept\": 0,")))
		|| differs(z, "memory", "memory is left: %.300s", s);
}

static bool
cpu(Gen *z, Result want)
{
	Result got = engine_cpu(z->arena, z->options, z->file, NULL, arena_printf(z->arena, "--stats=%s", z->stats),
		z->planted ? plant : NULL);

	z->small += ran_small_rows(slurp(z->arena, z->stats));
	return agree(z, "cpu", want, got) && nothing_is_left(z, got);
}

/* In three runs every setting of fusion, and the analysis of shapes used, not used and checked. */
static bool
each(Gen *z, Result want)
{
	static const struct {
		const char *fuse, *shape;
		bool debugs;
	} setting[] = {{"", "", false}, {"--fuse=map", "--no-shape", false}, {"--fuse=none", "", true}};

	for (size_t i = 0; i < sizeof setting / sizeof *setting; i++) {
		z->options = options_with(z, setting[i].fuse, setting[i].shape, setting[i].debugs);
		if (!cpu(z, want))
			return false;
	}
	z->options = options_of(z);
	return true;
}

static bool
emu(Gen *z, Result want)
{
	const char *options = arena_printf(z->arena, "run --target=emu --stats=%s %s", z->stats, z->options);
	Result first = {0};

	for (int seed = 0; seed < SCHEDULES; seed++) {
		const char *name = arena_printf(z->arena, "%d", seed), *what = arena_printf(z->arena, "emu, schedule %d", seed);
		Result got;

		setenv("SIMT_SEED", name, 1);
		got = engine_nessie(z->arena, options, z->file, NULL);
		if (seed == 0)
			z->small += ran_small_rows(slurp(z->arena, z->stats));
		if (!agree(z, what, want, got) || !nothing_is_left(z, got))
			return false;
		if (seed == 0)
			first = got;
		else if (strcmp(first.out, got.out) != 0 || strcmp(first.err, got.err) != 0)
			return differs(z, "schedules", "%s: not the same as schedule 0", what);
	}
	return true;
}

/* What `dump` makes of it, each time with two options by chance: with more, what one turns off hides what another would show. */
static bool
texts(Gen *z)
{
	static const char *const option[] = {"", "--no-avoid", "--grain=1", "--int=32", "--fuse=map", "--fuse=none", "--no-reuse", "--no-shape",
		"--map=flat", "--map=thread", "--map=lanes", "-O0", "-O1", "--debug", "--mem-limit=100000"};
	Seed drawn = z->variant;

	for (int i = 0; i < TEXTS; i++) {
		const char *how = arena_printf(z->arena, "dump --stage=%s", i % 2 ? "cuda" : "c");
		Result got;

		for (int k = 0; k < 2; k++) {
			drawn = (drawn + 1) * 6364136223846793005u + 1442695040888963407u;
			how = arena_printf(z->arena, "%s %s", how, option[(drawn >> 33) % (sizeof option / sizeof *option)]);
		}
		got = engine_nessie(z->arena, how, z->file, NULL);
		if (got.status != 0 || *got.err)
			return differs(z, arena_printf(z->arena, "status %d", got.status), "%s: exit status %d: %.300s", how, got.status, got.err);
	}
	return true;
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
	if (z->variant % 2)
		return with_compiler(z, "gcc with sanitizers", "gcc -g -fsanitize=address,undefined -fno-sanitize-recover=all", "2", want);
	return with_compiler(z, "gcc, one thread", "gcc", "1", want) && with_compiler(z, "gcc, three threads", "gcc", "3", want);
}

static bool
through_dump(Gen *z, Result want)
{
	static const char *const stage[] = {"normal", "flan", "lcu", "normal"};
	const char *s = stage[z->variant / 8 % 4], *path = arena_printf(z->arena, "%s/d.%s", z->dir, s);
	const char *from = arena_printf(z->arena, "--from=%s %s", s, z->options);
	Result d = engine_nessie(z->arena, arena_printf(z->arena, "dump --stage=%s %s", s, z->options), z->file, NULL);

	spit(path, d.out, strlen(d.out));
	return agree(z, arena_printf(z->arena, "from %s", s), want,
		z->variant / 8 % 4 == 3 ? engine_nessie(z->arena, arena_printf(z->arena, "run --target=interp %s", from), path, NULL)
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

/* With a part of the memory that it took: large apply-to-eaches in slices.  The forms before one that has no room are as they were. */
static bool
in_slices(Gen *z, Result want)
{
	static const char told[] = "\"peak_bytes\": ";
	const char *peak = strstr(slurp(z->arena, z->stats), told);
	const Seed limit = peak ? strtoull(peak + strlen(told), NULL, 10) * (1 + z->variant / 8 % 3) / 4 : 0;
	Result got;

	if (limit == 0)
		return true;
	got = engine_cpu(z->arena, arena_printf(z->arena, "--mem-limit=%llu %s", limit, z->options), z->file, NULL, NULL, NULL);
	if (got.status != 4 || !strstr(got.err, ": error[memory]"))
		return agree(z, "in slices", want, got);
	return rough(z->variant) || strncmp(want.out, got.out, strlen(got.out)) == 0 || differs(z, "values", "up to where memory ends: other values");
}

/* The first line of the text that is `NAME = ..`; NULL: there is none. */
static char *
assignment(char *text, const char *name)
{
	const size_t n = strlen(name);

	while (text && (strncmp(text, name, n) != 0 || strncmp(text + n, " = ", 3) != 0))
		text = (text = strchr(text, '\n')) ? text + 1 : NULL;
	return text;
}

/* Is what is printed so the same value, of the same type, if it is read? */
static bool
is_readable(const char *value)
{
	for (const char *at = value; (at = strchr(at, '.')); at++)
		if (at[1] == '.' || strspn(at + 1, "0123456789") > 9)
			return false;
	return !strstr(value, "[]") || (!strchr(value, '(') && value[strspn(value, "[], ")]);
}

/* What is set first, and printed, is read from files instead; nothing else has another place. */
static bool
as_inputs(Gen *z, const char *text, Result want)
{
	enum { MOST = 8 };
	const char *arg[2 * MOST + 1] = {NULL};
	char *all = arena_strndup(z->arena, text, strlen(text)), *rest = arena_strndup(z->arena, text, strlen(text)), *told, *at;
	int n = 0;

	want.out = arena_strndup(z->arena, want.out, strlen(want.out));
	for (char *line = rest; line && n < 2 * MOST; line = (line = strchr(line, '\n')) ? line + 1 : NULL) {
		const char *name = arena_strndup(z->arena, line, strspn(line, "abcdefghijklmnopqrstuvwxyz0123456789")), *value;
		const size_t length = strcspn(line, "\n"), skipped = strlen(name) + 3;

		if (!*name || assignment(all, name) - all != line - rest || line[length - 1] != ';' || !(told = assignment(want.out, name)))
			continue;
		value = arena_strndup(z->arena, told + skipped, strcspn(told, "\n") - skipped);
		for (at = strstr(value, " : "); strstr(at + 1, " : "); at = strstr(at + 1, " : "))
			;
		*at = 0;
		if (!is_readable(value))
			continue;
		arg[n++] = "--input";
		arg[n++] = arena_printf(z->arena, "%s=%s/%s.txt", name, z->dir, name);
		spit(strchr(arg[n - 1], '=') + 1, value, strlen(value));
		memset(line, ' ', length);
		at = told + strcspn(told, "\n") + 1;
		memmove(told, at, strlen(at) + 1);
	}
	at = arena_printf(z->arena, "%s/inputs.nesl", z->dir);
	spit(at, rest, strlen(rest));
	return agree(z, "with inputs", want, engine_nessie(z->arena, arena_printf(z->arena, "run --target=cpu %s", z->options), at, arg));
}

static const char *const kind[] = {"index-range", "length-mismatch", "bad-range", "bad-permute", "div-by-zero", "domain",
	"user-error", "recursion-depth", "unbound-cell"};

enum { KINDS = sizeof kind / sizeof *kind };

static void
count_kinds(Gen *z, const char *faults)
{
	for (int i = 0; i < KINDS; i++)
		for (const char *p = faults; (p = strstr(p, kind[i])); p++)
			z->kinds[i]++;
}

static bool
check(Gen *z, const char *text)
{
	Result want;
	int n;

	z->how = NULL;
	z->options = options_of(z);
	spit(z->file, text, strlen(text));
	if (z->texts)
		return texts(z);
	want = engine_nessie(z->arena, arena_printf(z->arena, "run --target=interp %s", z->options), z->file, NULL);
	if (want.status != 0 && want.status != 3)
		return differs(z, arena_printf(z->arena, "interp %d", want.status), "interp: exit status %d: %.300s", want.status, want.err);
	count_kinds(z, faults(z, want.err, &n));
	z->faults += n;
	if (z->emulated)
		return emu(z, want);
	if (!(z->each ? each(z, want) : cpu(z, want)))
		return false;
	if (z->variant % 500 > 497)
		return gcc(z, want);
	if (z->variant % 8 == 3)
		return through_dump(z, want);
	if (z->variant % 8 == 5)
		return in_slices(z, want);
	if (z->variant % 8 == 0 && want.status == 0)
		return as_inputs(z, text, want);
	return z->variant % 16 != 6 || last_as_option(z, text, want);
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

/* Shrunk and printed if it fails. */
static bool
check_program(Gen *z, const char *what, const char *text)
{
	Failure f = {z, NULL};
	Gen counts;

	if (check(z, text))
		return true;
	counts = *z;
	printf("%s (%s): %s\n", what, z->options, z->why);
	f.how = z->how;
	if (strcmp(z->how, "interp 1") != 0)    /* the generator's own mistake */
		text = shrink(z->arena, text, fails_so, &f, z->emulated ? TRIES / 20 : TRIES);
	printf("%s%s", text, text[strlen(text) - 1] == '\n' ? "" : "\n");
	fflush(stdout);
	z->other_site = counts.other_site;
	z->faults = counts.faults;
	z->small = counts.small;
	memcpy(z->kinds, counts.kinds, sizeof z->kinds);
	return false;
}

/* One alone, as it is in its group. */
static bool
check_seed(Gen *z, Seed seed)
{
	z->variant = seed / GROUP;
	return check_program(z, arena_printf(z->arena, "seed %llu", seed), generate_programs(z->arena, seed, seed));
}

/* Those of a group are compiled as one program, and are looked at one by one only if that fails. */
static int
check_group(Gen *z, Seed from, Seed to)
{
	const char *all = generate_programs(z->arena, from, to);
	int failed = 0, other_site = z->other_site, faults_before = z->faults;

	z->variant = from / GROUP;
	if (check(z, all))
		return 0;
	z->other_site = other_site;
	z->faults = faults_before;
	for (Seed seed = from; seed <= to; seed++)
		failed += !check_seed(z, seed);
	return failed ? failed : !check_program(z, arena_printf(z->arena, "seeds %llu to %llu as one program", from, to), all);
}

static void
start(Gen *z)
{
	z->arena = arena_new();
	z->file = arena_printf(z->arena, "%s/p.nesl", z->dir);
	z->stats = arena_printf(z->arena, "%s/stats", z->dir);
}

/* Up to the first group that fails. */
static bool
check_until(Gen *z, Seed from, Seed to)
{
	bool ok = true;

	for (Seed seed = from, last; ok && seed <= to; seed = last + 1) {
		last = seed - seed % GROUP + GROUP - 1;
		start(z);
		z->variant = seed / GROUP;
		ok = check(z, generate_programs(z->arena, seed, last < to ? last : to));
		if (!ok)
			printf("seed %llu and so on: %s\n", seed, z->why);
		arena_free(z->arena);
	}
	return ok;
}

static bool
check_seeds(Gen *z, Seed from, Seed to)
{
	int failed = 0;

	for (Seed seed = from, last; seed <= to; seed = last + 1) {
		last = seed - seed % GROUP + GROUP - 1;
		start(z);
		failed += check_group(z, seed, last < to ? last : to);
		arena_free(z->arena);
	}
	printf("gen: seeds %llu to %llu, %llu programs, %d failed; %d runs with small rows; %d faults, another first on cpu %d times:",
		from, to, to - from + 1, failed, z->small, z->faults, z->other_site);
	for (int i = 0; i < KINDS; i++)
		printf("%s %s %d", i ? "," : "", kind[i], z->kinds[i]);
	putchar('\n');
	return failed == 0 && (z->small > 0 || z->texts || to - from < MANY);
}

static Seed
number(const char *s)
{
	return strtoull(s, NULL, 10);
}

static int
usage(void)
{
	fprintf(stderr, "gen FROM TO | gen each FROM TO | gen print SEED | gen file PATH [SEED] | gen planted FROM TO | gen emu FROM TO | gen texts FROM TO | gen first FROM TO | gen in-memory 0\n");
	return 2;
}

int
main(int argc, char **argv)
{
	Gen z = {.dir = "/tmp/nessie-gen-XXXXXX"};
	bool ok;

	if (argc < 3 || argc > 4)
		return usage();
	if (strcmp(argv[1], "print") == 0) {
		fputs(generate_programs(arena_new(), number(argv[2]), number(argv[2])), stdout);
		return 0;
	}
	if (strcmp(argv[1], "in-memory") == 0)
		return !engine_in_memory();
	if (!mkdtemp(z.dir)) {
		perror(z.dir);
		return 2;
	}
	setenv("XDG_CACHE_HOME", z.dir, 1);
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	setenv("CC", "tcc", 1);
	start(&z);
	if (strcmp(argv[1], "file") == 0) {
		z.variant = argc > 3 ? number(argv[3]) / GROUP : 1;
		ok = check_program(&z, argv[2], slurp(z.arena, argv[2]));
	} else if (strcmp(argv[1], "planted") == 0) {
		z.planted = ok = true;
		for (Seed seed = number(argv[2]); ok && seed <= number(argv[argc - 1]); seed++)
			ok = check_seed(&z, seed);
	} else if (strcmp(argv[1], "emu") == 0 && argc > 3) {
		z.emulated = true;
		setenv("SIMT_SEED", "0", 1);
		setenv("CC", "gcc", 1);
		if (process_find(z.arena, "clang++"))           /* a third of g++'s time */
			setenv("CXX", "clang++ -O0 -g0", 0);
		ok = check_seeds(&z, number(argv[2]), number(argv[3]));
	} else if (strcmp(argv[1], "texts") == 0 && argc > 3) {
		z.texts = true;
		ok = check_seeds(&z, number(argv[2]), number(argv[3]));
	} else if (strcmp(argv[1], "each") == 0 && argc > 3) {
		z.each = true;
		ok = check_seeds(&z, number(argv[2]), number(argv[3]));
	} else if (strcmp(argv[1], "first") == 0 && argc > 3) {
		ok = check_until(&z, number(argv[2]), number(argv[3]));
	} else if (argc == 3 && argv[1][0] >= '0' && argv[1][0] <= '9') {
		ok = check_seeds(&z, number(argv[1]), number(argv[2]));
	} else {
		rmdir(z.dir);
		return usage();
	}
	snprintf(z.why, sizeof z.why, "rm -rf %s", z.dir);
	return system(z.why) != 0 ? 2 : !ok;
}

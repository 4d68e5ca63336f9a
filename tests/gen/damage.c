/* damage.c: the compiler, up to the C and the CUDA text, on programs that were damaged at random.
 *
 *     frontend-fuzz N SEED FILE..   N mutants of the files; status 1 if some met a crash, a report of a sanitizer, an
 *                                   internal error, or took longer than LIMIT allows
 *     frontend-fuzz FILE..          the files as they are
 *     frontend-fuzz cut FILE..      every beginning of each file
 *     frontend-fuzz corpus DIR FILE..   writes the texts of the files there, each to a file of its own
 *     frontend-fuzz stress MB       each of a table of monotonous texts, MB megabytes long
 *     frontend-fuzz                 standard input, once: what AFL++ runs (make fuzz-afl)
 *
 * A file of conformance vectors (.jsonl) stands for the programs in it.
 * The library is parsed and typed once; each input goes on from there in a process of its own.  Inputs that
 * failed are written to build/fuzz-NUMBER.nesl. */
#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"
#include "flatten/flatten.h"
#include "flatten/optimize.h"
#include "frontend/infer.h"
#include "frontend/mono.h"
#include "frontend/normal.h"
#include "frontend/syntax.h"
#include "frontend/verify.h"
#include "fuse/fuse.h"
#include "fuse/map.h"
#include "fuse/totask.h"
#include "memmgmt/memory.h"
#include "shape/shape.h"
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LIMIT = 1000,           /* milliseconds of processor time, and */
	LIMIT_MB = 100,         /* these for each megabyte of the input */
	SLOWER = 10,            /* times, with sanitizers */
	LATER_STAGES = 1 << 16, /* larger inputs are for the front end only, as is the limit */
	EDITS = 6
};

typedef struct { char *at; size_t n; } Text;
typedef LIST(Text) Texts;

static Unit unit;
static uint64_t state;

/* -- one input ----------------------------------------------------------------------------------------- */

static void
library(void)
{
	unit.arena = arena_new();
	unit.names = names_new(unit.arena);
	unit.diag = diag_new(unit.arena, fopen("/dev/null", "w"));
	unit_add_basis(&unit);
	parse(&unit);
	infer(&unit);
}

static void
promised(const char *(*verify)(const Unit *, Span *), const char *stage)
{
	Span at = {0};
	const char *why = verify(&unit, &at);

	if (why)
		ice(at, stage, "%s", why);
}

static const char *
verify_ir(const Unit *u, Span *at)
{
	return ir_check(u->ir, at);
}

static void
compile(const Text *t)
{
	unit_add(&unit, (Source){.name = "input", .text = t->at, .n = t->n});
	parse(&unit);
	promised(verify_parse, "parse");
	infer(&unit);
	promised(verify_type, "type");
	mono(&unit);
	promised(verify_mono, "mono");
	normal(&unit);
	promised(verify_ir, "normal");
	if (t->n > LATER_STAGES)
		return;
	flatten(&unit);
	promised(verify_ir, "flan");
	optimize(&unit);
	promised(verify_ir, "opt");
	shape(&unit);
	promised(verify_ir, "shape");
	totask(&unit);
	promised(verify_ir, "tasks");
	pdg(&unit);
	fuse(&unit);
	promised(verify_ir, "lcu");
	memory(&unit);
	promised(verify_ir, "mem");
	map(&unit);
	promised(verify_ir, "map");
	emit_c(&unit);
	emit_cuda(&unit);
}

static bool
sanitized(void)
{
#ifdef __SANITIZE_ADDRESS__
	return true;
#else
	return false;
#endif
}

/* Ends with status 0, by a signal, or with the status of an internal error. */
static _Noreturn void
child(const Text *t)
{
	long ms = LIMIT + (long)(t->n >> 20) * LIMIT_MB;
	struct itimerval limit;

	if (sanitized())
		ms *= SLOWER;
	limit = (struct itimerval){.it_value = {ms / 1000, ms % 1000 * 1000}};
	setitimer(ITIMER_PROF, &limit, NULL);
	compile(t);
	_exit(0);
}

/* What went wrong, or NULL. */
static const char *
trial(const Text *t)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		child(t);
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("damage");
		exit(2);
	}
	if (WIFSIGNALED(status))
		return WTERMSIG(status) == SIGPROF ? "took too long" : strsignal(WTERMSIG(status));
	return WEXITSTATUS(status) == 0 ? NULL : WEXITSTATUS(status) == 5 ? "internal error" : "ended early (a sanitizer, or no memory)";
}

/* -- damage ------------------------------------------------------------------------------------------- */

static uint64_t
draw(uint64_t below)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u;      /* SplitMix64 (Steele, Lea & Flood 2014) */

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return below ? (z ^ z >> 31) % below : 0;
}

static const char *const words[] = {
	"let ", " in ", "if ", " then ", " else ", "function ", "datatype ", "=", "==", ":=", "=>", "->", "<-", "++", "|",
	"||", "::", ":", ";", ",", "(", ")", "[", "]", "{", "}", "#", "@", "-", "^", " and ", " nand ", " or ", "`", "\"",
	"%", "$", "t", "f", "time(", "1", "1.5", "99999999999999999999", "1e999", "[] int", "[] (int, [a])", "int", "float",
	" : (int, int) -> int", "(a in number)", "x", "sum(", "{x : x in ", "it", "flatten(", "set ", "load ", "\0", "\xff",
};

/* r with n bytes of by at `to` in the place of `cut` bytes. */
static void
edit(Text *r, size_t to, size_t cut, const char *by, size_t n)
{
	char *s = malloc(r->n + n + 1);

	memcpy(s, r->at, to);
	memcpy(s + to, by, n);
	memcpy(s + to + n, r->at + to + cut, r->n - to - cut);
	r->n = r->n - cut + n;
	free(r->at);
	r->at = s;
}

static Text
mutant(const Texts *from)
{
	const Text *a = &from->at[draw((uint64_t)from->n)], *b = &from->at[draw((uint64_t)from->n)];
	Text r = {malloc(a->n + 1), a->n};

	memcpy(r.at, a->at, a->n);
	for (uint64_t k = draw(EDITS) + 1; k > 0; k--) {
		size_t to = draw(r.n + 1), len = draw(draw(8) ? 12 : 400), from_b = draw(b->n + 1);
		size_t cut = len < r.n - to ? len : r.n - to, take = len < b->n - from_b ? len : b->n - from_b;
		const char *w = words[draw(sizeof words / sizeof *words)];
		char byte = (char)draw(256);
		switch (draw(7)) {
		case 0: edit(&r, to, cut > 0, &byte, 1); break;
		case 1: edit(&r, to, cut, "", 0); break;
		case 2: edit(&r, to, 0, w, strlen(w) + (*w == 0)); break;
		case 3: edit(&r, to, cut, w, strlen(w) + (*w == 0)); break;
		case 4: edit(&r, to, 0, b->at + from_b, take); break;
		case 5: edit(&r, to, cut, b->at + from_b, take); break;
		case 6: edit(&r, to, draw(20) ? 0 : r.n - to, "", 0); break;
		}
	}
	return r;
}

/* -- monotony ------------------------------------------------------------------------------------------ */

/* head, then as many of `again` as fit, mid, and if `close` is not empty as many of that, tail. */
static const struct { const char *head, *again, *mid, *close, *tail; } monotony[] = {
	{"", "(", "1", ")", ";"},
	{"", "[", "1", "]", ";"},
	{"", "{x : x in ", "[1]", "}", ";"},
	{"", "(1, ", "1", ")", ";"},
	{"", "1, ", "1", "", ";"},
	{"", "1 + ", "1", "", ";"},
	{"", "1 and ", "1", "", ";"},
	{"", "- ", "1", "", ";"},
	{"", "#", "[1]", "", ";"},
	{"", "@", "1", "", ";"},
	{"", "x => ", "x", "", ";"},
	{"", "if t then ", "1", " else 2", ";"},
	{"", "if ", "t", " then t else t", ";"},
	{"", "if t then 1 else ", "1", "", ";"},
	{"", "let x = 1 in ", "x", "", ";"},
	{"", "let x = ", "1", " in x", ";"},
	{"let ", "x = 1; ", "y = 2 in y;", "", ""},
	{"", "sqrt(", "1.0", ")", ";"},
	{"", "sqrt ", "1.0", "", ";"},
	{"function f(x) = ", "x[0]", ";", "", ""},
	{"let a = [1] in a", "[0]", ";", "", ""},
	{"let a = [1] in a", "[a", "[0]", "]", ";"},
	{"function f(", "(x, ", "y", ")", ") = 1;"},
	{"function f(x) : ", "int, ", "int", "", " -> int = 1;"},
	{"function f(x) : int -> ", "(int, ", "int", ")", " = 1;"},
	{"[] ", "[", "int", "]", ";"},
	{"function f(x) = x :: (", "a in number; ", "a in any)", "", ";"},
	{"datatype p(", "int, ", "int)", "", ";"},
	{"[", "1, ", "1]", "", ";"},
	{"{x : ", "x in [1]; ", "x in [2]}", "", ";"},
	{"", ";", "", "", ""},
	{"", "$", "", "", ""},
	{"", ")", ";", "", ""},
	{"", "then ", ";", "", ""},
	{"", "function ", ";", "", ""},
	{"", " ", ";", "", ""},
	{"", "\n", ";", "", ""},
	{"", "a", ";", "", ""},
	{"", "1", ";", "", ""},
	{"1.", "1", ";", "", ""},
	{"1e", "1", ";", "", ""},
	{"%", "x", "", "", ""},
	{"%", "\n", "%1;", "", ""},
	{"\"", "x", "\";", "", ""},
	{"\"", "\\", "\";", "", ""},
	{"", "`", ";", "", ""},
	{"", "\xff", ";", "", ""},
	{"", "\0", ";", "", ""},
	{"1 + ", "\0", ";", "", ""},
};

static Text
monotonous(int k, size_t size)
{
	const char *again = monotony[k].again, *close = monotony[k].close;
	size_t one = *again ? strlen(again) : 1, n = size / (one + strlen(close));
	Text t = {malloc(size + 256), 0};

#define PUT(s, len) (memcpy(t.at + t.n, s, len), t.n += (len))
	PUT(monotony[k].head, strlen(monotony[k].head));
	for (size_t i = 0; i < n; i++)
		PUT(again, one);
	PUT(monotony[k].mid, strlen(monotony[k].mid));
	for (size_t i = 0; i < n; i++)
		PUT(close, strlen(close));
	PUT(monotony[k].tail, strlen(monotony[k].tail));
#undef PUT
	return t;
}

/* -- the command -------------------------------------------------------------------------------------- */

static Text
slurp(FILE *f, const char *name)
{
	Text t = {0};
	size_t room = 1 << 16, n;

	if (!f) {
		perror(name);
		exit(2);
	}
	t.at = malloc(room);
	while ((n = fread(t.at + t.n, 1, room - t.n - 1, f)) > 0)
		if ((t.n += n) == room - 1)
			t.at = realloc(t.at, room *= 2);
	fclose(f);
	return t;
}

/* The programs of a file of conformance vectors, one JSON object a line, are texts of their own. */
static void
add_vectors(Texts *to, const Text *file)
{
	static const char mark[] = "\"program\": \"";
	char *s = file->at, *end = s + file->n;

	*end = 0;
	while ((s = strstr(s, mark))) {
		Text t = {malloc((size_t)(end - s)), 0};
		for (s += sizeof mark - 1; s < end && *s != '"'; s++) {
			bool escaped = *s == '\\';
			s += escaped;
			t.at[t.n++] = !escaped ? *s : *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
		}
		LIST_ADD(unit.arena, to, t);
	}
}

static void
add_texts(Texts *to, const char *path)
{
	Text t = slurp(fopen(path, "r"), path);
	size_t n = strlen(path);

	if (n > 6 && strcmp(path + n - 6, ".jsonl") == 0)
		add_vectors(to, &t);
	else
		LIST_ADD(unit.arena, to, t);
}

/* To DIR/fuzz-NUMBER.nesl, whose name this returns. */
static const char *
spit(const char *dir, const Text *t, long number)
{
	const char *name = arena_printf(unit.arena, "%s/fuzz-%ld.nesl", dir, number);
	FILE *f = fopen(name, "w");

	if (!f || fwrite(t->at, 1, t->n, f) != t->n || fclose(f) != 0) {
		perror(name);
		exit(2);
	}
	return name;
}

static bool
failed(const Text *t, long number)
{
	const char *why = trial(t), *name;

	if (!why)
		return false;
	name = spit("build", t, number);
	printf("%s: %s\n", name, why);
	fflush(stdout);
	return true;
}

/* Texts live as long as the process. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
	return "detect_leaks=0";
}

static long
run_mutants(const Texts *from, long n, uint64_t seed)
{
	long bad = 0;

	for (long i = 0; i < n; i++) {
		state = seed * 1000000007u + (uint64_t)i;
		Text t = mutant(from);
		bad += failed(&t, i);
		free(t.at);
	}
	return bad;
}

static long
run_beginnings(const Texts *of, long *n)
{
	long bad = 0;

	for (int i = 0; i < of->n; i++)
		for (size_t k = 0; k <= of->at[i].n; k++) {
			/* a copy, so that reading past its end is seen */
			Text t = {malloc(k + 1), k};
			memcpy(t.at, of->at[i].at, k);
			t.at = realloc(t.at, k ? k : 1);
			bad += failed(&t, (*n)++);
			free(t.at);
		}
	return bad;
}

static long
run_monotony(size_t size, long *n)
{
	long bad = 0;

	for (*n = 0; *n < (long)(sizeof monotony / sizeof *monotony); ++*n) {
		Text t = monotonous((int)*n, size);
		bad += failed(&t, *n);
		free(t.at);
	}
	return bad;
}

int
main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0, bad = 0;
	Texts texts = {0};
	bool cut = argc > 1 && strcmp(argv[1], "cut") == 0, corpus = argc > 2 && strcmp(argv[1], "corpus") == 0;
	int first = n > 0 || corpus ? 3 : cut ? 2 : 1;

	library();
	if (argc == 1) {
#ifdef __AFL_HAVE_MANUAL_CONTROL
		__AFL_INIT();
#endif
		Text t = slurp(stdin, "stdin");
		child(&t);
	}
	if (argc == 3 && strcmp(argv[1], "stress") == 0) {
		bad = run_monotony((size_t)strtoul(argv[2], NULL, 10) << 20, &n);
	} else {
		for (int i = first; i < argc; i++)
			add_texts(&texts, argv[i]);
		if (texts.n == 0) {
			fprintf(stderr, "frontend-fuzz: no programs to damage: name files\n");
			return 2;
		}
		if (n > 0)
			bad = run_mutants(&texts, n, strtoull(argv[2], NULL, 10));
		else if (corpus)
			for (; n < texts.n; n++)
				spit(argv[2], &texts.at[n], n);
		else if (cut)
			bad = run_beginnings(&texts, &n);
		else
			for (n = 0; n < texts.n; n++)
				bad += failed(&texts.at[n], n);
	}
	printf("%ld inputs, %ld failed\n", n, bad);
	return bad > 0;
}

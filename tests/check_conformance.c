/* check_conformance.c: the programs of tests/conformance/vectors.jsonl, with ints of 32 bits: what each form
 * echoes, or the kind of its error, what the program prints itself, and the exit status.  On the interpreter each
 * program alone, in this process; on the cpu target all that get past the front end as one unit of many files; on the
 * emulator fifty a unit, in four schedules that agree to the bit.  All
 * run in a directory of their own, where programs may make files.  Where the project's whole record lies beside it,
 * that of each program that is here is compared too. */
#include "backend/interp/interp.h"
#include "backend/rt/nesl_stream.h"
#include "common/embed.h"
#include "frontend/infer.h"
#include "frontend/mono.h"
#include "frontend/normal.h"
#include "frontend/syntax.h"
#include "tests/same_values.h"
#include "tests/tcc.h"
#include <check.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

Suite *conformance_suite(void);

enum { CHUNK = 50, SCHEDULES = 4 };     /* vectors a test */

typedef struct {                /* of a form: three strings, or `error` */
	char *name, *value, *type, *error;
} Echo;

typedef struct {
	char *id, *program, *prints;    /* prints: NULL if nothing */
	char *alone;                    /* why no program may follow it in one unit; else NULL */
	LIST(Echo) forms;
} Vector;
typedef LIST(Vector) Vectors;

static Arena *arena;
static Vectors vectors;

/* -- the file ------------------------------------------------------------------------------------ */

/* C strings cannot hold the character 0: here \1 stands for it. */
static void
without_zeros(char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!s[i])
			s[i] = 1;
}

/* The JSON string that begins at *p; *p moves behind it. */
static char *
json_string(const char **p)
{
	char *s = arena_alloc(arena, strlen(*p)), *q = s;
	const char *r = *p + 1;

	for (; *r && *r != '"'; r++) {
		if (strncmp(r, "\\u0000", 6) == 0) {
			*q++ = 1;
			r += 5;
			continue;
		}
		*q++ = *r != '\\' ? *r : *++r == 'n' ? '\n' : *r == 't' ? '\t' : *r;
	}
	*p = r + 1;
	return s;
}

/* Of members with other names nothing is kept. */
static void
add_member(Vector *v, Echo *e, const char *key, char *value)
{
	char **to = strcmp(key, "name") == 0 ? &e->name : strcmp(key, "value") == 0 ? &e->value
		: strcmp(key, "type") == 0 ? &e->type : strcmp(key, "error") == 0 ? &e->error
		: strcmp(key, "id") == 0 ? &v->id : strcmp(key, "program") == 0 ? &v->program
		: strcmp(key, "prints") == 0 ? &v->prints : strcmp(key, "alone") == 0 ? &v->alone : NULL;

	if (to)
		*to = value;
}

/* An object whose members are strings or lists of strings, and `forms`: a list of objects whose members are
 * strings; where that is missing, the object itself tells of the one form. */
static Vector
json_vector(const char *p)
{
	Vector v = {0};
	Echo only = {0};
	int depth = 0;

	while (*p) {
		if (*p == '{' && ++depth == 2)
			LIST_ADD(arena, &v.forms, ((Echo){0}));
		if (*p == '}')
			depth--;
		if (*p++ != '"')
			continue;
		p--;
		char *key = json_string(&p);
		p += strspn(p, ": ");
		if (*p == '"')
			add_member(&v, depth == 2 ? &v.forms.at[v.forms.n - 1] : &only, key, json_string(&p));
	}
	if (v.forms.n == 0)
		LIST_ADD(arena, &v.forms, only);
	return v;
}

static bool
read_vectors(const char *path, Vectors *all)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		return false;
	while (getline(&line, &cap, f) > 0)
		LIST_ADD(arena, all, json_vector(line));
	free(line);
	fclose(f);
	return true;
}

/* -- what should come ---------------------------------------------------------------------------- */

static bool
at_run_time(const char *error)
{
	return strncmp(error, "runtime:", 8) == 0;
}

static int
status_wanted(const Vector *v)
{
	int status = 0;

	for (int i = 0; i < v->forms.n; i++)
		if (v->forms.at[i].error && status != 1)
			status = at_run_time(v->forms.at[i].error) ? 3 : 1;
	return status;
}

static void
print_wanted(const Vector *v, FILE *to)
{
	for (int i = 0; i < v->forms.n; i++) {
		const Echo *e = &v->forms.at[i];
		if (!e->error)
			fprintf(to, "%s = %s : %s\n", e->name, e->value, e->type);
	}
}

/* Is there a message of this kind that starts with `where`, line, and column? */
static bool
told(const char *kind, const char *where, const char *messages)
{
	const char *begin = arena_printf(arena, "error[%s]", kind), *at = messages;

	while ((at = strstr(at, where))) {
		at += strlen(where);
		at += strspn(at, "0123456789: ");
		if (strncmp(at, begin, strlen(begin)) == 0)
			return true;
	}
	return false;
}

static bool
errors_told(const Vector *v, const char *where, const char *messages)
{
	for (int i = 0; i < v->forms.n; i++) {
		const char *error = v->forms.at[i].error;
		if (error && !told(at_run_time(error) ? error + 8 : error, where, messages))
			return false;
	}
	return true;
}

/* -- the interpreter ----------------------------------------------------------------------------- */

/* The exit status, as docs/command.md tells it. */
static int
interpret(const char *program, FILE *out, FILE *err)
{
	Arena *a = arena_new();
	Unit u = {.arena = a, .names = names_new(a), .diag = diag_new(a, err), .int_bits = 32,
		.echo_all = true};
	Span at;
	int status;

	ck_assert_ptr_null(unit_add_basis(&u));
	unit_add(&u, (Source){.name = "program", .text = program, .n = strlen(program)});
	parse(&u);
	infer(&u);
	mono(&u);
	normal(&u);
	ck_assert_ptr_null(ir_check(u.ir, &at));
	status = interp_run(&u, &(InterpOptions){.echo = "all", .out = out, .err = err});
	nesl_stream_end();
	if (diag_errors(u.diag))
		status = 1;
	arena_free(a);
	return status;
}

static void
check_vector(const Vector *v, FILE *failures)
{
	char *text[3];
	size_t n, nout;
	FILE *want = open_memstream(&text[0], &n), *out = open_memstream(&text[1], &nout), *err = open_memstream(&text[2], &n);
	int status = interpret(v->program, out, err);

	print_wanted(v, want);
	fclose(want);
	fclose(out);
	fclose(err);
	without_zeros(text[1], nout);
	if (v->prints && strcmp(v->prints, text[2]) != 0)
		fprintf(failures, "%s: %s\nprints:\n%s\n", v->id, v->program, text[2]);
	if (status != status_wanted(v) || !same_values(text[0], text[1]) || !errors_told(v, "program:", text[2]))
		fprintf(failures, "%s: %s\nwanted, status %d:\n%s\ngot, status %d:\n%s%s\n", v->id, v->program,
			status_wanted(v), text[0], status, text[1], text[2]);
	for (int i = 0; i < 3; i++)
		free(text[i]);
}

static char dir[32];

START_TEST(interp)
{
	char *text;
	size_t n;
	FILE *failures = open_memstream(&text, &n);

	ck_assert_int_eq(chdir(dir), 0);
	for (int i = _i * CHUNK; i < vectors.n && i < (_i + 1) * CHUNK; i++)
		check_vector(&vectors.at[i], failures);
	fclose(failures);
	ck_assert_msg(n == 0, "%.3000s", text);
	free(text);
}
END_TEST

static bool
same_echo(const Echo *a, const Echo *b)
{
	if (a->error || b->error)
		return a->error && b->error && strcmp(a->error, b->error) == 0;
	return strcmp(a->value, b->value) == 0 && strcmp(a->type, b->type) == 0;
}

/* The record has names only where there are several forms. */
static bool
same_record(const Vector *record, const Vector *copy)
{
	bool same = strcmp(record->program, copy->program) == 0 && record->forms.n == copy->forms.n;

	for (int i = 0; i < record->forms.n && same; i++)
		same = same_echo(&record->forms.at[i], &copy->forms.at[i]);
	return same;
}

static const Vector *
copy_of(const Vector *v)
{
	for (int i = 0; i < vectors.n; i++)
		if (strcmp(vectors.at[i].id, v->id) == 0)
			return &vectors.at[i];
	return NULL;
}

START_TEST(recorded)
{
	Vectors all = {0};
	int missing = 0;

	if (!read_vectors("../shared/conformance/vectors.jsonl", &all)) {
		puts("the record of ../shared is not here: not compared");
		return;
	}
	for (int i = 0; i < all.n; i++) {
		const Vector *copy = copy_of(&all.at[i]);

		missing += !copy;
		ck_assert_msg(!copy || same_record(&all.at[i], copy), "%s: %s\nis recorded otherwise", copy->id, copy->program);
	}
	if (missing)
		printf("%d of the %d programs of ../shared/conformance are not among those of tests/conformance\n", missing, all.n);
}
END_TEST

/* -- the cpu target ------------------------------------------------------------------------------ */

static FILE *
create(const char *name)
{
	FILE *f = fopen(arena_printf(arena, "%s/%s", dir, name), "w");

	ck_assert(f);
	return f;
}

static char *
contents(const char *name)
{
	size_t n;
	char *s = read_text(arena, arena_printf(arena, "%s/%s", dir, name), &n);

	ck_assert(s);
	without_zeros(s, n);
	return s;
}

/* The next line of *text, which moves on. */
static const char *
next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = 0;
	return line;
}

static bool
in_unit(const Vector *v)
{
	return status_wanted(v) != 1 && !v->alone;
}

/* Writes the programs of some vectors, their names into `list`, and what they should print into `want`; the status wanted. */
static int
write_programs(int from, int to, int step)
{
	FILE *list = create("list"), *want = create("want");
	int status = 0;

	for (int i = from; i < to && i < vectors.n; i += step) {
		const Vector *v = &vectors.at[i];
		if (!in_unit(v))
			continue;
		FILE *f = create(arena_printf(arena, "%s.nesl", v->id));
		fprintf(f, "%s\n", v->program);
		fclose(f);
		fprintf(list, "%s.nesl\n", v->id);
		print_wanted(v, want);
		if (status_wanted(v) == 3)
			status = 3;
	}
	fclose(list);
	fclose(want);
	return status;
}

/* What came of a unit of these vectors. */
static void
check_unit(int from, int to, int status, int got)
{
	char *want = contents("want"), *out = contents("out"), *err = contents("err");

	while (*want) {
		const char *w = next_line(&want), *o = next_line(&out);
		ck_assert_msg(same_values(w, o), "wanted\n%.1000s\ngot\n%.1000s\n%.1000s", w, o, err);
	}
	ck_assert_str_eq(out, "");
	ck_assert_msg(WEXITSTATUS(got) == status, "exit status %d, not %d\n%.1000s", WEXITSTATUS(got), status, err);
	for (int i = from; i < to && i < vectors.n; i++) {
		const Vector *v = &vectors.at[i];
		if (in_unit(v))
			ck_assert_msg(errors_told(v, arena_printf(arena, "%s.nesl:", v->id), err), "%s\n%.1000s", v->program, err);
	}
}

static const char *const how[] = {"-O0", "-O2", "--debug"};

/* A unit of many programs: a later one sees what an earlier one defined, and defines it anew.  tcc, where it is,
 * takes a hundredth of an optimising compiler's time. */
START_TEST(cpu)
{
	int status = write_programs(0, vectors.n, 1);
	int got = system(arena_printf(arena, "n=$PWD/nessie; cd %s && { " QUICKLY
		"$n run --target=cpu %s --int=32 --echo=all $(cat list) >out 2>err; }", dir, how[_i]));

	check_unit(0, vectors.n, status, got);
}
END_TEST

/* Tiles of one warp; what a program itself writes goes to stderr, in the same order. */
START_TEST(emu)
{
	const int from = _i * CHUNK, to = from + CHUNK;
	int status = write_programs(from, to, 1);
	const char *run = arena_printf(arena, "n=$PWD/nessie; cd %s && { ! command -v clang++ >/dev/null || "
		"export CXX='clang++ -O0 -g0'; }; $n run --target=emu --grain=64 --int=32 --echo=all $(cat list) >out 2>err", dir);
	char *first = NULL, *both;

	for (int seed = 0; seed < SCHEDULES; seed++) {
		int got = system(arena_printf(arena, "export SIMT_SEED=%d; %s", seed, run));

		both = arena_printf(arena, "%s%s", contents("out"), contents("err"));
		check_unit(from, to, status, got);
		ck_assert_msg(!first || strcmp(first, both) == 0, "schedule %d gives\n%.1000s\ninstead of\n%.1000s", seed, both, first);
		first = both;
	}
}
END_TEST

/* Every twentieth, for each architecture. */
START_TEST(nvcc)
{
	static const char *const arch[] = {"sm_75", "sm_80", "sm_90"};

	write_programs(0, vectors.n, 20);
	ck_assert_int_eq(0, system(arena_printf(arena, "n=$PWD; cd %s && $n/nessie dump --stage=cuda --int=32 $(cat list) >p.cu && "
		"PATH=$PATH:/usr/local/cuda/bin nvcc -std=c++17 -O3 -fmad=false -Werror all-warnings -Xptxas -warn-spills,-Werror "
		"-arch=%s -I $n/backend/rt -cubin -o p.cubin p.cu", dir, arch[_i])));
}
END_TEST

static void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-conformance-XXXXXX");
	ck_assert(mkdtemp(dir));
}

static void
remove_dir(void)
{
	ck_assert_int_eq(system(arena_printf(arena, "rm -rf %s", dir)), 0);
}

Suite *
conformance_suite(void)
{
	Suite *s = suite_create("conformance");
	TCase *c = tcase_create("conformance"), *lengthy = tcase_create("emulator");

	arena = arena_new();
	if (!read_vectors("tests/conformance/vectors.jsonl", &vectors)) {
		perror("tests/conformance/vectors.jsonl");
		exit(EXIT_FAILURE);
	}
	tcase_add_unchecked_fixture(c, make_dir, remove_dir);
	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, interp, 0, (vectors.n + CHUNK - 1) / CHUNK);
	tcase_add_test(c, recorded);
	tcase_add_loop_test(c, cpu, 0, sizeof how / sizeof *how);
	suite_add_tcase(s, c);
	suite_add_tcase(s, lengthy);
	tcase_add_unchecked_fixture(lengthy, make_dir, remove_dir);
	tcase_set_timeout(lengthy, 1200);
	tcase_set_tags(lengthy, "long");
	if (system("command -v nvcc >/dev/null || test -x /usr/local/cuda/bin/nvcc") != 0)
		fprintf(stderr, "check_conformance: no nvcc here, no CUDA was compiled\n");
	else
		tcase_add_loop_test(lengthy, nvcc, 0, 3);
	if (system("command -v c++ >/dev/null") != 0) {
		fprintf(stderr, "check_conformance: no C++ compiler here: nothing was run on the emulator (apt-get install g++)\n");
		return s;
	}
	tcase_add_loop_test(c, emu, 0, 1);
	tcase_add_loop_test(lengthy, emu, 1, (vectors.n + CHUNK - 1) / CHUNK);
	return s;
}

/* check_opt.c: the optimiser on texts of flan (tests/opt/): each law of flatten/rules.c applied once, what must stay as
 * it is, and functions, conditionals, checks.  The programs of the laws run too, with -O0 and -O2, on values of three
 * sizes: the results are the same. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/unit.h"
#include "flatten/optimize.h"
#include "flatten/rules.h"
#include "tests/ir_help.h"
#include "tests/tcc.h"

Suite *opt_suite(void);

static Arena *arena;

typedef struct Case {                   /* a section: `## NAME`, what goes in, `=>`, what comes out */
	const char *name, *in, *out;
} Case;
typedef LIST(Case) Cases;

static const char *
text_of(const char *path)
{
	FILE *f = fopen(path, "r");
	char *s = NULL;
	size_t n, cap = 0;

	ck_assert_msg(f, "no %s", path);
	n = (size_t)getdelim(&s, &cap, 0, f);
	fclose(f);
	s = arena_strndup(arena, s, n);
	return s;
}

static Cases
read_cases(const char *path)
{
	Cases c = {0};

	for (const char *at = strstr(text_of(path), "\n## "); at; ) {
		const char *name = at + 4, *in = strchr(name, '\n') + 1, *to = strstr(in, "=>\n"), *next = strstr(in, "\n## ");

		ck_assert_msg(to && (!next || to < next), "%.60s: no =>", name);
		LIST_ADD(arena, &c, ((Case){arena_strndup(arena, name, (size_t)(in - 1 - name)),
			arena_strndup(arena, in, (size_t)(to - in)),
			arena_strndup(arena, to + 3, next ? (size_t)(next - to - 3) : strlen(to + 3))}));
		at = next;
	}
	return c;
}

/* Lines without blanks around them, and places. */
static const char *
plain_lines(const char *text)
{
	char *s = arena_strndup(arena, text, strlen(text)), *to = s;

	for (const char *at = text; *at; ) {
		size_t n = strcspn(at, "\n"), m = strcspn(at, "%\n");

		while (*at == '\t' || *at == ' ')
			at++, n--, m--;
		while (m > 0 && (at[m - 1] == '\t' || at[m - 1] == ' '))
			m--;
		memmove(to, at, m);
		to += m;
		if (m > 0)
			*to++ = '\n';
		at += n + (at[n] == '\n');
	}
	*to = 0;
	return s;
}

static const char *
optimized(const char *text)
{
	IrCase *c = case_read(&flan_ir, text);
	const char *out;

	ck_assert_msg(c->u.ir, "%s\n%s", text, c->said);
	ck_assert_msg(!*case_check(c), "%s\n%s", text, case_check(c));
	optimize(&c->u);
	out = arena_printf(arena, "%s", case_print(c));
	ck_assert_msg(!*case_check(c), "%s\nbecomes\n%s\n%s", text, out, case_check(c));
	case_end(c);
	return out;
}

static void
set_up(void)
{
	arena = arena_new();
}

static void
tear_down(void)
{
	arena_free(arena);
}

/* -- laws --------------------------------------------------------------------------------------------- */

static const char cells[] =
	"unit flan\ncell i : int\ncell j : int\ncell k : int\ncell b : bool\ncell c : bool\ncell u : float\n"
	"cell v : [int]\ncell w : [int]\ncell x : [float]\ncell p : [bool]\ncell s : [[int]]\n"
	"cell it : int\ncell it_2 : float\ncell it_3 : bool\ncell it_4 : [int]\ncell it_5 : [float]\ncell it_6 : [bool]\n";

static const char *
cell_of(const char *type)
{
	static const char *const types[] = {"int", "float", "bool", "[int]", "[float]", "[bool]"};
	int i = 0;

	while (strcmp(types[i], type) != 0)
		i++;
	return i ? arena_printf(arena, "it_%d", i + 1) : "it";
}

/* The first line of a law's program is its type. */
static const char *
entry_of(const Case *c)
{
	const char *body = strchr(c->in, '\n') + 1, *type = arena_strndup(arena, c->in, (size_t)(body - 1 - c->in));

	return arena_printf(arena, "entry expr it = %s : %s {\n%s}\n", cell_of(type), type, body);
}

static void
body_is(const Case *c)
{
	const char *out = optimized(arena_printf(arena, "%s%s", cells, entry_of(c)));
	const char *got = plain_lines(strchr(strstr(out, "\nentry "), '{') + 1);

	ck_assert_msg(strcmp(got, arena_printf(arena, "%s}\n", plain_lines(c->out))) == 0, "%s: got\n%s\nnot\n%s", c->name, got,
		c->out);
}

START_TEST(laws_apply)
{
	Cases c = read_cases("tests/opt/laws.txt");
	const char *law;

	for (int i = 0; i < c.n; i++)
		body_is(&c.at[i]);
	for (int i = 0, k; (law = rules_text(arena, i)); i++) {
		for (k = 0; k < c.n && strcmp(c.at[k].name, law) != 0; k++)
			;
		ck_assert_msg(k < c.n, "no program for the law %s", law);
	}
}
END_TEST

START_TEST(other_things_stay)
{
	Cases c = read_cases("tests/opt/stays.txt");

	for (int i = 0; i < c.n; i++)
		body_is(&c.at[i]);
}
END_TEST

/* Indices in range, lengths, permutations at once. */
static const struct {
	const char *i, *j, *k, *b, *c, *u, *v, *w, *x, *p, *s, *d;
} values[] = {
	{"2", "1", "3", "true", "false", "1.5", "3, 0, 2, 1", "0, 3, 3, 1", "2.5, -1.0, 0.0, 7.25", "true, false, true, true",
		"2, 0, 3, 1", "3, 0, 2, 1, 1, 2"},
	{"0", "0", "1", "false", "true", "-0.0", "0", "0", "-0.0", "false", "1", "0"},
	{"0", "0", "0", "true", "true", "nan", "", "", "", "", "", ""},
};

static void
set_scalar(FILE *f, const char *name, const char *type, const char *value)
{
	fprintf(f, "entry assign %s = %s : %s {\nyield %s\n}\n", name, name, type, value);
}

static void
set_vector(FILE *f, const char *name, const char *type, const char *value)
{
	fprintf(f, "entry assign %s = %s : [%s] {\na:<%s> = vector %s\nyield a\n}\n", name, name, type, type, value);
}

/* Without elements there is none to be looked at. */
START_TEST(laws_keep_values)
{
	Cases c = read_cases("tests/opt/laws.txt");
	char path[] = "/tmp/nessie-laws-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	ck_assert(f);
	fputs(cells, f);
	set_scalar(f, "i", "int", values[_i].i);
	set_scalar(f, "j", "int", values[_i].j);
	set_scalar(f, "k", "int", values[_i].k);
	set_scalar(f, "b", "bool", values[_i].b);
	set_scalar(f, "c", "bool", values[_i].c);
	set_scalar(f, "u", "float", values[_i].u);
	set_vector(f, "v", "int", values[_i].v);
	set_vector(f, "w", "int", values[_i].w);
	set_vector(f, "x", "float", values[_i].x);
	set_vector(f, "p", "bool", values[_i].p);
	fprintf(f, "entry assign s = s : [[int]] {\na:<int> = vector %s\ns:segdes = segdes a\nd:<int> = vector %s\nyield s, d\n}\n",
		values[_i].s, values[_i].d);
	for (int i = 0; i < c.n; i++)
		if (*values[_i].v || !(strstr(c.at[i].in, "elem ") || strstr(c.at[i].in, "row_start ")
		                       || strstr(c.at[i].in, "row_length ")))
			fputs(entry_of(&c.at[i]), f);
	fclose(f);
	ck_assert_int_eq(0, system(arena_printf(arena, QUICKLY
		"./nessie run --target=cpu --from=flan -O0 %s >%s.0 && ./nessie run --target=cpu --from=flan -O2 %s >%s.2 && "
		"test $(wc -l <%s.0) -gt 100 && diff %s.0 %s.2", path, path, path, path, path, path, path)));
	ck_assert_int_eq(0, system(arena_printf(arena, "rm %s %s.0 %s.2", path, path, path)));
}
END_TEST

/* -- programs ----------------------------------------------------------------------------------------- */

START_TEST(programs)
{
	Cases c = read_cases("tests/opt/programs.txt");

	for (int i = 0; i < c.n; i++) {
		const char *head = strncmp(c.at[i].in, "unit", 4) == 0 ? "" : "unit flan\n";
		const char *out = strchr(plain_lines(optimized(arena_printf(arena, "%s%s", head, c.at[i].in))), '\n') + 1;

		ck_assert_msg(strcmp(out, plain_lines(c.at[i].out)) == 0, "%s: got\n%s\nnot\n%s", c.at[i].name, out, c.at[i].out);
	}
}
END_TEST

/* -- levels ------------------------------------------------------------------------------------------- */

static double
figure(const char *stats, const char *name)
{
	const char *at = strstr(stats, arena_printf(arena, "\"%s\": ", name));

	ck_assert_msg(at, "no %s in %s", name, stats);
	return atof(strchr(at, ':') + 1);
}

/* The examples launch and move less, the more is optimised; fusion has its own counts. */
START_TEST(counts_do_not_grow)
{
	static const char *const example[] = {"bfs", "black_scholes", "cg", "dotp", "mandelbrot", "mxv", "nbody", "primes", "prod", "prod_if_pos",
		"quickhull", "quicksort", "sparse_mxv", "sqr"};
	char dir[] = "/tmp/nessie-levels-XXXXXX";
	double launches[3], bytes[3];

	ck_assert(mkdtemp(dir));
	for (size_t k = 0; k < sizeof example / sizeof *example; k++) {
		for (int i = 0; i < 3; i++) {
			const char *stats = arena_printf(arena, "%s/stats", dir);

			ck_assert_int_eq(0, system(arena_printf(arena, QUICKLY
				"./nessie run --target=cpu --no-fuse -O%d --stats=%s examples/%s.nesl >/dev/null", i, stats, example[k])));
			stats = text_of(stats);
			launches[i] = figure(stats, "launches");
			bytes[i] = figure(stats, "bytes_read") + figure(stats, "bytes_written");
		}
		ck_assert_msg(launches[2] <= launches[1] && launches[1] <= launches[0], "%s: launches %g %g %g", example[k],
			launches[0], launches[1], launches[2]);
		ck_assert_msg(bytes[2] <= bytes[1] && bytes[1] <= bytes[0], "%s: bytes %g %g %g", example[k], bytes[0], bytes[1],
			bytes[2]);
	}
	ck_assert_int_eq(0, system(arena_printf(arena, "rm -r %s", dir)));
}
END_TEST

/* What fusion is given between the levels: with no law applied later there are other tasks to put together. */
START_TEST(level_one_is_sound)
{
	ck_assert_int_eq(0, system("for p in examples/*.nesl tests/run/*.nesl; do ./nessie dump --stage=mem -O1 $p >/dev/null 2>&1; "
		"test $? != 5 || { echo $p; exit 1; }; done"));
	ck_assert_int_eq(0, system(QUICKLY "./nessie run --target=cpu -O1 tests/run/kept_at_levels.nesl | diff - tests/run/kept_at_levels.out"));
}
END_TEST

Suite *
opt_suite(void)
{
	Suite *s = suite_create("opt");
	TCase *c = tcase_create("opt");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_set_timeout(c, 120);
	tcase_add_test(c, laws_apply);
	tcase_add_test(c, other_things_stay);
	tcase_add_loop_test(c, laws_keep_values, 0, 3);
	tcase_add_test(c, programs);
	tcase_add_test(c, counts_do_not_grow);
	tcase_add_test(c, level_one_is_sound);
	suite_add_tcase(s, c);
	return s;
}

/* check_faults.c: which element of which apply-to-each a run-time error is told of: on interp and on the cpu target the
 * same, on every run, whatever the threads and chunks; and what is told where memory comes before messages. */
#include "common/process.h"
#include "tests/command.h"
#include "tests/tcc.h"
#include <stdbool.h>

Suite *faults_suite(void);

static char dir[] = "/tmp/nessie-faults-XXXXXX";

/* A shell command in which DIR is ours; its output, until the next one. */
static const char *
says(const char *command)
{
	static char *out;

	free(out);
	sh(&out, "DIR=%s; " QUICKLY "{ %s; } 2>&1", dir, command);
	return out;
}

/* -- paths ---------------------------------------------------------------------------------------- */

static const struct {
	const char *program, *interp, *cpu;     /* the path; cpu NULL: the same; "": none is told */
} paths[] = {
	{"10 / 0", "", NULL},
	{"{10 / x : x in [2, 1, 0]}", "[2]", NULL},
	{"{{10 / x : x in r} : r in [[1], [] int, [2, 0]]}", "[2][1]", NULL},
	{"{{{10 / x : x in r} : r in m} : m in [[[1], [2]], [[3, 4, 0], [] int]]}", "[1][0][2]", NULL},
	{"{if x > 1 then 10 / (x - 5) else x : x in [0, 2, 1, 5]}", "[3]", NULL},
	{"{{if #r > 1 then {10 / (x + y) : x in r} else [y] : y in [2, -3]} : r in [[1], [2, 3]]}", "[1][1][1]", NULL},
	{"{{if x > 3 then if x > 5 then [[1][x]] else [2] else [3] : x in r} : r in [[1, 2], [3, 9]]}", "[1][1]", NULL},
	/* further out than it stands: the first element that is there */
	{"{{1 / z + x : x in r} : r in [[] int, [1]]; z in [0, 0]}", "[1][0]", NULL},
	{"let z = 0 in {{1 / z + x : x in [1, 2]} : y in [1, 0]}", "[0][0]", NULL},
	{"{{if x > 1 then 1 / z else x : x in [1, 2]} : z in [1, 0]}", "[1][1]", NULL},
	{"{{sum({[1, 2][z + i] : i in [0:3]}) + x : x in [1, 2]} : z in [0, -1]}", "[0][0][2]", NULL},
	/* of elements that are folded side by side: the first, one of many, one of the last few */
	{"sum({10 / y : y in [0:100]})", "[0]", NULL},
	{"{max_val({10.0 / float(y - x) : y in [0:100]}) : x in [200, 38]}", "[1][38]", NULL},
	{"{{sum({10 / (y - x) : y in [0:99]}) + sum({rem(10, y + x) : y in [0:99]}) : x in r} : r in [[200], [101, 98, 63]]}", "[1][1][98]", NULL},
	/* in functions, and those that they call */
	{"function g(x) = {10 / (y - x) : y in [0:10]}; {{sum(g(x)) : x in r} : r in [[21], [22, 4]]}", "[1][1][4]", NULL},
	{"function g(x) = {10 / (y - x) : y in [0:10]}; {if x > 6 then sum(g(x - 5)) else 0 : x in [6, 7]}", "[1][2]", NULL},
	{"function g(x) = {10 / (y - x) : y in [0:10]}; {sum(g(z)) + x : x in [1:4]; z in [20, 5, 20]}", "[1][5]", NULL},
	{"function g(x) = {10 / (y - x) : y in [0:10]}; function h(x) = {sum(g(x + k)) : k in [20, 0]};"
		"{{#h(x) : x in r} : r in [[30], [40, 1]]}", "[1][1][1][1]", NULL},
	{"function g(x) = if x < 1 then error(\"low\") else t; {{g(x) : x in r} : r in [[1], [2, 0]]}", "[1][1]", NULL},
	/* recursion keeps no way out of its frames, so what is told begins in the function, except with --debug */
	{"function g(n) = if n == 0 then sum({1 / i : i in [2, 1, 0]}) else sum({g(n - 1) : i in [0:2]}); {g(n) : n in [1:3]}",
		"[0][0][2]", "...[0][2]"},
	{"function g(n) = if n == 0 then 1 / n else sum({g(n - 1) : i in [0:2]}); {g(n) : n in [1:3]}", "[0][0]", "...[0]"},
	/* calls in several arms are one, whose rows are parts */
	{"function q(n, v) = if n == 0 then {12 / x : x in v} else if #v > 2 then q(n - 1, take(v, 2)) ++ [1] else [2] ++ q(n - 1, "
		"{x - 1 : x in v}); {{#q(1, u) : u in r} : r in [[[7, 8], [4, 5, 6]], [[2], [4, 1]]]}", "[1][1][1]", "...[1]"},
	{"function q(n, v) = if n == 0 then {12 / x : x in v} else if #v > 2 then q(n - 1, take(v, 2)) ++ [1] else if v[0] > 6 then "
		"q(n - 1, [v[0]]) else [2] ++ q(n - 1, {x - 1 : x in v}); "
		"{{#q(n, u) : u in r} : n in [1, 2]; r in [[[7, 8], [4, 5, 6]], [[7], [2], [4, 5]]]}", "[1][1][0]", "...[0]"},
	{"function q(n, v) = if n == 0 then {12 / x : x in v} else if #v > 2 then flatten({q(n - 1, [x, 1]) : x in v}) "
		"else [2] ++ q(n - 1, {x - 1 : x in v}); {{#q(n, u) : u in r} : n in [1, 3]; r in [[[7, 8]], [[9], [8, 7, 2, 6]]]}",
		"[1][1][2][0]", "...[0]"},
	{"function q(n, v) = if n == 0 then {12 / x : x in v} else if #v == 2 then {sum(q(n - 1, [x, y])) : x in v; y in [1, 3]} "
		"else {sum(q(n - 1, [y, x, x])) : x in v; y in [0, 0, 0]}; {#q(2, u) : u in [[7, 6, 5], [8, 7]]}",
		"[0][0][0][0]", "...[0][0]"},
	/* a recursion that is not entered twice knows all of it */
	{"function g(n) = if n == 0 then 1 / n else sum({g(n - 1) : i in [0:2]}); {g(n - 1) : n in [1:3]}", "[0]", NULL},
	{"function g(n) = 1 + g(n + 1); {{g(n) : n in r} : r in [[] int, [1, 2]]}", "[1][0]", NULL},
	{"function g(x) = if x < 0 then g(x + 1) else 1 / x; {map(g, r) : r in [[1, 2], [3, -2]]}", "[1][1]", NULL},
	{"{map(x => {1 / (y - x) : y in [1, 2]}, r) : r in [[3, 4], [5, 2]]}", "[1][1][1]", NULL},
	/* on the host, then for an element: one limit for both */
	{"function g(n) = if n == 0 then 1 / n else 1 + g(n - 1); function h(n) = if n == 0 then sum({g(i) : i in [0, 0]}) else 1 + h(n - 1);"
		"h(99)", "[0]", NULL},
	/* lengths, library functions, variables without a value */
	{"{{x + y : x in a; y in b} : a in [[1], [2, 3]]; b in [[2], [3]]}", "[1]", NULL},
	{"{put([1], [k], [0, 0]) : k in [0:3]}", "[2]", NULL},
	{"{permute([7, 8], [k, 0]) : k in [1, 0]}", "[1]", NULL},
	{"{transpose([[1], [0:k]]) : k in [1, 2]}", "[1]", NULL},
	{"transpose([[1], [0:2]])", "", NULL},
	{"{{take(r, k) : k in [0, 4]} : r in [[1, 2], [3, 4, 5, 6]]}", "[0][1]", NULL},
	{"y = 7 / 0; function g(a) = if a > 5 then y else a; {{g(a) : a in r} : r in [[1], [1, 7]]}", "[1][1]", NULL},
};

/* Behind the last error of the output, on a line of its own. */
static const char *
path_of(const char *out)
{
	static char path[64];
	const char *p = NULL;

	for (const char *next = out; (next = strstr(next, "error[")); next++)
		p = next;
	ck_assert_msg(p != NULL, "%s", out);
	p = strstr(p, "\n  in ");
	if (!p)
		return "";
	if (strncmp(p, "\n  in some element\n", 19) == 0)
		return "?";
	ck_assert_msg(sscanf(p, "\n  in element %63s", path) == 1, "%s", out);
	return path;
}

START_TEST(path_is_told)
{
	const char *cpu = paths[_i].cpu ? paths[_i].cpu : paths[_i].interp;

	write_file(dir, "p.nesl", paths[_i].program);
	ck_assert_str_eq(path_of(says("./nessie run --max-depth=100 --target=interp $DIR/p.nesl")), paths[_i].interp);
	ck_assert_str_eq(path_of(says("./nessie run --max-depth=100 --target=cpu $DIR/p.nesl")), cpu);
	ck_assert_str_eq(path_of(says("./nessie run --max-depth=100 --target=cpu --int=32 --grain=4 $DIR/p.nesl")), cpu);
	ck_assert_str_eq(path_of(says("./nessie run --max-depth=100 --target=cpu --debug $DIR/p.nesl")), paths[_i].interp);
}
END_TEST

START_TEST(path_stands_under_the_caret)
{
	static const char want[] =
		"-e:1:4: error[div-by-zero]: division by zero, or min_int / -1\n"
		"    1 | {{[1 / x] : x in r} : r in [[2], [1, 0]]}\n"
		"      |    ^^^^^\n"
		"  in element [1][1]\n";

	ck_assert_str_eq(says("./nessie run --target=interp -e '{{[1 / x] : x in r} : r in [[2], [1, 0]]}'"), want);
	ck_assert_str_eq(says("./nessie run --target=cpu -e '{{[1 / x] : x in r} : r in [[2], [1, 0]]}'"), want);
}
END_TEST

START_TEST(paths_of_the_emulator)
{
	static const char program[] =
		"function g(n) = if n == 0 then sum({1 / i : i in [2, 1, 0]}) else sum({g(n - 1) : i in [0:2]});\n"
		"{g(n) : n in [1:3]};\n"
		"function q(n, v) = if n == 0 then {12 / x : x in v} else if #v > 2 then q(n - 1, take(v, 2)) ++ [1] else [2] ++ "
		"q(n - 1, {x - 1 : x in v});\n"
		"{{#q(1, u) : u in r} : r in [[[7, 8], [4, 5, 6]], [[2], [4, 1]]]};\n";
	static const char command[] = "./nessie run --debug --target=%s $DIR/p.nesl 2>&1 | grep '^  in'";
	char line[200];

	write_file(dir, "p.nesl", program);
	snprintf(line, sizeof line, command, "emu");
	ck_assert_str_eq(says(line), "  in element [0][0][2]\n  in element [1][1][1]\n");
	snprintf(line, sizeof line, command, "interp");
	ck_assert_str_eq(says(line), "  in element [0][0][2]\n  in element [1][1][1]\n");
}
END_TEST

/* -- the same one always -------------------------------------------------------------------------- */

static const char several[] =
	"v = [0:500];\n"
	"function half(x) = if x == 77 or x == 401 then [if error(\"odd\") then 1 else 2] else {x / (y - 3) : y in [0:3]};\n"
	"{if x > 90 then 1 / (x - 300) else [1][x / 88] : x in v};\n"
	"{let a = v[3 * x]; b = 1000 / (x - 140) in a + b : x in v};\n"
	"{{[r:x] : x in [0:r + 1] | x + 3 > r} : r in [0:300]};\n"
	"{#half(x) : x in v};\n"
	"{sum({v[x + y] : y in [0:7]}) : x in v | rem(x, 3) == 1};\n"
	"{if x > 200 then {1 / (y - x) : y in [190:400]} else {[1][y] : y in [0:max(0, x - 198)]} : x in v};\n";

/* Each line with a fault of all that interp lists, path included; how many there are. */
static int
are_among(const char *told, const char *all)
{
	int n = 0;

	for (const char *p = told; (p = strstr(p, ": error[")); p++, n++) {
		const char *from = p, *to = strstr(p, "  in element");
		char fault[512];

		while (from > told && from[-1] != '\n')
			from--;
		ck_assert(to != NULL);
		to = strchr(to, '\n') + 1;
		snprintf(fault, sizeof fault, "%.*s", (int)(to - from), from);
		ck_assert_msg(strstr(all, fault) != NULL, "not in the list of interp:\n%s", fault);
	}
	return n;
}

START_TEST(the_same_on_every_run)
{
	static const char *const grain[] = {"", "--grain=4", "--grain=37"};
	char command[400], first[1 << 14] = "", *all;

	write_file(dir, "p.nesl", several);
	all = strdup(says("./nessie run --target=interp --all-faults $DIR/p.nesl"));
	for (int g = 0; g < 3; g++) {
		snprintf(command, sizeof command, "CC=gcc ./nessie build --target=cpu %s -o $DIR/p $DIR/p.nesl", grain[g]);
		ck_assert_str_eq(says(command), "");
		for (int i = 0; i < 20; i++) {
			const char *out = says(i % 2 ? "OMP_NUM_THREADS=2 $DIR/p" : "OMP_NUM_THREADS=1 $DIR/p");

			if (!*first)
				snprintf(first, sizeof first, "%s", out);
			ck_assert_msg(strcmp(out, first) == 0, "%s, run %d:\n%s\ninstead of\n%s", grain[g], i, out, first);
		}
	}
	ck_assert_msg(are_among(first, all) == 6, "%s", first);
	free(all);
}
END_TEST

static void
make_dir(void)
{
	ck_assert(mkdtemp(dir));
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

Suite *
faults_suite(void)
{
	Suite *s = suite_create("faults");
	TCase *c = tcase_create("faults");

	tcase_add_unchecked_fixture(c, make_dir, remove_dir);
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, path_is_told, 0, (int)(sizeof paths / sizeof *paths));
	tcase_add_test(c, path_stands_under_the_caret);
	if (system("command -v c++ >/dev/null") != 0)
		fprintf(stderr, "check_faults: no C++ compiler here: no path was looked for on the emulator (apt-get install g++)\n");
	else
		tcase_add_test(c, paths_of_the_emulator);
	tcase_add_test(c, the_same_on_every_run);
	suite_add_tcase(s, c);
	return s;
}

/* check_interp.c: normal programs as text, run by the interpreter: values, faults and where they are
 * told, cells, recursion. */
#include "backend/interp/interp.h"
#include "tests/ir_help.h"
#include <check.h>
#include <unistd.h>

Suite *interp_suite(void);

/* What the program prints, and what it says on stderr, in one text. */
typedef struct {
	int status;
	char *text;
	size_t n;
} Ran;

static Ran
run_case(IrCase *c, InterpOptions o)
{
	Ran r;

	ck_assert_msg(c->u.ir != NULL, "%s", c->said);
	o.out = o.err = open_memstream(&r.text, &r.n);
	r.status = interp_run(&c->u, &o);
	fclose(o.out);
	return r;
}

static void
expect_with(InterpOptions o, const char *text, int status, const char *want)
{
	IrCase *c = case_read(&normal_ir, text);
	Ran r = run_case(c, o);

	ck_assert_str_eq(r.text, want);
	ck_assert_int_eq(r.status, status);
	free(r.text);
	case_end(c);
}

/* One entry of these bindings, the last of which is r. */
static void
expect(const char *type, const char *bindings, const char *want)
{
	char text[2000], line[500];
	bool fault = strncmp(want, "error", 5) == 0;

	snprintf(text, sizeof text, "unit normal\ncell it : %s\nentry expr it = it : %s {\n%s\n    yield r\n}\n",
		type, type, bindings);
	snprintf(line, sizeof line, fault ? "%s\n" : "it = %s : %s\n", want, type);
	expect_with((InterpOptions){0}, text, fault ? 3 : 0, line);
}

/* -- operators -------------------------------------------------------------------------------- */
START_TEST(scalars)
{
	static const char *const t[][3] = {
		{"int", "r:int = add 9223372036854775807, 1", "-9223372036854775808"},
		{"int", "r:int = div -7, 2", "-3"}, {"int", "r:int = rem -7, 3", "-1"},
		{"int", "r:int = rem 5, -1", "0"},
		{"int", "r:int = div 1, 0", "error[div-by-zero]: division by zero, or min_int / -1"},
		{"int", "r:int = div -9223372036854775808, -1", "error[div-by-zero]: division by zero, or min_int / -1"},
		{"float", "r:float = div 1.0, 0.0", "error[div-by-zero]: division by zero, or min_int / -1"},
		{"float", "r:float = sqrt -1.0", "error[domain]: argument outside the function's domain"},
		{"float", "r:float = max nan, 2.0", "2.0"}, {"float", "r:float = min 2.0, nan", "2.0"},
		{"int", "r:int = trunc nan", "-9223372036854775808"}, {"int", "r:int = round -2.5", "-2"},
		{"int", "r:int = not 5", "-6"}, {"bool", "r:bool = not true", "F"}, {"bool", "r:bool = xor true, true", "F"},
		{"bool", "r:bool = lt 1.5, 2.5", "T"}, {"bool", "r:bool = lt `b, `a", "F"}, {"char", "r:char = max `a, `b", "`b"},
		{"float", "r:float = select false, 1.5, 2.5", "2.5"}, {"int", "r:int = lshift 1, 65", "2"},
		{"int", "c:char = code_char 300\nr:int = char_code c", "300"}, {"int", "r:int = btoi true", "1"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect(t[i][0], t[i][1], t[i][2]);
}
END_TEST

START_TEST(folds)
{
	static const char *const t[][3] = {
		{"int", "s:[int] = seq 3, 1, 2\nr:int = sum s", "6"}, {"float", "s:[float] = seq\nr:float = max_val s", "-inf"},
		{"int", "s:[int] = seq\nr:int = min_val s", "9223372036854775807"},
		{"char", "s:[char] = string \"hello\"\nr:char = min_val s", "`e"},
		{"bool", "s:[bool] = seq true, false\nr:bool = all s", "F"}, {"int", "s:[int] = seq\nr:int = all s", "-1"},
		{"[int]", "s:[int] = seq 3, 1, 2\nr:[int] = plus_scan s", "[0, 3, 4]"},
		{"[bool]", "s:[bool] = seq true, false\nr:[bool] = and_scan s", "[T, T]"},
		{"[float]", "s:[float] = seq 2.0, 1.0\nr:[float] = max_scan s", "[-inf, 2.0]"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect(t[i][0], t[i][1], t[i][2]);
}
END_TEST

START_TEST(sequences)
{
	static const char *const t[][3] = {
		{"[int]", "r:[int] = range 1, 10, 4", "[1, 5, 9]"}, {"[int]", "r:[int] = range 3, 3, 1", "[]"},
		{"[int]", "r:[int] = range 5, 2, 1", "error[bad-range]: no range from 5 to 2 by 1"},
		{"[int]", "r:[int] = dist 7, 2", "[7, 7]"}, {"[int]", "r:[int] = dist 7, -1", "error[bad-range]: no range from 0 to -1 by 1"},
		{"[char]", "a:[char] = string \"ab\"\nb:[char] = string \"\\\"\"\nr:[char] = append a, b", "\"ab\\\"\""},
		{"int", "a:[int] = seq 4, 5\nr:int = elt a, 1", "5"},
		{"int", "a:[int] = seq 4, 5\nr:int = elt a, 2", "error[index-range]: index 2 is outside a sequence of length 2"},
		{"[int]", "a:[int] = seq 4, 5, 6\nr:[int] = subseq a, 1, 3", "[5, 6]"},
		{"[int]", "a:[int] = seq 4, 5, 6\nr:[int] = subseq a, 1, 4", "error[index-range]: index 4 is outside a sequence of length 3"},
		{"[int]", "a:[int] = seq 4, 5\nb:[int] = seq\nc:[[int]] = seq a, b, a\nr:[int] = flatten c", "[4, 5, 4, 5]"},
		{"[[int]]", "a:[int] = seq 4, 5\nb:[int] = seq\nc:[[int]] = seq a, b, a\nr:[[int]] = subseq c, 1, 3", "[[], [4, 5]]"},
		{"[((int, bool), [int])]", "a:(int, bool) = pair 1, true\nb:[int] = seq 2\np:((int, bool), [int]) = pair a, b\n"
			"r:[((int, bool), [int])] = seq p, p", "[((1, T), [2]), ((1, T), [2])]"},
		{"[int]", "a:[float] = seq 2.0, nan, -1.0, 0.0, -0.0, 2.0\nr:[int] = rank a", "[3, 5, 0, 2, 1, 4]"},
		{"[int]", "a:[int] = seq 2, 1, 2, 3\nr:[int] = rank_down a", "[1, 3, 2, 0]"},
		{"[int]", "a:[int] = seq 7, 8, 9\ni:[int] = seq 2, 0, 1\nr:[int] = permute a, i", "[8, 9, 7]"},
		{"[int]", "a:[int] = seq 7, 8\ni:[int] = seq 1, 1\nr:[int] = permute a, i", "error[bad-permute]: index 1 twice, or outside 0..1"},
		{"[int]", "a:[int] = seq 7, 8\ni:[int] = seq 1\nr:[int] = permute a, i", "error[bad-permute]: 1 index for a sequence of length 2"},
		{"[int]", "v:[int] = seq 7, 8\ni:[int] = seq 1, 1\nd:[int] = seq 1, 2, 3\nr:[int] = put v, i, d", "[1, 8, 3]"},
		{"[int]", "v:[int] = seq 7\ni:[int] = seq 3\nd:[int] = seq 1, 2, 3\nr:[int] = put v, i, d", "error[index-range]: index 3 is outside a sequence of length 3"},
		{"[int]", "v:[int] = seq 7, 8\ni:[int] = seq 1, 1\nd:[int] = seq 1, 2, 3\nr:[int] = put_sum v, i, d", "[1, 17, 3]"},
		{"[int]", "v:[int] = seq 8, -7\ni:[int] = seq 1, 2\nd:[int] = seq 1, 2, 3\nr:[int] = put_max v, i, d", "[1, 8, 3]"},
		{"[int]", "v:[int] = seq 7\ni:[int] = seq -1\nd:[int] = seq 1\nr:[int] = put_sum v, i, d", "error[index-range]: index -1 is outside a sequence of length 1"},
		{"[int]", "v:[int] = seq 7\ni:[int] = seq 0, 0\nd:[int] = seq 1\nr:[int] = put_max v, i, d", "error[length-mismatch]: lengths differ: 1 and 2"},
		{"[[int]]", "v:[int] = seq 7, 8, 9, 6\ni:[int] = seq 2, 0, 2, 0\nd:[int] = seq 0, 0, 0\nr:[[int]] = group v, i, d", "[[8, 6], [], [7, 9]]"},
		{"[[[int]]]", "a:[int] = seq 7, 8\nv:[[int]] = seq a, a\ni:[int] = seq 1, 0\nr:[[[int]]] = group v, i, i", "[[[7, 8]], [[7, 8]]]"},
		{"[[int]]", "v:[int] = seq 7, 8\ni:[int] = seq 0, 3\nd:[int] = seq 0, 0, 0\nr:[[int]] = group v, i, d",
			"error[index-range]: index 3 is outside a sequence of length 3"},
		{"[[int]]", "v:[int] = seq 7, 8\ni:[int] = seq 0\nr:[[int]] = group v, i, i", "error[length-mismatch]: lengths differ: 2 and 1"},
		{"[(int, [int])]", "a:[int] = seq 1, 2\nf:[bool] = seq true, false\nq:[(int, [int])] = foreach a {\n(x:int)\nl:[int] = range 0, x, 1\n"
			"p:(int, [int]) = pair x, l\nyield p\n}\nr:[(int, [int])] = pack f, q", "[(1, [0])]"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect(t[i][0], t[i][1], t[i][2]);
}
END_TEST

/* -- apply-to-each ---------------------------------------------------------------------------- */
START_TEST(nested)
{
	expect("[[int]]", "a:[int] = range 0, 3, 1\nr:[[int]] = foreach a {\n(x:int)\nb:[int] = range 0, x, 1\n"
		"s:[int] = foreach b {\n(y:int)\nc:bool = eq y, 0\nz:int = if c {\nyield x\n} {\nw:int = sub y, x\nyield w\n}\n"
		"yield z\n}\nyield s\n}", "[[], [1], [2, -1]]");
	expect("[int]", "a:[int] = seq 1, 2\nb:[int] = seq 1\nr:[int] = foreach a, b {\n(x:int, y:int)\nyield x\n}",
		"error[length-mismatch]: lengths differ: 2 and 1");
	expect("[[int]]", "a:[int] = range 0, 3, 1\nr:[[int]] = foreach a {\n(x:int)\nb:[int] = range 0, 3, 1\n"
		"s:[int] = foreach b {\n(y:int)\nd:int = sub x, y\ne:int = sub d, 1\nq:int = div 6, e\nyield q\n}\nyield s\n}",
		"error[div-by-zero]: division by zero, or min_int / -1\n  in element [1][0]");
}
END_TEST

/* Each element's first; a form's order, and an apply-to-each with such an element does not go on after it. */
START_TEST(first_faults)
{
	expect_with((InterpOptions){.all_faults = true},
		"unit normal\ncell it : [[int]]\nentry expr it = it : [[int]] {\na:[int] = seq 1, 0, 2\n"
		"r:[[int]] = foreach a {\n(x:int)\nb:[int] = seq 0, 3, 1\ns:[int] = foreach b {\n(y:int)\n"
		"e:int = elt a, y\nq:int = div e, x\nyield q\n}\nn:int = div 1, x\nyield s\n}\nm:int = div 1, 0\nyield r\n}\n", 3,
		"error[index-range]: index 3 is outside a sequence of length 3\n  in element [0][1]\n"
		"error[div-by-zero]: division by zero, or min_int / -1\n  in element [1][0]\n"
		"error[index-range]: index 3 is outside a sequence of length 3\n  in element [1][1]\n"
		"error[div-by-zero]: division by zero, or min_int / -1\n  in element [1][2]\n"
		"error[index-range]: index 3 is outside a sequence of length 3\n  in element [2][1]\n");
}
END_TEST

START_TEST(narrow_ints)
{
	expect_with((InterpOptions){0}, "unit normal int 32\ncell it : (int, int)\nentry expr it = it : int, int {\n"
		"a:int = add 2147483647, 1\nb:int = lshift 1, 33\nr:(int, int) = pair a, b\nyield r\n}\n"
		"entry expr it = it : int, int {\na:int = div -2147483648, -1\nr:(int, int) = pair a, a\nyield r\n}\n", 3,
		"it = (-2147483648, 2) : int, int\nerror[div-by-zero]: division by zero, or min_int / -1\n");
}
END_TEST

START_TEST(long_output)
{
	expect_with((InterpOptions){.print_length = 2},
		"unit normal\ncell it : [[int]]\nentry expr it = it : [[int]] {\na:[int] = range 0, 5, 1\n"
		"r:[[int]] = foreach a {\n(x:int)\nyield a\n}\nyield r\n}\n", 0, "it = [[0, 1,...], [0, 1,...],...] : [[int]]\n");
}
END_TEST

/* -- calls ------------------------------------------------------------------------------------ */
#define DEPTH \
	"unit normal\ncell it : int\nrec fun depth(n:int) -> int {\nc:bool = le n, 0\nr:int = if c {\nyield 0\n} {\n" \
	"m:int = sub n, 1\nd:int = call depth m\ne:int = add d, 1\nyield e\n}\nyield r\n}\n"
#define LOOP \
	"rec fun loop(n:int, v:[int]) -> int {\nc:bool = le n, 0\nr:int = if c {\nl:int = length v\nyield l\n} {\n" \
	"m:int = sub n, 1\ns:[int] = seq n\na:[int] = append s, v\nw:[int] = subseq a, 0, 2\nd:int = call loop m, w\nyield d\n}\nyield r\n}\n"

START_TEST(recursion)
{
	expect_with((InterpOptions){0}, DEPTH "entry expr it = it : int {\nr:int = call depth 100000\nyield r\n}\n",
		0, "it = 100000 : int\n");
	expect_with((InterpOptions){.max_depth = 1000},
		DEPTH "entry expr it = it : int {\nr:int = call depth 999\nyield r\n}\n"
		"entry expr it = it : int {\nr:int = call depth 1000\nyield r\n}\n",
		3, "it = 999 : int\nerror[recursion-depth]: recursion deeper than 1000 calls\n");
	expect_with((InterpOptions){.max_depth = 10},
		DEPTH LOOP "entry expr it = it : int {\nv:[int] = seq 1, 2\nr:int = call loop 100000, v\nyield r\n}\n",
		0, "it = 2 : int\n");
}
END_TEST

/* A fault in library code is told at the user's call. */
START_TEST(basis_fault)
{
	static const char text[] =
		"unit normal\ncell it : int\nfun half(n:int) -> int {         % lib.nesl:1:1+4\n"
		"r:int = div n, 0    % lib.nesl:2:3+4\nyield r\n}\n"
		"entry expr it = it : int {          % u.nesl:1:1+7\nr:int = call half 4       % u.nesl:1:1+7\nyield r\n}\n";
	IrCase *c = case_read(&normal_ir, text);
	Source lib = {.name = "lib.nesl", .text = "", .basis = true};
	Ran r;

	diag_source(c->u.diag, "u.nesl", "half(4);\n", 9, 0);
	c->u.sources = &lib;
	r = run_case(c, (InterpOptions){0});
	ck_assert_str_eq(r.text, "u.nesl:1:1: error[div-by-zero]: division by zero, or min_int / -1\n"
		"    1 | half(4);\n      | ^^^^^^^\n");
	free(r.text);
	case_end(c);
}
END_TEST

/* -- cells and inputs ------------------------------------------------------------------------- */
START_TEST(cells)
{
	static const char text[] =
		"unit normal\ncell x : int\ncell y : [int]\ncell it : int\n"
		"entry assign (x, y) = x, y : int, [int] {\ns:[int] = seq 1, 2\nyield 5, s\n}\n"
		"entry assign x = x : int {\na:int = cell x\nb:int = div a, 0\nyield b\n}\n"
		"entry expr it = it : int {\na:int = cell x\nyield a\n}\n"
		"entry def f : int -> int\n";
	static const char unbound[] =
		"unit normal\ncell x : int\ncell it : int\n"
		"entry assign x = x : int {\nb:int = div 1, 0\nyield b\n}\n"
		"entry expr it = it : int {\na:int = cell x\nyield a\n}\n";

	expect_with((InterpOptions){.echo = "all"}, text, 3,
		"(x, y) = (5, [1, 2]) : int, [int]\nerror[div-by-zero]: division by zero, or min_int / -1\n"
		"it = 5 : int\nf = fn : int -> int\n");
	expect_with((InterpOptions){.echo = "none"}, text, 3, "error[div-by-zero]: division by zero, or min_int / -1\n");
	expect_with((InterpOptions){0}, unbound, 3, "error[div-by-zero]: division by zero, or min_int / -1\n"
		"error[unbound-cell]: this variable has no value: the form that gives it one had a run-time error\n");
}
END_TEST

#define MATRIX \
	"unit normal\ninput m : [[(int, float)]]\ncell it : [float]\nentry expr it = it : [float] {\n" \
	"a:[[(int, float)]] = cell m\nr:[float] = foreach a {\n(row:[(int, float)])\nx:[float] = foreach row {\n" \
	"(p:(int, float))\nv:float = snd p\nyield v\n}\ns:float = sum x\nyield s\n}\nyield r\n}\n"

static Ran
run_input(const char *name, const char *text)
{
	char path[] = "/tmp/nessie-interp-XXXXXX.txt";
	IrCase *c = case_read(&normal_ir, MATRIX);
	Input in = {.name = name, .path = path};
	int fd = mkstemps(path, 4);
	Ran r;

	ck_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
	c->u.inputs = &in;
	r = run_case(c, (InterpOptions){0});
	unlink(path);
	case_end(c);
	return r;
}

START_TEST(inputs)
{
	Ran r = run_input("m", "[[(0, 1.5), (1, 2.0)], [], [(0, 4.0)]]");

	ck_assert_str_eq(r.text, "it = [3.5, 0.0, 4.0] : [float]\n");
	free(r.text);
	r = run_input("m", "[1, 2]");
	ck_assert_int_eq(r.status, 4);
	ck_assert_ptr_nonnull(strstr(r.text, "nessie: input m is declared [[(int, float)]], but /tmp/"));
	free(r.text);
	r = run_input("m", "[1, 2");
	ck_assert_int_eq(r.status, 4);
	ck_assert_ptr_nonnull(strstr(r.text, ".txt:1: the file ends where `]` is wanted"));
	free(r.text);
	expect_with((InterpOptions){0}, MATRIX, 4, "nessie: the input m needs a file: --input m=PATH\n");
}
END_TEST

Suite *
interp_suite(void)
{
	const TTest *const tests[] = {
		scalars, folds, sequences, nested, first_faults, narrow_ints, long_output, recursion, basis_fault, cells, inputs,
	};
	Suite *s = suite_create("interp");
	TCase *c = tcase_create("interp");

	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	return s;
}

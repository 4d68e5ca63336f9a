/* check_infer.c: types, messages about them, redefinition, and the library as the interpreter runs it. */
#include "backend/interp/interp.h"
#include "frontend/infer.h"
#include "frontend/mono.h"
#include "frontend/normal.h"
#include "frontend/verify.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *infer_suite(void);

static Arena *arena;
static Unit unit;
static char *messages;          /* of the last run */

static void
setup(void)
{
	arena = arena_new();
}

static void
teardown(void)
{
	arena_free(arena);
}

typedef const char *(*Verifier)(const Unit *, Span *);

/* The stage that `verify` is for keeps its promise. */
static void
keeps(Verifier verify, const char *text)
{
	Span at = {0};
	const char *wrong = verify(&unit, &at);

	ck_assert_msg(!wrong, "%s: %d:%d: %s", text, at.line, at.col, wrong);
}

typedef enum { TYPES, VALUES, NORMAL } What;

/* The types of the definitions in `text`, or the values of its forms, or its normal form. */
static const char *
result_of(const char *text, What what)
{
	char *said = NULL, *shown = NULL;
	size_t nsaid, nshown;
	FILE *err = open_memstream(&said, &nsaid), *out = open_memstream(&shown, &nshown);
	InterpOptions o = {.echo = "all", .out = out, .err = err};

	unit = (Unit){.arena = arena, .names = names_new(arena), .diag = diag_new(arena, err)};
	ck_assert_ptr_null(unit_add_basis(&unit));
	unit_add(&unit, (Source){.name = "a.nesl", .text = text, .n = strlen(text)});
	parse(&unit);
	keeps(verify_parse, text);
	infer(&unit);
	keeps(verify_type, text);
	if (what == TYPES)
		types_print(&unit, out);
	mono(&unit);
	keeps(verify_mono, text);
	normal(&unit);
	Span at = {0};
	const char *wrong = ir_check(unit.ir, &at);
	ck_assert_msg(!wrong, "%s: %s", text, wrong);
	if (what == VALUES)
		interp_run(&unit, &o);
	if (what == NORMAL)
		ir_print(unit.ir, out);
	fclose(err);
	fclose(out);
	messages = arena_strndup(arena, said, nsaid);
	text = arena_strndup(arena, shown, nshown);
	free(said);
	free(shown);
	return text;
}

/* -- types ------------------------------------------------------------------------------------------- */

static const struct { const char *text, *types; } typed[] = {
	{"function id(x) = x;", "id : a -> a :: (a in any)\n"},
	{"function dbl(x) = x * 2;", "dbl : int -> int\n"},
	{"function g(a, b) = a + b;", "g : (a, a) -> a :: (a in number)\n"},
	{"function g(a, b) = max(a, b) + b;", "g : (a, a) -> a :: (a in number)\n"},
	{"function g(a, b) = (b, a);", "g : (a, b) -> (b, a) :: (a in any; b in any)\n"},
	{"function g(a, b, c) = c;", "g : (a, b, c) -> c :: (a in any; b in any; c in any)\n"},
	{"function qs(v) = if #v < 2 then v else {x in v | x < v[0]} ++ qs(drop(v, 1));",
		"qs : [a] -> [a] :: (a in ordinal)\n"},
	{"function mxv(m, v) = {sum({x * v[i] : (i, x) in row}) : row in m};",
		"mxv : ([[(int, a)]], [a]) -> [a] :: (a in number)\n"},
	{"function n(x) = not(x);", "n : a -> a :: (a in logical)\n"},
	{"function g(x) : int -> int = x;", "g : int -> int\n"},
	{"function g(x) : a -> a :: (a in number) = x;", "g : a -> a :: (a in number)\n"},
	{"function g(x) = {(y, `c) : y in x | f};", "g : [a] -> [(a, char)] :: (a in any)\n"},
	/* an unknown function is a variable of the context */
	{"function g(x) = time(x);", "g : a -> (a, float) :: (a in any)\n"},
	{"function g(x) = let ((v, s), u) = time(time(x + 1)) in s + u;", "g : int -> float\n"},
	{"function twice(g, x) = g(g(x));", "twice : (b -> b, b) -> b :: (a in any; b in any)\n"},
	{"function all2(g, v) = {g(x) : x in v};", "all2 : (c -> b, [c]) -> [b] :: (a in any; b in any; c in any)\n"},
	{"function app(g, x) : (int -> int, int) -> int = g(x);", "app : (int -> int, int) -> int :: (a in any)\n"},
	{"function add(x) = y => x + y;", "add : a -> a -> a :: (a in number)\n"},
	{"function over(g) : ((int -> int) -> int) -> int = g(x => x);", "over : ((int -> int) -> int) -> int :: (a in any)\n"},
	{"x = sum; y = (x, 1); z = x([1]);", "x : [a] -> a :: (a in number)\ny : [a] -> a, int :: (a in number)\nz : int\n"},
	{"function loop(n) = loop(n + 1);", "loop : int -> a :: (a in any)\n"},
	{"x = 1, 2.5; (a, (b, c)) = (t, \"s\", [] int);",
		"x : int, float\na : bool\nb : [char]\nc : [int]\n"},
	{"x = ((1, 2), 3);", "x : (int, int), int\n"},
	{"function g(x) = x; function h(x) = g(x); function g(x) = x + 1; y = h(2.0); z = g(2);",
		"g : a -> a :: (a in any)\nh : a -> a :: (a in any)\ng : int -> int\ny : float\nz : int\n"},
	{"function g(a, b := 2) = (a, b); x = g(1.0), g(t, b := 3), g;",
		"g : a -> (a, int) :: (a in any)\nx : (float, int), (bool, int), a -> (a, int) :: (a in any)\n"},
	{"function g(a, (b, c), d := sum) : (int, (int, int)) -> int = d([a, b, c]);", "g : (int, int, int) -> int\n"},
	/* local names shadow the library, and are monomorphic */
	{"function g(sum) = let max = sum in max + 1;", "g : int -> int\n"},
};

START_TEST(types)
{
	ck_assert_str_eq(result_of(typed[_i].text, TYPES), typed[_i].types);
	ck_assert_str_eq(messages, "");
}
END_TEST

/* -- messages ------------------------------------------------------------------------------------------ */

static const struct { const char *text, *message; } wrong[] = {
	{"1 + 2.0;",
		"a.nesl:1:3: error[type]: `+` needs two numbers of the same type, but the left side is int "
		"and the right side is float; `float(x)` makes a float of an int\n    1 | 1 + 2.0;\n      |   ^\n"},
	{"[1] ++ [2.0];", "a.nesl:1:5: error[type]: `++` needs two sequences of the same type, "
		"but the left side is [int] and the right side is [float]; `{float(x) : x in v}` makes floats of ints\n"},
	{"map(sqrt, [1, 2]);", "argument 2 of `map` should be [float], but this is [int]; `{float(x) : x in v}` makes floats of ints\n"},
	{"@3 + 1;", "the right side is int; `++` joins two sequences, and `@x` is the text of any value\n"},
	{"t == f;", "a.nesl:1:3: error[type]: `==` needs two ints, floats or chars of the same type, "
		"but the left side is bool and the right side is bool; `eql(x, y)` compares any two values\n"},
	{"max(1);", "a.nesl:1:4: error[type]: `max` takes 2 arguments, but is given 1\n"},
	{"max([1, 2]);", "a.nesl:1:4: error[type]: `max` takes 2 arguments, but is given 1; the greatest element of v is `max_val(v)`\n"},
	{"max(1, 2, 3);", "a.nesl:1:4: error[type]: `max` takes 2 arguments, but is given 3\n"},
	{"let p = (1, 2, 3) in max(p);", "a.nesl:1:25: error[type]: `max` needs a, a :: (a in ordinal), but this is"},
	{"sum [1, 2];", "a.nesl:1:1: error[type]: `sum` is a function, and `sum [..]` is a subscript: "
		"an application to a sequence is written `sum([..])`\n"},
	{"not any([t]);", "a.nesl:1:5: error[type]: `not` needs a bool or an int, but this is [a] -> a; the value of a call is given as in "
	 "`not(any(..))`\n"},
	{"#sum;", "a.nesl:1:2: error[type]: `#` needs a sequence, but this is [a] -> a\n"},
	{"7 mod 2;", "a.nesl:1:3: error[type]: `mod` is a function: it stands before its arguments, as in `mod(..)`\n"},
	{"`ab;", "a.nesl:1:1: error[type]: only a function can be applied, but this is char; "
		"several characters are written \"like this\"\n"},
	{"quit;", "a.nesl:1:1: error[undefined-name]: `quit` is not defined; the command `exit` leaves\n"},
	{"elif;", "a.nesl:1:1: error[undefined-name]: `elif` is not defined; it is written `else if`\n"},
	{"if t then 3 elif 4 else 5;", "a.nesl:1:13: error[undefined-name]: `elif` is not defined; it is written `else if`\n"},
	{"{x * 2 for 3 : x in [1]};", "a.nesl:1:8: error[undefined-name]: `for` is not defined; what is done for each element is written"},
	{"elif = 3; 4 elif;", "error[type]: only a function can be applied, but this is int; is an operator or a comma missing behind it?\n"},
	{"let elif = 3 in 4 elif;", "error[type]: only a function can be applied, but this is int; is an operator or a comma missing behind it?\n"},
	{"len([1]);", "a.nesl:1:1: error[undefined-name]: `len` is not defined; the length of v is `#v`\n"},
	{"len = 3; leng + 1;", "`leng` is not defined; did you mean `len`?\n"},
	{"t || f;", "a.nesl:1:1: error[type]: the left side of `||` should be [char], but this is bool; logical or is `or`\n"},
	{"2.0 ^ 0.5;", "the right side of `^` should be int, but this is float; x to any power is `expt(x, y)`\n"},
	{"true;", "a.nesl:1:1: error[undefined-name]: `true` is not defined; did you mean `t`?\n"},
	{"f(x) = x;", "a.nesl:1:1: error[reserved-name]: `f` is a boolean value and cannot be bound; a function of another name is defined by "},
	{"function f(x) = x; f(1); 1 + f(2); it;", "a.nesl:1:10: error[reserved-name]: `f` is a boolean value"},
	{"sqrt = 3; sqrt + 1;", "a.nesl:1:1: error[redefine-builtin]: `sqrt` is a library name"},
	{"function max(v) = v[0]; max([1, 2]);", "a.nesl:1:10: error[redefine-builtin]: `max` is a library function"},
	{"sum(5);", "a.nesl:1:4: error[type]: `sum` needs a sequence of numbers, but this is int"},
	{"take([1], 2.0);", "a.nesl:1:11: error[type]: argument 2 of `take` should be int, but this is float"},
	{"(1, 2)[0];", "a.nesl:1:1: error[type]: a subscript needs a sequence, but this is (int, int)\n"},
	{"[1, 2][0, 1];", "a.nesl:1:1: error[type]: a subscript takes one index; `v -> [i, j]` takes several"},
	{"[1, 2][1.0];", "a.nesl:1:8: error[type]: the index of a subscript should be int, but this is float"},
	{"#5;", "a.nesl:1:2: error[type]: `#` needs a sequence, but this is int\n"},
	{"-\"a\";", "a.nesl:1:2: error[type]: `-` needs a number, but this is [char]\n"},
	{"sqrt([1.0]);", "`sqrt` needs float, but this is [float]; `{g(x) : x in v}` applies g to each element\n"},
	{"function g(n) = n + g(n - 1)\n{g(i) : i in [0:10]};", "a.nesl:1:21: error[type]: is `;` missing behind this?  It is "
		"applied to what comes on the next line\n"},
	{"function g(n, k) = if n == 1 then k\nelse if rem(n, 2) == 0 then g(n / 2, k + 1)\nelse g(n + 1, k + 1)\nmax_val({g(i) : i in [1:9]});",
		"a.nesl:3:6: error[type]: is `;` missing behind this?  It is applied to what comes on the next line\n"
		"    3 | else g(n + 1, k + 1)\n      |      ^^^^^^^^^^^^^^^\n"},
	{"x = 3; % three\ny = 4;\nz = 5; % five\n;", "a.nesl:1:8: note: is the `%` missing that should end this comment?  It ends at the next one\n"
		"    1 | x = 3; % three\n      |        ^^^^^^^\n"},
	{"x = [1]\n(3, 4);", "a.nesl:1:5: error[type]: only a function can be applied, but this is [int]; "
		"is `;` missing behind it?\n"},
	{"function g(a) =\nlet p = #a\nq = a[p];\nr = {z in a | z < p};\nin q + r;\n", "a.nesl:3:3: error[syntax]"},
	{"function g(a) = (a\nfunction h(a) = g(a); h(3);", "a.nesl:2:1: error[syntax]"},
	{"map([1], sqrt);", "argument 1 of `map` should be a function a -> b, but this is [int]\n"},
	{"not(1.5);", "a.nesl:1:4: error[type]: `not` needs a bool or an int, but this is float\n"},
	{"sort(\"ab\");", "a.nesl:1:5: error[type]: `sort` needs a sequence of numbers, but this is [char]\n"},
	{"flatten([1]);", "a.nesl:1:8: error[type]: `flatten` needs a sequence of sequences, but this is [int]\n"},
	{"x = 7 % 3; 5 % 2;", "is an operator or a comma missing behind it?\n    1 | x = 7 % 3; 5 % 2;\n      |     ^\n"
		"a.nesl:1:7: note: what stands between two `%` is a comment; a remainder is `rem(x, y)`\n"},
	{"sqrt(4);", "a.nesl:1:5: error[type]: `sqrt` needs float, but this is int; `float(x)` makes a float of an int\n"},
	{"isqrt(4.0);", "but this is float; `round(x)`, `floor(x)` and `trunc(x)` make an int of a float\n"},
	{"char_code(\"a\");", "but this is [char]; a char is written with one back-quote before it\n"},
	{"\"a\" == `a;", "a.nesl:1:5: error[type]: `==` needs two ints, floats or chars of the same type, but the left "
		"side is [char] and the right side is char; a char is written with one back-quote before it\n"},
	{"[1] ++ 2;", "the left side is [int] and the right side is int; a sequence of one element is written `[x]`\n"},
	{"[1] -> 0;", "a.nesl:1:8: error[type]: the right side of `->` should be [int], but this is int; "
		"a sequence of one element is written `[x]`\n"},
	{"[1] <- (0, 5);", "a.nesl:1:8: error[type]: the right side of `<-` should be [(int, int)], but this is (int, int); "},
	{"[1] /= [2];", "; `eql(x, y)` compares any two values\n"},
	{"1 < 2 < 3;", "a.nesl:1:7: error[type]: `<` needs two ints, floats or chars of the same type, but the left side is "
		"bool and the right side is int; several comparisons are joined by `and`: `x < y and y < z`\n"},
	{"\"a\" + \"b\";", "; `++` joins two sequences, for elements of sequences it is `{x + y : x in v; y in w}`\n"},
	{"[1] * 2;", "; for elements of sequences it is `{x * y : x in v; y in w}`\n"},
	{"function g(x) = x + 1\ng(3);", "a.nesl:2:1: error[type]: is `;` missing before this line?  Here `g` is a function "},
	{"function g(x) = max(x, x) and x;", ": error[type]: "},
	{"if 1 then 2 else 3;", "a.nesl:1:4: error[type]: the condition of `if` should be bool, but this is int\n"},
	{"if t then 1 else 2.0;", "a.nesl:1:18: error[type]: the branches of `if` differ: "
		"`then` gives int, `else` gives float\n"},
	{"[1, 2.0];", "a.nesl:1:5: error[type]: the elements of a sequence have one type, "
		"but the first is int and this is float\n"},
	{"{x in 5};", "a.nesl:1:7: error[type]: apply-to-each runs over a sequence, but this is int\n"},
	{"{x in [1] | 3};", "a.nesl:1:13: error[type]: a filter should be bool, but this is int\n"},
	{"{a : (a, b) in [1]};", "error[type]: this pattern needs a tuple, but the elements are int\n"},
	{"let (a, b) = 1 in a + b;", "error[type]: this pattern needs a tuple, but its value is int\n"},
	{"let (a, b, c) = (1, 2.5) in a;", "a.nesl:1:5: error[type]: this pattern needs a tuple (a, b, c), but its value is (int, float)\n"},
	{"{a : ((a, b), c) in [(1, 2)]};", "this pattern needs a tuple ((a, b), c), but the elements are (int, int)\n"},
	{"function g(v, w) = {i in w | not v[i]};", "a.nesl:1:30: error[type]: a subscript needs a sequence, but this is a; "
		"an element is given to a function as in `not(v[..])`\n"},
	{"[1, 2][[0, 1]];", "the index of a subscript should be int, but this is [int]; `v -> i` takes the elements at several positions\n"},
	{"# each of them\n1 + 2;", "a.nesl:1:1: note: a comment stands between two `%`\n"},
	{"[1 : 2.0];", "error[type]: the end of a range should be int, but this is float\n"},
	{"5(3);", "error[type]: only a function can be applied, but this is int; "
		"is an operator or a comma missing behind it?\n"},
	{"x = 1; x(3);", "error[type]: only a function can be applied, but `x` is int; "
		"is an operator or a comma missing behind it?\n"},
	{"(x => x)(1)(2);", "a.nesl:1:1: error[type]: only a function can be applied, but this is int; "
		"is an operator or a comma missing behind it?\n"},
	{"function g(v) = g([v]);", "a.nesl:1:18: error[type]: `g` needs a value, but this is [a]; a type is no part of itself, and within its own "
		"body a function has one type\n"},
	{"function g(v, k) = if k == 0 then 0 else #v + g({(x, x) : x in v}, k - 1);", "argument 1 of `g` should be a sequence, but this is "
		"[(a, a)]; a type is no part of itself, and within"},
	{"if t then sum else product;", "a.nesl:1:20: error[type]: the branches of `if` differ: `then` gives [a] -> a, "
		"`else` gives [b] -> b; these are different functions, and each function has a type of its own\n"},
	{"[x => x + 1, x => x + 1];", "a.nesl:1:14: error[type]: the elements of a sequence have one type, but the first "
		"is int -> int and this is int -> int; these are different functions, and each function has a type of its own\n"},
	{"function g(h, x) = if x == 0 then h(x) else g(y => h(y), x - 1);",
		"a.nesl:1:47: error[type]: argument 1 of `g` should be int -> a :: (a in any), but this is int -> a; "
		"these are different functions, and each function has a type of its own\n"},
	{"\"n = \" ++ 3;", "but the left side is [char] and the right side is int; `@x` is the text of any value\n"},
	{"print_line([1.5]);", "`print_line` needs [char], but this is [float]; `@x` is the text of any value\n"},
	{"[sum] ++ [product];", "a.nesl:1:7: error[type]: `++` needs two sequences of the same type, but the left side "
		"is [[a] -> a] and the right side is [[b] -> b]; these are different functions"},
	{"map(sqrt, [1]);", "a.nesl:1:11: error[type]: "},
	{"map(1, [1]);", "a.nesl:1:5: error[type]: argument 1 of `map` should be a function a -> b, "
		"but this is int\n"},
	{"let id = (x => x) in (id(1), id(\"a\"));",
		"a.nesl:1:32: error[type]: `id` needs int, but this is [char]\n"},
	{"function g(h) : (int -> int) -> int = h(1.0);", "a.nesl:1:40: error[type]: `h` needs int, but this is float; `round(x)`"},
	{"(x => x + 1)(t);", "a.nesl:1:13: error[type]: this function needs int, but this is bool\n"},
	{"datatype p(int -> int);", "a.nesl:1:12: error[type]: a datatype cannot say which type of functions it holds; "
		"a type variable can stand for one: `datatype p(a)`\n"},
	{"function g(a, b := 1) = a + b; g(1, 2);", "a.nesl:1:37: error[type]: a parameter with a default is given by its "
		"name, as in `b := ..`\n"},
	{"function g(a, bound := 1) = a + bound; g(1, buond := 2);", "a.nesl:1:45: error[type]: `g` has no parameter `buond` "
		"with a default; did you mean `bound`?\n"},
	{"function g(a, b := 1) = a + b; g(1, b := 2, b := 3);", "a.nesl:1:45: error[type]: `b` is given twice\n"},
	{"function g(a, b := 1) = a + b; g(b := 2);", "a.nesl:1:33: error[type]: `g` needs an argument in front of those by name\n"},
	{"function g(a, b := 1) = a + b; g(1, b := 2.0);", "a.nesl:1:42: error[type]: `b` of `g` should be int, but this is float\n"},
	{"function g(a, b := 1) = a + b; g(2.0);", "a.nesl:1:33: error[type]: `g` needs int, but this is float"},
	{"function g((a, c), d, b := 1) = a + b; g((1, 2));", "a.nesl:1:43: error[type]: argument 1 of `g` should be int, a"},
	{"function g(a, b := 1.5) = a + b + 1;", "a.nesl:1:20: error[type]: the default of `b` should be int, but this is float\n"},
	{"function g(a, b := zzz) = a; g(1);", "a.nesl:1:20: error[undefined-name]: `zzz` is not defined\n"},
	{"function g(a, b := 1) = map(g, [a]);", "a.nesl:1:29: error[type]: `g` has parameters with defaults, so it can only "
		"be applied in its own definition\n"},
	{"sum([1], x := 3);", "a.nesl:1:10: error[type]: `x := ..` gives an argument by name"},
	{"3, x := 3;", "a.nesl:1:4: error[type]: `x := ..` gives an argument by name"},
	{"function g(a, b := 1) = a + b; {g(1, b := t) : x in [1]};", "a.nesl:1:43: error[type]: `b` of `g` should be int"},
	{"y := 3;", "a.nesl:1:1: error[syntax]: `:=` gives an argument by name; a variable is given a value by `y = ..`\n"},
	{"map(rand_seed, [1]);", "a.nesl:1:1: error[serial-in-parallel]: a serial function, `rand_seed`, comes into the body or "
		"filter of an apply-to-each here\n"},
	{"function g(h, v) = {h(x) : x in v}; g(s => rand_seed(s), [1]);", "a.nesl:1:21: error[serial-in-parallel]: a serial "
		"function comes"},
	{"function g(a, b) = a; g(if t then 1 else 2, 3);", "a.nesl:1:42: error[type]: the branches of `if` differ: `then` gives "
		"int, `else` gives (int, int); what follows the comma is part of `else`: put the `if` in parentheses\n"},
	{"function g(h, b) = h(b); g((a, b) => if a < b then a else b, (1, 2));",
		"a.nesl:1:59: error[type]: the branches of `if` differ: `then` gives a, `else` gives (a, int, int); what"},
	{"{rand_seed(x) : x in [1]};", "a.nesl:1:2: error[serial-in-parallel]: `rand_seed` is serial"},
	{"eql(sum, sum);", "a.nesl:1:1: error[type]: this needs to look into values, which cannot be functions\n"},
	{"{g(1) : g in [] (int -> int)};", "a.nesl:1:2: error[type]: no function can be the value of this, "
		"so it cannot be applied\n"},
	{"function g(h, n) : (int -> int, int) -> int; function g2(h, n) : (int -> int, int) -> int = g(x => h(x) + 1, n);"
		"function g(h, n) : (int -> int, int) -> int = if n == 0 then h(0) else g2(h, n - 1); g(x => x, 3);",
		"error[type]: this function is needed at too many types"},
	{"function g(x) : int -> float = x;",
		"error[type]: `g` is declared to give float, but its body is int\n"},
	{"function g(a, b) : int -> int = a;", "error[type]: these parameters do not fit the declared type int\n"},
	{"function g(x) : a -> a :: (a in nummer) = x;", "error[type]: there is no class `nummer`"},
	{"function g(x) = g((x, x));", "error[type]: "},
	{"summ([1]);", "a.nesl:1:1: error[undefined-name]: `summ` is not defined; did you mean `sum`?\n"},
	{"let lenght = 1 in length2 + 1;", "error[undefined-name]: `length2` is not defined; did you mean `length`?\n"},
	{"zzzzzz;", "error[undefined-name]: `zzzzzz` is not defined\n"},
	{"it;", "error[undefined-name]: `it` is not defined"},
	{"function g(x) = g2(x) + 1; function g2(x) = x;", "a.nesl:1:17: error[undefined-name]: `g2` is not defined here, but further on\n"
		"    1 | function g(x) = g2(x) + 1; function g2(x) = x;\n      |                 ^^\n"
		"a.nesl:1:37: note: forms are read in order: define it first; if each needs the other, declare the type of one first"},
	{"[] foo;", "error[undefined-name]: there is no type `foo`\n"},
	{"pi = 3;", "a.nesl:1:1: error[redefine-builtin]: `pi` is a library name and cannot be redefined\n"},
	{"function max(a, b) = a;", "a.nesl:1:10: error[redefine-builtin]: `max` is a library function"},
	{"datatype r([r]);", "a.nesl:1:13: error[static-other]: the datatype `r` cannot contain itself\n"},
	{"datatype p(a, a) :: (a in number); p(t, t);", "error[type]: argument 1 of `p` should be a number, but this is bool\n"},
	{"datatype p(int, int); p(1);", "error[type]: `p` takes 2 arguments, but is given 1\n"},
	{"datatype p(a) :: (a in number); function g(x) : p -> int = 1;",
		"a.nesl:1:49: error[type]: the datatype is p(a) :: (a in number), which does not fit this use of it\n"},
	{"datatype p(a) :: (a in number); [] p(bool);", "a.nesl:1:36: error[type]: the datatype is p(a)"},
	{"datatype p(a) :: (b in any);", "error[type]: `b` is no type variable of this type\n"},
	{"datatype int(float);", "a.nesl:1:10: error[reserved-name]: `int` is a type"},
	{"datatype f(int);", "a.nesl:1:10: error[reserved-name]: `f` is a boolean value"},
	{"datatype max(int);", "a.nesl:1:10: error[redefine-builtin]: `max` is a library function"},
	{"function g(x) : foo(int) -> int = 1;", "error[undefined-name]: there is no type `foo` with arguments\n"},
	{"datatype p(int, int); let p(a, b) = 3 in a;", "error[type]: this pattern needs p, but its value is int\n"},
	{"datatype p(int, int); {a : p(a, b) in [1]};", "error[type]: this pattern needs p, but the elements are int\n"},
	{"datatype p(int); let p(a, b) = p(1) in a;", "error[type]: this pattern does not fit the datatype, which holds int\n"},
	{"datatype p(int); datatype q(int); eql(p(1), q(1));", ": error[type]: "},
	{"datatype p(int); p(1) == p(1);", "`eql(x, y)` compares any two values\n"},
	{"let (a b) = (1, 2) in a + b;", "a.nesl:1:6: error[syntax]: a pattern should come here, but `a` is no datatype"},
	{"val x = 3;", "a.nesl:1:1: error[syntax]: a pattern should come here, but `val` is no datatype; a variable is bound by `x = 3`, or by "
		"`let x = 3 in x + 1`\n"},
	{"g(x) = x + 1;", "a.nesl:1:1: error[syntax]: a pattern should come here, but `g` is no datatype; "
		"a definition starts with the word `function`\n"},
	{"function max(v) : [int] -> int;", "a.nesl:1:10: error[redefine-builtin]: `max` is a library function"},
	{"function g(a, b) : int -> int;", "a.nesl:1:12: error[type]: these parameters do not fit the declared type int\n"},
	{"function g(x) : int -> int; g(1);", "a.nesl:1:29: error[undefined-name]: this needs `g`, "
		"which is declared as int -> int but not defined"},
	{"function g(x) : int -> int; function h(x) = g(x); function g(x) = x; y = h(1);",
		"a.nesl:1:10: note: declared here\n"},
	{"function g(x) : a -> int; function h(x) = g([x]); function g(x) : a -> int = h(x); g(1);",
		"a.nesl:1:43: error[type]: `g` is needed at too many types"},
	{"function g(x) : a -> int; function h(x) = g([x]) + g((x, 1)) + g((x, x)); function g(x) : a -> int = h(x); "
		"g(1); 1;", "error[type]: `g` is needed at too many types"},
	{"{rand_seed(x) : x in [1]};", "a.nesl:1:2: error[serial-in-parallel]: `rand_seed` is serial: "
		"it cannot be used in the body or the filter of an apply-to-each\n    1 | {rand_seed(x) : x in [1]};\n"
		"      |  ^^^^^^^^^\n"},
	{"{* rand_seed(x) : x in [1]};", "a.nesl:1:4: error[serial-in-parallel]: `rand_seed` is serial"},
	{"{x in [1] | rand_seed(x)};", "a.nesl:1:13: error[serial-in-parallel]: `rand_seed` is serial"},
	{"y = {{if rand_seed(x) then 1 else x : x in [z]} : z in [1]}; y;",
		"a.nesl:1:10: error[serial-in-parallel]: `rand_seed` is serial"},
	/* a source is evaluated once, but if it stands in a body */
	{"{x in [1] | let y = {b in [rand_seed(x)]} in t};", "a.nesl:1:28: error[serial-in-parallel]: "},
	{"function g(x) = rand_seed(x); function h(v) = {g(x) : x in v}; h([1]); rand_seed(3);",
		"a.nesl:1:48: error[serial-in-parallel]: `g` is serial"},
	{"function g(n) = if rand_seed(n) then n else sum({g(k) : k in [0 : n]}); g(3);",
		"a.nesl:1:50: error[serial-in-parallel]: `g` is serial"},
	{"{user ++ x : x in [\"a\"]};", "a.nesl:1:2: error[serial-in-parallel]: `user` is serial"},
	{"function g(x, y := rand_seed(1)) = y; {g(x) : x in [1]};",
		"a.nesl:1:40: error[serial-in-parallel]: the default of `y` is serial"},
	{"function g(x, y := rand_seed(1)) = y; map(g, [1]);", "error[serial-in-parallel]: a serial function, `g`, comes"},
	/* new bodies */
	{"function g(x) : int -> bool = t; function h(x) = g(x); function g(x) : int -> bool = rand_seed(x); {h(x) : x in [1]};",
		"a.nesl:1:101: error[serial-in-parallel]: a serial function, `h`, comes"},
	{"function g(x) : int -> bool = rand_seed(x); function h(x) : int -> bool = g(x); function g(x) : int -> bool = h(x);"
		"{g(x) : x in [1]}; zzz;", "error[undefined-name]: `zzz` is not defined"},
};

static int
count_of(const char *s, const char *part)
{
	int n = 0;

	for (; (s = strstr(s, part)); s++)
		n++;
	return n;
}

START_TEST(message)
{
	result_of(wrong[_i].text, TYPES);
	ck_assert_msg(strstr(messages, wrong[_i].message) != NULL, "%s", messages);
	ck_assert_int_eq(count_of(messages, "error["), 1);
}
END_TEST

/* So is one that is wrong itself. */
START_TEST(defined_further_on)
{
	result_of("function g(x) = h(x);\nfunction h(x) = if x = 1 then 2 else 3;", TYPES);
	ck_assert_msg(strstr(messages, "a.nesl:1:17: error[undefined-name]: `h` is not defined here, but further on\n"
		"    1 | function g(x) = h(x);\n      |                 ^\na.nesl:2:1: note: forms are read in order"), "%s", messages);
}
END_TEST

/* The notes of a type error: where the types come from, unless the message shows it already. */
static const struct { const char *text, *notes; } origin[] = {
	{"if t then 1 else 2.0;",
		"a.nesl:1:11: note: `then` gives int here\n"
		"    1 | if t then 1 else 2.0;\n"
		"      |           ^\n"},
	{"[1, 2.0];",
		"a.nesl:1:2: note: the first is int\n"
		"    1 | [1, 2.0];\n"
		"      |  ^\n"},
	{"function h(x) = if x then 1 else x + 1;",
		"a.nesl:1:20: note: bool because of its use as the condition of `if`\n"
		"    1 | function h(x) = if x then 1 else x + 1;\n"
		"      |                    ^\n"},
	{"function h(x) = [0:x];\nfunction g(x) = let v = h(x) in x ++ v;",
		"a.nesl:1:20: note: int because of its use as the end of a range\n"
		"    1 | function h(x) = [0:x];\n"
		"      |                    ^\n"
		"a.nesl:1:17: note: [int] because of this range\n"
		"    1 | function h(x) = [0:x];\n"
		"      |                 ^^^^^\n"},
	{"function g(x) = x * 2; g(1.5);",
		"a.nesl:1:21: note: `g` takes ints because of this literal\n"
		"    1 | function g(x) = x * 2; g(1.5);\n"
		"      |                     ^\n"},
	{"function h(x) = x + 1;\nfunction g(x, y) = (y, h(x) * 2);\ng(1.5, 3);",
		"a.nesl:1:21: note: `g` takes ints because of this literal\n"
		"    1 | function h(x) = x + 1;\n"
		"      |                     ^\n"},
	{"function m(v) = {x + 1 : x in v}; m([1.0]);",
		"a.nesl:1:22: note: `m` takes ints because of this literal\n"
		"    1 | function m(v) = {x + 1 : x in v}; m([1.0]);\n"
		"      |                      ^\n"},
	{"function g(x) = max(x, 0.5); g(1);",
		"a.nesl:1:24: note: float because of this literal\n"
		"    1 | function g(x) = max(x, 0.5); g(1);\n"
		"      |                        ^^^\n"},
	{"x = 3; x + 1.0;",
		"a.nesl:1:5: note: int because of this literal\n"
		"    1 | x = 3; x + 1.0;\n"
		"      |     ^\n"},
	{"function g(v) = v[0] + #v; g([1.0]);",
		"a.nesl:1:24: note: int because of this use of `#`\n"
		"    1 | function g(v) = v[0] + #v; g([1.0]);\n"
		"      |                        ^\n"},
	{"function g(v) = v[-v[0]] + 0.5;", ""},
	{"function g(x) = sqrt(x) + -x + 1;", ""},
	{"n = 5; {x : x in n};",
		"a.nesl:1:5: note: int because of this literal\n"
		"    1 | n = 5; {x : x in n};\n"
		"      |     ^\n"},
	{"function g(x) : int -> float = x;",
		"a.nesl:1:24: note: float because of this declaration\n"
		"    1 | function g(x) : int -> float = x;\n"
		"      |                        ^^^^^\n"
		"a.nesl:1:17: note: int because of this declaration\n"
		"    1 | function g(x) : int -> float = x;\n"
		"      |                 ^^^\n"},
	{"function g(a, b) : int -> int = a;",
		"a.nesl:1:20: note: declared here\n"
		"    1 | function g(a, b) : int -> int = a;\n"
		"      |                    ^^^\n"},
	{"function g(x) : [int] -> int = sum(x); g([1.0]);",
		"a.nesl:1:18: note: int because of this declaration\n"
		"    1 | function g(x) : [int] -> int = sum(x); g([1.0]);\n"
		"      |                  ^^^\n"},
	{"s = \"ab\"; s ++ [1];",
		"a.nesl:1:5: note: [char] because of this string\n"
		"    1 | s = \"ab\"; s ++ [1];\n"
		"      |     ^^^^\n"},
	{"v = {x : x in [1]}; v + 1;",
		"a.nesl:1:5: note: [int] because of this apply-to-each\n"
		"    1 | v = {x : x in [1]}; v + 1;\n"
		"      |     ^^^^^^^^^^^^^^\n"},
	{"p = (1, 2); p + 1;",
		"a.nesl:1:5: note: (int, int) because of this tuple\n"
		"    1 | p = (1, 2); p + 1;\n"
		"      |     ^^^^^^\n"},
	{"x = 1; x(3);",
		"a.nesl:1:5: note: int because of this literal\n"
		"    1 | x = 1; x(3);\n"
		"      |     ^\n"},
	{"x = 1; (a, b) = x;",
		"a.nesl:1:5: note: int because of this literal\n"
		"    1 | x = 1; (a, b) = x;\n"
		"      |     ^\n"},
	{"p = (1, 2); let (a, b, c) = p in a;",
		"a.nesl:1:5: note: (int, int) because of this tuple\n"
		"    1 | p = (1, 2); let (a, b, c) = p in a;\n"
		"      |     ^^^^^^\n"},
	{"v = [`a]; {a : (a, b) in v};",
		"a.nesl:1:6: note: char because of this literal\n"
		"    1 | v = [`a]; {a : (a, b) in v};\n"
		"      |      ^^\n"},
	{"let (a, b) = 1 in a;", ""},
	{"{a : (a, b) in [1]};", ""},
	{"1 + 2.0;", ""},
	{"take([1], 2.0);", ""},
	{"sqrt(1);", ""},
	{"function g(x) = rand_seed(x); function h(x) = (t, g(x)); {h(x) : x in [1]};",
		"a.nesl:1:51: note: `h` uses `g` here\n"
		"    1 | function g(x) = rand_seed(x); function h(x) = (t, g(x)); {h(x) : x in [1]};\n"
		"      |                                                   ^\n"
		"a.nesl:1:17: note: `g` uses `rand_seed` here\n"
		"    1 | function g(x) = rand_seed(x); function h(x) = (t, g(x)); {h(x) : x in [1]};\n"
		"      |                 ^^^^^^^^^\n"},
};

START_TEST(origins)
{
	const char *notes;

	result_of(origin[_i].text, TYPES);
	notes = strstr(messages, ": note: ");
	while (notes && notes > messages && notes[-1] != '\n')
		notes--;
	ck_assert_int_eq(count_of(messages, "error["), 1);
	ck_assert_str_eq(notes ? notes : "", origin[_i].notes);
}
END_TEST

/* One message for each mistake, none for what follows from it. */
static const struct { const char *text; int errors; } cascade[] = {
	{"function g(x) = x + nope; function h(x) = g(x) + 1; h(2); it + 1; y = g(1); y;", 1},
	{"nope + nope * (1 + 2.0);", 2},
	{"let (a, b) = 1 in a + b + a[0];", 1},
	{"x = 1 + 2.0; x ++ [x];  x = 3; x + 1.0;", 2},
	{"function g(x) = ; g(3);", 1},
	{"function g(x) : int -> int; function h(x) = g(x); function g(x) : int -> int = x + nope; h(1); g(1); it;", 1},
	{"function g(a, b) : int -> int; function h(x) = g(x); h(1);", 1},
	{"nope + 1; nope; function g(x) = nope(x); g(1) + nope;", 1},
	{"nope + 1; other; nope = 3; nope + 1.0;", 3},
	{"datatype p(p); function g(x) : p -> p = x; let p(x) = p(1) in x;", 1},
	{"datatype p(; p(1);", 1},
	{"x = 3\ny = 4; x + y; y ++ [1];", 1},
	{"sum([1])\ny = 4; y * 2;", 1},
	{"{x : x in [1] where x > 0};", 1},
	{"y := 3; y ++ [1]; it + y;", 1},
};

START_TEST(poisoning)
{
	result_of(cascade[_i].text, TYPES);
	ck_assert_msg(count_of(messages, "error[") == cascade[_i].errors, "%s", messages);
}
END_TEST

START_TEST(an_undefined_name_is_reported_where_it_comes_first)
{
	result_of("1;\nnope + 1;\nnope;\n", TYPES);
	ck_assert_str_eq(messages, "a.nesl:2:1: error[undefined-name]: `nope` is not defined\n"
		"    2 | nope + 1;\n      | ^^^^\n");
}
END_TEST

START_TEST(large_types)
{
	result_of("function p(x) = (x, x); p(p(p(p(p(p(p(p(p(p(p(p(p(p(p(p(p(p(p(p(1))))))))))))))))))));", TYPES);
	ck_assert_int_eq(count_of(messages, "has more than 500 parts"), 1);
	/* what is in records counts, whatever their names hide */
	result_of("datatype d(a, a); function e(x) = d(x, x); e(e(e(e(e(e(e(e(e(e(e(e(e(e(e(e(e(e(e(1)))))))))))))))))));", TYPES);
	ck_assert_int_eq(count_of(messages, "has more than 500 parts"), 1);
	result_of("datatype a(int, int); datatype b(a, a, a); datatype c(b, b, b, b); datatype d(c, c, c, c); "
		"datatype e(d, d, d, d);", TYPES);
	ck_assert_int_eq(count_of(messages, "has more than 500 parts"), 1);
}
END_TEST

/* -- values -------------------------------------------------------------------------------------------- */

static const struct { const char *text, *value; } value[] = {
	/* a same-type redefinition changes earlier callers from then on, another type does not */
	{"function h(x) = x; function g(x) = h(x) + 0; a = g(1); function h(x) : a -> a = x; g(2);", "it = 2 : int\n"},
	{"function h(x) = x + 1; function g(x) = h(x); function h(x) = x * 10; g(2);", "it = 20 : int\n"},
	{"function h(x) = x + 1; function g(x) = h(x); function h(x) = x * 1.5; g(2);", "it = 3 : int\n"},
	{"y = 1; function g(z) = y + z; y = 2; g(1);", "it = 3 : int\n"},
	/* a datatype of a name hides the older one, whose values stay what they are */
	{"datatype p(int); x = p(1); function g(p(a)) = a; datatype p(float); x, p(0.5), g(x);",
		"it = (p(1), p(0.5), 1) : p, p, int\n"},
	{"datatype p(int, int); p(1, 2); p(a, b) = it; function p(x) = x; p(a + b);", "it = 3 : int\n"},
	{"datatype p(int, int); datatype q(p); q(p(x, y)) = q(p(1, 2));", "q(p(x, y)) = q(p(1, 2)) : q\n"},
	/* a definition is the body of what was declared with its type; a later declaration is nothing new */
	{"function h(x) : a -> int; function g(x) = h(x) + h([x]); function h(x) : a -> int = 2; "
		"function h(y) : a -> int; g(1.5);", "it = 4 : int\n"},
	{"function h(x) : a -> a; function g(x) = h(x) + 1; function h(x) = x; function h(x) : int -> int = 5; "
		"g(2), h(3);", "it = (3, 5) : int, int\n"},
	{"y = 1; function g(z) = y + z; y = 2.5; g(1), y;", "it = (2, 2.5) : int, float\n"},
	{"v = [5]; function g(i) = v[i]; function v(x) = x; g(0);", "it = 5 : int\n"},
	{"1; it + 1; it * 2;", "it = 4 : int\n"},
	/* an open name shadows the library for the user only */
	{"function sum(v) = 42; sum([1]), count([t]);", "it = (42, 1) : int, int\n"},
	/* the filter guards the body; literals are evaluated once, outside */
	{"{1 / x : x in [1, 0] | x /= 0};", "it = [1] : [int]\n"},
	{"{if x > 0 then 1 / 0 else 2 : x in [0]};", "it = [2] : [int]\n"},
	{"{let y = x in x + y : (x, z) in [(1, 2)]};", "it = [2] : [int]\n"},
	/* library */
	{"mod(-7, 3), mod(7, -3), mod(-7, -3), mod(-6, 3);", "it = (2, -2, -1, 0) : int, int, int, int\n"},
	{"{x ^ k : x in [1, 2, 3]; k in [3, 10, 0]};", "it = [1, 1024, 1] : [int]\n"},
	{"gcd(-12, 18), gcd(0, 4);", "it = (6, 4) : int, int\n"},
	{"eql((1, \"ab\", t), (1, \"ab\", t)), eql([[1]], [[2]]), eql([1], [1, 2]);",
		"it = (T, F, F) : bool, bool, bool\n"},
	{"identity((1, \"x\", 2.0));", "it = (0, \"\", 0.0) : int, [char], float\n"},
	{"write([\"a\", \"b\"], [(0, \"y\"), (0, \"z\")]);", "it = [\"z\", \"b\"] : [[char]]\n"},
	{"permute([\"a\", \"b\", \"c\"], [2, 0, 1]);", "it = [\"b\", \"c\", \"a\"] : [[char]]\n"},
	{"rotate([1, 2, 3], -1), rotate([] int, 1);", "it = ([2, 3, 1], []) : [int], [int]\n"},
	{"next(\"\", `z), previous(\"abc\", `z);", "it = (\"\", \"zab\") : [char], [char]\n"},
	{"length_from_flags([f, f, t, f]);", "it = [2, 2] : [int]\n"},
	{"unpack([1, 2], [t, f, t]);", "it = [1, 0, 2] : [int]\n"},
	{"name([[[1, 2], [3]], [[1], [2, 3]], [[1, 2], [3]]]);", "it = [2, 1, 2] : [int]\n"},
	{"remove_duplicates([\"ab\", \"a\", \"ab\", \"\", \"b\", \"\"]);",
		"it = [\"a\", \"ab\", \"b\", \"\"] : [[char]]\n"},
	{"collect([(\"x\", 1), (\"y\", 2), (\"x\", 3)]);", "it = [(\"y\", [2]), (\"x\", [1, 3])] : [([char], [int])]\n"},
	{"collect([] (int, int));", "it = [] : [(int, [int])]\n"},
	{"int_collect([(3, `a), (1, `b), (3, `c)]);", "it = [(1, \"b\"), (3, \"ac\")] : [(int, [char])]\n"},
	{"histogram(\"abca\");", "it = [(`b, 1), (`c, 1), (`a, 2)] : [(char, int)]\n"},
	{"union([1, 2], [2, 3]), intersection([1, 2], [2, 3]), set_difference([1, 2], [2, 3]);",
		"it = ([1, 2, 3], [2], [1]) : [int], [int], [int]\n"},
	{"search_for_subseqs(\"aa\", \"aaaa\"), search_for_subseqs(\"\", \"ab\"), search_for_subseqs(\"abc\", \"ab\");",
		"it = ([0, 1, 2], [0, 1, 2], []) : [int], [int], [int]\n"},
	{"kth_smallest(\"hello\", 1), median([3.0, 1.0, 2.0]);", "it = (`h, 2.0) : char, float\n"},
	{"min_int, max_int;", "it = (-9223372036854775808, 9223372036854775807) : int, int\n"},
	{"{remove_duplicates(v) : v in [\"aab\", \"\", \"b\"]};", "it = [\"ab\", \"\", \"b\"] : [[char]]\n"},
};

START_TEST(values)
{
	const char *all = result_of(value[_i].text, VALUES), *last = strstr(all, value[_i].value);

	ck_assert_str_eq(messages, "");
	ck_assert_msg(last && strcmp(last, value[_i].value) == 0, "%s gives\n%s", value[_i].text, all);
}
END_TEST

static const struct { const char *text, *kind; } fault[] = {
	{"take([1], 5);", "a.nesl:1:1: error[index-range]"}, {"head_rest([] int);", "error[index-range]"},
	{"partition([1, 2, 3], [1, 1]);", "error[length-mismatch]: lengths differ: 2 and 3"},
	{"partition([1, 2], [3, -1]);", "error[index-range]"}, {"zip([1], [1, 2]);", "error[length-mismatch]"},
	{"transpose([[1], [2, 3]]);", "error[length-mismatch]"}, {"interleave([1], [1, 2]);", "error[length-mismatch]"},
	{"permute([\"a\", \"b\"], [0, 0]);", "error[bad-permute]"}, {"permute([1], [0, 1]);", "error[bad-permute]"},
	{"put([\"a\"], [5], [\"b\"]);", "error[index-range]"}, {"put([1], [0, 1], [1, 2]);", "error[length-mismatch]"},
	{"rep([1, 2], 9, 5);", "error[index-range]"}, {"vsep([1]);", "error[index-range]"},
	{"group_by([1], 0);", "error[div-by-zero]"}, {"2 ^ -1;", "error[domain]"}, {"ln(-1.0);", "error[domain]"},
	{"reciprocal(0.0);", "error[div-by-zero]"}, {"dist(1, -1);", "error[bad-range]"},
	{"index(-1);", "error[bad-range]"}, {"kth_smallest([1], 1);", "error[index-range]"},
	{"median([] int);", "error[index-range]"}, {"1 + {1 / 0 : i in [] int}[0];", "a.nesl:1:6: error[div-by-zero]"},
};

START_TEST(faults)
{
	result_of(fault[_i].text, VALUES);
	ck_assert_msg(strstr(messages, fault[_i].kind) != NULL, "%s gives %s", fault[_i].text, messages);
}
END_TEST

/* -- instances ------------------------------------------------------------------------------------------- */

START_TEST(instances)
{
	const char *text = result_of("function id(x) = x; function rec(n) = if n < 1 then n else rec(n - 1);"
		"id(1), id(2.0), id([t]); rec(3); function unused(x) = x;", NORMAL);

	ck_assert_ptr_nonnull(strstr(text, "\nfun id_int("));
	ck_assert_ptr_nonnull(strstr(text, "\nfun id_float("));
	ck_assert_ptr_nonnull(strstr(text, "\nfun id_bool_seq("));
	ck_assert_ptr_nonnull(strstr(text, "\nrec fun rec("));
	ck_assert_ptr_null(strstr(text, "fun unused"));
}
END_TEST

/* Explicit tuples are passed and bound without being built; sources not used are not packed. */
START_TEST(no_tuples)
{
	const char *text = result_of("function g(a, (b, c)) = a + b * c; g(1, 2, 3);"
		"let (x, y) = (1, 2) in x + y; {x : x in [1]; y in [2] | y > 1};", NORMAL);

	ck_assert_int_eq(count_of(text, " = pair "), 0);
	ck_assert_int_eq(count_of(text, " = fst "), 0);
	ck_assert_int_eq(count_of(text, " = pack "), 1);
	ck_assert_ptr_nonnull(strstr(text, "= call g 1, 2, 3"));
}
END_TEST

/* Between the two clocks is all of e: its literals too, which elsewhere leave an apply-to-each. */
START_TEST(clocks_around_all)
{
	const char *text = result_of("function g(x) = time(x); {time(sum([1, 2])) : x in [3]}; {g(4) : x in [5]};", NORMAL);

	ck_assert_ptr_nonnull(strstr(text, "clock:float = clock\t% a.nesl:1:27+17\n"
		"\t\txs_2:[int] = seq 1, 2\t% a.nesl:1:35+8\n"
		"\t\tsum:int = sum xs_2\t% a.nesl:1:31+13\n"
		"\t\tclock_2:float = clock sum\t% a.nesl:1:27+17\n"));
	ck_assert_ptr_nonnull(strstr(text, "(x:int)\n\t\tr:(int, float) = call g 4\t"));
}
END_TEST

/* -- verifiers ------------------------------------------------------------------------------------------ */

static void
breaks(Verifier verify, const char *why)
{
	Span at = {0};
	const char *got = verify(&unit, &at);

	ck_assert_msg(got && strcmp(got, why) == 0, "%s instead of %s", got ? got : "nothing", why);
}

/* The form that was read last. */
static Form *
last_form(void)
{
	Form *f = unit.forms;

	while (f->next)
		f = f->next;
	return f;
}

/* x + id(x), with id polymorphic. */
static Expr *
broken_sum(void)
{
	result_of("function id(x) = x; let x = 1 in x + id(x);", TYPES);
	ck_assert_str_eq(messages, "");
	return last_form()->body->u.let.body;
}

START_TEST(verifies_parse)
{
	Expr *sum = broken_sum();

	sum->u.apply.arg->u.pair.a->span.file = NULL;
	breaks(verify_parse, "an expression has no source position");
	broken_sum();
	last_form()->body->u.let.pat->span.line = 0;
	breaks(verify_parse, "a pattern has no source position");
	broken_sum();
	last_form()->span.file = NULL;
	breaks(verify_parse, "a form has no source position");
	result_of("function g(x) : int -> int = x;", TYPES);
	last_form()->restype->span.file = NULL;
	breaks(verify_parse, "a type has no source position");
	result_of("function g(x) : a -> a :: (a in number) = x;", TYPES);
	last_form()->context->span.file = NULL;
	breaks(verify_parse, "a constraint has no source position");
}
END_TEST

START_TEST(verifies_type)
{
	Expr *id = broken_sum()->u.apply.arg->u.pair.b->u.apply.fn;

	id->type = type_fun(arena, type_new(arena, TYPE_INT), type_new(arena, TYPE_FLOAT));
	breaks(verify_type, "a use of a function has another type than its instantiation");
	id->u.var.inst = NULL;
	breaks(verify_type, "a use of a polymorphic function carries no instantiation");
	id->type = type_new(arena, TYPE_INT);
	breaks(verify_type, "what is applied is no function");
	broken_sum()->type = NULL;
	breaks(verify_type, "an expression has no type");
	last_form()->failed = true;
	keeps(verify_type, "a form that failed");
	broken_sum()->u.apply.arg->u.pair.a->u.var.decl = NULL;
	breaks(verify_type, "a variable has no binding");
	broken_sum()->u.apply.fn->type = NULL;
	breaks(verify_type, "a function that is applied has no type");
	broken_sum();
	last_form()->body->u.let.pat->type = NULL;
	breaks(verify_type, "a pattern has no type");
	last_form()->decl = NULL;
	breaks(verify_type, "a form binds nothing");
}
END_TEST

START_TEST(verifies_mono)
{
	Expr *sum;
	Inst *i;

	broken_sum();
	unit.mono->entries->next->body->type = type_var(arena, CLASS_ANY);
	breaks(verify_mono, "the type of an expression is not concrete");
	broken_sum();
	sum = unit.mono->entries->next->body->u.let.body;
	sum->u.apply.fn->u.var.decl = NULL;
	breaks(verify_mono, "what is applied is no instance");
	sum->kind = EXPR_TYPECASE;
	breaks(verify_mono, "typecase is left");
	broken_sum();
	i = unit.mono->insts;
	i->type = type_fun(arena, type_new(arena, TYPE_INT), type_new(arena, TYPE_FLOAT));
	type_default(arena, i->type);
	breaks(verify_mono, "the body of an instance has another type than the instance");
	i->name = NULL;
	breaks(verify_mono, "an instance has no name or no concrete type");
	broken_sum();
	unit.mono->entries->next->body->u.let.pat->type = NULL;
	breaks(verify_mono, "the type of a pattern is not concrete");
	broken_sum();
	sum = unit.mono->entries->next->body->u.let.body;
	sum->u.apply.fn->type = type_fun(arena, type_new(arena, TYPE_INT), type_new(arena, TYPE_INT));
	type_default(arena, sum->u.apply.fn->type);
	breaks(verify_mono, "an instance is applied at another type");
	sum->u.apply.fn->type = NULL;
	sum->kind = EXPR_VAR;
	sum->u.var.decl = NULL;
	breaks(verify_mono, "a variable is neither local nor a cell");
	sum->kind = EXPR_KEYWORD;
	breaks(verify_mono, "a function without a name, or an argument by name, is left");
}
END_TEST

#define COUNT(a) (int)(sizeof (a) / sizeof *(a))

Suite *
infer_suite(void)
{
	Suite *s = suite_create("infer");
	TCase *tc = tcase_create("infer");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, types, 0, COUNT(typed));
	tcase_add_test(tc, defined_further_on);
	tcase_add_loop_test(tc, message, 0, COUNT(wrong));
	tcase_add_loop_test(tc, origins, 0, COUNT(origin));
	tcase_add_loop_test(tc, poisoning, 0, COUNT(cascade));
	tcase_add_test(tc, an_undefined_name_is_reported_where_it_comes_first);
	tcase_add_test(tc, large_types);
	tcase_add_loop_test(tc, values, 0, COUNT(value));
	tcase_add_loop_test(tc, faults, 0, COUNT(fault));
	tcase_add_test(tc, instances);
	tcase_add_test(tc, no_tuples);
	tcase_add_test(tc, clocks_around_all);
	tcase_add_test(tc, verifies_parse);
	tcase_add_test(tc, verifies_type);
	tcase_add_test(tc, verifies_mono);
	suite_add_tcase(s, tc);
	return s;
}

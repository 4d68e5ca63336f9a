/* check_shape.c: what is known of sizes: the checks left, what has one length, which descriptors are uniform; on sources
 * through the whole front, and on flan. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "shape/shape.h"
#include "tests/command.h"
#include "tests/ir_help.h"
#include "tests/same_values.h"
#include "tests/tcc.h"

Suite *shape_suite(void);

/* -- sources ---------------------------------------------------------------------------------------- */

static char *text;

/* What a command, a format over a program in quotes, prints. */
static const char *
printed(const char *format, const char *program)
{
	free(text);
	ck_assert_msg(sh(&text, format, program) == 0, "%s: %s\n%s", format, program, text);
	return text;
}

#define INPUTS "--input v:'[int]' --input w:'[int]' --input x:'[float]' --input m:'[[int]]' --input k:int "

static const char *
shapes(const char *program)
{
	return printed("./nessie dump --stage=shape " INPUTS "%s 2>&1", program);
}

static int
count(const char *s, const char *word)
{
	int n = 0;

	for (; (s = strstr(s, word)); s++)
		n++;
	return n;
}

/* Two sequences of one length in each round. */
#define LOOP "-e 'function go(a, b, n) = if n == 0 then sum(a) + sum(b) else go({i + j : i in a; j in b}, {i * j : i in a; " \
	"j in b}, n - 1)' "

#define MATRICES "-e 'function matmul(a, b) = let c = transpose(b) in {{sum({x * y : x in row; y in col}) : col in c} : row in a}' "

/* Two sequences are to be of one length, in the end. */
#define BOTH "-e 'function both(a, b, n) = if n == 0 then sum({i + j : i in a; j in b}) else both(b, a, n - 1)' "

/* As long as nobody knows. */
#define PICK "-e 'function pick(a, n) = if n == 0 then a else pick({i in a | i > n}, n - 1)' "

/* program: files and -e; left: length checks; holds, lacks: texts of the dump, NULL: none. */
static const struct {
	const char *program;
	int left;
	const char *holds, *lacks;
} known[] = {
	/* the example of the paper; the outermost sequence is as long as its first leaf */
	{"-e '[[1, 2, 3], [4, 5, 6]]'", 0, "it_2 : UNIFORM_VEC(2, 3)\n\tit_3 : VEC(6, unknown)\n"
		"\tvalue it : VEC(1, 2), UNIFORM_VEC(2, 3), VEC(6, unknown)\n", NULL},
	{"-e '(a, b) = ([(1, [2.0, 0.5]), (3, [1.0])], 2)'", 0, "value a : VEC(1, 2), VEC(2, unknown), VEC(2, unknown), VEC(3, unknown)\n"
		"\tvalue b : SCALAR(2)\n", NULL},
	{"-e '[[1, 2], [3]]'", 0, "VEC(3, unknown)", "UNIFORM"},
	{"-e '[[2]]'", 0, "it_2 : VEC(1, 1)", NULL},
	/* two sequences of one origin */
	{"-e 'sum({a * b : a in v; b in {i + 1 : i in v}})'", 0, NULL, NULL},
	{"-e 'sum({a * b : a in v; b in w})'", 1, "left length-mismatch -e:1:4: #v, #w", NULL},
	{"-e 'let a = {i in v | i > 2}; b = {-i : i in v | i > 2} in {i + j : i in a; j in b}'", 0, NULL, NULL},
	{"-e 'let a = {i in v | i > 2}; b = {i in v | i > 3} in {i + j : i in a; j in b}'", 1, NULL, NULL},
	{"-e '{i + j : i in [0 : k]; j in dist(1, k)}'", 0, NULL, NULL},
	{"-e '{i + j : i in sort(v); j in v}'", 0, NULL, NULL},
	{"-e '{i + j : i in v ++ w; j in w ++ v}'", 0, NULL, NULL},
	{"-e '{i + j : i in v ++ w; j in w ++ w}'", 1, NULL, NULL},
	/* rows */
	{"-e '{{a + b : a in r; b in {c * 2 : c in r}} : r in m}'", 0, NULL, NULL},
	{"-e 'let u = dist(dist(2, #w), #v) in {sum({a * b : a in r; b in w}) : r in u}'", 0, "UNIFORM_VEC(#v, #w)", NULL},
	/* checks that passed are facts from there on */
	{"-e 'let a = {i + j : i in v; j in w} in {i - j : i in w; j in a}'", 1, "proved by what holds there length-mismatch",
		NULL},
	{"-e 'if #v == #w then {i + j : i in v ++ v; j in w ++ v} else v'", 0, "proved by what holds there length-mismatch", NULL},
	{"-e 'let a = {i + j : i in v; j in w} in {i - j : i in w; j in a}'", 1, "\t-e:1:9\ta_2 = #w\n\t-e:1:9\ta = #v\n"
		"\t-e:1:37\tit = eq(a_2, a)\n\t-e:1:9\tpassed before: length-mismatch\n", NULL},
	{"-e 'if #v == #w then {i + j : i in v ++ v; j in w ++ v} else v'", 0, "is true", NULL},
	{"-e '{i + j : i in sort(v ++ w); j in sort(w ++ v)}'", 0, "#append = #v + #w\n", NULL},
	{"-e 'if #v /= #w then v else {i + j : i in v ++ v; j in v ++ w}'", 0, NULL, NULL},
	{"-e 'if #v < #w then v else {i + j : i in v; j in w}'", 1, NULL, NULL},
	{"-e 'if k > 0 then {i + j : i in v; j in w} else v' -e '{i + j : i in v; j in w}'", 2, NULL, NULL},
	/* what holds at all calls of a loop holds in it */
	{LOOP "-e 'go(v, sort(v), k)' -e 'go(w, {-i : i in w}, 3)'", 0, NULL, NULL},
	{LOOP "-e '{go(r, {i + 1 : i in r}, #r) : r in m}'", 0, NULL, NULL},
	{LOOP "-e 'go(v, w, k)'", 1, NULL, NULL},
	/* also that they differ by a number */
	{"-e 'function go(a, b, n) = if n == 0 then sum({i + j : i in drop(a, 1); j in b}) else go({i + 1 : i in a}, {j * 2 : j in b}, n - 1);"
		" go([0] ++ v, v, k)'", 0, "proved length-mismatch -e:1:42: #a - 1, #a - 1", NULL},
	{"-e 'function go(a, b, n) = if n == 0 then sum({i + j : i in a; j in b}) else go({i + 1 : i in a}, {j * 2 : j in b}, n - 1);"
		" go([0] ++ v, v, k)'", 1, "left length-mismatch -e:1:42: #a, #a - 1", NULL},
	{"-e 'function go(a, b, n) = if n == 0 then sum({i + j : i in a ++ [1]; j in b}) else go(a ++ [3], b ++ [7], n - 1);"
		" go(v, v ++ [2], k)'", 0, "#a + 1, #a + 1", NULL},
	{"-e 'function go(a, b, n) = if n == 0 then sum({i + j : i in a ++ [1]; j in b}) else go(a ++ [3], b, n - 1);"
		" go(v, v ++ [2], k)'", 1, NULL, NULL},
	/* what one form sets is known to others; not of what two set, nor of what a later one may have changed */
	{"-e 'a = {i + 1 : i in v}' -e '{i + j : i in a; j in v}'", 0, NULL, NULL},
	{"-e 'a = {i + 1 : i in v}' -e 'a = {i + 2 : i in w}' -e '{i + j : i in a; j in v}'", 1, NULL, NULL},
	{"-e 'v = {i in v | i > 3}' -e '{i + j : i in v; j in w}' -e '{i + j : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'a = {i in v | i > 3}' -e 'b = {i * 2 : i in a}' -e 'function g(y) = {i + j : i in b; j in a}' -e 'g(3)'", 0, NULL, NULL},
	{"-e 'n = 4' -e 'a = [0:n]' -e '{i + j : i in a; j in [1:5]}'", 0, "a, is, is_2, add : VEC(4, unknown)", "left"},
	{"-e 'a = {{i * j : j in [0:k]} : i in v}' -e 'b = {{i + 1 : i in r} : r in a}' -e '{{i + j : i in r; j in s} : r in a; s in b}'",
		0, "UNIFORM_VEC(#v, is_4)", NULL},
	/* of a check that may have failed, and of a length that a form gives which may not end, nothing is known elsewhere */
	{"-e 'a = {i + j : i in v; j in w}' -e '{i + j : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'a = {i + j : i in v; j in w}' -e '{i + j : i in a; j in v}'", 1, "proved length-mismatch -e2:1:1", NULL},
	/* but what a form has checked that gives a value is known where this has been read, also by another form */
	{"-e 'a = {i + j : i in v; j in w}' -e '{i + j : i in a; j in w}'", 1, NULL, NULL},
	{"-e 'a = {i + j : i in v; j in w}' -e '{h + i - j : h in a; i in v; j in w}'", 1, "proved by what holds there length-mismatch -e2:1:1",
		NULL},
	{"-e 'a = sum({i + j : i in v; j in w})' -e 'b = a + 1' -e '{i + j + b : i in v; j in w}'", 1, "passed before: length-mismatch", NULL},
	{"-e 'a = sum({i + j : i in v; j in w})' -e 'function g(y) = {i + j + a : i in w; j in v}' -e 'g(3)'", 1, NULL, NULL},
	{"-e 'a = sum({i + j : i in v; j in w})' -e 'function g(y) = {i + j + y : i in w; j in v}' -e 'g(3)'", 2, NULL, NULL},
	{"-e 'a = sum({i + j : i in v; j in w})' -e 'let b = if k > 3 then a else 1 in {i + j + b : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'a = if k > 3 then sum({i + j : i in v; j in w}) else 1' -e '{i + j + a : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'sum({i + j : i in v; j in w})' -e 'sum({i + j + it : i in v; j in w})'", 2, NULL, NULL},
	{"-e 'a = sum({i + j : i in v; j in w})' -e 'a = a + k' -e '{i + j + a : i in v; j in w}'", 2, NULL, NULL},
	/* and behind both arms what both have checked */
	{"-e 'let a = if k > 3 then sum({i + j : i in v; j in w}) else sum({i * j : i in w; j in v}) in {i + j + a : i in v; j in w}'", 2,
		NULL, NULL},
	{"-e 'let a = if k > 3 then sum({i + j : i in v; j in w}) else sum({i * i : i in w}) in {i + j + a : i in v; j in w}'", 2,
		NULL, NULL},
	/* and what a call has checked on all ways that it returns, or what stands behind it does not run */
	{BOTH "-e 'let s = both(v, w, k) in {i * j + s : i in v; j in w}'", 1, "\t-e:1:44\tpassed before: length-mismatch\n", NULL},
	{BOTH "-e 'let s = both(v, w, k) in {i * j + s : i in v; j in w ++ [1]}'", 2, NULL, NULL},
	{BOTH "-e 'let s = both(v, v, k) in {i * j + s : i in v; j in w}'", 1, NULL, NULL},
	{BOTH "-e 'let s = both(v, v, k) + both(w, v, k) in {i * j + s : i in v; j in w}'", 1, NULL, NULL},
	{BOTH "-e 'let s = if k > 3 then both(v, w, 3) else 0 in {i * j + s : i in v; j in w}'", 2, NULL, NULL},
	{BOTH "-e 'let s = if k > 3 then both(v, w, 3) else both(w, v, 2) in {i * j + s : i in v; j in w}'", 1, NULL, NULL},
	{BOTH "-e 'let s = if k > 3 then both(v, w, 3) else both(w, w, 2) in {i * j + s : i in v; j in w}'", 2, NULL, NULL},
	{BOTH "-e 's = both(v, w, k)' -e '{i * j + s : i in v; j in w}'", 1, NULL, NULL},
	{BOTH "-e 's = both(v, w, k)' -e '{i * j : i in v; j in w}'", 2, NULL, NULL},
	{BOTH "-e '{let s = both(r, v, 3) in sum({i * j + s : i in r; j in v}) : r in m}'", 2, NULL, NULL},
	/* which is less in the next round, or more */
	{"-e 'function go(a, b, n) = if n > 0 then go(a ++ [1], b ++ [2], n - 1) else sum({i + j : i in a; j in b})' "
		"-e 'let s = go(v, w, k) in {i * j + s : i in v; j in w}'", 1, "\t-e:1:76\tpassed before", NULL},
	{"-e 'function go(a, b, n) = if n > 0 then go(a ++ [1], b, n - 1) else sum({i + j : i in a; j in b})' "
		"-e 'let s = go(v, w, k) in {i * j + s : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'function go(a, b, n) = if n > 0 then go(b, b, n - 1) else sum({i + j : i in a; j in b})' "
		"-e 'let s = go(v, w, k) in {i * j + s : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'function go(a, b, n) = if n == 0 then sum(a) else let s = sum({i + j : i in a; j in b}) in go({i + s : i in a}, b, n - 1)' "
		"-e 'let s = go(v, w, k) in {i * j + s : i in v; j in w}'", 2, NULL, NULL},
	{"-e 'function go(n) = if n == 0 then sum({i + j : i in v; j in w}) else go(n - 1) + 1' "
		"-e 'let s = go(k) in {i * j + s : i in v; j in w}'", 1, NULL, NULL},
	/* of what it gives, too */
	{PICK "-e 'function go(a, b, n) = if n == 0 then let x = pick(a, 2); y = pick(b, 3) in (x, y, sum({i + j : i in x; j in y})) else "
		"go(b, a, n - 1)' -e 'let (x, y, z) = go(v, w, k) in {i + j + z : i in x; j in y}'", 1, NULL, NULL},
	{PICK "-e 'function go(a, b, n) = if n == 0 then let x = pick(a, 2); y = pick(b, 3) in (x, y, sum({i + j : i in x; j in y})) else "
		"(a, b, 1)' -e 'let (x, y, z) = go(v, w, k) in {i + j + z : i in x; j in y}'", 2, NULL, NULL},
	{PICK "-e 'function go(a, b, n) = if n == 0 then let x = pick(a, 2); y = pick(b, 3) in (x, a, sum({i + j : i in x; j in y})) else "
		"go(b, a, n - 1)' -e 'let (x, y, z) = go(v, w, k) in {i + j + z : i in x; j in y}'", 2, NULL, NULL},
	{PICK "-e 'let x = pick(v, 2); y = pick(w, 3); a = if k > 3 then (x, sum({i + j : i in x; j in y})) else "
		"let z = pick(v, k) in (z, sum({i + j : i in z; j in y})); (p, q) = a in {i + j + q : i in p; j in y}'", 2, NULL, NULL},
	/* what all elements are, those are that are kept of them */
	{"-e 'let b = {i in w | v[i] > 2} in {v[i] : i in b}'", 0, "proved by what holds there index-range -e:1:33", NULL},
	{"-e 'let b = {i in w | i > 2}; s = sum({v[i] : i in w}) in {v[i] + s : i in b}'", 0, "proved by what holds there index-range -e:1:56", NULL},
	{"-e 'let b = {i in w | v[i] > 2}; c = {i in b | i > 3} in {v[i] : i in c}'", 0, "proved by what holds there index-range -e:1:55", NULL},
	{"-e '{let b = {i in r | v[i] > 2} in {v[i] : i in b} : r in m}'", 0, "proved by what holds there index-range -e:1:34", NULL},
	{"-e 'let b = {i in w | i > 2}; s = sum({v[i] : i in b}) in {v[i] + s : i in w}'", 0, "left index-range -e:1:36", "by what holds there index"},
	{"-e 'let u = drop(v, 1); b = {i in w | v[i] > 2} in {u[i] : i in b}'", 0, "left index-range -e:1:49", "by what holds there index"},
	{"-e 'let s = if k > 2 then sum({v[i] : i in w}) else 3 in {v[i] + s : i in w | i > 4}'", 0, "left index-range -e:1:55",
		"by what holds there index"},
	/* the parts of a sequence */
	{"-e 'let l = {e in v | e < k}; e = {e in v | e == k}; g = {e in v | e > k} in {a + b : a in g ++ l ++ e; b in v}'", 0,
		NULL, NULL},
	{"-e 'let p = 2.0; l = {e in x | e < p}; e = {e in x | e == p}; g = {e in x | e > p} in {a + b : a in l ++ e ++ g; b in x}'",
		1, "#l + #e + #g", NULL},
	{"-e 'let l = {e in v | e < k}; g = {e in v | e >= k} in {a + b : a in l ++ g; b in v}'", 0, NULL, NULL},
	{"-e 'let l = {e in x | e < 2.0}; g = {e in x | e >= 2.0} in {a + b : a in l ++ g; b in x}'", 1, NULL, NULL},
	{"-e 'let l = {e in x | e < 2.0}; g = {e in x | not(e < 2.0)} in {a + b : a in l ++ g; b in x}'", 0, NULL, NULL},
	/* examples */
	{"examples/dotp.nesl", 0, NULL, NULL},
	{"examples/sparse_mxv.nesl", 0, "left index-range", NULL},
	{"examples/nbody.nesl", 0, "fs : UNIFORM_VEC(100, 100)", "left length"},
	{"examples/black_scholes.nesl", 0, "spots, strikes, times, r : VEC(3, unknown)", "left"},
	{"examples/mxv.nesl", 0, "r : UNIFORM_VEC(40, 50)", "left length"},
	/* the product of two matrices: all levels uniform */
	{MATRICES "-e 'matmul({{i + j : j in [0 : 3]} : i in [0 : 4]}, {{i * j : j in [0 : 5]} : i in [0 : 3]})'", 0,
		"r_15 : UNIFORM_VEC(20, 3)", "left"},
	{MATRICES "-e 'let a = {{i + j : j in [0 : k]} : i in [0 : k]} in matmul(a, a)'", 1, "UNIFORM_VEC(is_2 * max, is_2)", NULL},
	{MATRICES "-e 'matmul(m, m)'", 2, NULL, NULL},
	/* the result is as long as the argument, by induction over the calls; for floats nobody knows */
	{"examples/quicksort.nesl", 0, "append_8, a_2 : VEC(#a, unknown)", "left"},
	{"examples/quicksort.nesl -e '{a + b : a in quicksort(x); b in x}'", 1, "left length-mismatch -e:1:1", NULL},
	{"examples/quicksort.nesl -e '{a + b : a in quicksort(v); b in v}'", 0, NULL, NULL},
	{"examples/quicksort.nesl -e '{{a + b : a in quicksort(r); b in r} : r in m}'", 0, NULL, NULL},
	{"-e 'function halves(a) = if #a < 3 then a else flatten({halves(h) : h in bottop(a)}); {{a + b : a in halves(r); b in r} : r in m}'",
		0, NULL, NULL},
	/* a conditional in an arm of another */
	{"-e '{{a + b : a in if #r < 4 then if #r < 2 then r else drop(r, 1) ++ [1] else {x + 1 : x in r}; b in r} : r in m}'", 0, NULL, NULL},
	/* by two versions: where the least of the rows' lengths is the greatest, they are all that */
	{"-e 'function up(a, n) = if n == 0 or #a == 0 then a else {x + y : x in up(a, n - 1); y in a};"
		" {{a + b : a in up(r, 3); b in r} : r in m}'", 0, NULL, NULL},
};

START_TEST(sources)
{
	const char *s = shapes(known[_i].program);

	ck_assert_msg(count(s, "left length-mismatch") == known[_i].left, "%s\n%.2000s", known[_i].program, s);
	ck_assert_msg(!known[_i].holds || strstr(s, known[_i].holds), "%s\n%.2000s", known[_i].program, s);
	ck_assert_msg(!known[_i].lacks || !strstr(s, known[_i].lacks), "%s\n%.2000s", known[_i].program, s);
}
END_TEST

/* Subscripts that need no check, and that do. */
static const struct {
	const char *program;
	int left;               /* also of checks of what is divided by */
} subscripts[] = {
	{"-e '{w[i] + v[i] : i in [0 : #v]}'", 1},
	{"-e 'let n = #v in {{v[j] : j in [0 : n]} : i in [0 : 3]}'", 0},
	{"-e '{{v[i] * w[j] : i in [0 : #v]} : j in [0 : #w]}'", 0},
	{"-e '{r[#r - 1] : r in m}'", 1},
	{"-e '{{r[j] : j in [0 : #r]} : r in m}'", 0},
	{"-e '{{r[j] : j in [0 : #v]} : r in m}'", 1},
	{"-e '{v[i] : i in w}'", 1},
	/* places counted from the end */
	{"-e 'reverse(v)'", 0},
	{"-e '{reverse(r) : r in m}'", 0},
	{"-e 'let w = [0:10] in {w[8 - i] : i in [0:9]}'", 0},
	{"-e '{v[#v - i] : i in [0 : #v]}'", 1},
	{"-e '{r[#v - 1 - i] : r in m; i in [0 : #m]}'", 1},
	/* sums of places */
	{"-e '{v[i - 1] + v[i + 1] : i in [1 : #v - 1]}'", 0},
	{"-e '{v[i - 1] + v[i + 2] : i in [1 : #v - 1]}'", 1},
	{"-e '{{v[i + j] : j in [0 : 3]} : i in [0 : #v - 2]}'", 0},
	{"-e '{{v[i + j] : j in [0 : 4]} : i in [0 : #v - 2]}'", 1},
	{"-e '{{v[i + 2 * j] : j in [0 : 3]} : i in [0 : #v - 4]}'", 0},
	{"-e '{{v[i + 3 * j] : j in [0 : 3]} : i in [0 : #v - 4]}'", 1},
	{"-e 'let a = [1, 2, 3, 4] in {{a[i + j] : j in [0 : 3]} : i in [0 : 2]}'", 0},
	{"-e 'let a = [1, 2, 3, 4] in {{a[i + j] : j in [0 : 3]} : i in [0 : 3]}'", 1},
	{"-e 'let a = [1, 2, 3, 4] in {{sum({a[i + h] * j : h in [0 : 2]}) : j in [0 : 2]} : i in [0 : 3]}'", 0},
	{"-e 'let a = [1, 2, 3, 4] in {{sum({a[i + h] * j : h in [0 : 2]}) : j in [0 : 2]} : i in [0 : 4]}'", 1},
	{"-e '{{v[i - j] : j in [0 : 3]} : i in [0 : #v - 2]}'", 1},
	{"-e '{{v[#v - 1 - i - j] : j in [0 : 3]} : i in [0 : #v - 2]}'", 0},
	{"-e '{{sum({v[i + j + h] : h in [0 : 2]}) : j in [0 : 3]} : i in [0 : #v - 3]}'", 0},
	{"-e 'let a = [[1, 2, 3], [4, 5, 6]] in {sum({a[i][j] : j in [0 : 3]}) : i in [0 : 2]}'", 0},
	{"-e 'let a = [[1, 2, 3], [4, 5]] in {sum({a[i][j] : j in [0 : 3]}) : i in [0 : 2]}'", 1},
	{"-e 'let p = flatten({[0 : 3] : i in w}); a = [7, 8, 9] in {a[p[i]] : i in [0 : #p]}'", 0},
	{"-e 'let p = flatten({[0 : 3] : i in w}); a = [7, 8, 9] in {a[p[i]] : i in v}'", 2},
	{"--int=32 -e '{v[i - 1] + v[i + 1] : i in [1 : #v - 1]}'", 1},
	/* around the end */
	{"-e '{v[rem(i + 1, #v)] + v[rem(i - 1 + #v, #v)] : i in [0 : #v]}'", 0},
	{"-e '{v[rem(i - 1, #v)] : i in [0 : #v]}'", 1},
	{"-e '{v[rem(i - 2 + #v, #v)] : i in [0 : #v]}'", 1},
	{"-e '{v[rem(i - 2 + 2 * #v, #v)] : i in [0 : #v]}'", 0},
	{"-e '{v[rem(i + k, #v)] : i in [0 : #v]}'", 1},
	{"-e '{v[rem(i + 1, #w)] : i in [0 : #v]}'", 2},
	{"-e '{v[rem(i + 1, #v + 1)] : i in [0 : #v]}'", 1},
	{"-e '{v[mod(i - 3, #v)] + v[mod(i + k, #v)] : i in [0 : #v]}'", 0},
	{"-e '{v[mod(x, #v)] : x in v}'", 0},
	{"-e '{w[mod(x, #w)] : x in v}'", 2},
	{"-e 'let a = [7, 8, 9] in {a[mod(x, 3)] : x in v}'", 0},
	{"-e 'let a = [7, 8, 9] in {a[mod(x, 4)] : x in v}'", 1},
	{"-e '{{x in v | rem(x, k) == j} : j in [0 : k]}'", 0},
	{"-e '{{x in v | rem(x, k) == j} : j in [0 : k + 1]}'", 1},
	{"-e '{{x in v | rem(x, k) == j} : j in w}'", 1},
	{"-e '{{m[rem(i + d + #m, #m)][0] : d in [-1 : 2]} : i in [0 : #m]}'", 1},
	{"-e 'rotate(v, k)'", 0},
	/* held at the ends */
	{"-e '{v[max(i - 1, 0)] + v[min(i + 1, #v - 1)] : i in [0 : #v]}'", 0},
	{"-e '{v[max(i - 1, 1)] : i in [0 : #v]}'", 1},
	{"-e '{v[min(i + 1, #v)] : i in [0 : #v]}'", 1},
	{"-e '{v[min(i - 1, #v - 1)] : i in [0 : #v]}'", 1},
	{"-e '{sum({v[max(0, min(i + j, #v - 1))] : j in [-4 : 5]}) : i in [0 : #v]}'", 0},
	{"-e '{sum({v[max(0, min(i + j, #w - 1))] : j in [-4 : 5]}) : i in [0 : #v]}'", 1},
	{"-e '{v[max(i - k, 0)] : i in [0 : #v]}'", 1},
	{"--int=32 -e '{v[min(i, #v - 1)] : i in [0 : #v]}'", 1},
	/* numbers so large that a few of them wrap prove nothing */
	{"--int=32 -e 'let w = [0:9] in {w[max(i, 2147483640)] : i in [0 : 9]}'", 1},
	{"--int=32 -e '{if i > 2147483640 then v[i] else 0 : i in [0 : 9]}'", 1},
	/* of each row */
	{"-e '{{r[max(j - 1, 0)] + r[min(j + 1, #r - 1)] : j in [0 : #r]} : r in m}'", 0},
	{"-e '{{r[min(j + 1, #r)] : j in [0 : #r]} : r in m}'", 1},
	{"-e '{{r[min(j + 1, #m - 1)] : j in [0 : #r]} : r in m}'", 1},
	{"-e '{{r[max(j - 1, 0)] : j in [0 : #m]} : r in m}'", 1},
	{"-e '{{r[max(j - i, 0)] : j in [0 : #r]} : r in m; i in [0 : #m]}'", 0},
	{"-e '{{r[max(j + i, 0)] : j in [0 : #r]} : r in m; i in [0 : #m]}'", 1},
	{"-e '{{r[rem(j + 1, #r)] + r[mod(j - 1, #r)] : j in [0 : #r]} : r in m}'", 0},
	{"-e '{{r[rem(j + 1, #m)] : j in [0 : #r]} : r in m}'", 2},
	{"-e '{{{r[rem(i + j, #r)] : j in [0 : 3]} : i in [0 : #r]} : r in m}'", 0},
	{"-e '{{{r[rem(i - j, #r)] : j in [0 : 3]} : i in [0 : #r]} : r in m}'", 1},
	{"-e '{rotate(r, k) : r in m}'", 0},
	{"-e '{{m[i][max(0, j - 1)] : j in [0 : #m[i]]} : i in [0 : #m]}'", 0},
	{"-e '{{m[i][max(0, j - 1)] : j in [0 : #m[i]]} : i in [1 : #m]}'", 0},
	{"-e '{{m[0][max(0, j - 1)] : j in [0 : #m[i]]} : i in [0 : #m]}'", 2},
	/* lengths were compared with numbers */
	{"-e 'if #v > 1 then v[#v / 2] + v[1] + v[#v - 2] else 0'", 0},
	{"-e 'if #v > 0 then v[#v / 2] + v[0] + v[#v - 1] else 0'", 0},
	{"-e 'if #v > 0 then v[1] else 0'", 1},
	{"-e 'if #v > 0 then v[#v - 2] else 0'", 1},
	{"-e 'if #v >= 0 then v[#v / 2] else 0'", 1},
	{"-e 'if 3 < #v then v[3] else v[2]'", 1},
	{"-e 'if #v == 0 or k > 7 then 0 else v[0]'", 0},
	{"-e 'if k >= 0 and k < #v then v[k] else 0'", 0},
	{"-e 'if k >= 0 or k < #v then v[k] else 0'", 1},
	{"-e 'if k > 0 and k < #v then v[k - 1] else 0'", 1},
	{"-e 'v[3] + v[2]'", 1},
	{"-e 'v[2] + v[3]'", 2},
	{"-e 'v[k] + v[0]'", 1},
	/* in a call; of elements, which say nothing of others */
	{"-e 'function go(n) = if n == 0 then v[k] else go(n - 1)' -e 'go(2) + v[k] + v[0]'", 1},
	{"-e 'function go(p, n) = if n == 0 then sum({w[i] : i in p}) else go(p, n - 1)' -e 'go(v, 2) + sum({w[i] : i in v})'", 1},
	{"-e 'function go(p, n) = if n == 0 then sum({w[i] : i in p}) else go(p, n - 1)' -e 'go(v, 2) + sum({w[i] : i in v ++ [0]})'", 2},
	{"-e 'function go(p, n) = if n == 0 then sum({w[i] : i in p}) else go(p, n - 1)' -e 'go(dist(k, #v), 2) + w[k]'", 2},
	{"-e 'function go(p, n) = if n == 0 then sum({w[i] : i in p}) else go(p, n - 1)' -e 'go([0:k], 2) + sum({w[i] : i in [0:k + 1]})'", 2},
	/* those of rows, which were picked by it */
	{"-e '{r[0] : r in m | #r > 0}'", 0},
	{"-e '{r[0] : r in m | #r /= 0}'", 0},
	{"-e '{r[1] : r in m | #r > 0}'", 1},
	{"-e '{r[0] : r in m | #r > k}'", 1},
};

START_TEST(subscripts_are_places)
{
	const char *s = shapes(subscripts[_i].program);

	ck_assert_msg(count(s, "left index-range") + count(s, "left div-by-zero") == subscripts[_i].left, "%s\n%.2000s",
		subscripts[_i].program, s);
}
END_TEST

/* How long the row is that each call hands on is no number below zero, so a range up to it needs no check, nor the least of it. */
START_TEST(lengths_handed_on)
{
	static const char program[] = "-e 'function low(r, n) = if n > #r then low(drop(r, 1), n - 3) else sum({i * n : i in [0:#r]})' -e '{low(r, 9) : r in m}'";
	const char *s = printed("./nessie dump --stage=lcu " INPUTS "%s 2>&1", program);

	ck_assert_msg(strstr(s, "rec fun low_lifted") && !strstr(s, "bad-range") && !strstr(s, "max@"), "%s", s);
}
END_TEST

/* The tasks that are left, and the descriptors that are made, in programs whose checks passed make descriptors the same. */
static const struct {
	const char *program;
	int tasks, descriptors;
} made[] = {
	{"-e '{sum({a * b : a in r; b in w}) : r in m}'", 1, 0},
	{"-e '{{a * b : a in r; b in w} : r in m}'", 1, 0},
	{"examples/dotp.nesl", 2, 0},
	{"examples/black_scholes.nesl", 2, 0},
	{"-e '{{a * b : a in r; b in s} : r in m; s in {rotate(r, 1) : r in m}}'", 1, 0},
	/* rows as they are, or of each element what a number of the row makes of it */
	{"-e '{if i <= k then r else let l = r[0] / w[0] in {a - l * b : a in r; b in w} : r in m; i in [0:#m]}'", 1, 0},
	/* places in what was cut out: a range of its length has no check of its own, and no task */
	{"-e 'let a = subseq(v, k, #w) in sum({x * i : x in a; i in [0:#a]})'", 1, 0},
	{"-e 'let a = subseq(v, 5, k) in sum({x * i : x in a; i in [0:#a]})'", 1, 0},
	{"-e 'let a = drop(drop(v, btoi(#v > 0 and v[0] == 5)), k) in sum({x * i : i in [0:#a]; x in a})'", 1, 0},
};

START_TEST(descriptors_made)
{
	const char *s = printed("./nessie dump --stage=lcu " INPUTS "%s 2>&1", made[_i].program);

	ck_assert_msg(count(s, " task ") == made[_i].tasks, "%s\n%.2000s", made[_i].program, s);
	ck_assert_msg(count(s, "segdes@") + count(s, "= uniform") == made[_i].descriptors, "%s\n%.2000s", made[_i].program, s);
}
END_TEST

/* The same as JSON, of which no other stage has any. */
START_TEST(told_as_json)
{
	const char *s = printed("./nessie dump --stage=shape --format=json " INPUTS "%s 2>&1", "-e '{i + j : i in sort(v ++ w); j in sort(w ++ v)}'");

	ck_assert_msg(strstr(s, "{\"routines\": [\n  {\"entry\": \"it\", \"classes\": [\n    {\"shape\": \"VEC(#v, unknown)\", "
		"\"variables\": [\"v\"]},\n"), "%s", s);
	ck_assert_msg(strstr(s, "\"is\": \"proved\", \"of\": [\"#v + #w\", \"#v + #w\"], \"why\": [\n    {\"at\": \"-e:1:19\", "
		"\"says\": \"#append = #v + #w\"},\n"), "%s", s);
	printed("./nessie dump --stage=lcu --format=json -e %s 2>&1; test $? = 2", "1");
	ck_assert_str_eq(text, "nessie: --format=json: stage lcu is text only\n");
}
END_TEST

/* Lengths that cannot be told apart before the program runs are compared when it does. */
START_TEST(unequal_lengths_are_reported)
{
	static const char *const program[] = {
		"-e '{i + j : i in [1 : 4]; j in {e in [1, 2, 3, 4] | e > 2}}'",
		"-e '{{a + b : a in r; b in s} : r in [[1], [2]]; s in [[1], [2, 3]]}'",
		"-e 'let w = [1, 2]; n = #w in {sum({a * b : a in r; b in w}) + sum({a * n : a in r}) : r in [[1, 2], [3, 4, 5], [] int]}'",
		"-e 'let a = {e in [1.0, 0.0 / 2.0] | e < 1.0} in {x + y : x in a; y in [1.0, 2.0]}'",
		/* the even and the odd of what many operators make, one over the other */
		("-e 'let v = {max(1, min(70, max(2, min(60, max(3, min(50, max(4, min(40, 7 * i)))))))) : i in [0:10]}; p = {2 * i : i in [0:5]}"
			" in {sum({x + y : x in dist(1, a); y in dist(1, b)}) : a in v->p; b in v->{i + 1 : i in p}}'"),
	};

	for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
		printed(QUICKLY "./nessie run --target=cpu %s 2>&1; test $? = 3",
			program[i]);
		ck_assert_msg(strstr(text, "error[length-mismatch]: lengths differ"), "%s\n%s", program[i], text);
	}
}
END_TEST

/* More elements than an int can count are no number of them, though what would be their number is a constant, 0 or -2, or a sum that
 * wraps, of which memory might be taken. */
START_TEST(too_many_are_told)
{
	static const struct {
		int bits;
		const char *program;
	} is[] = {
		{32, "#flatten({{j : j in [0:65536]} : i in [0:65536]})"},
		{32, "let v = {i > 3 : i in [0:1073741824]} in #(v ++ v)"},
		{32, "#flatten({[0:n] : n in [2000000000, 2000000000, 1000]})"},
		{32, "let v = {n in [2000000000, 2000000000, 294967296, 7] | n > 0} in {[0:n] : n in v}"},
		{64, "{[0:n] : n in [3, max_int]}"},
		{64, "#flatten({dist(1, n) : n in [max_int, max_int, 2]})"},
		{64, "let v = {n in [max_int, max_int, 2, 9] | n > 0} in {dist(n, n) : n in v}"},
		{64, "#flatten({[0:n] : n in {n in [5, max_int, 2, 9] | n > 3}})"},
		/* put together, and not made */
		{64, "let n = max_int in sum(dist(1, n) ++ dist(2, n))"},
		{64, "let n = max_int in #(dist(1, n) ++ dist(2, n) ++ [1, 2, 3])"},
		{64, "{#(dist(1, n) ++ dist(2, n) ++ [1, 2, 3]) : n in [4, max_int]}"},
		{32, "{sum([0:n] ++ dist(2, n) ++ [1, 2, 3]) : n in [max_int, 4]}"},
		{64, "{#(drop(dist(1, n), 1) ++ [1, 2, 3]) : n in [max_int, 4]}"},
		{64, "{#(take(dist(1, n), n - 1) ++ [1, 2, 3]) : n in [max_int, 4]}"},
		{64, "{#(dist(1, n) ++ a ++ b ++ a ++ b ++ a ++ b ++ a ++ b ++ a ++ b ++ a) : n in [max_int - 12]; a in [[1, 2]]; b in [[1]]}"},
		{64, "let x = dist(1, max_int) in #flatten([x, x, [0, 1, 2]])"},
		{64, "{#flatten([y, y, [0, 1, 2]]) : y in {dist(1, n) : n in [7, max_int]}}"},
		{64, "let n = max_int in {#flatten([dist(1, n), [i], dist(2, n)]) : i in [0:3]}"},
		{32, "{#flatten({{1.0 : j in [0:n + 1]} : i in [0:n]}) : n in [65536, 3]}"},
	};
	char run[200];

	for (size_t i = 0; i < sizeof is / sizeof *is; i++)
		for (int grain = 1; grain <= 4096; grain *= 4096) {
			snprintf(run, sizeof run, "--grain=%d --int=%d -e '%s'", grain, is[i].bits, is[i].program);
			printed(QUICKLY "./nessie run --target=cpu %s 2>&1; test $? = 4", run);
			ck_assert_msg(strstr(text, "elements are too many for ints of"), "%s\n%s", is[i].program, text);
			ck_assert_msg(!strstr(text, "it = "), "%s\n%s", is[i].program, text);
		}
}
END_TEST

/* -- facts are checked ------------------------------------------------------------------------------ */

static Programs programs;

/* What is known of sizes holds in these programs, and nothing else changes. */
START_TEST(facts_hold)
{
	char *want, *got;
	int status = sh(&want, "./nessie run --target=interp %s 2>/dev/null", programs.path[_i]);
	int as = sh(&got, QUICKLY "./nessie run --target=cpu --debug %s 2>/dev/null",
		programs.path[_i]);

	ck_assert_msg(status == as && same_values(want, got), "%s: %d\n%.2000s", programs.path[_i], as, got);
	free(want);
	free(got);
}
END_TEST

/* What does not hold: the parts of `combine` are too short, which is not to be, and so its result is not what it was made of; and
 * what flan says are lengths of rows are below zero. */
static const struct {
	const char *flan, *input, *told;
} wrong[] = {
	{"cell it : int\nentry expr it = it : int {\nv:<int> = cell v\n"
		"p:<bool> = lt^ v, 3\nx:<int>, y:<int> = split p\na:<int> = gather v, x\nb:<int> = vector\n"
		"c:<int> = combine p, a, b\ns:int = sum c\nyield s\n}\n", "[1, 2, 3]\n", "c=v does not hold: 0 and 3"},
	{"cell it : [int]\nrec fun f(l:<nat>, n:int) -> <int> {\nc:bool = lt n, 3\n"
		"r:<int> = if c {\nm:int = add n, 1\nx:<int> = call f l, m\nyield x\n} {\nyield l\n}\nyield r\n}\n"
		"entry expr it = it : [int] {\nv:<int> = cell v\nr:<int> = call f v, 0\nyield r\n}\n",
		"[3, -7, 0]\n", "l=nat does not hold: -7 and 0"},
};

/* What one arm has checked, told of what the other one gives, which has no elements. */
START_TEST(an_arm_without_elements)
{
	static const char program[] = "-e 'function same(v, n) = if #v > n then v else same(v, n); x = [[3]];"
		"let w = {if i > 2 then [[] int][0] else let v = [{1 : s in permute([\"Z\"], {mod(j, 4) : j in [[] int][0]})}]"
		"  ++ {same(r, 1) : r in x} in v[mod(i, #v)] : i in [0 : 3]}"
		" in let m = {{y : j in [0 : 20]} : y in ([[7]] ++ w)[min(#w, 2)]}; h = #w"
		" in {{if i == 0 then [1][j] else if h /= j then m[i][j] else j : j in [0 : #r]} : r in m; i in [0 : #m]};'";

	printed("./nessie dump --stage=shape --no-avoid %s 2>&1", program);
}
END_TEST

START_TEST(a_fact_that_does_not_hold_is_told)
{
	char line[1000], *out;

	snprintf(line, sizeof line, "unit flan\ninput v : [int]\n%s", wrong[_i].flan);
	write_file("build", "fact.flan", line);
	write_file("build", "fact.nesl", wrong[_i].input);
	ck_assert_int_eq(5, sh(&out, QUICKLY
		"./nessie run --target=cpu --debug --from=opt --input v=build/fact.nesl build/fact.flan 2>&1"));
	snprintf(line, sizeof line, "internal error in shape: %s\n", wrong[_i].told);
	ck_assert_str_eq(out, line);
	free(out);
}
END_TEST

/* Of what kind descriptors are in lcu: how many are uniform, how often those become offsets in memory; how many variables
 * are offsets (two for one that a task makes); a text. */
static const struct {
	const char *program;
	int uniform, offsets, segdes;
	const char *holds;
} kinds[] = {
	/* literals, ranges, dist, partition */
	{"-e '{sum(r) : r in [[1, 2, 3], [4, 5, 6]]}'", 1, 0, 0, "task sum 2, uniform xs_2 {"},
	{"-e '{sum(r) : r in [[1, 2], [3]]}'", 0, 0, 2, "task sum 2, xs_2 {"},
	/* elements beside the next of their row: as many of both */
	{"-e '{{x + y : x in take(p, #p - 1); y in drop(p, 1)} : p in m}'", 0, 0, 3, NULL},
	/* rows beside others of the same, of which checks say that they are as long */
	{"-e '{{x + y : x in p; y in q} : p in m; q in rotate(m, 1)}'", 0, 0, 1, NULL},
	{"-e '{{x + y + z : x in p; y in q; z in r} : p in rotate(m, -1); q in m; r in rotate(m, 1)}'", 0, 0, 1, NULL},
	{"-e 'flatten({{i * j : j in [0:k]} : i in v})'", 1, 0, 0, NULL},
	{"-e '{sum(r) : r in dist(v, k)}'", 1, 0, 0, NULL},
	{"-e '{sum(r) : r in partition([0:60], dist(30, 2))}'", 1, 0, 0, "task sum 2, uniform"},
	{"-e '{sum({i * j : j in [0:i]}) : i in v}'", 0, 0, 2, NULL},
	/* what is kept as a value has offsets; once, where it is kept */
	{"-e '[[1, 2, 3], [4, 5, 6]]'", 1, 1, 1, "offsets uniform it_2"},
	{"-e 'let w = {{i * j : j in [0:3]} : i in v} in ({sum(r) : r in w}, w, {#r : r in w}, w)'", 1, 1, 1, NULL},
	/* where kinds meet there are offsets: an arm's, made there; a function's; a cell's */
	{"-e '{sum(r) : r in if k > 0 then {{i * j : j in [0:3]} : i in v} else m}'", 1, 1, 3, NULL},
	{"-e 'function go(a, n) = if n == 0 then a else go({{e + 1 : e in r} : r in a}, n - 1)'"
		" -e '{sum(r) : r in go({{i * j : j in [0:k]} : i in v}, k)}'", 1, 1, 5, "task sum n, uniform r {"},
	{"-e 'z = if k > 0 then [[1, 2, 3], [3, 4, 5]] else [[k]]' -e '{sum(r) : r in z}'", 1, 0, 3, NULL},
	/* but where both are square the rows are as long as there are rows */
	{"-e 'z = if k > 0 then [[1, 2], [3, 4]] else [[k]]' -e '{sum(r) : r in z}'", 2, 1, 2, "= uniform n, n"},
	/* but what one form has set is made again from what is known */
	{"-e 'z = [[1, 2], [3, 4]]' -e '{sum(r) : r in z}'", 2, 1, 2, "task sum 2, uniform"},
	/* and what both arms, or a call, give uniform is so used */
	{"-e '{sum(r) : r in if k > 0 then [[1, 2], [3, 4]] else [[5, 6], [7, 8]]}'", 1, 0, 0, "task sum 2, uniform"},
	/* a number of a row is computed, out of range too */
	{"-e 'let w = [[1, 2, 3], [4, 5, 6]] in {w[i][j] : i in v; j in v}'", 1, 0, 0, NULL},
	{"-e 'let w = {{i * j : j in [0:k]} : i in v} in (w[k], #w[k])'", 1, 0, 0, NULL},
	{"-e '{#r : r in dist(v, k)}'", 0, 0, 0, NULL},
	/* levels within levels are one */
	{"-e 'sum({sum({sum({i * j * l : l in [0:20]}) : j in [0:30]}) : i in [0:4]})'", 2, 0, 0, NULL},
	{"-e 'let a = {{{i * j + l : l in [0:20]} : j in [0:3]} : i in [0:4]} in flatten({{sum(r) : r in p} : p in a})'", 1, 0, 0,
		"task sum 12, uniform"},
	{"-e 'let a = {{{{i * j + l - h : h in [0:50]} : l in [0:2]} : j in [0:3]} : i in [0:4]} in {{{sum(q) : q in r} : r in p} : p in a}'",
		3, 2, 2, "task sum 24, uniform"},
	/* examples; a product of matrices, by rows and columns */
	{"examples/nbody.nesl", 1, 0, 0, "100, uniform fs {"},
	{"examples/mxv.nesl", 2, 0, 0, NULL},
	{"-e 'let a = {{i + j : j in [0:5]} : i in [0:4]}; b = {{i * j : j in [0:4]} : i in [0:5]};"
		" c = {{r[j] : r in b} : j in [0:4]} in sum(flatten({{sum({x * y : x in r; y in s}) : s in c} : r in a}))'", 3, 0, 0, NULL},
};

START_TEST(kinds_of_descriptors)
{
	const char *s = printed("./nessie dump --stage=lcu " INPUTS "%s 2>&1", kinds[_i].program);

	ck_assert_msg(count(s, ":uniform = uniform ") == kinds[_i].uniform && count(s, "= offsets") == kinds[_i].offsets
		&& count(s, ":segdes") == kinds[_i].segdes, "%s: %d uniform, %d offsets, %d segdes\n%s", kinds[_i].program,
		count(s, ":uniform = uniform "), count(s, "= offsets"), count(s, ":segdes"), s);
	ck_assert_msg(!kinds[_i].holds || strstr(s, kinds[_i].holds), "%s\n%s", kinds[_i].program, s);
}
END_TEST

/* -- flan ------------------------------------------------------------------------------------------- */

/* Lengths of rows are given and handed on; descriptors are made of them, and of none that is below zero. */
#define ROWS(many, one) "rec fun f(l:" many ", n:" one ") -> <int>, int {\nc:<bool> = ge^ l, 0\ncheck^ bad-range c, 0, l, 1\n" \
	"m:<int> = max^ l, 0\ns:segdes = segdes m\nt:segdes = segdes l\nx:<int> = iota^ s\ny:<int> = iota^ t\nz:<int> = add^ x, y\n" \
	"p:bool = le 0, n\ncheck domain p\nr:" many ", k:" one " = call f z, n\nq:<bool> = lt^ r, 0\ne:<bool> = not^ q\n" \
	"check^ domain e\nj:bool = ge k, 0\ncheck domain j\nyield r, k\n}\ninput v : [int]\ninput i : int\ncell it : [int]\n" \
	"entry expr it = it : [int] {\nv:<int> = cell v\ni:int = cell i\nr:" many ", k:" one " = call f v, i\nyield r\n}\n"

#define F "fun f(a:<int>, b:<int>, s:segdes, d:<int>, n:int) -> int {\n"

/* What the pass makes of a program of flan. */
static const char *
shaped(const char *flan, bool off)
{
	IrCase *c = case_read(&flan_ir, flan);
	static char out[1 << 14];

	ck_assert_msg(c->u.ir != NULL, "%s\n%s", flan, c->said);
	ck_assert_msg(!*case_check(c), "%s: %s", flan, case_check(c));
	c->u.no_shape = off;
	shape(&c->u);
	ck_assert_msg(!*case_check(c), "%s: %s", case_print(c), case_check(c));
	snprintf(out, sizeof out, "%s", case_print(c));
	case_end(c);
	return out;
}

/* Elements of b by whether those of a are small, and how many came before; two numbers for each element of a. */
#define DEALT "p:<bool> = lt^ a, 3\nx:<int>, y:<int> = split p\nu:<int> = gather b, x\nv:<int> = add^ u, 1\ng:segdes = segdes v\n" \
	"w:<int> = gather b, y\nh:segdes = segdes w\nq:<int> = btoi^ p\nk:<int> = plus_scan q\nm:int = length a\ne:<int> = iota m\n" \
	"j:<int> = sub^ e, k\nvk:<int> = gather v, k\n"
/* Rows whose lengths count places of m, compared; rows of n as many others before and after. */
#define PLACES(n) F "m:int = length a\nk:int = length b\ne:<int> = iota m\nx:<int> = rem^ e, 3\ny:<int> = rem^ e, 2\ng:<int> = iota " n "\n" \
	"v:<int> = rem^ g, 3\nt:segdes = segdes v\np:<bool> = eq^ x, y\ncheck^ length-mismatch p, x, y\nw:<int> = rem^ g, 2\n" \
	"u:segdes = segdes w\nh:<int> = iota^ t\ni:<int> = iota^ u\nj:int = sum h\nl:int = sum i\nr:int = add j, l\nyield r\n}\n"
#define OFF(said, number, asked) F "c:bool = " said "\ncheck domain c\nm:int = " number "\ne:bool = " asked "\ncheck domain e\nyield m\n}\n"
#define TURNS "m:int = length a\nk:int = mul m, 2\ne:<int> = iota k\nr:<int> = rem^ e, 2\nq:<int> = div^ e, 2\n"

/* Functions: how often a word is there afterwards. */
static const struct {
	const char *why, *flan, *word;
	int times;
} cases[] = {
	{"nothing is known of parameters of a function that nobody calls",
		F "i:int = length a\nj:int = length b\nc:bool = eq i, j\ncheck length-mismatch c, i, j\nyield i\n}\n", "check", 1},
	{"all calls have them of one length",
		"rec fun f(a:<int>, b:<int>) -> int {\ni:int = length a\nj:int = length b\nc:bool = eq i, j\n"
		"check length-mismatch c, i, j\nx:<int> = add^ b, 1\ny:<int> = add^ a, b\nr:int = call f x, y\nyield r\n}\n"
		"cell it : int\nentry expr it = it : int {\nk:<int> = iota 5\nr:int = call f k, k\nyield r\n}\n", "check", 0},
	{"lengths of rows are never below zero", ROWS("<nat>", "nat"), "check", 0},
	{"so there is one descriptor", ROWS("<nat>", "nat"), "= segdes", 1},
	{"any numbers may be", ROWS("<int>", "int"), "check", 4},
	{"but of those of which a check says so one descriptor is made", ROWS("<int>", "int"), "= segdes", 1},
	{"and of others two", F "m:<int> = max^ a, 0\nt:segdes = segdes m\nu:segdes = segdes a\nx:<int> = iota^ t\ny:<int> = iota^ u\n"
		"i:int = sum x\nj:int = sum y\nr:int = add i, j\nyield r\n}\n", "= segdes", 2},
	{"one call has not",
		"fun f(a:<int>, b:<int>) -> int {\ni:int = length a\nj:int = length b\nc:bool = eq i, j\n"
		"check length-mismatch c, i, j\nyield i\n}\n"
		"cell it : int\nentry expr it = it : int {\nk:<int> = iota 5\nr:int = call f k, k\nl:<int> = iota 6\n"
		"q:int = call f k, l\nyield q\n}\n", "check", 1},
	{"descriptors of the same lengths are one",
		F "t:segdes = segdes a\nu:segdes = segdes a\nx:<int> = iota^ t\ny:<int> = iota^ u\nz:<int> = add^ x, y\n"
		"r:int = sum z\nyield r\n}\n", "= segdes", 1},
	{"lengths of a descriptor make it again",
		F "l:<int> = lengths s\nt:segdes = segdes l\nx:<int> = iota^ t\nr:int = sum x\nyield r\n}\n", "= segdes", 0},
	{"rows of one length that is told later are uniform from there on",
		"rec fun f(a:segdes, x:<int>, n:int) -> <int> {\nz:<int> = iota^ a\nm:int = length x\nu:segdes = uniform n, m\n"
		"y:<int> = iota^ u\nw:<int> = iota^ a\nt:<int> = add^ z, y\nr:<int> = call f u, x, n\ns:<int> = append r, t, w\nyield s\n}\n"
		"input v : [int]\ncell it : [int]\nentry expr it = it : [int] {\nx:<int> = cell v\nm:int = length x\n"
		"u:segdes = uniform 4, m\ny:<int> = call f u, x, 4\nyield y\n}\n", "iota^ u", 1},
	{"a segdes whose lengths are alike and on the host is uniform",
		F "m:int = length a\nx:<int> = dist n, m\nt:segdes = segdes x\ny:<int> = iota^ t\nr:int = sum y\nyield r\n}\n",
		"t:segdes = uniform m, n", 1},
	{"and one of which the host does not know how many they are: it asks",
		F "x:<int> = max^ a, 0\ny:<int> = sub^ x, x\nz:<int> = add^ y, 3\nt:segdes = segdes z\nu:<int> = iota^ t\nr:int = sum u\n"
		"yield r\n}\n", "= uniform n_2, 3", 1},
	{"not where the length is on no host: of a row, of a sum",
		F "l:<int> = row_length^ s, a\nt:segdes = segdes l\ny:<int> = iota^ t\nr:int = sum y\nyield r\n}\n", "uniform", 0},
	{"nothing is shared across a clock",
		F "t:segdes = segdes a\nx:<int> = iota^ t\np:float = clock x\nu:segdes = segdes a\ny:<int> = iota^ u\n"
		"q:float = clock y\nc:bool = lt p, q\ncheck domain c\nk:int = sum x\nl:int = sum y\nr:int = add k, l\nyield r\n}\n",
		"= segdes", 2},
	{"nothing made in one arm is seen in the other",
		F "c:bool = lt n, 3\nr:int = if c {\nt:segdes = segdes a\nx:<int> = iota^ t\nk:int = sum x\nyield k\n} {\n"
		"u:segdes = segdes a\ny:<int> = iota^ u\nl:int = sum y\nyield l\n}\nyield r\n}\n", "= segdes", 2},
	{"what both arms give is known behind them",
		F "c:bool = lt n, 3\nr:<int> = if c {\nx:<int> = add^ a, 1\nyield x\n} {\ny:<int> = neg^ a\nyield y\n}\n"
		"i:int = length a\nj:int = length r\ne:bool = eq i, j\ncheck length-mismatch e, i, j\nyield i\n}\n", "check", 0},
	{"an arm without rows gives what the other would",
		F "p:<bool> = lt^ a, 3\nx:<int>, y:<int> = split p\ni:int = length x\nc:bool = gt i, 0\nr:<int> = if c {\n"
		"u:<int> = gather b, x\nyield u\n} {\nv:<int> = vector\nyield v\n}\nj:int = length r\ne:bool = eq i, j\n"
		"check length-mismatch e, i, j\nyield i\n}\n", "check", 0},
	{"a result is as long as the parameter, by induction",
		"rec fun f(a:<int>, n:int) -> <int> {\nc:bool = lt n, 1\nr:<int> = if c {\nyield a\n} {\nm:int = sub n, 1\n"
		"x:<int> = call f a, m\ny:<int> = rank x\nz:<int> = neg^ y\nyield z\n}\nyield r\n}\n"
		"input v : [int]\ncell it : int\nentry expr it = it : int {\nv:<int> = cell v\nx:<int> = call f v, 9\n"
		"i:int = length v\nj:int = length x\ne:bool = eq i, j\ncheck length-mismatch e, i, j\nyield i\n}\n", "check", 0},
	{"and is not, where one return is longer",
		"rec fun f(a:<int>, n:int) -> <int> {\nc:bool = lt n, 1\nr:<int> = if c {\nyield a\n} {\nm:int = sub n, 1\n"
		"x:<int> = call f a, m\ny:<int> = append x, x\nyield y\n}\nyield r\n}\n"
		"input v : [int]\ncell it : int\nentry expr it = it : int {\nv:<int> = cell v\nx:<int> = call f v, 9\n"
		"i:int = length v\nj:int = length x\ne:bool = eq i, j\ncheck length-mismatch e, i, j\nyield i\n}\n", "check", 1},
	{"columns of a value of a cell have one length",
		"input v : [[(int, float)]]\ncell it : int\nentry expr it = it : int {\ns:segdes, x:<int>, y:<float> = cell v\n"
		"i:int = length x\nj:int = length y\nk:int = total s\nc:bool = eq i, j\ncheck length-mismatch c, i, j\n"
		"e:bool = eq j, k\ncheck length-mismatch e, j, k\nyield i\n}\n", "check", 0},
	{"an index out of range gives 0: an element of many that are alike may be another",
		F "u:segdes = uniform n, 3\nl:<int> = row_length^ u, d\nc:<bool> = eq^ l, 3\ncheck^ domain c\nyield n\n}\n", "check", 1},
	{"a check in a task may have had no elements: it says nothing of a scalar",
		F "m:int = length a\nl:int = length b\nu:<int> = dist n, m\nc:<bool> = in_range^ u, l\n"
		"check^ index-range c, u, l\ne:bool = in_range n, l\ncheck index-range e, n, l\nyield n\n}\n", "check", 2},
	{"nor in a conjunction, nor as the difference of two vectors",
		F "x:<int> = add^ a, n\nm:int = length b\ny:<int> = add^ a, m\np:<bool> = eq^ x, y\nu:<int> = dist n, m\n"
		"v:<bool> = lt^ u, 7\nw:<bool> = lt^ a, 7\ng:<bool> = and^ v, w\ncheck^ domain g\ncheck^ domain p\n"
		"q:bool = eq n, m\ncheck domain q\nk:bool = lt n, 7\ncheck domain k\nyield n\n}\n", "check", 4},
	{"but of vectors what comes after it needs not say again",
		F "l:<int> = lengths s\np:<bool> = eq^ l, a\ncheck^ length-mismatch p, l, a\nt:segdes = segdes a\ni:int = total s\n"
		"j:int = total t\nq:<bool> = eq^ a, l\ncheck^ length-mismatch q, a, l\nyield n\n}\n", "check", 1},
	{"lengths that count places are those of as many rows", PLACES("m"), "= segdes", 1},
	{"and say nothing of more", PLACES("k"), "= segdes", 2},
	{"what is said of a number is said of one more or less", OFF("le 1, n", "sub n, 1", "ge m, 0"), "check", 1},
	{"so is what it is below", OFF("le n, 5", "add n, 1", "lt m, 7"), "check", 1},
	{"if that does not wrap from below", OFF("le n, 5", "sub n, 1", "lt m, 5"), "check", 2},
	{"nor from above", OFF("le 1, n", "add n, 1", "ge m, 2"), "check", 2},
	{"elements that are the same at their places may be more",
		"rec fun f(a:<int>, b:<int>, n:int) -> int {\nc:<bool> = in_range^ a, n\ncheck^ index-range c, a, n\n"
		"d:<bool> = in_range^ b, n\ncheck^ index-range d, b, n\nr:int = call f a, b, n\nyield r\n}\n"
		"input k : int\ncell it : int\nentry expr it = it : int {\nk:int = cell k\nx:<int> = iota 3\ny:<int> = mul^ x, k\n"
		"z:<int> = iota 5\nu:<int> = mul^ z, k\nr:int = call f y, u, k\nyield r\n}\n", "check", 2},
	{"what a conditional gives does not rest on a check before it, as it may be moved there",
		F "i:int = length a\nj:int = length b\nc:bool = eq i, j\ncheck length-mismatch c, i, j\ne:bool = lt n, 3\n"
		"r:<int> = if e {\nyield a\n} {\nyield b\n}\nk:int = length r\ng:bool = eq k, i\ncheck domain g\nyield k\n}\n",
		"check", 2},
	{"rows of two kinds put together again have as many elements as both",
		F DEALT "wj:<int> = gather w, j\nz:<int> = select^ p, vk, wj\nt:segdes = segdes z\no:<int> = iota^ t\nl:int = sum o\nyield l\n}\n",
		"= segdes_of", 1},
	{"not if there are more of a kind than were taken",
		F DEALT "wj:<int> = gather d, j\nz:<int> = select^ p, vk, wj\nt:segdes = segdes z\no:<int> = iota^ t\nl:int = sum o\nyield l\n}\n",
		"= segdes_of", 0},
	{"nor if they are not taken in turn",
		F DEALT "wj:<int> = gather w, k\nz:<int> = select^ p, vk, wj\nt:segdes = segdes z\no:<int> = iota^ t\nl:int = sum o\nyield l\n}\n",
		"= segdes_of", 0},
	{"of two in turn all are the sum",
		F TURNS "p:<bool> = eq^ r, 0\nf:<int> = rank a\nx:<int> = gather a, q\ny:<int> = gather f, q\nz:<int> = select^ p, x, y\n"
		"t:int = sum z\ni:int = sum a\nj:int = sum f\nl:int = add i, j\nc:bool = eq l, t\ncheck domain c\nyield t\n}\n", "check", 0},
	{"not of the remainder by another number",
		F TURNS "o:<int> = rem^ e, 3\np:<bool> = eq^ o, 0\nf:<int> = rank a\nx:<int> = gather a, q\ny:<int> = gather f, q\n"
		"z:<int> = select^ p, x, y\nt:int = sum z\ni:int = sum a\nj:int = sum f\nl:int = add i, j\nc:bool = eq l, t\n"
		"check domain c\nyield t\n}\n", "check", 1},
	{"what is at even and at odd places has the sum of all",
		F TURNS "g:<int> = rank e\nh:<int> = iota m\nu:<int> = mul^ h, 2\nv:<int> = add^ u, 1\nx:<int> = gather g, u\n"
		"y:<int> = gather g, v\nz:<int> = add^ x, y\ni:int = sum z\nj:int = sum g\nc:bool = eq i, j\ncheck domain c\nyield i\n}\n",
		"check", 0},
	{"not of one more than there are",
		F TURNS "o:int = add k, 1\nl:<int> = iota o\ng:<int> = rank l\nh:<int> = iota m\nu:<int> = mul^ h, 2\nv:<int> = add^ u, 1\n"
		"x:<int> = gather g, u\ny:<int> = gather g, v\nz:<int> = add^ x, y\ni:int = sum z\nj:int = sum g\nc:bool = eq i, j\n"
		"check domain c\nyield i\n}\n", "check", 1},
	{"what is given to rows of k is there k times",
		F "m:int = length a\nu:segdes = uniform m, n\nx:<int> = dist^ u, a\ni:int = sum x\nj:int = sum a\nk:int = mul j, n\n"
		"c:bool = eq i, k\ncheck domain c\nyield i\n}\n", "check", 0},
	{"two sums of floats may be grouped differently",
		"fun f(x:<float>) -> int {\ns:float = sum x\nq:float = sum x\ni:int = trunc s\nj:int = trunc q\nc:bool = eq i, j\n"
		"check domain c\nk:int = trunc s\nd:bool = eq i, k\ncheck domain d\nyield i\n}\n", "check", 1},
	{"a length that a call tells is told where it returns",
		"fun f(n:int) -> <int> {\nc:bool = ge n, 0\ncheck domain c\nm:int = max n, 0\nx:<int> = dist 1, m\nyield x\n}\n"
		"fun g(n:int, c:bool) -> <int> {\nr:<int> = if c {\nx:<int> = call f n\nyield x\n} {\nd:bool = gt n, 0\n"
		"q:<int> = if d {\nv:<int> = vector 1\nyield v\n} {\ne:bool = ge n, 0\ncheck domain e\nw:<int> = vector 2\n"
		"yield w\n}\nyield q\n}\nyield r\n}\n", "check", 2},
	{"the sum of numbers that are not below zero may wrap",
		F "x:<int> = max^ a, 0\ni:int = sum x\nm:int = max i, 0\nc:bool = eq m, i\ncheck domain c\nyield i\n}\n", "check", 1},
	{"and so may what is many times one of them: it may be 0 where that is not",
		F "m:int = max n, 0\ni:int = mul m, 4\nc:bool = eq i, 0\nr:int = if c {\ne:bool = eq m, 0\ncheck domain e\nyield n\n} {\n"
		"yield m\n}\nyield r\n}\n", "check", 1},
	{"not of a length",
		F "m:int = length a\ni:int = mul m, 4\nc:bool = eq i, 0\nr:int = if c {\ne:bool = eq m, 0\ncheck domain e\nyield n\n} {\n"
		"yield m\n}\nyield r\n}\n", "check", 0},
	{"an index below what may be below zero may be anything",
		F "c:bool = in_range n, n\ncheck index-range c, n, n\nm:int = sub n, 7\ne:bool = in_range n, m\ncheck index-range e, n, m\n"
		"g:bool = ge n, 0\ncheck domain g\nyield n\n}\n", "check", 3},
	{"below a length it is from 0 on, and there is something",
		F "m:int = length a\nc:bool = in_range n, m\ncheck index-range c, n, m\ng:bool = ge n, 0\ncheck domain g\n"
		"h:bool = in_range 0, m\ncheck index-range h, 0, m\ni:bool = lt n, m\ncheck domain i\nyield n\n}\n", "check", 1},
	{"comparisons with numbers tell those with others",
		F "c:bool = gt n, 4\ncheck domain c\nq:bool = ge n, 5\ncheck domain q\ne:bool = eq n, 4\nf:bool = not e\ncheck domain f\n"
		"g:bool = gt n, 5\ncheck domain g\nh:bool = lt n, 7\ncheck domain h\ni:bool = eq n, 6\ncheck domain i\nyield n\n}\n", "check", 3},
	{"of elements of one vector; there may be none, and nothing is said of a number",
		F "c:<bool> = gt^ a, 4\ncheck^ domain c\nq:<bool> = gt^ a, 3\ncheck^ domain q\ne:<bool> = gt^ b, 3\ncheck^ domain e\n"
		"m:int = length a\nu:<int> = dist n, m\nf:<bool> = gt^ u, 4\ncheck^ domain f\ng:bool = gt n, 4\ncheck domain g\n"
		"yield n\n}\n", "check", 4},
	{"of elements that are picked where it holds, and where it does not",
		F "p:<bool> = lt^ a, 3\nx:<int>, y:<int> = split p\nu:<int> = gather a, x\nv:<int> = gather a, y\nc:<bool> = lt^ u, 4\n"
		"check^ domain c\nq:<bool> = gt^ v, 2\ncheck^ domain q\ne:<bool> = lt^ v, 4\ncheck^ domain e\nw:<int> = gather b, x\n"
		"f:<bool> = lt^ w, 4\ncheck^ domain f\nyield n\n}\n", "check", 2},
	{"the largest number has nothing above it, and what is less than it by one wraps at the smallest",
		F "c:bool = le n, 9223372036854775807\ncheck domain c\nm:int = sub n, 1\nq:bool = lt m, 5\ncheck domain q\ne:bool = lt n, 6\n"
		"check domain e\nyield n\n}\n", "check", 3},
	{"what rows have one length is that length",
		F "m:int = length a\nu:segdes = uniform m, n\ni:<int> = rowid u\nl:<int> = row_length^ u, i\ne:<int> = iota^ u\nh:<int> = mul^ e, e\n"
		"c:<bool> = lt^ h, l\ncheck^ domain c\nyield m\n}\n", "lt^ h, n", 1},
	{"a place is below what it counts, and not below 0, but the next may be no place",
		F "m:int = length a\nu:segdes = uniform m, n\ne:<int> = iota^ u\nc:<bool> = lt^ e, n\ncheck^ domain c\nq:<bool> = le^ 0, e\n"
		"check^ domain q\nh:<bool> = ne^ e, n\ncheck^ domain h\no:<int> = sub^ e, 1\nw:<bool> = gt^ n, o\ncheck^ domain w\n"
		"x:<int> = add^ e, 1\ny:<bool> = le^ x, n\ncheck^ domain y\nz:<bool> = lt^ x, n\ncheck^ domain z\nyield m\n}\n", "check", 1},
	{"and begins where that says", F "m:int = length a\nu:segdes = uniform m, n\ni:<int> = rowid u\nl:<int> = row_start^ u, i\n"
		"k:int = sum l\nyield k\n}\n", "l:<int> = mul^ i, n", 1},
	{"not where it may be no row", F "m:int = length a\nu:segdes = uniform m, n\nl:<int> = row_start^ u, d\nk:int = sum l\nyield k\n}\n",
		"row_start^", 1},
	{"nor is its length the same there", F "m:int = length a\nu:segdes = uniform m, n\nl:<int> = row_length^ u, d\nx:<int> = add^ l, d\n"
		"k:int = sum x\nyield k\n}\n", "add^ l, d", 1},
	{"a vector that is one number is a vector where no other operand is", F "m:int = length a\nu:<int> = dist n, m\nx:<int> = mul^ u, u\n"
		"c:<bool> = gt^ a, x\ncheck^ domain c\nyield m\n}\n", "mul^ u, u", 1},
	{"a count may be below zero",
		F "m:int = max n, 0\nc:bool = eq m, n\ncheck domain c\nyield n\n}\n", "check", 1},
	{"as many are made as were before, whose number is one that was asked for a descriptor",
		"input v : [int]\ninput w : [int]\ncell it : int\nentry expr it = it : int {\nv:<int> = cell v\nw:<int> = cell w\n"
		"z:<int> = mul^ v, 0\ns:segdes = segdes z\nn:int = length v\nc:int = length w\np:bool = gt c, 0\nx:<bool> = dist p, n\n"
		"q:<int> = pack x\nk:int = length q\ncheck index-range p, 0, c\ny:<int> = dist 7, k\ni:int = sum y\nu:<int> = iota^ s\n"
		"j:int = sum u\nr:int = add i, j\nyield r\n}\n", "dist 7, k", 0},
};

START_TEST(programs_of_flan)
{
	char in[4000];
	const char *out;

	snprintf(in, sizeof in, "unit flan\n%s", cases[_i].flan);
	out = shaped(in, false);
	ck_assert_msg(count(out, cases[_i].word) == cases[_i].times, "%s\n%s", cases[_i].why, out);
	snprintf(in, sizeof in, "unit flan\n%s", cases[_i].flan);
	out = shaped(in, true);
	ck_assert_msg(count(out, cases[_i].word) == count(in, cases[_i].word), "%s: --no-shape\n%s", cases[_i].why, out);
}
END_TEST

/* -- time ------------------------------------------------------------------------------------------- */

#define IN "a_0:<int>, b:<int>, s_0:segdes"

/* Functions of a step again and again, each over what the one before made: @ is the number of the step, $ that of the next. */
static const struct {
	const char *of, *step;
} steps[] = {
	{"appends and checks", "i_@:int = length a_@\nc_@:bool = eq i_@, m\ncheck length-mismatch c_@, i_@, m\n"
		"p_@:<int> = add^ a_@, b\na_$:<int> = append p_@, b\n"},
	{"filters", "p_@:<bool> = gt^ a_@, @\nx_@:<int> = pack p_@\na_$:<int> = gather a_@, x_@\n"},
	{"filters of rows", "p_@:<bool> = gt^ a_@, @\ns_$:segdes, x_@:<int> = pack^ s_@, p_@\na_$:<int> = gather a_@, x_@\n"},
	{"filters in parts", "p_@:<bool> = gt^ a_@, @\nx_@:<int>, y_@:<int> = split p_@\nu_@:<int> = gather a_@, x_@\n"
		"v_@:<int> = gather a_@, y_@\na_$:<int> = append v_@, u_@\n"},
	{"rows of rows", "l_@:<int> = lengths s_@\np_@:<int> = add^ l_@, @\ns_$:segdes = segdes p_@\n"},
	{"subscripts", "c_@:<bool> = in_range^ a_@, m\ncheck^ index-range c_@, a_@, m\na_$:<int> = gather b, a_@\n"},
	{"arms", "i_@:int = length a_@\nc_@:bool = lt i_@, @\na_$:<int> = if c_@ {\nt_@:<int> = append a_@, b\nyield t_@\n} {\n"
		"u_@:<int> = append b, a_@\nyield u_@\n}\n"},
	{"arms that check", "i_@:int = length a_@\nc_@:bool = lt i_@, @\na_$:<int> = if c_@ {\nd_@:bool = eq i_@, m\ncheck length-mismatch d_@, i_@, m\n"
		"t_@:<int> = append a_@, b\nyield t_@\n} {\ne_@:bool = eq m, i_@\ncheck length-mismatch e_@, m, i_@\nyield a_@\n}\n"},
	{"calls", "a_$:<int> = call g a_@, @\n"},
};

/* Seconds for n steps. */
static double
seconds(const char *step, int n)
{
	const size_t each = strlen(step) * 6;
	char *flan = malloc((size_t)n * each + 1000), *at = flan;
	clock_t start;
	IrCase *c;

	at += sprintf(at, "unit flan\nrec fun g(x:<int>, n:int) -> <int> {\ni:int = length x\nc:bool = lt n, i\n"
		"check domain c\nd:bool = lt n, 9\nz:<int> = if d {\ny:<int> = append x, x\nt:<int> = call g y, n\nyield t\n} {\nyield x\n}\nyield z\n}\n"
		"fun f(" IN ") -> int {\nm:int = length b\n");
	for (int i = 0; i < n; i++)
		for (const char *x = step; *x; x++)
			if (*x == '@' || *x == '$')
				at += sprintf(at, "%d", i + (*x == '$'));
			else
				*at++ = *x;
	sprintf(at, "yield m\n}\n");
	c = case_read(&flan_ir, flan);
	ck_assert_msg(c->u.ir != NULL, "%s", c->said);
	start = clock();
	shape(&c->u);
	case_end(c);
	free(flan);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

START_TEST(time_is_linear)
{
	double one = seconds(steps[_i].step, 600), ten = seconds(steps[_i].step, 6000);         /* quadratic: a hundred times as many */

	ck_assert_msg(ten < 40 * one + 0.05, "%s: %g, %g", steps[_i].of, one, ten);
}
END_TEST

/* Of a chain of steps each length is that at its beginning: the optimiser looks for it once. */
START_TEST(lengths_are_found_once)
{
	const char *s = printed("./nessie dump --stage=shape --time-passes " INPUTS "%s 2>&1 >/dev/null | sed -n 's/^flan *//p'",
		"-e 'let a_0 = v; '\"$(for i in $(seq 3000); do echo \"a_$i = {v[i] + j : i in a_$((i - 1)); j in w};\"; done)\"' in #a_3000'");

	ck_assert_msg(atof(s) > 0.0 && atof(s) < 1.0, "%s", s);
}
END_TEST

Suite *
shape_suite(void)
{
	Suite *s = suite_create("shape");
	TCase *c = tcase_create("sources"), *f = tcase_create("flan"), *checked = tcase_create("checked");

	tcase_add_loop_test(c, sources, 0, sizeof known / sizeof *known);
	tcase_add_loop_test(c, subscripts_are_places, 0, sizeof subscripts / sizeof *subscripts);
	tcase_add_test(c, lengths_handed_on);
	tcase_add_loop_test(c, descriptors_made, 0, sizeof made / sizeof *made);
	tcase_add_test(c, told_as_json);
	tcase_add_test(c, unequal_lengths_are_reported);
	tcase_add_test(c, an_arm_without_elements);
	tcase_add_test(c, too_many_are_told);
	tcase_add_loop_test(c, kinds_of_descriptors, 0, sizeof kinds / sizeof *kinds);
	suite_add_tcase(s, c);
	add_programs(&programs, "examples");
	add_programs(&programs, "tests/run");
	tcase_set_timeout(checked, 600);
	tcase_add_loop_test(checked, facts_hold, 0, programs.n);
	tcase_add_loop_test(checked, a_fact_that_does_not_hold_is_told, 0, sizeof wrong / sizeof *wrong);
	suite_add_tcase(s, checked);
	tcase_add_loop_test(f, programs_of_flan, 0, sizeof cases / sizeof *cases);
	tcase_add_loop_test(f, time_is_linear, 0, sizeof steps / sizeof *steps);
	tcase_add_test(f, lengths_are_found_once);
	suite_add_tcase(s, f);
	return s;
}

/* generate.c: a random well-typed NESL program for each seed.
 *
 * How   An expression of a wanted type is a variable, a literal, a construct of the language with
 *       expressions of the types that it needs, or a row of a table: a template with its signature.
 *       Everything stands in parentheses, names are never used twice, and sizes stay small.
 * Sure  Rows that may fault are marked; only some programs have them.  All others guard their operands.
 *       Floats are multiples of small powers of two, so that sums are exact however they are grouped. */
#include "tests/gen/generate.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ROUGH: a float whose last bits are not known.  FUN: only operands of rows are functions. */
typedef enum { INT, FLOAT, BOOL, CHAR, ROUGH, PAIR, SEQ, FUN, ANY } Kind;

typedef struct Type Type;
struct Type {
	Kind kind;
	const Type *a, *b;
	char letter;            /* ANY: in a signature, the variable */
};

typedef struct {
	const char *name;
	const Type *type;
} Name;

enum { MAXNAME = 200, MAXFUN = 12, MAXPARAM = 3, MAXFRESH = 5000 };

typedef struct {
	const char *name;
	int n;
	const Type *param[MAXPARAM], *result;
	bool counts;            /* its first argument must be small */
	int cost;               /* how deep functions nest below it */
	bool declared;          /* its type is */
} Fun;

/* Signature: i f b c, A B any types, n o l of a class; [x], (x, y); {x y} a function from x to y; operands, a colon, the result.
 * r: a rough float, in rough programs only; E any type without one.
 * Text: $k the operand k; A or E: the type it stands for; @ a number of its own, @@ the operator. */
typedef struct {
	const char *sig, *text;
	const char *def;        /* a function of the program that it needs */
} Row;

typedef struct {
	Arena *a;
	uint64_t random;
	Name name[MAXNAME];
	int nname;
	int inner;              /* where the names of the innermost apply-to-each begin; 0: there is none */
	Fun fun[MAXFUN];
	int nfun;
	int fresh;
	int size;               /* of the program: 1 to 5 */
	int budget;             /* expressions that this form may still have */
	int cost, maxcost;      /* of the functions called so far, and the bound */
	bool faulty;
	int risk;               /* how often a row that may fault, in percent */
	bool rough;
	bool concrete;          /* types are declared: no class can clash with another */
	const char *defs;
} Gen;

static const char *expr(Gen *g, const Type *t, int depth);

static const Type t_int = {INT, 0, 0, 0}, t_float = {FLOAT, 0, 0, 0}, t_bool = {BOOL, 0, 0, 0},
	t_char = {CHAR, 0, 0, 0}, t_rough = {ROUGH, 0, 0, 0};

static const Row rows[] = {
	/* scalars */
	{"nn:n", "$0 + $1", 0}, {"nn:n", "$0 - $1", 0}, {"ii:i", "$0 * $1", 0},
	{"ff:f", "float(rem(trunc($0), 100)) * $1", 0}, {"f:f", "$0 / 2.0", 0},
	{"n:n", "-$0", 0}, {"n:n", "negate($0)", 0}, {"n:n", "abs($0)", 0}, {"nn:n", "diff($0, $1)", 0},
	{"ii:i", "rem($0, 1 + abs(rem($1, 7)))", 0}, {"ii:i", "$0 / (1 + abs(rem($1, 7)))", 0},
	{"ii:i", "mod($0, -1 - abs(rem($1, 7)))", 0}, {"ii:i", "mod($0, 9)", 0},
	{"ii:i", "$0 ^ mod($1, 4)", 0}, {"n:n", "$0 ^ 2", 0},
	{"oo:o", "max($0, $1)", 0}, {"oo:o", "min($0, $1)", 0},
	{"oo:b", "$0 == $1", 0}, {"oo:b", "$0 /= $1", 0}, {"oo:b", "$0 < $1", 0}, {"oo:b", "$0 <= $1", 0},
	{"oo:b", "$0 > $1", 0}, {"oo:b", "$0 >= $1", 0},
	{"ll:l", "$0 and $1", 0}, {"ll:l", "$0 or $1", 0}, {"ll:l", "$0 xor $1", 0}, {"ll:l", "$0 nand $1", 0},
	{"ll:l", "$0 nor $1", 0}, {"l:l", "not($0)", 0},
	{"bAA:A", "select($0, $1, $2)", 0}, {"EE:b", "eql($0, $1)", 0}, {"A:A", "identity($0)", 0},
	{"ii:i", "lshift($0, $1)", 0}, {"ii:i", "rshift($0, $1)", 0}, {"ii:i", "gcd($0, $1)", 0},
	{"n:b", "plusp($0)", 0}, {"n:b", "minusp($0)", 0}, {"n:b", "zerop($0)", 0},
	{"i:b", "oddp($0)", 0}, {"i:b", "evenp($0)", 0},
	{"f:f", "float(floor(sqrt(abs($0))))", 0}, {"i:i", "isqrt(abs(rem($0, 1000)))", 0},
	{"f:i", "floor(ln(abs($0) + 1.0))", 0}, {"f:i", "round(exp(min($0, 5.0)))", 0},
	{"f:i", "round(10.0 * sin($0))", 0}, {"f:i", "round(10.0 * cos($0))", 0},
	{"f:i", "round(10.0 * tan($0))", 0}, {"f:i", "round(10.0 * asin($0 / 64.0))", 0},
	{"f:i", "round(10.0 * acos($0 / 64.0))", 0}, {"f:i", "round(10.0 * atan($0))", 0},
	{"f:i", "round(sinh(min($0, 3.0)))", 0}, {"f:i", "ceil(cosh(min(abs($0), 3.0)))", 0},
	{"f:i", "trunc(10.0 * tanh($0))", 0}, {"f:i", "round(8.0 * log(abs($0) + 1.5, 2.0))", 0},
	{"f:i", "round(expt(abs($0) + 1.5, 1.5))", 0},
	{"i:f", "float(rem($0, 1000))", 0}, {"n:n", "one($0)", 0}, {"n:n", "zero($0)", 0},
	{"i:f", "float_num(rem($0, 500))", 0}, {"f:f", "float_num($0)", 0},
	{"f:i", "floor($0)", 0}, {"f:i", "ceil($0)", 0}, {"f:i", "trunc($0)", 0}, {"f:i", "round($0)", 0},
	{"b:i", "btoi($0)", 0}, {"i:c", "code_char(97 + mod($0, 26))", 0}, {"c:i", "char_code($0)", 0},
	{"c:c", "uppercase($0)", 0}, {"c:c", "lowercase($0)", 0}, {"c:b", "digitp($0)", 0},
	{"i:i", "rand(1 + abs(rem($0, 50)))", 0}, {"f:i", "trunc(rand(abs($0) + 1.0))", 0},
	{"f:f", "float(trunc(rand(64.0))) / 8.0 + $0", 0},
	{"A:(A,b)", "let (v@, s@) = time($0) in (v@, s@ >= 0.0)", 0},
	{"AA:A", "let (v@, s@) = time($0) in if s@ < 0.0 then $1 else v@", 0},
	/* reductions and scans */
	{"[n]:n", "sum($0)", 0}, {"[i]:i", "product($0)", 0}, {"[n]:n", "max_val($0)", 0},
	{"[n]:n", "min_val($0)", 0}, {"[o]o:o", "max_val($0 ++ [$1])", 0}, {"[o]o:o", "min_val([$1] ++ $0)", 0},
	{"[l]:l", "any($0)", 0}, {"[l]:l", "all($0)", 0}, {"[l]:l", "parity($0)", 0}, {"[b]:i", "count($0)", 0},
	{"[o]:i", "max_index($0)", 0}, {"[o]:i", "min_index($0)", 0},
	{"[n]:[n]", "plus_scan($0)", 0}, {"[i]:[i]", "mult_scan($0)", 0}, {"[n]:[n]", "max_scan($0)", 0},
	{"[n]:[n]", "min_scan($0)", 0}, {"[l]:[l]", "or_scan($0)", 0}, {"[l]:[l]", "and_scan($0)", 0},
	{"[l]:[l]", "xor_scan($0)", 0}, {"[b]:[i]", "enumerate($0)", 0},
	{"[c]:i", "char_code(max_val($0))", 0}, {"[c]:i", "char_code(min_val($0))", 0},
	{"[c]:[i]", "{char_code(c@) : c@ in max_scan($0)}", 0}, {"[c]:[i]", "{char_code(c@) : c@ in min_scan($0)}", 0},
	/* sequences */
	{"[A]:i", "#$0", 0}, {"[A]:i", "length($0)", 0},
	{"[A]Ai:A", "let v@ = $0 in if #v@ == 0 then $1 else v@[mod($2, #v@)]", 0},
	{"[A]Ai:A", "let v@ = [$1] ++ $0 in v@[mod($2, #v@)]", 0},
	{"[A]Ai:A", "let v@ = $0 ++ [$1] in elt(v@, mod($2, #v@))", 0},
	{"i:[i]", "index(mod($0, 6))", 0}, {"ii:[i]", "let a@ = rem($0, 9) in [a@ : a@ + mod($1, 6)]", 0},
	{"iii:[i]", "let a@ = rem($0, 9) in [a@ : a@ + mod($1, 9) : 1 + mod($2, 4)]", 0},
	{"iii:[i]", "let a@ = rem($0, 9) in iseq(a@, 1 + mod($1, 4), a@ + mod($2, 9))", 0},
	{"Ai:[A]", "dist($0, mod($1, 4))", 0},
	{"[A][i]:[A]", "let v@ = $0; k@ = #v@ in if k@ == 0 then v@ else v@ -> {mod(j@, k@) : j@ in $1}", 0},
	{"[A]A[i]:[A]", "let v@ = $0 ++ [$1]; k@ = #v@ in read(v@, {mod(j@, k@) : j@ in $2})", 0},
	{"[A][(i,A)]:[A]", "let v@ = $0 in if #v@ == 0 then v@ else v@ <- {(mod(i@, #v@), x@) : (i@, x@) in $1}", 0},
	{"[A]A[(i,A)]:[A]", "let v@ = $0 ++ [$1] in write(v@, {(mod(i@, #v@), x@) : (i@, x@) in $2})", 0},
	{"[A][A]:[A]", "let d@ = $0; v@ = $1; n@ = min(#d@, #v@) in put(take(v@, n@), take([0 : #d@], n@), d@)", 0},
	{"[A]Ai:[A]", "let d@ = $0 in if #d@ == 0 then d@ else rep(d@, $1, mod($2, #d@))", 0},
	{"[A]:[A]", "let d@ = $0 in cond_put(d@, [0 : #d@], {oddp(i@) : i@ in [0 : #d@]}, reverse(d@))", 0},
	{"[A]i:[A]", "let v@ = $0 in permute(v@, rotate([0 : #v@], $1))", 0},
	{"[n]:[n]", "let v@ = $0 in permute(v@, rank_down(v@))", 0},
	{"[A][A]:[A]", "$0 ++ $1", 0}, {"[A][A]:[A]", "append($0, $1)", 0}, {"A[A]:[A]", "cons($0, $1)", 0},
	{"[A]A:[A]", "snoc($0, $1)", 0}, {"AA:[A]", "vpair($0, $1)", 0}, {"[A]AA:(A,A)", "vsep($0 ++ [$1, $2])", 0},
	{"[A]ii:[A]", "let v@ = $0; e@ = mod($1, #v@ + 1) in subseq(v@, mod($2, e@ + 1), e@)", 0},
	{"[A]i:[A]", "let v@ = $0 in take(v@, rem($1, #v@ + 1))", 0},
	{"[A]i:[A]", "let v@ = $0 in drop(v@, rem($1, #v@ + 1))", 0},
	{"[A]i:[A]", "rotate($0, $1)", 0}, {"[A]:[A]", "reverse($0)", 0}, {"[A]A:[A]", "next($0, $1)", 0},
	{"[A]A:[A]", "previous($0, $1)", 0}, {"[A]:[A]", "even_elts($0)", 0}, {"[A]:[A]", "odd_elts($0)", 0},
	{"[A]:[A]", "let v@ = $0 in interleave(v@, reverse(v@))", 0}, {"[A]:[[A]]", "bottop($0)", 0},
	{"[A]A:(A,[A])", "head_rest([$1] ++ $0)", 0}, {"[A]A:([A],A)", "rest_tail([$1] ++ $0)", 0},
	{"[[A]]:[A]", "flatten($0)", 0},
	{"[A]i:[[A]]", "let v@ = $0; k@ = mod($1, #v@ + 1) in partition(v@, [k@, 0, #v@ - k@])", 0},
	{"[[A]]:[[A]]", "let v@ = $0 in partition(flatten(v@), {#r@ : r@ in reverse(v@)})", 0},
	{"[A]i:[[A]]", "group_by($0, 1 + mod($1, 4))", 0},
	{"[A]i:[[(i,A)]]", "let v@ = $0 in transpose({{(j@, x@) : x@ in v@} : j@ in [0 : mod($1, 4)]})", 0},
	{"[(A,b)]:[A]", "pack($0)", 0}, {"[b]:[i]", "pack_index($0)", 0},
	{"[b]A:[A]", "let g@ = $0 in unpack(dist($1, count(g@)), g@)", 0},
	{"[b]AA:[A]", "let g@ = $0; n@ = count(g@) in flag_merge(g@, dist($1, #g@ - n@), dist($2, n@))", 0},
	{"[A][A]:[A]", "let v@ = $0; w@ = $1; k@ = #v@ in join(v@, [0 : k@], w@, [k@ : k@ + #w@])", 0},
	{"[A]i:[[A]]", "let v@ = $0; n@ = $1 in split(v@, {oddp(i@ * n@) : i@ in [0 : #v@]})", 0},
	{"[b]:[i]", "length_from_flags($0)", 0}, {"[A]:[(A,i)]", "let v@ = $0 in zip(v@, [0 : #v@])", 0},
	{"[A]B:[(A,B)]", "let v@ = $0 in zip(v@, dist($1, #v@))", 0},
	{"[A]B:[(A,(B,A))]", "let v@ = $0 in zip3(v@, dist($1, #v@), reverse(v@))", 0},
	{"[(A,B)]:([A],[B])", "unzip($0)", 0}, {"(A,B):A", "first($0)", 0}, {"(A,B):B", "rest($0)", 0},
	/* what would fault but for a guard in parallel code */
	{"[A]iA:A", "let v@ = $0; i@ = $1 in if i@ >= 0 and (i@ < #v@) then v@[i@] else $2", 0},
	{"[A][i]:[A]", "let v@ = $0 in {v@[i@] : i@ in $1 | i@ >= 0 and (i@ < #v@)}", 0},
	{"[A][i]A:[A]", "let v@ = $0 in {if i@ < 0 or (i@ >= #v@) then $2 else v@[i@] : i@ in $1}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{if d@ == 0 then n@ else rem(n@, d@) : d@ in v@} : n@ in $1}", 0},
	{"[[A]]:[A]", "{r@[#r@ - 1] : r@ in $0 | #r@ > 0}", 0},
	{"[[A]]A:[A]", "{if #r@ == 0 then $1 else r@[0] : r@ in $0}", 0},
	{"[i]:[[i]]", "{[0 : n@] : n@ in $0 | n@ >= 0 and (n@ < 9)}", 0},
	{"[i]:[f]", "{if n@ < 0 then 0.0 else float(floor(sqrt(float(n@)))) : n@ in {rem(m@, 99) : m@ in $0}}", 0},
	/* the same with what does not vary in the inner loop */
	{"[[A]]:[[A]]", "{{r@[1] : x@ in drop(r@, min(#r@, 2))} : r@ in $0}", 0},
	{"[[A]]:[[[A]]]", "{{permute(r@, [1, 2, 0]) : j@ in [0 : btoi(#r@ == 3)]} : r@ in $0}", 0},
	{"[[i]]:[[[i]]]", "{{put([0, 1], r@, [7, 8, 9]) : j@ in [0 : btoi(eql(r@, [2, 0]))]} : r@ in $0}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{9 / n@ : d@ in v@ | d@ > 2} : n@ in $1 | n@ /= 0}", 0},
	{"[[i]]:[[[i]]]", "{{[0 : x@] : j@ in [0 : x@]} : x@ in {rem(sum(r@), 5) : r@ in $0} | x@ > 0}", 0},
	/* order */
	{"[n]:[i]", "rank($0)", 0}, {"[n]:[i]", "rank_down($0)", 0}, {"[n]:[n]", "sort($0)", 0},
	{"[o]oi:o", "let v@ = $0 ++ [$1] in kth_smallest(v@, mod($2, #v@))", 0},
	{"[o]o:o", "median([$1] ++ $0)", 0}, {"E[E]:i", "find($0, $1)", 0},
	{"[E][E]:[i]", "search_for_subseqs($0, $1)", 0}, {"[E]:[i]", "search_for_subseqs([] E, $0)", 0},
	{"[E]:[i]", "name($0)", 0}, {"[E]:[b]", "mark_duplicates($0)", 0}, {"[E]:[E]", "remove_duplicates($0)", 0},
	{"[E][E]:[E]", "union($0, $1)", 0}, {"[E][E]:[E]", "intersection($0, $1)", 0},
	{"[E][E]:[E]", "set_difference($0, $1)", 0}, {"[(E,B)]:[(E,[B])]", "collect($0)", 0},
	{"[(i,B)]:[(i,[B])]", "int_collect($0)", 0}, {"[E]:[(E,i)]", "histogram($0)", 0},
	{"[c][c]:b", "string_eql($0, $1)", 0},
	/* functions of several types */
	{"AB:(B,A)", "p_swap($0, $1)", "function p_swap(x, y) = (y, x);"},
	{"[A]:[A]", "p_twice($0)", "function p_twice(x) = x ++ x;"},
	{"[[n]]:[n]", "p_sums($0)", "function p_sums(v) = {sum(x) : x in v};"},
	{"bAA:A", "p_pick($0, $1, $2)", "function p_pick(c, x, y) = if c then x else y;"},
	{"[A]i:[A]", "p_turn($0, mod($1, 4))",
		"function p_turn(v, n) = if n <= 0 then v else p_turn(rotate(v, 1), n - 1);"},
	{"[A]:[(A,i)]", "p_with($0)", "function p_with(v) = {(x, #v) : x in v};"},
	{"[o]:[o]", "p_sort($0)",
		"function p_sort(v) = if #v < 2 then v else let p = v[#v / 2] in\n"
		"  p_sort({x in v | x < p}) ++ {x in v | x == p} ++ p_sort({x in v | x > p});"},
	{"[o]:[o]", "p_both($0)",
		"function p_both(v) = if #v < 2 then v else let p = v[#v / 2];\n"
		"  s = {p_both(u) : u in [{x in v | x < p}, {x in v | x > p}]} in s[0] ++ {x in v | x == p} ++ s[1];"},
	{"[A]:[[A]]", "p_halves($0)",
		"function p_halves(v) = if #v <= 1 then {[x] : x in v} else flatten({p_halves(h) : h in bottop(v)});"},
	{"i:i", "p_count(mod($0, 5))", "function p_count(n) = 1 + sum({p_count(k) : k in [0 : n]});"},
	{"[A]A:A", "p_last($0, $1)",
		"function p_last(v, x) = if #v == 0 then x else let (h, r) = head_rest(v) in p_last(r, h);"},
	{"[[A]]:[(A,i)]", "p_rows($0)",
		"function p_rows(v) = flatten({{(x, #r) : x in r} : r in v | #r /= 1});"},
	/* functions as values */
	{"{AB}[A]:[B]", "map($0, $1)", 0}, {"[A]{AB}:[B]", "let g@ = $1 in {g@(x@) : x@ in $0}", 0},
	{"{AB}A:B", "($0)($1)", 0}, {"{AB}{BC}A:C", "p_compose($1, $0)($2)", "function p_compose(p, q) = x => p(q(x));"},
	{"{AB}{BC}[A]:[C]", "map(p_then($0, $1), $2)", "function p_then(p, q) = x => q(p(x));"},
	{"{(A,B)C}A[B]:[C]", "map(p_part($0, $1), $2)", "function p_part(g, x) = y => g(x, y);"},
	{"{(A,B)C}[A]B:[C]", "let g@ = $0; z@ = $2 in {h@(z@) : h@ in {(y@ => g@(x@, y@)) : x@ in $1}}", 0},
	{"{AA}A:A", "p_again($0, $1)", "function p_again(g, x) = g(g(x));"},
	{"{AA}Ai:A", "p_iter($0, $1, mod($2, 4))",
		"function p_iter(g, x, n) = if n <= 0 then x else p_iter(g, g(x), n - 1);"},
	{"{AA}[(A,i)]:[A]", "let g@ = $0 in {p_steps(g@, x@, mod(n@, 3)) : (x@, n@) in $1}",
		"function p_steps(g, x, n) = if n <= 0 then x else g(p_steps(g, x, n - 1));"},
	{"{Ab}[A]:[A]", "p_keep($0, $1)", "function p_keep(g, v) = {x in v | g(x)};"},
	{"{(A,B)B}B[A]:B", "p_fold($0, $1, $2)",
		"function p_fold(g, z, v) = if #v == 0 or (#v > 9) then z else g(v[0], p_fold(g, z, drop(v, 1)));"},
	{"{AB}[[A]]:[[B]]", "p_deep($0, $1)", "function p_deep(g, v) = {map(g, r) : r in v};"},
	{"{iA}i:[A]", "p_tree($0, mod($1, 4))",
		"function p_tree(g, n) = if n == 0 then [g(0)] else flatten(map(k => p_tree(g, k), [0 : n])) ++ [g(n)];"},
	{"[i][i]:[[i]]", "let v@ = $1 in {{g@(x@) : x@ in v@} : g@ in {(y@ => y@ - k@) : k@ in $0}}", 0},
	{"[[A]]i:[A]", "let k@ = $1 in {g@(k@) : g@ in {(j@ => r@[mod(j@, #r@)]) : r@ in $0 | #r@ > 0}}", 0},
	{"[i]:([i],i)", "scan((a@, b@) => max(a@, b@), min_int, [0] ++ $0)", 0},
	{"[[A]]:([[A]],[A])", "scan(append, [] A, [[] A] ++ $0)", 0},
	{"[[i]]:[([i],i)]", "{scan(gcd, 0, r@) : r@ in $0 | #r@ > 0}", 0},
	{"ii:i", "p_near($0, by := $1) + p_near(3)", "function p_near(x, by := 2, of := 1) = x * of + by;"},
	{"[A]i{[A]A}:[A]", "let v@ = $0; g@ = $2 in p_some(v@, g := w@ => if #w@ == 0 then w@ else [g@(w@)]) ++ p_some(v@, n := mod($1, 3))",
		"function p_some(v, g := reverse, n := 1) = if n > 1 then g(g(v)) else g(v);"},
	{"i:b", "p_even(mod($0, 9))", "function p_even(n) = if n == 0 then t else not(p_even(n - 1));"},
	/* floats whose last bits depend on how they are grouped: nothing is decided by them */
	{"rr:r", "$0 + $1", 0}, {"rr:r", "$0 - $1", 0}, {"rr:r", "$0 * $1", 0}, {"r:r", "$0 / 3.0", 0}, {"f:r", "$0 / 7.0", 0},
	{"i:r", "float(rem($0, 1000)) / 9.0", 0}, {"r:r", "sqrt(abs($0))", 0}, {"r:r", "sin(max(-9.0, min(9.0, $0)))", 0},
	{"r:r", "exp(min($0, 3.0))", 0}, {"rr:r", "max($0, $1)", 0}, {"r:r", "-$0", 0}, {"i:r", "rand(float(1 + mod($0, 9)))", 0},
	{"[r]:r", "sum($0)", 0}, {"[r]r:r", "min_val($0 ++ [$1])", 0}, {"[r]:[r]", "plus_scan($0)", 0},
	{"[r]r:[r]", "max_scan([$1] ++ $0)", 0}, {"[r]:r", "product({x@ / 9.0 : x@ in $0})", 0}, {"[[r]]:[r]", "{sum(r@) : r@ in $0}", 0},
	{"[[r]][r]:[r]", "let w@ = $1 in {sum({x@ * y@ : x@ in take(r@, min(#r@, #w@)); y@ in take(w@, min(#r@, #w@))}) : r@ in $0}", 0},
	/* text */
	{"E:[c]", "@@$0", 0}, {"E:[c]", "string($0)", 0}, {"[c]i:[c]", "$0 || mod($1, 9)", 0}, {"[c]i:[c]", "$0 || (0 - mod($1, 9))", 0},
	{"i:[c]", "int_string($0)", 0}, {"fi:[c]", "exp_string($0, mod($1, 9))", 0}, {"[c]:(i,b)", "parse_int($0)", 0},
	{"i:(i,b)", "parse_int(@@$0)", 0}, {"f:(f,b)", "parse_float(@@$0)", 0}, {"[c]:(f,b)", "parse_float(take($0, min(2, #$0)))", 0},
	{"[i]:([i],b)", "parse_int_vect(flatten({@@x@ ++ \" \" : x@ in $0}))", 0}, {"[c]:[[c]]", "wordify($0)", 0}, {"[c]:[[c]]", "linify($0)", 0},
	{"[c][c]:[[c]]", "group_by_space($0, $1)", 0}, {"[[c]]:[[[c]]]", "{wordify(r@ ++ \" q\") : r@ in $0}", 0},
	{"[c]i:[[c]]", "justify_text($0, 4 + mod($1, 9))", 0}, {"[[E]]:[[c]]", "{@@r@ : r@ in $0}", 0},
	/* hashes and tables */
	{"Ei:i", "hash($0, 1 + mod($1, 99))", 0}, {"[(E,B)][E]:[(B,b)]", "search_table($1, create_table($0))", 0},
	{"[(E,B)][(E,B)]:[(E,B)]", "table_entries(insert_table($0, create_table($1)))", 0},
	{"[(E,B)](E,B)[E]:[(B,b)]", "search_table($2, insert_table($0, make_table($1, 3)))", 0},
	{"[[(E,B)]]E:[[(B,b)]]", "let k@ = $1 in {search_table([k@], create_table(r@)) : r@ in $0}", 0},
	/* records */
	{"AB:A", "let r_two(a@, b@) = r_two($0, $1) in a@", "datatype r_two(a, b) :: (a in any; b in any);"},
	{"[A]B:[(B,A)]", "let z@ = $1 in {(b@, a@) : r_two(a@, b@) in {r_two(x@, z@) : x@ in $0}}", "datatype r_two(a, b) :: (a in any; b in any);"},
	{"[A]:[A]", "r_out(r_in($0))", "datatype r_one([a]) :: (a in any);\n"
		"function r_in(v) = {r_one([x]) : x in v}; function r_out(v) = {r[0] : r_one(r) in v | #r > 0};"},
	{"bAB:A", "let r_one(v@) = if $0 then r_one([$1, $1]) else r_one([$1]) in v@[0]", "datatype r_one([a]) :: (a in any);"},
	/* loops whose rows end at different times */
	{"[i]:[i]", "{l_steps(mod(x@, 40), 0) : x@ in $0}",
		"function l_steps(n, k) = if n <= 1 or k > 20 then k else if evenp(n) then l_steps(n / 2, k + 1) else l_steps(3 * n + 1, k + 1);"},
	{"[[A]]i:[[A]]", "let n@ = mod($1, 9) in {l_grow(r@, n@) : r@ in $0 | #r@ > 0}",
		"function l_grow(v, n) = if #v >= n then v else l_grow(v ++ reverse(v), n);"},
	{"[[E]]E:[i]", "let e@ = $1 in {l_find(r@, e@, 0) : r@ in $0}",
		"function l_find(v, x, i) = if i >= #v then -1 else if eql(v[i], x) then i else l_find(v, x, i + 1);"},
	{"[[[A]]]:[[i]]", "{l_walk(r@, [] int) : r@ in $0}",
		"function l_walk(vs, got) = let w = {drop(v, 1) : v in vs | #v > 1} in\n  if #w == 0 then got else l_walk(w, got ++ {#v : v in w});"},
	{"[[o]]o:[i]", "let e@ = $1 in {l_mid(r@, e@, 0, #r@) : r@ in $0}",
		"function l_mid(v, x, lo, hi) = if hi - lo < 1 then lo else let m = (lo + hi) / 2 in\n"
		"  if v[m] < x then l_mid(v, x, m + 1, hi) else l_mid(v, x, lo, m);"},
	{"[[A]]i:[[A]]", "let k@ = $1 in {l_play(r@, [] A, mod(k@ + #r@, 5)) : r@ in $0}",
		"function l_play(v, w, n) = if n == 0 then w else if #v == 0 then l_play(w, v, n - 1)\n"
		"  else if oddp(n) then l_play(drop(v, 1), snoc(w, v[0]), n) else l_play(reverse(v), w, n - 1);"},
	{"[(i,A)]:[(A,i)]", "{l_pair(x@, mod(n@, 6), 0) : (n@, x@) in $0}",
		"function l_pair(x, n, k) = if n == 0 then (x, k) else let (y, j) = (x, k + n) in l_pair(y, n - 1, j);"},
	{"[i][i]:[i]", "let v@ = $1 in {l_chase(v@, mod(x@, 7), 0) : x@ in $0}",
		"function l_chase(v, i, n) = if i < 0 or i >= #v or n > 9 then n else l_chase(v, v[i], n + 1);"},
	/* functions of each other */
	{"[i]:[b]", "{m_even(mod(x@, 9)) : x@ in $0}", "function m_odd(n) : int -> bool; function m_even(n) : int -> bool = if n == 0 then t else m_odd(n - 1);\n"
		"function m_odd(n) : int -> bool = if n == 0 then f else m_even(n - 1);"},
	{"[[i]]:[[i]]", "{m_up(take(r@, min(#r@, 5))) : r@ in $0}", "function m_down(v) : [int] -> [int];\n"
		"function m_up(v) : [int] -> [int] = if #v < 2 then v else {x + 1 : x in m_down(drop(v, 1))} ++ take(v, 1);\n"
		"function m_down(v) : [int] -> [int] = if sum(v) > 9 then m_up(rotate(drop(v, 1), 1)) else if #v < 3 then reverse(v)\n"
		"  else flatten({m_up(h) : h in bottop(v)});"},
	{"[i]i:i", "m_sum($0, mod($1, 4))", "function m_all(v, n) : ([int], int) -> int;\n"
		"function m_sum(v, n) : ([int], int) -> int = if n == 0 then sum(v) else sum({m_all(v, k) : k in [0 : n]});\n"
		"function m_all(v, n) : ([int], int) -> int = if n == 0 then #v else m_sum(drop(v, min(#v, 1)), n - 1);"},
	/* rows of the same elements that are not the same rows */
	{"[A]:[[[A]]]", "let v@ = $0; n@ = #v@ in [partition(v@, [n@]), partition(v@, [0, n@]), partition(v@, [n@ / 2, n@ - n@ / 2])]", 0},
	{"[[A]]:[[[A]]]", "let w@ = {r@ : r@ in $0 | #r@ > 0} in [{take(r@, 1) : r@ in w@}, {take(r@, #r@ - 1) : r@ in w@}, w@]", 0},
	{"[[A]]:[[[[A]]]]", "{let w@ = {r@ : r@ in u@ | #r@ > 1} in [{subseq(r@, 0, 2) : r@ in w@}, {subseq(r@, 0, 1) : r@ in w@}] : u@ in [$0, $0]}", 0},
	{"[[A]]:[[[A]]]", "let w@ = {r@ : r@ in $0 | #r@ > 1} in [{subseq(r@, 0, 1) : r@ in w@}, {subseq(r@, 0, 2) : r@ in w@}]", 0},
	{"[[A]]:[[[A]]]", "{if #r@ > 1 then partition(r@, [1, #r@ - 1]) else partition(r@, [#r@, 0]) : r@ in $0}", 0},
	/* one of several arms */
	{"[i][A]:[[A]]", "let w@ = $1 in {if n@ < 0 then reverse(w@) else if n@ == 0 then [] A else if n@ < 3 then take(w@, min(n@, #w@))"
		" else if n@ < 6 then w@ ++ w@ else rotate(w@, n@) : n@ in $0}", 0},
	{"[[A]]A:[[A]]", "{if #r@ == 0 then [$1] else if #r@ == 1 then r@ else if #r@ == 2 then r@ ++ r@ else drop(r@, 2) : r@ in $0}", 0},
	{"[i]:[[[i]]]", "{if x@ < 0 then {[y@] : y@ in [x@ : min(0, x@ + 3)]} else if oddp(x@) then [[x@], [] int] else [] [int] : x@ in {rem(z@, 9) : z@ in $0}}", 0},
	{"[i]i:[i]", "let k@ = $1 in {if x@ == 0 then 0 else if k@ / x@ > 2 then rem(k@, x@) else if x@ > 3 then sum([0 : x@]) else x@ : x@ in {mod(y@, 9) : y@ in $0}}", 0},
	{"[[E]]:[[i]]", "{if #r@ > 2 then rank({find(x@, r@) : x@ in r@}) else if #r@ == 2 then [find(r@[1], r@)] else [] int : r@ in $0}", 0},
};

static const Row risks[] = {
	/* in parallel code, by the data */
	{"[A][i]:[A]", "let v@ = $0 in {v@[i@] : i@ in $1 | i@ >= 0}", 0},
	{"[A][i]A:[A]", "let v@ = $0 in {if i@ < 0 then $2 else v@[mod(i@, 7)] : i@ in $1}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{n@ / d@ : d@ in v@ | d@ < 8} : n@ in $1}", 0},
	{"[[A]]:[A]", "{r@[0] : r@ in $0}", 0}, {"[[A]]i:[A]", "let k@ = $1 in {r@[mod(k@, 3)] : r@ in $0 | #r@ > 1}", 0},
	{"[[A]][i]:[[A]]", "{r@ -> {mod(i@, 4) : i@ in r2@} : r@ in $0; r2@ in {$1 : x@ in [0 : 3]}}", 0},
	{"[i]:[[i]]", "{[1 : rem(n@, 9)] : n@ in $0 | n@ > 0}", 0}, {"[[i]]:[[i]]", "{permute(r@, r@) : r@ in $0}", 0},
	{"[[i]]:[[i]]", "{{x@ / y@ : x@ in r@; y@ in reverse(r@)} : r@ in $0}", 0},
	{"[f]:[i]", "{floor(sqrt(x@)) : x@ in $0}", 0}, {"[[A]]:[[A]]", "{take(r@, 1) : r@ in $0}", 0},
	{"[[i]]:[[[i]]]", "{{permute(r@, r@) : j@ in [0 : max(#r@ - 2, 0)]} : r@ in $0}", 0},
	{"[[A]]A:[[[A]]]", "{{put([$1], [2], r@) : j@ in [0 : max(#r@ - 1, 0)]} : r@ in $0}", 0},
	{"[i][i]:[[i]]", "let v@ = $0 in {{9 / n@ : d@ in v@ | d@ > 2} : n@ in $1}", 0},
	/* anywhere */
	{"ii:i", "$0 / mod($1, 3)", 0}, {"ii:i", "rem($0, mod($1, 3))", 0}, {"ii:i", "mod($0, mod($1, 3))", 0},
	{"i:i", "rand(mod($0, 5))", 0}, {"iA:A", "let ok@ = if mod($0, 5) == 0 then error(\"no\") else t in $1", 0}, {"ff:f", "$0 / float(mod(trunc($1), 2))", 0}, {"i:f", "reciprocal(float(mod($0, 2)))", 0},
	{"i:i", "min_int / $0", 0}, {"f:i", "floor(sqrt($0))", 0}, {"f:i", "floor(ln($0 + 2.0))", 0},
	{"i:i", "isqrt(rem($0, 100))", 0}, {"ii:i", "$0 ^ rem($1, 4)", 0},
	{"[A]i:A", "$0[mod($1, 4)]", 0}, {"[A]i:A", "elt($0, rem($1, 3))", 0},
	{"[A][i]:[A]", "$0 -> {mod(j@, 4) : j@ in $1}", 0}, {"[A][i]:[A]", "get($0, $1)", 0},
	{"[A][(i,A)]:[A]", "$0 <- {(mod(i@, 4), x@) : (i@, x@) in $1}", 0},
	{"[A]Ai:[A]", "rep($0, $1, mod($2, 4))", 0}, {"[A][i][A]:[A]", "put($0, {mod(i@, 4) : i@ in $1}, $2)", 0},
	{"[A][i]:[A]", "permute($0, {mod(i@, 4) : i@ in $1})", 0}, {"i:[i]", "[0 : rem($0, 5)]", 0},
	{"i:[i]", "[0 : 4 : mod($0, 3)]", 0}, {"Ai:[A]", "dist($0, rem($1, 4))", 0}, {"i:[i]", "index(rem($0, 4))", 0},
	{"[A][B]:[(A,B)]", "zip($0, $1)", 0}, {"[A][B]:[(A,B)]", "{(x@, y@) : x@ in $0; y@ in $1}", 0},
	{"[A][i]:[[A]]", "partition($0, {mod(i@, 3) : i@ in $1})", 0}, {"[[A]]:[[A]]", "transpose($0)", 0},
	{"[A]i:[A]", "subseq($0, 1, mod($1, 5))", 0}, {"[A]i:[A]", "take($0, rem($1, 4))", 0},
	{"[A]i:[A]", "drop($0, rem($1, 4))", 0}, {"[A]:(A,[A])", "head_rest($0)", 0},
	{"[A]:([A],A)", "rest_tail($0)", 0}, {"[A]:(A,A)", "vsep($0)", 0}, {"[A]i:[[A]]", "group_by($0, mod($1, 3))", 0},
	{"[A][A]:[A]", "interleave($0, $1)", 0}, {"[o]i:o", "kth_smallest($0, mod($1, 4))", 0},
	{"[o]:o", "median($0)", 0}, {"[b][A][A]:[A]", "flag_merge($0, $1, $2)", 0},
	{"[A][b]:[[A]]", "split($0, $1)", 0}, {"[A][b]:[A]", "unpack($0, $1)", 0},
};

/* -- chance and text ---------------------------------------------------------------------------- */

static int
below(Gen *g, int n)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return (int)((g->random >> 11) % (uint64_t)n);
}

static bool
chance(Gen *g, int percent)
{
	return below(g, 100) < percent;
}

static const char *
new_name(Gen *g, const char *letter)
{
	return arena_printf(g->a, "%s%d", letter, ++g->fresh);
}

static void
bind(Gen *g, const char *name, const Type *t)
{
	if (g->nname < MAXNAME)
		g->name[g->nname++] = (Name){name, t};
}

/* -- types -------------------------------------------------------------------------------------- */

static const Type *
type_new(Gen *g, Kind kind, const Type *a, const Type *b)
{
	Type *t = NEW(g->a, Type, 1);

	*t = (Type){kind, a, b, 0};
	return t;
}

static const Type *
random_type(Gen *g, int depth)
{
	static const Type *const scalar[] = {&t_int, &t_int, &t_int, &t_float, &t_bool, &t_char};

	if (depth > 0 && chance(g, 35))
		return type_new(g, SEQ, random_type(g, depth - 1), NULL);
	if (depth > 0 && chance(g, 22)) {
		const Type *b = random_type(g, depth - 1);

		return type_new(g, PAIR, random_type(g, depth - 1), b);
	}
	if (g->rough && chance(g, 25))
		return &t_rough;
	return scalar[below(g, 6)];
}

static int
type_depth(const Type *t)
{
	if (t->kind == SEQ)
		return 1 + type_depth(t->a);
	if (t->kind == PAIR || t->kind == FUN) {
		int a = type_depth(t->a), b = type_depth(t->b);

		return a > b ? a : b;
	}
	return 0;
}

static bool
same_type(const Type *s, const Type *t)
{
	if (s->kind != t->kind)
		return false;
	return (s->kind != SEQ && s->kind != PAIR)
	       || (same_type(s->a, t->a) && (s->kind == SEQ || same_type(s->b, t->b)));
}

static const char *
type_text(Gen *g, const Type *t)
{
	static const char *const name[] = {"int", "float", "bool", "char", "float"};

	if (t->kind == SEQ)
		return arena_printf(g->a, "[%s]", type_text(g, t->a));
	if (t->kind == PAIR)
		return arena_printf(g->a, "(%s, %s)", type_text(g, t->a), type_text(g, t->b));
	return name[t->kind];
}

/* -- signatures --------------------------------------------------------------------------------- */

static const Type *
sig_type(Gen *g, const char **p)
{
	static const char scalar[] = "ifbcr";
	static const Type *const type[] = {&t_int, &t_float, &t_bool, &t_char, &t_rough};
	char c = *(*p)++;
	const char *s = strchr(scalar, c);
	const Type *a, *b;
	Type *t;

	if (s)
		return type[s - scalar];
	if (c == '[') {
		a = sig_type(g, p);
		(*p)++;
		return type_new(g, SEQ, a, NULL);
	}
	if (c == '(') {
		a = sig_type(g, p);
		(*p)++;
		b = sig_type(g, p);
		(*p)++;
		return type_new(g, PAIR, a, b);
	}
	if (c == '{') {
		a = sig_type(g, p);
		b = sig_type(g, p);
		(*p)++;
		return type_new(g, FUN, a, b);
	}
	t = NEW(g->a, Type, 1);
	*t = (Type){ANY, NULL, NULL, c};
	return t;
}

static bool
has_rough(const Type *t)
{
	return t->kind == ROUGH || (t->a && has_rough(t->a)) || (t->b && has_rough(t->b));
}

static bool
in_class(Gen *g, char letter, const Type *t)
{
	switch (letter) {
	case 'n': return t->kind == INT || t->kind == FLOAT;
	case 'o': return t->kind == INT || t->kind == FLOAT || t->kind == CHAR;
	case 'l': return (t->kind == INT && g->concrete) || t->kind == BOOL;
	case 'E': return !has_rough(t);
	default: return true;
	}
}

static bool
match(Gen *g, const Type *sig, const Type *t, const Type **var)
{
	if (sig->kind == ANY) {
		const Type **v = &var[(unsigned char)sig->letter];

		if (!*v && in_class(g, sig->letter, t))
			*v = t;
		return *v && same_type(*v, t);
	}
	if (sig->kind != t->kind)
		return false;
	return (sig->kind != SEQ && sig->kind != PAIR)
	       || (match(g, sig->a, t->a, var) && (sig->kind == SEQ || match(g, sig->b, t->b, var)));
}

static const Type *
instance(Gen *g, const Type *sig, const Type **var)
{
	if (sig->kind == ANY) {
		const Type **v = &var[(unsigned char)sig->letter];

		while (!*v) {
			const Type *t = random_type(g, sig->letter < 'a' ? 2 : 0);

			if (in_class(g, sig->letter, t))
				*v = t;
		}
		return *v;
	}
	if (sig->kind == SEQ)
		return type_new(g, SEQ, instance(g, sig->a, var), NULL);
	if (sig->kind == PAIR || sig->kind == FUN) {
		const Type *b = instance(g, sig->b, var);

		return type_new(g, sig->kind, instance(g, sig->a, var), b);
	}
	return sig;
}

static void
need_def(Gen *g, const Row *row)
{
	if (!row->def || strstr(g->defs, row->def))
		return;
	g->defs = arena_printf(g->a, "%s%s\n", g->defs, row->def);
}

/* The row's text; `var` says what its letters are. */
static const char *
fill(Gen *g, const Row *row, const Type **operand, const Type **var, int depth)
{
	const char *out = "(";
	int fresh = ++g->fresh;

	for (const char *p = row->text; *p; p++) {
		if (*p == '$')
			out = arena_printf(g->a, "%s%s", out, expr(g, operand[*++p - '0'], depth - 1));
		else if (*p == '@' && p[1] != '@')
			out = arena_printf(g->a, "%s%d", out, fresh);
		else if (*p == 'A' || *p == 'E')
			out = arena_printf(g->a, "%s%s", out, type_text(g, var[(int)*p]));
		else
			out = arena_printf(g->a, "%s%c", out, *p == '@' ? *p++ : *p);
	}
	need_def(g, row);
	return arena_printf(g->a, "%s)", out);
}

/* An instance of the row that gives a t, or NULL. */
static const char *
try_row(Gen *g, const Row *row, const Type *t, int depth)
{
	const Type *var[128] = {NULL}, *operand[MAXPARAM + 1];
	const char *p = row->sig, *result = strchr(p, ':') + 1;
	int n = 0;

	if ((strchr(p, 'r') && !g->rough) || !match(g, sig_type(g, &result), t, var))
		return NULL;
	while (*p != ':') {
		operand[n] = instance(g, sig_type(g, &p), var);
		if (type_depth(operand[n++]) > 4)
			return NULL;
	}
	return fill(g, row, operand, var, depth);
}

static const char *
from_table(Gen *g, const Type *t, int depth)
{
	bool risk = g->faulty && chance(g, g->risk);
	const Row *table = risk ? risks : rows;
	int n = risk ? (int)(sizeof risks / sizeof *risks) : (int)(sizeof rows / sizeof *rows);

	for (int i = 0; i < 300; i++) {
		const char *s = try_row(g, &table[below(g, n)], t, depth);

		if (s)
			return s;
	}
	return NULL;
}

/* -- leaves ------------------------------------------------------------------------------------- */

static const char *
int_literal(Gen *g)
{
	static const char *const odd[] = {"max_int", "min_int", "1000000007", "(-65536)", "4294967301"};
	int n;

	if (chance(g, 3))
		return odd[below(g, 5)];
	n = below(g, 10);
	return arena_printf(g->a, chance(g, 20) ? "(-%d)" : "%d", n);
}

static const char *
float_literal(Gen *g)
{
	int half = 5 * below(g, 2), n = below(g, 9);

	return arena_printf(g->a, chance(g, 20) ? "(-%d.%d)" : "%d.%d", n, half);
}

static const char *literal(Gen *g, const Type *t);

static const char *
seq_literal(Gen *g, const Type *t)
{
	int n = chance(g, 25) ? 0 : 1 + below(g, 4);
	const char *s = "[";

	if (n == 0)
		return arena_printf(g->a, "([] %s)", type_text(g, t->a));
	if (t->a->kind == CHAR && chance(g, 60))
		return arena_printf(g->a, "\"%.*s\"", n, "a Zb9q" + below(g, 3));
	for (int i = 0; i < n; i++)
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", literal(g, t->a));
	return arena_printf(g->a, "%s]", s);
}

static const char *
literal(Gen *g, const Type *t)
{
	const char *b;

	switch (t->kind) {
	case INT: return int_literal(g);
	case FLOAT: return float_literal(g);
	case BOOL: return chance(g, 50) ? "t" : "f";
	case CHAR: return arena_printf(g->a, "`%c", "abcxyzAZ09"[below(g, 10)]);
	case ROUGH: return arena_printf(g->a, chance(g, 20) ? "(-%d.%d)" : "%d.%d", below(g, 9), 1 + below(g, 8));
	case PAIR:
		b = literal(g, t->b);
		return arena_printf(g->a, "(%s, %s)", literal(g, t->a), b);
	case SEQ:
	case FUN:
	case ANY: break;
	}
	return seq_literal(g, t);
}

/* A variable's part, or something made of it, that is a t; or NULL. */
static const char *
derive(Gen *g, const Name *v, const Type *t)
{
	int n;

	if (same_type(v->type, t))
		return v->name;
	if (v->type->kind == PAIR && same_type(v->type->a, t))
		return arena_printf(g->a, "first(%s)", v->name);
	if (v->type->kind == PAIR && same_type(v->type->b, t))
		return arena_printf(g->a, "rest(%s)", v->name);
	if (v->type->kind == SEQ && t->kind == INT)
		return arena_printf(g->a, "(#%s)", v->name);
	if (v->type->kind == SEQ && same_type(v->type->a, t)) {
		n = below(g, 4);
		return arena_printf(g->a, "([%s] ++ %s)[min(#%s, %d)]", literal(g, t), v->name, v->name, n);
	}
	if (v->type->kind == INT && t->kind == BOOL) {
		n = 2 + below(g, 3);
		return arena_printf(g->a, chance(g, 50) ? "(%s > %d)" : "(mod(%s, %d) == 1)", v->name, n);
	}
	if (v->type->kind == FLOAT && t->kind == BOOL)
		return arena_printf(g->a, "(%s < %d.0)", v->name, below(g, 5));
	return NULL;
}

/* An int made of x, which is a t; NULL of what nothing may be decided by. */
static const char *
int_of(Gen *g, const Type *t, const char *x)
{
	static const char *const made[] = {[INT] = "%s", [FLOAT] = "trunc(%s)", [BOOL] = "btoi(%s)", [CHAR] = "char_code(%s)", [SEQ] = "(#%s)"};

	if (t->kind == PAIR)
		return chance(g, 50) ? int_of(g, t->a, arena_printf(g->a, "first(%s)", x))
		                     : int_of(g, t->b, arena_printf(g->a, "rest(%s)", x));
	if (t->kind == ROUGH || t->kind == FUN)
		return NULL;
	return arena_printf(g->a, made[t->kind], x);
}

/* A literal that becomes another in each row, by the int i. */
static const char *
varied(Gen *g, const Type *t, const char *i)
{
	static const char *const seq[] = {"rotate(%s, %s)", "take(%s, mod(%s, 2))", "drop(%s, mod(%s, 2))"};
	const char *b;
	int k;

	switch (t->kind) {
	case INT: return arena_printf(g->a, "(%s + %s)", i, int_literal(g));
	case FLOAT: return arena_printf(g->a, "(float(rem(%s, 8)) + %s)", i, float_literal(g));
	case BOOL: return arena_printf(g->a, "(mod(%s, %d) == 1)", i, 2 + below(g, 3));
	case CHAR: return arena_printf(g->a, "code_char(97 + mod(%s, 26))", i);
	case ROUGH: return arena_printf(g->a, "(float(rem(%s, 8)) / 3.0)", i);
	case PAIR:
		b = varied(g, t->b, i);
		return arena_printf(g->a, "(%s, %s)", varied(g, t->a, i), b);
	case SEQ:
	case FUN:
	case ANY: break;
	}
	if (chance(g, 30))
		return arena_printf(g->a, "dist(%s, mod(%s, 4))", varied(g, t->a, i), i);
	k = below(g, 3);
	b = literal(g, t);
	return arena_printf(g->a, seq[strchr(b, ' ') && b[0] == '(' ? 0 : k], b, i);
}

/* By a variable of the innermost apply-to-each; NULL if there is none that serves. */
static const char *
of_row(Gen *g, const Type *t)
{
	const Name *v = g->inner && g->nname > g->inner ? &g->name[g->inner + below(g, g->nname - g->inner)] : NULL;
	const char *i = v ? int_of(g, v->type, v->name) : NULL;

	return i ? varied(g, t, i) : NULL;
}

/* Later variables, those of inner loops, more often. */
static const char *
leaf(Gen *g, const Type *t)
{
	const char *s = chance(g, 25) ? of_row(g, t) : NULL;

	for (int i = 0; !s && g->nname > 0 && i < 12; i++) {
		int back = below(g, g->nname), again = below(g, g->nname);

		s = derive(g, &g->name[g->nname - 1 - (back < again ? back : again)], t);
	}
	if (!s && chance(g, 75))
		s = of_row(g, t);
	return s ? s : literal(g, t);
}

/* -- constructs --------------------------------------------------------------------------------- */

/* Binds names for a value of type t; the pattern. */
static const char *
pattern(Gen *g, const Type *t)
{
	const char *a;

	if (t->kind == PAIR && chance(g, 65)) {
		a = pattern(g, t->a);
		return arena_printf(g->a, "(%s, %s)", a, pattern(g, t->b));
	}
	a = new_name(g, "x");
	bind(g, a, t);
	return a;
}

static const char *
let(Gen *g, const Type *t, int depth)
{
	int mark = g->nname, n = 1 + below(g, 2);
	const char *s = "(let ";

	for (int i = 0; i < n; i++) {
		const Type *u = random_type(g, 3);
		const char *e = expr(g, u, depth - 1);

		s = arena_printf(g->a, "%s%s = %s; ", s, pattern(g, u), e);
	}
	s = arena_printf(g->a, "%sin %s)", s, expr(g, t, depth - 1));
	g->nname = mark;
	return s;
}

/* Conditions are short; the last arm may be one more conditional. */
static const char *
branch(Gen *g, const Type *t, int depth)
{
	const char *c = expr(g, &t_bool, depth - 1 < 2 ? depth - 1 : 2), *a = expr(g, t, depth - 1);

	return arena_printf(g->a, "(if %s then %s else %s)", c, a, chance(g, 30) ? branch(g, t, depth - 1) : expr(g, t, depth - 1));
}

/* One more source, as long as the sequence s of element type t. */
static const char *
companion(Gen *g, const char *s, const Type *t, const Type **u, int depth)
{
	int mark = g->nname;
	const char *p, *e;

	*u = t;
	switch (below(g, 5)) {
	case 0: return arena_printf(g->a, "reverse(%s)", s);
	case 1: return arena_printf(g->a, "rotate(%s, %s)", s, leaf(g, &t_int));
	case 2: *u = &t_int; return arena_printf(g->a, "[0 : #%s]", s);
	case 3: *u = random_type(g, 2); return arena_printf(g->a, "dist(%s, #%s)", expr(g, *u, depth - 1), s);
	default: *u = random_type(g, 2); break;
	}
	p = pattern(g, t);
	e = expr(g, *u, depth - 1);
	g->nname = mark;
	return arena_printf(g->a, "{%s : %s in %s}", e, p, s);
}

static const char *
sources(Gen *g, const char *s, const Type *t, int depth)
{
	const char *out, *more[2], *p;
	const Type *u[2];
	int n = chance(g, 35) ? 1 + below(g, 2) : 0;

	for (int i = 0; i < n; i++)
		more[i] = companion(g, s, t, &u[i], depth);
	if (chance(g, 10) && g->nname < MAXNAME) {
		bind(g, s, t);
		out = s;
	} else {
		p = pattern(g, t);
		out = arena_printf(g->a, "%s in %s", p, s);
	}
	for (int i = 0; i < n; i++) {
		p = pattern(g, u[i]);
		out = arena_printf(g->a, "%s; %s in %s", out, p, more[i]);
	}
	return out;
}

static const char *
apply_to_each(Gen *g, const Type *t, int depth)
{
	int mark = g->nname, inner = g->inner;
	bool same = chance(g, 20);
	const Type *u = same ? t->a : random_type(g, 3);
	const char *e = expr(g, type_new(g, SEQ, u, NULL), depth - 1), *s = new_name(g, "s"), *from, *body, *only;

	if (same) {
		const char *x = new_name(g, "x");

		g->inner = mark;
		bind(g, x, u);
		only = expr(g, &t_bool, depth - 1);
		g->inner = inner;
		g->nname = mark;
		return arena_printf(g->a, "{%s in %s | %s}", x, e, only);
	}
	from = sources(g, s, u, depth);
	g->inner = mark;
	body = expr(g, t->a, depth - 1);
	only = chance(g, 30) ? arena_printf(g->a, " | %s", expr(g, &t_bool, depth - 1)) : "";
	g->inner = inner;
	g->nname = mark;
	return arena_printf(g->a, "(let %s = %s in {%s%s : %s%s})", s, e, chance(g, 4) ? "* " : "", body, from, only);
}

static const char *
tuple(Gen *g, const Type *t, int depth)
{
	const char *a = expr(g, t->a, depth - 1);

	return arena_printf(g->a, "(%s, %s)", a, expr(g, t->b, depth - 1));
}

static const char *
items(Gen *g, const Type *t, int depth)
{
	int n = 1 + below(g, 3);
	const char *s = "[";

	for (int i = 0; i < n; i++)
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", expr(g, t->a, depth - 1));
	return arena_printf(g->a, "%s]", s);
}

static const char *
arguments(Gen *g, const Fun *f, int depth)
{
	const char *s = "";

	if (f->n == 2 && !f->counts && chance(g, 25))
		return expr(g, type_new(g, PAIR, f->param[0], f->param[1]), depth - 1);
	for (int i = 0; i < f->n; i++) {
		const char *e = expr(g, f->param[i], depth - 1);

		if (i == 0 && f->counts)
			e = arena_printf(g->a, "mod(%s, 4)", e);
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", e);
	}
	return s;
}

/* A call of a function that the program has defined, or NULL. */
static const char *
call(Gen *g, const Type *t, int depth)
{
	int first = g->nfun ? below(g, g->nfun) : 0;

	for (int i = 0; i < g->nfun; i++) {
		const Fun *f = &g->fun[(first + i) % g->nfun];

		if (!same_type(f->result, t) || f->cost > g->maxcost)
			continue;
		if (f->cost > g->cost)
			g->cost = f->cost;
		return arena_printf(g->a, "%s(%s)", f->name, arguments(g, f, depth));
	}
	return NULL;
}

/* A function that the program has defined, or one without a name.  In it classes may clash: its parameter's type is
 * found out from its body. */
static const char *
function_value(Gen *g, const Type *t, int depth)
{
	int mark = g->nname;
	bool concrete = g->concrete;
	const char *p, *e;

	for (int i = 0; i < g->nfun; i++) {
		const Fun *f = &g->fun[i];

		if (f->n != 1 || f->counts || f->cost > g->maxcost || !same_type(f->param[0], t->a)
		    || !same_type(f->result, t->b) || chance(g, 40))
			continue;
		if (f->cost > g->cost)
			g->cost = f->cost;
		return f->name;
	}
	g->concrete = false;
	p = pattern(g, t->a);
	e = expr(g, t->b, depth);
	g->concrete = concrete;
	g->nname = mark;
	return arena_printf(g->a, "(%s => %s)", p, e);
}

static const char *
expr(Gen *g, const Type *t, int depth)
{
	int r = below(g, 100);
	const char *s = NULL;

	if (t->kind == FUN)
		return function_value(g, t, depth);
	if (depth <= 0 || g->budget <= 0 || r < 12)
		return leaf(g, t);
	g->budget--;
	if (r < 22)
		return let(g, t, depth);
	if (r < 34)
		return branch(g, t, depth);
	if (r < 65 && t->kind == SEQ)
		return r < 37 ? items(g, t, depth) : apply_to_each(g, t, depth);
	if (r < 60 && t->kind == PAIR)
		return tuple(g, t, depth);
	if (r < 75)
		s = call(g, t, depth);
	if (!s)
		s = from_table(g, t, depth);
	return s ? s : leaf(g, t);
}

/* -- forms -------------------------------------------------------------------------------------- */

/* `: (types) -> type`, or nothing. */
static const char *
signature(Gen *g, const Fun *f)
{
	const char *s = "";

	if (!g->concrete)
		return s;
	for (int i = 0; i < f->n; i++)
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", type_text(g, f->param[i]));
	return arena_printf(g->a, " : (%s) -> %s", s, type_text(g, f->result));
}

static const char *
parameters(Gen *g, const Fun *f, const char **name)
{
	const char *s = "";

	for (int i = 0; i < f->n; i++) {
		name[i] = new_name(g, "x");
		bind(g, name[i], f->param[i]);
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", name[i]);
	}
	return s;
}

/* The arguments of the recursive call: one less, and something made of the rest. */
static const char *
smaller(Gen *g, const Fun *f, const char *const *name)
{
	const char *s = arena_printf(g->a, "%s - 1", name[0]);

	for (int i = 1; i < f->n; i++)
		s = arena_printf(g->a, "%s, %s", s, expr(g, f->param[i], 2));
	return s;
}

/* f(n - 1, ..) once; as its own result; or for each element of a short sequence. */
static const char *
counting_body(Gen *g, const Fun *f, const char *const *name)
{
	int mark = g->nname, way = below(g, 3);
	const char *base = expr(g, f->result, 2), *y = new_name(g, "y"), *x = new_name(g, "x"), *again, *body;

	if (way == 2)
		bind(g, x, &t_int);
	again = arena_printf(g->a, "%s(%s)", f->name, smaller(g, f, name));
	g->nname = mark;
	if (way == 0)
		return arena_printf(g->a, "if %s <= 0 then %s\n  else %s", name[0], base, again);
	if (way == 2)
		again = arena_printf(g->a, "{%s : %s in [0 : mod(%s, 3)]}", again, x, expr(g, &t_int, 2));
	bind(g, y, way == 2 ? type_new(g, SEQ, f->result, NULL) : f->result);
	body = expr(g, f->result, 3);
	return arena_printf(g->a, "if %s <= 0 then %s\n  else let %s = %s in %s", name[0], base, y, again, body);
}

/* Of a sequence: its halves, or all but its first element. */
static const char *
dividing_body(Gen *g, const Fun *f, const char *const *name)
{
	bool halves = chance(g, 60);
	const char *base = expr(g, f->result, 2), *y = new_name(g, "y"), *s = name[0], *again, *body;

	again = arena_printf(g->a, halves ? "{%s(h) : h in bottop(%s)}" : "%s(drop(%s, 1))", f->name, s);
	bind(g, y, halves ? type_new(g, SEQ, f->result, NULL) : f->result);
	body = expr(g, f->result, 3);
	return arena_printf(g->a, "if #%s <= 1 then %s\n  else let %s = %s in %s", s, base, y, again, body);
}

static const char *
function(Gen *g)
{
	int mark = g->nname, kind = below(g, 4);
	const char *name[MAXPARAM], *params, *body;
	Fun f = {.name = new_name(g, "fun"), .counts = kind == 1};

	f.n = 1 + below(g, MAXPARAM);
	f.result = random_type(g, 3);
	f.declared = chance(g, 65);
	g->concrete = f.declared;
	for (int i = 0; i < f.n; i++)
		f.param[i] = random_type(g, 3);
	if (kind == 1)
		f.param[0] = &t_int;
	if (kind == 2) {
		f.n = 1;
		f.param[0] = type_new(g, SEQ, random_type(g, 2), NULL);
	}
	g->budget = 4 + 2 * g->size + below(g, 4 * g->size);
	g->cost = 0;
	g->maxcost = 1;
	params = parameters(g, &f, name);
	body = kind == 1 ? counting_body(g, &f, name) : kind == 2 ? dividing_body(g, &f, name)
	     : expr(g, f.result, 2 + g->size);
	params = arena_printf(g->a, "function %s(%s)%s =\n  %s;\n", f.name, params, signature(g, &f), body);
	f.cost = g->cost + 1;
	g->fun[g->nfun++] = f;
	g->nname = mark;
	g->concrete = true;
	return params;
}

/* Another body for a function that is there, which those defined since then may call. */
static const char *
redefinition(Gen *g)
{
	int mark = g->nname, n = g->nfun, k = below(g, n);
	const Fun *f = &g->fun[k];
	const char *name[MAXPARAM], *params, *body;

	if (!f->declared)
		return "";
	g->budget = 10;
	g->maxcost = 1;
	g->nfun = k;
	params = parameters(g, f, name);
	body = expr(g, f->result, 4);
	g->nfun = n;
	g->nname = mark;
	return arena_printf(g->a, "function %s(%s)%s =\n  %s;\n", f->name, params, signature(g, f), body);
}

static const char *
entry(Gen *g, const Type *t)
{
	g->budget = 4 + below(g, 8 * g->size);
	g->maxcost = 2;
	return expr(g, t, 3 + g->size);
}

static const char *
global(Gen *g)
{
	const Type *t = random_type(g, 4);
	const char *e;

	if (g->nname > 1 && chance(g, 30)) {
		Name *old = &g->name[1 + below(g, g->nname - 1)];

		if (chance(g, 60))
			t = old->type;
		e = entry(g, t);
		old->type = t;
		return arena_printf(g->a, "%s = %s;\n", old->name, e);
	}
	e = entry(g, t);
	return arena_printf(g->a, "%s = %s;\n", pattern(g, t), e);
}

/* Sequences for the rest to work on. */
static const char *
data(Gen *g)
{
	const char *s = "";
	int n = 1 + below(g, 3);

	for (int i = 0; i < n; i++) {
		const Type *t = type_new(g, SEQ, random_type(g, 3), NULL);
		const char *v = literal(g, t);

		s = arena_printf(g->a, "%s%s = %s;\n", s, pattern(g, t), v);
	}
	return s;
}

static const char *
shown(Gen *g)
{
	const Type *t = random_type(g, 4);
	const char *e;

	if (chance(g, 60))
		t = type_new(g, SEQ, t, NULL);
	e = entry(g, t);
	g->name[0].type = t;
	return arena_printf(g->a, "%s;\n", e);
}

/* The elements of a sequence of sequences, two or three levels down, with all that is around them. */
static const char *
nest(Gen *g)
{
	int mark = g->nname, levels = 2 + below(g, 2);
	const Type *t = random_type(g, 2), *u = random_type(g, 2);
	const char *source = "[", *head = "", *tail = "", *only;

	g->budget = 4 + below(g, 4 * g->size);
	g->maxcost = 1;
	for (int i = 1; i < levels; i++)
		u = type_new(g, SEQ, u, NULL);
	for (int i = below(g, 3); i >= 0; i--)
		source = arena_printf(g->a, "%s%s%s", source, literal(g, u), i ? ", " : "]");
	u = type_new(g, SEQ, u, NULL);
	for (int i = 0; i < levels; i++) {
		const char *x = new_name(g, "r");

		head = arena_printf(g->a, "%s{", head);
		tail = arena_printf(g->a, " : %s in %s}%s", x, source, tail);
		u = u->a;
		g->inner = g->nname;
		bind(g, x, u);
		source = x;
		t = type_new(g, SEQ, t, NULL);
	}
	for (u = t; levels > 0; levels--)
		u = u->a;
	only = expr(g, u, 1 + g->size);
	g->inner = 0;
	g->nname = mark;
	g->name[0].type = t;
	return arena_printf(g->a, "%s%s%s;\n", head, only, tail);
}

/* Some values of a long sequence, and what can be made of them all in a few steps. */
static const char *
long_sequence(Gen *g)
{
	int mark = g->nname, n = 300 + below(g, 1200);
	const Type *t = random_type(g, 2), *seq = type_new(g, SEQ, t, NULL);
	const char *i = new_name(g, "i"), *v = new_name(g, "v"), *element, *all;

	g->budget = 6;
	g->maxcost = 0;
	bind(g, i, &t_int);
	element = expr(g, t, 4);
	g->nname = mark;
	bind(g, v, seq);
	all = from_table(g, seq, 1);
	g->nname = mark;
	g->name[0].type = type_new(g, PAIR, seq, seq);
	return arena_printf(g->a, "let %s = {%s : %s in [0 : %d]} in (%s, %s -> [0 : %d : 97]);\n", v, element, i, n,
		all ? all : v, v, n);
}

bool
rough(uint64_t group)
{
	return group % 9 == 8;
}

/* Names are numbered from `fresh` on. */
static const char *
program(Gen *g, uint64_t seed, int fresh)
{
	const char *text;
	int n;

	g->random = seed * 0x9e3779b97f4a7c15u + 1;
	g->faulty = seed % 7 > 4;
	g->concrete = true;
	g->nname = g->nfun = g->inner = 0;
	g->fresh = fresh;
	g->size = 1 + (int)(seed % 5);
	n = 1 + below(g, 2 + g->size);
	g->risk = 8 + below(g, 30);
	/* name[0] is `it`, of the last value shown */
	bind(g, "it", &t_int);
	text = data(g);
	text = arena_printf(g->a, "%d;\n%s", below(g, 10), text);
	for (int i = 0; i < n; i++) {
		int r = below(g, 10);

		text = arena_printf(g->a, "%s%s", text,
			r < 3 || g->nfun == 0 ? function(g) : r < 4 ? redefinition(g) : r < 5 ? global(g) : r < 6 ? long_sequence(g)
			: r < 8 ? nest(g) : shown(g));
	}
	return arena_printf(g->a, "%s%s", text, shown(g));
}

const char *
generate_programs(Arena *a, uint64_t from, uint64_t to)
{
	Gen g = {.a = a, .defs = "", .rough = rough(from / GROUP)};
	const char *text = "";

	for (uint64_t seed = from; seed <= to; seed++)
		text = arena_printf(a, "%s%s", text, program(&g, seed, (int)(seed - from) * MAXFRESH));
	return arena_printf(a, "%s%s", g.defs, text);
}

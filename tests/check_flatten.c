/* check_flatten.c: the pass on texts of its own input.  Exact text for one program that everybody knows,
 * for the others what must be there and what must not: operators counted in what comes out. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/unit.h"
#include "flatten/flatten.h"

Suite *flatten_suite(void);

static Arena *arena;

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

/* The flan of a normal program, checked. */
static const char *
flatten_all(const char *text, bool no_avoid)
{
	Names *names = names_new(arena);
	Diag *d = diag_new(arena, stderr);
	Unit u = {.arena = arena, .names = names, .diag = d, .no_avoid = no_avoid};
	char *out = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&out, &n);
	const char *why, *copy;
	Span at;

	u.ir = ir_read(&normal_ir, arena, names, d, "test", text, strlen(text));
	ck_assert_msg(u.ir, "not normal:\n%s", text);
	why = ir_check(u.ir, &at);
	ck_assert_msg(!why, "%s (line %d)", why, at.line);
	flatten(&u);
	ir_print(u.ir, f);
	fclose(f);
	copy = arena_printf(arena, "%s", out);
	free(out);
	why = ir_check(u.ir, &at);
	ck_assert_msg(!why, "%s\n%s", why, copy);
	return copy;
}

static const char *
flatten_text(const char *text)
{
	return flatten_all(text, false);
}

/* How many bindings of this operator. */
static int
count(const char *flan, const char *op)
{
	const char *word = arena_printf(arena, "= %s ", op);
	int n = 0;

	for (const char *p = flan; (p = strstr(p, word)); p++)
		n++;
	return n;
}

#define HEAD \
	"unit normal\ninput m : [[int]]\ninput v : [int]\ninput w : [float]\ncell it : int\ncell it_2 : [int]\n" \
	"cell it_3 : [[int]]\n"
#define ENTRY(cell, type, body) \
	"entry expr it = " cell " : " type " {\nm:[[int]] = cell m\nv:[int] = cell v\n" body "}\n"

START_TEST(sparse_mxv_is_the_walkthrough)
{
	static const char *const normal =
		"unit normal\n"
		"fun sparse_mxv(sm:[[(int, float)]], v:[float]) -> [float] {\n"
		"  r:[float] = foreach sm {\n"
		"    (row:[(int, float)])\n"
		"    p:[float] = foreach row {\n"
		"      (ix:(int, float))\n"
		"      i:int = fst ix\n"
		"      x:float = snd ix\n"
		"      e:float = elt v, i\n"
		"      m:float = mul x, e\n"
		"      yield m\n"
		"    }\n"
		"    s:float = sum p\n"
		"    yield s\n"
		"  }\n"
		"  yield r\n"
		"}\n"
		"input a : [[(int, float)]]\ninput b : [float]\ncell it : [float]\n"
		"entry expr it = it : [float] {\n"
		"  a:[[(int, float)]] = cell a\n  b:[float] = cell b\n"
		"  y:[float] = call sparse_mxv a, b\n  yield y\n}\n";
	static const char *const body =
		"fun sparse_mxv(sm:segdes, sm_2:<int>, sm_3:<float>, v:<float>) -> <float> {\n"
		"	e:int = length v\n"
		"	e_2:<bool> = in_range^ sm_2, e\n"
		"	check^ index-range e_2, sm_2, e | sm, 0\n"
		"	e_3:<float> = gather v, sm_2\n"
		"	m:<float> = mul^ sm_3, e_3\n"
		"	s:<float> = sum^ sm, m\n"
		"	yield s\n"
		"}\n";
	const char *flan = flatten_text(normal);

	ck_assert_msg(strstr(flan, body), "%s", flan);
}
END_TEST

/* {{v[i] + #v : i in row} : row in m}: v is never copied, neither per row nor per element. */
START_TEST(free_sequences_are_not_copied)
{
	const char *flan = flatten_text(HEAD ENTRY("it_3", "[[int]]",
		"r:[[int]] = foreach m {\n(row:[int])\n"
		"q:[int] = foreach row {\n(i:int)\ne:int = elt v, i\nn:int = length v\ns:int = add e, n\nyield s\n}\n"
		"yield q\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "dist"), 0);
	ck_assert_int_eq(count(flan, "dist^"), 0);
	ck_assert_int_eq(count(flan, "append"), 0);
	ck_assert_int_eq(count(flan, "gather"), 1);
}
END_TEST

/* {sum(row) + sum(v) : row in m}: sum(v) is computed once, at the host. */
START_TEST(invariants_are_computed_outside)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"r:[int] = foreach m {\n(row:[int])\n"
		"a:int = sum row\nb:int = sum v\nc:int = add a, b\nyield c\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "sum^"), 1);
	ck_assert_int_eq(count(flan, "sum"), 1);
	ck_assert_int_eq(count(flan, "dist"), 0);
}
END_TEST

/* {{x / #v : x in row} : row in m}: the check is of the host's value, and holds where there is no element. */
START_TEST(checks_outside_hold_only_for_what_is_inside)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"n:int = length v\n"
		"r:[int] = foreach v {\n(x:int)\nd:int = div 1, n\ny:int = add x, d\nyield y\n}\nyield r\n"));

	ck_assert_msg(strstr(flan, "= gt n, 0") && strstr(flan, "= not "), "%s", flan);
	ck_assert_msg(strstr(flan, "check div-by-zero"), "%s", flan);
	ck_assert_msg(!strstr(flan, "check^"), "%s", flan);
}
END_TEST

/* if x > 0 then sum([0:x]) else 0: the rows are split; no arm is guarded, as none costs anything for no rows. */
START_TEST(conditionals_split_and_combine)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"r:[int] = foreach v {\n(x:int)\nc:bool = gt x, 0\n"
		"y:int = if c {\ni:[int] = range 0, x, 1\nd:int = sum i\nyield d\n} {\nyield 0\n}\nyield y\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "split"), 1);
	ck_assert_int_eq(count(flan, "if"), 0);
	ck_assert_int_eq(count(flan, "combine"), 1);
}
END_TEST

/* if x > 9 then sum([0:x]) else if 5 / x > 1 then product([0:x]) else if x < y then max_val([0:x]) else x: one split of
 * four lists, one combination; 5 / x is checked where x > 9 is not. */
START_TEST(chains_are_split_once)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"y:int = length v\n"
		"r:[int] = foreach v {\n(x:int)\nc:bool = gt x, 9\n"
		"r1:int = if c {\na:[int] = range 0, x, 1\nb:int = sum a\nyield b\n} {\n"
		"d:int = div 5, x\ne:bool = gt d, 1\n"
		"r2:int = if e {\ng:[int] = range 0, x, 1\nh:int = product g\nyield h\n} {\n"
		"i:bool = lt x, y\n"
		"r3:int = if i {\nj:[int] = range 0, x, 1\nk:int = max_val j\nyield k\n} {\nyield x\n}\n"
		"yield r3\n}\nyield r2\n}\nyield r1\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "deal"), 1);
	ck_assert_int_eq(count(flan, "split"), 0);
	ck_assert_int_eq(count(flan, "combine"), 0);
	ck_assert_int_eq(count(flan, "if"), 0);
	ck_assert_int_eq(count(flan, "permute"), 1);
	ck_assert_msg(strstr(flan, "\td_2:<bool> = or^ d, c\n\tcheck^ div-by-zero d_2"), "%s", flan);
}
END_TEST

/* What the host decides, it decides by a branch; what is costly runs only for the rows that get there. */
START_TEST(chains_end_where_they_must)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"y:int = length v\nc:bool = gt y, 9\n"
		"r:[int] = foreach v {\n(x:int)\nb:bool = gt x, 9\n"
		"r1:int = if b {\na:[int] = range 0, x, 1\nd:int = sum a\nyield d\n} {\n"
		"r2:int = if c {\ng:[int] = range 0, x, 1\nh:int = product g\nyield h\n} {\n"
		"e:[int] = range 0, x, 1\nk:int = sum e\ni:bool = lt k, y\n"
		"r3:int = if i {\nl:[int] = range 0, k, 1\nj:int = max_val l\nyield j\n} {\nyield x\n}\n"
		"yield r3\n}\nyield r2\n}\nyield r1\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "deal"), 0);
	ck_assert_int_eq(count(flan, "split"), 2);
}
END_TEST

/* The `if` stands where the program's does, not where the last binding of its arms does. */
START_TEST(conditionals_keep_their_place)
{
	const char *flan = flatten_text(HEAD ENTRY("it", "int",
		"n:int = length v\t% p.nesl:1:1+2\nc:bool = gt n, 0\t% p.nesl:1:4+5\n"
		"y:int = if c {\t% p.nesl:2:1+9\ne:int = elt v, 0\t% p.nesl:3:1+4\nyield e\n} {\nyield 0\n}\nyield y\n"));

	ck_assert_msg(strstr(flan, "if c {\t% p.nesl:2:1+9"), "%s", flan);
}
END_TEST

START_TEST(conditionals_of_total_scalars_select)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"r:[int] = foreach v {\n(x:int)\nc:bool = gt x, 0\n"
		"y:int = if c {\nyield x\n} {\nd:int = neg x\nyield d\n}\nyield y\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "select^"), 1);
	ck_assert_int_eq(count(flan, "split"), 0);
}
END_TEST

/* f is called with x varying and v not: v is passed once, as it is. */
START_TEST(lifted_functions_keep_what_does_not_vary)
{
	const char *flan = flatten_text(HEAD
		"fun f(v:[int], i:int) -> int {\nr:[int] = range 0, i, 1\ns:int = sum r\ne:int = elt v, s\nyield e\n}\n"
		ENTRY("it_2", "[int]",
		"r:[int] = foreach v {\n(x:int)\ny:int = call f v, x\nyield y\n}\nyield r\n"));

	ck_assert_msg(strstr(flan, "fun f_lifted(n:int, v:<int>, i:<int>) -> <int>"), "%s", flan);
	ck_assert_int_eq(count(flan, "dist"), 0);
}
END_TEST

/* if x > 0 then v[x] else 1/x: a function of x, v and the condition, called for each element. */
static const char guarded[] = HEAD ENTRY("it_2", "[int]",
	"r:[int] = foreach v {\n(x:int)\nc:bool = gt x, 0\n"
	"y:int = if c {\ne:int = elt v, x\nyield e\n} {\nd:int = div 1, x\nyield d\n}\nyield y\n}\nyield r\n");

START_TEST(scalar_conditionals_stay_branches)
{
	const char *flan = flatten_text(guarded);

	ck_assert_msg(strstr(flan,
		"scalar fun y_if(c:bool, v:<int>, x:int) -> int {\n"
		"	e:int = if c {\n"
		"		e_2:int = length v\n"
		"		e_3:bool = in_range x, e_2\n"
		"		check index-range e_3, x, e_2\n"
		"		e_4:int = elem v, x\n"
		"		yield e_4\n"
		"	} {\n"
		"		d:bool = div_ok 1, x\n"
		"		check div-by-zero d\n"
		"		d_2:int = div 1, x\n"
		"		yield d_2\n"
		"	}\n"
		"	yield e\n"
		"}\n"), "%s", flan);
	ck_assert_msg(strstr(flan,
		"	r:int = length v\n"
		"	c:<bool> = gt^ v, 0\n"
		"	y:<int> = call^ y_if r, c, v, v | 0\n"), "%s", flan);
}
END_TEST

/* if x > 0 then v[x - 1] else x: both arms for all elements; what is not taken reads nothing, and its check holds. */
START_TEST(cheap_arms_are_both_computed)
{
	const char *flan = flatten_text(HEAD ENTRY("it_2", "[int]",
		"r:[int] = foreach v {\n(x:int)\nc:bool = gt x, 0\n"
		"y:int = if c {\ni:int = sub x, 1\ne:int = elt v, i\nyield e\n} {\nyield x\n}\nyield y\n}\nyield r\n"));

	ck_assert_msg(strstr(flan,
		"	c:<bool> = gt^ v, 0\n"
		"	i:<int> = sub^ v, 1\n"
		"	e:<bool> = in_range^ i, r\n"
		"	e_2:<bool> = not^ c\n"
		"	e_3:<bool> = or^ e, e_2\n"
		"	check^ index-range e_3, i, r | 0\n"
		"	e_4:<int> = select^ c, i, -1\n"
		"	e_5:<int> = gather v, e_4\n"), "%s", flan);
	ck_assert_int_eq(count(flan, "split"), 0);
	ck_assert_int_eq(count(flan, "call"), 0);
}
END_TEST

/* But not what is long. */
START_TEST(long_arms_stay_branches)
{
	char arm[4096] = "e_0:int = elt v, x\n", body[8192];

	for (int i = 0; i < 40; i++)
		sprintf(arm + strlen(arm), "e_%d:int = mul e_%d, x\n", i + 1, i);
	snprintf(body, sizeof body, HEAD ENTRY("it_2", "[int]", "r:[int] = foreach v {\n(x:int)\nc:bool = gt x, 0\n"
		"y:int = if c {\n%syield e_40\n} {\nyield x\n}\nyield y\n}\nyield r\n"), arm);
	ck_assert_int_eq(count(flatten_text(body), "call^ y_if"), 1);
}
END_TEST

START_TEST(what_does_not_avoid_splits)
{
	const char *flan = flatten_all(guarded, true);

	ck_assert_int_eq(count(flan, "split"), 1);
	ck_assert_int_eq(count(flan, "call"), 0);
	ck_assert_msg(!strstr(flan, "scalar"), "%s", flan);
}
END_TEST

/* Rows are starts and lengths; what is of the host is passed once; two results. */
START_TEST(scalar_functions_take_rows)
{
	const char *flan = flatten_text(HEAD
		"rec fun f(v:[int], n:int, k:int) -> (int, int) {\n"
		"i:int = length v\nc:bool = lt n, i\n"
		"r:(int, int) = if c {\nm:int = add n, k\ns:(int, int) = call f v, m, k\nyield s\n} {\n"
		"p:(int, int) = pair n, i\nyield p\n}\nyield r\n}\n"
		ENTRY("it_2", "[int]",
		"k:int = length v\nr:[int] = foreach m {\n(x:[int])\np:(int, int) = call f x, 0, k\ny:int = snd p\nyield y\n}\n"
		"yield r\n"));

	ck_assert_msg(strstr(flan, "rec scalar fun f(v:int, v_2:nat, v_3:<int>, n:int, k:int) -> int, int {\n"), "%s", flan);
	ck_assert_msg(strstr(flan,
		"	p:<int> = starts m\n"
		"	p_2:<int> = lengths m\n"
		"	p_3:<int>, p_4:<int> = call^ f r, p, p_2, m_2, 0, k | 0\n"
		"	yield p_4\n"), "%s", flan);
}
END_TEST

/* A row of v in any case, by a recursion and what only cuts. */
START_TEST(scalar_functions_give_rows)
{
	const char *flan = flatten_text(HEAD
		"fun cut(v:[int], n:int) -> [int] {\nl:int = length v\ns:[int] = subseq v, n, l\nyield s\n}\n"
		"rec fun f(v:[int], n:int) -> [int] {\n"
		"c:bool = lt n, 0\n"
		"r:[int] = if c {\ny:[int] = call cut v, n\nm:int = add n, n\ns:[int] = call f y, m\nyield s\n} {\n"
		"yield v\n}\nyield r\n}\n"
		ENTRY("it_2", "[int]",
		"r:[int] = foreach m {\n(x:[int])\ny:[int] = call f x, 0\nz:int = sum y\nyield z\n}\nyield r\n"));

	ck_assert_msg(strstr(flan, "rec scalar fun f(v:int, v_2:nat, v_3:<int>, n:int) -> int, int {\n"), "%s", flan);
	ck_assert_msg(strstr(flan, "\n\t\ty:int, y_2:nat = call cut v, v_2, v_3, n\n"), "%s", flan);
	ck_assert_msg(strstr(flan,
		"	y:<int> = starts m\n"
		"	y_2:<int> = lengths m\n"
		"	y_3:<int>, y_4:<nat> = call^ f r, y, y_2, m_2, 0 | 0\n"), "%s", flan);
}
END_TEST

/* Two sequences, by a conditional, by a recursion that swaps them; none, by one that never ends. */
START_TEST(rows_of_several_are_no_scalar_code)
{
	const char *flan = flatten_text(HEAD
		"fun g(v:[int], w:[int], c:bool) -> [int] {\nr:[int] = if c {\nyield v\n} {\nyield w\n}\nyield r\n}\n"
		"rec fun h(v:[int], w:[int], c:bool) -> [int] {\nr:[int] = if c {\nyield v\n} {\n"
		"s:[int] = call h w, v, c\nyield s\n}\nyield r\n}\n"
		"rec fun k(v:[int]) -> [int] {\nr:[int] = call k v\nyield r\n}\n"
		ENTRY("it_3", "[[int]]",
		"r:[[int]] = foreach m {\n(x:[int])\ny:[int] = call g x, v, true\nz:[int] = call h x, y, false\n"
		"w:[int] = call k z\nyield w\n}\nyield r\n"));

	ck_assert_msg(!strstr(flan, "scalar"), "%s", flan);
}
END_TEST

/* A function that makes a sequence, or calls what does, is none; nor is what only cuts one. */
START_TEST(scalar_functions_make_no_sequences)
{
	const char *flan = flatten_text(HEAD
		"fun f(n:int) -> int {\nr:[int] = range 0, n, 1\ns:int = sum r\nyield s\n}\n"
		"fun g(n:int) -> int {\ns:int = call f n\nyield s\n}\n"
		"fun h(v:[int]) -> [int] {\ns:[int] = subseq v, 0, 1\nyield s\n}\n"
		ENTRY("it_2", "[int]",
		"r:[int] = foreach m {\n(x:[int])\ny:[int] = call h x\na:int = elt y, 0\nb:int = call g a\nyield b\n}\n"
		"yield r\n"));

	ck_assert_msg(!strstr(flan, "scalar"), "%s", flan);
}
END_TEST

/* A recursive call in a context that may be empty is not made there. */
START_TEST(recursion_ends_in_an_empty_context)
{
	const char *flan = flatten_text(HEAD
		"rec fun q(n:int) -> int {\nr:[int] = range 0, n, 1\n"
		"t:[int] = foreach r {\n(k:int)\na:int = call q k\nyield a\n}\n"
		"s:int = sum t\nu:int = add s, 1\nyield u\n}\n"
		ENTRY("it", "int", "r:int = call q 3\nyield r\n"));
	const char *lifted = strstr(flan, "rec fun q_lifted(");

	ck_assert_msg(lifted, "%s", flan);
	ck_assert_int_ge(count(lifted, "if"), 1);
}
END_TEST

/* An arm returns its parameter's rows, the other makes new ones: a recursive result that is a view. */
START_TEST(recursive_results_settle)
{
	const char *flan = flatten_all(HEAD
		"rec fun g(a:[int]) -> [int] {\nn:int = length a\nc:bool = lt n, 2\n"
		"r:[int] = if c {\nyield a\n} {\nb:[int] = subseq a, 1, n\nd:[int] = call g b\nyield d\n}\nyield r\n}\n"
		ENTRY("it_3", "[[int]]",
		"r:[[int]] = foreach m {\n(row:[int])\ny:[int] = call g row\nyield y\n}\nyield r\n"), true);

	ck_assert_msg(strstr(flan, "g_lifted"), "%s", flan);
}
END_TEST

/* Has a function these parameters that is none for few rows? */
static bool
is_version(const char *flan, const char *params)
{
	for (const char *at = flan; (at = strstr(at, params)); at++) {
		const char *name = at;

		while (name > flan && name[-1] != ' ')
			name--;
		if (!strstr(arena_printf(arena, "%.*s", (int)(at - name), name), "_small"))
			return true;
	}
	return false;
}

/* The rows that a recursion begins with are dense, or one sequence of the host's for all of them, its own calls are of views: there is
 * one version, and the call from outside makes views.  Where its own calls are of dense rows too, that is the version. */
START_TEST(first_levels_are_no_versions)
{
#define DENSE "(n:int, a:segdes, a_2:<int>, i:<int>)"
#define VIEWS "(n:int, a:<int>, a_2:<nat>, a_3:<int>, i:<int>)"
	static const struct { const char *k, *part, *over, *call, *version, *none; } of[] = {
		{"elt a, i", "d:[int] = subseq a, k, n\n", "m {\n(row:[int])\n", "row, 0", VIEWS, "(n:int, a:segdes, a_2:<int>, i:int)"},
		{"add i, 1", "d:[int] = subseq a, k, n\n", "v {\n(x:int)\n", "v, x", VIEWS, "(n:int, a:<int>, i:<int>)"},
		{"elt a, i", "d:[int] = foreach a {\n(e:int)\nl:int = sub e, k\nyield l\n}\n", "m {\n(row:[int])\n", "row, 0",
			DENSE, VIEWS},
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const char *flan = flatten_all(arena_printf(arena, HEAD
			"rec fun g(a:[int], i:int) -> [int] {\nn:int = length a\nc:bool = lt n, 2\n"
			"r:[int] = if c {\nyield a\n} {\nk:int = %s\n%sb:[int] = call g d, k\nz:[int] = append b, a\nyield z\n}\n"
			"yield r\n}\n" ENTRY("it_3", "[[int]]", "r:[[int]] = foreach %sy:[int] = call g %s\nyield y\n}\nyield r\n"),
			of[i].k, of[i].part, of[i].over, of[i].call), true);

		ck_assert_msg(is_version(flan, of[i].version), "%zu: %.2000s", i, flan);
		ck_assert_msg(!is_version(flan, of[i].none), "%zu: %.2000s", i, flan);
	}
}
END_TEST

/* Nor at the host: m, whose rows are dense, and then rows of it. */
START_TEST(first_calls_are_no_versions)
{
	const char *flan = flatten_text(HEAD
		"rec fun g(a:[[int]], i:int) -> int {\nn:int = length a\nc:bool = lt n, 2\nr:int = if c {\nyield i\n} {\n"
		"o:[bool] = foreach a {\n(row:[int])\nk:int = length row\np:bool = gt k, i\nyield p\n}\n"
		"d:[[int]] = pack o, a\nb:int = call g d, n\nz:int = add b, 1\nyield z\n}\nyield r\n}\n"
		ENTRY("it", "int", "y:int = call g m, 0\nyield y\n"));

	ck_assert_int_eq(count(flan, "call g"), 2);
	ck_assert_msg(is_version(flan, "(a:<int>, a_2:<nat>, a_3:<int>, i:int)"), "%.2000s", flan);
	ck_assert_msg(!is_version(flan, "(a:segdes, a_2:<int>, i:int)"), "%.2000s", flan);
}
END_TEST

/* Tail calls: one loop; v, which none of them changes, is no state of it, and its rows' results are put in order once. */
START_TEST(tail_calls_are_one_loop)
{
	const char *flan = flatten_all(HEAD
		"rec fun f(v:[int], i:int, n:int) -> int {\nc:bool = le n, 0\n"
		"r:int = if c {\nyield i\n} {\nm:int = sub n, 1\nd:bool = gt n, i\n"
		"q:int = if d {\ne:int = elt v, i\nx:int = call f v, e, m\nyield x\n} {\nj:int = neg i\n"
		"y:int = call f v, j, m\nyield y\n}\nyield q\n}\nyield r\n}\n"
		ENTRY("it_2", "[int]",
		"r:[int] = foreach v {\n(x:int)\ny:int = call f v, x, x\nyield y\n}\nyield r\n"), true);

	ck_assert_msg(strstr(flan, "rec fun f_loop(n:int, left:int, v:<int>, origin:<int>, i:<int>, n_2:<int>, "
		"who:<int>, all:<int>) -> <int>, <int> {"), "%s", flan);
	ck_assert_int_eq(count(flan, "call"), 3);       /* of f, of the loop, of the next round */
	ck_assert_int_eq(count(flan, "permute"), 1);
	ck_assert_int_eq(count(flan, "extend"), 2);
}
END_TEST

/* A loop that puts elements into p: all rows of the entry are one vector, which each round writes, and no rows are made of those that are left; but
 * only if who writes is the last to see what was there. */
START_TEST(rows_that_a_loop_writes_over)
{
#define PUT(new, to) "s:[int] = seq i\nt:[int] = seq i\n" new ":[int] = put s, t, " to "\n"
#define GO(p) "j:int = sub i, 1\nx:[int] = call f " p ", q, j\nyield x\n"
	static const struct { const char *body; bool store; } of[] = {
		{PUT("a", "p") GO("a"), true},
		{"e:int = elt p, i\n" PUT("a", "p") "u:[int] = seq e, e\nb:[int] = put u, u, a\n" GO("b"), true},
		{"c:bool = elt fs, i\na:[int] = if c {\n" PUT("k", "p") "yield k\n} {\nyield p\n}\n" GO("a"), true},
		{"c:bool = elt fs, i\nd:([int], int) = if c {\n" PUT("k", "p") "l:([int], int) = pair k, i\nyield l\n} {\nl_2:([int], int) = pair p, 0\n"
		 "yield l_2\n}\na:[int] = fst d\n" GO("a"), true},
		{"c:bool = elt fs, i\nr_2:[int] = if c {\n" PUT("a", "p") GO("a") "} {\nj_2:int = neg i\nx_2:[int] = call f p, q, j_2\nyield x_2\n}\n"
		 "yield r_2\n", true},
		{"y:[int] = foreach q {\n(z:int)\ne:int = elt p, z\nyield e\n}\n" PUT("a", "p") "k:int = length p\nl:int = sum y\n" GO("a"), true},
		/* what is seen later may be seen before */
		{PUT("a", "p") "e:int = elt p, i\nu:[int] = seq e\nb_2:[int] = put u, u, a\n" GO("b_2"), true},
		/* functions, loops too, one of two results */
		{"a:[int] = call h p, i\n" GO("a"), true},
		{"a:[int] = call o p, i\ne:int = elt a, i\ny:[int] = seq e\nd:[int] = put y, y, a\n" GO("d"), true},
		{"d:([int], [int]) = call two p, q, i\na:[int] = fst d\n" GO("a"), true},
		/* what was there is seen when that is known; and what was cut out of it; in an apply-to-each; by a function; in what else is handed on */
		{PUT("a", "p") "k:int = elt a, i\ne:int = elt p, k\nu:[int] = seq e\nb_2:[int] = put u, u, a\n" GO("b_2"), false},
		{"h:[int] = subseq p, 0, i\n" PUT("a", "p") "k:int = sum a\ne:int = elt h, k\nu:[int] = seq e\nb_2:[int] = put u, u, a\n" GO("b_2"), false},
		{PUT("a", "p") "y:[int] = foreach a {\n(z:int)\ne:int = elt p, z\nyield e\n}\nb_2:[int] = put y, q, a\n" GO("b_2"), false},
		{"c:bool = elt fs, i\na:[int] = if c {\n" PUT("k", "p") "yield k\n} {\nyield p\n}\nl:int = sum a\ne:int = elt p, l\nu:[int] = seq e\n"
		 "b_2:[int] = put u, u, a\n" GO("b_2"), false},
		{"a:[int] = call h p, i\nl:int = sum a\ne:int = elt p, l\nu:[int] = seq e\nb_2:[int] = put u, u, a\n" GO("b_2"), false},
		{"d:([int], [int]) = call two p, p, i\na:[int] = fst d\n" GO("a"), false},
		{"d:([int], [int]) = call late p, i\na:[int] = fst d\n" GO("a"), false},
		{"d:([int], [int]) = call two p, q, i\na:[int] = fst d\nw:[int] = snd d\nj:int = sub i, 1\nx:[int] = call f a, w, j\nyield x\n", true},
		{"d:([int], [int]) = call two p, q, i\na:[int] = snd d\n" GO("a"), false},
		{PUT("a", "p") "j:int = sub i, 1\nx:[int] = call f a, a, j\nyield x\n", false},
		{PUT("a", "p") "j:int = sub i, 1\nx:[int] = call f q, a, j\nyield x\n", false},
		/* something else is handed on; elements before what is there */
		{"s:[int] = seq i\na:[int] = append s, p\n" GO("a"), false},
		{PUT("a", "p") "b_2:[int] = sort a\n" GO("b_2"), false},
		{PUT("a", "q") GO("a"), false},
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const char *flan = flatten_all(arena_printf(arena, HEAD "cell fs : [bool]\n"
			"fun h(a:[int], i:int) -> [int] {\n" PUT("b", "a") "yield b\n}\n"
			"fun two(a:[int], q:[int], i:int) -> ([int], [int]) {\n" PUT("b", "a") "k:[int] = put s, t, q\nd:([int], [int]) = pair b, k\nyield d\n}\n"
			"fun late(a:[int], i:int) -> ([int], [int]) {\n" PUT("b", "a") "d:([int], [int]) = pair b, a\nyield d\n}\n"
			"rec fun o(a:[int], i:int) -> [int] {\nc:bool = lt i, 3\nr:[int] = if c {\nyield a\n} {\n" PUT("b", "a")
			"j:int = div i, 2\nx:[int] = call o b, j\nyield x\n}\nyield r\n}\n"
			"rec fun f(p:[int], q:[int], i:int) -> [int] {\nfs:[bool] = cell fs\nd_2:bool = le i, 0\nr:[int] = if d_2 {\nyield p\n} {\n%s}\nyield r\n}\n"
			ENTRY("it_3", "[[int]]", "r:[[int]] = foreach m {\n(row:[int])\nn:int = length row\ny:[int] = call f row, v, n\nyield y\n}\nyield r\n"),
			of[i].body), true);
		const char *loop = strstr(flan, "fun f_loop("), *origin = loop ? strstr(loop, "origin:") : NULL, *p = loop ? strstr(loop, "p:segdes, p_2:<int>") : NULL;

		ck_assert_msg(origin && (p && p < origin) == of[i].store, "%zu: %s", i, flan);
		ck_assert_msg(!of[i].store || !strstr(loop, "p_3:"), "%zu: %s", i, flan);
	}
}
END_TEST

/* The text with this type for each @. */
static const char *
with_type(const char *text, const char *type)
{
	const char *all = "", *at;

	for (; (at = strchr(text, '@')); text = at + 1)
		all = arena_printf(arena, "%s%.*s%s", all, (int)(at - text), text, type);
	return arena_printf(arena, "%s%s", all, text);
}

/* Elements put behind it, too: then where each row is is state, and each row of the entry has its room; by a function; of pairs; but not by
 * another loop. */
START_TEST(rows_that_grow)
{
#define GROW(p) "j:int = sub i, 1\nx:@ = call f " p ", q, j\nyield x\n"
	static const struct { const char *p, *body; bool grows; } of[] = {
		{"[int]", "s:[int] = seq i\na:[int] = append p, s\n" GROW("a"), true},
		{"[int]", "c:bool = lt i, 3\na:[int] = if c {\ns:[int] = seq i\nk:[int] = append p, s\nyield k\n} {\nyield p\n}\n" GROW("a"), true},
		{"[int]", PUT("b", "p") "e:int = elt b, i\nu:[int] = seq e\na:[int] = append b, u\n" GROW("a"), true},
		{"[int]", "a:[int] = call push p, i\n" GROW("a"), true},
		{"[(int, int)]", "d:(int, int) = pair i, i\ns:[(int, int)] = seq d\na:[(int, int)] = append p, s\n" GROW("a"), true},
		{"[[int]]", "s:[[int]] = seq q\na:[[int]] = append p, s\n" GROW("a"), false},
		{"[int]", "s:[int] = seq i\na:[int] = append s, p\n" GROW("a"), false},
		{"[int]", "s:[int] = seq i\na:[int] = append p, s\nk:int = elt a, i\ne:int = elt p, k\nj_2:int = add e, i\nu:[int] = seq j_2\n"
			"b:[int] = append a, u\n" GROW("b"), false},
		{"[int]", "a:[int] = call more p, i\n" GROW("a"), false},
	};

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const char *flan = flatten_all(with_type(arena_printf(arena, HEAD "cell at : [@]\n"
			"fun push(a:[int], i:int) -> [int] {\ns:[int] = seq i\nb:[int] = append a, s\nyield b\n}\n"
			"rec fun more(a:[int], i:int) -> [int] {\nc:bool = lt i, 3\nr:[int] = if c {\nyield a\n} {\ns:[int] = seq i\nb:[int] = append a, s\n"
			"j:int = div i, 2\nx:[int] = call more b, j\nyield x\n}\nyield r\n}\n"
			"rec fun f(p:@, q:[int], i:int) -> @ {\nd_2:bool = le i, 0\nr:@ = if d_2 {\nyield p\n} {\n%s}\nyield r\n}\n"
			"entry expr at = at : [@] {\nm:[@] = cell at\nv:[int] = cell it_2\n"
			"r:[@] = foreach m {\n(row:@)\nn:int = length row\ny:@ = call f row, v, n\nyield y\n}\nyield r\n}\n", of[i].body), of[i].p), true);
		const char *loop = strstr(flan, "fun f_loop(");

		ck_assert_msg(loop && (strstr(loop, "room:<int>, origin:<int>, p:<int>, p_2:<nat>") != NULL) == of[i].grows, "%zu: %s", i, flan);
	}
}
END_TEST

#define HALVES(half) \
	"rec fun f(a:[int]) -> int {\nn:int = length a\nc:bool = eq n, 1\n" \
	"r:int = if c {\nx:int = elt a, 0\nyield x\n} {\nh:int = " half "\n" \
	"b:[int] = subseq a, 0, h\nd:[int] = subseq a, h, n\ns:[[int]] = seq b, d\n" \
	"t:[int] = foreach s {\n(p:[int])\ny:int = call f p\nyield y\n}\nz:int = sum t\nyield z\n}\nyield r\n}\n"
#define EACH_ROW \
	ENTRY("it_2", "[int]", "r:[int] = foreach m {\n(row:[int])\ny:int = call f row\nyield y\n}\nyield r\n")

/* The host looks whether the rows of m are of one length, and then at their halves, which it knows: the version for such rows
 * has their length as a number, by which it decides; the other splits them. */
START_TEST(rows_of_one_length_are_the_hosts)
{
	const char *flan = flatten_text(HEAD HALVES("rshift n, 1") EACH_ROW), *even;

	ck_assert_int_eq(count(flan, "min_val"), 1);
	ck_assert_int_eq(count(flan, "max_val"), 1);
	even = strstr(flan, "rec fun f_lifted(n:int, a:nat, a_2:<int>) -> <int> {");
	ck_assert_msg(even, "%s", flan);
	even = arena_printf(arena, "%.*s", (int)(strstr(even, "\n}") - even), even);
	ck_assert_int_eq(count(even, "split"), 0);
	ck_assert_int_eq(count(even, "eq"), 2);         /* 1; the halves */
	ck_assert_int_eq(count(even, "call"), 3);       /* these halves; others, few and many */
	ck_assert(count(flan, "split") > 0);
}
END_TEST

/* Nothing is looked at where it would be of no use: of elements nothing is known on the next level; where the function decides by
 * something else.  What is known beforehand is used all the same. */
START_TEST(rows_of_any_length_are_not_looked_at)
{
	const char *flan = flatten_text(HEAD HALVES("elt a, 0") EACH_ROW);

	ck_assert_int_eq(count(flan, "min_val"), 0);
	ck_assert(!strstr(flan, ":nat, "));
	flan = flatten_text(HEAD "rec fun f(a:[int]) -> [int] {\ns:int = sum a\nc:bool = lt s, 9\n"
		"r:[int] = if c {\nyield a\n} {\nb:[int] = foreach a {\n(x:int)\ny:int = sub x, 1\nyield y\n}\n"
		"d:[int] = call f b\ne:[int] = foreach d {\n(x_2:int)\nz:int = add x_2, 1\nyield z\n}\nyield e\n}\nyield r\n}\n"
		ENTRY("it_3", "[[int]]", "r:[[int]] = foreach m {\n(row:[int])\ny:[int] = call f row\nyield y\n}\nyield r\n"));
	ck_assert_int_eq(count(flan, "min_val"), 0);
}
END_TEST

/* A conditional by what is one for all rows is one of the host, whatever its arms are; but each row for itself where they are
 * scalar code. */
START_TEST(conditions_of_all_rows)
{
	const char *flan = flatten_text(HEAD
		ENTRY("it_2", "[int]", "r:[int] = foreach v {\n(x:int)\nd:[int] = seq x, x\nn:int = length d\nc:bool = lt n, 3\n"
			"q:int = if c {\ne:int = sum d\nyield e\n} {\nf:int = product d\nyield f\n}\nyield q\n}\nyield r\n"));

	ck_assert_int_eq(count(flan, "split"), 0);
	ck_assert_int_eq(count(flan, "if"), 1);
}
END_TEST

/* What becomes of rows, for what the condition asks, and what the arm does for d, v being a sequence of the host: not split where those
 * of the other arm have few elements, or all are gone through, and nothing but folds and scalar code is in the arms; otherwise, or where
 * what the arm does may fail, without elements where it is not taken. */
START_TEST(guarded_folds_are_for_all_rows)
{
	enum { AS_THEY_ARE, SPLIT, HIDDEN };
#define PLACES(of) "q:[int] = foreach " of " {\n(x:int)\ny:int = elt v, x\nyield y\n}\n"
	static const struct {
		const char *cond, *arm;
		int rows;
	} is[] = {
		{"c:bool = gt n, 0\n", "d:int = max_val row\n", AS_THEY_ARE},
		{"c:bool = lt 8, n\n", "d:int = max_val row\n", AS_THEY_ARE},
		{"c:bool = ne n, 3\n", "d:int = max_val row\n", AS_THEY_ARE},
		{"c:bool = ge n, 1\n", "s:int = sum row\ne:int = elt row, 0\nd:int = div s, e\n", AS_THEY_ARE},
		{"c:bool = gt n, 0\n", "q:[int] = foreach row {\n(x:int)\ny:int = mul x, x\nyield y\n}\nd:int = sum q\n", AS_THEY_ARE},
		{"c:bool = gt n, 0\n", "e:int = mul n, 2\nq:[int] = foreach row {\n(x:int)\nyield e\n}\nd:int = sum q\n", AS_THEY_ARE},
		{"c:bool = gt n, 0\n", "g:bool = gt n, 1\nd:int = if g {\ns:int = sum row\nyield s\n} {\ne:int = elt row, 0\nyield e\n}\n", AS_THEY_ARE},
		{"z:int = min_val row\nc:bool = gt z, 9\n", "d:int = max_val row\n", AS_THEY_ARE},
		{"q:[int] = foreach row {\n(x:int)\ny:int = mul x, x\nyield y\n}\nz:int = elt q, 0\nc:bool = gt z, 9\n", "d:int = max_val q\n", AS_THEY_ARE},
		{"z:int = elt row, 0\nc:bool = gt z, 9\n", "d:int = max_val row\n", HIDDEN},
		{"c:bool = gt n, 9\n", "d:int = max_val row\n", HIDDEN},
		{"c:bool = lt n, 1\n", "d:int = max_val row\n", HIDDEN},
		{"c:bool = eq n, 3\n", "d:int = max_val row\n", HIDDEN},
		{"c:bool = gt k, 0\n", "d:int = max_val row\n", HIDDEN},
		{"c:bool = gt n, 0\n", "q:[int] = range 0, n, 1\nd:int = sum q\n", SPLIT},
		{"c:bool = gt n, 1\n", "s:int = sum row\ne:int = div s, n\nq:[int] = foreach row {\n(x:int)\ny:int = sub x, e\nyield y\n}\nd:int = sum q\n", AS_THEY_ARE},
		{"c:bool = gt n, 0\n", "e:int = elt row, 0\nq:[int] = foreach row {\n(x:int)\ny:int = mul x, e\nyield y\n}\nd:int = sum q\n", AS_THEY_ARE},
		{"c:bool = gt n, 0\n", "g:bool = gt k, 1\nd:int = if g {\ns:int = sum row\nyield s\n} {\nyield 0\n}\n", HIDDEN},
		/* what may fail */
		{"c:bool = gt n, 0\n", PLACES("row") "d:int = sum q\n", AS_THEY_ARE},
		{"c:bool = ne 0, n\n", PLACES("row") "d:int = sum q\n", AS_THEY_ARE},
		{"c:bool = le 1, n\n", PLACES("row") "d:int = sum q\n", AS_THEY_ARE},
		{"c:bool = gt n, 1\n", PLACES("row") "d:int = sum q\n", HIDDEN},
		{"c:bool = le 0, n\n", PLACES("row") "d:int = sum q\n", AS_THEY_ARE},
		{"c:bool = ge n, 2\n", PLACES("row") "d:int = sum q\n", HIDDEN},
		{"c:bool = gt k, 0\n", PLACES("row") "d:int = sum q\n", HIDDEN},
		{"z:int = min_val row\nc:bool = gt z, 9\n", PLACES("row") "d:int = max_val q\n", HIDDEN},
		{"c:bool = gt n, 0\n", "g:bool = gt k, 1\nd:int = if g {\n" PLACES("row") "s:int = sum q\nyield s\n} {\nyield 0\n}\n", HIDDEN},
		{"c:bool = gt k, 0\n", "q:[int] = foreach row {\n(x:int)\ny:int = div x, k\nyield y\n}\nd:int = sum q\n", HIDDEN},
		{"c:bool = gt k, 0\n", "r2:[int] = elt m, k\n" PLACES("r2") "d:int = sum q\n", HIDDEN},
		{"c:bool = gt k, 0\n", "r2:[int] = subseq row, 0, k\n" PLACES("r2") "d:int = sum q\n", SPLIT},
		{"c:bool = gt k, 0\n", "e:int = elt v, n\n" PLACES("row") "s:int = sum q\nd:int = add s, e\n", HIDDEN},
		{"c:bool = gt k, 0\n", "r2:[int] = range 0, k, 1\n" PLACES("row") "d:int = sum q\n", SPLIT},
		{"c:bool = gt k, 0\n", PLACES("row") "s:int = sum q\ne:int = elt v, n\nd:int = add s, e\n", HIDDEN},
		{"c:bool = gt k, 0\n", PLACES("v") "d:int = sum q\n", SPLIT},
		{"c:bool = gt k, 0\n", PLACES("row") "w:[int] = plus_scan q\nd:int = elt w, 0\n", HIDDEN},
		{"c:bool = gt k, 0\n", "q:[[int]] = foreach row {\n(x:int)\ny:[int] = elt m, x\nyield y\n}\ns:[int] = elt q, 0\nd:int = length s\n", SPLIT},
	};
#undef PLACES

	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		const char *flan = flatten_text(arena_printf(arena, HEAD ENTRY("it_2", "[int]",
			"r:[int] = foreach m, v {\n(row:[int], k:int)\nn:int = length row\n%sb:int = if c {\n%syield d\n} {\nyield k\n}\n"
			"yield b\n}\nyield r\n"), is[i].cond, is[i].arm));
		const int rows = count(flan, "split") ? SPLIT : count(flan, "segdes") ? HIDDEN : AS_THEY_ARE;

		ck_assert_msg(rows == is[i].rows, "%d, %d: %s", (int)i, rows, flan);
	}
}
END_TEST

/* What an arm folds of elements that others have looked at is folded before the host asks, unless the arm does something else
 * with them, or wants to know how long that takes; so are both of two arms, also within. */
START_TEST(folds_of_arms_run_early)
{
	static const struct {
		const char *looks, *arm;
		bool early;
	} is[] = {
		{"r:[bool] = foreach c {\n(y:int)\ng:bool = gt y, 3\nyield g\n}\n", "a:int = max_val c\n", true},
		{"r:[bool] = foreach c {\n(y:int)\ng:bool = gt y, 3\nyield g\n}\n", "p:[int] = positions c\na:int = max_at c, p\n", true},
		{"r:[bool] = foreach c {\n(y:int)\ng:bool = gt y, 3\nyield g\n}\n",
			"h:bool = gt n, 9\na:int = if h {\nd:int = max_val c\nyield d\n} {\nyield 7\n}\n", true},
		{"r:[bool] = foreach c {\n(y:int)\ng:bool = gt y, 3\nyield g\n}\n", "d:int = max_val c\nz:int = elt c, 0\na:int = add z, d\n", false},
		{"r:[bool] = foreach c {\n(y:int)\ng:bool = gt y, 3\nyield g\n}\n",
			"t:float = clock\nd:int = max_val c\nu:float = clock d\ne:float = sub u, t\nf:int = trunc e\na:int = add d, f\n", false},
		{"r:[bool] = foreach v {\n(y:int)\ng:bool = gt y, 3\nyield g\n}\nl:int = length c\n", "a:int = max_val c\n", false},
	};

	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		const char *flan = flatten_text(arena_printf(arena, HEAD ENTRY("it", "int",
			"c:[int] = foreach v {\n(x:int)\nk:int = mul x, x\nyield k\n}\n%so:[int] = pack r, v\nn:int = length o\n"
			"b:bool = gt n, 5\nq:int = if b {\n%syield a\n} {\nyield 0\n}\nyield q\n"), is[i].looks, is[i].arm));
		const char *cond = strstr(flan, "= if "), *fold = strstr(flan, "= max_");

		ck_assert(cond && fold);
		ck_assert_msg((fold < cond) == is[i].early, "%s", flan);
	}
}
END_TEST

/* Of a sequence of pairs only the column in use is gathered. */
START_TEST(unused_columns_vanish)
{
	const char *flan = flatten_text(
		"unit normal\ninput p : [(int, float)]\ninput b : [bool]\ncell it : [int]\n"
		"entry expr it = it : [int] {\np:[(int, float)] = cell p\nb:[bool] = cell b\n"
		"q:[(int, float)] = pack b, p\n"
		"r:[int] = foreach q {\n(x:(int, float))\ni:int = fst x\nyield i\n}\nyield r\n}\n");

	ck_assert_int_eq(count(flan, "gather"), 1);
}
END_TEST

/* Nothing is shared across a clock, nor moves to its other side, whatever it depends on; its value is there. */
START_TEST(clocks_fence)
{
	const char *flan = flatten_text(HEAD
		ENTRY("it", "int",
		"a:int = sum v\nt:float = clock\nb:int = sum v\nd:int = sum v\nu:float = clock b\nc:int = sum v\n"
		"s:float = sub u, t\ni:int = trunc s\nr:int = add a, b\nq:int = add r, c\nz:int = add q, d\n"
		"y:int = add z, i\nyield y\n"));

	ck_assert_int_eq(count(flan, "sum"), 3);
	ck_assert_msg(strstr(flan,
		"\ta:int = sum v\n\tt:float = clock\n\tb:int = sum v\n\tu:float = clock b\n\tc:int = sum v\n"), "%s", flan);
	flan = flatten_text(HEAD
		ENTRY("it_2", "[int]",
		"r:[float] = foreach m {\n(row:[int])\nt:float = clock\na:[int] = subseq v, 0, 1\nu:float = clock a, row\n"
		"s:float = sub u, t\nyield s\n}\nx:[int] = foreach r {\n(y:float)\nz:int = trunc y\nyield z\n}\nyield x\n"));
	ck_assert_msg(strstr(flan, "\tt:float = clock\n\ta:"), "%s", flan);
	ck_assert_msg(strstr(flan, "\ts:float = sub u, t\n"), "%s", flan);
	ck_assert_int_eq(count(flan, "dist"), 1);
}
END_TEST

/* Seconds that nobody asks for are not taken. */
START_TEST(idle_clocks_vanish)
{
	const char *flan = flatten_text(HEAD
		ENTRY("it", "int", "t:float = clock\na:int = sum v\nu:float = clock a\ns:float = sub u, t\nyield a\n"));

	ck_assert_msg(!strstr(flan, "clock"), "%s", flan);
}
END_TEST

/* What says that another function does for all rows what it does for one is called for none of them; nor does what its other
 * parameters are matter. */
START_TEST(rows_are_done_together)
{
	const char *flan = flatten_text(HEAD
		"rec fun f(v:[int], k:int) -> [int] rows g {\nd:int = sub k, 1\nr:[int] = call f v, d\nyield r\n}\n"
		"rec fun g(vs:[[int]]) -> [[int]] {\nr:[[int]] = call g vs\nyield r\n}\n"
		ENTRY("it_3", "[[int]]", "r:[[int]] = foreach m {\n(row:[int])\nn:int = length row\nq:[int] = call f row, n\n"
			"p:[int] = plus_scan q\nyield p\n}\nyield r\n")
		ENTRY("it_2", "[int]", "r:[int] = call f v, 7\nyield r\n"));

	ck_assert_int_eq(count(flan, "call^"), 0);
	ck_assert_int_eq(count(flan, "call g"), 2);
	ck_assert_int_eq(count(flan, "call f"), 2);
	ck_assert_int_eq(count(flan, "plus_scan^"), 1);
	ck_assert_msg(strstr(flan, "rec fun g(vs:segdes, vs_2:<int>) ->"), "%s", flan);
}
END_TEST

Suite *
flatten_suite(void)
{
	const TTest *const tests[] = {
		sparse_mxv_is_the_walkthrough, free_sequences_are_not_copied, invariants_are_computed_outside,
		checks_outside_hold_only_for_what_is_inside, conditionals_split_and_combine,
		chains_are_split_once, chains_end_where_they_must, conditionals_keep_their_place,
		scalar_conditionals_stay_branches, cheap_arms_are_both_computed, long_arms_stay_branches, what_does_not_avoid_splits, scalar_functions_take_rows,
		scalar_functions_make_no_sequences, scalar_functions_give_rows, rows_of_several_are_no_scalar_code,
		conditionals_of_total_scalars_select, lifted_functions_keep_what_does_not_vary,
		recursion_ends_in_an_empty_context, recursive_results_settle, first_levels_are_no_versions, first_calls_are_no_versions, tail_calls_are_one_loop, rows_that_a_loop_writes_over, rows_that_grow,
		rows_of_one_length_are_the_hosts, rows_of_any_length_are_not_looked_at, conditions_of_all_rows, unused_columns_vanish,
		guarded_folds_are_for_all_rows, folds_of_arms_run_early, clocks_fence, idle_clocks_vanish, rows_are_done_together,
	};
	Suite *s = suite_create("flatten");
	TCase *c = tcase_create("flatten");

	tcase_add_checked_fixture(c, set_up, tear_down);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	return s;
}

/* check_parse.c: text -> tree, messages, and the tree as text again. */
#include "frontend/syntax.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

Suite *parse_suite(void);

static Arena *arena;
static Unit unit;
static char *messages;

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

/* Parse n bytes of text into `unit`; what is said goes to `messages`. */
static Form *
parse_n(const char *text, size_t n, bool basis)
{
	static Source src;
	char *buffer = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&buffer, &size);

	src = (Source){.name = "a.nesl", .text = text, .n = n, .basis = basis};
	unit = (Unit){.arena = arena, .names = names_new(arena), .diag = diag_new(arena, out)};
	unit.sources = &src;
	parse(&unit);
	fclose(out);
	messages = arena_strndup(arena, buffer, size);
	free(buffer);
	return unit.forms;
}

static Form *
parse_text(const char *text)
{
	return parse_n(text, strlen(text), false);
}

static char *
printed(void)
{
	char *buffer = NULL, *copy;
	size_t size = 0;
	FILE *out = open_memstream(&buffer, &size);

	syntax_print(&unit, out);
	fclose(out);
	copy = arena_strndup(arena, buffer, size);
	free(buffer);
	return copy;
}

/* The tree with all its brackets: application is (f arg), a pair (, a b). */
static const char *
shape(const Expr *e)
{
	switch (e->kind) {
	case EXPR_INT: return arena_printf(arena, "%lld", (long long)e->u.i);
	case EXPR_FLOAT: return arena_printf(arena, "%g", e->u.f);
	case EXPR_BOOL: return e->u.i ? "T" : "F";
	case EXPR_CHAR: return arena_printf(arena, "`%c", (int)e->u.i);
	case EXPR_STRING: return arena_printf(arena, "\"%.*s\"", e->u.string.n, e->u.string.at);
	case EXPR_VAR: return e->u.var.name;
	case EXPR_APPLY:
		return arena_printf(arena, "(%s %s)", shape(e->u.apply.fn), shape(e->u.apply.arg));
	case EXPR_PAIR:
		return arena_printf(arena, "(, %s %s)", shape(e->u.pair.a), shape(e->u.pair.b));
	case EXPR_LET:
		return arena_printf(arena, "(let %s %s %s)", e->u.let.pat->name ? e->u.let.pat->name : "()",
			shape(e->u.let.value), shape(e->u.let.body));
	case EXPR_IF:
		return arena_printf(arena, "(if %s %s %s)", shape(e->u.branch.cond),
			shape(e->u.branch.then), shape(e->u.branch.orelse));
	case EXPR_KEYWORD: return arena_printf(arena, "(%s := %s)", e->u.keyword.name, shape(e->u.keyword.value));
	case EXPR_LAMBDA:
		return arena_printf(arena, "(%s => %s)", e->u.lambda.pat->name ? e->u.lambda.pat->name : "()",
			shape(e->u.lambda.body));
	case EXPR_FOREACH:
		return arena_printf(arena, "{%s : %s%s%s}", shape(e->u.foreach.body),
			shape(e->u.foreach.gens->source), e->u.foreach.filter ? " | " : "",
			e->u.foreach.filter ? shape(e->u.foreach.filter) : "");
	case EXPR_SEQ: return arena_printf(arena, "[%d items]", e->u.seq.n);
	case EXPR_EMPTY: return "[]";
	case EXPR_RANGE:
		return arena_printf(arena, "[%s : %s]", shape(e->u.range.from), shape(e->u.range.to));
	case EXPR_PRIM:
		return expr_is_time(e) ? arena_printf(arena, "[time %s]", shape(e->u.prim.arg[0]))
			: arena_printf(arena, "prim %s/%d", e->u.prim.op, e->u.prim.n);
	case EXPR_TYPECASE: return "typecase";
	}
	return "?";
}

static const struct { const char *text, *shape; } row[] = {
	/* the table, row against row */
	{"sqrt 16.0 + 9.0", "(+ (, (sqrt 16) 9))"}, {"g x y", "((g x) y)"}, {"g(x)(y)", "((g x) y)"},
	{"g [1]", "(elt (, g 1))"}, {"g a[i]", "(elt (, (g a) i))"}, {"g {x}", "(g {x : x})"},
	{"-2 ^ 2", "(^ (, (negate 2) 2))"}, {"#m[0]", "(# (elt (, m 0)))"},
	{"-[5,6][0]", "(negate (elt (, [2 items] 0)))"}, {"2 - -3", "(- (, 2 (negate 3)))"},
	{"-#x", "(negate (# x))"}, {"@3 ++ y", "(++ (, (@ 3) y))"}, {"#a -> b", "(-> (, (# a) b))"},
	{"a -> b -> c", "(-> (, a (-> (, b c))))"}, {"d <- p <- q", "(<- (, (<- (, d p)) q))"},
	{"d <- p -> q", "(<- (, d (-> (, p q))))"}, {"a <- p ^ b", "(^ (, (<- (, a p)) b))"},
	{"2 ^ 3 ^ 2", "(^ (, (^ (, 2 3)) 2))"}, {"2 * 3 ^ 2", "(* (, 2 (^ (, 3 2))))"},
	{"a / b * c", "(* (, (/ (, a b)) c))"}, {"a || 4 ++ b || 3", "(++ (, (|| (, a 4)) (|| (, b 3))))"},
	{"a - b + c", "(+ (, (- (, a b)) c))"}, {"a + b ++ c", "(++ (, (+ (, a b)) c))"},
	{"a + b == c", "(== (, (+ (, a b)) c))"}, {"a == b < c", "(< (, (== (, a b)) c))"},
	{"a /= b", "(/= (, a b))"}, {"a <= b", "(<= (, a b))"}, {"a >= b", "(>= (, a b))"},
	{"a > b", "(> (, a b))"},
	{"a < b and c", "(and (, (< (, a b)) c))"}, {"a and b nand c", "(nand (, (and (, a b)) c))"},
	{"a or b and c", "(or (, a (and (, b c))))"}, {"a or b nor c XOR d", "(xor (, (nor (, (or (, a b)) c)) d))"},
	{"a, b + c, d", "(, a (, (+ (, b c)) d))"}, {"(a, b), c", "(, (, a b) c)"},
	{"if t then 1 else 2, 3", "(if T 1 (, 2 3))"}, {"if f then 1, 2 else 3", "(if F (, 1 2) 3)"},
	{"let a = 3 in a, 5", "(let a 3 (, a 5))"}, {"let a = 1, 2; b = 3; in b", "(let a (, 1 2) (let b 3 b))"},
	{"g(if c then a else b, n)", "(g (if c a (, b n)))"}, {"not 1 == 2", "(== (, (not 1) 2))"},
	{"[if t then 1 else 2, 3]", "[1 items]"}, {"[1, 2, 3]", "[3 items]"},
	{"[1 + 1 : 2 * 5 : 3]", "[(+ (, 1 1)) : (* (, 2 5))]"}, {"[] (int, [float])", "[]"},
	{"{1, x : x in a, b | p}", "{(, 1 x) : (, a b) | p}"}, {"{x in e | x > 1}", "{x : e | (> (, x 1))}"},
	{"{* (a, b) in e}", "{(, a b) : e}"}, {"{x : x in let y = 1; z = 2 in z; w}", "{x : (let y 1 (let z 2 z))}"},
	{"x => y => x + y", "(x => (y => (+ (, x y))))"}, {"g(x => x, 1)", "(g (, (x => x) 1))"},
	{"(a, b) => if t then a else b, 2", "(() => (if T a (, b 2)))"}, {"[x => 1, 2]", "[2 items]"},
	{"(x => x)(3)", "((x => x) 3)"}, {"g(1, b := 2, c := x => x)", "(g (, 1 (, (b := 2) (c := (x => x)))))"}, {"[] int -> v", "(-> (, [] v))"},
	{"time(1, 2)", "[time (, 1 2)]"}, {"Time x", "[time x]"}, {"time(a) + b", "(+ (, [time a] b))"},
	{"time(time(3))[0]", "(elt (, [time [time 3]] 0))"}, {"g(time(3))", "(g [time 3])"}, {"-time(3)", "(negate [time 3])"},
	/* tokens */
	{"007", "7"}, {"18446744073709551617", "1"}, {".5", "0.5"}, {"2.", "2"}, {"5.e2", "500"},
	{"2.5E+2", "250"}, {"1.5.5", "(1.5 0.5)"}, {"T", "T"}, {"F", "F"}, {"`%", "`%"}, {"``", "``"},
	{"\"a\\\"%\\\\;\"", "\"a\"%\\;\""}, {"MyVar", "myvar"}, {"_a1", "_a1"}, {"LET X = 1 In x", "(let x 1 x)"},
	{"1 % a \"comment; % + % b\n % 2", "(+ (, 1 2))"}, {"prim", "prim"}, {"typecase", "typecase"},
	{"a<-b", "(<- (, a b))"}, {"a< -b", "(< (, a (negate b)))"}, {"(get(1))", "(get 1)"},
};

START_TEST(shapes)
{
	const Form *f = parse_text(row[_i].text);

	ck_assert_str_eq(messages, "");
	ck_assert_ptr_null(f->next);
	ck_assert_str_eq(shape(f->body), row[_i].shape);
}
END_TEST

START_TEST(printing_and_reading_gives_the_same_tree)
{
	const char *before = shape(parse_text(row[_i].text)->body), *text = printed();

	ck_assert_str_eq(shape(parse_text(text)->body), before);
	ck_assert_str_eq(messages, "");
}
END_TEST

#define NO_TIME "`time` is no function: it is written `time(e)`, which gives the value of e and the seconds it took"
static const struct { const char *text, *place, *says; } wrong[] = {
	{"if t 1;", "1:7", "`then` is missing: found `;` instead"},
	{"if a then b;", "1:12", "`else` is missing: found `;` instead"},
	{"let x = in 3", "1:9", "found `in` where an expression should start"},
	{"let x = 1; y = 2", "1:17", "`in` is missing: found the end of the input instead; a `let` goes on with `in`, behind its last binding; "
		"at the top level `x = 3` needs no `let`"},
	{"let x 3 in x", "1:9", "`=` is missing: found `in` instead; `let` binds names, as in `let x = 3 in x + 1`"},
	{"let in 3", "1:5", "found `in` where an expression should start"},
	{"let a = 1;; a", "1:11", "found `;` where a binding or `in` should come"},
	{"1 +;", "1:4", "found `;` where an expression should start"},
	{"f(1;", "1:4", "`)` is missing: found `;` instead"},
	{"[1, 2;", "1:6", "`]` is missing: found `;` instead"},
	{"{x : x in a", "1:12", "`}` is missing: found the end of the input instead"},
	{"{x : x in a | x > 1;};", "1:20", "`}` is missing: found `;` instead"},
	{"(1, 2", "1:6", "`)` is missing: found the end of the input instead"},
	{"a = 1 in a;", "1:7", "found `in` where an operator or `;` should come"},
	{"[];", "1:3", "found `;` where the type of the elements should come; "
		"an empty sequence is written like `[] int`"},
	{"if 1 = 1 then 2 else 3;", "1:6", "`then` is missing: found `=` instead; "
		"`=` only binds names, equality is `==`"},
	{"let x == 1 in x;", "1:12", "`=` is missing: found `in` instead; `let` binds names, as in `let x = 3 in x + 1`"},
	{"let x = 1, y = 2 in x;", "1:14", "`in` is missing: found `=` instead; "
		"the bindings of `let` are separated by `;`"},
	{"{x + y : x in a, y in b};", "1:20", "`}` is missing: found `in` instead; "
		"what an apply-to-each binds is separated by `;`"},
	{"{x in a : x};", "1:9", "`}` is missing: found `:` instead; "
		"in an apply-to-each the body comes first: `{body : x in xs}`"},
	{"function g(x:int) = x;", "1:13", "`)` is missing: found `:` instead; "
		"the types of a function come behind its parameters: `(x) : int -> int`"},
	{"{(x : x in a};", "1:5", "`)` is missing: found `:` instead"},
	{"g(x) + 1 = x;", "1:1", "a pattern should come here: a name, or names in a tuple"},
	{"g(x) +\n 1 = x;", "1:1", "a pattern should come here: a name, or names in a tuple"},
	{"1 + 2\nx = 3;", "2:1", "is `;` missing before this line?  With what comes before it is no pattern"},
	{"y, sum(v)\n(c, d) = 4;", "2:1", "is `;` missing before this line?  With what comes before it is no pattern"},
	{"datatype x;", "1:11", "found `;` where a type should start"},
	{"datatype 3(int);", "1:10", "found `3` where a name should come"},
	{"`a + 'b';", "1:6", "`'` has no meaning here; a character is written with one back-quote before it, a string with \" around it"},
	{"let p = (1, 2) in p.x;", "1:20", "`.` has no meaning here; a pattern names the parts of a tuple or record: `let (x, y) = p in x`"},
	{"let x = 5; x + 1;", "1:17", "`=` is missing: found `;` instead; a `let` goes on with `in`, behind its last binding; at the top level `x = 3` needs no `let`"},
	{"let x = 5;", "1:11", "found the end of the input where a binding or `in` should come; "
		"a `let` goes on with `in`, behind its last binding; at the top level `x = 3` needs no `let`"},
	{"function 1.5(x) = x;", "1:10", "found `1.5` where the name of a function should come"},
	{"function \"+\"(x) = x;", "1:10", "the name of a function should come here, not a string"},
	{"function g() = 3;", "1:12", "found `)` where an expression should start; a function has one argument at least"},
	{"1 + if t then 1 else 2;", "1:5", "found `if` where an expression should start; between operators it stands in parentheses"},
	{"x = 3\ny = 4;", "2:3", "found `=` where an operator or `;` should come; a form ends with `;`, equality is `==`"},
	{"x = 3\nfunction g(x) = x;", "2:1", "found `function` where an operator or `;` should come; is `;` missing before this form?"},
	{"[x * 2 : x in v];", "1:12", "`]` is missing: found `in` instead; an apply-to-each is written in braces: `{body : x in xs}`"},
	{"function g = 3;", "1:12", "found `=` where the parameter of a function should come"},
	{"function g(x) : int = 3;", "1:21", "`->` is missing: found `=` instead; "
		"the type of a function is written `int -> int`"},
	{"{\"b\", \"a\"};", "1:2", "`pattern in sequence` or a single name should come here: `{body : x in xs | filter}`; items of a sequence stand "
		"in brackets: `[1, 2, 3]`"},
	{"{};", "1:2", "found `}` where an expression should start; an empty sequence is `[]` and the type of its elements: `[] int`"},
	{"{sum(x)};", "1:2", "`pattern in sequence` or a single name should come here: `{body : x in xs | filter}`"},
	{"3 % open", "1:3", "this comment has no closing `%` (a remainder is `rem(x, y)`)"},
	{"3, \"open", "1:4", "this string has no closing `\"`"},
	{"1x;", "1:1", "this is neither a number nor a name"},
	{"1e400;", "1:1", "this number does not fit a float"},
	{"a ! b;", "1:3", "`!` has no meaning here; not equal is `/=`, not true is `not`"},
	{"\xc3\xa9;", "1:1", "the byte 0xc3 has no meaning here: names are made of letters, digits and `_`"},
	{"g(x) + 1 => x;", "1:1", "a pattern should come here: a name, or names in a tuple"},
	{"x => ;", "1:6", "found `;` where an expression should start"},
	{"function g(x) : (int -> ) -> int = 3;", "1:25", "found `)` where a type should start"},
	{"function g(a := 1) = a;", "1:12", "a function needs a parameter without a default in front"},
	{"function g(a, b := 1, c) = a;", "1:15", "`:=` gives a default to one of the last parameters of a function, "
		"behind those that have none"},
	{"function g(a, b := 1) : int -> int;", "1:15", "a default is given in the definition of a function, "
		"not in a declaration"},
	{"g(1, 2 := 3);", "1:8", "in front of `:=` should stand the name of a parameter"},
	{"time;", "1:1", NO_TIME}, {"time(time);", "1:6", NO_TIME}, {"map(time, v);", "1:5", NO_TIME},
	{"time(1) + time - 2;", "1:11", NO_TIME}, {"(time)(3);", "1:2", NO_TIME},
	{"pair(1, 2) + time(3);", "1:1", "`pair` is not part of nessie"},
	{"time(pair);", "1:6", "`pair` is not part of nessie"},
	{"time(x) = 3;", "1:1", "a pattern should come here: a name, or names in a tuple"},
	{"set colour 3;", "1:5", "`set` is followed by one of: print_length, trace, profile, arg_check, verbose, memory_size"},
	{"show;", "1:1", "`show` is followed by one of: code, status"},
	{"set print_length 0;", "1:18", "a number from 1 should come here: the command is `set print_length N`"},
	{"set print_length x;", "1:18", "a number from 1 should come here: the command is `set print_length N`"},
	{"set trace g;", "1:11", "a level from 0 to 4 should come here: the command is `set trace NAME LEVEL`"},
	{"set profile g 1;", "1:15", "`on` or `off` should come here: the command is `set profile NAME on|off`"},
	{"load x;", "1:6", "a string should come here: the command is `load \"FILE\" [, print := t]`"},
	{"load \"x\", loud := t;", "1:9", "`, verbose := t` or `, print := t` may come here: the command is "
		"`load \"FILE\" [, print := t]`"},
	{"describe;", "1:1", "a name should come here: the command is `describe NAME`"},
	{"help();", "1:5", "a command is no function: it is written `help`; a function of that name is called in parentheses, `(help(..))`"},
	{"load(\"x.nesl\");", "1:5", "a command is no function: it is written `load \"FILE\" [, print := t]`; "
		"a function of that name is called in parentheses, `(load(..))`"},
	{"set print_length(3);", "1:17", "a command is no function: it is written `set print_length N`"},
	{"show(status);", "1:5", "`show` is followed by one of: code, status; a command is no function"},
	{"load x.nesl;", "1:6", "a string should come here: the command is `load \"FILE\" [, print := t]`"},
	{"load 'x';", "1:6", "`'` has no meaning here; a character is written with one back-quote before it, a string with \" around it"},
	{"load \"x;", "1:6", "this string has no closing `\"`"},
	{"help me;", "1:6", "nothing more should come here: the command is `help`"},
	{"describe \"open;", "1:10", "this string has no closing `\"`"},
	{"get([1, 2], [0]);", "1:1", "the command `get` is not part of nessie: there are no background runs to get a value "
		"from; a function of that name is called in parentheses, `(get(..))`"},
	{"edit(1, 2);", "1:1", "the command `edit` is not part of nessie: there is no editor here: edit the file and load it; a function of that name is "
		"called in parentheses, `(edit(..))`"},
	{"get x;", "1:1", "the command `get` is not part of nessie: there are no background runs to get a value from"},
	{"lisp;", "1:1", "the command `lisp` is not part of nessie: there is no Lisp below"},
	{"show bugs;", "1:1", "the command `show bugs` is not part of nessie: there is no such list here"},
	{"v &= 3;", "1:3", "a background run (`&=`) is not part of nessie"},
	{"defconfig x;", "1:1", "`defconfig` is not part of nessie"},
	{"{x * x : x in [1]", "1:18", "`}` is missing: found the end of the input instead"},
	{"{x + 1", "1:7", "`}` is missing: found the end of the input instead"},
	{"{x;", "1:4", "`}` is missing: found the end of the input instead"},
	{"{x;\n1 + 1;", "1:3", "`}` is missing: found `;` instead"},
	{"{x in v;\nfunction g(x) = x;", "2:1", "`}` is missing: found `function` instead"},
	{"{x;\n y + 1 : x in b};", "2:2", "`pattern in sequence` or a single name should come here: `{body : x in xs | filter}`"},
	{"let x = 5", "1:10", "`in` is missing: found the end of the input instead; a `let` goes on with `in`, behind its last binding; "
		"at the top level `x = 3` needs no `let`"},
	{"let function g(x) = x in g(3);", "1:5", "found `function` where an expression should start; a function is defined outside of "
		"expressions; here `g = x => x + 1` binds one"},
	{"function g(v) = let\n function h(x) = x;\n y = 3\n in {h(x) : x in v};", "2:2", "found `function` where an expression should start; "
		"a function is defined outside of expressions; here `g = x => x + 1` binds one"},
	{"function g x y = x;", "1:14", "`=` is missing: found `y` instead; a function is defined by `function g(x, y) = x + y`"},
	{"v[0:2];", "1:4", "`]` is missing: found `:` instead; a part of a sequence is `subseq(v, from, to)`"},
	{"v[0] = 5;", "1:1", "a pattern should come here: a name, or names in a tuple; no element is changed: `rep(v, x, i)` is v with x "
		"at position i"},
	{"[0..10];", "1:2", "`..` has no meaning here; the numbers from a up to below b are `[a:b]`"},
	{"a ? b : c;", "1:3", "`?` has no meaning here; a choice is written `if c then x else y`"},
	{"x : int = 3;", "1:3", "found `:` where an operator or `;` should come; only a function is given a type, as in "
		"`function g(x) : int -> int = x`"},
	{"1 :: [2];", "1:3", "found `::` where an operator or `;` should come; x in front of v is `cons(x, v)`"},
	{"function g(x, y = 3) = x;", "1:17", "`)` is missing: found `=` instead; a default is written `y := 3`"},
	{"[1, 2,];", "1:7", "found `]` where an expression should start; behind the last one stands no `,`"},
	{"xor(t, f);", "1:1", "found `xor` where an expression should start; it stands between its operands: `a xor b`"},
	{"map(+, v);", "1:5", "found `+` where an expression should start; an operator is no value: as a function it is `(x, y) => x + y`"},
	{"{x : x in v if x > 1};", "1:13", "`}` is missing: found `if` instead; a condition stands behind `|`: `{body : x in xs | condition}`"},
	{"{if x > 1 then x : x in v};", "1:18", "`else` is missing: found `:` instead; an `if` has two branches; what fits a condition is "
		"`{x in xs | condition}`"},
	{"{x | x in v; y};", "1:8", "`}` is missing: found `in` instead; behind `|` stands a condition: `{body : x in xs | condition}`"},
	{"{x : x in v, y in w};", "1:16", "`}` is missing: found `in` instead; what an apply-to-each binds is separated by `;`"},
	{"{y = 3; y};", "1:4", "`}` is missing: found `=` instead; `=` binds names in `let y = 3 in y + 1`, equality is `==`"},
	{"2 ** 3;", "1:4", "found `*` where an expression should start; x to an int power is `x ^ n`, to any other `expt(x, y)`"},
	{"7 // 2;", "1:4", "found `/` where an expression should start; ints are divided by `/`, and a comment stands between two `%`"},
	{"/* a */ 3;", "1:1", "found `/` where an expression should start; a comment stands between two `%`"},
	{"x += 1;", "1:4", "found `=` where an expression should start; a variable is given a new value by `x = x + 1`"},
	{"3 <> 4;", "1:4", "found `>` where an expression should start; not equal is `/=`"},
	{"/ 2;", "1:1", "found `/` where an expression should start"},
};

START_TEST(syntax_errors)
{
	const Form *f = parse_text(wrong[_i].text);
	const char *first = arena_printf(arena, "a.nesl:%s: error[syntax]: %s\n", wrong[_i].place,
		wrong[_i].says);

	ck_assert_int_eq(f->kind, FORM_BAD);
	ck_assert_int_eq(diag_errors(unit.diag), 1);
	ck_assert_str_eq(arena_strndup(arena, messages, strcspn(messages, "\n") + 1), first);
}
END_TEST

/* Whose names begin commands, too: `c` is a form that is one, `.` another. */
START_TEST(names_that_begin_commands)
{
	static const struct { const char *text, *kinds; } t[] = {
		{"set = [1, 2]; set + 1; set[0]; set; set print_length 3;", "....c"},
		{"function show(v) = #v; show([1]); show code show; show status; (show)(2);", "..cc."},
		{"(a, (dump, edit)) = b; edit; dump + edit; edit(1);", "...."},
		{"help = 1; exit = 2; help + exit; help; exit;", "...cc"},
		{"function load(x) : int -> int; load(3); describe load;", "..c"},
		{"set print_length 3; set = 4; set", "c.."},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const char *kind = t[i].kinds;

		for (const Form *f = parse_text(t[i].text); f; f = f->next, kind++)
			ck_assert_msg(*kind && (*kind == 'c') == (f->kind == FORM_COMMAND) && f->kind != FORM_BAD, "%s: form %d", t[i].text, (int)(kind - t[i].kinds));
		ck_assert_msg(!*kind && diag_errors(unit.diag) == 0, "%s\n%s", t[i].text, messages);
	}
}
END_TEST

static const struct { const char *text, *place, *kind; } bound[] = {
	{"let (a, b, a) = c in a;", "1:12", "static-other"}, {"let [a, b] = c in a;", "1:5", "static-other"},
	{"let f = 3 in f;", "1:5", "reserved-name"}, {"time = 3;", "1:1", "reserved-name"},
	{"function time(x) = x;", "1:10", "reserved-name"}, {"let (a, time) = b in a;", "1:9", "reserved-name"},
	{"{3 in [1, 2]};", "1:2", "reserved-name"}, {"function t(x) = x;", "1:10", "reserved-name"},
	{"f(a) = 3;", "1:1", "reserved-name"}, {"function g(pair) = 1;", "1:12", "reserved-name"}, {"function pair(x) = x;", "1:10", "reserved-name"},
	{"function g(x) : int -> int \"doc\" = x;", "1:28", "type"},
};

/* A bracket that is left open ends with its form, where what follows can be no part of it. */
START_TEST(an_open_bracket_takes_no_forms)
{
	static const struct { const char *text; int nform, nerror; } t[] = {
		{"{x;\n5;\n6;\n7;", 4, 1}, {"{x : y;\n5;\n6;\n", 3, 1}, {"{x + 1;\n5;\n", 2, 1},
		{"x = 3 = let a = 1; b = 2; in a + b;\n5;\n", 2, 1}, {"x = 3 = {a + b : a in v; b in w};\n5;\n", 2, 1},
		{"x = 3 = {a : a in let b = 1; c = 2 in [b]; d in w};\n5;\n", 2, 1}, {"x = 3 = (a;\n5;\n", 2, 1},
		{"x = 3 = let a = 1;\nfunction g(x) = x;\n", 2, 1}, {"x = 3 = (let a = 1; b = 2); 5;\n", 2, 1}, {"{x : x in [1]; 3; y in [2]; z in [3]};\n5;\n", 4, 1},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		int n = 0;
		for (const Form *f = parse_text(t[i].text); f; f = f->next)
			n++;
		ck_assert_msg(n == t[i].nform && diag_errors(unit.diag) == t[i].nerror, "%s: %d forms, %d errors\n%s", t[i].text, n,
			diag_errors(unit.diag), messages);
	}
}
END_TEST

/* Who takes % for an operator is told what it is, once; where a comment is one, nothing is said. */
START_TEST(a_comment_between_operands)
{
	static const char note[] = "note: what stands between two `%` is a comment; a remainder is `rem(x, y)`\n";

	parse_text("if x % 2 == 0 then y % 3 else 4;\n");
	ck_assert_msg(strstr(messages, note) != NULL, "%s", messages);
	parse_text("{5 % 2 : x in a}; 7 % 2;\n");
	ck_assert_msg(strstr(messages, note) != NULL, "%s", messages);
	parse_text("5 % 2; 7 % 2; 9 % 2;\n");
	ck_assert_msg(strstr(messages, "has no closing") && !strstr(messages, note), "%s", messages);
	parse_text("if x % c % == 0 % d % then y else % e % ;\n");
	ck_assert_msg(strstr(messages, "error") && !strstr(messages, note), "%s", messages);
}
END_TEST

/* Who forgets the `%` that ends a comment is told where; whose comments are as they should be is not. */
START_TEST(comments_without_an_end)
{
	static const char note[] = ": note: is the `%` missing that should end this comment?";
	static const struct { const char *text, *place; } t[] = {
		{"x = 1; % one\ny = 2;\nz = 3; % three %\n", "1:8"}, {"x = 1; % one\r\ny = 2;\r\nz = 3; % three %\r\n", "1:8"},
		{"x = 1; % one\ny = 2;\nz = 3; % three\n + ;\n", "1:8"}, {"x = 1; % one\ny = 2; % set x;\n", "1:8"},
		{"% one;\n two %\nx = 1 +;\n", NULL}, {"x = 1; % one; %\ny = +; % two; %\nz = % open", NULL},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		parse_text(t[i].text);
		ck_assert_int_gt(diag_errors(unit.diag), 0);
		ck_assert_msg(strstr(messages, t[i].place ? arena_printf(arena, "a.nesl:%s%s", t[i].place, note) : note) ? t[i].place != NULL
			: t[i].place == NULL, "%s gives\n%s", t[i].text, messages);
	}
	parse_text("% 100% in it %\nx = 1;\n");
	ck_assert_ptr_nonnull(strstr(messages, "a.nesl:1:1: note: a comment ends at the next `%`, which is here\n"));
}
END_TEST

/* Words that other languages begin something with; names of variables and functions may be called so. */
START_TEST(words_of_other_languages)
{
	static const struct { const char *text, *place, *note; int nerror; } t[] = {
		{"def g(x) = x + 1;", "1:1", "a function is defined by `function g(x) = x + 1`", 1},
		{"{x * x for x in v};", "1:8", "what is done for each element is written `{x + 1 : x in v}`, other loops are recursive functions", 1},
		{"if a then b elif c then d else e;", "1:13", "it is written `else if`", 1},
		{"for = 3; (for + 1;", NULL, NULL, 1}, {"def(3) + ;", NULL, NULL, 1},
		{"x = 1;\n# the next one\ny = 2;", "2:1", "a comment stands between two `%`", 1},
		{"# Squares\nfunction g(x) = x * x;", "1:1", "a comment stands between two `%`", 1},
		{"-- it is x's square\ny = 2;", "1:1", "a comment stands between two `%`", 1},
		{"#v + ;", NULL, NULL, 1}, {"- -x y\nz = 3;", NULL, NULL, 1},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const Form *f = parse_text(t[i].text);
		const char *note = t[i].note ? arena_printf(arena, "a.nesl:%s: note: %s\n", t[i].place, t[i].note) : "note";

		ck_assert_int_eq(diag_errors(unit.diag), t[i].nerror);
		ck_assert_msg(!strstr(messages, note) == !t[i].note, "%s: %s", t[i].text, messages);
		if (i == 0)
			ck_assert_str_eq(f->name, "g");
	}
}
END_TEST

/* However often a word is used that is left out. */
START_TEST(what_is_left_out_is_told_once)
{
	parse_text("function closure(f) = f;\nclosure(3);\n{closure(x) : x in [1]};\ndefconfig x;\nclosure(5);\n");
	ck_assert_int_eq(diag_errors(unit.diag), 2);
	ck_assert_ptr_nonnull(strstr(messages, "a.nesl:1:10: error[syntax]: `closure` is not part of nessie\n"));
	ck_assert_ptr_null(strstr(messages, "a.nesl:2"));
	ck_assert_ptr_null(strstr(messages, "a.nesl:3"));
}
END_TEST

START_TEST(names_that_cannot_be_bound)
{
	const Form *f = parse_text(bound[_i].text);
	const char *first = arena_printf(arena, "a.nesl:%s: error[%s]: ", bound[_i].place, bound[_i].kind);

	ck_assert_int_eq(f->kind, FORM_BAD);
	ck_assert_int_eq(diag_errors(unit.diag), 1);
	ck_assert_int_eq(strncmp(messages, first, strlen(first)), 0);
}
END_TEST

START_TEST(later_forms_are_still_read)
{
	const Form *f = parse_text("a = 1 +; function g(x) = (x; b = 2 $ c\n;;");

	ck_assert_int_eq(f->kind, FORM_BAD);
	ck_assert_str_eq(f->name, "a");
	ck_assert_str_eq(f->next->name, "g");
	f = f->next->next;
	ck_assert_int_eq(f->kind, FORM_ASSIGN);
	ck_assert_str_eq(f->param->name, "b");
	ck_assert_int_eq(f->next->kind, FORM_EXPR);
	ck_assert_ptr_null(f->next->next);
	ck_assert_int_eq(diag_errors(unit.diag), 2);
}
END_TEST

/* A form cut off at a `;` inside it is reported once, up to where it really ends; what comes then is new. */
static const struct { const char *text; int errors; } cut[] = {
	{"let x = (1; y = 2 in x", 1}, {"let x = (1; y = 2) in x;", 1}, {"g(1; 2; 3);", 1},
	{"let x = {a : a in (b; c in d} in x;", 1}, {"if (1; 2) then 3 else 4;", 1}, {"let x = $; y = 2 in x;", 1},
	{"let x = (1; y = 2 in x; 3 in 4;", 2}, {"(1; 2); 3);", 2}, {"(1; 2; function g(x) = x);", 2},
	{"(1; 2 in 3;", 2},
};

START_TEST(a_form_cut_off_is_one_error)
{
	parse_text(cut[_i].text);
	ck_assert_msg(diag_errors(unit.diag) == cut[_i].errors, "%s\n%s", cut[_i].text, messages);
}
END_TEST

START_TEST(the_caret_of_a_form_cut_off)
{
	parse_text("let x = (1; y = 2 in x");
	ck_assert_str_eq(messages,
		"a.nesl:1:11: error[syntax]: `)` is missing: found `;` instead\n"
		"    1 | let x = (1; y = 2 in x\n"
		"      |           ^\n");
}
END_TEST

START_TEST(the_caret_and_the_open_bracket)
{
	parse_text("y = f(1,\n\t2 then\n;");
	ck_assert_str_eq(messages,
		"a.nesl:2:4: error[syntax]: `)` is missing: found `then` instead\n"
		"    2 | \t2 then\n"
		"      | \t  ^^^^\n"
		"a.nesl:1:6: note: to close this\n"
		"    1 | y = f(1,\n"
		"      |      ^\n");
}
END_TEST

START_TEST(nul_bytes_are_refused)
{
	static const char text[] = "1 \0 2; \"\0\"; `\0;";

	parse_n(text, sizeof text - 1, false);
	ck_assert_int_eq(diag_errors(unit.diag), 3);
	ck_assert_ptr_nonnull(strstr(messages, "the text contains a NUL byte"));
	ck_assert_ptr_nonnull(strstr(messages, "this string contains a NUL byte"));
}
END_TEST

static const struct { const char *before, *middle, *after; int fits; } nest[] = {
	{"(", "1", ")", 9000}, {"-", "1", "", 9990}, {"1+", "1", "", 4990}, {"a->", "a", "", 4990},
	{"1,", "1", "", 9990}, {"let a=1 in ", "a", "", 9990}, {"if t then 1 else ", "1", "", 9990},
	{"{x : x in ", "a", "}", 7000}, {"", "a", "[0]", 4990}, {"g ", "x", "", 9990},
};

static void
parse_nested(int times, const char *before, const char *middle, const char *after)
{
	size_t nb = strlen(before), na = strlen(after), nm = strlen(middle);
	char *s = arena_alloc(arena, (nb + na) * (size_t)times + nm + 1), *end = s;

	for (int i = 0; i < times; i++, end += nb)
		memcpy(end, before, nb);
	memcpy(end, middle, nm);
	end += nm;
	for (int i = 0; i < times; i++, end += na)
		memcpy(end, after, na);
	parse_text(s);
}

START_TEST(depth_is_limited)
{
	parse_nested(100000, nest[_i].before, nest[_i].middle, nest[_i].after);
	ck_assert_int_eq(diag_errors(unit.diag), 1);
	ck_assert_ptr_nonnull(strstr(messages, "nested too deeply"));
	parse_nested(nest[_i].fits, nest[_i].before, nest[_i].middle, nest[_i].after);
	ck_assert_str_eq(messages, "");
	parse_text(printed());
	ck_assert_str_eq(messages, "");
}
END_TEST

/* A literal of n items. */
static Form *
parse_items(int n)
{
	char *s = arena_alloc(arena, 2 * (size_t)n + 3);

	s[0] = '[';
	for (int i = 0; i < n; i++) {
		s[2 * i + 1] = '1';
		s[2 * i + 2] = i + 1 < n ? ',' : ']';
	}
	return parse_text(s);
}

START_TEST(a_byte_order_mark_is_nothing)
{
	ck_assert_int_eq(parse_text("\xef\xbb\xbf" "1 + 1;\n")->kind, FORM_EXPR);
	ck_assert_str_eq(messages, "");
	ck_assert_int_eq(parse_text("1 + \xef\xbb\xbf" "1;\n")->kind, FORM_BAD);
}
END_TEST

START_TEST(literals_have_at_most_100_items)
{
	ck_assert_int_eq(parse_items(100)->body->u.seq.n, 100);
	ck_assert_str_eq(messages, "");
	ck_assert_int_eq(parse_items(101)->kind, FORM_BAD);
	ck_assert_ptr_nonnull(strstr(messages, "a sequence literal has at most 100 items"));
}
END_TEST

static const char program[] =
	"function qs(a) = if #a < 2 then a else\n"
	"  let p = a[#a / 2]; lo = {e in a | e < p}; hi = {e in a | e > p};\n"
	"      r = {qs(v) : v in [lo, hi]}; in r[0] ++ [p] ++ r[1];\n"
	"function mxv(m, v) : ([[(int, float)]], [float]) -> [float] =\n"
	"  {sum({x * v[i] : (i, x) in row}) : row in m};\n"
	"function id(x) : a -> a :: (a in any) \"doc\" = x;\n"
	"function sq x : n -> n :: n in number = x * x;\n"
	"function later(x, y) : (n, [n]) -> [(n, bool)] :: n in number; function later(x, y) \"a \\\"\\\\b\" = [(x, y)];\n"
	"(a, (b, c), d) = 1.5e-3, (`x, \"a\\\"b\\\\\nc\"), -9223372036854775808;\n"
	"datatype pt(a, [a]) :: (a in number); datatype one(int); datatype two [(int, pt(b))];\n"
	"function h(pt(x, y), one(z)) : (pt(int), one) -> [two(int)] = [] two(int);\n"
	"pt(a, b) = pt(1, [2]); (one(a), b) = c; let one(pt((a, b), c)) = d in {x : pt(x, y) in z; one(u) in v};\n"
	"(help) = [0 : 10 : 2]; (help(1), 2); (a -> b) -> c; (a - b) - (c - d);\n"
	"(let x = 1 in x) + (if t then 1 else 2); {if a then b else c, d : a, b in z; c | t};\n"
	"{x : (x, (y, z)) in [(1, (2, 3))]; w in [] (int, [char])}; 1.0; 1e300; 100.0; 18446744073709551615;\n";

START_TEST(a_printed_program_is_its_own_print)
{
	char *once, *twice;

	parse_text(program);
	ck_assert_str_eq(messages, "");
	once = printed();
	parse_text(once);
	ck_assert_str_eq(messages, "");
	twice = printed();
	/* the places differ; everything else is the same */
	for (char *s = once, *t = twice; *s || *t; s++, t++) {
		if (*s == '%' && *t == '%') {
			s = strchr(s, '\n');
			t = strchr(t, '\n');
		}
		ck_assert_int_eq(*s, *t);
	}
}
END_TEST

START_TEST(a_definition_is_laid_out)
{
	parse_text("function g(x, y) : (int, int) -> [int] = let a = x; b = y in [a : b];");
	ck_assert_str_eq(printed(),
		"% a.nesl:1 %\n"
		"function g(x, y) : (int, int) -> [int] =\n"
		"  let a = x;\n"
		"      b = y\n"
		"  in [a : b];\n\n");
}
END_TEST

START_TEST(the_basis_has_more)
{
	static const char text[] = "function \"+\"(a, b) = prim \"add\" (a, b);\n"
		"function z(a) = typecase a | int: 0 | (x, y): (z(x), z(y)) | [x]: [] int | any: a;";
	const Form *f = parse_n(text, sizeof text - 1, true);
	const Case *c;

	ck_assert_str_eq(messages, "");
	ck_assert(f->basis);
	ck_assert_str_eq(f->name, "+");
	ck_assert_str_eq(shape(f->body), "prim add/2");
	c = f->next->body->u.typecase.cases;
	ck_assert_str_eq(c->when->name, "int");
	ck_assert_int_eq(c->next->when->kind, TYX_PAIR);
	ck_assert_int_eq(c->next->next->when->kind, TYX_SEQ);
	ck_assert_str_eq(c->next->next->next->when->name, "any");
	ck_assert_str_eq(printed(), "");
}
END_TEST

START_TEST(spans_cover_their_text)
{
	const Form *f = parse_text("x = (a +\n  b) * c[1];");
	const Expr *e = f->body;

	ck_assert_int_eq(e->span.col, 5);
	ck_assert_int_eq(e->span.len, 4);
	ck_assert_int_eq(e->u.apply.opspan.line, 2);
	ck_assert_int_eq(e->u.apply.opspan.col, 6);
	e = e->u.apply.arg->u.pair.b;
	ck_assert_int_eq(e->span.col, 8);
	ck_assert_int_eq(e->span.len, 4);
	ck_assert_int_eq(e->u.apply.opspan.len, 3);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

Suite *
parse_suite(void)
{
	Suite *s = suite_create("parse");
	TCase *c = tcase_create("parse");

	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, shapes, 0, COUNT(row));
	tcase_add_loop_test(c, printing_and_reading_gives_the_same_tree, 0, COUNT(row));
	tcase_add_loop_test(c, syntax_errors, 0, COUNT(wrong));
	tcase_add_test(c, names_that_begin_commands);
	tcase_add_test(c, an_open_bracket_takes_no_forms);
	tcase_add_test(c, a_comment_between_operands);
	tcase_add_test(c, words_of_other_languages);
	tcase_add_test(c, comments_without_an_end);
	tcase_add_test(c, what_is_left_out_is_told_once);
	tcase_add_loop_test(c, names_that_cannot_be_bound, 0, COUNT(bound));
	tcase_add_loop_test(c, depth_is_limited, 0, COUNT(nest));
	tcase_add_test(c, later_forms_are_still_read);
	tcase_add_loop_test(c, a_form_cut_off_is_one_error, 0, COUNT(cut));
	tcase_add_test(c, the_caret_of_a_form_cut_off);
	tcase_add_test(c, the_caret_and_the_open_bracket);
	tcase_add_test(c, nul_bytes_are_refused);
	tcase_add_test(c, literals_have_at_most_100_items);
	tcase_add_test(c, a_byte_order_mark_is_nothing);
	tcase_add_test(c, a_printed_program_is_its_own_print);
	tcase_add_test(c, a_definition_is_laid_out);
	tcase_add_test(c, the_basis_has_more);
	tcase_add_test(c, spans_cover_their_text);
	suite_add_tcase(s, c);
	return s;
}

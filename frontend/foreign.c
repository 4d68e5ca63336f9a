/* foreign.c: what NESL has in place of what other languages have. */
#include "frontend/foreign.h"
#include <string.h>

/* Where it stands: as a name; where a form or an expression begins and something follows, which a definition names; as a function of
 * NESL, too, with one argument instead of several. */
enum { NAME = 1, WORD = 2, DEFINES = 4, ONE = 8 };

typedef struct {
	int where;
	const char *names;              /* with blanks around each */
	const char *instead;
} Foreign;

#define LOAD "`load \"FILE\"` reads the forms of a file"

static const Foreign table[] = {
	{NAME, " true ", "did you mean `t`?"}, {NAME, " false ", "did you mean `f`?"},
	{NAME, " quit bye q logout ", "the command `exit` leaves"},
	{NAME, " len size ", "the length of v is `#v`"},
	{NAME, " range arange iota ", "the numbers from a up to below b are `[a:b]`"},
	{NAME, " filter ", "what fits a condition is `{x in v | x > 0}`"},
	{NAME, " fold foldl foldr reduce ", "`sum(v)`, `product(v)`, `max_val(v)`, `any(v)` and their like fold a sequence, `scan(g, identity, v)` takes any function"},
	{NAME, " div ", "ints are divided by `x / y`"},
	{NAME, " pow power ", "x to an int power is `x ^ n`, to any other `expt(x, y)`"},
	{NAME, " head hd car ", "the first element is `v[0]`"},
	{NAME, " tail tl cdr ", "all elements but the first are `drop(v, 1)`"},
	{NAME, " last ", "the last element is `v[#v - 1]`"},
	{NAME, " fst ", "the first part of a pair is `first(p)`"},
	{NAME, " snd second ", "the second part of a pair is `rest(p)`"},
	{ONE, " max ", "the greatest element of v is `max_val(v)`"}, {ONE, " min ", "the least element of v is `min_val(v)`"},
	{NAME, " concat ", "two sequences are joined by `v ++ w`, those in a sequence by `flatten(v)`"},
	{NAME, " null nil none empty ", "an empty sequence is written like `[] int`; there is no value that stands for none"},
	{NAME, " str tostring to_string ", "the text of any value is `@x`"},
	{NAME, " int toint to_int ", "ints are made of floats by `trunc(x)`, `round(x)`, `floor(x)`, of text by `parse_int(s)`"},
	{NAME, " upper toupper ", "the capital of a char is `uppercase(c)`"}, {NAME, " lower tolower ", "the small letter of a char is `lowercase(c)`"},
	{NAME, " ord ", "the code of a char is `char_code(c)`"}, {NAME, " chr ", "the char of a code is `code_char(i)`"},
	{NAME, " dot dotproduct ", "a product of vectors is `sum({x * y : x in v; y in w})`"},
	{NAME, " end ", "nothing ends a `let` or an `if`: they go as far as they can"},
	{NAME | WORD | DEFINES, " def fun func define ", "a function is defined by `function g(x) = x + 1`"},
	{WORD | DEFINES, " val var const ", "a variable is bound by `x = 3`, or by `let x = 3 in x + 1`"},
	{NAME | WORD, " lambda fn ", "a function without a name is written `x => x + 1`"},
	{NAME | WORD, " for foreach forall while do ", "what is done for each element is written `{x + 1 : x in v}`, other loops are recursive functions"},
	{NAME | WORD, " where when ", "a condition stands behind `|`: `{body : x in xs | condition}`"},
	{NAME | WORD, " elif elsif elseif ", "it is written `else if`"},
	{NAME | WORD, " import include require ", LOAD}, {WORD, " open from ", LOAD},
	{NAME | WORD, " return ", "a function gives the value of its body: there is no `return`"},
	{NAME | WORD, " match case switch ", "one of several is chosen by `if c then x else if d then y else z`"},
	{WORD, " type class struct record data ", "a record is defined by `datatype point(float, float)`"},
};

static const struct { const char *sign, *instead; } sign[] = {
	{"**", "; x to an int power is `x ^ n`, to any other `expt(x, y)`"},
	{"//", "; ints are divided by `/`, and a comment stands between two `%`"},
	{"<>", "; not equal is `/=`"}, {"=<", "; less or equal is `<=`"},
	{"::", "; x in front of v is `cons(x, v)`"}, {"|>", "; a function stands before its arguments, `g(x)`"},
	{"/*", "; a comment stands between two `%`"}, {"(*", "; a comment stands between two `%`"},
	{"+=", "; a variable is given a new value by `x = x + 1`"}, {"-=", "; a variable is given a new value by `x = x - 1`"},
	{"*=", "; a variable is given a new value by `x = x * 2`"},
};

static const char *
look_up(int where, const char *what)
{
	const size_t len = strlen(what);

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const char *names = table[i].names, *at = names;

		for (; (table[i].where & where) && (at = strstr(at, what)) != NULL; at++)
			if (at > names && at[-1] == ' ' && at[len] == ' ')
				return table[i].instead;
	}
	return NULL;
}

const char *
foreign_name(const char *what)
{
	return look_up(NAME, what);
}

const char *
foreign_word(const char *what)
{
	return look_up(WORD, what);
}

const char *
foreign_of_one(const char *what)
{
	return look_up(ONE, what);
}

bool
foreign_defines(const char *what)
{
	return look_up(DEFINES, what) != NULL;
}

const char *
foreign_sign(const char *text, bool first)
{
	for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
		if (strncmp(text, sign[i].sign, 2) == 0 || (!first && strncmp(text - 1, sign[i].sign, 2) == 0))
			return sign[i].instead;
	return "";
}

/* foreign.c: what NESL has in place of what other languages have. */
#include "frontend/foreign.h"
#include <string.h>

typedef struct {
	const char *names;              /* with blanks around each */
	const char *instead;
} Foreign;

#define FUNCTION "a function is defined by `function g(x) = x + 1`"
#define NAMELESS "a function without a name is written `x => x + 1`"
#define EACH     "what is done for each element is written `{x + 1 : x in v}`, other loops are recursive functions"
#define CHOICE   "one of several is chosen by `if c then x else if d then y else z`"
#define RECORD   "a record is defined by `datatype point(float, float)`"
#define LOAD     "`load \"FILE\"` reads the forms of a file"
#define FOLD     "`sum(v)`, `product(v)`, `max_val(v)`, `any(v)` and their like fold a sequence, `scan(g, identity, v)` takes any function"

static const Foreign name[] = {
	{" true ", "did you mean `t`?"}, {" false ", "did you mean `f`?"},
	{" quit bye q logout ", "the command `exit` leaves"},
	{" len size ", "the length of v is `#v`"},
	{" range arange iota ", "the numbers from a up to below b are `[a:b]`"},
	{" filter ", "what fits a condition is `{x in v | x > 0}`"},
	{" fold foldl foldr reduce ", FOLD},
	{" div ", "ints are divided by `x / y`"},
	{" pow power ", "x to an int power is `x ^ n`, to any other `expt(x, y)`"},
	{" head hd car ", "the first element is `v[0]`"},
	{" tail tl cdr ", "all elements but the first are `drop(v, 1)`"},
	{" last ", "the last element is `v[#v - 1]`"},
	{" fst ", "the first part of a pair is `first(p)`"},
	{" snd second ", "the second part of a pair is `rest(p)`"},
	{" concat ", "two sequences are joined by `v ++ w`, those in a sequence by `flatten(v)`"},
	{" null nil none empty ", "an empty sequence is written like `[] int`; there is no value that stands for none"},
	{" str tostring to_string ", "the text of any value is `@x`"},
	{" int toint to_int ", "ints are made of floats by `trunc(x)`, `round(x)`, `floor(x)`, of text by `parse_int(s)`"},
	{" upper toupper ", "the capital of a char is `uppercase(c)`"}, {" lower tolower ", "the small letter of a char is `lowercase(c)`"},
	{" ord ", "the code of a char is `char_code(c)`"}, {" chr ", "the char of a code is `code_char(i)`"},
	{" dot dotproduct ", "a product of vectors is `sum({x * y : x in v; y in w})`"},
	{" def fun func define ", FUNCTION}, {" lambda fn ", NAMELESS}, {" for foreach forall while do ", EACH}, {" import include require ", LOAD},
	{" return ", "a function gives the value of its body: there is no `return`"}, {" match case switch ", CHOICE},
	{" end ", "nothing ends a `let` or an `if`: they go as far as they can"},
};

/* Those of the first two rows bind a name. */
static const Foreign word[] = {
	{" def fun func define ", FUNCTION},
	{" val var const ", "a variable is bound by `x = 3`, or by `let x = 3 in x + 1`"},
	{" lambda fn ", NAMELESS},
	{" for foreach forall while do ", EACH},
	{" elif elsif elseif ", "it is written `else if`"},
	{" import include require open from ", LOAD},
	{" return ", "a function gives the value of its body: there is no `return`"},
	{" match case switch ", CHOICE}, {" type class struct record data ", RECORD},
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
look_up(const Foreign *row, size_t n, const char *what)
{
	for (size_t i = 0; i < n; i++) {
		const char *at = row[i].names;
		const size_t len = strlen(what);

		for (; (at = strstr(at, what)) != NULL; at++)
			if (at > row[i].names && at[-1] == ' ' && at[len] == ' ')
				return row[i].instead;
	}
	return NULL;
}

const char *
foreign_name(const char *what)
{
	return look_up(name, sizeof name / sizeof *name, what);
}

const char *
foreign_word(const char *what)
{
	return look_up(word, sizeof word / sizeof *word, what);
}

bool
foreign_defines(const char *what)
{
	return look_up(word, 2, what) != NULL;
}

const char *
foreign_sign(const char *text, bool first)
{
	for (size_t i = 0; i < sizeof sign / sizeof *sign; i++)
		if (strncmp(text, sign[i].sign, 2) == 0 || (!first && strncmp(text - 1, sign[i].sign, 2) == 0))
			return sign[i].instead;
	return "";
}

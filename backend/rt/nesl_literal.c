/* nesl_literal.c: a value written in NESL, as nessie prints it.
 *
 * In   numbers, T F, `c, "strings", (a, b), [a, b], [] type; % comments %; a final ; is allowed.
 * How  The type is learnt from the first value of each place; all others must have it.  Each place of
 *      the type collects its column as the text is read, so no tree of the value is made. */
#include "nesl_input.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LITERAL_DEPTH = 200 };

/* A place of the type.  kind: 0 not known yet, i f b c, '(' of a and b, '[' of a. */
typedef struct Place Place;
struct Place {
	char kind;
	Place *a, *b;
	char *data;             /* the column; '[': where its rows end, i64 */
	i64 n, cap;
};

typedef struct {
	nesl_file *file;
	const char *at, *end;
	int depth;
	int failed;             /* the message is written, or none is wanted */
} Literal;

static int literal_value(Literal *l, Place *p);

static int
literal_error(Literal *l, const char *fmt, const char *a, const char *b)
{
	long line = 1;
	char text[200];

	if (l->failed)
		return 1;
	for (const char *s = l->file->at; s < l->at; s++)
		line += *s == '\n';
	snprintf(text, sizeof text, fmt, a, b);
	l->failed = 1;
	return nesl_file_error(l->file, line, "%s", text);
}

/* -- places ----------------------------------------------------------------------------------- */
static size_t
place_size(const Place *p)
{
	return p->kind == 'b' ? sizeof(b8) : p->kind == 'c' ? sizeof(c32) : 8;
}

static int
place_add(Literal *l, Place *p, const void *x)
{
	size_t size = place_size(p);

	if (p->n == p->cap) {
		i64 cap = p->cap ? 2 * p->cap : 16;
		char *data = (char *)realloc(p->data, (size_t)cap * size);

		if (!data)
			return literal_error(l, "out of memory", "", "");
		p->data = data;
		p->cap = cap;
	}
	memcpy(p->data + (size_t)p->n++ * size, x, size);
	return 0;
}

static void
place_free(Place *p)
{
	if (!p)
		return;
	place_free(p->a);
	place_free(p->b);
	free(p->data);
	free(p);
}

static const char *
kind_text(char kind)
{
	switch (kind) {
	case 'i': return "an int";
	case 'f': return "a float";
	case 'b': return "a bool";
	case 'c': return "a char";
	case '(': return "a tuple";
	default: return "a sequence";
	}
}

/* The place holds values of this kind, from now on if not already. */
static int
place_is(Literal *l, Place *p, char kind)
{
	if (p->kind == kind)
		return 0;
	if (p->kind)
		return literal_error(l, "%s where the values before have %s", kind_text(kind), kind_text(p->kind));
	p->kind = kind;
	if (kind == '(' || kind == '[')
		p->a = (Place *)calloc(1, sizeof *p->a);
	if (kind == '(')
		p->b = (Place *)calloc(1, sizeof *p->b);
	if ((kind == '(' || kind == '[') && (!p->a || (kind == '(' && !p->b)))
		return literal_error(l, "out of memory", "", "");
	return 0;
}

/* How many elements the column under p has. */
static i64
place_rows(const Place *p)
{
	while (p->kind == '(')
		p = p->a;
	return p->n;
}

static int
place_end_row(Literal *l, Place *p)
{
	i64 n = place_rows(p->a);

	return place_add(l, p, &n);
}

/* -- tokens ----------------------------------------------------------------------------------- */
static int
literal_space(Literal *l)
{
	while (l->at < l->end) {
		if (*l->at == '%') {
			const char *close = (const char *)memchr(l->at + 1, '%', (size_t)(l->end - l->at - 1));

			if (!close)
				return literal_error(l, "this comment has no end", "", "");
			l->at = close + 1;
		} else if (strchr(" \t\r\n\f", *l->at) && *l->at) {
			l->at++;
		} else {
			break;
		}
	}
	return 0;
}

static int
literal_eat(Literal *l, char c)
{
	if (literal_space(l) || l->at == l->end || *l->at != c)
		return 0;
	l->at++;
	return 1;
}

static int
literal_expect(Literal *l, char c, const char *where)
{
	char want[2] = {c, 0};

	if (literal_eat(l, c))
		return 0;
	return literal_error(l, l->at == l->end ? "the file ends where `%s` is wanted %s" : "`%s` is wanted %s", want, where);
}

static int
letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
}

/* The word here, whatever its case. */
static int
literal_word(Literal *l, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(l->end - l->at) < n || (l->at + n < l->end && letter(l->at[n])))
		return 0;
	for (size_t i = 0; i < n; i++)
		if ((l->at[i] | 32) != word[i])
			return 0;
	l->at += n;
	return 1;
}

/* -- values ----------------------------------------------------------------------------------- */
static int
digit_at(const Literal *l, const char *s)
{
	return s < l->end && *s >= '0' && *s <= '9';
}

static int
literal_int(Literal *l, Place *p, const char *text)
{
	i64 x;

	errno = 0;
	x = strtoll(text, NULL, 10);
	if (errno || x > l->file->max_int || x < -l->file->max_int - 1)
		return literal_error(l, "the int %s does not fit in %s bits", text, l->file->max_int == INT32_MAX ? "32" : "64");
	return place_is(l, p, 'i') || place_add(l, p, &x);
}

static int
literal_float(Literal *l, Place *p, f64 x)
{
	return place_is(l, p, 'f') || place_add(l, p, &x);
}

static int
literal_number(Literal *l, Place *p, int negative)
{
	const char *s = l->at;
	char text[400];
	int real = 0, n = 0;
	f64 x;

	while (digit_at(l, s))
		s++;
	if (s < l->end && *s == '.') {
		real = 1;
		for (s++; digit_at(l, s); s++)
			;
	}
	if (s < l->end && (*s | 32) == 'e'
	    && (digit_at(l, s + 1) || (s + 2 < l->end && (s[1] == '+' || s[1] == '-') && digit_at(l, s + 2)))) {
		real = 1;
		for (s += 2; digit_at(l, s); s++)
			;
	}
	if (s - l->at > (long)sizeof text - 2 || (s < l->end && (letter(*s) || *s == '.')))
		return literal_error(l, "this number is malformed", "", "");
	if (negative)
		text[n++] = '-';
	memcpy(text + n, l->at, (size_t)(s - l->at));
	text[n + (s - l->at)] = 0;
	if (!real) {
		n = literal_int(l, p, text);
		l->at = s;
		return n;
	}
	x = strtod(text, NULL);
	if (x - x != 0.0)
		return literal_error(l, "%s is too large for a float", text, "");
	n = literal_float(l, p, x);
	l->at = s;
	return n;
}

static int
literal_char(Literal *l, Place *p)
{
	c32 c;

	if (l->end - l->at < 2)
		return literal_error(l, "the file ends within a character", "", "");
	c = (unsigned char)l->at[1];
	l->at += 2;
	return place_is(l, p, 'c') || place_add(l, p, &c);
}

static int
literal_string(Literal *l, Place *p)
{
	const char *start = l->at++;

	if (place_is(l, p, '[') || place_is(l, p->a, 'c'))
		return 1;
	while (l->at < l->end && *l->at != '"') {
		c32 c;

		if (nesl_interrupted)
			return l->failed = 1;
		if (*l->at == '\\' && l->at + 1 < l->end)
			l->at++;
		c = (unsigned char)*l->at++;
		if (place_add(l, p->a, &c))
			return 1;
	}
	if (l->at == l->end) {
		l->at = start;
		return literal_error(l, "this string has no end", "", "");
	}
	l->at++;
	return place_end_row(l, p);
}

/* The commas of a parenthesis, from within it: how many items its tuple has, less one. */
static int
literal_commas(const Literal *l)
{
	int depth = 0, commas = 0;

	for (const char *s = l->at; s < l->end && depth >= 0 && !nesl_interrupted; s++) {
		switch (*s) {
		case '(': case '[': depth++; break;
		case ')': case ']': depth--; break;
		case ',': commas += depth == 0; break;
		case '`': s++; break;
		case '%':
			for (s++; s < l->end && *s != '%'; s++)
				;
			break;
		case '"':
			for (s++; s < l->end && *s != '"'; s++)
				s += *s == '\\';
			break;
		default: break;
		}
	}
	return commas;
}

/* Items up to `)`: a, b, c is a, (b, c); one item is itself. */
static int
literal_tuple(Literal *l, Place *p, int (*item)(Literal *, Place *))
{
	for (int commas = literal_commas(l); commas > 0; commas--, p = p->b)
		if (place_is(l, p, '(') || item(l, p->a) || literal_expect(l, ',', "in a tuple"))
			return 1;
	return item(l, p) || literal_expect(l, ')', "after a tuple");
}

/* The type written after [], into the place. */
static int
literal_type(Literal *l, Place *p)
{
	static const char *const base[] = {"int", "float", "bool", "char"};
	int bad;

	if (literal_space(l))
		return 1;
	for (int i = 0; i < 4; i++)
		if (literal_word(l, base[i]))
			return place_is(l, p, base[i][0]);
	if (++l->depth > LITERAL_DEPTH)
		return literal_error(l, "this is nested too deeply", "", "");
	if (literal_eat(l, '['))
		bad = place_is(l, p, '[') || literal_type(l, p->a) || literal_expect(l, ']', "in a type");
	else if (literal_eat(l, '('))
		bad = literal_tuple(l, p, literal_type);
	else
		bad = literal_error(l, "a type is wanted here, as in [] int", "", "");
	l->depth--;
	return bad;
}

/* After `[`. */
static int
literal_sequence(Literal *l, Place *p)
{
	if (place_is(l, p, '['))
		return 1;
	if (literal_eat(l, ']')) {
		if (literal_space(l))
			return 1;
		if (l->at < l->end && (*l->at == '[' || *l->at == '(' || letter(*l->at)) && literal_type(l, p->a))
			return 1;
		return place_end_row(l, p);
	}
	do {
		if (literal_value(l, p->a))
			return 1;
	} while (literal_eat(l, ','));
	return literal_expect(l, ']', "after the elements of a sequence") || place_end_row(l, p);
}

static int
literal_other(Literal *l, Place *p)
{
	static const b8 yes = 1, no = 0;
	int negative = literal_eat(l, '-');
	char c[2] = {0, 0};

	if (literal_space(l))
		return 1;
	if (l->at == l->end)
		return literal_error(l, "the file ends where a value is wanted", "", "");
	if (digit_at(l, l->at) || (*l->at == '.' && digit_at(l, l->at + 1)))
		return literal_number(l, p, negative);
	if (literal_word(l, "inf"))
		return literal_float(l, p, negative ? -INFINITY : INFINITY);
	if (literal_word(l, "nan"))
		return literal_float(l, p, NAN);
	if (!negative && literal_word(l, "t"))
		return place_is(l, p, 'b') || place_add(l, p, &yes);
	if (!negative && literal_word(l, "f"))
		return place_is(l, p, 'b') || place_add(l, p, &no);
	c[0] = *l->at;
	if (c[0] == 0)
		return literal_error(l, "there is a NUL byte in the file", "", "");
	return literal_error(l, "a value is wanted here, not `%s`", c, "");
}

static int
literal_value(Literal *l, Place *p)
{
	int bad;

	if (nesl_interrupted)
		return l->failed = 1;
	if (literal_space(l))
		return 1;
	if (l->at < l->end && *l->at == '"')
		return literal_string(l, p);
	if (l->at < l->end && *l->at == '`')
		return literal_char(l, p);
	if (++l->depth > LITERAL_DEPTH)
		return literal_error(l, "this is nested too deeply", "", "");
	if (literal_eat(l, '['))
		bad = literal_sequence(l, p);
	else if (literal_eat(l, '('))
		bad = literal_tuple(l, p, literal_value);
	else
		bad = literal_other(l, p);
	l->depth--;
	return bad;
}

/* -- the value found -------------------------------------------------------------------------- */
/* The type's text, appended to the n bytes there are; 0 and a message if it does not fit. */
static size_t
type_put(Literal *l, char *type, size_t n, size_t max, const char *s)
{
	size_t more = strlen(s);

	if (n == 0 || n + more > max) {
		literal_error(l, "the type of this value is too large", "", "");
		return 0;
	}
	memcpy(type + n - 1, s, more + 1);
	return n + more;
}

/* n counts the final NUL, so that 0 says that it failed. */
static size_t
type_of(Literal *l, const Place *p, char *type, size_t n, size_t max, int paren)
{
	switch (p->kind) {
	case 'i': return type_put(l, type, n, max, "int");
	case 'f': return type_put(l, type, n, max, "float");
	case 'b': return type_put(l, type, n, max, "bool");
	case 'c': return type_put(l, type, n, max, "char");
	case '[':
		n = type_put(l, type, n, max, "[");
		n = n ? type_of(l, p->a, type, n, max, 1) : 0;
		return type_put(l, type, n, max, "]");
	case '(':
		n = type_put(l, type, n, max, paren ? "(" : "");
		n = n ? type_of(l, p->a, type, n, max, 1) : 0;
		n = type_put(l, type, n, max, ", ");
		n = n ? type_of(l, p->b, type, n, max, 0) : 0;
		return type_put(l, type, n, max, paren ? ")" : "");
	default:
		literal_error(l, "nothing says what an empty sequence is of: write [] int or the like", "", "");
		return 0;
	}
}

/* Moves the columns into the leaves from `leaf` on; gives the next. */
static nesl_leaf *
take_leaves(Place *p, nesl_leaf *leaf, int inside)
{
	static const i64 zero = 0;
	char *data;

	if (p->kind == '(')
		return take_leaves(p->b, take_leaves(p->a, leaf, inside), inside);
	if (p->kind == '[' && !inside)
		return take_leaves(p->a, leaf, 1);
	leaf->data = p->data;
	leaf->count = p->n;
	p->data = NULL;
	if (leaf->kind != LEAF_OFFSETS)
		return leaf + 1;
	data = (char *)realloc(leaf->data, (size_t)(p->n + 1) * 8);
	if (!data)
		return NULL;
	memmove(data + 8, data, (size_t)p->n * 8);
	memcpy(data, &zero, 8);
	leaf->data = data;
	leaf->count = p->n + 1;
	return take_leaves(p->a, leaf + 1, 1);
}

int
nesl_read_literal(nesl_file *f, nesl_value *v)
{
	Literal l = {f, nesl_file_text(f), f->at + f->n, 0, 0};
	Place *root = (Place *)calloc(1, sizeof *root);
	char type[256] = "";
	int bad = !root || literal_value(&l, root);

	if (!root)
		return nesl_file_error(f, 0, "out of memory");
	if (!bad) {
		literal_eat(&l, ';');
		bad = literal_space(&l) || l.at < l.end;
		if (bad)
			literal_error(&l, "unexpected text after the value: several are one sequence, [1, 2, 3], or tuple", "", "");
	}
	bad = bad || !type_of(&l, root, type, 1, sizeof type, 0) || nesl_value_shape(f, v, type);
	if (!bad && !take_leaves(root, v->leaf, 0))
		bad = nesl_file_error(f, 0, "out of memory");
	place_free(root);
	return bad;
}

/* nesl_object.c: objects (nesl_object.h), written and read. */
#include "nesl_object.h"
#include "nesl_stream.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* -- writing ----------------------------------------------------------------------------------- */
void
nesl_text_add(nesl_text *t, const char *bytes, size_t n)
{
	if (n > t->cap - t->n) {
		size_t cap = t->cap + t->cap / 2 + n + 64;
		char *more = (char *)realloc(t->at, cap);

		if (!more) {
			t->failed = 1;
			return;
		}
		t->at = more;
		t->cap = cap;
	}
	if (n > 0)
		memcpy(t->at + t->n, bytes, n);
	t->n += n;
}

__attribute__((format(printf, 2, 3))) static void
add(nesl_text *t, const char *fmt, ...)
{
	char text[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	nesl_text_add(t, text, strlen(text));
}

static void
add_lengths(nesl_text *t, const nesl_leaf *l)
{
	const i64 *off = (const i64 *)l->data;

	add(t, "[ ");
	for (i64 i = 0; i + 1 < l->count; i++)
		add(t, "%lld ", (long long)(off[i + 1] - off[i]));
	add(t, "]\n");
}

static void
add_chars(nesl_text *t, const nesl_leaf *l)
{
	const c32 *c = (const c32 *)l->data;

	add(t, "( %lld )\n", (long long)l->count);
	for (i64 i = 0; i < l->count; i++)
		nesl_text_add(t, &(char){(char)c[i]}, 1);
	add(t, "\n");
}

/* NaN has no sign: which one it would have depends on what computed it. */
static void
add_float(nesl_text *t, f64 x)
{
	if (x == x)
		add(t, "%.14e ", x);
	else
		add(t, "nan ");
}

static void
add_vector(nesl_text *t, const nesl_leaf *l)
{
	if (l->base == 'c') {
		add_chars(t, l);
		return;
	}
	add(t, "( ");
	for (i64 i = 0; i < l->count; i++)
		if (l->base == 'i')
			add(t, "%lld ", (long long)((const i64 *)l->data)[i]);
		else if (l->base == 'f')
			add_float(t, ((const f64 *)l->data)[i]);
		else
			add(t, ((const b8 *)l->data)[i] ? "T " : "F ");
	add(t, ")\n");
}

/* Gives the leaf after the value's. */
static const nesl_leaf *
add_value(nesl_text *t, const nesl_type_node *node, int k, const nesl_leaf *l, int inside)
{
	switch (node[k].kind) {
	case '(':
		l = add_value(t, node, node[k].a, l, inside);
		return add_value(t, node, node[k].b, l, inside);
	case '<':
		return add_value(t, node, node[k].a, l, inside);
	case '[':
		if (inside)
			add_lengths(t, l++);
		else
			add(t, "[ %lld ]\n", (long long)(l->count - (l->kind == LEAF_OFFSETS)));
		return add_value(t, node, node[k].a, l, 1);
	default:
		add_vector(t, l);
		return l + 1;
	}
}

void
nesl_object_text(nesl_text *t, const char *type, const nesl_leaf *leaf)
{
	nesl_type_node *node;
	int root = nesl_type_parse(type, &node);

	if (root < 0) {
		t->failed = 1;
		return;
	}
	add_value(t, node, root, leaf, 0);
	free(node);
}

/* -- reading ----------------------------------------------------------------------------------- */
enum { LONGEST_WORD = 400 };    /* the digits of any float, and more */

typedef struct {
	i64 stream;
	int line;
	int int_bits;
	const char *wrong;              /* the first error */
	const nesl_type_node *node;
} Reader;

static char message[200];

__attribute__((format(printf, 2, 3))) static void
fail(Reader *r, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (r->wrong)
		return;
	n = snprintf(message, sizeof message, "line %d: ", r->line);
	va_start(ap, fmt);
	vsnprintf(message + n, sizeof message - (size_t)n, fmt, ap);
	va_end(ap);
	r->wrong = message;
}

/* The next byte, taken or not; -1 at the end and after an error. */
static int
byte(Reader *r, int take)
{
	const char *wrong;
	int c = r->wrong ? STREAM_END : nesl_stream_byte(r->stream, take, &wrong);

	if (c == STREAM_FAILED) {
		fail(r, "%s", wrong);
		c = STREAM_END;
	}
	r->line += take && c == '\n';
	return c;
}

static const char *
shown(int c)
{
	static char text[8];

	if (c < 0)
		return "the end";
	snprintf(text, sizeof text, c > ' ' && c < 127 ? "`%c`" : "\\x%02x", (unsigned)c);
	return text;
}

static int
next(Reader *r)
{
	while (isspace(byte(r, 0)))
		byte(r, 1);
	return byte(r, 0);
}

static void
expect(Reader *r, char c)
{
	int found = next(r);

	if (found != c)
		fail(r, "`%c` is wanted, but %s is there", c, shown(found));
	else
		byte(r, 1);
}

static void
word(Reader *r, char to[LONGEST_WORD + 1])
{
	int n = 0, c;

	next(r);
	while (c = byte(r, 0), c >= 0 && !isspace(c) && !strchr("()[]", c) && n < LONGEST_WORD)
		to[n++] = (char)byte(r, 1);
	to[n] = 0;
	if (n == LONGEST_WORD)
		fail(r, "this word is too long");
}

/* Does text, all of it, stand for a value of this base?  Into *at. */
static int
parse(const Reader *r, char base, const char *text, void *at)
{
	char *end;

	errno = 0;
	if (base == 'i') {
		const long long x = strtoll(text, &end, 10);

		*(i64 *)at = x;
		return end != text && !*end && !errno && (r->int_bits == 64 || x == (int32_t)x);
	}
	if (base == 'f') {
		*(f64 *)at = strtod(text, &end);
		return end != text && !*end;
	}
	*(b8 *)at = *text == 'T';
	return (*text == 'T' || *text == 'F') && !text[1];
}

static const char *
base_name(char base)
{
	return base == 'i' ? "an int" : base == 'f' ? "a float" : base == 'b' ? "T or F" : "a character";
}

static size_t
base_size(char base)
{
	return base == 'i' || base == 'f' ? 8 : base == 'c' ? sizeof(c32) : sizeof(b8);
}

/* Room for one more in l. */
static void *
more(Reader *r, nesl_leaf *l, i64 *cap)
{
	size_t size = base_size(l->base);

	if (l->count == *cap) {
		i64 wanted = *cap + *cap / 2 + 16;
		void *data = realloc(l->data, (size_t)wanted * size);

		if (!data) {
			fail(r, "out of memory");
			return NULL;
		}
		l->data = data;
		*cap = wanted;
	}
	return (char *)l->data + (size_t)l->count++ * size;
}

/* The elements up to the bracket; all of them are words. */
static void
read_words(Reader *r, char open, char close, nesl_leaf *l)
{
	char text[LONGEST_WORD + 1];
	i64 cap = 0;

	l->count = 0;
	for (expect(r, open); !r->wrong && next(r) != close; ) {
		void *at = more(r, l, &cap);

		word(r, text);
		if (at && !parse(r, l->base, text, at))
			fail(r, "%s is wanted, but %s is there", base_name(l->base), *text ? text : shown(byte(r, 0)));
	}
	expect(r, close);
}

static void
counted(Reader *r, const nesl_leaf *l, i64 count)
{
	if (l->count != count)
		fail(r, "%lld elements are wanted, but %lld are there", (long long)count, (long long)l->count);
}

/* The count in brackets, alone. */
static i64
read_count(Reader *r, char open, char close)
{
	nesl_leaf l = {LEAF_VECTOR, 'i', 0, NULL, NULL};
	i64 n = 0;

	read_words(r, open, close, &l);
	counted(r, &l, 1);
	if (!r->wrong)
		n = *(const i64 *)l.data;
	free(l.data);
	if (n < 0)
		fail(r, "a count is negative");
	return r->wrong ? 0 : n;
}

static void
read_chars(Reader *r, nesl_leaf *l, i64 count)
{
	i64 n = read_count(r, '(', ')'), cap = 0;
	int c;

	l->count = 0;
	if (!r->wrong && n != count)
		fail(r, "%lld characters are wanted, but %lld are there", (long long)count, (long long)n);
	while ((c = byte(r, 1)) == ' ' || c == '\r')
		;
	if (c != '\n')
		fail(r, "a line with %lld characters is wanted, but %s is there", (long long)n, shown(c));
	while (!r->wrong && l->count < n) {
		c32 *at = (c32 *)more(r, l, &cap);

		if ((c = byte(r, 1)) < 0)
			fail(r, "the text ends after %lld of %lld characters", (long long)l->count - 1, (long long)n);
		else if (at)
			*at = (c32)c;
	}
}

static void
read_vector(Reader *r, nesl_leaf *to, i64 count)
{
	nesl_leaf l = {LEAF_VECTOR, to->base, 0, NULL, NULL};

	if (l.base == 'c')
		read_chars(r, &l, count);
	else
		read_words(r, '(', ')', &l);
	if (!r->wrong)
		counted(r, &l, count);
	if (to->kind == LEAF_VECTOR) {
		free(to->data);
		to->data = l.data;
		to->count = l.count;
		return;
	}
	if (!r->wrong)
		memcpy(to->data, l.data, base_size(l.base));
	free(l.data);
}

/* Lengths, into offsets: their sum. */
static i64
read_offsets(Reader *r, nesl_leaf *l, i64 count)
{
	i64 *off, sum = 0, cap;

	free(l->data);
	l->data = NULL;
	read_words(r, '[', ']', l);
	if (!r->wrong)
		counted(r, l, count);
	cap = l->count;
	if (r->wrong || !more(r, l, &cap))
		return 0;
	off = (i64 *)l->data;
	for (i64 i = 0; i <= count; i++) {
		const i64 length = i < count ? off[i] : 0;

		off[i] = sum;
		if (length < 0 || length > MAX_INT - sum) {
			fail(r, "%lld cannot be a length here", (long long)length);
			return 0;
		}
		sum += length;
	}
	return sum;
}

static nesl_leaf *
read_value(Reader *r, int k, nesl_leaf *l, int inside, i64 count)
{
	const nesl_type_node *t = &r->node[k];

	switch (t->kind) {
	case '(':
		l = read_value(r, t->a, l, inside, count);
		return r->wrong ? l : read_value(r, t->b, l, inside, count);
	case '<':
		return read_value(r, t->a, l, inside, count);
	case '[':
		count = inside ? read_offsets(r, l, count) : read_count(r, '[', ']');
		return r->wrong ? l : read_value(r, t->a, l + inside, 1, count);
	default:
		read_vector(r, l, count);
		return l + 1;
	}
}

/* What follows on the last line is left alone, its end is not. */
static const char *
end_line(Reader *r)
{
	if (!r->wrong && byte(r, 0) == '\n')
		byte(r, 1);
	return r->wrong;
}

const char *
nesl_object_read(i64 stream, const char *type, int int_bits, nesl_leaf *leaf)
{
	Reader r = {stream, 1, int_bits, NULL, NULL};
	nesl_type_node *node;
	int root = nesl_type_parse(type, &node);

	if (root < 0)
		return "out of memory";
	r.node = node;
	read_value(&r, root, leaf, 0, 1);
	free(node);
	return end_line(&r);
}

const char *
nesl_object_numbers(i64 stream, int int_bits, nesl_leaf *leaf)
{
	Reader r = {stream, 1, int_bits, NULL, NULL};

	free(leaf->data);
	leaf->data = NULL;
	read_words(&r, '(', ')', leaf);
	return end_line(&r);
}

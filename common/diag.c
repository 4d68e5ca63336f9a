/* diag.c: messages with the source line and a caret under the span.
 *
 * How  Tabs of the source line are kept in the caret line, so that both lines widen alike.  Of a
 *      line longer than WINDOW bytes only a window around the caret is shown, cut ends marked "...".
 *      A message that was already given for the same place is counted but not shown again, and so
 *      is what comes after the first MOST. */
#include "common/diag.h"
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 160, BEFORE = 60, MOST = 100 };

typedef struct {
	const char *file, *text;
	size_t n;
	size_t *line;           /* where each line starts */
	int nline, before;
} Text;

typedef struct {
	Span at;
	const char *text;       /* kind and message */
} Said;

struct Diag {
	Arena *arena;
	FILE *out;
	LIST(Text) texts;
	LIST(Said) said;
	int errors;
	bool mute;
	bool silent;            /* the last message was not shown: its notes are not either */
};

Diag *
diag_new(Arena *a, FILE *out)
{
	Diag *d = NEW(a, Diag, 1);

	d->arena = a;
	d->out = out;
	return d;
}

void
diag_source(Diag *d, const char *file, const char *text, size_t n, int before)
{
	Text t = {file, text, n, NULL, 0, before};
	LIST(size_t) starts = {0};

	LIST_ADD(d->arena, &starts, 0);
	for (size_t i = 0; i < n; i++)
		if (text[i] == '\n')
			LIST_ADD(d->arena, &starts, i + 1);
	t.line = starts.at;
	t.nline = starts.n;
	LIST_ADD(d->arena, &d->texts, t);
}

const char *
diag_line(const Diag *d, const char *file, int line, int *n)
{
	for (int i = d->texts.n - 1; i >= 0; i--) {
		const Text *t = &d->texts.at[i];
		size_t from, to;

		const int k = line - t->before;
		if (strcmp(t->file, file) != 0 || k < 1 || k > t->nline)
			continue;
		from = t->line[k - 1];
		to = k < t->nline ? t->line[k] - 1 : t->n;
		if (to > from && t->text[to - 1] == '\r')
			to--;
		*n = (int)(to - from);
		return t->text + from;
	}
	return NULL;
}

/* One byte of a source line as it can be shown: control characters would disturb the terminal. */
static void
put_byte(FILE *out, char c)
{
	fputc((unsigned char)c < ' ' && c != '\t' ? '?' : c, out);
}

/* Is this a continuation byte of UTF-8?  Such a byte takes no column of its own. */
static bool
continues(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* The part [from, to) of a line of n bytes that is shown for a span at col (from 0). */
static void
window(const char *s, int n, int col, int *from, int *to)
{
	*from = 0;
	*to = n;
	if (n <= WINDOW)
		return;
	*from = col > BEFORE ? col - BEFORE : 0;
	if (*from + WINDOW > n)
		*from = n - WINDOW;
	*to = *from + WINDOW;
	while (*from > 0 && continues(s[*from]))
		--*from;
	while (*to < n && continues(s[*to]))
		++*to;
}

const char *
diag_shown(const Diag *d, Span at, int *n, int *skipped, bool *more)
{
	int all, to;
	const char *s = at.file ? diag_line(d, at.file, at.line, &all) : NULL;

	if (!s || at.col < 1 || at.col - 1 > all)
		return NULL;
	window(s, all, at.col - 1, skipped, &to);
	*n = to - *skipped;
	*more = to < all;
	return s + *skipped;
}

static void
show_line(const Diag *d, Span at)
{
	int n, skipped, col, end;
	bool more;
	const char *s = diag_shown(d, at, &n, &skipped, &more);

	if (!s)
		return;
	col = at.col - 1 - skipped;
	fprintf(d->out, "%5d | %s", at.line, skipped ? "..." : "");
	for (int i = 0; i < n; i++)
		put_byte(d->out, s[i]);
	fprintf(d->out, "%s\n      | %s", more ? "..." : "", skipped ? "   " : "");
	for (int i = 0; i < col; i++)
		if (!continues(s[i]))
			fputc(s[i] == '\t' ? '\t' : ' ', d->out);
	end = at.len > n - col ? n : col + at.len;
	fputc('^', d->out);
	for (int i = col + 1; i < end; i++)
		if (!continues(s[i]))
			fputc('^', d->out);
	fputc('\n', d->out);
}

static void
show(const Diag *d, Span at, const char *label, const char *text)
{
	if (at.file)
		fprintf(d->out, "%s:%d:%d: ", at.file, at.line, at.col);
	fprintf(d->out, "%s: %s\n", label, text);
	if (at.file)
		show_line(d, at);
}

static const char *
format(Arena *a, const char *fmt, va_list ap)
{
	va_list again;
	int n;
	char *s;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return s;
}

/* Has this been said about this place?  Remembers it if not. */
static bool
said_before(Diag *d, Span at, const char *text)
{
	for (int i = 0; i < d->said.n; i++) {
		const Said *s = &d->said.at[i];

		if (s->at.file == at.file && s->at.line == at.line && s->at.col == at.col
		    && strcmp(s->text, text) == 0)
			return true;
	}
	LIST_ADD(d->arena, &d->said, ((Said){at, text}));
	return false;
}

bool
diag_full(const Diag *d)
{
	return d->said.n > MOST;
}

void
diag_error(Diag *d, Span at, const char *kind, const char *fmt, ...)
{
	va_list ap;
	const char *text;

	d->errors++;
	d->silent = d->mute || diag_full(d);
	if (d->silent)
		return;
	va_start(ap, fmt);
	text = format(d->arena, fmt, ap);
	va_end(ap);
	d->silent = said_before(d, at, arena_printf(d->arena, "%s %s", kind, text));
	if (d->silent)
		return;
	d->silent = diag_full(d);
	if (d->silent)
		fprintf(d->out, "more than %d errors: no more of them are shown\n", MOST);
	else
		show(d, at, arena_printf(d->arena, "error[%s]", kind), text);
}

void
diag_note(Diag *d, Span at, const char *fmt, ...)
{
	va_list ap;

	if (d->silent)
		return;
	va_start(ap, fmt);
	show(d, at, "note", format(d->arena, fmt, ap));
	va_end(ap);
}

void
diag_mute(Diag *d, bool on)
{
	d->mute = on;
}

int
diag_errors(const Diag *d)
{
	return d->errors;
}

void
ice(Span at, const char *pass, const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	if (at.file)
		fprintf(stderr, "%s:%d:%d: ", at.file, at.line, at.col);
	fprintf(stderr, "nessie: internal error in %s: ", pass);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(5);
}

bool
span_equal(Span a, Span b)
{
	return a.line == b.line && a.col == b.col && a.len == b.len && a.file && b.file && strcmp(a.file, b.file) == 0;
}

Span
span_join(Span a, Span b)
{
	if (!a.file || !b.file || a.file != b.file)
		return a.file ? a : b;
	if (b.line < a.line || (b.line == a.line && b.col < a.col)) {
		Span t = a;

		a = b;
		b = t;
	}
	/* a span ends with its line; where the line ends is not known here */
	if (a.line == b.line && b.col + b.len > a.col + a.len)
		a.len = b.col + b.len - a.col;
	return a;
}

#ifndef NESSIE_DIAG_H
#define NESSIE_DIAG_H
/* Source positions and what is said about them.
 *
 * A message is   FILE:LINE:COL: error[KIND]: TEXT   then the source line and a caret under the span.
 * KIND is a heading of docs/errors.md. */
#include <stdbool.h>
#include <stdio.h>
#include "common/arena.h"

typedef struct {
	const char *file;       /* as the user named it; NULL: no position */
	int line, col, len;     /* from 1; len in bytes, at most to the end of the line */
} Span;

typedef struct Diag Diag;

Diag *diag_new(Arena *a, FILE *out);

/* Remember a source text, so that messages can quote its lines; `before` lines of the file come before it. */
void diag_source(Diag *d, const char *file, const char *text, size_t n, int before);

/* The line `line` of `file` without its newline; *n its length; NULL if the text is not known. */
const char *diag_line(const Diag *d, const char *file, int line, int *n);
/* What is shown of the line of `at`: *n bytes, behind *skipped others; *more: it goes on.  NULL: nothing. */
const char *diag_shown(const Diag *d, Span at, int *n, int *skipped, bool *more);

/* Have so many errors been shown that no more are? */
bool diag_full(const Diag *d);
/* Report an error of the user's. */
void diag_error(Diag *d, Span at, const char *kind, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A further line of the last message, with its own position (may be none). */
void diag_note(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int diag_errors(const Diag *d);
/* While on, errors count, but neither they nor their notes are shown. */
void diag_mute(Diag *d, bool on);

/* An error of the compiler itself: names the pass and the source line, ends with exit status 5. */
_Noreturn void ice(Span at, const char *pass, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

bool span_equal(Span a, Span b);
/* The smallest span that covers both. */
Span span_join(Span a, Span b);

#endif

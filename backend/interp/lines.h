#ifndef NESSIE_LINES_H
#define NESSIE_LINES_H
/* Lines of input.  On a terminal, with editing, history and completion where libedit is there; else as they come. */
#include <stdbool.h>
#include <stddef.h>

typedef struct Lines Lines;
typedef enum { LINE_READ, LINE_END, LINE_ABANDONED } LineKind;  /* ABANDONED: Ctrl-C */

/* Calls hear(name, to) for each name that could be meant. */
typedef void NamesOf(void (*hear)(const char *name, void *to), void *to, void *context);

/* terminal: somebody is typing.  A history that cannot be read or written is left alone. */
Lines *lines_open(bool terminal, NamesOf *names, void *context);
/* The next line, its newline included; valid until the next call.  The prompt is for terminals. */
LineKind lines_next(Lines *l, const char *prompt, const char **text, size_t *n);
void lines_close(Lines *l);

#endif

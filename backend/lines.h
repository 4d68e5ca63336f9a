#ifndef NESSIE_LINES_H
#define NESSIE_LINES_H
/* The lines of the source that went into a task, or into an operation of the library. */
#include "common/ir.h"

typedef LIST(Span) SourceLines;

/* One span of each line of the task itself and of its steps, by file and line. */
SourceLines lines_of(Arena *a, const Bind *task);
/* "sums.nesl:3,5; more.nesl:7"; "" if there are none. */
const char *lines_text(Arena *a, const Bind *task);
/* The same of a function that is run in a way of its own: where it stands, or, of a scan, which is the library's, where it is called. */
const char *lines_function(Arena *a, const Program *p, const Fun *f);

#endif

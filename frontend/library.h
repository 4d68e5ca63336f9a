#ifndef NESSIE_LIBRARY_H
#define NESSIE_LIBRARY_H
/* What the library offers, from its own sources. */
#include "frontend/infer.h"

/* Markdown: for each source file its head comment, and a table of its functions and constants: how they are
 * applied, their types, and their docstrings.  Headings are the comments `% -- heading -- %` of the sources. */
void library_print(const Unit *u, FILE *out);

#endif

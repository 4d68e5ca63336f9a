#ifndef NESSIE_FLATTEN_H
#define NESSIE_FLATTEN_H
/* flatten: normal -> flan.  No nesting is left: apply-to-each becomes lifted operators over flat
 * vectors and segment descriptors, conditionals in parallel code become splits and combines, and
 * functions called there get lifted versions, made on demand. */
#include "common/unit.h"

void flatten(Unit *u);

#endif

#ifndef NESSIE_EMPTY_H
#define NESSIE_EMPTY_H
/* What costs nothing where there is nothing. */
#include "flatten/build.h"

/* Does the block work on vectors alone that are empty where n is 0, and are of these values all that it made empty then?
 * So it need not be guarded by n > 0: no task runs over no elements. */
bool empty_runs_free(Flattener *f, Opnd n, const Block *b, int nvalue, const Opnd *value);
/* Is x empty, or 0, where n is 0? */
bool empty_is(Flattener *f, Opnd n, Opnd x);

#endif

#ifndef NESSIE_GROUP_H
#define NESSIE_GROUP_H
/* flan -> flan: filters that ask, for each number below k, which elements have it, are one grouping.  Did any?  Bodies that changed
 * are stale then. */
#include "flatten/stale.h"

bool group(Program *p, Stale *stale);

#endif

#ifndef NESSIE_COUNTS_H
#define NESSIE_COUNTS_H
#include <stdio.h>
#include "common/unit.h"

/* One JSON object: where the text of u->ir, which is mem, makes arrays, takes others' memory for them, and gives them up;
 * in all and of each function and entry.  How often that is done, --stats of run tells. */
void memory_counts(const Unit *u, FILE *out);

#endif

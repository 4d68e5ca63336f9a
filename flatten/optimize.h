#ifndef NESSIE_OPTIMIZE_H
#define NESSIE_OPTIMIZE_H
/* optimize: flan -> flan that does the same with less.  With -O1 and -O0 it leaves the program as it is. */
#include "common/unit.h"

void optimize(Unit *u);

#endif

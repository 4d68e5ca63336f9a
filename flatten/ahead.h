#ifndef NESSIE_AHEAD_H
#define NESSIE_AHEAD_H
#include "common/ir.h"

/* What recursive functions fold of their parameters at their beginning is handed over by their calls. */
void ahead(Program *p);

#endif

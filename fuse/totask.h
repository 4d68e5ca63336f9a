#ifndef NESSIE_TOTASK_H
#define NESSIE_TOTASK_H
#include "common/unit.h"

/* u->ir: flan -> lcu; a task for each operator that works on elements, host code for the rest. */
void totask(Unit *u);

#endif

#ifndef NESSIE_DEEP_H
#define NESSIE_DEEP_H
#include "common/unit.h"

/* The pass: flan -> flan, in which short rows of the innermost of three levels are folded by loops. */
void deep(Unit *u);

#endif

#ifndef NESSIE_FEW_H
#define NESSIE_FEW_H
#include "common/unit.h"

/* The pass: flan -> flan, in which a vector of which only folds and a few elements are wanted is not there for these. */
void few(Unit *u);

#endif

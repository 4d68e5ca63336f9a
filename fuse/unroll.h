#ifndef NESSIE_UNROLL_H
#define NESSIE_UNROLL_H
#include "common/unit.h"

/* The pass: flan -> flan, in which folds of rows of a few elements, of a length that the program says, are scalar operators. */
void unroll(Unit *u);

#endif

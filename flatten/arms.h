#ifndef NESSIE_ARMS_H
#define NESSIE_ARMS_H
#include "common/ir.h"

/* What only one arm of the `if` at the end of a recursive function uses is made in that arm. */
void into_arms(Program *p);

#endif

#ifndef NESSIE_UNUSED_H
#define NESSIE_UNUSED_H
#include "common/ir.h"

/* lcu or mem: what a task makes and nobody reads is not made. */
void unused(Program *p);

#endif

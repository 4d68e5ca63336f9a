#ifndef NESSIE_ONCE_H
#define NESSIE_ONCE_H
#include "common/ir.h"

/* Loops make what none of their rounds changes in the first one only.  Is there such a loop? */
bool make_once(Program *p);

#endif

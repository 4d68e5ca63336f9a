#ifndef NESSIE_COUNTED_H
#define NESSIE_COUNTED_H
#include "common/ir.h"

/* lcu: of each descriptor made of lengths the host sees that an int counts its elements. */
void counted(Program *p);

#endif

#ifndef NESSIE_MEMMGMT_ORDER_H
#define NESSIE_MEMMGMT_ORDER_H
#include "common/ir.h"

/* lcu, in place: what only reads a vector comes before what may have its memory, where it can. */
void order_updates(Program *p);

#endif

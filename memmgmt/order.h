#ifndef NESSIE_MEMMGMT_ORDER_H
#define NESSIE_MEMMGMT_ORDER_H
#include "common/ir.h"

/* lcu, in place: numbers that the host reads of a vector are read before it is taken over, where they can be. */
void order_reads(Program *p);

#endif

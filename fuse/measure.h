#ifndef NESSIE_MEASURE_H
#define NESSIE_MEASURE_H
#include "common/ir.h"

/* lcu: nothing is kept only to be counted. */
void measure(Program *p);

#endif

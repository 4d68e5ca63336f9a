#ifndef NESSIE_SINK_H
#define NESSIE_SINK_H
#include "common/ir.h"

/* Move behind recursive calls what is used behind them only, and made of what lives across them anyway. */
void sink(Program *p);

#endif

#ifndef NESSIE_SINK_H
#define NESSIE_SINK_H
#include "common/ir.h"

/* Move behind recursive calls what is used behind them only, and made of what lives across them anyway. */
void sink(Program *p);

/* Is it a call of a recursive function, or is one in its blocks? */
bool recurs(const Program *p, const Bind *b);

#endif

#ifndef NESSIE_TOTAL_H
#define NESSIE_TOTAL_H
#include "common/ir.h"

/* lcu: how many elements were kept of rows, a task that reads where these begin reads there too. */
void total(Program *p);

#endif

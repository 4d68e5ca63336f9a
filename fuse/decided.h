#ifndef NESSIE_DECIDED_H
#define NESSIE_DECIDED_H
#include "common/ir.h"

/* flan: comparisons of places, and what follows from them, where these decide them. */
void decided(Program *p);

#endif

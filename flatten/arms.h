#ifndef NESSIE_ARMS_H
#define NESSIE_ARMS_H
#include "flatten/flan.h"

/* What is made element by element, and wanted so in one arm of a conditional only, is made there. */
void arms(Program *p);

#endif

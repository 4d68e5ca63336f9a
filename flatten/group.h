#ifndef NESSIE_GROUP_H
#define NESSIE_GROUP_H
/* flan -> flan: filters that ask, for each number below k, which elements have it, are one grouping.  Did any? */
#include "common/ir.h"

bool group(Program *p);

#endif

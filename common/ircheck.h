#ifndef NESSIE_IRCHECK_H
#define NESSIE_IRCHECK_H
/* The part of ir_check that only mem needs. */
#include "common/ir.h"

/* On every path each vector and descriptor is given up as often as it was counted, and not used
 * after that; for a program that is otherwise right.  As ir_check. */
const char *owner_check(const Program *p, Span *at);

#endif

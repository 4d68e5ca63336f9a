#ifndef NESSIE_EMPTY_H
#define NESSIE_EMPTY_H
/* What costs nothing where there is nothing. */
#include "flatten/build.h"

/* if gt n 0 {arm[0]} {arm[1]}: does arm[0] work on vectors alone that are empty where n is 0, and give then what arm[1]
 * gives?  Then it may stand without the `if`: no task runs over no elements. */
bool empty_runs_free(Flattener *f, Opnd cond, Block *const arm[2]);

#endif

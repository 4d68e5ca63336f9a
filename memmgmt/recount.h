#ifndef NESSIE_RECOUNT_H
#define NESSIE_RECOUNT_H
#include "common/unit.h"

/* mem -> mem, for --debug: beside the counts that the run time keeps, those that the compiler knows of are kept, and both
 * are compared at each step of the host. */
Program *recounted(const Program *p);

#endif

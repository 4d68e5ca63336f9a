#ifndef NESSIE_DEAD_H
#define NESSIE_DEAD_H
#include "common/ir.h"

/* Remove what nobody uses: bindings without effect, results of conditionals.  Checks stay, and calls of functions
 * with checks. */
void remove_dead(Program *p);

/* The same of single bodies of a program. */
typedef struct Dead Dead;
Dead *dead_new(Program *p);
void dead_remove(Dead *d, Block *body);
void dead_drop(Dead *d);               /* it is not used any more */

#endif

#ifndef NESSIE_INPUTS_H
#define NESSIE_INPUTS_H
/* --input on the command line -> inputs of the unit. */
#include "common/unit.h"

/* Appends `NAME=PATH` (its type comes from the file) or `NAME:TYPE` to u->inputs.  0, or an exit status after one
 * message: 2 if the text is wrong, 4 if the file is. */
int input_add(Unit *u, const char *text);

#endif

#ifndef NESSIE_TURNS_H
#define NESSIE_TURNS_H
#include "common/unit.h"

/* The pass: flan -> flan, in which what is asked of the elements of rows of one length, by their number, is computed from that. */
void turns(Unit *u);

#endif

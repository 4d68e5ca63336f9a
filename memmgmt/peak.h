#ifndef NESSIE_PEAK_H
#define NESSIE_PEAK_H
#include <stdio.h>
#include "common/unit.h"

/* For each entry of u->ir, which is mem: how many bytes of arrays there are at once at most, as sums over the sizes of
 * inputs and of what is only known at run time, with the lines that made what is there then. */
typedef struct Peaks Peaks;

Peaks *peaks(const Unit *u);
/* Of an entry: "peak_bytes": the points of which none has less of everything, each with its bytes and what is alive; null where
 * that depends on how deep a function recurs. */
void peak_print(const Peaks *p, const Entry *e, FILE *out);

#endif

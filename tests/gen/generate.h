#ifndef NESSIE_GEN_GENERATE_H
#define NESSIE_GEN_GENERATE_H
#include "common/arena.h"
#include <stdbool.h>
#include <stdint.h>

/* So many programs go into one compilation. */
enum { GROUP = 10 };

/* Have the programs of this group floats whose sums depend on how they are grouped? */
bool rough(uint64_t group);

/* The well-typed NESL programs of these seeds (of one group), one after the other; a program is the same, but for names,
 * whatever stands before it.  Each ends with an expression.  Two in seven may meet run-time errors. */
const char *generate_programs(Arena *a, uint64_t from, uint64_t to);

#endif

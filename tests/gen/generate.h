#ifndef NESSIE_GEN_GENERATE_H
#define NESSIE_GEN_GENERATE_H
#include "common/arena.h"
#include <stdint.h>

/* Programs whose seeds are multiples of this have floats whose sums depend on how they are grouped. */
enum { ROUGH = 9 };

/* A well-typed NESL program, the same for the same seed; its last line is one expression.  Two in seven may
 * meet run-time errors. */
const char *generate_program(Arena *a, uint64_t seed);

#endif

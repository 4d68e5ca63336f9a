#ifndef NESSIE_FUZZ_GENERATE_H
#define NESSIE_FUZZ_GENERATE_H
#include "common/arena.h"
#include <stdint.h>

/* A well-typed NESL program, the same for the same seed; its last line is one expression.  Two in seven may
 * meet run-time errors. */
const char *generate_program(Arena *a, uint64_t seed);

#endif

#ifndef NESSIE_EXPLAIN_H
#define NESSIE_EXPLAIN_H
/* `nessie explain KIND`: what docs/errors.md says about a kind of error. */
#include "common/arena.h"

/* argv[0] is "explain".  The exit status. */
int explain_command(Arena *a, int argc, char **argv);

#endif

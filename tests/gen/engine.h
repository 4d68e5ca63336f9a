#ifndef NESSIE_GEN_ENGINE_H
#define NESSIE_GEN_ENGINE_H
/* Runs of nessie and of what it makes, each in a process of its own, but without starting a program: nessie's main
 * function is part of this one, and C is compiled in memory by libtcc, where it is. */
#include "common/arena.h"
#include <stdbool.h>

typedef struct {
	int status;             /* 128 and more: ended by a signal, also after SECONDS of processor time (with sanitizers: 30 times) */
	char *out, *err;
} Result;

#define DEPTH "--max-depth=4000"
#define ECHO "--echo=all"

enum { SECONDS = 60 }; /* some ten programs in one take gcc longer than 20 */

/* `nessie OPTIONS FILE ARG..`; options are parted by blanks, args (or NULL) end with a NULL.
 * No deeper recursion than DEPTH, which a few wrong programs meet and the others never, and which leaves rows of few elements the calls
 * that they may have (backend/rt/nesl_cpu_small.h); what forms set is told, too. */
Result engine_nessie(Arena *a, const char *options, const char *file, const char *const *args);

/* The same for `run --target=cpu`.  `edit`, if it is not NULL, may change the C text. */
Result engine_cpu(Arena *a, const char *options, const char *file, const char *const *args, const char *stats,
	const char *(*edit)(Arena *, const char *text));

/* Is libtcc there? */
bool engine_in_memory(void);

#endif

#ifndef NESSIE_FLATTEN_RULES_H
#define NESSIE_FLATTEN_RULES_H
/* Laws of flan's operators, one line each, as text (rules.c), and their application. */
#include "flatten/build.h"

typedef struct Rules Rules;

/* The laws, read; fused: those too for which tasks must be put together. */
const Rules *rules_new(Arena *a, bool fused);
/* Is there a law for op args, a result of type ty?  *out: what it is equal to; what is needed for that is emitted. */
bool rules_apply(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg, Opnd *out);
/* Law number i, as "FROM = TO"; NULL if there are not so many. */
const char *rules_text(Arena *a, int i);

#endif

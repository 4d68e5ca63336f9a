#ifndef NESSIE_INTERP_SESSION_H
#define NESSIE_INTERP_SESSION_H
/* Values of variables from one run of the interpreter to the next.  The units of the runs come and go, so values are
 * kept by the name of their cell, with types of the session's own. */
#include "backend/interp/value.h"

typedef struct Session Session;

Session *session_new(Arena *a);
/* The cell's value, which the caller then owns; false: it has none. */
bool session_get(const Session *s, const Cell *c, Value *v);
/* Takes v, in the place of the value that there was. */
void session_put(Session *s, const Cell *c, Value v);

#endif

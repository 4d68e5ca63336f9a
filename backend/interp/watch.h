#ifndef NESSIE_INTERP_WATCH_H
#define NESSIE_INTERP_WATCH_H
/* `set trace` and `set profile`: calls of a function shown on stderr, or counted. */
#include "backend/interp/eval.h"

/* Obeys the setting "trace F" or "profile F". */
void watch_set(Function *all, const char *setting, i64 value);
/* Around a call of a watched function; result NULL: it failed. */
void watch_enter(Machine *m, Function *f, const Value *arg);
void watch_leave(Machine *m, Function *f, const Value *result);
/* Tells what was counted, and counts anew. */
void watch_report(Machine *m, Function *all);

#endif

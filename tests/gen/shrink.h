#ifndef NESSIE_GEN_SHRINK_H
#define NESSIE_GEN_SHRINK_H
#include "common/arena.h"
#include <stdbool.h>

/* A smaller program for which `fails` still holds, as it does for text.  It is tried at most `tries` times. */
const char *shrink(Arena *a, const char *text, bool (*fails)(void *with, const char *text), void *with, int tries);

#endif

#ifndef NESSIE_ROOM_H
#define NESSIE_ROOM_H
#include "common/unit.h"

/* mem -> mem with `reserve`: arrays that are made one after the other and end together have one block of memory, where
 * their sizes are known before the first of them is made. */
void rooms(Program *p);

#endif

#ifndef NESSIE_NEEDED_H
#define NESSIE_NEEDED_H
#include "common/unit.h"

/* Of the library's sources, before they are parsed, leave what the program's can come to; the names of the rest are told in
 * u->unread.  All of it where a program may ask for any name. */
void keep_needed(Unit *u);

#endif

#ifndef NESSIE_MEMORY_H
#define NESSIE_MEMORY_H
#include "common/unit.h"

/* u->ir: lcu -> mem; says when each vector and descriptor ends.
 *
 *   - What a task, a library routine, a call or an `if` gives is owned by the block that binds it.
 *   - A call hands one count over for each mention of what the function's parameter owns; the others are lent (lend.h), as
 *     all callers go on with them.  So what a caller does not need after a recursive call ends before it, or in it, and not
 *     when it returns.
 *   - `cell` gives borrowed references: the cell keeps its value until an entry that sets it has ended, or until
 *     `forget`, which stands where nobody reads it again (memmgmt/cells.h).
 *   - A yield of a function, an arm or an entry hands one count over for each mention; results of an
 *     entry are moved into its cells, which then give up what they held.
 *   - `free v` gives up one count, `retain v` adds one (ir_check follows them along every path). */
void memory(Unit *u);

#endif

#ifndef NESSIE_SAME_H
#define NESSIE_SAME_H
/* Which tasks of a program are the same but for names and places, so that a back end can print one text
 * for all of them.
 *
 * Two tasks are the same if their bindings have the same operators, levels, types, constants and kinds of
 * check, in the same order, their operands coincide in the same way, and the same fetches and marks are checked (same_checked). */
#include "fuse/tail.h"

typedef struct Same Same;

/* All tasks of p, an lcu or mem program, in the order of their texts: functions that jump to each other are one (fuse/tail.h). */
Same *same_tasks(const Program *p, Map *tail);
/* The first task that is the same as this one; itself, if there is none before it. */
const Bind *same_first(const Same *s, const Bind *task);
/* It and all that are the same, in this order. */
const Bind *const *same_all(const Same *s, const Bind *task, int *n);
/* The in_range of `task` that compares the place of this fetch or mark with the length of its vector, NULL: none.  Its length is what
 * the function says that it is: a number that it asks for, or the n of a task that stored it. */
const Bind *same_checked(const Same *s, const Bind *task, const Bind *step);
/* What stands in `task` where its first has the free variable v. */
Var *same_var(const Same *s, const Bind *task, const Var *v);

#endif

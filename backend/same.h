#ifndef NESSIE_SAME_H
#define NESSIE_SAME_H
/* Which tasks of a program are the same but for names and places, so that a back end can print one text
 * for all of them.
 *
 * Two tasks are the same if their bindings have the same operators, levels, types, constants and kinds of
 * check, in the same order, their operands coincide in the same way, and the same numbers are lengths of the same vectors. */
#include "fuse/tail.h"

typedef struct Same Same;

/* All tasks of p, an lcu or mem program, in the order of their texts: functions that jump to each other are one (fuse/tail.h). */
Same *same_tasks(const Program *p, Map *tail);
/* The first task that is the same as this one; itself, if there is none before it. */
const Bind *same_first(const Same *s, const Bind *task);
/* It and all that are the same, in this order. */
const Bind *const *same_all(const Same *s, const Bind *task, int *n);
/* Is n the length of v?  The function says so in which both are: it asks for it, or v is what a task stores for each of n. */
bool same_measures(const Same *s, Opnd n, Opnd v);
/* What stands in `task` where its first has the free variable v. */
Var *same_var(const Same *s, const Bind *task, const Var *v);

#endif

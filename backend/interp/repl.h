#ifndef NESSIE_REPL_H
#define NESSIE_REPL_H
/* The interactive top level. */
#include "common/unit.h"

/* What it needs of the driver. */
typedef struct {
	int (*library)(Unit *u);        /* add the library's sources; 0, or the exit status */
	void (*type)(Unit *u);          /* parse and type them all */
	void (*normal)(Unit *u);        /* from there to normal */
} FrontEnd;

/* Reads forms from standard input and evaluates each as it is complete, until `exit` or the end.  Files first, as
 * `load` does with print := t.  Gives the exit status: 0, or 4 where there is no memory, no process, no library. */
int repl(const FrontEnd *c, const Input *inputs, int int_bits, long long print_length, long long max_depth, int nfile,
	const char *const *file);

#endif

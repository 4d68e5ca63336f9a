#ifndef NESSIE_INTERP_H
#define NESSIE_INTERP_H
/* The interpreter: evaluates normal as it stands.  It is the meaning of the language; the compiled
 * targets must agree with it. */
#include "backend/interp/session.h"
#include "common/unit.h"

typedef struct {                /* all zero: the defaults */
	const char *echo;       /* values (NULL too), all, none */
	long long print_length; /* elements shown per level; 0: 100 */
	long long max_depth;    /* of non-tail calls in recursive functions; 0: 1,000,000 */
	bool all_faults;        /* tell each element's first fault, not only the first of all */
	bool time;              /* tell the seconds on err */
	FILE *out, *err;        /* NULL: stdout, stderr */
	FILE *answers;          /* of commands; NULL: err */
	Session *session;       /* values from earlier runs, and for later ones; NULL: none */
} InterpOptions;

/* Reads u->inputs, runs the entries of u->ir (normal) in order, echoes values to out, tells run-time
 * errors on err.  A form that fails leaves its cells as they were and does not stop later ones.
 * 0: all ran; 3: a run-time error in some form; 4: an input cannot be read, or the output not written.
 * Out of memory ends the process with status 4, Ctrl-C with 130.
 * Streams that the program left open stay so, for what is run next (nesl_stream_end closes them). */
int interp_run(Unit *u, const InterpOptions *o);

#endif

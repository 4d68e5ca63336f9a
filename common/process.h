#ifndef NESSIE_PROCESS_H
#define NESSIE_PROCESS_H
/* Other programs: started with an argument vector, never through a shell, and private directories
 * that go away whichever way we leave. */
#include <stdbool.h>
#include "common/arena.h"

typedef struct Process {
	const char *exe;                /* a path, or a name looked for in PATH */
	const char *const *argv;        /* ends with NULL; argv[0] is what it calls itself */
	const char *dir;                /* where it runs and keeps its temporary files, /dev/null its stdin; NULL: as we do */
	const char *output;             /* file for its stdout and stderr; NULL: ours */
	const char *errors;             /* file for its stderr, if that is another; NULL: output */
	double seconds;                 /* it is ended if it takes longer; 0: it may take as long as it wants */
} Process;

/* Runs it to its end, interrupts held; it is ended with us if we are killed.  Its exit status, or 128 + N if signal N ended it; -1 and
 * errno if it could not be started, ETIMEDOUT if it took too long.  *interrupt: the signal that we were sent meanwhile, else 0. */
int process_run(const Process *p, int *interrupt);

/* The path of a program in PATH, or of a name that has a slash; NULL if there is none. */
const char *process_find(Arena *a, const char *name);

/* A new private directory under $TMPDIR or /tmp; NULL and errno. */
const char *tempdir_new(Arena *a);
void tempdir_remove(const char *dir);

/* The same for a while that ends well whichever way we leave.  Ctrl-C and its like wait: process_run notices them and passes them on
 * to the program it waits for, and what is pending at the end ends us then; so what stands between the two is cleaned up by
 * plain code, not by a handler.  They nest. */
const char *tempdir_begin(Arena *a);
void tempdir_end(const char *dir);

/* Says on stderr what cannot be done to `path` and why (errno); gives 4, the exit status for that. */
int cannot(const char *what, const char *path);

#endif

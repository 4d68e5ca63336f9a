#ifndef NESL_FAULT_H
#define NESL_FAULT_H
/* Run-time errors as the user sees them: one text for every target (docs/ir.md, "Faults"). */
#include "nesl_scalar.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place that can fail.  `text` is its source line, quoted under the message, or of a long one what there is around the place, behind
 * so many bytes that are skipped; more: and before others.  May be NULL. */
typedef struct {
	const char *kind;       /* index-range, length-mismatch, ... */
	const char *file;
	int line, col, len;
	const char *text;
	int skipped, more;
} nesl_site;

/* The message (status 4) of a sequence, or of rows together, with more elements than an int can count. */
#define NESL_TOO_LONG(n, bits) \
	"%lld elements are too many for ints of %d bits%s", (long long)(n), (int)(bits), (bits) == 32 ? ": --int=64 is needed" : ""

/* The elements of apply-to-each that a fault is in, innermost first. */
enum { NESL_PATH_MAX = 16 };
typedef struct {
	i64 index[NESL_PATH_MAX];
	int n;
	int more;               /* further out there are others, not kept or not known */
} nesl_index_path;

void nesl_path_add(nesl_index_path *p, i64 index);

/* -- the way from an element out of apply-to-each (common/ir.h, docs/ir.md "Ways out") ------------- */
typedef enum {
	NESL_END,               /* of the way; then that of the frame above */
	NESL_ROWS,              /* at: i64 offsets of n rows, n + 1 of them */
	NESL_GRID,              /* n rows of `length` */
	NESL_PICKED,            /* at: n ints of the program, the row of each */
	NESL_HOST,              /* an apply-to-each at the host */
	NESL_INWARD,            /* to the first element that the n steps behind it lead out of; they are no steps */
	NESL_HIDDEN, NESL_LOST,
	NESL_PARTS,             /* rows of two parts, one after the other; behind it the rows of the first, and how many steps
	                         * lead on from it and from the second: three of these that are no steps, then those */
	NESL_INTO               /* from a row to one of its elements: behind it which, and the rows; neither is a step */
} nesl_step_kind;

typedef struct {
	nesl_step_kind kind;
	i64 n;
	const void *at;         /* where the target keeps it */
	i64 length;
} nesl_step;

/* A call that runs: the way out from the callee's rows. */
typedef struct nesl_frame {
	const nesl_step *way;
	const struct nesl_frame *up;
} nesl_frame;

/* Number i of a step's.  May be slow: it runs after a fault. */
typedef i64 nesl_read_step(const nesl_step *step, i64 i);

/* The path of element e, along `way` (NULL: none) and then the frames from f outwards. */
nesl_index_path nesl_path_of(const nesl_step *way, const nesl_frame *f, i64 e, nesl_read_step *read);

/* The message of the next fault of kind user-error.  The text is kept; NULL where there is no memory for it. */
const char *nesl_fault_say(const char *text);

/* This one instead, from malloc or NULL; gives what was. */
char *nesl_fault_swap(char *text);

/* Is it no fault of the program's, but a fact of the compiler's that does not hold? */
int nesl_fault_internal(const nesl_site *site);

/* FILE:LINE:COL: error[KIND]: MESSAGE, the source line, a caret, the path if it has an index.  v: the values of the kind. */
void nesl_fault_print(FILE *out, const nesl_site *site, const i64 v[3], const nesl_index_path *path);
/* The same of another message, without a path. */
void nesl_site_print(FILE *out, const nesl_site *site, const char *message);

#ifdef __cplusplus
}
#endif
#endif

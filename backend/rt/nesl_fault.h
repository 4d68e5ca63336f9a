#ifndef NESL_FAULT_H
#define NESL_FAULT_H
/* Run-time errors as the user sees them: one text for every target (docs/ir.md, "Faults"). */
#include "nesl_scalar.h"
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place that can fail.  `text` is its source line, quoted under the message; may be NULL. */
typedef struct {
	const char *kind;       /* index-range, length-mismatch, ... */
	const char *file;
	int line, col, len;
	const char *text;
} nesl_site;

/* The message of the next fault of kind user-error.  The text is kept; NULL where there is no memory for it. */
const char *nesl_fault_say(const char *text);

/* FILE:LINE:COL: error[KIND]: MESSAGE, the source line, a caret.  v: the values of the kind. */
void nesl_fault_print(FILE *out, const nesl_site *site, const i64 v[3]);

#ifdef __cplusplus
}
#endif
#endif

#ifndef NESSIE_IRCHECK_H
#define NESSIE_IRCHECK_H
/* The parts of ir_check that only one IR needs; for programs that are otherwise right.  As ir_check. */
#include "common/ir.h"

/* normal: what is serial is in no foreach. */
const char *serial_check(const Program *p, Span *at);

/* flan on: what its functions do that is done by others in nested form (irnested.c). */
const char *nested_check(const Program *p, Span *at);
/* A function that says it is the scan by another (irscan.c). */
const char *scan_check(const Program *p, Span *at);

/* normal: a function that says what does the same for rows (irrows.c). */
const char *rows_check(const Program *p, Span *at);

/* mem: on every path each vector and descriptor is given up as often as it was counted, and not used
 * after that. */
const char *owner_check(const Program *p, Span *at);

#endif

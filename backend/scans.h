#ifndef NESSIE_SCANS_H
#define NESSIE_SCANS_H
/* Functions that are the scan by another (common/irscan.c), where a target runs them by that, their operator, and not by their own code:
 * backend/cpu/scan.c, backend/cuda/scan.c. */
#include "fuse/scalars.h"

/* f as its operator takes it: the first `own` parameters of both are what that captured; then come the n leaves of the identity, and n
 * columns, whose elements are scanned. */
typedef struct {
	const Fun *by;
	int own, n;
	bool faults;            /* an application may meet a fault; then f's own code does all of it, and tells */
} ScanShape;
ScanShape scan_shape(const Program *p, Map *scalars, const Fun *f);
const Var *scan_column(const ScanShape *s, const Fun *f, int i);
const Var *scan_identity(const ScanShape *s, const Fun *f, int i);

/* What f goes through: the first of what it scans; of one that is no scan but for rows, how many these are. */
const Var *scan_space(const Program *p, const Fun *f);

/* Is f a scan whose operator meets no fault? */
bool scan_never_fails(const Program *p, Map *scalars, const Fun *f);
/* p, in which such functions do nothing of their own. */
Program *scans_by_operators(Program *p);

#endif

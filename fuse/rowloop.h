#ifndef NESSIE_ROWLOOP_H
#define NESSIE_ROWLOOP_H
#include "fuse/members.h"

typedef struct RowFold {
	int op;                 /* a reduction of flan, which finds no place */
	Opnd of;                /* a member */
	const char *name;       /* of what it gives */
} RowFold;

/* What the loop is called with for a row, behind the parameters that it always has: how many elements there are, and for each fold what it
 * begins with. */
typedef struct RowArg {
	Opnd is;                /* a member that is the same for all of a row, or what is no member: a scalar, or all of a vector or descriptor */
	bool each;              /* the first */
} RowArg;
typedef LIST(RowArg) RowArgs;

/* A new scalar function of p, called after `name`, that does these folds of one row: n, 0, the identities, and *arg.  made: by Var.id,
 * what made each member. */
Fun *row_loop(Program *p, const Members *m, const Bind *const *made, const char *name, int nfold, const RowFold *fold, RowArgs *arg);

#endif

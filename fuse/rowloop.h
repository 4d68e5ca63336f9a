#ifndef NESSIE_ROWLOOP_H
#define NESSIE_ROWLOOP_H
#include "fuse/members.h"

typedef struct RowFold {
	int op;                 /* a reduction of flan */
	Opnd rows, of, place;   /* its operands: the descriptor of all elements or of what is kept, a member or a constant, a member if it finds a place */
	const char *name;       /* of what it gives */
} RowFold;

/* What the loop is called with for a row, behind the parameters that it always has: how many elements there are, 0, and for each fold what it
 * begins with, and a place if it finds one (row_begin). */
typedef struct RowArg {
	Opnd is;                /* a member that is the same for all of a row, or what is no member: a scalar, or all of a vector or descriptor */
	bool each;              /* the first */
} RowArg;
typedef LIST(RowArg) RowArgs;

/* How many results a fold has, of which the last is what it gives; and what they begin with. */
int row_results(const RowFold *f);
Opnd row_begin(const Program *p, const RowFold *f, int i);
/* A new scalar function of p, called after `name`, that does these folds of one row: n, 0, the identities, and *arg.  made: by Var.id,
 * what made each member. */
Fun *row_loop(Program *p, const Members *m, const Bind *const *made, const char *name, Span span, int nfold, const RowFold *fold,
	RowArgs *arg);

#endif

#ifndef NESSIE_TOLD_H
#define NESSIE_TOLD_H
#include "flatten/build.h"

/* What a scalar is not. */
enum { NOT_ZERO = 1, NOT_MINUS_ONE = 2, NOT_NEGATIVE = 4 };

/* What a comparison tells of x, if it is one of x with a number, and holds or not: a set.  Of floats a NaN is none of these. */
unsigned told_of(const Bind *comparison, bool holds, Opnd x);
/* Does this condition of a check, which is scalar, ask no more than that of its last operand? */
bool told_suffices(Flattener *f, const Bind *condition, unsigned told);

#endif

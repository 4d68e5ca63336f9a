#ifndef NESSIE_SHAPE_LAWS_H
#define NESSIE_SHAPE_LAWS_H
/* Sizes of what operators make. */
#include "shape/size.h"

/* The elements of v, all of them, together. */
const Size *size_sum(Sizes *z, Shape v);
/* The value of this operator's result on these operands: what the laws say, or else an atom, the same for the same
 * operands.  ty: of an element of the first operand (comparisons).  vector: has it one value for each place? */
const Size *size_apply(Sizes *z, int op, bool lifted, int result, bool vector, TyKind ty, int narg, const Shape *arg);
/* What each row has, for its elements. */
const Size *size_spread(Sizes *z, Shape rows, const Size *x);
/* An atom for this result, taken apart no further; natural: never below zero. */
const Size *size_plain(Sizes *z, int op, bool lifted, int result, bool vector, bool natural, TyKind ty, int narg,
	const Shape *arg);
/* Is it, or is each of these, a truth, a length of a descriptor's row, or a sum of such?  Then the sum of all is no more than
 * can be counted; that of numbers which are only never below zero, the larger of two, may wrap. */
bool size_countable(const Size *w);
/* The elements of a vector that has none. */
const Size *size_none(Sizes *z);
/* The same number over what `become` gives for atoms (NULL: the same over other operands, which is done `deeper` more times:
 * with 0 the atom stays).  In one round (size_round) it gives the same for an atom each time, so a number that is met
 * again is not gone into again: what is made of sums over the same sums has as many paths as its depth's power. */
typedef const Size *Become(void *what, const Atom *a, int deeper);
typedef struct Over {
	Become *become;
	void *what;
	int round;
} Over;
const Size *size_over(Sizes *z, const Size *s, const Over *over, int deepest);

#endif

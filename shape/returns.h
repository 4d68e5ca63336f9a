#ifndef NESSIE_SHAPE_RETURNS_H
#define NESSIE_SHAPE_RETURNS_H
/* What holds behind a call, or an arm: the checks in it have passed. */
#include "shape/walk.h"

/* An unknown for each slot of these results. */
const Size **returns_new(Arena *a, Sizes *z, const Ties *result);
/* The end of a function, or of an arm: the slots of what it gives there, and what these are outside, where unknowns
 * lo .. hi-1 and names of cells mean the same. */
typedef struct Ends {
	const Ties *ties;
	const Size *const *from, *const *to;
	int lo, hi;
} Ends;
/* Of these checks, those that can be told outside. */
PassedList returns_outwards(Walk *w, const PassedList *l, const Ends *ends);
/* And a number of outside as it is at this end. */
const Size *returns_inwards(Walk *w, const Size *s, const Ends *ends);
/* r returns results whose slots are these, having passed what w has.  Is something else known of its ends than before? */
bool returns_met(Walk *w, Routine *r, const Size *const *slot);

/* A call of r: the slots of its arguments, and of what it gives. */
typedef struct Actual {
	const Routine *r;
	const Size *const *arg, *const *result;
} Actual;
/* What is an unknown of the callee at this call (Become, of an Actual)? */
const Size *returns_actual(void *call, const Atom *a, int deeper);
PassedList returns_say(Walk *w, Actual *call);

#endif

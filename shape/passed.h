#ifndef NESSIE_SHAPE_PASSED_H
#define NESSIE_SHAPE_PASSED_H
/* Checks that did not fail, and those that somebody has passed who has come to an end: a form, a function that returns. */
#include "shape/facts.h"

typedef struct Passed {
	const Bind *check;
	const Size *says;               /* the truth */
	By by;
} Passed;
typedef LIST(Passed) PassedList;

/* What had passed at the end that was met last. */
typedef struct PassedBy {
	PassedList all;
	int changes;
} PassedBy;

/* It ends having passed these.  Are they others than before?  After some changes there are none, so that this ends. */
bool passed_met(Arena *a, PassedBy *by, const PassedList *passed);

#endif

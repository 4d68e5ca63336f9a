#ifndef NESSIE_SHAPE_RANGE_H
#define NESSIE_SHAPE_RANGE_H
/* Between which constants a number, or each element of a vector, is. */
#include "shape/size.h"

typedef struct Range {
	int64_t lo, hi;
} Range;

/* Of a comparison with a constant: x is below c, from c on, c, or not c. */
typedef struct Compared {
	const Size *x;
	enum { BELOW, FROM, IS, IS_NOT } how;
	int64_t c;
} Compared;

/* What the truth says if it holds, or does not; false: it compares nothing with a constant. */
bool range_said(Sizes *z, const Size *truth, bool holds, Compared *said);
void range_narrow(Range *r, const Compared *said);
/* Always, whatever holds where we are. */
Range range_of(Sizes *z, const Size *x);

#endif

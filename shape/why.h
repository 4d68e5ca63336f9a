#ifndef NESSIE_SHAPE_WHY_H
#define NESSIE_SHAPE_WHY_H
/* Why a check is proved, in words of the program. */
#include "common/map.h"
#include "common/unit.h"

typedef struct Reason {
	Span at;
	const char *says;               /* #c = #b */
} Reason;
typedef LIST(Reason) Reasons;

/* The constraints that its condition follows from, each from an operator's rule (shape/rules.def), those of what is
 * used before those of what uses it.  names: of sizes, for what arms and calls give. */
void why_proved(Shapes *s, Arena *a, Map *names, const Bind *check, Reasons *to);

#endif

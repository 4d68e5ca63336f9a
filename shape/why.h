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

typedef struct Why Why;
/* names: of sizes, for what arms and calls give. */
Why *why_new(Shapes *s, Arena *a, Map *names);
/* The constraints that a check's condition follows from, each from an operator's rule (shape/rules.def), those of what is
 * used before those of what uses it. */
void why_proved(Why *w, const Bind *check, Reasons *to);

#endif

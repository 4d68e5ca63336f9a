#ifndef NESSIE_SHAPE_RULES_H
#define NESSIE_SHAPE_RULES_H
/* The rules of shape/rules.def, read and applied. */
#include "shape/size.h"

/* The shapes of the results of b, an operator with a rule, from those of its operands.  False if there is none. */
bool rules_shape(Sizes *z, const Bind *b, const Shape *arg, Shape *result);
/* What the rule of b says of its result of this number: of its length, or its value; up to *end.  NULL: nothing. */
const char *rules_says(const Bind *b, int result, bool length, const char **end);

#endif

#ifndef NESSIE_SHAPE_TEXT_H
#define NESSIE_SHAPE_TEXT_H
/* Sizes as text. */
#include "common/map.h"
#include "shape/size.h"

/* A sum of products over what atoms are called (Atom -> text); one without a name is told by the operator that makes it,
 * or is `unknown`. */
const char *size_text(Arena *a, Map *names, const Size *s);

#endif

#ifndef NESSIE_SHAPE_MADE_H
#define NESSIE_SHAPE_MADE_H
/* What is bound: where something is there that it is the same as, that stands for it; and in the last walk, what is made of it. */
#include "shape/walk.h"

/* What stands for o; for each of x. */
Opnd made_same(const Walk *w, Opnd o);
Opnd *made_all_same(const Walk *w, int n, const Opnd *x);
/* b over what stands for its operands, at the end of what is made.  NULL: this is not the last walk. */
Bind *made_emit(Walk *w, const Bind *b);
/* b, or what makes of as many elements as something that is there. */
const Bind *made_as_many(Walk *w, const Bind *b);
/* Is what b makes made in a better way: as a descriptor of rows of one length; of a total that the host has; as starts of rows of one length? */
bool made_uniform(Walk *w, const Bind *b);
bool made_told(Walk *w, const Bind *b);
bool made_start(Walk *w, const Bind *b);
/* From here on v are there, or what they are the same as.  made: they are made by `uniform`.  by: what binds them; NULL: they are parameters. */
void made_bound(Walk *w, int n, Var *const *v, bool made, const Bind *by);

#endif

#ifndef NESSIE_SHAPE_TIES_H
#define NESSIE_SHAPE_TIES_H
/* What some variables have in common, whichever way they come: parameters at all calls, results of all arms and of all
 * returns.  Each has *slots*: the value of a scalar; length and elements of a vector; length, elements and total of a
 * descriptor (of a vector of ints too).  Slots that are the same each time, or differ by
 * the same number, are tied. */
#include "shape/laws.h"

typedef struct Ties Ties;

Ties *ties_new(Arena *a, int n, const Ty *const *ty);
int ties_slots(const Ties *t);
/* What the slots are for variables of these shapes. */
void ties_of(Sizes *z, const Ties *t, const Shape *x, const Size **slot);
/* The variable whose elements slot i is; -1: it is something else. */
int ties_elements(const Ties *t, int i);
/* They may be this, too.  Is less in common than before?  What was the same each time stays known as that, if it is a
 * constant or over unknowns lo .. hi-1 only. */
bool ties_meet(Arena *a, Sizes *z, Ties *t, const Size *const *slot, int lo, int hi);
/* Nothing was met yet: no call, no return. */
bool ties_none(const Ties *t);
void ties_reset(Ties *t);
/* Shapes of variables with no more in common than all that was met; what is known is given over other atoms by `become` (NULL: as it
 * is).  of: for each unknown made its slot, appended. */
typedef LIST(int) SlotList;
void ties_make(Arena *a, Sizes *z, const Ties *t, Var *const *v, Become *become, void *what, Shape *x, SlotList *of);

#endif

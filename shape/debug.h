#ifndef NESSIE_SHAPE_DEBUG_H
#define NESSIE_SHAPE_DEBUG_H
/* --debug: what is known of sizes is checked when the program runs, by checks of the kind `shape:FACT`. */
#include "shape/walk.h"

/* v is there, of shape s, bound by `by` (NULL: a parameter): checks, at the end of what is made, that its sizes, elements and
 * what stands for it are what they are known to be, as far as they come from what was there before. */
void debug_bound(Walk *w, const Var *v, Shape s, const Bind *by);
/* The check is proved: it stays, as one of a fact. */
void debug_proved(Walk *w, const Bind *check);
/* Where a scope begins; and its end: what it bound is no longer there. */
int debug_mark(const Walk *w);
void debug_forget(Walk *w, int mark);

#endif

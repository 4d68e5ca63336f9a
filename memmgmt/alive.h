#ifndef NESSIE_ALIVE_H
#define NESSIE_ALIVE_H
/* Arrays with their owners while peak.c goes through a program, and the points where most is alive. */
#include "common/map.h"
#include "shape/size.h"

typedef struct Alive Alive;

Alive *alive_new(Arena *a, Sizes *z);
/* One of one owner; its number.  at: where it was made, FILE:LINE, or the input's name; grown: how often it was extended. */
int alive_new_array(Alive *w, const Size *bytes, const char *at, int grown);
int alive_grown(const Alive *w, int array);
/* It has so many owners more; one of none is gone. */
void alive_owners(Alive *w, int array, int more);

typedef struct {
	int array, count;
} Owner;
typedef LIST(Owner) Owned;      /* arrays that have owners, and how many */

Owned alive_owned(Alive *w);
/* These, and no others. */
void alive_set(Alive *w, const Owned *l);

/* An entry begins: points before it do not count any more.  What is alive is looked at. */
void alive_begin(Alive *w);
/* What is alive is looked at; those that were before say nothing more of it if nothing came since the last. */
void alive_point(Alive *w);
/* "peak_bytes": the points of which none has less of everything, each with its bytes and what is alive, by line; or null, and
 * "at_most".  names: of atoms (shape/text.h). */
const char *alive_text(Alive *w, Map *names);

#endif

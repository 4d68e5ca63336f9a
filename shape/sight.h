#ifndef NESSIE_SHAPE_SIGHT_H
#define NESSIE_SHAPE_SIGHT_H
/* What there is where the walk is: values by their sizes, and what has so many elements. */
#include "common/map.h"
#include "shape/facts.h"
#include "shape/table.h"

typedef struct Walk Walk;

typedef struct Known {
	const Size *size;               /* of a descriptor: see sight_key */
	Opnd is;
	Shape shape, as;                /* of `is`; by which it is known here */
	bool uniform;                   /* a descriptor that `uniform` makes */
	bool counts;                    /* a number: something that is there has so many elements */
	Opnd given;                     /* of that, what it is in the program that is walked: `is` may have been made here */
	int serial;
	struct Known *before;
} Known;

/* A vector or a descriptor that has so many elements. */
typedef struct Counted {
	const Size *n;
	Var *of;
	Block *in;                      /* made there, */
	Bind *after;                    /* right behind this; NULL: before all */
	int serial;                     /* in Sight.counted */
	struct Counted *before;
} Counted;

/* What a walk has come by, and can see from where it is, besides facts. */
typedef struct Sight {
	LIST(Known *) known;            /* values, in the order they came */
	Map *by_size;                   /* the latest Known of a size, or of a descriptor's shape */
	LIST(Counted *) counted;        /* what has so many elements, in the order it came */
	Map *by_count;                  /* the latest of a size */
	int since, counts_since;        /* of known, and of counted, those before are behind a clock */
	LIST(Told) told;                /* checks and conditions around us */
	PassedList passed;              /* of these, the checks */
} Sight;

enum { MOST_TOLD = 32 };        /* so many of what was bound last are looked at when more is known */

Sight sight_none(Arena *a);
void sight_drop(Sight *s);
/* Where a block begins; and its end: what it bound is no longer there.  What it has passed stays. */
typedef struct SightMark {
	int known, counted, since, counts_since, told;
} SightMark;
SightMark sight_mark(const Walk *w);
void sight_back(Walk *w, SightMark m);
/* Nothing that comes behind this is the same as what was before. */
void sight_clock(Walk *w);

/* v, of this shape, is there, and is like this; also: unless something is there that it is the same as. */
void sight_know(Walk *w, const Var *v, Shape s, Known like);
void sight_also(Walk *w, const Var *v, Shape s, Known like);
/* v, which is there, has n elements. */
void sight_count(Walk *w, Var *v, const Size *n);
/* What is there that v, of this shape, is the same as; NULL: nothing. */
const Known *sight_find(Walk *w, const Var *v, Shape s);
/* Does the host have this number?  Then *is is it. */
bool sight_number(Walk *w, const Size *n, Opnd *is);
/* What v is known by. */
const Size *sight_key(Walk *w, const Var *v, Shape s);
/* As all says that is known where we are. */
Shape sight_shape(Walk *w, Shape s);
/* More is known: of descriptors that are there, too.  And the lengths of rows were compared, and are equal if this is true: descriptors of
 * the ones are those of the others. */
void sight_told(Walk *w);
void sight_equal(Walk *w, Shape truth);

#endif

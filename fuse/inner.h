#ifndef NESSIE_INNER_H
#define NESSIE_INNER_H
/* Of levels three deep, what is made of the innermost rows: deep.c tells what becomes of it. */
#include "common/arena.h"
#include "flatten/survey.h"
#include "fuse/members.h"
#include "shape/shape.h"

typedef struct Deep {
	Program *p;
	Shapes *shapes;
	Survey *survey;
	int nvar;               /* what follows is by Var.id, of the program as it was */
	const Bind **made;      /* what made it; NULL: a parameter, or a result of blocks */
	int *born;              /* which binding of the body that is; 0: a parameter */
	const Block **home;
	bool *stored;           /* in memory anyway */
	int *counted, count;    /* when its steps were counted last; how often any were */
	int bindings;
	bool timed;             /* nothing may move */
} Deep;

/* t's members and what is made of their folds for each of its rows: what goes into arms. */
typedef struct Region {
	Deep *d;
	Block *block;
	Bind *t;
	Members members;
	LIST(Bind *) part;      /* t first */
	bool *here;             /* by Var.id: a vector of the rows, of what is folded of them */
	bool *last;             /* by Var.id: folded of such in turn, and so one for several rows */
	bool *out;              /* by Var.id: either, and wanted elsewhere */
	int *phase;             /* by Var.id, also of members: known after so many loops */
	Bind *place;            /* the last that is of members: the arms stand there */
	int known;              /* Deep.born of the last result up to there */
	bool told, checks;      /* something may tell of faults since the place; one of part does */
	bool outside;           /* something since the place is made of what is here, and is not part of it */
	const Var *like;        /* a vector of the rows */
	Var *around;            /* the descriptor whose elements they are */
	LIST(Var *) result;
	Arena *scratch;
} Region;

/* Which of a body's vectors are in memory anyway, and what makes the others. */
void inner_look(Deep *d, const Block *body);
/* Was it put here by deep.c? */
bool inner_is_new(const Deep *d, const Var *v);
/* NULL: not known, or a constant. */
const Bind *inner_made_by(const Deep *d, Opnd o);
/* Is v not in memory, and made again with few steps? */
bool inner_made_again(Deep *d, Opnd v);
/* So many loops are before it. */
int inner_phase(const Region *r, const Bind *b);
/* Is it a fold of t's rows? */
bool inner_is_fold(const Region *r, const Bind *b);
/* Can all that is of t's members go into arms, and is it worth that?  Fills r, of which t and the arrays are there. */
bool inner_find(Region *r);

#endif

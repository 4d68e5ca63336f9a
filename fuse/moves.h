#ifndef NESSIE_MOVES_H
#define NESSIE_MOVES_H
/* Arms of what is made of innermost rows. */
#include "fuse/inner.h"

typedef struct Copy {                   /* of part into an arm */
	Region *r;
	Bind **here;
	Opnd *now;              /* by Var.id */
	bool *have;
	Opnd n;                 /* how many rows */
	Opnd good;              /* do all checks hold, as far as loops have told */
	unsigned looped;        /* after how many loops more is known: a set */
	bool direct;            /* results are what they were */
} Copy;

Bind *moves_put(Copy *c, int op, bool lifted, Var *v, int narg, const Opnd *arg);
/* A number of the host. */
Opnd moves_host(Copy *c, int op, const char *hint, const Ty *ty, int narg, const Opnd *arg);
#define HOST(c, op, hint, ty, ...) \
	moves_host(c, op, hint, ty, (int)(sizeof (Opnd[]){__VA_ARGS__} / sizeof(Opnd)), (Opnd[]){__VA_ARGS__})
/* A fold of what all rows have, in the task that makes it. */
Opnd moves_fold(Copy *c, int op, const char *hint, Opnd v);

/* o in the arm: of part, or made again. */
Opnd moves_again(Copy *c, Opnd o);
/* All of part.  What is asked by element only and takes few steps is made again. */
void moves_as_it_was(Copy *c);
/* All results, of loops, and whether all checks hold. */
void moves_by_loops(Copy *c);

#endif

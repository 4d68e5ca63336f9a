#ifndef NESSIE_MEMBERS_H
#define NESSIE_MEMBERS_H
/* What bindings of flan make of the elements of the rows of a descriptor t, its members. */
#include "common/ir.h"

typedef enum {
	OTHER,          /* nothing of them */
	SIZE,           /* how many there are */
	LEAF,           /* iota^ t, dist^ t x, rowid t: x is no member */
	STEP,           /* element-wise of members, or taken from elsewhere at places that are a member */
	CALL,           /* of a scalar function, likewise */
	KEEP,           /* pack^ t x: of what it keeps more members may be made, by its descriptor and, of what t's elements have, at its places */
	FOLD,           /* of each row of a member; lengths of what is kept */
	CHECK,          /* of members */
	BAD             /* what needs them in memory */
} Role;

typedef struct Members {
	const Program *p;
	int nvar;               /* variables that there were: others are no members */
	const Var **of;         /* by Var.id, of members and their number: t, or the descriptor of what is kept of it; of such itself; else NULL */
	const Bind **keep;      /* by Var.id, of such a descriptor, and of the places: what keeps them; else NULL */
} Members;

Members members_new(const Program *p, const Var *t, Arena *scratch);
/* Any of what follows? */
bool is_of_rows(const Members *m, Opnd o);
/* An element of a row, or how many all rows have? */
bool is_member(const Members *m, Opnd o);
bool is_rows(const Members *m, Opnd o);                 /* t, or what is kept of it? */
bool is_place(const Members *m, Opnd o);                /* of what is kept, a result of KEEP? */
bool block_mentions(const Members *m, const Block *b);
/* To be asked of bindings behind t in their order.  Marks what b makes. */
Role member_role(Members *m, const Bind *b);

#endif

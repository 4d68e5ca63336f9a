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
	FOLD,           /* of each row of a member, which does not look for a place */
	CHECK,          /* of members */
	BAD             /* what needs them in memory */
} Role;

typedef struct Members {
	const Program *p;
	const Var *t;
	int nvar;               /* variables that there were: others are no members */
	bool *is;               /* by Var.id: a member, or SIZE */
} Members;

bool is_member(const Members *m, Opnd o);
bool is_rows(const Members *m, Opnd o);                 /* t itself? */
bool block_mentions(const Members *m, const Block *b);
/* To be asked of bindings behind t in their order.  Marks what b makes. */
Role member_role(Members *m, const Bind *b);

#endif

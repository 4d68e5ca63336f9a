#ifndef NESSIE_SHAPE_SIZE_H
#define NESSIE_SHAPE_SIZE_H
/* Numbers that the compiler knows by how they come about: sums of products of atoms, in a normal form in which equal
 * things are one pointer.  All is modulo two to the width of int, as the program's own arithmetic is; sizes are below
 * half of that, so sizes that are equal so are equal.
 *
 * The elements of a vector are such a number too, one for each place: an atom may be a vector.  Where none is, all
 * elements are the same, and the vector is uniform.  A segment descriptor is the vector of its rows' lengths. */
#include "common/ir.h"

typedef struct Sizes Sizes;
typedef struct Atom Atom;

typedef struct Product {
	int64_t factor;
	int n;
	const Atom *const *atom;        /* in the order of their numbers */
} Product;

typedef struct Size {
	int number;                     /* in the order they were made */
	int n;
	const Product *product;
	bool vector;
	int oldest, newest;             /* of the unknowns in it; none: oldest > newest */
	int depth;                      /* how deep operators nest in it */
	bool counts;                    /* places from the beginning of what has a length that it does not tell: not one vector */
	int round, deep;                /* what it became there; round 0: nothing */
	const struct Size *became;
} Size;

/* length: of a vector, or the rows of a descriptor; NULL: a host scalar.  value: that, or the elements. */
typedef struct Shape {
	const Size *length, *value;
} Shape;

/* An unknown, or result `result` of an operator of flan on operands of these shapes. */
struct Atom {
	int number;
	int op;                         /* UNKNOWN, LITERAL, or the operator */
	bool lifted, vector;
	bool natural;                   /* never below zero, nor any element */
	TyKind ty;                      /* of an element of its first operand, where that matters */
	int result, narg;
	const Shape *arg;
	int64_t bits;                   /* LITERAL: of a float */
	const Size *self;
	const Size *sum;                /* of what was appended; NULL: not asked for yet */
	const Size *is;                 /* what else it is known to be, always; NULL */
	const Size *fact;               /* where we are, by what of facts.h; NULL */
	int by;
	int oldest, newest, depth;
	bool counts;
};
enum { UNKNOWN_ATOM = -1, LITERAL_ATOM = -2 };

Sizes *sizes_new(Arena *a, int int_bits);
Arena *sizes_arena(const Sizes *z);
int sizes_int_bits(const Sizes *z);

const Size *size_int(Sizes *z, int64_t i);
const Size *size_literal(Sizes *z, double f);
/* The atom like this one; or what that is known to be. */
const Size *size_result(Sizes *z, const Atom *like);
/* Another one each time. */
const Size *size_unknown(Sizes *z, bool vector, bool natural);
/* How many unknowns there are so far: those to come have this number or above. */
int size_unknowns(const Sizes *z);
/* Rounds of size_over (laws.h), numbered from 1.  What s became in a round, so deep or deeper; it became `is`. */
int size_round(Sizes *z);
bool size_became(const Size *s, int round, int deep, const Size **is);
void size_becomes(const Size *s, int round, int deep, const Size *is);
/* An unknown: the elements of what a call gives of which no return is known yet, and of what is made of them.  Whatever is
 * wanted; it is met only before walks are repeated. */
const Size *size_nowhere(const Sizes *z);
const Size *size_add(Sizes *z, const Size *a, const Size *b);
const Size *size_sub(Sizes *z, const Size *a, const Size *b);
const Size *size_mul(Sizes *z, const Size *a, const Size *b);
/* s = k times the result, for the largest k there is; 0 is 1 times 0. */
const Size *size_primitive(Sizes *z, const Size *s, int64_t *k);
bool size_constant(const Size *s, int64_t *i);
bool size_is(const Size *s, int64_t i);
/* The constant that is added in it. */
int64_t size_term(const Size *s);
/* The atom that it is, or NULL. */
Atom *size_atom(const Size *s);
/* Known never to be below zero. */
bool size_natural(const Size *s);

#endif

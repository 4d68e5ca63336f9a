#ifndef NESSIE_INTERP_VALUE_H
#define NESSIE_INTERP_VALUE_H
/* Values of the interpreter.  Their types are known beside them (Ty), so a value carries none.
 * Pairs and sequences are counted: a function that is said to *take* a value owns it afterwards, what
 * a function gives is owned by the caller. */
#include "backend/rt/nesl_fault.h"
#include "backend/rt/nesl_value.h"
#include "common/ir.h"

typedef struct Seq Seq;
typedef struct Pair Pair;
typedef union {
	i64 i;                  /* int, bool, char */
	f64 f;
	Seq *s;
	Pair *p;
} Value;

struct Pair {
	i64 refs;
	Value a, b;
};

/* n elements.  Of scalars: packed at data.  Of pairs: two columns, (Seq *)data and other.  Of
 * sequences: Seq pointers at data.  A slice shares the data of `other`, its owner. */
struct Seq {
	i64 refs, n;
	const Ty *elem;
	void *data;
	Seq *other;
};

bool value_boxed(const Ty *t);
Value value_keep(Value v, const Ty *t);         /* one more owner */
void value_drop(Value v, const Ty *t);
Value value_pair(Value a, Value b);             /* takes both */

/* Elements are zero, rows missing: all must be set. */
Seq *seq_new(const Ty *elem, i64 n);
Value seq_get(const Seq *s, i64 k);
void seq_set(Seq *s, i64 k, Value v);           /* takes v; s must be new and unshared */
/* to[at ..] = from[k .. k + n - 1]; `to` new and unshared */
void seq_copy(Seq *to, i64 at, const Seq *from, i64 k, i64 n);
Seq *seq_slice(Seq *s, i64 from, i64 to);       /* shares */

/* Takes over the data of the leaves, which it sets to NULL; moves *leaf on. */
Value value_from_leaves(const Ty *t, nesl_leaf **leaf);
/* Copies, of each sequence but strings at most `limit` elements; malloc'ed data.  Gives the next leaf.
 * The leaves' kinds and bases must be set (nesl_type_leaves), all else zero. */
nesl_leaf *value_to_leaves(const Ty *t, Value v, i64 limit, nesl_leaf *leaf);

/* Makes t, which is equal to the type that v has, the type that v refers to. */
void value_retype(Value v, const Ty *t);
/* Prints n values, which make up one of the NESL type `type`; of each sequence at most `limit` elements. */
void value_print(FILE *out, const char *type, const Ty *const *ty, const Value *v, int n, i64 limit);

/* Ends the program with exit status 4. */
_Noreturn void value_no_memory(void);
/* The form that runs, of kind memory: what has no memory is told there; NULL: none. */
extern const nesl_site *value_form;

#endif

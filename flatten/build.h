#ifndef NESSIE_FLATTEN_BUILD_H
#define NESSIE_FLATTEN_BUILD_H
/* Emitting flan: a stack of open blocks.  Pure operators are emitted once: the same operator on the
 * same operands in an enclosing block is the same variable (common subexpressions). */
#include "common/ir.h"
#include "flatten/flan.h"

typedef struct Flattener Flattener;
typedef struct Frame Frame;
typedef LIST(Opnd) Way;                 /* see common/ir.h */
typedef struct Known Known;

/* Open and close a block; what is emitted in between goes there. */
Frame *frame_open(Flattener *f);
Block *frame_close(Flattener *f, Frame *fr);
/* Go back into a block closed before, within that around it, to append to it; to be closed again. */
void frame_resume(Flattener *f, Frame *fr);
/* All of a block closed before, into the innermost open one. */
void frame_splice(Flattener *f, const Block *b);
/* What store i (store.c) is where a closed block ends; and all are that from here on. */
Opnd frame_store(const Frame *fr, int i);
void frame_keep_stores(Flattener *f, const Frame *fr);
/* What was emitted before is not to be shared with what comes. */
void frame_fence(Flattener *f);
Block *frame_block(const Flattener *f);   /* the innermost open block */
int frame_depth(const Flattener *f);
/* The depth of the block a variable was made in. */
int var_depth(const Flattener *f, const Var *v);
Var *fresh(Flattener *f, const char *hint, const Ty *ty);
/* One in its place: of the same type, as never below zero. */
Var *fresh_like(Flattener *f, const char *hint, const Var *v);

/* dst, dst .. = op args as in `like`, unless there is the same; for what gives the same whenever it runs. */
const Bind *emit_shared(Flattener *f, const Bind *like);
/* A conditional of the innermost open block that gives the same whenever it runs: what is in sight and does the same; NULL: nothing,
 * and it is in sight from now on. */
const Bind *alike_in_sight(Flattener *f, const Bind *b);
bool blocks_alike(Arena *a, const Bind *x, const Bind *y);      /* alike.c: do those of x do what those of y do? */

/* Is op args something that is there already, or cheaper to make?  (simplify.c) */
bool simplify(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg, Opnd *out);
/* A vector whose elements are all one host scalar: that; anything else as it is. */
Opnd constant_of(const Flattener *f, Opnd o);
/* dst:ty = op args, simplified.  One result. */
Opnd emit(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg);
#define EMIT(f, op, lifted, ty, ...) \
	emit(f, op, lifted, ty, (int)(sizeof (Opnd[]){__VA_ARGS__} / sizeof(Opnd)), (Opnd[]){__VA_ARGS__})
/* n results. */
void emit_many(Flattener *f, int op, bool lifted, int n, const Ty *const *ty, int narg, const Opnd *arg, Opnd *out);
/* A scalar operator on the host, or lifted if an operand is a vector. */
Opnd scalar_op(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg);
#define SCALAR_OP(f, op, ty, ...) \
	scalar_op(f, op, ty, (int)(sizeof (Opnd[]){__VA_ARGS__} / sizeof(Opnd)), (Opnd[]){__VA_ARGS__})
#define ADD(f, a, b) SCALAR_OP(f, FLAN_add, &ty_int, a, b)
#define SUB(f, a, b) SCALAR_OP(f, FLAN_sub, &ty_int, a, b)
#define AND(f, a, b) SCALAR_OP(f, FLAN_and, &ty_bool, a, b)
/* The binding that makes it, if that is known: a pure one, or a cell. */
const Bind *made_by(const Flattener *f, Opnd o);
bool lists_nothing(const Flattener *f, Opnd v);           /* is it a list of nothing? */
/* Stands ty = op x where it can be seen? */
bool is_made(Flattener *f, int op, const Ty *ty, Opnd x);
void made_here(Flattener *f, const Var *v, const Bind *b);
bool is_bool(Opnd o, bool b);             /* this constant? */
Opnd first_vector(int narg, const Opnd *arg);   /* the last operand if there is none */
Opnd length_of(Flattener *f, Opnd v);
/* Is op a, b = op b, a, to the bit? */
bool commutes(int op);
/* Is it known that nothing else uses this variable? */
bool used_once(const Flattener *f, Opnd o);
/* That nobody wants its elements in their order, but ints or bools that are folded, made of them one by one? */
bool elements_anywhere(const Flattener *f, Opnd v);
/* op^ s v, where it is known to be a table of what was grouped (tables.c). */
bool fold_in_table(Flattener *f, int op, const Ty *ty, Opnd s, Opnd v, Opnd *out);
/* Is this number, or each element, known not to be below zero?  (sign.c) */
bool never_negative(Flattener *f, Opnd o);
/* That it is none that cannot be divided by: of ints 0 and -1, of floats 0.0. */
bool always_divides(Flattener *f, Opnd o);
/* Sequences are n long, a number of the program's.  Does an int count, whatever the program is given, what these lengths come to?
 * (bound.c) */
void number_counts(Flattener *f, Opnd n);
bool counted_together(Flattener *f, Opnd a, Opnd b);
/* A fault of this kind where cond is false (a host bool or <bool>); at most three values for the message.
 * The way out is that of its elements. */
void emit_check(Flattener *f, const Way *w, const char *kind, Opnd cond, int nval, const Opnd *val);

#endif

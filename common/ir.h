#ifndef NESSIE_IR_H
#define NESSIE_IR_H
/* The let-form that normal, flan and lcu (and lcu with memory management) share:
 *
 *     dst:type, dst:type = op arg, arg { block } { block }      % file:line:col+len
 *
 * Each IR is this form with its own table of operators (Ir).  One reader, one printer and one
 * checker serve all of them (irtext.c, ircheck.c).  A pass builds new bindings and leaves old
 * ones alone. */
#include <stdint.h>
#include <stdio.h>
#include "common/arena.h"
#include "common/diag.h"

/* -- types ------------------------------------------------------------------------------------
 * normal uses scalars, pairs and sequences; flan and lcu use scalars, vectors and descriptors.  A descriptor
 * is of a kind: segdes, offsets in memory; uniform (lcu on), two numbers, how many rows there are and how
 * long each is.  Written: int float bool char, (a, b, c) = (a, (b, c)), [a], <a>, segdes, uniform. */
typedef enum { TY_INT, TY_FLOAT, TY_BOOL, TY_CHAR, TY_PAIR, TY_SEQ, TY_VEC, TY_SEGDES, TY_UNIFORM } TyKind;

typedef struct Ty {
	TyKind kind;
	const struct Ty *a, *b; /* PAIR: both; SEQ, VEC: a is the element */
} Ty;

extern const Ty ty_int, ty_float, ty_bool, ty_char, ty_segdes, ty_uniform;
extern const Ty ty_ints, ty_bools;      /* <int>, <bool> */
const Ty *ty_pair(Arena *ar, const Ty *a, const Ty *b);
const Ty *ty_seq(Arena *ar, const Ty *a);
const Ty *ty_copy(Arena *ar, const Ty *t);
const Ty *ty_vec(const Ty *base);       /* base must be a scalar type */
bool ty_equal(const Ty *a, const Ty *b);
bool ty_scalar(const Ty *t);            /* int, float, bool or char */
bool scalars_only(const Ty *t);         /* such a one, or a tuple of such */
bool ty_counted(const Ty *t);           /* vector or segdes: it has memory, and a count of owners */
bool ty_descriptor(const Ty *t);        /* of any kind */
int ty_bytes(const Ty *t, int int_bits);        /* in memory, of a scalar or of an element of a vector */
typedef LIST(const Ty *) TyList;
/* Append the columns that flan, lcu and mem keep a NESL type in (docs/ir.md, "leaves"): of one value, or, below a
 * sequence, of all its elements. */
void ty_leaves(Arena *ar, const Ty *t, bool below, TyList *to);
const char *ty_text(Arena *ar, const Ty *t);    /* as NESL prints it: "(int, float)" without the outer parentheses */
const Ty *ty_read(Arena *ar, Names *names, const char *text); /* from that; NULL if it is none */

/* -- program ---------------------------------------------------------------------------------- */
typedef struct Var {
	const char *name;       /* unique in its function once ir_name has run */
	const Ty *ty;
	int id;                 /* unique in the Program: an index for side tables */
	bool natural;           /* int, <int>: by what it stands for never below zero, nor any element; written nat, <nat> */
} Var;

typedef enum { OPND_VAR, OPND_INT, OPND_FLOAT, OPND_BOOL, OPND_CHAR } OpndKind;
typedef struct {
	OpndKind kind;
	union { Var *var; int64_t i; double f; } u;     /* i also for BOOL and CHAR */
} Opnd;

typedef struct Bind Bind;
typedef struct Block {
	Var **param;            /* what a foreach binds; none for the arms of an if */
	int nparam;
	Bind *first, **end;
	Opnd *yield;
	int nyield;
} Block;

struct Bind {
	int op;                 /* row of the program's Ir */
	bool lifted;            /* printed op^ */
	int level;              /* lcu, inside a task: the level of the space it runs at, printed op@k; else 0 */
	Var **dst;
	Opnd *arg;
	Block **block;
	int ndst, narg, nblock;
	Opnd *way;              /* check, call, cell: the way out, for messages; see below */
	int nway;
	const char *name;       /* call: function; cell: cell; task: its name; check: kind; effect: operator; else NULL */
	const char *text;       /* string: its bytes (textlen of them); effect: a type; else NULL */
	int textlen;
	unsigned by;            /* map: task: the mappings that it may run by, a set of Mapping; else 0 */
	Span span;
	Bind *next;
};

/* Where the levels of a task's space run on a device; one of a set is chosen when the task is launched.
 *
 *     flat      rows and elements together in equal shares; one level: its elements on consecutive threads
 *     thread    a row on a thread, its elements one after the other
 *     lanes     a row on 2 to 32 neighbouring threads of a warp, its elements in turn */
typedef enum { BY_FLAT = 1, BY_THREAD = 2, BY_LANES = 4 } Mapping;
enum { NMAPPING = 3 };
extern const char *const mapping_name[NMAPPING];        /* of 1 << i */

/* The way out of apply-to-each, from an element where a check or a cell stands, or a row of a call, to the entry of
 * the function: steps innermost first, of which nothing is computed unless there is a fault.
 *
 *     a descriptor    of an apply-to-each: the element's index in its row; we are at that row
 *     <int> x         rows picked out of others: we are at row x[i]
 *     0 = WAY_HOST    an apply-to-each at the host: its index; we are at the host, "row" 0
 *     k > 0           from a row to the first of its elements k levels further in: the k steps that come next lead
 *                     from there to the row, and are not taken otherwise
 *     WAY_HIDDEN      the indices met so far are no apply-to-each of the program's
 *     WAY_LOST        nobody knows any more, also not of the callers
 *     WAY_PARTS n, k, j       from a row of two lots, one after the other, of which the first are n: one of those goes the
 *                     next k steps, and not the j behind them; else it is n less and goes those j
 *     WAY_INTO k, s   from a row of the descriptor s to its element k
 *
 * Where it ends we are at a row of the function's caller, and go on by the way of the call. */
enum { WAY_HOST = 0, WAY_LOST = -1, WAY_HIDDEN = -2, WAY_PARTS = -3, WAY_INTO = -4 };

typedef struct Fun {
	const char *name;
	Var **param;
	int nparam;
	const bool *lent;       /* mem, not scalar: which parameters it borrows; NULL: none (fun_borrows) */
	const Ty **result;
	int nresult;
	bool **back;            /* mem, not scalar: back[i][k]: result i may be parameter k itself; NULL: none (irback.h) */
	Block *body;
	bool recursive;         /* is part of a cycle of calls */
	int cycle;              /* functions of two numbers do not call each other in turn; 0: nothing is known */
	bool scalar;            /* flan on: scalar code only, called on the host or for each element; borrows its parameters */
	const char *nested;     /* flan on, not scalar: does for n rows, n being the first parameter, what this function of the program's
	                         * `nested` does for one, of whose parameters the others are the leaves (docs/ir.md); else NULL */
	const char *scans;      /* not scalar: is the scan by this function (irscan.c); else NULL */
	const char *rows;       /* normal: what it gives for each of some rows this one gives for all together (irrows.c); else NULL */
	Span span;
	struct Fun *next;
} Fun;

/* A global: `x = e` at top level, an --input, or `it`. */
typedef struct Cell {
	const char *name;       /* unique in the unit: x, x_2 when retyped */
	const char *shown;      /* as the user wrote it: x */
	const Ty *ty;           /* its NESL type, in every IR */
	bool input;             /* bound by --input before the first entry */
	struct Cell *next;
} Cell;

typedef enum {
	ENTRY_DEF, ENTRY_ASSIGN, ENTRY_EXPR,
	ENTRY_SAY,              /* a message, `shown` */
	ENTRY_SET               /* from here on the setting `shown` is `number` */
} EntryKind;
typedef enum { SHOW_VALUE, SHOW_TYPE, SHOW_NOTHING } EntryShow;

/* One top-level form.  EXPR and ASSIGN run `body`, which yields the values of `cell` in order (flan,
 * lcu: their leaves, see docs/ir.md).  DEF only echoes.  Settings: print_length; on interp also `trace F`
 * and `profile F`, where F is a function. */
typedef struct Entry {
	EntryKind kind;
	const char *shown;      /* what is echoed before " = ": it, x, (a, b), f */
	const char *type;       /* the NESL type as echoed; NULL: SAY, SET */
	EntryShow show;         /* of what the options ask for: all, no value, nothing */
	int64_t number;
	Cell **cell;            /* EXPR: one, the cell `it` */
	int ncell;
	Block *body;            /* NULL for DEF */
	Span span;
	struct Entry *next;
} Entry;

typedef struct OpInfo OpInfo;
typedef struct Ir {
	const char *name;       /* normal, flan, lcu, mem, map: the stage, and the first word of its text */
	const OpInfo *op;
	int nop;
} Ir;

/* Those of a list up to `last`, by name. */
typedef struct {
	struct Map *by_name;
	Cell *last;
} CellsFound;
typedef struct {
	struct Map *by_name;
	Fun *last;
} FunsFound;

typedef struct Program Program;
struct Program {
	const Ir *ir;
	Arena *arena;
	Names *names;
	Cell *cells;            /* the list only grows, at its end */
	CellsFound *cells_found;
	Fun *funs;              /* callees need not precede callers; the list only grows, at its end */
	FunsFound *funs_found;
	Entry *entries;
	Program *nested;        /* flan on: functions in normal, see Fun.nested; NULL: none */
	int nvar;               /* ids given so far */
	int int_bits;           /* the width of int: 64 or 32 */
};

/* What an operator is for; every switch over operators is a switch over this, or on its row. */
typedef enum {
	OP_SCALAR,              /* element-wise: takes and gives scalars; lifted: vectors and scalars */
	OP_REDUCE,              /* vector -> scalar by `base`; lifted: per segment */
	OP_SCAN,                /* exclusive scan by `base` */
	OP_SEQUENCE,            /* normal: works on sequences as wholes */
	OP_STATE,               /* before normal only: normalize makes other operators of it */
	OP_EFFECT,              /* on the host, in the order of the program: never merged, moved or dropped */
	OP_VECTOR,              /* flan: works on vectors or descriptors as wholes */
	OP_SOURCE, OP_SINK,     /* lcu, in a task: makes a scalar at a level; ends in memory */
	OP_LIBRARY,             /* lcu, on the host: a call of the run-time library */
	OP_HOST,                /* lcu, on the host: reads a length, an element, a cell; frees */
	OP_CONTROL,             /* call, if, foreach, task: checked and run by name */
} OpClass;

struct OpInfo {
	const char *name;
	const char *sig[2];     /* [0] base, [1] lifted (NULL: never).  See ircheck.c for the language. */
	OpClass cls;
	const char *expr[2];    /* SCALAR: C text over a, b, c; [1] for the second type of the class letter.  REDUCE, SCAN: in place of base's,
	                           if a is what was folded so far; 0: as base */
	const char *base;       /* REDUCE, SCAN: the scalar operator */
	const char *identity[2];/* REDUCE, SCAN: C text, by type as expr */
	const char *guard;      /* SCALAR that can fail: the scalar operator that says when it does not */
	const char *fault;      /* of this, and SEQUENCE that can fail: the kind of the error, a heading of docs/errors.md */
	bool serial;            /* never in parallel code (frontend/serial.h, common/irserial.c) */
	int takes;              /* mem: so many of the first operands are handed over; ALL_OPERANDS: see bind_takes */
};
enum { ALL_OPERANDS = -1 };

extern const Ir normal_ir, flan_ir, lcu_ir, mem_ir, map_ir;
bool ir_counts(const Ir *ir);   /* mem and map: does it say when memory is given back? */

int ir_find(const Ir *ir, const char *name);    /* row number, -1 if there is none */

/* A reduction or scan? */
bool op_folds(const OpInfo *op);
/* A reduction whose second operand says where the elements are, and gives that of what it finds: REDUCE_AT in prim.def? */
bool op_finds_place(const OpInfo *op);
/* Which column of expr/identity serves element type t (0 or 1), for this row. */
int op_column(const OpInfo *op, const Ty *t);

/* -- building --------------------------------------------------------------------------------- */
Program *program_new(Arena *ar, Names *names, const Ir *ir);
/* Its cells, functions and entries, in another form: their bodies are still those of p. */
Program *program_copy(const Program *p, const Ir *ir);
/* A copy in another arena, with all that it consists of but names.  Variables have ids without gaps, in the same order;
 * now, nvar times NULL at first: by Var.id of p that variable, if it is still there. */
Program *program_keep(const Program *p, Arena *to, Var **now);
Var *var_new(Program *p, const char *hint, const Ty *ty);
Block *block_new(Program *p);
Opnd opnd_var(Var *v);
Opnd opnd_int(int64_t i);
/* i as arithmetic of this width leaves it. */
int64_t int_wrapped(int bits, int64_t i);
int64_t int_greatest(int bits);
Opnd opnd_float(double f);
Opnd opnd_bool(bool b);
Opnd opnd_char(int64_t c);
const Ty *opnd_ty(Opnd o);
bool is_vector(Opnd o);
bool same_opnd(Opnd a, Opnd b);
/* Append a binding; dst, arg and block are to be filled by the caller through the pointers made here. */
Bind *bind_new(Program *p, Block *b, int op, int ndst, int narg, int nblock, Span span);
/* The same of one result, which is v, or none if v is NULL, with these operands, before what stands at *at. */
Bind *bind_at(Program *p, Bind **at, int op, Var *v, int narg, const Opnd *arg, Span span);
void block_yield(Program *p, Block *b, int n, const Opnd *v);
/* The way out becomes a copy of these steps. */
void bind_way(Program *p, Bind *b, int n, const Opnd *step);
/* Do both compute the same: operator, name, level, operands, and the type of the first result?  Equal ones have one hash. */
bool bind_same(const Bind *a, const Bind *b);
bool bind_reads(const Bind *b, const Var *v);           /* is v an operand of it, not of what is within? */
/* Each variable among n operands is marked, by its id, with this value. */
void opnds_mark(bool *marked, int n, const Opnd *x, bool value);
/* Is v, or one of those that are marked by their id (NULL: none), an operand of b, or of what is within, or on a way out? */
bool bind_mentions(const Bind *b, const Var *v, const bool *marked);
uint64_t bind_hash(const Bind *b);
/* The last binding, if what the block yields is its results, in order; else NULL. */
const Bind *block_tail(const Block *b);
/* Is v a parameter of b, or bound in it itself before `end` (NULL: at all)? */
bool block_binds(const Block *b, const Bind *end, const Var *v);
/* How many bindings there are, those of blocks in them too. */
int block_bindings(const Block *b);
int ir_bindings(const Program *p);
Fun *fun_find(const Program *p, const char *name);
/* The first operand of a step that the host has, as have those behind it; as many as there may be: none. */
int op_told(const OpInfo *op);
/* Is its i-th parameter the caller's, which keeps it? */
bool fun_borrows(const Fun *f, int i);
/* Does b take its i-th operand over, so that it is no longer the block's?  A call all that its function does not borrow. */
bool bind_takes(const Program *p, const Bind *b, int i);
/* Does b, at the host, make a vector or a descriptor, or room for some, rather than name one or call what does?  What --debug makes, which
 * has no place in the program, does not count. */
bool bind_makes_array(const Program *p, const Bind *b);
Cell *cell_find(const Program *p, const char *name);
/* normal: can a function of such operators be run in nested form?  And be given, or give, values of this type: scalars, sequences of
 * scalars or of tuples of them, tuples of these? */
bool op_nests(const OpInfo *op);
bool ty_is_row(const Ty *t);
/* What it holds at run time. */
TyList cell_leaves(Arena *a, const Cell *c);

/* Give every variable a name of its own within its function or entry: x, x_2, x_3 ... */
void ir_name(Program *p);
/* The variables of these functions, so that no two of them have the same one. */
void ir_name_together(Program *p, const Fun *const *fun, int n);

/* -- text and checks -------------------------------------------------------------------------- */
void ir_print(const Program *p, FILE *out);
/* NULL and one message in d if the text is not of this form. */
Program *ir_read(const Ir *ir, Arena *ar, Names *names, Diag *d, const char *file, const char *text, size_t n);
/* Every variable bound once before use; every binding fits its row; calls fit their functions.
 * NULL, or what is wrong and where (*at). */
const char *ir_check(const Program *p, Span *at);

#endif

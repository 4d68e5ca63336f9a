#ifndef NESSIE_TYPE_H
#define NESSIE_TYPE_H
/* Types with variables, for inference: construction, unification with NESL's classes, text. */
#include "common/arena.h"
#include "common/ir.h"

typedef enum {
	TYPE_INT, TYPE_FLOAT, TYPE_BOOL, TYPE_CHAR, TYPE_PAIR, TYPE_SEQ, TYPE_FUN, TYPE_RECORD, TYPE_VAR,
	TYPE_LABEL,     /* which function it is: each has a type of its own */
	TYPE_ERROR      /* of an expression that was reported; unifies with everything */
} TypeKind;

/* number = {int, float}, logical = {int, bool}, ordinal = {int, float, char}; a label is in none of these, but in
 * a class of its own */
typedef enum { CLASS_ANY, CLASS_ORDINAL, CLASS_NUMBER, CLASS_LOGICAL, CLASS_LABEL } TypeClass;

/* What in the program made a type what it is. */
typedef struct Origin { Span at; const char *why; } Origin;     /* why: "this literal" */

typedef struct Type Type;

/* A datatype. */
typedef struct Record {
	const char *name;
	Type *contents;         /* holds the variables var[0..nvar) */
	Type **var;
	int nvar;
	int size, *uses;        /* of the contents without names of records: parts; of each variable, how many */
} Record;

struct Type {
	TypeKind kind;
	TypeClass cls;          /* VAR, unbound */
	Type *a, *b;            /* PAIR, FUN: both; SEQ: a; RECORD: a is its arguments, a tuple, or NULL; VAR: a is
	                         * what it is bound to, or NULL; LABEL: a is what the function captured, a tuple, or
	                         * NULL, b what the type variables in its text stand for, a tuple, or NULL */
	Type *label;            /* FUN: a LABEL, or a VAR of this class */
	const Record *record;   /* RECORD */
	struct Decl *decl;      /* LABEL: the function; NULL: there is none, so no such value */
	const Origin *from;     /* for messages; may be NULL, as it is in a VAR */
};

/* What unification needs to take a failed attempt back. */
typedef struct { Type *var; TypeClass cls; } Undo;
typedef struct Types {
	Arena *arena;
	LIST(Undo) trail;
	bool endless;           /* the last two did not fit as one is a part of the other */
} Types;

Type *type_new(Arena *a, TypeKind kind);
Type *type_pair(Arena *ar, Type *a, Type *b);
Type *type_seq(Arena *ar, Type *a);
Type *type_fun(Arena *ar, Type *a, Type *b);    /* of an unknown function */
Type *type_label(Arena *ar, struct Decl *decl, Type *captured, Type *vars);
/* The function type t of the function that has this label. */
Type *type_labelled(Arena *ar, Type *t, Type *label);
Type *type_var(Arena *ar, TypeClass cls);
/* The record named `name` with this contents, whose variables are its arguments. */
Type *type_datatype(Arena *ar, const char *name, Type *contents);
Type *type_of_ty(Arena *ar, const Ty *ty);

/* What a type is bound to, at its top. */
Type *type_head(Type *t);

/* Make a and b one type.  False, and nothing is changed, if they cannot be. */
bool type_unify(Types *ts, Type *a, Type *b);

/* The same up to the names of variables; classes count. */
bool type_same(Arena *ar, Type *a, Type *b);

/* Does it hold an error? */
bool type_broken(Type *t);

/* How many constructors it has, with the contents for its records; more than `limit` where that has more, of which it looks at no
 * more than these. */
int type_constructors(Type *t, int limit);

/* The unbound variables of t in the order they appear; *n is how many. */
Type **type_vars(Arena *ar, Type *t, int *n);

/* A copy of t with var[i] replaced by by[i]. */
Type *type_subst(Arena *ar, Type *t, Type **var, Type **by, int n);

/* A copy of t with variables of its own, which are put into *by, if that is wanted. */
Type *type_fresh(Arena *ar, Type *t, Type ***by);

/* A copy of t in which all that has no origin has this one. */
Type *type_from(Arena *ar, Type *t, const Origin *from);

/* A copy of t in which the contents stand for records, as in the let-form. */
Type *type_strip(Arena *ar, Type *t);

/* Unbound variables become int, which is in every class; labels become that of no function. */
void type_default(Arena *ar, Type *t);
/* The same for those that the representation of a value depends on: not what a function takes and gives. */
void type_settle(Arena *ar, Type *t);

/* A copy of t that any functions in the place of its own fit. */
Type *type_unlabelled(Arena *ar, Type *t);

/* Is a value of this type a function that captured nothing?  It is always the same, and represented by `t`. */
bool type_hollow(Type *t);

/* The type without variables, for the let-form; t must be concrete.  Functions are what they captured. */
const Ty *type_ty(Arena *ar, Type *t);

/* "number", ...; false if there is no class of that name */
bool class_named(const char *name, TypeClass *cls);

/* `[a] -> a :: (a in number)` */
const char *type_text(Arena *ar, Type *t);
/* The same as NESL prints it: an unknown function counts as a variable, which only the context shows. */
const char *type_text_echo(Arena *ar, Type *t);
/* The same for nesl_print_value, with the contents behind each record, `point<int, int>`, and before each function,
 * `<bool>int -> int`. */
const char *type_text_shown(Arena *ar, Type *t);
/* Without the context, in parentheses if a tuple. */
const char *type_text_inner(Arena *ar, Type *t);
/* The same, for a part of what has type `whole`, with the variables named as there. */
const char *type_text_part(Arena *ar, Type *whole, Type *t);
/* Two types that share variables, in one naming. */
void type_text2(Arena *ar, Type *a, Type *b, const char **ta, const char **tb);

#endif

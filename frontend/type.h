#ifndef NESSIE_TYPE_H
#define NESSIE_TYPE_H
/* Types with variables, for inference: construction, unification with NESL's classes, text. */
#include "common/arena.h"
#include "common/ir.h"

typedef enum {
	TYPE_INT, TYPE_FLOAT, TYPE_BOOL, TYPE_CHAR, TYPE_PAIR, TYPE_SEQ, TYPE_FUN, TYPE_RECORD, TYPE_VAR,
	TYPE_ERROR      /* of an expression that was reported; unifies with everything */
} TypeKind;

/* number = {int, float}, logical = {int, bool}, ordinal = {int, float, char} */
typedef enum { CLASS_ANY, CLASS_ORDINAL, CLASS_NUMBER, CLASS_LOGICAL } TypeClass;

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
	                         * what it is bound to, or NULL */
	const Record *record;   /* RECORD */
	const Origin *from;     /* for messages; may be NULL, as it is in a VAR */
};

/* What unification needs to take a failed attempt back. */
typedef struct { Type *var; TypeClass cls; } Undo;
typedef struct Types {
	Arena *arena;
	LIST(Undo) trail;
} Types;

Type *type_new(Arena *a, TypeKind kind);
Type *type_pair(Arena *ar, Type *a, Type *b);
Type *type_seq(Arena *ar, Type *a);
Type *type_fun(Arena *ar, Type *a, Type *b);
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

/* Has it, with the contents for its records, more than `limit` constructors?  Looks at no more than these. */
bool type_larger(Type *t, int limit);

/* The unbound variables of t in the order they appear; *n is how many. */
Type **type_vars(Arena *ar, Type *t, int *n);

/* A copy of t with var[i] replaced by by[i]. */
Type *type_subst(Arena *ar, Type *t, Type **var, Type **by, int n);

/* A copy of t in which all that has no origin has this one. */
Type *type_from(Arena *ar, Type *t, const Origin *from);

/* A copy of t in which the contents stand for records, as in the let-form. */
Type *type_strip(Arena *ar, Type *t);

/* Unbound variables become int, which is in every class. */
void type_default(Arena *ar, Type *t);

/* The type without variables, for the let-form; t must be concrete and no function. */
const Ty *type_ty(Arena *ar, Type *t);

/* "number", ...; false if there is no class of that name */
bool class_named(const char *name, TypeClass *cls);

/* As NESL prints it: `[a] -> a :: (a in number)`. */
const char *type_text(Arena *ar, Type *t);
/* The same with the contents behind each record, for nesl_print_value: `point<int, int>`. */
const char *type_text_shown(Arena *ar, Type *t);
/* Without the context, in parentheses if a tuple. */
const char *type_text_inner(Arena *ar, Type *t);
/* The same, for a part of what has type `whole`, with the variables named as there. */
const char *type_text_part(Arena *ar, Type *whole, Type *t);
/* Two types that share variables, in one naming. */
void type_text2(Arena *ar, Type *a, Type *b, const char **ta, const char **tb);

#endif

#ifndef NESL_VALUE_H
#define NESL_VALUE_H
/* Values at the edge of a program: inputs read from files, results echoed.  Plain C11, host memory;
 * compiled into nessie (interpreter, data) and into every generated program, CPU and CUDA alike.
 *
 * A value of a NESL type is a list of *leaves*, depth first (docs/ir.md, "Leaves"):
 *     base             one scalar
 *     (a, b)           the leaves of a, then those of b
 *     [t]              the leaves of t "one level down":
 *         base         a vector of it
 *         (a, b)       both, of one length
 *         [t]          a vector of offsets (rows + 1 of them, first 0), then t one level further down
 * So [[(int, float)]] has three leaves: offsets, ints, floats.  The length of the outermost sequence
 * is that of its first leaf (offsets: count - 1). */
#include "nesl_scalar.h"
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { LEAF_SCALAR, LEAF_VECTOR, LEAF_OFFSETS } nesl_leaf_kind;

typedef struct {
	nesl_leaf_kind kind;
	char base;              /* 'i' 'f' 'b' 'c'; 'w': int in 32 bits; OFFSETS: 'i' */
	i64 count;              /* SCALAR: 1; VECTOR: elements; OFFSETS: rows + 1 */
	void *data;             /* i64, f64, b8, c32 or int32_t */
	/* NULL: data is host memory.  Else how to copy n elements of `size` bytes, from the from-th, into buf. */
	void (*fetch)(const void *data, i64 from, i64 n, size_t size, void *buf);
} nesl_leaf;

/* A parsed type: base letter, '(' pair of a and b, '[' sequence of a, '<' record of a, '>' function represented by a. */
typedef struct {
	char kind;
	int a, b;
	const char *name;       /* of a record, and its length */
	int length;
} nesl_type_node;

/* The nodes of a type (malloc'ed, into *node) and its root; -1 and no nodes if the text is no type. */
int nesl_type_parse(const char *type, nesl_type_node **node);

/* How many leaves a type has, and fill in their kind and base.  Type text as NESL prints it:
 * "[[(int, float)]]", "int, float".  -1 if the text is no such type.  leaf may be NULL. */
int nesl_type_leaves(const char *type, nesl_leaf *leaf, int max);

/* A record's type is its name, arguments and contents: "pt(int)<int, int>"; its leaves are those of the contents.
 * A function's type is what represents it, and as it is printed: "<int>int -> int".  Behind a type may stand a
 * context, " :: (a in any)". */

/* Print a type without the contents of records and functions. */
void nesl_print_type(FILE *out, const char *type);

/* Print a value as NESL does, at most `limit` elements per level. */
void nesl_print_value(FILE *out, const char *type, const nesl_leaf *leaf, i64 limit);
void nesl_format_float(char buf[40], f64 x);

/* A number from 1 of a command line, 1000000 or 1e6, to *n; 0 if the text is none, or no i64. */
int nesl_count_of(const char *text, i64 *n);

/* -- inputs ------------------------------------------------------------------------------------ */
/* Reads PATH by its extension: .mtx -> [[(int, float)]], .npy, .nesl or .txt -> a value literal.
 * 0: *type is the value's NESL type (static or malloc'ed, caller keeps), leaves are malloc'ed.
 * An int that does not fit int_bits is an error, though they are kept in 64.
 * Otherwise nonzero and err holds one message, "FILE:LINE: what is wrong" (exit status 4). */
typedef struct { char type[256]; int nleaf; nesl_leaf *leaf; } nesl_value;
int nesl_read_input(const char *path, int int_bits, nesl_value *v, char *err, size_t nerr);
/* The same of a .npy file, whatever it is called. */
int nesl_read_npy_file(const char *path, int int_bits, nesl_value *v, char *err, size_t nerr);
/* Only the type (by extension and header; a literal is read whole). */
int nesl_input_type(const char *path, int int_bits, char *type, size_t ntype, char *err, size_t nerr);
void nesl_value_free(nesl_value *v);

#ifdef __cplusplus
}
#endif

#endif

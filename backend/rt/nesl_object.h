#ifndef NESL_OBJECT_H
#define NESL_OBJECT_H
/* Values as texts in files: the object format of CMU's NESL, and NumPy arrays.
 *
 * An object is one line for each vector of the flattened value, depth first: each level of a sequence gives its
 * lengths in brackets, then come the elements of each part in parentheses: ints, floats as %.14e, bools as T and
 * F; chars as their count, and the characters themselves on a line of their own.  A scalar is a vector of one:
 *     [[1, 2], [3]]        [ 2 ]   [ 2 1 ]   ( 1 2 3 )
 *     (1, [2.5], "ab")     ( 1 )   [ 1 ]   ( 2.50000000000000e+00 )   [ 2 ]   ( 2 )   ab
 * Leaves are host memory.  Where a text says what is wrong, NULL is success; it stays valid until the next call. */
#include "nesl_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A growing text, malloc'ed. */
typedef struct {
	char *at;
	size_t n, cap;
	int failed;             /* no memory */
} nesl_text;

void nesl_text_add(nesl_text *t, const char *bytes, size_t n);

/* Append the object text of a value. */
void nesl_object_text(nesl_text *t, const char *type, const nesl_leaf *leaf);
/* Reads one from a stream (nesl_stream.h) into leaves whose kinds and bases are set; of vectors and offsets the
 * data is malloc'ed or NULL, and made anew; a scalar goes to its data.  Ints fit int_bits.  Memory grows with what
 * is read, not with what a count promises. */
const char *nesl_object_read(i64 stream, const char *type, int int_bits, nesl_leaf *leaf);
/* One vector of numbers, ( 1 2 3 ), of any length. */
const char *nesl_object_numbers(i64 stream, int int_bits, nesl_leaf *leaf);

/* Append the bytes of a .npy file: one- or two-dimensional, of int, float or bool. */
const char *nesl_npy_text(nesl_text *t, const char *type, int int_bits, const nesl_leaf *leaf);

#ifdef __cplusplus
}
#endif
#endif

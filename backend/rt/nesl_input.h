#ifndef NESL_INPUT_H
#define NESL_INPUT_H
/* Between the readers of inputs: a file in memory, and how its faults are told. */
#include "nesl_stream.h"
#include "nesl_value.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes of a file.  A regular file is mapped, so that what was read can be given back. */
typedef struct {
	const char *path, *at;
	size_t n;
	int mapped;
	size_t given_back;
	i64 max_int;            /* ints and lengths go up to here, and ints down to -1 less */
	char *err;              /* where the one message goes */
	size_t nerr;
} nesl_file;

/* Where its text begins: behind a byte order mark, as editors on Windows write one. */
const char *nesl_file_text(const nesl_file *f);
/* Bytes before offset `done` have been read in this pass: release their pages, some MB at a time.  Nonzero: read no
 * further, Ctrl-C came. */
int nesl_file_done(nesl_file *f, size_t done);
/* "PATH:LINE: TEXT"; line 0: "PATH: TEXT".  Gives 1, so that readers can return it. */
int nesl_file_error(nesl_file *f, long line, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Whether this many bytes can be had at all: not more than the machine's memory. */
int nesl_file_fits(double bytes);
/* n elements of 8 bytes, malloc'ed, zero if that is wanted; NULL: no memory.  Large ones are in pages of 2 MB where the system has
 * such: fewer faults while they are read, and fewer misses of the TLB after. */
void *nesl_input_array(i64 n, int zero);

/* These return nonzero on error, with the message written. */
int nesl_read_mtx(nesl_file *f, nesl_value *v, int type_only);
int nesl_read_npy(nesl_file *f, nesl_value *v, int type_only);
int nesl_read_literal(nesl_file *f, nesl_value *v);

/* Sets the value's type, and makes its leaves with kinds and bases but no data. */
int nesl_value_shape(nesl_file *f, nesl_value *v, const char *type);

#ifdef __cplusplus
}
#endif
#endif

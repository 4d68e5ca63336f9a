#ifndef NESSIE_DATAKINDS_H
#define NESSIE_DATAKINDS_H
/* Between the command line of `nessie data` and what makes the data. */
#include "common/datafile.h"

typedef struct {
	int64_t rows, cols, entries, scale, nodes, side, n, dims, seed;
	double exponent, min, max;
	bool floats;            /* type: float, else int */
	bool real;              /* field: real, else pattern */
	bool npy;               /* the file's format, by its extension; else text */
	bool lengths;           /* of a matrix, the lengths of its rows only: the file's extension is a sequence's */
} DataOptions;

/* NULL, or why the options cannot be met.  Sets what was not given from what was. */
typedef const char *DataCheck(DataOptions *o);
/* Writes all; false if memory runs out. */
typedef bool DataMake(const DataOptions *o, DataFile *d);

/* n of them, at least one, as a sequence. */
bool write_ints(const DataOptions *o, DataFile *d, const int64_t *at, int64_t n);

DataCheck check_rows, check_half, check_rmat, check_laplace2d, check_points, check_uniform;
DataMake make_even, make_zipf, make_giant, make_half, make_rmat, make_laplace2d, make_points, make_uniform;

#endif

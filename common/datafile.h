#ifndef NESSIE_DATAFILE_H
#define NESSIE_DATAFILE_H
/* A file of made-up data: written under a temporary name, and under its own only when complete. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	const char *path;
	char *part;             /* the temporary name; NULL: path is written to, as it is no file */
	FILE *out;
	double total, done;     /* of whatever data_progress is told, on a terminal only; who writes much sets total */
	int error;              /* errno of the first bytes that could not be written */
	int shown;              /* percent */
	bool terminal;
} DataFile;

/* These two say what is wrong, on stderr, and give false. */
bool data_open(DataFile *d, const char *path);
bool data_close(DataFile *d);
/* Not wanted after all: removes it. */
void data_discard(DataFile *d);

/* So much more of the total is done. */
void data_progress(DataFile *d, double more);
/* What cannot be written is remembered in error, and told when it is closed. */
void data_text(DataFile *d, const char *s);
void data_int(DataFile *d, int64_t x, char after);    /* after: a character behind it; 0: none */
void data_float(DataFile *d, double x, char after);     /* shortest text that reads back the same, of at most 17 digits */
void data_fixed(DataFile *d, int64_t x, char after);    /* 0.1234 for 1234; 0 <= x < 10000 */
void data_bytes(DataFile *d, const void *at, size_t n);

/* xoshiro256** (Blackman and Vigna, public domain), seeded by splitmix64. */
typedef struct { uint64_t s[4]; } Random;
Random random_new(uint64_t seed);
uint64_t random_bits(Random *r);
int64_t random_below(Random *r, int64_t n);     /* 0..n-1, n > 0 */
double random_unit(Random *r);                  /* [0, 1) */

#endif

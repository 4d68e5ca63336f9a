#ifndef NESSIE_EMBED_H
#define NESSIE_EMBED_H
/* The files that nessie carries: the basis library and the run time of generated programs. */
#include <stdbool.h>
#include "common/arena.h"

typedef struct EmbeddedFile {
	const char *path, *text;        /* "basis/scalar.nesl", its text */
} EmbeddedFile;

/* Made by common/embed.sh, ordered by path; what all of them are known by. */
extern const EmbeddedFile embedded_file[];
extern const int embedded_count;
extern const char embedded_digest[];

/* The run time's C files, compiled into one object by the compiler that made nessie. */
extern const unsigned char embedded_object[];
extern const size_t embedded_object_size;

/* $NESSIE_HOME, where files are in place of the embedded ones; NULL: they are those. */
const char *embed_home(void);

/* The files of directory dir ("basis", "backend/rt"), *n of them, ordered by path: those of $NESSIE_HOME/dir if
 * that is set, else the embedded ones.  NULL and *missing the directory if it cannot be read. */
const EmbeddedFile *embed_files(Arena *a, const char *dir, int *n, const char **missing);

/* What those files are known by: it is another one if one of their names or texts is. */
const char *embed_digest(Arena *a, const EmbeddedFile *file, int n);

/* A whole file, with a zero byte after it; NULL and errno if it cannot be read. */
char *read_text(Arena *a, const char *path, size_t *n);

/* Are both there, and one file? */
bool same_file(const char *a, const char *b);

#endif

#ifndef NESSIE_CACHE_H
#define NESSIE_CACHE_H
/* Compiled programs by content, under $XDG_CACHE_HOME/nessie or ~/.cache/nessie.  Any number of
 * processes may use it at once; what is found is always whole, and what was put in.  The oldest go when it exceeds its bound. */
#include <stdbool.h>
#include "common/arena.h"

#define CACHE_BYTES (512LL << 20)

/* The directory, made if need be; NULL if there can be none, or it is not ours alone to write: then nothing is cached. */
const char *cache_open(Arena *a);
/* The path of an entry, marked as used now; NULL if it is not there, or not any more what was put in.  dir may be NULL. */
const char *cache_find(Arena *a, const char *dir, const char *name);
/* Copies the file `from` in, if it can, and drops the oldest entries beyond `bound` bytes.  dir may be NULL. */
void cache_put(Arena *a, const char *dir, const char *name, const char *from, long long bound);

/* Copies a file: first under a name of its own next to `to`, then renamed, so that `to` is never seen half written.
 * What is there and is no file, as /dev/null, is written to.  0, or errno. */
int copy_file(Arena *a, const char *from, const char *to, unsigned mode);
/* Is there something that is neither a file nor a directory: a device, a pipe? */
bool is_node(const char *path);

#endif

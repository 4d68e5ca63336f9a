#ifndef NESSIE_COMPILER_H
#define NESSIE_COMPILER_H
/* The compilers of this machine, and the private directory they work in.  As in build.h, an int is 0 or an exit
 * status after a message. */
#include "backend/build.h"

typedef LIST(const char *) Args;

void args_add(Build *b, Args *l, const char *const *args);      /* up to a NULL */
#define ADD(b, l, ...) args_add(b, l, (const char *const[]){__VA_ARGS__, NULL})

extern const char *const c_flags[];     /* what every C file is compiled with */
extern const char *const parts_flags[]; /* .. and a long one, by a compiler that can do parts of it side by side */

/* Makes b->dir if it is not there yet. */
int compiler_dir(Build *b);
/* The files that nessie carries of a directory ("backend/rt"), and their digest, to *c: found once. */
int compiler_files(Build *b, const char *dir, Carried *c);
/* Puts one of them into b->dir, under the last part of its directory's name ("rt/nesl_main.c"), and those of the run time and the
 * emulator, as far as they were found, that it includes. */
int compiler_put(Build *b, const EmbeddedFile *f);
/* Those that a text includes. */
int compiler_put_included(Build *b, const char *text);
/* Writes a file there. */
int compiler_write(Build *b, const char *name, const char *text);
/* Writes there rt.o, the run time's C files as nessie carries them compiled. */
int compiler_object(Build *b);
/* Runs a compiler there, to make what follows -o.  -1: it did not, and b->failed says how; if that is NULL, messages.txt says why. */
int compiler_run(Build *b, const Args *args);

/* A compiler that takes a hundredth of gcc's time, if there is one and nobody asked for another by $CC; its argv is NULL if not. */
Compiler compiler_quick(Build *b);
/* b->cc: the first of $CC, cc, gcc, clang, tcc that works; its argv is NULL if none does. */
int compiler_find_c(Build *b);
/* b->nvcc likewise: in PATH, $CUDA_HOME/bin, /usr/local/cuda/bin. */
void compiler_find_nvcc(Build *b);
/* b->cxx: the first of $CXX, c++, g++, clang++ that works. */
int compiler_find_cxx(Build *b);

#endif

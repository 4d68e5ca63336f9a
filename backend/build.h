#ifndef NESSIE_BUILD_H
#define NESSIE_BUILD_H
/* From generated text to an executable, with the compilers of this machine.
 *
 * Functions that return int give 0 or an exit status of nessie, after one message on stderr: 4 where the
 * machine lacks something, 5 where a compiler rejects what we generated, 128 + N for an interrupt. */
#include <stdbool.h>
#include "common/embed.h"
#include "common/ir.h"

typedef enum { TARGET_AUTO, TARGET_CPU, TARGET_CUDA, TARGET_INTERP, TARGET_EMU } Target;

typedef struct Compiler {
	const char *const *argv;        /* path and the user's own options; NULL: not looked for or none */
	bool openmp;
	bool links;                     /* takes the object that nessie carries */
	bool parts;                     /* compiles parts of a long file side by side */
	const char *const *silent;      /* C++: what makes its functions with -fsanitize=thread not say where they begin and end */
	const char *identity;           /* changes when the compiler does */
} Compiler;

/* The files that nessie carries of a directory. */
typedef struct Carried {
	const EmbeddedFile *file;       /* NULL: not asked for */
	int n;
	const char *digest;             /* what they are known by */
} Carried;

typedef struct Build {
	Arena *arena;
	const char *arch;               /* --arch: sm_80,sm_90; NULL: the device's, or a choice that runs on all */
	bool native;                    /* arch is that of the device here */
	const char *cache;              /* NULL: none */
	const char *dir;                /* the private directory; NULL before it is needed */
	Compiler cc, nvcc, cxx;
	Carried runtime, emulator;
	const char *failed;             /* how the compiler that ran last did, if not by saying why */
	bool trial;                     /* what a compiler rejects is not told: there is another */
} Build;

void build_start(Build *b, Arena *a, const char *arch);
/* Makes of TARGET_AUTO what this machine has: cuda where nvcc and a device are there, else cpu where a C compiler is,
 * else interp; for another target says what is missing.  `run`: the program will run here. */
int build_target(Build *b, Target *target, bool run);
/* *exe: from the cache, or NULL. */
int build_find(Build *b, Target target, const char *text, const char **exe);
/* *exe: a path that is good until build_end. */
int build_program(Build *b, Target target, const char *text, const char **exe);
/* Runs exe with these arguments, the name first; its exit status is ours unless it crashed. */
int build_run(const char *exe, const char *const *argv);
/* Can p, of lcu or mem, be run twice, as nothing but what it prints to stdout and stderr shows that it ran? */
bool build_may_run_twice(const Program *p);
/* Compiles the C text with a quick compiler and runs that (quick.c).  *done: it came to its end, and the exit status is ours; else
 * nothing of it is seen. */
int build_run_quickly(Build *b, const char *text, const char *const *argv, bool *done);
/* Removes what is private.  To be called on every way out. */
void build_end(Build *b);

#endif

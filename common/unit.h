#ifndef NESSIE_UNIT_H
#define NESSIE_UNIT_H
/* What one run of the compiler works on.  Every pass is `void pass(Unit *)`: it reads one of these
 * members and replaces it or the next. */
#include "common/arena.h"
#include "common/diag.h"
#include "common/ir.h"
#include "common/map.h"

typedef struct Form Form;               /* frontend/syntax.h */
typedef struct Globals Globals;         /* frontend/globals.h */
typedef struct Graph Graph;             /* fuse/graph.h */
typedef struct Mono Mono;               /* frontend/mono.h */
typedef struct Shapes Shapes;           /* shape/shape.h */

typedef struct Source {                 /* a file, or an -e expression (name "-e", "-e2", ...) */
	const char *name, *text;
	size_t n;
	bool basis;                     /* library code: prim and typecase are allowed */
	bool kept;                      /* its forms have run before (Form.kept) */
	bool silent;                    /* loaded: values are not echoed */
	size_t skip;                    /* bytes at the beginning that are not read, but known to messages */
	int line;                       /* lines before the text */
	const struct Source *loader;    /* whose `load` brought it */
	struct Source *next;
} Source;

typedef struct Input {                  /* --input NAME=PATH or NAME:TYPE */
	const char *name;
	const char *path;               /* NULL: declared without a file */
	const Ty *ty;
	struct Input *next;
} Input;

typedef struct Round {                  /* one of optimize's */
	int before, after;              /* bindings */
	int rewritten;                  /* those that came out other than they were */
} Round;
enum { MOST_ROUNDS = 10 };              /* two or three are usual; a chain of calls takes one for each link at worst */

typedef enum Fuse { FUSE_ALL, FUSE_MAPS, FUSE_NONE } Fuse;     /* what becomes one task: all that can; only maps */

typedef struct Unit {
	Arena *arena;                   /* of what passes make; may be another for each */
	Arena *lasting;                 /* of what is there from the beginning to the end; NULL: arena */
	Names *names;
	Diag *diag;
	bool echo_all;                  /* every form tells what became of it (--echo=all) */
	long long grain;                /* --grain; 0: not given */
	const char *map;                /* --map: flat, thread or lanes; NULL: not given */
	bool no_avoid;                  /* scalar code is flattened, too */
	Fuse fuse;                      /* --fuse */
	long long mem_limit;            /* --mem-limit; 0: not given */
	bool no_reuse;                  /* nothing is written over what dies */
	bool no_shape;                  /* nothing is known of sizes */
	bool batches;                   /* the target runs batches of rows (flatten/batch.c) */
	bool debug;                     /* what is known of sizes and of owners is checked at run time; errors tell all indices */
	bool json;                      /* what is dumped */
	bool time_passes;               /* --time-passes */
	int unoptimized;                /* 2 - N of -ON */
	int int_bits;                   /* --int: 64 or 32; 0: not asked for, which is 64 */
	Source *sources;                /* basis first, then the user's, in order */
	Input *inputs;
	Source *parsed;                 /* the last that parse read: another run takes up those after it */
	LIST(const char *) unread;      /* names of the library whose forms are not among these: no form of the program can come to them */
	bool whole_library;             /* its functions are typed and verified, whether they are used or not */
	bool exited;                    /* parse: there was an `exit` */
	Map *left_out;                  /* parse: by its name not NULL what nessie does not have, once that is told; NULL: nothing yet */
	Form *forms;                    /* parse, type */
	Form *typed;                    /* as parsed, for type */
	Globals *globals;               /* type */
	bool refused;                   /* type: the command line gives an input the name of a library function, which has been told */
	Mono *mono;                     /* mono */
	Program *ir;                    /* normal, flan, opt, lcu, mem, map: the latest */
	Graph *graph;                   /* pdg */
	Round round[MOST_ROUNDS];       /* opt: nround of them */
	int nround;
	Shapes *shapes;                 /* shape, lcu: of the variables of ir */
	char *text;                     /* c, cuda */
	size_t ntext;
} Unit;

/* Append a source; `next` is not looked at. */
void unit_add(Unit *u, Source s);
/* The library, before anything else is added.  NULL, or the directory that cannot be read. */
const char *unit_add_basis(Unit *u);

#endif

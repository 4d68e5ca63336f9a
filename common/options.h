#ifndef NESSIE_OPTIONS_H
#define NESSIE_OPTIONS_H
/* The command line, taken apart. */
#include <stdbool.h>
#include "common/arena.h"

typedef enum { COMMAND_RUN, COMMAND_BUILD, COMMAND_CHECK, COMMAND_DUMP, COMMAND_REPL } Command;

typedef struct Given {                  /* a FILE, or the EXPR of an -e, in the order they came */
	const char *text;
	bool expr;
} Given;

typedef struct Options {
	Command command;
	LIST(Given) given;
	LIST(const char *) inputs;      /* NAME=PATH or NAME:TYPE */
	const char *target;             /* auto cpu cuda emu interp */
	const char *from, *stage;       /* NULL: not given */
	const char *map;                /* flat thread lanes; NULL: not given */
	const char *arch, *output;      /* NULL: not given */
	const char *echo;               /* values all none */
	const char *fuse;               /* all map none */
	bool time, time_passes, stats, profile, all_faults, no_avoid, no_reuse, no_shape, debug, json;
	int optimize;                   /* 0 1 2 */
	const char *stats_file, *profile_file;  /* NULL: stderr */
	int int_bits;                   /* 64 or 32; 0: not given */
	long long grain, mem_limit;     /* 0: not given */
	long long max_depth, print_length;
} Options;

/* argv[1] is the command.  0, or 2 after one message on stderr. */
int options_read(Arena *a, int argc, char **argv, Options *o);
/* The options, a line each, for --help. */
void options_help(void);

#endif

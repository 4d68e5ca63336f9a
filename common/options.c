/* options.c: the command line.  One table says which options there are, for which command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "backend/rt/nesl_value.h"
#include "common/like.h"
#include "common/options.h"

enum { RUN = 1 << COMMAND_RUN, BUILD = 1 << COMMAND_BUILD, CHECK = 1 << COMMAND_CHECK, DUMP = 1 << COMMAND_DUMP,
	REPL = 1 << COMMAND_REPL };

typedef enum { FLAG, VALUE, MAYBE, JOINED } Takes;      /* MAYBE: only as --name=value; JOINED: right behind the name */

typedef struct OptionInfo {
	const char *name, *shown;
	Takes takes;
	unsigned commands;
	const char *words;              /* what it may be, if that is a list */
	const char *does;
} OptionInfo;

#define INDENT "                                   "    /* where what an option does starts in the help */

static const OptionInfo option[] = {
	{"--target", "=auto|cpu|cuda|interp|emu", VALUE, RUN | BUILD | REPL, "auto cpu cuda interp emu",
		"what runs it; auto: cuda where nvcc and a GPU are there, else cpu where a C compiler\n"
		INDENT "is, else interp; emu: the CUDA on the host, checked and counted"},
	{"-e", " EXPR", VALUE, RUN | BUILD | CHECK | DUMP, NULL,
		"evaluate EXPR after the files (repeatable; no file needed)"},
	{"--input", " NAME=PATH", VALUE, RUN | BUILD | CHECK | DUMP | REPL, NULL,
		"bind NAME to the value in a file (.mtx .npy .nesl .txt); for build, check and dump\n"
		INDENT "NAME:TYPE declares it without a file (repeatable)"},
	{"--int", "=64|32", VALUE, RUN | BUILD | CHECK | DUMP | REPL, "64 32", "how many bits an int has (64); a program read by --from has its own"},
	{"--grain", "=N", VALUE, RUN | BUILD | DUMP, NULL,
		"the least share of a task, in elements (4096; a GPU: 2048): small ones let small inputs take\n"
		INDENT "the parallel ways"},
	{"--mem-limit", "=BYTES", VALUE, RUN | BUILD | DUMP, NULL,
		"what arrays take together at most (not interp); large apply-to-eaches run in slices\n"
		INDENT "to keep to it"},
	{"--no-avoid", "", FLAG, RUN | BUILD | DUMP, NULL, "scalar functions and conditionals are flattened like other code"},
	{"--fuse", "=all|map|none", VALUE, RUN | BUILD | DUMP, "all map none",
		"what becomes one task: all that can; maps only, as in NESL/GPU; or none"},
	{"--no-fuse", "", FLAG, RUN | BUILD | DUMP, NULL, "--fuse=none: a task for each operator"},
	{"--no-reuse", "", FLAG, RUN | BUILD | DUMP, NULL, "results never take the memory of operands that end"},
	{"--no-shape", "", FLAG, RUN | BUILD | DUMP, NULL, "nothing is done with what is known of lengths and descriptors"},
	{"--map", "=flat|thread|lanes", VALUE, RUN | BUILD | DUMP, "flat thread lanes",
		"on a GPU: rows and elements in equal shares; or, where a task can, a thread for each row; a group\n"
		INDENT "of 2 to 32 threads (chosen for each task when it runs)"},
	{"-O", "0|1|2", JOINED, RUN | BUILD | DUMP, "0 1 2",
		"how hard flan is optimised: 0 not at all; 1 what is seen while it is made; 2 all, the default"},
	{"--debug", "", FLAG, RUN | BUILD | DUMP, NULL,
		"what the compiler knows is checked at run time: lengths and descriptors, and at each step how\n"
		INDENT "many owners an array has; errors in recursive functions tell all indices"},
	{"--time-passes", "", FLAG, RUN | BUILD | DUMP, NULL, "seconds of each stage, bindings before and after it, memory, on stderr"},
	{"--from", "=STAGE", VALUE, RUN | BUILD | DUMP, NULL,
		"FILE is no NESL but what dump printed of STAGE (normal, flan, opt, tasks, lcu, mem or map)"},
	{"--stage", "=STAGE", VALUE, DUMP, NULL, "which representation: a name of the list below"},
	{"--format", "=text|json", VALUE, DUMP, "text json", "how it is printed; stages shape and pdg also as JSON"},
	{"--arch", "=sm_80,...", VALUE, RUN | BUILD, NULL, "CUDA architectures (those of the GPU here; without one sm_80,sm_90)"},
	{"--echo", "=values|all|none", VALUE, RUN, "values all none",
		"what is printed: values of expressions; of assignments and definitions too; nothing"},
	{"--time", "", FLAG, RUN, NULL, "seconds to compile and to run, on stderr"},
	{"--stats", "[=FILE]", MAYBE, RUN | DUMP, NULL, "counts of work and memory as one JSON object, on stderr or in FILE (not interp);\n"
		INDENT "dump: of what the text of stage mem says, in its place or in FILE"},
	{"--profile", "[=FILE]", MAYBE, RUN, NULL,
		"seconds of each task as a table, on stderr or in FILE; FILE.json is a trace that\n"
		INDENT "chrome://tracing and ui.perfetto.dev read (not interp)"},
	{"--all-faults", "", FLAG, RUN, NULL, "(interp) tell the run-time error of each element that has one, not only the first"},
	{"--max-depth", "=N", VALUE, RUN | REPL, NULL, "how deep calls may nest (1000000)"},
	{"--print-length", "=N", VALUE, RUN | REPL, NULL, "how many elements of a sequence are printed (100)"},
	{"-o", " PROG", VALUE, BUILD, NULL, "the executable to write"},
};

enum { NOPTION = sizeof option / sizeof *option };

static const char *const command_name[] = {"run", "build", "check", "dump", "repl"};

enum { NCOMMAND = sizeof command_name / sizeof *command_name };

void
options_help(void)
{
	printf("options, with the commands that take them:\n");
	for (int i = 0; i < NOPTION; i++) {
		char left[40];
		snprintf(left, sizeof left, "%s%s", option[i].name, option[i].shown);
		printf("  %-32s %s [", left, option[i].does);
		for (int k = 0, n = 0; k < NCOMMAND; k++)
			if (option[i].commands & 1u << k)
				printf("%s%s", n++ ? " " : "", command_name[k]);
		printf("]\n");
	}
}

static int
wrong(const char *fmt, const char *a, const char *b)
{
	fprintf(stderr, "nessie: ");
	fprintf(stderr, fmt, a, b);
	fprintf(stderr, "; nessie --help shows what there is\n");
	return 2;
}

static bool
is_word(const char *words, const char *s)
{
	size_t n = strlen(s);

	for (const char *w = words; n && (w = strstr(w, s)); w += n)
		if ((w == words || w[-1] == ' ') && (w[n] == ' ' || w[n] == 0))
			return true;
	return false;
}

static int
number(const char *name, const char *value, long long *n)
{
	i64 count;

	if (!nesl_count_of(value, &count))
		return wrong("%s wants a number from 1, not `%s`", name, value);
	*n = count;
	return 0;
}

static int
set(Arena *a, Options *o, const OptionInfo *p, const char *value)
{
	const char *name = p->name;

	if (p->words && !is_word(p->words, value))
		return wrong("%s is one of: %s", name, p->words);
	if (strcmp(name, "--target") == 0)
		o->target = value;
	else if (strcmp(name, "-e") == 0)
		LIST_ADD(a, &o->given, ((Given){value, true}));
	else if (strcmp(name, "--input") == 0)
		LIST_ADD(a, &o->inputs, value);
	else if (strcmp(name, "--int") == 0)
		o->int_bits = atoi(value);
	else if (strcmp(name, "--grain") == 0)
		return number(name, value, &o->grain);
	else if (strcmp(name, "--mem-limit") == 0)
		return number(name, value, &o->mem_limit);
	else if (strcmp(name, "--map") == 0)
		o->map = value;
	else if (strcmp(name, "-O") == 0)
		o->optimize = atoi(value);
	else if (strcmp(name, "--time-passes") == 0)
		o->time_passes = true;
	else if (strcmp(name, "--from") == 0)
		o->from = value;
	else if (strcmp(name, "--stage") == 0)
		o->stage = value;
	else if (strcmp(name, "--arch") == 0)
		o->arch = value;
	else if (strcmp(name, "--echo") == 0)
		o->echo = value;
	else if (strcmp(name, "--time") == 0)
		o->time = true;
	else if (strcmp(name, "--stats") == 0)
		o->stats = true, o->stats_file = value;
	else if (strcmp(name, "--profile") == 0)
		o->profile = true, o->profile_file = value;
	else if (strcmp(name, "--no-avoid") == 0)
		o->no_avoid = true;
	else if (strcmp(name, "--fuse") == 0)
		o->fuse = value;
	else if (strcmp(name, "--no-fuse") == 0)
		o->fuse = "none";
	else if (strcmp(name, "--no-reuse") == 0)
		o->no_reuse = true;
	else if (strcmp(name, "--no-shape") == 0)
		o->no_shape = true;
	else if (strcmp(name, "--format") == 0)
		o->json = strcmp(value, "json") == 0;
	else if (strcmp(name, "--debug") == 0)
		o->debug = true;
	else if (strcmp(name, "--all-faults") == 0)
		o->all_faults = true;
	else if (strcmp(name, "--max-depth") == 0)
		return number(name, value, &o->max_depth);
	else if (strcmp(name, "--print-length") == 0)
		return number(name, value, &o->print_length);
	else
		o->output = value;
	return 0;
}

static int
none_named(Arena *a, const char *what, const char *arg, const Like *l)
{
	return wrong(arena_printf(a, "there is no %s %%s%%s", what), arg, l->best ? arena_printf(a, ", but %s", l->best) : "");
}

/* n: without its value. */
static int
no_option(Arena *a, const Options *o, const char *arg, size_t n)
{
	Like l = like(arena_strndup(a, arg, n));

	for (const OptionInfo *p = option; p < option + NOPTION; p++)
		if (p->commands & 1u << o->command && p->name[1] == '-') {
			if (n > 2 && strncmp(p->name, arg, n) == 0)     /* an abbreviation is like nothing else */
				return none_named(a, "option", arg, &(Like){.best = p->name});
			like_try(&l, p->name);
		}
	return none_named(a, "option", arg, &l);
}

static int
no_command(Arena *a, const char *arg)
{
	static const char *const plain[] = {"data", "explain", "library"};      /* that take none of these options (nessie.c) */
	Like l = like(arg);

	if (access(arg, F_OK) == 0)
		return wrong("there is no command %s; a file is run by nessie run %s", arg, arg);
	for (int i = 0; i < NCOMMAND; i++)
		like_try(&l, command_name[i]);
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		like_try(&l, plain[i]);
	return none_named(a, "command", arg, &l);
}

/* argv[*i] starts with `-`; a value of its own is argv[*i + 1]. */
static int
one_option(Arena *a, Options *o, int argc, char **argv, int *i)
{
	const char *arg = argv[*i], *value = strncmp(arg, "--", 2) == 0 ? strchr(arg, '=') : NULL;
	size_t n = value ? (size_t)(value - arg) : strlen(arg);
	const OptionInfo *p = option;

	while (p < option + NOPTION && !(strlen(p->name) == n && strncmp(p->name, arg, n) == 0)
	       && !(p->takes == JOINED && strncmp(p->name, arg, strlen(p->name)) == 0))
		p++;
	if (p == option + NOPTION)
		return no_option(a, o, arg, n);
	if (!(p->commands & 1u << o->command))
		return wrong("%s is no option of nessie %s", p->name, command_name[o->command]);
	if (value)
		value++;
	if (p->takes == JOINED)
		value = arg + strlen(p->name);
	if (value && p->takes == FLAG)
		return wrong("%s takes no value%s", p->name, "");
	if (!value && p->takes == VALUE) {
		if (*i + 1 >= argc)
			return wrong("%s needs%s", p->name, p->shown[0] == ' ' ? p->shown : " a value");
		value = argv[++*i];
	}
	if (value && !*value)
		return wrong("%s has an empty value%s", p->name, "");
	return set(a, o, p, value);
}

static int
check(const Options *o)
{
	if (o->command == COMMAND_REPL && !is_word("auto interp", o->target))
		return wrong("nessie repl interprets: %s compiles whole programs%s", o->target, "");
	if (o->given.n == 0 && o->command != COMMAND_REPL)
		return wrong("%s: no file and no -e EXPR%s", command_name[o->command], "");
	if (o->command == COMMAND_BUILD && !o->output)
		return wrong("nessie build needs -o PROG%s%s", "", "");
	if (o->command == COMMAND_BUILD && strcmp(o->target, "interp") == 0)
		return wrong("nessie build makes programs for cpu and cuda, not %s%s", o->target, "");
	if (o->all_faults && strcmp(o->target, "interp") != 0)
		return wrong("--all-faults needs --target=interp%s%s", "", "");
	if (o->command == COMMAND_DUMP && !o->stage)
		return wrong("nessie dump needs --stage=STAGE%s%s", "", "");
	if (o->from && (o->given.n != 1 || o->given.at[0].expr))
		return wrong("--from=%s takes exactly one file%s", o->from, "");
	return 0;
}

int
options_read(Arena *a, int argc, char **argv, Options *o)
{
	int status = 0, command = 0;
	bool only_files = false;

	*o = (Options){.target = "auto", .echo = "values", .fuse = "all", .optimize = 2, .max_depth = 1000000, .print_length = 100};
	while (command < NCOMMAND && strcmp(command_name[command], argv[1]) != 0)
		command++;
	if (command == NCOMMAND && argv[1][0] == '-')
		return wrong("options stand behind a command, as in nessie run %s%s", argv[1], "");
	if (command == NCOMMAND)
		return no_command(a, argv[1]);
	o->command = (Command)command;
	for (int i = 2; i < argc && status == 0; i++) {
		if (!only_files && strcmp(argv[i], "--") == 0)
			only_files = true;
		else if (!only_files && argv[i][0] == '-' && argv[i][1])
			status = one_option(a, o, argc, argv, &i);
		else
			LIST_ADD(a, &o->given, ((Given){argv[i], false}));
	}
	return status ? status : check(o);
}

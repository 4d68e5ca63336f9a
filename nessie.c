/* nessie.c: the driver.  What happens to a program, in which order, is the table `pipeline`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backend/build.h"
#include "backend/cpu/cpu.h"
#include "backend/cuda/cuda.h"
#include "backend/inputs.h"
#include "backend/interp/interp.h"
#include "backend/interp/repl.h"
#include "backend/rt/nesl_effect.h"
#include "backend/rt/nesl_stream.h"
#include "backend/rt/nesl_threads.h"
#include "common/cache.h"
#include "common/data.h"
#include "common/embed.h"
#include "common/explain.h"
#include "common/like.h"
#include "common/options.h"
#include "common/process.h"
#include "flatten/flatten.h"
#include "flatten/optimize.h"
#include "frontend/infer.h"
#include "frontend/library.h"
#include "frontend/mono.h"
#include "frontend/needed.h"
#include "frontend/normal.h"
#include "frontend/syntax.h"
#include "frontend/verify.h"
#include "fuse/fuse.h"
#include "fuse/map.h"
#include "fuse/totask.h"
#include "memmgmt/counts.h"
#include "memmgmt/memory.h"
#include "memmgmt/slices.h"
#include "shape/shape.h"

#define VERSION "0.2"

static void ir_dump(const Unit *u, FILE *out) { ir_print(u->ir, out); }
static void text_dump(const Unit *u, FILE *out) { fwrite(u->text, 1, u->ntext, out); }
static const char *ir_verify(const Unit *u, Span *at) { return ir_check(u->ir, at); }

typedef struct Stage {
	const char *name;
	void (*run)(Unit *);
	void (*dump)(const Unit *, FILE *);
	const char *(*verify)(const Unit *, Span *);    /* what the stage broke of its promise; NULL: what reads its text tells */
	const Ir *yields;               /* what --from reads; NULL: no let-form */
	const char *does;
	void (*counts)(const Unit *, FILE *);           /* dump --stats; NULL: nothing is counted */
	bool json;                      /* dump --format=json too */
	bool settles;                   /* later stages want nothing of it, and of those before, but the program and its shapes */
} Stage;

static const Stage pipeline[] = {
	{"parse",  parse,     syntax_print, verify_parse, NULL,        "text -> syntax tree", NULL, false, false},
	{"type",   infer,     infer_print,  verify_type,  NULL,        "types of all definitions and expressions", NULL, false, false},
	{"mono",   mono,      mono_print,   verify_mono,  NULL,        "one copy of a function for each use at other types", NULL, false, false},
	{"normal", normal,    ir_dump,      ir_verify,    &normal_ir,  "a name for every intermediate value; still nested", NULL, false, true},
	{"slices", slices,    ir_dump,      ir_verify,    NULL,        "with --mem-limit: large apply-to-eaches in loops over slices", NULL, false, true},
	{"flan",   flatten,   ir_dump,      ir_verify,    &flan_ir,    "no nesting: vectors and segment descriptors", NULL, false, true},
	{"opt",    optimize,  ir_dump,      ir_verify,    &flan_ir,    "flan without what is superfluous: calls, copies, what is known", NULL, false, true},
	{"shape",  shape,     shape_print,  ir_verify,    NULL,        "which lengths and descriptors are equal; no check that is proved", NULL, true, true},
	{"tasks",  totask,    ir_dump,      ir_verify,    &lcu_ir,     "host code, and a task for each operator that runs in parallel", NULL, false, true},
	{"pdg",    pdg,       pdg_print,    pdg_check,    NULL,        "what depends on what, and what can be one task (for Graphviz)", NULL, true, false},
	{"lcu",    fuse,      ir_dump,      ir_verify,    &lcu_ir,     "tasks of one space are one where the data allow", task_counts, false, true},
	{"mem",    memory,    ir_dump,      ir_verify,    &mem_ir,     "what lives in memory is freed at its last use", memory_counts, false, true},
	{"map",    map,       ir_dump,      ir_verify,    &map_ir,     "where the levels of each task may run on a device", NULL, false, true},
	{"c",      emit_c,    text_dump,    NULL,         NULL,        "C with OpenMP", NULL, false, false},
	{"cuda",   emit_cuda, text_dump,    NULL,         NULL,        "CUDA (from map, as c)", NULL, false, false},
};

enum { PARSE, TYPE, MONO, NORMAL, SLICES, FLAN, OPT, SHAPE, TASKS, PDG, LCU, MEM, MAP, C, CUDA, NSTAGE };

/* -- the pipeline ---------------------------------------------------------------------------------- */

static void
verify(const Unit *u, const Stage *s)
{
	Span at = {0};
	const char *why = s->verify ? s->verify(u, &at) : NULL;

	if (why)
		ice(at, s->name, "%s", why);
}

static int
bindings(const Unit *u)
{
	return u->ir ? ir_bindings(u->ir) : 0;
}

/* Gives back what passes have made, if they have an arena of their own, but for the program and its shapes, which are copied. */
static void
settle(Unit *u)
{
	const int nvar = u->ir->nvar;
	Arena *to;
	Var **now;

	if (!u->lasting)
		return;
	to = arena_new();
	now = NEW(u->arena, Var *, nvar);
	u->ir = program_keep(u->ir, to, now);
	if (u->shapes)
		u->shapes = shapes_keep(u->shapes, to, nvar, now);
	u->forms = u->typed = NULL;
	u->globals = NULL;
	u->mono = NULL;
	arena_free(u->arena);
	u->arena = to;
}

/* How many bindings there are after it. */
static int
report_pass(const Unit *u, const Stage *s, double seconds, int before)
{
	const int after = bindings(u);

	fprintf(stderr, "%-10s %9.6f %9d %9d %9.1f\n", s->name, seconds, before, after, (double)arena_most() / 1e6);
	for (int i = 0; i < u->nround; i++)
		fprintf(stderr, "  round %-2d %9s %9d %9d  %d rewritten\n", i + 1, "", u->round[i].before, u->round[i].after,
			u->round[i].rewritten);
	return after;
}

/* With what it promised looked through, and what is not wanted any more given back.  before: bindings, if passes are reported; so
 * many there are then. */
static int
run_stage(Unit *u, const Stage *s, bool dump, int before)
{
	const double start = nesl_now();
	double seconds;

	u->nround = 0;
	s->run(u);
	seconds = nesl_now() - start;
	if (dump)
		s->dump(u, stdout);
	verify(u, s);
	if (s->settles)
		settle(u);
	return u->time_passes ? report_pass(u, s, seconds, before) : 0;
}

/* Runs the stages first..last; of those that give text only the last one.  Forms with errors are left out on
 * the way, so what is right goes on.  The dump comes before the verdict: a broken program can be read.
 * The exit status: 0, or what the command line gives cannot be. */
static int
compile(Unit *u, int first, int last, bool dump)
{
	u->batches = last < MAP || last == C;
	for (int i = first, n = u->time_passes ? bindings(u) : 0; i <= last && !u->refused; i++)
		if (i < C || i == last)
			n = run_stage(u, &pipeline[i], dump && i == last, n);
	return u->refused ? 2 : 0;
}

static int
find_stage(const char *name)
{
	int i = 0;

	while (i < NSTAGE && strcmp(pipeline[i].name, name) != 0)
		i++;
	return i;
}

/* -- what goes in ---------------------------------------------------------------------------------- */

static int
add_basis(Unit *u)
{
	const char *missing = unit_add_basis(u);

	return missing ? cannot("read", missing) : 0;
}

/* Of standard input, `-`, too. */
static const char *
text_given(Unit *u, const char *name, size_t *n)
{
	return read_text(u->arena, strcmp(name, "-") == 0 ? "/dev/stdin" : name, n);
}

static int
add_given(Unit *u, const Options *o)
{
	for (int i = 0, nexpr = 0; i < 2 * o->given.n; i++) {
		/* First round the files, second round the -e. */
		const Given *g = &o->given.at[i % o->given.n];
		const char *name = g->text, *text = g->text;
		size_t n = strlen(text);
		if (g->expr != (i >= o->given.n))
			continue;
		if (g->expr)
			name = ++nexpr == 1 ? "-e" : arena_printf(u->arena, "-e%d", nexpr);
		else if (!(text = text_given(u, name, &n)))
			return cannot("read", name);
		unit_add(u, (Source){.name = name, .text = text, .n = n});
	}
	return 0;
}

/* The file is the text of a let-form. */
static int
read_ir(Unit *u, const Options *o, const Ir *ir)
{
	const char *name = o->given.at[0].text;
	Span at = {0};
	const char *why, *text;
	size_t n;

	text = text_given(u, name, &n);
	if (!text)
		return cannot("read", name);
	diag_source(u->diag, name, text, n, 0);
	u->ir = ir_read(ir, u->arena, u->names, u->diag, name, text, n);
	if (!u->ir)
		return 1;
	if (o->int_bits && o->int_bits != u->ir->int_bits) {
		fprintf(stderr, "nessie: --int=%d: %s is a program with ints of %d bits\n", o->int_bits, name, u->ir->int_bits);
		return 2;
	}
	why = ir_check(u->ir, &at);
	if (why) {
		fprintf(stderr, "%s: error[%s]: %s\n", name, ir->name, why);
		return 1;
	}
	for (const Input *in = u->inputs; in; in = in->next) {
		const Cell *c = u->ir->cells;
		while (c && !(c->input && strcmp(c->shown, in->name) == 0))
			c = c->next;
		if (!c) {
			fprintf(stderr, "nessie: --input %s: %s has no such input\n", in->name, name);
			return 2;
		}
	}
	return 0;
}

/* *next is the first stage still to run. */
static int
read_given(Unit *u, const Options *o, int *next)
{
	int from = o->from ? find_stage(o->from) : 0, status = 0;

	if (o->from && (from == NSTAGE || !pipeline[from].yields)) {
		fprintf(stderr, "nessie: --from=%s: wanted normal, flan, opt, tasks, lcu, mem or map\n", o->from);
		return 2;
	}
	u->int_bits = o->int_bits;
	u->grain = o->grain;
	u->mem_limit = o->mem_limit;
	u->map = o->map;
	u->no_avoid = o->no_avoid;
	u->fuse = strcmp(o->fuse, "none") == 0 ? FUSE_NONE : strcmp(o->fuse, "map") == 0 ? FUSE_MAPS : FUSE_ALL;
	u->no_reuse = o->no_reuse;
	u->debug = o->debug;
	u->no_shape = o->no_shape;
	u->json = o->json;
	u->unoptimized = 2 - o->optimize;
	u->time_passes = o->time_passes;
	if (u->time_passes)
		fprintf(stderr, "%-10s %9s %9s %9s %9s\n", "pass", "seconds", "bindings", "then", "MB");
	u->echo_all = strcmp(o->echo, "all") == 0;
	for (int i = 0; i < o->inputs.n && status == 0; i++)
		status = input_add(u, o->inputs.at[i]);
	if (status)
		return status;
	if (o->from) {
		*next = from + 1;
		return read_ir(u, o, pipeline[from].yields);
	}
	*next = PARSE;
	status = add_basis(u);
	if (status == 0)
		status = add_given(u, o);
	if (status == 0)
		keep_needed(u);
	return status;
}

/* Reads what was given; passes work in an arena of their own from then on. */
static int
read_all(Unit *u, const Options *o, int *next)
{
	const int status = read_given(u, o, next);

	u->lasting = u->arena;
	u->arena = arena_new();
	return status;
}

/* -- commands -------------------------------------------------------------------------------------- */

/* Forms with errors were left out: that shows in the exit status unless something worse happened. */
static int
merge(const Unit *u, int status)
{
	return (status == 0 || status == 3) && diag_errors(u->diag) ? 1 : status;
}

static int
check_command(Unit *u, const Options *o)
{
	int next, status = read_all(u, o, &next);

	if (status == 0)
		status = compile(u, next, MONO, false);
	if (status)
		return status;
	types_print(u, stdout);
	return 0;
}

/* In place of the stage's text. */
static int
dump_counts(const Unit *u, const Options *o, const Stage *s)
{
	FILE *out = o->stats_file ? fopen(o->stats_file, "w") : stdout;

	if (!out)
		return cannot("write", o->stats_file);
	s->counts(u, out);
	if (out != stdout && (ferror(out) | fclose(out)))
		return cannot("write", o->stats_file);
	return 0;
}

static int
dump_command(Unit *u, const Options *o)
{
	int stage = find_stage(o->stage), next, status;

	if (stage == NSTAGE) {
		Like l = like(o->stage);

		for (int i = 0; i < NSTAGE; i++)
			like_try(&l, pipeline[i].name);
		fprintf(stderr, "nessie: there is no stage %s%s%s; nessie --help lists them\n", o->stage, l.best ? ", but " : "",
			l.best ? l.best : "");
		return 2;
	}
	if (o->json && !pipeline[stage].json) {
		fprintf(stderr, "nessie: --format=json: stage %s is text only\n", o->stage);
		return 2;
	}
	if (o->stats && !pipeline[stage].counts) {
		fprintf(stderr, "nessie: --stats: of stage %s nothing is counted\n", o->stage);
		return 2;
	}
	status = read_all(u, o, &next);
	if (status)
		return status;
	if (stage >= next)
		status = compile(u, next, stage, !o->stats);
	else if (stage == next - 1 && !o->stats)
		ir_dump(u, stdout);
	else if (stage != next - 1) {
		fprintf(stderr, "nessie: --stage=%s comes before --from=%s\n", o->stage, o->from);
		return 2;
	}
	return status == 0 && o->stats ? dump_counts(u, o, &pipeline[stage]) : status;
}

static Target
target_named(const char *name)
{
	static const char *const names[] = {"auto", "cpu", "cuda", "interp", "emu"};
	int i = 0;

	while (strcmp(names[i], name) != 0)
		i++;
	return (Target)i;
}

static int
library_command(Unit *u, int argc)
{
	int status;

	if (argc > 2) {
		fprintf(stderr, "nessie: nessie library takes no arguments\n");
		return 2;
	}
	status = add_basis(u);
	if (status)
		return status;
	u->whole_library = true;
	compile(u, PARSE, TYPE, false);
	library_print(u, stdout);
	return 0;
}

/* Traces and profiles are the interpreter's: generated programs do without, after a message. */
static void
refuse_watching(Unit *u)
{
	for (const Entry *e = u->ir->entries; e; e = e->next)
		if (e->kind == ENTRY_SET && strcmp(e->shown, "print_length") != 0)
			diag_error(u->diag, e->span, "command", "only the interpreter traces and profiles: --target=interp");
}

/* From the command line to the program's text, or for interp to normal.  The user's own errors come
 * before what the machine lacks. */
static int
to_text(Unit *u, const Options *o, Build *b, Target *target)
{
	int next, status = read_all(u, o, &next);

	if (status)
		return status;
	if (next <= NORMAL) {
		status = compile(u, next, NORMAL, false);
		next = SLICES;
	}
	if (status)
		return status;
	*target = target_named(o->target);
	status = build_target(b, target, o->command == COMMAND_RUN);
	if (status)
		return status;
	if (*target != TARGET_INTERP) {
		if (next <= FLAN)
			refuse_watching(u);
		return compile(u, next, *target == TARGET_CPU ? C : CUDA, false);
	}
	if (o->command == COMMAND_BUILD) {
		fprintf(stderr, "nessie: build needs a C compiler ($CC, cc, gcc, clang, tcc); there is none\n");
		return 4;
	}
	if (next > FLAN) {
		fprintf(stderr, "nessie: the interpreter runs programs up to --from=normal, not %s\n", o->from);
		return 2;
	}
	return 0;
}

/* The options of run that concern the program. */
static const char *const *
program_arguments(Unit *u, const Options *o, double compiling)
{
	LIST(const char *) args = {0};
	Arena *a = u->arena;

	LIST_ADD(a, &args, "nessie");   /* its messages are ours */
	for (const Input *in = u->inputs; in; in = in->next) {
		LIST_ADD(a, &args, "--input");
		LIST_ADD(a, &args, arena_printf(a, "%s=%s", in->name, in->path));
	}
	LIST_ADD(a, &args, arena_printf(a, "--echo=%s", o->echo));
	LIST_ADD(a, &args, arena_printf(a, "--print-length=%lld", o->print_length));
	LIST_ADD(a, &args, arena_printf(a, "--max-depth=%lld", o->max_depth));
	LIST_ADD(a, &args, arena_printf(a, "--seconds-compile=%.6f", compiling));
	if (o->time)
		LIST_ADD(a, &args, "--time");
	if (o->stats)
		LIST_ADD(a, &args, o->stats_file ? arena_printf(a, "--stats=%s", o->stats_file) : "--stats");
	if (o->profile)
		LIST_ADD(a, &args, o->profile_file ? arena_printf(a, "--profile=%s", o->profile_file) : "--profile");
	LIST_ADD(a, &args, NULL);
	return args.at;
}

/* May it be run twice, the first time for a moment?  What is measured is measured of the one that is compiled well. */
static bool
may_be_tried(const Unit *u, const Options *o)
{
	return !o->time && !o->stats && !o->profile && build_may_run_twice(u->ir);
}

static int
interpret(Unit *u, const Options *o)
{
	if (o->stats)
		fprintf(stderr, "nessie: --stats: the interpreter counts nothing\n");
	if (o->mem_limit)
		fprintf(stderr, "nessie: --mem-limit: the interpreter has none\n");
	if (o->profile)
		fprintf(stderr, "nessie: --profile: the interpreter has no tasks\n");
	return interp_run(u, &(InterpOptions){.echo = o->echo, .print_length = o->print_length,
		.max_depth = o->max_depth, .all_faults = o->all_faults, .time = o->time});
}

/* What runs here and now needs more than an input's type. */
static int
inputs_with_files(const Options *o)
{
	for (int i = 0; i < o->inputs.n; i++) {
		const char *mark = strpbrk(o->inputs.at[i], "=:");
		if (mark && *mark == ':') {
			fprintf(stderr, "nessie: --input %s: %s needs a file, NAME=PATH\n", o->inputs.at[i],
				o->command == COMMAND_RUN ? "run" : "repl");
			return 2;
		}
	}
	return 0;
}

static int
run_command(Unit *u, const Options *o, Build *b)
{
	double start = nesl_now();
	Target target;
	const char *exe, *const *args;
	bool done = false;
	int status;

	status = inputs_with_files(o);
	if (status)
		return status;
	status = to_text(u, o, b, &target);
	if (status)
		return status;
	if (target == TARGET_INTERP)
		return interpret(u, o);
	args = program_arguments(u, o, nesl_now() - start);
	if (target == TARGET_CPU && may_be_tried(u, o))
		status = build_run_quickly(b, u->text, args, &done);
	if (status || done)
		return status;
	status = build_program(b, target, u->text, &exe);
	return status ? status : build_run(exe, program_arguments(u, o, nesl_now() - start));
}

/* The program would take the place of its own source. */
static bool
overwrites_source(const Options *o)
{
	for (int i = 0; i < o->given.n; i++)
		if (!o->given.at[i].expr && same_file(o->given.at[i].text, o->output))
			return true;
	return false;
}

static int
build_command(Unit *u, const Options *o, Build *b)
{
	Target target;
	const char *exe;
	int status;
	mode_t mask = umask(0);

	umask(mask);
	if (overwrites_source(o)) {
		fprintf(stderr, "nessie: -o %s would overwrite the source\n", o->output);
		return 2;
	}
	status = to_text(u, o, b, &target);
	if (status == 0)
		status = build_program(b, target, u->text, &exe);
	if (status)
		return status;
	errno = copy_file(u->arena, exe, o->output, 0777 & ~mask);
	return errno ? cannot("write", o->output) : 0;
}

static void repl_type(Unit *u) { compile(u, PARSE, TYPE, false); }
static void repl_normal(Unit *u) { compile(u, MONO, NORMAL, false); }

static int
repl_command(Unit *u, const Options *o)
{
	static const FrontEnd front_end = {add_basis, repl_type, repl_normal};
	LIST(const char *) files = {0};
	int status = inputs_with_files(o);

	u->int_bits = o->int_bits;
	if (status == 0)
		status = add_basis(u);          /* each form has a unit of its own: here it is asked once whether there is a library */
	for (int i = 0; i < o->inputs.n && status == 0; i++)
		status = input_add(u, o->inputs.at[i]);
	for (int i = 0; i < o->given.n; i++)
		LIST_ADD(u->arena, &files, o->given.at[i].text);
	return status ? status : repl(&front_end, u->inputs, o->int_bits, o->print_length, o->max_depth, files.n, files.at);
}

static int
run_with(Unit *u, const Options *o)
{
	Build b;
	int status = 2;

	build_start(&b, u->arena, o->arch);
	switch (o->command) {
	case COMMAND_RUN:
		status = run_command(u, o, &b);
		break;
	case COMMAND_BUILD:
		status = build_command(u, o, &b);
		break;
	case COMMAND_CHECK:
		status = check_command(u, o);
		break;
	case COMMAND_DUMP:
		status = dump_command(u, o);
		break;
	case COMMAND_REPL:
		status = repl_command(u, o);
		break;
	}
	build_end(&b);
	return merge(u, status);
}

/* Does this argument ask for help?  Behind -e it is an expression. */
static bool
is_help(char **argv, int i)
{
	return strcmp(argv[i], "--help") == 0 || (strcmp(argv[i], "-h") == 0 && strcmp(argv[i - 1], "-e") != 0);
}

static int
help(void)
{
	printf("nessie " VERSION ": compiles NESL programs for multicore CPUs and for GPUs, and runs them\n\n"
		"  nessie run   [options] FILE...           compile, run, print the value of each expression\n"
		"  nessie build [options] -o PROG FILE...   make a program that stands alone; PROG --help tells its options\n"
		"  nessie check [options] FILE...           print the types of all definitions, or the errors\n"
		"  nessie dump  --stage=STAGE FILE...       print an intermediate representation as text\n"
		"  nessie repl  [options] [FILE...]         evaluate forms as they are typed\n"
		"  nessie explain KIND                      what a kind of error means, with an example; error[type] is of kind type\n"
		"  nessie library                           the functions of the library, their types and meaning, as Markdown\n"
		"  nessie data  KIND [options] -o FILE      make up data or a matrix; nessie data --help lists kinds\n"
		"  nessie --version\n\n"
		"The files, of which - is standard input, then each -e EXPR, are one program.  For example:\n"
		"  nessie run -e '{x * x : x in [1, 2, 3]}'\n"
		"  nessie run --input m=matrix.mtx mxv.nesl -e 'sum(mxv(m, dist(1.0, 1000)))'\n\n");
	options_help();
	printf("\nstages, in the order they run; each takes what the one before gives:\n");
	for (int i = 0; i < NSTAGE; i++)
		printf("  %-8s %s%s\n", pipeline[i].name, pipeline[i].does, pipeline[i].yields ? " (--from reads it)" : "");
	printf("\nexit status:\n"
		"  0    all forms ran\n"
		"  1    the program is wrong (syntax, types) in some form; the others ran\n"
		"  2    the command line is wrong\n"
		"  3    a run-time error in some form; the others ran\n"
		"  4    something is missing here (compiler, GPU, memory) or an input cannot be read\n"
		"  5    an error of nessie itself\n"
		"  130  interrupted\n\n"
		"environment: CC, a C compiler and its options; XDG_CACHE_HOME, where compiled programs are kept;\n"
		"  XDG_STATE_HOME, where nessie repl keeps its history\n");
	return 0;
}

/* -- the process ----------------------------------------------------------------------------------- */

static void
quit(int sig)
{
	_exit(128 + sig);
}

/* Ctrl-C while passes run: there is nothing to clean up then (see common/process.h). */
static void
on_interrupt(void)
{
	struct sigaction old, act = {.sa_handler = quit};

	sigemptyset(&act.sa_mask);
	if (sigaction(SIGINT, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(SIGINT, &act, NULL);
}

enum { STACK = 64 << 20 };      /* passes recurse over trees as deep as the parser allows, for which this is enough */

/* Whatever the shell's limit says; false: it may not be so much. */
static bool
more_stack(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur == RLIM_INFINITY || r.rlim_cur >= STACK)
		return true;
	r.rlim_cur = r.rlim_max == RLIM_INFINITY || r.rlim_max > STACK ? STACK : r.rlim_max;
	return setrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur == STACK;
}

static int
command(Unit *u, int argc, char **argv)
{
	Options o;
	int status;

	if (argc < 2) {
		fprintf(stderr, "nessie: what to do?  nessie --help shows what there is\n");
		return 2;
	}
	if (strcmp(argv[1], "data") == 0)
		return data_command(argc - 1, argv + 1);
	if (strcmp(argv[1], "explain") == 0 && !(argc > 2 && is_help(argv, 2)))
		return explain_command(u->arena, argc - 1, argv + 1);
	if (strcmp(argv[1], "--version") == 0)
		return printf("nessie " VERSION "\n") < 0;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (is_help(argv, i) || strcmp(argv[1], "help") == 0)
			return help();
	if (strcmp(argv[1], "library") == 0)
		return library_command(u, argc);
	status = options_read(u->arena, argc, argv, &o);
	return status ? status : run_with(u, &o);
}

static struct { Unit *u; int argc; char **argv; sigset_t signals; int status; } job;

static void *
do_job(void *nothing)
{
	pthread_sigmask(SIG_SETMASK, &job.signals, NULL);
	job.status = command(job.u, job.argc, job.argv);
	return nothing;
}

/* The command on a thread, whose stack has no limit.  The thread that waits for it takes no signals. */
static int
on_mapped_stack(Unit *u, int argc, char **argv)
{
	const char *stack;
	sigset_t all;

	job.u = u;
	job.argc = argc;
	job.argv = argv;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &job.signals);
	errno = nesl_on_stack(STACK, STACK, do_job, NULL, &stack);
	return errno ? cannot("make", "a stack") : job.status;
}

int
main(int argc, char **argv)
{
	Arena *a = arena_new();
	Unit u = {.arena = a, .names = names_new(a), .diag = diag_new(a, stderr)};
	int status;

	nesl_standard_streams();
	on_interrupt();
	signal(SIGCHLD, SIG_DFL);       /* who started us may have had it ignored: then there would be nothing to wait for */
	status = more_stack() ? command(&u, argc, argv) : on_mapped_stack(&u, argc, argv);
	errno = 0;
	if ((fflush(stdout) != 0 || ferror(stdout)) && status != 4) {
		if (errno == 0 && write(1, "\n", 1) == 1)       /* it failed before: what was the reason then is it now */
			errno = EIO;
		status = cannot("write", "standard output");
	}
	if (u.lasting)
		arena_free(u.arena);
	arena_free(a);
	return status;
}

/* nesl_main.c: the main function of a generated program, CPU and CUDA alike.
 *
 * In   the command line and a nesl_program
 * Out  values on stdout, messages on stderr, the exit status of a compiler run: 0 all forms ran, 2 the command
 *      line is wrong, 3 a run-time error in some form, 4 the environment failed, 130 Ctrl-C
 * How  Everything runs on one thread with a large stack that is mapped but not reserved, so that deep recursion
 *      ends in a message.  A run-time error jumps back to the entry it happened in. */
#include "nesl_main.h"
#include "nesl_figures.h"
#include "nesl_slice.h"
#include "nesl_stream.h"
#include "nesl_threads.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAULT = 1, ANEW, STOP };          /* how a form ends early: what run_entry's setjmp gives; STOP: so does the run */
enum { STACK_MARGIN = 1 << 20, LEAVES = 64 };

static struct {
	const nesl_program *program;
	pthread_t thread;               /* that does it all */
	const char *name;               /* argv[0] without its directories */
	const char **input;             /* path by input cell */
	enum { ECHO_NONE, ECHO_VALUES, ECHO_ALL } echo;
	i64 print_length, max_depth, depth;
	bool stats, time;
	const char *stats_file, *profile_file;
	nesl_seconds seconds;
	i64 bytes_floor;
	const char *stack_end;                /* the lowest address that recursion may reach */
	jmp_buf entry;
	enum { OUTSIDE, STARTING, READING, IN_ENTRY } now;      /* beyond OUTSIDE entry is set */
	bool stopped;
	nesl_value value;               /* of the input that is read */
	const nesl_site *fault;
	i64 fault_v[3];
	nesl_index_path fault_path;
	int status;
	pthread_mutex_t effects;        /* of batches, one at a time */
} run = {.effects = PTHREAD_MUTEX_INITIALIZER};

nesl_batch *(*nesl_batch_here)(void);
bool nesl_no_batches;

static nesl_batch *
batch_here(void)
{
	return nesl_batch_here ? nesl_batch_here() : NULL;
}

/* Where the thread counts its calls. */
static i64 *
depth_here(void)
{
	nesl_batch *b = batch_here();

	return b ? &b->depth : &run.depth;
}

/* -- faults ------------------------------------------------------------------------------------ */
void
nesl_raise(const nesl_site *site, const i64 v[3], i64 e, const nesl_step *way, const nesl_frame *f)
{
	nesl_batch *b = batch_here();

	if (b) {
		b->path = nesl_path_of(way, f, e, run.program->read_step);
		b->site = site;
		memcpy(b->v, v, sizeof b->v);
		b->ended = NESL_FAULT;
		longjmp(b->out, 1);
	}
	run.fault_path = nesl_path_of(way, f, e, run.program->read_step);
	if (run.fault_path.n > 0 && !run.fault_path.more)
		run.fault_path.index[run.fault_path.n - 1] += nesl_slice_begins();
	run.fault = site;
	memcpy(run.fault_v, v, sizeof run.fault_v);
	longjmp(run.entry, FAULT);
}

void
nesl_batch_goes_on(nesl_batch *b)
{
	if (*b->over > b->number)
		return;
	b->ended = NESL_STOP;
	longjmp(b->out, 1);
}

void
nesl_end_as(nesl_batch *b)
{
	if (b->ended == NESL_STOP)
		nesl_end_run();
	if (b->ended == NESL_NO_ROOM)
		nesl_no_room(b->what, b->wanted, b->used);
	if (b->ended == NESL_NO_STACK && !nesl_shown()) {
		nesl_no_batches = true;
		longjmp(run.entry, ANEW);
	}
	free(nesl_fault_swap(b->said));
	run.fault_path = b->path;
	run.fault = b->site;
	memcpy(run.fault_v, b->v, sizeof run.fault_v);
	longjmp(run.entry, FAULT);
}

/* The run ends here, with all given back that there is. */
__attribute__((noreturn)) static void
stop(int status)
{
	run.status = status;
	run.stopped = true;
	longjmp(run.entry, STOP);
}

__attribute__((noreturn)) static void
give_up(void)
{
	if (run.now == READING)         /* on this thread */
		stop(4);
	_exit(4);
}

void
nesl_fail(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", run.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	give_up();
}

/* Where the form is that runs; else by the program's name. */
static void
tell_here(const char *text)
{
	fflush(stdout);
	if (run.now == IN_ENTRY && nesl_at->file)
		nesl_site_print(stderr, nesl_at, text);
	else
		fprintf(stderr, "%s: %s\n", run.name, text);
}

void
nesl_fail_here(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tell_here(text);
	give_up();
}

void
nesl_no_room(const char *what, i64 wanted, i64 used)
{
	char text[256], limit[64] = "";
	nesl_batch *b = batch_here();

	if (b) {
		b->what = what;
		b->wanted = wanted;
		b->used = used;
		b->ended = NESL_NO_ROOM;
		longjmp(b->out, 1);
	}
	if (run.now == IN_ENTRY)
		run.program->settle();
	if (run.now == IN_ENTRY && nesl_smaller_slices())
		longjmp(run.entry, ANEW);
	if (nesl_mem_limit < INT64_MAX)
		snprintf(limit, sizeof limit, ", and --mem-limit is %lld", (long long)nesl_mem_limit);
	snprintf(text, sizeof text, "out of %s: %lld bytes for an array, %lld in use%s", what, (long long)wanted, (long long)used,
		limit);
	tell_here(text);
	if (run.now != OUTSIDE)
		stop(4);
	_exit(4);
}

void
nesl_miscounted(const char *at, i64 count, i64 known)
{
	fflush(stdout);
	fprintf(stderr, "%s: internal error: %s has a count of %lld, but %lld owners\n", run.name, at, (long long)count,
		(long long)known);
	_exit(5);
}

void
nesl_enter(const nesl_site *site, const nesl_frame *f)
{
	nesl_batch *b = batch_here();
	const uintptr_t stack_end = b ? b->stack_end : (uintptr_t)run.stack_end;
	i64 *depth = b ? &b->depth : &run.depth;
	char here;

	if (nesl_interrupted)
		nesl_end_run();
	if (b)
		nesl_batch_goes_on(b);
	if (++*depth <= run.max_depth && (uintptr_t)&here >= stack_end)
		return;
	run.program->settle();
	if (b && *depth <= run.max_depth) {
		b->ended = NESL_NO_STACK;
		b->site = site;
		b->v[0] = *depth - 1;
		b->path.more = 1;
		longjmp(b->out, 1);
	}
	nesl_raise(site, (const i64[3]){*depth - 1, 0, 0}, 0, NULL, f);
}

void
nesl_leave(void)
{
	--*depth_here();
}

void
nesl_depth(i64 *depth, i64 *most)
{
	*depth = *depth_here();
	*most = run.max_depth;
}

/* <pthread.h> declares it under _GNU_SOURCE, but so <math.h> does names of ours. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);

uintptr_t
nesl_stack_end(void)
{
	pthread_attr_t attr;
	void *stack = NULL;
	size_t size;

	if (pthread_getattr_np(pthread_self(), &attr) == 0) {
		pthread_attr_getstack(&attr, &stack, &size);
		pthread_attr_destroy(&attr);
	}
	return stack ? (uintptr_t)stack + STACK_MARGIN : UINTPTR_MAX;
}

/* -- interrupts -------------------------------------------------------------------------------- */
int nesl_is_cut;

static void report(void);

static void
leave(int number)
{
	(void)number;
	_exit(130);
}

/* What takes too long is cut off: its thread has come to no end of a task for a second, so it is in one and in no function of
 * the run time.  All it had is given back, whatever other threads still do with it, and the figures are told; a device is not
 * asked from here (nesl_is_cut).  If even that takes a second, or fails, there are none. */
static void
cut_off(int number)
{
	sigset_t set;

	if (!pthread_equal(pthread_self(), run.thread)) {
		pthread_kill(run.thread, number);
		return;
	}
	signal(SIGALRM, leave);
	signal(SIGSEGV, leave);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	alarm(1);
	if (run.now == IN_ENTRY) {
		nesl_is_cut = 1;
		run.program->sweep();
		report();
	}
	_exit(130);
}

/* The run ends at the next task, call of the host or element of an input; if that takes too long, it is cut off; at a second
 * interrupt it ends at once. */
static void
interrupted(int number)
{
	if (nesl_interrupted)
		_exit(130);
	nesl_interrupted = number;
	alarm(1);
}

void
nesl_end_run(void)
{
	nesl_batch *b = batch_here();

	if (run.now != IN_ENTRY)
		return;
	if (b) {
		b->ended = NESL_STOP;
		longjmp(b->out, 1);
	}
	run.program->settle();
	stop(130);
}

void
nesl_run_effect(const char *name, const char *type, const nesl_leaf *in, int nin, nesl_leaf *out, int nout)
{
	nesl_batch *b = batch_here();
	int failed;

	run.program->settle();
	if (b)
		pthread_mutex_lock(&run.effects);
	failed = nesl_effect(name, type, run.program->int_bits, in, nin, out, nout);
	if (b) {                        /* it was an error's message */
		free(b->said);
		b->said = nesl_fault_swap(NULL);
		pthread_mutex_unlock(&run.effects);
	}
	if (failed)
		nesl_fail("out of memory");
	if (nesl_interrupted)
		nesl_end_run();
}

/* -- command line ------------------------------------------------------------------------------ */
static void
help(const nesl_program *p)
{
	printf("usage: %s [options]\n"
		"  --input NAME=PATH          the value of an input, from a .mtx, .npy, .nesl or .txt file\n"
		"  --echo=values|all|none     which forms print\n"
		"  --print-length=N           elements printed per level of a sequence\n"
		"  --stats[=FILE]             counts as JSON, to stderr or FILE\n"
		"  --profile[=FILE]           seconds of each task, to stderr or FILE; FILE.json is a trace for a browser\n"
		"  --time                     seconds, to stderr\n"
		"  --max-depth=N              deepest recursion\n"
		"  --mem-limit=BYTES          what arrays take together at most\n", run.name);
	for (int k = 0; k < p->ninput; k++)
		printf("%s  %s : %s\n", k ? "" : "inputs:\n", p->input[k].name, p->input[k].type);
}

__attribute__((noreturn, format(printf, 1, 2))) static void
bad_usage(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", run.name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputs("; --help lists the options\n", stderr);
	_exit(2);
}

static void
take_input(const char *arg)
{
	const nesl_program *p = run.program;
	const char *equals = strchr(arg, '=');
	size_t n = equals ? (size_t)(equals - arg) : 0;

	if (!equals || !n || !equals[1])
		bad_usage("--input wants NAME=PATH, not %s", arg);
	for (int k = 0; k < p->ninput; k++)
		if (strlen(p->input[k].name) == n && strncmp(p->input[k].name, arg, n) == 0) {
			if (run.input[k])
				bad_usage("input %s is given twice", p->input[k].name);
			run.input[k] = equals + 1;
			return;
		}
	bad_usage("there is no input %.*s", (int)n, arg);
}

static i64
take_count(const char *option, const char *text)
{
	i64 n;

	if (!nesl_count_of(text, &n))
		bad_usage("%s wants a number from 1, not `%s`", option, text);
	return n;
}

static void
take_echo(const char *text)
{
	static const char *const name[] = {"none", "values", "all"};

	for (int k = 0; k < 3; k++)
		if (strcmp(text, name[k]) == 0) {
			run.echo = k;
			return;
		}
	bad_usage("--echo wants values, all or none, not %s", text);
}

/* What is after `option=` in argv[*k], or `option` behind it; NULL if argv[*k] is something else. */
static const char *
value_of(char **argv, int *k, const char *option)
{
	const char *arg = argv[*k];
	size_t n = strlen(option);

	if (strncmp(arg, option, n) != 0 || (arg[n] && arg[n] != '='))
		return NULL;
	if (arg[n])
		return arg + n + 1;
	if (!argv[*k + 1])
		bad_usage("%s needs a value", option);
	return argv[++*k];
}

/* What is after `option=` in arg, which need not be there; NULL if arg is something else. */
static const char *
file_of(const char *arg, const char *option)
{
	size_t n = strlen(option);

	return strncmp(arg, option, n) == 0 && arg[n] == '=' && arg[n + 1] ? arg + n + 1 : NULL;
}

static void
take_option(char **argv, int *k)
{
	const char *arg = argv[*k], *v;

	if ((v = value_of(argv, k, "--input")))
		take_input(v);
	else if ((v = value_of(argv, k, "--echo")))
		take_echo(v);
	else if ((v = value_of(argv, k, "--print-length")))
		run.print_length = take_count("--print-length", v);
	else if ((v = value_of(argv, k, "--max-depth")))
		run.max_depth = take_count("--max-depth", v);
	else if ((v = value_of(argv, k, "--mem-limit")))
		nesl_mem_limit = take_count("--mem-limit", v);
	else if ((v = value_of(argv, k, "--seconds-compile")))  /* nessie tells what it took before */
		run.seconds.compile = strtod(v, NULL);
	else if (strcmp(arg, "--time") == 0)
		run.time = true;
	else if (strcmp(arg, "--stats") == 0)
		run.stats = true;
	else if ((v = file_of(arg, "--stats")))
		run.stats = true, run.stats_file = v;
	else if (strcmp(arg, "--profile") == 0)
		nesl_profiling = true;
	else if ((v = file_of(arg, "--profile")))
		nesl_profiling = true, run.profile_file = v;
	else
		bad_usage("unknown option %s", arg);
}

/* true: run; false: help was all that was wanted. */
static bool
command_line(int argc, char **argv)
{
	const nesl_program *p = run.program;

	for (int k = 1; k < argc; k++)
		if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
			help(p);
			return false;
		} else {
			take_option(argv, &k);
		}
	for (int k = 0; k < p->ninput; k++)
		if (!run.input[k])
			bad_usage("input %s : %s has no file: --input %s=PATH", p->input[k].name,
				p->input[k].type, p->input[k].name);
	return true;
}

/* -- the floor --------------------------------------------------------------------------------- */
/* No program moves less than its inputs, read once, and the values of its forms, written once. */
static void
count_floor(const nesl_leaf *leaf, int n)
{
	for (int i = 0; i < n; i++)
		switch (leaf[i].kind == LEAF_SCALAR ? '1' : leaf[i].base) {
		case 'i':
		case 'f': run.bytes_floor += leaf[i].count * (i64)sizeof(i64); break;
		case 'c':
		case 'w': run.bytes_floor += leaf[i].count * (i64)sizeof(int32_t); break;
		case 'b': run.bytes_floor += leaf[i].count; break;
		}
}

/* -- inputs ------------------------------------------------------------------------------------ */
/* Ints to 32 bits, in place; they fit. */
static void
narrow(nesl_leaf *l)
{
	if (l->kind == LEAF_OFFSETS || l->base != 'i')
		return;
	l->base = 'w';
	for (i64 k = 0; k < l->count; k++) {
		const int32_t x = (int32_t)((const i64 *)l->data)[k];

		memcpy((char *)l->data + k * 4, &x, 4);
	}
}

static void
read_inputs(void)
{
	const nesl_program *p = run.program;
	double t = nesl_now();

	for (int k = 0; k < p->ninput; k++) {
		const nesl_input_cell *in = &p->input[k];
		nesl_value *v = &run.value;
		char err[512];

		const int bad = nesl_read_input(run.input[k], p->int_bits, v, err, sizeof err);

		if (nesl_interrupted)
			stop(130);
		if (bad)
			nesl_fail("%s", err);
		if (strcmp(v->type, in->type) != 0)
			nesl_fail("input %s is declared %s, but %s holds a value of type %s",
				in->name, in->type, run.input[k], v->type);
		for (int i = 0; i < v->nleaf && p->int_bits == 32; i++)
			narrow(&v->leaf[i]);
		count_floor(v->leaf, v->nleaf);
		in->bind(v->leaf);
		nesl_value_free(v);
	}
	run.seconds.input = nesl_now() - t;
}

/* The device and the inputs.  What is there when that fails is in cells. */
static void
set_up(void)
{
	if (setjmp(run.entry) == 0) {
		run.now = STARTING;
		if (run.program->start)
			run.program->start();
		run.now = READING;
		read_inputs();
	}
	run.now = OUTSIDE;
	nesl_value_free(&run.value);
}

/* -- entries ----------------------------------------------------------------------------------- */
static void
echo(const nesl_entry *e, const nesl_leaf *leaf)
{
	fflush(stdout);
	if (e->echo == NESL_SAY)
		fputs(e->shown, stderr);
	if (e->echo == NESL_PRINT_LENGTH)
		run.print_length = e->nleaf;
	if (run.echo == ECHO_NONE || (run.echo == ECHO_VALUES && e->echo != NESL_EXPR) || e->echo >= NESL_NOTHING)
		return;
	if (e->echo == NESL_DEF) {
		printf("%s = fn : %s\n", e->shown, e->type);
		return;
	}
	if (e->echo == NESL_ASSIGN_TYPE) {
		printf("%s : ", e->shown);
		nesl_print_type(stdout, e->type);
		putchar('\n');
		return;
	}
	printf("%s = ", e->shown);
	nesl_print_value(stdout, e->type, leaf, run.print_length);
	fputs(" : ", stdout);
	nesl_print_type(stdout, e->type);
	putchar('\n');
}

/* It has run: what has it made? */
static void
take_value(const nesl_entry *e)
{
	nesl_leaf small[LEAVES], *leaf = small;

	if (e->leaves && e->nleaf > LEAVES && !(leaf = calloc((size_t)e->nleaf, sizeof *leaf)))
		nesl_fail("out of memory");
	if (e->leaves) {
		e->leaves(leaf);
		count_floor(leaf, e->nleaf);
	}
	echo(e, leaf);
	if (leaf != small)
		free(leaf);
}

/* Of kind memory: sequences that are too long together, which ends the run as it does where an array would be needed. */
static void
report_fault(void)
{
	fflush(stdout);
	nesl_fault_print(stderr, run.fault, run.fault_v, &run.fault_path);
	run.program->sweep();
	if (strcmp(run.fault->kind, "memory") == 0) {
		run.status = 4;
		run.stopped = true;
		return;
	}
	run.status = run.status == 5 || nesl_fault_internal(run.fault) ? 5 : 3;
}

static void
run_entry(const nesl_entry *e)
{
	const double t = nesl_now();

	nesl_slices_begin();
	nesl_no_batches = false;
	run.depth = 0;
	switch (setjmp(run.entry)) {
	case ANEW:
		run.program->sweep();
		run.depth = 0;
		/* fall through */
	case 0:
		nesl_at = &e->at;
		run.now = IN_ENTRY;
		if (e->run)
			e->run();
		run.now = OUTSIDE;
		run.seconds.run += nesl_now() - t;
		take_value(e);
		break;
	case STOP:
		run.now = OUTSIDE;
		run.program->sweep();
		break;
	default:
		run.now = OUTSIDE;
		run.seconds.run += nesl_now() - t;
		report_fault();
	}
	fflush(stdout);
}

/* -- figures ----------------------------------------------------------------------------------- */
/* Nobody waits for a run to hear in the end that its figures cannot be written.  Not opened: it may be a pipe. */
static void
check_figures(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	char dir[4096] = ".";

	if (!path || access(path, W_OK) == 0)
		return;
	if (slash)
		snprintf(dir, sizeof dir, "%.*s", (int)(slash - path) + 1, path);
	if (errno != ENOENT || access(dir, W_OK | X_OK) != 0)
		nesl_fail("%s: %s", path, strerror(errno));
}

/* Where figures go: stderr, or the file that was asked for. */
static FILE *
open_figures(const char *path)
{
	FILE *out = path ? fopen(path, "w") : stderr;

	if (!out)
		nesl_fail("%s: %s", path, strerror(errno));
	return out;
}

static void
close_figures(FILE *out, const char *path)
{
	if (out != stderr && (ferror(out) | fclose(out)))
		nesl_fail("%s: %s", path, strerror(errno));
}

/* A file of JSON is a trace, any other a table. */
static bool
is_trace(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	return dot && strcmp(dot, ".json") == 0;
}

static void
report(void)
{
	nesl_memory_stats m = {0};
	FILE *out;

	run.program->finish(&m);
	m.bytes_floor = run.bytes_floor;
	if (run.time)
		fprintf(stderr, "input %.3f s, compile %.3f s, run %.6f s (%s)\n", run.seconds.input,
			run.seconds.compile, run.seconds.run, run.program->ran_on());
	if (run.stats) {
		out = open_figures(run.stats_file);
		nesl_print_stats(out, run.program, &m, &run.seconds);
		close_figures(out, run.stats_file);
	}
	if (nesl_profiling) {
		out = open_figures(run.profile_file);
		if (is_trace(run.profile_file))
			nesl_print_trace(out, run.program);
		else
			nesl_print_profile(out, run.program, run.seconds.run);
		close_figures(out, run.profile_file);
	}
}

/* -- the thread that does it all --------------------------------------------------------------- */
static void *
run_all(void *nothing)
{
	const nesl_program *p = run.program;

	run.thread = pthread_self();
	run.stack_end += STACK_MARGIN;
	set_up();
	nesl_stream_start(stdout, stderr);
	for (int k = 0; k < p->nentry && !run.stopped; k++)
		run_entry(&p->entry[k]);
	nesl_stream_end();
	report();
	if (fflush(stdout) != 0 || ferror(stdout))
		nesl_fail("cannot write to standard output: %s", strerror(errno));
	return nothing;
}

/* As much stack as the address space gives. */
static void
run_on_large_stack(void)
{
	if ((errno = nesl_on_stack((size_t)1 << 36, 8 * STACK_MARGIN, run_all, NULL, &run.stack_end)) != 0)
		nesl_fail("no memory for a stack: %s", strerror(errno));
}

int
nesl_main(int argc, char **argv, const nesl_program *p)
{
	const char *slash = strrchr(argv[0], '/');

	nesl_standard_streams();
	run.program = p;
	run.name = slash ? slash + 1 : argv[0];
	run.echo = ECHO_VALUES;
	run.print_length = 100;
	run.max_depth = 1000000;
	run.input = calloc((size_t)p->ninput + 1, sizeof *run.input);
	if (!run.input)
		nesl_fail("out of memory");
	if (!command_line(argc, argv))
		return 0;
	check_figures(run.stats_file);
	check_figures(run.profile_file);
	signal(SIGINT, interrupted);
	signal(SIGALRM, cut_off);
	run_on_large_stack();
	free(run.input);
	return run.status;
}

#ifndef NESL_MAIN_H
#define NESL_MAIN_H
/* The main function of a generated program, CPU and CUDA alike: command line, inputs, the entries in
 * order, echo, faults, statistics, exit status.  The generated file describes itself in a nesl_program
 * and calls nesl_main. */
#include "nesl_effect.h"
#include "nesl_fault.h"
#include "nesl_value.h"
#include "nesl_slice.h"
#include "nesl_stream.h"
#include <setjmp.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {                          /* what an entry prints, if the options want it */
	NESL_EXPR, NESL_ASSIGN,         /* `shown = value : type`; --echo=values wants that of an expression */
	NESL_ASSIGN_TYPE,               /* `shown : type` */
	NESL_DEF,                       /* `shown = fn : type` */
	NESL_NOTHING,
	NESL_SAY,                       /* `shown`, on stderr */
	NESL_PRINT_LENGTH               /* nothing; from here on `nleaf` elements are printed */
} nesl_echo;

typedef struct {
	const char *shown, *type;
	nesl_echo echo;
	void (*run)(void);              /* NULL: nothing to do; computes, then sets its cells; faults leave through nesl_raise */
	void (*leaves)(nesl_leaf *);    /* after run: what to echo */
	int nleaf;
	nesl_site at;                   /* of kind memory: the form, where there is none for it */
} nesl_entry;

typedef struct {
	const char *name, *type;
	int nleaf;
	void (*bind)(nesl_leaf *);      /* the target's copy of the value; leaf[].data (malloc'ed) that is taken over is NULL then */
} nesl_input_cell;

enum { NESL_COUNTED = 7 };              /* figures that only the SIMT emulator counts, by its simt_count (tests/simt/simt.h) */

typedef struct {                        /* one per task, filled by the target as it runs */
	const char *name, *where;       /* "sparse_mxv.nesl:3" */
	const char *space;              /* "n; s": its rows, and the descriptor of their elements if it has level 2; "": none */
	i64 launches, bytes_read, bytes_written;
	i64 counted[NESL_COUNTED];
	int lanes;                      /* that had a row, when it ran last; 0: rows were not apart */
} nesl_task_stats;

typedef struct {
	i64 bytes_floor;                /* of the inputs, and of the values that forms gave */
	i64 host_syncs, checks_done, peak_bytes, live_bytes_at_exit, bytes_swept;
	i64 allocations, allocations_reused;    /* -1: not counted */
} nesl_memory_stats;

typedef struct {
	const char *target;             /* "cpu", "cuda" */
	int int_bits;                   /* 64 or 32 */
	const nesl_entry *entry;
	int nentry;
	const nesl_input_cell *input;
	int ninput;
	nesl_task_stats *task;
	int ntask;
	void (*start)(void);            /* find the device, make the pool; ends with status 4 and one message if it cannot */
	void (*sweep)(void);            /* after a fault: release what was made since the entry began */
	void (*finish)(nesl_memory_stats *);    /* free the cells, then measure */
	const char *(*ran_on)(void);    /* "cpu, 2 threads"; "NVIDIA H200" */
	nesl_read_step *read_step;      /* of ways out */
	void (*settle)(void);           /* raise what tasks so far have found and nobody has heard */
} nesl_program;

/* Options of every generated program: --input NAME=PATH (once per input cell), --echo=values|all|none,
 * --print-length=N, --stats[=FILE], --time, --max-depth=N, --mem-limit=BYTES, --help.  Returns the exit status, see nesl_main.c. */
int nesl_main(int argc, char **argv, const nesl_program *p);

/* Leave the running entry with this run-time error, of element e of the way out (NULL: of a row of the callee of f). */
__attribute__((noreturn)) void nesl_raise(const nesl_site *site, const i64 v[3], i64 e, const nesl_step *way,
	const nesl_frame *f);
/* The environment failed (status 4): one message, and the program ends. */
__attribute__((noreturn, format(printf, 1, 2))) void nesl_fail(const char *fmt, ...);
/* It failed for want of memory: as nesl_fail, at the form that runs. */
__attribute__((noreturn, format(printf, 1, 2))) void nesl_fail_here(const char *fmt, ...);
/* There is no memory of this kind for an array of so many bytes, so many being in use: the form begins anew, in smaller
 * slices (nesl_slice.h), or the environment failed. */
__attribute__((noreturn)) void nesl_no_room(const char *kind, i64 wanted, i64 used);
/* nesl_effect, after what tasks before it found is heard. */
void nesl_run_effect(const char *name, const char *type, const nesl_leaf *in, int nin, nesl_leaf *out, int nout);
/* Where nesl_interrupted: the form that runs ends here, and the run with it. */
void nesl_end_run(void);
/* The run was cut off in a task: its device is asked for nothing more, as it may not answer; what it has goes with the process. */
extern int nesl_is_cut;
/* --debug: an array has another number of owners than the compiler thought (status 5). */
__attribute__((noreturn)) void nesl_miscounted(const char *at, i64 count, i64 known);

/* Recursion: these stand around each call of a function that is part of a cycle. */
void nesl_enter(const nesl_site *site, const nesl_frame *f);    /* past --max-depth: what tasks found before, or kind recursion-depth */
void nesl_leave(void);

/* A batch of rows, which runs on a thread of its own, beside others (nesl_cpu_batch.h). */
typedef struct nesl_batch {
	const void *cuts;               /* of all of them; and which it is */
	i64 number;
	const volatile i64 *over;       /* the number of the first that ended early, so far: those behind it need not go on */
	i64 depth;                      /* of calls */
	uintptr_t stack_end;
	int thread, threads;            /* which thread it is, of so many that run batches */
	jmp_buf out;                    /* where it ends early, and why: */
	enum { NESL_GOES_ON, NESL_FAULT, NESL_NO_ROOM, NESL_NO_STACK, NESL_STOP } ended;
	const nesl_site *site;          /* a fault; no stack: that of the call */
	i64 v[3];
	nesl_index_path path;
	char *said;
	const char *what;               /* no room */
	i64 wanted, used;
} nesl_batch;
/* The one that this thread runs; NULL: it runs the whole program.  The target's; NULL: it has no batches. */
extern nesl_batch *(*nesl_batch_here)(void);
/* Where it need not it ends. */
void nesl_batch_goes_on(nesl_batch *b);
/* Once all batches have ended: as this one did.  If its thread had no stack left the form begins anew, without batches: the main
 * thread has more.  (If it has done what shows, calls are too deep.) */
__attribute__((noreturn)) void nesl_end_as(nesl_batch *b);

/* The form that runs does without batches. */
extern bool nesl_no_batches;

/* How deep calls nest now, and may; the lowest address that recursion on this thread may reach. */
void nesl_depth(i64 *depth, i64 *most);
uintptr_t nesl_stack_end(void);

#ifdef __cplusplus
}
#endif
#endif

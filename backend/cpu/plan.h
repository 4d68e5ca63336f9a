#ifndef NESSIE_CPU_PLAN_H
#define NESSIE_CPU_PLAN_H
/* What is computed where in a task.
 *
 * depth   how many passes over the chunks must be done before a step's value is known in any chunk: a
 *         scan, and a reduction at level 2, need the totals of earlier chunks, which is one pass more
 *         than their operand.  Counts of keeps need a pass too, but nothing in the task uses them.
 * late    a step at level 1 that follows the elements of its row: it uses a reduction at level 2.
 * A pass computes the steps that its targets need, and no others. */
#include "backend/cpu/cpu.h"

typedef enum {
	DO_VALUE,               /* source, scalar operator, call */
	DO_REDUCE,              /* level 2 to 1, or level 1 to the host */
	DO_SCAN,
	DO_SEGDES,              /* a scan of lengths that is stored */
	DO_KEEP,                /* keep, keep_segdes, keep_lengths: an array's place is counted */
	DO_SINK,                /* store, scatter, mark, put_*, check */
} Doing;

typedef struct Step {
	const Bind *b;
	Doing doing;
	int level, depth;       /* depth of the operands; the result of a scan or reduction is one deeper */
	bool late;
	bool live;              /* some result or check of the task needs it */
	bool need, used;        /* in the pass being printed: wanted; its value read by a wanted step */
	int group;              /* KEEP: the first live step with the same flag and level */
	bool sum;               /* SEGDES: of keep_lengths, the scan alone; the step behind it keeps what that gives */
	/* in the run of elements being printed (run.c, pieces.c) */
	const Opnd *is;         /* what it is, for each of them; NULL: it is computed */
	bool inside;            /* for each of them: fetch, put: its place is one of its vector's; KEEP: there is room;
	                           check: it holds */
} Step;

/* A variable of the task's function, as its chunks see it. */
typedef struct { const char *type, *name, *argument; } Shared;
typedef LIST(Shared) SharedList;

typedef struct {
	Cpu *k;
	const Bind *task;
	SharedList shared;
	size_t before;          /* where the functions of its chunks stand in the text */
	Step *step;
	int n, passes;          /* passes 0..passes-1 before the last one */
	bool two;               /* has level 2 */
	bool grid;              /* whose rows have one length */
	bool by_row;            /* some step needs to know its row: cut by merge path */
	bool counting;          /* the pass being printed is not the last */
	bool tells;             /* and of what asks, it tells: the last, and where the open row is folded before (pass.c) */
	bool open_row;          /* the elements being printed are of the row that a chunk leaves open */
	bool checks;            /* has checks, or calls that have */
	Map *ends;              /* groups of keeps whose end is declared, in the pass being printed */
	Map *made;              /* Var -> Step */
	const char *n1, *s;     /* rows; offsets, or a grid (NULL: one level) */
	const char *stats, *sites;      /* its figures; its first site, of its own checks */
	const char *lane;       /* the element is one of NESL_LANES side by side: where, from that of the first on; NULL: it is alone */
	bool in_lanes;          /* and each of them is folded for itself (lanes.c) */
	bool holds;             /* .. and whether their checks hold is asked when they have been folded */
	enum { SCAN_NONE, SCAN_OPERANDS, SCAN_STEPS } scanning;        /* scans in lanes: what they scan is made, or what they begin with is known */
	bool behind;            /* elements follow one another from the last to the first, extremes are those of the rest of a row */
	bool any_zero;          /* an extreme may be any of its zeros: the last is looked for behind the lanes (print_last_zero) */
	enum { FOUND_NOT, FOUND_NEXT, FOUND_LATER } found;      /* places have been, before the elements being printed (print_found_loop) */
	bool strips;            /* results are stored a strip at a time, in the pass being printed (strip.c) */
	bool aside;             /* a chunk keeps aside what it keeps until its turn comes (pass.c) */
	int read[3], again[3];  /* bytes of an element by level: read by the last pass; by all before it */
} Plan;

Plan *cpu_plan(Cpu *k, const Bind *task);
Step *cpu_step(const Plan *t, Opnd o);        /* the step that makes it; NULL: host */
Opnd cpu_plan_is(const Plan *t, Opnd o);        /* what stands for it in the run of elements being printed */
/* Does some step put into tables (nesl_cpu_tables.h)? */
bool cpu_plan_puts(const Plan *t);
/* The step of the task that stores in the place of v; NULL: none. */
const Bind *cpu_replaced(const Plan *t, const Var *v);
int cpu_step_rank(const Plan *t, const Step *s);        /* how many that tell of faults stand before it */

/* Mark what the steps with need set need, and on. */
void cpu_plan_close(Plan *t);
/* Which steps are marked: Step.need by its place, to be put back. */
const bool *cpu_plan_needed(const Plan *t);
/* Does a marked step run at this level?  Is one of this kind there? */
bool cpu_plan_needs_level(const Plan *t, int level);
bool cpu_plan_needs(const Plan *t, Doing doing, int level);

/* -- step.c: the text of one step, or of all marked ones at one element ------------------------------ */
const char *cpu_step_name(const Plan *t, const Step *s, const char *suffix);    /* of its result; a check has none */
const char *cpu_step_group(const Plan *t, const Step *s, const char *suffix);   /* KEEP: of the step that counts */
const char *cpu_step_count(const Plan *t, const Step *s);       /* scatter, mark, put_*: of its places */
const char *cpu_step_type(const Step *s);
/* Of a fold: does it keep more of the elements than it gives (emit_fold_type)?  What it keeps is of this type, acc gives this. */
bool cpu_step_finds_place(const Plan *t, const Step *s);
const char *cpu_step_kept_type(const Plan *t, const Step *s);
const char *cpu_step_result(const Plan *t, const Step *s, const char *acc);
const char *cpu_step_so_far(const Plan *t, const Step *s);      /* REDUCE, SCAN, SEGDES: what it has come to */
/* A fold that of equal elements gives the last, which may differ: zeros of different sign. */
bool cpu_step_keeps_order(const Step *s);
bool cpu_step_puts(const Step *s);      /* into a table, and it is live */
bool cpu_step_keeps(const Step *s);     /* KEEP: does it store something for each that is kept? */
bool cpu_step_stores(const Plan *t, const Step *first);         /* KEEP: does any marked one of its group? */
/* What two chunks know of a reduction, scan or descriptor, together; and nothing known. */
const char *cpu_step_combined(const Plan *t, const Step *s, const char *acc, const char *x);
const char *cpu_step_identity(const Plan *t, const Step *s);
/* The same, but of zeros the sign does not matter yet. */
const char *cpu_step_in_lane(const Plan *t, const Step *s, const char *acc, const char *x);
/* Where row e1 begins, or the one behind it. */
const char *cpu_step_row(const Plan *t, bool behind);
/* A value of level 1 or 2; of a fetch, how many places its vector has. */
const char *cpu_step_value(const Plan *t, const Step *s);
/* Of a quotient or remainder of places by a number of the host, which counts on from the last one: the first step of the pass that divides the
 * same, whose `_turns` it counts in; else NULL. */
const Step *cpu_step_turns(const Plan *t, const Step *s);
const char *cpu_step_places(const Plan *t, const Step *fetch);
/* The body of the loop over elements of level 2. */
void cpu_step_element(const Plan *t, bool last_pass);
/* Level 1, before the elements of the row; at_end: of the row that is open at the end of the chunk. */
void cpu_step_before(const Plan *t, bool at_end);
/* Level 1, at the end of the row. */
void cpu_step_after(const Plan *t, bool last_pass);

/* -- elements.c: a loop over elements, from `from` on, or where its variable stands if that is NULL, to stop --- */
void cpu_elements(Plan *t, int level, const char *from, const char *stop, bool last_pass);
/* Asks for what elements of the level that come later read or store in order; of rows, where they end too.  ask: for one of them, or
 * for so many rows together. */
void cpu_ahead(Plan *t, const char *ask, int level, bool last_pass);

/* -- strip.c: a loop over strips; lines between the two are for one, whose elements are strip_.lo to strip_.hi - 1 ------------- */
/* May results be stored so?  Is what the step stores among these? */
bool cpu_strips_serve(const Plan *t);
bool cpu_strip_has(const Plan *t, const Step *s);
/* The first of the chunk's elements; behind the last. */
void cpu_strips_open(Plan *t, const char *from, const char *past);
void cpu_strips_close(Plan *t);

/* -- chunk.c: lines between the two are for one chunk: a function, and the loop that calls it, by threads ------- */
void cpu_chunk_open(Plan *t);
void cpu_chunk_close(Plan *t);
/* Variables that a chunk may name, their type with what stands before the name: as they are; by their addresses; arrays of it. */
void cpu_share(Plan *t, const char *type, const char *name);
void cpu_share_place(Plan *t, const char *type, const char *name);
void cpu_share_array(Plan *t, const char *type, const char *name);

/* -- pass.c: all passes of the task -------------------------------------------------------------------- */
void cpu_passes(Plan *t);

#endif

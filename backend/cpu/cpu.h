#ifndef NESSIE_CPU_H
#define NESSIE_CPU_H
/* The C back end: mem -> one C11 file over backend/rt/nesl_cpu.h.  What its files share.
 *
 * A task `n` or `n, s` becomes a function that runs over chunks (nesl_cpu_task.h).  Accepted in one task,
 * together in any number:
 *     level 1, and level 2 where there is s: sources, scalar operators, scans, store, scatter, put_*, keep,
 *     check;
 *     a reduction at level 1, whose result is only yielded; a reduction at level 2, used at level 1;
 *     keep_segdes at level 2, segdes at level 1; scalars of level 1 used at level 2; scans over what
 *     depends on scans and reductions, at any depth.
 * A reduction at level 2 that is used at level 2, other than through a scan at level 1, makes two tasks of one (split.c).
 * Not accepted (an ice): vectors made in the task used in it. */
#include "backend/emit.h"
#include "backend/lines.h"
#include "backend/nested.h"
#include "backend/same.h"
#include "backend/scans.h"
#include "common/map.h"
#include "fuse/lcu.h"

/* The pass: u->ir over map_ir -> u->text. */
void emit_c(Unit *u);
/* split.c: no step at level 2 uses a reduction of its own row; what does is a task of its own. */
Program *cpu_split(Program *p);

/* Names of ours in generated tasks, chosen so that no variable of the program has them. */
typedef struct {
	const char *nc, *c, *n2, *hi, *end, *cuts, *failure, *worst, *stats, *sites, *way, *threads;
} Fixed;

typedef struct {
	Emit *e;
	Program *p;
	Arena *arena;
	const Diag *diag;
	Map *used;              /* interned identifiers of the program's variables */
	Map *put;               /* by Var: the vector of numbers that it is, which is not made, as they are put where it is appended */
	Map *number;            /* Bind -> its Numbered: a site or a task */
	Map *task_names;
	Map *named_by;          /* identifier -> the last chunk that names it (chunk.c) */
	const Same *same;
	Map *tail;              /* tail.h */
	Map *scalars;           /* scalars.h */
	Map *kept;              /* kept.c */
	long long mem_limit;    /* --mem-limit; 0: none, and nothing tells where the program is */
	bool debug;             /* --debug */
	bool reuses;            /* without --no-reuse */
	const Fun *each;        /* the scalar function being printed, as elements call it; else NULL */
	int *uses;              /* by variable id, in host code and tasks */
	int nsite, ntask;
	Fixed fixed;
} Cpu;

typedef struct {
	int site;               /* in nesl_sites */
	int task;               /* in nesl_tasks */
	const char *name;       /* task: the C function, if it is the first of its like */
} Numbered;

Numbered *cpu_numbered(Cpu *k, const void *key);

/* A function's name like this one, that no other has. */
const char *cpu_task_name(Cpu *k, const char *like);

/* The C name of a variable; with a suffix, of something that belongs to it ("_v": the array). */
const char *cpu_name(Cpu *k, const Var *v);
const char *cpu_name_of(Cpu *k, const Var *v, const char *suffix);
/* Of the text that f is in: what stands behind fn_, each_ and struct fn_. */
const char *cpu_fun(Cpu *k, const Fun *f);
/* Sets k->fixed, once k->used knows the program's names. */
void cpu_choose_fixed(Cpu *k);
/* Operand as C text; a vector is its array. */
const char *cpu_operand(Cpu *k, Opnd o);
/* The type of a host variable: nesl_vec * or a scalar's, with what stands before the name. */
const char *cpu_type(const Ty *t);
/* The same of a parameter of f: scalar code changes nothing. */
const char *cpu_param_type(Cpu *k, const Fun *f, const Ty *t);
const OpInfo *cpu_op(const Cpu *k, const Bind *b);
/* Does the C text of b mention its i-th operand?  The guard of a division does not ask for the dividend, and what a
 * jump leaves as it is needs no text. */
bool cpu_reads(const Cpu *k, const Bind *b, int i);
/* The steps of a way out as the text of initializers, NESL_END behind them. */
const char *cpu_way(Cpu *k, const Bind *b);
/* acc `op` x for a reduction or scan, and its neutral element. */
const char *cpu_combine(Cpu *k, const Bind *b, const char *acc, const char *x);
const char *cpu_identity(Cpu *k, const Bind *b);
/* The greatest or least of floats, as of ints: of equal ones acc, not the last; one instruction of x86, which passes over a NaN in x. */
const char *cpu_combine_as_ints(Cpu *k, const Bind *b, const char *acc, const char *x);

/* host.c: the bindings of a block; its yields are left to the caller. */
void cpu_block(Cpu *k, const Block *body);
/* A call, and what it gives: variables of the results in use.  The texts of its operands are given; calls: what scalar
 * functions that fault are told first. */
void cpu_call(Cpu *k, const Bind *b, const char *calls, const char *const *arg);
/* The text of a call of f: of what elements alone have, if own. */
const char *cpu_call_text(Cpu *k, const Fun *f, bool own, const char *calls, const char *const *arg);
/* kept.c: has f's text for elements parameters that all its calls of itself hand on as they are, which then are in a struct?
 * Is v one of the text that is being printed?  The struct; and the operands of a call where there is one. */
bool cpu_keeps_some(Cpu *k, const Fun *f);
bool cpu_is_kept(Cpu *k, const Var *v);
void cpu_declare_kept(Cpu *k, const Fun *f);
const char *cpu_kept_operands(Cpu *k, const Fun *f, const char *const *arg);
/* batch.c: what calls a function that runs for a batch of rows for each batch, in its place. */
void cpu_all_batches(Cpu *k, const Fun *f);
/* small.c: what calls a function that does for rows what one in nested form does for one, in its place. */
void cpu_all_small(Cpu *k, const Fun *f);
/* scan.c: what is called in place of a scan's body, or tries it block by block first. */
void cpu_all_scan(Cpu *k, const Fun *f);
/* cpu.c: of the C function, with what stands before its name. */
const char *cpu_result_type(Cpu *k, const Fun *f);
const char *cpu_parameters(Cpu *k, const Fun *f);
/* cpu.c: all that f, which gives several results, gives, of their texts; "": nobody looks at it.  And one of them, of all. */
const char *cpu_results(Cpu *k, const Fun *f, const char *values);
const char *cpu_result_of(Cpu *k, const Fun *f, const char *all, int i);
/* task.c: the function of a task, the first of its like. */
void cpu_task(Cpu *k, const Bind *task);
/* The site of its first step that tells of faults, -1: none.  Those of the others follow. */
int cpu_task_site(Cpu *k, const Bind *task);
/* Has any of its checks a way out?  Then the task's function has a parameter for them. */
bool cpu_task_has_way(const Cpu *k, const Bind *task);
/* What a task's function is called with, besides its results: its free variables, in order of use. */
void cpu_task_params(Cpu *k, const Bind *task, VarList *l);

#endif

#ifndef NESSIE_CUDA_GEN_H
#define NESSIE_CUDA_GEN_H
/* What the parts of the CUDA back end share while they write one file. */
#include "backend/emit.h"
#include "backend/lines.h"
#include "backend/same.h"
#include "backend/scans.h"
#include "fuse/lcu.h"

/* A place that can fail: a check, the use of a cell, a call that may recur, or with --mem-limit what makes an array. */
typedef struct Site {
	const char *kind;
	Span span;
} Site;

typedef struct Gen {
	Unit *u;
	Program *p;
	Arena *a;
	Emit *e;
	LIST(Site) site;                /* those of a task side by side; of the others each once */
	Map *site_of;                   /* by Bind: one more than the number of its site */
	LIST(const Bind *) task;        /* and operations of the library that have figures: k of the list is nesl_tasks[k + 1]; 0 are the others */
	LIST(const Fun *) own_way;      /* functions that have an all_NAME: k of the list comes behind all tasks */
	bool scans;                     /* of these some are run by operators */
	const Same *same;               /* tasks that are the same share the functors of the first */
	Map *tail;                      /* tail.h */
	Map *scalars;                   /* scalars.h */
	const Fun *each;                /* the scalar function being written, as elements call it; else NULL */
	struct Plan **plan;             /* by task, of a first one: its passes, once task_functors has run */
	Bind **step;                    /* by Var.id: the step of a task that makes it; NULL: host */
	bool *used;                     /* by Var.id: some binding or yield mentions it */
	LIST(const Bind *) awaited;     /* tasks that found what the host has not waited for yet */
	LIST(const Bind *) later;       /* lengths of what they found */
	bool doubted;                   /* the host has not heard yet whether the indices of a permutation are good */
	LIST(const Var *) scattered;    /* by tasks so far: perhaps not all is written */
	bool *read;                     /* by Var.id: reads_together has read it */
	bool sorts;                     /* some binding sorts, or ranks */
} Gen;

/* gen.c */
void gen_scan(Gen *g);                                  /* fills in sites, tasks, step, used */
bool gen_takes_memory(const Gen *g, const Bind *b);     /* is it told where there is too little? */
int gen_site(const Gen *g, const Bind *who);
int gen_task_site(const Gen *g, const Bind *task);      /* of its first step that tells of faults; those of the others follow; 0: none */
int gen_task(const Gen *g, const Bind *task);
const char *gen_type(Gen *g, const Ty *t);              /* i64, nesl_vec<f64>, nesl_segdes */
const char *gen_operator(Gen *g, const Bind *b);        /* nesl_sum_f64, for a reduction, scan or segdes */
bool gen_commutes(Gen *g, const Bind *b);                /* is what it folds the same bits in any order? */
const char *gen_base(Gen *g, const Bind *b);            /* what it folds: its base's C text over x, y */
const char *gen_scalar(Gen *g, const Bind *b);          /* the C text of a scalar step */
const OpInfo *gen_info(const Gen *g, const Bind *b);       /* its row in the table of operators */
const char *gen_name(Gen *g, Opnd o);                   /* an operand as an expression */
/* The steps of a way out, an end behind them; "" if there is none. */
const char *gen_way(Gen *g, const Bind *b);

/* plan.c: a task as passes over its space, each a call of one skeleton. */
typedef enum { PASS_MAP, PASS_REDUCE, PASS_SCAN } PassKind;
typedef LIST(const Bind *) Steps;

typedef struct Pass {
	PassKind kind;
	int level;                      /* where elements are loaded */
	Steps fold;                     /* its reductions, scans and segdes, side by side */
	Steps rows;                     /* REDUCE at level 2: reductions at level 1, over what the rows gave */
	Steps late;                     /* SCAN: reductions of its level over what its scans have found */
	Steps keep;                     /* SCAN: its keep, keep_segdes and keep_lengths */
	LIST(Opnd) mask;                /* SCAN: their conditions, each once */
	/* sinks: where elements are loaded; where the scans before them are known; at the ends of rows */
	Steps load, after, end;
	struct Functor *with;           /* what the skeleton is called with */
	Steps step;                     /* all steps of it */
	bool flat;                      /* level 2, but no step asks for the row */
} Pass;

typedef struct Plan {
	const Bind *task;
	const Block *body;
	LIST(Pass) pass;                /* in an order in which they can run */
	Steps left;                     /* functions of what rows fold, computed at their ends */
	Steps spilled;                  /* those, reductions and scans whose values other passes need */
	Steps told;                     /* what tells of faults, in order: their numbers in generated text */
} Plan;

Plan *plan_task(Gen *g, const Bind *task);
bool plan_anchor(Gen *g, const Bind *step);             /* a reduction or scan */
bool plan_segdes(const Bind *step);                     /* a descriptor made of lengths */
Opnd plan_folded(const Bind *step);                     /* what a reduction, scan or segdes folds */
bool plan_lasts(Gen *g, const Plan *t, const Bind *step);        /* other passes do not compute it again, but load it */
bool plan_finds(const Pass *p, const Bind *step);       /* is it in this pass that such a value is found? */
int plan_value_level(Gen *g, const Bind *anchor);       /* where its value lives; 0: on the host */
bool steps_has(const Steps *l, const Bind *b);
void steps_add(Gen *g, Steps *l, const Bind *b);        /* unless it is there */
int plan_mask(const Pass *p, Opnd condition);           /* which of p->mask it is; -1: none */
const Var *plan_result(const Plan *t, const Bind *sink);        /* the variable it makes on the host; NULL: none */

/* call.c: the calls, in their place on the host; what the task has found, once it was waited for. */
void task_call(Gen *g, const Bind *task);
void task_take(Gen *g, const Bind *task);

/* await.c: waits before b, if it needs what tasks before it have found, or must not run where they have found a fault; or at the
 * end of a block. */
void await_before(Gen *g, const Bind *b);
bool await_later(Gen *g, const Bind *b);                /* is b told once that is waited for? */
void await_after(Gen *g, const Bind *task);
void await_all(Gen *g);
bool await_concerns(const Gen *g, const Bind *b);       /* is an operand of b something that tasks have found, and not told yet? */

/* reads.c: b reads a value of the device.  Unless it was read before: that, and what later bindings read. */
bool reads_value(const Bind *b);
void reads_together(Gen *g, const Bind *b);

/* Functions that are run in ways of their own have an all_NAME, which is called in their place.  head: its first line; task: of its figures.
 * few.c: one that does for rows what one in nested form does for one.  scan.c: a scan by another function. */
bool gen_has_own_way(const Fun *f);
void few_call(Gen *g, const Fun *f, int task, const char *head);
void scan_call(Gen *g, const Fun *f, int task, const char *head);

/* host.c */
/* The function that a call of `to` is of, as elements call it (own) or as the host does; and what is handed to it before references of its
 * results, if these are several. */
const char *host_called(Gen *g, const Fun *to, bool own);
const char *host_operands(Gen *g, const Fun *to, const char *calls, const char *args);
/* A call, and what it gives: variables of the results in use.  calls: what scalar functions that fault are told. */
void host_call(Gen *g, const Bind *b, const char *calls);
void host_block(Gen *g, const Block *b);
void host_length(Gen *g, const Bind *b);
const char *host_value(Gen *g, const Bind *b);          /* what defines its result, as an expression */

#endif

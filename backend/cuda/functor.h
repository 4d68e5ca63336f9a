#ifndef NESSIE_CUDA_FUNCTOR_H
#define NESSIE_CUDA_FUNCTOR_H
/* The structs that skeletons are called with, one for each pass of a task. */
#include "backend/cuda/gen.h"

/* What a functor is made from: exactly one of these, or none: the places of checks. */
typedef struct Member {
	const char *type, *name;
	const Var *var;                 /* of the host, or a result of the task */
	const Bind *spilled;            /* the step whose values are in memory of their own */
} Member;

typedef struct Functor {
	Gen *g;
	const Plan *plan;
	Pass *pass;
	const char *name;
	const char *fold, *rows, *late; /* the operators that it folds with; NULL: none */
	bool *of_row;                   /* by Var.id: level 1's alone, and nothing but read */
	bool asks;                      /* elements are told of their row what they ask of it: Row */
	Steps row;                      /* its members */
	bool starts;                    /* and where the row starts */
	Steps brought;                  /* values that elements bring to the outputs they go to, as they stand in memory: Kept */
	bool early;                     /* what decides where they go has read all of these */
	bool brings;                    /* the method that is written is told of them */
	bool doubts;                    /* the method that is written holds what it finds wrong, for its caller to ask */
	int near;                       /* how many neighbours a thread takes at once; 0: its elements are not its own */
	LIST(Member) member;
} Functor;

/* functor.c: for all tasks that are the same as this one. */
void task_functors(Gen *g, const Bind *task);
/* Is its value found by this pass itself; and is it one that is left in memory of its own? */
bool functor_finds(const Functor *f, const Bind *b);
bool functor_spills(const Functor *f, const Bind *b);
/* Are elements told what it is? */
bool functor_tells(const Functor *f, const Bind *b);

/* members.c: everything that the pass needs from the host, in the order in which it is used. */
void functor_members(Functor *f);

/* methods.c: all of them, in the struct. */
void functor_methods(Functor *f);

/* steps.c: which steps are done, what they stand on added to l.  Behind a reduction or scan, and what an earlier pass has left, it does
 * not go. */
void steps_need(const Functor *f, Steps *l, Opnd o);
void steps_need_one(const Functor *f, Steps *l, const Bind *b);
void steps_need_all(const Functor *f, Steps *l, const Steps *sinks);
void steps_need_folded(const Functor *f, Steps *l, const Bind *b);      /* what it folds of an element */
/* Of load_; what decides which elements are kept; that, and what is kept of them; what gives what elements ask of their row. */
Steps steps_of_load(const Functor *f);
void steps_of_mask(const Functor *f, Steps *l);
void steps_of_keep(const Functor *f, Steps *l);
Steps steps_of_row(const Functor *f);
bool steps_ask_row(Gen *g, const Steps *l);             /* does one of them ask for the row? */
bool steps_act(const Functor *f, const Steps *l);       /* does one of them more than read? */
void steps_emit(Functor *f, const Steps *l);            /* in their order; what the pass itself folds has its name already */
const char *spill_name(Gen *g, const Bind *step);       /* the memory of a spilled value: its name and an underscore */

/* folds.c: what is folded side by side.  The operator that folds all of l; if they are several, a struct of that name.  NULL: none are. */
const char *fold_operator(Gen *g, const Steps *l, const char *name);
const char *fold_type(Gen *g, const Bind *b);
const char *fold_types(Gen *g, const Steps *l, const char *op);         /* of all together; op: their operator */
bool fold_keeps_value(const Gen *g, const Bind *b);     /* does it keep what its value is? */
/* The value of step in x, which is of the type that l, all folded side by side, has. */
const char *fold_value(Gen *g, const Steps *l, const Bind *step, const char *x);
void fold_operands(Functor *f, const Steps *l);         /* what a method returns: of all in l their operands */

#endif

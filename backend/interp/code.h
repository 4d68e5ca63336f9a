#ifndef NESSIE_INTERP_CODE_H
#define NESSIE_INTERP_CODE_H
/* normal, made ready to run: variables are slots of a frame, operators are functions, and each boxed
 * value is let go after its last use on every path. */
#include "backend/interp/value.h"
#include "common/unit.h"
#include "frontend/scalar.h"

typedef struct Machine Machine;
typedef struct Step Step;
typedef struct Code Code;
typedef struct Function Function;

typedef enum {
	RUN_OK,
	RUN_FAULT,              /* the last of machine->faults say which */
	RUN_TAIL,               /* the frame ends with a call of machine->tail */
} Outcome;

typedef Outcome (*StepFn)(Machine *m, Value *slot, const Step *s);

typedef struct {
	int slot;               /* -1: the constant k */
	bool last;              /* boxed, and not used again: may be moved out of its slot */
	Value k;
	const Ty *ty;
} Arg;

struct Step {
	StepFn run;
	const Bind *bind;
	int *dst;
	Arg *arg;
	Code **block;
	int *drop;              /* slots to let go afterwards; one may be empty already */
	int ndrop;
	ScalarFn fn, guard;     /* SCALAR; guard may be NULL.  REDUCE, SCAN: fn */
	ScalarFn equal;         /* of elements whose place is found */
	Scalar identity;        /* REDUCE, SCAN */
	Function *callee;       /* call */
	int cell;               /* cell: its number */
	bool tail;              /* call: nothing is left to do after it in this frame */
};

struct Code {
	int *param;
	int nparam;
	Step *step;
	int nstep;
	Arg *yield;
	int nyield;
	int *drop;              /* slots to let go at entry: dead on this path */
	int ndrop;
};

typedef struct Watch {          /* watch.h */
	int trace;              /* the level; 0: not */
	bool profile;
	i64 calls, open;        /* those that are not done */
	double start, seconds;
} Watch;

struct Function {
	const Fun *fun;
	Code *code;
	const Ty **slot;        /* the types */
	int nslot;
	Watch watch;
	bool basis;             /* library code: its faults are told at the user's call */
	Function *next;
};

/* All functions (a list), to be found by name. */
Function *code_functions(Unit *u);
/* An entry's body, as a function without parameters. */
Function *code_entry(Unit *u, Function *all, const Entry *e);

/* Is the file one of the library? */
bool code_in_basis(const Unit *u, const char *file);
/* The number, from 0, of the program's cell of this name; there is one. */
int code_cell(const Program *p, const char *name);

#endif

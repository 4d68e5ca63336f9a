#ifndef NESSIE_INTERP_EVAL_H
#define NESSIE_INTERP_EVAL_H
/* Running code: control in eval.c, operators on sequences in sequence.c, effects in
 * effect.c. */
#include "backend/interp/code.h"
#include "backend/rt/nesl_fault.h"

typedef struct {
	const char *kind;
	i64 v[3];
	const char *said;       /* user-error: the message */
	Span span;
	nesl_index_path path;
} Fault;

struct Machine {
	Unit *u;
	Value *cell;            /* by number */
	const Ty **cell_type;
	bool *bound;
	FILE *out, *err;
	i64 print_length;       /* elements shown per level */
	i64 traced;             /* calls shown that are open */
	i64 depth, max_depth;   /* of calls in a cycle of calls */
	const char *stack_end;  /* the lowest address that calls may reach */
	const Function *running;        /* whose frame it is */
	Function *tail;         /* RUN_TAIL: what to call, its arguments */
	Value *tail_arg;
	LIST(Fault) faults;     /* of this form, in the order met: one, or with all_faults each element's first */
	bool all_faults;
};

/* NULL if there is no such operator. */
StepFn eval_operator(const OpInfo *op);
StepFn sequence_operator(const char *name);
Outcome run_effect(Machine *m, Value *slot, const Step *s);
Outcome run_error(Machine *m, Value *slot, const Step *s);

/* Takes the arguments; gives fun->nresult values.  Never RUN_TAIL. */
Outcome eval_function(Machine *m, Function *f, Value *arg, Value *result);

/* RUN_FAULT, after adding the fault at this step. */
Outcome eval_fault(Machine *m, const Step *s, const char *kind, i64 a, i64 b, i64 c);

/* The k-th argument: to look at; as one's own. */
Value arg_see(const Value *slot, const Step *s, int k);
Value arg_take(Value *slot, const Arg *a);

#endif

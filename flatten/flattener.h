#ifndef NESSIE_FLATTENER_H
#define NESSIE_FLATTENER_H
/* The state of the pass, shared by its files: represent.c, sequence.c, branch.c, fork.c, join.c, loop.c, store.c, mutual.c, compact.c,
 * scalar.c, lift.c, flatten.c. */
#include "common/map.h"
#include "common/unit.h"
#include "flatten/build.h"
#include "flatten/represent.h"
#include "flatten/rules.h"
#include "frontend/normal.h"

typedef struct Spec Spec;               /* lift.c: one version of a function */
typedef struct Env {                    /* the variables of the function being flattened */
	int lo, n;                      /* ids lo .. lo+n-1 */
	Val **at;
} Env;

/* What is run at a level further out than it stands, see way_out. */
typedef struct Hoist {
	const Level *base, *from;
	const struct Hoist *outer;
} Hoist;

typedef struct Shadow {                 /* what a variable was before an arm changed how it stands */
	const Var *var;
	Val *before;
} Shadow;

/* store.c: columns of scalars; how a parameter becomes others */
typedef LIST(Val *) Stores;
typedef struct Line Line;
typedef LIST(const Line *) Lines;

struct Flattener {
	/* what build.h works on: all that optimize.c uses */
	Arena *arena;
	Program *in, *out;
	bool plain;                     /* -O0: as it comes, nothing simplified or shared */
	const Rules *rules;
	bool fuses;                     /* tasks are put together: folds by rows are where elements are made (simplify.c) */
	Frame *frame;
	Known **known;                  /* nbucket lists of nknown bindings */
	int nknown, nbucket;
	LIST(const Bind *) defs;        /* by Var.id of out: the pure binding that makes it, if one does */
	LIST(int) depths;               /* by Var.id of out: the depth of its block */
	LIST(Var *) as_long;            /* by Var.id of out: simplify.c: what it is as long as; NULL: it is not known yet */
	LIST(bool) numbers;             /* by Var.id of out: bound.c: lengths that are a number of the program's */
	LIST(int) uses;                 /* by Var.id of out: how many, where that is known */
	LIST(bool) ordered;             /* and are its elements wanted in their order? */
	Span span;                      /* of what is emitted */
	const char *hint;               /* its name */
	/* flattening */
	Level host;
	Level *cur;                     /* the deepest level of the context */
	const Hoist *hoist;             /* NULL: all stands where it runs */
	Env env;
	const Fun *fun;                 /* the function of normal, NULL in entries */
	struct Calls *calls;            /* join.c: that wait to be made as one */
	Stores store;                   /* of the loop that is flattened; and by which lines they are written */
	Lines line;
	LIST(Shadow) shadows;
	const Opnd *reached;            /* fork.c, masked.c, guard.c: the instances where we are whose checks count; NULL: all */
	Spec *specs, *version;          /* version: the one that is being made, NULL in entries */
	Map *spec_by_key, *specs_of;    /* specs_of: by Fun, the last of its versions */
	Fun **end;                      /* of the functions of out */
	Map *uneven;                    /* by Fun: itself, if nothing is gained by looking whether its rows are of one length */
	Map *names;                     /* of the versions of functions */
	Var *some_segdes;               /* stands for any descriptor, in shapes of results */
	Map *loops;                     /* loop.c: Fun -> itself, if it is a loop; else the pass's program; and the loop
	                                 * that a Bind is a jump of */
	Map *lines;                     /* store.c: Fun -> the last Line that was asked for */
	Map *states;                    /* loop.c: by Bind of a call: what is known of the state of the loop that it enters where it stands */
	Map *groups;                    /* mutual.c: Fun -> those that are one with it */
	bool again;                     /* an assumption about a recursive result was too narrow */
	bool batches;                   /* rows may come apart, see batch.c */
	bool own_ways;                  /* functions may be run otherwise than flat: rows one after the other, see small.c; scans, see lift.c */
	Map *runners;                   /* runner.c: Fun of out, by what it runs and how */
	Map *nested;                    /* small.c: by name of a function: itself, if it may be run in nested form */
	Val *const *few;                /* small.c: what the function is called with whose few rows may be run so */
	Map *views;                     /* batch.c: by Fun: itself, if it gives rows of others */
	Map *stores;                    /* branch.c: by Fun: itself, if what its calls back lead to is stored, though it gives views of that */
	Map *early, *ran_early;         /* early.c: by Bind: of a conditional, what of its arms runs before it; of that, the environment where it has */
	Map *guards;                    /* guard.c: by Var: the length, or the comparison, that it is */
	Map *home;                      /* by Bind: of a conditional, the block where it stands */
	bool unchecked;                 /* what scalar operators want is checked elsewhere */
	bool avoids;                    /* scalar code is not flattened */
	Map *scalar;                    /* by name of a function: not NULL if it is scalar code */
	Map *cells;                     /* scalar.c: by function of scalar code: what cells it reads */
};

/* flatten.c */
/* A cell as the host has it, by `cell`, or by `peek` if bound is not NULL. */
Val *read_cell(Flattener *f, const char *name, const char *hint, const Ty *ty, Val **bound);
void flatten_bind(Flattener *f, const Bind *b);
void flatten_block(Flattener *f, const Block *b);
void flatten_until(Flattener *f, const Block *b, const Bind *end);     /* without end, and what comes after */
/* Do its operands live where we are?  Does it run further out? */
bool runs_here(Flattener *f, const Bind *b);
bool runs_outside(Flattener *f, const Bind *b);
Val *use(Flattener *f, Opnd o);         /* an operand's value, as seen from the current context */
Env env_new(Flattener *f, Var *const *param, int nparam, const Block *body);
void env_set(Flattener *f, const Var *v, Val *val);
Val *env_get(const Flattener *f, const Var *v);         /* NULL: not bound yet */
/* The same value, made in the arm that we are in; and back to what was before. */
void env_shadow(Flattener *f, const Var *v, Val *val);
void env_unshadow(Flattener *f, int to);

/* early.c: reductions of arms that run before their conditional, which stands in k; from there on to its end they have run */
void find_early(Flattener *f, const Block *k, const Bind *cond);
void run_early(Flattener *f, const Bind *cond);
bool has_run_early(const Flattener *f, const Bind *b);
void end_early(Flattener *f, const Bind *cond);

/* guard.c: a conditional of rows without what its arms fold, which has run; NULL: as it is.  Is it a length, or a comparison? */
bool may_guard(const Bind *b);
const Bind *unguarded(Flattener *f, const Bind *b);

/* sequence.c: the primitives of normal.def on sequences; level: the deepest of the operands' */
Val *sequence_op(Flattener *f, const Bind *b, Level *lv, Val **arg);
Val *reduce_op(Flattener *f, const Bind *b, Val **arg);
Val *scan_op(Flattener *f, const Bind *b, Val *arg);
void pack_op(Flattener *f, const Bind *b, Level *lv, Val **arg);
/* written.c: v dense, to be written over */
Val *val_to_write(Flattener *f, Val *v);
/* An apply-to-each: the level of its elements, its parameters set; and from its result there, the sequence. */
Level *foreach_enter(Flattener *f, const Bind *b);
Val *foreach_leave(Flattener *f, Level *outer, Level *in, Val *result);
Val *foreach_op(Flattener *f, const Bind *b);
/* A check at level lv that holds only for instances with a descendant where we are. */
void check_at(Flattener *f, Level *lv, const char *kind, Opnd ok, int nval, const Opnd *val);

/* branch.c */
typedef void Arm(Flattener *f, const void *what, Val **out);
void if_op(Flattener *f, const Bind *b);
/* The rows of lv at idx, as a level of their own. */
Level *split_level(Flattener *f, Level *lv, Opnd idx);
/* For each element how many before it hold: where it is among those that do. */
Opnd places_of(Flattener *f, Opnd cond);
/* Rows of a where cond holds, of b elsewhere, in order, at lv. */
Val *merge_rows(Flattener *f, Level *lv, Opnd cond, Val *a, Val *b);
/* Is it cheaper to compute both arms for all rows? */
bool selects(const Bind *b);
bool total_scalars(const Block *b);    /* nothing but total scalar operators: cheaper to compute for all rows than to split */
/* Of each row of lv what a has where cond holds, else what b has: scalars, or literals. */
Val *select_from(Flattener *f, Level *lv, Opnd cond, Val *a, Val *b);
/* An arm on the rows of lv, if it has any. */
void run_arm_if_any(Flattener *f, const Block *b, Level *lv, Val **out);
/* Another arm than a block's, if it has any. */
void run_arm_of(Flattener *f, Level *lv, Arm *arm, const void *what, int n, Val **out);
/* Run `arm` for the instances of lv that `cond` picks (at level 0 a host bool: are there some of a context further in?); the others
 * get nothing in particular.  out: n values at lv. */
void run_where(Flattener *f, Level *lv, Opnd cond, Arm *arm, const void *what, int n, Val **out);

/* One of two at the host, on the same level. */
void choose(Flattener *f, Opnd cond, Arm *one, Arm *other, const void *what, int n, Val **out);

/* The same for all instances of lv if it has any, else for none. */
void run_if_inhabited(Flattener *f, Level *lv, Arm *arm, const void *what, int n, Val **out);

/* The `if` of two blocks that were made in the frames fr and end with the values v[0], v[1]. */
void host_join(Flattener *f, Opnd cond, Frame *const fr[2], Block *const block[2], int n, Val **const v[2], Val **out);

/* fork.c: the rows where we are, by an `if` or a chain of them */
enum { MOST_ARMS = 8 };
typedef struct Fork {
	Level *level;                   /* that is split */
	int n;
	const Block *arm[MOST_ARMS];
	Level *rows[MOST_ARMS];         /* of each arm */
	Opnd by;                        /* two arms: the condition; more: the number of each row's arm */
	Opnd order;                     /* more: where each row is in the rows of all arms one after the other */
} Fork;
void fork_rows(Flattener *f, const Bind *b, Fork *k);
/* The rows of each arm, and what puts them together: k->level, n, by are there. */
void fork_by(Flattener *f, Fork *k);
/* The `if` that the second arm of b is there for; NULL: for more, or something else. */
const Bind *else_if(const Bind *b);
/* What the arms give, one value for each, put together again. */
Val *fork_merge(Flattener *f, const Fork *k, Val *const *v);
/* The same of two arms; as one of them gave it where the other has no rows. */
Val *merge_if_needed(Flattener *f, const Fork *k, Val *const *v);

/* join.c: an `if`, or a chain of them, several of whose arms call back to the function that it stands in; false if it is none */
bool join_if(Flattener *f, const Bind *b);
/* Does b, or what is in it, call back to the function that it stands in?  Not by a jump, in tail position. */
bool calls_back(const Flattener *f, const Bind *b);
bool block_calls_back(const Flattener *f, const Block *b);
bool may_be_in_turn(const Fun *a, const Fun *b);        /* do they call each other, as far as mono knows? */
bool leads_to(const Flattener *f, const Bind *call, const Fun *to);     /* the function called, or one that calls it .. */

/* compact.c: what lives across the recursive calls in a binding */
Val *val_compact(Flattener *f, Val *v, const Bind *across);
/* All that block b uses after `call`; own: of what is bound in b. */
void compact_across(Flattener *f, const Block *b, const Bind *call, bool own);
/* All of outside that arms of b use after calls in them. */
void compact_within(Flattener *f, const Bind *b);

/* masked.c: a conditional of rows, cond being its condition where we are; false: its arms are not so cheap */
enum { MOST_MASKED = 32 };      /* steps of what all compute, though not all need it */
bool run_masked(Flattener *f, const Bind *b, Opnd cond, Val **out);
int masked_cost(const Bind *b); /* of a binding; above MOST_MASKED: it is not to be computed so */
int masked_row_cost(const Bind *b);     /* of what is done for a row, before its elements: functions and divisions are not much then */

/* inward.c: one that gives sequences, likewise; NULL: it is none whose elements can be chosen instead */
Val *run_inward(Flattener *f, const Bind *b, Opnd cond);

/* scalar.c */
void find_scalar_funs(Flattener *f);
/* By result of a function of scalar code the number of the parameter that it is a row of, -1 if it is a scalar; NULL: it is
 * no scalar code. */
const int *scalar_code(const Flattener *f, const Fun *fun);
/* Is it called for each element?  Scalar code that gives rows only if it chooses between them. */
bool scalar_fun(const Flattener *f, const Fun *fun);
/* At lv, as that code gives it: a row, of this type, of `root`, by new variables. */
Val *row_of(Flattener *f, Val *root, const Ty *row, Level *lv, const char *hint, Var **start, Var **length);
/* The same function with what it reads of cells as parameters, and these arguments; itself if it reads none. */
const Fun *scalar_with_cells(Flattener *f, const Fun *fun, Val ***arg);
bool reads_cells(Flattener *f, const Fun *fun);
/* What such a function has of the cell: whether it has a value, and this; false: it is no such function. */
bool scalar_cell(Flattener *f, const char *name, Val **bound, Val **value);
/* A call, where we are, of a function that is scalar code, or of what else `key` names. */
void call_for_each(Flattener *f, const char *key, const Fun *fun, const int *root, Val **arg, Val **out);
/* A conditional that is scalar code, as such a call; false if it is none. */
bool if_for_each(Flattener *f, const Bind *b, Val **out);
bool is_scalar(const Flattener *f, const Bind *b);      /* can it be done so? */

/* lift.c */
/* A new function of out; what is flattened next goes there, until `leave` comes back. */
typedef struct Place {
	Frame *frame;
	Level *cur;
	const Hoist *hoist;
	Env env;
	const Fun *fun;
	struct Calls *calls;
	Stores store;
	Lines line;
	Span span;
	const char *hint;
	int shadows;
} Place;
Fun *fun_new(Flattener *f, const char *name, Span span, bool recursive);
Place enter(Flattener *f, const Fun *fun, Level *cur);
void leave(Flattener *f, const Place *from);
/* The value over the next of `leaf`, at `lv`; what was of the host stays there. */
Val *at_entry(Flattener *f, const Val *shape, Level *lv, const Opnd **leaf);
void call_op(Flattener *f, const Bind *b);
/* Where we are one condition of a row turned out to be that of all. */
void decided_for_all(Flattener *f);
/* The version of scalar code for arguments like these, values of the host, and what it gives. */
const Fun *host_version(Flattener *f, const char *key, const Fun *fun, const int *root, Val **arg, Val ***result);
Val **call_arguments(Flattener *f, const Bind *b);
/* The call for all instances of where we are, if it has any. */
void call_at(Flattener *f, const Bind *b, Val **arg, Val **out);
/* How long rows are, or (host) one of the host's, which is not known to be never below zero where we may be nowhere.  Behind a
 * check that failed it may be, but then that is what the program tells. */
Var *fresh_length(Flattener *f, const char *hint, bool host);
/* The shape of a value of this type at the host, dense; and new variables for the operands of a shape. */
Val *host_shape(Flattener *f, const Ty *ty);
Opnd *fresh_leaves(Flattener *f, const Val *shape, const char *hint, int *n);
/* Before another round: versions are made anew, what was assumed of their results stays. */
void forget_versions(Flattener *f);

/* What a version is made of.  The parameter that says how many rows there are; those of fun, behind these, for arguments like `arg`
 * at an edge, each bound to its value at `entry`. */
typedef LIST(Var *) Vars;
Var *rows_param(Flattener *f, Level *entry, Vars *params);
void bind_params(Flattener *f, Fun *to, Vars params, const Fun *fun, Val **arg, Level *entry);
/* What fun gave for each row, all sequences dense. */
void give_dense(Flattener *f, Fun *to, const Fun *fun, Val **r, Level *rows);
/* And a call of it: a result of this shape at an edge, its variables appended to dst; the call, of `lead` and then n values. */
Val *fresh_result(Flattener *f, const Val *shape, Level *lv, const char *hint, Vars *dst);
void bind_call(Flattener *f, const Fun *to, const Vars *dst, int nlead, const Opnd *lead, int n, Val *const *val, Level *lv);
/* The call at lv for rows that are not of one length. */
void call_rows(Flattener *f, const Fun *fun, Val **arg, Level *lv, Val **out);
/* A sequence of each row, dense, or a scalar: the shape. */
Val *dense_shape(Flattener *f, const Ty *ty, Level *lv, bool even);
const char *version_key(Flattener *f, const char *key, int narg, Val *const *arg, bool lifted);

/* runner.c */
/* What such a function does for its rows; cuts: where they come apart, if it is for batches. */
typedef void RunnerBody(Flattener *f, Fun *to, const Fun *fun, Level *rows, Opnd cuts);
/* The call at lv, with these arguments as at an edge, of the one of this name; cuts: NULL if it is not for batches. */
void call_runner(Flattener *f, const char *name, RunnerBody *body, const Fun *fun, Val **edge, Level *lv, const Opnd *cuts, Val **out);

/* batch.c */
/* May a call back to its function with these arguments come apart?  cuts: where. */
bool comes_apart(Flattener *f, const Fun *fun, Val *const *arg, Opnd *cuts);
/* It, then; arg: as at an edge. */
void call_in_batches(Flattener *f, const Fun *fun, Val **arg, Level *lv, Opnd cuts, Val **out);

/* small.c */
/* Which functions may be run in nested form; and those that out's functions name, as its `nested`. */
void find_nested_funs(Flattener *f);
void keep_nested_funs(Flattener *f);
/* Where we are, the rows that a lifted version of fun was entered with: may small ones be run one after the other?  small: which are. */
bool has_small_rows(Flattener *f, const Fun *fun, Opnd *small);
/* What the body of fun gives for all of them. */
void flatten_by_size(Flattener *f, const Fun *fun, Opnd small, Val **out);
/* The same of a loop that is called with these arguments, and what its call gives. */
bool loops_for_small_rows(Flattener *f, const Fun *fun, Val *const *arg, Opnd *small);
void call_by_size(Flattener *f, const Fun *fun, Val *const *arg, Opnd small, Val **out);
/* For a device, of a call: may all rows be run so?  few: where they have few elements together; and the call, then. */
bool has_few_rows(Flattener *f, const Fun *fun, Val *const *arg, Opnd *few);
void call_few(Flattener *f, const Fun *fun, Val *const *arg, Val **out);

/* mutual.c */
/* What is called instead of fun in parallel code, if it and others jump to each other. */
const Fun *as_one(Flattener *f, const Fun *fun);
/* Is it the function `of`, or one of those that this is made of? */
bool is_part_of(const Flattener *f, const Fun *fun, const Fun *of);

/* store.c */
struct Line {
	int param, result, path;        /* path: of the result a part, see there; 0: no result is one of the versions */
	Map *by;                        /* what makes versions: by Bind, not NULL; of a call the line within what is called */
	bool is, puts, grows, alone;    /* grows: elements are put behind it, too; alone: no other part of the results may have elements of it */
	struct Line *next;              /* of the same function */
};
/* NULL: a version of the parameter is not what all tail calls hand on, or not the result. */
const Line *line_of(Flattener *f, const Fun *fun, int param, int result, int path);
bool is_store(const Flattener *f, const Val *column);
/* Of what is flattened: does it make a version of a store?  Of a call, the lines by which it does. */
bool writes_store(const Flattener *f, const Bind *b);
Lines lines_of_call(Flattener *f, const Bind *call);
/* What writes waits until others have seen what was there: up to which binding, or to the end. */
const Bind *writer_waits_for(const Bind *b, const Bind *end);
/* Elements v at the places `at` of a store, a column or pairs of them. */
void store_elements(Flattener *f, Val *column, const Val *v, Opnd at);
/* `more` behind rows d of one that grows. */
Val *store_append(Flattener *f, Val *d, Val *more);
/* Such a column, and then, of rows that grow, where their room ends, are stores from here on. */
void add_store(Flattener *f, Val *column);

/* loop.c */
bool loops(const Flattener *f, const Fun *fun);         /* is it made a loop in parallel code? */
bool is_jump(const Flattener *f, const Fun *fun, const Bind *b);        /* one of the tail calls that make it one */
bool only_jumps(const Flattener *f, const Fun *fun);    /* and calls itself in no other way? */
/* A call by these lines: what is called does all of it where we are. */
void call_here(Flattener *f, const Bind *b, Lines line, Val **out);
/* The results at `entry` of a function that is, called by these lines with what its parameters are in the environment.
 * state: by parameter, NULL at first: what is known of its shape, kept when all is flattened again. */
void flatten_loop(Flattener *f, const Fun *fun, Level *entry, const Lines *by, Val **state, Val **out);

#endif

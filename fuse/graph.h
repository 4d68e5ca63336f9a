#ifndef NESSIE_GRAPH_H
#define NESSIE_GRAPH_H
/* The program-dependence graph of lcu, and its tasks put together.
 *
 * A control region is a block: its bindings are the nodes; an `if` is one node of the region around it, and its arms
 * are regions of their own (Ferrante, Ottenstein, Warren 1987; block-structured as in the Nessie paper, section 4).
 * Edges lead from what makes a value to what uses it, and along what tells of faults or has effects, in the order of
 * the program.  An edge between tasks is *marked* if they cannot be one task: what the first makes must be whole before
 * the second begins.  The stage of a node is the largest number of marked edges on a way to it; tasks of one space in
 * one stage become one. */
#include "common/unit.h"
#include "fuse/lcu.h"
#include "fuse/scalars.h"
#include "shape/shape.h"

typedef struct Cluster Cluster;
typedef struct Node Node;

/* A task uses what another of its region made. */
typedef struct Use {
	Var *v;
	Node *from;
	int level;              /* of the load; 0: another use, which wants it whole */
	bool here;              /* it is fetched at the place that what was kept had among all elements */
	bool way;               /* the way out of a check begins with it */
	bool lengths;           /* of rows of which some was kept only how much is asked */
} Use;

struct Node {
	Bind *b;
	const Block *in;
	int place;              /* in the order of the region */
	int stage;
	int part;               /* how many before it part the region: tasks of two parts stay apart */
	LIST(Node *) deps;      /* of the region, before it: all that makes its operands, and who told before it if it tells */
	LIST(Use) uses;         /* of a task */
	Opnd rows;              /* of a task: its space, or that of what is repeated for it */
	Var *s;                 /* NULL: one level */
	int shift;              /* its own level 1 is level 1 + shift of that */
	Node *told;             /* the last before it that may tell of faults; may be NULL */
	bool tells;             /* of faults, or has effects */
	bool loops;             /* it may not end on what no fault-free element gives: faults before it are heard first */
	Node *permutes;         /* the last before it that says whether indices are a permutation; may be NULL */
	bool permuted;          /* it reads what was scattered: of no permutation, some of it was never written */
	bool trusts;            /* it loads from vectors that only a check before it says are long enough */
	bool sums;              /* it adds up lengths that only a check says are some: that is heard first, or with it */
	bool whole;             /* it folds all positions of its level 1: they can be no level 2 */
	bool maps;              /* each element by itself: no reduction, no scan, nothing kept, no descriptor */
	bool needed;            /* a length or total: its number itself is used, not only as that of tasks put together */
	int cost;               /* of a generator: steps for an element, to be repeated rather than stored; 0: it is none */
	int own;                /* of these its own, apart from other generators' */
	const Node *counted;    /* in the cost of this one, last */
	Cluster *cluster;       /* of a task */
	bool done;              /* it stands in the new block */
};

/* What a task kept: the step, of which task. */
typedef struct Filter {
	const Bind *keep;       /* keep or keep_segdes; NULL: none */
	Node *by;
} Filter;

typedef struct Member {
	Node *node;
	bool repeated;
	int shift;              /* its level 1 is level 1 + shift of the cluster */
	Filter filter;          /* it runs over what is kept: its elements are those that the filter's condition holds of */
} Member;

/* A task to be. */
struct Cluster {
	Opnd n;                 /* rows */
	Var *s;                 /* their descriptor; NULL: one level */
	int stage, part;
	LIST(Member) member;    /* in the order of their steps */
	int steps, keeps;       /* how many; conditions of keeps */
	bool whole;             /* some member is */
	bool maps;              /* all do */
	bool tables;            /* some member fills a table for each of its level 1 */
	bool awaited;           /* what is outside of it comes after it: its stage stays */
	bool done;              /* it stands in the new block */
};

/* How a task would be in a cluster. */
typedef struct {
	Cluster *c;
	int stage;              /* the cluster's, or a later one, which it would have to be in */
	int shift;              /* of the task's levels */
	bool gains;             /* the cluster's rows get elements: those of the task's descriptor */
	bool deepens;           /* what it ran over are the elements of the task's descriptor */
	bool waits;             /* its elements may wait for the end of their row */
	Filter filter;          /* the task runs over what is kept by this */
} Fit;

enum { MOST_STEPS = 192 };      /* of a task, without what is loaded and stored: what compilers and registers bear */

typedef struct Region {
	LIST(Node *) node;
	LIST(Cluster *) cluster;
	Map *keeps;             /* class of a size (by intern) -> Filter: what keeps so many here */
} Region;

/* Where a variable comes from, and what is known of its elements. */
typedef struct Origin {
	Node *node;             /* NULL: a parameter, or within a task */
	const Bind *sink;       /* of a step's or a task's result: the step that makes it */
	int depth;              /* passes to be over before they are known within their task (backend/cpu/plan.h) */
	bool late;              /* they follow a reduction of their row, which no element of the row can use */
	bool heavy;             /* calls make them: not to be computed in several passes */
	bool left;              /* numbers of rows: what is heavy about them is known at the row's end, and left in memory there */
	bool wanted;            /* it must be in memory */
	bool stored;            /* it is used otherwise than by loads of its elements: it will be */
	bool asked;             /* a task asks it for more than what its tasks run over and how long the row is where they are */
	const Bind *counted;    /* of what is kept: nothing is wanted but how much it is, for this; NULL: more, or nothing */
	const Cluster *user;    /* who loads it as a number of a row, and nobody uses it otherwise (again.c) */
	const Var *kept;        /* its elements are those for which this condition holds (graph_condition); NULL: all */
} Origin;

struct Graph {
	Unit *u;
	Program *p;             /* lcu with a task for each operator */
	Arena *a;
	Map *scalars;           /* fuse/scalars.h */
	Map *region;            /* Block -> Region */
	Origin *origin;         /* by Var.id */
	Shapes *shapes;
};

/* All regions of u->ir, with edges: no stages, no clusters. */
Graph *graph_new(Unit *u);
Origin *graph_origin(const Graph *g, Opnd o);           /* NULL: a constant */
Region *graph_region(const Graph *g, const Block *b);
/* The class of a host int (shape/shape.h); a key of maps for a class. */
int graph_size(const Graph *g, Opnd n);
bool graph_same_size(const Graph *g, Opnd a, Opnd b);
const void *graph_key(const Graph *g, int class);
/* What a step costs an element, by its row: what a function of the mathematical library takes is as eight others, what is guarded
 * or scanned as four. */
int graph_cost(const Graph *g, const Bind *step);
/* Is the vector as long as a space has positions at this level, whatever checks find? */
bool graph_is_long(const Graph *g, const Var *v, Opnd n, const Var *s, int level);

/* filter.c: tasks over what another keeps. */
/* The condition of a step of the region: the vector of flags, or the step that makes them, however it is passed on. */
const Var *graph_condition(const Graph *g, Opnd flag);
/* Does the task run over what another keeps, by number or by rows? */
Filter graph_filter(const Graph *g, const Node *n);
/* Could it be done where all elements are, for those kept: without more work than storing and loading them? */
bool graph_filterable(const Graph *g, const Node *n, const Filter *f);
/* Is x where those that the filter keeps are among all elements: a step on the way out of a check over them? */
bool graph_leads_out(const Graph *g, const Filter *f, Opnd x);
/* The neutral element of a reduction or scan, of no chars. */
Opnd graph_neutral(const Program *p, const Bind *s);
/* What a length or total is asked of; NULL: n asks for none. */
Origin *graph_asked(const Graph *g, const Node *n);
/* Which lengths are still needed, and what tells them. */
void graph_settle_lengths(const Graph *g, const Region *r);

/* The first stage that can use what it makes, if not put together with it. */
int graph_after(const Node *n);
/* Would it do harm, or never end, or add up what is too large, if what told of faults before it had not been heard? */
bool graph_rests(const Node *n);

/* stage.c: the stages and clusters of all regions, and what is wanted of them. */
void graph_stages(Graph *g);
const Member *graph_member(const Cluster *c, const Node *n);    /* NULL: it is none */
/* Is what u is of stored at the position where it is loaded, if both are in the cluster? */
bool graph_aligned(const Graph *g, const Fit *fit, const Use *u);
/* Who told of faults before n is heard before fit->stage, or with the cluster if nothing rests on that.  Where the cluster may
 * wait this raises that stage; so does the next. */
bool graph_heard(Fit *fit, const Node *n);
/* Is there before fit->stage what n waits for on the host: values, but for the number of those kept if it is only how many
 * there are, and the news that indices are a permutation? */
bool graph_host_ready(const Graph *g, Fit *fit, const Node *n);
/* Records what is known of the values of n in the cluster; false: it cannot be there, as an element would have to wait
 * for the end of its row, or too much would be computed again. */
bool graph_learn(const Graph *g, const Fit *fit, const Node *n);
/* late.c: clusters of rows that wait for the end of each row of others become part of these. */
void graph_follow_rows(const Graph *g, Region *r);
/* again.c: what a task stores for one other only is computed there, if that moves fewer bytes. */
void graph_repeat(const Graph *g, Region *r);
/* merge.c: the program with a task for each cluster. */
Program *graph_merge(Graph *g);

#endif

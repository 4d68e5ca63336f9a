#ifndef NESSIE_FLATTEN_SURVEY_H
#define NESSIE_FLATTEN_SURVEY_H
/* What a program of flan says of its functions and variables, gathered in one walk from the entries. */
#include "common/map.h"
#include "flatten/flan.h"

typedef struct Site {                   /* a plain call */
	const Bind *call;
	const Fun *caller;              /* NULL: an entry */
} Site;

typedef struct Callee {
	const Fun *fun;
	LIST(Site) site;
	int size;                       /* bindings, those of blocks too */
	bool fixed;                     /* it may be run in a way of its own, or is the operator of a scan: its parameters stay */
	bool each;                      /* it is called for each element: so do those that it looks at */
	bool leaf;                      /* calls nothing but for each element */
	bool folds;                     /* elements, to one or to one for each row */
	bool passes;                    /* it gives vectors, element-wise, for which it may read others' elements, or what it folds */
	bool quiet;                     /* ends, without fault or effect, and depends on its operands only */
	bool inlined;                   /* its body stands in place of each call */
	/* arity.c */
	Opnd *param;                    /* what parameter i is whoever calls: a constant, another parameter, or itself */
	bool *unused;                   /* parameter i */
	Opnd *result;                   /* what result i is: a constant, a parameter, what an earlier result is, or itself */
	bool *drop;                     /* result i is not given back */
} Callee;

typedef struct Survey {
	const Program *program;
	Map *callee;                    /* by name */
	LIST(Callee *) reached;
	int nvar;                       /* of the program, when it was gone through */
	int *uses;                      /* by Var.id */
	int *whole;                     /* by Var.id: how many of these want more than an element for each of theirs */
	bool *ordered;                  /* by Var.id: are its elements wanted in their order?  Not by folds whose order does not show, nor by sums, of floats in an order of ours (tables.c) */
} Survey;

Survey *survey(const Program *p);
/* It is not used any more. */
void survey_drop(Survey *s);
/* NULL if no function reached is called that. */
Callee *survey_callee(const Survey *s, const char *name);
/* Does it do more than give results, apart from what is in its blocks?  Unknown operators do. */
bool survey_matters(const Survey *s, const Bind *b);
/* Is all that b wants of its i-th operand one element for each of its own, or how many there are? */
bool survey_by_element(const Bind *b, int i);

/* By the part of arity.c: is parameter i still one? */
bool callee_keeps(const Callee *c, int i);
/* Fills in the part of arity.c, for all functions reached. */
void arity(Survey *s);

#endif

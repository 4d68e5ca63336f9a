#ifndef NESSIE_TAIL_H
#define NESSIE_TAIL_H
/* Tail calls of mem within a cycle of calls: last in the body or in an arm of an `if` that is in tail position itself, with
 * results that are what the block yields, and without a way out.  Such a call is a jump: the callee's parameters are
 * assigned, and its body begins.  It takes no stack, and is not counted as depth.  Functions that jump to each other are one
 * text, which is told at which of their bodies to begin; it has the parameters of all. */
#include "common/ir.h"
#include "common/map.h"

/* May a call of `to` in f come back to f? */
bool tail_comes_back(const Program *p, const Fun *f, const Fun *to);

/* Functions that are one text. */
typedef struct TailText {
	LIST(const Fun *) fun;
	bool jumps;             /* there are jumps in it; else it is one function */
} TailText;

/* All of a program: Bind -> the Fun it jumps to.  No two variables of one text have the same name afterwards. */
Map *tail_calls(Program *p);
const Fun *tail_call(Map *m, const Bind *b);            /* NULL if b is none */
/* Is it a call of a function that is part of a cycle, and no jump?  Such a call is counted as depth, and has a site. */
bool tail_counted(const Program *p, Map *m, const Bind *b);
const TailText *tail_text(Map *m, const Fun *f);
const Fun *tail_first(Map *m, const Fun *f);            /* of its text: the one that it is named after */
/* The number of f's body among those of its text; -1: it is the only one. */
int tail_place(Map *m, const Fun *f);
/* What f's text is called with, as operands: where to begin, args, and `none` for parameters of the other functions. */
const char *tail_operands(Arena *a, Map *m, const Fun *f, const char *args, const char *none);
/* Does the block end in a jump, whatever is taken? */
bool tail_ends(Map *m, const Block *b);
/* Parameter i of f is handed on as it is: nothing is to be assigned. */
bool tail_keeps(const Fun *f, const Bind *call, int i);
/* Its new value is a parameter that is assigned before it, in the order of parameters: it needs a copy. */
bool tail_copies(const Fun *f, const Bind *call, int i);

#endif

#ifndef NESSIE_TAIL_H
#define NESSIE_TAIL_H
/* Self tail calls of mem: a call of the function that it stands in, last in the body or in an arm of an `if` that
 * is in tail position itself, whose results are what the block yields, and without a way out.  It is no call but a
 * jump: parameters are assigned, and the function begins again.  It takes no stack, and is not counted as depth. */
#include "common/ir.h"
#include "common/map.h"

/* All of a program: Bind -> the Fun it is in. */
Map *tail_calls(const Program *p);
const Fun *tail_call(Map *m, const Bind *b);            /* NULL if b is none */
/* Is it a call of a function that is part of a cycle, and no jump?  Such a call is counted as depth, and has a site. */
bool tail_counted(const Program *p, Map *m, const Bind *b);
/* Does f call itself in this way?  Does the block end in such a call, whatever is taken? */
bool tail_loops(Map *m, const Fun *f);
bool tail_ends(Map *m, const Block *b);
/* Parameter i is handed on as it is: nothing is to be assigned. */
bool tail_keeps(const Fun *f, const Bind *call, int i);
/* Its new value is a parameter that is assigned before it, in the order of parameters: it needs a copy. */
bool tail_copies(const Fun *f, const Bind *call, int i);

#endif

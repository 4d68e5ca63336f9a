#ifndef NESSIE_LEND_H
#define NESSIE_LEND_H
/* What functions do with their parameters: own them, and end them or hand them on, or only borrow them, as all callers
 * need what they pass after the call; and which they may give back.
 *
 * A fixed point over all calls, as in Ullrich & de Moura, "Counting Immutable Beans", IFL 2019, but from the callers'
 * side: there a parameter is owned if the function could use its memory, here only if somebody lets it go at a call,
 * so that nothing lives longer than it would. */
#include "common/ir.h"

typedef struct Lending Lending;
Lending *lending(const Program *p);
/* There is a call of f: without one its parameters are its own. */
void lend_call(Lending *l, const Fun *f);
/* v ends with a call of f, as what that has for its i-th parameter. */
void lend_ends(Lending *l, const Var *v, const Fun *f, int i);
/* Decides, and writes it into the functions of `to`, a copy (Fun.lent).  Is anything lent? */
bool lend_decide(const Lending *l, Program *to);
/* What functions may give back of what they are given, into Fun.back: a fixed point too. */
void lend_back(Program *p);

#endif

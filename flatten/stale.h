#ifndef NESSIE_STALE_H
#define NESSIE_STALE_H
/* Which bodies of a program another round of optimize.c may change: those that the last one changed, those that call what
 * it changed, or that is quiet now and was not (or the reverse), and those of calls, or of parameters and results, that are
 * to be others.  The rest would come out as it is. */
#include "common/ir.h"

typedef struct Callee Callee;           /* flatten/survey.h */
typedef struct Stale Stale;
typedef struct Survey Survey;

/* All of p is. */
Stale *stale_new(Arena *a, const Program *p);
/* A round begins: what was changed since the last began is stale. */
void stale_begin(Stale *t);
/* s: of the program that is to be rebuilt, with the part of arity.c. */
bool stale_fun(const Stale *t, const Survey *s, const Callee *c);
bool stale_entry(const Stale *t, const Survey *s, int i, const Block *body);
/* This round changed it, other than in what it calls; or it was changed since. */
void stale_fun_changed(Stale *t, const Fun *f);
void stale_entry_changed(Stale *t, int i);
/* The round, of a program with this survey, is over. */
void stale_end(Stale *t, const Survey *s);

#endif

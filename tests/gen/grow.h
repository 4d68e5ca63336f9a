#ifndef NESSIE_GEN_GROW_H
#define NESSIE_GEN_GROW_H
/* What the parts of the generator share: types, the program that is growing, expressions of a wanted type. */
#include "common/arena.h"
#include <stdbool.h>
#include <stdint.h>

/* ROUGH: a float whose last bits are not known.  FUN: only operands of rows are functions. */
typedef enum { INT, FLOAT, BOOL, CHAR, ROUGH, PAIR, SEQ, FUN, ANY } Kind;

typedef struct Type Type;
struct Type {
	Kind kind;
	const Type *a, *b;
	char letter;            /* ANY: in a signature, the variable */
};

typedef struct {
	const char *name;
	const Type *type;
} Name;

enum { MAXNAME = 200, MAXFUN = 12, MAXPARAM = 3, MAXFRESH = 5000 };

typedef struct {
	const char *name;
	int n;
	const Type *param[MAXPARAM], *result;
	bool counts;            /* its first argument must be small */
	int cost;               /* how deep functions nest below it */
	bool declared;          /* its type is */
} Fun;

/* Signature: i f b c, A B any types, n o l of a class; [x], (x, y); {x y} a function from x to y; operands, a colon, the result.
 * r: a rough float, in rough programs only; E any type without one.
 * Text: $k the operand k; A or E: the type it stands for; @ a number of its own, @@ the operator. */
typedef struct {
	const char *sig, *text;
	const char *def;        /* a function of the program that it needs */
} Row;

typedef struct {
	Arena *a;
	uint64_t random;
	Name name[MAXNAME];
	int nname;
	int inner;              /* where the names of the innermost apply-to-each begin; 0: there is none */
	Fun fun[MAXFUN];
	int nfun;
	int fresh;
	int size;               /* of the program: 1 to 5 */
	int budget;             /* expressions that this form may still have */
	int cost, maxcost;      /* of the functions called so far, and the bound */
	bool faulty;
	int risk;               /* how often a row that may fault, in percent */
	bool rough;
	bool concrete;          /* types are declared: no class can clash with another */
	bool plain;             /* only plain rows, no calls; types like those of divide.c's functions */
	const char *defs;
} Gen;

/* -- rows.c ------------------------------------------------------------------------------------- */
extern const Row plain[], rows[], plain_risks[], risks[];        /* risks: those that may fault; the plain ones are apart */
extern const int nplain, nrow, nplain_risk, nrisk;

/* -- types.c ------------------------------------------------------------------------------------ */
extern const Type t_int, t_float, t_bool, t_char, t_rough;

int below(Gen *g, int n);               /* 0 to n - 1 */
bool chance(Gen *g, int percent);
const char *new_name(Gen *g, const char *letter);
void bind(Gen *g, const char *name, const Type *t);

const Type *new_type(Gen *g, Kind kind, const Type *a, const Type *b);
const Type *random_type(Gen *g, int depth);
int type_depth(const Type *t);
bool same_type(const Type *s, const Type *t);
const char *type_name(Gen *g, const Type *t);

const Type *sig_type(Gen *g, const char **p);   /* the type that a signature has at *p */
/* Is t an instance of sig?  var[letter] is what a variable stands for, NULL: not known yet. */
bool match(Gen *g, const Type *sig, const Type *t, const Type **var);
const Type *instance(Gen *g, const Type *sig, const Type **var);

/* -- expr.c ------------------------------------------------------------------------------------- */
const char *expr(Gen *g, const Type *t, int depth);
const char *literal(Gen *g, const Type *t);
const char *pattern(Gen *g, const Type *t);     /* binds names for a value of type t */
const char *from_table(Gen *g, const Type *t, int depth);      /* an instance of some row; NULL if there is none */

/* -- chain.c ------------------------------------------------------------------------------------ */
const char *chain(Gen *g);      /* a function, two forms that call it, and one that leaves an int in `it` */

/* -- carry.c ------------------------------------------------------------------------------------ */
const char *carry(Gen *g);      /* the same, of a loop that carries a sequence */

/* -- divide.c ----------------------------------------------------------------------------------- */
const char *divide(Gen *g);     /* the same, of one that divides its rows */

#endif

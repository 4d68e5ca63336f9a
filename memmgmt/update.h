#ifndef NESSIE_UPDATE_H
#define NESSIE_UPDATE_H
/* lcu: what may have the memory of an operand, where that ends with it. */
#include "common/ir.h"

/* Where a block stands: it is the body of f, or of an entry if that is NULL; or an arm of `of`, which stands in *up. */
typedef struct Place {
	const Program *p;
	const Fun *f;
	const Block *in;
	const Bind *of;
	const struct Place *up;
} Place;

/* All that bind_mentions (common/ir.h) would say so of are marked, or no longer. */
void bind_mark(const Bind *b, bool *marked, bool is);
/* The operand whose place the result of b may take where it ends, whole or as far as it goes on; NULL: there is none. */
const Var *updated_by(const Bind *b);
/* Is v updated from b on, which stands there, or does a jump or call hand it to another round of the recursion? */
bool is_updated(const Place *at, const Bind *b, const Var *v);
/* Adds all that b, which stands there, may have the memory of: also a vector of which a task copies a piece that is updated later. */
typedef LIST(const Var *) Updates;
void updates_of(Arena *a, const Place *at, const Bind *b, Updates *to);

#endif

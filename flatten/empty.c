/* empty.c: what costs nothing where there is nothing (empty.h).
 *
 * How  From n = 0 on: a table says which operands of an operator must be empty, or 0, so that what it gives is empty, or
 *      0.  A descriptor is empty if it has no rows. */
#include "flatten/empty.h"
#include "common/map.h"
#include "flatten/flattener.h"

enum { DEEPEST = 32 };  /* how far it looks back */

typedef struct {
	Flattener *f;
	Opnd n;                 /* that is 0 */
	Map *empty;             /* Var -> itself: results of conditionals that are */
} Empty;

/* By operator, the operands of which all must be empty (bit i: operand i; EACH: all there are); any other operator of
 * vectors: the first vector, as all are of one length. */
#define EACH ~0u
static const struct {
	int op;
	unsigned operands;
} row[] = {
	{FLAN_gather, 2}, {FLAN_row_start, 2}, {FLAN_row_length, 2}, {FLAN_dist, 2}, {FLAN_put, 4}, {FLAN_append, EACH}, {FLAN_concat, EACH},
	{FLAN_add, EACH}, {FLAN_mul, 1},
	/* the first: sizes, descriptors, what runs over a descriptor */
	{FLAN_length, 1}, {FLAN_rows, 1}, {FLAN_total, 1}, {FLAN_area, 1}, {FLAN_uniform, 1}, {FLAN_iota, 1},
};

static bool is_empty(const Empty *e, Opnd o, int deep);

static bool
first_is_empty(const Empty *e, const Bind *b, int deep)
{
	int i = 0;

	while (i < b->narg - 1 && ty_scalar(opnd_ty(b->arg[i])))
		i++;
	return b->narg > 0 && !ty_scalar(opnd_ty(b->arg[i])) && is_empty(e, b->arg[i], deep);
}

static bool
operands_are_empty(const Empty *e, const Bind *b, unsigned operands, int deep)
{
	for (int i = 0; i < b->narg; i++)
		if ((operands & 1u << i) && !is_empty(e, b->arg[i], deep))
			return false;
	return true;
}

/* Does it run over nothing? */
static bool
over_nothing(const Empty *e, const Bind *b, int deep)
{
	const OpInfo *op = &flan_ir.op[b->op];

	if (b->op == FLAN_vector)       /* of elements, even if they are 0 */
		return b->narg == 0;
	for (size_t i = 0; i < sizeof row / sizeof *row && (!b->lifted || op->cls == OP_VECTOR); i++)
		if (row[i].op == b->op && !(b->lifted && (b->op == FLAN_iota || b->op == FLAN_dist)))
			return operands_are_empty(e, b, row[i].operands, deep);
	return first_is_empty(e, b, deep);
}

static bool
is_size(int op)
{
	return op == FLAN_length || op == FLAN_rows || op == FLAN_total || op == FLAN_area || op == FLAN_add || op == FLAN_mul;
}

static bool
is_empty(const Empty *e, Opnd o, int deep)
{
	const Bind *b = made_by(e->f, o), *n = made_by(e->f, e->n);

	if (o.kind != OPND_VAR)
		return o.kind == OPND_INT && o.u.i == 0;
	if (same_opnd(o, e->n) || *map_at(e->empty, o.u.var) || (n && n->op == FLAN_length && same_opnd(o, n->arg[0])))
		return true;
	return b && deep > 0 && (!ty_scalar(o.u.var->ty) || is_size(b->op)) && over_nothing(e, b, deep - 1);
}

static bool runs_free(Empty *e, const Block *b);

/* A conditional within: its arm for some is not run. */
static bool
if_is_free(Empty *e, const Bind *b)
{
	const Bind *cond = made_by(e->f, b->arg[0]);

	if (!cond || cond->op != FLAN_gt || !is_empty(e, cond->arg[0], DEEPEST) || !is_empty(e, cond->arg[1], DEEPEST)
			|| !runs_free(e, b->block[1]))
		return false;
	for (int i = 0; i < b->ndst; i++)
		if (is_empty(e, b->block[1]->yield[i], DEEPEST))
			*map_at(e->empty, b->dst[i]) = b->dst[i];
	return true;
}

static bool
bind_is_free(Empty *e, const Bind *b)
{
	switch (flan_ir.op[b->op].cls) {
	case OP_SCALAR:
		return !b->lifted || over_nothing(e, b, DEEPEST);
	case OP_REDUCE:
	case OP_SCAN:
		return over_nothing(e, b, DEEPEST);
	case OP_VECTOR:
		return b->op == FLAN_length || b->op == FLAN_rows || b->op == FLAN_sole || over_nothing(e, b, DEEPEST);
	case OP_CONTROL:
		if (b->op == FLAN_check)
			return b->lifted && is_empty(e, b->arg[0], DEEPEST);
		return b->op == FLAN_if && if_is_free(e, b);
	case OP_SEQUENCE:
	case OP_STATE:
	case OP_EFFECT:
	case OP_SOURCE:
	case OP_SINK:
	case OP_LIBRARY:
	case OP_HOST: break;
	}
	return false;
}

static bool
runs_free(Empty *e, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next)
		if (!bind_is_free(e, s))
			return false;
	return true;
}

bool
empty_runs_free(Flattener *f, Opnd n, const Block *b, int nvalue, const Opnd *value)
{
	Empty e = {f, n, map_new(f->arena)};

	if (!runs_free(&e, b))
		return false;
	for (int i = 0; i < nvalue; i++)
		if (value[i].kind == OPND_VAR && var_depth(f, value[i].u.var) > frame_depth(f) && !is_empty(&e, value[i], DEEPEST))
			return false;
	return true;
}

bool
empty_is(Flattener *f, Opnd n, Opnd x)
{
	return is_empty(&(Empty){f, n, map_new(f->arena)}, x, DEEPEST);
}

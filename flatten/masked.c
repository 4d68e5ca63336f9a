/* masked.c: both arms for each row, where that costs little.
 *
 * In   a conditional of rows, in normal:  if i == 0 then x else a[i - 1] + x
 * Out  what both arms compute, for all rows, and of each the one that its condition chooses; what an arm reads is read, and what
 *      it checks is asked, only where it is taken
 * Rule Arms of scalars and subscripts, of no more than MOST_MASKED steps together.
 * How  If-conversion (Allen, Kennedy, Porterfield and Warren 1983).  A place is -1 where its arm is not taken, so nothing is
 *      read, and a check holds there.  Nothing is called, so what the steps are is known to all that comes later: runs of
 *      rows that take the same arm are one loop (backend/cpu/pieces.c), which a compiler makes vectors of. */
#include "flatten/flattener.h"
#include <string.h>

enum { SUBSCRIPT = 2, TOO_MANY = MOST_MASKED + 1 };

static int arms(const Bind *b);

/* Of scalars.  What a branch is worth: functions of the C library, and divisions by what is no constant. */
static int
scalar_cost(const Bind *b, const OpInfo *op)
{
	const bool divides = op->guard && !(b->narg == 2 && b->arg[1].kind != OPND_VAR);

	return op->cls != OP_SCALAR || op->serial || strcmp(op->sig[0], "f:f") == 0 || divides ? TOO_MANY : 1;
}

int
masked_cost(const Bind *b)
{
	switch (b->op) {
	case NORMAL_pair: case NORMAL_fst: case NORMAL_snd:
		return 0;
	case NORMAL_length:
		return 1;
	case NORMAL_elt:
		return SUBSCRIPT;
	case NORMAL_if:
		return 1 + arms(b);
	default:
		return scalar_cost(b, &normal_ir.op[b->op]);
	}
}

int
masked_row_cost(const Bind *b)
{
	const OpInfo *op = &normal_ir.op[b->op];

	return op->cls == OP_SCALAR && !op->serial ? 1 : masked_cost(b);
}

static int
arms(const Bind *b)
{
	int all = 0;

	for (int i = 0; i < b->ndst; i++)
		if (!scalars_only(b->dst[i]->ty))
			return TOO_MANY;
	for (int i = 0; i < 2; i++)
		for (const Bind *s = b->block[i]->first; s && all <= MOST_MASKED; s = s->next)
			all += masked_cost(s);
	return all;
}

static void
run_arm(Flattener *f, const Block *arm, Opnd taken, Val **out)
{
	const Opnd *outer = f->reached;
	const Opnd reached = outer ? AND(f, *outer, taken) : taken;

	f->reached = &reached;
	flatten_block(f, arm);
	for (int i = 0; i < arm->nyield; i++)
		out[i] = use(f, arm->yield[i]);
	f->reached = outer;
}

bool
run_masked(Flattener *f, const Bind *b, Opnd cond, Val **out)
{
	Val **no = NEW(f->arena, Val *, b->ndst);

	if (!f->avoids || arms(b) > MOST_MASKED)
		return false;
	run_arm(f, b->block[0], cond, out);
	run_arm(f, b->block[1], SCALAR_OP(f, FLAN_not, &ty_bool, cond), no);
	for (int i = 0; i < b->ndst; i++)
		out[i] = select_from(f, f->cur, cond, out[i], no[i]);
	return true;
}

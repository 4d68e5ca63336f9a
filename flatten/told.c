/* told.c: what comparisons with numbers tell of what is divided by, or given to sqrt and ln:
 * `if n > 0 then a / n else 0` divides without a check.
 *
 * How  x is not z if the comparison would not have come out so of z.  Of a comparison with what is not below zero all numbers below
 *      zero come out alike, so -1 stands for them. */
#include "flatten/told.h"

/* z compared with k: below zero if it is less, above if it is greater. */
static int
order(int z, Opnd k)
{
	if (k.kind == OPND_FLOAT)
		return (z > k.u.f) - (z < k.u.f);
	return (z > k.u.i) - (z < k.u.i);
}

static bool
comes_out(int op, int order, bool *known)
{
	switch (op) {
	case FLAN_lt: return order < 0;
	case FLAN_le: return order <= 0;
	case FLAN_gt: return order > 0;
	case FLAN_ge: return order >= 0;
	case FLAN_eq: return order == 0;
	case FLAN_ne: return order != 0;
	}
	return *known = false;
}

unsigned
told_of(const Bind *b, bool holds, Opnd x)
{
	const bool turned = b->narg == 2 && same_opnd(b->arg[1], x);
	unsigned told = 0;
	bool known = true;
	Opnd k;

	if (b->lifted || b->narg != 2 || !(turned || same_opnd(b->arg[0], x)))
		return 0;
	k = b->arg[!turned];
	if ((k.kind != OPND_INT && k.kind != OPND_FLOAT) || (k.kind == OPND_FLOAT && k.u.f != k.u.f))
		return 0;
	for (int z = -1; z <= 0; z++)
		if (comes_out(b->op, turned ? -order(z, k) : order(z, k), &known) != holds)
			told |= z ? NOT_MINUS_ONE : NOT_ZERO;
	if ((told & NOT_MINUS_ONE) && order(0, k) <= 0)
		told |= NOT_NEGATIVE;
	return known ? told : 0;
}

bool
told_suffices(Flattener *f, const Bind *b, unsigned told)
{
	const bool floats = opnd_ty(b->arg[0])->kind == TY_FLOAT;

	switch (b->op) {
	case FLAN_nonneg_ok: return told & NOT_NEGATIVE;
	case FLAN_rem_ok: return told & NOT_ZERO;
	case FLAN_div_ok: return (told & NOT_ZERO) && (floats || (told & NOT_MINUS_ONE) || never_negative(f, b->arg[0]));
	}
	return false;
}

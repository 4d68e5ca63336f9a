/* arms.c: what is put together only where a conditional at the end of a recursive function says so.
 *
 * In   flan; the arms of such an `if` use what stands between it and a recursive call
 * Out  flan: what one arm uses and nobody else is made in it, as far back as a call, check, clock or other `if`.  Where no
 *      call is before it all stays: what one task makes for both arms at once would be made by two
 * How  A walk backwards, as code is sunk into the branch that needs it (Knoop, Ruething & Steffen, PLDI 1994).  Not folds
 *      and scans of floats, which are grouped as their task is cut; no folds at all, as they are of the task before; and not
 *      `sole`, which is of a moment. */
#include "flatten/arms.h"
#include "flatten/flan.h"
#include "flatten/sink.h"

enum { NOBODY = -1, BOTH = 2 };

typedef struct Arms {
	Program *p;
	signed char *user;      /* by Var.id: the arm, + 1; 0: nobody */
} Arms;

/* They are used by arm k: 0, 1, or outside of both. */
static void
use(Arms *a, int n, const Opnd *x, int k)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR) {
			signed char *u = &a->user[x[i].u.var->id];

			*u = (signed char)(*u == 0 || *u == k + 1 ? k + 1 : BOTH + 1);
		}
}

static void
use_block(Arms *a, const Block *b, int k)
{
	for (const Bind *s = b->first; s; s = s->next) {
		use(a, s->narg, s->arg, k);
		use(a, s->nway, s->way, k);
		for (int i = 0; i < s->nblock; i++)
			use_block(a, s->block[i], k);
	}
	use(a, b->nyield, b->yield, k);
}

/* Which arm alone uses what b gives; NOBODY: none, BOTH: not one alone. */
static int
arm_of(const Arms *a, const Bind *b)
{
	int k = NOBODY;

	for (int i = 0; i < b->ndst; i++) {
		const int u = a->user[b->dst[i]->id] - 1;

		k = u == NOBODY || u == k ? k : k == NOBODY ? u : BOTH;
	}
	return k;
}

static bool
may_move(const Bind *b)
{
	switch (flan_ir.op[b->op].cls) {
	case OP_SCALAR:
		return true;
	case OP_SCAN:
		return b->dst[0]->ty->a->kind != TY_FLOAT;
	case OP_VECTOR:
		return b->op != FLAN_sole;
	case OP_REDUCE: case OP_SEQUENCE: case OP_STATE: case OP_EFFECT: case OP_SOURCE: case OP_SINK: case OP_LIBRARY:
	case OP_HOST: case OP_CONTROL:
		break;
	}
	return false;
}

static void
into_arms_of(Arms *a, Block *b)
{
	LIST(Bind *) all = {0};
	Bind *last, *rest;
	bool called = false;
	int i;

	for (Bind *s = b->first; s; s = s->next) {
		called |= s->next && recurs(a->p, s);
		LIST_ADD(a->p->arena, &all, s);
	}
	if (!called || (last = all.at[all.n - 1])->op != FLAN_if)
		return;
	use(a, b->nyield, b->yield, BOTH);
	use(a, last->narg, last->arg, BOTH);
	for (int k = 0; k < 2; k++)
		use_block(a, last->block[k], k);
	rest = last;
	for (i = all.n - 1; i-- > 0 && flan_ir.op[all.at[i]->op].cls != OP_CONTROL; ) {
		Bind *s = all.at[i];
		const int k = arm_of(a, s);
		const bool moves = (k == 0 || k == 1) && may_move(s);
		Block *arm = moves ? last->block[k] : NULL;

		use(a, s->narg, s->arg, moves ? k : BOTH);
		use(a, s->nway, s->way, moves ? k : BOTH);
		s->next = moves ? arm->first : rest;
		if (moves && !arm->first)
			arm->end = &s->next;
		*(moves ? &arm->first : &rest) = s;
	}
	*(i < 0 ? &b->first : &all.at[i]->next) = rest;
	b->end = &last->next;
}

void
into_arms(Program *p)
{
	Arms a = {p, NEW(p->arena, signed char, p->nvar)};

	for (Fun *f = p->funs; f; f = f->next)
		if (f->recursive && !f->scalar)
			into_arms_of(&a, f->body);
}

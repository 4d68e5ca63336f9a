/* effect.c: Inst.effects, a fixed point over calls. */
#include "frontend/mono.h"
#include "frontend/normal.h"

static unsigned
effects_of(const Expr *e)
{
	int op = e->kind == EXPR_PRIM ? ir_find(&normal_ir, e->u.prim.op) : -1;
	unsigned serial = op >= 0 && normal_ir.op[op].serial ? EFFECT_SERIAL : 0;

	switch (op) {
	case NORMAL_draw: return EFFECT_DRAWS;
	case NORMAL_time: return EFFECT_OTHER;
	case NORMAL_rand_seed: return EFFECT_DRAWS | EFFECT_SEEDS | serial;
	default: return op >= 0 && normal_ir.op[op].cls == OP_EFFECT ? EFFECT_OTHER | serial : 0;
	}
}

static void
add_effects(void *with, const Expr *e)
{
	Inst *i = with;

	i->effects |= effects_of(e);
	expr_each(e, add_effects, i);
}

static bool
add_of_callees(Inst *i)
{
	unsigned before = i->effects;

	for (int k = 0; k < i->calls.n; k++)
		i->effects |= i->calls.at[k]->effects;
	return i->effects != before;
}

void
mono_effects(Arena *a, Inst *first)
{
	LIST(Inst *) all = {0};
	bool more = true;

	for (Inst *i = first; i; i = i->next) {
		add_effects(i, i->form->body);
		LIST_ADD(a, &all, i);
	}
	/* callees mostly stand behind their callers */
	while (more) {
		more = false;
		for (int k = all.n - 1; k >= 0; k--)
			more = add_of_callees(all.at[k]) || more;
	}
}

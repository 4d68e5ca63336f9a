/* effect.c: what is outside of the program, by the run time that generated programs use. */
#include "backend/interp/eval.h"
#include "backend/rt/nesl_effect.h"
#include <stdlib.h>

/* The leaves of a type, without data; scalars have room for theirs. */
static nesl_leaf *
leaves_new(Machine *m, const Ty *t, int *n)
{
	const char *type = ty_text(m->u->arena, t);
	nesl_leaf *leaf;

	*n = nesl_type_leaves(type, NULL, 0);
	leaf = *n > 0 ? calloc((size_t)*n, sizeof *leaf) : NULL;
	if (!leaf)
		value_no_memory();
	nesl_type_leaves(type, leaf, *n);
	for (int k = 0; k < *n; k++)
		if (leaf[k].kind == LEAF_SCALAR && !(leaf[k].data = calloc(1, sizeof(i64))))
			value_no_memory();
	return leaf;
}

static void
leaves_free(nesl_leaf *leaf, int n)
{
	for (int k = 0; k < n; k++)
		free(leaf[k].data);
	free(leaf);
}

/* The operands as one tuple. */
static const Ty *
tuple_type(Machine *m, const Step *s, int k)
{
	const Ty *t = s->arg[k].ty;

	return k + 1 < s->bind->narg ? ty_pair(m->u->arena, t, tuple_type(m, s, k + 1)) : t;
}

Outcome
run_effect(Machine *m, Value *slot, const Step *s)
{
	int nin, nout;
	nesl_leaf *in = leaves_new(m, tuple_type(m, s, 0), &nin), *to = in;
	nesl_leaf *out = leaves_new(m, s->bind->dst[0]->ty, &nout), *from = out;

	for (int k = 0; k < s->bind->narg; k++)
		to = value_to_leaves(s->arg[k].ty, arg_see(slot, s, k), MAX_INT, to);
	if (nesl_effect(m->u->ir->ir->op[s->bind->op].name, ty_text(m->u->arena, s->arg[0].ty), m->u->ir->int_bits, in, nin,
			out, nout))
		value_no_memory();
	slot[s->dst[0]] = value_from_leaves(s->bind->dst[0]->ty, &from);
	leaves_free(in, nin);
	leaves_free(out, nout);
	return RUN_OK;
}

Outcome
run_error(Machine *m, Value *slot, const Step *s)
{
	const Seq *v = arg_see(slot, s, 0).s;
	char *text = arena_alloc(m->u->arena, (size_t)v->n + 1);

	for (i64 i = 0; i < v->n; i++)
		text[i] = (char)seq_get(v, i).i;
	text[v->n] = 0;
	eval_fault(m, s, "user-error", 0, 0, 0);
	m->faults.at[m->faults.n - 1].said = text;
	return RUN_FAULT;
}

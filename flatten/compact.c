/* compact.c: a view that lives across a recursive call is made dense, if that frees much.
 *
 * A view keeps all of its base alive.  In quicksort the rows that are sorted already are rows of the sequence that
 * is split further: as a view they would keep one copy of everything alive on each level of the recursion.
 *
 * Rule: of a view that lives across a call of the function's own group the elements are copied if
 *   - the call is not given the base, nor rows of it, and no value that lives across the call is the base itself;
 *   - nobody else owns the base: a caller, a variable of the program;
 *   - the rows of the view have less than half of its elements.
 * So a copy costs less than what it sets free.  The last two are known at run time only; the value stays a view in
 * its shape, on another base.
 *
 * Such values are the results of an arm that runs before the arm with the call, and the variables that are used
 * after the call.  The call's own operands need no rule: they are the callee's, which gives up what it does not use
 * across its own calls. */
#include "flatten/flattener.h"

/* -- does a call get the base? -------------------------------------------------------------------- */

typedef struct Base {
	Var *var;
	Map *shared;                    /* variables of normal that may be rows of it */
} Base;

static bool
has_leaf(Flattener *f, const Val *v, const Var *x)
{
	Opnd *leaf;
	int n = all_leaves(f, 1, (Val *const[]){(Val *)v}, &leaf);

	while (n > 0 && !(leaf[n - 1].kind == OPND_VAR && leaf[n - 1].u.var == x))
		n--;
	return n > 0;
}

static bool
shares(Flattener *f, const Base *base, Opnd o)
{
	const Val *v = o.kind == OPND_VAR ? env_get(f, o.u.var) : NULL;

	return o.kind == OPND_VAR && (*map_at(base->shared, o.u.var) || (v && has_leaf(f, v, base->var)));
}

static void
share_if(const Base *base, bool yes, Var *v)
{
	if (yes)
		*map_at(base->shared, v) = v;
}

static bool
has_rows(const Ty *t, bool nested)
{
	if (t->kind == TY_PAIR)
		return has_rows(t->a, nested) || has_rows(t->b, nested);
	return t->kind == TY_SEQ && (!nested || has_rows(t->a, false));
}

/* Can what b gives be rows of what it takes?  Other operators make new elements. */
static bool
gives_rows(const Bind *b, const Ty *given)
{
	switch (b->op) {
	case NORMAL_pair: case NORMAL_fst: case NORMAL_snd: case NORMAL_elt: case NORMAL_subseq: case NORMAL_seq:
	case NORMAL_dist: case NORMAL_call:
		return has_rows(given, false);
	default:
		return has_rows(given, true);
	}
}

static bool
gets_base(Flattener *f, const Base *base, const Bind *b)
{
	bool any = false;

	for (int i = 0; i < b->narg; i++) {
		bool one = shares(f, base, b->arg[i]);

		any |= one;
		if (b->op == NORMAL_foreach)
			share_if(base, one, b->block[0]->param[i]);
	}
	if (b->op == NORMAL_call && any && calls_back(f, b))
		return true;
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (gets_base(f, base, s))
				return true;
	for (int i = 0; i < b->ndst; i++) {
		share_if(base, b->nblock == 0 && any && gives_rows(b, b->dst[i]->ty), b->dst[i]);
		for (int k = 0; k < b->nblock; k++)
			share_if(base, shares(f, base, b->block[k]->yield[i]), b->dst[i]);
	}
	return false;
}

/* -- the rule ------------------------------------------------------------------------------------- */

/* What a copy would set free; NULL if that is a variable of the program, which holds it. */
static Var *
base_of(Flattener *f, const Val *column)
{
	Opnd x;

	while (column->kind == VAL_PAIR || (column->kind == VAL_SEQ && !column->view))
		column = column->kind == VAL_PAIR ? column->a : column->elem;
	x = column->kind == VAL_BASE ? column->x : column->start;
	return made_by(f, x) && (made_by(f, x)->op == FLAN_cell || made_by(f, x)->op == FLAN_peek) ? NULL : x.u.var;
}

static void
as_it_is(Flattener *f, const void *what, Val **out)
{
	(void)f;
	out[0] = (Val *)what;
}

static void
copied(Flattener *f, const void *what, Val **out)
{
	Val *v = val_densify(f, (Val *)what, false);

	out[0] = VIEW(f, v->level, seq_start(f, v), seq_length(f, v), v->elem);
}

/* Rows may overlap: their total need not be countable, nor known. */
static Opnd
is_small(Flattener *f, const Val *v)
{
	Opnd half = SCALAR_OP(f, FLAN_rshift, &ty_int, column_count(f, v->elem), opnd_int(1));
	Opnd total = SCALAR_OP(f, FLAN_float, &ty_float, v->length);

	if (is_vector(total))
		total = EMIT(f, FLAN_sum, false, &ty_float, total);
	return SCALAR_OP(f, FLAN_lt, &ty_bool, total, SCALAR_OP(f, FLAN_float, &ty_float, half));
}

/* What lives across the calls in a binding. */
typedef struct Live {
	const Bind *call;
	LIST(Var *) used;
	Map *seen;
} Live;

/* Is x what v consists of, whatever its rows are? */
static bool
is_itself(const Val *v, const Var *x)
{
	switch (v->kind) {
	case VAL_BASE: return v->x.kind == OPND_VAR && v->x.u.var == x;
	case VAL_PAIR: return is_itself(v->a, x) || is_itself(v->b, x);
	case VAL_SEQ: break;
	}
	return !v->view && is_itself(v->elem, x);
}

/* What the view is on, if a copy may set it free. */
static Var *
base_to_free(Flattener *f, const Val *column, const Live *l)
{
	Base base = {base_of(f, column), map_new(f->arena)};

	if (!base.var)
		return NULL;
	for (int i = 0; i < l->used.n; i++)
		if (is_itself(env_get(f, l->used.at[i]), base.var))
			return NULL;
	return gets_base(f, &base, l->call) ? NULL : base.var;
}

static Val *
compact(Flattener *f, Val *v, const Live *l)
{
	Var *base;

	switch (v->kind) {
	case VAL_BASE:
		return v;
	case VAL_PAIR:
		return PAIR(f, compact(f, v->a, l), compact(f, v->b, l));
	case VAL_SEQ:
		break;
	}
	base = v->view ? base_to_free(f, v->elem, l) : NULL;
	if (base) {
		Opnd ours = EMIT(f, FLAN_sole, false, &ty_bool, opnd_var(base));

		/* Here, where the lengths are: the task that makes them sums them, and the host hears of it with their number. */
		if (is_vector(v->length))
			EMIT(f, FLAN_segdes, false, &ty_segdes, v->length);
		choose(f, AND(f, ours, is_small(f, v)), copied, as_it_is, v, 1, &v);
	}
	if (v->view)
		return VIEW(f, v->level, v->start, v->length, compact(f, v->elem, l));
	return val_dense(f, v->level, v->segdes, compact(f, v->elem, l));
}

Val *
val_compact(Flattener *f, Val *v, const Bind *across)
{
	return calls_back(f, across) ? compact(f, v, &(Live){.call = across}) : v;
}

/* -- variables ------------------------------------------------------------------------------------ */

static void
add_used(Flattener *f, Live *l, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++) {
		if (x[i].kind != OPND_VAR || !env_get(f, x[i].u.var) || *map_at(l->seen, x[i].u.var))
			continue;
		*map_at(l->seen, x[i].u.var) = x[i].u.var;
		LIST_ADD(f->arena, &l->used, x[i].u.var);
	}
}

static void
add_used_in(Flattener *f, Live *l, const Bind *from)
{
	for (const Bind *s = from; s; s = s->next) {
		add_used(f, l, s->narg, s->arg);
		for (int i = 0; i < s->nblock; i++) {
			add_used_in(f, l, s->block[i]->first);
			add_used(f, l, s->block[i]->nyield, s->block[i]->yield);
		}
	}
}

/* What b uses after calls in it. */
static void
add_used_after_calls(Flattener *f, Live *l, const Block *b)
{
	bool after = false;

	for (const Bind *s = b->first; s && !after; s = s->next) {
		after = calls_back(f, s);
		for (int i = 0; i < s->nblock; i++)
			add_used_after_calls(f, l, s->block[i]);
		if (after)
			add_used_in(f, l, s->next);
	}
	if (after)
		add_used(f, l, b->nyield, b->yield);
}

static void
compact_all(Flattener *f, const Live *l, const Block *own)
{
	for (int i = 0; i < l->used.n; i++) {
		Val *v = use(f, opnd_var(l->used.at[i]));

		if (val_has_views(v) && (!own || block_binds(own, l->call, l->used.at[i])))
			env_shadow(f, l->used.at[i], compact(f, v, l));
	}
}

void
compact_across(Flattener *f, const Block *b, const Bind *call, bool own)
{
	Live l = {.call = call, .seen = map_new(f->arena)};

	add_used_in(f, &l, call->next);
	add_used(f, &l, b->nyield, b->yield);
	compact_all(f, &l, own ? b : NULL);
}

void
compact_within(Flattener *f, const Bind *b)
{
	Live l = {.call = b, .seen = map_new(f->arena)};

	for (int i = 0; i < b->nblock; i++)
		add_used_after_calls(f, &l, b->block[i]);
	compact_all(f, &l, NULL);
}

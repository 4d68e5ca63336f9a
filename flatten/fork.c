/* fork.c: rows split by a conditional, or by a chain of them, and put together again.
 *
 *     if c0 {A} {m = ..; c1 = ..; r = if c1 {B} {..}; yield r}
 *
 * An else-if chain is one split into as many lists of rows as it has arms, and one combination of what they give.
 * For that its conditions are computed for all rows, which is cheap and harmless: what stands before an inner `if`
 * must be scalar operators and subscripts, whose checks hold only for the rows that get there.  A chain ends where
 * that is not so, where a condition is the host's (a branch then), where both arms are cheap scalars (a select then),
 * and after MOST_ARMS arms: what follows is one more arm. */
#include "flatten/flattener.h"

/* What is here between the conditions runs for all rows, if it is scalar; in parallel code at the level where we are,
 * where a check can be told of the rows that get there. */
static bool
runs_for_all(Flattener *f, const Bind *s)
{
	const OpInfo *op = &normal_ir.op[s->op];

	switch (s->op) {
	case NORMAL_pair: case NORMAL_fst: case NORMAL_snd: case NORMAL_length:
		return true;
	case NORMAL_elt:
		return runs_here(f, s);
	default:
		return op->cls == OP_SCALAR && (!op->guard || runs_here(f, s));
	}
}

const Bind *
else_if(const Bind *b)
{
	const Bind *s = block_tail(b->block[1]);

	return s && s->op == NORMAL_if ? s : NULL;
}

/* The next of the chain, if its condition can be computed here and now: then it has been. */
static const Bind *
next_of_chain(Flattener *f, const Bind *b)
{
	const Bind *next = else_if(b);

	if (!next || selects(next))
		return NULL;
	for (const Bind *s = b->block[1]->first; s != next; s = s->next) {
		if (!runs_for_all(f, s))
			return NULL;
		flatten_bind(f, s);
	}
	return at_host(use(f, next->arg[0])) ? NULL : next;
}

static Opnd
condition(Flattener *f, const Bind *b)
{
	return val_lift(f, use(f, b->arg[0]), f->cur)->x;
}

/* The arms of the chain, and the conditions of all but the last. */
static void
follow(Flattener *f, const Bind *b, Fork *k, Opnd *cond)
{
	const Opnd *outer = f->reached;
	Opnd reached = opnd_bool(true);

	f->reached = &reached;
	while (b) {
		cond[k->n] = condition(f, b);
		reached = AND(f, reached, SCALAR_OP(f, FLAN_not, &ty_bool, cond[k->n]));
		k->arm[k->n++] = b->block[0];
		k->arm[k->n] = b->block[1];
		b = k->n < MOST_ARMS - 1 ? next_of_chain(f, b) : NULL;
	}
	k->n++;
	f->reached = outer;
}

void
fork_by(Flattener *f, Fork *k)
{
	const Ty *ty[MOST_ARMS];
	Opnd idx[MOST_ARMS], each;

	for (int i = 0; i < k->n; i++)
		ty[i] = &ty_ints;
	emit_many(f, k->n > 2 ? FLAN_deal : FLAN_split, false, k->n, ty, 1, &k->by, idx);
	if (k->n == 2)
		places_of(f, k->by);    /* here, by the task that splits, for who puts together */
	for (int i = 0; i < k->n; i++)
		k->rows[i] = split_level(f, k->level, idx[i]);
	if (k->n > 2) {
		each = EMIT(f, FLAN_iota, false, &ty_ints, k->level->count);
		k->order = EMIT(f, FLAN_permute, false, &ty_ints, each,
		                emit(f, FLAN_append, false, &ty_ints, k->n, idx));
	}
}

void
fork_rows(Flattener *f, const Bind *b, Fork *k)
{
	Opnd cond[MOST_ARMS];

	*k = (Fork){.level = f->cur};
	follow(f, b, k, cond);
	k->by = cond[0];
	if (k->n > 2) {
		k->by = opnd_int(k->n - 1);
		for (int i = k->n - 1; i-- > 0; )
			k->by = SCALAR_OP(f, FLAN_select, &ty_int, cond[i], opnd_int(i), k->by);
	}
	fork_by(f, k);
}

/* Are they rows of different sequences that were there before, with scalars as elements, and not of too many? */
static bool
are_chosen(const Fork *k, Val *const *v)
{
	bool differ = false;
	int n = 0;

	for (int i = 0; i < k->n; i++) {
		if (v[i]->kind != VAL_SEQ || !val_was_there(v[i]) || v[i]->level != k->rows[i] || !scalars_only(v[i]->elem->ty))
			return false;
		differ |= !val_same(v[i]->elem, v[0]->elem);
		n += v[i]->pieces ? v[i]->pieces->n : 1;
	}
	return differ && n <= MOST_PIECES / 2;
}

/* Those of each arm are pieces of every row, empty but where that is taken; it has its rows one behind the other from `first` on. */
static Val *
merge_chosen(Flattener *f, const Fork *k, Val *const *v)
{
	Pieces *all = NEW(f->arena, Pieces, 1);
	Opnd first = opnd_int(0), length = opnd_int(0);

	for (int i = 0; i < k->n; i++) {
		const Opnd own = SCALAR_OP(f, FLAN_eq, &ty_bool, k->by, opnd_int(i)), at = SUB(f, k->order, first);
		const Pieces p = pieces_where(f, own, pieces_of(f, v[i]), at);

		*all = i ? pieces_together(f, all, &p) : p;
		length = ADD(f, length, rows_where(f, own, seq_length(f, v[i]), at));
		first = ADD(f, first, k->rows[i]->count);
	}
	all->length = length;
	all->chosen = true;
	return val_of_pieces(f, k->level, all);
}

/* Rows of each arm, in the order that they had. */
static Val *
merge_many(Flattener *f, const Fork *k, Val *const *v)
{
	Val *column[MOST_ARMS];

	if (are_chosen(k, v))
		return merge_chosen(f, k, v);
	for (int i = 0; i < k->n; i++)
		column[i] = val_lift(f, v[i], k->rows[i]);
	return val_with_level(f, val_gather(f, val_concat(f, k->n, column), k->order), k->level);
}

Val *
fork_merge(Flattener *f, const Fork *k, Val *const *v)
{
	return k->n == 2 ? merge_rows(f, k->level, k->by, v[0], v[1]) : merge_many(f, k, v);
}

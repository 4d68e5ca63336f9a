/* branch.c: conditionals.
 *
 * At the host a conditional stays one.  In parallel code the rows are split by the condition, each arm
 * runs on its rows as a level of its own, and is skipped when it has none (so recursion ends), and the
 * results are combined.  Arms see the variables outside through the rows they were given: scalars
 * gathered, sequences as views, nothing packed that an arm does not use.
 *
 * How  Blelloch & Sabot 1990, section on conditionals; arms skipped when empty as in the original
 *      Nessie.  An arm that calls back to the function is the last to run: the other is not kept waiting, and what it
 *      gives is small or made so (compact.c).  Two arms of total scalar operators are both computed, and selected from. */
#include "flatten/empty.h"
#include "flatten/flattener.h"

typedef struct Taken {                  /* an arm, and the level it runs at; NULL: where we are */
	Arm *arm;
	const void *what;
	Level *level;
} Taken;

static void
run_arm(Flattener *f, const Taken *t, int n, Val **out)
{
	Level *saved = f->cur;
	int shadows = f->shadows.n;

	if (t->level)
		f->cur = t->level;
	t->arm(f, t->what, out);
	for (int i = 0; t->level && i < n; i++)
		out[i] = val_at(f, out[i], t->level);
	f->cur = saved;
	env_unshadow(f, shadows);
}

/* Those that are not as they are to pass. */
static void
convert_all(Flattener *f, Frame *fr, int n, Val **v, Val **shape)
{
	frame_resume(f, fr);
	for (int i = 0; i < n; i++)
		if (!val_same_shape(v[i], shape[i]))
			v[i] = val_convert(f, v[i], shape[i]);
	frame_close(f, fr);
}

/* What passes through an `if`. */
typedef struct Passes {
	LIST(Var *) dst;
	LIST(Opnd) yield[2];
} Passes;

static Opnd
passes(Flattener *f, Passes *p, Opnd one, Opnd other)
{
	Var *v = fresh(f, one.kind == OPND_VAR ? one.u.var->name : "r", opnd_ty(one));

	v->natural = opnd_ty(one)->kind == TY_INT && never_negative(f, one) && never_negative(f, other);
	LIST_ADD(f->arena, &p->dst, v);
	LIST_ADD(f->arena, &p->yield[0], one);
	LIST_ADD(f->arena, &p->yield[1], other);
	return opnd_var(v);
}

/* The stores that an arm wrote. */
static void
join_stores(Flattener *f, Passes *p, Frame *const fr[2])
{
	for (int i = 0; i < f->store.n; i++) {
		const Opnd one = frame_store(fr[0], i), other = frame_store(fr[1], i);

		if (!same_opnd(one, other))
			f->store.at[i]->x = passes(f, p, one, other);
	}
}

/* The `if` itself: what both arms agree on and was there before does not pass through it. */
static void
join_arms(Flattener *f, Opnd cond, Frame *const fr[2], Block *const block[2], int n, Val **const v[2], Val **out)
{
	Passes p = {0};
	Opnd *leaf[2];
	const Opnd *at;
	Bind *b;
	int m;

	join_stores(f, &p, fr);
	m = all_leaves(f, n, v[0], &leaf[0]);
	all_leaves(f, n, v[1], &leaf[1]);
	at = leaf[0];
	for (int i = 0; i < m; i++) {
		Opnd x = leaf[0][i];
		bool outside = x.kind != OPND_VAR || var_depth(f, x.u.var) <= frame_depth(f);

		if (!outside || !same_opnd(x, leaf[1][i]))
			leaf[0][i] = passes(f, &p, x, leaf[1][i]);
	}
	b = bind_new(f->out, frame_block(f), FLAN_if, p.dst.n, 1, 2, f->span);
	b->arg[0] = cond;
	for (int i = 0; i < p.dst.n; i++)
		b->dst[i] = p.dst.at[i];
	for (int i = 0; i < 2; i++) {
		b->block[i] = block[i];
		block_yield(f->out, block[i], p.dst.n, p.yield[i].at);
	}
	for (int i = 0; i < n; i++)
		out[i] = val_replace(f, v[0][i], &at);
}

void
host_join(Flattener *f, Opnd cond, Frame *const fr[2], Block *const block[2], int n, Val **const v[2], Val **out)
{
	Val **shape = NEW(f->arena, Val *, n);

	for (int i = 0; i < n; i++) {
		Val *then = val_to_edge(f, v[0][i]);

		shape[i] = val_join_shape(f, then, val_to_edge(f, v[1][i]));
	}
	convert_all(f, fr[0], n, v[0], shape);
	convert_all(f, fr[1], n, v[1], shape);
	join_arms(f, cond, fr, block, n, v, out);
	for (int i = 0; i < n; i++)
		out[i] = val_from_edge(f, out[i]);
}

/* What there is of a where its arm is not taken: zeros and empty rows, one of them for each row of lv. */
static Val *
zeros(Flattener *f, Level *lv, Val *a, int outside)
{
	Opnd none;

	if (at_host(a) || a->even)
		return val_nothing(f, val_to_edge(f, a), outside);
	if (a->kind == VAL_PAIR)
		return PAIR(f, zeros(f, lv, a->a, outside), zeros(f, lv, a->b, outside));
	none = EMIT(f, FLAN_dist, false, a->kind == VAL_BASE ? ty_vec(a->ty) : &ty_ints,
	            a->kind == VAL_BASE ? zero_of(a->ty) : opnd_int(0), lv->count);
	if (a->kind == VAL_BASE)
		return val_base(f, lv, a->ty, none);
	return VIEW(f, lv, none, none, val_nothing(f, a, outside)->elem);
}

/* if cond {one} else {other}; other NULL: nothing in particular. */
static void
host_if(Flattener *f, Opnd cond, const Taken *one, const Taken *other, int n, Val **out)
{
	Val **v[2] = {NEW(f->arena, Val *, n), NEW(f->arena, Val *, n)};
	Frame *fr[2];
	Block *block[2];
	int outside = frame_depth(f);

	fr[0] = frame_open(f);
	run_arm(f, one, n, v[0]);
	block[0] = frame_close(f, fr[0]);
	fr[1] = frame_open(f);
	if (other)
		run_arm(f, other, n, v[1]);
	else
		for (int i = 0; i < n; i++)
			v[1][i] = zeros(f, one->level, v[0][i], outside);
	block[1] = frame_close(f, fr[1]);
	host_join(f, cond, fr, block, n, v, out);
}

void
choose(Flattener *f, Opnd cond, Arm *one, Arm *other, const void *what, int n, Val **out)
{
	host_if(f, cond, &(Taken){one, what, NULL}, &(Taken){other, what, NULL}, n, out);
}

Level *
split_level(Flattener *f, Level *lv, Opnd idx)
{
	Level *arm = level_new(f, lv, EMIT(f, FLAN_length, false, &ty_int, idx));

	arm->split = true;
	arm->nonempty = true;           /* it is skipped otherwise */
	arm->origin = idx.u.var;
	return arm;
}

/* If count is above 0, unless it costs nothing where that is 0. */
static void
run_if_any(Flattener *f, const Taken *t, Opnd count, int n, Val **out)
{
	int outside = frame_depth(f);
	Frame *fr[2] = {frame_open(f)};
	Block *block[2];
	Val **none = NEW(f->arena, Val *, n);
	Opnd *leaf;
	int m;

	run_arm(f, t, n, out);
	block[0] = frame_close(f, fr[0]);
	m = all_leaves(f, n, out, &leaf);
	if (empty_runs_free(f, count, block[0], m, leaf)) {
		frame_splice(f, block[0]);
		frame_keep_stores(f, fr[0]);
		return;
	}
	fr[1] = frame_open(f);
	for (int i = 0; i < n; i++)
		none[i] = val_nothing(f, val_to_edge(f, out[i]), outside);
	block[1] = frame_close(f, fr[1]);
	host_join(f, SCALAR_OP(f, FLAN_gt, &ty_bool, count, opnd_int(0)), fr, block, n, (Val **[]){out, none}, out);
}

/* -- combining -------------------------------------------------------------------------------------- */

static Opnd
combine(Flattener *f, Opnd cond, const Opnd part[2])
{
	return EMIT(f, FLAN_combine, false, part[0].u.var->ty, cond, part[0], part[1]);
}

#define COMBINE(f, cond, a, b) combine(f, cond, (Opnd[]){a, b})

Opnd
places_of(Flattener *f, Opnd cond)
{
	return EMIT(f, FLAN_plus_scan, false, &ty_ints, SCALAR_OP(f, FLAN_btoi, &ty_int, cond));
}

/* Which row it is among those where cond does not hold, likewise. */
static Opnd
other_places(Flattener *f, Level *lv, Opnd cond)
{
	return SUB(f, EMIT(f, FLAN_iota, false, &ty_ints, lv->count), places_of(f, cond));
}

/* How long rows are, those of a where cond holds, of b elsewhere. */
static Opnd
merged_lengths(Flattener *f, Level *lv, Opnd cond, Val *a, Val *b)
{
	Opnd x = EMIT(f, FLAN_gather, false, &ty_ints, pieces_of(f, a)->length, places_of(f, cond));

	return SCALAR_OP(f, FLAN_select, &ty_int, cond, x,
	                 EMIT(f, FLAN_gather, false, &ty_ints, pieces_of(f, b)->length, other_places(f, lv, cond)));
}

/* Rows of different sequences: each is the pieces of its own arm, and those of the other, which are empty. */
static Val *
merge_pieces(Flattener *f, Level *lv, Opnd cond, Val *a, Val *b)
{
	Opnd not = SCALAR_OP(f, FLAN_not, &ty_bool, cond), i = places_of(f, cond), j = other_places(f, lv, cond);
	Pieces x = pieces_where(f, cond, pieces_of(f, a), i), y = pieces_where(f, not, pieces_of(f, b), j);
	Pieces *p = NEW(f->arena, Pieces, 1);

	*p = pieces_together(f, &x, &y);
	p->length = merged_lengths(f, lv, cond, a, b);
	p->chosen = val_was_there(a) && val_was_there(b);
	return val_of_pieces(f, lv, p);
}

/* Is it a column that lists nothing?  Of rows nothing is said: rows without elements list nothing, too. */
static bool
is_none(Flattener *f, const Val *column)
{
	if (column->kind == VAL_PAIR)
		return is_none(f, column->a);
	return column->kind == VAL_BASE && lists_nothing(f, column->x);
}

/* Are all its rows the literal []? */
static bool
has_none(Flattener *f, const Val *v)
{
	return v->kind == VAL_SEQ && is_none(f, v->elem);
}

/* Rows of a where cond holds, elsewhere rows without elements: those of a are all there are, in order. */
static Val *
merge_with_none(Flattener *f, Level *lv, Opnd cond, Val *a)
{
	Opnd i = places_of(f, cond), length = rows_where(f, cond, seq_length(f, a), i), s;

	if (a->view)
		return VIEW(f, lv, rows_where(f, cond, seq_start(f, a), i), length, a->elem);
	s = EMIT(f, FLAN_segdes_of, false, &ty_segdes, length, EMIT(f, FLAN_total, false, &ty_int, opnd_var(a->segdes)));
	return val_dense(f, lv, s.u.var, a->elem);
}

/* Are those of a all there are? */
static bool
is_all(Flattener *f, const Val *a, const Val *b)
{
	return has_none(f, b) && !at_host(a);
}

Val *
merge_rows(Flattener *f, Level *lv, Opnd cond, Val *a, Val *b)
{
	Opnd start, length;

	if (is_all(f, a, b))
		return merge_with_none(f, lv, cond, a);
	if (is_all(f, b, a))
		return merge_with_none(f, lv, SCALAR_OP(f, FLAN_not, &ty_bool, cond), b);
	if (a->kind == VAL_PAIR)
		return PAIR(f, merge_rows(f, lv, cond, a->a, b->a), merge_rows(f, lv, cond, a->b, b->b));
	if (a->kind == VAL_BASE)
		return val_base(f, lv, a->ty, COMBINE(f, cond, a->x, b->x));
	if (!val_same(a->elem, b->elem))
		return merge_pieces(f, lv, cond, a, b);
	start = COMBINE(f, cond, seq_start(f, a), seq_start(f, b));
	length = COMBINE(f, cond, seq_length(f, a), seq_length(f, b));
	return VIEW(f, lv, start, length, a->elem);
}

/* Rows of a where cond holds; elsewhere zeros and empty rows. */
static Val *
fill(Flattener *f, Level *lv, Opnd cond, const Val *a, Opnd others)
{
	Opnd none;

	if (a->kind == VAL_PAIR)
		return PAIR(f, fill(f, lv, cond, a->a, others), fill(f, lv, cond, a->b, others));
	if (a->kind == VAL_BASE) {
		none = EMIT(f, FLAN_dist, false, ty_vec(a->ty), zero_of(a->ty), others);
		return val_base(f, lv, a->ty, COMBINE(f, cond, a->x, none));
	}
	none = EMIT(f, FLAN_dist, false, &ty_ints, opnd_int(0), others);
	return VIEW(f, lv, COMBINE(f, cond, seq_start(f, a), none),
	                COMBINE(f, cond, seq_length(f, a), none), a->elem);
}

/* All rows of lv, or none. */
static void
run_all_or_none(Flattener *f, Level *lv, Opnd cond, const Taken *t, int n, Val **out)
{
	const bool nonempty = lv->nonempty;
	const Opnd any = nonempty ? cond : AND(f, SCALAR_OP(f, FLAN_gt, &ty_bool, lv->count, opnd_int(0)), cond);

	lv->nonempty = true;
	host_if(f, any, t, NULL, n, out);
	lv->nonempty = nonempty;
}

/* The host. */
static void
run_once_where(Flattener *f, Opnd cond, const Taken *t, int n, Val **out)
{
	const Bind *any = made_by(f, cond);

	if (any && any->op == FLAN_gt && same_opnd(any->arg[1], opnd_int(0)))
		run_if_any(f, t, any->arg[0], n, out);
	else
		host_if(f, cond, t, NULL, n, out);
}

void
run_where(Flattener *f, Level *lv, Opnd cond, Arm *arm, const void *what, int n, Val **out)
{
	Taken t = {arm, what, lv};
	const Opnd one = constant_of(f, cond);
	Opnd idx, others;

	if (!lv->parent) {
		run_once_where(f, cond, &t, n, out);
		return;
	}
	if (!is_vector(one)) {
		run_all_or_none(f, lv, one, &t, n, out);
		return;
	}
	idx = EMIT(f, FLAN_pack, false, &ty_ints, cond);
	t.level = split_level(f, lv, idx);
	run_if_any(f, &t, t.level->count, n, out);
	others = SUB(f, lv->count, t.level->count);
	for (int i = 0; i < n; i++)
		out[i] = fill(f, lv, cond, out[i], others);
}

void
run_if_inhabited(Flattener *f, Level *lv, Arm *arm, const void *what, int n, Val **out)
{
	Taken t = {arm, what, lv};
	const bool nonempty = lv->nonempty;

	lv->nonempty = true;            /* else it is skipped */
	run_if_any(f, &t, lv->count, n, out);
	lv->nonempty = nonempty;
}

/* -- if --------------------------------------------------------------------------------------------- */

static void
arm_of_if(Flattener *f, const void *what, Val **out)
{
	const Block *b = what;

	flatten_block(f, b);
	for (int i = 0; i < b->nyield; i++)
		out[i] = use(f, b->yield[i]);
}

/* A sequence of constants. */
static bool
is_literal(const Bind *b)
{
	if (b->op != NORMAL_seq || !scalars_only(b->dst[0]->ty->a))
		return b->op == NORMAL_string;
	for (int i = 0; i < b->narg; i++)
		if (b->arg[i].kind == OPND_VAR)
			return false;
	return true;
}

static bool
total(const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		const OpInfo *op = &normal_ir.op[s->op];
		bool plain = op->cls == OP_SCALAR ? !op->guard
		             : s->op == NORMAL_pair || s->op == NORMAL_fst || s->op == NORMAL_snd || is_literal(s);

		if (!plain && !(s->op == NORMAL_if && selects(s)))
			return false;
	}
	return true;
}

bool
total_scalars(const Block *b)
{
	for (int i = 0; i < b->nyield; i++)
		if (!scalars_only(opnd_ty(b->yield[i])))
			return false;
	return total(b);
}

/* Is it a scalar, or a literal of this arm, or of arms in it? */
static bool
is_selected(const Block *arm, Opnd o)
{
	const Bind *b = arm->first;

	while (b && !(b->ndst == 1 && same_opnd(o, opnd_var(b->dst[0]))))
		b = b->next;
	return scalars_only(opnd_ty(o)) || (b && (is_literal(b) || b->op == NORMAL_if));
}

Val *
select_from(Flattener *f, Level *lv, Opnd cond, Val *a, Val *b)
{
	Opnd start, length;

	if (a->kind == VAL_PAIR)
		return PAIR(f, select_from(f, lv, cond, a->a, b->a), select_from(f, lv, cond, a->b, b->b));
	if (a->kind == VAL_SEQ) {               /* of literals, one behind the other; what was chosen further out is so here */
		a = at_host(a) ? a : val_at(f, a, lv);
		b = at_host(b) ? b : val_at(f, b, lv);
		start = SCALAR_OP(f, FLAN_select, &ty_int, cond, seq_start(f, a), ADD(f, column_count(f, a->elem), seq_start(f, b)));
		length = SCALAR_OP(f, FLAN_select, &ty_int, cond, seq_length(f, a), seq_length(f, b));
		return VIEW(f, lv, start, length, val_concat(f, 2, (Val *[]){a->elem, b->elem}));
	}
	return val_base(f, lv, a->ty,
	                SCALAR_OP(f, FLAN_select, a->ty, cond, operand_at(f, a, lv), operand_at(f, b, lv)));
}

bool
selects(const Bind *b)
{
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < b->ndst; k++)
			if (!is_selected(b->block[i], b->block[i]->yield[k]))
				return false;
		if (!total(b->block[i]))
			return false;
	}
	return true;
}

void
run_arm_of(Flattener *f, Level *lv, Arm *arm, const void *what, int n, Val **out)
{
	run_if_any(f, &(Taken){arm, what, lv}, lv->count, n, out);
}

void
run_arm_if_any(Flattener *f, const Block *b, Level *lv, Val **out)
{
	run_if_any(f, &(Taken){arm_of_if, b, lv}, lv->count, b->nyield, out);
}

/* Is it the last thing that the function does? */
static bool
is_result(const Flattener *f, const Bind *b)
{
	return f->fun && f->fun->body->end == &b->next;
}

/* Is there a copy to save? */
static bool
stands_alone(Val *const *v, int i)
{
	return v[i]->kind == VAL_SEQ && !v[i]->pieces && !val_same(v[0]->elem, v[1]->elem);
}

/* What arm i gives, as what all rows give; s: how long they are, if it is stored. */
static Val *
alone(Flattener *f, const Fork *k, Val *const *v, int i, Opnd s)
{
	return v[i]->view ? VIEW(f, k->level, seq_start(f, v[i]), seq_length(f, v[i]), v[i]->elem)
		: val_dense(f, k->level, s.u.var, v[i]->elem);
}

/* Both arms; but what one of the arms in turn gives, where all rows take that: nothing is copied on the way up from calls that
 * divide evenly, nor what the arms of an `else if` stored together.  How long stored rows are is said before. */
static Val *
unless_all(Flattener *f, const Fork *k, Val *const *v, int n, const int *arm)
{
	Val *of[2], *out;
	Frame *fr[2];
	Block *block[2];
	Opnd s = opnd_int(0);

	if (n == 0 || is_all(f, v[0], v[1]) || is_all(f, v[1], v[0]))
		return fork_merge(f, k, v);
	if (!stands_alone(v, *arm))
		return unless_all(f, k, v, n - 1, arm + 1);
	if (!v[*arm]->view)
		s = EMIT(f, FLAN_segdes, false, &ty_segdes, merged_lengths(f, k->level, k->by, v[0], v[1]));
	for (int j = 0; j < 2; j++) {
		fr[j] = frame_open(f);
		of[j] = j ? unless_all(f, k, v, n - 1, arm + 1) : alone(f, k, v, *arm, s);
		block[j] = frame_close(f, fr[j]);
	}
	host_join(f, SCALAR_OP(f, FLAN_eq, &ty_bool, k->rows[1 - *arm]->count, opnd_int(0)), fr, block, 1,
	          (Val **[]){&of[0], &of[1]}, &out);
	return out;
}

Val *
merge_if_needed(Flattener *f, const Fork *k, Val *const *v)
{
	if (v[0]->kind != VAL_PAIR)
		return unless_all(f, k, v, 2, (const int[]){1, 0});
	return PAIR(f, merge_if_needed(f, k, (Val *const[]){v[0]->a, v[1]->a}),
	                merge_if_needed(f, k, (Val *const[]){v[0]->b, v[1]->b}));
}

static bool
any_views(int n, Val *const *v)
{
	while (n > 0 && !val_has_views(v[n - 1]))
		n--;
	return n > 0;
}

static void
split_if(Flattener *f, const Bind *b, Val **out)
{
	Fork k;
	int back = -1;
	Val **v[MOST_ARMS], *each[MOST_ARMS];

	fork_rows(f, b, &k);
	for (int late = 0; late < 2; late++)
		for (int i = 0; i < k.n; i++) {
			if (block_calls_back(f, k.arm[i]) != late)
				continue;
			back = late ? i : back;
			v[i] = NEW(f->arena, Val *, b->ndst);
			run_arm_if_any(f, k.arm[i], k.rows[i], v[i]);
			for (int j = 0; j < b->ndst && !late; j++)
				v[i][j] = val_compact(f, v[i][j], b);
		}
	/* two arms are stored together: views that are left then are of what was there */
	if (back >= 0 && k.n > 2 && is_result(f, b) && !any_views(b->ndst, v[back]))
		*map_at(f->stores, f->fun) = (void *)f->fun;
	for (int j = 0; j < b->ndst; j++) {
		for (int i = 0; i < k.n; i++)
			each[i] = v[i][j];
		out[j] = back >= 0 && k.n == 2 && is_result(f, b) ? unless_all(f, &k, each, 1, &back) : fork_merge(f, &k, each);
	}
}

/* Each row for itself, if the arms are scalar code: no branch of the host's, whatever the condition is. */
static bool
rows_alone(Flattener *f, const Bind *b, const Val *cond, Val **out)
{
	Val **no = NEW(f->arena, Val *, b->ndst);
	const Bind *rest;

	if (!selects(b)) {
		if (run_masked(f, b, val_lift(f, cond, f->cur)->x, out) || if_for_each(f, b, out))
			return true;
		out[0] = b->ndst == 1 ? run_inward(f, b, val_lift(f, cond, f->cur)->x) : NULL;
		if (b->ndst == 1 && out[0])
			return true;
		rest = unguarded(f, b);
		return rest && rows_alone(f, rest, cond, out);
	}
	arm_of_if(f, b->block[0], out);
	arm_of_if(f, b->block[1], no);
	for (int i = 0; i < b->ndst; i++)
		out[i] = select_from(f, f->cur, val_lift(f, cond, f->cur)->x, out[i], no[i]);
	return true;
}

/* v, its rows stored as those of the other are. */
static Val *
stored_as(Flattener *f, Val *v, const Val *other)
{
	if (v->kind == VAL_PAIR)
		return PAIR(f, stored_as(f, v->a, other->a), stored_as(f, v->b, other->b));
	return v->kind == VAL_SEQ && !at_host(v) && v->view && !other->view && scalars_only(v->elem->ty) ? val_densify(f, v, false) : v;
}

/* One condition for all rows of a context.  Where a recursive function ends in it, rows that the arm without a call cuts out of
 * others are stored there, if those of the other arm are: else all would be views on the way up, and stored anew by each level. */
static void
if_for_all(Flattener *f, const Bind *b, Opnd cond, Val **out)
{
	Val **v[2] = {NEW(f->arena, Val *, b->ndst), NEW(f->arena, Val *, b->ndst)};
	Frame *fr[2];
	Block *block[2];

	decided_for_all(f);
	for (int i = 0; i < 2; i++) {
		fr[i] = frame_open(f);
		run_arm(f, &(Taken){arm_of_if, b->block[i], NULL}, b->ndst, v[i]);
		block[i] = frame_close(f, fr[i]);
	}
	for (int i = 0; i < 2; i++) {
		if (!is_result(f, b) || block_calls_back(f, b->block[i]) || !block_calls_back(f, b->block[1 - i]))
			continue;
		frame_resume(f, fr[i]);
		for (int j = 0; j < b->ndst; j++)
			v[i][j] = stored_as(f, v[i][j], v[1 - i][j]);
		frame_close(f, fr[i]);
	}
	host_join(f, cond, fr, block, b->ndst, v, out);
}

void
if_op(Flattener *f, const Bind *b)
{
	Val *cond = use(f, b->arg[0]), **out = NEW(f->arena, Val *, b->ndst);
	const Opnd one = constant_of(f, cond->x);       /* for all rows */

	if (at_host(cond) || writes_store(f, b) || !rows_alone(f, b, cond, out)) {
		if (at_host(cond))
			host_if(f, one, &(Taken){arm_of_if, b->block[0], NULL}, &(Taken){arm_of_if, b->block[1], NULL}, b->ndst, out);
		else if (!is_vector(one))
			if_for_all(f, b, one, out);
		else if (join_if(f, b))
			return;
		else
			split_if(f, b, out);
	}
	for (int i = 0; i < b->ndst; i++)
		env_set(f, b->dst[i], out[i]);
}

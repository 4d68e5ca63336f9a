/* sequence.c: the primitives on sequences, at whatever level their operands live.
 *
 * Each is a check (unless nothing can go wrong) and total operators.  At level 0 operands are host
 * values; deeper, one per instance of the level, and the flat operator works on all rows at once. */
#include "flatten/flattener.h"

/* A sequence for use at lv: of the host as it is (never copied per row), else one row per instance. */
static Val *
seq_at(Flattener *f, const Val *v, Level *lv)
{
	return at_host(v) ? (Val *)v : val_at(f, v, lv);
}

/* One per instance of lv, or at the host the scalar itself. */
static Opnd
per_row(Flattener *f, Opnd x, Level *lv)
{
	if (!lv->parent || is_vector(x))
		return x;
	return EMIT(f, FLAN_dist, false, ty_vec(opnd_ty(x)), x, lv->count);
}

static Opnd
compare(Flattener *f, int op, Opnd a, Opnd b)
{
	return SCALAR_OP(f, op, &ty_bool, a, b);
}

static bool
all_constant(Flattener *f, int n, const Opnd *x)
{
	while (n > 0 && !is_vector(constant_of(f, x[n - 1])))
		n--;
	return n == 0;
}

/* What instances of lv have, as those where we are see it. */
static Opnd
seen_here(Flattener *f, Level *lv, Opnd x)
{
	return lv->parent && is_vector(x) ? val_lift(f, val_base(f, lv, opnd_ty(x)->a, x), f->cur)->x : x;
}

void
check_at(Flattener *f, Level *lv, const char *kind, Opnd ok, int nval, const Opnd *val)
{
	Opnd here, *seen = NEW(f->arena, Opnd, nval + 1);
	Way w = {0};

	if (f->reached && lv != f->cur) {       /* not all descendants count */
		for (int i = 0; i < nval; i++)
			seen[i] = seen_here(f, lv, val[i]);
		check_at(f, f->cur, kind, seen_here(f, lv, ok), nval, seen);
		return;
	}
	here = f->reached ? *f->reached : inhabited(f, lv);
	if (all_constant(f, nval, val))
		ok = constant_of(f, ok);
	if (is_bool(constant_of(f, ok), true))
		return;
	/* one condition for all instances, and there may be none */
	if (is_bool(here, true) && !is_vector(ok) && !lv->nonempty)
		here = compare(f, FLAN_gt, lv->count, opnd_int(0));
	if (!is_bool(here, true))
		ok = SCALAR_OP(f, FLAN_or, &ty_bool, ok, SCALAR_OP(f, FLAN_not, &ty_bool, here));
	way_out(f, lv, f->span, &w);
	emit_check(f, &w, kind, ok, nval, val);
}

/* A check per element of the rows of s (NULL: of one sequence at the host), which are no apply-to-each. */
static void
check_elements(Flattener *f, Level *lv, Var *s, const char *kind, Opnd ok, int nval, const Opnd *val)
{
	Opnd here = inhabited(f, lv);
	Way w = {0};

	LIST_ADD(f->arena, &w, s ? opnd_var(s) : opnd_int(WAY_HOST));
	LIST_ADD(f->arena, &w, opnd_int(WAY_HIDDEN));
	way_out(f, lv, f->span, &w);
	if (!is_bool(here, true)) {
		if (s)
			here = EMIT(f, FLAN_dist, true, &ty_bools, opnd_var(s), here);
		ok = SCALAR_OP(f, FLAN_or, &ty_bool, ok, SCALAR_OP(f, FLAN_not, &ty_bool, here));
	}
	emit_check(f, &w, kind, ok, nval, val);
}

/* Element pos of a column: on the host, or one for each of a vector of positions. */
static Val *
element(Flattener *f, Level *lv, const Val *c, Opnd pos)
{
	Opnd start, length;

	if (lv->parent)
		return val_gather(f, c, per_row(f, pos, lv));
	switch (c->kind) {
	case VAL_BASE:
		return val_base(f, lv, c->ty, EMIT(f, FLAN_elem, false, c->ty, c->x, pos));
	case VAL_PAIR:
		return PAIR(f, element(f, lv, c->a, pos), element(f, lv, c->b, pos));
	case VAL_SEQ:
		break;
	}
	if (c->view) {
		start = EMIT(f, FLAN_elem, false, &ty_int, c->start, pos);
		length = EMIT(f, FLAN_elem, false, &ty_int, c->length, pos);
	} else {
		start = EMIT(f, FLAN_row_start, false, &ty_int, opnd_var(c->segdes), pos);
		length = EMIT(f, FLAN_row_length, false, &ty_int, opnd_var(c->segdes), pos);
	}
	return VIEW(f, lv, start, length, c->elem);
}

static Val *
elt(Flattener *f, Level *lv, Val **arg)
{
	const Pieces *p = pieces_at(f, arg[0], lv);
	Val *v = p ? NULL : seq_at(f, arg[0], lv);
	Opnd i = operand_at(f, arg[1], lv), n = p ? p->length : seq_length(f, v), pos;

	check_at(f, lv, "index-range", SCALAR_OP(f, FLAN_in_range, &ty_bool, i, n), 2, (Opnd[]){i, n});
	if (p)
		return val_with_level(f, element_of_pieces(f, p, per_row(f, i, lv)), lv);
	pos = ADD(f, seq_start(f, v), i);
	if (f->reached && lv == f->cur && scalars_only(v->elem->ty))    /* nothing is read elsewhere */
		pos = SCALAR_OP(f, FLAN_select, &ty_int, *f->reached, pos, opnd_int(-1));
	return val_with_level(f, element(f, lv, v->elem, pos), lv);
}

static Val *
subseq(Flattener *f, Level *lv, Val **arg)
{
	const Pieces *p = pieces_at(f, arg[0], lv);
	Val *v = p && p->chosen ? NULL : seq_at(f, arg[0], lv);
	Opnd s = operand_at(f, arg[1], lv), e = operand_at(f, arg[2], lv), n = v ? seq_length(f, v) : p->length;
	Opnd low = AND(f, compare(f, FLAN_ge, s, opnd_int(0)), compare(f, FLAN_le, s, e));
	Opnd ok = AND(f, low, compare(f, FLAN_le, e, n));
	Opnd bad = SCALAR_OP(f, FLAN_select, &ty_int, low, e, s);

	check_at(f, lv, "index-range", ok, 2, (Opnd[]){bad, n});
	if (!v)
		return val_of_pieces(f, lv, cut_pieces(f, p, per_row(f, s, lv), per_row(f, e, lv)));
	return VIEW(f, lv, per_row(f, ADD(f, seq_start(f, v), s), lv),
	                per_row(f, SUB(f, e, s), lv), v->elem);
}

/* The level of sequences of n elements each (n at lv). */
static Level *
level_of_length(Flattener *f, Level *lv, Opnd n)
{
	Level *in;
	Opnd s;

	number_counts(f, n);
	if (!lv->parent)
		return level_new(f, lv, n);
	s = EMIT(f, FLAN_segdes, false, &ty_segdes, per_row(f, n, lv));
	in = level_new(f, lv, EMIT(f, FLAN_total, false, &ty_int, s));
	in->segdes = s.u.var;
	return in;
}

static Opnd
spread(Flattener *f, const Level *in, Opnd x)
{
	return is_vector(x) ? EMIT(f, FLAN_dist, true, x.u.var->ty, opnd_var(in->segdes), x) : x;
}

static Opnd
at_least_zero(Flattener *f, Opnd n)
{
	return n.kind == OPND_INT && n.u.i >= 0 ? n : SCALAR_OP(f, FLAN_max, &ty_int, n, opnd_int(0));
}

/* A length, of instances with a descendant where we are; of others 0: what is made further out for none costs nothing. */
static Opnd
length_of_inhabited(Flattener *f, Level *lv, Opnd n)
{
	Opnd here = inhabited(f, lv);

	return is_bool(here, true) ? n : SCALAR_OP(f, FLAN_select, &ty_int, here, n, opnd_int(0));
}

static Val *
range(Flattener *f, Level *lv, Val **arg)
{
	Opnd a = operand_at(f, arg[0], lv), b = operand_at(f, arg[1], lv), d = operand_at(f, arg[2], lv);
	bool by_one = d.kind == OPND_INT && d.u.i == 1, short_way = by_one && a.kind == OPND_INT && a.u.i >= 0;
	Opnd ok, n, i;
	Level *in;

	if (short_way) {
		ok = compare(f, FLAN_ge, b, a);
		n = SUB(f, b, a);
	} else {
		ok = SCALAR_OP(f, FLAN_range_ok, &ty_bool, a, b, d);
		n = SCALAR_OP(f, FLAN_range_length, &ty_int, a, b, d);
	}
	check_at(f, lv, "bad-range", ok, 3, (Opnd[]){a, b, d});
	in = level_of_length(f, lv, length_of_inhabited(f, lv, short_way ? at_least_zero(f, n) : n));
	i = in->segdes ? EMIT(f, FLAN_iota, true, &ty_ints, opnd_var(in->segdes))
	               : EMIT(f, FLAN_iota, false, &ty_ints, in->count);
	if (!by_one)
		i = SCALAR_OP(f, FLAN_mul, &ty_int, i, spread(f, in, d));
	i = ADD(f, i, spread(f, in, a));
	return val_dense(f, lv, in->segdes, val_base(f, NULL, &ty_int, i));
}

static Val *
positions(Flattener *f, Level *lv, const Val *v)
{
	Opnd is, s;

	if (at_host(v)) {
		is = EMIT(f, FLAN_iota, false, &ty_ints, seq_length(f, v));
		return val_dense(f, lv, NULL, val_base(f, NULL, &ty_int, is));
	}
	s = v->view ? EMIT(f, FLAN_segdes, false, &ty_segdes, v->length) : opnd_var(v->segdes);
	is = EMIT(f, FLAN_iota, true, &ty_ints, s);
	return val_dense(f, lv, s.u.var, val_base(f, NULL, &ty_int, is));
}

static Val *
dist(Flattener *f, Level *lv, Val **arg)
{
	Opnd n = operand_at(f, arg[1], lv);
	Level *in;

	check_at(f, lv, "bad-range", compare(f, FLAN_ge, n, opnd_int(0)), 3, (Opnd[]){opnd_int(0), n, opnd_int(1)});
	in = level_of_length(f, lv, length_of_inhabited(f, lv, at_least_zero(f, n)));
	return val_dense(f, lv, in->segdes, val_lift(f, arg[0], in));
}

/* Sequences of these lengths may be put together: an int counts what has no array too, but not more than it can. */
static void
check_sum(Flattener *f, Level *lv, Opnd a, Opnd b)
{
	if (!counted_together(f, a, b))
		check_at(f, lv, "memory", compare(f, FLAN_le, a, SUB(f, opnd_int(int_greatest(f->out->int_bits)), b)), 3, (Opnd[]){a, b, opnd_int(f->out->int_bits)});
}

/* -- literals ----------------------------------------------------------------------------------- */

static Val *
empty_column(Flattener *f, const Ty *ty)
{
	Opnd none;

	if (ty->kind == TY_PAIR)
		return PAIR(f, empty_column(f, ty->a), empty_column(f, ty->b));
	if (ty->kind != TY_SEQ)
		return val_base(f, NULL, ty, emit(f, FLAN_vector, false, ty_vec(ty), 0, NULL));
	none = EMIT(f, FLAN_uniform, false, &ty_segdes, opnd_int(0), opnd_int(0));
	return val_dense(f, NULL, none.u.var, empty_column(f, ty->a));
}

/* The lengths of n rows.  (Constants are a list, which costs nothing; that they are one `shape` will find.) */
static Opnd
host_lengths(Flattener *f, int n, const Opnd *x)
{
	int same = 1;

	while (same < n && same_opnd(x[0], x[same]))
		same++;
	if (n > 1 && same == n && x[0].kind == OPND_VAR)
		return EMIT(f, FLAN_dist, false, &ty_ints, x[0], opnd_int(n));
	return emit(f, FLAN_vector, false, &ty_ints, n, x);
}

/* Values of the host as a column of n. */
static Val *
host_column(Flattener *f, int n, Val **item)
{
	Val **a = NEW(f->arena, Val *, n), **b = NEW(f->arena, Val *, n);
	Opnd *x = NEW(f->arena, Opnd, n), *y = NEW(f->arena, Opnd, n), s;
	bool share = true;

	for (int i = 0; i < n; i++) {
		const Val *v = item[i];

		a[i] = v->kind == VAL_PAIR ? v->a : v->elem;
		b[i] = v->b;
		x[i] = v->x;
		share &= i == 0 || v->kind != VAL_SEQ || val_same(item[0]->elem, v->elem);
	}
	if (item[0]->kind == VAL_BASE)
		return val_base(f, NULL, item[0]->ty, emit(f, FLAN_vector, false, ty_vec(item[0]->ty), n, x));
	if (item[0]->kind == VAL_PAIR)
		return PAIR(f, host_column(f, n, a), host_column(f, n, b));
	for (int i = 0; i < n; i++) {
		x[i] = seq_start(f, item[i]);
		y[i] = seq_length(f, item[i]);
		if (!share)
			a[i] = val_densify(f, item[i], true)->elem;
	}
	s = host_lengths(f, n, y);
	if (share)
		return VIEW(f, NULL, emit(f, FLAN_vector, false, &ty_ints, n, x), s, a[0]);
	for (int i = 1; i < n; i++) {
		check_sum(f, &f->host, y[0], y[i]);
		y[0] = ADD(f, y[0], y[i]);
	}
	s = EMIT(f, FLAN_segdes, false, &ty_segdes, s);
	return val_dense(f, NULL, s.u.var, val_concat(f, n, a));
}

/* Element e of a literal of k items per instance: item, of this instance. */
typedef struct {
	int k;
	Opnd item, instance;
} Places;

/* The items' operands, one for each element; a scalar of an item is that of all instances. */
static Opnd
deal_out(Flattener *f, const Places *at, const Opnd *x)
{
	Opnd all = opnd_int(0);

	for (int i = at->k - 1; i >= 0; i--) {
		const Ty *ty = opnd_ty(x[i]);
		Opnd here = compare(f, FLAN_eq, at->item, opnd_int(i)), one = x[i];

		if (is_vector(one))
			one = EMIT(f, FLAN_gather, false, ty, one,
			           SCALAR_OP(f, FLAN_select, &ty_int, here, at->instance, opnd_int(-1)));
		all = i == at->k - 1 ? one : SCALAR_OP(f, FLAN_select, ty->kind == TY_VEC ? ty->a : ty, here, one, all);
	}
	return all;
}

/* The items' columns as one, in the order of the instances.  Rows of different sequences are views of all of these. */
static Val *
interleave(Flattener *f, const Places *at, Val **item)
{
	Val **a = NEW(f->arena, Val *, at->k), **b = NEW(f->arena, Val *, at->k);
	Opnd *x = NEW(f->arena, Opnd, at->k), *y = NEW(f->arena, Opnd, at->k), *skip = NEW(f->arena, Opnd, at->k + 1);
	Opnd start, length;
	bool share = true;

	for (int i = 0; i < at->k; i++) {
		x[i] = item[i]->x;
		a[i] = item[i]->kind == VAL_PAIR ? item[i]->a : item[i]->elem;
		b[i] = item[i]->b;
		share &= item[i]->kind != VAL_SEQ || val_same(a[0], a[i]);
	}
	if (item[0]->kind == VAL_BASE)
		return val_base(f, NULL, item[0]->ty, deal_out(f, at, x));
	if (item[0]->kind == VAL_PAIR)
		return PAIR(f, interleave(f, at, a), interleave(f, at, b));
	skip[0] = opnd_int(0);
	for (int i = 0; i < at->k; i++) {
		Val *v = share ? item[i] : val_densify(f, item[i], true);

		x[i] = seq_start(f, v);
		y[i] = seq_length(f, v);
		a[i] = v->elem;
		if (!share)
			check_sum(f, &f->host, skip[i], column_count(f, v->elem));
		skip[i + 1] = share ? skip[i] : ADD(f, skip[i], column_count(f, v->elem));
	}
	length = deal_out(f, at, y);
	start = deal_out(f, at, x);
	if (share)
		return VIEW(f, NULL, start, length, a[0]);
	start = ADD(f, start, deal_out(f, at, skip));           /* before the elements, that wait until it is known how many there are */
	return VIEW(f, NULL, start, length, val_concat(f, at->k, a));
}

/* k items per instance of lv. */
static Val *
literal(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	int k = b->narg;
	Val **column = NEW(f->arena, Val *, k), *all;
	Places at = {.k = k};
	Opnd s, e;

	if (k == 0)
		return val_dense(f, &f->host, NULL, empty_column(f, b->dst[0]->ty->a));
	if (!lv->parent)
		return val_dense(f, lv, NULL, host_column(f, k, arg));
	for (int i = 0; i < k; i++)
		column[i] = val_lift(f, arg[i], lv);
	s = EMIT(f, FLAN_uniform, false, &ty_segdes, lv->count, opnd_int(k));
	if (k == 1)
		return val_dense(f, lv, s.u.var, column[0]);
	e = EMIT(f, FLAN_iota, false, &ty_ints, EMIT(f, FLAN_total, false, &ty_int, s));
	at.item = SCALAR_OP(f, FLAN_rem, &ty_int, e, opnd_int(k));
	at.instance = SCALAR_OP(f, FLAN_div, &ty_int, e, opnd_int(k));
	if (k <= MOST_PIECES)
		return val_dense(f, lv, s.u.var, interleave(f, &at, column));
	/* item j of instance r is row j*count + r of the items one after the other */
	all = val_concat(f, k, column);
	e = ADD(f, SCALAR_OP(f, FLAN_mul, &ty_int, at.item, lv->count), at.instance);
	return val_dense(f, lv, s.u.var, val_gather(f, all, e));
}

static Val *
string(Flattener *f, const Bind *b)
{
	Bind *c = bind_new(f->out, frame_block(f), FLAN_chars, 1, 0, 0, f->span);

	c->text = b->text;
	c->textlen = b->textlen;
	c->dst[0] = fresh(f, b->dst[0]->name, ty_vec(&ty_char));
	return val_dense(f, &f->host, NULL, val_base(f, NULL, &ty_char, opnd_var(c->dst[0])));
}

/* -- wholes ------------------------------------------------------------------------------------- */

static Val *
append(Flattener *f, const Bind *bind, Level *lv, Val **arg)
{
	Val *a, *b;
	Opnd n;

	if (writes_store(f, bind)) {
		a = val_at(f, arg[0], lv);
		b = val_at(f, arg[1], lv);
		check_sum(f, lv, seq_length(f, a), seq_length(f, b));
		return store_append(f, a, b);
	}
	if (lv->parent) {
		const Pieces *x = pieces_of(f, val_at(f, arg[0], lv)), *y = pieces_of(f, val_at(f, arg[1], lv));
		Pieces *p = NEW(f->arena, Pieces, 1);

		check_sum(f, lv, x->length, y->length);
		*p = pieces_together(f, x, y);
		return val_of_pieces(f, lv, p);
	}
	a = val_densify(f, arg[0], false);
	b = val_densify(f, arg[1], false);
	n = seq_length(f, a);
	check_sum(f, lv, n, seq_length(f, b));
	return val_dense(f, lv, NULL, val_concat(f, 2, (Val *[]){a->elem, b->elem}));
}

static Val *
flatten_op(Flattener *f, Level *lv, Val **arg)
{
	Val *v = val_densify(f, arg[0], false), *in = val_densify(f, v->elem, false);
	Opnd s;

	if (!lv->parent)
		return val_dense(f, lv, NULL, in->elem);
	s = EMIT(f, FLAN_compose, false, &ty_segdes, opnd_var(v->segdes), opnd_var(in->segdes));
	return val_dense(f, lv, s.u.var, in->elem);
}

/* op x.. on the host's sequences, op^ s, x.. on rows: a flat operator on the data of n sequences of the same lengths. */
static Opnd
flat_op(Flattener *f, int op, const Ty *ty, int n, Val *const *v)
{
	const bool lifted = !at_host(v[0]);
	Opnd x[3];

	if (lifted)
		x[0] = opnd_var(v[0]->segdes);
	for (int i = 0; i < n; i++)
		x[lifted + i] = v[i]->elem->x;
	return emit(f, op, lifted, lifted && ty->kind != TY_VEC ? ty_vec(ty) : ty, lifted + n, x);
}

/* Its elements, if each row has the same few; 0: it has others. */
static int
few_elements(Flattener *f, const Piece *p)
{
	enum { FEW = 4 };
	const Opnd n = constant_of(f, p->length);

	return n.kind == OPND_INT && n.u.i > 0 && n.u.i <= FEW ? (int)n.u.i : 0;
}

/* Are these rows others, or few elements, one after the other, so that each can be folded where it is, and then what comes of them?
 * Floats are folded from left to right. */
static bool
folds_by_pieces(Flattener *f, const Bind *b, const Val *v)
{
	if (!v->pieces || b->narg > 1 || v->elem->kind != VAL_BASE || !(v->elem->ty->kind == TY_INT || v->elem->ty->kind == TY_BOOL))
		return false;
	for (int i = 0; i < v->pieces->n; i++)
		if (!v->pieces->at[i].rows || (!few_elements(f, &v->pieces->at[i]) && v->pieces->at[i].rows->view))
			return false;
	return true;
}

static Opnd
fold_piece(Flattener *f, const Bind *b, int base, const Piece *p)
{
	const int few = few_elements(f, p);
	Val *rows = few ? NULL : val_densify(f, p->rows, false);
	Opnd all = few ? (Opnd){0} : flat_op(f, b->op, b->dst[0]->ty, 1, &rows);

	for (int k = 0; k < few; k++) {
		Opnd x = EMIT(f, FLAN_gather, false, ty_vec(p->elem->ty), p->elem->x, ADD(f, p->start, opnd_int(k)));

		all = k ? scalar_op(f, base, b->dst[0]->ty, 2, (Opnd[]){all, x}) : x;
	}
	return all;
}

static Opnd
fold_pieces(Flattener *f, const Bind *b, const Val *v)
{
	const int base = ir_find(&flan_ir, flan_ir.op[b->op].base);
	Opnd all = fold_piece(f, b, base, &v->pieces->at[0]);

	for (int i = 1; i < v->pieces->n; i++)
		all = scalar_op(f, base, b->dst[0]->ty, 2, (Opnd[]){all, fold_piece(f, b, base, &v->pieces->at[i])});
	return all;
}

Val *
reduce_op(Flattener *f, const Bind *b, Val **arg)
{
	Val *v[2];

	if (folds_by_pieces(f, b, arg[0]))
		return val_base(f, arg[0]->level, b->dst[0]->ty, fold_pieces(f, b, arg[0]));
	for (int i = 0; i < b->narg; i++)
		v[i] = val_densify(f, arg[i], false);
	return val_base(f, v[0]->level, b->dst[0]->ty, flat_op(f, b->op, b->dst[0]->ty, b->narg, v));
}

/* A sequence of the same lengths, of what `op` makes of the data. */
static Val *
like(Flattener *f, int op, const Ty *elem, Val *arg)
{
	Val *v = val_densify(f, arg, false);

	return val_dense(f, v->level, v->segdes, val_base(f, NULL, elem, flat_op(f, op, ty_vec(elem), 1, &v)));
}

Val *
scan_op(Flattener *f, const Bind *b, Val *arg)
{
	return like(f, b->op, b->dst[0]->ty->a, arg);
}

/* Positions within rows of d, given for the rows of i, as positions in d's data; checked. */
static Opnd
absolute(Flattener *f, Level *lv, const char *kind, const Val *i, const Val *d)
{
	Opnd x = i->elem->x, n = seq_length(f, d), start = seq_start(f, d);

	if (i->segdes) {
		n = EMIT(f, FLAN_dist, true, &ty_ints, opnd_var(i->segdes), n);
		start = EMIT(f, FLAN_dist, true, &ty_ints, opnd_var(i->segdes), start);
	}
	check_elements(f, lv, i->segdes, kind, SCALAR_OP(f, FLAN_in_range, &ty_bool, x, n), 2, (Opnd[]){x, n});
	return ADD(f, start, x);
}

static void
check_lengths(Flattener *f, Level *lv, const char *kind, int nval, const Val *a, const Val *b)
{
	Opnd m, n;

	if (a->segdes && a->segdes == b->segdes)
		return;
	m = seq_length(f, a);
	n = seq_length(f, b);
	if (!same_opnd(m, n))
		check_at(f, lv, kind, compare(f, FLAN_eq, m, n), nval, (Opnd[]){m, n, opnd_int(1)});
}

static Val *
permute(Flattener *f, Level *lv, Val **arg)
{
	Val *v = val_densify(f, val_at(f, arg[0], lv), false), *i = val_densify(f, val_at(f, arg[1], lv), false);
	Opnd at, ok, n;

	check_lengths(f, lv, "bad-permute", 3, i, v);
	at = absolute(f, lv, "bad-permute", i, v);
	ok = EMIT(f, FLAN_permute_ok, false, &ty_bools, at);
	n = i->segdes ? EMIT(f, FLAN_dist, true, &ty_ints, opnd_var(i->segdes), seq_length(f, i)) : seq_length(f, i);
	check_elements(f, lv, i->segdes, "bad-permute", ok, 2, (Opnd[]){i->elem->x, n});
	at = EMIT(f, FLAN_permute, false, v->elem->x.u.var->ty, v->elem->x, at);
	return val_dense(f, lv, v->segdes, val_base(f, NULL, v->elem->ty, at));
}

/* A literal of one value as that value, of which no vector need be made. */
static Val *
of_one(Flattener *f, Level *lv, Val *v)
{
	const Bind *b = v->segdes ? NULL : made_by(f, v->elem->x);
	const Ty *ty = v->elem->x.kind == OPND_VAR ? v->elem->x.u.var->ty : NULL;

	if (!b || b->op != FLAN_vector || b->narg != 1)
		return v;
	return val_dense(f, lv, NULL, val_base(f, NULL, v->elem->ty, EMIT(f, FLAN_dist, false, ty, b->arg[0], opnd_int(1))));
}

static Val *
put(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	Val *v = of_one(f, lv, val_densify(f, val_at(f, arg[0], lv), false));
	Val *i = of_one(f, lv, val_densify(f, val_at(f, arg[1], lv), false));
	Val *d = val_at(f, arg[2], lv);
	Opnd r;

	check_lengths(f, lv, "length-mismatch", 2, v, i);
	if (writes_store(f, b)) {
		store_elements(f, d->elem, v->elem, absolute(f, lv, "index-range", i, d));
		return d;
	}
	d = val_to_write(f, d);
	r = EMIT(f, FLAN_put, false, d->elem->x.u.var->ty, v->elem->x, absolute(f, lv, "index-range", i, d),
	         d->elem->x);
	return val_dense(f, lv, d->segdes, val_base(f, NULL, d->elem->ty, r));
}

/* What comes to a place, folded, and then with what d has there. */
static Val *
put_folded(Flattener *f, Level *lv, Val **arg, int op, int fold)
{
	Val *v = val_densify(f, val_at(f, arg[0], lv), false), *i = val_densify(f, val_at(f, arg[1], lv), false);
	Val *d = val_densify(f, val_at(f, arg[2], lv), false);
	Opnd n = EMIT(f, FLAN_length, false, &ty_int, d->elem->x), r;

	check_lengths(f, lv, "length-mismatch", 2, v, i);
	r = EMIT(f, op, false, &ty_ints, v->elem->x, absolute(f, lv, "index-range", i, d), n);
	return val_dense(f, lv, d->segdes, val_base(f, NULL, d->elem->ty, EMIT(f, fold, true, &ty_ints, d->elem->x, r)));
}

/* All elements by the rows of d's, which are as many as come to each. */
static Val *
group_op(Flattener *f, Level *lv, Val **arg)
{
	Val *v = val_densify(f, val_at(f, arg[0], lv), false), *i = val_densify(f, val_at(f, arg[1], lv), false);
	Val *d = val_densify(f, val_at(f, arg[2], lv), false);
	Opnd n = EMIT(f, FLAN_length, false, &ty_int, i->elem->x), rows = EMIT(f, FLAN_length, false, &ty_int, d->elem->x), at, s;

	check_lengths(f, lv, "length-mismatch", 2, v, i);
	at = absolute(f, lv, "index-range", i, d);
	s = EMIT(f, FLAN_dist, false, &ty_ints, opnd_int(1), n);
	s = EMIT(f, FLAN_segdes, false, &ty_segdes, EMIT(f, FLAN_put_sum, false, &ty_ints, s, at, rows));
	at = EMIT(f, FLAN_group, false, &ty_ints, s, at, EMIT(f, FLAN_iota, false, &ty_ints, column_count(f, v->elem)));
	return val_dense(f, lv, d->segdes, val_dense(f, NULL, s.u.var, val_gather(f, v->elem, at)));
}

/* The kept elements of v; kept: their positions among the elements, s: the descriptor that results. */
static Val *
pack_one(Flattener *f, Level *lv, Val *v, Opnd kept, Var *s)
{
	if (!lv->parent)
		return val_dense(f, lv, NULL, val_gather(f, v->elem, ADD(f, kept, seq_start(f, v))));
	if (v->view) {
		Opnd sd = EMIT(f, FLAN_segdes, false, &ty_segdes, v->length);
		Opnd at = EMIT(f, FLAN_dist, true, &ty_ints, sd, v->start);

		at = ADD(f, at, EMIT(f, FLAN_iota, true, &ty_ints, sd));
		kept = EMIT(f, FLAN_gather, false, &ty_ints, at, kept);
	}
	return val_dense(f, lv, s, val_gather(f, v->elem, kept));
}

void
pack_op(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	Val *flags = val_densify(f, val_at(f, arg[0], lv), false);
	Opnd out[2] = {{0}};

	if (lv->parent)
		emit_many(f, FLAN_pack, true, 2, (const Ty *[]){&ty_segdes, &ty_ints}, 2,
		          (Opnd[]){opnd_var(flags->segdes), flags->elem->x}, out);
	else
		out[1] = EMIT(f, FLAN_pack, false, &ty_ints, flags->elem->x);
	for (int i = 0; i < b->ndst; i++)
		env_set(f, b->dst[i], pack_one(f, lv, val_at(f, arg[i + 1], lv), out[1], out[0].u.var));
}

/* -- apply-to-each ------------------------------------------------------------------------------ */

/* The sequences, of a level, were found to have rows of the same lengths.  Where these are numbers of the host it has looked,
 * so what follows may rely on it: they are one number, that which was there first. */
static void
take_one_length(Flattener *f, int n, Val **v)
{
	Opnd k = opnd_int(0);

	for (int i = 0; i < n; i++) {
		const Opnd own = constant_of(f, seq_length(f, v[i]));

		if (is_vector(own))
			return;
		if (i == 0 || own.kind != OPND_VAR || (k.kind == OPND_VAR && own.u.var->id < k.u.var->id))
			k = own;
	}
	for (int i = 0; i < n; i++)
		v[i] = val_of_length(f, v[i], k);
}

Level *
foreach_enter(Flattener *f, const Bind *b)
{
	Level *outer = f->cur, *in;
	Block *body = b->block[0];
	Val **source = NEW(f->arena, Val *, b->narg), *elem, *r;
	int main = 0;

	for (int i = 0; i < b->narg; i++)
		source[i] = val_at(f, use(f, b->arg[i]), outer);
	while (main < b->narg && source[main]->view)
		main++;
	if (main == b->narg)
		main = 0;
	source[main] = val_densify(f, source[main], false);
	for (int i = 1; i < b->narg; i++)
		check_lengths(f, outer, "length-mismatch", 2, source[0], source[i]);
	if (outer->parent && b->narg > 1)
		take_one_length(f, b->narg, source);
	in = level_of_elements(f, source[main], &elem);
	for (int i = 0; i < b->narg; i++) {
		r = i == main ? elem : val_densify(f, source[i], false)->elem;
		env_set(f, body->param[i], val_with_level(f, r, in));
	}
	return in;
}

Val *
foreach_leave(Flattener *f, Level *outer, Level *in, Val *result)
{
	return val_dense(f, outer, in->segdes, val_lift(f, result, in));
}

Val *
foreach_op(Flattener *f, const Bind *b)
{
	Level *outer = f->cur;
	Val *r;

	f->cur = foreach_enter(f, b);
	flatten_block(f, b->block[0]);
	r = foreach_leave(f, outer, f->cur, use(f, b->block[0]->yield[0]));
	f->cur = outer;
	return r;
}

Val *
sequence_op(Flattener *f, const Bind *b, Level *lv, Val **arg)
{
	switch (b->op) {
	case NORMAL_seq: return literal(f, b, lv, arg);
	case NORMAL_string: return string(f, b);
	case NORMAL_length: return val_base(f, arg[0]->level, &ty_int, seq_length(f, arg[0]));
	case NORMAL_positions: return positions(f, lv, arg[0]);
	case NORMAL_elt: return elt(f, lv, arg);
	case NORMAL_subseq: return subseq(f, lv, arg);
	case NORMAL_range: return range(f, lv, arg);
	case NORMAL_dist: return dist(f, lv, arg);
	case NORMAL_append: return append(f, b, lv, arg);
	case NORMAL_flatten: return flatten_op(f, lv, arg);
	case NORMAL_rank: return like(f, FLAN_rank, &ty_int, arg[0]);
	case NORMAL_rank_down: return like(f, FLAN_rank_down, &ty_int, arg[0]);
	case NORMAL_sort: return like(f, FLAN_sort, b->dst[0]->ty->a, arg[0]);
	case NORMAL_permute: return permute(f, lv, arg);
	case NORMAL_put: return put(f, b, lv, arg);
	case NORMAL_put_sum: return put_folded(f, lv, arg, FLAN_put_sum, FLAN_add);
	case NORMAL_put_max: return put_folded(f, lv, arg, FLAN_put_max, FLAN_max);
	case NORMAL_group: return group_op(f, lv, arg);
	default: ice(f->span, "flatten", "no rule for %s", normal_ir.op[b->op].name);
	}
}

/* represent.c: values in flat vectors (see represent.h).
 *
 * How  Blelloch & Sabot, JPDC 8(2), 1990, for the representation of nested sequences; views as in
 *      Futhark's `Replicated` arrays, but carried in the value instead of re-declared at each use. */
#include "flatten/flattener.h"

static Val *
val_new(Flattener *f, ValKind kind, const Ty *ty, Level *lv)
{
	Val *v = NEW(f->arena, Val, 1);

	v->kind = kind;
	v->ty = ty;
	v->level = lv;
	return v;
}

Val *
val_base(Flattener *f, Level *lv, const Ty *ty, Opnd x)
{
	Val *v = val_new(f, VAL_BASE, ty, lv);

	v->x = x;
	return v;
}

Val *
val_pair(Flattener *f, const Val *of)
{
	Val *v = val_new(f, VAL_PAIR, ty_pair(f->arena, of->a->ty, of->b->ty), NULL);

	v->a = of->a;
	v->b = of->b;
	return v;
}

Val *
val_dense(Flattener *f, Level *lv, Var *segdes, Val *elem)
{
	Val *v = val_new(f, VAL_SEQ, ty_seq(f->arena, elem->ty), lv);

	v->segdes = segdes;
	v->elem = elem;
	return v;
}

Val *
val_view(Flattener *f, Level *lv, const Val *of)
{
	Val *v = val_new(f, VAL_SEQ, ty_seq(f->arena, of->elem->ty), lv);

	v->view = true;
	v->start = of->start;
	v->length = of->length;
	v->elem = of->elem;
	return v;
}

bool
at_host(const Val *v)
{
	return v->level && !v->level->parent;
}

int
val_leaves(const Val *v, Opnd *out)
{
	int n = 0;

	switch (v->kind) {
	case VAL_BASE:
		if (out)
			out[0] = v->x;
		return 1;
	case VAL_PAIR:
		n = val_leaves(v->a, out);
		return n + val_leaves(v->b, out ? out + n : NULL);
	case VAL_SEQ:
		if (v->view) {
			if (out) {
				out[0] = v->start;
				out[1] = v->length;
			}
			n = 2;
		} else if (v->even || v->segdes) {
			if (out)
				out[0] = v->even ? v->length : opnd_var(v->segdes);
			n = 1;
		}
		return n + val_leaves(v->elem, out ? out + n : NULL);
	}
	return n;
}

int
all_leaves(Flattener *f, int n, Val *const *v, Opnd **leaf)
{
	int m = 0, k = 0;

	for (int i = 0; i < n; i++)
		m += val_leaves(v[i], NULL);
	*leaf = NEW(f->arena, Opnd, m);
	for (int i = 0; i < n; i++)
		k += val_leaves(v[i], *leaf + k);
	return m;
}

Val *
val_replace(Flattener *f, const Val *shape, const Opnd **leaf)
{
	Val *v;

	if (is_store(f, shape) && same_opnd(shape->x, **leaf)) {
		(*leaf)++;
		return (Val *)shape;
	}
	v = NEW(f->arena, Val, 1);
	*v = *shape;
	v->pieces = NULL;
	switch (v->kind) {
	case VAL_BASE:
		v->x = *(*leaf)++;
		break;
	case VAL_PAIR:
		v->a = val_replace(f, shape->a, leaf);
		v->b = val_replace(f, shape->b, leaf);
		break;
	case VAL_SEQ:
		if (v->view) {
			v->start = *(*leaf)++;
			v->length = *(*leaf)++;
		} else if (v->even) {
			v->length = *(*leaf)++;
		} else if (v->segdes) {
			v->segdes = (*leaf)++->u.var;
		}
		v->elem = val_replace(f, shape->elem, leaf);
		break;
	}
	return v;
}

bool
val_same(const Val *a, const Val *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case VAL_BASE:
		return same_opnd(a->x, b->x);
	case VAL_PAIR:
		return val_same(a->a, b->a) && val_same(a->b, b->b);
	case VAL_SEQ:
		if (a->view != b->view || a->segdes != b->segdes)
			return false;
		if (a->view && !(same_opnd(a->start, b->start) && same_opnd(a->length, b->length)))
			return false;
		return val_same(a->elem, b->elem);
	}
	return false;
}

bool
val_has_views(const Val *v)
{
	switch (v->kind) {
	case VAL_BASE: return false;
	case VAL_PAIR: return val_has_views(v->a) || val_has_views(v->b);
	case VAL_SEQ: break;
	}
	return v->view || val_has_views(v->elem);
}

/* -- sequences ------------------------------------------------------------------------------------ */

Opnd
column_count(Flattener *f, const Val *c)
{
	switch (c->kind) {
	case VAL_BASE:
		return EMIT(f, FLAN_length, false, &ty_int, c->x);
	case VAL_PAIR:
		return column_count(f, c->a);
	case VAL_SEQ:
		if (c->view)
			return EMIT(f, FLAN_length, false, &ty_int, c->start);
		break;
	}
	return EMIT(f, FLAN_rows, false, &ty_int, opnd_var(c->segdes));
}

Opnd
seq_length(Flattener *f, const Val *v)
{
	if (v->view)
		return v->length;
	if (v->segdes)
		return EMIT(f, FLAN_lengths, false, &ty_ints, opnd_var(v->segdes));
	return column_count(f, v->elem);
}

Opnd
seq_start(Flattener *f, const Val *v)
{
	if (v->view)
		return v->start;
	if (v->segdes)
		return EMIT(f, FLAN_starts, false, &ty_ints, opnd_var(v->segdes));
	return opnd_int(0);
}

Val *
gather_rows(Flattener *f, const Val *v, Level *lv, Opnd idx)
{
	Opnd start, length;

	if (v->view) {
		start = EMIT(f, FLAN_gather, false, &ty_ints, v->start, idx);
		length = EMIT(f, FLAN_gather, false, &ty_ints, v->length, idx);
	} else {
		start = EMIT(f, FLAN_row_start, true, &ty_ints, opnd_var(v->segdes), idx);
		length = EMIT(f, FLAN_row_length, true, &ty_ints, opnd_var(v->segdes), idx);
	}
	return VIEW(f, lv, start, length, v->elem);
}

Val *
val_gather(Flattener *f, const Val *c, Opnd idx)
{
	switch (c->kind) {
	case VAL_BASE:
		return val_base(f, NULL, c->ty, EMIT(f, FLAN_gather, false, ty_vec(c->ty), c->x, idx));
	case VAL_PAIR:
		return PAIR(f, val_gather(f, c->a, idx), val_gather(f, c->b, idx));
	case VAL_SEQ:
		break;
	}
	return gather_rows(f, c, NULL, idx);
}

Val *
val_densify(Flattener *f, Val *v, bool deep)
{
	Val *elem;
	Var *s = v->segdes;

	if (v->kind == VAL_PAIR)
		return PAIR(f, val_densify(f, v->a, deep), val_densify(f, v->b, deep));
	if (v->kind == VAL_BASE)
		return v;
	elem = v->elem;
	if (v->view && at_host(v)) {
		Opnd i = EMIT(f, FLAN_iota, false, &ty_ints, v->length);

		elem = val_gather(f, elem, ADD(f, i, v->start));
	} else if (v->view) {
		Opnd sd = EMIT(f, FLAN_segdes, false, &ty_segdes, v->length);
		Opnd at = EMIT(f, FLAN_dist, true, &ty_ints, sd, v->start);
		Opnd in = EMIT(f, FLAN_iota, true, &ty_ints, sd);

		s = sd.u.var;
		elem = val_gather(f, elem, ADD(f, at, in));
	}
	if (deep)
		elem = val_densify(f, elem, true);
	return val_dense(f, v->level, s, elem);
}

static Opnd
append(Flattener *f, const Ty *ty, int n, const Opnd *x)
{
	return n == 1 ? x[0] : emit(f, FLAN_append, false, ty, n, x);
}

static bool
all_share(int n, Val **c)
{
	for (int i = 1; i < n; i++)
		if (!val_same(c[0]->elem, c[i]->elem))
			return false;
	return true;
}

static Val *
concat_rows(Flattener *f, int n, Val **c)
{
	Opnd *x = NEW(f->arena, Opnd, n), *y = NEW(f->arena, Opnd, n);
	Val **elem = NEW(f->arena, Val *, n);
	Opnd s;

	if (all_share(n, c)) {
		for (int i = 0; i < n; i++) {
			x[i] = seq_start(f, c[i]);
			y[i] = seq_length(f, c[i]);
		}
		return VIEW(f, NULL, append(f, &ty_ints, n, x), append(f, &ty_ints, n, y), c[0]->elem);
	}
	for (int i = 0; i < n; i++) {
		Val *d = val_densify(f, c[i], true);

		x[i] = opnd_var(d->segdes);
		elem[i] = d->elem;
	}
	s = emit(f, FLAN_concat, false, &ty_segdes, n, x);
	return val_dense(f, NULL, s.u.var, val_concat(f, n, elem));
}

Val *
val_concat(Flattener *f, int n, Val **c)
{
	Opnd *x = NEW(f->arena, Opnd, n);
	Val **a = NEW(f->arena, Val *, n), **b = NEW(f->arena, Val *, n);

	switch (c[0]->kind) {
	case VAL_BASE:
		for (int i = 0; i < n; i++)
			x[i] = c[i]->x;
		return val_base(f, NULL, c[0]->ty, append(f, ty_vec(c[0]->ty), n, x));
	case VAL_PAIR:
		for (int i = 0; i < n; i++) {
			a[i] = c[i]->a;
			b[i] = c[i]->b;
		}
		return PAIR(f, val_concat(f, n, a), val_concat(f, n, b));
	case VAL_SEQ:
		break;
	}
	return concat_rows(f, n, c);
}

/* -- shapes ------------------------------------------------------------------------------------------ */

bool
val_same_shape(const Val *a, const Val *b)
{
	if (a->kind != b->kind || a->level != b->level || a->even != b->even)
		return false;
	switch (a->kind) {
	case VAL_BASE:
		return true;
	case VAL_PAIR:
		return val_same_shape(a->a, b->a) && val_same_shape(a->b, b->b);
	case VAL_SEQ:
		break;
	}
	return a->view == b->view && val_same_shape(a->elem, b->elem);
}

Val *
val_join_shape(Flattener *f, const Val *a, const Val *b)
{
	Val *v = NEW(f->arena, Val, 1);

	*v = *a;
	v->pieces = NULL;
	if (a->kind == VAL_PAIR) {
		v->a = val_join_shape(f, a->a, b->a);
		v->b = val_join_shape(f, a->b, b->b);
		return v;
	}
	v->level = a->level ? deeper(a->level, b->level) : NULL;
	v->even = a->even && b->even;
	if (a->kind == VAL_SEQ) {
		v->view = a->view || b->view || a->level != b->level;
		v->segdes = a->even && !b->even ? b->segdes : a->segdes;
		v->elem = val_join_shape(f, a->elem, b->elem);
	}
	return v;
}

Val *
val_convert(Flattener *f, Val *v, const Val *shape)
{
	Val *elem;

	if (v->kind == VAL_PAIR)
		return PAIR(f, val_convert(f, v->a, shape->a), val_convert(f, v->b, shape->b));
	v = val_from_edge(f, v);
	if (shape->level)
		v = val_at(f, v, shape->level);
	if (v->kind == VAL_SEQ) {
		elem = val_convert(f, v->elem, shape->elem);
		v = shape->view ? VIEW(f, v->level, seq_start(f, v), seq_length(f, v), elem)
		                : val_dense(f, v->level, v->segdes, elem);
	}
	return shape->even ? val_to_edge(f, v) : v;
}

static bool
made_outside(Flattener *f, const Val *v, int depth_outside)
{
	int n = val_leaves(v, NULL);
	Opnd *leaf = NEW(f->arena, Opnd, n);

	if (is_store(f, v))
		return true;
	if (v->kind == VAL_PAIR)
		return made_outside(f, v->a, depth_outside) && made_outside(f, v->b, depth_outside);
	val_leaves(v, leaf);
	for (int i = 0; i < n; i++)
		if (leaf[i].kind == OPND_VAR && var_depth(f, leaf[i].u.var) > depth_outside)
			return false;
	return true;
}

static Opnd
no_elements(Flattener *f, const Ty *base)
{
	return emit(f, FLAN_vector, false, ty_vec(base), 0, NULL);
}

Opnd
zero_of(const Ty *ty)
{
	if (ty->kind == TY_FLOAT)
		return opnd_float(0.0);
	if (ty->kind == TY_BOOL)
		return opnd_bool(false);
	return ty->kind == TY_CHAR ? opnd_char(0) : opnd_int(0);
}

Val *
val_nothing(Flattener *f, const Val *shape, int outside)
{
	bool host = at_host(shape);
	Opnd none;
	Val *elem, *v;
	Var *s = NULL;

	if (shape->kind == VAL_PAIR)
		return PAIR(f, val_nothing(f, shape->a, outside), val_nothing(f, shape->b, outside));
	if (shape->kind == VAL_BASE) {
		none = host && made_outside(f, shape, outside) ? shape->x
		       : host || shape->even ? zero_of(shape->ty) : no_elements(f, shape->ty);
		v = val_base(f, shape->level, shape->ty, none);
	} else if (shape->view) {
		elem = made_outside(f, shape->elem, outside) ? shape->elem : val_nothing(f, shape->elem, outside);
		none = host ? opnd_int(0) : no_elements(f, &ty_int);
		v = VIEW(f, shape->level, none, shape->even ? opnd_int(0) : none, elem);
	} else {
		elem = val_nothing(f, shape->elem, outside);
		if (!host && !shape->even)
			s = EMIT(f, FLAN_uniform, false, &ty_segdes, opnd_int(0), opnd_int(0)).u.var;
		v = val_dense(f, shape->level, s, elem);
		v->length = opnd_int(0);
	}
	v->even = shape->even;
	return v;
}

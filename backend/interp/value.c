/* value.c: pairs and sequences, counted; columns to and from leaves. */
#include "backend/interp/value.h"
#include <stdlib.h>
#include <string.h>

const nesl_site *value_form;

void
value_no_memory(void)
{
	fflush(stdout);
	if (value_form)
		nesl_site_print(stderr, value_form, "out of memory");
	else
		fprintf(stderr, "nessie: out of memory\n");
	exit(4);
}

static void *
allocate(i64 n, size_t size)
{
	void *at = n <= INT64_MAX / 8 ? calloc(n > 0 ? (size_t)n : 1, size) : NULL;

	if (!at)
		value_no_memory();
	return at;
}

static size_t
element_size(const Ty *t)
{
	return t->kind == TY_BOOL ? sizeof(b8) : t->kind == TY_CHAR ? sizeof(c32) : 8;
}

/* -- owners ----------------------------------------------------------------------------------- */
bool
value_boxed(const Ty *t)
{
	return t->kind == TY_PAIR || t->kind == TY_SEQ;
}

Value
value_keep(Value v, const Ty *t)
{
	if (t->kind == TY_SEQ)
		v.s->refs++;
	else if (t->kind == TY_PAIR)
		v.p->refs++;
	return v;
}

static void
seq_drop(Seq *s)
{
	if (!s || --s->refs > 0)
		return;
	if (s->elem->kind == TY_PAIR) {
		seq_drop(s->data);
		seq_drop(s->other);
	} else if (s->other) {
		seq_drop(s->other);
	} else {
		if (s->elem->kind == TY_SEQ)
			for (i64 i = 0; i < s->n; i++)
				seq_drop(((Seq **)s->data)[i]);
		free(s->data);
	}
	free(s);
}

void
value_drop(Value v, const Ty *t)
{
	if (t->kind == TY_SEQ) {
		seq_drop(v.s);
	} else if (t->kind == TY_PAIR && v.p && --v.p->refs == 0) {
		value_drop(v.p->a, t->a);
		value_drop(v.p->b, t->b);
		free(v.p);
	}
}

Value
value_pair(Value a, Value b)
{
	Value v = {.p = allocate(1, sizeof(Pair))};

	*v.p = (Pair){1, a, b};
	return v;
}

/* -- sequences -------------------------------------------------------------------------------- */
static Seq *
seq_header(const Ty *elem, i64 n, void *data, Seq *other)
{
	Seq *s = allocate(1, sizeof *s);

	*s = (Seq){1, n, elem, data, other};
	return s;
}

Seq *
seq_new(const Ty *elem, i64 n)
{
	if (elem->kind == TY_PAIR)
		return seq_header(elem, n, seq_new(elem->a, n), seq_new(elem->b, n));
	return seq_header(elem, n, allocate(n, element_size(elem)), NULL);
}

Value
seq_get(const Seq *s, i64 k)
{
	switch (s->elem->kind) {
	case TY_INT: return (Value){.i = ((i64 *)s->data)[k]};
	case TY_FLOAT: return (Value){.f = ((f64 *)s->data)[k]};
	case TY_BOOL: return (Value){.i = ((b8 *)s->data)[k]};
	case TY_CHAR: return (Value){.i = ((c32 *)s->data)[k]};
	case TY_PAIR: return value_pair(seq_get(s->data, k), seq_get(s->other, k));
	case TY_SEQ: return value_keep((Value){.s = ((Seq **)s->data)[k]}, s->elem);
	case TY_VEC:
	case TY_SEGDES:
	case TY_UNIFORM: break;
	}
	ice((Span){0}, "interp", "a sequence of vectors");
}

void
seq_set(Seq *s, i64 k, Value v)
{
	switch (s->elem->kind) {
	case TY_INT: ((i64 *)s->data)[k] = v.i; break;
	case TY_FLOAT: ((f64 *)s->data)[k] = v.f; break;
	case TY_BOOL: ((b8 *)s->data)[k] = (b8)v.i; break;
	case TY_CHAR: ((c32 *)s->data)[k] = (c32)v.i; break;
	case TY_PAIR:
		seq_set(s->data, k, value_keep(v.p->a, s->elem->a));
		seq_set(s->other, k, value_keep(v.p->b, s->elem->b));
		value_drop(v, s->elem);
		break;
	case TY_SEQ:
		seq_drop(((Seq **)s->data)[k]);
		((Seq **)s->data)[k] = v.s;
		break;
	case TY_VEC:
	case TY_SEGDES:
	case TY_UNIFORM: ice((Span){0}, "interp", "a sequence of vectors");
	}
}

void
seq_copy(Seq *to, i64 at, const Seq *from, i64 k, i64 n)
{
	if (to->elem->kind == TY_PAIR) {
		seq_copy(to->data, at, from->data, k, n);
		seq_copy(to->other, at, from->other, k, n);
	} else if (to->elem->kind == TY_SEQ) {
		for (i64 i = 0; i < n; i++)
			seq_set(to, at + i, seq_get(from, k + i));
	} else if (n > 0) {
		size_t size = element_size(to->elem);

		memcpy((char *)to->data + (size_t)at * size, (char *)from->data + (size_t)k * size, (size_t)n * size);
	}
}

Seq *
seq_slice(Seq *s, i64 from, i64 to)
{
	Seq *owner = s->other ? s->other : s;

	if (s->elem->kind == TY_PAIR)
		return seq_header(s->elem, to - from, seq_slice(s->data, from, to), seq_slice(s->other, from, to));
	owner->refs++;
	return seq_header(s->elem, to - from, (char *)s->data + (size_t)from * element_size(s->elem), owner);
}

/* What has the type already is done, as owners of slices are met once for each slice. */
static void
seq_retype(Seq *s, const Ty *elem)
{
	if (!s || s->elem == elem)
		return;
	s->elem = elem;
	if (elem->kind == TY_PAIR) {
		seq_retype(s->data, elem->a);
		seq_retype(s->other, elem->b);
		return;
	}
	seq_retype(s->other, elem);
	for (i64 i = 0; elem->kind == TY_SEQ && i < s->n; i++)
		seq_retype(((Seq **)s->data)[i], elem->a);
}

void
value_retype(Value v, const Ty *t)
{
	if (t->kind == TY_SEQ)
		seq_retype(v.s, t->a);
	else if (t->kind == TY_PAIR) {
		value_retype(v.p->a, t->a);
		value_retype(v.p->b, t->b);
	}
}

/* -- from leaves ------------------------------------------------------------------------------ */
static Seq *
column_from_leaves(const Ty *elem, i64 n, nesl_leaf **leaf)
{
	nesl_leaf *l = *leaf;
	Seq *s, *inner, *b;
	i64 *off;

	if (elem->kind == TY_PAIR) {
		s = column_from_leaves(elem->a, n, leaf);
		b = column_from_leaves(elem->b, n, leaf);
		return seq_header(elem, n, s, b);
	}
	++*leaf;
	if (elem->kind != TY_SEQ) {
		s = seq_header(elem, n, l->data, NULL);
		l->data = NULL;
		return s;
	}
	off = l->data;
	inner = column_from_leaves(elem->a, off[n], leaf);
	s = seq_new(elem, n);
	for (i64 i = 0; i < n; i++)
		seq_set(s, i, (Value){.s = seq_slice(inner, off[i], off[i + 1])});
	seq_drop(inner);
	return s;
}

Value
value_from_leaves(const Ty *t, nesl_leaf **leaf)
{
	nesl_leaf *l = *leaf;
	Value a, v;

	if (t->kind == TY_SEQ) {
		v.s = column_from_leaves(t->a, l->count - (l->kind == LEAF_OFFSETS), leaf);
		return v;
	}
	if (t->kind == TY_PAIR) {
		a = value_from_leaves(t->a, leaf);
		return value_pair(a, value_from_leaves(t->b, leaf));
	}
	++*leaf;
	switch (l->base) {
	case 'f': return (Value){.f = *(f64 *)l->data};
	case 'b': return (Value){.i = *(b8 *)l->data};
	case 'c': return (Value){.i = *(c32 *)l->data};
	default: return (Value){.i = *(i64 *)l->data};
	}
}

/* -- to leaves -------------------------------------------------------------------------------- */
static void
leaf_add(nesl_leaf *l, const void *from, i64 n, size_t size)
{
	size_t had = (size_t)l->count * size;
	void *data = realloc(l->data, had + (size_t)n * size + 1);

	if (!data)
		value_no_memory();
	l->data = data;
	if (n > 0)
		memcpy((char *)data + had, from, (size_t)n * size);
	l->count += n;
}

static nesl_leaf *
leaf_after(const Ty *elem, nesl_leaf *l)
{
	if (elem->kind == TY_PAIR)
		return leaf_after(elem->b, leaf_after(elem->a, l));
	return elem->kind == TY_SEQ ? leaf_after(elem->a, l + 1) : l + 1;
}

static i64
shown(const Seq *s, i64 limit)
{
	return s->elem->kind != TY_CHAR && s->n > limit ? limit : s->n;
}

/* Appends the first n elements to the leaves from l on. */
static void
column_to_leaves(const Seq *s, i64 n, i64 limit, nesl_leaf *l)
{
	static const i64 zero = 0;

	if (s->elem->kind == TY_PAIR) {
		column_to_leaves(s->data, n, limit, l);
		column_to_leaves(s->other, n, limit, leaf_after(s->elem->a, l));
		return;
	}
	if (s->elem->kind != TY_SEQ) {
		leaf_add(l, s->data, n, element_size(s->elem));
		return;
	}
	if (l->count == 0)
		leaf_add(l, &zero, 1, sizeof zero);
	for (i64 i = 0; i < n; i++) {
		const Seq *row = ((Seq **)s->data)[i];
		i64 end = ((i64 *)l->data)[l->count - 1] + shown(row, limit);

		column_to_leaves(row, shown(row, limit), limit, l + 1);
		leaf_add(l, &end, 1, sizeof end);
	}
}

nesl_leaf *
value_to_leaves(const Ty *t, Value v, i64 limit, nesl_leaf *leaf)
{
	if (t->kind == TY_PAIR)
		return value_to_leaves(t->b, v.p->b, limit, value_to_leaves(t->a, v.p->a, limit, leaf));
	leaf->count = 0;
	if (t->kind == TY_SEQ) {
		column_to_leaves(v.s, shown(v.s, limit), limit, leaf);
		return leaf_after(t->a, leaf);
	}
	if (t->kind == TY_BOOL)
		leaf_add(leaf, &(b8){(b8)v.i}, 1, sizeof(b8));
	else if (t->kind == TY_CHAR)
		leaf_add(leaf, &(c32){(c32)v.i}, 1, sizeof(c32));
	else
		leaf_add(leaf, &v, 1, 8);
	return leaf + 1;
}

/* -- printing --------------------------------------------------------------------------------- */
void
value_print(FILE *out, const char *type, const Ty *const *ty, const Value *v, int n, i64 limit)
{
	int nleaf = nesl_type_leaves(type, NULL, 0);
	nesl_leaf *leaf, *next;

	if (nleaf < 0)
		ice((Span){0}, "interp", "no type %s", type);
	next = leaf = calloc((size_t)nleaf, sizeof *leaf);
	if (!leaf)
		value_no_memory();
	nesl_type_leaves(type, leaf, nleaf);
	for (int i = 0; i < n; i++)
		next = value_to_leaves(ty[i], v[i], limit + 1, next);
	nesl_print_value(out, type, leaf, limit);
	for (int i = 0; i < nleaf; i++)
		free(leaf[i].data);
	free(leaf);
}

/* debug.c: facts as checks.
 *
 * The first variable that an unknown of a size is seen in is its witness; from the witnesses a size of other variables is
 * computed, and compared with what they are.  totask reads each length anew then, not only one of a class. */
#include "shape/debug.h"
#include "flatten/flan.h"
#include "shape/place.h"
#include "shape/text.h"

struct Witness {
	const Atom *atom;
	Opnd is;                        /* int or bool, or a vector of them */
	const Size *length;             /* of a vector */
	Witness *before;
};

int
debug_mark(const Walk *w)
{
	return w->witness.n;
}

void
debug_forget(Walk *w, int mark)
{
	while (w->witness.n > mark) {
		const Witness *x = w->witness.at[--w->witness.n];

		*map_at(w->by_atom, x->atom) = x->before;
		*map_at(w->size_names, x->atom) = NULL;
	}
}

static void
witness(Walk *w, const Atom *a, Opnd is, const Size *length, const char *name)
{
	Witness *x = NEW(w->arena, Witness, 1);
	void **at = map_at(w->by_atom, a);

	*x = (Witness){a, is, length, *at};
	*at = x;
	*map_at(w->size_names, a) = (void *)name;
	LIST_ADD(w->arena, &w->witness, x);
}

/* -- what is emitted -------------------------------------------------------------------------------- */

static Bind *
bind(Walk *w, int op, bool lifted, int ndst, int narg, const Opnd *arg, Span at)
{
	Bind *b = bind_new(w->to, w->out, op, ndst, narg, 0, at);

	b->lifted = lifted;
	for (int i = 0; i < narg; i++)
		b->arg[i] = arg[i];
	return b;
}

static Opnd
result(Walk *w, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg, Span at)
{
	Bind *b = bind(w, op, lifted, 1, narg, arg, at);

	b->dst[0] = var_new(w->to, "fact", ty);
	return opnd_var(b->dst[0]);
}

static Opnd
arithmetic(Walk *w, int op, Opnd a, Opnd b, Span at)
{
	bool lifted = is_vector(a) || is_vector(b);

	return result(w, op, lifted, lifted ? &ty_ints : &ty_int, 2, (Opnd[]){a, b}, at);
}

/* A bool, or each of a vector of them, as int. */
static Opnd
as_int(Walk *w, Opnd x, Span at)
{
	const bool vector = is_vector(x);

	if ((vector ? opnd_ty(x)->a : opnd_ty(x))->kind != TY_BOOL)
		return x;
	return result(w, FLAN_btoi, vector, vector ? &ty_ints : &ty_int, 1, &x, at);
}

/* What an atom that can be seen is, as int or ints; n: how many. */
static Opnd
seen(Walk *w, const Atom *a, Opnd n, Span at)
{
	const Witness *x = *map_at(w->by_atom, a);

	return a->self == size_place(w->z) ? result(w, FLAN_iota, false, &ty_ints, 1, &n, at) : as_int(w, x->is, at);
}

static bool
can_see(Walk *w, const Size *s, const Size *length)
{
	for (int i = 0; i < s->n; i++)
		for (int j = 0; j < s->product[i].n; j++) {
			const Atom *a = s->product[i].atom[j];
			const Witness *x = *map_at(w->by_atom, a);

			if (a->self != size_place(w->z) && (!x || (a->vector && x->length != length)))
				return false;
		}
	return true;
}

/* The number s, or the numbers, from the witnesses; false: there is none for some part. */
static bool
computed(Walk *w, const Size *s, const Size *length, Opnd n, Opnd *is, Span at)
{
	*is = opnd_int(0);
	if (!can_see(w, s, length))
		return false;
	for (int i = 0; i < s->n; i++) {
		Opnd p = opnd_int(s->product[i].factor);

		for (int j = 0; j < s->product[i].n; j++) {
			const Opnd f = seen(w, s->product[i].atom[j], n, at);

			p = j == 0 && s->product[i].factor == 1 ? f : arithmetic(w, FLAN_mul, p, f, at);
		}
		*is = i == 0 ? p : arithmetic(w, FLAN_add, *is, p, at);
	}
	return true;
}

/* As a kind of check can be called: without blanks, brackets and commas. */
static const char *
kind_of(Walk *w, const char *left, const char *right)
{
	char *s = arena_printf(w->arena, "shape:%s=%s", left, right), *to = s;

	for (const char *from = s; *from; from++)
		if (*from != ' ' && *from != ')')
			*to++ = *from == '(' || *from == ',' ? '.' : *from;
	*to = 0;
	return intern(w->to->names, s);
}

static void
check(Walk *w, int op, Opnd have, Opnd want, const char *kind, Span at)
{
	bool lifted = is_vector(have) || is_vector(want);
	Opnd arg[3] = {have, have, want};
	Bind *b;

	arg[0] = result(w, op, lifted, lifted ? &ty_bools : &ty_bool, 2, (Opnd[]){have, want}, at);
	b = bind(w, FLAN_check, lifted, 0, 3, arg, at);
	b->name = kind;
}

/* have is s, if the witnesses tell; else it is a witness, or if it has elements that are the same, that is checked. */
static void
fact(Walk *w, Opnd have, const Size *s, const Size *length, Opnd n, const char *name, Span at)
{
	Opnd want;

	if (computed(w, s, length, n, &want, at)) {
		if (!same_opnd(have, want))
			check(w, FLAN_eq, as_int(w, have, at), want, kind_of(w, name, size_text(w->arena, w->size_names, s)), at);
	} else if (is_vector(have) && !s->vector) {
		have = as_int(w, have, at);
		want = result(w, FLAN_elem, false, &ty_int, 2, (Opnd[]){have, opnd_int(0)}, at);
		check(w, FLAN_eq, have, want, kind_of(w, name, "uniform"), at);
	} else if (size_atom(s))
		witness(w, size_atom(s), have, length, name);
}

static bool
is_number(const Ty *t)
{
	return t->kind == TY_INT || t->kind == TY_BOOL;
}

/* The length of a row that may be none: where no element asks for it, no check told. */
static bool
row_fact(Walk *w, const Bind *by, Opnd have, const Size *s, const char *name, Span at)
{
	Opnd want, rows, is;

	if (!by || by->op != FLAN_row_length || by->lifted || !computed(w, s, NULL, have, &want, at))
		return false;
	rows = result(w, FLAN_rows, false, &ty_int, 1, by->arg, at);
	is = result(w, FLAN_in_range, false, &ty_bool, 2, (Opnd[]){by->arg[1], rows}, at);
	have = result(w, FLAN_select, false, &ty_int, 3, (Opnd[]){is, have, want}, at);
	check(w, FLAN_eq, have, want, kind_of(w, name, size_text(w->arena, w->size_names, s)), at);
	return true;
}

void
debug_bound(Walk *w, const Var *v, Shape s, const Bind *by)
{
	const Opnd is = opnd_var((Var *)v);
	const bool segdes = v->ty->kind == TY_SEGDES;
	const Span at = by ? by->span : (Span){0};
	Opnd n, lengths, other;

	if (v->natural)
		check(w, FLAN_ge, is, opnd_int(0), kind_of(w, v->name, "nat"), at);
	if (!s.length) {
		if (is_number(v->ty) && !row_fact(w, by, is, s.value, v->name, at))
			fact(w, is, s.value, NULL, is, v->name, at);
		return;
	}
	n = result(w, segdes ? FLAN_rows : FLAN_length, false, &ty_int, 1, &is, at);
	fact(w, n, s.length, NULL, n, arena_printf(w->arena, "#%s", v->name), at);
	if (!segdes) {
		if (is_number(v->ty->a))
			fact(w, is, s.value, s.length, n, v->name, at);
		return;
	}
	fact(w, result(w, FLAN_total, false, &ty_int, 1, &is, at), size_sum(w->z, s), NULL, n,
		arena_printf(w->arena, "total(%s)", v->name), at);
	lengths = result(w, FLAN_lengths, false, &ty_ints, 1, &is, at);
	fact(w, lengths, s.value, s.length, n, v->name, at);
	if (!w->is_same[v->id])
		return;
	other = w->same[v->id];
	check(w, FLAN_eq, n, result(w, FLAN_rows, false, &ty_int, 1, &other, at), kind_of(w, v->name, other.u.var->name), at);
	check(w, FLAN_eq, lengths, result(w, FLAN_lengths, false, &ty_ints, 1, &other, at), kind_of(w, v->name, other.u.var->name), at);
}

void
debug_proved(Walk *w, const Bind *b)
{
	Bind *n = bind(w, FLAN_check, b->lifted, 0, b->narg, b->arg, b->span);

	n->name = kind_of(w, "proved", b->name);
}

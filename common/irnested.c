/* irnested.c: which functions of normal may be run in nested form, and how a function for rows says that it does what one of them
 * does (Fun.nested; flatten/small.c, backend/nested.c). */
#include "common/ircheck.h"
#include <string.h>

bool
op_nests(const OpInfo *op)
{
	static const char *const forms[] = {"append", "call", "dist", "elt", "flatten", "foreach", "fst", "if", "length", "pack", "pair",
		"positions", "range", "seq", "snd", "string", "subseq"};
	size_t i = 0;

	if (op->cls == OP_SCALAR || op_folds(op))
		return true;
	while (i < sizeof forms / sizeof *forms && strcmp(op->name, forms[i]) != 0)
		i++;
	return i < sizeof forms / sizeof *forms;
}

bool
ty_is_row(const Ty *t)
{
	if (t->kind == TY_PAIR)
		return ty_is_row(t->a) && ty_is_row(t->b);
	return t->kind == TY_SEQ ? scalars_only(t->a) : ty_scalar(t);
}

/* One per row, or the host's. */
static bool
is_number(const Ty *t, const Var *v)
{
	return ty_equal(v->ty, t) || ty_equal(v->ty, ty_vec(t));
}

/* How many of the n variables at v a parameter of this type is; -1: they do not fit. */
static int
leaves_of_row(Arena *ar, const Ty *t, int n, Var *const *v)
{
	TyList column = {0};
	int a, b;

	if (t->kind == TY_PAIR) {
		a = leaves_of_row(ar, t->a, n, v);
		b = a < 0 ? -1 : leaves_of_row(ar, t->b, n - a, v + a);
		return b < 0 ? -1 : a + b;
	}
	if (t->kind != TY_SEQ)
		return n > 0 && is_number(t, v[0]) ? 1 : -1;
	if (n < 3 || !is_number(&ty_int, v[0]) || !ty_equal(v[0]->ty, v[1]->ty) || (ty_scalar(v[0]->ty) && !ty_scalar(t->a)))
		return -1;
	ty_leaves(ar, t->a, true, &column);
	for (int i = 0; i < column.n; i++)
		if (i >= n - 2 || !ty_equal(v[i + 2]->ty, column.at[i]))
			return -1;
	return column.n + 2;
}

static bool
parameters_fit(Arena *ar, const Fun *f, const Fun *of)
{
	int at = 1;

	if (f->nparam == 0 || !ty_equal(f->param[0]->ty, &ty_int))
		return false;
	for (int i = 0; i < of->nparam; i++) {
		const int n = ty_is_row(of->param[i]->ty) ? leaves_of_row(ar, of->param[i]->ty, f->nparam - at, f->param + at) : -1;

		if (n < 0)
			return false;
		at += n;
	}
	return at == f->nparam;
}

static bool
results_fit(const Program *p, const Fun *f, const Fun *of)
{
	TyList leaf = {0};

	if (of->nresult != 1 || !ty_is_row(of->result[0]))
		return false;
	ty_leaves(p->arena, of->result[0], true, &leaf);
	for (int i = 0; i < leaf.n; i++)
		if (i >= f->nresult || !ty_equal(f->result[i], leaf.at[i]))
			return false;
	return leaf.n == f->nresult;
}

static const Bind *
without_form(const Program *p, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next) {
		const Bind *in = op_nests(&p->ir->op[b->op]) && (b->ndst == 1 || strcmp(p->ir->op[b->op].name, "call") != 0) ? NULL : b;

		for (int i = 0; i < b->nblock && !in; i++)
			in = without_form(p, b->block[i]);
		if (in)
			return in;
	}
	return NULL;
}

const char *
nested_check(const Program *p, Span *at)
{
	for (const Fun *f = p->nested ? p->nested->funs : NULL; f; f = f->next) {
		const Bind *b = without_form(p->nested, f->body);

		*at = b ? b->span : f->span;
		if (b)
			return arena_printf(p->arena, "%s: has no nested form", p->nested->ir->op[b->op].name);
		if (f->nresult != 1)
			return arena_printf(p->arena, "%s: is nested, but does not have one result", f->name);
	}
	for (const Fun *f = p->funs; f; f = f->next) {
		const Fun *of = f->nested && p->nested ? fun_find(p->nested, f->nested) : NULL;

		*at = f->span;
		if (f->nested && !of)
			return arena_printf(p->arena, "%s: no function %s is nested", f->name, f->nested);
		if (of && (f->scalar || !parameters_fit(p->arena, f, of) || !results_fit(p, f, of)))
			return arena_printf(p->arena, "%s: is not for rows what %s is for one", f->name, of->name);
	}
	return NULL;
}

/* infer_report.c: what is wrong with an application.
 *
 * In   an application whose parts are typed, and do not fit.
 * Out  one message at the part that is to blame. */
#include "frontend/infer_report.h"
#include "frontend/advice.h"
#include "frontend/foreign.h"
#include <ctype.h>
#include <string.h>

bool
is_operator(const char *name)
{
	static const char *const word[] = {"and", "or", "nand", "nor", "xor"};

	for (int i = 0; i < 5; i++)
		if (strcmp(name, word[i]) == 0)
			return true;
	return !isalpha((unsigned char)name[0]) && name[0] != '_';
}

static bool
applies_operator(const Expr *e)
{
	return e->u.apply.fn->kind == EXPR_VAR && is_operator(e->u.apply.fn->u.var.name);
}

bool
is_subscript(const Expr *e)
{
	Span op = e->u.apply.opspan, arg = e->u.apply.arg->span;

	return e->u.apply.fn->kind == EXPR_VAR && strcmp(e->u.apply.fn->u.var.name, "elt") == 0
		&& (op.line > arg.line || (op.line == arg.line && op.col >= arg.col));
}

/* How the user wrote what is applied: a prefix minus is `negate`. */
static const char *
applied_name(Infer *in, const Expr *e)
{
	const char *name = e->u.apply.fn->u.var.name;

	if (e->u.apply.fn->kind != EXPR_VAR)
		return "this function";
	if (is_subscript(e))
		return "a subscript";
	if (strcmp(name, "negate") == 0 && e->u.apply.opspan.len == 1)
		return "`-`";
	return arena_printf(in->arena, "`%s`", name);
}

/* -- where types come from ------------------------------------------------------------------------------- */

const char this_literal[] = "this literal";

static const Origin *
origin_new(const Infer *in, Span at, const char *why)
{
	Origin *o;

	if (in->basis || in->instance)
		return NULL;
	o = NEW(in->arena, Origin, 1);
	*o = (Origin){at, why};
	return o;
}

void
report_from(Infer *in, Type *t, Span at, const char *why)
{
	if (t->kind != TYPE_VAR && t->kind != TYPE_ERROR && !t->from)
		t->from = origin_new(in, at, why);
}

Type *
report_use(Infer *in, const Expr *e, Type *fn)
{
	const char *why;

	if (in->basis || in->instance)
		return fn;
	why = is_subscript(e) ? "this subscript" : arena_printf(in->arena, "this use of %s", applied_name(in, e));
	return type_from(in->arena, fn, origin_new(in, e->u.apply.opspan, why));
}

static bool
inside(Span outer, Span at)
{
	return outer.file == at.file && outer.line == at.line && outer.col <= at.col
		&& at.col < outer.col + outer.len;
}

/* From two types that do not fit to the parts that do not. */
static void
differing(Infer *in, Type **a, Type **b)
{
	Type *x = type_head(*a), *y = type_head(*b);

	while (x != y && x->kind == y->kind && (x->kind == TYPE_SEQ || x->kind == TYPE_PAIR)) {
		bool second = x->kind == TYPE_PAIR && type_unify(&in->types, x->a, y->a);
		Type *p = type_head(second ? x->b : x->a), *q = type_head(second ? y->b : y->a);
		/* a part without an origin has that of the whole */
		if (p->from || q->from) {
			*a = p->from ? p : *a;
			*b = q->from ? q : *b;
		}
		x = p;
		y = q;
	}
	*a = type_head(*a);
	*b = type_head(*b);
}

/* Two types that do not fit, and where the message has shown something of each. */
typedef struct Misfit {
	Type *want, *got;
	Span wantat, gotat;
	const char *takes;              /* the user's function that wants it, if it is one */
} Misfit;

static void
report_misfit(Infer *in, Misfit m)
{
	const Origin *w, *g;

	differing(in, &m.want, &m.got);
	w = m.want->from;
	g = m.got->from;
	if (w && m.takes && w->why == this_literal && m.want->kind == TYPE_INT)
		diag_note(in->u->diag, w->at, "%s takes ints because of this literal", m.takes);
	else if (w && !inside(m.wantat, w->at))
		diag_note(in->u->diag, w->at, "%s because of %s", wanted_text(in->arena, m.want, NULL), w->why);
	if (g && g != w && !inside(m.gotat, g->at))
		diag_note(in->u->diag, g->at, "%s because of %s", type_text_inner(in->arena, m.got), g->why);
}

void
report_origins(Infer *in, Type *want, Type *got, Span shown)
{
	report_misfit(in, (Misfit){want, got, shown, shown, NULL});
}

const char *
report_functions(Infer *in, Type *a, Type *b)
{
	bool fit = type_unify(&in->types, type_unlabelled(in->arena, a), type_unlabelled(in->arena, b));

	return fit && !type_unify(&in->types, a, b) ? "; these are different functions, and each function has a type of its own" : "";
}

/* -- applications ------------------------------------------------------------------------------------------ */

/* `+` and its like: two operands of one type. */
static bool
report_operands(Infer *in, const Expr *e, Type *want, Type *got)
{
	Type *l = type_head(want)->a, *r = type_head(want)->b;
	const char *a, *b, *what;

	l = type_head(l);
	r = type_head(r);
	if (l->kind == TYPE_VAR && l == r)
		what = class_values(l->cls);
	else if (l->kind == TYPE_SEQ && r->kind == TYPE_SEQ && type_head(l->a) == type_head(r->a))
		what = "sequences";
	else
		return false;
	type_text2(in->arena, type_head(got)->a, type_head(got)->b, &a, &b);
	infer_error(in, e->u.apply.opspan, "type", "%s needs two %s of the same type, "
		"but the left side is %s and the right side is %s%s%s", applied_name(in, e), what, a, b,
		advise_operands(in->arena, e->u.apply.fn->u.var.name, type_head(got)->a, type_head(got)->b),
		report_functions(in, type_head(got)->a, type_head(got)->b));
	report_origins(in, type_head(got)->a, type_head(got)->b, e->span);
	return true;
}

/* Argument k of an explicit tuple, from 1, or 0: the whole argument, and that it should be. */
static const char *
argument_place(Infer *in, const Expr *e, int k)
{
	const char *name = applied_name(in, e);

	if (k == 0)
		return arena_printf(in->arena, "%s needs", name);
	if (is_subscript(e))
		return k == 1 ? "a subscript needs" : "the index of a subscript should be";
	if (applies_operator(e))
		return arena_printf(in->arena, "the %s side of %s should be", k == 1 ? "left" : "right", name);
	return arena_printf(in->arena, "argument %d of %s should be", k, name);
}

/* `not any(v)` is `(not any)(v)`. */
static const char *
advise_call(Infer *in, const Expr *e, const Expr *arg, const Type *got)
{
	const Expr *fn = e->u.apply.fn;

	if (got->kind != TYPE_FUN || arg != e->u.apply.arg || arg->kind != EXPR_VAR || fn->kind != EXPR_VAR || applies_operator(e))
		return "";
	return arena_printf(in->arena, "; the value of a call is given as in `%s(%s(..))`", fn->u.var.name, arg->u.var.name);
}

/* `not v[i]` is `(not v)[i]`. */
static const char *
advise_subscript(Infer *in, const Expr *e, const Expr *arg)
{
	const Expr *fn = arg->u.apply.fn, *v = arg->u.apply.arg;

	if (!is_subscript(e) || e->u.apply.arg->u.pair.a != arg || arg->kind != EXPR_APPLY || fn->kind != EXPR_VAR || v->kind != EXPR_VAR
	    || v->span.len != (int)strlen(v->u.var.name))
		return NULL;
	return arena_printf(in->arena, "; an element is given to a function as in `%s(%s[..])`", fn->u.var.name, v->u.var.name);
}

/* f([v]) in f(v). */
static const char *
advise_endless(Infer *in, Type *want, Type *got)
{
	if (want->kind == TYPE_FUN || got->kind == TYPE_FUN || type_unify(&in->types, want, got) || !in->types.endless)
		return "";
	return "; a type is no part of itself, and within its own body a function has one type";
}

/* Walk the components of an explicit tuple until one does not fit. */
static void
report_argument(Infer *in, const Expr *e, const Expr *arg, Type *want, Type *got, int k)
{
	Type *w = type_head(want), *g = type_head(got);
	const char *element = advise_subscript(in, e, arg);
	bool users = e->u.apply.fn->kind == EXPR_VAR && !((const Decl *)e->u.apply.fn->u.var.decl)->basis;

	if (w->kind == TYPE_PAIR && g->kind == TYPE_PAIR && arg->kind == EXPR_PAIR) {
		if (!type_unify(&in->types, w->a, g->a))
			report_argument(in, e, arg->u.pair.a, w->a, g->a, k ? k : 1);
		else
			report_argument(in, e, arg->u.pair.b, w->b, g->b, (k ? k : 1) + 1);
		return;
	}
	infer_error(in, arg->span, "type", "%s %s, but this is %s%s%s%s%s", argument_place(in, e, k),
		wanted_text(in->arena, w, g), type_text_inner(in->arena, g), element ? element
		: advise_argument(e->u.apply.fn->kind == EXPR_VAR ? e->u.apply.fn->u.var.name : "", w, g), advise_call(in, e, arg, g),
		report_functions(in, w, g), advise_endless(in, w, g));
	report_misfit(in, (Misfit){w, g, e->span, arg->span, users ? applied_name(in, e) : NULL});
}

/* How many arguments this type of a parameter takes; *more: or more, as the last may be a tuple. */
static int
places(Type *t, bool *more)
{
	int n = 1;

	for (t = type_head(t); t->kind == TYPE_PAIR; t = type_head(t->b))
		n++;
	*more = t->kind == TYPE_VAR && t->cls == CLASS_ANY;
	return n;
}

static int
arguments(const Expr *arg)
{
	int n = 1;

	for (; arg->kind == EXPR_PAIR; arg = arg->u.pair.b)
		n++;
	return n;
}

/* Too few arguments, or too many. */
static bool
report_count(Infer *in, const Expr *e, Type *want, Type *got)
{
	bool more, tuple = e->u.apply.arg->kind != EXPR_PAIR && type_head(got)->kind == TYPE_PAIR;
	int takes = places(want, &more), given = arguments(e->u.apply.arg);
	const char *instead = given == 1 && e->u.apply.fn->kind == EXPR_VAR && type_head(got)->kind == TYPE_SEQ
		? foreign_of_one(e->u.apply.fn->u.var.name) : NULL;

	if (takes < 2 || takes == given || (more && given > takes) || tuple)
		return false;
	if (type_broken(got))
		return true;    /* what is wrong there, which was told, may be the reason */
	if (is_subscript(e)) {
		infer_error(in, e->u.apply.arg->span, "type", "a subscript takes one index; "
			"`v -> [i, j]` takes several elements, `v[i][j]` one of a sequence in v");
		return true;
	}
	if (applies_operator(e))
		return false;
	infer_error(in, e->u.apply.arg->span, "type", "%s takes %d arguments, but is given %d%s%s",
		applied_name(in, e), takes, given, instead ? "; " : "", instead ? instead : "");
	return true;
}

void
report_apply(Infer *in, const Expr *e, Type *want, Type *got)
{
	const Expr *arg = e->u.apply.arg;

	if (e->u.apply.fn->kind != EXPR_VAR && arg->span.line > e->u.apply.fn->span.line) {
		infer_error(in, e->u.apply.fn->span, "type", "%s", missing_semicolon);
		return;
	}
	if (applies_operator(e) && type_head(want)->kind == TYPE_PAIR
	    && type_head(got)->kind == TYPE_PAIR && report_operands(in, e, want, got))
		return;
	if (report_count(in, e, want, got))
		return;
	report_argument(in, e, arg, want, got, 0);
}

const Decl *
function_named(const Infer *in, const Scope *sc, const Expr *e)
{
	const Decl *d;

	if (e->kind != EXPR_VAR || in->instance)
		return NULL;
	for (; sc; sc = sc->up)
		if (sc->decl->name == e->u.var.name)
			return NULL;
	d = globals_find(in->globals, e->u.var.name, in->basis);
	return d && d->kind == DECL_FUN ? d : NULL;
}

/* Who takes % for an operator has written a comment, between two operands. */
static void
note_comment(Infer *in, const Expr *fn, const Expr *arg)
{
	const Span c = in->comment;

	if (c.len && (c.line > fn->span.line || (c.line == fn->span.line && c.col > fn->span.col))
	    && (c.line < arg->span.line || (c.line == arg->span.line && c.col < arg->span.col)))
		diag_note(in->u->diag, c, "%s", remainder_note);
}

/* What an operand that is no function is followed by may be no argument, but a word of another language that nothing here has for a name. */
static const Expr *
foreign_argument(const Infer *in, const Scope *sc, const Expr *arg)
{
	while (arg->kind == EXPR_APPLY)
		arg = arg->u.apply.fn;
	if (arg->kind != EXPR_VAR || !foreign_word(arg->u.var.name) || globals_find(in->globals, arg->u.var.name, in->basis))
		return NULL;
	while (sc && sc->decl->name != arg->u.var.name)
		sc = sc->up;
	return sc ? NULL : arg;
}

void
report_no_function(Infer *in, const Scope *sc, const Expr *e, Type *t)
{
	const Expr *word = foreign_argument(in, sc, e->u.apply.arg);
	const Expr *fn = e->u.apply.fn, *arg = e->u.apply.arg;
	const Decl *d = function_named(in, sc, arg);
	const char *missing = arg->span.line > fn->span.line ? "`;`" : "an operator or a comma";

	if (type_broken(t))
		return;
	if (word)
		infer_error(in, word->span, "undefined-name", "`%s` is not defined; %s", word->u.var.name, foreign_word(word->u.var.name));
	else if (d && arg->span.line == fn->span.line)
		infer_error(in, arg->span, "type", "`%s` is a function: it stands before its arguments, "
			"as in `%s(..)`", d->name, d->name);
	else if (d)
		infer_error(in, arg->span, "type", "is `;` missing before this line?  Here `%s` is a function that the value "
			"before it is applied to", d->name);
	else if (fn->kind == EXPR_BOOL)
		infer_error(in, fn->span, "type", "only a function can be applied, but `%s` is a boolean value",
			fn->u.i ? "t" : "f");
	else if (fn->kind == EXPR_CHAR)
		infer_error(in, fn->span, "type", "only a function can be applied, but this is char; "
			"several characters are written \"like this\"");
	else if (fn->kind == EXPR_VAR) {
		infer_error(in, fn->span, "type", "only a function can be applied, but `%s` is %s; "
			"is %s missing behind it?", fn->u.var.name, type_text_inner(in->arena, t), missing);
		report_origins(in, t, t, fn->span);
	}
	else
		infer_error(in, fn->span, "type", "only a function can be applied, but this is %s; "
			"is %s missing behind it?", type_text_inner(in->arena, t), missing);
	note_comment(in, fn, arg);
}

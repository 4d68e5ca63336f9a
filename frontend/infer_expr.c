/* infer_expr.c: the type of an expression.
 *
 * In   an expression and the names in scope.
 * Out  Expr.type everywhere, u.var.decl on variables; what is wrong is reported once, its type is
 *      TYPE_ERROR, and nothing that touches an error type is reported again.
 * How  Hindley-Milner; unification takes a failed attempt back, so messages show both sides as they were.
 *      A function as a value has a type of its own: its label says which function it is, and the types of the
 *      local names that it captured.  So two functions are never of one type, and where a value is applied, its
 *      type tells what is called; at run time a function is no more than what it captured. */
#include "frontend/defaults.h"
#include "frontend/foreign.h"
#include <stdarg.h>
#include <string.h>

const char missing_semicolon[] = "is `;` missing behind this?  It is applied to what comes on the next line";

void
infer_error(Infer *in, Span at, const char *kind, const char *fmt, ...)
{
	va_list ap;
	char buf[2000];

	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	in->failed = true;
	if (in->instance)
		ice(at, "mono", "library code does not fit its declared type: %s", buf);
	if (!in->doubtful || strcmp(kind, "type") != 0) {
		diag_error(in->u->diag, at, kind, "%s", buf);
		return;
	}
	diag_error(in->u->diag, in->doubtful->span, kind, "%s", missing_semicolon);
	diag_mute(in->u->diag, true);   /* until the end of the form */
	in->doubtful = NULL;
}

static void
note_missing(Infer *in, const char *name, Span at)
{
	if (!in->missing.name) {
		in->missing.name = name;
		in->missing.at = at;
	}
}

static Type *
error_type(Infer *in)
{
	in->failed = true;
	return type_new(in->arena, TYPE_ERROR);
}

static Type *
base(Infer *in, TypeKind k)
{
	return type_new(in->arena, k);
}

/* -- types as written ---------------------------------------------------------------------------- */

/* In an instance the contents stand for records. */
static Type *
plain(Infer *in, Type *t)
{
	return in->instance ? type_strip(in->arena, t) : t;
}

/* A record as written. */
static Type *
record_type(Infer *in, const TypeExpr *t, bool fresh)
{
	Decl *d = t->decl;
	Type *r, *args = t->a ? infer_typexpr(in, t->a, fresh) : NULL;

	if (d->poisoned) {
		note_missing(in, t->name, t->span);
		return error_type(in);
	}
	r = type_fresh(in->arena, d->type, NULL)->b;
	if (!r->a == !args && (!args || type_unify(&in->types, plain(in, r->a), args)))
		return plain(in, r);
	infer_error(in, t->span, "type", "the datatype is %s, which does not fit this use of it",
		type_text(in->arena, type_head(d->type)->b));
	return base(in, TYPE_ERROR);
}

static Type *
named_type(Infer *in, TypeExpr *t, bool fresh)
{
	static const char *const name[] = {"int", "float", "bool", "char"};
	TyVar *v;

	for (int i = 0; i < 4; i++)
		if (strcmp(t->name, name[i]) == 0 && !t->a)
			return base(in, (TypeKind)(TYPE_INT + i));
	if (in->datatype == t->name) {
		infer_error(in, t->span, "static-other", "the datatype `%s` cannot contain itself", t->name);
		return base(in, TYPE_ERROR);
	}
	if (!t->decl && !in->instance)
		t->decl = globals_record(in->globals, t->name, in->basis);
	if (t->decl)
		return record_type(in, t, fresh);
	for (const TyVar *w = in->tyvars; w; w = w->next)
		if (w->name == t->name && !t->a)
			return w->type;
	if (!fresh || t->a) {
		infer_error(in, t->span, "undefined-name", "there is no type `%s`%s", t->name,
			t->a ? " with arguments" : "");
		return base(in, TYPE_ERROR);
	}
	v = NEW(in->arena, TyVar, 1);
	*v = (TyVar){t->name, type_var(in->arena, CLASS_ANY), in->tyvars};
	in->tyvars = v;
	return v->type;
}

static Type *
written_type(Infer *in, TypeExpr *t, bool fresh)
{
	Type *a;

	switch (t->kind) {
	case TYX_NAME:
		return named_type(in, t, fresh);
	case TYX_SEQ:
		return type_seq(in->arena, infer_typexpr(in, t->a, fresh));
	case TYX_PAIR:
		a = infer_typexpr(in, t->a, fresh);
		return type_pair(in->arena, a, infer_typexpr(in, t->b, fresh));
	case TYX_FUN:
		if (in->datatype) {
			infer_error(in, t->span, "type", "a datatype cannot say which type of functions it holds; "
				"a type variable can stand for one: `datatype %s(a)`", in->datatype);
			return base(in, TYPE_ERROR);
		}
		a = infer_typexpr(in, t->a, fresh);
		return type_fun(in->arena, a, infer_typexpr(in, t->b, fresh));
	}
	return NULL;
}

Type *
infer_typexpr(Infer *in, TypeExpr *t, bool fresh)
{
	Type *a = written_type(in, t, fresh);

	report_from(in, a, t->span, "this declaration");
	return a;
}

/* -- names ------------------------------------------------------------------------------------------ */

/* The type of w(p), where the type of p is `inner`. */
static Type *
infer_wrap(Infer *in, const Wrap *w, Type *inner)
{
	Decl *d = globals_record(in->globals, w->name, in->basis);
	Type *fn;

	if (w->inner)
		inner = infer_wrap(in, w->inner, inner);
	if (!d) {
		const char *instead = foreign_word(w->name);

		infer_error(in, w->span, "syntax", "a pattern should come here, but `%s` is no datatype; %s", w->name,
			instead ? instead : "a definition starts with the word `function`");
		LIST_ADD(in->arena, &in->unknown, w->name);     /* told; a comma may be missing behind it */
	}
	if (d && d->poisoned)
		note_missing(in, w->name, w->span);
	if (!d || d->poisoned)
		return error_type(in);
	fn = type_fresh(in->arena, d->type, NULL);
	if (!type_unify(&in->types, fn->a, inner))
		infer_error(in, w->span, "type", "this pattern does not fit the datatype, which holds %s",
			type_text_inner(in->arena, d->type->a));
	return fn->b;
}

const char *
pattern_needs(Infer *in, Type *t, Type *got)
{
	if (type_head(t)->kind == TYPE_RECORD)
		return type_text_inner(in->arena, t);
	return type_head(got)->kind == TYPE_PAIR ? arena_printf(in->arena, "a tuple %s", type_text_inner(in->arena, t)) : "a tuple";
}

static int
scope_depth(const Scope *sc)
{
	return sc ? sc->depth : 0;
}

Type *
infer_pattern(Infer *in, const Scope **sc, Pattern *p)
{
	if (p->kind == PAT_PAIR) {
		Type *a = infer_pattern(in, sc, p->a);
		p->type = type_pair(in->arena, a, infer_pattern(in, sc, p->b));
		return p->whole = p->wrap && !in->instance ? infer_wrap(in, p->wrap, p->type) : p->type;
	}
	Scope *s = NEW(in->arena, Scope, 1);
	s->decl = NEW(in->arena, Decl, 1);
	s->decl->kind = DECL_LOCAL;
	s->decl->name = p->name;
	s->decl->type = p->type = type_var(in->arena, CLASS_ANY);
	s->up = *sc;
	s->depth = scope_depth(*sc) + 1;
	*sc = s;
	*map_at(in->bound, p->name) = s;
	return p->whole = p->wrap && !in->instance ? infer_wrap(in, p->wrap, p->type) : p->type;
}

/* The user's function of this name in a form to come, which may be wrong; NULL: there is none. */
static const Form *
defined_later(const Infer *in, const char *name)
{
	const Form *f = in->u->typed ? in->u->typed->next : in->u->forms;

	while (f && (f->basis || (f->kind != FORM_DEF && f->kind != FORM_BAD) || f->name != name))
		f = f->next;
	return f;
}

static void
undefined(Infer *in, const Scope *sc, const Expr *e)
{
	const char *name = e->u.var.name, *like, *instead = foreign_name(name);
	const Form *later;

	in->failed = true;
	for (int i = 0; i < in->unknown.n; i++)
		if (in->unknown.at[i] == name)
			return;
	LIST_ADD(in->arena, &in->unknown, name);
	if (diag_full(in->u->diag)) {           /* nobody sees what might have been meant */
		infer_error(in, e->span, "undefined-name", "`%s` is not defined", name);
		return;
	}
	if ((later = defined_later(in, name))) {
		infer_error(in, e->span, "undefined-name", "`%s` is not defined here, but further on", name);
		diag_note(in->u->diag, later->kind == FORM_DEF ? later->namespan : later->span, "forms are read in order: define it first; if each needs the other, "
			"declare the type of one first, like `function f(x) : int -> int;`");
		return;
	}
	like = globals_like(in->globals, in->u, sc, name, in->basis);
	if (instead)
		infer_error(in, e->span, "undefined-name", "`%s` is not defined; %s", name, instead);
	else if (like)
		infer_error(in, e->span, "undefined-name", "`%s` is not defined; did you mean `%s`?",
			name, like);
	else
		infer_error(in, e->span, "undefined-name", "`%s` is not defined", name);
	if (in->prose.len) {
		diag_note(in->u->diag, in->prose, "%s", prose_note);
		diag_mute(in->u->diag, true);   /* of the other words */
	}
}

/* A name is used: the functions without a name that it comes into from outside capture it. */
static void
capture(Infer *in, const Scope *s)
{
	for (const Closure *c = in->closure; c && s->depth <= c->depth; c = c->up) {
		bool known = false;
		for (int i = 0; i < c->captured->n && !known; i++)
			known = c->captured->at[i] == s->decl;
		if (!known)
			LIST_ADD(in->arena, c->captured, s->decl);
	}
}

/* The binding a variable names; NULL, reported, if there is none.  In an instance, globals are what
 * they were when the function was defined. */
static Decl *
resolve(Infer *in, const Scope *sc, Expr *e)
{
	Decl *d = e->u.var.decl;

	for (const Scope *s = *map_at(in->bound, e->u.var.name) ? sc : NULL; s; s = s->up)
		if (s->decl->name == e->u.var.name) {
			capture(in, s);
			return e->u.var.decl = s->decl;
		}
	if (!in->instance || !d)
		d = globals_find(in->globals, e->u.var.name, in->basis);
	if (!d)
		undefined(in, sc, e);
	if (!d || d->poisoned)
		note_missing(in, e->u.var.name, e->span);
	e->u.var.decl = d;
	return d;
}

static Type *
instantiate(Infer *in, Decl *d, Expr *e)
{
	Type **by, *t;

	if (in->self && decl_real(d) == decl_real(in->self))
		return in->selftype;
	if (!d->general)
		return d->kind == DECL_LOCAL ? d->type : plain(in, d->type);
	t = type_fresh(in->arena, d->type, &by);
	e->u.var.inst = by;
	return plain(in, t);
}

static void
note_use(Infer *in, Decl *d)
{
	if (!d->basis)
		LIST_ADD(in->arena, &in->uses, d);
}

/* A function with defaults, as a value, takes only the arguments without. */
static Decl *
without_defaults(Infer *in, Expr *e)
{
	Decl *d = e->u.var.decl;

	if (d == in->self) {
		infer_error(in, e->span, "type", "`%s` has parameters with defaults, so it can only be applied in its own "
			"definition", d->name);
		return NULL;
	}
	e->u.var.name = d->form->value->name;
	return e->u.var.decl = globals_user(in->globals, e->u.var.name);
}

static Type *
infer_var(Infer *in, const Scope *sc, Expr *e)
{
	Decl *d = resolve(in, sc, e);
	Type *t;

	if (d && defaults_of(in, e))
		d = without_defaults(in, e);
	if (!d || d->poisoned)
		return error_type(in);
	t = instantiate(in, d, e);
	if (d->kind != DECL_FUN)
		return t;
	note_use(in, d);
	return type_labelled(in->arena, t, type_label(in->arena, decl_real(d), NULL, NULL));
}

/* -- functions without a name ---------------------------------------------------------------------- */

static Pattern *
pattern_pair(Infer *in, Pattern *a, Pattern *b)
{
	Pattern *p = NEW(in->arena, Pattern, 1);

	*p = (Pattern){.kind = PAT_PAIR, .span = a->span, .a = a, .b = b};
	return p;
}

/* The names of what is captured, as a tuple, before the parameter. */
static Pattern *
lifted_pattern(Infer *in, const Bound *captured, Pattern *param, Span at)
{
	Pattern *all = NULL;

	for (int i = captured->n - 1; i >= 0; i--) {
		Pattern *p = NEW(in->arena, Pattern, 1);
		*p = (Pattern){.kind = PAT_NAME, .span = at, .name = captured->at[i]->name};
		all = all ? pattern_pair(in, p, all) : p;
	}
	return all ? pattern_pair(in, all, param) : param;
}

/* The function that e is, with what it captures as arguments: one for all copies of e. */
static Decl *
lifted(Infer *in, const Expr *e, const Bound *captured)
{
	Lambda *l = e->u.lambda.written;
	Decl *d = l->decl;

	if (!d) {
		d = l->decl = NEW(in->arena, Decl, 1);
		d->kind = DECL_FUN;
		d->name = intern(in->u->names, "lambda");
		d->lambda = true;
		d->basis = in->basis;
		d->home = in->globals;
		d->tyvars = in->tyvars;
		d->form = NEW(in->arena, Form, 1);
		*d->form = (Form){.kind = FORM_DEF, .span = e->span, .basis = in->basis, .name = d->name,
			.namespan = e->span, .body = l->body};
	}
	d->form->param = lifted_pattern(in, captured, l->pat, e->span);
	return d;
}

static Type *
captured_type(Infer *in, const Bound *captured, int i)
{
	Type *t = captured->at[i]->type;

	return i + 1 < captured->n ? type_pair(in->arena, t, captured_type(in, captured, i + 1)) : t;
}

static Type *
tyvars_type(Infer *in, const TyVar *v)
{
	return v->next ? type_pair(in->arena, v->type, tyvars_type(in, v->next)) : v->type;
}

static Type *
infer_lambda(Infer *in, const Scope *sc, Expr *e)
{
	Bound *captured = e->u.lambda.captured = NEW(in->arena, Bound, 1);
	const Closure c = {scope_depth(sc), captured, in->closure};
	Type *p, *t;

	in->closure = &c;
	p = infer_pattern(in, &sc, e->u.lambda.pat);
	t = type_fun(in->arena, p, infer_expr(in, sc, e->u.lambda.body));
	in->closure = c.up;
	return type_labelled(in->arena, t, type_label(in->arena, lifted(in, e, captured),
		captured->n > 0 ? captured_type(in, captured, 0) : NULL,
		in->tyvars ? tyvars_type(in, in->tyvars) : NULL));
}

/* -- application --------------------------------------------------------------------------------- */

/* `f` and `t` are values, and so no names; was one defined all the same?  Then that was reported. */
static bool
defined_anyway(const Infer *in, const Expr *e)
{
	const Decl *d = e->kind == EXPR_BOOL
		? globals_user(in->globals, intern(in->u->names, e->u.i ? "t" : "f")) : NULL;

	return d && d->poisoned;
}

/* The type of a value that is applied: a function, or what is to be one; NULL if it is none, which was reported. */
static Type *
value_applied(Infer *in, const Scope *sc, const Expr *e, bool *look)
{
	Expr *fn = e->u.apply.fn;
	Type *t = type_head(infer_expr(in, sc, fn)), *any;

	if (t->kind == TYPE_FUN)
		return t;
	any = type_fun(in->arena, type_var(in->arena, CLASS_ANY), type_var(in->arena, CLASS_ANY));
	if (t->kind == TYPE_VAR && type_unify(&in->types, t, any)) {
		if (!in->doubtful && fn->kind == EXPR_APPLY && e->u.apply.arg->span.line > fn->u.apply.arg->span.line)
			in->doubtful = fn;
		return any;
	}
	if (defined_anyway(in, fn))
		in->failed = *look = true;
	else
		report_no_function(in, sc, e, t);
	return NULL;
}

/* A type that was unknown, and is a function's only because of an application that is wrong: nothing more is said
 * about it. */
static void
forget_function(Infer *in, Type *t)
{
	if (!t || t->kind != TYPE_VAR)
		return;
	while (t->a && t->a->kind == TYPE_VAR)
		t = t->a;
	t->a = base(in, TYPE_ERROR);
}

/* The type of what is applied, a function; NULL if it is none, which was reported.  Then *look tells whether
 * its argument may have mistakes of its own. */
static Type *
callee(Infer *in, const Scope *sc, const Expr *e, bool *look)
{
	Expr *fn = e->u.apply.fn;
	Decl *d;

	*look = fn->kind == EXPR_VAR;
	if (fn->kind != EXPR_VAR)
		return value_applied(in, sc, e, look);
	d = resolve(in, sc, fn);
	if (!d || d->poisoned || (d->type && type_broken(d->type))) {
		in->failed = true;
		return NULL;
	}
	if (d->kind != DECL_FUN)
		return value_applied(in, sc, e, look);
	note_use(in, d);
	fn->type = instantiate(in, d, fn);
	return fn->type = d->basis ? report_use(in, e, fn->type) : fn->type;
}

/* An argument by name, where none is wanted. */
static Type *
infer_keyword(Infer *in, const Scope *sc, Expr *e)
{
	infer_error(in, e->span, "type", "`%s := ..` gives an argument by name: that is for the last arguments of a function "
		"that has defaults for them", e->u.keyword.name);
	infer_expr(in, sc, e->u.keyword.value);
	return base(in, TYPE_ERROR);
}

static Type *
infer_apply(Infer *in, const Scope *sc, Expr *e)
{
	const Decl *d = is_subscript(e) ? function_named(in, sc, e->u.apply.arg->u.pair.a) : NULL;
	Exprs given = {0};
	bool look;
	Type *f, *arg;

	if (d) {
		infer_error(in, e->span, "type", "`%s` is a function, and `%s [..]` is a subscript: "
			"an application to a sequence is written `%s([..])`", d->name, d->name, d->name);
		return base(in, TYPE_ERROR);
	}
	f = callee(in, sc, e, &look);
	if (!f && !look)
		return error_type(in);
	if (f && defaults_of(in, e->u.apply.fn))
		return defaults_apply(in, sc, e, f) ? f->b : base(in, TYPE_ERROR);
	if (keywords_split(in->arena, e->u.apply.arg, &given) != e->u.apply.arg)
		return infer_keyword(in, sc, given.at[given.n - 1]);
	arg = infer_expr(in, sc, e->u.apply.arg);
	if (!f)
		return error_type(in);
	if (!type_unify(&in->types, f->a, arg)) {
		report_apply(in, e, f->a, arg);
		forget_function(in, e->u.apply.fn->type);
		return base(in, TYPE_ERROR);
	}
	return f->b;
}

/* -- the other forms --------------------------------------------------------------------------------- */

/* e has to be of this base type; `what` is its place, as in "the condition of `if`". */
static void
expect(Infer *in, const Scope *sc, Expr *e, TypeKind k, const char *what)
{
	Type *t = infer_expr(in, sc, e), *want = base(in, k);

	report_from(in, want, e->span, arena_printf(in->arena, "its use as %s", what));
	if (type_unify(&in->types, want, t))
		return;
	infer_error(in, e->span, "type", "%s should be %s, but this is %s", what,
		type_text_inner(in->arena, want), type_text_inner(in->arena, t));
	report_origins(in, want, t, e->span);
}

/* Names of a pattern that did not fit its value: no more is said about them. */
static void
poison_pattern(Infer *in, Pattern *p)
{
	if (p->kind == PAT_PAIR) {
		poison_pattern(in, p->a);
		poison_pattern(in, p->b);
	} else
		type_unify(&in->types, p->type, base(in, TYPE_ERROR));
}

static Type *
infer_let(Infer *in, const Scope *sc, Expr *e)
{
	Type *v = infer_expr(in, sc, e->u.let.value), *p = infer_pattern(in, &sc, e->u.let.pat);

	if (!type_unify(&in->types, p, v)) {
		infer_error(in, e->u.let.pat->span, "type", "this pattern needs %s, but its value is %s",
			pattern_needs(in, p, v), type_text_inner(in->arena, v));
		report_origins(in, v, v, e->u.let.value->span);
		poison_pattern(in, e->u.let.pat);
	}
	return infer_expr(in, sc, e->u.let.body);
}

static Type *
infer_if(Infer *in, const Scope *sc, Expr *e)
{
	const char *ta, *tb;
	Type *a, *b;

	expect(in, sc, e->u.branch.cond, TYPE_BOOL, "the condition of `if`");
	a = infer_expr(in, sc, e->u.branch.then);
	b = infer_expr(in, sc, e->u.branch.orelse);
	if (type_unify(&in->types, a, b))
		return type_broken(a) ? b : a;
	type_text2(in->arena, a, b, &ta, &tb);
	infer_error(in, e->u.branch.orelse->span, "type",
		"the branches of `if` differ: `then` gives %s, `else` gives %s%s%s", ta, tb,
		report_functions(in, a, b), e->u.branch.orelse->kind == EXPR_PAIR
		&& type_unify(&in->types, a, type_head(b)->a) ? "; what follows the comma is part of `else`: put the `if` in "
		"parentheses" : "");
	diag_note(in->u->diag, e->u.branch.then->span, "`then` gives %s here", ta);
	return base(in, TYPE_ERROR);
}

static void
infer_generator(Infer *in, const Scope *sc, const Scope **inner, Generator *g)
{
	const int errors = diag_errors(in->u->diag);
	Type *s = infer_expr(in, sc, g->source);
	const bool told = diag_errors(in->u->diag) > errors;
	Type *p = infer_pattern(in, inner, g->pat);

	if (!type_unify(&in->types, type_seq(in->arena, type_var(in->arena, CLASS_ANY)), s)) {
		if (!told) {
			infer_error(in, g->source->span, "type", "apply-to-each runs over a sequence, "
				"but this is %s", type_text_inner(in->arena, s));
			report_origins(in, s, s, g->source->span);
		}
		s = base(in, TYPE_ERROR);
	}
	if (!type_unify(&in->types, type_seq(in->arena, p), s)) {
		infer_error(in, g->pat->span, "type", "this pattern needs %s, but the elements are %s",
			pattern_needs(in, p, type_head(s)->a), type_text_inner(in->arena, type_head(s)->a));
		report_origins(in, type_head(s)->a, type_head(s)->a, g->source->span);
		poison_pattern(in, g->pat);
	}
}

static Type *
infer_foreach(Infer *in, const Scope *sc, Expr *e)
{
	const Scope *inner = sc;

	for (Generator *g = e->u.foreach.gens; g; g = g->next)
		infer_generator(in, sc, &inner, g);
	if (e->u.foreach.filter)
		expect(in, inner, e->u.foreach.filter, TYPE_BOOL, "a filter");
	return type_seq(in->arena, infer_expr(in, inner, e->u.foreach.body));
}

static Type *
infer_seq(Infer *in, const Scope *sc, Expr *e)
{
	Type *first = infer_expr(in, sc, e->u.seq.item[0]);
	bool ok = true;

	for (int i = 1; i < e->u.seq.n; i++) {
		const char *a, *b;
		Type *t = infer_expr(in, sc, e->u.seq.item[i]);
		if (!ok || type_unify(&in->types, first, t))
			continue;
		ok = false;
		type_text2(in->arena, first, t, &a, &b);
		infer_error(in, e->u.seq.item[i]->span, "type", "the elements of a sequence have one type, "
			"but the first is %s and this is %s%s", a, b, report_functions(in, first, t));
		diag_note(in->u->diag, e->u.seq.item[0]->span, "the first is %s", a);
	}
	return ok ? type_seq(in->arena, first) : base(in, TYPE_ERROR);
}

static Type *
infer_range(Infer *in, const Scope *sc, Expr *e)
{
	expect(in, sc, e->u.range.from, TYPE_INT, "the start of a range");
	expect(in, sc, e->u.range.to, TYPE_INT, "the end of a range");
	if (e->u.range.step)
		expect(in, sc, e->u.range.step, TYPE_INT, "the stride of a range");
	return type_seq(in->arena, base(in, TYPE_INT));
}

/* -- library code ------------------------------------------------------------------------------------- */

/* One type of an operator's signature (common/ir.h); letter[] holds the types of its letters. */
static Type *
signature_type(Infer *in, const char **s, Type **letter)
{
	char c = *(*s)++;
	TypeClass cls = c == 'n' ? CLASS_NUMBER : c == 'o' ? CLASS_ORDINAL : c == 'l' ? CLASS_LOGICAL
		: CLASS_ANY;
	Type *a;

	switch (c) {
	case 'i': return base(in, TYPE_INT);
	case 'f': return base(in, TYPE_FLOAT);
	case 'b': return base(in, TYPE_BOOL);
	case 'c': return base(in, TYPE_CHAR);
	case '[':
		a = signature_type(in, s, letter);
		++*s;
		return type_seq(in->arena, a);
	case '(':
		a = signature_type(in, s, letter);
		a = type_pair(in->arena, a, signature_type(in, s, letter));
		++*s;
		return a;
	default:
		if (!letter[(unsigned char)c])
			letter[(unsigned char)c] = type_var(in->arena, cls);
		return letter[(unsigned char)c];
	}
}

static Type *
infer_prim(Infer *in, const Scope *sc, Expr *e)
{
	Type *letter[128] = {0};
	int op = ir_find(&normal_ir, e->u.prim.op);
	const char *s = op < 0 ? "?" : normal_ir.op[op].sig[0];

	if (s[0] == '?')
		ice(e->span, "type", "library code uses no primitive: %s", e->u.prim.op);
	for (int i = 0; i < e->u.prim.n; i++) {
		Type *t = infer_expr(in, sc, e->u.prim.arg[i]);
		if (*s == ':' || !type_unify(&in->types, signature_type(in, &s, letter), t))
			ice(e->u.prim.arg[i]->span, "type", "operand %d of prim %s is %s", i + 1,
				e->u.prim.op, type_text(in->arena, t));
	}
	if (*s++ != ':')
		ice(e->span, "type", "prim %s needs more operands", e->u.prim.op);
	return signature_type(in, &s, letter);
}

static bool
case_fits(const TypeExpr *when, Type *t)
{
	static const struct { const char *name; TypeKind kind; } base_case[] = {
		{"int", TYPE_INT}, {"float", TYPE_FLOAT}, {"bool", TYPE_BOOL}, {"char", TYPE_CHAR},
	};

	t = type_head(t);
	if (when->kind == TYX_SEQ)
		return t->kind == TYPE_SEQ;
	if (when->kind == TYX_PAIR)
		return t->kind == TYPE_PAIR;
	if (strcmp(when->name, "any") == 0)
		return true;
	if (strcmp(when->name, "fn") == 0)
		return t->kind == TYPE_FUN;
	if (strcmp(when->name, "scalar") == 0)
		return t->kind <= TYPE_CHAR;
	for (int i = 0; i < 4; i++)
		if (strcmp(when->name, base_case[i].name) == 0)
			return t->kind == base_case[i].kind;
	ice(when->span, "type", "typecase has no case `%s`", when->name);
}

static void
case_bind(Infer *in, const TypeExpr *when, Type *t)
{
	t = type_head(t);
	if (when->kind == TYX_NAME) {
		TyVar *v = NEW(in->arena, TyVar, 1);
		*v = (TyVar){when->name, t, in->tyvars};
		in->tyvars = v;
	} else {
		case_bind(in, when->a, t->a);
		if (when->kind == TYX_PAIR)
			case_bind(in, when->b, t->b);
	}
}

/* In a definition the declared type is trusted; in an instance the case is chosen and stands for the
 * whole, so that nothing after sees a typecase. */
static Type *
infer_typecase(Infer *in, const Scope *sc, Expr *e)
{
	const TyVar *outer = in->tyvars, *v = in->tyvars;
	Case *c = e->u.typecase.cases;

	if (!in->instance)
		return type_var(in->arena, CLASS_ANY);
	while (v && v->name != e->u.typecase.var)
		v = v->next;
	if (!v)
		ice(e->span, "type", "typecase on `%s`, which is no declared type", e->u.typecase.var);
	while (c && !case_fits(c->when, v->type))
		c = c->next;
	if (!c && type_head(v->type)->kind == TYPE_FUN) {
		in->failed = true;
		diag_error(in->u->diag, in->use, "type", "this needs to look into values, which cannot be functions");
		return base(in, TYPE_ERROR);
	}
	if (!c)
		ice(e->span, "type", "no case for %s", type_text(in->arena, v->type));
	if (c->when->kind != TYX_NAME)
		case_bind(in, c->when, v->type);
	*e = *c->body;
	infer_expr(in, sc, e);
	in->tyvars = outer;
	return e->type;
}

static Type *
infer_kind(Infer *in, const Scope *sc, Expr *e)
{
	Type *a;

	switch (e->kind) {
	case EXPR_INT: return base(in, TYPE_INT);
	case EXPR_FLOAT: return base(in, TYPE_FLOAT);
	case EXPR_BOOL: return base(in, TYPE_BOOL);
	case EXPR_CHAR: return base(in, TYPE_CHAR);
	case EXPR_STRING: return type_seq(in->arena, base(in, TYPE_CHAR));
	case EXPR_VAR: return infer_var(in, sc, e);
	case EXPR_APPLY: return infer_apply(in, sc, e);
	case EXPR_PAIR:
		a = infer_expr(in, sc, e->u.pair.a);
		return type_pair(in->arena, a, infer_expr(in, sc, e->u.pair.b));
	case EXPR_LET: return infer_let(in, sc, e);
	case EXPR_IF: return infer_if(in, sc, e);
	case EXPR_LAMBDA: return infer_lambda(in, sc, e);
	case EXPR_KEYWORD: return infer_keyword(in, sc, e);
	case EXPR_FOREACH: return infer_foreach(in, sc, e);
	case EXPR_SEQ: return infer_seq(in, sc, e);
	case EXPR_EMPTY: return type_seq(in->arena, infer_typexpr(in, e->u.empty, false));
	case EXPR_RANGE: return infer_range(in, sc, e);
	case EXPR_PRIM: return infer_prim(in, sc, e);
	case EXPR_TYPECASE: return infer_typecase(in, sc, e);
	}
	return NULL;
}

/* What to call an expression that is of its type by itself; NULL: the type comes from elsewhere. */
static const char *
maker(ExprKind k)
{
	static const char *const name[] = {
		[EXPR_INT] = this_literal, [EXPR_FLOAT] = this_literal, [EXPR_BOOL] = this_literal,
		[EXPR_CHAR] = this_literal, [EXPR_STRING] = "this string", [EXPR_PAIR] = "this tuple",
		[EXPR_SEQ] = "this sequence", [EXPR_EMPTY] = "this sequence", [EXPR_RANGE] = "this range",
		[EXPR_FOREACH] = "this apply-to-each", [EXPR_LAMBDA] = "this function",
	};

	return (size_t)k < sizeof name / sizeof *name ? name[k] : NULL;
}

Type *
infer_expr(Infer *in, const Scope *sc, Expr *e)
{
	Type *t = infer_kind(in, sc, e);

	if (!in->instance && type_constructors(t, LARGEST_TYPE) > LARGEST_TYPE) {
		if (!type_broken(t))
			infer_error(in, e->span, "type", "the type of this expression has more than %d parts",
				LARGEST_TYPE);
		t = base(in, TYPE_ERROR);
	}
	if (maker(e->kind))
		report_from(in, t, e->span, maker(e->kind));
	return e->type = t;
}

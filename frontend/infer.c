/* infer.c: types of top-level forms.
 *
 * In   u->forms from parse, u->inputs.
 * Out  every form typed and bound (Form.decl), or reported and marked failed, its names poisoned.
 * How  Forms are taken in order; a function sees the globals as they are at its definition.  The
 *      library's functions declare their types, so these are entered first and may be used in any order.
 *      A redefinition with the same type is a new body of the same binding (decl_real), with another
 *      type a new binding, which older callers do not see.  A declaration ahead of a definition is a binding
 *      without a body, and the definition then its new body. */
#include "frontend/answer.h"
#include "frontend/defaults.h"
#include "frontend/serial.h"
#include <string.h>

Decl *
decl_real(Decl *d)
{
	while (d->same)
		d = d->same;
	return d;
}

static void
bound_add(Infer *in, Form *f, Decl *d)
{
	if (!f->decl)
		f->decl = NEW(in->arena, Bound, 1);
	LIST_ADD(in->arena, (Bound *)f->decl, d);
}

static void
begin(Infer *in, const Form *f)
{
	in->basis = f->basis;
	in->comment = f->comment;
	in->prose = f->prose;
	in->doubtful = NULL;
	in->failed = false;
	in->self = NULL;
	in->tyvars = NULL;
	in->closure = NULL;
	in->uses = (Bound){0};
	in->datatype = NULL;
	in->missing.name = NULL;
}

static void
poison(Infer *in, const char *name)
{
	Decl *d = globals_add(in->globals, in->arena, DECL_CELL, name, false);

	d->poisoned = true;
	d->type = type_new(in->arena, TYPE_ERROR);
}

/* -- definitions ------------------------------------------------------------------------------------ */

/* The classes of `:: (a in number)`. */
static void
infer_context(Infer *in, const Constraint *c)
{
	for (; c; c = c->next) {
		TypeClass cls;
		const TyVar *v = in->tyvars;
		while (v && v->name != c->var)
			v = v->next;
		if (!class_named(c->cls, &cls))
			infer_error(in, c->span, "type", "there is no class `%s`: "
				"they are number, ordinal, logical and any", c->cls);
		else if (!v)
			infer_error(in, c->span, "type", "`%s` is no type variable of this type", c->var);
		else if (!type_unify(&in->types, v->type, type_var(in->arena, cls)))
			infer_error(in, c->span, "type", "`%s` cannot be in two unrelated classes", c->var);
	}
}

/* The function's type as declared, with variables where it says nothing. */
static Type *
declared_type(Infer *in, const Form *f)
{
	Type *a, *b;

	if (!f->argtype)
		return type_fun(in->arena, type_var(in->arena, CLASS_ANY), type_var(in->arena, CLASS_ANY));
	a = infer_typexpr(in, f->argtype, true);
	b = infer_typexpr(in, f->restype, true);
	infer_context(in, f->context);
	if (f->defaults)
		a = type_pair(in->arena, a, type_var(in->arena, CLASS_ANY));
	return type_fun(in->arena, a, b);
}

/* Type the body where the function has type fn. */
static void
infer_body(Infer *in, Form *f, Type *fn)
{
	const Scope *sc = NULL;
	Type *p = infer_pattern(in, &sc, f->param), *b;

	if (!type_unify(&in->types, p, fn->a)) {
		infer_error(in, f->param->span, "type", "these parameters do not fit the declared type %s",
			type_text_inner(in->arena, fn->a));
		diag_note(in->u->diag, f->argtype->span, "declared here");
		return;
	}
	b = infer_expr(in, sc, f->body);
	if (!type_unify(&in->types, fn->b, b)) {
		const char *want, *got;
		type_text2(in->arena, fn->b, b, &want, &got);
		infer_error(in, f->body->span, "type", f->restype
			? "`%s` is declared to give %s, but its body is %s"
			: "the recursive uses of `%s` need it to give %s, but its body is %s",
			f->name, want, got);
		report_origins(in, fn->b, b, f->body->span);
	}
}

static bool
same_defaults(const Default *a, const Default *b)
{
	for (; a && b && a->name == b->name; a = a->next)
		b = b->next;
	return !a && !b;
}

/* The binding that this definition is a new body of; NULL: it makes one of its own. */
static Decl *
replaced(Infer *in, Decl *old, const Decl *made)
{
	if (!old || old->kind != DECL_FUN || old->poisoned || old->record)
		return NULL;
	old = decl_real(old);
	return type_same(in->arena, old->type, made->type) && same_defaults(old->form->defaults, made->form->defaults)
		? old : NULL;
}

/* Is this the name of a library function?  Then it is reported. */
static bool
is_protected(Infer *in, const Form *f)
{
	if (!globals_protected(in->globals, f->name))
		return false;
	infer_error(in, f->namespan, "redefine-builtin",
		"`%s` is a library function and cannot be redefined", f->name);
	poison(in, f->name);
	return true;
}

/* The binding old, if any, has got a body, or a definition of it that is wrong. */
static void
give_body(Infer *in, Decl *old)
{
	if (!old || !old->bodiless)
		return;
	old->bodiless = false;
	old->poisoned = in->failed;
}

static void
infer_user_def(Infer *in, Form *f)
{
	Decl *d, *old = globals_user(in->globals, f->name);

	if (is_protected(in, f))
		return;
	d = in->self = globals_add(in->globals, in->arena, DECL_FUN, f->name, false);
	d->form = f;
	d->type = in->selftype = declared_type(in, f);
	infer_body(in, f, d->type);
	defaults_check(in, f, d->type);
	serial_form(in, f, d);
	d->poisoned = in->failed;
	d->general = true;
	d->same = in->failed ? NULL : replaced(in, old, d);
	decl_real(d)->uses = in->uses;
	decl_real(d)->serial = d->serial;
	give_body(in, in->failed ? old : d->same);
	bound_add(in, f, d);
}

static void
infer_declaration(Infer *in, Form *f)
{
	const Scope *sc = NULL;
	Decl *d, *old = globals_user(in->globals, f->name);
	Type *p;

	if (is_protected(in, f))
		return;
	p = infer_pattern(in, &sc, f->param);
	d = globals_add(in->globals, in->arena, DECL_FUN, f->name, false);
	d->form = f;
	d->type = declared_type(in, f);
	d->general = true;
	if (!type_unify(&in->types, p, d->type->a))
		infer_error(in, f->param->span, "type", "these parameters do not fit the declared type %s",
			type_text_inner(in->arena, d->type->a));
	d->poisoned = in->failed;
	d->same = in->failed ? NULL : replaced(in, old, d);
	d->bodiless = !in->failed && !d->same;
	in->declares = true;
	bound_add(in, f, d);
}

static void
infer_datatype(Infer *in, Form *f)
{
	Type *contents, *t;
	TypeClass cls;
	Decl *d;

	if (!f->basis && is_protected(in, f))
		return;
	if (strcmp(f->name, "int") == 0 || strcmp(f->name, "float") == 0 || strcmp(f->name, "bool") == 0
	    || strcmp(f->name, "char") == 0 || class_named(f->name, &cls))
		infer_error(in, f->namespan, "reserved-name", "`%s` is a type or a class of types already", f->name);
	in->datatype = f->name;
	contents = infer_typexpr(in, f->argtype, true);
	infer_context(in, f->context);
	t = type_datatype(in->arena, f->name, contents);
	if (!in->failed && type_constructors(t, LARGEST_TYPE) > LARGEST_TYPE)
		infer_error(in, f->argtype->span, "type", "this datatype has more than %d parts", LARGEST_TYPE);
	d = globals_add(in->globals, in->arena, DECL_FUN, f->name, f->basis);
	d->form = f;
	d->type = type_fun(in->arena, contents, t);
	d->record = t->record;
	d->general = true;
	d->poisoned = in->failed;
	bound_add(in, f, d);
}

/* -- what is declared and needed, but not defined ------------------------------------------------------ */

/* A binding without a body, or a wrong one, among these and what they apply; NULL: none. */
static Decl *
undefined_among(Infer *in, const Bound *uses)
{
	for (int i = 0; i < uses->n; i++) {
		Decl *d = decl_real(uses->at[i]), *found;
		if (d->visit == in->visit)
			continue;
		d->visit = in->visit;
		if (d->bodiless || d->poisoned)
			return d;
		found = undefined_among(in, &d->uses);
		if (found)
			return found;
	}
	return NULL;
}

/* A form that is evaluated needs all that it reaches to be defined. */
static void
check_defined(Infer *in, const Form *f)
{
	Decl *d;

	in->visit++;
	if (in->failed || !in->declares || !(d = undefined_among(in, &in->uses)))
		return;
	in->failed = true;
	if (d->poisoned)
		return;
	infer_error(in, f->body->span, "undefined-name", "this needs `%s`, which is declared as %s but not defined "
		"with this type so far", d->name, type_text(in->arena, d->type));
	diag_note(in->u->diag, d->form->namespan, "declared here");
}

/* Library functions have been entered with their declared types (declare_basis), and may use themselves
 * at other types than their own, as eql does. */
static void
infer_basis_def(Infer *in, Form *f)
{
	const Decl *d = ((Bound *)f->decl)->at[0];
	Type *fn = declared_type(in, f);

	infer_body(in, f, fn);
	if (!in->failed && !type_same(in->arena, fn, d->type))
		infer_error(in, f->namespan, "type", "`%s` is %s, which is not what it declares", f->name,
			type_text(in->arena, fn));
}

static void
declare_basis(Infer *in, Form *f)
{
	Decl *d;

	begin(in, f);
	d = globals_add(in->globals, in->arena, DECL_FUN, f->name, true);
	d->form = f;
	d->general = true;
	if (!f->argtype)
		ice(f->span, "type", "the library function `%s` declares no type", f->name);
	d->type = declared_type(in, f);
	bound_add(in, f, d);
}

/* -- assignments and expressions ---------------------------------------------------------------------- */

/* A type whose variables are the cell's own: functions in it may be used at any types. */
static void
infer_cell(Infer *in, Form *f, const char *name, Type *t)
{
	Decl *d = globals_user(in->globals, name);

	if (d && d->kind == DECL_CELL && !d->poisoned && type_same(in->arena, d->type, t)) {
		bound_add(in, f, d);
		return;
	}
	d = globals_add(in->globals, in->arena, DECL_CELL, name, false);
	d->type = type_fresh(in->arena, t, NULL);
	d->general = true;
	d->form = f;
	bound_add(in, f, d);
}

static void
bind_pattern(Infer *in, Form *f, const Pattern *p)
{
	if (p->kind == PAT_PAIR) {
		bind_pattern(in, f, p->a);
		bind_pattern(in, f, p->b);
	} else if (!in->failed)
		infer_cell(in, f, p->name, p->type);
	else
		poison(in, p->name);
}

static void
check_protected(Infer *in, const Pattern *p)
{
	if (p->kind == PAT_PAIR) {
		check_protected(in, p->a);
		check_protected(in, p->b);
	} else if (globals_protected(in->globals, p->name))
		infer_error(in, p->span, "redefine-builtin",
			"`%s` is a library name and cannot be redefined", p->name);
}

static void
infer_assign(Infer *in, Form *f)
{
	const Scope *none = NULL;
	bool failed;
	Type *v, *p;

	check_protected(in, f->param);
	failed = in->failed;
	p = infer_pattern(in, &none, f->param);
	if (in->failed && !failed) {
		/* it may have been meant for a definition */
		bind_pattern(in, f, f->param);
		return;
	}
	v = infer_expr(in, NULL, f->body);
	check_defined(in, f);
	serial_form(in, f, NULL);
	if (!type_unify(&in->types, p, v)) {
		infer_error(in, f->param->span, "type", "this pattern needs %s, but its value is %s",
			pattern_needs(in, p, v), type_text_inner(in->arena, v));
		report_origins(in, v, v, f->body->span);
	}
	type_settle(in->arena, p);
	if (!in->failed)
		f->shown = type_text_shown(in->arena, p);
	bind_pattern(in, f, f->param);
}

/* `pi = 3.14` in the library */
static void
infer_constant(Infer *in, Form *f)
{
	Decl *d = globals_add(in->globals, in->arena, DECL_CONST, f->param->name, true);

	d->type = f->param->type = infer_expr(in, NULL, f->body);
	d->form = f;
	bound_add(in, f, d);
}

static void
infer_toplevel_expr(Infer *in, Form *f)
{
	const char *it = intern(in->u->names, "it");
	Type *t;

	if (f->body->kind == EXPR_KEYWORD) {
		infer_error(in, f->body->span, "syntax", "`:=` gives an argument by name; a variable is given a value by `%s = ..`",
			f->body->u.keyword.name);
		poison(in, f->body->u.keyword.name);
		poison(in, it);
		return;
	}
	t = infer_expr(in, NULL, f->body);
	type_settle(in->arena, t);
	check_defined(in, f);
	serial_form(in, f, NULL);
	if (in->failed) {
		poison(in, it);
		return;
	}
	f->shown = type_text_shown(in->arena, t);
	infer_cell(in, f, it, t);
}

/* A syntax error: what the form would have bound, as far as it was read. */
static void
poison_bad(Infer *in, const Form *f)
{
	in->failed = true;
	if (f->name)
		poison(in, f->name);
	if (f->also)
		poison(in, f->also);
}

static void
infer_form(Infer *in, Form *f)
{
	int errors = diag_errors(in->u->diag);

	begin(in, f);
	diag_mute(in->u->diag, f->doubtful);
	switch (f->kind) {
	case FORM_DEF:
		if (f->basis)
			infer_basis_def(in, f);
		else
			infer_user_def(in, f);
		break;
	case FORM_DECLARE: infer_declaration(in, f); break;
	case FORM_DATATYPE: infer_datatype(in, f); break;
	case FORM_ASSIGN:
		if (f->basis)
			infer_constant(in, f);
		else
			infer_assign(in, f);
		break;
	case FORM_EXPR: infer_toplevel_expr(in, f); break;
	case FORM_COMMAND: command_answer(in, f); break;
	case FORM_BAD: poison_bad(in, f); break;
	}
	/* Where each form tells what became of it, so does one that is right but for what it uses. */
	if (in->u->echo_all && in->missing.name && diag_errors(in->u->diag) == errors)
		diag_error(in->u->diag, in->missing.at, "undefined-name", "`%s` is not defined: see above", in->missing.name);
	if (f->doubt.len && f->kind != FORM_BAD && diag_errors(in->u->diag) > errors)
		diag_note(in->u->diag, f->doubt, "%s", doubt_note);
	diag_mute(in->u->diag, false);
	f->failed = in->failed;
}

static void
declare_input(Unit *u, const Input *i)
{
	Decl *d = globals_add(u->globals, u->arena, DECL_CELL, intern(u->names, i->name), false);

	d->type = type_of_ty(u->arena, i->ty);
}

/* A name that the user may not give ends the run: nothing is to be made of forms that mean something else by it. */
static void
check_input(Infer *in, const Input *i)
{
	if (!globals_protected(in->globals, i->name))
		return;
	infer_error(in, (Span){0}, "redefine-builtin", "--input %s: this is a library name and cannot be redefined", i->name);
	poison(in, i->name);            /* one message is enough */
	in->u->refused = true;
}

static void
infer_init(Infer *in, Unit *u, Globals *g)
{
	memset(in, 0, sizeof *in);
	in->u = u;
	in->arena = in->types.arena = u->arena;
	in->globals = g;
	in->bound = map_new(u->arena);
}

void
infer(Unit *u)
{
	Infer in;
	Form *first = u->typed ? u->typed->next : u->forms;

	if (!u->globals) {
		u->globals = globals_new(u->arena);
		for (const Input *i = u->inputs; i; i = i->next)
			declare_input(u, i);
	}
	infer_init(&in, u, u->globals);
	for (Form *f = first; f; f = f->next)
		if (f->basis && f->kind == FORM_DATATYPE)
			infer_form(&in, f);
	for (Form *f = first; f; f = f->next)
		if (f->basis && f->kind == FORM_DEF)
			declare_basis(&in, f);
	/* the library's constants before its functions, whose instances are typed anyway (mono.c), then the user's forms in order */
	for (Form *f = first; f; f = f->next)
		if (f->basis && f->kind == FORM_ASSIGN)
			infer_form(&in, f);
	for (Form *f = first; f && u->whole_library; f = f->next)
		if (f->basis && f->kind == FORM_DEF)
			infer_form(&in, f);
	if (first == u->forms) {
		serial_basis(&in);
		for (const Input *i = u->inputs; i; i = i->next)
			check_input(&in, i);
	}
	for (Form *f = first; f; f = f->next) {
		if (!f->basis)
			infer_form(&in, f);
		u->typed = f;
	}
}

/* What the type variables in the text of a lambda stand for. */
static void
bind_tyvars(Infer *in, const TyVar *v, Type *types)
{
	TyVar *w;

	if (!v)
		return;
	if (v->next) {
		types = type_head(types);
		bind_tyvars(in, v->next, types->b);
		types = types->a;
	}
	w = NEW(in->arena, TyVar, 1);
	*w = (TyVar){v->name, types, in->tyvars};
	in->tyvars = w;
}

bool
infer_instance(Unit *u, Decl *self, Form *form, Type *fn, Span use)
{
	Infer in;
	Type *declared;

	infer_init(&in, u, self->home);
	begin(&in, form);
	in.instance = true;
	in.use = use;
	declared = declared_type(&in, form);
	bind_tyvars(&in, self->tyvars, type_head(fn->label)->b);
	in.self = form->basis || self->lambda ? NULL : self;
	in.selftype = fn;
	if (!type_unify(&in.types, declared, fn))
		ice(form->span, "mono", "`%s` has no instance %s", form->name, type_text(u->arena, fn));
	infer_body(&in, form, fn);
	return !in.failed;
}

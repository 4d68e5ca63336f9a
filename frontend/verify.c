/* verify.c: what parse, type and mono promise.
 *
 * In   u->forms, or u->mono.
 * Out  nothing changed; the first node that breaks a promise.
 * How  One walk over a tree; a stage says what it asks of an expression, of what is applied, of a pattern. */
#include "frontend/verify.h"
#include "common/map.h"
#include "frontend/mono.h"

typedef struct Walk Walk;
struct Walk {
	const Unit *u;
	const char *(*expr)(const Walk *, const Expr *);
	const char *(*applied)(const Walk *, const Expr *);
	const char *(*pattern)(const Walk *, const Pattern *);
	bool values;            /* may values be applied? */
	bool cases;             /* do promises hold in the cases of a typecase? */
	Map *insts;             /* mono: themselves */
	const Decl *self;       /* type: the function being defined; its own uses have its own type */
	Span at;
	const char *why;        /* the first thing that is wrong */
};

static bool
blame(Walk *w, Span at, const char *why)
{
	if (why && !w->why) {
		w->why = why;
		w->at = at;
	}
	return !w->why;
}

/* -- the walk: these return false as soon as something is wrong ------------------------------------------ */

static bool walk(Walk *w, const Expr *e);

static bool
walk_pattern(Walk *w, const Pattern *p)
{
	return blame(w, p->span, w->pattern(w, p))
		&& (p->kind == PAT_NAME || (walk_pattern(w, p->a) && walk_pattern(w, p->b)));
}

static bool
is_function(const Expr *e)
{
	return e->kind == EXPR_VAR && e->u.var.decl && ((const Decl *)e->u.var.decl)->kind == DECL_FUN;
}

static bool
walk_apply(Walk *w, const Expr *e)
{
	const Expr *fn = e->u.apply.fn;

	if (w->values && !is_function(fn))
		return walk(w, fn) && walk(w, e->u.apply.arg);
	return blame(w, fn->span, w->applied(w, fn)) && walk(w, e->u.apply.arg);
}

static bool
walk_foreach(Walk *w, const Expr *e)
{
	for (const Generator *g = e->u.foreach.gens; g; g = g->next)
		if (!walk_pattern(w, g->pat) || !walk(w, g->source))
			return false;
	return walk(w, e->u.foreach.body) && (!e->u.foreach.filter || walk(w, e->u.foreach.filter));
}

static bool
walk_list(Walk *w, Expr *const *at, int n)
{
	for (int i = 0; i < n; i++)
		if (!walk(w, at[i]))
			return false;
	return true;
}

static bool
walk_cases(Walk *w, const Case *c)
{
	for (; c && w->cases; c = c->next)
		if (!walk(w, c->body))
			return false;
	return true;
}

static bool
walk(Walk *w, const Expr *e)
{
	if (!blame(w, e->span, w->expr(w, e)))
		return false;
	switch (e->kind) {
	case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_CHAR: case EXPR_STRING: case EXPR_VAR:
	case EXPR_EMPTY:
		break;
	case EXPR_APPLY: return walk_apply(w, e);
	case EXPR_PAIR: return walk(w, e->u.pair.a) && walk(w, e->u.pair.b);
	case EXPR_LET:
		return walk_pattern(w, e->u.let.pat) && walk(w, e->u.let.value) && walk(w, e->u.let.body);
	case EXPR_IF:
		return walk(w, e->u.branch.cond) && walk(w, e->u.branch.then) && walk(w, e->u.branch.orelse);
	case EXPR_KEYWORD: return walk(w, e->u.keyword.value);
	case EXPR_LAMBDA: return walk_pattern(w, e->u.lambda.pat) && walk(w, e->u.lambda.body);
	case EXPR_FOREACH: return walk_foreach(w, e);
	case EXPR_SEQ: return walk_list(w, e->u.seq.item, e->u.seq.n);
	case EXPR_RANGE:
		return walk(w, e->u.range.from) && walk(w, e->u.range.to)
			&& (!e->u.range.step || walk(w, e->u.range.step));
	case EXPR_PRIM: return walk_list(w, e->u.prim.arg, e->u.prim.n);
	case EXPR_TYPECASE: return walk_cases(w, e->u.typecase.cases);
	}
	return true;
}

static bool
walk_form(Walk *w, const Form *f)
{
	return (!f->param || walk_pattern(w, f->param)) && (!f->body || walk(w, f->body));
}

/* A function of the library: those that are used are verified as instances. */
static bool
passed_over(const Unit *u, const Form *f)
{
	return f->basis && f->kind == FORM_DEF && !u->whole_library;
}

static const char *
verdict(const Walk *w, Span *at)
{
	if (w->why)
		*at = w->at;
	return w->why;
}

/* -- parse ------------------------------------------------------------------------------------------------- */

static bool
placed(Span s)
{
	return s.file && s.line >= 1 && s.col >= 1 && s.len >= 0;
}

static const char *
placed_expr(const Walk *w, const Expr *e)
{
	(void)w;
	if (!placed(e->span) || (e->kind == EXPR_APPLY && !placed(e->u.apply.opspan)))
		return "an expression has no source position";
	return NULL;
}

static const char *
placed_pattern(const Walk *w, const Pattern *p)
{
	(void)w;
	return placed(p->span) ? NULL : "a pattern has no source position";
}

static bool
placed_type(const TypeExpr *t)
{
	return !t || (placed(t->span) && placed_type(t->a) && placed_type(t->b));
}

static const char *
placed_form(const Form *f)
{
	if (!placed(f->span) || (f->name && !placed(f->namespan)))
		return "a form has no source position";
	if (!placed_type(f->argtype) || !placed_type(f->restype))
		return "a type has no source position";
	for (const Constraint *c = f->context; c; c = c->next)
		if (!placed(c->span))
			return "a constraint has no source position";
	return NULL;
}

const char *
verify_parse(const Unit *u, Span *at)
{
	Walk w = {.u = u, .expr = placed_expr, .applied = placed_expr, .pattern = placed_pattern, .cases = true};

	for (const Form *f = u->forms; f && !w.why; f = f->next)
		if (f->kind != FORM_BAD && !passed_over(u, f) && blame(&w, f->span, placed_form(f)))
			walk_form(&w, f);
	return verdict(&w, at);
}

/* -- type -------------------------------------------------------------------------------------------------- */

static const char *
typed_expr(const Walk *w, const Expr *e)
{
	(void)w;
	if (!e->type || type_broken(e->type))
		return "an expression has no type";
	if (e->kind == EXPR_APPLY && e->u.apply.fn->type && type_head(e->u.apply.fn->type)->kind != TYPE_FUN)
		return "what is applied is no function";
	if (e->kind == EXPR_VAR && !e->u.var.decl)
		return "a variable has no binding";
	return NULL;
}

/* The types that the use says it is at make the function's type the type of the use. */
static const char *
typed_applied(const Walk *w, const Expr *e)
{
	const Decl *d = e->u.var.decl;
	Type **v;
	int n;

	if (!e->type || type_broken(e->type))
		return "a function that is applied has no type";
	if (!d->general || d == w->self)
		return NULL;
	v = type_vars(w->u->arena, d->type, &n);
	if (!e->u.var.inst)
		return "a use of a polymorphic function carries no instantiation";
	if (!type_same(w->u->arena, e->type, type_subst(w->u->arena, d->type, v, e->u.var.inst, n)))
		return "a use of a function has another type than its instantiation";
	return NULL;
}

static const char *
typed_pattern(const Walk *w, const Pattern *p)
{
	(void)w;
	return p->type && !type_broken(p->type) ? NULL : "a pattern has no type";
}

/* A library function may use itself at other types than its own. */
static const Decl *
self(const Form *f)
{
	return f->kind == FORM_DEF && !f->basis ? ((Bound *)f->decl)->at[0] : NULL;
}

const char *
verify_type(const Unit *u, Span *at)
{
	Walk w = {.u = u, .expr = typed_expr, .applied = typed_applied, .pattern = typed_pattern,
		.values = true};

	for (const Form *f = u->forms; f && !w.why; f = f->next) {
		if (f->failed || f->kind == FORM_COMMAND || passed_over(u, f))
			continue;
		if (blame(&w, f->span, f->decl ? NULL : "a form binds nothing")) {
			w.self = self(f);
			walk_form(&w, f);
		}
	}
	return verdict(&w, at);
}

/* -- mono -------------------------------------------------------------------------------------------------- */

static bool
concrete(Type *t)
{
	t = t ? type_head(t) : NULL;
	if (!t || t->kind == TYPE_VAR || t->kind == TYPE_ERROR)
		return false;
	return (!t->a || concrete(t->a)) && (!t->b || concrete(t->b)) && (!t->label || concrete(t->label));
}

static const char *
mono_expr(const Walk *w, const Expr *e)
{
	const Decl *d = e->kind == EXPR_VAR ? e->u.var.decl : NULL;

	(void)w;
	if (e->kind == EXPR_TYPECASE)
		return "typecase is left";
	if (e->kind == EXPR_LAMBDA || e->kind == EXPR_KEYWORD)
		return "a function without a name, or an argument by name, is left";
	if (!concrete(e->type))
		return "the type of an expression is not concrete";
	if (e->kind == EXPR_VAR && !(d && (d->kind == DECL_LOCAL || d->kind == DECL_CELL)))
		return "a variable is neither local nor a cell";
	return NULL;
}

static const char *
mono_applied(const Walk *w, const Expr *e)
{
	const Inst *i = e->kind == EXPR_VAR && e->u.var.decl ? *map_at(w->insts, e->u.var.decl) : NULL;

	if (!i)
		return "what is applied is no instance";
	return type_same(w->u->arena, e->type, i->type) ? NULL : "an instance is applied at another type";
}

static const char *
mono_pattern(const Walk *w, const Pattern *p)
{
	(void)w;
	return concrete(p->type) ? NULL : "the type of a pattern is not concrete";
}

static const char *
mono_inst(const Walk *w, const Inst *i)
{
	if (!i->name || !concrete(i->type) || type_head(i->type)->kind != TYPE_FUN)
		return "an instance has no name or no concrete type";
	if (!type_same(w->u->arena, i->form->param->type, type_head(i->type)->a)
	    || !type_same(w->u->arena, i->form->body->type, type_head(i->type)->b))
		return "the body of an instance has another type than the instance";
	return NULL;
}

const char *
verify_mono(const Unit *u, Span *at)
{
	Walk w = {.u = u, .expr = mono_expr, .applied = mono_applied, .pattern = mono_pattern, .insts = map_new(u->arena)};

	for (const Inst *i = u->mono->insts; i; i = i->next)
		*map_at(w.insts, i) = (void *)i;
	for (const Inst *i = u->mono->insts; i && !w.why; i = i->next)
		if (walk_form(&w, i->form))
			blame(&w, i->form->span, mono_inst(&w, i));
	for (const MonoEntry *e = u->mono->entries; e && !w.why; e = e->next)
		if (e->body && (!e->form->param || walk_pattern(&w, e->form->param)))
			walk(&w, e->body);
	return verdict(&w, at);
}

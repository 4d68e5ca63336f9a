/* mono.c: one copy of each function per instance.
 *
 * In   typed forms.
 * Out  u->mono: the instances reachable from the user's assignments and expressions, and these.
 * How  The body of an instance is a copy that is typed again at the instance's types (infer_instance),
 *      which also decides typecase.  In instances the contents of records stand for them.  Forms are taken in order: a definition that is a new body of an
 *      older one makes every instance stale that reaches it, so later forms get new ones and earlier
 *      forms keep what they saw.  Functions that use each other at ever larger types have no end of
 *      instances: beyond a limit this is reported, and nothing of the program runs.  Cycles of calls are found at the end (Tarjan, SIAM J. Comp. 1972). */
#include "frontend/mono.h"
#include <limits.h>

typedef struct {
	Unit *u;
	Arena *arena;
	Mono *m;
	Inst *caller;           /* NULL in an entry */
	bool endless;           /* more instances than MOST_INSTANCES, or larger than LARGEST */
} Pass;

enum { MOST_INSTANCES = 1000, LARGEST = 2000 };

/* NULL: there would be too many. */
static Inst *
inst_for(Pass *p, Decl *d, Type *fn)
{
	Inst *i = p->m->insts;
	int others = 0;
	Form *f;

	for (; i; i = i->next) {
		if (i->decl == d && !i->stale && type_same(p->arena, i->type, fn))
			return i;
		others += i->decl == d && !i->stale;
	}
	if (others >= MOST_INSTANCES || type_larger(fn, LARGEST))
		return NULL;
	i = NEW(p->arena, Inst, 1);
	i->decl = d;
	i->name = d->name;
	i->type = type_subst(p->arena, fn, NULL, NULL, 0);
	f = i->form = NEW(p->arena, Form, 1);
	*f = *d->form;
	f->param = pattern_copy(p->arena, f->param);
	f->body = expr_copy(p->arena, f->body, (Span){0});
	*p->m->end = i;
	p->m->end = &i->next;
	return i;
}

/* -- a walk over a typed tree: defaults, constants, instances ----------------------------------------- */

static void walk(Pass *p, Expr *e);

static void
walk_pattern(Pass *p, Pattern *pat)
{
	type_default(p->arena, pat->type);
	if (pat->kind == PAT_PAIR) {
		walk_pattern(p, pat->a);
		walk_pattern(p, pat->b);
	}
}

/* A name of the library's that stands for an expression. */
static void
walk_var(Pass *p, Expr *e)
{
	const Decl *d = e->u.var.decl;

	if (d->kind != DECL_CONST)
		return;
	*e = *expr_copy(p->arena, d->form->body, e->span);
	walk(p, e);
}

static void
walk_apply(Pass *p, Expr *e)
{
	Expr *fn = e->u.apply.fn;
	Inst *i;

	walk(p, e->u.apply.arg);
	type_default(p->arena, fn->type);
	fn->type = type_strip(p->arena, fn->type);
	if (((const Decl *)fn->u.var.decl)->record) {
		*e = *e->u.apply.arg;
		return;
	}
	if (p->endless)
		return;
	i = inst_for(p, decl_real(fn->u.var.decl), fn->type);
	if (!i) {
		p->endless = true;
		diag_error(p->u->diag, e->span, "type", "`%s` is needed at too many types, or at types that are "
			"too large: does it lead back to itself at another type?", fn->u.var.name);
		return;
	}
	fn->u.var.decl = i;
	if (p->caller)
		LIST_ADD(p->arena, &p->caller->calls, i);
}

static void
walk_foreach(Pass *p, Expr *e)
{
	for (Generator *g = e->u.foreach.gens; g; g = g->next) {
		walk(p, g->source);
		walk_pattern(p, g->pat);
	}
	if (e->u.foreach.filter)
		walk(p, e->u.foreach.filter);
	walk(p, e->u.foreach.body);
}

static void
walk_list(Pass *p, Expr *const *at, int n)
{
	for (int i = 0; i < n; i++)
		walk(p, at[i]);
}

static void
walk(Pass *p, Expr *e)
{
	type_default(p->arena, e->type);
	switch (e->kind) {
	case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_CHAR: case EXPR_STRING:
	case EXPR_EMPTY:
		break;
	case EXPR_VAR: walk_var(p, e); break;
	case EXPR_APPLY: walk_apply(p, e); break;
	case EXPR_PAIR:
		walk(p, e->u.pair.a);
		walk(p, e->u.pair.b);
		break;
	case EXPR_LET:
		walk(p, e->u.let.value);
		walk_pattern(p, e->u.let.pat);
		walk(p, e->u.let.body);
		break;
	case EXPR_IF:
		walk(p, e->u.branch.cond);
		walk(p, e->u.branch.then);
		walk(p, e->u.branch.orelse);
		break;
	case EXPR_FOREACH: walk_foreach(p, e); break;
	case EXPR_SEQ: walk_list(p, e->u.seq.item, e->u.seq.n); break;
	case EXPR_RANGE:
		walk(p, e->u.range.from);
		walk(p, e->u.range.to);
		if (e->u.range.step)
			walk(p, e->u.range.step);
		break;
	case EXPR_PRIM: walk_list(p, e->u.prim.arg, e->u.prim.n); break;
	case EXPR_TYPECASE: ice(e->span, "mono", "typecase is left in an instance");
	}
}

/* -- forms --------------------------------------------------------------------------------------------- */

/* Type the instances asked for; that asks for more.  There are finitely many where a function uses itself
 * at one type, and a library function at others only as its type gets smaller. */
static void
drain(Pass *p, Inst **from)
{
	for (; *from && !p->endless; from = &(*from)->next) {
		Inst *i = *from;
		infer_instance(p->u, i->decl->home, i->decl, i->form, i->type);
		p->caller = i;
		walk_pattern(p, i->form->param);
		walk(p, i->form->body);
		p->caller = NULL;
	}
}

static bool
calls_stale(const Inst *i)
{
	for (int k = 0; k < i->calls.n; k++)
		if (i->calls.at[k]->stale)
			return true;
	return false;
}

static void
replace_body(Pass *p, Decl *d, Form *f)
{
	bool more = true;

	d->form = f;
	for (Inst *i = p->m->insts; i; i = i->next)
		i->stale = i->stale || i->decl == d;
	while (more) {
		more = false;
		for (Inst *i = p->m->insts; i; i = i->next)
			if (!i->stale && calls_stale(i))
				more = i->stale = true;
	}
}

static void
mono_form(Pass *p, Form *f)
{
	MonoEntry *e;
	Inst **last = p->m->end;

	if (f->failed || f->basis)
		return;
	e = NEW(p->arena, MonoEntry, 1);
	e->form = f;
	if (f->kind == FORM_DEF)
		replace_body(p, decl_real(((Bound *)f->decl)->at[0]), f);
	else if (f->kind == FORM_ASSIGN || f->kind == FORM_EXPR) {
		e->body = expr_copy(p->arena, f->body, (Span){0});
		walk(p, e->body);
		drain(p, last);
	}
	*p->m->lastentry = e;
	p->m->lastentry = &e->next;
}

/* -- cycles -------------------------------------------------------------------------------------------- */

typedef struct {
	Arena *arena;
	int visited;
	LIST(Inst *) stack;
} Search;

static void
search(Search *s, Inst *i)
{
	i->index = i->low = ++s->visited;
	LIST_ADD(s->arena, &s->stack, i);
	for (int k = 0; k < i->calls.n; k++) {
		Inst *c = i->calls.at[k];
		i->recursive = i->recursive || c == i;
		if (c->index == 0)
			search(s, c);
		if (c->low < i->low)
			i->low = c->low;
	}
	if (i->low < i->index)
		return;
	for (bool several = s->stack.at[s->stack.n - 1] != i; ; ) {
		Inst *c = s->stack.at[--s->stack.n];
		c->recursive = c->recursive || several;
		c->low = INT_MAX;         /* done: no longer on the stack */
		if (c == i)
			return;
	}
}

/* -- names --------------------------------------------------------------------------------------------- */

/* What a type variable stands for, as part of a name: int, float_seq, int_bool. */
static const char *
type_word(Arena *a, Type *t)
{
	t = type_head(t);
	if (t->kind == TYPE_SEQ)
		return arena_printf(a, "%s_seq", type_word(a, t->a));
	if (t->kind == TYPE_PAIR)
		return arena_printf(a, "%s_%s", type_word(a, t->a), type_word(a, t->b));
	return type_text(a, t);
}

static const char *
inst_suffix(Arena *a, const Inst *i)
{
	int n;
	Type **v = type_vars(a, i->decl->type, &n), **by = NEW(a, Type *, n + 1);
	Types ts = {.arena = a};
	const char *s = "";

	for (int k = 0; k < n; k++)
		by[k] = type_var(a, CLASS_ANY);
	type_unify(&ts, type_strip(a, type_subst(a, i->decl->type, v, by, n)), i->type);
	for (int k = 0; k < n; k++)
		s = arena_printf(a, "%s_%s", s, type_word(a, by[k]));
	return s;
}

static bool
name_taken(const Mono *m, const Inst *upto, const char *name)
{
	for (const Inst *i = m->insts; i != upto; i = i->next)
		if (i->name == name)
			return true;
	return false;
}

static void
name_insts(Unit *u, Mono *m)
{
	for (Inst *i = m->insts; i; i = i->next) {
		bool several = false;
		const char *stem;
		for (const Inst *k = m->insts; k && !several; k = k->next)
			several = k != i && k->decl->name == i->decl->name;
		stem = several ? arena_printf(u->arena, "%s%s", i->decl->name, inst_suffix(u->arena, i))
			: i->decl->name;
		i->name = intern(u->names, stem);
		for (int k = 2; name_taken(m, i, i->name); k++)
			i->name = intern(u->names, arena_printf(u->arena, "%s_%d", stem, k));
	}
}

void
mono(Unit *u)
{
	Mono *m = u->mono = NEW(u->arena, Mono, 1);
	Pass p = {.u = u, .arena = u->arena, .m = m};
	Search s = {.arena = u->arena};

	m->end = &m->insts;
	m->lastentry = &m->entries;
	for (Form *f = u->forms; f && !p.endless; f = f->next)
		mono_form(&p, f);
	if (p.endless)
		*m = (Mono){0};
	for (Inst *i = m->insts; i; i = i->next)
		if (i->index == 0)
			search(&s, i);
	name_insts(u, m);
}

/* mono.c: one copy of each function per instance.
 *
 * In   typed forms.
 * Out  u->mono: the instances reachable from the user's assignments and expressions, and these.
 * How  The body of an instance is a copy that is typed again at the instance's types (infer_instance),
 *      which also decides typecase.  In instances the contents of records stand for them.  Forms are taken
 *      in order: a definition that is a new body of an older one makes every instance stale that reaches it,
 *      so later forms get new ones and earlier forms keep what they saw.  Functions that use each other at
 *      ever larger types have no end of instances: beyond a limit this is reported, and the form left out.
 *      Where a value is applied, the label in its type says what is called; a function without a name gets
 *      what it captured as arguments (lambda lifting).  Cycles of calls are found at the end (Tarjan, SIAM J. Comp. 1972). */
#include "common/map.h"
#include "frontend/command.h"
#include "frontend/mono.h"
#include <limits.h>
#include <string.h>

typedef struct { Inst *callee; Span at; } Call;

typedef struct {
	Unit *u;
	Arena *arena;
	Mono *m;
	Inst *caller;           /* NULL in an entry */
	bool parallel;          /* in the body or filter of an apply-to-each */
	LIST(Call) inside;      /* the calls there */
	bool failed;            /* the form is wrong, which was reported, or uses one that was */
	Map *of;                /* by Decl: the last of its instances */
} Pass;

enum { MOST_INSTANCES = 1000, LARGEST = 2000, LARGEST_INLINED = 200 };

/* Of what stands at `at`: where the user's program asks for it, if that is in the library. */
static Span
user_span(const Pass *p, Span at)
{
	return p->caller && p->caller->decl->basis ? p->caller->use : at;
}

/* NULL: there would be too many. */
static Inst *
inst_for(Pass *p, Decl *d, Type *fn, Span use)
{
	Inst **of = (Inst **)map_at(p->of, d), *i = *of;
	const int n = type_constructors(fn, LARGEST);
	int others = 0;
	Form *f;

	for (; i; i = i->next_of) {
		if (!i->stale && i->constructors == n && type_same(p->arena, i->type, fn))
			return i;
		others += !i->stale;
	}
	if (others >= MOST_INSTANCES || n > LARGEST)
		return NULL;
	i = NEW(p->arena, Inst, 1);
	i->decl = d;
	i->next_of = *of;
	*of = i;
	i->name = d->name;
	i->use = user_span(p, use);
	i->type = type_subst(p->arena, fn, NULL, NULL, 0);
	i->constructors = n;
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

/* A name of the library's that stands for an expression, or of a function, as a value. */
static void
walk_var(Pass *p, Expr *e)
{
	const Decl *d = e->u.var.decl;

	if (d->kind == DECL_CONST) {
		*e = *expr_copy(p->arena, d->form->body, e->span);
		walk(p, e);
	} else if (d->kind == DECL_FUN) {
		e->kind = EXPR_BOOL;
		e->u.i = 1;
	} else if (d->kind == DECL_CELL && d->poisoned) {
		if (p->u->echo_all && !p->failed)
			diag_error(p->u->diag, user_span(p, e->span), "undefined-name", "`%s` is not defined: see above",
				d->name);
		p->failed = true;
	}
}

/* The value of a function without a name: what it captured, as a tuple. */
static void
walk_lambda(Pass *p, Expr *e)
{
	const Bound *b = e->u.lambda.captured;
	Expr *all = NULL;

	for (int i = b->n - 1; i >= 0; i--) {
		Expr *v = NEW(p->arena, Expr, 1), *pair;
		*v = (Expr){.kind = EXPR_VAR, .span = e->span, .type = b->at[i]->type};
		v->u.var.name = b->at[i]->name;
		v->u.var.decl = b->at[i];
		if (!all) {
			all = v;
			continue;
		}
		pair = NEW(p->arena, Expr, 1);
		*pair = (Expr){.kind = EXPR_PAIR, .span = e->span, .type = type_pair(p->arena, v->type, all->type)};
		pair->u.pair.a = v;
		pair->u.pair.b = all;
		all = pair;
	}
	if (!all) {
		e->kind = EXPR_BOOL;
		e->u.i = 1;
	} else {
		all->type = e->type;
		*e = *all;
	}
}

static void
fail(Pass *p, Span at, const char *why)
{
	if (!p->failed)
		diag_error(p->u->diag, at, "type", "%s", why);
	p->failed = true;
}

/* e becomes a call of d, whose type is t there. */
static void
call(Pass *p, Expr *e, Decl *d, Type *t)
{
	Expr *fn;
	Inst *i;

	if (p->failed)
		return;
	t = type_strip(p->arena, t);
	i = inst_for(p, d, t, e->span);
	if (!i) {
		fail(p, e->span, arena_printf(p->arena, "%s is needed at too many types, or at types that are "
			"too large: does it lead back to itself at another type?",
			d->lambda ? "this function" : arena_printf(p->arena, "`%s`", d->name)));
		return;
	}
	fn = e->u.apply.fn = NEW(p->arena, Expr, 1);
	*fn = (Expr){.kind = EXPR_VAR, .span = e->u.apply.opspan, .type = t};
	fn->u.var.name = d->name;
	fn->u.var.decl = i;
	if (p->caller)
		LIST_ADD(p->arena, &p->caller->calls, i);
	if (p->parallel)
		LIST_ADD(p->arena, &p->inside, ((Call){i, user_span(p, e->span)}));
}

/* e, which applies the function whose name or value is fn, once fn is out of the way. */
static void
call_known(Pass *p, Expr *e, Decl *d, Type *t)
{
	if (d->record)
		*e = *e->u.apply.arg;
	else
		call(p, e, d, type_labelled(p->arena, t, type_label(p->arena, NULL, NULL, NULL)));
}

/* let _ = fn in e: fn is evaluated, but its value says nothing. */
static void
wrap_let(Pass *p, Expr *e, Expr *fn)
{
	Expr *body = NEW(p->arena, Expr, 1);
	Pattern *pat = NEW(p->arena, Pattern, 1);

	*body = *e;
	*pat = (Pattern){.kind = PAT_NAME, .span = fn->span, .name = "", .type = fn->type, .whole = fn->type};
	e->kind = EXPR_LET;
	e->u.let.pat = pat;
	e->u.let.value = fn;
	e->u.let.body = body;
}

/* A value is applied. */
static void
call_value(Pass *p, Expr *e)
{
	Expr *fn = e->u.apply.fn, *arg = e->u.apply.arg;
	Type *t = type_head(fn->type), *label = type_head(t->label);

	walk(p, fn);
	if (!label->decl) {
		fail(p, fn->span, "no function can be the value of this, so it cannot be applied");
		return;
	}
	if (label->a) {
		Expr *both = NEW(p->arena, Expr, 1);
		*both = (Expr){.kind = EXPR_PAIR, .span = e->span, .type = type_pair(p->arena, t, arg->type)};
		both->u.pair.a = fn;
		both->u.pair.b = arg;
		e->u.apply.arg = both;
		call(p, e, label->decl, type_labelled(p->arena,
			type_fun(p->arena, type_pair(p->arena, label->a, t->a), t->b), label));
		return;
	}
	if (label->decl->lambda)
		call(p, e, label->decl, t);
	else
		call_known(p, e, label->decl, t);
	if (fn->kind != EXPR_VAR && fn->kind != EXPR_BOOL)
		wrap_let(p, e, fn);
}

static void
walk_apply(Pass *p, Expr *e)
{
	Expr *fn = e->u.apply.fn;
	Decl *d = fn->kind == EXPR_VAR ? fn->u.var.decl : NULL;

	walk(p, e->u.apply.arg);
	type_default(p->arena, fn->type);
	if (d && d->kind == DECL_FUN)
		call_known(p, e, decl_real(d), type_head(fn->type));
	else
		call_value(p, e);
}

static void
walk_foreach(Pass *p, Expr *e)
{
	bool parallel = p->parallel;

	for (Generator *g = e->u.foreach.gens; g; g = g->next) {
		walk(p, g->source);
		walk_pattern(p, g->pat);
	}
	p->parallel = true;
	if (e->u.foreach.filter)
		walk(p, e->u.foreach.filter);
	walk(p, e->u.foreach.body);
	p->parallel = parallel;
}

static void
walk_list(Pass *p, Expr *const *at, int n)
{
	for (int i = 0; i < n; i++)
		walk(p, at[i]);
}

/* What is there for rows waits until there are some. */
static void
walk_prim(Pass *p, Expr *e)
{
	if (strcmp(e->u.prim.op, "rows_by") == 0) {
		Expr *rows = p->caller->rows = NEW(p->arena, Expr, 1);

		*rows = *e;
		*e = *rows->u.prim.arg[1];
		p->caller->body = e;
		walk(p, e);
	} else {
		walk_list(p, e->u.prim.arg, e->u.prim.n);
	}
}

static void
walk(Pass *p, Expr *e)
{
	type_default(p->arena, e->type);
	if (p->caller)
		p->caller->size++;
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
	case EXPR_LAMBDA: walk_lambda(p, e); break;
	case EXPR_FOREACH: walk_foreach(p, e); break;
	case EXPR_SEQ: walk_list(p, e->u.seq.item, e->u.seq.n); break;
	case EXPR_RANGE:
		walk(p, e->u.range.from);
		walk(p, e->u.range.to);
		if (e->u.range.step)
			walk(p, e->u.range.step);
		break;
	case EXPR_PRIM: walk_prim(p, e); break;
	case EXPR_KEYWORD: case EXPR_TYPECASE:
		ice(e->span, "mono", "what inference resolves is left in an instance");
	}
}

/* -- forms --------------------------------------------------------------------------------------------- */

/* Type the instances asked for; that asks for more.  There are finitely many where a function uses itself
 * at one type, and a library function at others only as its type gets smaller. */
static void
drain(Pass *p, Inst **from)
{
	for (; *from && !p->failed; from = &(*from)->next) {
		Inst *i = *from;
		if (!infer_instance(p->u, i->decl, i->form, i->type, i->use)) {
			p->failed = true;
			return;
		}
		p->caller = i;
		walk_pattern(p, i->form->param);
		walk(p, i->form->body);
		p->caller = NULL;
	}
}

/* What a function calls that says what does it for rows is the host's. */
static void
lift(Pass *p, Inst *i)
{
	if (i->lifted)
		return;
	i->lifted = true;
	if (i->rows) {
		*i->rows->u.prim.arg[1] = *i->body;
		*i->body = *i->rows;
		p->caller = i;
		walk(p, i->body->u.prim.arg[0]);
		p->caller = NULL;
		return;
	}
	for (int k = 0; k < i->calls.n; k++)
		lift(p, i->calls.at[k]);
}

/* What is called in parallel code; that asks for instances, too, in which there is more such code. */
static void
lift_inside(Pass *p)
{
	for (int from = 0; from < p->inside.n && !p->failed; ) {
		Inst **more = p->m->end;

		for (; from < p->inside.n; from++)
			lift(p, p->inside.at[from].callee);
		drain(p, more);
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
	bool more = *map_at(p->of, d);

	d->form = f;
	for (Inst *i = *map_at(p->of, d); i; i = i->next_of)
		i->stale = true;
	while (more) {
		more = false;
		for (Inst *i = p->m->insts; i; i = i->next)
			if (!i->stale && calls_stale(i))
				more = i->stale = true;
	}
}

/* -- serial functions ---------------------------------------------------------------------------------- */

/* What names a serial function in parallel code was refused by inference; here is what comes to it by a value, or
 * became serial by a new body. */
static void
check_serial(Pass *p)
{
	for (int k = 0; k < p->inside.n && !p->failed; k++) {
		Call c = p->inside.at[k];
		const char *name = c.callee->decl->name;
		if (!(c.callee->effects & EFFECT_SERIAL))
			continue;
		p->failed = true;
		diag_error(p->u->diag, c.at, "serial-in-parallel", "a serial function%s comes into the body or filter of "
			"an apply-to-each here", c.callee->decl->lambda ? ""
			: arena_printf(p->arena, ", `%.*s`,", (int)strcspn(name, "."), name));
	}
}

/* A form that is wrong is left out, with the instances from *from on, which it asked for; what it was to set has no
 * value for the forms after it, which get new instances: these may use it. */
static void
leave_out_failed(Pass *p, Form *f, Inst **from)
{
	const Bound *b = f->decl;

	f->failed = p->failed;
	p->inside.n = 0;
	for (int i = 0; i < b->n; i++)
		b->at[i]->poisoned = f->failed;
	if (!f->failed)
		return;
	for (Inst *i = p->m->insts; i; i = i->next)
		i->stale = true;
	*from = NULL;
	p->m->end = from;
	p->failed = false;
}

static void
mono_form(Pass *p, Form *f)
{
	MonoEntry *e;
	Inst **last = p->m->end;
	int errors = diag_errors(p->u->diag);
	bool sets = f->kind == FORM_COMMAND && command_sets(f->command);

	if (f->failed || f->basis || (f->kind == FORM_COMMAND && !sets && !f->answer))
		return;
	if (f->kind == FORM_DEF)
		replace_body(p, decl_real(((Bound *)f->decl)->at[0]), f);
	if (f->hidden || (f->kept && !sets))
		return;
	e = NEW(p->arena, MonoEntry, 1);
	e->form = f;
	if (f->kind == FORM_ASSIGN || f->kind == FORM_EXPR) {
		e->body = expr_copy(p->arena, f->body, (Span){0});
		walk(p, e->body);
		if (f->kind == FORM_ASSIGN)
			walk_pattern(p, f->param);
		drain(p, last);
		lift_inside(p);
		if (!p->failed) {
			mono_effects(p->arena, *last);
			check_serial(p);
		}
		leave_out_failed(p, f, last);
		if (f->failed && p->u->echo_all && diag_errors(p->u->diag) == errors)
			diag_error(p->u->diag, e->body->span, "undefined-name", "what this uses is not defined: see above");
		if (f->failed)
			return;
	}
	*p->m->lastentry = e;
	p->m->lastentry = &e->next;
}

/* -- cycles -------------------------------------------------------------------------------------------- */

typedef struct {
	Arena *arena;
	bool inlining;          /* among what may be written out only, to decide what is */
	int visited;
	LIST(Inst *) stack;
} Search;

static bool
may_inline(const Inst *i)
{
	return i->decl->basis || i->decl->lambda || i->form->hidden;
}

/* A component has been found: is what it consists of written out?  What it calls has been decided. */
static void
decide(Inst *i, bool cyclic)
{
	for (int k = 0; k < i->calls.n; k++) {
		const Inst *c = i->calls.at[k];
		if (c->inlined && i->size <= LARGEST_INLINED)
			i->size += c->size;
	}
	i->inlined = !cyclic && !(i->rows && i->lifted) && (i->decl->basis || i->size <= LARGEST_INLINED);
}

static void
search(Search *s, Inst *i)
{
	bool self = false;

	i->index = i->low = ++s->visited;
	LIST_ADD(s->arena, &s->stack, i);
	for (int k = 0; k < i->calls.n; k++) {
		Inst *c = i->calls.at[k];
		if (s->inlining && !may_inline(c))
			continue;
		self = self || c == i;
		if (c->index == 0)
			search(s, c);
		if (c->low < i->low)
			i->low = c->low;
	}
	if (i->low < i->index)
		return;
	for (bool cyclic = self || s->stack.at[s->stack.n - 1] != i; ; ) {
		Inst *c = s->stack.at[--s->stack.n];
		if (s->inlining)
			decide(c, cyclic);
		else
			c->cycle = cyclic ? i->index : 0;
		c->low = INT_MAX;         /* done: no longer on the stack */
		if (c == i)
			return;
	}
}

/* A function of the library, or a small one without a name, is written out where it is called, if that comes to an
 * end. */
static void
find_cycles(Arena *a, Mono *m)
{
	Search few = {.arena = a, .inlining = true}, all = {.arena = a};

	for (Inst *i = m->insts; i; i = i->next)
		if (i->index == 0 && may_inline(i))
			search(&few, i);
	for (Inst *i = m->insts; i; i = i->next)
		i->index = 0;
	for (Inst *i = m->insts; i; i = i->next)
		if (i->index == 0)
			search(&all, i);
}

/* -- names --------------------------------------------------------------------------------------------- */

/* What a type variable stands for, as part of a name: int, float_seq, int_bool, or the name of the function. */
static const char *
type_word(Arena *a, Type *t)
{
	t = type_head(t);
	if (t->kind == TYPE_SEQ)
		return arena_printf(a, "%s_seq", type_word(a, t->a));
	if (t->kind == TYPE_PAIR)
		return arena_printf(a, "%s_%s", type_word(a, t->a), type_word(a, t->b));
	if (t->kind == TYPE_FUN)
		return type_word(a, t->label);
	if (t->kind == TYPE_LABEL)
		return t->decl ? t->decl->name : "";
	return type_text(a, t);
}

static const char *
inst_suffix(Arena *a, const Inst *i)
{
	int n = 0;
	Type **v = i->decl->type ? type_vars(a, i->decl->type, &n) : NULL, **by = NEW(a, Type *, n + 1);
	Types ts = {.arena = a};
	const char *s = "";

	for (int k = 0; k < n; k++)
		by[k] = type_var(a, v[k]->cls);
	if (n > 0)
		type_unify(&ts, type_strip(a, type_subst(a, i->decl->type, v, by, n)), i->type);
	for (int k = 0; k < n; k++)
		if (type_head(by[k])->kind != TYPE_LABEL || type_head(by[k])->decl)
			s = arena_printf(a, "%s_%s", s, type_word(a, by[k]));
	return s;
}

/* The names of hidden functions contain a dot. */
static const char *
written_name(Arena *a, const char *name)
{
	char *s = arena_strndup(a, name, strlen(name));

	for (char *c = s; *c; c++)
		if (*c == '.')
			*c = '_';
	return s;
}

static void
name_insts(Unit *u, Mono *m)
{
	/* by name: an instance of it, the map itself if there are several; the instance that has it */
	Map *of = map_new(u->arena), *taken = map_new(u->arena);

	for (Inst *i = m->insts; i; i = i->next) {
		void **at = map_at(of, i->decl->name);

		*at = *at ? of : (void *)i;
	}
	for (Inst *i = m->insts; i; i = i->next) {
		const bool several = *map_at(of, i->decl->name) == of;
		const char *stem = several ? arena_printf(u->arena, "%s%s", i->decl->name, inst_suffix(u->arena, i)) : i->decl->name;

		i->name = intern(u->names, written_name(u->arena, stem));
		for (int k = 2; *map_at(taken, i->name); k++)
			i->name = intern(u->names, arena_printf(u->arena, "%s_%d", stem, k));
		*map_at(taken, i->name) = i;
	}
}

void
mono(Unit *u)
{
	Mono *m = u->mono = NEW(u->arena, Mono, 1);
	Pass p = {.u = u, .arena = u->arena, .m = m, .of = map_new(u->arena)};

	m->end = &m->insts;
	m->lastentry = &m->entries;
	for (Form *f = u->forms; f; f = f->next)
		mono_form(&p, f);
	find_cycles(u->arena, m);
	name_insts(u, m);
}

/* serial.c: which functions are serial, and that parallel code uses none of them.
 *
 * How  A function is serial if its body names one that is; Decl.serial keeps the first such use, so notes
 *      can lead from a use to the library.  The library's functions use each other in any order, so theirs
 *      are found by a fixed point; a user's function names what was defined before it, and itself.  A new body
 *      on the way may have changed that, so in parallel code the uses are followed each time; what only a new
 *      body made serial is found by mono.c. */
#include "frontend/serial.h"
#include <string.h>

typedef struct {
	Infer *in;
	bool parallel;          /* inside the body or filter of an apply-to-each */
	const Expr *use;        /* the first use outside of these */
} Walk;

/* The function, or the library's constant, that is named. */
static Decl *
named(const Walk *w, const Expr *e)
{
	Decl *d = e->u.var.decl;

	/* the cases of a library function's typecase have not been typed */
	if (!d && w->in->basis)
		d = globals_find(w->in->globals, e->u.var.name, true);
	return d && (d->kind == DECL_FUN || d->kind == DECL_CONST) ? decl_real(d) : NULL;
}

static bool
is_serial(const Walk *w, const Expr *e)
{
	const Decl *d = e->kind == EXPR_VAR ? named(w, e) : NULL;

	if (e->kind == EXPR_PRIM)
		return normal_ir.op[ir_find(&normal_ir, e->u.prim.op)].serial;
	return d && d->serial;
}

/* What is serial by e: is it still, after new bodies? */
static bool
leads_to_library(const Walk *w, const Expr *e)
{
	Decl *d = named(w, e);

	for (w->in->visit++; d->serial && !d->basis && d->visit != w->in->visit; d = named(w, d->serial))
		d->visit = w->in->visit;
	return d->serial && d->basis;
}

/* As messages name it: a default by its parameter. */
static const char *
shown(const Walk *w, const Expr *e)
{
	const char *name = e->u.var.name, *dot = strchr(name, '.');

	return arena_printf(w->in->arena, dot ? "the default of `%s`" : "`%s`", dot ? dot + 1 : name);
}

static void
report(Walk *w, const Expr *e)
{
	infer_error(w->in, e->span, "serial-in-parallel", "%s is serial: it cannot be used in the body or the "
		"filter of an apply-to-each", shown(w, e));
	for (const Decl *d = named(w, e); !d->basis; d = named(w, e)) {
		const char *user = shown(w, e);
		e = d->serial;
		diag_note(w->in->u->diag, e->span, "%s uses %s here", user, shown(w, e));
	}
}

static void
visit(void *with, const Expr *e)
{
	Walk *w = with;
	bool parallel = w->parallel;

	if (is_serial(w, e)) {
		if (!w->parallel && !w->use)
			w->use = e;
		else if (w->parallel && leads_to_library(w, e))
			report(w, e);
	}
	if (e->kind != EXPR_FOREACH) {
		expr_each(e, visit, w);
		return;
	}
	for (const Generator *g = e->u.foreach.gens; g; g = g->next)
		visit(w, g->source);
	w->parallel = true;
	if (e->u.foreach.filter)
		visit(w, e->u.foreach.filter);
	visit(w, e->u.foreach.body);
	w->parallel = parallel;
}

static const Expr *
serial_use(Infer *in, const Form *f)
{
	Walk w = {.in = in};

	visit(&w, f->body);
	return w.use;
}

void
serial_basis(Infer *in)
{
	bool more = true;

	in->basis = true;
	while (more) {
		more = false;
		for (const Form *f = in->u->forms; f; f = f->next) {
			bool names = f->basis && (f->kind == FORM_DEF || f->kind == FORM_ASSIGN);
			Decl *d = names ? ((const Bound *)f->decl)->at[0] : NULL;
			if (d && !d->serial && (d->serial = serial_use(in, f)))
				more = true;
		}
	}
}

void
serial_form(Infer *in, const Form *f, Decl *self)
{
	const Expr *use;

	if (in->failed)
		return;
	use = serial_use(in, f);
	if (!self || !use || in->failed)
		return;
	self->serial = use;
	serial_use(in, f);      /* now that it is known to be serial: its uses of itself */
}

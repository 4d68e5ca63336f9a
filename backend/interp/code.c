/* code.c: normal -> steps.
 *
 * How  Slots are numbered in the order of binding, so those of a block are a range.  Liveness goes
 *      backwards over each block: where a boxed slot is used and not live after, it is let go.  In the
 *      body of a foreach everything from outside stays live, as the body runs again. */
#include "backend/interp/code.h"
#include "backend/interp/eval.h"
#include <string.h>

typedef struct {
	Unit *u;
	Arena *arena;
	Function *all;
	int *slot_of;           /* by Var.id */
	LIST(const Ty *) types;
} Coder;

typedef LIST(int) Slots;

/* -- slots and steps -------------------------------------------------------------------------- */
static int
new_slot(Coder *c, const Var *v)
{
	c->slot_of[v->id] = c->types.n;
	LIST_ADD(c->arena, &c->types, v->ty);
	return c->types.n - 1;
}

static int *
new_slots(Coder *c, Var *const *v, int n)
{
	int *slot = NEW(c->arena, int, n + 1);

	for (int i = 0; i < n; i++)
		slot[i] = new_slot(c, v[i]);
	return slot;
}

static Arg *
make_args(Coder *c, const Opnd *o, int n)
{
	Arg *arg = NEW(c->arena, Arg, n + 1);

	for (int i = 0; i < n; i++) {
		arg[i].slot = o[i].kind == OPND_VAR ? c->slot_of[o[i].u.var->id] : -1;
		arg[i].ty = opnd_ty(o[i]);
		if (o[i].kind == OPND_FLOAT)
			arg[i].k.f = o[i].u.f;
		else if (o[i].kind != OPND_VAR)
			arg[i].k.i = o[i].u.i;
	}
	return arg;
}

static Code *make_code(Coder *c, const Block *b);

static Function *
find_function(Coder *c, const Bind *b)
{
	for (Function *f = c->all; f; f = f->next)
		if (strcmp(f->fun->name, b->name) == 0)
			return f;
	ice(b->span, "interp", "no function %s", b->name);
}

static void
make_operator(Coder *c, Step *s, const OpInfo *op)
{
	const Ty *t = s->bind->narg ? s->arg[0].ty : NULL;
	int bits = c->u->ir->int_bits;

	s->run = eval_operator(op);
	if (!s->run)
		ice(s->bind->span, "interp", "no operator %s", op->name);
	if (op->cls == OP_SCALAR) {
		s->fn = scalar_fn(bits, op->name, t);
		s->guard = op->guard ? scalar_fn(bits, op->guard, t) : NULL;
	} else if (op->cls == OP_REDUCE || op->cls == OP_SCAN) {
		s->fn = scalar_fn(bits, op->base, t->a);
		s->equal = scalar_fn(bits, "eq", t->a);
		s->identity = scalar_identity(bits, op->name, t->a);
	} else if (strcmp(op->name, "call") == 0) {
		s->callee = find_function(c, s->bind);
	} else if (strcmp(op->name, "cell") == 0) {
		s->cell = code_cell(c->u->ir, s->bind->name);
	}
}

static void
make_step(Coder *c, Step *s, const Bind *b)
{
	s->bind = b;
	s->arg = make_args(c, b->arg, b->narg);
	s->block = NEW(c->arena, Code *, b->nblock + 1);
	for (int i = 0; i < b->nblock; i++)
		s->block[i] = make_code(c, b->block[i]);
	s->dst = new_slots(c, b->dst, b->ndst);
	make_operator(c, s, &c->u->ir->ir->op[b->op]);
}

static Code *
make_code(Coder *c, const Block *b)
{
	Code *code = NEW(c->arena, Code, 1);
	int i = 0;

	code->nparam = b->nparam;
	code->param = new_slots(c, b->param, b->nparam);
	for (const Bind *x = b->first; x; x = x->next)
		code->nstep++;
	code->step = NEW(c->arena, Step, code->nstep + 1);
	for (const Bind *x = b->first; x; x = x->next)
		make_step(c, &code->step[i++], x);
	code->yield = make_args(c, b->yield, b->nyield);
	code->nyield = b->nyield;
	return code;
}

/* -- last uses -------------------------------------------------------------------------------- */
static void
set_drop(const Slots *from, int **drop, int *ndrop)
{
	*drop = from->at;
	*ndrop = from->n;
}

static bool
boxed(const Coder *c, int slot)
{
	return slot >= 0 && value_boxed(c->types.at[slot]);
}

/* The last of the arguments that are one slot is the one that may be moved. */
static void
last_uses(Coder *c, Arg *arg, int n, bool *live, Slots *drop)
{
	for (int i = n - 1; i >= 0; i--) {
		int slot = arg[i].slot;

		if (!boxed(c, slot) || live[slot])
			continue;
		arg[i].last = live[slot] = true;
		if (drop)
			LIST_ADD(c->arena, drop, slot);
	}
}

static void live_block(Coder *c, Code *code, bool *live);

static bool *
copy_live(Coder *c, const bool *live)
{
	bool *copy = NEW(c->arena, bool, c->types.n + 1);

	memcpy(copy, live, sizeof *copy * (size_t)c->types.n);
	return copy;
}

/* What one arm needs and another does not is let go where the other begins. */
static void
live_arms(Coder *c, Step *s, bool *live)
{
	bool *arm[2];

	for (int k = 0; k < 2; k++) {
		arm[k] = copy_live(c, live);
		live_block(c, s->block[k], arm[k]);
	}
	for (int i = 0; i < c->types.n; i++)
		live[i] = arm[0][i] || arm[1][i];
	for (int k = 0; k < 2; k++) {
		Slots drop = {0};

		for (int i = 0; i < c->types.n; i++)
			if (live[i] && !arm[k][i])
				LIST_ADD(c->arena, &drop, i);
		set_drop(&drop, &s->block[k]->drop, &s->block[k]->ndrop);
	}
}

static void
mark_uses(const Coder *c, const Code *code, bool *used)
{
	for (int i = 0; i < code->nstep; i++) {
		const Step *s = &code->step[i];

		for (int k = 0; k < s->bind->narg; k++)
			if (boxed(c, s->arg[k].slot))
				used[s->arg[k].slot] = true;
		for (int k = 0; k < s->bind->nblock; k++)
			mark_uses(c, s->block[k], used);
	}
	for (int k = 0; k < code->nyield; k++)
		if (boxed(c, code->yield[k].slot))
			used[code->yield[k].slot] = true;
}

/* The slots before `first` are bound outside the body. */
static void
live_body(Coder *c, Step *s, int first, bool *live, Slots *drop)
{
	Code *body = s->block[0];
	bool *inside = NEW(c->arena, bool, c->types.n + 1);
	bool *used = NEW(c->arena, bool, c->types.n + 1);
	Slots unused = {0};

	for (int i = 0; i < first; i++)
		inside[i] = true;
	live_block(c, body, inside);
	for (int i = 0; i < body->nparam; i++)
		if (boxed(c, body->param[i]) && !inside[body->param[i]])
			LIST_ADD(c->arena, &unused, body->param[i]);
	set_drop(&unused, &body->drop, &body->ndrop);
	mark_uses(c, body, used);
	for (int i = 0; i < first; i++) {
		if (used[i] && !live[i]) {
			live[i] = true;
			LIST_ADD(c->arena, drop, i);
		}
	}
}

static void
live_step(Coder *c, Step *s, bool *live)
{
	Slots drop = {0};

	for (int i = 0; i < s->bind->ndst; i++) {
		if (boxed(c, s->dst[i]) && !live[s->dst[i]])
			LIST_ADD(c->arena, &drop, s->dst[i]);
		live[s->dst[i]] = false;
	}
	if (s->bind->nblock == 2) {
		live_arms(c, s, live);
	} else {
		if (s->bind->nblock == 1)
			live_body(c, s, s->block[0]->nparam ? s->block[0]->param[0] : 0, live, &drop);
		last_uses(c, s->arg, s->bind->narg, live, &drop);
	}
	set_drop(&drop, &s->drop, &s->ndrop);
}

/* In: what is live after the block; out: before it. */
static void
live_block(Coder *c, Code *code, bool *live)
{
	last_uses(c, code->yield, code->nyield, live, NULL);
	for (int i = code->nstep - 1; i >= 0; i--)
		live_step(c, &code->step[i], live);
}

/* -- tail calls ------------------------------------------------------------------------------- */
static bool
yields_results(const Code *code, const Step *s)
{
	if (s->bind->ndst != code->nyield)
		return false;
	for (int i = 0; i < code->nyield; i++)
		if (code->yield[i].slot != s->dst[i])
			return false;
	return true;
}

/* A user's function stays on the stack while library code runs: a fault there is told at its call. */
static void
mark_tails(const Function *f, Code *code)
{
	Step *s = code->nstep ? &code->step[code->nstep - 1] : NULL;

	if (!s || !yields_results(code, s))
		return;
	if (s->callee)
		s->tail = s->callee->basis == f->basis;
	else if (s->bind->nblock == 2)
		for (int k = 0; k < 2; k++)
			mark_tails(f, s->block[k]);
}

/* -- functions and entries -------------------------------------------------------------------- */
bool
code_in_basis(const Unit *u, const char *file)
{
	for (const Source *s = u->sources; s && file; s = s->next)
		if (s->basis && strcmp(s->name, file) == 0)
			return true;
	return false;
}

int
code_cell(const Program *p, const char *name)
{
	int k = 0;

	for (const Cell *c = p->cells; c; c = c->next, k++)
		if (strcmp(c->name, name) == 0)
			return k;
	ice((Span){0}, "interp", "no cell %s", name);
}

static void
finish(Coder *c, Function *f)
{
	bool *live = NEW(c->arena, bool, c->types.n + 1);
	Slots unused = {0};

	live_block(c, f->code, live);
	for (int i = 0; i < f->code->nparam; i++)
		if (boxed(c, f->code->param[i]) && !live[f->code->param[i]])
			LIST_ADD(c->arena, &unused, f->code->param[i]);
	set_drop(&unused, &f->code->drop, &f->code->ndrop);
	f->slot = c->types.at;
	f->nslot = c->types.n;
}

static Coder
coder_for(Unit *u, Function *all)
{
	Coder c = {.u = u, .arena = u->arena, .all = all};

	c.slot_of = NEW(u->arena, int, u->ir->nvar + 1);
	return c;
}

static void
code_function(Unit *u, Function *all, Function *f)
{
	Coder c = coder_for(u, all);
	int *param = new_slots(&c, f->fun->param, f->fun->nparam);

	f->code = make_code(&c, f->fun->body);
	f->code->param = param;
	f->code->nparam = f->fun->nparam;
	finish(&c, f);
	mark_tails(f, f->code);
}

Function *
code_functions(Unit *u)
{
	Function *all = NULL, **end = &all;

	for (const Fun *fun = u->ir->funs; fun; fun = fun->next) {
		Function *f = NEW(u->arena, Function, 1);

		f->fun = fun;
		f->basis = code_in_basis(u, fun->span.file);
		*end = f;
		end = &f->next;
	}
	for (Function *f = all; f; f = f->next)
		code_function(u, all, f);
	return all;
}

Function *
code_entry(Unit *u, Function *all, const Entry *e)
{
	Function *f = NEW(u->arena, Function, 1);
	Coder c = coder_for(u, all);

	f->code = make_code(&c, e->body);
	finish(&c, f);
	return f;
}

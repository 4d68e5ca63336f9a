/* once.c: what no round of a loop changes is made in the first round only.
 *
 * In   flan
 * Out  flan: a function that calls itself at its end does its first round as it was, and goes on as NAME_again.  That is a copy, which is
 *      given what the first round made of parameters that no call changes, where it costs more to make than to keep: sorts,
 *      folds, filters, what is put or taken in no order, tables, descriptors, functions.
 * How  Code motion out of loops by peeling (Muchnick, Advanced Compiler Design and Implementation, 1997, section 13.2): nothing runs
 *      that the program would not run, or earlier; and what was checked in the first round holds in all others.
 *
 * Other element-wise operators are done again: they are part of the task that uses them, and what they give is in no memory. */
#include <string.h>
#include "common/map.h"
#include "flatten/flan.h"
#include "flatten/once.h"

typedef LIST(Bind *) Binds;

typedef struct Once {
	Program *p;
	Map *loud;              /* Fun -> itself: has effects, or asks what time it is */
	Fun *f;
	Map *same;              /* Var -> itself: no round changes it */
	Map *strewn;            /* Var -> itself: as places they are in no order */
	Map *left_out;          /* Bind -> itself: is not in the copy */
	Binds once;             /* made in the first round */
	Map *now;               /* Var of f -> Var of the copy */
	Binds calls;            /* of itself, in f, and then in the copy */
} Once;

static void
add(Map *m, void *x)
{
	*map_at(m, x) = x;
}

/* -- which functions -------------------------------------------------------------------------------- */

static bool
is_loud(const Once *c, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		if (flan_ir.op[s->op].cls == OP_EFFECT || s->op == FLAN_clock || s->op == FLAN_peek)
			return true;
		if (s->op == FLAN_call && *map_at(c->loud, fun_find(c->p, s->name)))
			return true;
		for (int i = 0; i < s->nblock; i++)
			if (is_loud(c, s->block[i]))
				return true;
	}
	return false;
}

static void
find_loud(Once *c)
{
	bool again = true;

	while (again) {
		again = false;
		for (Fun *f = c->p->funs; f; f = f->next)
			if (!*map_at(c->loud, f) && is_loud(c, f->body)) {
				add(c->loud, f);
				again = true;
			}
	}
}

/* How often does b call f? */
static int
calls_in(const Once *c, const Block *b)
{
	int n = 0;

	for (const Bind *s = b->first; s; s = s->next) {
		n += s->op == FLAN_call && fun_find(c->p, s->name) == c->f;
		for (int i = 0; i < s->nblock; i++)
			n += calls_in(c, s->block[i]);
	}
	return n;
}

/* Does something that b calls lead back to f? */
static bool
leads_back(const Once *c, const Block *b, Map *seen)
{
	for (const Bind *s = b->first; s; s = s->next) {
		Fun *g = s->op == FLAN_call ? fun_find(c->p, s->name) : NULL;

		if (g && g != c->f && !*map_at(seen, g)) {
			add(seen, g);
			if (calls_in(c, g->body) > 0 || leads_back(c, g->body, seen))
				return true;
		}
		for (int i = 0; i < s->nblock; i++)
			if (leads_back(c, s->block[i], seen))
				return true;
	}
	return false;
}

/* Those with which b ends. */
static void
find_last_calls(Once *c, Block *b)
{
	Bind *last = (Bind *)block_tail(b);

	if (last && last->op == FLAN_call && !last->lifted && fun_find(c->p, last->name) == c->f)
		LIST_ADD(c->p->arena, &c->calls, last);
	for (int i = 0; last && last->op == FLAN_if && i < last->nblock; i++)
		find_last_calls(c, last->block[i]);
}

static bool
is_loop(Once *c)
{
	if (!c->f->recursive || c->f->scalar || c->f->nested || *map_at(c->loud, c->f))
		return false;
	find_last_calls(c, c->f->body);
	return c->calls.n > 0 && calls_in(c, c->f->body) == c->calls.n;
}

/* -- what no round changes -------------------------------------------------------------------------- */

static bool
is_same(const Once *c, Opnd o)
{
	return o.kind != OPND_VAR || *map_at(c->same, o.u.var);
}

static bool
all_same(const Once *c, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (!is_same(c, x[i]))
			return false;
	return true;
}

static void
find_same_params(Once *c)
{
	for (int i = 0; i < c->f->nparam; i++) {
		bool same = true;

		for (int k = 0; k < c->calls.n; k++)
			same = same && same_opnd(c->calls.at[k]->arg[i], opnd_var(c->f->param[i]));
		if (!same)
			continue;
		add(c->same, c->f->param[i]);
		add(c->strewn, c->f->param[i]);
	}
}

static bool
depends_on_operands(const Once *c, const Bind *b)
{
	switch (flan_ir.op[b->op].cls) {
	case OP_SCALAR: case OP_REDUCE: case OP_SCAN:
		return true;
	case OP_VECTOR:
		return b->op != FLAN_sole && b->op != FLAN_apart && b->op != FLAN_batch_from && b->op != FLAN_batch_rows;
	case OP_CONTROL:
		return b->op == FLAN_check || b->op == FLAN_cell || b->op == FLAN_if
			|| (b->op == FLAN_call && !*map_at(c->loud, fun_find(c->p, b->name)));
	case OP_SEQUENCE: case OP_STATE: case OP_EFFECT: case OP_SOURCE: case OP_SINK: case OP_LIBRARY: case OP_HOST:
		break;
	}
	return false;
}

/* Does each round make the same of it?  Then what it makes is known to be. */
static bool
makes_same(Once *c, const Bind *b)
{
	if (!depends_on_operands(c, b) || !all_same(c, b->narg, b->arg))
		return false;
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (!makes_same(c, s))
				return false;
		if (!all_same(c, b->block[i]->nyield, b->block[i]->yield))
			return false;
	}
	for (int i = 0; i < b->ndst; i++)
		add(c->same, b->dst[i]);
	return true;
}

/* -- what is worth to be kept ----------------------------------------------------------------------- */

static bool
is_strewn(const Once *c, Opnd o)
{
	return o.kind == OPND_VAR && *map_at(c->strewn, o.u.var);
}

static bool
costs(const Once *c, const Bind *b)
{
	const OpInfo *op = &flan_ir.op[b->op];

	switch (b->op) {
	case FLAN_rank: case FLAN_rank_down: case FLAN_sort: case FLAN_group: case FLAN_group_sum: case FLAN_permute: case FLAN_permute_ok: case FLAN_put:
	case FLAN_mark: case FLAN_put_sum: case FLAN_put_max: case FLAN_pack: case FLAN_segdes: case FLAN_segdes_of: case FLAN_compose:
	case FLAN_call:
		return true;
	case FLAN_gather:
		return is_strewn(c, b->arg[1]);
	}
	for (int i = 0; i < b->nblock; i++)
		for (const Bind *s = b->block[i]->first; s; s = s->next)
			if (costs(c, s))
				return true;
	return op_folds(op) || (op->cls == OP_SCALAR && b->lifted && op->sig[0] && strcmp(op->sig[0], "f:f") == 0);
}

/* Its results as places. */
static void
find_strewn(Once *c, const Bind *b, bool kept)
{
	bool strewn = kept;

	for (int i = 0; i < b->narg && flan_ir.op[b->op].cls == OP_SCALAR; i++)
		strewn |= is_strewn(c, b->arg[i]);
	for (int i = 0; i < b->ndst && strewn; i++)
		add(c->strewn, b->dst[i]);
}

static bool
goes_on_in(const Once *c, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		for (int i = 0; i < c->calls.n; i++)
			if (s == c->calls.at[i])
				return true;
		for (int i = 0; i < s->nblock; i++)
			if (goes_on_in(c, s->block[i]))
				return true;
	}
	return false;
}

/* What stands before all calls of itself. */
static void
find_once(Once *c, Block *b)
{
	for (Bind *s = b->first; s; s = s->next) {
		Block *on = NULL;
		int arms = 0;

		for (int i = 0; i < s->nblock; i++)
			if (goes_on_in(c, s->block[i])) {
				on = s->block[i];
				arms++;
			}
		if (arms == 1)
			find_once(c, on);
		if (arms > 0 || (s->op == FLAN_call && fun_find(c->p, s->name) == c->f))
			return;
		if (!makes_same(c, s))
			continue;
		const bool kept = costs(c, s);

		find_strewn(c, s, kept);
		if (kept)
			LIST_ADD(c->p->arena, &c->once, s);
		if (kept || s->op == FLAN_check)
			add(c->left_out, s);
	}
}

/* -- the copy --------------------------------------------------------------------------------------- */

static Var *
new_var(Once *c, Var *v)
{
	Var *now = var_new(c->p, v->name, v->ty);

	*map_at(c->now, v) = now;
	return now;
}

static Var **
new_vars(Once *c, int n, Var *const *v)
{
	Var **now = NEW(c->p->arena, Var *, n);

	for (int i = 0; i < n; i++)
		now[i] = new_var(c, v[i]);
	return now;
}

static Opnd *
new_opnds(const Once *c, int n, const Opnd *x)
{
	Opnd *now = NEW(c->p->arena, Opnd, n);

	for (int i = 0; i < n; i++)
		now[i] = x[i].kind == OPND_VAR ? opnd_var(*map_at(c->now, x[i].u.var)) : x[i];
	return now;
}

static Block *
new_block(Once *c, const Block *b)
{
	Block *to = block_new(c->p);

	for (const Bind *s = b->first; s; s = s->next) {
		Bind *x;

		if (*map_at(c->left_out, s))
			continue;
		x = NEW(c->p->arena, Bind, 1);
		*x = *s;
		x->next = NULL;
		x->arg = new_opnds(c, s->narg, s->arg);
		x->way = new_opnds(c, s->nway, s->way);
		x->block = NEW(c->p->arena, Block *, s->nblock);
		for (int i = 0; i < s->nblock; i++)
			x->block[i] = new_block(c, s->block[i]);
		x->dst = new_vars(c, s->ndst, s->dst);
		*to->end = x;
		to->end = &x->next;
		if (x->op == FLAN_call && fun_find(c->p, x->name) == c->f)
			LIST_ADD(c->p->arena, &c->calls, x);
	}
	block_yield(c->p, to, b->nyield, new_opnds(c, b->nyield, b->yield));
	return to;
}

static const char *
new_name(const Once *c)
{
	const char *name = arena_printf(c->p->arena, "%s_again", c->f->name);

	for (int k = 2; fun_find(c->p, name); k++)
		name = arena_printf(c->p->arena, "%s_again_%d", c->f->name, k);
	return intern(c->p->names, name);
}

static void
hand_on(const Once *c, Bind *call, const char *name, int n, Var *const *v)
{
	Opnd *arg = NEW(c->p->arena, Opnd, call->narg + n);

	memcpy(arg, call->arg, sizeof *arg * (size_t)call->narg);
	for (int i = 0; i < n; i++)
		arg[call->narg + i] = opnd_var(v[i]);
	call->name = name;
	call->arg = arg;
	call->narg += n;
}

/* f goes on as a copy of itself.  What that is given and does not look at goes with other such parameters (arity.c). */
static void
go_on_as_copy(Once *c)
{
	Fun *on = NEW(c->p->arena, Fun, 1), **last = &c->p->funs;
	LIST(Var *) param = {0}, before = {0}, kept = {0};
	const int calls = c->calls.n;

	*on = *c->f;
	on->next = NULL;
	on->name = new_name(c);
	for (int i = 0; i < c->f->nparam; i++)
		LIST_ADD(c->p->arena, &param, new_var(c, c->f->param[i]));
	for (int i = 0; i < c->once.n; i++)
		for (int k = 0; k < c->once.at[i]->ndst; k++) {
			Var *v = c->once.at[i]->dst[k];

			LIST_ADD(c->p->arena, &before, v);
			LIST_ADD(c->p->arena, &kept, new_var(c, v));
			LIST_ADD(c->p->arena, &param, kept.at[kept.n - 1]);
		}
	on->param = param.at;
	on->nparam = param.n;
	on->body = new_block(c, c->f->body);
	for (int i = 0; i < c->calls.n; i++)
		hand_on(c, c->calls.at[i], on->name, kept.n, i < calls ? before.at : kept.at);
	c->f->recursive = false;
	while (*last)
		last = &(*last)->next;
	*last = on;
}

bool
make_once(Program *p)
{
	Map *const loud = map_new(p->arena);
	bool any = false;

	find_loud(&(Once){.p = p, .loud = loud});
	for (Fun *f = p->funs; f; f = f->next) {
		Once c = {.p = p, .loud = loud, .f = f, .same = map_new(p->arena), .strewn = map_new(p->arena), .left_out = map_new(p->arena),
			.now = map_new(p->arena)};

		if (!is_loop(&c))
			continue;
		find_same_params(&c);
		find_once(&c, f->body);
		if (c.once.n == 0 || leads_back(&c, f->body, map_new(p->arena)))
			continue;
		go_on_as_copy(&c);
		any = true;
	}
	return any;
}

/* mutual.c: functions that call each other in tail position, as one function that calls itself.
 *
 * In   normal: a function that is to be called for the rows of a context.
 * Out  a function that calls, in its place, one of all that jump to each other.  This has a number that says whose body
 *      is meant, and their parameters: what is a parameter of one type is one of all of them.  All of their tail calls
 *      are calls of itself, so it can be a loop (loop.c).
 *
 * A tail call hands on what the other function has no parameter for: so it is the same for all rounds, and is not moved.
 * Where there would be no loop the functions stay as they are. */
#include "flatten/flattener.h"

typedef struct Group {
	LIST(const Fun *) member;
	LIST(Var *) param;              /* of `all`: the number, then what the members need */
	Fun *all;                       /* NULL: there is no loop */
	Fun **in_place;                 /* by member: the function that calls `all` */
} Group;

typedef struct Copy {                   /* of a member's body into `all` */
	Flattener *f;
	const Group *g;
	Map *now;                       /* Var of the member -> Var of `all` */
} Copy;

/* -- which functions ---------------------------------------------------------------------------------- */

typedef LIST(const Fun *) FunList;

static bool
is_among(const FunList *l, const Fun *f)
{
	for (int i = 0; i < l->n; i++)
		if (l->at[i] == f)
			return true;
	return false;
}

/* The recursive functions that this block's tail calls lead to, over those that are not in the list yet. */
static void
led_to(const Flattener *f, const Block *b, FunList *l)
{
	const Bind *t = block_tail(b);
	const Fun *g = t && t->op == NORMAL_call ? fun_find(f->in, t->name) : NULL;

	if (t && t->op == NORMAL_if) {
		led_to(f, t->block[0], l);
		led_to(f, t->block[1], l);
	} else if (g && g->recursive && !is_among(l, g)) {
		LIST_ADD(f->arena, l, g);
		led_to(f, g->body, l);
	}
}

static void
find_members(Flattener *f, Group *g)
{
	const Fun *first = g->member.at[0];
	FunList ahead = {0};

	led_to(f, first->body, &ahead);
	for (int i = 0; i < ahead.n; i++) {
		FunList back = {0};

		if (ahead.at[i] == first || !may_be_in_turn(ahead.at[i], first))
			continue;
		led_to(f, ahead.at[i]->body, &back);
		if (is_among(&back, first))
			LIST_ADD(f->arena, &g->member, ahead.at[i]);
	}
}

static int
number_of(const Group *g, const char *name)
{
	for (int i = 0; i < g->member.n; i++)
		if (g->member.at[i]->name == name)
			return i;
	return -1;
}

/* -- parameters --------------------------------------------------------------------------------------- */

/* Which parameter of `all` is number i of x's: as many of its type come before it.  As many as there are: none. */
static int
place_of(const Group *g, const Fun *x, int i)
{
	int before = 0, at = 1;

	for (int j = 0; j < i; j++)
		before += ty_equal(x->param[j]->ty, x->param[i]->ty);
	for (; at < g->param.n; at++)
		if (ty_equal(g->param.at[at]->ty, x->param[i]->ty) && before-- == 0)
			break;
	return at;
}

static void
find_params(Flattener *f, Group *g)
{
	LIST_ADD(f->arena, &g->param, var_new(f->in, "which", &ty_int));
	for (int k = 0; k < g->member.n; k++) {
		const Fun *x = g->member.at[k];

		for (int i = 0; i < x->nparam; i++)
			if (place_of(g, x, i) == g->param.n)
				LIST_ADD(f->arena, &g->param, var_new(f->in, x->param[i]->name, x->param[i]->ty));
	}
}

/* Something of a type, where it is not looked at. */
static Opnd
anything(Flattener *f, Block *to, const Ty *ty, Span span)
{
	Opnd part[2];
	Bind *b;

	if (ty_scalar(ty))
		return zero_of(ty);
	for (int i = 0; i < 2 && ty->kind == TY_PAIR; i++)
		part[i] = anything(f, to, i ? ty->b : ty->a, span);
	b = bind_new(f->in, to, ty->kind == TY_PAIR ? NORMAL_pair : NORMAL_seq, 1, ty->kind == TY_PAIR ? 2 : 0, 0, span);
	b->dst[0] = var_new(f->in, "none", ty);
	for (int i = 0; i < b->narg; i++)
		b->arg[i] = part[i];
	return opnd_var(b->dst[0]);
}

/* .. = call all, for member k with these arguments.  What it has no parameter for is as it is in `all`, or anything. */
static Bind *
call_all(Flattener *f, const Group *g, Block *to, int k, const Opnd *arg, bool within, Span span)
{
	const Fun *x = g->member.at[k];
	Opnd *all = NEW(f->arena, Opnd, g->param.n);
	bool *set = NEW(f->arena, bool, g->param.n);
	Bind *b;

	all[0] = opnd_int(k);
	for (int i = 0; i < x->nparam; i++) {
		all[place_of(g, x, i)] = arg[i];
		set[place_of(g, x, i)] = true;
	}
	for (int i = 1; i < g->param.n; i++)
		if (!set[i])
			all[i] = within ? opnd_var(g->param.at[i]) : anything(f, to, g->param.at[i]->ty, span);
	b = bind_new(f->in, to, NORMAL_call, x->nresult, g->param.n, 0, span);
	b->name = g->all->name;
	for (int i = 0; i < g->param.n; i++)
		b->arg[i] = all[i];
	return b;
}

/* -- bodies ------------------------------------------------------------------------------------------- */

static Var *
renewed(const Copy *c, const Var *v)
{
	Var *n = var_new(c->f->in, v->name, v->ty);

	*map_at(c->now, v) = n;
	return n;
}

static Opnd
now(const Copy *c, Opnd o)
{
	return o.kind == OPND_VAR ? opnd_var(*map_at(c->now, o.u.var)) : o;
}

static Opnd *
now_all(const Copy *c, int n, const Opnd *o)
{
	Opnd *r = NEW(c->f->arena, Opnd, n);

	for (int i = 0; i < n; i++)
		r[i] = now(c, o[i]);
	return r;
}

static Block *copy_block(const Copy *c, const Block *b, bool tail);

static void
copy_bind(const Copy *c, const Bind *b, Block *to, bool tail)
{
	int k = b->op == NORMAL_call ? number_of(c->g, b->name) : -1;
	Bind *n;

	if (k >= 0) {
		n = call_all(c->f, c->g, to, k, now_all(c, b->narg, b->arg), tail, b->span);
	} else {
		n = bind_new(c->f->in, to, b->op, b->ndst, 0, 0, b->span);
		*n = *b;
		n->next = NULL;
		n->arg = now_all(c, b->narg, b->arg);
		n->block = NEW(c->f->arena, Block *, b->nblock);
		for (int i = 0; i < b->nblock; i++)
			n->block[i] = copy_block(c, b->block[i], tail && b->op == NORMAL_if);
	}
	n->dst = NEW(c->f->arena, Var *, b->ndst);
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = renewed(c, b->dst[i]);
}

static Block *
copy_block(const Copy *c, const Block *b, bool tail)
{
	Block *n = block_new(c->f->in);

	n->nparam = b->nparam;
	n->param = NEW(c->f->arena, Var *, b->nparam);
	for (int i = 0; i < b->nparam; i++)
		n->param[i] = renewed(c, b->param[i]);
	for (const Bind *s = b->first; s; s = s->next)
		copy_bind(c, s, n, tail && s == block_tail(b));
	block_yield(c->f->in, n, b->nyield, now_all(c, b->nyield, b->yield));
	return n;
}

static Block *
body_of(Flattener *f, const Group *g, int k)
{
	const Copy c = {f, g, map_new(f->arena)};
	const Fun *x = g->member.at[k];

	for (int i = 0; i < x->nparam; i++)
		*map_at(c.now, x->param[i]) = g->param.at[place_of(g, x, i)];
	return copy_block(&c, x->body, true);
}

/* The bodies of members k and on. */
static Block *
bodies(Flattener *f, const Group *g, int k)
{
	const Fun *x = g->member.at[k];
	Block *b;
	Bind *eq, *branch;

	if (k == g->member.n - 1)
		return body_of(f, g, k);
	b = block_new(f->in);
	eq = bind_new(f->in, b, NORMAL_eq, 1, 2, 0, x->span);
	eq->dst[0] = var_new(f->in, x->name, &ty_bool);
	eq->arg[0] = opnd_var(g->param.at[0]);
	eq->arg[1] = opnd_int(k);
	branch = bind_new(f->in, b, NORMAL_if, x->nresult, 1, 2, x->span);
	branch->arg[0] = opnd_var(eq->dst[0]);
	branch->block[0] = body_of(f, g, k);
	branch->block[1] = bodies(f, g, k + 1);
	for (int i = 0; i < x->nresult; i++)
		branch->dst[i] = var_new(f->in, x->name, x->result[i]);
	b->nyield = x->nresult;
	b->yield = NEW(f->arena, Opnd, x->nresult);
	for (int i = 0; i < x->nresult; i++)
		b->yield[i] = opnd_var(branch->dst[i]);
	return b;
}

/* -- functions ---------------------------------------------------------------------------------------- */

static Fun *
new_fun(Flattener *f, const Fun *like, const char *name, int nparam, Var **param)
{
	Fun *n = NEW(f->arena, Fun, 1);

	*n = *like;
	n->next = NULL;
	n->name = name;
	n->nparam = nparam;
	n->param = param;
	return n;
}

static void
make_all(Flattener *f, Group *g)
{
	const char *name = "";
	Fun **end = &f->in->funs;

	for (int i = 0; i < g->member.n; i++)
		name = arena_printf(f->arena, "%s%s%s", name, i ? "_" : "", g->member.at[i]->name);
	while (fun_find(f->in, name))
		name = arena_printf(f->arena, "%s_", name);
	g->all = new_fun(f, g->member.at[0], intern(f->in->names, name), g->param.n, g->param.at);
	while (*end)
		end = &(*end)->next;
	*end = g->all;
	g->all->body = bodies(f, g, 0);
}

/* The function that calls `all` for member k; it has that one's name. */
static Fun *
in_place(Flattener *f, const Group *g, int k)
{
	const Fun *x = g->member.at[k];
	Var **param = NEW(f->arena, Var *, x->nparam);
	Opnd *arg = NEW(f->arena, Opnd, x->nparam);
	Fun *n = new_fun(f, x, x->name, x->nparam, param);
	Bind *call;

	for (int i = 0; i < x->nparam; i++) {
		param[i] = var_new(f->in, x->param[i]->name, x->param[i]->ty);
		arg[i] = opnd_var(param[i]);
	}
	n->body = block_new(f->in);
	call = call_all(f, g, n->body, k, arg, false, x->span);
	for (int i = 0; i < x->nresult; i++)
		call->dst[i] = var_new(f->in, x->name, x->result[i]);
	n->body->nyield = x->nresult;
	n->body->yield = NEW(f->arena, Opnd, x->nresult);
	for (int i = 0; i < x->nresult; i++)
		n->body->yield[i] = opnd_var(call->dst[i]);
	n->recursive = leads_to(f, call, n);
	return n;
}

static Group *
group_of(Flattener *f, const Fun *fun)
{
	Group *g = *map_at(f->groups, fun);

	if (g)
		return g;
	g = NEW(f->arena, Group, 1);
	LIST_ADD(f->arena, &g->member, fun);
	find_members(f, g);
	for (int i = 0; i < g->member.n; i++)
		*map_at(f->groups, g->member.at[i]) = g;
	if (g->member.n == 1)
		return g;
	find_params(f, g);
	make_all(f, g);
	*map_at(f->groups, g->all) = g;
	if (!loops(f, g->all)) {
		g->all = NULL;
		return g;
	}
	g->in_place = NEW(f->arena, Fun *, g->member.n);
	for (int i = 0; i < g->member.n; i++)
		g->in_place[i] = in_place(f, g, i);
	return g;
}

const Fun *
as_one(Flattener *f, const Fun *fun)
{
	Group *g = fun->recursive && !scalar_fun(f, fun) ? group_of(f, fun) : NULL;

	return g && g->all && fun != g->all ? g->in_place[number_of(g, fun->name)] : fun;
}

bool
is_part_of(const Flattener *f, const Fun *fun, const Fun *of)
{
	const Group *g = *map_at(f->groups, of);

	return fun->name == of->name || (g && g->all == of && number_of(g, fun->name) >= 0);
}

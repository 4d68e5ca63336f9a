/* await.c: when the host waits for what tasks have found.
 *
 * In   bindings of a block, in their order
 * Out  after a task that finds something the host goes on: with what needs none of it, and with tasks that read no more of it
 *      than where the rows of a descriptor are, which the device knows.  One wait then brings all that was found.
 *      How long something is that was found is no reason to wait: that is told when something needs it.  Nor is a read of something
 *      else: the wait for that brings what was found, too.
 *      After checks of indices that are to be a permutation it goes on with other such checks, and with the scatter, of which
 *      not all is written where they fail: until something else comes, or reads that. */
#include "backend/cuda/gen.h"

static bool
is_later(const Gen *g, const Var *v)
{
	for (int i = 0; i < g->later.n; i++)
		if (g->later.at[i]->dst[0] == v)
			return true;
	return false;
}

static bool
is_found(const Gen *g, const Var *v)
{
	for (int i = 0; i < g->awaited.n; i++)
		for (int j = 0; j < g->awaited.at[i]->ndst; j++)
			if (g->awaited.at[i]->dst[j] == v)
				return true;
	return is_later(g, v);
}

static bool
any_found(const Gen *g, const Opnd *x, int n)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR && is_found(g, x[i].u.var))
			return true;
	return false;
}

/* A descriptor that is not cut to the rows kept. */
static bool
is_whole(const Gen *g, const Var *v)
{
	for (int i = 0; i < g->awaited.n; i++) {
		const Bind *task = g->awaited.at[i];

		for (int j = 0; j < task->ndst; j++)
			if (task->dst[j] == v)
				return v->ty->kind == TY_SEGDES && g->step[task->block[0]->yield[j].u.var->id]->op != LCU_keep_lengths;
	}
	return true;
}

static bool
task_needs(const Gen *g, const Bind *task)
{
	if (any_found(g, task->arg, task->narg) || scalar_task_loops(g->scalars, task))
		return true;
	for (const Bind *s = task->block[0]->first; s; s = s->next) {
		if (any_found(g, s->way, s->nway))
			return true;
		for (int i = 0; i < s->narg; i++)
			if (s->arg[i].kind == OPND_VAR && (!is_whole(g, s->arg[i].u.var) || is_later(g, s->arg[i].u.var)))
				return true;
	}
	return false;
}

/* What tasks find is in one place until it is waited for (NESL_FOUND): values of so many, at most, and no task finds as many. */
enum { MOST_FOUND = 1000 };
static bool
finds_too_much(const Gen *g, const Bind *task)
{
	int n = task->ndst;

	for (int i = 0; i < g->awaited.n; i++)
		n += g->awaited.at[i]->ndst;
	return n > MOST_FOUND;
}

/* Must what was found be there before b? */
static bool
needs(const Gen *g, const Bind *b)
{
	if (b->op == LCU_task)
		return task_needs(g, b) || finds_too_much(g, b);
	return await_concerns(g, b)
		|| !(gen_info(g, b)->cls == OP_SCALAR || b->op == LCU_uniform || b->op == LCU_area || b->op == LCU_length
			|| b->op == LCU_sole || b->op == LCU_free || reads_value(b));
}

/* -- permutations ---------------------------------------------------------------------------------- */
static bool
checks_permute(const Bind *task)
{
	for (const Bind *s = task->block[0]->first; s; s = s->next)
		if (lcu_checks_permute(s))
			return true;
	return false;
}

static bool
scatters(const Bind *task)
{
	for (const Bind *s = task->block[0]->first; s; s = s->next)
		if (s->op == LCU_scatter)
			return true;
	return false;
}

static bool
is_scattered(const Gen *g, const Opnd *x, int n)
{
	for (int i = 0; i < n; i++)
		for (int j = 0; j < g->scattered.n; j++)
			if (x[i].kind == OPND_VAR && x[i].u.var == g->scattered.at[j])
				return true;
	return false;
}

static bool
reads_scattered(const Gen *g, const Bind *b)
{
	if (is_scattered(g, b->arg, b->narg))
		return true;
	for (const Bind *s = b->op == LCU_task ? b->block[0]->first : NULL; s; s = s->next)
		if (is_scattered(g, s->arg, s->narg) || is_scattered(g, s->way, s->nway))
			return true;
	return false;
}

/* Is it part of a permutation, or does it concern the host's numbers alone? */
static bool
may_be_early(const Gen *g, const Bind *b)
{
	if (b->op == LCU_free || b->op == LCU_length || gen_info(g, b)->cls == OP_SCALAR)
		return true;
	return (b->op == LCU_permute_ok || (b->op == LCU_task && (checks_permute(b) || scatters(b)))) && !reads_scattered(g, b);
}

/* A scatter may stand before its checks. */
void
await_after(Gen *g, const Bind *task)
{
	g->doubted = g->doubted || checks_permute(task);
	for (int i = 0; i < task->ndst; i++) {
		const Opnd r = task->block[0]->yield[i];

		if (r.kind == OPND_VAR && g->step[r.u.var->id]->op == LCU_scatter)
			LIST_ADD(g->a, &g->scattered, task->dst[i]);
	}
}

/* -- waits ------------------------------------------------------------------------------------------ */
void
await_all(Gen *g)
{
	if (g->awaited.n)
		emit_line(g->e, "nesl_await();");
	for (int i = 0; i < g->awaited.n; i++) {
		if (g->awaited.n > 1)
			emit_line(g->e, "nesl_run.task = &nesl_tasks[%d];", gen_task(g, g->awaited.at[i]));
		task_take(g, g->awaited.at[i]);
	}
	g->awaited.n = 0;
	for (int i = 0; i < g->later.n; i++)
		host_length(g, g->later.at[i]);
	g->later.n = 0;
	if (g->doubted)
		emit_line(g->e, "nesl_settle();");
	g->doubted = false;
}

void
await_before(Gen *g, const Bind *b)
{
	if ((g->awaited.n && needs(g, b)) || (g->doubted && !may_be_early(g, b)))
		await_all(g);
}

bool
await_concerns(const Gen *g, const Bind *b)
{
	return any_found(g, b->arg, b->narg);
}

bool
await_later(Gen *g, const Bind *b)
{
	if (b->op != LCU_length || !any_found(g, b->arg, 1))
		return false;
	LIST_ADD(g->a, &g->later, b);
	return true;
}

/* await.c: when the host waits for what tasks have found.
 *
 * In   bindings of a block, in their order
 * Out  after a task that finds something the host goes on: with what needs none of it, and with tasks that read no more of it
 *      than where the rows of a descriptor are, which the device knows.  One wait then brings all that was found. */
#include "backend/cuda/gen.h"

static bool
is_found(const Gen *g, const Var *v)
{
	for (int i = 0; i < g->awaited.n; i++)
		for (int j = 0; j < g->awaited.at[i]->ndst; j++)
			if (g->awaited.at[i]->dst[j] == v)
				return true;
	return false;
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
			if (s->arg[i].kind == OPND_VAR && !is_whole(g, s->arg[i].u.var))
				return true;
	}
	return false;
}

/* Must what was found be there before b? */
static bool
needs(const Gen *g, const Bind *b)
{
	if (b->op == LCU_task)
		return task_needs(g, b);
	return any_found(g, b->arg, b->narg)
		|| !(g->p->ir->op[b->op].cls == OP_SCALAR || b->op == LCU_uniform || b->op == LCU_area || b->op == LCU_length
			|| b->op == LCU_sole || b->op == LCU_free);
}

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
}

void
await_before(Gen *g, const Bind *b)
{
	if (g->awaited.n && needs(g, b))
		await_all(g);
}

/* unused.c: results of tasks that nobody uses.
 *
 * In   lcu or mem
 * Out  the same: what a task makes and nobody reads, or it is only given back, is not made
 * How  From the last binding on: what a step is made of may be wanted by nobody else. */
#include "fuse/unused.h"
#include "fuse/lcu.h"

typedef struct Unused {
	Program *p;
	int *uses;              /* by Var.id, but for its memory being given back */
	bool *gone;             /* by Var.id: it is not made any more */
} Unused;

static void
count(const Unused *u, int n, const Opnd *x, int by)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR)
			u->uses[x[i].u.var->id] += by;
}

static void
count_block(const Unused *u, Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		if (s->op != LCU_free)
			count(u, s->narg, s->arg, 1);
		count(u, s->nway, s->way, 1);
		for (int i = 0; i < s->nblock; i++)
			count_block(u, s->block[i]);
	}
	count(u, b->nyield, b->yield, 1);
}

/* Of a step what tells of faults, or takes memory over, is wanted. */
static bool
is_wanted(const Unused *u, const Bind *s)
{
	bool wanted = s->op == LCU_check || s->op == LCU_call || lcu_takes_place(s);

	for (int i = 0; i < s->ndst; i++)
		wanted |= u->uses[s->dst[i]->id] > 0;
	return wanted;
}

/* The bindings of b, the last one first. */
typedef LIST(Bind *) Binds;

static Binds
taken_out(const Unused *u, Block *b)
{
	Binds all = {0};

	for (Bind *s = b->first; s; s = s->next)
		LIST_ADD(u->p->arena, &all, s);
	b->first = NULL;
	b->end = &b->first;
	return all;
}

static void
put_first(Block *b, Bind *s)
{
	s->next = b->first;
	if (!b->first)
		b->end = &s->next;
	b->first = s;
}

static void
prune_steps(const Unused *u, Block *body)
{
	const Binds step = taken_out(u, body);

	for (int i = step.n - 1; i >= 0; i--)
		if (is_wanted(u, step.at[i]))
			put_first(body, step.at[i]);
		else
			count(u, step.at[i]->narg, step.at[i]->arg, -1);
}

static void
prune_task(const Unused *u, Bind *task)
{
	Block *body = task->block[0];
	int n = 0;

	for (int i = 0; i < task->ndst; i++) {
		if (u->uses[task->dst[i]->id] == 0 && !lcu_takes_place(lcu_sink(task, i))) {
			count(u, 1, &body->yield[i], -1);
			u->gone[task->dst[i]->id] = true;
			continue;
		}
		task->dst[n] = task->dst[i];
		body->yield[n++] = body->yield[i];
	}
	if (n == task->ndst)
		return;
	task->ndst = body->nyield = n;
	prune_steps(u, body);
	if (!body->first)
		count(u, task->narg, task->arg, -1);
}

static void
prune(const Unused *u, Block *b)
{
	const Binds all = taken_out(u, b);

	for (int i = all.n - 1; i >= 0; i--) {
		Bind *s = all.at[i];

		for (int k = 0; k < s->nblock && s->op != LCU_task; k++)
			prune(u, s->block[k]);
		if (s->op == LCU_task)
			prune_task(u, s);
		if (s->op != LCU_task || s->block[0]->first)
			put_first(b, s);
	}
}

/* Nothing is given back of what is not made. */
static void
drop_frees(const Unused *u, Block *b)
{
	const Binds all = taken_out(u, b);

	for (int i = all.n - 1; i >= 0; i--) {
		Bind *s = all.at[i];

		for (int k = 0; k < s->nblock && s->op != LCU_task; k++)
			drop_frees(u, s->block[k]);
		if (s->op != LCU_free || !u->gone[s->arg[0].u.var->id])
			put_first(b, s);
	}
}

static void
for_bodies(const Unused *u, void (*visit)(const Unused *, Block *))
{
	for (Fun *f = u->p->funs; f; f = f->next)
		visit(u, f->body);
	for (Entry *e = u->p->entries; e; e = e->next)
		if (e->body)
			visit(u, e->body);
}

void
unused(Program *p)
{
	const Unused u = {p, NEW(p->arena, int, p->nvar + 1), NEW(p->arena, bool, p->nvar + 1)};

	for_bodies(&u, count_block);
	for_bodies(&u, prune);
	for_bodies(&u, drop_frees);
}

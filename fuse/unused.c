/* unused.c: results of tasks that nobody uses.
 *
 * In   lcu or mem
 * Out  the same: what a task makes and nobody reads, or it is only given back, is not made
 * How  From the last binding on: what a step is made of may be wanted by nobody else. */
#include "fuse/unused.h"
#include "fuse/lcu.h"

typedef struct Unused {
	Arena *scratch;
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
count_block(const Unused *u, const Block *b)
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

/* Keeps the bindings of b that stay, and of the arms in it, from the last one on. */
static void
keep_if(const Unused *u, Block *b, bool (*stays)(const Unused *, Bind *))
{
	LIST(Bind *) all = {0};

	for (Bind *s = b->first; s; s = s->next)
		LIST_ADD(u->scratch, &all, s);
	b->first = NULL;
	b->end = &b->first;
	for (int i = all.n - 1; i >= 0; i--) {
		Bind *s = all.at[i];

		for (int k = 0; k < s->nblock && s->op != LCU_task; k++)
			keep_if(u, s->block[k], stays);
		if (!stays(u, s))
			continue;
		s->next = b->first;
		if (!b->first)
			b->end = &s->next;
		b->first = s;
	}
}

/* A step that tells of faults, or takes memory over, is wanted anyway. */
static bool
step_stays(const Unused *u, Bind *s)
{
	bool stays = s->op == LCU_check || s->op == LCU_call || lcu_takes_place(s);

	for (int i = 0; i < s->ndst; i++)
		stays |= u->uses[s->dst[i]->id] > 0;
	if (!stays)
		count(u, s->narg, s->arg, -1);
	return stays;
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
	if (n < task->ndst) {
		task->ndst = body->nyield = n;
		keep_if(u, body, step_stays);
	}
}

/* A task of which no step is left goes. */
static bool
task_stays(const Unused *u, Bind *s)
{
	if (s->op != LCU_task)
		return true;
	prune_task(u, s);
	if (!s->block[0]->first)
		count(u, s->narg, s->arg, -1);
	return s->block[0]->first;
}

/* Nothing is given back of what is not made. */
static bool
free_stays(const Unused *u, Bind *s)
{
	return s->op != LCU_free || !u->gone[s->arg[0].u.var->id];
}

static void
unused_in(const Unused *u, Block *b)
{
	count_block(u, b);
	keep_if(u, b, task_stays);
	keep_if(u, b, free_stays);
}

void
unused(Program *p)
{
	Arena *scratch = arena_new();
	const Unused u = {scratch, NEW(scratch, int, p->nvar + 1), NEW(scratch, bool, p->nvar + 1)};

	for (Fun *f = p->funs; f; f = f->next)
		unused_in(&u, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			unused_in(&u, e->body);
	arena_free(scratch);
}

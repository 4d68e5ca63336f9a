/* measure.c: arrays that are only measured.
 *
 * In   lcu
 * Out  lcu: how long something is that a task keeps is the number that it was told, or asked of another array that it keeps by the
 *      same condition, if it is wanted for nothing else
 * How  A filter is as long as the positions that it lets through.  Fusion keeps what is at these, and kept them too, to count them. */
#include "fuse/measure.h"
#include "fuse/lcu.h"

typedef struct Measure {
	const Bind **task;      /* by Var.id: that makes it; NULL: none */
	int *uses;              /* by Var.id, but for its length being asked */
	const Opnd **number;    /* by Var.id, a length: what is known of it; NULL: nothing */
} Measure;

static void
count(const Measure *m, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (x[i].kind == OPND_VAR)
			m->uses[x[i].u.var->id]++;
}

static void
look_into(const Measure *m, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		for (int i = 0; i < s->ndst && s->op == LCU_task; i++)
			m->task[s->dst[i]->id] = s;
		if (s->op != LCU_length)
			count(m, s->narg, s->arg);
		count(m, s->nway, s->way);
		for (int i = 0; i < s->nblock; i++)
			look_into(m, s->block[i]);
	}
	count(m, b->nyield, b->yield);
}

/* The step that keeps it; NULL: it is nothing that is kept. */
static const Bind *
keep_of(const Measure *m, const Var *v)
{
	const Bind *task = m->task[v->id];

	for (int i = 0; task && i < task->ndst; i++)
		if (task->dst[i] == v)
			return lcu_sink(task, i)->op == LCU_keep ? lcu_sink(task, i) : NULL;
	return NULL;
}

/* One of those as long as v that is wanted anyway; else the first. */
static Var *
as_long(const Measure *m, const Var *v, const Bind *keep)
{
	const Bind *task = m->task[v->id];
	Var *first = NULL;

	for (int i = 0; i < task->ndst; i++) {
		const Bind *other = keep_of(m, task->dst[i]);

		if (!other || other->level != keep->level || !same_opnd(other->arg[0], keep->arg[0]))
			continue;
		if (m->uses[task->dst[i]->id] > 0)
			return task->dst[i];
		first = first ? first : task->dst[i];
	}
	return first;
}

static void
ask_elsewhere(const Measure *m, const Block *b)
{
	for (Bind *s = b->first; s; s = s->next) {
		const Bind *keep = s->op == LCU_length ? keep_of(m, s->arg[0].u.var) : NULL;

		for (int i = 0; i < s->nblock && s->op != LCU_task; i++)
			ask_elsewhere(m, s->block[i]);
		if (keep && lcu_count(keep))
			m->number[s->dst[0]->id] = lcu_count(keep);
		else if (keep && m->uses[s->arg[0].u.var->id] == 0)
			s->arg[0] = opnd_var(as_long(m, s->arg[0].u.var, keep));
	}
}

/* What is known of a length stands for it: it was known before. */
static void
stand_for(const Measure *m, int n, Opnd *x)
{
	for (int i = 0; i < n; i++)
		while (x[i].kind == OPND_VAR && m->number[x[i].u.var->id])
			x[i] = *m->number[x[i].u.var->id];
}

static void
tell(const Measure *m, Block *b)
{
	for (Bind **at = &b->first, *s; (s = *at); ) {
		stand_for(m, s->narg, s->arg);
		stand_for(m, s->nway, s->way);
		for (int i = 0; i < s->nblock; i++)
			tell(m, s->block[i]);
		if (s->op == LCU_length && m->number[s->dst[0]->id]) {
			*at = s->next;
			b->end = s->next ? b->end : at;
		} else {
			at = &s->next;
		}
	}
	stand_for(m, b->nyield, b->yield);
}

static void
measure_in(const Measure *m, Block *b)
{
	look_into(m, b);
	ask_elsewhere(m, b);
	tell(m, b);
}

void
measure(Program *p)
{
	const int n = p->nvar + 1;
	Arena *scratch = arena_new();
	const Measure m = {NEW(scratch, const Bind *, n), NEW(scratch, int, n), NEW(scratch, const Opnd *, n)};

	for (Fun *f = p->funs; f; f = f->next)
		measure_in(&m, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			measure_in(&m, e->body);
	arena_free(scratch);
}

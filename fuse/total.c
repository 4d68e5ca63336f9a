/* total.c: how much was kept, a task asks the descriptor of what was kept.
 *
 * In   lcu
 * Out  lcu: a number of what a task keeps of rows, wanted only by tasks that read where these begin, is a step of theirs
 * How  The host would have to wait for it, and the tasks for the host.  It is where the last row ends. */
#include "fuse/total.h"
#include "fuse/lcu.h"

typedef struct Totals {
	Program *p;
	int nvar;               /* before any was made here */
	const Bind **task;      /* by Var.id: that makes it; NULL: none */
	Var **of;               /* by Var.id: the descriptor that this number is the total of; NULL: it is no such */
	int *uses;              /* by Var.id: how many there are, */
	int *asks;              /* and how many by tasks that read the descriptor anyway */
} Totals;

/* The step of its task that makes v; NULL: no task does. */
static const Bind *
sink_of(const Totals *t, const Var *v)
{
	const Bind *task = t->task[v->id];

	for (int i = 0; task && i < task->ndst; i++)
		if (task->dst[i] == v)
			return lcu_sink(task, i);
	return NULL;
}

/* The descriptor of the rows of v, of which it is what was kept. */
static Var *
rows_of(const Totals *t, const Var *v)
{
	const Bind *keep = sink_of(t, v), *task = t->task[v->id];

	for (int i = 0; keep && keep->op == LCU_keep && keep->level == 2 && i < task->ndst; i++) {
		const Bind *s = sink_of(t, task->dst[i]);

		if (s->op == LCU_keep_segdes && same_opnd(s->arg[0], keep->arg[0]))
			return task->dst[i];
	}
	return NULL;
}

static bool
reads_rows(const Bind *task, const Var *s)
{
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		for (int i = 0; i < b->narg; i++)
			if (same_opnd(b->arg[i], opnd_var((Var *)s)))
				return true;
	return false;
}

/* n operands; task: of its steps, that are made for elements up to `told`. */
static void
count(const Totals *t, int n, const Opnd *x, const Bind *task, int told)
{
	for (int i = 0; i < n; i++) {
		const Var *v = x[i].kind == OPND_VAR ? x[i].u.var : NULL;

		if (!v)
			continue;
		t->uses[v->id]++;
		t->asks[v->id] += task && i < told && t->of[v->id] && reads_rows(task, t->of[v->id]);
	}
}

static void
look_into(const Totals *t, const Block *b, const Bind *task)
{
	for (const Bind *s = b->first; s; s = s->next) {
		for (int i = 0; i < s->ndst && s->op == LCU_task; i++)
			t->task[s->dst[i]->id] = s;
		if (s->op == LCU_length)
			t->of[s->dst[0]->id] = rows_of(t, s->arg[0].u.var);
		count(t, s->narg, s->arg, task, op_told(&t->p->ir->op[s->op]));
		count(t, s->nway, s->way, NULL, 0);
		for (int i = 0; i < s->nblock; i++)
			look_into(t, s->block[i], s->op == LCU_task ? s : NULL);
	}
	count(t, b->nyield, b->yield, NULL, 0);
}

static bool
is_asked(const Totals *t, Opnd x)
{
	return x.kind == OPND_VAR && x.u.var->id < t->nvar && t->of[x.u.var->id] && t->asks[x.u.var->id] == t->uses[x.u.var->id];
}

/* The step of the task that says so, before the first that wants it. */
static Opnd
step(const Totals *t, Bind **at, const Bind *task, Opnd number)
{
	const Opnd of = opnd_var(t->of[number.u.var->id]);
	Bind *b;

	for (b = task->block[0]->first; b != *at; b = b->next)
		if (b->op == LCU_seg_total && same_opnd(b->arg[0], of))
			return opnd_var(b->dst[0]);
	b = bind_at(t->p, at, LCU_seg_total, var_new(t->p, number.u.var->name, &ty_int), 1, &of, (*at)->span);
	b->level = 1;
	return opnd_var(b->dst[0]);
}

static void
ask_in(const Totals *t, Block *b, const Bind *task)
{
	for (Bind **at = &b->first, *s; (s = *at); ) {
		if (s->op == LCU_length && is_asked(t, opnd_var(s->dst[0]))) {
			*at = s->next;
			if (!s->next)
				b->end = at;
			continue;
		}
		for (int i = 0; i < s->narg && task; i++)
			if (is_asked(t, s->arg[i])) {
				s->arg[i] = step(t, at, task, s->arg[i]);
				while (*at != s)
					at = &(*at)->next;
			}
		for (int i = 0; i < s->nblock; i++)
			ask_in(t, s->block[i], s->op == LCU_task ? s : NULL);
		at = &s->next;
	}
}

static void
total_in(const Totals *t, Block *b)
{
	look_into(t, b, NULL);
	ask_in(t, b, NULL);
}

void
total(Program *p)
{
	const int n = p->nvar;
	Arena *scratch = arena_new();
	Totals t = {p, n, NEW(scratch, const Bind *, n + 1), NEW(scratch, Var *, n + 1), NEW(scratch, int, n + 1),
		NEW(scratch, int, n + 1)};

	for (Fun *f = p->funs; f; f = f->next)
		total_in(&t, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			total_in(&t, e->body);
	arena_free(scratch);
}

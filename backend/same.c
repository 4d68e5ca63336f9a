/* same.c: tasks that are the same.
 *
 * How  A task's key is the text of its bindings with each variable replaced by a number, given at its first
 *      occurrence; of the ways out of its checks, which are told when it is run, only whether there are any; of a
 *      fetch or mark, whether a check compares its place with the vector's length.  Keys are interned: equal ones are one
 *      pointer.  Free variables are listed in the order of their numbers, so the k-th of a task stands where the k-th
 *      of another with its key does. */
#include "backend/same.h"
#include <inttypes.h>
#include <stdlib.h>
#include "common/map.h"
#include "fuse/lcu.h"

typedef LIST(Var *) Vars;

typedef struct {
	LIST(const Bind *) task;
} Group;

typedef struct {
	const Group *group;
	Vars free;
} Task;

struct Same {
	const Program *p;
	Map *task;              /* Bind -> Task */
	Map *group;             /* key -> Group */
	Map *length;            /* Var, a vector -> Var: its length */
};

typedef struct {
	const Same *same;
	FILE *text;
	Map *number;            /* Var -> Number */
	int n;
	Vars free;
} Key;

typedef struct { int at; } Number;

/* -- the lengths of vectors ---------------------------------------------------------------------- */
static bool
measures(const Same *s, Opnd n, Opnd v)
{
	return n.kind == OPND_VAR && *map_at(s->length, v.u.var) == n.u.var;
}

const Bind *
same_checked(const Same *s, const Bind *task, const Bind *step)
{
	const Opnd *of = step->op == LCU_fetch ? &step->arg[0] : step->op == LCU_mark ? &step->arg[2] : NULL;

	for (const Bind *b = task->block[0]->first; of && b; b = b->next)
		if (b->op == LCU_in_range && same_opnd(b->arg[0], step->arg[1]) && measures(s, b->arg[1], *of))
			return b;
	return NULL;
}

/* -- the key of a task ------------------------------------------------------------------------- */
static void
key_var(Key *k, Var *v, bool bound)
{
	Arena *a = k->same->p->arena;
	void **at = map_at(k->number, v);
	Number *number = *at;

	if (!number) {
		*at = number = NEW(a, Number, 1);
		number->at = k->n++;
		if (!bound)
			LIST_ADD(a, &k->free, v);
	}
	fprintf(k->text, " %s v%d", ty_text(a, v->ty), number->at);
}

/* The sign of a zero counts. */
static void
key_operand(Key *k, Opnd o)
{
	if (o.kind == OPND_VAR)
		key_var(k, o.u.var, false);
	else if (o.kind == OPND_FLOAT)
		fprintf(k->text, " %a", o.u.f);
	else
		fprintf(k->text, " %d:%" PRId64, (int)o.kind, o.u.i);
}

static void
key_bind(Key *k, const Bind *task, const Bind *b)
{
	fprintf(k->text, "%d@%d %s%s%s", b->op, b->level, b->name ? b->name : "", b->nway > 0 ? " |" : "",
		same_checked(k->same, task, b) ? " #" : "");
	for (int i = 0; i < b->narg; i++)
		key_operand(k, b->arg[i]);
	fputs(" ->", k->text);
	for (int i = 0; i < b->ndst; i++)
		key_var(k, b->dst[i], true);
	fputc('\n', k->text);
}

/* The key as an interned text; the free variables of the task in *free. */
static const char *
key_of(const Same *s, const Bind *task, Vars *free_vars)
{
	Key k = {.same = s, .number = map_new(s->p->arena)};
	const Block *body = task->block[0];
	const char *key;
	char *text;
	size_t n;

	k.text = open_memstream(&text, &n);
	if (!k.text)
		ice(task->span, "same", "no memory");
	for (int i = 0; i < task->narg; i++)
		key_operand(&k, task->arg[i]);
	fputc('\n', k.text);
	for (const Bind *b = body->first; b; b = b->next)
		key_bind(&k, task, b);
	for (int i = 0; i < body->nyield; i++)
		key_operand(&k, body->yield[i]);
	fclose(k.text);
	key = intern_n(s->p->names, text, n);
	free(text);
	*free_vars = k.free;
	return key;
}

/* -- the program ------------------------------------------------------------------------------- */
static void
add_task(Same *s, const Bind *b)
{
	Arena *a = s->p->arena;
	Task *t = NEW(a, Task, 1);
	void **at = map_at(s->group, key_of(s, b, &t->free));
	Group *g = *at;

	if (!g)
		*at = g = NEW(a, Group, 1);
	LIST_ADD(a, &g->task, b);
	t->group = g;
	*map_at(s->task, b) = t;
}

static void
learn_length(Same *s, const Var *v, Opnd n)
{
	if (n.kind == OPND_VAR && !*map_at(s->length, v))
		*map_at(s->length, v) = n.u.var;
}

/* What a task stores for each of its n is as long. */
static void
learn_stored(Same *s, const Bind *task)
{
	for (int i = 0; i < task->ndst; i++) {
		const Bind *sink = lcu_sink(task, i);

		if (lcu_stores(sink) && sink->level == 1)
			learn_length(s, task->dst[i], task->arg[0]);
	}
}

static void
add_block(Same *s, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next)
		if (b->op == LCU_task) {
			add_task(s, b);
			learn_stored(s, b);
		} else if (b->op == LCU_length) {
			learn_length(s, b->arg[0].u.var, opnd_var(b->dst[0]));
		} else {
			for (int i = 0; i < b->nblock; i++)
				add_block(s, b->block[i]);
		}
}

Same *
same_tasks(const Program *p, Map *tail)
{
	Same *s = NEW(p->arena, Same, 1);

	s->p = p;
	s->task = map_new(p->arena);
	s->group = map_new(p->arena);
	s->length = map_new(p->arena);
	for (const Fun *f = p->funs; f; f = f->next)
		for (int i = 0; tail_first(tail, f) == f && i < tail_text(tail, f)->fun.n; i++)
			add_block(s, tail_text(tail, f)->fun.at[i]->body);
	for (const Entry *x = p->entries; x; x = x->next)
		if (x->body)
			add_block(s, x->body);
	return s;
}

/* -- answers ----------------------------------------------------------------------------------- */
static const Task *
task_of(const Same *s, const Bind *task)
{
	return *map_at(s->task, task);
}

const Bind *
same_first(const Same *s, const Bind *task)
{
	return task_of(s, task)->group->task.at[0];
}

const Bind *const *
same_all(const Same *s, const Bind *task, int *n)
{
	const Group *g = task_of(s, task)->group;

	*n = g->task.n;
	return g->task.at;
}

Var *
same_var(const Same *s, const Bind *task, const Var *v)
{
	const Vars *here = &task_of(s, task)->free, *first = &task_of(s, same_first(s, task))->free;

	for (int i = 0; i < first->n; i++)
		if (first->at[i] == v)
			return here->at[i];
	ice(task->span, "same", "%s is not free in the first task like this one", v->name);
}

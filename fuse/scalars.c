/* scalars.c: what scalar functions do, through those that they call: a fixed point. */
#include "fuse/scalars.h"
#include "fuse/lcu.h"

typedef struct {
	const Program *p;
	Map *m, *tail;
	bool again;
} Scalars;

const ScalarFun *
scalar_called(Map *m, const Bind *b)
{
	return b->op == LCU_call ? *map_at(m, b->name) : NULL;
}

const ScalarFun *
scalar_fun_of(Map *m, const Fun *f)
{
	return *map_at(m, f->name);
}

/* One text would do for the host and for elements. */
static bool
both_alike(const ScalarFun *s)
{
	return !s->faults && !s->reads;
}

bool
scalar_call_faults(Map *m, const Bind *b)
{
	const ScalarFun *s = scalar_called(m, b);

	return s && s->faults;
}

bool
scalar_tells(Map *m, const Bind *step)
{
	return step->op == LCU_check || scalar_call_faults(m, step);
}

bool
scalar_has_host(Map *m, const Fun *f)
{
	const ScalarFun *s = scalar_fun_of(m, f);

	return !s || s->host || both_alike(s);
}

bool
scalar_is_shared(Map *m, const Fun *f)
{
	const ScalarFun *s = scalar_fun_of(m, f);

	return s && s->each && both_alike(s);
}

bool
scalar_has_own(Map *m, const Fun *f)
{
	const ScalarFun *s = scalar_fun_of(m, f);

	return s && s->each && !both_alike(s);
}

bool
scalar_calls_own(Map *m, const Bind *b, const Fun *each)
{
	const ScalarFun *s = scalar_called(m, b);

	return s && (each || b->level) && !both_alike(s);
}

bool
scalar_task_loops(Map *m, const Bind *task)
{
	for (const Bind *b = task->block[0]->first; b; b = b->next)
		if (scalar_called(m, b) && scalar_called(m, b)->loops)
			return true;
	return false;
}

bool
scalar_recursion(const Program *p, Map *m)
{
	for (const Fun *f = p->funs; f; f = f->next)
		if (f->scalar && scalar_fun_of(m, f)->each && scalar_fun_of(m, f)->deep)
			return true;
	return false;
}

static void
learn(Scalars *s, bool *fact, bool so)
{
	s->again = s->again || (so && !*fact);
	*fact = *fact || so;
}

static void walk(Scalars *s, const Block *body, ScalarFun *in);

/* in: the scalar function that it stands in; NULL: the host, or a task. */
static void
walk_bind(Scalars *s, const Bind *b, ScalarFun *in)
{
	ScalarFun *to = b->op == LCU_call ? *map_at(s->m, b->name) : NULL;

	if (to && !in) {
		learn(s, b->level ? &to->each : &to->host, true);
	} else if (to) {
		bool counted = tail_counted(s->p, s->tail, b);

		learn(s, &in->deep, counted || to->deep);
		learn(s, &in->faults, counted || to->faults);
		learn(s, &in->reads, to->reads);
		learn(s, &in->loops, to->loops);
		learn(s, &to->host, in->host);
		learn(s, &to->each, in->each);
	}
	for (int i = 0; i < b->nblock; i++)
		walk(s, b->block[i], in);
	if (in && b->op == LCU_host_check)
		learn(s, &in->faults, true);
	else if (in && (b->op == LCU_elem || b->op == LCU_row_start || b->op == LCU_row_length))
		learn(s, &in->reads, true);
}

static void
walk(Scalars *s, const Block *body, ScalarFun *in)
{
	for (const Bind *b = body->first; b; b = b->next)
		walk_bind(s, b, in);
}

Map *
scalar_funs(const Program *p, Map *tail)
{
	Scalars s = {.p = p, .m = map_new(p->arena), .tail = tail, .again = true};

	for (const Fun *f = p->funs; f; f = f->next)
		if (f->scalar) {
			ScalarFun *x = NEW(p->arena, ScalarFun, 1);

			x->loops = f->recursive;
			*map_at(s.m, f->name) = x;
		}
	for (const Fun *f = p->funs; f; f = f->next)
		if (f->scans)
			((ScalarFun *)*map_at(s.m, f->scans))->each = true;
	while (s.again) {
		s.again = false;
		for (const Fun *f = p->funs; f; f = f->next)
			walk(&s, f->body, *map_at(s.m, f->name));
		for (const Entry *e = p->entries; e; e = e->next)
			if (e->body)
				walk(&s, e->body, NULL);
	}
	return s.m;
}

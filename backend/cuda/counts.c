/* counts.c: the tasks of a program in numbers, for dump --stage=lcu --stats: their kernels as the CUDA back end makes them
 * where rows are not apart, and per element what they load, store and compute.  What several passes load is counted once, a
 * vector that is fetched from once for each fetch. */
#include "backend/cuda/cuda.h"
#include "backend/cuda/gen.h"
#include "common/json.h"

typedef struct {
	int kernels;
	int operators, loads, gathers, stores;
	int bytes[3];           /* per element, by level */
} Counts;

typedef struct {
	Gen g;
	FILE *out;
	const char *between;    /* before the next task */
	int tasks, kernels;
} Counter;

static void
count_step(const Program *p, Counts *c, const Bind *s)
{
	const OpClass cls = p->ir->op[s->op].cls;
	const bool stores = cls == OP_SINK && s->ndst;

	c->loads += s->op == LCU_load;
	c->gathers += s->op == LCU_fetch;
	c->stores += stores;
	c->operators += cls == OP_SCALAR || cls == OP_REDUCE || cls == OP_SCAN || s->op == LCU_call;
	if (s->op == LCU_load || s->op == LCU_fetch || stores)
		c->bytes[s->level] += ty_bytes(s->dst[0]->ty, p->int_bits);
}

static Counts
count_task(Counter *k, const Bind *task)
{
	Counts c = {0};

	if (task->narg == 2 && task->arg[1].u.var->ty->kind == TY_SEGDES)
		c.bytes[1] += 8;                /* where its rows begin */
	for (Bind *s = task->block[0]->first; s; s = s->next) {
		count_step(k->g.p, &c, s);
		for (int i = 0; i < s->ndst; i++)
			k->g.step[s->dst[i]->id] = s;
	}
	c.kernels = plan_task(&k->g, task)->pass.n;
	return c;
}

static void
add_task(Counter *k, const Bind *task)
{
	k->tasks++;
	k->kernels += count_task(k, task).kernels;
}

static void
tell_task(Counter *k, const Bind *task)
{
	const Counts c = count_task(k, task);
	Arena *a = k->g.a;

	fprintf(k->out, "%s\n    {\"task\": %s, \"at\": %s, \"kernels\": %d, \"operators\": %d, \"loads\": %d, \"gathers\": %d, "
		"\"stores\": %d, \"bytes\": [%d", k->between, json_quoted(a, task->name), json_quoted(a, arena_printf(a, "%s:%d:%d",
		task->span.file ? task->span.file : "-", task->span.line, task->span.col)), c.kernels, c.operators, c.loads,
		c.gathers, c.stores, c.bytes[1]);
	if (task->narg == 2)
		fprintf(k->out, ", %d", c.bytes[2]);
	fputs("]}", k->out);
	k->between = ",";
}

static void
each_task(Counter *k, const Block *b, void (*does)(Counter *, const Bind *))
{
	for (const Bind *x = b->first; x; x = x->next) {
		if (x->op == LCU_task)
			does(k, x);
		for (int i = 0; x->op != LCU_task && i < x->nblock; i++)
			each_task(k, x->block[i], does);
	}
}

static void
tell_part(Counter *k, const char *kind, const char *name, const Block *body, const char **between)
{
	fprintf(k->out, "%s\n  {\"%s\": %s, \"tasks\": [", *between, kind, json_quoted(k->g.a, name));
	*between = ",";
	k->between = "";
	each_task(k, body, tell_task);
	fputs("]}", k->out);
}

void
task_counts(const Unit *u, FILE *out)
{
	Program *p = u->ir;
	Counter k = {.g = {.p = p, .a = u->arena, .scalars = scalar_funs(p, tail_calls(p)),
		.step = NEW(u->arena, Bind *, p->nvar + 1)}, .out = out};
	const char *between = "";

	for (const Fun *f = p->funs; f; f = f->next)
		each_task(&k, f->body, add_task);
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			each_task(&k, e->body, add_task);
	fprintf(out, "{\"tasks\": %d, \"kernels\": %d, \"parts\": [", k.tasks, k.kernels);
	for (const Fun *f = p->funs; f; f = f->next)
		tell_part(&k, "function", f->name, f->body, &between);
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			tell_part(&k, "entry", e->shown, e->body, &between);
	fputs("]}\n", out);
}

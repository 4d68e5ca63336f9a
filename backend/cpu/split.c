/* split.c: tasks whose elements wait for the end of their row, as tasks one after the other.
 *
 * In   a Program over map_ir
 * Out  the same, where no step at level 2 stands on a reduction of its own row; in place of such a task are as many as
 *      its rows must be walked.  Each stores the reductions and scans that later ones need, and what functions such as
 *      sqrt make of them, in vectors that end behind the last; other steps are computed again.
 * How  The cores walk the path of rows and elements in chunks, which cut rows: what a row gives is known after the task. */
#include "backend/cpu/cpu.h"
#include <string.h>

typedef struct {
	Program *to;
	Map *scalars;
	const Bind *task;
	Bind **by;              /* by Var.id: the step of this task that makes it */
	int *walk;              /* by Var.id, of a step's result: after how many walks its operands are known */
	bool *late;             /* by Var.id: of the end of a row */
	Var **kept;             /* by Var.id: the vector that has its values for later walks; NULL: none needs it */
	Var **name;             /* by Var.id: what stands for it in the task being made */
	bool *needed;           /* by Var.id: in the task being made */
	bool any;               /* some task was split */
} Split;

static OpClass
class_of(const Split *s, const Bind *b)
{
	return s->to->ir->op[b->op].cls;
}

static const Bind *
maker(const Split *s, Opnd o)
{
	return o.kind == OPND_VAR ? s->by[o.u.var->id] : NULL;
}

/* What is known only when a walk is over; and what is not to be computed again for each element of a row. */
static bool
lasts(const Split *s, const Bind *b)
{
	return op_folds(&s->to->ir->op[b->op]) || (b->level == 1 && lcu_is_function(s->to->ir, b) && s->late[b->dst[0]->id]);
}

static int
operands_known(const Split *s, const Bind *b)
{
	int walk = 0;

	for (int i = 0; i < b->narg; i++)
		if (maker(s, b->arg[i])) {
			const int id = b->arg[i].u.var->id, k = s->walk[id] + (s->late[id] && b->level == 2);

			walk = k > walk ? k : walk;
		}
	return walk;
}

static bool
is_late(const Split *s, const Bind *b)
{
	bool late = class_of(s, b) == OP_REDUCE && b->level == 2;

	for (int i = 0; b->level == 1 && class_of(s, b) != OP_SCAN && i < b->narg; i++)
		late |= maker(s, b->arg[i]) && s->late[b->arg[i].u.var->id];
	return late;
}

/* Fills in what is known of the steps; how many walks there are. */
static int
walks(Split *s)
{
	int last = 0;

	for (Bind *b = s->task->block[0]->first; b; b = b->next) {
		const int walk = operands_known(s, b);
		const bool late = is_late(s, b);

		for (int i = 0; i < b->ndst; i++) {
			s->by[b->dst[i]->id] = b;
			s->walk[b->dst[i]->id] = walk;
			s->late[b->dst[i]->id] = late;
			s->kept[b->dst[i]->id] = NULL;
		}
		last = walk > last ? walk : last;
	}
	return last + 1;
}

/* -- one walk ------------------------------------------------------------------------------------ */
/* What the task is for: what takes the place of something that others read comes last. */
static bool
ends_in(const Split *s, const Bind *b, int walk, int last)
{
	const bool ends = class_of(s, b) == OP_SINK || scalar_tells(s->scalars, b) || (class_of(s, b) == OP_REDUCE && b->level == 1);

	return ends && walk == (b->op == LCU_replace ? last : operands_known(s, b));
}

static void
need(Split *s, Opnd o, int walk)
{
	const Bind *from = maker(s, o);

	if (!from)
		return;
	if (lasts(s, from) && s->walk[o.u.var->id] < walk && !s->kept[o.u.var->id])
		s->kept[o.u.var->id] = var_new(s->to, o.u.var->name, ty_vec(o.u.var->ty));
	s->needed[o.u.var->id] = true;
}

/* Is it a step of this walk, rather than what is loaded of earlier ones? */
static bool
is_step(const Split *s, const Bind *b, int walk, int last)
{
	bool step = ends_in(s, b, walk, last);

	for (int i = 0; i < b->ndst; i++)
		step |= s->needed[b->dst[i]->id] && !(lasts(s, b) && s->walk[b->dst[i]->id] < walk);
	return step;
}

/* Marks what a walk computes and loads, after those behind it: from these is known what they want kept. */
static void
find_needed(Split *s, int walk, int last)
{
	LIST(const Bind *) step = {0};

	for (const Bind *b = s->task->block[0]->first; b; b = b->next) {
		LIST_ADD(s->to->arena, &step, b);
		for (int i = 0; i < b->ndst; i++)
			s->needed[b->dst[i]->id] = s->kept[b->dst[i]->id] && s->walk[b->dst[i]->id] == walk;
	}
	for (int i = step.n - 1; i >= 0; i--)
		for (int j = 0; is_step(s, step.at[i], walk, last) && j < step.at[i]->narg; j++)
			need(s, step.at[i]->arg[j], walk);
}

static Var *
renamed(Split *s, const Var *v)
{
	return s->name[v->id] = var_new(s->to, v->name, v->ty);
}

static Bind *
add_made(Split *s, Block *body, int op, const Bind *at, const Var *v, Opnd arg)
{
	Bind *b = bind_new(s->to, body, op, 1, 1, 0, at->span);

	b->level = class_of(s, at) == OP_REDUCE ? at->level - 1 : at->level;
	b->dst[0] = var_new(s->to, v->name, op == LCU_load ? v->ty : ty_vec(v->ty));
	b->arg[0] = arg;
	return b;
}

static void
add_step(Split *s, Block *body, const Bind *b)
{
	Bind *n = bind_new(s->to, body, b->op, b->ndst, b->narg, 0, b->span);
	Var **dst = n->dst;
	Opnd *arg = n->arg;

	*n = *b;
	n->next = NULL;
	n->dst = dst;
	n->arg = arg;
	for (int i = 0; i < b->narg; i++)
		n->arg[i] = maker(s, b->arg[i]) ? opnd_var(s->name[b->arg[i].u.var->id]) : b->arg[i];
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = renamed(s, b->dst[i]);
}

/* The host's variable that a sink makes; NULL: it makes none. */
static Var *
result_of(const Split *s, const Bind *b)
{
	const Block *body = s->task->block[0];

	for (int i = 0; i < body->nyield && b->ndst; i++)
		if (body->yield[i].u.var == b->dst[0])
			return s->task->dst[i];
	return NULL;
}

static void
add_walk(Split *s, Block *out, int walk, int last)
{
	Block *body = block_new(s->to);
	LIST(Var *) result = {0};
	LIST(Opnd) yield = {0};
	Arena *a = s->to->arena;
	Bind *task;

	find_needed(s, walk, last);
	for (const Bind *b = s->task->block[0]->first; b; b = b->next) {
		Var *v = b->ndst ? b->dst[0] : NULL, *r = result_of(s, b);

		if (is_step(s, b, walk, last))
			add_step(s, body, b);
		else if (v && s->needed[v->id] && s->kept[v->id])
			s->name[v->id] = add_made(s, body, LCU_load, b, v, opnd_var(s->kept[v->id]))->dst[0];
		else
			continue;
		if (r && ends_in(s, b, walk, last)) {
			LIST_ADD(a, &result, r);
			LIST_ADD(a, &yield, opnd_var(s->name[v->id]));
		} else if (v && s->kept[v->id] && s->walk[v->id] == walk) {
			LIST_ADD(a, &result, s->kept[v->id]);
			LIST_ADD(a, &yield, opnd_var(add_made(s, body, LCU_store, b, v, opnd_var(s->name[v->id]))->dst[0]));
		}
	}
	task = bind_new(s->to, out, LCU_task, result.n, s->task->narg, 1, s->task->span);
	task->name = s->task->name;
	task->by = s->task->by;
	memcpy(task->arg, s->task->arg, (size_t)task->narg * sizeof *task->arg);
	if (result.n)
		memcpy(task->dst, result.at, (size_t)result.n * sizeof *task->dst);
	task->block[0] = body;
	block_yield(s->to, body, yield.n, yield.at);
}

/* -- all of it ------------------------------------------------------------------------------------- */
/* What later walks need kept is known once they are looked at. */
static void
split(Split *s, Block *out, int n)
{
	s->any = true;
	for (int walk = n - 1; walk > 0; walk--)
		find_needed(s, walk, n - 1);
	for (int walk = 0; walk < n; walk++)
		add_walk(s, out, walk, n - 1);
	for (const Bind *b = s->task->block[0]->first; b; b = b->next)
		for (int i = 0; i < b->ndst; i++)
			if (s->kept[b->dst[i]->id])
				bind_new(s->to, out, LCU_free, 0, 1, 0, s->task->span)->arg[0] = opnd_var(s->kept[b->dst[i]->id]);
}

static Block *
block(Split *s, const Block *b)
{
	Block *out = block_new(s->to);

	for (const Bind *x = b->first; x; x = x->next) {
		int n = 1;
		Bind *copy;

		s->task = x;
		if (x->op == LCU_task && (n = walks(s)) > 1) {
			split(s, out, n);
			continue;
		}
		copy = NEW(s->to->arena, Bind, 1);
		*copy = *x;
		copy->next = NULL;
		copy->block = NEW(s->to->arena, Block *, x->nblock);
		for (int i = 0; i < x->nblock; i++)
			copy->block[i] = x->op == LCU_task ? x->block[i] : block(s, x->block[i]);
		*out->end = copy;
		out->end = &copy->next;
	}
	block_yield(s->to, out, b->nyield, b->yield);
	return out;
}

Program *
cpu_split(Program *p)
{
	Arena *a = p->arena;
	const int n = p->nvar + 1;
	Split s = {.to = program_copy(p, p->ir), .scalars = scalar_funs(p, tail_calls(p)), .by = NEW(a, Bind *, n),
		.walk = NEW(a, int, n), .late = NEW(a, bool, n), .kept = NEW(a, Var *, n), .name = NEW(a, Var *, n),
		.needed = NEW(a, bool, n)};

	for (Fun *f = s.to->funs; f; f = f->next)
		f->body = block(&s, f->body);
	for (Entry *e = s.to->entries; e; e = e->next)
		if (e->body)
			e->body = block(&s, e->body);
	if (!s.any)
		return p;
	ir_name(s.to);
	return s.to;
}

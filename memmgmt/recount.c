/* recount.c: the owners of each array, counted twice.
 *
 * In   mem.
 * Out  mem with `own v` and `disown v` where by the rules (memory.h) one more or one less owner is in the program's
 *      variables: `own` where a binding or a parameter has it, `disown` where free, a call, another operator that takes
 *      it, `replace` or a yield gives it up, and for `retain` one more; and with `confirm v` for what a step of the
 *      host takes, before, and what it gives, after.
 * How  The run time keeps the count of owners that decides (retain, free, what takes over) and this second one;
 *      `confirm` compares them, and adds nothing of its own.  Cells are owners too, which the run time sees to.
 *      What is in tail position stays so: results that a block only passes on are owned by whoever gets them. */
#include "memmgmt/recount.h"
#include "fuse/lcu.h"

static void
note(Program *p, Block *to, int op, Opnd o, Span span)
{
	if (o.kind == OPND_VAR && ty_counted(o.u.var->ty))
		bind_new(p, to, op, 0, 1, 0, span)->arg[0] = o;
}

static void
notes(Program *p, Block *to, int op, int n, const Opnd *o, Span span)
{
	for (int i = 0; i < n; i++)
		note(p, to, op, o[i], span);
}

/* What the steps of a task write over. */
static void
replaced(Program *p, Block *to, const Bind *task)
{
	for (const Bind *s = task->block[0]->first; s; s = s->next)
		if (lcu_takes_place(s))
			note(p, to, LCU_disown, *lcu_takes_place(s), s->span);
}

static Block *block(Program *p, const Block *b, const Fun *f, Span span);

static void
before(Program *p, Block *to, const Bind *b)
{
	notes(p, to, LCU_confirm, b->narg, b->arg, b->span);
	if (b->op == LCU_free)
		note(p, to, LCU_disown, b->arg[0], b->span);
	if (b->op == LCU_retain)
		note(p, to, LCU_own, b->arg[0], b->span);
	if (b->op == LCU_task)
		replaced(p, to, b);
	for (int i = 0; i < b->narg; i++)
		if (bind_takes(p, b, i))
			note(p, to, LCU_disown, b->arg[i], b->span);
}

static void
after(Program *p, Block *to, const Bind *b)
{
	const bool borrowed = b->op == LCU_cell || b->op == LCU_peek;

	for (int i = 0; i < b->ndst && !borrowed; i++)
		note(p, to, LCU_own, opnd_var(b->dst[i]), b->span);
	for (int i = 0; i < b->ndst; i++)
		note(p, to, LCU_confirm, opnd_var(b->dst[i]), b->span);
}

static void
bind(Program *p, Block *to, const Bind *b, bool passed_on)
{
	before(p, to, b);
	Bind *n = bind_new(p, to, b->op, 0, 0, b->nblock, b->span);
	Block **inner = n->block;
	*n = *b;
	n->next = NULL;
	n->block = inner;
	to->end = &n->next;
	for (int i = 0; i < b->nblock; i++)
		n->block[i] = b->op == LCU_task ? b->block[i] : block(p, b->block[i], NULL, b->span);
	if (!passed_on)
		after(p, to, b);
}

/* The body of f, or of no function. */
static Block *
block(Program *p, const Block *b, const Fun *f, Span span)
{
	Block *to = block_new(p);
	const Bind *tail = block_tail(b);

	if (tail && tail->op != LCU_call && tail->op != LCU_if)
		tail = NULL;
	for (int i = 0; f && i < f->nparam; i++)
		if (!fun_borrows(f, i))
			note(p, to, LCU_own, opnd_var(f->param[i]), span);
	for (const Bind *x = b->first; x; x = x->next)
		bind(p, to, x, x == tail);
	if (!tail)
		notes(p, to, LCU_disown, b->nyield, b->yield, span);
	block_yield(p, to, b->nyield, b->yield);
	return to;
}

Program *
recounted(const Program *p)
{
	Program *to = program_copy(p, &mem_ir);

	for (Fun *f = to->funs; f; f = f->next)
		if (!f->scalar)
			f->body = block(to, f->body, f, f->span);
	for (Entry *e = to->entries; e; e = e->next)
		if (e->body)
			e->body = block(to, e->body, NULL, e->span);
	return to;
}

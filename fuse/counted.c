/* counted.c: descriptors with more elements than an int counts.
 *
 * In   lcu
 * Out  lcu: where the host does not ask a descriptor that a task makes of lengths for its total, it does so behind the task
 * How  Who makes the elements asks.  Where they are wanted by nobody, as in {#flatten(v) : v in vs}, nobody asks, and lengths
 *      taken from its offsets would be wrong without a word.  A total that the host knows is checked by the task. */
#include "fuse/counted.h"
#include "fuse/lcu.h"

static bool
asks(const Program *p, const Bind *b, const Var *s)
{
	const bool total = b->op == LCU_total || p->ir->op[b->op].cls == OP_LIBRARY;

	if (b->op == LCU_task)
		return same_opnd(b->arg[b->narg - 1], opnd_var((Var *)s));
	for (int i = 0; i < b->narg && total && b->op != LCU_compose; i++)
		if (same_opnd(b->arg[i], opnd_var((Var *)s)))
			return true;
	return false;
}

/* By these bindings, or where they branch: an arm that does not ask takes elements that are there. */
static bool
is_asked(const Program *p, const Bind *from, const Var *s)
{
	for (const Bind *b = from; b; b = b->next) {
		if (asks(p, b, s))
			return true;
		for (int i = 0; i < b->nblock && b->op != LCU_task; i++)
			if (is_asked(p, b->block[i]->first, s))
				return true;
	}
	return false;
}

static void
count_in(Program *p, Block *b)
{
	for (Bind **at = &b->first, *s; (s = *at); at = &(*at)->next) {
		Bind **end = &s->next;

		for (int i = 0; i < s->nblock && s->op != LCU_task; i++)
			count_in(p, s->block[i]);
		for (int i = 0; i < s->ndst && s->op == LCU_task; i++)
			if (lcu_adds_lengths(lcu_sink(s, i)) && !lcu_total(lcu_sink(s, i)) && !is_asked(p, s->next, s->dst[i])) {
				const Opnd o = opnd_var(s->dst[i]);

				bind_at(p, end, LCU_counted, NULL, 1, &o, s->span);
				end = &(*end)->next;
			}
	}
}

void
counted(Program *p)
{
	for (Fun *f = p->funs; f; f = f->next)
		count_in(p, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			count_in(p, e->body);
}

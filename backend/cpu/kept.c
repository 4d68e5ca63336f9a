/* kept.c: what a recursion hands on as it is.
 *
 * In   a scalar function of elements that calls itself
 * Out  same_NAME, a struct of the parameters that every such call passes unchanged; who calls it from outside makes one, and all
 *      calls within share it.  So a call passes what changes, and what does not is no register to be saved around it.
 * How  Static argument transformation: Santos, Compilation by Transformation in Non-Strict Functional Languages, 1995, chapter 7. */
#include <string.h>
#include "backend/cpu/cpu.h"

/* Of a function's parameters; n: how many are kept, 0 where that is not worth a struct. */
typedef struct {
	bool *kept;
	int n;
} Kept;

/* Calls of f that are none of its jumps are counted. */
static int
look(Cpu *k, const Fun *f, const Block *body, bool *kept)
{
	int calls = 0;

	for (const Bind *b = body->first; b; b = b->next) {
		if (b->op == LCU_call && strcmp(b->name, f->name) == 0) {
			calls += !tail_call(k->tail, b);
			for (int i = 0; i < b->narg; i++)
				kept[i] &= same_opnd(b->arg[i], opnd_var(f->param[i]));
		}
		for (int i = 0; i < b->nblock; i++)
			calls += look(k, f, b->block[i], kept);
	}
	return calls;
}

static const Kept *
kept_of(Cpu *k, const Fun *f)
{
	Kept **at = (Kept **)map_at(k->kept, f);

	if (*at)
		return *at;
	*at = NEW(k->arena, Kept, 1);
	(*at)->kept = NEW(k->arena, bool, f->nparam + 1);
	for (int i = 0; i < f->nparam; i++)
		(*at)->kept[i] = true;
	if (!f->recursive || tail_text(k->tail, f)->fun.n > 1 || look(k, f, f->body, (*at)->kept) == 0)
		return *at;
	for (int i = 0; i < f->nparam; i++)
		(*at)->n += (*at)->kept[i];
	if ((*at)->n < 2)
		(*at)->n = 0;
	return *at;
}

bool
cpu_keeps_some(Cpu *k, const Fun *f)
{
	return kept_of(k, f)->n > 0;
}

bool
cpu_keeps(Cpu *k, const Fun *f, int i)
{
	return cpu_keeps_some(k, f) && kept_of(k, f)->kept[i];
}

bool
cpu_is_kept(Cpu *k, const Var *v)
{
	for (int i = 0; k->each && i < k->each->nparam; i++)
		if (k->each->param[i] == v)
			return cpu_keeps(k, k->each, i);
	return false;
}

void
cpu_declare_kept(Cpu *k, const Fun *f)
{
	emit_open(k->e, "struct same_%s {", cpu_fun(k, f));
	for (int i = 0; i < f->nparam; i++)
		if (cpu_keeps(k, f, i))
			emit_line(k->e, "%s%s;", cpu_param_type(k, f, f->param[i]->ty), emit_cname(k->e, f->param[i]->name));
	emit_close(k->e, "};");
}

/* The operands of these parameters of f, kept ones or the others. */
static const char *
operands(Cpu *k, const Fun *f, const char *const *arg, bool kept)
{
	const char *s = "";

	for (int i = 0; i < f->nparam; i++)
		if (cpu_keeps(k, f, i) == kept)
			s = arena_printf(k->arena, "%s%s%s", s, *s ? ", " : "", arg[i]);
	return s;
}

const char *
cpu_kept_operands(Cpu *k, const Fun *f, const char *const *arg)
{
	const char *others = operands(k, f, arg, false);

	return arena_printf(k->arena, "%s%s%s", k->each == f ? "same_" : arena_printf(k->arena, "&(const struct same_%s){%s}", cpu_fun(k, f),
		operands(k, f, arg, true)), *others ? ", " : "", others);
}

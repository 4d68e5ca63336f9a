/* kept.c: what a recursion hands on as it is.
 *
 * In   a scalar function of elements that calls itself
 * Out  same_NAME, a struct of the parameters that every such call passes unchanged; who calls it from outside makes one, and all
 *      calls within share it.  So a call passes what changes, and what does not is no register to be saved around it.  Of an array
 *      it holds the head, so that an element is one step away.
 * How  Static argument transformation: Santos, Compilation by Transformation in Non-Strict Functional Languages, 1995. */
#include <string.h>
#include "backend/cpu/cpu.h"

/* Is parameter i handed on by all calls of f of itself?  Calls that are none of its jumps are counted. */
static int
look(Cpu *k, const Fun *f, const Block *body, bool *kept)
{
	int calls = 0;

	for (const Bind *b = body->first; b; b = b->next) {
		if (b->op == LCU_call && strcmp(b->name, f->name) == 0) {
			calls += !tail_call(k->tail, b);
			for (int i = 0; i < b->narg; i++)
				kept[i] &= tail_keeps(f, b, i);
		}
		for (int i = 0; i < b->nblock; i++)
			calls += look(k, f, b->block[i], kept);
	}
	return calls;
}

/* By parameter; one alone is not worth a struct. */
static const bool *
kept_of(Cpu *k, const Fun *f)
{
	bool **at = (bool **)map_at(k->kept, f), *kept;
	int n = 0;

	if (*at)
		return *at;
	*at = NEW(k->arena, bool, f->nparam + 1);
	kept = NEW(k->arena, bool, f->nparam + 1);
	for (int i = 0; i < f->nparam; i++)
		kept[i] = true;
	if (!f->recursive || tail_text(k->tail, f)->fun.n > 1 || look(k, f, f->body, kept) == 0)
		return *at;
	for (int i = 0; i < f->nparam; i++)
		n += kept[i];
	if (n > 1)
		*at = kept;
	return *at;
}

bool
cpu_keeps_some(Cpu *k, const Fun *f)
{
	const bool *kept = kept_of(k, f);
	bool some = false;

	for (int i = 0; i < f->nparam; i++)
		some |= kept[i];
	return some;
}

bool
cpu_is_kept(Cpu *k, const Var *v)
{
	for (int i = 0; k->each && i < k->each->nparam; i++)
		if (k->each->param[i] == v)
			return kept_of(k, k->each)[i];
	return false;
}

void
cpu_declare_kept(Cpu *k, const Fun *f)
{
	emit_open(k->e, "struct same_%s {", cpu_fun(k, f));
	for (int i = 0; i < f->nparam; i++)
		if (kept_of(k, f)[i])
			emit_line(k->e, "%s%s;", ty_counted(f->param[i]->ty) ? "nesl_vec " : cpu_param_type(k, f, f->param[i]->ty),
				emit_cname(k->e, f->param[i]->name));
	emit_close(k->e, "};");
}

/* The operands of these parameters of f, kept ones or the others. */
static const char *
operands(Cpu *k, const Fun *f, const char *const *arg, bool kept)
{
	const char *s = "";

	for (int i = 0; i < f->nparam; i++)
		if (kept_of(k, f)[i] == kept)
			s = arena_printf(k->arena, "%s%s%s%s", s, *s ? ", " : "", kept && ty_counted(f->param[i]->ty) ? "*" : "", arg[i]);
	return s;
}

const char *
cpu_kept_operands(Cpu *k, const Fun *f, const char *const *arg)
{
	const char *others = operands(k, f, arg, false);

	return arena_printf(k->arena, "%s%s%s", k->each == f ? "same_" : arena_printf(k->arena, "&(const struct same_%s){%s}", cpu_fun(k, f),
		operands(k, f, arg, true)), *others ? ", " : "", others);
}

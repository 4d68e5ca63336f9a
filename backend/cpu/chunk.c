/* chunk.c: what a task does for one of its chunks: a function, and the loop that calls it for each.
 *
 * In   the lines of the function's body, which name variables of the task's function (cpu_share)
 * Out  the function, before that of the task, with those that it names as parameters
 * How  A function, as the loop is written twice: one thread has it without a parallel region, which takes longer than a
 *      task of a few elements (nesl_cpu_task.h). */
#include "backend/cpu/plan.h"
#include <ctype.h>
#include <string.h>

static void
share(Plan *t, const char *type, const char *name, const char *argument)
{
	LIST_ADD(t->k->arena, &t->shared, ((Shared){type, name, argument}));
}

void
cpu_share(Plan *t, const char *type, const char *name)
{
	share(t, type, name, name);
}

void
cpu_share_place(Plan *t, const char *type, const char *name)
{
	share(t, arena_printf(t->k->arena, "%s*", type), name, arena_printf(t->k->arena, "&%s", name));
}

void
cpu_share_array(Plan *t, const char *type, const char *name)
{
	share(t, arena_printf(t->k->arena, "%s*", type), name, name);
}

/* The chunk is the last that has named what its text names. */
static void
note_names(Cpu *k, const char *text, const char *chunk)
{
	const char *s = text;

	while (*s) {
		const char *word = s;

		while (isalnum((unsigned char)*s) || *s == '_')
			s++;
		if (s == word)
			s++;
		else
			*map_at(k->named_by, intern_n(k->p->names, word, (size_t)(s - word))) = (void *)chunk;
	}
}

void
cpu_chunk_open(Plan *t)
{
	emit_apart(t->k->e);
}

void
cpu_chunk_close(Plan *t)
{
	Cpu *k = t->k;
	const Fixed *f = &k->fixed;
	const char *body = emit_rejoin(k->e), *parameters = arena_printf(k->arena, "i64 %s", f->c), *arguments = f->c;
	const char *task = cpu_numbered(k, t->task)->name + strlen("task");
	const char *name = cpu_task_name(k, arena_printf(k->arena, "chunk%s", task));
	bool waits = false;

	note_names(k, body, name);
	for (int i = 0; i < t->shared.n; i++) {
		const Shared *s = &t->shared.at[i];

		if (*map_at(k->named_by, intern(k->p->names, s->name)) != name)
			continue;
		waits |= strcmp(s->name, "turn_") == 0;
		parameters = arena_printf(k->arena, "%s, %s%s", parameters, s->type, s->name);
		arguments = arena_printf(k->arena, "%s, %s", arguments, s->argument);
	}
	emit_insert(k->e, &t->before, arena_printf(k->arena, "static void\n%s(%s)\n{\n", name, parameters));
	emit_insert(k->e, &t->before, body);
	emit_insert(k->e, &t->before, "}\n\n");
	if (cpu_plan_puts(t))           /* in order: the last of each may be wanted (step.c, puts_last) */
		emit_line(k->e, "NESL_EACH_BY(%s, %s, %s, %s(%s));", f->threads, f->c, f->nc, name, arguments);
	else
		emit_line(k->e, "%s(%s, %s, %s(%s));", waits ? "NESL_EACH_IN_ORDER" : "NESL_EACH", f->c, f->nc, name, arguments);
}

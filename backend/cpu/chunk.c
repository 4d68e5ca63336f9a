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
	share(t, arena_printf(t->k->arena, "%s *", type), name, arena_printf(t->k->arena, "&%s", name));
}

void
cpu_share_array(Plan *t, const char *type, const char *name)
{
	share(t, arena_printf(t->k->arena, "%s *", type), name, name);
}

/* The identifiers of the text. */
static Map *
names_in(Cpu *k, const char *text)
{
	Map *names = map_new(k->arena);
	const char *s = text;

	while (*s) {
		const char *word = s;

		while (isalnum((unsigned char)*s) || *s == '_')
			s++;
		if (s == word)
			s++;
		else
			*map_at(names, intern_n(k->p->names, word, (size_t)(s - word))) = names;
	}
	return names;
}

/* A type, or none, and a name. */
static const char *
with(Arena *a, const char *list, const char *type, const char *name)
{
	const char *space = *type && type[strlen(type) - 1] != '*' && type[strlen(type) - 1] != ' ' ? " " : "";

	return arena_printf(a, "%s%s%s%s%s", list, *list ? ", " : "", type, space, name);
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
	const char *body = emit_rejoin(k->e), *parameters = with(k->arena, "", "i64", f->c), *arguments = f->c;
	const char *task = cpu_numbered(k, t->task)->name + strlen("task");
	const char *name = map_fresh(k->task_names, k->arena, k->p->names, arena_printf(k->arena, "chunk%s", task));
	Map *names = names_in(k, body);

	for (int i = 0; i < t->shared.n; i++) {
		const Shared *s = &t->shared.at[i];

		if (!*map_at(names, intern(k->p->names, s->name)))
			continue;
		parameters = with(k->arena, parameters, s->type, s->name);
		arguments = with(k->arena, arguments, "", s->argument);
	}
	emit_insert(k->e, &t->before, arena_printf(k->arena, "static void\n%s(%s)\n{\n%s}\n\n", name, parameters, body));
	if (cpu_plan_puts(t))
		emit_line(k->e, "NESL_EACH_BY(%s, %s, %s, %s(%s));", f->threads, f->c, f->nc, name, arguments);
	else
		emit_line(k->e, "NESL_EACH(%s, %s, %s(%s));", f->c, f->nc, name, arguments);
}

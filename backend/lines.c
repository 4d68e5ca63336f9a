/* lines.c: which lines of the source went into a task (lines.h). */
#include "backend/lines.h"
#include <stdlib.h>
#include <string.h>

static int
by_place(const void *a, const void *b)
{
	const Span *s = a, *t = b;
	int files = s->file == t->file ? 0 : strcmp(s->file, t->file);

	return files ? files : s->line - t->line;
}

static void
add_line(Arena *a, SourceLines *l, Span at)
{
	if (!at.file)
		return;
	for (int i = 0; i < l->n; i++)
		if (by_place(&l->at[i], &at) == 0)
			return;
	LIST_ADD(a, l, at);
}

SourceLines
lines_of(Arena *a, const Bind *task)
{
	SourceLines l = {0};

	add_line(a, &l, task->span);
	for (const Bind *s = task->nblock ? task->block[0]->first : NULL; s; s = s->next)
		add_line(a, &l, s->span);
	if (l.n)
		qsort(l.at, (size_t)l.n, sizeof *l.at, by_place);
	return l;
}

const char *
lines_text(Arena *a, const Bind *task)
{
	const SourceLines l = lines_of(a, task);
	const char *text = "", *file = NULL;

	for (int i = 0; i < l.n; i++) {
		if (file && strcmp(file, l.at[i].file) == 0)
			text = arena_printf(a, "%s,%d", text, l.at[i].line);
		else
			text = arena_printf(a, "%s%s%s:%d", text, i ? "; " : "", l.at[i].file, l.at[i].line);
		file = l.at[i].file;
	}
	return text;
}

const char *
lines_function(Arena *a, const Fun *f)
{
	return arena_printf(a, "%s:%d", f->span.file ? f->span.file : "", f->span.line);
}

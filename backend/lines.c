/* lines.c: which lines of the source went into a task (lines.h). */
#include "backend/lines.h"
#include "fuse/lcu.h"
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

static const char *
text_of(Arena *a, SourceLines l)
{
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
lines_text(Arena *a, const Bind *task)
{
	return text_of(a, lines_of(a, task));
}

static void
add_calls(Arena *a, SourceLines *l, const Block *body, const Fun *f)
{
	for (const Bind *b = body->first; b; b = b->next) {
		if (b->op == LCU_call && strcmp(b->name, f->name) == 0)
			add_line(a, l, b->span);
		for (int i = 0; i < b->nblock; i++)
			add_calls(a, l, b->block[i], f);
	}
}

/* But its own. */
static void
add_all_calls(Arena *a, SourceLines *l, const Program *p, const Fun *f)
{
	for (const Fun *x = p->funs; x; x = x->next)
		if (x != f)
			add_calls(a, l, x->body, f);
	for (const Entry *x = p->entries; x; x = x->next)
		if (x->body)
			add_calls(a, l, x->body, f);
}

const char *
lines_function(Arena *a, const Program *p, const Fun *f)
{
	SourceLines l = {0};

	if (f->scans)
		add_all_calls(a, &l, p, f);
	else
		add_line(a, &l, f->span);
	if (l.n)
		qsort(l.at, (size_t)l.n, sizeof *l.at, by_place);
	return text_of(a, l);
}

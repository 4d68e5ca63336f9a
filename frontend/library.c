/* library.c: the library as tables for a reader.
 *
 * In   the library's sources, and their forms with types.
 * Out  Markdown.  Names that begin with _ are the library's own and left out. */
#include "frontend/library.h"
#include <ctype.h>
#include <string.h>
#include "frontend/infer_report.h"

/* In a table a bar stands behind a backslash. */
static void
print_text(FILE *out, const char *text, int n)
{
	for (int i = 0; i < n; i++)
		fprintf(out, text[i] == '|' ? "\\%c" : "%c", text[i]);
}

static void
print_code(FILE *out, const char *text)
{
	fputs("| `", out);
	print_text(out, text, (int)strlen(text));
	fputs("` ", out);
}

/* A parameter as it is written, without outer parentheses; a record of one part goes by the name of that. */
static const char *
parameter(Arena *a, const Pattern *p)
{
	const char *s = p->kind == PAT_NAME ? p->name
		: arena_printf(a, "%s, %s", parameter(a, p->a), parameter(a, p->b));

	for (const Wrap *w = p->kind == PAT_PAIR ? p->wrap : NULL; w; w = w->inner)
		s = arena_printf(a, "%s(%s)", w->name, s);
	return s;
}

/* `take(v, n)`, `x + y`, `#v` */
static const char *
applied(Arena *a, const Form *f)
{
	const Pattern *p = f->param;

	if (!is_operator(f->name))
		return arena_printf(a, "%s(%s)", f->name, parameter(a, p));
	if (p->kind == PAT_NAME)
		return arena_printf(a, "%s%s", f->name, p->name);
	return arena_printf(a, "%s %s %s", parameter(a, p->a), f->name, parameter(a, p->b));
}

static bool
is_shown(const Form *f)
{
	const Bound *b = f->decl;

	return (f->kind == FORM_DEF || f->kind == FORM_ASSIGN) && b->at[0]->name[0] != '_';
}

/* A row; the table's head before the first. */
static void
print_form(const Unit *u, const Form *f, bool *table, FILE *out)
{
	const Decl *d = ((const Bound *)f->decl)->at[0];

	if (!*table)
		fputs("\n| | type | |\n|---|---|---|\n", out);
	*table = true;
	print_code(out, f->kind == FORM_DEF ? applied(u->arena, f) : d->name);
	print_code(out, type_text(u->arena, d->type));
	fputs("| ", out);
	print_text(out, f->doc.at, f->doc.n);
	fputs(!d->serial ? " |\n" : f->doc.n ? "; *serial* |\n" : "*serial* |\n", out);
}

static const char *
next_line(const char *line)
{
	size_t n = strcspn(line, "\n");

	return line + n + (line[n] == '\n');
}

/* The comment that a source begins with: `% file.nesl: what it is. %` */
static void
print_title(const char *text, FILE *out)
{
	int name = (int)strcspn(text += 2, ":");
	const char *about = text + name + 2;

	fprintf(out, "\n## %.*s\n\n%c", name, text, toupper((unsigned char)*about));
	while (*++about != '%' && about[1] != '%')
		if (*about != ' ' || (about[1] != ' ' && about[-1] != '\n'))
			fputc(*about, out);
	fputc('\n', out);
}

static void
print_source(const Unit *u, const Source *s, const Form *f, FILE *out)
{
	static const char mark[] = "% -- ";
	bool table = false;
	int line = 1;

	for (const char *at = s->text; *at; at = next_line(at), line++) {
		if (strncmp(at, mark, strlen(mark)) == 0) {
			at += strlen(mark);
			fprintf(out, "\n### %.*s\n", (int)strcspn(at, "%") - 4, at);
			table = false;
		}
		for (; f && f->span.file == s->name && f->span.line == line; f = f->next)
			if (is_shown(f))
				print_form(u, f, &table, out);
	}
}

void
library_print(const Unit *u, FILE *out)
{
	for (const Source *s = u->sources; s; s = s->next) {
		const Form *f = u->forms;
		if (!s->basis)
			continue;
		while (f && f->span.file != s->name)
			f = f->next;
		print_title(s->text, out);
		print_source(u, s, f, out);
	}
}

/* answer.c: what commands of the top level answer. */
#include "frontend/answer.h"
#include "frontend/command.h"
#include <stdlib.h>
#include <string.h>

/* The binding that the command is about, or NULL after a message. */
static const Decl *
subject(Infer *in, const TopCommand *c)
{
	const Decl *d = globals_find(in->globals, c->name, false);
	const char *like;

	if (d && !d->poisoned)
		return d;
	like = d ? NULL : globals_like(in->globals, in->u, NULL, c->name, false);
	if (d)
		in->failed = true;
	else
		infer_error(in, c->at, "undefined-name", like ? "there is no `%s`; did you mean `%s`?" : "there is no `%s`",
			c->name, like);
	return NULL;
}

static const char *
signature(Infer *in, const Decl *d)
{
	const Form *value = d->form ? d->form->value : NULL;
	Type *t = value ? ((const Bound *)value->decl)->at[0]->type : d->type;

	return arena_printf(in->arena, "%s : %s\n", d->name, type_text(in->arena, t));
}

static const char *
what_it_is(const Decl *d)
{
	switch (d->kind) {
	case DECL_FUN: return d->record ? "datatype" : d->bodiless ? "function declared so far" : "function";
	case DECL_CONST: return "constant";
	case DECL_CELL: return d->form ? "variable" : "input";
	case DECL_LOCAL: break;
	}
	return "variable";
}

static const char *
describe(Infer *in, const Decl *d)
{
	const char *s = arena_printf(in->arena, "%s  %s%s", signature(in, d), d->basis ? "library " : "", what_it_is(d));

	if (d->form)
		s = arena_printf(in->arena, d->basis ? "%s, %s" : "%s, %s:%d", s, d->form->span.file, d->form->span.line);
	if (d->form && d->form->doc.at)
		s = arena_printf(in->arena, "%s\n  %.*s", s, d->form->doc.n, d->form->doc.at);
	return arena_printf(in->arena, "%s\n", s);
}

typedef struct {
	Infer *in;
	const char *text;
	LIST(const Decl *) found;
} Search;

/* Names that begin with `_` are the library's own. */
static void
consider(const Decl *d, void *to)
{
	Search *s = to;

	if (strstr(d->name, s->text) && globals_find(s->in->globals, d->name, false) == d && !d->poisoned
	    && !(d->basis && d->name[0] == '_'))
		LIST_ADD(s->in->arena, &s->found, d);
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(const Decl *const *)a)->name, (*(const Decl *const *)b)->name);
}

static const char *
apropos(Infer *in, const char *text)
{
	Search s = {.in = in, .text = text};
	const char *answer = "";

	globals_each(in->globals, consider, &s);
	if (s.found.n == 0)
		return arena_printf(in->arena, "no name has `%s` in it\n", text);
	qsort(s.found.at, (size_t)s.found.n, sizeof *s.found.at, by_name);
	for (int i = 0; i < s.found.n; i++)
		answer = arena_printf(in->arena, "%s%s", answer, signature(in, s.found.at[i]));
	return answer;
}

static const char *
code(Infer *in, const Decl *d)
{
	const Form *f = d->form;

	if (!f)
		return describe(in, d);
	return arena_printf(in->arena, "%.*s\n", (int)(f->to - f->from), f->source->text + f->from);
}

/* Is there a later command for the same setting? */
static bool
overridden(const Form *f, const Form *now)
{
	for (const Form *g = f->next; g != now; g = g->next)
		if (g->kind == FORM_COMMAND && g->command->kind == f->command->kind && g->command->name == f->command->name)
			return true;
	return false;
}

static const char *
status(Infer *in, const Form *now)
{
	const char *length = "as the command line says", *rest = "";

	for (const Form *f = in->u->forms; f != now; f = f->next) {
		if (f->kind != FORM_COMMAND || f->failed || !command_sets(f->command) || overridden(f, now))
			continue;
		if (f->command->kind == CMD_PRINT_LENGTH)
			length = arena_printf(in->arena, "%lld", f->command->number);
		else if (f->command->number)
			rest = f->command->kind == CMD_PROFILE
				? arena_printf(in->arena, "%sprofile %s: on\n", rest, f->command->name)
				: arena_printf(in->arena, "%strace %s: %lld\n", rest, f->command->name, f->command->number);
	}
	return arena_printf(in->arena, "print_length: %s\narg_check: on\n%s", length, rest);
}

static void
check_setting(Infer *in, const TopCommand *c)
{
	const Decl *d = c->kind == CMD_PRINT_LENGTH ? NULL : subject(in, c);

	if (d && (d->kind != DECL_FUN || d->basis || d->record))
		infer_error(in, c->at, "type", "`%s` is no function of this program", c->name);
}

void
command_answer(Infer *in, Form *f)
{
	const TopCommand *c = f->command;
	const Decl *d;

	switch (c->kind) {
	case CMD_HELP: f->answer = command_help(in->arena); break;
	case CMD_DESCRIBE: f->answer = (d = subject(in, c)) ? describe(in, d) : NULL; break;
	case CMD_APROPOS: f->answer = apropos(in, c->name); break;
	case CMD_CODE: f->answer = (d = subject(in, c)) ? code(in, d) : NULL; break;
	case CMD_STATUS: f->answer = status(in, f); break;
	case CMD_CHECKS: f->answer = c->number ? NULL : "run-time checks are always on\n"; break;
	case CMD_PRINT_LENGTH: case CMD_TRACE: case CMD_PROFILE: check_setting(in, c); break;
	case CMD_EXIT: case CMD_LOAD: case CMD_NOTHING: case CMD_REFUSED: break;
	}
}

/* shrink.c: cuts a failing program down.
 *
 * How  nessie's front end parses and types the program; from its tree come edits of the text: a form less, an expression
 *      that becomes a literal of its type or a part of itself that has this type, an item, a filter or a source less.  The
 *      first edit after which the program still fails is made, largest first, until none is left (greedy, as in Zeller &
 *      Hildebrandt 2002, but along the tree).  An edit may make the program wrong; then it fails in another way. */
#include "tests/gen/shrink.h"
#include "frontend/infer.h"
#include "frontend/syntax.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
	size_t at, cut;
	const char *by;
	size_t gain;            /* bytes the program becomes shorter by */
} Edit;

typedef LIST(Edit) Edits;

typedef struct {
	Arena *a;
	const char *text;
	size_t n;
	Edits edits;
} Finder;

/* -- edits -------------------------------------------------------------------------------------- */

static void
edit(Finder *f, size_t at, size_t cut, const char *by)
{
	size_t n = strlen(by);

	if (at + cut <= f->n && n < cut)
		LIST_ADD(f->a, &f->edits, ((Edit){at, cut, by, cut - n}));
}

/* A variable less, even if that takes more text.  With this each edit leaves fewer variables, or as many and less text. */
static void
variable_less(Finder *f, size_t at, size_t cut, const char *by)
{
	if (at + cut <= f->n && strlen(by) >= cut)
		LIST_ADD(f->a, &f->edits, ((Edit){at, cut, by, 0}));
}

static size_t start(const Expr *e) { return (size_t)e->span.col - 1; }
static size_t length(const Expr *e) { return (size_t)e->span.len; }

static const char *
text_of(const Finder *f, const Expr *e)
{
	return start(e) + length(e) <= f->n ? arena_strndup(f->a, f->text + start(e), length(e)) : "";
}

/* NULL for functions. */
static const char *
literal(Arena *a, Type *t)
{
	const char *x, *y;

	t = type_head(t);
	switch (t->kind) {
	case TYPE_INT: return "0";
	case TYPE_FLOAT: return "0.0";
	case TYPE_BOOL: return "t";
	case TYPE_CHAR: return "`a";
	case TYPE_SEQ:
		x = literal(a, t->a);
		return x ? arena_printf(a, "[%s]", x) : NULL;
	case TYPE_PAIR:
		x = literal(a, t->a);
		y = literal(a, t->b);
		return x && y ? arena_printf(a, "(%s, %s)", x, y) : NULL;
	case TYPE_FUN: case TYPE_RECORD: case TYPE_LABEL: case TYPE_VAR: case TYPE_ERROR:
		break;
	}
	return NULL;
}

typedef struct {
	Finder *f;
	const Expr *whole;
	bool any;
} Parts;

/* Parts of a whole that have its type stand for it, and any part for what is shown. */
static void
part(void *with, const Expr *e)
{
	Parts *p = with;

	if (p->any || (e->type && type_same(p->f->a, e->type, p->whole->type)))
		edit(p->f, start(p->whole), length(p->whole), arena_printf(p->f->a, "(%s)", text_of(p->f, e)));
	expr_each(e, part, with);
}

/* Cuts from the end of what stands before to the end of this, or where nothing is before up to the next. */
static void
item_less(Finder *f, const Expr *e)
{
	for (int i = 0; i < e->u.seq.n && e->u.seq.n > 1; i++) {
		const Expr *x = e->u.seq.item[i], *other = e->u.seq.item[i > 0 ? i - 1 : 1];
		const char *before, *after;

		if (i > 0 && start(other) + length(other) < start(x)) {
			before = memchr(f->text + start(other) + length(other), ',', start(x) - start(other) - length(other));
			after = i + 1 < e->u.seq.n ? memchr(f->text + start(x) + length(x), ',', f->n - start(x) - length(x))
				: f->text + start(e) + length(e) - 1;
			if (before && after)
				edit(f, (size_t)(before - f->text), (size_t)(after - before), "");
		} else if (i == 0) {
			after = memchr(f->text + start(x) + length(x), ',', f->n - start(x) - length(x));
			if (after)
				edit(f, start(e) + 1, (size_t)(after + 1 - f->text) - start(e) - 1, "");
		}
	}
}

static void
filter_less(Finder *f, const Expr *e)
{
	const Expr *c = e->u.foreach.filter;
	size_t bar = c ? start(c) : 0;

	while (bar > start(e) && f->text[bar] != '|')
		bar--;
	if (bar > start(e))
		edit(f, bar, start(e) + length(e) - 1 - bar, "");
}

/* A literal that cannot become less where it stands, as others have its type, becomes a number wherever it stands. */
static void
everywhere(Finder *f, const Expr *e, const char *literal)
{
	const size_t n = strlen(literal);
	const char *all = "", *from = f->text, *at = strstr(from, literal);

	if (n <= 1 || at != f->text + start(e) || length(e) != n)
		return;
	for (; at; from = at + n, at = strstr(from, literal))
		all = arena_printf(f->a, "%s%.*s0", all, (int)(at - from), from);
	edit(f, 0, f->n, arena_printf(f->a, "%s%s", all, from));
}

static void
edits_of(void *with, const Expr *e)
{
	Finder *f = with;
	Parts p = {f, e, false};
	const char *simple = e->type ? literal(f->a, e->type) : NULL;

	if (simple)
		edit(f, start(e), length(e), simple);
	if (simple)
		everywhere(f, e, simple);
	if (simple && e->kind == EXPR_VAR)
		variable_less(f, start(e), length(e), simple);
	if (e->type)
		expr_each(e, part, &p);
	if (e->kind == EXPR_SEQ)
		item_less(f, e);
	if (e->kind == EXPR_FOREACH)
		filter_less(f, e);
	expr_each(e, edits_of, with);
}

/* Parentheses in pairs, and in pairs of pairs. */
static void
parentheses(Finder *f)
{
	size_t *open = NEW(f->a, size_t, (int)f->n + 1);
	int depth = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->text[i] == '(')
			open[depth++] = i;
		else if (f->text[i] == ')' && depth > 0) {
			size_t from = open[--depth];

			edit(f, from, i + 1 - from, arena_strndup(f->a, f->text + from + 1, i - from - 1));
		}
}

static int
larger_first(const void *a, const void *b)
{
	const Edit *x = a, *y = b;

	return x->gain != y->gain ? (x->gain < y->gain) - (x->gain > y->gain) : (x->at > y->at) - (x->at < y->at);
}

/* -- the front end ------------------------------------------------------------------------------ */

static Unit unit;

static void
library(void)
{
	unit.arena = arena_new();
	unit.names = names_new(unit.arena);
	unit.diag = diag_new(unit.arena, fopen("/dev/null", "w"));
	unit_add_basis(&unit);
	parse(&unit);
	infer(&unit);
}

/* In one line, so that a column is a place in the text. */
static void
find(Finder *f)
{
	char *line = arena_strndup(f->a, f->text, f->n);

	for (char *c = line; *c; c++)
		if (*c == '\n' || *c == '\t')
			*c = ' ';
	unit_add(&unit, (Source){.name = "shrink", .text = line, .n = strlen(line)});
	parse(&unit);
	infer(&unit);
	for (const Form *form = unit.forms; form; form = form->next) {
		if (form->basis || form->to <= form->from)
			continue;
		edit(f, form->from, form->to + (f->text[form->to] == '\n') - form->from, "");
		if (!form->body || form->failed)
			continue;
		if (form->kind == FORM_EXPR)
			expr_each(form->body, part, &(Parts){f, form->body, true});
		edits_of(f, form->body);
	}
	parentheses(f);
	qsort(f->edits.at, (size_t)f->edits.n, sizeof(Edit), larger_first);
}

static void
put(FILE *to, Finder *f)
{
	for (int i = 0; i < f->edits.n; i++) {
		const Edit *e = &f->edits.at[i];

		fprintf(to, "%zu %zu %zu ", e->at, e->cut, strlen(e->by));
		fputs(e->by, to);
	}
	fclose(to);
}

/* Found in a process of its own: the front end keeps what it has read, and stops where it is surprised. */
static Edits
find_edits(Arena *a, const char *text)
{
	Finder f = {.a = a, .text = text, .n = strlen(text)};
	FILE *pipe = tmpfile();
	size_t n;
	pid_t pid;

	if (!unit.arena)
		library();
	fflush(NULL);
	pid = pipe ? fork() : -1;
	if (pid == 0) {
		find(&f);
		put(pipe, &f);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0) {
		perror("gen");
		exit(2);
	}
	rewind(pipe);
	for (Edit e; fscanf(pipe, "%zu %zu %zu", &e.at, &e.cut, &n) == 3;) {
		char *by = arena_alloc(a, n + 1);

		by[fgetc(pipe) == ' ' ? fread(by, 1, n, pipe) : 0] = 0;
		e.by = by;
		e.gain = e.cut > n ? e.cut - n : 0;
		LIST_ADD(a, &f.edits, e);
	}
	fclose(pipe);
	return f.edits;
}

/* -- the search --------------------------------------------------------------------------------- */

static const char *
edited(Arena *a, const char *text, const Edit *e)
{
	return arena_printf(a, "%.*s%s%s", (int)e->at, text, e->by, text + e->at + e->cut);
}

/* After an edit larger ones are let be, until no smaller one helps. */
const char *
shrink(Arena *a, const char *text, bool (*fails)(void *with, const char *text), void *with, int tries)
{
	size_t most = SIZE_MAX;

	while (tries > 0) {
		Edits l = find_edits(a, text);
		int i = 0;

		while (i < l.n && (l.at[i].gain > most || !fails(with, edited(a, text, &l.at[i])))) {
			tries -= l.at[i].gain <= most;
			i = tries > 0 ? i + 1 : l.n;
		}
		if (i == l.n && most == SIZE_MAX)
			break;
		most = i < l.n ? l.at[i].gain : SIZE_MAX;
		if (i < l.n)
			text = edited(a, text, &l.at[i]);
	}
	return text;
}

/* check_library.c: every function of the library at its cases, tests/library.txt: a name at the margin, below it
 * `EXPRESSION ==> VALUE : TYPE` or `EXPRESSION ==> error KIND`.  A case that only applies the function is evaluated once
 * more, for two elements of an apply-to-each, unless the function is serial.  All cases are one program for each target and width of ints; min_int
 * and max_int in a VALUE stand for their digits. */
#include "common/embed.h"
#include "frontend/infer.h"
#include "frontend/needed.h"
#include "frontend/syntax.h"
#include "frontend/verify.h"
#include "tests/same_values.h"
#include "tests/tcc.h"
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *library_suite(void);

typedef struct Try {
	const char *expr, *value, *type, *error;        /* value and type, or error */
	const char *each;                               /* the same in parallel; NULL: the case does more than to apply */
} Try;

typedef struct Group {
	const char *name;
	bool serial;                                    /* may not be applied in parallel */
	LIST(Try) cases;
} Group;

static Arena *arena;
static LIST(Group) groups;

/* -- the library -------------------------------------------------------------------------------------------- */

/* All of it, or (program not NULL) what a program of this text needs. */
static Unit
typed_library(const char *program)
{
	Unit u = {.arena = arena, .names = names_new(arena), .diag = diag_new(arena, stderr), .whole_library = true};
	Span at;

	ck_assert_ptr_null(unit_add_basis(&u));
	if (program) {
		unit_add(&u, (Source){.name = "a.nesl", .text = program, .n = strlen(program)});
		keep_needed(&u);
	}
	parse(&u);
	ck_assert_ptr_null(verify_parse(&u, &at));
	infer(&u);
	ck_assert_ptr_null(verify_type(&u, &at));
	ck_assert_int_eq(diag_errors(u.diag), 0);
	return u;
}

static bool
is_serial(const Unit *u, const char *name)
{
	const Form *f = u->forms;

	while (f && !(f->kind == FORM_DEF && strcmp(f->name, name) == 0))
		f = f->next;
	return f && ((const Bound *)f->decl)->at[0]->serial;
}

/* -- the cases --------------------------------------------------------------------------------------------- */

/* Behind one character of NESL, or behind a string or a char as a whole. */
static const char *
skip(const char *s)
{
	if (*s == '`')
		return s + 2;
	if (*s++ == '"') {
		while (*s != '"')
			s += *s == '\\' ? 2 : 1;
		s++;
	}
	return s;
}

/* The first place outside brackets where `what` stands; NULL: nowhere. */
static const char *
outside(const char *s, const char *what)
{
	int depth = 0;

	for (; *s; s = skip(s)) {
		if (depth == 0 && strncmp(s, what, strlen(what)) == 0)
			return s;
		depth += (strchr("([{", *s) != NULL) - (strchr(")]}", *s) != NULL);
	}
	return NULL;
}

static const char *
between(const char *from, const char *to)
{
	return arena_strndup(arena, from, (size_t)(to - from));
}

/* `(a, b)` as a whole in brackets: what is in them; NULL if it is not. */
static const char *
in_brackets(const char *s)
{
	const char *end;

	if (*s != '(')
		return NULL;
	end = outside(s + 1, ")");
	return end && !end[1] ? between(s + 1, end) : NULL;
}

/* `f(a, b)`, `a + b` or `#a`, and nothing else, for each of two. */
static const char *
for_each(const char *name, const char *expr)
{
	size_t n = strlen(name);
	const char *e = in_brackets(expr) ? in_brackets(expr) : expr, *args, *op;

	if (strncmp(e, name, n) == 0) {
		args = in_brackets(e + n);
		if (!args && strchr("#@", *name))
			args = e + n;
		return args ? arena_printf(arena, "{%s(x) : x in [(%s), (%s)]}", name, args, args) : NULL;
	}
	op = outside(e, arena_printf(arena, " %s ", name));
	if (!op)
		return NULL;
	args = arena_printf(arena, "(%s, %s)", between(e, op), op + n + 2);
	return arena_printf(arena, "{x %s y : (x, y) in [%s, %s]}", name, args, args);
}

static void
read_case(Group *g, const char *line)
{
	static const char gives[] = " ==> ", error[] = "error ";
	const char *mark = strstr(line, gives), *result, *applies;
	Try c = {0};

	ck_assert_msg(mark != NULL, "%s: no ==>", line);
	c.expr = between(line, mark);
	applies = for_each(g->name, c.expr);
	c.each = g->serial ? NULL : applies;
	result = mark + strlen(gives);
	if (strncmp(result, error, strlen(error)) == 0) {
		c.error = result + strlen(error);
		ck_assert_msg(applies != NULL, "%s: an error should come of %s, so that its place can be told", line, g->name);
	} else {
		const char *colon = strstr(result, " : ");
		ck_assert_msg(colon != NULL, "%s: no type", line);
		c.value = between(result, colon);
		c.type = colon + 3;
	}
	LIST_ADD(arena, &g->cases, c);
}

static void
read_cases(void)
{
	size_t n;
	char *text, *line;
	Unit u;

	arena = arena_new();
	u = typed_library(NULL);
	groups.n = 0;
	text = read_text(arena, "tests/library.txt", &n);
	ck_assert(text);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (*line != ' ')
			LIST_ADD(arena, &groups, ((Group){.name = line, .serial = is_serial(&u, line)}));
		else
			read_case(&groups.at[groups.n - 1], line + 2);
}

static void
forget_cases(void)
{
	arena_free(arena);
}

/* -- the targets ------------------------------------------------------------------------------------------- */

/* What two of this value are echoed as; two chars are a string. */
static const char *
twice(const Try *c)
{
	const char *t = c->type, *v = c->value;

	if (strcmp(t, "char") == 0)
		return arena_printf(arena, "it = \"%c%c\" : [char]\n", v[1], v[1]);
	return arena_printf(arena, outside(t, ",") ? "it = [%s, %s] : [(%s)]\n" : "it = [%s, %s] : [%s]\n", v, v, t);
}

/* A line, with the digits for the names of the extreme ints. */
static void
print_wanted(FILE *to, const char *line, bool wide)
{
	static const struct { const char *name, *wide, *narrow; } extreme[] = {
		{"min_int", "-9223372036854775808", "-2147483648"}, {"max_int", "9223372036854775807", "2147483647"},
	};

	while (*line) {
		int i = 0;
		while (i < 2 && strncmp(line, extreme[i].name, strlen(extreme[i].name)) != 0)
			i++;
		if (i < 2)
			fputs(wide ? extreme[i].wide : extreme[i].narrow, to);
		else
			fputc(*line, to);
		line += i < 2 ? strlen(extreme[i].name) : 1;
	}
}

/* Writes the program, a form a line, and what it should print; messages where they should stand go to *errors. */
static void
write_program(FILE *program, FILE *want, bool wide, const char **errors)
{
	int line = 0;

	*errors = "";
	for (int i = 0; i < groups.n; i++)
		for (int k = 0; k < groups.at[i].cases.n; k++) {
			const Try *c = &groups.at[i].cases.at[k];
			fprintf(program, "%s;\n%s;\n", c->expr, c->each ? c->each : "0");
			line += 2;
			if (c->error)
				*errors = arena_printf(arena, c->each ? "%s%d:1: error[%s]\n%d:2: error[%s]\n" : "%s%d:1: error[%s]\n",
					*errors, line - 1, c->error, line, c->error);
			if (c->error && !c->each)
				fprintf(want, "it = 0 : int\n");
			else if (!c->error)
				print_wanted(want, arena_printf(arena, "it = %s : %s\n%s", c->value, c->type,
					c->each ? twice(c) : "it = 0 : int\n"), wide);
		}
}

static char *
next_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	*text = end ? end + 1 : line + strlen(line);
	if (end)
		*end = 0;
	return line;
}

START_TEST(every_case)
{
	static const char *const options[] = {
		"--target=interp", "--target=cpu", "--target=interp --int=32", "--target=cpu --int=32",
	};
	FILE *program = fopen("build/library.nesl", "w"), *want = fopen("build/library.want", "w");
	const char *errors;
	char *w, *o, *err;
	size_t n;
	int status;

	ck_assert(program && want);
	write_program(program, want, _i < 2, &errors);
	fclose(program);
	fclose(want);
	status = system(arena_printf(arena, "{ " QUICKLY
		"./nessie run %s build/library.nesl >build/library.out 2>build/library.err; }", options[_i]));
	w = read_text(arena, "build/library.want", &n);
	o = read_text(arena, "build/library.out", &n);
	err = read_text(arena, "build/library.err", &n);
	while (*w || *o) {
		const char *wanted = next_line(&w), *got = next_line(&o);
		ck_assert_msg(same_values(wanted, got), "wanted\n%s\ngot\n%s\n%.2000s", wanted, got, err);
	}
	ck_assert_int_eq(WEXITSTATUS(status), 3);
	for (char *e = arena_strndup(arena, errors, strlen(errors)); *e; ) {
		const char *message = arena_printf(arena, "build/library.nesl:%s", next_line(&e));
		ck_assert_msg(strstr(err, message) != NULL, "no %s in\n%.2000s", message, err);
	}
}
END_TEST

/* -- nothing is left out ----------------------------------------------------------------------------------- */

static const Group *
group_of(const char *name)
{
	int i = 0;

	while (i < groups.n && strcmp(groups.at[i].name, name) != 0)
		i++;
	return i < groups.n ? &groups.at[i] : NULL;
}

static bool
takes_sequence(const TypeExpr *t)
{
	return t && (t->kind == TYX_SEQ || takes_sequence(t->a) || (t->kind == TYX_PAIR && takes_sequence(t->b)));
}

static bool
has_empty(const Group *g)
{
	bool found = false;

	for (int i = 0; i < g->cases.n; i++)
		found |= strstr(g->cases.at[i].expr, "[] ") || strstr(g->cases.at[i].expr, "\"\"");
	return found;
}

/* The docstring tells `error KIND` of the kinds that there are cases of, and of no other. */
static void
check_errors(const Group *g, const char *doc)
{
	for (int i = 0; i < g->cases.n; i++) {
		const char *kind = g->cases.at[i].error;
		ck_assert_msg(!kind || strstr(doc, arena_printf(arena, "error %s", kind)), "%s: the docstring does not tell of %s",
			g->name, kind);
	}
	while ((doc = strstr(doc, "error "))) {
		bool found = false;
		doc += strlen("error ");
		for (int i = 0; i < g->cases.n; i++) {
			const char *kind = g->cases.at[i].error;
			found |= kind && strncmp(doc, kind, strlen(kind)) == 0;
		}
		ck_assert_msg(found, "%s: no case of error %.20s", g->name, doc);
	}
}

static const char *
name_of(const Form *f)
{
	return f->kind == FORM_ASSIGN ? ((const Bound *)f->decl)->at[0]->name : f->name;
}

/* Where a name stands in a program, its form is left, and all that has to do with that: it is typed. */
START_TEST(what_is_needed)
{
	const Unit all = typed_library(NULL);

	for (const Form *f = all.forms, *g; f; f = f->next) {
		const Unit u = typed_library(arena_printf(arena, "%% %s %%", name_of(f)));

		for (g = u.forms; g && strcmp(name_of(g), name_of(f)) != 0; g = g->next)
			;
		ck_assert_msg(g && g->span.line == f->span.line && g->span.col == f->span.col, "%s is not there, or elsewhere", name_of(f));
	}
}
END_TEST

static int
forms_of(const Unit *u)
{
	int n = 0;

	for (const Form *f = u->forms; f; f = f->next)
		n += f->basis;
	return n;
}

/* .. and no more than that; but all, where a program may ask for it. */
START_TEST(what_is_not_needed)
{
	static const struct { const char *program; bool little; } t[] = {
		{"% 1 %", true}, {"% sum(v) + 1 %", true}, {"% v[0] - 1 %", true}, {"% load \"x\" %", false}, {"% Apropos sort %", false},
	};
	const Unit all = typed_library(NULL);

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		const Unit u = typed_library(t[i].program);
		const int n = forms_of(&u);

		ck_assert_int_eq(forms_of(&all), n + u.unread.n);
		ck_assert_msg(t[i].little ? n < 15 : u.unread.n == 0, "%s: %d", t[i].program, n);
	}
}
END_TEST

START_TEST(every_function)
{
	Unit u = typed_library(NULL);
	int n = 0;

	for (const Form *f = u.forms; f; f = f->next) {
		const char *name = f->kind == FORM_DEF ? f->name : f->kind == FORM_ASSIGN ? f->param->name : "_";
		const Group *g = group_of(name);
		if (name[0] == '_')
			continue;
		n++;
		ck_assert_msg(g && g->cases.n > 0, "%s has no cases in tests/library.txt", name);
		if (f->kind == FORM_ASSIGN)
			continue;
		ck_assert_msg(f->doc.at != NULL, "%s has no docstring", name);
		check_errors(g, arena_strndup(arena, f->doc.at, (size_t)f->doc.n));
		ck_assert_msg(!takes_sequence(f->argtype) || has_empty(g), "%s has no case of an empty sequence", name);
	}
	ck_assert_int_eq(n, groups.n);
}
END_TEST

Suite *
library_suite(void)
{
	Suite *s = suite_create("library");
	TCase *c = tcase_create("library");

	tcase_add_checked_fixture(c, read_cases, forget_cases);
	tcase_set_timeout(c, 60);
	tcase_add_test(c, what_is_needed);
	tcase_add_test(c, what_is_not_needed);
	tcase_add_test(c, every_function);
	tcase_add_loop_test(c, every_case, 0, 4);
	suite_add_tcase(s, c);
	return s;
}

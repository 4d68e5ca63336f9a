/* inputs.c: --input on the command line -> inputs of the unit. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "backend/inputs.h"
#include "backend/rt/nesl_value.h"
#include "frontend/lex.h"
#include "frontend/grammar.h"

enum { DEEPEST = 100 };                 /* nesting of a type that somebody may mean */

/* -- types --------------------------------------------------------------------------------------- */

static const Ty *read_tuple(Arena *a, const char **at, int depth);

static bool
take(const char **at, const char *token)
{
	size_t n = strlen(token);

	*at += strspn(*at, " \t");
	if (strncmp(*at, token, n) != 0)
		return false;
	*at += n;
	return true;
}

static const Ty *
read_type(Arena *a, const char **at, int depth)
{
	const Ty *t = NULL;

	if (depth > DEEPEST)
		return NULL;
	if (take(at, "int"))
		return &ty_int;
	if (take(at, "float"))
		return &ty_float;
	if (take(at, "bool"))
		return &ty_bool;
	if (take(at, "char"))
		return &ty_char;
	if (take(at, "[")) {
		t = read_tuple(a, at, depth + 1);
		return t && take(at, "]") ? ty_seq(a, t) : NULL;
	}
	if (take(at, "("))
		t = read_tuple(a, at, depth + 1);
	return t && take(at, ")") ? t : NULL;
}

/* a, b, c is (a, (b, c)) */
static const Ty *
read_tuple(Arena *a, const char **at, int depth)
{
	const Ty *t = read_type(a, at, depth), *rest;

	if (!t || !take(at, ","))
		return t;
	rest = depth > DEEPEST ? NULL : read_tuple(a, at, depth + 1);
	return rest ? ty_pair(a, t, rest) : NULL;
}

/* A type as NESL prints it: "[[(int, float)]]", "int, float".  NULL if the text is none. */
static const Ty *
whole_type(Arena *a, const char *text)
{
	const Ty *t = read_tuple(a, &text, 0);

	take(&text, "");
	return *text ? NULL : t;
}

/* -- inputs -------------------------------------------------------------------------------------- */

/* Names are NESL's: their case does not matter.  NULL if the text up to n is none. */
static const char *
input_name(Unit *u, const char *text, size_t n)
{
	char *name = arena_strndup(u->arena, text, n);

	if (!isalpha((unsigned char)name[0]))
		return NULL;
	for (char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && *p != '_')
			return NULL;
		*p = (char)tolower((unsigned char)*p);
	}
	return intern(u->names, name);
}

/* The type of in->path's value. */
static int
ask_file(Unit *u, Input *in)
{
	char type[256], why[512];
	struct stat st;

	if (stat(in->path, &st) == 0 && S_ISFIFO(st.st_mode)) {
		fprintf(stderr, "nessie: --input %s: %s is a pipe: an input is read twice, for its type and its value\n", in->name, in->path);
		return 4;
	}
	if (nesl_input_type(in->path, u->int_bits, type, sizeof type, why, sizeof why) != 0) {
		fprintf(stderr, "nessie: --input %s: %s\n", in->name, why);
		return 4;
	}
	in->ty = whole_type(u->arena, type);
	if (!in->ty)
		ice((Span){0}, "inputs", "type `%s`", type);
	return 0;
}

/* Not a boolean, nor a word of the language. */
static bool
can_be_bound(Unit *u, const char *name)
{
	Source s = {.name = "--input", .text = name, .n = strlen(name)};

	return lex(lexer_new(u, &s))->kind == TOK_NAME;
}

int
input_add(Unit *u, const char *text)
{
	size_t n = strcspn(text, "=:");
	Input *in = NEW(u->arena, Input, 1), **end = &u->inputs;

	in->name = input_name(u, text, n);
	if (!in->name || !text[n] || !text[n + 1]) {
		fprintf(stderr, "nessie: --input %s: wanted NAME=PATH or NAME:TYPE\n", text);
		return 2;
	}
	if (!can_be_bound(u, in->name)) {
		fprintf(stderr, "nessie: --input %s: this name cannot be bound\n", in->name);
		return 2;
	}
	for (; *end; end = &(*end)->next)
		if ((*end)->name == in->name) {
			fprintf(stderr, "nessie: --input %s is given twice\n", in->name);
			return 2;
		}
	*end = in;
	if (text[n] == '=') {
		in->path = text + n + 1;
		return ask_file(u, in);
	}
	in->ty = whole_type(u->arena, text + n + 1);
	if (in->ty)
		return 0;
	fprintf(stderr, "nessie: --input %s: `%s` is no type like [[(int, float)]]\n", in->name, text + n + 1);
	return 2;
}

/* needed.c: the part of the library that a program can come to.
 *
 * In   the sources of a unit, not parsed yet: the library's, and the program's
 * Out  the library's with blanks in place of each form whose name stands neither in the program nor in a form that is left, so that
 *      what is left stands where it stood
 * Rule In the library a letter in the first column begins a form, and every form begins so.
 * How  By the words and operators in the texts.  Most programs come to some dozens of 300 forms at most: reading all of them took
 *      longer than all the rest of a short one. */
#include "frontend/needed.h"
#include <ctype.h>
#include <string.h>
#include "common/map.h"

enum { LONGEST = 64 };                  /* name in the library */

typedef struct Part {                   /* a form of the library */
	Source *in;
	size_t from, to;
	const char *name;
	bool needed;
	struct Part *same;              /* another one of this name */
	struct Part *next;              /* in the order of the texts */
	struct Part *waits;             /* another one that is needed, and was not looked at yet */
} Part;

typedef struct Needs {
	Unit *u;
	Map *by_name;                   /* of Parts, by interned name */
	Part *parts, *waiting;
} Needs;

static bool
is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* Of a word that begins there: names are the same in capitals. */
static const char *
word_at(Unit *u, const char *s, size_t *n)
{
	char word[LONGEST];

	for (*n = 0; is_letter(s[*n]) || isdigit((unsigned char)s[*n]); ++*n)
		if (*n < LONGEST)
			word[*n] = (char)tolower((unsigned char)s[*n]);
	return *n > 0 && *n <= LONGEST ? intern_n(u->names, word, *n) : NULL;
}

/* -- which there are ------------------------------------------------------------------------------------------ */

/* `function g(..`, `function "+"(..`, `datatype d(..`, `x = ..` */
static const char *
name_of_form(Unit *u, const char *s)
{
	size_t n;

	if (strncmp(s, "function ", 9) == 0 || strncmp(s, "datatype ", 9) == 0)
		s += 9;
	if (*s == '"')
		return intern_n(u->names, s + 1, strcspn(s + 1, "\""));
	return word_at(u, s, &n);
}

static void
find_parts(Needs *k, Source *s, Part ***end)
{
	Part *last = NULL;

	for (size_t line = 0; line < s->n; line += strcspn(s->text + line, "\n") + 1) {
		Part *p;

		if (!is_letter(s->text[line]))
			continue;
		p = NEW(k->u->arena, Part, 1);
		*p = (Part){.in = s, .from = line, .to = s->n, .name = name_of_form(k->u, s->text + line)};
		p->same = *map_at(k->by_name, p->name);
		*map_at(k->by_name, p->name) = p;
		if (last)
			last->to = line;
		last = **end = p;
		*end = &p->next;
	}
}

/* -- which are needed ------------------------------------------------------------------------------------------ */

static void
need(Needs *k, const char *name)
{
	for (Part *p = name ? *map_at(k->by_name, name) : NULL; p; p = p->same) {
		if (p->needed)
			continue;
		p->needed = true;
		p->waits = k->waiting;
		k->waiting = p;
	}
}

/* Behind a string, comment or char of the library at s; s itself if there is none. */
static const char *
behind_text(const char *s)
{
	if (*s == '`')
		return s[1] ? s + 2 : s + 1;
	if (*s != '"' && *s != '%')
		return s;
	for (const char quote = *s++; *s && *s != quote; s++)
		if (*s == '\\' && quote == '"' && s[1])
			s++;
	return *s ? s + 1 : s;
}

/* What is named there; in the program in comments and strings, too, as a text may be wrong. */
static void
look_at(Needs *k, const char *s, const char *end, bool library)
{
	while (s < end) {
		const char *behind = library ? behind_text(s) : s;
		size_t n;

		if (behind != s) {
			s = behind;
		} else if (is_letter(*s)) {
			need(k, word_at(k->u, s, &n));
			s += n;
		} else {
			for (n = 1; ispunct((unsigned char)*s) && n <= 2 && s + n <= end; n++)
				need(k, intern_n(k->u->names, s, n));
			s++;
		}
	}
}

/* What the grammar names: `v[i]`, `-x`. */
static void
need_implied(Needs *k)
{
	need(k, intern(k->u->names, "elt"));
	need(k, intern(k->u->names, "negate"));
}

/* Is the word in it, in any case, which asks for the names that there are, or for more text? */
static bool
asks_for_more(Unit *u, const Source *s)
{
	const char *const load = intern(u->names, "load"), *const apropos = intern(u->names, "apropos");

	for (size_t i = 0, n; i < s->n; i += n) {
		const char *word = word_at(u, s->text + i, &n);

		if (word && (word == load || word == apropos))
			return true;
		n = n ? n : 1;
	}
	return false;
}

/* -- what is left ------------------------------------------------------------------------------------------------ */

static void
blank(Unit *u, const Part *p)
{
	char *text = (char *)p->in->text;       /* a copy of ours */

	for (size_t i = p->from; i < p->to; i++)
		if (text[i] != '\n')
			text[i] = ' ';
	LIST_ADD(u->arena, &u->unread, p->name);
}

void
keep_needed(Unit *u)
{
	Needs k = {.u = u, .by_name = map_new(u->arena)};
	Part **end = &k.parts;

	for (const Source *s = u->sources; s; s = s->next)
		if (!s->basis && asks_for_more(u, s))
			return;
	for (Source *s = u->sources; s; s = s->next)
		if (s->basis) {
			s->text = arena_strndup(u->arena, s->text, s->n);
			find_parts(&k, s, &end);
		}
	need_implied(&k);
	for (const Input *i = u->inputs; i; i = i->next)
		need(&k, intern(u->names, i->name));
	for (const Source *s = u->sources; s; s = s->next)
		if (!s->basis)
			look_at(&k, s->text, s->text + s->n, false);
	for (Part *p; (p = k.waiting); look_at(&k, p->in->text + p->from, p->in->text + p->to, true))
		k.waiting = p->waits;
	for (const Part *p = k.parts; p; p = p->next)
		if (!p->needed)
			blank(u, p);
}

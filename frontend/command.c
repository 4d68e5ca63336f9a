/* command.c: commands of the top level, as they are written.
 *
 * How  A row of the table tells the words that a command begins with and what follows them: n a name, s a string,
 *      i a number, c a count, t the level of a trace, o on or off, l the options of load. */
#include "frontend/command.h"
#include "frontend/grammar.h"
#include <string.h>

typedef struct {
	const char *words, *args;       /* what follows: a name, a string, an int, a count from 1, for load (read_arg) */
	CommandKind kind;
	const char *shown, *does;       /* for help; REFUSED: does says why */
} CommandInfo;

static const CommandInfo command[] = {
	{"help", "", CMD_HELP, "help", "this list; ? too"},
	{"?", "", CMD_HELP, NULL, NULL},
	{"exit", "", CMD_EXIT, "exit", "leave; in a file: what follows is not read"},
	{"load", "sl", CMD_LOAD, "load \"FILE\" [, print := t]", "the forms of a file; their values are printed with print := t"},
	{"describe", "n", CMD_DESCRIBE, "describe NAME", "type, description and place of a function or variable"},
	{"apropos", "n", CMD_APROPOS, "apropos TEXT", "the names that TEXT is part of, with their types"},
	{"show code", "n", CMD_CODE, "show code NAME", "the definition of a function"},
	{"show status", "", CMD_STATUS, "show status", "the settings"},
	{"set print_length", "c", CMD_PRINT_LENGTH, "set print_length N", "how many elements of a sequence are printed"},
	{"set trace", "nt", CMD_TRACE, "set trace NAME LEVEL",
		"show calls of a function: 1 its name, 2 arguments, 3 results, 4 all of them whole; 0 nothing"},
	{"set profile", "no", CMD_PROFILE, "set profile NAME on|off", "count the calls of a function and their time"},
	{"set arg_check", "o", CMD_CHECKS, NULL, NULL},
	{"set verbose", "o", CMD_NOTHING, NULL, NULL},
	{"set memory_size", "i", CMD_NOTHING, NULL, NULL},
	{"set config", NULL, CMD_REFUSED, NULL, "there are no configurations: --target says what runs a program"},
	{"show config", NULL, CMD_REFUSED, NULL, "there are no configurations: --target says what runs a program"},
	{"show configs", NULL, CMD_REFUSED, NULL, "there are no configurations: --target says what runs a program"},
	{"show bugs", NULL, CMD_REFUSED, NULL, "there is no such list here"},
	{"get", NULL, CMD_REFUSED, NULL, "there are no background runs to get a value from"},
	{"dump", NULL, CMD_REFUSED, NULL, "there is no VCODE: `nessie dump` prints the stages of a program"},
	{"lisp", NULL, CMD_REFUSED, NULL, "there is no Lisp below"},
	{"shell", NULL, CMD_REFUSED, NULL, "commands of the system run with shell_command"},
	{"edit", NULL, CMD_REFUSED, NULL, "there is no editor here: edit the file and load it"},
};

enum { NCOMMAND = sizeof command / sizeof *command };

/* Is the token, in lower case, the word of this length at `at`? */
static bool
is_word(const Token *t, const char *at, size_t n)
{
	const char *s = t->kind == TOK_NAME ? t->u.name : t->text;
	size_t len = t->kind == TOK_NAME ? strlen(s) : (size_t)t->n;

	return len == n && strncmp(s, at, n) == 0;
}

static bool
is_text(const Token *t, const char *s)
{
	return is_word(t, s, strlen(s));
}

bool
command_begins(const Token *t)
{
	for (int i = 0; i < NCOMMAND; i++)
		if (is_word(t, command[i].words, strcspn(command[i].words, " ")))
			return true;
	return false;
}

bool
command_stands_alone(const Token *t)
{
	for (int i = 0; i < NCOMMAND; i++)
		if (is_text(t, command[i].words) && command[i].args && !*command[i].args)
			return true;
	return false;
}

bool
command_word(const char *name)
{
	return command_begins(&(Token){.kind = TOK_NAME, .u.name = name});
}

/* How many tokens the words of the row are; 0: others stand there. */
static int
words_match(const CommandInfo *c, Token *const *t, int n)
{
	size_t first = strcspn(c->words, " ");

	if (!is_word(t[0], c->words, first))
		return 0;
	if (!c->words[first])
		return 1;
	return n > 1 && is_text(t[1], c->words + first + 1) ? 2 : 0;
}

/* "print_length, trace, ...": what may follow `set` or `show`. */
static const char *
second_words(Arena *a, const Token *first)
{
	const char *list = "";

	for (int i = 0; i < NCOMMAND; i++) {
		size_t n = strcspn(command[i].words, " ");
		if (is_word(first, command[i].words, n) && command[i].words[n] && command[i].kind != CMD_REFUSED)
			list = arena_printf(a, "%s%s%s", list, *list ? ", " : "", command[i].words + n + 1);
	}
	return list;
}

static const char *
lower(Arena *a, Names *names, const Token *t)
{
	return t->kind == TOK_NAME ? t->u.name : intern(names, arena_strndup(a, t->text, (size_t)t->n));
}

/* One argument of the kind at *kind; NULL, or what should stand there. */
static const char *
read_arg(Arena *a, Names *names, TopCommand *c, char kind, const Token *t)
{
	switch (kind) {
	case 'n':
		c->name = t->kind == TOK_STRING ? intern_n(names, t->u.string.at, (size_t)t->u.string.n) : lower(a, names, t);
		c->at = t->span;
		return NULL;
	case 's':
		if (t->kind != TOK_STRING)
			return "a string should come here";
		c->string = arena_strndup(a, t->u.string.at, (size_t)t->u.string.n);
		c->at = t->span;
		return NULL;
	case 'i':
	case 'c':
		c->number = t->kind == TOK_INT ? t->u.i : -1;
		if (kind == 'c' && c->number < 1)
			return "a number from 1 should come here";
		return c->number < 0 ? "a number should come here" : NULL;
	case 't':
		c->number = t->kind == TOK_INT ? t->u.i : -1;
		return c->number < 0 || c->number > 4 ? "a level from 0 to 4 should come here" : NULL;
	default:
		c->number = is_text(t, "on");
		return c->number || is_text(t, "off") ? NULL : "`on` or `off` should come here";
	}
}

/* `, verbose := f, print := t` */
static const char *
read_options(TopCommand *c, Token *const *t, int n, int *i)
{
	static const char how[] = "`, verbose := t` or `, print := t` may come here";

	for (; *i < n; *i += 4) {
		if (n - *i < 4 || !is_text(t[*i], ",") || !is_text(t[*i + 2], ":=") || t[*i + 3]->kind != TOK_BOOL)
			return how;
		if (is_text(t[*i + 1], "print"))
			c->print = t[*i + 3]->u.i;
		else if (!is_text(t[*i + 1], "verbose"))
			return how;
	}
	return NULL;
}

static const char *
read_args(Arena *a, Names *names, TopCommand *c, const CommandInfo *row, Token *const *t, int n, int *i)
{
	const char *why = NULL;

	for (const char *k = row->args; *k && !why; k++) {
		if (*k == 'l')
			return read_options(c, t, n, i);
		if (*i == n)
			return *k == 'n' ? "a name should come here" : read_arg(a, names, c, *k, &(Token){.text = ""});
		why = read_arg(a, names, c, *k, t[*i]);
		*i += !why;
	}
	return why || *i == n ? why : "nothing more should come here";
}

/* called: as a function may be. */
static const char *
refusal(Arena *a, const CommandInfo *row, bool called)
{
	const char *why = arena_printf(a, "the command `%s` is not part of nessie: %s", row->words, row->does);

	return called ? arena_printf(a, "%s; a function of that name is called in parentheses, `(%s(..))`", why, row->words) : why;
}

/* Where it is called. */
static const char *
written(Arena *a, const CommandInfo *row)
{
	const char *how = arena_printf(a, "a command is no function: it is written `%s`", row->shown ? row->shown : row->words);

	return strchr(row->words, ' ') ? how
		: arena_printf(a, "%s; a function of that name is called in parentheses, `(%s(..))`", how, row->words);
}

TopCommand *
command_read(Arena *a, Names *names, Token *const *t, int n, const char **why, Span *at)
{
	TopCommand *c = NEW(a, TopCommand, 1);
	const CommandInfo *row = command;
	int i = 0;

	while (row < command + NCOMMAND && !(i = words_match(row, t, n)))
		row++;
	*at = t[n > 1 ? 1 : 0]->span;
	*why = NULL;
	if (row == command + NCOMMAND)
		*why = arena_printf(a, "`%s` is followed by one of: %s%s", lower(a, names, t[0]), second_words(a, t[0]),
			n > 1 && is_text(t[1], "(") ? "; a command is no function" : "");
	else if (row->kind == CMD_REFUSED)
		*why = refusal(a, row, n > 1 && is_text(t[1], "(")), *at = t[0]->span;
	else if (i < n && is_text(t[i], "("))
		*why = written(a, row), *at = t[i]->span;
	else if ((*why = read_args(a, names, c, row, t, n, &i)))
		*at = t[i < n ? i : n - 1]->span, *why = arena_printf(a, "%s: the command is `%s`", *why,
			row->shown ? row->shown : row->words);
	if (*why)
		return NULL;
	c->kind = row->kind;
	c->text = "";
	for (int k = 0; k < n; k++)
		c->text = arena_printf(a, "%s%s%.*s", c->text, k ? " " : "", t[k]->n, t[k]->text);
	return c;
}

bool
command_sets(const TopCommand *c)
{
	return c->kind == CMD_PRINT_LENGTH || c->kind == CMD_TRACE || c->kind == CMD_PROFILE;
}

void
command_words(CommandHear *hear, void *to)
{
	for (int i = 0; i < NCOMMAND; i++)
		if (command[i].kind != CMD_REFUSED)
			hear(command[i].words, to);
}

const char *
command_help(Arena *a)
{
	const char *s = "A form ends with `;`: an expression, a definition, `x = expression`, or a command:\n";

	for (int i = 0; i < NCOMMAND; i++)
		if (command[i].shown)
			s = arena_printf(a, "%s  %-28s %s\n", s, command[i].shown, command[i].does);
	return s;
}

/* lines.c: lines of input.
 *
 * How  While libedit reads, Ctrl-C and Ctrl-Z are keys like others; otherwise Ctrl-C is a signal that ends the
 *      read.  History is kept in $XDG_STATE_HOME/nessie/history, or under ~/.local/state. */
#include "backend/interp/lines.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef HAVE_LIBEDIT
#include <histedit.h>
#include <locale.h>
#include <termios.h>
#endif

struct Lines {
	bool terminal;
	NamesOf *names;
	void *context;
	char *line;
	size_t cap;
#ifdef HAVE_LIBEDIT
	EditLine *el;                   /* NULL: no editing */
	History *history;
	char path[4096];                /* of the history; empty: none */
	const char *prompt;
	bool abandoned;
#endif
};

/* -- without editing ------------------------------------------------------------------------------ */

static LineKind
plain_next(Lines *l, const char *prompt, const char **text, size_t *n)
{
	ssize_t got;

	if (l->terminal) {
		fputs(prompt, stdout);
		fflush(stdout);
	}
	errno = 0;
	got = getline(&l->line, &l->cap, stdin);
	if (got < 0 && errno == EINTR) {
		clearerr(stdin);
		putchar('\n');
		return LINE_ABANDONED;
	}
	*text = l->line;
	*n = (size_t)got;
	return got < 0 ? LINE_END : LINE_READ;
}

/* -- with libedit --------------------------------------------------------------------------------- */
#ifdef HAVE_LIBEDIT

enum { HISTORY_LINES = 1000, SHOWN = 100 };

static Lines *
lines_of(EditLine *el)
{
	Lines *l = NULL;

	el_get(el, EL_CLIENTDATA, &l);
	return l;
}

static char *
prompt_of(EditLine *el)
{
	return (char *)lines_of(el)->prompt;
}

static unsigned char
abandon(EditLine *el, int key)
{
	(void)key;
	lines_of(el)->abandoned = true;
	return CC_NEWLINE;
}

/* Ctrl-D that was typed before we were asked: the terminal, which waited for lines then, gives it as a NUL. */
static unsigned char
end_ahead(EditLine *el, int key)
{
	const LineInfo *at = el_line(el);

	(void)key;
	return at->buffer == at->lastchar ? CC_EOF : CC_NORM;
}

/* libedit's handler sees to the terminal, here and when we go on. */
static unsigned char
suspend(EditLine *el, int key)
{
	(void)el;
	(void)key;
	kill(0, SIGTSTP);
	return CC_REFRESH;
}

/* Names that begin as the word before the cursor does. */
typedef struct {
	const char *word;
	size_t n, common;
	char *first;            /* one of them; they agree in its first `common` bytes */
	int found;
	char list[SHOWN][80];
} Completion;

static void
consider(const char *name, void *to)
{
	Completion *c = to;

	if (strncmp(name, c->word, c->n) != 0)
		return;
	for (int i = 0; i < c->found && i < SHOWN; i++)
		if (strcmp(c->list[i], name) == 0)
			return;
	if (c->found < SHOWN)
		snprintf(c->list[c->found], sizeof *c->list, "%s", name);
	if (c->found++ == 0) {
		c->first = strdup(name);
		c->common = strlen(name);
	}
	for (size_t k = c->n; c->first && k < c->common; k++)
		if (name[k] != c->first[k])
			c->common = k;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void
show_list(Completion *c)
{
	int n = c->found < SHOWN ? c->found : SHOWN;

	qsort(c->list, (size_t)n, sizeof *c->list, compare_names);
	putchar('\n');
	for (int i = 0, column = 0; i < n; i++) {
		int width = (int)(strlen(c->list[i]) / 20 + 1) * 20;
		if (column + width > 80) {
			putchar('\n');
			column = 0;
		}
		printf("%-*s", width, c->list[i]);
		column += width;
	}
	puts(c->found > n ? "..." : "");
	fflush(stdout);
}

static unsigned char
complete(EditLine *el, int key)
{
	Lines *l = lines_of(el);
	const LineInfo *at = el_line(el);
	const char *word = at->cursor;
	unsigned char what = CC_REFRESH;
	Completion *c = calloc(1, sizeof *c);

	(void)key;
	while (word > at->buffer && (isalnum((unsigned char)word[-1]) || word[-1] == '_'))
		word--;
	if (!c)
		return CC_ERROR;
	c->n = (size_t)(at->cursor - word);
	c->word = word = strndup(word, c->n);
	if (word)
		l->names(consider, c, l->context);
	if (c->found && c->common > c->n) {
		c->first[c->common] = 0;
		el_insertstr(el, c->first + c->n);
	} else if (c->found > 1) {
		show_list(c);
		what = CC_REDISPLAY;
	} else {
		what = CC_ERROR;
	}
	free(c->first);
	free((char *)word);
	free(c);
	return what;
}

/* The path of the history, its directories made; empty if there is no home. */
static void
history_path(char *path, size_t size)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	path[0] = 0;
	if (state && *state == '/')
		snprintf(path, size, "%s/nessie/history", state);
	else if (home && *home == '/')
		snprintf(path, size, "%s/.local/state/nessie/history", home);
	for (char *p = path; *p && (p = strchr(p + 1, '/')); *p = '/') {
		*p = 0;
		mkdir(path, 0700);
	}
}

static void
edit_open(Lines *l)
{
	HistEvent e;

	setlocale(LC_CTYPE, "");
	l->el = el_init("nessie", stdin, stdout, stderr);
	l->history = history_init();
	if (!l->el || !l->history)
		return;
	history(l->history, &e, H_SETSIZE, HISTORY_LINES);
	history(l->history, &e, H_SETUNIQUE, 1);
	history_path(l->path, sizeof l->path);
	if (l->path[0])
		history(l->history, &e, H_LOAD, l->path);
	el_set(l->el, EL_CLIENTDATA, l);
	el_set(l->el, EL_PROMPT, prompt_of);
	el_set(l->el, EL_EDITOR, "emacs");
	el_set(l->el, EL_SIGNAL, 1);
	el_set(l->el, EL_HIST, history, l->history);
	el_set(l->el, EL_ADDFN, "abandon", "leave this form", abandon);
	el_set(l->el, EL_BIND, "^C", "abandon", NULL);
	el_set(l->el, EL_ADDFN, "end-ahead", "end of input, typed ahead", end_ahead);
	el_set(l->el, EL_BIND, "^@", "end-ahead", NULL);
	el_set(l->el, EL_ADDFN, "suspend", "stop, as other programs do", suspend);
	el_set(l->el, EL_BIND, "^Z", "suspend", NULL);
	el_set(l->el, EL_SETTY, "-d", "-isig", NULL);
	el_set(l->el, EL_ADDFN, "complete", "complete a name", complete);
	el_set(l->el, EL_BIND, "^I", "complete", NULL);
	el_source(l->el, NULL);
}

/* libedit shows its prompt before it takes over the keys; so that what is typed between the two is not for the terminal
 * to act on, its line mode ends before. */
static void
line_mode(bool on)
{
	const tcflag_t mode = ISIG | ICANON | ECHO;
	struct termios t;

	if (tcgetattr(0, &t) != 0)
		return;
	t.c_lflag = on ? t.c_lflag | mode : t.c_lflag & ~mode;
	tcsetattr(0, TCSANOW, &t);
}

static LineKind
edit_next(Lines *l, const char *prompt, const char **text, size_t *n)
{
	HistEvent e;
	int got = 0;

	l->prompt = prompt;
	l->abandoned = false;
	line_mode(false);
	*text = el_gets(l->el, &got);
	line_mode(true);
	if (l->abandoned) {
		puts("^C");
		return LINE_ABANDONED;
	}
	if (!*text || got <= 0) {
		putchar('\n');
		return LINE_END;
	}
	*n = (size_t)got;
	if ((*text)[strspn(*text, " \t\n")])
		history(l->history, &e, H_ENTER, *text);
	return LINE_READ;
}

static void
edit_close(Lines *l)
{
	HistEvent e;
	mode_t mask = umask(077);

	if (l->path[0])
		history(l->history, &e, H_SAVE, l->path);
	umask(mask);
	history_end(l->history);
	el_end(l->el);
}
#endif

/* -- either ----------------------------------------------------------------------------------------- */

Lines *
lines_open(bool terminal, NamesOf *names, void *context)
{
	Lines *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	*l = (Lines){.terminal = terminal, .names = names, .context = context};
#ifdef HAVE_LIBEDIT
	if (terminal)
		edit_open(l);
#endif
	return l;
}

static LineKind
next(Lines *l, const char *prompt, const char **text, size_t *n)
{
#ifdef HAVE_LIBEDIT
	if (l->el && l->history)
		return edit_next(l, prompt, text, n);
#endif
	return plain_next(l, prompt, text, n);
}

static void
woken(int sig)
{
	(void)sig;
}

LineKind
lines_next(Lines *l, const char *prompt, const char **text, size_t *n)
{
	struct sigaction old, act = {.sa_handler = woken};
	LineKind kind;

	sigaction(SIGINT, l->terminal ? &act : NULL, &old);
	kind = next(l, prompt, text, n);
	sigaction(SIGINT, &old, NULL);
	return kind;
}

void
lines_close(Lines *l)
{
#ifdef HAVE_LIBEDIT
	if (l->el && l->history)
		edit_close(l);
#endif
	free(l->line);
	free(l);
}

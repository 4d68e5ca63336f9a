/* repl.c: the interactive top level.
 *
 * How  Each form makes a unit with the forms before it, which are typed again (25 us each) but do not run again: their
 *      values are kept (session.h).  What is wrong in its types leaves no trace.
 *      Anything may happen to the process that evaluates: memory runs out, Ctrl-C, a fault of nessie.  So before each
 *      form it forks a copy of itself, which waits and, if the form was the end of the first, goes on in its place.
 *      The process that the user started only waits until the last of these is done; these end when it does. */
#include "backend/interp/repl.h"
#include "backend/interp/interp.h"
#include "backend/interp/lines.h"
#include "backend/rt/nesl_stream.h"
#include "frontend/command.h"
#include "frontend/foreign.h"
#include "frontend/syntax.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {                        /* forms that follow each other in a text */
	const char *name, *text;
	size_t from, to;
	int line;                       /* lines before the text */
	bool silent;
} Range;
typedef LIST(Range) Ranges;

typedef struct {
	const FrontEnd *front;
	const Input *inputs;
	int int_bits;
	long long max_depth;
	bool terminal;
	Arena *arena;                   /* lives as long as the session */
	Session *values;
	Ranges kept;                    /* what has run */
	Lines *lines;
	char *typed;                    /* input from the line on where the next form begins */
	size_t ntyped, from;            /* and where in that */
	int line;                       /* lines before it */
	pid_t started;                  /* the process that the user started */
	bool done;
} Repl;

/* -- units ------------------------------------------------------------------------------------------- */

static void
add_sources(Unit *u, const Ranges *r, bool kept)
{
	for (const Range *x = r->at; x < r->at + r->n; x++)
		unit_add(u, (Source){.name = x->name, .text = x->text, .n = x->to, .skip = x->from, .line = x->line,
			.kept = kept, .silent = x->silent});
}

/* A unit of what has run and what is new, typed; NULL: there is no library. */
static Unit *
unit_new(const Repl *r, const Ranges *new, FILE *messages)
{
	Arena *a = arena_new();
	Unit *u = NEW(a, Unit, 1);
	Input **end = &u->inputs;

	*u = (Unit){.arena = a, .names = names_new(a), .diag = diag_new(a, messages), .int_bits = r->int_bits};
	for (const Input *in = r->inputs; in; in = in->next, end = &(*end)->next) {
		*end = NEW(a, Input, 1);
		**end = (Input){intern(u->names, in->name), in->path, in->ty, NULL};
	}
	if (r->front->library(u) != 0) {
		arena_free(a);
		return NULL;
	}
	add_sources(u, &r->kept, true);
	add_sources(u, new, false);
	r->front->type(u);
	return u;
}

/* The source with the session's life, for the forms from here on. */
static Range
lasting(Repl *r, const Source *s)
{
	return (Range){arena_strndup(r->arena, s->name, strlen(s->name)), arena_strndup(r->arena, s->text, s->n), 0, 0,
		s->line, s->silent};
}

/* The forms of the unit that are right and new: all of them, or those whose effect lasts. */
static Ranges
right_forms(Repl *r, const Unit *u, bool all)
{
	Ranges to = {0};
	const Source *source = NULL;
	Range x = {0};

	for (const Form *f = u->forms; f; f = f->next) {
		Range *last = to.n ? &to.at[to.n - 1] : NULL;

		if (f->basis || f->kept || f->hidden || f->failed || f->kind == FORM_BAD)
			continue;
		if (!all && f->kind == FORM_COMMAND && !command_sets(f->command))
			continue;
		if (f->source != source)
			x = lasting(r, source = f->source);
		x.from = f->from;
		x.to = f->to;
		if (last && last->text == x.text && strspn(x.text + last->to, " \t\n") == x.from - last->to)
			last->to = x.to;
		else
			LIST_ADD(r->arena, &to, x);
	}
	return to;
}

/* -- one form ------------------------------------------------------------------------------------------ */

/* What is wrong has been told; the rest, without it, is what runs and what is kept. */
static Unit *
right_unit(Repl *r, const Ranges *typed)
{
	Unit *u = unit_new(r, typed, stderr), *v;
	Ranges right;

	if (!u || !diag_errors(u->diag))
		return u;
	right = right_forms(r, u, true);
	v = right.n ? unit_new(r, &right, stderr) : NULL;
	arena_free(u->arena);
	return v;
}

static volatile sig_atomic_t was_interrupted;

static void
note_interrupt(int sig)
{
	(void)sig;
	was_interrupted = 1;
}

static void
on_interrupt(void (*act)(int))
{
	struct sigaction a = {.sa_handler = act};

	sigaction(SIGINT, &a, NULL);
}

static void
give_up(int sig)
{
	(void)sig;
	_exit(130);
}

/* It had a run-time error, and no other form has seen what it would have bound. */
static bool
single_fault(const Unit *u, int status)
{
	int n = 0;

	for (const Form *f = u->forms; f; f = f->next)
		n += !f->basis && !f->kept && !f->hidden;
	return status == 3 && n == 1;
}

static void
evaluate(Repl *r, const Range *typed)
{
	Ranges one = {(Range *)typed, 1, 1}, right;
	Unit *u = right_unit(r, &one);
	int status;

	if (!u)
		return;
	r->front->normal(u);
	on_interrupt(note_interrupt);   /* when it is done: the interpreter has its own */
	status = interp_run(u, &(InterpOptions){.echo = "all", .max_depth = r->max_depth,
		.answers = stdout, .session = r->values});
	if (!single_fault(u, status)) {
		right = right_forms(r, u, false);
		for (int i = 0; i < right.n; i++)
			LIST_ADD(r->arena, &r->kept, right.at[i]);
	}
	r->done = u->exited || ferror(stdout);
	arena_free(u->arena);
}

/* From here on we are the session, and end with the process that the user started, which is our parent. */
static void
end_with(pid_t started)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != started)       /* it has ended already */
		_exit(4);
}

/* In the copy: true when it is to go on, false when it is not needed. */
static bool
needed(Repl *r, int fd, pid_t original)
{
	ssize_t got;
	char c;

	was_interrupted = 0;
	on_interrupt(note_interrupt);
	while ((got = read(fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (got > 0)
		return false;
	while (getppid() == original)   /* it has let go of the pipe, and is about to leave us to its parent */
		usleep(1000);
	end_with(r->started);
	fprintf(stderr, "%s\n", was_interrupted ? r->terminal ? "\ninterrupted" : "interrupted"
		: "nessie: this form was given up; all that came before it is there");
	return true;
}

/* Whatever happens to one form. */
static void
survive(Repl *r, const Range *typed)
{
	const pid_t original = getpid();
	int fd[2];
	pid_t copy;

	fflush(NULL);
	if (pipe(fd) != 0 || (copy = fork()) < 0) {
		fprintf(stderr, "nessie: cannot start a process: %s\n", strerror(errno));
		return;
	}
	if (copy == 0) {
		close(fd[1]);
		if (!needed(r, fd[0], original))
			_exit(0);
		close(fd[0]);
		return;
	}
	close(fd[0]);
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	on_interrupt(give_up);
	evaluate(r, typed);
	if (fflush(NULL) != 0 || ferror(stdout))
		r->done = true;
	on_interrupt(note_interrupt);
	if (write(fd[1], "", 1) != 1)
		fprintf(stderr, "nessie: %s\n", strerror(errno));
	close(fd[1]);
	waitpid(copy, NULL, 0);
}

/* -- input --------------------------------------------------------------------------------------------- */

/* How much of what is typed is the first form; 0: it goes on. */
static size_t
first_form(const Repl *r)
{
	Arena *a = arena_new();
	Unit u = {.arena = a, .names = names_new(a), .diag = diag_new(a, stderr)};
	size_t n = parse_first(&u, r->typed + r->from, r->ntyped - r->from);

	arena_free(a);
	return n;
}

/* Nothing is typed that is not done with. */
static bool
blank(const Repl *r)
{
	for (size_t i = r->from; i < r->ntyped; i++)
		if (!isspace((unsigned char)r->typed[i]))
			return false;
	return true;
}

/* What comes before `to` is done with; lines that it leaves nothing of go. */
static void
drop_typed(Repl *r, size_t to)
{
	size_t gone = 0;

	for (size_t i = 0; i < to; i++)
		if (r->typed[i] == '\n') {
			r->line++;
			gone = i + 1;
		}
	r->from = to - gone;
	r->ntyped -= gone;
	memmove(r->typed, r->typed + gone, r->ntyped);
}

/* Evaluates the whole forms among what is typed; at the end of the input what is left is one, too. */
static void
take_forms(Repl *r, bool end)
{
	while (!r->done && !blank(r)) {
		size_t n = first_form(r);
		if (!n && end)
			n = r->ntyped - r->from;
		if (!n)
			return;
		Range x = {"input", arena_strndup(r->arena, r->typed, r->ntyped), r->from, r->from + n, r->line, false};
		survive(r, &x);
		drop_typed(r, x.to);
	}
	if (!r->done)
		drop_typed(r, r->ntyped);
}

static void
add_typed(Repl *r, const char *text, size_t n)
{
	char *grown = realloc(r->typed, r->ntyped + n + 1);

	if (!grown) {
		fputs("nessie: out of memory\n", stderr);
		exit(4);
	}
	memcpy(grown + r->ntyped, text, n);
	r->typed = grown;
	r->ntyped += n;
	grown[r->ntyped] = 0;
}

/* -- completion ---------------------------------------------------------------------------------------- */

typedef struct { void (*hear)(const char *, void *); void *to; Arena *arena; } Hearer;

static void
hear_words(const char *words, void *to)
{
	const Hearer *h = to;

	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		h->hear(arena_strndup(h->arena, words, n), h->to);
	}
}

static void
hear_pattern(const Hearer *h, const Pattern *p)
{
	if (p->kind == PAT_NAME)
		h->hear(p->name, h->to);
	else {
		hear_pattern(h, p->a);
		hear_pattern(h, p->b);
	}
}

static void
names(void (*hear)(const char *, void *), void *to, void *context)
{
	const Repl *r = context;
	Ranges none = {0};
	Unit *u = unit_new(r, &none, stderr);
	Hearer h = {hear, to, u ? u->arena : NULL};

	if (!u)
		return;
	command_words(hear_words, &h);
	for (const Form *f = u->forms; f; f = f->next)
		if (f->name && !(f->basis && f->name[0] == '_'))
			hear(f->name, to);
		else if (f->kind == FORM_ASSIGN)
			hear_pattern(&h, f->param);
	for (const Input *i = u->inputs; i; i = i->next)
		hear(i->name, to);
	arena_free(u->arena);
}

/* -- the session --------------------------------------------------------------------------------------- */

typedef struct { const char *name; bool heard; } Sought;

static void
hear_same(const char *name, void *to)
{
	Sought *s = to;

	s->heard = s->heard || strcmp(s->name, name) == 0;
}

/* Is what is typed nothing but a word of other languages, `quit`, say, or `quit()`, that is no name here?  There is something to tell, and
 * whoever typed it does not know of `;`.  The `()` become blanks, so that the word is what is told of. */
static bool
foreign_alone(Repl *r)
{
	char word[16];
	size_t n = 0;
	char *at = r->typed + r->from + strspn(r->typed + r->from, " \t\n"), *end;
	Sought s = {word, false};

	for (; isalpha((unsigned char)at[n]) && n < sizeof word - 1; n++)
		word[n] = (char)tolower((unsigned char)at[n]);
	word[n] = 0;
	end = at + n;
	if (strncmp(end, "()", 2) == 0)
		end += 2;
	if (n == 0 || end[strspn(end, " \t\r\n")] || !foreign_name(word))
		return false;
	if (end > at + n)
		end[-2] = end[-1] = ' ';
	names(hear_same, &s, r);
	return !s.heard;
}

static void
read_lines(Repl *r)
{
	while (!r->done) {
		const char *text;
		size_t n;
		bool begun;

		switch (lines_next(r->lines, blank(r) ? "nesl> " : "    > ", &text, &n)) {
		case LINE_READ:
			begun = !blank(r);
			add_typed(r, text, n);
			if (!begun || memchr(text, ';', n) || memchr(text, '$', n))
				take_forms(r, foreign_alone(r));
			break;
		case LINE_ABANDONED:
			drop_typed(r, r->ntyped);
			break;
		case LINE_END:
			take_forms(r, true);
			r->done = true;
			break;
		}
	}
}

/* What forms will read can be read: else that has been told, and there is no session. */
static int
read_inputs(const Repl *r)
{
	Ranges none = {0};
	Unit *u = unit_new(r, &none, stderr);
	int status = 4;

	if (!u)
		return status;
	if (diag_errors(u->diag)) {
		arena_free(u->arena);
		return 2;
	}
	r->front->normal(u);
	status = interp_run(u, &(InterpOptions){.echo = "none", .max_depth = r->max_depth, .answers = stdout, .session = r->values});
	arena_free(u->arena);
	return status;
}

/* Memory runs out before the machine begins to swap; the stack is mapped, not used. */
static void
limit_memory(void)
{
	struct rlimit l;
	rlim_t most = (rlim_t)sysconf(_SC_PHYS_PAGES) * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)65 << 30);

	if (getrlimit(RLIMIT_AS, &l) == 0 && l.rlim_cur > most) {
		l.rlim_cur = most;
		setrlimit(RLIMIT_AS, &l);
	}
}

/* A string of NESL. */
static const char *
quoted(Arena *a, const char *s)
{
	char *text = arena_alloc(a, 2 * strlen(s) + 3), *to = text;

	*to++ = '"';
	for (; *s; *to++ = *s++)
		if (*s == '"' || *s == '\\')
			*to++ = '\\';
	strcpy(to, "\"");
	return text;
}

static int
session(Repl *r, long long print_length, int nfile, const char *const *file)
{
	const char *set;
	int status;

	signal(SIGPIPE, SIG_IGN);       /* that nobody reads ends the session, not a form */
	r->arena = arena_new();
	set = arena_printf(r->arena, "set print_length %lld;", print_length);
	LIST_ADD(r->arena, &r->kept, ((Range){"--print-length", set, 0, strlen(set), 0, false}));
	r->values = session_new(r->arena);
	limit_memory();
	status = r->inputs ? read_inputs(r) : 0;
	if (status != 0)
		return status;
	add_typed(r, "", 0);
	if (r->terminal)
		puts("NESL: help; shows the commands, Ctrl-D or exit; leaves");
	for (int i = 0; i < nfile && !r->done; i++) {
		const char *text = arena_printf(r->arena, "load %s, print := t;", quoted(r->arena, file[i]));
		survive(r, &(Range){.name = "input", .text = text, .to = strlen(text)});
	}
	r->lines = lines_open(r->terminal, names, r);
	if (r->lines) {
		read_lines(r);
		lines_close(r->lines);
	}
	nesl_stream_end();
	free(r->typed);
	arena_free(r->arena);
	return fflush(stdout) != 0 || ferror(stdout) ? 4 : 0;
}

int
repl(const FrontEnd *c, const Input *inputs, int int_bits, long long print_length, long long max_depth, int nfile,
	const char *const *file)
{
	Repl r = {.front = c, .inputs = inputs, .int_bits = int_bits, .max_depth = max_depth,
		.terminal = isatty(0) && isatty(1), .started = getpid()};
	int fd[2];
	ssize_t got;
	pid_t pid;
	char status = 4;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe(fd) != 0 || (pid = fork()) < 0) {
		fprintf(stderr, "nessie: cannot start a process: %s\n", strerror(errno));
		return 4;
	}
	if (pid == 0) {
		end_with(r.started);
		fcntl(fd[1], F_SETFD, FD_CLOEXEC);
		close(fd[0]);
		status = (char)session(&r, print_length, nfile, file);
		_exit(write(fd[1], &status, 1) == 1 ? 0 : 4);
	}
	close(fd[1]);
	on_interrupt(note_interrupt);
	while ((got = read(fd[0], &status, 1)) < 0 && errno == EINTR)
		;
	return got > 0 ? status : was_interrupted ? 130 : 4;
}

/* quick.c: a program that was not compiled before, run at once.
 *
 * In   C text, the arguments of the program
 * Out  its output and exit status, if it came to its end in a moment; else nothing is seen of it
 * How  A good compiler takes seconds for code that most programs run for milliseconds.  So the same text is compiled by a quick one
 *      first (tcc: a hundredth of the time; one thread, slow code, the same values).  What the program prints is held until it
 *      ends.  If it takes longer than a moment it is ended, and is compiled well. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "backend/compiler.h"
#include "common/embed.h"
#include "common/process.h"

static const double moment = 0.3;       /* seconds */

/* -- what can be run twice -------------------------------------------------------------------------- */

/* Does it read or write anything but stdout and stderr? */
static bool
uses_stream(const Ir *ir, const Bind *b)
{
	const Opnd *last = b->narg > 0 ? &b->arg[b->narg - 1] : NULL;

	if (ir->op[b->op].cls != OP_EFFECT || !b->name || strncmp(b->name, "stream_", strlen("stream_")) != 0)
		return false;
	return strcmp(b->name, "stream_write") != 0 || last->kind != OPND_INT || (last->u.i != 1 && last->u.i != 2);
}

static bool
block_uses_streams(const Ir *ir, const Block *body)
{
	for (const Bind *b = body->first; b; b = b->next) {
		if (uses_stream(ir, b))
			return true;
		for (int i = 0; i < b->nblock; i++)
			if (block_uses_streams(ir, b->block[i]))
				return true;
	}
	return false;
}

bool
build_may_run_twice(const Program *p)
{
	for (const Fun *f = p->funs; f; f = f->next)
		if (block_uses_streams(p->ir, f->body))
			return false;
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body && block_uses_streams(p->ir, e->body))
			return false;
	return true;
}

/* -- running ---------------------------------------------------------------------------------------- */

/* Do stdout and stderr go to the same place?  Then what is written to them stays in order. */
static bool
one_place(void)
{
	struct stat out, err;

	return fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

static void
show(Build *b, const char *path, FILE *to)
{
	size_t n;
	const char *text = read_text(b->arena, path, &n);

	if (text)
		fwrite(text, 1, n, to);
	fflush(to);
}

/* Its output is kept in the directory dir meanwhile. */
static int
run_held(Build *b, const char *exe, const char *const *argv, const char *dir, bool *done)
{
	const char *out = arena_printf(b->arena, "%s/stdout", dir), *err = arena_printf(b->arena, "%s/stderr", dir);
	const Process p = {.exe = exe, .argv = argv, .output = out, .errors = one_place() ? NULL : err, .seconds = moment};
	int interrupt, status = process_run(&p, &interrupt);

	*done = interrupt || status == 0 || status == 1 || status == 3;  /* what is lacking (4) another may do without */
	if (!*done)
		return 0;
	show(b, out, stdout);
	if (p.errors)
		show(b, err, stderr);
	return interrupt ? 128 + interrupt : status;
}

int
build_run_quickly(Build *b, const char *text, const char *const *argv, bool *done)
{
	const Compiler cc = b->cc;
	const char *exe, *dir;
	int status = build_find(b, TARGET_CPU, text, &exe);

	*done = false;
	if (status || exe)
		return status;
	b->cc = compiler_quick(b);
	b->trial = true;
	status = b->cc.argv ? build_program(b, TARGET_CPU, text, &exe) : 5;
	b->trial = false;
	b->cc = cc;
	if (status)                     /* 5: there is none, or it does not compile this */
		return status == 5 ? 0 : status;
	dir = tempdir_begin(b->arena);
	if (dir) {
		status = run_held(b, exe, argv, dir, done);
		tempdir_end(dir);
	}
	return status;
}

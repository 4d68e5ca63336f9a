/* quick.c: a program that was not compiled before, run at once.
 *
 * In   C text, the arguments of the program
 * Out  its output and exit status, if it came to its end in a moment; else nothing is seen of it
 * How  A good compiler takes seconds for code that most programs run for milliseconds.  So the same text is compiled by a quick one
 *      first (tcc: a hundredth of the time; one thread, slow code, the same values).  What the program prints is held until it
 *      ends.  If it takes longer than a moment it is ended, and is compiled well. */
#include <stdio.h>
#include <sys/stat.h>
#include "backend/compiler.h"
#include "common/process.h"

static const double moment = 0.3;       /* seconds */

/* Do stdout and stderr go to the same place?  Then what is written to them stays in order. */
static bool
one_place(void)
{
	struct stat out, err;

	return fstat(1, &out) == 0 && fstat(2, &err) == 0 && out.st_dev == err.st_dev && out.st_ino == err.st_ino;
}

static void
show(const char *path, FILE *to)
{
	FILE *f = fopen(path, "rb");
	char part[1 << 14];
	size_t n;

	while (f && (n = fread(part, 1, sizeof part, f)) > 0 && fwrite(part, 1, n, to) == n)
		;
	if (f)
		fclose(f);
	fflush(to);
}

/* Its output is kept in the directory dir meanwhile. */
static int
run_held(Build *b, const char *exe, const char *const *args, const char *dir, bool *done)
{
	const char *out = arena_printf(b->arena, "%s/stdout", dir), *err = arena_printf(b->arena, "%s/stderr", dir);
	Process p = {.exe = exe, .output = out, .errors = one_place() ? NULL : err, .seconds = moment};
	Args l = {0};
	int status, interrupt;

	ADD(b, &l, "nessie");
	args_add(b, &l, args);
	LIST_ADD(b->arena, &l, NULL);
	p.argv = l.at;
	status = process_run(&p, &interrupt);
	*done = interrupt || status == 0 || status == 1 || status == 3;  /* what is lacking (4) another may do without */
	if (!*done)
		return 0;
	show(out, stdout);
	if (p.errors)
		show(err, stderr);
	return interrupt ? 128 + interrupt : status;
}

int
build_run_quickly(Build *b, const char *text, const char *const *args, bool *done)
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
	interrupts_hold();
	dir = tempdir_new(b->arena);
	if (dir) {
		status = run_held(b, exe, args, dir, done);
		tempdir_remove(dir);
	}
	interrupts_release();
	return status;
}

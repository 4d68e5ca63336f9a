/* process.c: running other programs, and private directories.
 *
 * How  What would be left if we are killed is told to the keeper.  Interrupts are blocked and fetched with sigwaitinfo next to
 *      SIGCHLD, so there is no handler and no state that one would need.  A compiler gets a process group of its own: its helpers
 *      are interrupted with it.  A generated program stays in ours, because it shares the terminal with us. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "backend/rt/nesl_effect.h"
#include "common/keeper.h"
#include "common/process.h"

/* Those that would end us: what the user told us to ignore (nohup) stays ignored. */
static sigset_t
interrupts(void)
{
	static const int number[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction old;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof number / sizeof *number; i++)
		if (sigaction(number[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&set, number[i]);
	return set;
}

static int holds;

static void
interrupts_hold(void)
{
	sigset_t set = interrupts();

	if (holds++ == 0)
		sigprocmask(SIG_BLOCK, &set, NULL);
}

static void
interrupts_release(void)
{
	sigset_t set = interrupts();

	if (--holds == 0)
		sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* In the child, up to exec. */
static int
prepare(const Process *p)
{
	if (p->dir) {
		int in = open("/dev/null", O_RDONLY);
		if (in < 0 || dup2(in, 0) < 0 || chdir(p->dir) != 0 || setenv("TMPDIR", p->dir, 1) != 0 || setenv("LC_ALL", "C", 1) != 0)
			return -1;
	}
	if (p->output) {
		int out = open(p->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int err = p->errors ? open(p->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600) : out;
		if (out < 0 || err < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0)
			return -1;
	}
	return 0;
}

/* Its process number, or -1 and errno, that of a failing exec included: it comes through a pipe
 * that a successful exec closes. */
static pid_t
start(const Process *p, const sigset_t *mask)
{
	int fd[2], why = 0;
	pid_t pid;

	if (pipe(fd) != 0)
		return -1;
	fcntl(fd[1], F_SETFD, FD_CLOEXEC);
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		sigprocmask(SIG_SETMASK, mask, NULL);
		if (p->output)
			setpgid(0, 0);
		keeper_process(p->output ? -getpid() : getpid());
		if (prepare(p) == 0)
			execvp(p->exe, (char *const *)p->argv);
		why = errno;
		_exit(write(fd[1], &why, sizeof why) == sizeof why ? 127 : 126);
	}
	close(fd[1]);
	if (pid > 0 && read(fd[0], &why, sizeof why) == sizeof why) {
		waitpid(pid, NULL, 0);
		pid = -1;
		errno = why;
	}
	close(fd[0]);
	return pid;
}

/* The signal; 0 if there is none before the time `until`, where that is not 0. */
static int
next_signal(const sigset_t *set, double until)
{
	const double left = until - nesl_now();
	struct timespec t = {0};
	int sig;

	if (until == 0.0)
		return sigwaitinfo(set, NULL);
	if (left > 0.0)
		t = (struct timespec){(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
	sig = sigtimedwait(set, NULL, &t);
	return sig < 0 && errno == EAGAIN ? 0 : sig;
}

/* What does not mind signals ends, too, and is gone, or its files could come back while they are removed.  Who is not gone in a moment is
 * nobody's child who would hear of its end. */
static void
end_group(pid_t group)
{
	for (int i = 0; i < 50 && kill(group, SIGKILL) == 0; i++)
		nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static int
await(const Process *p, pid_t pid, const sigset_t *set, int *interrupt)
{
	const double until = p->seconds > 0.0 ? nesl_now() + p->seconds : 0.0;
	const pid_t all = p->output ? -pid : pid;
	bool late = false;
	int status;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		int sig = next_signal(set, late ? 0.0 : until);
		if (sig == 0) {
			late = true;
			kill(all, SIGKILL);
		} else if (sig > 0 && sig != SIGCHLD) {
			*interrupt = sig;
			kill(all, sig);
		}
	}
	if ((*interrupt || late) && p->output)
		end_group(all);
	if (late && !*interrupt) {
		errno = ETIMEDOUT;
		return -1;
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int
process_run(const Process *p, int *interrupt)
{
	sigset_t set = interrupts(), old, child;
	pid_t pid;
	int status = -1;

	*interrupt = 0;
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &old);
	child = old;
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&set, sig) == 1)
			sigdelset(&child, sig);
	keeper_begin();
	pid = start(p, &child);
	if (pid > 0)
		status = await(p, pid, &set, interrupt);
	int why = errno;
	keeper_done();
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = why;
	return status;
}

static bool
runnable(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

const char *
process_find(Arena *a, const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return runnable(name) ? arena_strndup(a, name, strlen(name)) : NULL;
	while (path && *path) {
		size_t n = strcspn(path, ":");
		const char *full = arena_printf(a, "%.*s%s%s", (int)n, path, n ? "/" : "./", name);
		if (runnable(full))
			return full;
		path += n + (path[n] == ':');
	}
	return NULL;
}

const char *
tempdir_new(Arena *a)
{
	const char *under = getenv("TMPDIR");
	char *dir = arena_printf(a, "%s/nessie-XXXXXX", under && *under ? under : "/tmp"), *full;

	if (!mkdtemp(dir) || !(full = realpath(dir, NULL)))
		return NULL;
	dir = arena_strndup(a, full, strlen(full));
	free(full);
	return dir;
}

void
tempdir_remove(const char *dir)
{
	remove_tree(dir);
}

const char *
tempdir_begin(Arena *a)
{
	const char *dir;

	interrupts_hold();
	keeper_begin();
	dir = tempdir_new(a);
	if (dir) {
		keeper_path(dir);
		return dir;
	}
	int why = errno;
	keeper_done();
	interrupts_release();
	errno = why;
	return NULL;
}

void
tempdir_end(const char *dir)
{
	remove_tree(dir);
	keeper_done();
	interrupts_release();
}

int
cannot(const char *what, const char *path)
{
	fprintf(stderr, "nessie: cannot %s %s: %s\n", what, path, strerror(errno));
	return 4;
}

/* keeper.c: what must not outlive us.
 *
 * How  Nothing can be done in a process that is killed.  So another one is told of what we begin and end, as long as there is any;
 *      when it can hear nothing more from us it ends the processes and removes the files and directories that are left, the last one first.
 *      It has a session of its own, which no signal of the terminal reaches. */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/keeper.h"

enum { MOST = 8, TRIES = 100 };         /* they nest three deep: the compilers' directory, the program's, the program */

typedef struct Kept {
	enum { BEGIN, IS, DONE } what;
	pid_t process;                  /* 0: none */
	char path[PATH_MAX];            /* empty: none */
} Kept;

static struct {
	int n;                          /* how many there are */
	int fd;                         /* to the keeper, if there are some; -1: it could not be started */
	pid_t pid;
} keeper;

/* -- in the keeper ----------------------------------------------------------------------------------- */

/* Removes the files of a directory, as far as it can; what is left in it, "" if nothing, to `left`. */
static void
remove_files(const char *dir, char left[PATH_MAX])
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	left[0] = 0;
	while (d && (e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && unlinkat(fd, e->d_name, 0) != 0)
			snprintf(left, PATH_MAX, "%s/%s", dir, e->d_name);
	if (d)
		closedir(d);
}

/* A file, or a directory and what is in it, one of which is open at a time: no more may be.  True if it is gone. */
static bool
remove_path(const char *path)
{
	char left[PATH_MAX];

	if (unlink(path) == 0)
		return true;
	for (remove_files(path, left); left[0] && remove_path(left); )
		remove_files(path, left);
	return rmdir(path) == 0;
}

/* A process that has just been killed may still be making a file. */
static void
give_up(const Kept *k)
{
	if (k->process)
		kill(k->process, SIGKILL);
	for (int i = 0; i < TRIES && k->path[0] && !remove_path(k->path) && access(k->path, F_OK) == 0; i++)
		nanosleep(&(struct timespec){0, 10000000}, NULL);
}

static void
keep(int fd)
{
	static Kept kept[MOST];
	sigset_t all;
	Kept k;
	int n = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	for (int i = 0; i < 3; i++)     /* who reads our output waits for all that have it */
		close(i);
	while (recv(fd, &k, sizeof k, 0) > 0)
		switch (k.what) {
		case BEGIN:
			kept[n++] = k;
			break;
		case IS:
			kept[n - 1] = k;
			break;
		case DONE:
			n--;
			break;
		}
	while (n-- > 0)
		give_up(&kept[n]);
}

/* -- in us ------------------------------------------------------------------------------------------- */

static void
start(void)
{
	int fd[2];

	keeper.fd = -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) != 0)
		return;
	keeper.pid = fork();
	if (keeper.pid == 0) {
		close(fd[0]);
		keep(fd[1]);
		_exit(0);
	}
	close(fd[1]);
	if (keeper.pid < 0)
		close(fd[0]);
	else
		keeper.fd = fd[0];
}

static void
tell(const Kept *k)
{
	if (keeper.fd >= 0)
		send(keeper.fd, k, sizeof *k, MSG_NOSIGNAL);
}

void
keeper_begin(void)
{
	if (keeper.n++ == 0)
		start();
	tell(&(Kept){.what = BEGIN});
}

void
keeper_path(const char *path)
{
	Kept k = {.what = IS};

	snprintf(k.path, sizeof k.path, "%s", path);
	tell(&k);
}

void
keeper_process(pid_t pid)
{
	tell(&(Kept){.what = IS, .process = pid});
}

void
keeper_done(void)
{
	tell(&(Kept){.what = DONE});
	if (--keeper.n > 0 || keeper.fd < 0)
		return;
	close(keeper.fd);
	waitpid(keeper.pid, NULL, 0);
}

void
remove_tree(const char *dir)
{
	remove_path(dir);
}

/* nesl_stream.c: files and processes.
 *
 * How  Files are read through a buffer and written at once, so nothing is lost when the program ends early.
 *      Nothing waits longer than a moment without a look whether Ctrl-C came: a signal may be taken by another
 *      thread than the one that waits.  While we wait for a process, what processes have written to us is read into the buffers of these
 *      streams: a command that writes much before it has read everything does not block. */
#include "nesl_stream.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, FIRST_OWN_FD = 10, MOMENT = 50 /* ms */ };

typedef struct {
	int fd;                         /* -1: closed */
	int reads, writes;
	int ended;                      /* nothing follows what is in buf */
	int lent;                       /* a command reads or writes it now */
	pid_t process;                  /* whose pipe it is, until that has been waited for; 0: none */
	char *buf;                      /* read, but not taken: from .. n - 1 */
	size_t from, n, cap;
} Stream;

static struct {
	FILE *out, *err;
	Stream *at;                     /* by number */
	i64 n;
} all;

static const char no_memory[] = "out of memory";

/* -- the table --------------------------------------------------------------------------------- */
static i64
add(int fd, int reads, int writes, pid_t process)
{
	Stream *more = (Stream *)realloc(all.at, sizeof *more * (size_t)(all.n + 1));

	if (!more)
		return STREAM_NONE;
	all.at = more;
	memset(&all.at[all.n], 0, sizeof *all.at);
	all.at[all.n].fd = fd;
	all.at[all.n].reads = reads;
	all.at[all.n].writes = writes;
	all.at[all.n].process = process;
	return all.n++;
}

void
nesl_standard_streams(void)
{
	for (int fd = STREAM_STDIN; fd <= STREAM_STDERR; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == STREAM_STDERR ? O_WRONLY : O_RDONLY) < 0)
			return;
	signal(SIGXFSZ, SIG_IGN);
}

void
nesl_stream_start(FILE *out, FILE *err)
{
	all.out = out;
	all.err = err;
	if (all.n > 0)
		return;
	add(STDIN_FILENO, 1, 0, 0);
	add(STDOUT_FILENO, 0, 1, 0);
	add(STDERR_FILENO, 0, 1, 0);
}

static Stream *
find(i64 stream, const char **wrong)
{
	*wrong = NULL;
	if (stream == STREAM_NONE)
		*wrong = "this is the null stream";
	else if (stream < 0 || stream >= all.n)
		*wrong = "there is no such stream";
	else if (all.at[stream].fd < 0)
		*wrong = "the stream is closed";
	return *wrong ? NULL : &all.at[stream];
}

static FILE *
standard(i64 stream)
{
	return stream == STREAM_STDOUT ? all.out : stream == STREAM_STDERR ? all.err : NULL;
}

i64
nesl_stream_open(const char *name, nesl_stream_mode mode, const char **wrong)
{
	static const int flags[] = {O_RDONLY, O_WRONLY | O_CREAT | O_TRUNC, O_WRONLY | O_CREAT | O_APPEND};
	int fd = open(name, flags[mode] | O_CLOEXEC, 0666);
	i64 stream;

	*wrong = fd < 0 ? strerror(errno) : NULL;
	if (fd < 0)
		return STREAM_NONE;
	stream = add(fd, mode == STREAM_READ, mode != STREAM_READ, 0);
	if (stream < 0) {
		close(fd);
		*wrong = no_memory;
	}
	return stream;
}

/* -- processes --------------------------------------------------------------------------------- */
/* One with no pipe to us any more. */
static void
wait_for(pid_t process, int flags)
{
	pid_t got;

	for (i64 i = 0; i < all.n; i++)
		if (all.at[i].fd >= 0 && all.at[i].process == process)
			return;
	do
		got = waitpid(process, NULL, flags);
	while (got < 0 && errno == EINTR);
	for (i64 i = 0; i < all.n && got != 0; i++)
		if (all.at[i].process == process)
			all.at[i].process = 0;
}

/* Those that have ended and never had a pipe. */
static void
wait_for_ended(void)
{
	for (i64 i = 0; i < all.n; i++)
		if (all.at[i].process)
			wait_for(all.at[i].process, WNOHANG);
}

/* -- waiting ----------------------------------------------------------------------------------- */
volatile int nesl_interrupted;

/* poll, until something is ready; -1 also if Ctrl-C came. */
static int
poll_all(struct pollfd *p, nfds_t n)
{
	int ready = 0;

	while (!nesl_interrupted && (ready = poll(p, n, MOMENT)) <= 0 && (ready == 0 || errno == EINTR))
		;
	if (nesl_interrupted)
		errno = EINTR;
	return nesl_interrupted ? -1 : ready;
}

int
nesl_await(int fd)
{
	struct pollfd p = {fd, POLLIN, 0};

	poll_all(&p, 1);
	return nesl_interrupted;
}

static int
fill(Stream *s)
{
	ssize_t got;

	if (s->from > 0) {
		memmove(s->buf, s->buf + s->from, s->n - s->from);
		s->n -= s->from;
		s->from = 0;
	}
	if (s->cap - s->n < CHUNK) {
		char *more = (char *)realloc(s->buf, s->cap + s->cap / 2 + CHUNK);

		if (!more) {
			errno = ENOMEM;
			return -1;
		}
		s->cap += s->cap / 2 + CHUNK;
		s->buf = more;
	}
	do
		got = nesl_await(s->fd) ? -1 : read(s->fd, s->buf + s->n, CHUNK);
	while (got < 0 && errno == EINTR && !nesl_interrupted);
	if (got <= 0)
		s->ended = 1;
	else
		s->n += (size_t)got;
	return got < 0 ? -1 : 0;
}

/* Until s, a pipe to or from a process, is ready, or its other end is gone.  To write: one that is ready takes
 * PIPE_BUF bytes without blocking. */
static int
wait_until_ready(const Stream *ready)
{
	struct pollfd *p = (struct pollfd *)malloc(sizeof *p * (size_t)(all.n + 1));
	Stream **from = (Stream **)malloc(sizeof *from * (size_t)(all.n + 1));
	nfds_t n;
	int bad = !p || !from;

	do {
		n = 1;
		if (bad)
			break;
		p[0] = (struct pollfd){ready->fd, ready->writes ? POLLOUT : POLLIN, 0};
		for (i64 i = STREAM_FIRST; i < all.n; i++) {
			Stream *s = &all.at[i];

			if (s == ready || s->fd < 0 || !s->process || !s->reads || s->ended || s->lent)
				continue;
			from[n] = s;
			p[n++] = (struct pollfd){s->fd, POLLIN, 0};
		}
		bad = poll_all(p, n) < 0;
		for (nfds_t i = 1; i < n && !bad; i++)
			if (p[i].revents)
				fill(from[i]);
	} while (!bad && !p[0].revents);
	free(p);
	free(from);
	return bad ? -1 : 0;
}

/* write, without the signal for a pipe that nobody reads. */
static ssize_t
write_quietly(int fd, const char *text, size_t n)
{
	const struct timespec at_once = {0, 0};
	sigset_t pipe_signal, before, pending;
	ssize_t done;
	int error;

	sigemptyset(&pipe_signal);
	sigaddset(&pipe_signal, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
	done = write(fd, text, n);
	error = errno;
	if (done < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&pipe_signal, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return done;
}

const char *
nesl_stream_close(i64 stream)
{
	const char *wrong;
	Stream *s = find(stream, &wrong);

	if (!s)
		return wrong;
	if (stream < STREAM_FIRST)
		return "stdin, stdout and stderr stay open";
	if (close(s->fd) != 0)
		wrong = strerror(errno);
	s->fd = -1;
	free(s->buf);
	s->buf = NULL;
	if (s->process)
		wait_for(s->process, 0);
	wait_for_ended();
	return wrong;
}

/* Processes that still run are left to themselves. */
void
nesl_stream_end(void)
{
	for (i64 i = STREAM_FIRST; i < all.n; i++)
		if (all.at[i].fd >= 0)
			close(all.at[i].fd);
	for (i64 i = 0; i < all.n; i++)
		free(all.at[i].buf);
	for (i64 i = STREAM_FIRST; i < all.n; i++)
		all.at[i].fd = -1;
	wait_for_ended();
	free(all.at);
	all.at = NULL;
	all.n = 0;
}

/* -- reading and writing ----------------------------------------------------------------------- */
/* The stream, if there is something in its buffer to be read, or it is at its end; else NULL. */
static Stream *
ready(i64 stream, const char **wrong)
{
	Stream *s = find(stream, wrong);

	if (s && !s->reads)
		*wrong = "this stream is for writing";
	if (*wrong)
		return NULL;
	if (stream == STREAM_STDIN && s->from == s->n)
		fflush(all.out);
	if (s->from == s->n && !s->ended && ((s->process && wait_until_ready(s) != 0) || fill(s) != 0)) {
		*wrong = strerror(errno);
		return NULL;
	}
	return s;
}

int
nesl_stream_byte(i64 stream, int take, const char **wrong)
{
	Stream *s = ready(stream, wrong);
	int c;

	if (!s)
		return STREAM_FAILED;
	if (s->from == s->n)
		return STREAM_END;
	c = (unsigned char)s->buf[s->from];
	s->from += (size_t)take;
	return c;
}

size_t
nesl_stream_run(i64 stream, const char *ends, size_t nends, size_t most, const char **text, const char **wrong)
{
	Stream *s = ready(stream, wrong);
	size_t n = 0, there = s ? s->n - s->from : 0;

	if (there > most)
		there = most;
	*text = s ? s->buf + s->from : NULL;
	if (nends == 0)
		n = there;
	while (n < there && !memchr(ends, (*text)[n], nends))
		n++;
	if (s)
		s->from += n;
	return n;
}

const char *
nesl_stream_write(i64 stream, const char *text, size_t n)
{
	const char *wrong;
	Stream *s = find(stream, &wrong);
	FILE *f = standard(stream);

	if (s && !s->writes)
		wrong = "this stream is for reading";
	if (wrong)
		return wrong;
	if (f) {
		if (stream == STREAM_STDERR)
			fflush(all.out);
		return fwrite(text, 1, n, f) < n || (stream == STREAM_STDERR && fflush(f) != 0) ? strerror(errno) : NULL;
	}
	while (n > 0) {
		ssize_t done;

		if (s->process && wait_until_ready(s) != 0)
			return strerror(errno);
		done = write_quietly(s->fd, text, s->process && n > PIPE_BUF ? PIPE_BUF : n);
		if (done < 0 && errno != EINTR)
			return strerror(errno);
		text += done > 0 ? done : 0;
		n -= done > 0 ? (size_t)done : 0;
	}
	return NULL;
}

/* -- spawn ------------------------------------------------------------------------------------- */
/* The words of a command; the array and its text are malloc'ed. */
static char **
words(const char *command, char **text)
{
	static const char blank[] = " \t\n\r\f\v";
	size_t n = strlen(command), k = 0;
	char **word = (char **)malloc(sizeof *word * (n / 2 + 2)), *s;

	*text = s = (char *)malloc(n + 1);
	if (!word || !s) {
		free(word);
		free(s);
		return NULL;
	}
	memcpy(s, command, n + 1);
	for (s += strspn(s, blank); *s; s += strspn(s, blank)) {
		word[k++] = s;
		s += strcspn(s, blank);
		if (*s)
			*s++ = 0;
	}
	word[k] = NULL;
	return word;
}

/* The descriptors of one stream of a process: its end and, for a new pipe, ours. */
typedef struct {
	int theirs, ours;
} Ends;

static const char *
open_ends(i64 stream, int k, Ends *e)
{
	const char *wrong;
	FILE *f = standard(stream);
	Stream *s;
	int fd[2];

	e->theirs = e->ours = -1;
	if (stream == STREAM_NONE) {
		if (pipe(fd) != 0)
			return strerror(errno);
		/* above what the process has as its own, so that none is overwritten before it is copied */
		e->theirs = fcntl(fd[k == 0 ? 0 : 1], F_DUPFD_CLOEXEC, FIRST_OWN_FD);
		e->ours = fcntl(fd[k == 0 ? 1 : 0], F_DUPFD_CLOEXEC, FIRST_OWN_FD);
		close(fd[0]);
		close(fd[1]);
		return e->theirs < 0 || e->ours < 0 ? strerror(errno) : NULL;
	}
	s = find(stream, &wrong);
	if (!s)
		return wrong;
	if (k == 0 ? !s->reads : !s->writes)
		return k == 0 ? "the command cannot read from a stream for writing"
			: "the command cannot write to a stream for reading";
	if (f)
		fflush(f);
	/* what was read ahead the command would miss */
	if (s->from < s->n && lseek(s->fd, -(off_t)(s->n - s->from), SEEK_CUR) < 0)
		return "some of this stream has been read already";
	s->from = s->n = 0;
	s->lent = 1;
	e->theirs = fcntl(f && fileno(f) >= 0 ? fileno(f) : s->fd, F_DUPFD_CLOEXEC, FIRST_OWN_FD);
	return e->theirs < 0 ? strerror(errno) : NULL;
}

static const char *
start(char *const *word, const Ends end[3], pid_t *process)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;
	int error;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	sigemptyset(&none);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	for (int k = 0; k < 3; k++)
		posix_spawn_file_actions_adddup2(&actions, end[k].theirs, k);
	error = posix_spawnp(process, word[0], &actions, &attr, word, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return error ? strerror(error) : NULL;
}

const char *
nesl_stream_spawn(const char *command, i64 stream[3])
{
	Ends end[3] = {{-1, -1}, {-1, -1}, {-1, -1}};
	char *text, **word = words(command, &text);
	const char *wrong = !word ? no_memory : !word[0] ? "the command is empty" : NULL;
	pid_t process;

	for (int k = 0; k < 3 && !wrong; k++)
		wrong = open_ends(stream[k], k, &end[k]);
	if (!wrong)
		wrong = start(word, end, &process);
	wait_for_ended();
	if (!wrong && end[0].ours < 0 && end[1].ours < 0 && end[2].ours < 0)
		add(-1, 0, 0, process);
	for (int k = 0; k < 3; k++) {
		if (!wrong && end[k].ours >= 0)
			stream[k] = add(end[k].ours, k != 0, k == 0, process);
		else if (end[k].ours >= 0)
			close(end[k].ours);
		if (end[k].theirs >= 0)
			close(end[k].theirs);
	}
	if (word) {
		free(word);
		free(text);
	}
	return wrong;
}

/* cache.c: compiled programs by content.
 *
 * How  Beside an entry stands its seal, what the entry was when it was put in.  A seal that does not fit, half written ones
 *      included, is as none. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "common/cache.h"
#include "common/hash.h"

#define HALF_WRITTEN "new."             /* how names of entries being written begin */
#define SEAL ".seal"                    /* how names of seals end */

static const char *
cache_home(Arena *a)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (xdg && *xdg == '/')         /* the XDG specification ignores relative paths */
		return xdg;
	return home && *home == '/' ? arena_printf(a, "%s/.cache", home) : NULL;
}

const char *
cache_open(Arena *a)
{
	const char *home = cache_home(a), *dir;
	struct stat s;

	if (!home)
		return NULL;
	dir = arena_printf(a, "%s/nessie", home);
	mkdir(home, 0700);
	mkdir(dir, 0700);
	/* What others can write we would run. */
	if (stat(dir, &s) != 0 || !S_ISDIR(s.st_mode) || s.st_uid != geteuid() || (s.st_mode & 022)
	    || access(dir, W_OK | X_OK) != 0)
		return NULL;
	return dir;
}

/* What a file holds, as a hash; false if it cannot be read. */
static bool
digest(const char *path, char hex[65])
{
	struct stat s;
	char buf[1 << 16];
	ssize_t n = -1;
	Hash h;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	hash_start(&h);
	if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode))
		while ((n = read(fd, buf, sizeof buf)) > 0)
			hash_bytes(&h, buf, (size_t)n);
	close(fd);
	hash_end(&h, hex);
	return n == 0;
}

static const char *
seal_of(Arena *a, const char *path)
{
	return arena_printf(a, "%s" SEAL, path);
}

static bool
sealed(Arena *a, const char *path)
{
	FILE *f = fopen(seal_of(a, path), "r");
	char was[65] = "", is[65];
	const size_t n = f ? fread(was, 1, sizeof was, f) : 0;

	if (f)
		fclose(f);
	return n == 64 && access(path, X_OK) == 0 && digest(path, is) && memcmp(was, is, n) == 0;
}

/* For what `from` holds.  If the old one is a link, what it leads to is not written to. */
static void
seal(Arena *a, const char *path, const char *from)
{
	const char *to = seal_of(a, path);
	char is[65];
	FILE *f;

	unlink(to);
	f = digest(from, is) ? fopen(to, "wx") : NULL;
	if (f) {
		fputs(is, f);
		fclose(f);
	}
}

const char *
cache_find(Arena *a, const char *dir, const char *name)
{
	const char *path = dir ? arena_printf(a, "%s/%s", dir, name) : NULL;

	if (!path || !sealed(a, path) || utimensat(AT_FDCWD, path, NULL, 0) != 0)
		return NULL;
	return path;
}

static int
copy_bytes(int in, int out)
{
	char buf[1 << 16];
	ssize_t n;

	while ((n = read(in, buf, sizeof buf)) > 0)
		for (ssize_t k, at = 0; at < n; at += k)
			if ((k = write(out, buf + at, (size_t)(n - at))) <= 0)
				return errno ? errno : EIO;
	return n < 0 ? errno : 0;
}

bool
is_node(const char *path)
{
	struct stat s;

	return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

/* What is no file is written to, not replaced. */
static int
copy_to_node(int in, const char *to)
{
	const int out = open(to, O_WRONLY | O_CLOEXEC);
	int why = out < 0 ? errno : copy_bytes(in, out);

	if (out >= 0 && close(out) != 0 && !why)
		why = errno;
	return why;
}

int
copy_file(Arena *a, const char *from, const char *to, unsigned mode)
{
	const char *slash = strrchr(to, '/');
	int dirlen = slash ? (int)(slash + 1 - to) : 0, in, out, why = 0;
	char *tmp = arena_printf(a, "%.*s" HALF_WRITTEN "XXXXXX", dirlen, to);

	in = open(from, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return errno;
	errno = 0;
	if (is_node(to)) {
		why = copy_to_node(in, to);
		close(in);
		return why;
	}
	out = mkstemp(tmp);
	if (out < 0) {
		why = errno;
		close(in);
		return why;
	}
	fcntl(out, F_SETFD, FD_CLOEXEC);
	errno = 0;
	why = copy_bytes(in, out);
	close(in);
	if (!why && fchmod(out, mode) != 0)
		why = errno;
	if (close(out) != 0 && !why)
		why = errno;
	if (!why && rename(tmp, to) != 0)
		why = errno;
	if (why)
		unlink(tmp);
	return why;
}

typedef struct Held {
	const char *path;
	long long size;
	struct timespec used;
} Held;

static bool
is_seal(const char *name)
{
	const size_t n = strlen(name), k = strlen(SEAL);

	return n > k && strcmp(name + n - k, SEAL) == 0;
}

static int
by_use(const void *x, const void *y)
{
	const struct timespec *a = &((const Held *)x)->used, *b = &((const Held *)y)->used;

	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? -1 : 1;
	return (a->tv_nsec > b->tv_nsec) - (a->tv_nsec < b->tv_nsec);
}

/* Down to three quarters of the bound, oldest use first, their seals with them; and what a killed process left half written. */
static void
trim(Arena *a, const char *dir, long long bound)
{
	LIST(Held) list = {0};
	long long total = 0;
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		struct stat s;
		Held h = {arena_printf(a, "%s/%s", dir, e->d_name), 0, {0, 0}};
		if (is_seal(e->d_name) || lstat(h.path, &s) != 0 || !S_ISREG(s.st_mode))
			continue;
		h.size = s.st_size;
		h.used = s.st_mtim;
		if (strncmp(e->d_name, HALF_WRITTEN, strlen(HALF_WRITTEN)) == 0) {
			if (time(NULL) - s.st_mtime > 3600)
				unlink(h.path);
			continue;
		}
		total += h.size;
		LIST_ADD(a, &list, h);
	}
	if (d)
		closedir(d);
	if (total <= bound)
		return;
	qsort(list.at, (size_t)list.n, sizeof *list.at, by_use);
	for (int i = 0; i < list.n && total > bound / 4 * 3; i++) {
		unlink(list.at[i].path);
		unlink(seal_of(a, list.at[i].path));
		total -= list.at[i].size;
	}
}

void
cache_put(Arena *a, const char *dir, const char *name, const char *from, long long bound)
{
	const char *path = dir ? arena_printf(a, "%s/%s", dir, name) : NULL;
	struct stat s;

	/* One that alone exceeds the bound would only drive out all others. */
	if (!path || stat(from, &s) != 0 || s.st_size > bound / 4 * 3)
		return;
	if (copy_file(a, from, path, 0700) == 0) {
		seal(a, path, from);
		trim(a, dir, bound);
	}
}

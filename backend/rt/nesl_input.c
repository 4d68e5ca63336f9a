/* nesl_input.c: inputs by the extension of their file, and files in memory. */
#include "nesl_input.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t give_back_step = (size_t)4 << 20;

int
nesl_file_error(nesl_file *f, long line, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	if (line > 0)
		snprintf(f->err, f->nerr, "%s:%ld: ", f->path, line);
	else
		snprintf(f->err, f->nerr, "%s: ", f->path);
	n = strlen(f->err);
	va_start(ap, fmt);
	vsnprintf(f->err + n, f->nerr - n, fmt, ap);
	va_end(ap);
	return 1;
}

int
nesl_file_fits(double bytes)
{
	return bytes < (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* A pipe or the like: all of it, copied. */
static int
file_slurp(nesl_file *f, int fd)
{
	size_t cap = (size_t)1 << 16;
	char *text = (char *)malloc(cap), *more;
	ssize_t got;

	while (text && !nesl_await(fd) && (got = read(fd, text + f->n, cap - f->n)) != 0) {
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0) {
			free(text);
			return nesl_file_error(f, 0, "%s", strerror(errno));
		}
		f->n += (size_t)got;
		if (f->n < cap)
			continue;
		more = (char *)realloc(text, cap *= 2);
		if (!more)
			free(text);
		text = more;
	}
	f->at = text;
	return nesl_interrupted ? 1 : text ? 0 : nesl_file_error(f, 0, "out of memory");
}

static int
file_load(nesl_file *f, int fd)
{
	struct stat st;
	void *at;

	if (fstat(fd, &st) != 0)
		return nesl_file_error(f, 0, "%s", strerror(errno));
	if (S_ISDIR(st.st_mode))
		return nesl_file_error(f, 0, "this is a directory");
	if (!S_ISREG(st.st_mode))
		return file_slurp(f, fd);
	if (st.st_size == 0)
		return 0;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return file_slurp(f, fd);
	f->at = (const char *)at;
	f->n = (size_t)st.st_size;
	f->mapped = 1;
	return 0;
}

static void
file_close(nesl_file *f)
{
	if (f->mapped)
		munmap((void *)f->at, f->n);
	else
		free((void *)f->at);
	f->at = NULL;
}

static int
file_open(nesl_file *f, const char *path, int int_bits, char *err, size_t nerr)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), bad;     /* a pipe: file_slurp waits for who writes */

	memset(f, 0, sizeof *f);
	f->path = path;
	f->err = err;
	f->nerr = nerr;
	f->max_int = int_bits == 32 ? INT32_MAX : INT64_MAX;
	if (fd < 0)
		return nesl_file_error(f, 0, "%s", errno == ENOENT ? "no such file"
			: errno == EACCES ? "no permission to read it" : strerror(errno));
	bad = file_load(f, fd);
	close(fd);
	if (!bad && f->n == 0) {
		file_close(f);
		return nesl_file_error(f, 0, "the file is empty");
	}
	return bad;
}

const char *
nesl_file_text(const nesl_file *f)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t n = strlen(mark);

	return f->at + (f->n >= n && memcmp(f->at, mark, n) == 0 ? n : 0);
}

int
nesl_file_done(nesl_file *f, size_t done)
{
	if (done < f->given_back)
		f->given_back = 0;      /* a new pass over the file */
	if (f->mapped && done >= f->given_back + give_back_step) {
		done -= done % give_back_step;
		madvise((char *)f->at + f->given_back, done - f->given_back, MADV_DONTNEED);
		f->given_back = done;
	}
	return nesl_interrupted;
}

void *
nesl_input_array(i64 n, int zero)
{
	const size_t bytes = n > 0 ? (size_t)n * 8 : 8;
	char *array = (char *)(zero ? calloc(1, bytes) : malloc(bytes));

#ifdef MADV_HUGEPAGE
	const size_t page = 2 << 20, before = (page - (uintptr_t)array % page) % page;

	if (array && bytes >= 8 * page)
		madvise(array + before, (bytes - before) / page * page, MADV_HUGEPAGE);
#endif
	return array;
}

int
nesl_value_shape(nesl_file *f, nesl_value *v, const char *type)
{
	int n = nesl_type_leaves(type, NULL, 0);

	if (n < 0 || strlen(type) >= sizeof v->type)
		return nesl_file_error(f, 0, "the type of this value is too large");
	strcpy(v->type, type);
	v->leaf = (nesl_leaf *)calloc((size_t)n, sizeof *v->leaf);
	if (!v->leaf)
		return nesl_file_error(f, 0, "out of memory");
	v->nleaf = n;
	nesl_type_leaves(type, v->leaf, n);
	return 0;
}

/* -- by extension ----------------------------------------------------------------------------- */
static const char *
extension(const char *path)
{
	const char *dot = strrchr(path, '.');

	return !dot || strchr(dot, '/') ? "" : dot;
}

static int
input_read(const char *path, const char *dot, int int_bits, nesl_value *v, int type_only, char *err, size_t nerr)
{
	nesl_file f;
	int bad;

	memset(v, 0, sizeof *v);
	if (strcasecmp(dot, ".mtx") && strcasecmp(dot, ".npy") && strcasecmp(dot, ".nesl")
	    && strcasecmp(dot, ".txt")) {
		snprintf(err, nerr, "%s: an input is a .mtx, .npy, .nesl or .txt file", path);
		return 1;
	}
	if (file_open(&f, path, int_bits, err, nerr))
		return 1;
	if (strcasecmp(dot, ".mtx") == 0)
		bad = nesl_read_mtx(&f, v, type_only);
	else if (strcasecmp(dot, ".npy") == 0)
		bad = nesl_read_npy(&f, v, type_only);
	else
		bad = nesl_read_literal(&f, v);
	file_close(&f);
	if (bad)
		nesl_value_free(v);
	return bad;
}

int
nesl_read_input(const char *path, int int_bits, nesl_value *v, char *err, size_t nerr)
{
	return input_read(path, extension(path), int_bits, v, 0, err, nerr);
}

int
nesl_read_npy_file(const char *path, int int_bits, nesl_value *v, char *err, size_t nerr)
{
	return input_read(path, ".npy", int_bits, v, 0, err, nerr);
}

int
nesl_input_type(const char *path, int int_bits, char *type, size_t ntype, char *err, size_t nerr)
{
	nesl_value v;

	if (input_read(path, extension(path), int_bits, &v, 1, err, nerr))
		return 1;
	snprintf(type, ntype, "%s", v.type);
	nesl_value_free(&v);
	return 0;
}

/* datafile.c: files of made-up data, and the numbers in them. */
#include "common/datafile.h"
#include "common/cache.h"
#include "common/keeper.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 1 << 20 };

static bool
failed(DataFile *d, int error)
{
	fprintf(stderr, "nessie: cannot write %s: %s\n", d->path, strerror(error));
	return false;
}

/* There is no part of a file any more. */
static void
release(DataFile *d)
{
	if (d->part)
		keeper_done();
	free(d->part);
}

bool
data_open(DataFile *d, const char *path)
{
	size_t n = strlen(path) + 16;
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	*d = (DataFile){.path = path, .shown = -1, .terminal = isatty(2)};
	if (is_node(path)) {
		d->out = fopen(path, "w");
		return d->out ? true : failed(d, errno);
	}
	d->part = malloc(n);
	if (!d->part)
		return failed(d, ENOMEM);
	snprintf(d->part, n, "%s.XXXXXX", path);
	keeper_begin();
	fd = mkstemp(d->part);
	if (fd < 0) {
		const int error = errno;

		release(d);
		return failed(d, error);
	}
	keeper_path(d->part);
	fchmod(fd, 0666 & ~mask);
	d->out = fdopen(fd, "w");
	if (!d->out) {
		close(fd);
		unlink(d->part);
		release(d);
		return failed(d, ENOMEM);
	}
	setvbuf(d->out, NULL, _IOFBF, BUFFER);
	return true;
}

void
data_discard(DataFile *d)
{
	fclose(d->out);
	if (d->part)
		unlink(d->part);
	release(d);
}

bool
data_close(DataFile *d)
{
	int error = d->error;

	errno = 0;
	if (error == 0 && (fflush(d->out) != 0 || ferror(d->out)))
		error = errno ? errno : EIO;
	if (d->terminal && d->shown >= 0)
		fprintf(stderr, "\r%*s\r", 60, "");
	if (error) {
		data_discard(d);
		return failed(d, error);
	}
	if (fclose(d->out) != 0 || (d->part && rename(d->part, d->path) != 0)) {
		error = errno;
		if (d->part)
			unlink(d->part);
		release(d);
		return failed(d, error);
	}
	release(d);
	return true;
}

void
data_progress(DataFile *d, double more)
{
	int percent;

	d->done += more;
	if (!d->terminal)
		return;
	percent = d->total > 0.0 ? (int)(100.0 * d->done / d->total) : 100;
	if (percent == d->shown)
		return;
	d->shown = percent;
	fprintf(stderr, "\r%.40s: %d %%", d->path, percent);
}

/* -- text ------------------------------------------------------------------------------------- */
void
data_bytes(DataFile *d, const void *at, size_t n)
{
	if (fwrite(at, 1, n, d->out) != n && !d->error)
		d->error = errno ? errno : EIO;
}

void
data_text(DataFile *d, const char *s)
{
	data_bytes(d, s, strlen(s));
}

void
data_int(DataFile *d, int64_t x, char after)
{
	char text[24], *s = text + sizeof text;
	uint64_t u = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;

	if (after)
		*--s = after;
	do
		*--s = (char)('0' + u % 10);
	while ((u /= 10) != 0);
	if (x < 0)
		*--s = '-';
	data_bytes(d, s, (size_t)(text + sizeof text - s));
}

void
data_fixed(DataFile *d, int64_t x, char after)
{
	char text[7] = {'0', '.', 0, 0, 0, 0, after};

	for (int i = 5; i > 1; i--, x /= 10)
		text[i] = (char)('0' + x % 10);
	data_bytes(d, text, sizeof text);
}

void
data_float(DataFile *d, double x, char after)
{
	char text[40];
	int n;

	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(text, sizeof text, "%.*g", digits, x);
		if (strtod(text, NULL) == x)
			break;
	}
	if (!strpbrk(text, ".en"))
		n += snprintf(text + n, sizeof text - (size_t)n, ".0");
	if (after)
		text[n++] = after;
	data_bytes(d, text, (size_t)n);
}

/* -- random numbers --------------------------------------------------------------------------- */
Random
random_new(uint64_t seed)
{
	Random r;

	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15u;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		r.s[i] = z ^ (z >> 31);
	}
	return r;
}

static uint64_t
rotate(uint64_t x, int k)
{
	return x << k | x >> (64 - k);
}

uint64_t
random_bits(Random *r)
{
	uint64_t result = rotate(r->s[1] * 5, 7) * 9, t = r->s[1] << 17;

	r->s[2] ^= r->s[0];
	r->s[3] ^= r->s[1];
	r->s[1] ^= r->s[2];
	r->s[0] ^= r->s[3];
	r->s[2] ^= t;
	r->s[3] = rotate(r->s[3], 45);
	return result;
}

int64_t
random_below(Random *r, int64_t n)
{
	uint64_t bound = (uint64_t)n, reject = (0 - bound) % bound, x;

	do
		x = random_bits(r);
	while (x < reject);
	return (int64_t)(x % bound);
}

double
random_unit(Random *r)
{
	return (double)(random_bits(r) >> 11) * 0x1p-53;
}

/* embed.c: the files that nessie carries, or those of $NESSIE_HOME instead. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "common/embed.h"
#include "common/hash.h"

char *
read_text(Arena *a, const char *path, size_t *n)
{
	enum { MOST = 1 << 28 };        /* no program is as long; what does not end is given up */
	FILE *f = fopen(path, "rb");
	size_t cap = 1 << 14, got = 0, k;
	char *text;

	if (!f)
		return NULL;
	text = arena_alloc(a, cap);
	while (got <= MOST && (k = fread(text + got, 1, cap - 1 - got, f)) > 0) {
		got += k;
		if (got == cap - 1) {
			char *more = arena_alloc(a, cap *= 2);
			text = memcpy(more, text, got);
		}
	}
	if (ferror(f) || got > MOST) {
		int why = ferror(f) ? errno : EFBIG;    /* a directory, a failing disk */
		fclose(f);
		errno = why;
		return NULL;
	}
	fclose(f);
	text[got] = 0;
	*n = got;
	return text;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const EmbeddedFile *)a)->path, ((const EmbeddedFile *)b)->path);
}

static const EmbeddedFile *
from_home(Arena *a, const char *home, const char *dir, int *n, const char **missing)
{
	LIST(EmbeddedFile) list = {0};
	const char *full = arena_printf(a, "%s/%s", home, dir);
	DIR *d = opendir(full);
	struct dirent *e;

	*missing = full;
	if (!d)
		return NULL;
	while ((e = readdir(d))) {
		size_t len;
		EmbeddedFile f = {arena_printf(a, "%s/%s", dir, e->d_name), NULL};
		if (e->d_name[0] == '.')
			continue;
		f.text = read_text(a, arena_printf(a, "%s/%s", full, e->d_name), &len);
		if (f.text)
			LIST_ADD(a, &list, f);
	}
	closedir(d);
	*n = list.n;
	if (list.n == 0)
		return NULL;
	qsort(list.at, (size_t)list.n, sizeof *list.at, by_path);
	return list.at;
}

const char *
embed_home(void)
{
	const char *home = getenv("NESSIE_HOME");

	return home && *home ? home : NULL;
}

const EmbeddedFile *
embed_files(Arena *a, const char *dir, int *n, const char **missing)
{
	const char *home = embed_home();
	size_t len = strlen(dir);
	int first = 0, end;

	if (home)
		return from_home(a, home, dir, n, missing);
	while (first < embedded_count
	       && !(strncmp(embedded_file[first].path, dir, len) == 0 && embedded_file[first].path[len] == '/'))
		first++;
	end = first;
	while (end < embedded_count && strncmp(embedded_file[end].path, dir, len) == 0)
		end++;
	*missing = dir;
	*n = end - first;
	return *n ? embedded_file + first : NULL;
}

const char *
embed_digest(Arena *a, const EmbeddedFile *file, int n)
{
	char hex[65];
	Hash h;

	if (!embed_home())
		return embedded_digest;
	hash_start(&h);
	for (int i = 0; i < n; i++) {
		hash_text(&h, file[i].path);
		hash_text(&h, file[i].text);
	}
	hash_end(&h, hex);
	return arena_printf(a, "%s", hex);
}

bool
same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

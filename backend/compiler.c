/* compiler.c: the compilers of this machine, and the private directory they work in. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backend/compiler.h"
#include "common/cache.h"
#include "common/embed.h"
#include "common/hash.h"
#include "common/process.h"

/* Pairs that a function gives are in two registers: packed in one, they would only be taken apart again.  Not -O3: gcc 12.2 then
 * loses parts of sums in lanes. */
const char *const c_flags[] = {"-std=c11", "-D_DEFAULT_SOURCE", "-O2", "-fno-tree-slp-vectorize", "-ffp-contract=off", "-fwrapv", NULL};

/* gcc optimises what functions are to each other of the whole, and then parts of it at the same time.  A part has so many instructions at
 * least; smaller ones take more time than they save. */
const char *const parts_flags[] = {"-flto=auto", "--param", "lto-min-partition=5000", NULL};

void
args_add(Build *b, Args *l, const char *const *args)
{
	for (; args && *args; args++)
		LIST_ADD(b->arena, l, *args);
}

/* -- the private directory -------------------------------------------------------------------- */

static int
write_bytes(Build *b, const char *name, const void *bytes, size_t n)
{
	const char *path = arena_printf(b->arena, "%s/%s", b->dir, name);
	FILE *f = fopen(path, "w");

	if (!f)
		return cannot("write", path);
	fwrite(bytes, 1, n, f);
	if (ferror(f) | fclose(f))
		return cannot("write", path);
	return 0;
}

int
compiler_write(Build *b, const char *name, const char *text)
{
	return write_bytes(b, name, text, strlen(text));
}

int
compiler_object(Build *b)
{
	return write_bytes(b, "rt.o", embedded_object, embedded_object_size);
}

int
compiler_dir(Build *b)
{
	if (b->dir)
		return 0;
	b->dir = tempdir_begin(b->arena);
	if (!b->dir)
		return cannot("make a directory in", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	return 0;
}

void
build_end(Build *b)
{
	if (!b->dir)
		return;
	tempdir_end(b->dir);
	b->dir = NULL;
}

/* -- the files that nessie carries -------------------------------------------------------------- */

int
compiler_files(Build *b, const char *dir, Carried *c)
{
	const char *missing;

	if (c->file)
		return 0;
	c->file = embed_files(b->arena, dir, &c->n, &missing);
	if (!c->file)
		return cannot("read", missing);
	c->digest = embed_digest(b->arena, c->file, c->n);
	return 0;
}

/* The one of this name, n characters; NULL: it is none of ours. */
static const EmbeddedFile *
find_file(const Carried *c, const char *name, size_t n)
{
	for (int i = 0; i < c->n; i++) {
		const char *last = strrchr(c->file[i].path, '/') + 1;

		if (strlen(last) == n && memcmp(last, name, n) == 0)
			return &c->file[i];
	}
	return NULL;
}

int
compiler_put(Build *b, const EmbeddedFile *f)
{
	const char *in = strchr(f->path, '/') + 1, *path = arena_printf(b->arena, "%s/%s", b->dir, in);
	int status;

	if (access(path, F_OK) == 0)
		return 0;
	mkdir(arena_strndup(b->arena, path, (size_t)(strrchr(path, '/') - path)), 0700);
	status = compiler_write(b, in, f->text);
	return status ? status : compiler_put_included(b, f->text);
}

int
compiler_put_included(Build *b, const char *text)
{
	static const char include[] = "#include \"";
	int status = 0;

	for (const char *p = text; status == 0 && (p = strstr(p, include)); ) {
		const size_t n = strcspn(p += strlen(include), "\"");
		const EmbeddedFile *f = find_file(&b->runtime, p, n);

		if (!f)
			f = find_file(&b->emulator, p, n);
		if (f)
			status = compiler_put(b, f);
	}
	return status;
}

/* -- running a compiler ------------------------------------------------------------------------ */

/* What the arguments say it is to make. */
static const char *
product(Build *b, const Args *l)
{
	int i = 0;

	while (strcmp(l->at[i], "-o") != 0)
		i++;
	return arena_printf(b->arena, "%s/%s", b->dir, l->at[i + 1]);
}

static bool
is_empty(const char *path)
{
	struct stat s;

	return stat(path, &s) != 0 || s.st_size == 0;
}

/* NULL: it says why itself, in the log. */
static const char *
how_it_failed(Build *b, int status, int why, const char *log)
{
	if (status < 0)
		return arena_printf(b->arena, "cannot be run: %s", strerror(why));
	if (status > 128)
		return arena_printf(b->arena, "was ended by signal %d", status - 128);
	if (status == 0)
		return "ended well, but made nothing";
	return is_empty(log) ? arena_printf(b->arena, "ended with status %d, and does not say why", status) : NULL;
}

int
compiler_run(Build *b, const Args *args)
{
	const char *log = arena_printf(b->arena, "%s/messages.txt", b->dir), *makes = product(b, args);
	Args l = {0};                   /* the caller's may not grow here: what it grows out of is given back */
	int interrupt, status;

	for (int i = 0; i < args->n; i++)
		LIST_ADD(b->arena, &l, args->at[i]);
	LIST_ADD(b->arena, &l, NULL);
	unlink(makes);
	status = process_run(&(Process){.exe = l.at[0], .argv = l.at, .dir = b->dir, .output = log}, &interrupt);
	if (interrupt)
		return 128 + interrupt;
	if (status == 0 && !is_empty(makes))
		return 0;
	b->failed = how_it_failed(b, status, errno, log);
	return -1;
}

/* -- finding compilers --------------------------------------------------------------------------- */

static const char *
identity(Build *b, const char *path)
{
	struct stat s = {0};

	stat(path, &s);
	return arena_printf(b->arena, "%s %lld %lld.%09ld", path, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
		(long)s.st_mtim.tv_nsec);
}

/* Does it compile and link, as *c says? */
static int
try_compiler(Build *b, const Compiler *c)
{
	static const char *const plain = "#include <stdint.h>\n#include <math.h>\n#include <stdio.h>\n"
		"int main(int n, char **v) { return printf(\"%f\", sqrt(n)) < 0 || !v; }\n";
	static const char *const parallel = "#ifndef _OPENMP\n#error no OpenMP\n#endif\n#include <omp.h>\n"
		"int main(void) { return omp_get_max_threads() < 1; }\n";
	static const char *const gnu = "#if !defined(__GNUC__) || defined(__clang__)\n#error another linker may be needed\n#endif\n";
	Args l = {0};
	int status = compiler_write(b, "probe.c", arena_printf(b->arena, "%s%s", c->parts ? gnu : "", c->openmp ? parallel : plain));

	if (status == 0 && c->links)
		status = compiler_object(b);
	if (status)
		return status;
	args_add(b, &l, c->argv);
	args_add(b, &l, c_flags);
	if (c->openmp)
		ADD(b, &l, "-fopenmp");
	if (c->parts)
		args_add(b, &l, parts_flags);
	ADD(b, &l, "-o", "probe", "probe.c");
	if (c->links)
		ADD(b, &l, "rt.o");
	ADD(b, &l, "-lm", "-lpthread");
	return compiler_run(b, &l);
}

/* What a compiler may be able to do, the best first; the cache remembers which it was by an entry of the name. */
static const struct {
	const char *name;
	bool openmp, links, parts;
} able[] = {
	{"openmp, object, in parts", true, true, true}, {"openmp, object, whole", true, true, false}, {"openmp", true, false, false},
	{"plain, object", false, true, false}, {"plain", false, false, false},
};
enum { NABLE = sizeof able / sizeof *able };

static const char *
probe_name(Build *b, const Compiler *c, const char *answer)
{
	Hash h;
	char name[65];

	hash_start(&h);
	hash_text(&h, "probe");
	hash_text(&h, c->identity);
	for (int i = 1; c->argv[i]; i++)
		hash_text(&h, c->argv[i]);
	hash_text(&h, answer);
	hash_end(&h, name);
	return arena_printf(b->arena, "%s", name);
}

/* *at: the first of n ways that works, which the cache remembers by its name.  -1: none does. */
static int
first_way(Build *b, Compiler *c, int n, const char *(*name)(int), int (*works)(Build *, Compiler *, int), int *at)
{
	int status;

	for (*at = 0; *at < n; ++*at)
		if (cache_find(b->arena, b->cache, probe_name(b, c, name(*at))))
			return 0;
	status = compiler_dir(b);
	for (*at = 0; status == 0 && *at < n && (status = works(b, c, *at)) == -1; ++*at)
		status = 0;
	if (status)
		return status;
	if (*at == n)
		return -1;
	cache_put(b->arena, b->cache, probe_name(b, c, name(*at)), arena_printf(b->arena, "%s/probe.c", b->dir), CACHE_BYTES);
	return 0;
}

static void
assume(Compiler *c, int i)
{
	c->openmp = able[i].openmp;
	c->links = able[i].links;
	c->parts = able[i].parts;
}

static const char *
able_name(int i)
{
	return able[i].name;
}

/* Does it compile and link in this way? */
static int
is_able(Build *b, Compiler *c, int i)
{
	assume(c, i);
	return try_compiler(b, c);
}

/* 0: it works, and *c says how; -1: it does not. */
static int
probe(Build *b, Compiler *c)
{
	int i, status = first_way(b, c, NABLE, able_name, is_able, &i);

	if (status == 0)
		assume(c, i);
	return status;
}

/* "ccache gcc" -> its words, the first one looked up; false if that is nowhere. */
static bool
take_compiler(Build *b, Compiler *c, const char *words)
{
	Args l = {0};

	for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
		size_t n = strcspn(words, " ");
		LIST_ADD(b->arena, &l, arena_strndup(b->arena, words, n));
		words += n;
	}
	if (l.n == 0 || !(l.at[0] = process_find(b->arena, l.at[0])))
		return false;
	LIST_ADD(b->arena, &l, NULL);
	c->argv = l.at;
	c->identity = identity(b, l.at[0]);
	return true;
}

int
compiler_find_c(Build *b)
{
	const char *name[] = {getenv("CC"), "cc", "gcc", "clang", "tcc"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		Compiler c = {0};
		int status = -1;
		if (!name[i] || !*name[i])
			continue;
		if (take_compiler(b, &c, name[i]))
			status = probe(b, &c);
		if (status == 0)
			b->cc = c;
		if (status >= 0)
			return status;
		if (i == 0)
			fprintf(stderr, "nessie: CC=%s is no working C compiler; trying others\n", name[i]);
	}
	return 0;
}

Compiler
compiler_quick(Build *b)
{
	const char *asked = getenv("CC");
	Compiler c = {0};

	if ((asked && *asked) || !take_compiler(b, &c, "tcc") || strcmp(c.argv[0], b->cc.argv[0]) == 0 || probe(b, &c) != 0)
		return (Compiler){0};
	return c;
}

void
compiler_find_nvcc(Build *b)
{
	const char *home = getenv("CUDA_HOME");
	const char *name[] = {
		"nvcc", home && *home ? arena_printf(b->arena, "%s/bin/nvcc", home) : NULL, "/usr/local/cuda/bin/nvcc",
	};

	for (size_t i = 0; i < sizeof name / sizeof *name && !b->nvcc.argv; i++) {
		Compiler c = {0};
		const char *path = name[i] ? process_find(b->arena, name[i]) : NULL;
		Args l = {0};
		if (!path)
			continue;
		ADD(b, &l, path);
		LIST_ADD(b->arena, &l, NULL);
		c.argv = l.at;
		c.identity = identity(b, path);
		b->nvcc = c;
	}
}

/* How compilers are told not to call at the begin and the end of each function; the last: they cannot be.  The first is
 * clang's, which with -Og reads what lies between a structure's members, though nothing was written there. */
static const char *const silent[][4] = {
	{"-mllvm", "-tsan-instrument-func-entry-exit=0", "-O0", NULL}, {"--param=tsan-instrument-func-entry-exit=0", NULL}, {NULL},
};
enum { NSILENT = sizeof silent / sizeof *silent };

static const char *
silent_name(int i)
{
	static const char *const name[NSILENT] = {"silent by -mllvm", "silent by --param", "not silent"};

	return name[i];
}

static int
is_silent(Build *b, Compiler *c, int i)
{
	static const char *const source = "#include <cstdint>\n#include <vector>\nstd::vector<int64_t> v;\n";
	Args l = {0};
	int status = compiler_write(b, "probe.c", source);

	args_add(b, &l, c->argv);
	args_add(b, &l, silent[i]);
	ADD(b, &l, "-fsanitize=thread", "-c", "-x", "c++", "probe.c", "-o", "probe.o");
	return status ? status : compiler_run(b, &l);
}

int
compiler_find_cxx(Build *b)
{
	const char *name[] = {getenv("CXX"), "c++", "g++", "clang++"};

	for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
		Compiler c = {0};
		int way, status = -1;
		if (!name[i] || !*name[i])
			continue;
		if (take_compiler(b, &c, name[i]))
			status = first_way(b, &c, NSILENT, silent_name, is_silent, &way);
		if (status == 0) {
			c.silent = silent[way];
			b->cxx = c;
		}
		if (status >= 0)
			return status;
		if (i == 0)
			fprintf(stderr, "nessie: CXX=%s is no working C++ compiler; trying others\n", name[i]);
	}
	return 0;
}

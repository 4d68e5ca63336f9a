/* build.c: from generated text to an executable.
 *
 * In   the text of one C or CUDA program
 * Out  an executable, from the cache if the same text was compiled before by the same compiler
 * How  The run time's .c files (backend/rt) were compiled when nessie was; where the compiler does not take that object, or they are
 *      those of $NESSIE_HOME, they are compiled one by one and kept by content, as is the program: a cached name is the
 *      hash of everything that went in.  All compiling happens in a private directory, to which the files that are included are written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "backend/compiler.h"
#include "backend/device.h"
#include "common/cache.h"
#include "common/embed.h"
#include "common/hash.h"
#include "common/process.h"

static const char *const cuda_flags[] = {
	"-std=c++17", "-O3", "-fmad=false", "--threads", "0", "-Xcompiler", "-ffp-contract=off,-fwrapv", NULL,
};

/* The emulator's own files, and programs for it: these call the emulator at each access.  -Og: little time is spent on
 * optimising, but operators are inlined; what a call that is left takes by value from memory, gcc does not tell of. */
static const char *const emu_flags[] = {
	"-std=c++17", "-O1", "-g1", "-ffp-contract=off", "-fwrapv", "-U_FORTIFY_SOURCE", NULL,
};
static const char *const emu_program_flags[] = {"-Og", "-DNESL_EMU", "-fsanitize=thread", "-c", "-x", "c++", NULL};

/* -- which target ------------------------------------------------------------------------ */

static int
lacking(const char *target, const char *what)
{
	fprintf(stderr, "nessie: --target=%s: %s\n", target, what);
	return 4;
}

static int
check_cuda(Build *b, bool run)
{
	DeviceState s;
	int arch;

	if (!b->nvcc.argv)
		return lacking("cuda", "there is no nvcc in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin");
	if (!b->cc.argv)
		return lacking("cuda", "there is no C compiler, which nvcc needs too");
	if (!run && b->arch)
		return 0;
	s = device_find(&arch);
	if (run && s != DEVICE_THERE)
		return lacking("cuda", device_text(s));
	b->native = !b->arch && s == DEVICE_THERE;
	if (b->native)
		b->arch = arena_printf(b->arena, "sm_%d", arch);
	return 0;
}

/* What was tried last may not have got so far as to say why it does not work. */
static int
no_compiler(const Build *b, const char *target, const char *which)
{
	return lacking(target, arena_printf(b->arena, "there is no working %s%s%s", which, b->failed ? "; the last one tried " : "",
		b->failed ? b->failed : ""));
}

int
build_target(Build *b, Target *target, bool run)
{
	Target asked = *target;
	int status, arch;

	if (asked == TARGET_INTERP)
		return 0;
	status = compiler_find_c(b);
	if (status)
		return status;
	if (asked == TARGET_EMU)
		status = compiler_find_cxx(b);
	else if (asked != TARGET_CPU)
		compiler_find_nvcc(b);
	if (status)
		return status;
	if (asked == TARGET_AUTO)
		*target = b->nvcc.argv && b->cc.argv && device_find(&arch) == DEVICE_THERE ? TARGET_CUDA
			: b->cc.argv ? TARGET_CPU : TARGET_INTERP;
	if (*target == TARGET_CUDA)
		return check_cuda(b, run);
	if (asked == TARGET_EMU && !b->cxx.argv)
		return no_compiler(b, "emu", "C++ compiler ($CXX, c++, g++, clang++)");
	if ((asked == TARGET_CPU || asked == TARGET_EMU) && !b->cc.argv)
		return no_compiler(b, asked == TARGET_CPU ? "cpu" : "emu", "C compiler ($CC, cc, gcc, clang, tcc)");
	return 0;
}

/* -- compiling ------------------------------------------------------------------------------------- */

/* The first lines of a compiler's messages from where they tell the reason, or else the first error. */
static void
show_messages(const char *text, const char *reason)
{
	const char *error = reason ? reason : text ? strstr(text, "error") : NULL;

	while (error && error > text && error[-1] != '\n')
		error--;
	if (error)
		text = error;
	for (int lines = 10; text && *text && lines > 0; lines--) {
		size_t len = strcspn(text, "\n");
		fprintf(stderr, "    %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
	if (text && *text)
		fprintf(stderr, "    ...\n");
}

/* Where a compiler's messages say that the machine, and not the text, is why; NULL: nowhere.  nvcc may be older or newer than the GPU. */
static const char *
lack_of_machine(const char *log)
{
	static const int lack[] = {ENOSPC, EFBIG, EDQUOT, EROFS, EIO, ENOMEM, EAGAIN, EMFILE, ENFILE};
	static const char *const words[] = {"out of memory", "Killed signal", "signal 9", "command: Killed", "Unsupported gpu architecture"};
	const char *found = NULL;

	for (size_t i = 0; i < sizeof lack / sizeof *lack && !found; i++)
		found = strstr(log, strerror(lack[i]));
	for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++)
		found = strstr(log, words[i]);
	return found;
}

/* A compiler that does not take what we wrote: it may be none, the machine may be why, or its time be over; else we are wrong. */
static int
compile_own(Build *b, const Args *args, const char *what)
{
	int status = compiler_run(b, args);
	size_t n;
	const char *log, *lack;

	if (status >= 0)
		return status;
	if (b->trial)
		return 5;
	log = read_text(b->arena, arena_printf(b->arena, "%s/messages.txt", b->dir), &n);
	lack = log ? lack_of_machine(log) : NULL;
	status = b->failed || lack ? 4 : 5;
	if (b->failed)
		fprintf(stderr, "nessie: %s does not compile %s: it %s\n", args->at[0], what, b->failed);
	else
		fprintf(stderr, "nessie: %s%s does not compile %s:\n", status == 5 ? "internal error: " : "", args->at[0], what);
	show_messages(log, lack);
	return status;
}

/* Compiling takes a while the first time: say so where somebody waits. */
static void
progress(const Build *b, const char *what)
{
	if (isatty(2) && !b->trial)
		fprintf(stderr, "nessie: compiling %s ...\n", what);
}

/* The name in the cache of what comes from `text` by these arguments: the run time goes in as a whole,
 * since any header of it may matter. */
static int
cache_name(Build *b, const Compiler *c, const Args *args, const char *text, const char **name)
{
	char hex[65];
	Hash h;
	int status = compiler_files(b, "backend/rt", &b->runtime);

	if (status == 0 && c == &b->cxx)
		status = compiler_files(b, "tests/simt", &b->emulator);
	if (status)
		return status;
	hash_start(&h);
	hash_text(&h, c->identity);
	hash_text(&h, b->cc.identity);
	for (int i = 0; i < args->n; i++)
		hash_text(&h, args->at[i]);
	for (int i = 0; c == &b->cxx && emu_program_flags[i]; i++)
		hash_text(&h, emu_program_flags[i]);
	hash_text(&h, b->runtime.digest);
	if (c == &b->cxx)
		hash_text(&h, b->emulator.digest);
	hash_text(&h, text);
	hash_end(&h, hex);
	*name = arena_printf(b->arena, "%s", hex);
	return 0;
}

/* With -gencode for each of b->arch, or for a choice that runs on everything since Ampere. */
static int
nvcc_args(Build *b, Args *l)
{
	const char *arch = b->arch ? b->arch : "sm_80,sm_90", *last = NULL;

	args_add(b, l, b->nvcc.argv);
	args_add(b, l, cuda_flags);
	while (*arch) {
		size_t n = strcspn(arch, ",");
		if (n < 4 || strncmp(arch, "sm_", 3) != 0 || strspn(arch + 3, "0123456789af") != n - 3) {
			fprintf(stderr, "nessie: --arch=%s: wanted a list like sm_80,sm_90\n", b->arch);
			return 2;
		}
		last = arena_strndup(b->arena, arch + 3, n - 3);
		ADD(b, l, "-gencode", arena_printf(b->arena, "arch=compute_%s,code=sm_%s", last, last));
		arch += n + (arch[n] == ',');
	}
	/* What comes later than the newest of them translates this. */
	if (!b->native)
		ADD(b, l, "-gencode", arena_printf(b->arena, "arch=compute_%s,code=compute_%s", last, last));
	return 0;
}

static void
cc_args(Build *b, Args *l)
{
	args_add(b, l, b->cc.argv);
	args_add(b, l, c_flags);
	if (b->cc.openmp)
		ADD(b, l, "-fopenmp");
}

static bool
ends(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && strcmp(s + n - k, end) == 0;
}

/* One file of the run time -> an object, which is appended to `objects`. */
static int
runtime_object(Build *b, const Compiler *c, const Args *flags, const EmbeddedFile *f, Args *objects)
{
	const char *in = strchr(f->path, '/') + 1, *name, *found, *out;
	Args l = {0};
	int status;

	for (int i = 0; i < flags->n; i++)
		LIST_ADD(b->arena, &l, flags->at[i]);
	ADD(b, &l, "-Irt", "-c", in, "-o", arena_printf(b->arena, "%s.o", in));
	status = cache_name(b, c, &l, f->text, &name);
	if (status)
		return status;
	name = arena_printf(b->arena, "%s.o", name);    /* nvcc goes by the suffix */
	found = cache_find(b->arena, b->cache, name);
	if (!found) {
		status = compiler_dir(b);
		if (status == 0)
			status = compiler_put(b, f);
		progress(b, in);
		if (status == 0)
			status = compile_own(b, &l, in);
		if (status)
			return status;
		out = arena_printf(b->arena, "%s/%s", b->dir, l.at[l.n - 1]);
		cache_put(b->arena, b->cache, name, out, CACHE_BYTES);
		found = out;
	}
	LIST_ADD(b->arena, objects, found);
	return 0;
}

/* X.cu belongs to programs that include X.h: CUB, behind nesl_sort.h, takes longer than all the rest. */
static bool
wants(Build *b, const char *text, const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return strstr(text, arena_printf(b->arena, "#include \"%.*sh\"", (int)(strlen(name) - strlen("cu")), name));
}

/* The .c files by the C compiler, others by the target's own: .cpp files all, .cu files where there is nvcc and the program wants
 * them. */
static int
runtime_objects(Build *b, const Carried *files, Target target, const Args *own, const char *text, Args *objects)
{
	const bool compiled = files == &b->runtime && b->cc.links && !embed_home();
	Args c = {0};
	int status = 0;

	cc_args(b, &c);
	if (compiled && (status = compiler_object(b)) == 0)
		ADD(b, objects, "rt.o");
	for (const EmbeddedFile *f = files->file; f < files->file + files->n && status == 0; f++) {
		if (ends(f->path, ".c") && compiled)
			continue;
		if (ends(f->path, ".c"))
			status = runtime_object(b, &b->cc, &c, f, objects);
		else if (ends(f->path, ".cpp"))
			status = runtime_object(b, &b->cxx, own, f, objects);
		else if (target == TARGET_CUDA && ends(f->path, ".cu") && wants(b, text, f->path))
			status = runtime_object(b, &b->nvcc, own, f, objects);
	}
	return status;
}

/* For the emulator: an object that calls it at each access.  To be linked without what its flag would link.  What $CXX
 * says of the level stands last. */
static int
compile_for_emulator(Build *b, const Args *flags, const char **source)
{
	Args l = {0};

	for (int i = 0; i < flags->n; i++)
		LIST_ADD(b->arena, &l, flags->at[i]);
	args_add(b, &l, emu_program_flags);
	args_add(b, &l, b->cxx.silent);
	args_add(b, &l, b->cxx.argv + 1);
	ADD(b, &l, "-Irt", "-Isimt", "-o", "program.o", *source);
	*source = "program.o";
	progress(b, "program.cu");
	return compile_own(b, &l, "program.cu");
}

static int
compile_program(Build *b, Target target, Args *l, const char *text, const char *name)
{
	const char *source = target == TARGET_CPU ? "program.c" : "program.cu";
	Args objects = {0};
	int status = compiler_dir(b);

	if (status == 0)
		status = runtime_objects(b, &b->runtime, target, l, text, &objects);
	if (status == 0 && target == TARGET_EMU)
		status = runtime_objects(b, &b->emulator, target, l, text, &objects);
	if (status == 0)
		status = compiler_write(b, source, text);
	if (status == 0)
		status = compiler_put_included(b, text);
	if (status == 0 && target == TARGET_EMU)
		status = compile_for_emulator(b, l, &source);
	if (status)
		return status;
	if (target == TARGET_CUDA && b->cc.openmp)
		ADD(b, l, "-Xcompiler", "-fopenmp");
	if (target == TARGET_EMU)
		ADD(b, l, "-rdynamic");         /* kernels have names, for tests/simt/record.cpp */
	ADD(b, l, "-Irt", "-o", "program", source);
	for (int i = 0; i < objects.n; i++)
		LIST_ADD(b->arena, l, objects.at[i]);
	ADD(b, l, "-lm", "-lpthread");
	progress(b, source);
	status = compile_own(b, l, source);
	if (status == 0)
		cache_put(b->arena, b->cache, name, arena_printf(b->arena, "%s/program", b->dir), CACHE_BYTES);
	return status;
}

/* The arguments of the compiler, and the name in the cache of what comes of them. */
static int
program_name(Build *b, Target target, const char *text, Args *l, const char **name)
{
	const Compiler *c = target == TARGET_CUDA ? &b->nvcc : target == TARGET_EMU ? &b->cxx : &b->cc;
	enum { LONG = 1 << 15 };        /* of less, parts take longer than the whole (bench/results/2026-11-30-compile.md) */
	int status = 0;

	if (target == TARGET_CUDA) {
		status = nvcc_args(b, l);
	} else if (target == TARGET_EMU) {
		args_add(b, l, b->cxx.argv);
		args_add(b, l, emu_flags);
	} else {
		cc_args(b, l);
		if (b->cc.parts && strlen(text) >= LONG)
			args_add(b, l, parts_flags);
	}
	return status ? status : cache_name(b, c, l, text, name);
}

int
build_find(Build *b, Target target, const char *text, const char **exe)
{
	const char *name;
	Args l = {0};
	int status = program_name(b, target, text, &l, &name);

	*exe = status ? NULL : cache_find(b->arena, b->cache, name);
	return status;
}

int
build_program(Build *b, Target target, const char *text, const char **exe)
{
	const char *name;
	Args l = {0};
	int status = program_name(b, target, text, &l, &name);

	if (status)
		return status;
	*exe = cache_find(b->arena, b->cache, name);
	if (*exe)
		return 0;
	status = compile_program(b, target, &l, text, name);
	*exe = arena_printf(b->arena, "%s/program", b->dir ? b->dir : "");
	return status;
}

/* -- running ----------------------------------------------------------------------------------------- */

int
build_run(const char *exe, const char *const *argv)
{
	int interrupt, status = process_run(&(Process){.exe = exe, .argv = argv}, &interrupt);

	if (interrupt)
		return 128 + interrupt;
	if (status < 0)
		return cannot("run", exe);
	if (status == 128 + 9) {
		fprintf(stderr, "nessie: the program was killed, perhaps for want of memory\n");
		return 4;
	}
	if (status > 128 && status != 128 + 2 && status != 128 + 13 && status != 128 + 15) {
		fprintf(stderr, "nessie: internal error: the program crashed (signal %d)\n", status - 128);
		return 5;
	}
	return status;
}

void
build_start(Build *b, Arena *a, const char *arch)
{
	*b = (Build){.arena = a, .arch = arch, .cache = cache_open(a)};
}

/* check_machine.c: ./nessie and the machine that it is on: what that lacks, its limits, its compilers, the cache, signals. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include "common/cache.h"
#include "common/hash.h"
#include "tests/user.h"

Suite *machine_suite(void);

#define FEW_FILES "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; "      /* without those of the tests */

START_TEST(what_the_machine_lacks)
{
	fails("$N run nowhere.nesl", 4, "nowhere.nesl: No such file");
	fails("$N run .", 4, "Is a directory");
	fails("$N run --input m=nowhere.mtx -e 1", 4, "nowhere.mtx");
	fails("NESSIE_HOME=/dev/null $N run -e 1", 4, "/dev/null/basis");
	fails("NESSIE_HOME=/dev/null $N repl </dev/null", 4, "/dev/null/basis");
	fails("TMPDIR=/dev/null XDG_CACHE_HOME=/dev/null $N run --target=cpu -e 1", 4, "/dev/null");
	fails("$N build -o /dev/null/prog -e 1", 4, "/dev/null/prog");
	fails("$N dump --stage=flan -e 1 >/dev/full", 4, "No space left");
	fails("$N run --target=interp -e 1 >/dev/full", 4, "nessie: cannot write the output: No space left on device\n");
	fails("env -u CC $N run --target=cpu -e '[0:12]' >/dev/full", 4, "No space left");
	fails("$N library >/dev/full", 4, "No space left");
	fails("env -u CC PATH=/dev/null $N run --target=cpu -e 1", 4, "no working C compiler");
	fails("printf '#!/bin/sh\\ncase \"$*\" in *program.c*) echo Killed signal terminated program cc1 >&2; exit 1; esac; exec cc \"$@\"' >killed; "
		"chmod +x killed; CC=\"$PWD/killed -DY=1\" $N build --target=cpu -o x -e 1", 4, "/killed does not compile program.c:\n    Killed signal");
	fails("env -u CC PATH=/dev/null $N build -o x -e 1", 4, "C compiler");
	fails(FEW_FILES "ulimit -n 6; unset CC; XDG_CACHE_HOME=$PWD/none $N run --target=cpu -e 1", 4, "tcc); the last one tried cannot be run: Too many open files\n");
	fails(FEW_FILES "ulimit -n 5; unset CC; XDG_CACHE_HOME=$PWD/none $N run --target=cpu -e 1", 4, "Too many open files\n");
}
END_TEST

/* What the compiler itself needs of a stack it has, whatever the limit; other compilers may say that they do not. */
START_TEST(little_stack)
{
	spit("deep.nesl", "");
	gives("(i=0; while [ $i -lt 150 ]; do printf '{'; i=$((i + 1)); done; printf 'x'; i=0; while [ $i -lt 150 ]; do printf ' : x in v}'; "
		"i=$((i + 1)); done; echo ';') >deep.nesl; ulimit -s 64; $N run --target=interp -e '1 + 2'; "
		"$N dump --stage=normal --input 'v:[int]' deep.nesl | grep -c 'foreach'", 0, "it = 3 : int\n150\n");
	ck_assert_int_le(sh("ulimit -s 64; XDG_CACHE_HOME=$PWD/none $N run --target=cpu -e '1 + 2'"), 4);
}
END_TEST

/* Compilers that are none: another one does it, if there is one for that; that work until they see what nessie wrote: one line says
 * what happened, as they do not. */
START_TEST(compilers_that_fail)
{
	static const char *const none[] = {"/nowhere/cc", "$PWD/bad/noint", "$PWD/bad/nothing", "$PWD/bad/killed", "false", "$PWD"};
	static const struct { const char *does, *says; } t[] = {
		{"exit 0", "ended well, but made nothing"}, {"kill -9 $$", "was ended by signal 9"}, {"exit 3", "ended with status 3, and does not say why"},
	};
	static const struct { const char *real, *run, *file; } by[] = {
		{"gcc", "CC=$PWD/bad/gcc $N run --target=cpu -e '2 + 5'", "/bad/gcc does not compile program.c: it "},
		{"gcc", "CC=$PWD/bad/gcc $N build --target=auto -o x -e '2 + 5'", "/bad/gcc does not compile program.c: it "},
		{"g++", "CXX=$PWD/bad/g++ $N run --target=emu -e '2 + 5'", "/bad/g++ does not compile simt/check.cpp: it "},
		{"nvcc", "PATH=$PWD/bad:$PATH $N build --target=cuda -o x -e '2 + 5'", "/bad/nvcc does not compile program.cu: it "},
	};
	char c[512], says[200];

	gives("mkdir bad; cd bad; echo '#!/nowhere' >noint; printf '#!/bin/sh\nexit 0\n' >nothing; "
		"printf '#!/bin/sh\nkill -9 $$\n' >killed; chmod +x *", 0, "");
	for (size_t i = 0; i < 2 * sizeof none / sizeof *none; i++) {
		snprintf(c, sizeof c, i % 2 ? "CXX=%s $N run --target=emu -e '2 + 3'" : "CC=%s $N run --target=cpu -e '2 + 3'", none[i / 2]);
		gives(c, 0, "it = 5 : int\n");
		ck_assert_msg(strstr(err, i % 2 ? "is no working C++ compiler; trying others\n" : "is no working C compiler; trying others\n")
			&& strchr(err, '\n') == strrchr(err, '\n'), "%s\n%s", c, err);
	}
	for (size_t i = 0; i < sizeof t / sizeof *t * (sizeof by / sizeof *by); i++) {
		const size_t k = i % (sizeof by / sizeof *by);
		snprintf(c, sizeof c, "printf '#!/bin/sh\ncase \"$*\" in *program.c*|*simt*) %s;; esac\nexec %s \"$@\"\n' >bad/%s; chmod +x bad/*; %s",
			t[i / (sizeof by / sizeof *by)].does, by[k].real, by[k].real, by[k].run);
		snprintf(says, sizeof says, "%s%s\n", by[k].file, t[i / (sizeof by / sizeof *by)].says);
		fails(c, 4, says);
		ck_assert_msg(strchr(err, '\n') == strrchr(err, '\n'), "%s\n%s", c, err);
	}
}
END_TEST

/* What is no file stays what it is. */
START_TEST(pipes_and_devices_are_written_to)
{
	ck_assert_int_eq(sh("mkfifo p p.txt; cat p >prog & $N build --target=cpu -o p -e '5 + 6'; wait; test -p p && chmod +x prog && ./prog"), 0);
	ck_assert_str_eq(out, "it = 11 : int\n");
	ck_assert_int_eq(sh("cat p.txt >x & $N data uniform --n=3 -o p.txt; wait; test -p p.txt && test -s x"), 0);
}
END_TEST

START_TEST(cuda_says_what_is_missing)
{
	int status = sh("$N run --target=cuda -e '1 + 1'");

	if (status == 0)
		ck_assert_str_eq(out, "it = 2 : int\n");
	else {
		ck_assert_int_eq(status, 4);
		ck_assert_msg(strstr(err, "nvcc") || strstr(err, "NVIDIA") || strstr(err, "C compiler"), "%s", err);
	}
}
END_TEST

/* A driver that says what it is told to, and an nvcc that writes down what it is asked to do. */
START_TEST(what_the_driver_says)
{
	const char *run = "PATH=$PWD/stub:$PATH LD_LIBRARY_PATH=$PWD/stub $N";
	char command[400];

	spit("cuda.c", "#include <stdlib.h>\n#include <string.h>\nstatic int is(const char *s) { return !strcmp(getenv(\"STUB\"), s); }\n"
		"int cuInit(int f) { return f + (is(\"fails\") ? 999 : is(\"none\") ? 100 : 0); }\n"
		"int cuDeviceGetCount(int *n) { *n = 1; return 0; }\n"
		"int cuDeviceGet(int *d, int i) { *d = i; return 0; }\n"
		"int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 8 : 6; return d; }\n");
	spit("nvcc", "#!/bin/sh\necho \"$*\" >>$NESSIE_CHECK_HOME/asked\nexit 1\n");
	gives("mkdir stub && chmod +x nvcc && mv nvcc stub && cc -shared -fPIC -o stub/libcuda.so.1 cuda.c", 0, "");
	snprintf(command, sizeof command, "STUB=fails %s run --target=cuda -e 1", run);
	fails(command, 4, "nessie: --target=cuda: the NVIDIA driver on this machine does not start (nvidia-smi may say why)\n");
	snprintf(command, sizeof command, "STUB=none %s run --target=cuda -e 1", run);
	fails(command, 4, "nessie: --target=cuda: the NVIDIA driver finds no GPU\n");
	/* for the device at hand; elsewhere for two, and what later ones translate */
	snprintf(command, sizeof command, "STUB=there %s build --target=cuda -o x -e 1; "
		"grep -o 'arch=[^ ]*' asked | sort -u; rm asked", run);
	gives(command, 0, "arch=compute_86,code=sm_86\n");
	snprintf(command, sizeof command, "STUB=none %s build --target=cuda -o x -e 1; "
		"grep -o 'arch=[^ ]*' asked | sort -u; rm asked", run);
	gives(command, 0, "arch=compute_80,code=sm_80\narch=compute_90,code=compute_90\narch=compute_90,code=sm_90\n");
}
END_TEST

START_TEST(tcc_will_do)
{
	if (system("command -v tcc >/dev/null") != 0) {
		fprintf(stderr, "check_machine: no tcc here, it was not run\n");
		return;
	}
	gives("CC=tcc $N run --target=cpu -e 'sum({x * x : x in [1, 2, 3]})'", 0, "it = 14 : int\n");
}
END_TEST

/* What the command gives, and whether gcc compiled the program for it. */
static void
compiles(const char *command, bool gcc, const char *text)
{
	char line[1024], want[1024];

	snprintf(line, sizeof line, "rm -f calls; PATH=$PWD/first:$PATH; export XDG_CACHE_HOME=$PWD/first/cache; %s; test -e calls && echo gcc", command);
	snprintf(want, sizeof want, "%s%s", text, gcc ? "gcc\n" : "");
	gives(line, !gcc, want);
}

/* A program that was not compiled before is compiled by tcc and run for a moment; by gcc if that is not enough, or may not be. */
START_TEST(first_run_is_quick)
{
	static const char fib[] = "$N run -e 'function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);' -e 1 -e 'fib(40)'";

	if (system("command -v tcc >/dev/null") != 0) {
		fprintf(stderr, "check_machine: no tcc here, the first run is as any other\n");
		return;
	}
	ck_assert_int_eq(mkdir("first", 0700) | mkdir("first/cache", 0700), 0);
	spit("first/cc", "#!/bin/sh\ncase \"$*\" in *program.c*) echo >>$NESSIE_CHECK_HOME/calls;; esac\nexec gcc \"$@\"\n");
	ck_assert_int_eq(chmod("first/cc", 0700), 0);
	compiles("$N run -e '1 + 2'", false, "it = 3 : int\n");
	compiles("$N run -e '1 + 2'", false, "it = 3 : int\n");
	compiles("$N run -e 2 -e '1 / 0' -e 3 2>&1 | grep -v '|'", false,
		"it = 2 : int\n-e2:1:1: error[div-by-zero]: division by zero, or min_int / -1\nit = 3 : int\n");
	compiles("$N run -e '1 / 0' -e 3", false, "it = 3 : int\n");
	ck_assert_msg(strstr(err, "-e:1:1: error[div-by-zero]"), "%s", err);
	/* it takes longer than a moment; then it is there */
	compiles(fib, true, "it = 1 : int\nit = 102334155 : int\n");
	compiles(fib, false, "it = 1 : int\nit = 102334155 : int\n");
	/* somebody asks for a compiler, or for figures; what is done cannot be done again */
	compiles("CC=$PWD/first/cc $N run -e '1 + 3'", true, "it = 4 : int\n");
	compiles("$N run -e '1 + 3'", false, "it = 4 : int\n");        /* that one is there */
	compiles("$N run --stats=s -e '1 + 8'", true, "it = 9 : int\n");
	compiles("$N run --profile=s -e '1 + 9'", true, "it = 10 : int\n");
	compiles("$N run --time -e '1 + 4'", true, "it = 5 : int\n");
	compiles("$N run --echo=none -e 'write_string_to_file(\"once\", \"once.txt\")'; cat once.txt", true, "once");
	compiles("$N run -e 'print_line(\"once\")' 2>&1", false, "once\nit = T : bool\n");
	/* what tcc does not take, and what does not go well with it, is not seen */
	spit("first/tcc", "#!/bin/sh\ncase \"$*\" in *program.c*) echo bad >&2; exit 1;; esac\nexec gcc \"$@\"\n");
	ck_assert_int_eq(chmod("first/tcc", 0700), 0);
	compiles("$N run -e '1 + 5'", true, "it = 6 : int\n");
	ck_assert_str_eq(err, "");
	spit("first/tcc", "#!/bin/sh\ncase \"$*\" in *program.c*) printf '#!/bin/sh\\necho no; kill -11 $$\\n' >program; chmod +x program; exit;;\n"
		"esac\nexec gcc \"$@\"\n");
	compiles("$N run -e '1 + 6'", true, "it = 7 : int\n");
	ck_assert_str_eq(err, "");
}
END_TEST

/* What is opened while a standard stream is closed does not take its place. */
START_TEST(closed_streams)
{
	gives("$N run --target=cpu -e '1 + 2' <&- 2>&-", 0, "it = 3 : int\n");
	fails("$N run --target=cpu -e '1 + 2' >&-", 4, "cannot write");
	fails("$N run --target=interp -e '1 + 2' >&-", 4, "cannot write");
	fails("$N check -e 'x = 1' <&- >&-", 4, "cannot write");
	fails("echo '1 + 2;' | $N repl >&-", 4, "cannot write");
	gives("$N build --target=cpu -o three -e '1 + 2'; ./three <&- 2>&-", 0, "it = 3 : int\n");
	fails("./three >&-", 4, "cannot write");
}
END_TEST

/* A file that may not become as large is an error like a disk that is full. */
START_TEST(files_too_large)
{
	gives("ulimit -f 8; $N run --target=interp -e 'write_object_to_file([0:100000], \"big\")'", 0, "it = F : bool\n");
	ck_assert_str_eq(err, "big: File too large\n");
	fails("ulimit -f 100; CC=gcc $N build -o q -e '1 + 3'", 4, "File too large");
	fails("ulimit -f 8; $N data uniform --n=1000000 -o u.npy", 4, "cannot write u.npy: File too large");
	gives("ls q u.npy 2>&1 | grep -c 'No such file'", 0, "2\n");
}
END_TEST

START_TEST(needs_no_source_tree)
{
	gives("cp $N ./copy && cd / && $NESSIE_CHECK_HOME/copy run --target=cpu -e 'sum([1 : 5])'", 0, "it = 10 : int\n");
	gives("NESSIE_HOME=$NESSIE $N run --target=cpu -e 'sum([1 : 5])'", 0, "it = 10 : int\n");
}
END_TEST

START_TEST(works_without_a_cache)
{
	gives("env -u HOME -u XDG_CACHE_HOME $N run --target=cpu -e '1 + 1'", 0, "it = 2 : int\n");
	/* Others could put programs there. */
	gives("mkdir -p open/nessie && chmod 777 open/nessie && XDG_CACHE_HOME=$PWD/open $N run --target=cpu -e '1 + 1'"
		" && ls open/nessie", 0, "it = 2 : int\n");
}
END_TEST

START_TEST(cached_programs_need_no_compiling)
{
	spit("cc", "#!/bin/sh\necho called >>$NESSIE_CHECK_HOME/calls\nexec gcc \"$@\"\n");
	gives("chmod +x cc; export CC=$NESSIE_CHECK_HOME/cc; $N run --target=cpu -e '41 + 1'; rm calls || echo not used;"
		"$N run --target=cpu -e '41 + 1'; test ! -e calls", 0, "it = 42 : int\nit = 42 : int\n");
}
END_TEST

/* An entry that is not what was put in is made anew, without a word: all that a program comes of, the probe of the compiler too. */
START_TEST(spoilt_entries_are_made_anew)
{
	static const char *const spoil[] = {"truncate -s 100", "truncate -s 0", "sed -i s/ELF/FLE/", "chmod -x", "rm", "chmod 0",
		"f() { rm $1 && mkdir $1; }; f", "f() { truncate -s 20 $1.seal; }; f", "f() { echo '#!/bin/sh' >$1; }; f"};
	char c[512];

	gives("mkdir spoilt; XDG_CACHE_HOME=$PWD/spoilt CC=gcc $N run --target=cpu -e '11 + 1'", 0, "it = 12 : int\n");
	for (size_t i = 0; i < sizeof spoil / sizeof *spoil; i++) {
		snprintf(c, sizeof c, "for e in spoilt/nessie/*; do case $e in *.seal) continue;; esac; %s $e; "
			"XDG_CACHE_HOME=$PWD/spoilt CC=gcc $N run --target=cpu -e '11 + 1'; rm -rf spoilt/nessie/*; "
			"XDG_CACHE_HOME=$PWD/spoilt CC=gcc $N run --target=cpu --echo=none -e '11 + 1'; done", spoil[i]);
		gives(c, 0, "it = 12 : int\nit = 12 : int\n");
		ck_assert_str_eq(err, "");
	}
	/* and is there again */
	spit("cc", "#!/bin/sh\necho called >>$NESSIE_CHECK_HOME/calls\nexec gcc \"$@\"\n");
	gives("chmod +x cc; export CC=$NESSIE_CHECK_HOME/cc XDG_CACHE_HOME=$PWD/spoilt; $N run --target=cpu -e '41 + 2'; "
		"for e in spoilt/nessie/*; do case $e in *.seal) ;; *) echo >$e;; esac; done; rm calls; "
		"$N run --target=cpu -e '41 + 2'; rm calls || echo not used; $N run --target=cpu -e '41 + 2'; test ! -e calls", 0,
		"it = 43 : int\nit = 43 : int\nit = 43 : int\n");
	/* What links in their place lead to stays as it is. */
	gives("echo mine >mine; export CC=gcc XDG_CACHE_HOME=$PWD/spoilt; for e in spoilt/nessie/*; do ln -sf $PWD/mine $e; done; "
		"$N run --target=cpu -e '41 + 3'; $N run --target=cpu -e '41 + 2'; cat mine", 0, "it = 44 : int\nit = 43 : int\nmine\n");
}
END_TEST

START_TEST(many_at_once)
{
	gives("for i in 1 2 3 4; do XDG_CACHE_HOME=$PWD/many $N run --target=cpu -e '20 + 2' & done; wait", 0,
		"it = 22 : int\nit = 22 : int\nit = 22 : int\nit = 22 : int\n");
	gives("ls many/nessie | grep new", 1, "");
}
END_TEST

/* Parts of a long program are compiled side by side, if the compiler can; a short one would only take longer. */
START_TEST(long_programs_are_compiled_in_parts)
{
	static const char *const quicksort = "function q(a) = if #a < 2 then a else let p = a[#a / 2]; r = {q(v) : v in [{e in a | e < p}, {e in a | e > p}]} "
		"in r[0] ++ [p] ++ r[1];\nq([3, 1, 2]);\n";
	static const char *const cc = "#!/bin/sh\ncase \"$*\" in *program.c*) case \"$*\" in *-flto*) echo parts;; *) echo whole;; esac >>$NESSIE_CHECK_HOME/calls;; esac\n"
		"case \"$*\" in *-flto*) %s;; esac\n%sexec gcc \"$@\"\n";
	static const struct { const char *with, *as, *said; } made[] = {
		{":", "", "parts\nwhole\n"}, {"exit 1", "", "whole\nwhole\n"},
		{":", "case \"$*\" in *probe.c*) set -- -D__clang__ \"$@\";; esac\n", "whole\nwhole\n"},
	};
	char text[1024], wanted[300];

	spit("long.nesl", quicksort);
	for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
		snprintf(text, sizeof text, cc, made[i].with, made[i].as);
		spit("cc", text);
		snprintf(wanted, sizeof wanted, "it = [1, 2, 3] : [int]\nit = 2 : int\n%s", made[i].said);
		gives("chmod +x cc; export CC=$NESSIE_CHECK_HOME/cc XDG_CACHE_HOME=$PWD/parts; rm -rf parts; $N build --target=cpu -o long long.nesl && "
			"$N build --target=cpu -e '1 + 1' -o short && ./long && ./short; cat calls; rm calls", 0, wanted);
	}
}
END_TEST

/* A compiler that fails on what we wrote is our fault, and its words are shown. */
START_TEST(rejected_by_the_compiler)
{
	spit("badcc", "#!/bin/sh\ncase \"$*\" in *program.c*) echo 'program.c:1: bad weather' >&2; exit 1;; esac\n"
		"exec gcc \"$@\"\n");
	fails("chmod +x badcc; CC=$PWD/badcc $N run --target=cpu -e 1", 5, "bad weather");
	spit("badcc", "#!/bin/sh\ncase \"$*\" in *program.c*) echo 'ld: x.o: Too many open files\ncollect2: error: ld returned 1' >&2; test $LC_ALL = C && exit 1; exit 0;; esac\n"
		"exec gcc \"$@\"\n");
	fails("CC=$PWD/badcc LC_ALL=de_DE.UTF-8 $N run --target=cpu -e 1", 4, "badcc does not compile program.c:\n    ld: x.o: Too many open files\n");
	fails("CC=/dev/null/cc $N run --target=cpu -e '1 + 1'", 0, "CC=/dev/null/cc");
}
END_TEST

/* Is it a process that nessie started: one of a compiled program, or in a private directory? */
static bool
started(const char *process)
{
	char link[300], path[4096];
	static const char *const what[] = {"cwd", "exe"};

	for (int i = 0; i < 2; i++) {
		snprintf(link, sizeof link, "/proc/%s/%s", process, what[i]);
		ssize_t n = readlink(link, path, sizeof path - 1);
		path[n < 0 ? 0 : n] = 0;
		if (strncmp(path, home, strlen(home)) == 0 && strlen(path) > strlen(home))
			return true;
	}
	return false;
}

/* How many such processes, and files in $TMPDIR, there are. */
static int
left(void)
{
	static const char *const in[] = {"/proc", "tmp"};
	int n = 0;

	for (int i = 0; i < 2; i++) {
		DIR *d = opendir(in[i]);
		struct dirent *e;
		while (d && (e = readdir(d)))
			n += e->d_name[0] != '.' && (i == 1 || started(e->d_name));
		if (d)
			closedir(d);
	}
	return n;
}

static void
moment(void)
{
	nanosleep(&(struct timespec){0, 20000000}, NULL);
}

/* Starts nessie with args, waits until file `seen` holds something, sends it the signal; its exit status, or -1 if that killed it.
 * Nothing is left of what it did. */
static int
interrupted(const char *const *args, const char *seen, int sig)
{
	char exe[4200];
	struct stat s;
	int status;
	pid_t pid;

	snprintf(exe, sizeof exe, "%s/nessie", root);
	remove(seen);
	pid = fork();
	if (pid == 0) {
		signal(sig, SIG_DFL);
		if (freopen("out.txt", "w", stdout) && freopen("err.txt", "w", stderr))
			execv(exe, (char *const *)args);
		_exit(126);
	}
	for (int i = 0; i < 5000 && !(stat(seen, &s) == 0 && s.st_size > 0); i++)
		moment();
	ck_assert_int_gt(left(), 0);
	kill(pid, sig);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	for (int i = 0; i < 500 && sig == SIGKILL && left() > 0; i++)
		moment();
	ck_assert_msg(left() == 0, "signal %d leaves %d processes and files", sig, left());
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Whatever ends it, a compiler and what that started, the program, and the private directories go with it. */
START_TEST(signals)
{
	static const struct { int sig, status; } t[] = {{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}, {SIGKILL, -1}};
	const char *loop[] = {"nessie", "run", "--target=cpu", "loop.nesl", NULL};
	const char *compiling[] = {"nessie", "run", "--target=cpu", "-e", "1", NULL};
	char cc[128];

	snprintf(cc, sizeof cc, "%s/slowcc", home);
	spit("slowcc", "#!/bin/sh\nsleep 100 &\necho >$NESSIE_CHECK_HOME/started\nwait\n");
	ck_assert_int_eq(chmod("slowcc", 0700), 0);
	spit("loop.nesl", "function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);\n1;\nfib(80);\n");
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		setenv("CC", cc, 1);
		ck_assert_int_eq(interrupted(compiling, "started", t[i].sig), t[i].status);
		/* The program runs: the first value is out, fib goes on for hours. */
		unsetenv("CC");
		ck_assert_int_eq(interrupted(loop, "out.txt", t[i].sig), t[i].status);
	}
}
END_TEST

/* Nor does a part of a file of data outlive what writes it; one that was there before stays. */
START_TEST(data_is_whole_or_not_there)
{
	static const char make[] = "echo old >d.npy; $N data uniform --n=20000000 -o d.npy & until ls d.npy.* 2>1; do sleep 0.01; done >2; "
		"kill -%s $!; wait $!; for i in 0 1 2 3 4 5 6 7 8 9; do ls d.npy.* >2 2>1 && sleep 0.$i; done; ls d.npy*; head -c 9 d.npy; rm 1 2";
	char line[500];

	for (int i = 0; i < 2; i++) {
		snprintf(line, sizeof line, make, i ? "KILL" : "TERM");
		gives(line, 0, "d.npy\nold\n");
	}
}
END_TEST

START_TEST(cache_has_a_bound)
{
	Arena *a = arena_new();
	char text[1001], name[8];

	memset(text, 'x', 1000);
	text[1000] = 0;
	spit("entry", text);
	ck_assert_int_eq(mkdir("small", 0700), 0);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof name, "e%d", i);
		cache_put(a, "small", name, "entry", 5000);
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		cache_find(a, "small", "e0");           /* in use: stays */
	}
	ck_assert(cache_find(a, "small", "e0") && cache_find(a, "small", "e19"));
	ck_assert(!cache_find(a, "small", "e5"));
	ck_assert_int_eq(sh("test $(ls small | grep -vc seal) -le 5 && test $(ls small | grep -c seal) = $(ls small | grep -vc seal)"), 0);
	cache_put(a, "small", "big", "entry", 1000);
	ck_assert(!cache_find(a, "small", "big"));
	cache_put(a, NULL, "e", "entry", 5000);
	ck_assert(!cache_find(a, NULL, "e"));
	arena_free(a);
}
END_TEST

START_TEST(sha256)
{
	Hash h;
	char name[65];

	hash_start(&h);
	hash_bytes(&h, "abc", 3);
	hash_end(&h, name);
	ck_assert_str_eq(name, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	hash_start(&h);
	hash_bytes(&h, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
	hash_end(&h, name);
	ck_assert_str_eq(name, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}
END_TEST

Suite *
machine_suite(void)
{
	Suite *s = suite_create("machine");
	TCase *t = tcase_create("machine");

	tcase_add_unchecked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 900);
	tcase_add_test(t, what_the_machine_lacks);
	tcase_add_test(t, little_stack);
	tcase_add_test(t, compilers_that_fail);
	tcase_add_test(t, pipes_and_devices_are_written_to);
	tcase_add_test(t, cuda_says_what_is_missing);
	tcase_add_test(t, what_the_driver_says);
	tcase_add_test(t, tcc_will_do);
	tcase_add_test(t, first_run_is_quick);
	tcase_add_test(t, closed_streams);
	tcase_add_test(t, files_too_large);
	tcase_add_test(t, needs_no_source_tree);
	tcase_add_test(t, works_without_a_cache);
	tcase_add_test(t, cached_programs_need_no_compiling);
	tcase_add_test(t, spoilt_entries_are_made_anew);
	tcase_add_test(t, many_at_once);
	tcase_add_test(t, long_programs_are_compiled_in_parts);
	tcase_add_test(t, rejected_by_the_compiler);
	tcase_add_test(t, signals);
	tcase_add_test(t, data_is_whole_or_not_there);
	tcase_add_test(t, cache_has_a_bound);
	tcase_add_test(t, sha256);
	suite_add_tcase(s, t);
	return s;
}

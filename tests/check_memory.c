/* check_memory.c: what happens where there is no memory.  The run time is compiled so that one allocation fails, each in
 * turn, of each program of tests/run and tests/trouble: a message, exit status 4, all that was printed before, and nothing left
 * alive; of the emulator's device too, where that is told by SIMT_FAIL.  Interrupts leave nothing either. */
#include "common/process.h"
#include "tests/cost.h"
#include "tests/suite.h"
#include "tests/tcc.h"

Suite *memory_suite(void);

static Programs programs;
static char dir[32];

/* WHERE it is told: at a form, or of the program as a whole, while that starts and reads inputs. */
static const char at_a_form[] = ".*:[0-9]+:[0-9]+: error.memory.", anywhere[] = "(p|.*:[0-9]+:[0-9]+: error.memory.)";

/* Each of the first EACH allocations, then ever fewer. */
static const char turns[] =
	"all=$($DIR/p $ARGS --stats 2>&1 >$DIR/all | sed -n 's/.*\"allocations\": \\([0-9]*\\).*/\\1/p')\n"
	"[ \"$all\" ] || { echo 'how many allocations?'; exit; }\n"
	"k=1\n"
	"while [ $k -le $all ]; do\n"
	"	NESL_FAIL_ALLOCATION=$k $DIR/p $ARGS --stats=$DIR/json >$DIR/out 2>$DIR/err </dev/null\n"
	"	s=$?\n"
	"	[ $s = 4 ] || echo \"allocation $k of $all: exit status $s\"\n"
	"	tail -n 3 $DIR/err | grep -Eqx \"$WHERE: out of memory: [0-9]+ bytes for an array, [0-9]+ in use\" ||\n"
	"		{ echo \"allocation $k of $all:\"; cat $DIR/err; }\n"
	"	head -c $(wc -c <$DIR/out) $DIR/all | cmp -s - $DIR/out || echo \"allocation $k of $all: other output\"\n"
	"	grep -q '\"live_bytes_at_exit\": 0,' $DIR/json || echo \"allocation $k of $all: it leaks\"\n"
	"	k=$((k + 1 + k / $EACH * 4))\n"
	"done\n";

/* The same of the device, until none is left to fail. */
static const char device_turns[] =
	"$DIR/p $ARGS >$DIR/all 2>/dev/null </dev/null; all=$?\n"
	"k=1\n"
	"while SIMT_FAIL=$k $DIR/p $ARGS --stats=$DIR/json >$DIR/out 2>$DIR/err </dev/null; s=$?; [ $k = 1 ] || [ $s != $all ]; do\n"
	"	[ $s = 4 ] || echo \"allocation $k: exit status $s\"\n"
	"	tail -n 3 $DIR/err | grep -Eqx \"$WHERE: out of (device|pinned) memory: [0-9]+ bytes for an array, [0-9]+ in use\" ||\n"
	"		{ echo \"allocation $k:\"; cat $DIR/err; }\n"
	"	head -c $(wc -c <$DIR/out) $DIR/all | cmp -s - $DIR/out || echo \"allocation $k: other output\"\n"
	"	grep -q '\"live_bytes_at_exit\": 0,' $DIR/json || echo \"allocation $k: it leaks\"\n"
	"	k=$((k + 1 + k / $EACH * 4))\n"
	"done\n"
	"cmp $DIR/out $DIR/all; [ $k -gt 3 ] || echo 'no allocation failed'\n";

static void
fail_on_the_device(const char *each, const char *program)
{
	char *wrong;

	ck_assert_int_eq(0, sh(&wrong, "export DIR=%s EACH=%s WHERE='%s'; ./nessie build --target=emu -o $DIR/p %s 2>&1 && "
		"sh $DIR/device_turns 2>&1", dir, each, anywhere, program));
	ck_assert_str_eq(wrong, "");
	free(wrong);
}

/* Of the programs, each so many.  The emulator takes a while to compile, longer than all else for those that begin elsewhere: make check-long
 * does all of them, and more allocations. */
enum { SAMPLE = 13, FIRST_SAMPLE = 5 };

static void
fail_on_the_host_by(const char *cc, const char *each, const char *program)
{
	char *wrong;

	ck_assert_int_eq(0, sh(&wrong, "export DIR=%s EACH=%s; CC=$DIR/%s ./nessie build --target=cpu -o $DIR/p %s 2>&1 && "
		"$DIR/turns 2>&1", dir, each, cc, program));
	ck_assert_str_eq(wrong, "");
	free(wrong);
}

static void
fail_on_the_host(const char *each, const char *program)
{
	fail_on_the_host_by("cc", each, program);
}

START_TEST(device_allocations_that_fail)
{
	fail_on_the_device("10", programs.path[FIRST_SAMPLE + _i * SAMPLE]);
}
END_TEST

START_TEST(many_device_allocations_that_fail)
{
	fail_on_the_device("100", programs.path[_i]);
}
END_TEST

START_TEST(allocations_that_fail)
{
	fail_on_the_host("10", programs.path[_i]);
}
END_TEST

START_TEST(many_allocations_that_fail)
{
	fail_on_the_host("400", programs.path[_i]);
}
END_TEST

/* What tasks of many chunks work with is no array: that it is given back is seen by the leak checker of gcc. */
START_TEST(work_of_tasks_that_fail)
{
	static const char *const program[] = {"examples/primes.nesl", "examples/word_count.nesl", "examples/quicksort.nesl"};
	char args[100];

	snprintf(args, sizeof args, "--grain=3 %s", program[_i]);
	fail_on_the_host_by("checked", "40", args);
}
END_TEST

/* Also of what is made for the inputs, before the first form. */
START_TEST(inputs_that_have_no_room)
{
	char args[200], program[200];

	write_file(dir, "m.mtx", "%%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 1.5\n1 4 2\n3 1 4\n");
	write_file(dir, "v.txt", "[1.0, 2.0, 3.0, 4.0]\n");
	write_file(dir, "in.nesl", "w = {x + float(k) : x in v};\n{sum({x * w[i] : (i, x) in row}) : row in m};\n");
	snprintf(args, sizeof args, "--input m=%s/m.mtx --input v=%s/v.txt --input k=%s/k.txt", dir, dir, dir);
	write_file(dir, "k.txt", "7\n");
	setenv("ARGS", args, 1);
	setenv("WHERE", anywhere, 1);
	snprintf(program, sizeof program, "--input 'm:[[(int, float)]]' --input 'v:[float]' --input k:int %s/in.nesl", dir);
	_i ? fail_on_the_device("100", program) : fail_on_the_host("400", program);
	setenv("WHERE", at_a_form, 1);
	unsetenv("ARGS");
}
END_TEST

/* All is given back, and counted, also when Ctrl-C comes between two of very many tasks, or calls. */
static const char *const endless[] = {
	"function over(a, n) = if n == 0 then a else over({x + n : x in a}, n - 1);\n"
	"let p = print_line(\"begun\") in over([0:1000], 1000000000);\n",
	"function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);\n"
	"let p = print_line(\"begun\"); w = {x * 2 : x in v} in {x + fib(80) : x in w};\n",
};

START_TEST(interrupted)
{
	char *said, program[400];

	snprintf(program, sizeof program, "v = [0:9];\n%s#v;\n", endless[_i / 2]);
	write_file(dir, "loop.nesl", program);
	ck_assert_int_eq(0, sh(&said, "cd %s; n=$OLDPWD/nessie; rm -f begun json; $n build --target=%s -o loop loop.nesl && { ./loop --stats=json 2>begun & "
		"until grep -qs begun begun; do sleep 0.1; done; kill -INT $!; wait $!; echo $?; grep -o '\"live_bytes_at_exit\": [0-9]*' json; }",
		dir, _i % 2 ? "emu" : "cpu"));
	ck_assert_str_eq(said, "130\n\"live_bytes_at_exit\": 0\n");
	free(said);
}
END_TEST

/* So it is where one task goes on and on: it is cut off after a second. */
START_TEST(cut_off)
{
	char *said;

	write_file(dir, "spin.nesl", "function spin(n, x) = if n == 0 then x else spin(n - 1, x * 3 + 1);\nv = [0:30000];\n"
		"let w = sort({rem(x * 7, 11) : x in v}); p = print_line(if w[0] == 0 then \"begun\" else \"\")\n"
		"in (#w, sum({spin(1000000000000 + x, x) : x in w}));\n");
	ck_assert_int_eq(0, sh(&said, "cd %s; n=$OLDPWD/nessie; rm -f begun json; $n build --target=%s -o spin spin.nesl && { ./spin --stats=json >begun 2>&1 & "
		"until grep -qs begun begun; do sleep 0.1; done; kill -INT $!; wait $!; echo $?; "
		"grep -o '\"live_bytes_at_exit\": [0-9]*' json; grep -c '\"bytes_swept\": [1-9]' json; }", dir, _i ? "emu" : "cpu"));
	ck_assert_str_eq(said, "130\n\"live_bytes_at_exit\": 0\n1\n");
	free(said);
}
END_TEST

/* .. in batches of rows, whose threads have what they made to themselves: 800,000 bytes are not theirs, and what they made comes to 100,000 at least. */
START_TEST(batches_are_cut_off)
{
	char *said;

	write_file(dir, "spin.nesl", "function spin(n, x) = if n == 0 then x else spin(n - 1, x * 3 + 1);\n"
		"function split(a, d) = if d == 0 then {spin((if x == 0 then 1000000000000 else 0), x) : x in a}\n"
		"  else let b = {x / 2 : x in a}; n = #a / 2; r = {split(v, d - 1) : v in [take(b, n), drop(b, n)]} in r[0] ++ r[1];\n"
		"v = [0:100000];\nlet w = sort(v); p = print_line(\"begun\") in #split(w, 7);\n");
	ck_assert_int_eq(0, sh(&said, "cd %s; n=$OLDPWD/nessie; rm -f begun json; $n build --target=cpu -o spin spin.nesl && { OMP_NUM_THREADS=2 ./spin --stats=json >begun 2>&1 & "
		"until grep -qs begun begun; do sleep 0.1; done; sleep 0.5; kill -INT $!; wait $!; echo $?; "
		"grep -o '\"live_bytes_at_exit\": [0-9]*' json; grep -c '\"bytes_swept\": \\(9[0-9]\\{5\\}\\|1[0-9]\\{6\\}\\)' json; }", dir));
	ck_assert_str_eq(said, "130\n\"live_bytes_at_exit\": 0\n1\n");
	free(said);
}
END_TEST

/* So it is where an input is read, from a pipe that stalls or from a large file, and where a line of stdin is. */
static const struct {
	const char *make, *reads;       /* the input b, and what succeeds once the program reads on */
} interrupts[] = {
	{"mkfifo b.txt", "exec 3>b.txt && echo '[1.0,' >&3"},
	{"mkfifo b.mtx", "exec 3>b.mtx && echo '%%MatrixMarket' >&3"},
	{"{ echo '['; yes 1.0, | head -n 50000000; } >b.txt", "mapped"},
	{"{ echo '\"'; yes | head -n 100000000; } >b.txt", "mapped"},
	{"{ echo '%%MatrixMarket matrix coordinate real general'; echo 9 9 20000000; yes '5 5 0.5' | head -n 20000000; } >b.mtx", "mapped"},
	{"{ printf '\\223NUMPY\\1\\0\\166\\0'; printf '%-118s' \"{'descr': '<f8', 'fortran_order': False, 'shape': (500000000,), }\"; } "
	 ">b.npy; truncate -s 4000000128 b.npy", "mapped"},
	{"echo '[3.0]' >b.txt", "grep -qs begun said"},
};

static const char interrupt[] =
	"mapped() { grep -q $PWD/b /proc/$p/maps; }\n"
	"cd $DIR; rm -f b.* line said json; eval \"$MAKE\"; mkfifo line; exec 4<>line\n"
	"./p --stats=json --echo=none --input a=a.txt --input b=$(echo b.*) <line 2>said & p=$!\n"
	"until eval \"$READS\"; do :; done\n"
	"kill -INT $p; wait $p; echo $?; rm -f b.*\n"
	"grep -v begun said; grep -o '\"live_bytes_at_exit\": [0-9]*' json\n";

START_TEST(interrupted_while_reading)
{
	char *said;

	write_file(dir, "read.nesl", "c = {x + 1.0 : x in a};\nprint_line(\"begun\");\nread_line(stdin);\nb;\n");
	write_file(dir, "a.txt", "[1.0, 2.0]\n");
	write_script(dir, "interrupt", interrupt);
	setenv("MAKE", interrupts[_i / 2].make, 1);
	setenv("READS", interrupts[_i / 2].reads, 1);
	ck_assert_int_eq(0, sh(&said, "export DIR=%s; ./nessie build --target=%s -o $DIR/p --input 'a:[float]' --input 'b:[float]' "
		"$DIR/read.nesl && sh $DIR/interrupt", dir, _i % 2 ? "emu" : "cpu"));
	ck_assert_str_eq(said, "130\n\"live_bytes_at_exit\": 0\n");
	free(said);
}
END_TEST

/* -- --debug: an owner that the compiler does not know of, or one too many ---------------------- */
START_TEST(owners_are_counted_twice)
{
	const char *target = _i ? "emu" : "cpu";
	char *said;

	write_file(dir, "owners.nesl", "function over(a, n) = if n == 0 then a else over(rep({x + n : x in a}, n, n), n - 1);\n"
		"v = [0:9];\nover(v, 3);\n#over(v ++ v, 2);\n");
	ck_assert_int_eq(0, sh(&said, "./nessie run --target=%s --debug %s/owners.nesl 2>&1", target, dir));
	ck_assert_str_eq(said, "it = [6, 1, 3, 6, 10, 11, 12, 13, 14] : [int]\nit = 18 : int\n");
	free(said);
	if (_i)
		return;
	ck_assert_int_eq(0, sh(&said, "cd %s; n=$OLDPWD/nessie; $n dump --stage=mem --debug owners.nesl >owners.mem; "
		"grep -n '^\t*own ' owners.mem | cut -d: -f1 | while read l; do sed ${l}d owners.mem >less.mem; "
		"$n run --target=%s --debug --from=mem less.mem >out 2>&1; [ $? = 5 ] && grep -q 'internal error: .* has a count of .* owners' "
		"out || sed -n ${l}p owners.mem; done", dir, target));
	ck_assert_str_eq(said, "");
	free(said);
}
END_TEST

/* -- a loop in a steady state -------------------------------------------------------------------- */
/* What asks the system for memory, or about it; the program's calls are told at its end. */
static const char counted_calls[] =
	"#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <sys/mman.h>\n#include <stdint.h>\n#include <unistd.h>\n"
	"static long calls;\n#define REAL(f) calls++; static __typeof__(f) *real; if (!real) real = (__typeof__(f) *)dlsym(RTLD_NEXT, #f)\n"
	"void *mmap(void *a, size_t n, int p, int f, int fd, off_t o) { REAL(mmap); return real(a, n, p, f, fd, o); }\n"
	"int munmap(void *a, size_t n) { REAL(munmap); return real(a, n); }\n"
	"int madvise(void *a, size_t n, int w) { REAL(madvise); return real(a, n, w); }\n"
	"void *sbrk(intptr_t by) { REAL(sbrk); return real(by); }\n"
	"long sysconf(int what) { REAL(sysconf); return real(what); }\n"
	"__attribute__((destructor)) static void tell(void) { fprintf(stderr, \"%ld calls\\n\", calls); }\n";

/* Sequences of all kinds come and go, some in the place of others; small ones, and some of 2 MB. */
START_TEST(no_system_calls_in_a_loop)
{
	char *said;
	int few = 0, many = 0;

	write_file(dir, "calls.c", counted_calls);
	write_file(dir, "steady.nesl", "function steps(a, n) = if n == 0 then a else\n"
		"  let b = {x in a | rem(x + n, 3) > 0}; c = reverse(plus_scan(b)) ++ take(a, 7); d = sort(take(c, 100)) in\n"
		"  steps({rem(x, 1009) : x in take(c ++ d ++ a, #a)}, n - 1);\nn = #x;\nsum(steps([0:n], k));\n");
	ck_assert_int_eq(0, sh(&said, "cd %s; n=$OLDPWD/nessie; ${CC:-cc} -w -shared -fPIC -o calls.so calls.c -ldl && "
		"$n build --target=cpu --input 'x:[int]' --input k:int -o p steady.nesl && "
		"{ echo '['; seq 1 %d | sed 's/$/,/'; echo '0]'; } >x.txt && "
		"for k in 100 1000; do echo $k >k.txt; LD_PRELOAD=./calls.so ./p --echo=none --input x=x.txt --input k=k.txt 2>&1; done",
		dir, _i ? 250000 : 1000));
	ck_assert_msg(sscanf(said, "%d calls\n%d calls\n", &few, &many) == 2 && few > 0, "%s", said);
	ck_assert_int_eq(few, many);
	free(said);
}
END_TEST

/* -- what a dump tells of the peak ------------------------------------------------------------- */
static const struct {
	const char *program, *says;     /* of its last form */
	int n;                          /* a program of known sizes: the peak that is measured; 0: it has inputs */
} predicted[] = {
	{"s = [0:1000]; x = {z * 2 : z in s}; {(a + b, a * b) : a in s; b in x}",
	 "\"peak_bytes\": [{\"bytes\": \"16000\", \"alive\": [\"-e:1: 16000\"]}]", 16000},
	/* its variables as long as others read them, and what is shown until then */
	{"s = [0:1000]; x = {z * 2 : z in s}; {(a + b, a * b) : a in s; b in x}; sum(s)",
	 "\"peak_bytes\": [{\"bytes\": \"8000\", \"alive\": [\"-e:1: 8000\"]}]", 24000},
	/* a loop, by a jump: two vectors, as the second cannot have the place of the first */
	{"function near(a, i) = a[max(i - 1, 0)] + a[i]; function steps(a, n) = if n == 0 then a else steps({near(a, i) : i in [0:#a]}, n - 1);"
	 "steps([0:500], 20)", "\"peak_bytes\": [{\"bytes\": \"8000\", \"alive\": [\"-e:1: 8000\"]}]", 8000},
	{"sum({a * b : a in s; b in y}); {a + b : a in s; b in y}",
	 "\"peak_bytes\": [{\"bytes\": \"8 * #s + 8 * #y\", \"alive\": [\"s: 8 * #s\", \"y: 8 * #y\"]}]", 0},
	{"sum({a * b : a in s; b in y}); {a + b : a in reverse(s); b in y}",
	 "\"peak_bytes\": [{\"bytes\": \"8 * #s + 8 * #y\", \"alive\": [\"s: 8 * #s\", \"y: 8 * #y\"]}, "
	 "{\"bytes\": \"16 * #s\", \"alive\": [\"s: 8 * #s\", \"-e:1: 8 * #s\"]}]", 0},
	{"function depth(v) = if #v < 2 then v else {x + y : x in depth(take(v, #v / 2)); y in drop(v, (#v + 1) / 2)}; depth(s)",
	 "\"peak_bytes\": null, \"recursion\": \"depth", 0},
	/* the last of its block, but no jump; a jump back to one that another level of the recursion is in */
	{"function deep(v, n) = if n == 0 then v else let r = (if v[0] > 0.0 then deep({x + 1.0 : x in v}, n - 1) else v) in "
	 "{x + z : x in r; z in v}; deep(s, #y)", "\"peak_bytes\": null, \"recursion\": \"deep", 0},
	{"function keeps(v, n) : ([float], int) -> [float];"
	 "function jumps(v, n) : ([float], int) -> [float] = if n == 0 then v else keeps({x + 1.0 : x in v}, n - 1);"
	 "function keeps(v, n) : ([float], int) -> [float] = let r = jumps(v, n) in {x + z : x in r; z in v}; keeps(s, #y)",
	 "\"peak_bytes\": null, \"recursion\": \"", 0},
	/* a function that waits for the check of w: nothing for all (r, w, x), whose number is none of an input */
	{"function at(v, x, i) = if i >= #v then f else if v[i] == x then t else at(v, x, i + 1);"
	 "sum({sum({count({at(u[w], x, 0) : x in r}) : w in r}) : r in u})",
	 "\"peak_bytes\": [{\"bytes\": \"8 * #u.0 + 33 * #u.1 + 16\", \"alive\": [\"u: 8 * #u.0 + 8 * #u.1 + 8\", \"-e:1: 25 * #u.1 + 8\"]}]", 0},
	/* rows of one length: no memory until offsets are wanted */
	{"sum({sum({x * i : x in [0:10]}) : i in [0:100]}); {{x * i : x in [0:10]} : i in [0:100]}",
	 "\"peak_bytes\": [{\"bytes\": \"8808\", \"alive\": [\"-e:1: 8808\"]}]", 8808},
};

START_TEST(peaks_that_are_predicted)
{
	char *out;

	ck_assert_int_eq(0, sh(&out, "./nessie dump --stage=mem --stats %s -e '%s' 2>&1 | tail -n 1", predicted[_i].n ? ""
		: "--input s:[float] --input y:[float] --input u:[[int]]", predicted[_i].program));
	ck_assert_msg(strstr(out, predicted[_i].says), "%s\n%s", predicted[_i].says, out);
	free(out);
	if (!predicted[_i].n)
		return;
	ck_assert_int_eq(0, sh(&out, "./nessie run --target=cpu --stats -e '%s' 2>&1", predicted[_i].program));
	ck_assert_msg(figure(out, "peak_bytes") == predicted[_i].n, "%g, not %d", figure(out, "peak_bytes"), predicted[_i].n);
	free(out);
}
END_TEST

/* Any of the sorts may be of the most elements: 32 points are told, of more a bound. */
START_TEST(points_of_a_peak)
{
	const int n = _i ? 40 : 32;
	int points = 0, terms = 0;
	char program[4000] = "", *out;
	const char *at;

	for (int i = 0; i < n; i++)
		sprintf(program + strlen(program), "%ssort([0:s[%d]])[0]", i ? " + " : "", i);
	ck_assert_int_eq(0, sh(&out, "./nessie dump --stage=mem --stats --input s:[int] -e '%s' | tail -n 1", program));
	for (at = out; (at = strstr(at, "\"alive\"")); at++)
		points++;
	ck_assert_msg(points == (_i ? 0 : 32), "%d points:\n%s", points, out);
	at = strstr(out, "\"at_most\": \"");
	ck_assert_msg(!at == !_i && (!at || (strstr(at, "8 * #s") && !strstr(at, "add"))), "%s", out);
	for (; at && (at = strstr(at, "16 * elt")); at++)
		terms++;
	ck_assert_int_eq(terms, _i ? 40 : 0);
	free(out);
}
END_TEST

/* Never below what is measured, where it is given for all forms: of examples, and over inputs, at two sizes. */
static Programs examples;

START_TEST(examples_take_what_is_predicted)
{
	char *out;

	write_script(dir, "at_most", "e=$(./nessie dump --stage=mem --stats $1 | grep -o '\"peak_bytes\": null\\|\"bytes\": \"[^\"]*\"' |"
		" sed 's/\"bytes\": //; s/\"//g')\n"
		"case $e in *[a-z]*) exit;; esac\n"
		"./nessie run --target=cpu --echo=none --stats=$DIR/json $1 && p=$(sed -n 's/.*\"peak_bytes\": \\([0-9]*\\).*/\\1/p' $DIR/json)\n"
		"[ $(echo \"$e\" | sort -n | tail -n 1) -ge $p ] || echo $p, but: $e\n");
	ck_assert_int_eq(0, sh(&out, QUICKLY "DIR=%s sh %s/at_most %s 2>&1", dir, dir, examples.path[_i]));
	ck_assert_str_eq(out, "");
	free(out);
}
END_TEST

static const struct {
	const char *form;
	bool exact;
} of_inputs[] = {
	{"sum({a * b : a in s; b in y})", true},
	{"{a + b : a in s; b in y}", true},
	{"let b = reverse(s); c = plus_scan(b) in {x * z : x in c; z in reverse(c)}", true},
	{"{{a * b : a in s} : b in [1.0, 2.0, 3.0]}", true},
	{"{sum({sqrt(a - b) : a in s | a > b}) : b in y}", false},
	{"sort(s) ++ y", false},
	{"let m = {{a * b : a in s} : b in take(y, 10)} in {sum({x * z : x in r; z in s}) : r in m}", false},
	{"function go(a, n) = if n == 0 then a else go({a[max(i - 1, 0)] + a[i] : i in [0:#a]}, n - 1); go(s, 5)", true},
};

START_TEST(peaks_over_inputs)
{
	const int n = _i % 2 ? 3000 : 100;
	const char *form = of_inputs[_i / 2].form;
	char *out;
	long long said = 0, measured;

	write_script(dir, "over", "i=$(seq 1 $2 | sed 's/$/.0/' | paste -sd, -); echo \"[$i]\" >$DIR/s.txt\n"
		"./nessie dump --stage=mem --stats --input 's:[float]' --input 'y:[float]' -e \"$1\" | tail -n 1 | grep -o '\"bytes\": \"[^\"]*\"' |"
		" sed 's/.*: //; s/\"//g; s/#[sy]/'$2'/g' | while read e; do echo $(($e)); done | sort -n | tail -n 1\n"
		"./nessie run --target=cpu --echo=none --stats=$DIR/json --input s=$DIR/s.txt --input y=$DIR/s.txt -e \"$1\"\n"
		"sed -n 's/.*\"peak_bytes\": \\([0-9]*\\).*/\\1/p' $DIR/json\n");
	ck_assert_int_eq(0, sh(&out, QUICKLY "DIR=%s sh %s/over '%s' %d 2>&1", dir, dir, form, n));
	ck_assert_msg(sscanf(out, "%lld %lld", &said, &measured) == 2, "%s\n%s", form, out);
	ck_assert_msg(measured <= said && (measured == said || !of_inputs[_i / 2].exact), "%s: %lld, predicted %lld", form,
		measured, said);
	free(out);
}
END_TEST

/* -- what functions borrow -------------------------------------------------------------------------- */
/* The function's first line in mem, with what it may give back, and how often anything is retained; all of these are functions that call themselves, as
 * others are put in their callers' place. */
static const struct {
	const char *program, *fun;
	int retains;
} lending[] = {
	/* all callers go on with it, itself too: no count changes */
	{"function fn(v, n) = if n == 0 then 0 else sum({x * n : x in v}) + fn(v, n - 1); let v = sort([9, 3, 7]) in fn(v, 3) + sum(reverse(v))",
	 "fn(&v:<int>, n:int)", 0},
	{"function fn(v, n) = if n == 0 then 0 else fn(v, n - 1) + sum({x * n : x in v}); v = [0:9]; fn(v, 3); (fn(v, 2), v[1])",
	 "fn(&v:<int>, n:int)", 1},
	/* jumps, and two that change places */
	{"function fn(v, w, n) = if n == 0 then sum(v) else fn(w, v, n - 1); let v = sort([9, 3, 7]); w = sort([5, 4]) in fn(v, w, 5) + sum(reverse(v ++ w))",
	 "fn(&v:<int>, &w:<int>, n:int)", 0},
	/* one caller has no more use for it, in an arm of a recursion as well; what the other needs has two owners then */
	{"function fn(v, n) = if n == 0 then 0 else sum({x * n : x in v}) + fn(v, n - 1); let v = sort([9, 3, 7]) in fn(v, 3) + fn(reverse(v), 2)",
	 "fn(v:<int>, n:int)", 1},
	{"function fn(v, n) = if n == 0 then sum(v) else fn({x + n : x in v}, n - 1); let v = sort([9, 3, 7]) in fn(v, 3) + sum(reverse(v))",
	 "fn(v:<int>, n:int)", 1},
	/* owned by the one, so by the other that it is handed on to */
	{"function g(v, n) = if n == 0 then sum(v) else g(v, n - 1) + 1; function fn(v, n) = if n == 0 then g(v, 2) else n + fn(v, n - 1); "
	 "fn(reverse([0:9]), 3)", "g(v:<int>, n:int)", 0},
	/* returned: the function has it once more */
	{"function fn(v, n) = if n == 0 then v else let r = fn(v, n - 1) in {x + n : x in r}; let v = sort([9, 3, 7]) in (fn(v, 3), reverse(v))",
	 "fn(&v:<int>, n:int) -> <int> or v", 1},
	/* one or the other, also by way of the other function; what is made of it is another */
	{"function fn(v, w, n) = if n == 0 then (v, {x + 1 : x in w}) else fn(w, v, n - 1); let v = sort([9, 3, 7]); w = sort([5, 4]) in (fn(v, w, 5), fn(w, v, 2), reverse(v), reverse(w))",
	 "fn(&v:<int>, &w:<int>, n:int) -> <int> or v or w, <int> {", 1},
	{"function g(v, n) : ([int], int) -> [int]; function fn(v, n) : ([int], int) -> [int] = if n == 0 then v else g(v, n - 1); "
	 "function g(v, n) : ([int], int) -> [int] = if n > 9 then {x : x in v | x > n} else fn(v, n); let v = sort([9, 3, 7]) in (fn(v, 3), fn(v, 4), reverse(v))",
	 "fn(&v:<int>, n:int) -> <int> or v", 1},
};

START_TEST(functions_borrow)
{
	char *out;

	ck_assert_int_eq(0, sh(&out, "e='%s'; ./nessie dump --stage=mem -e \"$e\" >%s/mem && grep '^rec fun' %s/mem && "
		"echo retains $(grep -c retain %s/mem) && ./nessie dump --from=mem --stage=mem %s/mem | diff %s/mem - && "
		"./nessie run --target=interp -e \"$e\" >%s/1 && ./nessie run --debug -e \"$e\" >%s/2 && diff %s/1 %s/2 2>&1",
		lending[_i].program, dir, dir, dir, dir, dir, dir, dir, dir, dir));
	ck_assert_msg(strstr(out, lending[_i].fun), "%s\n%s", lending[_i].program, out);
	ck_assert_msg(atoi(strstr(out, "retains ") + 8) == lending[_i].retains, "%s\n%s", lending[_i].program, out);
	free(out);
}
END_TEST

/* -- arrays that have one block ------------------------------------------------------------------ */
#define MATRIX_PRODUCT(n) \
	"let a = {{float(i + j) : j in [0:" n "]} : i in [0:" n "]}; b = {{float(i * j) : j in [0:" n "]} : i in [0:" n "]}; " \
	"c = {{r[j] : r in b} : j in [0:" n "]} in {{sum({x * y : x in r; y in s}) : s in c} : r in a}"

#define SCANS(n) \
	"let a = plus_scan([0:" n "]); b = plus_scan(reverse(a)); c = plus_scan(reverse(b)); d = plus_scan(reverse(c))"

/* What is asked of the allocator: in the text of mem, and when it runs. */
static const struct {
	const char *target, *program;
	int blocks, asked;
} together[] = {
	/* sizes that are known, with one value: once */
	{"cpu", "({i * i : i in [0:10]}, {float(i) : i in [0:20]})", 1, 1},
	{"cpu", "{(i, {(i * j, float(j)) : j in [0:5]}) : i in [0:4]}", 1, 1},
	{"emu", "{(i, {(i * j, float(j)) : j in [0:5]}) : i in [0:4]}", 1, 1},
	{"cpu", "function g(n) = ({(i, {i * j : j in [0:n]}) : i in [0:n]}, n); g(4)", 1, 1},
	{"cpu", "v = [4, 5]; {(i, i * i) : i in [0:v[0]]}", 2, 2},
	/* of no elements nothing is asked; one array is asked for as before */
	{"cpu", "function g(n) = ({i : i in [0:n]}, {i * i : i in [0:n]}, [0:n - 1]); g(1)", 1, 1},
	{"cpu", "function g(n) = {(i, float(i)) : i in [0:n]}; g(0)", 1, 0},
	{"emu", "function g(n) = ({i : i in [0:n]}, {i * i : i in [0:n]}, [0:n - 1]); g(1)", 1, 1},
	/* rows of constants; what is made on the way, and ends before the value does or is all made */
	{"cpu", "[[1, 2, 3], [4, 5, 6]]", 1, 1},
	{"emu", "[[1, 2, 3], [4, 5, 6]]", 1, 1},
	{"cpu", "[[[1], [2, 5]], [[3]]]", 1, 1},
	{"cpu", "[(1, [\"ab\", \"c\"]), (2, [\"d\"])]", 1, 1},
	{"cpu", "let m = {{float(i + j) : j in [0:50]} : i in [0:40]}; v = {float(i) : i in [0:50]} in "
	 "{sum({a * b : a in r; b in v}) : r in m}", 1, 1},
	{"cpu", MATRIX_PRODUCT("50"), 1, 1},
	{"emu", MATRIX_PRODUCT("20"), 1, 1},
	{"cpu", "function saxpy(n, a) = let x = {float(i) : i in [0:n]}; y = {1.0 / float(i + 1) : i in [0:n]} in "
	 "{a * x + y : x in x; y in y}; saxpy(1000, 2.0)", 1, 1},
	{"cpu", "let a = plus_scan([0:100]); b = {x * 3 : x in a}; c = {x + y : x in a; y in reverse(b)} in plus_scan(c)", 1, 1},
	/* beyond 1 MB too, if nearly all is in use at once: what ends makes place */
	{"cpu", MATRIX_PRODUCT("200"), 1, 1},
	{"cpu", SCANS("100000") " in sum(d)", 1, 1},
	{"cpu", SCANS("100000") " in d", 1, 1},
	{"cpu", "let a = plus_scan([0:100000]); b = reverse(a) ++ a; c = plus_scan(reverse(b)) in c", 1, 1},
	/* scans of few elements have no scratch of their own */
	{"emu", SCANS("100") " in sum(d)", 1, 1},
	{"emu", SCANS("100000") " in take(d, 3)", 1, 1},
	{"emu", "v = " SCANS("100000") " in take(d, 3); #v", 1, 5},     /* what stays is held by itself */
	/* but nothing is held much longer than it lives, and what is not there yet is not asked for */
	{"cpu", "let a = plus_scan([0:150000]); b = plus_scan(reverse(a)); c = plus_scan({b[i / 2] : i in [0:200000]}) in "
	 "plus_scan(reverse(c))", 1, 4},
	/* rank has scratch of its own */
	{"cpu", "sort({rem(i * 7, 11) : i in [0:10]})", 1, 2},
	/* where a function is called, any number of times: only what ends together */
	{"cpu", "function deep(v, n) = if n == 0 then v else let a = reverse(plus_scan(v)); b = deep(a, n - 1) in {x + y : x in b; y in v}; "
	 "deep([0:9], 3)", 3, 7},
	{"cpu", "(a, b) = ({i + 1 : i in [0:10]}, {i * i : i in [0:10]}); a = [0:5]", 2, 2},
	/* across checks, if there is room: in a form, but not in a function; a filter's length is not known */
	{"cpu", "v = [1, 2, 0]; n = 2; ({x / n : x in v}, rank(v))", 2, 3},
	{"cpu", "let n = sum([0:4]); b = {i / n : i in [0:20]}; c = {b[i * n / 10] : i in [0:15]} in (c, rank(c))", 1, 2},
	{"cpu", "function g(v, n) = if n == 0 then 0 else let a = plus_scan(v); b = {a[x] : x in v} in g(v, n - 1) + sum({x * y : x in a; "
	 "y in reverse(b)}); g([0, 1, 1], 2)", 3, 5},
	{"cpu", "v = [0:9]; ({x in v | x > 3}, {x * x : x in v})", 2, 2},
};

START_TEST(arrays_have_one_block)
{
	const char *target = together[_i].target, *program = together[_i].program;
	char *out;

	ck_assert_int_eq(0, sh(&out, "./nessie dump --stage=mem --stats -e '%s' 2>&1", program));
	ck_assert_msg(figure(out, "allocations") == together[_i].blocks, "%s\n%s", program, out);
	free(out);
	ck_assert_int_eq(0, sh(&out, "./nessie run --target=%s --stats -e '%s' 2>&1", target, program));
	ck_assert_msg(figure(out, "allocations") == together[_i].asked, "%s\n%.1000s", program, strstr(out, "{\"target"));
	ck_assert_msg(strstr(out, "\"live_bytes_at_exit\": 0,"), "%s\n%s", program, out);
	free(out);
}
END_TEST

/* A loop asks the driver for no more than its first rounds did: twice as many rounds take the same memory. */
START_TEST(device_memory_is_used_again)
{
	static const char program[] = "function go(v, i) = if i == 0 then sum(v) else let w = {x + 1 : x in v | x > i} in "
		"go(w ++ {x : x in v | x <= i}, i - 1); go([0:1000], %d)";
	double asked[2];

	for (int k = 0; k < 2; k++) {
		char forms[300], *out;

		snprintf(forms, sizeof forms, program, 20 << k);
		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --stats -e '%s' 2>&1", forms));
		asked[k] = figure(out, "allocations") - figure(out, "allocations_reused");
		ck_assert_msg(figure(out, "allocations") > 40 << k, "%.1000s", out);
		free(out);
	}
	ck_assert_msg(asked[0] == asked[1], "%g, then %g", asked[0], asked[1]);
}
END_TEST

/* What is said of a run with a fault, a division by zero, at whose exit nothing is left. */
static char *
said_of_fault(const char *options, const char *forms)
{
	char *out;

	ck_assert_int_eq(3, sh(&out, "%s --stats %s 2>&1", options, forms));
	ck_assert_msg(strstr(out, "error[div-by-zero]"), "%s", out);
	ck_assert_msg(strstr(out, "\"live_bytes_at_exit\": 0,"), "%s", out);
	return out;
}

/* A fault between an array of a room and the next: what is left of the room goes too. */
START_TEST(rooms_end_at_faults)
{
	char *out = said_of_fault(_i ? "./nessie run --target=emu" : "./nessie run --target=cpu",
		"-e '({i * i : i in [0:1000]}, {100 / (i - 7) : i in [0:1000]})' -e '{(i, i) : i in [0:3]}'");

	ck_assert_msg(strstr(out, "it = [(0, 0), (1, 1), (2, 2)] : [(int, int)]"), "%s", out);
	free(out);
}
END_TEST

/* No room for all that is asked for together: the fault before the array that has none is told, not that. */
START_TEST(faults_come_before_want_of_room)
{
	free(said_of_fault("SIMT_LACKS=memory ./nessie run --target=emu", "-e 'let n = sum([0:4]); "
		"a = {10 / (i - n) : i in [0:10]}; b = plus_scan({a[rem(i, 10)] : i in [0:300000]}) in (a, b)'"));
}
END_TEST

/* The last form that reads a variable has what it held, and that goes with it if there is a fault. */
START_TEST(variables_end_in_faults)
{
	static const char *const options[] = {"./nessie run --target=cpu", "./nessie run --target=cpu --debug", "./nessie run --target=emu",
		"./nessie run --target=emu --debug"};
	char *out = said_of_fault(options[_i], "-e 'v = reverse([0:500]); w = {10 / x : x in v}; 7; #w'");

	ck_assert_msg(strstr(out, "it = 7 : int") && strstr(out, "error[unbound-cell]"), "%s", out);
	ck_assert_msg(_i % 2 || strstr(out, "\"peak_bytes\": 4000,"), "%s", out);      /* --debug makes facts */
	ck_assert_msg(strstr(out, "\"bytes_swept\": 4000,"), "%s", out);
	free(out);
}
END_TEST

static void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-memory-XXXXXX");
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "1", 1);
	setenv("WHERE", at_a_form, 1);
	write_script(dir, "cc", "#!/bin/sh\nif command -v tcc >/dev/null; then cc=tcc; else cc='gcc -O0'; fi\n"
		"exec $cc \"$@\" -DNESL_FAIL_ALLOCATION\n");
	write_script(dir, "checked", "#!/bin/sh\nexec gcc \"$@\" -O0 -fsanitize=address -DNESL_FAIL_ALLOCATION\n");
	write_script(dir, "turns", turns);
	write_script(dir, "device_turns", device_turns);
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

Suite *
memory_suite(void)
{
	Suite *s = suite_create("memory");
	TCase *t = case_between(s, "memory", make_dir, remove_dir);

	add_programs(&programs, "tests/run");
	add_programs(&programs, "tests/trouble");
	add_programs(&examples, "examples");
	tcase_add_loop_test(t, allocations_that_fail, 0, programs.n);
	t = case_between(s, "interrupted", make_dir, remove_dir);
	tcase_add_loop_test(t, interrupted, 0, 2 * sizeof endless / sizeof *endless);
	tcase_add_loop_test(t, cut_off, 0, 2);
	tcase_add_test(t, batches_are_cut_off);
	tcase_add_loop_test(t, interrupted_while_reading, 0, 2 * sizeof interrupts / sizeof *interrupts);
	t = case_between(s, "steady", make_dir, remove_dir);
	tcase_add_loop_test(t, no_system_calls_in_a_loop, 0, 2);
	t = case_quickly(s, "device", make_dir, remove_dir);
	tcase_add_loop_test(t, device_allocations_that_fail, 0, (programs.n - FIRST_SAMPLE + SAMPLE - 1) / SAMPLE);
	t = case_quickly(s, "inputs", make_dir, remove_dir);
	tcase_add_loop_test(t, inputs_that_have_no_room, 0, 2);
	tcase_add_loop_test(t, work_of_tasks_that_fail, 0, 3);
	t = case_quickly(s, "device-all", make_dir, remove_dir);
	tcase_set_tags(t, "long");
	tcase_set_timeout(t, 3600);             /* a few run for a minute, again and again */
	tcase_add_loop_test(t, many_allocations_that_fail, 0, programs.n);
	tcase_add_loop_test(t, many_device_allocations_that_fail, 0, programs.n);
	t = case_quickly(s, "owners", make_dir, remove_dir);
	tcase_add_loop_test(t, owners_are_counted_twice, 0, 2);
	t = case_quickly(s, "predicted", make_dir, remove_dir);
	tcase_add_loop_test(t, points_of_a_peak, 0, 2);
	tcase_add_loop_test(t, peaks_that_are_predicted, 0, sizeof predicted / sizeof *predicted);
	tcase_add_loop_test(t, examples_take_what_is_predicted, 0, examples.n);
	tcase_add_loop_test(t, peaks_over_inputs, 0, 2 * sizeof of_inputs / sizeof *of_inputs);
	tcase_add_loop_test(t, functions_borrow, 0, sizeof lending / sizeof *lending);
	tcase_add_test(t, device_memory_is_used_again);
	tcase_add_loop_test(t, arrays_have_one_block, 0, sizeof together / sizeof *together);
	tcase_add_loop_test(t, rooms_end_at_faults, 0, 2);
	tcase_add_test(t, faults_come_before_want_of_room);
	tcase_add_loop_test(t, variables_end_in_faults, 0, 4);
	return s;
}

/* check_simt.c: the CUDA that is emitted, run by the SIMT emulator (tests/simt) with all its checks.
 *
 *     that the emulator finds what it is there to find: a defect of each kind, planted
 *     programs agree with the interpreter, in four schedules, which agree bit for bit; generated ones, too
 *     the skeletons at the sizes where tiles and warps begin and end, segments of all shapes
 *     what is counted; what is said where there is no GPU, no memory
 *
 * Without a C++ compiler none of it is run, and a message says so.  CK_EXCLUDE_TAGS=none: all programs. */
#include "common/process.h"
#include "tests/command.h"
#include "tests/same_values.h"
#include "tests/tcc.h"
#include <stdbool.h>

Suite *simt_suite(void);

static char dir[32];

/* -- planted defects -------------------------------------------------------------------------------- */
static const char planted[] = "tests/simt/planted.cu";

/* says: what the message must hold; seen: the line is told too. */
static const struct {
	const char *name, *says;
	bool seen;
} defect[] = {
	{"past-the-end", "block 1, thread 63: a write of 8 bytes outside of the device's memory; 1024 bytes from the start of 1024", true},
	{"before-the-start", "outside of the device's memory", true},
	{"misaligned", "a write of 8 bytes that is not aligned; 4 bytes from the start of 1024 of global memory", true},
	{"misaligned-word", "a read of 16 bytes that is not aligned; 8 bytes from the start of 1024 of global memory", true},
	{"shared-past-the-end", "512 bytes from the start of 512 of shared memory", true},
	{"never-written", "of memory that was never written; 0 bytes from the start of 1024 of global memory", true},
	{"shared-never-written", "of 512 of shared memory", true},
	{"much-shared", "49153 bytes of shared memory, where a block has 49152", false},
	{"freed", "a read of 8 bytes of freed memory", true},
	{"host-pointer", "a read of 8 bytes outside of the device's memory", true},
	{"host-variable", "a read of 8 bytes outside of the device's memory", true},
	{"host-writes", "the host writes memory of the device", true},
	{"host-reads", "the host reads memory of the device", true},
	{"another-blocks-memory", "of another block's memory", true},
	{"all-write-one", "race: a write of byte 0 of 1024 bytes of global memory, and a write by block 0", true},
	{"no-barrier", "of shared memory", true},
	{"written-before-all-have-read", "race: ", false},
	{"no-syncwarp", "of shared memory", true},
	{"taken-by-value", "of shared memory", true},
	{"copied", "of shared memory", true},
	{"shuffles-order-nothing", "race: ", true},
	{"another-blocks-result", "race: ", true},
	{"no-release", "race: a read of byte 0", true},
	{"no-acquire", "race: a read of byte 0", true},
	{"plain-read-of-a-counter", "race: ", true},
	{"two-barriers", "divergent barrier: thread 31 is at", true},
	{"left-before-barrier", "divergent barrier: 40 threads wait at", true},
	{"shuffle-in-a-branch", "has ended or does not exist", true},
	{"shuffle-from-outside", "shuffles from lane", true},
	{"two-shuffles", "divergent warp operations: lane", true},
	{"waits-for-ever", "deadlock", true},
	{"blocks-wait-for-each-other", "deadlock", true},
	{"no-blocks", "launched with 0 blocks", false},
	{"too-many-threads", "launched with 1 blocks of 2048 threads", false},
	{"copy-past-the-end", "cudaMemcpy writes: 1025 bytes", false},
	{"copy-never-written", "cudaMemcpy reads: byte 0 of an allocation of 1024 was never written", false},
	{"copy-wrong-way", "as if it were the host's", false},
	{"freed-twice", "freed before", false},
	{"freed-elsewhere", "no allocation", false},
	{"leak", "40 bytes of the device were never freed", false},
};

/* Does the text tell a line of planted.cu that is marked with this name? */
static bool
tells_line(const char *text, const char *name)
{
	FILE *f = fopen(planted, "r");
	char line[300], text_of_place[64];
	bool told = false;

	ck_assert(f);
	for (int n = 1; fgets(line, sizeof line, f); n++) {
		const char *mark = strstr(line, "// ");

		const char *place = NULL;

		snprintf(text_of_place, sizeof text_of_place, "planted.cu:%d", n);
		if (mark && strstr(mark, name))
			place = strstr(text, text_of_place);
		told |= place && !strchr("0123456789", place[strlen(text_of_place)]);
	}
	fclose(f);
	return told;
}

/* In one schedule at least; where none finds it in its order, another one may. */
START_TEST(defects_are_found)
{
	bool found = false, told = !defect[_i].seen;
	char *out;

	for (int seed = 0; seed < 4 && !(found && told); seed++) {
		int status = sh(&out, "SIMT_SEED=%d build/simt/planted %s 2>&1", seed, defect[_i].name);

		ck_assert_msg(status == 0 || status == 5, "%s: exit status %d\n%s", defect[_i].name, status, out);
		found |= status == 5 && strstr(out, defect[_i].says);
		told |= status == 5 && tells_line(out, defect[_i].name);
		if (seed < 3 && !(found && told))
			free(out);
	}
	ck_assert_msg(found && told, "%s%s:\n%s", defect[_i].name, found ? ", without its line" : "", out);
	free(out);
}
END_TEST

START_TEST(what_is_right_is_left_alone)
{
	static const char *const name[] = {"right", "right-syncwarp", "right-hand-over"};
	char *out;

	for (int seed = 0; seed < 4; seed++)
		for (int i = 0; i < 3; i++) {
			int status = sh(&out, "SIMT_SEED=%d build/simt/planted %s 2>&1", seed, name[i]);

			ck_assert_msg(status == 0, "%s, schedule %d:\n%s", name[i], seed, out);
			free(out);
		}
	/* what the host did not wait for is not there */
	ck_assert_int_eq(0, sh(&out, "build/simt/planted no-wait"));
	ck_assert_str_eq(out, "not there yet\n");
	free(out);
	ck_assert_int_eq(0, sh(&out, "build/simt/planted pinned"));
	ck_assert_str_eq(out, "not there yet, there\n");
	free(out);
}
END_TEST

/* -- programs ------------------------------------------------------------------------------------------- */
enum { SCHEDULES = 4 };
static Programs programs;

static void
agree(const char *what, int status, const char *want, int got, const char *out)
{
	ck_assert_msg(got == status, "%s: exit status %d, not %d\n%.3000s", what, got, status, out);
	ck_assert_msg(same_values(want, out), "%s gives\n%.3000sinstead of\n%.3000s", what, out, want);
}

/* All schedules of a program as it is with these options: what interp gives. */
static void
schedules_agree(const char *program, const char *options)
{
	char *want, *first = NULL, *out, what[600];
	int status = sh(&want, "./nessie run --target=interp %s %s 2>/dev/null", options, program);
	int got = sh(&out, "./nessie build --target=emu %s -o %s/program %s 2>&1", options, dir, program);

	ck_assert_msg(got <= 1, "%s: not built\n%.3000s", program, out);
	free(out);
	for (int seed = 0; seed < SCHEDULES; seed++) {
		snprintf(what, sizeof what, "%s %s, schedule %d", options, program, seed);
		got = sh(&out, "cd %s && SIMT_SEED=%d ./program 2>err; s=$?; grep -A 9 simt: err; exit $s", dir, seed);
		agree(what, status, want, got, out);
		ck_assert_msg(!first || strcmp(first, out) == 0, "%s gives\n%.3000sinstead of\n%.3000s", what, out, first);
		if (!first)
			first = strdup(out);
		free(out);
	}
	free(first);
	free(want);
}

/* These compile for longer than they run. */
START_TEST(programs_agree)
{
	compile_quickly();
	schedules_agree(programs.path[_i], "--grain=64");
}
END_TEST

/* Tiles of one warp and of several; and as they are on a device; rows as each mapping has them. */
static const char *const shapes[] = {"--grain=64", "--grain=130", "--grain=130 --int=32", "", "--grain=130 --map=flat",
	"--grain=130 --map=thread", "--grain=130 --map=lanes"};
static const char *const large[] = {"", "--grain=130"};

START_TEST(skeletons_agree)
{
	schedules_agree("tests/simt/skeletons.nesl", shapes[_i]);
}
END_TEST

/* A hundred thousand elements. */
START_TEST(large_spaces_agree)
{
	schedules_agree("tests/simt/skeletons.nesl tests/simt/large.nesl", large[_i]);
}
END_TEST

/* make check-emu runs 5,000. */
START_TEST(generated_programs_agree)
{
	ck_assert_int_eq(0, system("build/gen emu 1 12"));
}
END_TEST

/* Each form has one fault: what is said of it is the same, the way to the element too. */
START_TEST(faults_are_told)
{
	static const char *const map[] = {"", "--map=flat"};
	char *want, *got;

	ck_assert_int_eq(3, sh(&want, "./nessie run --target=interp tests/simt/ways.nesl 2>&1"));
	ck_assert_int_eq(3, sh(&got, "./nessie run --target=emu --grain=64 --no-avoid %s tests/simt/ways.nesl 2>&1",
		map[_i]));
	ck_assert_str_eq(got, want);
	free(want);
	free(got);
}
END_TEST

/* One message, exit status 4, and all that was printed before. */
static const struct {
	const char *lacks, *out, *err;
	int status;
} machine[] = {
	{"driver", "", "nessie: no NVIDIA driver on this machine (libcuda.so.1 not found); use --target=cpu\n", 4},
	{"newer driver", "", "nessie: the NVIDIA driver (CUDA 11.4) is older than this program needs (CUDA 12.0)\n", 4},
	{"device", "", "nessie: no NVIDIA GPU on this machine; use --target=cpu\n", 4},
	{"context", "", "nessie: no usable GPU: out of memory (do other programs have its memory?)\n", 4},
	{"kernels", "it = 1 : int\n", "nessie: this program was not made for this GPU and its driver (SIMT emulator, schedule 0): build it with --arch=sm_90\n", 4},
	{"memory", "it = 1 : int\n", "-e2:1:1: error[memory]: out of device memory: 1600000 bytes for an array, 0 in use\n"
	 "    1 | max_val(permute({isqrt(i * i) : i in index(200000)}, reverse(index(200000))))\n      | "
	 "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n", 4},
	{"health", "it = 1 : int\n", "nessie: CUDA: kernel: unspecified launch failure\n", 4},
	{"pool", "it = 1 : int\nit = 199999 : int\nit = 2 : int\n", "", 0},
};

START_TEST(what_a_machine_lacks_is_told)
{
	char *out, *err;
	int status = sh(&out, "SIMT_LACKS='%s' ./nessie run --target=emu -e 1 -e 'max_val(permute({isqrt(i * i) : i in index(200000)}, "
		"reverse(index(200000))))' -e 2 2>%s/err", machine[_i].lacks, dir);

	sh(&err, "cat %s/err", dir);
	ck_assert_msg(status == machine[_i].status, "%s: exit status %d\n%s%s", machine[_i].lacks, status, out, err);
	ck_assert_str_eq(err, machine[_i].err);
	ck_assert_str_eq(out, machine[_i].out);
	free(err);
	free(out);
}
END_TEST

/* As on the cpu (check_shape.c): a sum of lengths that wraps, lengths that are one, and a total that nobody asks for. */
START_TEST(too_many_are_told)
{
	static const char *const program[] = {"#flatten({dist(1, n) : n in [max_int, max_int, 2]})",
		"{dist(1, n) ++ dist(2, n) : n in [max_int - #{x in [0:9] | x > 2}, 3]}",
		"{#(dist(1, n) ++ dist(2, n) ++ [1, 2]) : n in [3, max_int]}",
		"{#flatten([dist(1, n), y]) : n in {x in [max_int, 7] | x > 6}; y in {dist(1, k) : k in [0:2]}}"};
	static const char *const at[] = {"1:1", "1:2", "1:4", "1:1"}, *const path[] = {"", "  in element [0]\n", "  in element [1]\n", ""};
	const char *tells = ": error[memory]: 9223372036854775807 elements are too many for ints of 64 bits\n    1 | ", *says;
	char *out;

	for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
		ck_assert_int_eq(4, sh(&out, "./nessie run --target=emu -e '%s' 2>&1", program[i]));
		says = out + strlen("-e:");
		ck_assert_msg(strncmp(says, at[i], 3) == 0 && strncmp(says + 3, tells, strlen(tells)) == 0
			&& strcmp(out + strlen(out) - strlen(path[i]), path[i]) == 0, "%s", out);
		free(out);
	}
}
END_TEST

START_TEST(a_compiler_is_needed)
{
	char *out;

	ck_assert_int_eq(4, sh(&out, "PATH=/nowhere CC= CXX= ./nessie run --target=emu -e 1 2>&1"));
	ck_assert_str_eq(out, "nessie: --target=emu: there is no working C++ compiler ($CXX, c++, g++, clang++)\n");
	free(out);
	ck_assert_int_eq(0, sh(&out, "CXX=/nowhere/c++ ./nessie run --target=emu -e 1 2>&1"));
	ck_assert_str_eq(out, "nessie: CXX=/nowhere/c++ is no working C++ compiler; trying others\nit = 1 : int\n");
	free(out);
}
END_TEST

/* What lies open only in blocks of full size: a thread has one element. */
START_TEST(wide_folds_agree)
{
	schedules_agree("tests/simt/wide.nesl", "--map=flat");
}
END_TEST

/* States of tiles that are less aligned than the counts beside them; four and sixteen neighbours to a word. */
START_TEST(narrow_types_agree)
{
	schedules_agree("tests/simt/narrow.nesl", "--grain=64 --int=32");
}
END_TEST

/* Few elements, and more than the host looks at before. */
static const char *const sorts[] = {"--grain=64", "--grain=64 --int=32", ""};

START_TEST(sorts_agree)
{
	schedules_agree("tests/simt/sorts.nesl", sorts[_i]);
}
END_TEST

START_TEST(counted_packs_agree)
{
	schedules_agree("tests/simt/counted.nesl", _i ? "" : "--grain=64");
}
END_TEST

static const char parts[] = "k = {rem(i * 7919, 10007) : i in [0:%d]}; "
	"(l, m) = ({e in k | e < 5000} ++ {e in k | e > 5000}, {e in k | e == 5000}); l[1] + m[0] + k[0]";
static const char sorted[] = "k = {rand(1000000000) : i in [0:%d]}; w = quicksort(k); w[0] + k[0]";

/* All three parts of a sequence together need no more memory than it; and with them its quicksort, where it stays, four times as
 * much. */
static const struct {
	const char *form;
	int n;
	double most;
} parted[] = {
	{parts, 40000, 2.001},
	{parts, 160000, 2.001},
	{sorted, 64000, 4},
	{sorted, 160000, 4},
};
enum { NQUICK = 3 };

START_TEST(parts_take_what_they_keep)
{
	char form[300], *out;
	double peak;

	snprintf(form, sizeof form, parted[_i].form, parted[_i].n);
	ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --echo=none --stats examples/quicksort.nesl -e '%s' 2>&1", form));
	peak = atof(strstr(out, "\"peak_bytes\": ") + strlen("\"peak_bytes\": ")) / (8.0 * parted[_i].n);
	ck_assert_msg(peak <= parted[_i].most, "%d: %g times its input, at most %g wanted", parted[_i].n, peak, parted[_i].most);
	free(out);
}
END_TEST

START_TEST(packs_agree)
{
	schedules_agree("tests/simt/packs.nesl", _i ? "" : "--grain=64");
}
END_TEST

START_TEST(updates_agree)
{
	compile_quickly();
	schedules_agree("tests/simt/updates.nesl", _i ? "" : "--grain=64");
}
END_TEST

/* Sums that carry and wrap, and maxima, of several arrays in one task; and of no elements in no places. */
START_TEST(puts_agree)
{
	static const char *const options[] = {"", "--grain=64"};
	char *want, *got;

	ck_assert_int_eq(0, sh(&want, "./nessie run --target=cpu --from=mem tests/simt/puts.mem 2>&1"));
	for (int seed = 0; seed < SCHEDULES; seed++) {
		ck_assert_int_eq(0, sh(&got, "SIMT_SEED=%d ./nessie run --target=emu %s --from=mem tests/simt/puts.mem 2>&1", seed,
			options[_i]));
		ck_assert_str_eq(got, want);
		free(got);
	}
	free(want);
}
END_TEST

/* -- counts ----------------------------------------------------------------------------------------------- */
START_TEST(requests_are_counted)
{
	char *out;

	ck_assert_int_eq(0, sh(&out, "build/simt/planted counts 2>&1"));
	/* two blocks of two warps: a load and a store each; the store touches 8 sectors */
	ck_assert_str_eq(out,
		"global, stride 0: 2048 bytes, 8 requests, 36 sectors; shared 0 requests, 0 conflicts; 0 barriers\n"
		"global, stride 1: 2048 bytes, 8 requests, 64 sectors; shared 0 requests, 0 conflicts; 0 barriers\n"
		"global, stride 2: 2048 bytes, 8 requests, 96 sectors; shared 0 requests, 0 conflicts; 0 barriers\n"
		"shared int, stride 1: 1024 bytes, 4 requests, 32 sectors; shared 4 requests, 0 conflicts; 2 barriers\n"
		"shared int, stride 2: 1024 bytes, 4 requests, 32 sectors; shared 4 requests, 4 conflicts; 2 barriers\n"
		"shared int, stride 32: 1024 bytes, 4 requests, 32 sectors; shared 4 requests, 124 conflicts; 2 barriers\n"
		"shared int, stride 33: 1024 bytes, 4 requests, 32 sectors; shared 4 requests, 0 conflicts; 2 barriers\n"
		"shared double, stride 1: 1024 bytes, 4 requests, 32 sectors; shared 4 requests, 0 conflicts; 2 barriers\n"
		"shared double, stride 2: 1024 bytes, 4 requests, 32 sectors; shared 4 requests, 8 conflicts; 2 barriers\n");
	free(out);
}
END_TEST

/* The text of the task's figures in --stats. */
static const char *
figures_of(const char *stats, const char *task)
{
	char name[80];
	const char *found;

	snprintf(name, sizeof name, "{\"name\": \"%s\"", task);
	found = strstr(stats, name);
	ck_assert_msg(found != NULL, "no task %s in\n%s", task, stats);
	return found;
}

static long long
figure(const char *stats, const char *task, const char *key)
{
	char name[80];
	const char *found;

	snprintf(name, sizeof name, "\"%s\": ", key);
	found = strstr(figures_of(stats, task), name);
	ck_assert_msg(found != NULL, "no %s of %s", key, task);
	return atoll(found + strlen(name));
}

/* The launches of all tasks whose names begin so. */
static long long
launches_of(const char *stats, const char *prefix)
{
	char name[80];
	long long n = 0;

	snprintf(name, sizeof name, "{\"name\": \"%s", prefix);
	for (const char *p = stats; (p = strstr(p, name)); p++)
		n += atoll(strstr(p, "\"launches\": ") + strlen("\"launches\": "));
	return n;
}

/* What one more level of the recursion takes, in a larger input: a task of each level tells how many there are.  The forms
 * of the example are the same for both. */
static const struct {
	const char *example, *form, *task;
	int kernels, waits;
} level[] = {
	{"quicksort", "quicksort({rem(i * 7919, 10007) : i in [0:%d]})", "greater_", 8, 1},
	{"quickhull", "quickhull({(cos(float(i)), sin(float(i))) : i in [0:%d]})", "packed_", 9, 1},
	{"cg", "sum(cg(laplacian(%d), dist(1.0, %d)))", "add_", 3, 2},
};

START_TEST(a_level_is_a_few_launches)
{
	static const int size[] = {4000, 20000}, size_cg[] = {8, 24};
	long long launches[2], waits[2], levels[2];
	char form[200], *out;

	compile_quickly();
	for (int k = 0; k < 2; k++) {
		const int n = strcmp(level[_i].example, "cg") == 0 ? size_cg[k] : size[k];

		snprintf(form, sizeof form, level[_i].form, n, n);
		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --echo=none --stats examples/%s.nesl -e '%s' 2>&1",
			level[_i].example, form));
		launches[k] = atoll(strstr(out, "\"launches\": ") + strlen("\"launches\": "));
		waits[k] = atoll(strstr(out, "\"host_syncs\": ") + strlen("\"host_syncs\": "));
		levels[k] = launches_of(out, level[_i].task);
		free(out);
	}
	levels[0] = levels[1] - levels[0];
	ck_assert_int_ge(levels[0], 2);
	ck_assert_msg(launches[1] - launches[0] <= level[_i].kernels * levels[0] && waits[1] - waits[0] <= level[_i].waits * levels[0],
		"%s: %lld launches and %lld waits in %lld levels", level[_i].example, launches[1] - launches[0], waits[1] - waits[0],
		levels[0]);
}
END_TEST

/* Once all rows of a recursion have fewer elements together than a block does at once the host does the rest, and no level of that is a launch;
 * where a share is smaller never, as with --debug.  Of two forms by near, whose rows do loops in loops, one has but short rows: 3 of them,
 * 180 elements, a start and a length each; those of the other are a device's.  Nor does the host what fails. */
static const struct {
	const char *options;
	int least, most, near;
	bool words;
} few[] = {{"", 1, 100, 1504, true}, {"--grain=1", 200, 999, 0, false}};

START_TEST(few_rows_are_the_hosts)
{
	char *want, *got, *stats;

	compile_quickly();
	schedules_agree("tests/simt/few.nesl", few[_i].options);
	ck_assert_int_eq(3, sh(&want, "./nessie run --target=interp --echo=none tests/simt/few.nesl 2>&1"));
	ck_assert_int_eq(3, sh(&got, "%s/program --echo=none --stats=%s/stats 2>&1", dir, dir));
	ck_assert_str_eq(got, want);
	ck_assert_int_eq(0, sh(&stats, "cat %s/stats", dir));
	ck_assert_int_ge(atoll(strstr(stats, "\"launches\": ") + strlen("\"launches\": ")), few[_i].least);
	ck_assert_int_le(atoll(strstr(stats, "\"launches\": ") + strlen("\"launches\": ")), few[_i].most);
	ck_assert_int_eq(figure(stats, "near_small", "bytes_read"), few[_i].near);
	ck_assert_int_eq(figure(stats, "words_small", "bytes_read") > 0, few[_i].words);
	ck_assert_int_eq(figure(stats, "far_small", "bytes_read"), 0);
	free(got);
	free(stats);
	ck_assert_int_eq(3, sh(&got, "%s/program --echo=none --max-depth=4000 --stats=%s/stats 2>&1", dir, dir));
	ck_assert_str_eq(got, want);
	ck_assert_int_eq(0, sh(&stats, "cat %s/stats", dir));
	ck_assert_int_eq(figure(stats, "near_small", "bytes_read"), few[_i].near);
	free(got);
	sh(&got, "%s/program --echo=none --profile 2>&1 | grep -c ' words_small '", dir);
	ck_assert_int_eq(atoi(got), few[_i].words);
	free(got);
	ck_assert_int_eq(0, sh(&got, "./nessie dump --stage=cuda --debug tests/simt/few.nesl | grep '^#define NESL_FEW 0$'"));
	free(want);
	free(got);
	free(stats);
}
END_TEST

/* A scan by a function is a few launches, however long, and reads what is scanned twice; it waits once, for what all come to. */
static const char *const scanning[] = {"", "--grain=1 --int=32", "--grain=1", "--grain=40 --debug"};
enum { NSCANNING = 2 };         /* of these in every run */

START_TEST(scans_go_by_operators)
{
	const char *width = strstr(scanning[_i], "--int=32") ? "--int=32" : "";
	char *want, *got;

	compile_quickly();
	schedules_agree("tests/simt/scans_by.nesl", scanning[_i]);
	ck_assert_int_eq(3, sh(&want, "./nessie run --target=interp %s tests/simt/scans_by.nesl 2>&1", width));
	ck_assert_int_eq(3, sh(&got, "%s/program 2>&1", dir));
	ck_assert_str_eq(got, want);
	free(want);
	free(got);
}
END_TEST

START_TEST(scans_are_few_launches)
{
	static const struct {
		int n, launches;
	} is[] = {{2048, 1}, {2049, 3}, {100000, 3}};
	const char *defined = "function after((a, b), (c, d)) = (a * c, b * c + d); ";
	char *out;

	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --stats -e '%s' -e 'let (s, all) = scan(after, (1, 0), {(rem(i, 3), i) : i in [0:%d]})"
			" in all' 2>&1", defined, is[i].n));
		ck_assert_int_eq(figure(out, "_scan", "launches"), is[i].launches);
		ck_assert_int_le(figure(out, "_scan", "global_bytes"), 3.02 * 16 * is[i].n + 200);
		ck_assert_int_le(figure(out, "_scan", "sectors"), 3.02 * 16 * is[i].n / 32 + 20);
		ck_assert_int_eq(atoll(strstr(out, "\"launches\": ") + strlen("\"launches\": ")), is[i].launches + 1);
		ck_assert_int_eq(atoll(strstr(out, "\"host_syncs\": ") + strlen("\"host_syncs\": ")), 1);
		free(out);
	}
	/* What scans before it find comes to the host while this one is asked for, and is no fault of its operator. */
	ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --stats -e 'let v = {rem(i * 7, 11) : i in [0:5000]}; w = #v; a = plus_scan(v); "
		"b = plus_scan({x * x : x in v}); (s, all) = scan((x, y) => rem(x + y, w), 0, {x + rem(y, 7) : x in a; y in b}) in all' 2>&1"));
	ck_assert_int_eq(figure(out, "_scan", "launches"), 3);
	free(out);
}
END_TEST

/* Two elements that the host reads are one wait, and that brings the sum, too, which was asked for before. */
START_TEST(reads_wait_once)
{
	char *out;

	compile_quickly();
	ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --stats -e 'v = {rem(i * 7, 11) : i in [0:5000]}; sum({x * x : x in v}) + v[3] * v[4]' 2>&1"));
	ck_assert_ptr_nonnull(strstr(out, "it = 175048 : int\n"));
	ck_assert_int_eq(atoll(strstr(out, "\"host_syncs\": ") + strlen("\"host_syncs\": ")), 1);
	free(out);
}
END_TEST

/* Few places where many elements come are first each block's own; it adds once to those of all.  Of more it would be no gain. */
START_TEST(few_places_are_a_blocks_own)
{
	static const struct {
		int bins;
		long long atomics;
	} is[] = {{10, 15 * 10}, {1000, 30000}};
	char form[100], *out;

	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		snprintf(form, sizeof form, "#histogram({rem(i * 7919, %d) : i in [0:30000]})", is[i].bins);
		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --stats -e '%s' 2>&1", form));
		ck_assert_int_eq(figure(out, "put_sum", "atomics"), is[i].atomics);
		free(out);
	}
}
END_TEST

/* A loop that writes a few places of a sequence in each round does nothing that is as long as the sequence, and waits for nothing. */
static const struct {
	const char *form;
	int kernels;
} update[] = {
	{"function go(a, i) = if i == 0 then a else go(rep(a, 7 * i, rem(i * 3, #a)), i - 1); sum(go([0:%d], %d))", 1},
	{"function go(a, i) = if i == 0 then a else go(a <- [(rem(i * 3, #a), i)], i - 1); sum(go([0:%d], %d))", 1},
	{"function go(a, i) = if i == 0 then a else go(a <- [(rem(i * 3, #a), i), (rem(i, #a), 2)], i - 1); sum(go([0:%d], %d))", 2},
};

START_TEST(an_update_is_a_few_launches)
{
	static const int length[] = {100, 10000}, rounds[] = {10, 50};
	long long launches[2], waits[2];
	char form[200], *out;

	for (int l = 0; l < 2; l++) {
		for (int k = 0; k < 2; k++) {
			snprintf(form, sizeof form, update[_i].form, length[l], rounds[k]);
			ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --echo=none --stats -e '%s' 2>&1", form));
			launches[k] = atoll(strstr(out, "\"launches\": ") + strlen("\"launches\": "));
			waits[k] = atoll(strstr(out, "\"host_syncs\": ") + strlen("\"host_syncs\": "));
			ck_assert_int_le(atoll(strstr(out, "\"peak_bytes\": ") + strlen("\"peak_bytes\": ")), 8 * length[l] + 100);
			free(out);
		}
		ck_assert_int_eq(launches[1] - launches[0], update[_i].kernels * (rounds[1] - rounds[0]));
		ck_assert_int_eq(waits[1], waits[0]);
	}
}
END_TEST

/* A task is one launch, unless a value of it stands on another's result; here none does.  What maps move is what the
 * task's figures promise, in as many sectors as it must be: 32 lanes with neighbours of 16 bytes take 16, of 8 bytes, where
 * other places are touched too, 8; folds, scans and packs of flat spaces move little more.  That the scatter has each index
 * twice is no race: a check would have told of it. */
START_TEST(a_task_is_a_launch)
{
	static const char *const task[] = {"filled", "tripled", "strided", "summed", "scanned", "kept", "scattered"};
	static const struct {
		const char *task;
		long long requests, sectors;
	} map[] = {{"filled", 16, 256}, {"tripled", 32, 512}, {"strided", 64, 256 + 8 * 32 + 24 * 8},
		{"scattered", 64, 256 + 32 * 4}},
		/* a part and a result; what the tile tells; 1,021 elements, not where sectors begin: they are read once */
		fold[] = {{"summed", 19, 256 + 3}, {"scanned", 65, 512 + 1}, {"kept", 65, 256 + 273}};
	char *out, *mem;
	int tasks = 0;

	ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --echo=none --stats --from=mem tests/simt/counts.mem 2>&1"));
	for (size_t i = 0; i < sizeof task / sizeof *task; i++)
		ck_assert_msg(figure(out, task[i], "launches") == 1, "%s: %s", task[i], out);
	for (size_t i = 0; i < sizeof map / sizeof *map; i++) {
		ck_assert_int_eq(figure(out, map[i].task, "global_bytes"),
			figure(out, map[i].task, "bytes_read") + figure(out, map[i].task, "bytes_written"));
		ck_assert_int_eq(figure(out, map[i].task, "global_requests"), map[i].requests);
		ck_assert_int_eq(figure(out, map[i].task, "sectors"), map[i].sectors);
	}
	for (size_t i = 0; i < sizeof fold / sizeof *fold; i++) {
		ck_assert_int_eq(figure(out, fold[i].task, "global_requests"), fold[i].requests);
		ck_assert_int_eq(figure(out, fold[i].task, "sectors"), fold[i].sectors);
	}
	/* no other launch: those of the library are its own */
	ck_assert_int_eq(figure(out, "library", "launches"), 0);
	ck_assert_int_eq(0, sh(&mem, "cat tests/simt/counts.mem"));
	for (const char *p = mem; (p = strstr(p, "task ")); p++)
		tasks++;
	ck_assert_int_eq(tasks, (int)(sizeof task / sizeof *task));
	free(mem);
	free(out);
}
END_TEST

/* Of programs, too: what the dump has as tasks, no more and no less, is what was launched. */
START_TEST(tasks_are_the_launches)
{
	char inputs[300], *tasks, *stats;
	int n = 0;

	write_file(dir, "m.txt", "[[(0, 1.0), (2, 2.0)], [], [(1, 3.0)], [(0, 4.0), (1, 5.0), (2, 6.0)]]\n");
	write_file(dir, "v.txt", "[1.0, 2.0, 3.0]\n");
	write_file(dir, "a.txt", "[3, 1, 4, 1, 5, 9, 2, 6]\n");
	write_file(dir, "r.txt", "[[3, 1], [], [4, 1, 5], [9, 2, 6]]\n");
	snprintf(inputs, sizeof inputs, "--input m=%s/m.txt --input v=%s/v.txt --input a=%s/a.txt --input r=%s/r.txt", dir, dir, dir,
		dir);
	ck_assert_int_eq(0, sh(&tasks, "./nessie dump --stage=lcu %s tests/simt/tasks.nesl | sed -n 's/.* = task \\([^ ]*\\) .*/\\1/p'",
		inputs));
	ck_assert_int_eq(0, sh(&stats, "./nessie run --target=emu --echo=none --stats %s tests/simt/tasks.nesl 2>&1", inputs));
	for (char *name = strtok(tasks, "\n"); name; name = strtok(NULL, "\n"), n++)
		ck_assert_msg(figure(stats, name, "launches") == 1, "%s: %s", name, stats);
	ck_assert_int_gt(n, 10);
	ck_assert_int_eq(figure(stats, "library", "launches"), 0);
	ck_assert_ptr_nonnull(strstr(stats, "\"launches\": "));
	ck_assert_int_eq(atoi(strstr(stats, "\"launches\": ") + strlen("\"launches\": ")), n);
	free(tasks);
	free(stats);
}
END_TEST

/* -- launches to be run again ------------------------------------------------------------------------------- */
/* tests/simt/record.cpp: kernels by name. */
START_TEST(launches_are_recorded)
{
	static const char run[] = "./nessie run --target=emu -e '{{x * x : x in r | x > 1} : r in [[1, 2], [3] , [4, 5, 6]]}' 2>&1";
	char *out;

	ck_assert_int_eq(0, sh(&out, "SIMT_RECORD=%s/record %s", dir, run));
	ck_assert_str_eq(out, "it = [[4], [9], [16, 25, 36]] : [[int]]\n");
	free(out);
	ck_assert_int_eq(0, sh(&out, "grep -a -o '_Z20nesl_seg_pack_kernel' %s/record", dir));
	ck_assert_str_eq(out, "_Z20nesl_seg_pack_kernel\n");
	free(out);
	ck_assert_int_eq(5, sh(&out, "SIMT_RECORD=%s/none/record %s", dir, run));
	ck_assert_ptr_nonnull(strstr(out, "/none/record cannot be written\n"));
	free(out);
}
END_TEST

/* -- the suite ---------------------------------------------------------------------------------------------- */
static void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-simt-XXXXXX");
	ck_assert(mkdtemp(dir));
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

Suite *
simt_suite(void)
{
	Suite *s = suite_create("simt");
	TCase *c = tcase_create("simt"), *lengthy = tcase_create("all of it");
	int nexample;

	if (system("command -v c++ >/dev/null") != 0) {
		fprintf(stderr, "check_simt: no C++ compiler here: the emulator was NOT run (apt-get install g++)\n");
		return s;
	}
	nexample = add_programs(&programs, "examples");
	add_programs(&programs, "tests/run");
	add_programs(&programs, "tests/trouble");
	add_programs(&programs, "tests/cuda");
	tcase_add_unchecked_fixture(c, make_dir, remove_dir);
	tcase_set_timeout(c, 1200);
	tcase_add_loop_test(c, defects_are_found, 0, sizeof defect / sizeof *defect);
	tcase_add_test(c, what_is_right_is_left_alone);
	tcase_add_loop_test(c, faults_are_told, 0, 2);
	tcase_add_test(c, generated_programs_agree);
	tcase_add_loop_test(c, what_a_machine_lacks_is_told, 0, sizeof machine / sizeof *machine);
	tcase_add_test(c, too_many_are_told);
	tcase_add_test(c, a_compiler_is_needed);
	tcase_add_test(c, requests_are_counted);
	tcase_add_test(c, a_task_is_a_launch);
	tcase_add_loop_test(c, a_level_is_a_few_launches, 0, sizeof level / sizeof *level);
	tcase_add_test(c, tasks_are_the_launches);
	tcase_add_test(c, launches_are_recorded);
	tcase_add_test(c, narrow_types_agree);
	tcase_add_test(c, wide_folds_agree);
	tcase_add_loop_test(c, puts_agree, 0, 2);
	tcase_add_loop_test(c, few_rows_are_the_hosts, 0, sizeof few / sizeof *few);
	tcase_add_loop_test(c, scans_go_by_operators, 0, NSCANNING);
	tcase_add_test(c, scans_are_few_launches);
	tcase_add_test(c, reads_wait_once);
	tcase_add_test(c, few_places_are_a_blocks_own);
	tcase_add_loop_test(c, packs_agree, 0, 2);
	tcase_add_loop_test(c, counted_packs_agree, 0, 2);
	tcase_add_loop_test(c, parts_take_what_they_keep, 0, NQUICK);
	tcase_add_loop_test(c, updates_agree, 0, 2);
	tcase_add_loop_test(c, an_update_is_a_few_launches, 0, sizeof update / sizeof *update);
	tcase_add_loop_test(c, sorts_agree, 0, sizeof sorts / sizeof *sorts);
	tcase_add_loop_test(c, programs_agree, 0, nexample);
	suite_add_tcase(s, c);
	tcase_add_unchecked_fixture(lengthy, make_dir, remove_dir);
	tcase_set_timeout(lengthy, 7200);
	tcase_set_tags(lengthy, "long");
	tcase_add_loop_test(lengthy, skeletons_agree, 0, sizeof shapes / sizeof *shapes);
	tcase_add_loop_test(lengthy, large_spaces_agree, 0, sizeof large / sizeof *large);
	tcase_add_loop_test(lengthy, parts_take_what_they_keep, NQUICK, sizeof parted / sizeof *parted);
	tcase_add_loop_test(lengthy, scans_go_by_operators, NSCANNING, sizeof scanning / sizeof *scanning);
	tcase_add_loop_test(lengthy, programs_agree, nexample, programs.n);
	suite_add_tcase(s, lengthy);
	return s;
}

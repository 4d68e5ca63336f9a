/* check_cpu.c: generated C, compiled and run. */
#include "backend/cpu/cpu.h"
#include "common/embed.h"
#include "common/process.h"
#include "tests/cost.h"
#include "tests/tcc.h"
#include <unistd.h>

static Arena *arena;
static const char *dir, *root;
static char objects[32];                /* a directory for all tests */

static void
begin(void)
{
	char here[4096];

	arena = arena_new();
	dir = tempdir_new(arena);
	ck_assert_ptr_nonnull(dir);
	root = arena_printf(arena, "%s", getcwd(here, sizeof here));
}

static void
end(void)
{
	tempdir_remove(dir);
	arena_free(arena);
}

static void
make_objects(void)
{
	strcpy(objects, "/tmp/nessie-cpu-XXXXXX");
	ck_assert(mkdtemp(objects));
}

static void
remove_objects(void)
{
	tempdir_remove(objects);
}

static const char *
in_dir(const char *name)
{
	return arena_printf(arena, "%s/%s", dir, name);
}

static const char *
text_of(const char *path)
{
	size_t n;
	const char *s = read_text(arena, path, &n);

	ck_assert_msg(s != NULL, "%s cannot be read", path);
	return s;
}

static Unit
unit_new(void)
{
	Unit u = {.arena = arena, .names = names_new(arena)};

	u.diag = diag_new(arena, stderr);
	return u;
}

/* The C text of a program in tests/cpu, as a file of the private directory. */
static void
emit_file(const char *mem, const char *c)
{
	const char *path = arena_printf(arena, "tests/cpu/%s", mem), *text = text_of(path), *wrong;
	Unit u = unit_new();
	Span at;
	FILE *f;

	u.ir = ir_read(&mem_ir, arena, u.names, u.diag, path, text, strlen(text));
	ck_assert_ptr_nonnull(u.ir);
	wrong = ir_check(u.ir, &at);
	ck_assert_msg(wrong == NULL, "%s", wrong);
	emit_c(&u);
	f = fopen(in_dir(c), "w");
	ck_assert_ptr_nonnull(f);
	fwrite(u.text, 1, u.ntext, f);
	fclose(f);
}

static int
run_program(const char *const *argv, const char *output)
{
	int interrupt;

	return process_run(&(Process){.exe = argv[0], .argv = argv, .dir = dir, .output = in_dir(output)}, &interrupt);
}

enum { MOST_ARGS = 40 };

/* gcc with all warnings and these flags ("": none) on what argv goes on with. */
static void
gcc(const char **more, const char *flag1, const char *flag2)
{
	const char *argv[MOST_ARGS] = {"gcc", "-std=c11", "-D_DEFAULT_SOURCE", "-O2", "-ffp-contract=off", "-fwrapv", "-Wall", "-Wextra",
		"-Werror", "-I.", arena_printf(arena, "-I%s/backend/rt", root)};
	int n = 11;

	if (*flag1)
		argv[n++] = flag1;
	if (*flag2)
		argv[n++] = flag2;
	while (*more)
		argv[n++] = *more++;
	if (run_program(argv, "gcc.txt") != 0)
		ck_abort_msg("gcc refuses this:\n%.2000s", text_of(in_dir("gcc.txt")));
}

/* The run time, compiled once with these flags. */
static const char *
run_time(const char *flag1, const char *flag2)
{
	static const char *const part[] = {"main", "value", "input", "fault", "literal", "mtx", "npy", "stream", "object",
		"effect", "figures", "slice", "strips", "threads"};
	enum { N = sizeof part / sizeof *part };
	const char *object = arena_printf(arena, "%s/rt%s%s.o", objects, flag1, flag2), *argv[N + 5] = {"-r", "-nostdlib", "-o", object};

	for (int k = 0; k < N; k++)
		argv[4 + k] = arena_printf(arena, "%s/backend/rt/nesl_%s.c", root, part[k]);
	if (access(object, R_OK) != 0)
		gcc(argv, flag1, flag2);
	return object;
}

static void
compile(const char *source, const char *program, const char *flag1, const char *flag2)
{
	gcc((const char *[]){"-o", program, source, run_time(flag1, flag2), "-lm", NULL}, flag1, flag2);
}

/* What it prints, and it must end with status 0. */
static const char *
harness(const char *program, const char *threads)
{
	setenv("OMP_NUM_THREADS", threads, 1);
	if (run_program((const char *const[]){in_dir(program), NULL}, "out.txt") != 0)
		ck_abort_msg("%s on %s threads:\n%.2000s", program, threads, text_of(in_dir("out.txt")));
	return text_of(in_dir("out.txt"));
}

/* All forms of tasks and the library against plain loops, and the same bits for 1 and 2 threads. */
START_TEST(tasks_agree_with_loops)
{
	static const char *const grain[] = {"", "-DNESL_GRAIN=3"};
	const char *source = arena_printf(arena, "%s/tests/cpu/harness.c", root);
	const char *one;

	emit_file("tasks.mem", "tasks.c");
	compile(source, "threads", "-fopenmp", grain[_i]);
	compile(source, "serial", "", grain[_i]);
	one = harness("threads", "1");
	ck_assert_str_eq(one, harness("threads", "2"));
	ck_assert_str_eq(one, harness("threads", "3"));
	ck_assert_str_eq(one, harness("serial", "1"));
}
END_TEST

/* As many elements as are folded in lanes, and strips as short as may be: floats that are scanned in both have the bits that they have without
 * strips (harness.c, main). */
START_TEST(strips_end_where_lanes_begin)
{
	emit_file("tasks.mem", "tasks.c");
	compile(arena_printf(arena, "%s/tests/cpu/harness.c", root), "threads", "-fopenmp", "-DNESL_GRAIN=16");
	harness("threads", "2");
}
END_TEST

static const char program_output[] =
	"v = [1.5, 2.5, -1.0, 0.1] : [float]\n"
	"it = [-1.0, 1.5] : [float]\n"
	"it = [-1.0, 1.5] : [float]\n"
	"it = 3.1 : float\n"
	"it = 900000 : int\n"
	"it = \"a \\\"q\\\"?\\\\\" : [char]\n"
	"it = [[1, 0], [1, 0]] : [[int]]\n"
	"f = fn : int -> int\n";

static int
run_it(const char *input, const char *option)
{
	return run_program((const char *const[]){in_dir("program"), "--input", input, option, NULL}, "out.txt");
}

static void
has(const char *what)
{
	const char *out = text_of(in_dir("out.txt"));

	ck_assert_msg(strstr(out, what) != NULL, "no %s in:\n%.3000s", what, out);
}

static void
has_each(const char *text, const char *const *part, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(strstr(text, part[i]), "no %s in\n%.3000s", part[i], text);
}

/* These lines in their order, among others. */
static void
has_lines_of(const char *lines)
{
	const char *out = text_of(in_dir("out.txt")), *at = out;

	for (size_t n; *lines; lines += n) {
		n = strcspn(lines, "\n") + 1;
		at = strstr(at, arena_strndup(arena, lines, n));
		ck_assert_msg(at != NULL, "no %.*s where it should be in:\n%.3000s", (int)n, lines, out);
		at += n;
	}
}

START_TEST(program_runs)
{
	emit_file("program.mem", "program.c");
	compile("program.c", "program", "-fopenmp", "");
	write_file(dir, "m.nesl", "[(2, 0.5), (0, 1.5)]\n");
	write_file(dir, "other.nesl", "[1, 2]\n");
	ck_assert_int_eq(run_it("m=m.nesl", "--echo=all"), 3);
	has_lines_of(program_output);
	has("at.nesl:1:12: error[index-range]: index 4 is outside a sequence of length 4");
	has("error[div-by-zero]");
	has("error[unbound-cell]");
	has("deep.nesl:2:9: error[recursion-depth]: recursion deeper than 1000000 calls");
	ck_assert_int_eq(run_it("m=m.nesl", "--stats"), 3);
	has("\"live_bytes_at_exit\": 0");
	has("\"bytes_swept\": 48");
	ck_assert_int_eq(run_it("m=m.nesl", "--max-depth=10"), 3);
	has("recursion deeper than 10 calls");
}
END_TEST

/* A target whose tasks have found something that nobody has heard when recursion gets too deep: as on a GPU. */
static const char unheard[] =
	"#include \"nesl_main.h\"\n"
	"static const nesl_site found = {\"domain\", \"a.nesl\", 1, 1, 1, NULL, 0, 0},\n"
	"\tdeep = {\"recursion-depth\", \"a.nesl\", 2, 1, 1, NULL, 0, 0};\n"
	"static void settle(void) { nesl_raise(&found, (const i64[3]){0}, 0, NULL, NULL); }\n"
	"static void recur(void) { for (;;) nesl_enter(&deep, NULL); }\n"
	"static void nothing(void) {}\n"
	"static void finish(nesl_memory_stats *m) { (void)m; }\n"
	"static const char *nowhere(void) { return \"\"; }\n"
	"static const nesl_entry entry[] = {{NULL, NULL, NESL_NOTHING, recur, NULL, 0, {0}}};\n"
	"static const nesl_program program = {\"none\", 64, entry, 1, NULL, 0, NULL, 0, NULL, nothing, finish, nowhere,\n"
	"\tNULL, settle};\n"
	"int main(int argc, char **argv) { return nesl_main(argc, argv, &program); }\n";

START_TEST(depth_is_told_after_what_tasks_found)
{
	write_file(dir, "unheard.c", unheard);
	compile("unheard.c", "unheard", "", "");
	ck_assert_int_eq(run_program((const char *const[]){in_dir("unheard"), "--max-depth=5", NULL}, "out.txt"), 3);
	has("a.nesl:1:1: error[domain]");
	ck_assert_ptr_null(strstr(text_of(in_dir("out.txt")), "recursion-depth"));
}
END_TEST

/* Waits: one for each of three reductions and keeps, one for the element. */
static const char figures_output[] =
	"\"launches\": 6, \"host_syncs\": 4, \"bytes_read\": 232, \"bytes_written\": 96, \"bytes_floor\": 0, \"peak_bytes\": 104,"
	" \"live_bytes_at_exit\": 0, \"bytes_swept\": 0, \"allocations\": 4, \"allocations_reused\": 0, \"checks_done\": 2,"
	" \"seconds_input\": ";
static const char figures_by_task[] =
	"{\"name\": \"library\", \"where\": \"\", \"space\": \"\", \"launches\": 0, \"bytes_read\": 0, \"bytes_written\": 56},\n"
	"{\"name\": \"odd\", \"where\": \"\", \"space\": \"n\", \"launches\": 1, \"bytes_read\": 40, \"bytes_written\": 24},\n"
	"{\"name\": \"first\", \"where\": \"sums.nesl:1\", \"space\": \"m\", \"launches\": 1, \"bytes_read\": 24, \"bytes_written\": 0},\n"
	"{\"name\": \"second\", \"where\": \"sums.nesl:2\", \"space\": \"n\", \"launches\": 1, \"bytes_read\": 40, \"bytes_written\": 0},\n"
	"{\"name\": \"row_sums\", \"where\": \"\", \"space\": \"2; s\", \"launches\": 1, \"bytes_read\": 64, \"bytes_written\": 16},\n";

/* What --stats says of the program in order. */
START_TEST(figures_are_counted)
{
	emit_file("figures.mem", "figures.c");
	compile("figures.c", "figures", "-fopenmp", "");
	ck_assert_int_eq(run_program((const char *const[]){in_dir("figures"), "--stats", NULL}, "out.txt"), 0);
	has(figures_output);
	has_lines_of(figures_by_task);
}
END_TEST

/* One function for tasks that are the same, with what differs as arguments and all places above it. */
START_TEST(same_tasks_share_a_function)
{
	const char *text;

	emit_file("figures.mem", "figures.c");
	text = text_of(in_dir("figures.c"));
	ck_assert_ptr_nonnull(strstr(text, "// also sums.nesl:2:5\nstatic void\nchunk_first(i64 c_, "));
	ck_assert_ptr_nonnull(strstr(text, "}\n\nstatic nint\ntask_first(nesl_task_stats *stats, nint m, "));
	ck_assert_ptr_nonnull(strstr(text, "= task_first(&nesl_tasks[3], n, a);"));
	ck_assert_ptr_nonnull(strstr(text, "\ttask_near(&nesl_tasks[6], &nesl_sites[1], l, k);"));
	ck_assert_ptr_null(strstr(text, "task_second"));
	ck_assert_ptr_nonnull(strstr(text, "task_odd(nint n, const nesl_vec *a_v)"));
}
END_TEST

/* A place is compared twice only where its check may let through what is outside of the vector: tasks that differ in that alone
 * are two.  A length that only a comparison without a use names is there all the same.  Of indices the last is the greatest, of
 * other numbers not. */
START_TEST(checked_places_are_compared_once)
{
	static const char *const has_text[] = {"const nint x = nesl_in(i, n) ? v[i] : 0;", "const nint x_2 = nesl_in(i_2, v_n) ? v[i_2] : 0;",
		"*stored = task_all(", "o_5[i_4] = o_5[i_4] > y ? o_5[i_4] : y;", "o_6[i_4] = j;"};
	const char *text;

	emit_file("places.mem", "places.c");
	text = text_of(in_dir("places.c"));
	has_each(text, has_text, sizeof has_text / sizeof *has_text);
	compile("places.c", "places", "-fopenmp", "-DNESL_GRAIN=3");
	write_file(dir, "p.nesl", "[1, 1, 0]\n");
	write_file(dir, "v.nesl", "[7, 9, 8]\n");
	ck_assert_int_eq(run_program((const char *const[]){in_dir("places"), "--input", "p=p.nesl", "--input", "v=v.nesl", NULL}, "out.txt"), 0);
	has("it = ([9, 9, 7], [9, 9, 7], [10, 10, 8], [8, 9], [2, 1], [-9, -9, -7]) : ([int], [int], [int], [int], [int], [int])\n");
}
END_TEST

/* Elements that take one arm by their place are one run: nothing is asked of each, so several are done at once.  What no run of
 * them can say is asked of the row. */
START_TEST(runs_take_one_arm)
{
	static const char *const has_text[] = {
		"if (e1 == 0) {\n", "if (e1 == sub) {\n",
		"const i64 piece2_ = e1 + nesl_until(e1, sub, hi - e1);\n",
		"if (!nesl_within(isub(e1, 1), piece2_ - e1, n))\n",
		"\t\t\t\t\t\tNESL_VECTORS\n"
		"\t\t\t\t\t\tfor (e1 = first1_; e1 < piece2_; e1++) {\n"
		"\t\t\t\t\t\t\tconst nint range_2 = e1;\n"
		"\t\t\t\t\t\t\tconst nint sub_3 = isub(range_2, 1);\n"
		"\t\t\t\t\t\t\tconst f64 elt_14 = v[sub_3];\n"
		"\t\t\t\t\t\t\tconst nint add_2 = iadd(range_2, 1);\n"
		"\t\t\t\t\t\t\tconst f64 elt_29 = v[add_2];\n"
		"\t\t\t\t\t\t\tconst f64 add_8 = elt_14 + elt_29;\n"
		"\t\t\t\t\t\t\tadd_13[e1] = add_8;\n"
		"\t\t\t\t\t\t}\n"};
	char *text;

	sh(&text, "./nessie dump --stage=c --input=v:[float] "
		"-e '{if i == 0 or i == #v - 1 then x else v[i - 1] + v[i + 1] : x in v; i in index(#v)}'");
	has_each(text, has_text, sizeof has_text / sizeof *has_text);
	free(text);
	sh(&text, "./nessie dump --stage=c --input='m:[[int]]' --input=w:[bool] "
		"-e '{{if c then x else if j < 3 then -x else m[0][j] : x in r; j in index(#r)} : r in m; c in w}'");
	ck_assert_msg(strstr(text, "if (w_2) {\n"), "%s", text);
	ck_assert_msg(strstr(text, "if (e2 - row_ < 3) {\n"), "%s", text);
	free(text);
}
END_TEST

/* Places that are as far apart as each other are asked about at both ends of the run, whether they are read or struck out. */
START_TEST(runs_go_up_evenly)
{
	static const char *const has_text[] = {
		"if (hi - e1 >= NESL_RUN && nesl_evenly_within(imul(e1, k), k, hi - e1, n)) {\n",
		"if (hi - e1 >= NESL_RUN && nesl_evenly_within(isub(k, imul(e1, 2)), isub(0, 2), hi - e1, n)) {\n",
		"if (hi - e1 >= NESL_RUN && nesl_evenly_within(iadd(imul(e1, k), e1), iadd(k, 1), hi - e1, n)) {\n",
		"if (hi - e1 >= NESL_RUN && nesl_evenly_within(imul(e1, k), k, hi - e1, dist_2)) {\n",
		"\t\t\tconst nint is_2 = e1;\n"
		"\t\t\tconst nint mul_2 = imul(is_2, k);\n"
		"\t\t\tNESL_MARK(it_6[mul_2], 1);\n"};
	char *text;

	sh(&text, "./nessie dump --stage=c --input='a:[int]' --input=k:int -e '{a[i * k] : i in [0:50]}' -e '{a[k - 2 * i] : i in [0:50]}' "
		"-e '{a[i * k + i] : i in [0:50]}' -e 'dist(f, k) <- {(i * k, t) : i in [0:50]}'");
	has_each(text, has_text, sizeof has_text / sizeof *has_text);
	free(text);
}
END_TEST

/* Where a row's elements change from one source to another, and where they leave a vector, is found once for the run: no element
 * of it compares, no check is left.  What is outside of its vector is 0, as ever.  So is whether there is room for what is kept. */
START_TEST(runs_are_cut_where_their_rows_say)
{
	static const char *const has_text[] = {
		"if (e2 - row_ < c_2) {", "const i64 piece1_ = e2 + nesl_up_to(e2 - row_, c_2, stop_ - e2);",
		"if (!nesl_within(iadd(e2 - row_, s), piece1_ - e2, w_n))",
		"e2++) {\n\t\t\t\t\t\t\tconst nint i = e2 - row_;\n\t\t\t\t\t\t\tconst nint j = iadd(i, s);\n\t\t\t\t\t\t\tconst nint y = w[j];\n\t\t\t\t\t\t\to[e2] = y;\n\t\t\t\t\t\t}\n",
		"e2++) {\n\t\t\t\t\t\t\tconst nint x = m_2[e2];\n\t\t\t\t\t\t\to[e2] = x;\n\t\t\t\t\t\t}\n",
		"const nint y = nesl_in(j_2, w_n) ? w[j_2] : 0;",
		"if (!nesl_within(iadd(e2 - row_, t), piece1_ - e2, 100))", "if (!nesl_within(iadd(e2 - row_, t), piece1_ - e2, m_2_n))",
		"if (stop_ - e2 >= NESL_RUN && nesl_within(iadd(isub(e2 - row_, 2), t_3), stop_ - e2, m_2_n)",
		" && o_3_end - o_3_k >= stop_ - e2) {",
		"\t\t\t\t\t\to_3[o_3_k] = v_2;\n\t\t\t\t\t\to_3_k += big;\n\t\t\t\t\t}\n",
		"\t\t\t\tif (o_3_k < o_3_end) {\n\t\t\t\t\to_3[o_3_k] = v_2;\n"};
	const char *text;

	emit_file("pieces.mem", "pieces.c");
	text = text_of(in_dir("pieces.c"));
	has_each(text, has_text, sizeof has_text / sizeof *has_text);
	write_file(dir, "m.nesl", "[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18], [] int, [21, 22, 23, 24],"
		" [31, 32, 33, 34, 35, 36], [41, 42, 43]]\n");
	write_file(dir, "k.nesl", "[9, 3, 9, 4, -1]\n");
	write_file(dir, "at.nesl", "[2, 0, 8, -2, 5]\n");
	write_file(dir, "w.nesl", "[50, 51, 52, 53, 54, 55, 56, 57, 58, 59]\n");
	for (int i = 0; i < 2; i++) {
		compile("pieces.c", "pieces", "-fopenmp", i ? "-DNESL_GRAIN=3" : "");
		ck_assert_int_eq(run_program((const char *const[]){in_dir("pieces"), "--input", "m=m.nesl", "--input", "k=k.nesl",
			"--input", "at=at.nesl", "--input", "w=w.nesl", NULL}, "out.txt"), 0);
		has("it = ([52, 53, 54, 55, 56, 57, 58, 59, 0, 10, 11, 12, 13, 14, 15, 16, 17, 18, 58, 59, 0, 0, 0, 0, 50, 51, 35, 36, 41, 42, 43],"
			" [45, 0, 90, 130, 0], [10, 11, 12, 13, 14, 15, 16, 17, 18, 21, 22, 23, 24, 31, 32, 33, 34, 35, 36, 41, 42, 43])"
			" : ([int], [int], [int])\n");
	}
}
END_TEST

/* What later elements read or store in order is asked for, once for several side by side, and for rows, many of which ask together, of
 * elements that are only folded less far ahead; not in loops of which processors do several elements at once (nobody multiplies two ints
 * of 64 bits so), nor where nothing is read.  All lengths of rows, and shares of one to nine elements, come to the same. */
START_TEST(what_comes_is_asked_for)
{
	static const char rows[] = "let m = {[0:n] : n in [0:23]} in"
		" {(let p = {x in r | rem(x, 3) == 0} in (sum(p), #p), sum(plus_scan(r)), sum({#s : s in {[0:x] : x in r | x /= 5}})) : r in m}";
	char *text, *one;

	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='a:[int]' -e '{x in a | rem(x, 3) == 0}'"));
	ck_assert_msg(strstr(text, "for (; hi - e1 >= NESL_LANES; e1 += NESL_LANES) {\n\t\t\tNESL_AHEAD(a + e1);\n\t\t\tNESL_UNROLLED\n"), "%s", text);
	free(text);
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='a:[int]' -e '(plus_scan(a), a)'"));
	ck_assert_msg(strstr(text, "\tNESL_AHEAD(a + e1);\n\t\t\tNESL_AHEAD(plus_scan_3 + e1);\n"), "%s", text);
	free(text);
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='m:[[float]]' -e '{sum(r) : r in m}'"));
	ck_assert_msg(strstr(text, "\t\tNESL_AHEAD_OF_ROWS(m + e1);\n\t\tNESL_AHEAD_OF_ROWS(sum_3 + e1);\n\t\tfor (; e1 < near_; e1++) {\n"
		"\t\t\tNESL_AHEAD_OF_FOLD(m_2 + e2);\n"), "%s", text);
	free(text);
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='m:[[float]]' -e '{plus_scan(r) : r in m}'"));
	ck_assert_msg(strstr(text, "for (; e1 < near_; e1++) {\n\t\t\tNESL_AHEAD(m_2 + e2);\n"), "%s", text);
	free(text);
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='a:[float]' -e '{x * x + 1.0 : x in a}' -e 'sum([0:1000])'"));
	ck_assert_msg(strstr(text, "NESL_VECTORS") && !strstr(text, "NESL_AHEAD"), "%s", text);
	free(text);
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='a:[int]' -e '{x * x + 1 : x in a}'"));
	ck_assert_msg(strstr(text, "NESL_AHEAD(a + e1);") && !strstr(text, "NESL_VECTORS"), "%s", text);
	free(text);
	ck_assert_int_eq(0, sh(&one, "./nessie run --target=interp -e '%s'", rows));
	for (int grain = 1; grain <= 9; grain++) {
		ck_assert_int_eq(0, sh(&text, "%s./nessie run --target=cpu --grain=%d -e '%s'", grain == 5 ? "CC=gcc " : "", grain, rows));
		ck_assert_str_eq(text, one);
		free(text);
	}
	free(one);
}
END_TEST

/* What is stored in order, and takes no longer to make, is stored a strip at a time, but not what is of rows where they have elements.  Nor
 * what takes the place of an operand, which is in cache, nor where floats are summed in lanes: their sum would depend on where strips end. */
START_TEST(results_are_stored_in_strips)
{
	static const struct { const char *input, *form, *strips; } given[] = {
		{"a:[int]", "({x * x : x in a}, a)", "nesl_strips_of(nesl_lo(n, c, nc), nesl_lo(n, c + 1, nc), 8L * n);"},
		{"a:[int]", "({(x, x > 2) : x in {x + 1: x in a}}, a)", "nesl_strips_of(nesl_lo(n, c, nc), nesl_lo(n, c + 1, nc), 9L * n);"},
		{"a:[int]", "{x * x : x in a}", NULL},
		{"a:[float]", "({exp(x) : x in a}, a)", NULL},
		{"a:[int]", "(plus_scan(a), a)", "nesl_strips_of(nesl_lo(n, c, nc), nesl_lo(n, c + 1, nc), 8L * n);"},
		{"a:[float]", "(plus_scan(a), a)", "nesl_strips_of(nesl_lo(n, c, nc), nesl_lo(n, c + 1, nc), 8L * n);"},
		{"a:[float]", "let b = {x + 1.0 : x in a} in (sum(b), b, a)", NULL},
		{"m:[[int]]", "({plus_scan(r) : r in m}, m)", "nesl_strips_of(e2, cuts[c + 1].e, nesl_if_long(n, n2, 8L * n2));"},
		{"m:[[int]]", "({(sum(r), plus_scan(r)) : r in m}, m)", "nesl_strips_of(e2, cuts[c + 1].e, nesl_if_long(n, n2, 8L * n2));"},
		{"m:[[float]]", "({(sum(r), {x + 1.0 : x in r}) : r in m}, m)", NULL},
		{"m:[[float]]", "({sum(r) : r in m}, m)", NULL},
	};
	char *text;

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input='%s' -e '%s'", given[i].input, given[i].form));
		if (given[i].strips)
			ck_assert_msg(strstr(text, given[i].strips), "%s: %s", given[i].form, text);
		else
			ck_assert_msg(!strstr(text, "nesl_strips_of"), "%s: %s", given[i].form, text);
		free(text);
	}
}
END_TEST

/* The row that a chunk leaves open has a text of its own only where asking for it would take as long as what a row does. */
START_TEST(open_rows_share_the_text)
{
	char *text;

	sh(&text, "./nessie dump --stage=c --input='m:[[int]]' -e '{r ++ reverse(r) ++ drop(r, #r / 2) : r in m}'");
	ck_assert_msg(strstr(text, "for (; e1 < hi || e2 < end; e1++) {\n"), "%s", text);
	ck_assert_msg(strstr(text, "const i64 stop_ = e1 < hi ? "), "%s", text);
	free(text);
	sh(&text, "./nessie dump --stage=c --input='m:[[int]]' -e '{{x + 1 : x in r | x > #r} : r in m}'");
	ck_assert_msg(strstr(text, "if (e2 < end) {\n"), "%s", text);
	ck_assert_msg(!strstr(text, "|| e2 < end"), "%s", text);
	free(text);
}
END_TEST

/* A thread takes chunks side by side, and all of them are done, however many threads there are; those that wait for each other are begun in
 * order, and those that put the last of each in a table of the thread, which goes on to later ones only. */
START_TEST(chunks_side_by_side)
{
	static const char form[] = "let n = 100000; a = dist(t, n) <- {(rem(i * i, n), f) : i in [0:n]}; k = {i : x in a; i in [0:n] | x} in (k, #k, sum(k))";
	static const int threads[] = {1, 3, 8};
	char *text;

	write_file(dir, "last.nesl", "a = {(rem(i * i, 977), rem(i, 3)) : i in [0:200000]};\nwant = remove_duplicates(a);\n"
		"function wrong(k) = if k == 0 then 0 else (if eql({x : (x, c) in histogram(a)}, want) then 0 else 1) + wrong(k - 1);\nwrong(5);\n");
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c -e '%s' | grep NESL_EACH", form));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		ck_assert_msg(!strstr(line, "NESL_EACH_IN_ORDER(") == !strstr(line, "turn_"), "%s", line);
	free(text);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(0, sh(&text, "CC=gcc OMP_NUM_THREADS=%d ./nessie run --target=cpu --grain=64 --print-length=1 -e '%s'", threads[i], form));
		ck_assert_msg(strstr(text, ", 90879, 4544375000)"), "%d threads: %s", threads[i], text);
		free(text);
		ck_assert_int_eq(0, sh(&text, "CC=gcc OMP_NUM_THREADS=%d ./nessie run --target=cpu --grain=64 %s/last.nesl", threads[i], dir));
		ck_assert_msg(strstr(text, "it = 0 : int\n"), "%d threads: %s", threads[i], text);
		free(text);
	}
}
END_TEST

/* A loop of short sequences enters no parallel region: one with a single thread takes longer than such a task.  Nor does one
 * thread with long ones. */
START_TEST(short_tasks_have_no_parallel_region)
{
	static const char count[] =
		"void __real_GOMP_parallel(void (*)(void *), void *, unsigned, unsigned);\n"
		"static int regions;\n"
		"void __wrap_GOMP_parallel(void (*f)(void *), void *x, unsigned threads, unsigned flags);\n"
		"void __wrap_GOMP_parallel(void (*f)(void *), void *x, unsigned threads, unsigned flags)\n"
		"{\n\tregions++;\n\t__real_GOMP_parallel(f, x, threads, flags);\n}\n"
		"static void __attribute__((destructor)) told(void) { fprintf(stderr, \"%d\\n\", regions); }\n";
	char *text;
	int none, one, some;

	write_file(dir, "short.nesl", "function go(v, k) = if k == 0 then sum(v) else go(sort({x + 1 : x in v | x > 0} ++ [k]), k - 1);\n"
		"go([1:n], 50) + sum(flatten({[0:i] : i in [0:10]}));\n");
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input n:int %s/short.nesl >%s/short.c", dir, dir));
	free(text);
	write_file(dir, "short.c", arena_printf(arena, "%s\n%s", text_of(in_dir("short.c")), count));
	compile("short.c", "short", "-fopenmp", "-Wl,--wrap=GOMP_parallel");
	write_file(dir, "100.txt", "100");
	write_file(dir, "100000.txt", "100000");
	ck_assert_int_eq(0, sh(&text, "cd %s && for c in '2 100' '1 100000' '2 100000'; do set -- $c; "
		"OMP_NUM_THREADS=$1 ./short --input n=$2.txt 2>&1 >/dev/null; done", dir));
	ck_assert_int_eq(3, sscanf(text, "%d %d %d", &none, &one, &some));
	free(text);
	ck_assert_msg(none == 0 && one == 0 && some >= 100, "%d, %d, %d", none, one, some);
}
END_TEST

/* What a chunk must know of a scan before it goes on is a fold: that is taken in lanes, and gives what the scan would.  The
 * scan itself, of floats that are there, waits for one addition for each four. */
START_TEST(scans_are_done_in_lanes)
{
	static const char *const has_text[] = {"f64 it_2_lane[NESL_LANES] = {it_2_run, 0.0, 0.0, 0.0};", "it_2_lane[lane_] = a_2;",
		"it_2_lane[3] = it_2_run + it_2_three;", "it_2_run = it_2_run + it_2_all;"};
	char *text;

	write_file(dir, "scan.nesl", "function wrong(s) = sum({abs(x - float(i * (i - 1) / 2)) : x in s; i in [0:#s]});\n"
		"wrong(plus_scan({float(i) : i in [0:500000]}));\n");
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --input a:[float] -e 'plus_scan(a)'"));
	has_each(text, has_text, sizeof has_text / sizeof *has_text);
	free(text);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(0, sh(&text, "./nessie run --target=cpu %s %s/scan.nesl", i ? "--grain=3" : "", dir));
		ck_assert_str_eq(text, "it = 0.0 : float\n");
		free(text);
	}
}
END_TEST

/* The rows of a recursion are done in batches on the threads there are (flatten/batch.c), on a device not, and where such a program is
 * read back it does all rows at once; nor are there batches where what a function gives are rows of what it is given. */
START_TEST(rows_come_apart)
{
	static const char halves[] = "function halves(a) = if #a < 4 then a else let h = {x + y : x in a; y in reverse(a) | x < y} in "
		"flatten({halves(v) : v in [h, take(a, #a / 3)]}); #halves([0:9])";
	static const struct {
		const char *form;
		bool apart;
	} gives[] = {
		{"function pick(a, n) = if n < 2 then [a] else let r = {pick(a, k) : k in [n / 2, n - n / 2]} in r[0] ++ r[1]; "
			"{#pick(r, #r) : r in [[0:9], [0:7]]}", false},
		{"function pick(a, n) = if n < 2 then [a] else if n == 2 then [a, a] else let r = {pick(a, k) : k in [n / 2, n - n / 2]} in "
			"r[0] ++ r[1]; {#pick(r, #r) : r in [[0:9], [0:7]]}", false},
		/* rows of numbers are put together from where they are */
		{"function few(a) = if #a < 4 then a else if #a == 4 then [1] else let r = {few(v) : v in [drop(a, 3), take(a, #a / 3)]} in r[0]; "
			"{#few(r) : r in [[0:9], [0:7]]}", true},
		/* here what it gives are views of what its arms gave, but one that goes on stores that */
		{"function many(a) = if #a < 4 then a else if #a == 4 then [1] else let r = {many(v) : v in [drop(a, 3), take(a, #a / 3)]} in "
			"r[0] ++ r[1]; {#many(r) : r in [[0:9], [0:7]]}", true},
	};
	char *text;

	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c -e '%s'", halves));
	ck_assert_msg(strstr(text, " all_halves_batch(n") && strstr(text, "NESL_EACH_BATCH(all_)"), "%.3000s", text);
	free(text);
	ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=cuda -e '%s'", halves));
	ck_assert_msg(!strstr(text, "_batch"), "%.3000s", text);
	free(text);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=%s -e '%s' >%s/halves && ./nessie run --target=emu --from=%s %s/halves",
			i ? "mem" : "opt", halves, dir, i ? "mem" : "opt", dir));
		ck_assert_str_eq(text, "it = 4 : int\n");
		free(text);
	}
	for (size_t i = 0; i < sizeof gives / sizeof *gives; i++) {
		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=flan -e '%s'", gives[i].form));
		ck_assert_msg(!strstr(text, "batch") == !gives[i].apart, "%.3000s", text);
		free(text);
	}
}
END_TEST

/* Rows of few elements are run in nested form (flatten/small.c): so many tasks whatever the recursion is like.  An attempt that fails
 * leaves the rows, and those that they lead to, to the flat code; nothing is run so where that is not wanted. */
START_TEST(small_rows_are_run_in_turn)
{
	static const char program[] = "function mirror(a) = if #a < 2 then a else let h = #a / 2 in {x + %s : x in mirror(drop(a, h))} ++ "
		"mirror(take(a, h));\nlet rows = {{x * i : x in [0:rem(i, %d)]} : i in [1:900]}; r = {mirror(v) : v in rows} in\n"
		"sum({sum({x * y : x in v; y in [0:#v]}) : v in r});\n";
	static const struct {
		const char *options, *term;
		int most;
		bool flat;
	} how[] = {{"", "1", 30, false}, {"", "1", 200, true}, {"", "sum(dist(a[0], 2000)) * 0 + 1", 30, false}, {"", "1 / (#a - 100)", 30, false}, {"", "sum(dist(a[0], 100000)) * 0 + 1", 30, true},
		{"--debug", "1", 30, true}, {"--mem-limit=1000000000", "1", 30, true}, {"-O0", "1", 30, true}, {"--grain=1", "1", 30, true},
		{"--grain=3", "1", 30, false}};
	char *text, *first = NULL;

	for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
		write_file(dir, "small.nesl", arena_printf(arena, program, how[i].term, how[i].most));
		ck_assert_int_eq(0, sh(&text, "%sOMP_NUM_THREADS=2 ./nessie run --target=cpu %s --stats %s/small.nesl 2>&1",
			*how[i].options ? QUICKLY : "", how[i].options, dir));
		ck_assert_msg((figure(text, "launches") > 15) == how[i].flat, "%s %s: %.0f launches", how[i].options, how[i].term,
			figure(text, "launches"));
		if (how[i].most == 30 && !strchr(how[i].term, '/')) {
			*strchr(text, '\n') = '\0';
			ck_assert_msg(!first || strcmp(text, first) == 0, "%s: %s", how[i].options, text);
			first = first ? first : arena_printf(arena, "%s", text);
		}
		free(text);
	}
	/* after an attempt that failed there are small rows again */
	write_file(dir, "small.nesl", "function much(a) = if #a < 2 then dist(1, 20000) else much(take(a, #a / 2)) ++ much(drop(a, #a / 2));\n"
		"sum({#r : r in {much(v) : v in [[1, 2, 3], [4]]}});\n"
		"function turn(a) = if #a < 2 then a else turn(drop(a, #a / 2)) ++ turn(take(a, #a / 2));\n"
		"{turn(v) : v in [[1, 2, 3], [4]]};\n");
	ck_assert_int_eq(0, sh(&text, "./nessie run --target=cpu --stats %s/small.nesl 2>&1", dir));
	ck_assert_msg(strstr(text, "it = 80000 : int\nit = [[3, 2, 1], [4]] : [[int]]\n"), "%.300s", text);
	ck_assert(figure(strstr(text, "\"much_small\""), "launches") == 0 && figure(strstr(text, "\"turn_small\""), "launches") == 1);
	free(text);
}
END_TEST

/* Loops of small rows run one after the other, however many rounds there are; not one of which a row grows too large, nor one whose
 * rounds make much, where few rows are. */
START_TEST(small_loops)
{
	static const char spin[] =
		"function spin(v, k, a) = if k == 0 then a else spin(drop(v, 1) ++ [v[0]], k - 1, rem(a * 3 + v[0], 1009));\n"
		"{spin([0:n], %d, 0) : n in [1, 5, 30]};\n"
		"function grow(v) = if #v > 30000 then sum(v) else grow(v ++ v ++ [1]);\n"
		"{grow(v) : v in [[0], [1, 2, 3], [] int]};\n";
	static const char settle[] =
		"function settle(v, k, a) = if k == 0 then a else settle(reverse(v), k - 1, rem(a + sum(plus_scan([0:5000 + #v])), 1009));\n"
		"sum({settle([0:rem(n, 7)], 1, 0) : n in [0:%d]});\n";
	char *few, *many;

	write_file(dir, "small.nesl", arena_printf(arena, spin, 10));
	ck_assert_int_eq(0, sh(&few, QUICKLY "./nessie run --target=cpu --stats %s/small.nesl 2>&1", dir));
	write_file(dir, "small.nesl", arena_printf(arena, spin, 100000));
	ck_assert_int_eq(0, sh(&many, QUICKLY "./nessie run --target=cpu --stats %s/small.nesl 2>&1", dir));
	ck_assert_msg(strstr(many, "it = [0, 419, 399] : [int]\nit = [16383, 57343, 32767] : [int]\n"), "%.300s", many);
	ck_assert(figure(few, "launches") == figure(many, "launches"));
	ck_assert(figure(strstr(many, "\"spin_small\""), "launches") == 1 && figure(strstr(many, "\"grow_small\""), "launches") == 0);
	free(few);
	free(many);
	for (int n = 52; n <= 5200; n *= 100) {
		write_file(dir, "small.nesl", arena_printf(arena, settle, n));
		ck_assert_int_eq(0, sh(&many, QUICKLY "./nessie run --target=cpu --stats %s/small.nesl 2>&1", dir));
		ck_assert_msg(strstr(many, n == 52 ? "it = 41851 : int\n" : "it = 4139557 : int\n"), "%.300s", many);
		ck_assert(figure(strstr(many, "\"settle_small\""), "launches") == (n == 5200));
		free(many);
	}
}
END_TEST

/* How many loops have it in them? */
static int
loops_with(const char *text, const char *what)
{
	int n = 0;

	for (const char *found; (found = strstr(text, what)); n++) {
		text = strstr(found, "for (");
		if (!text)
			return n + 1;
	}
	return n;
}

/* Packs of sequences as long as one another, that do not need what is kept by the first, are one loop. */
START_TEST(packs_of_a_row_are_one_loop)
{
	static const struct {
		const char *second, *third;
		int loops;
	} given[] = {{"{e in a | e == p}", "{e in a | e > p}", 1}, {"{e in a | e == p}", "{e in low | e > 1}", 2},
		{"{e in a | e > #low}", "{e in a | e > 0}", 2}, {"{e in a; y in {x * x : x in a} | y > p}", "a", 1},
		{"{e in b | e == p}", "{e in b | e > p}", 2}, {"{e in a; x in b | x == p}", "a", 2}};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		char *text, *end;

		write_file(dir, "packs.nesl", arena_printf(arena, "function go(a, b) = if #a < 2 then #a + #b\n"
			"else let p = a[#a / 2]; low = {e in a | e < p}; r = %s; s = %s in sum({go(v, b) : v in [low]}) + #r + #s;\n"
			"{go({rem(i * 7, 5) : i in [0:n]}, [n:2 * n]) : n in [2:9]};\n", given[i].second, given[i].third));
		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c %s/packs.nesl", dir));
		end = strstr(strstr(text, "\nnested_go_("), "\n}");
		*end = '\0';
		ck_assert_msg(loops_with(text, "_n_ += ") == given[i].loops, "%s, %s: %d", given[i].second, given[i].third, loops_with(text, "_n_ += "));
		free(text);
	}
}
END_TEST

/* What all calls of itself hand on is in a struct that they share, of an array its head, so that elements are one step away; who calls from
 * outside makes one, the other of a cycle too. */
START_TEST(what_a_recursion_keeps_is_shared)
{
	static const struct {
		const char *functions, *form, *same;
	} given[] = {
		{"function tree(k, v, d) = if k >= #v then d else tree(2 * k + 1, v, d) * 3 + tree(2 * k + 2, v, d) + v[k];",
			"{tree(x, a, x) : x in a}", "\tnesl_vec v;\n\tnint d;\n"},
		{"function tree(k, v, d) = if k >= #v then d else tree(2 * k + 1, v, d + 1) * 3 + tree(2 * k + 2, v, d) + v[k];",
			"{tree(x, a, x) : x in a}", NULL},
		{"function swaps(k, x, y, z, w) = if k < 1 then x * 2 + y * 3 + z * 5 + w else 1 + swaps(k - 1, y, x, z, w);",
			"{swaps(rem(x, 7), x, 11, 2 * x, 3) : x in a}", "\tnint z;\n\tnint w;\n"},
		{"function loop(k, x, y, z) = if k < 1 then x * 2 + y * 3 + z else loop(k - 1, x, y, z);",
			"{loop(rem(x, 7), x, 11, 2 * x) : x in a}", NULL},
		{"function mixed(k, x, y) = if k < 1 then x * 2 + y else if k == 3 then mixed(k - 1, x, y) else 1 + mixed(k - 1, x, y) * x;",
			"{mixed(rem(x, 7), x, 2 * x) : x in a}", "\tnint x;\n\tnint y;\n"},
		{"function even(k, x, y) : (int, int, int) -> int; function odd(k, x, y) : (int, int, int) -> int = if k < 1 then x - y else "
			"2 * odd(k - 2, x, y) + even(k - 1, y + 1, x); function even(k, x, y) : (int, int, int) -> int = if k < 1 then x + y "
			"else odd(k - 1, x, y) - 3;", "{odd(rem(x, 9), x, x + 7) + even(5, x, x) : x in a}", "\tnint x;\n\tnint y;\n"},
		{"function falls(k, v, d) = if k == 0 then v[d] / (d - 4) else 1 + falls(k - 1, v, d);", "{falls(rem(x, 5), a, x) : x in a}",
			"\tnesl_vec v;\n\tnint d;\n"}};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		char *text, *want, *at;
		int status;

		write_file(dir, "same.nesl", arena_printf(arena, "%s\nlet a = [0:20] in %s;\n", given[i].functions, given[i].form));
		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c %s/same.nesl", dir));
		at = strstr(text, "\nstruct same_");
		ck_assert_msg(!at == !given[i].same, "%s", given[i].functions);
		if (at) {
			at = strstr(at, "{\n") + 2;
			ck_assert_msg(strncmp(at, given[i].same, strlen(given[i].same)) == 0 && at[strlen(given[i].same)] == '}', "%.300s", at);
		}
		free(text);
		status = sh(&want, "./nessie run --target=interp %s/same.nesl 2>&1", dir);
		ck_assert_int_eq(status, strstr(given[i].functions, "falls") ? 3 : 0);
		for (int threads = 1; threads < 3; threads++) {
			ck_assert_int_eq(status, sh(&text, "OMP_NUM_THREADS=%d ./nessie run --target=cpu --grain=3 %s/same.nesl 2>&1", threads, dir));
			ck_assert_str_eq(text, want);
			free(text);
		}
		free(want);
	}
}
END_TEST

/* Also where the name of what one check asks begins like that of another. */
START_TEST(each_check_of_a_run_is_asked)
{
	static const char *const has_text[] = {" && ok_2 && ok) {\n"};
	char *out;

	emit_file("checks_of_a_run.mem", "checks_of_a_run.c");
	has_each(text_of(in_dir("checks_of_a_run.c")), has_text, 1);
	write_file(dir, "p.nesl", "2\n");
	write_file(dir, "q.nesl", "0\n");
	ck_assert_int_eq(3, sh(&out, "D=%s; echo \"[$(seq -s, 60)]\" >$D/a.nesl; ./nessie run --target=cpu --from=mem tests/cpu/checks_of_a_run.mem "
		"--input a=$D/a.nesl --input p=$D/p.nesl --input q=$D/q.nesl --input k=$D/p.nesl 2>&1", dir));
	ck_assert_msg(strstr(out, "error[div-by-zero]") != NULL, "%s", out);
	free(out);
}
END_TEST

/* Where elements are put, that a place is one is asked once for all of them, if it is one of so many, or what comes next. */
START_TEST(places_of_puts_are_asked_once)
{
	static const char *const given[] = {"{rem(i * i, 97) : i in [0:6000]}", "{rem(i * i, 97) : i in [0:6000]} ++ [max_int]",
		"{rem(i * i, 97) * (max_int / 100) : i in [0:6000]}", "{rem(i, 300) - 150 : i in [0:6000]} ++ dist(-300, 9) ++ dist(450, 3)"};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		char *text, *want, *loop;

		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c -e 'histogram(%s)'", given[i]));
		loop = strstr(text, " && nesl_in(");
		ck_assert_msg(loop != NULL, "%s", given[i]);
		loop = strstr(loop, "\t\tfor (; e1 < hi; e1++) {\n");
		*strstr(loop, "\n\t\t}") = '\0';
		ck_assert_msg(!strstr(loop, "if ("), "%.1000s", loop);
		free(text);
		ck_assert_int_eq(0, sh(&want, "./nessie run --target=interp -e 'histogram(%s)' 2>&1", given[i]));
		for (int grain = 3; grain < 10000; grain *= 1000) {
			ck_assert_int_eq(0, sh(&text, "%s./nessie run --target=cpu --grain=%d -e 'histogram(%s)' 2>&1", grain < 10 ? QUICKLY : "",
				grain, given[i]));
			ck_assert_str_eq(text, want);
			free(text);
		}
		free(want);
	}
}
END_TEST

/* Numbers below `bound`, or else `other`, are places of six: they are asked once only where what they are below is what comes next. */
START_TEST(places_below_another_number_are_asked)
{
	static const char program[] = "unit normal\ncell it : [int]\nentry expr it = it : [int] {\nis:[int] = range 0, 6000, 1\n"
		"k:[int] = foreach is {\n(i:int)\nmul:int = mul i, 7\nrem:int = rem mul, 11\nsub:int = sub rem, 3\nyield sub\n}\n"
		"d:[int] = foreach k {\n(x:int)\na:bool = in_range x, %d\ns:int = select a, x, %d\nyield s\n}\n"
		"ones:[int] = dist 1, 6000\nzeros:[int] = dist 0, 6\nit:[int] = put_sum ones, d, zeros\nyield it\n}\n";
	static const struct {
		int bound, other, status;
		bool once;
		const char *says;
	} given[] = {{5, 5, 0, true, "it = [546, 545, 545, 546, 546, 3272] : [int]\n"}, {6, 6, 3, true, "index 6 is outside a sequence of length 6\n"},
		{9, 5, 3, false, "index 7 is outside a sequence of length 6\n"}, {6, 5, 0, false, "it = [546, 545, 545, 546, 546, 3272] : [int]\n"}};

	for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
		char *text;

		write_file(dir, "put.normal", arena_printf(arena, program, given[i].bound, given[i].other));
		ck_assert_int_eq(given[i].status, sh(&text, "./nessie run --target=cpu --from=normal %s/put.normal 2>&1", dir));
		ck_assert_msg(strstr(text, given[i].says) != NULL, "%s", text);
		free(text);
		ck_assert_int_eq(0, sh(&text, "./nessie dump --stage=c --from=normal %s/put.normal", dir));
		ck_assert_msg(!strstr(text, " && nesl_in(") == !given[i].once, "%d, %d", given[i].bound, given[i].other);
		free(text);
	}
}
END_TEST

/* The program starts itself once more, with settings of its own: where threads are bound to processors, it has them all then, too. */
START_TEST(bound_threads_are_as_many)
{
	static const char *const bind[] = {"false", "true", "close"};
	char *first = NULL, *text;

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(0, sh(&text, "OMP_PROC_BIND=%s ./nessie run --target=cpu --stats -e 1 2>&1 | grep -o '\"ran_on\": \"[^\"]*\"'", bind[i]));
		ck_assert_msg(strstr(text, "ran_on") && (!first || strcmp(text, first) == 0), "%s: %s, not %s", bind[i], text, first);
		if (first)
			free(text);
		else
			first = text;
	}
	free(first);
}
END_TEST

/* What is summed in which order does not depend on the threads; of faults in several batches the first is told, each time.  That there
 * are batches is seen by the launches: with the usual grain these are few elements. */
START_TEST(batches_agree)
{
	char *text;
	double launches;

	write_file(dir, "batches.nesl", "function total(a, k) = if #a < 2 then {1.0 / float(x + k / (x - 77)) : x in a} else let p = a[#a / 2];\n"
		"r = {total(v, k) : v in [{e in a | e < p}, {e in a | e > p}]} in [sum(r[0]) + sum(r[1]) / 3.0];\n"
		"a = {rem(i * 7919 + 13, 10007) : i in [0:9000]}; a = {if x == 77 then 78 else x : x in a};\n"
		"total(a, 1);\ntotal(a ++ [77], 1);\n{total([x, 5, 77, y, 9], 1) : x in a; y in reverse(a)};\n");
	ck_assert_int_eq(3, sh(&text, "./nessie run --target=cpu --stats %s/batches.nesl 2>&1", dir));
	launches = figure(text, "launches");
	free(text);
	ck_assert_int_eq(3, sh(&text, "./nessie run --target=cpu --grain=64 --stats %s/batches.nesl 2>&1", dir));
	ck_assert_msg(figure(text, "launches") > 3 * launches, "%.0f and %.0f launches", figure(text, "launches"), launches);
	free(text);
	ck_assert_int_eq(3, sh(&text, "OMP_NUM_THREADS=1 ./nessie run --target=cpu --grain=64 %s/batches.nesl 2>&1", dir));
	for (int threads = 2; threads <= 4; threads++) {
		char *again;

		ck_assert_int_eq(3, sh(&again, "OMP_NUM_THREADS=%d ./nessie run --target=cpu --grain=64 %s/batches.nesl 2>&1", threads, dir));
		ck_assert_str_eq(again, text);
		free(again);
	}
	free(text);
}
END_TEST

/* Where the first batch has met a fault those behind it do not go on to their ends: here a million calls deep. */
START_TEST(batches_behind_a_fault_end)
{
	char *text;

	write_file(dir, "behind.nesl", "function down(a) = let b = {x - 1 : x in a} in if b[0] < 0 then [1 / (b[0] + 1)] else flatten({down(v) : v in [b]});\n"
		"{down({if i == 0 then 2000 else 1000000000 : j in [0 : 5 + rem(i, 3)]}) : i in [0:40]};\n");
	ck_assert_int_eq(3, sh(&text, "OMP_NUM_THREADS=2 ./nessie run --target=cpu --grain=3 --stats %s/behind.nesl 2>&1", dir));
	ck_assert_ptr_nonnull(strstr(text, "error[div-by-zero]"));
	ck_assert_msg(figure(text, "launches") < 100000, "%.300s", text);
	free(text);
}
END_TEST

/* A thread of a batch has less stack than the main one: where it has no more all is swept and the form begins anew, without batches;
 * where the form has printed already calls are too deep. */
START_TEST(batch_without_stack)
{
	char *text;
	bool alone;

	ck_assert_int_eq(0, sh(&text, "OMP_NUM_THREADS=3 ./nessie run --target=cpu --stats -e 'sum([0:1000])' 2>&1"));
	alone = strstr(text, "\"ran_on\": \"cpu, 1 thread\"");
	free(text);
	if (alone) {
		fprintf(stderr, "check_cpu: the C compiler has no OpenMP, so batches have no threads of their own\n");
		return;
	}
	write_file(dir, "deep.nesl", "function down(a, k) = if k == 0 then sum(a) else 1 + sum({down(v, k - 1) : v in [a]});\n"
		"sum({down([0:i], 3000) : i in [3:30]});\n");
	ck_assert_int_eq(0, sh(&text, "OMP_STACKSIZE=300K OMP_NUM_THREADS=3 ./nessie run --target=cpu --grain=3 --stats %s/deep.nesl 2>&1", dir));
	ck_assert_msg(strncmp(text, "it = 85059 : int\n", 17) == 0 && figure(text, "bytes_swept") > 0, "%.600s", text);
	free(text);
	write_file(dir, "shown.nesl", "function down(a, k) = if k == 0 then sum(a) else 1 + sum({down(v, k - 1) : v in [a]});\n"
		"let x = print_line(\"shown\") in sum({down([0:i], 3000) : i in [3:30]});\n");
	ck_assert_int_eq(3, sh(&text, "OMP_STACKSIZE=300K OMP_NUM_THREADS=3 ./nessie run --target=cpu --grain=3 %s/shown.nesl 2>&1", dir));
	ck_assert_msg(strncmp(text, "shown\n", 6) == 0 && !strstr(text + 6, "shown\n") && strstr(text, "error[recursion-depth]"), "%.600s", text);
	free(text);
}
END_TEST

/* A task that was put together tells all its lines, in C as in CUDA. */
START_TEST(tasks_tell_their_lines)
{
	static const char *const stage[] = {"c", "cuda"};

	write_file(dir, "lines.nesl", "function squares(a) =\n  {x * x : x in a};\nfunction more(a) =\n  sum({x + 1\n    : x in squares(a)});\n");
	for (int i = 0; i < 2; i++) {
		char *text;

		ck_assert_int_eq(0, sh(&text, "cd %s && $OLDPWD/nessie dump --stage=%s --input a:[int] lines.nesl -e 'more(a)'", dir, stage[i]));
		ck_assert_msg(strstr(text, "\n// lines.nesl:2:4  {x * x : x in a};\n// lines.nesl:4:3  sum({x + 1\n"), "%s", text);
		ck_assert_ptr_nonnull(strstr(text, "\"lines.nesl:2,4\""));
		free(text);
	}
}
END_TEST

START_TEST(bad_command_lines)
{
	emit_file("program.mem", "program.c");
	compile("program.c", "program", "", "");
	write_file(dir, "other.nesl", "[1, 2]\n");
	ck_assert_int_eq(run_program((const char *const[]){in_dir("program"), NULL}, "out.txt"), 2);
	has("input m : [(int, float)] has no file");
	ck_assert_int_eq(run_it("m=other.nesl", "--nothing"), 2);
	ck_assert_int_eq(run_it("k=other.nesl", "--time"), 2);
	ck_assert_int_eq(run_it("m=other.nesl", "--time"), 4);
	has("other.nesl holds a value of type [int]");
	ck_assert_int_eq(run_it("m=nowhere.nesl", "--time"), 4);
	ck_assert_int_eq(run_it("m=other.nesl", "--help"), 0);
	ck_assert_int_eq(run_it("m=other.nesl", "-h"), 0);
	ck_assert_int_eq(run_it("m=other.nesl", "--print-length=0"), 2);
	has("--print-length wants a number from 1, not `0`");
}
END_TEST

/* Names stay apart, and what is a name already stays as it is. */
START_TEST(names_are_identifiers)
{
	static const char *const odd[] = {"for", "x_", "x__", "x_x_", "e1", "nesl_in", "a'", "a''", "a_x27'", "_", "task_f",
		"BUFSIZ", "EOF", "acos", "asm", "b8", "errno", "main", "nint", "nuint", "nullptr", "threadIdx", "thread_local", "unix",
		"warpSize", "wchar_t", "while", "xor", "xor_eq"};
	Unit u = unit_new();
	Emit *e = emit_new(&u);

	ck_assert_str_eq(emit_cname(e, "pivot_2"), "pivot_2");
	for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
		const char *name = emit_cname(e, odd[k]);

		ck_assert_str_ne(name, odd[k]);
		ck_assert_int_eq((int)strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"), (int)strlen(name));
		for (size_t j = 0; j < k; j++)
			ck_assert_str_ne(name, emit_cname(e, odd[j]));
	}
}
END_TEST

START_TEST(constants_are_exact)
{
	Unit u = unit_new();
	Emit *e = emit_new(&u);

	ck_assert_str_eq(emit_const(e, opnd_float(0.1)), "0.1");
	ck_assert_str_eq(emit_const(e, opnd_float(1e300)), "1e+300");
	ck_assert_str_eq(emit_const(e, opnd_float(-0.0)), "-0.0");
	ck_assert_str_eq(emit_const(e, opnd_int(INT64_MIN)), "MIN_INT");
	ck_assert(strtod(emit_const(e, opnd_float(2.0 / 3.0)), NULL) == 2.0 / 3.0);
}
END_TEST

Suite *cpu_suite(void);

Suite *
cpu_suite(void)
{
	Suite *s = suite_create("cpu");
	TCase *c = tcase_create("cpu");

	tcase_add_unchecked_fixture(c, make_objects, remove_objects);
	tcase_add_checked_fixture(c, begin, end);
	tcase_add_loop_test(c, tasks_agree_with_loops, 0, 2);
	tcase_add_test(c, strips_end_where_lanes_begin);
	tcase_add_test(c, program_runs);
	tcase_add_test(c, depth_is_told_after_what_tasks_found);
	tcase_add_test(c, figures_are_counted);
	tcase_add_test(c, same_tasks_share_a_function);
	tcase_add_test(c, checked_places_are_compared_once);
	tcase_add_test(c, runs_take_one_arm);
	tcase_add_test(c, runs_go_up_evenly);
	tcase_add_test(c, runs_are_cut_where_their_rows_say);
	tcase_add_test(c, what_comes_is_asked_for);
	tcase_add_test(c, results_are_stored_in_strips);
	tcase_add_test(c, open_rows_share_the_text);
	tcase_add_test(c, chunks_side_by_side);
	tcase_add_test(c, short_tasks_have_no_parallel_region);
	tcase_add_test(c, scans_are_done_in_lanes);
	tcase_add_test(c, rows_come_apart);
	tcase_add_test(c, small_rows_are_run_in_turn);
	tcase_add_test(c, small_loops);
	tcase_add_test(c, packs_of_a_row_are_one_loop);
	tcase_add_test(c, what_a_recursion_keeps_is_shared);
	tcase_add_test(c, each_check_of_a_run_is_asked);
	tcase_add_test(c, places_of_puts_are_asked_once);
	tcase_add_test(c, places_below_another_number_are_asked);
	tcase_add_test(c, batches_agree);
	tcase_add_test(c, bound_threads_are_as_many);
	tcase_add_test(c, batches_behind_a_fault_end);
	tcase_add_test(c, batch_without_stack);
	tcase_add_test(c, tasks_tell_their_lines);
	tcase_add_test(c, bad_command_lines);
	tcase_add_test(c, names_are_identifiers);
	tcase_add_test(c, constants_are_exact);
	suite_add_tcase(s, c);
	return s;
}

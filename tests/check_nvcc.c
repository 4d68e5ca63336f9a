/* check_nvcc.c: nvcc's word on generated CUDA, where there is nvcc: no warning, as many registers as are recorded, wide accesses, loads
 * before stores. */
#include "common/embed.h"
#include "common/process.h"
#include "fuse/map.h"
#include "tests/cuda_text.h"
#include <stdio.h>
#include <unistd.h>

Suite *nvcc_suite(void);

static const char *
find_nvcc(Arena *a)
{
	const char *usual = "/usr/local/cuda/bin/nvcc";

	return access(usual, X_OK) == 0 ? usual : process_find(a, "nvcc");
}

static const char *const archs[] = {"sm_75", "sm_80", "sm_90"};

/* The path of what it makes, -cubin or -ptx, without a warning or a spilled register; to go with tempdir_remove. */
static const char *
nvcc_makes(const char *nvcc, IrCase *c, const char *what, const char *arch, const char **dir)
{
	Arena *a = c->u.arena;
	const char *source, *made, *log, *text = cuda_text(c);
	int interrupt;
	size_t n;
	FILE *f;

	*dir = tempdir_new(a);
	ck_assert_ptr_nonnull(*dir);
	source = arena_printf(a, "%s/program.cu", *dir);
	made = arena_printf(a, "%s/program.made", *dir);
	log = arena_printf(a, "%s/messages.txt", *dir);
	f = fopen(source, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	if (process_run(&(Process){.exe = nvcc, .argv = (const char *const[]){nvcc, "-std=c++17", "-O3", "-fmad=false", what,
			"-Werror", "all-warnings", "-Xptxas", "-warn-spills,-Werror",
			arena_printf(a, "-arch=%s", arch), "-Ibackend/rt", "-o", made, source, NULL}, .output = log}, &interrupt) != 0)
		ck_abort_msg("nvcc refuses this for %s:\n%.3000s\n%s", arch, read_text(a, log, &n), text);
	return made;
}

static void
nvcc_takes(const char *nvcc, IrCase *c, const char *arch)
{
	const char *dir;

	nvcc_makes(nvcc, c, "-cubin", arch, &dir);
	tempdir_remove(dir);
}

/* The program in a file, with `more` after it. */
static void
nvcc_takes_file(const char *path, const char *more, const char *arch)
{
	Arena *a = arena_new();
	const char *nvcc = find_nvcc(a), *text;
	size_t n;

	if (!nvcc) {
		fprintf(stderr, "check_nvcc: nvcc is not installed: %s was NOT compiled for %s\n", path, arch);
	} else {
		IrCase *c;

		text = read_text(a, path, &n);
		ck_assert_msg(text != NULL, "%s cannot be read", path);
		c = case_read(&mem_ir, arena_printf(a, "%s%s", text, more));
		map(&c->u);
		nvcc_takes(nvcc, c, arch);
		case_end(c);
	}
	arena_free(a);
}

/* Skeletons and fused tasks; with what takes more registers, fewer threads run at once. */
START_TEST(registers_are_as_recorded)
{
	Arena *a = arena_new();
	const char *recorded, *now;
	size_t n;

	if (!find_nvcc(a)) {
		fprintf(stderr, "check_nvcc: nvcc is not installed: skeletons were NOT compiled\n");
		return;
	}
	ck_assert_int_eq(0, system("sh tests/cuda/registers.sh >build/registers.txt"));
	recorded = read_text(a, "tests/cuda/registers.txt", &n);
	now = read_text(a, "build/registers.txt", &n);
	ck_assert(recorded && now);
	if (strncmp(recorded, now, strcspn(recorded, "s")) == 0)
		ck_assert_str_eq(now, recorded);
	else
		fprintf(stderr, "check_nvcc: tests/cuda/registers.txt is of another nvcc, registers were not compared\n");
	arena_free(a);
}
END_TEST

/* In the PTX of the task's kernel: ld or st of 128 bits. */
static bool
has_wide(Arena *a, const char *ptx, const char *task, const char *access)
{
	static const char *const as[] = {"v2.u64", "v4.u32"};
	bool any = false;
	const char *kernel = strstr(ptx, task), *end;

	ck_assert_msg(kernel != NULL, "%s is not in\n%s", task, ptx);
	end = strstr(kernel, "\n}\n");
	ck_assert_ptr_nonnull(end);
	for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
		const char *found = strstr(kernel, arena_printf(a, "\t%s.global.%s", access, as[i]));

		any = any || (found && found < end);
	}
	return any;
}

/* Threads that touch their own elements do so in 16 bytes; where other places are touched too neighbours are for neighbours. */
START_TEST(own_elements_are_wide)
{
	static const struct {
		const char *task;
		bool loads, stores;
	} is[] = {{"task_1_filled", false, true}, {"task_2_tripled", true, true}, {"task_3_strided", false, false},
		{"task_4_summed", true, false}, {"task_7_scattered", false, false}};
	Arena *a = arena_new();
	const char *nvcc = find_nvcc(a), *text, *ptx, *dir;
	IrCase *c;
	size_t n;

	if (!nvcc) {
		fprintf(stderr, "check_nvcc: nvcc is not installed: how wide accesses are was NOT looked at\n");
		return;
	}
	text = read_text(a, "tests/simt/counts.mem", &n);
	ck_assert_ptr_nonnull(text);
	c = case_read(&mem_ir, _i ? arena_printf(a, "unit mem int 32%s", strchr(text, '\n')) : text);
	ptx = read_text(a, nvcc_makes(nvcc, c, "-ptx", "sm_80", &dir), &n);
	for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
		ck_assert_msg(has_wide(a, ptx, is[i].task, "ld") == is[i].loads, "loads of %s", is[i].task);
		ck_assert_msg(has_wide(a, ptx, is[i].task, "st") == is[i].stores, "stores of %s", is[i].task);
	}
	tempdir_remove(dir);
	case_end(c);
	arena_free(a);
}
END_TEST

/* How many loads the kernel of a task has, and that all of them stand before its first store: they are on their way at once. */
static void
expect_loads_first(const char *ptx, const char *task, int n)
{
	const char *kernel = strstr(ptx, task), *end, *store;
	int loads = 0;

	ck_assert_msg(kernel != NULL, "%s is not in\n%s", task, ptx);
	end = strstr(kernel, "\n}\n");
	ck_assert_ptr_nonnull(end);
	store = strstr(kernel, "\tst.global");
	for (const char *p = kernel; (p = strstr(p, "\tld.global")) && p < end; p++, loads++)
		ck_assert_msg(!store || store > end || p < store, "a load of %s waits for a store", task);
	ck_assert_msg(loads == n, "%s has %d loads", task, loads);
}

/* A map that fetches, a pack, a scatter: what a thread reads it reads once, before it stores anything. */
START_TEST(loads_wait_for_no_store)
{
	Arena *a = arena_new();
	const char *nvcc = find_nvcc(a), *text, *ptx, *dir;
	IrCase *c;
	size_t n;

	if (!nvcc) {
		fprintf(stderr, "check_nvcc: nvcc is not installed: the order of accesses was NOT looked at\n");
		return;
	}
	text = read_text(a, "tests/simt/counts.mem", &n);
	ck_assert_ptr_nonnull(text);
	c = case_read(&mem_ir, text);
	ptx = read_text(a, nvcc_makes(nvcc, c, "-ptx", "sm_80", &dir), &n);
	expect_loads_first(ptx, "task_3_strided", 8);
	expect_loads_first(ptx, "task_6_kept", 16);
	expect_loads_first(ptx, "task_7_scattered", 8);
	tempdir_remove(dir);
	case_end(c);
	arena_free(a);
}
END_TEST

/* Every form of a task; what nobody calls would be a warning. */
START_TEST(nvcc_takes_all_tasks)
{
	nvcc_takes_file("tests/cpu/tasks.mem",
		"cell it : int\n"
		"entry expr it = it : int {\n"
		"\txs:<float> = vector\n"
		"\tis:<int> = vector\n"
		"\tbs:<bool> = vector true\n"
		"\trs:<float> = vector 1.0\n"
		"\tu:uniform = uniform 1, 0\n"
		"\ts:segdes = offsets uniform u\n"
		"\tretain s\n\tretain is\n\tretain is\n\tretain bs\n"
		"\ta:int = call tasks 1, s, xs, is, rs, bs\n"
		"\tb:int = call more 1, s, is, is, bs\n"
		"\tc:int = add a, b\n"
		"\tyield c\n"
		"}\n", archs[_i]);
}
END_TEST

/* Constants everywhere, values that nobody uses. */
START_TEST(nvcc_takes_corners)
{
	nvcc_takes_file("tests/cuda/corners.mem", "", archs[_i]);
}
END_TEST

START_TEST(nvcc_takes_a_program)
{
	nvcc_takes_file("tests/cpu/program.mem", "", archs[_i]);
}
END_TEST

Suite *
nvcc_suite(void)
{
	Suite *s = suite_create("nvcc");
	TCase *t = tcase_create("nvcc");

	tcase_set_timeout(t, 600);
	tcase_add_test(t, registers_are_as_recorded);
	tcase_add_loop_test(t, own_elements_are_wide, 0, 2);
	tcase_add_test(t, loads_wait_for_no_store);
	tcase_add_loop_test(t, nvcc_takes_all_tasks, 0, 3);
	tcase_add_loop_test(t, nvcc_takes_corners, 0, 3);
	tcase_add_loop_test(t, nvcc_takes_a_program, 0, 3);
	suite_add_tcase(s, t);
	return s;
}

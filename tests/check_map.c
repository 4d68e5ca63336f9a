/* check_map.c: where the levels of tasks run.
 *
 *     the stage's text, and what its verifier refuses
 *     each mapping gives the same values: on rows of all shapes, in four schedules; on the examples
 *     which mapping is chosen by the lengths of rows; what one launch does; what is loaded at once */
#include "common/process.h"
#include "fuse/map.h"
#include "tests/command.h"
#include "tests/rewrite.h"
#include "tests/same_values.h"
#include <stdbool.h>

Suite *map_suite(void);

static char dir[] = "/tmp/nessie-map-XXXXXX";

/* -- text --------------------------------------------------------------------------------------------- */
#define PARAMS "n:int, s:segdes, a:<int>"
#define FREED "\tfree s\n\tfree a\n"

#define ROW_SUMS(by) \
	"\tx:<int> = task x n, s" by " {\n" \
	"\t\tv:int = load@2 a\n" \
	"\t\tt:int = sum@2 v\n" \
	"\t\to:<int> = store@1 t\n" \
	"\t\tyield o\n" \
	"\t}\n"
#define SQUARES(by) \
	"\ty:<int> = task y n" by " {\n" \
	"\t\tp:int = load@1 a\n" \
	"\t\tq:int = mul@1 p, p\n" \
	"\t\tr:<int> = store@1 q\n" \
	"\t\tyield r\n" \
	"\t}\n"
/* No element asks for its row. */
#define DOUBLED(by) \
	"\tz:<int> = task z n, s" by " {\n" \
	"\t\tu:int = load@2 a\n" \
	"\t\tw:int = add@2 u, u\n" \
	"\t\th:<int> = store@2 w\n" \
	"\t\tyield h\n" \
	"\t}\n"
#define FROM_ROW(by) \
	"\tz:<int> = task z n, s" by " {\n" \
	"\t\tl:int = seg_length@1 s\n" \
	"\t\tu:int = load@2 a\n" \
	"\t\tw:int = add@2 u, l\n" \
	"\t\th:<int> = store@2 w\n" \
	"\t\tyield h\n" \
	"\t}\n"
#define KEPT(by) \
	"\tz:<int> = task z n, s" by " {\n" \
	"\t\tu:int = load@2 a\n" \
	"\t\tw:int = plus_scan@2 u\n" \
	"\t\tb:bool = lt@2 w, 7\n" \
	"\t\th:<int> = keep@2 b, u\n" \
	"\t\tyield h\n" \
	"\t}\n"
#define IN_AN_ARM(by) \
	"\tc:bool = lt n, 3\n" \
	"\tz:<int> = if c {\n" \
	"\t\ty:<int> = task y n" by " {\n" \
	"\t\t\ti:int = index@1\n" \
	"\t\t\tr:<int> = store@1 i\n" \
	"\t\t\tyield r\n" \
	"\t\t}\n" \
	"\t\tyield y\n" \
	"\t} {\n" \
	"\t\te:<int> = vector n\n" \
	"\t\tyield e\n" \
	"\t}\n"

static const struct {
	const char *map;        /* --map */
	Rewrite r;
} mapped[] = {
	{NULL, {"rows that are summed can be apart", "<int>", ROW_SUMS("") FREED "\tyield x\n",
		ROW_SUMS(" by flat, thread, lanes") FREED "\tyield x\n"}},
	{"flat", {"not if it is to be flat", "<int>", ROW_SUMS("") FREED "\tyield x\n", ROW_SUMS(" by flat") FREED "\tyield x\n"}},
	{"thread", {"a thread each", "<int>", ROW_SUMS("") FREED "\tyield x\n", ROW_SUMS(" by thread") FREED "\tyield x\n"}},
	{"lanes", {"lanes for each", "<int>", ROW_SUMS("") FREED "\tyield x\n", ROW_SUMS(" by lanes") FREED "\tyield x\n"}},
	{"lanes", {"one level is flat", "<int>", SQUARES("") FREED "\tyield y\n", SQUARES(" by flat") FREED "\tyield y\n"}},
	{"thread", {"elements of no row are flat", "<int>", DOUBLED("") FREED "\tyield z\n", DOUBLED(" by flat") FREED "\tyield z\n"}},
	{NULL, {"elements that use a number of their row are not; what they store is far from that of other threads", "<int>",
		FROM_ROW("") FREED "\tyield z\n", FROM_ROW(" by flat, lanes") FREED "\tyield z\n"}},
	{"thread", {"unless it is wanted so", "<int>", FROM_ROW("") FREED "\tyield z\n", FROM_ROW(" by thread") FREED "\tyield z\n"}},
	{"thread", {"where something is kept is known of all rows together", "<int>", KEPT("") FREED "\tyield z\n",
		KEPT(" by flat") FREED "\tyield z\n"}},
	{NULL, {"tasks in arms, too", "<int>", FREED IN_AN_ARM("") "\tyield z\n", FREED IN_AN_ARM(" by flat") "\tyield z\n"}},
};

static const char *wanted;

static void
map_as_wanted(Unit *u)
{
	u->map = wanted;
	map(u);
}

START_TEST(tasks_are_mapped)
{
	wanted = mapped[_i].map;
	expect_rewrite(&mapped[_i].r, &mem_ir, map_as_wanted, &map_ir, PARAMS);
}
END_TEST

static const struct {
	const char *body, *says;
} broken[] = {
	{ROW_SUMS("") FREED "\tyield x\n", "in f: x = task: is mapped nowhere"},
	{SQUARES(" by thread") FREED "\tyield y\n", "in f: y = task: is mapped by rows, but has none"},
	{KEPT(" by flat, lanes") FREED "\tyield z\n", "in f: h = keep: is not known row by row, but the task is mapped so"},
	{FREED "\tx:<int> = vector n by flat\n\tyield x\n", "in f: x = vector: is mapped, but is no task"},
};

START_TEST(mappings_are_checked)
{
	char text[2000];
	IrCase *c;

	snprintf(text, sizeof text, "unit map\nfun f(" PARAMS ") -> <int> {\n%s}\n", broken[_i].body);
	c = case_read(&map_ir, text);
	ck_assert_msg(c->u.ir != NULL, "%s", c->said);
	ck_assert_str_eq(case_check(c), broken[_i].says);
	case_end(c);
}
END_TEST

START_TEST(only_map_is_mapped)
{
	IrCase *c = case_read(&mem_ir, "unit mem\nfun f(" PARAMS ") -> <int> {\n" ROW_SUMS(" by flat") FREED "\tyield x\n}\n");

	ck_assert_str_eq(case_check(c), "in f: x = task: is mapped, but only in map");
	case_end(c);
	c = case_read(&map_ir, "unit map\nfun f(" PARAMS ") -> <int> {\n" ROW_SUMS(" by rows") FREED "\tyield x\n}\n");
	ck_assert_ptr_null(c->u.ir);
	ck_assert_msg(strstr(c->said, "error[syntax]: expected flat, thread or lanes"), "%s", c->said);
	case_end(c);
}
END_TEST

/* What dump prints of a program, --from reads; a program of mem is mapped as --map says. */
START_TEST(text_is_read_back)
{
	char *out;

	ck_assert_int_eq(0, sh(&out, "./nessie dump --stage=map examples/quicksort.nesl >%s/q.map"
		" && ./nessie dump --from=map --stage=map %s/q.map | cmp - %s/q.map"
		" && ./nessie run --target=cpu --from=map %s/q.map", dir, dir, dir, dir));
	free(out);
	ck_assert_int_eq(0, sh(&out, "./nessie dump --stage=map --map=lanes --from=mem tests/map/choice.mem | grep -c ' by lanes {'"));
	ck_assert_int_eq(atoi(out), 18);
	free(out);
	ck_assert_int_eq(2, sh(&out, "./nessie run --map=rows -e 1 2>&1"));
	ck_assert_str_eq(out, "nessie: --map is one of: flat thread lanes; nessie --help shows what there is\n");
	free(out);
}
END_TEST

/* -- values ---------------------------------------------------------------------------------------------- */
static const char *const maps[] = {"--map=flat", "--map=thread", "--map=lanes", ""};
enum { MAPS = sizeof maps / sizeof *maps, SCHEDULES = 4 };
static Programs programs;

/* What interp gives, by this mapping, in so many schedules, which agree bit for bit. */
static void
agrees(const char *program, const char *map, int schedules)
{
	char *want, *first = NULL, *out;
	int status = sh(&want, "./nessie run --target=interp %s 2>/dev/null", program);
	int got = sh(&out, "./nessie build --target=emu --grain=64 %s -o %s/program %s 2>&1", map, dir, program);

	ck_assert_msg(got <= 1, "%s: not built\n%.3000s", program, out);
	free(out);
	for (int seed = 0; seed < schedules; seed++) {
		got = sh(&out, "cd %s && SIMT_SEED=%d ./program 2>err; s=$?; grep -A 9 simt: err; exit $s", dir, seed);
		ck_assert_msg(got == status && same_values(want, out), "%s %s, schedule %d: exit status %d,\n%.3000sinstead of\n%.3000s",
			map, program, seed, got, out, want);
		ck_assert_msg(!first || strcmp(first, out) == 0, "%s %s: schedules differ", map, program);
		if (!first)
			first = strdup(out);
		free(out);
	}
	free(first);
	free(want);
}

START_TEST(rows_of_all_shapes)
{
	agrees("tests/map/rows.nesl", maps[_i], SCHEDULES);
}
END_TEST

/* Those that have a task that can run by rows. */
START_TEST(examples_agree)
{
	char *out;
	bool by_rows = sh(&out, "./nessie dump --stage=map %s | grep 'by flat, thread, lanes {'", programs.path[_i]) == 0;

	free(out);
	for (int i = 0; by_rows && i < MAPS - 1; i++)
		agrees(programs.path[_i], maps[i], 1);
}
END_TEST

/* -- choice, and what it gives ---------------------------------------------------------------------------- */
/* The figure of a task, by its name or place, in --stats; -1: it has none. */
static long long
figure(const char *stats, const char *task, const char *key)
{
	char name[80];
	const char *line, *found;

	snprintf(name, sizeof name, "\"%s\"", task);
	line = strstr(stats, name);
	ck_assert_msg(line != NULL, "no task %s in\n%s", task, stats);
	snprintf(name, sizeof name, "\"%s\": ", key);
	found = strstr(line, name);
	return found && found < line + strcspn(line, "\n") ? atoll(found + strlen(name)) : -1;
}

/* Threads without an element go along, and what they find wrong of none does not have all loaded once more. */
START_TEST(none_is_in_no_doubt)
{
	char *out;

	ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu %s --stats -e 'm = {{rem(i * j, 7) + 1 : j in [0:rem(i, 30)]} : i in [0:400]};"
		" {sum({100 / x : x in r}) : r in m}; {sum({100 * x : x in r}) : r in m};' 2>&1", maps[_i]));
	ck_assert_int_gt(figure(out, "sum", "sectors"), 0);
	ck_assert_int_lt(figure(out, "sum", "sectors"), figure(out, "sum_2", "sectors") * 21 / 20);     /* tiles are of other sizes */
	free(out);
}
END_TEST

/* tests/map/choice.mem: lanes for a row, -1 flat.  Tiles are of 64. */
static const struct {
	const char *task;
	int lanes;
} chosen[] = {
	{"fits", -1}, {"shortest", 1}, {"short", 1}, {"limit", 1},
	{"some", 4}, {"more", 16}, {"even", 16}, {"longest", 32}, {"long", -1},
	{"measured", 1},        /* lengths that a task has made */
	{"skewed", -1},
	{"filtered", -1},       /* no row is longer than the whole one was, which is three times what is left */
	{"passes", 8},          /* which are one launch so */
	{"large", 32},
	{"scanned", 4},         /* what a thread for a row would store far from its neighbours */
	{"scanned_ones", 1},    /* unless that is the next row's */
	{"joined", 1}, {"uneven", -1},
};

START_TEST(lengths_choose)
{
	char *out, *again;

	ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --grain=64 --stats --from=mem tests/map/choice.mem 2>&1"));
	for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
		ck_assert_msg(figure(out, chosen[i].task, "lanes") == chosen[i].lanes, "%s is run by %lld lanes", chosen[i].task,
			figure(out, chosen[i].task, "lanes"));
	for (int i = 0; i < MAPS; i++) {
		ck_assert_int_eq(0, sh(&again, "./nessie run --target=emu --grain=64 %s --from=mem tests/map/choice.mem", maps[i]));
		ck_assert_msg(strncmp(out, again, strlen(again)) == 0, "%s gives %s", maps[i], again);
		free(again);
	}
	free(out);
}
END_TEST

/* Of how many elements the rows have the program tells the host, which so waits for nothing; how long they are it hears when it waits for the
 * checks of the form that made them, and the next forms choose by it.  Of few rows nobody asks. */
START_TEST(told_rows_are_measured)
{
	static const char form[] = "m = partition([0:%d], {rem(i, 2) * 2 + 1 : i in [0:%d]}); r = {plus_scan(v) : v in m}; "
		"sum({sum(v) : v in r})";
	char text[300], *out;

	for (int many = 0; many < 2; many++) {
		snprintf(text, sizeof text, form, many ? 200 : 100, many ? 100 : 50);
		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --grain=64 --echo=none --stats -e '%s' 2>&1", text));
		ck_assert_int_eq(figure(out, "plus_scan_2", "lanes"), many ? 2 : -1);
		ck_assert_int_eq(figure(out, "it_sum", "lanes"), many ? 1 : -1);
		ck_assert_ptr_nonnull(strstr(out, "\"host_syncs\": 3,"));
		free(out);
	}
}
END_TEST

/* Requests of a warp touch fewest sectors where neighbouring lanes have neighbouring elements: flat always, within a fifth of
 * 4096 elements and the offsets of the rows; of rows of one element a thread for each, of long rows lanes. */
START_TEST(loads_of_neighbours)
{
	char *by[MAPS];

	for (int i = 0; i < MAPS; i++)
		ck_assert_int_eq(0, sh(&by[i], "./nessie run --target=emu %s --stats --echo=none --from=mem tests/map/loads.mem 2>&1",
			maps[i]));
	ck_assert_int_lt(figure(by[0], "ones", "sectors"), (4096 + 4097) / 4 * 6 / 5);
	ck_assert_int_lt(figure(by[0], "fours", "sectors"), (4096 + 1025) / 4 * 6 / 5);
	ck_assert_int_lt(figure(by[0], "long", "sectors"), (4096 + 65) / 4 * 6 / 5);
	ck_assert_int_eq(figure(by[2], "ones", "sectors"), figure(by[1], "ones", "sectors"));   /* of one lane */
	ck_assert_int_lt(figure(by[2], "long", "sectors"), figure(by[1], "long", "sectors") / 3);
	/* by choice as the better of the two */
	ck_assert_int_eq(figure(by[3], "ones", "sectors"), figure(by[1], "ones", "sectors"));
	ck_assert_int_eq(figure(by[3], "long", "sectors"), figure(by[2], "long", "sectors"));
	for (int i = 0; i < MAPS; i++)
		free(by[i]);
}
END_TEST

/* What elements do with the sum of their row: one task; one launch if rows fit a group of lanes, else two. */
START_TEST(rows_wait_for_their_end)
{
	static const char *const place[] = {"tests/map/late.nesl:2,3", "tests/map/late.nesl:5", "tests/map/late.nesl:12"};
	char *out;

	for (int i = 0; i < MAPS; i++) {
		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --grain=64 %s --stats tests/map/late.nesl 2>&1", maps[i]));
		for (int j = 0; j < 3; j++)
			ck_assert_int_eq(figure(out, place[j], "launches"), i == 0 ? 2 : 1);
		/* by rows the 950 elements once */
		ck_assert_int_eq(figure(out, place[0], "bytes_read"), i == 0 ? 8 * (2 * 950 + 500) : 8 * (950 + 200));
		ck_assert_int_eq(figure(out, place[1], "bytes_read"), i == 0 ? 8 * (2 * 950 + 300) : 8 * (950 + 100));
		ck_assert_int_eq(figure(out, place[2], "bytes_read"), i == 0 ? 8 * (2 * 950 + 300) : 8 * (950 + 100));
		/* a giant among them: flat, unless something else is asked for */
		ck_assert_int_eq(figure(out, "tests/map/late.nesl:8", "launches"), i == 0 || i == 3 ? 2 : 1);
		free(out);
	}
}
END_TEST

/* -- the suite ---------------------------------------------------------------------------------------------- */
static void
make_dir(void)
{
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	ck_assert(mkdtemp(dir));
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

Suite *
map_suite(void)
{
	Suite *s = suite_create("map");
	TCase *text = tcase_create("text"), *run = tcase_create("run");

	tcase_add_unchecked_fixture(text, make_dir, remove_dir);
	tcase_set_timeout(text, 120);
	tcase_add_loop_test(text, tasks_are_mapped, 0, sizeof mapped / sizeof *mapped);
	tcase_add_loop_test(text, mappings_are_checked, 0, sizeof broken / sizeof *broken);
	tcase_add_test(text, only_map_is_mapped);
	tcase_add_test(text, text_is_read_back);
	suite_add_tcase(s, text);
	if (system("command -v c++ >/dev/null") != 0) {
		fprintf(stderr, "check_map: no C++ compiler here: no mapping was run (apt-get install g++)\n");
		return s;
	}
	add_programs(&programs, "examples");
	tcase_add_unchecked_fixture(run, make_dir, remove_dir);
	tcase_set_timeout(run, 1200);
	tcase_add_test(run, lengths_choose);
	tcase_add_test(run, told_rows_are_measured);
	tcase_add_loop_test(run, none_is_in_no_doubt, 0, MAPS);
	tcase_add_test(run, loads_of_neighbours);
	tcase_add_test(run, rows_wait_for_their_end);
	tcase_add_loop_test(run, rows_of_all_shapes, 0, MAPS);
	tcase_add_loop_test(run, examples_agree, 0, programs.n);
	suite_add_tcase(s, run);
	return s;
}

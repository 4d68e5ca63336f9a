/* check_memory.c: what happens where there is no memory.  The run time is compiled so that one allocation fails, each in
 * turn, of each program of tests/run and tests/trouble: a message, exit status 4, and all that was printed before. */
#include "common/process.h"
#include "tests/command.h"

Suite *memory_suite(void);

static Programs programs;
static char dir[] = "/tmp/nessie-memory-XXXXXX";

/* The first ten allocations, then ever fewer. */
static const char turns[] =
	"all=$($DIR/p --stats 2>&1 >$DIR/all | sed -n 's/.*\"allocations\": \\([0-9]*\\).*/\\1/p')\n"
	"[ \"$all\" ] || { echo 'how many allocations?'; exit; }\n"
	"k=1\n"
	"while [ $k -le $all ]; do\n"
	"	NESL_FAIL_ALLOCATION=$k $DIR/p >$DIR/out 2>$DIR/err </dev/null\n"
	"	s=$?\n"
	"	[ $s = 4 ] || echo \"allocation $k of $all: exit status $s\"\n"
	"	tail -n 1 $DIR/err | grep -Eqx 'p: out of memory: [0-9]+ bytes for an array, [0-9]+ in use' ||\n"
	"		{ echo \"allocation $k of $all:\"; cat $DIR/err; }\n"
	"	head -c $(wc -c <$DIR/out) $DIR/all | cmp -s - $DIR/out || echo \"allocation $k of $all: other output\"\n"
	"	k=$((k + 1 + k / 10 * 4))\n"
	"done\n";

START_TEST(allocations_that_fail)
{
	char *wrong;

	ck_assert_int_eq(0, sh(&wrong, "export DIR=%s; CC=$DIR/cc ./nessie build --target=cpu -o $DIR/p %s 2>&1 && $DIR/turns 2>&1",
		dir, programs.path[_i]));
	ck_assert_str_eq(wrong, "");
	free(wrong);
}
END_TEST

static void
make_dir(void)
{
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "1", 1);
	write_script(dir, "cc", "#!/bin/sh\nif command -v tcc >/dev/null; then cc=tcc; else cc='gcc -O0'; fi\n"
		"exec $cc \"$@\" -DNESL_FAIL_ALLOCATION\n");
	write_script(dir, "turns", turns);
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
	TCase *t = tcase_create("memory");

	add_programs(&programs, "tests/run");
	add_programs(&programs, "tests/trouble");
	tcase_add_unchecked_fixture(t, make_dir, remove_dir);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, allocations_that_fail, 0, programs.n);
	suite_add_tcase(s, t);
	return s;
}

/* check_memory.c: what happens where there is no memory.  The run time is compiled so that one allocation fails, each in
 * turn, of each program of tests/run and tests/trouble: a message, exit status 4, and all that was printed before. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *memory_suite(void);

enum { MAXFILE = 200 };
static char *file[MAXFILE], dir[] = "/tmp/nessie-memory-XXXXXX";
static int nfile;

static void
find_programs(const char *where)
{
	DIR *d = opendir(where);
	char path[512];

	for (struct dirent *e; d && (e = readdir(d)) && nfile < MAXFILE; )
		if (strstr(e->d_name, ".nesl")) {
			snprintf(path, sizeof path, "%s/%s", where, e->d_name);
			file[nfile++] = strdup(path);
		}
	if (d)
		closedir(d);
}

static void
write_script(const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(0, chmod(path, 0700));
}

/* A shell command, which prints what is wrong. */
static void
expect_nothing(const char *command)
{
	char said[2000];
	FILE *f = popen(command, "r");
	size_t n;

	ck_assert(f);
	n = fread(said, 1, sizeof said - 1, f);
	said[n] = 0;
	pclose(f);
	ck_assert_msg(n == 0, "%s", said);
}

/* The first ten allocations, then ever fewer. */
static const char turns[] =
	"all=$($DIR/p --stats 2>&1 >$DIR/all | sed -n 's/.*\"allocations\": \\([0-9]*\\).*/\\1/p')\n"
	"k=1\n"
	"while [ $k -le ${all:-0} ]; do\n"
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
	char command[1024];

	snprintf(command, sizeof command, "export DIR=%s; CC=$DIR/cc ./nessie build --target=cpu -o $DIR/p %s 2>&1 && $DIR/turns 2>&1",
		dir, file[_i]);
	expect_nothing(command);
}
END_TEST

static void
make_dir(void)
{
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "1", 1);
	write_script("cc", "#!/bin/sh\nif command -v tcc >/dev/null; then cc=tcc; else cc='gcc -O0'; fi\n"
		"exec $cc \"$@\" -DNESL_FAIL_ALLOCATION\n");
	write_script("turns", turns);
}

static void
remove_dir(void)
{
	char command[64];

	snprintf(command, sizeof command, "rm -rf %s", dir);
	ck_assert_int_eq(0, system(command));
}

Suite *
memory_suite(void)
{
	Suite *s = suite_create("memory");
	TCase *t = tcase_create("memory");

	find_programs("tests/run");
	find_programs("tests/trouble");
	tcase_add_unchecked_fixture(t, make_dir, remove_dir);
	tcase_set_timeout(t, 600);
	tcase_add_loop_test(t, allocations_that_fail, 0, nfile);
	suite_add_tcase(s, t);
	return s;
}

/* check_repl.c: nessie repl as somebody types at a terminal, and in a pipe.
 *
 * How  ./nessie runs behind a pseudo-terminal.  expect() waits until a text has come, behind those that came before;
 *      after SECONDS without it the test fails. */
#include <check.h>
#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/process.h"
#include "tests/command.h"

Suite *repl_suite(void);

enum { SECONDS = 20 };

static char home[64];
static char out[1 << 20];               /* what the terminal showed */
static size_t shown, met;               /* how much; up to where expect() has come */
static pid_t child;
static int terminal;

/* -- a terminal --------------------------------------------------------------------------------------- */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* false: nothing more will come */
static bool
read_some(double until)
{
	struct pollfd p = {terminal, POLLIN, 0};
	ssize_t n;

	if (poll(&p, 1, (int)((until - now()) * 1000) + 1) <= 0)
		return true;
	n = read(terminal, out + shown, sizeof out - 1 - shown);
	if (n <= 0)
		return false;
	shown += (size_t)n;
	out[shown] = 0;
	return true;
}

static void
expect(const char *text)
{
	double until = now() + SECONDS;
	const char *at;

	while (!(at = strstr(out + met, text))) {
		ck_assert_msg(now() < until, "`%s` does not come after\n%s", text, out);
		ck_assert_msg(read_some(until), "`%s` does not come; the end is\n%s", text, out);
	}
	met = (size_t)(at - out) + strlen(text);
}

static void
type(const char *text)
{
	ck_assert_int_eq(write(terminal, text, strlen(text)), (ssize_t)strlen(text));
}

/* Types a line, and waits for what comes. */
static void
say(const char *text, const char *comes)
{
	type(text);
	type("\n");
	expect(comes);
}

/* Starts it through the shell, after the command `first`. */
static void
start(const char *first)
{
	char command[200];

	shown = met = 0;
	out[0] = 0;
	snprintf(command, sizeof command, "%s exec ./nessie repl", first);
	child = forkpty(&terminal, NULL, NULL, NULL);
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		setenv("TERM", "xterm", 1);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	expect("NESL: help; shows the commands");
	expect("nesl> ");
}

static int
ended(void)
{
	double until = now() + SECONDS;
	int status;

	while (read_some(until))
		ck_assert_msg(now() < until, "it does not end after\n%s", out);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	close(terminal);
	child = 0;
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void
leave(void)
{
	type("\004");
	ck_assert_int_eq(ended(), 0);
}

static void
set_up(void)
{
	strcpy(home, "/tmp/nessie-repl-XXXXXX");
	ck_assert(mkdtemp(home));
	setenv("HOME", home, 1);
	setenv("XDG_STATE_HOME", home, 1);
}

static void
tear_down(void)
{
	if (child > 0) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		child = 0;
	}
	tempdir_remove(home);
}

/* -- at a terminal -------------------------------------------------------------------------------------- */

START_TEST(values)
{
	start("");
	say("1 + 2;", "it = 3 : int\r\n");
	say("it * 2;", "it = 6 : int\r\n");
	say("x = [0:5];", "x = [0, 1, 2, 3, 4] : [int]\r\n");
	say("function g(v) = sum(v); g(x);", "g = fn : [a] -> a :: (a in number)\r\nit = 10 : int\r\n");
	say("datatype point(int, int);", "point = fn : (int, int) -> point\r\n");
	say("p = {point(i, i) : i in x};", "p = [point(0, 0), point(1, 1), point(2, 2), point(3, 3), point(4, 4)] : [point]\r\n");
	say("x = [1.5, 2.5];", "x = [1.5, 2.5] : [float]\r\n");
	say("p;", "it = [point(0, 0)");
	say("let point(a, b) = p[2] in a + b;", "it = 4 : int\r\n");
	say("(x, [\"ab\", \"c\"], [[1], [] int]);", "it = ([1.5, 2.5], [\"ab\", \"c\"], [[1], []]) : [float], [[char]], [[int]]\r\n");
	leave();
}
END_TEST

START_TEST(forms_of_several_lines)
{
	start("");
	say("let a = 2;", "    > ");
	say("    b = 3", "    > ");
	say("in % a comment; still one %", "    > ");
	say("a * b; 7", "it = 6 : int\r\n");
	expect("    > ");
	say("+ 1 $", "it = 8 : int\r\n");
	say("\"a string; and", "    > ");
	say("its end\";", "it = \"a string; and\r\nits end\" : [char]\r\n");
	say("5", "    > ");
	leave();
	expect("it = 5 : int\r\n");
}
END_TEST

START_TEST(a_wrong_form_leaves_no_trace)
{
	start("");
	say("x = 1; y = 2;", "y = 2 : int\r\n");
	say("x = 1 + 2.0;", "input:2:7: error[type]: ");
	expect("    2 | x = 1 + 2.0;\r\n      |       ^\r\n");
	say("x;", "it = 1 : int\r\n");
	say("x = x / 0;", "input:4:5: error[div-by-zero]: ");
	expect("    4 | x = x / 0;\r\n      |     ^^^^^\r\n");
	say("x;", "it = 1 : int\r\n");
	say("nix;", "input:6:1: error[undefined-name]: `nix` is not defined");
	say("1 + ;", "input:7:5: error[syntax]: ");
	say("let a = ]; b = 3 in b; y;", "input:8:9: error[syntax]: ");
	expect("it = 2 : int\r\n");
	say("function down(n) = 1 + down(n + 1); down(0);", "error[recursion-depth]: recursion deeper than 1000000 calls");
	say("function down(n) = if n == 0 then 0 else 1 + down(n - 1); down(10);", "it = 10 : int\r\n");
	say("x;", "it = 1 : int\r\n");
	say("x = 1.5 / 0.0;", "error[div-by-zero]: ");
	say("x, it;", "it = (1, 1) : int, int\r\n");
	say("eql(sum, sum);", "error[type]: this needs to look into values, which cannot be functions");
	say("it;", "it = (1, 1) : int, int\r\n");
	leave();
}
END_TEST

START_TEST(redefinitions)
{
	start("");
	say("function g(x) = x + 1; function h(x) = g(x) * 10; h(1);", "it = 20 : int\r\n");
	say("function g(x) = x + 2; h(1);", "it = 30 : int\r\n");
	say("function g(x) = x + 0.5; h(1);", "it = 30 : int\r\n");
	say("a = 1; function see(x) = a + x; see(0);", "it = 1 : int\r\n");
	say("a = 5; see(0);", "it = 5 : int\r\n");
	say("a = 2.5; see(0);", "it = 5 : int\r\n");
	say("a = 7; see(0);", "it = 5 : int\r\n");
	say("a;", "it = 7 : int\r\n");
	leave();
}
END_TEST

START_TEST(interrupts)
{
	start("");
	say("function loop(n) = loop(n + 1); x = 4;", "x = 4 : int\r\n");
	for (int i = 0; i < 3; i++) {
		say("loop(0);", "\r\n");
		usleep(200000);
		type("\003");
		expect("interrupted\r\nnesl> ");
	}
	say("x;", "it = 4 : int\r\n");
	type("half a \003");
	expect("nesl> ");
	say("x + 1;", "it = 5 : int\r\n");
	say("let a = 1", "    > ");
	type("\003");
	expect("nesl> ");
	say("x + 2;", "it = 6 : int\r\n");
	leave();
}
END_TEST

START_TEST(memory_runs_out)
{
	start("ulimit -v 2000000;");
	say("x = 4; function grow(v) = grow(v ++ v);", "nesl> ");
	say("grow([0 : 1000]);", "error[memory]: out of memory\r\n");
	expect("this form was given up; all that came before it is there\r\n");
	say("x;", "it = 4 : int\r\n");
	leave();
}
END_TEST

/* Whatever ends the process that was started, the session does not go on without it: also when it is a copy by then, and while a form
 * is evaluated.  (Who has a terminal for himself ends with it anyway.) */
START_TEST(it_ends_with_its_process)
{
	static const int sig[] = {SIGKILL, SIGTERM, SIGHUP};
	int end[2];

	for (int i = 0; i < 6; i++) {
		const double until = now() + SECONDS;

		shown = met = 0;
		out[0] = 0;
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, end), 0);
		child = fork();
		if (child == 0) {
			for (int k = 0; k < 3; k++)
				dup2(end[1], k);
			close(end[0]);
			close(end[1]);
			signal(SIGHUP, SIG_DFL);        /* also where nohup runs the tests */
			execl("/bin/sh", "sh", "-c", "ulimit -v 2000000; exec ./nessie repl", (char *)NULL);
			_exit(127);
		}
		terminal = end[0];
		close(end[1]);
		say("function loop(n) = loop(n + 1); function grow(v) = grow(v ++ v);", "grow = fn");
		if (i % 2) {
			say("grow([0 : 1000]);", "this form was given up");
			say("3; loop(0);", "it = 3 : int\n");
		}
		kill(child, sig[i / 2]);
		while (read_some(until))        /* until nobody has the other end */
			ck_assert_msg(now() < until, "it goes on after signal %d", sig[i / 2]);
		ck_assert_int_eq(waitpid(child, NULL, 0), child);
		close(terminal);
		child = 0;
	}
}
END_TEST

START_TEST(exit_ends_it)
{
	start("");
	say("1; exit; 2;", "it = 1 : int\r\n");
	ck_assert_int_eq(ended(), 0);
	ck_assert_ptr_null(strstr(out, "it = 2"));
	start("");
	type("exit\n");
	ck_assert_int_eq(ended(), 0);
}
END_TEST

/* What only other languages have is told at once: who types it does not know of `;`. */
START_TEST(words_without_an_end)
{
	start("");
	say("quit", "`quit` is not defined; the command `exit` leaves\r\n");
	say("quit()", "`quit` is not defined; the command `exit` leaves\r\n");
	say("  Bye ", "`bye` is not defined; the command `exit` leaves\r\n");
	say("sum", "    > ");
	say("([1, 2]);", "it = 3 : int\r\n");
	say("quit = 3;", "quit = 3 : int\r\n");
	say("quit", "    > ");
	say("+ 1;", "it = 4 : int\r\n");
	leave();
}
END_TEST

START_TEST(commands)
{
	static const char *const said[][2] = {
		{"help", "describe NAME "}, {"?", "set profile NAME on|off "}, {"help;", "describe NAME "},
		{"set print_length 3; [0:9];", "it = [0, 1, 2,...] : [int]\r\n"},
		{"show status", "print_length: 3\r\narg_check: on\r\n"},
		{"set arg_check off", "run-time checks are always on\r\n"},
		{"set arg_check on; set verbose on; set verbose off; set memory_size 100; 3;", "it = 3 : int\r\n"},
		{"function g(x) \"twice\" = x + x;", "g = fn : a -> a :: (a in number)\r\n"},
		{"describe g", "g : a -> a :: (a in number)\r\n  function, input:8\r\n  twice\r\n"},
		{"describe plus_scan;", "plus_scan : [a] -> [a] :: (a in number)\r\n  library function, "},
		{"function k(x, by := 2) = x * by; describe k;", "k : int -> int\r\n  function, input:"},
		{"sum(map(k, [1, 2])) + k(1, by := 5);", "it = 11 : int\r\n"},
		{"describe it", "it : int\r\n  variable, input:"},
		{"describe plus_scam", "error[undefined-name]: there is no `plus_scam`; did you mean `plus_scan`?"},
		{"apropos _scan", "and_scan : [a] -> [a] :: (a in logical)\r\n"},
		{"apropos xyzzy", "no name has `xyzzy` in it\r\n"},
		{"show code g;", "function g(x) \"twice\" = x + x;\r\n"},
		{"set trace g 3; g(4);", "g(4)\r\ng = 8\r\nit = 8 : int\r\n"},
		{"{g(i) : i in [1:3]};", "g(1)\r\ng = 2\r\ng(2)\r\ng = 4\r\nit = [2, 4] : [int]\r\n"},
		{"set trace g 1; g(4);", "\ng\r\nit = 8 : int\r\n"},
		{"set trace g 4; g([0:9][0]);", "g(0)\r\ng = 0\r\nit = 0 : int\r\n"},
		{"show status", "trace g: 4\r\n"},
		{"set profile g on; show status; set profile g off", "profile g: on\r\n"},
		{"set trace g 0; g(4);", ";\r\nit = 8 : int\r\n"},
		{"set trace g 5", "13: error[syntax]: a level from 0 to 4 should come here: the command is `set trace NAME LEVEL`"},
		{"set trace sum 1", "error[type]: `sum` is no function of this program"},
		{"set profile g on; g(1) + g(2);", "it = 6 : int\r\ng: 2 calls, 0.00"},
		{"set profile g off; g(4);", "g(4);\r\nit = 8 : int\r\n"},
		{"p |= [0:9];", "p : [int]\r\n"}, {"p[8];", "it = 8 : int\r\n"},
		{"get x", "error[syntax]: the command `get` is not part of nessie: "},
		{"edit(1)", "error[syntax]: the command `edit` is not part of nessie: "},
		{"function edit(x) = x + 1;", "edit = fn : "}, {"edit(1);", "it = 2 : int\r\n"},
		{"get([1, 2], [0]);", "it = [1] : [int]\r\n"},
		{"shell \"ls\"", "error[syntax]: the command `shell` is not part of nessie: "},
		{"edit \"x\"", "error[syntax]: the command `edit` is not part of nessie: "},
		{"lisp", "error[syntax]: the command `lisp` is not part of nessie: "},
		{"dump vcode \"x\" 3;", "error[syntax]: the command `dump` is not part of nessie: "},
		{"set config x", "error[syntax]: the command `set config` is not part of nessie: "},
		{"defconfig x;", "error[syntax]: `defconfig` is not part of nessie"},
		{"v &= 3;", "error[syntax]: a background run (`&=`) is not part of nessie"},
		{"set foo", "error[syntax]: `set` is followed by one of: print_length, trace, "},
		{"it;", "it = [1] : [int]\r\n"},
	};

	start("");
	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		say(said[i][0], said[i][1]);
		expect("nesl> ");
	}
	leave();
}
END_TEST

START_TEST(load)
{
	char line[200];

	write_file(home, "a.nesl", "x = 1; x = 1.5 + 1;\nx = 2; function g(v) = v + x;\ng(1 / 0);\nload \"b\";\n");
	write_file(home, "b.nesl", "y = g(40);\n");
	write_file(home, "self.nesl", "z = 1; load \"./self.nesl\"; z;\n");
	start("");
	snprintf(line, sizeof line, "load \"%s/a.nesl\"", home);
	say(line, "a.nesl:1:16: error[type]: ");
	expect("a.nesl:3:2: error[div-by-zero]: ");
	say("(x, y);", "it = (2, 42) : int, int\r\n");
	say("g(5);", "it = 7 : int\r\n");
	snprintf(line, sizeof line, "load \"%s/b.nesl\", verbose := f, print := t;", home);
	say(line, "y = 42 : int\r\n");
	say("load \"nowhere/nix\";", "error[file]: cannot read this file: No such file or directory");
	expect(" | load \"nowhere/nix\";\r\n      |      ^^^^^^^^^^^^^\r\n");
	snprintf(line, sizeof line, "load \"%s/self.nesl\", print := t;", home);
	say(line, "error[file]: this file loads itself");
	expect("z = 1 : int\r\nit = 1 : int\r\n");
	leave();
}
END_TEST

/* -- with libedit --------------------------------------------------------------------------------------- */
#ifdef HAVE_LIBEDIT

START_TEST(editing)
{
	start("");
	say("2;\033[D\033[D1", "it = 12 : int\r\n");       /* cursor left twice */
	say("34\001" "5\005;", "it = 534 : int\r\n");       /* to the begin, to the end */
	say("77\177;", "it = 7 : int\r\n");                 /* backspace */
	leave();
}
END_TEST

START_TEST(history)
{
	start("");
	say("100 + 1;", "it = 101 : int\r\n");
	say("200 + 2;", "it = 202 : int\r\n");
	say("\033[A", "it = 202 : int\r\n");
	say("\033[A\033[A", "it = 101 : int\r\n");
	leave();
	start("");
	say("\033[A\177 + 1000;", "it = 1101 : int\r\n");
	leave();
	start("XDG_STATE_HOME=/proc/nowhere;");
	say("3;", "it = 3 : int\r\n");
	leave();
}
END_TEST

START_TEST(completion)
{
	start("");
	say("plus_s\t([1, 2, 3]);", "it = [0, 1, 3] : [int]\r\n");
	say("my_vector = [4]; function my_function(x) = x;", "my_function = fn");
	say("my_f\t(my_v\t[0]);", "it = 4 : int\r\n");
	say("desc\t my_f\t;", "my_function : a -> a");
	type("my_\t\t");
	expect("my_function         my_vector");
	type("\003");
	say("5;", "it = 5 : int\r\n");
	leave();
}
END_TEST
#endif

/* -- in a pipe ------------------------------------------------------------------------------------------ */

START_TEST(pipes)
{
	static const char *const said[][2] = {
		{"echo '1+2;' | ./nessie repl", "it = 3 : int\n"},
		{"printf '1 + 2' | ./nessie repl", "it = 3 : int\n"},
		{"printf '' | ./nessie repl", ""},
		{"printf '\\n\\n%% comment %%\\n;;\\n' | ./nessie repl", ""},
		{"echo '2147483647 + 1;' | ./nessie repl --int=32", "it = -2147483648 : int\n"},
		{"printf 'show status' | ./nessie repl --print-length=7", "print_length: 7\narg_check: on\n"},
		{"printf 'x = 3; function g(a) =\\n a + x;\\ng(4); 1/0;\\nexit; 5;' | ./nessie repl 2>&1",
			"x = 3 : int\ng = fn : int -> int\nit = 7 : int\ninput:3:7: error[div-by-zero]: division by zero, or min_int / -1\n"
			"    3 | g(4); 1/0;\n      |       ^^^\n"},
		{"printf 'm; #m;' | ./nessie repl --input m=examples/sparse_mxv.nesl 2>&1 | grep -c 'value literal\\|expected\\|wanted'", "1\n"},
		{"printf '1 / 0; function g(a) = a; eql(g, g); z = 0 / 0; function h(a) = a + z; 7;' >loaded.nesl; "
			"printf 'load \"loaded\", print := t; g(5); it; h(1);' | ./nessie repl 2>/dev/null; rm loaded.nesl",
			"g = fn : a -> a :: (a in any)\nh = fn : int -> int\nit = 7 : int\nit = 5 : int\nit = 5 : int\n"},
		{"printf '3;' >'a\"b\\c.nesl'; ./nessie repl 'a\"b\\c.nesl' </dev/null 2>&1; rm 'a\"b\\c.nesl'", "it = 3 : int\n"},
		{"echo 'sparse_mxv([[(0, 2.0)]], [4.0]);' | ./nessie repl examples/sparse_mxv.nesl",
			"sparse_mxv = fn : ([[(int, a)]], [a]) -> [a] :: (a in number)\nit = [102.0, 0.0, 530.0] : [float]\nit = [8.0] : [float]\n"},
	};

	char *printed;

	for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
		sh(&printed, "%s", said[i][0]);
		ck_assert_msg(strcmp(printed, said[i][1]) == 0, "%s gives\n%sinstead of\n%s", said[i][0], printed, said[i][1]);
		free(printed);
	}
	ck_assert_int_eq(sh(&printed, "./nessie repl --target=cpu 2>&1 </dev/null"), 2);
	ck_assert_str_eq(printed, "nessie: nessie repl interprets: cpu compiles whole programs; nessie --help shows what there is\n");
	free(printed);
	ck_assert_int_eq(sh(&printed, "{ printf '3; 4;' | ./nessie repl >/dev/full; } 2>&1"), 4);
	ck_assert_str_eq(printed, "nessie: cannot write the output: No space left on device\n");
	free(printed);
	/* nobody reads any more: it ends at once */
	ck_assert_int_eq(sh(&printed, "{ for i in 1 2 3 4 5 6 7 8 9; do echo 5; echo ';'; sleep 0.1; done | ./nessie repl | head -n 1; } 2>&1"), 0);
	ck_assert_str_eq(printed, "it = 5 : int\nnessie: cannot write the output: Broken pipe\n");
	free(printed);
	/* nor does it begin without its inputs */
	ck_assert_int_eq(sh(&printed, "printf '2 2 2' >short.mtx; { echo '5;' | ./nessie repl --input a=short.mtx; } 2>&1; s=$?; rm short.mtx; exit $s"), 4);
	ck_assert_msg(strstr(printed, "short.mtx:1: not a Matrix Market file") && strchr(printed, '\n') == strrchr(printed, '\n'), "%s", printed);
	free(printed);
}
END_TEST

START_TEST(huge_line)
{
	char *printed;

	sh(&printed, "{ printf '[0'; yes ' + 1' | head -n 3000 | tr -d '\\n'; printf '] %%%%'; head -c 1000000 /dev/zero | tr '\\0' x; "
		"printf '%%%%;\\n'; } | ./nessie repl");
	ck_assert_str_eq(printed, "it = [3000] : [int]\n");
	free(printed);
}
END_TEST

/* Values are not computed again, and a line costs little after many. */
START_TEST(long_session)
{
	double start = now();
	char *printed;

	sh(&printed, "{ echo 'x = sum([0 : 300000]);'; seq 1 500 | sed 's/.*/y& = x + &; function g&(v) = {a + & : a in v};/'; "
		"echo 'g500([y500]);'; } | ./nessie repl | tail -n 1");
	ck_assert_str_eq(printed, "it = [44999851000] : [int]\n");
	free(printed);
	ck_assert_msg(now() - start < 100, "500 lines take %.3f s", now() - start);
}
END_TEST

Suite *
repl_suite(void)
{
	Suite *s = suite_create("repl");
	TCase *c = tcase_create("repl");

	tcase_add_checked_fixture(c, set_up, tear_down);
	tcase_set_timeout(c, 200);
	tcase_add_test(c, values);
	tcase_add_test(c, forms_of_several_lines);
	tcase_add_test(c, a_wrong_form_leaves_no_trace);
	tcase_add_test(c, redefinitions);
	tcase_add_test(c, interrupts);
	tcase_add_test(c, memory_runs_out);
	tcase_add_test(c, it_ends_with_its_process);
	tcase_add_test(c, exit_ends_it);
	tcase_add_test(c, words_without_an_end);
	tcase_add_test(c, commands);
	tcase_add_test(c, load);
#ifdef HAVE_LIBEDIT
	tcase_add_test(c, editing);
	tcase_add_test(c, history);
	tcase_add_test(c, completion);
#endif
	tcase_add_test(c, pipes);
	tcase_add_test(c, huge_line);
	tcase_add_test(c, long_session);
	suite_add_tcase(s, c);
	return s;
}

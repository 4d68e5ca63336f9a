/* check_driver.c: the commands of ./nessie, their options and what they print. */
#include <dlfcn.h>
#include "tests/user.h"

Suite *driver_suite(void);

START_TEST(help_lists_the_stages)
{
	static const char *const word[] = {"parse", "type", "mono", "normal", "flan", "opt", "shape", "tasks", "pdg", "lcu", "mem", "cuda",
		"--target"};

	ck_assert_int_eq(sh("$N --help"), 0);
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		ck_assert_msg(strstr(out, word[i]), "%s", word[i]);
	gives("for c in '' run check data explain library; do $N $c --help >1; $N $c -h | cmp 1 - || echo $c; done; rm 1", 0, "");
	ck_assert_int_eq(sh("$N run -e 'h = 3' -e -h"), 0);
	ck_assert_str_eq(out, "it = -3 : int\n");
	ck_assert_int_eq(sh("$N --version"), 0);
	ck_assert_int_eq(strncmp(out, "nessie ", 7), 0);
}
END_TEST

START_TEST(wrong_command_lines)
{
	static const struct { const char *command, *says; } t[] = {
		{"$N", "what to do"},
		{"$N frobnicate", "no command frobnicate; nessie --help"}, {"$N .", "no command .; a file is run by nessie run ."},
		{"$N -e 1", "options stand behind a command, as in nessie run -e; nessie --help"},
		{"$N explain", "explain wants one kind of error: syntax, "},
		{"$N explain type syntax", "explain wants one kind of error: syntax, "},
		{"$N explain typ", "there is no kind of error `typ`; there are syntax, "},
		{"$N explain ''", "there is no kind of error ``; there are syntax, "},
		{"$N run", "nessie: run: no file and no -e"},
		{"$N run --frob -e 1", "no option --frob"},
		{"$N run -x -e 1", "no option -x;"}, {"$N run --traget=cpu -e 1", "no option --traget=cpu, but --target;"},
		{"$N run --tar=cpu -e 1", "no option --tar=cpu, but --target;"},
		{"$N rnu -e 1", "no command rnu, but run;"}, {"$N dump --stage=lcuu -e 1", "no stage lcuu, but lcu;"},
		{"$N check --stage -e 1", "--stage is no option of nessie check"}, {"$N repl --stag -e 1", "no option --stag;"},
		{"$N run --target=gpu -e 1", "--target is one of: auto cpu cuda interp emu"},
		{"$N run --target= -e 1", "--target has an empty value"},
		{"$N run --echo=al -e 1", "--echo is one of"},
		{"$N run -e", "-e needs EXPR"},
		{"$N run --time=3 -e 1", "--time takes no value"},
		{"$N run -O3 -e 1", "-O is one of: 0 1 2"},
		{"$N run -O -e 1", "-O has an empty value"},
		{"$N check -O1 -e 1", "-O is no option of nessie check"},
		{"$N run --time-passes=1 -e 1", "--time-passes takes no value"},
		{"$N run --max-depth=lots -e 1", "--max-depth wants a number from 1"},
		{"$N run --max-depth=-1 -e 1", "--max-depth wants a number from 1"},
		{"$N run --print-length=99999999999999999999 -e 1", "--print-length wants a number from 1"},
		{"$N run --print-length=1e19 -e 1", "--print-length wants a number from 1, not `1e19`"},
		{"$N run --grain=1.5 -e 1", "--grain wants a number from 1, not `1.5`"},
		{"$N run --mem-limit=1e -e 1", "--mem-limit wants a number from 1, not `1e`"},
		{"$N run --mem-limit=1e-3 -e 1", "--mem-limit wants a number from 1, not `1e-3`"},
		{"$N run --mem-limit=inf -e 1", "--mem-limit wants a number from 1, not `inf`"},
		{"$N run --stage=flan -e 1", "--stage is no option of nessie run"},
		{"$N check -o x -e 1", "-o is no option of nessie check"},
		{"$N library x", "takes no arguments"},
		{"$N build -e 1", "-o PROG"},
		{"$N build --target=interp -o x -e 1", "not interp"},
		{"$N dump -e 1", "--stage=STAGE"},
		{"$N dump --stage=frob -e 1", "no stage frob"},
		{"$N dump --stage=flan --stats -e 1", "of stage flan nothing is counted"},
		{"$N run --from=frob x", "--from=frob"},
		{"$N run --from=parse x", "--from=parse"},
		{"$N run --from=flan -e 1", "exactly one file"},
		{"$N run --from=flan a b", "exactly one file"},
		{"$N run --input x -e 1", "NAME=PATH"},
		{"$N run --input =x -e 1", "NAME=PATH"},
		{"$N run --input 1x=y -e 1", "NAME=PATH"},
		{"$N run --input x= -e 1", "NAME=PATH"},
		{"$N run --input x:int -e 1", "--input x:int: run needs a file"},
		{"$N repl --input x:int", "--input x:int: repl needs a file"},
		{"$N check --input T:int -e t", "--input t: this name cannot be bound"},
		{"$N check --input in:int -e 1", "--input in: this name cannot be bound"},
		{"$N check --input x:integer -e 1", "no type"},
		{"$N check --input 'x:[[int]' -e 1", "no type"},
		{"$N check --input x:int --input X:int -e 1", "given twice"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		fails(t[i].command, 2, t[i].says);
		ck_assert_msg(strchr(err, '\n') == err + strlen(err) - 1, "%s: more than one line:\n%s",
			t[i].command, err);
		ck_assert_str_eq(out, "");
	}
}
END_TEST

START_TEST(runs_on_every_target)
{
	gives("$N run -e '1 + 2' -e 'sum({x * x : x in [1, 2, 3]})'", 0, "it = 3 : int\nit = 14 : int\n");
	gives("$N run --target=cpu -e '1 + 2'", 0, "it = 3 : int\n");
	gives("echo 'x = 5;' | $N run - -e 'x + 2'; $N dump --stage=opt -e '2 * 3' | $N run --from=opt -", 0, "it = 7 : int\nit = 6 : int\n");
	gives("$N run --target interp -e '1 + 2'", 0, "it = 3 : int\n");
	/* Whoever starts it has no use for children that end. */
	gives("trap '' CHLD; timeout 600 $N run --target=cpu -e '1 + 2'", 0, "it = 3 : int\n");
	/* Without a compiler auto is the interpreter. */
	gives("env -u CC PATH=/dev/null $N run --target=auto -e '1 + 2'", 0, "it = 3 : int\n");
}
END_TEST

START_TEST(one_wrong_form_does_not_stop_others)
{
	static const char *const target[] = {"cpu", "interp"};
	char c[512];

	for (int i = 0; i < 2; i++) {
		snprintf(c, sizeof c, "$N run --target=%s -e 'nosuch(1)' -e '1 + 1'", target[i]);
		gives(c, 1, "it = 2 : int\n");
		ck_assert(strstr(err, "undefined-name"));
		snprintf(c, sizeof c, "$N run --target=%s -e '[1, 2][7]' -e '1 + 1'", target[i]);
		gives(c, 3, "it = 2 : int\n");
		ck_assert(strstr(err, "index 7 is outside a sequence of length 2"));
		snprintf(c, sizeof c, "$N run --target=%s -e '[1, 2][7]' -e 'nosuch' -e '1 + 1'", target[i]);
		gives(c, 1, "it = 2 : int\n");
		snprintf(c, sizeof c, "$N run --target=%s -e 'nosuch'", target[i]);
		gives(c, 1, "");
		/* the bindings of a `let` are no assignments, if its `in` comes; if none does they are */
		snprintf(c, sizeof c, "$N run --target=%s -e 'y = 10; function g(v) = let x = #v +; y = 2; z = 3 in y; y' "
			"-e 'function h(v) = let x = ]; y = 5; y + 1'", target[i]);
		gives(c, 1, "it = 10 : int\nit = 6 : int\n");
	}
}
END_TEST

/* Of a line with many forms each has what its messages show. */
START_TEST(forms_of_one_line)
{
	gives("yes 'x = 1;' | head -n 2000 | tr '\\n' ' ' >l; test $($N dump --stage=c l | wc -c) -lt 2000000", 0, "");
	gives("(head -c 2100 l; echo '[1][2];' | tr '\\n' ' '; head -c 700 l) >m; for t in cpu interp; do $N run --target=$t --echo=none m 2>$t.said; done; "
		"cmp cpu.said interp.said; grep -o '= 1; .1..2.; x = ' cpu.said; tail -n 1 cpu.said | tr -s ' '", 0,
		"= 1; [1][2]; x = \n | ^^^^^^\n");
}
END_TEST

START_TEST(echo_and_lengths)
{
	static const char *const target[] = {"cpu", "interp"};
	char c[512];

	spit("e.nesl", "function g(x) = x + 1;\ny = g(1);\n[y, 3, 4];\n");
	for (int i = 0; i < 2; i++) {
		snprintf(c, sizeof c, "$N run --target=%s e.nesl", target[i]);
		gives(c, 0, "it = [2, 3, 4] : [int]\n");
		snprintf(c, sizeof c, "$N run --target=%s --echo=none e.nesl", target[i]);
		gives(c, 0, "");
		snprintf(c, sizeof c, "$N run --target=%s --print-length=2 e.nesl", target[i]);
		gives(c, 0, "it = [2, 3,...] : [int]\n");
		snprintf(c, sizeof c, "$N run --target=%s --echo=all e.nesl", target[i]);
		ck_assert_int_eq(sh(c), 0);
		ck_assert(strstr(out, "g = fn : ") == out && strstr(out, "\ny = 2 : int\n"));
	}
}
END_TEST

/* A form that cannot run because of another's mistake: silent, but not where every form is to tell what became of it. */
START_TEST(forms_left_out)
{
	static const char rest[] = "l.nesl:2:1: error[undefined-name]: `g` is not defined: see above\n    2 | g(1);\n      | ^\n";

	spit("l.nesl", "function g(x) = x + nope;\ng(1);\n2;\n");
	gives("$N run --target=interp l.nesl", 1, "it = 2 : int\n");
	ck_assert_ptr_null(strstr(err, "l.nesl:2"));
	ck_assert_int_eq(sh("$N run --target=interp --echo=all l.nesl"), 1);
	ck_assert_ptr_nonnull(strstr(err, rest));
	/* found only once the types are known at which functions are used; the forms before and after run */
	spit("l.nesl", "1;\nx = eql(sum, sum);\nx;\ny = 5;\nx = t;\nx;\n"
		"let h = print_line in {h(s) : s in [\"a\"]};\ny;\n");
	gives("$N run --target=interp l.nesl", 1, "it = 1 : int\nit = T : bool\nit = 5 : int\n");
	ck_assert_ptr_nonnull(strstr(err, "l.nesl:2:5: error[type]: "));
	ck_assert_ptr_nonnull(strstr(err, "l.nesl:7:24: error[serial-in-parallel]: "));
	ck_assert_ptr_null(strstr(err, "l.nesl:3"));
}
END_TEST

/* Mistakes that are seen only at the types, and with the functions, that a form gives. */
START_TEST(instances_that_are_wrong)
{
	static const char *const target[] = {"cpu", "interp"};
	char c[512];

	spit("w.nesl", "x = t;\nfunction both(y) = x and y;\nboth(f);\neql(sum, sum);\nit;\nx = eql(sum, sum);\nx;\nboth(f);\n"
		"function each(g, v) = {g(a) : a in v};\neach(s => rand_seed(s), [1]);\neach(s => s + 1, [1]);\n"
		"x = f;\nx;\nboth(t);\n"
		"function grow(a) : a -> int;\nfunction larger(a) = grow([a]);\nfunction grow(a) : a -> int = larger(a);\n"
		"y = grow(1);\ny + 1;\ny = 2;\ny + 1;\n");
	for (int i = 0; i < 2; i++) {
		snprintf(c, sizeof c, "$N run --target=%s w.nesl", target[i]);
		gives(c, 1, "it = F : bool\nit = [2] : [int]\nit = F : bool\nit = F : bool\nit = 3 : int\n");
		ck_assert_ptr_null(strstr(err, "see above"));
	}
	ck_assert_int_eq(sh("$N run --target=interp --echo=all w.nesl 2>&1 | grep -c 'see above'"), 0);
	ck_assert_str_eq(out, "4\n");
	fails("$N check w.nesl", 1, "w.nesl:9:24: error[serial-in-parallel]: ");
}
END_TEST

START_TEST(grain_is_part_of_the_program)
{
	ck_assert_int_eq(sh("$N dump --stage=c --grain=3 -e 1"), 0);
	ck_assert_ptr_nonnull(strstr(out, "\n#define NESL_GRAIN 3\n"));
	ck_assert_int_eq(sh("$N dump --stage=cuda --grain=100 -e 1"), 0);
	ck_assert(strstr(out, "#define NESL_BD 32\n#define NESL_VT 4\n") == out);
	/* 20 elements and five chunks: a second pass puts the chunks' sums together */
	gives("$N run --target=cpu --grain=4 -e 'plus_scan([1:21])[19]'", 0, "it = 190 : int\n");
	gives("$N run --grain=0 -e 1", 2, "");
}
END_TEST

START_TEST(recursion_has_a_limit)
{
	spit("r.nesl", "function g(n) = if n == 0 then 0 else 1 + g(n - 1);\ng(90);\ng(2000);\n");
	gives("$N run --target=cpu --max-depth=100 r.nesl", 3, "it = 90 : int\n");
	ck_assert(strstr(err, "recursion-depth"));
	gives("$N run --target=interp --max-depth=100 r.nesl", 3, "it = 90 : int\n");
	ck_assert(strstr(err, "recursion-depth"));
}
END_TEST

/* What is in tail position takes no depth, and what a round no longer needs ends with it: ten million rounds over
 * three ints, in place.  What is not in tail position may be 1,000,000 deep. */
START_TEST(tail_calls_have_none)
{
	spit("t.nesl", "function down(n, s) = if n == 0 then s else down(n - 1, {x + 1 : x in s});\n"
		"down(10000000, [1, 2, 3]);\n");
	gives("$N run --target=cpu --max-depth=3 --stats t.nesl", 0, "it = [10000001, 10000002, 10000003] : [int]\n");
	ck_assert_msg(strstr(err, "\"peak_bytes\": 24, \"live_bytes_at_exit\": 0,"), "%s", err);
	gives("$N run --target=interp --max-depth=3 t.nesl", 0, "it = [10000001, 10000002, 10000003] : [int]\n");
	/* nor does what is known of what it gives stand behind it, where that is checked */
	spit("t.nesl", "function down(n, s) = if n == 0 then s else down(n - 1, {x + 1 : x in s});\ndown(100000, [1, 2, 3]);\n"
		"{sum(down(n, [1, 2])) : n in [100, 3]};\n");
	gives("$N run --target=cpu --max-depth=3 --debug t.nesl", 0, "it = [100001, 100002, 100003] : [int]\nit = [203, 9] : [int]\n");
	/* what a call gives may be known to be what its caller has, too */
	spit("g.nesl", "function rounds(g, k) = if k == 0 then g else rounds({{x + k : x in r} : r in g}, k - 1);\n"
		"function beside(v, g, k) = if k == 0 then (v, g, 7) else if oddp(k) then beside({x + 1 : x in v}, g, k - 1) else beside(v, g, k - 1);\n"
		"sum({sum(r) : r in rounds({[0:n] : n in [3, 3]}, 60)}), beside([1, 2], [[5], [6, 7]], 60);\n");
	gives("$N run --target=cpu --max-depth=3 g.nesl", 0, "it = (10986, [31, 32], [[5], [6, 7]], 7) : int, [int], [[int]], int\n");
	spit("o.nesl", "function odd(n) : int -> bool;\nfunction even(n) = if n == 0 then t else odd(n - 1);\n"
		"function odd(n) : int -> bool = if n == 0 then f else even(n - 1);\n"
		"even(10000000), {odd(i) : i in [7, 10000000]};\n");
	gives("$N run --target=cpu --max-depth=2 o.nesl", 0, "it = (T, [T, F]) : bool, [bool]\n");
	spit("o.nesl", "function odd(n) : int -> int;\nfunction even(n) = if n == 0 then 0 else odd(n - 1);\n"
		"function odd(n) : int -> int = if n == 0 then n else 1 + even(n - 1);\neven(198), {odd(i) : i in [3, 203]};\n");
	for (int i = 0; i < 2; i++) {
		gives(i ? "$N run --target=cpu --max-depth=101 o.nesl" : "$N run --target=interp --max-depth=101 o.nesl", 3, "");
		ck_assert_msg(strstr(err, "o.nesl:3:58: error[recursion-depth]: recursion deeper than 101 calls"), "%s", err);
	}
	spit("o.nesl", "function right(a, i) : ([int], int) -> int;\nfunction left(a, i) = if a[i] < 0 then i else right(a, i + 1);\n"
		"function right(a, i) : ([int], int) -> int = if a[i] > 5 then i else left(a, i + 1);\n"
		"{left(a, 0) : a in [[1, 7], [1, 2]]};\nleft([1], 0);\n");
	for (int i = 0; i < 2; i++) {
		gives(i ? "$N run --target=cpu o.nesl" : "$N run --target=interp o.nesl", 3, "");
		ck_assert_msg(strstr(err, "o.nesl:2:26: error[index-range]: index 2 is outside a sequence of length 2"), "%s", err);
		ck_assert_msg(strstr(err, "in element [1]\no.nesl:3:49: error[index-range]: index 1 is "), "%s", err);
	}
	spit("u.nesl", "n = 1;\nbad = 1 / (n - 1);\nfunction use(x) = if x > 5 then bad else if x < 0 then use(x + 1) else x;\n"
		"{use(x) : x in [-7, 2]};\n{use(x) : x in [1, 6]};\nuse(7);\n");
	for (int i = 0; i < 2; i++) {
		gives(i ? "$N run --target=cpu u.nesl" : "$N run --target=interp u.nesl", 3, "it = [0, 2] : [int]\n");
		ck_assert_msg(strstr(err, "u.nesl:3:33: error[unbound-cell]: this variable has no value"), "%s", err);
		ck_assert_msg(strstr(err, "in element [1]\nu.nesl:3:33: error[unbound-cell]"), "%s", err);
	}
	ck_assert_int_eq(sh("$N dump --stage=flan u.nesl | grep -c '^rec scalar fun use('"), 0);
	spit("g.nesl", "function g(n) = if n == 0 then 0 else 1 + g(n - 1);\ng(990000);\ng(1100000);\n");
	gives("$N run --target=cpu g.nesl", 3, "it = 990000 : int\n");
	ck_assert(strstr(err, "g.nesl:1:43: error[recursion-depth]: recursion deeper than 1000000 calls"));
}
END_TEST

/* However many ways a function is called in: the last version serves all that have none of their own. */
START_TEST(versions_are_few)
{
	spit("v.nesl", "function g(a, b, c) = sum({x + a[0] * b : x in c}) + #a;\n"
		"let v = [1, 2, 3]; m = [[4, 5], [6], [7, 8, 9]] in ({g(v, 1, v) : i in v}, {g(v, i, v) : i in v},\n"
		"  {g(r, 1, v) : r in m}, {g(v, 2, r) : r in m}, {g(r, i, v) : r in m; i in v}, {g(r, i, r) : r in m; i in v},\n"
		"  {g(take(r, 1), 1, v) : r in m}, {g(take(r, 1), i, r) : r in m; i in v});\n");
	ck_assert_int_eq(sh("$N dump --stage=flan v.nesl | grep -c '^fun g_lifted'"), 0);
	ck_assert_str_eq(out, "4\n");
}
END_TEST

/* A file that does not end, and one that is none. */
START_TEST(files_that_are_no_programs)
{
	fails("$N check /dev/zero", 4, "nessie: cannot read /dev/zero: File too large\n");
	fails("(printf 1; cat /dev/zero) | $N check -", 4, "nessie: cannot read -: File too large\n");
	fails("$N check /", 4, "nessie: cannot read /: Is a directory\n");
}
END_TEST

START_TEST(time_and_stats)
{
	gives("$N run --target=cpu --time --stats -e '1 + 1'", 0, "it = 2 : int\n");
	ck_assert(strstr(err, "\"launches\": ") && strstr(err, "compile"));
	gives("$N run --target=cpu --stats=s.json -e 'sum([1 : 5])'", 0, "it = 10 : int\n");
	ck_assert_str_eq(err, "");
	slurp("s.json", out, sizeof out);
	ck_assert(strstr(out, "\"live_bytes_at_exit\": 0"));
	fails("$N run --target=cpu --stats=/dev/null/s -e 1", 4, "/dev/null/s: Not a directory\n");
	ck_assert_str_eq(out, "");
	fails("$N run --target=cpu --stats=nowhere/s -e 1", 4, "nowhere/s: No such file or directory\n");
	ck_assert_str_eq(out, "");
}
END_TEST

/* What a task keeps is moved to an array of its own, and that is a part of its time: no memory gives 500 GB/s to one thread. */
START_TEST(profile_of_a_filter)
{
	const char *at;
	double rate;

	spit("p.nesl", "a = {3 * x : x in [0 : 1000000]};\nlet b = {x in a | x > 2000000 and x < 2000100} in b ++ b;\n");
	gives("OMP_NUM_THREADS=1 $N run --target=cpu --echo=none --profile p.nesl", 0, "");
	ck_assert_ptr_nonnull(at = strstr(err, "  p.nesl:2\n"));
	while (at > err && at[-1] != '\n')
		at--;
	ck_assert_int_eq(sscanf(at, "%*f %*f %*d %lf", &rate), 1);
	ck_assert_double_lt(rate, 500.0);
}
END_TEST

/* A line for each task that ran, one for the rest; as JSON, an event for each run. */
START_TEST(profile)
{
	spit("p.nesl", "function g(n) = if n == 0 then 0 else plus_scan([0 : n])[n - 1] + g(n - 1);\n"
		"g(3);\n"
		"if 1 > 2 then sum(sort([3 : 9])) else 1;\n");
	gives("$N run --target=cpu --profile p.nesl", 0, "it = 1 : int\nit = 1 : int\n");
	ck_assert_int_eq(strncmp(err, "   seconds     %   launches     GB/s  task\n", 43), 0);
	ck_assert(strstr(err, "         3 ") && strstr(err, "  p.nesl:1\n") && strstr(err, "outside of tasks\n"));
	ck_assert(!strstr(err, "p.nesl:3"));
	gives("$N run --target=cpu --profile=p.json p.nesl", 0, "it = 1 : int\nit = 1 : int\n");
	ck_assert_str_eq(err, "");
	slurp("p.json", out, sizeof out);
	ck_assert(strstr(out, "\"target\": \"cpu\"") && strstr(out, "\"ph\": \"X\"") && strstr(out, "\"where\": \"p.nesl:1\"}}]}\n"));
	fails("$N run --target=cpu --profile=/dev/null/s -e 1", 4, "/dev/null/s");
	gives("$N run --target=interp --profile -e 1", 0, "it = 1 : int\n");
	ck_assert_str_eq(err, "nessie: --profile: the interpreter has no tasks\n");
}
END_TEST

/* A scan by a function is the library's, but wanted where it is called. */
START_TEST(scans_stand_where_they_are_called)
{
	spit("s.nesl", "function g((a, b), (c, d)) = (a * c, b * c + d);\nv = {(1.0, float(i)) : i in [0:9]};\n"
		"let (s, t1, t2) = scan(g, (1.0, 0.0), v) in #s;\n\nlet (s, t1, t2) = scan(g, (1.0, 1.0), v) in t2;\n");
	gives("$N run --target=cpu --profile s.nesl", 0, "it = 9 : int\nit = 36.0 : float\n");
	ck_assert_msg(strstr(err, "  s.nesl:3,5\n") && !strstr(err, "basis"), "%s", err);
	gives("$N dump --stage=cuda s.nesl | grep -c '\"s.nesl:3,5\"'", 0, "1\n");
}
END_TEST

/* What finds equal elements does so for all rows at once: nothing of it is lifted.  Where there are no rows, nothing is made for them. */
START_TEST(equals_in_rows_are_found_together)
{
	spit("r.nesl", "{remove_duplicates(w) : w in [[\"a\", \"b\", \"a\"], [\"c\"]]};\n{name(v) : v in [[1, 7000, 1], [-9]]};\n"
		"function g(v, k) = if k == 0 then [#histogram(v)] else g(v, k - 1) ++ g(v, k - 1);\n{g([k, 7000], k) : k in [1, 2]};\n");
	gives("$N run r.nesl", 0, "it = [[\"b\", \"a\"], [\"c\"]] : [[[char]]]\nit = [[2, 1, 2], [0]] : [[int]]\n"
		"it = [[2, 2], [2, 2, 2, 2]] : [[int]]\n");
	gives("$N dump --stage=normal r.nesl | grep -c '\\] rows _'", 0, "2\n");
	gives("$N dump --stage=flan r.nesl | grep -c '^rec fun _.*_lifted('", 1, "0\n");
	gives("$N dump --stage=flan r.nesl | grep -c 'call _[a-z_]*_rows '", 0, "4\n");
	gives("$N dump --stage=normal -e 'name([1, 7000])' -e 'remove_duplicates([\"a\"])' | grep -c '\\] rows _'", 1, "0\n");
}
END_TEST

/* What is given for all rows may be a part of something. */
START_TEST(rows_are_cut_out_of_others)
{
	static const char *const target[] = {"interp", "cpu", "cpu -O0"};

	spit("v.normal", "unit normal\ncell it : [[int]]\nfun g(v:[int]) -> [int] rows h {\nyield v\n}\nfun h(vs:[[int]]) -> [[int]] {\n"
		"a:[[int]] = append vs, vs\nn:int = length vs\nm:int = length a\nb:[[int]] = subseq a, n, m\nyield b\n}\n"
		"entry expr it = it : [[int]] {\ne:[int] = range 0, 3, 1\nr:[[int]] = foreach e {\n(x:int)\ns:[int] = range 0, x, 1\n"
		"q:[int] = call g s\nyield q\n}\nyield r\n}\n");
	for (size_t i = 0; i < sizeof target / sizeof *target; i++) {
		char command[80];

		snprintf(command, sizeof command, "$N run --target=%s --from=normal v.normal", target[i]);
		gives(command, 0, "it = [[], [0], [0, 1]] : [[int]]\n");
	}
}
END_TEST

/* Operations of the run time over whole sequences have lines, too, each where it stands; one that has nothing to do does not run. */
START_TEST(operations_have_figures)
{
	static const char *const row[] = {"  sort  q.nesl:2\n", "  rank  q.nesl:3\n", "  append  q.nesl:4\n", "  put  q.nesl:5\n",
		"  permute_ok  q.nesl:6\n"};
	int launches;

	spit("q.nesl", "v = {rem(i * 7919, 1009) : i in [0:1009]};\nsum(sort(v));\nrank(v)[1];\nw = v ++ reverse(v);\n"
		"#{x : x in put([1, 2], [3, 3], v) | x > 0};\n#permute(v, v);\nu = {x in v | x < 0} ++ v;\n");
	gives("$N dump --stage=lcu q.nesl | grep -c ' = append '", 0, "2\n");
	gives("$N run --target=cpu --profile --stats=q.json q.nesl", 0, "it = 508536 : int\nit = 856 : int\nit = 1008 : int\n"
		"it = 1009 : int\n");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		const char *at = strstr(err, row[i]);

		ck_assert_msg(at != NULL, "%s in\n%s", row[i], err);
		while (at[-1] != '\n')
			at--;
		ck_assert_int_eq(sscanf(at, "%*f %*f %d", &launches), 1);
		ck_assert_int_eq(launches, 1);
	}
	ck_assert_msg(!strstr(err, "append  q.nesl:7"), "%s", err);
	slurp("q.json", out, sizeof out);
	ck_assert(strstr(out, "{\"name\": \"append\", \"where\": \"q.nesl:4\", \"space\": \"\", \"launches\": 0, \"bytes_read\": 16144, "
		"\"bytes_written\": 16144"));
}
END_TEST

/* A line for each stage that ran, by its name in the help: seconds, bindings before and after; what one stage leaves the next
 * finds.  The optimiser's rounds stand below it. */
START_TEST(passes_are_timed)
{
	static const char *const stage[] = {"parse", "type", "mono", "normal", "slices", "flan", "opt", "shape", "tasks", "pdg", "lcu", "mem"};
	int found, left, last = 0, round;
	double seconds, memory;
	const char *at;

	ck_assert_int_eq(sh("$N dump --time-passes --stage=mem -e '{sum({x * x : x in [0:n]}) : n in [1, 2, 3]}' >mem"), 0);
	ck_assert_msg(strncmp(err, "pass         seconds  bindings      then        MB\n", 51) == 0, "%s", err);
	at = strchr(err, '\n') + 1;
	for (size_t i = 0; i < sizeof stage / sizeof *stage; i++, at = strchr(at, '\n') + 1) {
		ck_assert_msg(strncmp(at, stage[i], strlen(stage[i])) == 0, "no %s\n%s", stage[i], err);
		ck_assert_int_eq(sscanf(at + strlen(stage[i]), " %lf %d %d %lf\n", &seconds, &found, &left, &memory), 4);
		ck_assert(seconds >= 0 && found == last && memory > 0);
		last = left;
		for (int k = 1; strcmp(stage[i], "opt") == 0 && strncmp(strchr(at, '\n') + 1, "  round", 7) == 0; k++) {
			at = strchr(at, '\n') + 1;
			ck_assert(sscanf(at, "  round %d %*d %d %*d rewritten", &round, &left) == 2 && round == k);
		}
		ck_assert(left == last && (left > 0) == (i >= 3));
	}
	ck_assert_str_eq(at, "");
	gives("$N run --target=cpu -e 1", 0, "it = 1 : int\n");
	ck_assert_str_eq(err, "");
}
END_TEST

/* -O0 is the plain flattening: what is known is computed all the same. */
START_TEST(levels_of_optimisation)
{
	gives("for i in 0 1 2; do $N dump -O$i --stage=opt -e '#[0:2 + 3]' | grep -c ' = '; done", 0, "8\n1\n1\n");
	gives("for i in 0 1 2; do $N run -O$i --target=cpu -e '#[0:2 + 3]'; done", 0, "it = 5 : int\nit = 5 : int\nit = 5 : int\n");
}
END_TEST

START_TEST(check_prints_types)
{
	spit("c.nesl", "function g(x) = x + 1.0;\ny = g(2.0);\n");
	gives("$N check c.nesl", 0, "g : float -> float\ny : float\n");
	spit("d.nesl", "function g(x) = x + nosuch;\ny = 2.0;\n");
	gives("$N check d.nesl", 1, "y : float\n");
}
END_TEST

START_TEST(stages_dump_and_read_back)
{
	static const char *const stage[] = {"parse", "type", "mono", "normal", "flan", "opt", "shape", "tasks", "pdg", "lcu", "mem", "c",
		"cuda"};
	static const char *const back[] = {"normal", "flan", "opt", "tasks", "lcu", "mem"};
	char c[512];

	spit("s.nesl", "function g(m) = {sum({x * x : x in r}) : r in m};\ng([[1, 2], [] int, [3]] ++ [[4]]);\n");
	for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
		snprintf(c, sizeof c, "$N dump --stage=%s s.nesl", stage[i]);
		ck_assert_msg(sh(c) == 0 && *out && !*err, "%s\n%s", c, err);
	}
	for (size_t i = 0; i < sizeof back / sizeof *back; i++) {
		snprintf(c, sizeof c, "$N dump --stage=%s s.nesl >s.%s && $N run --target=cpu --from=%s s.%s", back[i],
			back[i], back[i], back[i]);
		gives(c, 0, "it = [5, 0, 9, 16] : [int]\n");
		snprintf(c, sizeof c, "$N dump --stage=%s --from=%s s.%s | cmp - s.%s", back[i], back[i], back[i],
			back[i]);
		gives(c, 0, "");
	}
	gives("$N run --target=interp --from=normal s.normal", 0, "it = [5, 0, 9, 16] : [int]\n");
	fails("$N run --target=interp --from=flan s.flan", 2, "--from=normal");
	fails("$N dump --stage=normal --from=flan s.flan", 2, "comes before");
	gives("$N dump --stage=mem --stats s.nesl >s.counts; $N dump --stage=mem --from=mem --stats=s.again s.mem; "
		"cmp s.counts s.again", 0, "");
	fails("$N run --from=flan s.normal", 1, "s.normal");
	fails("$N run --from=shape s.flan", 2, "--from=shape: wanted normal, flan, opt, tasks, lcu, mem or map");
}
END_TEST

START_TEST(inputs)
{
	spit("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 0.5\n1 3 2\n2 2 4\n");
	spit("v.txt", "[1.0, 2.0, 3.0]\n");
	spit("i.nesl", "{sum({x * v[i] : (i, x) in row}) : row in m};\n");
	gives("$N run --target=cpu --input m=m.mtx --input V=v.txt i.nesl", 0, "it = [6.5, 8.0] : [float]\n");
	gives("$N run --target=interp --input m=m.mtx --input v=v.txt i.nesl", 0, "it = [6.5, 8.0] : [float]\n");
	gives("$N check --input 'm:[[(int, float)]]' --input 'v:[float]' -e 'a = m; b = v'", 0,
		"a : [[(int, float)]]\nb : [float]\n");
	fails("mkfifo pipe.txt; $N run --input m=pipe.txt -e m", 4, "pipe.txt is a pipe: an input is read twice");
	spit("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 0.5\n");
	fails("$N run --input m=bad.mtx --input v=v.txt i.nesl", 4, "bad.mtx");
	for (int i = 0; i < 5; i++) {
		static const char *const command[] = {"run", "run --target=interp", "build -o p", "check", "dump --stage=c"};
		char line[100];

		snprintf(line, sizeof line, "$N %s --input sqrt=v.txt -e 'sqrt(4.0)' -e 1", command[i]);
		gives(line, 2, "");
		ck_assert_str_eq(err, "error[redefine-builtin]: --input sqrt: this is a library name and cannot be redefined\n");
	}
	gives("$N run --input sum=v.txt -e '#sum' -e 'sqrt(4.0)'; echo '1;' | $N repl --input sqrt=v.txt; echo $?", 0,
		"it = 3 : int\nit = 2.0 : float\n2\n");
}
END_TEST

START_TEST(built_programs)
{
	spit("b.nesl", "sum(v);\n");
	spit("v.txt", "[1.0, 2.0, 3.0]\n");
	spit("w.txt", "[1, 2]\n");
	gives("$N build -o prog --target=cpu --input 'v:[float]' b.nesl", 0, "");
	gives("./prog --input v=v.txt", 0, "it = 6.0 : float\n");
	gives("./prog --echo none --input v=v.txt; ./prog --print-length 2 --max-depth=10 --input=v=v.txt", 0, "it = 6.0 : float\n");
	fails("./prog", 2, "v");
	fails("./prog --input v=v.txt --print-length", 2, "--print-length needs a value");
	fails("./prog --input v=v.txt --statsx", 2, "unknown option --statsx");
	fails("./prog --input v=w.txt", 4, "[int]");
	fails("$N build -o b.nesl --target=cpu b.nesl", 2, "overwrite the source");
	fails("$N build -o cache --target=cpu -e 1", 4, "cache");
}
END_TEST

/* --int belongs to the program: to its dumps, to what is built, to what the cache keeps of the same text. */
START_TEST(width_of_int)
{
	static const char *const target[] = {"interp", "cpu"};
	char command[400];

	for (int i = 0; i < 2; i++) {
		snprintf(command, sizeof command, "$N run --target=%s --int=32 -e 'max_int + 1, [2, max_int]' -e 99999999999 -e it",
			target[i]);
		gives(command, 0, "it = (-2147483648, [2, 2147483647]) : int, [int]\nit = 99999999999 : int\nit = 1215752191 : int\n");
		snprintf(command, sizeof command, "$N run --target=%s -e 'max_int, [2, max_int]'", target[i]);
		gives(command, 0, "it = (9223372036854775807, [2, 9223372036854775807]) : int, [int]\n");
		snprintf(command, sizeof command, "$N run --target=%s --int=32 -e '[-2000000000 : 2000000000 : 1000000000]' "
			"-e '{[x : 2147483647] : x in [-1, 0]}'", target[i]);
		fails(command, 3, "error[bad-range]: no range from -1 to 2147483647 by 1");
		ck_assert_str_eq(out, "it = [-2000000000, -1000000000, 0, 1000000000] : [int]\n");
		ck_assert_int_eq(sh("$N dump --int=32 --stage=normal -e '65536 * 65536' >w.normal"), 0);
		snprintf(command, sizeof command, "$N run --target=%s --from=normal w.normal", target[i]);
		gives(command, 0, "it = 0 : int\n");
	}
	/* the value before, and the value: two variables */
	gives("$N dump --stage=normal -e 1 -e '{it + x : x in [1, 2]}' >it.normal; $N run --target=interp --from=normal it.normal", 0,
		"it = 1 : int\nit = [2, 3] : [int]\n");
	fails("$N run --target=interp --int=64 --from=normal w.normal", 2, "ints of 32 bits");
	fails("$N run --int=16 -e 1", 2, "--int");
	spit("v.txt", "[1, 2147483647]\n");
	spit("w.txt", "[1,\n2147483648]\n");
	gives("$N build -o narrow --target=cpu --int=32 --input 'v:[int]' -e 'sum(v), v'", 0, "");
	gives("./narrow --input v=v.txt", 0, "it = (-2147483648, [1, 2147483647]) : int, [int]\n");
	fails("./narrow --input v=w.txt", 4, "w.txt:2: the int 2147483648 does not fit in 32 bits");
	fails("$N run --target=interp --int=32 --input v=w.txt -e v", 4, "w.txt:2: ");
	/* Elements are counted by an int. */
	fails("$N run --target=cpu --int=32 -e 'sum(flatten({[x, x, x] : x in [0 : 1000000000]}))'", 4,
		"3000000000 elements are too many for ints of 32 bits");
}
END_TEST

/* nvcc alone makes a program for a GPU elsewhere. */
START_TEST(build_for_cuda)
{
	if (system("command -v nvcc >/dev/null || test -x /usr/local/cuda/bin/nvcc") != 0) {
		fprintf(stderr, "check_driver: no nvcc here, build --target=cuda was not run\n");
		return;
	}
	gives("$N build --target=cuda --arch=sm_80 -o gprog -e 'sum({x * x : x in [0 : 1000]})'", 0, "");
	if (system("command -v tcc >/dev/null") == 0)
		gives("CC=tcc $N build --target=cuda --arch=sm_80 -o tprog -e 1", 0, "");
	fails("$N build --target=cuda --arch=sm_10 -o hprog -e 1", 4, "rchitecture");
	fails("$N build --target=cuda --arch=80 -o gprog -e 1", 2, "--arch=80");
	ck_assert_int_eq(access("gprog", X_OK), 0);
	if (dlopen("libcuda.so.1", RTLD_NOW))
		return;
	fails("./gprog", 4, "gprog: no NVIDIA driver on this machine (libcuda.so.1 not found); use --target=cpu\n");
}
END_TEST

Suite *
driver_suite(void)
{
	Suite *s = suite_create("driver");
	TCase *t = tcase_create("driver");

	tcase_add_unchecked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 900);
	tcase_add_test(t, help_lists_the_stages);
	tcase_add_test(t, wrong_command_lines);
	tcase_add_test(t, runs_on_every_target);
	tcase_add_test(t, one_wrong_form_does_not_stop_others);
	tcase_add_test(t, forms_of_one_line);
	tcase_add_test(t, echo_and_lengths);
	tcase_add_test(t, forms_left_out);
	tcase_add_test(t, instances_that_are_wrong);
	tcase_add_test(t, grain_is_part_of_the_program);
	tcase_add_test(t, recursion_has_a_limit);
	tcase_add_test(t, tail_calls_have_none);
	tcase_add_test(t, versions_are_few);
	tcase_add_test(t, files_that_are_no_programs);
	tcase_add_test(t, time_and_stats);
	tcase_add_test(t, profile);
	tcase_add_test(t, scans_stand_where_they_are_called);
	tcase_add_test(t, equals_in_rows_are_found_together);
	tcase_add_test(t, rows_are_cut_out_of_others);
	tcase_add_test(t, operations_have_figures);
	tcase_add_test(t, profile_of_a_filter);
	tcase_add_test(t, passes_are_timed);
	tcase_add_test(t, levels_of_optimisation);
	tcase_add_test(t, check_prints_types);
	tcase_add_test(t, stages_dump_and_read_back);
	tcase_add_test(t, inputs);
	tcase_add_test(t, built_programs);
	tcase_add_test(t, width_of_int);
	tcase_add_test(t, build_for_cuda);
	suite_add_tcase(s, t);
	return s;
}

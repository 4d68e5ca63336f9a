/* check_limit.c: with --mem-limit programs run in slices, and give what they give without; what has no room is told. */
#include "common/process.h"
#include "tests/cost.h"
#include "tests/suite.h"

Suite *limit_suite(void);

static char dir[32];

/* What is made within elements: for a slice of them.  Each needs far more than the limit otherwise. */
static const struct {
	const char *program;
	double limit;
} sliced[] = {
	/* distances of all pairs, sorted by row; the same reduced, which needs no memory at all */
	{"p = {(float(i), float(rem(i * 7, 11))) : i in [0:300]};\n"
	 "function far((a, b), ps) = sort({(a - x) * (a - x) + (b - y) * (b - y) : (x, y) in ps})[2];\n"
	 "sum({far(q, p) : q in p});\n"
	 "sum({min_val({(a - x) * (a - x) + (b - y) * (b - y) : (x, y) in p}) : (a, b) in p});\n", 72000},
	/* rows of all lengths, empty ones too; a filter; several sequences; columns */
	{"v = [0:300];\n"
	 "{let s = sort({rem(x * y, 17) : y in [0:max(x, 7)]}) in (x, s[i], sum(s)) : x in v; i in {rem(j, 7) : j in v} | x > 5}[280];\n"
	 "w = {sum(plus_scan({rem(x * y, 17) : y in [0:rem(x, 40) * 10]})) : x in v | rem(x, 3) > 0};\n(sum(w), #w);\n", 120000},
	/* in a function of the host, in arms, in a loop, by random numbers */
	{"function rows(v, k) = {max_val(plus_scan({rand(100) + k * x : x in v})) : y in v};\n"
	 "function times(v, n) = if n == 0 then v else times({rem(x, 1000) : x in if rem(n, 2) == 0 then rows(v, n)\n"
	 "  else {x + max_val(sort({x * y : y in v})) : x in v}}, n - 1);\n"
	 "sum(times([0:250], 4));\n", 90000},
	/* nested results */
	{"{let s = sort({rem(x * y, 101) : y in [0:400]}) in take(s, rem(x, 4)) ++ [s[399]] : x in [0:300]}[299];\n", 120000},
	/* in functions that an apply-to-each calls, too */
	{"function rows(v) = {sort({rem(j * x, 91) : j in [0:300]})[rem(x, 5)] : x in v};\n"
	 "function times(v, k) = if k == 0 then sum(rows(v)) else times(v, k - 1) + rows(take(v, 2))[1];\n"
	 "times([0:400], 2);\n{times([k : k + 3], k) : k in [1, 2]};\nsum(rows([0:400]));\n", 120000},
	/* a matrix that has a name; several, one after the other; what is done with rows may be a fault, or what makes them */
	{"p = {float(rem(i * 7919, 1009)) : i in [0:300]};\n"
	 "let m = {{(a - x) * (a - x) : x in p} : a in p} in {plus_scan(r)[1] / (r[2] + 1.0) : r in m}[7];\n"
	 "let m = {{sqrt(abs(a - x)) : x in p} : a in p} in sum({max_val(plus_scan(r)) : r in m});\n"
	 "let m = {{a * x : x in p} : a in p}; w = {{x * 0.5 : x in r} : r in m}; s = {sort(r) : r in w} in\n"
	 "  {a + s[40] + min_val(plus_scan(s)) : a in p; s in s}[299];\n"
	 "sum({max_val(plus_scan(r)) : r in {sort({sqrt(abs(a * x - y)) : x in p}) : a in p; y in p}});\n"
	 "function times(v, w, k) = {{x * y + k : x in v} : y in w}; function halves(m) = {{x * 0.5 : x in r} : r in m};\n"
	 "function table(v) = let n = #v; w = (if n > 3 then take(v, n) else v); m = halves(times(v, w, 1.0)) in m;\n"
	 "sum({max_val(plus_scan(r)) : r in table(p)}) + sum({min_val(plus_scan(r)) : r in table(p)});\n", 90000},
	/* what operators make of rows, without an apply-to-each within */
	{"sum({rank([x:300])[0] : x in [0:300]});\nsum({let s = plus_scan([0:x]) in s[s[3]] : x in [10:300]});\n"
	 "sum({sort([x:300] ++ [0:x])[x] : x in [0:300]});\n", 120000},
	/* what is folded of all elements of rows, of none too, that have a name or not */
	{"function rows(n) = {let s = sort({rem(x * y, 17) : y in [0:n]}) in drop(s, max(0, n - 3 * x)) : x in [0:n]};\n"
	 "sum(flatten(rows(300))) + #flatten(rows(250));\nlet r = rows(300) in max_val({float(x) * 0.5 : x in flatten(r)});\n"
	 "any({x > 16 : x in flatten({let s = plus_scan({rem(x * y, 3) : y in [0:300]}) in s -> s : x in [0:300]})});\n", 120000},
};

START_TEST(slices)
{
	const char *target = _i % 2 ? "emu" : "cpu", *program = sliced[_i / 2].program;
	const double limit = sliced[_i / 2].limit;
	char *free_of_it, *bound, *json;

	write_file(dir, "slices.nesl", program);
	ck_assert_int_eq(0, sh(&free_of_it, "./nessie run --target=%s --stats=%s/json %s/slices.nesl 2>&1", target, dir, dir));
	ck_assert_int_eq(0, sh(&json, "cat %s/json", dir));
	ck_assert_msg(figure(json, "peak_bytes") > 3 * limit, "%g\n%s", figure(json, "peak_bytes"), program);
	free(json);
	ck_assert_int_eq(0, sh(&bound, "./nessie run --target=%s --mem-limit=%.0f --stats=%s/json %s/slices.nesl 2>&1", target, limit,
		dir, dir));
	ck_assert_str_eq(free_of_it, bound);
	ck_assert_int_eq(0, sh(&json, "cat %s/json", dir));
	ck_assert_msg(figure(json, "peak_bytes") <= limit, "%g\n%s", figure(json, "peak_bytes"), program);
	ck_assert_msg(strstr(json, "\"live_bytes_at_exit\": 0,"), "%s", json);
	free(json);
	free(free_of_it);
	free(bound);
}
END_TEST

/* Where there is room a form is done whole, as without a limit: what is made of rows in the same task is not there. */
START_TEST(whole_where_there_is_room)
{
	char *free_of_it, *bound;

	ck_assert_int_eq(0, sh(&free_of_it, "./nessie run --target=cpu --stats=%s/json examples/primes.nesl; grep -o '\"launches\": [0-9]*' "
		"%s/json | head -n 1", dir, dir));
	ck_assert_int_eq(0, sh(&bound, "./nessie run --target=cpu --stats=%s/json --mem-limit=200000 examples/primes.nesl; "
		"grep -o '\"launches\": [0-9]*' %s/json | head -n 1", dir, dir));
	ck_assert_str_eq(free_of_it, bound);
	free(free_of_it);
	free(bound);
}
END_TEST

/* Whatever the limit: what it gives without one, or the one message. */
START_TEST(any_limit)
{
	char *wrong;

	write_file(dir, "any.nesl", sliced[1].program);
	write_script(dir, "any", "./nessie run --target=cpu $DIR/any.nesl >$DIR/all\n./nessie build --target=cpu --mem-limit=1000 "
		"-o $DIR/p $DIR/any.nesl\nl=1000\nwhile [ $l -lt 4000000 ]; do\n"
		"	$DIR/p --mem-limit=$l >$DIR/out 2>$DIR/err; s=$?\n"
		"	if [ $s = 0 ]; then cmp $DIR/out $DIR/all; else [ $s = 4 ] && grep -q 'error.memory.: out of memory: [0-9]* bytes for an "
		"array, [0-9]* in use, and --mem-limit is '$l $DIR/err || { echo $l: $s; cat $DIR/err; }; fi\n	l=$((l * 5 / 4))\ndone\n"
		"tail -n 1 $DIR/all; echo $s\n");
	ck_assert_int_eq(0, sh(&wrong, "DIR=%s sh %s/any 2>&1", dir, dir));
	ck_assert_str_eq(wrong, "it = (35416458, 200) : int, int\n0\n");
	free(wrong);
}
END_TEST

/* A limit of as many bytes as there are at once is enough, and one less is not: on both targets what counts is what is told. */
START_TEST(limits_of_the_peak)
{
	const char *target = _i ? "emu" : "cpu";
	char *said;

	write_file(dir, "peak.nesl", "v = [0:5000];\na = {x * 3 : x in v | rem(x, 3) == 0};\nb = flatten({[x, x + 1] : x in a});\n"
		"(a[5], #a, sum(b));\nc = {{y * x : y in [0:rem(x, 7)]} : x in [0:200]};\nplus_scan({sum(r) : r in c})[100];\n"
		"#(v ++ a ++ b);\n");
	write_script(dir, "peak", "./nessie build --target=$1 --mem-limit=1e9 -o $DIR/p $DIR/peak.nesl\n$DIR/p --stats=$DIR/json\n"
		"most=$(sed -n 's/.*\"peak_bytes\": \\([0-9]*\\).*/\\1/p' $DIR/json)\n$DIR/p --mem-limit=$most; echo $?\n"
		"$DIR/p --mem-limit=$((most - 1)) 2>/dev/null; echo $?\n");
	ck_assert_int_eq(0, sh(&said, "DIR=%s sh %s/peak %s", dir, dir, target));
	ck_assert_str_eq(said, "it = (45, 1667, 24996665) : int, int, int\nit = 24745 : int\nit = 10001 : int\n"
		"it = (45, 1667, 24996665) : int, int, int\nit = 24745 : int\nit = 10001 : int\n0\n"
		"it = (45, 1667, 24996665) : int, int, int\n4\n");
	free(said);
}
END_TEST

/* The element at fault is that of the whole; what cannot be done is told with its line; what has been printed stays so. */
static const struct {
	const char *form, *says;
	int status;
} refused[] = {
	{"{sort({rem(i * j, 17) : j in [0:200]})[if i == 150 then 200 else i] : i in [0:200]}", "index 200 is outside a sequence of "
	 "length 200\n    1 | {sort({rem(i * j, 17) : j in [0:200]})[if i == 150 then 200 else i] : i in [0:200]}\n      |  "
	 "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  in element [150]\n", 3},
	{"{sort(a)[0] : a in {[x] : x in [0:9]}; b in [0:8]}", "error[length-mismatch]: lengths differ: 9 and 8\n", 3},
	{"{[0:1] : i in [0:4000]}", "-e:1:1: error[memory]: out of memory: 32008 bytes for an array", 4},
	{"sort({i * i : i in [0:20000]})[0]", "and --mem-limit is 60000\n    1 | sort({i * i : i in [0:20000]})[0]\n      |       "
	 "^^^^^\n", 4},
	{"let m = {{(i * j) / (7 - i) : j in [0:20]} : i in [0:20]} in {r[i + 15] : r in m; i in [0:20]}", "error[div-by-zero]: "
	 "division by zero, or min_int / -1\n    1 | let m = {{(i * j) / (7 - i) : j in [0:20]} : i in [0:20]} in {r[i + 15] : r in m; i in "
	 "[0:20]}\n      |           ^^^^^^^^^^^^^^^^^\n  in element [7][0]\n", 3},
	{"let m = {{(i * j) / 7 : j in [0:20]} : i in [0:20]} in {r[i + 15] : r in m; i in [0:20]}", "index 20 is outside a sequence of "
	 "length 20\n    1 | let m = {{(i * j) / 7 : j in [0:20]} : i in [0:20]} in {r[i + 15] : r in m; i in [0:20]}\n      |"
	 "                                                         ^^^^^^^^^\n  in element [5]\n", 3},
	{"let p = print_line(\"once\") in sum({sort({i * j : j in [0:200]})[0] : i in [0:200]})", "once\n-e:1:", 4},
};

START_TEST(limits_that_are_too_low)
{
	char *said;

	ck_assert_int_eq(refused[_i].status, sh(&said, "./nessie run --target=cpu --mem-limit=60000 -e '%s' 2>&1", refused[_i].form));
	ck_assert_msg(strstr(said, refused[_i].says), "%s\n%s", said, refused[_i].says);
	free(said);
}
END_TEST

/* What --debug asks has no place: then it is the one before. */
START_TEST(limits_with_debug)
{
	static const char told[] = "-e:1:9: error[memory]: out of memory: 1257 bytes";
	char *said;

	ck_assert_int_eq(4, sh(&said, "./nessie run --target=cpu --debug --grain=1 --mem-limit=24000 -e "
		"'let v = {{0 : x in [0]; y in [0]} : i in [0 : 1257]} in reverse(v)' 2>&1"));
	ck_assert_msg(strstr(said, told), "%s\n%s", said, told);
	free(said);
}
END_TEST

/* What a device works in counts: two arrays of keys and two of positions, of which the result has what fits; and what blocks hand on. */
START_TEST(working_memory_counts)
{
	static const struct {
		const char *form;
		int each;               /* bytes an element */
	} ranked[] = {{"rank({rem(i * 7919, 1009) : i in [0:40000]})[7]", 24}, {"rank({float(rem(i * 7919, 1009)) : i in [0:40000]})[7]", 32}};
	static const char sum[] = "-e:1:1: error[memory]: out of device memory: 3912 bytes for an array, 0 in use, and --mem-limit is 1000\n"
		"    1 | sum({i * i : i in [0:1000000]})\n      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n";
	char *out;

	for (size_t i = 0; i < sizeof ranked / sizeof *ranked; i++) {
		double each;

		ck_assert_int_eq(0, sh(&out, "./nessie run --target=emu --stats -e '%s' 2>&1", ranked[i].form));
		each = figure(out, "peak_bytes") / 40000;
		ck_assert_msg(each >= ranked[i].each && each < ranked[i].each + 1, "%g bytes: %s", each, ranked[i].form);
		free(out);
	}
	/* A scan by a function takes aside twice what it scans, and a little. */
	ck_assert_int_eq(0, sh(&out, "./nessie run --target=cpu --mem-limit=20000 -e 'function last((f1, x), (f2, y)) = (f1 or f2, if f2 then y else "
		"max(x, y)); let (s, all) = scan(last, (f, min_int), {(rem(i, 10) == 0, i) : i in [0:300]}) in (all, #s)' 2>&1"));
	ck_assert_str_eq(out, "it = ((T, 299), 300) : (bool, int), int\n");
	free(out);
	ck_assert_int_eq(4, sh(&out, "./nessie run --target=emu --mem-limit=1000 -e 'sum({i * i : i in [0:1000000]})' 2>&1"));
	ck_assert_str_eq(out, sum);
	free(out);
}
END_TEST

/* There is room for what is kept, but not for all that may be: it is counted first.  With chunks of 50 some are kept of none. */
START_TEST(kept_where_little_room_is)
{
	char *said;

	ck_assert_int_eq(0, sh(&said, "OMP_NUM_THREADS=2 ./nessie run --target=cpu --mem-limit=10000 --grain=50 "
		"-e 'let v = {x in [0:2000] | x > 1900} in (#v, sum(v))' "
		"-e 'let v = {{x in [0:i] | x > 45} : i in [0:50]} in (#flatten(v), sum({sum(r) : r in v}))' 2>&1"));
	ck_assert_str_eq(said, "it = (99, 193050) : int, int\nit = (6, 280) : int, int\n");
	free(said);
}
END_TEST

/* With a limit: a part of a task that needs only one of what a division gives. */
START_TEST(parts_under_a_limit)
{
	char *out;

	ck_assert_int_eq(0, sh(&out, "./nessie run --target=cpu --mem-limit=100000 -e 'function back(o, i, out, a, b) = if i < 1 then out else "
		"back(o, i - 1, {sum({x * y[o[i]] : x in row; y in b}) : row in a}, a, b);' -e 'let a = [[7, 3], [4, 6]] in "
		"{back(o, #o - 1, [1, 1], a, a) : o in {{rem(i, 3) : i in [0:n]} : n in [1, 2]}}' 2>&1"));
	ck_assert_str_eq(out, "it = [[1, 1], [39, 48]] : [[int]]\n");
	free(out);
}
END_TEST

static void
make_dir(void)
{
	strcpy(dir, "/tmp/nessie-limit-XXXXXX");
	ck_assert(mkdtemp(dir));
	setenv("OMP_NUM_THREADS", "1", 1);
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
}

/* First what threads do, which tcc's programs have not; from then on it compiles. */
Suite *
limit_suite(void)
{
	Suite *s = suite_create("limit");
	TCase *t = case_between(s, "threads", make_dir, remove_dir);

	tcase_add_test(t, kept_where_little_room_is);
	t = case_quickly(s, "slices", make_dir, remove_dir);
	tcase_add_test(t, parts_under_a_limit);
	tcase_add_loop_test(t, slices, 0, 2 * sizeof sliced / sizeof *sliced);
	tcase_add_test(t, whole_where_there_is_room);
	tcase_add_test(t, any_limit);
	tcase_add_loop_test(t, limits_of_the_peak, 0, 2);
	tcase_add_test(t, working_memory_counts);
	tcase_add_test(t, limits_with_debug);
	tcase_add_loop_test(t, limits_that_are_too_low, 0, sizeof refused / sizeof *refused);
	return s;
}

/* check_value.c: values at the edge: how they print, how inputs are read, what is said of bad ones;
 * and made-up data, read back. */
#include "backend/rt/nesl_fault.h"
#include "backend/rt/nesl_value.h"
#include "common/data.h"
#include "common/keeper.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Suite *value_suite(void);

static char dir[] = "/tmp/nessie-value-XXXXXX";

static const char *
in_dir(const char *name)
{
	static char path[200];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static const char *
file_with(const char *name, const void *text, size_t n)
{
	const char *path = in_dir(name);
	FILE *f = fopen(path, "wb");

	ck_assert(f && fwrite(text, 1, n, f) == n && fclose(f) == 0);
	return path;
}

/* The value of the file as printed, " : " and its type; or the message without the directory. */
static const char *
read_back_with(const char *path, int int_bits)
{
	static char *text;
	size_t n;
	nesl_value v;
	char err[1024];
	FILE *out;

	free(text);
	out = open_memstream(&text, &n);
	if (nesl_read_input(path, int_bits, &v, err, sizeof err)) {
		fputs(strncmp(err, dir, strlen(dir)) == 0 ? err + strlen(dir) + 1 : err, out);
	} else {
		nesl_print_value(out, v.type, v.leaf, 100);
		fprintf(out, " : %s", v.type);
		nesl_value_free(&v);
	}
	fclose(out);
	return text;
}

static const char *
read_back(const char *path)
{
	return read_back_with(path, 64);
}

static void
expect_text(const char *name, const char *text, const char *want)
{
	ck_assert_str_eq(read_back(file_with(name, text, strlen(text))), want);
}

/* -- printing --------------------------------------------------------------------------------- */
START_TEST(floats)
{
	static const struct {
		double x;
		const char *want;
	} t[] = {
		{0.0, "0.0"}, {-0.0, "0.0"}, {4.0, "4.0"}, {-2.5, "-2.5"}, {1.0 / 3.0, "0.333333333333333"},
		{1.41421356237310, "1.4142135623731"}, {9999999.0, "9999999.0"}, {1e7, "1.0E7"}, {0.001, "0.001"},
		{9.9e-4, "9.9E-4"}, {12345678.5, "1.23456785E7"}, {1e-100, "1.0E-100"}, {1e300, "1.0E300"},
		{9999999.99999999999, "1.0E7"}, {0.00099999999999999999, "0.001"}, {100.0, "100.0"},
		{INFINITY, "inf"}, {-INFINITY, "-inf"}, {NAN, "nan"}, {123456.789, "123456.789"},
	};
	char text[40];

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		nesl_format_float(text, t[i].x);
		ck_assert_str_eq(text, t[i].want);
	}
}
END_TEST

START_TEST(types)
{
	nesl_leaf leaf[8];

	ck_assert_int_eq(nesl_type_leaves("int", leaf, 8), 1);
	ck_assert_int_eq(leaf[0].kind, LEAF_SCALAR);
	ck_assert_int_eq(nesl_type_leaves("[[(int, float)]]", leaf, 8), 3);
	ck_assert_int_eq(leaf[0].kind, LEAF_OFFSETS);
	ck_assert_int_eq(leaf[2].base, 'f');
	ck_assert_int_eq(nesl_type_leaves("(int, char), [bool], [[[int]]]", leaf, 8), 6);
	ck_assert_int_eq(leaf[3].kind, LEAF_OFFSETS);
	ck_assert_int_eq(nesl_type_leaves("[int", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("int,", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("a", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("[into(int, p)<int, [p<float>]>], p<char>", leaf, 8), 4);
	ck_assert_int_eq(nesl_type_leaves("p<int", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("p(int", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("p", NULL, 0), -1);
	ck_assert_int_eq(nesl_type_leaves("<int>", NULL, 0), -1);
}
END_TEST

static void
fetch(const void *data, i64 from, i64 n, size_t size, void *buf)
{
	memcpy(buf, (const char *)data + (size_t)from * size, (size_t)n * size);
}

START_TEST(limits)
{
	static const i64 off[] = {0, 300, 300, 301};
	i64 data[301];
	nesl_leaf leaf[2] = {{LEAF_OFFSETS, 'i', 4, (void *)off, fetch}, {LEAF_VECTOR, 'i', 301, data, fetch}};
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	for (int i = 0; i < 301; i++)
		data[i] = i;
	nesl_print_value(out, "[[int]]", leaf, 3);
	fputc(' ', out);
	nesl_print_value(out, "[[int]]", leaf, 2);
	fputc(' ', out);
	nesl_print_value(out, "[int]", leaf + 1, 0);
	fclose(out);
	ck_assert_str_eq(text, "[[0, 1, 2,...], [], [300]] [[0, 1,...], [],...] [,...]");
	free(text);
}
END_TEST

START_TEST(faults)
{
	static const struct {
		const char *kind;
		i64 v[3];
		const char *want;
	} t[] = {
		{"index-range", {7, 5, 0}, "index 7 is outside a sequence of length 5"},
		{"length-mismatch", {3, 4, 0}, "lengths differ: 3 and 4"},
		{"bad-range", {5, 2, 1}, "no range from 5 to 2 by 1"},
		{"bad-permute", {7, 5, 0}, "index 7 twice, or outside 0..4"},
		{"bad-permute", {2, 3, 1}, "2 indices for a sequence of length 3"},
		{"div-by-zero", {0, 0, 0}, "division by zero, or min_int / -1"},
		{"domain", {0, 0, 0}, "argument outside the function's domain"},
		{"recursion-depth", {1000, 0, 0}, "recursion deeper than 1000 calls"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		nesl_site site = {t[i].kind, "a.nesl", 3, 3, 2, "\tx[7]", 0, 0};
		char *text, want[200];
		size_t n;
		FILE *out = open_memstream(&text, &n);

		nesl_fault_print(out, &site, t[i].v, &(nesl_index_path){{0}, 0, 0});
		fclose(out);
		snprintf(want, sizeof want, "a.nesl:3:3: error[%s]: %s\n    3 | \tx[7]\n      | \t ^^\n", t[i].kind, t[i].want);
		ck_assert_str_eq(text, want);
		free(text);
	}
}
END_TEST

/* -- literals --------------------------------------------------------------------------------- */
START_TEST(literals)
{
	static const char *const t[][2] = {
		{"-12", "-12 : int"}, {"1e3;\n", "1000.0 : float"}, {" T ", "T : bool"}, {"`%", "`% : char"},
		{"\"a\\\"b\\\\c\"", "\"a\\\"b\\\\c\" : [char]"}, {"\"\"", "\"\" : [char]"},
		{"[(1,[2.5, -3.0],\"x\"), % no % (2, [] float, \"\")]", "[(1, [2.5, -3.0], \"x\"), (2, [], \"\")] : [(int, [float], [char])]"},
		{"[[],[1],[2,\n3]]", "[[], [1], [2, 3]] : [[int]]"}, {"((1, 2), 3)", "((1, 2), 3) : (int, int), int"},
		{"(1, (2, (3)))", "(1, 2, 3) : int, int, int"}, {"[] (int, [bool])", "[] : [(int, [bool])]"},
		{"[inf, -inf, nan]", "[inf, -inf, nan] : [float]"}, {"-9223372036854775808", "-9223372036854775808 : int"},
		{"[`a, `b]", "\"ab\" : [char]"}, {"[T, f]", "[T, F] : [bool]"},
		{"[1,\n2.5]", "v.txt:2: a float where the values before have an int"},
		{"[1,\n\n[2]]", "v.txt:3: a sequence where the values before have an int"},
		{"[1, 2", "v.txt:1: the file ends where `]` is wanted after the elements of a sequence"},
		{"[1 2]", "v.txt:1: `]` is wanted after the elements of a sequence"},
		{"1\nx", "v.txt:2: unexpected text after the value: several are one sequence, [1, 2, 3], or tuple"},
		{"\nfoo", "v.txt:2: a value is wanted here, not `f`"},
		{"[[], []]", "v.txt:1: nothing says what an empty sequence is of: write [] int or the like"},
		{"9223372036854775808", "v.txt:1: the int 9223372036854775808 does not fit in 64 bits"},
		{"1e999", "v.txt:1: 1e999 is too large for a float"}, {"1.5.5", "v.txt:1: this number is malformed"},
		{"\"abc", "v.txt:1: this string has no end"}, {"% abc", "v.txt:1: this comment has no end"},
		{"[(1, 2), (1, 2, 3)]", "v.txt:1: a tuple where the values before have an int"},
		{"\xef\xbb\xbf[1,\r\n 2]\r\n", "[1, 2] : [int]"}, {"\xef\xbb\xbf\n[1, x]", "v.txt:2: a value is wanted here, not `x`"},
		{"\xef\xbb", "v.txt:1: a value is wanted here, not `\xef`"},
		{"", "v.txt: the file is empty"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect_text("v.txt", t[i][0], t[i][1]);
}
END_TEST

START_TEST(deep_literal)
{
	char text[5001];

	memset(text, '[', 5000);
	text[5000] = 0;
	expect_text("deep.nesl", text, "deep.nesl:1: this is nested too deeply");
}
END_TEST

/* -- Matrix Market ---------------------------------------------------------------------------- */
#define MM "%%MatrixMarket matrix coordinate "

START_TEST(matrices)
{
	static const char *const t[][2] = {
		{MM "real general\n% c\n\n3 4 4\n3 2 1.5\n1 4 -2\n\n1 1 1e-2\n3 1 .5",
			"[[(0, 0.01), (3, -2.0)], [], [(0, 0.5), (1, 1.5)]] : [[(int, float)]]"},
		{MM "pattern symmetric\r\n2 2 2\r\n1 1\r\n2 1\r\n", "[[(0, 1.0), (1, 1.0)], [(0, 1.0)]] : [[(int, float)]]"},
		{MM "pattern symmetric\n2 2 1\n1 2\n", "[[(1, 1.0)], [(0, 1.0)]] : [[(int, float)]]"},
		{"\xef\xbb\xbf" MM "real general\r\n1 2 1\r\n1 2 4\r\n", "[[(1, 4.0)]] : [[(int, float)]]"},
		{MM "integer skew-symmetric\n2 2 2\n2 1 3\n1 1 0\n", "[[(0, 0.0), (1, -3.0)], [(0, 3.0)]] : [[(int, float)]]"},
		{MM "real general\n1 2 4\n1 2 1\n1 1 2\n1 2 3\n1 1 4\n", "[[(0, 2.0), (0, 4.0), (1, 1.0), (1, 3.0)]] : [[(int, float)]]"},
		{"%%matrixmarket MATRIX Coordinate Real General\n0 0 0\n", "[] : [[(int, float)]]"},
		{MM "real general\n1 1 1\n1 1 0.1234567890123456789\n", "[[(0, 0.123456789012346)]] : [[(int, float)]]"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect_text("m.mtx", t[i][0], t[i][1]);
}
END_TEST

START_TEST(bad_matrices)
{
	static const char *const t[][2] = {
		{"1 2 3\n", "m.mtx:1: not a Matrix Market file: it must begin with `%%MatrixMarket`"},
		{"%%MatrixMarket vector coordinate real general\n", "m.mtx:1: only a `matrix` can be read, not `vector`"},
		{"%%MatrixMarket matrix array real general\n", "m.mtx:1: this is a dense matrix (`array`); only sparse ones (`coordinate`) can be read"},
		{MM "complex general\n", "m.mtx:1: complex entries cannot be read: NESL has no complex numbers"},
		{MM "real hermitian\n", "m.mtx:1: a hermitian matrix cannot be read: NESL has no complex numbers"},
		{MM "quaternion general\n", "m.mtx:1: unknown field `quaternion`; `real`, `integer` or `pattern` is wanted"},
		{MM "real odd\n", "m.mtx:1: unknown symmetry `odd`; `general`, `symmetric` or `skew-symmetric` is wanted"},
		{MM "pattern skew-symmetric\n", "m.mtx:1: a pattern cannot be skew-symmetric"},
		{MM "real general\n% only a comment\n", "m.mtx:3: the file ends before the line `ROWS COLUMNS ENTRIES`"},
		{MM "real general\n2 2\n", "m.mtx:2: the number of entries is missing"},
		{MM "real general\n2 x 1\n", "m.mtx:2: the number of columns is malformed: `x`"},
		{MM "real general\n2 -2 1\n", "m.mtx:2: the number of columns is malformed: `-2`"},
		{MM "real general\n2 2 99999999999999999999\n", "m.mtx:2: the number of entries is too large"},
		{MM "real general\n2 2 900000000000000000\n", "m.mtx:2: 2 rows and 900000000000000000 entries are more than this machine's memory can hold"},
		{MM "real symmetric\n2 3 1\n", "m.mtx:2: a symmetric matrix must be square, not 2 x 3"},
		{MM "real general\n2 2 3\n1 1 1\n2 2 2\n", "m.mtx:5: the file says 3 entries, but ends after 2"},
		{MM "real general\n2 2 1\n1 1 1\n2 2 2\n", "m.mtx:4: more entries than the 1 that the file says"},
		{MM "real general\n2 2 1\n3 1 1\n", "m.mtx:3: the row 3 is outside 1..2"},
		{MM "real general\n2 2 1\n1 0 1\n", "m.mtx:3: the column 0 is outside 1..2"},
		{MM "real general\n2 2 1\n1 1 1.2.3\n", "m.mtx:3: the value is malformed: `1.2.3`"},
		{MM "real general\n2 2 1\n1 1 1e\n", "m.mtx:3: the value is malformed: `1e`"},
		{MM "integer general\n2 2 1\n1 1 1.5\n", "m.mtx:3: the value is malformed: `1.5`"},
		{MM "real general\n2 2 1\n1 1\n", "m.mtx:3: the value is missing"},
		{MM "real general\n2 2 1\n1 1 1e999\n", "m.mtx:3: the value is too large for a float"},
		{MM "real general\n2 2 1\n1 1 1 0\n", "m.mtx:3: unexpected text at the end of the line: `0`"},
		{MM "real skew-symmetric\n2 2 1\n1 1 1\n", "m.mtx:3: the diagonal of a skew-symmetric matrix must be zero"},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		expect_text("m.mtx", t[i][0], t[i][1]);
	ck_assert_str_eq(read_back(file_with("n.mtx", MM "real general\n1 1 1\n1 \0 1\n", sizeof MM + 27)),
		"n.mtx:3: there is a NUL byte in the file");
}
END_TEST

START_TEST(bad_files)
{
	ck_assert_str_eq(read_back(in_dir("none.mtx")), "none.mtx: no such file");
	ck_assert_str_eq(read_back("x.csv"), "x.csv: an input is a .mtx, .npy, .nesl or .txt file");
	mkdir(in_dir("d.mtx"), 0700);
	ck_assert_str_eq(read_back(in_dir("d.mtx")), "d.mtx: this is a directory");
	rmdir(in_dir("d.mtx"));
	expect_text("e.mtx", "", "e.mtx: the file is empty");
	if (geteuid() != 0) {
		chmod(file_with("p.mtx", "x", 1), 0);
		ck_assert_str_eq(read_back(in_dir("p.mtx")), "p.mtx: no permission to read it");
	}
}
END_TEST

/* A row too long for the insertion sort, against the order it must come out in. */
START_TEST(long_row)
{
	nesl_value v;
	char err[200];
	FILE *f = fopen(in_dir("l.mtx"), "w");

	ck_assert_ptr_nonnull(f);
	fputs(MM "integer general\n1 1000 3000\n", f);
	for (int i = 0; i < 3000; i++)
		fprintf(f, "1 %d %d\n", i * 7 % 1000 + 1, i);
	fclose(f);
	ck_assert_int_eq(nesl_read_input(in_dir("l.mtx"), 64, &v, err, sizeof err), 0);
	for (int i = 1; i < 3000; i++) {
		const i64 *col = v.leaf[1].data;
		const f64 *x = v.leaf[2].data;

		ck_assert(col[i - 1] < col[i] || (col[i - 1] == col[i] && x[i - 1] < x[i]));
		ck_assert_int_eq((i64)x[i] * 7 % 1000, col[i]);
	}
	nesl_value_free(&v);
}
END_TEST

/* -- npy -------------------------------------------------------------------------------------- */
static const char *
npy(const char *descr, const char *order, const char *shape, const void *data, size_t n)
{
	char text[400] = "\x93NUMPY\1\0\166\0";

	snprintf(text + 10, 119, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, shape);
	memset(text + 10 + strlen(text + 10), ' ', 118 - strlen(text + 10));
	memcpy(text + 128, data, n);
	return read_back(file_with("a.npy", text, 128 + n));
}

START_TEST(arrays)
{
	static const i64 i8[] = {1, -2, 3, 4};
	static const int32_t i4[] = {1, -2, 3, 4};
	static const f64 f8[] = {1.5, -2, 3, 4};
	static const float f4[] = {1.5F, -2, 3, 4};

	ck_assert_str_eq(npy("'<i8'", "False", "(4,)", i8, 32), "[1, -2, 3, 4] : [int]");
	ck_assert_str_eq(npy("'<i4'", "False", "(4,)", i4, 16), "[1, -2, 3, 4] : [int]");
	ck_assert_str_eq(npy("'<f8'", "False", "(2, 2)", f8, 32), "[[1.5, -2.0], [3.0, 4.0]] : [[float]]");
	ck_assert_str_eq(npy("'<f4'", "True", "(4,)", f4, 16), "[1.5, -2.0, 3.0, 4.0] : [float]");
	ck_assert_str_eq(npy("'|b1'", "False", "(1, 2)", "\1\0", 2), "[[T, F]] : [[bool]]");
	ck_assert_str_eq(npy("'<i8'", "False", "(0,)", i8, 0), "[] : [int]");
	ck_assert_str_eq(npy("'<i8'", "False", "(2, 0)", i8, 0), "[[], []] : [[int]]");
}
END_TEST

START_TEST(bad_arrays)
{
	static const i64 i8[] = {1, -2, 3, 4};

	ck_assert_str_eq(npy("'<i8'", "True", "(2, 2)", i8, 32),
		"a.npy: this array is in Fortran order; save it in C order (numpy.ascontiguousarray)");
	ck_assert_str_eq(npy("'>i8'", "False", "(4,)", i8, 32),
		"a.npy: elements of type '>i8' cannot be read; <i8, <i4, <f8, <f4 or |b1 is wanted");
	ck_assert_str_eq(npy("'<i8'", "False", "(5,)", i8, 32), "a.npy: the header says 40 bytes of data, but there are 32");
	ck_assert_str_eq(npy("'<i8'", "False", "(2, 2, 1)", i8, 32),
		"a.npy: an array of 3 dimensions cannot be read; one or two are wanted");
	ck_assert_str_eq(npy("'<i8'", "False", "(4000000000, 4000000000)", i8, 32),
		"a.npy: the header says 128000000000000000000 bytes of data, but there are 32");
	expect_text("b.npy", "hello, world", "b.npy: not a .npy file: it must begin with \\x93NUMPY");
	ck_assert_str_eq(read_back(file_with("c.npy", "\x93NUMPY\1\0", 8)), "c.npy: the file ends within its header");
	ck_assert_str_eq(read_back(file_with("c.npy", "\x93NUMPY\1\0\377\0{}", 12)), "c.npy: the file ends within its header");
}
END_TEST

/* What fits 32 bits is read where ints have so many, whatever the file has room for. */
START_TEST(narrow_ints)
{
	static const i64 i8[] = {1, -2147483648, 2147483647, 2147483648};
	static const char *const text[][3] = {
		{"n.nesl", "[2147483647, -2147483648]", "[2147483647, -2147483648] : [int]"},
		{"n.nesl", "[1,\n 2147483648]", "n.nesl:2: the int 2147483648 does not fit in 32 bits"},
		{"n.nesl", "-2147483649", "n.nesl:1: the int -2147483649 does not fit in 32 bits"},
		{"n.mtx", "%%MatrixMarket matrix coordinate real general\n1 2147483647 1\n1 2147483647 0.5\n",
			"[[(2147483646, 0.5)]] : [[(int, float)]]"},
		{"n.mtx", "%%MatrixMarket matrix coordinate real general\n1 2147483648 1\n1 2147483648 0.5\n",
			"n.mtx:2: the number of columns is too large"},
	};

	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		ck_assert_str_eq(read_back_with(file_with(text[i][0], text[i][1], strlen(text[i][1])), 32), text[i][2]);
	npy("'<i8'", "False", "(3,)", i8, 24);
	ck_assert_str_eq(read_back_with(in_dir("a.npy"), 32), "[1, -2147483648, 2147483647] : [int]");
	npy("'<i8'", "False", "(4,)", i8, 32);
	ck_assert_str_eq(read_back_with(in_dir("a.npy"), 32),
		"a.npy: element 3, 2147483648, does not fit an int of 32 bits");
}
END_TEST

/* -- made-up data ----------------------------------------------------------------------------- */
static int
data(const char *kind, const char *options, const char *path)
{
	char text[200], *argv[20] = {"data", (char *)(size_t)kind}, *word;
	int argc = 2;

	snprintf(text, sizeof text, "%s", options);
	for (word = strtok(text, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc++] = "-o";
	argv[argc++] = (char *)(size_t)path;
	return data_command(argc, argv);
}

static i64
entries(const char *path)
{
	nesl_value v;
	char err[400];
	i64 n;

	ck_assert_msg(nesl_read_input(path, 64, &v, err, sizeof err) == 0, "%s", err);
	n = v.leaf[v.nleaf - 1].count;
	for (i64 i = 1, r = 0; v.nleaf == 3 && i < n; i++) {
		const i64 *off = v.leaf[0].data, *col = v.leaf[1].data;

		while (off[r + 1] < i)
			r++;
		ck_assert(off[r + 1] == i || col[i - 1] < col[i]);
	}
	nesl_value_free(&v);
	return n;
}

START_TEST(made)
{
	static const struct {
		const char *kind, *options, *file;
		i64 n;
	} t[] = {
		{"even", "--rows 7 --cols 5 --entries 23", "g.mtx", 23}, {"even", "--rows=5 --cols=4 --entries=20", "g.mtx", 20},
		{"zipf", "--rows 300 --entries 5000 --exponent 1.5", "g.mtx", 5000},
		{"giant", "--rows 50 --entries 90", "g.mtx", 90}, {"giant", "--rows 5 --cols 4 --entries 19", "g.mtx", 19},
		{"giant", "--rows 1 --cols 4 --entries 3", "g.mtx", 3}, {"even", "--rows 3 --entries 0", "g.mtx", 0},
		{"half", "--rows 7 --entries 20", "g.mtx", 20}, {"half", "--rows 1 --entries 0", "g.mtx", 0},
		{"even", "--rows 7 --entries 23", "g.npy", 7}, {"zipf", "--rows 300 --entries 5000", "g.txt", 300},
		{"rmat", "--scale 6 --entries 2000", "g.mtx", 2000}, {"rmat", "--nodes 3 --entries 4 --field real", "g.mtx", 4},
		{"laplace2d", "--side 4", "g.mtx", 64}, {"laplace2d", "--side 1", "g.mtx", 1},
		{"uniform", "--n 1e3 --type float", "g.txt", 1000}, {"uniform", "--n 17", "g.npy", 17},
		{"uniform", "--n 0", "g.txt", 0}, {"points", "--n 9", "g.nesl", 9}, {"points", "--n 9 --dims 3", "g.npy", 27},
	};

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		ck_assert_int_eq(data(t[i].kind, t[i].options, in_dir(t[i].file)), 0);
		ck_assert_int_eq(entries(in_dir(t[i].file)), t[i].n);
	}
}
END_TEST

START_TEST(lengths)
{
	char text[40];
	FILE *f;

	ck_assert_int_eq(data("even", "--rows 3 --entries 100", in_dir("l.txt")), 0);
	ck_assert_str_eq(read_back(in_dir("l.txt")), "[34, 33, 33] : [int]");
	f = fopen(in_dir("l.txt"), "r");
	ck_assert(f && fgets(text, sizeof text, f) && fclose(f) == 0);
	ck_assert_str_eq(text, "[34, 33, 33]\n");
	ck_assert_int_eq(data("giant", "--rows 4 --entries 100", in_dir("l.npy")), 0);
	ck_assert_str_eq(read_back(in_dir("l.npy")), "[1, 1, 97, 1] : [int]");
	ck_assert_int_eq(data("half", "--rows 5 --entries 7", in_dir("l.nesl")), 0);
	ck_assert_str_eq(read_back(in_dir("l.nesl")), "[0, 4, 0, 3, 0] : [int]");
}
END_TEST

START_TEST(seeds)
{
	char first[4000];

	ck_assert_int_eq(data("uniform", "--n 50", in_dir("s.txt")), 0);
	snprintf(first, sizeof first, "%s", read_back(in_dir("s.txt")));
	ck_assert_int_eq(data("uniform", "--n 50 --seed 1", in_dir("s.txt")), 0);
	ck_assert_str_eq(read_back(in_dir("s.txt")), first);
	ck_assert_int_eq(data("uniform", "--n 50 --seed 2", in_dir("s.txt")), 0);
	ck_assert_str_ne(read_back(in_dir("s.txt")), first);
}
END_TEST

START_TEST(refused)
{
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	ck_assert_int_eq(data("nothing", "", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("even", "--rows 2 --entries 5", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("even", "--n 2", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("even", "--rows x", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("even", "--rows 2.5", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("even", "--rows", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("even", "", in_dir("r.csv")), 2);
	ck_assert_int_eq(data("rmat", "", in_dir("r.npy")), 2);
	ck_assert_int_eq(data("half", "--rows 4 --entries 9", in_dir("r.mtx")), 2);
	ck_assert_int_eq(data("points", "--dims 4", in_dir("r.npy")), 2);
	ck_assert_int_eq(data("uniform", "--min 5 --max 5", in_dir("r.npy")), 2);
	ck_assert_int_eq(data("uniform", "", in_dir("none/r.npy")), 4);
	ck_assert_int_eq(access(in_dir("r.mtx"), F_OK), -1);
}
END_TEST

static void
make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
remove_dir(void)
{
	remove_tree(dir);
}

Suite *
value_suite(void)
{
	const TTest *const tests[] = {
		floats, types, limits, faults, literals, deep_literal, matrices, bad_matrices, bad_files, long_row,
		arrays, bad_arrays, narrow_ints, made, lengths, seeds, refused,
	};
	Suite *s = suite_create("value");
	TCase *c = tcase_create("value");

	tcase_add_unchecked_fixture(c, make_dir, remove_dir);
	for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
		tcase_add_test(c, tests[i]);
	suite_add_tcase(s, c);
	return s;
}

/* check_io.c: printing, streams, files, object files, .npy files, processes: on interp and cpu, in a directory
 * of their own.  What a program writes to stdout and to stderr is compared to the byte. */
#include "backend/rt/nesl_stream.h"
#include "common/arena.h"
#include "common/embed.h"
#include "common/process.h"
#include "tests/command.h"
#include "tests/tcc.h"

Suite *io_suite(void);

static const char *const target[] = {"interp", "cpu"};
static char dir[] = "/tmp/nessie-io-XXXXXX";
static Arena *arena;

static const char *
contents(const char *name)
{
	size_t n;
	char *s = read_text(arena, arena_printf(arena, "%s/%s", dir, name), &n);

	ck_assert(s);
	return s;
}

/* Runs it, with these options; gives the exit status.  tcc, where it is, is the fastest to compile. */
static int
run(int t, const char *options, const char *program)
{
	write_file(dir, "p.nesl", program);
	return WEXITSTATUS(system(arena_printf(arena, "n=$PWD/nessie; cd %s && { " QUICKLY
		"timeout 60 $n run --target=%s %s p.nesl; } >out 2>err", dir, target[t], options)));
}

static const struct {
	const char *name, *program, *out, *err;
} io[] = {
	{"printing",
		"print_char(`a); print_string(\"b c\"); print_string(\"\"); print_line(\"d\"); print_line(\"\");\n"
		"print(2.5); printl([1, 2]); print_debug(\"v: \", (1, t)); printl([] int);\n"
		"function twice(x) = let a = printl(x); b = printl(x) in x;\n"
		"if 1 == 1 then twice(7) else twice(8);\n"
		"let a = print_string(\"dropped\") in 3;\n",
		"it = T : bool\nit = T : bool\nit = T : bool\nit = T : bool\nit = T : bool\n"
		"it = 2.5 : float\nit = [1, 2] : [int]\nit = (1, T) : int, bool\nit = [] : [int]\nit = 7 : int\nit = 3 : int\n",
		"ab cd\n\n2.5 [1, 2]\nv: (1, t)\n[]\n7\n7\ndropped"},
	{"standard streams",
		"write_string(\"to out\", stdout); write_char(newline, stdout); write_string(\"to err\", stderr);\n"
		"write_string(\"x\", stdin); read_char(stderr); stdout; nullstr;\n"
		"close_file(stdout); close_file(stream(77)); close_file(nullstr);\n",
		"to outit = (T, \"\") : bool, [char]\n\nit = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\n"
		"it = (F, \"this stream is for reading\") : bool, [char]\n"
		"it = (`_, F, \"this stream is for writing\") : char, bool, [char]\n"
		"it = stream(1) : stream\nit = stream(-1) : stream\n"
		"it = (F, \"stdin, stdout and stderr stay open\") : bool, [char]\n"
		"it = (F, \"there is no such stream\") : bool, [char]\nit = (F, \"this is the null stream\") : bool, [char]\n",
		"to err"},
	{"whole files",
		"read_string_from_file(\"none\"); write_string_to_file(\"ab\", \"f\"); append_string_to_file(\"cd\", \"f\");\n"
		"read_string_from_file(\"f\"); write_string_to_file(\"\", \"f\"); read_string_from_file(\"f\");\n"
		"append_string_to_file(\"e\", \"g\"); read_string_from_file(\"g\");\n"
		"write_string_to_file(\"ab\", \"no/f\"); append_string_to_file(\"ab\", \"\"); read_string_from_file(\".\");\n"
		"#read_string_from_file(\"big\"); write_string_to_file(dist(`x, 100000), \"big\"); #read_string_from_file(\"big\");\n",
		"it = \"\" : [char]\nit = T : bool\nit = T : bool\nit = \"abcd\" : [char]\nit = T : bool\nit = \"\" : [char]\n"
		"it = T : bool\nit = \"e\" : [char]\nit = F : bool\nit = F : bool\nit = \"\" : [char]\n"
		"it = 0 : int\nit = T : bool\nit = 100000 : int\n",
		"none: No such file or directory\nno/f: No such file or directory\n: No such file or directory\n"
		".: Is a directory\nbig: No such file or directory\n"},
	{"reading",
		"w = write_string_to_file(\"ab cd\" ++ [newline, newline, `e], \"r\");\n"
		"s = open_check(open_in_file(\"r\"));\n"
		"read_char(s); read_word(s); read_line(s); read_line(s); read_line(s); read_line(s); read_char(s);\n"
		"close_file(s); close_file(s); read_char(s);\n"
		"u = open_check(open_in_file(\"r\"));\n"
		"read_string(\"xd\", -1, u); read_string(\"\", 1, u); read_string(\"\", 0, u); read_string(\"\", -1, u);\n"
		"read_check(read_word(u)); read_check(read_char(u)); write_check(write_char(`x, u)); close_check(close_file(u));\n"
		"close_check(close_file(u)); open_check(open_in_file(\"none\")); read_check(read_line(nullstr));\n",
		"it = (`a, T, \"\") : char, bool, [char]\n"
		"it = ((\"b\", ` , F), T, \"\") : ([char], char, bool), bool, [char]\n"
		"it = ((\"cd\", F), T, \"\") : ([char], bool), bool, [char]\n"
		"it = ((\"\", F), T, \"\") : ([char], bool), bool, [char]\n"
		"it = ((\"e\", T), T, \"\") : ([char], bool), bool, [char]\n"
		"it = ((\"\", T), T, \"\") : ([char], bool), bool, [char]\n"
		"it = (`_, F, \"end of file\") : char, bool, [char]\n"
		"it = (T, \"\") : bool, [char]\nit = (F, \"the stream is closed\") : bool, [char]\n"
		"it = (`_, F, \"the stream is closed\") : char, bool, [char]\n"
		"it = ((\"ab c\", 100), T, \"\") : ([char], int), bool, [char]\n"
		"it = ((\"\n\", -2), T, \"\") : ([char], int), bool, [char]\n"
		"it = ((\"\", -2), T, \"\") : ([char], int), bool, [char]\n"
		"it = ((\"\ne\", -1), T, \"\") : ([char], int), bool, [char]\n"
		"it = (\"\", `_, T) : [char], char, bool\nit = `_ : char\nit = F : bool\nit = T : bool\n"
		"it = F : bool\nit = stream(-1) : stream\nit = (\"\", F) : [char], bool\n",
		"end of file\nthis stream is for reading\nthe stream is closed\nnone: No such file or directory\n"
		"this is the null stream\n"},
	{"reading more than is read from the file at once",
		"text = flatten({dist(code_char(97 + rem(i, 26)), i) : i in [0:600]}) ++ \"Z.\"; w = write_string_to_file(text, \"r\");\n"
		"u = open_check(open_in_file(\"r\")); ((a, e), r) = read_string(\"Z\", 100000, u); ((b, l), r) = read_string(\"YZ\", -1, u);\n"
		"eql(a ++ b ++ \"Z.\", text); (#a, e, l, read_char(u), read_string(\"Z\", 9, u));\n",
		"it = T : bool\nit = (100000, -2, 90, (`., T, \"\"), (\"\", -1), T, \"\") : int, int, int, (char, bool, [char]), ([char], int), bool, [char]\n",
		""},
	{"writing",
		"s = open_check(open_out_file(\"w\"));\n"
		"write_char(`a, s); write_string(\"bc\", s); write_string(\"\", s); write_object([1.5], s);\n"
		"let c = close_file(s) in read_string_from_file(\"w\");\n"
		"v = open_check(open_append_file(\"w\"));\n"
		"write_object((t, \"x\"), v); read_char(v);\n"
		"let c = close_file(v); u = open_check(open_in_file(\"w\")); a = read_char(u); b = read_char(u); c = read_char(u);\n"
		"    x = read_check(read_object([] float, u)); y = read_check(read_object((f, \"\"), u)) in (x, y, read_line(u));\n",
		"it = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\n"
		"it = (T, \"\") : bool, [char]\nit = \"abc[ 1 ]\n( 1.50000000000000e+00 )\n\" : [char]\n"
		"it = (T, \"\") : bool, [char]\nit = (`_, F, \"this stream is for writing\") : char, bool, [char]\n"
		"it = ([1.5], (T, \"x\"), (\"\", T), T, \"\") : [float], (bool, [char]), ([char], bool), bool, [char]\n", ""},
	{"object files",
		"datatype point(int, float);\n"
		"function same(x, none) = let a = write_object_to_file(x, \"o\"); y = read_object_from_file(none, \"o\")\n"
		"  in (read_string_from_file(\"o\"), eql(x, y));\n"
		"same([[1, 2], [3]], [] [int]); same((1, [2.5], \"ab\"), (0, [] float, \"\")); same(-7, 0); same(t, f);\n"
		"same(`x, `y); same(\"\", \"\"); same([] int, [0]); same([t, f, t], [] bool);\n"
		"same([(1, `a), (2, `b)], [] (int, char)); same([([1], 0.5), ([] int, 0.25)], [] ([int], float));\n"
		"same([\"ab\", \"\", \"c)]\"], [] [char]); same([[[1], [] int], [] [int]], [] [[int]]);\n"
		"same(point(1, 2.0), point(0, 0.0)); same([point(1, 2.0)], [] point); same([1.0e300, -0.1], [] float);\n"
		"let inf = exp(1000.0) in same([inf - inf, asin(2.0), -inf], [] float);\n"
		"let inf = exp(1000.0); a = write_npy_to_file([1.0, inf - inf, asin(2.0), 1.0], \"n\"); s = read_string_from_file(\"n\")\n"
		"  in (#s, eql(subseq(s, 128, 136), drop(s, 152)), eql(subseq(s, 136, 144), subseq(s, 144, 152)));\n",
		"it = (\"[ 2 ]\n[ 2 1 ]\n( 1 2 3 )\n\", T) : [char], bool\n"
		"it = (\"( 1 )\n[ 1 ]\n( 2.50000000000000e+00 )\n[ 2 ]\n( 2 )\nab\n\", T) : [char], bool\n"
		"it = (\"( -7 )\n\", T) : [char], bool\nit = (\"( T )\n\", T) : [char], bool\n"
		"it = (\"( 1 )\nx\n\", T) : [char], bool\nit = (\"[ 0 ]\n( 0 )\n\n\", T) : [char], bool\n"
		"it = (\"[ 0 ]\n( )\n\", T) : [char], bool\nit = (\"[ 3 ]\n( T F T )\n\", T) : [char], bool\n"
		"it = (\"[ 2 ]\n( 1 2 )\n( 2 )\nab\n\", T) : [char], bool\n"
		"it = (\"[ 2 ]\n[ 1 0 ]\n( 1 )\n( 5.00000000000000e-01 2.50000000000000e-01 )\n\", T) : [char], bool\n"
		"it = (\"[ 3 ]\n[ 2 0 3 ]\n( 5 )\nabc)]\n\", T) : [char], bool\n"
		"it = (\"[ 2 ]\n[ 2 0 ]\n[ 1 0 ]\n( 1 )\n\", T) : [char], bool\n"
		"it = (\"( 1 )\n( 2.00000000000000e+00 )\n\", T) : [char], bool\n"
		"it = (\"[ 1 ]\n( 1 )\n( 2.00000000000000e+00 )\n\", T) : [char], bool\n"
		"it = (\"[ 2 ]\n( 1.00000000000000e+300 -1.00000000000000e-01 )\n\", T) : [char], bool\n"
		"it = (\"[ 3 ]\n( nan nan -inf )\n\", F) : [char], bool\nit = (160, T, T) : int, bool, bool\n", ""},
	{"damaged object files",
		"function damaged(text, sample) = let a = write_string_to_file(text, \"o\") in read_object_from_file(sample, \"o\");\n"
		"read_object_from_file((1, \"a\"), \"none\");\n"
		"damaged(\"\", 1); damaged(\"( 1\", 1); damaged(\"( 1 2 )\", 1); damaged(\"( x )\", 1); damaged(\"( )\", 1);\n"
		"damaged(\"( 1 ) 2\", 1); damaged(\"( 99999999999999999999 )\", 1); damaged(\"( T )\", 1); damaged(\"( 1 )\", t);\n"
		"damaged(\"[ 99999999999999 ]( 1 )\", [1]); damaged(\"[ -1 ]( )\", [1]); damaged(\"[ ]( )\", [1]);\n"
		"damaged(\"[ 2 ][ 1 -1 ]( 1 )\", [[1]]); damaged(\"[ 2 ][ 9223372036854775807 1 ]( 1 )\", [[1]]);\n"
		"damaged(\"[ 2 ]\" ++ [newline] ++ \"[ 1 1 ]\" ++ [newline] ++ \"( 1 )\", [[1]]); damaged(\"[ 9 ]( 9 )\" ++ [newline] ++ \"abc\", \"\");\n"
		"damaged(\"[ 9 ]( 9 )abc\", \"\"); damaged(\"[ 2 ]( 1 2 )( 3 )\", [(1, 2)]); damaged(\"( 1 )( 2 )\", 1);\n",
		"it = (0, \"\") : int, [char]\nit = 0 : int\nit = 0 : int\nit = 0 : int\nit = 0 : int\nit = 0 : int\n"
		"it = 0 : int\nit = 0 : int\nit = 0 : int\nit = F : bool\n"
		"it = [] : [int]\nit = [] : [int]\nit = [] : [int]\nit = [] : [[int]]\nit = [] : [[int]]\n"
		"it = [] : [[int]]\nit = \"\" : [char]\nit = \"\" : [char]\nit = [] : [(int, int)]\nit = 0 : int\n",
		"none: No such file or directory\n"
		"o: line 1: `(` is wanted, but the end is there\n"
		"o: line 1: an int is wanted, but the end is there\n"
		"o: line 1: 1 elements are wanted, but 2 are there\n"
		"o: line 1: an int is wanted, but x is there\n"
		"o: line 1: 1 elements are wanted, but 0 are there\n"
		"o: more follows the value\n"
		"o: line 1: an int is wanted, but 99999999999999999999 is there\n"
		"o: line 1: an int is wanted, but T is there\n"
		"o: line 1: T or F is wanted, but 1 is there\n"
		"o: line 1: 99999999999999 elements are wanted, but 1 are there\n"
		"o: line 1: a count is negative\n"
		"o: line 1: 1 elements are wanted, but 0 are there\n"
		"o: line 1: -1 cannot be a length here\n"
		"o: line 1: 1 cannot be a length here\n"
		"o: line 3: 2 elements are wanted, but 1 are there\n"
		"o: line 2: the text ends after 3 of 9 characters\n"
		"o: line 1: a line with 9 characters is wanted, but `a` is there\n"
		"o: line 1: 2 elements are wanted, but 1 are there\n"
		"o: more follows the value\n"},
	{"numbers in files",
		"function ints(text) = let a = write_string_to_file(text, \"i\") in read_int_seq_from_file(\"i\");\n"
		"function floats(text) = let a = write_string_to_file(text, \"i\") in read_float_seq_from_file(\"i\");\n"
		"ints(\"( 3 1 2 )\"); ints(\" (3\" ++ [newline] ++ \"-1)\"); ints(\"( )\"); ints(\"( 1 2.5 )\"); ints(\"3 1\");\n"
		"floats(\"( 1 2.5 1e3 )\"); floats(\"()\"); floats(\"( 1 T )\"); read_int_seq_from_file(\"none\");\n"
		"read_float_seq_from_file(\"none\");\n",
		"it = [3, 1, 2] : [int]\nit = [3, -1] : [int]\nit = [] : [int]\nit = [] : [int]\nit = [] : [int]\n"
		"it = [1.0, 2.5, 1000.0] : [float]\nit = [] : [float]\nit = [] : [float]\nit = [] : [int]\nit = [] : [float]\n",
		"i: line 1: an int is wanted, but 2.5 is there\ni: line 1: `(` is wanted, but `3` is there\n"
		"i: line 1: a float is wanted, but T is there\nnone: No such file or directory\nnone: No such file or directory\n"},
	{"npy files",
		"function same(x, none) = let a = write_npy_to_file(x, \"n.npy\"); y = read_npy_from_file(none, \"n.npy\") in eql(x, y);\n"
		"same([1, -2], [] int); same([1.5, 2.5], [] float); same([t, f], [] bool); same([] int, [] int);\n"
		"same([[1, 2], [3, 4]], [] [int]); same([[0.5], [0.25]], [] [float]); same([] [bool], [] [bool]);\n"
		"write_npy_to_file([[1], [2, 3]], \"n.npy\"); write_npy_to_file(\"ab\", \"n.npy\"); write_npy_to_file(1, \"n.npy\");\n"
		"write_npy_to_file([(1, 2)], \"n.npy\"); write_npy_to_file([[[1]]], \"n.npy\"); write_npy_to_file([1], \"no/n.npy\");\n"
		"a = write_npy_to_file([1], \"n.npy\"); read_npy_from_file([] float, \"n.npy\"); read_npy_from_file([] int, \"none\");\n"
		"a = write_string_to_file(\"no array\", \"n.npy\"); read_npy_from_file([] int, \"n.npy\");\n",
		"it = T : bool\nit = T : bool\nit = T : bool\nit = T : bool\nit = T : bool\nit = T : bool\nit = T : bool\n"
		"it = F : bool\nit = F : bool\nit = F : bool\nit = F : bool\nit = F : bool\nit = F : bool\n"
		"it = [] : [float]\nit = [] : [int]\nit = [] : [int]\n",
		"n.npy: the rows of a .npy file have one length, these differ\n"
		"n.npy: a .npy file holds a sequence, or sequences of one length, of int, float or bool\n"
		"n.npy: a .npy file holds a sequence, or sequences of one length, of int, float or bool\n"
		"n.npy: a .npy file holds a sequence, or sequences of one length, of int, float or bool\n"
		"n.npy: a .npy file holds a sequence, or sequences of one length, of int, float or bool\n"
		"no/n.npy: No such file or directory\n"
		"n.npy: the file holds [int], but [float] is wanted\nnone: no such file\n"
		"n.npy: not a .npy file: it must begin with \\x93NUMPY\n"},
	{"commands",
		"shell_command(\"cat\", \"dog\"); shell_command(\"  echo  a \t b \", \"\"); shell_command(\"true\", \"\");\n"
		"shell_command(\"false\", \"input that nobody reads\"); shell_command(\"no_such_program\", \"x\"); shell_command(\" \", \"x\");\n"
		"sum({btoi(c == `x) : c in shell_command(\"cat\", dist(`x, 1000000))});\n"
		"#shell_command(\"true\", dist(`x, 1000000)); #shell_command(\"seq 100000\", dist(`x, 1000000));\n"
		"shell_command(\"echo ; $HOME 'a b'\", \"\");\n"
		"shell_command(\"ls no_such_file\", \"\");\n",
		"it = \"dog\" : [char]\nit = \"a b\n\" : [char]\nit = \"\" : [char]\nit = \"\" : [char]\nit = \"\" : [char]\nit = \"\" : [char]\n"
		"it = 1000000 : int\nit = 0 : int\nit = 588895 : int\nit = \"; $HOME 'a b'\n\" : [char]\n"
		"it = \"\" : [char]\n",
		"no_such_program: No such file or directory\n : the command is empty\n"
		"ls: cannot access 'no_such_file': No such file or directory\n"},
	{"processes",
		"((a, b, c), r) = spawn(\"cat\", nullstr, nullstr, nullstr);\n"
		"r; write_string(\"one\" ++ [newline] ++ \"two\", a); read_line(b); close_file(a); read_line(b); read_line(c);\n"
		"close_file(b); close_file(c); write_char(`x, a);\n"
		"w = open_check(open_out_file(\"sorted\"));\n"
		"((x, y, z), r) = spawn(\"sort\", nullstr, w, stderr);\n"
		"write_string(\"b\" ++ [newline] ++ \"a\" ++ [newline], x); close_file(x); read_string_from_file(\"sorted\"); close_file(w);\n"
		"i = open_check(open_in_file(\"sorted\")); ((p, q, e), r) = spawn(\"cat\", i, nullstr, stderr);\n"
		"read_string(\"\", -1, q); close_file(q);\n"
		"spawn(\"cat\", stdout, nullstr, nullstr); spawn(\"cat\", nullstr, stdin, nullstr); spawn(\"none\", nullstr, nullstr, nullstr);\n"
		"spawn(\"cat\", b, nullstr, nullstr);\n"
		"((m, n, o), r) = spawn(\"true\", nullstr, nullstr, stderr); read_line(n); write_string(dist(`x, 100000), m);\n"
		"let ((x, y, z), r) = spawn(\"echo to stdout\", stdin, stdout, nullstr) in ((x, y), close_file(z));\n"
		"((g, h, j), r) = spawn(\"cat\", nullstr, nullstr, stderr); v = open_check(open_out_file(\"upper\"));\n"
		"((k, l, z), r) = spawn(\"sort\", h, v, nullstr); write_line = write_string(\"d\" ++ [newline, `c, newline], g);\n"
		"close_file(g); close_file(h); close_file(z); read_string_from_file(\"upper\");\n"
		"i = open_check(open_in_file(\"upper\")); read_line(i); ((p, q, e), r) = spawn(\"cat\", i, nullstr, stderr); read_line(q);\n",
		"it = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\nit = ((\"one\", F), T, \"\") : ([char], bool), bool, [char]\n"
		"it = (T, \"\") : bool, [char]\nit = ((\"two\", T), T, \"\") : ([char], bool), bool, [char]\n"
		"it = ((\"\", T), T, \"\") : ([char], bool), bool, [char]\n"
		"it = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\nit = (F, \"the stream is closed\") : bool, [char]\n"
		"it = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\nit = \"a\nb\n\" : [char]\nit = (T, \"\") : bool, [char]\n"
		"it = ((\"a\nb\n\", -1), T, \"\") : ([char], int), bool, [char]\nit = (T, \"\") : bool, [char]\n"
		"it = ((stream(-1), stream(-1), stream(-1)), F, \"cat: the command cannot read from a stream for writing\") : "
		"(stream, stream, stream), bool, [char]\n"
		"it = ((stream(-1), stream(-1), stream(-1)), F, \"cat: the command cannot write to a stream for reading\") : "
		"(stream, stream, stream), bool, [char]\n"
		"it = ((stream(-1), stream(-1), stream(-1)), F, \"none: No such file or directory\") : "
		"(stream, stream, stream), bool, [char]\n"
		"it = ((stream(-1), stream(-1), stream(-1)), F, \"cat: the stream is closed\") : (stream, stream, stream), bool, [char]\n"
		"it = ((\"\", T), T, \"\") : ([char], bool), bool, [char]\nit = (F, \"Broken pipe\") : bool, [char]\n"
		"to stdout\nit = ((stream(0), stream(1)), T, \"\") : (stream, stream), bool, [char]\n"
		"it = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\n"
		"it = \"c\nd\n\" : [char]\nit = ((\"c\", F), T, \"\") : ([char], bool), bool, [char]\n"
		"it = ((\"d\", F), T, \"\") : ([char], bool), bool, [char]\n",
		""},
	{"processes that have ended",
		"((a, b, c), r) = spawn(\"true\", stdin, stdout, stderr); ((d, e, g), r) = spawn(\"false\", nullstr, nullstr, stderr);\n"
		"close_file(d); close_file(e); later = shell_command(\"sleep 0.5\", \"\");\n"
		"me = wordify(shell_command(\"cat /proc/self/stat\", \"\"))[3];\n"
		"count({c == `Z : c in shell_command(\"ps -o stat= --ppid \" ++ me, \"\")});\n",
		"it = (T, \"\") : bool, [char]\nit = (T, \"\") : bool, [char]\nit = 0 : int\n", ""},
	{"faults",
		"let a = print_line(\"before\"); v = {1 / x : x in [1, 0]}; b = print_line(\"after\") in v;\n"
		"x = let a = print_line(\"kept\") in 1 / 0; print_line(\"next\");\n",
		"it = T : bool\n",
		"before\np.nesl:1:36: error[div-by-zero]: division by zero, or min_int / -1\n"
		"    1 | let a = print_line(\"before\"); v = {1 / x : x in [1, 0]}; b = print_line(\"after\") in v;\n"
		"      |                                    ^^^^^\n"
		"kept\np.nesl:2:35: error[div-by-zero]: division by zero, or min_int / -1\n"
		"    2 | x = let a = print_line(\"kept\") in 1 / 0; print_line(\"next\");\n"
		"      |                                   ^^^^^\nnext\n"},
	{"environment",
		"get_environment_variable(\"NESSIE_IO_TEST\"); get_environment_variable(\"NO SUCH\"); get_environment_variable(\"\");\n"
		"eql(user, get_environment_variable(\"USER\")); #display + #nesl_path >= 0;\n",
		"it = \"some value\" : [char]\nit = \"\" : [char]\nit = \"\" : [char]\nit = T : bool\nit = T : bool\n", ""},
};

/* With ints of 32 bits: they are read and written as such, and none that they cannot hold. */
static const char narrow[] =
	"function ints(text) = let a = write_string_to_file(text, \"i\") in read_int_seq_from_file(\"i\");\n"
	"ints(\"( 2147483647 -2147483648 )\"); ints(\"( 2147483648 )\");\n"
	"a = write_object_to_file([(1, `a), (-2, `b)], \"o\"); read_object_from_file([] (int, char), \"o\");\n"
	"a = write_npy_to_file([[1, 2], [3, -4]], \"n\"); read_npy_from_file([] [int], \"n\"); #read_string_from_file(\"n\");\n"
	"read_check(read_string(\"\", -1, open_check(open_in_file(\"i\"))));\n",
	narrow_out[] = "it = [2147483647, -2147483648] : [int]\nit = [] : [int]\nit = [(1, `a), (-2, `b)] : [(int, char)]\n"
	"it = [[1, 2], [3, -4]] : [[int]]\nit = 144 : int\nit = (\"( 2147483648 )\", -1) : [char], int\n",
	narrow_err[] = "i: line 1: an int is wanted, but 2147483648 is there\n";

/* The character 0, which a C string cannot hold, and which these programs print: as _. */
static void
same_text(const char *program, const char *what, const char *want, const char *got)
{
	ck_assert_msg(strcmp(want, got) == 0, "%s: %s\nwanted:\n%s\ngot:\n%s", program, what, want, got);
}

START_TEST(programs)
{
	const int k = _i / 2, t = _i % 2;

	setenv("NESSIE_IO_TEST", "some value", 1);
	run(t, "", io[k].program);
	/* only interp tells the element */
	ck_assert_int_eq(system(arena_printf(arena, "cd %s && tr '\\000' _ <out >out0 && sed -i '/^  in element/d' err", dir)), 0);
	same_text(io[k].name, target[t], io[k].out, contents("out0"));
	same_text(io[k].name, target[t], io[k].err, contents("err"));
}
END_TEST

START_TEST(narrow_ints)
{
	run(_i, "--int=32", narrow);
	same_text("--int=32", target[_i], narrow_out, contents("out"));
	same_text("--int=32", target[_i], narrow_err, contents("err"));
}
END_TEST

/* Streams outlast a run of the interpreter: the forms of a session are run one after the other. */
START_TEST(sessions)
{
	const char *wrong, *name = arena_printf(arena, "%s/f", dir);
	i64 s;

	write_file(dir, "f", "ab");
	nesl_stream_start(stdout, stderr);
	s = nesl_stream_open(name, STREAM_READ, &wrong);
	ck_assert_int_eq(nesl_stream_byte(s, 1, &wrong), 'a');
	nesl_stream_start(stdout, stderr);
	ck_assert_int_eq(nesl_stream_byte(s, 1, &wrong), 'b');
	ck_assert_int_eq(nesl_stream_byte(s, 1, &wrong), STREAM_END);
	nesl_stream_end();
	nesl_stream_start(stdout, stderr);
	ck_assert_int_eq(nesl_stream_byte(s, 1, &wrong), STREAM_FAILED);
	nesl_stream_end();
}
END_TEST

/* A command gets what nessie got, and nothing that nessie has open. */
START_TEST(descriptors)
{
	run(_i, "--echo=none", "s = open_in_file(\"p.nesl\"); u = open_out_file(\"x\"); p = spawn(\"cat\", nullstr, nullstr, nullstr);\n"
		"write_string_to_file(shell_command(\"ls /proc/self/fd\", \"\"), \"inside\");\n");
	ck_assert_int_eq(system(arena_printf(arena, "cd %s && timeout 60 ls /proc/self/fd >outside", dir)), 0);
	ck_assert_str_eq(contents("inside"), contents("outside"));
}
END_TEST

static void
make_dir(void)
{
	arena = arena_new();
	ck_assert(mkdtemp(dir));
}

static void
remove_dir(void)
{
	tempdir_remove(dir);
	arena_free(arena);
}

Suite *
io_suite(void)
{
	Suite *s = suite_create("io");
	TCase *c = tcase_create("io");

	tcase_add_checked_fixture(c, make_dir, remove_dir);
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, programs, 0, 2 * (int)(sizeof io / sizeof *io));
	tcase_add_loop_test(c, narrow_ints, 0, 2);
	tcase_add_loop_test(c, descriptors, 0, 2);
	tcase_add_test(c, sessions);
	suite_add_tcase(s, c);
	return s;
}

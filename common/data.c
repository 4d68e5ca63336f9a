/* data.c: the command line of `nessie data`. */
#include "common/data.h"
#include "common/datakinds.h"
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What the value of an option is. */
typedef enum { WHOLE, NUMBER, TYPE, FIELD } Wants;

static const struct {
	const char *name;
	Wants wants;
	size_t at;              /* in DataOptions */
	double lo, hi;
	const char *help;
} options[] = {
	{"rows", WHOLE, offsetof(DataOptions, rows), 1, 1e10, "rows (1000)"},
	{"cols", WHOLE, offsetof(DataOptions, cols), 1, 1e10, "columns (as many as rows)"},
	{"entries", WHOLE, offsetof(DataOptions, entries), 0, 1e12, "entries, exactly (10 a row; rmat: 8 a node)"},
	{"exponent", NUMBER, offsetof(DataOptions, exponent), 0, 10, "the k-th longest row has a share of k^-exponent (1)"},
	{"scale", WHOLE, offsetof(DataOptions, scale), 0, 31, "2^scale nodes (10)"},
	{"nodes", WHOLE, offsetof(DataOptions, nodes), 2, 2147483648.0, "or so many nodes"},
	{"side", WHOLE, offsetof(DataOptions, side), 1, 1e6, "points along a side of the grid (100)"},
	{"n", WHOLE, offsetof(DataOptions, n), 0, 1e12, "how many (1000)"},
	{"dims", WHOLE, offsetof(DataOptions, dims), 2, 3, "dimensions, 2 or 3 (2)"},
	{"min", NUMBER, offsetof(DataOptions, min), -1e300, 1e300, "the least value (0)"},
	{"max", NUMBER, offsetof(DataOptions, max), -1e300, 1e300, "all are below it (ints 1000, floats 1)"},
	{"type", TYPE, 0, 0, 0, "int or float (int)"},
	{"field", FIELD, 0, 0, 0, "real or pattern (real; rmat: pattern)"},
	{"seed", WHOLE, offsetof(DataOptions, seed), 0, 9e15, "another seed, other data (1)"},
};
enum { NOPTION = sizeof options / sizeof *options };

static const struct {
	const char *name;
	const char *takes;      /* its options, besides seed */
	DataCheck *check;
	DataMake *make;
	enum { SEQUENCE, MATRIX, ROWS } makes;  /* ROWS: a matrix, or the lengths of its rows */
	const char *help;
} kinds[] = {
	{"uniform", " n type min max ", check_uniform, make_uniform, SEQUENCE, "a sequence of ints or floats"},
	{"points", " n dims ", check_points, make_points, SEQUENCE, "points in the unit square or cube"},
	{"even", " rows cols entries field ", check_rows, make_even, ROWS, "a matrix with rows of equal length"},
	{"zipf", " rows cols entries exponent field ", check_rows, make_zipf, ROWS, "row lengths by a power law"},
	{"giant", " rows cols entries field ", check_rows, make_giant, ROWS, "one giant row among tiny ones"},
	{"half", " rows cols entries field ", check_half, make_half, ROWS, "every other row empty, the rest equal"},
	{"rmat", " scale nodes entries field ", check_rmat, make_rmat, MATRIX, "the graph of an R-MAT process"},
	{"laplace2d", " side ", check_laplace2d, make_laplace2d, MATRIX, "five-point Laplacian of a square grid"},
};
enum { NKIND = sizeof kinds / sizeof *kinds };

static int
usage(void)
{
	static const char *const files[] = {".npy or .txt", ".mtx", ".mtx; its lengths only, .npy or .txt"};

	printf("nessie data KIND [options] -o FILE\n\n");
	for (int k = 0; k < NKIND; k++) {
		printf("  %-10s %s, %s\n", kinds[k].name, kinds[k].help, files[kinds[k].makes]);
		for (int i = 0; i < NOPTION; i++) {
			char word[16];

			snprintf(word, sizeof word, " %s ", options[i].name);
			if (strstr(kinds[k].takes, word))
				printf("    --%-9s %s\n", options[i].name, options[i].help);
		}
	}
	printf("\n  every kind: --seed=N (1), -o FILE; the same seed makes the same data.  Numbers may be written 1e6.\n");
	return 0;
}

__attribute__((format(printf, 1, 2))) static int
wrong(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "nessie: data: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 2;
}

static int
set_word(DataOptions *o, Wants wants, const char *value)
{
	bool *to = wants == TYPE ? &o->floats : &o->real;
	const char *yes = wants == TYPE ? "float" : "real", *no = wants == TYPE ? "int" : "pattern";

	*to = strcmp(value, yes) == 0;
	if (!*to && strcmp(value, no) != 0)
		return wrong("--%s wants %s or %s, not %s", wants == TYPE ? "type" : "field", yes, no, value);
	return 0;
}

static int
set_option(DataOptions *o, int k, const char *value)
{
	char *end;
	double x;

	if (options[k].wants == TYPE || options[k].wants == FIELD)
		return set_word(o, options[k].wants, value);
	x = strtod(value, &end);
	if (end == value || *end || isnan(x))
		return wrong("--%s wants a number, not %s", options[k].name, value);
	if (options[k].wants == WHOLE && x != floor(x))
		return wrong("--%s wants a whole number, not %s", options[k].name, value);
	if (x < options[k].lo || x > options[k].hi)
		return wrong("--%s wants a number from %.10g to %.10g, not %s", options[k].name,
			options[k].lo, options[k].hi, value);
	if (options[k].wants == WHOLE)
		*(int64_t *)((char *)o + options[k].at) = (int64_t)x;
	else
		*(double *)((char *)o + options[k].at) = x;
	return 0;
}

/* --NAME=VALUE or --NAME VALUE, at argv[*i]. */
static int
take_option(DataOptions *o, int kind, char **argv, int argc, int *i)
{
	const char *name = argv[*i] + 2, *mark = strchr(name, '=');
	size_t n = mark ? (size_t)(mark - name) : strlen(name);
	char word[40];

	for (int k = 0; k < NOPTION; k++) {
		if (strlen(options[k].name) != n || memcmp(options[k].name, name, n) != 0)
			continue;
		snprintf(word, sizeof word, " %s ", options[k].name);
		if (!strstr(kinds[kind].takes, word) && strcmp(options[k].name, "seed") != 0)
			return wrong("%s takes no option --%s; see nessie data --help", kinds[kind].name, options[k].name);
		if (!mark && ++*i == argc)
			return wrong("--%s wants a value", options[k].name);
		return set_option(o, k, mark ? mark + 1 : argv[*i]);
	}
	return wrong("unknown option %s; see nessie data --help", argv[*i]);
}

static int
take_format(DataOptions *o, int kind, const char *path)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strchr(dot, '/'))
		dot = "";
	const bool mtx = strcmp(dot, ".mtx") == 0;
	bool sequence;

	o->npy = strcmp(dot, ".npy") == 0;
	sequence = o->npy || strcmp(dot, ".txt") == 0 || strcmp(dot, ".nesl") == 0;
	o->lengths = sequence && kinds[kind].makes == ROWS;
	if (kinds[kind].makes == MATRIX && !mtx)
		return wrong("%s writes a .mtx file, not %s", kinds[kind].name, path);
	if (kinds[kind].makes == SEQUENCE && !sequence)
		return wrong("%s writes a .npy, .txt or .nesl file, not %s", kinds[kind].name, path);
	if (!mtx && !sequence)
		return wrong("%s writes a .mtx, .npy, .txt or .nesl file, not %s", kinds[kind].name, path);
	return 0;
}

static int
make(const DataOptions *o, int kind, const char *path)
{
	DataFile d;

	if (!data_open(&d, path))
		return 4;
	if (!kinds[kind].make(o, &d)) {
		data_discard(&d);
		fprintf(stderr, "nessie: out of memory\n");
		return 4;
	}
	return data_close(&d) ? 0 : 4;
}

static int
find_kind(const char *name)
{
	for (int k = 0; k < NKIND; k++)
		if (strcmp(kinds[k].name, name) == 0)
			return k;
	return -1;
}

int
data_command(int argc, char **argv)
{
	DataOptions o = {.rows = 1000, .cols = -1, .entries = -1, .scale = -1, .nodes = -1, .side = 100,
		.n = 1000, .dims = 2, .seed = 1, .exponent = 1.0, .max = NAN};
	const char *path = NULL, *why;
	int kind, status;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return usage();
	if (argc < 2)
		return wrong("which kind of data?  See nessie data --help");
	kind = find_kind(argv[1]);
	if (kind < 0)
		return wrong("unknown kind %s; see nessie data --help", argv[1]);
	o.real = strcmp(kinds[kind].name, "rmat") != 0;
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "-o") == 0 && i + 1 < argc)
			path = argv[++i];
		else if (strcmp(argv[i], "-o") == 0)
			return wrong("-o needs FILE");
		else if (strncmp(argv[i], "--", 2) != 0)
			return wrong("unexpected argument %s", argv[i]);
		else if ((status = take_option(&o, kind, argv, argc, &i)) != 0)
			return status;
	}
	if (!path)
		return wrong("-o FILE is missing");
	status = take_format(&o, kind, path);
	if (status)
		return status;
	why = kinds[kind].check(&o);
	if (why)
		return wrong("%s: %s", kinds[kind].name, why);
	return make(&o, kind, path);
}

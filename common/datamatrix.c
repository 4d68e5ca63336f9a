/* datamatrix.c: matrices of `nessie data`, as Matrix Market text.
 *
 * Out  Exactly the entries asked for, rows in order, columns of a row distinct and ascending; or, where the file is for
 *      a sequence, the lengths of these rows.
 * How  Row lengths first (even, zipf, giant, half), then for each row a sample of the columns.  R-MAT
 *      (Chakrabarti, Zhan, Faloutsos, SDM 2004) draws edges until there are enough distinct ones. */
#include "common/datakinds.h"
#include <math.h>
#include <stdlib.h>

static void
header(DataFile *d, const char *field, int64_t rows, int64_t cols, int64_t entries)
{
	data_text(d, "%%MatrixMarket matrix coordinate ");
	data_text(d, field);
	data_text(d, " general\n");
	data_int(d, rows, ' ');
	data_int(d, cols, ' ');
	data_int(d, entries, '\n');
}

static void
entry(const DataOptions *o, DataFile *d, Random *r, int64_t row, int64_t col)
{
	data_int(d, row + 1, ' ');
	data_int(d, col + 1, o->real ? ' ' : '\n');
	if (o->real)
		data_fixed(d, 1 + random_below(r, 9999), '\n');
}

/* -- rows of given lengths -------------------------------------------------------------------- */
const char *
check_rows(DataOptions *o)
{
	if (o->cols < 0)
		o->cols = o->lengths ? INT64_MAX : o->rows;
	if (o->entries < 0)
		o->entries = 10 * o->rows < o->rows * (double)o->cols ? 10 * o->rows : o->rows * o->cols;
	if ((double)o->entries > (double)o->rows * (double)o->cols)
		return "more entries than rows times columns";
	return NULL;
}

static int
compare_int(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static int64_t
sort_distinct(int64_t *at, int64_t n)
{
	int64_t kept = 0;

	qsort(at, (size_t)n, sizeof *at, compare_int);
	for (int64_t i = 0; i < n; i++)
		if (i == 0 || at[i] != at[i - 1])
			at[kept++] = at[i];
	return kept;
}

/* n of 0..cols-1, ascending.  Few: drawn until distinct; many: each taken or not (Knuth 3.4.2, S). */
static void
sample(Random *r, int64_t cols, int64_t n, int64_t *at)
{
	int64_t have = 0;

	if (n > cols / 8) {
		for (int64_t c = 0; have < n; c++)
			if (random_below(r, cols - c) < n - have)
				at[have++] = c;
		return;
	}
	while (have < n) {
		for (; have < n; have++)
			at[have] = random_below(r, cols);
		have = sort_distinct(at, n);
	}
}

static bool
write_rows(const DataOptions *o, DataFile *d, Random *r, const int64_t *length)
{
	int64_t longest = 0, *col;

	if (o->lengths)
		return write_ints(o, d, length, o->rows);
	for (int64_t i = 0; i < o->rows; i++)
		if (length[i] > longest)
			longest = length[i];
	col = malloc(sizeof *col * (size_t)(longest + 1));
	if (!col)
		return false;
	d->total = (double)o->entries;
	header(d, o->real ? "real" : "pattern", o->rows, o->cols, o->entries);
	for (int64_t i = 0; i < o->rows && !ferror(d->out); i++) {
		sample(r, o->cols, length[i], col);
		for (int64_t k = 0; k < length[i]; k++)
			entry(o, d, r, i, col[k]);
		data_progress(d, (double)length[i]);
	}
	free(col);
	return true;
}

/* `left` more entries, one a row at a time, where there is room. */
static void
spread(const DataOptions *o, int64_t *length, int64_t left)
{
	while (left > 0) {
		for (int64_t i = 0; i < o->rows && left > 0; i++) {
			if (length[i] < o->cols) {
				length[i]++;
				left--;
			}
		}
	}
}

/* Every stride-th row, from the last of the first stride on. */
static bool
make_equal(const DataOptions *o, DataFile *d, int64_t stride)
{
	Random r = random_new((uint64_t)o->seed);
	int64_t *length = calloc((size_t)o->rows + 1, sizeof *length), full = o->rows / stride;
	bool ok = length != NULL;

	for (int64_t k = 0; ok && k < full; k++)
		length[k * stride + stride - 1] = o->entries / full + (k < o->entries % full);
	ok = ok && write_rows(o, d, &r, length);
	free(length);
	return ok;
}

bool
make_even(const DataOptions *o, DataFile *d)
{
	return make_equal(o, d, 1);
}

const char *
check_half(DataOptions *o)
{
	const char *why = check_rows(o);

	if (!why && (double)o->entries > (double)(o->rows / 2) * (double)o->cols)
		why = "more entries than half of the rows hold";
	return why;
}

bool
make_half(const DataOptions *o, DataFile *d)
{
	return make_equal(o, d, 2);
}

/* The tiny rows have one entry, or none where there are fewer entries than rows, or as many as it
 * takes for the rest to fit into the giant. */
bool
make_giant(const DataOptions *o, DataFile *d)
{
	Random r = random_new((uint64_t)o->seed);
	int64_t *length = calloc((size_t)o->rows + 1, sizeof *length);
	int64_t left = o->entries, tiny = o->entries >= o->rows;
	bool ok = length != NULL;

	if (o->rows > 1 && left - (o->rows - 1) * tiny > o->cols)
		tiny = (left - o->cols) / (o->rows - 1);
	for (int64_t i = 0; ok && i < o->rows; i++) {
		length[i] = i == o->rows / 2 ? 0 : tiny;
		left -= length[i];
	}
	if (ok && o->rows > 0) {
		length[o->rows / 2] = left < o->cols ? left : o->cols;
		spread(o, length, left - length[o->rows / 2]);
		ok = write_rows(o, d, &r, length);
	}
	free(length);
	return ok;
}

static void
shuffle(Random *r, int64_t *at, int64_t n)
{
	for (int64_t i = n - 1; i > 0; i--) {
		int64_t k = random_below(r, i + 1), t = at[i];

		at[i] = at[k];
		at[k] = t;
	}
}

/* The k-th longest row has a share of k ^ -exponent. */
bool
make_zipf(const DataOptions *o, DataFile *d)
{
	Random r = random_new((uint64_t)o->seed);
	int64_t *length = calloc((size_t)o->rows + 1, sizeof *length), left = o->entries;
	double sum = 0.0;
	bool ok = length != NULL;

	for (int64_t i = 0; i < o->rows; i++)
		sum += pow((double)(i + 1), -o->exponent);
	for (int64_t i = 0; ok && i < o->rows; i++) {
		double share = (double)o->entries * pow((double)(i + 1), -o->exponent) / sum;

		length[i] = share < (double)o->cols ? (int64_t)share : o->cols;
		if (length[i] > left)
			length[i] = left;
		left -= length[i];
	}
	if (ok) {
		spread(o, length, left);
		shuffle(&r, length, o->rows);
		ok = write_rows(o, d, &r, length);
	}
	free(length);
	return ok;
}

/* -- R-MAT ------------------------------------------------------------------------------------ */
const char *
check_rmat(DataOptions *o)
{
	if (o->nodes >= 0 && o->scale >= 0)
		return "give either --nodes or --scale";
	if (o->nodes < 0)
		o->nodes = (int64_t)1 << (o->scale < 0 ? 10 : o->scale);
	if (o->entries < 0)
		o->entries = (double)o->nodes * (double)o->nodes / 2.0 < 8.0 * (double)o->nodes ? o->nodes / 2 : 8 * o->nodes;
	if (o->nodes > (int64_t)1 << 31)
		return "at most 2^31 nodes";
	if ((double)o->entries > (double)o->nodes * (double)o->nodes / 2.0)
		return "more entries than half of nodes times nodes";
	return NULL;
}

/* An edge as row * 2^32 + column: one quadrant after the other, 57, 19, 19 and 5 percent, each by 16
 * bits of a random number. */
static int64_t
rmat_edge(const DataOptions *o, Random *r)
{
	enum { ALL = 1 << 16, A = ALL * 57 / 100, AB = ALL * 76 / 100, ABC = ALL * 95 / 100 };

	for (;;) {
		int64_t row = 0, col = 0;
		uint64_t bits = 0;
		int level = 0;

		for (int64_t reach = 1; reach < o->nodes; reach *= 2, bits >>= 16) {
			int x;

			if (level++ % 4 == 0)
				bits = random_bits(r);
			x = (int)(bits & (ALL - 1));
			row = row * 2 + (x >= AB);
			col = col * 2 + ((x >= A && x < AB) || x >= ABC);
		}
		if (row < o->nodes && col < o->nodes)
			return row << 32 | col;
	}
}

bool
make_rmat(const DataOptions *o, DataFile *d)
{
	enum { ROUNDS = 20 };   /* then evenly: the skewed ones are nearly all there */
	Random r = random_new((uint64_t)o->seed);
	int64_t *edge = malloc(sizeof *edge * (size_t)(o->entries + 1)), have = 0;

	if (!edge)
		return false;
	for (int round = 0; have < o->entries; round++) {
		for (; have < o->entries; have++)
			edge[have] = round < ROUNDS ? rmat_edge(o, &r)
				: random_below(&r, o->nodes) << 32 | random_below(&r, o->nodes);
		have = sort_distinct(edge, o->entries);
	}
	d->total = (double)o->entries;
	header(d, o->real ? "real" : "pattern", o->nodes, o->nodes, o->entries);
	for (int64_t i = 0; i < o->entries && !ferror(d->out); i++) {
		entry(o, d, &r, edge[i] >> 32, edge[i] & 0xffffffff);
		data_progress(d, 1.0);
	}
	free(edge);
	return true;
}

/* -- the Laplacian of a square grid ------------------------------------------------------------- */
const char *
check_laplace2d(DataOptions *o)
{
	(void)o;
	return NULL;
}

static void
stencil(DataFile *d, int64_t row, int64_t col, const char *value)
{
	data_int(d, row + 1, ' ');
	data_int(d, col + 1, ' ');
	data_text(d, value);
}

bool
make_laplace2d(const DataOptions *o, DataFile *d)
{
	int64_t n = o->side;

	d->total = (double)n;
	header(d, "real", n * n, n * n, 5 * n * n - 4 * n);
	for (int64_t y = 0; y < n && !ferror(d->out); y++) {
		for (int64_t x = 0; x < n; x++) {
			int64_t at = y * n + x;

			if (y > 0)
				stencil(d, at, at - n, "-1\n");
			if (x > 0)
				stencil(d, at, at - 1, "-1\n");
			stencil(d, at, at, "4\n");
			if (x < n - 1)
				stencil(d, at, at + 1, "-1\n");
			if (y < n - 1)
				stencil(d, at, at + n, "-1\n");
		}
		data_progress(d, 1.0);
	}
	return true;
}

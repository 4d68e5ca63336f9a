/* nesl_mtx.c: Matrix Market coordinate files as [[(int, float)]].
 *
 * In   coordinate; real, integer or pattern; general, symmetric or skew-symmetric.
 * Out  rows of (0-based column, value), columns ascending; equal columns in file order.
 * How  Two passes over the mapped text: count each row, then put the entries in place; what was read
 *      is given back, so that memory stays near the matrix's own size.  The offsets serve as the
 *      places to fill: off[r + 1] runs from the start of row r to its end. */
#include "nesl_input.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { MTX_REAL, MTX_INTEGER, MTX_PATTERN } MtxField;
typedef enum { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW } MtxSymmetry;

typedef struct {
	nesl_file *file;
	const char *at, *end;
	long line;
	MtxField field;
	MtxSymmetry symmetry;
	i64 rows, cols, entries;
	const char *body;       /* where the entries begin */
	long body_line;
} Mtx;

typedef struct {
	i64 row, col;           /* from 0 */
	f64 value;
} MtxEntry;

/* -- words and numbers ------------------------------------------------------------------------ */
static void
mtx_space(Mtx *m)
{
	while (m->at < m->end && (*m->at == ' ' || *m->at == '\t'))
		m->at++;
}

static int
mtx_at_line_end(const Mtx *m)
{
	return m->at == m->end || *m->at == '\n' || (*m->at == '\r' && (m->at + 1 == m->end || m->at[1] == '\n'));
}

static int
mtx_blank(const Mtx *m)
{
	return m->at == m->end || *m->at == ' ' || *m->at == '\t' || *m->at == '\r' || *m->at == '\n';
}

static void
mtx_next_line(Mtx *m)
{
	const char *end = (const char *)memchr(m->at, '\n', (size_t)(m->end - m->at));

	m->at = end ? end + 1 : m->end;
	m->line++;
}

static int
mtx_malformed(Mtx *m, const char *what)
{
	int n = 0;

	if (m->at < m->end && memchr(m->at, 0, 1))
		return nesl_file_error(m->file, m->line, "there is a NUL byte in the file");
	if (mtx_at_line_end(m))
		return nesl_file_error(m->file, m->line, "%s is missing", what);
	while (n < 40 && m->at + n < m->end && (unsigned char)m->at[n] > ' ')
		n++;
	return nesl_file_error(m->file, m->line, "%s is malformed: `%.*s`", what, n, m->at);
}

/* Whitespace, then a nonnegative integer that fits an int, then the end of the word. */
static int
mtx_count(Mtx *m, i64 *out, const char *what)
{
	i64 n = 0;
	const char *start;

	mtx_space(m);
	start = m->at;
	for (; m->at < m->end && *m->at >= '0' && *m->at <= '9'; m->at++) {
		if (n > (m->file->max_int - (*m->at - '0')) / 10) {
			m->at = start;
			return nesl_file_error(m->file, m->line, "%s is too large", what);
		}
		n = n * 10 + (*m->at - '0');
	}
	if (m->at == start || !mtx_blank(m)) {
		m->at = start;
		return mtx_malformed(m, what);
	}
	*out = n;
	return 0;
}

static f64
mtx_strtod(const char *s, size_t n)
{
	char small[64], *text = n < sizeof small ? small : (char *)malloc(n + 1);
	f64 x;

	if (!text)
		return INFINITY;
	memcpy(text, s, n);
	text[n] = 0;
	x = strtod(text, NULL);
	if (text != small)
		free(text);
	return x;
}

/* The digits of a decimal number: a mantissa of at most 18 of them, how many were left out. */
typedef struct {
	uint64_t mantissa;
	int digits;             /* read at all, fraction included */
	int used;               /* in the mantissa, leading zeros apart */
	int exp;                /* value = mantissa * 10^exp, if all are used */
	int all;
} MtxDigits;

static void
mtx_digits(Mtx *m, MtxDigits *d, int fraction)
{
	for (; m->at < m->end && *m->at >= '0' && *m->at <= '9'; m->at++) {
		d->digits = 1;
		if (d->used < 18) {
			d->mantissa = d->mantissa * 10 + (uint64_t)(*m->at - '0');
			d->used += d->mantissa != 0;
			d->exp -= fraction;
		} else {
			d->all = 0;
		}
	}
}

/* The exponent; 0 if there is none; the word is malformed if it has no digits. */
static int
mtx_exponent(Mtx *m, int *exp)
{
	int negative, n = 0, any = 0;

	if (m->at == m->end || (*m->at != 'e' && *m->at != 'E'))
		return 0;
	m->at++;
	negative = m->at < m->end && *m->at == '-';
	if (m->at < m->end && (*m->at == '-' || *m->at == '+'))
		m->at++;
	for (; m->at < m->end && *m->at >= '0' && *m->at <= '9'; m->at++, any = 1)
		if (n < 100000)
			n = n * 10 + (*m->at - '0');
	*exp += negative ? -n : n;
	return !any;
}

/* Exactly rounded: where mantissa and power of ten are exact, one operation; else strtod. */
static int
mtx_real(Mtx *m, f64 *out)
{
	static const f64 power[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
		1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	MtxDigits d = {0, 0, 0, 0, 1};
	const char *start;
	int negative, bad = 0;
	f64 x;

	mtx_space(m);
	start = m->at;
	negative = m->at < m->end && *m->at == '-';
	if (m->at < m->end && (*m->at == '-' || *m->at == '+'))
		m->at++;
	mtx_digits(m, &d, 0);
	if (m->field != MTX_INTEGER) {
		if (m->at < m->end && *m->at == '.') {
			m->at++;
			mtx_digits(m, &d, 1);
		}
		bad = mtx_exponent(m, &d.exp);
	}
	if (!d.digits || bad || !mtx_blank(m)) {
		m->at = start;
		return mtx_malformed(m, "the value");
	}
	if (d.all && d.mantissa < (uint64_t)1 << 53 && d.exp >= -22 && d.exp <= 22) {
		x = (f64)(i64)d.mantissa;       /* of unsigned ones tcc makes a call that nvcc's linker does not know */
		x = d.exp < 0 ? x / power[-d.exp] : x * power[d.exp];
		*out = negative ? -x : x;
		return 0;
	}
	*out = mtx_strtod(start, (size_t)(m->at - start));
	if (*out - *out != 0.0)
		return nesl_file_error(m->file, m->line, "the value is too large for a float");
	return 0;
}

static int
mtx_line_end(Mtx *m)
{
	mtx_space(m);
	if (!mtx_at_line_end(m)) {
		int n = 0;

		if (*m->at == 0)
			return mtx_malformed(m, "the line");
		while (n < 40 && m->at + n < m->end && (unsigned char)m->at[n] >= ' ')
			n++;
		return nesl_file_error(m->file, m->line, "unexpected text at the end of the line: `%.*s`", n, m->at);
	}
	mtx_next_line(m);
	return 0;
}

/* -- banner and sizes ------------------------------------------------------------------------- */
static void
mtx_word(Mtx *m, char word[32])
{
	int n = 0;

	mtx_space(m);
	while (!mtx_blank(m)) {
		if (n < 31)
			word[n++] = *m->at;
		m->at++;
	}
	word[n] = 0;
}

/* One of the words, by number; -1 if it is none of them. */
static int
mtx_one_of(const char *word, const char *const *words, int n)
{
	for (int i = 0; i < n; i++)
		if (strcasecmp(word, words[i]) == 0)
			return i;
	return -1;
}

static int
mtx_banner(Mtx *m)
{
	static const char *const fields[] = {"real", "integer", "pattern", "double"};
	static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
	char banner[32], object[32], format[32], field[32], symmetry[32];
	int k;

	mtx_word(m, banner);
	mtx_word(m, object);
	mtx_word(m, format);
	mtx_word(m, field);
	mtx_word(m, symmetry);
	if (strcasecmp(banner, "%%MatrixMarket") != 0)
		return nesl_file_error(m->file, 1, "not a Matrix Market file: it must begin with `%%%%MatrixMarket`");
	if (strcasecmp(object, "matrix") != 0)
		return nesl_file_error(m->file, 1, "only a `matrix` can be read, not `%s`", object);
	if (strcasecmp(format, "array") == 0)
		return nesl_file_error(m->file, 1, "this is a dense matrix (`array`); only sparse ones (`coordinate`) can be read");
	if (strcasecmp(format, "coordinate") != 0)
		return nesl_file_error(m->file, 1, "unknown format `%s`; `coordinate` is wanted", format);
	if (strcasecmp(field, "complex") == 0)
		return nesl_file_error(m->file, 1, "complex entries cannot be read: NESL has no complex numbers");
	if ((k = mtx_one_of(field, fields, 4)) < 0)
		return nesl_file_error(m->file, 1, "unknown field `%s`; `real`, `integer` or `pattern` is wanted", field);
	m->field = k == 3 ? MTX_REAL : (MtxField)k;
	if (strcasecmp(symmetry, "hermitian") == 0)
		return nesl_file_error(m->file, 1, "a hermitian matrix cannot be read: NESL has no complex numbers");
	if ((k = mtx_one_of(symmetry, symmetries, 3)) < 0)
		return nesl_file_error(m->file, 1,
			"unknown symmetry `%s`; `general`, `symmetric` or `skew-symmetric` is wanted", symmetry);
	m->symmetry = (MtxSymmetry)k;
	if (m->symmetry == MTX_SKEW && m->field == MTX_PATTERN)
		return nesl_file_error(m->file, 1, "a pattern cannot be skew-symmetric");
	return mtx_line_end(m);
}

/* Comments and blank lines.  Only before the sizes may there be comments. */
static int
mtx_skip(Mtx *m, int comments)
{
	for (;;) {
		mtx_space(m);
		if (m->at < m->end && *m->at == '%' && comments) {
			const char *end = (const char *)memchr(m->at, '\n', (size_t)(m->end - m->at));

			if (memchr(m->at, 0, (size_t)((end ? end : m->end) - m->at)))
				return nesl_file_error(m->file, m->line, "there is a NUL byte in the file");
		} else if (m->at == m->end || !mtx_at_line_end(m)) {
			return 0;
		}
		mtx_next_line(m);
		if (nesl_file_done(m->file, (size_t)(m->at - m->file->at)))
			return 1;
	}
}

static int
mtx_header(Mtx *m)
{
	if (mtx_banner(m) || mtx_skip(m, 1))
		return 1;
	if (m->at == m->end)
		return nesl_file_error(m->file, m->line, "the file ends before the line `ROWS COLUMNS ENTRIES`");
	if (mtx_count(m, &m->rows, "the number of rows") || mtx_count(m, &m->cols, "the number of columns")
	    || mtx_count(m, &m->entries, "the number of entries") || mtx_line_end(m))
		return 1;
	if (m->symmetry != MTX_GENERAL && m->rows != m->cols)
		return nesl_file_error(m->file, m->line - 1, "a symmetric matrix must be square, not %lld x %lld",
			(long long)m->rows, (long long)m->cols);
	if (!nesl_file_fits(8.0 * (f64)m->rows + 16.0 * (f64)m->entries))
		return nesl_file_error(m->file, m->line - 1,
			"%lld rows and %lld entries are more than this machine's memory can hold",
			(long long)m->rows, (long long)m->entries);
	m->body = m->at;
	m->body_line = m->line;
	return 0;
}

/* -- entries ---------------------------------------------------------------------------------- */
static int
mtx_index(Mtx *m, i64 *k, i64 bound, const char *what)
{
	if (mtx_count(m, k, what))
		return 1;
	if (*k < 1 || *k > bound)
		return nesl_file_error(m->file, m->line, "%s %lld is outside 1..%lld", what, (long long)*k, (long long)bound);
	--*k;
	return 0;
}

/* The next line's entry. */
static int
mtx_entry(Mtx *m, MtxEntry *e)
{
	e->value = 1.0;
	if (mtx_index(m, &e->row, m->rows, "the row") || mtx_index(m, &e->col, m->cols, "the column"))
		return 1;
	if (m->field != MTX_PATTERN && mtx_real(m, &e->value))
		return 1;
	if (m->symmetry == MTX_SKEW && e->row == e->col && e->value != 0.0)
		return nesl_file_error(m->file, m->line, "the diagonal of a skew-symmetric matrix must be zero");
	return mtx_line_end(m);
}

/* First pass: everything is checked, off[r + 2] counts row r. */
static int
mtx_count_rows(Mtx *m, i64 *off)
{
	MtxEntry e;

	for (i64 k = 0;; k++) {
		if (mtx_skip(m, 0))
			return 1;
		if (m->at == m->end) {
			if (k == m->entries)
				return 0;
			return nesl_file_error(m->file, m->line, "the file says %lld entries, but ends after %lld",
				(long long)m->entries, (long long)k);
		}
		if (k == m->entries)
			return nesl_file_error(m->file, m->line, "more entries than the %lld that the file says",
				(long long)k);
		if (mtx_entry(m, &e))
			return 1;
		off[e.row + 2]++;
		if (m->symmetry != MTX_GENERAL && e.row != e.col)
			off[e.col + 2]++;
		if (nesl_file_done(m->file, (size_t)(m->at - m->file->at)))
			return 1;
	}
}

/* Second pass, over what the first has checked. */
static int
mtx_fill(Mtx *m, i64 *off, i64 n, i64 *col, f64 *value)
{
	MtxEntry e;

	m->at = m->body;
	m->line = m->body_line;
	for (i64 k = 0; k < m->entries; k++) {
		i64 to, mirrored;

		if (mtx_skip(m, 0) || mtx_entry(m, &e))
			return 1;
		to = off[e.row + 1]++;
		mirrored = m->symmetry != MTX_GENERAL && e.row != e.col ? off[e.col + 1]++ : 0;
		if (to >= n || mirrored >= n)
			return nesl_file_error(m->file, m->line, "the file changed while it was read");
		col[to] = e.col;
		value[to] = e.value;
		if (m->symmetry != MTX_GENERAL && e.row != e.col) {
			col[mirrored] = e.row;
			value[mirrored] = m->symmetry == MTX_SKEW ? -e.value : e.value;
		}
		if (nesl_file_done(m->file, (size_t)(m->at - m->file->at)))
			return 1;
	}
	return 0;
}

/* -- rows in order ---------------------------------------------------------------------------- */
enum { MTX_SHORT = 24 };

static void
mtx_insertion_sort(i64 *col, f64 *value, i64 n)
{
	for (i64 i = 1; i < n; i++) {
		i64 c = col[i], k = i;
		f64 x = value[i];

		for (; k > 0 && col[k - 1] > c; k--) {
			col[k] = col[k - 1];
			value[k] = value[k - 1];
		}
		col[k] = c;
		value[k] = x;
	}
}

/* Stable; the first half moves to the buffers (n / 2 long) to be merged back. */
static void
mtx_merge_sort(i64 *col, f64 *value, i64 n, i64 *bcol, f64 *bvalue)
{
	i64 half = n / 2, i = 0, j = half, k = 0;

	if (n <= MTX_SHORT) {
		mtx_insertion_sort(col, value, n);
		return;
	}
	mtx_merge_sort(col, value, half, bcol, bvalue);
	mtx_merge_sort(col + half, value + half, n - half, bcol, bvalue);
	if (col[half - 1] <= col[half] || nesl_interrupted)
		return;
	memcpy(bcol, col, (size_t)half * sizeof *col);
	memcpy(bvalue, value, (size_t)half * sizeof *value);
	while (i < half) {
		int left = j == n || bcol[i] <= col[j];

		col[k] = left ? bcol[i] : col[j];
		value[k++] = left ? bvalue[i] : value[j];
		if (left)
			i++;
		else
			j++;
	}
}

static int
mtx_ascending(const i64 *col, i64 n)
{
	for (i64 i = 1; i < n; i++)
		if (col[i - 1] > col[i])
			return 0;
	return 1;
}

static int
mtx_sort_row(i64 *col, f64 *value, i64 n)
{
	i64 *bcol;
	f64 *bvalue;

	if (mtx_ascending(col, n))
		return 0;
	if (n <= MTX_SHORT) {
		mtx_insertion_sort(col, value, n);
		return 0;
	}
	bcol = (i64 *)malloc((size_t)(n / 2) * sizeof *bcol);
	bvalue = (f64 *)malloc((size_t)(n / 2) * sizeof *bvalue);
	if (bcol && bvalue)
		mtx_merge_sort(col, value, n, bcol, bvalue);
	free(bcol);
	free(bvalue);
	return !bcol || !bvalue;
}

/* -- the reader ------------------------------------------------------------------------------- */
static int
mtx_entries(Mtx *m, nesl_value *v)
{
	i64 *off = (i64 *)nesl_input_array(m->rows + 2, 1), n;

	v->leaf[0].data = off;
	if (!off)
		return nesl_file_error(m->file, 0, "out of memory: %lld rows", (long long)m->rows);
	if (mtx_count_rows(m, off))
		return 1;
	for (i64 r = 0; r < m->rows; r++)
		off[r + 2] += off[r + 1];
	n = off[m->rows + 1];
	v->leaf[0].count = m->rows + 1;
	v->leaf[1].data = nesl_file_fits(16.0 * (f64)n) ? nesl_input_array(n, 0) : NULL;
	v->leaf[2].data = v->leaf[1].data ? nesl_input_array(n, 0) : NULL;
	v->leaf[1].count = v->leaf[2].count = n;
	if (!v->leaf[2].data)
		return nesl_file_error(m->file, 0, "out of memory: %lld entries", (long long)n);
	if (mtx_fill(m, off, n, (i64 *)v->leaf[1].data, (f64 *)v->leaf[2].data))
		return 1;
	for (i64 r = 0; r < m->rows; r++)
		if (mtx_sort_row((i64 *)v->leaf[1].data + off[r], (f64 *)v->leaf[2].data + off[r], off[r + 1] - off[r]))
			return nesl_file_error(m->file, 0, "out of memory: a row of %lld entries", (long long)(off[r + 1] - off[r]));
		else if (nesl_interrupted)
			return 1;
	return 0;
}

int
nesl_read_mtx(nesl_file *f, nesl_value *v, int type_only)
{
	Mtx m;

	memset(&m, 0, sizeof m);
	m.file = f;
	m.at = nesl_file_text(f);
	m.end = f->at + f->n;
	m.line = 1;
	if (mtx_header(&m) || nesl_value_shape(f, v, "[[(int, float)]]"))
		return 1;
	return type_only ? 0 : mtx_entries(&m, v);
}

/* nesl_npy.c: NumPy arrays, one- or two-dimensional, as [t] or [[t]].
 *
 * In   .npy version 1, 2 or 3; <i8 <i4 <f8 <f4 |b1 in C order. */
#include "nesl_input.h"
#include "nesl_object.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
	nesl_file *file;
	const char *head, *end;         /* the header's dictionary */
	const char *data;
	size_t ndata;
	char base;                      /* 'i' 'f' 'b' */
	size_t size;                    /* bytes of an element in the file */
	int ndim;
	i64 shape[2];
} Npy;

static int
npy_preamble(Npy *h)
{
	const unsigned char *s = (const unsigned char *)h->file->at;
	size_t n = h->file->n, from = 10, len;

	if (n < 6 || memcmp(s, "\x93NUMPY", 6) != 0)
		return nesl_file_error(h->file, 0, "not a .npy file: it must begin with \\x93NUMPY");
	if (n < 10)
		return nesl_file_error(h->file, 0, "the file ends within its header");
	if (s[6] < 1 || s[6] > 3)
		return nesl_file_error(h->file, 0, "unknown .npy version %d", s[6]);
	len = s[8] | (size_t)s[9] << 8;
	if (s[6] > 1) {
		from = 12;
		if (n >= from)
			len |= (size_t)s[10] << 16 | (size_t)s[11] << 24;
	}
	if (n < from || len > n - from)
		return nesl_file_error(h->file, 0, "the file ends within its header");
	h->head = h->file->at + from;
	h->end = h->head + len;
	h->data = h->end;
	h->ndata = n - from - len;
	return 0;
}

/* The text after 'KEY': in the dictionary; NULL if it is not there. */
static const char *
npy_key(const Npy *h, const char *key)
{
	size_t n = strlen(key);
	const char *s = h->head;

	for (; s + n + 3 < h->end; s++) {
		if ((*s != '\'' && *s != '"') || memcmp(s + 1, key, n) != 0 || s[n + 1] != *s)
			continue;
		for (s += n + 2; s < h->end && (*s == ' ' || *s == ':'); s++)
			;
		return s < h->end ? s : NULL;
	}
	return NULL;
}

static int
npy_element(Npy *h)
{
	static const struct {
		const char *descr;
		char base;
		size_t size;
	} known[] = {{"<i8", 'i', 8}, {"<i4", 'i', 4}, {"<f8", 'f', 8}, {"<f4", 'f', 4}, {"|b1", 'b', 1}};
	const char *s = npy_key(h, "descr");
	int n = 0;

	if (!s || h->end - s < 5)
		return nesl_file_error(h->file, 0, "the header has no 'descr'");
	if (*s != '\'' && *s != '"')
		return nesl_file_error(h->file, 0, "records cannot be read; int, float or bool elements are wanted");
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (memcmp(s + 1, known[i].descr, 3) == 0 && s[4] == *s) {
			h->base = known[i].base;
			h->size = known[i].size;
			return 0;
		}
	}
	while (s + 1 + n < h->end && s[1 + n] != *s && n < 20)
		n++;
	return nesl_file_error(h->file, 0,
		"elements of type '%.*s' cannot be read; <i8, <i4, <f8, <f4 or |b1 is wanted", n, s + 1);
}

static int
npy_shape(Npy *h)
{
	const char *s = npy_key(h, "shape");

	if (!s || *s != '(')
		return nesl_file_error(h->file, 0, "the header has no 'shape'");
	for (s++; s < h->end && *s != ')';) {
		i64 n = 0;

		if (*s == ' ' || *s == ',') {
			s++;
			continue;
		}
		if (*s < '0' || *s > '9')
			return nesl_file_error(h->file, 0, "the 'shape' in the header is malformed");
		for (; s < h->end && *s >= '0' && *s <= '9'; s++) {
			if (n > (INT64_MAX - 9) / 10)
				return nesl_file_error(h->file, 0, "the 'shape' in the header is too large");
			n = n * 10 + (*s - '0');
		}
		if (h->ndim < 2)
			h->shape[h->ndim] = n;
		h->ndim++;
	}
	if (h->ndim < 1 || h->ndim > 2)
		return nesl_file_error(h->file, 0,
			"an array of %d dimensions cannot be read; one or two are wanted", h->ndim);
	return 0;
}

static int
npy_header(Npy *h)
{
	const char *order;

	if (npy_preamble(h) || npy_element(h) || npy_shape(h))
		return 1;
	order = npy_key(h, "fortran_order");
	if (!order)
		return nesl_file_error(h->file, 0, "the header has no 'fortran_order'");
	if (*order == 'T' && h->ndim == 2)
		return nesl_file_error(h->file, 0,
			"this array is in Fortran order; save it in C order (numpy.ascontiguousarray)");
	return 0;
}

/* How many elements, if the file holds just that many. */
static int
npy_count(Npy *h, i64 *n)
{
	f64 want = (f64)h->shape[0] * (h->ndim == 2 ? (f64)h->shape[1] : 1.0) * (f64)(i64)h->size;

	*n = 0;
	if (want < 9e18)
		*n = h->ndim == 2 ? h->shape[0] * h->shape[1] : h->shape[0];
	if (want >= 9e18 || (size_t)*n * h->size != h->ndata)
		return nesl_file_error(h->file, 0, "the header says %.0f bytes of data, but there are %zu", want, h->ndata);
	return 0;
}

enum { NPY_PART = 1 << 16 };

/* Elements lo .. hi - 1.  They are counted in the order of the file. */
static int
npy_convert(const Npy *h, i64 lo, i64 hi, void *to)
{
	const char *from = h->data;

	if (h->size == 8)
		memcpy((i64 *)to + lo, from + lo * 8, (size_t)(hi - lo) * 8);
	for (i64 i = lo; i < hi && h->size == 8 && h->base == 'i' && h->file->max_int == INT32_MAX; i++)
		if (((i64 *)to)[i] != (int32_t)((i64 *)to)[i])
			return nesl_file_error(h->file, 0, "element %lld, %lld, does not fit an int of 32 bits", (long long)i,
				(long long)((i64 *)to)[i]);
	for (i64 i = lo; i < hi; i++) {
		if (h->size == 4 && h->base == 'i') {
			int32_t x;
			memcpy(&x, from + i * 4, 4);
			((i64 *)to)[i] = x;
		} else if (h->size == 4) {
			float x;
			memcpy(&x, from + i * 4, 4);
			((f64 *)to)[i] = x;
		} else if (h->size == 1) {
			((b8 *)to)[i] = from[i] != 0;
		}
	}
	return nesl_file_done(h->file, (size_t)(from - h->file->at) + (size_t)hi * h->size);
}

static int
npy_data(Npy *h, nesl_value *v)
{
	nesl_leaf *data = &v->leaf[v->nleaf - 1];
	i64 n;

	if (npy_count(h, &n))
		return 1;
	if (h->ndim == 2) {
		i64 *off = nesl_file_fits(8.0 * (f64)h->shape[0]) ? (i64 *)nesl_input_array(h->shape[0] + 1, 0) : NULL;

		v->leaf[0].data = off;
		v->leaf[0].count = h->shape[0] + 1;
		if (!off)
			return nesl_file_error(h->file, 0, "out of memory");
		for (i64 r = 0; r <= h->shape[0]; r++)
			off[r] = r * h->shape[1];
	}
	data->count = n;
	data->data = nesl_input_array(n, 0);
	if (!data->data)
		return nesl_file_error(h->file, 0, "out of memory");
	for (i64 lo = 0; lo < n; lo += NPY_PART)
		if (npy_convert(h, lo, lo + NPY_PART < n ? lo + NPY_PART : n, data->data))
			return 1;
	return 0;
}

int
nesl_read_npy(nesl_file *f, nesl_value *v, int type_only)
{
	Npy h;
	char type[16];

	memset(&h, 0, sizeof h);
	h.file = f;
	if (npy_header(&h))
		return 1;
	snprintf(type, sizeof type, h.ndim == 2 ? "[[%s]]" : "[%s]",
		h.base == 'i' ? "int" : h.base == 'f' ? "float" : "bool");
	if (nesl_value_shape(f, v, type))
		return 1;
	return type_only ? 0 : npy_data(&h, v);
}

/* -- writing ----------------------------------------------------------------------------------- */
/* The length of all rows; -1: they differ. */
static i64
npy_row_length(const nesl_leaf *rows)
{
	const i64 *off = (const i64 *)rows->data;

	for (i64 r = 1; r + 1 < rows->count; r++)
		if (off[r + 1] - off[r] != off[1])
			return -1;
	return rows->count > 1 ? off[1] : 0;
}

/* All NaN are the same one, whatever computed them. */
static void
npy_add_floats(nesl_text *t, const f64 *x, i64 n)
{
	for (i64 lo = 0, i; lo < n; lo = i + 1) {
		for (i = lo; i < n && x[i] == x[i]; i++)
			;
		nesl_text_add(t, (const char *)(x + lo), (size_t)(i - lo) * sizeof *x);
		if (i < n)
			nesl_text_add(t, (const char *)&(f64){NAN}, sizeof(f64));
	}
}

const char *
nesl_npy_text(nesl_text *t, const char *type, int int_bits, const nesl_leaf *leaf)
{
	const int two = leaf->kind == LEAF_OFFSETS;
	const nesl_leaf *data = leaf + two;
	const i64 rows = two ? leaf->count - 1 : data->count, columns = two ? npy_row_length(leaf) : 0;
	const char *base = strspn(type, "[") == (size_t)two + 1 ? type + two + 1 : "";
	const char *descr = strncmp(base, "int]", 4) == 0 ? (int_bits == 32 ? "<i4" : "<i8") : strncmp(base, "float]", 6) == 0 ? "<f8"
		: strncmp(base, "bool]", 5) == 0 ? "|b1" : NULL;
	char head[128], shape[64];
	size_t n = 10;

	if (!descr)
		return "a .npy file holds a sequence, or sequences of one length, of int, float or bool";
	if (columns < 0)
		return "the rows of a .npy file have one length, these differ";
	snprintf(shape, sizeof shape, two ? "%lld, %lld" : "%lld,", (long long)rows, (long long)columns);
	memset(head, ' ', sizeof head);
	memcpy(head, "\x93NUMPY\x01\x00\x76\x00", n);
	n += (size_t)snprintf(head + n, sizeof head - n, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr,
		shape);
	head[n] = ' ';
	head[sizeof head - 1] = '\n';
	nesl_text_add(t, head, sizeof head);
	if (data->base == 'f')
		npy_add_floats(t, (const f64 *)data->data, data->count);
	else if (strcmp(descr, "<i4") != 0)
		nesl_text_add(t, (const char *)data->data, (size_t)data->count * (data->base == 'b' ? sizeof(b8) : sizeof(i64)));
	else
		for (i64 i = 0; i < data->count; i++)
			nesl_text_add(t, (const char *)&(int32_t){(int32_t)((const i64 *)data->data)[i]}, sizeof(int32_t));
	return NULL;
}

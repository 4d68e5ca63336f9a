/* datasequence.c: sequences of `nessie data`: numbers and points, as .npy or as NESL text. */
#include "common/datakinds.h"
#include <math.h>

/* The header of version 1, padded so that the data begins at a multiple of 64. */
static void
npy_header(DataFile *d, const char *descr, int64_t n, int64_t dims)
{
	char text[256], shape[64];
	unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};

	if (dims > 0)
		snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)n, (long long)dims);
	else
		snprintf(shape, sizeof shape, "(%lld,)", (long long)n);
	snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
	data_bytes(d, start, sizeof start);
	fprintf(d->out, "%-117s\n", text);
}

const char *
check_uniform(DataOptions *o)
{
	if (isnan(o->max))
		o->max = o->floats ? 1.0 : 1000.0;
	if (o->min >= o->max)
		return "--min must be below --max";
	if (!o->floats && (o->min != floor(o->min) || o->max != floor(o->max)))
		return "--min and --max of ints must be whole";
	if (!o->floats && (o->min < -0x1p53 || o->max > 0x1p53))
		return "--min and --max of ints go to 2^53 at most";
	return NULL;
}

static void
put_float(const DataOptions *o, DataFile *d, double x)
{
	if (o->npy)
		data_bytes(d, &x, sizeof x);
	else
		data_float(d, x, 0);
}

static void
put_uniform(const DataOptions *o, DataFile *d, Random *r)
{
	int64_t x;

	if (o->floats) {
		put_float(o, d, o->min + (o->max - o->min) * random_unit(r));
		return;
	}
	x = (int64_t)o->min + random_below(r, (int64_t)o->max - (int64_t)o->min);
	if (o->npy)
		data_bytes(d, &x, sizeof x);
	else
		data_int(d, x, 0);
}

static void
empty_text(DataFile *d, const char *type)
{
	data_text(d, "[] ");
	data_text(d, type);
	data_text(d, "\n");
}

bool
write_ints(const DataOptions *o, DataFile *d, const int64_t *at, int64_t n)
{
	d->total = (double)n;
	if (o->npy)
		npy_header(d, "<i8", n, 0);
	for (int64_t i = 0; i < n && !ferror(d->out); i++) {
		if (o->npy) {
			data_bytes(d, &at[i], sizeof at[i]);
		} else {
			data_text(d, i ? ", " : "[");
			data_int(d, at[i], 0);
		}
		data_progress(d, 1.0);
	}
	if (!o->npy)
		data_text(d, "]\n");
	return true;
}

bool
make_uniform(const DataOptions *o, DataFile *d)
{
	Random r = random_new((uint64_t)o->seed);

	d->total = (double)o->n;
	if (o->npy)
		npy_header(d, o->floats ? "<f8" : "<i8", o->n, 0);
	else if (o->n == 0)
		empty_text(d, o->floats ? "float" : "int");
	for (int64_t i = 0; i < o->n && !ferror(d->out); i++) {
		if (!o->npy)
			data_text(d, i ? ", " : "[");
		put_uniform(o, d, &r);
		data_progress(d, 1.0);
	}
	if (!o->npy && o->n > 0)
		data_text(d, "]\n");
	return true;
}

const char *
check_points(DataOptions *o)
{
	(void)o;
	return NULL;
}

bool
make_points(const DataOptions *o, DataFile *d)
{
	Random r = random_new((uint64_t)o->seed);

	d->total = (double)o->n;
	if (o->npy)
		npy_header(d, "<f8", o->n, o->dims);
	else if (o->n == 0)
		empty_text(d, o->dims == 2 ? "(float, float)" : "(float, float, float)");
	for (int64_t i = 0; i < o->n && !ferror(d->out); i++) {
		for (int64_t k = 0; k < o->dims; k++) {
			if (!o->npy)
				data_text(d, k ? ", " : i ? ",\n(" : "[(");
			put_float(o, d, random_unit(&r));
		}
		if (!o->npy)
			data_text(d, ")");
		data_progress(d, 1.0);
	}
	if (!o->npy && o->n > 0)
		data_text(d, "]\n");
	return true;
}

/* nesl_effect.c: the table of effects, and their operands and results as C values. */
#include "nesl_effect.h"
#include "nesl_fault.h"
#include "nesl_object.h"
#include "nesl_slice.h"
#include "nesl_stream.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Leaves are host memory, and ints have 64 bits, whatever the program's have. */
typedef struct {
	const char *type;
	int int_bits;           /* the program's: no int is given that it could not hold */
	nesl_leaf *in, *out;
	int nin, nout;
	int failed;             /* no memory */
} Call;

/* -- operands and results ---------------------------------------------------------------------- */
static i64
int_of(const nesl_leaf *l)
{
	return *(const i64 *)l->data;
}

/* As bytes, a 0 behind them; malloc'ed. */
static char *
bytes_of(Call *c, const nesl_leaf *l)
{
	char *text = (char *)malloc((size_t)l->count + 1);

	if (!text) {
		c->failed = 1;
		return NULL;
	}
	for (i64 i = 0; i < l->count; i++)
		text[i] = (char)((const c32 *)l->data)[i];
	text[l->count] = 0;
	return text;
}

static void
give_int(nesl_leaf *l, i64 x)
{
	*(i64 *)l->data = x;
}

static void
give_bytes(Call *c, nesl_leaf *l, const char *text, size_t n)
{
	c32 *to = (c32 *)malloc(n > 0 ? n * sizeof *to : 1);

	c->failed |= !to;
	if (!to)
		return;
	for (size_t i = 0; i < n; i++)
		to[i] = (unsigned char)text[i];
	free(l->data);
	l->data = to;
	l->count = (i64)n;
}

static void
give_text(Call *c, nesl_leaf *l, const char *text)
{
	if (text)
		give_bytes(c, l, text, strlen(text));
}

/* NAME: what is wrong */
static void
give_about(Call *c, nesl_leaf *l, const char *name, const char *wrong)
{
	nesl_text text = {NULL, 0, 0, 0};

	if (!wrong)
		return;
	nesl_text_add(&text, name, strlen(name));
	nesl_text_add(&text, ": ", 2);
	nesl_text_add(&text, wrong, strlen(wrong));
	c->failed |= text.failed;
	give_bytes(c, l, text.at, text.n);
	free(text.at);
}

/* No elements; zero. */
static void
clear(Call *c)
{
	for (int k = 0; k < c->nout; k++) {
		nesl_leaf *l = &c->out[k];

		if (l->kind != LEAF_SCALAR)
			free(l->data);
		if (l->kind != LEAF_SCALAR && !(l->data = malloc(sizeof(i64))))
			c->failed = 1;
		if (l->data)
			memset(l->data, 0, sizeof(i64));
		l->fetch = NULL;
		l->count = l->kind != LEAF_VECTOR;
	}
}

/* The value is given, or what is wrong and a value of nothing. */
static void
give_value(Call *c, const char *wrong)
{
	if (!wrong)
		return;
	clear(c);
	give_text(c, &c->out[c->nout - 1], wrong);
}

/* -- streams, and what else is outside -------------------------------------------------------- */
/* name, mode -> stream, what is wrong */
static void
stream_open(Call *c)
{
	char *name = bytes_of(c, &c->in[0]);
	const char *wrong;

	if (!name)
		return;
	give_int(&c->out[0], nesl_stream_open(name, (nesl_stream_mode)int_of(&c->in[1]), &wrong));
	give_about(c, &c->out[1], name, wrong);
	free(name);
}

/* stream -> what is wrong */
static void
stream_close(Call *c)
{
	give_text(c, &c->out[0], nesl_stream_close(int_of(&c->in[0])));
}

enum { FULL = -2 };

/* delimiters, most, stream -> text; the delimiter that ended it, -1: the end, -2: it is as long as may be; what
 * is wrong */
static void
stream_read(Call *c)
{
	const i64 most = int_of(&c->in[1]), stream = int_of(&c->in[2]);
	char *ends = bytes_of(c, &c->in[0]);
	const char *wrong = NULL;
	nesl_text text = {NULL, 0, 0, 0};
	int byte = FULL;

	while (ends && !text.failed && (most < 0 || (i64)text.n < most)) {
		const char *run;
		const size_t n = nesl_stream_run(stream, ends, (size_t)c->in[0].count, most < 0 ? SIZE_MAX : (size_t)most - text.n, &run, &wrong);

		if (n == 0) {
			byte = wrong ? STREAM_FAILED : nesl_stream_byte(stream, 1, &wrong);
			break;
		}
		nesl_text_add(&text, run, n);
	}
	c->failed |= text.failed;
	give_bytes(c, &c->out[0], text.at, text.n);
	give_int(&c->out[1], wrong ? STREAM_END : byte);
	give_text(c, &c->out[2], wrong);
	free(text.at);
	free(ends);
}

/* text, stream -> what is wrong */
static void
stream_write(Call *c)
{
	char *text = bytes_of(c, &c->in[0]);

	if (text)
		give_text(c, &c->out[0], nesl_stream_write(int_of(&c->in[1]), text, (size_t)c->in[0].count));
	free(text);
}

/* command, three streams -> three streams, what is wrong */
static void
stream_spawn(Call *c)
{
	char *command = bytes_of(c, &c->in[0]);
	i64 stream[3];
	const char *wrong;

	if (!command)
		return;
	for (int k = 0; k < 3; k++)
		stream[k] = int_of(&c->in[k + 1]);
	wrong = nesl_stream_spawn(command, stream);
	for (int k = 0; k < 3; k++)
		give_int(&c->out[k], wrong ? STREAM_NONE : stream[k]);
	give_about(c, &c->out[3], command, wrong);
	free(command);
}

/* message ->; the check that follows raises it */
static void
error(Call *c)
{
	char *text = bytes_of(c, &c->in[0]);

	if (text)
		c->failed |= !nesl_fault_say(text);
	free(text);
}

/* name -> value, "" if there is none */
static void
environment(Call *c)
{
	char *name = bytes_of(c, &c->in[0]);

	if (name)
		give_text(c, &c->out[0], getenv(name));
	free(name);
}

/* -- values ------------------------------------------------------------------------------------ */
/* value -> object text */
static void
object_text(Call *c)
{
	nesl_text text = {NULL, 0, 0, 0};

	nesl_object_text(&text, c->type, c->in);
	c->failed |= text.failed;
	give_bytes(c, &c->out[0], text.at, text.n);
	free(text.at);
}

/* sample, stream -> value, what is wrong */
static void
stream_object(Call *c)
{
	give_value(c, nesl_object_read(int_of(&c->in[c->nin - 1]), c->type, c->int_bits, c->out));
}

/* sample, stream -> numbers, what is wrong */
static void
stream_numbers(Call *c)
{
	give_value(c, nesl_object_numbers(int_of(&c->in[1]), c->int_bits, &c->out[0]));
}

/* value -> the bytes of a .npy file, what is wrong */
static void
npy_text(Call *c)
{
	nesl_text text = {NULL, 0, 0, 0};

	give_text(c, &c->out[1], nesl_npy_text(&text, c->type, c->int_bits, c->in));
	c->failed |= text.failed;
	give_bytes(c, &c->out[0], text.at, text.n);
	free(text.at);
}

/* sample, name -> value, what is wrong */
static void
npy_value(Call *c)
{
	char *name = bytes_of(c, &c->in[c->nin - 1]), wrong[1024];
	nesl_value v;

	if (!name)
		return;
	if (nesl_read_npy_file(name, c->int_bits, &v, wrong, sizeof wrong)) {
		give_value(c, wrong);
	} else if (strcmp(v.type, c->type) != 0) {
		snprintf(wrong, sizeof wrong, "%s: the file holds %s, but %s is wanted", name, v.type, c->type);
		nesl_value_free(&v);
		give_value(c, wrong);
	} else {
		for (int k = 0; k < v.nleaf; k++) {
			free(c->out[k].data);
			c->out[k] = v.leaf[k];
		}
		free(v.leaf);
	}
	free(name);
}

static void
slice(Call *c)
{
	give_int(&c->out[0], nesl_slice(int_of(&c->in[0]), int_of(&c->in[1]), int_of(&c->in[2])));
}

/* -- the table --------------------------------------------------------------------------------- */
static const struct {
	const char *name;
	void (*run)(Call *);
	bool shows;             /* so that its form cannot begin anew */
} effects[] = {
	{"stream_open", stream_open, true}, {"stream_close", stream_close, true}, {"stream_read", stream_read, true},
	{"stream_write", stream_write, true}, {"stream_spawn", stream_spawn, true}, {"environment", environment, false},
	{"object_text", object_text, false}, {"stream_object", stream_object, true}, {"stream_numbers", stream_numbers, true},
	{"error", error, false}, {"npy_text", npy_text, false}, {"npy_value", npy_value, false}, {"slice", slice, false},
};

static size_t
leaf_size(char base)
{
	return base == 'b' ? sizeof(b8) : base == 'c' || base == 'w' ? sizeof(int32_t) : sizeof(i64);
}

/* The leaf as effects see it, in memory of its own. */
static int
bring(nesl_leaf *to, const nesl_leaf *from)
{
	const size_t size = leaf_size(from->base), n = (size_t)(from->count > 0 ? from->count : 0);
	void *data = malloc(n > 0 ? n * sizeof(i64) : 1);

	*to = *from;
	to->fetch = NULL;
	to->data = data;
	if (!data)
		return 0;
	if (from->fetch)
		from->fetch(from->data, 0, from->count, size, data);
	else if (n > 0)
		memcpy(data, from->data, n * size);
	if (from->base == 'w')          /* from the last on: the wider ones grow over the others */
		for (size_t i = n; i-- > 0; )
			((i64 *)data)[i] = ((const int32_t *)data)[i];
	to->base = from->base == 'w' ? 'i' : from->base;
	return 1;
}

static int
make_room(nesl_leaf *to, const nesl_leaf *wanted)
{
	*to = *wanted;
	to->base = wanted->base == 'w' ? 'i' : wanted->base;
	to->data = calloc(1, sizeof(i64));
	return to->data != NULL;
}

/* What an effect gave, as the program has it. */
static void
hand_over(nesl_leaf *to, nesl_leaf *from)
{
	const char base = to->base;
	const i64 n = from->kind == LEAF_SCALAR ? 1 : from->count;

	for (i64 i = 0; i < n && base == 'w'; i++)
		((int32_t *)from->data)[i] = (int32_t)((const i64 *)from->data)[i];
	if (from->kind == LEAF_SCALAR) {
		memcpy(to->data, from->data, leaf_size(base));
		free(from->data);
	} else {
		*to = *from;
		to->base = base;
	}
}

int
nesl_effect(const char *name, const char *type, int int_bits, const nesl_leaf *in, int nin, nesl_leaf *out, int nout)
{
	nesl_leaf *leaf = (nesl_leaf *)calloc((size_t)(nin + nout) + 1, sizeof *leaf);
	Call c = {type, int_bits, leaf, leaf + nin, nin, nout, 0};

	if (!leaf)
		return 1;
	for (int k = 0; k < nin; k++)
		c.failed |= !bring(&c.in[k], &in[k]);
	for (int k = 0; k < nout; k++)
		c.failed |= !make_room(&c.out[k], &out[k]);
	if (!c.failed)
		clear(&c);
	for (size_t i = 0; i < sizeof effects / sizeof *effects && !c.failed; i++)
		if (strcmp(effects[i].name, name) == 0) {
			effects[i].run(&c);
			if (effects[i].shows)
				nesl_shows();
		}
	for (int k = 0; k < nout && !c.failed; k++)
		hand_over(&out[k], &c.out[k]);
	for (int k = 0; k < (c.failed ? nin + nout : nin); k++)
		free(leaf[k].data);
	free(leaf);
	return c.failed;
}

double
nesl_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

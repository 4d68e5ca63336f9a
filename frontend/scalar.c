/* scalar.c: finding scalar operators by name and type. */
#include "frontend/scalar.h"
#include <string.h>

static const ScalarRow *
find(int int_bits, const char *name)
{
	const ScalarRow *r = int_bits == 32 ? scalar_rows_32 : scalar_rows_64;

	while (r->name && strcmp(r->name, name) != 0)
		r++;
	if (!r->name)
		ice((Span){0}, "scalar", "no scalar operator %s", name);
	return r;
}

/* The second type of the letter: float of n and o, bool of l. */
static int
column(const char *sig, const Ty *t)
{
	if (*sig == 'l')
		return t->kind == TY_BOOL;
	return (*sig == 'n' || *sig == 'o') && t->kind == TY_FLOAT;
}

ScalarFn
scalar_fn(int int_bits, const char *name, const Ty *t)
{
	const ScalarRow *r = find(int_bits, name);

	return r->fn[column(r->sig, t)];
}

Scalar
scalar_identity(int int_bits, const char *name, const Ty *t)
{
	const ScalarRow *r = find(int_bits, name);

	if (t->kind == TY_FLOAT)
		return (Scalar){.f = r->identity2};
	if (t->kind == TY_BOOL)
		return (Scalar){.i = r->identity2 != 0.0};
	/* chars are narrower than what the table has for ints */
	if (t->kind == TY_CHAR)
		return (Scalar){.i = r->identity < 0 ? INT32_MIN : INT32_MAX};
	return (Scalar){.i = r->identity};
}

Opnd
scalar_opnd(const Ty *t, Scalar x)
{
	if (t->kind == TY_FLOAT)
		return opnd_float(x.f);
	if (t->kind == TY_BOOL)
		return opnd_bool(x.i);
	return t->kind == TY_CHAR ? opnd_char(x.i) : opnd_int(x.i);
}

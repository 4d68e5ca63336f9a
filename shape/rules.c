/* rules.c: from a rule's text and the shapes of operands, the shapes of results.  The texts are short, and read each
 * time. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "flatten/flan.h"
#include "shape/laws.h"
#include "shape/place.h"
#include "shape/rules.h"

static const char *const rule[FLAN_NOP][2] = {
#define RULE(op, base, lifted) [FLAN_##op] = {base, lifted},
#include "shape/rules.def"
#undef RULE
};

typedef struct Reading {
	Sizes *z;
	const Bind *bind;
	const Shape *arg;
	const Shape *first;             /* result 0, for the others */
	int result;
	bool vector;                    /* what is read are elements */
	const char *at;
} Reading;

/* The rule of an operator: as it is written there, or that of its class; NULL if it has none. */
static const char *
rule_of(int op, bool lifted)
{
	if (rule[op][0])
		return rule[op][lifted];
	switch (flan_ir.op[op].cls) {
	case OP_SCALAR:
		return "?";
	case OP_REDUCE:
		return lifted ? "#a: ?" : "?";
	case OP_SCAN:
		return lifted ? "sum(a): ?" : "#a: ?";
	case OP_SEQUENCE: case OP_STATE: case OP_EFFECT: case OP_VECTOR: case OP_SOURCE: case OP_SINK: case OP_LIBRARY:
	case OP_HOST: case OP_CONTROL:
		break;
	}
	return NULL;
}

static TyKind
element(const Bind *b, int i)
{
	const Ty *t = i < b->narg ? opnd_ty(b->arg[i]) : &ty_int;

	return t->kind == TY_VEC ? t->a->kind : t->kind == TY_SEGDES ? TY_INT : t->kind;
}

/* The operator itself; reductions and scans by row have their elements second. */
static const Size *
applied(Reading *r, int op, bool lifted, int narg, const Shape *arg)
{
	bool second = lifted && op_folds(&flan_ir.op[op]);

	return size_apply(r->z, op, lifted, r->result, r->vector, element(r->bind, second), narg, arg);
}

static Shape
operand(Reading *r)
{
	char c = *r->at++;

	return c == 'r' ? *r->first : r->arg[c - 'a'];
}

static bool
passed(Reading *r, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(r->at, word, n) != 0)
		return false;
	r->at += n;
	return true;
}

/* (a) or (a, b) */
static void
operands(Reading *r, Shape *x)
{
	while (*r->at++ != ')')
		if (isalpha((unsigned char)*r->at))
			*x++ = operand(r);
}

/* More than can be counted is no number: the program says so. */
static const Size *
all_lengths(Reading *r)
{
	const Size *n = size_int(r->z, 0);
	bool too_many = false;
	int64_t k;

	for (int i = 0; i < r->bind->narg; i++) {
		n = size_add(r->z, n, r->arg[i].length);
		too_many = too_many || (size_constant(n, &k) && k < 0);
	}
	return too_many ? size_unknown(r->z, false, true) : n;
}

static const Size *
dealt(Reading *r, Shape a)
{
	Shape of[] = {a, {NULL, size_int(r->z, r->result)}};

	a.value = size_apply(r->z, FLAN_eq, true, 0, true, TY_INT, 2, of);
	return size_sum(r->z, a);
}

static const Size *
factor(Reading *r)
{
	Shape x[2];

	if (passed(r, "?"))
		return applied(r, r->bind->op, r->bind->lifted, r->bind->narg, r->arg);
	if (passed(r, "!"))
		return size_unknown(r->z, r->vector, false);
	if (passed(r, "place"))
		return size_place(r->z);
	if (passed(r, "args"))
		return size_int(r->z, r->bind->narg);
	if (passed(r, "all(#)"))
		return all_lengths(r);
	if (passed(r, "#"))
		return operand(r).length;
	if (passed(r, "sums"))
		return operands(r, x), applied(r, FLAN_sum, true, 2, x);
	if (passed(r, "sum"))
		return operands(r, x), applied(r, FLAN_sum, false, 1, x);
	if (passed(r, "each"))
		return operands(r, x), applied(r, FLAN_dist, true, 2, x);
	if (passed(r, "dealt"))
		return operands(r, x), dealt(r, x[0]);
	x[0] = operand(r);
	if (!passed(r, "["))
		return x[0].value;
	x[1] = operand(r);
	r->at++;
	return applied(r, FLAN_gather, false, 2, x);
}

static const Size *
expression(Reading *r)
{
	const Size *s = factor(r);

	for (;;)
		if (passed(r, " - "))
			s = size_sub(r->z, s, factor(r));
		else if (passed(r, " + "))
			s = size_add(r->z, s, factor(r));
		else
			return s;
}

/* The part of the rule for this result. */
static const char *
part(const char *text, int result)
{
	const char *next;

	while (result-- > 0 && (next = strchr(text, ';')))
		text = next + 2;
	return text;
}

static int
first_vector(const Bind *b)
{
	int i = 0;

	while (opnd_ty(b->arg[i])->kind != TY_VEC)
		i++;
	return i;
}

/* Is the part for a result `length: elements`? */
static const char *
colon(const char *part)
{
	const size_t n = strcspn(part, ":");

	return part[n] && n < strcspn(part, ";") ? part + n : NULL;
}

const char *
rules_says(const Bind *b, int result, bool length, const char **end)
{
	const char *text = rule_of(b->op, b->lifted), *mark;

	if (!text)
		return NULL;
	text = part(text, result);
	mark = colon(text);
	*end = text + strcspn(text, ";");
	if (flan_ir.op[b->op].cls == OP_SCALAR && length) {
		static const char *const of[] = {"#a", "#b", "#c"};

		if (!b->lifted)
			return NULL;
		text = of[first_vector(b)];
		*end = text + 2;
		return text;
	}
	if (length) {
		*end = mark;
		return mark ? text : NULL;
	}
	return mark ? mark + 2 : text;
}

bool
rules_shape(Sizes *z, const Bind *b, const Shape *arg, Shape *result)
{
	const char *text = rule_of(b->op, b->lifted);

	if (!text)
		return false;
	for (int i = 0; i < b->ndst; i++) {
		Reading r = {.z = z, .bind = b, .arg = arg, .first = result, .result = i, .at = part(text, i)};

		result[i].length = NULL;
		if (flan_elementwise(b))
			result[i].length = arg[first_vector(b)].length;
		else if (colon(r.at)) {
			result[i].length = expression(&r);
			r.at += 2;
		}
		r.vector = result[i].length != NULL;
		result[i].value = r.vector && size_is(result[i].length, 0) ? size_none(z) : expression(&r);
	}
	return true;
}

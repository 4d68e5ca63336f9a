/* advice.c: classic mistakes in applications, by the types that met. */
#include "frontend/advice.h"
#include <string.h>

static bool
among(const char *op, const char *const *ops)
{
	while (*ops && strcmp(*ops, op) != 0)
		ops++;
	return *ops != NULL;
}

static bool
is_seq_of(Type *t, TypeKind item)
{
	return t->kind == TYPE_SEQ && type_head(t->a)->kind == item;
}

/* A value of type got stands where one of type want should. */
static const char *
advise_value(Type *want, Type *got)
{
	TypeKind w = type_head(want)->kind, g = type_head(got)->kind;

	if (w == TYPE_FLOAT && g == TYPE_INT)
		return "; `float(x)` makes a float of an int";
	if (w == TYPE_INT && g == TYPE_FLOAT)
		return "; `round(x)`, `floor(x)` and `trunc(x)` make an int of a float";
	if (is_seq_of(type_head(want), TYPE_FLOAT) && is_seq_of(type_head(got), TYPE_INT))
		return "; `{float(x) : x in v}` makes floats of ints";
	if (w == TYPE_CHAR && is_seq_of(type_head(got), TYPE_CHAR))
		return "; a char is written with one back-quote before it";
	if (is_seq_of(type_head(want), TYPE_CHAR)
	    && (g == TYPE_SEQ ? type_head(type_head(got)->a)->kind <= TYPE_BOOL : g <= TYPE_BOOL))
		return "; `@x` is the text of any value";
	if (w == TYPE_SEQ && g != TYPE_SEQ && type_head(type_head(want)->a)->kind == g)
		return "; a sequence of one element is written `[x]`";
	if ((w <= TYPE_CHAR || (w == TYPE_VAR && type_head(want)->cls != CLASS_ANY)) && g == TYPE_SEQ
	    && !is_seq_of(type_head(got), TYPE_CHAR))
		return "; `{g(x) : x in v}` applies g to each element";
	return "";
}

const char *
advise_argument(const char *name, Type *want, Type *got)
{
	if (strcmp(name, "||") == 0 && type_head(got)->kind == TYPE_BOOL)
		return "; logical or is `or`";
	if (strcmp(name, "^") == 0 && type_head(got)->kind == TYPE_FLOAT)
		return "; x to any power is `expt(x, y)`";
	if (strcmp(name, "elt") == 0 && type_head(want)->kind == TYPE_INT && is_seq_of(type_head(got), TYPE_INT))
		return "; `v -> i` takes the elements at several positions";
	return advise_value(want, got);
}

/* Do the two types stand for values that ==, < and their like do not take? */
static bool
no_scalars(Type *a, Type *b)
{
	return (a->kind >= TYPE_PAIR || a->kind == TYPE_BOOL) && (b->kind >= TYPE_PAIR || b->kind == TYPE_BOOL);
}

const char *
advise_operands(Arena *ar, const char *op, Type *a, Type *b)
{
	static const char *const equality[] = {"==", "/=", NULL}, *const order[] = {"<", "<=", ">", ">=", NULL},
		*const arithmetic[] = {"+", "-", "*", "/", NULL};

	a = type_head(a);
	b = type_head(b);
	if ((a->kind == TYPE_INT && b->kind == TYPE_FLOAT) || (a->kind == TYPE_FLOAT && b->kind == TYPE_INT))
		return advise_value(a->kind == TYPE_FLOAT ? a : b, a->kind == TYPE_FLOAT ? b : a);
	if (among(op, equality) && no_scalars(a, b))
		return "; `eql(x, y)` compares any two values";
	if (among(op, order) && a->kind == TYPE_BOOL)
		return "; several comparisons are joined by `and`: `x < y and y < z`";
	if (strcmp(op, "+") == 0 && is_seq_of(a, TYPE_CHAR) != is_seq_of(b, TYPE_CHAR))
		return "; `++` joins two sequences, and `@x` is the text of any value";
	if (among(op, arithmetic) && (a->kind == TYPE_SEQ || b->kind == TYPE_SEQ))
		return arena_printf(ar, "; %sfor elements of sequences it is `{x %s y : x in v; y in w}`",
			a->kind == b->kind && *op == '+' ? "`++` joins two sequences, " : "", op);
	if (strcmp(op, "++") == 0 && is_seq_of(a, TYPE_INT) && is_seq_of(b, TYPE_FLOAT))
		return advise_value(b, a);
	if (strcmp(op, "++") == 0)
		return a->kind == TYPE_SEQ ? advise_value(a, b) : advise_value(b, a);
	return a->kind == TYPE_CHAR ? advise_value(a, b) : b->kind == TYPE_CHAR ? advise_value(b, a) : "";
}

const char *
class_values(TypeClass cls)
{
	static const char *const values[] = {
		[CLASS_ANY] = "values", [CLASS_NUMBER] = "numbers", [CLASS_LOGICAL] = "bools or ints",
		[CLASS_ORDINAL] = "ints, floats or chars",
	};

	return values[cls];
}

/* Of sequences of variables, any number of times. */
static const char *
plural(Arena *ar, Type *t)
{
	t = type_head(t);
	if (t->kind == TYPE_VAR)
		return class_values(t->cls);
	return arena_printf(ar, "sequences of %s", plural(ar, t->a));
}

const char *
wanted_text(Arena *ar, Type *want, Type *got)
{
	static const char *const one[] = {
		[CLASS_ANY] = "a value", [CLASS_NUMBER] = "a number", [CLASS_LOGICAL] = "a bool or an int",
		[CLASS_ORDINAL] = "an int, float or char",
	};
	Type *t = want = type_head(want), *item;
	int nvar;

	while (t->kind == TYPE_SEQ)
		t = type_head(t->a);
	if (t->kind == TYPE_FUN && t == want && got && type_head(got)->kind != TYPE_FUN)
		return arena_printf(ar, "a function %s", type_text_inner(ar, want));
	if (t->kind != TYPE_VAR)
		return type_vars(ar, want, &nvar) && nvar ? type_text(ar, want) : type_text_inner(ar, want);
	if (want == t)
		return one[t->cls];
	item = type_head(want->a);
	if (item == t && t->cls == CLASS_ANY)
		return "a sequence";
	return arena_printf(ar, "a sequence of %s", item->kind == TYPE_SEQ && t->cls == CLASS_ANY && type_head(item->a) == t
		? "sequences" : plural(ar, item));
}

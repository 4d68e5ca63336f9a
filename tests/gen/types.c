/* types.c: chance, names and types of generated programs; signatures of rows, and their instances. */
#include "tests/gen/grow.h"
#include <string.h>

const Type t_int = {INT, 0, 0, 0}, t_float = {FLOAT, 0, 0, 0}, t_bool = {BOOL, 0, 0, 0},
	t_char = {CHAR, 0, 0, 0}, t_rough = {ROUGH, 0, 0, 0};

/* -- chance and text ---------------------------------------------------------------------------- */

int
below(Gen *g, int n)
{
	g->random ^= g->random << 13;
	g->random ^= g->random >> 7;
	g->random ^= g->random << 17;
	return (int)((g->random >> 11) % (uint64_t)n);
}

bool
chance(Gen *g, int percent)
{
	return below(g, 100) < percent;
}

const char *
new_name(Gen *g, const char *letter)
{
	return arena_printf(g->a, "%s%d", letter, ++g->fresh);
}

void
bind(Gen *g, const char *name, const Type *t)
{
	if (g->nname < MAXNAME)
		g->name[g->nname++] = (Name){name, t};
}

/* -- types -------------------------------------------------------------------------------------- */

const Type *
new_type(Gen *g, Kind kind, const Type *a, const Type *b)
{
	Type *t = NEW(g->a, Type, 1);

	*t = (Type){kind, a, b, 0};
	return t;
}

/* Of scalars, tuples, and sequences of both.  No floats, which would grow with each call. */
static const Type *
plain_type(Gen *g, int depth, bool seq)
{
	static const Type *const scalar[] = {&t_int, &t_int, &t_bool, &t_char};

	if (depth > 0 && seq && chance(g, 35))
		return new_type(g, SEQ, plain_type(g, 1, false), NULL);
	if (depth > 0 && chance(g, 22)) {
		const Type *b = plain_type(g, depth - 1, seq);

		return new_type(g, PAIR, plain_type(g, depth - 1, seq), b);
	}
	return scalar[below(g, 4)];
}

const Type *
random_type(Gen *g, int depth)
{
	static const Type *const scalar[] = {&t_int, &t_int, &t_int, &t_float, &t_bool, &t_char};

	if (g->plain)
		return plain_type(g, depth, true);
	if (depth > 0 && chance(g, 35))
		return new_type(g, SEQ, random_type(g, depth - 1), NULL);
	if (depth > 0 && chance(g, 22)) {
		const Type *b = random_type(g, depth - 1);

		return new_type(g, PAIR, random_type(g, depth - 1), b);
	}
	if (g->rough && chance(g, 25))
		return &t_rough;
	return scalar[below(g, 6)];
}

int
type_depth(const Type *t)
{
	if (t->kind == SEQ)
		return 1 + type_depth(t->a);
	if (t->kind == PAIR || t->kind == FUN) {
		int a = type_depth(t->a), b = type_depth(t->b);

		return a > b ? a : b;
	}
	return 0;
}

bool
same_type(const Type *s, const Type *t)
{
	if (s->kind != t->kind)
		return false;
	return (s->kind != SEQ && s->kind != PAIR)
	       || (same_type(s->a, t->a) && (s->kind == SEQ || same_type(s->b, t->b)));
}

const char *
type_name(Gen *g, const Type *t)
{
	static const char *const name[] = {"int", "float", "bool", "char", "float"};

	if (t->kind == SEQ)
		return arena_printf(g->a, "[%s]", type_name(g, t->a));
	if (t->kind == PAIR)
		return arena_printf(g->a, "(%s, %s)", type_name(g, t->a), type_name(g, t->b));
	return name[t->kind];
}

/* -- signatures --------------------------------------------------------------------------------- */

const Type *
sig_type(Gen *g, const char **p)
{
	static const char scalar[] = "ifbcr";
	static const Type *const type[] = {&t_int, &t_float, &t_bool, &t_char, &t_rough};
	char c = *(*p)++;
	const char *s = strchr(scalar, c);
	const Type *a, *b;
	Type *t;

	if (s)
		return type[s - scalar];
	if (c == '[') {
		a = sig_type(g, p);
		(*p)++;
		return new_type(g, SEQ, a, NULL);
	}
	if (c == '(') {
		a = sig_type(g, p);
		(*p)++;
		b = sig_type(g, p);
		(*p)++;
		return new_type(g, PAIR, a, b);
	}
	if (c == '{') {
		a = sig_type(g, p);
		b = sig_type(g, p);
		(*p)++;
		return new_type(g, FUN, a, b);
	}
	t = NEW(g->a, Type, 1);
	*t = (Type){ANY, NULL, NULL, c};
	return t;
}

static bool
has_rough(const Type *t)
{
	return t->kind == ROUGH || (t->a && has_rough(t->a)) || (t->b && has_rough(t->b));
}

static bool
in_class(Gen *g, char letter, const Type *t)
{
	switch (letter) {
	case 'n': return t->kind == INT || t->kind == FLOAT;
	case 'o': return t->kind == INT || t->kind == FLOAT || t->kind == CHAR;
	case 'l': return (t->kind == INT && g->concrete) || t->kind == BOOL;
	case 'E': return !has_rough(t);
	default: return true;
	}
}

bool
match(Gen *g, const Type *sig, const Type *t, const Type **var)
{
	if (sig->kind == ANY) {
		const Type **v = &var[(unsigned char)sig->letter];

		if (!*v && in_class(g, sig->letter, t))
			*v = t;
		return *v && same_type(*v, t);
	}
	if (sig->kind != t->kind)
		return false;
	return (sig->kind != SEQ && sig->kind != PAIR)
	       || (match(g, sig->a, t->a, var) && (sig->kind == SEQ || match(g, sig->b, t->b, var)));
}

const Type *
instance(Gen *g, const Type *sig, const Type **var)
{
	if (sig->kind == ANY) {
		const Type **v = &var[(unsigned char)sig->letter];

		while (!*v) {
			const Type *t = random_type(g, sig->letter < 'a' ? 2 : 0);

			if (in_class(g, sig->letter, t))
				*v = t;
		}
		return *v;
	}
	if (sig->kind == SEQ)
		return new_type(g, SEQ, instance(g, sig->a, var), NULL);
	if (sig->kind == PAIR || sig->kind == FUN) {
		const Type *b = instance(g, sig->b, var);

		return new_type(g, sig->kind, instance(g, sig->a, var), b);
	}
	return sig;
}

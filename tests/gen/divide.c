/* divide.c: functions that divide a sequence and call themselves for its parts, and loops that change one, for rows of few and of many
 * elements.
 *
 * How  if few are left: something; or, now and then, if something holds: something; else calls for one part or two, which have fewer
 *      elements together, and something of what they give; or, where rounds are counted, the next round, of something else.  All of that
 *      is plain (grow.h), so that most such functions can be run in nested form (flatten/small.c).
 * Sure What is given is cut where it could double with each call.  Parts are smaller; rounds are fewer than ROUNDS, some of which fill the
 *      room of a row (backend/rt/nesl_cpu_small.h). */
#include "tests/gen/grow.h"
#include <string.h>

enum { ROUNDS = 150 };

/* `e`, of type t, whose sequences have 40 elements at most. */
static const char *
bounded(Gen *g, const Type *t, const char *e)
{
	const char *z = new_name(g, "z");

	if (t->kind == SEQ)
		return arena_printf(g->a, "(let %s = %s in take(%s, min(#%s, 40)))", z, e, z, z);
	if (t->kind == PAIR)
		return arena_printf(g->a, "(let %s = %s in (%s, %s))", z, e, bounded(g, t->a, arena_printf(g->a, "first(%s)", z)),
			bounded(g, t->b, arena_printf(g->a, "rest(%s)", z)));
	return e;
}

/* Something plain of this type, of so many expressions at most. */
static const char *
something(Gen *g, const Type *t, int budget)
{
	g->budget = budget;
	return expr(g, t, 3);
}

/* Each element of v as another; or v. */
static const char *
changed(Gen *g, const Type *t, const char *v)
{
	int mark = g->nname;
	const char *p, *e;

	if (chance(g, 60))
		return v;
	p = pattern(g, t->a);
	e = something(g, t->a, 2);
	g->nname = mark;
	return arena_printf(g->a, "{%s : %s in %s}", e, p, v);
}

/* Two parts of v, which has more than `few` elements: they have fewer together, or as many in halves. */
static void
divided(Gen *g, const Type *t, const char *v, int few, const char *part[2])
{
	int mark = g->nname;
	const char *x = new_name(g, "x"), *only;

	if (few > 0 && chance(g, 40)) {
		part[0] = arena_printf(g->a, "take(%s, #%s / 2)", v, v);
		part[1] = arena_printf(g->a, "drop(%s, #%s / 2)", v, v);
	} else {
		bind(g, x, t->a);
		only = something(g, &t_bool, 3);
		g->nname = mark;
		part[0] = arena_printf(g->a, "{%s in drop(%s, 1) | %s}", x, v, only);
		part[1] = arena_printf(g->a, "{%s in drop(%s, 1) | not(%s)}", x, v, only);
	}
	part[0] = changed(g, t, part[0]);
	part[1] = changed(g, t, part[1]);
}

/* One of two calls, by a condition, and something of what the second gives. */
static const char *
call_in_arm(Gen *g, const char *fun, const char *const part[2], const char *more, const Type *result, const char *y)
{
	const int mark = g->nname;
	const char *cond = something(g, &t_bool, 2), *made;

	bind(g, y, result);
	made = bounded(g, result, something(g, result, 4));
	g->nname = mark;
	return arena_printf(g->a, "(if %s then %s(%s%s) else let %s = %s(%s%s) in %s)", cond, fun, part[0], more, y, fun, part[1], more, made);
}

/* Bindings of a and b: the calls for both parts, or for one of them twice what it gives. */
static const char *
calls(Gen *g, const char *fun, const char *const part[2], const char *more, const Type *result, const char *a, const char *b)
{
	const char *y = new_name(g, "y"), *u = new_name(g, "u");
	int way = below(g, 4);

	if (way == 0)
		return arena_printf(g->a, "%s = %s(%s%s); %s = %s(%s%s)", a, fun, part[0], more, b, fun, part[1], more);
	if (way == 1)
		return arena_printf(g->a, "%s = {%s(%s%s) : %s in [%s, %s]}; %s = %s[0]; %s = %s[1]", y, fun, u, more, u, part[0], part[1],
			a, y, b, y);
	if (way == 2)
		return arena_printf(g->a, "%s = %s; %s = %s", a, call_in_arm(g, fun, part, more, result, y), b, a);
	return arena_printf(g->a, "%s = %s(%s%s); %s = %s", a, fun, part[below(g, 2)], more, b, a);
}

/* What is given at the end: something, and of a loop what it has come to, v. */
static const char *
ending(Gen *g, const Type *result, int budget, const char *v)
{
	const char *e = something(g, result, budget);

	return v ? arena_printf(g->a, "(%s, %s)", v, e) : e;
}

/* What the next round of a loop has for v. */
static const char *
next_of(Gen *g, const Type *t, const char *v)
{
	switch (below(g, 5)) {
	case 0: return bounded(g, t, arena_printf(g->a, "%s ++ %s", v, something(g, t, 3)));
	case 1: return bounded(g, t, arena_printf(g->a, "%s ++ %s", something(g, t, 3), v));
	case 2: return arena_printf(g->a, "drop(%s, #%s / 2) ++ take(%s, #%s / 2)", v, v, v, v);
	case 3: return changed(g, t, v);
	default: return bounded(g, t, something(g, t, 5));
	}
}

/* The next round, of these and of k, of type w. */
static const char *
next_round(Gen *g, const char *fun, const Type *t, const char *v, const Type *w, const char *k, const char *n)
{
	const char *s = next_of(g, t, v);

	return arena_printf(g->a, "%s(%s, %s, %s - 1)", fun, s, chance(g, 40) ? k : bounded(g, w, something(g, w, 3)), n);
}

/* Rows of 0 to 70 elements. */
static const char *
rows_of(Gen *g, const Type *t)
{
	static const int most[] = {4, 4, 12, 12, 34, 70};
	const char *s = "", *k = new_name(g, "k"), *i = new_name(g, "i"), *e;
	int mark = g->nname;

	for (int n = 2 + below(g, 4); n > 0; n--)
		s = arena_printf(g->a, "%s%s%d", s, *s ? ", " : "", below(g, most[below(g, 6)]));
	bind(g, k, &t_int);
	bind(g, i, &t_int);
	e = something(g, t->a, 3);
	g->nname = mark;
	return arena_printf(g->a, "{{%s : %s in [0 : %s]} : %s in [%s]}", e, i, k, k, s);
}

const char *
divide(Gen *g)
{
	const int mark = g->nname, few = below(g, 3);
	const bool was_plain = g->plain, concrete = g->concrete, loops = chance(g, 40);
	Name outside[MAXNAME];
	const Type *t, *w, *result;
	const char *const fun = new_name(g, "divide"), *const v = new_name(g, "v"), *const k = new_name(g, "k"), *const a = new_name(g, "a"),
		*const b = new_name(g, "b"), *const r = new_name(g, "r"), *const m = new_name(g, "m"), *const x = new_name(g, "x");
	const char *part[2], *more, *base, *other = "", *text, *given, *with, *by_row, *with_rounds = x;

	g->plain = true;
	g->concrete = true;
	t = new_type(g, SEQ, random_type(g, 0), NULL);
	w = random_type(g, 2);
	result = random_type(g, 3);
	with = by_row = something(g, w, 3);
	if (chance(g, 60)) {
		bind(g, r, t);
		by_row = something(g, w, 3);
		g->nname = mark;
	}
	given = rows_of(g, t);
	memcpy(outside, g->name, sizeof outside);
	g->nname = 0;                   /* it reads no variables of the top level */
	bind(g, v, t);
	bind(g, k, w);
	if (loops)
		bind(g, a, &t_int);
	base = ending(g, result, 5, loops ? v : NULL);
	if (chance(g, 30))
		other = arena_printf(g->a, "  else if %s then %s\n", something(g, &t_bool, 2), ending(g, result, 4, loops ? v : NULL));
	if (loops) {
		if (chance(g, 40))
			other = arena_printf(g->a, "%s  else if %s then %s\n", other, something(g, &t_bool, 2), next_round(g, fun, t, v, w, k, a));
		text = arena_printf(g->a, "function %s(%s, %s, %s) : (%s, %s, int) -> (%s, %s) =\n  if %s <= 0 then %s\n%s  else %s;\n", fun, v, k, a,
			type_name(g, t), type_name(g, w), type_name(g, t), type_name(g, result), a, base, other, next_round(g, fun, t, v, w, k, a));
	} else {
		more = arena_printf(g->a, ", %s", chance(g, 70) ? k : bounded(g, w, something(g, w, 3)));
		divided(g, t, v, few, part);
		text = calls(g, fun, part, more, result, a, b);
		bind(g, a, result);
		bind(g, b, result);
		text = arena_printf(g->a, "function %s(%s, %s) : (%s, %s) -> %s =\n  if #%s <= %d then %s\n%s  else let %s in %s;\n", fun, v, k,
			type_name(g, t), type_name(g, w), type_name(g, result), v, few, base, other, text,
			bounded(g, result, something(g, result, 3 + 2 * g->size)));
	}
	memcpy(g->name, outside, sizeof outside);
	g->nname = mark;
	g->plain = was_plain;
	g->concrete = concrete;
	g->name[0].type = &t_int;
	if (loops) {
		by_row = arena_printf(g->a, "%s, mod(37 * #%s, %d)", by_row, r, ROUNDS);
		with_rounds = arena_printf(g->a, "%s, %d", x, below(g, 6));
	}
	return arena_printf(g->a, "%s%s = %s;\n%s = %s;\n{%s(%s, %s) : %s in %s};\n%s(%s[1], %s);\n%d;\n", text, m, given, x, with,
		fun, r, by_row, r, m, fun, m, with_rounds, below(g, 10));
}

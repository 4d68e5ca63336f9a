/* generate.c: a random well-typed NESL program for each seed.
 *
 * How   An expression of a wanted type is a variable, a literal, a construct of the language with
 *       expressions of the types that it needs, or a row of a table: a template with its signature.
 *       Everything stands in parentheses, names are never used twice, and sizes stay small.
 * Sure  Rows that may fault are marked; only some programs have them.  All others guard their operands.
 *       Floats are multiples of small powers of two, so that sums are exact however they are grouped. */
#include "tests/gen/generate.h"
#include "tests/gen/grow.h"

/* -- forms -------------------------------------------------------------------------------------- */

/* `: (types) -> type`, or nothing. */
static const char *
signature(Gen *g, const Fun *f)
{
	const char *s = "";

	if (!g->concrete)
		return s;
	for (int i = 0; i < f->n; i++)
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", type_name(g, f->param[i]));
	return arena_printf(g->a, " : (%s) -> %s", s, type_name(g, f->result));
}

static const char *
parameters(Gen *g, const Fun *f, const char **name)
{
	const char *s = "";

	for (int i = 0; i < f->n; i++) {
		name[i] = new_name(g, "x");
		bind(g, name[i], f->param[i]);
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", name[i]);
	}
	return s;
}

/* The arguments of the recursive call: one less, and something made of the rest. */
static const char *
smaller(Gen *g, const Fun *f, const char *const *name)
{
	const char *s = arena_printf(g->a, "%s - 1", name[0]);

	for (int i = 1; i < f->n; i++)
		s = arena_printf(g->a, "%s, %s", s, expr(g, f->param[i], 2));
	return s;
}

/* f(n - 1, ..) once, perhaps one of two such calls; as its own result; or for each element of a short sequence. */
static const char *
counting_body(Gen *g, const Fun *f, const char *const *name)
{
	int mark = g->nname, way = below(g, 3);
	const char *base = expr(g, f->result, 2), *y = new_name(g, "y"), *x = new_name(g, "x"), *again, *body;

	if (way == 2)
		bind(g, x, &t_int);
	again = arena_printf(g->a, "%s(%s)", f->name, smaller(g, f, name));
	if (way < 2 && chance(g, 30))
		again = arena_printf(g->a, "(if %s then %s(%s) else %s)", expr(g, &t_bool, 2), f->name, smaller(g, f, name), again);
	g->nname = mark;
	if (way == 0)
		return arena_printf(g->a, "if %s <= 0 then %s\n  else %s", name[0], base, again);
	if (way == 2)
		again = arena_printf(g->a, "{%s : %s in [0 : mod(%s, 3)]}", again, x, expr(g, &t_int, 2));
	bind(g, y, way == 2 ? new_type(g, SEQ, f->result, NULL) : f->result);
	body = expr(g, f->result, 3);
	return arena_printf(g->a, "if %s <= 0 then %s\n  else let %s = %s in %s", name[0], base, y, again, body);
}

/* Of a sequence: its halves, or all but its first element. */
static const char *
dividing_body(Gen *g, const Fun *f, const char *const *name)
{
	bool halves = chance(g, 60);
	const char *base = expr(g, f->result, 2), *y = new_name(g, "y"), *s = name[0], *again, *body;

	again = arena_printf(g->a, halves ? "{%s(h) : h in bottop(%s)}" : "%s(drop(%s, 1))", f->name, s);
	bind(g, y, halves ? new_type(g, SEQ, f->result, NULL) : f->result);
	body = expr(g, f->result, 3);
	return arena_printf(g->a, "if #%s <= 1 then %s\n  else let %s = %s in %s", s, base, y, again, body);
}

static const char *
function(Gen *g)
{
	int mark = g->nname, kind = below(g, 4);
	const char *name[MAXPARAM], *params, *body;
	Fun f = {.name = new_name(g, "fun"), .counts = kind == 1};

	f.n = 1 + below(g, MAXPARAM);
	f.result = random_type(g, 3);
	f.declared = chance(g, 65);
	g->concrete = f.declared;
	for (int i = 0; i < f.n; i++)
		f.param[i] = random_type(g, 3);
	if (kind == 1)
		f.param[0] = &t_int;
	if (kind == 2) {
		f.n = 1;
		f.param[0] = new_type(g, SEQ, random_type(g, 2), NULL);
	}
	g->budget = 4 + 2 * g->size + below(g, 4 * g->size);
	g->cost = 0;
	g->maxcost = 1;
	params = parameters(g, &f, name);
	body = kind == 1 ? counting_body(g, &f, name) : kind == 2 ? dividing_body(g, &f, name)
	     : expr(g, f.result, 2 + g->size);
	params = arena_printf(g->a, "function %s(%s)%s =\n  %s;\n", f.name, params, signature(g, &f), body);
	f.cost = g->cost + 1;
	g->fun[g->nfun++] = f;
	g->nname = mark;
	g->concrete = true;
	return params;
}

/* Another body for a function that is there, which those defined since then may call. */
static const char *
redefinition(Gen *g)
{
	int mark = g->nname, n = g->nfun, k = below(g, n);
	const Fun *f = &g->fun[k];
	const char *name[MAXPARAM], *params, *body;

	if (!f->declared)
		return "";
	g->budget = 10;
	g->maxcost = 1;
	g->nfun = k;
	params = parameters(g, f, name);
	body = expr(g, f->result, 4);
	g->nfun = n;
	g->nname = mark;
	return arena_printf(g->a, "function %s(%s)%s =\n  %s;\n", f->name, params, signature(g, f), body);
}

static const char *
entry(Gen *g, const Type *t)
{
	g->budget = 4 + below(g, 8 * g->size);
	g->maxcost = 2;
	return expr(g, t, 3 + g->size);
}

static const char *
global(Gen *g)
{
	const Type *t = random_type(g, 4);
	const char *e;

	if (g->nname > 1 && chance(g, 30)) {
		Name *old = &g->name[1 + below(g, g->nname - 1)];

		if (chance(g, 60))
			t = old->type;
		e = entry(g, t);
		old->type = t;
		return arena_printf(g->a, "%s = %s;\n", old->name, e);
	}
	e = entry(g, t);
	return arena_printf(g->a, "%s = %s;\n", pattern(g, t), e);
}

/* Sequences for the rest to work on. */
static const char *
data(Gen *g)
{
	const char *s = "";
	int n = 1 + below(g, 3);

	for (int i = 0; i < n; i++) {
		const Type *t = new_type(g, SEQ, random_type(g, 3), NULL);
		const char *v = literal(g, t);

		s = arena_printf(g->a, "%s%s = %s;\n", s, pattern(g, t), v);
	}
	return s;
}

static const char *
shown(Gen *g)
{
	const Type *t = random_type(g, 4);
	const char *e;

	if (chance(g, 60))
		t = new_type(g, SEQ, t, NULL);
	e = entry(g, t);
	g->name[0].type = t;
	return arena_printf(g->a, "%s;\n", e);
}

/* The elements of a sequence of sequences, two or three levels down, with all that is around them. */
static const char *
nest(Gen *g)
{
	int mark = g->nname, levels = 2 + below(g, 2);
	const Type *t = random_type(g, 2), *u = random_type(g, 2);
	const char *source = "[", *head = "", *tail = "", *only;

	g->budget = 4 + below(g, 4 * g->size);
	g->maxcost = 1;
	for (int i = 1; i < levels; i++)
		u = new_type(g, SEQ, u, NULL);
	for (int i = below(g, 3); i >= 0; i--)
		source = arena_printf(g->a, "%s%s%s", source, literal(g, u), i ? ", " : "]");
	u = new_type(g, SEQ, u, NULL);
	for (int i = 0; i < levels; i++) {
		const char *x = new_name(g, "r");

		head = arena_printf(g->a, "%s{", head);
		tail = arena_printf(g->a, " : %s in %s}%s", x, source, tail);
		u = u->a;
		g->inner = g->nname;
		bind(g, x, u);
		source = x;
		t = new_type(g, SEQ, t, NULL);
	}
	for (u = t; levels > 0; levels--)
		u = u->a;
	only = expr(g, u, 1 + g->size);
	g->inner = 0;
	g->nname = mark;
	g->name[0].type = t;
	return arena_printf(g->a, "%s%s%s;\n", head, only, tail);
}

/* Some values of a long sequence, and what can be made of them all in a few steps.  It is not left in `it`: a long
 * sequence for each element of another is more than there is memory for. */
static const char *
long_sequence(Gen *g)
{
	int mark = g->nname, n = 300 + below(g, 1200);
	const Type *t = random_type(g, 2), *seq = new_type(g, SEQ, t, NULL);
	const char *i = new_name(g, "i"), *v = new_name(g, "v"), *element, *all;

	g->budget = 6;
	g->maxcost = 0;
	bind(g, i, &t_int);
	element = expr(g, t, 4);
	g->nname = mark;
	bind(g, v, seq);
	all = from_table(g, seq, 1);
	g->nname = mark;
	g->name[0].type = &t_int;
	return arena_printf(g->a, "let %s = {%s : %s in [0 : %d]} in (%s, %s -> [0 : %d : 97]);\n%d;\n", v, element, i, n,
		all ? all : v, v, n, below(g, 10));
}

/* What is printed, in the order of the program: by what stands side by side, in an arm or in a loop. */
static const char *
effects(Gen *g)
{
	const Type *t = random_type(g, 3);
	const char *fun = new_name(g, "said"), *e = entry(g, t), *other = entry(g, t), *when = expr(g, &t_bool, 2);

	g->name[0].type = t;
	switch (below(g, 4)) {
	case 0: return arena_printf(g->a, "let a = printl(%s); b = print_line(@(%s)) in if b then a else %s;\n", e, when, other);
	case 1: return arena_printf(g->a, "let a = %s in if %s then print_debug(\"a\", a) else let b = print(%s) in a;\n", e, when, other);
	case 2:
		return arena_printf(g->a, "function %s(x, n) = if n <= 0 then x else let (m, y) = printl((n, x)) in %s(y, m - 1);\n"
			"let a = %s(%s, 2); b = print_string(\"a\") in if b then %s(%s, 1) else a;\n", fun, fun, fun, e, fun, other);
	default:
		return arena_printf(g->a, "function %s(x, n) = if n <= 0 then print(x) else let y = %s(x, n - 1); c = print_char(`+) in if c then y else x;\n"
			"let a = %s(%s, 2); (ok, m) = write_string(@(%s), stderr) in if ok then %s else a;\n", fun, fun, fun, e, when, other);
	}
}

bool
rough(uint64_t group)
{
	return group % 9 == 8;
}

/* Names are numbered from `fresh` on. */
static const char *
program(Gen *g, uint64_t seed, int fresh)
{
	const char *text;
	int n;

	g->random = seed * 0x9e3779b97f4a7c15u + 1;
	g->faulty = seed % 7 > 4;
	g->concrete = true;
	g->nname = g->nfun = g->inner = 0;
	g->fresh = fresh;
	g->size = 1 + (int)(seed % 5);
	n = 1 + below(g, 2 + g->size);
	g->risk = 8 + below(g, 30);
	/* name[0] is `it`, of the last value shown */
	bind(g, "it", &t_int);
	text = data(g);
	text = arena_printf(g->a, "%d;\n%s", below(g, 10), text);
	for (int i = 0; i < n; i++) {
		int r = below(g, 10);

		text = arena_printf(g->a, "%s%s", text,
			r < 3 || g->nfun == 0 ? function(g) : r < 4 ? redefinition(g) : r < 5 ? global(g) : r < 6 ? long_sequence(g)
			: r < 7 ? nest(g) : r < 8 ? chain(g) : shown(g));
	}
	if (chance(g, 25))
		text = arena_printf(g->a, "%s%s", text, divide(g));
	if (chance(g, 40))
		text = arena_printf(g->a, "%s%s", text, carry(g));
	if (chance(g, 10))
		text = arena_printf(g->a, "%s%s", text, effects(g));
	return arena_printf(g->a, "%s%s", text, shown(g));
}

const char *
generate_programs(Arena *a, uint64_t from, uint64_t to)
{
	Gen g = {.a = a, .defs = "", .rough = rough(from / GROUP)};
	const char *text = "";

	for (uint64_t seed = from; seed <= to; seed++)
		text = arena_printf(a, "%s%s", text, program(&g, seed, (int)(seed - from) * MAXFRESH));
	return arena_printf(a, "%s%s", g.defs, text);
}

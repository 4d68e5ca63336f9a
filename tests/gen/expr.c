/* expr.c: an expression of a wanted type: a variable or something made of it, a literal, a construct of the language
 * with expressions of the types that it needs, or a row of the table. */
#include "tests/gen/grow.h"
#include <string.h>

/* -- rows --------------------------------------------------------------------------------------- */

static void
need_def(Gen *g, const Row *row)
{
	if (!row->def || strstr(g->defs, row->def))
		return;
	g->defs = arena_printf(g->a, "%s%s\n", g->defs, row->def);
}

/* The row's text; `var` says what its letters are. */
static const char *
fill(Gen *g, const Row *row, const Type **operand, const Type **var, int depth)
{
	const char *out = "(";
	int fresh = ++g->fresh;

	for (const char *p = row->text; *p; p++) {
		if (*p == '$')
			out = arena_printf(g->a, "%s%s", out, expr(g, operand[*++p - '0'], depth - 1));
		else if (*p == '@' && p[1] != '@')
			out = arena_printf(g->a, "%s%d", out, fresh);
		else if (*p == 'A' || *p == 'E')
			out = arena_printf(g->a, "%s%s", out, type_name(g, var[(int)*p]));
		else
			out = arena_printf(g->a, "%s%c", out, *p == '@' ? *p++ : *p);
	}
	need_def(g, row);
	return arena_printf(g->a, "%s)", out);
}

/* An instance of the row that gives a t, or NULL. */
static const char *
try_row(Gen *g, const Row *row, const Type *t, int depth)
{
	const Type *var[128] = {NULL}, *operand[MAXPARAM + 1];
	const char *p = row->sig, *result = strchr(p, ':') + 1;
	int n = 0;

	if ((strchr(p, 'r') && !g->rough) || !match(g, sig_type(g, &result), t, var))
		return NULL;
	while (*p != ':') {
		operand[n] = instance(g, sig_type(g, &p), var);
		if (type_depth(operand[n++]) > 4)
			return NULL;
	}
	return fill(g, row, operand, var, depth);
}

const char *
from_table(Gen *g, const Type *t, int depth)
{
	bool risk = g->faulty && chance(g, g->risk);
	int first = risk ? nplain_risk : nplain, n = first + (g->plain ? 0 : risk ? nrisk : nrow);

	for (int i = 0; i < 300; i++) {
		int k = below(g, n);
		const Row *row = k < first ? (risk ? plain_risks : plain) + k : (risk ? risks : rows) + k - first;
		const char *s = try_row(g, row, t, depth);

		if (s)
			return s;
	}
	return NULL;
}

/* -- leaves ------------------------------------------------------------------------------------- */

static const char *
int_literal(Gen *g)
{
	static const char *const odd[] = {"max_int", "min_int", "1000000007", "(-65536)", "4294967301"};
	int n;

	if (chance(g, 3))
		return odd[below(g, 5)];
	n = below(g, 10);
	return arena_printf(g->a, chance(g, 20) ? "(-%d)" : "%d", n);
}

static const char *
float_literal(Gen *g)
{
	int half = 5 * below(g, 2), n = below(g, 9);

	return arena_printf(g->a, chance(g, 20) ? "(-%d.%d)" : "%d.%d", n, half);
}

static const char *
seq_literal(Gen *g, const Type *t)
{
	int n = chance(g, 25) ? 0 : 1 + below(g, 4);
	const char *s = "[";

	if (n == 0)
		return arena_printf(g->a, "([] %s)", type_name(g, t->a));
	if (t->a->kind == CHAR && chance(g, 60))
		return arena_printf(g->a, "\"%.*s\"", n, &"a Zb9q"[below(g, 3)]);
	for (int i = 0; i < n; i++)
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", literal(g, t->a));
	return arena_printf(g->a, "%s]", s);
}

const char *
literal(Gen *g, const Type *t)
{
	const char *b;

	switch (t->kind) {
	case INT: return int_literal(g);
	case FLOAT: return float_literal(g);
	case BOOL: return chance(g, 50) ? "t" : "f";
	case CHAR: return arena_printf(g->a, "`%c", "abcxyzAZ09"[below(g, 10)]);
	case ROUGH: return arena_printf(g->a, chance(g, 20) ? "(-%d.%d)" : "%d.%d", below(g, 9), 1 + below(g, 8));
	case PAIR:
		b = literal(g, t->b);
		return arena_printf(g->a, "(%s, %s)", literal(g, t->a), b);
	case SEQ:
	case FUN:
	case ANY: break;
	}
	return seq_literal(g, t);
}

/* A variable's part, or something made of it, that is a t; or NULL. */
static const char *
derive(Gen *g, const Name *v, const Type *t)
{
	int n;

	if (same_type(v->type, t))
		return v->name;
	if (v->type->kind == PAIR && same_type(v->type->a, t))
		return arena_printf(g->a, "first(%s)", v->name);
	if (v->type->kind == PAIR && same_type(v->type->b, t))
		return arena_printf(g->a, "rest(%s)", v->name);
	if (v->type->kind == SEQ && t->kind == INT)
		return arena_printf(g->a, "(#%s)", v->name);
	if (v->type->kind == SEQ && same_type(v->type->a, t)) {
		n = below(g, 4);
		return arena_printf(g->a, "([%s] ++ %s)[min(#%s, %d)]", literal(g, t), v->name, v->name, n);
	}
	if (v->type->kind == INT && t->kind == BOOL) {
		n = 2 + below(g, 3);
		return arena_printf(g->a, chance(g, 50) ? "(%s > %d)" : "(mod(%s, %d) == 1)", v->name, n);
	}
	if (v->type->kind == FLOAT && t->kind == BOOL)
		return arena_printf(g->a, "(%s < %d.0)", v->name, below(g, 5));
	return NULL;
}

/* An int made of x, which is a t; NULL of what nothing may be decided by. */
static const char *
int_of(Gen *g, const Type *t, const char *x)
{
	static const char *const made[] = {[INT] = "%s", [FLOAT] = "trunc(%s)", [BOOL] = "btoi(%s)", [CHAR] = "char_code(%s)", [SEQ] = "(#%s)"};

	if (t->kind == PAIR)
		return chance(g, 50) ? int_of(g, t->a, arena_printf(g->a, "first(%s)", x))
		                     : int_of(g, t->b, arena_printf(g->a, "rest(%s)", x));
	if (t->kind == ROUGH || t->kind == FUN)
		return NULL;
	return arena_printf(g->a, made[t->kind], x);
}

/* A literal that becomes another in each row, by the int i. */
static const char *
varied(Gen *g, const Type *t, const char *i)
{
	static const char *const seq[] = {"rotate(%s, %s)", "take(%s, mod(%s, 2))", "drop(%s, mod(%s, 2))"};
	const char *b;
	int k;

	switch (t->kind) {
	case INT: return arena_printf(g->a, "(%s + %s)", i, int_literal(g));
	case FLOAT: return arena_printf(g->a, "(float(rem(%s, 8)) + %s)", i, float_literal(g));
	case BOOL: return arena_printf(g->a, "(mod(%s, %d) == 1)", i, 2 + below(g, 3));
	case CHAR: return arena_printf(g->a, "code_char(97 + mod(%s, 26))", i);
	case ROUGH: return arena_printf(g->a, "(float(rem(%s, 8)) / 3.0)", i);
	case PAIR:
		b = varied(g, t->b, i);
		return arena_printf(g->a, "(%s, %s)", varied(g, t->a, i), b);
	case SEQ:
	case FUN:
	case ANY: break;
	}
	if (chance(g, 30))
		return arena_printf(g->a, "dist(%s, mod(%s, 4))", varied(g, t->a, i), i);
	k = below(g, 3);
	b = literal(g, t);
	return arena_printf(g->a, seq[strchr(b, ' ') && b[0] == '(' ? 0 : k], b, i);
}

/* By a variable of the innermost apply-to-each; NULL if there is none that serves. */
static const char *
of_row(Gen *g, const Type *t)
{
	const Name *v = g->inner && g->nname > g->inner ? &g->name[g->inner + below(g, g->nname - g->inner)] : NULL;
	const char *i = v ? int_of(g, v->type, v->name) : NULL;

	return i ? varied(g, t, i) : NULL;
}

/* Later variables, those of inner loops, more often. */
static const char *
leaf(Gen *g, const Type *t)
{
	const char *s = chance(g, 25) ? of_row(g, t) : NULL;

	for (int i = 0; !s && g->nname > 0 && i < 12; i++) {
		int back = below(g, g->nname), again = below(g, g->nname);

		s = derive(g, &g->name[g->nname - 1 - (back < again ? back : again)], t);
	}
	if (!s && chance(g, 75))
		s = of_row(g, t);
	return s ? s : literal(g, t);
}

/* -- constructs --------------------------------------------------------------------------------- */

/* Binds names for a value of type t; the pattern. */
const char *
pattern(Gen *g, const Type *t)
{
	const char *a;

	if (t->kind == PAIR && chance(g, 65)) {
		a = pattern(g, t->a);
		return arena_printf(g->a, "(%s, %s)", a, pattern(g, t->b));
	}
	a = new_name(g, "x");
	bind(g, a, t);
	return a;
}

static const char *
let(Gen *g, const Type *t, int depth)
{
	int mark = g->nname, n = 1 + below(g, 2);
	const char *s = "(let ";

	for (int i = 0; i < n; i++) {
		const Type *u = random_type(g, 3);
		const char *e = expr(g, u, depth - 1);

		s = arena_printf(g->a, "%s%s = %s; ", s, pattern(g, u), e);
	}
	s = arena_printf(g->a, "%sin %s)", s, expr(g, t, depth - 1));
	g->nname = mark;
	return s;
}

/* Conditions are short; the last arm may be one more conditional. */
static const char *
branch(Gen *g, const Type *t, int depth)
{
	const char *c = expr(g, &t_bool, depth - 1 < 2 ? depth - 1 : 2), *a = expr(g, t, depth - 1);

	return arena_printf(g->a, "(if %s then %s else %s)", c, a, chance(g, 30) ? branch(g, t, depth - 1) : expr(g, t, depth - 1));
}

/* One more source, as long as the sequence s of element type t. */
static const char *
companion(Gen *g, const char *s, const Type *t, const Type **u, int depth)
{
	int mark = g->nname;
	const char *p, *e;

	*u = t;
	switch (below(g, 5)) {
	case 0: return arena_printf(g->a, "reverse(%s)", s);
	case 1: return arena_printf(g->a, "rotate(%s, %s)", s, leaf(g, &t_int));
	case 2: *u = &t_int; return arena_printf(g->a, "[0 : #%s]", s);
	case 3: *u = random_type(g, 2); return arena_printf(g->a, "dist(%s, #%s)", expr(g, *u, depth - 1), s);
	default: *u = random_type(g, 2); break;
	}
	p = pattern(g, t);
	e = expr(g, *u, depth - 1);
	g->nname = mark;
	return arena_printf(g->a, "{%s : %s in %s}", e, p, s);
}

static const char *
sources(Gen *g, const char *s, const Type *t, int depth)
{
	const char *out, *more[2], *p;
	const Type *u[2];
	int n = chance(g, 35) ? 1 + below(g, 2) : 0;

	for (int i = 0; i < n; i++)
		more[i] = companion(g, s, t, &u[i], depth);
	if (chance(g, 10) && g->nname < MAXNAME) {
		bind(g, s, t);
		out = s;
	} else {
		p = pattern(g, t);
		out = arena_printf(g->a, "%s in %s", p, s);
	}
	for (int i = 0; i < n; i++) {
		p = pattern(g, u[i]);
		out = arena_printf(g->a, "%s; %s in %s", out, p, more[i]);
	}
	return out;
}

static const char *
apply_to_each(Gen *g, const Type *t, int depth)
{
	int mark = g->nname, inner = g->inner;
	bool same = chance(g, 20);
	const Type *u = same ? t->a : random_type(g, g->plain ? 0 : 3);
	const char *e = expr(g, new_type(g, SEQ, u, NULL), depth - 1), *s = new_name(g, "s"), *from, *body, *only;

	if (same) {
		const char *x = new_name(g, "x");

		g->inner = mark;
		bind(g, x, u);
		only = expr(g, &t_bool, depth - 1);
		g->inner = inner;
		g->nname = mark;
		return arena_printf(g->a, "{%s in %s | %s}", x, e, only);
	}
	from = sources(g, s, u, depth);
	g->inner = mark;
	body = expr(g, t->a, depth - 1);
	only = chance(g, 30) ? arena_printf(g->a, " | %s", expr(g, &t_bool, depth - 1)) : "";
	g->inner = inner;
	g->nname = mark;
	return arena_printf(g->a, "(let %s = %s in {%s%s : %s%s})", s, e, chance(g, 4) ? "* " : "", body, from, only);
}

static const char *
tuple(Gen *g, const Type *t, int depth)
{
	const char *a = expr(g, t->a, depth - 1);

	return arena_printf(g->a, "(%s, %s)", a, expr(g, t->b, depth - 1));
}

static const char *
items(Gen *g, const Type *t, int depth)
{
	int n = 1 + below(g, 3);
	const char *s = "[";

	for (int i = 0; i < n; i++)
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", expr(g, t->a, depth - 1));
	return arena_printf(g->a, "%s]", s);
}

static const char *
arguments(Gen *g, const Fun *f, int depth)
{
	const char *s = "";

	if (f->n == 2 && !f->counts && chance(g, 25))
		return expr(g, new_type(g, PAIR, f->param[0], f->param[1]), depth - 1);
	for (int i = 0; i < f->n; i++) {
		const char *e = expr(g, f->param[i], depth - 1);

		if (i == 0 && f->counts)
			e = arena_printf(g->a, "mod(%s, 4)", e);
		s = arena_printf(g->a, "%s%s%s", s, i ? ", " : "", e);
	}
	return s;
}

/* A call of a function that the program has defined, or NULL. */
static const char *
call(Gen *g, const Type *t, int depth)
{
	int first = g->nfun ? below(g, g->nfun) : 0;

	for (int i = 0; i < g->nfun; i++) {
		const Fun *f = &g->fun[(first + i) % g->nfun];

		if (!same_type(f->result, t) || f->cost > g->maxcost)
			continue;
		if (f->cost > g->cost)
			g->cost = f->cost;
		return arena_printf(g->a, "%s(%s)", f->name, arguments(g, f, depth));
	}
	return NULL;
}

/* A function that the program has defined, or one without a name.  In it classes may clash: its parameter's type is
 * found out from its body. */
static const char *
function_value(Gen *g, const Type *t, int depth)
{
	int mark = g->nname;
	bool concrete = g->concrete;
	const char *p, *e;

	for (int i = 0; i < g->nfun; i++) {
		const Fun *f = &g->fun[i];

		if (f->n != 1 || f->counts || f->cost > g->maxcost || !same_type(f->param[0], t->a)
		    || !same_type(f->result, t->b) || chance(g, 40))
			continue;
		if (f->cost > g->cost)
			g->cost = f->cost;
		return f->name;
	}
	g->concrete = false;
	p = pattern(g, t->a);
	e = expr(g, t->b, depth);
	g->concrete = concrete;
	g->nname = mark;
	return arena_printf(g->a, "(%s => %s)", p, e);
}

const char *
expr(Gen *g, const Type *t, int depth)
{
	int r = below(g, 100);
	const char *s = NULL;

	if (t->kind == FUN)
		return function_value(g, t, depth);
	if (depth <= 0 || g->budget <= 0 || r < 12)
		return leaf(g, t);
	g->budget--;
	if (r < 22)
		return let(g, t, depth);
	if (r < 34)
		return branch(g, t, depth);
	if (r < 65 && t->kind == SEQ)
		return r < 37 ? items(g, t, depth) : apply_to_each(g, t, depth);
	if (r < 60 && t->kind == PAIR)
		return tuple(g, t, depth);
	if (r < 75 && !g->plain)
		s = call(g, t, depth);
	if (!s)
		s = from_table(g, t, depth);
	return s ? s : leaf(g, t);
}

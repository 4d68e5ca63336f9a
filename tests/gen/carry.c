/* carry.c: a loop that carries a sequence, or two, on the host and in each element of an apply-to-each.
 *
 * How  Rounds take elements off, put some in and look at some, in any order, at any version that they have made: what may be done in
 *      place, and what may not as something still looks at what was there (memmgmt/order.c, piece.c, rows.c, flatten/store.c).  Parts of a
 *      version, and what is made of its elements, are kept beside it, by functions that give both, in the other sequence of the loop, or
 *      in the round.  No version is empty, so nothing fails.  A loop has few kinds of steps, so that it may be one of those that only put
 *      in. */
#include "tests/gen/grow.h"
#include <string.h>

enum { MOST = 10, STEPS = 3 };   /* versions in a round; kinds of steps */

typedef struct {
	const char *name;
	bool first;                     /* is it one of the first sequence? */
} Version;

typedef struct {
	Gen *g;
	int kind;
	Version version[MOST];
	int n;
	const char *v, *x;              /* the version and the element at hand */
	const char *look, *looks;       /* the last number that was looked at; NULL: none was; all of them, to be added */
	bool puts;                      /* do all steps only put? */
	const char *step[STEPS];        /* those of this loop */
	const char *helper;             /* does steps in a loop of its own */
	const char *both;               /* gives a version and a part of it, or of what it was, or of another; NULL: there is none */
	int shape;                      /* of what that gives */
	bool tells;                     /* a number that it looked at, rather than a part */
} Carry;

/* What is carried: elements of a number $n; a number of an element $x; what there is at first; each element of $v as another. */
static const struct {
	const char *element[3], *number, *first[2], *each[3];
} kinds[] = {
	{{"$n", "$n - i", "mod($n, 7)"}, "$x", {"[3, 0, 4, 7, 1]", "[5]"}, {"{z - 1 : z in $v}", "{max(z, $n) : z in $v}", "{mod(z, 5) : z in $v}"}},
	{{"($n, t)", "($n, mod($n, 2) == 0)", "($n + i, f)"}, "(let (p, q) = $x in if q then p else 1)", {"[(3, t), (1, f), (0, t), (5, t)]", "[(2, t)]"},
		{"{(p, not(q)) : (p, q) in $v}", "{(p + $n, q) : (p, q) in $v}", "{(p, p > $n) : (p, q) in $v}"}},
	{{"[$n]", "[0:mod($n, 3)]", "[$n, i, i]"}, "(sum($x) + #$x)", {"[[1], [2, 3]]", "[[] int]"},
		{"{take(r ++ [#r], min(#r + 1, 4)) : r in $v}", "{[$n] ++ drop(r, min(#r, 1)) : r in $v}", "{{z - 1 : z in r} : r in $v}"}},
	{{"[($n, t)]", "[(i, f), ($n, i == 3)]", "dist(($n, t), mod($n, 3))"}, "sum({if q then p else 2 : (p, q) in $x})",
		{"[[(1, t)], [(2, f), (3, t)]]", "[[(4, f)]]"},
		{"{[(#r, f)] ++ drop(r, min(#r, 1)) : r in $v}", "{{(p + $n, not(q)) : (p, q) in r} : r in $v}", "{take(r, min(#r, 1)) : r in $v}"}},
};

enum { SCALARS = 2 };           /* the first kinds, whose rows may be stores */

/* The next version of $v, by elements $e; $k is a number, $c a condition, $h a function of $v and a number.  The first only put
 * elements into it, or behind it. */
static const char *const steps[] = {
	"$v ++ [$e]", "$v ++ [$e, $e]", "rep($v, $e, mod($k, #$v))", "rep($v, $e, mod($k, #$v))", "rep($v, $v[mod($k, #$v)], 0)",
	"rep(rep($v, $e, 0), $e, mod($k, #$v))", "$v <- [(0, $e), (mod($k, #$v), $e)]", "$v <- {(mod(j, #$v), $e) : j in [0:mod($k, 4)]}",
	"(if $c then rep($v, $e, mod($k, #$v)) else $v ++ [$e])", "(if $c then $v else $v ++ [$e])", "$h($v, mod($k, 3))", "$h($v, 1) ++ [$e]",
	"[$e] ++ $v", "(if #$v > 1 then take($v, #$v - 1) else $v)", "take($v, #$v - 1) ++ [$e, $e]", "take($v, #$v - 1) ++ [$e]",
	"drop($v, 1) ++ [$e]", "subseq($v, 0, #$v - 1) ++ [$v[#$v - 1], $e]", "(if $c then take($v, #$v - 1) ++ [$e] else rep($v, $e, 0))",
	"(if #$v > 2 then drop($v, 2) else $v) ++ [$e]", "$h(drop($v, 1) ++ [$e], 1)", "rotate($v, 1)",
};

enum { PUTS = 12 };

/* Parts of $v, none of them empty; and what is made of its elements, or of those of another version $o. */
static const char *const parts[] = {"$v", "take($v, 1 + mod($k, #$v))", "drop($v, mod($k, #$v))", "subseq($v, #$v - 1, #$v)", "[$e]"};
static const char *const made[] = {"$d", "$d", "reverse($v)", "{z in $v | $z > $n} ++ [$e]", "(if $c then $v else $o)", "(if $c then $d else $o)",
	"{$o[mod(j, #$o)] : j in [0:#$v]}", "$v -> {#$v - j : j in [1:#$v]} ++ [$e]"};

/* How a version $w, a part $p and a number are given together. */
static const char *const shapes[] = {"($w, $p)", "($p, $w)", "(($w, $n), $p)", "($p, ($n, $w))"};

/* What is looked at: $m is a number of some element of $v, $z of z. */
static const char *const looks[] = {"$m", "$m", "$m + #$v", "#$v", "sum({$z : z in $v})", "(if $c then $m else #$v)", "max($m, $m)"};

#define ONE_OF(c, list) list[below((c)->g, sizeof list / sizeof *list)]

static const char *
number(Carry *c)
{
	static const char *const of[] = {"i", "a", "a", "i + a", "3"};

	return c->look && chance(c->g, 40) ? c->look : ONE_OF(c, of);
}

/* The newest of the first sequence, or of the others. */
static const char *
newest(const Carry *c, bool first)
{
	int i = c->n - 1;

	while (i > 0 && c->version[i].first != first)
		i--;
	return c->version[i].name;
}

/* The newest, mostly: who only puts may do so where it is if nobody looks at what was there. */
static const char *
version(Carry *c)
{
	return chance(c->g, c->puts ? 92 : 75) ? newest(c, chance(c->g, 75)) : c->version[below(c->g, c->n)].name;
}

static const char *with(Carry *c, const char *text);

/* A number of v's element there. */
static const char *
number_at(Carry *c, const char *v, const char *place)
{
	c->x = arena_printf(c->g->a, "%s[%s]", v, place);
	return with(c, kinds[c->kind].number);
}

/* .. where the newest version tells, which must be there before: the first, or any. */
static const char *
number_told(Carry *c, const char *v)
{
	const char *n = number_at(c, newest(c, true), "0");

	return number_at(c, v, arena_printf(c->g->a, chance(c->g, 50) ? "mod(%s, 2) / 2" : "mod(%s, #%s)", n, v));
}

/* What $ and this letter stand for. */
static const char *
meaning(Carry *c, char letter)
{
	Arena *a = c->g->a;

	switch (letter) {
	case 'v': return c->v;
	case 'h': return c->helper;
	case 'x': return c->x;
	case 'e': return with(c, ONE_OF(c, kinds[c->kind].element));
	case 'd': return with(c, ONE_OF(c, kinds[c->kind].each));
	case 'o': return c->version[below(c->g, c->n)].name;
	case 'c': return arena_printf(a, "mod(i + %s, %d) == 0", number(c), 2 + below(c->g, 2));
	case 'm':
		if (chance(c->g, 40))
			return number_told(c, c->v);
		return number_at(c, c->v, chance(c->g, 50) ? "0" : arena_printf(a, "#%s - 1", c->v));
	case 'z': c->x = "z"; return with(c, kinds[c->kind].number);
	default: return number(c);
	}
}

static const char *
with(Carry *c, const char *text)
{
	const char *out = "", *at;

	for (; (at = strchr(text, '$')); text = at + 2)
		out = arena_printf(c->g->a, "%s%.*s%s", out, (int)(at - text), text, meaning(c, at[1]));
	return arena_printf(c->g->a, "%s%s", out, text);
}

static const char *
step(Carry *c, const char *v)
{
	c->v = v;
	return with(c, ONE_OF(c, c->step));
}

static const char *
part(Carry *c, const char *v)
{
	c->v = v;
	return with(c, chance(c->g, 70) ? ONE_OF(c, parts) : ONE_OF(c, made));
}

static const char *
any_step(Carry *c)
{
	if (c->puts)
		return steps[below(c->g, PUTS)];
	return chance(c->g, 10) ? ONE_OF(c, kinds[c->kind].each) : ONE_OF(c, steps);
}

static void
pick_steps(Carry *c)
{
	for (int i = 0; i < STEPS; i++)
		c->step[i] = i == 0 || chance(c->g, 50) ? any_step(c) : c->step[0];
}

static const char *
together(Carry *c, const char *w, const char *p, const char *n)
{
	const char *out = "", *text = shapes[c->shape], *at;

	for (; (at = strchr(text, '$')); text = at + 2)
		out = arena_printf(c->g->a, "%s%.*s%s", out, (int)(at - text), text, at[1] == 'w' ? w : at[1] == 'p' ? p : n);
	return arena_printf(c->g->a, "%s%s", out, text);
}

static void
add(Carry *c, const char *name, bool first)
{
	c->version[c->n++] = (Version){name, first};
}

static bool
is_first(const Carry *c, const char *name)
{
	int i = 0;

	while (strcmp(c->version[i].name, name) != 0)
		i++;
	return c->version[i].first;
}

static void
looked_at(Carry *c, const char *name)
{
	c->look = name;
	c->looks = arena_printf(c->g->a, "%s + %s", c->looks, name);
}

static const char *
look(Carry *c, const char *number)
{
	const char *name = new_name(c->g, "k");

	looked_at(c, name);
	return arena_printf(c->g->a, "  %s = mod(%s, 89);\n", name, number);
}

static const char *
next_version(Carry *c, const char *v)
{
	const char *const w = new_name(c->g, "w"), *const text = arena_printf(c->g->a, "  %s = %s;\n", w, step(c, v));

	add(c, w, is_first(c, v));
	return text;
}

/* A version of v and a part, or a number: that is looked at when another version is there, mostly. */
static const char *
next_of_both(Carry *c, const char *v)
{
	const char *const w = new_name(c->g, "w"), *const p = new_name(c->g, "p"), *text = together(c, w, p, new_name(c->g, "n"));
	const char *const q = part(c, chance(c->g, 70) ? v : version(c));

	text = arena_printf(c->g->a, "  %s = %s(%s, %s, %s);\n", text, c->both, v, q, number(c));
	if (c->tells) {
		add(c, w, is_first(c, v));
		looked_at(c, p);
		return text;
	}
	add(c, p, false);
	add(c, w, is_first(c, v));
	if (c->n == MOST || chance(c->g, 15))
		return text;
	text = arena_printf(c->g->a, "%s%s", text, next_version(c, w));
	return arena_printf(c->g->a, "%s%s", text, look(c, number_told(c, p)));
}

/* Bindings of a round: up to so many times a version, and what is looked at. */
static const char *
round_of(Carry *c, int most)
{
	const char *text = "";

	for (int i = 1 + below(c->g, most); i > 0 && c->n < MOST; i--) {
		const char *v = version(c);

		text = arena_printf(c->g->a, "%s%s", text, c->both && c->n + 2 <= MOST && chance(c->g, 60) ? next_of_both(c, v) : next_version(c, v));
		if (chance(c->g, 60)) {
			c->v = version(c);
			text = arena_printf(c->g->a, "%s%s", text, look(c, with(c, ONE_OF(c, looks))));
		}
	}
	return text;
}

static void
begin(Carry *c, const char *v)
{
	c->n = 0;
	c->look = NULL;
	c->looks = "";
	pick_steps(c);
	add(c, v, true);
}

/* A function of a version and a part, perhaps of that, that gives a version, and a part or a number of one of them; or a loop of its
 * own does. */
static const char *
both(Carry *c)
{
	Gen *g = c->g;
	const char *const name = new_name(g, "both"), *const loop = new_name(g, "both"), *w, *p, *seen;

	begin(c, "v");
	add(c, "q", false);
	c->shape = below(g, sizeof shapes / sizeof *shapes);
	c->tells = chance(g, 50);
	c->both = name;
	w = step(c, "v");
	add(c, "w", true);
	c->v = chance(g, 70) == c->tells ? "q" : chance(g, 75) ? "w" : "v";
	seen = !c->tells ? part(c, c->v) : chance(g, 50) ? number_told(c, c->v) : with(c, ONE_OF(c, looks));
	if (chance(g, 70))
		return arena_printf(g->a, "function %s(v, q, i) = let a = #v; w = %s in %s;\n", name, w, together(c, "w", seen, "a"));
	p = chance(g, 50) ? "p" : seen;
	c->n = 2;                       /* outside of the loop there is no w */
	return arena_printf(g->a, "function %s(v, q, p, i) = if i <= 0 then %s else let a = #v; w = %s in %s(w, q, %s, i - 1);\n"
		"function %s(v, q, i) = let a = #v in %s(v, q, %s, mod(i, 3));\n", loop, together(c, "v", "p", "i"), w, loop, p, name, loop,
		c->tells ? "a" : part(c, "q"));
}

/* The next round of a loop, of one sequence or (two) of both. */
static const char *
jump(Carry *c, const char *name, bool two)
{
	Gen *g = c->g;
	const char *s = newest(c, true), *u = chance(g, 60) ? newest(c, false) : part(c, version(c));

	if (chance(g, c->puts ? 5 : 25))
		s = version(c);
	if (chance(g, 30))
		s = arena_printf(g->a, "(if %s then %s else %s)", with(c, "$c"), s, c->puts ? newest(c, true) : version(c));
	if (two)
		s = arena_printf(g->a, "%s, %s", s, u);
	return arena_printf(g->a, "%s(%s, i - 1, mod(%s + a%s, 97))", name, s, number(c), c->looks);
}

const char *
carry(Gen *g)
{
	const bool puts = chance(g, 50), two = chance(g, 50);
	Carry c = {.g = g, .kind = puts ? below(g, SCALARS) : below(g, sizeof kinds / sizeof *kinds), .puts = puts, .helper = "rotate"};
	const char *const name = new_name(g, "carry"), *const helper = new_name(g, "carry"), *const *first = kinds[c.kind].first;
	const char *text = chance(g, 80) ? both(&c) : "", *next;

	begin(&c, "v");
	next = round_of(&c, 2);
	text = arena_printf(g->a, "%sfunction %s(v, i) = if i <= 0 then v else let a = #v;\n%s  in %s(%s, i - 1);\n", text, helper, next, helper,
		newest(&c, true));
	c.helper = helper;
	begin(&c, "s");
	if (two)
		add(&c, "u", false);
	next = round_of(&c, puts ? 3 : 5);
	text = arena_printf(g->a, "%sfunction %s(s, %si, a) = if i <= 0 then (s, %sa) else let\n%s", text, name, two ? "u, " : "", two ? "u, " : "",
		next);
	next = jump(&c, name, two);
	if (chance(g, 30))
		next = arena_printf(g->a, "if %s then %s\n  else %s", with(&c, "$c"), next, jump(&c, name, two));
	text = arena_printf(g->a, "%s  in %s;\nv = %s;\n%s(v, %s%d, 1);\nv;\n", text, next, first[0], name, two ? "v, " : "", below(g, 9));
	g->name[0].type = &t_int;
	return arena_printf(g->a, "%s{%s(s, %si, #s) : s in [%s, %s, %s]; i in [%d, 0, %d]};\n%d;\n", text, name,
		two ? arena_printf(g->a, "%s, ", chance(g, 50) ? "s" : first[1]) : "", first[0], first[1], first[0], 2 + below(g, 7), 2 + below(g, 7),
		below(g, 10));
}

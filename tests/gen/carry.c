/* carry.c: a loop that carries a sequence, on the host and in each element of an apply-to-each.
 *
 * How  Rounds take elements off, put some in and look at some, in any order, at any version that they have made: what may be done in
 *      place, and what may not as something still looks at what was there (memmgmt/order.c, piece.c, flatten/store.c).  No version is
 *      empty, so nothing fails.  A loop has few kinds of steps, so that it may be one of those that only put in. */
#include "tests/gen/grow.h"
#include <string.h>

enum { MOST = 6, STEPS = 3 };   /* versions in a round; kinds of steps */

typedef struct {
	Gen *g;
	int kind;
	const char *version[MOST];
	int n;
	const char *v, *x;              /* the version and the element at hand */
	const char *look;               /* a number that was looked at; NULL: none was */
	const char *step[STEPS];        /* those of this loop */
	const char *helper;             /* does a step in a loop of its own */
} Carry;

/* What is carried: elements of a number $n; a number of an element $x; what there is at first. */
static const struct {
	const char *element[3], *number, *first[2];
} kinds[] = {
	{{"$n", "$n - i", "mod($n, 7)"}, "$x", {"[3, 1, 4, 1]", "[5]"}},
	{{"($n, t)", "($n, mod($n, 2) == 0)", "($n + i, f)"}, "(let (p, q) = $x in if q then p else 1)", {"[(3, t), (1, f)]", "[(2, t)]"}},
	{{"[$n]", "[0:mod($n, 3)]", "[$n, i, i]"}, "(sum($x) + #$x)", {"[[1], [2, 3]]", "[[] int]"}},
	{{"[($n, t)]", "[(i, f), ($n, i == 3)]", "dist(($n, t), mod($n, 3))"}, "sum({if q then p else 2 : (p, q) in $x})",
		{"[[(1, t)], [(2, f), (3, t)]]", "[[(4, f)]]"}},
};

/* The next version of $v, by elements $e; $k is a number, $c a condition, $h a function of $v and a number. */
static const char *const steps[] = {
	"$v ++ [$e]", "$v ++ [$e, $e]", "[$e] ++ $v", "(if #$v > 1 then take($v, #$v - 1) else $v)", "take($v, #$v - 1) ++ [$e, $e]",
	"take($v, #$v - 1) ++ [$e]", "drop($v, 1) ++ [$e]", "subseq($v, 0, #$v - 1) ++ [$v[#$v - 1], $e]", "rep($v, $e, mod($k, #$v))",
	"rep($v, $e, mod($k, #$v))", "rep($v, $v[mod($k, #$v)], 0)", "rep(rep($v, $e, 0), $e, mod($k, #$v))", "$v <- [(0, $e), (mod($k, #$v), $e)]",
	"$v <- {(mod(j, #$v), $e) : j in [0:mod($k, 4)]}", "(if $c then rep($v, $e, mod($k, #$v)) else $v ++ [$e])",
	"(if $c then take($v, #$v - 1) ++ [$e] else rep($v, $e, 0))", "(if $c then $v else $v ++ [$e])", "$h($v, mod($k, 3))", "$h($v, 1) ++ [$e]",
};

/* What is looked at: $m is a number of some element of $v, $z of z. */
static const char *const looks[] = {"$m", "$m", "$m + #$v", "#$v", "sum({$z : z in $v})", "(if $c then $m else #$v)", "max($m, $m)"};

#define ONE_OF(c, list) list[below((c)->g, sizeof list / sizeof *list)]

static const char *
number(Carry *c)
{
	static const char *const of[] = {"i", "a", "a", "i + a", "3"};

	return c->look && chance(c->g, 30) ? c->look : ONE_OF(c, of);
}

/* The newest, mostly. */
static const char *
version(Carry *c)
{
	return c->version[chance(c->g, 75) ? c->n - 1 : below(c->g, c->n)];
}

static const char *with(Carry *c, const char *text);

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
	case 'c': return arena_printf(a, "mod(i + %s, %d) == 0", number(c), 2 + below(c->g, 2));
	case 'm': c->x = arena_printf(a, chance(c->g, 50) ? "%s[0]" : "%s[#%s - 1]", c->v, c->v); return with(c, kinds[c->kind].number);
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

static void
pick_steps(Carry *c)
{
	for (int i = 0; i < STEPS; i++)
		c->step[i] = i == 0 || chance(c->g, 50) ? ONE_OF(c, steps) : c->step[0];
}

/* Bindings of a round: versions, and what is looked at. */
static const char *
round_of(Carry *c)
{
	const char *text = "";

	for (int i = 1 + below(c->g, MOST - 1); i > 0; i--) {
		const char *name = new_name(c->g, "w");

		text = arena_printf(c->g->a, "%s  %s = %s;\n", text, name, step(c, version(c)));
		c->version[c->n++] = name;
		if (chance(c->g, 60)) {
			name = new_name(c->g, "k");
			c->v = version(c);
			text = arena_printf(c->g->a, "%s  %s = mod(%s, 89);\n", text, name, with(c, ONE_OF(c, looks)));
			c->look = name;
		}
	}
	return text;
}

const char *
carry(Gen *g)
{
	Carry c = {.g = g, .kind = below(g, sizeof kinds / sizeof *kinds), .version = {"s"}, .n = 1, .helper = "rotate"};
	const char *const name = new_name(g, "carry"), *const helper = new_name(g, "carry"), *const *first = kinds[c.kind].first;
	const char *text;

	pick_steps(&c);
	text = arena_printf(g->a, "function %s(v, i) = if i <= 0 then v else let a = #v in %s(%s, i - 1);\n", helper, helper, step(&c, "v"));
	c.helper = helper;
	pick_steps(&c);
	text = arena_printf(g->a, "%sfunction %s(s, i, a) = if i <= 0 then (s, a) else let\n%s", text, name, round_of(&c));
	text = arena_printf(g->a, "%s  in %s(", text, name);
	if (chance(g, 40)) {
		c.v = version(&c);
		text = arena_printf(g->a, "%s(if %s then %s else %s)", text, with(&c, "$c"), c.v, version(&c));
	} else {
		text = arena_printf(g->a, "%s%s", text, version(&c));
	}
	text = arena_printf(g->a, "%s, i - 1, mod(%s + a, 97));\n", text, number(&c));
	text = arena_printf(g->a, "%sv = %s;\n%s(v, %d, 1);\nv;\n", text, first[0], name, below(g, 9));
	g->name[0].type = &t_int;
	return arena_printf(g->a, "%s{%s(s, i, #s) : s in [%s, %s, %s]; i in [%d, 0, %d]};\n%d;\n", text, name, first[0], first[1], first[0],
		below(g, 9), below(g, 9), below(g, 10));
}

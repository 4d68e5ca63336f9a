/* chain.c: functions of many bindings over a sequence and a nested one, each of which may be used more than once.
 *
 * How  Expressions that grow from a type share little; here tasks have spaces, conditions and sizes in common, which is what
 *      shape analysis and fusion go by.  Of each sequence it is known which others are as long, so that nothing fails. */
#include "tests/gen/grow.h"
#include <string.h>

enum { MOST = 64, CONDITIONS = 3 };      /* links; of the steps, the first that make a [bool] */

typedef struct {
	char kind;              /* i int, v [int], b [bool], m [[int]] */
	int length;             /* of equal numbers are as long; m: how many rows */
	const char *name;
} Link;

typedef struct {
	Gen *g;
	Link link[MOST];
	int n;
	struct {
		int length;
		const char *condition;
	} kept[MOST];
	int nkept;
	int lengths;
	int length, rows;               /* of $v, of $m */
	const char *condition;          /* $c or $d */
} Chain;

/* $v any [int], $w one as long, $c a [bool] as long; $m any [[int]], $y an [int] for its rows, $d a [bool]; $i an int;
 * $1 an expression of x, $2 of x and y, $p and $q conditions so.
 * length: v as long as $v, k as what $c keeps of it; m as the rows of $m, d as what $d keeps of them; + none is. */
typedef struct {
	char kind;
	const char *text;
	char length;
} Step;

static const Step steps[] = {
	{'b', "{$p : x in $v}", 'v'}, {'b', "{$q : x in $v; y in $w}", 'v'}, {'b', "{$p : x in $y}", 'm'},
	{'v', "{$1 : x in $v}", 'v'}, {'v', "{$2 : x in $v; y in $w}", 'v'}, {'v', "{$2 : x in $v; y in $w}", 'v'},
	{'v', "{$1 : x in $v; c in $c | c}", 'k'}, {'v', "{x : x in $v; c in $c | c}", 'k'}, {'v', "{x in $v | $p}", '+'},
	{'v', "{x : x in $v; c in $c | c} ++ {$1 : x in $v; c in $c | not(c)}", '+'},
	{'i', "#{c in $c | c}", 0}, {'i', "sum({$2 : x in {x : x in $v; c in $c | c}; y in {y : y in $w; c in $c | c}})", 0},
	{'i', "sum($v)", 0}, {'i', "#$v", 0}, {'i', "count({$p : x in $v})", 0}, {'i', "max_val($v ++ [0])", 0},
	{'i', "#flatten($m)", 0}, {'i', "sum(flatten($m))", 0}, {'i', "max_val(flatten({{$2 : x in r} : r in $m; y in $y}))", 0}, {'i', "#flatten({{x in r | c} : r in $m; c in $d})", 0},
	{'v', "plus_scan($v)", 'v'}, {'v', "reverse($v)", 'v'}, {'v', "rank($v)", 'v'}, {'v', "$v ++ $y", '+'},
	{'v', "{if #$y == 0 then x else $y[mod(x, #$y)] : x in $v}", 'v'},
	{'v', "{if mod(x, 3) == 0 then sum({$2 : y in $y}) else x : x in $v}", 'v'},
	{'v', "if $i > $i then {$1 : x in $v} else {$2 : x in $v; y in $w}", 'v'},
	{'v', "if $i > 0 then {$2 : x in {x : x in $v; c in $c | c}; y in {$1 : x in $v; c in $c | c}} else {x : x in $v; c in $c | c}", 'k'},
	{'v', "{#r : r in $m}", 'm'}, {'v', "{sum(r) : r in $m}", 'm'}, {'v', "{max_val(r ++ [1]) : r in $m}", 'm'},
	{'v', "{count({$p : x in r}) : r in $m}", 'm'}, {'v', "flatten($m)", '+'},
	{'v', "{sum(flatten({{$2 : y in $w} : x in r})) : r in $m}", 'm'}, {'v', "{max_val(flatten({{$2 : y in [0:20]} : x in [0:3]})) : r in $m}", 'm'},
	{'v', "{sum({sum({sum({$2 : x in $m[mod(y, #$m)]}) : y in $m[mod(z, #$m)]}) : z in r}) : r in $m}", 'm'},
	{'v', "{sum({max_val({let q = $m[mod(y, #$m)]; s = sum({$1 : x in q}) in count({x > s - y : x in q}) : y in $m[mod(z, #$m)]} ++ [0]) : z in r}) : r in $m}", 'm'},
	{'v', "{sum({sum({sum({$y[mod(x, #$y)] : x in $m[mod(y, #$m)]}) * count({x > y : x in r}) : y in $m[mod(z, #$m)]}) : z in r}) : r in $m}", 'm'},
	{'v', "{sum({sum({sum({$2 : x in {x in $m[mod(y, #$m)] | $p} | x /= y}) + #{x in r | $q} : y in $m[mod(z, #$m)]}) : z in r}) : r in $m}", 'm'},
	{'v', "{sum({sum({let q = $m[mod(y, #$m)] in if #q == 0 then $i else min_index({rem(($2), 5) : x in q}) : y in $m[mod(z, #$m)]}) : z in r}) : r in $m}", 'm'},
	{'m', "{{sum({100 / (1 + abs(sum({$2 : x in $m[mod(y, #$m)]}))) : y in $m[mod(z, #$m)]}) : z in r} : r in $m}", 'm'},
	{'m', "{{$1 : x in r} : r in $m}", 'm'}, {'m', "{{$2 : x in r} : r in $m; y in $y}", 'm'}, {'m', "{plus_scan(r) : r in $m}", 'm'},
	{'m', "{{x in r | $q} : r in $m; y in $y}", 'm'}, {'m', "{{x in r | c} : r in $m; c in $d}", 'm'},
	{'m', "{if c then {$2 : x in r} else r : r in $m; c in $d; y in $y}", 'm'}, {'m', "{r : r in $m; c in $d | c}", 'd'},
	{'m', "{{x in $v; y in $w | mod(y, 6) == j} : j in [0:5]}", '+'}, {'m', "{{$2 : x in $v; y in $w | $p and mod(x, 5) == j} : j in [1:$i + 4]}", '+'},
	{'m', "{{$1 : x in $v; y in {x * j : x in $w} | mod(x, 5) == j and y > $i} : j in [0:5]}", '+'},
	{'m', "{{$2 : x in $v; y in {x + j : x in $w} | mod(x, 5) == j} : j in [0:5]}", '+'},
	{'m', "{{$2 : x in $v} : y in $y}", 'm'}, {'m', "{{$2 : x in $v; c in $c | c} : y in $y}", 'm'},
};

static const char *const of_x[] = {"mod(x * 3 + $i, 17) - 5", "x + $i", "x - $i", "max(x, $i)", "2 * x + 1",
	"if x > $i then x else 7 - x", "rem(x * x + 1, 23)"};
static const char *const of_xy[] = {"mod(x * 3 + y, 17) - 5", "x + y", "x - y", "max(x, y)", "2 * min(x, y)",
	"if x > y then x else 7 - y", "rem(x * y + 1, 23)", "select(y > 0, x, y)"};
static const char *const if_x[] = {"x > $i", "x == $i", "mod(x, 2) == 1", "x < 3 - $i", "x > 0", "t"};
static const char *const if_xy[] = {"x > y", "x == y", "mod(x + y, 2) == 1", "not(x >= y)"};

#define ONE_OF(c, list) list[below((c)->g, sizeof list / sizeof *list)]

/* Some such link, of this length (-1: any); NULL: there is none. */
static const Link *
some(Chain *c, char kind, int length)
{
	const Link *of[MOST];
	int n = 0;

	for (int i = 0; i < c->n; i++)
		if (c->link[i].kind == kind && (length < 0 || c->link[i].length == length))
			of[n++] = &c->link[i];
	return n ? of[below(c->g, n)] : NULL;
}

/* The text with numbers for each $i, and an expression for $1 and so on. */
static const char *
with_numbers(Chain *c, const char *text)
{
	const char *out = "", *at;

	for (; (at = strchr(text, '$')); text = at + 2) {
		const Link *i = chance(c->g, 50) ? some(c, 'i', -1) : NULL;
		const char *by = at[1] == '1' ? with_numbers(c, ONE_OF(c, of_x)) : at[1] == '2' ? ONE_OF(c, of_xy)
			: at[1] == 'p' ? with_numbers(c, ONE_OF(c, if_x)) : at[1] == 'q' ? ONE_OF(c, if_xy)
			: at[1] != 'i' ? arena_strndup(c->g->a, at, 2) : i ? i->name : arena_printf(c->g->a, "%d", below(c->g, 4));

		out = arena_printf(c->g->a, "%s%.*s%s", out, (int)(at - text), text, by);
	}
	return arena_printf(c->g->a, "%s%s", out, text);
}

/* The text with links for the other letters, the same for the same; NULL: one is not to be had. */
static const char *
with_links(Chain *c, const char *text)
{
	const char *out = "", *at;
	const Link *by[128] = {0};

	by['v'] = some(c, 'v', -1);
	by['m'] = some(c, 'm', -1);
	c->length = by['v']->length;
	c->rows = by['m']->length;
	by['w'] = some(c, 'v', c->length);
	by['y'] = some(c, 'v', c->rows);
	by['c'] = some(c, 'b', c->length);
	by['d'] = some(c, 'b', c->rows);
	for (; (at = strchr(text, '$')); text = at + 2) {
		const Link *l = by[(int)at[1]];

		if (!l)
			return NULL;
		if (l->kind == 'b')
			c->condition = l->name;
		out = arena_printf(c->g->a, "%s%.*s%s", out, (int)(at - text), text, l->name);
	}
	return arena_printf(c->g->a, "%s%s", out, text);
}

/* As long as all that the condition keeps of this length. */
static int
length_kept(Chain *c, int of)
{
	for (int i = 0; i < c->nkept; i++)
		if (c->kept[i].length == of && strcmp(c->kept[i].condition, c->condition) == 0)
			return MOST + i;
	c->kept[c->nkept].length = of;
	c->kept[c->nkept].condition = c->condition;
	return MOST + c->nkept++;        /* of its own: others are fewer than MOST */
}

static int
length_of(Chain *c, char how)
{
	return how == 'v' ? c->length : how == 'm' ? c->rows : how == 'k' ? length_kept(c, c->length)
		: how == 'd' ? length_kept(c, c->rows) : how == '+' ? c->lengths++ : -1;
}

static void
add(Chain *c, char kind, int length, const char *name)
{
	c->link[c->n++] = (Link){kind, length, name};
}

static const char *
numbers(Gen *g, int most)
{
	const char *s = "";

	for (int i = below(g, most); i > 0; i--)
		s = arena_printf(g->a, "%s%s%d", s, *s ? ", " : "", below(g, 16) - 6);
	return *s ? arena_printf(g->a, "[%s]", s) : "([] int)";
}

static const char *
rows_of_numbers(Gen *g)
{
	const char *s = "";

	for (int i = below(g, 5); i > 0; i--)
		s = arena_printf(g->a, "%s%s%s", s, *s ? ", " : "", numbers(g, 5));
	return *s ? arena_printf(g->a, "[%s]", s) : "([] [int])";
}

/* One more binding, if it can be had. */
static const char *
binding(Chain *c, const Step *s)
{
	const char *value = with_links(c, with_numbers(c, s->text)), *name;

	if (!value)
		return "";
	name = new_name(c->g, s->kind == 'm' ? "m" : s->kind == 'v' ? "v" : s->kind == 'b' ? "b" : "k");
	add(c, s->kind, length_of(c, s->length), name);
	return arena_printf(c->g->a, "  %s = %s;\n", name, value);
}

const char *
chain(Gen *g)
{
	Chain c = {.g = g, .lengths = 2};
	const char *const name = new_name(g, "chain"), *const v = new_name(g, "v"), *const m = new_name(g, "m"),
		*const k = new_name(g, "k"), *result;
	const char *text = arena_printf(g->a, "function %s(%s, %s, %s) = let\n", name, v, m, k);

	add(&c, 'v', 0, v);
	add(&c, 'm', 1, m);
	add(&c, 'i', 0, k);
	add(&c, 'v', 1, new_name(g, "v"));
	text = arena_printf(g->a, "%s  %s = {#r : r in %s};\n%s", text, c.link[3].name, m, binding(&c, &steps[below(g, CONDITIONS)]));
	for (int i = 6 + below(g, 5 * g->size); i > 0 && c.n < MOST; i--)
		text = arena_printf(g->a, "%s%s", text, binding(&c, &ONE_OF(&c, steps)));
	result = c.link[c.n - 1].name;
	for (int i = below(g, 3); i > 0; i--)
		result = arena_printf(g->a, "(%s, %s)", c.link[below(g, c.n)].name, result);
	g->name[0].type = &t_int;
	text = arena_printf(g->a, "%s in %s;\n%s(%s, %s, %d);\n", text, result, name, numbers(g, 8), rows_of_numbers(g), below(g, 4));
	return arena_printf(g->a, "%s{%s(v, m, k) : v in [%s, %s]; m in [%s, %s]; k in [0, %d]};\n%d;\n", text, name,
		numbers(g, 8), numbers(g, 8), rows_of_numbers(g), rows_of_numbers(g), below(g, 4), below(g, 10));
}

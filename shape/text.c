/* text.c: 2 * #a + total(s) - 1 */
#include "shape/text.h"
#include "flatten/flan.h"

enum { DEEPEST = 3 };           /* operators in operators: who reads more */

static const char *sum_text(Arena *a, Map *names, const Size *x, int deeper);

/* By its name, or as what makes it: div(#a, 2). */
static const char *
atom_text(Arena *a, Map *names, const Atom *x, int deeper)
{
	const char *s = *map_at(names, x);

	if (s || x->op < 0 || x->narg == 0 || deeper == 0)
		return s ? s : "unknown";
	s = arena_printf(a, "%s(", flan_ir.op[x->op].name);
	for (int i = 0; i < x->narg; i++)
		s = arena_printf(a, "%s%s%s", s, i ? ", " : "", sum_text(a, names, x->arg[i].value, deeper - 1));
	return arena_printf(a, "%s)", s);
}

static const char *
product_text(Arena *a, Map *names, const Product *x, bool first, int deeper)
{
	const char *s = first ? x->factor < 0 ? "-" : "" : x->factor < 0 ? " - " : " + ";
	const uint64_t k = x->factor < 0 ? -(uint64_t)x->factor : (uint64_t)x->factor;

	if (k != 1 || x->n == 0)
		s = arena_printf(a, x->n ? "%s%llu * " : "%s%llu", s, (unsigned long long)k);
	for (int i = 0; i < x->n; i++)
		s = arena_printf(a, "%s%s%s", s, i ? " * " : "", atom_text(a, names, x->atom[i], deeper));
	return s;
}

static const char *
sum_text(Arena *a, Map *names, const Size *x, int deeper)
{
	const char *s = "";

	if (x->n == 0)
		return "0";
	/* the number without atoms comes last */
	for (int i = 0; i < x->n; i++) {
		const Product *t = &x->product[(i + (x->product[0].n == 0)) % x->n];

		s = arena_printf(a, "%s%s", s, product_text(a, names, t, i == 0, deeper));
	}
	return s;
}

const char *
size_text(Arena *a, Map *names, const Size *x)
{
	return sum_text(a, names, x, DEEPEST);
}

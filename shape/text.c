/* text.c: 2 * #a + total(s) - 1 */
#include "shape/text.h"

static const char *
product_text(Arena *a, Map *names, const Product *x, bool first)
{
	const char *s = first ? x->factor < 0 ? "-" : "" : x->factor < 0 ? " - " : " + ";
	int64_t k = x->factor < 0 ? -x->factor : x->factor;

	if (k != 1 || x->n == 0)
		s = arena_printf(a, x->n ? "%s%lld * " : "%s%lld", s, (long long)k);
	for (int i = 0; i < x->n; i++) {
		const char *name = *map_at(names, x->atom[i]);

		s = arena_printf(a, "%s%s%s", s, i ? " * " : "", name ? name : "unknown");
	}
	return s;
}

const char *
size_text(Arena *a, Map *names, const Size *x)
{
	const char *s = "";

	if (x->n == 0)
		return "0";
	/* the number without atoms comes last */
	for (int i = 0; i < x->n; i++) {
		const Product *t = &x->product[(i + (x->product[0].n == 0)) % x->n];

		s = arena_printf(a, "%s%s", s, product_text(a, names, t, i == 0));
	}
	return s;
}

/* irrows.c: how a function of normal says what does for all rows together what it does for one (Fun.rows; basis/order.nesl,
 * flatten/lift.c).
 *
 * Where f is in an apply-to-each, g may be called once, at the host: its parameter is the sequence of what f's first parameter is for
 * each row, and it gives the sequence of what f gives, whatever f's other parameters are. */
#include "common/ircheck.h"

static bool
fits(Arena *a, const Fun *f, const Fun *g)
{
	return f->nparam > 0 && g->nparam == 1 && ty_equal(g->param[0]->ty, ty_seq(a, f->param[0]->ty))
		&& f->nresult == 1 && g->nresult == 1 && ty_equal(g->result[0], ty_seq(a, f->result[0]));
}

const char *
rows_check(const Program *p, Span *at)
{
	for (const Fun *f = p->funs; f; f = f->next) {
		const Fun *g = f->rows ? fun_find(p, f->rows) : NULL;

		*at = f->span;
		if (f->rows && !g)
			return arena_printf(p->arena, "%s: there is no function %s for its rows", f->name, f->rows);
		if (g && !fits(p->arena, f, g))
			return arena_printf(p->arena, "%s: %s is not for its rows", f->name, g->name);
	}
	return NULL;
}

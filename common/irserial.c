/* irserial.c: what is serial stays out of apply-to-each.
 *
 * In   a normal program that is right otherwise (ir_check).
 * Out  NULL, or the first use, in a foreach, of an operator whose row says that it is serial; through calls too.
 * How  The functions that use one are found by a fixed point over calls. */
#include "common/ircheck.h"
#include "common/map.h"
#include <string.h>

typedef struct {
	const Program *p;
	Map *serial;            /* by name of a function: not NULL if it uses one */
	const Bind *wrong;      /* the first in a foreach */
} Serial;

static bool
is_serial(const Serial *s, const Bind *b)
{
	const OpInfo *op = &s->p->ir->op[b->op];

	return op->serial || (strcmp(op->name, "call") == 0 && *map_at(s->serial, b->name));
}

/* Does the block use one? */
static bool
walk(Serial *s, const Block *k, bool parallel)
{
	bool uses = false;

	for (const Bind *b = k->first; b; b = b->next) {
		bool inside = parallel || strcmp(s->p->ir->op[b->op].name, "foreach") == 0;

		if (is_serial(s, b)) {
			uses = true;
			if (parallel && !s->wrong)
				s->wrong = b;
		}
		for (int i = 0; i < b->nblock; i++)
			uses = walk(s, b->block[i], inside) || uses;
	}
	return uses;
}

static void
find_functions(Serial *s)
{
	LIST(const Fun *) all = {0};
	bool more = true;

	for (const Fun *f = s->p->funs; f; f = f->next)
		LIST_ADD(s->p->arena, &all, f);
	/* callees mostly stand behind their callers */
	while (more) {
		more = false;
		for (int k = all.n - 1; k >= 0; k--) {
			const Fun *f = all.at[k];
			if (*map_at(s->serial, f->name) || !walk(s, f->body, false))
				continue;
			*map_at(s->serial, f->name) = (void *)f;
			more = true;
		}
	}
}

const char *
serial_check(const Program *p, Span *at)
{
	Serial s = {.p = p, .serial = map_new(p->arena)};

	find_functions(&s);
	s.wrong = NULL;
	for (const Fun *f = p->funs; f; f = f->next)
		walk(&s, f->body, false);
	for (const Entry *e = p->entries; e; e = e->next)
		if (e->body)
			walk(&s, e->body, false);
	if (!s.wrong)
		return NULL;
	*at = s.wrong->span;
	return arena_printf(p->arena, "%s%s%s: is serial, so it cannot stand in a foreach", p->ir->op[s.wrong->op].name,
		s.wrong->name ? " " : "", s.wrong->name ? s.wrong->name : "");
}

/* cells.c: where variables of the top level end.
 *
 * In   lcu.
 * How  Entries run one after the other, so the last that reads a cell is known.  If there is one place in it where it does so,
 *      in no arm, the cell ends there: the entry has what it held, and may write over it.  Otherwise it ends before the next
 *      entry, and so does what an entry gives a cell that nobody reads, `it` mostly, once it is shown.
 *      An entry that sets a cell may fault, and then the cell keeps what it held: that is no end.  What functions read does not
 *      end.  With --mem-limit an entry may begin anew (memmgmt/slices.h), so what it reads stays until it is over. */
#include "memmgmt/cells.h"
#include "common/map.h"
#include "fuse/lcu.h"

typedef struct {
	Cell *cell;
	const Bind *reads;      /* where, in the last entry that does; NULL: in an arm */
	int read, times;        /* which entry that is, counted from 1, and at how many places; 0: none does */
	bool stays;             /* it has no arrays, or a function reads it */
} Use;

typedef LIST(Use *) Uses;

struct CellEnds {
	Map *last;              /* Bind -> itself */
	Map *before;            /* an entry's Block -> CellList * */
};

typedef struct {
	const Unit *u;
	CellEnds *ends;
	Map *use;               /* Cell -> Use * */
	Uses all;
	Uses *last;             /* by entry: the cells that it is the last to read */
	int entry;              /* at hand; 0: a function is */
} Cells;

static bool
has_arrays(const Cells *w, const Cell *c)
{
	const TyList l = cell_leaves(w->u->arena, c);

	for (int i = 0; i < l.n; i++)
		if (ty_counted(l.at[i]))
			return true;
	return false;
}

static void
reads(Cells *w, const Block *b, bool in_arm)
{
	for (const Bind *x = b->first; x; x = x->next) {
		if (x->op == LCU_cell || x->op == LCU_peek) {
			Use *c = *map_at(w->use, cell_find(w->u->ir, x->name));

			c->times = c->read == w->entry ? c->times + 1 : 1;
			c->read = w->entry;
			c->reads = in_arm ? NULL : x;
			c->stays = c->stays || w->entry == 0;
		}
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			reads(w, x->block[i], true);
	}
}

/* All cells, and where they are read. */
static void
uses(Cells *w)
{
	for (Cell *c = w->u->ir->cells; c; c = c->next) {
		Use *x = NEW(w->u->arena, Use, 1);

		*x = (Use){.cell = c, .stays = !has_arrays(w, c)};
		*map_at(w->use, c) = x;
		LIST_ADD(w->u->arena, &w->all, x);
	}
	for (const Fun *f = w->u->ir->funs; f; f = f->next)
		reads(w, f->body, false);
	for (const Entry *e = w->u->ir->entries; e; e = e->next) {
		w->entry++;
		if (e->body)
			reads(w, e->body, false);
	}
	w->last = NEW(w->u->arena, Uses, w->entry + 1);
	for (int i = 0; i < w->all.n; i++)
		LIST_ADD(w->u->arena, &w->last[w->all.at[i]->read], w->all.at[i]);
}

/* The cells that end with e, the entry at hand, or else after it. */
static CellList *
ends_with(Cells *w, const Entry *e)
{
	CellList *after = NEW(w->u->arena, CellList, 1);

	for (int i = 0; i < w->last[w->entry].n; i++) {
		const Use *c = w->last[w->entry].at[i];

		if (c->stays)
			continue;
		if (c->times == 1 && c->reads && !w->u->mem_limit)
			*map_at(w->ends->last, c->reads) = (void *)c->reads;
		else
			LIST_ADD(w->u->arena, after, c->cell);
	}
	for (int i = 0; i < e->ncell; i++) {
		const Use *c = *map_at(w->use, e->cell[i]);

		if (!c->stays && c->read <= w->entry)
			LIST_ADD(w->u->arena, after, c->cell);
	}
	return after;
}

CellEnds *
cell_ends(const Unit *u)
{
	CellList *over = NEW(u->arena, CellList, 1);
	Cells w = {.u = u, .ends = NEW(u->arena, CellEnds, 1), .use = map_new(u->arena)};

	*w.ends = (CellEnds){map_new(u->arena), map_new(u->arena)};
	uses(&w);
	for (int i = 0; i < w.last[0].n; i++)
		if (w.last[0].at[i]->cell->input && !w.last[0].at[i]->stays)
			LIST_ADD(u->arena, over, w.last[0].at[i]->cell);
	w.entry = 0;
	for (const Entry *e = u->ir->entries; e; e = e->next) {
		w.entry++;
		if (!e->body)
			continue;
		*map_at(w.ends->before, e->body) = over;
		over = ends_with(&w, e);
	}
	return w.ends;
}

bool
cell_ends_with(const CellEnds *c, const Bind *b)
{
	return *map_at(c->last, b) != NULL;
}

const CellList *
cells_before(const CellEnds *c, const Block *entry)
{
	return *map_at(c->before, entry);
}

/* irowner.c: the counts of mem, followed along every path.
 *
 * In   a mem program that is right otherwise (ir_check).
 * Out  NULL, or what is leaked, given up twice, or used when gone.
 * How  A vector or descriptor that a task, a library routine, a call or an `if` makes counts 1, and so
 *      does a parameter; cells, lent parameters and those of scalar functions are borrowed and count 0.  retain adds one;
 *      free, each mention in a call, what other operators take (bind_takes) and each mention in the yield of a function, an
 *      arm or an entry take one, and so do `replace` and `mark` in a task; at the end of its block a
 *      variable counts 0.  What is replaced is read by loads of the deepest level alone, before.
 *      What a way out names is there as long as its call runs.
 *      A cell that is forgotten is read by nobody after that, and its value is there only where it was retained.
 *      What a function may give back it says (irback.h).
 *      Both arms of an `if` must leave every outer variable with the same count: the first arm's
 *      changes are logged, undone, and compared with those of the second. */
#include "common/irback.h"
#include "common/ircheck.h"
#include "common/map.h"
#include <string.h>

typedef struct {
	int count;
	bool borrowed;
} Count;

typedef struct {
	const Var *var;
	const char *cell;       /* it is borrowed from */
} Borrowed;

typedef struct {
	int id, before;
} Change;

typedef struct {
	const Program *p;
	Count *of;              /* by Var.id */
	LIST(Change) log;
	LIST(Borrowed) lent;    /* by cells, in the entry at hand */
	Map *of_funs, *over;    /* Cell -> itself: functions read it; it is forgotten */
	int depth;              /* of blocks; the body of an entry: 1 */
	bool entry;             /* at hand, not a function */
	Backs *backs;
	const char *message;
	Span at;
} Owner;

static void
tell(Owner *w, Span at, const char *name, const char *what)
{
	if (w->message)
		return;
	w->message = arena_printf(w->p->arena, "%s: %s", name, what);
	w->at = at;
}

static void
wrong(Owner *w, Span at, const char *what, const Var *v)
{
	tell(w, at, v->name, what);
}

static void
set(Owner *w, const Var *v, int count)
{
	LIST_ADD(w->p->arena, &w->log, ((Change){v->id, w->of[v->id].count}));
	w->of[v->id].count = count;
}

static void
use(Owner *w, Span at, Opnd o)
{
	if (o.kind == OPND_VAR && ty_counted(o.u.var->ty)
		&& w->of[o.u.var->id].count == 0 && !w->of[o.u.var->id].borrowed)
		wrong(w, at, "used after it was given up", o.u.var);
}

static void
give_up(Owner *w, Span at, Opnd o)
{
	if (o.kind != OPND_VAR || !ty_counted(o.u.var->ty))
		return;
	if (w->of[o.u.var->id].count == 0)
		wrong(w, at, "given up, but not owned", o.u.var);
	else
		set(w, o.u.var, w->of[o.u.var->id].count - 1);
}

static void block(Owner *w, const Block *b, Span at);

static void
undo(Owner *w, int to)
{
	while (w->log.n > to) {
		Change c = w->log.at[--w->log.n];
		w->of[c.id].count = c.before;
	}
}

/* Counts after an arm, of all it changed: as changes, so `before` holds what came out. */
static Change *
outcome(Owner *w, int from, int *n)
{
	*n = w->log.n - from;
	Change *c = NEW(w->p->arena, Change, *n);
	for (int i = 0; i < *n; i++)
		c[i] = (Change){w->log.at[from + i].id, w->of[w->log.at[from + i].id].count};
	return c;
}

static void
arms(Owner *w, const Bind *b)
{
	int start = w->log.n, n1, n2;
	block(w, b->block[0], b->span);
	Change *one = outcome(w, start, &n1);
	undo(w, start);
	block(w, b->block[1], b->span);
	Change *two = outcome(w, start, &n2);
	bool same = true;
	for (int i = 0; i < n1; i++)
		same = same && w->of[one[i].id].count == one[i].before;
	undo(w, start);
	for (int i = 0; i < n1; i++) {
		LIST_ADD(w->p->arena, &w->log, ((Change){one[i].id, w->of[one[i].id].count}));
		w->of[one[i].id].count = one[i].before;
	}
	for (int i = 0; i < n2; i++)
		same = same && w->of[two[i].id].count == two[i].before;
	if (!same && !w->message) {
		w->message = "the arms of an if give up different things";
		w->at = b->span;
	}
}

static void
use_way(Owner *w, const Bind *b)
{
	for (int i = 0; i < b->nway; i++)
		use(w, b->span, b->way[i]);
}

/* Of step s of a task. */
static void
replace(Owner *w, const Bind *task, const Bind *s)
{
	const Opnd v = s->arg[1];
	bool before = true;
	if (s->level != task->narg)
		wrong(w, s->span, "replaced, but not at the deepest level", v.u.var);
	if (ty_bytes(opnd_ty(v), w->p->int_bits) != ty_bytes(s->dst[0]->ty, w->p->int_bits))
		wrong(w, s->span, "replaced by elements of another size", v.u.var);
	for (const Bind *x = task->block[0]->first; x; x = x->next) {
		bool load = strcmp(w->p->ir->op[x->op].name, "load") == 0 && x->level == s->level;
		before = before && x != s;
		for (int i = 0; i < x->narg; i++)
			if (same_opnd(x->arg[i], v) && !(load && before) && !(x == s && i == 1))
				wrong(w, x->span, "used otherwise than before it is replaced, at the same place", v.u.var);
		for (int i = 0; i < x->nway; i++)
			if (same_opnd(x->way[i], v))
				wrong(w, x->span, "replaced, but on a way out", v.u.var);
	}
	give_up(w, s->span, v);
}

static void
task(Owner *w, const Bind *b)
{
	for (const Bind *x = b->block[0]->first; x; x = x->next) {
		for (int i = 0; i < x->narg; i++)
			use(w, x->span, x->arg[i]);
		use_way(w, x);
	}
	for (const Bind *x = b->block[0]->first; x; x = x->next)
		if (strcmp(w->p->ir->op[x->op].name, "replace") == 0)
			replace(w, b, x);
		else if (strcmp(w->p->ir->op[x->op].name, "mark") == 0)
			give_up(w, x->span, x->arg[2]);
}

/* Nobody reads the cell from there on, and what was read from it is there only if it is owned. */
static void
forget(Owner *w, const Bind *b)
{
	Cell *c = cell_find(w->p, b->name);

	if (!w->entry || w->depth > 1)
		tell(w, b->span, b->name, "forgotten, but not by an entry's own block");
	if (*map_at(w->of_funs, c))
		tell(w, b->span, b->name, "forgotten, but functions read it");
	*map_at(w->over, c) = c;
	for (int i = 0; i < w->lent.n; i++)
		if (strcmp(w->lent.at[i].cell, b->name) == 0)
			w->of[w->lent.at[i].var->id].borrowed = false;
}

static void
read_cell(Owner *w, const Bind *b)
{
	Cell *c = cell_find(w->p, b->name);

	if (*map_at(w->over, c))
		tell(w, b->span, b->name, "read after it was forgotten");
	if (!w->entry)
		*map_at(w->of_funs, c) = c;
	for (int i = 0; i < b->ndst; i++)
		LIST_ADD(w->p->arena, &w->lent, ((Borrowed){b->dst[i], b->name}));
}

static void
bind(Owner *w, const Bind *b)
{
	const char *name = w->p->ir->op[b->op].name;
	const bool of_cell = strcmp(name, "cell") == 0 || strcmp(name, "peek") == 0;
	for (int i = 0; i < b->narg; i++)
		use(w, b->span, b->arg[i]);
	if (strcmp(name, "free") == 0)
		give_up(w, b->span, b->arg[0]);
	else if (strcmp(name, "forget") == 0)
		forget(w, b);
	else if (strcmp(name, "retain") == 0)
		set(w, b->arg[0].u.var, w->of[b->arg[0].u.var->id].count + 1);
	else if (strcmp(name, "if") == 0)
		arms(w, b);
	else if (strcmp(name, "task") == 0)
		task(w, b);
	for (int i = 0; i < b->narg; i++)
		if (bind_takes(w->p, b, i))
			give_up(w, b->span, b->arg[i]);
	use_way(w, b);
	if (of_cell)
		read_cell(w, b);
	for (int i = 0; i < b->ndst; i++) {
		w->of[b->dst[i]->id].borrowed = of_cell;
		if (ty_counted(b->dst[i]->ty) && !of_cell)
			set(w, b->dst[i], 1);
	}
}

static void
block(Owner *w, const Block *b, Span at)
{
	w->depth++;
	for (const Bind *x = b->first; x; x = x->next)
		bind(w, x);
	w->depth--;
	for (int i = 0; i < b->nyield; i++)
		give_up(w, at, b->yield[i]);
	for (const Bind *x = b->first; x; x = x->next)
		for (int i = 0; i < x->ndst; i++)
			if (w->of[x->dst[i]->id].count != 0)
				wrong(w, x->span, "never given up", x->dst[i]);
}

static void
fun(Owner *w, const Fun *f)
{
	const Var *unsaid = back_unsaid(f, back_of(w->backs, f));

	for (int i = 0; i < f->nparam; i++)
		if (fun_borrows(f, i))
			w->of[f->param[i]->id].borrowed = true;
		else if (ty_counted(f->param[i]->ty))
			set(w, f->param[i], 1);
	block(w, f->body, f->span);
	for (int i = 0; i < f->nparam; i++)
		if (w->of[f->param[i]->id].count != 0)
			wrong(w, f->span, "never given up", f->param[i]);
	if (unsaid)
		wrong(w, f->span, "given back, but the function does not say so", unsaid);
}

const char *
owner_check(const Program *p, Span *at)
{
	Owner w = {.p = p, .of = NEW(p->arena, Count, p->nvar + 1), .of_funs = map_new(p->arena), .over = map_new(p->arena),
		.backs = backs(p)};

	for (const Fun *f = p->funs; f; f = f->next)
		fun(&w, f);
	w.entry = true;
	for (const Entry *e = p->entries; e; e = e->next) {
		w.lent.n = 0;
		if (e->body)
			block(&w, e->body, e->span);
	}
	*at = w.at;
	return w.message;
}

/* join.c: calls of one recursive group in different arms become one call.
 *
 * In parallel code both arms of an `if` run.  If both called the function that they stand in, each level of the
 * recursion would make two calls, 2^d at depth d.  So arms with such calls are walked side by side: each runs up
 * to its call and waits, the calls that wait for one function are made as one, on the rows of all of them, and
 * the results are given out; then the arms go on, up to their next calls.  An arm is a tree of *parts*:
 * conditionals and apply-to-eaches that hold such calls, nested in any way, with the calls as leaves.
 *
 * Where an arm has stopped its values just stay where they are: on its own level.  So nothing is packed or
 * copied but arguments from different bases.  These arms are not skipped when they have no rows, since they
 * would have to hand over all their values; the call is.
 *
 * The tail calls of a function that loops (loop.c) are no part: they are jumps, not levels. */
#include "flatten/flattener.h"

typedef struct Part Part;
typedef struct Walk {                   /* of a block, from call to call */
	const Block *block;
	const Bind *next;
	Part *part;                     /* of `next`, if that has begun */
	Level *level;
	Val **out;                      /* what it gives, when it is done */
} Walk;

struct Part {
	const Bind *bind;
	Level *level;
	Fork fork;                      /* if */
	Walk *walk;                     /* if: the arms; foreach: the body */
	int nwalk;
	Val **arg, **out;               /* call; out: NULL until it is made */
};

struct Calls { LIST(Part *) all; };     /* that wait */

/* -- which calls ---------------------------------------------------------------------------------- */

static bool
reaches(const Flattener *f, const Block *b, const Fun *to, Map *seen)
{
	for (const Bind *s = b->first; s; s = s->next) {
		const Fun *g = s->op == NORMAL_call ? fun_find(f->in, s->name) : NULL;

		if (g && g->recursive && is_part_of(f, g, to))
			return true;
		if (g && g->recursive && !*map_at(seen, g)) {
			*map_at(seen, g) = (void *)g;
			if (reaches(f, g->body, to, seen))
				return true;
		}
		for (int i = 0; i < s->nblock; i++)
			if (reaches(f, s->block[i], to, seen))
				return true;
	}
	return false;
}

bool
may_be_in_turn(const Fun *a, const Fun *b)
{
	return !a->cycle || !b->cycle || a->cycle == b->cycle;
}

bool
leads_to(const Flattener *f, const Bind *call, const Fun *to)
{
	const Fun *g = fun_find(f->in, call->name);

	return is_part_of(f, g, to) || (g->recursive && may_be_in_turn(g, to) && reaches(f, g->body, to, map_new(f->arena)));
}

/* Does it call back to where we are, and is no jump?  In scalar code that costs no memory. */
static bool
is_recursive_call(const Flattener *f, const Bind *b)
{
	return !scalar_fun(f, fun_find(f->in, b->name)) && leads_to(f, b, f->fun) && !is_jump(f, f->fun, b);
}

typedef bool Test(const Flattener *f, const Bind *b, const void *what);

static bool
holds(const Flattener *f, const Block *b, Test *test, const void *what)
{
	for (const Bind *s = b->first; s; s = s->next) {
		if (test(f, s, what))
			return true;
		for (int i = 0; i < s->nblock; i++)
			if (holds(f, s->block[i], test, what))
				return true;
	}
	return false;
}

static bool
is_call_that_waits(const Flattener *f, const Bind *b, const void *what)
{
	(void)what;
	return b->op == NORMAL_call && is_recursive_call(f, b);
}

static bool
is_call_of(const Flattener *f, const Bind *b, const void *name)
{
	return b->op == NORMAL_call && b->name == name && is_recursive_call(f, b);
}

static bool
is_call_also_in(const Flattener *f, const Bind *b, const void *other)
{
	return is_call_that_waits(f, b, NULL) && holds(f, other, is_call_of, b->name);
}

static bool
is_clock(const Flattener *f, const Bind *b, const void *what)
{
	(void)f;
	(void)what;
	return b->op == NORMAL_clock;
}

bool
block_calls_back(const Flattener *f, const Block *b)
{
	return f->fun && f->fun->recursive && holds(f, b, is_call_that_waits, NULL);
}

bool
calls_back(const Flattener *f, const Bind *b)
{
	if (!f->fun || !f->fun->recursive)
		return false;
	if (b->op == NORMAL_call)
		return is_recursive_call(f, b);
	for (int i = 0; i < b->nblock; i++)
		if (block_calls_back(f, b->block[i]))
			return true;
	return false;
}

/* -- parts ---------------------------------------------------------------------------------------- */

static void
walk_begin(Flattener *f, Part *p, const Block *b, Level *lv)
{
	Walk *w = &p->walk[p->nwalk++];

	*w = (Walk){.block = b, .next = b->first, .level = lv};
	if (!block_calls_back(f, b)) {
		w->out = NEW(f->arena, Val *, b->nyield);
		w->next = NULL;
		run_arm_if_any(f, b, lv, w->out);
		for (int i = 0; i < b->nyield; i++)
			w->out[i] = val_compact(f, w->out[i], p->bind);
	} else {
		lv->nonempty = false;   /* it is not skipped */
	}
}

static Part *
part_begin(Flattener *f, const Bind *b)
{
	Part *p = NEW(f->arena, Part, 1);

	p->bind = b;
	p->level = f->cur;
	p->walk = NEW(f->arena, Walk, b->op == NORMAL_if ? MOST_ARMS : b->nblock);
	switch (b->op) {
	case NORMAL_call:
		p->arg = call_arguments(f, b);
		LIST_ADD(f->arena, &f->calls->all, p);
		break;
	case NORMAL_foreach:
		walk_begin(f, p, b->block[0], foreach_enter(f, b));
		break;
	default:
		fork_rows(f, b, &p->fork);
		for (int i = 0; i < p->fork.n; i++)
			walk_begin(f, p, p->fork.arm[i], p->fork.rows[i]);
	}
	return p;
}

static bool walk(Flattener *f, Walk *w);

/* Result i of a part that is done. */
static Val *
part_result(Flattener *f, const Part *p, int i)
{
	Val *each[MOST_ARMS];

	if (p->bind->op == NORMAL_call)
		return p->out[i];
	if (p->bind->op == NORMAL_foreach)
		return foreach_leave(f, p->level, p->walk[0].level, p->walk[0].out[0]);
	for (int k = 0; k < p->nwalk; k++)
		each[k] = p->walk[k].out[i];
	return fork_merge(f, &p->fork, each);
}

/* Is it done?  Then its results are set. */
static bool
part_goes_on(Flattener *f, Part *p)
{
	bool done = p->bind->op != NORMAL_call || p->out;

	for (int k = 0; k < p->nwalk; k++)
		done = walk(f, &p->walk[k]) && done;
	for (int i = 0; done && i < p->bind->ndst; i++)
		env_set(f, p->bind->dst[i], part_result(f, p, i));
	return done;
}

static bool
step(Flattener *f, Walk *w)
{
	const Bind *b = w->next;
	const Span outer = f->span;
	bool done;

	if (!w->part && (!calls_back(f, b) || runs_outside(f, b))) {
		flatten_bind(f, b);
		return true;
	}
	f->span = b->span;
	f->hint = b->ndst ? b->dst[0]->name : NULL;
	if (!w->part) {
		compact_across(f, w->block, b, true);
		w->part = part_begin(f, b);
	}
	done = part_goes_on(f, w->part);
	if (done)
		w->part = NULL;
	f->span = outer;
	return done;
}

/* Is it done?  Else it waits for a call. */
static bool
walk(Flattener *f, Walk *w)
{
	Level *saved = f->cur;

	f->cur = w->level;
	while (w->next && step(f, w))
		w->next = w->next->next;
	if (!w->next && !w->out) {
		w->out = NEW(f->arena, Val *, w->block->nyield);
		for (int i = 0; i < w->block->nyield; i++)
			w->out[i] = val_at(f, use(f, w->block->yield[i]), w->level);
	}
	f->cur = saved;
	return !w->next;
}

/* -- calls ---------------------------------------------------------------------------------------- */

/* One value for all the rows of the parts: one that they share stays at the host. */
static Val *
joined_argument(Flattener *f, int n, Part *const *p, Val **v, Level *lv)
{
	Val **a = NEW(f->arena, Val *, n), **b = NEW(f->arena, Val *, n);
	bool share = true;

	if (v[0]->kind == VAL_PAIR) {
		for (int i = 0; i < n; i++) {
			a[i] = v[i]->a;
			b[i] = v[i]->b;
		}
		return PAIR(f, joined_argument(f, n, p, a, lv), joined_argument(f, n, p, b, lv));
	}
	for (int i = 0; i < n; i++)
		share &= at_host(v[i]) && val_same(v[0], v[i]);
	if (share)
		return v[0];
	for (int i = 0; i < n; i++)
		a[i] = val_lift(f, v[i], p[i]->level);
	return val_with_level(f, val_concat(f, n, a), lv);
}

/* The rows first .. first + lv->count - 1 of what the call gave. */
static Val *
rows_of(Flattener *f, Val *v, Level *lv, Opnd first)
{
	Opnd idx = ADD(f, EMIT(f, FLAN_iota, false, &ty_ints, lv->count), first);

	return val_with_level(f, val_gather(f, val_lift(f, v, f->cur), idx), lv);
}

/* n calls of one function, as one. */
static void
call_joined(Flattener *f, int n, Part *const *p)
{
	const Bind *b = p[0]->bind;
	Level *lv = p[0]->level, *saved = f->cur;
	Val **arg = NEW(f->arena, Val *, b->narg), **out = NEW(f->arena, Val *, b->ndst);
	Val **one = NEW(f->arena, Val *, n);
	Opnd first = opnd_int(0);

	for (int i = 1; i < n; i++)
		lv = level_new(f, &f->host, ADD(f, lv->count, p[i]->level->count));
	if (n > 1) {
		lv->part = NEW(f->arena, Level *, n);
		lv->npart = n;
		for (int i = 0; i < n; i++)
			lv->part[i] = p[i]->level;
	}
	for (int j = 0; j < b->narg; j++) {
		for (int i = 0; i < n; i++)
			one[i] = p[i]->arg[j];
		arg[j] = n > 1 ? joined_argument(f, n, p, one, lv) : one[0];
	}
	f->cur = lv;
	f->span = b->span;
	f->hint = b->ndst ? b->dst[0]->name : NULL;
	call_at(f, b, arg, out);
	for (int i = 0; i < n; i++) {
		p[i]->out = NEW(f->arena, Val *, b->ndst);
		for (int j = 0; j < b->ndst; j++)
			p[i]->out[j] = n > 1 ? rows_of(f, out[j], p[i]->level, first) : out[j];
		first = ADD(f, first, p[i]->level->count);
	}
	f->cur = saved;
}

/* All that wait: one call for each function. */
static void
make_calls(Flattener *f)
{
	struct Calls now = *f->calls;
	Part **same = NEW(f->arena, Part *, now.all.n);
	int n;

	*f->calls = (struct Calls){0};
	for (int i = 0; i < now.all.n; i++) {
		if (now.all.at[i]->out)
			continue;
		n = 0;
		for (int j = i; j < now.all.n; j++)
			if (now.all.at[j]->bind->name == now.all.at[i]->bind->name)
				same[n++] = now.all.at[j];
		call_joined(f, n, same);
	}
}

static bool
has_calls_to_join(const Flattener *f, const Bind *b)
{
	bool found = false;

	for (; b && !found; b = else_if(b))
		found = holds(f, b->block[0], is_call_also_in, b->block[1]);
	return found;
}

bool
join_if(Flattener *f, const Bind *b)
{
	struct Calls calls = {0}, *outer = f->calls;
	const Span span = f->span;
	Part *p;

	if (!f->fun || !f->fun->recursive || !has_calls_to_join(f, b)
	    || holds(f, b->block[0], is_clock, NULL) || holds(f, b->block[1], is_clock, NULL))
		return false;
	compact_within(f, b);
	f->calls = &calls;
	p = part_begin(f, b);
	while (!part_goes_on(f, p)) {
		make_calls(f);
		f->span = span;
	}
	f->calls = outer;
	return true;
}

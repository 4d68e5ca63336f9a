/* store.c: rows that a loop writes over, where they are.
 *
 * In   a function with calls of itself in tail position, in normal
 * Out  which of its parameters are *stores*: the rows of all that the loop was entered with, dense, into which its rounds put elements
 * Rule A sequence of scalars that all tail calls hand on as it is or after elements were put into it; each of these sequences is a
 *      version of the one before, and who puts elements into a version is the last to see it and what was cut out of it.
 * How  Ownership as in linear types (Wadler 1990).  As nobody sees the version before, and each row is written by its own loop
 *      only, all rows have one vector, whose rows are where they were at first, whoever has left: what is of the round is
 *      not where they are, and an update costs what it puts.  Versions are one column, of which `x` is the vector that stands for it
 *      where we are: arms write it one after the other, and see what the others wrote, in rows that are none of theirs. */
#include "flatten/flattener.h"

/* -- while flattening ----------------------------------------------------------------------------------- */

bool
is_store(const Flattener *f, const Val *column)
{
	for (int i = 0; i < f->store.n; i++)
		if (f->store.at[i] == column)
			return true;
	return false;
}

bool
writes_store(const Flattener *f, const Bind *b)
{
	return *map_at(f->writes, b) != NULL;
}

void
store_elements(Flattener *f, Val *d, Opnd v, Opnd at)
{
	d->elem->x = EMIT(f, FLAN_put, false, d->elem->x.u.var->ty, v, at, d->elem->x);
}

/* -- which parameters ------------------------------------------------------------------------------------- */

/* What is known of a variable. */
typedef struct Seen {
	const Bind *made;       /* by it */
	int since;              /* when it became, or may have become, what has elements of the parameter; 0: it has none */
	int path;               /* the last that was asked for, see is_version */
	bool is;
} Seen;

typedef struct Search {
	Flattener *f;
	const Fun *fun;
	const Var *param;
	int nth;                /* which that is */
	Map *seen;              /* Var -> Seen */
	Map *writes;            /* Bind -> itself, if it is one of `all` */
	LIST(const Bind *) all; /* that make versions of others */
	int now, written;       /* what is no younger than `written` is not to be seen any more */
	bool puts;              /* is there a put among them? */
} Search;

static Seen *
seen(Search *s, const Var *v)
{
	void **at = map_at(s->seen, v);

	if (!*at)
		*at = NEW(s->f->arena, Seen, 1);
	return *at;
}

static void
look_through(Search *s, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		for (int i = 0; i < b->ndst; i++)
			seen(s, b->dst[i])->made = b;
		for (int i = 0; i < b->nblock; i++)
			look_through(s, b->block[i]);
	}
}

static void
writes(Search *s, const Bind *b)
{
	if (*map_at(s->writes, b))
		return;
	*map_at(s->writes, b) = (void *)b;
	LIST_ADD(s->f->arena, &s->all, b);
	s->puts |= b->op == NORMAL_put;
}

static bool is_version(Search *s, Opnd o, int path);

static bool
makes_version(Search *s, const Bind *b, const Var *v, int path)
{
	enum { LONGEST = 1 << 16 };
	int i = 0;

	switch (b ? b->op : NORMAL_call) {
	case NORMAL_put:
		return path == 1 && is_version(s, b->arg[2], 1);
	case NORMAL_pair:
		return path > 1 && is_version(s, b->arg[path % 2], path / 2);
	case NORMAL_fst: case NORMAL_snd:
		return path < LONGEST && is_version(s, b->arg[0], 2 * path + (b->op == NORMAL_snd));
	case NORMAL_if:
		while (b->dst[i] != v)
			i++;
		return is_version(s, b->block[0]->yield[i], path) && is_version(s, b->block[1]->yield[i], path);
	default:
		return false;
	}
}

/* Is it a version of the parameter?  path: of o that part; 1: itself, 2p and 2p + 1: that part of its first, or second. */
static bool
is_version(Search *s, Opnd o, int path)
{
	Seen *v = o.kind == OPND_VAR ? seen(s, o.u.var) : NULL;

	if (!v || o.u.var == s->param)
		return v && path == 1;
	if (v->path != path) {
		v->is = makes_version(s, v->made, o.u.var, path);
		v->path = path;
		if (v->is && (v->made->op == NORMAL_put || v->made->op == NORMAL_if))
			writes(s, v->made);
	}
	return v->is;
}

/* -- who sees them ---------------------------------------------------------------------------------------- */

static int
since(Search *s, Opnd o)
{
	return o.kind == OPND_VAR ? seen(s, o.u.var)->since : 0;
}

static bool
is_stale(Search *s, int n, const Opnd *x)
{
	for (int i = 0; i < n; i++)
		if (since(s, x[i]) && since(s, x[i]) <= s->written)
			return true;
	return false;
}

static bool
has_any(Search *s, int n, const Opnd *x)
{
	while (n > 0 && !since(s, x[n - 1]))
		n--;
	return n > 0;
}

/* Does it want no more than lengths?  All versions have the same. */
static bool
sees_no_elements(const Bind *b)
{
	return b->op == NORMAL_length || b->op == NORMAL_positions;
}

/* b, or what is in it. */
static bool
sees_any(Search *s, const Bind *b)
{
	if (has_any(s, b->narg, b->arg))
		return true;
	for (int i = 0; i < b->nblock; i++) {
		if (has_any(s, b->block[i]->nyield, b->block[i]->yield))
			return true;
		for (const Bind *in = b->block[i]->first; in; in = in->next)
			if (sees_any(s, in))
				return true;
	}
	return false;
}

/* Are its elements made by it? */
static bool
makes_elements(const Bind *b)
{
	return sees_no_elements(b) || b->op == NORMAL_pack || normal_ir.op[b->op].cls == OP_SCAN || (b->op == NORMAL_foreach && ty_scalar(b->dst[0]->ty->a));
}

/* May what it gives as number i have elements of what it sees, where they are? */
static bool
may_give_any(Search *s, const Bind *b, int i)
{
	if (b->op == NORMAL_if)
		return since(s, b->block[0]->yield[i]) || since(s, b->block[1]->yield[i]);
	return !scalars_only(b->dst[i]->ty) && !makes_elements(b) && sees_any(s, b);
}

static void
gives(Search *s, const Bind *b)
{
	s->now++;
	for (int i = 0; i < b->ndst; i++)
		if (may_give_any(s, b, i))
			seen(s, b->dst[i])->since = s->now;
}

/* Only a version goes on, and that as what it is. */
static bool
hands_on_one(Search *s, const Bind *jump)
{
	for (int i = 0; i < jump->narg; i++)
		if (i != s->nth && has_any(s, 1, &jump->arg[i]))
			return false;
	return true;
}

/* Is all that it sees still as it was? */
static bool
sees_the_last(Search *s, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		const int before = s->written;
		int after = before;

		if ((!sees_no_elements(b) && is_stale(s, b->narg, b->arg)) || (b->op == NORMAL_call && is_jump(s->f, s->fun, b) && !hands_on_one(s, b)))
			return false;
		for (int i = 0; i < b->nblock; i++) {
			s->written = before;
			if (!sees_the_last(s, b->block[i]))
				return false;
			after = s->written > after ? s->written : after;
		}
		s->written = after;
		if (b->op == NORMAL_put && *map_at(s->writes, b))
			s->written = s->now;
		gives(s, b);
	}
	return !is_stale(s, k->nyield, k->yield);
}

bool
may_be_store(Flattener *f, const Fun *fun, int i, const Jumps *jumps)
{
	Search s = {.f = f, .fun = fun, .param = fun->param[i], .nth = i, .seen = map_new(f->arena), .writes = map_new(f->arena), .now = 1};

	if (s.param->ty->kind != TY_SEQ || !ty_scalar(s.param->ty->a))
		return false;
	look_through(&s, fun->body);
	for (int k = 0; k < jumps->n; k++)
		if (!is_version(&s, jumps->at[k]->arg[i], 1))
			return false;
	seen(&s, s.param)->since = s.now;
	if (!s.puts || !sees_the_last(&s, fun->body))
		return false;
	for (int k = 0; k < s.all.n; k++)
		*map_at(f->writes, s.all.at[k]) = (void *)s.all.at[k];
	return true;
}

/* build.c: the blocks under construction, and common subexpressions.
 *
 * One table holds what was emitted; of that, what stands in a block that encloses the one we are in is shared.  The
 * outermost is the function, whose frame has no `up`. */
#include "flatten/flattener.h"

struct Known {
	uint64_t hash;
	const Bind *bind;
	Frame *frame;
	Known *next;
};

/* The open frames of a function are those around the innermost; functions left for a while have other ones. */
struct Frame {
	Block *block;
	Frame *up;
	const Frame *function;  /* the outermost */
	int depth, since;       /* since: what has a lower variable lies behind a fence */
	int outside;            /* the depth of the outermost that no fence is between */
	Opnd *before, *after;   /* what stores are outside, and where the block ends (store.c) */
	bool closed;
};

static Opnd *
stores_now(Flattener *f)
{
	Opnd *x = NEW(f->arena, Opnd, f->store.n);

	for (int i = 0; i < f->store.n; i++)
		x[i] = f->store.at[i]->x;
	return x;
}

static void
stores_become(Flattener *f, const Opnd *x)
{
	for (int i = 0; i < f->store.n; i++)
		f->store.at[i]->x = x[i];
}

Frame *
frame_open(Flattener *f)
{
	Frame *fr = NEW(f->arena, Frame, 1);

	fr->block = block_new(f->out);
	fr->up = f->frame;
	fr->function = f->frame ? f->frame->function : fr;
	fr->depth = f->frame ? f->frame->depth + 1 : 0;
	fr->outside = f->frame ? f->frame->outside : 0;
	fr->before = stores_now(f);
	f->frame = fr;
	return fr;
}

Block *
frame_close(Flattener *f, Frame *fr)
{
	fr->closed = true;
	f->frame = fr->up;
	fr->after = stores_now(f);
	if (fr->up)
		stores_become(f, fr->before);
	return fr->block;
}

void
frame_resume(Flattener *f, Frame *fr)
{
	fr->closed = false;
	f->frame = fr;
	stores_become(f, fr->after);
}

Opnd
frame_store(const Frame *fr, int i)
{
	return fr->after[i];
}

void
frame_keep_stores(Flattener *f, const Frame *fr)
{
	stores_become(f, fr->after);
}

void
frame_splice(Flattener *f, const Block *b)
{
	Block *to = f->frame->block;

	for (const Bind *s = b->first; s; s = s->next)
		for (int i = 0; i < s->ndst; i++)
			f->depths.at[s->dst[i]->id] = f->frame->depth;
	if (b->first) {
		*to->end = b->first;
		to->end = b->end;
	}
}

void
frame_fence(Flattener *f)
{
	f->frame->since = f->out->nvar;
	f->frame->outside = f->frame->depth;
}

Block *
frame_block(const Flattener *f)
{
	return f->frame->block;
}

int
frame_depth(const Flattener *f)
{
	return f->frame->depth;
}

Var *
fresh(Flattener *f, const char *hint, const Ty *ty)
{
	Var *v = var_new(f->out, hint, ty);

	while (f->depths.n <= v->id)
		LIST_ADD(f->arena, &f->depths, 0);
	f->depths.at[v->id] = f->frame->depth;
	return v;
}

Var *
fresh_like(Flattener *f, const char *hint, const Var *v)
{
	Var *w = fresh(f, hint, v->ty);

	w->natural = v->natural;
	return w;
}

int
var_depth(const Flattener *f, const Var *v)
{
	return f->depths.at[v->id];
}

const Bind *
made_by(const Flattener *f, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < f->defs.n ? f->defs.at[o.u.var->id] : NULL;
}

void
made_here(Flattener *f, const Var *v, const Bind *b)
{
	while (f->defs.n <= v->id)
		LIST_ADD(f->arena, &f->defs, NULL);
	f->defs.at[v->id] = b;
}

/* -- what is known ---------------------------------------------------------------------------------- */

/* Made in an open block of this function, so around us, on our side of all fences. */
static bool
in_sight(const Flattener *f, const Known *k)
{
	const Frame *fr = k->frame;

	return fr->function == f->frame->function && fr->depth >= f->frame->outside && k->bind->dst[0]->id >= fr->since;
}

/* On the way those go that were made in blocks since closed. */
static const Bind *
find_known(Flattener *f, uint64_t h, const Bind *b)
{
	Known **at = f->nbucket ? &f->known[h % (unsigned)f->nbucket] : NULL, *gone;

	while (at && *at) {
		if ((*at)->frame->closed) {
			gone = *at;
			*at = gone->next;
			f->nknown--;
			arena_give_back(f->arena, gone, sizeof *gone);
			continue;
		}
		if ((*at)->hash == h && bind_same((*at)->bind, b) && in_sight(f, *at)
		    && (b->nblock == 0 || blocks_alike(f->arena, (*at)->bind, b)))
			return (*at)->bind;
		at = &(*at)->next;
	}
	return NULL;
}

static void
more_buckets(Flattener *f)
{
	int n = f->nbucket ? 2 * f->nbucket : 256;
	Known **bucket = NEW(f->arena, Known *, n);

	for (int i = 0; i < f->nbucket; i++)
		for (Known *k = f->known[i], *next; k; k = next) {
			next = k->next;
			k->next = bucket[k->hash % (unsigned)n];
			bucket[k->hash % (unsigned)n] = k;
		}
	arena_give_back(f->arena, f->known, sizeof *f->known * (size_t)f->nbucket);
	f->known = bucket;
	f->nbucket = n;
}

static void
learn(Flattener *f, uint64_t h, const Bind *b)
{
	Known *k = NEW(f->arena, Known, 1), **at;

	if (f->nknown++ >= f->nbucket)
		more_buckets(f);
	at = &f->known[h % (unsigned)f->nbucket];
	*k = (Known){h, b, f->frame, *at};
	*at = k;
}

bool
is_made(Flattener *f, int op, const Ty *ty, Opnd x)
{
	Var v = {.name = "", .ty = ty}, *dst[] = {&v};
	const Bind like = {.op = op, .ndst = 1, .dst = dst, .narg = 1, .arg = &x};

	return f->nbucket > 0 && find_known(f, bind_hash(&like), &like);
}

const Bind *
emit_shared(Flattener *f, const Bind *like)
{
	uint64_t h = bind_hash(like);
	const Bind *old = f->plain ? NULL : find_known(f, h, like);
	Bind *b;

	if (old)
		return old;
	b = bind_new(f->out, f->frame->block, like->op, like->ndst, like->narg, 0, f->span);
	b->lifted = like->lifted;
	b->name = like->name;
	for (int i = 0; i < like->narg; i++)
		b->arg[i] = like->arg[i];
	if (like->nway > 0)
		bind_way(f->out, b, like->nway, like->way);
	for (int i = 0; i < like->ndst; i++) {
		b->dst[i] = fresh_like(f, like->dst[i]->name, like->dst[i]);
		made_here(f, b->dst[i], b);
	}
	if (!f->plain)
		learn(f, h, b);
	return b;
}

const Bind *
alike_in_sight(Flattener *f, const Bind *b)
{
	const uint64_t h = bind_hash(b);
	const Bind *old = find_known(f, h, b);

	if (!old)
		learn(f, h, b);
	return old;
}

/* -- emitting --------------------------------------------------------------------------------------- */

static const Bind *
pure(Flattener *f, int op, bool lifted, int ndst, const Ty *const *ty, int narg, const Opnd *arg)
{
	Var *v = NEW(f->arena, Var, ndst), **dst = NEW(f->arena, Var *, ndst);
	const Bind *b;

	for (int i = 0; i < ndst; i++) {
		v[i] = (Var){.name = f->hint ? f->hint : flan_ir.op[op].name, .ty = ty[i]};
		dst[i] = &v[i];
	}
	b = emit_shared(f, &(Bind){.op = op, .lifted = lifted, .ndst = ndst, .dst = dst, .narg = narg, .arg = (Opnd *)arg});
	arena_give_back(f->arena, v, sizeof *v * (size_t)ndst);
	arena_give_back(f->arena, dst, sizeof *dst * (size_t)ndst);
	return b;
}

Opnd
emit(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg)
{
	Opnd same;

	if (!f->plain && simplify(f, op, lifted, ty, narg, arg, &same))
		return same;
	return opnd_var(pure(f, op, lifted, 1, &ty, narg, arg)->dst[0]);
}

void
emit_many(Flattener *f, int op, bool lifted, int n, const Ty *const *ty, int narg, const Opnd *arg, Opnd *out)
{
	const Bind *b = pure(f, op, lifted, n, ty, narg, arg);

	for (int i = 0; i < n; i++)
		out[i] = opnd_var(b->dst[i]);
}

bool
is_bool(Opnd o, bool b)
{
	return o.kind == OPND_BOOL && o.u.i == b;
}

Opnd
scalar_op(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg)
{
	bool lifted = false;

	for (int i = 0; i < narg; i++)
		lifted |= is_vector(arg[i]);
	return emit(f, op, lifted, lifted ? ty_vec(ty) : ty, narg, arg);
}

void
emit_check(Flattener *f, const Way *w, const char *kind, Opnd cond, int nval, const Opnd *val)
{
	Bind *b;

	if (is_bool(cond, true))
		return;
	b = bind_new(f->out, f->frame->block, FLAN_check, 0, nval + 1, 0, f->span);
	b->lifted = is_vector(cond);
	b->name = intern(f->out->names, kind);
	b->arg[0] = cond;
	for (int i = 0; i < nval; i++)
		b->arg[i + 1] = constant_of(f, val[i]);
	bind_way(f->out, b, w->n, w->at);
}

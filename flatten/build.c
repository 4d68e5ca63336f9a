/* build.c: the blocks under construction, and common subexpressions.
 *
 * Each open block has a table of the pure bindings emitted in it; a lookup goes outward through the
 * blocks that enclose it.  The walk ends at the function, whose frame has no `up`. */
#include <string.h>
#include "flatten/flattener.h"

typedef struct Known {
	uint64_t hash;
	const Bind *bind;
	struct Known *next;
} Known;

enum { NBUCKET = 64 };

struct Frame {
	Block *block;
	Frame *up;
	int depth;
	bool fenced;                    /* what is known outside stays outside */
	Known *known[NBUCKET];
};

Frame *
frame_open(Flattener *f)
{
	Frame *fr = NEW(f->arena, Frame, 1);

	fr->block = block_new(f->out);
	fr->up = f->frame;
	fr->depth = f->frame ? f->frame->depth + 1 : 0;
	f->frame = fr;
	return fr;
}

Block *
frame_close(Flattener *f, Frame *fr)
{
	f->frame = fr->up;
	return fr->block;
}

void
frame_resume(Flattener *f, Frame *fr)
{
	f->frame = fr;
}

void
frame_fence(Flattener *f)
{
	memset(f->frame->known, 0, sizeof f->frame->known);
	f->frame->fenced = true;
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

int
var_depth(const Flattener *f, const Var *v)
{
	return f->depths.at[v->id];
}

bool
is_vector(Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->ty->kind == TY_VEC;
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

static uint64_t
hash_of(int op, bool lifted, int narg, const Opnd *arg)
{
	uint64_t h = (uint64_t)op * 2 + lifted;

	for (int i = 0; i < narg; i++)
		h = (h ^ (arg[i].kind == OPND_VAR ? (uint64_t)arg[i].u.var->id : (uint64_t)arg[i].u.i * 7 + 3))
		    * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static const Bind *
find_known(const Flattener *f, uint64_t h, int op, bool lifted, int narg, const Opnd *arg, const Ty *ty)
{
	for (const Frame *fr = f->frame; fr; fr = fr->fenced ? NULL : fr->up)
		for (const Known *k = fr->known[h % NBUCKET]; k; k = k->next) {
			const Bind *b = k->bind;
			bool same = k->hash == h && b->op == op && b->lifted == lifted && b->narg == narg
			            && ty_equal(b->dst[0]->ty, ty);

			for (int i = 0; same && i < narg; i++)
				same = same_opnd(b->arg[i], arg[i]);
			if (same)
				return b;
		}
	return NULL;
}

static const Bind *
pure(Flattener *f, int op, bool lifted, int ndst, const Ty *const *ty, int narg, const Opnd *arg)
{
	uint64_t h = hash_of(op, lifted, narg, arg);
	const Bind *old = find_known(f, h, op, lifted, narg, arg, ty[0]);
	Bind *b;
	Known *k;

	if (old)
		return old;
	b = bind_new(f->out, f->frame->block, op, ndst, narg, 0, f->span);
	b->lifted = lifted;
	for (int i = 0; i < narg; i++)
		b->arg[i] = arg[i];
	for (int i = 0; i < ndst; i++) {
		b->dst[i] = fresh(f, f->hint ? f->hint : flan_ir.op[op].name, ty[i]);
		made_here(f, b->dst[i], b);
	}
	k = NEW(f->arena, Known, 1);
	*k = (Known){h, b, f->frame->known[h % NBUCKET]};
	f->frame->known[h % NBUCKET] = k;
	return b;
}

Opnd
emit(Flattener *f, int op, bool lifted, const Ty *ty, int narg, const Opnd *arg)
{
	Opnd same;

	if (simplify(f, op, lifted, ty, narg, arg, &same))
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

static bool
is_int(Opnd o, int64_t i)
{
	return o.kind == OPND_INT && o.u.i == i;
}

static bool
is_bool(Opnd o, bool b)
{
	return o.kind == OPND_BOOL && o.u.i == b;
}

/* x + 0, x - 0, x and true: what view arithmetic makes all the time. */
static const Opnd *
neutral(int op, int narg, const Opnd *arg)
{
	if (narg != 2)
		return NULL;
	if ((op == FLAN_add || op == FLAN_sub) && is_int(arg[1], 0))
		return &arg[0];
	if (op == FLAN_add && is_int(arg[0], 0))
		return &arg[1];
	if (op == FLAN_and && is_bool(arg[1], true))
		return &arg[0];
	if (op == FLAN_and && is_bool(arg[0], true))
		return &arg[1];
	return NULL;
}

Opnd
scalar_op(Flattener *f, int op, const Ty *ty, int narg, const Opnd *arg)
{
	const Opnd *same = neutral(op, narg, arg);
	bool lifted = false;

	if (same)
		return *same;
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

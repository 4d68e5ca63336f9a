/* totask.c: flan -> lcu.
 *
 * In   flan.
 * Out  lcu with at most one task for each operator: its sources load the operands, its sink stores.
 * How  `table` says for each operator which pattern makes it.  Every task needs its width on the host: of all sizes
 *      of a class (shape/shape.h) one operand, a constant, or what came first in the scope.
 *      What `uniform` makes is two numbers here: spaces, sizes, numbers of rows and ways out are told by them.
 *      All else, and where kinds of descriptor may meet (yields, calls), wants offsets, made where they are. */
#include "fuse/totask.h"
#include "common/map.h"
#include "flatten/flan.h"
#include "fuse/deep.h"
#include "fuse/few.h"
#include "fuse/lcu.h"
#include "fuse/turns.h"
#include "fuse/unroll.h"
#include "shape/shape.h"
#include <string.h>

/* What the host has of a class of sizes. */
typedef struct {
	Opnd is;
	bool here;
} Known;

typedef struct {
	int class;
	Known before;
} Learnt;

typedef struct {
	const Program *from;
	Program *to;
	Block *out;             /* host code goes here */
	Opnd *now;              /* by Var.id of `from`: the same value in `to` */
	Map *task_names;
	Shapes *before, *shapes;        /* of the variables of `from`, of `to` */
	LIST(Known) known;      /* by class */
	LIST(Learnt) learnt;    /* what the scope knows; when it ends, it is as before */
	bool debug;
	Map *uniform;           /* Var of `to` -> the Bind that makes it, of n rows of k */
	Map *equal;             /* Var of `to` -> the Bind that makes it, eq of two ints of the host */
} Totask;

/* The task being made. */
typedef struct {
	Totask *t;
	const Bind *from;
	Bind *task;
	Block *body;
	Opnd *arg, *loaded;     /* vectors, and their elements */
	int nloaded;
	LIST(Opnd) result;
} Task;

/* -- values and sizes ------------------------------------------------------------------------- */
/* A descriptor may be uniform. */
static Opnd
now(const Totask *t, Opnd o)
{
	return o.kind == OPND_VAR ? t->now[o.u.var->id] : o;
}

static Known *
known(Totask *t, int class)
{
	while (t->known.n <= class)
		LIST_ADD(t->to->arena, &t->known, ((Known){.here = false}));
	return &t->known.at[class];
}

static void
set_known(Totask *t, int class, Opnd is)
{
	Known *k = known(t, class);

	LIST_ADD(t->to->arena, &t->learnt, ((Learnt){class, *k}));
	*k = (Known){is, true};
}

static void
learn(Totask *t, int class, Opnd is)
{
	if (!known(t, class)->here)
		set_known(t, class, is);
}

static void
forget(Totask *t, int to)
{
	while (t->learnt.n > to) {
		Learnt l = t->learnt.at[--t->learnt.n];
		t->known.at[l.class] = l.before;
	}
}

/* v as a value of this type. */
static Var *
same_as(Totask *t, Var *v, const Ty *ty)
{
	Var *w = var_new(t->to, v->name, ty);

	t->now[v->id] = opnd_var(w);
	shapes_same(t->shapes, w, t->before, v);
	return w;
}

static Var *
same_var(Totask *t, Var *v)
{
	Var *w = same_as(t, v, v->ty);

	if (w->ty->kind == TY_INT)
		learn(t, shape_value(t->shapes, w), opnd_var(w));
	else if (w->ty->kind == TY_SEGDES)
		learn(t, shape_descriptor(t->shapes, w), opnd_var(w));
	return w;
}

static bool
have(Totask *t, int class, Opnd *is)
{
	int64_t i;

	if (shape_is_constant(t->shapes, class, &i)) {
		*is = opnd_int(i);
		return true;
	}
	*is = known(t, class)->is;
	return known(t, class)->here;
}

static int
class_of(Totask *t, int op, const Var *v)
{
	return op == LCU_length ? shape_length(t->shapes, v) : op == LCU_rows ? shape_rows(t->shapes, v)
	       : shape_total(t->shapes, v);
}

/* length, rows or total of v. */
static Opnd
size_of(Totask *t, int op, Opnd v, Span span)
{
	int class = class_of(t, op, v.u.var);
	Opnd is;
	Bind *b;

	if (have(t, class, &is))
		return is;
	b = bind_new(t->to, t->out, op, 1, 1, 0, span);
	b->arg[0] = v;
	b->dst[0] = var_new(t->to, "n", &ty_int);
	shapes_value(t->shapes, b->dst[0], class);
	learn(t, class, opnd_var(b->dst[0]));
	return opnd_var(b->dst[0]);
}

/* The offsets of a descriptor, if it is uniform: those made before, or others.  Anything else as it is. */
static Opnd
with_offsets(Totask *t, Opnd o)
{
	const Bind *u;
	const Known *k;
	Bind *b;
	int class;

	if (opnd_ty(o)->kind != TY_UNIFORM)
		return o;
	class = shape_descriptor(t->shapes, o.u.var);
	k = known(t, class);
	if (k->here)
		return k->is;
	u = *map_at(t->uniform, o.u.var);
	b = bind_new(t->to, t->out, LCU_offsets, 1, 1, 0, u->span);
	b->arg[0] = o;
	b->dst[0] = var_new(t->to, o.u.var->name, &ty_segdes);
	shapes_same(t->shapes, b->dst[0], t->shapes, o.u.var);
	learn(t, class, opnd_var(b->dst[0]));
	return opnd_var(b->dst[0]);
}

static Opnd
arg(Totask *t, const Bind *b, int i)
{
	return with_offsets(t, now(t, b->arg[i]));
}

/* What all sizes of n's class are told by. */
static Opnd
width(Totask *t, Opnd n)
{
	Opnd is;

	if (n.kind != OPND_VAR)
		return n;
	if (have(t, shape_value(t->shapes, n.u.var), &is))
		return is;
	learn(t, shape_value(t->shapes, n.u.var), n);
	return n;
}

/* -- making a task ---------------------------------------------------------------------------- */
/* Is it `op`, or op_2, op_3 ..., as a value without a name of the program's is called? */
static bool
named_after(const char *name, const char *op)
{
	size_t n = strlen(op);
	return strncmp(name, op, n) == 0
		&& (!name[n] || (name[n] == '_' && name[n + 1 + strspn(name + n + 1, "0123456789")] == 0));
}

static const char *
task_name(Totask *t, const Bind *b)
{
	const char *op = t->from->ir->op[b->op].name;
	const char *name = b->ndst > 0 ? b->dst[0]->name : b->name;
	char *s = b->ndst == 0 ? arena_printf(t->to->arena, "%s_%s", op, name)
		: named_after(name, op) ? arena_printf(t->to->arena, "%s", op)
		: arena_printf(t->to->arena, "%s_%s", name, op);
	for (char *c = s; *c; c++)
		if (*c == '-')
			*c = '_';
	return map_fresh(t->task_names, t->to->arena, t->to->names, intern(t->to->names, s));
}

/* A task for b over n rows, and the elements of those of s unless it is NULL. */
static Task
task_open(Totask *t, const Bind *b, Opnd n, const Opnd *s)
{
	Task k = {.t = t, .from = b, .arg = NEW(t->to->arena, Opnd, b->narg + 1),
		.loaded = NEW(t->to->arena, Opnd, b->narg + 1)};
	k.task = bind_new(t->to, t->out, LCU_task, b->ndst, s ? 2 : 1, 1, b->span);
	k.task->name = task_name(t, b);
	k.task->arg[0] = width(t, n);
	if (s)
		k.task->arg[1] = *s;
	k.body = k.task->block[0] = block_new(t->to);
	return k;
}

static Task
flat(Totask *t, const Bind *b, Opnd n)
{
	return task_open(t, b, n, NULL);
}

/* Over the elements of a vector. */
static Task
over(Totask *t, const Bind *b, Opnd v)
{
	return flat(t, b, size_of(t, LCU_length, v, b->span));
}

/* Over the rows of b's descriptor, and their elements. */
static Task
nested(Totask *t, const Bind *b)
{
	Opnd s = now(t, b->arg[0]);

	return task_open(t, b, size_of(t, LCU_rows, s, b->span), &s);
}

static Opnd
made(Totask *t, Block *in, Span span, int op, int level, const Ty *ty, const char *hint, int narg, const Opnd *args)
{
	Bind *b = bind_new(t->to, in, op, 1, narg, 0, span);
	b->level = level;
	b->dst[0] = var_new(t->to, hint, ty);
	for (int i = 0; i < narg; i++)
		b->arg[i] = args[i];
	return opnd_var(b->dst[0]);
}

static Opnd
step(Task *k, int op, int level, const Ty *ty, const char *hint, int narg, const Opnd *args)
{
	return made(k->t, k->body, k->from->span, op, level, ty, hint, narg, args);
}

/* The element of a vector at a level, loaded once; anything else as it is.  A task loads all its
 * vectors at one level. */
static Opnd
load(Task *k, int level, Opnd v)
{
	if (!is_vector(v))
		return v;
	for (int i = 0; i < k->nloaded; i++)
		if (k->arg[i].u.var == v.u.var)
			return k->loaded[i];
	k->arg[k->nloaded] = v;
	k->loaded[k->nloaded] = step(k, LCU_load, level, opnd_ty(v)->a, v.u.var->name, 1, &v);
	return k->loaded[k->nloaded++];
}

static Opnd
load_arg(Task *k, int level, int i)
{
	return load(k, level, arg(k->t, k->from, i));
}

/* The next result of the task, of this type, by a sink (or a reduction at level 1). */
static void
sink(Task *k, int op, int level, int narg, const Opnd *args)
{
	const Var *dst = k->from->dst[k->result.n];
	LIST_ADD(k->t->to->arena, &k->result, step(k, op, level, dst->ty, dst->name, narg, args));
}

static void
store(Task *k, int level, Opnd x)
{
	sink(k, LCU_store, level, 1, &x);
}

static void
task_close(Task *k)
{
	for (int i = 0; i < k->from->ndst; i++)
		k->task->dst[i] = same_var(k->t, k->from->dst[i]);
	block_yield(k->t->to, k->body, k->result.n, k->result.at);
}

/* The way out of b becomes that of n. */
static void
copy_way(Totask *t, const Bind *b, Bind *n)
{
	bind_way(t->to, n, b->nway, b->way);
	for (int i = 0; i < n->nway; i++)
		n->way[i] = now(t, n->way[i]);
}

/* -- patterns --------------------------------------------------------------------------------- */
static void
copy(Totask *t, const Bind *b, int op)
{
	Opnd *x = NEW(t->to->arena, Opnd, b->narg);
	for (int i = 0; i < b->narg; i++)
		x[i] = arg(t, b, i);
	Bind *n = bind_new(t->to, t->out, op, b->ndst, b->narg, 0, b->span);
	n->arg = x;
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = same_var(t, b->dst[i]);
	n->name = b->name;
	n->text = b->text;
	n->textlen = b->textlen;
	copy_way(t, b, n);
	if (op == LCU_eq && opnd_ty(n->arg[0])->kind == TY_INT)
		*map_at(t->equal, n->dst[0]) = n;
}

static void
size(Totask *t, const Bind *b, int op)
{
	if (t->debug) {                         /* what it is, not what it is known to be */
		Opnd x = now(t, b->arg[0]);
		t->now[b->dst[0]->id] = made(t, t->out, b->span, op, 0, &ty_int, b->dst[0]->name, 1, &x);
		return;
	}
	t->now[b->dst[0]->id] = size_of(t, op, now(t, b->arg[0]), b->span);
}

/* n rows of k: no memory. */
static void
uniform(Totask *t, const Bind *b, int op)
{
	Bind *n = bind_new(t->to, t->out, op, 1, 2, 0, b->span);
	n->arg[0] = width(t, now(t, b->arg[0]));
	n->arg[1] = now(t, b->arg[1]);
	n->dst[0] = same_as(t, b->dst[0], &ty_uniform);
	*map_at(t->uniform, n->dst[0]) = n;
	learn(t, shape_rows(t->shapes, n->dst[0]), n->arg[0]);
}

/* Where row i of a uniform descriptor begins, or how long it is; out of range gives 0. */
static Opnd
row_of(Totask *t, Block *in, const Bind *b, int level, Opnd s, Opnd i, int op)
{
	const Bind *u = *map_at(t->uniform, s.u.var);
	const char *hint = b->dst[0]->name;
	Opnd within[] = {i, u->arg[0]}, at[] = {i, u->arg[1]};
	Opnd is[] = {made(t, in, b->span, LCU_in_range, level, &ty_bool, hint, 2, within), u->arg[1], opnd_int(0)};

	if (op == LCU_row_start)
		is[1] = made(t, in, b->span, LCU_mul, level, &ty_int, hint, 2, at);
	return made(t, in, b->span, LCU_select, level, &ty_int, hint, 3, is);
}

/* On the host. */
static void
row_number(Totask *t, const Bind *b, int op)
{
	Opnd s = now(t, b->arg[0]);

	if (opnd_ty(s)->kind != TY_UNIFORM) {
		copy(t, b, op);
		return;
	}
	t->now[b->dst[0]->id] = row_of(t, t->out, b, 0, s, arg(t, b, 1), op);
}

static Opnd
first_vector(Totask *t, const Bind *b)
{
	int i = 0;
	while (!is_vector(arg(t, b, i)))
		i++;
	return arg(t, b, i);
}

/* All operands at level 1. */
static const Opnd *
load_args(Task *k)
{
	Opnd *x = NEW(k->t->to->arena, Opnd, k->from->narg);
	for (int i = 0; i < k->from->narg; i++)
		x[i] = load_arg(k, 1, i);
	return x;
}

static void
elementwise(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, first_vector(t, b));
	const Opnd *x = load_args(&k);
	store(&k, 1, step(&k, op, 1, b->dst[0]->ty->a, b->dst[0]->name, b->narg, x));
	task_close(&k);
}

/* A reduction, or a descriptor made of lengths: one step takes the elements and gives the result. */
static void
fold(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	sink(&k, op, 1, b->narg, load_args(&k));
	task_close(&k);
}

/* A reduction or scan of the operands from i on at a level; what it gives is stored at level `to`. */
static void
fold_and_store(Task k, int i, int op, int level, int to)
{
	const Bind *b = k.from;
	Opnd x[2];
	for (int j = i; j < b->narg; j++)
		x[j - i] = load_arg(&k, level, j);
	store(&k, to, step(&k, op, level, b->dst[0]->ty->a, b->dst[0]->name, b->narg - i, x));
	task_close(&k);
}

static void
seg_reduce(Totask *t, const Bind *b, int op)
{
	fold_and_store(nested(t, b), 1, op, 2, 1);
}

static void
scan(Totask *t, const Bind *b, int op)
{
	fold_and_store(over(t, b, arg(t, b, 0)), 0, op, 1, 1);
}

static void
seg_scan(Totask *t, const Bind *b, int op)
{
	fold_and_store(nested(t, b), 1, op, 2, 2);
}

/* lengths, starts: of each row, one number of its descriptor */
static void
of_rows(Totask *t, const Bind *b, int op)
{
	Opnd s = now(t, b->arg[0]);
	Task k = flat(t, b, size_of(t, LCU_rows, s, b->span));
	const Bind *u = *map_at(t->uniform, s.u.var);
	const char *hint = b->dst[0]->name;
	if (!u) {
		store(&k, 1, step(&k, op, 1, &ty_int, hint, 1, &s));
	} else if (op == LCU_seg_length) {
		store(&k, 1, u->arg[1]);
	} else {
		Opnd at[] = {step(&k, LCU_index, 1, &ty_int, hint, 0, NULL), u->arg[1]};
		store(&k, 1, step(&k, LCU_mul, 1, &ty_int, hint, 2, at));
	}
	task_close(&k);
}

static void
iota(Totask *t, const Bind *b, int op)
{
	Task k = flat(t, b, arg(t, b, 0));
	store(&k, 1, step(&k, op, 1, &ty_int, b->dst[0]->name, 0, NULL));
	task_close(&k);
}

/* iota^, rowid: a position within the nest, of each element */
static void
of_elements(Totask *t, const Bind *b, int op)
{
	Task k = nested(t, b);
	store(&k, 2, step(&k, op, 2, &ty_int, b->dst[0]->name, 0, NULL));
	task_close(&k);
}

static void
dist(Totask *t, const Bind *b, int op)
{
	Task k = flat(t, b, arg(t, b, 1));
	Opnd x = arg(t, b, 0);
	sink(&k, op, 1, 1, &x);
	task_close(&k);
}

static void
seg_dist(Totask *t, const Bind *b, int op)
{
	Task k = nested(t, b);
	Opnd x = load_arg(&k, 1, 1);
	sink(&k, op, 2, 1, &x);
	task_close(&k);
}

/* Of a vector, or a number of a descriptor's rows, what the indices say. */
static void
gather(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 1));
	Opnd from[] = {now(t, b->arg[0]), load_arg(&k, 1, 1)};
	if (opnd_ty(from[0])->kind == TY_UNIFORM)
		store(&k, 1, row_of(t, k.body, b, 1, from[0], from[1], op));
	else
		store(&k, 1, step(&k, op, 1, b->dst[0]->ty->a, b->dst[0]->name, 2, from));
	task_close(&k);
}

static void
permute(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	Opnd to[] = {load_arg(&k, 1, 0), load_arg(&k, 1, 1)};
	sink(&k, op, 1, 2, to);
	task_close(&k);
}

static void
mark(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 1));
	Opnd to[] = {arg(t, b, 0), load_arg(&k, 1, 1), arg(t, b, 2)};
	sink(&k, op, 1, 3, to);
	task_close(&k);
}

static void
put_folded(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	Opnd to[] = {load_arg(&k, 1, 0), load_arg(&k, 1, 1), arg(t, b, 2)};
	sink(&k, op, 1, 3, to);
	task_close(&k);
}

static void
pack(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	Opnd keep[] = {load_arg(&k, 1, 0), step(&k, LCU_index, 1, &ty_int, "e", 0, NULL)};
	sink(&k, op, 1, 2, keep);
	task_close(&k);
}

static void
seg_pack(Totask *t, const Bind *b, int op)
{
	Task k = nested(t, b);
	Opnd keep[] = {load_arg(&k, 2, 1), step(&k, LCU_index, 2, &ty_int, "e", 0, NULL)};
	sink(&k, LCU_keep_segdes, 2, 1, keep);
	sink(&k, op, 2, 2, keep);
	task_close(&k);
}

static void
split(Totask *t, const Bind *b, int op)
{
	Opnd yes[3], no[3];
	if (b->narg > 1) {
		Opnd n[] = {size_of(t, LCU_length, arg(t, b, 0), b->span), arg(t, b, 1)};
		yes[2] = n[1];
		no[2] = made(t, t->out, b->span, LCU_sub, 0, &ty_int, "n", 2, n);
	}
	Task k = over(t, b, arg(t, b, 0));
	yes[0] = load_arg(&k, 1, 0);
	yes[1] = no[1] = step(&k, LCU_index, 1, &ty_int, "e", 0, NULL);
	no[0] = step(&k, LCU_not, 1, &ty_bool, "no", 1, yes);
	sink(&k, op, 1, b->narg + 1, yes);
	sink(&k, op, 1, b->narg + 1, no);
	task_close(&k);
}

static void
deal(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	Opnd which = load_arg(&k, 1, 0), e = step(&k, LCU_index, 1, &ty_int, "e", 0, NULL);

	for (int i = 0; i < b->ndst; i++) {
		Opnd is[] = {which, opnd_int(i)}, keep[] = {step(&k, LCU_eq, 1, &ty_bool, "is", 2, is), e};

		sink(&k, op, 1, 2, keep);
	}
	task_close(&k);
}

/* Where f is true the next of x, which is at the number of true ones before; else of y, likewise. */
static void
combine(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	Opnd f = load_arg(&k, 1, 0), one = step(&k, LCU_btoi, 1, &ty_int, "one", 1, &f);
	Opnd i = step(&k, LCU_plus_scan, 1, &ty_int, "i", 1, &one);
	Opnd before[] = {step(&k, LCU_index, 1, &ty_int, "e", 0, NULL), i};
	Opnd j = step(&k, LCU_sub, 1, &ty_int, "j", 2, before);
	Opnd x[] = {arg(t, b, 1), i}, y[] = {arg(t, b, 2), j};
	const Ty *ty = b->dst[0]->ty->a;
	Opnd pick[] = {f, step(&k, LCU_fetch, 1, ty, "x", 2, x), step(&k, LCU_fetch, 1, ty, "y", 2, y)};
	store(&k, 1, step(&k, op, 1, ty, b->dst[0]->name, 3, pick));
	task_close(&k);
}

static void
seg_check(Totask *t, const Bind *b, int op)
{
	Task k = over(t, b, arg(t, b, 0));
	const Opnd *x = load_args(&k);
	Bind *c = bind_new(t->to, k.body, op, 0, b->narg, 0, b->span);
	c->level = 1;
	c->name = b->name;
	memcpy(c->arg, x, sizeof *x * (size_t)b->narg);
	copy_way(t, b, c);
	task_close(&k);
}

/* A scalar function at each element: what it takes as a whole is passed as it is. */
static void
call_each(Totask *t, const Bind *b, int op)
{
	const Fun *f = fun_find(t->from, b->name);
	Opnd *x = NEW(t->to->arena, Opnd, f->nparam + 1);
	for (int i = 0; i < f->nparam; i++)
		x[i] = arg(t, b, i + 1);
	Task k = flat(t, b, arg(t, b, 0));
	for (int i = 0; i < f->nparam; i++)
		if (ty_scalar(f->param[i]->ty))
			x[i] = load(&k, 1, x[i]);
	Bind *c = bind_new(t->to, k.body, op, b->ndst, f->nparam, 0, b->span);
	c->level = 1;
	c->name = b->name;
	memcpy(c->arg, x, sizeof *x * (size_t)f->nparam);
	copy_way(t, b, c);
	for (int i = 0; i < b->ndst; i++)
		c->dst[i] = var_new(t->to, b->dst[i]->name, f->result[i]);
	for (int i = 0; i < b->ndst; i++)
		store(&k, 1, opnd_var(c->dst[i]));
	task_close(&k);
}

/* What is taken over comes first. */
static void
put(Totask *t, const Bind *b, int op)
{
	Opnd d = arg(t, b, 2), v = arg(t, b, 0), i = arg(t, b, 1);
	Bind *n = bind_new(t->to, t->out, op, 1, 3, 0, b->span);
	n->arg[0] = d;
	n->arg[1] = v;
	n->arg[2] = i;
	n->dst[0] = same_var(t, b->dst[0]);
}

/* Sizes that were read on the other side are read again.  The list stays: scopes around this one end where they began. */
static void
clock(Totask *t, const Bind *b, int op)
{
	for (int i = 0; i < t->learnt.n; i++)
		t->known.at[t->learnt.at[i].class].here = t->learnt.at[i].before.here = false;
	copy(t, b, op);
}

/* Behind it, sizes that it found equal are told by one: spaces of tasks are one space then. */
static void
host_check(Totask *t, const Bind *b, int op)
{
	Opnd x = arg(t, b, 0);
	const Bind *eq = x.kind == OPND_VAR ? *map_at(t->equal, x.u.var) : NULL;

	copy(t, b, op);
	if (!eq)
		return;
	Opnd p = width(t, eq->arg[0]), q = width(t, eq->arg[1]);
	bool first = p.kind != OPND_VAR || (q.kind == OPND_VAR && p.u.var->id < q.u.var->id);
	Opnd other = eq->arg[first];
	if (other.kind == OPND_VAR)
		set_known(t, shape_value(t->shapes, other.u.var), first ? p : q);
}

static Block *copy_block(Totask *t, const Block *b);

static void
branch(Totask *t, const Bind *b, int op)
{
	Opnd cond = arg(t, b, 0);
	Bind *n = bind_new(t->to, t->out, op, b->ndst, 1, 2, b->span);
	n->arg[0] = cond;
	for (int i = 0; i < 2; i++)
		n->block[i] = copy_block(t, b->block[i]);
	for (int i = 0; i < b->ndst; i++)
		n->dst[i] = same_var(t, b->dst[i]);
}

/* -- operators -------------------------------------------------------------------------------- */
typedef struct {
	void (*make)(Totask *, const Bind *, int op);
	int op;                 /* of lcu; what it is for is the pattern's business */
} Row;

/* By operator of flan, and whether it is lifted. */
static const Row table[FLAN_NOP][2] = {
	[FLAN_length] = {{size, LCU_length}},
	[FLAN_rows] = {{size, LCU_rows}},
	[FLAN_total] = {{size, LCU_total}},
	[FLAN_lengths] = {{of_rows, LCU_seg_length}},
	[FLAN_starts] = {{of_rows, LCU_seg_start}},
	[FLAN_row_start] = {{row_number, LCU_row_start}, {gather, LCU_row_start}},
	[FLAN_row_length] = {{row_number, LCU_row_length}, {gather, LCU_row_length}},
	[FLAN_sole] = {{copy, LCU_sole}},
	[FLAN_segdes] = {{fold, LCU_segdes}},
	[FLAN_segdes_of] = {{fold, LCU_segdes_of}},
	[FLAN_uniform] = {{uniform, LCU_uniform}},
	[FLAN_area] = {{copy, LCU_area}},
	[FLAN_compose] = {{copy, LCU_compose}},
	[FLAN_iota] = {{iota, LCU_index}, {of_elements, LCU_inner}},
	[FLAN_rowid] = {{of_elements, LCU_row}},
	[FLAN_dist] = {{dist, LCU_store}, {seg_dist, LCU_store}},
	[FLAN_gather] = {{gather, LCU_fetch}},
	[FLAN_elem] = {{copy, LCU_elem}},
	[FLAN_pack] = {{pack, LCU_keep}, {seg_pack, LCU_keep}},
	[FLAN_split] = {{split, LCU_keep}},
	[FLAN_deal] = {{deal, LCU_keep}},
	[FLAN_combine] = {{combine, LCU_select}},
	[FLAN_append] = {{copy, LCU_append}},
	[FLAN_extend] = {{copy, LCU_extend}},
	[FLAN_concat] = {{copy, LCU_concat}},
	[FLAN_vector] = {{copy, LCU_vector}},
	[FLAN_chars] = {{copy, LCU_chars}},
	[FLAN_rank] = {{copy, LCU_rank}, {copy, LCU_seg_rank}},
	[FLAN_rank_down] = {{copy, LCU_rank_down}, {copy, LCU_seg_rank_down}},
	[FLAN_sort] = {{copy, LCU_sort}, {copy, LCU_seg_sort}},
	[FLAN_group] = {{copy, LCU_group}},
	[FLAN_group_sum] = {{copy, LCU_group_sum}},
	[FLAN_apart] = {{copy, LCU_apart}},
	[FLAN_batch_from] = {{copy, LCU_batch_from}},
	[FLAN_batch_rows] = {{copy, LCU_batch_rows}},
	[FLAN_small] = {{copy, LCU_small}},
	[FLAN_permute] = {{permute, LCU_scatter}},
	[FLAN_permute_ok] = {{copy, LCU_permute_ok}},
	[FLAN_put] = {{put, LCU_put}},
	[FLAN_mark] = {{mark, LCU_mark}},
	[FLAN_put_sum] = {{put_folded, LCU_put_sum}},
	[FLAN_put_max] = {{put_folded, LCU_put_max}},
	[FLAN_check] = {{host_check, LCU_host_check}, {seg_check, LCU_check}},
	[FLAN_clock] = {{clock, LCU_clock}},
	[FLAN_cell] = {{copy, LCU_cell}},
	[FLAN_peek] = {{copy, LCU_peek}},
	[FLAN_call] = {{copy, LCU_call}, {call_each, LCU_call}},
	[FLAN_effect] = {{copy, LCU_effect}},
	[FLAN_if] = {{branch, LCU_if}},
};

/* The primitives have one number in all IRs. */
static Row
pattern_of(const Bind *b)
{
	switch (flan_ir.op[b->op].cls) {
	case OP_SCALAR: return (Row){b->lifted ? elementwise : copy, b->op};
	case OP_REDUCE: return (Row){b->lifted ? seg_reduce : fold, b->op};
	case OP_SCAN: return (Row){b->lifted ? seg_scan : scan, b->op};
	case OP_SEQUENCE:
	case OP_VECTOR:
	case OP_SOURCE:
	case OP_SINK:
	case OP_LIBRARY:
	case OP_HOST:
	case OP_STATE:
	case OP_EFFECT:
	case OP_CONTROL: break;
	}
	return table[b->op][b->lifted];
}

static Block *
copy_block(Totask *t, const Block *b)
{
	Block *outer = t->out, *n = t->out = block_new(t->to);
	int learnt = t->learnt.n;
	for (const Bind *x = b->first; x; x = x->next) {
		Row r = pattern_of(x);
		if (!r.make)
			ice(x->span, "totask", "no pattern for %s", flan_ir.op[x->op].name);
		r.make(t, x, r.op);
	}
	Opnd *y = NEW(t->to->arena, Opnd, b->nyield);
	for (int i = 0; i < b->nyield; i++)
		y[i] = with_offsets(t, now(t, b->yield[i]));
	block_yield(t->to, n, b->nyield, y);
	forget(t, learnt);
	t->out = outer;
	return n;
}

static void
copy_fun(Totask *t, Fun *f)
{
	Var **param = NEW(t->to->arena, Var *, f->nparam);

	for (int i = 0; i < f->nparam; i++)
		param[i] = same_var(t, f->param[i]);
	f->param = param;
	f->body = copy_block(t, f->body);
	forget(t, 0);
}

void
totask(Unit *u)
{
	unroll(u);
	turns(u);
	deep(u);
	few(u);
	const Program *p = u->ir;
	Totask t = {.from = p, .to = program_copy(p, &lcu_ir), .debug = u->debug,
		.now = NEW(u->arena, Opnd, p->nvar), .task_names = map_new(u->arena),
		.uniform = map_new(u->arena), .equal = map_new(u->arena),
		.before = u->shapes ? u->shapes : shapes_new(u->arena, p->int_bits)};

	t.shapes = shapes_like(t.before);
	for (Fun *f = t.to->funs; f; f = f->next)
		copy_fun(&t, f);
	for (Entry *e = t.to->entries; e; e = e->next)
		if (e->body)
			e->body = copy_block(&t, e->body);
	ir_name(t.to);
	u->ir = t.to;
	u->shapes = t.shapes;
}

/* rowloop.c: folds of one row as a loop over its elements, which is a scalar function that ends in a call of itself:
 *
 *     rec scalar fun sum_of_row(n:int, i:int, sum:int, x..) -> int {
 *             more:bool = lt i, n
 *             r:int = if more { the members at i; sum' = add sum, member; i' = add i, 1; yield call sum_of_row n, i', sum', x.. } { yield sum }
 *             yield r
 *     }
 *
 * with the members' operators in their order of need: iota^ t = i, gather v m = elem v m.  Of what is the same for all of a row the loop is told. */
#include "fuse/rowloop.h"
#include <string.h>
#include "flatten/flan.h"
#include "frontend/scalar.h"

typedef enum { UNKNOWN, SAME, VARIES } Known;

typedef struct Loop {
	Program *p;
	const Members *m;
	const Bind *const *made;
	Block *body;            /* of one round */
	Opnd i;
	Opnd *now;              /* by Var.id: of what is outside, or a member: what it is here */
	bool *have;
	RowArgs *arg;
	LIST(Var *) param;      /* for these */
	Known *same;            /* by Var.id, of members */
	Span span;
} Loop;

static Opnd
param(Loop *l, RowArg a, const char *name, const Ty *ty)
{
	Var *v = var_new(l->p, name, ty);

	LIST_ADD(l->p->arena, l->arg, a);
	LIST_ADD(l->p->arena, &l->param, v);
	return opnd_var(v);
}

/* What is no member. */
static Opnd
outside(Loop *l, Opnd v)
{
	const int id = v.kind == OPND_VAR ? v.u.var->id : 0;

	if (v.kind != OPND_VAR)
		return v;
	if (!l->have[id])
		l->now[id] = param(l, (RowArg){v, false}, v.u.var->name, v.u.var->ty);
	l->have[id] = true;
	return l->now[id];
}

/* Is it a member's, at the places of what is kept? Then it is that member. */
static bool
is_kept(const Loop *l, const Bind *b)
{
	return b->op == FLAN_gather && is_place(l->m, b->arg[1]);
}

/* Is the member the same for all of a row? */
static bool
is_same(Loop *l, Opnd o)
{
	Known *k = &l->same[o.u.var->id];
	const Bind *b = l->made[o.u.var->id];

	if (*k != UNKNOWN)
		return *k == SAME;
	*k = b->lifted && b->op == FLAN_iota ? VARIES : SAME;
	for (int i = b->op == FLAN_call; i < b->narg && *k == SAME; i++)
		if (is_member(l->m, b->arg[i]) && !is_same(l, b->arg[i]))
			*k = VARIES;
	return *k == SAME;
}

static Opnd member(Loop *l, Opnd o);

static void
put(Loop *l, const Bind *b, int op, int narg, const Opnd *arg)
{
	Bind *n = bind_new(l->p, l->body, op, b->ndst, narg, 0, b->span);

	for (int i = 0; i < narg; i++)
		n->arg[i] = arg[i];
	n->name = b->name;
	for (int i = 0; i < b->ndst; i++) {
		const int id = b->dst[i]->id;

		n->dst[i] = var_new(l->p, b->dst[i]->name, b->dst[i]->ty->a);
		l->now[id] = opnd_var(n->dst[i]);
		l->have[id] = true;
	}
}

static void
step(Loop *l, const Bind *b)
{
	Opnd *arg = NEW(l->p->arena, Opnd, b->narg);
	const bool calls = b->op == FLAN_call;

	for (int i = calls; i < b->narg; i++)
		arg[i - calls] = is_member(l->m, b->arg[i]) ? member(l, b->arg[i]) : outside(l, b->arg[i]);
	put(l, b, b->op == FLAN_gather ? FLAN_elem : b->op, b->narg - calls, arg);
}

/* The element of a member at i. */
static Opnd
member(Loop *l, Opnd o)
{
	const int id = o.u.var->id;
	const Bind *b = l->made[id];

	if (l->have[id])
		return l->now[id];
	if (is_same(l, o))
		l->now[id] = param(l, (RowArg){o, true}, o.u.var->name, o.u.var->ty->a);
	else if (b->lifted && b->op == FLAN_iota)
		l->now[id] = l->i;
	else if (is_kept(l, b))
		l->now[id] = member(l, b->arg[0]);
	else
		step(l, b);
	l->have[id] = true;
	return l->now[id];
}

static const char *
new_name(const Program *p, const char *name)
{
	const char *is = arena_printf(p->arena, "%s_of_row", name);

	for (int i = 2; fun_find(p, is); i++)
		is = arena_printf(p->arena, "%s_of_row_%d", name, i);
	return is;
}

static Opnd
add_bind(Loop *l, Block *to, int op, const char *hint, const Ty *ty, int narg, const Opnd *arg)
{
	Bind *n = bind_new(l->p, to, op, 1, narg, 0, l->span);

	memcpy(n->arg, arg, (size_t)narg * sizeof *arg);
	n->dst[0] = var_new(l->p, hint, ty);
	return opnd_var(n->dst[0]);
}

#define ADD(l, op, hint, ty, ...) \
	add_bind(l, (l)->body, op, hint, ty, (int)(sizeof (Opnd[]){__VA_ARGS__} / sizeof(Opnd)), (Opnd[]){__VA_ARGS__})

/* Is the element kept?  true, if all are. */
static Opnd
condition(Loop *l, Opnd rows)
{
	const int id = rows.u.var->id;
	const Bind *keep = l->m->keep[id];
	Opnd before;

	if (!keep)
		return opnd_bool(true);
	if (!l->have[id]) {
		before = condition(l, keep->arg[0]);
		l->now[id] = member(l, keep->arg[1]);
		if (before.kind == OPND_VAR)
			l->now[id] = ADD(l, FLAN_and, "kept", &ty_bool, before, l->now[id]);
	}
	l->have[id] = true;
	return l->now[id];
}

int
row_results(const RowFold *f)
{
	return op_finds_place(&flan_ir.op[f->op]) ? 2 : 1;
}

Opnd
row_begin(const Program *p, const RowFold *f, int i)
{
	const Ty *ty = is_vector(f->of) ? opnd_ty(f->of)->a : opnd_ty(f->of);

	return i > 0 ? opnd_int(int_greatest(p->int_bits)) : scalar_opnd(ty, scalar_identity(p->int_bits, flan_ir.op[f->op].name, ty));
}

/* One element more: so far, what is folded before, becomes what is with it. */
static void
fold(Loop *l, const RowFold *f, Opnd *so_far)
{
	const OpInfo *op = &flan_ir.op[f->op];
	const int base = ir_find(&flan_ir, op->base);
	const Opnd x = is_vector(f->of) ? member(l, f->of) : f->of, kept = condition(l, f->rows);
	const Ty *ty = opnd_ty(x);
	Opnd next[2], better, first;

	if (op_finds_place(op)) {
		const Opnd at = member(l, f->place);

		better = ADD(l, base, "better", &ty_bool, x, so_far[0]);
		first = ADD(l, FLAN_and, "first", &ty_bool, ADD(l, FLAN_eq, "equal", &ty_bool, x, so_far[0]), ADD(l, FLAN_lt, "before", &ty_bool, at, so_far[1]));
		next[0] = ADD(l, FLAN_select, "best", ty, better, x, so_far[0]);
		next[1] = ADD(l, FLAN_select, f->name, &ty_int, ADD(l, FLAN_or, "better", &ty_bool, better, first), at, so_far[1]);
	} else {
		next[0] = ADD(l, base, f->name, ty, so_far[0], x);
	}
	for (int i = 0; i < row_results(f); i++)
		so_far[i] = kept.kind == OPND_VAR ? ADD(l, FLAN_select, f->name, opnd_ty(next[i]), kept, next[i], so_far[i]) : next[i];
}

/* What is called again: with what is folded so far, and all else as it is. */
static void
again(Loop *l, const Fun *f, Opnd next, const Opnd *so_far)
{
	const int n = f->nresult;
	Bind *call = bind_new(l->p, l->body, FLAN_call, n, f->nparam, 0, l->span);
	Opnd *y = NEW(l->p->arena, Opnd, n);

	call->name = f->name;
	for (int i = 0; i < f->nparam; i++)
		call->arg[i] = i == 1 ? next : i >= 2 && i < 2 + n ? so_far[i - 2] : opnd_var(f->param[i]);
	for (int i = 0; i < n; i++)
		y[i] = opnd_var(call->dst[i] = var_new(l->p, f->param[2 + i]->name, f->result[i]));
	block_yield(l->p, l->body, n, y);
}

static Block *
results(Program *p, int n, Var *const *v)
{
	Block *b = block_new(p);
	Opnd *y = NEW(p->arena, Opnd, n);

	for (int i = 0; i < n; i++)
		y[i] = opnd_var(v[i]);
	block_yield(p, b, n, y);
	return b;
}

/* The body: a round, if there are more elements. */
static void
finish(Loop *l, Fun *f)
{
	const int n = f->nresult;
	Block *body = block_new(l->p);
	const Opnd more = add_bind(l, body, FLAN_lt, "more", &ty_bool, 2, (Opnd[]){opnd_var(f->param[1]), opnd_var(f->param[0])});
	Bind *branch = bind_new(l->p, body, FLAN_if, n, 1, 2, l->span);
	Opnd *y = NEW(l->p->arena, Opnd, n);

	branch->arg[0] = more;
	branch->block[0] = l->body;
	branch->block[1] = results(l->p, n, f->param + 2);
	for (int i = 0; i < n; i++)
		y[i] = opnd_var(branch->dst[i] = var_new(l->p, f->param[2 + i]->name, f->result[i]));
	block_yield(l->p, body, n, y);
	f->body = body;
}

static Fun *
fun_new(Program *p, const char *name, int nresult, Span span)
{
	Fun *f = NEW(p->arena, Fun, 1), **last = &p->funs;

	while (*last)
		last = &(*last)->next;
	*f = (Fun){.name = new_name(p, name), .result = NEW(p->arena, const Ty *, nresult), .nresult = nresult, .recursive = true, .scalar = true,
		.span = span};
	return *last = f;
}

Fun *
row_loop(Program *p, const Members *m, const Bind *const *made, const char *name, Span span, int nfold, const RowFold *fold_of, RowArgs *arg)
{
	Arena *scratch = arena_new();
	Fun *f = fun_new(p, name, 2 * nfold, span);
	Loop l = {.p = p, .m = m, .made = made, .body = block_new(p), .now = NEW(scratch, Opnd, m->nvar), .have = NEW(scratch, bool, m->nvar),
		.same = NEW(scratch, Known, m->nvar), .arg = arg, .span = span};
	Opnd *so_far = NEW(scratch, Opnd, 2 * nfold);
	LIST(Var *) all = {0};
	int n = 0;

	LIST_ADD(p->arena, &all, var_new(p, "n", &ty_int));
	LIST_ADD(p->arena, &all, var_new(p, "i", &ty_int));
	l.i = opnd_var(all.at[1]);
	for (int k = 0; k < nfold; k++)
		for (int i = 0; i < row_results(&fold_of[k]); i++) {
			f->result[n] = opnd_ty(row_begin(p, &fold_of[k], i));
			LIST_ADD(p->arena, &all, var_new(p, fold_of[k].name, f->result[n]));
			so_far[n++] = opnd_var(all.at[all.n - 1]);
		}
	f->nresult = n;
	n = 0;
	for (int k = 0; k < nfold; k++) {
		fold(&l, &fold_of[k], so_far + n);
		n += row_results(&fold_of[k]);
	}
	for (int i = 0; i < l.param.n; i++)
		LIST_ADD(p->arena, &all, l.param.at[i]);
	f->param = all.at;
	f->nparam = all.n;
	again(&l, f, ADD(&l, FLAN_add, "i", &ty_int, l.i, opnd_int(1)), so_far);
	finish(&l, f);
	arena_free(scratch);
	return f;
}

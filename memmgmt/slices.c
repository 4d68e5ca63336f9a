/* slices.c: large apply-to-eaches, in slices.
 *
 * In   normal.
 * Out  normal.  An apply-to-each at the host, of elements for which sequences are made,
 *
 *          r = foreach xs, ys { (x, y) .. yield e }
 *
 *      is a call of a loop over slices of it, whose results are appended:
 *
 *          rec fun slices(free.., xs, ys, from, done) =
 *            n = slice k, from, #xs - from                   how many of them are next; 0: none is left
 *            if n > 0 then to = from + n;
 *                slices(free.., xs, ys, to, done ++ foreach xs[from:to], ys[from:to] { .. })
 *            else done
 *
 *      An entry in which there are such is done whole at first, as without a limit: it is itself a loop, over two,
 *
 *          n = slice k, 0, 2
 *          if n > 1 then the entry as it was else the entry in slices
 *
 * How  Piecewise execution (Reppy and Sandler, section 7.1), but of what the programmer wrote, before flattening, so that
 *      whatever is made within the elements is made for a slice.  What is of the host is an entry, or a function that
 *      it calls: of that there is a copy, in slices.  Rows of other sequences cost their descriptors only, so an
 *      apply-to-each that makes no more than these, or only scalars, stays as it is.
 *      An apply-to-each whose result is another's sequence, and nothing else, is done together with that, also if
 *      a function gives it: what is reduced or consumed row by row is there for a slice only, whether or not it has
 *      a name.  So is what is flattened and folded, as it is folded by rows.
 *      Sequences of different lengths: the check that a slice does not make is made before the loop, by an
 *      apply-to-each over all that computes nothing. */
#include "memmgmt/slices.h"
#include "common/map.h"
#include "frontend/normal.h"

typedef struct {
	Program *p;
	const Program *normal;  /* as it came */
	Map *host;              /* by name of a function: its copy in slices; NULL: there is none */
	Map *makes;             /* by name: itself if it makes sequences; the program if not; NULL: not known yet */
	Map *large;             /* by name: the same of functions with an apply-to-each that is to be in slices */
	Map *total;             /* by name: the same of functions in which nothing can go wrong */
	Fun **end;              /* where the next loop goes */
	int loops;
} Slices;

typedef struct {
	Opnd *with;             /* by Var.id: what stands in its place; .kind is OPND_VAR with no variable: nothing does */
	bool *bound;            /* by Var.id: within the body */
	bool renews;            /* what it binds is to have other variables */
	LIST(Var *) free;
} Body;

/* -- what is worth it ---------------------------------------------------------------------------- */
typedef bool Is(Slices *s, const Bind *b);

/* Is there such a binding, also in functions that are called?  known: what was found of these. */
static bool
holds(Slices *s, Is *is, Map *known, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		void **of = b->op == NORMAL_call ? map_at(known, b->name) : NULL;
		const Fun *f = of ? fun_find(s->p, b->name) : NULL;
		bool some = is(s, b);
		if (of && !*of) {
			*of = s->p;             /* while we are looking: a call that comes back here adds nothing */
			some = holds(s, is, known, f->body);
			*map_at(known, b->name) = some ? (void *)f : (void *)s->p;
		} else if (of) {
			some = *of == f;
		}
		for (int i = 0; i < b->nblock; i++)
			some = some || holds(s, is, known, b->block[i]);
		if (some)
			return true;
	}
	return false;
}

/* An apply-to-each, or one of the operators whose results are in memory if they are for rows. */
static bool
makes(Slices *s, const Bind *b)
{
	static const int also[] = {NORMAL_foreach, NORMAL_append, NORMAL_rank, NORMAL_rank_down, NORMAL_sort, NORMAL_permute, NORMAL_put,
		NORMAL_put_sum, NORMAL_put_max, NORMAL_group};

	for (size_t i = 0; i < sizeof also / sizeof *also; i++)
		if (b->op == also[i])
			return true;
	return s->p->ir->op[b->op].cls == OP_SCAN;
}

static bool
makes_sequences(Slices *s, const Block *k)
{
	return holds(s, makes, s->makes, k);
}

static bool
is_large(Slices *s, const Bind *b)
{
	return b->op == NORMAL_foreach && makes_sequences(s, b->block[0]);
}

static bool
wants_slices(Slices *s, const Block *k)
{
	return holds(s, is_large, s->large, k);
}

/* -- the body in another function ------------------------------------------------------------------ */
static bool
replaced(const Body *y, Opnd o)
{
	return o.kind == OPND_VAR && (y->with[o.u.var->id].kind != OPND_VAR || y->with[o.u.var->id].u.var);
}

static Opnd
placed(const Body *y, Opnd o)
{
	return replaced(y, o) ? y->with[o.u.var->id] : o;
}

static Var **
renewed(Slices *s, Body *y, Var **v, int n)
{
	Var **to = NEW(s->p->arena, Var *, n);
	for (int i = 0; i < n; i++) {
		to[i] = y->renews ? var_new(s->p, v[i]->name, v[i]->ty) : v[i];
		if (y->renews)
			y->with[v[i]->id] = opnd_var(to[i]);
	}
	return to;
}

static void
bound(Body *y, const Block *k)
{
	for (int i = 0; i < k->nparam; i++)
		y->bound[k->param[i]->id] = true;
	for (const Bind *b = k->first; b; b = b->next) {
		for (int i = 0; i < b->ndst; i++)
			y->bound[b->dst[i]->id] = true;
		for (int i = 0; i < b->nblock; i++)
			bound(y, b->block[i]);
	}
}

static void
found(Slices *s, Body *y, const Opnd *o, int n)
{
	for (int i = 0; i < n; i++)
		if (o[i].kind == OPND_VAR && !y->bound[o[i].u.var->id] && !replaced(y, o[i])) {
			y->with[o[i].u.var->id] = opnd_var(var_new(s->p, o[i].u.var->name, o[i].u.var->ty));
			LIST_ADD(s->p->arena, &y->free, o[i].u.var);
		}
}

static Block *moved(Slices *s, Body *y, const Block *k);

static Bind *
move(Slices *s, Body *y, Block *to, const Bind *b)
{
	Bind *n = bind_new(s->p, to, b->op, 0, b->narg, b->nblock, b->span);
	Bind with = *b;
	with.arg = n->arg;
	with.block = n->block;
	with.next = NULL;
	found(s, y, b->arg, b->narg);
	for (int i = 0; i < b->narg; i++)
		with.arg[i] = placed(y, b->arg[i]);
	for (int i = 0; i < b->nblock; i++)
		with.block[i] = moved(s, y, b->block[i]);
	with.dst = renewed(s, y, b->dst, b->ndst);
	*n = with;
	to->end = &n->next;
	return n;
}

/* Its variables of outside become others, and are free. */
static Block *
moved(Slices *s, Body *y, const Block *k)
{
	Block *to = block_new(s->p);
	to->param = renewed(s, y, k->param, k->nparam);
	to->nparam = k->nparam;
	for (const Bind *b = k->first; b; b = b->next)
		move(s, y, to, b);
	found(s, y, k->yield, k->nyield);
	block_yield(s->p, to, k->nyield, k->yield);
	for (int i = 0; i < k->nyield; i++)
		to->yield[i] = placed(y, k->yield[i]);
	return to;
}

/* To move what stays where its variables are. */
static Body
in_place(Slices *s, bool renews)
{
	Body y = {.with = NEW(s->p->arena, Opnd, s->p->nvar), .bound = NEW(s->p->arena, bool, s->p->nvar), .renews = renews};
	for (int i = 0; i < s->p->nvar; i++)
		y.bound[i] = true;
	return y;
}

/* -- functions that the host calls ---------------------------------------------------------------------- */
static const char *
name_for_host(const Slices *s, const Fun *f)
{
	const char *name = arena_printf(s->p->arena, "%s_host", f->name);

	for (int i = 2; fun_find(s->p, name); i++)
		name = arena_printf(s->p->arena, "%s_host_%d", f->name, i);
	return intern(s->p->names, name);
}

static void
copies(Slices *s, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		const Fun *f = b->op == NORMAL_call ? fun_find(s->p, b->name) : NULL;
		Fun *copy;
		Body y;

		for (int i = 0; i < b->nblock && b->op != NORMAL_foreach; i++)
			copies(s, b->block[i]);
		if (!f || *map_at(s->host, b->name) || !wants_slices(s, f->body))
			continue;
		copy = NEW(s->p->arena, Fun, 1);
		*copy = *f;
		copy->next = NULL;
		copy->name = name_for_host(s, f);
		*map_at(s->host, b->name) = *s->end = copy;
		s->end = &copy->next;
		y = in_place(s, true);
		copy->param = renewed(s, &y, f->param, f->nparam);
		copy->body = moved(s, &y, f->body);
		copies(s, f->body);
	}
}

static void
call_copies(Slices *s, Block *k)
{
	for (Bind *b = k->first; b; b = b->next) {
		const Fun *copy = b->op == NORMAL_call ? *map_at(s->host, b->name) : NULL;

		for (int i = 0; i < b->nblock && b->op != NORMAL_foreach; i++)
			call_copies(s, b->block[i]);
		if (copy)
			b->name = copy->name;
	}
}

static Opnd
emit(Slices *s, Block *to, int op, const char *hint, const Ty *t, int n, const Opnd *arg, Span span)
{
	Bind *b = bind_new(s->p, to, op, 1, n, 0, span);
	b->dst[0] = var_new(s->p, hint, t);
	for (int i = 0; i < n; i++)
		b->arg[i] = arg[i];
	return opnd_var(b->dst[0]);
}

#define EMIT(s, to, op, hint, t, span, ...) \
	emit(s, to, op, hint, t, sizeof (Opnd[]){__VA_ARGS__} / sizeof(Opnd), (Opnd[]){__VA_ARGS__}, span)

/* -- one after the other, as one ---------------------------------------------------------------------- */
static bool total(Slices *s, const Block *k);

static bool
total_function(Slices *s, const char *name)
{
	void **known = map_at(s->total, name);
	Fun *f = fun_find(s->normal, name);

	if (!*known) {
		*known = s->p;
		if (!f->recursive && total(s, f->body))
			*map_at(s->total, name) = f;
	}
	return *map_at(s->total, name) == f;
}

/* Gives what it gives whenever it runs, and nothing can go wrong? */
static bool
total_step(Slices *s, const Bind *b)
{
	const OpInfo *op = &normal_ir.op[b->op];
	for (int i = 0; i < b->nblock; i++)
		if (!total(s, b->block[i]))
			return false;
	if (op->cls == OP_SCALAR || op->cls == OP_SEQUENCE)
		return !op->fault;
	return op_folds(op) || b->op == NORMAL_if || b->op == NORMAL_pack || (b->op == NORMAL_foreach && b->narg == 1)
		|| (b->op == NORMAL_call && total_function(s, b->name));
}

/* A permutation by ranks of k, which cannot be none? */
static bool
sorts(const Block *k, const Bind *b)
{
	for (const Bind *x = k->first; x != b && b->op == NORMAL_permute; x = x->next)
		if ((x->op == NORMAL_rank || x->op == NORMAL_rank_down) && same_opnd(b->arg[1], opnd_var(x->dst[0])))
			return same_opnd(b->arg[0], x->arg[0]);
	return false;
}

static bool
total(Slices *s, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next)
		if (!total_step(s, b) && !sorts(k, b))
			return false;
	return true;
}

static void
uses(int *used, const Block *k)
{
	for (const Bind *b = k->first; b; b = b->next) {
		for (int i = 0; i < b->narg; i++)
			if (b->arg[i].kind == OPND_VAR)
				used[b->arg[i].u.var->id]++;
		for (int i = 0; i < b->nblock; i++)
			uses(used, b->block[i]);
	}
	for (int i = 0; i < k->nyield; i++)
		if (k->yield[i].kind == OPND_VAR)
			used[k->yield[i].u.var->id]++;
}

/* The apply-to-each of `to` that gives o, a sequence of b, if both can be one: the faults that elements meet first stay the
 * same, as all is total in that one, or from there to the end of b. */
static Bind *
joins(Slices *s, const Block *to, const Bind *b, Opnd o, const int *used)
{
	Bind *a = to->first;
	bool rest = b->narg == 1;
	if (o.kind != OPND_VAR || used[o.u.var->id] != 1)
		return NULL;
	while (a != b && !(a->op == NORMAL_foreach && a->dst[0] == o.u.var))
		a = a->next;
	if (a == b || !makes_sequences(s, a->block[0]))
		return NULL;
	for (const Bind *x = a->next; x; x = x->next) {
		if (x->op == NORMAL_clock)
			return NULL;
		rest = rest && total_step(s, x);
	}
	return rest || total_step(s, a) ? a : NULL;
}

static void
add_all(Block *to, const Block *k)
{
	if (!k->first)
		return;
	*to->end = k->first;
	to->end = k->end;
}

/* For x b has what an element of a yields. */
static Block *
joined_body(Slices *s, const Bind *a, const Bind *b, const Var *x)
{
	Body y = in_place(s, false);
	Block *to = moved(s, &y, a->block[0]), *rest;
	y.with[x->id] = a->block[0]->yield[0];
	rest = moved(s, &y, b->block[0]);
	add_all(to, rest);
	to->yield = rest->yield;
	return to;
}

/* b with a's sequences for its at-th. */
static void
join(Slices *s, const Bind *a, Bind *b, int at)
{
	const int n = b->narg - 1 + a->narg;
	const Block *second = b->block[0];
	Block *body = joined_body(s, a, b, second->param[at]);
	Opnd *arg = NEW(s->p->arena, Opnd, n);

	body->param = NEW(s->p->arena, Var *, n);
	body->nparam = n;
	for (int i = 0; i < n; i++) {
		const bool of_a = i >= at && i < at + a->narg;
		const int k = of_a ? i - at : i < at ? i : i - a->narg + 1;

		arg[i] = (of_a ? a : b)->arg[k];
		body->param[i] = (of_a ? a->block[0] : second)->param[k];
	}
	b->narg = n;
	b->arg = arg;
	b->block[0] = body;
	if (a->narg > 1)
		b->span = a->span;      /* that its lengths differ is told there */
}

static void
leave_out(Block *to, const Bind *a)
{
	for (Bind **at = &to->first; *at; at = &(*at)->next)
		if (*at == a) {
			*at = a->next;
			return;
		}
}

/* The function whose result, of sequences that it makes, is used once, by an apply-to-each behind it, or flattened. */
static const Fun *
opens(Slices *s, const Bind *call, const int *used)
{
	const Fun *f = call->op == NORMAL_call && call->ndst == 1 && used[call->dst[0]->id] == 1 ? fun_find(s->normal, call->name) : NULL;
	if (!f || f->recursive || !makes_sequences(s, f->body))
		return NULL;
	for (const Bind *b = call->next; b; b = b->next)
		for (int i = 0; i < b->narg && (b->op == NORMAL_foreach || b->op == NORMAL_flatten); i++)
			if (same_opnd(b->arg[i], opnd_var(call->dst[0])))
				return f;
	return NULL;
}

/* k with such calls replaced by what the functions do; NULL: there are none. */
static Block *
opened(Slices *s, const Block *k)
{
	bool any = false;
	int *used = NEW(s->p->arena, int, s->p->nvar);
	Body y = in_place(s, false);
	Block *to = block_new(s->p);
	const Fun *f;

	uses(used, k);
	for (const Bind *b = k->first; b; b = b->next) {
		if (!(f = opens(s, b, used))) {
			move(s, &y, to, b);
			continue;
		}
		Body in = in_place(s, true);
		for (int i = 0; i < b->narg; i++)
			in.with[f->param[i]->id] = placed(&y, b->arg[i]);
		const Block *body = moved(s, &in, f->body);
		any = true;
		y.with[b->dst[0]->id] = body->yield[0];
		add_all(to, body);
	}
	block_yield(s->p, to, k->nyield, k->yield);
	return any ? to : NULL;
}

/* -- folds of what is flattened ------------------------------------------------------------------------ */
/* The same from rows that are folded one by one, to the bit? */
static bool
folds_by_rows(const Bind *b)
{
	const OpInfo *op = &normal_ir.op[b->op];

	return b->op == NORMAL_length || b->op == NORMAL_max_val || b->op == NORMAL_min_val
		|| (op->cls == OP_REDUCE && !op_finds_place(op) && b->dst[0]->ty->kind != TY_FLOAT);
}

/* Is nothing wanted of v, behind b, but such a fold, perhaps of what an apply-to-each without faults makes of each element? */
static bool
is_folded(Slices *s, const Bind *b, const Var *v, const int *used)
{
	while (b && used[v->id] == 1 && !bind_reads(b, v))
		b = b->next;
	if (!b || used[v->id] != 1 || b->narg != 1)
		return false;
	return folds_by_rows(b) || (b->op == NORMAL_foreach && total_step(s, b) && is_folded(s, b->next, b->dst[0], used));
}

/* Does b flatten, for such a fold, the rows that an apply-to-each of k makes sequences for? */
static bool
flattens_for_fold(Slices *s, const Block *k, const Bind *b, const int *used)
{
	if (b->op != NORMAL_flatten || b->arg[0].kind != OPND_VAR || used[b->arg[0].u.var->id] != 1
			|| !is_folded(s, b->next, b->dst[0], used))
		return false;
	for (const Bind *x = k->first; x != b; x = x->next)
		if (x->dst[0] == b->arg[0].u.var)
			return is_large(s, x);
	return false;
}

/* What b, a fold or an apply-to-each of what the rows have, gives of each row. */
static Opnd
of_rows(Slices *s, Block *to, const Bind *b, Opnd rows)
{
	const Ty *ty = b->dst[0]->ty;
	Bind *each = bind_new(s->p, to, NORMAL_foreach, 1, 1, 1, b->span), *of;
	Block *body = each->block[0] = block_new(s->p);
	Opnd x;

	each->arg[0] = rows;
	each->dst[0] = var_new(s->p, "r", ty_seq(s->p->arena, ty));
	body->param = NEW(s->p->arena, Var *, 1);
	body->param[body->nparam++] = var_new(s->p, "row", opnd_ty(rows)->a);
	of = bind_new(s->p, body, b->op, 1, 1, b->nblock, b->span);
	of->arg[0] = opnd_var(body->param[0]);
	of->dst[0] = var_new(s->p, b->dst[0]->name, ty);
	if (b->nblock)
		of->block[0] = b->block[0];
	x = opnd_var(of->dst[0]);
	block_yield(s->p, body, 1, &x);
	return opnd_var(each->dst[0]);
}

/* sum (flatten r) = sum {sum row : row in r}: then that is one with the apply-to-each that makes r. */
static Block *
folded(Slices *s, const Block *k)
{
	int *used = NEW(s->p->arena, int, s->p->nvar);
	Opnd *rows = NEW(s->p->arena, Opnd, s->p->nvar);        /* by Var.id: what is flattened; .kind is OPND_VAR with no variable: nothing */
	Body y = in_place(s, false);
	Block *to = block_new(s->p);

	uses(used, k);
	for (const Bind *b = k->first; b; b = b->next) {
		const Opnd of = b->narg == 1 && b->arg[0].kind == OPND_VAR ? rows[b->arg[0].u.var->id] : (Opnd){0};

		if (flattens_for_fold(s, k, b, used)) {
			rows[b->dst[0]->id] = b->arg[0];
		} else if (!of.u.var) {
			move(s, &y, to, b);
		} else if (b->op == NORMAL_foreach) {
			rows[b->dst[0]->id] = of_rows(s, to, b, of);
		} else {
			const Opnd r = of_rows(s, to, b, of);

			*to->end = NULL;
			bind_at(s->p, to->end, b->op == NORMAL_length ? NORMAL_sum : b->op, b->dst[0], 1, &r, b->span);
			to->end = &(*to->end)->next;
		}
	}
	block_yield(s->p, to, k->nyield, k->yield);
	return to;
}

static Block *
joined(Slices *s, const Block *k)
{
	Block *to = block_new(s->p);
	Body y;
	int *used;

	for (const Block *more = k; more; more = opened(s, k))
		k = more;
	k = folded(s, k);
	y = in_place(s, false);
	used = NEW(s->p->arena, int, s->p->nvar);
	uses(used, k);
	for (const Bind *x = k->first; x; x = x->next) {
		Bind *b = move(s, &y, to, x), *a;

		for (int i = 0; b->op == NORMAL_foreach && i < b->narg; i++)
			while (i < b->narg && (a = joins(s, to, b, b->arg[i], used))) {
				join(s, a, b, i);
				leave_out(to, a);
			}
	}
	block_yield(s->p, to, k->nyield, k->yield);
	return to;
}

/* -- the loop ---------------------------------------------------------------------------------------- */
/* The next slice, and the rounds after it. */
static void
round_of(Slices *s, Block *to, const Fun *f, const Bind *b, Block *body, Opnd n)
{
	const Opnd from = opnd_var(f->param[f->nparam - 2]), done = opnd_var(f->param[f->nparam - 1]);
	const Opnd end = EMIT(s, to, NORMAL_add, "to", &ty_int, b->span, from, n);
	Opnd part, all, next;
	Bind *each, *call;
	Opnd *slice = NEW(s->p->arena, Opnd, b->narg);

	for (int i = 0; i < b->narg; i++) {
		const Opnd xs = opnd_var(f->param[f->nparam - 2 - b->narg + i]);
		slice[i] = EMIT(s, to, NORMAL_subseq, xs.u.var->name, xs.u.var->ty, b->span, xs, from, end);
	}
	part = emit(s, to, NORMAL_foreach, b->dst[0]->name, b->dst[0]->ty, b->narg, slice, b->span);
	for (each = to->first; each->next; each = each->next)
		;
	each->nblock = 1;
	each->block = NEW(s->p->arena, Block *, 1);
	each->block[0] = body;
	all = EMIT(s, to, NORMAL_append, "done", b->dst[0]->ty, b->span, done, part);
	call = bind_new(s->p, to, NORMAL_call, 1, f->nparam, 0, b->span);
	call->name = f->name;
	call->dst[0] = var_new(s->p, b->dst[0]->name, b->dst[0]->ty);
	for (int i = 0; i < f->nparam - 2; i++)
		call->arg[i] = opnd_var(f->param[i]);
	call->arg[f->nparam - 2] = end;
	call->arg[f->nparam - 1] = all;
	next = opnd_var(call->dst[0]);
	block_yield(s->p, to, 1, &next);
}

static Block *
loop_body(Slices *s, const Fun *f, const Bind *b, Block *body)
{
	Block *to = block_new(s->p);
	const Opnd from = opnd_var(f->param[f->nparam - 2]), done = opnd_var(f->param[f->nparam - 1]);
	const Opnd all = EMIT(s, to, NORMAL_length, "all", &ty_int, b->span, opnd_var(f->param[f->nparam - 2 - b->narg]));
	const Opnd left = EMIT(s, to, NORMAL_sub, "left", &ty_int, b->span, all, from);
	const Opnd n = EMIT(s, to, NORMAL_slice, "n", &ty_int, b->span, opnd_int(s->loops++), from, left);
	const Opnd some = EMIT(s, to, NORMAL_gt, "some", &ty_bool, b->span, n, opnd_int(0));
	Bind *fork = bind_new(s->p, to, NORMAL_if, 1, 1, 2, b->span);
	Opnd r;

	fork->arg[0] = some;
	fork->dst[0] = var_new(s->p, b->dst[0]->name, b->dst[0]->ty);
	fork->block[0] = block_new(s->p);
	fork->block[1] = block_new(s->p);
	round_of(s, fork->block[0], f, b, body, n);
	block_yield(s->p, fork->block[1], 1, &done);
	r = opnd_var(fork->dst[0]);
	block_yield(s->p, to, 1, &r);
	return to;
}

/* The loop of b, whose body has these free variables. */
static Fun *
loop_new(Slices *s, const Bind *b, Block *body, const Body *y)
{
	Fun *f = NEW(s->p->arena, Fun, 1);
	const char *name = arena_printf(s->p->arena, "slices_%d", s->loops);
	int n = 0;

	while (fun_find(s->p, name))
		name = arena_printf(s->p->arena, "%s_", name);
	*f = (Fun){.name = intern(s->p->names, name), .nparam = y->free.n + b->narg + 2, .nresult = 1, .recursive = true,
		.span = b->span};
	f->param = NEW(s->p->arena, Var *, f->nparam);
	f->result = NEW(s->p->arena, const Ty *, 1);
	f->result[0] = b->dst[0]->ty;
	for (int i = 0; i < y->free.n; i++)
		f->param[n++] = y->with[y->free.at[i]->id].u.var;
	for (int i = 0; i < b->narg; i++)
		f->param[n++] = var_new(s->p, "xs", opnd_ty(b->arg[i]));
	f->param[n++] = var_new(s->p, "from", &ty_int);
	f->param[n] = var_new(s->p, "done", b->dst[0]->ty);
	f->body = loop_body(s, f, b, body);
	*s->end = f;
	s->end = &f->next;
	return f;
}

/* Have the sequences of b one length?  A slice would not tell. */
static void
check_lengths(Slices *s, Block *to, const Bind *b)
{
	const Opnd yes = opnd_bool(true);
	Bind *each;

	if (b->narg == 1)
		return;
	each = bind_new(s->p, to, NORMAL_foreach, 1, b->narg, 1, b->span);
	each->dst[0] = var_new(s->p, "same", ty_seq(s->p->arena, &ty_bool));
	each->block[0] = block_new(s->p);
	each->block[0]->nparam = b->narg;
	each->block[0]->param = NEW(s->p->arena, Var *, b->narg);
	for (int i = 0; i < b->narg; i++) {
		each->arg[i] = b->arg[i];
		each->block[0]->param[i] = var_new(s->p, "x", opnd_ty(b->arg[i])->a);
	}
	block_yield(s->p, each->block[0], 1, &yes);
}

static void
call_loop(Slices *s, Block *to, const Bind *b)
{
	/* the variables made here are never looked up */
	Body y = {.with = NEW(s->p->arena, Opnd, s->p->nvar), .bound = NEW(s->p->arena, bool, s->p->nvar)};
	const Opnd none = emit(s, to, NORMAL_seq, "none", b->dst[0]->ty, 0, NULL, b->span);
	const Fun *f;
	Bind *call;

	check_lengths(s, to, b);
	bound(&y, b->block[0]);
	f = loop_new(s, b, moved(s, &y, b->block[0]), &y);
	call = bind_new(s->p, to, NORMAL_call, 1, f->nparam, 0, b->span);
	call->name = f->name;
	call->dst[0] = b->dst[0];
	for (int i = 0; i < y.free.n; i++)
		call->arg[i] = opnd_var(y.free.at[i]);
	for (int i = 0; i < b->narg; i++)
		call->arg[y.free.n + i] = b->arg[i];
	call->arg[f->nparam - 2] = opnd_int(0);
	call->arg[f->nparam - 1] = none;
}

/* -- the pass ---------------------------------------------------------------------------------------- */
static Block *
host_block(Slices *s, const Block *k)
{
	Block *to = block_new(s->p);
	for (const Bind *b = joined(s, k)->first; b; b = b->next) {
		if (b->op == NORMAL_foreach && makes_sequences(s, b->block[0])) {
			call_loop(s, to, b);
			continue;
		}
		Bind *n = bind_new(s->p, to, b->op, 0, 0, b->nblock, b->span);
		Block **inner = n->block;
		*n = *b;
		n->next = NULL;
		n->block = inner;
		to->end = &n->next;
		for (int i = 0; i < b->nblock; i++)
			n->block[i] = b->op == NORMAL_foreach ? b->block[i] : host_block(s, b->block[i]);
	}
	block_yield(s->p, to, k->nyield, k->yield);
	return to;
}

/* Whole, or as a copy of it in slices. */
static Block *
either(Slices *s, Block *whole, Span span)
{
	Body y = in_place(s, true);
	Block *to = block_new(s->p), *sliced = moved(s, &y, whole);
	const Opnd n = EMIT(s, to, NORMAL_slice, "n", &ty_int, span, opnd_int(s->loops++), opnd_int(0), opnd_int(2));
	const Opnd all = EMIT(s, to, NORMAL_gt, "whole", &ty_bool, span, n, opnd_int(1));
	Bind *fork = bind_new(s->p, to, NORMAL_if, whole->nyield, 1, 2, span);
	Opnd *r = NEW(s->p->arena, Opnd, whole->nyield);

	fork->arg[0] = all;
	fork->block[0] = whole;
	fork->block[1] = host_block(s, sliced);
	call_copies(s, fork->block[1]);
	for (int i = 0; i < whole->nyield; i++) {
		fork->dst[i] = var_new(s->p, "r", opnd_ty(whole->yield[i]));
		r[i] = opnd_var(fork->dst[i]);
	}
	block_yield(s->p, to, whole->nyield, r);
	return to;
}

void
slices(Unit *u)
{
	Slices s = {.normal = u->ir, .host = map_new(u->arena), .makes = map_new(u->arena), .large = map_new(u->arena),
		.total = map_new(u->arena)};
	Fun **copied, **last;

	if (!u->mem_limit)
		return;
	s.p = program_copy(u->ir, &normal_ir);
	for (s.end = &s.p->funs; *s.end; s.end = &(*s.end)->next)
		;
	copied = s.end;
	for (const Entry *e = s.p->entries; e; e = e->next)
		if (e->body)
			copies(&s, e->body);
	last = s.end;
	for (Fun **f = copied; f != last; f = &(*f)->next)
		(*f)->body = host_block(&s, (*f)->body);
	for (Entry *e = s.p->entries; e; e = e->next)
		if (e->body && wants_slices(&s, e->body))
			e->body = either(&s, e->body, e->span);
	for (Fun *f = *copied; f; f = f->next)
		call_copies(&s, f->body);
	ir_name(s.p);
	u->ir = s.p;
}

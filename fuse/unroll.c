/* unroll.c: folds of rows of a few elements, of a length that the program says, one operator after the other.
 *
 * In   flan whose checks are proved or stay (shape/shape.h)
 * Out  the same, where {sum({a[i + d] : d in [-1:2]}) : i in v} has no rows of three: with `t = uniform n 3`
 *
 *          iota^ t = 0, 1, 2       dist^ t z = z       rowid t = iota n       op^ x y = op^ x0 y0, op^ x1 y1, op^ x2 y2
 *          sum^ t x = ((0 + x0) + x1) + x2
 *
 *      element-wise in what surrounds the rows.  Levels three deep become two, and so on outwards; a device folds no rows that
 *      are shorter than a warp is wide.
 * How  Loop unrolling, whole (Allen and Kennedy, Optimizing Compilers for Modern Architectures, 2001, section 8.4).  Only where all
 *      that is made of the rows' elements is folded, so nothing of them is in memory before or after, and it is not much text. */
#include <string.h>
#include "flatten/dead.h"
#include "flatten/flan.h"
#include "frontend/scalar.h"
#include "fuse/decided.h"
#include "fuse/members.h"
#include "fuse/unroll.h"
#include "shape/shape.h"

enum { MOST_ELEMENTS = 16, MOST_UNROLLED = 192 };  /* of a row; steps of all of them */

typedef struct Rows {
	Program *p;
	Shapes *shapes;
	const Bind *t;          /* uniform n k */
	int k;
	Arena *scratch;
	Members members;        /* of t */
	Opnd **copy;            /* by Var.id, of what is of the rows' elements: for each of k a vector of the rows, or a constant; else NULL */
	const Var *like;        /* as long as there are rows */
	Opnd number;            /* iota n, once it is there */
	Bind **here;            /* where bindings are put */
	Span span;
} Rows;

/* Is all that is made of the elements folded, of few steps?  Marks what they are. */
static bool
can_unroll(Rows *r, const Block *block)
{
	int steps = 0;

	for (const Bind *b = r->t->next; b; b = b->next)
		switch (member_role(&r->members, b)) {
		case OTHER:
			break;
		case LEAF:
		case STEP:
			steps++;
			r->copy[b->dst[0]->id] = NEW(r->scratch, Opnd, r->k);
			break;
		case FOLD:
			if (op_finds_place(&flan_ir.op[b->op]))
				return false;
			r->like = b->dst[0];
			break;
		case CHECK:
			steps++;
			break;
		case SIZE:
		case CALL:
		case KEEP:
		case BAD:
			return false;
		}
	for (int i = 0; i < block->nyield; i++)
		if (is_of_rows(&r->members, block->yield[i]))
			return false;
	return r->like && steps * r->k <= MOST_UNROLLED;
}

/* -- in their stead ---------------------------------------------------------------------------------------- */
static Bind *
put(Rows *r, int op, bool lifted, Var *v, int narg, const Opnd *arg)
{
	Bind *b = bind_at(r->p, r->here, op, v, narg, arg, r->span);

	b->lifted = lifted;
	r->here = &b->next;
	return b;
}

/* A vector of the rows, called as v is. */
static Opnd
put_vector(Rows *r, int op, bool lifted, const Var *v, const Ty *ty, int narg, const Opnd *arg)
{
	Var *w = var_new(r->p, v->name, ty);

	put(r, op, lifted, w, narg, arg);
	shapes_same(r->shapes, w, r->shapes, r->like);
	return opnd_var(w);
}

static Opnd
of_element(const Rows *r, Opnd o, int c)
{
	return is_member(&r->members, o) ? r->copy[o.u.var->id][c] : o;
}

static Opnd
each(Rows *r, Opnd constant)
{
	const Var name = {.name = "each"};

	return put_vector(r, FLAN_dist, false, &name, ty_vec(opnd_ty(constant)), 2, (Opnd[]){constant, r->t->arg[0]});
}

static Opnd
row_number(Rows *r)
{
	const Var name = {.name = "q"};

	if (r->number.kind != OPND_VAR)
		r->number = put_vector(r, FLAN_iota, false, &name, &ty_ints, 1, r->t->arg);
	return r->number;
}

static Opnd
leaf(Rows *r, const Bind *b, int c)
{
	if (b->op == FLAN_iota)
		return opnd_int(c);
	return b->op == FLAN_rowid ? row_number(r) : b->arg[1];
}

/* The operands for element c, of which one at least is a vector. */
static Opnd *
operands(Rows *r, const Bind *b, int c)
{
	Opnd *arg = NEW(r->p->arena, Opnd, b->narg);
	bool any = false;
	int member = -1;

	for (int i = 0; i < b->narg; i++) {
		arg[i] = of_element(r, b->arg[i], c);
		any |= is_vector(arg[i]);
		if (is_member(&r->members, b->arg[i]))
			member = i;
	}
	if (!any)
		arg[member] = each(r, arg[member]);
	return arg;
}

/* Integers and truths: what they come to is the same everywhere. */
static bool
is_exact(Opnd o)
{
	return o.kind == OPND_INT || o.kind == OPND_BOOL;
}

/* Of the constants that elements of the rows have for an operator, the constant that it gives; or what a known choice is. */
static bool
is_known(const Rows *r, const Bind *b, int c, Opnd *out)
{
	const Ty *ty = b->dst[0]->ty->a;
	Scalar x[3] = {{0}};

	if (b->op == FLAN_select && of_element(r, b->arg[0], c).kind == OPND_BOOL) {
		*out = of_element(r, b->arg[of_element(r, b->arg[0], c).u.i ? 1 : 2], c);
		return true;
	}
	if (flan_ir.op[b->op].cls != OP_SCALAR || (ty->kind != TY_INT && ty->kind != TY_BOOL))
		return false;
	for (int i = 0; i < b->narg; i++) {
		const Opnd o = of_element(r, b->arg[i], c);
		if (!is_exact(o))
			return false;
		x[i].i = o.u.i;
	}
	*out = scalar_opnd(ty, scalar_fn(r->p->int_bits, flan_ir.op[b->op].name, opnd_ty(of_element(r, b->arg[0], c)))(x[0], x[1], x[2]));
	return true;
}

/* What is read at places is v itself where these are all numbers of its elements. */
static Opnd
step(Rows *r, const Bind *b, int c)
{
	Opnd *arg, known;

	if (is_known(r, b, c, &known))
		return known;
	if (b->op != FLAN_gather)
		return put_vector(r, b->op, true, b->dst[0], b->dst[0]->ty, b->narg, operands(r, b, c));
	arg = NEW(r->p->arena, Opnd, 2);
	arg[0] = b->arg[0];
	arg[1] = of_element(r, b->arg[1], c);
	if (!is_vector(arg[1]))
		arg[1] = each(r, arg[1]);
	if (same_opnd(arg[1], r->number) && shape_length(r->shapes, arg[0].u.var) == shape_length(r->shapes, r->like))
		return arg[0];
	return put_vector(r, FLAN_gather, false, b->dst[0], b->dst[0]->ty, 2, arg);
}

/* Of exact operators what a fold begins with changes nothing. */
static void
fold(Rows *r, const Bind *b)
{
	const OpInfo *op = &flan_ir.op[b->op];
	const Ty *ty = b->dst[0]->ty;
	const Scalar id = scalar_identity(r->p->int_bits, op->name, ty->a);
	const int base = ir_find(&flan_ir, op->base), first = r->k > 1 && ty->a->kind != TY_FLOAT;
	Opnd arg[2] = {first ? of_element(r, b->arg[1], 0) : scalar_opnd(ty->a, id)};

	for (int c = first; c < r->k; c++) {
		arg[1] = of_element(r, b->arg[1], c);
		if (!is_vector(arg[0]) && !is_vector(arg[1]))
			arg[1] = each(r, arg[1]);
		if (c < r->k - 1)
			arg[0] = put_vector(r, base, true, b->dst[0], ty, 2, arg);
	}
	put(r, base, true, b->dst[0], 2, arg);
}

static void
check(Rows *r, const Bind *b, int c)
{
	const Opnd holds = of_element(r, b->arg[0], c);
	Opnd *way = NEW(r->p->arena, Opnd, b->nway + 3), *arg;
	Bind *n;

	if (holds.kind == OPND_BOOL && holds.u.i)
		return;
	arg = operands(r, b, c);
	if (!is_vector(arg[0]))
		arg[0] = each(r, arg[0]);
	n = put(r, FLAN_check, true, NULL, b->narg, arg);
	n->name = b->name;
	way[0] = opnd_int(WAY_INTO);
	way[1] = opnd_int(c);
	way[2] = opnd_var(r->t->dst[0]);
	memcpy(way + 3, b->way, (size_t)b->nway * sizeof *way);
	bind_way(r->p, n, b->nway + 3, way);
}

static void
unroll_bind(Rows *r, const Bind *b, Role role)
{
	r->span = b->span;
	if (role == FOLD)
		fold(r, b);
	for (int c = 0; c < r->k && role != FOLD; c++)
		if (role == CHECK)
			check(r, b, c);
		else
			r->copy[b->dst[0]->id][c] = role == LEAF ? leaf(r, b, c) : step(r, b, c);
}

static void
unroll_rows(Rows *r, Block *block, Bind *t)
{
	for (Bind **at = &t->next; *at; ) {
		Bind *b = *at;
		const Role role = member_role(&r->members, b);

		if (role == OTHER) {
			at = &b->next;
			continue;
		}
		r->here = at;
		unroll_bind(r, b, role);
		at = r->here;
		*at = b->next;
	}
	for (block->end = &block->first; *block->end; block->end = &(*block->end)->next)
		;
}

/* t, of the block, has rows of a few elements: without them, if that can be. */
static void
try_rows(Unit *u, Block *block, Bind *t)
{
	Program *p = u->ir;
	Arena *scratch = arena_new();
	Rows r = {.p = p, .shapes = u->shapes, .t = t, .k = (int)t->arg[1].u.i, .scratch = scratch,
		.members = members_new(p, t->dst[0], scratch), .copy = NEW(scratch, Opnd *, p->nvar), .number = opnd_int(0)};

	if (can_unroll(&r, block))
		unroll_rows(&r, block, t);
	arena_free(scratch);
}

/* The innermost first: what they leave is of the elements of those around them, which stand before. */
static void
unroll_block(Unit *u, Block *block)
{
	LIST(Bind *) rows = {0};

	for (Bind *b = block->first; b; b = b->next) {
		for (int i = 0; i < b->nblock; i++)
			unroll_block(u, b->block[i]);
		if (b->op == FLAN_uniform && b->arg[1].kind == OPND_INT && b->arg[1].u.i > 0 && b->arg[1].u.i <= MOST_ELEMENTS)
			LIST_ADD(u->arena, &rows, b);
	}
	while (rows.n > 0)
		try_rows(u, block, rows.at[--rows.n]);
}

void
unroll(Unit *u)
{
	Program *p = u->ir;
	const int nvar = p->nvar;

	if (u->no_shape || !u->shapes || u->fuse != FUSE_ALL)
		return;
	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			unroll_block(u, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			unroll_block(u, e->body);
	if (p->nvar > nvar) {
		decided(p);
		remove_dead(p);
	}
}

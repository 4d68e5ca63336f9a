/* room.c: one block for arrays that live together.
 *
 * In   mem.
 * Out  mem with `reserve n, w, m, x ..` before the first of a run of arrays: n elements of w bytes, m of x, ..; a w of 0 are
 *      the offsets of n rows.  The run time asks the allocator once for all of them; that room is taken in this order.
 * How  A run is results of bindings that come one after the other, of which each has a size that is known before the first:
 *      results of tasks that are as long as a space, ranks, lists, offsets of rows of one length.  Between them nothing
 *      ends, nothing else has memory and nothing is checked, so that all are there at once afterwards in any case, and no
 *      room is made that a fault would have spared.  They end together: in the same frees, or with the value of a cell.
 *      So a block holds nothing longer than its arrays would be held. */
#include "memmgmt/room.h"
#include "fuse/lcu.h"

/* How many elements, or rows: a number, or what this operator of the host gives. */
typedef struct {
	int op;                         /* NO_OP: x */
	Opnd x, y;
} Count;

typedef struct {
	bool known;
	Count n;                        /* what x and y are is made earlier */
	int bytes;                      /* of an element; 0: offsets of rows */
} Size;

typedef struct {
	Program *p;
	int *made;                      /* by Var.id: when, counted in bindings */
	int *end;                       /* by Var.id: with what it ends; 0: nobody knows */
	const Bind **def;               /* by Var.id: what makes it */
	Size *size;                     /* by Var.id */
	int time, ends;
} Rooms;

enum { NO_OP = -1 };

/* -- ends ------------------------------------------------------------------------------------------ */

static void
ends(Rooms *r, Opnd o, int with)
{
	if (o.kind == OPND_VAR)
		r->end[o.u.var->id] = r->end[o.u.var->id] || with == 0 ? -1 : with;
}

/* Arrays that a block frees one after the other end together.  What others get may end at any time. */
static void
ends_in(Rooms *r, const Block *b)
{
	const Bind *before = NULL;

	for (const Bind *x = b->first; x; before = x, x = x->next) {
		const int taken = x->op == LCU_retain ? 1 : bind_takes(r->p, x);

		if (x->op == LCU_free)
			ends(r, x->arg[0], before && before->op == LCU_free ? r->ends : ++r->ends);
		for (int i = 0; i < taken; i++)
			ends(r, x->arg[i], 0);
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			ends_in(r, x->block[i]);
	}
}

static void
ends_with_cells(Rooms *r, const Entry *e)
{
	const Opnd *leaf = e->body->yield;

	for (int i = 0; i < e->ncell; i++) {
		TyList l = {0};

		ty_leaves(r->p->arena, e->cell[i]->ty, false, &l);
		r->ends++;
		for (int k = 0; k < l.n; k++)
			ends(r, *leaf++, r->ends);
	}
}

/* -- sizes ----------------------------------------------------------------------------------------- */

static int
bytes(const Rooms *r, const Ty *t)
{
	return t->kind == TY_VEC ? ty_bytes(t, r->p->int_bits) : 0;
}

static Count
number(Opnd x)
{
	return (Count){NO_OP, x, opnd_int(0)};
}

/* All rows of a descriptor together. */
static Count
total(const Rooms *r, Opnd s)
{
	const Bind *u = r->def[s.u.var->id];
	const Opnd *k = u ? u->arg : NULL;

	if (s.u.var->ty->kind != TY_UNIFORM)
		return (Count){LCU_total, s, opnd_int(0)};
	if (k[0].kind == OPND_INT && k[1].kind == OPND_INT && k[0].u.i < INT32_MAX && k[1].u.i < INT32_MAX)
		return number(opnd_int(k[0].u.i * k[1].u.i));
	return (Count){LCU_area, k[0], k[1]};
}

/* Result i of a task: as long as a level of its space, or some of it. */
static Size
size_of_result(const Rooms *r, const Bind *b, int i)
{
	const Bind *s = b->block[0]->first;

	while (s && !(s->ndst > 0 && same_opnd(opnd_var(s->dst[0]), b->block[0]->yield[i])))
		s = s->next;
	if (!s || (s->op != LCU_store && s->op != LCU_scatter && s->op != LCU_segdes))
		return (Size){.known = false};
	return (Size){true, s->level == 2 ? total(r, b->arg[1]) : number(b->arg[0]), bytes(r, b->dst[i]->ty)};
}

static Size
size_made(const Rooms *r, const Bind *b, int i)
{
	Size s = {false, number(opnd_int(0)), bytes(r, b->dst[i]->ty)};
	const Opnd last = b->narg > 0 ? b->arg[b->narg - 1] : opnd_int(0);

	switch (b->op) {
	case LCU_task:
		return size_of_result(r, b, i);
	case LCU_rank: case LCU_rank_down: case LCU_seg_rank: case LCU_seg_rank_down:
		s.known = true;
		s.n = r->size[last.u.var->id].known ? r->size[last.u.var->id].n : (Count){LCU_length, last, opnd_int(0)};
		break;
	case LCU_vector: case LCU_chars:
		s.known = true;
		s.n = number(opnd_int(b->op == LCU_vector ? b->narg : b->textlen));
		break;
	case LCU_offsets:
		s.known = true;
		s.n = number(r->def[last.u.var->id]->arg[0]);
		break;
	}
	return s;
}

static bool
is_there(const Rooms *r, Opnd o, int when)
{
	return o.kind != OPND_VAR || r->made[o.u.var->id] < when;
}

/* Can n be told at that time?  It is told by what makes it, if it is not there yet itself. */
static bool
can_tell(const Rooms *r, Count *n, int when)
{
	const Bind *b = n->op == NO_OP && n->x.kind == OPND_VAR ? r->def[n->x.u.var->id] : NULL;

	if (b && !is_there(r, n->x, when) && (b->op == LCU_length || b->op == LCU_rows || b->op == LCU_total || b->op == LCU_area))
		*n = (Count){b->op, b->arg[0], b->op == LCU_area ? b->arg[1] : opnd_int(0)};
	return is_there(r, n->x, when) && is_there(r, n->y, when);
}

/* -- runs ------------------------------------------------------------------------------------------ */

typedef struct {
	Bind **at;                      /* the link to the first binding; NULL: there is no run */
	int since, end;
	LIST(Size) size;
} Run;

static bool
checks(const Bind *b)
{
	if (b->op == LCU_host_check)
		return true;
	for (const Bind *s = b->op == LCU_task ? b->block[0]->first : NULL; s; s = s->next)
		if (s->op == LCU_check || s->op == LCU_call)
			return true;
	return false;
}

/* A number of elements as an operand, made before the bindings of the run if it is one to be made. */
static Opnd
counted(const Rooms *r, Block *to, Count n, Span span)
{
	Bind *b;

	if (n.op == NO_OP)
		return n.x;
	for (b = to->first; b; b = b->next)
		if (b->op == n.op && same_opnd(b->arg[0], n.x) && (n.op != LCU_area || same_opnd(b->arg[1], n.y)))
			return opnd_var(b->dst[0]);
	b = bind_new(r->p, to, n.op, 1, n.op == LCU_area ? 2 : 1, 0, span);
	b->arg[0] = n.x;
	if (n.op == LCU_area)
		b->arg[1] = n.y;
	b->dst[0] = var_new(r->p, "n", &ty_int);
	return opnd_var(b->dst[0]);
}

static void
close_run(const Rooms *r, Run *run)
{
	Block *to = block_new(r->p);
	Opnd *arg = NEW(r->p->arena, Opnd, 2 * run->size.n);
	Bind *b;

	for (int i = 0; i < run->size.n && run->size.n > 1; i++) {
		arg[2 * i] = counted(r, to, run->size.at[i].n, (*run->at)->span);
		arg[2 * i + 1] = opnd_int(run->size.at[i].bytes);
	}
	if (run->size.n > 1) {
		b = bind_new(r->p, to, LCU_reserve, 0, 2 * run->size.n, 0, (*run->at)->span);
		memcpy(b->arg, arg, sizeof *arg * (size_t)b->narg);
		*to->end = *run->at;
		*run->at = to->first;
	}
	run->at = NULL;
	run->size.n = 0;
}

/* Does b, which comes next, leave all as it is that has memory? */
static bool
quiet(const Bind *b)
{
	const OpClass cls = mem_ir.op[b->op].cls;

	return cls == OP_SCALAR || b->op == LCU_length || b->op == LCU_rows || b->op == LCU_area || b->op == LCU_uniform
		|| b->op == LCU_elem;
}

/* All arrays that b makes belong to the run, or begin one. */
static bool
joins(const Rooms *r, const Run *run, const Bind *b, int end)
{
	for (int i = 0; i < b->ndst; i++) {
		Size *s = &r->size[b->dst[i]->id];

		if (ty_counted(b->dst[i]->ty) && (!s->known || r->end[b->dst[i]->id] != end || end <= 0 || !can_tell(r, &s->n, run->since)))
			return false;
	}
	return true;
}

static const Var *
first_array(const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (ty_counted(b->dst[i]->ty))
			return b->dst[i];
	return NULL;
}

static void block(Rooms *r, Block *b);

static void
bind(Rooms *r, Run *run, Bind **at)
{
	Bind *b = *at;
	const Var *v = first_array(b);

	r->time++;
	for (int i = 0; i < b->ndst; i++) {
		r->made[b->dst[i]->id] = r->time;
		r->size[b->dst[i]->id] = ty_counted(b->dst[i]->ty) ? size_made(r, b, i) : (Size){.known = false};
		r->def[b->dst[i]->id] = b;
	}
	if (run->at && (!(v || quiet(b)) || (v && !joins(r, run, b, run->end))))
		close_run(r, run);
	if (v && !run->at) {
		run->since = r->time;
		if (!joins(r, run, b, run->end = r->end[v->id]))
			return;
		run->at = at;
	}
	for (int i = 0; i < b->ndst && v; i++)
		if (ty_counted(b->dst[i]->ty))
			LIST_ADD(r->p->arena, &run->size, r->size[b->dst[i]->id]);
	if (run->at && checks(b))
		close_run(r, run);
}

static void
block(Rooms *r, Block *b)
{
	Run run = {0};

	for (Bind **at = &b->first, *x; (x = *at); at = &x->next) {
		bind(r, &run, at);
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			block(r, x->block[i]);
	}
	if (run.at)
		close_run(r, &run);
}

void
rooms(Program *p)
{
	const int nvar = p->nvar;
	Rooms r = {.p = p, .made = NEW(p->arena, int, p->nvar), .end = NEW(p->arena, int, p->nvar),
		.def = NEW(p->arena, const Bind *, p->nvar), .size = NEW(p->arena, Size, p->nvar)};

	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			ends_in(&r, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body) {
			ends_in(&r, e->body);
			ends_with_cells(&r, e);
		}
	for (Fun *f = p->funs; f; f = f->next)
		if (!f->scalar)
			block(&r, f->body);
	for (Entry *e = p->entries; e; e = e->next)
		if (e->body)
			block(&r, e->body);
	if (p->nvar > nvar)
		ir_name(p);
}

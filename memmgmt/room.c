/* room.c: one block for arrays that live together.
 *
 * In   mem.
 * Out  mem with `reserve most, n, w, m, x ..` before the first of a run of arrays: n elements of w bytes, m of x, ..; a w of
 *      0 are the offsets of n rows, one of -1 says that array n of these, counted from 0, has ended.  The run time asks the
 *      allocator once for all of them; that room is taken in this order, again where something has ended.  If `most` is not 0,
 *      this is done with more bytes only if nearly all are in use at once.
 * How  A run is results of bindings that come one after the other, of which each has a size that is known before the first:
 *      results of tasks that are as long as a space, ranks, lists, offsets of rows of one length.  Between them nothing
 *      else has memory.  In a form checks may stand between them: where there is no room for all, nothing is asked for, so
 *      the fault is told that comes before there is no memory.
 *      In a function nothing is checked between them, so that no call makes room that its fault would have spared.  They end
 *      together, in the same frees, and nothing ends between them.  So all are there at once in any
 *      case, and a block holds nothing longer than its arrays would be held.  The same with any number of bytes in a form,
 *      where they also end together if they are the value.  Else what a form makes is in one block if that holds little
 *      else, and in any case up to LITTLE: what has ended is held until the last array is made then, on a GPU as long as
 *      the value, if others read it, and what comes last is asked for with the first.  That is once for each form, which
 *      nothing repeats, and LITTLE is less than the run time keeps for itself. */
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
	const Var *old;                 /* it has the memory of this, which it takes over */
} Size;

typedef struct {
	Program *p;
	int *made;                      /* by Var.id: when, counted in bindings */
	int *end;                       /* by Var.id: with what it ends; 0: nobody knows */
	const Bind **def;               /* by Var.id: what makes it */
	bool *gone;                     /* by Var.id: given up */
	Size *size;                     /* by Var.id */
	int *number;                    /* by Var.id: of those made, from 1; 0: nobody knows.  What is taken over keeps its own */
	int time, ends, numbers;
	bool form;                      /* the body of an entry is at hand */
	const Block *value;             /* that, if what it gives ends with it */
} Rooms;

enum { NO_OP = -1, LITTLE = 1 << 20 };

/* -- ends ------------------------------------------------------------------------------------------ */

static void
ends(Rooms *r, Opnd o, int with)
{
	if (o.kind == OPND_VAR)
		r->end[o.u.var->id] = r->end[o.u.var->id] || with == 0 ? -1 : with;
}

/* Arrays that a block frees one after the other end together.  What others get may end at any time, but what an extend takes
 * over is freed in a run (no_growth). */
static void
ends_in(Rooms *r, const Block *b)
{
	const Bind *before = NULL;

	for (const Bind *x = b->first; x; before = x, x = x->next) {
		if (x->op == LCU_free)
			ends(r, x->arg[0], before && before->op == LCU_free ? r->ends : ++r->ends);
		for (int i = 0; i < x->narg; i++)
			if (x->op == LCU_retain || bind_takes(r->p, x, i))
				ends(r, x->arg[i], lcu_extends(x) ? ++r->ends : 0);
		for (int i = 0; i < x->nblock && x->op != LCU_task; i++)
			ends_in(r, x->block[i]);
	}
}

static void
ends_with_cells(Rooms *r, const Entry *e)
{
	const Opnd *leaf = e->body->yield;

	for (int i = 0; i < e->ncell; i++) {
		const TyList l = cell_leaves(r->p->arena, e->cell[i]);

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
	if (!s || (s->op != LCU_store && s->op != LCU_replace && s->op != LCU_scatter && !lcu_adds_lengths(s)))
		return (Size){.known = false};
	return (Size){true, s->level == 2 ? total(r, b->arg[1]) : number(b->arg[0]), bytes(r, b->dst[i]->ty),
		s->op == LCU_replace ? s->arg[1].u.var : NULL};
}

/* All operands, one after the other: where these are numbers, of which none is 0, as that would be no new array. */
static Size
size_of_all(const Rooms *r, const Bind *b)
{
	int64_t n = 0;

	for (int i = 0; i < b->narg; i++) {
		const Size *s = &r->size[b->arg[i].u.var->id];

		if (!s->known || s->n.op != NO_OP || s->n.x.kind != OPND_INT || s->n.x.u.i <= 0 || s->n.x.u.i > INT32_MAX)
			return (Size){.known = false};
		n += s->n.x.u.i;
	}
	return (Size){true, number(opnd_int(n)), bytes(r, b->dst[0]->ty), NULL};
}

static Size
size_made(const Rooms *r, const Bind *b, int i)
{
	Size s = {false, number(opnd_int(0)), bytes(r, b->dst[i]->ty), NULL};
	const Opnd last = b->narg > 0 ? b->arg[b->narg - 1] : opnd_int(0);

	if (lcu_orders(b)) {
		s.known = true;
		s.n = r->size[last.u.var->id].known ? r->size[last.u.var->id].n : (Count){LCU_length, last, opnd_int(0)};
		return s;
	}
	switch (b->op) {
	case LCU_task:
		return size_of_result(r, b, i);
	case LCU_vector: case LCU_chars:
		s.known = true;
		s.n = number(opnd_int(b->op == LCU_vector ? b->narg : b->textlen));
		break;
	case LCU_offsets:
		s.known = true;
		s.n = number(r->def[last.u.var->id]->arg[0]);
		break;
	case LCU_append: case LCU_extend: case LCU_concat: case LCU_extend_rows:
		return size_of_all(r, b);
	case LCU_put:
		s = r->size[b->arg[0].u.var->id];
		s.old = b->arg[0].u.var;
		break;
	}
	return s;
}

static bool
is_there(const Rooms *r, Opnd o, int when)
{
	return o.kind != OPND_VAR || (r->made[o.u.var->id] < when && !r->gone[o.u.var->id]);
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

/* What `reserve` is told: an array, or the end of one. */
typedef struct {
	Count n;
	int bytes;
} Item;

typedef struct {
	Bind **at;                      /* the link to the first binding; NULL: there is no run */
	int since, end;
	bool apart;                     /* they do not end together, or other things end between them */
	int before, arrays;             /* the number of the last array before it; how many are its own */
	LIST(Item) list;
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
	Opnd *arg = NEW(r->p->arena, Opnd, 2 * run->list.n + 1);
	Bind *b;

	arg[0] = opnd_int(run->apart ? LITTLE : 0);
	for (int i = 0; i < run->list.n && run->arrays > 1; i++) {
		arg[2 * i + 1] = counted(r, to, run->list.at[i].n, (*run->at)->span);
		arg[2 * i + 2] = opnd_int(run->list.at[i].bytes);
	}
	if (run->arrays > 1) {
		b = bind_new(r->p, to, LCU_reserve, 0, 2 * run->list.n + 1, 0, (*run->at)->span);
		memcpy(b->arg, arg, sizeof *arg * (size_t)b->narg);
		*to->end = *run->at;
		*run->at = to->first;
	}
	run->at = NULL;
}

/* Does b, which comes next, leave all as it is that has memory? */
static bool
quiet(const Rooms *r, const Bind *b)
{
	const OpClass cls = mem_ir.op[b->op].cls;

	return cls == OP_SCALAR || b->op == LCU_length || b->op == LCU_rows || b->op == LCU_area || b->op == LCU_uniform
		|| b->op == LCU_elem || b->op == LCU_cell || b->op == LCU_peek || (b->op == LCU_task && (r->form || !checks(b)))
		|| (r->form && (b->op == LCU_free || b->op == LCU_retain || b->op == LCU_forget || b->op == LCU_host_check));
}

/* Is v, a result of b, an array of its own? */
static bool
is_made(const Rooms *r, const Bind *b, const Var *v)
{
	return ty_counted(v->ty) && b->op != LCU_cell && b->op != LCU_peek && !r->size[v->id].old;
}

/* Arrays that b makes belong to the run, or begin one: all of them, or none. */
static bool
joins(const Rooms *r, Run *run, const Bind *b)
{
	bool apart = run->apart;

	for (int i = 0; i < b->ndst; i++) {
		Size *s = &r->size[b->dst[i]->id];

		if (!is_made(r, b, b->dst[i]))
			continue;
		if (!s->known || !can_tell(r, &s->n, run->since))
			return false;
		apart = apart || run->end <= 0 || r->end[b->dst[i]->id] != run->end;
	}
	if (apart && !r->form)
		return false;
	run->apart = apart;
	return true;
}

static const Var *
first_array(const Rooms *r, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++)
		if (is_made(r, b, b->dst[i]))
			return b->dst[i];
	return NULL;
}

/* What is as long as it was made cannot grow in place: the first operand is given up as the others are. */
static void
no_growth(const Rooms *r, Bind *b)
{
	Block *end = block_new(r->p);

	bind_new(r->p, end, LCU_free, 0, 1, 0, b->span)->arg[0] = b->arg[0];
	b->op = b->op == LCU_extend ? LCU_append : LCU_concat;
	end->first->next = b->next;
	b->next = end->first;
}

static void
gives_up(Rooms *r, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if ((b->op == LCU_free || bind_takes(r->p, b, i)) && b->arg[i].kind == OPND_VAR && ty_counted(b->arg[i].u.var->ty))
			r->gone[b->arg[i].u.var->id] = true;
	for (const Bind *s = b->op == LCU_task ? b->block[0]->first : NULL; s; s = s->next)
		if (s->op == LCU_replace)
			r->gone[s->arg[1].u.var->id] = true;
}

static void block(Rooms *r, Block *b);

/* Of v, which belongs to the run, and has nobody else. */
static void
notes_end_of(const Rooms *r, Run *run, const Var *v)
{
	if (r->end[v->id] > 0 && r->number[v->id] > run->before)
		LIST_ADD(r->p->arena, &run->list, ((Item){number(opnd_int(r->number[v->id] - run->before - 1)), LCU_ENDS}));
}

/* Of an array that b frees. */
static void
notes_end(const Rooms *r, Run *run, const Bind *b)
{
	run->apart = true;
	notes_end_of(r, run, b->arg[0].u.var);
}

static void
notes_made(Rooms *r, Run *run, const Var *v)
{
	const Size *s = &r->size[v->id];

	r->number[v->id] = ++r->numbers;
	run->arrays++;
	LIST_ADD(r->p->arena, &run->list, ((Item){s->n, s->bytes}));
}

static void
results(Rooms *r, const Bind *b)
{
	for (int i = 0; i < b->ndst; i++) {
		const Var *v = b->dst[i];
		Size *s = &r->size[v->id];

		*s = ty_counted(v->ty) ? size_made(r, b, i) : (Size){.known = false};
		r->made[v->id] = r->time;
		r->def[v->id] = b;
		r->number[v->id] = s->old && r->end[s->old->id] != -1 ? r->number[s->old->id] : 0;
	}
}

static void
bind(Rooms *r, Run *run, Bind **at)
{
	Bind *b = *at;
	const Var *v;

	r->time++;
	results(r, b);
	v = first_array(r, b);
	if (run->at && !(v ? joins(r, run, b) : quiet(r, b)))
		close_run(r, run);
	if (v && !run->at) {
		*run = (Run){.since = r->time, .end = r->end[v->id], .before = r->numbers};
		if (joins(r, run, b))
			run->at = at;
	}
	if (v && run->at) {
		for (int i = 0; i < b->ndst; i++)
			if (is_made(r, b, b->dst[i]))
				notes_made(r, run, b->dst[i]);
		if (lcu_extends(b))
			no_growth(r, b);
	}
	if (run->at && b->op == LCU_free)
		notes_end(r, run, b);
	if (run->at && !r->form && checks(b))
		close_run(r, run);
	gives_up(r, b);
}

/* Does the form's value end with it, as no other reads it?  Then the next one's first bindings say so. */
static bool
is_last(const Entry *e)
{
	const Entry *next = e->next;
	bool last = true;

	while (next && !next->body)
		next = next->next;
	for (int i = 0; i < e->ncell && next; i++) {
		const Bind *x = next->body->first;

		while (x && x->op == LCU_forget && strcmp(x->name, e->cell[i]->name) != 0)
			x = x->next;
		last = last && x && x->op == LCU_forget;
	}
	return last;
}

static void
value_ends(const Rooms *r, Run *run, const Block *body)
{
	for (int i = 0; i < body->nyield; i++)
		if (body->yield[i].kind == OPND_VAR && ty_counted(body->yield[i].u.var->ty))
			notes_end_of(r, run, body->yield[i].u.var);
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
	if (run.at && run.apart && b == r->value)
		value_ends(r, &run, b);
	if (run.at)
		close_run(r, &run);
}

void
rooms(Program *p)
{
	const int nvar = p->nvar;
	Rooms r = {.p = p, .made = NEW(p->arena, int, p->nvar), .end = NEW(p->arena, int, p->nvar),
		.def = NEW(p->arena, const Bind *, p->nvar), .gone = NEW(p->arena, bool, p->nvar), .size = NEW(p->arena, Size, p->nvar),
		.number = NEW(p->arena, int, p->nvar)};

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
	r.form = true;
	for (Entry *e = p->entries; e; e = e->next) {
		r.value = e->body && is_last(e) ? e->body : NULL;
		if (e->body)
			block(&r, e->body);
	}
	if (p->nvar > nvar)
		ir_name(p);
}

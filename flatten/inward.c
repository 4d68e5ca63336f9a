/* inward.c: a conditional of rows is carried inward, to their elements.
 *
 * In   a conditional whose arms give sequences, in normal:  if i == k then r else {x - h * y : x in r; y in p}
 * Out  one apply-to-each, with the conditional inside:      {if i == k then x else x - h * y : x in r; y in p}
 * Rule Each arm gives a row r that all have in common as it is, or an apply-to-each over it, of scalars and subscripts, after some of
 *      these, among them functions and divisions; a conditional of such arms is one.  So in any case the result is as long as r.
 *      As masked.c, all arms together have no more steps than that allows.
 * How  Rows are not split, nor put together: that would store what each arm gives, and then all of it once more.  What else an arm
 *      goes through is read at the place in r; that it is as long is checked where the arm is taken. */
#include "flatten/flattener.h"

enum { DEEPEST = 4, MOST_SOURCES = 8 };

typedef struct Rows {
	const Block *arm;
	const Bind *last;       /* the apply-to-each, or the conditional, that gives them; NULL: they are there */
	struct Rows *of[2];     /* of a conditional */
	Opnd cond, taken;       /* where we are: its condition; who takes the arm */
} Rows;

typedef struct Inward {
	Flattener *f;
	const Var *row;         /* in common */
	Level *in;              /* of its elements */
	Val *elem;
	int cost;
} Inward;

/* -- what it takes ------------------------------------------------------------------------------------------ */

/* The range that an apply-to-each goes through, made in its arm: its elements are the places, and a number more. */
static const Bind *
range_of(const Block *arm, Opnd o)
{
	for (const Bind *s = arm->first; s; s = s->next)
		if (s->op == NORMAL_range && same_opnd(o, opnd_var(s->dst[0])))
			return s->arg[2].kind == OPND_INT && s->arg[2].u.i == 1 ? s : NULL;
	return NULL;
}

/* Is it used as that only? */
static bool
only_gone_through(const Block *arm, const Bind *each, const Var *v)
{
	for (const Bind *s = arm->first; s; s = s->next)
		if (s != each && bind_reads(s, v))
			return false;
	for (const Bind *s = each->block[0]->first; s; s = s->next)
		if (bind_reads(s, v))
			return false;
	return true;
}

static bool
is_step(const Block *arm, const Bind *each, const Bind *s, int *cost)
{
	if (s->op == NORMAL_range && each)
		return range_of(arm, opnd_var(s->dst[0])) && only_gone_through(arm, each, s->dst[0]);
	*cost += each ? masked_row_cost(s) : masked_cost(s);
	return *cost <= MOST_MASKED;
}

static bool
is_loop(const Bind *each, int *cost)
{
	const Block *body = each->block[0];

	if (each->narg > MOST_SOURCES || body->nyield != 1 || !scalars_only(opnd_ty(body->yield[0])))
		return false;
	for (int i = 0; i < each->narg; i++)
		if (each->arg[i].kind != OPND_VAR || !scalars_only(body->param[i]->ty))
			return false;
	for (const Bind *s = body->first; s; s = s->next)
		if (!is_step(body, NULL, s, cost))
			return false;
	return true;
}

/* The rows that an arm gives; NULL: it is not such an arm. */
static Rows *
rows_of(Inward *w, const Block *arm, int deep)
{
	Rows *r = NEW(w->f->arena, Rows, 1);
	const Bind *each = NULL;

	*r = (Rows){.arm = arm, .last = arm->first ? block_tail(arm) : NULL};
	if (arm->nyield != 1 || arm->yield[0].kind != OPND_VAR || (arm->first && !r->last) || deep == DEEPEST)
		return NULL;
	if (!r->last)
		return r;
	if (r->last->op == NORMAL_foreach)
		each = r->last;
	else if (r->last->op != NORMAL_if)
		return NULL;
	for (const Bind *s = arm->first; s != r->last; s = s->next)
		if (!is_step(arm, each, s, &w->cost))
			return NULL;
	if (each)
		return is_loop(each, &w->cost) ? r : NULL;
	for (int i = 0; i < 2; i++) {
		r->of[i] = rows_of(w, r->last->block[i], deep + 1);
		if (!r->of[i])
			return NULL;
	}
	return r;
}

static bool
goes_through(const Rows *r, const Var *v)
{
	if (!r->last)
		return same_opnd(r->arm->yield[0], opnd_var((Var *)v));
	return r->of[0] ? goes_through(r->of[0], v) && goes_through(r->of[1], v) : bind_reads(r->last, v);
}

/* The first that each arm gives, or goes through. */
static const Var *
in_common(const Rows *const *r)
{
	const Rows *one = r[0];

	while (one->of[0])
		one = one->of[0];
	for (int i = 0; i < (one->last ? one->last->narg : 1); i++) {
		const Var *v = (one->last ? one->last->arg[i] : one->arm->yield[0]).u.var;

		if (!(one->last && range_of(one->arm, opnd_var((Var *)v))) && goes_through(r[0], v) && goes_through(r[1], v))
			return v;
	}
	return NULL;
}

/* -- where the rows are -------------------------------------------------------------------------------------- */

/* From a to below b, one by one: what is checked, and its length. */
static Opnd
length_of_range(Inward *w, const Bind *range)
{
	Flattener *f = w->f;
	Opnd a = operand_at(f, use(f, range->arg[0]), f->cur), b = operand_at(f, use(f, range->arg[1]), f->cur);
	const Span outer = f->span;

	f->span = range->span;
	check_at(f, f->cur, "bad-range", SCALAR_OP(f, FLAN_ge, &ty_bool, b, a), 3, (Opnd[]){a, b, opnd_int(1)});
	f->span = outer;
	return SUB(f, b, a);
}

static Opnd
length_of_source(Inward *w, const Rows *r, Opnd source)
{
	const Bind *range = range_of(r->arm, source);

	return range ? length_of_range(w, range) : seq_length(w->f, val_at(w->f, use(w->f, source), w->f->cur));
}

/* What stands before the apply-to-each, and what that checks. */
static void
run_before(Inward *w, Rows *r, Opnd taken)
{
	Flattener *f = w->f;
	const Opnd *outer = f->reached;
	const Span span = f->span;
	Opnd length[MOST_SOURCES];

	r->taken = outer ? AND(f, *outer, taken) : taken;
	if (!r->last)
		return;
	f->reached = &r->taken;
	for (const Bind *s = r->arm->first; s != r->last; s = s->next)
		if (r->of[0] || s->op != NORMAL_range)
			flatten_bind(f, s);
	f->span = r->last->span;
	if (r->of[0]) {
		r->cond = val_lift(f, use(f, r->last->arg[0]), f->cur)->x;
		f->reached = outer;
		run_before(w, r->of[0], AND(f, r->taken, r->cond));
		run_before(w, r->of[1], AND(f, r->taken, SCALAR_OP(f, FLAN_not, &ty_bool, r->cond)));
	}
	for (int i = 0; !r->of[0] && i < r->last->narg; i++)
		length[i] = length_of_source(w, r, r->last->arg[i]);
	for (int i = 1; !r->of[0] && i < r->last->narg; i++)
		if (!same_opnd(length[0], length[i]))
			check_at(f, f->cur, "length-mismatch", SCALAR_OP(f, FLAN_eq, &ty_bool, length[0], length[i]), 2,
			         (Opnd[]){length[0], length[i]});
	f->reached = outer;
	f->span = span;
}

/* -- where their elements are ---------------------------------------------------------------------------------- */
static Opnd
to_elements(const Inward *w, Opnd x)
{
	Flattener *f = w->f;

	return is_vector(x) ? val_lift(f, val_base(f, w->in->parent, opnd_ty(x)->a, x), w->in)->x : x;
}

/* The elements of a source, at the places of the row in common. */
static Val *
elements_of(Inward *w, const Rows *r, Opnd source)
{
	Flattener *f = w->f;
	const Bind *range = range_of(r->arm, source);
	Opnd place;
	Val *v;

	if (source.u.var == w->row)
		return w->elem;
	place = EMIT(f, FLAN_iota, true, &ty_ints, opnd_var(w->in->segdes));
	if (range)
		return val_base(f, NULL, &ty_int, ADD(f, place, to_elements(w, operand_at(f, use(f, range->arg[0]), w->in->parent))));
	v = val_at(f, use(f, source), w->in->parent);
	if (v->segdes && v->segdes == w->in->segdes)
		return v->elem;
	return val_gather(f, v->elem, ADD(f, to_elements(w, seq_start(f, v)), place));
}

/* What an arm gives for each. */
static Val *
element_of(Inward *w, Rows *r)
{
	Flattener *f = w->f;
	const Opnd *outer = f->reached;
	const Block *body;
	Opnd taken;
	Val *x;

	if (!r->last)
		return val_with_level(f, w->elem, w->in);
	if (r->of[0]) {
		Val *no = element_of(w, r->of[1]), *yes = element_of(w, r->of[0]);

		return select_from(f, w->in, to_elements(w, r->cond), yes, no);
	}
	body = r->last->block[0];
	taken = to_elements(w, r->taken);
	f->reached = &taken;
	for (int i = 0; i < r->last->narg; i++)
		env_set(f, body->param[i], val_with_level(f, elements_of(w, r, r->last->arg[i]), w->in));
	flatten_block(f, body);
	x = use(f, body->yield[0]);
	f->reached = outer;
	return x;
}

Val *
run_inward(Flattener *f, const Bind *b, Opnd cond)
{
	Inward w = {.f = f};
	Rows *r[2], all = {.cond = cond, .last = b};
	Level *outer = f->cur;
	const Opnd *reached = f->reached;
	Val *x;

	if (!f->avoids || b->ndst != 1 || b->dst[0]->ty->kind != TY_SEQ || !scalars_only(b->dst[0]->ty->a))
		return NULL;
	for (int i = 0; i < 2; i++) {
		r[i] = all.of[i] = rows_of(&w, b->block[i], 0);
		if (!r[i])
			return NULL;
	}
	w.row = in_common((const Rows *const *)r);
	if (!w.row || (!r[0]->last && !r[1]->last))
		return NULL;
	run_before(&w, r[0], cond);
	run_before(&w, r[1], SCALAR_OP(f, FLAN_not, &ty_bool, cond));
	w.in = level_of_elements(f, val_at(f, use(f, opnd_var((Var *)w.row)), outer), &w.elem);
	f->reached = NULL;
	f->cur = w.in;
	x = element_of(&w, &all);
	x = foreach_leave(f, outer, w.in, x);
	f->cur = outer;
	f->reached = reached;
	return x;
}

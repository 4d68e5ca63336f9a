/* inner.c: what is made of the rows of t, the innermost of three levels, as far as it can be done for each row by itself.
 *
 * In   a block of flan, t in it
 * Out  the part of it that may go into arms: t, its members, and what is made element by element, or folded in turn, of what is folded of them.
 *      It stands together then, where the last of the members stood: nothing of what stays may need what it gives before, and no check passes
 *      what may tell of a fault.
 * Rule It is worth that if a row is told something that follows from its number among rows (a leaf), which would be stored for it. */
#include "fuse/inner.h"
#include "flatten/flan.h"

enum {
	MOST_LOOPS = 8,         /* one after the other */
	MOST = 24, LOAD = 4     /* steps of what is made again; of what is loaded */
};

/* -- what there is ------------------------------------------------------------------------------------------ */
/* Was it put here? */
bool
inner_is_new(const Deep *d, const Var *v)
{
	return v->id >= d->nvar;
}

const Bind *
inner_made_by(const Deep *d, Opnd o)
{
	return o.kind == OPND_VAR && !inner_is_new(d, o.u.var) ? d->made[o.u.var->id] : NULL;
}

static bool
is_leaf(const Bind *b)
{
	return b->op == FLAN_iota || b->op == FLAN_dist || b->op == FLAN_rowid;
}

static bool
is_step(const Bind *b)
{
	return flan_elementwise(b) || b->op == FLAN_gather || (b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length));
}

/* Is b's i-th operand asked for element by element? */
static bool
is_asked(const Bind *b, int i)
{
	if (b->op == FLAN_gather || b->op == FLAN_mark)
		return i == 1;
	return is_step(b) || is_leaf(b) || b->op == FLAN_segdes || b->op == FLAN_length || op_folds(&flan_ir.op[b->op])
	       || (b->lifted && b->op == FLAN_check);
}

static void
note(Deep *d, const Block *block, Opnd o, bool by_element)
{
	if (is_vector(o) && (!by_element || d->home[o.u.var->id] != block))
		d->stored[o.u.var->id] = true;
}

void
inner_look(Deep *d, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		d->timed = d->timed || b->op == FLAN_clock;
		d->bindings++;
		for (int i = 0; i < b->ndst; i++) {
			d->made[b->dst[i]->id] = b->nblock ? NULL : b;
			d->born[b->dst[i]->id] = d->bindings;
			d->home[b->dst[i]->id] = block;
		}
		for (int i = 0; i < b->narg; i++)
			note(d, block, b->arg[i], is_asked(b, i));
		for (int i = 0; i < b->nway; i++)
			note(d, block, b->way[i], false);
		for (int i = 0; i < b->nblock; i++)
			inner_look(d, b->block[i]);
	}
	for (int i = 0; i < block->nyield; i++)
		note(d, block, block->yield[i], false);
}

/* Steps to make an element of v, without those that were counted, up to more than MOST.  What its row has is made once for all of the row. */
static int
steps(Deep *d, Opnd v)
{
	const Bind *b = inner_made_by(d, v);
	int n;

	if (!is_vector(v) || d->counted[v.u.var->id] == d->count)
		return 0;
	d->counted[v.u.var->id] = d->count;
	if (!b || d->stored[v.u.var->id] || !(is_leaf(b) || is_step(b)))
		return LOAD;
	if (b->op == FLAN_gather)
		return LOAD + steps(d, b->arg[1]);
	n = flan_elementwise(b) || is_leaf(b) ? 1 : LOAD;
	for (int i = 0; i < b->narg && n <= MOST && !is_leaf(b); i++)
		n += steps(d, b->arg[i]);
	return n;
}

bool
inner_made_again(Deep *d, Opnd v)
{
	const Bind *b = inner_made_by(d, v);

	d->count++;
	return b && !d->stored[v.u.var->id] && (is_leaf(b) || is_step(b)) && steps(d, v) <= MOST;
}

static const Bind *
find_leaf(Deep *d, Opnd v)
{
	const Bind *b = inner_made_by(d, v), *leaf = NULL;

	if (!b || d->stored[v.u.var->id] || d->counted[v.u.var->id] == d->count)
		return NULL;
	d->counted[v.u.var->id] = d->count;
	if (is_leaf(b))
		return b->lifted || b->op == FLAN_rowid ? b : NULL;
	for (int i = b->op == FLAN_gather; i < b->narg && !leaf && is_step(b); i++)
		leaf = find_leaf(d, b->arg[i]);
	return leaf;
}

/* What v asks of rows whose elements it has a number for, if it need not be in memory; else NULL. */
static const Bind *
leaf_of(Deep *d, Opnd v)
{
	if (!inner_made_again(d, v))
		return NULL;
	d->count++;
	return find_leaf(d, v);
}

/* -- what goes into the arms -------------------------------------------------------------------------------- */
bool
inner_is_fold(const Region *r, const Bind *b)
{
	return (op_folds(&flan_ir.op[b->op]) || b->op == FLAN_lengths) && is_rows(&r->members, b->arg[0]);
}

static bool
is_here(const Region *r, Opnd o)
{
	return o.kind == OPND_VAR && !inner_is_new(r->d, o.u.var) && r->here[o.u.var->id];
}

int
inner_phase(const Region *r, const Bind *b)
{
	int phase = 0;

	for (int i = 0; i < b->narg; i++)
		if (is_here(r, b->arg[i]) || is_of_rows(&r->members, b->arg[i]))
			phase = r->phase[b->arg[i].u.var->id] > phase ? r->phase[b->arg[i].u.var->id] : phase;
	return phase;
}

static bool
calls_quiet(const Region *r, const Bind *b)
{
	const Callee *c = survey_callee(r->d->survey, b->name);

	return c && c->quiet && !c->fun->recursive;
}

/* May the loop have it?  What is folded in the arm is in no memory that it could read: it may be told the number of its row. */
static bool
member_fits(const Region *r, const Bind *b, Role role)
{
	for (int i = 0; i < b->narg; i++) {
		const Opnd o = b->arg[i];

		if (o.kind == OPND_VAR && !inner_is_new(r->d, o.u.var) && (r->last[o.u.var->id] || (r->here[o.u.var->id] && role != LEAF)))
			return false;
	}
	return role != CALL || calls_quiet(r, b);
}

/* Is b, of what is here, made for each row, or folded of several? */
static bool
follows(const Region *r, const Bind *b)
{
	const bool folds = b->lifted && flan_ir.op[b->op].cls == OP_REDUCE;

	if (b->op == FLAN_check ? !b->lifted || r->told : !folds && !is_step(b))
		return false;
	if (b->ndst > 0 && inner_is_new(r->d, b->dst[0]))
		return false;
	for (int i = 0; i < b->narg; i++) {
		const Var *v = b->arg[i].u.var;

		if (b->arg[i].kind != OPND_VAR)
			continue;
		if (inner_is_new(r->d, v) || r->last[v->id])
			return false;
		if (r->here[v->id] ? b->op == FLAN_gather && i == 0 : r->d->born[v->id] > r->known)
			return false;
	}
	return true;
}

/* May it tell of a fault, or not come back? */
static bool
tells(const Region *r, const Bind *b)
{
	return survey_matters(r->d->survey, b) || b->nblock > 0;
}

static bool
mentions_rows(const Region *r, const Bind *b)
{
	for (int i = 0; i < b->nway; i++)
		if (is_rows(&r->members, b->way[i]))
			return true;
	return false;
}

static bool
mentions_here(const Region *r, const Bind *b)
{
	return bind_mentions(b, NULL, r->here) || bind_mentions(b, NULL, r->last);
}

static void
add(Region *r, Bind *b)
{
	LIST_ADD(r->d->p->arena, &r->part, b);
	r->checks = r->checks || b->op == FLAN_check;
	for (int i = 0; i < b->ndst; i++)
		r->phase[b->dst[i]->id] = inner_phase(r, b) + inner_is_fold(r, b);
}

/* A binding of members: everything up to it stands before the arms, or in them. */
static bool
take_member(Region *r, Bind *b, Role role, int known)
{
	if (role == BAD || !member_fits(r, b, role) || r->outside || (r->told && r->checks))
		return false;
	r->told = false;
	r->place = b;
	r->known = known;
	if (role == FOLD) {
		r->here[b->dst[0]->id] = true;
		r->like = b->dst[0];
	}
	add(r, b);
	return inner_phase(r, b) < MOST_LOOPS;
}

/* Any other; false: it is told of t and no part of it. */
static bool
take_other(Region *r, Bind *b)
{
	const bool here = mentions_here(r, b);

	if (here && follows(r, b)) {
		for (int i = 0; i < b->ndst; i++)
			(op_folds(&flan_ir.op[b->op]) ? r->last : r->here)[b->dst[i]->id] = true;
		add(r, b);
		return true;
	}
	r->outside = r->outside || here;
	r->told = r->told || tells(r, b);
	return !mentions_rows(r, b);
}

static void
want(Region *r, int n, const Opnd *o)
{
	for (int i = 0; i < n; i++) {
		Var *v = o[i].kind == OPND_VAR && !inner_is_new(r->d, o[i].u.var) ? o[i].u.var : NULL;

		if (v && (r->here[v->id] || r->last[v->id]) && !r->out[v->id]) {
			r->out[v->id] = true;
			LIST_ADD(r->d->p->arena, &r->result, v);
		}
	}
}

static void
want_of(Region *r, const Bind *b)
{
	want(r, b->narg, b->arg);
	want(r, b->nway, b->way);
	for (int i = 0; i < b->nblock; i++) {
		for (const Bind *x = b->block[i]->first; x; x = x->next)
			want_of(r, x);
		want(r, b->block[i]->nyield, b->block[i]->yield);
	}
}

/* What the rest of the block wants of part. */
static void
find_results(Region *r)
{
	int k = 1;

	for (const Bind *b = r->t->next; b; b = b->next)
		if (k < r->part.n && r->part.at[k] == b)
			k++;
		else
			want_of(r, b);
	want(r, r->block->nyield, r->block->yield);
}

/* Is a row told what would have to be stored for it, if it is not in the task that has the rows around? */
static bool
is_worth_it(Region *r)
{
	const Bind *leaf = r->t->op == FLAN_segdes ? leaf_of(r->d, r->t->arg[0]) : NULL;

	for (int i = 1; i < r->part.n && !leaf; i++) {
		const Bind *b = r->part.at[i];

		if (b->lifted && b->op == FLAN_dist && is_rows(&r->members, b->arg[0]))
			leaf = leaf_of(r->d, b->arg[1]);
	}
	r->around = leaf ? leaf->arg[0].u.var : NULL;
	return leaf;
}

/* Can all that is of t's members go into arms, and are there results? */
bool
inner_find(Region *r)
{
	int known = r->d->born[r->t->dst[0]->id];

	LIST_ADD(r->d->p->arena, &r->part, r->t);
	for (Bind *b = r->t->next; b; b = b->next) {
		const Role role = member_role(&r->members, b);

		if (b->ndst > 0 && !inner_is_new(r->d, b->dst[0]) && r->d->born[b->dst[0]->id] > known)
			known = r->d->born[b->dst[0]->id];
		if (role == OTHER ? !take_other(r, b) : !take_member(r, b, role, known))
			return false;
	}
	for (int i = 0; i < r->block->nyield; i++)
		if (is_of_rows(&r->members, r->block->yield[i]))
			return false;
	find_results(r);
	return r->result.n > 0 && is_worth_it(r);
}

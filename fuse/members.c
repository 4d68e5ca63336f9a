/* members.c: which bindings are of the elements of some rows, and how.  Members of CALL take the host's number of them. */
#include "fuse/members.h"
#include "flatten/flan.h"

Members
members_new(const Program *p, const Var *t, Arena *scratch)
{
	Members m = {p, p->nvar, NEW(scratch, const Var *, p->nvar), NEW(scratch, const Bind *, p->nvar)};

	m.of[t->id] = t;
	return m;
}

static const Var *
rows_of(const Members *m, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < m->nvar ? m->of[o.u.var->id] : NULL;
}

bool
is_of_rows(const Members *m, Opnd o)
{
	return rows_of(m, o) != NULL;
}

bool
is_rows(const Members *m, Opnd o)
{
	return rows_of(m, o) && o.u.var->ty->kind == TY_SEGDES;
}

bool
is_place(const Members *m, Opnd o)
{
	return rows_of(m, o) && is_vector(o) && m->keep[o.u.var->id];
}

bool
is_member(const Members *m, Opnd o)
{
	return rows_of(m, o) && !is_rows(m, o) && !is_place(m, o);
}

/* Is each of b's vectors of the rows' elements?  Then it is for them. */
static bool
only_members(const Members *m, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (is_vector(b->arg[i]) ? !is_member(m, b->arg[i]) : is_of_rows(m, b->arg[i]))
			return false;
	return true;
}

static bool
mentions(const Members *m, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (rows_of(m, b->arg[i]))
			return true;
	for (int i = 0; i < b->nway; i++)
		if (rows_of(m, b->way[i]) && !is_rows(m, b->way[i]))
			return true;
	return false;
}

bool
block_mentions(const Members *m, const Block *block)
{
	for (const Bind *b = block->first; b; b = b->next) {
		if (mentions(m, b))
			return true;
		for (int i = 0; i < b->nway; i++)
			if (is_rows(m, b->way[i]))
				return true;
		for (int i = 0; i < b->nblock; i++)
			if (block_mentions(m, b->block[i]))
				return true;
	}
	for (int i = 0; i < block->nyield; i++)
		if (rows_of(m, block->yield[i]))
			return true;
	return false;
}

/* What it takes element by element are members, what as a whole is none. */
static bool
calls_members(const Members *m, const Bind *b)
{
	const Fun *f = fun_find(m->p, b->name);

	for (int i = 0; i < f->nparam; i++) {
		const Opnd x = b->arg[i + 1];
		const bool each = is_vector(x) && ty_scalar(f->param[i]->ty);

		if (rows_of(m, x) ? !each || !is_member(m, x) : each)
			return false;
	}
	return is_member(m, b->arg[0]);
}

/* Of an operator that is told the rows first. */
static Role
role_of_rows(const Members *m, const Bind *b)
{
	const OpInfo *op = &flan_ir.op[b->op];
	const bool kept = m->keep[b->arg[0].u.var->id];

	if (b->op == FLAN_total)
		return SIZE;
	if (b->op == FLAN_rowid || (b->op == FLAN_iota && !kept) || (b->op == FLAN_dist && !rows_of(m, b->arg[1])))
		return LEAF;
	if (b->op == FLAN_lengths)
		return kept ? FOLD : BAD;
	if (b->narg < 2 || !is_member(m, b->arg[1]))
		return BAD;
	return b->op == FLAN_pack ? KEEP : op->cls == OP_REDUCE && (!op_finds_place(op) || is_member(m, b->arg[2])) ? FOLD : BAD;
}

/* Is it taken from what is elsewhere at places that are a member; or is it a member's, at the places of what is kept? */
static bool
takes_members(const Members *m, const Bind *b)
{
	if (b->op == FLAN_gather && is_place(m, b->arg[1]))
		return is_member(m, b->arg[0]);
	return (b->op == FLAN_gather || (b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length))) && !rows_of(m, b->arg[0]) && is_member(m, b->arg[1]);
}

static Role
role_of(const Members *m, const Bind *b)
{
	for (int i = 0; i < b->nblock; i++)
		if (block_mentions(m, b->block[i]))
			return BAD;
	if (!mentions(m, b))
		return OTHER;
	if (b->narg > 0 && is_rows(m, b->arg[0]))
		return role_of_rows(m, b);
	if (b->op == FLAN_check && b->lifted && only_members(m, b))
		return CHECK;
	if (takes_members(m, b) || (flan_elementwise(b) && b->ndst == 1 && only_members(m, b)))
		return STEP;
	return b->op == FLAN_call && b->lifted && calls_members(m, b) ? CALL : BAD;
}

/* Which rows' elements does b make? */
static const Var *
rows_made(const Members *m, const Bind *b, Role role)
{
	const Var *of = NULL;

	if (role == KEEP)
		return b->dst[0];
	for (int i = 0; i < b->narg; i++)
		if (rows_of(m, b->arg[i]) && !(takes_members(m, b) && i == 0))
			of = rows_of(m, b->arg[i]);
	return of;
}

Role
member_role(Members *m, const Bind *b)
{
	const Role role = role_of(m, b);

	if (role == SIZE || role == LEAF || role == STEP || role == CALL || role == KEEP)
		for (int i = 0; i < b->ndst; i++) {
			m->of[b->dst[i]->id] = rows_made(m, b, role);
			m->keep[b->dst[i]->id] = role == KEEP ? b : NULL;
		}
	return role;
}

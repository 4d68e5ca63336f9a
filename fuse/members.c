/* members.c: which bindings are of the elements of some rows, and how.  Members of CALL take the host's number of them. */
#include "fuse/members.h"
#include "flatten/flan.h"

bool
is_member(const Members *m, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var->id < m->nvar && m->is[o.u.var->id];
}

bool
is_rows(const Members *m, Opnd o)
{
	return o.kind == OPND_VAR && o.u.var == m->t;
}

/* Is each of b's vectors of the rows' elements?  Then it is for them. */
static bool
only_members(const Members *m, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (is_vector(b->arg[i]) ? !is_member(m, b->arg[i]) : is_rows(m, b->arg[i]) || is_member(m, b->arg[i]))
			return false;
	return true;
}

static bool
mentions(const Members *m, const Bind *b)
{
	for (int i = 0; i < b->narg; i++)
		if (is_rows(m, b->arg[i]) || is_member(m, b->arg[i]))
			return true;
	for (int i = 0; i < b->nway; i++)
		if (is_member(m, b->way[i]))
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
		if (is_rows(m, block->yield[i]) || is_member(m, block->yield[i]))
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

		if (is_rows(m, x) || is_member(m, x) != each)
			return false;
	}
	return is_member(m, b->arg[0]);
}

static Role
role_of(const Members *m, const Bind *b)
{
	const OpInfo *op = &flan_ir.op[b->op];

	for (int i = 0; i < b->nblock; i++)
		if (block_mentions(m, b->block[i]))
			return BAD;
	if (!mentions(m, b))
		return OTHER;
	if (b->op == FLAN_total)
		return SIZE;
	if (is_rows(m, b->arg[0]) && ((b->lifted && (b->op == FLAN_iota || b->op == FLAN_dist)) || b->op == FLAN_rowid))
		return b->narg > 1 && is_member(m, b->arg[1]) ? BAD : LEAF;
	if (b->lifted && op->cls == OP_REDUCE && !op_finds_place(op) && is_rows(m, b->arg[0]) && is_member(m, b->arg[1]))
		return FOLD;
	if (b->op == FLAN_check && b->lifted && only_members(m, b))
		return CHECK;
	if ((b->op == FLAN_gather || (b->lifted && (b->op == FLAN_row_start || b->op == FLAN_row_length)))
	    && !is_member(m, b->arg[0]) && !is_rows(m, b->arg[0]) && is_member(m, b->arg[1]))
		return STEP;
	if (b->lifted && b->ndst == 1 && op->cls == OP_SCALAR && only_members(m, b))
		return STEP;
	return b->op == FLAN_call && b->lifted && calls_members(m, b) ? CALL : BAD;
}

Role
member_role(Members *m, const Bind *b)
{
	const Role role = role_of(m, b);

	for (int i = 0; i < b->ndst && (role == SIZE || role == LEAF || role == STEP || role == CALL); i++)
		m->is[b->dst[i]->id] = true;
	return role;
}

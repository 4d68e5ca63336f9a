/* pieces.c: rows put together from pieces of several sequences.
 *
 * The rows of an append, and those that conditionals put together again, come from different sequences.  Such a sequence
 * remembers its pieces: what is made of it in turn, another append or a conditional around it, takes each element from
 * where it was in the first place, by one gather, and nobody asks for the sequence between. */
#include "flatten/flattener.h"

/* Some that are many already do not get more. */
const Pieces *
pieces_of(Flattener *f, Val *v)
{
	Pieces *p;

	if (v->pieces && v->pieces->n <= MOST_PIECES / 2)
		return v->pieces;
	p = NEW(f->arena, Pieces, 1);
	p->n = 1;
	p->length = seq_length(f, v);
	p->at[0] = (Piece){seq_start(f, v), p->length, v->elem, v};
	return p;
}

/* Piece i is of the group-th sequence among them: gives how many there are. */
static int
group_bases(const Pieces *p, int *group, Val **base)
{
	int n = 0;

	for (int i = 0; i < p->n; i++) {
		group[i] = 0;
		while (group[i] < n && !val_same(base[group[i]], p->at[i].elem))
			group[i]++;
		if (group[i] == n)
			base[n++] = p->at[i].elem;
	}
	return n;
}

/* Rows of rows have one sequence to be in: all of them, one after the other. */
static int
join_bases(Flattener *f, Pieces *p, int *group, int n, Val **base)
{
	Opnd skip = opnd_int(0);

	for (int g = 0; g < n; g++) {
		for (int i = 0; i < p->n && g > 0; i++)
			if (group[i] == g)
				p->at[i].start = ADD(f, p->at[i].start, skip);
		skip = ADD(f, skip, column_count(f, base[g]));
	}
	for (int i = 0; i < p->n; i++)
		group[i] = 0;
	base[0] = val_concat(f, n, base);
	return 1;
}

/* s: the rows of the elements; NULL: there is one for each row. */
static Opnd
for_elements(Flattener *f, const Opnd *s, Opnd x)
{
	return s && is_vector(x) ? EMIT(f, FLAN_dist, true, &ty_ints, *s, x) : x;
}

static Val *
select_columns(Flattener *f, Opnd cond, const Val *a, const Val *b)
{
	if (a->kind == VAL_PAIR)
		return PAIR(f, select_columns(f, cond, a->a, b->a), select_columns(f, cond, a->b, b->b));
	return val_base(f, NULL, a->ty, SCALAR_OP(f, FLAN_select, a->ty, cond, a->x, b->x));
}

/* The elements `in` of their rows: element k is of the first piece that ends behind k.  Of each sequence those are
 * gathered that are its own; there is none at -1. */
static Val *
gather_pieces(Flattener *f, const Opnd *s, Opnd in, const Pieces *p, const Opnd *end, int ngroup, const int *group, Val *const *base)
{
	Opnd before[MOST_PIECES], at[MOST_PIECES], idx;
	Val *column[MOST_PIECES], *all;

	for (int i = 0; i < p->n; i++) {
		Opnd start = i ? SUB(f, p->at[i].start, end[i - 1]) : p->at[i].start;

		if (i < p->n - 1)
			before[i] = SCALAR_OP(f, FLAN_lt, &ty_bool, in, for_elements(f, s, end[i]));
		at[i] = for_elements(f, s, start);
	}
	for (int g = 0; g < ngroup; g++) {
		idx = opnd_int(-1);
		for (int i = p->n - 1; i >= 0; i--) {
			Opnd here = ngroup == 1 ? at[i] : group[i] == g ? ADD(f, in, at[i]) : opnd_int(-1);

			idx = i == p->n - 1 ? here : SCALAR_OP(f, FLAN_select, &ty_int, before[i], here, idx);
		}
		column[g] = val_gather(f, base[g], ngroup == 1 ? ADD(f, in, idx) : idx);
	}
	all = column[group[p->n - 1]];
	for (int i = p->n - 2; i >= 0 && ngroup > 1; i--)
		all = select_columns(f, before[i], column[group[i]], all);
	return all;
}

/* Where each ends in its row. */
static void
find_ends(Flattener *f, const Pieces *p, Opnd *end)
{
	end[0] = p->at[0].length;
	for (int i = 1; i < p->n; i++)
		end[i] = ADD(f, end[i - 1], p->at[i].length);
}

Val *
val_of_pieces(Flattener *f, Level *lv, const Pieces *of)
{
	Opnd end[MOST_PIECES], s;
	int group[MOST_PIECES], ngroup;
	Val *base[MOST_PIECES], *v;
	Pieces *p = NEW(f->arena, Pieces, 1);

	*p = *of;
	ngroup = group_bases(p, group, base);
	if (ngroup > 1 && !scalars_only(base[0]->ty))
		ngroup = join_bases(f, p, group, ngroup, base);
	find_ends(f, p, end);
	s = EMIT(f, FLAN_segdes, false, &ty_segdes, p->length);
	v = val_dense(f, lv, s.u.var, gather_pieces(f, &s, EMIT(f, FLAN_iota, true, &ty_ints, s), p, end, ngroup, group, base));
	v->pieces = of;
	return v;
}

static Opnd
piece_at(Flattener *f, const Val *v, Level *lv, Opnd x)
{
	return is_vector(x) ? operand_at(f, val_base(f, v->level, &ty_int, x), lv) : x;
}

const Pieces *
pieces_at(Flattener *f, const Val *v, Level *lv)
{
	Pieces *p;

	if (v->kind != VAL_SEQ || !v->pieces || v->pieces->n > MOST_PIECES / 2 || !scalars_only(v->elem->ty))
		return NULL;
	if (v->level == lv)
		return v->pieces;
	p = NEW(f->arena, Pieces, 1);
	*p = *v->pieces;
	p->length = piece_at(f, v, lv, p->length);
	for (int i = 0; i < p->n; i++)
		p->at[i] = (Piece){piece_at(f, v, lv, p->at[i].start), piece_at(f, v, lv, p->at[i].length), p->at[i].elem, NULL};
	return p;
}

Val *
element_of_pieces(Flattener *f, const Pieces *p, Opnd i)
{
	Opnd end[MOST_PIECES];
	int group[MOST_PIECES];
	Val *base[MOST_PIECES];
	const int ngroup = group_bases(p, group, base);

	find_ends(f, p, end);
	return gather_pieces(f, NULL, i, p, end, ngroup, group, base);
}

/* x from a piece's start on, so many of its elements at most. */
static Opnd
within_piece(Flattener *f, Opnd x, Opnd before, Opnd length)
{
	return SCALAR_OP(f, FLAN_min, &ty_int, SCALAR_OP(f, FLAN_max, &ty_int, SUB(f, x, before), opnd_int(0)), length);
}

Pieces *
cut_pieces(Flattener *f, const Pieces *of, Opnd from, Opnd to)
{
	Opnd end[MOST_PIECES];
	Pieces *p = NEW(f->arena, Pieces, 1);

	*p = *of;
	p->length = SUB(f, to, from);
	find_ends(f, of, end);
	for (int i = 0; i < p->n; i++) {
		const Opnd before = i ? end[i - 1] : opnd_int(0), lo = within_piece(f, from, before, of->at[i].length);
		const Opnd hi = within_piece(f, to, before, of->at[i].length);

		p->at[i] = (Piece){ADD(f, of->at[i].start, lo), SUB(f, hi, lo), of->at[i].elem, NULL};
	}
	return p;
}

bool
val_was_there(const Val *v)
{
	return v->view || (v->pieces && v->pieces->chosen);
}

Opnd
rows_where(Flattener *f, Opnd cond, Opnd x, Opnd i)
{
	return SCALAR_OP(f, FLAN_select, &ty_int, cond, EMIT(f, FLAN_gather, false, &ty_ints, x, i), opnd_int(0));
}

Pieces
pieces_where(Flattener *f, Opnd cond, const Pieces *of, Opnd i)
{
	Pieces p = *of;

	p.length = opnd_int(0);
	for (int k = 0; k < p.n; k++) {
		p.at[k].rows = NULL;
		p.at[k].start = rows_where(f, cond, of->at[k].start, i);
		p.at[k].length = rows_where(f, cond, of->at[k].length, i);
	}
	return p;
}

Pieces
pieces_together(Flattener *f, const Pieces *a, const Pieces *b)
{
	Pieces all = *a;

	all.length = ADD(f, a->length, b->length);
	all.chosen = false;
	for (int i = 0; i < b->n; i++)
		all.at[all.n++] = b->at[i];
	return all;
}

/* -- vectors of the host ------------------------------------------------------------------------------- */

/* What x is cut out of, a vector at places that go up by one, or x itself; *start: from where on. */
static Opnd
cut_from(const Flattener *f, Opnd x, Opnd *start)
{
	const Bind *b = made_by(f, x), *at = b && b->op == FLAN_gather ? made_by(f, b->arg[1]) : NULL, *in;

	*start = opnd_int(0);
	if (at && at->op == FLAN_iota && !at->lifted)
		return b->arg[0];
	for (int i = 0; at && at->lifted && at->op == FLAN_add && i < 2; i++)
		if (!is_vector(at->arg[1 - i]) && (in = made_by(f, at->arg[i])) && in->op == FLAN_iota && !in->lifted) {
			*start = at->arg[1 - i];
			return b->arg[0];
		}
	return x;
}

/* Might elements of it be made where they are taken?  That is for places of a piece alone (gather_within); elsewhere places go on
 * beyond the piece, and what is there is not chosen. */
static bool
may_be_within(const Flattener *f, Opnd base)
{
	const Bind *b = made_by(f, base);

	return b && b->lifted && used_once(f, base);
}

Opnd
joined_elements(Flattener *f, const Ty *ty, int n, const Opnd *x)
{
	Opnd end[MOST_PIECES] = {0}, before[MOST_PIECES], value[MOST_PIECES] = {0}, all, in;

	for (int i = 0; i < n; i++)
		end[i] = i ? ADD(f, end[i - 1], length_of(f, x[i])) : length_of(f, x[i]);
	in = EMIT(f, FLAN_iota, false, &ty_ints, end[n - 1]);
	for (int i = 0; i < n; i++) {
		Opnd start, base = cut_from(f, x[i], &start), at;

		if (i < n - 1)
			before[i] = SCALAR_OP(f, FLAN_lt, &ty_bool, in, end[i]);
		at = ADD(f, in, i ? SUB(f, start, end[i - 1]) : start);
		if (may_be_within(f, base) && i < n - 1)
			at = SCALAR_OP(f, FLAN_select, &ty_int, before[i], at, opnd_int(-1));
		if (may_be_within(f, base) && i > 0)
			at = SCALAR_OP(f, FLAN_select, &ty_int, before[i - 1], opnd_int(-1), at);
		value[i] = constant_of(f, x[i]);
		if (is_vector(value[i]))
			value[i] = EMIT(f, FLAN_gather, false, ty, base, at);
	}
	all = value[n - 1];
	for (int i = n - 2; i >= 0; i--)
		all = SCALAR_OP(f, FLAN_select, ty->a, before[i], value[i], all);
	return all;
}

/* irscan.c: how a function says that it is the scan by another, its operator (Fun.scans; basis/reduce.nesl, flatten/lift.c,
 * backend/cpu/scan.c).
 *
 * The operator takes what it captured, and two elements; the scan what the operator captured, the identity, a sequence, and then what
 * is handed on to it besides; it gives the exclusive scan, and what all elements come to, by the applications of the operator that
 * are in the function's body, in whatever order of time. In normal an element is one value; from flan on it is its leaves, all scalars, and
 * the operator is scalar code. */
#include "common/ircheck.h"

static bool
same_type(const Var *v, const Ty *ty)
{
	return ty_equal(v->ty, ty);
}

/* k: the leaves of an element. */
static bool
operator_fits(const Fun *by, int k)
{
	const int own = by->nparam - 2 * k;

	if (k == 0 || own < 0)
		return false;
	for (int i = 0; i < k; i++)
		if (!same_type(by->param[own + i], by->result[i]) || !same_type(by->param[own + k + i], by->result[i]))
			return false;
	return true;
}

static bool
captured_fits(const Fun *f, const Fun *by, int own)
{
	for (int i = 0; i < own; i++)
		if (!same_type(f->param[i], by->param[i]->ty))
			return false;
	return true;
}

static bool
fits_in_normal(Arena *a, const Fun *f, const Fun *by)
{
	const int own = by->nparam - 2;
	const Ty *t = by->result[0], *all = ty_seq(a, t);

	return by->nresult == 1 && operator_fits(by, 1) && f->nparam == own + 2 && captured_fits(f, by, own)
		&& same_type(f->param[own], t) && same_type(f->param[own + 1], all)
		&& f->nresult == 1 && ty_equal(f->result[0], ty_pair(a, all, t));
}

static bool
leaves_fit(const Fun *f, const Fun *by)
{
	const int k = by->nresult, own = by->nparam - 2 * k;

	if (!by->scalar || f->scalar || !operator_fits(by, k) || f->nparam < own + 2 * k || !captured_fits(f, by, own) || f->nresult != 2 * k)
		return false;
	for (int i = 0; i < k; i++) {
		const Ty *t = by->result[i];

		if (!same_type(f->param[own + i], t) || !same_type(f->param[own + k + i], ty_vec(t))
		    || !ty_equal(f->result[i], ty_vec(t)) || !ty_equal(f->result[k + i], t))
			return false;
	}
	return true;
}

const char *
scan_check(const Program *p, Span *at)
{
	for (const Fun *f = p->funs; f; f = f->next) {
		const Fun *by = f->scans ? fun_find(p, f->scans) : NULL;

		*at = f->span;
		if (f->scans && !by)
			return arena_printf(p->arena, "%s: there is no function %s to scan by", f->name, f->scans);
		if (by && !(p->ir == &normal_ir ? fits_in_normal(p->arena, f, by) : leaves_fit(f, by)))
			return arena_printf(p->arena, "%s: is no scan by %s", f->name, by->name);
	}
	return NULL;
}

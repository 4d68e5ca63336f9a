/* range.c: from comparisons with constants, and from what is picked by them: x[split x < c] is below c, or from c on. */
#include "shape/range.h"
#include "flatten/flan.h"
#include "shape/place.h"

/* Truths are sums of lt and eq (compared(), laws.c): the parts of 1 * lt + 1 * eq, in any order; others are NULL. */
static bool
parts(const Size *s, const Atom **lt, const Atom **eq)
{
	*lt = *eq = NULL;
	for (int i = 0; i < s->n; i++) {
		const Product *p = &s->product[i];
		const Atom *a = p->n == 1 && p->factor == 1 ? p->atom[0] : NULL;

		if (a && a->op == FLAN_lt && !*lt)
			*lt = a;
		else if (a && a->op == FLAN_eq && !*eq)
			*eq = a;
		else
			return false;
	}
	return s->n > 0 && (!*lt || !*eq || (*lt)->arg[0].value == (*eq)->arg[0].value) && (!*lt || !*eq || (*lt)->arg[1].value == (*eq)->arg[1].value);
}

bool
range_said(Sizes *z, const Size *truth, bool holds, Compared *said)
{
	const Atom *lt, *eq, *any;

	if (!parts(truth, &lt, &eq)) {
		holds = !holds;
		if (!parts(size_sub(z, size_int(z, 1), truth), &lt, &eq))
			return false;
	}
	any = lt ? lt : eq;
	if (any->ty == TY_FLOAT || !size_constant(any->arg[1].value, &said->c))
		return false;
	said->x = any->arg[0].value;
	said->how = !lt ? holds ? IS : IS_NOT : holds ? BELOW : FROM;
	if (!lt || !eq)
		return true;
	if (said->c == INT64_MAX)
		return false;
	said->c++;
	return true;
}

void
range_narrow(Range *r, const Compared *said)
{
	const int64_t c = said->c;

	if ((said->how == FROM || said->how == IS) && r->lo < c)
		r->lo = c;
	if (said->how == BELOW && c > INT64_MIN && r->hi >= c)
		r->hi = c - 1;
	if (said->how == IS && r->hi > c)
		r->hi = c;
	if (said->how == IS_NOT && r->lo == c && c < INT64_MAX)
		r->lo++;
	if (said->how == IS_NOT && r->hi == c && c > INT64_MIN)
		r->hi--;
}

/* Of elements picked where a truth of each of them holds, or does not. */
static void
picked(Sizes *z, const Size *x, Range *r)
{
	Shape of;
	const Atom *i = place_picked(z, x, &of);
	Compared said;

	if (i && range_said(z, i->arg[0].value, i->result == 0, &said) && said.x == of.value)
		range_narrow(r, &said);
}

Range
range_of(Sizes *z, const Size *x)
{
	Range r = {INT64_MIN, INT64_MAX};
	int64_t k;

	if (size_constant(x, &k))
		return (Range){k, k};
	if (size_natural(x))
		r.lo = 0;
	picked(z, x, &r);
	return r;
}

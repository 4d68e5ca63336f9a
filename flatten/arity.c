/* arity.c: parameters and results that say nothing.
 *
 * A parameter goes if its body does not look at it, or if every call gives the same constant for it, or the same as for
 * an earlier parameter.  A result goes if no call's is used, or if it is a constant, a parameter, or an earlier result.
 * A function's calls of itself that pass a parameter on as it is say nothing against that.  One of each stays.
 * Where a function is called for each element only parameters go that its body does not look at. */
#include "flatten/survey.h"

static bool
is_param(const Fun *f, Opnd o, int i)
{
	return o.kind == OPND_VAR && o.u.var == f->param[i];
}

static bool
passes_on(const Callee *c, const Site *s, int i)
{
	return s->caller == c->fun && is_param(c->fun, s->call->arg[i], i);
}

/* The constant that every call gives for parameter i, or the parameter. */
static Opnd
same_constant(const Callee *c, int i)
{
	Opnd self = opnd_var(c->fun->param[i]), found = self;

	for (int k = 0; k < c->site.n; k++) {
		const Site *s = &c->site.at[k];
		Opnd x = s->call->arg[i];

		if (passes_on(c, s, i))
			continue;
		if (x.kind == OPND_VAR || (found.kind != OPND_VAR && !same_opnd(x, found)))
			return self;
		found = x;
	}
	return found;
}

static bool
same_as(const Callee *c, int i, int j)
{
	if (!ty_equal(c->fun->param[i]->ty, c->fun->param[j]->ty))
		return false;
	for (int k = 0; k < c->site.n; k++) {
		const Site *s = &c->site.at[k];

		if (!same_opnd(s->call->arg[i], s->call->arg[j]) && !(passes_on(c, s, i) && passes_on(c, s, j)))
			return false;
	}
	return true;
}

static bool
looked_at(const Survey *s, const Callee *c, int i)
{
	int uses = s->uses[c->fun->param[i]->id];

	for (int k = 0; k < c->site.n; k++)
		uses -= passes_on(c, &c->site.at[k], i);
	return uses > 0;
}

bool
callee_keeps(const Callee *c, int i)
{
	return is_param(c->fun, c->param[i], i) && !c->unused[i];
}

static void
parameters(Survey *s, Callee *c)
{
	const Fun *f = c->fun;
	int kept = 0;

	for (int i = 0; i < f->nparam; i++) {
		c->param[i] = opnd_var(f->param[i]);
		c->unused[i] = !looked_at(s, c, i);
		for (int j = 0; j < i && !c->each && is_param(f, c->param[i], i); j++)
			if (is_param(f, c->param[j], j) && !c->unused[j] && same_as(c, i, j))
				c->param[i] = opnd_var(f->param[j]);
		if (!c->each && is_param(f, c->param[i], i))
			c->param[i] = same_constant(c, i);
		kept += callee_keeps(c, i);
	}
	if (kept == 0 && f->nparam > 0) {
		c->param[0] = opnd_var(f->param[0]);
		c->unused[0] = false;
	}
}

/* What result i is besides itself. */
static bool
known_result(const Callee *c, int i, Opnd *out)
{
	const Fun *f = c->fun;
	Opnd y = f->body->yield[i];

	*out = y;
	if (y.kind != OPND_VAR)
		return true;
	for (int j = 0; j < f->nparam; j++)
		if (is_param(f, y, j))
			return true;
	for (int j = 0; j < i; j++)
		if (!c->drop[j] && same_opnd(y, f->body->yield[j]))
			return true;
	return false;
}

static bool
asked_for(const Survey *s, const Callee *c, int i)
{
	for (int k = 0; k < c->site.n; k++)
		if (s->uses[c->site.at[k].call->dst[i]->id] > 0)
			return true;
	return false;
}

static void
results(Survey *s, Callee *c)
{
	int kept = 0;

	for (int i = 0; i < c->fun->nresult; i++) {
		c->drop[i] = known_result(c, i, &c->result[i]) || !asked_for(s, c, i);
		kept += !c->drop[i];
	}
	if (kept == 0 && c->fun->nresult > 0)
		c->drop[0] = false;
}

void
arity(Survey *s)
{
	Arena *a = s->program->arena;

	for (int i = 0; i < s->reached.n; i++) {
		Callee *c = s->reached.at[i];

		c->param = NEW(a, Opnd, c->fun->nparam);
		c->unused = NEW(a, bool, c->fun->nparam);
		c->result = NEW(a, Opnd, c->fun->nresult);
		c->drop = NEW(a, bool, c->fun->nresult);
		if (c->inlined || c->fixed) {
			for (int k = 0; k < c->fun->nparam; k++)
				c->param[k] = opnd_var(c->fun->param[k]);
			continue;
		}
		parameters(s, c);
		if (!c->each)
			results(s, c);
	}
}

/* scans.c: functions that are the scan by another, as targets see them that run their operators (scans.h). */
#include "backend/scans.h"

ScanShape
scan_shape(const Program *p, Map *scalars, const Fun *f)
{
	const Fun *by = fun_find(p, f->scans);

	return (ScanShape){by, by->nparam - 2 * by->nresult, by->nresult, scalar_fun_of(scalars, by)->faults};
}

const Var *
scan_column(const ScanShape *s, const Fun *f, int i)
{
	return f->param[s->own + s->n + i];
}

const Var *
scan_identity(const ScanShape *s, const Fun *f, int i)
{
	return f->param[s->own + i];
}

const Var *
scan_space(const Program *p, const Fun *f)
{
	const Fun *by = f->scans ? fun_find(p, f->scans) : NULL;

	return f->param[by ? by->nparam - by->nresult : 0];
}

bool
scan_never_fails(const Program *p, Map *scalars, const Fun *f)
{
	return f->scans && !scan_shape(p, scalars, f).faults;
}

Program *
scans_by_operators(Program *p)
{
	Map *scalars = scalar_funs(p, tail_calls(p));
	Program *to = program_copy(p, p->ir);

	for (Fun *f = to->funs; f; f = f->next)
		if (scan_never_fails(p, scalars, f))
			f->body = block_new(to);
	return to;
}

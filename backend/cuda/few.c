/* few.c: all rows of a level on the host, where they have few elements (flatten/small.c, nesl_few.h).
 *
 * In   a function that says it does for rows what another does for one, in nested form (backend/nested.c)
 * Out  all_NAME, which is called in its place: what the rows have is read, and rows_NAME_ (backend/nested_rows.c) does them; or the
 *      function's own code does all */
#include "backend/cuda/gen.h"
#include "backend/nested.h"

/* What it gives, the i-th of it. */
static const char *
given(Gen *g, const Fun *f, int i)
{
	if (f->result[i]->kind == TY_SEGDES)
		return arena_printf(g->a, "nesl_given_rows(given_[%d])", i);
	return arena_printf(g->a, "nesl_given_vec<%s>(given_[%d])", emit_ctype(f->result[i]), i);
}

/* One operand more where rows must be short: the lengths of their sequences. */
static const char *
lengths(Gen *g, const Fun *f)
{
	const VarList l = nested_lengths(g->p, f);
	const char *all = "";

	for (int i = 0; i < l.n; i++)
		all = arena_printf(g->a, "%s%srows_.%s", all, i ? ", " : "", emit_cname(g->e, l.at[i]->name));
	return arena_printf(g->a, ", {%s}", all);
}

void
few_call(Gen *g, const Fun *f, int task, const char *head)
{
	const char *name = emit_cname(g->e, f->name), *args = emit_cname(g->e, f->param[0]->name), *has = "";

	for (int i = 1; i < f->nparam; i++) {
		const char *x = emit_cname(g->e, f->param[i]->name);

		args = arena_printf(g->a, "%s, %s", args, x);
		has = arena_printf(g->a, ty_scalar(f->param[i]->ty) ? "%s%s%s" : "%s%snesl_few_take(few_, %s)", has, i > 1 ? ", " : "", x);
	}
	for (int i = 0; f->nresult > 1 && i < f->nresult; i++)
		args = arena_printf(g->a, "%s, r%d_", args, i + 1);
	nested_rows(g->e, g->p, f, name, true);
	emit_line(g->e, "%s", head);
	emit_open(g->e, "{");
	emit_line(g->e, "nesl_few few_ = nesl_few_begin();");
	emit_line(g->e, "const struct rows_%s_ rows_ = {%s};", name, has);
	emit_line(g->e, "nesl_given given_[%d] = {};", f->nresult);
	emit_blank(g->e);
	emit_open(g->e, "if (nesl_run_few(%d, few_, rows_%s_, &rows_, %s, given_, %d%s)) {", task, name,
		emit_cname(g->e, f->param[0]->name), f->nresult, nested_is_deep(g->p, f) ? lengths(g, f) : "");
	for (int i = 0; i < f->nparam; i++)
		if (ty_counted(f->param[i]->ty) && !fun_borrows(f, i))
			emit_line(g->e, "nesl_free(%s);", emit_cname(g->e, f->param[i]->name));
	for (int i = 0; f->nresult > 1 && i < f->nresult; i++)
		emit_line(g->e, "r%d_ = %s;", i + 1, given(g, f, i));
	if (f->nresult == 1)
		emit_line(g->e, "return %s;", given(g, f, 0));
	else
		emit_line(g->e, "return;");
	emit_close(g->e, "}");
	emit_line(g->e, "nesl_run.all_flat++;");
	if (f->nresult == 1)
		emit_line(g->e, "const %s r_ = fn_%s(%s);", gen_type(g, f->result[0]), name, args);
	else
		emit_line(g->e, "fn_%s(%s);", name, args);
	emit_line(g->e, "nesl_run.all_flat--;");
	if (f->nresult == 1)
		emit_line(g->e, "return r_;");
	emit_close(g->e, "}");
	emit_blank(g->e);
}

/* small.c: rows of few elements one after the other (flatten/small.c, nesl_cpu_small.h).
 *
 * In   a function that says it does for rows what another does for one, in nested form (backend/nested.c)
 * Out  all_NAME, which is called in its place and has rows run so, chunk by chunk (backend/nested_rows.c) */
#include "backend/cpu/cpu.h"

/* What calls it where it is wanted: for all rows so, or, once that has failed, by its own code. */
void
cpu_all_small(Cpu *k, const Fun *f)
{
	const char *name = cpu_fun(k, f), *args = "", *there = "", *sizes = "", *out = "", *of_rows = "";
	const VarList lengths = nested_lengths(k->p, f);

	for (int i = 1; i < f->nparam; i++) {
		const char *x = cpu_name(k, f->param[i]), *sep = i > 1 ? ", " : "";

		args = arena_printf(k->arena, "%s%s%s", args, sep, x);
		there = arena_printf(k->arena, "%s%s%s%s", there, sep, x, ty_scalar(f->param[i]->ty) ? "" : "->data");
	}
	for (int i = 0; i < f->nresult; i++) {
		sizes = arena_printf(k->arena, "%s%s%d", sizes, i ? ", " : "", f->result[i]->kind == TY_SEGDES ? 0 : emit_size(k->e, f->result[i]));
		out = arena_printf(k->arena, "%s%sout_[%d]", out, i ? ", " : "", i);
	}
	for (int i = 0; i < lengths.n; i++)
		of_rows = arena_printf(k->arena, "%s%s%s", of_rows, i ? ", " : "", cpu_name(k, lengths.at[i]));
	if (lengths.n > 0)
		of_rows = arena_printf(k->arena, "(nesl_vec *const[]){%s}", of_rows);
	nested_rows(k->e, k->p, f, name, false);
	emit_line(k->e, "static %s", cpu_result_type(k, f));
	emit_line(k->e, "all_%s(%s)", name, cpu_parameters(k, f));
	emit_open(k->e, "{");
	emit_line(k->e, "const struct rows_%s_ rows_ = {%s};", name, there);
	emit_line(k->e, "nesl_vec *out_[%d];", f->nresult);
	emit_line(k->e, "%sr_;", cpu_result_type(k, f));
	emit_blank(k->e);
	emit_open(k->e, "if (nesl_run_small(&nesl_tasks[%d], rows_%s_, &rows_, %s, %d, %s, %d, (const i64[]){%s}, out_)) {",
		cpu_numbered(k, f)->task, name, cpu_name(k, f->param[0]), lengths.n, lengths.n > 0 ? of_rows : "NULL", f->nresult, sizes);
	for (int i = 0; i < f->nparam; i++)
		if (ty_counted(f->param[i]->ty) && !fun_borrows(f, i))
			emit_line(k->e, "nesl_free(%s);", cpu_name(k, f->param[i]));
	if (f->nresult == 1)
		emit_line(k->e, "return %s;", out);
	else
		emit_line(k->e, "return (struct fn_%s){%s};", name, out);
	emit_close(k->e, "}");
	emit_line(k->e, "nesl_all_flat++;");
	emit_line(k->e, "r_ = fn_%s(%s, %s);", name, cpu_name(k, f->param[0]), args);
	emit_line(k->e, "nesl_all_flat--;");
	emit_line(k->e, "return r_;");
	emit_close(k->e, "}");
	emit_blank(k->e);
}

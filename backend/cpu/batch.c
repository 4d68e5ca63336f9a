/* batch.c: a function that runs for batches of rows (flatten/batch.c, nesl_cpu_batch.h). */
#include "backend/cpu/cpu.h"

/* What batch k gave goes where that of all is put together. */
static void
keep_results(Cpu *k, const Fun *f, const char *call)
{
	if (f->nresult == 1)
		emit_line(k->e, "r0_[k_] = %s;", call);
	else if (f->nresult > 1)
		emit_line(k->e, "const struct fn_%s r_ = %s;", cpu_fun(k, f), call);
	else
		emit_line(k->e, "%s;", call);
	for (int i = 0; i < f->nresult && f->nresult > 1; i++)
		emit_line(k->e, "r%d_[k_] = r_.r%d;", i, i);
}

/* A number is the same for all. */
static const char *
together(Cpu *k, const Fun *f, int i)
{
	if (ty_scalar(f->result[i]))
		return arena_printf(k->arena, "r%d_[0]", i);
	return arena_printf(k->arena, "nesl_together(%d, &all_, r%d_)", f->result[i]->kind == TY_SEGDES ? 0 : emit_size(k->e, f->result[i]), i);
}

void
cpu_all_batches(Cpu *k, const Fun *f)
{
	const char *args = "", *results = "";

	for (int i = 0; i < f->nparam; i++)
		args = arena_printf(k->arena, "%s%s%s", args, i ? ", " : "", cpu_name(k, f->param[i]));
	emit_line(k->e, "static %s", cpu_result_type(k, f));
	emit_line(k->e, "all_%s(%s)", cpu_fun(k, f), cpu_parameters(k, f));
	emit_open(k->e, "{");
	emit_line(k->e, "nesl_batches all_;");
	for (int i = 0; i < f->nresult; i++)
		emit_line(k->e, "%sr%d_[NESL_BATCHES];", cpu_type(f->result[i]), i);
	emit_blank(k->e);
	emit_line(k->e, "nesl_batches_begin(&all_, %s);", cpu_name(k, lcu_cuts(f)));
	for (int i = 0; i < f->nparam; i++)
		if (ty_counted(f->param[i]->ty) && !fun_borrows(f, i))
			emit_line(k->e, "nesl_share(%s, &all_);", cpu_name(k, f->param[i]));
	emit_blank(k->e);
	emit_line(k->e, "NESL_EACH_BATCH(all_)");
	emit_open(k->e, "for (i64 k_ = 0; k_ < all_.n; k_++) {");
	emit_line(k->e, "nesl_batch batch_;");
	emit_open(k->e, "if (NESL_BATCH_RUNS(batch_, all_, k_)) {");
	keep_results(k, f, arena_printf(k->arena, "fn_%s(%s)", cpu_fun(k, f), args));
	emit_close(k->e, "}");
	emit_line(k->e, "nesl_batch_end(&batch_, &all_);");
	emit_close(k->e, "}");
	emit_line(k->e, "nesl_batches_end(&all_);");
	for (int i = 0; i < f->nresult; i++)
		results = arena_printf(k->arena, "%s%s%s", results, i ? ", " : "", together(k, f, i));
	if (f->nresult == 1)
		emit_line(k->e, "return %s;", results);
	else if (f->nresult > 1)
		emit_line(k->e, "return (struct fn_%s){%s};", cpu_fun(k, f), results);
	emit_close(k->e, "}");
	emit_blank(k->e);
}

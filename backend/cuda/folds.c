/* folds.c: what a pass folds side by side, as one operator. */
#include "backend/cuda/functor.h"

const char *
fold_type(Gen *g, const Bind *b)
{
	return plan_segdes(b) ? "nesl_lengths" : emit_fold_type(g->e, gen_info(g, b), opnd_ty(b->arg[0]));
}

bool
fold_keeps_value(const Gen *g, const Bind *b)
{
	return !plan_segdes(b) && !op_finds_place(gen_info(g, b));
}

/* What it has kept, in x, of the type that all of l have together. */
static const char *
fold_kept(Gen *g, const Steps *l, const Bind *step, const char *x)
{
	return l->n == 1 ? x : arena_printf(g->a, "%s.%s", x, emit_cname(g->e, step->dst[0]->name));
}

const char *
fold_value(Gen *g, const Steps *l, const Bind *step, const char *x)
{
	return emit_fold_result(g->e, gen_info(g, step), fold_kept(g, l, step, x));
}

/* A line for each: its operator's function of these texts. */
static void
emit_beside(Gen *g, const Steps *l, const char *head, const char *fn, const char *x, const char *y)
{
	emit_line(g->e, "%s", head);
	emit_open(g->e, "{");
	emit_open(g->e, "return {");
	for (int i = 0; i < l->n; i++)
		emit_line(g->e, "%s::%s(%s%s%s),", gen_operator(g, l->at[i]), fn, *x ? fold_kept(g, l, l->at[i], x) : "",
			*y ? ", " : "", *y ? fold_kept(g, l, l->at[i], y) : "");
	emit_close(g->e, "};");
	emit_close(g->e, "}");
}

const char *
fold_operator(Gen *g, const Steps *l, const char *name)
{
	const char *exact = "", *commutes = "";

	if (l->n == 0)
		return NULL;
	if (l->n == 1)
		return gen_operator(g, l->at[0]);
	emit_open(g->e, "struct %s {", name);
	emit_open(g->e, "struct T {");
	for (int i = 0; i < l->n; i++) {
		emit_line(g->e, "%s %s;", fold_type(g, l->at[i]), emit_cname(g->e, l->at[i]->dst[0]->name));
		exact = arena_printf(g->a, "%s%s%s::exact", exact, i ? " && " : "", gen_operator(g, l->at[i]));
		commutes = arena_printf(g->a, "%s%s%s::commutes", commutes, i ? " && " : "", gen_operator(g, l->at[i]));
	}
	emit_close(g->e, "};");
	emit_line(g->e, "static const bool exact = %s;", exact);
	emit_line(g->e, "static const bool commutes = %s;", commutes);
	emit_beside(g, l, "static __host__ __device__ T id()", "id", "", "");
	emit_beside(g, l, "static __device__ T op(T x, T y)", "op", "x", "y");
	emit_close(g->e, "};");
	emit_blank(g->e);
	return name;
}

const char *
fold_types(Gen *g, const Steps *l, const char *op)
{
	return l->n == 1 ? fold_type(g, l->at[0]) : arena_printf(g->a, "%s::T", op);
}

void
fold_operands(Functor *f, const Steps *l)
{
	Gen *g = f->g;
	const char *all = "";

	for (int i = 0; i < l->n; i++) {
		const Bind *b = l->at[i];
		const char *x = gen_name(g, plan_folded(b));

		if (plan_segdes(b))
			x = arena_printf(g->a, "nesl_length_of(%s)", x);
		else if (op_finds_place(gen_info(g, b)))
			x = arena_printf(g->a, "%s::of(%s, %s)", gen_operator(g, b), x, gen_name(g, b->arg[1]));
		all = arena_printf(g->a, "%s%s%s", all, i ? ", " : "", x);
	}
	emit_line(g->e, l->n == 1 ? "return %s;" : "return {%s};", all);
}

/* small.c: rows of few elements one after the other (flatten/small.c, nesl_cpu_small.h).
 *
 * In   a function that says it does for rows what another does for one, in nested form (nested.c)
 * Out  rows_NAME_, which does that for the rows of a chunk: of what each has it makes the parameters, of what comes back the results of
 *      all rows; and all_NAME, which is called in its place and has rows run so */
#include "backend/cpu/cpu.h"

typedef struct Leaves {
	Cpu *k;
	const Fun *f;           /* the function for rows */
	int at;                 /* of its parameters or results, the next */
	int seqs;               /* sequences that were made of tuples */
} Leaves;

/* The next leaf's value for row i_: its own, or the host's. */
static const char *
row_leaf(Leaves *l)
{
	const Var *v = l->f->param[l->at++];
	const char *name = cpu_name(l->k, v);

	if (ty_scalar(v->ty))
		return arena_printf(l->k->arena, "x->%s", name);
	return arena_printf(l->k->arena, "((const %s *)x->%s->data)[i_]", emit_ctype(v->ty), name);
}

/* Element `i` of a sequence whose leaves come next. */
static const char *
leaf_element(Leaves *l, const Ty *ty, const char *i)
{
	if (ty->kind == TY_PAIR) {
		const char *a = leaf_element(l, ty->a, i);

		return arena_printf(l->k->arena, "{%s, %s}", a, leaf_element(l, ty->b, i));
	}
	return arena_printf(l->k->arena, "((const %s *)x->%s->data)[%s]", emit_ctype(ty), cpu_name(l->k, l->f->param[l->at++]), i);
}

static const char *
row_value(Leaves *l, const Ty *ty)
{
	Arena *a = l->k->arena;
	const char *start, *n, *name, *x;

	if (ty->kind == TY_PAIR) {
		x = row_value(l, ty->a);
		return arena_printf(a, "{%s, %s}", x, row_value(l, ty->b));
	}
	if (ty->kind != TY_SEQ)
		return row_leaf(l);
	start = row_leaf(l);
	n = row_leaf(l);
	if (ty_scalar(ty->a))
		return arena_printf(a, "{%s, (const %s *)x->%s->data + %s}", n, emit_ctype(ty->a), cpu_name(l->k, l->f->param[l->at++]), start);
	name = arena_printf(a, "v%d_", l->seqs++);
	emit_line(l->k->e, "%s *const %s = nesl_row_take(s_, %s, sizeof *%s);", cpu_nested_type(l->k, ty->a), name, n, name);
	emit_open(l->k->e, "for (i64 j_ = 0; j_ < %s; j_++)", n);
	x = leaf_element(l, ty->a, arena_printf(a, "%s + j_", start));
	emit_line(l->k->e, "%s[j_] = (%s)%s;", name, cpu_nested_type(l->k, ty->a), x);
	emit_close(l->k->e, "");
	return arena_printf(a, "{%s, %s}", n, name);
}

/* The elements of x go to the next results. */
static void
give_elements(Leaves *l, const Ty *ty, const char *x, const char *part)
{
	if (ty->kind == TY_PAIR) {
		give_elements(l, ty->a, x, arena_printf(l->k->arena, "%s.a", part));
		give_elements(l, ty->b, x, arena_printf(l->k->arena, "%s.b", part));
		return;
	}
	emit_line(l->k->e, "%s *const r%d_ = nesl_row_gives(s_, &given[%d], %s.n, sizeof(%s));", emit_ctype(ty), l->at, l->at, x, emit_ctype(ty));
	emit_open(l->k->e, "for (i64 j_ = 0; j_ < %s.n; j_++)", x);
	emit_line(l->k->e, "r%d_[j_] = %s.at[j_]%s;", l->at++, x, part);
	emit_close(l->k->e, "");
}

static void
give(Leaves *l, const Ty *ty, const char *x)
{
	if (ty->kind == TY_PAIR) {
		give(l, ty->a, arena_printf(l->k->arena, "%s.a", x));
		give(l, ty->b, arena_printf(l->k->arena, "%s.b", x));
		return;
	}
	if (ty->kind == TY_SEQ) {
		emit_line(l->k->e, "*(i64 *)nesl_row_gives(s_, &given[%d], 1, sizeof(i64)) = %s.n;", l->at++, x);
		give_elements(l, ty->a, x, "");
		return;
	}
	emit_line(l->k->e, "*(%s *)nesl_row_gives(s_, &given[%d], 1, sizeof(%s)) = %s;", emit_ctype(ty), l->at, emit_ctype(ty), x);
	l->at++;
}

/* The lengths of the sequences that each row has: which parameters. */
static void
add_lengths(const Ty *ty, const Fun *f, int *at, VarList *to, Arena *a)
{
	if (ty->kind == TY_PAIR) {
		add_lengths(ty->a, f, at, to, a);
		add_lengths(ty->b, f, at, to, a);
	} else if (ty->kind == TY_SEQ) {
		TyList leaf = {0};

		ty_leaves(a, ty->a, true, &leaf);
		if (!ty_scalar(f->param[*at + 1]->ty))
			LIST_ADD(a, to, f->param[*at + 1]);
		*at += 2 + leaf.n;
	} else {
		++*at;
	}
}

/* The function for the rows of a chunk. */
static void
small_rows(Cpu *k, const Fun *f)
{
	const Fun *of = fun_find(k->p->nested, f->nested);
	Leaves in = {k, f, 1, 0}, out = {k, f, 0, 0};
	const char *name = cpu_fun(k, f), *fields = "", *args = "s_";

	for (int i = 1; i < f->nparam; i++)
		fields = arena_printf(k->arena, "%s%s%s%s;", fields, i > 1 ? " " : "", cpu_type(f->param[i]->ty), cpu_name(k, f->param[i]));
	emit_line(k->e, "struct rows_%s_ { %s };", name, fields);
	emit_blank(k->e);
	emit_line(k->e, "static void");
	emit_line(k->e, "rows_%s_(nesl_row_room *s_, const void *x_, nesl_part rows_, nesl_given *given)", name);
	emit_open(k->e, "{");
	emit_line(k->e, "const struct rows_%s_ *const x = x_;", name);
	emit_line(k->e, "char *const room_ = s_->at;");
	emit_blank(k->e);
	emit_open(k->e, "for (i64 i_ = rows_.lo; i_ < rows_.hi; i_++) {");
	emit_line(k->e, "s_->at = room_;");
	for (int i = 0; i < of->nparam; i++) {
		const Ty *ty = of->param[i]->ty;
		const char *x = row_value(&in, ty);

		args = arena_printf(k->arena, ty_scalar(ty) ? "%s, %s" : "%s, (%s)%s", args, ty_scalar(ty) ? x : cpu_nested_type(k, ty), x);
	}
	emit_line(k->e, "const %s r_ = nested_%s_(%s);", cpu_nested_type(k, of->result[0]), emit_cname(k->e, of->name), args);
	give(&out, of->result[0], "r_");
	emit_close(k->e, "}");
	emit_close(k->e, "}");
	emit_blank(k->e);
}

/* What calls it where it is wanted: for all rows so, or, once that has failed, by its own code. */
void
cpu_all_small(Cpu *k, const Fun *f)
{
	const Fun *of = fun_find(k->p->nested, f->nested);
	const char *name = cpu_fun(k, f), *args = "", *sizes = "", *out = "", *of_rows = "";
	VarList lengths = {0};
	int at = 1;

	for (int i = 0; i < of->nparam; i++)
		add_lengths(of->param[i]->ty, f, &at, &lengths, k->arena);
	for (int i = 1; i < f->nparam; i++)
		args = arena_printf(k->arena, "%s%s%s", args, i > 1 ? ", " : "", cpu_name(k, f->param[i]));
	for (int i = 0; i < f->nresult; i++) {
		sizes = arena_printf(k->arena, "%s%s%d", sizes, i ? ", " : "", f->result[i]->kind == TY_SEGDES ? 0 : emit_size(k->e, f->result[i]));
		out = arena_printf(k->arena, "%s%sout_[%d]", out, i ? ", " : "", i);
	}
	for (int i = 0; i < lengths.n; i++)
		of_rows = arena_printf(k->arena, "%s%s%s", of_rows, i ? ", " : "", cpu_name(k, lengths.at[i]));
	if (lengths.n > 0)
		of_rows = arena_printf(k->arena, "(nesl_vec *const[]){%s}", of_rows);
	small_rows(k, f);
	emit_line(k->e, "static %s", cpu_result_type(k, f));
	emit_line(k->e, "all_%s(%s)", name, cpu_parameters(k, f));
	emit_open(k->e, "{");
	emit_line(k->e, "const struct rows_%s_ rows_ = {%s};", name, args);
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

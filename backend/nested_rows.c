/* nested_rows.c: rows for functions in nested form (nested.c).
 *
 * In   a function that says it does for rows what another does for one
 * Out  rows_NAME_, which does that for some of its rows: of what each has it makes the parameters, of what comes back the results of
 *      all those rows */
#include "backend/nested.h"
#include "frontend/normal.h"

typedef struct Leaves {
	Emit *e;
	Arena *a;
	const Fun *f;           /* the function for rows */
	int at;                 /* of its parameters or results, the next */
	int seqs;               /* sequences that were made of tuples */
	bool cxx;
} Leaves;

/* The next leaf's value for row i_: its own, or the host's. */
static const char *
row_leaf(Leaves *l)
{
	const Var *v = l->f->param[l->at++];

	return arena_printf(l->a, ty_scalar(v->ty) ? "x->%s" : "x->%s[i_]", emit_cname(l->e, v->name));
}

/* Element `i` of a sequence whose leaves come next. */
static const char *
leaf_element(Leaves *l, const Ty *ty, const char *i)
{
	if (ty->kind == TY_PAIR) {
		const char *a = leaf_element(l, ty->a, i);

		return arena_printf(l->a, "{%s, %s}", a, leaf_element(l, ty->b, i));
	}
	return arena_printf(l->a, "x->%s[%s]", emit_cname(l->e, l->f->param[l->at++]->name), i);
}

static const char *
row_value(Leaves *l, const Ty *ty)
{
	const char *start, *n, *name, *x;

	if (ty->kind == TY_PAIR) {
		x = row_value(l, ty->a);
		return arena_printf(l->a, "{%s, %s}", x, row_value(l, ty->b));
	}
	if (ty->kind != TY_SEQ)
		return row_leaf(l);
	start = row_leaf(l);
	n = row_leaf(l);
	if (ty_scalar(ty->a))
		return arena_printf(l->a, "{%s, x->%s + %s}", n, emit_cname(l->e, l->f->param[l->at++]->name), start);
	name = arena_printf(l->a, "v%d_", l->seqs++);
	emit_line(l->e, "%s *const %s = nesl_row_take(s_, %s, sizeof *%s);", nested_type(l->a, ty->a), name, n, name);
	emit_open(l->e, "for (i64 j_ = 0; j_ < %s; j_++)", n);
	x = leaf_element(l, ty->a, arena_printf(l->a, "%s + j_", start));
	emit_line(l->e, "%s[j_] = %s%s;", name, nested_made(l->a, ty->a, l->cxx), x);
	emit_close(l->e, "");
	return arena_printf(l->a, "{%s, %s}", n, name);
}

/* The elements of x go to the next results. */
static void
give_elements(Leaves *l, const Ty *ty, const char *x, const char *part)
{
	if (ty->kind == TY_PAIR) {
		give_elements(l, ty->a, x, arena_printf(l->a, "%s.a", part));
		give_elements(l, ty->b, x, arena_printf(l->a, "%s.b", part));
		return;
	}
	emit_line(l->e, "%s *const r%d_ = nesl_row_gives(s_, &given[%d], %s.n, sizeof(%s));", emit_ctype(ty), l->at, l->at, x, emit_ctype(ty));
	emit_open(l->e, "for (i64 j_ = 0; j_ < %s.n; j_++)", x);
	emit_line(l->e, "r%d_[j_] = %s.at[j_]%s;", l->at++, x, part);
	emit_close(l->e, "");
}

static void
give(Leaves *l, const Ty *ty, const char *x)
{
	if (ty->kind == TY_PAIR) {
		give(l, ty->a, arena_printf(l->a, "%s.a", x));
		give(l, ty->b, arena_printf(l->a, "%s.b", x));
		return;
	}
	if (ty->kind == TY_SEQ) {
		emit_line(l->e, "*(i64 *)nesl_row_gives(s_, &given[%d], 1, sizeof(i64)) = %s.n;", l->at++, x);
		give_elements(l, ty->a, x, "");
		return;
	}
	emit_line(l->e, "*(%s *)nesl_row_gives(s_, &given[%d], 1, sizeof(%s)) = %s;", emit_ctype(ty), l->at, emit_ctype(ty), x);
	l->at++;
}

void
nested_rows(Emit *e, const Program *p, const Fun *f, const char *name, bool cxx)
{
	Arena *const a = p->arena;
	const Fun *of = fun_find(p->nested, f->nested);
	Leaves in = {e, a, f, 1, 0, cxx}, out = {e, a, f, 0, 0, cxx};
	const char *fields = "", *args = "s_";

	for (int i = 1; i < f->nparam; i++)
		fields = arena_printf(a, ty_scalar(f->param[i]->ty) ? "%s%s%s %s;" : "%s%sconst %s *%s;", fields, i > 1 ? " " : "",
			emit_ctype(f->param[i]->ty), emit_cname(e, f->param[i]->name));
	emit_line(e, "struct rows_%s_ { %s };", name, fields);
	emit_blank(e);
	emit_line(e, "static void");
	emit_line(e, "rows_%s_(nesl_row_room *s_, const void *x_, i64 lo_, i64 hi_, nesl_given *given)", name);
	emit_open(e, "{");
	emit_line(e, "const struct rows_%s_ *const x = (const struct rows_%s_ *)x_;", name, name);
	emit_line(e, "char *const room_ = s_->at;");
	emit_blank(e);
	emit_open(e, "for (i64 i_ = lo_; i_ < hi_; i_++) {");
	emit_line(e, "s_->at = room_;");
	for (int i = 0; i < of->nparam; i++) {
		const Ty *ty = of->param[i]->ty;
		const char *x = row_value(&in, ty);

		args = arena_printf(a, "%s, %s%s", args, ty_scalar(ty) ? "" : nested_made(a, ty, cxx), x);
	}
	emit_line(e, "const %s r_ = nested_%s_(%s);", nested_type(a, of->result[0]), emit_cname(e, of->name), args);
	give(&out, of->result[0], "r_");
	emit_close(e, "}");
	emit_close(e, "}");
	emit_blank(e);
}

/* -- what is known of rows ---------------------------------------------------------------------------- */
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

VarList
nested_lengths(const Program *p, const Fun *f)
{
	const Fun *of = fun_find(p->nested, f->nested);
	VarList l = {0};
	int at = 1;

	for (int i = 0; i < of->nparam; i++)
		add_lengths(of->param[i]->ty, f, &at, &l, p->arena);
	return l;
}

static bool is_loop(const Program *p, const Fun *fun, const Bind *s);

static bool
has_loops(const Program *p, const Fun *fun, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next) {
		if (is_loop(p, fun, s))
			return true;
		for (int i = 0; i < s->nblock; i++)
			if (has_loops(p, fun, s->block[i]))
				return true;
	}
	return false;
}

/* Does s go through a sequence, or call what may, other than fun? */
static bool
is_loop(const Program *p, const Fun *fun, const Bind *s)
{
	const Fun *to = s->op == NORMAL_call ? fun_find(p, s->name) : NULL;

	if (to)
		return to != fun && (to->recursive || has_loops(p, fun, to->body));
	return s->op == NORMAL_foreach || s->op == NORMAL_pack || op_folds(&p->ir->op[s->op]);
}

/* Has an apply-to-each in b loops? */
static bool
is_deep(const Program *p, const Fun *fun, const Block *b)
{
	for (const Bind *s = b->first; s; s = s->next)
		for (int i = 0; i < s->nblock; i++)
			if (s->op == NORMAL_foreach ? has_loops(p, fun, s->block[i]) : is_deep(p, fun, s->block[i]))
				return true;
	return false;
}

bool
nested_is_deep(const Program *p, const Fun *f)
{
	const Fun *of = fun_find(p->nested, f->nested);

	return is_deep(p->nested, of, of->body);
}

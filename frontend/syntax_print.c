/* syntax_print.c: the surface tree as NESL text.
 *
 * Out  the user's forms; reading them again gives the same tree.
 * How  Each kind of expression has a level, the binding power of what it is made of; where an
 *      expression stands asks for a least level, and brackets make up for a lower one. */
#include "frontend/command.h"
#include "frontend/parse.h"
#include <stdlib.h>
#include <string.h>

enum { OPEN = 3, PAIR = 4, LAMBDA = 5, OPERATOR = 6, PREFIX = 25, POSTFIX = 30, PRIMARY = 31 };

typedef struct {
	FILE *out;
	int indent;
} Printer;

static const struct { const char *name; int level; bool right; } infix[] = {
	{"->", 24, true}, {"<-", 23, false}, {"^", 22, false},
	{"*", 21, false}, {"/", 21, false}, {"||", 21, false},
	{"+", 20, false}, {"-", 20, false}, {"++", 20, false},
	{"==", 10, false}, {"/=", 10, false}, {"<", 10, false}, {">", 10, false}, {"<=", 10, false},
	{">=", 10, false},
	{"and", 8, false}, {"nand", 8, false}, {"or", 7, false}, {"nor", 7, false}, {"xor", 7, false},
};

static void print_expr(Printer *pr, const Expr *e, int least);

/* Row of infix that this application is printed by, or -1. */
static int
infix_row(const Expr *e)
{
	if (e->kind != EXPR_APPLY || e->u.apply.fn->kind != EXPR_VAR || e->u.apply.arg->kind != EXPR_PAIR)
		return -1;
	for (int i = 0; i < (int)(sizeof infix / sizeof *infix); i++)
		if (strcmp(infix[i].name, e->u.apply.fn->u.var.name) == 0)
			return i;
	return -1;
}

/* The prefix operator that this application is printed with, or NULL. */
static const char *
prefix_text(const Expr *e)
{
	const char *name;

	if (e->kind != EXPR_APPLY || e->u.apply.fn->kind != EXPR_VAR)
		return NULL;
	name = e->u.apply.fn->u.var.name;
	return strcmp(name, "negate") == 0 ? "-" : strcmp(name, "#") == 0 ? "#"
		: strcmp(name, "@") == 0 ? "@" : NULL;
}

static bool
is_subscript(const Expr *e)
{
	return e->kind == EXPR_APPLY && e->u.apply.fn->kind == EXPR_VAR
		&& strcmp(e->u.apply.fn->u.var.name, "elt") == 0 && e->u.apply.arg->kind == EXPR_PAIR;
}

static int
level(const Expr *e)
{
	int row = infix_row(e);

	switch (e->kind) {
	case EXPR_APPLY:
		return row >= 0 ? infix[row].level : prefix_text(e) ? PREFIX : POSTFIX;
	case EXPR_PAIR:
		return PAIR;
	case EXPR_LET: case EXPR_IF: case EXPR_TYPECASE:
		return OPEN;
	case EXPR_LAMBDA: case EXPR_KEYWORD:
		return LAMBDA;
	case EXPR_EMPTY:
		return PREFIX;
	case EXPR_SEQ: case EXPR_RANGE: case EXPR_PRIM:
		return POSTFIX;
	case EXPR_INT: case EXPR_FLOAT: case EXPR_BOOL: case EXPR_CHAR: case EXPR_STRING: case EXPR_VAR:
	case EXPR_FOREACH:
		return PRIMARY;
	}
	return PRIMARY;
}

static void
new_line(Printer *pr)
{
	fprintf(pr->out, "\n%*s", pr->indent > 40 ? 40 : pr->indent, "");
}

static void
print_pattern(Printer *pr, const Pattern *p, bool bracket)
{
	int open = 0;

	for (const Wrap *w = p->wrap; w; w = w->inner, open++)
		fprintf(pr->out, "%s(", w->name);
	if (bracket && open == 0 && p->kind == PAT_PAIR) {
		fputc('(', pr->out);
		open = 1;
	}
	if (p->kind == PAT_PAIR) {
		print_pattern(pr, p->a, true);
		fputs(", ", pr->out);
		print_pattern(pr, p->b, false);
	} else
		fputs(p->name, pr->out);
	for (; open > 0; open--)
		fputc(')', pr->out);
}

static void
print_type(Printer *pr, const TypeExpr *t, bool bracket)
{
	switch (t->kind) {
	case TYX_NAME:
		fputs(t->name, pr->out);
		if (t->a) {
			fputc('(', pr->out);
			print_type(pr, t->a, false);
			fputc(')', pr->out);
		}
		break;
	case TYX_SEQ:
		fputc('[', pr->out);
		print_type(pr, t->a, false);
		fputc(']', pr->out);
		break;
	case TYX_PAIR:
		if (bracket)
			fputc('(', pr->out);
		print_type(pr, t->a, true);
		fputs(", ", pr->out);
		print_type(pr, t->b, false);
		if (bracket)
			fputc(')', pr->out);
		break;
	case TYX_FUN:
		if (bracket)
			fputc('(', pr->out);
		print_type(pr, t->a, true);
		fputs(" -> ", pr->out);
		print_type(pr, t->b, true);
		if (bracket)
			fputc(')', pr->out);
		break;
	}
}

/* The shortest text that reads back as the same number, with a point or an exponent. */
static void
print_float(Printer *pr, double f)
{
	char s[40];

	for (int digits = 1; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, f);
		if (strtod(s, NULL) == f)
			break;
	}
	fprintf(pr->out, "%s%s", s, strpbrk(s, ".e") ? "" : ".0");
}

static void
print_string(Printer *pr, const char *s, int n)
{
	fputc('"', pr->out);
	for (int i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			fputc('\\', pr->out);
		fputc(s[i], pr->out);
	}
	fputc('"', pr->out);
}

static void
print_list(Printer *pr, Expr *const *item, int n)
{
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : "", pr->out);
		print_expr(pr, item[i], LAMBDA);
	}
}

static void
print_apply(Printer *pr, const Expr *e)
{
	const Expr *fn = e->u.apply.fn, *arg = e->u.apply.arg;
	int row = infix_row(e);

	if (row >= 0) {
		int lv = infix[row].level;

		print_expr(pr, arg->u.pair.a, infix[row].right ? lv + 1 : lv);
		fprintf(pr->out, " %s ", infix[row].name);
		print_expr(pr, arg->u.pair.b, infix[row].right ? lv : lv + 1);
	} else if (prefix_text(e)) {
		fputs(prefix_text(e), pr->out);
		print_expr(pr, arg, PREFIX);
	} else if (is_subscript(e)) {
		print_expr(pr, arg->u.pair.a, POSTFIX);
		fputc('[', pr->out);
		print_expr(pr, arg->u.pair.b, 0);
		fputc(']', pr->out);
	} else {
		print_expr(pr, fn, POSTFIX);
		fputc('(', pr->out);
		print_expr(pr, arg, 0);
		fputc(')', pr->out);
	}
}

/* Nested lets are one let of several bindings. */
static void
print_let(Printer *pr, const Expr *e)
{
	fputs("let ", pr->out);
	pr->indent += 4;
	for (;; e = e->u.let.body) {
		print_pattern(pr, e->u.let.pat, false);
		fputs(" = ", pr->out);
		print_expr(pr, e->u.let.value, 0);
		if (e->u.let.body->kind != EXPR_LET)
			break;
		fputc(';', pr->out);
		new_line(pr);
	}
	pr->indent -= 4;
	new_line(pr);
	fputs("in ", pr->out);
	print_expr(pr, e->u.let.body, 0);
}

static bool
is_long(const Expr *e)
{
	return e->kind == EXPR_LET || e->kind == EXPR_IF;
}

static void
print_if(Printer *pr, const Expr *e)
{
	bool lines = is_long(e->u.branch.then) || is_long(e->u.branch.orelse);

	fputs("if ", pr->out);
	print_expr(pr, e->u.branch.cond, 0);
	if (lines)
		new_line(pr);
	fputs(lines ? "then " : " then ", pr->out);
	print_expr(pr, e->u.branch.then, 0);
	if (lines)
		new_line(pr);
	fputs(lines ? "else " : " else ", pr->out);
	print_expr(pr, e->u.branch.orelse, 0);
}

static void
print_foreach(Printer *pr, const Expr *e)
{
	fputc('{', pr->out);
	print_expr(pr, e->u.foreach.body, 0);
	for (const Generator *g = e->u.foreach.gens; g; g = g->next) {
		fputs(g == e->u.foreach.gens ? " : " : "; ", pr->out);
		print_pattern(pr, g->pat, true);
		fputs(" in ", pr->out);
		print_expr(pr, g->source, 0);
	}
	if (e->u.foreach.filter) {
		fputs(" | ", pr->out);
		print_expr(pr, e->u.foreach.filter, 0);
	}
	fputc('}', pr->out);
}

static void
print_range(Printer *pr, const Expr *e)
{
	fputc('[', pr->out);
	print_expr(pr, e->u.range.from, LAMBDA);
	fputs(" : ", pr->out);
	print_expr(pr, e->u.range.to, LAMBDA);
	if (e->u.range.step) {
		fputs(" : ", pr->out);
		print_expr(pr, e->u.range.step, LAMBDA);
	}
	fputc(']', pr->out);
}

static void
print_typecase(Printer *pr, const Expr *e)
{
	fprintf(pr->out, "typecase %s", e->u.typecase.var);
	for (const Case *c = e->u.typecase.cases; c; c = c->next) {
		fputs(" | ", pr->out);
		print_type(pr, c->when, true);
		fputs(": ", pr->out);
		print_expr(pr, c->body, OPERATOR);
	}
}

static void
print_bare(Printer *pr, const Expr *e)
{
	switch (e->kind) {
	case EXPR_INT: fprintf(pr->out, "%llu", (unsigned long long)e->u.i); break;
	case EXPR_FLOAT: print_float(pr, e->u.f); break;
	case EXPR_BOOL: fputc(e->u.i ? 't' : 'f', pr->out); break;
	case EXPR_CHAR: fprintf(pr->out, "`%c", (int)e->u.i); break;
	case EXPR_STRING: print_string(pr, e->u.string.at, e->u.string.n); break;
	case EXPR_VAR: fputs(e->u.var.name, pr->out); break;
	case EXPR_APPLY: print_apply(pr, e); break;
	case EXPR_PAIR:
		print_expr(pr, e->u.pair.a, LAMBDA);
		fputs(", ", pr->out);
		print_expr(pr, e->u.pair.b, 0);
		break;
	case EXPR_LET: print_let(pr, e); break;
	case EXPR_IF: print_if(pr, e); break;
	case EXPR_KEYWORD:
		fprintf(pr->out, "%s := ", e->u.keyword.name);
		print_expr(pr, e->u.keyword.value, LAMBDA);
		break;
	case EXPR_LAMBDA:
		print_pattern(pr, e->u.lambda.pat, true);
		fputs(" => ", pr->out);
		print_expr(pr, e->u.lambda.body, LAMBDA);
		break;
	case EXPR_FOREACH: print_foreach(pr, e); break;
	case EXPR_SEQ:
		fputc('[', pr->out);
		print_list(pr, e->u.seq.item, e->u.seq.n);
		fputc(']', pr->out);
		break;
	case EXPR_EMPTY:
		fputs("[] ", pr->out);
		print_type(pr, e->u.empty, true);
		break;
	case EXPR_RANGE: print_range(pr, e); break;
	case EXPR_PRIM:
		fprintf(pr->out, expr_is_time(e) ? "%s(" : "prim \"%s\" (", e->u.prim.op);
		print_list(pr, e->u.prim.arg, e->u.prim.n);
		fputc(')', pr->out);
		break;
	case EXPR_TYPECASE: print_typecase(pr, e); break;
	}
}

static void
print_expr(Printer *pr, const Expr *e, int least)
{
	if (level(e) >= least) {
		print_bare(pr, e);
		return;
	}
	fputc('(', pr->out);
	pr->indent += 2;
	print_bare(pr, e);
	pr->indent -= 2;
	fputc(')', pr->out);
}

static void
print_context(Printer *pr, const Constraint *c)
{
	fputs(" :: (", pr->out);
	for (const Constraint *k = c; k; k = k->next)
		fprintf(pr->out, "%s%s in %s", k == c ? "" : "; ", k->var, k->cls);
	fputc(')', pr->out);
}

static void
print_header(Printer *pr, const Form *f)
{
	fprintf(pr->out, "function %s(", f->name);
	print_pattern(pr, f->defaults ? f->param->a : f->param, false);
	for (const Default *d = f->defaults; d; d = d->next) {
		fprintf(pr->out, ", %s := ", d->name);
		print_expr(pr, d->form->body, LAMBDA);
	}
	fputc(')', pr->out);
	if (f->argtype) {
		fputs(" : ", pr->out);
		print_type(pr, f->argtype, true);
		fputs(" -> ", pr->out);
		print_type(pr, f->restype, true);
		if (f->context)
			print_context(pr, f->context);
	}
	if (f->doc.at) {
		fputc(' ', pr->out);
		print_string(pr, f->doc.at, f->doc.n);
	}
}

static void
print_def(Printer *pr, const Form *f)
{
	print_header(pr, f);
	fputs(" =", pr->out);
	pr->indent = 2;
	new_line(pr);
	print_expr(pr, f->body, 0);
}

static void
print_datatype(Printer *pr, const Form *f)
{
	fprintf(pr->out, "datatype %s(", f->name);
	print_type(pr, f->argtype, false);
	fputc(')', pr->out);
	if (f->context)
		print_context(pr, f->context);
}

/* `% file:line %`; a `%` of the file's name would end the comment. */
static void
print_place(Printer *pr, Span at)
{
	fputs("% ", pr->out);
	for (const char *c = at.file; *c; c++)
		fputc(*c == '%' ? '?' : *c, pr->out);
	fprintf(pr->out, ":%d %%\n", at.line);
}

/* The name that the text of this expression begins with, or NULL. */
static const char *
first_word(const Expr *e)
{
	while (e->kind == EXPR_PAIR || e->kind == EXPR_APPLY) {
		if (prefix_text(e))
			return NULL;
		if (e->kind == EXPR_PAIR)
			e = e->u.pair.a;
		else
			e = infix_row(e) >= 0 || is_subscript(e) ? e->u.apply.arg->u.pair.a : e->u.apply.fn;
	}
	return e->kind == EXPR_VAR ? e->u.var.name : NULL;
}

/* Brackets keep a name that begins a form from being taken for a command. */
static void
print_assign(Printer *pr, const Form *f)
{
	bool bracket = f->param->kind == PAT_PAIR || f->param->wrap || command_word(f->param->name);

	fputs(bracket ? "(" : "", pr->out);
	print_pattern(pr, f->param, false);
	fprintf(pr->out, "%s %s ", bracket ? ")" : "", f->show == SHOW_TYPE ? "|=" : "=");
	print_expr(pr, f->body, 0);
}

static void
print_form(Printer *pr, const Form *f)
{
	const char *word = f->kind == FORM_EXPR ? first_word(f->body) : NULL;

	print_place(pr, f->span);
	pr->indent = 0;
	if (f->kind == FORM_DEF)
		print_def(pr, f);
	else if (f->kind == FORM_DECLARE)
		print_header(pr, f);
	else if (f->kind == FORM_DATATYPE)
		print_datatype(pr, f);
	else if (f->kind == FORM_ASSIGN)
		print_assign(pr, f);
	else if (f->kind == FORM_COMMAND)
		fputs(f->command->text, pr->out);
	else
		print_expr(pr, f->body, word && command_word(word) ? PRIMARY + 1 : 0);
	fputs(";\n\n", pr->out);
}

void
syntax_print(const Unit *u, FILE *out)
{
	Printer pr = {out, 0};

	for (const Form *f = u->forms; f; f = f->next)
		if (!f->basis && !f->hidden && f->kind != FORM_BAD)
			print_form(&pr, f);
}

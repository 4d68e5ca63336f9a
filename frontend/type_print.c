/* type_print.c: typed trees as text, and the dump of stage type.
 *
 * Out  NESL in which every bound name carries its type; operators are fully bracketed.  The types of
 *      a polymorphic function are in its own variables, a name of them per function. */
#include "frontend/type_print.h"
#include <ctype.h>
#include <string.h>

static void typed_expr(TypedPrinter *tp, const Expr *e);

static void
new_line(const TypedPrinter *tp)
{
	fprintf(tp->out, "\n%*s", tp->indent * 2, "");
}

static void
typed_pattern(const TypedPrinter *tp, const Pattern *p)
{
	int open = 0;

	for (const Wrap *w = p->wrap; w; w = w->inner, open++)
		fprintf(tp->out, "%s(", w->name);
	if (p->kind == PAT_NAME)
		fprintf(tp->out, "%s : %s", p->name, type_text_part(tp->arena, tp->whole, p->type));
	else {
		fputs(p->wrap ? "" : "(", tp->out);
		typed_pattern(tp, p->a);
		for (p = p->b; p->kind == PAT_PAIR && !p->wrap; p = p->b) {
			fputs(", ", tp->out);
			typed_pattern(tp, p->a);
		}
		fputs(", ", tp->out);
		typed_pattern(tp, p);
		fputs(open ? "" : ")", tp->out);
	}
	for (; open > 0; open--)
		fputc(')', tp->out);
}

static void
typed_list(TypedPrinter *tp, Expr *const *at, int n)
{
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : "", tp->out);
		typed_expr(tp, at[i]);
	}
}

static void
typed_string(const TypedPrinter *tp, const Expr *e)
{
	fputc('"', tp->out);
	for (int i = 0; i < e->u.string.n; i++) {
		if (e->u.string.at[i] == '"' || e->u.string.at[i] == '\\')
			fputc('\\', tp->out);
		fputc(e->u.string.at[i], tp->out);
	}
	fputc('"', tp->out);
}

/* Every float literal has a point or an exponent. */
static void
typed_float(const TypedPrinter *tp, double f)
{
	char buf[40];

	snprintf(buf, sizeof buf, "%.17g", f);
	fprintf(tp->out, "%s%s", buf, strpbrk(buf, ".e") ? "" : ".0");
}

static void
typed_apply(TypedPrinter *tp, const Expr *e)
{
	const Expr *fn = e->u.apply.fn, *arg = e->u.apply.arg;
	const char *name = fn->kind != EXPR_VAR ? "" : tp->callee ? tp->callee(fn) : fn->u.var.name;
	bool word = fn->kind != EXPR_VAR || isalpha((unsigned char)name[0]) || name[0] == '_';

	if (!word && arg->kind == EXPR_PAIR) {
		fputc('(', tp->out);
		typed_expr(tp, arg->u.pair.a);
		fprintf(tp->out, " %s ", name);
		typed_expr(tp, arg->u.pair.b);
		fputc(')', tp->out);
		return;
	}
	if (fn->kind == EXPR_VAR)
		fputs(name, tp->out);
	else
		typed_expr(tp, fn);
	if (arg->kind != EXPR_PAIR)
		fputc('(', tp->out);
	typed_expr(tp, arg);
	if (arg->kind != EXPR_PAIR)
		fputc(')', tp->out);
}

static void
typed_lambda(TypedPrinter *tp, const Expr *e)
{
	const Pattern *p = e->u.lambda.pat;
	bool bracket = p->kind == PAT_NAME || p->wrap;

	fputs(bracket ? "((" : "(", tp->out);
	typed_pattern(tp, p);
	fputs(bracket ? ") => " : " => ", tp->out);
	typed_expr(tp, e->u.lambda.body);
	fputc(')', tp->out);
}

static void
typed_foreach(TypedPrinter *tp, const Expr *e)
{
	const char *sep = " : ";

	fputc('{', tp->out);
	typed_expr(tp, e->u.foreach.body);
	for (const Generator *g = e->u.foreach.gens; g; g = g->next, sep = "; ") {
		fputs(sep, tp->out);
		typed_pattern(tp, g->pat);
		fputs(" in ", tp->out);
		typed_expr(tp, g->source);
	}
	if (e->u.foreach.filter) {
		fputs(" | ", tp->out);
		typed_expr(tp, e->u.foreach.filter);
	}
	fputc('}', tp->out);
}

static void
typed_let(TypedPrinter *tp, const Expr *e)
{
	fputs("(let ", tp->out);
	tp->indent++;
	typed_pattern(tp, e->u.let.pat);
	fputs(" = ", tp->out);
	typed_expr(tp, e->u.let.value);
	new_line(tp);
	fputs("in ", tp->out);
	typed_expr(tp, e->u.let.body);
	tp->indent--;
	fputc(')', tp->out);
}

static void
typed_if(TypedPrinter *tp, const Expr *e)
{
	fputs("(if ", tp->out);
	tp->indent++;
	typed_expr(tp, e->u.branch.cond);
	new_line(tp);
	fputs("then ", tp->out);
	typed_expr(tp, e->u.branch.then);
	new_line(tp);
	fputs("else ", tp->out);
	typed_expr(tp, e->u.branch.orelse);
	tp->indent--;
	fputc(')', tp->out);
}

static void
typed_range(TypedPrinter *tp, const Expr *e)
{
	fputc('[', tp->out);
	typed_expr(tp, e->u.range.from);
	fputs(" : ", tp->out);
	typed_expr(tp, e->u.range.to);
	if (e->u.range.step) {
		fputs(" : ", tp->out);
		typed_expr(tp, e->u.range.step);
	}
	fputc(']', tp->out);
}

static void
typed_pair(TypedPrinter *tp, const Expr *e)
{
	fputc('(', tp->out);
	for (; e->kind == EXPR_PAIR; e = e->u.pair.b) {
		typed_expr(tp, e->u.pair.a);
		fputs(", ", tp->out);
	}
	typed_expr(tp, e);
	fputc(')', tp->out);
}

static void
typed_expr(TypedPrinter *tp, const Expr *e)
{
	switch (e->kind) {
	case EXPR_INT: fprintf(tp->out, "%lld", (long long)e->u.i); break;
	case EXPR_FLOAT: typed_float(tp, e->u.f); break;
	case EXPR_BOOL: fputs(e->u.i ? "t" : "f", tp->out); break;
	case EXPR_CHAR: fprintf(tp->out, "`%c", (int)e->u.i); break;
	case EXPR_STRING: typed_string(tp, e); break;
	case EXPR_VAR: fputs(e->u.var.name, tp->out); break;
	case EXPR_APPLY: typed_apply(tp, e); break;
	case EXPR_PAIR: typed_pair(tp, e); break;
	case EXPR_LET: typed_let(tp, e); break;
	case EXPR_IF: typed_if(tp, e); break;
	case EXPR_KEYWORD:
		fprintf(tp->out, "%s := ", e->u.keyword.name);
		typed_expr(tp, e->u.keyword.value);
		break;
	case EXPR_LAMBDA: typed_lambda(tp, e); break;
	case EXPR_FOREACH: typed_foreach(tp, e); break;
	case EXPR_SEQ:
		fputc('[', tp->out);
		typed_list(tp, e->u.seq.item, e->u.seq.n);
		fputc(']', tp->out);
		break;
	case EXPR_EMPTY:
		fprintf(tp->out, "[] %s", type_text_part(tp->arena, tp->whole, type_head(e->type)->a));
		break;
	case EXPR_RANGE: typed_range(tp, e); break;
	case EXPR_PRIM:
		fprintf(tp->out, expr_is_time(e) ? "%s(" : "prim \"%s\" (", e->u.prim.op);
		typed_list(tp, e->u.prim.arg, e->u.prim.n);
		fputc(')', tp->out);
		break;
	case EXPR_TYPECASE: fprintf(tp->out, "typecase %s", e->u.typecase.var); break;
	}
}

void
typed_function(TypedPrinter *tp, const char *name, const Pattern *param, Type *fn, const Expr *body)
{
	bool word = isalpha((unsigned char)name[0]) || name[0] == '_', bracket = param->kind == PAT_NAME || param->wrap;

	tp->whole = fn;
	fprintf(tp->out, word ? "function %s" : "function \"%s\"", name);
	fputs(bracket ? "(" : "", tp->out);
	typed_pattern(tp, param);
	fprintf(tp->out, "%s : %s", bracket ? ")" : "", type_text(tp->arena, fn));
	if (body) {
		fputs(" =", tp->out);
		tp->indent = 1;
		new_line(tp);
		typed_expr(tp, body);
	}
	fputs(";\n\n", tp->out);
}

void
typed_assign(TypedPrinter *tp, const Pattern *pat, const Expr *body)
{
	tp->indent = 1;
	tp->whole = pat->type;
	typed_pattern(tp, pat);
	fputs(" =", tp->out);
	new_line(tp);
	typed_expr(tp, body);
	fputs(";\n\n", tp->out);
}

void
typed_toplevel(TypedPrinter *tp, const Expr *body)
{
	tp->indent = 0;
	tp->whole = body->type;
	typed_expr(tp, body);
	fprintf(tp->out, ";    %% : %s %%\n\n", type_text(tp->arena, body->type));
}

void
infer_print(const Unit *u, FILE *out)
{
	TypedPrinter tp = {.out = out, .arena = u->arena};

	for (const Form *f = u->forms; f; f = f->next) {
		if (f->basis || f->failed || f->hidden)
			continue;
		switch (f->kind) {
		case FORM_DEF: case FORM_DECLARE:
			typed_function(&tp, f->name, f->param, ((Bound *)f->decl)->at[0]->type, f->body);
			break;
		case FORM_DATATYPE:
			fprintf(out, "datatype %s : %s;\n\n", f->name, type_text(u->arena, ((Bound *)f->decl)->at[0]->type));
			break;
		case FORM_ASSIGN: typed_assign(&tp, f->param, f->body); break;
		case FORM_EXPR: typed_toplevel(&tp, f->body); break;
		case FORM_COMMAND: case FORM_BAD: break;
		}
	}
}

void
types_print(const Unit *u, FILE *out)
{
	for (const Form *f = u->forms; f; f = f->next) {
		const Bound *b = f->value ? f->value->decl : f->decl;
		if (f->basis || f->failed || f->hidden || (f->kind != FORM_DEF && f->kind != FORM_DATATYPE && f->kind != FORM_ASSIGN))
			continue;
		for (int i = 0; i < b->n; i++)
			fprintf(out, "%s : %s\n", f->value ? f->name : b->at[i]->name, type_text_echo(u->arena, b->at[i]->type));
	}
}

/* irtext.c: the let-form as text, printed.  The form is described in docs/ir.md; irread.c reads it. */
#include "common/irtext.h"
#include "common/irback.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
op_has_name(const OpInfo *op)
{
	static const char *const named[] = {"call", "cell", "peek", "forget", "task", "check", "host_check", "effect"};
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (strcmp(op->name, named[i]) == 0)
			return true;
	return false;
}

bool
op_has_text(const OpInfo *op)
{
	return strcmp(op->name, "string") == 0 || strcmp(op->name, "chars") == 0 || strcmp(op->name, "effect") == 0;
}

const char *const mapping_name[NMAPPING] = {"flat", "thread", "lanes"};

static void
print_type(const Program *p, const Ty *t, FILE *out)
{
	fprintf(out, t->kind == TY_PAIR ? "(%s)" : "%s", ty_text(p->arena, t));
}

static void
print_var(const Program *p, const Var *v, FILE *out)
{
	fprintf(out, "%s:", v->name);
	if (v->natural)
		fputs(v->ty->kind == TY_VEC ? "<nat>" : "nat", out);
	else
		print_type(p, v->ty, out);
}

static void
print_vars(const Program *p, int n, Var *const *v, FILE *out)
{
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : "", out);
		print_var(p, v[i], out);
	}
}

/* The shortest text that reads back as f and is no int. */
static void
print_float(double f, FILE *out)
{
	char s[40];
	if (isnan(f)) {
		fputs("nan", out);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, f);
		if (isinf(f) || strtod(s, NULL) == f)
			break;
	}
	fprintf(out, strpbrk(s, ".en") ? "%s" : "%s.0", s);
}

static void
print_opnd(Opnd o, FILE *out)
{
	switch (o.kind) {
	case OPND_VAR: fprintf(out, o.u.var->ty->kind == TY_UNIFORM ? "uniform %s" : "%s", o.u.var->name); break;
	case OPND_INT: fprintf(out, "%jd", (intmax_t)o.u.i); break;
	case OPND_FLOAT: print_float(o.u.f, out); break;
	case OPND_BOOL: fputs(o.u.i ? "true" : "false", out); break;
	case OPND_CHAR:
		fprintf(out, o.u.i > 32 && o.u.i < 127 && o.u.i != '(' ? "`%c" : "`(%d)", (int)o.u.i);
		break;
	}
}

static void
print_opnds(int n, const Opnd *o, FILE *out)
{
	for (int i = 0; i < n; i++) {
		fputs(i ? ", " : " ", out);
		print_opnd(o[i], out);
	}
}

static void
print_bytes(const char *s, int n, FILE *out)
{
	fputs(" \"", out);
	for (int i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else
			fprintf(out, c >= 32 && c < 127 ? "%c" : "\\x%02x", c);
	}
	fputc('"', out);
}

static void
print_mappings(unsigned by, FILE *out)
{
	const char *sep = " by ";

	for (int i = 0; i < NMAPPING; i++)
		if (by >> i & 1) {
			fprintf(out, "%s%s", sep, mapping_name[i]);
			sep = ", ";
		}
}

static void
print_span(Span s, FILE *out)
{
	if (s.file)
		fprintf(out, "\t%% %s:%d:%d+%d", s.file, s.line, s.col, s.len);
	fputc('\n', out);
}

static void
indent(int depth, FILE *out)
{
	while (depth-- > 0)
		fputc('\t', out);
}

static void print_bind(const Program *p, const Bind *b, int depth, FILE *out);

static void
print_block(const Program *p, const Block *b, int depth, Span at, FILE *out)
{
	fputs(" {", out);
	print_span(at, out);
	if (b->nparam > 0) {
		indent(depth + 1, out);
		fputc('(', out);
		print_vars(p, b->nparam, b->param, out);
		fputs(")\n", out);
	}
	for (const Bind *x = b->first; x; x = x->next)
		print_bind(p, x, depth + 1, out);
	if (b->nyield > 0) {
		indent(depth + 1, out);
		fputs("yield", out);
		print_opnds(b->nyield, b->yield, out);
		fputc('\n', out);
	}
	indent(depth, out);
	fputc('}', out);
}

static void
print_bind(const Program *p, const Bind *b, int depth, FILE *out)
{
	const OpInfo *op = &p->ir->op[b->op];
	indent(depth, out);
	print_vars(p, b->ndst, b->dst, out);
	fprintf(out, "%s%s%s", b->ndst > 0 ? " = " : "", op->name, b->lifted ? "^" : "");
	if (b->level > 0)
		fprintf(out, "@%d", b->level);
	if (op_has_name(op))
		fprintf(out, " %s", b->name);
	if (op_has_text(op))
		print_bytes(b->text, b->textlen, out);
	print_opnds(b->narg, b->arg, out);
	if (b->nway > 0) {
		fputs(" |", out);
		print_opnds(b->nway, b->way, out);
	}
	print_mappings(b->by, out);
	for (int i = 0; i < b->nblock; i++)
		print_block(p, b->block[i], depth, i ? (Span){0} : b->span, out);
	print_span(b->nblock > 0 ? (Span){0} : b->span, out);
}

static void
print_fun(const Program *p, const Fun *f, const char *before, FILE *out)
{
	fprintf(out, "%s%s%sfun %s(", before, f->recursive ? "rec " : "", f->scalar ? "scalar " : "", f->name);
	for (int i = 0; i < f->nparam; i++) {
		fputs(i ? ", " : "", out);
		fputs(f->lent && f->lent[i] ? "&" : "", out);
		print_var(p, f->param[i], out);
	}
	fputs(") ->", out);
	for (int i = 0; i < f->nresult; i++) {
		fputs(i ? ", " : " ", out);
		print_type(p, f->result[i], out);
		for (int k = 0; k < f->nparam; k++)
			if (back_said(f, i, k))
				fprintf(out, " or %s", f->param[k]->name);
	}
	if (f->nested)
		fprintf(out, " nested %s", f->nested);
	if (f->scans)
		fprintf(out, " scans %s", f->scans);
	if (f->rows)
		fprintf(out, " rows %s", f->rows);
	print_block(p, f->body, 0, f->span, out);
	fputc('\n', out);
}

static void
print_entry(const Program *p, const Entry *e, FILE *out)
{
	static const char *const kind[] = {[ENTRY_DEF] = "def", [ENTRY_ASSIGN] = "assign", [ENTRY_EXPR] = "expr"};
	static const char *const show[] = {[SHOW_VALUE] = "", [SHOW_TYPE] = "typed ", [SHOW_NOTHING] = "silent "};
	if (e->kind == ENTRY_SAY || e->kind == ENTRY_SET) {
		fprintf(out, e->kind == ENTRY_SAY ? "entry say" : "entry set %s = %jd", e->shown, (intmax_t)e->number);
		if (e->kind == ENTRY_SAY)
			print_bytes(e->shown, (int)strlen(e->shown), out);
		print_span(e->span, out);
		return;
	}
	fprintf(out, "entry %s%s %s", show[e->show], kind[e->kind], e->shown);
	for (int i = 0; i < e->ncell; i++)
		fprintf(out, "%s%s", i ? ", " : " = ", e->cell[i]->name);
	fprintf(out, " : %s", e->type);
	if (e->body) {
		print_block(p, e->body, 0, e->span, out);
		fputc('\n', out);
	} else
		print_span(e->span, out);
}

void
ir_print(const Program *p, FILE *out)
{
	fprintf(out, p->int_bits == 32 ? "unit %s int 32\n" : "unit %s\n", p->ir->name);
	for (const Cell *c = p->cells; c; c = c->next) {
		fprintf(out, "%s %s", c->input ? "input" : "cell", c->name);
		if (strcmp(c->name, c->shown) != 0)
			fprintf(out, " as %s", c->shown);
		fputs(" : ", out);
		print_type(p, c->ty, out);
		fputc('\n', out);
	}
	for (const Fun *f = p->funs; f; f = f->next)
		print_fun(p, f, "", out);
	for (const Fun *f = p->nested ? p->nested->funs : NULL; f; f = f->next)
		print_fun(p->nested, f, "nested ", out);
	for (const Entry *e = p->entries; e; e = e->next)
		print_entry(p, e, out);
}

/* print.c: shapes as text, for dump --stage=shape.
 *
 *     x, y : VEC(#x, unknown)        vectors of one length
 *     s : UNIFORM_VEC(#x, 3)         rows, and the length of each
 *     n : SCALAR(2 * #x)
 *     value it : VEC(1, 2), UNIFORM_VEC(2, 3), VEC(6, unknown)
 *
 * The value of a form is told as Reppy and Sandler have it: a sequence is one row of so many, then its leaves.
 * Sizes are told in terms of the variables that they come from: #x is the length of x, or how many rows it has;
 * total(s) how many elements are in all rows of s. */
#include "common/json.h"
#include "common/map.h"
#include "flatten/flan.h"
#include "shape/laws.h"
#include "shape/table.h"
#include "shape/text.h"
#include "shape/why.h"

typedef struct Line {
	const char *shape;
	LIST(const Var *) vars;
} Line;

typedef struct Print {
	Arena *arena;
	Names *names;
	Shapes *shapes;
	Map *atoms;             /* Atom -> what it is called */
	Map *at;                /* text of a shape -> its Line */
	LIST(Line *) lines;
	LIST(const Bind *) checks;
	Why *why;
	FILE *out;
	bool json;
	const char *between;    /* json: before the next of a list */
} Print;

/* -- names ------------------------------------------------------------------------------------------- */

static void
name_atom(Print *p, const Size *s, const char *how, const Var *v)
{
	const Atom *a = s ? size_atom(s) : NULL;
	void **at = a ? map_at(p->atoms, a) : NULL;

	if (at && !*at)
		*at = arena_printf(p->arena, how, v->name);
}

static void
name_atoms(Print *p, const Var *v, Shape s)
{
	name_atom(p, s.length, "#%s", v);
	if (v->ty->kind == TY_SEGDES)
		name_atom(p, size_sum(shapes_sizes(p->shapes), s), "total(%s)", v);
	name_atom(p, s.value, "%s", v);
}

/* -- texts ------------------------------------------------------------------------------------------- */

static const char *
shape_text(Print *p, const Var *v, Shape s)
{
	int64_t n;

	if (!s.value)
		return "unknown";
	if (!s.length)
		return arena_printf(p->arena, "SCALAR(%s)", v->ty->kind == TY_INT ? size_text(p->arena, p->atoms, s.value) : "unknown");
	if (s.value->vector || (v->ty->kind != TY_SEGDES && v->ty->a->kind != TY_INT))
		return arena_printf(p->arena, "VEC(%s, unknown)", size_text(p->arena, p->atoms, s.length));
	return arena_printf(p->arena, "%s(%s, %s)", size_constant(s.length, &n) && n == 1 ? "VEC" : "UNIFORM_VEC",
		size_text(p->arena, p->atoms, s.length), size_text(p->arena, p->atoms, s.value));
}

static const char *
leaf_text(Print *p, Opnd o)
{
	if (o.kind == OPND_VAR)
		return shape_text(p, o.u.var, shapes_of(p->shapes, o.u.var));
	return o.kind == OPND_INT ? arena_printf(p->arena, "SCALAR(%lld)", (long long)o.u.i) : "SCALAR(unknown)";
}

/* Of a value, whose leaves begin at *leaf; below: in a sequence. */
static const char *
value_text(Print *p, const Ty *t, bool below, const Opnd **leaf)
{
	const char *first;
	Shape s;

	if (t->kind == TY_PAIR) {
		first = value_text(p, t->a, below, leaf);
	} else if (t->kind == TY_SEQ && below) {
		first = leaf_text(p, *(*leaf)++);
	} else if (t->kind == TY_SEQ) {
		s = shapes_of(p->shapes, (*leaf)->u.var);
		first = arena_printf(p->arena, "VEC(1, %s)", s.length ? size_text(p->arena, p->atoms, s.length) : "unknown");
	} else {
		return leaf_text(p, *(*leaf)++);
	}
	return arena_printf(p->arena, "%s, %s", first, value_text(p, t->kind == TY_PAIR ? t->b : t->a, below || t->kind == TY_SEQ, leaf));
}

/* -- variables --------------------------------------------------------------------------------------- */

static void
variable(Print *p, const Var *v)
{
	const Shape s = shapes_of(p->shapes, v);
	const char *text;
	void **at;
	Line *line;

	if (s.value)
		name_atoms(p, v, s);
	text = intern(p->names, shape_text(p, v, s));
	at = map_at(p->at, text);
	if (!*at) {
		line = *at = NEW(p->arena, Line, 1);
		line->shape = text;
		LIST_ADD(p->arena, &p->lines, line);
	}
	line = *at;
	LIST_ADD(p->arena, &line->vars, v);
}

static void
block(Print *p, const Block *b)
{
	for (const Bind *x = b->first; x; x = x->next) {
		if (x->op == FLAN_check)
			LIST_ADD(p->arena, &p->checks, x);
		for (int i = 0; i < x->nblock; i++)
			block(p, x->block[i]);
		for (int i = 0; i < x->ndst; i++)
			variable(p, x->dst[i]);
	}
}

/* One of a list's. */
static void
next(Print *p, const char *indent)
{
	fprintf(p->out, "%s\n%s", p->between, indent);
	p->between = ",";
}

static void
json_value(Print *p, const Entry *e)
{
	const Opnd *leaf = e->body->yield;

	fputs("], \"values\": [", p->out);
	for (int i = 0; i < e->ncell; i++)
		fprintf(p->out, "%s{\"name\": %s, \"shape\": %s}", i ? ", " : "", json_quoted(p->arena, e->cell[i]->shown),
			json_quoted(p->arena, value_text(p, e->cell[i]->ty, false, &leaf)));
}

static void
json_routine(Print *p, const char *what, const char *name, const Entry *e)
{
	next(p, "  ");
	fprintf(p->out, "{\"%s\": %s, \"classes\": [", what, json_quoted(p->arena, name));
	p->between = "";
	for (int i = 0; i < p->lines.n; i++) {
		const Line *l = p->lines.at[i];

		next(p, "    ");
		fprintf(p->out, "{\"shape\": %s, \"variables\": [", json_quoted(p->arena, l->shape));
		for (int j = 0; j < l->vars.n; j++)
			fprintf(p->out, "%s%s", j ? ", " : "", json_quoted(p->arena, l->vars.at[j]->name));
		fputs("]}", p->out);
	}
	if (e)
		json_value(p, e);
	fputs("]}", p->out);
	p->between = ",";
}

static void
value(Print *p, const Entry *e)
{
	const Opnd *leaf = e->body->yield;

	for (int i = 0; i < e->ncell; i++)
		fprintf(p->out, "\tvalue %s : %s\n", e->cell[i]->shown, value_text(p, e->cell[i]->ty, false, &leaf));
}

/* A function, or the body of e. */
static void
routine(Print *p, const char *what, const char *name, int nparam, Var *const *param, const Block *body, const Entry *e)
{
	p->lines.n = 0;
	p->at = map_new(p->arena);
	for (int i = 0; i < nparam; i++)
		variable(p, param[i]);
	block(p, body);
	if (p->json) {
		json_routine(p, what, name, e);
		return;
	}
	fprintf(p->out, "%s %s\n", what, name);
	for (int i = 0; i < p->lines.n; i++) {
		const Line *l = p->lines.at[i];

		for (int j = 0; j < l->vars.n; j++)
			fprintf(p->out, "%s%s", j ? ", " : "\t", l->vars.at[j]->name);
		fprintf(p->out, " : %s\n", l->shape);
	}
	if (e)
		value(p, e);
}

/* -- checks ------------------------------------------------------------------------------------------ */

static const char *
checked_text(Print *p, Opnd o)
{
	const Shape s = o.kind == OPND_VAR ? shapes_of(p->shapes, o.u.var) : (Shape){NULL, NULL};

	if (o.kind == OPND_INT)
		return arena_printf(p->arena, "%lld", (long long)o.u.i);
	if (!s.value)
		return "unknown";
	return s.length ? shape_text(p, o.u.var, s) : size_text(p->arena, p->atoms, s.value);
}

static const char *
place(Print *p, Span at)
{
	return arena_printf(p->arena, "%s:%d:%d", at.file ? at.file : "-", at.line, at.col);
}

static void
text_check(Print *p, const Bind *b, const char *what, const Reasons *why)
{
	fprintf(p->out, "%s %s %s", what, b->name, place(p, b->span));
	for (int i = 1; i < b->narg; i++)
		fprintf(p->out, "%s%s", i == 1 ? ": " : ", ", checked_text(p, b->arg[i]));
	fputc('\n', p->out);
	for (int i = 0; i < why->n; i++)
		fprintf(p->out, "\t%s\t%s\n", place(p, why->at[i].at), why->at[i].says);
}

static void
json_check(Print *p, const Bind *b, const char *what, const Reasons *why)
{
	next(p, "  ");
	fprintf(p->out, "{\"check\": %s, \"at\": %s, \"is\": %s, \"of\": [", json_quoted(p->arena, b->name), json_quoted(p->arena, place(p, b->span)),
		json_quoted(p->arena, what));
	for (int i = 1; i < b->narg; i++)
		fprintf(p->out, "%s%s", i > 1 ? ", " : "", json_quoted(p->arena, checked_text(p, b->arg[i])));
	fputs("], \"why\": [", p->out);
	for (int i = 0; i < why->n; i++)
		fprintf(p->out, "%s\n    {\"at\": %s, \"says\": %s}", i ? "," : "", json_quoted(p->arena, place(p, why->at[i].at)),
			json_quoted(p->arena, why->at[i].says));
	fputs("]}", p->out);
}

static void
check(Print *p, const Bind *b, const char *what, const Reasons *why)
{
	(p->json ? json_check : text_check)(p, b, what, why);
}

/* What else it rests on: the checks before it, the conditions of the arms around it. */
static void
told(Print *p, const Removed *r, Reasons *why)
{
	for (int i = 0; i < r->ntold; i++) {
		const Bind *b = r->told[i].by;
		const char *says = b->op == FLAN_check ? arena_printf(p->arena, "passed before: %s", b->name)
			: arena_printf(p->arena, "where %s is %s", b->arg[0].kind == OPND_VAR ? b->arg[0].u.var->name : "it",
				r->told[i].holds ? "true" : "false");

		LIST_ADD(p->arena, why, ((Reason){b->span, says}));
	}
}

static void
removed(Print *p, const Removed *r)
{
	Reasons why = {0};

	why_proved(p->why, r->check, &why);
	told(p, r, &why);
	check(p, r->check, r->always ? "proved" : "proved by what holds there", &why);
}

void
shape_print(const Unit *u, FILE *out)
{
	Print p = {.arena = u->arena, .names = u->names, .shapes = u->shapes, .atoms = map_new(u->arena), .out = out, .json = u->json,
		.between = ""};
	const Reasons none = {0};
	const Removed *r;

	fputs(p.json ? "{\"routines\": [" : "", out);
	for (const Fun *f = u->ir->funs; f; f = f->next)
		if (!f->scalar)
			routine(&p, "fun", f->name, f->nparam, f->param, f->body, NULL);
	for (const Entry *e = u->ir->entries; e; e = e->next)
		if (e->body)
			routine(&p, "entry", e->shown, 0, NULL, e->body, e);
	p.between = "";
	p.why = why_new(p.shapes, p.arena, p.atoms);
	fputs(p.json ? "],\n\"checks\": [" : "", out);
	for (int i = 0; (r = shapes_removed(u->shapes, i)); i++)
		removed(&p, r);
	for (int i = 0; i < p.checks.n; i++)
		check(&p, p.checks.at[i], "left", &none);
	fputs(p.json ? "]}\n" : "", out);
}

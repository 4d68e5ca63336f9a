/* irread.c: text -> let-form.
 *
 * In   what ir_print prints; indentation and empty lines are free, but the operands of a binding end
 *      with its line.
 * Out  a program of the right form; whether it makes sense is for ir_check.
 * How  recursive descent over the characters.  The first error is reported and moves the reader to the
 *      end of the text, where every loop stops. */
#include "common/irtext.h"
#include "common/map.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 1000 };        /* nesting of blocks and types, so that no text exhausts the stack */

typedef struct {
	Program *p;
	Diag *diag;             /* NULL: only whether it failed is wanted */
	const char *file;
	const char *start, *at, *end;
	Map *vars;              /* of the function being read */
	int depth;
	bool failed;
} Reader;

/* -- characters ------------------------------------------------------------------------------- */
static Span
here(const Reader *r)
{
	Span s = {r->file, 1, 1, 1};
	for (const char *c = r->start; c < r->at; c++) {
		s.col++;
		if (*c == '\n') {
			s.line++;
			s.col = 1;
		}
	}
	return s;
}

static void
fail(Reader *r, const char *what, const char *name)
{
	if (!r->failed && r->diag)
		diag_error(r->diag, here(r), "syntax", "%s%s", what, name);
	r->failed = true;
	r->at = r->end;
}

/* What was read last, the name, is wrong. */
static void
fail_at(Reader *r, const char *what, const char *name)
{
	r->at -= strlen(name);
	fail(r, what, name);
}

static int
peek(const Reader *r)
{
	return r->at < r->end ? (unsigned char)*r->at : 0;
}

static void
skip_blanks(Reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static void
skip_line(Reader *r)
{
	while (r->at < r->end && *r->at != '\n')
		r->at++;
}

/* Blanks, line ends and comments. */
static void
skip_space(Reader *r)
{
	for (skip_blanks(r); r->at < r->end && (*r->at == '\n' || *r->at == '%'); skip_blanks(r))
		if (*r->at == '%')
			skip_line(r);
		else
			r->at++;
}

static bool
accept(Reader *r, const char *s)
{
	size_t n = strlen(s);
	skip_blanks(r);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, s, n) != 0)
		return false;
	r->at += n;
	return true;
}

static void
expect(Reader *r, const char *s)
{
	if (!accept(r, s))
		fail(r, "expected ", s);
}

static bool
is_ident(int c)
{
	return isalnum(c) || c == '_';
}

/* NULL if there is none; moves only then not. */
static const char *
ident(Reader *r)
{
	skip_blanks(r);
	const char *s = r->at;
	if (isdigit(peek(r)))
		return NULL;
	while (is_ident(peek(r)))
		r->at++;
	return r->at > s ? intern_n(r->p->names, s, (size_t)(r->at - s)) : NULL;
}

/* Function, cell, task and kind names may be operators of NESL: all up to a blank or bracket. */
static const char *
word(Reader *r)
{
	skip_blanks(r);
	const char *s = r->at;
	while (r->at < r->end && !isspace(peek(r)) && !strchr("(){},%", *r->at))
		r->at++;
	if (r->at == s)
		fail(r, "expected a name", "");
	return intern_n(r->p->names, s, (size_t)(r->at - s));
}

/* The rest of the line up to one of `stop` outside parentheses, without blanks around it. */
static const char *
text_until(Reader *r, const char *stop)
{
	int open = 0;
	skip_blanks(r);
	const char *s = r->at;
	for (; r->at < r->end && *r->at && *r->at != '\n'; r->at++) {
		open += *r->at == '(' ? 1 : *r->at == ')' ? -1 : 0;
		if (open == 0 && strchr(stop, *r->at))
			break;
	}
	const char *e = r->at;
	while (e > s && isspace((unsigned char)e[-1]))
		e--;
	return intern_n(r->p->names, s, (size_t)(e - s));
}

static bool
keyword(Reader *r, const char *s)
{
	skip_blanks(r);
	size_t n = strlen(s);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, s, n) != 0)
		return false;
	if ((size_t)(r->end - r->at) > n && is_ident((unsigned char)r->at[n]))
		return false;
	r->at += n;
	return true;
}

static bool
deeper(Reader *r)
{
	if (++r->depth <= DEEPEST)
		return true;
	fail(r, "nested too deep", "");
	return false;
}

/* -- spans ------------------------------------------------------------------------------------ */
static int
number_before(const char **e, const char *s, char sep)
{
	int n = 0, unit = 1, digits = 0;
	for (; *e > s && isdigit((unsigned char)(*e)[-1]) && digits < 9; digits++, unit *= 10)
		n += (*--*e - '0') * unit;
	if (digits == 0 || *e == s || (*e)[-1] != sep)
		return -1;
	--*e;
	return n;
}

/* `% file:line:col+len`, read from its end; any other comment is none. */
static Span
span(Reader *r)
{
	Span at = {0};
	skip_blanks(r);
	if (peek(r) != '%')
		return at;
	const char *s = r->at + 1;
	skip_line(r);
	const char *e = r->at;
	if (s < e && *s == ' ')
		s++;
	at.len = number_before(&e, s, '+');
	at.col = at.len < 0 ? -1 : number_before(&e, s, ':');
	at.line = at.col < 0 ? -1 : number_before(&e, s, ':');
	if (at.line < 0 || e == s)
		return (Span){0};
	at.file = intern_n(r->p->names, s, (size_t)(e - s));
	return at;
}

/* -- types ------------------------------------------------------------------------------------ */
static const Ty *type(Reader *r);

/* The inside of parentheses: (a, b, c) is (a, (b, c)). */
static const Ty *
tuple(Reader *r)
{
	const Ty *a = type(r);
	if (r->failed || !accept(r, ","))
		return a;
	if (!deeper(r))
		return a;
	const Ty *b = tuple(r);
	r->depth--;
	return ty_pair(r->p->arena, a, b);
}

static const Ty *
base_type(Reader *r)
{
	static const Ty *const base[] = {&ty_int, &ty_float, &ty_bool, &ty_char, &ty_segdes, &ty_uniform};
	const char *name = ident(r);
	for (size_t i = 0; name && i < sizeof base / sizeof *base; i++)
		if (strcmp(name, ty_text(r->p->arena, base[i])) == 0)
			return base[i];
	fail(r, "expected a type", "");
	return &ty_int;
}

/* No vector, and no descriptor, in it? */
static bool
of_nesl(const Ty *t)
{
	if (t->kind == TY_PAIR)
		return of_nesl(t->a) && of_nesl(t->b);
	return ty_scalar(t) || t->kind == TY_SEQ;       /* of which the same was asked before */
}

static const Ty *
type(Reader *r)
{
	const Ty *t = &ty_int;
	if (!deeper(r))
		return t;
	if (accept(r, "(")) {
		t = tuple(r);
		expect(r, ")");
	} else if (accept(r, "[")) {
		t = type(r);
		if (!r->failed && !of_nesl(t))
			fail(r, "a sequence holds no vectors and descriptors", "");
		t = ty_seq(r->p->arena, t);
		expect(r, "]");
	} else if (accept(r, "<")) {
		t = base_type(r);
		if (!ty_scalar(t))
			fail(r, "a vector holds scalars only", "");
		t = ty_vec(r->failed ? &ty_int : t);
		expect(r, ">");
	} else
		t = base_type(r);
	r->depth--;
	return t;
}

const Ty *
ty_read(Arena *ar, Names *names, const char *text)
{
	Reader r = {.p = &(Program){.arena = ar, .names = names}, .start = text, .at = text, .end = text + strlen(text)};
	const Ty *t = tuple(&r);

	return r.failed || r.at < r.end ? NULL : t;
}

/* -- variables and operands ------------------------------------------------------------------- */
static Var *
bind_var(Reader *r, const char *name)
{
	expect(r, ":");
	const Ty *natural = keyword(r, "nat") ? &ty_int : accept(r, "<nat>") ? &ty_ints : NULL;
	Var *v = var_new(r->p, name, natural ? natural : type(r));
	v->natural = natural;
	if (*map_at(r->vars, name))
		fail(r, "bound twice: ", name);
	*map_at(r->vars, name) = v;
	return v;
}

/* x:t, y:t ... up to what is no name; the first name may have been read already. */
static Var **
bind_vars(Reader *r, const char *name, int *n)
{
	LIST(Var *) l = {0};
	if (!name)
		name = ident(r);
	while (name && !r->failed) {
		LIST_ADD(r->p->arena, &l, bind_var(r, name));
		name = accept(r, ",") ? ident(r) : NULL;
	}
	*n = l.n;
	return l.at;
}

static Opnd
number(Reader *r)
{
	const char *s = r->at;
	if (peek(r) == '-')
		r->at++;
	while (isalnum(peek(r)) || peek(r) == '.' || ((peek(r) == '+' || peek(r) == '-') && r->at[-1] == 'e'))
		r->at++;
	const char *t = arena_strndup(r->p->arena, s, (size_t)(r->at - s));
	char *e = NULL;
	Opnd o;
	errno = 0;
	if (strpbrk(t, ".einf")) {
		o = opnd_float(strtod(t, &e));
		errno = 0;
	} else
		o = opnd_int(strtoll(t, &e, 10));
	if (e == t || *e || errno)
		fail(r, "bad number: ", t);
	return o;
}

static Opnd
character(Reader *r)
{
	r->at++;
	int c = peek(r);
	if (c != '(') {
		r->at++;
		if (c <= 32 || c >= 127)
			fail(r, "bad character", "");
		return opnd_char(c);
	}
	r->at++;
	Opnd o = number(r);
	if (o.kind != OPND_INT || o.u.i < INT32_MIN || o.u.i > INT32_MAX) {
		fail(r, "bad character code", "");
		return opnd_char(0);
	}
	expect(r, ")");
	return opnd_char(o.u.i);
}

static Opnd
operand(Reader *r)
{
	skip_blanks(r);
	if (peek(r) == '`')
		return character(r);
	const char *name = ident(r);
	if (!name)
		return number(r);
	if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
		return opnd_bool(*name == 't');
	if (strcmp(name, "inf") == 0 || strcmp(name, "nan") == 0)
		return opnd_float(*name == 'i' ? HUGE_VAL : (double)NAN);
	bool uniform = strcmp(name, "uniform") == 0 && (skip_blanks(r), is_ident((unsigned char)peek(r)));
	if (uniform)
		name = word(r);
	Var *v = *map_at(r->vars, name);
	if (!v)
		fail_at(r, "unbound variable: ", name);
	else if (uniform && v->ty->kind != TY_UNIFORM)
		fail_at(r, "not uniform: ", name);
	return v ? opnd_var(v) : opnd_int(0);
}

/* What is left of the line, up to a block or a comment. */
static Opnd *
operands(Reader *r, int *n)
{
	LIST(Opnd) l = {0};
	skip_blanks(r);
	if (r->at < r->end && !strchr("\n%{}|", *r->at))
		do
			LIST_ADD(r->p->arena, &l, operand(r));
		while (!r->failed && accept(r, ","));
	*n = l.n;
	return l.at;
}

static int
hex(int c)
{
	return isdigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One character after a backslash. */
static char
escape(Reader *r)
{
	if (r->end - r->at >= 3 && *r->at == 'x' && hex(r->at[1]) >= 0 && hex(r->at[2]) >= 0) {
		r->at += 3;
		return (char)(hex(r->at[-2]) * 16 + hex(r->at[-1]));
	}
	if (peek(r) != '"' && peek(r) != '\\') {
		fail(r, "bad escape", "");
		return 0;
	}
	return *r->at++;
}

/* A string, with a zero byte after it. */
static const char *
bytes(Reader *r, int *n)
{
	LIST(char) l = {0};
	expect(r, "\"");
	while (r->at < r->end && *r->at != '"' && *r->at != '\n') {
		char c = *r->at++;
		LIST_ADD(r->p->arena, &l, c == '\\' ? escape(r) : c);
	}
	expect(r, "\"");
	*n = l.n;
	LIST_ADD(r->p->arena, &l, 0);
	return l.at;
}

/* -- bindings and blocks ---------------------------------------------------------------------- */
static Block *block(Reader *r, Span *at);

static void
blocks(Reader *r, Bind *b)
{
	LIST(Block *) l = {0};
	b->span = span(r);
	for (; !r->failed && accept(r, "{"); skip_blanks(r)) {
		Span at;
		Block *x = block(r, &at);
		if (l.n == 0)
			b->span = at;
		LIST_ADD(r->p->arena, &l, x);
	}
	b->block = l.at;
	b->nblock = l.n;
}

/* Behind `by`. */
static unsigned
mappings(Reader *r)
{
	unsigned by = 0;
	do {
		int i = 0;
		while (i < NMAPPING && !keyword(r, mapping_name[i]))
			i++;
		if (i == NMAPPING)
			fail(r, "expected flat, thread or lanes", "");
		by |= 1u << i;
	} while (!r->failed && accept(r, ","));
	return by;
}

static int
operator(Reader *r, const char *name)
{
	int op = name ? ir_find(r->p->ir, name) : -1;
	if (!name)
		fail(r, "expected an operator or }", "");
	else if (op < 0)
		fail_at(r, "no such operator: ", name);
	return op;
}

/* A destination among its own operands is found by ir_check. */
static void
binding(Reader *r, Block *in)
{
	const char *name = ident(r);
	Bind *b = bind_new(r->p, in, 0, 0, 0, 0, (Span){0});
	if (name && (skip_blanks(r), peek(r) == ':')) {
		b->dst = bind_vars(r, name, &b->ndst);
		expect(r, "=");
		name = ident(r);
	}
	b->op = operator(r, name);
	if (r->failed)
		return;
	const OpInfo *op = &r->p->ir->op[b->op];
	b->lifted = peek(r) == '^' && accept(r, "^");
	if (peek(r) == '@' && accept(r, "@")) {
		if (!isdigit(peek(r)))
			fail(r, "expected a level", "");
		else
			b->level = *r->at++ - '0';
	}
	if (op_has_name(op))
		b->name = word(r);
	if (op_has_text(op))
		b->text = bytes(r, &b->textlen);
	b->arg = operands(r, &b->narg);
	if (accept(r, "|"))
		b->way = operands(r, &b->nway);
	if (keyword(r, "by"))
		b->by = mappings(r);
	blocks(r, b);
	skip_blanks(r);
	if (peek(r) != '\n')
		fail(r, "expected the end of the line", "");
}

static void
results(Reader *r, Block *b)
{
	Opnd *o = operands(r, &b->nyield);
	block_yield(r->p, b, b->nyield, o);
	skip_space(r);
}

/* After its {, to its }. */
static Block *
block(Reader *r, Span *at)
{
	Block *b = block_new(r->p);
	*at = span(r);
	skip_space(r);
	if (!deeper(r))
		return b;
	if (accept(r, "(")) {
		b->param = bind_vars(r, NULL, &b->nparam);
		expect(r, ")");
		skip_space(r);
	}
	while (!r->failed && peek(r) != '}') {
		if (keyword(r, "yield")) {
			results(r, b);
			break;
		}
		binding(r, b);
		skip_space(r);
	}
	expect(r, "}");
	r->depth--;
	return b;
}

/* -- the unit --------------------------------------------------------------------------------- */
static void
cell(Reader *r, bool input)
{
	Cell *c = NEW(r->p->arena, Cell, 1), **end = &r->p->cells;
	c->name = c->shown = word(r);
	if (cell_find(r->p, c->name))
		fail(r, "cell declared twice: ", c->name);
	if (keyword(r, "as"))
		c->shown = word(r);
	c->input = input;
	expect(r, ":");
	c->ty = type(r);
	if (!r->failed && !of_nesl(c->ty))
		fail(r, "a cell holds no vectors and descriptors", "");
	while (*end)
		end = &(*end)->next;
	*end = c;
}

/* Of f, which is scalar or not; & stands before what is lent. */
static void
parameters(Reader *r, Fun *f)
{
	LIST(Var *) param = {0};
	LIST(bool) lent = {0};
	bool more = true, any = false;

	while (more && !r->failed) {
		const bool is = accept(r, "&");
		const char *name = ident(r);

		if (!name)
			break;
		LIST_ADD(r->p->arena, &lent, is);
		LIST_ADD(r->p->arena, &param, bind_var(r, name));
		if (is && !r->failed && (!ir_counts(r->p->ir) || f->scalar || !ty_counted(param.at[param.n - 1]->ty)))
			fail(r, "only an array is lent, in mem and not to a scalar function: ", name);
		any |= is;
		more = accept(r, ",");
	}
	f->param = param.at;
	f->nparam = param.n;
	f->lent = any ? lent.at : NULL;
}

/* The parameters of f that a result may be: those named after it. */
static bool *
given_back(Reader *r, const Fun *f, const Ty *result)
{
	bool *back = NULL;

	while (!r->failed && keyword(r, "or")) {
		const char *name = ident(r);
		int k = 0;

		while (name && k < f->nparam && strcmp(f->param[k]->name, name) != 0)
			k++;
		if (!name)
			break;
		if (!back)
			back = NEW(r->p->arena, bool, f->nparam + 1);
		if (!ir_counts(r->p->ir) || f->scalar || k == f->nparam || !ty_counted(result) || !ty_equal(f->param[k]->ty, result))
			fail(r, "only an array that a function is given is given back, in mem: ", name);
		else
			back[k] = true;
	}
	return back;
}

static void
fun_results(Reader *r, Fun *f)
{
	LIST(const Ty *) all = {0};
	LIST(bool *) back = {0};
	bool any = false;

	skip_blanks(r);
	if (peek(r) != '{')
		do {
			LIST_ADD(r->p->arena, &all, type(r));
			LIST_ADD(r->p->arena, &back, r->failed ? NULL : given_back(r, f, all.at[all.n - 1]));
			any |= back.at[back.n - 1] != NULL;
		} while (!r->failed && accept(r, ","));
	if (!r->failed && keyword(r, "nested"))
		f->nested = word(r);
	if (!r->failed && keyword(r, "scans"))
		f->scans = word(r);
	if (!r->failed && keyword(r, "rows"))
		f->rows = word(r);
	f->result = all.at;
	f->nresult = all.n;
	f->back = any ? back.at : NULL;
}

static void
fun(Reader *r, bool recursive, bool scalar)
{
	Fun *f = NEW(r->p->arena, Fun, 1), **end = &r->p->funs;
	f->name = word(r);
	f->recursive = recursive;
	f->scalar = scalar;
	r->vars = map_new(r->p->arena);
	expect(r, "(");
	parameters(r, f);
	expect(r, ")");
	expect(r, "->");
	fun_results(r, f);
	expect(r, "{");
	f->body = block(r, &f->span);
	while (*end)
		end = &(*end)->next;
	*end = f;
}

static void
entry_cells(Reader *r, Entry *e)
{
	LIST(Cell *) l = {0};
	expect(r, "=");
	do {
		const char *name = word(r);
		Cell *c = cell_find(r->p, name);
		if (!c)
			fail(r, "no such cell: ", name);
		LIST_ADD(r->p->arena, &l, c);
	} while (!r->failed && accept(r, ","));
	e->cell = l.at;
	e->ncell = l.n;
}

/* Is it what a command left?  It has no cells and no type. */
static bool
command_entry(Reader *r, Entry *e)
{
	int n;

	if (keyword(r, "say")) {
		e->kind = ENTRY_SAY;
		e->shown = bytes(r, &n);
	} else if (keyword(r, "set")) {
		e->kind = ENTRY_SET;
		e->shown = text_until(r, "=");
		expect(r, "=");
		skip_blanks(r);
		e->number = number(r).u.i;
	} else {
		return false;
	}
	e->span = span(r);
	return true;
}

static void
entry(Reader *r)
{
	Entry *e = NEW(r->p->arena, Entry, 1), **end = &r->p->entries;
	while (*end)
		end = &(*end)->next;
	*end = e;
	if (command_entry(r, e))
		return;
	e->show = keyword(r, "typed") ? SHOW_TYPE : keyword(r, "silent") ? SHOW_NOTHING : SHOW_VALUE;
	e->kind = keyword(r, "def") ? ENTRY_DEF : keyword(r, "assign") ? ENTRY_ASSIGN : ENTRY_EXPR;
	if (e->kind == ENTRY_EXPR && !keyword(r, "expr"))
		fail(r, "expected def, assign, expr, say or set", "");
	e->shown = text_until(r, e->kind == ENTRY_DEF ? ":" : "=");
	if (e->kind != ENTRY_DEF)
		entry_cells(r, e);
	expect(r, ":");
	e->type = text_until(r, "{%");
	if (e->kind == ENTRY_DEF)
		e->span = span(r);
	else {
		r->vars = map_new(r->p->arena);
		expect(r, "{");
		e->body = block(r, &e->span);
	}
}

/* Behind `nested`: a function in normal. */
static void
nested_fun(Reader *r)
{
	Program *const outer = r->p;
	bool recursive;

	if (!outer->nested) {
		outer->nested = program_new(outer->arena, outer->names, &normal_ir);
		outer->nested->int_bits = outer->int_bits;
	}
	r->p = outer->nested;
	recursive = keyword(r, "rec");
	if (outer->ir == &normal_ir || !keyword(r, "fun"))
		fail(r, "expected input, cell, fun or entry", "");
	else
		fun(r, recursive, false);
	r->p = outer;
}

static void
declaration(Reader *r)
{
	if (keyword(r, "nested")) {
		nested_fun(r);
		return;
	}
	bool recursive = keyword(r, "rec"), scalar = keyword(r, "scalar"), other = !recursive && !scalar;
	if (keyword(r, "fun"))
		fun(r, recursive, scalar);
	else if (other && keyword(r, "input"))
		cell(r, true);
	else if (other && keyword(r, "cell"))
		cell(r, false);
	else if (other && keyword(r, "entry"))
		entry(r);
	else
		fail(r, "expected input, cell, fun or entry", "");
}

Program *
ir_read(const Ir *ir, Arena *ar, Names *names, Diag *d, const char *file, const char *text, size_t n)
{
	Reader r = {.p = program_new(ar, names, ir), .diag = d, .file = file, .start = text, .at = text, .end = text + n};
	skip_space(&r);
	if (!keyword(&r, "unit") || !keyword(&r, ir->name))
		fail(&r, "expected unit ", ir->name);
	else if (keyword(&r, "int") && !keyword(&r, "64")) {
		r.p->int_bits = 32;
		expect(&r, "32");
	}
	for (skip_space(&r); !r.failed && r.at < r.end; skip_space(&r))
		declaration(&r);
	return r.failed ? NULL : r.p;
}

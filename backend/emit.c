/* emit.c: the text of generated programs, one line at a time.
 *
 * In   lines as printf formats; brackets of depth by emit_open and emit_close.
 * Out  u->text: tabs for depth, no trailing blanks.
 * How  one growing buffer in the unit's arena.  Names are made C identifiers by a rule, not a table,
 *      so that the same name gives the same text everywhere: a name that is no identifier, is taken
 *      by C, C++ or the run-time headers, or ends in "_" or contains "__" is escaped and ends in "__". */
#include "backend/emit.h"
#include "backend/lines.h"
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	char *at;
	size_t n, cap;
	int depth;
} Text;

struct Emit {
	Arena *arena;
	const Diag *diag;
	Text text, other;       /* other: what emit_apart left; else the room of the last function apart */
	int int_bits;
	Span at;                /* what the last emit_source or emit_place says */
};

Emit *
emit_new(Unit *u)
{
	Emit *e = NEW(u->arena, Emit, 1);

	e->arena = u->arena;
	e->diag = u->diag;
	e->int_bits = u->ir ? u->ir->int_bits : 64;
	e->text.cap = e->other.cap = 1 << 16;
	e->text.at = arena_alloc(e->arena, e->text.cap);
	e->other.at = arena_alloc(e->arena, e->other.cap);
	return e;
}

/* Room for n bytes more, and the end. */
static void
make_room(Emit *e, size_t n)
{
	Text *t = &e->text;
	const char *old = t->at;

	if (t->n + n + 1 <= t->cap)
		return;
	while (t->n + n + 1 > t->cap)
		t->cap *= 2;
	t->at = arena_alloc(e->arena, t->cap);
	memcpy(t->at, old, t->n);
}

static void
put(Emit *e, const char *s, size_t n)
{
	make_room(e, n);
	memcpy(e->text.at + e->text.n, s, n);
	e->text.n += n;
}

static void
vline(Emit *e, const char *fmt, va_list ap)
{
	char small[256];
	va_list again;
	int n;

	for (int i = 0; i < e->text.depth; i++)
		put(e, "\t", 1);
	va_copy(again, ap);
	n = vsnprintf(small, sizeof small, fmt, ap);
	if (n < (int)sizeof small) {
		put(e, small, (size_t)n);
	} else {
		char *big = arena_alloc(e->arena, (size_t)n + 1);

		vsnprintf(big, (size_t)n + 1, fmt, again);
		put(e, big, (size_t)n);
	}
	va_end(again);
	while (e->text.n > 0 && e->text.at[e->text.n - 1] == ' ')
		e->text.n--;
	put(e, "\n", 1);
}

void
emit_line(Emit *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vline(e, fmt, ap);
	va_end(ap);
}

void
emit_blank(Emit *e)
{
	put(e, "\n", 1);
}

void
emit_open(Emit *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vline(e, fmt, ap);
	va_end(ap);
	e->text.depth++;
}

void
emit_close(Emit *e, const char *line)
{
	e->text.depth--;
	if (*line)
		emit_line(e, "%s", line);
}

void
emit_else(Emit *e)
{
	e->text.depth--;
	emit_open(e, "} else {");
}

void
emit_apart(Emit *e)
{
	const Text apart = {e->other.at, 0, e->other.cap, 1};

	e->other = e->text;
	e->text = apart;
}

const char *
emit_rejoin(Emit *e)
{
	const Text apart = e->text;

	apart.at[apart.n] = '\0';
	e->text = e->other;
	e->other = apart;
	return apart.at;
}

size_t
emit_here(const Emit *e)
{
	return e->text.n;
}

void
emit_insert(Emit *e, size_t *at, const char *text)
{
	const size_t n = strlen(text);

	make_room(e, n);
	memmove(e->text.at + *at + n, e->text.at + *at, e->text.n - *at);
	memcpy(e->text.at + *at, text, n);
	e->text.n += n;
	*at += n;
}

/* A comment must not go on in the next line: nothing follows a backslash but a blank and a dot. */
void
emit_source(Emit *e, Span at)
{
	const char *s;
	int n = 0, skipped = 0;
	bool more = false;

	e->at = at;
	if (!at.file)
		return;
	s = diag_shown(e->diag, at, &n, &skipped, &more);
	if (!s)
		n = 0;
	while (n > 0 && isspace((unsigned char)*s))
		s++, n--;
	while (n > 0 && isspace((unsigned char)s[n - 1]))
		n--;
	emit_line(e, "// %s:%d:%d%s%s%.*s%s%s", at.file, at.line, at.col, n ? "  " : "", skipped ? "..." : "", n, s ? s : "", more ? "..." : "",
		!more && n && (s[n - 1] == '\\' || s[n - 1] == '/') ? " ." : "");
}

void
emit_sources(Emit *e, const Bind *task)
{
	const SourceLines l = lines_of(e->arena, task);

	for (int i = 0; i < l.n; i++)
		emit_source(e, l.at[i]);
}

void
emit_place(Emit *e, Span at)
{
	const Span last = e->at;

	if (!at.file || last.file != at.file || last.line != at.line)
		emit_source(e, at);
	else if (last.col != at.col || last.len != at.len)
		emit_line(e, "// %s:%d:%d", at.file, at.line, at.col);
	e->at = at;
}

/* -- names ------------------------------------------------------------------------------------ */
/* Words of C, C++ and CUDA, what the included headers define, and the emitters' own loop variables; in the order of strcmp. */
static const char *const taken[] = {
	"BUFSIZ", "EOF", "FILE", "HUGE_VAL", "INFINITY", "MAX_INT", "MIN_INT", "NAN", "NULL",
	"acos", "acosh", "alignas", "alignof", "and", "and_eq", "asin", "asinh", "asm", "atan", "atan2",
	"atanh", "auto", "b8", "bitand", "bitor", "blockDim", "blockIdx", "bool", "break", "c32", "case",
	"catch", "cbrt", "ceil", "char", "class", "compl", "concept", "const", "const_cast", "constexpr",
	"continue", "cos", "cosh", "decltype", "default", "delete", "do", "double", "dynamic_cast",
	"e1", "e2", "else", "enum", "errno", "exit", "exp", "explicit", "export", "extern", "f64", "fabs",
	"false", "float", "floor", "fmaximum", "fminimum", "fmod", "for", "free", "friend", "gamma",
	"goto", "gridDim", "i64", "iadd", "iarea", "idiv", "idiv_ok", "if", "ilshift", "imul", "inline", "int",
	"int32_t", "int64_t", "irange", "irange_ok", "irem", "irshift", "isinf", "isnan", "isteps", "isub", "linux", "log", "long", "main",
	"malloc", "memcpy", "mutable", "namespace", "nearest", "new", "nint", "noexcept", "not", "not_eq", "nuint", "nullptr",
	"operator", "or", "or_eq", "pow", "private", "protected", "public", "register",
	"reinterpret_cast", "requires", "restrict", "return", "round", "short", "signed", "signgam", "sin",
	"sinh", "size_t", "sizeof", "sqrt", "static", "static_assert", "static_cast", "stderr", "stdin",
	"stdout", "struct", "switch", "tan", "tanh", "template", "this", "threadIdx", "thread_local",
	"throw", "to_int", "true", "trunc", "try", "typedef", "typeid", "typename", "typeof", "uint64_t",
	"union", "unix", "unsigned", "using", "virtual", "void", "volatile", "warpSize", "wchar_t",
	"while", "xor", "xor_eq",
};

static int
by_text(const void *name, const void *word)
{
	return strcmp(name, *(const char *const *)word);
}

static bool
is_taken(const char *name)
{
	static const char *const prefix[] = {"nesl_", "NESL_", "fn_", "cell_", "task_", "entry_", "omp_"};

	if (bsearch(name, taken, sizeof taken / sizeof *taken, sizeof *taken, by_text))
		return true;
	for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++)
		if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

static bool
is_plain(const char *name)
{
	size_t n = strlen(name);

	if (n == 0 || isdigit((unsigned char)*name) || *name == '_' || name[n - 1] == '_')
		return false;
	for (const char *s = name; *s; s++)
		if (!isalnum((unsigned char)*s) && *s != '_')
			return false;
	return !strstr(name, "__");
}

/* Law: two names give two identifiers.  In an escaped name "_x" only begins an escape, and "__" only
 * stands at its end, where a plain name has none. */
const char *
emit_cname(Emit *e, const char *name)
{
	size_t n = 0;
	char *r;

	if (is_plain(name) && !is_taken(name))
		return name;
	r = arena_alloc(e->arena, 4 * strlen(name) + 5);
	if (!isalpha((unsigned char)*name))
		r[n++] = 'v';
	for (const char *s = name; *s; s++)
		if (isalnum((unsigned char)*s) || (*s == '_' && s[1] != 'x' && s[1] != '_' && s[1]))
			r[n++] = *s;
		else
			n += (size_t)sprintf(r + n, "_x%02x", (unsigned char)*s);
	memcpy(r + n, "__", 3);
	return r;
}

/* -- operators and constants ------------------------------------------------------------------ */
static bool
is_atom(const char *s)
{
	int inside = 0;         /* of brackets */
	char before = 0;

	for (; *s; before = *s++) {
		inside += (*s == '[') - (*s == ']');
		if (!inside && !isalnum((unsigned char)*s) && !strchr("_.]-", *s) && !(before == '-' && *s == '>'))
			return false;
	}
	return true;
}

const char *
emit_scalar(Emit *e, const OpInfo *op, const Ty *operand, const char *const *arg, int narg)
{
	const char *s = op->expr[op_column(op, operand)], *word;
	const char *r = "";

	if (!s)
		s = op->expr[0];
	while (*s) {
		for (word = s; isalnum((unsigned char)*s) || *s == '_'; s++)
			;
		if (s - word == 1 && *word >= 'a' && *word < 'a' + narg) {
			const char *x = arg[*word - 'a'];

			r = arena_printf(e->arena, is_atom(x) ? "%s%s" : "%s(%s)", r, x);
		} else {
			if (s == word)
				s++;
			r = arena_printf(e->arena, "%s%.*s", r, (int)(s - word), word);
		}
	}
	return r;
}

const char *
emit_fold_type(Emit *e, const OpInfo *fold, const Ty *t)
{
	const char *x = emit_ctype(t);

	return op_finds_place(fold) ? arena_printf(e->arena, "nesl_%s_at", x) : x;
}

const char *
emit_folded(Emit *e, const OpInfo *fold, const Ty *t, const char *const *x)
{
	return op_finds_place(fold) ? arena_printf(e->arena, "(%s){%s, %s}", emit_fold_type(e, fold, t), x[0], x[1]) : x[0];
}

const char *
emit_fold_result(Emit *e, const OpInfo *fold, const char *acc)
{
	return op_finds_place(fold) ? arena_printf(e->arena, "%s.at", acc) : acc;
}

const char *
emit_combine(Emit *e, const Ir *ir, const OpInfo *fold, const Ty *t, const char *acc, const char *x)
{
	const OpInfo *op = fold->expr[op_column(fold, t)] ? fold : &ir->op[ir_find(ir, fold->base)];

	if (op_finds_place(fold))
		return arena_printf(e->arena, "nesl_first_%s_%s(%s, %s)", fold->base, emit_ctype(t), acc, x);
	return emit_scalar(e, op, t, (const char *const[]){acc, x}, 2);
}

/* Chars are narrower than what the table writes for ints. */
const char *
emit_identity(Emit *e, const OpInfo *fold, const Ty *t)
{
	const char *id = fold->identity[op_column(fold, t)];

	if (t->kind == TY_CHAR && strcmp(id, "MIN_INT") == 0)
		id = "INT32_MIN";
	else if (t->kind == TY_CHAR && strcmp(id, "MAX_INT") == 0)
		id = "INT32_MAX";
	return emit_folded(e, fold, t, (const char *const[]){id, "MAX_INT"});
}

static const char *
float_text(Emit *e, double f)
{
	char s[40];

	if (isnan(f))
		return "NAN";
	if (isinf(f))
		return f > 0 ? "INFINITY" : "-INFINITY";
	if (fabs(f) < 1e15 && f == floor(f))
		return arena_printf(e->arena, "%.1f", f);
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, f);
		if (strtod(s, NULL) == f)
			break;
	}
	return arena_printf(e->arena, "%s%s", s, strpbrk(s, ".e") ? "" : ".0");
}

const char *
emit_const(Emit *e, Opnd o)
{
	int64_t i;

	switch (o.kind) {
	case OPND_VAR:
		return emit_cname(e, o.u.var->name);
	case OPND_FLOAT:
		return float_text(e, o.u.f);
	case OPND_INT:
	case OPND_BOOL:
	case OPND_CHAR:
		break;
	}
	i = int_wrapped(e->int_bits, o.u.i);
	if (i == (e->int_bits == 32 ? INT32_MIN : INT64_MIN))
		return "MIN_INT";
	return arena_printf(e->arena, "%lld", (long long)i);
}

/* Octal escapes end after three digits, so nothing after them is taken for a part; ? may begin a trigraph. */
const char *
emit_string(Emit *e, const char *s, int n)
{
	char *r = arena_alloc(e->arena, 4 * (size_t)n + 3), *to = r;

	*to++ = '"';
	for (int i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			to += sprintf(to, "\\%c", c);
		else if (c == '?' || c < ' ' || c > '~')
			to += sprintf(to, "\\%03o", c);
		else
			*to++ = (char)c;
	}
	*to = '"';
	return r;
}

const char *
emit_ctype(const Ty *t)
{
	switch (t->kind) {
	case TY_FLOAT:
		return "f64";
	case TY_BOOL:
		return "b8";
	case TY_CHAR:
		return "c32";
	case TY_VEC:
		return emit_ctype(t->a);
	case TY_INT:
		return "nint";
	case TY_SEGDES:
		return "i64";
	case TY_UNIFORM:
		return "nesl_grid";
	case TY_PAIR:
	case TY_SEQ:
		break;
	}
	ice((Span){0}, "emit", "no C type for a pair or sequence");
}

int
emit_size(const Emit *e, const Ty *t)
{
	return ty_bytes(t, e->int_bits);
}

char
emit_base(const Emit *e, const Ty *t)
{
	const char *c = emit_ctype(t);

	return strcmp(c, "nint") ? *c : e->int_bits == 32 ? 'w' : 'i';
}

bool
emit_wide_leaf(Emit *e, Opnd o, int n)
{
	if (o.kind != OPND_INT || o.u.i == int_wrapped(e->int_bits, o.u.i))
		return false;
	emit_line(e, "static i64 literal = %lld;", (long long)o.u.i);
	emit_line(e, "leaf[%d].kind = LEAF_SCALAR, leaf[%d].base = 'i', leaf[%d].count = 1;", n, n, n);
	emit_line(e, "leaf[%d].data = &literal, leaf[%d].fetch = NULL;", n, n);
	return true;
}

void
emit_width(Emit *e)
{
	if (e->int_bits == 32)
		emit_line(e, "#define NESL_INT 32");
}

const char *
emit_site(Emit *e, const char *kind, Span at)
{
	int n = 0, skipped = 0;
	bool more = false;
	const char *text = diag_shown(e->diag, at, &n, &skipped, &more);

	return arena_printf(e->arena, "{\"%s\", %s, %d, %d, %d, %s, %d, %d}", kind,
		at.file ? emit_string(e, at.file, (int)strlen(at.file)) : "NULL", at.line, at.col, at.len,
		text ? emit_string(e, text, n) : "NULL", skipped, more);
}

const char *
emit_entry(Emit *e, const Entry *x, const char *run, int nleaf)
{
	static const char *const echo[] = {[ENTRY_DEF] = "NESL_DEF", [ENTRY_ASSIGN] = "NESL_ASSIGN", [ENTRY_EXPR] = "NESL_EXPR",
		[ENTRY_SAY] = "NESL_SAY", [ENTRY_SET] = "NESL_NOTHING"};
	const char *what = x->show == SHOW_NOTHING ? "NESL_NOTHING" : x->show == SHOW_TYPE ? "NESL_ASSIGN_TYPE" : echo[x->kind];

	if (x->kind == ENTRY_SET && strcmp(x->shown, "print_length") == 0) {
		what = "NESL_PRINT_LENGTH";
		nleaf = x->number < INT_MAX ? (int)x->number : INT_MAX;
	}
	return arena_printf(e->arena, "{%s, %s, %s, %s, %s%s, %d, %s},", emit_string(e, x->shown, (int)strlen(x->shown)),
		x->type ? emit_string(e, x->type, (int)strlen(x->type)) : "NULL", what, x->body ? run : "NULL",
		x->body ? run : "NULL", x->body ? "_leaves" : "", nleaf,
		x->body ? emit_site(e, "memory", x->span) : "{0}");
}

const char *
emit_step_kind(int64_t step)
{
	return step > 0 ? "NESL_INWARD" : step == WAY_HOST ? "NESL_HOST" : step == WAY_HIDDEN ? "NESL_HIDDEN"
		: step == WAY_PARTS ? "NESL_PARTS" : step == WAY_INTO ? "NESL_INTO" : "NESL_LOST";
}

bool
emit_step_number(Opnd o, int *numbers)
{
	bool is = *numbers > 0;

	if (is)
		--*numbers;
	else if (o.kind == OPND_INT && (o.u.i == WAY_PARTS || o.u.i == WAY_INTO))
		*numbers = o.u.i == WAY_PARTS ? 3 : 1;
	return is;
}

void
emit_done(Emit *e, Unit *u)
{
	e->text.at[e->text.n] = '\0';
	u->text = e->text.at;
	u->ntext = e->text.n;
}

/* parse.c: sources -> forms.
 *
 * In   u->sources.
 * Out  u->forms, in order; a form with an error is FORM_BAD and reported once.
 * How  The grammar reads one form at a time.  After an error the tokens up to the `;` that ends the
 *      form are skipped, as far as that can be told.  The last form of a source may lack its `;`. */
#include "frontend/parse.h"
#include "common/embed.h"
#include "frontend/command.h"
#include "frontend/foreign.h"
#include "frontend/grammar.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- messages ----------------------------------------------------------------------------------- */

/* What those who know other languages are likely to have meant, next to a mistake. */
static void
add_notes(const Parser *p)
{
	if (p->form->comment.len)
		diag_note(p->u->diag, p->form->comment, "%s", remainder_note);
	if (p->form->doubt.len)
		diag_note(p->u->diag, p->form->doubt, "%s", doubt_note);
	if (p->form->prose.len)
		diag_note(p->u->diag, p->form->prose, "%s", prose_note);
	else if (p->foreign)
		diag_note(p->u->diag, p->foreign->span, "%s", foreign_word(p->foreign->u.name));
}

void
parse_error(Parser *p, Span at, const char *kind, const char *fmt, ...)
{
	va_list ap, again;
	int n;
	char *text;

	if (p->bad)
		return;
	p->bad = true;
	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = arena_alloc(p->u->arena, (size_t)n + 1);
	vsnprintf(text, (size_t)n + 1, fmt, again);
	va_end(again);
	diag_error(p->u->diag, at, kind, "%s", text);
	if (strcmp(kind, "syntax") == 0)
		add_notes(p);
}

/* The last `,`, `;` or `|` between the two; 0: none. */
static char
separator(const Token *open, const Token *found)
{
	const char *c = found->text;

	while (--c > open->text)
		if (*c == ',' || *c == ';' || *c == '|')
			return *c;
	return 0;
}

/* Of two operands, and nothing else. */
static bool
is_operator(int kind)
{
	static const int operator[] = {TOK_PLUS, TOK_TIMES, TOK_DIVIDE, TOK_POWER, TOK_APPEND, TOK_EQ, TOK_NE, TOK_LT, TOK_GT, TOK_LE, TOK_GE,
		TOK_AND, TOK_OR, TOK_XOR, TOK_NAND, TOK_NOR, TOK_READ, TOK_WRITE, TOK_PAD};
	bool is = false;

	for (size_t i = 0; i < sizeof operator / sizeof *operator; i++)
		is |= operator[i] == kind;
	return is;
}

/* Is it a function of the `let` that has begun, as other languages have them? */
static bool
begins_local(const Parser *p, const Token *t)
{
	return t->kind == TOK_FUNCTION && p->before && p->before->kind == TOK_LET;
}

/* What those who know other languages are likely to have meant: the end of a message.  `let`: one is open. */
static const char *
advice(const Parser *p, const Token *found, Want want, const Token *open, bool let)
{
	static const char equality[] = "; `=` only binds names, equality is `==`",
		before[] = "; is `;` missing before this form?", brackets[] = "; between operators it stands in parentheses",
		goes_on[] = "; a `let` goes on with `in`, behind its last binding; at the top level `x = 3` needs no `let`";
	static const struct { int found; Want want; const char *text; } likely[] = {
		{TOK_ASSIGN, WANT_IN, "; the bindings of `let` are separated by `;`"},
		{TOK_ASSIGN, WANT_END, "; a form ends with `;`, equality is `==`"},
		{TOK_ASSIGN, WANT_THEN, equality}, {TOK_ASSIGN, WANT_ELSE, equality}, {TOK_ASSIGN, WANT_RPAREN, equality},
		{TOK_ASSIGN, WANT_RBRACKET, equality}, {TOK_ASSIGN, WANT_RBRACE, "; `=` binds names in `let y = 3 in y + 1`, equality is `==`"},
		{TOK_FUNCTION, WANT_END, before}, {TOK_DATATYPE, WANT_END, before},
		{TOK_IF, WANT_EXPR, brackets}, {TOK_LET, WANT_EXPR, brackets},
		{TOK_IN, WANT_RBRACKET, "; an apply-to-each is written in braces: `{body : x in xs}`"},
		{TOK_IF, WANT_RBRACE, "; a condition stands behind `|`: `{body : x in xs | condition}`"},
		{TOK_COLON, WANT_ELSE, "; an `if` has two branches; what fits a condition is `{x in xs | condition}`"},
		{TOK_IN, WANT_RBRACE, "; what an apply-to-each binds is separated by `;`"},
		{TOK_COLON, WANT_RBRACE, "; in an apply-to-each the body comes first: `{body : x in xs}`"},
		{TOK_IN, WANT_ASSIGN, "; `let` binds names, as in `let x = 3 in x + 1`"},
		{TOK_END, WANT_BINDING, goes_on}, {TOK_END, WANT_IN, goes_on},
		{TOK_COLON, WANT_END, "; only a function is given a type, as in `function g(x) : int -> int = x`"},
		{TOK_COLON, WANT_RBRACKET, "; a part of a sequence is `subseq(v, from, to)`"},
	};

	if (found->kind == TOK_ASSIGN && want == WANT_RPAREN && open && open == p->header)
		return "; a default is written `y := 3`";
	if (want == WANT_EXPR && closer(found->kind) && p->before && p->before->kind == TOK_COMMA)
		return "; behind the last one stands no `,`";
	if (want == WANT_EXPR && found->kind == TOK_RBRACE && p->before && p->before->kind == TOK_LBRACE)
		return "; an empty sequence is `[]` and the type of its elements: `[] int`";
	if (found->kind == TOK_IN && want == WANT_RBRACE && open && separator(open, found) == '|')
		return "; behind `|` stands a condition: `{body : x in xs | condition}`";
	if (want == WANT_EXPR && is_operator(found->kind) && strchr("anoxANOX", *found->text))       /* and, nand, nor, or, xor */
		return arena_printf(p->u->arena, "; it stands between its operands: `a %.*s b`", found->n, found->text);
	if (want == WANT_EXPR && is_operator(found->kind) && p->before && (p->before->kind == TOK_LPAREN || p->before->kind == TOK_COMMA)
	    && !*foreign_sign(found->text, false))
		return "; an operator is no value: as a function it is `(x, y) => x + y`";
	for (size_t i = 0; i < sizeof likely / sizeof *likely; i++)
		if (found->kind == likely[i].found && want == likely[i].want)
			return likely[i].text;
	if (begins_local(p, found))
		return "; a function is defined outside of expressions; here `g = x => x + 1` binds one";
	if (found->kind == TOK_SEMI && want == WANT_ASSIGN && let)
		return goes_on;
	if (want == WANT_ASSIGN && p->header && !let)
		return "; a function is defined by `function g(x, y) = x + y`";
	if (found->kind == TOK_RPAREN && want == WANT_EXPR && open && open->span.line == found->span.line
	    && open->span.col + 1 == found->span.col)
		return "; a function has one argument at least";
	if (found->kind == TOK_COLON && want == WANT_RPAREN && open == p->header)
		return "; the types of a function come behind its parameters: `(x) : int -> int`";
	return found->n > 0 && (want == WANT_EXPR || want == WANT_END) ? foreign_sign(found->text, !p->before) : "";
}

/* The bracket is worth showing when it is not on the line already shown. */
static void
missing_bracket(Parser *p, const Token *found, const char *bracket, const Token *open, const char *more)
{
	bool first = !p->bad;

	parse_error(p, found->span, "syntax", "`%s` is missing: found %s instead%s", bracket,
		token_text(p->u->arena, found), more);
	if (first && open && open->span.line != found->span.line)
		diag_note(p->u->diag, open->span, "to close this");
}

/* Behind a `;` in braces: here other forms begin, or the text has ended. */
static bool
begins_no_generator(int kind)
{
	return kind == TOK_END || kind == TOK_FUNCTION || kind == TOK_DATATYPE;
}

void
parse_unexpected(Parser *p, const Token *found, Want want, const Token *open, unsigned unclosed)
{
	static const char *const place[] = {
		[WANT_EXPR] = "where an expression should start",
		[WANT_BINDING] = "where a binding or `in` should come",
		[WANT_FUNCTION] = "where the name of a function should come",
		[WANT_PARAM] = "where the parameter of a function should come",
		[WANT_TYPE] = "where a type should start",
		[WANT_ITEM_TYPE] = "where the type of the elements should come; "
			"an empty sequence is written like `[] int`",
		[WANT_CLASS] = "where a name should come",
		[WANT_END] = "where an operator or `;` should come",
	};
	static const char *const missing[] = {
		[WANT_THEN] = "then", [WANT_ELSE] = "else", [WANT_IN] = "in", [WANT_ASSIGN] = "=",
		[WANT_RPAREN] = ")", [WANT_RBRACKET] = "]", [WANT_RBRACE] = "}", [WANT_READ] = "->",
		[WANT_COLON] = ":",
	};
	const char *text = token_text(p->u->arena, found), *more = advice(p, found, want, open,
		unclosed & closer(TOK_IN));

	p->failed = true;
	const bool closes = closer(found->kind) & p->unclosed, binds = found->kind == TOK_IN && p->unclosed & closer(TOK_RBRACE);

	if (closes || binds) {
		p->bad = p->rest = true;
		p->unclosed = closes ? 0 : p->unclosed;
		return;
	}
	const bool first = !p->bad;

	if (want == WANT_END && found->kind == TOK_ASSIGN && p->before && p->before->kind == TOK_NAME)
		p->form->also = p->before->u.name;
	p->local = begins_local(p, found);
	if (want == WANT_EXPR && open && open->kind == TOK_LBRACE && p->before->kind == TOK_SEMI && begins_no_generator(found->kind))
		want = WANT_RBRACE;
	if (want == WANT_RPAREN || want == WANT_RBRACKET || want == WANT_RBRACE)
		missing_bracket(p, found, missing[want], open, more);
	else if ((size_t)want < sizeof place / sizeof *place && place[want])
		parse_error(p, found->span, "syntax", "found %s %s%s", text, place[want], more);
	else
		parse_error(p, found->span, "syntax", "`%s` is missing: found %s instead%s", missing[want], text,
			more);
	if (first && !p->before && found->comment.len && found->comment.line == found->span.line && !found->doubt.len)
		diag_note(p->u->diag, found->comment, "a comment ends at the next `%%`, which is here");
}

/* What follows may be other forms, if the brace was not meant to go on: so it seems if e begins a line behind a `;`. */
void
parse_no_generator(Parser *p, const Expr *e)
{
	p->failed = true;
	p->ends_there = p->semi && e->span.line > p->semi->span.line && (p->current->kind == TOK_SEMI || p->current->kind == TOK_END);
	if (p->ends_there || p->current->kind == TOK_END)
		parse_error(p, p->ends_there ? p->semi->span : p->current->span, "syntax", "`}` is missing: found %s instead",
			token_text(p->u->arena, p->ends_there ? p->semi : p->current));
	else
		parse_error(p, e->span, "syntax", "`pattern in sequence` or a single name should come here: `{body : x in xs | filter}`%s",
			e->kind == EXPR_PAIR || e->kind <= EXPR_STRING ? "; items of a sequence stand in brackets: `[1, 2, 3]`" : "");
}

void
parse_too_deep(Parser *p)
{
	parse_error(p, p->current->span, "syntax", "nested too deeply: a form has at most %d levels",
		MAX_DEPTH);
	p->failed = true;
}

/* -- forms -------------------------------------------------------------------------------------- */

static void
check_function_name(Parser *p, const Token *name)
{
	if (name->kind == TOK_STRING && !p->basis)
		parse_error(p, name->span, "syntax", "the name of a function should come here, not a string");
	else if (name->kind == TOK_INT)
		parse_error(p, name->span, "reserved-name", "a number cannot be bound");
	else if (name->kind == TOK_BOOL)
		parse_error(p, name->span, "reserved-name", "`%s` is a boolean value and cannot be bound",
			name->u.i ? "t" : "f");
	else if (name->kind == TOK_NAME
	         && (strcmp(name->u.name, "time") == 0 || strcmp(name->u.name, "pair") == 0))
		parse_error(p, name->span, "reserved-name", "`%s` is reserved and cannot be bound",
			name->u.name);
}

/* A function that the user cannot name, of one parameter. */
static Form *
hidden_form(Parser *p, const char *name, Span at, const Token *param, Expr *body)
{
	Form *f = NEW(p->u->arena, Form, 1);

	*f = (Form){.kind = FORM_DEF, .span = at, .basis = p->basis, .name = intern(p->u->names, name),
		.namespan = at, .body = body, .hidden = true};
	f->param = pattern_of(p, expr_name(p, param));
	return f;
}

/* `(a, b := 2, c := 3)` are the parameters (a, (b, c)) and two functions; see frontend/defaults.c. */
static void
form_defaults(Parser *p, Expr *param)
{
	Form *f = p->form;
	Exprs given = {0};
	Expr *first = keywords_split(p->u->arena, param, &given), *names = NULL;
	const Token x = {.kind = TOK_NAME, .span = f->namespan, .u.name = intern(p->u->names, "x.")};
	Token self = x;

	if (!first || !f->body) {
		parse_error(p, given.at[given.n - 1]->span, "syntax", first
			? "a default is given in the definition of a function, not in a declaration"
			: "a function needs a parameter without a default in front");
		first = first ? first : expr_name(p, &x);
	}
	for (int i = 0; i < given.n; i++) {
		const Expr *e = given.at[i];
		Token t = {.kind = TOK_NAME, .span = e->span, .u.name = e->u.keyword.name};
		Expr *name = expr_name(p, &t);
		Default *d = NEW(p->u->arena, Default, 1);

		names = names ? expr_pair(p, name, names) : name;
		*d = (Default){t.u.name, e->span, hidden_form(p, arena_printf(p->u->arena, "%s.%s", f->name, t.u.name),
			e->span, &x, e->u.keyword.value), f->defaults};
		f->defaults = d;
	}
	f->param = pattern_of(p, expr_pair(p, first, names));
	self.u.name = f->name;
	f->value = hidden_form(p, arena_printf(p->u->arena, "%s.", f->name), f->namespan, &x,
		expr_apply(p, expr_name(p, &self), expr_name(p, &x)));
}

void
form_def(Parser *p, const Token *name, Expr *param, Expr *body)
{
	Form *f = p->form;
	Exprs given = {0};

	check_function_name(p, name);
	f->kind = body ? FORM_DEF : FORM_DECLARE;
	f->namespan = name->span;
	if (name->kind == TOK_NAME)
		f->name = name->u.name;
	else if (name->kind == TOK_STRING)
		f->name = intern_n(p->u->names, name->u.string.at, (size_t)name->u.string.n);
	f->body = body;
	if (keywords_split(p->u->arena, param, &given) == param)
		f->param = pattern_of(p, param);
	else
		form_defaults(p, param);
}

void
form_datatype(Parser *p, const Token *name, TypeExpr *contents)
{
	Form *f = p->form;

	check_function_name(p, name);
	f->kind = FORM_DATATYPE;
	f->namespan = name->span;
	if (name->kind == TOK_NAME)
		f->name = name->u.name;
	f->argtype = contents;
}

void
form_doc(Parser *p, const Token *text)
{
	p->form->doc.at = text->u.string.at;
	p->form->doc.n = text->u.string.n;
}

void
form_signature(Parser *p, const TypeExpr *fn)
{
	if (fn->kind != TYX_FUN) {
		parse_error(p, p->current->span, "syntax", "`->` is missing: found %s instead; "
			"the type of a function is written `int -> int`", token_text(p->u->arena, p->current));
		return;
	}
	p->form->argtype = fn->a;
	p->form->restype = fn->b;
}

void
form_assign(Parser *p, Expr *pattern, Expr *value)
{
	p->form->kind = FORM_ASSIGN;
	p->form->param = pattern_of(p, pattern);
	p->form->body = value;
}

void
form_keep(Parser *p)
{
	if (p->form->show == SHOW_VALUE)
		p->form->show = SHOW_TYPE;
}

void
form_expr(Parser *p, Expr *e)
{
	p->form->kind = FORM_EXPR;
	p->form->body = e;
}

/* -- reading ------------------------------------------------------------------------------------ */

/* It says nearly all there is to say. */
static void
lexical_error(Parser *p, const Token *t)
{
	if (!p->bad)
		diag_error(p->u->diag, t->span, "syntax", "%s", t->u.message);
	if (!p->bad && t->doubt.len)
		diag_note(p->u->diag, t->doubt, "%s", doubt_note);
	else if (!p->bad && p->form->prose.len)
		diag_note(p->u->diag, p->form->prose, "%s", prose_note);
	p->bad = true;
}

/* Words that only the lexer or the driver can refuse; true if this one is. */
static bool
refuse(Parser *p, const Token *t)
{
	if (t->kind == LEX_LEFT_OUT) {
		void **told;
		if (!p->u->left_out)
			p->u->left_out = map_new(p->u->arena);
		told = map_at(p->u->left_out, intern(p->u->names, t->u.message));
		p->bad |= *told != NULL;
		*told = p;
		parse_error(p, t->span, "syntax", "%s is not part of nessie", t->u.message);
	} else if (t->kind == LEX_BAD)
		lexical_error(p, t);
	else
		return false;
	p->failed = true;
	return true;
}

/* The end of the input may stand for the last `;`.  It is shown right behind the last token. */
static Token *
final_end(Parser *p, const Token *last)
{
	Token *t = NEW(p->u->arena, Token, 1);

	t->kind = TOK_END;
	t->span = last->span;
	t->span.col += last->span.len;
	t->span.len = 1;
	t->text = "";
	return t;
}

/* The name that a form with an error would have bound: its uses need no message of their own. */
static void
note_name(Parser *p, const Token *first, const Token *second)
{
	Form *f = p->form;

	if ((first->kind == TOK_FUNCTION || first->kind == TOK_DATATYPE) && second->kind == TOK_NAME)
		f->name = second->u.name;
	else if (first->kind == TOK_FUNCTION && second->kind == TOK_BOOL)
		f->name = intern(p->u->names, second->u.i ? "t" : "f");
	else if (first->kind == TOK_NAME && second->kind == TOK_NAME && foreign_defines(first->u.name))
		f->name = second->u.name;
	else if (first->kind == TOK_NAME && (second->kind == TOK_ASSIGN || second->kind == TOK_KEEP))
		f->name = first->u.name;
}

static void
finish(Parser *p)
{
	Form *f = p->form;

	if (!p->bad && p->reserved.n > 0)
		parse_error(p, p->reserved.at[0]->span, "syntax", strcmp(p->reserved.at[0]->u.name, "time") == 0
			? "`time` is no function: it is written `time(e)`, which gives the value of e and the seconds it took"
			: "`%s` is not part of nessie", p->reserved.at[0]->u.name);
	f->doubtful = f->kind == FORM_ASSIGN && (p->unclosed & closer(TOK_IN));
	if (p->bad)
		f->kind = FORM_BAD;
	else if (f->kind != FORM_DEF && f->kind != FORM_DECLARE && f->kind != FORM_DATATYPE)
		f->name = NULL;
}

/* A command: all tokens up to its `;`. */
static bool
read_command(Parser *p, Lexer *x, Token *t)
{
	LIST(Token *) l = {0};
	const Token *bad = NULL;
	const char *why;
	Span at;

	p->form->doubt = t->doubt;
	do {
		LIST_ADD(p->u->arena, &l, t);
		t = lex(x);
		if (t->kind == LEX_BAD && !bad)
			bad = t;
	} while (t->kind != 0 && t->kind != TOK_SEMI);
	p->form->span = span_between(p, l.at[0]->span, l.at[l.n - 1]->span);
	p->form->kind = FORM_COMMAND;
	p->form->command = command_read(p->u->arena, p->u->names, l.at, l.n, &why, &at);
	if (why && !(bad && at.line == bad->span.line && at.col == bad->span.col))
		parse_error(p, at, "syntax", "%s", why);
	else if (bad)
		refuse(p, bad);
	return t->kind != 0;
}

/* Is t the begin of an operand right behind the end of one, with only a comment between the two? */
static bool
instead_of_operator(const Token *before, const Token *t)
{
	static const int ends[] = {TOK_NAME, TOK_INT, TOK_FLOAT, TOK_RPAREN, TOK_RBRACKET, TOK_RBRACE},
		begins[] = {TOK_NAME, TOK_INT, TOK_FLOAT, TOK_LPAREN, TOK_LBRACE};
	bool end = false, begin = false;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		end |= before->kind == ends[i];
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		begin |= t->kind == begins[i];
	return t->comment.len > 0 && end && begin;
}

/* And no argument in parentheses? */
static bool
begins_operand(const Token *t)
{
	return t->kind == TOK_NAME || t->kind == TOK_INT || t->kind == TOK_FLOAT || t->kind == TOK_STRING || t->kind == TOK_BOOL
		|| t->kind == TOK_LENGTH;
}

/* Does a form that begins `# word` or `-- word` go on as no expression does, but words do?  t is the n-th token. */
static bool
begins_prose(const Token *first, const Token *last, const Token *t, int n)
{
	return n == (first->kind == TOK_LENGTH ? 2 : 3) && last->kind == TOK_NAME
		&& (first->kind == TOK_LENGTH || strncmp(first->text, "--", 2) == 0)
		&& (begins_operand(t) || t->kind == TOK_FUNCTION || t->kind == TOK_DATATYPE);
}

/* Read the form that starts with t; false when the source has been read to its end. */
static bool
read_form(Parser *p, Lexer *x, void *grammar, Token *t)
{
	const Token *first = t, *last = t;
	Lexer at_semi;          /* behind p->semi */

	if (p->command)
		return read_command(p, x, t);
	neslInit(grammar);
	for (int n = 0;; n++, last = t, t = lex(x)) {
		bool end = t->kind == 0;

		if (end)
			t = final_end(p, last);
		if (n == 1)
			note_name(p, first, t);
		if (n == 2 && first->kind == TOK_FUNCTION)
			p->header = t;
		p->current = t;
		p->before = n > 0 ? last : NULL;
		if (!p->form->doubt.len)
			p->form->doubt = t->doubt;
		if (n > 0 && !p->form->comment.len && instead_of_operator(last, t))
			p->form->comment = t->comment;
		if (n > 0 && !p->foreign && last->kind == TOK_NAME && begins_operand(t) && foreign_word(last->u.name))
			p->foreign = last;
		if (begins_prose(first, last, t, n))
			p->form->prose = first->span;
		if (!p->failed && !refuse(p, t)) {
			nesl(grammar, t->kind, t, p);
			if ((end || t->kind == TOK_SEMI) && !p->failed && nesl_complete(grammar)) {
				nesl(grammar, 0, NULL, p);
				p->form->span = span_between(p, first->span, last->span);
				return !end;
			}
		}
		if (p->ends_there) {
			*x = at_semi;
			return true;
		}
		if (end)
			return false;
		if (p->failed)
			return lex_skip(x, t, !p->hasty);
		if (t->kind == TOK_SEMI) {
			p->semi = t;
			at_semi = *x;
		}
	}
}

unsigned
closer(int kind)
{
	static const int closing[] = {TOK_RPAREN, TOK_RBRACKET, TOK_RBRACE, TOK_IN, TOK_THEN, TOK_ELSE};

	for (unsigned i = 0; i < sizeof closing / sizeof *closing; i++)
		if (closing[i] == kind)
			return 1u << i;
	return 0;
}

/* A form, with what is hidden: its defaults before it, behind it what uses it. */
static void
append_form(Form ***end, Form *f)
{
	bool good = f->kind == FORM_DEF;

	for (const Default *d = f->defaults; d && good; d = d->next) {
		d->form->kept = f->kept;
		**end = d->form;
		*end = &d->form->next;
	}
	**end = f;
	*end = &f->next;
	if (f->value && good) {
		f->value->kept = f->kept;
		**end = f->value;
		*end = &f->value->next;
	}
}

/* A source, form by form. */
typedef struct Reader {
	Unit *u;
	const Source *src;
	Lexer *x;
	void *grammar;
	bool mute;              /* no messages: where forms end is all that is wanted */
	bool bad;               /* the form before was wrong, */
	unsigned unclosed;      /* and left this open */
	bool local;             /* before a function of its own */
	bool rest;              /* the last one was the rest of such a form */
	bool ended;             /* it had its `;` */
	bool command;
} Reader;

static bool
binds(const Pattern *p, const char *name)
{
	return p->kind == PAT_PAIR ? binds(p->a, name) || binds(p->b, name) : p->kind == PAT_NAME && p->name == name;
}

static bool
is_bound(const Unit *u, const char *name)
{
	const Form *f = u->forms;

	while (f && !(f->kind == FORM_ASSIGN ? binds(f->param, name) : f->name == name))
		f = f->next;
	return f;
}

/* Is the form that starts with t a command?  Not `set = 3`, nor, where such a name is bound before it, `set + 1`, `show(v)` or
 * `edit`: behind the first word of a command stands another word, a string, or, of some, nothing. */
static bool
is_command(const Reader *r, const Token *t)
{
	Lexer ahead = *r->x;
	int next;

	if (r->src->basis || !command_begins(t))
		return false;
	next = lex(&ahead)->kind;
	if (t->kind != TOK_NAME || next == TOK_NAME || next == TOK_STRING || ((next == TOK_SEMI || next == 0) && command_stands_alone(t)))
		return true;
	return next != TOK_ASSIGN && !is_bound(r->u, t->u.name);
}

/* NULL at the end. */
static Form *
next_form(Reader *r)
{
	Token *t;

	do {
		t = lex(r->x);
	} while (t->kind == TOK_SEMI);
	if (t->kind == 0)
		return NULL;
	bool rest = r->bad && closer(t->kind);
	Parser p = {.u = r->u, .basis = r->src->basis, .current = t, .bad = rest || r->mute, .failed = rest, .rest = rest, .hasty = r->mute,
		.unclosed = (t->kind == TOK_FUNCTION && !r->local) || rest ? 0 : r->unclosed};
	p.form = NEW(r->u->arena, Form, 1);
	p.form->basis = r->src->basis;
	p.form->kept = r->src->kept;
	p.form->show = r->src->silent ? SHOW_NOTHING : SHOW_VALUE;
	p.form->span = t->span;
	p.form->source = r->src;
	p.form->from = (size_t)(t->text - (const char *)r->x->text);
	r->command = p.command = is_command(r, t);
	r->ended = read_form(&p, r->x, r->grammar, t);
	p.form->to = (size_t)(r->x->cursor - r->x->text);
	finish(&p);
	r->bad = r->mute ? p.failed : p.bad;
	r->rest = p.rest;
	r->local = p.local;
	r->unclosed = p.unclosed | (p.failed && !p.rest ? nesl_unclosed(r->grammar) : 0);
	return p.form;
}

static Reader
reader_new(Unit *u, const Source *src, void *grammar)
{
	return (Reader){.u = u, .src = src, .x = lexer_new(u, src), .grammar = grammar};
}

static void parse_source(Unit *u, const Source *src, void *grammar, Form ***end);

/* What `load` names: as it is, or beside the file that loads it, where `.nesl` may be left out. */
static const char *
loaded_path(Arena *arena, const Source *from, const char *name)
{
	const char *slash = strrchr(from->name, '/');
	int dir = slash && *name != '/' ? (int)(slash + 1 - from->name) : 0;
	const char *path = arena_printf(arena, "%.*s%s", dir, from->name, name);

	return access(path, F_OK) == 0 ? path : arena_printf(arena, "%s.nesl", path);
}

/* The forms of the file take the place of the command; if there is no such file, a wrong form does. */
static void
load(Unit *u, Form *f, void *grammar, Form ***end)
{
	const TopCommand *c = f->command;
	Arena *arena = u->lasting ? u->lasting : u->arena;
	Source *s = NEW(arena, Source, 1);
	const Source *up = f->source;

	*s = (Source){.name = loaded_path(arena, f->source, c->string), .loader = f->source,
		.silent = !c->print || f->source->silent};
	while (up && !same_file(up->name, s->name))
		up = up->loader;
	s->text = up ? NULL : read_text(arena, s->name, &s->n);
	if (s->text) {
		diag_source(u->diag, s->name, s->text, s->n, 0);
		parse_source(u, s, grammar, end);
		return;
	}
	diag_error(u->diag, c->at, "file", up ? "this file loads itself" : "cannot read this file: %s", strerror(errno));
	f->kind = FORM_BAD;
	append_form(end, f);
}

static void
parse_source(Unit *u, const Source *src, void *grammar, Form ***end)
{
	Reader r = reader_new(u, src, grammar);
	LIST(Form *) bindings = {0};    /* that read as forms, but are of a `let` with an error if its `in` comes behind them */
	Form *f;

	while (!u->exited && (f = next_form(&r))) {
		if (f->doubtful)
			LIST_ADD(u->arena, &bindings, f);
		for (int i = 0; i < bindings.n && r.rest; i++)
			bindings.at[i]->kind = FORM_BAD;
		if (!f->doubtful)
			bindings.n = 0;
		if (f->kind == FORM_COMMAND && f->command->kind == CMD_LOAD) {
			load(u, f, grammar, end);
			continue;
		}
		u->exited = f->kind == FORM_COMMAND && f->command->kind == CMD_EXIT;
		append_form(end, f);
	}
}

static void *
grammar_new(void)
{
	void *grammar = neslAlloc(malloc);

	if (!grammar) {
		fputs("nessie: out of memory\n", stderr);
		exit(4);
	}
	return grammar;
}

void
parse(Unit *u)
{
	void *grammar = grammar_new();
	Form **end = &u->forms;

	while (*end)
		end = &(*end)->next;
	for (Source *s = u->parsed ? u->parsed->next : u->sources; s && !u->exited; s = s->next) {
		diag_source(u->diag, s->name, s->text, s->n, s->line);
		parse_source(u, s, grammar, &end);
		u->parsed = s;
	}
	neslFree(grammar, free);
}

size_t
parse_first(Unit *u, const char *text, size_t n)
{
	void *grammar = grammar_new();
	Source src = {.name = "", .text = text, .n = n};
	Reader r = reader_new(u, &src, grammar);
	Form *f, *g;
	size_t end;

	r.mute = true;
	f = next_form(&r);
	end = !f || r.command ? n : 0;
	if (f && r.ended)
		end = f->to;
	while (f && r.ended && r.bad && (g = next_form(&r)) && r.rest && r.ended)
		end = g->to;
	neslFree(grammar, free);
	return end;
}

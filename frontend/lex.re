/* lex.re: NESL text -> tokens.
 *
 * In   bytes of a source; names and keywords in any case.
 * Out  tokens with spans; what is no token is LEX_BAD with a reason, never skipped in silence.
 * How  re2c.  A NUL byte stands behind the text, so that the scanner needs no test per byte. */
#include "frontend/lex.h"
#include "frontend/grammar.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *word; int kind; bool basis; } keyword[] = {
	{"function", TOK_FUNCTION, false}, {"let", TOK_LET, false}, {"in", TOK_IN, false},
	{"if", TOK_IF, false}, {"then", TOK_THEN, false}, {"else", TOK_ELSE, false},
	{"and", TOK_AND, false}, {"nand", TOK_NAND, false}, {"or", TOK_OR, false},
	{"nor", TOK_NOR, false}, {"xor", TOK_XOR, false},
	{"t", TOK_BOOL, false}, {"f", TOK_BOOL, false},
	{"datatype", TOK_DATATYPE, false}, {"defconfig", LEX_LEFT_OUT, false},
	{"closure", LEX_LEFT_OUT, false},
	{"prim", TOK_PRIM, true}, {"typecase", TOK_TYPECASE, true},
};

typedef LIST(int) Open;

/* Count the lines that end in [from, x->cursor). */
static void
count_lines(Lexer *x, const unsigned char *from)
{
	for (; from < x->cursor; from++)
		if (*from == '\n') {
			x->line++;
			x->linestart = from + 1;
		}
}

Lexer *
lexer_new(const Unit *u, const Source *src)
{
	Lexer *x = NEW(u->arena, Lexer, 1);

	x->arena = u->arena;
	x->names = u->names;
	x->file = src->name;
	x->basis = src->basis;
	x->text = x->linestart = (const unsigned char *)arena_strndup(u->arena, src->text, src->n);
	x->limit = x->text + src->n;
	x->line = 1 + src->line;
	x->cursor = x->text + src->skip;
	if (src->skip == 0 && strncmp((const char *)x->text, "\xef\xbb\xbf", 3) == 0)
		x->cursor += 3;         /* the byte-order mark of UTF-8, which some editors write */
	count_lines(x, x->text);
	return x;
}

/* From `start` to the cursor, or to the end of the first line. */
static Span
shown(const Lexer *x, const unsigned char *start)
{
	const unsigned char *nl = memchr(start, '\n', (size_t)(x->cursor - start));

	return (Span){x->file, x->line, (int)(start - x->linestart) + 1, (int)((nl ? nl : x->cursor) - start)};
}

/* The token from `start` to the cursor. */
static Token *
token(Lexer *x, const unsigned char *start, int kind)
{
	Token *t = x->spare ? x->spare : NEW(x->arena, Token, 1);

	t->kind = kind;
	t->span = shown(x, start);
	t->text = (const char *)start;
	t->n = (int)(x->cursor - start);
	count_lines(x, start);
	return t;
}

static Token *
bad(Lexer *x, const unsigned char *start, const char *message)
{
	Token *t = token(x, start, LEX_BAD);

	t->u.message = message;
	return t;
}

static const unsigned char *
skip_blanks(const Lexer *x, const unsigned char *c)
{
	while (c < x->limit && (*c == ' ' || *c == '\t' || *c == '\r'))
		c++;
	return c;
}

/* Has the comment from `start` to the cursor several lines, with a `;` at the end of one, while its last line goes on behind it? */
static bool
holds_code(const Lexer *x, const unsigned char *start)
{
	const unsigned char *end = x->cursor - 1, *behind = skip_blanks(x, x->cursor);
	bool lines = false, code = false;

	for (const unsigned char *c = start + 1; c < end; c++) {
		const unsigned char *next = *c == ';' ? skip_blanks(x, c + 1) : c;

		lines |= *c == '\n';
		code |= next > c && (*next == '\n' || (lines && next == end));
	}
	return lines && code && behind < x->limit && *behind != '\n';
}

/* A comment or string that the text ends in: all of the text is used up. */
static Token *
unterminated(Lexer *x, const unsigned char *start, const char *message)
{
	Token *t;

	x->cursor = start + 1;
	t = bad(x, start, message);
	x->cursor = x->limit;
	return t;
}

static Token *
unsupported(Lexer *x, const unsigned char *start, const char *construct)
{
	Token *t = token(x, start, LEX_LEFT_OUT);

	t->u.message = construct;
	return t;
}

static const char *
lower_case(Lexer *x, const unsigned char *start)
{
	size_t n = (size_t)(x->cursor - start);
	char *s = arena_strndup(x->arena, (const char *)start, n);

	for (size_t i = 0; i < n; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] - 'A' + 'a');
	return intern_n(x->names, s, n);
}

static Token *
word(Lexer *x, const unsigned char *start)
{
	const char *name = lower_case(x, start);
	Token *t = token(x, start, TOK_NAME);

	t->u.name = name;
	for (size_t i = 0; i < sizeof keyword / sizeof *keyword; i++) {
		if (*name != *keyword[i].word || strcmp(name, keyword[i].word) != 0 || (keyword[i].basis && !x->basis))
			continue;
		t->kind = keyword[i].kind;
		if (t->kind == TOK_BOOL)
			t->u.i = name[0] == 't';
		if (t->kind == LEX_LEFT_OUT)
			t->u.message = arena_printf(x->arena, "`%s`", name);
	}
	return t;
}

/* Integers are taken modulo 2^64, as arithmetic is. */
static Token *
integer(Lexer *x, const unsigned char *start)
{
	Token *t = token(x, start, TOK_INT);
	uint64_t v = 0;

	for (const unsigned char *c = start; c < x->cursor; c++)
		v = 10 * v + (uint64_t)(*c - '0');
	memcpy(&t->u.i, &v, sizeof v);
	return t;
}

static Token *
floating(Lexer *x, const unsigned char *start)
{
	Token *t = token(x, start, TOK_FLOAT);
	char *text = arena_strndup(x->arena, t->text, (size_t)t->n);

	errno = 0;
	t->u.f = strtod(text, NULL);
	if (errno == ERANGE && (isinf(t->u.f) || t->u.f == 0.0)) {
		t->kind = LEX_BAD;
		t->u.message = "this number does not fit a float";
	}
	return t;
}

static Token *
character(Lexer *x, const unsigned char *start)
{
	Token *t = token(x, start, TOK_CHAR);

	t->u.i = start[1];
	if (start[1] == 0) {
		t->kind = LEX_BAD;
		t->u.message = "a character should follow the back-quote";
	}
	return t;
}

static Token *
string(Lexer *x, const unsigned char *start)
{
	Token *t = token(x, start, TOK_STRING);
	char *s = arena_alloc(x->arena, (size_t)t->n);
	int n = 0;

	for (const unsigned char *c = start + 1; c < x->cursor - 1; c++) {
		if (*c == '\\')
			c++;
		s[n++] = (char)*c;
	}
	t->u.string.at = s;
	t->u.string.n = n;
	if (memchr(s, 0, (size_t)n)) {
		t->kind = LEX_BAD;
		t->u.message = "this string contains a NUL byte";
	}
	return t;
}

/* What other languages write with this character, in NESL. */
static const char *
stray_advice(unsigned char c)
{
	switch (c) {
	case '!': return "; not equal is `/=`, not true is `not`";
	case '&': return "; logical and is `and`";
	case '\'': return "; a character is written with one back-quote before it, a string with \" around it";
	case '?': return "; a choice is written `if c then x else y`";
	case '~': return "; a minus is written `-`, not true is `not`";
	case '\\': return "; a function without a name is written `x => x + 1`";
	case '.': return "; a pattern names the parts of a tuple or record: `let (x, y) = p in x`";
	default: return "";
	}
}

static Token *
stray(Lexer *x, const unsigned char *start)
{
	if (x->spare)
		return bad(x, start, "");
	if (*start >= ' ' && *start < 0x7f)
		return bad(x, start, arena_printf(x->arena, "`%c` has no meaning here%s", *start,
			stray_advice(*start)));
	if (*start == 0)
		return bad(x, start, "the text contains a NUL byte");
	while (x->cursor < x->limit && *x->cursor == *start)
		x->cursor++;
	return bad(x, start, arena_printf(x->arena,
		"the byte 0x%02x has no meaning here: names are made of letters, digits and `_`",
		*start));
}

static Token *
scan(Lexer *x, Span *comment, bool *doubt)
{
	const unsigned char *start, *marker;

	/*!re2c
	re2c:define:YYCTYPE = "unsigned char";
	re2c:define:YYCURSOR = x->cursor;
	re2c:define:YYLIMIT = x->limit;
	re2c:define:YYMARKER = marker;
	re2c:yyfill:enable = 0;
	re2c:eof = 0;
	digit = [0-9];
	letter = [A-Za-z_];
	exponent = [eE] [+-]? digit+;
	float = digit+ exponent | digit+ "." digit* exponent? | "." digit+ exponent?;
	*/
again:
	start = x->cursor;
	marker = start;
	/*!re2c
	$                       { return token(x, start, 0); }
	[ \t\n\r\f]+            { count_lines(x, start); goto again; }
	"%" [^%]* "%"           { *comment = shown(x, start); *doubt = holds_code(x, start); count_lines(x, start); goto again; }
	"%"                     { return unterminated(x, start, "this comment has no closing `%` (a remainder is `rem(x, y)`)"); }
	["] ([^"\\] | "\\" [^])* ["]    { return string(x, start); }
	["]                     { return unterminated(x, start, "this string has no closing `\"`"); }
	"`" [^]                 { return character(x, start); }
	"`"                     { return bad(x, start, "a character should follow the back-quote"); }
	digit+                  { return integer(x, start); }
	float                   { return floating(x, start); }
	digit* ".."             { return bad(x, start, "`..` has no meaning here; the numbers from a up to below b are `[a:b]`"); }
	(digit+ | float) letter (letter | digit)*
	                        { return bad(x, start, "this is neither a number nor a name"); }
	letter (letter | digit)*        { return word(x, start); }
	[;$]                    { return token(x, start, TOK_SEMI); }
	"("                     { return token(x, start, TOK_LPAREN); }
	")"                     { return token(x, start, TOK_RPAREN); }
	"["                     { return token(x, start, TOK_LBRACKET); }
	"]"                     { return token(x, start, TOK_RBRACKET); }
	"{"                     { return token(x, start, TOK_LBRACE); }
	"}"                     { return token(x, start, TOK_RBRACE); }
	","                     { return token(x, start, TOK_COMMA); }
	":"                     { return token(x, start, TOK_COLON); }
	"::"                    { return token(x, start, TOK_CONTEXT); }
	"|"                     { return token(x, start, TOK_BAR); }
	"="                     { return token(x, start, TOK_ASSIGN); }
	"=="                    { return token(x, start, TOK_EQ); }
	"/="                    { return token(x, start, TOK_NE); }
	"<"                     { return token(x, start, TOK_LT); }
	">"                     { return token(x, start, TOK_GT); }
	"<="                    { return token(x, start, TOK_LE); }
	">="                    { return token(x, start, TOK_GE); }
	"+"                     { return token(x, start, TOK_PLUS); }
	"-"                     { return token(x, start, TOK_MINUS); }
	"++"                    { return token(x, start, TOK_APPEND); }
	"*"                     { return token(x, start, TOK_TIMES); }
	"/"                     { return token(x, start, TOK_DIVIDE); }
	"||"                    { return token(x, start, TOK_PAD); }
	"^"                     { return token(x, start, TOK_POWER); }
	"<-"                    { return token(x, start, TOK_WRITE); }
	"->"                    { return token(x, start, TOK_READ); }
	"#"                     { return token(x, start, TOK_LENGTH); }
	"@"                     { return token(x, start, TOK_SHOW); }
	"=>"                    { return token(x, start, TOK_LAMBDA); }
	":="                    { return token(x, start, TOK_SET); }
	"|="                    { return token(x, start, TOK_KEEP); }
	"&="                    { return unsupported(x, start, "a background run (`&=`)"); }
	">>"                    { return unsupported(x, start, "`>>`"); }
	*                       { return stray(x, start); }
	*/
}

Token *
lex(Lexer *x)
{
	Span comment = {0};
	bool doubt = false;
	Token *t = scan(x, &comment, &doubt);

	if (doubt && !x->doubt.len)
		x->doubt = comment;
	t->comment = comment;
	t->doubt = doubt ? comment : t->kind == LEX_BAD && *t->text == '%' ? x->doubt : (Span){0};
	return t;
}

/* What is open where t has been read, a `let` or a bracket each: t opens or closes one. */
static void
track(Lexer *x, Open *open, int kind)
{
	const int opener = kind == TOK_RPAREN ? TOK_LPAREN : kind == TOK_RBRACKET ? TOK_LBRACKET : kind == TOK_RBRACE ? TOK_LBRACE : 0;
	int n = open->n;

	if (kind == TOK_LET || kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE)
		LIST_ADD(x->arena, open, kind);
	else if (kind == TOK_IN && n > 0 && open->at[n - 1] == TOK_LET)
		open->n--;
	while (opener && n > 0 && open->at[n - 1] != opener)
		n--;
	if (opener && n > 0)
		open->n = n - 1;
}

bool
lex_skip(Lexer *x, const Token *t, bool nested)
{
	Open open = {0};

	x->spare = NEW(x->arena, Token, 1);
	while (t->kind != TOK_FUNCTION && t->kind != TOK_DATATYPE && t->kind != 0) {
		const int top = open.n > 0 ? open.at[open.n - 1] : 0;

		if (t->kind == TOK_SEMI && top != TOK_LET && top != TOK_LBRACE)
			break;
		if (nested)
			track(x, &open, t->kind);
		t = lex(x);
	}
	x->spare = NULL;
	if (t->kind == TOK_FUNCTION || t->kind == TOK_DATATYPE)
		x->cursor = (const unsigned char *)t->text;
	return t->kind != 0;
}

const char *
token_text(Arena *a, const Token *t)
{
	if (t->n == 0)
		return "the end of the input";
	if (t->kind == TOK_STRING)
		return "a string";
	return arena_printf(a, "`%.*s`", t->n, t->text);
}

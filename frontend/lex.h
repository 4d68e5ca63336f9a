#ifndef NESSIE_LEX_H
#define NESSIE_LEX_H
/* Tokens of NESL text.  Token kinds are the grammar's (TOK_ of the header that lemon makes), 0 at the
 * end of the text, and the two below. */
#include "common/unit.h"

enum {
	LEX_BAD = -1,           /* no token: u.message says why */
	LEX_LEFT_OUT = -2    /* NESL, but not part of nessie: u.message names the construct */
};

typedef struct Token {
	int kind;
	Span span;
	const char *text;       /* as written, for messages */
	int n;
	Span comment;           /* the last one between the token before and this one; len is 0 if there is none */
	Span doubt;             /* that, or one before an unterminated one, if it seems that the `%` which should end it is missing */
	union {
		int64_t i;                                      /* INT, CHAR, BOOL */
		double f;                                       /* FLOAT */
		const char *name;                               /* NAME: lower case, interned */
		struct { const char *at; int n; } string;       /* STRING: without quotes and backslashes */
		const char *message;
	} u;
} Token;

typedef struct Lexer {
	Arena *arena;
	Names *names;
	const char *file;
	bool basis;             /* prim and typecase are keywords */
	const unsigned char *text, *cursor, *limit, *linestart;
	int line;
	Span doubt;             /* the first comment that it seems so of */
	Token *spare;           /* what the next token is put into; NULL: into one of its own */
} Lexer;

Lexer *lexer_new(const Unit *u, const Source *src);

/* The next token.  At the end of the text, and after LEX_BAD for an unterminated comment or string,
 * every further call gives kind 0. */
Token *lex(Lexer *x);

/* Leave out tokens from t, the last one, on: with the next `;`, or up to the next `function` or `datatype`, which only
 * begin a form.  nested: a `;` of a `let` or of braces that are left out is none.  False: the text has ended. */
bool lex_skip(Lexer *x, const Token *t, bool nested);

/* The token in words, for messages: "`then`", "end of input", "the string". */
const char *token_text(Arena *a, const Token *t);

#endif

#ifndef NESSIE_COMMAND_H
#define NESSIE_COMMAND_H
/* Commands of the top level: forms that begin with a word of the table in command.c. */
#include "common/unit.h"
#include "frontend/lex.h"

typedef enum {
	CMD_HELP, CMD_EXIT, CMD_LOAD, CMD_DESCRIBE, CMD_APROPOS, CMD_CODE, CMD_STATUS,
	CMD_PRINT_LENGTH, CMD_TRACE, CMD_PROFILE,
	CMD_CHECKS,             /* set arg_check */
	CMD_NOTHING,            /* accepted; there is nothing to do */
	CMD_REFUSED             /* the original's, and not here */
} CommandKind;

/* A command as read. */
typedef struct TopCommand {
	CommandKind kind;
	const char *name;       /* a name, as in describe NAME; else NULL */
	const char *string;     /* "FILE" */
	long long number;       /* set print_length N; on is 1, off 0 */
	bool print;             /* load: values are echoed */
	Span at;                /* of the name or the string */
	const char *text;       /* as it was written, with one blank between words */
} TopCommand;

/* Does the form that begins with this token, or name, become a command? */
bool command_begins(const Token *t);
bool command_word(const char *name);
/* Is this one word all of a command? */
bool command_stands_alone(const Token *t);
/* The command that the tokens make, the `;` not among them; NULL: *why says what is wrong at *at. */
TopCommand *command_read(Arena *a, Names *names, Token *const *t, int n, const char **why, Span *at);

/* Does it set something that later forms, or their printing, obey? */
bool command_sets(const TopCommand *c);

typedef void CommandHear(const char *words, void *to);
/* Each word or two that a command begins with, but for those refused. */
void command_words(CommandHear *hear, void *to);
/* The commands, a line each. */
const char *command_help(Arena *a);

#endif

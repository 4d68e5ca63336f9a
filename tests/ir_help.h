#ifndef TESTS_IR_HELP_H
#define TESTS_IR_HELP_H
/* Programs in the let-form from text and back, for the suites that need them. */
#include "common/unit.h"
#include <stdlib.h>
#include <string.h>

typedef struct {
	Unit u;
	char *said;             /* messages of the reader */
	size_t nsaid;
	FILE *to;
} IrCase;

/* u.ir is NULL if the text was refused. */
static inline IrCase *
case_read(const Ir *ir, const char *text)
{
	IrCase *c = calloc(1, sizeof *c);
	c->to = open_memstream(&c->said, &c->nsaid);
	c->u.arena = arena_new();
	c->u.names = names_new(c->u.arena);
	c->u.diag = diag_new(c->u.arena, c->to);
	c->u.ir = ir_read(ir, c->u.arena, c->u.names, c->u.diag, "in", text, strlen(text));
	fflush(c->to);
	return c;
}

static inline const char *
case_print(IrCase *c)
{
	char *s = NULL;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	ir_print(c->u.ir, f);
	fclose(f);
	const char *kept = arena_strndup(c->u.arena, s, n);
	free(s);
	return kept;
}

/* What ir_check says, "" if nothing. */
static inline const char *
case_check(IrCase *c)
{
	Span at;
	const char *s = ir_check(c->u.ir, &at);
	return s ? s : "";
}

static inline void
case_end(IrCase *c)
{
	fclose(c->to);
	free(c->said);
	arena_free(c->u.arena);
	free(c);
}

#endif

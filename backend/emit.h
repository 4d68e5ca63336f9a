#ifndef NESSIE_EMIT_H
#define NESSIE_EMIT_H
/* All generated text goes through here, so that it is formatted as we would write it. */
#include "common/unit.h"

typedef struct Emit Emit;

Emit *emit_new(Unit *u);
/* One line at the present depth; the text has no newline. */
void emit_line(Emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void emit_blank(Emit *e);
void emit_open(Emit *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));    /* line, then one deeper */
void emit_close(Emit *e, const char *line);     /* one shallower, then the line: "}"; "": none */
void emit_else(Emit *e);                        /* between the two: "} else {" */
/* A function that is called by the one being written: its lines, from emit_apart on, at depth 1, are what emit_rejoin gives, until
 * emit_apart comes again.  Text goes where the text stood when emit_here was asked, which moves that place behind it. */
void emit_apart(Emit *e);
const char *emit_rejoin(Emit *e);
size_t emit_here(const Emit *e);
void emit_insert(Emit *e, size_t *at, const char *text);
void emit_source(Emit *e, Span at);             /* // FILE:LINE:COL  the source line, trimmed */
void emit_sources(Emit *e, const Bind *task);    /* one such line for each line that went into the task */
/* The same within a function, as many bindings stem from one line: nothing if the last comment says it, without the source line if the last one shows it. */
void emit_place(Emit *e, Span at);
/* A C identifier for a NESL name: unchanged if it is one and no keyword or name of ours. */
const char *emit_cname(Emit *e, const char *name);
/* The C text of a scalar operator applied to operand texts: its row's expr with a, b, c replaced. */
const char *emit_scalar(Emit *e, const OpInfo *op, const Ty *operand, const char *const *arg, int narg);
/* What a reduction or scan of elements of type t keeps: their type, or one with a place (nesl_scalar.h); from the operands' texts
 * what it keeps of one element; and from what it kept its result. */
const char *emit_fold_type(Emit *e, const OpInfo *fold, const Ty *t);
const char *emit_folded(Emit *e, const OpInfo *fold, const Ty *t, const char *const *x);
const char *emit_fold_result(Emit *e, const OpInfo *fold, const char *acc);
/* acc `op` x by a reduction or scan of this IR, on elements of type t. */
const char *emit_combine(Emit *e, const Ir *ir, const OpInfo *fold, const Ty *t, const char *acc, const char *x);
/* What a reduction or scan of elements of this type begins with. */
const char *emit_identity(Emit *e, const OpInfo *fold, const Ty *t);
const char *emit_const(Emit *e, Opnd o);        /* 1.5, 3, INFINITY */
const char *emit_string(Emit *e, const char *s, int n); /* a C string literal of n bytes */
const char *emit_ctype(const Ty *t);            /* nint f64 b8 c32; of the element for vectors; i64 for descriptors */
int emit_size(const Emit *e, const Ty *t);      /* of it, in bytes */
char emit_base(const Emit *e, const Ty *t);     /* the base of its leaf (nesl_value.h) */
/* The n-th leaf of what is echoed, if it is a literal that no int of the program holds: it is shown as written. */
bool emit_wide_leaf(Emit *e, Opnd o, int n);
/* The first line of a program whose int is not the usual one. */
void emit_width(Emit *e);
/* The row of the table of sites (nesl_fault.h) for a fault of this kind. */
const char *emit_site(Emit *e, const char *kind, Span at);
/* The row of the table of entries (nesl_main.h) for x, which the C functions NAME and NAME_leaves compute. */
const char *emit_entry(Emit *e, const Entry *x, const char *run, int nleaf);
/* What a constant step of a way out is called in the run time (nesl_fault.h). */
const char *emit_step_kind(int64_t step);
/* Is it no step, but a number that belongs to one before it (WAY_PARTS, WAY_INTO)?  *numbers: 0 where a way begins. */
bool emit_step_number(Opnd o, int *numbers);
/* Hands the text over to u->text. */
void emit_done(Emit *e, Unit *u);

#endif
